//! Schedules: making, editing and deleting them, and recording the expense of a date.

use crate::{
    decisions::{
        decision::Decision,
        expenses::{divides_otherwise, insert},
        ledger_transaction::LedgerTransaction,
    },
    group::{Group, Member, MemberKey},
    input::{Draft, Error, limits::MAX_SCHEDULES},
    ledger::Ledger,
    records::{
        group_change::{ChangeKind, Subject},
        schedule::{NewSchedule, Schedule, ScheduleEdit, Scheduling},
    },
    storage::{
        condition::Condition,
        keys, row,
        write::{Transaction, Write, WriteError},
    },
    values::{
        id::{ScheduleId, TokenId, UserId},
        request_context::RequestContext,
        text::TokenName,
        time::{Timestamp, Zone},
    },
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

/// Who makes or changes a schedule.
#[derive(Clone, Copy, Debug)]
pub struct Maker<'a> {
    /// The user.
    pub caller: UserId,
    /// API token by which they do.
    pub agent: Option<(TokenId, &'a TokenName)>,
    /// Time of the request, and the random part of the id.
    pub context: RequestContext,
    /// Zone of the user's days.
    pub zone: Zone,
}

impl<'a> Maker<'a> {
    fn scheduling(
        self,
        group: &'a Group,
        members: &'a [Member],
        transaction: &'a LedgerTransaction,
    ) -> Scheduling<'a> {
        let Self { caller, agent, context: RequestContext { now, random }, zone } = self;
        let links = transaction.links();
        let at = transaction.at();
        Scheduling { group, members, links, caller, agent, at, now, random, zone }
    }
}

/// Makes a schedule in a group, which has these already.
pub fn record_schedule(
    maker: Maker<'_>,
    new: &Draft<NewSchedule>,
    (group, members): (&Group, &[Member]),
    mut transaction: LedgerTransaction,
    schedules: &[Schedule],
) -> Result<Decision<Schedule>, WriteError> {
    let schedule = new.check(maker.scheduling(group, members, &transaction))?;
    if divides_otherwise(group, transaction.before()) {
        return Err(WriteError::Retry);
    }
    if schedules.len() >= MAX_SCHEDULES {
        return Err(Error::TooManySchedules.into());
    }
    transaction.add(Write::put_new(&schedule)?);
    transaction.tell(Subject::schedule(ChangeKind::ScheduleAdded, &schedule));
    transaction.commit(schedule)
}

/// Changes a schedule that is as `expected`.
pub fn edit_schedule(
    maker: Maker<'_>,
    edit: &Draft<ScheduleEdit>,
    expected: impl Fn(&Schedule) -> bool,
    before: Schedule,
    (group, members, ledger): (&Group, &[Member], Ledger),
) -> Result<Decision<Schedule>, WriteError> {
    let (group, members) = of_one_moment(group, members, &ledger)?;
    let member_key = MemberKey { group: group.id, user: maker.caller };
    let mut transaction = LedgerTransaction::new(member_key, ledger, maker.context.now)?;
    if !expected(&before) {
        return Err(Error::Changed.into());
    }
    let after = edit.apply(&before, maker.scheduling(&group, &members, &transaction))?;
    if after == before {
        return Ok(Decision::Done(before));
    }
    transaction.add(Write::put(&after)?.when(unchanged(&before)?));
    transaction.tell(Subject::schedule(ChangeKind::ScheduleEdited, &after));
    transaction.commit(after)
}

/// Deletes a schedule that is as `expected`.
pub fn delete_schedule(
    by: MemberKey,
    expected: impl Fn(&Schedule) -> bool,
    now: Timestamp,
    schedule: &Schedule,
    ledger: Ledger,
) -> Result<Decision<ScheduleId>, WriteError> {
    let mut transaction = LedgerTransaction::new(by, ledger, now)?;
    if !expected(schedule) {
        return Err(Error::Changed.into());
    }
    let key = keys::schedule(by.group, schedule.id);
    transaction.add(Write::delete(key).when(unchanged(schedule)?));
    transaction.tell(Subject::schedule(ChangeKind::ScheduleDeleted, schedule));
    transaction.commit(schedule.id)
}

/// Records the expense of a schedule's next date, if it is due, and moves the date on. What a
/// request of the schedule's actor would be refused, or was `refused` when it was sent, pauses the
/// schedule.
pub fn occur(
    before: &Schedule,
    (of_group, members, ledger): (&Group, &[Member], Ledger),
    RequestContext { now, random }: RequestContext,
    refused: Option<&Error>,
) -> Result<Decision<Occurred>, WriteError> {
    // The rows of a deleted group may be deleted at this moment, so it gets none.
    if of_group.deleted_at.is_some() {
        let paused = before.refused(before.repeat.start, &Error::Left, now);
        return Ok(Decision::Write(alone(before, &paused)?, Occurred::Paused));
    }
    let schedule = before.clone().without_old_dates(now);
    let Some(date) = schedule.due_date(now) else {
        if schedule == *before {
            return Ok(Decision::Done(Occurred::Nothing));
        }
        // Dates that pass unrecorded are no event of the group.
        let passed = Schedule { version: before.version.saturating_add(1), ..schedule };
        return Ok(Decision::Write(alone(before, &passed)?, Occurred::Nothing));
    };
    let (of_group, members) = of_one_moment(of_group, members, &ledger)?;
    let member_key = MemberKey { group: of_group.id, user: schedule.actor_id };
    let mut transaction = LedgerTransaction::unchecked(member_key, ledger, now);
    let at = transaction.at();
    let links = transaction.links().clone();
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
            return pause(transaction, before, &after);
        }
    };
    match decided {
        Ok(expense) => {
            insert(&mut transaction, &expense)?;
            let after = schedule.recorded(&expense);
            transaction.add(Write::put(&after)?.when(unchanged(before)?));
            transaction.tell(Subject::expense(ChangeKind::ExpenseAdded, &expense));
            transaction.commit(Occurred::Recorded)
        }
        Err(error) if error.is_refusal() => {
            pause(transaction, before, &schedule.refused(date, &error, at))
        }
        Err(error) => Err(error.into()),
    }
}

/// The write of a schedule without one of its group.
fn alone(before: &Schedule, after: &Schedule) -> Result<Transaction, Error> {
    Ok(Transaction::from_iter([Write::put(after)?.when(unchanged(before)?)]))
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

/// The schedule is as it was read.
fn unchanged(schedule: &Schedule) -> Result<Condition, Error> {
    Ok(Condition::equal("version", row::to_value(&schedule.version)?))
}
