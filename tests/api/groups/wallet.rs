//! Set a member's wallet.

use serde_json::{Value, json};

use super::WALLET;
use crate::harness::Group;

#[tokio::test]
async fn debts_show_the_wallet_that_a_member_has_set() {
    let group = Group::new(2, "EUR").await;
    let set = group.members[1].put(&group.path("/wallet"), json!({ "wallet": WALLET })).await;
    assert_eq!(set.data(200), &json!({ "wallet": WALLET }));
    let debts = group.debts().await;
    assert_eq!(debts["balances"][0]["wallet"], json!(null));
    assert_eq!(debts["balances"][1]["wallet"], WALLET);
    let renamed = group.api.user(2, "Bob").post(&group.path("/join"), json!({})).await;
    assert_eq!(renamed.data(200)["wallet"], WALLET, "a new name keeps the wallet");
}

#[tokio::test]
async fn deleted_wallet_is_not_shown_any_more() {
    let group = Group::new(2, "EUR").await;
    let bob = &group.members[1];
    let path = group.path("/wallet");
    bob.put(&path, json!({ "wallet": WALLET })).await.data(200);
    let deleted = bob.delete(&path).await;
    assert_eq!(
        (&deleted.data(200)["id"], &deleted.data(200)["wallet"]),
        (&json!("2"), &Value::Null)
    );
    assert_eq!(group.debts().await["balances"][1]["wallet"], Value::Null);
    let before = group.api.rows().await;
    bob.delete(&path).await.data(200);
    assert_eq!(group.api.rows().await, before, "there is nothing to delete");
    // Who sets it again, or joins without one, decides anew.
    bob.post(&group.path("/join"), json!({})).await.data(200);
    assert_eq!(group.debts().await["balances"][1]["wallet"], Value::Null);
    bob.put(&path, json!({ "wallet": WALLET })).await.data(200);
    assert_eq!(group.debts().await["balances"][1]["wallet"], WALLET);
}
