//! Expenses: recording, editing, deleting and restoring them. History keeps every version.

use std::{
    cmp::Reverse,
    collections::{BTreeSet, HashMap, HashSet},
};

use fracti_core::{
    decisions::{decision::Decision, ledger_transaction::LedgerTransaction},
    group::{Group, Member, MemberKey, MemberRow, links::Links},
    input::{Draft, Error},
    ledger::{EntryStatus, Ledger, LedgerError, RefType},
    personal::spending::Spending,
    records::{
        deleted_expense::DeletedExpense,
        entry::Entry,
        expense::{Edit, Expense, Filter, ListOrder, NewExpense, Payer, Share},
        group_change::{ChangeKind, Subject},
    },
    split::PreviewedShare,
    storage::{
        condition::Condition,
        keys::{self, Primary, prefix},
        row,
        write::{Write, WriteError},
    },
    values::{
        currency::AmountError,
        id::{ExpenseId, GroupId, MemberId, UserId},
        money::Money,
        request_context::RequestContext,
        time::{Timestamp, Zone},
    },
};
use futures_util::future::try_join_all;
use serde::Serialize;

use crate::{
    dynamo::{Order, Page, Range, Slice, Sort},
    personal::spendings::deletion,
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

/// Preview of an expense.
#[derive(Clone, Debug)]
pub struct PreviewedExpense {
    /// Amount.
    pub amount: Money,
    /// Payers, the main one first.
    pub payers: Vec<Payer>,
    /// Shares, each with the name of its member.
    pub shares: Vec<(PreviewedShare, String)>,
}

/// An expense, its entry and the ledger.
struct LoadedExpense {
    expense: Expense,
    /// An expense in a v0 row that could not be migrated has none. It enters the ledger with its
    /// first edit.
    entry: Option<Entry>,
    ledger: Ledger,
}

impl Table {
    /// A page of the expenses of a group that a filter accepts, without those of v0 rows that cannot
    /// be read. If there is a filter, it may be shorter than its limit although the list continues.
    /// By day, a page may lag behind the last writes, unless the expenses are not indexed.
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

    /// A page by day of the expenses of a group that is not indexed, with the positions of the index.
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
        let (named, user, context) = (named.as_ref(), member_key.user, idempotency.context());
        let read = || async {
            match new.spending() {
                Some(id) => Ok((Some(self.spending(user, id).await?), Zone::default())),
                None => Ok((None, self.targets_if(!new.has_date(), user).await?.zone())),
            }
        };
        let create = |group: &Group,
                      members: &[Member],
                      transaction: LedgerTransaction,
                      (spending, zone): (Option<Spending>, Zone)| {
            let new = spending.as_ref().map_or_else(|| new.clone(), |it| new.sharing(it));
            let recording = Recording { group, members, user, context, zone };
            let (mut transaction, expense) = record(&new, recording, transaction)?;
            if let Some(spending) = &spending {
                transaction.add_all(deletion(spending, context.now)?);
            }
            Ok((transaction, expense))
        };
        self.create_in_group(member_key, named, idempotency, read, create).await
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
        let ((group, members, ledger), spending) =
            tokio::try_join!(self.group_and_ledger(member_key), spending)?;
        let group = ledger.state.of_group(&group);
        let new = spending.as_ref().map_or_else(|| new.clone(), |it| new.sharing(it)).described();
        let mut members = ledger.links.unlinked(&ledger.state.of(&members));
        members.retain(Member::is_present);
        let new = new.resolved(&ledger.links);
        // The day does not change the shares.
        let group = group.resolved(&ledger.links);
        let checked = new.check(&group, &members, member_key.user, now, Zone::default())?;
        let shares = checked.preview()?;
        check_room(&ledger, None, &checked.at(now, [0; 10])?)?;
        Ok(PreviewedExpense { amount: checked.amount(), payers: checked.all_payers(), shares })
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
        let ((group, members, ledger), before) =
            tokio::try_join!(self.group_and_ledger(member_key), self.expense(member_key, id))?;
        let present = ledger.state.of(&members);
        if !before.may_edit(member_key.user, &ledger.links, &present) {
            return Err(Error::NotYourExpense);
        }
        let group = ledger.state.of_group(&group);
        let members = allowed(&before, &members, &ledger);
        let after = edit.resolved(&ledger.links).apply(&before, &group, &members, now)?;
        if after != before {
            check_room(&ledger, Some(&before), &after)?;
        }
        let money = |amount| Money::from_major(amount, after.currency);
        let share = |share: &Share| {
            let amount = money(share.amount)?;
            Ok((PreviewedShare { user: share.user_id, amount, or: None }, share.user_name.clone()))
        };
        let known = || {
            let shares = after.splits.iter().map(share).collect::<Result<_, AmountError>>()?;
            Ok::<_, AmountError>(PreviewedExpense {
                amount: money(after.amount)?,
                payers: after.all_payers(),
                shares,
            })
        };
        // An edit that keeps the amounts of a v0 row may have some that are finer than a unit.
        known().map_err(|rule| Error::invalid("amount", rule))
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
        let (named, now) = (edit.named(), idempotency.now());
        self.write_to_group(member_key.group, idempotency, || async {
            let group = self.group_naming(member_key, named.as_ref());
            let (loaded, group) = tokio::join!(self.load_expense(member_key, id), group);
            let (loaded, (group, members)) = (loaded?, group?);
            let LoadedExpense { expense: before, entry, ledger } = loaded;
            self.require_editor(member_key, &before, &ledger).await?;
            let members = allowed(&before, &members, &ledger);
            let mut transaction = LedgerTransaction::new(member_key, ledger, now)?;
            if !expected(&before) {
                return Err(Error::Changed.into());
            }
            let after = edit.resolved(transaction.links()).apply(&before, &group, &members, now)?;
            if after == before {
                return Ok(Decision::Done(before));
            }
            let after = changed_at(after, transaction.at());
            transaction.add(Write::put(&after)?.when(unchanged(&before)?));
            transaction.add_all(member_rows(Some(&before), Some(&after))?);
            transaction.tally(Some(&before), Some(&after))?;
            match &entry {
                Some(entry) => transaction.replace(entry, Some(&before), after.event()?, None)?,
                None => transaction.record(after.event()?)?,
            }
            transaction.tell(Subject::edit(&before, &after));
            transaction.commit(after)
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
        self.write_to_group(member_key.group, idempotency, || async {
            let LoadedExpense { expense, entry, ledger } =
                self.load_expense(member_key, id).await?;
            self.require_editor(member_key, &expense, &ledger).await?;
            let mut transaction = LedgerTransaction::new(member_key, ledger, idempotency.now())?;
            if !expected(&expense) {
                return Err(Error::Changed.into());
            }
            let delete = Write::delete(keys::expense(member_key.group, expense.created_at));
            transaction.add(delete.when(unchanged(&expense)?));
            transaction.add_all(member_rows(Some(&expense), None)?);
            transaction.tally(Some(&expense), None)?;
            if let Some(entry) = &entry {
                let revert = transaction.revert(entry, Some(&expense))?;
                let deleted = DeletedExpense::by(&revert, id);
                transaction.add_all(deleted.as_ref().map(Write::put_new).transpose()?);
            }
            transaction.tell(Subject::expense(ChangeKind::ExpenseDeleted, &expense));
            transaction.commit(id)
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
        let now = idempotency.now();
        self.write_to_group(member_key.group, idempotency, || async {
            let partition = keys::entry_partition(member_key.group, &id.into());
            let history = Range { index: None, partition, sort: Sort::Any, order: Order::Desc };
            // After a deletion these are the revert and the reverted entry.
            let newest = Page { limit: 1, after: None };
            let read = async {
                // What was deleted is decided by the history, which changes only with the ledger.
                let ledger = self.ledger(member_key.group).await?;
                let (expense, history) = tokio::try_join!(
                    self.find_expense(member_key.group, id),
                    self.db.rows::<Entry>(&history, &newest),
                )?;
                Ok((expense, history, ledger))
            };
            let (expense, history, ledger) = self.checked(member_key, read).await?;
            if let Some(expense) = expense {
                self.require_editor(member_key, &expense, &ledger).await?;
                LedgerTransaction::new(member_key, ledger, now)?;
                body.checked()?;
                return Ok(Decision::Done(expense));
            }
            // The id may be that of a settlement.
            let history = history.into_iter().map(|(_, entry)| entry);
            let history: Vec<_> =
                history.filter(|entry| entry.ref_type == RefType::Expense).collect();
            if history.iter().any(|entry| entry.status == EntryStatus::Applied) {
                return Err(WriteError::Retry);
            }
            let deletion = history.first().map(|revert| DeletedExpense::key(revert, id));
            let was = history.into_iter().find_map(|entry| entry.snapshot);
            let was = *was.ok_or(Error::NoExpense)?;
            self.require_editor(member_key, &was, &ledger).await?;
            let mut transaction = LedgerTransaction::new(member_key, ledger, now)?;
            body.checked()?;
            let expense = changed_at(was, transaction.at());
            insert(&mut transaction, &expense)?;
            transaction.add_all(deletion.map(Write::delete));
            transaction.tell(Subject::expense(ChangeKind::ExpenseRestored, &expense));
            transaction.commit(expense)
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

    /// Whether an expense, which the group does not have, was not deleted again after this deletion,
    /// by a member or by the undo of an import.
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

    /// Checks that the member may change the expense. Whether a payer is past shows only in the
    /// payers' rows, which are read if nothing else gives the right.
    async fn require_editor(
        &self,
        member_key: MemberKey,
        expense: &Expense,
        ledger: &Ledger,
    ) -> Result<(), Error> {
        let may_edit = |members: &[Member]| {
            expense.may_edit(member_key.user, &ledger.links, &ledger.state.of(members))
        };
        if may_edit(&[]) {
            return Ok(());
        }
        let payers = expense.payers_by(&ledger.links);
        let (_, members) = self.group_naming(member_key, Some(&payers)).await?;
        if may_edit(&members) { Ok(()) } else { Err(Error::NotYourExpense) }
    }

    /// The expense `id`, its entry and the ledger. They are of one moment if a write that expects
    /// them succeeds.
    async fn load_expense(
        &self,
        member_key: MemberKey,
        id: ExpenseId,
    ) -> Result<LoadedExpense, WriteError> {
        let read = async {
            tokio::try_join!(
                self.find_expense(member_key.group, id),
                self.db.get::<Entry>(keys::entry(member_key.group, &id.into())),
                self.ledger(member_key.group),
            )
        };
        let (expense, entry, ledger) = self.checked(member_key, read).await?;
        let expense = expense.ok_or(Error::NoExpense)?;
        // Only an expense in a v0 row that could not be migrated has no entry: this one was
        // restored between the two reads.
        if entry.is_none() && id.is_ours() {
            return Err(WriteError::Retry);
        }
        Ok(LoadedExpense { expense, entry, ledger })
    }
}

/// Context in which an expense is recorded, besides the request.
#[derive(Clone, Copy)]
pub(crate) struct Recording<'a> {
    pub(crate) group: &'a Group,
    pub(crate) members: &'a [Member],
    /// User who records it.
    pub(crate) user: UserId,
    pub(crate) context: RequestContext,
    /// Zone of the user's days.
    pub(crate) zone: Zone,
}

/// Checks a new expense, and adds its rows and its entry.
pub(crate) fn record(
    new: &Draft<NewExpense>,
    Recording { group, members, user, context, zone }: Recording<'_>,
    mut transaction: LedgerTransaction,
) -> Result<(LedgerTransaction, Expense), WriteError> {
    let new = new.resolved(transaction.links());
    let mut members = transaction.links().unlinked(members);
    members.retain(Member::is_present);
    let resolved = group.clone().resolved(transaction.links());
    let new = new.check(&resolved, &members, user, context.now, zone)?;
    let changed_at = transaction.before().state.default_splits_at;
    if new.uses_default() && group.default_splits_at != changed_at {
        // The group and the ledger were read before and after a change of the default split.
        return Err(WriteError::Retry);
    }
    let expense = new.at(transaction.at(), context.random)?;
    insert(&mut transaction, &expense)?;
    transaction.tell(Subject::expense(ChangeKind::ExpenseAdded, &expense));
    Ok((transaction, expense))
}

/// Checks that the ledger can record an expense, instead of `before` if it is an edit.
fn check_room(ledger: &Ledger, before: Option<&Expense>, after: &Expense) -> Result<(), Error> {
    let taken_back = before.map(|before| {
        let mut event = before.event()?;
        for change in &mut event.changes {
            let currency = change.currency;
            change.totals = change.totals.negated().ok_or(LedgerError::Overflow(currency))?;
        }
        Ok(event)
    });
    // An expense of a v0 row that could not be migrated has no entry to take back.
    let taken_back = taken_back.filter(|_| before.is_some_and(|it| it.id.is_ours()));
    let events = taken_back.into_iter().chain([after.event()]);
    ledger.check_events(events).map_err(|(_, error)| error.into())
}

/// The members who may pay or share an expense after an edit: those who are present, and those who
/// pay or share it already.
fn allowed(before: &Expense, members: &[Member], ledger: &Ledger) -> Vec<Member> {
    let sharers = before.splits.iter().map(|share| share.user_id);
    let named: BTreeSet<MemberId> =
        before.payer_ids().chain(sharers).map(|id| ledger.links.resolve(id)).collect();
    let mut members = ledger.links.unlinked(&ledger.state.of(members));
    members.retain(|member| member.is_present() || named.contains(&member.id));
    members
}

/// The expense with the time of its change. One without a date gets the day that views show.
fn changed_at(expense: Expense, at: Timestamp) -> Expense {
    Expense { updated_at: Some(at), date: Some(expense.day()), ..expense }
}

/// The expense is as it was read. Its date is compared because it decides whether the expense is in
/// a tally, and an operator may set it without an edit.
pub(crate) fn unchanged(expense: &Expense) -> Result<Condition, Error> {
    fn same(name: &'static str, value: Option<&impl Serialize>) -> Result<Condition, Error> {
        let Some(value) = value else { return Ok(Condition::without(name)) };
        Ok(Condition::equal(name, row::to_value(value)?))
    }
    let id = Condition::equal("id", row::to_value(&expense.id)?);
    let updated_at = same("updatedAt", expense.updated_at.as_ref())?;
    Ok(id.and(updated_at).and(same("date", expense.date.as_ref())?))
}

/// Adds the rows of an expense that is not in the table, and its entry.
pub(crate) fn insert(
    transaction: &mut LedgerTransaction,
    expense: &Expense,
) -> Result<(), WriteError> {
    transaction.add(Write::put_new(expense)?);
    transaction.add_all(member_rows(None, Some(expense))?);
    transaction.tally(None, Some(expense))?;
    transaction.record(expense.event()?)
}

/// The writes of the rows by which members find an expense, each row once.
pub(crate) fn member_rows(
    before: Option<&Expense>,
    after: Option<&Expense>,
) -> Result<Vec<Write>, Error> {
    let before = before.map_or(Ok(Vec::new()), puts)?;
    let after = after.map_or(Ok(Vec::new()), puts)?;
    let stay: HashSet<&Primary> = after.iter().map(Write::key).collect();
    let gone = before.iter().map(Write::key).filter(|key| !stay.contains(key));
    let gone: Vec<_> = gone.cloned().map(Write::delete).collect();
    Ok(gone.into_iter().chain(after).collect())
}

/// The puts of the participants of an expense and of its payers but the main one.
fn puts(expense: &Expense) -> Result<Vec<Write>, Error> {
    let (participants, payers) = (expense.participants(), expense.further_payers());
    participants.iter().map(Write::put).chain(payers.iter().map(Write::put)).collect()
}
