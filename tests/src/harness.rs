//! The API under test, and clients for it.

#![expect(
    missing_docs,
    missing_debug_implementations,
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    clippy::return_self_not_must_use,
    reason = "part of the tests: names say it, and a test stops where it fails"
)]

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    ops::Deref,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use aws_sdk_dynamodb::{Client, types::AttributeValue};
use axum::{
    Router,
    body::Body,
    http::{Method, Request, StatusCode, header},
};
use fracti_core::{
    caller::telegram::{self, User},
    decisions::telling::Telling,
    reports::audit::Finding,
    storage::keys::Primary,
    v0,
    values::{decimal::Decimal, time::Timestamp},
};
use fracti_http::{App, DEADLINE, Quotas, TokenCache, service};
use fracti_local::{queued, routes};
use fracti_runtime::{BotToken, Clock, Random};
use fracti_store::{Table, TableCost};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::ServiceExt;
use tracing::instrument::WithSubscriber;

pub use self::log::Log;
use self::log::Secrets;
pub use crate::client::FORM;
use crate::{
    client,
    database::{Database, TABLE},
    faults::Proxy,
    operations::{Ids, Operation, receipt, text_for},
    template::{COMMON_RIGHTS, RIGHTS, Recorded, Recorder, Right, function_of, recorded},
};

mod log;

/// The bot token of the API under test.
pub const TOKEN: &str = "42:test-token";

/// The time at which a test begins: 2026-01-15T12:00:00Z.
pub const START: u64 = 1_768_478_400_000;

/// The paths whose responses are the same for all users, so caches may keep them.
pub const PUBLIC: [&str; 2] = ["/api/currencies", "/api/categories"];

/// The users who hold the money of funds.
pub const OPERATORS: [&str; 3] = ["1", "4", "123456789"];

/// The time limit of requests and counters, except in tests of a time limit: however busy the
/// machine is, it is not exceeded.
pub const PATIENCE: Duration = Duration::from_mins(5);

/// The API over an empty table, at a time that the test sets.
#[derive(Clone)]
pub struct Api {
    pub router: Router,
    pub app: App,
    pub table: Table,
    pub client: Client,
    now: Arc<AtomicU64>,
    database: Arc<Database>,
}

/// An authenticated client of the API.
#[derive(Clone)]
pub struct Caller {
    pub api: Api,
    pub id: String,
    pub user: User,
    authorization: Option<(&'static str, String)>,
}

/// A response.
#[derive(Clone, Debug)]
pub struct Reply {
    inner: client::Reply,
    /// The cost at the table.
    pub cost: TableCost,
    /// The DynamoDB actions.
    pub rights: BTreeSet<Right>,
    /// Number of actions of the largest transaction.
    pub actions: usize,
    /// Bytes of DynamoDB's answers.
    pub bytes_read: usize,
    /// The log of the request.
    pub log: String,
}

impl Api {
    pub async fn new() -> Self {
        Self::of(TOKEN, Random::system()).await
    }

    /// The API of the bot with `token`, whose ids are made of the bytes of `random`.
    pub async fn of(token: &str, random: Random) -> Self {
        Self::over_database(Database::start().await, token, random)
    }

    /// The API over an embedded engine, for tests of capacity units.
    pub async fn embedded() -> Self {
        Self::over_database(Database::embedded().await, TOKEN, Random::system())
    }

    fn over_database(database: Database, token: &str, random: Random) -> Self {
        let client = database.patient_client();
        let client = client.config().to_builder().interceptor(Recorder).build();
        let client = Client::from_conf(client);
        let table = Table::new(client.clone(), TABLE);
        let now = Arc::new(AtomicU64::new(START));
        let clock = now.clone();
        let app = App {
            clock: Clock::of(move || Timestamp::from_millis(clock.load(Ordering::SeqCst)).unwrap()),
            random,
            deadline: PATIENCE,
            quotas: Quotas { timeout: PATIENCE, ..Quotas::default() },
            operators: OPERATORS.map(|id| id.parse().unwrap()).into(),
            // No request calls it: changes are told only by [`Api::telling`].
            telegram: Some("http://127.0.0.1:1".into()),
            ..App::new(table.clone(), BotToken::new(token), telegram::MAX_AGE)
        };
        let router = service(routes(), app.clone());
        Self { router, app, table, client, now, database: Arc::new(database) }
    }

    /// The database with the table.
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// A second process over the same table.
    pub fn another(&self) -> Self {
        self.over(Table::new(self.client.clone(), TABLE))
    }

    /// The same behind the local server's queue, for more concurrent requests than the engine can
    /// serve.
    pub fn queued(self) -> Self {
        Self { router: service(queued(routes()), self.app.clone()), ..self }
    }

    /// A second process, over another table.
    pub fn over(&self, table: Table) -> Self {
        let tokens = TokenCache::default();
        let app = App { table: table.clone(), tokens, ..self.app.clone() };
        Self { router: service(routes(), app.clone()), app, table, ..self.clone() }
    }

    /// The same with another deadline for requests.
    pub fn with_deadline(&self, deadline: Duration) -> Self {
        let app = App { deadline, ..self.app.clone() };
        Self { router: service(routes(), app.clone()), app, ..self.clone() }
    }

    /// The same with other daily quotas.
    pub fn with_quotas(&self, quotas: Quotas) -> Self {
        let app = App { quotas, ..self.app.clone() };
        Self { router: service(routes(), app.clone()), app, ..self.clone() }
    }

    /// The same with other operators.
    pub fn with_operators(&self, operators: &[&str]) -> Self {
        let operators = operators.iter().map(|id| id.parse().unwrap()).collect();
        let app = App { operators, ..self.app.clone() };
        Self { router: service(routes(), app.clone()), app, ..self.clone() }
    }

    /// The same with a bot of this username.
    pub fn named(&self, bot: &str) -> Self {
        let app = App { bot_username: Some(bot.into()), ..self.app.clone() };
        Self { router: service(routes(), app.clone()), app, ..self.clone() }
    }

    /// The same with a Bot API at this address, in which changes are told.
    pub fn telling(&self, url: &str) -> Self {
        let table = self.table.clone().telling(Telling::On);
        let app = App { telegram: Some(url.into()), table: table.clone(), ..self.app.clone() };
        let app = app.with_bot_api();
        Self { router: service(routes(), app.clone()), app, table, ..self.clone() }
    }

    /// The same without a Bot API.
    pub fn without_telegram(&self) -> Self {
        let app = App { telegram: None, ..self.app.clone() };
        Self { router: service(routes(), app.clone()), app, ..self.clone() }
    }

    /// The API of another bot, over the same table.
    pub fn of_bot(&self, token: &str) -> Self {
        let app = App { bot_token: BotToken::new(token), ..self.app.clone() };
        Self { router: service(routes(), app.clone()), app, ..self.clone() }
    }

    /// The same over the engine behind a proxy, with the time limits of production and its own
    /// retry quota.
    pub fn behind(&self, proxy: &Proxy) -> Self {
        let api = self.over(Table::new(proxy.client(0), TABLE));
        let api = api.with_deadline(DEADLINE).with_quotas(Quotas::default());
        Self { client: proxy.client.clone(), ..api }
    }

    pub fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.now.load(Ordering::SeqCst)).unwrap()
    }

    /// Advances the clock.
    pub fn pass(&self, time: Duration) {
        self.now.fetch_add(u64::try_from(time.as_millis()).unwrap(), Ordering::SeqCst);
    }

    /// A Telegram user of this bot.
    pub fn user(&self, id: u64, name: &str) -> Caller {
        let user = User {
            id: fracti_core::values::id::UserId::new(id).unwrap(),
            name: name.to_owned(),
            username: Some(name.to_lowercase()),
            avatar_url: None,
        };
        let init_data = telegram::sign(&user, self.app.bot_token.expose(), self.now());
        let authorization = Some(("authorization", format!("tma {init_data}")));
        Caller { api: self.clone(), id: id.to_string(), user, authorization }
    }

    pub async fn send(&self, request: Request<Body>) -> Reply {
        self.send_to(&self.router, request).await
    }

    /// Sends a request to one function, and checks its log, its DynamoDB actions and its headers.
    pub async fn send_to(&self, router: &Router, request: Request<Body>) -> Reply {
        let function = function_of(request.uri().path());
        let is_public = PUBLIC.contains(&request.uri().path());
        let (parts, body) = request.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        let secrets = Secrets::of(&parts, &body, self.app.bot_token.expose());
        let request = Request::from_parts(parts, Body::from(body));
        let log = Log::default();
        let served = router.clone().oneshot(request).with_subscriber(log.subscriber());
        let (response, Recorded { rights, actions, bytes: bytes_read }) = recorded(served).await;
        let response = response.unwrap();
        let log = log.text();
        secrets.check(&log);
        for (action, on) in &rights {
            let right = ((*action).to_owned(), on.clone());
            let of_function = |function: &str| RIGHTS[function].contains(&right);
            let allowed = COMMON_RIGHTS.contains(&right) || function.is_some_and(of_function);
            assert!(allowed, "{function:?} may not {right:?}");
        }
        let inner = client::Reply::read(response).await.unwrap();
        let cost = inner.cost.unwrap();
        let reply = Reply { inner, cost, rights, actions, bytes_read, log };
        reply.check(is_public);
        reply
    }

    /// Every row of the table, by its key, but not those of requests without a stored result, which
    /// only tell attempts apart.
    pub async fn rows(&self) -> BTreeMap<(String, String), BTreeMap<String, AttributeValue>> {
        let mut pages = self.client.scan().table_name(TABLE).into_paginator().items().send();
        let mut rows = BTreeMap::new();
        while let Some(row) = pages.next().await {
            let row: BTreeMap<_, _> = row.unwrap().into_iter().collect();
            let key = |name: &str| row[name].as_s().unwrap().clone();
            if !key("PK").starts_with("IDEM#") || row.contains_key("requestHash") {
                rows.insert((key("PK"), key("SK")), row);
            }
        }
        rows
    }

    /// Changes a row, or a new one with only its key, outside of the API.
    pub async fn change_row(
        &self,
        pk: &str,
        sk: &str,
        change: impl FnOnce(&mut BTreeMap<String, AttributeValue>),
    ) {
        let key = [("PK", pk), ("SK", sk)]
            .map(|(name, key)| (name.to_owned(), AttributeValue::S(key.to_owned())));
        let stored = self.rows().await.remove(&(pk.to_owned(), sk.to_owned()));
        let mut row = stored.unwrap_or_else(|| key.into());
        change(&mut row);
        let put = self.client.put_item().table_name(TABLE);
        put.set_item(Some(row.into_iter().collect())).send().await.unwrap();
    }

    /// Deletes a row outside of the API.
    pub async fn delete_row(&self, pk: &str, sk: &str) {
        let key = |text: &str| AttributeValue::S(text.to_owned());
        let delete = self.client.delete_item().table_name(TABLE);
        delete.key("PK", key(pk)).key("SK", key(sk)).send().await.unwrap();
    }

    /// Sets an attribute of a row outside of the API.
    pub async fn set_attribute(&self, key: Primary, name: &str, value: AttributeValue) {
        let set = |row: &mut BTreeMap<_, _>| row.insert(name.to_owned(), value);
        self.change_row(&key.pk, &key.sk, |row| drop(set(row))).await;
    }

    /// Checks that the ledger agrees with the rows.
    pub async fn verify(&self, group: &str) {
        let group = group.parse().unwrap();
        let findings = self.table.audit(group, self.now()).await.unwrap();
        // v0 rows that cannot be migrated stay as they are.
        let is_v0 = |finding: &Finding| finding.stored.as_ref().is_some_and(v0::is_v0);
        let others: Vec<_> = findings.into_iter().filter(|it| !is_v0(it)).collect();
        assert_eq!(others, []);
    }
}

impl Deref for Reply {
    type Target = client::Reply;

    fn deref(&self) -> &client::Reply {
        &self.inner
    }
}

impl Reply {
    /// Checks the rules that hold for every response.
    fn check(&self, is_public: bool) {
        assert!(self.headers.contains_key("x-request-id"), "{self:?}");
        let media_type = self.headers.get(header::CONTENT_TYPE).and_then(|it| it.to_str().ok());
        let in_caches = is_public && !self.status.is_client_error();
        let caching = match self.header("content-security-policy") {
            Some(_) => "public, max-age=0, stale-while-revalidate=2592000",
            None if in_caches => "public, max-age=86400",
            None => "no-store",
        };
        // A script is kept under its version; the test of it knows which one was asked for.
        if !media_type.is_some_and(|it| it.starts_with("text/javascript")) {
            assert_eq!(self.header("cache-control"), Some(caching), "{self:?}");
        }
        assert_eq!(self.header("x-content-type-options"), Some("nosniff"), "{self:?}");
        if self.status == StatusCode::NOT_MODIFIED {
            let cached = is_public || self.header("content-security-policy").is_some();
            assert!(cached && self.text.is_empty() && media_type.is_none(), "{self:?}");
            return;
        }
        if media_type.is_some_and(|it| it.starts_with("text/")) {
            assert!(self.status.is_success() && self.body.is_null(), "{self:?}");
        } else {
            assert_eq!(media_type, Some("application/json"), "{self:?}");
            // To Telegram, the webhook answers with a method of the Bot API.
            if !self.body["method"].is_string() {
                assert_eq!(self.body["success"], self.status.is_success(), "{self:?}");
            }
        }
        // A token that was issued is looked up.
        let reads = self.header("www-authenticate") == Some("Bearer error=\"invalid_token\"");
        if self.status == StatusCode::UNAUTHORIZED && !reads {
            assert_eq!(
                self.cost.requests, 0,
                "an unauthenticated request must not reach the table: {self:?}"
            );
        }
        if !self.status.is_success() {
            assert!(self.body["error"].is_string() && self.body["message"].is_string(), "{self:?}");
            assert_eq!(self.body["requestId"], self.headers["x-request-id"].to_str().unwrap());
            let message = self.body["message"].as_str().unwrap();
            assert!(message.ends_with(['.', '?', '…']), "{message}");
            assert!(matches!(self.header("content-language"), Some("en" | "ru")), "{self:?}");
            assert_eq!(self.header("vary"), Some("accept-language"), "{self:?}");
        }
        check_messages(&self.body);
    }

    /// The data of a successful response with this status.
    pub fn data(&self, status: u16) -> &Value {
        assert_eq!(self.status, status, "{self:?}");
        &self.body["data"]
    }

    /// The error code.
    pub fn code(&self) -> (u16, &str) {
        (self.status.as_u16(), self.body["error"].as_str().unwrap_or_default())
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}

/// Checks that no message in a response has two punctuation marks in a row, outside of quotes.
fn check_messages(json: &Value) {
    match json {
        Value::Object(fields) => {
            for (name, value) in fields {
                if let (true, Some(message)) = (name == "message", value.as_str()) {
                    let bare = message.split('"').step_by(2).collect::<Vec<_>>().join("x");
                    for pair in ["..", "?.", "!.", "….", ",.", ":.", ";.", "?,", ".,", ".:", "::"]
                    {
                        assert!(!bare.contains(pair), "{message}");
                    }
                    assert!(!bare.contains("  ") && !bare.contains(" ."), "{message}");
                }
                check_messages(value);
            }
        }
        Value::Array(items) => items.iter().for_each(check_messages),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

impl Caller {
    /// The same user as a client of another process.
    pub fn at(&self, api: &Api) -> Self {
        Self { api: api.clone(), ..self.clone() }
    }

    /// The same user of an API with other daily quotas.
    pub fn with_quotas(&self, quotas: Quotas) -> Self {
        self.at(&self.api.with_quotas(quotas))
    }

    /// The same user with another authentication header.
    pub fn with(&self, authorization: Option<(&'static str, String)>) -> Self {
        Self { authorization, ..self.clone() }
    }

    /// The same user, who opened the Mini App by a direct link in a chat.
    pub fn in_chat(&self, chat: &str) -> Self {
        let token = self.api.app.bot_token.expose();
        let now = self.api.now();
        let init_data = telegram::sign_in_chat(&self.user, &chat.parse().unwrap(), token, now);
        self.with(Some(("authorization", format!("tma {init_data}"))))
    }

    /// The same user by the API token that this response to its creation has.
    pub fn with_token(&self, created: &Reply) -> Self {
        let token = created.data(201)["token"].as_str().unwrap();
        self.with(Some(("authorization", format!("Bearer {token}"))))
    }

    /// The authentication header.
    pub fn authorization(&self) -> (&'static str, String) {
        self.authorization.clone().unwrap()
    }

    pub fn request(&self, method: Method, path: &str) -> axum::http::request::Builder {
        let request = Request::builder().method(method).uri(path);
        match &self.authorization {
            Some((name, value)) => request.header(*name, value),
            None => request,
        }
    }

    pub async fn call(&self, method: Method, path: &str, body: Option<&Value>) -> Reply {
        let request = self.request(method, path);
        self.api.send(client::with_body(request, body.unwrap_or(&Value::Null))).await
    }

    /// Sends the request of an operation.
    pub async fn perform(&self, operation: &Operation, ids: &Ids) -> Reply {
        let path = operation.path(ids);
        let body = operation.body(ids);
        self.call(operation.method.clone(), &path, Some(&body)).await
    }

    pub async fn get(&self, path: &str) -> Reply {
        self.call(Method::GET, path, None).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Reply {
        self.call(Method::POST, path, Some(&body)).await
    }

    pub async fn put(&self, path: &str, body: Value) -> Reply {
        self.call(Method::PUT, path, Some(&body)).await
    }

    pub async fn patch(&self, path: &str, body: Value) -> Reply {
        self.call(Method::PATCH, path, Some(&body)).await
    }

    pub async fn delete(&self, path: &str) -> Reply {
        self.call(Method::DELETE, path, None).await
    }

    /// Posts a raw body.
    pub async fn post_text(&self, path: &str, body: &str) -> Reply {
        let request =
            self.request(Method::POST, path).header(header::CONTENT_TYPE, "application/json");
        self.api.send(request.body(Body::from(body.to_owned())).unwrap()).await
    }

    /// Puts with `If-Match`.
    pub async fn put_if(&self, tag: &str, path: &str, body: Value) -> Reply {
        let request = self.request(Method::PUT, path).header(header::IF_MATCH, tag);
        self.api.send(client::with_body(request, &body)).await
    }

    /// All items of a list, read in pages of `limit`.
    pub async fn pages(&self, path: &str, limit: usize) -> Vec<Value> {
        let mut all = Vec::new();
        let separator = if path.contains('?') { '&' } else { '?' };
        let first = format!("{path}{separator}limit={limit}");
        let mut at = first.clone();
        loop {
            let page = self.get(&at).await;
            let items = page.data(200).as_array().unwrap();
            assert!(items.len() <= limit, "{at}");
            all.extend(items.iter().cloned());
            let pagination = &page.body["pagination"];
            let Some(cursor) = pagination["nextCursor"].as_str() else {
                assert_eq!(pagination["hasMore"], false);
                return all;
            };
            at = format!("{first}&cursor={cursor}");
        }
    }

    /// Posts with an idempotency key, and repeats the request after each 503.
    pub async fn post_until_answered(&self, key: &str, path: &str, body: &Value) -> Reply {
        loop {
            let reply = self.post_once(key, path, body.clone()).await;
            if reply.status != 503 {
                return reply;
            }
            let seconds = reply.header("retry-after").unwrap().parse().unwrap();
            tokio::time::sleep(Duration::from_secs(seconds)).await;
        }
    }

    /// Posts with an idempotency key.
    pub async fn post_once(&self, key: &str, path: &str, body: Value) -> Reply {
        let request = self.request(Method::POST, path).header("idempotency-key", key);
        self.api.send(client::with_body(request, &body)).await
    }
}

/// A group with its members; the first one created it.
pub struct Group {
    pub api: Api,
    pub id: String,
    pub members: Vec<Caller>,
}

impl Group {
    /// A group with `members` members, who have the ids 1, 2, … and the names A, B, ….
    pub async fn of(api: &Api, members: u64, currency: &str) -> Self {
        let names = (b'A'..).map(|letter| char::from(letter).to_string());
        let members: Vec<Caller> =
            (1..=members).zip(names).map(|(id, name)| api.user(id, &name)).collect();
        let new = json!({ "title": "Alps", "chatId": -100, "currency": currency });
        let made = members[0].post("/api/groups", new).await;
        let id = made.data(201)["id"].as_str().unwrap().to_owned();
        for member in &members[1..] {
            member.post(&format!("/api/groups/{id}/join"), json!({})).await.data(200);
        }
        Self { api: api.clone(), id, members }
    }

    /// The same over a new table.
    pub async fn new(members: u64, currency: &str) -> Self {
        Self::of(&Api::new().await, members, currency).await
    }

    pub fn path(&self, rest: &str) -> String {
        format!("/api/groups/{}{rest}", self.id)
    }

    /// Adds a guest, and returns the id.
    pub async fn guest(&self, by: usize, name: &str) -> String {
        let made = self.members[by].post(&self.path("/members"), json!({ "name": name })).await;
        made.data(201)["id"].as_str().unwrap().to_owned()
    }

    /// Creates an expense that `payer` paid; all members share it unless `splits` is given.
    /// Links a guest to a user, who says so first; the answer to another member, who confirms it.
    pub async fn link(&self, guest: &str, user: &str) -> Reply {
        let (path, body) =
            (self.path(&format!("/members/{guest}/link")), json!({ "userId": user }));
        let proposed = self.api.user(user.parse().unwrap(), "U").post(&path, body.clone()).await;
        proposed.data(202);
        self.members[usize::from(user == "1")].post(&path, body).await
    }

    pub async fn spend(&self, payer: usize, body: Value) -> Value {
        let mut expense = json!({ "description": "Dinner" });
        expense.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
        self.members[payer].post(&self.path("/expenses"), expense).await.data(201).clone()
    }

    /// Creates a completed settlement: the recipient `to` records that `from` paid.
    pub async fn pay(&self, from: usize, to: usize, amount: &str) -> Value {
        let body = json!({ "fromId": self.members[from].id, "toId": self.members[to].id,
            "amount": amount });
        self.members[to].post(&self.path("/settlements"), body).await.data(201).clone()
    }

    pub async fn debts(&self) -> Value {
        self.members[0].get(&self.path("/debts")).await.data(200).clone()
    }

    /// The balance of each member, in the order of the members.
    pub async fn balances(&self) -> Vec<String> {
        let debts = self.debts().await;
        let balance = |member: &Caller| {
            let mut nodes = debts["balances"].as_array().unwrap().iter();
            nodes.find(|node| node["id"] == member.id).unwrap()["balance"].to_string()
        };
        self.members.iter().map(balance).collect()
    }

    /// Checks that the ledger agrees with the rows.
    pub async fn verify(&self) {
        self.api.verify(&self.id).await;
    }
}

/// A group in which every operation makes sense. Of its members 1, 2, …, the first paid an expense,
/// asked a receipt, a text and a cash-out, made a schedule, and has a token and a spending; the
/// second owes them a pending settlement. There is one guest.
pub struct Busy {
    pub group: Group,
    /// The ids by their names in operations; no import and no entry but the expense's.
    pub ids: Ids,
}

impl Busy {
    pub async fn new() -> Self {
        Self::of(Group::new(3, "EUR").await).await
    }

    pub async fn of(group: Group) -> Self {
        let [alice, bob] = [&group.members[0], &group.members[1]];
        let make = async |by: &Caller, path: &str, body| by.post(path, body).await.id();
        let expense = json!({ "amount": 9, "description": "Dinner" });
        let expense = make(alice, &group.path("/expenses"), expense).await;
        let settlement = json!({ "toId": "1", "amount": 3 });
        let settlement = make(bob, &group.path("/settlements"), settlement).await;
        let guest = group.guest(1, "Grandma").await;
        let token = json!({ "name": "Phone", "scopes": ["read", "write"] });
        let token = make(alice, "/api/users/me/tokens", token).await;
        let tea = json!({ "title": "Tea", "amount": 1, "currency": "EUR" });
        let spending = make(alice, "/api/users/me/spendings", tea).await;
        let questions = group.path("/questions");
        let question = make(alice, &questions, receipt()).await;
        let text = make(alice, &questions, text_for(["1", "2", "3", &guest])).await;
        let cash = json!({ "fund": "cash", "currency": "EUR", "amount": 90, "refId": group.id });
        make(alice, "/api/users/me/funds/credits", cash).await;
        let cash_out =
            json!({ "type": "cashout", "currency": "EUR", "amount": 20, "to": "DE12 3456" });
        let cash_out = make(alice, "/api/users/me/funds/debits", cash_out).await;
        let rent = json!({ "expense": { "amount": 9, "description": "Rent" },
            "repeat": { "every": "month", "start": "2026-02-28" } });
        let rent = make(alice, &group.path("/schedules"), rent).await;
        let ids = [
            ("scheduleId", rent),
            ("transactionId", cash_out),
            ("questionId", question),
            ("textId", text),
            ("alice", "1".to_owned()),
            ("bob", "2".to_owned()),
            ("groupId", group.id.clone()),
            ("entryId", expense.clone()),
            ("expenseId", expense),
            ("settlementId", settlement),
            ("memberId", guest),
            ("tokenId", token),
            ("spendingId", spending),
            ("importId", "0190a1b2-0000-7000-8000-000000000001".to_owned()),
            ("date", "2026-01-15".to_owned()),
        ];
        Self { ids: ids.into(), group }
    }
}

/// Asserts that a file is as it would be generated. `UPDATE_FILES=1` generates it.
pub fn assert_current(path: &str, text: &str, how: &str) {
    if std::env::var_os("UPDATE_FILES").is_some() {
        std::fs::write(path, text).unwrap();
    }
    assert!(std::fs::read_to_string(path).unwrap() == text, "{path} is stale: {how}");
}

/// A number of a response, as exact as the JSON of a test is.
pub fn number(value: &Value) -> Decimal {
    value.to_string().parse().unwrap()
}

/// The file of a Splitwise group: rows of a day, a category, a text, a currency and the net of each
/// person in minor units of two decimals.
pub fn splitwise(people: &[&str], rows: &[(&str, &str, &str, &str, Vec<i64>)]) -> String {
    let money = |minor: i64| {
        let sign = if minor < 0 { "-" } else { "" };
        format!("{sign}{}.{:02}", minor.abs() / 100, minor.abs() % 100)
    };
    let mut file = format!("Date,Description,Category,Cost,Currency,{}\n\n", people.join(","));
    let mut totals: BTreeMap<&str, Vec<i64>> = BTreeMap::new();
    for (day, category, text, currency, nets) in rows {
        let paid: i64 = nets.iter().filter(|net| **net > 0).sum();
        let cells: Vec<_> = nets.iter().map(|net| money(*net)).collect();
        writeln!(file, "{day},{text},{category},{},{currency},{}", money(paid), cells.join(","))
            .unwrap();
        let total = totals.entry(currency).or_insert_with(|| vec![0; people.len()]);
        total.iter_mut().zip(nets).for_each(|(total, net)| *total += net);
    }
    file.push('\n');
    for (currency, nets) in totals {
        let cells: Vec<_> = nets.iter().map(|net| money(*net)).collect();
        writeln!(file, "2026-01-15,Total balance, , ,{currency},{}", cells.join(",")).unwrap();
    }
    file.push('\n');
    file
}
