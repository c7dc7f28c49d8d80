//! Schedules: expenses that the keeper records on their dates.

use fracti_core::{
    decisions::{decision::Decision, expenses::insert, ledger_transaction::LedgerTransaction},
    group::{Group, Member, MemberKey},
    input::{Draft, Error},
    ledger::Ledger,
    personal::targets::Targets,
    records::{
        group_change::{ChangeKind, Subject},
        schedule::{MAX_SCHEDULES, NewSchedule, Schedule, ScheduleEdit, Scheduling},
    },
    storage::{
        condition::Condition,
        keys::{self, prefix},
        row,
        write::{Transaction, Write, WriteError},
    },
    values::{
        id::{GroupId, ScheduleId, TokenId},
        request_context::RequestContext,
        text::TokenName,
        time::{Timestamp, Zone},
    },
};

use crate::{
    dynamo::{Page, Range, Slice},
    table::Table,
    write::idempotency::{Idempotency, IdempotentRequest, Outcome},
};

/// What the keeper did for a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occurred {
    /// It recorded the expense of a date. Another date may be due.
    Recorded,
    /// It paused the schedule, because the expense was refused.
    Paused,
    /// Nothing is due any more.
    Nothing,
}

impl Table {
    /// A page of the schedules of a group, newest first.
    ///
    /// # Errors
    ///
    /// [`Error::NoGroup`] or [`Error::NotMember`].
    pub async fn schedules(
        &self,
        member_key: MemberKey,
        page: &Page,
    ) -> Result<Slice<Schedule>, Error> {
        let range = schedules_of(member_key.group);
        self.checked(member_key, self.db.page(&range, page)).await
    }

    /// A schedule of a group.
    ///
    /// # Errors
    ///
    /// [`Error::NoSchedule`]; [`Error::NoGroup`] or [`Error::NotMember`].
    pub async fn schedule(&self, member_key: MemberKey, id: ScheduleId) -> Result<Schedule, Error> {
        let find = self.db.get(keys::schedule(member_key.group, id));
        self.checked(member_key, find).await?.ok_or(Error::NoSchedule)
    }

    /// All schedules of a group, newest first.
    pub(crate) async fn all_schedules(&self, group: GroupId) -> Result<Vec<Schedule>, Error> {
        self.db.all_readable(&schedules_of(group)).await
    }

    /// Makes a schedule, whose expenses the keeper records. Its zone is by default that of the
    /// caller's days.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] or [`Error::TooManyShares`]; [`Error::TooManySchedules`];
    /// [`Error::NoGroup`] or [`Error::NotMember`]; [`Error::GroupArchived`]; [`Error::KeyReused`].
    pub async fn create_schedule(
        &self,
        member_key: MemberKey,
        new: &Draft<NewSchedule>,
        agent: Option<(TokenId, &TokenName)>,
        idempotency: &Idempotency<Schedule>,
    ) -> Result<Outcome<Schedule>, Error> {
        let (caller, RequestContext { now, random }) = (member_key.user, idempotency.context());
        let read = || async {
            tokio::try_join!(
                self.all_schedules(member_key.group),
                self.targets_if(!new.has_zone(), caller),
            )
        };
        let create =
            |group: &Group, members: &[Member], mut transaction: LedgerTransaction, read| {
                let (schedules, targets): (Vec<Schedule>, Targets) = read;
                let (links, at) = (transaction.links(), transaction.at());
                let zone = targets.zone();
                let with =
                    Scheduling { group, members, links, caller, agent, at, now, random, zone };
                let schedule = new.check(with)?;
                if divides_otherwise(group, transaction.before()) {
                    return Err(WriteError::Retry);
                }
                if schedules.len() >= MAX_SCHEDULES {
                    return Err(Error::TooManySchedules.into());
                }
                transaction.add(Write::put_new(&schedule)?);
                transaction.tell(Subject::schedule(ChangeKind::ScheduleAdded, &schedule));
                Ok((transaction, schedule))
            };
        self.create_in_group(member_key, None, idempotency, read, create).await
    }

    /// Changes a schedule that is as `expected`. Only later expenses follow the change.
    ///
    /// # Errors
    ///
    /// [`Error::NoSchedule`]; [`Error::Changed`] if it is not as expected; otherwise as
    /// [`Table::create_schedule`].
    pub async fn edit_schedule(
        &self,
        member_key: MemberKey,
        id: ScheduleId,
        edit: &Draft<ScheduleEdit>,
        agent: Option<(TokenId, &TokenName)>,
        expected: impl Fn(&Schedule) -> bool,
        idempotency: &Idempotency<Schedule>,
    ) -> Result<Outcome<Schedule>, Error> {
        let MemberKey { group, user: caller } = member_key;
        let RequestContext { now, random } = idempotency.context();
        self.write_to_group(group, idempotency, || async {
            let (of_group, schedule, ledger) = tokio::join!(
                self.group_naming(member_key, None),
                self.db.get::<Schedule>(keys::schedule(group, id)),
                self.ledger(group),
            );
            let ((group, members), schedule, ledger) = (of_group?, schedule?, ledger?);
            let before = schedule.ok_or(Error::NoSchedule)?;
            let (group, members) = of_one_moment(&group, &members, &ledger)?;
            let mut transaction = LedgerTransaction::new(member_key, ledger, now)?;
            if !expected(&before) {
                return Err(Error::Changed.into());
            }
            let (links, at) = (transaction.links(), transaction.at());
            let (group, members, zone) = (&group, &*members, Zone::default());
            let with = Scheduling { group, members, links, caller, agent, at, now, random, zone };
            let after = edit.apply(&before, with)?;
            if after == before {
                return Ok(Decision::Done(before));
            }
            transaction.add(Write::put(&after)?.when(unchanged(&before)?));
            transaction.tell(Subject::schedule(ChangeKind::ScheduleEdited, &after));
            transaction.commit(after)
        })
        .await
    }

    /// Deletes a schedule that is as `expected`. Its expenses stay.
    ///
    /// # Errors
    ///
    /// As [`Table::edit_schedule`].
    pub async fn delete_schedule(
        &self,
        member_key: MemberKey,
        id: ScheduleId,
        expected: impl Fn(&Schedule) -> bool,
        idempotency: &Idempotency<ScheduleId>,
    ) -> Result<Outcome<ScheduleId>, Error> {
        let (group, now) = (member_key.group, idempotency.now());
        self.write_to_group(group, idempotency, || async {
            let key = keys::schedule(group, id);
            let read = async {
                tokio::try_join!(self.db.get::<Schedule>(key.clone()), self.ledger(group))
            };
            let (schedule, ledger) = self.checked(member_key, read).await?;
            let schedule = schedule.ok_or(Error::NoSchedule)?;
            let mut transaction = LedgerTransaction::new(member_key, ledger, now)?;
            if !expected(&schedule) {
                return Err(Error::Changed.into());
            }
            transaction.add(Write::delete(key).when(unchanged(&schedule)?));
            transaction.tell(Subject::schedule(ChangeKind::ScheduleDeleted, &schedule));
            transaction.commit(id)
        })
        .await
    }

    /// Records the expense of a schedule's next date, if it is due. The date moves on in the same
    /// transaction, so that no expense is recorded twice. What a request of the schedule's actor would
    /// be refused pauses the schedule.
    ///
    /// # Errors
    ///
    /// [`Error::Contended`]; [`Error::NoGroup`] if the group is being deleted.
    pub async fn occur(
        &self,
        group: GroupId,
        id: ScheduleId,
        now: Timestamp,
    ) -> Result<Occurred, Error> {
        match self.occur_unless(group, id, now, None).await {
            // A refusal that shows only when the transaction is made or sent.
            Err(error) if error.is_refusal() && !matches!(error, Error::Contended) => {
                self.occur_unless(group, id, now, Some(&error)).await
            }
            occurred => occurred,
        }
    }

    async fn occur_unless(
        &self,
        group: GroupId,
        id: ScheduleId,
        now: Timestamp,
        refused: Option<&Error>,
    ) -> Result<Occurred, Error> {
        let random = IdempotentRequest::own_work("occur", now).context.random;
        self.work_on_group(group, "occur", now, || async {
            let everyone = Condition::default();
            let (schedule, of_group, members, ledger) = tokio::try_join!(
                self.db.get::<Schedule>(keys::schedule(group, id)),
                self.db.get::<Group>(keys::group(group)),
                self.members(group, &everyone),
                self.ledger(group),
            )?;
            let Some(before) = schedule else { return Ok(Decision::Done(Occurred::Nothing)) };
            let of_group = of_group.ok_or(Error::NoGroup)?;
            // The rows of a deleted group may be deleted at this moment, so it gets none.
            if of_group.deleted_at.is_some() {
                let paused = before.refused(before.repeat.start, &Error::Left, now);
                let put = Write::put(&paused)?.when(unchanged(&before)?);
                return Ok(Decision::Write(Transaction::from_iter([put]), Occurred::Paused));
            }
            let (of_group, members) = of_one_moment(&of_group, &members, &ledger)?;
            let schedule = before.clone().without_old_dates(now);
            let member_key = MemberKey { group, user: schedule.actor_id };
            let mut transaction = LedgerTransaction::unchecked(member_key, ledger, now);
            let (at, links) = (transaction.at(), transaction.links().clone());
            let Some(date) = schedule.due_date(now) else {
                if schedule != before {
                    let passed = Schedule { version: before.version.saturating_add(1), ..schedule };
                    transaction.add(Write::put(&passed)?.when(unchanged(&before)?));
                }
                return transaction.commit(Occurred::Nothing);
            };
            let decide = || {
                of_group.check_unarchived()?;
                let actor = members.iter().find(|member| member.id == schedule.actor_id);
                Member::require_present(actor.cloned())?;
                transaction.before().state.check_writer(schedule.actor_id)?;
                schedule.occurrence(date, &of_group, (&members, &links), at, random)
            };
            let decided = match refused {
                None => decide(),
                Some(refused) => {
                    let after = schedule.refused(date, refused, at);
                    return pause(transaction, &before, &after);
                }
            };
            match decided {
                Ok(expense) => {
                    insert(&mut transaction, &expense)?;
                    let after = schedule.recorded(&expense);
                    transaction.add(Write::put(&after)?.when(unchanged(&before)?));
                    transaction.tell(Subject::expense(ChangeKind::ExpenseAdded, &expense));
                    transaction.commit(Occurred::Recorded)
                }
                Err(error) if error.is_refusal() => {
                    pause(transaction, &before, &schedule.refused(date, &error, at))
                }
                Err(error) => Err(error.into()),
            }
        })
        .await
    }
}

/// The schedules of a group, newest first.
fn schedules_of(group: GroupId) -> Range {
    Range::table(keys::group_partition(group), prefix::SCHEDULE)
}

/// The decision to pause a schedule, which tells the group.
fn pause(
    mut transaction: LedgerTransaction,
    before: &Schedule,
    after: &Schedule,
) -> Result<Decision<Occurred>, WriteError> {
    transaction.add(Write::put(after)?.when(unchanged(before)?));
    transaction.tell(Subject::schedule(ChangeKind::SchedulePaused, after));
    transaction.commit(Occurred::Paused)
}

/// The group and its members, as of the ledger.
fn of_one_moment(
    group: &Group,
    members: &[Member],
    ledger: &Ledger,
) -> Result<(Group, Vec<Member>), WriteError> {
    // A guest may have been linked to a user who joined after the members were read.
    if !ledger.links.are_among(members) || divides_otherwise(group, ledger) {
        return Err(WriteError::Retry);
    }
    Ok((ledger.state.of_group(group), ledger.state.of(members)))
}

/// Whether the group and the ledger were read before and after a change of the default split.
fn divides_otherwise(group: &Group, ledger: &Ledger) -> bool {
    group.default_splits_at != ledger.state.default_splits_at
}

/// The schedule is as it was read.
fn unchanged(schedule: &Schedule) -> Result<Condition, Error> {
    Ok(Condition::equal("version", row::to_value(&schedule.version)?))
}
