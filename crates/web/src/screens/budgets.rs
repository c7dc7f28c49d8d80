//! Budgets of the reader.

use axum::extract::State;
use fracti_core::{
    personal::targets::Period,
    values::category::{Category, TOTAL},
};
use fracti_http::{App, Caller, Problem};
use maud::html;

use crate::{fragment::Fragment, text::Texts, ui};

pub(crate) async fn show(
    State(app): State<App>,
    Caller(user, ()): Caller,
    l: Texts,
) -> Result<Fragment, Problem> {
    let targets = app.table.targets(user.id).await?;
    let shown = |amount| match targets.currency {
        Some(currency) => l.amount_field(amount, currency),
        None => l.number_field(amount),
    };
    let row = |key: &str, label: &str| {
        html! {
            li.row {
                label.grow for={ "target-" (key) } { (label) }
                span.stepper {
                    input.num id={ "target-" (key) } name=(key) inputmode="decimal"
                        autocomplete="off" data-decimal placeholder="–"
                        value=[targets.targets.get(key).map(|it| shown(*it))];
                }
            }
        }
    };
    let has_others = targets.targets.keys().any(|key| key != TOTAL);
    Ok(Fragment(html! {
        a.back href="/app/me" { (l.me()) }
        h1 tabindex="-1" data-title { (l.budgets()) }
        form action="/api/users/me/targets" data-method="PATCH" data-then="/app/me/days"
            data-done=(l.saved()) novalidate {
            input type="hidden" name="version" value=(targets.version) data-json;
            p.note.hint { (l.budget_about()) }
            div.card.fields {
                (ui::field("currency", l.currency(), &ui::own_currency(l, targets.currency)))
                (ui::field("period", l.period_label(), &html! { select #period name="period" {
                    @for it in [Period::Month, Period::Day] {
                        option value=(it) selected[it == targets.period] { (l.target_period(it)) }
                    }
                } }))
                (ui::field("zone", l.time_zone(), &html! {
                    input #zone name="timeZone" autocomplete="off" data-zone
                        value=[targets.time_zone.map(|it| it.to_string())];
                }))
            }
            ul.card.list { (row(TOTAL, l.total_budget())) }
            details.card.fields open[has_others] { summary { (l.by_category()) }
                ul.list { @for it in Category::all() {
                    (row(&it.to_string(), &format!("{} {}", it.emoji(), l.category(it))))
                } }
            }
            (ui::submit(l.save()))
        }
    }))
}
