//! Spending of a group: by category, by month or day, by member.

use std::collections::BTreeMap;

use axum::extract::State;
use fracti_core::{
    group::Group,
    reports::tally::{CurrencyStats, MAX_DAYS, SeriesStep, TallyPart, TallyRow, stats},
    values::{currency::Currency, decimal::Decimal, id::MemberId, time::Day},
};
use fracti_http::{App, AsMember, Context, Parameters, Problem, QueryReader};
use maud::{Markup, html};

use super::list::own_ids;
use crate::{
    chart::{self, Column},
    fragment::Fragment,
    text::{Texts, sentence},
    ui::{self, Names},
};

/// Days before today with which the default period begins, at the first of a month.
const DAYS: i64 = -300;

/// Days above which the series is by month.
const BY_DAY: u64 = 31;

/// The period.
pub(crate) struct PeriodQuery {
    from: Option<Day>,
    to: Option<Day>,
}

impl Parameters for PeriodQuery {
    fn read(query: &mut QueryReader) -> Self {
        let (from, to) = query.period(("from", "First day."), ("to", "Last day."));
        Self { from, to }
    }
}

pub(crate) async fn show(
    State(app): State<App>,
    AsMember(member_key, query): AsMember<PeriodQuery>,
    Context { now, .. }: Context,
    l: Texts,
) -> Result<Fragment, Problem> {
    let today = now.day();
    // Where the reader is, the day may be the next one already.
    let to = query.to.unwrap_or_else(|| today.plus(1).last_of_month());
    let from = query.from.unwrap_or_else(|| to.plus(DAYS).first_of_month());
    // A longer period is cut, and the form says where it begins.
    let from = from.max(to.plus(1_i64.saturating_sub_unsigned(MAX_DAYS)));
    let days = from..=to;
    let step = if to.days_since(from) > BY_DAY { SeriesStep::Month } else { SeriesStep::Day };
    let (group, (members, tallies)) = tokio::try_join!(
        app.table.group(member_key),
        app.table.members_and_tallies(member_key, &days),
    )?;
    let by_currency = stats(&tallies, &members.iter().collect(), step)
        .map_err(|error| fracti_core::input::Error::Table(error.into()))?;
    let me: MemberId = member_key.user.into();
    let own = own_ids(me, &members);
    let view = StatisticsScreen {
        l,
        group: &group.0,
        names: &Names::new(l, me, &members),
        me,
        tallies: &tallies,
        step,
        is_own: &|id| own.contains(&id),
    };
    Ok(Fragment(html! {
        a.back href={ (ui::group_path(member_key.group)) "/more" } { (l.more()) }
        h1 tabindex="-1" data-title { (l.statistics()) }
        form.card.fields.period action={ (ui::group_path(member_key.group)) "/stats" } data-get {
            label { (l.first_day()) " " input type="date" name="from" value=(from); }
            label { (l.last_day()) " " input type="date" name="to" value=(to); }
            button.small-button { (l.show()) }
        }
        @if by_currency.is_empty() { p.card.empty { (l.no_statistics()) } }
        @for (currency, stats) in &by_currency { (view.of(*currency, stats)) }
    }))
}

struct StatisticsScreen<'a> {
    l: Texts,
    group: &'a Group,
    names: &'a Names<'a>,
    me: MemberId,
    tallies: &'a [TallyRow],
    step: SeriesStep,
    is_own: &'a dyn Fn(MemberId) -> bool,
}

impl StatisticsScreen<'_> {
    fn of(&self, currency: Currency, stats: &CurrencyStats) -> Markup {
        let l = self.l;
        let own = stats.members.get(&self.me);
        html! {
            section.card.hero { p { span.hint { (l.total_spent()) }
                (ui::big(&l.money(stats.total, currency)))
                @if let Some(own) = own { span.hint { (sentence([ui::money(l, own.share, currency)],
                    |[amount]| l.your_part(amount))) } } } }
            div.columns {
                (self.categories(currency, stats))
                section { (self.series(currency, stats)) (self.members(currency, stats)) }
            }
        }
    }

    /// Rows of categories, the largest first; the reader's part is filled.
    fn categories(&self, currency: Currency, stats: &CurrencyStats) -> Markup {
        let l = self.l;
        let minor = |amount: Decimal| i128::from(currency.to_minor(amount).unwrap_or_default());
        let mut rows: Vec<_> =
            stats.categories.iter().map(|(category, it)| (*category, it.total)).collect();
        rows.sort_by_key(|(_, total)| std::cmp::Reverse(minor(*total)));
        let most =
            rows.iter().map(|(_, total)| minor(*total).unsigned_abs()).max().unwrap_or_default();
        let own = |category| {
            stats.members.get(&self.me).and_then(|it| it.categories.get(category)).copied()
        };
        let name = |category| match category {
            Some(category) => ui::category_name(l, self.group, category),
            None => l.no_category().to_owned(),
        };
        html! {
            section {
                h2 { (l.by_category()) }
                ul.card.list {
                    li.row { (chart::key(l.your_share(), l.of_the_others())) }
                    @for (category, total) in &rows {
                    @let own = own(category).unwrap_or_default();
                    li.row {
                        span.icon aria-hidden="true" { (ui::emoji(self.group, *category)) }
                        span.grow {
                            span.line {
                                span.name { (name(*category)) }
                                (ui::money(l, *total, currency))
                            }
                            (chart::part(minor(own), minor(*total), most))
                            small.hint { (sentence([ui::money(l, own, currency)],
                                |[amount]| l.your_part(amount))) }
                        }
                    }
                } }
            }
        }
    }

    /// The reader's shares in each period.
    fn own_series(&self, currency: Currency) -> BTreeMap<String, i128> {
        let mut own: BTreeMap<String, i128> = BTreeMap::new();
        for row in self.tallies {
            for (part, number) in row.counters.iter() {
                if let TallyPart::Share(member, of) = part
                    && *of == currency
                    && (self.is_own)(*member)
                {
                    let sum = own.entry(self.step.period(row.of.date)).or_default();
                    *sum = sum.saturating_add(currency.to_minor(number).unwrap_or_default().into());
                }
            }
        }
        own
    }

    fn series(&self, currency: Currency, stats: &CurrencyStats) -> Markup {
        let l = self.l;
        let own = self.own_series(currency);
        let column = |(period, it): (&String, &fracti_core::reports::tally::PeriodStats)| Column {
            label: l.period(period),
            whole: currency.to_minor(it.total).unwrap_or_default().into(),
            own: own.get(period).copied().unwrap_or_default(),
        };
        let columns: Vec<Column> = stats.series.iter().map(column).collect();
        let label = l.spent_by_month(l.money(stats.total, currency));
        html! {
            // One month says nothing beside the total.
            @if columns.len() > 1 { h2 { (l.by_month()) }
            figure.card {
                (chart::columns(&columns, &label))
                (chart::key(l.your_share(), l.of_the_others()))
                figcaption.hint { (label) }
                details { summary { (l.as_list()) }
                    ul.list { @for it in &columns {
                        li.row { span.grow { (it.label) } span.amounts {
                            (ui::minor(l, it.whole, currency))
                            small.hint { (sentence([ui::minor(l, it.own, currency)],
                                |[amount]| l.your_part(amount))) }
                        } }
                    } } }
            } }
        }
    }

    fn members(&self, currency: Currency, stats: &CurrencyStats) -> Markup {
        let l = self.l;
        html! {
            h2 { (l.by_member()) }
            ul.card.list { @for (id, it) in &stats.members {
                li.row {
                    (self.names.avatar(*id))
                    span.grow { (self.names.shown(*id)) }
                    span.amounts {
                        span { (l.paid_column()) " " (ui::money(l, it.paid, currency)) }
                        span { (l.share_column()) " " (ui::money(l, it.share, currency)) }
                    }
                }
            } }
        }
    }
}
