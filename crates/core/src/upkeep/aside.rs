//! v0 rows that stay unreadable after the migration of their group. Lists leave them out; an
//! operator can set them aside.

use std::collections::BTreeSet;

use crate::{
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

/// A v0 row that cannot be used.
#[derive(Clone, Debug)]
pub struct BrokenRow {
    /// Its key.
    pub key: Primary,
    /// What is wrong with it.
    pub reason: String,
    row: Item,
}

/// The rows of a group among which broken ones are looked for, oldest first. Of settlements and
/// participants, only v0 rows.
#[derive(Debug, Default)]
pub struct Searched {
    /// Expenses.
    pub expenses: Vec<Item>,
    /// Settlements.
    pub settlements: Vec<Item>,
    /// Members.
    pub members: Vec<Item>,
    /// Participants of expenses.
    pub participants: Vec<Item>,
}

impl Searched {
    /// The v0 rows that cannot be used: those that cannot be read, further rows of a member, and
    /// participants of an expense that cannot be read or does not exist; and the expenses and
    /// settlements with the sort keys `also`, which can be read but not be migrated.
    #[must_use]
    pub fn broken(self, group: GroupId, also: &[String]) -> Vec<BrokenRow> {
        let Self { expenses, settlements, members, participants } = self;
        let named = |row: &Item| {
            let is_named = text(row, "SK").is_some_and(|key| also.iter().any(|it| it == key));
            is_named.then(|| "the row is not migrated".to_owned())
        };
        let id = |row: &Item| text(row, "id").map(str::to_owned);
        let known: BTreeSet<String> = expenses.iter().filter_map(id).collect();
        let mut broken =
            with_reason(expenses, |row| unreadable::<Expense>(row).or_else(|| named(row)));
        let ids: BTreeSet<String> = broken.iter().filter_map(|it| id(&it.row)).collect();
        broken.extend(with_reason(settlements, |row| {
            unreadable::<Settlement>(row).or_else(|| named(row))
        }));
        // Of a member with several rows, that with the right key counts, or else the first one.
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
        broken
    }
}

impl BrokenRow {
    /// Moves the row, as it is, to the partition of rows that are set aside, unless it has changed
    /// since it was found: `stored` is the row as it is now. Returns whether it was moved.
    ///
    /// # Errors
    ///
    /// [`Error::Table`] if it cannot be written.
    pub fn set_aside(
        &self,
        group: GroupId,
        stored: Option<&Item>,
        now: Timestamp,
    ) -> Result<Decision<bool>, Error> {
        let Self { key, reason, row } = self;
        if stored != Some(row) {
            return Ok(Decision::Done(false));
        }
        let aside = AsideRow::of(group, &key.sk, row, reason, now)?;
        let unchanged = Condition::same_as(row, &[FORMAT_VERSION]);
        let writes = [Write::delete(key.clone()).when(unchanged), Write::put_new(&aside)?];
        Ok(Decision::Write(Transaction::from_iter(writes), true))
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
