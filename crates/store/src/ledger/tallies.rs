//! Tallies: the totals of a group by day and category, which expenses change.

use std::ops::RangeInclusive;

use fracti_core::{
    group::{Member, MemberKey},
    input::Error,
    reports::tally::TallyRow,
    storage::keys,
    values::{id::GroupId, time::Day},
};

use crate::{
    dynamo::{Order, Range, Sort},
    table::Table,
};

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
