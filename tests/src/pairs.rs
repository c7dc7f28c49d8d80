//! The explorer of pairs: two writes in two instances, one of them held, late or lost.
//!
//! For writes A and B on one scene, B is disturbed at every place where DynamoDB and the network
//! can disturb it, while A runs from its beginning to its end. The oracle is the API itself: what
//! both are answered and what is stored must be what one of the two orders gives, one request after
//! the other and undisturbed. A request that is answered 503, or 409 `CONFLICT`, may also have done
//! nothing.

mod scene;
mod shape;
mod writes;

use std::{
    collections::BTreeMap,
    fmt::{self, Write as _},
};

use serde_json::Value;
use tokio::task::JoinHandle;

use crate::{
    client::Reply,
    faults::{Call, Effect, WRITE},
};
pub use scene::Stage;
use shape::{Compared, shape};
pub use writes::{Write, writes};

/// The channels of A and B.
const CHANNELS: [usize; 2] = [0, 1];

/// Disturbance of B.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Schedule {
    /// B waits before its nth request to the table while A runs.
    Held(usize),
    /// B's first transaction is lost on the way, and B waits before its nth request after that
    /// while A runs.
    LostThenHeld(usize),
    /// B's first transaction is on its way while B is told of a conflict and goes on. A runs before
    /// B's nth request after that; then the transaction arrives.
    Late(usize),
    /// As `Late`, but B's connection is cut instead of the conflict.
    CutLate(usize),
    /// As `Late`, but A runs after B was answered, and then the transaction arrives.
    LateAfterAnswer,
    /// B's first transaction is on its way when B's instance dies; A runs, B is repeated, the
    /// transaction arrives, and B is repeated once more.
    Died,
    /// B's first transaction is lost and B's instance dies; A runs, and B is repeated.
    Lost,
}

/// Pairs whose outcome may be of neither order, and why that is right.
const KNOWN: [([&str; 2], &str); 6] = [
    (
        ["give a bonus", "accept payments no more"],
        "the answer to B has the other funds as they were read, and B changes none of them",
    ),
    (
        ["delete an imported expense", "import a file"],
        "B left out the row that A deleted, as if A had come later, but has a later number",
    ),
    (
        ["delete an imported expense", "import a file with another name"],
        "B left out the row that A deleted, as if A had come later, but has a later number",
    ),
    (
        ["change the currency", "record an expense in the chat"],
        "the amount is in the currency that the group had when it was read, and the reply says so",
    ),
    (
        ["leave the chat", "say something in the chat"],
        "what was written before the bot had to go does not bring it back",
    ),
    (
        ["leave the chat", "choose a currency in the chat"],
        "what was pressed before the bot had to go does not bring it back",
    ),
];

/// A pair of writes. The second one is disturbed.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The undisturbed one, and the number of its user.
    pub a: (Write, u64),
    /// The disturbed one, and the number of its user.
    pub b: (Write, u64),
    /// Whether B has an idempotency key.
    pub keyed: bool,
}

/// The outcome of a pair: the answers to A and B, and the rows, also those that a reader sees after
/// A was answered and before B's late transaction arrives.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Outcome {
    a: Option<Value>,
    b: Option<Value>,
    rows: Compared,
    seen: Option<Compared>,
    /// Whether A was first, if this is the outcome of an order.
    a_first: bool,
}

/// The answers to A and B, and what a reader sees in between.
type Answers = (Option<Reply>, Option<Reply>, Option<Compared>);

/// A schedule whose outcome is that of no order.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The schedule.
    pub schedule: Schedule,
    /// Description of the difference.
    pub text: String,
}

/// The number of schedules, and those that were wrong.
#[derive(Clone, Debug, Default)]
pub struct Explored {
    /// Schedules by their kind.
    pub schedules: BTreeMap<&'static str, u64>,
    /// The wrong ones.
    pub findings: Vec<Finding>,
    /// Number of those that are of neither order, and right.
    pub known: usize,
}

impl Pair {
    /// Whether A and B are the operations with these names.
    #[must_use]
    pub fn is(&self, a: &str, b: &str) -> bool {
        (self.a.0.name, self.b.0.name) == (a, b)
    }

    fn is_known(&self) -> bool {
        KNOWN.iter().any(|([a, b], _)| self.is(a, b))
    }
}

/// All pairs, with the same and with different users as far as the scene has them.
#[must_use]
pub fn pairs() -> Vec<Pair> {
    let writes = writes();
    let mut pairs = Vec::new();
    for a in &writes {
        for b in &writes {
            for by in b.by {
                for keyed in [true, false] {
                    let a = (a.clone(), a.by[0]);
                    let b = (b.clone(), *by);
                    pairs.push(Pair { a, b, keyed });
                }
            }
        }
    }
    pairs
}

impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [(a, by_a), (b, by_b)] = [&self.a, &self.b];
        let key = if self.keyed { " with a key" } else { "" };
        write!(f, "\"{}\" by {by_a}, while \"{}\" by {by_b}{key} is disturbed", a.name, b.name)
    }
}

impl Schedule {
    const fn kind(self) -> &'static str {
        match self {
            Self::Held(_) => "held",
            Self::LostThenHeld(_) => "first transaction lost, then held",
            Self::Late(_) => "first transaction late after a conflict",
            Self::CutLate(_) => "first transaction late after a cut",
            Self::LateAfterAnswer => "first transaction after both answers",
            Self::Died => "instance died, transaction late",
            Self::Lost => "instance died, transaction lost",
        }
    }
}

impl Stage {
    /// Runs all schedules of a pair.
    ///
    /// # Panics
    ///
    /// If an undisturbed request is not answered.
    pub async fn explore(&mut self, pair: &Pair) -> Explored {
        let mut explored = Explored::default();
        let orders = [self.in_order(pair, true).await, self.in_order(pair, false).await];
        let alone = self.alone(pair).await;
        let renames = pair.a.0.name.contains("name");
        let nth: &[fn(usize) -> Schedule] =
            &[Schedule::Held, Schedule::LostThenHeld, Schedule::Late, Schedule::CutLate];
        for schedule in nth {
            for place in 1.. {
                let schedule = schedule(place);
                let Some((outcome, reached)) = self.disturb(pair, schedule).await else { break };
                explored.add(schedule, &outcome, &orders, &alone, renames);
                if !reached {
                    break;
                }
            }
        }
        for schedule in [Schedule::LateAfterAnswer, Schedule::Died, Schedule::Lost] {
            // Without a key, a repetition is another request.
            if !pair.keyed && schedule != Schedule::LateAfterAnswer {
                continue;
            }
            if let Some((outcome, _)) = self.disturb(pair, schedule).await {
                // B was answered before A began.
                let valid = match schedule {
                    Schedule::LateAfterAnswer => &orders[1..],
                    _ => &orders[..],
                };
                explored.add(schedule, &outcome, valid, &alone, renames);
            }
        }
        if pair.is_known() {
            explored.known = std::mem::take(&mut explored.findings).len();
        }
        explored
    }

    /// The outcome of A and then B, or of B and then A.
    async fn in_order(&mut self, pair: &Pair, a_first: bool) -> Outcome {
        self.reset().await;
        let etag = self.etag(&pair.b).await;
        let (a, b);
        if a_first {
            a = self.ask(CHANNELS[0], &pair.a, None, None).await;
            b = self.ask(CHANNELS[1], &pair.b, pair.key(), etag.as_deref()).await;
        } else {
            b = self.ask(CHANNELS[1], &pair.b, pair.key(), etag.as_deref()).await;
            a = self.ask(CHANNELS[0], &pair.a, None, None).await;
        }
        Outcome { a_first, ..self.outcome(a, b, None).await }
    }

    /// The outcome of A without B.
    async fn alone(&mut self, pair: &Pair) -> Outcome {
        self.reset().await;
        let a = self.ask(CHANNELS[0], &pair.a, None, None).await;
        self.outcome(a, None, None).await
    }

    async fn outcome(
        &mut self,
        a: Option<Reply>,
        b: Option<Reply>,
        seen: Option<Compared>,
    ) -> Outcome {
        let rows = self.rows().await;
        let answer = |reply: Option<Reply>| reply.map(|reply| shape(&answer(&reply), &self.known));
        Outcome { a: answer(a), b: answer(b), rows, seen, a_first: false }
    }

    /// Runs a schedule. Returns the outcome, and whether B got to the place of the schedule; `None`
    /// if it sends no transaction that could be late.
    async fn disturb(&mut self, pair: &Pair, schedule: Schedule) -> Option<(Outcome, bool)> {
        self.reset().await;
        let etag = self.etag(&pair.b).await;
        let (answers, reached) = match schedule {
            Schedule::Held(nth) => self.hold(pair, etag, nth).await,
            Schedule::LostThenHeld(nth) | Schedule::Late(nth) | Schedule::CutLate(nth) => {
                self.lose(pair, etag, schedule, nth).await?
            }
            Schedule::LateAfterAnswer => (self.come_late(pair, etag).await?, true),
            Schedule::Died | Schedule::Lost => {
                (self.die(pair, etag, schedule == Schedule::Lost).await?, true)
            }
        };
        Some((self.outcome(answers.0, answers.1, answers.2).await, reached))
    }

    /// B waits before its nth request while A runs.
    async fn hold(&self, pair: &Pair, etag: Option<String>, nth: usize) -> (Answers, bool) {
        let mut seen = 0;
        let held = self.wire.take(Effect::Hold, move |call| {
            seen += usize::from(of_b(call));
            of_b(call) && seen == nth
        });
        let mut b = self.start(pair, etag);
        tokio::select! {
            () = held.arrived() => {
                let a = self.ask(CHANNELS[0], &pair.a, None, None).await;
                held.release().await;
                ((a, b.await.unwrap(), None), true)
            }
            b = &mut b => {
                ((self.ask(CHANNELS[0], &pair.a, None, None).await, b.unwrap(), None), false)
            }
        }
    }

    /// B's first transaction is lost or late, and B waits before its nth request after that while A
    /// runs.
    async fn lose(
        &self,
        pair: &Pair,
        etag: Option<String>,
        schedule: Schedule,
        nth: usize,
    ) -> Option<(Answers, bool)> {
        let lost = matches!(schedule, Schedule::LostThenHeld(_));
        let conflict = matches!(schedule, Schedule::Late(_));
        // The first hold that takes a request has it.
        let wire = &self.wire;
        let effect = if lost { Effect::Cut } else { Effect::HoldLate };
        let first = wire.take(effect, first_write());
        // Requests from the first transaction on; the one that is told of the conflict is skipped.
        let mut seen = 0;
        let nth = nth + usize::from(conflict);
        let held = wire.take(Effect::Hold, move |call| {
            seen += usize::from(of_b(call) && (seen > 0 || call.operation() == WRITE));
            of_b(call) && seen == nth
        });
        if conflict {
            wire.conflict();
        }
        let mut b = self.start(pair, etag);
        let done = tokio::select! {
            () = held.arrived() => {
                let a = self.ask(CHANNELS[0], &pair.a, None, None).await;
                let seen = Some(self.rows().await);
                if !lost {
                    first.release().await;
                }
                held.release().await;
                ((a, b.await.unwrap(), seen), true)
            }
            b = &mut b => {
                if !lost {
                    first.release().await;
                }
                ((self.ask(CHANNELS[0], &pair.a, None, None).await, b.unwrap(), None), false)
            }
        };
        wire.unforce();
        first.has_arrived().then_some(done)
    }

    /// B's first transaction arrives after A's answer, which is after B's answer.
    async fn come_late(&self, pair: &Pair, etag: Option<String>) -> Option<Answers> {
        let first = self.wire.take(Effect::HoldLate, first_write());
        self.wire.conflict();
        let b = self.start(pair, etag).await.unwrap();
        self.wire.unforce();
        let a = self.ask(CHANNELS[0], &pair.a, None, None).await;
        let seen = Some(self.rows().await);
        first.release().await;
        first.has_arrived().then_some((a, b, seen))
    }

    /// B's instance dies with its first transaction, A runs, and B is repeated.
    async fn die(&self, pair: &Pair, etag: Option<String>, lost: bool) -> Option<Answers> {
        let wire = &self.wire;
        let effect = if lost { Effect::Cut } else { Effect::HoldLate };
        let first = wire.take(effect, first_write());
        let mut dead = false;
        let cut = wire.take(Effect::Cut, move |call| {
            dead |= of_b(call) && call.operation() == WRITE;
            of_b(call) && dead
        });
        let died = self.start(pair, etag.clone()).await.unwrap();
        drop(cut);
        if !first.has_arrived() {
            return None;
        }
        let a = self.ask(CHANNELS[0], &pair.a, None, None).await;
        let is_answered = died.as_ref().is_some_and(|reply| reply.status.as_u16() < 500);
        let repeat = async || self.ask(CHANNELS[1], &pair.b, pair.key(), etag.as_deref()).await;
        let b = if is_answered { died } else { repeat().await };
        if lost {
            return Some((a, b, None));
        }
        first.release().await;
        let again = repeat().await;
        let content =
            |reply: &Option<Reply>| reply.as_ref().map(|reply| shape(&answer(reply), &self.known));
        let is_success = b.as_ref().is_some_and(|reply| reply.status.is_success());
        // The repetition may do what was refused.
        let differs = is_success && content(&b) != content(&again);
        Some((a, if differs { again } else { b }, None))
    }

    /// Starts B in a task.
    fn start(&self, pair: &Pair, etag: Option<String>) -> JoinHandle<Option<Reply>> {
        let stage = self.sender();
        let b = pair.b.clone();
        let key = pair.key();
        tokio::spawn(async move { stage.ask(CHANNELS[1], &b, key, etag.as_deref()).await })
    }
}

/// Whether a request to the table is of B.
fn of_b(call: &Call) -> bool {
    call.channel() == CHANNELS[1].to_string()
}

/// Takes B's first transaction.
fn first_write() -> impl FnMut(&Call) -> bool + Send + 'static {
    let mut writes = 0;
    move |call| {
        let is_write = of_b(call) && call.operation() == WRITE;
        writes += usize::from(is_write);
        is_write && writes == 1
    }
}

impl Pair {
    const fn key(&self) -> Option<&'static str> {
        if self.keyed { Some("the-key-of-b") } else { None }
    }
}

impl Explored {
    /// Adds what another pair gave.
    pub fn extend(&mut self, other: Self) {
        for (kind, count) in other.schedules {
            *self.schedules.entry(kind).or_default() += count;
        }
        self.findings.extend(other.findings);
        self.known += other.known;
    }

    fn add(
        &mut self,
        schedule: Schedule,
        outcome: &Outcome,
        orders: &[Outcome],
        alone: &Outcome,
        renames: bool,
    ) {
        *self.schedules.entry(schedule.kind()).or_default() += 1;
        let gave_up = |answer: &Option<Value>| {
            answer.as_ref().is_none_or(|answer| {
                answer["status"].as_u64() >= Some(500) || answer["error"] == "CONFLICT"
            })
        };
        // A request that gave up was done or not.
        let fits = |order: &Outcome| {
            let b = order.b == outcome.b || gave_up(&outcome.b);
            order.a == outcome.a && b && order.rows == outcome.rows
        };
        // A reader who saw A done and B not knows that B was not first, unless A only renames:
        // names in rows are of the moment of reading.
        let saw_a_alone = !renames && outcome.seen.as_ref().is_some_and(|seen| *seen == alone.rows);
        let only_first = saw_a_alone && outcome.rows != alone.rows;
        let orders: Vec<_> =
            orders.iter().filter(|order| order.a_first || !only_first).cloned().collect();
        // A request of several transactions says if another one stopped it after some of them.
        let is_partial =
            outcome.b.as_ref().is_some_and(|answer| answer["data"]["status"] == "undoing");
        let undone = gave_up(&outcome.b) && alone.a == outcome.a && alone.rows == outcome.rows;
        if undone || is_partial || orders.iter().any(fits) {
            return;
        }
        let differences: Vec<_> = orders.iter().map(|order| outcome.differs_from(order)).collect();
        let nearest = differences.into_iter().min_by_key(|text| text.lines().count());
        let nearest = nearest.unwrap_or_default();
        self.findings.push(Finding { schedule, text: nearest });
    }
}

impl Outcome {
    /// Differences from another outcome, one a line.
    fn differs_from(&self, order: &Self) -> String {
        let mut text = String::new();
        for (name, mine, other) in [("A", &self.a, &order.a), ("B", &self.b, &order.b)] {
            if mine != other {
                let [mine, other] =
                    [mine, other].map(|it| it.as_ref().map_or_else(String::new, Value::to_string));
                let _ = writeln!(text, "  {name} is answered {mine}\n    in order {other}");
            }
        }
        for (sign, rows, others) in [("+", &self.rows, &order.rows), ("-", &order.rows, &self.rows)]
        {
            let mut left = others.clone();
            for row in rows {
                match left.iter().position(|it| it == row) {
                    Some(found) => drop(left.remove(found)),
                    None => {
                        let _ = writeln!(text, "  {sign} {row}");
                    }
                }
            }
        }
        text
    }
}

/// The parts of an answer that are compared. The replay of a creation has no token, that of an
/// invitation no code, and that of an opening does not say whether it was the first.
fn answer(reply: &Reply) -> Value {
    let status = if reply.status.is_success() { 200 } else { reply.status.as_u16() };
    let mut data = reply.body["data"].clone();
    for secret in ["token", "code"] {
        data.as_object_mut().map(|data| data.remove(secret));
    }
    serde_json::json!({ "status": status, "error": reply.body["error"], "data": data })
}
