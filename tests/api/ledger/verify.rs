//! Verification of the ledger against the rows.

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
