//! Get a settlement.

use serde_json::json;

use super::{settle, with_debt};
use crate::harness::Group;

#[tokio::test]
async fn settlement_is_not_found_in_another_group() {
    let group = with_debt().await;
    let (made, _) = settle(&group, &group.members[1], json!({ "toId": "1", "amount": 50 })).await;
    let other = Group::of(&group.api, 3, "EUR").await;
    let path = other.path(&format!("/settlements/{}", made["id"].as_str().unwrap()));
    assert_eq!(other.members[0].get(&path).await.code(), (404, "SETTLEMENT_NOT_FOUND"));
    let complete = json!({ "status": "completed" });
    assert_eq!(other.members[0].put(&path, complete).await.code(), (404, "SETTLEMENT_NOT_FOUND"));
    assert_eq!(other.members[0].get(&other.path("/settlements")).await.data(200), &json!([]));
}
