//! Expenses: recording, editing, deleting and restoring them. History keeps every version.

use std::{
    cmp::Reverse,
    collections::{BTreeSet, HashMap, HashSet},
};

use fracti_core::{
    decisions::expenses::{
        self as decide, PreviewedExpense, Recording, SeenDeleted, SeenExpense, SeenGroup,
    },
    group::{Group, Member, MemberKey, MemberRow, links::Links},
    input::{Draft, Error},
    ledger::{Ledger, RefType},
    records::{
        deleted_expense::DeletedExpense,
        entry::Entry,
        expense::{Edit, Expense, Filter, ListOrder, NewExpense},
    },
    storage::{
        keys::{self, prefix},
        row,
        write::WriteError,
    },
    values::{
        id::{ExpenseId, GroupId, UserId},
        time::{Timestamp, Zone},
    },
};
use futures_util::future::try_join_all;

use crate::{
    dynamo::{Order, Page, Range, Slice, Sort},
    ledger::Attempts,
    table::Table,
    write::idempotency::{Idempotency, Outcome},
};

/// Expenses of a group without an index by day that are sorted for one page at most.
const MAX_SORTED: usize = 1_000;

/// The expenses of a group by day.
fn by_date(group: GroupId) -> Range {
    Range { sort: Sort::Any, ..Range::index("GSI1", keys::dates_of(group), "") }
}

/// A deleted expense.
#[derive(Clone, Debug)]
pub struct Deleted {
    /// The expense as it was.
    pub expense: Expense,
    /// Time of the deletion.
    pub at: Timestamp,
    /// User who deleted it.
    pub by: UserId,
    /// Present name of this user; empty if the group has no row of them.
    pub name: String,
}

impl Table {
    /// A page of the expenses of a group that a filter accepts, without those of v0 rows that
    /// cannot be read. If there is a filter, it may be shorter than its limit although the list
    /// continues. By day, a page may lag behind the last writes, unless the expenses are not
    /// indexed.
    ///
    /// # Errors
    ///
    /// [`Error::NoGroup`] or [`Error::NotMember`]; [`Error::NotIndexed`].
    pub async fn expenses(
        &self,
        member_key: MemberKey,
        filter: &Filter,
        order: ListOrder,
        page: &Page,
    ) -> Result<Slice<Expense>, Error> {
        let group = member_key.group;
        let recorded = Range::table(keys::group_partition(group), prefix::EXPENSE);
        let read = async {
            let links = if filter.names_member() {
                self.ledger(group).await?.links
            } else {
                Links::default()
            };
            let accepts = |expense: &_| filter.accepts(expense, |id| links.resolve(id));
            let range = match order {
                ListOrder::Recorded => &recorded,
                ListOrder::Date => &by_date(group),
            };
            if order == ListOrder::Date && !self.is_dated(group).await? {
                self.sorted_by_date(group, page, accepts).await
            } else if filter.is_empty() {
                self.db.page(range, page).await
            } else {
                self.db.page_of(range, page, accepts).await
            }
        };
        self.checked(member_key, read).await
    }

    /// Whether all expenses of a group are in the index by day.
    async fn is_dated(&self, group: GroupId) -> Result<bool, Error> {
        let row: Option<Group> = self.db.get(keys::group(group)).await?;
        Ok(row.ok_or(Error::NoGroup)?.dated)
    }

    /// A page by day of the expenses of a group that is not indexed, with the positions of the
    /// index.
    ///
    /// # Errors
    ///
    /// [`Error::NotIndexed`] if there are more than [`MAX_SORTED`] expenses.
    async fn sorted_by_date(
        &self,
        group: GroupId,
        page: &Page,
        accepts: impl Fn(&Expense) -> bool,
    ) -> Result<Slice<Expense>, Error> {
        let recorded = Range::table(keys::group_partition(group), prefix::EXPENSE);
        let all = Page { limit: MAX_SORTED, after: None };
        let Slice { items, next, unreadable } = self.db.page::<Expense>(&recorded, &all).await?;
        if next.is_some() {
            return Err(Error::NotIndexed);
        }
        let position = |it: &Expense| keys::date_position(it.day(), it.created_at);
        let after = page.after.as_ref().and_then(|after| after.sort_key_in("GSI1"));
        let follows = |it: &Expense| after.is_none_or(|after| *position(it) < *after);
        let mut left: Vec<_> = items.into_iter().filter(|it| follows(it) && accepts(it)).collect();
        left.sort_by_cached_key(|it| Reverse(position(it)));
        let more = left.len() > page.limit;
        left.truncate(page.limit);
        let last = left.last().filter(|_| more).map(row::to_item).transpose()?;
        let next = last.map(|last| by_date(group).position_of(&last));
        let unreadable = if after.is_none() { unreadable } else { 0 };
        Ok(Slice { items: left, next, unreadable })
    }

    /// An expense of a group.
    ///
    /// # Errors
    ///
    /// [`Error::NoExpense`]; [`Error::NoGroup`] or [`Error::NotMember`].
    pub async fn expense(&self, member_key: MemberKey, id: ExpenseId) -> Result<Expense, Error> {
        let find = self.find_expense(member_key.group, id);
        self.checked(member_key, find).await?.ok_or(Error::NoExpense)
    }

    /// The expenses of a group that were recorded at these times, without those that were deleted.
    ///
    /// # Errors
    ///
    /// None of its own. Whether the reader is a member is not checked.
    pub async fn expenses_at(
        &self,
        group: GroupId,
        times: impl Iterator<Item = Timestamp>,
    ) -> Result<HashMap<ExpenseId, Expense>, Error> {
        // A batch names each key once.
        let times: BTreeSet<Timestamp> = times.collect();
        let keys = times.into_iter().map(|at| keys::expense(group, at)).collect();
        let rows: HashMap<_, Expense> = self.db.batch(keys).await?;
        Ok(rows.into_values().map(|it| (it.id, it)).collect())
    }

    /// Records an expense and its entry in the group's ledger. Its date is by default the current
    /// day in the zone of the member who records it. If it shares a spending of this member, the
    /// spending is deleted.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] or [`Error::TooManyShares`]; [`Error::NoSpending`]; [`Error::NoGroup`] or
    /// [`Error::NotMember`]; [`Error::KeyReused`].
    pub async fn create_expense(
        &self,
        member_key: MemberKey,
        new: &Draft<NewExpense>,
        idempotency: &Idempotency<Expense>,
    ) -> Result<Outcome<Expense>, Error> {
        let named = new.named();
        let MemberKey { group, user } = member_key;
        let context = idempotency.context();
        let attempts = Attempts::default();
        self.write(Some(group), idempotency, || async {
            let read = async {
                match new.spending() {
                    Some(id) => Ok((Some(self.spending(user, id).await?), Zone::default())),
                    None => Ok((None, self.targets_if(!new.has_date(), user).await?.zone())),
                }
            };
            let opened =
                self.open(&attempts, member_key, named.as_ref(), context.now, read).await?;
            let ((group, members), transaction, (spending, zone)) = opened;
            let recording = Recording { group: &group, members: &members, user, context, zone };
            let recorded = decide::record_expense(new, recording, transaction, spending.as_ref());
            let (transaction, expense) = recorded?;
            transaction.commit(expense)
        })
        .await
    }

    /// What [`Table::create_expense`] would record, without recording it. The description may be
    /// missing.
    ///
    /// # Errors
    ///
    /// As [`Table::create_expense`], except that an archived group has previews.
    pub async fn preview_expense(
        &self,
        member_key: MemberKey,
        new: &Draft<NewExpense>,
        now: Timestamp,
    ) -> Result<PreviewedExpense, Error> {
        let spending = async {
            let Some(id) = new.spending() else { return Ok(None) };
            self.spending(member_key.user, id).await.map(Some)
        };
        let (seen, spending) = tokio::try_join!(self.group_and_ledger(member_key), spending)?;
        let seen = SeenGroup::of(seen);
        decide::preview_expense(member_key.user, new, now, seen, spending.as_ref())
            .map_err(WriteError::final_error)
    }

    /// What [`Table::edit_expense`] would record, without recording it. The id stays, so all shares
    /// are known.
    ///
    /// # Errors
    ///
    /// As [`Table::edit_expense`], except that an archived group has previews.
    pub async fn preview_edit(
        &self,
        member_key: MemberKey,
        id: ExpenseId,
        edit: &Draft<Edit>,
        now: Timestamp,
    ) -> Result<PreviewedExpense, Error> {
        let (seen, before) =
            tokio::try_join!(self.group_and_ledger(member_key), self.expense(member_key, id))?;
        let seen = SeenGroup::of(seen);
        decide::preview_edit(member_key.user, edit, now, before, seen)
            .map_err(WriteError::final_error)
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
        idempotency: &Idempotency<Expense>,
    ) -> Result<Outcome<Expense>, Error> {
        let named = edit.named();
        let now = idempotency.now();
        let attempts = Attempts::default();
        self.write(Some(member_key.group), idempotency, || async {
            let ledger = self.ledger_first(&attempts, member_key.group).await?;
            let group = self.group_naming(member_key, named.as_ref());
            let (seen, group) = tokio::join!(self.load_expense(member_key, id, ledger), group);
            let (seen, (group, members)) = (seen?, group?);
            let seen = self.with_payers(member_key, seen).await?;
            decide::edit_expense(member_key, edit, &expected, now, seen, (&group, &members))
        })
        .await
    }

    /// Deletes an expense that is as `expected` and its other rows, and reverts its entry.
    ///
    /// # Errors
    ///
    /// [`Error::NoExpense`]; [`Error::NotYourExpense`]; [`Error::Changed`] if it is not as
    /// expected; [`Error::NoGroup`] or [`Error::NotMember`].
    pub async fn delete_expense(
        &self,
        member_key: MemberKey,
        id: ExpenseId,
        expected: impl Fn(&Expense) -> bool,
        idempotency: &Idempotency<ExpenseId>,
    ) -> Result<Outcome<ExpenseId>, Error> {
        self.write(Some(member_key.group), idempotency, || async {
            let seen = self.load_expense(member_key, id, None).await?;
            let seen = self.with_payers(member_key, seen).await?;
            decide::delete_expense(member_key, &expected, idempotency.now(), seen)
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
        idempotency: &Idempotency<Expense>,
    ) -> Result<Outcome<Expense>, Error> {
        self.write(Some(member_key.group), idempotency, || async {
            let partition = keys::entry_partition(member_key.group, &id.into());
            let history = Range { index: None, partition, sort: Sort::Any, order: Order::Desc };
            let newest = Page { limit: 1, after: None };
            let read = async {
                // What was deleted is decided by the history, which changes only with the ledger.
                let ledger = self.ledger(member_key.group).await?;
                let (expense, history) = tokio::try_join!(
                    self.find_expense(member_key.group, id),
                    self.db.rows::<Entry>(&history, &newest),
                )?;
                let history = history.into_iter().map(|(_, entry)| entry).collect();
                Ok(SeenDeleted { expense, history, ledger, payers: Vec::new() })
            };
            let seen = self.checked(member_key, read).await?;
            let payers = match seen.subject() {
                Some(subject) => self.payers(member_key, subject, &seen.ledger).await?,
                None => Vec::new(),
            };
            let seen = SeenDeleted { payers, ..seen };
            decide::restore_expense(member_key, id, body, idempotency.now(), &seen)
        })
        .await
    }

    /// A page of the deleted expenses of a group, as they were, newest deletion first.
    ///
    /// # Errors
    ///
    /// [`Error::NoGroup`] or [`Error::NotMember`].
    pub async fn deleted_expenses(
        &self,
        member_key: MemberKey,
        page: &Page,
    ) -> Result<Slice<Deleted>, Error> {
        let group = member_key.group;
        let range = Range::table(keys::group_partition(group), prefix::DELETED);
        let rows = self.checked(member_key, self.db.page::<DeletedExpense>(&range, page)).await?;
        let Slice { items, next, unreadable } = rows;
        let entry = |row: &DeletedExpense| keys::past_entry(group, &row.id.into(), row.sequence);
        // What was imported again after its deletion has a current entry.
        let current = |row: &DeletedExpense| keys::entry(group, &row.id.into());
        let keys = items.iter().flat_map(|row| [entry(row), current(row)]).collect();
        let actors: HashSet<_> = items.iter().map(|row| row.deleted_by).collect();
        let actors = actors.into_iter().map(|actor| keys::member(group, actor.into())).collect();
        let (mut entries, members) =
            tokio::try_join!(self.db.batch::<Entry>(keys), self.db.batch::<MemberRow>(actors),)?;
        let items = items.into_iter().filter_map(|row| {
            if entries.contains_key(&current(&row)) {
                return None;
            }
            let expense = *entries.remove(&entry(&row))?.snapshot?;
            Some((row, expense))
        });
        let items = items.map(async |(row, expense)| {
            // Only what was imported can have been imported again and deleted a second time.
            let is_last = expense.import_id.is_none() || self.is_last_deletion(&row).await?;
            Ok::<_, Error>(is_last.then_some((row, expense)))
        });
        let items = try_join_all(items.collect::<Vec<_>>()).await?.into_iter().flatten();
        let items = items.map(|(row, expense)| {
            let actor = members.get(&keys::member(group, row.deleted_by.into()));
            let name = actor.map(|row| row.member.name.clone()).unwrap_or_default();
            Deleted { expense, at: row.deleted_at, by: row.deleted_by, name }
        });
        Ok(Slice { items: items.collect(), next, unreadable })
    }

    /// Whether an expense, which the group does not have, was not deleted again after this
    /// deletion, by a member or by the undo of an import.
    async fn is_last_deletion(&self, row: &DeletedExpense) -> Result<bool, Error> {
        let newest = Page { limit: 1, after: None };
        let history = self.entry_history(row.group_id, &row.id.into(), &newest).await?;
        let revert = history.items.first();
        Ok(revert.is_some_and(|revert| revert.created_at == row.deleted_at))
    }

    /// A page of the entries of an expense: the current one first, then its history, newest first.
    ///
    /// # Errors
    ///
    /// [`Error::NoExpense`] if it never existed; [`Error::NoGroup`] or [`Error::NotMember`].
    pub async fn expense_history(
        &self,
        member_key: MemberKey,
        id: ExpenseId,
        page: &Page,
    ) -> Result<Slice<Entry>, Error> {
        let group = member_key.group;
        let read = async {
            let entry = id.into();
            tokio::try_join!(self.entry_history(group, &entry, page), self.find_expense(group, id))
        };
        let (history, expense) = self.checked(member_key, read).await?;
        let known = history.items.iter().any(|entry| entry.ref_type == RefType::Expense);
        let ended = page.after.is_some() && history.items.is_empty();
        if known || ended || expense.is_some() { Ok(history) } else { Err(Error::NoExpense) }
    }

    /// The expense `id` of a group.
    pub(crate) async fn find_expense(
        &self,
        group: GroupId,
        id: ExpenseId,
    ) -> Result<Option<Expense>, Error> {
        let partition = keys::expense_partition(id);
        let expense: Option<Expense> =
            self.find_by_id(group, id.created_at(), &id.into(), partition, keys::expense).await?;
        Ok(expense.filter(|expense| expense.id == id))
    }

    /// The payers of an expense, if nothing else gives the member the right to change it.
    async fn payers(
        &self,
        member_key: MemberKey,
        expense: &Expense,
        ledger: &Ledger,
    ) -> Result<Vec<Member>, Error> {
        if decide::may_edit(member_key.user, expense, ledger, &[]) {
            return Ok(Vec::new());
        }
        let payers = expense.payers_by(&ledger.links);
        Ok(self.group_naming(member_key, Some(&payers)).await?.1)
    }

    async fn with_payers(
        &self,
        member_key: MemberKey,
        seen: SeenExpense,
    ) -> Result<SeenExpense, Error> {
        let payers = self.payers(member_key, &seen.expense, &seen.ledger).await?;
        Ok(SeenExpense { payers, ..seen })
    }

    /// The expense `id`, its entry and the ledger, unless it was read before. They are of one
    /// moment if a write that expects them succeeds.
    async fn load_expense(
        &self,
        member_key: MemberKey,
        id: ExpenseId,
        ledger: Option<Ledger>,
    ) -> Result<SeenExpense, WriteError> {
        let read = async {
            tokio::try_join!(
                self.find_expense(member_key.group, id),
                self.db.get::<Entry>(keys::entry(member_key.group, &id.into())),
                self.ledger_unless(ledger, member_key.group),
            )
        };
        let (expense, entry, ledger) = self.checked(member_key, read).await?;
        let expense = expense.ok_or(Error::NoExpense)?;
        // Only an expense in a v0 row that could not be migrated has no entry: this one was
        // restored between the two reads.
        if entry.is_none() && id.is_ours() {
            return Err(WriteError::Retry);
        }
        Ok(SeenExpense { expense, entry, ledger, payers: Vec::new() })
    }
}
