//! Entries with their expenses and settlements, as of an earlier moment.

use std::collections::{BTreeSet, HashMap};

use fracti_core::{
    group::Member,
    input::Error,
    ledger::{EntryStatus, RefType},
    records::{entry::Entry, expense::Expense, settlement::Settlement},
    storage::keys::{self, Primary},
    values::{
        entry_id::EntryId,
        id::{ExpenseId, GroupId, MemberId, SettlementId},
        settlement_status::SettlementStatus,
    },
};

use super::{Exported, before_revert};
use crate::{dynamo::Retry, table::Table};

/// A row of an export.
#[derive(Clone, Debug)]
pub enum ExportedRow {
    /// An entry of the ledger.
    Entry {
        /// The entry. If it belongs to an expense, its snapshot is the expense as it was while the
        /// entry was applied; a revert has no snapshot.
        entry: Box<Entry>,
        /// The completed settlement to which the entry belongs.
        settlement: Option<Box<Settlement>>,
    },
    /// A settlement that is not completed.
    Settlement(Box<Settlement>),
}

/// Error returned for an entry whose expense or settlement has no row.
#[derive(Debug, thiserror::Error)]
#[error("the row of the expense or settlement of entry {0} is missing")]
struct MissingRow(u64);

/// Rows that say whether entries are still applied.
struct Current {
    expenses: HashMap<Primary, Expense>,
    settlements: HashMap<Primary, Settlement>,
    adjustments: HashMap<Primary, Entry>,
}

impl Table {
    /// The rows of these entries, as of the moment before the entry `end` was recorded.
    ///
    /// The entries are read from an index, which may lag and show a reverted entry as applied. An
    /// applied entry is therefore compared with the row of its expense, and read again if the two
    /// do not belong to the same event.
    pub(super) async fn records(
        &self,
        exported: &Exported,
        end: u64,
        entries: Vec<Entry>,
    ) -> Result<Vec<ExportedRow>, Error> {
        let group = exported.group.id;
        let current = self.current_rows(group, &entries).await?;
        let mut rows = Vec::new();
        for entry in entries {
            let row = match current.row(group, &entry) {
                Some(row) => row,
                None => self.row_again(group, &entry).await?,
            };
            rows.push(as_of(exported, end, row));
        }
        Ok(rows)
    }

    /// The rows of the expenses and settlements of applied entries, and the current entries of
    /// adjustments.
    async fn current_rows(&self, group: GroupId, entries: &[Entry]) -> Result<Current, Error> {
        let keys_of = |kind: RefType| {
            // The row of a settlement stays when it is taken back.
            let has_row = |entry: &&Entry| match entry.status {
                EntryStatus::Applied => true,
                EntryStatus::Reverted => kind == RefType::Settlement,
                EntryStatus::Revert => false,
            };
            let entries = entries.iter().filter(has_row);
            let keys =
                entries.filter(|entry| entry.ref_type == kind).filter_map(|it| key(group, it));
            // The index may have two applied entries of one expense.
            let keys: BTreeSet<(String, String)> = keys.map(|key| (key.pk, key.sk)).collect();
            keys.into_iter().map(|(pk, sk)| Primary { pk, sk }).collect::<Vec<_>>()
        };
        let (expenses, settlements, adjustments) = tokio::try_join!(
            self.db.batch(keys_of(RefType::Expense)),
            self.db.batch(keys_of(RefType::Settlement)),
            self.db.batch(keys_of(RefType::Adjustment)),
        )?;
        Ok(Current { expenses, settlements, adjustments })
    }

    /// The row of an entry that differs from the index, or has changed since.
    async fn row_again(&self, group: GroupId, entry: &Entry) -> Result<ExportedRow, Error> {
        let mut retry = Retry::new();
        loop {
            let past = keys::past_entry(group, &entry.entry_id, entry.sequence);
            if let Some(entry) = self.db.get::<Entry>(past).await? {
                let current = self.current_rows(group, std::slice::from_ref(&entry)).await?;
                return Ok(current.of_past(group, &entry));
            }
            let current = self.current_rows(group, std::slice::from_ref(entry)).await?;
            // The entry is read after its expense: if it is still applied, the expense is its own.
            let applied = self.db.get::<Entry>(keys::entry(group, &entry.entry_id)).await?;
            if applied.is_some_and(|applied| applied.sequence == entry.sequence)
                && let Some(row) = current.of_applied(group, entry)
            {
                return Ok(row);
            }
            if !retry.pause().await {
                return Err(Error::Table(MissingRow(entry.sequence).into()));
            }
        }
    }
}

impl Current {
    /// The row of an entry, unless it has to be read again.
    fn row(&self, group: GroupId, entry: &Entry) -> Option<ExportedRow> {
        match entry.status {
            EntryStatus::Reverted | EntryStatus::Revert => Some(self.of_past(group, entry)),
            EntryStatus::Applied => {
                let is_current = match entry.ref_type {
                    RefType::Adjustment => {
                        let current = self.adjustments.get(&key(group, entry)?)?;
                        current.sequence == entry.sequence
                    }
                    RefType::Link => true,
                    // It may have been taken back since, or deleted with its import.
                    RefType::Settlement => {
                        self.settlements.get(&key(group, entry)?)?.is_completed()
                    }
                    RefType::Expense => {
                        let expense = self.expenses.get(&key(group, entry)?)?;
                        is_of_event(expense, entry)
                    }
                };
                if is_current { self.of_applied(group, entry) } else { None }
            }
        }
    }

    /// The row of an entry that counts no more, with its settlement as it was if it was taken back.
    fn of_past(&self, group: GroupId, entry: &Entry) -> ExportedRow {
        let key = key(group, entry).filter(|_| entry.status == EntryStatus::Reverted);
        let settlement = key.and_then(|key| self.settlements.get(&key)).cloned();
        let settlement = settlement.map(|it| before_revert(it, entry.created_at));
        let settlement = settlement.filter(Settlement::is_completed).map(Box::new);
        ExportedRow::Entry { entry: Box::new(entry.clone()), settlement }
    }

    /// The row of an entry that is applied, if the row of its expense or settlement was read.
    fn of_applied(&self, group: GroupId, entry: &Entry) -> Option<ExportedRow> {
        match entry.ref_type {
            RefType::Adjustment | RefType::Link => Some(plain(entry)),
            RefType::Settlement => {
                let settlement = self.settlements.get(&key(group, entry)?)?.clone();
                let settlement = Some(Box::new(settlement)).filter(|it| it.is_completed())?;
                let settlement = Some(settlement);
                Some(ExportedRow::Entry { entry: Box::new(entry.clone()), settlement })
            }
            RefType::Expense => {
                let snapshot = Some(Box::new(self.expenses.get(&key(group, entry)?)?.clone()));
                let entry = Box::new(Entry { snapshot, ..entry.clone() });
                Some(ExportedRow::Entry { entry, settlement: None })
            }
        }
    }
}

/// Whether the entry's event is the last one of the expense. No two events of an expense have the
/// same time.
fn is_of_event(expense: &Expense, entry: &Entry) -> bool {
    match expense.updated_at {
        Some(updated_at) => updated_at == entry.created_at,
        None => expense.created_at == entry.ref_created_at.unwrap_or(entry.created_at),
    }
}

/// The key of the row that says whether the entry is applied: that of its expense or settlement, or
/// of the entry itself.
fn key(group: GroupId, entry: &Entry) -> Option<Primary> {
    let EntryId::Record(id) = &entry.entry_id else {
        return Some(keys::entry(group, &entry.entry_id));
    };
    let id = id.into_bytes();
    match entry.ref_type {
        RefType::Adjustment | RefType::Link => Some(keys::entry(group, &entry.entry_id)),
        RefType::Expense => {
            let created_at = ExpenseId::from_bytes(id).created_at().or(entry.ref_created_at)?;
            Some(keys::expense(group, created_at))
        }
        RefType::Settlement => {
            let created_at = SettlementId::from_bytes(id).created_at().or(entry.ref_created_at)?;
            Some(keys::settlement(group, created_at))
        }
    }
}

/// The row of an entry without a settlement.
fn plain(entry: &Entry) -> ExportedRow {
    ExportedRow::Entry { entry: Box::new(entry.clone()), settlement: None }
}

/// The row as it was before the entry `end` was recorded: an entry reverted by that or a later
/// entry was still applied.
fn as_of(exported: &Exported, end: u64, row: ExportedRow) -> ExportedRow {
    match row {
        ExportedRow::Entry { mut entry, mut settlement } => {
            let is_later = entry.other_sequence.is_some_and(|other| other >= end);
            if entry.status == EntryStatus::Reverted && is_later {
                (entry.status, entry.other_sequence) = (EntryStatus::Applied, None);
                settlement = settlement.or_else(|| deleted_settlement(exported, &entry));
            } else if entry.status != EntryStatus::Applied {
                settlement = None;
            }
            ExportedRow::Entry { entry, settlement }
        }
        ExportedRow::Settlement(settlement) => ExportedRow::Settlement(settlement),
    }
}

/// The completed settlement of an entry whose row was deleted with its import, with the present
/// names of its parties. `None` if the entry is of another kind.
fn deleted_settlement(exported: &Exported, entry: &Entry) -> Option<Box<Settlement>> {
    let EntryId::Record(id) = &entry.entry_id else { return None };
    if entry.ref_type != RefType::Settlement {
        return None;
    }
    let sent = entry.changes.iter().find(|change| change.totals.sent > 0)?;
    let received = entry.changes.iter().find(|change| change.totals.received > 0)?;
    let name = |id: MemberId| {
        let index = exported.members.binary_search_by_key(&id, |member: &Member| member.id).ok()?;
        exported.members.get(index).map(|member| member.name.clone())
    };
    Some(Box::new(Settlement {
        id: SettlementId::from_bytes(id.into_bytes()),
        group_id: entry.group_id,
        group_title: Some(exported.group.title.to_string()),
        from_user_id: sent.user,
        from_user_name: name(sent.user).unwrap_or_default(),
        to_user_id: received.user,
        to_user_name: name(received.user).unwrap_or_default(),
        amount: sent.currency.to_major(sent.totals.sent),
        currency: sent.currency,
        tx_hash: None,
        status: SettlementStatus::Completed,
        created_at: entry.ref_created_at.unwrap_or(entry.created_at),
        created_by: None,
        completed_at: Some(entry.created_at),
        import_id: entry.import_id,
        funds: None,
        external: None,
        hold_until: None,
        expired: false,
        date: None,
        note: None,
        updated_at: None,
        reverted_at: None,
        reverted_by: None,
    }))
}
