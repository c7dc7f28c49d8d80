//! Random use of questions: users ask, answer, claim, close and apply, leave and come back, while
//! faults are injected.
//!
//! Each answer says that it took a time that no other has, so a stored one tells which request it
//! is of. A request without an answer may have been carried out once, or not at all.

mod check;
mod receipt;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::http::Method;
use fracti_core::values::id::GroupId;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::{Actor, Finding, Outcome, Report, World, state::State};
use crate::client::Reply;

/// Users of a run. Three others answer, as many as an anonymous question needs.
const USERS: u64 = 4;

/// Requests of each user.
const STEPS: usize = 12;

/// Number of the newest questions that users are interested in, so that they meet.
const NEWEST: usize = 3;

/// Kind of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Ask,
    Answer,
    Claim,
    Close,
    Apply,
}

/// A request, with its outcome.
#[derive(Clone, Debug)]
struct Sent {
    user: u64,
    kind: Kind,
    /// Id of the question; empty while it is asked.
    question: String,
    body: Value,
    outcome: Outcome,
    span: Span,
}

/// The time of a request in the order of a run. If the outcome is unknown, it does not end.
#[derive(Clone, Copy, Debug)]
struct Span {
    begin: u64,
    end: u64,
}

/// The absence of a user.
#[derive(Clone, Copy, Debug)]
struct Absence {
    user: u64,
    left: Span,
    back: Span,
}

/// The requests of a run.
#[derive(Debug, Default)]
struct Model {
    sent: Vec<Sent>,
    guests: Vec<String>,
    absences: Vec<Absence>,
    findings: Vec<Finding>,
}

/// A user of a run.
struct Asker {
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
    let user = |user| Asker { actor: world.user(user), group: group.clone(), model: model.clone() };
    for asker in (1..=USERS).map(user) {
        asker.actor.clone().join(&group).await;
    }
    for guest in ["Grace", "Gus"] {
        user(1).create_guest(guest).await;
    }
    let mut users = JoinSet::new();
    for mut asker in (1..=USERS).map(user) {
        users.spawn(async move {
            asker.ask().await;
            for _ in 0..STEPS {
                asker.act().await;
            }
        });
    }
    users.join_all().await;
    world.proxy.stop_faults().await;
    let mut observer = world.observer();
    observer.read_past(&group).await;
    let mut report = Report::default();
    let state = State::read(&world.proxy.client).await;
    let seen = observer.read_questions(&state, &group).await;
    let model = std::mem::take(&mut *model.lock().unwrap());
    for sent in &model.sent {
        report.add(&sent.outcome);
    }
    let id: GroupId = group.parse().unwrap();
    for finding in check::check(&state, &model, &seen, observer.now()) {
        report.find(finding);
    }
    world.conclude(report, id, &observer, state).await
}

impl Actor {
    /// All questions of the group, by id.
    async fn read_questions(&self, state: &State, group: &str) -> BTreeMap<String, Value> {
        let mut seen = BTreeMap::new();
        for question in &state.questions {
            let path = format!("/api/groups/{group}/questions/{}", question.id);
            if let Some(body) = self.read(&path).await {
                seen.insert(question.id.to_string(), body["data"].clone());
            }
        }
        seen
    }
}

impl Asker {
    fn path(&self, rest: &str) -> String {
        format!("/api/groups/{}{rest}", self.group)
    }

    /// Sends a request until it has an answer.
    async fn until_answered(&mut self, path: &str, body: Value) -> (Reply, Span) {
        let begin = self.actor.journal.unique_tag();
        let key = format!("k-{begin}");
        loop {
            let reply = self.actor.call(&Method::POST, path, &body, Some(&key)).await;
            let answered = |it: &Reply| !it.status.is_server_error() && it.code() != "CONFLICT";
            let Some(reply) = reply.filter(answered) else { continue };
            return (reply, Span { begin, end: self.actor.journal.unique_tag() });
        }
    }

    fn find(&self, finding: Finding) {
        self.model.lock().unwrap().findings.push(finding);
    }

    async fn create_guest(&mut self, name: &str) {
        let (reply, _) = self.until_answered(&self.path("/members"), json!({ "name": name })).await;
        let id = reply.body["data"]["id"].as_str().unwrap().to_owned();
        self.model.lock().unwrap().guests.push(id);
    }

    async fn act(&mut self) {
        let millis = self.actor.rng.u64(0..3);
        self.actor.pass(Duration::from_millis(millis));
        match self.actor.rng.u32(0..24) {
            0..3 => self.ask().await,
            3..14 => self.respond().await,
            14 | 15 => self.close().await,
            16..20 => self.apply().await,
            20 | 21 => self.read().await,
            22 => self.leave_and_return().await,
            _ => self.actor.pass(Duration::from_secs(25)),
        }
    }

    /// One of the newest questions that are known and chosen: its id, and the request that asked
    /// it.
    fn some(&mut self, chosen: impl Fn(&Sent) -> bool) -> Option<(String, Sent)> {
        let model = self.model.lock().unwrap();
        let asked = model.sent.iter().rev().filter(|it| it.kind == Kind::Ask && chosen(it));
        let known =
            asked.filter_map(|it| Some((it.data()?["id"].as_str()?.to_owned(), it.clone())));
        let known: Vec<_> = known.take(NEWEST).collect();
        self.actor.rng.choice(known)
    }

    /// A member whose answer a user sends: usually their own, or that of a guest who is asked.
    fn answerer(&mut self, asked: &Sent) -> String {
        if self.actor.rng.u32(0..10) == 0 {
            return self.member();
        }
        let mut own = self.model.lock().unwrap().guests.clone();
        own.push(self.actor.user.to_string());
        own.retain(|it| asked.asks(it));
        self.actor.rng.choice(own).unwrap_or_else(|| self.member())
    }

    /// A user or a guest.
    fn member(&mut self) -> String {
        let guests = self.model.lock().unwrap().guests.clone();
        let members = (1..=USERS).map(|user| user.to_string()).chain(guests);
        self.actor.rng.choice(members.collect::<Vec<_>>()).unwrap()
    }

    async fn ask(&mut self) {
        let prompt = format!("Question {}", self.actor.journal.unique_tag());
        let mut body = json!({ "prompt": prompt });
        let rng = &mut self.actor.rng;
        match rng.u32(0..4) {
            0 => body["type"] = json!("text"),
            1 => {
                body["type"] = json!("multiple_choice");
                body["options"] = json!(["Pizza", "Sushi", "Soup"]);
            }
            _ => {
                body["type"] = json!("items");
                body["receipt"] = self.receipt(&prompt);
            }
        }
        let rng = &mut self.actor.rng;
        if rng.u32(0..8) == 0 {
            body["timeoutSeconds"] = json!(60);
        }
        if rng.u32(0..4) == 0 {
            let one = self.member();
            let other = self.member();
            let mut audience = vec![one];
            audience.extend((audience[0] != other).then_some(other));
            body["audience"] = json!(audience);
        } else if body["type"] != "items" {
            match rng.u32(0..3) {
                0 => body["anonymous"] = json!(true),
                1 => body["requiredResponses"] = json!(rng.u64(1..USERS)),
                _ => {}
            }
        }
        self.send(Kind::Ask, String::new(), body).await;
    }

    /// A receipt with some items that are claimed.
    fn receipt(&mut self, description: &str) -> Value {
        let rng = &mut self.actor.rng;
        let mut item = |name: &str, least: u64| {
            let amount = rng.u64(least..5_000);
            let amount = format!("{}.{:02}", amount / 100, amount % 100);
            let mut item = json!({ "name": name, "amount": amount });
            if rng.bool() {
                item["quantity"] = json!(rng.u64(1..5));
            }
            item
        };
        let mut items = vec![item("Wine", 1), item("Pasta", 0), item("Bread", 0)];
        if rng.u32(0..4) == 0 {
            items[2]["amount"] = json!(0);
        }
        let tax = format!("{}.{:02}", rng.u64(0..9), rng.u64(1..100));
        items.push(json!({ "kind": "tax", "name": "Tax", "amount": tax }));
        if self.actor.rng.u32(0..3) == 0 {
            let one = self.member();
            let other = self.member();
            let mut sharers = vec![json!({ "userId": one, "weight": 2 })];
            sharers.extend((one != other).then(|| json!({ "userId": other, "weight": 3 })));
            items[1]["sharers"] = json!(sharers);
        }
        json!({ "description": description, "payerId": self.member(), "items": items })
    }

    /// Answers a question, or claims items of it.
    async fn respond(&mut self) {
        let Some((question, asked)) = self.some(|_| true) else { return };
        let mut body = json!({
            "userId": self.answerer(&asked), "responseTimeMs": self.actor.journal.unique_tag(),
        });
        let rng = &mut self.actor.rng;
        match asked.body["type"].as_str() {
            Some("text") => body["answer"] = json!(format!("Answer {}", rng.u32(..))),
            Some("multiple_choice") => body["selectedOption"] = json!(rng.u32(0..3)),
            _ => {
                let lines = asked.body["receipt"]["items"].as_array().unwrap();
                let mut items = Vec::new();
                for (index, line) in lines.iter().enumerate() {
                    let is_claimable = line.get("kind").or_else(|| line.get("sharers")).is_none();
                    if is_claimable && rng.bool() {
                        items.push(json!({ "item": index }));
                        if rng.bool() {
                            items.last_mut().unwrap()["count"] =
                                json!(rng.choice(["0.5", "1", "2", "1.25"]));
                        }
                    }
                }
                body["items"] = json!(items);
            }
        }
        let kind = if asked.body["type"] == "items" { Kind::Claim } else { Kind::Answer };
        self.send(kind, question, body).await;
    }

    async fn close(&mut self) {
        let user = self.actor.user;
        let any = self.actor.rng.u32(0..3) == 0;
        let Some((question, _)) = self.some(|asked| any || asked.user == user) else { return };
        self.send(Kind::Close, question, Value::Null).await;
    }

    async fn apply(&mut self) {
        let Some((question, _)) = self.some(|asked| asked.body["type"] == "items") else { return };
        let unclaimed = self.actor.rng.choice(["reject", "claimers", "payers"]).unwrap();
        let body = json!({ "unclaimed": unclaimed });
        let outcome = self.send(Kind::Apply, question.clone(), body.clone()).await;
        if outcome == Outcome::Refused("PAYER_LEFT".to_owned()) {
            let payer = self.actor.user.to_string();
            let body = json!({ "unclaimed": unclaimed, "payerId": payer });
            self.send(Kind::Apply, question, body).await;
        }
    }

    /// Reads a question, which must have all answers that were acknowledged before.
    async fn read(&mut self) {
        let Some((question, asked)) = self.some(|it| it.body["anonymous"] != true) else { return };
        let before: Vec<Value> = {
            let model = self.model.lock().unwrap();
            let answered = |it: &&Sent| it.question == question && it.is_answer() && it.is_done();
            model.sent.iter().filter(answered).map(|it| it.body["userId"].clone()).collect()
        };
        let path = self.path(&format!("/questions/{question}"));
        let Some(body) = self.actor.read(&path).await else { return };
        let answers = body["data"]["answers"].as_array().unwrap();
        let shown: Vec<&Value> = answers.iter().map(|it| &it["userId"]).collect();
        if !before.iter().all(|member| shown.contains(&member)) {
            let text = format!("{asked:?} shows answers of {shown:?}, and not of {before:?}");
            self.find(Finding::Lost(text));
        }
    }

    /// Leaves the group, tries to answer a question, and joins again.
    async fn leave_and_return(&mut self) {
        let (reply, left) = self.until_answered(&self.path("/leave"), json!({})).await;
        if !reply.status.is_success() {
            if reply.code() != "NOT_SETTLED" {
                self.find(Finding::Wrong(format!("cannot leave: {reply:?}")));
            }
            return;
        }
        self.respond().await;
        let (reply, back) = self.until_answered(&self.path("/join"), json!({})).await;
        if !reply.status.is_success() {
            self.find(Finding::Wrong(format!("cannot come back: {reply:?}")));
        }
        let absence = Absence { user: self.actor.user, left, back };
        self.model.lock().unwrap().absences.push(absence);
    }

    /// Sends a request as clients do: once, with retries, twice at once, with an idempotency key or
    /// without.
    async fn send(&mut self, kind: Kind, question: String, body: Value) -> Outcome {
        let begin = self.actor.journal.unique_tag();
        let key = (self.actor.rng.u32(0..3) > 0).then(|| format!("key-{begin}"));
        let place = {
            let user = self.actor.user;
            let outcome = Outcome::Unknown;
            let (question, body, span) =
                (question.clone(), body.clone(), Span { begin, end: u64::MAX });
            let mut model = self.model.lock().unwrap();
            model.sent.push(Sent { user, kind, question, body, outcome, span });
            model.sent.len() - 1
        };
        let (method, rest) = match kind {
            Kind::Ask => (Method::POST, "/questions".to_owned()),
            Kind::Answer => (Method::POST, format!("/questions/{question}/answers")),
            Kind::Claim => (Method::PUT, format!("/questions/{question}/claims")),
            Kind::Close => (Method::POST, format!("/questions/{question}/close")),
            Kind::Apply => (Method::POST, format!("/questions/{question}/apply")),
        };
        let path = self.path(&rest);
        let mut rng = self.actor.rng.fork();
        let key = key.as_deref();
        let outcome = self.actor.send(&mut rng, &method, &path, &body, key).await;
        {
            let mut model = self.model.lock().unwrap();
            let end = self.actor.journal.unique_tag();
            model.sent[place].outcome = outcome.clone();
            if outcome != Outcome::Unknown {
                model.sent[place].span.end = end;
            }
        }
        // Repeated, a refused request may be carried out.
        if key.is_some() && matches!(outcome, Outcome::Done(_)) && rng.u32(0..4) == 0 {
            self.actor.same(&path, &outcome, &self.actor.once(&method, &path, &body, key).await);
        }
        outcome
    }
}

impl Sent {
    /// The data of a successful response.
    const fn data(&self) -> Option<&Value> {
        match &self.outcome {
            Outcome::Done(data) => Some(data),
            _ => None,
        }
    }

    const fn is_done(&self) -> bool {
        self.data().is_some()
    }

    /// Whether it may have been carried out.
    const fn is_possible(&self) -> bool {
        !matches!(self.outcome, Outcome::Refused(_))
    }

    /// Whether the question that it asks is for the member.
    fn asks(&self, member: &str) -> bool {
        match self.body["audience"].as_array() {
            Some(audience) => audience.iter().any(|it| it == member),
            None if self.body["type"] == "items" => true,
            None => member.parse::<u64>().is_ok_and(|user| user != self.user),
        }
    }

    fn is_answer(&self) -> bool {
        [Kind::Answer, Kind::Claim].contains(&self.kind)
    }
}

impl Span {
    const fn is_before(self, other: Self) -> bool {
        self.end < other.begin
    }
}
