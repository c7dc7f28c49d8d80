//! Adjustments of the ledger: many in one request, each counted once, and none in the way of another.
//!
//! As many as fit are written in one transaction, under the group's lock. Where the request has an idempotency key, its
//! row is part of each of these transactions and holds the results so far. A retry therefore continues after the last
//! committed transaction, and leaves alone what others did to its entries in the meantime. A retry of a complete request
//! gets the first response again.

use std::collections::{BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use super::{
    MemberKey, Table,
    events::{Event, history_rows, insert_entry, remove},
    idempotency::{Idempotency, IdempotentRequest, Outcome},
    write::{Expression, MAX_ACTIONS, OnConflict, TransactionError, Write, with_retries},
};
use crate::{
    Error,
    adjustment::{Adjustment, BareOrWrapped, CheckedAdjustment},
    entry_id::EntryId,
    id::{GroupId, UserId},
    input::{Draft, Field},
    keys,
    ledger::{Entry, EntryStatus, Ledger, LedgerError, RefType},
    time::Timestamp,
};

/// How many entries one request pushes or reverts at most.
pub const MAX_ENTRIES: usize = 500;

/// How many changes of balances the entries have together that one request reverts, at most.
///
/// It bounds the response, of which a change takes up to 90 bytes.
const MAX_CHANGES: usize = 20_000;

/// How many changes of balances one transaction writes, unless a single entry has more.
///
/// A transaction holds 4 MB, of which the balance and a closing may take 400 KB each, and a change some 60 bytes.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html>
const CHANGES_AT_ONCE: usize = 8_000;

/// What a transaction holds besides entries: the balance, a closing, and the row of the request.
const OTHER_ACTIONS: usize = 3;

/// What became of each adjustment of a request, or of each revert.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The entries that count, or the reverts.
    pub applied: Vec<Entry>,
    /// The others.
    pub non_applied: Vec<NonApplied>,
}

/// What did not happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NonApplied {
    /// The entry.
    pub entry_id: EntryId,
    /// Why.
    pub reason: Reason,
}

/// Why an adjustment or a revert did not happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Reason {
    /// Another entry counts under this name.
    #[error(
        "an entry with this entryId is already applied; revert it first, or use another entryId"
    )]
    EntryExists,
    /// The balance would be less than the condition says.
    #[error("the balance would be below balanceAtLeast")]
    ConditionFailed,
    /// Others wrote first until the deadline.
    #[error("the request lost to concurrent writes to the group; send it again")]
    LockLost,
    /// No entry counts under this name.
    #[error("no entry with this entryId is applied")]
    EntryMissing,
    /// A total or a balance would not fit into an `i64` of minor units, or there is no room for more balances.
    #[error("a total would become too large, or the ledger would have too many balances")]
    TotalsTooLarge,
}

/// One thing that a request asks for.
enum Operation {
    Push(CheckedAdjustment),
    Revert(EntryId),
}

/// A request, while it is done.
struct Batch<'a> {
    member_key: MemberKey,
    now: Timestamp,
    request: Option<&'a IdempotentRequest>,
    operations: Vec<Operation>,
}

/// What became of an operation, as the row of its request keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
enum Effect {
    /// The entry or the revert that it wrote has this sequence.
    Applied(u64),
    NonApplied(Reason),
}

/// What became of the first operations of a request, in order; the others are still to be done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Progress {
    effects: Vec<Effect>,
}

/// What one transaction adds to the progress of a request: the effects, with the entries that were written.
type Chunk = Vec<(Effect, Option<Entry>)>;

/// What became of an attempt at the next transaction of a request.
enum Attempt {
    Committed(Chunk),
    /// The same request, sent twice, is further than this.
    Behind(Progress),
}

/// The entries that count, by name.
type Current = HashMap<EntryId, Entry>;

impl Table {
    /// Pushes adjustments into the ledger, in their order. One that cannot count does not stop the others.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] where one breaks a rule, and none counts; [`Error::NoGroup`] or [`Error::NotMember`];
    /// [`Error::KeyReused`]; [`Error::Unavailable`] or [`Error::Table`], after which some may count: sent again with
    /// the same idempotency key, each counts once.
    pub async fn push_entries(
        &self,
        member_key: MemberKey,
        adjustments: &Draft<BareOrWrapped<Adjustment>>,
        now: Timestamp,
        idempotency: &Idempotency<Report>,
    ) -> Result<Outcome<Report>, Error> {
        let request = idempotency.request.as_ref();
        let (ledger, progress) = tokio::try_join!(
            self.group_and_ledger(member_key),
            self.stored_result::<Progress>(request)
        )?;
        let (group, members, _) = ledger;
        let checked = adjustments.check(&group, &members)?;
        let operations = checked.into_iter().map(Operation::Push).collect();
        let batch = Batch { member_key, now, request, operations };
        self.apply(&batch, progress.unwrap_or_default(), idempotency).await
    }

    /// Takes adjustments back: each of them may be pushed again, with another value. One that does not count does not
    /// stop the others.
    ///
    /// # Errors
    ///
    /// [`Error::NotAnAdjustment`] or [`Error::NotYourAdjustment`], and none is reverted; [`Error::Invalid`] where they
    /// have too many changes together; otherwise as [`Table::push_entries`].
    pub async fn revert_entries(
        &self,
        member_key: MemberKey,
        entries: &Draft<BareOrWrapped<Field<EntryId>>>,
        now: Timestamp,
        idempotency: &Idempotency<Report>,
    ) -> Result<Outcome<Report>, Error> {
        let request = idempotency.request.as_ref();
        // The right comes before the rules of the request, so far as the request can be read.
        let named = entries.fields().and_then(|entries| entries.items.value());
        let named: Vec<_> = named.into_iter().flatten().filter_map(Field::value).collect();
        let read = async {
            let current = self.current(member_key.group, named.iter().copied());
            tokio::try_join!(current, self.stored_result::<Progress>(request))
        };
        let (current, progress) = self.checked(member_key, read).await?;
        let progress = progress.unwrap_or_default();
        // What was done already may have become another's meanwhile.
        let left = named.iter().skip(progress.effects.len());
        let left: Vec<_> = left.filter_map(|entry| current.get(*entry)).collect();
        for entry in &left {
            revertible(entry, member_key.user)?;
        }
        let list = entries.checked()?.path;
        if left.iter().map(|entry| entry.changes.len()).fold(0, usize::saturating_add) > MAX_CHANGES
        {
            let rule = format!(
                "must name entries with at most {MAX_CHANGES} changes in total; send several requests"
            );
            return Err(Error::invalid(list, rule));
        }
        let operations = named.into_iter().cloned().map(Operation::Revert).collect();
        self.apply(&Batch { member_key, now, request, operations }, progress, idempotency).await
    }

    /// Does what is left of a request, one transaction after the other.
    async fn apply(
        &self,
        batch: &Batch<'_>,
        progress: Progress,
        idempotency: &Idempotency<Report>,
    ) -> Result<Outcome<Report>, Error> {
        let mut progress = progress;
        let mut written: HashMap<usize, Entry> = HashMap::new();
        let complete = progress.effects.len() >= batch.operations.len();
        while progress.effects.len() < batch.operations.len() {
            match with_retries(|| self.apply_chunk(batch, &progress)).await {
                Ok(Attempt::Committed(chunk)) => {
                    for (effect, entry) in chunk {
                        written.extend(entry.map(|entry| (progress.effects.len(), entry)));
                        progress.effects.push(effect);
                    }
                }
                Ok(Attempt::Behind(further)) => progress = further,
                // What others were first at until the deadline has no time left: the rest is lost too.
                Err(Error::Contended) => break,
                Err(error) => return Err(error),
            }
        }
        let report = self.report(batch, &progress, written).await?;
        Ok(if complete {
            Outcome::Replayed((idempotency.render)(&report))
        } else {
            Outcome::Done(report)
        })
    }

    /// Does the next operations of a request in one transaction, as many as fit.
    async fn apply_chunk(
        &self,
        batch: &Batch<'_>,
        known: &Progress,
    ) -> Result<Attempt, TransactionError> {
        let group = batch.member_key.group;
        let next = batch.next(known);
        let (ledger, current, progress) = tokio::try_join!(
            self.ledger(group),
            self.current(group, next.iter().map(Operation::entry_id)),
            self.stored_result::<Progress>(batch.request),
        )?;
        if let Some(further) = progress.filter(|it| it.effects.len() > known.effects.len()) {
            return Ok(Attempt::Behind(further));
        }
        let next = take_fitting(next, &current);
        let record = |chunk: &Chunk| batch.record(known, chunk);
        let event = |ledger: &Ledger, at: Timestamp| batch.event(next, known, &current, ledger, at);
        let chunk = self.commit(group, ledger, batch.now, record, event).await?;
        Ok(Attempt::Committed(chunk))
    }

    /// What is told of a request: the entries that it wrote just now, and those of before as they were then.
    async fn report(
        &self,
        batch: &Batch<'_>,
        progress: &Progress,
        written: HashMap<usize, Entry>,
    ) -> Result<Report, Error> {
        let group = batch.member_key.group;
        let effects = batch.operations.iter().zip(&progress.effects).enumerate();
        let before: Vec<(&Operation, u64)> = effects
            .filter(|(index, _)| !written.contains_key(index))
            .filter_map(|(_, (operation, effect))| match effect {
                Effect::Applied(sequence) => Some((operation, *sequence)),
                Effect::NonApplied(_) => None,
            })
            .collect();
        let mut before = self.written_before(group, &before).await?;
        let mut written = written;
        let mut report = Report::default();
        for (index, operation) in batch.operations.iter().enumerate() {
            match progress.effects.get(index) {
                Some(Effect::Applied(sequence)) => {
                    let entry = written.remove(&index).or_else(|| before.remove(sequence));
                    let missing = || Error::Table(LedgerError::Missing(*sequence).into());
                    report.applied.push(entry.ok_or_else(missing)?);
                }
                Some(Effect::NonApplied(reason)) => {
                    report.non_applied.push(operation.not_applied(*reason));
                }
                None => report.non_applied.push(operation.not_applied(Reason::LockLost)),
            }
        }
        Ok(report)
    }

    /// The entries that operations wrote, by sequence, as they were then.
    async fn written_before(
        &self,
        group: GroupId,
        operations: &[(&Operation, u64)],
    ) -> Result<HashMap<u64, Entry>, Error> {
        let pushed = operations.iter().filter(|(it, _)| matches!(it, Operation::Push(_)));
        let current = self.current(group, pushed.map(|(it, _)| it.entry_id())).await?;
        let is_current = |operation: &Operation, sequence: u64| {
            current.get(operation.entry_id()).is_some_and(|entry| entry.sequence == sequence)
        };
        let past = operations.iter().filter(|(it, sequence)| !is_current(it, *sequence));
        let past =
            past.map(|(it, sequence)| keys::past_entry(group, it.entry_id(), *sequence)).collect();
        let past = self.batch::<Entry>(past).await?.into_values().map(|entry| match entry.status {
            EntryStatus::Reverted => {
                Entry { status: EntryStatus::Applied, other_sequence: None, ..entry }
            }
            EntryStatus::Applied | EntryStatus::Revert => entry,
        });
        let entries = past.chain(current.clone().into_values());
        Ok(entries.map(|entry| (entry.sequence, entry)).collect())
    }

    /// The entries that count under these names.
    async fn current<'a>(
        &self,
        group: GroupId,
        entries: impl Iterator<Item = &'a EntryId>,
    ) -> Result<Current, Error> {
        let entries: BTreeSet<_> = entries.collect();
        let keys = entries.into_iter().map(|entry| keys::entry(group, entry)).collect();
        let entries = self.batch::<Entry>(keys).await?.into_values();
        Ok(entries.map(|entry| (entry.entry_id.clone(), entry)).collect())
    }
}

impl Operation {
    /// How many rows it writes.
    const fn actions(&self) -> usize {
        match self {
            Self::Push(_) => 1,
            Self::Revert(_) => 3,
        }
    }

    /// How many changes of balances it writes, given the entry that it reverts.
    fn changes(&self, current: &Current) -> usize {
        match self {
            Self::Push(adjustment) => adjustment.event.changes.len(),
            // Once as what was reverted, and once as the revert.
            Self::Revert(entry) => {
                current.get(entry).map_or(0, |entry| entry.changes.len().saturating_mul(2))
            }
        }
    }

    const fn entry_id(&self) -> &EntryId {
        match self {
            Self::Push(adjustment) => &adjustment.event.entry_id,
            Self::Revert(entry) => entry,
        }
    }

    fn not_applied(&self, reason: Reason) -> NonApplied {
        NonApplied { entry_id: self.entry_id().clone(), reason }
    }
}

/// The first operations that fit into one transaction, of those whose rows do.
fn take_fitting<'a>(operations: &'a [Operation], current: &Current) -> &'a [Operation] {
    let mut changes = 0_usize;
    let fits = operations.iter().take_while(|operation| {
        let first = changes == 0;
        changes = changes.saturating_add(operation.changes(current).max(1));
        first || changes <= CHANGES_AT_ONCE
    });
    operations.get(..fits.count()).unwrap_or(operations)
}

impl Batch<'_> {
    /// The operations that come next, as many as the actions of a transaction allow.
    fn next(&self, known: &Progress) -> &[Operation] {
        let left = self.operations.get(known.effects.len()..).unwrap_or_default();
        let actions = left.iter().map(Operation::actions).max().unwrap_or(1);
        let room = MAX_ACTIONS.saturating_sub(OTHER_ACTIONS).checked_div(actions).unwrap_or(1);
        left.get(..room).unwrap_or(left)
    }

    /// The write that keeps what became of the request, where it has a key and is no further yet.
    fn record(&self, known: &Progress, chunk: &Chunk) -> Result<Option<Write>, Error> {
        let Some(request) = self.request else { return Ok(None) };
        let mut progress = known.clone();
        progress.effects.extend(chunk.iter().map(|(effect, _)| *effect));
        let unchanged = match known.effects.len() {
            0 => request.key_is_free()?,
            done => request.is_same_request()?.and(Expression::count("effects", done)),
        };
        Ok(Some(request.put(&progress)?.when(unchanged, OnConflict::Replay)))
    }

    /// What operations do to the ledger.
    fn event(
        &self,
        operations: &[Operation],
        known: &Progress,
        current: &Current,
        ledger: &Ledger,
        at: Timestamp,
    ) -> Result<Event<Chunk>, TransactionError> {
        let done = self.operations.iter().zip(&known.effects);
        let mut applied: BTreeSet<&EntryId> = done
            .filter(|(_, effect)| matches!(effect, Effect::Applied(_)))
            .map(|(operation, _)| operation.entry_id())
            .collect();
        let mut event = Event { ledger: ledger.clone(), writes: Vec::new(), value: Vec::new() };
        for operation in operations {
            let entry_id = operation.entry_id();
            let again = applied.contains(entry_id);
            let entry = current.get(entry_id);
            let step = match operation {
                Operation::Push(_) if again => Err(Reason::EntryExists),
                Operation::Revert(_) if again => Err(Reason::EntryMissing),
                Operation::Push(adjustment) => self.push(&event.ledger, adjustment, entry, at)?,
                Operation::Revert(_) => self.revert(&event.ledger, entry, at)?,
            };
            event.value.push(match step {
                Ok((ledger, entry, writes)) => {
                    applied.insert(entry_id);
                    event.ledger = ledger;
                    event.writes.extend(writes);
                    (Effect::Applied(entry.sequence), Some(entry))
                }
                Err(reason) => (Effect::NonApplied(reason), None),
            });
        }
        Ok(event)
    }

    fn push(
        &self,
        ledger: &Ledger,
        adjustment: &CheckedAdjustment,
        entry: Option<&Entry>,
        at: Timestamp,
    ) -> Result<OperationResult, TransactionError> {
        if entry.is_some() {
            return Ok(Err(Reason::EntryExists));
        }
        let event = adjustment.event.clone();
        let (next, entry) =
            match ledger.record(self.member_key.group, event, self.member_key.user, at) {
                Err(LedgerError::Overflow(_) | LedgerError::Full) => {
                    return Ok(Err(Reason::TotalsTooLarge));
                }
                recorded => recorded?,
            };
        if !adjustment.allows(&next.balances) {
            return Ok(Err(Reason::ConditionFailed));
        }
        let writes = vec![insert_entry(&entry)?];
        Ok(Ok((next, entry, writes)))
    }

    fn revert(
        &self,
        ledger: &Ledger,
        entry: Option<&Entry>,
        at: Timestamp,
    ) -> Result<OperationResult, TransactionError> {
        let Some(entry) = entry else { return Ok(Err(Reason::EntryMissing)) };
        revertible(entry, self.member_key.user)?;
        let (next, past) = ledger.revert(entry, self.member_key.user, at)?;
        let mut writes = Vec::from(history_rows(&past)?);
        writes.push(remove(entry)?);
        let [_, revert] = past;
        Ok(Ok((next, revert, writes)))
    }
}

/// What an operation comes to: the ledger after it, its entry and its writes; or why it does not happen.
type OperationResult = Result<(Ledger, Entry, Vec<Write>), Reason>;

/// Refuses what is not an adjustment, and users who have nothing to do with it.
fn revertible(entry: &Entry, user: UserId) -> Result<(), Error> {
    let of = match entry.ref_type {
        RefType::Expense => "an expense; delete or edit the expense instead",
        RefType::Settlement => {
            "a settlement, which is final; record a settlement in the other direction instead"
        }
        RefType::Adjustment => {
            let concerned = entry.actor_id == user || entry.changes_of(user).next().is_some();
            let refused = || Error::NotYourAdjustment(entry.entry_id.to_string());
            return concerned.then_some(()).ok_or_else(refused);
        }
    };
    Err(Error::NotAnAdjustment(entry.entry_id.to_string(), of))
}
