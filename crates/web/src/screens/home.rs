//! The start: the groups of the reader, each with their own balance.

use axum::extract::State;
use fracti_core::values::currency::Currency;
use fracti_http::{App, Caller, Context, ListId, Paging, Parameters, Problem, QueryReader};
use fracti_store::{ActivityPosition, Membership, OpenPlace, Page, SettlementFilter};
use maud::{Markup, html};

use crate::{
    fragment::Fragment,
    screens::me::{members_of, received, totals, uncounted, waits},
    text::Texts,
    ui,
};

/// Groups on the screen.
const GROUPS: usize = 50;

/// Groups from which on they can be searched.
const SEARCHED: usize = 10;

/// Payments and questions that wait for the reader.
const WAITING: usize = 10;

/// Which groups are shown.
pub(crate) struct HomeQuery(Paging);

impl Parameters for HomeQuery {
    fn read(query: &mut QueryReader) -> Self {
        Self(Paging::read(query))
    }
}

pub(crate) async fn show(
    State(app): State<App>,
    Caller(user, HomeQuery(paging)): Caller<HomeQuery>,
    Context { now, .. }: Context,
    l: Texts,
) -> Result<Fragment, Problem> {
    let list_id = ListId::new("screen of groups", &user.id);
    let page = Page { limit: GROUPS, ..paging.page(&list_id)? };
    let waiting = SettlementFilter { waiting: true, ..SettlementFilter::default() };
    let table = &app.table;
    let (groups, payments, (questions, _)) = tokio::try_join!(
        table.memberships_of(user.id, &page),
        table.settlements_of(user.id, &waiting, WAITING, ActivityPosition::default()),
        table.open_for(user.id, WAITING, OpenPlace::default(), now),
    )?;
    let members = members_of(&app, user.id, received(user.id, &payments.items)).await;
    let is_first = page.after.is_none();
    let next = groups.next.as_ref().map(|after| paging.cursor(&list_id, after));
    let (past, live): (Vec<_>, Vec<_>) = groups.items.iter().partition(|it| it.group.archived);
    let waiting = waits(l, user.id, &groups.items, (&payments.items, &members), &questions);
    Ok(Fragment(html! {
        (ui::tabs(l.sections(), &[(l.groups(), "/app".to_owned()), (l.me(), "/app/me".to_owned())],
            0))
        h1 tabindex="-1" data-title { (l.groups()) }
        @if is_first { (waiting) }
        @if is_first && live.len() > 1 { (totals(l, &groups.items, next.is_some(),
            &uncounted(user.id, &groups.items, &payments.items, WAITING))) }
        @if groups.items.is_empty() { p.card.empty { (l.no_groups()) } }
        @if is_first && !waiting.0.is_empty() && !live.is_empty() { h2 { (l.groups()) } }
        @if is_first && groups.items.len() >= SEARCHED {
            div.card.fields { (ui::field("find", l.find_group(),
                &html! { input #find type="search" autocomplete="off" data-find; })) }
        }
        div data-pages {
            @if !live.is_empty() { ul.card.list { @for it in live { (row(l, it)) } } }
            @if !past.is_empty() {
                details.card.fields data-end {
                    summary { (l.archived_groups()) }
                    ul.list { @for it in past { (row(l, it)) } }
                }
            }
        }
        @if let Some(next) = next { (ui::show_more(l, "/app", None, &next)) }
        (create(l))
    }))
}

/// A group, and what the reader is owed or owes in it.
fn row(l: Texts, Membership { group, totals, .. }: &Membership) -> Markup {
    let nets = totals.iter().map(|(currency, it)| (*currency, it.net()));
    let open: Vec<(Currency, i128)> = nets.filter(|(_, net)| *net != 0).collect();
    html! {
        li { a.row href=(ui::group_path(group.id)) {
            (ui::avatar(group.title.as_str(),
                group.id.as_bytes().last().copied().unwrap_or_default().into()))
            span.grow {
                span.name { (ui::name(&group.title)) }
                small.hint { (l.members(group.member_count)) }
            }
            span.amounts {
                @if open.is_empty() { span.hint { (l.settled()) } }
                @for (currency, net) in open { (ui::balance(l, net, currency)) }
            }
        } }
    }
}

/// The form of a new group.
fn create(l: Texts) -> Markup {
    html! {
        details.card.fields {
            summary { (l.new_group()) }
            form action="/api/groups" data-method="POST" data-then="/app/groups/{id}"
                data-done=(l.created()) novalidate {
                // A group that no chat has opened has an id of its own in the place of the chat's.
                input type="hidden" name="chatId" data-fresh;
                (ui::field("title", l.title(),
                    &html! { input #title name="title" maxlength="100" required; }))
                (ui::field("new-currency", l.currency(),
                    &ui::regional_currency(l, "new-currency", "currency")))
                (ui::submit(l.save()))
            }
        }
    }
}
