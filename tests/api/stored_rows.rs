//! Rows in the table, of this version and of others.

use std::{collections::HashMap, num::NonZeroU16};

use aws_sdk_dynamodb::types::AttributeValue;
use fracti_admin::MigrateOptions;
use fracti_core::rows::{ROWS, RowKind};
use fracti_store::from_sdk;
use serde_json::{Value, json};

use crate::{
    admin::admin,
    alarms,
    harness::{Api, Group, number},
};

const SEED: &str = include_str!("../fixtures/seed.json");

pub(crate) const GROUP: &str = "550e8400-e29b-41d4-a716-446655440000";

fn attribute(value: &Value) -> AttributeValue {
    match value {
        Value::String(text) => AttributeValue::S(text.clone()),
        Value::Number(number) => AttributeValue::N(number.to_string()),
        Value::Array(list) => AttributeValue::L(list.iter().map(attribute).collect()),
        Value::Object(map) => AttributeValue::M(
            map.iter().map(|(name, value)| (name.clone(), attribute(value))).collect(),
        ),
        other => unreachable!("the examples have no {other}"),
    }
}

/// A table with the five examples of the data model as they stand.
pub(crate) async fn of_v0() -> Api {
    let api = Api::new().await;
    let rows: HashMap<String, Value> = serde_json::from_str(SEED).unwrap();
    for row in rows.values() {
        let AttributeValue::M(item) = attribute(row) else { unreachable!("a row is an object") };
        api.client.put_item().table_name("FractiTable").set_item(Some(item)).send().await.unwrap();
    }
    api
}

/// The same after the migration.
pub(crate) async fn seeded() -> Api {
    let api = of_v0().await;
    migrate(&api).await;
    api
}

/// Runs `fracti-admin migrate`.
pub(crate) async fn migrate(api: &Api) {
    let segments = NonZeroU16::MIN;
    let options = MigrateOptions { dry_run: false, segments, state: None, report: None };
    admin(api).migrate(&options, &mut Vec::new()).await.unwrap();
}

#[tokio::test]
async fn the_seeds_rows_are_served_as_they_stand() {
    let api = seeded().await;
    let alice = api.user(123_456_789, "Alice Smith");
    let path = |rest: &str| format!("/api/groups/{GROUP}{rest}");

    let group = alice.get(&path("")).await.data(200).clone();
    assert_eq!(group["title"], "Roommates");
    assert_eq!(group["members"][0]["wallet"], "EQBvI0aFLnw2XHNc7mpXc...");
    assert_eq!(group["members"][0]["avatarUrl"], "avatars/123456789.jpg");

    let expense =
        alice.get(&path("/expenses/660e8400-e29b-41d4-a716-446655440001")).await.data(200).clone();
    assert_eq!(expense["description"], "Dinner at restaurant");
    assert_eq!(
        expense["splits"][3],
        json!({ "userId": "789123456", "userName": "Dave Brown", "amount": 25 })
    );
    assert_eq!(alice.get(&path("/expenses")).await.data(200), &json!([expense]));

    let settlement = alice
        .get(&path("/settlements/770e8400-e29b-41d4-a716-446655440002"))
        .await
        .data(200)
        .clone();
    assert_eq!(settlement["txHash"], "a1b2c3d4e5f6...");
    assert_eq!(settlement["completedAt"], "2024-01-21T10:00:05.000Z");
    assert_eq!(alice.get(&path("/settlements")).await.data(200), &json!([settlement]));

    let mine = alice.get("/api/users/me/expenses").await.data(200).clone();
    assert_eq!((&mine[0]["groupTitle"], &mine[0]["yourShare"]), (&json!("Roommates"), &json!(25)));
    let bob = api.user(987_654_321, "Bob Jones");
    let debts = bob.get("/api/users/me/debts").await.data(200).clone();
    assert_eq!(
        (&debts[0]["currency"], &debts[0]["amount"]),
        (&json!("TON"), &json!(25)),
        "the group's currency"
    );
    let sent = bob.get("/api/users/me/settlements").await.data(200).clone();
    // Bob has no row of a member, so he is a past one, who sees no texts.
    assert_eq!((&sent[0]["groupTitle"], &sent[0]["amount"]), (&json!(""), &settlement["amount"]));
    assert_eq!(bob.get("/api/users/me/activity").await.data(200).as_array().unwrap().len(), 2);

    let unknown = path("/expenses/660e8400-e29b-41d4-a716-446655440009");
    assert_eq!(alice.get(&unknown).await.code(), (404, "EXPENSE_NOT_FOUND"));
}

#[tokio::test]
async fn migrated_rows_are_edited_and_deleted() {
    let api = seeded().await;
    let alice = api.user(123_456_789, "Alice Smith");
    let path = format!("/api/groups/{GROUP}/expenses/660e8400-e29b-41d4-a716-446655440001");
    let balance = async || {
        let debts = alice.get(&format!("/api/groups/{GROUP}/debts")).await.data(200).clone();
        let balances = debts["balances"].as_array().unwrap().iter();
        balances.map(|node| node["balance"].to_string()).collect::<Vec<_>>().join(" ")
    };
    let edited = alice.put(&path, json!({ "description": "Lunch" })).await;
    assert_eq!(edited.data(200)["splits"][3]["amount"], 25);
    assert_eq!(alice.get(&path).await.data(200), edited.data(200));
    let history = alice.get(&format!("{path}/history")).await.data(200).clone();
    assert_eq!(history[2]["createdAt"], "2024-01-20T18:30:00.000Z", "{history}");
    // The others have no rows of members: they are past, and keep their Telegram ids.
    assert_eq!(balance().await, "50 -25 -25");
    api.verify(GROUP).await;
    alice.delete(&path).await.data(200);
    let rows = api.rows().await;
    assert!(!rows.keys().any(|(_, sk)| sk.starts_with("TX#") || sk.starts_with("PART#")));
    assert_eq!(balance().await, "-25 25");
    api.verify(GROUP).await;
}

/// An early version of the TypeScript Fracti gave members other ids than those of Telegram.
#[tokio::test]
async fn members_with_other_ids_are_found_after_the_migration() {
    let changes = json!([
        { "userId": "123456789", "amount": 1 },
        { "userId": "987654321", "amount": -1 },
    ]);
    let entries = json!([{ "entryId": "opening", "changes": changes }]);
    let splits = json!([{ "userId": "123456789" }, { "userId": "987654321" }]);
    let expense = json!({ "amount": 8, "description": "Tea", "splits": splits });
    let api = of_v0().await;
    set(&api, "USER#123456789", "id", json!("880e8400-e29b-41d4-a716-446655440003")).await;
    migrate(&api).await;
    let bob = api.user(987_654_321, "Bob Jones");
    bob.post(&format!("/api/groups/{GROUP}/join"), json!({})).await.data(200);
    let alice = api.user(123_456_789, "Alice Smith");
    for (path, body, status) in [("/ledger/entries", entries, 200), ("/expenses", expense, 201)] {
        alice.post(&format!("/api/groups/{GROUP}{path}"), body).await.data(status);
        api.verify(GROUP).await;
    }
}

/// Adds a v0 row of a member whose key is a UUID.
async fn put_other(api: &Api, digit: char, name: &str, telegram_id: Option<u64>) {
    let other = format!("{digit}{}", "80e8400-e29b-41d4-a716-446655440003");
    let mut row = json!({
        "PK": format!("GROUP#{GROUP}"), "SK": format!("USER#{other}"), "id": other, "name": name,
        "GSI1PK": format!("USER#{other}"), "GSI1SK": format!("GROUP#{GROUP}"),
        "joinedAt": "2024-01-16T10:35:00.000Z",
    });
    if let Some(id) = telegram_id {
        row["telegramId"] = json!(id);
    }
    let AttributeValue::M(item) = attribute(&row) else { unreachable!("a row is an object") };
    api.client.put_item().table_name("FractiTable").set_item(Some(item)).send().await.unwrap();
}

#[tokio::test]
async fn members_under_other_keys_get_their_own() {
    let api = of_v0().await;
    let [alice, carol, mallory] =
        [(123_456_789, "Alice Smith"), (456_789_123, "Carol White"), (666, "Mallory")]
            .map(|(id, name)| api.user(id, name));
    put_other(&api, '0', "Alice of the second row", Some(123_456_789)).await;
    put_other(&api, '8', "Alice of the third row", Some(123_456_789)).await;
    put_other(&api, '9', "Carol White", Some(456_789_123)).await;
    put_other(&api, 'a', "Dora", None).await;
    migrate(&api).await;
    let path = |rest: &str| format!("/api/groups/{GROUP}{rest}");
    let guest = "guest-a80e8400-e29b-41d4-a716-446655440003";
    let members = async || {
        let group = alice.get(&path("")).await.data(200).clone();
        let members = group["members"].as_array().unwrap().iter();
        let shown = members.map(|it| json!([it["id"], it["name"], it["guest"]]));
        shown.collect::<Vec<_>>()
    };
    let expected = |dora: &str| {
        json!([
            ["123456789", "Alice Smith", null],
            ["456789123", "Carol White", null],
            [guest, dora, true]
        ])
    };
    assert_eq!(json!(members().await), expected("Dora"));
    for list in ["", "/expenses", "/settlements", "/debts", "/ledger/entries"] {
        assert_eq!(mallory.get(&path(list)).await.code(), (403, "NOT_A_MEMBER"), "{list}");
        carol.get(&path(list)).await.data(200);
    }

    let renamed = json!({ "name": "Dora W." });
    carol.patch(&path(&format!("/members/{guest}")), renamed).await.data(200);
    assert_eq!(json!(members().await), expected("Dora W."));
    let exported = alice.get(&path("/export")).await.data(200).clone();
    assert_eq!(exported["members"].as_array().map(Vec::len), Some(5), "{exported}");
    carol.get(&path("/expenses")).await.data(200);
    assert_eq!(mallory.get(&path("")).await.code(), (403, "NOT_A_MEMBER"));
    api.verify(GROUP).await;
}

#[tokio::test]
async fn rows_without_entries_do_not_count_in_the_verification() {
    let api = seeded().await;
    let [alice, bob] = [(123_456_789, "Alice Smith"), (987_654_321, "Bob Jones")]
        .map(|(id, name)| api.user(id, name));
    let join = bob.post(&format!("/api/groups/{GROUP}/join"), json!({})).await;
    join.data(200);
    let debts = format!("/api/groups/{GROUP}/debts?verify=true");
    alice.get(&debts).await.data(200);
    let expense = json!({ "amount": 8, "description": "Tea" });
    alice.post(&format!("/api/groups/{GROUP}/expenses"), expense).await.data(201);
    alice.get(&debts).await.data(200);

    // Nor can an adjustment take the name of such an expense, and be reverted with it.
    let changes = json!([{ "userId": alice.id, "amount": 1 }, { "userId": bob.id, "amount": -1 }]);
    let id = "660e8400-e29b-41d4-a716-446655440001";
    let named = json!([{ "entryId": id, "changes": changes }]);
    let refused = bob.post(&format!("/api/groups/{GROUP}/ledger/entries"), named).await;
    assert_eq!(refused.code(), (400, "VALIDATION_ERROR"));
    let path = format!("/api/groups/{GROUP}/expenses/{id}");
    alice.put(&path, json!({ "description": "Lunch" })).await.data(200);
    alice.get(&debts).await.data(200);
}

#[tokio::test]
async fn a_settlement_without_a_row_for_its_transaction_frees_no_other_ones() {
    let group = Group::new(2, "EUR").await;
    let bob = &group.members[1];
    let [a, b] = ["a", "b"].map(|digit| digit.repeat(64));
    let settle = |body: Value| async {
        let made = bob.post(&group.path("/settlements"), body).await.data(201).clone();
        group.path(&format!("/settlements/{}", made["id"].as_str().unwrap()))
    };
    // As the TypeScript Fracti wrote it: the transaction stands in the settlement alone.
    let old = settle(json!({ "toId": "1", "amount": 1, "txHash": a })).await;
    let key = |pk: String, sk: &str| {
        [("PK", pk), ("SK", sk.to_owned())]
            .map(|(name, key)| (name.to_owned(), AttributeValue::S(key)))
            .into()
    };
    let delete = group.api.client.delete_item().table_name("FractiTable");
    let key: HashMap<_, _> = key(format!("TXHASH#{a}"), "SETTLEMENT");
    delete.set_key(Some(key)).send().await.unwrap();

    settle(json!({ "toId": "1", "amount": 2, "txHash": a })).await;
    bob.put(&old, json!({ "txHash": b })).await.data(200);
    let third = json!({ "toId": "1", "amount": 3, "txHash": a });
    let third = bob.post(&group.path("/settlements"), third).await;
    assert_eq!(third.code(), (409, "TX_HASH_USED"));
}

#[tokio::test]
async fn an_expense_of_more_shares_than_a_transaction_writes_stays_as_it_is() {
    let api = of_v0().await;
    let alice = api.user(123_456_789, "Alice Smith");
    let path = format!("/api/groups/{GROUP}/expenses/660e8400-e29b-41d4-a716-446655440001");
    let ((_, sk), row) =
        api.rows().await.into_iter().find(|((_, sk), _)| sk.starts_with("TX#")).unwrap();
    let share = |user: u64| {
        let text = |text: String| AttributeValue::S(text);
        let number = AttributeValue::N("1".to_owned());
        let share = [
            ("userId", text(user.to_string())),
            ("userName", text("X".to_owned())),
            ("amount", number),
        ];
        AttributeValue::M(share.map(|(name, value)| (name.to_owned(), value)).into())
    };
    let mut row: HashMap<_, _> = row.into_iter().collect();
    row.insert("splits".to_owned(), AttributeValue::L((1..=100).map(share).collect()));
    let put = api.client.put_item().table_name("FractiTable").set_item(Some(row));
    put.send().await.unwrap();
    migrate(&api).await;
    let expense = async || api.rows().await.into_iter().find(|(key, _)| key.1 == sk).unwrap();
    let before = expense().await;
    for reply in
        [alice.put(&path, json!({ "description": "Lunch" })).await, alice.delete(&path).await]
    {
        assert_eq!(reply.code(), (422, "TOO_MANY_SPLITS"), "{sk}");
    }
    assert_eq!(expense().await, before);
}

/// Changes an attribute of the first stored row whose sort key has a prefix.
async fn set(api: &Api, sort_key: &str, name: &str, value: Value) {
    let rows = api.rows().await.into_iter();
    let (_, row) = rows.into_iter().find(|((_, sk), _)| sk.starts_with(sort_key)).unwrap();
    let mut row: HashMap<_, _> = row.into_iter().collect();
    row.insert(name.to_owned(), attribute(&value));
    let put = api.client.put_item().table_name("FractiTable").set_item(Some(row));
    put.send().await.unwrap();
}

/// The TypeScript Fracti divided with floats: its amounts may be finer than a minor unit.
#[tokio::test]
async fn amounts_finer_than_a_minor_unit_are_rounded_by_the_migration() {
    const THIRD: f64 = 33.333_333_333_333_336;
    let api = of_v0().await;
    let alice = api.user(123_456_789, "Alice Smith");
    let share = |user: &str| json!({ "userId": user, "userName": "X", "amount": THIRD });
    let shares = json!([share("123456789"), share("987654321"), share("456789123")]);
    set(&api, "TX#", "splits", shares).await;
    set(&api, "PART#", "amount", json!(THIRD)).await;
    set(&api, "SETTLE#", "amount", json!(THIRD)).await;
    migrate(&api).await;
    let expense = format!("/api/groups/{GROUP}/expenses/660e8400-e29b-41d4-a716-446655440001");
    let settlement =
        format!("/api/groups/{GROUP}/settlements/770e8400-e29b-41d4-a716-446655440002");
    let text = |amount: &Value| number(amount).to_string();
    assert_eq!(text(&alice.get(&settlement).await.data(200)["amount"]), "33.333333333");
    let shares = alice.get(&expense).await.data(200)["splits"].clone();
    let shares = shares.as_array().unwrap().iter();
    let mut shares: Vec<String> = shares.map(|share| text(&share["amount"])).collect();
    shares.sort_unstable();
    assert_eq!(shares, ["33.333333333", "33.333333333", "33.333333334"]);
    let owed = alice.get("/api/users/me/expenses").await.data(200)[0]["yourShare"].clone();
    assert!(text(&owed).starts_with("33.33333333"), "{owed}");
    api.verify(GROUP).await;
    for member in [(987_654_321, "Bob Jones"), (456_789_123, "Carol White")] {
        let member = api.user(member.0, member.1);
        member.post(&format!("/api/groups/{GROUP}/join"), json!({})).await.data(200);
    }
    let divided = alice.put(&expense, json!({ "amount": 90 })).await.data(200)["splits"].clone();
    let amounts = divided.as_array().unwrap().iter().map(|share| share["amount"].clone());
    assert_eq!(amounts.collect::<Value>(), json!([30, 30, 30]));
    api.verify(GROUP).await;
}

#[tokio::test]
async fn written_rows_extend_v0_rows() {
    let group = Group::new(4, "TON").await;
    let made = group.spend(0, json!({ "amount": 100, "category": "food" })).await;
    let hash = "f".repeat(64);
    let body = json!({ "toId": "1", "amount": 25, "txHash": hash });
    let paid = group.members[1]
        .post_once("key", &group.path("/settlements"), body)
        .await
        .data(201)
        .clone();
    let (id, expense, settlement) =
        (&group.id, made["id"].as_str().unwrap(), paid["id"].as_str().unwrap());
    let at = made["createdAt"].as_str().unwrap();
    let later = paid["createdAt"].as_str().unwrap();
    group.members[0]
        .put(&group.path(&format!("/settlements/{settlement}")), json!({ "status": "completed" }))
        .await
        .data(200);

    let rows = group.api.rows().await;
    let key = |pk: String, sk: String| (pk, sk);
    let partition = || format!("GROUP#{id}");
    let mut keys = vec![
        key(partition(), "METADATA".to_owned()),
        key(partition(), format!("TX#{at}")),
        key(partition(), format!("SETTLE#{later}")),
        key(format!("LEDGER#{id}"), "BALANCE".to_owned()),
        key(format!("LEDGER#{id}"), "SPENT#2026-01-15#food".to_owned()),
        key(format!("LEDGER#{id}#ENTRY#{expense}"), "~".to_owned()),
        key(format!("LEDGER#{id}#ENTRY#{settlement}"), "~".to_owned()),
        key(format!("TXHASH#{hash}"), "SETTLEMENT".to_owned()),
    ];
    keys.extend((1..=4).map(|user| key(partition(), format!("USER#{user}"))));
    keys.extend((2..=4).map(|user| key(partition(), format!("PART#{expense}#{user}"))));
    // Three members have joined; then an expense, and a settlement that is completed later.
    keys.extend((1..=6).map(|number| key(format!("LEDGER#{id}"), format!("CHANGE#{number:020}"))));
    let idempotency = rows.keys().find(|(pk, _)| pk == "IDEM#2").unwrap();
    assert!(idempotency.1.starts_with("create-settlement#") && !idempotency.1.contains("key"));
    keys.push(idempotency.clone());
    keys.sort();
    assert_eq!(rows.keys().cloned().collect::<Vec<_>>(), keys);

    let seed: Value = serde_json::from_str(SEED).unwrap();
    for (example, key) in [
        ("group", key(partition(), "METADATA".to_owned())),
        ("expense", key(partition(), format!("TX#{at}"))),
        ("participant", key(partition(), format!("PART#{expense}#2"))),
        ("settlement", key(partition(), format!("SETTLE#{later}"))),
    ] {
        for (name, value) in seed[example].as_object().unwrap() {
            let ours = rows[&key].get(name).unwrap_or_else(|| panic!("{example} has no {name}"));
            let same_type =
                std::mem::discriminant(ours) == std::mem::discriminant(&attribute(value));
            assert!(same_type, "{example}: {name}: {ours:?}");
        }
    }
    for (key, row) in &rows {
        let item: HashMap<_, _> = row.clone().into_iter().collect();
        let kind = RowKind::find(&from_sdk(item)).unwrap_or_else(|| panic!("{key:?} has no kind"));
        assert_eq!(row["formatVersion"], AttributeValue::N(kind.version.to_string()), "{key:?}");
    }
    let ledger = &rows[&(format!("LEDGER#{id}"), "BALANCE".to_owned())];
    assert_eq!(ledger["sequence"].as_n().unwrap(), "2");
    assert_eq!(ledger["version"].as_n().unwrap(), "6");
    let first = ledger["balances"].as_m().unwrap()["TON"].as_m().unwrap()["1"].as_m().unwrap();
    assert_eq!(first["paid"].as_n().unwrap(), "100");
    assert_eq!(first["owed"].as_n().unwrap(), "25");
    assert_eq!(first["sent"].as_n().unwrap(), "0");
    assert_eq!(first["received"].as_n().unwrap(), "25");
    let tally = &rows[&(format!("LEDGER#{id}"), "SPENT#2026-01-15#food".to_owned())];
    for (counter, number) in
        [("s#1#TON", "25"), ("s#4#TON", "25"), ("p#1#TON", "100"), ("n#TON", "1")]
    {
        assert_eq!(tally[counter].as_n().unwrap(), number, "{counter}");
    }
    assert_eq!(tally["updatedAt"].as_s().unwrap(), at);
    assert_eq!(tally.len(), 5 + 6, "the keys, three more attributes and six counters");
}

#[tokio::test]
async fn expense_without_a_date_is_in_no_tally_until_it_is_edited() {
    let tallies = async |api: &Api| -> Vec<String> {
        let rows = api.rows().await.into_keys().map(|(_, sk)| sk);
        rows.filter(|sk| sk.starts_with("SPENT#")).collect()
    };
    let group = Group::new(2, "EUR").await;
    let api = &group.api;
    let alice = &group.members[0];
    let recorded = async || {
        let made = group.spend(0, json!({ "amount": 10, "category": "food" })).await;
        for ((pk, sk), mut row) in api.rows().await {
            if sk.starts_with("SPENT#") {
                api.delete_row(&pk, &sk).await;
            } else if sk.starts_with("TX#") {
                row.remove("date");
                let put = api.client.put_item().table_name("FractiTable");
                put.set_item(Some(row.into_iter().collect())).send().await.unwrap();
            }
        }
        group.path(&format!("/expenses/{}", made["id"].as_str().unwrap()))
    };
    alice.delete(&recorded().await).await.data(200);
    assert_eq!(tallies(api).await, [""; 0]);

    let path = recorded().await;
    // Served with the day of its creation, which is not stored.
    assert_eq!(alice.get(&path).await.data(200)["date"], "2026-01-15");
    alice.put(&path, json!({ "description": "Lunch" })).await.data(200);
    assert_eq!(tallies(api).await, ["SPENT#2026-01-15#food"]);
    group.verify().await;
    alice.put(&path, json!({ "date": "2026-01-14", "category": null })).await.data(200);
    assert_eq!(tallies(api).await, ["SPENT#2026-01-14#none", "SPENT#2026-01-15#food"]);
    group.verify().await;
    alice.delete(&path).await.data(200);
    group.verify().await;
}

#[tokio::test]
async fn each_of_the_thirteen_access_patterns_finds_its_rows() {
    let group = Group::new(3, "EUR").await;
    let made = group.spend(0, json!({ "amount": 9 })).await;
    group.spend(1, json!({ "amount": 6 })).await;
    let paid = group.pay(1, 0, "3").await;
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let expense = text(&made["id"]);
    let settlement = text(&paid["id"]);
    let of_group = format!("GROUP#{}", group.id);
    for (pattern, index, pk, sk, rows) in [
        (1, "", of_group.clone(), "METADATA".to_owned(), 1),
        (2, "", of_group.clone(), "USER#".to_owned(), 3),
        (3, "", of_group.clone(), "USER#2".to_owned(), 1),
        (4, "", of_group.clone(), "TX#".to_owned(), 2),
        (5, "", of_group.clone(), "SETTLE#".to_owned(), 1),
        (6, "", of_group, format!("PART#{expense}"), 2),
        (7, "GSI2", format!("EXPENSE#{expense}"), group.id.clone(), 1),
        (8, "GSI2", format!("SETTLEMENT#{settlement}"), group.id.clone(), 1),
        (9, "GSI1", "USER#2".to_owned(), "GROUP#".to_owned(), 1),
        (10, "GSI1", "USER#2".to_owned(), "OWES#".to_owned(), 1),
        (11, "GSI3", "USER#2".to_owned(), "TX#".to_owned(), 1),
        (12, "GSI3", "USER#2".to_owned(), "SETTLE#".to_owned(), 1),
        (13, "GSI3", "USER#2".to_owned(), String::new(), 2),
    ] {
        let query = group.api.client.query().table_name("FractiTable");
        let query = if index.is_empty() { query } else { query.index_name(index) };
        let condition =
            if sk.is_empty() { "#pk = :pk" } else { "#pk = :pk AND begins_with(#sk, :sk)" };
        let query = query.key_condition_expression(condition);
        let query = query.expression_attribute_names("#pk", format!("{index}PK"));
        let mut query = query.expression_attribute_values(":pk", AttributeValue::S(pk));
        if !sk.is_empty() {
            query = query.expression_attribute_names("#sk", format!("{index}SK"));
            query = query.expression_attribute_values(":sk", AttributeValue::S(sk));
        }
        let found = query.send().await.unwrap();
        assert_eq!(found.count, rows, "pattern {pattern}");
    }
}

/// Changes each row of the table.
async fn rewrite(api: &Api, change: impl Fn(&mut HashMap<String, AttributeValue>)) {
    for row in api.rows().await.into_values() {
        let mut row = row.into_iter().collect();
        change(&mut row);
        let put = api.client.put_item().table_name("FractiTable").set_item(Some(row));
        put.send().await.unwrap();
    }
}

fn is_of_kind(row: &HashMap<String, AttributeValue>, kind: &str) -> bool {
    row["kind"].as_s().unwrap() == kind
}

#[tokio::test]
async fn row_of_a_later_version_is_refused_and_stays_as_it_is() {
    let group = Group::new(2, "EUR").await;
    let spent = group.spend(0, json!({ "amount": 10 })).await;
    let pending = json!({ "toId": "1", "amount": 1, "txHash": "a".repeat(64) });
    let pending = group.members[1].post_once("key", &group.path("/settlements"), pending).await;
    let id = |data: &Value| data["id"].as_str().unwrap().to_owned();
    let expense = group.path(&format!("/expenses/{}", id(&spent)));
    let settlement = group.path(&format!("/settlements/{}", id(pending.data(201))));
    let [alice, bob] = [&group.members[0], &group.members[1]];
    let set_version = async |kind: &str, version: &str| {
        rewrite(&group.api, |row| {
            if is_of_kind(row, kind) {
                let version = AttributeValue::N(version.to_owned());
                row.insert("formatVersion".to_owned(), version);
            }
        })
        .await;
    };
    for kind in
        ["group", "member", "expense", "settlement", "balance", "entry", "usedHash", "idempotency"]
    {
        let written = ROWS.iter().find(|row| row.name == kind).unwrap().version;
        set_version(kind, &(written + 1).to_string()).await;
        let before = group.api.rows().await;
        let wallet = json!({ "wallet": "EQCD39VS5jcptHL8vMjEXrzGaRcCVYto7HUn4bpAOg8xqB2N" });
        let again = json!({ "toId": "1", "amount": 1, "txHash": "a".repeat(64) });
        let edit = json!({ "description": "Lunch" });
        let other_hash = json!({ "txHash": "b".repeat(64) });
        let replies = match kind {
            "group" => vec![
                alice.get(&group.path("")).await,
                bob.post(&group.path("/join"), json!({})).await,
            ],
            "member" => {
                vec![alice.get(&expense).await, alice.put(&group.path("/wallet"), wallet).await]
            }
            "expense" => vec![
                alice.get(&expense).await,
                alice.put(&expense, edit).await,
                alice.delete(&expense).await,
            ],
            "settlement" => vec![alice.put(&settlement, json!({ "status": "completed" })).await],
            "balance" => {
                vec![alice.get(&group.path("/debts")).await, alice.put(&expense, edit).await]
            }
            "entry" => vec![alice.put(&expense, edit).await, alice.delete(&expense).await],
            "usedHash" => vec![bob.put(&settlement, other_hash).await],
            _ => vec![bob.post_once("key", &group.path("/settlements"), again).await],
        };
        for reply in replies {
            assert_eq!(reply.code(), (500, "INTERNAL"), "{kind}: {}", reply.text);
            assert!(!reply.text.contains("version"), "{kind}: {}", reply.text);
        }
        assert_eq!(group.api.rows().await, before, "{kind}");
        set_version(kind, &written.to_string()).await;
    }

    set_version("balance", "4").await;
    let (status, log) = alarms::log(&group, &group.api, "/debts").await;
    assert_eq!(status, 500);
    assert!(log.contains("a row of kind balance has version 4 of its format"), "{log}");
    set_version("balance", "3").await;
    group.verify().await;
}

#[tokio::test]
async fn rows_without_a_kind_are_read_and_written_as_before() {
    let group = Group::new(2, "EUR").await;
    let spent = group.spend(0, json!({ "amount": 10 })).await;
    let [alice, bob] = [&group.members[0], &group.members[1]];
    let body = json!({ "toId": "1", "amount": 1, "txHash": "a".repeat(64) });
    let settlements = group.path("/settlements");
    let pay = || bob.post_once("key", &settlements, body.clone());
    let first = pay().await.data(201).clone();
    rewrite(&group.api, |row| {
        row.remove("kind");
        if row["PK"].as_s().unwrap().starts_with("IDEM#") {
            row.insert("status".to_owned(), AttributeValue::N("201".to_owned()));
        }
    })
    .await;
    assert_eq!(pay().await.data(201), &first);
    let settlement = group.path(&format!("/settlements/{}", first["id"].as_str().unwrap()));
    alice.put(&settlement, json!({ "status": "completed" })).await.data(200);
    let expense = group.path(&format!("/expenses/{}", spent["id"].as_str().unwrap()));
    alice.put(&expense, json!({ "amount": 12 })).await.data(200);
    assert_eq!(alice.get("/api/groups").await.data(200).as_array().unwrap().len(), 1);
    group.verify().await;
    let rows = group.api.rows().await;
    let written = rows.values().filter(|row| row.contains_key("kind")).count();
    assert!(written >= 5, "the rows of the edit have a kind, and {written} rows have one");
}
