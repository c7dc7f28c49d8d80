//! Measures the DynamoDB cost of each endpoint: `cargo run -p fracti-tests --example capacity`.
//!
//! A group of five with fifty expenses and ten settlements; each endpoint is called once. The
//! engine counts capacity units as DynamoDB does. The prices are AWS's for us-east-1, on demand,
//! without the free tier; the duration of a function is assumed, not measured.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a program that prints")]
#![expect(clippy::float_arithmetic, reason = "what AWS costs is no money of a group")]

use std::num::NonZeroU32;

use axum::http::Method;
use fracti_core::caller::telegram;
use fracti_http::{App, Quotas, service};
use fracti_local::routes;
use fracti_runtime::{BotToken, Clock, Random};
use fracti_store::{Table, TableCost};
use fracti_tests::{
    client::{self, Transport},
    database::{Database, TABLE},
    events::TOKEN,
    operations::{Ids, Operation, filled, operation, receipt},
};
use serde_json::{Value, json};

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

    async fn perform(&self, operation: &Operation, ids: &Ids) -> (String, TableCost) {
        self.call(&operation.method, &operation.path(ids), &operation.body(ids)).await
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

/// Prints what the screens that a group opens most take.
async fn print_screens(reader: &Caller<'_>, ids: &Ids) {
    println!("\n| screen | round trips | read units |");
    println!("|---|---:|---:|");
    for screen in [
        "",
        "/groups/{groupId}",
        "/groups/{groupId}/balances",
        "/groups/{groupId}/expenses/new",
        "/groups/{groupId}/expenses/{expenseId}",
        "/groups/{groupId}/expenses",
        "/groups/{groupId}/settle",
        "/groups/{groupId}/settlements",
        "/groups/{groupId}/questions",
        "/groups/{groupId}/members",
        "/groups/{groupId}/stats",
        "/groups/{groupId}/ledger",
        "/groups/{groupId}/ledger/1",
        "/groups/{groupId}/changes",
        "/me",
        "/me/days",
        "/me/funds",
    ] {
        let path = filled(&format!("/screens{screen}"), ids);
        let cost = reader.call(&Method::GET, &path, &json!({})).await.1;
        println!("| `/app{screen}` | {} | {} |", cost.round_trips, cost.read_units);
    }
}

/// A request of an operation without a query.
fn plain(id: &str) -> Operation {
    operation(id).asks("")
}

/// The requests of a month, with how often they are made. The list makes what its requests need.
fn requests(spend: &Value) -> Vec<(Operation, &'static str, f64)> {
    let of_two = json!({
        "amount": 25, "description": "Dinner at the restaurant", "category": "food",
        "payers": [{ "userId": "1", "amount": 15 }, { "userId": "2", "amount": 10 }],
    });
    let rows = "2026-01-01,Tea,General,1.00,EUR,1.00,-1.00\n".repeat(10);
    let file = format!(
        "Date,Description,Category,Cost,Currency,A,B\n\n{rows}\n\
        2026-01-15,Total balance, , ,EUR,10.00,-10.00\n\n"
    );
    let options = json!({ "commit": true, "members": { "A": "1", "B": "2" } });
    let file = json!({ "file": file, "options": options });
    let pays = json!({ "toId": "2", "amount": 1 });
    vec![
        (plain("listGroups"), "", 60.0),
        (plain("createGroup"), "", 0.05),
        (plain("getGroup"), "", 60.0),
        (plain("setWallet"), "", 0.25),
        (plain("deleteWallet"), "", 0.02),
        (plain("listExpenses"), "", 60.0),
        (operation("listExpenses").asks("order=date"), "", 20.0),
        (plain("getExpense"), "", 20.0),
        (plain("getExpenseBreakdown"), "", 2.0),
        (plain("createExpense").sends(spend.clone()), "", 18.0),
        (plain("createExpense").sends(of_two), ", two payers", 2.0),
        (plain("editExpense").sends(json!({ "amount": 26 })), "", 2.0),
        (plain("listExpenseHistory"), "", 2.0),
        (plain("deleteExpense"), "", 1.0),
        (operation("listExpenses").asks("deleted=true"), "", 0.5),
        (plain("restoreExpense"), "", 0.1),
        (plain("previewExpense"), "", 60.0),
        (plain("previewExpenseEdit"), "", 5.0),
        (plain("getLedgerBalance"), "", 5.0),
        (operation("getLedgerBalance").asks("at=2020-01-01T00:00:00Z"), "", 1.0),
        (plain("listLedgerEntries"), "", 10.0),
        (operation("listLedgerEntries").asks("userId=2"), "", 5.0),
        (plain("listLedgerEntryHistory"), "", 1.0),
        (plain("listLedgerDays"), "", 5.0),
        (plain("getGroupStats"), "", 5.0),
        (plain("listChanges"), ", nothing new", 60.0),
        (plain("pushEntries"), "", 0.05),
        (plain("revertEntries"), "", 0.05),
        (plain("getDebts"), "", 100.0),
        (plain("listSettlements"), "", 20.0),
        (plain("getSettlement"), "", 10.0),
        (plain("createSettlement").sends(pays), "", 5.0),
        (plain("updateSettlement"), "", 5.0),
        (plain("getMe"), "", 20.0),
        (plain("listMyGroups"), "", 20.0),
        (plain("getShared"), "", 5.0),
        (plain("listMyExpenses"), "", 5.0),
        (plain("listMyDebts"), "", 5.0),
        (plain("listMySettlements"), "", 5.0),
        (plain("listMyActivity"), "", 20.0),
        (plain("getMySummary"), "", 5.0),
        (plain("createSpending"), "", 30.0),
        (plain("listSpendings"), "", 30.0),
        (plain("getSpending"), "", 5.0),
        (plain("editSpending"), "", 1.0),
        (plain("deleteSpending"), "", 1.0),
        (operation("getMyDays"), "", 30.0),
        (plain("getMyDay"), "", 10.0),
        (plain("rebuildMyDays"), "", 0.01),
        (plain("updateTargets"), "", 0.1),
        (plain("getTargets"), "", 30.0),
        (plain("createToken"), "", 0.05),
        (plain("listTokens"), "", 0.1),
        (plain("deleteToken"), "", 0.05),
        (plain("getUsage"), "", 1.0),
        (plain("importFile").sends(file), ", ten rows", 0.02),
        (plain("listImports"), "", 0.02),
        (plain("getImport"), "", 0.02),
        (plain("undoImport"), "", 0.01),
        (plain("exportGroup"), "", 0.1),
        (operation("exportGroup").asks("format=csv"), "", 0.1),
        (plain("updateGroup"), "", 0.1),
        (plain("createGuest"), "", 0.1),
        (plain("renameGuest"), "", 0.02),
        (plain("removeMember"), "", 0.02),
        (plain("restoreMember"), "", 0.01),
        (plain("linkGuest").sends(json!({ "userId": "3" })), "", 0.05),
        (plain("withdrawLink"), "", 0.01),
        (plain("askQuestion").sends(receipt()), ", a receipt", 4.0),
        (plain("claimItems").sends(json!({ "items": [{ "item": 0 }] })), "", 16.0),
        (plain("claimItems"), ", changed", 4.0),
        (plain("getQuestion"), "", 80.0),
        (plain("applyReceipt"), "", 4.0),
        (plain("askQuestion"), ", a choice", 2.0),
        (plain("answerQuestion").sends(json!({ "selectedOption": 0 })), "", 8.0),
        (plain("closeQuestion"), "", 1.0),
        (plain("listQuestions"), "", 20.0),
        (plain("listOwnQuestions"), "", 60.0),
        (plain("listOwnAnswers"), "", 1.0),
        (plain("listOwnPoints"), "", 1.0),
        (plain("getLeaderboard"), "", 4.0),
        // Last, because a sixth member makes expenses costlier.
        (plain("joinGroup").sends(json!({})), "", 0.25),
        (plain("createInvitation"), "", 0.1),
        (plain("getInvitation"), "", 0.2),
        (plain("deleteInvitation"), "", 0.02),
        (plain("deleteGroup").of("groupId", "{created}"), "", 0.01),
    ]
}

/// The requests of funds: the member, who is the operator, has cash in them, and pays from them.
fn of_funds() -> Vec<(Operation, &'static str, f64)> {
    let recorded = json!({ "fund": "cash", "currency": "EUR", "amount": 50, "refId": "bank 1" });
    let paid = json!({ "toId": "2", "amount": 5, "currency": "EUR", "payFrom": "funds" });
    vec![
        (plain("createFundCredit").sends(recorded), ", recorded", 0.5),
        (plain("createFundCredit"), ", reported", 1.0),
        (plain("captureFundTransaction"), ", a report", 1.0),
        (plain("createFundDebit"), ", a cash-out", 0.5),
        (plain("voidFundTransaction"), "", 0.1),
        (plain("createBonus"), "", 0.5),
        (plain("getFunds"), "", 20.0),
        (operation("getFunds"), "", 5.0),
        (plain("listFundTransactions"), "", 2.0),
        (plain("getFundTransaction"), "", 1.0),
        (plain("setAcceptance"), "", 0.1),
        (plain("checkFunds"), "", 0.1),
        (plain("listFundWork"), "", 1.0),
        (plain("listFundTotals"), "", 1.0),
        (plain("createSettlement").sends(paid), ", from funds", 3.0),
        (plain("updateSettlement"), ", from funds", 3.0),
    ]
}

// On one thread, so that no response arrives before a parallel request is sent.
#[tokio::main(flavor = "current_thread")]
async fn main() {
    let database = Database::embedded().await;
    let table = Table::new(database.client.clone(), TABLE);
    let operators = ["1".parse().unwrap()].into();
    let app = App { operators, ..App::new(table, BotToken::new(TOKEN), telegram::MAX_AGE) };
    let api = Transport::Router(service(routes(), app.clone()));
    let caller = |id: u64| {
        let user = client::user(id, &format!("Member {id}"));
        let authorization = client::authorization(&user, TOKEN, Clock::system().now());
        Caller { api: &api, authorization }
    };
    let [alice, bob] = [caller(1), caller(2)];
    let mut ids: Ids = [("alice", "1"), ("bob", "2"), ("date", "2026-01-15")]
        .map(|(name, id)| (name, id.to_owned()))
        .into();
    let new = json!({ "title": "Flat", "chatId": 1, "currency": "EUR" });
    let group = alice.perform(&operation("createGroup").sends(new), &ids).await.0;
    let debts = format!("/api/groups/{group}/debts");
    ids.insert("groupId", group);
    for id in 2..=5 {
        caller(id).perform(&operation("joinGroup").sends(json!({})), &ids).await;
    }
    let spend =
        json!({ "amount": 25, "description": "Dinner at the restaurant", "category": "food" });
    let spends = operation("createExpense").sends(spend.clone());
    let settles = |body| operation("createSettlement").sends(body);
    for _ in 0..50 {
        alice.perform(&spends, &ids).await;
    }
    let paid = settles(json!({ "fromId": "2", "toId": "1", "amount": 1 }));
    for _ in 0..10 {
        alice.perform(&paid, &ids).await;
    }
    let expense = alice.perform(&spends, &ids).await.0;
    ids.insert("entryId", expense.clone());
    ids.insert("expenseId", expense);
    let pending = settles(json!({ "toId": "1", "amount": 1 }));
    ids.insert("settlementId", bob.perform(&pending, &ids).await.0);

    println!("| endpoint | round trips | read units | write units | times a month |");
    println!("|---|---:|---:|---:|---:|");
    let mut month = Month::default();
    for (operation, what, times) in requests(&spend).into_iter().chain(of_funds()) {
        // A second join writes nothing, so the first join of a new user is measured.
        let caller = caller(match what {
            ", from funds" if operation.id == "updateSettlement" => 2,
            _ if operation.id == "joinGroup" => 6,
            _ => 1,
        });
        let (id, cost) = caller.perform(&operation, &ids).await;
        let made = match operation.id {
            "createSpending" => "spendingId",
            "createToken" => "tokenId",
            "importFile" => "importId",
            "createGroup" => "created",
            "createGuest" => "memberId",
            "createFundCredit" | "createFundDebit" => "transactionId",
            "createSettlement" if what == ", from funds" => "settlementId",
            "askQuestion" => {
                ids.insert("textId", id.clone());
                "questionId"
            }
            _ => "",
        };
        if !made.is_empty() {
            ids.insert(made, id);
        }
        month.add(times, cost);
        let TableCost { round_trips, read_units, write_units, .. } = cost;
        let (method, path) = (&operation.method, operation.template());
        println!(
            "| {method} `{path}`{what} | {round_trips} | {read_units} | {write_units} | {times} |"
        );
    }
    print_screens(&alice, &ids).await;
    month.print();
    print_quotas(&app, &debts).await;
    database.stop().await;
}
