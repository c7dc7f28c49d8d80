//! Changes of a group.

use axum::extract::State;
use fracti_core::records::group_change::{ChangeKind, GroupChange, Subject};
use fracti_http::{App, AsMember, Context, Problem};
use maud::{Markup, html};

use crate::{
    fragment::Fragment,
    text::Texts,
    ui::{self, Names},
};

/// Changes on the screen.
const CHANGES: usize = 50;

pub(crate) async fn show(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    Context { now, .. }: Context,
    l: Texts,
) -> Result<Fragment, Problem> {
    let last = app.table.changes(member_key, None, CHANGES).await?.last;
    let after = last.saturating_sub(CHANGES.try_into().unwrap_or_default());
    let (changes, (_, members)) = tokio::try_join!(
        app.table.changes(member_key, Some(after), CHANGES),
        app.table.group(member_key),
    )?;
    let names = Names::new(l, member_key.user.into(), &members);
    let path = ui::group_path(member_key.group);
    let is_own = |change: &GroupChange| change.actor_id == member_key.user;
    let did = |change: &GroupChange| match (is_own(change), is_refund(change)) {
        (true, true) => l.own_refund_added(),
        (true, false) => l.own_change(change.subject.kind),
        (false, true) => l.refund_added(),
        (false, false) => l.change(change.subject.kind),
    };
    let newest: Vec<&GroupChange> = changes.items.iter().rev().collect();
    Ok(Fragment(html! {
        a.back href={ (path) "/more" } { (l.more()) }
        h1 tabindex="-1" data-title data-read=(member_key.group) data-number=(last) {
            (l.whats_new())
        }
        @if changes.items.is_empty() { p.card.empty { (l.nothing_new()) } }
        // By days of UTC, until the script makes them those of the reader.
        div data-days { @for changes in newest.chunk_by(|one,
            other| one.at.day() == other.at.day()) {
            @if let Some(first) = changes.first() {
                h2.day { (ui::day(l, first.at.day(), now.day())) }
            }
            ul.card.list {
                @for change in changes {
                    li { a.row.next.past[is_own(change)] href=(link(&path, &change.subject)) {
                        span.grow {
                            @if let Some(what) = by_itself(l, change) { b { (what) } }
                            @else {
                                b { (names.shown(change.actor_id.into())) }
                                (if is_own(change) || is_of_actor(change) { " " } else { l.says() })
                                (did(change))
                            }
                            (about(l, &names, change))
                            small.hint { (ui::moment(l, change.at, now.day())) }
                        }
                    } }
                }
            }
        } }
    }))
}

/// The number of the last change, by which the script sees whether to load a screen again.
pub(crate) async fn number(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
) -> Result<Fragment, Problem> {
    let last = app.table.changes(member_key, None, 1).await?.last;
    Ok(Fragment(html! { (last) }))
}

/// Whether the text goes on with the name of who made the change.
const fn is_of_actor(change: &GroupChange) -> bool {
    matches!(change.subject.kind, ChangeKind::MemberJoined | ChangeKind::MemberLeft)
}

/// Whether an expense was added whose money came back.
fn is_refund(GroupChange { subject, .. }: &GroupChange) -> bool {
    let added = subject.expense.as_ref().filter(|_| subject.kind == ChangeKind::ExpenseAdded);
    added.is_some_and(|it| it.amount.is_negative())
}

/// What a schedule did, or could not do, which is no act of its member.
fn by_itself(l: Texts, GroupChange { subject, .. }: &GroupChange) -> Option<&'static str> {
    let occurred = subject.expense.as_ref().is_some_and(|it| it.schedule_id.is_some());
    match subject.kind {
        ChangeKind::ExpenseAdded if occurred => Some(l.by_itself()),
        ChangeKind::SchedulePaused => Some(l.not_by_itself()),
        _ => None,
    }
}

/// Where the thing that has changed is shown.
fn link(path: &str, subject: &Subject) -> String {
    match subject {
        Subject { expense: Some(expense), .. } => format!("{path}/expenses/{}", expense.id),
        Subject { schedule: Some(_), kind: ChangeKind::ScheduleDeleted, .. } => {
            format!("{path}/schedules")
        }
        Subject { schedule: Some(schedule), .. } => format!("{path}/schedules/{}", schedule.id),
        Subject { settlement: Some(settlement), .. } => {
            format!("{path}/settlements/{}", settlement.id)
        }
        Subject { question: Some(question), .. } => format!("{path}/questions/{}", question.id),
        Subject { member: Some(_), .. } => format!("{path}/members"),
        Subject { import: Some(_), .. } => format!("{path}/import"),
        Subject { group: Some(_), .. } => format!("{path}/settings"),
        _ => format!("{path}/ledger"),
    }
}

fn about(l: Texts, names: &Names<'_>, change: &GroupChange) -> Markup {
    let GroupChange { actor_id, subject, .. } = change;
    let (open, close) = l.quotes();
    html! {
        @if let Some(it) = &subject.expense {
            (open) (ui::name(&it.description)) (close)
            @if let Some(before) = &subject.before {
                s { (ui::money(l, before.amount, before.currency)) }
                " "
            }
            @let amount = if is_refund(change) { it.amount.absolute() } else { it.amount };
            (ui::money(l, amount, it.currency))
        }
        @if let Some(it) = &subject.question {
            (open)
            (ui::name(&it.prompt))
            (close.trim_end_matches([',', ' ', '·']))
        }
        @if let Some(it) = &subject.schedule {
            (open) (ui::name(&it.description)) (close) (ui::money(l, it.amount, it.currency))
        }
        @if let Some(it) = &subject.settlement {
            (l.change_of())
            (names.parties(
                (it.from_user_id, &it.from_user_name),
                (it.to_user_id, &it.to_user_name),
            ))
            " · " (ui::money(l, it.amount, it.currency))
        }
        @if let Some(it) = subject.member.as_ref().filter(|it| it.id != *actor_id) {
            ": "
            (names.shown_stored(it.id, &it.name))
        }
    }
}
