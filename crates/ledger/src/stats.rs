//! Statistics of a group, from its tallies.

use std::{collections::BTreeMap, ops::RangeInclusive};

use fracti_core::{
    group::Member,
    input::Error,
    reports::tally::{
        ByCategory, CategoryStats, CurrencyStats, MAX_DAYS, MAX_LINES, MemberStats, PeriodStats,
        SeriesStep, Stats,
    },
    values::{
        category::{Category, ExpenseCategory, NO_CATEGORY},
        currency::Currency,
        decimal::Decimal,
        id::MemberId,
        time::{Day, Timestamp},
    },
};
use fracti_http::{Description, JsonDecimal, Parameters, Problem, QueryReader, Text, schemas};
use fracti_texts::rule;
use serde::Serialize;
use utoipa::ToSchema;

/// Query parameters of the statistics.
pub(crate) struct StatsQuery {
    from: Option<Day>,
    to: Option<Day>,
    step: Option<SeriesStep>,
}

impl Parameters for StatsQuery {
    fn read(query: &mut QueryReader) -> Self {
        let (from, to) = query.period(
            ("from", "First day. Default: the first day of this month in UTC."),
            (
                "to",
                "Last day, at most 366 days from the first one. Default: the last day of this \
                 month in UTC.",
            ),
        );
        let about = "Length of the periods in `series`. Default: `month`.";
        let step = query.read("by", about, Description::inline::<schemas::SeriesStep>);
        Self { from, to, step }
    }
}

impl StatsQuery {
    /// The days, by default those of the current month, and the length of the periods.
    pub(crate) fn at(&self, now: Timestamp) -> Result<(RangeInclusive<Day>, SeriesStep), Problem> {
        let today = now.day();
        let from = self.from.unwrap_or_else(|| today.first_of_month());
        let to = self.to.unwrap_or_else(|| today.last_of_month());
        match to.days_since(from) {
            0 if self.to.is_none() => Err(Problem::invalid(
                "from",
                rule!(
                    "{field} must not be after this month if to is left out",
                    "{field} не должно быть позже этого месяца, если не указано to"
                ),
            )),
            0 => Err(Problem::invalid(
                "to",
                rule!(
                    "{field} must not be before this month if from is left out",
                    "{field} не должно быть раньше этого месяца, если не указано from"
                ),
            )),
            days if days > MAX_DAYS => Err(Problem::invalid(
                "to",
                rule!(
                    "{field} must be at most {MAX_DAYS} days from from",
                    "дней между from и {field} должно быть не больше {MAX_DAYS}"
                ),
            )),
            _ => Ok((from..=to, self.step.unwrap_or(SeriesStep::Month))),
        }
    }
}

/// Statistics of a group.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = GroupStats)]
pub(crate) struct StatsView {
    /// First day.
    from: schemas::CalendarDate,
    /// Last day.
    to: schemas::CalendarDate,
    /// Statistics in each currency that has expenses on these days, by code.
    currencies: Vec<CurrencyView>,
}

/// Statistics in one currency.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CurrencyStats)]
struct CurrencyView {
    /// The currency.
    currency: schemas::Currency,
    /// Sum of the expenses, minus refunds.
    #[schema(value_type = schemas::Balance)]
    total: JsonDecimal,
    /// Number of expenses, including refunds.
    expense_count: u64,
    /// Totals of each category that has expenses.
    categories: Vec<CategoryView>,
    /// Totals of each member, present or past, who paid or shares an expense, in order of id.
    members: Vec<MemberStatsView>,
    /// Totals of each month or day that has expenses, oldest first.
    series: Vec<PeriodView>,
}

/// Statistics of a category.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CategoryStats)]
struct CategoryView {
    /// The category, or `none` for expenses without one.
    #[schema(example = "food")]
    category: String,
    /// Sum of the expenses, minus refunds.
    #[schema(value_type = schemas::Balance)]
    total: JsonDecimal,
    /// Number of expenses, including refunds.
    expense_count: u64,
}

/// Statistics of a member.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MemberStats)]
struct MemberStatsView {
    /// The member.
    user_id: schemas::MemberId,
    /// Name of the member.
    #[schema(example = "Alice Smith")]
    name: String,
    /// Sum of the expenses that the member paid, minus refunds.
    #[schema(value_type = schemas::Balance)]
    paid: JsonDecimal,
    /// Sum of the member's shares of expenses, minus those of refunds.
    #[schema(value_type = schemas::Balance)]
    share: JsonDecimal,
    /// The shares by category; `none` is without a category.
    #[schema(value_type = BTreeMap<String, schemas::Balance>)]
    categories: BTreeMap<String, JsonDecimal>,
}

/// Statistics of a month or a day.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PeriodStats)]
struct PeriodView {
    /// The month or the day, in the form `2026-01` or `2026-01-20`.
    #[schema(example = "2026-01")]
    period: String,
    /// Sum of the expenses, minus refunds.
    #[schema(value_type = schemas::Balance)]
    total: JsonDecimal,
    /// The sums by category; `none` is without a category.
    #[schema(value_type = BTreeMap<String, schemas::Balance>)]
    categories: BTreeMap<String, JsonDecimal>,
}

impl StatsView {
    /// The statistics on these days.
    ///
    /// # Errors
    ///
    /// A problem if the response would be too large.
    pub(crate) fn of(
        days: &RangeInclusive<Day>,
        stats: Stats,
        members: &[Member],
    ) -> Result<Self, Problem> {
        let built_in = Category::WORDS.len().saturating_add(1);
        let lines_of = |it: &ByCategory| it.len().div_ceil(built_in).max(1);
        let lines = stats.values().flat_map(|it| {
            let members = it.members.values().map(|it| lines_of(&it.categories));
            members.chain(it.series.values().map(|it| lines_of(&it.categories)))
        });
        if lines.fold(0, usize::saturating_add) > MAX_LINES {
            return Err(Error::TooMuchHistory.into());
        }
        let names: BTreeMap<MemberId, &str> =
            members.iter().map(|member| (member.id, member.name.as_str())).collect();
        Ok(Self {
            from: Text(*days.start()),
            to: Text(*days.end()),
            currencies: stats.into_iter().map(|it| CurrencyView::of(it, &names)).collect(),
        })
    }
}

impl CurrencyView {
    fn of((currency, stats): (Currency, CurrencyStats), names: &BTreeMap<MemberId, &str>) -> Self {
        let CurrencyStats { total, expense_count, categories, members, series } = stats;
        let category = |(category, stats): (Option<ExpenseCategory>, CategoryStats)| CategoryView {
            category: word(category),
            total: JsonDecimal(stats.total),
            expense_count: count(stats.expense_count),
        };
        let member = |(user, stats): (MemberId, MemberStats)| MemberStatsView {
            user_id: Text(user),
            name: names.get(&user).copied().unwrap_or_default().to_owned(),
            paid: JsonDecimal(stats.paid),
            share: JsonDecimal(stats.share),
            categories: by_category(stats.categories),
        };
        let period = |(period, stats): (String, PeriodStats)| PeriodView {
            period,
            total: JsonDecimal(stats.total),
            categories: by_category(stats.categories),
        };
        Self {
            currency: Text(currency),
            total: JsonDecimal(total),
            expense_count: count(expense_count),
            categories: categories.into_iter().map(category).collect(),
            members: members.into_iter().map(member).collect(),
            series: series.into_iter().map(period).collect(),
        }
    }
}

fn by_category(amounts: ByCategory) -> BTreeMap<String, JsonDecimal> {
    amounts.into_iter().map(|(category, amount)| (word(category), JsonDecimal(amount))).collect()
}

fn word(category: Option<ExpenseCategory>) -> String {
    category.map_or_else(|| NO_CATEGORY.to_owned(), |category| category.to_string())
}

/// A number of expenses.
fn count(number: Decimal) -> u64 {
    number.at_scale(0).and_then(|number| number.try_into().ok()).unwrap_or_default()
}
