//! Spending of the reader: a month, and a day.

use axum::extract::State;
use fracti_core::{
    personal::spending::Spending,
    reports::days::{Consumption, DaysAsked, TargetState},
    values::{category::Category, currency::Currency, time::Day},
};
use fracti_http::{App, Caller, Context, Id, Parameters, Problem, QueryReader};
use fracti_store::Page;
use maud::{Markup, html};

use crate::{
    chart::{self, Column},
    fragment::Fragment,
    text::{Texts, sentence},
    ui,
};

/// Spendings of a day that are shown.
const SPENDINGS: usize = 100;

/// A day of the month that is shown.
pub(crate) struct MonthQuery(Option<Day>);

impl Parameters for MonthQuery {
    fn read(query: &mut QueryReader) -> Self {
        Self(query.text("of", "A day of the month."))
    }
}

pub(crate) async fn month(
    State(app): State<App>,
    Caller(user, MonthQuery(of)): Caller<MonthQuery>,
    Context { now, .. }: Context,
    l: Texts,
) -> Result<Fragment, Problem> {
    let first = of.unwrap_or_else(|| now.day()).first_of_month();
    let asked = DaysAsked { from: Some(first), to: Some(first.last_of_month()) };
    let days = app.table.consumed_days(user.id, asked, now).await?;
    let mut total = Consumption::default();
    days.days.values().try_for_each(|day| total.add(day))?;
    let passed = now.day().days_since(first).min(first.last_of_month().days_since(first));
    let states = if days.targets.are_for(&days.range) {
        total.compared_with(&days.targets)?
    } else {
        Vec::new()
    };
    let columns = |currency: Currency| -> Vec<Column> {
        let column = |(day, it): (&Day, &Consumption)| {
            let sums = it.currencies.get(&currency)?;
            let minor = |amount| i128::from(currency.to_minor(amount).unwrap_or_default());
            let whole = minor(sums.spendings).saturating_add(minor(sums.shares));
            Some(Column { label: l.period(&day.to_string()), whole, own: minor(sums.spendings) })
        };
        days.days.iter().filter_map(column).collect()
    };
    Ok(Fragment(html! {
        a.back href="/app/me" { (l.me()) }
        h1 tabindex="-1" data-title { (l.days()) }
        nav.actions.card aria-label=(l.period_label()) {
            a.small-button href={ "/app/me/days?of=" (first.plus(-1)) } { (l.earlier()) }
            span { (l.month(first)) }
            a.small-button href={ "/app/me/days?of=" (first.last_of_month().plus(1)) } {
                (l.later())
            }
        }
        (targets(l, &states, passed, first.last_of_month().days_since(first)))
        @if total.currencies.is_empty() { p.card.empty { (l.no_spendings()) } }
        @for (currency, sums) in &total.currencies {
            @let label = l.spent_on_days(l.money(sums.total()?, *currency));
            @let columns = columns(*currency);
            figure.card {
                (chart::columns(&columns, &label))
                (chart::key(l.own_spendings(), l.group_shares()))
                figcaption.hint { (label) }
            }
        }
        ul.card.list { @for (day, it) in days.days.iter().rev() {
            li { a.row href={ "/app/me/days/" (day) } {
                span.grow { (ui::day(l, *day, now.day())) }
                span.amounts {
                    @for (currency, sums) in &it.currencies {
                        (ui::money(l, sums.total()?, *currency))
                    }
                }
            } }
        } }
        a.main-button data-main data-today href={ "/app/me/days/" (now.day()) } {
            (l.record_spending())
        }
    }))
}

/// What is left of each target, and a mark at the part of the period that has passed.
fn targets(l: Texts, states: &[TargetState], passed: u64, days: u64) -> Markup {
    html! {
        @if !states.is_empty() {
            ul.card.list { @for it in states {
                @let minor = |amount| i128::from(it.currency.to_minor(amount).unwrap_or_default());
                @let name = match it.key.parse::<Category>() {
                    Ok(category) => l.category(category),
                    Err(_) if it.key == "total" => l.total_budget(),
                    Err(_) => &it.key,
                };
                li.row { span.grow {
                    span.line { span.name { (name) } span { (sentence([ui::money(l, it.spent,
                        it.currency), ui::money(l, it.target, it.currency)],
                            |[spent, target]| l.spent_of(spent, target))) } }
                    (chart::target(minor(it.spent), minor(it.target), passed, days))
                    small.hint {
                        @if it.left.is_negative() {
                            (l.over_by(l.money(it.left.negated(), it.currency)))
                        }
                        @else { (l.left(l.money(it.left, it.currency))) }
                    }
                } }
            } }
            p.hint.about { (l.time_passed()) }
        }
    }
}

pub(crate) async fn day(
    State(app): State<App>,
    Caller(user, ()): Caller,
    Id(date): Id<Day>,
    Context { now, .. }: Context,
    l: Texts,
) -> Result<Fragment, Problem> {
    let page = Page { limit: SPENDINGS, after: None };
    let groups = fracti_core::group::GroupFilter { archived: false, chat: None };
    let (day, spendings, groups) = tokio::try_join!(
        app.table.consumed_on(user.id, date),
        app.table.spendings(user.id, (Some(date), Some(date)), &page),
        app.table.groups_of(user.id, &groups, &Page { limit: 20, after: None }),
    )?;
    Ok(Fragment(html! {
        a.back href={ "/app/me/days?of=" (date) } { (l.days()) }
        h1 tabindex="-1" data-title { (ui::day(l, date, now.day())) }
        section { h2 { (l.own_spendings()) }
            @if spendings.items.is_empty() { p.card.empty { (l.no_spendings()) } }
            ul.card.list { @for it in &spendings.items {
                @let api = format!("/api/users/me/spendings/{}", it.id);
                li {
                    div.row {
                        span.icon aria-hidden="true" {
                            (it.emoji.as_deref().or_else(|| emoji(it)).unwrap_or("🧾"))
                        }
                        span.grow {
                            (ui::name(&it.title))
                            @if let Some(notes) = &it.notes { small.hint { (ui::name(notes)) } }
                        }
                        (ui::money(l, it.amount, it.currency))
                    }
                    details.fields { summary { (l.edit()) }
                        form action=(api) data-method="PUT" data-then="" data-done=(l.saved())
                            data-currency=(it.currency.code())
                            data-digits=(it.currency.exponent()) novalidate {
                            @let amount = format!("amount-{}", it.id);
                            (ui::amount_field(l, &amount, it.amount, it.currency))
                            @let field = format!("title-{}", it.id);
                            (ui::field(&field, l.what(),
                                &html! { input id=(field) name="title" value=(it.title); }))
                            (ui::save(l.save()))
                        }
                        @for group in &groups.items {
                            @let path = ui::group_path(group.id);
                            a.small-button href={ (path) "/expenses/new?spending=" (it.id) } {
                                (l.share_with_group()) ": " (ui::name(&group.title))
                            }
                        }
                        form action=(api) data-method="DELETE" data-then=""
                            data-done=(l.deleted(&it.title)) {
                            button.small-button.danger { (l.delete()) }
                        }
                    }
                }
            } }
        }
        @if !day.groups.is_empty() {
            section { h2 { (l.group_shares()) }
                ul.card.list { @for (group, title, currency, amount) in &day.groups {
                    li {
                        a.row href=(ui::group_path(*group)) {
                            span.grow { (ui::name(title)) }
                            (ui::money(l, *amount, *currency))
                        }
                    }
                } } }
        }
        section { h2 { (l.record_spending()) }
            form action="/api/users/me/spendings" data-method="POST" data-then=""
                data-done=(l.saved()) novalidate {
                div.card.fields {
                    input type="hidden" name="userDate" value=(date);
                    div.amount {
                        label.sr for="amount" { (l.amount_label()) }
                        input #amount.big name="amount" inputmode="decimal" autocomplete="off"
                            placeholder="0" data-decimal;
                        (ui::own_currency(l, day.targets.currency))
                    }
                    (ui::field("title", l.what(),
                        &html! { input #title name="title" maxlength="100" autocomplete="off"; }))
                    (ui::field("category", l.category_label(),
                        &html! { select #category name="category" {
                        option value="" { (l.no_category()) }
                        @for it in Category::all() {
                            option value=(it) { (it.emoji()) " " (l.category(it)) }
                        }
                    } }))
                }
                (ui::submit(l.record_spending()))
            }
        }
    }))
}

/// The sign of the category of a spending, or of the first of several.
fn emoji(spending: &Spending) -> Option<&'static str> {
    let categories = spending.categories.keys().filter_map(|key| key.to_string().parse().ok());
    categories.map(|it: Category| it.emoji()).next()
}
