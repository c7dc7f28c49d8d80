//! Balances of the past: at any moment, and at the end of each day.
//!
//! The entries of a day are read from an index, which lags. The closing rows and the balance row,
//! which do not lag, tell which sequences a day has. An incomplete read is repeated.

use std::collections::BTreeMap;

use fracti_core::{
    Error,
    balance::Closing,
    entry::Entry,
    group::{Group, Member},
    id::GroupId,
    keys::{self, prefix},
    ledger::{Ledger, MAX_SHOWN, Shown},
    time::{Day, Timestamp},
};

use crate::{
    access::MemberKey,
    dynamo::{Order, Page, Placed, Range, Retry, Slice, Sort},
    table::Table,
};

impl Table {
    /// A group, its members and its ledger at the moment `at`, or now.
    ///
    /// Two queries give the ledger at any moment: the last closing before its day, and that day's
    /// entries.
    ///
    /// # Errors
    ///
    /// [`Error::NoGroup`] or [`Error::NotMember`]; [`Error::Unavailable`] or [`Error::Table`].
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

    /// The ledger after the last event not later than `at`, given the current ledger.
    ///
    /// The closings are read after the ledger, so each day before its last event has one. Read
    /// before it, the closing of the day that just ended could be missing, as if that day had no
    /// events.
    pub(crate) async fn ledger_before(
        &self,
        group: GroupId,
        ledger: &Ledger,
        at: Timestamp,
    ) -> Result<Ledger, Error> {
        if ledger.last_event_at.is_none_or(|last| last <= at) {
            return Ok(ledger.clone());
        }
        let day = at.day();
        let mut retry = Retry::new();
        loop {
            let (closings, entries) =
                tokio::try_join!(self.closings_until(group, day), self.entries_of(group, day))?;
            match past(ledger, &closings, entries, at) {
                Some(ledger) => return ledger,
                None if retry.pause().await => {}
                None => return Err(lagging()),
            }
        }
    }

    /// The last closing before a day, and the closing of the day, if there is one; newest first.
    async fn closings_until(&self, group: GroupId, day: Day) -> Result<Vec<Ledger>, Error> {
        let sort = Sort::Between(prefix::CLOSING.to_owned(), keys::closing(group, day).sk);
        let range = closings(group, sort, Order::Desc);
        let page = Page { limit: 1, after: None };
        let closings = self.db.rows::<Closing>(&range, &page).await?;
        Ok(closings.into_iter().map(|(_, closing)| closing.ledger).collect())
    }

    async fn entries_of(&self, group: GroupId, day: Day) -> Result<Vec<Entry>, Error> {
        let partition = keys::entries_of(group, day);
        let range = Range { index: Some("GSI1"), partition, sort: Sort::Any, order: Order::Asc };
        self.db.all(&range).await
    }

    /// A group, its members, and a page of its ledger at the end of each day with events, oldest
    /// first. The day of the last event is included as it is now.
    ///
    /// A page has at most [`MAX_SHOWN`] balances or one day, so it may be shorter than its limit.
    ///
    /// # Errors
    ///
    /// [`Error::NoGroup`] or [`Error::NotMember`]; [`Error::Unavailable`] or [`Error::Table`].
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
        let range = closings(member_key.group, sort, Order::Asc);
        let (group, members, ledger) = self.group_and_ledger(member_key).await?;
        // After the ledger, for the same reason as in `ledger_before`.
        let Placed { mut rows, mut more } = self.db.placed::<Closing>(&range, page).await?;

        let day_of = |ledger: &Ledger| ledger.last_event_at.map(Timestamp::day);
        // The closing of the day may have been written between the two reads.
        let closed = rows.last().map(|(_, closing)| closing.day);
        let today = day_of(&ledger).filter(|day| {
            let asked = from.is_none_or(|from| from <= *day) && to.is_none_or(|to| *day <= to);
            !more && asked && closed < Some(*day)
        });
        let shown = |ledger: &Ledger| Shown::of(ledger, group.currency, members.len()).count();
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
        Ok((group, members, Slice { items, next }))
    }
}

/// The closings of a group with these sort keys.
pub(crate) fn closings(group: GroupId, sort: Sort, order: Order) -> Range {
    Range { index: None, partition: keys::ledger_partition(group), sort, order }
}

/// Error returned when the index of entries still lags at the deadline.
pub(crate) fn lagging() -> Error {
    Error::Unavailable("the index of entries lags behind the table".into())
}

/// The ledger at `at`, or nothing if some of the `entries` of its day are missing.
///
/// `ledger` is the current one, and `closings` are those up to the day, newest first.
fn past(
    ledger: &Ledger,
    closings: &[Ledger],
    entries: Vec<Entry>,
    at: Timestamp,
) -> Option<Result<Ledger, Error>> {
    let day_of = |ledger: &Ledger| ledger.last_event_at.map(Timestamp::day);
    let today = Some(at.day());
    let opening = closings.iter().find(|closing| day_of(closing) < today);
    let opening = opening.cloned().unwrap_or_default();
    let closing = closings.iter().chain([ledger]).find(|closing| day_of(closing) == today);
    let end = closing.map_or(opening.sequence, |closing| closing.sequence);
    // While the index follows, an entry that became history may be in it twice.
    let entries: BTreeMap<u64, Entry> =
        entries.into_iter().map(|entry| (entry.sequence, entry)).collect();
    if !(opening.sequence..end).all(|sequence| entries.contains_key(&sequence)) {
        return None;
    }
    let until = entries.range(opening.sequence..end).map(|(_, entry)| entry);
    Some(opening.replay(until.take_while(|entry| entry.created_at <= at)).map_err(Error::from))
}
