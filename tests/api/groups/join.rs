//! Join a group.

use aws_sdk_dynamodb::types::AttributeValue;
use fracti_core::storage::keys;
use serde_json::json;

use super::WALLET;
use crate::harness::Group;

#[tokio::test]
async fn joining_again_updates_the_name_and_the_wallet_of_the_one_membership() {
    let group = Group::new(2, "EUR").await;
    let join = group.path("/join");
    let again = group.api.user(2, "Robert").post(&join, json!({ "wallet": WALLET })).await;
    assert_eq!(again.data(200)["name"], "Robert");
    assert_eq!(again.data(200)["wallet"], WALLET);
    let read = group.members[0].get(&group.path("")).await.data(200).clone();
    assert_eq!(read["members"][1]["wallet"], WALLET);
    assert_eq!(read["memberCount"], 2);
    assert_eq!(read["members"][1]["name"], "Robert");
    assert_eq!(read["members"][1]["username"], "robert");

    let newcomer = group.api.user(3, "Carol").post(&join, json!({ "wallet": WALLET })).await;
    assert_eq!(newcomer.data(200)["wallet"], WALLET);
    let bodiless = group.api.user(4, "Dave").call(axum::http::Method::POST, &join, None).await;
    assert_eq!(bodiless.data(200)["id"], "4");
    let read = group.members[0].get(&group.path("")).await.data(200).clone();
    assert_eq!(read["memberCount"], 4);
}

#[tokio::test]
async fn wallet_of_a_member_who_comes_back_is_set() {
    let group = Group::new(2, "EUR").await;
    let bob = &group.members[1];
    for (body, wallet) in [(json!({}), json!(null)), (json!({ "wallet": WALLET }), json!(WALLET))] {
        bob.post(&group.path("/leave"), json!({})).await.data(200);
        let back = bob.post(&group.path("/join"), body).await;
        assert_eq!(back.data(200)["wallet"], wallet);
        let read = bob.get(&group.path("")).await.data(200).clone();
        assert_eq!(read["members"][1]["wallet"], wallet);
    }
}

#[tokio::test]
async fn group_accepts_at_most_500_members() {
    let group = Group::new(1, "EUR").await;
    let many = AttributeValue::N("499".to_owned());
    group.api.set_attribute(keys::group(group.id.parse().unwrap()), "memberCount", many).await;

    let join = |id: u64| {
        let newcomer = group.api.user(id, "New");
        let path = group.path("/join");
        async move { newcomer.post(&path, json!({})).await }
    };
    join(2).await.data(200);
    let before = group.api.rows().await;
    assert_eq!(join(3).await.code(), (422, "TOO_MANY_MEMBERS"));
    assert_eq!(group.api.rows().await, before);
    join(2).await.data(200);
}
