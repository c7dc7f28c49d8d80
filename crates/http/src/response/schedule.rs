//! The view of a schedule, which its endpoints, exports and the Mini App share.

use fracti_core::records::{
    expense::Expense,
    schedule::{Repeat, Schedule, ScheduleProblem},
};
use fracti_texts::Language;
use serde::Serialize;
use utoipa::ToSchema;

use crate::response::{
    amounts::JsonDecimal,
    schemas::{self, Text},
    views::{ExpenseView, LineView, PayerView, ShareView},
};

/// A schedule.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Schedule)]
pub struct ScheduleView {
    /// Id of the schedule.
    id: schemas::ResourceId,
    /// Status.
    status: schemas::ScheduleStatus,
    /// The expense that is recorded on each date.
    expense: ScheduledExpenseView,
    /// Who shares each expense, if that is decided on its date.
    #[serde(skip_serializing_if = "Option::is_none")]
    shared_by: Option<schemas::SharedBy>,
    /// The dates.
    repeat: RepeatView,
    /// Dates that are left out.
    skips: Vec<schemas::CalendarDate>,
    /// The dates that come next, at most 12; while it is paused, those that would.
    next_dates: Vec<schemas::CalendarDate>,
    /// Why it was paused, if not by a member.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<ScheduleProblemView>,
    /// Last date that was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_date: Option<schemas::CalendarDate>,
    /// Its expense, which may have been deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_expense_id: Option<schemas::ResourceId>,
    /// User who made it.
    created_by: schemas::UserId,
    /// User who made or last changed it, with whose rights the expenses are recorded.
    actor_id: schemas::UserId,
    /// API token by which this user did so.
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_id: Option<schemas::ResourceId>,
    /// Name of the API token.
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_name: Option<schemas::TokenName>,
    /// Time at which it was made.
    created_at: schemas::Timestamp,
    /// Time of the last change by a member.
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_at: Option<schemas::Timestamp>,
}

/// The expense of a schedule.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ScheduledExpense)]
struct ScheduledExpenseView {
    /// Main payer: the member who pays most; of equal amounts, the one with the smallest id.
    payer_id: schemas::MemberId,
    /// Name of the main payer when the schedule was last changed.
    #[schema(example = "Alice Smith")]
    payer_name: String,
    /// Payers, whose amounts sum to the amount.
    payers: Vec<PayerView>,
    /// Amount in major units, with all digits; negative if the payers receive it.
    #[schema(value_type = schemas::ExpenseAmount)]
    amount: JsonDecimal,
    /// Currency of the amount.
    currency: schemas::Currency,
    /// What is paid for.
    #[schema(example = "Rent")]
    description: String,
    /// How it is split; of shares that are decided on each date, as they would be now.
    split_type: schemas::SplitType,
    /// Shares of the members, unless they are decided on each date. Minor units that are left over
    /// may go to other members on a date.
    #[serde(skip_serializing_if = "Option::is_none")]
    splits: Option<Vec<ShareView>>,
    /// Lines of the receipt, in an `itemized` split.
    #[serde(skip_serializing_if = "Option::is_none")]
    items: Option<Vec<LineView>>,
    /// Category.
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<schemas::ExpenseCategory>,
    /// Notes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Two rooms")]
    notes: Option<String>,
}

/// The dates of a schedule: `start`, and each time `interval` units more, counted from `start`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Repeat)]
struct RepeatView {
    /// Unit.
    every: schemas::RepeatUnit,
    /// Number of units between two dates.
    #[schema(minimum = 1, maximum = 365)]
    interval: u32,
    /// First date.
    start: schemas::CalendarDate,
    /// Last day that may be a date.
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<schemas::CalendarDate>,
    /// Number of dates, skipped ones among them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 1000)]
    count: Option<u32>,
    /// Zone in which a date begins, at 04:00.
    time_zone: schemas::TimeZone,
}

/// Why the expense of a date was refused.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ScheduleProblem)]
struct ScheduleProblemView {
    /// Error code that a request for the expense would get.
    code: schemas::ScheduleRefusal,
    /// What it says, for people.
    #[schema(example = "expense.payerId must be the id of a member of the group")]
    message: String,
    /// Path of the field that breaks the rule, as in a request that edits the schedule.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "expense.payerId")]
    path: Option<String>,
    /// Date whose expense was refused. It is recorded once the schedule goes on.
    date: schemas::CalendarDate,
    /// Time of the refusal.
    at: schemas::Timestamp,
}

impl ScheduleView {
    /// A schedule, with what it says to people in a language.
    #[must_use]
    pub fn of(schedule: Schedule, language: Language) -> Self {
        let next_dates = schedule.next_dates();
        let status = schedule.status();
        let day = |day| Text(day);
        Self {
            id: Text(schedule.id.into()),
            status: Text(status),
            expense: ScheduledExpenseView::of(schedule.template, schedule.shared_by.is_some()),
            shared_by: schedule.shared_by.map(Text),
            repeat: RepeatView::from(schedule.repeat),
            skips: schedule.skips.into_iter().map(day).collect(),
            next_dates: next_dates.into_iter().map(day).collect(),
            problem: schedule.problem.map(|problem| ScheduleProblemView::of(problem, language)),
            last_date: schedule.last_date.map(day),
            last_expense_id: schedule.last_expense_id.map(|id| Text(id.into())),
            created_by: Text(schedule.created_by),
            actor_id: Text(schedule.actor_id),
            agent_id: schedule.agent_id.map(|id| Text(id.into())),
            agent_name: schedule.agent_name.map(Text),
            created_at: Text(schedule.created_at),
            updated_at: schedule.updated_at.map(Text),
        }
    }
}

impl ScheduledExpenseView {
    fn of(template: Expense, is_open: bool) -> Self {
        let of = ExpenseView::from(template);
        Self {
            payer_id: of.payer_id,
            payer_name: of.payer_name,
            payers: of.payers,
            amount: of.amount,
            currency: of.currency,
            description: of.description,
            split_type: of.split_type,
            splits: (!is_open).then_some(of.splits),
            items: of.items,
            category: of.category,
            notes: of.notes,
        }
    }
}

impl From<Repeat> for RepeatView {
    fn from(Repeat { every, interval, start, until, count, time_zone }: Repeat) -> Self {
        Self {
            every: Text(every),
            interval,
            start: Text(start),
            until: until.map(Text),
            count,
            time_zone: Text(time_zone),
        }
    }
}

impl ScheduleProblemView {
    fn of(problem: ScheduleProblem, language: Language) -> Self {
        Self {
            message: problem.message().text(language).to_owned(),
            code: Text(problem.code),
            path: problem.path,
            date: Text(problem.date),
            at: Text(problem.at),
        }
    }
}
