//! Adjustments of the ledger: many in one request, and in one transaction.

use std::collections::{BTreeSet, HashMap};

use fracti_core::{
    decisions::ledger_transaction::LedgerTransaction,
    group::{Group, Member, MemberKey},
    input::{Draft, Error, Field},
    ledger::LedgerError,
    records::{
        adjustment::{
            Adjustment, BareOrWrapped, CheckedAdjustment, MAX_PUSHED, MAX_REVERTED, Reason, Report,
            check_revertible, check_size,
        },
        entry::Entry,
        group_change::{ChangeKind, Subject},
    },
    storage::{keys, write::WriteError},
    values::{entry_id::EntryId, id::GroupId},
};

use crate::{
    table::Table,
    write::idempotency::{Idempotency, Outcome},
};

/// Rows of a reverted entry: its deletion, the reverted entry and its revert.
const REVERTED: usize = 3;

const _: () = assert!(
    MAX_PUSHED <= LedgerTransaction::ROOM && MAX_REVERTED * REVERTED <= LedgerTransaction::ROOM,
    "a request is one transaction"
);

/// Current entries by name.
type Current = HashMap<EntryId, Entry>;

impl Table {
    /// Pushes adjustments into the ledger, in their order. One that is not applied does not stop
    /// the others.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if one breaks a rule, and none is applied; [`Error::NoGroup`] or
    /// [`Error::NotMember`]; [`Error::GroupArchived`]; [`Error::KeyReused`].
    pub async fn push_entries(
        &self,
        member_key: MemberKey,
        adjustments: &Draft<BareOrWrapped<Adjustment>>,
        idempotency: &Idempotency<Report>,
    ) -> Result<Outcome<Report>, Error> {
        let named = adjustments.named();
        let current = || self.current(member_key.group, adjustments.names());
        let push = |group: &Group, members: &[Member], transaction: LedgerTransaction, current| {
            let adjustments = adjustments.resolved(transaction.links());
            let adjustments = adjustments.check(group, members)?;
            let current: Current = current;
            let mut transaction = transaction;
            let mut report = Report::default();
            for adjustment in adjustments {
                let entry_id = adjustment.event.entry_id.clone();
                let exists = current.contains_key(&entry_id)
                    || report.applied.iter().any(|entry| entry.entry_id == entry_id);
                let pushed = if exists {
                    Err(Reason::EntryExists)
                } else {
                    push(&mut transaction, &adjustment)?
                };
                report.add(entry_id, pushed);
            }
            tell(&mut transaction, ChangeKind::AdjustmentPushed, &report);
            Ok((transaction, report))
        };
        self.create_in_group(member_key, Some(&named), idempotency, current, push).await
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
        idempotency: &Idempotency<Report>,
    ) -> Result<Outcome<Report>, Error> {
        let named = entries.fields().and_then(|entries| entries.items.value());
        let named: Vec<_> = named.into_iter().flatten().filter_map(Field::value).collect();
        self.write_to_group(member_key.group, idempotency, || async {
            let read = async {
                let current = self.current(member_key.group, named.iter().copied().cloned());
                tokio::try_join!(self.ledger(member_key.group), current)
            };
            let (ledger, mut current) = self.checked(member_key, read).await?;
            // The right is checked before the rules of the request, as far as it can be read.
            let check = |members: &[Member]| {
                let entries = named.iter().filter_map(|entry| current.get(*entry));
                let (links, user) = (&ledger.links, member_key.user);
                let mut checks = entries.map(|it| check_revertible(it, links, user, members));
                checks.find(Result::is_err).unwrap_or(Ok(()))
            };
            match check(&[]) {
                // Whether a member is past shows only in the members' rows.
                Err(Error::NotYourAdjustment(_)) => {
                    let (_, members) = self.group_naming(member_key, None).await?;
                    check(&ledger.state.of(&members))?;
                }
                checked => checked?,
            }
            let mut transaction = LedgerTransaction::new(member_key, ledger, idempotency.now())?;
            let list = &entries.checked()?.path;
            check_size(current.values().map(|entry| entry.changes.len()))
                .map_err(|rule| Error::invalid(list.clone(), rule))?;
            let mut report = Report::default();
            for entry_id in &named {
                let reverted = match current.remove(*entry_id) {
                    Some(entry) => Ok(transaction.revert(&entry, None)?),
                    None => Err(Reason::EntryMissing),
                };
                report.add((*entry_id).clone(), reverted);
            }
            tell(&mut transaction, ChangeKind::AdjustmentReverted, &report);
            transaction.commit(report)
        })
        .await
    }

    /// The current entries of these names.
    async fn current(
        &self,
        group: GroupId,
        entries: impl Iterator<Item = EntryId>,
    ) -> Result<Current, Error> {
        let entries: BTreeSet<_> = entries.collect();
        let keys = entries.iter().map(|entry| keys::entry(group, entry)).collect();
        let entries = self.db.batch::<Entry>(keys).await?.into_values();
        Ok(entries.map(|entry| (entry.entry_id.clone(), entry)).collect())
    }
}

/// Tells of the adjustments that are applied.
fn tell(transaction: &mut LedgerTransaction, kind: ChangeKind, report: &Report) {
    let number = u64::try_from(report.applied.len()).unwrap_or(u64::MAX);
    transaction.tell(Subject::adjustments(kind, number));
}

/// Adds an adjustment to a transaction; its entry, or why it is not applied.
fn push(
    transaction: &mut LedgerTransaction,
    adjustment: &CheckedAdjustment,
) -> Result<Result<Entry, Reason>, WriteError> {
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
