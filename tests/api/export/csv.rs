//! Exports as CSV.

use std::collections::BTreeMap;

use csv::ReaderBuilder;
use serde_json::{Value, json};

use super::{Eventful, pages, sheet};
use crate::harness::{Group, number};

/// The records of a CSV file, each a map from column to cell.
fn records(text: &str) -> Vec<BTreeMap<String, String>> {
    let text = text.strip_prefix('\u{feff}').unwrap();
    assert!(text.ends_with("\r\n") && !text.replace("\r\n", "").contains('\n'));
    let mut reader = ReaderBuilder::new().from_reader(text.as_bytes());
    let header = reader.headers().unwrap().clone();
    let fixed: Vec<_> = header.iter().take(7).collect();
    assert_eq!(fixed, ["Date", "Type", "Description", "Category", "Currency", "Amount", "Paid by"]);
    let names = |record: csv::StringRecord| {
        let cells = header.iter().zip(&record);
        let cells: BTreeMap<_, _> =
            cells.map(|(name, cell)| (name.to_owned(), cell.to_owned())).collect();
        assert_eq!(cells.len(), header.len(), "two columns have one name");
        cells
    };
    reader.records().map(|record| names(record.unwrap())).collect()
}

/// Checks that the columns of members sum to the totals at the end, and returns these.
fn totals(records: &[BTreeMap<String, String>]) -> BTreeMap<(String, String), String> {
    let fixed = ["Date", "Type", "Description", "Category", "Currency", "Amount", "Paid by"];
    let mut sums: BTreeMap<(String, String), fracti_core::values::decimal::Decimal> =
        BTreeMap::new();
    let mut totals = BTreeMap::new();
    for record in records {
        let nets = record.iter().filter(|(name, _)| !fixed.contains(&name.as_str()));
        for (name, cell) in nets.filter(|(_, cell)| !cell.is_empty()) {
            let key = (record["Currency"].clone(), name.clone());
            if record["Type"] == "Total" {
                totals.insert(key, cell.clone());
            } else {
                let sum = sums.entry(key).or_default();
                *sum = sum.plus(cell.parse().unwrap()).unwrap();
            }
        }
    }
    let is_zero = |text: &String| text == "0";
    let sums: BTreeMap<_, _> = sums.into_iter().map(|(key, sum)| (key, sum.to_string())).collect();
    let nonzero = |sums: &BTreeMap<(String, String), String>| -> BTreeMap<_, _> {
        sums.iter()
            .filter(|(_, sum)| !is_zero(sum))
            .map(|(key, sum)| (key.clone(), sum.clone()))
            .collect()
    };
    assert_eq!(nonzero(&sums), nonzero(&totals));
    nonzero(&totals)
}

/// The balances of a group that are not zero, by currency and name.
async fn balances(group: &Group) -> BTreeMap<(String, String), String> {
    let balance = group.members[0].get(&group.path("/ledger/balance")).await;
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let of_member =
        |it: &Value| ((text(&it["currency"]), text(&it["name"])), number(&it["net"]).to_string());
    let balances = balance.data(200)["balances"].as_array().unwrap().iter().map(of_member);
    balances.filter(|(_, net)| net != "0").collect()
}

#[tokio::test]
async fn an_expense_and_a_payment_are_lines() {
    let group = Group::new(3, "EUR").await;
    group
        .spend(
            0,
            json!({ "amount": "12.60", "description": "Dinner, \"Luigi's\"", "category": "food",
            "date": "2026-01-03" }),
        )
        .await;
    group.spend(1, json!({ "amount": 300, "currency": "JPY", "description": "-1" })).await;
    group.pay(1, 0, "1.5").await;
    let pages = pages(&group.members[0], &group.id, "csv", 1000).await;
    assert_eq!(pages.len(), 1);
    assert_eq!(
        pages[0].text,
        "\u{feff}Date,Type,Description,Category,Currency,Amount,Paid by,A,B,C\r\n\
         2026-01-03,Expense,\"Dinner, \"\"Luigi's\"\"\",food,EUR,12.6,A,8.4,-4.2,-4.2\r\n\
         2026-01-15,Expense,'-1,,JPY,300,B,-100,200,-100\r\n\
         2026-01-15,Payment,Payment to A,,EUR,1.5,B,-1.5,1.5,\r\n\
         ,Total,,,EUR,,,6.9,-2.7,-4.2\r\n\
         ,Total,,,JPY,,,-100,200,-100\r\n"
    );
}

#[tokio::test]
async fn totals_of_every_kind_of_row_are_the_balances() {
    let eventful = Eventful::new().await;
    let whole = sheet(eventful.member(0), eventful.id(), 1000).await;
    let records = records(&whole);
    assert_eq!(totals(&records), balances(&eventful.group).await);
    let kinds: Vec<&str> = ["Expense", "Payment", "Adjustment", "Link", "Total"].into();
    for kind in &kinds {
        assert!(records.iter().any(|it| it["Type"] == *kind), "{kind}");
    }
    assert!(records.iter().all(|it| kinds.contains(&it["Type"].as_str())));
    let link = records.iter().find(|it| it["Type"] == "Link").unwrap();
    assert_eq!(link["Description"], "Grandma is D");
    let hotel = records.iter().find(|it| it["Description"].starts_with("Hotel")).unwrap();
    assert_eq!((&*hotel["Amount"], &*hotel["Paid by"]), ("100", "B"));
    assert!(records.iter().any(|it| it["Description"] == "'=SUM(A1)" && it["Currency"] == "JPY"));
    assert!(!records.iter().any(|it| it["Description"] == "Mistake"), "it is deleted");
    assert!(!records[0].contains_key("Grandma"), "she is D");
    assert!(
        records[0].contains_key("Passer-by")
            && records[0].contains_key("Old \"friend\", with a comma")
    );
    for limit in [1, 2, 7] {
        let pages = pages(eventful.member(1), eventful.id(), "csv", limit).await;
        assert!(pages.iter().skip(1).all(|page| !page.text.contains("Paid by")));
        assert!(pages.iter().rev().skip(1).all(|page| !page.text.contains("Total")));
        let joined: String = pages.into_iter().map(|page| page.text.clone()).collect();
        assert_eq!(joined, whole, "{limit}");
    }
}

#[tokio::test]
async fn group_without_events_has_a_header() {
    let group = Group::new(2, "EUR").await;
    let text = sheet(&group.members[0], &group.id, 1).await;
    assert_eq!(text, "\u{feff}Date,Type,Description,Category,Currency,Amount,Paid by,A,B\r\n");
}

#[tokio::test]
async fn names_of_all_kinds_have_columns_of_their_own() {
    let group = Group::new(1, "KWD").await;
    let names = [
        "Bob",
        "bob",
        "Bob (2)",
        "=HYPERLINK(\"http://x\")",
        "+49",
        "@home",
        "-",
        "Amount",
        "A, \"B\"",
        "דנה",
        "ليلى",
        "\u{202e}evil",
        "A",
    ];
    for (id, name) in (2..).zip(names) {
        let user = group.api.user(id, name);
        user.post(&group.path("/join"), json!({})).await.data(200);
        group.api.pass(std::time::Duration::from_secs(1));
    }
    group.spend(0, json!({ "amount": "1.234", "description": "\u{5d0} = 1" })).await;
    let text = sheet(&group.members[0], &group.id, 1000).await;
    let records = records(&text);
    let header = text.lines().next().unwrap();
    assert!(
        header.ends_with(
            ",A,Bob,bob (2),Bob (2) (2),\"'=HYPERLINK(\"\"http://x\"\")\",'+49,'@home,'-,Amount (2),\
             \"A, \"\"B\"\"\",דנה,ليلى,\u{202e}evil,A (2)"
        ),
        "{header}"
    );
    assert_eq!(totals(&records).len(), 14);
}
