//! Revert adjustments.

use serde_json::json;

use super::{ENTRIES, adjustment, applied_and_rejected, revert};
use crate::harness::Group;

#[tokio::test]
async fn reverted_name_can_be_pushed_again_with_other_changes() {
    let group = Group::new(3, "EUR").await;
    let [alice, bob, carol] = [0, 1, 2].map(|index| &group.members[index]);
    let names = json!({ "entryIds": ["a", "never", "a"] });
    for (amount, balances) in
        [("5", ["5", "-5", "0"]), ("-7", ["-7", "7", "0"]), ("5", ["5", "-5", "0"])]
    {
        let pushed = alice.post(&group.path(ENTRIES), json!([adjustment("a", amount)])).await;
        assert_eq!(applied_and_rejected(&pushed).0, ["a"]);
        assert_eq!(group.balances().await, balances);
        // A member whose balance it moved may revert it too; another one may not.
        let refused = revert(carol, &group, names.clone()).await;
        assert_eq!(refused.code(), (403, "NOT_ALLOWED"));
        let reverted = revert(bob, &group, names.clone()).await;
        let (applied, not) = applied_and_rejected(&reverted);
        assert_eq!(
            (applied, not),
            (
                vec!["a".to_owned()],
                ["never ENTRY_MISSING", "a ENTRY_MISSING"].map(str::to_owned).to_vec()
            )
        );
        assert_eq!(reverted.body["data"]["applied"][0]["status"], "revert");
        assert_eq!(group.balances().await, ["0", "0", "0"]);
        group.verify().await;
    }
    let history = alice.pages(&group.path("/ledger/entries/a"), 2).await;
    let sequences: Vec<_> =
        history.iter().map(|entry| entry["sequence"].as_u64().unwrap()).collect();
    assert_eq!(sequences, [5, 4, 3, 2, 1, 0]);
    let by_post = carol.post(&group.path("/ledger/entries/revert"), json!(["a"])).await;
    assert_eq!(applied_and_rejected(&by_post).1, ["a ENTRY_MISSING"]);
}

#[tokio::test]
async fn entries_of_expenses_and_settlements_cannot_be_reverted() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    alice.post(&group.path(ENTRIES), json!([adjustment("a", "5")])).await.data(200);
    let expense = group.spend(0, json!({ "amount": 20 })).await["id"].clone();
    let settlement = group.pay(1, 0, "1").await["id"].clone();
    let before = group.api.rows().await;
    for (id, hint) in
        [(expense, "delete or edit the expense"), (settlement, "in the other direction")]
    {
        let refused = revert(alice, &group, json!(["a", id])).await;
        assert_eq!(refused.code(), (403, "NOT_ALLOWED"));
        assert!(refused.body["message"].as_str().unwrap().contains(hint), "{refused:?}");
    }
    assert_eq!(group.api.rows().await, before, "nothing was reverted");
}
