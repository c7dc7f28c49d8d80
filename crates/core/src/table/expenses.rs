//! Expenses: patterns 4, 6, 7 and 11 of the seed.

use super::{
    Claim, Moment, Page, Slice, Table,
    events::{Event, remove_entry},
    idempotency::{Once, Outcome},
    range::Range,
    write::{Expression, Otherwise, Write},
};
use crate::{
    Error,
    book::{self, Book, Entry},
    expense::{Expense, NewExpense},
    id::{ExpenseId, GroupId},
    keys::{self, prefix},
    row,
    time::Timestamp,
};

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
        new: &NewExpense,
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
            let event = book::Event::of_expense(&expense)?;
            let (book, entry) = book.record(claim.group, event, claim.user, created_at)?;
            let row = Write::put(&keys::expense_row(&expense), &expense)?;
            let mut writes = vec![row.only(Expression::absent(), Otherwise::Lost)];
            for participant in expense.participants() {
                writes.push(Write::put(&keys::participant_row(&participant), &participant)?);
            }
            Ok(Event { book, entries: vec![entry], writes, value: expense })
        };
        Ok(self.commit(claim.group, book, at.now, Some(once), event).await?)
    }

    /// Deletes an expense and its participants, and reverts its entry.
    ///
    /// # Errors
    ///
    /// [`Error::NoExpense`]; [`Error::NotYourExpense`]; [`Error::NoGroup`] or [`Error::NotMember`];
    /// [`Error::Contended`], [`Error::Unavailable`] or [`Error::Table`].
    pub async fn delete_expense(
        &self,
        claim: Claim,
        id: ExpenseId,
        now: Timestamp,
    ) -> Result<(), Error> {
        let read = async {
            tokio::try_join!(
                self.find_expense(claim.group, id),
                self.get::<Entry>(keys::entry(claim.group, &id.to_string())),
                self.book(claim.group),
            )
        };
        let (expense, entry, book) = self.checked(claim, read).await?;
        let expense = expense.ok_or(Error::NoExpense)?;
        if !expense.is_of(claim.user) {
            return Err(Error::NotYourExpense);
        }
        let event = |book: &Book, at: Timestamp| {
            let row = Write::delete(keys::expense(claim.group, expense.created_at));
            let unchanged = Expression::equal("id", row::to_value(&expense.id)?);
            let mut writes = vec![row.only(unchanged, Otherwise::Because(|| Error::NoExpense))];
            let participants = expense.participants().into_iter();
            writes.extend(participants.map(|row| {
                Write::delete(keys::participant(row.group_id, row.expense_id, row.user_id))
            }));
            // An expense of the earlier system never entered the book, so nothing is to be taken back.
            let Some(entry) = &entry else {
                return Ok(Event {
                    book: book.touched(at),
                    entries: Vec::new(),
                    writes,
                    value: (),
                });
            };
            let (book, history) = book.revert(entry, claim.user, at)?;
            writes.push(remove_entry(entry)?);
            Ok(Event { book, entries: history.into(), writes, value: () })
        };
        self.commit(claim.group, book, now, None, event).await?;
        Ok(())
    }

    /// The expense `id` of a group, as it is now.
    async fn find_expense(&self, group: GroupId, id: ExpenseId) -> Result<Option<Expense>, Error> {
        let partition = keys::expense_partition(id);
        let expense: Option<Expense> =
            self.find(group, id.created_at(), partition, keys::expense).await?;
        Ok(expense.filter(|expense| expense.id == id))
    }
}
