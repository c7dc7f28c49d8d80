//! All expenses of a group: filters, older ones, and deleted ones.

use axum::extract::State;
use fracti_core::{
    group::{Group, links::Links},
    input::Error,
    records::expense::{Expense, Filter, ListOrder},
    values::{
        category::{Category, ExpenseCategory},
        id::GroupId,
        time::Day,
    },
};
use fracti_http::{App, AsMember, Context, ListId, Paging, Parameters, Problem, QueryReader};
use fracti_store::{Deleted, Position};
use maud::{Markup, html};

use super::{
    expense::deleted,
    list::{EXPENSES, List, own_ids},
};
use crate::{
    fragment::Fragment,
    text::Texts,
    ui::{self, Names},
};

/// Expenses that a search finds at first. If there are no more, it says what they sum to.
const FOUND: usize = 100;

/// Which expenses are shown.
pub(crate) struct ExpensesQuery {
    paging: Paging,
    filter: Filter,
    order: ListOrder,
    deleted: bool,
}

impl Parameters for ExpensesQuery {
    fn read(query: &mut QueryReader) -> Self {
        let paging = Paging::read(query);
        let filter = Filter::read(query);
        let deleted = query.flag("deleted", "Show the deleted expenses.").unwrap_or_default();
        let order = query.text("order", "Order of the list, by default by day.");
        Self { paging, filter, order: order.unwrap_or(ListOrder::Date), deleted }
    }
}

pub(crate) async fn show(
    State(app): State<App>,
    AsMember(member_key, query): AsMember<ExpensesQuery>,
    Context { now, .. }: Context,
    l: Texts,
) -> Result<Fragment, Problem> {
    let ExpensesQuery { paging, filter, mut order, deleted } = query;
    let path = format!("{}/expenses", ui::group_path(member_key.group));
    let back = html! { a.back href={ (ui::group_path(member_key.group)) "/more" } { (l.more()) } };
    if deleted {
        let list_id = ListId::new("screen of deleted expenses", &member_key.group);
        let page = paging.page(&list_id)?;
        let (group, past) = tokio::try_join!(
            app.table.group(member_key),
            app.table.deleted_expenses(member_key, &page),
        )?;
        let next = past.next.as_ref().map(|after| paging.cursor(&list_id, after));
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
            @if past.items.is_empty() { p.card.empty { (l.no_deleted()) } }
            div data-pages { ul.card.list { @for it in &past.items { (row(it)) } } }
            @if let Some(next) = next {
                (ui::show_more(l, &path, Some("deleted=true".to_owned()), &next))
            }
        }));
    }
    let is_search = !filter.is_empty();
    let limit = if is_search { FOUND } else { EXPENSES };
    let paging = paging.or_limit(limit);
    let read = async |order| {
        let page = paging.page(&list_id(member_key.group, &filter, order))?;
        let is_first = page.after.is_none();
        let found = app.table.expenses(member_key, &filter, order, &page).await;
        Ok::<_, Problem>((found, is_first))
    };
    let (group, read_by_day) = tokio::join!(app.table.group(member_key), read(order));
    let (group, members) = group?;
    let (found, is_first) = match read_by_day? {
        (Err(Error::NotIndexed), true) => {
            order = ListOrder::Recorded;
            read(order).await?
        }
        found => found,
    };
    let found = found?;
    let me = member_key.user.into();
    let names = Names::new(l, me, &members);
    let list =
        List { l, group: &group, names: &names, own: own_ids(me, &members), today: now.day() };
    let is_all = is_search && is_first && found.next.is_none();
    Ok(Fragment(html! {
        (back)
        h1 tabindex="-1" data-title { (l.search()) }
        (filters(l, &group, &names,
            members.iter().filter(|it| it.linked_to.is_none()).map(|it| it.id), &filter))
        @if found.items.is_empty() { p.card.empty { (l.nothing_found()) } }
        @else if is_all { p.note { (sums(l, &found.items)) } }
        @if order == ListOrder::Recorded && is_first { p.note.hint { (l.by_recording()) } }
        div data-pages { (list.of(&found.items)) }
        @if let Some(next) = &found.next { (more_of(l, group.id, &paging, (&filter, order), next)) }
    }))
}

/// The list by which a page of expenses is continued.
fn list_id(group: GroupId, filter: &Filter, order: ListOrder) -> ListId {
    ListId::new("screen of expenses", &group).filtered(&(filter, order.to_string()))
}

/// The link to the rest of all expenses of a group.
pub(crate) fn more(
    l: Texts,
    group: GroupId,
    paging: &Paging,
    order: ListOrder,
    next: &Position,
) -> Markup {
    more_of(l, group, paging, (&Filter::default(), order), next)
}

fn more_of(
    l: Texts,
    group: GroupId,
    paging: &Paging,
    (filter, order): (&Filter, ListOrder),
    next: &Position,
) -> Markup {
    let path = format!("{}/expenses", ui::group_path(group));
    let query = format!("{}&order={order}", parameters(filter));
    let query = query.trim_start_matches('&').to_owned();
    ui::show_more(l, &path, Some(query), &paging.cursor(&list_id(group, filter, order), next))
}

/// How many expenses these are, and what they sum to in each currency.
fn sums(l: Texts, found: &[Expense]) -> Markup {
    let sums = ui::sums(found.iter().map(|it| (it.currency, it.amount)));
    html! {
        (l.found(found.len().try_into().unwrap_or_default()))
        @for (currency, sum) in sums { " · " (ui::money(l, sum, currency)) }
    }
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
    let only_text = Filter { text: filter.text.clone(), ..Filter::default() } == *filter;
    let chosen = filter.category.as_ref().map(ToString::to_string);
    let is = |key: &str| chosen.as_deref() == Some(key);
    html! {
        form.card.fields action={ (ui::group_path(group.id)) "/expenses" } data-get {
            (ui::field("q", l.search(), &html! {
                input #q type="search" name="q" placeholder=(l.what_for())
                    value=[filter.text.as_ref()];
            }))
            details open[!only_text] { summary { (l.filter()) }
                (ui::field("member", l.member(), &html! { select #member name="memberId" {
                    option value="" { (l.anyone()) }
                    @for id in members {
                        option value=(id) selected[filter.member == Some(id)] { (names.of(id)) }
                    }
                } }))
                (ui::field("category", l.category_label(),
                    &html! { select #category name="category" {
                    option value="" { (l.any_category()) }
                    @for it in Category::all() {
                        option value=(it) selected[is(&it.to_string())] {
                            (it.emoji())
                            " "
                            (l.category(it))
                        }
                    }
                    @for it in &group.categories {
                        option value=(it.key) selected[is(it.key.as_str())] {
                            (ui::category_name(l, group, ExpenseCategory::Own(it.key)))
                        }
                    }
                } }))
                (ui::field("from", l.first_day(),
                    &html! { input #from type="date" name="from" value=[filter.from]; }))
                (ui::field("to", l.last_day(),
                    &html! { input #to type="date" name="to" value=[filter.to]; }))
            }
            button.small-button { (l.show()) }
            @if !filter.is_empty() {
                a.small-button href={ (ui::group_path(group.id)) "/expenses" } { (l.clear()) }
            }
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
    let by = deleted(l, names, (it.by.into(), &it.name), ui::moment(l, it.at, today));
    html! {
        li.row {
            span.icon aria-hidden="true" { (ui::emoji(group, it.expense.category)) }
            a.grow.tall href={ (ui::group_path(group.id)) "/expenses/" (it.expense.id) } {
                (ui::name(&it.expense.description))
                " " (ui::money(l, it.expense.amount, it.expense.currency))
                small.hint { (by) }
            }
            @if may_restore {
                @let api = format!("/api/groups/{}/expenses/{}", group.id, it.expense.id);
                form.inline action={ (api) "/restore" } data-method="POST" data-then=""
                    data-undo={ "DELETE " (api) }
                    data-done=(l.restored(&it.expense.description)) {
                    button.small-button { (l.restore()) }
                }
            }
        }
    }
}
