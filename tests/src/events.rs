//! The sample events of `events/`, which are made from the list of operations, the data that they
//! refer to, and the expected responses.

use std::{collections::BTreeMap, fs, path::PathBuf, sync::LazyLock};

use axum::{Router, http::Method};
use base64::{Engine, engine::general_purpose::STANDARD};
use fracti_core::{caller::telegram, chat::button::Button, values::time::Timestamp};
use fracti_http::App;
use fracti_local::FUNCTIONS;
use fracti_runtime::BotToken;
use fracti_store::Table;
use serde_json::{Value, json};

use crate::{
    client::{self, Transport},
    operations::{Ids, Operation, operation, receipt, text_for, webhook},
};

/// The token that signed the events: the public demo token.
pub const TOKEN: &str = "0:fracti-local";

/// The time of the signature in milliseconds since 1970: 2026-01-15T12:00:00Z.
pub const SIGNED_AT: u64 = 1_768_478_400_000;

/// The users of the events: id, first name, last name and username.
type Signed = (u64, &'static str, &'static str, &'static str);
const ALICE: Signed = (123_456_789, "Alice", "Smith", "alice");
const BOB: Signed = (987_654_321, "Bob", "Jones", "bob");
const CAROL: Signed = (456_789_123, "Carol", "White", "carol");

/// The idempotency key of every `POST`.
pub const KEY: &str = "5f0c2f1e";

/// A sample event with its expected response.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The file name without extension.
    pub name: String,
    /// The function that serves the event.
    pub function: &'static str,
    /// The expected status.
    pub status: u16,
    /// A part of the expected body.
    pub says: &'static str,
    /// The operation.
    pub operation: Operation,
    by: Signed,
    /// The header that has the init data with its scheme, or the secret of the webhook; empty if
    /// there is none.
    header: &'static str,
    /// The body, if it is not that of the operation.
    body: Option<&'static str>,
}

/// Functions by the routes that they serve.
static SERVED_BY: LazyLock<BTreeMap<String, &str>> = LazyLock::new(|| {
    let routes = FUNCTIONS.iter().flat_map(|function| {
        let paths = (function.routes)().into_openapi().paths.paths.into_keys();
        paths.map(|path| (path, function.name))
    });
    routes.collect()
});

fn sample(operation: Operation, status: u16, says: &'static str) -> Sample {
    let mut name = String::new();
    for letter in operation.id.chars() {
        if letter.is_ascii_uppercase() {
            name.push('-');
        }
        name.push(letter.to_ascii_lowercase());
    }
    let function = SERVED_BY[operation.route];
    let header = "authorization";
    Sample { name, function, status, says, operation, by: ALICE, header, body: None }
}

/// Every file of `events/`: the operations, and what is unusual.
#[must_use]
pub fn samples() -> Vec<Sample> {
    [
        of_operations(),
        of_messages(),
        of_bot(),
        of_schedules(),
        of_members(),
        of_lists(),
        of_questions(),
        of_funds(),
        unusual(),
    ]
    .concat()
}

fn of_messages() -> Vec<Sample> {
    vec![
        sample(operation("getSubscription"), 200, r#""active":"#),
        sample(operation("setSubscription"), 200, r#""minIntervalMinutes":60"#),
        sample(operation("deleteSubscription"), 200, r#""active":false"#),
    ]
}

/// The header with the secret of the webhook.
const SECRET: &str = "x-telegram-bot-api-secret-token";

fn of_bot() -> Vec<Sample> {
    let from = json!({ "id": ALICE.0, "is_bot": false, "first_name": ALICE.1, "last_name": ALICE.2,
        "username": ALICE.3, "language_code": "en" });
    let private = json!({ "id": ALICE.0, "type": "private", "first_name": ALICE.1 });
    let group = json!({ "id": -1_001_234_567_890_i64, "type": "supergroup", "title": "Alps" });
    // Another one, since all events share a table.
    let other = json!({ "id": -1_001_234_567_892_i64, "type": "supergroup", "title": "Alps" });
    let said = |chat: &Value, content: Value| {
        let mut message =
            json!({ "message_id": 17, "date": SIGNED_AT / 1_000, "chat": chat, "from": from });
        message.as_object_mut().unwrap().extend(content.as_object().unwrap().clone());
        webhook(json!({ "update_id": 4_711, "message": message }))
    };
    let of = |name: &str, status, says, operation| Sample {
        name: name.to_owned(),
        function: "bot",
        status,
        says,
        operation,
        by: ALICE,
        header: SECRET,
        body: None,
    };
    let currency = Button::Currency("EUR".parse().unwrap());
    let press = webhook(json!({ "update_id": 4_711, "callback_query": {
        "id": "530083465467043840", "from": from, "chat_instance": "-3788475317572404878",
        "data": currency.encode(),
        "message": { "message_id": 18, "date": SIGNED_AT / 1_000, "chat": group,
            "text": "In which currency?" },
    } }));
    let member = |status: &str| json!({ "user": { "id": 42, "is_bot": true }, "status": status });
    let added = webhook(json!({ "update_id": 4_711, "my_chat_member": {
        "chat": group, "from": from, "date": SIGNED_AT / 1_000,
        "old_chat_member": member("left"), "new_chat_member": member("member"),
    } }));
    let start = || said(&private, json!({ "text": "/start" }));
    vec![
        of("bot-start", 200, "Add me to a group's chat", start()),
        of(
            "bot-start-in-group",
            200,
            "In which currency?",
            said(&group, json!({ "text": "/start" })),
        ),
        of(
            "bot-balance-in-new-chat",
            200,
            "In which currency?",
            said(&group, json!({ "text": "/balance" })),
        ),
        of(
            "bot-start-with-group",
            200,
            "counts in EUR. Members: Alice Smith, Bob Jones",
            said(&other, json!({ "text": format!("/start {}", SCENE[0]) })),
        ),
        of(
            "bot-expense-in-new-chat",
            200,
            "In which currency?",
            said(&group, json!({ "text": "/expense 12,50 Käsefondue" })),
        ),
        of("bot-press", 200, r#""method":"answerCallbackQuery""#, press),
        of("bot-added", 200, "In which currency?", added),
        of(
            "bot-sticker",
            200,
            "",
            said(&group, json!({ "sticker": { "file_id": "CAAC", "emoji": "🏔" } })),
        ),
        of("bad-no-secret", 401, "NO_CREDENTIALS", start()).with(""),
    ]
}

fn of_operations() -> Vec<Sample> {
    vec![
        sample(operation("getHealth"), 200, r#""status":"ok""#).with(""),
        sample(operation("listGroups"), 200, r#""title":"Alps""#),
        sample(operation("createGroup"), 201, r#""title":"Alps 2026","currency":"EUR""#),
        sample(operation("openGroup"), 201, r#""chatId":"-3788475317572404878""#),
        sample(operation("getGroup"), 200, r#""name":"Bob Jones""#).with("x-telegram-init-data"),
        sample(operation("updateGroup"), 200, r#""title":"Alps 2027""#),
        sample(operation("leaveGroup"), 409, r#""path":"EUR""#).by(BOB),
        sample(operation("removeMember").of("memberId", "{bob}"), 409, r#""path":"settlements""#),
        sample(operation("restoreMember").of("memberId", "{bob}"), 200, r#""name":"Bob Jones""#),
        sample(operation("joinGroup"), 200, r#""username":"carol","wallet":"EQDKbjIcfM6"#)
            .by(CAROL),
        sample(
            operation("createGuest"),
            201,
            r#""guest":true,"createdBy":"987654321","name":"Grandpa""#,
        )
        .by(BOB),
        sample(operation("linkGuest"), 202, r#""link":{"userId":"123456789""#).by(BOB),
        sample(operation("renameGuest"), 200, r#""name":"Granny""#).by(BOB),
        sample(
            operation("setWallet"),
            200,
            r#"{"wallet":"EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF"}"#,
        )
        .by(BOB),
        sample(operation("listExpenses"), 200, r#""description":"Hut""#),
        sample(operation("createExpense"), 201, r#""description":"Käsefondue 🫕""#).by(BOB),
        sample(operation("getExpense"), 200, r#""amount":90,"currency":"EUR""#),
        sample(operation("previewExpense"), 200, r#""or":"#),
        sample(operation("previewExpenseEdit"), 200, r#""splits":"#),
        sample(operation("getExpenseBreakdown"), 200, r#""kind":"equal","of":90"#),
        sample(operation("deleteExpense"), 200, r#""message":"Expense deleted""#),
        sample(operation("editExpense"), 200, r#""amount":100,"currency":"EUR""#),
        sample(operation("restoreExpense"), 200, r#""description":"Hut""#),
        sample(operation("listExpenseHistory"), 200, r#""sequence":0,"status":"applied""#),
        sample(operation("getDebts"), 200, r#""balances":{"EUR":-45}"#).by(BOB),
        sample(operation("listSettlements"), 200, r#""status":"pending""#),
        sample(
            operation("createSettlement"),
            201,
            r#""amount":10.5,"currency":"EUR","status":"pending""#,
        )
        .by(BOB)
        .with("x-telegram-init-data"),
        sample(operation("getSettlement"), 200, r#""amount":20"#),
        sample(operation("updateSettlement"), 200, r#""status":"completed""#),
        sample(
            operation("getLedgerBalance"),
            200,
            r#""paid":90,"owed":45,"sent":0,"received":0,"net":45"#,
        ),
        sample(operation("listLedgerEntries"), 200, r#""balance":{"EUR":-45}"#),
        sample(operation("pushEntries"), 200, r#""entryId":"opening","sequence":1"#),
        sample(operation("revertEntries"), 200, r#""code":"ENTRY_MISSING""#),
        sample(operation("revertEntriesByPost"), 200, r#""code":"ENTRY_MISSING""#),
        sample(operation("listLedgerEntryHistory"), 200, r#""refType":"expense""#),
        sample(operation("listLedgerDays"), 200, r#""sequence":1,"asOf":"20"#),
        sample(
            operation("listChanges"),
            200,
            r#""data":[],"pagination":{"hasMore":false,"nextCursor":""#,
        ),
        sample(operation("getGroupStats"), 200, r#""category":"none","total":90,"expenseCount":1"#),
        sample(
            operation("getMe"),
            200,
            r#""name":"Alice Smith","username":"alice","groupCount":1"#,
        ),
        sample(operation("listMyGroups"), 200, r#""balance":45,"balances":{"EUR":45}"#),
        sample(operation("listMyExpenses"), 200, r#""yourShare":45"#),
        sample(operation("listMyDebts"), 200, r#""totalAmount":90"#).by(BOB),
        sample(operation("listMySettlements"), 200, r#""groupTitle":"Alps""#).by(BOB),
        sample(operation("listMyActivity"), 200, r#""type":"settlement_received""#),
        sample(operation("getMySummary"), 200, r#""mostActiveGroup":{"#),
        sample(operation("getShared"), 200, r#""yours":45,"theirs":-45"#),
        sample(operation("getUsage"), 200, r#""tokens":{"reads":{"used":0}"#),
        sample(operation("getTargets"), 200, r#""version":1,"period":"month","registry":{}"#),
        sample(operation("listTokens"), 200, r#""name":"Bot","scopes":["read","write"]"#),
        sample(operation("createToken"), 201, r#""token":"fracti_pat_"#),
        sample(operation("deleteToken"), 200, r#""message":"API token deleted""#),
        sample(operation("updateTargets"), 200, r#""version":2,"period":"month","currency":"EUR""#),
        sample(operation("listSpendings"), 200, r#""title":"Espresso""#),
        sample(operation("createSpending"), 201, r#""message":"Spending recorded""#),
        sample(operation("getSpending"), 200, r#""categories":{"food":3.5}"#),
        sample(
            operation("editSpending"),
            200,
            r#""amount":4,"currency":"EUR","categories":{"food":4}"#,
        ),
        sample(operation("deleteSpending"), 200, r#""message":"Spending deleted""#),
        sample(operation("getMyDays"), 200, r#""uniqueDays":"#),
        sample(operation("getMyDay"), 200, r#""shares":0,"categories":{"food":"#),
        sample(operation("rebuildMyDays"), 200, r#"{"checked":31,"changed":[]}"#),
        sample(operation("importFile"), 200, r#""imported":2,"alreadyThere":0"#).by(BOB),
        sample(operation("listImports"), 200, r#""hasMore":false"#),
        sample(operation("getImport"), 404, "IMPORT_NOT_FOUND"),
        sample(operation("undoImport"), 404, "IMPORT_NOT_FOUND"),
        sample(operation("exportGroup"), 200, ",Expense,Hut,"),
    ]
}

fn of_schedules() -> Vec<Sample> {
    vec![
        sample(operation("listSchedules"), 200, r#""description":"Rent""#).by(BOB),
        sample(operation("createSchedule"), 201, r#""status":"active""#).by(BOB),
        sample(operation("getSchedule"), 200, r#""every":"month","interval":1"#).by(BOB),
        sample(operation("editSchedule"), 200, r#""amount":950"#).by(BOB),
        sample(operation("deleteSchedule"), 200, r#""message":"Schedule deleted""#).by(BOB),
    ]
}

fn of_members() -> Vec<Sample> {
    vec![
        sample(operation("withdrawLink"), 404, "LINK_NOT_FOUND").by(BOB),
        sample(operation("getInvitation"), 200, r#""groupId":""#),
        sample(operation("createInvitation"), 201, r#""code":""#),
        sample(operation("deleteInvitation"), 200, r#""invitation":"closed""#),
        sample(operation("deleteGroup"), 409, "NOT_ALONE"),
        sample(operation("deleteWallet"), 200, r#""message":"Wallet deleted""#),
    ]
}

fn of_lists() -> Vec<Sample> {
    vec![
        sample(
            operation("listCurrencies"),
            200,
            r#""code":"EUR","name":"Euro","decimals":2,"symbol":"€","kind":"iso""#,
        )
        .with(""),
        sample(operation("listCategories"), 200, r#""key":"food","name":"Food""#).with(""),
    ]
}

fn of_questions() -> Vec<Sample> {
    vec![
        sample(operation("listQuestions"), 200, r#""prompt":"When do we meet?""#),
        sample(operation("askQuestion"), 201, r#""options":["Fondue","Pizza"]"#).by(BOB),
        sample(operation("getQuestion"), 200, r#""unclaimed":3"#).by(BOB),
        sample(operation("answerQuestion"), 201, r#""newBadges":["first_answer"]"#).by(BOB),
        sample(operation("claimItems"), 200, r#""status":"PARTIAL","currentResponses":1"#).by(BOB),
        sample(operation("closeQuestion"), 200, r#""status":"CLOSED""#),
        sample(operation("applyReceipt"), 200, r#""splitType":"itemized""#),
        sample(operation("getLeaderboard"), 200, r#"{"entries":[]}"#),
        sample(operation("listOwnQuestions"), 200, r#""description":"Café","amount":12"#).by(BOB),
        sample(operation("listOwnAnswers"), 200, r#""data":[]"#),
        sample(operation("listOwnPoints"), 200, r#""data":[]"#),
    ]
}

fn of_funds() -> Vec<Sample> {
    vec![
        sample(operation("getFunds"), 200, r#""balance":90,"available":70,"withheld":20"#),
        sample(operation("setAcceptance"), 200, r#""accepts":false"#),
        sample(operation("listFundTransactions"), 200, r#""type":"cashout""#),
        sample(operation("getFundTransaction"), 200, r#""status":"authorised""#),
        sample(operation("createFundCredit"), 201, r#""description":"Überweisung""#),
        sample(operation("createBonus"), 201, r#""type":"bonus""#),
        sample(operation("createFundDebit"), 201, r#""to":"DE89 3704 0044 0532 0130 00""#),
        sample(operation("captureFundTransaction"), 200, r#""refId":"bank 4711""#),
        sample(operation("voidFundTransaction"), 200, r#""status":"voided""#),
        sample(operation("checkFunds"), 200, r#""released":0"#),
        sample(operation("listFundWork"), 200, r#""owner":"123456789""#),
        sample(operation("listFundTotals"), 200, r#""toppedUp":"#),
    ]
}

fn unusual() -> Vec<Sample> {
    let get = || operation("getGroup");
    let create = || operation("createExpense");
    // {"amount":"12.00","description":"Käse"}
    let base64 = "eyJhbW91bnQiOiIxMi4wMCIsImRlc2NyaXB0aW9uIjoiS8Okc2UifQ==";
    let cheese = r#""amount":12,"currency":"EUR","description":"Käse""#;
    let no_cent = "amount must have at most 2 decimals in EUR";
    let amount = r#"{"amount":33.345,"description":"Dinner"}"#;
    let mut put = get();
    put.method = Method::PUT;
    vec![
        sample(create(), 201, cheese).named("base64-body").sends(base64),
        sample(get(), 401, "NO_CREDENTIALS").named("bad-no-header").with(""),
        sample(get(), 401, "WRONG_BOT").named("bad-forged"),
        sample(put, 405, "METHOD_NOT_ALLOWED").named("bad-method"),
        sample(create(), 400, "INVALID_JSON").named("bad-json").sends("{\"amount\":33.34,"),
        sample(create(), 400, no_cent).named("bad-amount").sends(amount),
    ]
}

impl Sample {
    fn by(self, by: Signed) -> Self {
        Self { by, ..self }
    }

    fn with(self, header: &'static str) -> Self {
        Self { header, ..self }
    }

    fn named(self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self }
    }

    fn sends(self, body: &'static str) -> Self {
        Self { body: Some(body), ..self }
    }

    /// The file of the event.
    #[must_use]
    pub fn file(&self) -> PathBuf {
        directory().join(&self.name).with_extension("json")
    }

    /// Reads the event.
    ///
    /// # Panics
    ///
    /// If the file does not exist.
    #[must_use]
    pub fn event(&self) -> String {
        let file = self.file();
        fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    }

    /// Init data of the user, as a Mini App has it.
    fn init_data(&self) -> String {
        let (id, first_name, last_name, username) = self.by;
        let user = format!(
            r#"{{"id":{id},"first_name":"{first_name}","last_name":"{last_name}","username":"{username}","language_code":"en","allows_write_to_pm":true}}"#
        );
        let opened: &[_] = match self.operation.id {
            "openGroup" => {
                &[("chat_instance", "-3788475317572404878"), ("chat_type", "supergroup")]
            }
            _ => &[("query_id", "AAHdF6IQAAAAAN0XohDhrOrc")],
        };
        let fields = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(opened)
            .append_pair("user", &user)
            .finish();
        let signed =
            telegram::sign_again(&fields, TOKEN, Timestamp::from_millis(SIGNED_AT).unwrap());
        if self.name == "bad-forged" { signed.replace("Alice", "Mallory") } else { signed }
    }

    /// The event as API Gateway sends it.
    ///
    /// # Panics
    ///
    /// If the operation needs what the scene does not have.
    #[must_use]
    pub fn generated(&self) -> String {
        let operation = &self.operation;
        let mut ids: Ids = NAMES.into_iter().zip(SCENE.map(str::to_owned)).collect();
        ids.extend([
            ("entryId", SCENE[1].to_owned()),
            ("importId", "019bc186-de00-8808-8808-080808080808".to_owned()),
            ("date", "2026-01-14".to_owned()),
            ("alice", ALICE.0.to_string()),
            ("bob", BOB.0.to_string()),
        ]);
        let agent = "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15";
        let domain = "a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com";
        let mut headers: BTreeMap<&str, String> = [
            ("accept", "application/json"),
            ("accept-encoding", "gzip, deflate, br"),
            ("host", domain),
            ("user-agent", agent),
            ("x-forwarded-for", "203.0.113.7"),
            ("x-forwarded-port", "443"),
            ("x-forwarded-proto", "https"),
        ]
        .map(|(name, value)| (name, value.to_owned()))
        .into();
        if self.header == SECRET {
            headers.insert(SECRET, telegram::webhook_secret(TOKEN));
        } else if !self.header.is_empty() {
            let scheme = if self.header == "authorization" { "tma " } else { "" };
            headers.insert(self.header, format!("{scheme}{}", self.init_data()));
        }
        if operation.method == Method::POST && self.function != "bot" {
            headers.insert("idempotency-key", KEY.to_owned());
        }
        let body = match (self.body, operation.body(&ids)) {
            (Some(body), _) => Some(body.to_owned()),
            (None, Value::Null) => None,
            (None, Value::Object(parts)) if operation.id == "importFile" => {
                headers.insert("content-type", client::FORM.to_owned());
                // API Gateway encodes what is neither text nor JSON.
                Some(STANDARD.encode(client::form(&parts)))
            }
            (None, body) => Some(body.to_string()),
        };
        if body.is_some() {
            headers.entry("content-type").or_insert_with(|| "application/json".to_owned());
        }
        let path = operation.path(&ids);
        let (path, query) = path.split_once('?').unwrap_or((&path, ""));
        let parts = operation.route.split('/').zip(path.split('/'));
        let parameters: BTreeMap<_, _> = parts
            .filter(|(name, _)| name.starts_with('{'))
            .map(|(name, id)| (name.trim_matches(['{', '}']), id))
            .collect();
        let query_parameters: BTreeMap<_, _> = form_urlencoded::parse(query.as_bytes()).collect();
        let method = &operation.method;
        let route = operation.route;
        let text = |value: Value| value.to_string();
        let object = |name: &str, fields: Value| {
            let fields = serde_json::to_string_pretty(&fields).unwrap().replace('\n', "\n  ");
            if fields == "{}" { String::new() } else { format!("\n  \"{name}\": {fields},") }
        };
        let headers = object("headers", json!(headers));
        let query_parameters = object("queryStringParameters", json!(query_parameters));
        let parameters = object("pathParameters", json!(parameters));
        let body =
            body.map_or_else(String::new, |body| format!("\n  \"body\": {},", text(body.into())));
        let is_base64 = self.name == "base64-body" || operation.id == "importFile";
        let query = text(query.into());
        format!(
            r#"{{
  "version": "2.0",
  "routeKey": "{method} {route}",
  "rawPath": "{path}",
  "rawQueryString": {query},{headers}{query_parameters}
  "requestContext": {{
    "accountId": "123456789012",
    "apiId": "a1b2c3d4e5",
    "domainName": "{domain}",
    "domainPrefix": "a1b2c3d4e5",
    "http": {{
      "method": "{method}",
      "path": "{path}",
      "protocol": "HTTP/1.1",
      "sourceIp": "203.0.113.7",
      "userAgent": "{agent}"
    }},
    "requestId": "JKJaXmPLv07HESAc=",
    "routeKey": "{method} {route}",
    "stage": "$default",
    "time": "15/Jan/2026:12:00:00 +0000",
    "timeEpoch": {SIGNED_AT}
  }},{parameters}{body}
  "isBase64Encoded": {is_base64}
}}
"#
        )
    }
}

/// The API over a table, with Alice as an operator.
///
/// # Panics
///
/// Never: her id is valid.
#[must_use]
pub fn events_app(table: Table) -> App {
    let operators = [ALICE.0.to_string().parse().unwrap()].into();
    App { operators, ..App::new(table, BotToken::new(TOKEN), telegram::MAX_AGE) }
}

/// The directory of the events.
#[must_use]
pub fn directory() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../events")
}

/// The ids in the events: a group of Alice and Bob, an expense, a settlement and a guest, an API
/// token and a spending of Alice, a receipt and a text that she asks, a cash-out of hers, and a
/// schedule.
pub const SCENE: [&str; 10] = [
    "019bc186-de00-7101-8101-010101010101",
    "019bc186-de00-7303-8303-030303030303",
    "019bc186-de01-7404-8404-040404040404",
    "guest-019bc186-de00-7505-8505-050505050505",
    "019bc186-de00-7606-8606-060606060606",
    "2026-01-14T09:30:00.000Z~08080808080808080808",
    "019bc186-de00-7909-8909-090909090909",
    "019bc186-de00-7a0a-8a0a-0a0a0a0a0a0a",
    "019bc186-de00-7c0c-8c0c-0c0c0c0c0c0c",
    "019bc186-de00-7d0d-8d0d-0d0d0d0d0d0d",
];

/// The names of these ids in operations.
const NAMES: [&str; 10] = [
    "groupId",
    "expenseId",
    "settlementId",
    "memberId",
    "tokenId",
    "spendingId",
    "questionId",
    "textId",
    "transactionId",
    "scheduleId",
];

/// Creates the group, expense, settlement, guest, token, spending, questions, cash-out and schedule
/// of the events, and returns their ids.
///
/// # Panics
///
/// If the API refuses a request.
pub async fn scene(api: &Router, now: Timestamp) -> [String; 10] {
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
    let question = post(api, &alice, &path("/questions"), &receipt()).await;
    let text = text_for(["123456789", "987654321"]);
    let text = post(api, &alice, &path("/questions"), &text).await;
    // Each scene of a table has its own reference.
    let cash = json!({ "fund": "cash", "currency": "EUR", "amount": 90, "refId": group });
    post(api, &alice, "/api/users/me/funds/credits", &cash).await;
    let cash_out = json!({ "type": "cashout", "currency": "EUR", "amount": 20, "to": "DE12 3456" });
    let cash_out = post(api, &alice, "/api/users/me/funds/debits", &cash_out).await;
    let rent = json!({ "expense": { "amount": 900, "description": "Rent" },
        "repeat": { "every": "month", "timeZone": "Europe/Berlin" } });
    let rent = post(api, &alice, &path("/schedules"), &rent).await;
    [group, expense, settlement, guest, token, spending, question, text, cash_out, rent]
}

/// Deletes the token of a [`scene`] and calls off its cash-out: a user may have only so many of
/// each.
///
/// # Panics
///
/// If the API does not answer.
pub async fn forget(api: &Router, made: &[String; 10], now: Timestamp) {
    let [.., token, _, _, _, cash_out, _] = made;
    let alice = client::authorization(&client::user(123_456_789, "Alice Smith"), TOKEN, now);
    let path = format!("/api/users/me/tokens/{token}");
    let request = client::request(&Method::DELETE, &path, &alice, None, &Value::Null);
    let api = Transport::Router(api.clone());
    api.send(request).await.unwrap();
    let path = format!("/api/users/me/funds/transactions/{cash_out}/void");
    let request = client::request(&Method::POST, &path, &alice, None, &json!({}));
    api.send(request).await.unwrap();
}

async fn post(api: &Transport, authorization: &str, path: &str, body: &Value) -> String {
    let request = client::request(&Method::POST, path, authorization, None, body);
    api.send(request).await.unwrap().id()
}
