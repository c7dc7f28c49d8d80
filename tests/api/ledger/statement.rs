//! The ledger at any moment: balances, statement and days agree with each other, and with the
//! responses at that time.

use std::{collections::BTreeMap, time::Duration};

use aws_sdk_dynamodb::types::AttributeValue;
use fastrand::Rng;
use fracti_core::values::time::Timestamp;
use serde_json::{Value, json};

use crate::harness::{Api, Caller, Group, number};

/// A group's balances, as read at a moment.
struct Seen {
    at: String,
    sequence: u64,
    balances: Value,
}

/// A group with a random past of several days and all kinds of events.
struct Past {
    group: Group,
    seen: Vec<Seen>,
    /// The rows of history, as first written.
    history: BTreeMap<(String, String), BTreeMap<String, AttributeValue>>,
    expenses: Vec<String>,
    deleted: Vec<String>,
    adjustments: Vec<String>,
}

impl Past {
    async fn new(seed: u64) -> Self {
        let group = Group::new(4, "EUR").await;
        let mut past = Self {
            group,
            seen: Vec::new(),
            history: BTreeMap::new(),
            expenses: Vec::new(),
            deleted: Vec::new(),
            adjustments: Vec::new(),
        };
        let mut rng = Rng::with_seed(seed);
        for number in 0..40 {
            past.act(&mut rng, number).await;
            past.see().await;
            // Often immediately, sometimes after a day or a month without events.
            let hours = [0, 0, 0, 1, 5, 26, 24 * 33][rng.usize(..7)];
            past.group.api.pass(Duration::from_secs(hours * 3600 + rng.u64(..2)));
        }
        past
    }

    /// A member with current init data.
    fn member(&self, number: u64) -> Caller {
        self.group.api.user(
            number,
            "ABCD".get(usize::try_from(number).unwrap() - 1..).unwrap().get(..1).unwrap(),
        )
    }

    async fn act(&mut self, rng: &mut Rng, number: usize) {
        let alice = self.member(1);
        let group = &self.group;
        let currency = ["EUR", "TON", "JPY"][rng.usize(..3)];
        let amount = rng.u32(1..10_000);
        let other = rng.u64(2..=4).to_string();
        let path = |id: &str| group.path(&format!("/expenses/{id}"));
        match rng.u32(..10) {
            0..3 => {
                let body = json!({ "amount": amount, "currency": currency, "description": "x",
                    "payerId": other });
                let made = alice.post(&group.path("/expenses"), body).await;
                self.expenses.push(made.data(201)["id"].as_str().unwrap().to_owned());
            }
            3 => {
                let body =
                    json!({ "fromId": other, "toId": "1", "amount": amount, "currency": currency });
                alice.post(&group.path("/settlements"), body).await.data(201);
            }
            4 => {
                // A pending settlement moves nothing, but is an event.
                let body = json!({ "toId": other, "amount": amount });
                alice.post(&group.path("/settlements"), body).await.data(201);
            }
            5 if !self.expenses.is_empty() => {
                let id = &self.expenses[rng.usize(..self.expenses.len())];
                let body = json!({ "amount": amount, "currency": currency, "payerId": other });
                alice.put(&path(id), body).await.data(200);
            }
            6 if !self.expenses.is_empty() => {
                let id = self.expenses.swap_remove(rng.usize(..self.expenses.len()));
                alice.delete(&path(&id)).await.data(200);
                self.deleted.push(id);
            }
            7 if !self.deleted.is_empty() => {
                let id = self.deleted.swap_remove(rng.usize(..self.deleted.len()));
                alice.post(&format!("{}/restore", path(&id)), json!({})).await.data(200);
                self.expenses.push(id);
            }
            8 if !self.adjustments.is_empty() => {
                let names =
                    json!([self.adjustments.swap_remove(rng.usize(..self.adjustments.len()))]);
                alice.post(&group.path("/ledger/entries/revert"), names).await.data(200);
            }
            _ => {
                // Two entries of one moment.
                let adjust = |name: String| {
                    json!({ "entryId": name, "changes": [
                    { "userId": "1", "currency": currency, "amount": amount },
                    { "userId": other, "currency": currency, "amount": -i64::from(amount) },
                ] })
                };
                let names = [number.to_string(), format!("again {}", number % 5)];
                let body = json!(names.clone().map(adjust));
                let reply = alice.post(&group.path("/ledger/entries"), body).await;
                let applied = reply.data(200)["applied"].as_array().unwrap().iter();
                let applied = applied.map(|entry| entry["entryId"].as_str().unwrap().to_owned());
                self.adjustments.extend(applied);
            }
        }
    }

    /// Records the current balances, and checks that no history was rewritten.
    async fn see(&mut self) {
        let now = self.member(2).get(&self.group.path("/ledger/balance")).await;
        let now = now.data(200);
        let seen = Seen {
            at: now["asOf"].as_str().unwrap().to_owned(),
            sequence: now["sequence"].as_u64().unwrap(),
            balances: now["balances"].clone(),
        };
        self.seen.push(seen);
        for (key, row) in self.group.api.rows().await {
            let (pk, sk) = &key;
            let past = ["HISTORY#", "DAY#", "CHECKPOINT#"];
            if pk.starts_with("LEDGER#") && past.iter().any(|prefix| sk.starts_with(prefix)) {
                let first = self.history.entry(key.clone()).or_insert_with(|| row.clone());
                assert_eq!(first, &row, "{key:?} was rewritten");
            }
        }
        self.group.verify().await;
    }
}

/// Balances without those of all zeros: a currency that was unknown then is not shown.
fn moved(balances: &Value) -> Vec<Value> {
    let zero =
        |line: &&Value| ["paid", "owed", "sent", "received"].iter().any(|total| line[*total] != 0);
    balances.as_array().unwrap().iter().filter(zero).cloned().collect()
}

/// The change of a member's balance by an entry, by currency, in nanos.
fn net(entry: &Value, user: &str) -> BTreeMap<String, i128> {
    let mut nets = BTreeMap::new();
    for change in entry["changes"].as_array().unwrap().iter().filter(|it| it["userId"] == user) {
        let total = |name: &str| change.get(name).map_or(0, nanos);
        let net = total("paid") - total("owed") + total("sent") - total("received");
        nets.insert(change["currency"].as_str().unwrap().to_owned(), net);
    }
    nets
}

fn nanos(value: &Value) -> i128 {
    number(value).at_scale(9).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn past_balances_are_those_that_were_read_then() {
    let seed = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok());
    let seeds = seed.map_or(1..4, |seed: u64| seed..seed + 1);
    for seed in seeds {
        let past = Past::new(seed).await;
        let group = &past.group;
        let carol = past.member(3);
        let balance = |query: String| {
            let carol = &carol;
            let path = group.path(&format!("/ledger/balance?{query}"));
            async move { carol.get(&path).await }
        };
        for seen in &past.seen {
            let then = balance(format!("at={}", seen.at)).await;
            // The group, the members, the balance; the checkpoint, and the entries before and
            // after.
            assert!(then.cost.requests <= 6, "SEED={seed} {}", then.cost);
            let then = then.data(200);
            let place = format!("SEED={seed} at {}", seen.at);
            assert_eq!(moved(&then["balances"]), moved(&seen.balances), "{place}");
            assert_eq!(then["sequence"], seen.sequence, "{place}");
            assert_eq!(then["asOf"], seen.at, "{place}");
        }
        let before = balance("at=2026-01-15T11:59:59.999Z&userId=1".to_owned()).await;
        let zeros = json!([{ "userId": "1", "name": "A", "currency": "EUR",
            "paid": 0, "owed": 0, "sent": 0, "received": 0, "net": 0 }]);
        assert_eq!(
            (&before.data(200)["balances"], &before.body["data"]["sequence"]),
            (&zeros, &json!(0))
        );
        let future = balance("at=2099-01-01T00:00:00Z".to_owned()).await;
        let last = past.seen.last().unwrap();
        assert_eq!(future.data(200)["balances"], last.balances, "SEED={seed}");

        check_statement(&past, seed).await;
        check_days(&past, seed).await;
    }
}

async fn check_statement(past: &Past, seed: u64) {
    let entries = past.group.path("/ledger/entries");
    let carol = past.member(3);
    let asc = carol.pages(&format!("{entries}?order=asc"), 100).await;
    let sequences: Vec<_> = asc.iter().map(|entry| entry["sequence"].as_u64().unwrap()).collect();
    let all = past.seen.last().unwrap().sequence;
    assert_eq!(sequences, (0..all).collect::<Vec<_>>(), "SEED={seed}");
    let mut desc = asc.clone();
    desc.reverse();
    for limit in [1, 2, 3, 7, 99] {
        assert_eq!(carol.pages(&format!("{entries}?order=asc"), limit).await, asc, "SEED={seed}");
        assert_eq!(carol.pages(&entries, limit).await, desc, "SEED={seed} {limit}");
    }
    // Periods between two recorded moments.
    let mut rng = Rng::with_seed(seed);
    for _ in 0..8 {
        let [one, other] = [0, 1].map(|_| rng.usize(..past.seen.len()));
        let from = &past.seen[one.min(other)].at;
        let to = &past.seen[one.max(other)].at;
        let between = |entry: &&Value| {
            let at = entry["createdAt"].as_str().unwrap();
            from.as_str() <= at && at <= to.as_str()
        };
        for (order, entries_in_order) in [("asc", &asc), ("desc", &desc)] {
            let expected: Vec<_> = entries_in_order.iter().filter(between).cloned().collect();
            let path = format!("{entries}?order={order}&from={from}&to={to}");
            for limit in [2, 100] {
                assert_eq!(carol.pages(&path, limit).await, expected, "SEED={seed} {path} {limit}");
            }
        }
    }
    // A member's balance after each entry is the sum of its changes so far.
    for user in ["1", "4"] {
        let mine = carol.pages(&format!("{entries}?order=asc&userId={user}"), 3).await;
        let concerned = asc.iter().filter(|entry| !net(entry, user).is_empty());
        let (mut sums, mut count) = (BTreeMap::<String, i128>::new(), 0);
        for (entry, line) in concerned.zip(&mine) {
            count += 1;
            assert_eq!(entry["sequence"], line["sequence"], "SEED={seed}");
            for (currency, net) in net(entry, user) {
                *sums.entry(currency).or_default() += net;
            }
            for (currency, sum) in &sums {
                let reported = nanos(&line["balance"][currency]);
                assert_eq!(reported, *sum, "SEED={seed} {line}: {currency}");
            }
        }
        assert_eq!(count, mine.len(), "SEED={seed}");
        let mut back = carol.pages(&format!("{entries}?userId={user}"), 3).await;
        back.reverse();
        let balances = |lines: &[Value]| {
            let zero = |balances: &Value| {
                let balances = balances.as_object().unwrap().iter();
                balances
                    .filter(|(_, net)| **net != 0)
                    .map(|(c, net)| (c.clone(), net.clone()))
                    .collect()
            };
            lines
                .iter()
                .map(|line| zero(&line["balance"]))
                .collect::<Vec<BTreeMap<String, Value>>>()
        };
        assert_eq!(balances(&back), balances(&mine), "SEED={seed}");
    }
}

async fn check_days(past: &Past, seed: u64) {
    let days = past.group.path("/ledger/days");
    let carol = past.member(3);
    let all = carol.pages(&days, 100).await;
    let mut last_of_day: BTreeMap<&str, &Seen> = BTreeMap::new();
    for seen in &past.seen {
        last_of_day.insert(&seen.at[..10], seen);
    }
    let reported: BTreeMap<&str, &Value> =
        all.iter().map(|day| (day["day"].as_str().unwrap(), day)).collect();
    for (day, reported) in &reported {
        let seen = last_of_day[day];
        assert_eq!(moved(&reported["balances"]), moved(&seen.balances), "SEED={seed} {day}");
        assert_eq!(reported["sequence"], seen.sequence, "SEED={seed} {day}");
    }
    assert!(!reported.is_empty());
    for limit in [1, 3] {
        assert_eq!(carol.pages(&days, limit).await, all, "SEED={seed}");
    }
    let (first, last) =
        (all[0]["day"].as_str().unwrap(), all[all.len() / 2]["day"].as_str().unwrap());
    let part = carol.pages(&format!("{days}?from={first}&to={last}"), 2).await;
    assert_eq!(part, all[..=all.len() / 2], "SEED={seed}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn statement_of_a_period_is_the_whole_statement_filtered() {
    let seed = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok());
    let seeds = seed.map_or(10..11, |seed: u64| seed..seed + 1);
    for seed in seeds {
        let past = Past::new(seed).await;
        let entries = past.group.path("/ledger/entries");
        let carol = past.member(3);
        let mut rng = Rng::with_seed(seed);
        for user in ["", "&userId=1", "&userId=4"] {
            let pages = async |path: &str, limit| {
                let mut entries = carol.pages(path, limit).await;
                entries.iter_mut().for_each(drop_zeros);
                entries
            };
            let whole = pages(&format!("{entries}?order=asc{user}"), 100).await;
            let moments: Vec<Timestamp> = whole.iter().map(created_at).collect();
            for _ in 0..8 {
                let period = Period::random(&mut rng, &moments, past.group.api.now());
                let inside = |entry: &&Value| period.has(created_at(entry));
                let mut expected: Vec<_> = whole.iter().filter(inside).cloned().collect();
                // Small pages only for short periods, because each page takes several requests.
                let limit = [1, 2, 5, 100][rng.usize(..4)].max(expected.len() / 4);
                let query = format!("{}{user}", period.query());
                let path = format!("{entries}?order=asc{query}");
                let place = format!("SEED={seed} {path} limit {limit}");
                assert_eq!(pages(&path, limit).await, expected, "{place}");
                expected.reverse();
                let path = format!("{entries}?order=desc{query}");
                assert_eq!(pages(&path, limit).await, expected, "{place}, newest first");
            }
        }
    }
}

/// Drops zero balances, which depend on where the page began.
fn drop_zeros(entry: &mut Value) {
    if let Some(balances) = entry.get_mut("balance").and_then(Value::as_object_mut) {
        balances.retain(|_, balance| *balance != 0);
    }
}

fn created_at(entry: &Value) -> Timestamp {
    entry["createdAt"].as_str().unwrap().parse().unwrap()
}

/// A period of a statement, with the text of its ends as a client gives them.
#[derive(Debug)]
struct Period {
    from: Option<(String, Timestamp)>,
    to: Option<(String, Timestamp)>,
}

impl Period {
    /// A random period whose ends are at, between, before or after the moments; some are days.
    fn random(rng: &mut Rng, moments: &[Timestamp], now: Timestamp) -> Self {
        const DAY: u64 = 24 * 60 * 60 * 1_000;
        let (first, last) =
            (moments[0].millis(), moments.last().unwrap().millis().max(now.millis()));
        let mut end = |begins: bool| {
            let millis = match rng.u32(..6) {
                0 => return None,
                1 => rng.u64(first - 3 * DAY..first),
                2 => rng.u64(last..last + 60 * DAY),
                3 => moments[rng.usize(..moments.len())].millis() + rng.u64(..3) - 1,
                _ => rng.u64(first..=last),
            };
            let at = Timestamp::from_millis(millis).unwrap();
            if rng.bool() {
                return Some((at.to_string(), at));
            }
            let edge = if begins { at.day().start() } else { at.day().end() };
            Some((at.to_string()[..10].to_owned(), edge))
        };
        loop {
            let from = end(true);
            let to = end(false);
            let empty = from.as_ref().zip(to.as_ref()).is_some_and(|(from, to)| from.1 > to.1);
            if !empty {
                return Self { from, to };
            }
        }
    }

    fn has(&self, at: Timestamp) -> bool {
        self.from.as_ref().is_none_or(|(_, from)| *from <= at)
            && self.to.as_ref().is_none_or(|(_, to)| at <= *to)
    }

    fn query(&self) -> String {
        let end = |name: &str, end: &Option<(String, Timestamp)>| {
            end.as_ref().map(|(text, _)| format!("&{name}={text}")).unwrap_or_default()
        };
        end("from", &self.from) + &end("to", &self.to)
    }
}

#[tokio::test]
async fn cursor_continues_only_its_own_statement() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    for amount in 1..6 {
        group.spend(0, json!({ "amount": amount })).await;
    }
    let other = Group::of(&group.api, 1, "EUR").await;
    let cursor = |page: &str| {
        let path = group.path(page);
        async move {
            let page = alice.get(&path).await;
            page.body["pagination"]["nextCursor"].as_str().unwrap().to_owned()
        }
    };
    let statement = cursor("/ledger/entries?limit=2&userId=2").await;
    let entries = |query: &str| group.path(&format!("/ledger/entries?cursor={statement}{query}"));
    alice.get(&entries("&userId=2&order=desc&limit=1")).await.data(200);
    for query in [
        "",
        "&userId=1",
        "&userId=2&order=asc",
        "&userId=2&from=2026-01-01",
        "&userId=2&to=2027-01-01",
    ] {
        let reply = alice.get(&entries(query)).await;
        assert_eq!(reply.code(), (400, "INVALID_CURSOR"), "{query}");
    }
    let elsewhere = other.path(&format!("/ledger/entries?userId=2&cursor={statement}"));
    assert_eq!(alice.get(&elsewhere).await.code(), (400, "INVALID_CURSOR"));
    let days = group.path(&format!("/ledger/days?cursor={statement}"));
    assert_eq!(alice.get(&days).await.code(), (400, "INVALID_CURSOR"));
}

#[tokio::test]
async fn page_costs_the_same_for_any_number_of_days() {
    let group = Group::of(&Api::embedded().await, 2, "EUR").await;
    let spend = async |days: u64| {
        group.api.pass(Duration::from_hours(24 * days));
        let alice = group.api.user(1, "A");
        let body = json!({ "amount": 1, "description": "x" });
        alice.post(&group.path("/expenses"), body).await.data(201);
    };
    for days in [0, 1, 1, 1] {
        spend(days).await;
    }
    let near = group.api.user(1, "A").get(&group.path("/ledger/entries")).await.cost;
    let far = Group::of(&Api::embedded().await, 2, "EUR").await;
    for days in [0, 365, 365, 365] {
        far.api.pass(Duration::from_hours(24 * days));
        let body = json!({ "amount": 1, "description": "x" });
        far.api.user(1, "A").post(&far.path("/expenses"), body).await.data(201);
    }
    let alice = far.api.user(1, "A");
    let apart = alice.get(&far.path("/ledger/entries")).await;
    assert_eq!(apart.data(200).as_array().unwrap().len(), 4);
    assert_eq!(apart.cost, near, "{} and {near}", apart.cost);
    assert!(apart.cost.round_trips <= 2, "{}", apart.cost);
    let old = alice.get(&far.path("/ledger/balance?at=2027-06-01T00:00:00Z")).await;
    assert_eq!(old.body["data"]["sequence"], 2);
    assert!(old.cost.round_trips <= 2, "{}", old.cost);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn past_balance_of_a_busy_day_reads_fewer_than_65_entries() {
    let group = Group::of(&Api::embedded().await, 2, "EUR").await;
    let path = group.path("/ledger/entries");
    let mut moments = Vec::new();
    for batch in 0..12 {
        let entry = |number: u64| {
            json!({ "entryId": format!("{batch} {number}"), "changes": [
                { "userId": "1", "amount": 1 }, { "userId": "2", "amount": -1 } ] })
        };
        // Sizes that meet, miss and cross the multiples of 64.
        let entries: Vec<Value> = (0..[1, 63, 40, 90][batch % 4]).map(entry).collect();
        let reply = group.members[0].post(&path, json!(entries)).await;
        let applied = reply.data(200)["applied"].as_array().unwrap();
        moments.push(created_at(applied.last().unwrap()));
    }
    let read = async |at: &Timestamp| {
        group.members[1].get(&group.path(&format!("/ledger/balance?at={at}"))).await
    };
    let mut costs = Vec::new();
    for at in &moments {
        let balance = read(at).await;
        let net = &balance.data(200)["balances"][0]["net"];
        assert_eq!(net.as_u64(), balance.body["data"]["sequence"].as_u64(), "{at}");
        costs.push(balance.cost.read_units);
    }
    // 64 entries of two changes have less than 32 KB, and the other rows less than 4 KB each.
    assert!(costs.iter().all(|units| *units <= 12.0), "{costs:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn page_read_during_writes_shows_each_entry_with_its_balance() {
    let group = Group::new(2, "EUR").await;
    let path = group.path("/ledger/entries");
    let writer = group.members[0].clone();
    let writing = tokio::spawn({
        let path = path.clone();
        async move {
            for number in 0..30 {
                let body = json!([{ "entryId": number.to_string(), "changes": [
                    { "userId": "1", "amount": 1 }, { "userId": "2", "amount": -1 } ] }]);
                writer.post(&path, body).await.data(200);
            }
        }
    });
    let reader = &group.members[1];
    while !writing.is_finished() {
        let page = reader.get(&format!("{path}?userId=1&limit=5")).await;
        for entry in page.data(200).as_array().unwrap() {
            let count = entry["sequence"].as_u64().unwrap() + 1;
            assert_eq!(entry["balance"]["EUR"], count, "{entry}");
        }
    }
    writing.await.unwrap();
    group.verify().await;
}

#[tokio::test]
async fn statement_needs_a_member_as_reader_and_as_filter() {
    let group = Group::new(2, "EUR").await;
    group.spend(0, json!({ "amount": 4 })).await;
    let stranger = group.api.user(77, "X");
    let path = group.path("/ledger/entries?to=2026-01-20");
    let refused = stranger.get(&path).await;
    assert_eq!(refused.code(), (403, "NOT_A_MEMBER"));
    assert!(refused.cost.requests <= 5, "{}", refused.cost);

    let unknown = group.members[0].get(&group.path("/ledger/entries?userId=424242")).await;
    assert_eq!(unknown.code(), (400, "VALIDATION_ERROR"));
    assert_eq!(
        unknown.body["details"][0],
        json!({ "path": "userId", "message": "userId must be the id of a member of the group" })
    );
    let stranger = stranger.get(&group.path("/ledger/entries?userId=424242")).await;
    assert_eq!(stranger.code(), (403, "NOT_A_MEMBER"));
}
