//! Adjustments of the ledger: many in one request, each applied once.
//!
//! As many as fit are written in one transaction, under the group's lock. If the request has an
//! idempotency key, its row is part of each of these transactions and stores the results so far. A
//! retry therefore continues after the last committed transaction, and ignores later changes of its
//! entries by others. A retry of a complete request gets the first response again.

use std::collections::{BTreeSet, HashMap};

use fracti_core::{
    Error,
    adjustment::{
        Adjustment, BareOrWrapped, CheckedAdjustment, NonApplied, Reason, Report, check_revertible,
    },
    entry::Entry,
    entry_id::EntryId,
    group::{Group, Member},
    id::GroupId,
    input::{Draft, Field},
    keys,
    ledger::{EntryStatus, Ledger, LedgerError},
    links::Links,
    time::Timestamp,
};
use serde::{Deserialize, Serialize};

use crate::{
    access::MemberKey,
    commit::Decision,
    dynamo::TransactionError,
    idempotency::{Idempotency, Known, Outcome},
    ledger::LedgerTransaction,
    table::Table,
};

/// Changes of balances at most, in all entries that one request reverts.
///
/// It bounds the response, in which a change takes up to 120 bytes.
const MAX_CHANGES: usize = 20_000;

/// Changes of balances at most in one transaction, unless a single entry has more.
///
/// A transaction has at most 4 MB, of which the balance, a closing and a checkpoint may take 400 KB
/// each, and a change about 90 bytes.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html>
pub(crate) const CHANGES_AT_ONCE: usize = 8_000;

/// One operation of a request.
enum Operation {
    Push(CheckedAdjustment),
    Revert(EntryId),
}

/// A request that is being applied.
struct Batch {
    member_key: MemberKey,
    now: Timestamp,
    operations: Vec<Operation>,
    /// What the operations were made from, if they are pushes.
    pushed: Option<Pushed>,
}

/// The adjustments of a request, and the group against which they are checked.
struct Pushed {
    adjustments: Draft<BareOrWrapped<Adjustment>>,
    group: Group,
    members: Vec<Member>,
}

/// The effect of an operation, as the row of its request stores it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
enum Effect {
    /// Sequence of the entry or the revert that it wrote.
    Applied(u64),
    NonApplied(Reason),
}

/// The effects of the first operations of a request, in order; the others are still to be applied.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Progress {
    effects: Vec<Effect>,
}

/// The effects of the operations of one transaction, with the entries that it wrote.
type Chunk = Vec<(Effect, Option<Entry>)>;

/// Current entries by name.
type Current = HashMap<EntryId, Entry>;

impl Table {
    /// Pushes adjustments into the ledger, in their order. One that is not applied does not stop
    /// the others.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if one breaks a rule; [`Error::NoGroup`] or [`Error::NotMember`];
    /// [`Error::KeyReused`]; [`Error::Unavailable`] or [`Error::Table`], after which some may be
    /// applied: a retry with the same idempotency key applies each once.
    pub async fn push_entries(
        &self,
        member_key: MemberKey,
        adjustments: &Draft<BareOrWrapped<Adjustment>>,
        now: Timestamp,
        idempotency: &Idempotency<Report>,
    ) -> Result<Outcome<Report>, Error> {
        let mut known = Known::of(&idempotency.request);
        match self.checked_push(member_key, adjustments, now, &mut known).await {
            Ok(batch) => self.apply(&batch, &mut known, idempotency).await,
            Err(error) => Err(self.refused(&mut known, error).await),
        }
    }

    async fn checked_push(
        &self,
        member_key: MemberKey,
        adjustments: &Draft<BareOrWrapped<Adjustment>>,
        now: Timestamp,
        known: &mut Known<Progress>,
    ) -> Result<Batch, Error> {
        let named = adjustments.named();
        let read = || self.group_naming(member_key, Some(&named));
        let group = self.migrated(member_key.group, now, read);
        let (group, read) = tokio::join!(group, self.know(known));
        let (group, members) = group?;
        read?;
        known.check_key()?;
        if group.archived && known.result.is_none() {
            return Err(Error::GroupArchived);
        }
        let links = members.iter().collect();
        let pushed = Pushed { adjustments: adjustments.resolved(&links), group, members };
        let operations = pushed.operations()?;
        Ok(Batch { member_key, now, operations, pushed: Some(pushed) })
    }

    /// Reverts adjustments, whose names may then be used again. One that is not current does not
    /// stop the others.
    ///
    /// # Errors
    ///
    /// [`Error::NotAnAdjustment`] or [`Error::NotYourAdjustment`], and none is reverted;
    /// [`Error::Invalid`] if they have too many changes together; otherwise as
    /// [`Table::push_entries`].
    pub async fn revert_entries(
        &self,
        member_key: MemberKey,
        entries: &Draft<BareOrWrapped<Field<EntryId>>>,
        now: Timestamp,
        idempotency: &Idempotency<Report>,
    ) -> Result<Outcome<Report>, Error> {
        let mut known = Known::of(&idempotency.request);
        match self.checked_revert(member_key, entries, now, &mut known).await {
            Ok(batch) => self.apply(&batch, &mut known, idempotency).await,
            Err(error) => Err(self.refused(&mut known, error).await),
        }
    }

    async fn checked_revert(
        &self,
        member_key: MemberKey,
        entries: &Draft<BareOrWrapped<Field<EntryId>>>,
        now: Timestamp,
        known: &mut Known<Progress>,
    ) -> Result<Batch, Error> {
        // The right is checked before the rules of the request, as far as it can be read.
        let named = entries.fields().and_then(|entries| entries.items.value());
        let named: Vec<_> = named.into_iter().flatten().filter_map(Field::value).collect();
        let read = async {
            let current = self.current(member_key.group, named.iter().copied());
            let (current, ()) = tokio::try_join!(current, self.know(known))?;
            Ok(current)
        };
        let current = self.checked(member_key, read).await?;
        known.check_key()?;
        let progress = known.result.clone().unwrap_or_default();
        // The names of reverted entries may have been used again by others.
        let left = named.iter().skip(progress.effects.len());
        let left: Vec<_> = left.filter_map(|entry| current.get(*entry)).collect();
        let mut changes = left.iter().flat_map(|entry| &entry.changes);
        let links = if changes.any(|change| change.user.guest().is_some()) {
            self.ledger(member_key.group).await?.links
        } else {
            Links::default()
        };
        for entry in &left {
            check_revertible(entry, &links, member_key.user)?;
        }
        let list = &entries.checked()?.path;
        if left.iter().map(|entry| entry.changes.len()).fold(0, usize::saturating_add) > MAX_CHANGES
        {
            let rule = format!(
                "must name entries with at most {MAX_CHANGES} changes in total; send several requests"
            );
            return Err(Error::invalid(list.clone(), rule));
        }
        let operations = named.into_iter().cloned().map(Operation::Revert).collect();
        Ok(Batch { member_key, now, operations, pushed: None })
    }

    /// Applies the rest of a request, one transaction after the other.
    async fn apply(
        &self,
        batch: &Batch,
        known: &mut Known<Progress>,
        idempotency: &Idempotency<Report>,
    ) -> Result<Outcome<Report>, Error> {
        let mut progress = known.result.clone().unwrap_or_default();
        let mut written: HashMap<usize, Entry> = HashMap::new();
        let complete = progress.effects.len() >= batch.operations.len();
        while progress.effects.len() < batch.operations.len() {
            let group = batch.member_key.group;
            let attempt = || self.apply_chunk(batch, &progress);
            let render = |chunk: &Chunk| Some(progress.after(chunk));
            match self.write_part_to_group(group, known, render, attempt).await {
                Ok(Outcome::Done(chunk)) => {
                    for (effect, entry) in chunk {
                        written.extend(entry.map(|entry| (progress.effects.len(), entry)));
                        progress.effects.push(effect);
                    }
                }
                // The same request, sent twice, has progressed further.
                Ok(Outcome::Replayed(further)) => progress = further,
                // What is applied already is reported, although the others are not.
                Err(error)
                    if matches!(error, Error::Contended)
                        || error.is_refusal() && !progress.effects.is_empty() =>
                {
                    break;
                }
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

    /// Applies the next operations of a request in one transaction, as many as fit.
    async fn apply_chunk(
        &self,
        batch: &Batch,
        known: &Progress,
    ) -> Result<Decision<Chunk>, TransactionError> {
        let group = batch.member_key.group;
        let names = batch.next(known).iter().map(Operation::entry_id);
        let (ledger, current) = tokio::try_join!(self.ledger(group), self.current(group, names))?;
        let renewed = batch.renewed(&ledger)?;
        let batch = renewed.as_ref().unwrap_or(batch);
        let next = take_fitting(batch.next(known), &current);
        let mut transaction = LedgerTransaction::new(batch.member_key, ledger, batch.now)?;
        let chunk = batch.add_to(&mut transaction, next, known, &current)?;
        transaction.commit(chunk)
    }

    /// The report of a request: the entries that it wrote now and earlier, as they were written.
    async fn report(
        &self,
        batch: &Batch,
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

    /// The entries that earlier operations wrote, by sequence, as they were written.
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
        let past =
            self.db.batch::<Entry>(past).await?.into_values().map(|entry| match entry.status {
                EntryStatus::Reverted => {
                    Entry { status: EntryStatus::Applied, other_sequence: None, ..entry }
                }
                EntryStatus::Applied | EntryStatus::Revert => entry,
            });
        let entries = past.chain(current.clone().into_values());
        Ok(entries.map(|entry| (entry.sequence, entry)).collect())
    }

    /// The current entries of these names.
    async fn current<'a>(
        &self,
        group: GroupId,
        entries: impl Iterator<Item = &'a EntryId>,
    ) -> Result<Current, Error> {
        let entries: BTreeSet<_> = entries.collect();
        let keys = entries.into_iter().map(|entry| keys::entry(group, entry)).collect();
        let entries = self.db.batch::<Entry>(keys).await?.into_values();
        Ok(entries.map(|entry| (entry.entry_id.clone(), entry)).collect())
    }
}

impl Operation {
    /// Number of rows that it writes.
    const fn actions(&self) -> usize {
        match self {
            Self::Push(_) => 1,
            Self::Revert(_) => 3,
        }
    }

    /// Number of changes that it writes, given the entry that it reverts.
    fn changes(&self, current: &Current) -> usize {
        match self {
            Self::Push(adjustment) => adjustment.event.changes.len(),
            // Once in the reverted entry, once in the revert.
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

/// The first operations whose changes fit into one transaction.
fn take_fitting<'a>(operations: &'a [Operation], current: &Current) -> &'a [Operation] {
    let mut changes = 0_usize;
    let fits = operations.iter().take_while(|operation| {
        let first = changes == 0;
        changes = changes.saturating_add(operation.changes(current).max(1));
        first || changes <= CHANGES_AT_ONCE
    });
    operations.get(..fits.count()).unwrap_or(operations)
}

impl Progress {
    /// The progress after the next operations.
    fn after(&self, chunk: &Chunk) -> Self {
        let next = chunk.iter().map(|(effect, _)| *effect);
        Self { effects: self.effects.iter().copied().chain(next).collect() }
    }
}

impl Pushed {
    /// The operations, in the currency of the group where an amount names none.
    fn operations(&self) -> Result<Vec<Operation>, Error> {
        let checked = self.adjustments.check(&self.group, &self.members)?;
        Ok(checked.into_iter().map(Operation::Push).collect())
    }
}

impl Batch {
    /// The same request, if the currency of the group has changed since it was read.
    fn renewed(&self, ledger: &Ledger) -> Result<Option<Self>, Error> {
        let Some(Pushed { adjustments, group, members }) = &self.pushed else { return Ok(None) };
        let current = ledger.state.of_group(group);
        if current == *group {
            return Ok(None);
        }
        let (adjustments, members) = (adjustments.clone(), members.clone());
        let pushed = Pushed { adjustments, group: current, members };
        let operations = pushed.operations()?;
        Ok(Some(Self { operations, pushed: Some(pushed), ..*self }))
    }

    /// The next operations, as many as the actions of a transaction allow.
    fn next(&self, known: &Progress) -> &[Operation] {
        let left = self.operations.get(known.effects.len()..).unwrap_or_default();
        let actions = left.iter().map(Operation::actions).max().unwrap_or(1);
        let room = LedgerTransaction::ROOM.checked_div(actions).unwrap_or(1);
        left.get(..room).unwrap_or(left)
    }

    /// Adds operations to a transaction, and returns their effects.
    fn add_to(
        &self,
        transaction: &mut LedgerTransaction,
        operations: &[Operation],
        known: &Progress,
        current: &Current,
    ) -> Result<Chunk, TransactionError> {
        let done = self.operations.iter().zip(&known.effects);
        let mut applied: BTreeSet<&EntryId> = done
            .filter(|(_, effect)| matches!(effect, Effect::Applied(_)))
            .map(|(operation, _)| operation.entry_id())
            .collect();
        let mut chunk = Vec::new();
        for operation in operations {
            let entry_id = operation.entry_id();
            let again = applied.contains(entry_id);
            let entry = current.get(entry_id);
            let written = match operation {
                Operation::Push(_) if again || entry.is_some() => Err(Reason::EntryExists),
                Operation::Revert(_) if again => Err(Reason::EntryMissing),
                Operation::Push(adjustment) => push(transaction, adjustment)?,
                Operation::Revert(_) => match entry {
                    None => Err(Reason::EntryMissing),
                    Some(entry) => {
                        check_revertible(entry, transaction.links(), self.member_key.user)?;
                        Ok(transaction.revert(entry, None)?)
                    }
                },
            };
            chunk.push(match written {
                Ok(entry) => {
                    applied.insert(entry_id);
                    (Effect::Applied(entry.sequence), Some(entry))
                }
                Err(reason) => (Effect::NonApplied(reason), None),
            });
        }
        Ok(chunk)
    }
}

/// Adds an adjustment to a transaction; its entry, or why it is not applied.
fn push(
    transaction: &mut LedgerTransaction,
    adjustment: &CheckedAdjustment,
) -> Result<Result<Entry, Reason>, TransactionError> {
    let (next, entry) = match transaction.recorded(adjustment.event.clone()) {
        Err(LedgerError::Overflow(_) | LedgerError::Full) => {
            return Ok(Err(Reason::TotalsTooLarge));
        }
        recorded => recorded?,
    };
    if !adjustment.allows(&next) {
        return Ok(Err(Reason::ConditionFailed));
    }
    transaction.insert((next, &entry))?;
    Ok(Ok(entry))
}
