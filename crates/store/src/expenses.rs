//! Expenses: recording, editing, deleting and restoring them. History keeps every version.

use std::collections::BTreeSet;

use fracti_core::{
    Error,
    entry::Entry,
    expense::{Edit, Expense, NewExpense},
    id::{ExpenseId, GroupId},
    input::Draft,
    keys::{self, prefix},
    ledger::{EntryStatus, Ledger, RefType},
    row,
    time::Timestamp,
};

use crate::{
    access::MemberKey,
    dynamo::{
        Expression, OnConflict, Order, Page, Range, Slice, Sort, TransactionError, Write,
        with_retries,
    },
    idempotency::{Idempotency, Outcome},
    ledger::{Event, history_rows, insert_entry, remove, replace},
    table::{RequestContext, Table},
};

/// An expense, its entry and the ledger.
struct LoadedExpense {
    expense: Expense,
    /// An expense in a v0 row has none: it never entered the ledger.
    entry: Option<Entry>,
    ledger: Ledger,
}

impl Table {
    /// A page of a group's expenses.
    ///
    /// # Errors
    ///
    /// [`Error::NoGroup`] or [`Error::NotMember`]; [`Error::Unavailable`] or [`Error::Table`].
    pub async fn expenses(
        &self,
        member_key: MemberKey,
        page: &Page,
    ) -> Result<Slice<Expense>, Error> {
        let range = Range::table(keys::group_partition(member_key.group), prefix::EXPENSE);
        self.checked(member_key, self.db.page(&range, page)).await
    }

    /// An expense of a group.
    ///
    /// # Errors
    ///
    /// [`Error::NoExpense`]; [`Error::NoGroup`] or [`Error::NotMember`]; [`Error::Unavailable`] or
    /// [`Error::Table`].
    pub async fn expense(&self, member_key: MemberKey, id: ExpenseId) -> Result<Expense, Error> {
        let expense = self.checked(member_key, self.find_expense(member_key.group, id)).await?;
        expense.ok_or(Error::NoExpense)
    }

    /// Records an expense and its entry in the group's ledger.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] or [`Error::TooManyShares`]; [`Error::NoGroup`] or [`Error::NotMember`];
    /// [`Error::KeyReused`]; [`Error::Contended`], [`Error::Unavailable`] or [`Error::Table`].
    pub async fn create_expense(
        &self,
        member_key: MemberKey,
        new: &Draft<NewExpense>,
        context: RequestContext,
        idempotency: &Idempotency<Expense>,
    ) -> Result<Outcome<Expense>, Error> {
        let request = idempotency.request.as_ref();
        let ((group, members, ledger), stored) =
            self.ledger_and_stored_result(member_key, request).await?;
        if let Some(stored) = stored {
            return Ok(Outcome::Replayed(stored));
        }
        let new = new.check(&group, &members, member_key.user)?;
        let event = |ledger: &Ledger, created_at: Timestamp| {
            let expense = new.at(created_at, context.random);
            let (ledger, mut writes) = recorded_in(ledger, member_key, &expense, created_at)?;
            let row = Write::put(&expense)?;
            writes.push(row.when(Expression::absent(), OnConflict::Lost));
            Ok(Event { ledger, writes, value: expense })
        };
        Ok(self.commit_once(member_key.group, ledger, context.now, idempotency, event).await?)
    }

    /// Edits an expense that is as `expected`. Its entry is reverted and replaced by another one.
    ///
    /// # Errors
    ///
    /// As [`Table::delete_expense`]; [`Error::Invalid`] or [`Error::TooManyShares`] if the edited
    /// expense breaks a rule; [`Error::TooManyActions`].
    pub async fn edit_expense(
        &self,
        member_key: MemberKey,
        id: ExpenseId,
        edit: &Draft<Edit>,
        expected: impl Fn(&Expense) -> bool,
        now: Timestamp,
    ) -> Result<Expense, Error> {
        with_retries(|| async {
            let (loaded, group) =
                tokio::join!(self.load_expense(member_key, id), self.group(member_key));
            let (loaded, (_, members)) = (loaded?, group?);
            let LoadedExpense { expense: before, entry, ledger } = loaded;
            require_owner(member_key, &before)?;
            if !expected(&before) {
                return Err(Error::Changed.into());
            }
            let after = edit.apply(&before, &members)?;
            if after == before {
                return Ok(before);
            }
            let event = |ledger: &Ledger, at: Timestamp| {
                let after = Expense { updated_at: Some(at), ..after.clone() };
                let put = Write::put(&after)?;
                let mut writes = vec![put.when(unchanged(&before)?, OnConflict::Stale)];
                writes.extend(participants(Some(&before), Some(&after))?);
                let Some(entry) = &entry else {
                    return Ok(Event { ledger: ledger.touched(at), writes, value: after });
                };
                let (ledger, past) = reverted(ledger, member_key, entry, &before, at)?;
                let changed = after.event()?;
                let (ledger, current) =
                    ledger.record(member_key.group, changed, member_key.user, at)?;
                writes.extend(history_rows(&past)?);
                writes.push(replace(entry, &current)?);
                Ok(Event { ledger, writes, value: after })
            };
            self.commit(member_key.group, ledger, now, |_| Ok(None), event).await
        })
        .await
    }

    /// Deletes an expense that is as `expected` and its participants, and reverts its entry.
    ///
    /// # Errors
    ///
    /// [`Error::NoExpense`]; [`Error::NotYourExpense`]; [`Error::Changed`] if it is not as
    /// expected; [`Error::NoGroup`] or [`Error::NotMember`]; [`Error::Contended`],
    /// [`Error::Unavailable`] or [`Error::Table`].
    pub async fn delete_expense(
        &self,
        member_key: MemberKey,
        id: ExpenseId,
        expected: impl Fn(&Expense) -> bool,
        now: Timestamp,
    ) -> Result<(), Error> {
        with_retries(|| async {
            let LoadedExpense { expense, entry, ledger } =
                self.load_expense(member_key, id).await?;
            require_owner(member_key, &expense)?;
            if !expected(&expense) {
                return Err(Error::Changed.into());
            }
            let event = |ledger: &Ledger, at: Timestamp| {
                let delete = Write::delete(keys::expense(member_key.group, expense.created_at));
                let mut writes = vec![delete.when(unchanged(&expense)?, OnConflict::Stale)];
                writes.extend(participants(Some(&expense), None)?);
                let Some(entry) = &entry else {
                    return Ok(Event { ledger: ledger.touched(at), writes, value: () });
                };
                let (ledger, past) = reverted(ledger, member_key, entry, &expense, at)?;
                writes.extend(history_rows(&past)?);
                writes.push(remove(entry)?);
                Ok(Event { ledger, writes, value: () })
            };
            self.commit(member_key.group, ledger, now, |()| Ok(None), event).await
        })
        .await
    }

    /// Restores a deleted expense from its history, with the same id, shares and place in the list.
    /// An expense that is not deleted is returned as it is.
    ///
    /// # Errors
    ///
    /// [`Error::NoExpense`] if it never existed or its history has no snapshot; otherwise as
    /// [`Table::delete_expense`].
    pub async fn restore_expense(
        &self,
        member_key: MemberKey,
        id: ExpenseId,
        body: &Draft<()>,
        now: Timestamp,
        idempotency: &Idempotency<Expense>,
    ) -> Result<Outcome<Expense>, Error> {
        with_retries(|| async {
            let partition = keys::entry_partition(member_key.group, &id.into());
            let history = Range { index: None, partition, sort: Sort::Any, order: Order::Desc };
            // After a deletion these are the revert and the reverted entry.
            let newest = Page { limit: 1, after: None };
            let read = async {
                tokio::try_join!(
                    self.find_expense(member_key.group, id),
                    self.db.rows::<Entry>(&history, &newest),
                    self.ledger(member_key.group),
                    self.stored_result(idempotency.request.as_ref()),
                )
            };
            let (expense, history, ledger, stored) = self.checked(member_key, read).await?;
            if let Some(stored) = stored {
                return Ok(Outcome::Replayed(stored));
            }
            if let Some(expense) = expense {
                require_owner(member_key, &expense)?;
                body.checked()?;
                return self.respond(idempotency, expense).await;
            }
            // The id may be that of a settlement.
            let history = history.into_iter().map(|(_, entry)| entry);
            let history: Vec<_> =
                history.filter(|entry| entry.ref_type == RefType::Expense).collect();
            if history.iter().any(|entry| entry.status == EntryStatus::Applied) {
                return Err(TransactionError::Stale);
            }
            let was = history.into_iter().find_map(|entry| entry.snapshot);
            let was = *was.ok_or(Error::NoExpense)?;
            require_owner(member_key, &was)?;
            body.checked()?;
            let event = |ledger: &Ledger, at: Timestamp| {
                let expense = Expense { updated_at: Some(at), ..was.clone() };
                let (ledger, mut writes) = recorded_in(ledger, member_key, &expense, at)?;
                let row = Write::put(&expense)?;
                writes.push(row.when(Expression::absent(), OnConflict::Stale));
                Ok(Event { ledger, writes, value: expense })
            };
            self.commit_once(member_key.group, ledger, now, idempotency, event).await
        })
        .await
    }

    /// A page of the entries of an expense: the current one first, then its history, newest first.
    ///
    /// # Errors
    ///
    /// [`Error::NoExpense`] if it never existed; [`Error::NoGroup`] or [`Error::NotMember`];
    /// [`Error::Unavailable`] or [`Error::Table`].
    pub async fn expense_history(
        &self,
        member_key: MemberKey,
        id: ExpenseId,
        page: &Page,
    ) -> Result<Slice<Entry>, Error> {
        let read = async {
            let entry = id.into();
            tokio::try_join!(
                self.entry_history(member_key.group, &entry, page),
                self.find_expense(member_key.group, id)
            )
        };
        let (history, expense) = self.checked(member_key, read).await?;
        let known = history.items.iter().any(|entry| entry.ref_type == RefType::Expense);
        let ended = page.after.is_some() && history.items.is_empty();
        if known || ended || expense.is_some() { Ok(history) } else { Err(Error::NoExpense) }
    }

    /// The expense `id` of a group.
    async fn find_expense(&self, group: GroupId, id: ExpenseId) -> Result<Option<Expense>, Error> {
        let partition = keys::expense_partition(id);
        let expense: Option<Expense> =
            self.find(group, id.created_at(), partition, keys::expense).await?;
        Ok(expense.filter(|expense| expense.id == id))
    }

    /// The expense `id`, its entry and the ledger. They are of one moment if a write that expects
    /// them succeeds.
    async fn load_expense(
        &self,
        member_key: MemberKey,
        id: ExpenseId,
    ) -> Result<LoadedExpense, TransactionError> {
        let read = async {
            tokio::try_join!(
                self.find_expense(member_key.group, id),
                self.db.get::<Entry>(keys::entry(member_key.group, &id.into())),
                self.ledger(member_key.group),
            )
        };
        let (expense, entry, ledger) = self.checked(member_key, read).await?;
        let expense = expense.ok_or(Error::NoExpense)?;
        // Only an expense in a v0 row has no entry: this one was restored between the two reads.
        if entry.is_none() && id.created_at().is_some() {
            return Err(TransactionError::Stale);
        }
        Ok(LoadedExpense { expense, entry, ledger })
    }
}

/// Checks that the member may change the expense.
fn require_owner(member_key: MemberKey, expense: &Expense) -> Result<(), Error> {
    if expense.is_owned_by(member_key.user) { Ok(()) } else { Err(Error::NotYourExpense) }
}

/// The expense is as it was read.
fn unchanged(expense: &Expense) -> Result<Expression, Error> {
    let id = Expression::equal("id", row::to_value(&expense.id)?);
    Ok(id.and(match &expense.updated_at {
        None => Expression::without("updatedAt"),
        Some(at) => Expression::equal("updatedAt", row::to_value(at)?),
    }))
}

/// The ledger after the expense, and the writes of its entry and participants.
fn recorded_in(
    ledger: &Ledger,
    member_key: MemberKey,
    expense: &Expense,
    at: Timestamp,
) -> Result<(Ledger, Vec<Write>), TransactionError> {
    let event = expense.event()?;
    let (ledger, entry) = ledger.record(member_key.group, event, member_key.user, at)?;
    let mut writes = participants(None, Some(expense))?;
    writes.push(insert_entry(&entry)?);
    Ok((ledger, writes))
}

/// The ledger after the revert of the expense, and the rows of history with its snapshot.
fn reverted(
    ledger: &Ledger,
    member_key: MemberKey,
    entry: &Entry,
    expense: &Expense,
    at: Timestamp,
) -> Result<(Ledger, [Entry; 2]), TransactionError> {
    let (ledger, [reverted, revert]) = ledger.revert(entry, member_key.user, at)?;
    let reverted = Entry { snapshot: Some(Box::new(expense.clone())), ..reverted };
    Ok((ledger, [reverted, revert]))
}

/// The writes of the participants of an expense, each row once.
fn participants(before: Option<&Expense>, after: Option<&Expense>) -> Result<Vec<Write>, Error> {
    let [before, after] =
        [before, after].map(|expense| expense.map(Expense::participants).unwrap_or_default());
    let stay: BTreeSet<_> = after.iter().map(|row| row.user_id).collect();
    let gone = before.iter().filter(|row| !stay.contains(&row.user_id));
    let gone = gone
        .map(|row| Ok(Write::delete(keys::participant(row.group_id, row.expense_id, row.user_id))));
    let come = after.iter().map(Write::put);
    gone.chain(come).collect()
}
