//! Random use of schedules: users make, edit, skip, pause and delete them, change the default
//! split, leave and come back; days pass and two keepers run at once, while faults are injected.
//!
//! The changes of the group are one order of all that happened. The reference follows them with
//! what the requests were, which are repeated until they have an answer, and says which expense a
//! date has, or why it has none. Its dates and divisions are independent of the production code.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::http::Method;
use fracti_core::{
    records::{
        expense::Expense,
        group_change::{ChangeKind, GroupChange},
        schedule::Schedule,
    },
    values::{
        id::{GroupId, UserId},
        time::{Day, Timestamp},
    },
};
use fracti_store::Table;
use serde_json::{Value, json};
use tokio::{sync::RwLock, task::JoinSet};

use super::{
    Actor, Finding, Report, World, audit::near, funds::keep, state::State,
    world::with_short_timeouts,
};
use crate::client::Reply;

/// Users of a run.
const USERS: u64 = 4;

/// Rounds of a run. After each, keepers without faults record what is due.
const ROUNDS: usize = 3;

/// Requests of each user in a round.
const STEPS: usize = 7;

/// Zones without summer time, with their hours.
const ZONES: [(&str, i64); 3] = [("UTC", 0), ("Asia/Tokyo", 9), ("Pacific/Honolulu", -10)];

/// Days for which missed dates are recorded.
const DAYS_BACK: i64 = 35;

/// Schedules that users make, so that a run stays short.
const SCHEDULES: usize = 4;

/// Members who share an expense, with their weights.
type Weights = Vec<(u64, i64)>;

/// A rule of dates.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    every: &'static str,
    interval: i64,
    start: Day,
    count: Option<i64>,
    zone: (&'static str, i64),
}

/// Expense that is recorded on a date.
#[derive(Clone, Debug)]
struct Template {
    payer: u64,
    minor: i64,
    label: String,
    /// Members who share it; those of the group's default split otherwise.
    shares: Option<Weights>,
}

/// A change of a schedule.
#[derive(Clone, Debug)]
enum Edit {
    Template(Template),
    Skips(Vec<Day>),
    Paused(bool),
    Rule(Rule),
}

/// Change that an acknowledged request asked for.
#[derive(Clone, Debug)]
enum Asked {
    Make(Rule, Template),
    Change(u64, Edit),
}

/// Changes that the acknowledged requests asked for.
#[derive(Debug, Default)]
struct Model {
    /// Schedules as they were last seen.
    known: BTreeMap<String, (Rule, Value)>,
    /// By schedule and by the moment of the change.
    asked: BTreeMap<(String, String), Asked>,
    /// Weights of the default split, and of the others, by the title that came with them.
    defaults: BTreeMap<String, (Weights, i64)>,
    acknowledged: u64,
    refused: u64,
    findings: Vec<Finding>,
}

/// A user of a run.
struct Planner {
    actor: Actor,
    group: String,
    model: Arc<Mutex<Model>>,
    /// Locked for reading by a user who sends a request, and for writing by one who lets days pass:
    /// a request that is repeated with its key after days is a new one, and init data expires.
    sending: Arc<RwLock<()>>,
}

/// Runs the simulation of one seed.
pub(super) async fn run(seed: u64) -> Report {
    let world = Arc::new(World::new(seed).await);
    let group = world.user(1).create_group().await;
    let model = Arc::new(Mutex::new(Model::default()));
    let sending = Arc::default();
    let user = |user| Planner {
        actor: world.user(user),
        group: group.clone(),
        model: model.clone(),
        sending: Arc::clone(&sending),
    };
    let mut planners: Vec<_> = (1..=USERS).map(user).collect();
    for planner in &planners {
        planner.actor.clone().join(&group).await;
    }
    let observer = world.observer();
    let mut report = Report::default();
    let id: GroupId = group.parse().unwrap();
    for _ in 0..ROUNDS {
        world.proxy.start_faults();
        let mut users = JoinSet::new();
        for mut planner in planners.drain(..) {
            users.spawn(async move {
                for _ in 0..STEPS {
                    planner.act().await;
                }
                Some(planner)
            });
        }
        for process in [5, 6] {
            let world = world.clone();
            users.spawn(async move {
                let client = with_short_timeouts(&world.proxy, process);
                let table = Table::new(client, crate::database::TABLE);
                keep(&table, &world.observer()).await;
                None
            });
        }
        planners.extend(users.join_all().await.into_iter().flatten());
        planners.sort_by_key(|planner| planner.actor.user);
        world.proxy.stop_faults().await;
        // A row that failed is tried again after an hour at most. Through the proxy, because what
        // its lagging index does not hear of it lacks in the next round.
        let table = Table::new(world.proxy.patient_client(5), crate::database::TABLE);
        for _ in 0..2 {
            observer.pass(Duration::from_hours(2));
            keep(&table, &observer).await;
            world.proxy.stop_faults().await;
        }
        let state = State::read(&world.proxy.client).await;
        // The keeper looks at a date within half an hour of its beginning.
        let looked_at = Timestamp::from_millis(observer.now().millis() - 1_800_000).unwrap();
        for finding in Reference::check(&state, id, &model.lock().unwrap(), looked_at) {
            report.find(finding);
        }
    }
    let mut model = std::mem::take(&mut *model.lock().unwrap());
    (report.acknowledged, report.refused) = (model.acknowledged, model.refused);
    for finding in model.findings.drain(..) {
        report.find(finding);
    }
    world.conclude(report, id, &observer, State::read(&world.proxy.client).await).await
}

impl Planner {
    fn path(&self, rest: &str) -> String {
        format!("/api/groups/{}{rest}", self.group)
    }

    /// Sends a request until it has an answer. Only these codes may refuse it.
    async fn ask(
        &mut self,
        by: u64,
        method: Method,
        path: &str,
        body: Value,
        codes: &[&str],
    ) -> Option<Value> {
        let key = format!("k-{}", self.actor.journal.unique_tag());
        let actor = self.actor.be(by);
        let sending = self.sending.read().await;
        let reply = loop {
            let reply = actor.call(&method, path, &body, Some(&key)).await;
            let answered = |it: &Reply| !it.status.is_server_error() && it.code() != "CONFLICT";
            if let Some(reply) = reply.filter(answered) {
                break reply;
            }
        };
        drop(sending);
        let mut model = self.model.lock().unwrap();
        if reply.status.is_success() {
            model.acknowledged += 1;
            return Some(reply.body["data"].clone());
        }
        model.refused += 1;
        if !codes.contains(&reply.code()) {
            let text = format!("{method} {path} {body} is refused without reason: {reply:?}");
            model.findings.push(Finding::Wrong(text));
        }
        None
    }

    async fn act(&mut self) {
        let millis = self.actor.rng.u64(0..3);
        self.actor.pass(Duration::from_millis(millis));
        match self.actor.rng.u32(0..20) {
            0..4 => self.make().await,
            4..10 => self.edit().await,
            10 => self.delete().await,
            11 | 12 => self.change_default().await,
            13..15 => self.leave().await,
            _ => {
                // Sometimes for longer than missed dates are recorded.
                let days = if self.actor.rng.u32(0..20) == 0 { 38 } else { 3 };
                let hours = self.actor.rng.u64(1..=days * 24);
                let _none = self.sending.write().await;
                self.actor.pass(Duration::from_hours(hours));
            }
        }
    }

    /// The day that it is in a zone.
    fn today(&self, (_, hours): (&str, i64)) -> Day {
        today(self.actor.now(), hours)
    }

    fn template(&mut self) -> Template {
        let rng = &mut self.actor.rng;
        let mut users: Vec<u64> = (1..=USERS).collect();
        rng.shuffle(&mut users);
        users.truncate(rng.usize(1..=2));
        users.sort_unstable();
        let shares = rng.bool().then(|| users.iter().map(|user| (*user, rng.i64(1..4))).collect());
        let tag = self.actor.journal.unique_tag();
        let payer = self.actor.rng.u64(1..=USERS);
        Template {
            payer,
            minor: self.actor.rng.i64(10..100_000),
            label: format!("Plan {tag}"),
            shares,
        }
    }

    fn rule(&mut self, zone: (&'static str, i64)) -> Rule {
        let start = self.today(zone).plus(self.actor.rng.i64(-6..3));
        let rng = &mut self.actor.rng;
        let every = rng.choice(["day", "week", "month"]).unwrap();
        // The last day of January, which most months do not have.
        let start = if every == "month" { start.last_of_month() } else { start };
        let count = (rng.u32(0..4) == 0).then(|| rng.i64(1..6));
        Rule { every, interval: if every == "day" { rng.i64(1..4) } else { 1 }, start, count, zone }
    }

    async fn make(&mut self) {
        if self.model.lock().unwrap().known.len() >= SCHEDULES {
            return self.edit().await;
        }
        let zone = self.actor.rng.choice(ZONES).unwrap();
        let rule = self.rule(zone);
        let template = self.template();
        let body = json!({ "expense": template.body(), "repeat": rule.body() });
        let path = self.path("/schedules");
        let codes = ["VALIDATION_ERROR", "LEFT"];
        let Some(made) = self.ask(self.actor.user, Method::POST, &path, body, &codes).await else {
            return;
        };
        let id = made["id"].as_str().unwrap().to_owned();
        let at = made["createdAt"].as_str().unwrap().to_owned();
        let mut model = self.model.lock().unwrap();
        model.known.insert(id.clone(), (rule.clone(), made));
        model.asked.insert((id, at), Asked::Make(rule, template));
    }

    async fn edit(&mut self) {
        let known: Vec<_> = self.model.lock().unwrap().known.clone().into_iter().collect();
        let Some((id, (rule, seen))) = self.actor.rng.choice(known) else { return };
        let edit = match self.actor.rng.u32(0..8) {
            0 | 1 => Edit::Template(self.template()),
            2 | 3 => {
                let next = seen["nextDates"].as_array().unwrap().iter();
                let next: Vec<Day> = next.map(|it| it.as_str().unwrap().parse().unwrap()).collect();
                Edit::Skips(next.into_iter().take(4).filter(|_| self.actor.rng.bool()).collect())
            }
            4 => Edit::Rule(self.rule(rule.zone)),
            5 => Edit::Paused(true),
            _ => Edit::Paused(false),
        };
        let body = match &edit {
            Edit::Template(template) => {
                let mut body = json!({ "expense": template.body() });
                if template.shares.is_none() {
                    body["sharedBy"] = json!("default");
                }
                body
            }
            Edit::Skips(skips) => {
                json!({ "skips": skips.iter().map(ToString::to_string).collect::<Vec<_>>() })
            }
            Edit::Paused(paused) => json!({ "paused": paused }),
            Edit::Rule(rule) => json!({ "repeat": rule.body() }),
        };
        let path = self.path(&format!("/schedules/{id}"));
        // A date may be recorded already, and a member may have left.
        let codes = ["VALIDATION_ERROR", "LEFT", "SCHEDULE_NOT_FOUND"];
        let user = self.actor.user;
        let Some(edited) = self.ask(user, Method::PUT, &path, body, &codes).await else { return };
        let mut model = self.model.lock().unwrap();
        let rule = if let Edit::Rule(rule) = &edit { rule.clone() } else { rule };
        model.known.insert(id.clone(), (rule, edited.clone()));
        // A request that changes nothing is answered with the change before it, which may be
        // another user's.
        let is_own = edited["actorId"].as_str() == Some(&*user.to_string());
        if let Some(at) = edited["updatedAt"].as_str().filter(|_| is_own) {
            model.asked.entry((id, at.to_owned())).or_insert(Asked::Change(user, edit));
        }
    }

    async fn delete(&mut self) {
        let known: Vec<_> = self.model.lock().unwrap().known.keys().cloned().collect();
        let Some(id) = self.actor.rng.choice(known) else { return };
        let path = self.path(&format!("/schedules/{id}"));
        let codes = ["LEFT", "SCHEDULE_NOT_FOUND"];
        self.ask(self.actor.user, Method::DELETE, &path, Value::Null, &codes).await;
    }

    async fn change_default(&mut self) {
        let user = self.actor.rng.u64(1..=USERS);
        let weight = self.actor.rng.i64(1..4);
        let others = self.actor.rng.i64(0..3);
        let title = format!("Group {}", self.actor.journal.unique_tag());
        let rule = json!({ "splits": [{ "userId": user.to_string(), "weight": weight }],
            "others": others });
        let body = json!({ "title": title, "defaultSplits": [rule] });
        self.model.lock().unwrap().defaults.insert(title, (vec![(user, weight)], others));
        let codes = ["VALIDATION_ERROR", "LEFT"];
        self.ask(self.actor.user, Method::PATCH, &self.path(""), body, &codes).await;
    }

    /// Leaves the group after all is paid, or comes back.
    async fn leave(&mut self) {
        let user = self.actor.user;
        if user == 1 {
            return;
        }
        let debts = self.path("/debts");
        // After a day the reader's init data has expired.
        let sending = self.sending.read().await;
        let debts = self.actor.call(&Method::GET, &debts, &Value::Null, None).await;
        drop(sending);
        let Some(debts) = debts.filter(|it| !it.status.is_server_error()) else { return };
        if debts.code() == "LEFT" {
            self.ask(user, Method::POST, &self.path("/join"), json!({}), &[]).await;
            return;
        }
        let own = debts.body["data"]["balances"].as_array().unwrap().iter();
        let own = own.filter(|it| it["userId"].as_str() == Some(&*user.to_string()));
        let net: i64 = own
            .map(|it| it["balances"].get("EUR").map_or(0, |net| super::actor::minor("EUR", net)))
            .sum();
        let (from, to) = if net < 0 { (user, 1) } else { (1, user) };
        if net != 0 {
            let body = json!({ "fromId": from.to_string(), "toId": to.to_string(),
                "amount": major(net.abs()) });
            self.ask(
                to,
                Method::POST,
                &self.path("/settlements"),
                body,
                &["PAYMENT_PENDING", "LEFT", "VALIDATION_ERROR"],
            )
            .await;
        }
        self.ask(user, Method::POST, &self.path("/leave"), json!({}), &["NOT_SETTLED", "LEFT"])
            .await;
    }
}

/// An amount in cents as text.
fn major(minor: i64) -> String {
    format!("{}.{:02}", minor / 100, minor % 100)
}

/// The current day, which begins at 04:00, at `hours` east of UTC.
fn today(now: Timestamp, hours: i64) -> Day {
    let hour = 3_600_000;
    let millis = i64::try_from(now.millis()).unwrap() + (hours - 4) * hour;
    Timestamp::from_millis(u64::try_from(millis).unwrap()).unwrap().day()
}

impl Rule {
    fn body(&self) -> Value {
        let mut body = json!({ "every": self.every, "interval": self.interval,
            "start": self.start.to_string(), "timeZone": self.zone.0 });
        if let Some(count) = self.count {
            body["count"] = json!(count);
        }
        body
    }

    /// The dates up to a day.
    fn until(&self, last: Day) -> Vec<Day> {
        let date = |index: i64| match self.every {
            "day" => self.start.plus(index * self.interval),
            "week" => self.start.plus(7 * index),
            _ => {
                // The same day of the month, or the last one.
                let start = self.start.first_of_month();
                let first = (0..index).fold(start, |first, _| first.last_of_month().plus(1));
                let day: i64 = self.start.to_string()[8..].parse().unwrap();
                first.plus(day - 1).min(first.last_of_month())
            }
        };
        let all = (0..self.count.unwrap_or(i64::MAX)).map(date);
        all.take_while(|date| *date <= last).collect()
    }
}

impl Template {
    fn body(&self) -> Value {
        let mut body = json!({ "amount": major(self.minor), "description": self.label,
            "payerId": self.payer.to_string() });
        if let Some(shares) = &self.shares {
            let share = |(user, weight): &(u64, i64)| json!({ "userId": user.to_string(), "weight": weight });
            body["splitType"] = json!("shares");
            body["splits"] = shares.iter().map(share).collect();
        }
        body
    }
}

/// A schedule of the reference.
#[derive(Clone, Debug)]
struct Plan {
    rule: Rule,
    template: Template,
    skips: Vec<Day>,
    /// The first day whose expense is not recorded or passed over.
    from: Day,
    paused: bool,
    /// Whether it was paused by a refusal.
    refused: bool,
    actor: u64,
    last: Option<Day>,
}

impl Plan {
    /// The dates to come, up to a day.
    fn dates(&self, until: Day) -> Vec<Day> {
        let mut dates = self.rule.until(until);
        dates.retain(|date| *date >= self.from && !self.skips.contains(date));
        dates
    }

    /// The dates that are due on a day; those that are too old are passed over.
    fn due(&self, today: Day) -> Vec<Day> {
        let mut dates = if self.paused { Vec::new() } else { self.dates(today) };
        dates.retain(|date| *date >= today.plus(-DAYS_BACK));
        dates
    }

    /// A change on a day.
    fn change(&mut self, edit: Edit, by: u64, today: Day) {
        let was_paused = self.paused;
        let was_due = self.dates(today).first().copied();
        let mut restarts = false;
        match edit {
            Edit::Template(template) => self.template = template,
            Edit::Skips(skips) => self.skips = skips,
            Edit::Paused(paused) => self.paused = paused,
            Edit::Rule(rule) => {
                restarts = rule != self.rule;
                (self.rule, self.skips) = (rule, Vec::new());
            }
        }
        let passes_over = was_paused && !self.paused && !self.refused;
        self.refused &= self.paused;
        self.actor = by;
        self.from = match was_due {
            _ if restarts => self.rule.start,
            Some(due) if !passes_over => due,
            _ => self.last.map_or(today, |last| today.max(last.plus(1))),
        };
    }
}

/// Expected state, as of a change.
#[derive(Debug, Default)]
struct Reference {
    plans: BTreeMap<String, Plan>,
    present: BTreeSet<u64>,
    /// The default split, unless all share equally.
    default: Option<(Weights, i64)>,
    findings: Vec<Finding>,
}

impl Reference {
    /// Follows the changes of a group, and compares its expenses and schedules with what they say.
    /// All that is due at `now` has been recorded.
    fn check(state: &State, group: GroupId, model: &Model, now: Timestamp) -> Vec<Finding> {
        let mut reference = Self { present: [1].into(), ..Self::default() };
        let expenses = state.expenses_of(group);
        let mut told = BTreeSet::new();
        for change in state.changes.iter().filter(|change| change.group_id == group) {
            if change.subject.kind == ChangeKind::ExpenseAdded {
                let id = change.subject.expense.as_ref().unwrap().id;
                told.insert(id);
                match expenses.iter().find(|it| it.id == id) {
                    Some(expense) => reference.record(expense, change),
                    None => reference.findings.push(Finding::Lost(format!("{change:?}"))),
                }
            } else {
                reference.follow(change, model);
            }
        }
        let untold = expenses.iter().filter(|it| !told.contains(&it.id));
        reference.findings.extend(untold.map(|it| Finding::Twice(format!("untold: {it:?}"))));
        let stored: BTreeMap<String, &Schedule> =
            state.schedules.iter().map(|it| (it.id.to_string(), it)).collect();
        if !stored.keys().eq(reference.plans.keys()) {
            let text = format!("{:?}, and not {:?}", stored.keys(), reference.plans.keys());
            reference.findings.push(Finding::Lost(text));
        }
        for (id, plan) in &reference.plans {
            let today = today(now, plan.rule.zone.1);
            let missed = plan.due(today);
            let next = plan.dates(today.plus(400)).into_iter().find(|date| *date > today);
            let is_as_said = stored
                .get(id)
                .is_some_and(|it| plan.paused && it.paused || !it.paused && it.next_date == next);
            if !missed.is_empty() {
                let text = format!("{missed:?} of {id} on {today}: {plan:?}");
                reference.findings.push(Finding::Lost(text));
            } else if !is_as_said {
                let text = format!("{:?} has not {next:?}: {plan:?}", stored.get(id));
                reference.findings.push(Finding::Wrong(text));
            }
        }
        reference.findings
    }

    /// A change that is not an expense.
    fn follow(&mut self, change: &GroupChange, model: &Model) {
        let subject = &change.subject;
        let at = change.at.to_string();
        let schedule = subject.schedule.as_ref().map(|it| it.id.to_string()).unwrap_or_default();
        let asked = model.asked.get(&(schedule.clone(), at)).cloned();
        let member = subject.member.as_ref().and_then(|it| it.id.user()).map(UserId::number);
        let by = change.actor_id.number();
        match (subject.kind, asked, member) {
            (ChangeKind::ScheduleAdded, Some(Asked::Make(rule, template)), _) => {
                let skips = Vec::new();
                let from = rule.start;
                let plan = Plan {
                    rule,
                    template,
                    skips,
                    from,
                    paused: false,
                    refused: false,
                    actor: by,
                    last: None,
                };
                self.plans.insert(schedule, plan);
            }
            (ChangeKind::ScheduleEdited, Some(Asked::Change(user, edit)), _) if user == by => {
                let plan = self.plans.get_mut(&schedule).unwrap();
                plan.change(edit, by, today(change.at, plan.rule.zone.1));
            }
            (ChangeKind::ScheduleDeleted, ..) => drop(self.plans.remove(&schedule)),
            (ChangeKind::SchedulePaused, ..) => {
                let plan = self.plans.get_mut(&schedule).unwrap();
                let today = today(change.at, plan.rule.zone.1);
                let named = plan.clone();
                (plan.paused, plan.refused) = (true, true);
                if named.paused || named.dates(today).is_empty() || self.is_possible(&named) {
                    self.findings
                        .push(Finding::Wrong(format!("{change:?} without reason: {named:?}")));
                }
            }
            (ChangeKind::MemberJoined, _, Some(user)) => drop(self.present.insert(user)),
            (ChangeKind::MemberLeft, _, Some(user)) => drop(self.present.remove(&user)),
            (ChangeKind::GroupChanged, ..) => {
                let title = subject.group.as_ref().map(|it| it.title.clone()).unwrap_or_default();
                self.default = model.defaults.get(&title).cloned();
            }
            (ChangeKind::SettlementRecorded, ..) => {}
            _ => self.findings.push(Finding::Wrong(format!("nobody asked for {change:?}"))),
        }
    }

    /// Members who share an expense of a plan now.
    fn sharers(&self, plan: &Plan) -> Weights {
        let mut shares = match (&plan.template.shares, &self.default) {
            (Some(shares), _) => shares.clone(),
            (None, None) => self.present.iter().map(|user| (*user, 1)).collect(),
            (None, Some((named, others))) => {
                let weight =
                    |user: &u64| named.iter().find(|(it, _)| it == user).map_or(*others, |it| it.1);
                self.present.iter().map(|user| (*user, weight(user))).collect()
            }
        };
        shares.retain(|(_, weight)| *weight > 0);
        shares
    }

    /// Whether an expense of a plan can be recorded now.
    fn is_possible(&self, plan: &Plan) -> bool {
        let sharers = self.sharers(plan);
        let mut named =
            sharers.iter().map(|(user, _)| user).chain([&plan.actor, &plan.template.payer]);
        !sharers.is_empty() && named.all(|user| self.present.contains(user))
    }

    /// An expense, which has to be that of the next date.
    fn record(&mut self, expense: &Expense, change: &GroupChange) {
        let id = expense.schedule_id.map(|it| it.to_string()).unwrap_or_default();
        let Some(plan) = self.plans.get(&id).cloned() else {
            return self.findings.push(Finding::Twice(format!("of no schedule: {expense:?}")));
        };
        let today = today(change.at, plan.rule.zone.1);
        let date = expense.day();
        let due = if plan.paused { Vec::new() } else { plan.dates(today) };
        // Those that are too old are passed over, unless the keeper began days ago.
        let is_next = due.contains(&date) && plan.due(today).iter().all(|it| *it >= date);
        let minor = |amount| expense.currency.to_minor(amount).unwrap();
        let shares: Weights = expense
            .splits
            .iter()
            .map(|it| (it.user_id.user().unwrap().number(), minor(it.amount)))
            .collect();
        let sharers = self.sharers(&plan);
        let whole: i64 = sharers.iter().map(|(_, weight)| weight).sum();
        let divided = shares.len() == sharers.len()
            && shares.iter().map(|(_, share)| share).sum::<i64>() == plan.template.minor
            && shares.iter().zip(&sharers).all(|((user, share), (of, weight))| {
                let product = i128::from(plan.template.minor) * i128::from(*weight);
                user == of && near(*share, 0, product, whole.into())
            });
        let is_as_asked = minor(expense.amount) == plan.template.minor
            && expense.description == plan.template.label
            && expense.payer_id.user().unwrap().number() == plan.template.payer
            && change.actor_id.number() == plan.actor
            && self.is_possible(&plan);
        if !is_next {
            let text = format!("{date} of {id} on {today}, and not one of {due:?}: {plan:?}");
            let again = plan.last.is_some_and(|last| date <= last);
            self.findings.push(if again { Finding::Twice(text) } else { Finding::Wrong(text) });
        }
        if !divided || !is_as_asked {
            let text = format!("{expense:?} is not of {plan:?}, shared by {sharers:?}");
            self.findings.push(Finding::Off(text));
        }
        let plan = self.plans.get_mut(&id).unwrap();
        plan.skips.retain(|skip| *skip > date);
        (plan.from, plan.last) = (date.plus(1), Some(date));
    }
}
