//! A table in memory, which answers the requests of `store` as DynamoDB does, without a protocol.
//!
//! It is for the explorer of pairs, which runs the same few requests a million times. What it does
//! with a request is compared with an engine by the explorer's sample over both. Its reads are of
//! one moment, its indexes are never late, and no row is too large.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, HashSet},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering::SeqCst},
    },
};

use fracti_core::{
    input::Error,
    storage::{
        condition::Condition,
        keys::Primary,
        row::{AttributeValue, Item},
        write::{Action, Update, Write, WriteError},
    },
    values::decimal::Decimal,
};
use fracti_store::{
    Answer, Found, IndexState, Order, Query, Range, Requests, Sent, Sort, TableScan, TableState,
};
use futures_util::{FutureExt as _, future::BoxFuture};

use crate::faults::{Call, Effect, Holds, WRITE};

/// Attempts of the SDK at one request.
const ATTEMPTS: usize = 3;

/// Rows by their keys. A copy is cheap.
pub type Rows = BTreeMap<Arc<[String; 2]>, Arc<Item>>;

/// A table in memory, and how its requests are disturbed.
#[derive(Debug, Default)]
pub struct Memory {
    state: Mutex<State>,
    pub(crate) holds: Holds,
    /// Whether the next transaction is told of a conflict.
    conflicts: AtomicBool,
    tokens: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    rows: Rows,
    /// Transactions that were committed. Another attempt at one of them changes nothing.
    committed: HashSet<u64>,
}

/// The requests of one instance.
#[derive(Debug)]
pub struct Channel {
    memory: Arc<Memory>,
    number: usize,
}

impl Memory {
    /// The rows.
    #[must_use]
    pub fn rows(&self) -> Rows {
        lock(&self.state).rows.clone()
    }

    /// Replaces all rows, and forgets what was committed.
    pub fn set(&self, rows: Rows) {
        *lock(&self.state) = State { rows, committed: HashSet::new() };
    }

    /// Whether the next transaction that arrives is told of a conflict.
    pub fn conflicts(&self, conflicts: bool) {
        self.conflicts.store(conflicts, SeqCst);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Channel {
    /// The requests of an instance.
    #[must_use]
    pub const fn new(memory: Arc<Memory>, number: usize) -> Self {
        Self { memory, number }
    }

    /// The answer of `ask`, and the number of attempts; no answer if every attempt was lost.
    async fn ask<T: Send + 'static>(
        &self,
        operation: &'static str,
        ask: impl Fn(&mut State) -> T + Clone + Send + 'static,
    ) -> (Option<T>, usize) {
        let call = Call::of(self.number.to_string(), operation);
        for attempt in 1..=ATTEMPTS {
            let Some(hold) = self.memory.holds.taking(&call) else {
                return (Some(ask(&mut lock(&self.memory.state))), attempt);
            };
            let memory = self.memory.clone();
            let ask = ask.clone();
            // It arrives although its sender may have given it up.
            let (effect, held) = (hold.effect, async move {
                hold.opened().await;
                let answer = ask(&mut lock(&memory.state));
                hold.answered();
                answer
            });
            match effect {
                Effect::Cut => {}
                Effect::Hold => return (tokio::spawn(held).await.ok(), attempt),
                Effect::HoldLate => drop(tokio::spawn(held)),
            }
        }
        (None, ATTEMPTS)
    }

    async fn read<T: Send + 'static>(
        &self,
        operation: &'static str,
        read: impl Fn(&Rows) -> T + Clone + Send + 'static,
    ) -> Result<T, Error> {
        let (answer, _) = self.ask(operation, move |state| read(&state.rows)).await;
        answer.ok_or_else(lost)
    }
}

fn lost() -> Error {
    Error::Unavailable("the connection was cut".into())
}

impl Requests for Channel {
    fn get(&self, key: Primary, _: bool) -> Answer<'_, Option<Item>> {
        let key = [key.pk, key.sk];
        self.read("GetItem", move |rows| rows.get(&key).map(|row| (**row).clone())).boxed()
    }

    fn batch(&self, keys: Vec<Primary>) -> Answer<'_, (Vec<Item>, Vec<Primary>)> {
        let keys: Vec<_> = keys.into_iter().map(|key| [key.pk, key.sk]).collect();
        let found = move |rows: &Rows| {
            let found = keys.iter().filter_map(|key| rows.get(key));
            (found.map(|row| (**row).clone()).collect(), Vec::new())
        };
        self.read("BatchGetItem", found).boxed()
    }

    fn query<'a>(&'a self, query: Query<'a>) -> Answer<'a, Found> {
        let Query { range, filter, limit, after } = query;
        let range = range.clone();
        let filter = filter.clone();
        self.read("Query", move |rows| found(rows, &range, &filter, limit, after.as_ref())).boxed()
    }

    fn scan<'a>(&'a self, scan: TableScan<'a>) -> Answer<'a, Found> {
        let filter = scan.filter.clone();
        let all = move |rows: &Rows| {
            let items = rows.values().filter(|row| holds(&filter, Some(row)));
            let items = items.map(|row| (**row).clone()).collect();
            Found { items, examined: rows.len().try_into().unwrap(), next: None }
        };
        self.read("Scan", all).boxed()
    }

    fn update(&self, write: Write) -> Answer<'_, Option<Item>> {
        async move {
            let update = move |state: &mut State| {
                let key = key(&write);
                let row = state.rows.get(&key).map(|row| &**row);
                if !holds(write.condition(), row) {
                    return None;
                }
                let Action::Update(update) = write.action() else { panic!("{write:?}") };
                let after = updated(row, write.key(), update);
                let changed = |name: &String| {
                    update.add.iter().any(|(it, _)| it == name)
                        || update.set.iter().any(|(it, _)| it == name)
                };
                let shown = after.iter().filter(|(name, _)| changed(name));
                let shown = shown.map(|(name, value)| (name.clone(), value.clone())).collect();
                state.rows.insert(key.into(), Arc::new(after));
                Some(shown)
            };
            self.ask("UpdateItem", update).await.0.ok_or_else(lost)
        }
        .boxed()
    }

    fn write(&self, writes: Vec<Write>) -> BoxFuture<'_, Sent> {
        async move {
            let token = self.memory.tokens.fetch_add(1, SeqCst);
            let memory = self.memory.clone();
            let commit = move |state: &mut State| {
                if memory.conflicts.swap(false, SeqCst) {
                    return Err(WriteError::Retry);
                }
                commit(state, token, &writes)
            };
            let (outcome, attempts) = self.ask(WRITE, commit).await;
            let unanswered = attempts > 1 || outcome.is_none();
            let outcome = outcome.unwrap_or_else(|| Err(WriteError::Fail(lost())));
            Sent { unanswered: unanswered && outcome.is_err(), outcome }
        }
        .boxed()
    }

    fn state<'a>(&'a self, _: &'a str) -> Answer<'a, TableState> {
        let rows = lock(&self.memory.state).rows.len().try_into().unwrap();
        async move { Ok(TableState { rows, index: IndexState::Active }) }.boxed()
    }

    fn add_index<'a>(&'a self, _: &'a str) -> Answer<'a, ()> {
        async { Ok(()) }.boxed()
    }
}

fn key(write: &Write) -> [String; 2] {
    [write.key().pk.clone(), write.key().sk.clone()]
}

/// Makes all writes or none.
fn commit(state: &mut State, token: u64, writes: &[Write]) -> Result<(), WriteError> {
    if state.committed.contains(&token) {
        return Ok(());
    }
    let mut retry = false;
    let mut fail = None;
    for write in writes {
        // DynamoDB refuses these as invalid.
        match write.action() {
            Action::Put(row) => assert_eq!(Primary::of(row).as_ref(), Some(write.key())),
            Action::Check => assert!(!write.condition().is_empty(), "{write:?}"),
            Action::Update(_) | Action::Delete => {}
        }
        if !holds(write.condition(), state.rows.get(&key(write)).map(|row| &**row)) {
            match write.failures().conflict {
                None => retry = true,
                Some(why) => fail = fail.or(Some(why)),
            }
        }
    }
    match fail {
        _ if retry => return Err(WriteError::Retry),
        Some(why) => return Err(WriteError::Fail(why())),
        None => {}
    }
    for write in writes {
        let row = match write.action() {
            Action::Put(row) => row.clone(),
            Action::Update(update) => {
                updated(state.rows.get(&key(write)).map(|row| &**row), write.key(), update)
            }
            Action::Delete => {
                state.rows.remove(&key(write));
                continue;
            }
            Action::Check => continue,
        };
        state.rows.insert(key(write).into(), Arc::new(row));
    }
    state.committed.insert(token);
    Ok(())
}

/// A row after an update.
fn updated(row: Option<&Item>, key: &Primary, update: &Update) -> Item {
    let mut row = row.cloned().unwrap_or_else(|| key.clone().item());
    for (name, value) in &update.set {
        match value {
            Some(value) => drop(row.insert(name.clone().into_owned(), value.clone())),
            None => drop(row.remove(&**name)),
        }
    }
    for (name, added) in &update.add {
        let before = row.get(name).and_then(number).unwrap_or(Decimal::new(0, 0));
        let sum = before.plus(*added).unwrap();
        row.insert(name.clone(), AttributeValue::N(sum.to_string()));
    }
    row
}

/// The rows of a range.
fn found(
    rows: &Rows,
    range: &Range,
    filter: &Condition,
    limit: Option<usize>,
    after: Option<&Item>,
) -> Found {
    let index = range.index.unwrap_or_default();
    let pk = format!("{index}PK");
    let sk = format!("{index}SK");
    let is_chosen = |row: &Item| {
        let key = text(row, &sk);
        text(row, &pk) == Some(&range.partition)
            && key.is_some_and(|key| match &range.sort {
                Sort::Any => true,
                Sort::Prefix(prefix) => key.starts_with(prefix),
                Sort::Between(first, last) => (&**first..=&**last).contains(&key),
            })
    };
    let position = |row: &Item| [&*sk, "PK", "SK"].map(|it| text(row, it).unwrap().to_owned());
    let mut chosen: Vec<_> = if range.index.is_some() {
        rows.values().filter(|row| is_chosen(row)).collect()
    } else {
        let from = [range.partition.clone(), String::new()];
        let rows = rows.range(from..).take_while(|(key, _)| key[0] == range.partition);
        rows.map(|(_, row)| row).filter(|row| is_chosen(row)).collect()
    };
    chosen.sort_by_cached_key(|row| position(row));
    if range.order == Order::Desc {
        chosen.reverse();
    }
    if let Some(after) = after.map(&position) {
        let is_past = |row: &Item| match range.order {
            Order::Asc => position(row) > after,
            Order::Desc => position(row) < after,
        };
        chosen.retain(|row| is_past(row));
    }
    let more = limit.is_some_and(|limit| chosen.len() >= limit);
    chosen.truncate(limit.unwrap_or(usize::MAX));
    let next = chosen.last().filter(|_| more).map(|row| {
        let names = [pk.clone(), sk.clone(), "PK".to_owned(), "SK".to_owned()];
        names.into_iter().map(|name| (name.clone(), row[&name].clone())).collect()
    });
    let examined = chosen.len().try_into().unwrap();
    let shown = chosen.into_iter().filter(|row| holds(filter, Some(row)));
    Found { items: shown.map(|row| (**row).clone()).collect(), examined, next }
}

fn text<'a>(row: &'a Item, name: &str) -> Option<&'a str> {
    match row.get(name)? {
        AttributeValue::S(text) => Some(text),
        _ => None,
    }
}

fn number(value: &AttributeValue) -> Option<Decimal> {
    match value {
        AttributeValue::N(number) => number.parse().ok(),
        _ => None,
    }
}

/// Whether a row meets a condition.
///
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.OperatorsAndFunctions.html>
pub(crate) fn holds(condition: &Condition, row: Option<&Item>) -> bool {
    let value = |name: &str| row.and_then(|row| row.get(name));
    let order = |name: &str, other: &AttributeValue| {
        let value = value(name)?;
        match (value, other) {
            (AttributeValue::S(one), AttributeValue::S(other)) => Some(one.cmp(other)),
            (AttributeValue::N(_), AttributeValue::N(_)) => {
                let difference = number(value)?.minus(number(other)?)?;
                Some(match difference.is_negative() {
                    true => Ordering::Less,
                    false if difference == Decimal::new(0, 0) => Ordering::Equal,
                    false => Ordering::Greater,
                })
            }
            _ => None,
        }
    };
    let equal = |name: &str, other: &AttributeValue| {
        value(name) == Some(other) || order(name, other) == Some(Ordering::Equal)
    };
    match condition {
        Condition::Has(name) => value(name).is_some(),
        Condition::Lacks(name) => value(name).is_none(),
        Condition::Equal(name, other) => equal(name, other),
        Condition::Less(name, other) => order(name, other) == Some(Ordering::Less),
        Condition::Greater(name, other) => order(name, other) == Some(Ordering::Greater),
        Condition::BeginsWith(name, prefix) => {
            row.and_then(|row| text(row, name)).is_some_and(|text| text.starts_with(prefix))
        }
        Condition::OneOf(name, values) => values.iter().any(|other| equal(name, other)),
        Condition::All(all) => all.iter().all(|it| holds(it, row)),
        Condition::Any(any) => any.iter().any(|it| holds(it, row)),
    }
}
