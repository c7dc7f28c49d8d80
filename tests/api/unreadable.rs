//! v0 rows that cannot be read: lists leave them out and say so, and an operator sets them aside.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue;
use fracti_admin::Outcome;
use fracti_core::storage::row::Item;
use fracti_runtime::with_causes;
use fracti_store::to_sdk;
use serde_json::{Value, json};

use crate::{
    admin::admin,
    harness::{Api, Caller},
    stored_rows::{GROUP, migrate, of_v0, seeded},
};

type Row = BTreeMap<String, AttributeValue>;

const EXPENSE: &str = "TX#2024-01-20T18:30:00.000Z";
const SETTLEMENT: &str = "SETTLE#2024-01-21T10:00:00.000Z";

/// A way to break a row.
type Break = fn(&mut Row);

/// The ways in which the rows of a TypeScript Fracti are broken, of a copy of a row with this key.
const BREAKS: [(&str, Break); 6] = [
    (EXPENSE, |row| drop(row.remove("payerId"))),
    (EXPENSE, |row| drop(row.remove("amount"))),
    (EXPENSE, |row| drop(row.remove("splits"))),
    (EXPENSE, |row| drop(row.insert("currency".to_owned(), text("XQX")))),
    (SETTLEMENT, |row| drop(row.insert("status".to_owned(), text("lost")))),
    (SETTLEMENT, |row| drop(row.insert("currency".to_owned(), text("XQX")))),
];

fn text(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

fn partition() -> String {
    format!("GROUP#{GROUP}")
}

/// Adds a copy of a row, which is later by a month, has another id, and is broken. Returns its key.
async fn add_broken(api: &Api, (key, change): (&str, Break), nth: usize) -> String {
    let mut row = api.rows().await.remove(&(partition(), key.to_owned())).unwrap();
    let later = key.replace("2024-01", "2024-02").replace(".000Z", &format!(".{nth:03}Z"));
    let id = format!("{nth:08}-e29b-41d4-a716-446655440000");
    for (name, value) in &mut row {
        if name == "SK" || name == "GSI3SK" {
            *value = text(&later);
        }
        if name == "GSI2PK" {
            *value =
                text(&format!("{}{id}", if key == EXPENSE { "EXPENSE#" } else { "SETTLEMENT#" }));
        }
    }
    row.insert("id".to_owned(), text(&id));
    row.insert("createdAt".to_owned(), text(later.split_once('#').unwrap().1));
    row.insert("GSI1PK".to_owned(), text("USER#123456789"));
    row.insert("GSI1SK".to_owned(), text(&later.replace("SETTLE#", "RECV#").replace("TX#", "X#")));
    row.retain(|name, _| name != "formatVersion" && name != "kind");
    change(&mut row);
    api.change_row(&partition(), &later, |stored| *stored = row).await;
    later
}

/// A table with the rows of the seed and a broken row of each kind, and the keys of the broken
/// ones.
async fn broken() -> (Api, Vec<String>) {
    let api = of_v0().await;
    let mut keys = Vec::new();
    for (nth, way) in BREAKS.into_iter().enumerate() {
        keys.push(add_broken(&api, way, nth).await);
    }
    migrate(&api).await;
    (api, keys)
}

async fn verify(api: &Api) -> (Outcome, String) {
    let mut out = Vec::new();
    let outcome = admin(api).verify(None, &mut out).await.unwrap();
    (outcome, String::from_utf8(out).unwrap())
}

async fn set_aside(api: &Api, only: &[&str], dry_run: bool) -> (Outcome, String) {
    let mut out = Vec::new();
    let only: Vec<String> = only.iter().map(|key| (*key).to_owned()).collect();
    let group = GROUP.parse().unwrap();
    let outcome = admin(api).set_aside(group, &only, dry_run, &mut out).await.unwrap();
    (outcome, String::from_utf8(out).unwrap())
}

/// The lists in which the rows were, with the numbers of rows that are shown and left out.
async fn lists(alice: &Caller, bob: &Caller) -> Vec<(String, usize, Value)> {
    let path = |rest: &str| format!("/api/groups/{GROUP}{rest}");
    let mut lists = Vec::new();
    for (user, path) in [
        (alice, path("/expenses")),
        (alice, path("/expenses?category=food")),
        (alice, path("/settlements")),
        (alice, "/api/users/me/expenses".to_owned()),
        (alice, "/api/users/me/activity".to_owned()),
        (bob, "/api/users/me/settlements".to_owned()),
        (bob, "/api/users/me/activity".to_owned()),
    ] {
        let reply = user.get(&path).await;
        let shown = reply.data(200).as_array().unwrap().len();
        lists.push((path, shown, reply.body["unreadable"].clone()));
    }
    lists
}

#[tokio::test]
async fn lists_show_the_other_rows_and_say_how_many_are_left_out() {
    let (api, keys) = broken().await;
    let [alice, bob] = [(123_456_789, "Alice Smith"), (987_654_321, "Bob Jones")]
        .map(|(id, name)| api.user(id, name));
    let numbers: Vec<_> = lists(&alice, &bob).await.into_iter().map(|it| (it.1, it.2)).collect();
    let expected = [(1, 4), (1, 4), (1, 2), (1, 4), (2, 6), (1, 2), (2, 2)];
    assert_eq!(numbers, expected.map(|(shown, left_out)| (shown, json!(left_out))));
    for rest in ["", "/debts?pending=subtract", "/stats", "/ledger/entries", "/export"] {
        alice.get(&format!("/api/groups/{GROUP}{rest}")).await.data(200);
    }
    // No balance has them, which a verification must not pass over.
    let verified = alice.get(&format!("/api/groups/{GROUP}/debts?verify=true")).await;
    assert_eq!(verified.code(), (500, "INTERNAL"));
    assert!(verified.log.contains("LEDGER_MISMATCH") && verified.log.contains(&keys[0]));
    alice.get("/api/users/me/summary").await.data(200);

    let log = alice.get(&format!("/api/groups/{GROUP}/expenses")).await.log;
    let warnings = log.lines().filter(|line| line.contains("UNREADABLE_ROW"));
    assert_eq!(warnings.count(), 4, "{log}");
    assert!(log.contains("WARN") && log.contains(&keys[0]) && log.contains("payerId"), "{log}");
    let group = alice.get(&format!("/api/groups/{GROUP}")).await;
    assert!(!group.log.contains("UNREADABLE_ROW"), "{}", group.log);
}

#[tokio::test]
async fn pages_of_a_list_with_unreadable_rows_are_complete() {
    let api = seeded().await;
    let alice = api.user(123_456_789, "Alice Smith");
    let path = format!("/api/groups/{GROUP}/expenses");
    for amount in 1..=3 {
        let tea = json!({ "amount": amount, "description": "Tea" });
        alice.post(&path, tea).await.data(201);
    }
    // They are between the first expense and the later ones.
    for nth in 0..7 {
        add_broken(&api, BREAKS[nth % 4], nth).await;
    }
    for (list, all) in
        [(path.as_str(), 4), ("/api/users/me/expenses", 4), ("/api/users/me/activity", 5)]
    {
        for limit in 1..=3 {
            let mut cursor = String::new();
            let mut seen = Vec::new();
            let mut left_out = 0;
            for _ in 0..10 {
                let page = alice.get(&format!("{list}?limit={limit}{cursor}")).await;
                let items = page.data(200).as_array().unwrap();
                seen.extend(items.iter().map(|it| it["id"].as_str().unwrap().to_owned()));
                left_out = left_out.max(page.body["unreadable"].as_u64().unwrap_or_default());
                let Some(next) = page.body["pagination"]["nextCursor"].as_str() else { break };
                cursor = format!("&cursor={next}");
                assert!(items.len() == limit || left_out > 0, "{}", page.text);
            }
            assert_eq!((seen.len(), left_out), (all, 7), "{list}, {limit}");
        }
    }
}

#[tokio::test]
async fn row_that_the_migration_repairs_is_not_left_out() {
    let api = of_v0().await;
    let alice = api.user(123_456_789, "Alice Smith");
    // The migration fills what these rows lack.
    api.change_row(&partition(), EXPENSE, |row| {
        row.insert("splitType".to_owned(), text("by feeling"));
        row.remove("payerName");
    })
    .await;
    api.change_row(&partition(), "USER#123456789", |row| drop(row.remove("name"))).await;
    migrate(&api).await;
    for rest in ["/expenses", "", "/expenses/660e8400-e29b-41d4-a716-446655440001"] {
        let reply = alice.get(&format!("/api/groups/{GROUP}{rest}")).await;
        assert!(!reply.data(200).to_string().is_empty());
        assert_eq!(reply.body["unreadable"], json!(null), "{}", reply.text);
    }
    let mallory = api.user(666, "Mallory");
    let refused = mallory.get(&format!("/api/groups/{GROUP}")).await;
    assert_eq!(refused.code(), (403, "NOT_A_MEMBER"));
}

#[tokio::test]
async fn operator_sets_broken_rows_aside_and_puts_one_back() {
    let (api, keys) = broken().await;
    let [alice, bob] = [(123_456_789, "Alice Smith"), (987_654_321, "Bob Jones")]
        .map(|(id, name)| api.user(id, name));
    let (outcome, _) = set_aside(&api, &["TX#none"], false).await;
    assert_eq!(outcome, Outcome::Good);
    let (outcome, output) = verify(&api).await;
    assert_eq!(outcome, Outcome::Bad);
    for (key, what) in keys.iter().zip(["payerId", "amount", "splits", "", "", ""]) {
        let lines = output.lines().filter(|line| line.contains(key) && line.contains(what));
        assert_eq!(lines.count(), 1, "{key}: {output}");
    }

    let before = api.rows().await;
    let (outcome, output) = set_aside(&api, &[], true).await;
    assert_eq!(outcome, Outcome::Bad);
    assert!(output.ends_with("6 rows would be set aside\n"), "{output}");
    assert_eq!(api.rows().await, before);

    let (_, output) = set_aside(&api, &[&keys[0]], false).await;
    assert!(output.starts_with(&format!("group {GROUP}: row {} set aside: ", keys[0])), "{output}");
    assert!(output.ends_with("1 row set aside\n"), "{output}");
    let (outcome, output) = set_aside(&api, &[], false).await;
    assert_eq!(outcome, Outcome::Good);
    assert!(output.ends_with("5 rows set aside\n"), "{output}");
    assert_eq!(verify(&api).await.0, Outcome::Good);
    for (path, _, left_out) in lists(&alice, &bob).await {
        assert_eq!(left_out, json!(null), "{path}");
    }

    // They are kept whole, and what is put back is as it was.
    let rows = api.rows().await;
    let aside: Vec<_> =
        rows.iter().filter(|((pk, _), _)| *pk == format!("ASIDE#{GROUP}")).collect();
    assert_eq!(aside.len(), 6);
    let (_, row) = aside.iter().find(|((_, sk), _)| sk.ends_with(&keys[0])).unwrap();
    assert!(row["reason"].as_s().unwrap().contains("payerId"));
    assert!(!row.keys().any(|name| name.starts_with("GSI")), "{row:?}");
    let stored: Item = serde_json::from_str(row["row"].as_s().unwrap()).unwrap();
    let stored = to_sdk(stored);
    let original = before[&(partition(), keys[0].clone())].clone();
    assert_eq!(stored, original.into_iter().collect());
    let mut mended = stored;
    mended.insert("payerId".to_owned(), text("123456789"));
    api.client.put_item().table_name("FractiTable").set_item(Some(mended)).send().await.unwrap();
    set_aside(&api, &[], false).await;
    let expenses = alice.get(&format!("/api/groups/{GROUP}/expenses")).await;
    assert_eq!(expenses.data(200).as_array().map(Vec::len), Some(2));
    let debts = alice.get(&format!("/api/groups/{GROUP}/debts?verify=true")).await;
    assert_eq!(debts.data(200)["summary"]["expenseCount"], 2);
    assert_eq!(verify(&api).await.0, Outcome::Good);
}

#[tokio::test]
async fn participants_of_an_expense_that_is_set_aside_go_with_it() {
    let api = of_v0().await;
    api.change_row(&partition(), EXPENSE, |row| drop(row.remove("payerId"))).await;
    migrate(&api).await;
    let bob = api.user(987_654_321, "Bob Jones");
    let debts = async || bob.get("/api/users/me/debts").await.data(200).as_array().unwrap().len();
    assert_eq!(debts().await, 1);
    let (_, output) = set_aside(&api, &[], false).await;
    assert!(output.ends_with("2 rows set aside\n"), "{output}");
    assert_eq!(debts().await, 0);
}

#[tokio::test]
async fn second_row_of_a_member_breaks_nothing_and_is_set_aside() {
    let api = of_v0().await;
    let other = "880e8400-e29b-41d4-a716-446655440003";
    let mut row = api.rows().await.remove(&(partition(), "USER#123456789".to_owned())).unwrap();
    row.insert("SK".to_owned(), text(&format!("USER#{other}")));
    row.insert("id".to_owned(), text(other));
    row.remove("name");
    let key = format!("USER#{other}");
    api.change_row(&partition(), &key, |stored| *stored = row).await;
    migrate(&api).await;
    let alice = api.user(123_456_789, "Alice Smith");
    let mallory = api.user(666, "Mallory");
    for round in 0..2 {
        for rest in ["", "/expenses", "/settlements", "/debts", "/ledger/entries", "/stats"] {
            let path = format!("/api/groups/{GROUP}{rest}");
            alice.get(&path).await.data(200);
            assert_eq!(mallory.get(&path).await.code(), (403, "NOT_A_MEMBER"), "{path}");
        }
        for path in ["/api/groups", "/api/users/me/groups"] {
            assert_eq!(alice.get(path).await.data(200).as_array().map(Vec::len), Some(1), "{path}");
        }
        for path in ["/api/users/me", "/api/users/me/activity", "/api/users/me/days/2024-01-20"] {
            alice.get(path).await.data(200);
        }
        let day = alice.get("/api/users/me/days/2024-01-20").await.data(200).clone();
        assert_eq!(day["groups"].as_array().map(Vec::len), Some(1), "{day}");
        let (outcome, output) = verify(&api).await;
        if round == 0 {
            assert_eq!(outcome, Outcome::Bad);
            assert!(output.contains(&format!("row {key} is left out: another row")), "{output}");
            let (_, output) = set_aside(&api, &[], false).await;
            assert!(output.ends_with("1 row set aside\n"), "{output}");
        } else {
            assert_eq!(outcome, Outcome::Good, "{output}");
        }
    }
}

#[tokio::test]
async fn group_whose_own_row_cannot_be_read_breaks_no_other() {
    let api = of_v0().await;
    let alice = api.user(123_456_789, "Alice Smith");
    api.change_row(&partition(), "METADATA", |row| {
        row.insert("currency".to_owned(), text("XQX"));
    })
    .await;
    migrate(&api).await;
    let new = json!({ "title": "Alps", "chatId": 1 });
    alice.post("/api/groups", new).await.data(201);
    for path in ["/api/groups", "/api/users/me/groups"] {
        assert_eq!(alice.get(path).await.data(200).as_array().map(Vec::len), Some(1), "{path}");
    }
    for path in ["/api/users/me", "/api/users/me/expenses", "/api/users/me/days?month=2024-01"] {
        let reply = alice.get(path).await;
        reply.data(200);
    }
    let (outcome, output) = verify(&api).await;
    assert_eq!(outcome, Outcome::Bad);
    assert!(output.contains("currency"), "{output}");
}

#[tokio::test]
async fn set_aside_in_a_group_that_does_not_exist_is_refused() {
    let api = Api::new().await;
    let group = GROUP.parse().unwrap();
    let refused = admin(&api).set_aside(group, &[], false, &mut Vec::new()).await;
    assert!(with_causes(&refused.unwrap_err()).contains("the group does not exist"));
}
