//! The table of the template, as each engine describes it.

use fracti_local::schema::Schema;
use serde_json::{Value, json};

use super::{Pair, Request};

#[tokio::test]
async fn the_engines_create_the_same_table() {
    let pair = Pair::start(&[]).await;
    let mut described = Vec::new();
    for database in [&pair.embedded, &pair.other] {
        let client = database.patient_client();
        Schema::from_template().unwrap().create(&client, "Other").await.unwrap();
        let body = json!({ "TableName": "Other" });
        let (_, table) = database.ask("DescribeTable", &body).await;
        let (_, expiry) = database.ask("DescribeTimeToLive", &body).await;
        // Neither engine deletes a row before its time.
        let row = json!({ "PK": { "S": "p" }, "SK": { "S": "s" }, "ttl": { "N": "9999999999" } });
        database.ask("PutItem", &json!({ "TableName": "Other", "Item": row })).await;
        let scan = Request { operation: "Scan", body };
        let (_, rows) = database.ask(scan.operation, &scan.body).await;
        assert_eq!(rows["Items"], json!([row]));
        described.push((schema(&table["Table"]), expiry));
        // The next test finds only its own table.
        client.delete_table().table_name("Other").send().await.unwrap();
    }
    assert_eq!(described[0], described[1]);
    assert_eq!(described[0].1["TimeToLiveDescription"]["AttributeName"], "ttl");
}

/// The keys of a table and of its indexes, in order of their names.
fn schema(table: &Value) -> Value {
    let sorted = |value: &Value, name: &str| {
        let mut values = value.as_array().unwrap().clone();
        values.sort_by_key(|value| value[name].to_string());
        values
    };
    let indexes = sorted(&table["GlobalSecondaryIndexes"], "IndexName");
    let index =
        |index: &Value| json!([index["IndexName"], index["KeySchema"], index["Projection"]]);
    json!({
        "attributes": sorted(&table["AttributeDefinitions"], "AttributeName"),
        "keys": table["KeySchema"],
        "indexes": indexes.iter().map(index).collect::<Vec<_>>(),
        "billing": table["BillingModeSummary"]["BillingMode"],
    })
}
