//! Set a member's wallet.

use serde_json::json;

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
