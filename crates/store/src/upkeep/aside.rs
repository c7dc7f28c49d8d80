//! v0 rows that stay unreadable after the migration of their group, for the operators' tool. Lists
//! leave them out; an operator can set them aside.

use std::collections::BTreeSet;

use fracti_core::{
    decisions::decision::Decision,
    group::MemberRow,
    input::Error,
    records::{
        aside::AsideRow,
        expense::{Expense, Participant},
        settlement::Settlement,
    },
    storage::{
        condition::Condition,
        keys::{self, Primary, prefix},
        row::{self, AttributeValue, FORMAT_VERSION, Item, Row},
        write::{Transaction, Write},
    },
    v0::{self, Anomaly},
    values::{
        id::{GroupId, MemberId},
        time::Timestamp,
    },
};

use crate::{
    dynamo::{Order, Page, Position, Range},
    table::Table,
};

/// Rows that are read with one request.
const AT_ONCE: usize = 1_000;

/// A v0 row that cannot be used.
#[derive(Clone, Debug)]
pub struct BrokenRow {
    /// Its key.
    pub key: Primary,
    /// What is wrong with it.
    pub reason: String,
    row: Item,
}

impl Table {
    /// The v0 rows of a group that cannot be used: expenses, settlements, members and participants
    /// that cannot be read, further rows of a member, and participants of an expense that cannot be
    /// read or does not exist; and the expenses and settlements with the sort keys `also`, which
    /// can be read but not be migrated. A group that is not migrated has none, because its
    /// migration repairs most of them.
    pub async fn broken_rows(
        &self,
        group: GroupId,
        also: &[String],
    ) -> Result<Vec<BrokenRow>, Error> {
        if self.stored_ledger(group).await?.state.needs_migration(group) {
            return Ok(Vec::new());
        }
        let named = |row: &Item| {
            let is_named = text(row, "SK").is_some_and(|key| also.iter().any(|it| it == key));
            is_named.then(|| "the row is not migrated".to_owned())
        };
        let expenses = self.rows_of(group, prefix::EXPENSE, false).await?;
        let id = |row: &Item| text(row, "id").map(str::to_owned);
        let known: BTreeSet<String> = expenses.iter().filter_map(id).collect();
        let mut broken =
            with_reason(expenses, |row| unreadable::<Expense>(row).or_else(|| named(row)));
        let ids: BTreeSet<String> = broken.iter().filter_map(|it| id(&it.row)).collect();
        let settlements = self.rows_of(group, prefix::SETTLEMENT, true).await?;
        broken.extend(with_reason(settlements, |row| {
            unreadable::<Settlement>(row).or_else(|| named(row))
        }));
        // Of a member with several rows, that with the right key counts, or else the first one.
        let members = self.rows_of(group, prefix::MEMBER, false).await?;
        let member = |row: &Item| Some(row::from_item::<MemberRow>(row.clone()).ok()?.member.id);
        let is_own = |row: &Item, id| Primary::of(row) == Some(keys::member(group, id));
        let owned = members.iter().filter_map(|row| Some((row, member(row)?)));
        let owned = owned.filter(|(row, id)| is_own(row, *id)).map(|(_, id)| id);
        let mut seen: BTreeSet<MemberId> = owned.collect();
        broken.extend(with_reason(members, |row| match member(row) {
            Some(id) if is_own(row, id) || seen.insert(id) => None,
            Some(_) => Some(Anomaly::MemberTwice.to_string()),
            None => unreadable::<MemberRow>(row),
        }));
        let participants = self.rows_of(group, prefix::PARTICIPANT, true).await?;
        broken.extend(with_reason(participants, |row| {
            let expense = text(row, "SK").and_then(|key| key.strip_prefix(prefix::PARTICIPANT));
            let expense = expense.and_then(|rest| rest.split('#').next());
            let is_in = |ids: &BTreeSet<String>| expense.is_some_and(|id| ids.contains(id));
            let reason = if is_in(&ids) {
                Some("the expense of the participant is not migrated")
            } else if is_in(&known) {
                None
            } else {
                Some("the expense of the participant does not exist")
            };
            reason.map(str::to_owned).or_else(|| unreadable::<Participant>(row))
        }));
        Ok(broken)
    }

    /// Moves a row, as it is, to the partition of rows that are set aside, unless it has changed
    /// since it was found. Returns whether it was moved.
    pub async fn set_aside(
        &self,
        group: GroupId,
        broken: &BrokenRow,
        now: Timestamp,
    ) -> Result<bool, Error> {
        let BrokenRow { key, reason, row } = broken;
        self.work(Some(group), "set-aside", now, async || {
            if self.db.item(key.clone()).await?.as_ref() != Some(row) {
                return Ok(Decision::Done(false));
            }
            let aside = AsideRow::of(group, &key.sk, row, reason, now)?;
            let unchanged = Condition::same_as(row, &[FORMAT_VERSION]);
            let writes = [Write::delete(key.clone()).when(unchanged), Write::put_new(&aside)?];
            Ok(Decision::Write(Transaction::from_iter(writes), true))
        })
        .await
    }

    /// The rows of a group whose sort keys have a prefix, oldest first: all of them, or the v0
    /// rows.
    async fn rows_of(
        &self,
        group: GroupId,
        prefix: &str,
        only_v0: bool,
    ) -> Result<Vec<Item>, Error> {
        let range = Range::table(keys::group_partition(group), prefix);
        let range = Range { order: Order::Asc, ..range };
        let filter =
            if only_v0 { Condition::without(FORMAT_VERSION) } else { Condition::default() };
        let mut all = Vec::new();
        let mut after = None;
        loop {
            let page = Page { limit: AT_ONCE, after };
            let (rows, ended) = self.db.items(&range, &page, &filter).await?;
            after = rows.last().and_then(Primary::of).map(|key| Position::of(key.item()));
            all.extend(rows);
            if ended {
                return Ok(all);
            }
        }
    }
}

/// The v0 rows for which there is a reason, with it.
fn with_reason(rows: Vec<Item>, mut reason: impl FnMut(&Item) -> Option<String>) -> Vec<BrokenRow> {
    let broken = |row: Item| {
        let reason = reason(&row).filter(|_| v0::is_v0(&row))?;
        Some(BrokenRow { key: Primary::of(&row)?, reason, row })
    };
    rows.into_iter().filter_map(broken).collect()
}

/// Why a row cannot be read, if it cannot.
fn unreadable<T: Row>(row: &Item) -> Option<String> {
    match row::from_item::<T>(row.clone()) {
        Err(Error::Table(cause)) => Some(cause.to_string()),
        Err(error) => Some(error.to_string()),
        Ok(_) => None,
    }
}

fn text<'a>(row: &'a Item, name: &str) -> Option<&'a str> {
    if let Some(AttributeValue::S(text)) = row.get(name) { Some(text) } else { None }
}
