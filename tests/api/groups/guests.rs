//! Guests: members without a Telegram account.

use axum::http::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::harness::{Group, Reply};

/// The balance of each member in EUR, by id.
async fn balance(group: &Group, member: &str) -> Value {
    let debts = group.debts().await;
    let mut nodes = debts["balances"].as_array().unwrap().iter();
    nodes.find(|node| node["id"] == member).unwrap()["balance"].clone()
}

#[tokio::test]
async fn guest_is_a_member_with_a_name_and_without_a_telegram_id() {
    let group = Group::new(2, "EUR").await;
    let made = group.members[1].post(&group.path("/members"), json!({ "name": "Grandma" })).await;
    let guest = made.data(201).clone();
    let id = guest["id"].as_str().unwrap();
    assert!(id.starts_with("guest-"), "{id}");
    let expected = json!({
        "id": id, "guest": true, "createdBy": "2", "name": "Grandma",
            "joinedAt": "2026-01-15T12:00:00.000Z",
    });
    assert_eq!(guest, expected);
    let read = group.members[0].get(&group.path("")).await.data(200).clone();
    assert_eq!(read["memberCount"], 3);
    assert_eq!(read["members"][2], expected);
    assert_eq!(read["members"][0]["guest"], json!(null));

    let path = group.path(&format!("/members/{id}"));
    let renamed = group.members[0].patch(&path, json!({ "name": " Granny " })).await;
    assert_eq!(renamed.data(200)["name"], " Granny ");
    let before = group.api.rows().await;
    group.members[1].patch(&path, json!({ "name": " Granny " })).await.data(200);
    assert_eq!(group.api.rows().await, before, "the same name changes nothing");
    group.verify().await;
}

#[tokio::test]
async fn name_of_a_guest_is_unique_among_the_members() {
    let group = Group::new(2, "EUR").await;
    let guest = group.guest(0, "Grandma").await;
    let other = group.guest(0, "Grandpa").await;
    let before = group.api.rows().await;
    for name in ["grandma", " GRANDMA ", "b", "\u{3000}Grandpa"] {
        let made = group.members[0].post(&group.path("/members"), json!({ "name": name })).await;
        assert_eq!(made.code(), (409, "NAME_TAKEN"), "{name:?}");
    }
    let path = group.path(&format!("/members/{other}"));
    for name in ["grandma", "A"] {
        let renamed = group.members[0].patch(&path, json!({ "name": name })).await;
        assert_eq!(renamed.code(), (409, "NAME_TAKEN"), "{name:?}");
    }
    assert_eq!(group.api.rows().await, before);
    // Its own name in another spelling, and then the name that became free.
    let path = group.path(&format!("/members/{guest}"));
    group.members[0].patch(&path, json!({ "name": "GRANDMA" })).await.data(200);
    group.members[0].patch(&path, json!({ "name": "Granny" })).await.data(200);
    group.guest(1, "Grandma").await;
    // A user's name comes from Telegram, so a user may join who is called like a guest.
    group.api.user(3, "Granny").post(&group.path("/join"), json!({})).await.data(200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_ten_concurrent_guests_gets_a_name() {
    let group = Group::new(2, "EUR").await;
    let renamed = group.guest(0, "Grandpa").await;
    let processes = [group.api.another(), group.api.another()];
    let mut calls = JoinSet::new();
    for number in 0..10 {
        let caller = group.members[number % 2].at(&processes[number % 2]);
        let path = group.path("/members");
        let one = group.path(&format!("/members/{renamed}"));
        calls.spawn(async move {
            let name = json!({ "name": if number % 3 == 0 { "Grandma" } else { "grandma" } });
            if number == 5 {
                caller.patch(&one, name).await
            } else {
                caller.post(&path, name).await
            }
        });
    }
    let replies: Vec<Reply> = calls.join_all().await;
    let (won, lost): (Vec<_>, Vec<_>) = replies.iter().partition(|it| it.status.is_success());
    assert_eq!(won.len(), 1, "{replies:?}");
    assert!(lost.iter().all(|it| it.code() == (409, "NAME_TAKEN")), "{lost:?}");
    let read = group.members[0].get(&group.path("")).await.data(200).clone();
    let members = read["members"].as_array().unwrap();
    assert_eq!(read["memberCount"], members.len());
    let named = |it: &&Value| it["name"].as_str().unwrap().to_lowercase() == "grandma";
    assert_eq!(members.iter().filter(named).count(), 1, "{members:?}");
    group.verify().await;
}

#[tokio::test]
async fn guests_pay_share_and_settle_like_users() {
    let group = Group::new(3, "EUR").await;
    let guest = group.guest(0, "Grandma").await;
    let [alice, bob, carol] = [0, 1, 2].map(|member| group.members[member].clone());
    let shared = |among: [&str; 3]| json!(among.map(|id| json!({ "userId": id })));
    // Bob records what the guest paid, and Alice corrects it for her.
    let hut = json!({
        "amount": 96, "description": "Hut", "payerId": guest, "splits": shared([&guest, "1", "2"]),
    });
    let hut = bob.post(&group.path("/expenses"), hut).await.data(201).clone();
    assert_eq!((&hut["payerName"], &hut["createdBy"]), (&json!("Grandma"), &json!("2")));
    let path = group.path(&format!("/expenses/{}", hut["id"].as_str().unwrap()));
    alice.put(&path, json!({ "amount": 90 })).await.data(200);
    group.spend(2, json!({ "amount": 30, "splits": shared([&guest, "2", "3"]) })).await;
    assert_eq!(balance(&group, &guest).await, 50, "90 - 30 - 10");

    // The guest pays what she owes Carol; Alice records it, and Carol confirms.
    let pays = json!({ "fromId": guest, "toId": "3", "amount": 10 });
    let paid = alice.post(&group.path("/settlements"), pays).await.data(201).clone();
    assert_eq!((&paid["status"], &paid["fromUserName"]), (&json!("pending"), &json!("Grandma")));
    let path = group.path(&format!("/settlements/{}", paid["id"].as_str().unwrap()));
    assert_eq!(bob.put(&path, json!({ "status": "completed" })).await.code().1, "NOT_ALLOWED");
    carol.put(&path, json!({ "status": "completed" })).await.data(200);
    assert_eq!(balance(&group, &guest).await, 60);

    // Alice pays the guest back, and Bob confirms.
    let back = json!({ "toId": guest, "amount": 30 });
    let back = alice.post(&group.path("/settlements"), back).await.data(201).clone();
    assert_eq!(back["status"], "pending");
    let path = group.path(&format!("/settlements/{}", back["id"].as_str().unwrap()));
    bob.put(&path, json!({ "status": "completed" })).await.data(200);
    assert_eq!(balance(&group, &guest).await, 30);
    assert_eq!(balance(&group, "1").await, 0);

    // The ledger names the one who acted, and each guest has a statement.
    let entries = carol.get(&group.path(&format!("/ledger/entries?userId={guest}"))).await;
    let entries = entries.data(200).as_array().unwrap().clone();
    let column = |name: &str| entries.iter().map(|it| it[name].to_string()).collect::<Vec<_>>();
    assert_eq!(column("actorId")[..3], ["\"2\"", "\"3\"", "\"3\""]);
    let balances: Vec<_> = entries.iter().map(|it| it["balance"]["EUR"].clone()).collect();
    assert_eq!(json!(balances[..4]), json!([30, 60, 50, 60]));
    let past = group.path(&format!("/ledger/balance?userId={guest}"));
    assert_eq!(carol.get(&past).await.data(200)["balances"][0]["net"], 30);
    let plan = group.debts().await["suggestedSettlements"].clone();
    assert!(plan.as_array().unwrap().iter().any(|it| it["toUserName"] == "Grandma"), "{plan}");
    let feed = alice.get("/api/users/me/activity").await.data(200).clone();
    assert_eq!(feed[0]["description"], "Payment to Grandma");
    group.verify().await;
}

#[tokio::test]
async fn any_member_reverts_an_adjustment_of_a_guest() {
    let group = Group::new(3, "EUR").await;
    let guest = group.guest(0, "Grandma").await;
    let entries = group.path("/ledger/entries");
    let push = |name: &str, member: &str| {
        json!([{ "entryId": name, "changes": [
            { "userId": member, "amount": 5 }, { "userId": "1", "amount": -5 } ] }])
    };
    group.members[0].post(&entries, push("of the guest", &guest)).await.data(200);
    group.members[0].post(&entries, push("of users", "2")).await.data(200);
    assert_eq!(balance(&group, &guest).await, 5);
    let carol = &group.members[2];
    let refused = carol.call(Method::DELETE, &entries, Some(&json!(["of users"]))).await;
    assert_eq!(refused.code(), (403, "NOT_ALLOWED"));
    carol.call(Method::DELETE, &entries, Some(&json!(["of the guest"]))).await.data(200);
    assert_eq!(balance(&group, &guest).await, 0);
    group.verify().await;
}
