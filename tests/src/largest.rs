//! The largest groups that the limits allow, and a call of every endpoint with them.
//!
//! One group has 500 members, 4 000 balances and adjustments of the maximum size. In another one,
//! 20 members have open balances in 172 currencies, the hardest input for suggested settlements.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::SeqCst},
    },
    time::{Duration, Instant},
};

use aws_sdk_dynamodb::{
    Client,
    types::{AttributeValue, Put, TransactWriteItem},
};
use axum::http::Method;
use fracti_core::{
    currency::Currency,
    group::{Member, MemberRow},
    id::GroupId,
    keys, row,
    telegram::{self, MAX_NAME, User},
    time::Timestamp,
};
use fracti_http::{App, service};
use fracti_local::routes;
use fracti_runtime::{BotToken, Clock};
use fracti_store::{Table, TableCost, to_sdk};
use serde_json::{Value, json};

use crate::{
    client::{self, Transport},
    database::TABLE,
    events::{SIGNED_AT, TOKEN},
    faults::{Fault, Plan, Proxy},
    sizes::{self, Sizes},
};

/// The route that opens the group of a chat.
const OPEN: &str = "/api/groups/open";

/// Members of the largest group before two guests are added and the last member joins.
const MEMBERS: u64 = 497;

/// Currencies in which every member but the last three has a balance.
const CURRENCIES: [&str; 8] = ["EUR", "USD", "CHF", "GBP", "TON", "USDT", "KWD", "BTC"];

/// Days with entries.
const DAYS: u64 = 6;

/// An API with the largest groups.
#[derive(Debug)]
pub struct Largest {
    api: Transport,
    client: Client,
    clock: Arc<AtomicU64>,
    sizes: Sizes,
    proxy: Proxy,
    /// Write units of a partition in a second, if they are limited.
    units: Option<u32>,
}

/// Attempts of a call at most.
const MAX_ATTEMPTS: u32 = 20;

/// The result of one call.
#[derive(Debug)]
pub struct Call {
    /// The method and the path template of the OpenAPI document.
    pub endpoint: (Method, String),
    /// A description of the request.
    pub what: &'static str,
    /// The status.
    pub status: u16,
    /// The response.
    pub body: Value,
    /// Size of the response in bytes.
    pub bytes: usize,
    /// The cost at the table.
    pub cost: TableCost,
    /// The duration, of all attempts.
    pub took: Duration,
    /// Number of attempts: one, and one for each 503.
    pub attempts: u32,
    /// Number of requests to the table that were throttled.
    pub throttled: u64,
}

impl Call {
    /// A request for the user's own data.
    fn asked(method: Method, route: &str, what: &'static str) -> (Method, String, &'static str) {
        (method, format!("/api/users/me{route}"), what)
    }
}

fn id(member: u64) -> String {
    // Telegram ids have at most 52 significant bits: 16 digits.
    (4_503_599_627_369_900 + member).to_string()
}

fn user(member: u64) -> User {
    User {
        id: id(member).parse().unwrap(),
        // The maximum length of a name in bytes, in characters of four bytes.
        name: "𝔸".repeat(MAX_NAME / 4),
        username: Some(format!("{member:032}")),
        avatar_url: None,
    }
}

/// The write of a member's row.
fn row(group: GroupId, member: u64, at: Timestamp) -> TransactWriteItem {
    let user = user(member);
    let member = Member::new(&user, None, at);
    let row = row::to_item(&MemberRow { group_id: group, member }).unwrap();
    let put = Put::builder().table_name(TABLE).set_item(Some(to_sdk(row))).build().unwrap();
    TransactWriteItem::builder().put(put).build()
}

/// An adjustment that moves the balance of each member by `amount`, and of the last one by the
/// rest.
fn wide(name: &str, members: u64, currency: &str, amount: impl Fn(u64) -> i64) -> Value {
    let others: Vec<i64> = (1..members).map(amount).collect();
    let rest = -others.iter().sum::<i64>();
    let change = |(member, amount): (u64, i64)| json!({ "userId": id(member), "currency": currency, "amount": amount });
    let changes: Vec<_> = (1..).zip(others.into_iter().chain([rest])).map(change).collect();
    json!({ "entryId": name, "changes": changes })
}

impl Largest {
    /// An API without groups, with `deadline` for each request. If a partition takes only a number
    /// of write `units` a second, the calls have keys, and those answered 503 are repeated.
    ///
    /// # Panics
    ///
    /// If no port is free.
    pub async fn new(deadline: Duration, units: Option<u32>) -> Self {
        let proxy = Proxy::start(Plan::none()).await;
        let client = proxy.client.clone();
        let sizes = Sizes::default();
        let used = if units.is_some() { proxy.client(0) } else { client.clone() };
        let config = used.config().to_builder().interceptor(sizes.clone());
        let recorded = Client::from_conf(config.build());
        let clock = Arc::new(AtomicU64::new(SIGNED_AT));
        let now = clock.clone();
        let app = App {
            clock: Clock::of(move || Timestamp::from_millis(now.load(SeqCst)).unwrap()),
            deadline,
            ..App::new(Table::new(recorded, TABLE), BotToken::new(TOKEN), telegram::MAX_AGE)
        };
        Self { api: Transport::Router(service(routes(), app)), client, clock, sizes, proxy, units }
    }

    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.clock.load(SeqCst)).unwrap()
    }

    async fn call(
        &self,
        member: u64,
        (method, route): (Method, &str),
        path: &str,
        what: &'static str,
        body: &Value,
    ) -> Call {
        let user = user(member);
        let authorization = if route == OPEN {
            let chat = "-3788475317572404878".parse().unwrap();
            format!("tma {}", telegram::sign_in_chat(&user, &chat, TOKEN, self.now()))
        } else {
            client::authorization(&user, TOKEN, self.now())
        };
        let measured = self.units.filter(|_| !route.is_empty());
        let key = measured.map(|_| format!("call-{}", fastrand::u64(..)));
        let (began, mut attempts) = (Instant::now(), 0);
        let throttled = || self.proxy.tally().1.get(&Fault::Throttle).copied().unwrap_or_default();
        let before = throttled();
        self.proxy.limit(measured);
        let reply = loop {
            let request = client::request(&method, path, &authorization, key.as_deref(), body);
            let reply = self.api.send(request).await.unwrap();
            attempts += 1;
            if measured.is_none() || reply.status.as_u16() != 503 || attempts == MAX_ATTEMPTS {
                break reply;
            }
        };
        self.proxy.limit(None);
        Call {
            endpoint: (method, route.to_owned()),
            what,
            status: reply.status.as_u16(),
            bytes: reply.text.len(),
            body: reply.body,
            cost: reply.cost.unwrap(),
            took: began.elapsed(),
            attempts,
            throttled: throttled() - before,
        }
    }

    async fn post(&self, member: u64, path: &str, body: Value) -> Value {
        let call = self.call(member, (Method::POST, ""), path, "", &body).await;
        assert!(call.status < 300, "{path}: {}", call.body);
        call.body["data"].clone()
    }

    /// A group of `members` members. All but the first are written to the table as `join` does, a
    /// hundred at once.
    async fn group(&self, members: u64) -> String {
        let new = json!({ "title": "𝔾".repeat(100), "chatId": 1, "currency": "EUR" });
        let group = self.post(1, "/api/groups", new).await["id"].as_str().unwrap().to_owned();
        let group_id: GroupId = group.parse().unwrap();
        let rows: Vec<_> = (2..=members).map(|member| row(group_id, member, self.now())).collect();
        for rows in rows.chunks(100) {
            let transaction = self.client.transact_write_items();
            transaction.set_transact_items(Some(rows.to_vec())).send().await.unwrap();
        }
        let update = self.client.update_item().table_name(TABLE);
        let update = update.set_key(Some(to_sdk(keys::group(group_id).item())));
        let update = update.update_expression("SET memberCount = :members");
        let count = AttributeValue::N(members.to_string());
        update.expression_attribute_values(":members", count).send().await.unwrap();
        group
    }

    /// A group of 20 with open balances in 172 currencies, no two of which cancel out.
    async fn many_currencies(&self) -> String {
        let group = self.group(20).await;
        let path = format!("/api/groups/{group}/ledger/entries");
        let codes = (b'A'..=b'Z').flat_map(|a| (b'A'..=b'Z').map(move |b| (a, b)));
        let codes = codes.flat_map(|(a, b)| (b'A'..=b'Z').map(move |c| [a, b, c]));
        let codes = codes.filter_map(|code| {
            let code = str::from_utf8(&code).unwrap().to_owned();
            code.parse::<Currency>().ok().map(|_| code)
        });
        let codes = codes.take(172);
        // No fewer balances than all of a currency sum to zero.
        let power = |member: u64| (-2_i64).pow(u32::try_from(member).unwrap());
        let hard: Vec<_> = codes.map(|code| wide(&code, 20, &code, power)).collect();
        for hard in hard.chunks(40) {
            self.post(1, &path, json!(hard)).await;
        }
        group
    }

    /// A group of 497 members with balances in eight currencies, large adjustments, and a past of
    /// several days.
    async fn wide(&self) -> String {
        let group = self.group(MEMBERS).await;
        let path = format!("/api/groups/{group}/ledger/entries");
        // Written while the ledger is still small, which is faster.
        for number in (0..100).step_by(2) {
            let entry = |number: i32| wide(&format!("large {number:058}"), MEMBERS, "EUR", |_| 1);
            self.post(1, &path, json!([entry(number), entry(number + 1)])).await;
        }
        for currency in CURRENCIES {
            let opening =
                wide(currency, MEMBERS, currency, |member| i64::try_from(member).unwrap());
            self.post(1, &path, json!([opening])).await;
        }
        for _ in 0..DAYS {
            self.clock.fetch_add(24 * 60 * 60 * 1000, SeqCst);
            self.post(1, &format!("/api/groups/{group}/expenses"), full(1)).await;
        }
        group
    }

    /// Creates the groups, and calls every endpoint of the API.
    ///
    /// # Panics
    ///
    /// If a group cannot be created.
    pub async fn calls(&self) -> Vec<Call> {
        let (many, group) = (self.many_currencies().await, self.wide().await);
        let at = |rest: &str| format!("/api/groups/{group}{rest}");
        let made = self.post(1, &at("/expenses"), full(1)).await;
        let expense = made["id"].as_str().unwrap().to_owned();
        let pay = json!({ "toId": id(2), "amount": 1, "currency": "EUR" });
        let settlement = self.post(1, &at("/settlements"), pay.clone()).await;
        let settlement = settlement["id"].as_str().unwrap().to_owned();
        let guest = self.post(1, &at("/members"), json!({ "name": "Guest" })).await;
        let guest = guest["id"].as_str().unwrap().to_owned();
        let (mut calls, mut import) = (Vec::new(), String::new());
        let none = Value::Null;
        for (member, method, route, query, what, body) in of_group(&pay) {
            let query = match query {
                "?limit=100&userId=" => format!("{query}{}", id(1)),
                open if open.ends_with('=') => format!("{open}{}", self.first_day()),
                query => query.to_owned(),
            };
            let path = route
                .replace("{expenseId}", &expense)
                .replace("{settlementId}", &settlement)
                .replace("{memberId}", &guest)
                .replace("{importId}", &import)
                .replace("{entryId}", &expense);
            let (route, path) = (format!("/api/groups/{{groupId}}{route}"), at(&(path + &query)));
            let call = self.call(member, (method, &route), &path, what, &body).await;
            if let Some(id) = call.body["data"]["importId"].as_str() {
                id.clone_into(&mut import);
            }
            calls.push(call);
        }
        let debts = (Method::GET, "/api/groups/{groupId}/debts");
        let path = format!("/api/groups/{many}/debts");
        calls.push(self.call(1, debts, &path, "20 members, 172 currencies", &none).await);
        let me = ["", "/groups", "/expenses", "/debts", "/settlements", "/activity", "/summary"];
        for route in me.map(|rest| format!("/api/users/me{rest}")) {
            let paged = !matches!(&*route, "/api/users/me" | "/api/users/me/summary");
            let path = if paged { format!("{route}?limit=100") } else { route.clone() };
            calls.push(self.call(1, (Method::GET, &route), &path, "", &none).await);
        }
        calls.push(
            self.call(1, (Method::GET, "/api/groups"), "/api/groups?limit=100", "", &none).await,
        );
        let new = json!({ "title": "Flat", "chatId": 1 });
        calls.push(self.call(1, (Method::POST, "/api/groups"), "/api/groups", "", &new).await);
        calls.push(self.call(1, (Method::POST, OPEN), OPEN, "", &json!({})).await);
        calls.extend(self.of_user().await);
        calls
    }

    /// Records the largest spendings on one day, and calls every endpoint of a user's own data.
    async fn of_user(&self) -> Vec<Call> {
        let (me, none) = ("/api/users/me", Value::Null);
        let targets = Call::asked(Method::PATCH, "/targets", "50 categories");
        let mut calls = vec![self.call_own(targets, "/targets", &own_categories()).await];
        for _ in 0..100 {
            self.post(1, &format!("{me}/spendings"), spending()).await;
        }
        let post = |route| Call::asked(Method::POST, route, "");
        let made = self.call_own(post("/spendings"), "/spendings", &spending()).await;
        let spending = made.body["data"]["id"].as_str().unwrap().to_owned();
        calls.push(made);
        let new = json!({ "name": "𝕋".repeat(100), "scopes": ["read", "write"] });
        for _ in 0..19 {
            self.post(1, &format!("{me}/tokens"), new.clone()).await;
        }
        let made = self.call_own(post("/tokens"), "/tokens", &new).await;
        let token = made.body["data"]["id"].as_str().unwrap().to_owned();
        calls.push(made);

        let today = self.now().day();
        let month = format!("?month={}", &today.to_string()[..7]);
        let edit = json!({ "amount": 999, "userDate": today.to_string() });
        for (method, route, query, body) in [
            (Method::GET, "/targets", "", &none),
            (Method::GET, "/usage", "", &none),
            (Method::GET, "/tokens", "?limit=100", &none),
            (Method::GET, "/spendings", "?limit=100", &none),
            (Method::GET, "/spendings/{spendingId}", "", &none),
            (Method::PUT, "/spendings/{spendingId}", "", &edit),
            (Method::GET, "/days", &month, &none),
            (Method::GET, "/days/{date}", "", &none),
            (Method::POST, "/days/rebuild", &month, &none),
            (Method::DELETE, "/spendings/{spendingId}", "", &none),
            (Method::DELETE, "/tokens/{tokenId}", "", &none),
        ] {
            let path = route
                .replace("{spendingId}", &spending)
                .replace("{tokenId}", &token)
                .replace("{date}", &today.to_string());
            let asked = Call::asked(method, route, "");
            calls.push(self.call_own(asked, &(path + query), body).await);
        }
        calls
    }

    /// Calls an endpoint of the first member's own data.
    async fn call_own(
        &self,
        (method, route, what): (Method, String, &'static str),
        path: &str,
        body: &Value,
    ) -> Call {
        self.call(1, (method, &route), &format!("/api/users/me{path}"), what, body).await
    }

    /// The largest requests sent to DynamoDB so far.
    #[must_use]
    pub fn sizes(&self) -> sizes::Largest {
        self.sizes.largest()
    }

    /// The end of the first day of the largest group.
    fn first_day(&self) -> String {
        let days = Duration::from_hours(24 * DAYS);
        let now = self.clock.load(SeqCst);
        let first = Timestamp::from_millis(now - u64::try_from(days.as_millis()).unwrap()).unwrap();
        first.day().end().to_string()
    }
}

/// The largest number of own categories, and targets for all of them.
fn own_categories() -> Value {
    let category = |number: u32| {
        let category = json!({ "unit": "EUR", "label": "ℂ".repeat(50), "target": 100 });
        (format!("{number:a<32}").replacen(char::is_numeric, "c", 1), category)
    };
    let registry: serde_json::Map<_, _> = (100..150).map(category).collect();
    json!({ "version": 1, "currency": "EUR", "total": 5000, "food": 300, "registry": registry })
}

/// A spending with the largest texts and number of categories.
fn spending() -> Value {
    let registry = own_categories()["registry"].take();
    let keys = registry.as_object().unwrap().keys().take(20);
    let categories: serde_json::Map<_, _> = keys.map(|key| (key.clone(), json!(1))).collect();
    json!({ "title": "𝕊".repeat(100), "notes": "ℕ".repeat(500), "amount": "20.01",
        "currency": "EUR", "categories": categories })
}

/// An expense with 45 shares, starting at member `from`.
fn full(from: u64) -> Value {
    let splits: Vec<_> = (from..from + 45).map(|member| json!({ "userId": id(member) })).collect();
    json!({ "amount": "450.37", "currency": "EUR", "description": "𝔻".repeat(200), "splits": splits })
}

/// The import of a Splitwise file in which the first 45 members share every expense.
fn file() -> Value {
    let people: Vec<_> = (1..=45).map(|member| format!("Person {member}")).collect();
    let members: serde_json::Map<_, _> =
        people.iter().zip(1..).map(|(name, member)| (name.clone(), json!(id(member)))).collect();
    let header = format!("Date,Description,Category,Cost,Currency,{}\n\n", people.join(","));
    let (shares, text) = (["-1.00"; 44].join(","), "𝔻".repeat(190));
    let rows =
        (0..10).map(|row| format!("2025-01-01,{row} {text},General,45.00,EUR,44.00,{shares}\n"));
    let totals = ["-10.00"; 44].join(",");
    let totals = format!("\n2026-01-01,Total balance, , ,EUR,440.00,{totals}\n\n");
    let file: String = std::iter::once(header).chain(rows).chain([totals]).collect();
    json!({ "file": file, "options": { "commit": true, "members": members } })
}

/// A request to the largest group: member, method, route, query, description and body.
type Asked = (u64, Method, &'static str, &'static str, &'static str, Value);

fn of_group(pay: &Value) -> Vec<Asked> {
    let small = |number: u64| {
        let change = |member: u64, amount: i64| json!({ "userId": id(member), "amount": amount });
        json!({ "entryId": number.to_string(), "changes": [change(1, 1), change(2, -1)] })
    };
    // The maximum numbers of entries in a request, and of changes.
    let small: Vec<_> = (0..90).map(small).collect();
    let names: Vec<_> = (0..30).map(|number| number.to_string()).collect();
    let large: Vec<_> = (0..4).map(|number| format!("large {number:058}")).collect();
    let (get, post) = (|| Method::GET, || Method::POST);
    let none = Value::Null;
    vec![
        (1, post(), "/members", "", "", json!({ "name": "𝔾".repeat(100) })),
        (500, post(), "/join", "", "the last member", none.clone()),
        (1, get(), "", "", "", none.clone()),
        (1, Method::PATCH, "", "", "", json!({ "title": "𝕋".repeat(100) })),
        (1, Method::DELETE, "/members/{memberId}", "", "", none.clone()),
        (1, post(), "/members/{memberId}/restore", "", "", none.clone()),
        (1, Method::PATCH, "/members/{memberId}", "", "", json!({ "name": "ℍ".repeat(100) })),
        (1, post(), "/members/{memberId}/link", "", "", json!({ "userId": id(2) })),
        (1, Method::PUT, "/wallet", "", "", json!({ "wallet": format!("0:{}", "a".repeat(64)) })),
        (1, get(), "/expenses", "?limit=100", "", none.clone()),
        (1, post(), "/expenses", "", "45 shares", full(100)),
        (1, get(), "/expenses/{expenseId}", "", "45 shares", none.clone()),
        (1, get(), "/expenses/{expenseId}/breakdown", "", "45 shares", none.clone()),
        (1, Method::PUT, "/expenses/{expenseId}", "", "45 other shares", full(200)),
        (1, get(), "/expenses/{expenseId}/history", "?limit=100", "", none.clone()),
        (1, Method::DELETE, "/expenses/{expenseId}", "", "45 shares", none.clone()),
        (1, post(), "/expenses/{expenseId}/restore", "", "45 shares", none.clone()),
        (1, post(), "/import", "", "10 rows of 45 shares", file()),
        (1, get(), "/imports", "?limit=100", "", none.clone()),
        (1, get(), "/import/{importId}", "", "", none.clone()),
        (1, Method::DELETE, "/import/{importId}", "", "10 rows of 45 shares", none.clone()),
        (1, get(), "/export", "?format=json&limit=1000", "entries of 497 changes", none.clone()),
        (1, get(), "/export", "?format=csv&limit=1000", "497 columns", none.clone()),
        (1, get(), "/debts", "", "4 000 balances", none.clone()),
        (1, get(), "/debts", "?verify=true", "verified", none.clone()),
        (1, get(), "/settlements", "?limit=100", "", none.clone()),
        (1, post(), "/settlements", "", "", pay.clone()),
        (1, get(), "/settlements/{settlementId}", "", "", none.clone()),
        (2, Method::PUT, "/settlements/{settlementId}", "", "", json!({ "status": "completed" })),
        (1, get(), "/ledger/balance", "", "4 000 balances", none.clone()),
        (1, get(), "/ledger/balance", "?at=", "the first day", none.clone()),
        (1, get(), "/ledger/entries", "?limit=100&order=asc", "100 of 497 changes", none.clone()),
        (1, get(), "/ledger/entries", "?limit=100&userId=", "of one member", none.clone()),
        (1, get(), "/ledger/entries", "?limit=100&to=", "up to the first day", none.clone()),
        (1, get(), "/ledger/days", "", "6 days", none.clone()),
        (1, get(), "/stats", "?by=day", "6 days of 45 shares", none.clone()),
        (1, get(), "/ledger/entries/{entryId}", "?limit=100", "", none.clone()),
        (1, post(), "/ledger/entries", "", "90 small ones", json!({ "entries": small })),
        (1, post(), "/ledger/entries/revert", "", "30 small ones", json!({ "entryIds": names })),
        (
            1,
            Method::DELETE,
            "/ledger/entries",
            "",
            "4 of 497 changes",
            json!({ "entryIds": large }),
        ),
        (500, post(), "/leave", "", "the last member", none.clone()),
    ]
}

/// The endpoints that `calls` covers.
#[must_use]
pub fn endpoints(calls: &[Call]) -> BTreeSet<(String, String)> {
    calls.iter().map(|call| (call.endpoint.0.to_string(), call.endpoint.1.clone())).collect()
}
