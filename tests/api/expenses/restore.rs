//! Restore a deleted expense.

use serde_json::json;

use super::path;
use crate::harness::Group;

#[tokio::test]
async fn restored_expense_is_as_it_was_before_its_deletion() {
    let group = Group::new(3, "EUR").await;
    let [alice, bob] = [0, 1].map(|index| &group.members[index]);
    group.spend(1, json!({ "amount": 5 })).await;
    let made = group.spend(0, json!({ "amount": 100, "category": "rent" })).await;
    group.spend(1, json!({ "amount": 7 })).await;
    let at = path(&group, &made);
    let edited = alice.put(&at, json!({ "amount": "99.99" })).await.data(200).clone();
    let balances = group.balances().await;
    let listed = alice.get(&group.path("/expenses")).await.data(200).clone();
    let owed = bob.get("/api/users/me/debts").await.data(200).clone();

    alice.delete(&at).await.data(200);
    assert_eq!(alice.put(&at, json!({ "amount": 1 })).await.code(), (404, "EXPENSE_NOT_FOUND"));
    group.verify().await;
    let restored = alice.post_once("back", &format!("{at}/restore"), json!({})).await;
    let mut expected = edited.clone();
    expected["updatedAt"] = restored.data(200)["updatedAt"].clone();
    assert_eq!(restored.data(200), &expected);
    assert_ne!(restored.data(200)["updatedAt"], edited["updatedAt"]);
    assert_eq!(group.balances().await, balances);
    assert_eq!(bob.get("/api/users/me/debts").await.data(200), &owed);
    let mut now = alice.get(&group.path("/expenses")).await.data(200).clone();
    now[1]["updatedAt"] = listed[1]["updatedAt"].clone();
    assert_eq!(now, listed, "the position in the list is unchanged");
    group.verify().await;

    let before = group.api.rows().await;
    let replayed = alice.post_once("back", &format!("{at}/restore"), json!({})).await;
    assert_eq!(
        (&replayed.text, replayed.header("idempotent-replayed")),
        (&restored.text, Some("true"))
    );
    assert_eq!(alice.post(&format!("{at}/restore"), json!({})).await.data(200), &expected);
    assert_eq!(group.api.rows().await, before);

    // After another deletion, the used key does not restore the expense.
    alice.delete(&at).await.data(200);
    alice.post_once("back", &format!("{at}/restore"), json!({})).await.data(200);
    assert_eq!(alice.get(&at).await.code(), (404, "EXPENSE_NOT_FOUND"));
    let nothing = group.path("/expenses/019bc186-de00-7303-8303-030303030303/restore");
    assert_eq!(alice.post(&nothing, json!({})).await.code(), (404, "EXPENSE_NOT_FOUND"));
    group.verify().await;
}
