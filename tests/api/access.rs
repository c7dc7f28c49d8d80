//! Permissions: every endpoint, called by every kind of user.

use std::time::Duration;

use axum::http::Method;
use fracti_core::telegram;
use serde_json::{Value, json};

use crate::harness::{Api, Caller, Group, TOKEN};

/// The kind of user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asker {
    NoHeader,
    Forged,
    OtherBot,
    Expired,
    Future,
    Doubled,
    Stranger,
    Member,
    Payer,
    Party,
}

use Asker::{Doubled, Expired, Forged, Future, Member, NoHeader, OtherBot, Party, Payer, Stranger};

/// A group: user 1 paid an expense and has a token, 2 created a settlement to 1 and the guest, 3 is
/// a member, and 9 is not.
struct Scene {
    group: Group,
    expense: String,
    settlement: String,
    guest: String,
    token: String,
}

impl Scene {
    async fn new() -> Self {
        let group = Group::new(3, "EUR").await;
        let expense =
            group.spend(0, json!({ "amount": 9 })).await["id"].as_str().unwrap().to_owned();
        let body = json!({ "toId": "1", "amount": 3 });
        let settlement = group.members[1].post(&group.path("/settlements"), body).await;
        let settlement = settlement.data(201)["id"].as_str().unwrap().to_owned();
        let guest = group.guest(1, "Grandma").await;
        let token = json!({ "name": "Phone", "scopes": ["read"] });
        let token = group.members[0].post("/api/users/me/tokens", token).await;
        let token = token.data(201)["id"].as_str().unwrap().to_owned();
        Self { group, expense, settlement, guest, token }
    }

    fn caller(&self, asker: Asker) -> Caller {
        let api: &Api = &self.group.api;
        let alice = &self.group.members[0];
        let at = |seconds: i64| {
            let millis = api.now().millis().checked_add_signed(seconds * 1000).unwrap();
            fracti_core::time::Timestamp::from_millis(millis).unwrap()
        };
        let header = |init_data: String| Some(("authorization", format!("tma {init_data}")));
        let valid = telegram::sign(&alice.user, TOKEN, api.now());
        match asker {
            NoHeader => alice.with(None),
            Forged => alice.with(header(valid.replace("%22A%22", "%22E%22"))),
            OtherBot => alice.with(header(telegram::sign(&alice.user, "43:other", api.now()))),
            Expired => alice.with(header(telegram::sign(&alice.user, TOKEN, at(-86_401)))),
            Future => alice.with(header(telegram::sign(&alice.user, TOKEN, at(61)))),
            Doubled => alice.with(header(format!("{valid}&auth_date=1"))),
            Stranger => api.user(9, "Eve"),
            Member => self.group.members[2].clone(),
            Party => self.group.members[1].clone(),
            Payer => alice.clone(),
        }
    }
}

const NOBODY: [Asker; 6] = [NoHeader, Forged, OtherBot, Expired, Future, Doubled];

/// A request, with the status for a stranger, a member, the settlement's payer, and the expense's
/// payer (the settlement's recipient).
type Row = (Method, &'static str, Option<Value>, [u16; 4]);

fn rows() -> Vec<Row> {
    [in_groups(), of_users()].concat()
}

/// Requests for groups and what belongs to them, but guests.
fn in_groups() -> Vec<Row> {
    let wallet = json!({ "wallet": format!("0:{}", "a".repeat(64)) });
    let spend = json!({ "amount": 3, "description": "x" });
    let edit = json!({ "amount": 4 });
    let opening = [("1", 1), ("2", -1)].map(|(user, by)| json!({ "userId": user, "amount": by }));
    let opening = json!([{ "entryId": "opening", "changes": opening }]);
    let expenses_entry = json!(["E"]);
    vec![
        (Method::GET, "/api/groups", None, [200, 200, 200, 200]),
        (
            Method::POST,
            "/api/groups",
            Some(json!({ "title": "x", "chatId": 1 })),
            [201, 201, 201, 201],
        ),
        // The init data has no `chat_instance`.
        (Method::POST, "/api/groups/open", Some(json!({})), [400, 400, 400, 400]),
        (Method::GET, "/api/groups/G", None, [403, 200, 200, 200]),
        (Method::PATCH, "/api/groups/G", Some(json!({ "title": "x" })), [403, 200, 200, 200]),
        // Balances are open. Only the creator may remove a user.
        (Method::POST, "/api/groups/G/leave", None, [403, 409, 409, 409]),
        (Method::DELETE, "/api/groups/G/members/3", None, [403, 403, 403, 409]),
        (Method::POST, "/api/groups/G/members/3/restore", None, [403, 200, 200, 200]),
        (Method::POST, "/api/groups/G/join", Some(json!({})), [200, 200, 200, 200]),
        (Method::PUT, "/api/groups/G/wallet", Some(wallet), [403, 200, 200, 200]),
        (Method::GET, "/api/groups/G/expenses", None, [403, 200, 200, 200]),
        (Method::GET, "/api/groups/G/expenses/E", None, [403, 200, 200, 200]),
        (Method::POST, "/api/groups/G/expenses", Some(spend), [403, 201, 201, 201]),
        (Method::DELETE, "/api/groups/G/expenses/E", None, [403, 403, 403, 200]),
        (Method::PUT, "/api/groups/G/expenses/E", Some(edit), [403, 403, 403, 200]),
        (Method::POST, "/api/groups/G/expenses/E/restore", None, [403, 403, 403, 200]),
        (Method::GET, "/api/groups/G/expenses/E/history", None, [403, 200, 200, 200]),
        (Method::GET, "/api/groups/G/expenses/E/breakdown", None, [403, 200, 200, 200]),
        (Method::GET, "/api/groups/G/ledger/balance", None, [403, 200, 200, 200]),
        (Method::GET, "/api/groups/G/ledger/entries", None, [403, 200, 200, 200]),
        (Method::GET, "/api/groups/G/ledger/entries/E", None, [403, 200, 200, 200]),
        (Method::GET, "/api/groups/G/ledger/days", None, [403, 200, 200, 200]),
        (Method::GET, "/api/groups/G/stats", None, [403, 200, 200, 200]),
        (Method::POST, "/api/groups/G/ledger/entries", Some(opening), [403, 200, 200, 200]),
        // Not even the creator: an expense is deleted, not reverted.
        (
            Method::DELETE,
            "/api/groups/G/ledger/entries",
            Some(expenses_entry.clone()),
            [403, 403, 403, 403],
        ),
        (
            Method::POST,
            "/api/groups/G/ledger/entries/revert",
            Some(expenses_entry),
            [403, 403, 403, 403],
        ),
        (Method::GET, "/api/groups/G/debts", None, [403, 200, 200, 200]),
        (Method::GET, "/api/groups/G/settlements", None, [403, 200, 200, 200]),
        (Method::GET, "/api/groups/G/settlements/S", None, [403, 200, 200, 200]),
        (
            Method::POST,
            "/api/groups/G/settlements",
            Some(json!({ "toId": "2", "fromId": "1", "amount": 1 })),
            [403, 403, 201, 201],
        ),
        (
            Method::PUT,
            "/api/groups/G/settlements/S",
            Some(json!({ "status": "completed" })),
            [403, 403, 403, 200],
        ),
        (
            Method::PUT,
            "/api/groups/G/settlements/S",
            Some(json!({ "status": "failed" })),
            [403, 403, 200, 200],
        ),
        (
            Method::PUT,
            "/api/groups/G/settlements/S",
            Some(json!({ "txHash": "a".repeat(64) })),
            [403, 403, 200, 403],
        ),
    ]
}

/// Requests for the caller's own data.
fn of_users() -> Vec<Row> {
    vec![
        (Method::GET, "/api/users/me", None, [200, 200, 200, 200]),
        (Method::GET, "/api/users/me/groups", None, [200, 200, 200, 200]),
        (Method::GET, "/api/users/me/expenses", None, [200, 200, 200, 200]),
        (Method::GET, "/api/users/me/debts", None, [200, 200, 200, 200]),
        (Method::GET, "/api/users/me/settlements", None, [200, 200, 200, 200]),
        (Method::GET, "/api/users/me/activity", None, [200, 200, 200, 200]),
        (Method::GET, "/api/users/me/summary", None, [200, 200, 200, 200]),
        (Method::GET, "/api/users/me/targets", None, [200, 200, 200, 200]),
        (Method::GET, "/api/users/me/usage", None, [200, 200, 200, 200]),
        (Method::GET, "/api/users/me/tokens", None, [200, 200, 200, 200]),
        (
            Method::POST,
            "/api/users/me/tokens",
            Some(json!({ "name": "x", "scopes": ["read"] })),
            [201, 201, 201, 201],
        ),
        (
            Method::POST,
            "/api/users/me/tokens",
            Some(json!({ "name": "x", "scopes": ["read"], "groupId": "G" })),
            [403, 201, 201, 201],
        ),
        (Method::DELETE, "/api/users/me/tokens/T", None, [404, 404, 404, 200]),
        (Method::GET, "/api/users/me/spendings", None, [200, 200, 200, 200]),
        (Method::GET, "/api/users/me/days", None, [200, 200, 200, 200]),
        (Method::GET, "/api/users/me/days/2026-01-15", None, [200, 200, 200, 200]),
        (Method::POST, "/api/users/me/days/rebuild", None, [200, 200, 200, 200]),
        (
            Method::POST,
            "/api/users/me/spendings",
            Some(json!({ "title": "Tea", "amount": 1, "currency": "EUR" })),
            [201, 201, 201, 201],
        ),
        (
            Method::PATCH,
            "/api/users/me/targets",
            Some(json!({ "version": 1, "period": "day" })),
            [200, 200, 200, 200],
        ),
    ]
}

fn of_guests() -> Vec<Row> {
    vec![
        (
            Method::POST,
            "/api/groups/G/members",
            Some(json!({ "name": "Grandpa" })),
            [403, 201, 201, 201],
        ),
        (
            Method::PATCH,
            "/api/groups/G/members/M",
            Some(json!({ "name": "Granny" })),
            [403, 200, 200, 200],
        ),
        (
            Method::PATCH,
            "/api/groups/G/members/3",
            Some(json!({ "name": "Carla" })),
            [403, 403, 403, 403],
        ),
        (
            Method::POST,
            "/api/groups/G/members/M/link",
            Some(json!({ "userId": "1" })),
            [403, 200, 200, 403],
        ),
        (
            Method::POST,
            "/api/groups/G/members/3/link",
            Some(json!({ "userId": "1" })),
            [403, 403, 403, 403],
        ),
        // Any member acts for a guest.
        (
            Method::POST,
            "/api/groups/G/settlements",
            Some(json!({ "toId": "M", "fromId": "1", "amount": 1 })),
            [403, 201, 201, 201],
        ),
        (
            Method::POST,
            "/api/groups/G/settlements",
            Some(json!({ "toId": "1", "fromId": "M", "amount": 1 })),
            [403, 201, 201, 201],
        ),
    ]
}

#[tokio::test]
async fn every_endpoint_allows_exactly_its_principals() {
    for (method, path, body, statuses) in [rows(), of_guests()].concat() {
        let mut scene = Scene::new().await;
        let known = [
            (Stranger, statuses[0]),
            (Member, statuses[1]),
            (Party, statuses[2]),
            (Payer, statuses[3]),
        ];
        for (asker, status) in NOBODY.map(|asker| (asker, 401)).into_iter().chain(known) {
            let at = scene.path(path);
            let body = body.as_ref().map(|body| named(body, &scene));
            let before = scene.group.api.rows().await;
            let reply = scene.caller(asker).call(method.clone(), &at, body.as_ref()).await;
            assert_eq!(reply.status, status, "{asker:?}: {method} {path} {body:?}: {}", reply.text);
            let code = match status {
                401 => Some(match asker {
                    NoHeader => "UNAUTHORIZED",
                    Expired => "INIT_DATA_EXPIRED",
                    Future => "INIT_DATA_IN_FUTURE",
                    _ => "INVALID_INIT_DATA",
                }),
                403 if asker == Stranger => Some("NOT_A_MEMBER"),
                403 => Some("NOT_ALLOWED"),
                _ => None,
            };
            if let Some(code) = code {
                assert_eq!(reply.body["error"], code, "{asker:?}: {method} {path}");
                assert_eq!(scene.group.api.rows().await, before, "{asker:?}: {method} {path}");
            } else {
                // The request may have succeeded, so the next one gets a new group.
                scene.group.verify().await;
                scene = Scene::new().await;
            }
        }
    }
}

impl Scene {
    /// A path with `G`, `E`, `S`, `M` and `T` for the ids.
    fn path(&self, path: &str) -> String {
        let path = path.replace("/G", &format!("/{}", self.group.id));
        let path = path.replace("/E", &format!("/{}", self.expense));
        let path = path.replace("/S", &format!("/{}", self.settlement));
        let path = path.replace("/M", &format!("/{}", self.guest));
        path.replace("/T", &format!("/{}", self.token))
    }
}

#[tokio::test]
async fn past_member_is_refused_by_every_route_of_the_group() {
    let scene = Scene::new().await;
    let [left, removed] =
        [(8, "Left"), (9, "Removed")].map(|(id, name)| scene.group.api.user(id, name));
    for past in [&left, &removed] {
        past.post(&scene.path("/api/groups/G/join"), json!({})).await.data(200);
    }
    left.post(&scene.path("/api/groups/G/leave"), json!({})).await.data(200);
    scene.group.members[0].delete(&scene.path("/api/groups/G/members/9")).await.data(200);
    let before = scene.group.api.rows().await;
    for past in [&left, &removed] {
        for (method, path, body, _) in rows() {
            if !path.starts_with("/api/groups/G") || (path.ends_with("/join") && past.id == "8") {
                continue;
            }
            let body = body.as_ref().map(|body| named(body, &scene));
            let reply = past.call(method.clone(), &scene.path(path), body.as_ref()).await;
            let code = if path.ends_with("/join") { "REMOVED" } else { "NOT_A_MEMBER" };
            assert_eq!(reply.code(), (403, code), "{}: {method} {path}", past.user.name);
        }
    }
    assert_eq!(scene.group.api.rows().await, before);
}

#[tokio::test]
async fn archived_group_can_be_read_but_not_written() {
    let scene = Scene::new().await;
    let changes = [("1", 1), ("2", -1)].map(|(user, by)| json!({ "userId": user, "amount": by }));
    let pushed = json!([{ "entryId": "pushed", "changes": changes }]);
    let entries = scene.path("/api/groups/G/ledger/entries");
    scene.caller(Payer).post(&entries, pushed).await.data(200);
    let archive = json!({ "archived": true });
    scene.caller(Payer).patch(&scene.path("/api/groups/G"), archive).await.data(200);
    let before = scene.group.api.rows().await;
    let mut refused = 0;
    for (method, path, body, statuses) in rows() {
        if !path.starts_with("/api/groups/G") {
            continue;
        }
        let allowed = statuses[1..].iter().position(|status| *status != 403);
        let asker = [Member, Party, Payer][allowed.unwrap_or(2)];
        let body = match (&body, allowed) {
            // The entry of an expense cannot be reverted in any group.
            (Some(_), None) => Some(json!(["pushed"])),
            (body, _) => body.as_ref().map(|body| named(body, &scene)),
        };
        let reply =
            scene.caller(asker).call(method.clone(), &scene.path(path), body.as_ref()).await;
        if method == Method::GET {
            assert_eq!(reply.status, 200, "{path}: {}", reply.text);
        } else {
            assert_eq!(reply.code(), (409, "GROUP_ARCHIVED"), "{method} {path}: {}", reply.text);
            refused += 1;
        }
    }
    assert!(refused >= 17, "{refused}");
    let join = scene.path("/api/groups/G/join");
    let stranger = scene.caller(Stranger).post(&join, json!({})).await;
    assert_eq!(stranger.code(), (409, "GROUP_ARCHIVED"));
    assert_eq!(scene.group.api.rows().await, before);
    let reopened = json!({ "archived": false, "title": "Again" });
    let reopened = scene.caller(Member).patch(&scene.path("/api/groups/G"), reopened).await;
    assert_eq!(reopened.data(200)["archived"], false);
    scene.group.spend(0, json!({ "amount": 3 })).await;
    scene.group.verify().await;
}

/// A body with the ids for `E`, `G` and `M`, as in paths.
fn named(body: &Value, scene: &Scene) -> Value {
    let body = body.to_string().replace("\"E\"", &json!(scene.expense).to_string());
    let body = body.replace("\"G\"", &json!(scene.group.id).to_string());
    serde_json::from_str(&body.replace("\"M\"", &json!(scene.guest).to_string())).unwrap()
}

#[tokio::test]
async fn missing_group_is_a_404_for_every_user() {
    let api = Api::new().await;
    let alice = api.user(1, "Alice");
    let nowhere = "/api/groups/0190a1b2-0000-7000-8000-000000000001";
    let id = "0190a1b2-0000-7000-8000-000000000002";
    for (method, rest, body) in [
        (Method::GET, String::new(), None),
        (Method::PATCH, String::new(), Some(json!({ "title": "x" }))),
        (Method::POST, "/join".to_owned(), Some(json!({}))),
        (Method::POST, "/members".to_owned(), Some(json!({ "name": "x" }))),
        (Method::PATCH, format!("/members/guest-{id}"), Some(json!({ "name": "x" }))),
        (Method::POST, format!("/members/guest-{id}/link"), Some(json!({ "userId": "1" }))),
        (Method::POST, "/leave".to_owned(), None),
        (Method::DELETE, "/members/2".to_owned(), None),
        (Method::POST, "/members/2/restore".to_owned(), None),
        (
            Method::PUT,
            "/wallet".to_owned(),
            Some(json!({ "wallet": format!("0:{}", "a".repeat(64)) })),
        ),
        (Method::GET, "/expenses".to_owned(), None),
        (Method::POST, "/expenses".to_owned(), Some(json!({ "amount": 1, "description": "x" }))),
        (Method::GET, format!("/expenses/{id}"), None),
        (Method::DELETE, format!("/expenses/{id}"), None),
        (Method::PUT, format!("/expenses/{id}"), Some(json!({ "amount": 1 }))),
        (Method::POST, format!("/expenses/{id}/restore"), None),
        (Method::GET, format!("/expenses/{id}/history"), None),
        (Method::GET, "/ledger/balance".to_owned(), None),
        (Method::GET, "/ledger/balance?at=2020-01-01T00:00:00Z".to_owned(), None),
        (Method::GET, "/ledger/entries".to_owned(), None),
        (Method::GET, format!("/ledger/entries/{id}"), None),
        (Method::GET, "/ledger/days".to_owned(), None),
        (Method::GET, "/stats".to_owned(), None),
        (
            Method::POST,
            "/ledger/entries".to_owned(),
            Some(json!([{ "entryId": "a", "changes": [{ "userId": "1", "amount": 1 }] }])),
        ),
        (Method::DELETE, "/ledger/entries".to_owned(), Some(json!(["a"]))),
        (Method::GET, "/debts?verify=true".to_owned(), None),
        (Method::GET, "/debts".to_owned(), None),
        (Method::GET, "/settlements".to_owned(), None),
        (Method::POST, "/settlements".to_owned(), Some(json!({ "toId": "2", "amount": 1 }))),
        (Method::GET, format!("/settlements/{id}"), None),
        (Method::PUT, format!("/settlements/{id}"), Some(json!({ "status": "failed" }))),
    ] {
        let reply = alice.call(method.clone(), &format!("{nowhere}{rest}"), body.as_ref()).await;
        assert_eq!(reply.code(), (404, "GROUP_NOT_FOUND"), "{method} {rest}");
    }
    assert!(api.rows().await.is_empty());
}

#[tokio::test]
async fn both_authentication_headers_are_accepted() {
    let api = Api::new().await;
    let alice = api.user(1, "Alice");
    let init_data = telegram::sign(&alice.user, TOKEN, api.now());
    let other = telegram::sign(&api.user(2, "Bob").user, TOKEN, api.now());
    for (header, value, status) in [
        ("authorization", format!("tma {init_data}"), 200),
        ("authorization", format!("TMA {init_data}"), 200),
        ("x-telegram-init-data", init_data.clone(), 200),
        ("x-telegram-init-data", String::new(), 401),
        ("authorization", init_data.clone(), 200),
        ("x-telegram-init-data", format!("tma {init_data}"), 200),
        ("authorization", format!("Bearer {init_data}"), 401),
        ("authorization", "tma ".to_owned(), 401),
    ] {
        let reply = alice.with(Some((header, value.clone()))).get("/api/users/me").await;
        assert_eq!(reply.status, status, "{header}: {value}");
        if status == 401 {
            assert_eq!(reply.header("www-authenticate"), Some("tma, Bearer"));
        }
    }
    for (second, status) in [(init_data, 200), (other, 401)] {
        let request =
            alice.request(Method::GET, "/api/users/me").header("x-telegram-init-data", second);
        let reply = api.send(request.body(axum::body::Body::empty()).unwrap()).await;
        assert_eq!(reply.status, status);
    }
}

#[tokio::test]
async fn init_data_expires_after_a_day() {
    let api = Api::new().await;
    let alice = api.user(1, "Alice");
    api.pass(Duration::from_hours(24));
    alice.get("/api/users/me").await.data(200);
    api.pass(Duration::from_secs(1));
    assert_eq!(alice.get("/api/users/me").await.code(), (401, "INIT_DATA_EXPIRED"));
}
