//! Get a group.

use serde_json::json;

use crate::harness::Group;

#[tokio::test]
async fn created_group_reads_back_with_its_members() {
    let group = Group::new(3, "JPY").await;
    let read = group.members[2].get(&group.path("")).await.data(200).clone();
    assert_eq!(read["id"], group.id);
    assert_eq!(read["title"], "Alps");
    assert_eq!(read["chatId"], "-100");
    assert_eq!(read["currency"], "JPY");
    assert_eq!(read["createdAt"], "2026-01-15T12:00:00.000Z");
    assert_eq!(read["memberCount"], 3);
    let members = read["members"].as_array().unwrap();
    assert_eq!(
        members.iter().map(|it| it["id"].as_str().unwrap()).collect::<Vec<_>>(),
        ["1", "2", "3"]
    );
    let first = json!({
        "id": "1", "telegramId": 1, "name": "A", "username": "a",
            "joinedAt": "2026-01-15T12:00:00.000Z",
    });
    assert_eq!(members[0], first);
}
