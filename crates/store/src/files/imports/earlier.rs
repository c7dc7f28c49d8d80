//! What earlier imports of an app have recorded and the group still has.

use std::collections::{HashMap, HashSet};

use fracti_core::{
    input::Error,
    ledger::{Event, RefType},
    records::{
        entry::Entry,
        expense::Expense,
        import::{Earlier, Format, ImportRow, Record},
        settlement::Settlement,
    },
    storage::{
        condition::Condition,
        keys::{self, Primary, prefix},
        row::{self, Row},
    },
    values::{
        id::{GroupId, ImportId},
        time::Timestamp,
    },
};
use futures_util::future::try_join_all;

use crate::{
    dynamo::{Order, Range, Sort},
    table::Table,
};

impl Table {
    /// All imports of a group.
    pub(super) async fn imports_of(&self, group: GroupId) -> Result<Vec<ImportRow>, Error> {
        self.db.all(&Range::table(keys::group_partition(group), prefix::IMPORT)).await
    }

    /// What the group has of earlier imports of the app that writes files of this format, in the
    /// order of recording. `source` says which group of the app the file is of. `imports` are all
    /// imports of the group.
    ///
    /// # Errors
    ///
    /// [`Error::TooMuchHistory`].
    pub(super) async fn earlier(
        &self,
        group: GroupId,
        format: Format,
        source: Option<&str>,
        imports: &[ImportRow],
    ) -> Result<Vec<Earlier>, Error> {
        let imports: Vec<&ImportRow> =
            imports.iter().filter(|it| it.is_of(format, source)).collect();
        let formats: HashMap<ImportId, Format> =
            imports.iter().map(|it| (it.id, it.format)).collect();
        let periods = periods(&imports);
        let expenses = periods.iter().map(|(from, to)| {
            self.rows_between::<Expense>(group, keys::expenses_between(*from, *to))
        });
        let settlements = periods.iter().map(|(from, to)| {
            self.rows_between::<Settlement>(group, keys::settlements_between(*from, *to))
        });
        let (expenses, settlements, adjustments) = tokio::try_join!(
            try_join_all(expenses),
            try_join_all(settlements),
            self.adjustments_of(group, &imports),
        )?;
        let format_of = |import: Option<ImportId>| formats.get(&import?).copied();
        let expenses = expenses.into_iter().flatten();
        let expenses: Vec<(Format, Expense)> =
            expenses.filter_map(|it| Some((format_of(it.import_id)?, it))).collect();
        let edited = expenses.iter().filter(|(_, it)| it.updated_at.is_some());
        let edited: HashSet<Primary> =
            edited.map(|(_, it)| keys::entry(group, &it.id.into())).collect();
        let entries: HashMap<Primary, Entry> = self.db.batch(edited.into_iter().collect()).await?;
        // An import notes itself in the entry of what it edits, too.
        let is_edited = |it: &Expense| {
            let entry = entries.get(&keys::entry(group, &it.id.into()));
            let is_of_import = entry.is_some_and(|entry| {
                entry.import_id.is_some() && Some(entry.created_at) == it.updated_at
            });
            it.updated_at.is_some() && !is_of_import
        };
        let expenses = expenses.into_iter().map(|(format, it)| {
            let is_edited = is_edited(&it);
            (it.created_at, Earlier { record: Record::Expense(it.into()), format, is_edited })
        });
        let settlements = settlements.into_iter().flatten();
        let settlements = settlements.filter_map(|it| {
            let format = format_of(it.import_id)?;
            let at = it.created_at;
            let has_hash = it.tx_hash.is_some();
            let record = Record::Settlement(it.into());
            let is_edited = has_hash || record.has_changed_since();
            Some((at, Earlier { record, format, is_edited }))
        });
        let adjustments = adjustments.into_iter().map(|entry| {
            let Entry { entry_id, note, changes, created_at, .. } = entry;
            let ref_type = RefType::Adjustment;
            let event = Event { ref_type, entry_id, ref_created_at: None, note, changes };
            let record = Record::Adjustment(event.into());
            (created_at, Earlier { record, format: Format::FractiJson, is_edited: false })
        });
        let mut all: Vec<_> = expenses.chain(settlements).chain(adjustments).collect();
        all.sort_by_key(|(at, _)| *at);
        Ok(all.into_iter().map(|(_, it)| it).collect())
    }

    async fn rows_between<T: Row>(
        &self,
        group: GroupId,
        [first, last]: [String; 2],
    ) -> Result<Vec<T>, Error> {
        let partition = keys::group_partition(group);
        let sort = Sort::Between(first, last);
        self.db.all(&Range { index: None, partition, sort, order: Order::Asc }).await
    }

    /// The entries of the adjustments of imports. They are found in an index, which may lag.
    async fn adjustments_of(
        &self,
        group: GroupId,
        imports: &[&ImportRow],
    ) -> Result<Vec<Entry>, Error> {
        let read = imports.iter().filter_map(|import| {
            let first = import.first_adjustment?;
            let position = keys::entry_position(first.created_at, first.sequence);
            let last = keys::entry_position(import.recorded_until(), u64::MAX);
            let partition = keys::entries_of(group);
            let sort = Sort::Between(position, last);
            let range = Range { index: Some("GSI1"), partition, sort, order: Order::Asc };
            Some(async move {
                let of_import = Condition::equal("importId", row::to_value(&import.id)?);
                self.db.filtered::<Entry>(&range, &of_import).await
            })
        });
        let found = try_join_all(read).await?.into_iter().flatten();
        let found: HashSet<Primary> = found
            .filter(|entry| entry.ref_type == RefType::Adjustment)
            .map(|entry| keys::entry(group, &entry.entry_id))
            .collect();
        let current = self.db.batch::<Entry>(found.into_iter().collect()).await?;
        Ok(current.into_values().filter(|entry| entry.import_id.is_some()).collect())
    }
}

/// The periods in which imports have recorded, without overlaps.
fn periods(imports: &[&ImportRow]) -> Vec<(Timestamp, Timestamp)> {
    let mut all: Vec<_> = imports.iter().map(|it| (it.created_at, it.recorded_until())).collect();
    all.sort_unstable();
    let mut periods: Vec<(Timestamp, Timestamp)> = Vec::new();
    for (from, to) in all {
        match periods.last_mut() {
            Some((_, end)) if *end >= from => *end = to.max(*end),
            _ => periods.push((from, to)),
        }
    }
    periods
}
