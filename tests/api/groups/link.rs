//! Linking a guest to the user who the guest turned out to be.

use std::time::Duration;

use axum::http::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::harness::{Group, Reply};

/// A group of three users and a guest.
struct Scene {
    group: Group,
    guest: String,
}

impl Scene {
    async fn new() -> Self {
        let group = Group::new(3, "EUR").await;
        let guest = group.guest(0, "Grandma").await;
        Self { group, guest }
    }

    fn path(&self) -> String {
        self.group.path(&format!("/members/{}/link", self.guest))
    }

    /// `caller` says that the guest is `user`.
    async fn say(&self, caller: usize, user: &str) -> Reply {
        self.group.members[caller - 1].post(&self.path(), json!({ "userId": user })).await
    }

    /// The user says to be the guest, and `caller` confirms it.
    async fn link(&self, caller: usize, user: &str) -> Reply {
        self.say(user.parse().unwrap(), user).await.data(202);
        self.say(caller, user).await
    }

    /// `caller` withdraws or declines the link.
    async fn withdraw(&self, caller: usize) -> Reply {
        self.group.members[caller - 1].delete(&self.path()).await
    }

    /// The link that waits to be confirmed, as a member sees it.
    async fn proposed(&self) -> Value {
        let read = self.group.members[0].get(&self.group.path("")).await.data(200).clone();
        let members = read["members"].as_array().unwrap();
        members.iter().find(|it| it["id"] == *self.guest).unwrap()["link"].clone()
    }

    /// An expense that `payer` paid for these members; its path.
    async fn spend(&self, payer: &str, amount: i64, sharers: &[&str]) -> String {
        let splits: Vec<_> = sharers.iter().map(|id| json!({ "userId": id })).collect();
        let body = json!({ "amount": amount, "payerId": payer, "splits": splits });
        let made = self.group.spend(0, body).await;
        self.group.path(&format!("/expenses/{}", made["id"].as_str().unwrap()))
    }

    /// The balance of a member in EUR now, or at a moment. A linked guest is the user.
    async fn balance(&self, member: &str, at: &str) -> Value {
        let path = format!("/ledger/balance?userId={member}{at}");
        let read = self.group.members[0].get(&self.group.path(&path)).await.data(200).clone();
        read["balances"][0]["net"].clone()
    }
}

#[tokio::test]
async fn user_takes_over_the_balances_of_a_linked_guest() {
    let scene = Scene::new().await;
    let group = &scene.group;
    let guest = &*scene.guest;
    scene.spend("1", 90, &["1", "2", guest]).await;
    let gas = json!({ "amount": 8, "currency": "TON", "payerId": guest });
    group.spend(0, gas).await;
    group.api.pass(Duration::from_secs(1));
    let before = group.api.now().to_string();
    group.api.pass(Duration::from_secs(1));
    let linked = scene.link(1, "2").await.data(200).clone();
    assert_eq!((&linked["id"], &linked["linkedTo"]), (&json!(guest), &json!("2")));

    let read = group.members[0].get(&group.path("")).await.data(200).clone();
    assert_eq!(read["memberCount"], 3, "one person");
    assert_eq!(read["members"][1]["guests"], json!([guest]));
    assert_eq!(read["members"][3], linked);
    let debts = group.debts().await;
    let nodes = debts["balances"].as_array().unwrap();
    let ids: Vec<_> = nodes.iter().map(|node| node["id"].clone()).collect();
    assert_eq!(json!(ids), json!(["1", "2", "3"]));
    assert_eq!(nodes[1]["balances"], json!({ "EUR": -60, "TON": 4 }));
    assert_eq!(debts["summary"]["expenseCount"], 2);

    // The past is as it was.
    let at = format!("&at={before}");
    assert_eq!(scene.balance(guest, &at).await, -30);
    assert_eq!(scene.balance("2", &at).await, -30);
    assert_eq!(scene.balance(guest, "").await, -60);
    assert_eq!(scene.balance("2", "").await, -60);
    let entry = group.path(&format!("/ledger/entries/link:{guest}"));
    let entry = group.members[2].get(&entry).await.data(200)[0].clone();
    let change = |user: &str, currency: &str, paid: Value, owed: Value| {
        let mut change = json!({ "userId": user, "currency": currency });
        for (name, moved) in [("paid", paid), ("owed", owed)] {
            if !moved.is_null() {
                change[name] = moved;
            }
        }
        change
    };
    let expected = json!({
        "entryId": format!("link:{guest}"), "sequence": 2, "status": "applied", "refType": "link",
        "actorId": "1", "linkedTo": "2", "createdAt": entry["createdAt"], "changes": [
            change(guest, "EUR", Value::Null, json!(-30)),
                change("2", "EUR", Value::Null, json!(30)),
            change(guest, "TON", json!(-8), json!(-2)), change("2", "TON", json!(8), json!(2)),
        ],
    });
    assert_eq!(entry, expected);
    group.verify().await;

    // The entry is final, and nothing else can have its name.
    let entries = group.path("/ledger/entries");
    let name = format!("link:{guest}");
    let reverted = group.members[0].call(Method::DELETE, &entries, Some(&json!([name]))).await;
    assert_eq!(reverted.code(), (403, "NOT_ALLOWED"));
    let changes = json!([{ "userId": "1", "amount": 1 }, { "userId": "2", "amount": -1 }]);
    let taken = json!([{ "entryId": name, "changes": changes }]);
    let taken = group.members[0].post(&entries, taken).await;
    assert_eq!(taken.body["details"][0]["path"], "[0].entryId", "{}", taken.text);
}

#[tokio::test]
async fn what_is_no_link_changes_nothing() {
    let scene = Scene::new().await;
    let group = &scene.group;
    let guest = &*scene.guest;
    scene.spend(guest, 9, &["1"]).await;
    let before = group.api.rows().await;
    for (user, refusal) in [
        ("9", (400, "VALIDATION_ERROR")),
        (guest, (400, "VALIDATION_ERROR")),
        ("", (400, "VALIDATION_ERROR")),
    ] {
        let reply = scene.say(1, user).await;
        assert_eq!(reply.code(), refusal, "{user}");
        assert_eq!(reply.body["details"][0]["path"], "userId");
    }
    let path = group.path("/members/2/link");
    let user = group.members[0].post(&path, json!({ "userId": "1" })).await;
    assert_eq!(user.code(), (403, "NOT_ALLOWED"));
    assert_eq!(scene.withdraw(1).await.code(), (404, "LINK_NOT_FOUND"));
    assert_eq!(group.api.rows().await, before);
    scene.link(1, "2").await.data(200);
    assert_eq!(scene.say(1, "3").await.code(), (409, "ALREADY_LINKED"));
    assert_eq!(scene.withdraw(1).await.code(), (409, "ALREADY_LINKED"));
    let path = group.path(&format!("/members/{guest}"));
    let renamed = group.members[0].patch(&path, json!({ "name": "x" })).await;
    assert_eq!(renamed.code(), (409, "ALREADY_LINKED"));
    group.guest(0, "grandma").await;
    group.verify().await;
}

#[tokio::test]
async fn both_sides_say_who_a_guest_is() {
    // Who proposes that the guest is user 2, who is on the same side, and who confirms it.
    for (proposer, same_side, other_side) in [(2, 2, 3), (1, 3, 2)] {
        let scene = Scene::new().await;
        let group = &scene.group;
        let guest = &*scene.guest;
        scene.spend(guest, 9, &["1"]).await;
        let made = scene.say(proposer, "2").await.data(202).clone();
        let waits = json!({ "userId": "2", "proposedBy": proposer.to_string(),
            "proposedAt": made["link"]["proposedAt"] });
        assert_eq!((&made["link"], &made["linkedTo"]), (&waits, &Value::Null));
        assert_eq!(scene.proposed().await, waits);
        assert_eq!(scene.balance("2", "").await, 0, "nothing moves");
        let before = group.api.rows().await;
        assert_eq!(scene.say(same_side, "2").await.data(202)["link"], waits);
        assert_eq!(scene.say(other_side, "1").await.code(), (409, "LINK_PROPOSED"));
        // A token of the other side confirms nothing.
        let token = json!({ "name": "Bot", "scopes": ["read", "write"] });
        let other = &group.members[other_side - 1];
        let token = other.post("/api/users/me/tokens", token).await;
        let by_token = other.with_token(&token);
        let refused = by_token.post(&scene.path(), json!({ "userId": "2" })).await;
        assert_eq!(refused.code(), (403, "NOT_ALLOWED"));
        assert!(refused.text.contains("only in the app"), "{}", refused.text);
        let rows = group.api.rows().await;
        let of_group = |(pk, _): &&(String, String)| pk.contains(&group.id);
        assert!(before.keys().filter(of_group).eq(rows.keys().filter(of_group)));

        let linked = scene.say(other_side, "2").await.data(200).clone();
        assert_eq!((&linked["linkedTo"], &linked["link"]), (&json!("2"), &Value::Null));
        assert_eq!(scene.balance("2", "").await, 9);
        for caller in [proposer, other_side] {
            assert_eq!(*scene.say(caller, "2").await.data(200), linked, "again");
        }
        assert_eq!(scene.proposed().await, Value::Null);
        group.verify().await;
    }
}

#[tokio::test]
async fn the_proposer_and_the_other_side_end_a_proposal() {
    // Who proposes that the guest is user 2, who may end it, and who may not.
    for (proposer, may, may_not) in [(2, [1, 2, 3].as_slice(), None), (1, &[1, 2], Some(3))] {
        for caller in may {
            let scene = Scene::new().await;
            scene.say(proposer, "2").await.data(202);
            if let Some(other) = may_not {
                assert_eq!(scene.withdraw(other).await.code(), (403, "NOT_ALLOWED"));
            }
            assert_eq!(scene.withdraw(*caller).await.data(200)["link"], Value::Null);
            assert_eq!(scene.proposed().await, Value::Null);
            assert_eq!(scene.withdraw(*caller).await.code(), (404, "LINK_NOT_FOUND"));
            // What the other side says now is a proposal of its own.
            scene.say(if proposer == 2 { 1 } else { 2 }, "2").await.data(202);
            scene.group.verify().await;
        }
    }
}

#[tokio::test]
async fn a_proposal_ends_with_the_presence_of_whom_it_names() {
    // Who becomes past: the user, the proposer, the guest, and a member whom it does not name.
    for (who, stays) in [("2", false), ("3", false), ("guest", false), ("4", true)] {
        let group = Group::new(4, "EUR").await;
        let guest = group.guest(0, "Grandma").await;
        let scene = Scene { group, guest };
        scene.say(3, "2").await.data(202);
        let member = if who == "guest" { &scene.guest } else { who };
        let path = scene.group.path(&format!("/members/{member}"));
        match who {
            "2" | "4" => {
                let left = scene.group.path("/leave");
                let user = &scene.group.members[who.parse::<usize>().unwrap() - 1];
                user.post(&left, json!({})).await.data(200);
            }
            _ => {
                scene.group.members[0].delete(&path).await.data(200);
            }
        }
        let restore = format!("{path}/restore");
        scene.group.members[0].post(&restore, json!({})).await.data(200);
        assert_eq!(scene.proposed().await.is_object(), stays, "{who}");
        scene.group.verify().await;
    }
}

#[tokio::test]
async fn at_most_twenty_links_wait() {
    let group = Group::new(2, "EUR").await;
    for number in 0..21 {
        let guest = group.guest(0, &format!("Guest {number}")).await;
        let path = group.path(&format!("/members/{guest}/link"));
        let proposed = group.members[1].post(&path, json!({ "userId": "2" })).await;
        let expected = if number < 20 { (202, "") } else { (422, "TOO_MANY_LINKS") };
        assert_eq!(proposed.code(), expected, "{number}");
        if number == 20 {
            assert_eq!(proposed.body["details"][0]["limit"], "proposedLinks");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_link_is_confirmed_or_withdrawn_but_not_both() {
    let scene = Scene::new().await;
    scene.spend("1", 90, &["2", &scene.guest]).await;
    scene.say(1, "2").await.data(202);
    let processes = [scene.group.api.another(), scene.group.api.another()];
    let mut calls = JoinSet::new();
    for number in 0..6 {
        // The user confirms while the proposer withdraws.
        let caller = scene.group.members[1 - number % 2].at(&processes[number % 2]);
        let path = scene.path();
        calls.spawn(async move {
            match number % 2 {
                0 => caller.post(&path, json!({ "userId": "2" })).await,
                _ => caller.delete(&path).await,
            }
        });
    }
    let replies = calls.join_all().await;
    let linked = replies.iter().filter(|it| it.body["data"]["linkedTo"] == "2").count();
    let withdrawn = replies.iter().filter(|it| it.status == 200).count() - linked;
    let expected = [(200, ""), (202, ""), (404, "LINK_NOT_FOUND"), (409, "ALREADY_LINKED")];
    assert!(replies.iter().all(|it| expected.contains(&it.code())), "{replies:?}");
    // What was withdrawn is proposed again by the user, and not linked.
    assert!(linked == 0 || withdrawn == 0, "{replies:?}");
    let balances = [scene.balance("2", "").await, scene.balance(&scene.guest, "").await];
    let expected = if linked > 0 { json!([-90, -90]) } else { json!([-45, -45]) };
    assert_eq!(json!(balances), expected);
    scene.group.verify().await;
}

#[tokio::test]
async fn old_expenses_of_a_guest_move_the_users_balance() {
    let scene = Scene::new().await;
    let group = &scene.group;
    let guest = &*scene.guest;
    let alice = &group.members[0];
    let paid = scene.spend(guest, 30, &["1", "2", guest]).await;
    let shared = scene.spend("1", 40, &["1", guest]).await;
    let both = scene.spend("1", 90, &["1", "2", guest]).await;
    scene.link(1, "2").await.data(200);
    let balance = async || scene.balance("2", "").await;
    assert_eq!(balance().await, 20 - 10 - 20 - 60);

    alice.put(&both, json!({ "amount": 120 })).await.data(200);
    assert_eq!(balance().await, -90, "both shares grow by 10");
    let read = alice.get(&both).await.data(200).clone();
    let sharers: Vec<_> =
        read["splits"].as_array().unwrap().iter().map(|it| it["userId"].clone()).collect();
    assert_eq!(json!(sharers), json!(["1", "2", guest]), "the old shares keep their ids");
    alice.delete(&both).await.data(200);
    assert_eq!(balance().await, -10);
    alice.post(&format!("{both}/restore"), json!({})).await.data(200);
    assert_eq!(balance().await, -90);
    group.members[1].put(&paid, json!({ "amount": 60 })).await.data(200);
    assert_eq!(balance().await, -80, "paid 30 more, and owes 20 more");
    group.members[1].delete(&paid).await.data(200);
    assert_eq!(balance().await, -100);
    group.verify().await;

    // New requests that name the guest mean the user, who is one person.
    let twice = json!([{ "userId": "2" }, { "userId": guest }]);
    let body = json!({ "amount": 9, "description": "x", "splits": twice });
    let refused = alice.post(&group.path("/expenses"), body).await;
    assert_eq!(refused.body["details"][0]["path"], "splits[1].userId", "{}", refused.text);
    let edit = alice.put(&shared, json!({ "splits": twice })).await;
    assert_eq!(edit.body["details"][0]["path"], "splits[1].userId", "{}", edit.text);
    let edit = alice.put(&shared, json!({ "splits": [{ "userId": guest }] })).await;
    assert_eq!(edit.data(200)["splits"][0]["userId"], "2");
    assert_eq!(balance().await, -120);
    let made = group.spend(0, json!({ "amount": 9, "payerId": guest })).await;
    assert_eq!((&made["payerId"], &made["payerName"]), (&json!("2"), &json!("B")));
    assert_eq!(made["splits"].as_array().unwrap().len(), 3, "the guest shares as the user: {made}");
    assert_eq!(balance().await, -114);
    let changes = json!([{ "userId": guest, "amount": 14 }, { "userId": "1", "amount": -14 }]);
    let condition = json!({ "userId": guest, "balanceAtLeast": -100 });
    let entry = json!([{ "entryId": "x", "changes": changes, "condition": condition }]);
    let pushed = alice.post(&group.path("/ledger/entries"), entry).await;
    assert_eq!(pushed.data(200)["applied"][0]["changes"][0]["userId"], "2", "{}", pushed.text);
    assert_eq!(balance().await, -100);
    group.verify().await;
}

#[tokio::test]
async fn only_the_user_acts_for_a_linked_guest() {
    let scene = Scene::new().await;
    let group = &scene.group;
    let guest = &*scene.guest;
    let [alice, bob, carol] = [0, 1, 2].map(|member| &group.members[member]);
    let hut = scene.spend(guest, 30, &["1", "2", "3"]).await;
    let waiting = json!({ "toId": guest, "amount": 1 });
    let waiting = alice.post(&group.path("/settlements"), waiting).await.data(201).clone();
    let waiting = group.path(&format!("/settlements/{}", waiting["id"].as_str().unwrap()));
    let changes = json!([{ "userId": guest, "amount": 1 }, { "userId": "1", "amount": -1 }]);
    let entry = json!([{ "entryId": "x", "changes": changes }]);
    alice.post(&group.path("/ledger/entries"), entry).await.data(200);
    scene.link(1, "2").await.data(200);

    assert_eq!(carol.put(&waiting, json!({ "status": "completed" })).await.code().1, "NOT_ALLOWED");
    assert_eq!(carol.put(&hut, json!({ "amount": 1 })).await.code().1, "NOT_ALLOWED");
    let entries = group.path("/ledger/entries");
    let revert = |caller: &crate::harness::Caller| {
        let caller = caller.clone();
        let entries = entries.clone();
        async move { caller.call(Method::DELETE, &entries, Some(&json!(["x"]))).await }
    };
    assert_eq!(revert(carol).await.code().1, "NOT_ALLOWED");
    let others = json!({ "fromId": guest, "toId": "1", "amount": 1 });
    let others = carol.post(&group.path("/settlements"), others).await;
    assert_eq!(others.code().1, "NOT_ALLOWED");

    bob.put(&waiting, json!({ "status": "completed" })).await.data(200);
    bob.put(&hut, json!({ "amount": 33 })).await.data(200);
    revert(bob).await.data(200);
    assert_eq!(scene.balance("2", "").await, 33 - 11 - 1);
    let own = json!({ "toId": guest, "amount": 1 });
    let own = bob.post(&group.path("/settlements"), own).await;
    assert_eq!(own.code(), (400, "VALIDATION_ERROR"), "to oneself");
    group.verify().await;
}

#[tokio::test]
async fn lists_of_a_user_include_those_of_linked_guests() {
    let scene = Scene::new().await;
    let group = &scene.group;
    let guest = &*scene.guest;
    let bob = &group.members[1];
    let mut expected: [Vec<String>; 3] = Default::default();
    for (round, payer) in ["2", guest, "1"].into_iter().cycle().take(9).enumerate() {
        group.api.pass(Duration::from_millis((round % 2) as u64));
        let hut = scene.spend(payer, 30, &["1", "2", guest]).await;
        expected[usize::from(payer == "1")].push(hut.rsplit('/').next().unwrap().to_owned());
        let from = if payer == "1" { "2" } else { payer };
        let pays = json!({ "fromId": from, "toId": "3", "amount": 1 });
        let paid = group.members[2].post(&group.path("/settlements"), pays).await;
        expected[2].push(paid.data(201)["id"].as_str().unwrap().to_owned());
    }
    // Between the two who are one: a payment, which is shown once.
    let pays = json!({ "fromId": guest, "toId": "2", "amount": 1 });
    let paid = bob.post(&group.path("/settlements"), pays).await;
    expected[2].push(paid.data(201)["id"].as_str().unwrap().to_owned());
    // The first page of a list from before the link.
    let old = bob.get("/api/users/me/activity?limit=4").await;
    scene.link(1, "2").await.data(200);

    let ids = |items: &[Value], name: &str| -> Vec<String> {
        items.iter().map(|it| it[name].as_str().unwrap().to_owned()).collect()
    };
    let ordered = |items: &[Value]| {
        let times: Vec<_> = items.iter().map(|it| it["createdAt"].to_string()).collect();
        assert!(times.is_sorted_by(|newer, older| newer >= older), "{times:?}");
    };
    for limit in [1, 2, 3, 100] {
        let paid = bob.pages("/api/users/me/expenses", limit).await;
        ordered(&paid);
        assert!(paid.iter().all(|it| it["yourShare"] == 20), "the shares of both: {paid:?}");
        let mut read = ids(&paid, "id");
        read.sort_unstable();
        expected[0].sort_unstable();
        assert_eq!(read, expected[0], "{limit}");

        let owed = bob.pages("/api/users/me/debts", limit).await;
        ordered(&owed);
        // The shares of both, of each expense that Alice paid.
        assert!(owed.iter().all(|it| it["amount"] == 20 && it["payerId"] == "1"), "{owed:?}");
        let mut read = ids(&owed, "expenseId");
        read.sort_unstable();
        expected[1].sort_unstable();
        assert_eq!(read, expected[1], "{limit}");
        let sent = bob.pages("/api/users/me/settlements", limit).await;
        ordered(&sent);
        let mut read = ids(&sent, "id");
        read.sort_unstable();
        expected[2].sort_unstable();
        assert_eq!(read, expected[2], "{limit}");
        let feed = bob.pages("/api/users/me/activity", limit).await;
        ordered(&feed);
        assert_eq!(feed.len(), 6 + 3 + 10, "{limit}");
    }
    let cursor = old.body["pagination"]["nextCursor"].as_str().unwrap();
    let next = bob.get(&format!("/api/users/me/activity?limit=100&cursor={cursor}")).await;
    let both =
        [old.data(200).as_array().unwrap().clone(), next.data(200).as_array().unwrap().clone()];
    ordered(&both.concat());
    let summary = bob.get("/api/users/me/summary").await.data(200).clone();
    assert_eq!(summary["currencies"][0]["paid"], 180, "{summary}");
}

#[tokio::test]
async fn what_a_user_and_a_linked_guest_paid_and_owe_is_one() {
    let scene = Scene::new().await;
    let group = &scene.group;
    let guest = &*scene.guest;
    let bob = &group.members[1];
    // The guest, who is the main payer, and Bob paid 30 and 10 of 60. Together they owe 45.
    let payers = json!([{ "userId": guest, "amount": 30 }, { "userId": "3", "amount": 18 },
        { "userId": "2", "amount": 10 }, { "userId": "1", "amount": 2 }]);
    let splits = json!([{ "userId": guest, "amount": 5 }, { "userId": "2", "amount": 40 },
        { "userId": "1", "amount": 15 }]);
    group
        .spend(0, json!({ "amount": 60, "payers": payers, "splitType": "exact", "splits": splits }))
        .await;
    scene.link(1, "2").await.data(200);
    let debts = bob.get("/api/users/me/debts").await.data(200).clone();
    assert_eq!(debts.as_array().unwrap().len(), 1, "{debts}");
    let shown = ["amount", "payerId", "payerName", "payerCount", "groupTitle"];
    let shown = shown.map(|name| debts[0][name].clone());
    assert_eq!(json!(shown), json!([5, "3", "C", 2, "Alps"]));
    let feed = bob.get("/api/users/me/activity").await.data(200).clone();
    let shown = feed.as_array().unwrap().iter();
    let shown: Vec<_> = shown.map(|it| [&it["type"], &it["amount"], &it["otherPartyId"]]).collect();
    assert_eq!(json!(shown), json!([["expense_owed", 5, "3"], ["expense_paid", 40, null]]));
    // The others owe what they owed.
    let alice = group.members[0].get("/api/users/me/debts").await.data(200).clone();
    assert_eq!(alice[0]["amount"], 13);
}

#[tokio::test]
async fn statement_of_a_linked_guest_is_the_users() {
    let scene = Scene::new().await;
    let group = &scene.group;
    let guest = &*scene.guest;
    scene.spend("1", 30, &["1", "2", guest]).await;
    scene.spend("1", 30, &["1", guest]).await;
    scene.link(1, "2").await.data(200);
    scene.spend("1", 30, &["1", "2"]).await;
    for order in ["asc", "desc"] {
        let of = async |member: &str| {
            let path = format!("/ledger/entries?userId={member}&order={order}");
            group.members[0].pages(&group.path(&path), 2).await
        };
        let of_user = of("2").await;
        assert_eq!(of_user.len(), 3);
        assert_eq!(of(guest).await, of_user, "{order}");
    }
}

#[tokio::test]
async fn lines_that_name_a_user_and_a_linked_guest_can_be_sent_again() {
    let scene = Scene::new().await;
    let group = &scene.group;
    let guest = &*scene.guest;
    let alice = &group.members[0];
    let items = json!([{ "name": "Wine", "amount": 12, "sharers":
        [{ "userId": "1" }, { "userId": "2", "weight": 2 },
            { "userId": guest, "weight": "0.5" }] }]);
    let body = json!({ "amount": 12, "splitType": "itemized", "items": items });
    let id = group.spend(0, body).await["id"].as_str().unwrap().to_owned();
    let path = group.path(&format!("/expenses/{id}"));
    scene.link(1, "2").await.data(200);
    let items = alice.get(&path).await.data(200)["items"].clone();
    let edited = alice.put(&path, json!({ "items": items })).await.data(200).clone();
    let sharers = json!([{ "userId": "1", "weight": 1 }, { "userId": "2", "weight": 2.5 }]);
    assert_eq!(edited["items"][0]["sharers"], sharers);
    assert_eq!(scene.balance("2", "").await.to_string(), "-8.57");
    let mut again = items.clone();
    let first = again[0]["sharers"][0].clone();
    again[0]["sharers"].as_array_mut().unwrap().push(first);
    let refused = alice.put(&path, json!({ "items": again })).await;
    assert_eq!(refused.code(), (400, "VALIDATION_ERROR"), "an id twice stays a mistake");
    group.verify().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn link_beside_writes_that_name_the_guest_leaves_a_correct_ledger() {
    let scene = Scene::new().await;
    let group = &scene.group;
    let guest = scene.guest.clone();
    let old = scene.spend("1", 60, &["1", "2", &guest]).await;
    scene.say(2, "2").await.data(202);
    let processes = [group.api.another(), group.api.another()];
    let mut calls = JoinSet::new();
    for number in 0..16 {
        let caller = group.members[0].at(&processes[number % 2]);
        let expenses = group.path("/expenses");
        let settlements = group.path("/settlements");
        let link = group.path(&format!("/members/{guest}/link"));
        let old = old.clone();
        let guest = guest.clone();
        calls.spawn(async move {
            let splits = json!([{ "userId": "1" }, { "userId": guest }]);
            match number {
                7 => caller.post(&link, json!({ "userId": "2" })).await,
                3 | 11 => caller.put(&old, json!({ "amount": 60 + 3 * number })).await,
                number if number % 4 == 0 => {
                    let body = json!({ "fromId": guest, "toId": "1", "amount": 1 });
                    caller.post(&settlements, body).await
                }
                _ => {
                    let body = json!({ "amount": 2, "description": "x", "splits": splits });
                    caller.post(&expenses, body).await
                }
            }
        });
    }
    for reply in calls.join_all().await {
        assert!(reply.status.is_success(), "{}", reply.text);
    }
    // Each write moved the balance of the guest or of the user, who has all of it now.
    let edited = group.members[0].get(&old).await.data(200)["amount"].as_i64().unwrap();
    assert!([69, 93].contains(&edited), "{edited}");
    assert_eq!(scene.balance("1", "").await, edited / 3 * 2 + 9 - 4);
    assert_eq!(scene.balance("2", "").await, -(edited / 3 * 2 + 9 - 4));
    assert_eq!(scene.balance(&guest, "").await, scene.balance("2", "").await);
    group.verify().await;
}

#[tokio::test]
async fn repeated_link_with_its_key_is_done_once() {
    let scene = Scene::new().await;
    scene.spend("1", 9, &[&scene.guest]).await;
    let path = scene.path();
    let alice = &scene.group.members[0];
    let bob = &scene.group.members[1];
    for _ in 0..2 {
        bob.post_once("p", &path, json!({ "userId": "2" })).await.data(202);
    }
    let first = alice.post_once("k", &path, json!({ "userId": "2" })).await;
    let before = scene.group.api.rows().await;
    let again = alice.post_once("k", &path, json!({ "userId": "2" })).await;
    assert_eq!(again.data(200), first.data(200));
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    let other = alice.post_once("k", &path, json!({ "userId": "3" })).await;
    assert_eq!(other.code(), (422, "IDEMPOTENCY_KEY_REUSED"));
    assert_eq!(scene.group.api.rows().await, before);
}

#[tokio::test]
async fn a_user_has_at_most_ten_guests_of_a_group() {
    let group = Group::new(2, "EUR").await;
    for number in 0..11 {
        let guest = group.guest(0, &format!("Guest {number}")).await;
        if number < 10 {
            group.link(&guest, "2").await.data(200);
            continue;
        }
        let path = group.path(&format!("/members/{guest}/link"));
        let proposed = group.members[0].post(&path, json!({ "userId": "2" })).await;
        assert_eq!(proposed.code(), (422, "TOO_MANY_LINKS"));
    }
    group.members[1].get("/api/users/me/activity").await.data(200);
    group.verify().await;
}

#[tokio::test]
async fn plan_with_pending_settlements_takes_those_of_a_guest_for_the_user() {
    let scene = Scene::new().await;
    let group = &scene.group;
    let guest = &*scene.guest;
    scene.spend("1", 60, &["2", guest]).await;
    let alice = &group.members[0];
    let pay = json!({ "fromId": "2", "toId": "1", "amount": 30 });
    group.members[1].post(&group.path("/settlements"), pay).await.data(201);
    let for_guest = json!({ "fromId": guest, "toId": "1", "amount": 10 });
    let pending = group.members[1].post(&group.path("/settlements"), for_guest).await;
    assert_eq!(pending.data(201)["status"], "pending");
    let planned = async || {
        let debts = alice.get(&group.path("/debts?pending=subtract")).await.data(200).clone();
        debts["suggestedSettlements"].as_array().unwrap().clone()
    };
    let before = planned().await;
    assert_eq!((before.len(), &before[0]["fromUserId"]), (1, &json!(guest)));
    scene.link(1, "2").await.data(200);
    let after = planned().await;
    assert_eq!(after.len(), 1, "{after:?}");
    assert_eq!((&after[0]["fromUserId"], &after[0]["amount"]), (&json!("2"), &json!(20)));
}

#[tokio::test]
async fn payments_between_a_user_and_a_linked_guest_count_once_and_can_be_ended() {
    let scene = Scene::new().await;
    let group = &scene.group;
    let guest = &*scene.guest;
    let bob = &group.members[1];
    let settlements = group.path("/settlements");
    let sent = json!({ "toId": guest, "amount": 5 });
    let sent = bob.post(&settlements, sent).await.data(201).clone();
    let received = json!({ "fromId": guest, "toId": "2", "amount": 7 });
    let received = group.members[0].post(&settlements, received).await.data(201).clone();
    let other = bob.post(&settlements, json!({ "toId": "1", "amount": 1 })).await.data(201).clone();
    scene.link(1, "2").await.data(200);
    let leave = group.path("/leave");
    let message = async || {
        let refused = bob.post(&leave, Value::Null).await;
        assert_eq!(refused.code(), (409, "NOT_SETTLED"));
        refused.body["details"].to_string()
    };
    assert!(message().await.contains("3 settlements"), "{}", message().await);
    for (ended, left) in [(&sent, "2 settlements"), (&received, "1 settlement")] {
        let path = format!("{settlements}/{}", ended["id"].as_str().unwrap());
        bob.put(&path, json!({ "status": "failed" })).await.data(200);
        assert!(message().await.contains(left), "{}", message().await);
    }
    let path = format!("{settlements}/{}", other["id"].as_str().unwrap());
    bob.put(&path, json!({ "status": "failed" })).await.data(200);
    bob.post(&leave, Value::Null).await.data(200);
    group.verify().await;
}
