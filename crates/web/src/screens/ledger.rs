//! The balances of a group over time, and a member's statement.

use axum::extract::State;
use fracti_core::{
    ledger::{Change, EntryStatus, Ledger, RefType},
    records::entry::Entry,
    values::id::{ExpenseId, MemberId},
};
use fracti_http::{App, AsMember, Context, Id, Problem};
use fracti_store::{Page, Statement, StatementLine};
use maud::{Markup, html};

use crate::{
    chart::{self, Steps},
    fragment::Fragment,
    text::{Texts, sentence},
    ui::{self, Names},
};

/// Days of the chart.
const DAYS: usize = 60;

/// Entries of a statement.
const ENTRIES: usize = 50;

pub(crate) async fn show(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    Context { now, .. }: Context,
    l: Texts,
) -> Result<Fragment, Problem> {
    // The last days: those of a group that has existed for longer are not all shown.
    let from = now.day().plus(-366);
    let page = Page { limit: DAYS, after: None };
    let days = app.table.days(member_key, Some(from), None, &page);
    let (group, members, days) = days.await?;
    let names = Names::new(l, member_key.user.into(), &members);
    let own = group.currency;
    let net = |ledger: &Ledger, id: MemberId| ledger.balances.totals(own, id).net();
    let mut shown: Vec<_> = members.iter().filter(|it| it.linked_to.is_none()).collect();
    shown.sort_by_key(|it| !names.is_me(it.id));
    let line = |id: MemberId| Steps {
        name: names.of(id).to_owned(),
        own: names.is_me(id),
        balances: days.items.iter().map(|ledger| net(ledger, id)).collect(),
    };
    let lines: Vec<Steps> = shown.iter().map(|member| line(member.id)).collect();
    let label = l.balances_chart(days.items.len().try_into().unwrap_or_default());
    let day = |it: Option<&Ledger>| {
        it.and_then(|it| it.last_event_at).map(|at| l.day(at.day(), now.day())).unwrap_or_default()
    };
    let first = day(days.items.first());
    let last = day(days.items.last());
    let ends = [&*first, &*last];
    Ok(Fragment(html! {
        a.back href={ (ui::group_path(group.id)) "/more" } { (l.more()) }
        h1 tabindex="-1" data-title { (l.history_of_balances()) }
        @if days.items.is_empty() { p.card.empty { (l.no_entries()) } }
        @else { p.hint.about { (l.days_of_utc()) } }
        // The lines of one day would be level.
        @if days.items.len() > 1 {
            figure.card {
                (chart::steps(&lines, &label, ends))
                figcaption.hint { (label) ", " (own.code()) }
            }
        }
        @for ledger in days.items.iter().rev() {
            @let day = ledger.last_event_at.unwrap_or_default().day();
            @let shown_day = ui::day(l, day, now.day());
            details.card.fields open[days.items.len() == 1] {
                summary { span { (sentence([shown_day], |[day]| l.closing_of(day))) } }
                ul.list { @for member in &shown {
                    li.row { span.grow { (names.shown(member.id)) } span.amounts {
                        (ui::balance(l, net(ledger, member.id), own))
                        @for currency in ledger.balances.currencies().filter(|it| *it != own) {
                            @let net = ledger.balances.totals(currency, member.id).net();
                            @if net != 0 { (ui::balance(l, net, currency)) }
                        }
                    } }
                } } }
        }
    }))
}

pub(crate) async fn statement(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    Id(member): Id<MemberId>,
    Context { now, .. }: Context,
    l: Texts,
) -> Result<Fragment, Problem> {
    let statement = Statement { user: Some(member), ..Statement::default() };
    let ((group, members), (lines, _)) = tokio::try_join!(
        app.table.group(member_key),
        app.table.statement(member_key, &statement, ENTRIES),
    )?;
    let names = Names::new(l, member_key.user.into(), &members);
    let path = ui::group_path(group.id);
    let expense = |it: &StatementLine| {
        let id = it.entry.ref_id.as_deref().filter(|_| it.entry.ref_type == RefType::Expense)?;
        id.parse::<ExpenseId>().ok()
    };
    let recorded = |it: &StatementLine| expense(it)?.created_at().or(it.entry.ref_created_at);
    let expenses = app.table.expenses_at(group.id, lines.iter().filter_map(recorded)).await?;
    let is_there = |it: &StatementLine| expense(it).is_some_and(|id| expenses.contains_key(&id));
    // The expense as it was before, if its entry is in the list, too.
    let undone = |entry: &Entry| {
        let other = lines.iter().find(|it| Some(it.entry.sequence) == entry.other_sequence);
        other.filter(|_| entry.status == EntryStatus::Revert)?.entry.snapshot.as_ref()
    };
    let row = |it: &StatementLine| {
        html! {
            @let entry = &it.entry;
            @let link = link(&path, entry.ref_type, entry.ref_id.as_deref());
            li { a.row href=(link) {
                span.grow {
                    span.name {
                        @if let Some(was) = entry.snapshot.as_ref().or_else(|| undone(entry)) {
                            (ui::name(&was.description))
                        }
                        @else if let Some(it) = expense(it).and_then(|id| expenses.get(&id)) {
                            (ui::name(&it.description))
                        }
                        @else { (label(l, entry, member, &names)) }
                    }
                    @match entry.status {
                            EntryStatus::Applied => {},
                            // An expense that is still there was edited.
                            EntryStatus::Reverted => { " " small.tag {
                                (if is_there(it) { l.earlier_version() } else { l.undone_later() })
                            } },
                            EntryStatus::Revert => { " " small.tag {
                                (if is_there(it) { l.replaced() } else { l.undoing() })
                            } },
                        }
                    small.hint { (names.recorded(entry.actor_id,
                        ui::moment(l, entry.created_at, now.day())))
                        @if let Some(note) = &entry.note { " · " (ui::name(note)) } }
                }
                span.amounts {
                    @for change in entry.changes.iter().filter(|it| it.user == member) {
                        (ui::balance(l, change.totals.net(), change.currency))
                    }
                    @for (currency, net) in it.balance.iter().flatten() {
                        @if entry.changes.iter().any(|it| it.currency == *currency) {
                            small.hint { (l.balance_then(ui::signed(l, *net, *currency))) }
                        }
                    }
                }
            } }
        }
    };
    Ok(Fragment(html! {
        a.back href={ (path) "/balances" } { (l.balances()) }
        h1 tabindex="-1" data-title {
            @if names.is_me(member) { (l.your_statement()) }
            @else { (sentence([names.shown(member)], |[name]| l.statement_of(name))) }
        }
        @if lines.is_empty() { p.card.empty { (l.no_entries()) } }
        @else { p.hint.about { (l.balance_signs()) } }
        ul.card.list { @for line in &lines { (row(line)) } }
        @if let Some(user) = member.user().filter(|user| *user != member_key.user) {
            a.more href={ "/app/me/friends/" (user) } { (l.with_friend()) }
        }
    }))
}

fn link(path: &str, kind: RefType, id: Option<&str>) -> String {
    match (kind, id) {
        (RefType::Expense, Some(id)) => format!("{path}/expenses/{id}"),
        (RefType::Settlement, Some(id)) => format!("{path}/settlements/{id}"),
        _ => format!("{path}/ledger"),
    }
}

/// What an entry was. A payment names the other side.
fn label(l: Texts, entry: &Entry, member: MemberId, names: &Names<'_>) -> Markup {
    let (own, others): (Vec<&Change>, Vec<&Change>) =
        entry.changes.iter().partition(|it| it.user == member);
    match (entry.ref_type, own.first(), others.first()) {
        (RefType::Settlement, Some(own), Some(other)) => {
            let is_sent = (own.totals.net() > 0) == (entry.status != EntryStatus::Revert);
            match (is_sent, names.is_me(other.user)) {
                (true, true) => html! { (l.payment_to_me()) },
                (false, true) => html! { (l.payment_from_you()) },
                (true, false) => sentence([names.shown(other.user)], |[name]| l.payment_to(name)),
                (false, false) => {
                    sentence([names.shown(other.user)], |[name]| l.payment_from(name))
                }
            }
        }
        (RefType::Settlement, ..) => html! { (l.payment()) },
        (RefType::Expense, ..) => html! { (l.an_expense()) },
        (RefType::Adjustment, ..) => html! { (l.adjustment()) },
        (RefType::Link, ..) => html! { (l.guest_linked()) },
    }
}
