//! What the ledger says of the past: its balances at any moment and day, what happened under a name, and whether it all
//! comes out.
//!
//! Entries of a day are read from an index, which lags. The closing rows and the balance row, which do not, say which
//! sequences a day has: what is not all there yet is read again.

use std::collections::BTreeMap;

use tokio::task::spawn_blocking;

use super::{
    MemberKey, Order, Page, Slice, Table,
    range::{Placed, Range, Sort},
    statement::Statement,
    write::Retry,
};
use crate::{
    Error,
    entry_id::EntryId,
    expense::Expense,
    group::{Group, Member},
    id::GroupId,
    keys::{self, prefix},
    ledger::{Entry, Ledger, MAX_SHOWN, Rows, Shown, verify},
    settlement::Settlement,
    time::{Day, Timestamp},
};

/// How many entries are read at once where all are.
const AT_ONCE: usize = 100;

impl Table {
    /// A group, its members and its ledger as it was at `at`; as it is now where no moment is named.
    ///
    /// Two queries say what any moment was, however old: the last closing before its day, and that day's entries.
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

    /// The ledger after the last event that was not later than `at`, given the ledger as it is.
    ///
    /// The closings are read after the ledger: each day that was over then has its closing by now. Read before it, the
    /// closing of the day that just ended could be missing, as if nothing had happened on that day.
    pub(super) async fn ledger_before(
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

    /// The last closing before a day, and that of the day, where it has one.
    async fn closings_until(&self, group: GroupId, day: Day) -> Result<Vec<Ledger>, Error> {
        let sort = Sort::Between(prefix::CLOSING.to_owned(), keys::closing(group, day).sk);
        let range = closings(group, sort, Order::Desc);
        let page = Page { limit: 1, after: None };
        Ok(self.rows(&range, &page).await?.into_iter().map(|(_, ledger)| ledger).collect())
    }

    async fn entries_of(&self, group: GroupId, day: Day) -> Result<Vec<Entry>, Error> {
        let partition = keys::entries_of(group, day);
        let range = Range { index: Some("GSI1"), partition, sort: Sort::Any, order: Order::Asc };
        self.all(&range).await
    }

    /// A page of the balances at the end of each day that had an event, from the first to the last, the oldest first;
    /// the day of the last event is not over yet. With it come the members.
    ///
    /// A page shows at most [`MAX_SHOWN`] balances, or one day: it may be shorter than its limit and go on.
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
        let Placed { mut rows, mut more } = self.placed::<Ledger>(&range, page).await?;

        let day_of = |ledger: &Ledger| ledger.last_event_at.map(Timestamp::day);
        // Between the two reads the day may have got its closing.
        let closed = rows.last().and_then(|(_, ledger)| day_of(ledger));
        let today = day_of(&ledger).filter(|day| {
            let asked = from.is_none_or(|from| from <= *day) && to.is_none_or(|to| *day <= to);
            !more && asked && closed < Some(*day)
        });
        let shown = |ledger: &Ledger| Shown::of(ledger, group.currency, members.len()).count();
        let mut left = MAX_SHOWN;
        let fits = rows.iter().take_while(|(_, ledger)| {
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
        let mut items: Vec<_> = rows.into_iter().map(|(_, ledger)| ledger).collect();
        items.extend(today.filter(|_| !more).map(|_| ledger));
        Ok((group, members, Slice { items, next }))
    }

    /// A page of what happened under a name: its current entry first, then its history, newest first.
    ///
    /// # Errors
    ///
    /// [`Error::NoEntry`]; [`Error::NoGroup`] or [`Error::NotMember`]; [`Error::Unavailable`] or [`Error::Table`].
    pub async fn entry(
        &self,
        member_key: MemberKey,
        entry_id: &EntryId,
        page: &Page,
    ) -> Result<Slice<Entry>, Error> {
        let slice =
            self.checked(member_key, self.entry_history(member_key.group, entry_id, page)).await?;
        if slice.items.is_empty() && page.after.is_none() {
            return Err(Error::NoEntry);
        }
        Ok(slice)
    }

    /// The current row sorts behind all history, so it comes first.
    pub(super) async fn entry_history(
        &self,
        group: GroupId,
        entry_id: &EntryId,
        page: &Page,
    ) -> Result<Slice<Entry>, Error> {
        let partition = keys::entry_partition(group, entry_id);
        let range = Range { index: None, partition, sort: Sort::Any, order: Order::Desc };
        self.page(&range, page).await
    }

    /// Recomputes a group's balances from all its rows and compares them with its ledger.
    ///
    /// It reads the whole history, so it costs as much as the group is old. It checks no membership: the
    /// caller has to.
    ///
    /// # Errors
    ///
    /// [`Error::Discrepancy`]; [`Error::Contended`] where others wrote all the time, so that no two reads were of one
    /// moment; [`Error::Unavailable`] or [`Error::Table`].
    pub async fn verify_ledger(&self, group: GroupId) -> Result<(), Error> {
        let expenses = Range::table(keys::group_partition(group), prefix::EXPENSE);
        let settlements = Range::table(keys::group_partition(group), prefix::SETTLEMENT);
        let mut retry = Retry::new();
        loop {
            let before = self.ledger(group).await?;
            let (expenses, settlements, entries) = tokio::try_join!(
                self.all::<Expense>(&expenses),
                self.all::<Settlement>(&settlements),
                self.every_entry(group),
            )?;
            let after = self.ledger(group).await?;
            if before == after {
                let rows = Rows { expenses, settlements, entries };
                // It computes for a while, in which this thread has others to serve, and the deadline to keep.
                let verified = spawn_blocking(move || verify(&after, &rows)).await;
                return verified
                    .map_err(|error| Error::Table(error.into()))?
                    .map_err(Error::Discrepancy);
            }
            if !retry.pause().await {
                return Err(Error::Contended);
            }
        }
    }

    /// Every entry there ever was, in order.
    async fn every_entry(&self, group: GroupId) -> Result<Vec<Entry>, Error> {
        let mut place = Statement { order: Order::Asc, ..Statement::default() }.place();
        let mut entries = Vec::new();
        loop {
            let (lines, next) = self.read_statement(group, None, place, AT_ONCE).await?;
            entries.extend(lines.into_iter().map(|line| line.entry));
            match next {
                None => return Ok(entries),
                Some(next) => place = next,
            }
        }
    }
}

pub(super) fn closings(group: GroupId, sort: Sort, order: Order) -> Range {
    Range { index: None, partition: keys::ledger_partition(group), sort, order }
}

/// What it means that entries that there are stay out of an index until the deadline.
pub(super) fn lagging() -> Error {
    Error::Unavailable("the index of entries lags behind the table".into())
}

/// The ledger at `at`, where `entries` are all those of its day; none where some are missing.
///
/// `ledger` is the ledger now, and `closings` are those up to the day, newest first.
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
    // An entry that becomes history while the index follows may be there twice.
    let entries: BTreeMap<u64, Entry> =
        entries.into_iter().map(|entry| (entry.sequence, entry)).collect();
    if !(opening.sequence..end).all(|sequence| entries.contains_key(&sequence)) {
        return None;
    }
    let until = entries.range(opening.sequence..end).map(|(_, entry)| entry);
    Some(opening.replay(until.take_while(|entry| entry.created_at <= at)).map_err(Error::from))
}
