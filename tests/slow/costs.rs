//! What each endpoint, each screen, the bot and its messages cost at the table, in small and large
//! groups with short and long histories: [`PAGE`] has it, so a request that becomes dearer fails
//! here.
//!
//! `UPDATE_FILES=1 cargo test --workspace --test slow costs` writes the page.

mod telegram;

use std::{collections::BTreeSet, fmt::Write, num::NonZeroU32, thread, time::Duration};

use axum::http::Method;
use fracti_core::values::time::Timestamp;
use fracti_http::Quotas;
use fracti_store::TableCost;
use fracti_tests::{
    client,
    operations::{Ids, OPEN, Operation, SCREENS, operation, operations, receipt, screen, text_for},
};
use serde_json::{Value, json};

use crate::harness::{Api, Caller, PATIENCE, Reply, assert_current, splitwise};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/costs.md");

/// Members of the groups. The costs of a month are those of the first.
const GROUPS: [u64; 3] = [5, 41, 490];

/// Entries by which a history grows.
const ENTRIES: u64 = 1_000;

/// Days over which a history grows slowly.
const DAYS: u64 = 250;

const DAY: Duration = Duration::from_hours(24);

/// Expenses and completed settlements of each of the last three days: more in all than a page
/// shows.
const RECENT: [u64; 2] = [17, 7];

/// Entries between two checkpoints.
const CHECKPOINTS: u64 = 64;

/// Requests that read a fixed number of entries. A short history has fewer.
const BOUNDED: [&str; 4] = [
    "GET /api/groups/{groupId}/ledger/balance?at=",
    "GET /api/groups/{groupId}/ledger/entries?userId=1",
    "GET /api/users/me/activity?limit=50",
    "GET /app/groups/{groupId}/ledger/{memberId}",
];

/// Requests that read more after each measurement, up to a limit: what two users have together,
/// questions, funds, all settlements of a group while one is pending, and a search.
const GROWING: [&str; 14] = [
    "GET /api/users/me/with/{bob}",
    "GET /app",
    "GET /app/groups/{groupId}",
    "GET /app/groups/{groupId}/balances",
    "GET /app/groups/{groupId}/expenses?q=din&category=food",
    "GET /app/groups/{groupId}/ledger",
    "GET /app/groups/{groupId}/questions",
    "GET /app/groups/{groupId}/settlements?status=pending",
    "GET /app/me",
    "GET /app/me/friends",
    "GET /app/me/friends/2",
    "GET /app/me/funds",
    "[Pay]",
    "`/settle`, a payment waits",
];

/// A request, a description, and how often a group makes it in a month.
type Call = (Operation, &'static str, f64);

/// The reads that any group answers, each with its query.
const READS: &[(&str, &str, f64)] = &[
    ("getHealth", "", 0.0),
    ("listCurrencies", "", 0.0),
    ("listCategories", "", 0.0),
    ("listGroups", "", 60.0),
    ("getGroup", "", 60.0),
    ("listExpenses", "", 60.0),
    ("listExpenses", "order=date", 20.0),
    ("listExpenses", "deleted=true", 0.5),
    ("getExpense", "", 20.0),
    ("getExpenseBreakdown", "", 2.0),
    ("previewExpense", "", 60.0),
    ("previewExpenseEdit", "", 5.0),
    ("listExpenseHistory", "", 2.0),
    ("listSchedules", "", 2.0),
    ("getSchedule", "", 1.0),
    ("listSettlements", "", 20.0),
    ("getSettlement", "", 10.0),
    ("exportGroup", "limit=50", 0.1),
    ("exportGroup", "format=csv&limit=50", 0.1),
    ("getDebts", "", 100.0),
    ("getLedgerBalance", "", 5.0),
    ("getLedgerBalance", "at={yesterday}", 1.0),
    ("listLedgerDays", "limit=2", 5.0),
    ("listLedgerEntries", "", 10.0),
    ("listLedgerEntries", "userId=1", 5.0),
    ("listLedgerEntryHistory", "", 1.0),
    ("getGroupStats", "by=day", 5.0),
    ("listChanges", "", 60.0),
    ("getMe", "", 20.0),
    ("listMyGroups", "", 20.0),
    ("listMyExpenses", "", 5.0),
    ("listMyDebts", "", 5.0),
    ("listMySettlements", "", 5.0),
    ("listMyActivity", "", 20.0),
    ("listMyActivity", "limit=50", 0.0),
    ("getMySummary", "", 5.0),
    ("getShared", "", 5.0),
    ("getTargets", "", 30.0),
    ("getSubscription", "", 0.1),
    ("getUsage", "", 1.0),
    ("listTokens", "", 0.1),
    ("getMyDays", "month=2026-01", 30.0),
    ("getMyDay", "", 10.0),
    ("listSpendings", "", 30.0),
    ("listSpendings", "from=2026-01-01", 0.0),
    ("getSpending", "", 5.0),
    ("getQuestion", "", 80.0),
    ("listQuestions", "limit=2", 20.0),
    ("getLeaderboard", "", 4.0),
    ("listOwnQuestions", "", 60.0),
    ("listOwnAnswers", "", 1.0),
    ("listOwnPoints", "", 1.0),
    ("getFunds", "", 20.0),
    ("getFunds", "detail=true", 5.0),
    ("getFundTransaction", "", 1.0),
    ("listFundTransactions", "limit=2", 2.0),
    ("listFundWork", "", 1.0),
    ("listFundTotals", "", 1.0),
];

/// The operations of groups that an API token may not use.
const IN_APP: [&str; 8] = [
    "setWallet",
    "deleteWallet",
    "getInvitation",
    "createInvitation",
    "deleteInvitation",
    "deleteGroup",
    "setSubscription",
    "deleteSubscription",
];

/// How the first member sends requests.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    InApp,
    /// With quotas that count every request.
    Counted,
    /// With quotas that count almost no request, but read the counter.
    Admitted,
    /// With an idempotency key.
    Keyed,
    /// By an API token, with quotas.
    Token,
    /// By an API token that the instance has not seen. Only reads are sent so.
    NewToken,
}

/// A group that grows.
struct Scene {
    api: Api,
    group: String,
    members: u64,
    /// Measurements begun.
    runs: u64,
    /// Adjustments since the opening.
    adjustments: u64,
    /// The first member, by an API token.
    token: Option<Caller>,
}

/// A request with its cost.
#[derive(Debug)]
struct Line {
    /// The `operationId`; empty if it is none of the API.
    id: &'static str,
    /// The method, the path and the query of the request, without moments.
    request: String,
    /// What the page calls it.
    name: String,
    /// Whether it only reads.
    reads: bool,
    times: f64,
    requests: u32,
    round_trips: u32,
    read_units: f64,
    write_units: f64,
    /// Bytes of the table's answers.
    bytes: usize,
    /// Whether it was sent in the way that is measured.
    counts: bool,
}

impl Line {
    /// A request, before its cost is known.
    fn of((operation, what, times): Call) -> Self {
        let path = operation.template().replace("{yesterday}", "");
        let path = path.replacen("/screens", "/app", 1);
        let method = &operation.method;
        let is_screen = operation.id.is_empty();
        let shown = if is_screen { String::new() } else { format!("{method} ") };
        let comma = if what.is_empty() { "" } else { ", " };
        Self {
            id: operation.id,
            request: format!("{method} {path}"),
            name: format!("{shown}`{path}`{comma}{what}"),
            reads: operation.reads(),
            times,
            ..Self::named("")
        }
    }

    /// What is no request of the API.
    fn named(name: &str) -> Self {
        Self {
            id: "",
            request: name.to_owned(),
            name: name.to_owned(),
            reads: false,
            times: 0.0,
            requests: 0,
            round_trips: 0,
            read_units: 0.0,
            write_units: 0.0,
            bytes: 0,
            counts: true,
        }
    }

    /// With what it costs.
    fn costs(self, cost: TableCost, bytes: usize) -> Self {
        let TableCost { requests, round_trips, read_units, write_units, .. } = cost;
        Self { requests, round_trips, read_units, write_units, bytes, ..self }
    }

    const fn is_screen(&self) -> bool {
        self.id.is_empty()
    }
}

impl Scene {
    /// A group in which nearly all members have a balance.
    async fn new(members: u64) -> Self {
        let api = Api::embedded().await;
        let new = json!({ "title": "Alps", "chatId": -100, "currency": "EUR" });
        let made = api.user(1, "Member 1").post("/api/groups", new).await;
        let group = made.data(201)["id"].as_str().unwrap().to_owned();
        let scene = Self { api, group, members, runs: 0, adjustments: 0, token: None };
        for member in 2..=members {
            scene.member(member).post(&scene.path("/join"), json!({})).await.data(200);
        }
        let wanderer = scene.wanderer();
        for step in ["/join", "/leave"] {
            wanderer.post(&scene.path(step), json!({})).await.data(200);
        }
        let opposites =
            (1..=members / 2).flat_map(|pair| [(2 * pair - 1, 1000), (2 * pair, -1000)]);
        let opening =
            opposites.map(|(id, amount)| json!({ "userId": id.to_string(), "amount": amount }));
        let opening = json!({ "entryId": "opening", "changes": opening.collect::<Vec<_>>() });
        scene.push(vec![opening]).await;
        scene
    }

    fn path(&self, rest: &str) -> String {
        format!("/api/groups/{}{rest}", self.group)
    }

    /// A member, signed in now.
    fn member(&self, id: u64) -> Caller {
        self.api.user(id, &format!("Member {id}"))
    }

    /// A user without a balance, who is not a member between measurements.
    fn wanderer(&self) -> Caller {
        self.api.user(1_001, "Wanderer")
    }

    async fn push(&self, entries: Vec<Value>) {
        let pushed = self.member(1).post(&self.path("/ledger/entries"), json!(entries)).await;
        assert_eq!(pushed.data(200)["nonApplied"], json!([]));
    }

    /// Adds so many adjustments.
    async fn adjust(&mut self, count: u64) {
        let changes = json!([{ "userId": "1", "amount": 1 }, { "userId": "2", "amount": -1 }]);
        let names: Vec<u64> = (self.adjustments..self.adjustments + count).collect();
        self.adjustments += count;
        for names in names.chunks(90) {
            let entry = |name: &u64| json!({ "entryId": name.to_string(), "changes": changes });
            self.push(names.iter().map(entry).collect()).await;
        }
    }

    /// Adds [`ENTRIES`] over so many days.
    async fn grow(&mut self, days: u64) {
        for _ in 0..days {
            self.api.pass(DAY);
            self.adjust(ENTRIES / days).await;
        }
    }

    /// Adds three days with expenses and settlements, after which no checkpoint is written soon.
    async fn recent(&mut self) {
        let sequence = self.member(1).get(&self.path("/ledger/balance")).await;
        let sequence = sequence.data(200)["sequence"].as_u64().unwrap();
        let after = sequence + 3 * RECENT.iter().sum::<u64>();
        self.adjust(CHECKPOINTS - after % CHECKPOINTS).await;
        for _ in 0..3 {
            self.api.pass(DAY);
            for number in 0..RECENT[0] {
                let payer = self.member(1 + number % 2);
                payer.post(&self.path("/expenses"), expense(1..=5)).await.data(201);
            }
            for _ in 0..RECENT[1] {
                let paid = json!({ "fromId": "1", "toId": "2", "amount": 1 });
                self.member(2).post(&self.path("/settlements"), paid).await.data(201);
            }
        }
    }

    /// The user who sends a request.
    fn caller(&self, operation: &Operation, what: &str) -> Caller {
        match (operation.id, what) {
            ("openGroup", _) => self.api.user(1_000, "Founder").in_chat(&self.runs.to_string()),
            // The lists of the members stay as they are.
            ("createGroup" | "deleteGroup", _) | (_, "a new group") => {
                self.api.user(1_000, "Founder")
            }
            ("leaveGroup", _) | ("joinGroup", "again") => self.wanderer(),
            ("joinGroup", _) => self.api.user(2, &format!("Member {}", self.runs)),
            ("updateTargets", _) => self.api.user(2_000 + self.runs, "Newcomer"),
            (_, "of the other" | "paid from funds") => self.member(2),
            (_, "confirmed") => self.member(3),
            _ => self.member(1),
        }
    }

    /// Sends a request in a way, or as in the app if it cannot be sent so.
    async fn send(&self, call: &Call, way: Way, ids: &Ids) -> (Reply, bool) {
        let (operation, what, _) = call;
        let caller = self.caller(operation, what);
        let by_token = caller.id == "1"
            && !IN_APP.contains(&operation.id)
            && !operation.id.contains("Token")
            && !operation.route.contains("/funds")
            && !operation.route.starts_with("/screens")
            && operation.body(ids)["payFrom"] != "funds";
        let quotas = |sample| {
            let limit = NonZeroU32::new(10_000);
            Quotas { reads: limit, writes: limit, sample, timeout: PATIENCE }
        };
        let caller = match (way, &self.token) {
            (Way::Counted, _) => caller.with_quotas(quotas(NonZeroU32::MIN)),
            (Way::Admitted, _) => caller.with_quotas(quotas(NonZeroU32::new(1 << 31).unwrap())),
            (Way::Token, Some(token)) if by_token => {
                token.at(&self.api).with_quotas(quotas(NonZeroU32::MIN))
            }
            (Way::NewToken, Some(token)) if by_token && operation.reads() => {
                token.at(&self.api.another())
            }
            (Way::Token | Way::NewToken, _) => {
                return (caller.perform(operation, ids).await, false);
            }
            (Way::InApp | Way::Keyed, _) => caller,
        };
        let request = caller.request(operation.method.clone(), &operation.path(ids));
        let request = match way {
            Way::Keyed if operation.method == Method::POST => {
                request.header("idempotency-key", format!("key-{}", fastrand::u64(..)))
            }
            _ => request,
        };
        (caller.api.send(client::with_body(request, &operation.body(ids))).await, true)
    }

    /// Sends every request after recent ones.
    async fn measure(&mut self, way: Way) -> Vec<Line> {
        self.runs += 1;
        self.recent().await;
        let mut lines = Vec::new();
        let yesterday = Timestamp::from_millis(self.api.now().millis() - 1).unwrap().to_string();
        let names = [
            ("groupId", &*self.group),
            ("alice", "1"),
            ("bob", "2"),
            ("date", "2026-01-15"),
            ("yesterday", &yesterday),
        ];
        let mut ids: Ids = names.map(|(name, id)| (name, id.to_owned())).into();
        let reads = READS.iter().map(|(id, query, times)| (operation(id).asks(query), "", *times));
        let has_screens = way == Way::InApp && self.members == GROUPS[0];
        let screens = SCREENS.iter().filter(|_| has_screens);
        let screens = screens.map(|path| (screen(path), "", 0.0));
        let calls = self.creations().into_iter().chain(reads).chain(screens).chain(self.changes());
        for call in calls {
            let (reply, counts) = self.send(&call, way, &ids).await;
            let (operation, what, _) = &call;
            assert!(reply.status.is_success(), "{operation:?}, {what}: {}", reply.text);
            let made: &[_] = match operation.id {
                "createExpense" => &["expenseId", "entryId"],
                "createSettlement" => &["settlementId"],
                "createGroup" => &["created"],
                "createGuest" => &["memberId"],
                "createToken" => &["tokenId"],
                "createSpending" => &["spendingId"],
                "createSchedule" => &["scheduleId"],
                "askQuestion" if *what == "a receipt" => &["questionId"],
                "askQuestion" => &["textId"],
                "createFundCredit" | "createFundDebit" => &["transactionId"],
                _ => &[],
            };
            ids.extend(made.iter().map(|name| (*name, reply.id())));
            for name in ["importId", "code"] {
                let made = reply.body["data"][name].as_str();
                ids.extend(made.map(|made| (name, made.to_owned())));
            }
            let line = Line::of(call).costs(reply.cost, reply.bytes_read);
            lines.push(Line { counts, ..line });
        }
        lines
    }

    /// The requests that make what is read, and is changed then.
    fn creations(&self) -> Vec<Call> {
        let run = self.runs;
        let sends = |id, body| operation(id).sends(body);
        let token = json!({ "name": "Phone", "scopes": ["write"], "groupId": self.group });
        let at = json!({ "title": "Tea", "amount": 1, "currency": "EUR",
            "spentAt": "2026-01-14T12:00:00Z" });
        let mut two = expense(1..=5);
        two["payers"] = json!([{ "userId": "1", "amount": 100 }, { "userId": "2" }]);
        let recorded = json!({ "fund": "cash", "currency": "EUR", "amount": 50,
            "refId": format!("bank {run}") });
        let captured = json!({ "refId": format!("transfer {run}") });
        let mut calls = vec![
            (sends("createToken", token), "of a group", 0.0),
            (operation("createToken"), "", 0.05),
            (sends("createGuest", json!({ "name": format!("Guest {run}") })), "", 0.1),
            (sends("createSpending", at), "at a moment", 0.0),
            (operation("createSpending"), "", 30.0),
            (sends("createExpense", two), "two payers", 2.0),
        ];
        if (6..=45).contains(&self.members) {
            calls.push((sends("createExpense", expense(1..=self.members)), "all share", 0.0));
        }
        calls.extend([
            (sends("createExpense", expense(1..=5)), "five share", 18.0),
            (sends("createSettlement", json!({ "toId": "1", "amount": 1 })), "of the other", 5.0),
            (sends("createFundCredit", recorded), "recorded", 0.5),
            (operation("createFundCredit"), "reported", 1.0),
            (sends("captureFundTransaction", captured), "a report", 1.0),
            (operation("createFundDebit"), "a cash-out", 0.5),
            (sends("createSchedule", schedule()), "five share", 0.2),
            (sends("askQuestion", receipt()), "a receipt", 4.0),
            (sends("claimItems", json!({ "items": [{ "item": 0 }] })), "first", 16.0),
            (sends("askQuestion", text_for(["1", "2"])), "a text", 0.0),
        ]);
        calls
    }

    /// The requests that change or end what was made, and others whose answers nothing needs.
    fn changes(&self) -> Vec<Call> {
        let run = self.runs;
        let plain = |id| operation(id).asks("");
        let sends = |id, body| operation(id).sends(body);
        let name = |of: &str| json!({ "name": format!("{of} {run}") });
        let change = |user: &str, amount| json!({ "userId": user, "amount": amount });
        let entry = json!({ "entryId": "a", "changes": [change("1", 1), change("2", -1)] });
        let push = || sends("pushEntries", json!([entry]));
        let claims = |items: Value| sends("claimItems", json!({ "items": items }));
        let pay = |body| sends("createSettlement", body);
        let tea = format!("Tea {run}");
        let rows = vec![("2026-01-01", "General", &*tea, "EUR", vec![100, -100]); 10];
        let file = splitwise(&["A", "B"], &rows);
        let options = json!({ "commit": true, "members": { "A": "1", "B": "2" } });
        let commit = json!({ "file": file, "options": options });
        let wallet = json!({ "wallet": format!("0:{run:064}") });
        let accepts = json!({ "currency": "EUR", "accepts": run.is_multiple_of(2) });
        vec![
            (sends("editExpense", json!({ "amount": 360 })), "new amount", 2.0),
            (
                sends("editExpense", json!({ "splits": expense(1..=4)["splits"] })),
                "new splits",
                0.0,
            ),
            (operation("deleteExpense"), "", 1.0),
            (operation("restoreExpense"), "", 0.1),
            (operation("editSchedule"), "", 0.2),
            (operation("deleteSchedule"), "", 0.1),
            (operation("updateSettlement"), "", 5.0),
            (pay(json!({ "toId": "2", "amount": 1 })), "pending", 0.0),
            (sends("updateSettlement", json!({ "status": "failed" })), "failed", 0.0),
            (pay(json!({ "fromId": "2", "toId": "1", "amount": 1 })), "completed", 0.0),
            (push(), "one", 0.05),
            (sends("revertEntriesByPost", json!(["a"])), "one", 0.0),
            (push(), "one", 0.0),
            (sends("revertEntries", json!(["a"])), "one", 0.05),
            (claims(json!([{ "item": 0 }, { "item": 1 }])), "changed", 4.0),
            (claims(json!([])), "none", 0.0),
            (claims(json!([{ "item": 0 }])), "again", 0.0),
            (operation("applyReceipt"), "", 4.0),
            (operation("answerQuestion"), "", 8.0),
            (operation("askQuestion"), "a choice", 2.0),
            (operation("closeQuestion").of("questionId", "{textId}"), "", 1.0),
            (sends("renameGuest", name("Renamed")), "", 0.02),
            (sends("linkGuest", json!({ "userId": "3" })), "proposed", 0.06),
            (operation("withdrawLink"), "", 0.01),
            (sends("linkGuest", json!({ "userId": "3" })), "proposed", 0.0),
            (sends("linkGuest", json!({ "userId": "3" })), "confirmed", 0.05),
            (sends("createGuest", name("Other")), "another", 0.0),
            (operation("removeMember"), "", 0.02),
            (operation("restoreMember"), "", 0.01),
            (operation("createInvitation"), "", 0.1),
            (plain("getInvitation"), "", 0.2),
            (sends("joinGroup", json!({ "invitation": "$code" })), "again", 0.25),
            (operation("deleteInvitation"), "", 0.02),
            (operation("leaveGroup"), "", 0.0),
            (sends("joinGroup", json!({})), "another name", 0.0),
            (sends("updateGroup", json!({ "title": format!("Alps {run}") })), "", 0.1),
            (sends("openGroup", json!({})), "", 0.0),
            (sends("createGroup", json!({ "title": "Flat", "chatId": 1 })), "", 0.05),
            (plain("exportGroup").of("groupId", "{created}"), "a new group", 0.0),
            (operation("deleteGroup").of("groupId", "{created}"), "", 0.01),
            (sends("setWallet", wallet), "", 0.25),
            (operation("deleteWallet"), "", 0.02),
            (sends("importFile", json!({ "file": file })), "plan", 0.0),
            (sends("importFile", commit), "ten rows", 0.02),
            (plain("listImports"), "", 0.02),
            (plain("getImport"), "", 0.02),
            (operation("undoImport"), "ten rows", 0.01),
            (operation("updateTargets"), "", 0.1),
            (operation("setSubscription"), "", 0.1),
            (operation("deleteSubscription"), "", 0.01),
            (sends("editSpending", json!({ "amount": 2 })), "", 1.0),
            (operation("deleteSpending"), "", 1.0),
            (plain("rebuildMyDays"), "", 0.01),
            (operation("deleteToken"), "", 0.05),
            (operation("voidFundTransaction"), "", 0.1),
            (sends("setAcceptance", accepts), "", 0.1),
            (operation("checkFunds"), "", 0.1),
            (
                pay(json!({ "toId": "2", "amount": 1, "currency": "EUR", "payFrom": "funds" })),
                "from funds",
                3.0,
            ),
            (operation("updateSettlement"), "paid from funds", 3.0),
            (operation("createBonus"), "", 0.5),
        ]
    }
}

/// A monthly expense of five members.
fn schedule() -> Value {
    json!({ "expense": expense(1..=5), "repeat": { "every": "month", "start": "2027-01-01" } })
}

/// An expense of these members.
fn expense(members: std::ops::RangeInclusive<u64>) -> Value {
    let splits: Vec<_> = members.map(|id| json!({ "userId": id.to_string() })).collect();
    json!({ "amount": 180, "description": "Dinner at restaurant", "splits": splits })
}

/// A request after the short history, the long one on one day, and the long one over many days.
type Row = [Line; 3];

/// The costs in a group of so many members.
async fn costs(scene: &mut Scene) -> Vec<Row> {
    let short = scene.measure(Way::InApp).await;
    scene.grow(1).await;
    let one_day = scene.measure(Way::InApp).await;
    scene.grow(DAYS).await;
    let many_days = scene.measure(Way::InApp).await;
    rows(short, one_day, many_days)
}

/// What was measured after each history.
fn rows(short: Vec<Line>, one_day: Vec<Line>, many_days: Vec<Line>) -> Vec<Row> {
    let rows = short.into_iter().zip(one_day).zip(many_days);
    rows.map(|((short, one_day), many_days)| [short, one_day, many_days]).collect()
}

/// Whether a longer history makes nothing much more expensive.
fn is_flat(row: &Row) -> bool {
    #[expect(clippy::float_arithmetic, reason = "capacity units are not money")]
    let at_most = |more: f64, less: f64| more <= less * 1.1;
    let no_dearer = |shorter: &Line, longer: &Line| {
        longer.requests <= shorter.requests
            && at_most(longer.read_units, shorter.read_units)
            && at_most(longer.write_units, shorter.write_units)
    };
    let [short, one_day, many_days] = row;
    let is_bounded = BOUNDED.contains(&&*short.request);
    GROWING.contains(&&*short.request)
        || no_dearer(one_day, many_days)
            && (is_bounded || no_dearer(short, one_day) && no_dearer(short, many_days))
}

/// A number of each history: one number if all are the same.
fn cell<T: PartialEq + ToString>(row: &Row, number: impl Fn(&Line) -> T) -> String {
    let numbers = row.each_ref().map(number);
    if numbers.iter().all(|it| *it == numbers[0]) {
        numbers[0].to_string()
    } else {
        numbers.map(|number| number.to_string()).join(" ")
    }
}

/// A table of requests; how often they are made is shown of a small group.
fn table(kind: &str, rows: &[&Row], shows_times: bool) -> String {
    let (head, line) = if shows_times { (" times a month |", "---:|") } else { ("", "") };
    let mut table = format!(
        "| {kind} | round trips | requests | read units | write units | KB read |{head}\n\
         |---|---:|---:|---:|---:|---:|{line}\n"
    );
    for row in rows {
        let Line { name, times, .. } = &row[0];
        // Less if a request that depends on another one begins while a third is still running.
        let round_trips = row.iter().map(|line| line.round_trips).max().unwrap();
        let requests = cell(row, |line| line.requests);
        let [read_units, write_units] =
            [cell(row, |line| line.read_units), cell(row, |line| line.write_units)];
        let kilobytes = cell(row, |line| line.bytes.div_ceil(1024));
        let times = if shows_times { format!(" {times} |") } else { String::new() };
        writeln!(
            table,
            "| {name} | {round_trips} | {requests} | {read_units} | \
             {write_units} | {kilobytes} |{times}"
        )
        .unwrap();
    }
    table
}

/// The requests of a group in a month, and their prices for many groups.
#[expect(clippy::float_arithmetic, reason = "what AWS costs is no money of a group")]
fn month(rows: &[Row]) -> String {
    /// US dollars for a million of each.
    const READ_UNITS: f64 = 0.125;
    const WRITE_UNITS: f64 = 0.625;
    const GATEWAY: f64 = 1.00;
    const INVOCATIONS: f64 = 0.20;
    /// A million invocations of 50 ms with 512 MiB on arm64, at 0.0000133334 per GiB-second.
    const DURATION: f64 = 0.05 * 0.5 * 13.3334;
    /// A million requests with about 1.6 kB of log each, at 0.50 per gigabyte.
    const LOGS: f64 = 0.80;

    let lines = || rows.iter().map(|row| &row[0]);
    let requests: f64 = lines().map(|line| line.times).sum();
    let read_units: f64 = lines().map(|line| line.times * line.read_units).sum();
    let write_units: f64 = lines().map(|line| line.times * line.write_units).sum();
    let mut month = format!(
        "That is {requests:.0} requests, {read_units:.0} read units and {write_units:.0} write \
         units for each group.\n\n\
         | groups | requests | DynamoDB | Lambda | API Gateway | logs | together |\n\
         |---:|---:|---:|---:|---:|---:|---:|\n"
    );
    for groups in [1_000.0, 100_000.0, 10_000_000.0] {
        let millions = groups / 1e6;
        let requests = millions * requests;
        let table = millions * (read_units * READ_UNITS + write_units * WRITE_UNITS);
        let lambda = requests * (INVOCATIONS + DURATION);
        let gateway = requests * GATEWAY;
        let logs = requests * LOGS;
        let together = table + lambda + gateway + logs;
        writeln!(
            month,
            "| {groups} | {requests:.1} M | ${table:.0} | ${lambda:.0} | ${gateway:.0} | \
             ${logs:.0} | ${together:.0} |"
        )
        .unwrap();
    }
    month
}

/// Checks that quotas, keys and API tokens add no round trip but to a request that has nothing to
/// wait for, and returns what quotas add to a read.
async fn ways(scene: &mut Scene, rows: &[Row]) -> String {
    let mut quotas = "| with quotas, a request | round trips | read units | write units |\n\
                      |---|---:|---:|---:|\n"
        .to_owned();
    let mut dearer = Vec::new();
    let token = json!({ "name": "x", "scopes": ["read", "write"] });
    let alice = scene.member(1);
    let token = alice.with_token(&alice.post("/api/users/me/tokens", token).await);
    for way in [Way::Counted, Way::Admitted, Way::Keyed, Way::Token, Way::NewToken] {
        if way == Way::Token {
            // The first request finds the token, and notes the day of its use.
            token.get("/api/users/me/usage").await.data(200);
            scene.token = Some(token.clone());
        }
        let lines = scene.measure(way).await;
        let rows = rows.iter().filter(|row| !row[0].is_screen());
        for (line, row) in lines.iter().zip(rows).filter(|(line, _)| line.counts) {
            let [_, _, plain] = row;
            let expected = row.iter().map(|line| line.round_trips).max().unwrap();
            let id = line.id;
            let most = match way {
                Way::NewToken if OPEN.contains(&id) => expected,
                Way::NewToken => expected + 1,
                // Its answer is kept, although nothing changed.
                Way::Keyed if plain.write_units <= 0.0 => expected + 1,
                // The transaction waits for the counter, or for the row of the request.
                _ if !line.reads => expected.max(2),
                _ => expected,
            };
            if line.round_trips > most {
                dearer.push(format!("{way:?}, at most {most}: {line:?}"));
            }
            let shown = match way {
                Way::Counted => "of the sample",
                Way::Admitted => "outside of it",
                _ => continue,
            };
            #[expect(clippy::float_arithmetic, reason = "capacity units are not money")]
            if id == "getTargets" {
                writeln!(
                    quotas,
                    "| {shown} | +{} | +{} | +{} |",
                    line.round_trips.saturating_sub(plain.round_trips),
                    line.read_units - plain.read_units,
                    line.write_units - plain.write_units,
                )
                .unwrap();
            }
        }
    }
    assert!(dearer.is_empty(), "{dearer:#?}");
    quotas
}

/// The result of `work` on a thread of its own, so that no answer arrives before a parallel request
/// is sent.
fn alone<T: Send + 'static>(
    work: impl AsyncFnOnce() -> T + Send + 'static,
) -> thread::JoinHandle<T> {
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.unwrap().block_on(work())
    })
}

/// The costs in groups of all sizes, and what quotas add.
fn measured() -> (Vec<(u64, Vec<Row>)>, String) {
    let groups = GROUPS.map(|members| {
        alone(async move || {
            let mut scene = Scene::new(members).await;
            let rows = costs(&mut scene).await;
            let is_first = members == GROUPS[0];
            let quotas = if is_first { ways(&mut scene, &rows).await } else { String::new() };
            (members, rows, quotas)
        })
    });
    let mut quotas = String::new();
    let groups = groups.into_iter().map(|group| {
        let (members, rows, of_group) = group.join().unwrap();
        quotas += &of_group;
        (members, rows)
    });
    (groups.collect(), quotas)
}

#[test]
fn the_page_has_the_costs_of_every_request_for_any_length_of_history() {
    let of_bot = alone(telegram::costs);
    let (groups, quotas) = measured();
    let (updates, messages) = of_bot.join().unwrap();
    let (_, small) = &groups[0];
    let called: BTreeSet<_> = small.iter().map(|row| row[0].id).collect();
    let all: BTreeSet<_> = operations().iter().map(|operation| operation.id).collect();
    let others: Vec<_> = all.difference(&called).collect();
    assert_eq!(others, [&"getOpenApiDocument"], "costs nothing at the table");

    let (screens, endpoints): (Vec<&Row>, Vec<&Row>) =
        small.iter().partition(|row| row[0].is_screen());
    let mut page = format!(
        include_str!("costs.md"),
        month = month(small),
        quotas = quotas,
        endpoints = table("endpoint", &endpoints, true),
        screens = table("screen", &screens, false),
        updates = table("update", &updates.iter().collect::<Vec<_>>(), false),
        messages = table("work", &messages.iter().collect::<Vec<_>>(), false),
    );
    for (members, rows) in &groups[1..] {
        let rows: Vec<&Row> = rows.iter().collect();
        write!(page, "\n## In a group of {members}\n\n{}", table("request", &rows, false)).unwrap();
    }
    assert_current(PAGE, &page, "UPDATE_FILES=1 cargo test --workspace --test slow costs");
    let telegram = [(GROUPS[0], updates), (GROUPS[0], messages)];
    for (members, rows) in groups.iter().chain(&telegram) {
        let dearer: Vec<&Row> = rows.iter().filter(|row| !is_flat(row)).collect();
        let dearer = table("request", &dearer, false);
        assert_eq!(dearer.lines().count(), 2, "dearer in a long history of {members}: {dearer}");
    }
}
