//! A group is made by one and joined by others, each once.

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::json;

use crate::harness::{Api, Group};

const WALLET: &str = "EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF";

#[tokio::test]
async fn suggested_settlements_bring_every_balance_to_zero() {
    let api = Api::new().await;
    let [alice, bob, carol] =
        [(1, "Alice"), (2, "Bob"), (3, "Carol")].map(|(id, name)| api.user(id, name));
    let group = alice
        .post("/api/groups", json!({ "title": "Alps", "chatId": "-7", "currency": "EUR" }))
        .await;
    let id = group.data(201)["id"].as_str().unwrap().to_owned();
    for friend in [&bob, &carol] {
        friend.post(&format!("/api/groups/{id}/join"), json!({})).await.data(200);
    }
    let expenses = format!("/api/groups/{id}/expenses");
    alice.post(&expenses, json!({ "amount": 90, "description": "Hut" })).await.data(201);
    bob.post(&expenses, json!({ "amount": 3e-9, "currency": "TON", "description": "Gas" }))
        .await
        .data(201);

    let debts = alice.get(&format!("/api/groups/{id}/debts")).await;
    let suggested = debts.data(200)["suggestedSettlements"].as_array().unwrap().clone();
    assert_eq!(suggested.len(), 4, "two in each currency: {suggested:?}");
    assert!(debts.text.contains("0.000000001"), "{}", debts.text);
    for transfer in &suggested {
        let recipient =
            [&alice, &bob, &carol].into_iter().find(|it| transfer["toUserId"] == it.id).unwrap();
        let amount = if transfer["currency"] == "TON" {
            json!("0.000000001")
        } else {
            transfer["amount"].clone()
        };
        let body = json!({
            "fromId": transfer["fromUserId"], "toId": recipient.id,
            "amount": amount, "currency": transfer["currency"],
        });
        let paid = recipient.post(&format!("/api/groups/{id}/settlements"), body).await;
        assert_eq!(paid.data(201)["status"], "completed");
    }
    let debts = alice.get(&format!("/api/groups/{id}/debts")).await.data(200).clone();
    assert_eq!(debts["suggestedSettlements"], json!([]));
    for node in debts["balances"].as_array().unwrap() {
        assert_eq!(node["balances"], json!({ "EUR": 0, "TON": 0 }), "{node}");
    }
    assert_eq!(debts["summary"]["settlementCount"], 4);
    api.verify(&id).await;
}

#[tokio::test]
async fn created_group_reads_back_with_its_members() {
    let group = Group::new(3, "JPY").await;
    let read = group.members[2].get(&group.path("")).await.data(200).clone();
    assert_eq!(read["id"], group.id);
    assert_eq!(read["title"], "Alps");
    assert_eq!(read["chatId"], "-100");
    assert_eq!(read["currency"], "JPY");
    assert_eq!(read["createdAt"], "2026-01-15T12:00:00.000Z");
    assert_eq!(read["memberCount"], 3);
    let members = read["members"].as_array().unwrap();
    assert_eq!(
        members.iter().map(|it| it["id"].as_str().unwrap()).collect::<Vec<_>>(),
        ["1", "2", "3"]
    );
    let first = json!({
        "id": "1", "telegramId": 1, "name": "A", "username": "a", "joinedAt": "2026-01-15T12:00:00.000Z",
    });
    assert_eq!(members[0], first);
}

#[tokio::test]
async fn currency_of_a_group_defaults_to_ton() {
    let api = Api::new().await;
    let made = api.user(1, "A").post("/api/groups", json!({ "title": "🏔", "chatId": 5 })).await;
    assert_eq!(made.data(201)["currency"], "TON");
    assert_eq!(made.data(201)["chatId"], "5");
    assert_eq!(made.data(201)["memberCount"], 1);
    for (sent, kept) in [
        (json!(-1_001_234_567_890_i64), "-1001234567890"),
        (json!("-3788475317572404878"), "-3788475317572404878"),
        (json!("@alps2026"), "@alps2026"),
    ] {
        let made =
            api.user(1, "A").post("/api/groups", json!({ "title": "x", "chatId": sent })).await;
        assert_eq!(made.data(201)["chatId"], kept);
    }
}

#[tokio::test]
async fn joining_again_updates_the_name_of_the_one_membership() {
    let group = Group::new(2, "EUR").await;
    let join = group.path("/join");
    let again = group.api.user(2, "Robert").post(&join, json!({ "wallet": WALLET })).await;
    assert_eq!(again.data(200)["name"], "Robert");
    assert_eq!(again.data(200)["wallet"], json!(null), "a member's wallet is set elsewhere");
    let read = group.members[0].get(&group.path("")).await.data(200).clone();
    assert_eq!(read["memberCount"], 2);
    assert_eq!(read["members"][1]["name"], "Robert");
    assert_eq!(read["members"][1]["username"], "robert");

    let newcomer = group.api.user(3, "Carol").post(&join, json!({ "wallet": WALLET })).await;
    assert_eq!(newcomer.data(200)["wallet"], WALLET);
    let bodiless = group.api.user(4, "Dave").call(axum::http::Method::POST, &join, None).await;
    assert_eq!(bodiless.data(200)["id"], "4");
    let read = group.members[0].get(&group.path("")).await.data(200).clone();
    assert_eq!(read["memberCount"], 4);
}

#[tokio::test]
async fn debts_show_the_wallet_that_a_member_has_set() {
    let group = Group::new(2, "EUR").await;
    let set = group.members[1].put(&group.path("/wallet"), json!({ "wallet": WALLET })).await;
    assert_eq!(set.data(200), &json!({ "wallet": WALLET }));
    let debts = group.debts().await;
    assert_eq!(debts["balances"][0]["wallet"], json!(null));
    assert_eq!(debts["balances"][1]["wallet"], WALLET);
    let renamed = group.api.user(2, "Bob").post(&group.path("/join"), json!({})).await;
    assert_eq!(renamed.data(200)["wallet"], WALLET, "a new name does not lose it");
}

#[tokio::test]
async fn health_check_needs_no_authentication() {
    let api = Api::new().await;
    let health = api.user(1, "A").with(None).get("/api/health").await;
    assert_eq!(health.data(200)["status"], "ok");
    assert_eq!(health.data(200)["version"], "0.1.0");
}

#[tokio::test]
async fn group_accepts_at_most_500_members() {
    let group = Group::new(1, "EUR").await;
    let key = [("PK", format!("GROUP#{}", group.id)), ("SK", "METADATA".to_owned())];
    let key = key.map(|(name, key)| (name.to_owned(), AttributeValue::S(key)));
    let update = group.api.client.update_item().table_name("FractiTable").set_key(Some(key.into()));
    let update = update.update_expression("SET memberCount = :many");
    let many = AttributeValue::N("499".to_owned());
    update.expression_attribute_values(":many", many).send().await.unwrap();

    let join = |id: u64| {
        let (newcomer, path) = (group.api.user(id, "New"), group.path("/join"));
        async move { newcomer.post(&path, json!({})).await }
    };
    join(2).await.data(200);
    let before = group.api.rows().await;
    assert_eq!(join(3).await.code(), (422, "TOO_MANY_MEMBERS"));
    assert_eq!(group.api.rows().await, before);
    join(2).await.data(200);
}
