//! Changes of a group, as a client follows them.

use std::{collections::BTreeSet, time::Duration};

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::{
    harness::{Api, Caller, Group},
    import::splitwise,
};
use fracti_tests::operations::receipt;

/// A client that follows a group.
struct Follower {
    caller: Caller,
    path: String,
    cursor: String,
}

impl Follower {
    /// A client that follows from now on.
    async fn of(group: &Group) -> Self {
        let caller = group.members[0].clone();
        let path = group.path("/changes");
        let now = caller.get(&path).await;
        assert_eq!(now.data(200), &json!([]));
        Self { caller, path, cursor: next(&now.body) }
    }

    /// What is new, `limit` changes at a time.
    async fn news(&mut self, limit: usize) -> Vec<Value> {
        let mut news = Vec::new();
        loop {
            let path = format!("{}?after={}&limit={limit}", self.path, self.cursor);
            let page = self.caller.get(&path).await;
            let items = page.data(200).as_array().unwrap();
            assert!(items.len() <= limit);
            news.extend(items.iter().cloned());
            self.cursor = next(&page.body);
            if page.body["pagination"]["hasMore"] == false {
                return news;
            }
        }
    }

    /// The kinds of what is new.
    async fn kinds(&mut self) -> Vec<String> {
        let news = self.news(100).await;
        news.iter().map(|change| change["kind"].as_str().unwrap().to_owned()).collect()
    }
}

/// The cursor of a page, which is always there.
fn next(page: &Value) -> String {
    page["pagination"]["nextCursor"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn each_kind_of_write_is_one_change() {
    let group = Group::new(2, "EUR").await;
    let [alice, bob] = [&group.members[0], &group.members[1]];
    let mut follower = Follower::of(&group).await;
    let expense = group.spend(1, json!({ "amount": 24, "description": "Pizza" })).await;
    let expense = group.path(&format!("/expenses/{}", expense["id"].as_str().unwrap()));
    bob.put(&expense, json!({ "amount": 30 })).await.data(200);
    let news = follower.news(100).await;
    assert_eq!((&news[0]["number"], &news[1]["number"]), (&json!(2), &json!(3)), "Bob has joined");
    assert_eq!(news[0]["entries"], json!({ "sequence": 0, "count": 1 }));
    assert_eq!(news[1]["entries"], json!({ "sequence": 1, "count": 2 }));
    assert_eq!((&news[1]["actorId"], &news[1]["actorName"]), (&json!("2"), &json!("B")));
    assert_eq!(news[1]["before"], json!({ "amount": 24, "currency": "EUR" }));
    assert_eq!(
        news[1]["expense"],
        json!({ "id": expense.rsplit('/').next().unwrap(), "description": "Pizza", "amount": 30,
                "currency": "EUR" })
    );

    bob.delete(&expense).await.data(200);
    bob.post(&format!("{expense}/restore"), Value::Null).await.data(200);
    assert_eq!(follower.kinds().await, ["expense.deleted", "expense.restored"]);

    let settlements = group.path("/settlements");
    let pay = json!({ "toId": "2", "amount": 5 });
    let paid = alice.post(&settlements, pay.clone()).await.id();
    bob.put(&format!("{settlements}/{paid}"), json!({ "status": "completed" })).await.data(200);
    let unpaid = alice.post(&settlements, pay).await.id();
    bob.put(&format!("{settlements}/{unpaid}"), json!({ "status": "failed" })).await.data(200);
    let news = follower.news(100).await;
    let seen = |it: &Value| (it["kind"].clone(), it["settlement"]["status"].clone());
    let expected = [
        ("settlement.recorded", "pending"),
        ("settlement.completed", "completed"),
        ("settlement.recorded", "pending"),
        ("settlement.failed", "failed"),
    ];
    let expected: Vec<_> = expected.map(|(kind, status)| (json!(kind), json!(status))).into();
    assert_eq!(news.iter().map(seen).collect::<Vec<_>>(), expected);
    let settlement = &news[0]["settlement"];
    assert_eq!((&settlement["fromUserName"], &settlement["amount"]), (&json!("A"), &json!(5)));

    let guest = group.guest(0, "Granny").await;
    let member = group.path(&format!("/members/{guest}"));
    alice.delete(&member).await.data(200);
    alice.post(&format!("{member}/restore"), Value::Null).await.data(200);
    group.link(&guest, "2").await.data(200);
    let carol = group.api.user(3, "Carol");
    for step in ["/join", "/leave", "/join"] {
        carol.post(&group.path(step), json!({})).await.data(200);
    }
    let news = follower.news(100).await;
    let seen = |it: &Value| (it["kind"].clone(), it["member"]["name"].clone());
    let expected = [
        ("guest.added", "Granny"),
        ("member.removed", "Granny"),
        ("member.restored", "Granny"),
        ("link.proposed", "Granny"),
        ("member.linked", "Granny"),
        ("member.joined", "Carol"),
        ("member.left", "Carol"),
        ("member.joined", "Carol"),
    ];
    let expected: Vec<_> = expected.map(|(kind, name)| (json!(kind), json!(name))).into();
    assert_eq!(news.iter().map(seen).collect::<Vec<_>>(), expected);
    assert_eq!(news[3]["member"]["proposedUserId"], "2");
    assert_eq!(news[4]["member"]["linkedTo"], "2");

    let entries = group.path("/ledger/entries");
    let push = |name: &str| json!({ "entryId": name, "changes": [{ "userId": "1", "amount": 1 }, { "userId": "2", "amount": -1 }] });
    alice.post(&entries, json!({ "entries": [push("a"), push("b")] })).await.data(200);
    alice.post(&format!("{entries}/revert"), json!({ "entryIds": ["a", "c"] })).await.data(200);
    let news = follower.news(100).await;
    let seen = |it: &Value| (it["kind"].clone(), it["adjustments"].clone());
    let expected =
        [(json!("adjustment.pushed"), json!(2)), (json!("adjustment.reverted"), json!(1))];
    assert_eq!(news.iter().map(seen).collect::<Vec<_>>(), expected);

    let rows: Vec<_> =
        (0..60).map(|_| ("2026-01-10", "Taxi", "Taxi", "EUR", vec![100, -100])).collect();
    let options = json!({ "commit": true, "members": { "A": "1", "B": "2" } });
    let import = json!({ "file": splitwise(&["A", "B"], &rows), "options": options });
    let done = alice.post(&group.path("/import"), import).await.data(200).clone();
    let import = group.path(&format!("/import/{}", done["importId"].as_str().unwrap()));
    alice.delete(&import).await.data(200);
    assert_eq!(follower.kinds().await, ["import.done", "import.undone"], "{done}");

    for settings in
        [json!({ "title": "Sea" }), json!({ "archived": true }), json!({ "archived": false })]
    {
        alice.patch(&group.path(""), settings).await.data(200);
    }
    let news = follower.news(100).await;
    let seen = |it: &Value| (it["kind"].clone(), it["group"].clone());
    let group_of = |archived| json!({ "title": "Sea", "currency": "EUR", "archived": archived });
    let expected = [
        (json!("group.changed"), group_of(false)),
        (json!("group.archived"), group_of(true)),
        (json!("group.changed"), group_of(false)),
    ];
    assert_eq!(news.iter().map(seen).collect::<Vec<_>>(), expected);

    let question = alice.post(&group.path("/questions"), receipt()).await.id();
    let question = group.path(&format!("/questions/{question}"));
    alice.put(&format!("{question}/claims"), json!({ "items": [{ "item": 0 }] })).await.data(200);
    alice.post(&format!("{question}/apply"), json!({ "unclaimed": "payers" })).await.data(200);
    assert_eq!(follower.kinds().await, ["question.asked", "expense.added"], "claims are not told");
    group.verify().await;
}

#[tokio::test]
async fn write_that_changes_nothing_or_is_repeated_tells_nothing() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let mut follower = Follower::of(&group).await;
    let expenses = group.path("/expenses");
    let new = json!({ "amount": 10, "description": "Tea" });
    let made = alice.post_once("tea", &expenses, new.clone()).await.id();
    assert_eq!(alice.post_once("tea", &expenses, new).await.id(), made);
    let expense = format!("{expenses}/{made}");
    alice.put(&expense, json!({ "amount": 10 })).await.data(200);
    alice.put(&expense, json!({ "amount": 0 })).await.data(400);
    group.members[1].put(&expense, json!({ "amount": 9 })).await.data(403);
    alice.patch(&group.path(""), json!({ "title": "Alps" })).await.data(200);
    alice.post(&group.path("/join"), json!({})).await.data(200);
    let wallet = json!({ "wallet": "EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF" });
    alice.put(&group.path("/wallet"), wallet).await.data(200);
    let entries = group.path("/ledger/entries");
    alice.post(&format!("{entries}/revert"), json!({ "entryIds": ["none"] })).await.data(200);
    assert_eq!(follower.kinds().await, ["expense.added"]);
    assert_eq!(follower.kinds().await, [""; 0]);
}

#[tokio::test]
async fn cursor_finds_what_is_new_a_year_later_and_only_in_its_group() {
    let group = Group::new(2, "EUR").await;
    let other = Group::of(&group.api, 2, "EUR").await;
    let mut follower = Follower::of(&group).await;
    group.api.pass(Duration::from_hours(24 * 365));
    let alice = group.api.user(1, "A");
    follower.caller = alice.clone();
    for amount in 1..=7 {
        let new = json!({ "amount": amount, "description": "Tea" });
        alice.post(&group.path("/expenses"), new).await.data(201);
    }
    let before = follower.cursor.clone();
    for limit in [1, 3, 7, 100] {
        follower.cursor.clone_from(&before);
        let news = follower.news(limit).await;
        let amounts: Vec<_> = news.iter().map(|it| it["expense"]["amount"].clone()).collect();
        assert_eq!(amounts, (1..=7).map(|amount| json!(amount)).collect::<Vec<_>>(), "by {limit}");
    }
    let at = |group: &Group, cursor: &str| format!("{}?after={cursor}", group.path("/changes"));
    let refused = alice.get(&at(&other, &follower.cursor)).await;
    assert_eq!(refused.code(), (400, "INVALID_CURSOR"));
    let page = alice.get(&format!("{}?limit=1", group.path("/expenses"))).await;
    assert_eq!(alice.get(&at(&group, &next(&page.body))).await.code(), (400, "INVALID_CURSOR"));
    assert_eq!(alice.get(&at(&group, "")).await.code(), (400, "INVALID_CURSOR"));
    let as_cursor = at(&group, &follower.cursor).replace("after", "cursor");
    assert_eq!(alice.get(&as_cursor).await.code(), (400, "VALIDATION_ERROR"));
    let stranger = group.api.user(9, "Mallory").get(&at(&group, &follower.cursor)).await;
    assert_eq!(stranger.code(), (403, "NOT_A_MEMBER"));
}

#[tokio::test]
async fn who_has_left_sees_no_changes_and_who_is_back_sees_all() {
    let group = Group::new(3, "EUR").await;
    let mut follower = Follower::of(&group).await;
    let bob = group.api.user(2, "B");
    bob.post(&group.path("/leave"), json!({})).await.data(200);
    let path = format!("{}?after={}", group.path("/changes"), follower.cursor);
    assert_eq!(bob.get(&path).await.code(), (403, "LEFT"));
    bob.post(&group.path("/join"), json!({})).await.data(200);
    assert_eq!(bob.get(&path).await.data(200).as_array().unwrap().len(), 2);
    assert_eq!(follower.kinds().await, ["member.left", "member.joined"]);
}

/// A query may see a change that was committed while it ran, and not the one before.
#[tokio::test]
async fn page_ends_before_a_gap() {
    let group = Group::new(2, "EUR").await;
    let mut follower = Follower::of(&group).await;
    for amount in 1..=3 {
        group.spend(0, json!({ "amount": amount })).await;
    }
    let pk = format!("LEDGER#{}", group.id);
    let sk = "CHANGE#00000000000000000003";
    let row = group.api.rows().await[&(pk.clone(), sk.to_owned())].clone();
    group.api.delete_row(&pk, sk).await;
    let path = format!("{}?after={}", group.path("/changes"), follower.cursor);
    let page = follower.caller.get(&path).await;
    assert_eq!(page.data(200).as_array().unwrap().len(), 1);
    assert_eq!(page.body["pagination"]["hasMore"], true);
    follower.cursor = next(&page.body);
    let again = format!("{}?after={}", group.path("/changes"), follower.cursor);
    let empty = follower.caller.get(&again).await;
    assert_eq!(empty.data(200), &json!([]));
    assert_eq!(next(&empty.body), follower.cursor);
    group.api.change_row(&pk, sk, |it| *it = row).await;
    let amounts = follower.news(100).await;
    let amounts: Vec<_> = amounts.iter().map(|it| it["expense"]["amount"].clone()).collect();
    assert_eq!(amounts, [json!(2), json!(3)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn follower_of_concurrent_writers_sees_each_change_once() {
    let api = Api::new().await;
    let group = Group::of(&api, 4, "EUR").await;
    let other = group.api.another();
    let mut follower = Follower::of(&group).await;
    let mut calls = JoinSet::new();
    for index in 0..24_u64 {
        let member = &group.members[(index % 4) as usize];
        let member = if index % 2 == 0 { member.clone() } else { member.at(&other) };
        let path = group.path("/expenses");
        let settlements = group.path("/settlements");
        calls.spawn(async move {
            let new = json!({ "amount": index + 1, "description": "Tea" });
            let made = member.post(&path, new).await.id();
            if index % 3 == 0 {
                member.delete(&format!("{path}/{made}")).await.data(200);
            } else if index % 3 == 1 {
                let to = if member.id == "1" { "2" } else { "1" };
                member.post(&settlements, json!({ "toId": to, "amount": 1 })).await.data(201);
            }
        });
    }
    let mut news = Vec::new();
    while !calls.is_empty() {
        news.extend(follower.news(5).await);
        calls.join_next().await.unwrap().unwrap();
    }
    news.extend(follower.news(5).await);
    let numbers: Vec<u64> = news.iter().map(|it| it["number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (4..4 + 24 + 16).collect::<Vec<_>>(), "three have joined before");
    let mut standing = BTreeSet::new();
    for change in &news {
        let id = change["expense"]["id"].as_str().unwrap_or_default().to_owned();
        match change["kind"].as_str().unwrap() {
            "expense.added" => assert!(standing.insert(id)),
            "expense.deleted" => assert!(standing.remove(&id)),
            kind => assert_eq!(kind, "settlement.recorded"),
        }
    }
    let listed = group.members[0].pages(&group.path("/expenses"), 100).await;
    let listed: BTreeSet<_> =
        listed.iter().map(|it| it["id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(standing, listed);
}

#[tokio::test]
async fn nothing_new_costs_two_reads_at_once() {
    let group = Group::of(&Api::embedded().await, 2, "EUR").await;
    for amount in 1..=30 {
        group.spend(0, json!({ "amount": amount })).await;
    }
    let alice = &group.members[0];
    let now = alice.get(&group.path("/changes")).await;
    let path = format!("{}?after={}", group.path("/changes"), next(&now.body));
    let nothing = alice.get(&path).await;
    assert_eq!(nothing.data(200), &json!([]));
    assert_eq!((nothing.cost.requests, nothing.cost.read_units.to_string()), (2, "2".to_owned()));
    assert_eq!(nothing.cost.round_trips, 1);
}
