//! The cost of each endpoint at the table, in small and large groups with short and long histories.
//!
//! Round trips are in `round_trips`: their number depends on how parallel requests interleave.

use std::{collections::BTreeSet, fmt::Write, ops::RangeInclusive, time::Duration};

use axum::http::Method;
use fracti_core::time::Timestamp;
use serde_json::{Value, json};

use crate::{
    harness::{Api, Caller},
    import::splitwise,
};

/// Entries by which a history grows, so many that no measured event is the one in 64 that also
/// writes a checkpoint.
const ENTRIES: u64 = 64 * 157 - 20;

/// Days over which a history grows slowly.
const DAYS: u64 = 1_000;

const DAY: Duration = Duration::from_hours(24);

/// Endpoints that read a fixed number of entries, of which a short history has fewer.
const BOUNDED: [&str; 2] = [
    "/api/groups/{groupId}/ledger/balance?at=",
    "/api/groups/{groupId}/ledger/entries?limit=2&userId=1",
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

/// An endpoint, or a kind of request to it, and its cost.
type Line = (Method, &'static str, &'static str, Cost);

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
        let [mut expense, mut settlement, mut guest] = [const { String::new() }; 3];
        let [mut token, mut spending, mut import] = [const { String::new() }; 3];
        let yesterday = Timestamp::from_millis(self.api.now().millis() - 1).unwrap().to_string();
        for (method, route, what, body) in self.calls() {
            let path = route
                .replace("{groupId}", &self.group)
                .replace("{date}", "2026-01-15")
                .replace("{expenseId}", &expense)
                .replace("{entryId}", &expense)
                .replace("{settlementId}", &settlement)
                .replace("{memberId}", &guest)
                .replace("{tokenId}", &token)
                .replace("{spendingId}", &spending)
                .replace("{importId}", &import);
            let path = if path.ends_with("at=") { path + &yesterday } else { path };
            let caller = match (&method, route) {
                (_, "/api/groups/open") => {
                    self.api.user(1_000, "Founder").in_chat(&self.adjustments.to_string())
                }
                (_, "/api/groups/{groupId}/leave") => self.wanderer(),
                (&Method::PATCH, "/api/users/me/targets") => {
                    self.api.user(2_000 + self.adjustments, "Newcomer")
                }
                _ if what == "again" => self.wanderer(),
                // The lists of the members stay as they are.
                (&Method::POST, "/api/groups") => self.api.user(1_000, "Founder"),
                (_, "/api/groups/{groupId}/join") => {
                    self.api.user(2, &format!("Member {}", self.adjustments))
                }
                _ => self.member(1),
            };
            let reply = caller.call(method.clone(), &path, body.as_ref()).await;
            assert!(reply.status.is_success(), "{method} {path}: {}", reply.text);
            if method == Method::POST {
                let id = reply.body["data"]["id"].as_str().unwrap_or_default();
                if let Some(id) = reply.body["data"]["importId"].as_str() {
                    id.clone_into(&mut import);
                }
                match path.rsplit('/').next() {
                    Some("expenses") => id.clone_into(&mut expense),
                    Some("settlements") => id.clone_into(&mut settlement),
                    Some("members") => id.clone_into(&mut guest),
                    Some("tokens") => id.clone_into(&mut token),
                    Some("spendings") => id.clone_into(&mut spending),
                    _ => {}
                }
            }
            let cost = Cost {
                requests: reply.cost.requests,
                read_units: reply.cost.read_units,
                write_units: reply.cost.write_units,
                bytes: reply.bytes_read,
            };
            lines.push((method, route, what, cost));
        }
        lines
    }

    /// The calls of imports.
    fn imports(&self) -> [(Method, &'static str, &'static str, Option<Value>); 5] {
        let [all, one] =
            ["/api/groups/{groupId}/import", "/api/groups/{groupId}/import/{importId}"];
        let tea = format!("Tea {}", self.adjustments);
        let rows = vec![("2026-01-01", "General", &*tea, "EUR", vec![100, -100]); 3];
        let file = splitwise(&["A", "B"], &rows);
        let options = json!({ "commit": true, "members": { "A": "1", "B": "2" } });
        let commit = json!({ "file": file, "options": options });
        [
            (Method::POST, all, "plan", Some(json!({ "file": file }))),
            (Method::POST, all, "three rows", Some(commit)),
            (Method::GET, "/api/groups/{groupId}/imports?limit=2", "", None),
            (Method::GET, one, "", None),
            (Method::DELETE, one, "three rows", None),
        ]
    }

    /// The calls of a measurement: method, route, description and body.
    fn calls(&self) -> Vec<(Method, &'static str, &'static str, Option<Value>)> {
        let gets = [
            "/api/health",
            "/api/groups?limit=2",
            "/api/groups/{groupId}",
            "/api/groups/{groupId}/expenses?limit=2",
            "/api/groups/{groupId}/settlements?limit=2",
            "/api/groups/{groupId}/export?limit=2",
            "/api/groups/{groupId}/export?format=csv&limit=2",
            "/api/groups/{groupId}/debts",
            "/api/groups/{groupId}/ledger/balance",
            "/api/groups/{groupId}/ledger/balance?at=",
            "/api/groups/{groupId}/ledger/days?limit=2",
            "/api/groups/{groupId}/stats?by=day",
            "/api/groups/{groupId}/ledger/entries?limit=2",
            "/api/groups/{groupId}/ledger/entries?limit=2&userId=1",
            "/api/users/me",
            "/api/users/me/groups?limit=2",
            "/api/users/me/expenses?limit=2",
            "/api/users/me/debts?limit=2",
            "/api/users/me/settlements?limit=2",
            "/api/users/me/activity?limit=2",
            "/api/users/me/summary",
            "/api/users/me/targets",
            "/api/users/me/usage",
            "/api/users/me/tokens?limit=2",
            "/api/users/me/days?month=2026-01",
            "/api/users/me/days/{date}",
            "/api/users/me/spendings?limit=2",
            "/api/users/me/spendings?limit=2&from=2026-01-01",
        ];
        let mut calls: Vec<_> = gets.map(|route| (Method::GET, route, "", None)).into();
        let mut add = |method, route, what, body| calls.push((method, route, what, Some(body)));
        let (post, put) = (|| Method::POST, || Method::PUT);
        let wallet = format!("0:{:064}", self.adjustments);
        let change = |user: &str, amount| json!({ "userId": user, "amount": amount });
        let entry = json!({ "entryId": "a", "changes": [change("1", 1), change("2", -1)] });
        let token = json!({ "name": "Phone", "scopes": ["write"], "groupId": self.group });
        add(post(), "/api/users/me/tokens", "of a group", token);
        add(Method::DELETE, "/api/users/me/tokens/{tokenId}", "", json!({}));
        add(post(), "/api/groups", "", json!({ "title": "Flat", "chatId": 1 }));
        add(post(), "/api/groups/{groupId}/join", "another name", json!({}));
        calls.extend(self.imports());
        let mut add = |method, route, what, body| calls.push((method, route, what, Some(body)));
        let guest = format!("Guest {}", self.adjustments);
        add(post(), "/api/groups/{groupId}/members", "", json!({ "name": guest }));
        let guest = format!("Renamed {}", self.adjustments);
        let one = "/api/groups/{groupId}/members/{memberId}";
        add(Method::PATCH, one, "", json!({ "name": guest }));
        let link = "/api/groups/{groupId}/members/{memberId}/link";
        add(post(), link, "", json!({ "userId": "3" }));
        let other = format!("Other {}", self.adjustments);
        add(post(), "/api/groups/{groupId}/members", "another", json!({ "name": other }));
        add(Method::DELETE, one, "", json!({}));
        add(post(), "/api/groups/{groupId}/members/{memberId}/restore", "", json!({}));
        add(post(), "/api/groups/{groupId}/join", "again", json!({}));
        add(post(), "/api/groups/{groupId}/leave", "", json!({}));
        let title = format!("Alps {}", self.adjustments);
        add(Method::PATCH, "/api/groups/{groupId}", "", json!({ "title": title }));
        add(post(), "/api/groups/open", "", json!({}));
        add(put(), "/api/groups/{groupId}/wallet", "", json!({ "wallet": wallet }));
        add(post(), "/api/groups/{groupId}/ledger/entries", "one", json!([entry]));
        add(post(), "/api/groups/{groupId}/ledger/entries/revert", "one", json!(["a"]));
        add(post(), "/api/groups/{groupId}/ledger/entries", "one", json!([entry]));
        add(Method::DELETE, "/api/groups/{groupId}/ledger/entries", "one", json!(["a"]));
        let pending = json!({ "toId": "2", "amount": 1 });
        add(post(), "/api/groups/{groupId}/settlements", "pending", pending);
        let one = "/api/groups/{groupId}/settlements/{settlementId}";
        calls.push((Method::GET, one, "", None));
        calls.push((put(), one, "failed", Some(json!({ "status": "failed" }))));
        let completed = json!({ "fromId": "2", "toId": "1", "amount": 1 });
        calls.push((post(), "/api/groups/{groupId}/settlements", "completed", Some(completed)));
        if self.members <= 45 {
            // But for the guests, of whom each measurement adds one.
            let all = expense(1..=self.members);
            calls.push((post(), "/api/groups/{groupId}/expenses", "all share", Some(all)));
        }
        let mut two = expense(1..=4);
        two["payers"] = json!([{ "userId": "1", "amount": 100 }, { "userId": "2" }]);
        calls.push((post(), "/api/groups/{groupId}/expenses", "four share, two paid", Some(two)));
        let four = Some(expense(1..=4));
        calls.push((post(), "/api/groups/{groupId}/expenses", "four share", four));
        let one = "/api/groups/{groupId}/expenses/{expenseId}";
        calls.push((Method::GET, one, "four share", None));
        let breakdown = "/api/groups/{groupId}/expenses/{expenseId}/breakdown";
        calls.push((Method::GET, breakdown, "", None));
        calls.push((put(), one, "new amount", Some(json!({ "amount": 360 }))));
        calls.push((put(), one, "new splits", Some(json!({ "splits": expense(1..=3)["splits"] }))));
        calls.push((Method::GET, "/api/groups/{groupId}/expenses/{expenseId}/history", "", None));
        calls.push((Method::GET, "/api/groups/{groupId}/ledger/entries/{entryId}", "", None));
        calls.push((Method::DELETE, one, "", None));
        calls.push((
            post(),
            "/api/groups/{groupId}/expenses/{expenseId}/restore",
            "",
            Some(json!({})),
        ));
        calls.extend(of_users());
        calls
    }
}

/// The calls that are about one user alone.
fn of_users() -> Vec<(Method, &'static str, &'static str, Option<Value>)> {
    let targets = json!({ "version": 1, "currency": "EUR", "food": 300 });
    let spending = json!({ "title": "Coffee", "amount": 1, "currency": "EUR", "category": "food" });
    let (all, one) = ("/api/users/me/spendings", "/api/users/me/spendings/{spendingId}");
    vec![
        (Method::PATCH, "/api/users/me/targets", "", Some(targets)),
        (Method::POST, all, "", Some(spending)),
        (Method::GET, one, "", None),
        (Method::PUT, one, "", Some(json!({ "amount": 2 }))),
        (Method::DELETE, one, "", None),
        (Method::POST, "/api/users/me/days/rebuild", "", None),
    ]
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

/// The endpoints of the OpenAPI document, but for the document itself.
fn described() -> BTreeSet<String> {
    let document: Value = serde_json::from_str(include_str!("../../openapi.json")).unwrap();
    let paths = document["paths"].as_object().unwrap().iter();
    let methods = paths.flat_map(|(path, methods)| {
        methods.as_object().unwrap().keys().map(move |it| format!("{} {path}", it.to_uppercase()))
    });
    methods.filter(|endpoint| endpoint != "GET /api/openapi.json").collect()
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
    let groups = [4, 41, 490].map(|members| (members, tokio::spawn(costs(members))));
    for (members, costs) in groups {
        let [short, one_day, many_days] = costs.await.unwrap();
        for ((short, one_day), many_days) in short.into_iter().zip(one_day).zip(many_days) {
            let (method, route, what, short) = short;
            let costs = [short, one_day.3, many_days.3];
            let comma = if what.is_empty() { "" } else { ", " };
            let what = format!("{method} {route}{comma}{what} | {members}");
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
            if !BOUNDED.contains(&route) {
                assert_flat(&what, short, one_day);
                assert_flat(&what, short, many_days);
            }
        }
    }
    let endpoint = |line: &str| line.split(['?', ',', '|']).next().unwrap().trim().to_owned();
    let measured: BTreeSet<_> = table.lines().skip(1).map(endpoint).collect();
    assert_eq!(measured, described());
    insta::assert_snapshot!(table);
}
