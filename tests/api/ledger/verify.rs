//! Verification of the ledger against the rows.

use aws_sdk_dynamodb::types::AttributeValue;
use fracti_core::storage::keys;
use serde_json::json;

use crate::harness::Group;

#[tokio::test]
async fn verified_debts_report_a_ledger_mismatch() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    group.spend(0, json!({ "amount": 20 })).await;
    let debts = alice.get(&group.path("/debts")).await.data(200).clone();
    let verified = alice.get(&group.path("/debts?verify=true")).await;
    assert_eq!(verified.data(200), &debts);
    assert_eq!(alice.get(&group.path("/debts?verify=false")).await.cost.round_trips, 1);

    // An expense row is deleted outside of the API.
    let rows = group.api.rows().await;
    let ((pk, sk), _) = rows.iter().find(|((_, sk), _)| sk.starts_with("TX#")).unwrap();
    group.api.delete_row(pk, sk).await;
    alice.get(&group.path("/debts")).await.data(200);
    let wrong = alice.get(&group.path("/debts?verify=true")).await;
    assert_eq!(wrong.code(), (500, "INTERNAL"));
    assert!(
        !wrong.text.contains("balances"),
        "the response has no details of the mismatch: {}",
        wrong.text
    );
}

#[tokio::test]
async fn verified_debts_report_a_corrupted_tally() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    group.spend(0, json!({ "amount": 20, "category": "food", "date": "2026-01-02" })).await;
    let verified = group.path("/debts?verify=true");
    alice.get(&verified).await.data(200);
    let set = async |name: &str, number: &str| {
        let key = keys::tally(group.id.parse().unwrap(), "2026-01-02#food".parse().unwrap());
        group.api.set_attribute(key, name, AttributeValue::N(number.to_owned())).await;
    };
    for (counter, right, wrong) in
        [("s#1#EUR", "10", "10.01"), ("p#2#EUR", "0", "-1"), ("n#EUR", "1", "0")]
    {
        set(counter, wrong).await;
        alice.get(&group.path("/debts")).await.data(200);
        let reply = alice.get(&verified).await;
        assert_eq!(reply.code(), (500, "INTERNAL"), "{counter}");
        assert!(reply.log.contains("SPENT#2026-01-02#food"), "{}", reply.log);
        set(counter, right).await;
        alice.get(&verified).await.data(200);
    }
}
