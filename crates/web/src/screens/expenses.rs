//! All expenses of a group: filters, older ones, and deleted ones.

use axum::extract::State;
use fracti_core::{
    group::{Group, links::Links},
    records::expense::{ExpenseCategory, Filter, ListOrder},
    values::{category::Category, time::Day},
};
use fracti_http::{App, AsMember, Context, ListId, Paging, Parameters, Problem, QueryReader};
use fracti_store::Deleted;
use maud::{Markup, html};

use super::group::{List, own_ids};
use crate::{
    fragment::Fragment,
    text::{Texts, sentence},
    ui::{self, Names},
};

/// Which expenses are shown.
pub(crate) struct ExpensesQuery {
    paging: Paging,
    filter: Filter,
    deleted: bool,
}

impl Parameters for ExpensesQuery {
    fn read(query: &mut QueryReader) -> Self {
        let (paging, filter) = (Paging::read(query), Filter::read(query));
        let deleted = query.flag("deleted", "Show the deleted expenses.").unwrap_or_default();
        Self { paging, filter, deleted }
    }
}

pub(crate) async fn show(
    State(app): State<App>,
    AsMember(member_key, query): AsMember<ExpensesQuery>,
    Context { now, .. }: Context,
    l: Texts,
) -> Result<Fragment, Problem> {
    let ExpensesQuery { paging, filter, deleted } = query;
    let list_id =
        ListId::new("screen of expenses", &member_key.group).filtered(&(&filter, deleted));
    let page = paging.page(&list_id)?;
    let path = format!("{}/expenses", ui::group_path(member_key.group));
    let back = html! { a.back href={ (ui::group_path(member_key.group)) "/more" } { (l.more()) } };
    if deleted {
        let (group, deleted) = tokio::try_join!(
            app.table.group(member_key),
            app.table.deleted_expenses(member_key, &page),
        )?;
        let next = deleted.next.as_ref().map(|after| paging.cursor(&list_id, after));
        let (group, members) = group;
        let names = Names::new(l, member_key.user.into(), &members);
        let links: Links = members.iter().collect();
        let row = |it: &Deleted| {
            let may_edit = it.expense.may_edit(member_key.user, &links, &members);
            deleted_row(l, &group, &names, it, (now.day(), may_edit && !group.archived))
        };
        return Ok(Fragment(html! {
            (back)
            h1 tabindex="-1" data-title { (l.deleted_expenses()) }
            @if deleted.items.is_empty() { p.card.empty { (l.no_deleted()) } }
            ul.card.list { @for it in &deleted.items { (row(it)) } }
            @if let Some(next) = next { (ui::show_more(l, &path, Some("deleted=true".to_owned()), &next)) }
        }));
    }
    let ((group, members), expenses) = tokio::try_join!(
        app.table.group(member_key),
        app.table.expenses(member_key, &filter, ListOrder::Recorded, &page),
    )?;
    let me = member_key.user.into();
    let names = Names::new(l, me, &members);
    let list =
        List { l, group: &group, names: &names, own: own_ids(me, &members), today: now.day() };
    let next = expenses.next.as_ref().map(|after| paging.cursor(&list_id, after));
    Ok(Fragment(html! {
        (back)
        h1 tabindex="-1" data-title { (l.expenses()) }
        (filters(l, &group, &names, members.iter().filter(|it| it.linked_to.is_none()).map(|it| it.id), &filter))
        @if expenses.items.is_empty() { p.card.empty { (l.nothing_found()) } }
        (list.of(&expenses.items))
        @if let Some(next) = next { (ui::show_more(l, &path, Some(parameters(&filter)), &next)) }
    }))
}

/// The filter as query parameters, for the next page.
fn parameters(filter: &Filter) -> String {
    let Filter { from, to, category, payer: _, member, text } = filter;
    let pairs = [
        ("from", from.map(|it| it.to_string())),
        ("to", to.map(|it| it.to_string())),
        ("category", category.as_ref().map(ToString::to_string)),
        ("memberId", member.map(|it| it.to_string())),
        ("q", text.as_ref().map(ToString::to_string)),
    ];
    let mut query = form_urlencoded::Serializer::new(String::new());
    for (name, value) in pairs {
        if let Some(value) = value {
            query.append_pair(name, &value);
        }
    }
    query.finish()
}

fn filters(
    l: Texts,
    group: &Group,
    names: &Names<'_>,
    members: impl Iterator<Item = fracti_core::values::id::MemberId>,
    filter: &Filter,
) -> Markup {
    let chosen = filter.category.as_ref().map(ToString::to_string);
    let is = |key: &str| chosen.as_deref() == Some(key);
    html! {
        form.card.fields action={ (ui::group_path(group.id)) "/expenses" } data-get {
            (ui::field("q", l.search(), &html! { input #q type="search" name="q" value=[filter.text.as_ref()]; }))
            details open[!filter.is_empty()] { summary { (l.filter()) }
                (ui::field("member", l.member(), &html! { select #member name="memberId" {
                    option value="" { (l.anyone()) }
                    @for id in members { option value=(id) selected[filter.member == Some(id)] { (names.of(id)) } }
                } }))
                (ui::field("category", l.category_label(), &html! { select #category name="category" {
                    option value="" { (l.any_category()) }
                    @for it in Category::all() { option value=(it) selected[is(&it.to_string())] { (it.emoji()) " " (l.category(it)) } }
                    @for it in &group.categories {
                        option value=(it.key) selected[is(it.key.as_str())] { (ui::category_name(l, group, ExpenseCategory::Own(it.key))) }
                    }
                } }))
                (ui::field("from", l.first_day(), &html! { input #from type="date" name="from" value=[filter.from]; }))
                (ui::field("to", l.last_day(), &html! { input #to type="date" name="to" value=[filter.to]; }))
            }
            button.small-button { (l.show()) }
        }
    }
}

fn deleted_row(
    l: Texts,
    group: &Group,
    names: &Names<'_>,
    it: &Deleted,
    (today, may_restore): (Day, bool),
) -> Markup {
    let when = ui::moment(l, it.at, today);
    let name = names.shown_stored(it.by.into(), &it.name);
    let by = if names.is_me(it.by.into()) {
        sentence([when], |[when]| l.deleted_by_you(when))
    } else {
        sentence([name, when], |[name, when]| l.deleted_by(name, when))
    };
    html! {
        li.row {
            span.icon aria-hidden="true" { (ui::emoji(group, it.expense.category)) }
            span.grow { (ui::name(&it.expense.description)) " " (ui::money(l, it.expense.amount, it.expense.currency))
                small.hint { (by) } }
            @if may_restore {
                form.inline action={ "/api/groups/" (group.id) "/expenses/" (it.expense.id) "/restore" } data-method="POST" data-then="" data-done=(l.restored()) {
                    button.small-button { (l.restore()) }
                }
            }
        }
    }
}
