//! Tallies: the totals of a group by day and category, which expenses change.

use std::ops::RangeInclusive;

use fracti_core::{
    group::Member,
    input::Error,
    records::expense::Expense,
    reports::tally::{Tally, TallyCounters, TallyKey, TallyRow},
    storage::{keys, row},
    values::{
        id::GroupId,
        time::{Day, Timestamp},
    },
};
use fracti_texts::{Message, message};

use crate::{
    dynamo::{Order, Range, Sort, Write},
    table::{Table, access::MemberKey},
};

/// Maximum number of shares and payments of expenses that one transaction adds to a tally. Each may
/// be a counter, and the expression that updates them has at most 4 KB.
///
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-expression-parameters>
pub(crate) const MAX_COUNTERS: usize = 150;

/// Rule that an expense breaks if the row of its tally would exceed DynamoDB's limit.
fn full() -> Message {
    message!(
        "the group's totals for this day and category are full",
        "итоги группы за этот день и по этой категории переполнены"
    )
}

impl Table {
    /// The members of a group, present and past, and its tallies on these days.
    ///
    /// # Errors
    ///
    /// As [`Table::group_and_ledger`]; [`Error::TooMuchHistory`] if the tallies are too many.
    pub async fn members_and_tallies(
        &self,
        member_key: MemberKey,
        days: &RangeInclusive<Day>,
    ) -> Result<(Vec<Member>, Vec<TallyRow>), Error> {
        let group = member_key.group;
        let ((_, members), tallies) =
            tokio::try_join!(self.group(member_key), self.tallies(group, days))?;
        Ok((members, tallies))
    }

    /// The tallies of a group on these days, by day. It does not check a membership: the caller
    /// must.
    pub(crate) async fn tallies(
        &self,
        group: GroupId,
        days: &RangeInclusive<Day>,
    ) -> Result<Vec<TallyRow>, Error> {
        let [first, last] = keys::tallies(days);
        let partition = keys::ledger_partition(group);
        let sort = Sort::Between(first, last);
        self.db.all(&Range { index: None, partition, sort, order: Order::Asc }).await
    }
}

/// The writes to tallies for expenses that change from `before` to `after` at a moment. The
/// transaction must hold the group's lock, so that no change is applied twice.
pub(crate) fn tally_writes<'a>(
    group: GroupId,
    before: impl IntoIterator<Item = &'a Expense>,
    after: impl IntoIterator<Item = &'a Expense>,
    at: Timestamp,
) -> Result<Vec<Write>, Error> {
    let mut tally = Tally::default();
    for before in before {
        tally.subtract(before)?;
    }
    for after in after {
        tally.add(after)?;
    }
    let write = |(of, counters): (TallyKey, TallyCounters)| {
        let counters = counters.into_iter().map(|(counter, number)| (counter.to_string(), number));
        let updated_at = ("updatedAt", row::to_value(&at)?);
        let write = Write::add::<TallyRow>(keys::tally(group, of), counters, [updated_at]);
        Ok(write.or_too_large(|| Error::invalid("date", full())))
    };
    tally.changes().map(write).collect()
}
