//! Remove a member, and restore them.

use axum::http::Method;
use serde_json::json;

use crate::harness::{Caller, Group, Reply};

async fn remove(group: &Group, by: usize, member: &str) -> Reply {
    group.members[by].delete(&group.path(&format!("/members/{member}"))).await
}

async fn restore(group: &Group, by: usize, member: &str) -> Reply {
    let path = group.path(&format!("/members/{member}/restore"));
    group.members[by].call(Method::POST, &path, None).await
}

#[tokio::test]
async fn only_the_creator_removes_users_and_is_not_removed() {
    let group = Group::new(3, "EUR").await;
    for (by, member, expected) in [
        (1, "3", (403, "NOT_ALLOWED")),
        (1, "2", (403, "NOT_ALLOWED")),
        (1, "1", (403, "NOT_ALLOWED")),
        (0, "1", (403, "NOT_ALLOWED")),
        (0, "9", (404, "MEMBER_NOT_FOUND")),
        (0, "guest-0190a1b2-0000-7000-8000-000000000001", (404, "MEMBER_NOT_FOUND")),
        (0, "0", (400, "VALIDATION_ERROR")),
    ] {
        assert_eq!(remove(&group, by, member).await.code(), expected, "{by} removes {member}");
    }
    group.spend(0, json!({ "amount": 3 })).await;
    assert_eq!(remove(&group, 0, "3").await.code(), (409, "NOT_SETTLED"));
    group.pay(2, 0, "1").await;
    let removed = remove(&group, 0, "3").await.data(200).clone();
    assert!(removed["removedAt"].is_string() && removed["leftAt"].is_null(), "{removed}");
    let before = group.api.rows().await;
    assert_eq!(remove(&group, 0, "3").await.data(200), &removed);
    assert_eq!(group.api.rows().await, before, "a repeated removal changes nothing");
    group.verify().await;
}

#[tokio::test]
async fn removed_user_is_refused_until_a_member_restores_them() {
    let group = Group::new(3, "EUR").await;
    let joined = group.members[2].post(&group.path("/join"), json!({})).await.data(200).clone();
    remove(&group, 0, "3").await.data(200);
    let carol: &Caller = &group.members[2];
    assert_eq!(carol.post(&group.path("/join"), json!({})).await.code(), (403, "REMOVED"));
    assert_eq!(restore(&group, 2, "3").await.code(), (403, "REMOVED"));
    let restored = restore(&group, 1, "3").await;
    assert_eq!(restored.data(200), &joined);
    let before = group.api.rows().await;
    restore(&group, 1, "3").await.data(200);
    assert_eq!(group.api.rows().await, before, "a present member is returned as they are");
    carol.post(&group.path("/join"), json!({})).await.data(200);
    let read = carol.get(&group.path("")).await.data(200).clone();
    assert_eq!(read["memberCount"], 3);
    assert_eq!(restore(&group, 1, "9").await.code(), (404, "MEMBER_NOT_FOUND"));
}

#[tokio::test]
async fn departed_member_can_be_removed_and_restored() {
    let group = Group::new(3, "EUR").await;
    group.members[2].post(&group.path("/leave"), json!({})).await.data(200);
    remove(&group, 0, "3").await.data(200);
    let read = group.members[0].get(&group.path("")).await.data(200).clone();
    assert_eq!(read["memberCount"], 2, "they were not counted any more");
    let refused = group.members[2].post(&group.path("/join"), json!({})).await;
    assert_eq!(refused.code(), (403, "REMOVED"));
    restore(&group, 1, "3").await.data(200);
    group.members[2].get(&group.path("")).await.data(200);
}
