//! Requests to make and to change a schedule.

use std::collections::BTreeSet;

use fracti_texts::{message, rule};

use super::{
    Schedule, SharedBy, occurrence,
    repeat::{Repeat, RepeatContext, RepeatInput},
};
use crate::{
    group::{Group, Member, links::Links},
    input::{Draft, Error, Field, FieldErrors, Path},
    records::expense::{Edit, Expense, NewExpense},
    split::SplitType,
    values::{
        id::{ScheduleId, TokenId, UserId},
        text::TokenName,
        time::{Day, Timestamp, Zone},
    },
};

/// Maximum number of dates that a schedule skips.
pub const MAX_SKIPS: usize = 12;

/// A schedule to make.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewSchedule {
    /// The expense, without a date.
    pub expense: Field<NewExpense>,
    /// The rule.
    pub repeat: Field<RepeatInput>,
    /// Sharers of each expense, if its shares are left out.
    pub shared_by: Field<SharedBy>,
}

/// Changes to a schedule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScheduleEdit {
    /// Changes to the expense.
    pub expense: Field<Edit>,
    /// New rule. It drops the skips.
    pub repeat: Field<RepeatInput>,
    /// Dates to skip, instead of the present ones.
    pub skips: Field<Vec<Field<Day>>>,
    /// Whether it is paused.
    pub paused: Field<bool>,
    /// Sharers of each expense from now on.
    pub shared_by: Field<SharedBy>,
}

/// Context in which a schedule is checked.
#[derive(Clone, Copy, Debug)]
pub struct Scheduling<'a> {
    /// The group, as of its ledger.
    pub group: &'a Group,
    /// Its members, present and past, as of its ledger.
    pub members: &'a [Member],
    /// The guests who are linked.
    pub links: &'a Links,
    /// User who makes or changes the schedule.
    pub caller: UserId,
    /// API token by which they do.
    pub agent: Option<(TokenId, &'a TokenName)>,
    /// The moment, which no other event of the group has.
    pub at: Timestamp,
    /// The time of day.
    pub now: Timestamp,
    /// Random part of the id.
    pub random: [u8; 10],
    /// Zone of the caller's days.
    pub zone: Zone,
}

impl Scheduling<'_> {
    /// The template of a request, whose errors are reported within `expense`.
    fn template(
        &self,
        new: NewExpense,
        errors: &mut FieldErrors,
    ) -> Result<Option<Expense>, Error> {
        let draft = Draft::new(Field::Value(new), errors.within("expense")).resolved(self.links);
        let (present, group) =
            (self.links.present(self.members), self.group.clone().resolved(self.links));
        let checked = draft.check(&group, &present, self.caller, self.now, self.zone);
        kept(checked.and_then(|checked| checked.at(self.at, self.random)), errors)
    }
}

/// The value, unless it is invalid: then its errors are those within `expense`.
fn kept<T>(checked: Result<T, Error>, errors: &mut FieldErrors) -> Result<Option<T>, Error> {
    match checked {
        Ok(value) => Ok(Some(value)),
        Err(Error::Invalid(own)) => {
            errors.replace_within("expense", own);
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Reports a date of the expense.
fn refuse_date(date: Field<Day>, errors: &mut FieldErrors) {
    if !date.is_absent() {
        errors.push(
            Path::from("expense").field("date"),
            rule!(
                "{field} must be left out: each expense has its own",
                "не указывайте {field}: у каждого расхода своя дата"
            ),
        );
    }
}

/// Reports `sharedBy` beside shares.
fn refuse_shared_by(other: &str, errors: &mut FieldErrors) {
    errors.push(
        "sharedBy",
        rule!(
            "{field} must be left out if {other} are sent",
            "не указывайте {field} вместе с {other}"
        ),
    );
}

impl Draft<NewSchedule> {
    /// Whether the request names a zone, so that [`Draft::check`] does not need the caller's.
    #[must_use]
    pub fn has_zone(&self) -> bool {
        let repeat = self.fields().and_then(|new| new.repeat.value());
        repeat.is_some_and(|repeat| !repeat.time_zone.is_absent())
    }

    /// The schedule, whose first date is the first of its rule. Shares that are left out are
    /// decided on each date.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] with all broken rules; [`Error::TooManyShares`]; [`Error::Unreadable`].
    pub fn check(&self, with: Scheduling<'_>) -> Result<Schedule, Error> {
        let (new, mut errors) = self.open()?;
        let expense = new.expense.value().cloned();
        if expense.is_none() && new.expense.is_absent() {
            errors.missing("expense");
        }
        let shared_by = expense.as_ref().map(|it| shared_by(it, new.shared_by, &mut errors));
        let template = match expense {
            Some(expense) => {
                refuse_date(expense.date, &mut errors);
                let split_type = match (shared_by, expense.split_type) {
                    (Some(Some(SharedBy::Everyone)), Field::Absent) => {
                        Field::Value(SplitType::Equal)
                    }
                    (_, sent) => sent,
                };
                let expense = NewExpense { date: Field::Absent, split_type, ..expense };
                with.template(expense, &mut errors)?
            }
            None => None,
        };
        let context = RepeatContext { now: with.now, zone: with.zone, after: None };
        let repeat = match &new.repeat {
            Field::Value(repeat) => repeat.read(context, &mut errors),
            Field::Invalid => None,
            Field::Absent => {
                errors.missing("repeat");
                None
            }
        };
        let schedule = || {
            let repeat = repeat?;
            Some(Schedule {
                id: ScheduleId::new(with.now, with.random),
                group_id: with.group.id,
                template: template?,
                shared_by: shared_by?,
                skips: Vec::new(),
                next_date: repeat.date(0),
                repeat,
                paused: false,
                problem: None,
                last_date: None,
                last_expense_id: None,
                created_by: with.caller,
                actor_id: with.caller,
                agent_id: with.agent.map(|(id, _)| id),
                agent_name: with.agent.map(|(_, name)| name.clone()),
                created_at: with.at,
                updated_at: None,
                due_at: None,
                version: 0,
            })
        };
        let schedule = schedule().map(|schedule| schedule.timed(with.now));
        errors.finish(schedule)
    }
}

/// Sharers of each expense of a new schedule, if they are decided on its date.
fn shared_by(
    expense: &NewExpense,
    sent: Field<SharedBy>,
    errors: &mut FieldErrors,
) -> Option<SharedBy> {
    let given = if !expense.splits.is_absent() {
        Some("splits")
    } else if !expense.items.is_absent() {
        Some("items")
    } else {
        None
    };
    match (given, sent) {
        (Some(given), Field::Value(_)) => {
            refuse_shared_by(given, errors);
            None
        }
        (Some(_), _) => None,
        (None, Field::Value(SharedBy::Default)) if !expense.split_type.is_absent() => {
            refuse_shared_by("splitType", errors);
            None
        }
        (None, Field::Value(by)) => Some(by),
        (None, Field::Absent | Field::Invalid) => match expense.split_type {
            Field::Value(SplitType::Equal) => Some(SharedBy::Everyone),
            // Without shares, any other type is refused.
            _ => Some(SharedBy::Default),
        },
    }
}

impl Draft<ScheduleEdit> {
    /// The schedule after the change; the same if it changes nothing.
    ///
    /// # Errors
    ///
    /// As [`Draft::<NewSchedule>::check`].
    pub fn apply(&self, before: &Schedule, with: Scheduling<'_>) -> Result<Schedule, Error> {
        let (edit, mut errors) = self.open()?;
        if edit == &ScheduleEdit::default() {
            errors.push(
                "expense",
                message!(
                    "expense, repeat, skips, paused or sharedBy is required",
                    "укажите expense, repeat, skips, paused или sharedBy"
                ),
            );
        }
        let sent = edit.expense.value();
        let shares = sent.and_then(|sent| {
            let splits = (!sent.splits.is_absent()).then_some("splits");
            let items = (!sent.items.is_absent()).then_some("items");
            splits.or(items).or((!sent.split_type.is_absent()).then_some("splitType"))
        });
        let shared_by = match (shares, edit.shared_by) {
            (Some(given), Field::Value(_)) => {
                refuse_shared_by(given, &mut errors);
                None
            }
            (Some(_), _) => None,
            (None, given) => given.map(Some).or(before.shared_by).flatten(),
        };
        let template = match sent {
            Some(sent) => {
                refuse_date(sent.date, &mut errors);
                let sent = Edit { date: Field::Absent, ..sent.clone() };
                let draft = Draft::new(Field::Value(sent), errors.within("expense"));
                let (draft, present) =
                    (draft.resolved(with.links), with.links.present(with.members));
                kept(draft.apply(&before.template, with.group, &present, with.now), &mut errors)?
            }
            None => Some(before.template.clone()).filter(|_| !edit.expense.is_invalid()),
        };
        let reopened = shared_by.is_some() && (sent.is_some() || shared_by != before.shared_by);
        let template = match template {
            Some(template) if reopened => {
                let again = occurrence::request(&template, shared_by);
                let id = before.template.id;
                let created_at = before.template.created_at;
                let again = with.template(again, &mut errors)?;
                again.map(|again| Expense { id, created_at, ..again })
            }
            template => template,
        };
        let zone = before.repeat.time_zone;
        let context = RepeatContext { now: with.now, zone, after: before.last_date };
        let repeat = match &edit.repeat {
            Field::Absent => Some(before.repeat.clone()),
            Field::Invalid => None,
            Field::Value(repeat) => repeat.read(context, &mut errors),
        };
        let skips = match &edit.skips {
            Field::Absent if edit.repeat.is_absent() => Some(before.skips.clone()),
            Field::Absent => Some(Vec::new()),
            Field::Invalid => None,
            Field::Value(skips) => {
                read_skips(skips, repeat.as_ref(), before.last_date, &mut errors)
            }
        };
        let after = || {
            let after = Schedule {
                template: template?,
                shared_by,
                repeat: repeat?,
                skips: skips?,
                ..before.clone()
            };
            let paused = edit.paused.or(before.paused)?;
            Some(after.going_on(before, paused, with.now))
        };
        let after = errors.finish(after())?;
        if after == *before {
            return Ok(after);
        }
        Ok(Schedule {
            actor_id: with.caller,
            agent_id: with.agent.map(|(id, _)| id),
            agent_name: with.agent.map(|(_, name)| name.clone()),
            updated_at: Some(with.at),
            version: before.version.saturating_add(1),
            ..after
        }
        .timed(with.now))
    }
}

/// The dates to skip, in order, each once.
fn read_skips(
    skips: &[Field<Day>],
    repeat: Option<&Repeat>,
    last: Option<Day>,
    errors: &mut FieldErrors,
) -> Option<Vec<Day>> {
    let mut read = BTreeSet::new();
    for (index, skip) in skips.iter().enumerate() {
        let skip = *skip.value()?;
        let is_to_come = last.is_none_or(|last| skip > last);
        if repeat.is_some_and(|repeat| !is_to_come || !repeat.has(skip)) {
            let rule = match last {
                None => rule!(
                    "{field} must be a date of the schedule",
                    "{field} должно быть датой из расписания"
                ),
                Some(last) => rule!(
                    "{field} must be a date of the schedule after {last}",
                    "{field} должно быть датой из расписания после {last}"
                ),
            };
            errors.push(Path::from("skips").index(index), rule);
        }
        read.insert(skip);
    }
    if read.len() > MAX_SKIPS {
        errors.push(
            "skips",
            rule!(
                "{field} must have at most {most} dates",
                "{field}: не больше {most} дат",
                most = MAX_SKIPS
            ),
        );
    }
    Some(read.into_iter().collect())
}

impl Schedule {
    /// The schedule with the date that comes next after a change of `before`. What was refused is
    /// recorded once the schedule goes on; nothing is for the time in which a member had paused it.
    fn going_on(self, before: &Self, paused: bool, now: Timestamp) -> Self {
        let today = self.today(now);
        let problem = self.problem.clone().filter(|_| paused);
        let is_passed_over = before.paused && !paused && before.problem.is_none();
        let from = match before.next_date {
            _ if self.repeat != before.repeat && is_passed_over => self.repeat.start.max(today),
            _ if self.repeat != before.repeat => self.repeat.start,
            Some(next) if next <= today && !is_passed_over => next,
            // A date that is not skipped any more may come before the next one.
            _ => self.last_date.map_or(today, |last| today.max(last.plus(1))),
        };
        let next_date = self.dates_from(from).next();
        Self { next_date, paused, problem, ..self }
    }
}
