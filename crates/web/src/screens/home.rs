//! The start: the groups of the reader, each with their own balance.

use axum::extract::State;
use fracti_core::values::currency::Currency;
use fracti_http::{App, Caller, Problem};
use fracti_store::Page;
use maud::{Markup, html};

use crate::{fragment::Fragment, text::Texts, ui};

/// Groups on the screen.
const GROUPS: usize = 50;

pub(crate) async fn show(
    State(app): State<App>,
    Caller(user, ()): Caller,
    l: Texts,
) -> Result<Fragment, Problem> {
    let page = Page { limit: GROUPS, after: None };
    let groups = app.table.memberships_of(user.id, &page).await?;
    Ok(Fragment(html! {
        (ui::tabs(l.sections(), &[(l.groups(), "/app".to_owned()), (l.me(), "/app/me".to_owned())], 0))
        h1 tabindex="-1" data-title { (l.groups()) }
        @if groups.items.is_empty() { p.card.empty { (l.no_groups()) } }
        ul.card.list {
            @for membership in &groups.items {
                @let group = &membership.group;
                li { a.row href=(ui::group_path(group.id)) {
                    (ui::avatar(group.title.as_str(), group.id.as_bytes().last().copied().unwrap_or_default().into()))
                    span.grow {
                        span.name { (ui::name(&group.title)) }
                        small.hint { (l.members(group.member_count))
                            @if group.archived { " · " (l.archived()) } }
                    }
                    span.amounts {
                        @let nets = membership.totals.iter().map(|(currency, it)| (*currency, it.net()));
                        @let open: Vec<(Currency, i128)> = nets.filter(|(_, net)| *net != 0).collect();
                        @if open.is_empty() { span.hint { (l.settled()) } }
                        @for (currency, net) in open { (ui::balance(l, net, currency)) }
                    }
                } }
            }
        }
        (create(l))
    }))
}

/// The form of a new group.
fn create(l: Texts) -> Markup {
    html! {
        details.card.fields {
            summary { (l.new_group()) }
            form action="/api/groups" data-method="POST" data-then="/app/groups/{id}" novalidate {
                (ui::field("title", l.title(), &html! { input #title name="title" maxlength="100" required; }))
                (ui::field("new-currency", l.currency(), &ui::currency_field(l, "new-currency", "currency", Currency::TON)))
                (ui::submit(l.save()))
            }
        }
    }
}
