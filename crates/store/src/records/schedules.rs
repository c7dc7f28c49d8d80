//! Schedules: expenses that the keeper records on their dates.

use fracti_core::{
    decisions::{
        decision::Decision,
        schedules::{self as decide, Maker, Occurred},
    },
    group::{Group, MemberKey},
    input::{Draft, Error},
    records::schedule::{NewSchedule, Schedule, ScheduleEdit},
    storage::{
        condition::Condition,
        keys::{self, prefix},
    },
    values::{
        id::{GroupId, ScheduleId, TokenId},
        text::TokenName,
        time::{Timestamp, Zone},
    },
};

use crate::{
    dynamo::{Page, Range, Slice},
    ledger::Attempts,
    table::Table,
    write::idempotency::{Idempotency, Outcome},
};

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
        let caller = member_key.user;
        let context = idempotency.context();
        let attempts = Attempts::default();
        self.write(Some(member_key.group), idempotency, || async {
            let read = async {
                tokio::try_join!(
                    self.all_schedules(member_key.group),
                    self.targets_if(!new.has_zone(), caller),
                )
            };
            let opened = self.open(&attempts, member_key, None, context.now, read).await?;
            let ((group, members), transaction, (schedules, targets)) = opened;
            let maker = Maker { caller, agent, context, zone: targets.zone() };
            decide::record_schedule(maker, new, (&group, &members), transaction, &schedules)
        })
        .await
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
        let context = idempotency.context();
        let zone = Zone::default();
        let maker = Maker { caller, agent, context, zone };
        let attempts = Attempts::default();
        self.write(Some(group), idempotency, || async {
            let ledger = self.ledger_first(&attempts, group).await?;
            let (of_group, schedule, ledger) = tokio::join!(
                self.group_naming(member_key, None),
                self.db.get::<Schedule>(keys::schedule(group, id)),
                self.ledger_unless(ledger, group),
            );
            let ((group, members), schedule, ledger) = (of_group?, schedule?, ledger?);
            let before = schedule.ok_or(Error::NoSchedule)?;
            decide::edit_schedule(maker, edit, &expected, before, (&group, &members, ledger))
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
        let group = member_key.group;
        let now = idempotency.now();
        self.write(Some(group), idempotency, || async {
            let key = keys::schedule(group, id);
            let read = async {
                tokio::try_join!(self.db.get::<Schedule>(key.clone()), self.ledger(group))
            };
            let (schedule, ledger) = self.checked(member_key, read).await?;
            let schedule = schedule.ok_or(Error::NoSchedule)?;
            decide::delete_schedule(member_key, &expected, now, &schedule, ledger)
        })
        .await
    }

    /// Records the expense of a schedule's next date, if it is due. The date moves on in the same
    /// transaction, so that no expense is recorded twice. What a request of the schedule's actor
    /// would be refused pauses the schedule.
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
        let attempts = Attempts::default();
        self.work(Some(group), "occur", now, async |context| {
            let ledger = self.ledger_first(&attempts, group).await?;
            let everyone = Condition::default();
            let (schedule, of_group, members, ledger) = tokio::try_join!(
                self.db.get::<Schedule>(keys::schedule(group, id)),
                self.db.get::<Group>(keys::group(group)),
                self.members(group, &everyone),
                self.ledger_unless(ledger, group),
            )?;
            let Some(schedule) = schedule else { return Ok(Decision::Done(Occurred::Nothing)) };
            let group = of_group.ok_or(Error::NoGroup)?;
            decide::occur(&schedule, (&group, &members, ledger), context, refused)
        })
        .await
    }
}

/// The schedules of a group, newest first.
fn schedules_of(group: GroupId) -> Range {
    Range::table(keys::group_partition(group), prefix::SCHEDULE)
}
