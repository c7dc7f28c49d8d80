//! The undo of an import: deletes what it has recorded, as many rows in each transaction as fit.

use std::collections::HashMap;

use fracti_core::{
    Error,
    entry::Entry,
    expense::Expense,
    group::MemberRow,
    id::ImportId,
    import::{ImportRow, Record, Status, check_undo},
    keys::{self, Primary},
    row,
    time::Timestamp,
};

use super::{OTHER_ACTIONS, put_row};
use crate::{
    access::MemberKey,
    commit::Decision,
    dynamo::{
        Expression, MAX_ACTIONS, OnConflict, Order, Page, Range, Sort, TransactionError, Write,
        is_late,
    },
    expenses::{member_rows, unchanged},
    ledger::LedgerTransaction,
    table::Table,
};

/// Number of expenses, and of settlements, that are read for one transaction. Deleting one takes
/// four actions or more.
const CANDIDATES: usize = MAX_ACTIONS / 4;

impl Table {
    /// Deletes the expenses and settlements of an import that still exist, and reverts their
    /// entries. Guests whom the import has added stay.
    ///
    /// The import stays `undoing` if the deadline passes, and is `undone` at the end. An import
    /// that is already undone is returned unchanged.
    ///
    /// # Errors
    ///
    /// [`Error::NoImport`]; [`Error::NotYourImport`]; [`Error::NoGroup`] or [`Error::NotMember`];
    /// [`Error::GroupArchived`]; [`Error::Contended`], [`Error::Unavailable`] or [`Error::Table`],
    /// after which the import may be partly undone: a repeated request continues.
    pub async fn undo_import(
        &self,
        member_key: MemberKey,
        id: ImportId,
        now: Timestamp,
    ) -> Result<ImportRow, Error> {
        let group = member_key.group;
        let import = self.import_row(member_key, id).await?;
        let importer = keys::member(group, import.created_by.into());
        let importer = self.db.get::<MemberRow>(importer).await?.map(|row| row.member);
        check_undo(&import, importer.as_ref(), member_key.user)?;
        // After this write, the import adds no more rows.
        let began = self.write_to_group(group, || self.begin_undo(member_key, id, now)).await?;
        let mut import = began;
        while import.status == Status::Undoing && !is_late() {
            let attempt = || self.undo_batch(member_key, &import, now);
            import = self.write_to_group(group, attempt).await?;
        }
        Ok(import)
    }

    async fn begin_undo(
        &self,
        member_key: MemberKey,
        id: ImportId,
        now: Timestamp,
    ) -> Result<Decision<ImportRow>, TransactionError> {
        let key = keys::import(member_key.group, id);
        let (ledger, row) =
            tokio::try_join!(self.ledger(member_key.group), self.db.get::<ImportRow>(key))?;
        let row = row.ok_or(Error::NoImport)?;
        let mut transaction = LedgerTransaction::new(member_key, ledger, now)?;
        match row.status {
            Status::Undoing | Status::Undone => Ok(Decision::Done(row)),
            Status::Running | Status::Done => {
                let updated_at = transaction.at();
                let undoing = ImportRow { status: Status::Undoing, updated_at, ..row.clone() };
                transaction.add(put_row(&undoing, Some(&row))?);
                transaction.commit(undoing, None)
            }
        }
    }

    /// Deletes expenses and settlements of an import in one transaction, as many as fit. If there
    /// are no more, the import becomes `undone`.
    async fn undo_batch(
        &self,
        member_key: MemberKey,
        known: &ImportRow,
        now: Timestamp,
    ) -> Result<Decision<ImportRow>, TransactionError> {
        let group = member_key.group;
        let (from, to) = (known.created_at, known.updated_at);
        let of_import = Expression::equal("importId", row::to_value(&known.id)?);
        let range = |[first, last]: [String; 2]| {
            let sort = Sort::Between(first, last);
            Range { index: None, partition: keys::group_partition(group), sort, order: Order::Asc }
        };
        let (expenses, settlements) =
            (range(keys::expenses_between(from, to)), range(keys::settlements_between(from, to)));
        let page = Page { limit: CANDIDATES, after: None };
        let (ledger, row, expenses, settlements) = tokio::try_join!(
            self.ledger(group),
            self.db.get::<ImportRow>(keys::import(group, known.id)),
            self.db.page_where(&expenses, &page, &of_import),
            self.db.page_where(&settlements, &page, &of_import),
        )?;
        let row = row.ok_or(Error::NoImport)?;
        let mut transaction = LedgerTransaction::new(member_key, ledger, now)?;
        if row.status != Status::Undoing {
            return Ok(Decision::Done(row));
        }
        let mut is_last = expenses.next.is_none() && settlements.next.is_none();
        let expenses = expenses.items.into_iter().map(|it| Record::Expense(Box::new(it)));
        let settlements = settlements.items.into_iter().map(|it| Record::Settlement(Box::new(it)));
        let records: Vec<Record> = expenses.chain(settlements).collect();
        let entries = records.iter().map(|it| keys::entry(group, &it.entry_id())).collect();
        let entries: HashMap<Primary, Entry> = self.db.batch(entries).await?;
        let mut deleted: Vec<Expense> = Vec::new();
        for record in records {
            let entry = entries.get(&keys::entry(group, &record.entry_id()));
            // The rows were read at different moments: an entry exists as long as its expense.
            let entry = entry.ok_or(TransactionError::Retry)?;
            let (writes, snapshot) = deletion(&record)?;
            // The entry takes three actions, and the expense may have a tally of its own.
            let used = [transaction.writes(), deleted.len(), writes.len(), 4, OTHER_ACTIONS];
            if used.into_iter().fold(0, usize::saturating_add) > MAX_ACTIONS {
                is_last = false;
                break;
            }
            transaction.add_all(writes);
            transaction.revert(entry, snapshot.as_ref())?;
            deleted.extend(snapshot);
        }
        transaction.tally(&deleted, &[])?;
        let status = if is_last { Status::Undone } else { Status::Undoing };
        let undone = ImportRow { status, updated_at: transaction.at(), ..row.clone() };
        transaction.add(put_row(&undone, Some(&row))?);
        transaction.commit(undone, None)
    }
}

/// The writes that delete the rows of an expense or a settlement, and the expense.
fn deletion(record: &Record) -> Result<(Vec<Write>, Option<Expense>), Error> {
    match record {
        Record::Expense(expense) => {
            let delete = Write::delete(keys::expense(expense.group_id, expense.created_at));
            let delete = delete.when(unchanged(expense)?, OnConflict::Retry);
            let writes = [delete].into_iter().chain(member_rows(Some(expense), None)?).collect();
            Ok((writes, Some((**expense).clone())))
        }
        Record::Settlement(settlement) => {
            let key = keys::settlement(settlement.group_id, settlement.created_at);
            let unchanged = Expression::equal("id", row::to_value(&settlement.id)?);
            Ok((vec![Write::delete(key).when(unchanged, OnConflict::Retry)], None))
        }
    }
}
