//! Expenses: patterns 4, 6, 7 and 11 of the seed; and editing, deleting and restoring them, which history keeps.

use std::collections::BTreeSet;

use super::{
    Claim, Moment, Order, Page, Slice, Table,
    events::{Event, enter, keep, remove, replace},
    idempotency::{Once, Outcome},
    range::{Range, Sort},
    write::{Expression, Otherwise, Rejected, Write, persist},
};
use crate::{
    Error,
    book::{self, Book, Entry, EntryStatus, RefType},
    expense::{Edit, Expense, NewExpense},
    id::{ExpenseId, GroupId},
    input::Draft,
    keys::{self, prefix},
    row,
    time::Timestamp,
};

/// An expense and its entry, as they stand.
struct Standing {
    expense: Expense,
    /// None of an expense of the earlier system, which never entered the book.
    entry: Option<Entry>,
    book: Book,
}

impl Table {
    /// A page of a group's expenses.
    ///
    /// # Errors
    ///
    /// [`Error::NoGroup`] or [`Error::NotMember`]; [`Error::Unavailable`] or [`Error::Table`].
    pub async fn expenses(&self, claim: Claim, page: &Page) -> Result<Slice<Expense>, Error> {
        let range = Range::table(keys::group_partition(claim.group), prefix::EXPENSE);
        self.checked(claim, self.page(&range, page)).await
    }

    /// An expense of a group.
    ///
    /// # Errors
    ///
    /// [`Error::NoExpense`]; [`Error::NoGroup`] or [`Error::NotMember`]; [`Error::Unavailable`] or [`Error::Table`].
    pub async fn expense(&self, claim: Claim, id: ExpenseId) -> Result<Expense, Error> {
        let expense = self.checked(claim, self.find_expense(claim.group, id)).await?;
        expense.ok_or(Error::NoExpense)
    }

    /// Records an expense, in its group's book too.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] or [`Error::TooManyShares`]; [`Error::NoGroup`] or [`Error::NotMember`];
    /// [`Error::KeyReused`]; [`Error::Contended`], [`Error::Unavailable`] or [`Error::Table`].
    pub async fn create_expense(
        &self,
        claim: Claim,
        new: &Draft<NewExpense>,
        at: Moment,
        once: &Once<Expense>,
    ) -> Result<Outcome<Expense>, Error> {
        let (ledger, recorded) =
            tokio::join!(self.ledger(claim), self.recorded(once.request.as_ref()));
        let (group, members, book) = ledger?;
        if let Some(recorded) = recorded? {
            return Ok(Outcome::Replayed(recorded));
        }
        let new = new.check(&group, &members, claim.user)?;
        let event = |book: &Book, created_at: Timestamp| {
            let expense = new.at(created_at, at.random);
            let (book, mut writes) = recorded_in(book, claim, &expense, created_at)?;
            let row = Write::put(&keys::expense_row(&expense), &expense)?;
            writes.push(row.only(Expression::absent(), Otherwise::Lost));
            Ok(Event { book, writes, value: expense })
        };
        Ok(self.commit_once(claim.group, book, at.now, once, event).await?)
    }

    /// Edits an expense that is as `expected`: its entry is reverted, and another one takes its place.
    ///
    /// # Errors
    ///
    /// As [`Table::delete_expense`]; [`Error::Invalid`] or [`Error::TooManyShares`] where what it would become breaks a
    /// rule; [`Error::TooManyActions`].
    pub async fn edit_expense(
        &self,
        claim: Claim,
        id: ExpenseId,
        edit: &Draft<Edit>,
        expected: impl Fn(&Expense) -> bool,
        now: Timestamp,
    ) -> Result<Expense, Error> {
        persist(|| async {
            let (standing, group) = tokio::join!(self.standing(claim, id), self.group(claim));
            let (standing, (_, members)) = (standing?, group?);
            let Standing { expense: before, entry, book } = standing;
            own(claim, &before)?;
            if !expected(&before) {
                return Err(Error::Changed.into());
            }
            let after = edit.apply(&before, &members)?;
            if after == before {
                return Ok(before);
            }
            let event = |book: &Book, at: Timestamp| {
                let after = Expense { updated_at: Some(at), ..after.clone() };
                let put = Write::put(&keys::expense_row(&after), &after)?;
                let mut writes = vec![put.only(unchanged(&before)?, Otherwise::Stale)];
                writes.extend(participants(Some(&before), Some(&after))?);
                let Some(entry) = &entry else {
                    return Ok(Event { book: book.touched(at), writes, value: after });
                };
                let (book, past) = reverted(book, claim, entry, &before, at)?;
                let changed = book::Event::of_expense(&after)?;
                let (book, current) = book.record(claim.group, changed, claim.user, at)?;
                writes.extend(keep(&past)?);
                writes.push(replace(entry, &current)?);
                Ok(Event { book, writes, value: after })
            };
            self.commit(claim.group, book, now, |_| Ok(None), event).await
        })
        .await
    }

    /// Deletes an expense that is as `expected`, with its participants, and reverts its entry.
    ///
    /// # Errors
    ///
    /// [`Error::NoExpense`]; [`Error::NotYourExpense`]; [`Error::Changed`] where it is not as expected;
    /// [`Error::NoGroup`] or [`Error::NotMember`]; [`Error::Contended`], [`Error::Unavailable`] or [`Error::Table`].
    pub async fn delete_expense(
        &self,
        claim: Claim,
        id: ExpenseId,
        expected: impl Fn(&Expense) -> bool,
        now: Timestamp,
    ) -> Result<(), Error> {
        persist(|| async {
            let Standing { expense, entry, book } = self.standing(claim, id).await?;
            own(claim, &expense)?;
            if !expected(&expense) {
                return Err(Error::Changed.into());
            }
            let event = |book: &Book, at: Timestamp| {
                let delete = Write::delete(keys::expense(claim.group, expense.created_at));
                let mut writes = vec![delete.only(unchanged(&expense)?, Otherwise::Stale)];
                writes.extend(participants(Some(&expense), None)?);
                let Some(entry) = &entry else {
                    return Ok(Event { book: book.touched(at), writes, value: () });
                };
                let (book, past) = reverted(book, claim, entry, &expense, at)?;
                writes.extend(keep(&past)?);
                writes.push(remove(entry)?);
                Ok(Event { book, writes, value: () })
            };
            self.commit(claim.group, book, now, |()| Ok(None), event).await
        })
        .await
    }

    /// Brings a deleted expense back from its history: the same id, the same shares, the same place in the list. One that
    /// is there is answered as it is.
    ///
    /// # Errors
    ///
    /// [`Error::NoExpense`] where there never was one, or its history does not say what it was; otherwise as
    /// [`Table::delete_expense`].
    pub async fn restore_expense(
        &self,
        claim: Claim,
        id: ExpenseId,
        body: &Draft<()>,
        now: Timestamp,
        once: &Once<Expense>,
    ) -> Result<Outcome<Expense>, Error> {
        persist(|| async {
            let partition = keys::entry_partition(claim.group, &id.into());
            let history = Range { index: None, partition, sort: Sort::Any, order: Order::Desc };
            // After a deletion these are its revert, and what that reverted.
            let newest = Page { limit: 1, after: None };
            let read = async {
                tokio::try_join!(
                    self.find_expense(claim.group, id),
                    self.rows::<Entry>(&history, &newest),
                    self.book(claim.group),
                    self.recorded(once.request.as_ref()),
                )
            };
            let (expense, history, book, recorded) = self.checked(claim, read).await?;
            if let Some(recorded) = recorded {
                return Ok(Outcome::Replayed(recorded));
            }
            if let Some(expense) = expense {
                own(claim, &expense)?;
                body.checked()?;
                return self.respond(once, expense).await;
            }
            // The id may be that of a settlement.
            let history = history.into_iter().map(|(_, entry)| entry);
            let history: Vec<_> =
                history.filter(|entry| entry.ref_type == RefType::Expense).collect();
            if history.iter().any(|entry| entry.status == EntryStatus::Applied) {
                return Err(Rejected::Stale);
            }
            let was = history.into_iter().find_map(|entry| entry.expense);
            let was = *was.ok_or(Error::NoExpense)?;
            own(claim, &was)?;
            body.checked()?;
            let event = |book: &Book, at: Timestamp| {
                let expense = Expense { updated_at: Some(at), ..was.clone() };
                let (book, mut writes) = recorded_in(book, claim, &expense, at)?;
                let row = Write::put(&keys::expense_row(&expense), &expense)?;
                writes.push(row.only(Expression::absent(), Otherwise::Stale));
                Ok(Event { book, writes, value: expense })
            };
            self.commit_once(claim.group, book, now, once, event).await
        })
        .await
    }

    /// A page of what happened to an expense: its current entry first, then its history, newest first.
    ///
    /// # Errors
    ///
    /// [`Error::NoExpense`] where there never was one; [`Error::NoGroup`] or [`Error::NotMember`];
    /// [`Error::Unavailable`] or [`Error::Table`].
    pub async fn expense_history(
        &self,
        claim: Claim,
        id: ExpenseId,
        page: &Page,
    ) -> Result<Slice<Entry>, Error> {
        let read = async {
            let entry = id.into();
            tokio::try_join!(
                self.past_of(claim.group, &entry, page),
                self.find_expense(claim.group, id)
            )
        };
        let (history, expense) = self.checked(claim, read).await?;
        let known = history.items.iter().any(|entry| entry.ref_type == RefType::Expense);
        let ended = page.after.is_some() && history.items.is_empty();
        if known || ended || expense.is_some() { Ok(history) } else { Err(Error::NoExpense) }
    }

    /// The expense `id` of a group, as it is now.
    async fn find_expense(&self, group: GroupId, id: ExpenseId) -> Result<Option<Expense>, Error> {
        let partition = keys::expense_partition(id);
        let expense: Option<Expense> =
            self.find(group, id.created_at(), partition, keys::expense).await?;
        Ok(expense.filter(|expense| expense.id == id))
    }

    /// The expense `id`, its entry and the book, which are of one moment where a write that expects them succeeds.
    async fn standing(&self, claim: Claim, id: ExpenseId) -> Result<Standing, Rejected> {
        let read = async {
            tokio::try_join!(
                self.find_expense(claim.group, id),
                self.get::<Entry>(keys::entry(claim.group, &id.into())),
                self.book(claim.group),
            )
        };
        let (expense, entry, book) = self.checked(claim, read).await?;
        let expense = expense.ok_or(Error::NoExpense)?;
        // An expense of ours has an entry: it was restored between the two reads.
        if entry.is_none() && id.created_at().is_some() {
            return Err(Rejected::Stale);
        }
        Ok(Standing { expense, entry, book })
    }
}

/// Refuses whoever may not change the expense.
fn own(claim: Claim, expense: &Expense) -> Result<(), Error> {
    if expense.is_of(claim.user) { Ok(()) } else { Err(Error::NotYourExpense) }
}

/// The expense is still the one that was read.
fn unchanged(expense: &Expense) -> Result<Expression, Error> {
    let id = Expression::equal("id", row::to_value(&expense.id)?);
    Ok(id.and(match &expense.updated_at {
        None => Expression::without("updatedAt"),
        Some(at) => Expression::equal("updatedAt", row::to_value(at)?),
    }))
}

/// The book with the expense, its entry and its participants.
fn recorded_in(
    book: &Book,
    claim: Claim,
    expense: &Expense,
    at: Timestamp,
) -> Result<(Book, Vec<Write>), Rejected> {
    let event = book::Event::of_expense(expense)?;
    let (book, entry) = book.record(claim.group, event, claim.user, at)?;
    let mut writes = participants(None, Some(expense))?;
    writes.push(enter(&entry)?);
    Ok((book, writes))
}

/// The book without the expense, and its history, which says what the expense was.
fn reverted(
    book: &Book,
    claim: Claim,
    entry: &Entry,
    expense: &Expense,
    at: Timestamp,
) -> Result<(Book, [Entry; 2]), Rejected> {
    let (book, [reverted, revert]) = book.revert(entry, claim.user, at)?;
    let reverted = Entry { expense: Some(Box::new(expense.clone())), ..reverted };
    Ok((book, [reverted, revert]))
}

/// What becomes of the participants of an expense: each row is written once.
fn participants(before: Option<&Expense>, after: Option<&Expense>) -> Result<Vec<Write>, Error> {
    let [before, after] =
        [before, after].map(|expense| expense.map(Expense::participants).unwrap_or_default());
    let stay: BTreeSet<_> = after.iter().map(|row| row.user_id).collect();
    let gone = before.iter().filter(|row| !stay.contains(&row.user_id));
    let gone = gone
        .map(|row| Ok(Write::delete(keys::participant(row.group_id, row.expense_id, row.user_id))));
    let come = after.iter().map(|row| Write::put(&keys::participant_row(row), row));
    gone.chain(come).collect()
}
