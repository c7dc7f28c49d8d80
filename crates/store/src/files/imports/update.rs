//! The update by a later file: what has changed in the app is edited, and what is gone is deleted,
//! each in a transaction of its own.

use std::sync::atomic::Ordering::Relaxed;

use fracti_core::{
    decisions::{
        decision::Decision,
        expenses::{self, member_rows},
        ledger_transaction::LedgerTransaction,
        settlements,
    },
    group::{Member, MemberKey},
    input::Error,
    records::{
        entry::Entry,
        expense::Expense,
        import::{
            Comparison, EntryPosition, ImportRow, ImportStatus, NewImport, Record, check_undo,
        },
        settlement::{self, Settlement},
    },
    storage::{
        condition::Condition,
        keys, row,
        write::{Write, WriteError},
    },
};

use super::{Ended, Imported, Run, put_row};
use crate::{
    dynamo::is_late,
    table::Table,
    write::idempotency::{Known, Outcome},
};

/// What an earlier import has recorded, and what the group gets instead, if anything.
pub(super) type Replacement = (Record, Option<Record>);

impl Table {
    /// Edits and deletes what an update replaces, until the deadline or until one of them is refused
    /// after others were done.
    pub(super) async fn replace_all(
        &self,
        run: &Run<'_>,
        replacements: &[Replacement],
        mut done: Imported,
        known: &mut Known,
    ) -> Result<Outcome<(Ended, Imported)>, Error> {
        for (before, after) in replacements {
            let attempt = || self.replace_recorded(run, before, after.as_ref(), &done);
            let group = run.member_key.group;
            done = match self.write_part(Some(group), known, |_| None, attempt).await {
                Ok(Outcome::Done(Some((done, version)))) => {
                    run.version.store(version, Relaxed);
                    done
                }
                Ok(Outcome::Done(None)) => return Ok(Outcome::Done((Ended::Outdated, done))),
                Ok(Outcome::Replayed(stored)) => return Ok(Outcome::Replayed(stored)),
                Err(error) if error.is_refusal() && done.has_begun() => {
                    return Ok(Outcome::Done((Ended::Stopped, done)));
                }
                Err(error) => return Err(error),
            };
            if is_late() {
                return Ok(Outcome::Done((Ended::Stopped, done)));
            }
        }
        Ok(Outcome::Done((Ended::Complete, done)))
    }

    /// Puts `after` in the place of `before`, which an earlier import has recorded, or deletes it.
    /// What has changed in the group since it was read stays as it is. `None` if what was decided has
    /// become wrong.
    async fn replace_recorded(
        &self,
        run: &Run<'_>,
        before: &Record,
        after: Option<&Record>,
        done: &Imported,
    ) -> Result<Decision<Option<(Imported, u64)>>, WriteError> {
        let group = run.member_key.group;
        let (ledger, row, entry, is_same) = tokio::try_join!(
            Box::pin(self.ledger(group)),
            self.db.get::<ImportRow>(keys::import(group, run.new.id)),
            self.db.get::<Entry>(keys::entry(group, &before.entry_id())),
            self.has_still(before),
        )?;
        if !self.holds(run, &ledger, done.has_begun()).await? {
            return Ok(Decision::Done(None));
        }
        let mut transaction = LedgerTransaction::new(run.member_key, ledger, run.now)?;
        let import = run.continued(row.as_ref(), transaction.at())?;
        if !run.are_present(&transaction)? {
            return Ok(Decision::Done(None));
        }
        let entry = match (before.event()?, entry) {
            (Some(_), None) => None,
            (_, entry) => Some(entry),
        };
        let (Some(entry), true) = (entry, is_same) else {
            return Ok(Decision::Done(Some((done.clone(), transaction.before().version))));
        };
        let mut done = done.clone();
        let mut first_adjustment = import.first_adjustment;
        let Some(after) = after else {
            let (writes, snapshot) = self.deletion(before).await?;
            transaction.add_all(writes);
            transaction.tally(snapshot.as_ref(), None)?;
            if let Some(entry) = &entry {
                transaction.revert(entry, snapshot.as_ref())?;
            }
            if let Record::Settlement(it) = before
                && it.status == settlement::SettlementStatus::Pending
            {
                transaction.state().ended(it.parties());
            }
            done.deleted = done.deleted.saturating_add(1);
            return finish(transaction, import, row.as_ref(), &done);
        };
        let Some(after) = after.instead_of(before, transaction.at()) else {
            return Ok(Decision::Done(Some((done, transaction.before().version))));
        };
        let event = after.event()?;
        match (before, &after) {
            (Record::Expense(before), Record::Expense(after)) => {
                edit_expense(&mut transaction, before, after)?;
            }
            (Record::Settlement(before), Record::Settlement(after)) => {
                // A payment that is confirmed in the group is not taken back.
                if before.is_completed() && !after.is_completed() {
                    return Ok(Decision::Done(Some((done, transaction.before().version))));
                }
                edit_settlement(&mut transaction, before, after)?;
            }
            (Record::Expense(_) | Record::Settlement(_) | Record::Adjustment(_), _) => {
                let (sequence, created_at) = (transaction.before().sequence, transaction.at());
                first_adjustment.get_or_insert(EntryPosition { sequence, created_at });
            }
        }
        let snapshot = match before {
            Record::Expense(expense) => Some(&**expense),
            Record::Settlement(_) | Record::Adjustment(_) => None,
        };
        match (entry, event) {
            (Some(entry), Some(event)) => {
                transaction.replace(&entry, snapshot, event, Some(run.new.id))?;
            }
            (None, Some(event)) => transaction.import(event, run.new.id)?,
            (_, None) => {}
        }
        done.updated = done.updated.saturating_add(1);
        let import = ImportRow { first_adjustment, ..import };
        finish(transaction, import, row.as_ref(), &done)
    }

    /// Whether the group has an expense or a settlement as it was read. An adjustment never changes.
    async fn has_still(&self, record: &Record) -> Result<bool, Error> {
        match record {
            Record::Expense(it) => {
                let read = self.db.get::<Expense>(keys::expense(it.group_id, it.created_at));
                Ok(read.await?.as_ref() == Some(it))
            }
            Record::Settlement(it) => {
                let read = self.db.get::<Settlement>(keys::settlement(it.group_id, it.created_at));
                Ok(read.await?.as_ref() == Some(it))
            }
            Record::Adjustment(_) => Ok(true),
        }
    }
}

/// What an update replaces, which is nothing unless the request says so.
///
/// # Errors
///
/// [`Error::NotYourImport`] if the member may not undo the imports of the app.
pub(super) fn replacements(
    new: &NewImport,
    compared: &Comparison,
    imports: &[ImportRow],
    members: &[Member],
    member_key: MemberKey,
) -> Result<Vec<Replacement>, Error> {
    if !new.updates() {
        return Ok(Vec::new());
    }
    let imports = imports.iter().filter(|it| it.is_of(new.format, new.source.as_deref()));
    check_update(imports, members, member_key)?;
    let all = compared.replacements();
    Ok(all.map(|(before, after)| (before.clone(), after.cloned())).collect())
}

fn check_update<'a>(
    mut imports: impl Iterator<Item = &'a ImportRow>,
    members: &[Member],
    MemberKey { user, .. }: MemberKey,
) -> Result<(), Error> {
    let importer =
        |import: &ImportRow| members.iter().find(|member| member.id == import.created_by);
    imports.try_for_each(|import| check_undo(import, importer(import), user))
}

fn edit_expense(
    transaction: &mut LedgerTransaction,
    before: &Expense,
    after: &Expense,
) -> Result<(), Error> {
    let unchanged = expenses::unchanged(before)?;
    transaction.add(Write::put(after)?.when(unchanged));
    transaction.add_all(member_rows(Some(before), Some(after))?);
    transaction.tally(Some(before), Some(after))
}

fn edit_settlement(
    transaction: &mut LedgerTransaction,
    before: &Settlement,
    after: &Settlement,
) -> Result<(), Error> {
    let unchanged = match before.status {
        settlement::SettlementStatus::Pending => settlements::unchanged(before)?,
        settlement::SettlementStatus::Completed | settlement::SettlementStatus::Failed => {
            Condition::equal("id", row::to_value(&before.id)?)
        }
    };
    transaction.add(Write::put(after)?.when(unchanged));
    if before.status == settlement::SettlementStatus::Pending {
        transaction.state().ended(before.parties());
    }
    if after.status == settlement::SettlementStatus::Pending {
        transaction.state().began(after.parties());
    }
    Ok(())
}

fn finish(
    mut transaction: LedgerTransaction,
    import: ImportRow,
    read: Option<&ImportRow>,
    done: &Imported,
) -> Result<Decision<Option<(Imported, u64)>>, WriteError> {
    let import =
        ImportRow { status: ImportStatus::Running, updated_at: transaction.at(), ..import };
    transaction.add(put_row(&import, read)?);
    let version = transaction.version();
    transaction.commit(Some((Imported { import, ..done.clone() }, version)))
}
