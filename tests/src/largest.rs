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
use fracti_core::{
    caller::telegram::{self, MAX_NAME, User},
    group::{Member, MemberRow},
    storage::{keys, row},
    values::{currency::Currency, id::GroupId, time::Timestamp},
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
    operations::{Ids, OPEN, Operation, operation, operations},
    sizes::{self, Sizes},
};

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
    /// The request.
    pub operation: Operation,
    /// A description of the request.
    pub what: &'static str,
    /// HTTP status of the last attempt.
    pub status: u16,
    /// Body of the last response.
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
            operators: [id(1).parse().unwrap()].into(),
            telegram: Some("http://127.0.0.1:1".into()),
            ..App::new(Table::new(recorded, TABLE), BotToken::new(TOKEN), telegram::MAX_AGE)
        };
        Self { api: Transport::Router(service(routes(), app)), client, clock, sizes, proxy, units }
    }

    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.clock.load(SeqCst)).unwrap()
    }

    /// Sends a request; only one with a description may be measured.
    async fn call(
        &self,
        member: u64,
        operation: &Operation,
        what: Option<&'static str>,
        ids: &Ids,
    ) -> Call {
        let user = user(member);
        let authorization = if operation.id == "openGroup" {
            let chat = "-3788475317572404878".parse().unwrap();
            format!("tma {}", telegram::sign_in_chat(&user, &chat, TOKEN, self.now()))
        } else {
            client::authorization(&user, TOKEN, self.now())
        };
        let method = &operation.method;
        let path = operation.path(ids);
        let body = operation.body(ids);
        let measured = self.units.filter(|_| what.is_some());
        let key = measured.map(|_| format!("call-{}", fastrand::u64(..)));
        let began = Instant::now();
        let mut attempts = 0;
        let throttled = || self.proxy.tally().1.get(&Fault::Throttle).copied().unwrap_or_default();
        let before = throttled();
        self.proxy.limit(measured);
        let reply = loop {
            let request = client::request(method, &path, &authorization, key.as_deref(), &body);
            let reply = self.api.send(request).await.unwrap();
            attempts += 1;
            if measured.is_none() || reply.status.as_u16() != 503 || attempts == MAX_ATTEMPTS {
                break reply;
            }
        };
        self.proxy.limit(None);
        Call {
            operation: operation.clone(),
            what: what.unwrap_or_default(),
            status: reply.status.as_u16(),
            bytes: reply.text.len(),
            body: reply.body,
            cost: reply.cost.unwrap(),
            took: began.elapsed(),
            attempts,
            throttled: throttled() - before,
        }
    }

    /// Makes the data of a request, which is not measured.
    async fn make(&self, id: &str, body: Value, ids: &Ids) -> Value {
        let call = self.call(1, &operation(id).sends(body), None, ids).await;
        assert!(call.status < 300, "{id}: {}", call.body);
        call.body["data"].clone()
    }

    /// A group of `members` members. All but the first are written to the table as `join` does, a
    /// hundred at once.
    async fn group(&self, members: u64) -> Ids {
        let new = json!({ "title": "𝔾".repeat(100), "chatId": 1, "currency": "EUR" });
        let mut ids: Ids = [("alice", id(1)), ("bob", id(2))].into();
        let group = text(&self.make("createGroup", new, &ids).await["id"]);
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
        ids.insert("groupId", group);
        ids
    }

    /// A group of 20 with open balances in 172 currencies, no two of which cancel out.
    async fn many_currencies(&self) -> Ids {
        let group = self.group(20).await;
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
            self.make("pushEntries", json!(hard), &group).await;
        }
        group
    }

    /// A group of 497 members with balances in eight currencies, large adjustments, and a past of
    /// several days.
    async fn wide(&self) -> Ids {
        let group = self.group(MEMBERS).await;
        // Written while the ledger is still small, which is faster.
        for number in (0..100).step_by(2) {
            let entry = |number: i32| wide(&format!("large {number:058}"), MEMBERS, "EUR", |_| 1);
            self.make("pushEntries", json!([entry(number), entry(number + 1)]), &group).await;
        }
        for currency in CURRENCIES {
            let opening =
                wide(currency, MEMBERS, currency, |member| i64::try_from(member).unwrap());
            self.make("pushEntries", json!([opening]), &group).await;
        }
        for _ in 0..DAYS {
            self.clock.fetch_add(24 * 60 * 60 * 1000, SeqCst);
            self.make("createExpense", full(1), &group).await;
        }
        group
    }

    /// Creates the groups, and calls every endpoint of the API.
    ///
    /// # Panics
    ///
    /// If a group cannot be created.
    pub async fn calls(&self) -> Vec<Call> {
        let many = self.many_currencies().await;
        let mut ids = self.wide().await;
        let expense = text(&self.make("createExpense", full(1), &ids).await["id"]);
        let pay = json!({ "toId": id(2), "amount": 1, "currency": "EUR" });
        let settlement = text(&self.make("createSettlement", pay.clone(), &ids).await["id"]);
        let guest = text(&self.make("createGuest", json!({ "name": "Guest" }), &ids).await["id"]);
        ids.extend([
            ("entryId", expense.clone()),
            ("expenseId", expense),
            ("settlementId", settlement),
            ("memberId", guest),
            ("firstDay", self.first_day()),
        ]);
        let mut calls = Vec::new();
        for (member, operation, what) in of_group(&pay) {
            let call = self.call(member, &operation, Some(what), &ids).await;
            if let Some(id) = call.body["data"]["importId"].as_str() {
                ids.insert("importId", id.to_owned());
            }
            if operation.id == "createSchedule" {
                ids.insert("scheduleId", text(&call.body["data"]["id"]));
            }
            if operation.id == "askQuestion" {
                let id = text(&call.body["data"]["id"]);
                ids.extend([("questionId", id.clone()), ("textId", id)]);
            }
            calls.push(call);
        }
        let debts = operation("getDebts");
        calls.push(self.call(1, &debts, Some("20 members, 172 currencies"), &many).await);
        for id in ["createGroup", "openGroup"] {
            calls.push(self.call(1, &operation(id), Some(""), &ids).await);
        }
        let empty = self.make("createGroup", operation("createGroup").body(&ids), &ids).await;
        ids.insert("empty", text(&empty["id"]));
        let delete = operation("deleteGroup").of("groupId", "{empty}");
        calls.push(self.call(1, &delete, Some(""), &ids).await);
        calls.extend(self.of_user(ids.clone()).await);
        calls.extend(self.other_reads(&calls, &ids).await);
        calls
    }

    /// Calls the reads that need nothing of their own, with the longest pages.
    async fn other_reads(&self, calls: &[Call], ids: &Ids) -> Vec<Call> {
        let called: BTreeSet<_> = calls.iter().map(|call| call.operation.id).collect();
        let mut reads = Vec::new();
        for read in operations().into_iter().filter(Operation::reads) {
            if !OPEN.contains(&read.id) && !called.contains(read.id) {
                let query = if read.id.starts_with("list") { "limit=100" } else { "" };
                reads.push(self.call(1, &read.asks(query), Some(""), ids).await);
            }
        }
        reads
    }

    /// Records the largest spendings on one day, and calls every endpoint of a user's own data.
    async fn of_user(&self, mut ids: Ids) -> Vec<Call> {
        let targets = operation("updateTargets").sends(own_categories());
        let mut calls = vec![self.call(1, &targets, Some("50 categories"), &ids).await];
        let muted: Vec<String> =
            (0..100).map(|number| format!("0190a1b2-0000-7000-8000-{number:012}")).collect();
        let messages = operation("setSubscription").sends(json!({ "mutedGroups": muted }));
        calls.push(self.call(1, &messages, Some("100 muted groups"), &ids).await);
        calls.push(self.call(1, &operation("deleteSubscription"), Some(""), &ids).await);
        let token = json!({ "name": "𝕋".repeat(100), "scopes": ["read", "write"] });
        for (id, body, times, name) in [
            ("createSpending", spending(), 100, "spendingId"),
            ("createToken", token, 19, "tokenId"),
        ] {
            for _ in 0..times {
                self.make(id, body.clone(), &ids).await;
            }
            let made = self.call(1, &operation(id).sends(body), Some(""), &ids).await;
            ids.insert(name, text(&made.body["data"]["id"]));
            calls.push(made);
        }

        let today = self.now().day().to_string();
        let month = format!("month={}", &today[..7]);
        let edit = json!({ "amount": 999, "userDate": today });
        ids.insert("date", today);
        for request in [
            operation("listTokens").asks("limit=100"),
            operation("listSpendings").asks("limit=100"),
            operation("getSpending"),
            operation("editSpending").sends(edit),
            operation("getMyDays").asks(&month),
            operation("getMyDay"),
            operation("rebuildMyDays").asks(&month),
            operation("deleteSpending"),
            operation("deleteToken"),
        ] {
            calls.push(self.call(1, &request, Some(""), &ids).await);
        }
        calls.extend(self.of_funds(ids).await);
        calls
    }

    /// Fills the funds of a user with bonuses, held cash and pending payments, and calls every
    /// endpoint of funds.
    async fn of_funds(&self, mut ids: Ids) -> Vec<Call> {
        let cash = json!({ "fund": "cash", "currency": "EUR", "amount": 1000,
            "refId": "r".repeat(64),
            "description": "𝔻".repeat(200) });
        let mut calls = vec![self.of_fund("createFundCredit", Some(cash), &ids).await];
        let (bonus, pay) = (operation("createBonus").body(&ids), |more: Value| {
            let mut body =
                json!({ "toId": id(2), "amount": 1, "currency": "EUR", "payFrom": "funds" });
            body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            body
        });
        for _ in 0..49 {
            self.make("createBonus", bonus.clone(), &ids).await;
        }
        calls.push(self.of_fund("createBonus", None, &ids).await);
        // Twenty bonuses pay, which is the most.
        let all = self
            .call(
                1,
                &operation("createSettlement").sends(pay(json!({ "amount": 101 }))),
                Some("20 bonuses"),
                &ids,
            )
            .await;
        ids.insert("settlementId", text(&all.body["data"]["id"]));
        calls.push(all);
        calls.push(self.call(2, &operation("updateSettlement"), Some("20 bonuses"), &ids).await);
        let until = self.now().plus_seconds(3_600).to_string();
        for _ in 0..90 {
            self.make("createSettlement", pay(json!({ "holdUntil": until })), &ids).await;
        }
        let cash_out = self.of_fund("createFundDebit", None, &ids).await;
        ids.insert("transactionId", text(&cash_out.body["data"]["id"]));
        calls.push(cash_out);
        for id in [
            "getFunds",
            "checkFunds",
            "getFundTransaction",
            "captureFundTransaction",
            "setAcceptance",
            "listFundTotals",
        ] {
            calls.push(self.of_fund(id, None, &ids).await);
        }
        for id in ["listFundTransactions", "listFundWork"] {
            let list = operation(id).asks("limit=100");
            calls.push(self.call(1, &list, Some(""), &ids).await);
        }
        let second =
            self.make("createFundDebit", operation("createFundDebit").body(&ids), &ids).await;
        ids.insert("transactionId", text(&second["id"]));
        calls.push(self.of_fund("voidFundTransaction", None, &ids).await);
        calls
    }

    /// Calls an operation of funds.
    async fn of_fund(&self, id: &str, body: Option<Value>, ids: &Ids) -> Call {
        let call = operation(id);
        let call = match body {
            Some(body) => call.sends(body),
            None => call,
        };
        self.call(1, &call, Some(""), ids).await
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

/// A text of a response.
fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
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

/// The longest title of a group, and as many categories of its own as it may have.
fn largest_settings() -> Value {
    let category = |number: u32| {
        json!({ "key": format!("c{number:a<31}"), "name": "ℂ".repeat(50),
        "emoji": "🐈".repeat(8) })
    };
    let categories: Vec<_> = (10..30).map(category).collect();
    let weight = |member: u64| json!({ "userId": id(member), "weight": "9999.9999" });
    let rule = |category: &Value| {
        json!({ "category": category["key"],
        "splits": (1..=10).map(weight).collect::<Vec<_>>() })
    };
    let rules: Vec<_> = categories.iter().take(10).map(rule).collect();
    json!({ "title": "𝕋".repeat(100), "categories": categories, "defaultSplits": rules })
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
    json!({ "amount": "450.37", "currency": "EUR", "description": "𝔻".repeat(200),
        "splits": splits })
}

/// A schedule whose expense has 45 shares, starting at member `from`.
fn scheduled(from: u64) -> Value {
    json!({ "expense": full(from), "repeat": { "every": "month" } })
}

/// The import of a Splitwise file in which the first 45 members share every expense.
fn file() -> Value {
    let people: Vec<_> = (1..=45).map(|member| format!("Person {member}")).collect();
    let members: serde_json::Map<_, _> =
        people.iter().zip(1..).map(|(name, member)| (name.clone(), json!(id(member)))).collect();
    let header = format!("Date,Description,Category,Cost,Currency,{}\n\n", people.join(","));
    let shares = ["-1.00"; 44].join(",");
    let text = "𝔻".repeat(190);
    let rows =
        (0..10).map(|row| format!("2025-01-01,{row} {text},General,45.00,EUR,44.00,{shares}\n"));
    let totals = ["-10.00"; 44].join(",");
    let totals = format!("\n2026-01-01,Total balance, , ,EUR,440.00,{totals}\n\n");
    let file: String = std::iter::once(header).chain(rows).chain([totals]).collect();
    json!({ "file": file, "options": { "commit": true, "members": members } })
}

/// A request to the largest group, with its member and its description.
type Asked = (u64, Operation, &'static str);

/// A question with the longest texts.
fn long_text() -> Value {
    let option = |number: u32| format!("{number}{}", "𝕆".repeat(99));
    let options: Vec<_> = (0..10).map(option).collect();
    json!({ "type": "multiple_choice", "prompt": "ℙ".repeat(2000), "options": options })
}

/// A receipt with the largest number of lines.
fn large_receipt() -> Value {
    let line = |number: u32| json!({ "name": format!("{number}{}", "𝕃".repeat(90)), "amount": 1 });
    let lines: Vec<_> = (0..100).map(line).collect();
    json!({ "type": "items", "prompt": "?", "receipt": { "description": "x", "items": lines } })
}

/// Claims to the first `count` lines.
fn claims(count: usize) -> Value {
    let items: Vec<_> = (0..count).map(|item| json!({ "item": item, "count": "0.5" })).collect();
    json!({ "items": items })
}

fn of_group(pay: &Value) -> Vec<Asked> {
    let small = |number: u64| {
        let change = |member: u64, amount: i64| json!({ "userId": id(member), "amount": amount });
        json!({ "entryId": number.to_string(), "changes": [change(1, 1), change(2, -1)] })
    };
    // The maximum numbers of entries in a request, and of changes.
    let small: Vec<_> = (0..90).map(small).collect();
    let names: Vec<_> = (0..30).map(|number| number.to_string()).collect();
    let large: Vec<_> = (0..4).map(|number| format!("large {number:058}")).collect();
    let named = |letter: &str| json!({ "name": letter.repeat(100) });
    let asks = |id: &str, query: &str| operation(id).asks(query);
    let sends = |id: &str, body: Value| operation(id).sends(body);
    vec![
        (1, sends("createGuest", named("𝔾")), ""),
        (500, sends("joinGroup", Value::Null), "the last member"),
        (1, operation("getGroup"), ""),
        (1, sends("updateGroup", largest_settings()), ""),
        (1, operation("removeMember"), ""),
        (1, operation("restoreMember"), ""),
        (1, sends("renameGuest", named("ℍ")), ""),
        (1, sends("linkGuest", json!({ "userId": "$bob" })), "proposed"),
        (1, operation("withdrawLink"), ""),
        (2, sends("linkGuest", json!({ "userId": "$bob" })), "proposed by the user"),
        (1, sends("linkGuest", json!({ "userId": "$bob" })), "confirmed"),
        (1, operation("setWallet"), ""),
        (1, operation("deleteWallet"), ""),
        (1, operation("createInvitation"), ""),
        (1, operation("getInvitation"), ""),
        (1, operation("deleteInvitation"), ""),
        (1, asks("listExpenses", "limit=100"), ""),
        (1, asks("listExpenses", "limit=100&order=date"), ""),
        (1, sends("createExpense", full(100)), "45 shares"),
        (1, operation("getExpense"), "45 shares"),
        (1, operation("getExpenseBreakdown"), "45 shares"),
        (1, operation("previewExpense"), ""),
        (1, operation("previewExpenseEdit"), "45 shares"),
        (1, sends("editExpense", full(200)), "45 other shares"),
        (1, asks("listExpenseHistory", "limit=100"), ""),
        (1, operation("deleteExpense"), "45 shares"),
        (1, asks("listExpenses", "limit=100&deleted=true"), "one of 45 shares"),
        (1, operation("restoreExpense"), "45 shares"),
        (1, sends("importFile", file()), "10 rows of 45 shares"),
        (1, asks("listImports", "limit=100"), ""),
        (1, operation("getImport"), ""),
        (1, operation("undoImport"), "10 rows of 45 shares"),
        (1, asks("exportGroup", "format=json&limit=1000"), "entries of 497 changes"),
        (1, asks("exportGroup", "format=csv&limit=1000"), "497 columns"),
        (1, operation("getDebts"), "4 000 balances"),
        (1, asks("getDebts", "verify=true"), "verified"),
        (1, sends("createSchedule", scheduled(100)), "45 shares"),
        (1, operation("getSchedule"), "45 shares"),
        (1, asks("listSchedules", "limit=100"), "45 shares"),
        (1, sends("editSchedule", json!({ "expense": full(200) })), "45 other shares"),
        (1, operation("deleteSchedule"), "45 shares"),
        (1, asks("listSettlements", "limit=100"), ""),
        (1, sends("createSettlement", pay.clone()), ""),
        (1, operation("getSettlement"), ""),
        (2, operation("updateSettlement"), ""),
        (1, asks("getLedgerBalance", ""), "4 000 balances"),
        (1, asks("getLedgerBalance", "at={firstDay}"), "the first day"),
        (1, asks("listLedgerEntries", "limit=100&order=asc"), "100 of 497 changes"),
        (1, asks("listLedgerEntries", "limit=100&userId={alice}"), "of one member"),
        (1, asks("listLedgerEntries", "limit=100&to={firstDay}"), "up to the first day"),
        (1, asks("listLedgerDays", ""), "6 days"),
        (1, asks("getGroupStats", "by=day"), "6 days of 45 shares"),
        (1, operation("listChanges"), "the place of now"),
        (1, asks("listLedgerEntryHistory", "limit=100"), ""),
        (1, sends("pushEntries", json!({ "entries": small })), "90 small ones"),
        (1, sends("revertEntriesByPost", json!({ "entryIds": names })), "30 small ones"),
        (1, sends("revertEntries", json!({ "entryIds": large })), "4 of 497 changes"),
        (500, operation("leaveGroup"), "the last member"),
        (1, sends("askQuestion", long_text()), "the longest text"),
        (1, operation("closeQuestion"), ""),
        (1, sends("askQuestion", large_receipt()), "100 lines"),
        (1, sends("claimItems", claims(80)), "80 of 100 lines"),
        (1, operation("getQuestion"), "80 of 100 lines"),
        (1, operation("applyReceipt"), "100 lines"),
        (1, sends("askQuestion", json!({ "type": "text", "prompt": "?" })), "of 500 members"),
        (2, sends("answerQuestion", json!({ "answer": "𝔸".repeat(5000) })), ""),
        (1, asks("listQuestions", "limit=100"), ""),
        (1, asks("getLeaderboard", "limit=100"), ""),
    ]
}
