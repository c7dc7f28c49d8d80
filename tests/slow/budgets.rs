//! The cost of each endpoint at the table, in small and large groups with short and long histories.
//!
//! Round trips are in `round_trips`: their number depends on how parallel requests interleave.

use std::{collections::BTreeSet, fmt::Write, ops::RangeInclusive, time::Duration};

use fracti_core::values::time::Timestamp;
use serde_json::{Value, json};

use crate::harness::{Api, Caller, splitwise};
use fracti_tests::operations::{Ids, Operation, operation, operations, receipt, text_for};

/// Entries by which a history grows, so many that no measured event is the one in 64 that also
/// writes a checkpoint.
const ENTRIES: u64 = 64 * 17 - 20;

/// Days over which a history grows slowly.
const DAYS: u64 = 1_000;

const DAY: Duration = Duration::from_hours(24);

/// Endpoints that read a fixed number of entries. A short history has fewer.
const BOUNDED: [&str; 2] = [
    "GET /api/groups/{groupId}/ledger/balance?at=",
    "GET /api/groups/{groupId}/ledger/entries?limit=2&userId=1",
];

/// The reads that need nothing of what the other calls make, each with its query.
const READS: [(&str, &str); 34] = [
    ("getHealth", ""),
    ("listCurrencies", ""),
    ("listCategories", ""),
    ("listGroups", "limit=2"),
    ("getGroup", ""),
    ("listExpenses", "limit=2"),
    ("listExpenses", "limit=2&order=date"),
    ("listSettlements", "limit=2"),
    ("exportGroup", "limit=2"),
    ("exportGroup", "format=csv&limit=2"),
    ("getDebts", ""),
    ("getLedgerBalance", ""),
    ("getLedgerBalance", "at={yesterday}"),
    ("listLedgerDays", "limit=2"),
    ("getGroupStats", "by=day"),
    ("listChanges", ""),
    ("getInvitation", ""),
    ("listLedgerEntries", "limit=2"),
    ("listLedgerEntries", "limit=2&userId=1"),
    ("getMe", ""),
    ("listMyGroups", "limit=2"),
    ("listMyExpenses", "limit=2"),
    ("listMyDebts", "limit=2"),
    ("listMySettlements", "limit=2"),
    ("listMyActivity", "limit=2"),
    ("getMySummary", ""),
    ("getShared", ""),
    ("getTargets", ""),
    ("getUsage", ""),
    ("listTokens", "limit=2"),
    ("getMyDays", "month=2026-01"),
    ("getMyDay", ""),
    ("listSpendings", "limit=2"),
    ("listSpendings", "limit=2&from=2026-01-01"),
];

/// A group that grows.
struct Subject {
    api: Api,
    group: String,
    members: u64,
    /// Adjustments since the opening.
    adjustments: u64,
}

/// The cost of a request.
#[derive(Clone, Copy, Debug)]
struct Cost {
    requests: u32,
    read_units: f64,
    write_units: f64,
    /// Bytes of the answers.
    bytes: usize,
}

/// A request, its description, and its cost.
type Line = (Operation, &'static str, Cost);

/// The method, the path and the query of a request, without moments.
fn request(operation: &Operation) -> String {
    format!("{} {}", operation.method, operation.template().replace("{yesterday}", ""))
}

impl Subject {
    /// A group with ten events, in which nearly all members have a balance.
    async fn new(members: u64) -> Self {
        let api = Api::embedded().await;
        let new = json!({ "title": "Alps", "chatId": -100, "currency": "EUR" });
        let made = api.user(1, "Member 1").post("/api/groups", new).await;
        let group = made.data(201)["id"].as_str().unwrap().to_owned();
        let subject = Self { api, group, members, adjustments: 0 };
        for member in 2..=members {
            subject.member(member).post(&subject.path("/join"), json!({})).await.data(200);
        }
        let wanderer = subject.wanderer();
        for step in ["/join", "/leave"] {
            wanderer.post(&subject.path(step), json!({})).await.data(200);
        }
        let opposites =
            (1..=members / 2).flat_map(|pair| [(2 * pair - 1, 1000), (2 * pair, -1000)]);
        let opening =
            opposites.map(|(id, amount)| json!({ "userId": id.to_string(), "amount": amount }));
        let opening = json!({ "entryId": "opening", "changes": opening.collect::<Vec<_>>() });
        subject.push(vec![opening]).await;
        subject.three_days().await;
        subject
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

    /// Adds entries over so many days, and three days like those of the short history.
    async fn grow(&mut self, entries: u64, days: u64) {
        let changes = json!([{ "userId": "1", "amount": 1 }, { "userId": "2", "amount": -1 }]);
        let before = self.adjustments;
        for day in 1..=days {
            self.api.pass(DAY);
            let names: Vec<u64> = (self.adjustments..before + entries * day / days).collect();
            self.adjustments = before + entries * day / days;
            for names in names.chunks(90) {
                let entry = |name: &u64| json!({ "entryId": name.to_string(), "changes": changes });
                self.push(names.iter().map(entry).collect()).await;
            }
        }
        self.three_days().await;
    }

    /// Three days, each with two expenses and a settlement.
    async fn three_days(&self) {
        for _ in 0..3 {
            self.api.pass(DAY);
            for payer in [1, 2] {
                self.member(payer).post(&self.path("/expenses"), expense(1..=4)).await.data(201);
            }
            let paid = json!({ "fromId": "1", "toId": "2", "amount": 1 });
            self.member(2).post(&self.path("/settlements"), paid).await.data(201);
        }
    }

    /// Calls every endpoint.
    async fn measure(&self) -> Vec<Line> {
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
        for (operation, what) in self.calls() {
            let caller = match operation.id {
                "openGroup" => {
                    self.api.user(1_000, "Founder").in_chat(&self.adjustments.to_string())
                }
                "leaveGroup" => self.wanderer(),
                "updateTargets" => self.api.user(2_000 + self.adjustments, "Newcomer"),
                _ if what == "again" => self.wanderer(),
                _ if what == "paid from funds" => self.member(2),
                _ if what == "confirmed" => self.member(3),
                // The lists of the members stay as they are.
                "createGroup" | "deleteGroup" => self.api.user(1_000, "Founder"),
                "joinGroup" => self.api.user(2, &format!("Member {}", self.adjustments)),
                _ => self.member(1),
            };
            let reply = caller.perform(&operation, &ids).await;
            assert!(reply.status.is_success(), "{operation:?}: {}", reply.text);
            let made: &[_] = match operation.id {
                "createExpense" => &["expenseId", "entryId"],
                "createSettlement" => &["settlementId"],
                "createGroup" => &["created"],
                "createGuest" => &["memberId"],
                "createToken" => &["tokenId"],
                "createSpending" => &["spendingId"],
                "askQuestion" => &["questionId", "textId"],
                "createFundCredit" | "createFundDebit" => &["transactionId"],
                _ => &[],
            };
            ids.extend(made.iter().map(|name| (*name, reply.id())));
            for name in ["importId", "code"] {
                let made = reply.body["data"][name].as_str();
                ids.extend(made.map(|made| (name, made.to_owned())));
            }
            let cost = Cost {
                requests: reply.cost.requests,
                read_units: reply.cost.read_units,
                write_units: reply.cost.write_units,
                bytes: reply.bytes_read,
            };
            lines.push((operation, what, cost));
        }
        lines
    }

    /// The calls of imports.
    fn imports(&self) -> [(Operation, &'static str); 5] {
        let tea = format!("Tea {}", self.adjustments);
        let rows = vec![("2026-01-01", "General", &*tea, "EUR", vec![100, -100]); 3];
        let file = splitwise(&["A", "B"], &rows);
        let options = json!({ "commit": true, "members": { "A": "1", "B": "2" } });
        let commit = json!({ "file": file, "options": options });
        [
            (operation("importFile").sends(json!({ "file": file })), "plan"),
            (operation("importFile").sends(commit), "three rows"),
            (operation("listImports").asks("limit=2"), ""),
            (operation("getImport"), ""),
            (operation("undoImport"), "three rows"),
        ]
    }

    /// The calls of questions.
    fn questions() -> [(Operation, &'static str); 13] {
        let ask = |body| operation("askQuestion").sends(body);
        let claims = |items: Value| operation("claimItems").sends(json!({ "items": items }));
        [
            (ask(text_for(["1", "2"])), "a text"),
            (operation("answerQuestion"), ""),
            (operation("closeQuestion"), ""),
            (ask(receipt()), "a receipt"),
            (claims(json!([{ "item": 0 }])), "first"),
            (claims(json!([{ "item": 0 }, { "item": 1 }])), "changed"),
            (operation("getQuestion"), "a receipt"),
            (operation("applyReceipt"), ""),
            (operation("listQuestions").asks("limit=2"), ""),
            (operation("getLeaderboard"), ""),
            (operation("listOwnQuestions"), ""),
            (operation("listOwnAnswers").asks("limit=2"), ""),
            (operation("listOwnPoints"), ""),
        ]
    }

    /// The calls of funds.
    fn funds(&self) -> Vec<(Operation, &'static str)> {
        let now = self.adjustments;
        let recorded = json!({ "fund": "cash", "currency": "EUR", "amount": 50,
            "refId": format!("bank {now}") });
        let captured = json!({ "refId": format!("transfer {now}") });
        let paid = json!({ "toId": "2", "amount": 1, "currency": "EUR", "payFrom": "funds" });
        let pay = |body| operation("createSettlement").sends(body);
        vec![
            (operation("createFundCredit").sends(recorded), "recorded"),
            (operation("createFundCredit"), "reported"),
            (operation("captureFundTransaction").sends(captured), "a report"),
            (operation("createFundDebit"), "a cash-out"),
            (operation("getFunds").asks(""), ""),
            (operation("getFunds"), "in detail"),
            (operation("getFundTransaction"), ""),
            (operation("listFundTransactions").asks("limit=2"), ""),
            (operation("listFundWork").asks("limit=2"), ""),
            (operation("voidFundTransaction"), ""),
            (operation("setAcceptance"), ""),
            (operation("checkFunds"), ""),
            (operation("listFundTotals"), ""),
            (pay(paid), "from funds"),
            (operation("updateSettlement"), "paid from funds"),
            (operation("createBonus"), ""),
        ]
    }

    /// The calls of a measurement, each with a description.
    fn calls(&self) -> Vec<(Operation, &'static str)> {
        let mut calls: Vec<_> = READS.map(|(id, query)| (operation(id).asks(query), "")).into();
        let now = self.adjustments;
        let name = |of: &str| json!({ "name": format!("{of} {now}") });
        let change = |user: &str, amount| json!({ "userId": user, "amount": amount });
        let entry = json!({ "entryId": "a", "changes": [change("1", 1), change("2", -1)] });
        let push = || operation("pushEntries").sends(json!([entry]));
        let token = json!({ "name": "Phone", "scopes": ["write"], "groupId": self.group });
        calls.extend([
            (operation("createToken").sends(token), "of a group"),
            (operation("deleteToken"), ""),
            (operation("createGroup").sends(json!({ "title": "Flat", "chatId": 1 })), ""),
            (operation("deleteGroup").of("groupId", "{created}"), ""),
            (operation("joinGroup").sends(json!({})), "another name"),
        ]);
        calls.extend(self.imports());
        let wallet = json!({ "wallet": format!("0:{now:064}") });
        let settles = |body| operation("createSettlement").sends(body);
        calls.extend([
            (operation("createGuest").sends(name("Guest")), ""),
            (operation("renameGuest").sends(name("Renamed")), ""),
            (operation("linkGuest").sends(json!({ "userId": "3" })), "proposed"),
            (operation("withdrawLink"), ""),
            (operation("linkGuest").sends(json!({ "userId": "3" })), "proposed again"),
            (operation("linkGuest").sends(json!({ "userId": "3" })), "confirmed"),
            (operation("createGuest").sends(name("Other")), "another"),
            (operation("removeMember"), ""),
            (operation("restoreMember"), ""),
            (operation("createInvitation"), ""),
            (operation("joinGroup").sends(json!({ "invitation": "$code" })), "again"),
            (operation("deleteInvitation"), ""),
            (operation("leaveGroup"), ""),
            (operation("updateGroup").sends(json!({ "title": format!("Alps {now}") })), ""),
            (operation("openGroup").sends(json!({})), ""),
            (operation("setWallet").sends(wallet), ""),
            (operation("deleteWallet"), ""),
            (push(), "one"),
            (operation("revertEntriesByPost").sends(json!(["a"])), "one"),
            (push(), "one"),
            (operation("revertEntries").sends(json!(["a"])), "one"),
            (settles(json!({ "toId": "2", "amount": 1 })), "pending"),
            (operation("getSettlement"), ""),
            (operation("updateSettlement").sends(json!({ "status": "failed" })), "failed"),
            (settles(json!({ "fromId": "2", "toId": "1", "amount": 1 })), "completed"),
        ]);
        let spend = |body| operation("createExpense").sends(body);
        if self.members <= 45 {
            // But for the guests, of whom each measurement adds one.
            calls.push((spend(expense(1..=self.members)), "all share"));
        }
        let mut two = expense(1..=4);
        two["payers"] = json!([{ "userId": "1", "amount": 100 }, { "userId": "2" }]);
        let edit = |body| operation("editExpense").sends(body);
        let spending =
            json!({ "title": "Coffee", "amount": 1, "currency": "EUR", "category": "food" });
        let targets = json!({ "version": 1, "currency": "EUR", "food": 300 });
        calls.extend([
            (spend(two), "four share, two paid"),
            (spend(expense(1..=4)), "four share"),
            (operation("getExpense"), "four share"),
            (operation("getExpenseBreakdown"), ""),
            (operation("previewExpense"), ""),
            (operation("previewExpenseEdit"), ""),
            (edit(json!({ "amount": 360 })), "new amount"),
            (edit(json!({ "splits": expense(1..=3)["splits"] })), "new splits"),
            (operation("listExpenseHistory"), ""),
            (operation("listLedgerEntryHistory"), ""),
            (operation("deleteExpense"), ""),
            (operation("restoreExpense"), ""),
            (operation("updateTargets").sends(targets), ""),
            (operation("createSpending").sends(spending), ""),
            (operation("getSpending"), ""),
            (operation("editSpending").sends(json!({ "amount": 2 })), ""),
            (operation("deleteSpending"), ""),
            (operation("rebuildMyDays").asks(""), ""),
        ]);
        calls.extend(Self::questions());
        calls.extend(self.funds());
        calls
    }
}

/// An expense of these members.
fn expense(members: RangeInclusive<u64>) -> Value {
    let splits: Vec<_> = members.map(|id| json!({ "userId": id.to_string() })).collect();
    json!({ "amount": 180, "description": "Dinner at restaurant", "splits": splits })
}

/// A number of the short history, the long one on one day and the long one over many days: one
/// number if all are the same.
fn cell<T: PartialEq + ToString>(costs: &[Cost; 3], number: impl Fn(&Cost) -> T) -> String {
    let numbers = costs.each_ref().map(number);
    if numbers.iter().all(|it| *it == numbers[0]) {
        numbers[0].to_string()
    } else {
        numbers.map(|number| number.to_string()).join(" ")
    }
}

/// Checks that a longer history makes nothing much more expensive.
fn assert_flat(what: &str, shorter: Cost, longer: Cost) {
    #[expect(clippy::float_arithmetic, reason = "capacity units are not money")]
    let at_most = |more: f64, less: f64| more <= less * 1.1;
    assert!(longer.requests <= shorter.requests, "{what}: {shorter:?}, {longer:?}");
    assert!(at_most(longer.read_units, shorter.read_units), "{what}: {shorter:?}, {longer:?}");
    assert!(at_most(longer.write_units, shorter.write_units), "{what}: {shorter:?}, {longer:?}");
}

/// The costs in a group of so many members: after the short history, after the long one on one day,
/// and after the long one over many days.
async fn costs(members: u64) -> [Vec<Line>; 3] {
    let mut subject = Subject::new(members).await;
    let short = subject.measure().await;
    subject.grow(ENTRIES, 1).await;
    let one_day = subject.measure().await;
    subject.grow(ENTRIES, DAYS).await;
    [short, one_day, subject.measure().await]
}

#[tokio::test(flavor = "multi_thread")]
async fn every_endpoint_stays_within_its_budget_for_any_length_of_history() {
    let mut table =
        "endpoint | members | requests | read units | write units | KB read\n".to_owned();
    let mut measured = BTreeSet::new();
    let groups = [4, 41, 490].map(|members| (members, tokio::spawn(costs(members))));
    for (members, costs) in groups {
        let [short, one_day, many_days] = costs.await.unwrap();
        for ((short, one_day), many_days) in short.into_iter().zip(one_day).zip(many_days) {
            let (operation, what, short) = short;
            measured.insert(operation.id);
            let costs = [short, one_day.2, many_days.2];
            let comma = if what.is_empty() { "" } else { ", " };
            let request = request(&operation);
            let what = format!("{request}{comma}{what} | {members}");
            let [requests, read_units, write_units, kilobytes] = [
                cell(&costs, |cost| cost.requests),
                cell(&costs, |cost| cost.read_units),
                cell(&costs, |cost| cost.write_units),
                cell(&costs, |cost| cost.bytes.div_ceil(1024)),
            ];
            writeln!(table, "{what} | {requests} | {read_units} | {write_units} | {kilobytes}")
                .unwrap();
            let [short, one_day, many_days] = costs;
            assert_flat(&what, one_day, many_days);
            if !BOUNDED.contains(&&*request) {
                assert_flat(&what, short, one_day);
                assert_flat(&what, short, many_days);
            }
        }
    }
    let all: BTreeSet<_> = operations().iter().map(|operation| operation.id).collect();
    let unmeasured: Vec<_> = all.difference(&measured).collect();
    assert_eq!(unmeasured, [&"getOpenApiDocument"]);
    insta::assert_snapshot!(table);
}
