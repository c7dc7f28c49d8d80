//! A user that acts at random, and records each outcome.

use std::{
    fmt::Debug,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::SeqCst},
    },
    time::Duration,
};

use axum::http::Method;
use fastrand::Rng;
use fracti_core::{
    caller::telegram::User,
    split::SplitType,
    values::{currency::Currency, time::Timestamp},
};
use serde_json::Value;

use super::{
    Finding, Journal, Operation, Outcome, Receipt, SettlementUpdate, SpentOn, Split,
    journal::KnownSettlement, world::TOKEN,
};
use crate::client::{self, Reply, Transport};

/// Currencies with zero, two, three and nine decimals.
const CURRENCIES: [&str; 4] = ["JPY", "EUR", "KWD", "TON"];

/// Dates of expenses.
const DATES: [&str; 3] = ["2025-12-31", "2026-01-01", "2026-02-28"];

/// Maximum number of payers of an expense.
const MAX_PAYERS: i64 = 3;

/// Retries of a request without a response.
const RETRIES: usize = 3;

/// One user of the API.
#[derive(Clone, Debug)]
pub struct Actor {
    /// The Telegram user id.
    pub user: u64,
    pub(super) transport: Transport,
    pub(super) clock: Arc<AtomicU64>,
    pub(super) journal: Arc<Journal>,
    pub(super) rng: Rng,
    /// Whether there are no faults, so that no request may fail as unavailable.
    pub(super) undisturbed: bool,
}

impl Actor {
    /// A user of the API behind `transport`, with the time of `clock`.
    #[must_use]
    pub fn new(
        transport: Transport,
        clock: Arc<AtomicU64>,
        journal: Arc<Journal>,
        user: u64,
        seed: u64,
    ) -> Self {
        Self { user, transport, clock, journal, rng: Rng::with_seed(seed), undisturbed: false }
    }

    /// Creates a group, with retries until it succeeds.
    pub async fn create_group(&mut self) -> String {
        let title = format!("Group {}", self.journal.unique_tag());
        let made = self.until_done(Operation::CreateGroup { title }).await;
        made["id"].as_str().unwrap_or_default().to_owned()
    }

    /// Joins a group, with retries until it succeeds.
    pub async fn join(&mut self, group: &str) {
        self.until_done(Operation::Join { group: group.to_owned() }).await;
    }

    /// Performs an operation with an idempotency key and retries until it is done.
    async fn until_done(&mut self, operation: Operation) -> Value {
        let key = Some(format!("retry-{}", self.journal.unique_tag()));
        let place = self.journal.begin(self.user, operation.clone(), key.clone());
        loop {
            let outcome = self.ask(&operation, key.as_deref()).await;
            match outcome {
                Outcome::Unknown => {}
                Outcome::Refused(ref code) if code == "CONFLICT" => {}
                _ => {
                    self.journal.end(place, outcome.clone());
                    return if let Outcome::Done(data) = outcome { data } else { Value::Null };
                }
            }
        }
    }

    /// Advances the clock of the run.
    ///
    /// # Panics
    ///
    /// If the duration overflows.
    pub fn pass(&self, time: Duration) {
        self.clock.fetch_add(u64::try_from(time.as_millis()).unwrap(), SeqCst);
    }

    /// Performs a random operation.
    pub async fn act(&mut self) {
        let moment = self.rng.u64(0..3);
        self.pass(Duration::from_millis(moment));
        let groups = self.journal.groups(self.user);
        let Some(group) = self.rng.choice(groups) else {
            self.journal.find(Finding::Lost(format!("user {} is in no group", self.user)));
            return;
        };
        match self.rng.u32(0..100) {
            0..4 => {
                let title = format!("Group {}", self.journal.unique_tag());
                self.perform(Operation::CreateGroup { title }).await;
            }
            4..8 => self.perform(Operation::Join { group }).await,
            8..36 => self.spend(group).await,
            36..45 => self.delete(&group).await,
            45..54 => self.edit(&group).await,
            54..60 => self.restore(&group).await,
            60..68 => self.adjust(group).await,
            68..70 => self.revert_adjustments(&group).await,
            70..78 => self.pay(group).await,
            78..83 => self.settle(&group).await,
            83..88 => self.race(&group).await,
            88..94 => self.read_group(&group).await,
            _ => self.send_forged_request(&group).await,
        }
    }

    pub(super) async fn spend(&mut self, group: String) {
        let members = self.journal.members(&group);
        let minor = self.amount();
        let operation = Operation::Spend {
            group,
            label: format!("Expense {}", self.journal.unique_tag()),
            payers: self.payers(&members, minor),
            minor,
            currency: self.currency(),
            split: self.split(&members, minor),
            spent_on: self.spent_on(),
        };
        self.perform(operation).await;
    }

    /// One of few days and categories, so that expenses share tallies.
    fn spent_on(&mut self) -> SpentOn {
        let date = self.rng.choice(DATES).unwrap();
        SpentOn { date, category: self.rng.choice([None, Some("food"), Some("rent")]).unwrap() }
    }

    /// A random amount of an expense, at least one minor unit for each payer; some are negative.
    fn amount(&mut self) -> i64 {
        let minor = self.rng.i64(MAX_PAYERS..1_000_000);
        if self.rng.u32(0..6) == 0 { -minor } else { minor }
    }

    /// One payer or several.
    fn payers(&mut self, members: &[u64], minor: i64) -> Vec<(u64, i64)> {
        let mut users = members.to_vec();
        self.rng.shuffle(&mut users);
        users.truncate(usize::try_from(self.rng.i64(1..=MAX_PAYERS)).unwrap());
        self.payments(users, minor)
    }

    /// Amount that each payer paid, at least one minor unit.
    fn payments(&mut self, users: Vec<u64>, minor: i64) -> Vec<(u64, i64)> {
        let sign = minor.signum();
        let rest = minor - sign * i64::try_from(users.len()).unwrap();
        self.parts(users, rest).into_iter().map(|(user, part)| (user, part + sign)).collect()
    }

    fn split(&mut self, members: &[u64], minor: i64) -> Split {
        let mut users = members.to_vec();
        self.rng.shuffle(&mut users);
        users.truncate(self.rng.usize(1..=members.len()));
        if self.rng.u32(0..4) == 0 {
            return Split::Everybody;
        }
        // A new split type is drawn as well.
        match self.rng.choice(SplitType::WORDS).unwrap().parse().unwrap() {
            SplitType::Equal => Split::Equal(users),
            SplitType::Exact => Split::Exact(self.parts(users, minor)),
            SplitType::Percentage => Split::Percentage(self.parts(users, 1_000_000)),
            SplitType::Shares => {
                let mut weights = self.parts(users, 50_000);
                weights[0].1 += 1;
                Split::Shares(weights)
            }
            SplitType::Adjustment => {
                // Together at most half of the amount, so that each share keeps its sign.
                let most = minor.abs() / i64::try_from(2 * users.len()).unwrap();
                let adjustment = |user| (user, self.rng.i64(-most..=most));
                Split::Adjustment(users.into_iter().map(adjustment).collect())
            }
            SplitType::Itemized => Split::Itemized(self.receipt(&users, minor)),
        }
    }

    /// Random lines that sum to `minor`. The first item has an amount, so that the tax on the items
    /// can be divided.
    fn receipt(&mut self, users: &[u64], minor: i64) -> Receipt {
        let tax = minor / 10;
        let mut items = Vec::new();
        for (_, part) in self.parts(vec![0; 3], minor - tax) {
            let sharers = self.rng.choose_multiple(users, self.rng.clone().usize(1..=users.len()));
            let sharers = sharers.into_iter().map(|user| (*user, self.rng.i64(1..4)));
            items.push((part, sharers.collect()));
        }
        Receipt { items, tax, rest: self.rng.bool() }
    }

    /// Random parts that sum to `whole` and have its sign; some may be zero.
    fn parts(&mut self, users: Vec<u64>, whole: i64) -> Vec<(u64, i64)> {
        let mut left = whole.abs();
        let last = users.len() - 1;
        let part = |(index, user): (usize, u64)| {
            let part = if index == last { left } else { self.rng.i64(0..=left) };
            left -= part;
            (user, part * whole.signum())
        };
        users.into_iter().enumerate().map(part).collect()
    }

    async fn delete(&mut self, group: &str) {
        let Some(known) = self.rng.choice(self.journal.expenses(group)) else { return };
        let operation =
            Operation::Delete { group: known.group, expense: known.id, owners: known.owners };
        self.perform(operation).await;
    }

    async fn edit(&mut self, group: &str) {
        let Some(known) = self.rng.choice(self.journal.expenses(group)) else { return };
        let minor = self.amount();
        let operation = Operation::Edit {
            group: known.group,
            expense: known.id,
            owners: known.owners,
            label: format!("Expense {}", self.journal.unique_tag()),
            payers: self.payments(known.payers, minor),
            minor,
            currency: known.currency,
            spent_on: self.spent_on(),
        };
        self.perform(operation).await;
    }

    async fn restore(&mut self, group: &str) {
        let Some(known) = self.rng.choice(self.journal.expenses(group)) else { return };
        let operation =
            Operation::Restore { group: known.group, expense: known.id, owners: known.owners };
        self.perform(operation).await;
    }

    async fn adjust(&mut self, group: String) {
        let mut members = self.journal.members(&group);
        self.rng.shuffle(&mut members);
        let [plus, minus, ..] = *members else { return };
        let name = if self.rng.bool() {
            self.colliding_name(&group)
        } else {
            format!("Adjustment {}", self.journal.unique_tag())
        };
        let operation = Operation::Adjust {
            group,
            names: vec![name],
            between: [plus, minus],
            minor: self.rng.i64(1..1_000_000),
            currency: self.currency(),
        };
        self.perform(operation).await;
    }

    async fn revert_adjustments(&mut self, group: &str) {
        let Some(known) = self.rng.choice(self.journal.adjustments(group)) else { return };
        let group = group.to_owned();
        let names = vec![known.name];
        self.perform(Operation::Revert { group, names, owners: known.owners }).await;
    }

    async fn pay(&mut self, group: String) {
        let members = self.journal.members(&group);
        let others = members.iter().copied().filter(|it| *it != self.user);
        let Some(other) = self.rng.choice(others.collect::<Vec<_>>()) else { return };
        let (from, to) = if self.rng.bool() { (self.user, other) } else { (other, self.user) };
        let unique_tag = self.journal.unique_tag();
        // Some settlements name the same transaction; the second is refused. Only the payer names
        // one.
        let hash = match self.rng.u32(0..6) {
            _ if from != self.user => None,
            0 => Some(format!("{:064x}", unique_tag / 8)),
            1 => Some(format!("{unique_tag:064x}")),
            _ => None,
        };
        let minor = i64::try_from(unique_tag).unwrap() + 10_000 * self.rng.i64(0..50);
        let currency = self.currency();
        self.perform(Operation::Pay { group, from, to, minor, currency, hash }).await;
    }

    async fn settle(&mut self, group: &str) {
        let Some(known) = self.rng.choice(self.journal.settlements(group)) else { return };
        let KnownSettlement { group, id: settlement, from, to } = known;
        let update = match self.rng.u32(0..4) {
            0 => SettlementUpdate::Fail,
            1 => SettlementUpdate::Attach(format!("{:064x}", self.journal.unique_tag())),
            _ => SettlementUpdate::Complete,
        };
        self.perform(Operation::Settle { group, settlement, from, to, update }).await;
    }

    /// The payer fails a settlement while the recipient completes it.
    async fn race(&mut self, group: &str) {
        let Some(known) = self.rng.choice(self.journal.settlements(group)) else { return };
        let KnownSettlement { group, id: settlement, from, to } = known;
        let settle = |update| {
            let group = group.clone();
            let settlement = settlement.clone();
            Operation::Settle { group, settlement, from, to, update }
        };
        let mut payer = self.be(from);
        let mut recipient = self.be(to);
        tokio::join!(
            payer.perform(settle(SettlementUpdate::Fail)),
            recipient.perform(settle(SettlementUpdate::Complete)),
        );
    }

    pub(super) fn currency(&mut self) -> Currency {
        self.rng.choice(CURRENCIES).unwrap().parse().unwrap()
    }

    /// Creates an expense that all members share, and returns the outcome.
    ///
    /// # Panics
    ///
    /// If a response is not JSON.
    pub async fn spend_equally(&mut self, group: &str) -> Outcome {
        let operation = Operation::Spend {
            group: group.to_owned(),
            label: format!("Expense {}", self.journal.unique_tag()),
            payers: vec![(self.user, 100)],
            minor: 100,
            currency: CURRENCIES[1].parse().unwrap(),
            split: Split::Everybody,
            spent_on: SpentOn { date: DATES[0], category: None },
        };
        let place = self.journal.begin(self.user, operation.clone(), None);
        let outcome = self.ask(&operation, None).await;
        self.journal.end(place, outcome.clone());
        outcome
    }

    /// Performs an operation as clients do: once, with retries, twice concurrently, with an
    /// idempotency key or without.
    pub(super) async fn perform(&mut self, operation: Operation) {
        let keyed = operation.name().is_some() && self.rng.u32(0..3) > 0;
        let key = keyed.then(|| format!("key-{}", self.journal.unique_tag()));
        let place = self.journal.begin(self.user, operation.clone(), key.clone());
        let key = key.as_deref();
        let twice = keyed && self.rng.u32(0..6) == 0;
        let mut outcome = if twice {
            let (one, two) = tokio::join!(self.ask(&operation, key), self.ask(&operation, key));
            self.same(&operation, &one, &two);
            if matches!(one, Outcome::Done(_)) { one } else { two }
        } else {
            self.ask(&operation, key).await
        };
        let retries = if keyed { self.rng.usize(0..=RETRIES) } else { 0 };
        for _ in 0..retries {
            if outcome == Outcome::Unknown {
                outcome = self.ask(&operation, key).await;
            }
        }
        self.journal.end(place, outcome.clone());
        if keyed && self.rng.u32(0..4) == 0 {
            let again = self.ask(&operation, key).await;
            self.same(&operation, &outcome, &again);
        }
    }

    /// Sends a request as clients do: once, with retries, or twice at once; without a `key` only
    /// once.
    pub(super) async fn send(
        &self,
        rng: &mut Rng,
        method: &Method,
        path: &str,
        body: &Value,
        key: Option<&str>,
    ) -> Outcome {
        let once = || self.once(method, path, body, key);
        if key.is_none() {
            return once().await;
        }
        let mut outcome = if rng.u32(0..6) == 0 {
            let (one, other) = tokio::join!(once(), once());
            self.same(&path, &one, &other);
            // Refused once, the request can still be carried out for the other one.
            let rank = |it: &Outcome| match it {
                Outcome::Done(_) => 0,
                Outcome::Unknown => 1,
                Outcome::Refused(_) => 2,
            };
            [one, other].into_iter().min_by_key(rank).unwrap()
        } else {
            once().await
        };
        for _ in 0..rng.usize(0..=RETRIES) {
            if outcome == Outcome::Unknown {
                outcome = once().await;
            }
        }
        outcome
    }

    /// Sends a request once, and returns its outcome.
    pub(super) async fn once(
        &self,
        method: &Method,
        path: &str,
        body: &Value,
        key: Option<&str>,
    ) -> Outcome {
        match self.call(method, path, body, key).await {
            Some(reply) if reply.status.is_success() => Outcome::Done(reply.body["data"].clone()),
            Some(reply) if !reply.status.is_server_error() => {
                Outcome::Refused(reply.code().to_owned())
            }
            _ => Outcome::Unknown,
        }
    }

    /// Two responses to one key must agree.
    pub(super) fn same(&self, request: &impl Debug, one: &Outcome, two: &Outcome) {
        if let (Outcome::Done(first), Outcome::Done(second)) = (one, two)
            && first != second
        {
            self.journal.find(Finding::Twice(format!(
                "{request:?} was answered with {first} and with {second}"
            )));
        }
    }

    /// Sends the request of an operation once, and returns its outcome.
    pub(super) async fn ask(&self, operation: &Operation, key: Option<&str>) -> Outcome {
        let (method, path, body) = operation.request();
        let Some(reply) = self.call(&method, &path, &body, key).await else {
            return Outcome::Unknown;
        };
        if matches!(reply.code(), "CONFLICT" | "UNAVAILABLE") && !reply.asks_to_retry() {
            self.journal.find(Finding::Wrong(format!("no Retry-After: {reply:?}")));
        }
        match reply.status.as_u16() {
            // A batch response lists rejected items beside the applied ones.
            200 => {
                let data = &reply.body["data"];
                let codes = data["nonApplied"].as_array().into_iter().flatten();
                let codes: Vec<&str> = codes.filter_map(|it| it["code"].as_str()).collect();
                let some = data["applied"].as_array().is_none_or(|applied| !applied.is_empty());
                match codes.first() {
                    Some(code) if !some => Outcome::Refused((*code).to_owned()),
                    _ => Outcome::Done(data.clone()),
                }
            }
            201 => Outcome::Done(reply.body["data"].clone()),
            // A reused transaction token would be our own defect, so only an injected fault reports
            // one.
            500 | 503 => Outcome::Unknown,
            _ => Outcome::Refused(reply.code().to_owned()),
        }
    }

    /// Reads the group's debts: balances must always sum to zero.
    async fn read_group(&mut self, group: &str) {
        let debts = self.read(&format!("/api/groups/{group}/debts")).await;
        if let Some(debts) = debts {
            for currency in CURRENCIES {
                let nodes = debts["data"]["balances"].as_array().unwrap().iter();
                let balances = nodes.filter_map(|node| node["balances"].get(currency));
                let sum = balances.map(|it| minor(currency, it)).sum::<i64>();
                if sum != 0 {
                    self.journal.find(Finding::Off(format!("{group} is {sum} {currency} off")));
                }
            }
        }
        for list in ["expenses", "settlements"] {
            let first = self.read(&format!("/api/groups/{group}/{list}?limit=2")).await;
            let Some(first) = first else { continue };
            let Some(cursor) = first["pagination"]["nextCursor"].as_str() else { continue };
            let path = format!("/api/groups/{group}/{list}?limit=2&cursor={cursor}");
            let Some(second) = self.read(&path).await else { continue };
            let rows = |page: &Value| page["data"].as_array().unwrap().clone();
            let ids =
                |page: &Value| rows(page).iter().map(|it| it["id"].clone()).collect::<Vec<_>>();
            if ids(&first).iter().any(|id| ids(&second).contains(id)) {
                self.journal.find(Finding::Twice(format!("{list} show one row on two pages")));
            }
        }
        self.read_past(group).await;
        let lists = ["groups", "expenses", "debts", "settlements", "activity", "summary"];
        let list = self.rng.choice(lists).unwrap_or_default();
        self.read(&format!("/api/users/me/{list}")).await;
    }

    pub(super) async fn read(&self, path: &str) -> Option<Value> {
        let reply = self.call(&Method::GET, path, &Value::Null, None).await?;
        if reply.status != 200 && (self.undisturbed || reply.status != 503) {
            self.journal.find(Finding::Wrong(format!("{path}: {reply:?}")));
        }
        (reply.status == 200).then_some(reply.body)
    }

    /// Sends a request as this user.
    pub(super) async fn call(
        &self,
        method: &Method,
        path: &str,
        body: &Value,
        key: Option<&str>,
    ) -> Option<Reply> {
        let authorization = client::authorization(&telegram_user(self.user), TOKEN, self.now());
        self.transport.send(client::request(method, path, &authorization, key, body)).await
    }

    pub(super) fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.clock.load(SeqCst)).unwrap()
    }

    /// Repeats half of the keyed requests with an unknown outcome, without faults; each must
    /// converge to one effect.
    pub async fn converge(&self) {
        for (place, record) in self.journal.records().into_iter().enumerate() {
            let Some(key) = record.key.as_deref().filter(|_| place % 2 == 0) else { continue };
            if record.outcome == Outcome::Unknown {
                let outcome = self.be(record.user).ask(&record.operation, Some(key)).await;
                if outcome == Outcome::Unknown {
                    let text = format!("{:?} has no outcome without faults", record.operation);
                    self.journal.find(Finding::Wrong(text));
                }
                self.journal.end(place, outcome);
            }
        }
    }

    /// Another user of the same API.
    #[must_use]
    pub fn be(&self, user: u64) -> Self {
        Self { user, rng: Rng::with_seed(self.rng.get_seed().wrapping_add(user)), ..self.clone() }
    }
}

/// The Telegram user with an id.
pub(super) fn telegram_user(id: u64) -> User {
    client::user(id, &format!("User {id}"))
}

/// A JSON number of the API in minor units.
pub(super) fn minor(currency: &str, number: &Value) -> i64 {
    let currency: Currency = currency.parse().unwrap();
    currency.to_minor(number.to_string().parse().unwrap()).unwrap()
}
