//! Open the group of a chat.

use fracti_core::caller::telegram;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::harness::{Api, TOKEN};

const OPEN: &str = "/api/groups/open";
const CHAT: &str = "-3788475317572404878";

#[tokio::test]
async fn first_opening_creates_the_group_and_others_join_it() {
    let api = Api::new().await;
    let [alice, bob] =
        [(1, "Alice"), (2, "Bob")].map(|(id, name)| api.user(id, name).in_chat(CHAT));
    let made = alice.post(OPEN, json!({ "title": "Alps", "currency": "EUR" })).await;
    let group = made.data(201).clone();
    assert_eq!((&group["chatId"], &group["title"]), (&json!(CHAT), &json!("Alps")));
    assert_eq!((&group["memberCount"], &group["createdBy"]), (&json!(1), &json!("1")));
    let joined = bob.post(OPEN, json!({ "title": "Other", "currency": "USD" })).await;
    let mut expected = group.clone();
    expected["memberCount"] = json!(2);
    assert_eq!(joined.data(200), &expected);
    let before = api.rows().await;
    assert_eq!(alice.post(OPEN, json!({})).await.data(200), &expected);
    assert_eq!(api.rows().await, before, "a repeated opening changes nothing");

    let elsewhere = bob.in_chat("7").call(axum::http::Method::POST, OPEN, None).await;
    assert_ne!(elsewhere.data(201)["id"], group["id"]);
    assert_eq!(
        (&elsewhere.data(201)["title"], &elsewhere.data(201)["currency"]),
        (&json!("Group"), &json!("TON"))
    );
    let of_chat = bob.get(&format!("/api/groups?chatId={CHAT}")).await;
    assert_eq!(of_chat.data(200), &json!([expected]));
}

#[tokio::test]
async fn chat_that_became_a_supergroup_moves_to_its_group() {
    let api = Api::new().await;
    let [alice, bob] = [(1, "Alice"), (2, "Bob")].map(|(id, name)| api.user(id, name));
    let old = alice.in_chat(CHAT).post(OPEN, json!({ "title": "Alps" })).await.data(201).clone();
    bob.in_chat(CHAT).post(OPEN, json!({})).await.data(200);
    let new = alice.in_chat("7").post(OPEN, json!({})).await.data(201).clone();
    let to = json!({ "groupId": old["id"] });
    let moved = alice.in_chat("7").post(OPEN, to.clone()).await.data(200).clone();
    assert_eq!((&moved["id"], &moved["chatId"]), (&old["id"], &json!("7")));
    let path = format!("/api/groups/{}", new["id"].as_str().unwrap());
    assert_eq!(alice.get(&path).await.code(), (403, "LEFT"), "the empty one is deleted");
    // Everyone in the chat finds the group, and nothing moves twice.
    assert_eq!(bob.in_chat("7").post(OPEN, json!({})).await.data(200)["id"], old["id"]);
    let before = api.rows().await;
    assert_eq!(alice.in_chat("7").post(OPEN, to).await.data(200)["id"], old["id"]);
    assert_eq!(api.rows().await, before);
    api.verify(old["id"].as_str().unwrap()).await;
}

#[tokio::test]
async fn chat_moves_from_no_group_that_others_use() {
    let api = Api::new().await;
    let [alice, bob, eve] =
        [(1, "Alice"), (2, "Bob"), (3, "Eve")].map(|(id, name)| api.user(id, name));
    let old = alice.in_chat(CHAT).post(OPEN, json!({})).await.data(201).clone();
    let to = json!({ "groupId": old["id"] });
    let taken = (409, "CHAT_TAKEN");
    for (chat, case) in [("7", "others are there"), ("8", "a guest"), ("9", "something recorded")] {
        let new = alice.in_chat(chat).post(OPEN, json!({})).await.data(201).clone();
        let path = format!("/api/groups/{}", new["id"].as_str().unwrap());
        match case {
            "others are there" => {
                bob.in_chat(chat).post(OPEN, json!({})).await.data(200);
            }
            "a guest" => {
                alice.post(&format!("{path}/members"), json!({ "name": "Mum" })).await.data(201);
            }
            _ => {
                let tea = json!({ "amount": 3, "description": "Tea" });
                alice.post(&format!("{path}/expenses"), tea).await.data(201);
            }
        }
        let before = api.rows().await;
        assert_eq!(alice.in_chat(chat).post(OPEN, to.clone()).await.code(), taken, "{case}");
        assert_eq!(api.rows().await, before, "{case}");
    }
    // A group of others is not taken over, nor does theirs move.
    eve.in_chat("11").post(OPEN, json!({})).await.data(201);
    assert_eq!(alice.in_chat("11").post(OPEN, to.clone()).await.code(), taken);
    let before = api.rows().await;
    assert_eq!(eve.in_chat("12").post(OPEN, to.clone()).await.code(), (403, "NOT_A_MEMBER"));
    assert_eq!(eve.in_chat("11").post(OPEN, to.clone()).await.code(), (403, "NOT_A_MEMBER"));
    assert_eq!(alice.post(OPEN, to).await.code(), (400, "NO_CHAT"));
    let unknown = json!({ "groupId": "019bc186-de00-7101-8101-010101010101" });
    assert_eq!(alice.in_chat("13").post(OPEN, unknown).await.code(), (404, "GROUP_NOT_FOUND"));
    assert_eq!(api.rows().await, before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_users_who_open_a_chat_at_once_share_one_group() {
    let api = Api::new().await;
    let mut openings = JoinSet::new();
    for id in 1..=10 {
        let user = api.user(id, &format!("User {id}")).at(&api.another()).in_chat(CHAT);
        openings.spawn(async move { user.post(OPEN, json!({ "title": "Alps" })).await });
    }
    let replies = openings.join_all().await;
    let created = replies.iter().filter(|reply| reply.status == 201).count();
    assert_eq!(created, 1, "{replies:?}");
    let id = &replies[0].body["data"]["id"];
    assert!(replies.iter().all(|reply| reply.body["data"]["id"] == *id), "{replies:?}");
    let read = api.user(1, "User 1").get(&format!("/api/groups/{}", id.as_str().unwrap())).await;
    assert_eq!(read.data(200)["memberCount"], 10);
    assert_eq!(read.data(200)["members"].as_array().unwrap().len(), 10);
}

#[tokio::test]
async fn chat_must_be_signed_by_telegram() {
    let api = Api::new().await;
    let alice = api.user(1, "Alice");
    alice.in_chat(CHAT).post(OPEN, json!({})).await.data(201);
    let before = api.rows().await;
    let eve = api.user(9, "Eve");
    assert_eq!(eve.post(OPEN, json!({})).await.code(), (400, "NO_CHAT"));
    let signed = |chat: &str, token| {
        telegram::sign_in_chat(&eve.user, &chat.parse().unwrap(), token, api.now())
    };
    let added = format!("{}&chat_instance={CHAT}", telegram::sign(&eve.user, TOKEN, api.now()));
    for (init_data, code) in [
        (added, "WRONG_BOT"),
        (
            signed("7", TOKEN).replace("chat_instance=7", &format!("chat_instance={CHAT}")),
            "WRONG_BOT",
        ),
        (signed(CHAT, "43:other"), "WRONG_BOT"),
        (format!("{}&chat_instance={CHAT}", signed("7", TOKEN)), "INVALID_INIT_DATA"),
    ] {
        let caller = eve.with(Some(("authorization", format!("tma {init_data}"))));
        assert_eq!(caller.post(OPEN, json!({})).await.code(), (401, code), "{init_data}");
    }
    // A group that names the chat as its own is not the group of the chat.
    let named = json!({ "title": "Trap", "chatId": "8", "currency": "EUR" });
    let trap = eve.post("/api/groups", named).await.data(201)["id"].clone();
    let opened = alice.in_chat("8").post(OPEN, json!({})).await;
    assert_ne!(opened.data(201)["id"], trap);
    let rows = api.rows().await;
    assert!(before.iter().all(|(key, row)| rows[key] == *row));
}

#[tokio::test]
async fn past_members_open_the_group_as_they_would_join() {
    let api = Api::new().await;
    let [alice, bob, carol] =
        [(1, "Alice"), (2, "Bob"), (3, "Carol")].map(|(id, name)| api.user(id, name).in_chat(CHAT));
    let group = alice.post(OPEN, json!({})).await.data(201)["id"].as_str().unwrap().to_owned();
    let path = |rest: &str| format!("/api/groups/{group}{rest}");
    bob.post(OPEN, json!({})).await.data(200);
    bob.post(&path("/leave"), json!({})).await.data(200);
    assert_eq!(bob.post(OPEN, json!({})).await.data(200)["memberCount"], 2);
    alice.delete(&path("/members/2")).await.data(200);
    assert_eq!(bob.post(OPEN, json!({})).await.code(), (403, "REMOVED"));
    alice.patch(&path(""), json!({ "archived": true })).await.data(200);
    assert_eq!(carol.post(OPEN, json!({})).await.code(), (409, "GROUP_ARCHIVED"));
    let opened = alice.post(OPEN, json!({})).await;
    assert_eq!(opened.data(200)["archived"], Value::Bool(true), "a member finds it");
}
