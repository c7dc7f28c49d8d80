//! A user's days: the summaries of their own spendings, and their shares in the tallies of groups.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::RangeInclusive,
};

use fracti_core::{
    decisions::{
        days::{self as decide, DaySums, Rebuilt, Step},
        decision::Decision,
    },
    group::MemberRow,
    input::{Draft, Error},
    personal::{spending::Spending, summary::DaySummary, targets::Targets},
    reports::{
        days::{Consumed, Consumption, DaysAsked},
        tally::TallyRow,
    },
    storage::{
        keys::{self, prefix},
        write::WriteError,
    },
    values::{
        currency::Currency,
        decimal::Decimal,
        id::{GroupId, MemberId, UserId},
        time::{Day, Timestamp},
    },
};
use futures_util::future::try_join_all;

use crate::{
    dynamo::{BATCH, Order, Range, Sort},
    personal::spendings::spendings_of,
    table::Table,
    write::idempotency::{Idempotency, Known, Outcome},
};

/// What a user consumed on a range of days.
#[derive(Clone, Debug)]
pub struct Days {
    /// The days.
    pub range: RangeInclusive<Day>,
    /// The days with an amount, oldest first.
    pub days: BTreeMap<Day, Consumption>,
    /// The user's targets.
    pub targets: Targets,
}

/// What a user consumed on one day.
#[derive(Clone, Debug)]
pub struct DayInGroups {
    /// The amounts.
    pub day: Consumption,
    /// The user's shares of the expenses of each group: group, title, currency and amount. The
    /// title is empty if the user is a past member.
    pub groups: Vec<(GroupId, String, Currency, Decimal)>,
    /// The user's targets.
    pub targets: Targets,
}

/// A group with a user as a present or past member.
struct OwnGroup {
    id: GroupId,
    /// The user's ids: their own, and those of the guests who turned out to be them.
    ids: BTreeSet<MemberId>,
    is_present: bool,
}

impl Table {
    /// What a user consumed on these days. The days are not a snapshot of one moment.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if the range is invalid; [`Error::TooMuchHistory`] if the tallies of a
    /// group are too many.
    pub async fn consumed_days(
        &self,
        user: UserId,
        asked: DaysAsked,
        now: Timestamp,
    ) -> Result<Days, Error> {
        let widest = asked.widest(now)?;
        let (summaries, targets, groups) = tokio::try_join!(
            self.summaries(user, &widest),
            self.targets(user),
            self.own_groups(user)
        )?;
        let range = asked.of(&targets, now)?;
        let mut days: BTreeMap<Day, Consumption> = BTreeMap::new();
        for summary in summaries.iter().filter(|summary| range.contains(&summary.date)) {
            days.entry(summary.date).or_default().add_summary(summary)?;
        }
        // Tallies may have much that is not kept: only those of some groups are held at once.
        for groups in groups.chunks(BATCH) {
            for (tallies, ids) in self.tallies_of(groups, &range).await? {
                for tally in &tallies {
                    days.entry(tally.of.date).or_default().add_tally(tally, ids)?;
                }
            }
        }
        let days = days.into_iter().map(|(day, consumption)| (day, consumption.without_zeros()));
        let days = days.filter(|(_, consumption)| !consumption.currencies.is_empty()).collect();
        Ok(Days { range, days, targets })
    }

    /// What a user consumed on a day, with their shares of the expenses of each group.
    ///
    /// # Errors
    ///
    /// As [`Table::consumed_days`].
    pub async fn consumed_on(&self, user: UserId, date: Day) -> Result<DayInGroups, Error> {
        let range = date..=date;
        let (summaries, targets, groups) = tokio::try_join!(
            self.summaries(user, &range),
            self.targets(user),
            self.own_groups(user)
        )?;
        let mut day = Consumption::default();
        summaries.iter().try_for_each(|summary| day.add_summary(summary))?;
        let mut shares = Vec::new();
        for groups in groups.chunks(BATCH) {
            let present = groups.iter().filter(|group| group.is_present);
            let present: Vec<_> = present.map(|group| group.id).collect();
            let (tallies, mut titles) =
                tokio::try_join!(self.tallies_of(groups, &range), self.groups_by_id(&present))?;
            for (group, (tallies, ids)) in groups.iter().map(|group| group.id).zip(tallies) {
                let mut in_group = Consumption::default();
                tallies.iter().try_for_each(|tally| in_group.add_tally(tally, ids))?;
                day.add(&in_group)?;
                let in_group = in_group.without_zeros().currencies;
                let title = titles.remove(&group).map(|group| group.title.to_string());
                let title = title.unwrap_or_default();
                let share = |(currency, consumed): (_, Consumed)| {
                    (group, title.clone(), currency, consumed.shares)
                };
                shares.extend(in_group.into_iter().map(share));
            }
        }
        Ok(DayInGroups { day: day.without_zeros(), groups: shares, targets })
    }

    /// Sums up the spendings of a user's days again, and corrects summaries that differ. A second
    /// run changes nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] or [`Error::Unreadable`]; [`Error::KeyReused`];
    /// [`Error::TooMuchHistory`].
    pub async fn rebuild_days(
        &self,
        user: UserId,
        asked: DaysAsked,
        body: &Draft<()>,
        idempotency: &Idempotency<Rebuilt>,
    ) -> Result<Outcome<Rebuilt>, Error> {
        let mut known = Known::of(&idempotency.request);
        let render = |step: &Step| match step {
            Step::Last(rebuilt) => Some((idempotency.render)(rebuilt)),
            Step::Repaired(_) => None,
        };
        let mut changed = BTreeSet::new();
        loop {
            let attempt = || self.rebuild(user, asked, body, idempotency.now(), &changed);
            match self.write_part(None, &mut known, render, attempt).await? {
                Outcome::Done(Step::Last(rebuilt)) => return Ok(Outcome::Done(rebuilt)),
                Outcome::Done(Step::Repaired(days)) => changed.extend(days),
                Outcome::Replayed(stored) => return Ok(Outcome::Replayed(stored)),
            }
        }
    }

    /// One step of a rebuild that has already changed some days.
    async fn rebuild(
        &self,
        user: UserId,
        asked: DaysAsked,
        body: &Draft<()>,
        now: Timestamp,
        changed: &BTreeSet<Day>,
    ) -> Result<Decision<Step>, WriteError> {
        let widest = asked.widest(now)?;
        let (first, targets) = tokio::join!(self.sums(user, &widest), self.targets(user));
        body.checked()?;
        let first = first?;
        let range = asked.of(&targets?, now)?;
        let differ = !first.differing(&range).is_empty();
        let second = if differ { Some(self.sums(user, &widest).await?) } else { None };
        decide::rebuild(user, &range, (&first, second.as_ref()), changed, now)
    }

    async fn sums(&self, user: UserId, days: &RangeInclusive<Day>) -> Result<DaySums, Error> {
        let range = spendings_of(user, Some(*days.start()), Some(*days.end()));
        let (found, summaries) =
            tokio::try_join!(self.db.all::<Spending>(&range), self.summaries(user, days))?;
        DaySums::of(&found, summaries)
    }

    /// The summaries of a user's days that have one.
    async fn summaries(
        &self,
        user: UserId,
        days: &RangeInclusive<Day>,
    ) -> Result<Vec<DaySummary>, Error> {
        let [first, last] = [days.start(), days.end()].map(|day| keys::summary_position(*day));
        let partition = keys::own_partition(user);
        let sort = Sort::Between(first, last);
        self.db.all(&Range { index: None, partition, sort, order: Order::Asc }).await
    }

    /// The groups with a user as a present or past member.
    async fn own_groups(&self, user: UserId) -> Result<Vec<OwnGroup>, Error> {
        let range = Range::index("GSI1", keys::user_partition(user.into()), prefix::GROUP);
        let rows: Vec<MemberRow> = self.db.all_readable(&range).await?;
        let own = |MemberRow { group_id, member }: MemberRow| {
            let is_present = member.is_present();
            let ids = [MemberId::from(user)].into_iter().chain(member.guests).collect();
            OwnGroup { id: group_id, ids, is_present }
        };
        // A v0 group may have two rows of the user, which follow each other.
        let mut groups: Vec<OwnGroup> = rows.into_iter().map(own).collect();
        groups.dedup_by_key(|group| group.id);
        Ok(groups)
    }

    /// The tallies of some groups on these days, each with the user's ids in the group.
    async fn tallies_of<'a>(
        &self,
        groups: &'a [OwnGroup],
        days: &RangeInclusive<Day>,
    ) -> Result<Vec<(Vec<TallyRow>, &'a BTreeSet<MemberId>)>, Error> {
        let read = groups.iter().map(|OwnGroup { id, ids, .. }| async move {
            self.tallies(*id, days).await.map(|tallies| (tallies, ids))
        });
        try_join_all(read).await
    }
}
