//! Adjustments of the book: many in one request, each counted once, and none in the way of another.
//!
//! As many as fit are written in one transaction, under the group's lock. Which request wrote an entry stands in it: so a
//! request that is repeated with its idempotency key, after whatever became of it, finds what it did
//! already, and does the rest.

use std::collections::{BTreeSet, HashMap};

use futures_util::future::try_join_all;

use super::{
    Claim, Page, Table,
    events::{Event, enter, keep, remove},
    idempotency::{Once, Outcome, Request},
    write::{MAX_ACTIONS, Rejected, Write, persist},
};
use crate::{
    Error,
    adjustment::{Adjustment, CheckedAdjustment},
    book::{Book, BookError, Entry, EntryStatus, RefType},
    id::{ExpenseId, GroupId, UserId},
    keys,
    text::EntryName,
    time::Timestamp,
};

/// What a transaction holds besides entries: the balance, a closing, and the response of the request.
const OTHER_ACTIONS: usize = 3;

/// What became of each adjustment of a request, or of each revert.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The entries that count, or the reverts.
    pub applied: Vec<Entry>,
    /// The others.
    pub non_applied: Vec<NonApplied>,
}

/// What did not happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NonApplied {
    /// The entry.
    pub entry_id: String,
    /// Why.
    pub reason: Reason,
}

/// Why an adjustment or a revert did not happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// Another entry counts under this name, or an expense or a settlement has it.
    #[error("the group's book has an entry of this name; revert it first, or take another name")]
    EntryExists,
    /// The balance would be less than the condition says.
    #[error("the balance would be less than the condition says")]
    ConditionFailed,
    /// Others wrote first until the deadline.
    #[error("others were writing to this group at the same time; send it again")]
    LockLost,
    /// No entry counts under this name.
    #[error("the group's book has no entry of this name that counts")]
    EntryMissing,
    /// A total or a balance would not fit into an `i64` of smallest units, or there is no room for more balances.
    #[error("the group's totals would grow too large, or too many")]
    TotalsTooLarge,
}

/// One thing that a request asks for.
enum Deed {
    Push(CheckedAdjustment),
    Revert(String),
}

/// What a deed comes to.
enum Step {
    /// This request did it already.
    Done(Entry),
    /// It changes the book so.
    Next(Book, Entry, Vec<Write>),
    /// It does not happen.
    Not(Reason),
}

/// A request, while it is done.
struct Work<'a> {
    claim: Claim,
    now: Timestamp,
    once: &'a Once<Report>,
    /// What its entries are known by.
    request: Option<String>,
}

/// What stands under names: the entry that counts, or where none does the newest past one, as far as it matters.
type Named = HashMap<String, Entry>;

impl Table {
    /// Pushes adjustments into the book, in their order. One that cannot count does not stop the others. `list` is what the
    /// client calls them, in whose names a mistake is told.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] where one breaks a rule, and none counts; [`Error::NoGroup`] or [`Error::NotMember`];
    /// [`Error::KeyReused`]; [`Error::Unavailable`] or [`Error::Table`], after which some may count: sent again with
    /// the same idempotency key, each counts once.
    pub async fn push_entries(
        &self,
        claim: Claim,
        adjustments: &[Adjustment],
        list: &str,
        now: Timestamp,
        once: &Once<Report>,
    ) -> Result<Outcome<Report>, Error> {
        let (ledger, recorded) =
            tokio::try_join!(self.ledger(claim), self.recorded(once.request.as_ref()))?;
        if let Some(recorded) = recorded {
            return Ok(Outcome::Replayed(recorded));
        }
        let (group, members, _) = ledger;
        let check = |(index, adjustment): (usize, &Adjustment)| {
            let checked = adjustment.check(&format!("{list}[{index}]"), &group, &members)?;
            Ok(Deed::Push(checked))
        };
        let deeds = adjustments.iter().enumerate().map(check).collect::<Result<Vec<_>, Error>>()?;
        self.do_all(&Work::new(claim, now, once), &deeds).await
    }

    /// Takes adjustments back: each of them may be pushed again, with another value. One that does not count does not
    /// stop the others.
    ///
    /// # Errors
    ///
    /// [`Error::NotAnAdjustment`] or [`Error::NotYourAdjustment`], and none is reverted; otherwise as
    /// [`Table::push_entries`].
    pub async fn revert_entries(
        &self,
        claim: Claim,
        names: &[EntryName],
        now: Timestamp,
        once: &Once<Report>,
    ) -> Result<Outcome<Report>, Error> {
        let read = async {
            let names = names.iter().map(EntryName::as_str);
            tokio::try_join!(self.current(claim.group, names), self.recorded(once.request.as_ref()))
        };
        let (current, recorded) = self.checked(claim, read).await?;
        if let Some(recorded) = recorded {
            return Ok(Outcome::Replayed(recorded));
        }
        for name in names {
            if let Some(entry) = current.get(name.as_str()) {
                revertible(entry, claim.user)?;
            }
        }
        let deeds: Vec<_> = names.iter().map(|name| Deed::Revert(name.to_string())).collect();
        self.do_all(&Work::new(claim, now, once), &deeds).await
    }

    /// Does one part after the other, each as large as a transaction takes.
    async fn do_all(&self, work: &Work<'_>, deeds: &[Deed]) -> Result<Outcome<Report>, Error> {
        let actions = deeds.iter().map(Deed::actions).max().unwrap_or(1);
        let room = MAX_ACTIONS.saturating_sub(OTHER_ACTIONS);
        let mut parts = deeds.chunks(room.checked_div(actions).unwrap_or(1)).peekable();
        let mut report = Report::default();
        while let Some(part) = parts.next() {
            let once = Some(work.once).filter(|_| parts.peek().is_none());
            match persist(|| self.do_part(work, part, &report, once)).await {
                Ok(Outcome::Done(done)) => report = done,
                Ok(replayed) => return Ok(replayed),
                Err(Error::Contended) => {
                    // Who lost until the deadline has no time left: what remains is lost too.
                    let left = std::iter::once(part).chain(parts).flatten();
                    report.non_applied.extend(left.map(|deed| deed.not(Reason::LockLost)));
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(Outcome::Done(report))
    }

    /// Does a part in one transaction: what the report says after it. With the last part goes the response.
    async fn do_part(
        &self,
        work: &Work<'_>,
        part: &[Deed],
        report: &Report,
        once: Option<&Once<Report>>,
    ) -> Result<Outcome<Report>, Rejected> {
        let group = work.claim.group;
        let (book, named) = tokio::try_join!(self.book(group), self.named(work, part))?;
        let event = |book: &Book, at: Timestamp| work.event(part, report, &named, book, at);
        self.commit(group, book, work.now, once, event).await
    }

    /// What stands under the names of a part.
    async fn named(&self, work: &Work<'_>, part: &[Deed]) -> Result<Named, Error> {
        let group = work.claim.group;
        let mut named = self.current(group, part.iter().map(Deed::name)).await?;
        let past = part.iter().filter(|deed| work.asks_the_past(deed)).map(Deed::name);
        let past: BTreeSet<_> = past.filter(|name| !named.contains_key(*name)).collect();
        let newest = Page { limit: 1, after: None };
        let past = past.into_iter().map(|name| self.past_of(group, name, &newest));
        let past = try_join_all(past).await?.into_iter().flat_map(|slice| slice.items);
        named.extend(past.map(|entry| (entry.entry_id.clone(), entry)));
        Ok(named)
    }

    /// The entries that count under these names.
    async fn current<'a>(
        &self,
        group: GroupId,
        names: impl Iterator<Item = &'a str>,
    ) -> Result<Named, Error> {
        let names: BTreeSet<_> = names.collect();
        let keys = names.into_iter().map(|name| keys::entry(group, name)).collect();
        let entries = self.batch::<Entry>(keys).await?.into_values();
        Ok(entries.map(|entry| (entry.entry_id.clone(), entry)).collect())
    }
}

impl Deed {
    /// How many rows it writes.
    const fn actions(&self) -> usize {
        match self {
            Self::Push(_) => 1,
            Self::Revert(_) => 3,
        }
    }

    fn name(&self) -> &str {
        match self {
            Self::Push(adjustment) => &adjustment.event.entry_id,
            Self::Revert(name) => name,
        }
    }

    fn not(&self, reason: Reason) -> NonApplied {
        NonApplied { entry_id: self.name().to_owned(), reason }
    }
}

impl<'a> Work<'a> {
    fn new(claim: Claim, now: Timestamp, once: &'a Once<Report>) -> Self {
        let request = once.request.as_ref().map(Request::fingerprint);
        Self { claim, now, once, request }
    }

    /// Whether it matters what stood under a name before: the id of an expense stays its own after it was deleted, and a
    /// repeated request looks for its reverts.
    fn asks_the_past(&self, deed: &Deed) -> bool {
        match deed {
            Deed::Push(_) => deed.name().parse::<ExpenseId>().is_ok(),
            Deed::Revert(_) => self.request.is_some(),
        }
    }

    /// What a part does to the book, and what the report says then.
    fn event(
        &self,
        part: &[Deed],
        report: &Report,
        named: &Named,
        book: &Book,
        at: Timestamp,
    ) -> Result<Event<Report>, Rejected> {
        let mut event = Event { book: book.clone(), writes: Vec::new(), value: report.clone() };
        for deed in part {
            let report = &mut event.value;
            let again = report.applied.iter().any(|entry| entry.entry_id == deed.name());
            let named = named.get(deed.name());
            let step = match deed {
                Deed::Push(_) if again => Step::Not(Reason::EntryExists),
                Deed::Revert(_) if again => Step::Not(Reason::EntryMissing),
                Deed::Push(adjustment) => self.push(&event.book, adjustment, named, at)?,
                Deed::Revert(_) => self.revert(&event.book, named, at)?,
            };
            match step {
                Step::Done(entry) => report.applied.push(entry),
                Step::Next(book, entry, writes) => {
                    report.applied.push(entry);
                    event.book = book;
                    event.writes.extend(writes);
                }
                Step::Not(reason) => report.non_applied.push(deed.not(reason)),
            }
        }
        Ok(event)
    }

    fn push(
        &self,
        book: &Book,
        adjustment: &CheckedAdjustment,
        named: Option<&Entry>,
        at: Timestamp,
    ) -> Result<Step, Rejected> {
        match named {
            Some(entry) if self.wrote(entry) => return Ok(Step::Done(entry.clone())),
            Some(entry) if !is_free(entry) => return Ok(Step::Not(Reason::EntryExists)),
            _ => {}
        }
        let event = adjustment.event.clone();
        let (next, entry) = match book.record(self.claim.group, event, self.claim.user, at) {
            Err(BookError::Overflow(_) | BookError::Full) => {
                return Ok(Step::Not(Reason::TotalsTooLarge));
            }
            recorded => recorded?,
        };
        if !adjustment.allows(&next.balances) {
            return Ok(Step::Not(Reason::ConditionFailed));
        }
        let entry = Entry { request: self.request.clone(), ..entry };
        let writes = vec![enter(&entry)?];
        Ok(Step::Next(next, entry, writes))
    }

    fn revert(&self, book: &Book, named: Option<&Entry>, at: Timestamp) -> Result<Step, Rejected> {
        let entry = match named {
            Some(entry) if entry.status == EntryStatus::Applied => entry,
            Some(entry) if self.wrote(entry) => return Ok(Step::Done(entry.clone())),
            _ => return Ok(Step::Not(Reason::EntryMissing)),
        };
        revertible(entry, self.claim.user)?;
        let (next, [reverted, revert]) = book.revert(entry, self.claim.user, at)?;
        let revert = Entry { request: self.request.clone(), ..revert };
        let past = [reverted, revert];
        let mut writes = Vec::from(keep(&past)?);
        writes.push(remove(entry)?);
        let [_, revert] = past;
        Ok(Step::Next(next, revert, writes))
    }

    fn wrote(&self, entry: &Entry) -> bool {
        self.request.is_some() && self.request == entry.request
    }
}

/// Whether an adjustment may take the name of an entry: one that does not count, and was an adjustment's.
fn is_free(entry: &Entry) -> bool {
    entry.status != EntryStatus::Applied && entry.ref_type == RefType::Adjustment
}

/// Refuses what is not an adjustment, and whoever has nothing to do with it.
fn revertible(entry: &Entry, user: UserId) -> Result<(), Error> {
    let of = match entry.ref_type {
        RefType::Expense => "an expense: delete the expense",
        RefType::Settlement => {
            "a settlement: it is final, and another one the other way takes it back"
        }
        RefType::Adjustment => {
            let concerned = entry.actor_id == user || entry.changes_of(user).next().is_some();
            let refused = || Error::NotYourAdjustment(entry.entry_id.clone());
            return concerned.then_some(()).ok_or_else(refused);
        }
    };
    Err(Error::NotAnAdjustment(entry.entry_id.clone(), of))
}
