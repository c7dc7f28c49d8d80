//! The update by a later file: what has changed in the app is edited, and what is gone is deleted,
//! each in a transaction of its own.

use super::{Imported, Run, SeenImport, put_row, undoing::deletion};
use crate::{
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
        settlement::{Settlement, UsedHash},
    },
    storage::{
        condition::Condition,
        row,
        write::{Write, WriteError},
    },
    values::settlement_status::SettlementStatus,
};

/// What an earlier import has recorded, and what the group gets instead, if anything.
pub type Replacement = (Record, Option<Record>);

/// What an update replaces, as it is now.
#[derive(Debug)]
pub struct SeenRecorded {
    /// Its entry, if it has one.
    pub entry: Option<Entry>,
    /// Whether its row is as it was read; an adjustment has none.
    pub is_same: bool,
    /// The row of its transaction's hash, if it is a settlement with one.
    pub hash: Option<UsedHash>,
}

impl Run<'_> {
    /// Puts `after` in the place of `before`, which an earlier import has recorded, or deletes it.
    /// What has changed in the group since it was read stays as it is. `None` if what was decided
    /// has become wrong.
    pub fn replace(
        &self,
        SeenImport { ledger, row }: SeenImport,
        SeenRecorded { entry, is_same, hash }: SeenRecorded,
        (before, after): (&Record, Option<&Record>),
        done: &Imported,
    ) -> Result<Decision<Option<(Imported, u64)>>, WriteError> {
        let mut transaction = LedgerTransaction::new(self.member_key, ledger, self.now)?;
        let import = self.continued(row.as_ref(), transaction.at())?;
        if !self.are_present(&transaction)? {
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
            let (writes, snapshot) = deletion(before, hash.as_ref())?;
            transaction.add_all(writes);
            transaction.tally(snapshot.as_ref(), None)?;
            if let Some(entry) = &entry {
                transaction.revert(entry, snapshot.as_ref())?;
            }
            if let Record::Settlement(it) = before
                && it.status == SettlementStatus::Pending
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
                let sequence = transaction.before().sequence;
                let created_at = transaction.at();
                first_adjustment.get_or_insert(EntryPosition { sequence, created_at });
            }
        }
        let snapshot = match before {
            Record::Expense(expense) => Some(&**expense),
            Record::Settlement(_) | Record::Adjustment(_) => None,
        };
        match (entry, event) {
            (Some(entry), Some(event)) => {
                transaction.replace(&entry, snapshot, event, Some(self.new.id))?;
            }
            (None, Some(event)) => transaction.import(event, self.new.id)?,
            (_, None) => {}
        }
        done.updated = done.updated.saturating_add(1);
        let import = ImportRow { first_adjustment, ..import };
        finish(transaction, import, row.as_ref(), &done)
    }
}

/// What an update replaces, which is nothing unless the request says so.
///
/// # Errors
///
/// [`Error::NotYourImport`] if the member may not undo the imports of the app.
pub fn replacements(
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
        SettlementStatus::Pending => settlements::unchanged(before)?,
        SettlementStatus::Completed | SettlementStatus::Failed => {
            Condition::equal("id", row::to_value(&before.id)?)
        }
    };
    transaction.add(Write::put(after)?.when(unchanged));
    if before.status == SettlementStatus::Pending {
        transaction.state().ended(before.parties());
    }
    if after.status == SettlementStatus::Pending {
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
