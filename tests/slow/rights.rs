//! Who may do what to the members' money: the tables of "Rights" and "Settlements" in docs/api.md.

use std::collections::BTreeMap;

use axum::http::Method;
use serde_json::{Value, json};

use crate::harness::{Group, Reply};

/// The present users 1, 2 and 3; the past members 4 and 5; two guests, and one who is user 3.
struct Scene {
    group: Group,
    guests: [String; 2],
    linked: String,
}

/// What a member may do to a pending settlement.
const UPDATES: [(&str, &str); 3] = [
    ("complete", r#"{ "status": "completed" }"#),
    ("fail", r#"{ "status": "failed" }"#),
    ("attach", r#"{ "txHash": "HASH" }"#),
];

impl Scene {
    async fn new() -> Self {
        let group = Group::new(5, "EUR").await;
        let guests = [group.guest(0, "Grandma").await, group.guest(0, "Grandpa").await];
        let linked = group.guest(0, "Carol").await;
        group.link(&linked, "3").await.data(200);
        for past in [3, 4] {
            group.members[past].post(&group.path("/leave"), json!({})).await.data(200);
        }
        Self { group, guests, linked }
    }

    /// The id of a member that a table names.
    fn id<'a>(&'a self, named: &'a str) -> &'a str {
        match named {
            "guest" => &self.guests[0],
            "other guest" => &self.guests[1],
            "linked" => &self.linked,
            "past" => "4",
            "other past" => "5",
            user => user,
        }
    }

    /// `caller` records a payment, also if an equal one is pending.
    async fn pay(&self, caller: usize, from: &str, to: &str) -> Reply {
        let [from, to] = [from, to].map(|it| self.id(it));
        let body = json!({ "fromId": from, "toId": to, "amount": 1, "separate": true });
        self.group.members[caller - 1].post(&self.group.path("/settlements"), body).await
    }

    /// The users of these who may make an update of a settlement that `recorder` recorded.
    async fn who(&self, recorder: usize, from: &str, to: &str, update: &str) -> Vec<usize> {
        let mut allowed = Vec::new();
        for caller in 1..=3 {
            let made = self.pay(recorder, from, to).await.data(201).clone();
            assert_eq!(made["createdBy"], recorder.to_string());
            let id = made["id"].as_str().unwrap();
            let hash = format!("{:0>64}", id.replace('-', ""));
            let update = serde_json::from_str(&update.replace("HASH", &hash)).unwrap();
            let path = self.group.path(&format!("/settlements/{id}"));
            let reply = self.group.members[caller - 1].put(&path, update).await;
            match reply.code() {
                (200, _) => allowed.push(caller),
                refused => assert_eq!(refused, (403, "NOT_ALLOWED"), "{}", reply.text),
            }
        }
        allowed
    }
}

/// Who recorded a settlement that is pending, and who may then complete it, fail it, and attach a
/// transaction to it.
type Pending = (usize, [&'static [usize]; 3]);

#[tokio::test]
async fn no_member_acts_for_both_sides_of_a_settlement() {
    let scene = Scene::new().await;
    let of_both: [Pending; 3] = [
        (1, [&[2, 3], &[1, 2, 3], &[1, 2, 3]]),
        (2, [&[1, 3], &[1, 2, 3], &[1, 2, 3]]),
        (3, [&[1, 2], &[1, 2, 3], &[1, 2, 3]]),
    ];
    let to_other: [Pending; 3] = [
        (1, [&[2, 3], &[1, 2, 3], &[1]]),
        (2, [&[1], &[1, 2, 3], &[1]]),
        (3, [&[1], &[1, 2, 3], &[1]]),
    ];
    let by_other: [Pending; 2] =
        [(2, [&[1], &[1, 2, 3], &[2, 3]]), (3, [&[1], &[1, 2, 3], &[2, 3]])];
    let by_past = [[(1, [&[2_usize, 3][..], &[1, 2, 3], &[2, 3]])].as_slice(), &by_other].concat();
    // The settlement, who completes it at once, and who records it as pending. Others may not.
    let table: [(&str, &str, Option<usize>, &[Pending]); 14] = [
        ("1", "2", Some(2), &[(1, [&[2], &[1, 2], &[1]])]),
        ("1", "linked", Some(3), &[(1, [&[3], &[1, 3], &[1]])]),
        ("linked", "1", Some(1), &[(3, [&[1], &[1, 3], &[3]])]),
        ("1", "guest", None, &to_other),
        ("1", "past", None, &to_other),
        ("guest", "1", Some(1), &by_other),
        ("past", "1", None, &by_past),
        ("guest", "other guest", None, &of_both),
        ("guest", "past", None, &of_both),
        ("past", "guest", None, &of_both),
        ("past", "other past", None, &of_both),
        (
            "guest",
            "linked",
            Some(3),
            &[(1, [&[3], &[1, 2, 3], &[1, 2]]), (2, [&[3], &[1, 2, 3], &[1, 2]])],
        ),
        (
            "linked",
            "guest",
            None,
            &[
                (1, [&[3], &[1, 2, 3], &[3]]),
                (2, [&[3], &[1, 2, 3], &[3]]),
                (3, [&[1, 2], &[1, 2, 3], &[3]]),
            ],
        ),
        (
            "linked",
            "past",
            None,
            &[
                (1, [&[3], &[1, 2, 3], &[3]]),
                (2, [&[3], &[1, 2, 3], &[3]]),
                (3, [&[1, 2], &[1, 2, 3], &[3]]),
            ],
        ),
    ];
    for (from, to, at_once, pending) in table {
        for caller in 1..=3 {
            let place = format!("{caller}: {from} to {to}");
            let made = scene.pay(caller, from, to).await;
            let recorded = pending.iter().find(|(recorder, _)| *recorder == caller);
            match recorded {
                _ if at_once == Some(caller) => {
                    assert_eq!(made.data(201)["status"], "completed", "{place}");
                }
                None => assert_eq!(made.code(), (403, "NOT_ALLOWED"), "{place}"),
                Some((_, rights)) => {
                    assert_eq!(made.data(201)["status"], "pending", "{place}");
                    for ((name, update), allowed) in UPDATES.iter().zip(rights) {
                        let who = scene.who(caller, from, to, update).await;
                        assert_eq!(who, *allowed, "{place}, {name}");
                    }
                }
            }
        }
    }
    scene.group.verify().await;
}

#[tokio::test]
async fn transaction_of_a_settlement_is_sent_by_who_acts_for_the_payer() {
    let scene = Scene::new().await;
    let path = scene.group.path("/settlements");
    for (number, (caller, from, status)) in
        [(1, "guest", 403), (1, "past", 403), (2, "guest", 201), (2, "past", 201), (2, "2", 201)]
            .into_iter()
            .enumerate()
    {
        let hash = format!("{number:064x}");
        let body = json!({ "fromId": scene.id(from), "toId": "1", "amount": 1, "txHash": hash });
        let made = scene.group.members[caller - 1].post(&path, body).await;
        assert_eq!(made.status, status, "{caller}, {from}: {}", made.text);
    }
}

#[tokio::test]
async fn past_member_who_is_back_acts_alone_for_their_side() {
    let scene = Scene::new().await;
    let group = &scene.group;
    let complete = json!({ "status": "completed" });
    let path = |made: &Reply| {
        group.path(&format!("/settlements/{}", made.data(201)["id"].as_str().unwrap()))
    };
    let paid = path(&scene.pay(1, "1", "past").await);
    let claimed = path(&scene.pay(1, "past", "1").await);
    group.members[3].post(&group.path("/join"), json!({})).await.data(200);
    for settlement in [&paid, &claimed] {
        for other in [0, 1] {
            let refused = group.members[other].put(settlement, complete.clone()).await;
            assert_eq!(refused.code(), (403, "NOT_ALLOWED"), "{}", refused.text);
        }
        group.members[3].put(settlement, complete.clone()).await.data(200);
    }
    group.verify().await;
}

#[tokio::test]
async fn only_present_user_settles_with_guests_alone_but_not_with_past_members() {
    let group = Group::new(2, "EUR").await;
    let guests = [group.guest(0, "Grandma").await, group.guest(0, "Grandpa").await];
    let [alice, bob] = [&group.members[0], &group.members[1]];
    let settlements = group.path("/settlements");
    let pay = async |from: &str, to: &str| {
        let body = json!({ "fromId": from, "toId": to, "amount": 1, "separate": true });
        alice.post(&settlements, body).await.data(201).clone()
    };
    let complete = async |made: &Value| {
        let path = format!("{settlements}/{}", made["id"].as_str().unwrap());
        alice.put(&path, json!({ "status": "completed" })).await.status.as_u16()
    };
    let waiting = pay("1", &guests[0]).await;
    assert_eq!(waiting["status"], "pending", "Bob can confirm it");
    assert_eq!(complete(&waiting).await, 403);
    bob.call(Method::POST, &group.path("/leave"), None).await.data(200);
    assert_eq!(complete(&waiting).await, 200, "now she is alone");
    for (from, to) in [("1", &guests[0]), (&guests[0], &guests[1])] {
        assert_eq!(pay(from, to).await["status"], "completed", "{from} to {to}");
    }
    for (from, to) in [("1", "2"), ("2", "1"), ("2", &guests[0]), (&guests[0], "2")] {
        let made = pay(from, to).await;
        assert_eq!((&made["status"], complete(&made).await), (&json!("pending"), 403));
    }
    group.verify().await;
}

/// A step that user 1 may try: a payment between two members, an update of the newest settlement,
/// or a change of who is a member. No step changes an expense.
#[derive(Clone, Copy, Debug)]
enum Step {
    Pay(&'static str, &'static str),
    Update(&'static str),
    Post(&'static str, &'static str),
    Delete(&'static str),
}

const STEPS: [Step; 26] = [
    Step::Pay("1", "2"),
    Step::Pay("2", "1"),
    Step::Pay("2", "3"),
    Step::Pay("1", "guest"),
    Step::Pay("guest", "1"),
    Step::Pay("2", "guest"),
    Step::Pay("guest", "2"),
    Step::Pay("1", "past"),
    Step::Pay("past", "1"),
    Step::Pay("past", "guest"),
    Step::Pay("guest", "past"),
    Step::Pay("guest", "other guest"),
    Step::Pay("1", "linked"),
    Step::Pay("linked", "1"),
    Step::Pay("guest", "linked"),
    Step::Update(r#"{ "status": "completed" }"#),
    Step::Update(r#"{ "status": "failed" }"#),
    Step::Post("leave", "{}"),
    Step::Post("join", "{}"),
    Step::Post("members/past/restore", "{}"),
    Step::Post("members/guest/link", r#"{ "userId": "1" }"#),
    Step::Post("members/guest/link", r#"{ "userId": "2" }"#),
    Step::Post("members/guest/restore", "{}"),
    Step::Delete("members/guest"),
    Step::Delete("members/2"),
    Step::Delete("members/past"),
];

impl Scene {
    /// User 1 takes a step, and whether they may.
    async fn take(&self, step: Step) -> bool {
        let one = &self.group.members[0];
        let path = |path: &str| {
            let named = path.replace("guest", &self.guests[0]).replace("past", "4");
            self.group.path(&format!("/{named}"))
        };
        let reply = match step {
            Step::Pay(from, to) => self.pay(1, from, to).await,
            Step::Update(update) => {
                let newest = self.group.path("/settlements?limit=1");
                let newest = self.group.members[1].get(&newest).await.data(200).clone();
                let path =
                    self.group.path(&format!("/settlements/{}", newest[0]["id"].as_str().unwrap()));
                one.put(&path, serde_json::from_str(update).unwrap()).await
            }
            Step::Post(to, body) => one.post(&path(to), serde_json::from_str(body).unwrap()).await,
            Step::Delete(at) => one.call(Method::DELETE, &path(at), None).await,
        };
        assert!(reply.status.as_u16() < 500, "{step:?}: {}", reply.text);
        reply.status.is_success()
    }

    /// The users whom guests turned out to be.
    async fn links(&self) -> BTreeMap<String, String> {
        let group = self.group.members[1].get(&self.group.path("")).await.data(200).clone();
        let members = group["members"].as_array().unwrap().iter();
        let text = |member: &Value, field: &str| member[field].as_str().map(str::to_owned);
        members.filter_map(|it| Some((text(it, "id")?, text(it, "linkedTo")?))).collect()
    }

    /// What each person is owed in cents, if guests are the users of these links.
    async fn nets(&self, links: &BTreeMap<String, String>) -> BTreeMap<String, i64> {
        let balance = self.group.path("/ledger/balance");
        let balance = self.group.members[1].get(&balance).await.data(200).clone();
        let mut nets = BTreeMap::new();
        for row in balance["balances"].as_array().unwrap() {
            let id = row["userId"].as_str().unwrap();
            let person = links.get(id).map_or(id, String::as_str).to_owned();
            let net: i64 = (row["net"].to_string() + "00").parse().unwrap();
            *nets.entry(person).or_default() += net;
        }
        nets
    }
}

#[tokio::test]
async fn in_any_two_steps_no_user_takes_what_others_are_owed() {
    let mut taken = 0;
    for first in STEPS {
        for second in STEPS {
            let scene = Scene::new().await;
            // The guest and user 2 are owed 40 each; there is something to take.
            let [guest, other] = &scene.guests;
            for payer in [guest.as_str(), "2"] {
                let body = json!({ "amount": 60, "description": "Hut", "payerId": payer,
                    "splits": [{ "userId": "1" }, { "userId": payer }, { "userId": other }] });
                scene.group.members[1].post(&scene.group.path("/expenses"), body).await.data(201);
            }
            scene.pay(2, "1", "2").await.data(201);
            let before = scene.nets(&BTreeMap::new()).await;
            for step in [first, second] {
                taken += u32::from(scene.take(step).await);
            }
            let links = scene.links().await;
            let mut owed = BTreeMap::new();
            for (id, net) in before {
                *owed.entry(links.get(&id).unwrap_or(&id).clone()).or_default() += net;
            }
            let after = scene.nets(&links).await;
            for (id, net) in &owed {
                let later = after.get(id).copied().unwrap_or_default();
                assert!(
                    id == "1" || later >= *net,
                    "{first:?}, {second:?}: {id}: {net} to {later}"
                );
            }
        }
    }
    assert!(taken > 600, "{taken} steps were allowed");
}

#[tokio::test]
async fn any_member_acts_for_a_past_payer_until_they_are_back() {
    let group = Group::new(4, "EUR").await;
    let [alice, bob, carol, dave] = [0, 1, 2, 3].map(|index| &group.members[index]);
    let shared = json!([{ "userId": "1" }, { "userId": "2" }]);
    // Dave paid and recorded each, Bob a part of the last one; all are settled before Dave goes.
    let several = json!([{ "userId": "4", "amount": 6 }, { "userId": "2", "amount": 4 }]);
    let one = json!({ "amount": 10, "splits": shared });
    let both = json!({ "amount": 10, "splits": shared, "payers": several });
    let path = |made: &Value| group.path(&format!("/expenses/{}", made["id"].as_str().unwrap()));
    let paths = [path(&group.spend(3, one).await), path(&group.spend(3, both).await)];
    let edit = json!({ "description": "Hut" });
    let refused = |reply: Reply| assert_eq!(reply.code(), (403, "NOT_ALLOWED"), "{}", reply.text);
    for path in &paths {
        refused(carol.put(path, edit.clone()).await);
        refused(carol.post(&format!("{path}/preview"), edit.clone()).await);
    }
    for (from, amount) in [(0, "10"), (1, "6")] {
        group.pay(from, 3, amount).await;
    }
    let balances = group.balances().await;
    assert_eq!(balances, ["0", "0", "0", "0"]);
    dave.call(Method::POST, &group.path("/leave"), None).await.data(200);
    for path in &paths {
        carol.post(&format!("{path}/preview"), edit.clone()).await.data(200);
        carol.put(path, edit.clone()).await.data(200);
        carol.delete(path).await.data(200);
        bob.post(&format!("{path}/restore"), json!({})).await.data(200);
        let again = alice.post(&format!("{path}/restore"), json!({})).await;
        again.data(200);
    }
    dave.post(&group.path("/join"), json!({})).await.data(200);
    for path in &paths {
        refused(carol.put(path, edit.clone()).await);
        refused(carol.delete(path).await);
    }
    // Whom the creator removed is past as well.
    let change = |user: &str, amount| json!({ "userId": user, "amount": amount });
    let entry = |id: &str| json!([{ "entryId": id, "changes": [change("4", 1), change("2", -1)] }]);
    let entries = group.path("/ledger/entries");
    dave.post(&entries, entry("there")).await.data(200);
    let back = json!([{ "entryId": "back", "changes": [change("4", -1), change("2", 1)] }]);
    dave.post(&entries, back).await.data(200);
    let revert = group.path("/ledger/entries/revert");
    refused(carol.post(&revert, json!(["there", "back"])).await);
    alice.delete(&group.path("/members/4")).await.data(200);
    carol.post(&revert, json!(["there", "back"])).await.data(200);
    carol.delete(&paths[0]).await.data(200);
    assert_eq!(dave.put(&paths[1], edit).await.code(), (403, "REMOVED"));
    group.verify().await;
}
