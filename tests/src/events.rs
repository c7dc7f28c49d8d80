//! The sample events of `events/`, the data that they refer to, and the expected responses.

use std::{fs, path::PathBuf};

use axum::{Router, http::Method};
use fracti_core::time::Timestamp;
use serde_json::{Value, json};

use crate::client::{self, Transport};

/// The token that signed the events: the public demo token.
pub const TOKEN: &str = "0:fracti-local";

/// The time of the signature in milliseconds since 1970: 2026-01-15T12:00:00Z.
pub const SIGNED_AT: u64 = 1_768_478_400_000;

/// A sample event with its expected response.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// The file name without extension.
    pub name: &'static str,
    /// The function that serves the event.
    pub function: &'static str,
    /// The expected status.
    pub status: u16,
    /// A part of the expected body.
    pub says: &'static str,
}

const fn sample(
    name: &'static str,
    function: &'static str,
    status: u16,
    says: &'static str,
) -> Sample {
    Sample { name, function, status, says }
}

/// Every file of `events/`.
pub const SAMPLES: [Sample; 67] = [
    sample("get-health", "groups", 200, r#""status":"ok""#),
    sample("list-groups", "groups", 200, r#""title":"Alps""#),
    sample("create-group", "groups", 201, r#""title":"Alps 2026","currency":"EUR""#),
    sample("open-group", "groups", 201, r#""chatId":"-3788475317572404878""#),
    sample("get-group", "groups", 200, r#""name":"Bob Jones""#),
    sample("update-group", "groups", 200, r#""title":"Alps 2027""#),
    sample("leave-group", "groups", 409, r#""path":"EUR""#),
    sample("remove-member", "groups", 409, r#""path":"settlements""#),
    sample("restore-member", "groups", 200, r#""name":"Bob Jones""#),
    sample("join-group", "groups", 200, r#""username":"carol","wallet":"EQDKbjIcfM6"#),
    sample(
        "create-guest",
        "groups",
        201,
        r#""guest":true,"createdBy":"987654321","name":"Grandpa""#,
    ),
    sample("link-guest", "groups", 200, r#""linkedTo":"123456789""#),
    sample("rename-guest", "groups", 200, r#""name":"Granny""#),
    sample(
        "set-wallet",
        "groups",
        200,
        r#"{"wallet":"EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF"}"#,
    ),
    sample("list-expenses", "expenses", 200, r#""description":"Hut""#),
    sample("create-expense", "expenses", 201, r#""description":"Käsefondue 🫕""#),
    sample("get-expense", "expenses", 200, r#""amount":90,"currency":"EUR""#),
    sample("get-expense-breakdown", "expenses", 200, r#""kind":"equal","of":90"#),
    sample("delete-expense", "expenses", 200, r#""message":"Expense deleted""#),
    sample("edit-expense", "expenses", 200, r#""amount":100,"currency":"EUR""#),
    sample("restore-expense", "expenses", 200, r#""description":"Hut""#),
    sample("list-expense-history", "expenses", 200, r#""sequence":0,"status":"applied""#),
    sample("get-debts", "settlements", 200, r#""balances":{"EUR":-45}"#),
    sample("list-settlements", "settlements", 200, r#""status":"pending""#),
    sample(
        "create-settlement",
        "settlements",
        201,
        r#""amount":10.5,"currency":"EUR","status":"pending""#,
    ),
    sample("get-settlement", "settlements", 200, r#""amount":20"#),
    sample("update-settlement", "settlements", 200, r#""status":"completed""#),
    sample(
        "get-ledger-balance",
        "ledger",
        200,
        r#""paid":90,"owed":45,"sent":0,"received":0,"net":45"#,
    ),
    sample("list-ledger-entries", "ledger", 200, r#""balance":{"EUR":-45}"#),
    sample("push-entries", "ledger", 200, r#""entryId":"opening-balance","sequence":1"#),
    sample("revert-entries", "ledger", 200, r#""code":"ENTRY_MISSING""#),
    sample("revert-entries-by-post", "ledger", 200, r#""code":"ENTRY_MISSING""#),
    sample("list-ledger-entry-history", "ledger", 200, r#""refType":"expense""#),
    sample("list-ledger-days", "ledger", 200, r#""sequence":1,"asOf":"20"#),
    sample("get-group-stats", "ledger", 200, r#""category":"none","total":90,"expenseCount":1"#),
    sample("get-me", "users", 200, r#""name":"Alice Smith","username":"alice","groupCount":1"#),
    sample("list-my-groups", "users", 200, r#""balance":45,"balances":{"EUR":45}"#),
    sample("list-my-expenses", "users", 200, r#""yourShare":45"#),
    sample("list-my-debts", "users", 200, r#""totalAmount":90"#),
    sample("list-my-settlements", "users", 200, r#""groupTitle":"Alps""#),
    sample("list-my-activity", "users", 200, r#""type":"settlement_received""#),
    sample("get-my-summary", "users", 200, r#""mostActiveGroup":{"#),
    sample("get-usage", "insights", 200, r#""tokens":{"reads":{"used":0}"#),
    sample("get-targets", "insights", 200, r#""version":1,"period":"month","registry":{}"#),
    sample("list-tokens", "insights", 200, r#""name":"Bot","scopes":["read","write"]"#),
    sample("create-token", "insights", 201, r#""token":"fracti_pat_"#),
    sample("delete-token", "insights", 200, r#""message":"API token deleted""#),
    sample("update-targets", "insights", 200, r#""version":2,"period":"month","currency":"EUR""#),
    sample("list-spendings", "insights", 200, r#""title":"Espresso""#),
    sample("create-spending", "insights", 201, r#""message":"Spending recorded""#),
    sample("get-spending", "insights", 200, r#""categories":{"food":3.5}"#),
    sample(
        "edit-spending",
        "insights",
        200,
        r#""amount":4,"currency":"EUR","categories":{"food":4}"#,
    ),
    sample("delete-spending", "insights", 200, r#""message":"Spending deleted""#),
    sample("get-my-days", "insights", 200, r#""uniqueDays":"#),
    sample("get-my-day", "insights", 200, r#""shares":0,"categories":{"food":"#),
    sample("rebuild-my-days", "insights", 200, r#"{"checked":31,"changed":[]}"#),
    sample("import-file", "transfer", 200, r#""imported":2,"alreadyThere":0"#),
    sample("list-imports", "transfer", 200, r#""hasMore":false"#),
    sample("get-import", "transfer", 404, "IMPORT_NOT_FOUND"),
    sample("undo-import", "transfer", 404, "IMPORT_NOT_FOUND"),
    sample("export-group", "transfer", 200, ",Expense,Hut,"),
    sample("base64-body", "expenses", 201, r#""amount":12,"currency":"EUR","description":"Käse""#),
    sample("bad-no-header", "groups", 401, "UNAUTHORIZED"),
    sample("bad-forged", "groups", 401, "INVALID_INIT_DATA"),
    sample("bad-method", "groups", 405, "METHOD_NOT_ALLOWED"),
    sample("bad-json", "expenses", 400, "INVALID_JSON"),
    sample("bad-amount", "expenses", 400, "amount must have at most 2 decimals in EUR"),
];

impl Sample {
    /// Reads the event.
    ///
    /// # Panics
    ///
    /// If the file does not exist.
    #[must_use]
    pub fn event(&self) -> String {
        let file = directory().join(self.name).with_extension("json");
        fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    }
}

/// The directory of the events.
#[must_use]
pub fn directory() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../events")
}

/// The ids in the events: a group of Alice and Bob, an expense, a settlement and a guest, and an
/// API token and a spending of Alice.
pub const SCENE: [&str; 6] = [
    "019bc186-de00-7101-8101-010101010101",
    "019bc186-de00-7303-8303-030303030303",
    "019bc186-de01-7404-8404-040404040404",
    "guest-019bc186-de00-7505-8505-050505050505",
    "019bc186-de00-7606-8606-060606060606",
    "2026-01-14T09:30:00.000Z~08080808080808080808",
];

/// Creates the group, expense, settlement, guest, token and spending of the events, and returns
/// their ids.
///
/// # Panics
///
/// If the API refuses a request.
pub async fn scene(api: &Router, now: Timestamp) -> [String; 6] {
    let api = &Transport::Router(api.clone());
    let user = |id, name| client::authorization(&client::user(id, name), TOKEN, now);
    let [alice, bob] = [user(123_456_789, "Alice Smith"), user(987_654_321, "Bob Jones")];
    let new = json!({ "title": "Alps", "chatId": -1, "currency": "EUR" });
    let group = post(api, &alice, "/api/groups", &new).await;
    let path = |rest: &str| format!("/api/groups/{group}{rest}");
    post(api, &bob, &path("/join"), &json!({})).await;
    // Statistics without a period cover the current month. Without a date, the expense could belong
    // to the month before, because a day begins at 4:00.
    let hut = json!({ "amount": 90, "description": "Hut", "date": now.day().to_string() });
    let expense = post(api, &alice, &path("/expenses"), &hut).await;
    let pay = json!({ "toId": "123456789", "amount": 20 });
    let settlement = post(api, &bob, &path("/settlements"), &pay).await;
    let guest = post(api, &alice, &path("/members"), &json!({ "name": "Grandma" })).await;
    let token = json!({ "name": "Bot", "scopes": ["read", "write"] });
    let token = post(api, &alice, "/api/users/me/tokens", &token).await;
    let coffee = json!({ "title": "Espresso", "amount": 3.5, "currency": "EUR", "category": "food",
        "spentAt": "2026-01-14T10:30:00+01:00" });
    let spending = post(api, &alice, "/api/users/me/spendings", &coffee).await;
    [group, expense, settlement, guest, token, spending]
}

async fn post(api: &Transport, authorization: &str, path: &str, body: &Value) -> String {
    let request = client::request(&Method::POST, path, authorization, None, body);
    api.send(request).await.unwrap().id()
}
