//! Measures the DynamoDB cost of each endpoint: `cargo run -p fracti-tests --example capacity`.
//!
//! A group of five with fifty expenses and ten settlements; each endpoint is called once. The
//! engine counts capacity units as DynamoDB does. The prices are AWS's for us-east-1, on demand,
//! without the free tier; the duration of a function is assumed, not measured.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a program that prints")]
#![expect(clippy::float_arithmetic, reason = "what AWS costs is no money of a group")]

use std::num::NonZeroU32;

use axum::http::Method;
use fracti_core::telegram;
use fracti_http::{App, Quotas, service};
use fracti_local::routes;
use fracti_runtime::{BotToken, Clock, Random};
use fracti_store::{Table, TableCost};
use fracti_tests::{
    client::{self, Transport},
    database::{Database, TABLE},
    events::TOKEN,
};
use serde_json::{Value, json};

/// Names of the resources that a request of the list makes, and the next ones of the list use.
const MADE: [&str; 4] = ["{spendingId}", "{tokenId}", "{importId}", "{memberId}"];

struct Caller<'a> {
    api: &'a Transport,
    authorization: String,
}

impl Caller<'_> {
    async fn call(&self, method: &Method, path: &str, body: &Value) -> (String, TableCost) {
        let request = client::request(method, path, &self.authorization, None, body);
        let reply = self.api.send(request).await.unwrap();
        assert!(reply.status.is_success(), "{method} {path}: {}", reply.body);
        let id =
            ["/data/id", "/data/importId"].iter().find_map(|at| reply.body.pointer(at)?.as_str());
        (id.unwrap_or_default().to_owned(), reply.cost.unwrap())
    }

    async fn post(&self, path: &str, body: Value) -> String {
        self.call(&Method::POST, path, &body).await.0
    }
}

/// The requests of a group in a month.
#[derive(Default)]
struct Month {
    requests: f64,
    read_units: f64,
    write_units: f64,
}

impl Month {
    fn add(&mut self, times: f64, cost: TableCost) {
        self.requests += times;
        self.read_units += times * cost.read_units;
        self.write_units += times * cost.write_units;
    }

    fn print(&self) {
        /// US dollars for a million of each.
        const READ_UNITS: f64 = 0.125;
        const WRITE_UNITS: f64 = 0.625;
        const GATEWAY: f64 = 1.00;
        const INVOCATIONS: f64 = 0.20;
        /// A million invocations of 50 ms with 512 MiB on arm64, at 0.0000133334 per GiB-second.
        const DURATION: f64 = 0.05 * 0.5 * 13.3334;
        /// A million requests with about 1.6 kB of log each, at 0.50 per gigabyte.
        const LOGS: f64 = 0.80;

        let Self { requests, read_units, write_units } = self;
        println!(
            "\na group's month: {requests:.0} requests, {read_units:.0} read units, {write_units:.0} write units\n"
        );
        println!("| groups | requests | DynamoDB | Lambda | API Gateway | logs | together |");
        println!("|---:|---:|---:|---:|---:|---:|---:|");
        for groups in [1_000.0, 100_000.0, 10_000_000.0] {
            let millions = groups / 1e6;
            let requests = millions * requests;
            let table = millions * (read_units * READ_UNITS + write_units * WRITE_UNITS);
            let lambda = requests * (INVOCATIONS + DURATION);
            let (gateway, logs) = (requests * GATEWAY, requests * LOGS);
            let together = table + lambda + gateway + logs;
            println!(
                "| {groups} | {requests:.1} M | ${table:.0} | ${lambda:.0} | ${gateway:.0} | ${logs:.0} | ${together:.0} |"
            );
        }
    }
}

/// Prints what quotas add to a request, if it is counted and if it reads the counter.
async fn print_quotas(app: &App, path: &str) {
    let limit = NonZeroU32::new(5000);
    let cost = async |sample: Option<NonZeroU32>| {
        let quotas = sample.map(|sample| Quotas { reads: limit, sample, ..Quotas::default() });
        // One that is not divisible by ten.
        let random = Random::of(|bytes| bytes.fill(1));
        let app = App { quotas: quotas.unwrap_or_default(), random, ..app.clone() };
        let authorization =
            client::authorization(&client::user(1, "Member 1"), TOKEN, Clock::system().now());
        let api = Transport::Router(service(routes(), app));
        Caller { api: &api, authorization }.call(&Method::GET, path, &json!({})).await.1
    };
    let plain = cost(None).await;
    println!("\n| with quotas, a request | round trips | read units | write units |");
    println!("|---|---:|---:|---:|");
    for (what, sample) in
        [("of the sample", NonZeroU32::MIN), ("outside of it", Quotas::default().sample)]
    {
        let more = cost(Some(sample)).await;
        println!(
            "| {what} | +{} | +{} | +{} |",
            more.round_trips.saturating_sub(plain.round_trips),
            more.read_units - plain.read_units,
            more.write_units - plain.write_units,
        );
    }
}

/// Requests whose resources the list makes itself: method, path, body, times a month.
fn others(group: &str) -> Vec<(Method, String, Value, f64)> {
    let at = |rest: &str| format!("/api/groups/{group}{rest}");
    let spending = json!({ "title": "Coffee", "amount": 3, "currency": "EUR", "category": "food" });
    let targets = json!({ "version": 1, "currency": "EUR", "food": 300 });
    let token = json!({ "name": "Phone", "scopes": ["write"] });
    let rows = "2026-01-01,Tea,General,1.00,EUR,1.00,-1.00\n".repeat(10);
    let file = format!(
        "Date,Description,Category,Cost,Currency,A,B\n\n{rows}\n\
        2026-01-15,Total balance, , ,EUR,10.00,-10.00\n\n"
    );
    let options = json!({ "commit": true, "members": { "A": "1", "B": "2" } });
    let file = json!({ "file": file, "options": options });
    let of_user = |rest: &str| format!("/api/users/me{rest}");
    vec![
        (Method::POST, of_user("/spendings"), spending, 30.0),
        (Method::GET, of_user("/spendings"), json!({}), 30.0),
        (Method::GET, of_user("/spendings/{spendingId}"), json!({}), 5.0),
        (Method::PUT, of_user("/spendings/{spendingId}"), json!({ "amount": 2 }), 1.0),
        (Method::DELETE, of_user("/spendings/{spendingId}"), json!({}), 1.0),
        (Method::GET, of_user("/days?month=2026-01"), json!({}), 30.0),
        (Method::GET, of_user("/days/2026-01-15"), json!({}), 10.0),
        (Method::POST, of_user("/days/rebuild"), json!({}), 0.01),
        (Method::PATCH, of_user("/targets"), targets, 0.1),
        (Method::GET, of_user("/targets"), json!({}), 30.0),
        (Method::POST, of_user("/tokens"), token, 0.05),
        (Method::GET, of_user("/tokens"), json!({}), 0.1),
        (Method::DELETE, of_user("/tokens/{tokenId}"), json!({}), 0.05),
        (Method::GET, of_user("/usage"), json!({}), 1.0),
        (Method::POST, at("/import"), file, 0.02),
        (Method::GET, at("/imports"), json!({}), 0.02),
        (Method::GET, at("/import/{importId}"), json!({}), 0.02),
        (Method::DELETE, at("/import/{importId}"), json!({}), 0.01),
        (Method::GET, at("/export"), json!({}), 0.1),
        (Method::GET, at("/export?format=csv"), json!({}), 0.1),
        (Method::PATCH, at(""), json!({ "title": "Alps" }), 0.1),
        (Method::POST, at("/members"), json!({ "name": "Guest" }), 0.1),
        (Method::PATCH, at("/members/{memberId}"), json!({ "name": "Renamed" }), 0.02),
        (Method::DELETE, at("/members/{memberId}"), json!({}), 0.02),
        (Method::POST, at("/members/{memberId}/restore"), json!({}), 0.01),
        (Method::POST, at("/members/{memberId}/link"), json!({ "userId": "3" }), 0.05),
        // Last, because a sixth member makes expenses costlier.
        (Method::POST, at("/join"), json!({}), 0.25),
    ]
}

// On one thread, so that no response arrives before a parallel request is sent.
#[tokio::main(flavor = "current_thread")]
async fn main() {
    let database = Database::embedded().await;
    let table = Table::new(database.client.clone(), TABLE);
    let app = App::new(table, BotToken::new(TOKEN), telegram::MAX_AGE);
    let api = Transport::Router(service(routes(), app.clone()));
    let caller = |id: u64| {
        let user = client::user(id, &format!("Member {id}"));
        let authorization = client::authorization(&user, TOKEN, Clock::system().now());
        Caller { api: &api, authorization }
    };
    let [alice, bob] = [caller(1), caller(2)];
    let group =
        alice.post("/api/groups", json!({ "title": "Flat", "chatId": 1, "currency": "EUR" })).await;
    let at = |rest: &str| format!("/api/groups/{group}{rest}");
    for id in 2..=5 {
        caller(id).post(&at("/join"), json!({})).await;
    }
    let spend =
        json!({ "amount": 25, "description": "Dinner at the restaurant", "category": "food" });
    let of_two = json!({
        "amount": 25, "description": "Dinner at the restaurant", "category": "food",
        "payers": [{ "userId": "1", "amount": 15 }, { "userId": "2", "amount": 10 }],
    });
    for _ in 0..50 {
        alice.post(&at("/expenses"), spend.clone()).await;
    }
    for _ in 0..10 {
        alice.post(&at("/settlements"), json!({ "fromId": "2", "toId": "1", "amount": 1 })).await;
    }
    let expense = alice.post(&at("/expenses"), spend.clone()).await;
    let settlement = bob.post(&at("/settlements"), json!({ "toId": "1", "amount": 1 })).await;

    let opening = json!([{ "userId": "1", "amount": 5 }, { "userId": "2", "amount": -5 }]);
    let opening = json!([{ "entryId": "opening", "changes": opening }]);

    println!("| endpoint | round trips | read units | write units | times a month |");
    println!("|---|---:|---:|---:|---:|");
    let mut month = Month::default();
    let mut made = String::new();
    let one = |kind: &str, id: &str| at(&format!("/{kind}/{id}"));
    for (method, path, body, times) in [
        (Method::GET, "/api/groups".to_owned(), json!({}), 60.0),
        (Method::POST, "/api/groups".to_owned(), json!({ "title": "Alps", "chatId": 2 }), 0.05),
        (Method::GET, at(""), json!({}), 60.0),
        (Method::PUT, at("/wallet"), json!({ "wallet": format!("0:{}", "a".repeat(64)) }), 0.25),
        (Method::GET, at("/expenses"), json!({}), 60.0),
        (Method::GET, one("expenses", &expense), json!({}), 20.0),
        (Method::GET, one("expenses", &expense) + "/breakdown", json!({}), 2.0),
        (Method::POST, at("/expenses"), spend, 18.0),
        (Method::POST, at("/expenses"), of_two, 2.0),
        (Method::PUT, one("expenses", &expense), json!({ "amount": 26 }), 2.0),
        (Method::GET, one("expenses", &expense) + "/history", json!({}), 2.0),
        (Method::DELETE, one("expenses", &expense), json!({}), 1.0),
        (Method::POST, one("expenses", &expense) + "/restore", json!({}), 0.1),
        (Method::GET, at("/ledger/balance"), json!({}), 5.0),
        (Method::GET, at("/ledger/balance?at=2020-01-01T00:00:00Z"), json!({}), 1.0),
        (Method::GET, at("/ledger/entries"), json!({}), 10.0),
        (Method::GET, at("/ledger/entries?userId=2"), json!({}), 5.0),
        (Method::GET, one("ledger/entries", &expense), json!({}), 1.0),
        (Method::GET, at("/ledger/days"), json!({}), 5.0),
        (Method::GET, at("/stats"), json!({}), 5.0),
        (Method::POST, at("/ledger/entries"), opening, 0.05),
        (Method::DELETE, at("/ledger/entries"), json!(["opening"]), 0.05),
        (Method::GET, at("/debts"), json!({}), 100.0),
        (Method::GET, at("/settlements"), json!({}), 20.0),
        (Method::GET, one("settlements", &settlement), json!({}), 10.0),
        (Method::POST, at("/settlements"), json!({ "toId": "2", "amount": 1 }), 5.0),
        (Method::PUT, one("settlements", &settlement), json!({ "status": "completed" }), 5.0),
        (Method::GET, "/api/users/me".to_owned(), json!({}), 20.0),
        (Method::GET, "/api/users/me/groups".to_owned(), json!({}), 20.0),
        (Method::GET, "/api/users/me/expenses".to_owned(), json!({}), 5.0),
        (Method::GET, "/api/users/me/debts".to_owned(), json!({}), 5.0),
        (Method::GET, "/api/users/me/settlements".to_owned(), json!({}), 5.0),
        (Method::GET, "/api/users/me/activity".to_owned(), json!({}), 20.0),
        (Method::GET, "/api/users/me/summary".to_owned(), json!({}), 5.0),
    ]
    .into_iter()
    .chain(others(&group))
    {
        // A second join writes nothing, so the first join of a new user is measured.
        let caller = if path.ends_with("/join") { caller(6) } else { caller(1) };
        let of = |path: String, name: &&str| path.replace(name, &made);
        let sent = MADE.iter().fold(path.clone(), of);
        let (id, cost) = caller.call(&method, &sent, &body).await;
        if !id.is_empty() {
            made = id;
        }
        let path = path.replace(&group, "{groupId}").replace(&expense, "{expenseId}");
        let path = path.replace(&settlement, "{settlementId}");
        month.add(times, cost);
        let TableCost { round_trips, read_units, write_units, .. } = cost;
        let what = match &body {
            body if body.get("payers").is_some() => ", two payers",
            body if body.get("file").is_some() => ", ten rows",
            _ => "",
        };
        println!(
            "| {method} `{path}`{what} | {round_trips} | {read_units} | {write_units} | {times} |"
        );
    }
    month.print();
    print_quotas(&app, &at("/debts")).await;
    database.stop().await;
}
