//! The endpoints of a user's days.

use std::collections::BTreeMap;

use axum::{extract::State, http::StatusCode, response::Response};
use fracti_core::{
    decisions::days::Rebuilt,
    input::Error,
    reports::days::{Consumed, Consumption, DaysAsked, Month, TargetState},
    values::{currency::Currency, time::Day},
};
use fracti_http::{
    App, Caller, Code, Context, Data, Description, Id, JsonDecimal, Once, Parameters, Problem,
    QueryReader, Text, respond, schemas,
};
use fracti_store::{DayInGroups, Days};
use fracti_texts::rule;
use serde::Serialize;
use utoipa::ToSchema;

/// What the caller consumed on some days.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Days)]
pub(crate) struct DaysView {
    /// First day.
    from: schemas::CalendarDate,
    /// Last day.
    to: schemas::CalendarDate,
    /// Number of days with an amount.
    #[schema(example = 12)]
    unique_days: usize,
    /// Amounts of all days together, in each currency.
    currencies: Vec<ConsumedView>,
    /// Targets and what is left of them, if the days are exactly one period of the targets. A
    /// target is compared only with amounts in its currency.
    #[serde(skip_serializing_if = "Option::is_none")]
    targets: Option<Vec<TargetView>>,
    /// The days with an amount, newest first.
    days: Vec<DayView>,
}

/// What the caller consumed on a day.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Day)]
struct DayView {
    /// The day.
    date: schemas::CalendarDate,
    /// Number of the caller's own spendings.
    #[schema(example = 2)]
    spending_count: u64,
    /// Amounts in each currency.
    currencies: Vec<ConsumedView>,
    /// Keys of the daily targets that the day exceeds, if there are any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    over: Vec<String>,
}

/// What the caller consumed in one currency.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ConsumedAmounts)]
struct ConsumedView {
    /// The currency.
    currency: schemas::Currency,
    /// Sum of spendings and shares.
    #[schema(value_type = schemas::Balance)]
    total: JsonDecimal,
    /// Sum of the caller's own spendings.
    spendings: JsonDecimal,
    /// Sum of the caller's shares of group expenses, minus those of refunds.
    #[schema(value_type = schemas::Balance)]
    shares: JsonDecimal,
    /// Sums of spendings and shares by category. The rest of the total has none.
    #[schema(value_type = BTreeMap<String, schemas::Balance>)]
    categories: BTreeMap<String, JsonDecimal>,
}

/// A target, and what is left of it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TargetProgress)]
struct TargetView {
    /// `total`, or the key of a category.
    #[schema(example = "food")]
    key: String,
    /// Currency of the amounts.
    currency: schemas::Currency,
    /// The target.
    target: JsonDecimal,
    /// What was spent.
    #[schema(value_type = schemas::Balance)]
    spent: JsonDecimal,
    /// What is left; negative if more was spent.
    #[schema(value_type = schemas::Balance)]
    left: JsonDecimal,
}

/// What the caller consumed on a day, with their shares in each group.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DayInGroups)]
pub(crate) struct DayInGroupsView {
    #[serde(flatten)]
    day: DayView,
    /// The caller's shares of the expenses of each group.
    groups: Vec<GroupShareView>,
}

/// The caller's share of the expenses of a group on a day.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = GroupShare)]
struct GroupShareView {
    /// Id of the group.
    group_id: schemas::ResourceId,
    /// Title of the group; empty if the caller is a past member.
    #[schema(example = "Roommates")]
    title: String,
    /// Currency of the amount.
    currency: schemas::Currency,
    /// Sum of the shares.
    #[schema(value_type = schemas::Balance)]
    amount: JsonDecimal,
}

/// The result of a rebuild.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RebuiltDays)]
pub(crate) struct RebuiltView {
    /// Number of days that were checked.
    #[schema(example = 30)]
    checked: u64,
    /// Days whose sums were wrong and are right now, oldest first.
    changed: Vec<schemas::CalendarDate>,
}

/// Query parameters with a range of days.
pub(crate) struct DaysQuery(DaysAsked);

impl Parameters for DaysQuery {
    fn read(query: &mut QueryReader) -> Self {
        let (from, to) = query.period(
            (
                "from",
                "First day. Default: 29 days before the last one. There are at most 366 days.",
            ),
            ("to", "Last day. Default: the current day in the caller's time zone."),
        );
        let about = "All days of a month, instead of `from` and `to`.";
        let schema = Description::inline::<schemas::CalendarMonth>;
        let month = query.read::<Month>("month", about, schema);
        if month.is_some() && (query.has("from") || query.has("to")) {
            query.refuse(
                "month",
                rule!(
                    "{field} must not be sent with from or to",
                    "не отправляйте {field} вместе с from или to"
                ),
            );
        }
        Self(month.map_or(DaysAsked { from, to }, Month::days))
    }
}

/// Get what the caller consumed on some days.
///
/// The caller's own spendings, and their shares of the expenses of all groups that they are or were
/// a member of. Amounts in different currencies are never added.
#[utoipa::path(get, path = "/api/users/me/days", tag = "days", operation_id = "get_my_days",
    responses((status = OK, body = Data<DaysView>)),
    extensions(("x-errors" = json!([Code::NotMigrated, Code::TooMuchHistory]))))]
pub(crate) async fn get_days(
    State(app): State<App>,
    Context { now, .. }: Context,
    Caller(user, DaysQuery(asked)): Caller<DaysQuery>,
) -> Result<Data<DaysView>, Problem> {
    Ok(Data::new(app.table.consumed_days(user.id, asked, now).await?.try_into()?))
}

/// Get what the caller consumed on a day, with their shares in each group.
#[utoipa::path(get, path = "/api/users/me/days/{date}", tag = "days", operation_id = "get_my_day",
    responses((status = OK, body = Data<DayInGroupsView>)),
    extensions(("x-errors" = json!([Code::NotMigrated, Code::TooMuchHistory]))))]
pub(crate) async fn get_day(
    State(app): State<App>,
    Caller(user, ()): Caller,
    Id(date): Id<Day>,
) -> Result<Data<DayInGroupsView>, Problem> {
    let DayInGroups { day, groups, targets } = app.table.consumed_on(user.id, date).await?;
    let over = day.over(&targets)?;
    let share = |(group, title, currency, amount): (_, _, _, _)| GroupShareView {
        group_id: Text(fracti_core::values::id::GroupId::into(group)),
        title,
        currency: Text(currency),
        amount: JsonDecimal(amount),
    };
    let groups = groups.into_iter().map(share).collect();
    Ok(Data::new(DayInGroupsView { day: DayView::of(date, &day, over)?, groups }))
}

/// Rebuild the sums of the caller's days from their spendings.
///
/// It corrects sums that are wrong for any reason. A second run changes nothing.
#[utoipa::path(post, path = "/api/users/me/days/rebuild", tag = "days",
    operation_id = "rebuild_my_days",
    responses((status = OK, body = Data<RebuiltView>)),
    extensions(("x-errors" = json!([Code::TooMuchHistory]))))]
pub(crate) async fn rebuild_days(
    State(app): State<App>,
    Caller(user, DaysQuery(asked)): Caller<DaysQuery>,
    once: Once<()>,
) -> Result<Response, Problem> {
    let idempotency = once.key.idempotency::<_, RebuiltView>("rebuild-days");
    let rebuilt = app.table.rebuild_days(user.id, asked, &once.body, &idempotency).await?;
    respond(StatusCode::OK, &idempotency, rebuilt)
}

impl TryFrom<Days> for DaysView {
    type Error = Error;

    fn try_from(Days { range, days, targets }: Days) -> Result<Self, Error> {
        let mut all = Consumption::default();
        days.values().try_for_each(|day| all.add(day))?;
        let day = |(date, day): (&Day, &Consumption)| DayView::of(*date, day, day.over(&targets)?);
        let compared = targets.are_for(&range).then(|| all.compared_with(&targets)).transpose()?;
        Ok(Self {
            from: Text(*range.start()),
            to: Text(*range.end()),
            unique_days: days.len(),
            currencies: consumed(&all.clone().without_zeros())?,
            targets: compared.map(|targets| targets.into_iter().map(TargetView::from).collect()),
            days: days.iter().rev().map(day).collect::<Result<_, Error>>()?,
        })
    }
}

impl DayView {
    fn of(date: Day, day: &Consumption, over: Vec<String>) -> Result<Self, Error> {
        let currencies = consumed(day)?;
        Ok(Self { date: Text(date), spending_count: day.spending_count, currencies, over })
    }
}

fn consumed(of: &Consumption) -> Result<Vec<ConsumedView>, Error> {
    let view = |(currency, consumed): (&Currency, &Consumed)| {
        let part = |(key, amount): (&String, _)| (key.clone(), JsonDecimal(amount));
        let categories = consumed.categories.iter().map(|(key, amount)| part((key, *amount)));
        Ok(ConsumedView {
            currency: Text(*currency),
            total: JsonDecimal(consumed.total()?),
            spendings: JsonDecimal(consumed.spendings),
            shares: JsonDecimal(consumed.shares),
            categories: categories.collect(),
        })
    };
    of.currencies.iter().map(view).collect()
}

impl From<TargetState> for TargetView {
    fn from(TargetState { key, currency, target, spent, left }: TargetState) -> Self {
        let [target, spent, left] = [target, spent, left].map(JsonDecimal);
        Self { key, currency: Text(currency), target, spent, left }
    }
}

impl From<Rebuilt> for RebuiltView {
    fn from(Rebuilt { checked, changed }: Rebuilt) -> Self {
        Self { checked, changed: changed.into_iter().map(Text).collect() }
    }
}
