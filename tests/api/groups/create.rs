//! Create a group.

use serde_json::json;

use crate::harness::Api;

#[tokio::test]
async fn currency_of_a_group_defaults_to_ton() {
    let api = Api::new().await;
    let made = api.user(1, "A").post("/api/groups", json!({ "title": "🏔", "chatId": 5 })).await;
    assert_eq!(made.data(201)["currency"], "TON");
    assert_eq!(made.data(201)["chatId"], "5");
    assert_eq!(made.data(201)["memberCount"], 1);
    for (sent, kept) in [
        (json!(-1_001_234_567_890_i64), "-1001234567890"),
        (json!("-3788475317572404878"), "-3788475317572404878"),
        (json!("@alps2026"), "@alps2026"),
    ] {
        let made =
            api.user(1, "A").post("/api/groups", json!({ "title": "x", "chatId": sent })).await;
        assert_eq!(made.data(201)["chatId"], kept);
    }
}
