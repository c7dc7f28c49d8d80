//! Random use of spendings: users record, edit, delete and share them, while faults are injected.
//!
//! The model is what the acknowledged requests did. Spendings are personal and each user sends one
//! request after the other, repeated until it has an answer, so the model knows every row.

use std::collections::BTreeMap;

use axum::http::Method;
use fracti_core::values::{
    currency::Currency,
    decimal::Decimal,
    id::{GroupId, MemberId, UserId},
};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::{Actor, Finding, Report, World, state::State};
use crate::client::Reply;

/// Users of a run.
const USERS: u64 = 3;

/// Requests of each user.
const STEPS: usize = 8;

/// Days of spendings and expenses.
const DAYS: [&str; 3] = ["2025-12-31", "2026-01-01", "2026-01-15"];

const SPENDINGS: &str = "/api/users/me/spendings";

/// A spending: amount, currency, day and category.
type Recorded = (Decimal, Currency, String, Option<&'static str>);

/// Sums by day and currency.
type Sums = BTreeMap<(String, String), Decimal>;

/// Effects of the acknowledged requests of a user.
#[derive(Debug, Default)]
struct Model {
    spendings: BTreeMap<String, Recorded>,
    /// Amounts of shared spendings, in any order.
    shared: Vec<(Decimal, Currency, String)>,
    acknowledged: u64,
    refused: u64,
    findings: Vec<Finding>,
}

/// A user of a run.
struct Spender {
    actor: Actor,
    group: String,
    model: Model,
}

/// Runs the simulation of one seed.
pub(super) async fn run(seed: u64) -> Report {
    let world = World::new(seed).await;
    world.proxy.start_faults();
    let group = world.user(1).create_group().await;
    let mut users = JoinSet::new();
    for user in 1..=USERS {
        let model = Model::default();
        let mut spender = Spender { actor: world.user(user), group: group.clone(), model };
        users.spawn(async move {
            spender.actor.join(&spender.group).await;
            for _ in 0..STEPS {
                spender.act().await;
            }
            (user, spender.model)
        });
    }
    let mut models: BTreeMap<u64, Model> = users.join_all().await.into_iter().collect();
    world.proxy.stop_faults().await;
    let observer = world.observer();
    let mut report = Report::default();
    let state = State::read(&world.proxy.client).await;
    for (user, model) in &mut models {
        report.acknowledged += model.acknowledged;
        report.refused += model.refused;
        let mut found = std::mem::take(&mut model.findings);
        found.extend(check(&state, *user, model));
        found.extend(days(&state, &observer.be(*user)).await);
        for finding in found {
            report.find(finding);
        }
    }
    let id: GroupId = group.parse().unwrap();
    for finding in shared(&state, id, &models) {
        report.find(finding);
    }
    world.conclude(report, id, &observer, state).await
}

impl Spender {
    /// Sends a request until it has an answer.
    async fn ask(&mut self, method: Method, path: &str, body: Value) -> Reply {
        let key =
            (method == Method::POST).then(|| format!("k-{}", self.actor.journal.unique_tag()));
        loop {
            let reply = self.actor.call(&method, path, &body, key.as_deref()).await;
            let answered = |it: &Reply| !it.status.is_server_error() && it.code() != "CONFLICT";
            let Some(reply) = reply.filter(answered) else { continue };
            if reply.status.is_success() {
                self.model.acknowledged += 1;
            } else {
                self.model.refused += 1;
            }
            return reply;
        }
    }

    /// Reports a response other than a success.
    fn expect(&mut self, reply: &Reply) {
        if !reply.status.is_success() {
            let text = format!("refused without reason: {reply:?}");
            self.model.findings.push(Finding::Wrong(text));
        }
    }

    async fn act(&mut self) {
        let rng = &mut self.actor.rng;
        let known: Vec<String> = self.model.spendings.keys().cloned().collect();
        let action = rng.u32(0..8);
        match rng.choice(known) {
            Some(id) if action < 2 => self.edit(id).await,
            Some(id) if action < 3 => self.delete(id).await,
            Some(id) if action < 5 => self.share(id).await,
            _ => self.spend().await,
        }
    }

    fn amount(&mut self) -> Decimal {
        Decimal::new(self.actor.rng.i128(1..1_000_000), 2)
    }

    async fn spend(&mut self) {
        let amount = self.amount();
        let rng = &mut self.actor.rng;
        let currency = rng.choice(["EUR", "USD"]).unwrap();
        let (day, category) =
            (rng.choice(DAYS).unwrap(), rng.choice([None, Some("food")]).unwrap());
        let title = format!("Spending {}", self.actor.journal.unique_tag());
        let body = json!({ "title": title, "amount": amount.to_string(), "currency": currency,
            "category": category, "userDate": day });
        let reply = self.ask(Method::POST, SPENDINGS, body).await;
        self.expect(&reply);
        if let Some(id) = reply.body["data"]["id"].as_str() {
            let recorded = (amount, currency.parse().unwrap(), day.to_owned(), category);
            self.model.spendings.insert(id.to_owned(), recorded);
        }
    }

    async fn edit(&mut self, id: String) {
        let amount = self.amount();
        let body = json!({ "amount": amount.to_string() });
        let reply = self.ask(Method::PUT, &format!("{SPENDINGS}/{id}"), body).await;
        self.expect(&reply);
        self.model.spendings.get_mut(&id).unwrap().0 = amount;
    }

    async fn delete(&mut self, id: String) {
        // A repeated deletion finds nothing.
        let reply = self.ask(Method::DELETE, &format!("{SPENDINGS}/{id}"), Value::Null).await;
        if reply.code() != "SPENDING_NOT_FOUND" {
            self.expect(&reply);
        }
        self.model.spendings.remove(&id);
    }

    async fn share(&mut self, id: String) {
        let path = format!("/api/groups/{}/expenses", self.group);
        let reply = self.ask(Method::POST, &path, json!({ "spendingId": id })).await;
        self.expect(&reply);
        let (amount, currency, day, _) = self.model.spendings.remove(&id).unwrap();
        self.model.shared.push((amount, currency, day));
    }
}

/// Compares a user's spendings with the model, and the summaries with the spendings.
fn check(state: &State, user: u64, model: &Model) -> Vec<Finding> {
    let id = UserId::new(user).unwrap();
    let mut findings = Vec::new();
    let stored: BTreeMap<String, Recorded> = state
        .spendings
        .iter()
        .filter(|it| it.user_id == id)
        .map(|it| {
            let category = it.categories.keys().next().map(|_| "food");
            let recorded = (it.amount, it.currency, it.user_date.to_string(), category);
            (it.id.to_string(), recorded)
        })
        .collect();
    for (spending, recorded) in &stored {
        if model.spendings.get(spending) != Some(recorded) {
            findings.push(Finding::Twice(format!("user {user} has {spending}: {recorded:?}")));
        }
    }
    for spending in model.spendings.keys().filter(|it| !stored.contains_key(*it)) {
        findings.push(Finding::Lost(format!("{spending} of user {user}")));
    }
    let mut sums: BTreeMap<(String, String), Decimal> = BTreeMap::new();
    for (amount, currency, day, category) in stored.into_values() {
        let mut add = |counter: String, number| {
            let sum = sums.entry((day.clone(), counter)).or_insert(Decimal::ZERO);
            *sum = sum.plus(number).unwrap();
        };
        add("spendingCount".to_owned(), Decimal::new(1, 0));
        add(format!("total#{currency}"), amount);
        if let Some(category) = category {
            add(format!("cat#{category}#{currency}"), amount);
        }
    }
    let summaries = state.summaries.iter().filter(|it| it.user_id == id);
    let summed: BTreeMap<(String, String), Decimal> = summaries
        .flat_map(|it| {
            let date = it.date.to_string();
            it.counters.iter().map(move |(name, number)| ((date.clone(), name.to_owned()), number))
        })
        .collect();
    if summed != sums {
        let text = format!("user {user}: {sums:?} of the spendings, and summaries {summed:?}");
        findings.push(Finding::Off(text));
    }
    findings
}

/// Each shared spending is one expense of the group.
fn shared(state: &State, group: GroupId, models: &BTreeMap<u64, Model>) -> Vec<Finding> {
    let sorted = |mut all: Vec<String>| {
        all.sort_unstable();
        all
    };
    let text = |payer: u64, amount: Decimal, currency: Currency, day: &str| {
        format!("{payer} {amount} {currency} {day}")
    };
    let expected = models.iter().flat_map(|(user, model)| {
        model.shared.iter().map(move |(amount, currency, day)| text(*user, *amount, *currency, day))
    });
    let found = state.expenses_of(group);
    let found = found.iter().map(|it| {
        let payer = it.payer_id.user().unwrap().number();
        text(payer, it.amount, it.currency, &it.day().to_string())
    });
    let expected = sorted(expected.collect());
    let found = sorted(found.collect());
    if expected == found {
        return Vec::new();
    }
    vec![Finding::Twice(format!("the expenses {found:?} instead of {expected:?}"))]
}

/// Compares the days that a user sees with the spendings and expenses.
async fn days(state: &State, actor: &Actor) -> Vec<Finding> {
    let user = UserId::new(actor.user).unwrap();
    let mut expected = Sums::new();
    let mut add = |day: String, currency: Currency, amount: Decimal| {
        let sum = expected.entry((day, currency.to_string())).or_insert(Decimal::ZERO);
        *sum = sum.plus(amount).unwrap();
    };
    for it in state.spendings.iter().filter(|it| it.user_id == user) {
        add(it.user_date.to_string(), it.currency, it.amount);
    }
    for it in &state.expenses {
        add(it.day().to_string(), it.currency, it.share_of(MemberId::from(user)));
    }
    expected.retain(|_, sum| *sum != Decimal::ZERO);
    let path = "/api/users/me/days?from=2025-12-01&to=2026-03-31";
    let Some(days) = actor.read(path).await else { return Vec::new() };
    let mut shown = Sums::new();
    for day in days["data"]["days"].as_array().unwrap() {
        for of_currency in day["currencies"].as_array().unwrap() {
            let currency = of_currency["currency"].as_str().unwrap().to_owned();
            let total = of_currency["total"].to_string().parse().unwrap();
            shown.insert((day["date"].as_str().unwrap().to_owned(), currency), total);
        }
    }
    if shown == expected {
        return Vec::new();
    }
    vec![Finding::Off(format!("{user} sees {shown:?}, and the rows have {expected:?}"))]
}
