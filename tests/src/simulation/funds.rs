//! Random use of funds: users top up, pay, confirm and cash out, an operator captures and gives,
//! time passes and the keeper runs, while faults are injected.
//!
//! Each change has a description, or an amount, that no other has, so a stored one tells which
//! request it is of. After each round, funds must agree with their transactions, and both laws must
//! hold.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::http::Method;
use fracti_core::{
    funds::fund_transaction::FundTransaction,
    group::MemberKey,
    records::settlement::Settlement,
    reports::fund_audit::AllFunds,
    values::id::{GroupId, UserId},
};
use fracti_runtime::Clock;
use fracti_store::{Page, Table};
use serde_json::{Value, json};
use tokio::{sync::RwLock, task::JoinSet};

use super::{Actor, Finding, Outcome, Report, World, state::State, world::with_short_timeouts};

/// Users of a run. The last one is the operator.
const USERS: u64 = 4;

/// Rounds of a run, between which all is checked.
const ROUNDS: usize = 3;

/// Requests of each user in a round.
const STEPS: usize = 8;

/// A currency with eight decimals. The last six tell amounts apart.
const CURRENCY: &str = "BTC";

/// Effect that a request has once.
#[derive(Clone, Debug)]
enum Effect {
    /// It creates a transaction with this description.
    Transaction(String),
    /// It creates a settlement over this amount.
    Settlement(String),
    /// It ends a transaction with this status.
    Ends(String, &'static str),
    /// It ends a settlement with this status.
    EndsSettlement(String, &'static str),
    /// It has no effect that is its own.
    None,
}

/// A request, with its outcome.
#[derive(Clone, Debug)]
struct Sent {
    effect: Effect,
    outcome: Outcome,
}

/// The requests of a run, and what they have made.
#[derive(Debug, Default)]
struct Model {
    sent: Vec<Sent>,
    /// Transactions that wait for the operator, with their owners.
    work: Vec<(u64, String)>,
    /// Settlements from funds, with their recipients.
    settlements: Vec<(u64, String)>,
}

/// A user of a run.
struct Spender {
    actor: Actor,
    group: String,
    model: Arc<Mutex<Model>>,
    /// Locked for reading by a user who sends a request, and for writing by one who lets days pass:
    /// a request that is repeated with its key after days is a new one.
    sending: Arc<RwLock<()>>,
}

/// Runs the simulation of one seed.
pub(super) async fn run(seed: u64) -> Report {
    let world = Arc::new(World::new(seed).await);
    let group = world.user(1).create_group().await;
    let model = Arc::new(Mutex::new(Model::default()));
    let sending = Arc::default();
    let user = |user| Spender {
        actor: world.user(user),
        group: group.clone(),
        model: model.clone(),
        sending: Arc::clone(&sending),
    };
    for spender in (1..=USERS).map(user) {
        spender.actor.clone().join(&group).await;
    }
    let mut report = Report::default();
    // The random numbers of a user go on in the next round.
    let mut spenders: Vec<_> = (1..=USERS).map(user).collect();
    let id: GroupId = group.parse().unwrap();
    for _ in 0..ROUNDS {
        world.proxy.start_faults();
        let mut users = JoinSet::new();
        for mut spender in spenders.drain(..) {
            users.spawn(async move {
                for _ in 0..STEPS {
                    spender.act().await;
                }
                spender
            });
        }
        for process in [5, 6] {
            let world = world.clone();
            users.spawn(async move {
                let keeper = world.user(process);
                let table =
                    Table::new(with_short_timeouts(&world.proxy, 5), crate::database::TABLE);
                keep(&table, &keeper).await;
                let (model, sending) = Default::default();
                Spender { actor: keeper, group: String::new(), model, sending }
            });
        }
        spenders.extend(users.join_all().await.into_iter().filter(|it| !it.group.is_empty()));
        spenders.sort_by_key(|spender| spender.actor.user);
        world.proxy.stop_faults().await;
        check_funds(&world, &mut report).await;
    }
    // All that is due is done by two runs without faults.
    let observer = world.observer();
    observer.pass(Duration::from_hours(24 * 9));
    for _ in 0..2 {
        keep(&world.table, &observer).await;
        observer.pass(Duration::from_hours(2));
    }
    check_funds(&world, &mut report).await;
    let model = std::mem::take(&mut *model.lock().unwrap());
    check_effects(&world, &model, id, &mut report).await;
    world.conclude(report, id, &observer, State::read(&world.proxy.client).await).await
}

/// Runs the keeper, whose failures are logged, and which runs again.
pub(super) async fn keep(table: &Table, actor: &Actor) {
    let clock = actor.clock.clone();
    let clock = Clock::of(move || {
        let millis = clock.load(std::sync::atomic::Ordering::SeqCst);
        fracti_core::values::time::Timestamp::from_millis(millis).unwrap()
    });
    for _ in 0..4 {
        let _ = fracti_keeper::keep(table, &clock, None).await;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn users() -> impl Iterator<Item = UserId> {
    (1..=USERS).map(|user| user.to_string().parse().unwrap())
}

/// Funds agree with their transactions, and both laws hold.
async fn check_funds(world: &World, report: &mut Report) {
    let mut all = AllFunds::default();
    for user in users() {
        let rows = world.table.fund_rows(user).await.unwrap();
        for found in rows.audit(world.observer().now()) {
            report.find(Finding::Off(format!("user {user}: {found:?}")));
        }
        all.add(&rows);
    }
    for found in all.check(&world.table.fund_totals().await.unwrap()) {
        report.find(Finding::Off(format!("all users: {found:?}")));
    }
}

/// Checks that acknowledged effects are there once, and refused ones are not.
async fn check_effects(world: &World, model: &Model, group: GroupId, report: &mut Report) {
    let page = Page { limit: 1_000, after: None };
    let mut transactions: Vec<FundTransaction> = Vec::new();
    for user in users() {
        transactions.extend(world.table.fund_transactions(user, &page).await.unwrap().items);
    }
    let member_key = MemberKey { group, user: users().next().unwrap() };
    let _now = world.observer().now();
    let settlements = world.table.settlements(member_key, None, &page).await.unwrap().items;
    for sent in &model.sent {
        report.add(&sent.outcome);
        let times = match &sent.effect {
            Effect::Transaction(description) => {
                let same = |it: &&FundTransaction| {
                    it.description.as_ref().is_some_and(|it| it.as_str() == description)
                };
                transactions.iter().filter(same).count()
            }
            Effect::Settlement(amount) => {
                let same = |it: &&Settlement| it.amount.to_string() == *amount;
                settlements.iter().filter(same).count()
            }
            Effect::Ends(id, status) => {
                let ended = transactions.iter().find(|it| it.id.to_string() == *id);
                let as_asked = ended.is_some_and(|it| it.status.to_string() == *status);
                usize::from(as_asked || !sent.is_done())
            }
            Effect::EndsSettlement(id, status) => {
                let ended = settlements.iter().find(|it| it.id.to_string() == *id);
                // A payment that was made at once may have been given back since.
                let as_asked = ended.is_some_and(|it| {
                    it.status.to_string() == *status
                        || *status == "completed" && it.reverted_at.is_some()
                });
                usize::from(as_asked || !sent.is_done())
            }
            Effect::None => usize::from(sent.is_done()),
        };
        match (&sent.outcome, &sent.effect, times) {
            (Outcome::Done(_), _, 0) => report.find(Finding::Lost(format!("{sent:?}"))),
            (_, _, 2..) => report.find(Finding::Twice(format!("{sent:?}"))),
            (Outcome::Refused(_), Effect::Transaction(_) | Effect::Settlement(_), 1) => {
                report.find(Finding::Wrong(format!("it was refused: {sent:?}")));
            }
            _ => {}
        }
    }
}

impl Spender {
    async fn act(&mut self) {
        let millis = self.actor.rng.u64(0..3);
        self.actor.pass(Duration::from_millis(millis));
        if self.actor.user == USERS {
            return self.operate().await;
        }
        match self.actor.rng.u32(0..20) {
            0 | 1 => self.report().await,
            2..4 => self.cash_out().await,
            4 => self.call_off().await,
            10..14 => self.end().await,
            14 => self.accept().await,
            15 => self.check().await,
            16 => self.actor.pass(Duration::from_mins(40)),
            17 if self.actor.rng.u32(0..6) == 0 => {
                let _none = self.sending.write().await;
                self.actor.pass(Duration::from_hours(24 * 8));
            }
            _ => self.pay().await,
        }
    }

    /// Sends a random request of the operator.
    async fn operate(&mut self) {
        let of = self.actor.rng.u64(1..USERS);
        let tag = self.tag();
        let at = |rest: &str| format!("/api/users/{of}/funds/{rest}");
        match self.actor.rng.u32(0..12) {
            0..4 => {
                let fund = if self.actor.rng.bool() { "cash" } else { "credit" };
                let body = json!({ "fund": fund, "currency": CURRENCY, "amount": 3,
                    "refId": format!("ref {tag}"), "description": tag });
                self.send(&at("credits"), body, Effect::Transaction(tag)).await;
            }
            4 | 5 => {
                let hours = self.actor.rng.u64(1..4);
                let until = self.actor.now().plus_seconds(hours * 3_600 + 60).to_string();
                let body = json!({ "currency": CURRENCY, "amount": 2, "expiresAt": until,
                    "note": tag });
                self.send(&at("bonuses"), body, Effect::Transaction(tag)).await;
            }
            6 => {
                let body = json!({ "type": "correction", "fund": "cash", "currency": CURRENCY,
                    "amount": "0.1", "refId": format!("ref {tag}"), "description": tag });
                self.send(&at("debits"), body, Effect::Transaction(tag)).await;
            }
            _ => {
                let work = self.model.lock().unwrap().work.clone();
                let Some((owner, id)) = self.actor.rng.choice(work) else { return };
                let path = format!("/api/users/{owner}/funds/transactions/{id}");
                if self.actor.rng.u32(0..4) == 0 {
                    let effect = Effect::Ends(id, "voided");
                    self.send(&format!("{path}/void"), json!({}), effect).await;
                } else {
                    // Sometimes the reference of another one.
                    let of = if self.actor.rng.u32(0..6) == 0 { "other" } else { &id };
                    let body = json!({ "refId": format!("paid {of}") });
                    let effect = Effect::Ends(id.clone(), "completed");
                    self.send(&format!("{path}/capture"), body, effect).await;
                }
            }
        }
    }

    fn tag(&self) -> String {
        format!("tag {}", self.actor.journal.unique_tag())
    }

    async fn report(&mut self) {
        let tag = self.tag();
        let body = json!({ "fund": "cash", "currency": CURRENCY, "amount": 5, "description": tag });
        let made = self.send("/api/users/me/funds/credits", body, Effect::Transaction(tag)).await;
        self.note_work(&made);
    }

    async fn cash_out(&mut self) {
        let tag = self.tag();
        let body = json!({ "type": "cashout", "currency": CURRENCY, "amount": 1, "to": "bc1q",
            "description": tag });
        let made = self.send("/api/users/me/funds/debits", body, Effect::Transaction(tag)).await;
        self.note_work(&made);
    }

    /// Calls off a report or a cash-out of the user's own.
    async fn call_off(&mut self) {
        let user = self.actor.user;
        let mut own = self.model.lock().unwrap().work.clone();
        own.retain(|(owner, _)| *owner == user);
        let Some((_, id)) = self.actor.rng.choice(own) else { return };
        let path = format!("/api/users/me/funds/transactions/{id}/void");
        self.send(&path, json!({}), Effect::Ends(id, "voided")).await;
    }

    fn note_work(&self, made: &Outcome) {
        if let Outcome::Done(data) = made {
            let id = data["id"].as_str().unwrap().to_owned();
            self.model.lock().unwrap().work.push((self.actor.user, id));
        }
    }

    async fn pay(&mut self) {
        let others: Vec<u64> = (1..USERS).filter(|user| *user != self.actor.user).collect();
        let to = self.actor.rng.choice(others).unwrap();
        // The last digit is not zero, so that the amount has one text.
        let tag = self.actor.journal.unique_tag() * 10 + 1;
        let amount = format!("{}.{tag:08}", self.actor.rng.u64(0..3));
        let mut body = json!({ "toId": to.to_string(), "amount": amount, "currency": CURRENCY,
            "payFrom": "funds" });
        match self.actor.rng.u32(0..6) {
            0 | 1 => body["allowExternal"] = json!(true),
            2 => body["payNow"] = json!(true),
            3 => {
                let until = self.actor.now().plus_seconds(7_200).to_string();
                body["holdUntil"] = json!(until);
            }
            _ => {}
        }
        let path = format!("/api/groups/{}/settlements", self.group);
        let made = self.send(&path, body, Effect::Settlement(amount)).await;
        if let Outcome::Done(data) = made {
            let id = data["id"].as_str().unwrap().to_owned();
            self.model.lock().unwrap().settlements.push((to, id));
        }
    }

    /// Confirms or fails a settlement, or gives back one that was paid at once.
    async fn end(&mut self) {
        let user = self.actor.user;
        let mut known = self.model.lock().unwrap().settlements.clone();
        let fails = self.actor.rng.u32(0..4) == 0;
        known.retain(|(to, _)| fails || *to == user);
        let Some((_, id)) = self.actor.rng.choice(known) else { return };
        let status = if fails { "failed" } else { "completed" };
        let path = format!("/api/groups/{}/settlements/{id}", self.group);
        let body = json!({ "status": status });
        let effect = Effect::EndsSettlement(id, status);
        self.request(&Method::PUT, &path, body, effect).await;
    }

    async fn accept(&mut self) {
        let body = json!({ "currency": CURRENCY, "accepts": self.actor.rng.bool() });
        self.request(&Method::PUT, "/api/users/me/funds", body, Effect::None).await;
    }

    async fn check(&mut self) {
        self.send("/api/users/me/funds/check", json!({}), Effect::None).await;
    }

    async fn send(&mut self, path: &str, body: Value, effect: Effect) -> Outcome {
        self.request(&Method::POST, path, body, effect).await
    }

    /// Sends a request as clients do, with an idempotency key or without.
    async fn request(
        &mut self,
        method: &Method,
        path: &str,
        body: Value,
        effect: Effect,
    ) -> Outcome {
        let tag = self.actor.journal.unique_tag();
        let key = (self.actor.rng.u32(0..4) > 0).then(|| format!("key-{tag}"));
        let mut rng = self.actor.rng.fork();
        let repeated = self.sending.read().await;
        let outcome = self.actor.send(&mut rng, method, path, &body, key.as_deref()).await;
        drop(repeated);
        let sent = Sent { effect, outcome: outcome.clone() };
        self.model.lock().unwrap().sent.push(sent);
        outcome
    }
}

impl Sent {
    const fn is_done(&self) -> bool {
        matches!(self.outcome, Outcome::Done(_))
    }
}
