//! The operations of the API, with what each needs, and a scene in which all of them make sense.
//!
//! A route has the names of the scene's entities in place of ids, and so has a body: `$guest` in a
//! text is the id of the guest. A test checks that no operation of the OpenAPI document is missing.

use std::collections::BTreeMap;

use axum::http::Method;
use fracti_core::{
    chat_id::ChatId,
    telegram::{self, User},
    time::Timestamp,
};
use serde_json::{Value, json};

use crate::client::{self, Reply, Transport};

/// The bot of the API.
pub const TOKEN: &str = "42:test-token";

/// The chat whose group has been opened, and one that has no group.
const CHATS: [&str; 2] = ["-3788475317572404878", "7"];

/// One way to use an operation of the API.
#[derive(Clone, Debug)]
pub struct Operation {
    /// What it does, as a name.
    pub name: &'static str,
    /// The method.
    pub method: Method,
    /// The path, with names of the scene in braces.
    pub route: &'static str,
    /// The body; null if there is none.
    pub body: Value,
    /// The users who may do it, by whom the scene knows them.
    pub by: &'static [u64],
    /// The path of the resource whose `ETag` is sent in `If-Match`.
    pub if_match: Option<&'static str>,
}

/// The ids of what a scene has, by the names in routes and bodies.
pub type Names = BTreeMap<&'static str, String>;

const GROUP: &str = "/api/groups/{group}";
const EXPENSE: &str = "/api/groups/{group}/expenses/{expense}";
const SETTLEMENT: &str = "/api/groups/{group}/settlements/{settlement}";
const SPENDING: &str = "/api/users/me/spendings/{spending}";

fn at(name: &'static str, method: Method, route: &'static str, by: &'static [u64]) -> Operation {
    Operation { name, method, route, body: Value::Null, by, if_match: None }
}

impl Operation {
    fn sends(self, body: Value) -> Self {
        Self { body, ..self }
    }

    fn expects(self, if_match: &'static str) -> Self {
        Self { if_match: Some(if_match), ..self }
    }

    /// Whether it may change something.
    #[must_use]
    pub fn writes(&self) -> bool {
        self.method != Method::GET
    }
}

/// The writes. Amounts can be divided by the number of those who share them, because the odd cent
/// depends on the id. Users 1 to 3 and 7 are members of the group, which 1 created; 4 has left, 5 was
/// removed, and 6 and 8 never joined.
#[must_use]
pub fn writes() -> Vec<Operation> {
    let [wallet, other_wallet] = ["a", "b"].map(|digit| format!("0:{}", digit.repeat(64)));
    let hash = "c".repeat(64);
    let post = |name, route, by| at(name, Method::POST, route, by);
    let put = |name, route, by| at(name, Method::PUT, route, by);
    let delete = |name, route, by| at(name, Method::DELETE, route, by);
    let patch = |name, route, by| at(name, Method::PATCH, route, by);
    let adjustment = json!([{ "entryId": "food", "changes": [
        { "userId": "1", "amount": 6 }, { "userId": "3", "amount": -6 } ] }]);
    // A later export of the group that was imported before.
    let file = "Date,Description,Category,Cost,Currency,A,B,C\n\n\
                2026-01-01,Train,Taxi,10.00,EUR,5.00,0.00,-5.00\n\
                2026-01-02,Fuel,Gas/fuel,10.00,EUR,5.00,-5.00,0.00\n\n\
                2026-01-15,Total balance, , ,EUR,10.00,-5.00,-5.00\n\n";
    vec![
        post("create a group", "/api/groups", &[1])
            .sends(json!({ "title": "Flat", "chatId": 9, "currency": "EUR" })),
        post("open a chat", "/api/groups/open", &[6, 4]).sends(json!({})),
        post("open a new chat", "/api/groups/open", &[8, 1]).sends(json!({ "title": "New" })),
        patch("rename a group", GROUP, &[2]).sends(json!({ "title": "Alps 2027" })),
        patch("change the currency", GROUP, &[2]).sends(json!({ "currency": "USD" })),
        patch("archive a group", GROUP, &[1]).sends(json!({ "archived": true })),
        post("join", "/api/groups/{group}/join", &[6, 8]).sends(json!({})),
        post("come back", "/api/groups/{group}/join", &[4]).sends(json!({})),
        post("join with a new name", "/api/groups/{group}/join", &[102]).sends(json!({})),
        post("leave", "/api/groups/{group}/leave", &[7]),
        delete("remove a member", "/api/groups/{group}/members/{idle}", &[1]),
        delete("remove a guest", "/api/groups/{group}/members/{guest}", &[2, 3]),
        post("restore a member", "/api/groups/{group}/members/{past}/restore", &[1]),
        post("restore a guest", "/api/groups/{group}/members/{gone}/restore", &[2]),
        post("add a guest", "/api/groups/{group}/members", &[1, 2]).sends(json!({ "name": "Gus" })),
        patch("rename a guest", "/api/groups/{group}/members/{guest}", &[2, 3])
            .sends(json!({ "name": "Gus" })),
        post("link a guest", "/api/groups/{group}/members/{guest}/link", &[2])
            .sends(json!({ "userId": "3" })),
        post("link a guest to another", "/api/groups/{group}/members/{guest}/link", &[3])
            .sends(json!({ "userId": "2" })),
        put("set a wallet", "/api/groups/{group}/wallet", &[2]).sends(json!({ "wallet": wallet })),
        put("set another wallet", "/api/groups/{group}/wallet", &[2])
            .sends(json!({ "wallet": other_wallet })),
        post("record an expense", "/api/groups/{group}/expenses", &[1, 2]).sends(json!({
            "amount": 12, "description": "Tea", "category": "food",
            "splits": [{ "userId": "1" }, { "userId": "2" }]
        })),
        post("record an expense of all", "/api/groups/{group}/expenses", &[1])
            .sends(json!({ "amount": 2520, "description": "Hut" })),
        post("record an expense of members who may go", "/api/groups/{group}/expenses", &[3])
            .sends(json!({
                "amount": 9, "description": "Boat",
                "splits": [{ "userId": "3" }, { "userId": "$idle" }, { "userId": "$guest" }]
            })),
        post("share a spending", "/api/groups/{group}/expenses", &[1]).sends(json!({
            "spendingId": "$spending", "splits": [{ "userId": "1" }, { "userId": "2" }]
        })),
        put("edit an expense", EXPENSE, &[1]).sends(json!({ "amount": 60 })),
        put("edit an expense as it was", EXPENSE, &[1])
            .sends(json!({ "amount": 24, "category": "fun" }))
            .expects(EXPENSE),
        delete("delete an expense", EXPENSE, &[1]),
        delete("delete an expense as it was", EXPENSE, &[1]).expects(EXPENSE),
        post("restore an expense", "/api/groups/{group}/expenses/{deleted}/restore", &[1]),
        post("record a pending settlement", "/api/groups/{group}/settlements", &[2])
            .sends(json!({ "toId": "1", "amount": 7, "txHash": hash })),
        post("record a completed settlement", "/api/groups/{group}/settlements", &[1])
            .sends(json!({ "fromId": "3", "toId": "1", "amount": 4 })),
        put("complete a settlement", SETTLEMENT, &[1]).sends(json!({ "status": "completed" })),
        put("fail a settlement", SETTLEMENT, &[1, 2]).sends(json!({ "status": "failed" })),
        put("fail a settlement as it was", SETTLEMENT, &[2])
            .sends(json!({ "status": "failed" }))
            .expects(SETTLEMENT),
        put("name the transaction of a settlement", SETTLEMENT, &[2])
            .sends(json!({ "txHash": hash })),
        post("push an adjustment", "/api/groups/{group}/ledger/entries", &[1, 2]).sends(adjustment),
        delete("revert an adjustment", "/api/groups/{group}/ledger/entries", &[1])
            .sends(json!(["rent"])),
        post("revert adjustments", "/api/groups/{group}/ledger/entries/revert", &[1])
            .sends(json!(["rent", "unknown"])),
        post("import a file", "/api/groups/{group}/import", &[1]).sends(json!({
            "file": file, "options": { "commit": true, "members": { "A": "1", "B": "2", "C": "3" } }
        })),
        delete("undo an import", "/api/groups/{group}/import/{import}", &[1]),
        post("create a token", "/api/users/me/tokens", &[1])
            .sends(json!({ "name": "Phone", "scopes": ["read"] })),
        delete("delete a token", "/api/users/me/tokens/{token}", &[1]),
        post("record a spending", "/api/users/me/spendings", &[1])
            .sends(json!({ "title": "Tea", "amount": 1, "currency": "EUR" })),
        put("edit a spending", SPENDING, &[1]).sends(json!({ "amount": 5 })),
        put("edit a spending as it was", SPENDING, &[1])
            .sends(json!({ "amount": 6 }))
            .expects(SPENDING),
        delete("delete a spending", SPENDING, &[1]),
        patch("update the targets", "/api/users/me/targets", &[1])
            .sends(json!({ "version": 1, "period": "day", "currency": "EUR" })),
        post("rebuild the days", "/api/users/me/days/rebuild", &[1]),
    ]
}

/// The reads.
#[must_use]
pub fn reads() -> Vec<Operation> {
    [
        ("list the groups", "/api/groups"),
        ("get a group", GROUP),
        ("get the debts", "/api/groups/{group}/debts"),
        ("list the expenses", "/api/groups/{group}/expenses"),
        ("get an expense", EXPENSE),
        ("get the breakdown of an expense", "/api/groups/{group}/expenses/{expense}/breakdown"),
        ("list the history of an expense", "/api/groups/{group}/expenses/{expense}/history"),
        ("export a group", "/api/groups/{group}/export?format=json"),
        ("get an import", "/api/groups/{group}/import/{import}"),
        ("list the imports", "/api/groups/{group}/imports"),
        ("get the balance", "/api/groups/{group}/ledger/balance"),
        ("list the days of the ledger", "/api/groups/{group}/ledger/days"),
        ("list the entries", "/api/groups/{group}/ledger/entries"),
        ("list the history of an entry", "/api/groups/{group}/ledger/entries/{expense}"),
        ("list the settlements", "/api/groups/{group}/settlements"),
        ("get a settlement", SETTLEMENT),
        ("get the statistics", "/api/groups/{group}/stats"),
        ("get the health", "/api/health"),
        ("get the OpenAPI document", "/api/openapi.json"),
        ("get the user", "/api/users/me"),
        ("list the user's activity", "/api/users/me/activity"),
        ("list the user's days", "/api/users/me/days"),
        ("get a day of the user", "/api/users/me/days/2026-01-15"),
        ("list the user's debts", "/api/users/me/debts"),
        ("list the user's expenses", "/api/users/me/expenses"),
        ("list the user's groups", "/api/users/me/groups"),
        ("list the user's settlements", "/api/users/me/settlements"),
        ("list the spendings", "/api/users/me/spendings"),
        ("get a spending", SPENDING),
        ("get the summary", "/api/users/me/summary"),
        ("get the targets", "/api/users/me/targets"),
        ("list the tokens", "/api/users/me/tokens"),
        ("get the usage", "/api/users/me/usage"),
    ]
    .map(|(name, route)| at(name, Method::GET, route, &[1]))
    .into()
}

/// The user whom the scene knows by a number: from 100, the user has changed the name.
fn user(number: u64) -> User {
    let names = ["", "A", "B", "C", "D", "E", "F", "G", "H"];
    let (id, renamed) = (number % 100, number >= 100);
    let name = if renamed { "Renamed" } else { names[usize::try_from(id).unwrap()] };
    client::user(id, name)
}

/// The `Authorization` of a user for an operation.
fn authorization(operation: &Operation, number: u64, now: Timestamp) -> String {
    if operation.route != "/api/groups/open" {
        return client::authorization(&user(number), TOKEN, now);
    }
    let chat = CHATS[usize::from(operation.name.contains("new"))];
    let chat: ChatId = chat.parse().unwrap();
    format!("tma {}", telegram::sign_in_chat(&user(number), &chat, TOKEN, now))
}

/// Sends an operation in a scene; `None` if the connection broke.
///
/// # Panics
///
/// If the route or the body names what the scene does not have.
pub async fn send(
    api: &Transport,
    names: &Names,
    operation: &Operation,
    by: u64,
    (key, etag): (Option<&str>, Option<&str>),
    now: Timestamp,
) -> Option<Reply> {
    let (mut path, mut body) = (operation.route.to_owned(), operation.body.to_string());
    for (name, id) in names {
        path = path.replace(&format!("{{{name}}}"), id);
        body = body.replace(&format!("${name}\""), &format!("{id}\""));
    }
    assert!(!path.contains('{') && !body.contains("\"$"), "{path} {body}");
    let body = serde_json::from_str(&body).unwrap();
    let authorization = authorization(operation, by, now);
    let mut request = client::request(&operation.method, &path, &authorization, key, &body);
    if let Some(etag) = etag {
        request.headers_mut().insert("if-match", etag.parse().unwrap());
    }
    api.send(request).await
}

/// Makes the scene, and returns the names of what is in it.
///
/// # Panics
///
/// If the API refuses a request.
pub async fn scene(api: &Transport, now: Timestamp) -> Names {
    let mut names = Names::new();
    let open = at("open a chat", Method::POST, "/api/groups/open", &[1]);
    let open = open.sends(json!({ "title": "Alps", "currency": "EUR" }));
    let made = send(api, &names, &open, 1, (None, None), now).await.unwrap();
    let group = made.id();
    names.insert("group", group.clone());
    let call = async |by: u64, method: Method, rest: &str, body: Value| {
        let path = if rest.starts_with("/api") {
            rest.to_owned()
        } else {
            format!("/api/groups/{group}{rest}")
        };
        let authorization = client::authorization(&user(by), TOKEN, now);
        let reply = api.send(client::request(&method, &path, &authorization, None, &body)).await;
        let reply = reply.unwrap();
        assert!(reply.status.is_success(), "{method} {path}: {}", reply.body);
        reply
    };
    let post = async |by, rest: &str, body| call(by, Method::POST, rest, body).await;
    for by in [2, 3, 4, 5, 7] {
        post(by, "/join", json!({})).await;
    }
    post(4, "/leave", Value::Null).await;
    call(1, Method::DELETE, "/members/5", Value::Null).await;
    names.extend([("past", "4".to_owned()), ("idle", "7".to_owned())]);
    for (name, title) in [("guest", "Grandma"), ("owing", "Olga"), ("gone", "Zoe")] {
        names.insert(name, post(1, "/members", json!({ "name": title })).await.id());
    }
    call(1, Method::DELETE, &format!("/members/{}", names["gone"]), Value::Null).await;
    let splits = json!([{ "userId": "1" }, { "userId": "2" }, { "userId": names["owing"] }]);
    let hut = json!({ "amount": 30, "description": "Hut", "splits": splits });
    for (name, amount) in [("expense", 30), ("deleted", 60)] {
        let mut hut = hut.clone();
        hut["amount"] = json!(amount);
        names.insert(name, post(1, "/expenses", hut).await.id());
    }
    call(1, Method::DELETE, &format!("/expenses/{}", names["deleted"]), Value::Null).await;
    let pay = json!({ "toId": "1", "amount": 3 });
    names.insert("settlement", post(2, "/settlements", pay).await.id());
    let rent = json!([{ "entryId": "rent", "changes": [
        { "userId": "1", "amount": 5 }, { "userId": "3", "amount": -5 } ] }]);
    post(1, "/ledger/entries", rent).await;
    let file = "Date,Description,Category,Cost,Currency,A,C\n\n\
                2026-01-01,Train,Taxi,10.00,EUR,5.00,-5.00\n\n\
                2026-01-15,Total balance, , ,EUR,5.00,-5.00\n\n";
    let options = json!({ "commit": true, "members": { "A": "1", "C": "3" } });
    let imported = post(1, "/import", json!({ "file": file, "options": options })).await;
    names.insert("import", imported.body["data"]["importId"].as_str().unwrap().to_owned());
    for nth in 0..19 {
        let token = json!({ "name": format!("Bot {nth}"), "scopes": ["read"] });
        names.insert("token", post(1, "/api/users/me/tokens", token).await.id());
    }
    let coffee = json!({ "title": "Coffee", "amount": 3.5, "currency": "EUR", "category": "food" });
    names.insert("spending", post(1, "/api/users/me/spendings", coffee).await.id());
    names
}
