//! Round trips to the table of each endpoint. Parallel requests are one round trip.

use std::num::NonZeroU32;

use axum::http::Method;
use fracti_http::Quotas;
use serde_json::{Value, json};

use crate::{
    harness::{Api, Caller, Group},
    import::splitwise,
    quotas::quotas,
};

#[tokio::test]
async fn every_endpoint_stays_within_its_round_trips() {
    let scene = Scene::new().await;
    scene.assert_round_trips(&scene.group.members[0], 1).await;
}

/// A group is created without a read, so its transaction waits for the counter.
#[tokio::test]
async fn quotas_add_a_round_trip_only_to_a_write_without_a_read() {
    let sampled = quotas(1000, 1000);
    let never = NonZeroU32::new(1 << 31).unwrap();
    for quotas in [sampled, Quotas { sample: never, ..sampled }] {
        let scene = Scene::new().await;
        scene.assert_round_trips(&scene.group.members[0].with_quotas(quotas), 2).await;
    }
}

#[tokio::test]
async fn a_known_token_with_quotas_takes_the_round_trips_of_quotas() {
    let scene = Scene::new().await;
    let script = scene.token().await.with_quotas(quotas(1000, 1000));
    // The first request finds the token, and notes the day of its use.
    let path = "/api/users/me/usage";
    let [first, second] = [script.get(path).await, script.get(path).await];
    assert_eq!((first.cost.round_trips, second.cost.round_trips), (3, 1));
    scene.assert_round_trips(&script, 2).await;
}

#[tokio::test]
async fn a_token_that_an_instance_sees_for_the_first_time_adds_one_round_trip() {
    let scene = Scene::new().await;
    let token = scene.token().await;
    token.get("/api/groups").await.data(200);
    for (method, path, body, round_trips) in scene.reads() {
        let reply = token.at(&scene.group.api.another()).call(method, &path, body.as_ref()).await;
        let of_token = u32::from(path != "/api/health");
        reply.data(200);
        assert!(reply.cost.round_trips <= round_trips + of_token, "{path}: {}", reply.cost);
    }
}

/// A file of one expense to import.
fn one_row() -> Value {
    let file = splitwise(&["A", "B"], &[("2026-01-01", "General", "Tea", "EUR", vec![100, -100])]);
    let members = json!({ "A": "1", "B": "2" });
    json!({ "file": file, "options": { "commit": true, "members": members } })
}

/// A request, and the round trips that it may take.
type Row = (Method, String, Option<Value>, u32);

/// A group of four with a history.
struct Scene {
    group: Group,
    guest: String,
    other: String,
    expense: String,
    settlement: String,
}

impl Scene {
    /// Checks the round trips of every endpoint that `caller` may use; `to_create` are those of the
    /// creation of a group.
    async fn assert_round_trips(&self, caller: &Caller, to_create: u32) {
        let by_token = caller.authorization().1.starts_with("Bearer ");
        for (method, path, body, round_trips) in
            self.reads().into_iter().chain(self.writes(to_create))
        {
            if by_token && path.ends_with("/wallet") {
                continue;
            }
            let reply = caller.call(method.clone(), &path, body.as_ref()).await;
            assert!(reply.status.is_success(), "{method} {path}: {}", reply.text);
            // Fewer if a dependent read begins while others are still pending.
            assert!(reply.cost.round_trips <= round_trips, "{method} {path}: {}", reply.cost);
        }
    }

    async fn new() -> Self {
        let group = Group::new(4, "EUR").await;
        for n in 1..=30 {
            group.spend(0, json!({ "amount": n })).await;
            group.pay(1, 0, "0.01").await;
        }
        let guest = group.guest(0, "Grandpa").await;
        let expense =
            group.spend(0, json!({ "amount": 5 })).await["id"].as_str().unwrap().to_owned();
        let other = group.guest(0, "Grandma").await;
        let body = json!({ "toId": "1", "amount": 3 });
        let settlement =
            group.members[1].post(&group.path("/settlements"), body).await.data(201)["id"].clone();
        let settlement = settlement.as_str().unwrap().to_owned();
        Self { group, guest, other, expense, settlement }
    }

    /// The first member, by an API token.
    async fn token(&self) -> Caller {
        let new = json!({ "name": "x", "scopes": ["read", "write"] });
        let alice = &self.group.members[0];
        alice.with_token(&alice.post("/api/users/me/tokens", new).await)
    }

    fn reads(&self) -> Vec<Row> {
        let Self { group, expense, settlement, .. } = self;
        let get = |path: &str, round_trips| (Method::GET, path.to_owned(), None, round_trips);
        vec![
            get("/api/health", 0),
            get("/api/groups", 2),
            get(&group.path(""), 1),
            get(&group.path("/expenses"), 1),
            get(&group.path("/settlements?limit=5"), 1),
            get(&group.path(&format!("/expenses/{expense}")), 1),
            get(&group.path(&format!("/settlements/{settlement}")), 1),
            get(&group.path("/debts"), 1),
            get(&group.path(&format!("/expenses/{expense}/breakdown")), 1),
            get(&group.path(&format!("/expenses/{expense}/history")), 1),
            get(&group.path("/ledger/balance"), 1),
            get(&group.path("/ledger/balance?at=2026-01-15T11:00:00Z"), 2),
            get(&group.path("/ledger/days"), 2),
            get(&group.path("/stats"), 1),
            get(&group.path("/ledger/entries"), 2),
            get(&group.path(&format!("/ledger/entries/{expense}")), 1),
            // The ledger, the group with its members, the entries and their rows; JSON also has the
            // settlements that are not completed.
            get(&group.path("/export?format=csv"), 4),
            get(&group.path("/export"), 5),
            get("/api/users/me", 2),
            get("/api/users/me/groups", 2),
            get("/api/users/me/summary", 2),
            get("/api/users/me/expenses", 2),
            get("/api/users/me/debts", 2),
            get("/api/users/me/settlements", 2),
            get("/api/users/me/activity?limit=50", 2),
            get("/api/users/me/targets", 1),
            get("/api/users/me/usage", 1),
        ]
    }

    /// The writes; `to_create` are the round trips of the creation of a group.
    fn writes(&self, to_create: u32) -> Vec<Row> {
        let Self { group, guest, other, expense, settlement } = self;
        let (read, write): (Option<Value>, _) = (None, |body: Value| Some(body));
        vec![
            (Method::PATCH, group.path(""), write(json!({ "title": "Andes" })), 2),
            (Method::DELETE, group.path(&format!("/members/{other}")), read.clone(), 2),
            (Method::POST, group.path("/import"), write(json!({ "file": "" })), 2),
            // The group, the import, the rows that are recorded already, and the transaction with its
            // reads.
            (Method::POST, group.path("/import"), write(one_row()), 5),
            // Another member must not have the guest's name.
            (Method::POST, group.path(&format!("/members/{other}/restore")), read.clone(), 3),
            (
                Method::POST,
                group.path("/expenses"),
                write(json!({ "amount": 1, "description": "x" })),
                2,
            ),
            (
                Method::POST,
                group.path("/settlements"),
                write(json!({ "fromId": "2", "toId": "1", "amount": 1 })),
                2,
            ),
            (
                Method::PUT,
                group.path(&format!("/settlements/{settlement}")),
                write(json!({ "status": "completed" })),
                2,
            ),
            // The members are read after the lock, because a name must be free.
            (Method::POST, group.path("/members"), write(json!({ "name": "Aunt" })), 3),
            (
                Method::PATCH,
                group.path(&format!("/members/{guest}")),
                write(json!({ "name": "Granny" })),
                3,
            ),
            (
                Method::POST,
                group.path(&format!("/members/{guest}/link")),
                write(json!({ "userId": "2" })),
                2,
            ),
            (
                Method::PUT,
                group.path("/wallet"),
                write(json!({ "wallet": format!("0:{}", "a".repeat(64)) })),
                2,
            ),
            (
                Method::POST,
                "/api/groups".to_owned(),
                write(json!({ "title": "x", "chatId": 1 })),
                to_create,
            ),
            (
                Method::PUT,
                group.path(&format!("/expenses/{expense}")),
                write(json!({ "amount": 6 })),
                2,
            ),
            (Method::DELETE, group.path(&format!("/expenses/{expense}")), read.clone(), 2),
            // The history counts only as of a balance that was read before it.
            (Method::POST, group.path(&format!("/expenses/{expense}/restore")), read, 3),
            (
                Method::POST,
                group.path("/ledger/entries"),
                write(json!([{ "entryId": "a", "changes": [
                { "userId": "1", "amount": 1 }, { "userId": "2", "amount": -1 } ] }])),
                3,
            ),
            (Method::DELETE, group.path("/ledger/entries"), write(json!(["a"])), 3),
        ]
    }
}

#[tokio::test]
async fn endpoints_of_tokens_stay_within_their_round_trips() {
    let group = Group::new(1, "EUR").await;
    let (alice, tokens) = (&group.members[0], "/api/users/me/tokens");
    let new = json!({ "name": "x", "scopes": ["read"], "groupId": group.id });
    let created = alice.post_once("key", tokens, new).await;
    let path = format!("{tokens}/{}", created.data(201)["id"].as_str().unwrap());
    // The list, the tokens after it, the transaction, and the query that waits for the index.
    let alone = alice.post(tokens, json!({ "name": "y", "scopes": ["read"] })).await;
    assert_eq!((alone.status.as_u16(), alone.cost.round_trips), (201, 4));
    // The reads of the request's row and of the member run beside the first two, which count as one
    // round trip if one of these takes longer than the first.
    assert!((3..=4).contains(&created.cost.round_trips), "{}", created.cost.round_trips);
    assert_eq!(alice.get(tokens).await.cost.round_trips, 1);
    assert_eq!(alice.delete(&path).await.cost.round_trips, 1);
}

#[tokio::test]
async fn cost_of_debts_does_not_grow_with_the_history() {
    let group = Group::of(&Api::embedded().await, 3, "EUR").await;
    group.spend(0, json!({ "amount": 5 })).await;
    let young = group.members[0].get(&group.path("/debts")).await.cost;
    for n in 1..=60 {
        group.spend(0, json!({ "amount": n })).await;
    }
    let old = group.members[0].get(&group.path("/debts")).await.cost;
    assert_eq!(old, young);
    assert!(old.read_units > 0.0, "{old}");
}

#[tokio::test]
async fn requests_of_a_user_alone_stay_within_their_round_trips() {
    let alice = Api::new().await.user(1, "Alice");
    let targets = "/api/users/me/targets";
    let spendings = "/api/users/me/spendings";
    let body = json!({ "title": "x", "amount": 1, "currency": "EUR" });
    let made = alice.post(spendings, body.clone()).await.data(201)["id"].clone();
    let one = format!("{spendings}/{}", made.as_str().unwrap());
    let given =
        json!({ "title": "x", "amount": 1, "currency": "EUR", "spentAt": "2026-01-14T12:00:00Z" });
    let update = json!({ "version": 1, "period": "day" });
    for (method, path, body, round_trips) in [
        (Method::GET, targets, None, 1),
        (Method::PATCH, targets, Some(update), 2),
        (Method::GET, &format!("{spendings}?from=2026-01-01"), None, 1),
        (Method::POST, spendings, Some(body), 2),
        // Nothing has to be read.
        (Method::POST, spendings, Some(given), 1),
        (Method::GET, &one, None, 1),
        (Method::PUT, &one, Some(json!({ "amount": 2 })), 2),
        (Method::DELETE, &one, None, 2),
    ] {
        let reply = alice.call(method.clone(), path, body.as_ref()).await;
        assert!(reply.status.is_success(), "{method} {path}: {}", reply.text);
        assert_eq!(reply.cost.round_trips, round_trips, "{method} {path}: {}", reply.cost);
    }
}
