//! Random use of guests: users add, rename and link them, and record what they pay and share, while
//! faults are injected.
//!
//! The model is a list of the acknowledged requests. Each keyed request is repeated until it has an
//! answer, so the table must have the effect of exactly these.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
};

use axum::http::{Method, StatusCode};
use fracti_core::{
    group::Member,
    values::id::{GroupId, MemberId, UserId},
};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::{Actor, Finding, Report, World, state::State};
use crate::client::Reply;

/// Users of a run.
const USERS: u64 = 3;

/// Requests of each user.
const STEPS: usize = 7;

/// Effects of the acknowledged requests.
#[derive(Debug, Default)]
struct Model {
    /// The users who have joined.
    joined: BTreeSet<u64>,
    guests: Vec<String>,
    /// The users to whom guests were linked.
    links: BTreeMap<String, u64>,
    /// Expenses by id, with their description.
    expenses: BTreeMap<String, String>,
    settlements: BTreeSet<String>,
    deleted: BTreeSet<String>,
    acknowledged: u64,
    refused: u64,
    findings: Vec<Finding>,
}

/// A user who acts in the group of a run.
struct Guide {
    actor: Actor,
    group: String,
    model: Arc<Mutex<Model>>,
}

/// Runs the simulation of one seed.
pub(super) async fn run(seed: u64) -> Report {
    let world = World::new(seed).await;
    world.proxy.start_faults();
    let group = world.user(1).create_group().await;
    let model = Arc::new(Mutex::new(Model::default()));
    let mut users = JoinSet::new();
    for user in 1..=USERS {
        let group = group.clone();
        let model = model.clone();
        let mut guide = Guide { actor: world.user(user), group, model };
        users.spawn(async move {
            guide.actor.join(&guide.group).await;
            guide.model.lock().unwrap().joined.insert(user);
            guide.create_guest().await;
            for _ in 0..STEPS {
                guide.act().await;
            }
        });
    }
    users.join_all().await;
    world.proxy.stop_faults().await;
    let mut observer = world.observer();
    observer.read_past(&group).await;
    let mut report = Report::default();
    let model = std::mem::take(&mut *model.lock().unwrap());
    (report.acknowledged, report.refused) = (model.acknowledged, model.refused);
    let state = State::read(&world.proxy.client).await;
    let id: GroupId = group.parse().unwrap();
    for finding in check(&state, id, model) {
        report.find(finding);
    }
    world.conclude(report, id, &observer, state).await
}

impl Guide {
    fn path(&self, rest: &str) -> String {
        format!("/api/groups/{}{rest}", self.group)
    }

    /// Sends a request until it has an answer.
    async fn ask(&mut self, method: Method, path: &str, body: Value) -> Reply {
        let key =
            (method == Method::POST).then(|| format!("k-{}", self.actor.journal.unique_tag()));
        loop {
            let reply = self.actor.call(&method, path, &body, key.as_deref()).await;
            let answered = |it: &Reply| !it.status.is_server_error() && it.code() != "CONFLICT";
            let Some(reply) = reply.filter(answered) else { continue };
            let mut model = self.model.lock().unwrap();
            if reply.status.is_success() {
                model.acknowledged += 1;
            } else {
                model.refused += 1;
            }
            return reply;
        }
    }

    /// Reports a refusal with another code than these.
    fn expect(&self, reply: &Reply, codes: &[&str]) {
        if !reply.status.is_success() && !codes.contains(&reply.code()) {
            let text = format!("refused without reason: {reply:?}");
            self.model.lock().unwrap().findings.push(Finding::Wrong(text));
        }
    }

    /// A user or a guest, who may be linked.
    fn member(&mut self) -> String {
        let model = self.model.lock().unwrap();
        let users = model.joined.iter().map(ToString::to_string);
        let members: Vec<_> = users.chain(model.guests.clone()).collect();
        self.actor.rng.choice(members).unwrap()
    }

    fn some(&mut self, of: impl Fn(&Model) -> Vec<String>) -> Option<String> {
        let all = of(&self.model.lock().unwrap());
        self.actor.rng.choice(all)
    }

    async fn act(&mut self) {
        match self.actor.rng.u32(0..12) {
            0 => self.create_guest().await,
            1 => self.rename().await,
            2 | 3 => self.link().await,
            4..7 => self.spend().await,
            7 | 8 => self.edit().await,
            9 => self.delete().await,
            _ => self.pay().await,
        }
    }

    async fn create_guest(&mut self) {
        // Some names collide.
        let name = format!("Guest {}", self.actor.journal.unique_tag() / 2);
        let path = self.path("/members");
        let reply = self.ask(Method::POST, &path, json!({ "name": name })).await;
        self.expect(&reply, &["NAME_TAKEN"]);
        if let Some(id) = reply.body["data"]["id"].as_str() {
            self.model.lock().unwrap().guests.push(id.to_owned());
        }
    }

    async fn rename(&mut self) {
        let Some(guest) = self.some(|it| it.guests.clone()) else { return };
        let name = format!("GUEST {}", self.actor.journal.unique_tag() / 2);
        let path = self.path(&format!("/members/{guest}"));
        let reply = self.ask(Method::PATCH, &path, json!({ "name": name })).await;
        self.expect(&reply, &["NAME_TAKEN", "ALREADY_LINKED"]);
    }

    async fn link(&mut self) {
        let Some(guest) = self.some(|it| it.guests.clone()) else { return };
        let joined = self.model.lock().unwrap().joined.clone();
        let user = self.actor.rng.choice(joined).unwrap();
        let path = self.path(&format!("/members/{guest}/link"));
        if self.actor.rng.u32(0..5) == 0 {
            let reply = self.ask(Method::DELETE, &path, Value::Null).await;
            self.expect(&reply, &["ALREADY_LINKED", "LINK_NOT_FOUND", "NOT_ALLOWED"]);
            return;
        }
        let reply = self.ask(Method::POST, &path, json!({ "userId": user.to_string() })).await;
        self.expect(&reply, &["ALREADY_LINKED", "LINK_PROPOSED"]);
        let linked = reply.body["data"]["linkedTo"].as_str();
        if linked.is_some() != (reply.status == StatusCode::OK) {
            let finding = Finding::Wrong(format!("linked or proposed? {reply:?}"));
            self.model.lock().unwrap().findings.push(finding);
        }
        if let Some(linked) = linked {
            let mut model = self.model.lock().unwrap();
            let before = model.links.insert(guest.clone(), user);
            if before.is_some_and(|before| before != user) || linked != user.to_string() {
                let text = format!("{guest} was linked to {before:?} and to {user}");
                model.findings.push(Finding::Twice(text));
            }
        }
    }

    async fn spend(&mut self) {
        let label = format!("Expense {}", self.actor.journal.unique_tag());
        let payer = self.member();
        let one = self.member();
        let other = self.member();
        let mut sharers = vec![one];
        sharers.extend((sharers[0] != other).then_some(other));
        let splits: Vec<_> = sharers.iter().map(|id| json!({ "userId": id })).collect();
        let amount = self.actor.rng.i64(1..100_000);
        let body = json!({
            "amount": format!("{}.{:02}", amount / 100, amount % 100), "description": label,
            "payerId": payer, "splits": splits,
        });
        let path = self.path("/expenses");
        let reply = self.ask(Method::POST, &path, body).await;
        // A guest and the user to whom the guest is linked are one.
        self.expect(&reply, &["VALIDATION_ERROR"]);
        if let Some(id) = reply.body["data"]["id"].as_str() {
            self.model.lock().unwrap().expenses.insert(id.to_owned(), label);
        }
    }

    async fn edit(&mut self) {
        let Some(expense) = self.some(|it| it.expenses.keys().cloned().collect()) else { return };
        let body = json!({ "amount": self.actor.rng.i64(1..1_000), "payerId": self.member() });
        let path = self.path(&format!("/expenses/{expense}"));
        let reply = self.ask(Method::PUT, &path, body).await;
        self.expect(&reply, &["NOT_ALLOWED", "EXPENSE_NOT_FOUND"]);
    }

    async fn delete(&mut self) {
        let Some(expense) = self.some(|it| it.expenses.keys().cloned().collect()) else { return };
        let path = self.path(&format!("/expenses/{expense}"));
        // A repeated deletion finds nothing.
        self.model.lock().unwrap().deleted.insert(expense);
        let reply = self.ask(Method::DELETE, &path, Value::Null).await;
        self.expect(&reply, &["NOT_ALLOWED", "EXPENSE_NOT_FOUND"]);
    }

    async fn pay(&mut self) {
        let other = self.member();
        let own = self.actor.user.to_string();
        let (from, to) = if self.actor.rng.bool() { (own, other) } else { (other, own) };
        // Some are recorded by both sides.
        let most = if self.actor.rng.bool() { 3 } else { 1_000 };
        let amount = self.actor.rng.i64(1..most);
        let mut body = json!({ "fromId": from, "toId": to, "amount": amount });
        let path = self.path("/settlements");
        let mut reply = self.ask(Method::POST, &path, body.clone()).await;
        self.expect(&reply, &["VALIDATION_ERROR", "PAYMENT_PENDING"]);
        if reply.code() == "PAYMENT_PENDING" {
            let named = reply.body["details"][0]["settlementId"].as_str().unwrap_or_default();
            let named = self.actor.read(&format!("{path}/{named}")).await;
            if named.is_some_and(|it| it["data"]["amount"] != amount) {
                self.model.lock().unwrap().findings.push(Finding::Wrong(format!("{reply:?}")));
            }
            body["separate"] = json!(true);
            reply = self.ask(Method::POST, &path, body).await;
            self.expect(&reply, &["VALIDATION_ERROR"]);
        }
        let Some(id) = reply.body["data"]["id"].as_str() else { return };
        self.model.lock().unwrap().settlements.insert(id.to_owned());
        let path = self.path(&format!("/settlements/{id}"));
        let status = if self.actor.rng.bool() { "completed" } else { "failed" };
        let reply = self.ask(Method::PUT, &path, json!({ "status": status })).await;
        self.expect(&reply, &["NOT_ALLOWED", "SETTLEMENT_FINAL"]);
    }
}

/// Compares the rows of a group with the model.
fn check(state: &State, group: GroupId, model: Model) -> Vec<Finding> {
    let Model { guests, links, expenses, settlements, deleted, mut findings, .. } = model;
    let members: BTreeMap<MemberId, &Member> = state
        .members
        .iter()
        .filter(|((of, _), _)| *of == group)
        .map(|((_, id), it)| (*id, it))
        .collect();
    let ids = |of: &mut dyn Iterator<Item = String>| of.collect::<BTreeSet<String>>();
    let rows = ids(&mut members.values().filter(|it| it.guest).map(|it| it.id.to_string()));
    if rows != ids(&mut guests.iter().cloned()) {
        findings.push(Finding::Lost(format!("the guests {rows:?} instead of {guests:?}")));
    }
    let linked: BTreeMap<String, u64> = members
        .values()
        .filter_map(|it| Some((it.id.to_string(), it.linked_to?.number())))
        .collect();
    if linked != links {
        findings.push(Finding::Lost(format!("the links {linked:?} instead of {links:?}")));
    }
    let named = |user: u64| {
        let user = members.get(&UserId::new(user).unwrap().into());
        user.map(|it| ids(&mut it.guests.iter().map(ToString::to_string))).unwrap_or_default()
    };
    for user in 1..=USERS {
        let expected =
            ids(&mut links.iter().filter(|(_, of)| **of == user).map(|(id, _)| id.clone()));
        if named(user) != expected {
            findings.push(Finding::Wrong(format!("user {user} has {:?}", named(user))));
        }
    }
    let mut names = BTreeSet::new();
    for member in members.values().filter(|it| it.linked_to.is_none()) {
        if !names.insert(member.name.to_lowercase()) {
            findings.push(Finding::Twice(format!("two members are called {}", member.name)));
        }
    }
    let recorded: BTreeMap<String, String> = state
        .expenses_of(group)
        .iter()
        .map(|it| (it.id.to_string(), it.description.clone()))
        .collect();
    for (id, label) in &recorded {
        if expenses.get(id) != Some(label) {
            findings.push(Finding::Twice(format!("the expense {id}, {label}")));
        }
    }
    for id in expenses.keys().filter(|id| !recorded.contains_key(*id) && !deleted.contains(*id)) {
        findings.push(Finding::Lost(format!("the expense {id}")));
    }
    let paid = ids(&mut state.settlements_of(group).iter().map(|it| it.id.to_string()));
    if paid != settlements {
        findings.push(Finding::Twice(format!("the payments {paid:?} instead of {settlements:?}")));
    }
    findings
}
