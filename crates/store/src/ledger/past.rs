//! Past balances: at any moment, and at the end of each day.

use fracti_core::{
    group::{Group, Member, MemberKey},
    input::Error,
    ledger::{
        Ledger, MAX_SHOWN, Shown,
        balance::{Checkpoint, Closing},
    },
    storage::keys::{self, prefix},
    values::{
        id::GroupId,
        time::{Day, Timestamp},
    },
};

use crate::{
    dynamo::{Order, Page, Placed, Range, Slice, Sort},
    table::Table,
};

/// Maximum number of entries from one checkpoint to the next.
#[expect(clippy::cast_possible_truncation, reason = "it is 64")]
const ENTRIES: usize = Checkpoint::EVERY as usize;

impl Table {
    /// A group, its members and its ledger at the moment `at`, or now.
    ///
    /// A past ledger is calculated from the last checkpoint before the moment and the entries after
    /// it, fewer than [`Checkpoint::EVERY`].
    ///
    /// # Errors
    ///
    /// As [`Table::group_and_ledger`].
    pub async fn group_and_ledger_at(
        &self,
        member_key: MemberKey,
        at: Option<Timestamp>,
    ) -> Result<(Group, Vec<Member>, Ledger), Error> {
        let Some(at) = at else { return self.group_and_ledger(member_key).await };
        let ((group, members), ledger) =
            tokio::try_join!(self.group(member_key), self.ledger_at(member_key.group, at))?;
        Ok((group, members, ledger))
    }

    async fn ledger_at(&self, group: GroupId, at: Timestamp) -> Result<Ledger, Error> {
        let ledger = self.ledger(group).await?;
        self.ledger_before(group, &ledger, at).await
    }

    /// The ledger after the last event up to `at`, given the current ledger.
    pub(crate) async fn ledger_before(
        &self,
        group: GroupId,
        ledger: &Ledger,
        at: Timestamp,
    ) -> Result<Ledger, Error> {
        if ledger.last_event_at.is_none_or(|last| last <= at) {
            return Ok(ledger.clone());
        }
        let (checkpoint, until) = tokio::try_join!(
            self.checkpoint_before(group, at),
            self.entries_until(group, ledger, at, ENTRIES)
        )?;
        let checkpoint = checkpoint.unwrap_or_default();
        let since = |sequence: u64| sequence >= checkpoint.sequence;
        let entries = until.entries.iter().filter(|entry| since(entry.sequence));
        Ok(checkpoint.replay(entries)?)
    }

    /// The last checkpoint up to `at`.
    async fn checkpoint_before(
        &self,
        group: GroupId,
        at: Timestamp,
    ) -> Result<Option<Ledger>, Error> {
        let sort = Sort::Between(prefix::CHECKPOINT.to_owned(), keys::checkpoint(group, at).sk);
        let partition = keys::ledger_partition(group);
        let range = Range { index: None, partition, sort, order: Order::Desc };
        let newest = Page { limit: 1, after: None };
        let Placed { rows, .. } = self.db.placed::<Checkpoint>(&range, &newest).await?;
        Ok(rows.into_iter().next().map(|(_, checkpoint)| checkpoint.ledger))
    }

    /// A group, its members, and a page of its ledger at the end of each day with events, oldest
    /// first. The day of the last event is included with the current ledger.
    ///
    /// A page has at most [`MAX_SHOWN`] balances, or a single day with more, so it may be shorter
    /// than its limit.
    ///
    /// # Errors
    ///
    /// As [`Table::group_and_ledger`].
    pub async fn days(
        &self,
        member_key: MemberKey,
        from: Option<Day>,
        to: Option<Day>,
        page: &Page,
    ) -> Result<(Group, Vec<Member>, Slice<Ledger>), Error> {
        let key = |day: Option<Day>, open: &str| {
            day.map_or_else(|| open.to_owned(), |day| keys::closing(member_key.group, day).sk)
        };
        let sort = Sort::Between(key(from, prefix::CLOSING), key(to, "DAY#~"));
        let partition = keys::ledger_partition(member_key.group);
        let range = Range { index: None, partition, sort, order: Order::Asc };
        let (group, members, ledger) = self.group_and_ledger(member_key).await?;
        let shown = |ledger: &Ledger| Shown::of(ledger, group.currency, members.len()).count();
        // Earlier days have about as many balances as the current ledger, or fewer.
        let fitting = MAX_SHOWN.checked_div(shown(&ledger)).unwrap_or(MAX_SHOWN).max(1);
        let page = Page { limit: page.limit.min(fitting), after: page.after.clone() };
        // The closings are read after the ledger, so that each day before its last event has one.
        // If they were read first, the closing of a day that has just ended could be missing, as if
        // that day had no events.
        let Placed { mut rows, mut more, unreadable } =
            self.db.placed::<Closing>(&range, &page).await?;

        let day_of = |ledger: &Ledger| ledger.last_event_at.map(Timestamp::day);
        // The closing of the day may have been written between the two reads.
        let closed = rows.last().map(|(_, closing)| closing.day);
        let today = day_of(&ledger).filter(|day| {
            let asked = from.is_none_or(|from| from <= *day) && to.is_none_or(|to| *day <= to);
            !more && asked && closed < Some(*day)
        });
        let mut left = MAX_SHOWN;
        let fits = rows.iter().take_while(|(_, Closing { ledger, .. })| {
            let fits = left == MAX_SHOWN || shown(ledger) <= left;
            left = left.saturating_sub(shown(ledger));
            fits
        });
        let fits = fits.count();
        more |= fits < rows.len();
        rows.truncate(fits);
        let room = rows.len() < page.limit && (rows.is_empty() || shown(&ledger) <= left);
        more |= today.is_some() && !room;
        let next = rows.last().filter(|_| more).map(|(position, _)| position.clone());
        let mut items: Vec<_> = rows.into_iter().map(|(_, closing)| closing.ledger).collect();
        items.extend(today.filter(|_| !more).map(|_| ledger));
        Ok((group, members, Slice { items, next, unreadable }))
    }
}
