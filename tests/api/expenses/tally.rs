//! The tallies that expenses change: totals by day and category.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue;
use fracti_core::storage::keys;
use serde_json::{Value, json};

use super::path;
use crate::harness::Group;

/// The counters of a group's tallies that are not zero, by day and category.
async fn tallies(group: &Group) -> BTreeMap<String, BTreeMap<String, String>> {
    let rows = group.api.rows().await.into_iter();
    let tally = |((_, sk), row): ((String, String), BTreeMap<String, AttributeValue>)| {
        let of = sk.strip_prefix("SPENT#")?.to_owned();
        let counters = row.into_iter().filter(|(name, _)| name.contains('#'));
        let counters = counters.map(|(name, number)| (name, number.as_n().unwrap().clone()));
        let counters: BTreeMap<_, _> = counters.filter(|(_, number)| number != "0").collect();
        Some((of, counters)).filter(|(_, counters)| !counters.is_empty())
    };
    rows.filter_map(tally).collect()
}

/// Checks the tallies: for each, the day and category and the text of its counters.
async fn check(group: &Group, expected: &[(&str, &str)]) {
    let text = |counters: &BTreeMap<String, String>| {
        let counter = |(name, number): (&String, &String)| format!("{name} {number}");
        counters.iter().map(counter).collect::<Vec<_>>().join(", ")
    };
    let found = tallies(group).await;
    let found: Vec<_> = found.iter().map(|(of, counters)| (of.as_str(), text(counters))).collect();
    let found: Vec<_> = found.iter().map(|(of, text)| (*of, text.as_str())).collect();
    assert_eq!(found, expected);
    group.verify().await;
}

#[tokio::test]
async fn expense_is_in_the_tally_of_its_day_and_category() {
    let group = Group::new(4, "EUR").await;
    let alice = &group.members[0];
    let dinner = json!({ "amount": 100, "category": "food", "date": "2026-01-02" });
    let made = group.spend(0, dinner).await;
    let at = path(&group, &made);
    let four = "n#EUR 1, p#1#EUR 100, s#1#EUR 25, s#2#EUR 25, s#3#EUR 25, s#4#EUR 25";
    check(&group, &[("2026-01-02#food", four)]).await;
    alice.delete(&at).await.data(200);
    check(&group, &[]).await;
    alice.post(&format!("{at}/restore"), json!({})).await.data(200);
    check(&group, &[("2026-01-02#food", four)]).await;

    // Each edit moves only what it changes.
    let edit = async |body: Value, of: &str, counters: &str| {
        let edited = alice.put(&at, body).await;
        edited.data(200);
        check(&group, &[(of, counters)]).await;
        edited.actions
    };
    let same = edit(json!({ "description": "Lunch" }), "2026-01-02#food", four).await;
    let moved = edit(json!({ "date": "2026-01-03" }), "2026-01-03#food", four).await;
    assert_eq!(moved, same + 2, "an edit without effect on a tally writes none");
    edit(json!({ "category": null }), "2026-01-03#none", four).await;
    let eight = "n#EUR 1, p#1#EUR 8, s#1#EUR 2, s#2#EUR 2, s#3#EUR 2, s#4#EUR 2";
    let changed = edit(json!({ "amount": 8 }), "2026-01-03#none", eight).await;
    assert_eq!(changed, same + 1);
    let bob = "n#EUR 1, p#2#EUR 8, s#1#EUR 2, s#2#EUR 2, s#3#EUR 2, s#4#EUR 2";
    edit(json!({ "payerId": "2" }), "2026-01-03#none", bob).await;
    let usd = "n#USD 1, p#2#USD 8, s#1#USD 2, s#2#USD 2, s#3#USD 2, s#4#USD 2";
    edit(json!({ "currency": "USD" }), "2026-01-03#none", usd).await;
    let two = json!({ "splits": [{ "userId": "3" }, { "userId": "4" }] });
    edit(two, "2026-01-03#none", "n#USD 1, p#2#USD 8, s#3#USD 4, s#4#USD 4").await;
}

#[tokio::test]
async fn refunds_and_several_payers_are_in_the_tally() {
    let group = Group::new(4, "EUR").await;
    let date = "2026-01-02";
    group.spend(0, json!({ "amount": 100, "date": date })).await;
    let refund = group.spend(0, json!({ "amount": -100, "date": date })).await;
    check(&group, &[("2026-01-02#none", "n#EUR 2")]).await;
    group.members[0].delete(&path(&group, &refund)).await.data(200);

    let payers = json!([{ "userId": "1", "amount": "0.1" }, { "userId": "2", "amount": "0.2" }]);
    let shares = json!([{ "userId": "2" }, { "userId": "3", "weight": 0 }, { "userId": "4" }]);
    let mut shares = shares;
    for (index, weight) in [1, 0, 2].into_iter().enumerate() {
        shares[index]["weight"] = json!(weight);
    }
    let body = json!({ "amount": "0.3", "payers": payers, "splitType": "shares",
        "splits": shares, "date": date });
    group.spend(0, body).await;
    let counters = "n#EUR 2, p#1#EUR 100.1, p#2#EUR 0.2, s#1#EUR 25, s#2#EUR 25.1, s#3#EUR 25, \
                    s#4#EUR 25.2";
    check(&group, &[("2026-01-02#none", counters)]).await;
    let nano = json!({ "amount": "1e-9", "currency": "TON", "date": date,
        "splits": [{ "userId": "1" }] });
    group.spend(0, nano.clone()).await;
    group.spend(0, nano).await;
    let tally = &tallies(&group).await["2026-01-02#none"];
    assert_eq!((&*tally["s#1#TON"], &*tally["n#TON"]), ("0.000000002", "2"));
}

#[tokio::test]
async fn guest_is_counted_under_the_id_of_the_expense() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let guest = group.guest(0, "Grandma").await;
    let body = json!({ "amount": 4, "date": "2026-01-02",
        "splits": [{ "userId": guest }, { "userId": "1" }] });
    let made = group.spend(0, body.clone()).await;
    let before = format!("n#EUR 1, p#1#EUR 4, s#1#EUR 2, s#{guest}#EUR 2");
    check(&group, &[("2026-01-02#none", &before)]).await;
    group.link(&guest, "2").await.data(200);
    check(&group, &[("2026-01-02#none", &before)]).await;

    // A later expense of the guest is the user's, and the earlier one stays the guest's.
    group.spend(0, body).await;
    let both = format!("n#EUR 2, p#1#EUR 8, s#1#EUR 4, s#2#EUR 2, s#{guest}#EUR 2");
    check(&group, &[("2026-01-02#none", &both)]).await;
    alice.delete(&path(&group, &made)).await.data(200);
    let later = "n#EUR 1, p#1#EUR 4, s#1#EUR 2, s#2#EUR 2";
    check(&group, &[("2026-01-02#none", later)]).await;
}

#[tokio::test]
async fn settlements_adjustments_and_links_change_no_tally() {
    let group = Group::new(3, "EUR").await;
    let alice = &group.members[0];
    group.spend(0, json!({ "amount": 9 })).await;
    let before = tallies(&group).await;
    group.pay(1, 0, "3").await;
    let changes = json!([{ "userId": "1", "amount": 1 }, { "userId": "2", "amount": -1 }]);
    let entry = json!([{ "entryId": "a", "changes": changes }]);
    alice.post(&group.path("/ledger/entries"), entry).await.data(200);
    let revert = group.path("/ledger/entries/revert");
    alice.post(&revert, json!(["a"])).await.data(200);
    let guest = group.guest(0, "Grandma").await;
    group.link(&guest, "2").await.data(200);
    assert_eq!(tallies(&group).await, before);
    group.verify().await;
}

#[tokio::test]
async fn full_tally_is_a_mistake_of_the_date() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let made = group.spend(0, json!({ "amount": 1, "date": "2026-01-02" })).await;
    // Of the members and currencies of a long time.
    let key = keys::tally(group.id.parse().unwrap(), "2026-01-02#none".parse().unwrap());
    let filler = AttributeValue::S("x".repeat(400 * 1024 - 185));
    group.api.set_attribute(key, "filler", filler).await;
    let before = group.api.rows().await;
    let other = json!({ "amount": 1, "currency": "USD", "description": "x", "date": "2026-01-02" });
    for reply in [
        alice.post(&group.path("/expenses"), other).await,
        alice.put(&path(&group, &made), json!({ "currency": "USD" })).await,
    ] {
        assert_eq!(reply.code(), (400, "VALIDATION_ERROR"), "{}", reply.text);
        assert_eq!(reply.body["details"][0]["path"], "date", "{}", reply.text);
        let rule = "the group's totals for this day and category are full";
        assert!(reply.text.contains(rule), "{}", reply.text);
    }
    assert_eq!(group.api.rows().await, before);
    // Another category has room.
    let category =
        json!({ "amount": 1, "currency": "USD", "category": "food", "date": "2026-01-02" });
    group.spend(0, category).await;
    alice.delete(&path(&group, &made)).await.data(200);
    group.verify().await;
}
