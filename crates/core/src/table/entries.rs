//! What the book says of the past: its balances at any moment and day, what happened under a name, and whether it all
//! comes out.
//!
//! Entries of a day are read from an index, which lags. The closing rows and the balance row, which do not, say which
//! sequences a day has: what is not all there yet is read again.

use std::collections::BTreeMap;

use tokio::task::spawn_blocking;

use super::{
    Claim, Order, Page, Slice, Table,
    range::{Placed, Range, Sort},
    statement::Statement,
    write::Retry,
};
use crate::{
    Error,
    book::{Book, Entry, MAX_SHOWN, Rows, Shown, verify},
    entry_id::EntryId,
    expense::Expense,
    group::{Group, Member},
    id::GroupId,
    keys::{self, prefix},
    settlement::Settlement,
    time::{Day, Timestamp},
};

/// How many entries are read at once where all are.
const AT_ONCE: usize = 100;

impl Table {
    /// A group, its members and its book as it was at `at`; as it is now where no moment is named.
    ///
    /// Two queries say what any moment was, however old: the last closing before its day, and that day's entries.
    ///
    /// # Errors
    ///
    /// [`Error::NoGroup`] or [`Error::NotMember`]; [`Error::Unavailable`] or [`Error::Table`].
    pub async fn ledger_at(
        &self,
        claim: Claim,
        at: Option<Timestamp>,
    ) -> Result<(Group, Vec<Member>, Book), Error> {
        let Some(at) = at else { return self.ledger(claim).await };
        let ((group, members), book) =
            tokio::try_join!(self.group(claim), self.book_at(claim.group, at))?;
        Ok((group, members, book))
    }

    async fn book_at(&self, group: GroupId, at: Timestamp) -> Result<Book, Error> {
        let book = self.book(group).await?;
        self.book_before(group, &book, at).await
    }

    /// The book after the last event that was not later than `at`, given the book as it is.
    ///
    /// The closings are read after the book: each day that was over then has its closing by now. Read before it, the
    /// closing of the day that just ended could be missing, as if nothing had happened on that day.
    pub(super) async fn book_before(
        &self,
        group: GroupId,
        book: &Book,
        at: Timestamp,
    ) -> Result<Book, Error> {
        if book.last_event_at.is_none_or(|last| last <= at) {
            return Ok(book.clone());
        }
        let day = at.day();
        let mut retry = Retry::new();
        loop {
            let (closings, entries) =
                tokio::try_join!(self.closings_until(group, day), self.entries_of(group, day))?;
            match past(book, &closings, entries, at) {
                Some(book) => return book,
                None if retry.pause().await => {}
                None => return Err(lagging()),
            }
        }
    }

    /// The last closing before a day, and that of the day, where it has one.
    async fn closings_until(&self, group: GroupId, day: Day) -> Result<Vec<Book>, Error> {
        let sort = Sort::Between(prefix::CLOSING.to_owned(), keys::closing(group, day).sk);
        let range = closings(group, sort, Order::Desc);
        let page = Page { limit: 1, after: None };
        Ok(self.rows(&range, &page).await?.into_iter().map(|(_, book)| book).collect())
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
        claim: Claim,
        from: Option<Day>,
        to: Option<Day>,
        page: &Page,
    ) -> Result<(Group, Vec<Member>, Slice<Book>), Error> {
        let key = |day: Option<Day>, open: &str| {
            day.map_or_else(|| open.to_owned(), |day| keys::closing(claim.group, day).sk)
        };
        let sort = Sort::Between(key(from, prefix::CLOSING), key(to, "DAY#~"));
        let range = closings(claim.group, sort, Order::Asc);
        let (group, members, book) = self.ledger(claim).await?;
        // After the book, for the same reason as in `book_before`.
        let Placed { mut rows, mut more } = self.placed::<Book>(&range, page).await?;

        let day_of = |book: &Book| book.last_event_at.map(Timestamp::day);
        // Between the two reads the day may have got its closing.
        let closed = rows.last().and_then(|(_, book)| day_of(book));
        let today = day_of(&book).filter(|day| {
            let asked = from.is_none_or(|from| from <= *day) && to.is_none_or(|to| *day <= to);
            !more && asked && closed < Some(*day)
        });
        let shown = |book: &Book| Shown::of(book, group.currency, members.len()).count();
        let mut left = MAX_SHOWN;
        let fits = rows.iter().take_while(|(_, book)| {
            let fits = left == MAX_SHOWN || shown(book) <= left;
            left = left.saturating_sub(shown(book));
            fits
        });
        let fits = fits.count();
        more |= fits < rows.len();
        rows.truncate(fits);
        let room = rows.len() < page.limit && (rows.is_empty() || shown(&book) <= left);
        more |= today.is_some() && !room;
        let next = rows.last().filter(|_| more).map(|(position, _)| position.clone());
        let mut items: Vec<_> = rows.into_iter().map(|(_, book)| book).collect();
        items.extend(today.filter(|_| !more).map(|_| book));
        Ok((group, members, Slice { items, next }))
    }

    /// A page of what happened under a name: its current entry first, then its history, newest first.
    ///
    /// # Errors
    ///
    /// [`Error::NoEntry`]; [`Error::NoGroup`] or [`Error::NotMember`]; [`Error::Unavailable`] or [`Error::Table`].
    pub async fn entry(
        &self,
        claim: Claim,
        entry_id: &EntryId,
        page: &Page,
    ) -> Result<Slice<Entry>, Error> {
        let slice = self.checked(claim, self.past_of(claim.group, entry_id, page)).await?;
        if slice.items.is_empty() && page.after.is_none() {
            return Err(Error::NoEntry);
        }
        Ok(slice)
    }

    /// The current row sorts behind all history, so it comes first.
    pub(super) async fn past_of(
        &self,
        group: GroupId,
        entry_id: &EntryId,
        page: &Page,
    ) -> Result<Slice<Entry>, Error> {
        let partition = keys::entry_partition(group, entry_id);
        let range = Range { index: None, partition, sort: Sort::Any, order: Order::Desc };
        self.page(&range, page).await
    }

    /// Recomputes a group's balances from all its rows and compares them with its book.
    ///
    /// It reads the whole history, so it costs as much as the group is old. No claim is asked for: whoever lets a request
    /// lead here has checked one.
    ///
    /// # Errors
    ///
    /// [`Error::Discrepancy`]; [`Error::Contended`] where others wrote all the time, so that no two reads were of one
    /// moment; [`Error::Unavailable`] or [`Error::Table`].
    pub async fn verify_book(&self, group: GroupId) -> Result<(), Error> {
        let expenses = Range::table(keys::group_partition(group), prefix::EXPENSE);
        let settlements = Range::table(keys::group_partition(group), prefix::SETTLEMENT);
        let mut retry = Retry::new();
        loop {
            let before = self.book(group).await?;
            let (expenses, settlements, entries) = tokio::try_join!(
                self.all::<Expense>(&expenses),
                self.all::<Settlement>(&settlements),
                self.every_entry(group),
            )?;
            let after = self.book(group).await?;
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
    Range { index: None, partition: keys::book_partition(group), sort, order }
}

/// What it means that entries that there are stay out of an index until the deadline.
pub(super) fn lagging() -> Error {
    Error::Unavailable("the index of entries lags behind the table".into())
}

/// The book at `at`, where `entries` are all those of its day; none where some are missing.
///
/// `book` is the book now, and `closings` are those up to the day, newest first.
fn past(
    book: &Book,
    closings: &[Book],
    entries: Vec<Entry>,
    at: Timestamp,
) -> Option<Result<Book, Error>> {
    let day_of = |book: &Book| book.last_event_at.map(Timestamp::day);
    let today = Some(at.day());
    let opening = closings.iter().find(|closing| day_of(closing) < today);
    let opening = opening.cloned().unwrap_or_default();
    let closing = closings.iter().chain([book]).find(|closing| day_of(closing) == today);
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
