//! The reader: what they owe and are owed in all groups, what waits for them, what is theirs.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use axum::extract::State;
use fracti_core::{
    decisions::questions::SeenQuestion,
    group::{Member, MemberKey},
    records::settlement::Settlement,
    values::{
        currency::Currency,
        decimal::Decimal,
        id::{GroupId, UserId},
        time::Day,
    },
};
use fracti_http::{App, Caller, Context, Problem};
use fracti_store::{Activity, ActivityPosition, Membership, OpenPlace, Page, SettlementFilter};
use fracti_texts::Language;
use futures_util::future::join_all;
use maud::{Markup, html};

use super::{
    links::named,
    settlement::{Decision, Rights, decide, turns},
    tokens,
};
use crate::{
    fragment::Fragment,
    text::{Texts, sentence},
    ui::{self, Names},
};

/// Groups that are added up.
const GROUPS: usize = 200;

/// Items of each list.
const ITEMS: usize = 10;

pub(crate) async fn show(
    State(app): State<App>,
    Caller(user, ()): Caller,
    Context { now, .. }: Context,
    l: Texts,
) -> Result<Fragment, Problem> {
    let page = Page { limit: GROUPS, after: None };
    let waiting = SettlementFilter { waiting: true, ..SettlementFilter::default() };
    let table = &app.table;
    let (groups, payments, (questions, _), activity) = tokio::try_join!(
        table.memberships_of(user.id, &page),
        table.settlements_of(user.id, &waiting, ITEMS, ActivityPosition::default()),
        table.open_for(user.id, ITEMS, OpenPlace::default(), now),
        table.activity_of(user.id, ITEMS, ActivityPosition::default()),
    )?;
    let latest = activity.items.iter().filter_map(payment_of);
    let shown = received(user.id, &payments.items).chain(latest);
    let members = members_of(&app, user.id, shown).await;
    Ok(Fragment(html! {
        (ui::tabs(l.sections(), &[(l.groups(), "/app".to_owned()), (l.me(), "/app/me".to_owned())],
            1))
        h1 tabindex="-1" data-title { (ui::name(&user.name)) }
        (totals(l, &groups.items, groups.next.is_some(),
            &uncounted(user.id, &groups.items, &payments.items, ITEMS)))
        (waits(l, user.id, &groups.items, (&payments.items, &members), &questions))
        ul.card.list {
            li {
                a.row href={ "/app/me/days?of=" (now.day()) } data-today {
                    span.icon aria-hidden="true" { "📅" }
                    span.grow { (l.days()) }
                }
            }
            li {
                a.row href="/app/me/friends" {
                    span.icon aria-hidden="true" { "👥" }
                    span.grow { (l.friends()) }
                }
            }
            @for (icon, label, path) in links(l, &app, user.id) {
                li {
                    a.row href=(path) {
                        span.icon aria-hidden="true" { (icon) }
                        span.grow { (label) }
                    }
                }
            }
        }
        (tokens::on_computer(l))
        button.more type="button" data-telegram data-home-screen { (l.add_to_home_screen()) }
        @if !activity.items.is_empty() {
            section { h2 { (l.latest()) }
                ul.card.list {
                    @for event in &activity.items { (item(l, user.id, event, &members, now.day())) }
                }
                }
        }
        (language(l))
    }))
}

fn links(l: Texts, app: &App, user: UserId) -> Vec<(&'static str, &'static str, &'static str)> {
    let mut links = vec![("🎯", l.budgets(), "/app/me/budgets")];
    if app.telegram.is_some() {
        links.push(("🔔", l.messages(), "/app/me/notifications"));
    }
    if !app.operators.is_empty() {
        links.push(("💶", l.funds(), "/app/me/funds"));
    }
    links.push(("🔑", l.tokens(), "/app/me/tokens"));
    if app.operators.contains(&user) {
        links.push(("🛠️", l.work(), "/app/funds/work"));
    }
    links
}

/// What the reader is owed and owes in these groups, but for archived ones. If there are `more`
/// groups, it says which these are. `to_confirm` is what was paid to them and is not counted yet.
pub(crate) fn totals(
    l: Texts,
    groups: &[Membership],
    more: bool,
    to_confirm: &BTreeMap<Currency, Decimal>,
) -> Markup {
    let mut nets: BTreeMap<Currency, [i128; 2]> = BTreeMap::new();
    let count = groups.len();
    let groups = groups.iter().filter(|it| !it.group.archived);
    for (currency, totals) in groups.flat_map(|it| &it.totals) {
        let net = totals.net();
        let [owed, owes] = nets.entry(*currency).or_default();
        let side = if net < 0 { owes } else { owed };
        *side = side.saturating_add(net);
    }
    let mut lines = Vec::new();
    for (currency, [owed, owes]) in &nets {
        let line = |label, net: i128| {
            html! { p { span.hint { (label) } (ui::big_balance(l, net, *currency)) } }
        };
        lines.extend((*owed != 0).then(|| line(l.you_are_owed(), *owed)));
        lines.extend((*owes != 0).then(|| line(l.you_owe(), *owes)));
    }
    html! {
        section.card.hero aria-label=(l.in_all_groups()) {
            @if lines.is_empty() { p.big { (l.you_are_settled()) } }
            (ui::first_ones(l, &lines))
            @if more { p { span.hint { (l.over_groups(count)) } } }
            @for (currency, sum) in to_confirm {
                p {
                    span.hint {
                        (sentence([ui::money(l, *sum, *currency)], |[amount]| l.to_confirm(amount)))
                    }
                }
            }
        }
    }
}

/// What was paid to the reader in these groups and is not confirmed yet. Nothing if there may be
/// more payments than the `limit` that were read.
pub(crate) fn uncounted(
    me: UserId,
    groups: &[Membership],
    waiting: &[Settlement],
    limit: usize,
) -> BTreeMap<Currency, Decimal> {
    let is_shown = |group| groups.iter().any(|own| own.group.id == group && !own.group.archived);
    let to_me = received(me, waiting).filter(|it| waiting.len() < limit && is_shown(it.group_id));
    ui::sums(to_me.map(|it| (it.currency, it.amount)))
}

/// Those of some payments that the reader received.
pub(crate) fn received(
    me: UserId,
    payments: &[Settlement],
) -> impl Iterator<Item = &Settlement> + Clone {
    payments.iter().filter(move |it| it.to_user_id == me)
}

/// The payment of an event.
fn payment_of(event: &Activity) -> Option<&Settlement> {
    match event {
        Activity::Paid(_) | Activity::Owed(_) => None,
        Activity::Sent(it) | Activity::Received(it) => Some(it),
    }
}

/// The members of the groups of these payments, which tell people of one name apart. A group that
/// cannot be read is left out.
pub(crate) async fn members_of(
    app: &App,
    user: UserId,
    payments: impl Iterator<Item = &Settlement>,
) -> HashMap<GroupId, Vec<Member>> {
    let groups: BTreeSet<GroupId> = payments.map(|it| it.group_id).collect();
    let read = groups
        .into_iter()
        .map(async |group| Some((group, app.table.group(MemberKey { group, user }).await.ok()?.1)));
    join_all(read).await.into_iter().flatten().collect()
}

/// What waits for the reader: payments to confirm, and questions.
pub(crate) fn waits(
    l: Texts,
    me: UserId,
    groups: &[Membership],
    (payments, members): (&[Settlement], &HashMap<GroupId, Vec<Member>>),
    open: &[SeenQuestion],
) -> Markup {
    let of_group = |it: &Settlement| groups.iter().find(|own| own.group.id == it.group_id);
    let received: Vec<_> = received(me, payments).map(|it| (it, of_group(it))).collect();
    html! {
        (wait(l, me, &received, members))
        (named(l, me, groups.iter().map(|it| &it.group)))
        (questions(l, open.iter(), true))
    }
}

/// Questions that the reader can answer, with their groups if these are several.
pub(crate) fn questions<'a>(
    l: Texts,
    open: impl Iterator<Item = &'a SeenQuestion>,
    of_groups: bool,
) -> Markup {
    let open: Vec<_> = open.collect();
    html! {
        @if !open.is_empty() {
            section { h2 { (l.open_questions()) }
                ul.card.list { @for seen in open {
                    @let group = ui::group_path(seen.question.group_id);
                    li { a.row href={ (group) "/questions/" (seen.question.id) } {
                        span.grow { span.name { (ui::name(&seen.question.prompt)) }
                            @if let Some(it) = &seen.question.receipt {
                                small.hint {
                                    (ui::name(&it.description))
                                    " · "
                                    (ui::money(l, it.amount, it.currency))
                                }
                            }
                            @if of_groups { small.hint { (ui::name(&seen.group_title)) } } }
                        b.to-answer { (l.answer_now()) }
                    } }
                } } }
        }
    }
}

/// The names in a group. Without its members, they are those that were stored.
fn names_in(
    l: Texts,
    me: UserId,
    members: &HashMap<GroupId, Vec<Member>>,
    group: GroupId,
) -> Names<'_> {
    Names::new(l, me.into(), members.get(&group).map(Vec::as_slice).unwrap_or_default())
}

/// Payments that the reader is to confirm, each with its group.
fn wait(
    l: Texts,
    me: UserId,
    payments: &[(&Settlement, Option<&Membership>)],
    members: &HashMap<GroupId, Vec<Member>>,
) -> Markup {
    let payer = |it: &Settlement| {
        names_in(l, me, members, it.group_id).shown_stored(it.from_user_id, &it.from_user_name)
    };
    let ask = |it: &Settlement, own: &Membership| {
        let net = own.totals.get(&it.currency).map_or(0, |it| it.net());
        turns(it, net).map(|owed| l.then_you_owe(l.minor(owed, it.currency)))
    };
    html! {
        @if !payments.is_empty() {
            section { h2 { (l.waits_for_you()) }
                ul.card.list { @for (it, own) in payments {
                    li.row.wrap {
                        a.grow.tall href={ (ui::group_path(it.group_id)) "/settlements/" (it.id) } {
                            (sentence([payer(it), ui::money(l, it.amount, it.currency)],
                                |[name, amount]| l.payment_to_you(name, amount)))
                            @if let Some(title) = &it.group_title {
                                small.hint { (ui::name(title)) }
                            }
                        }
                        @if let Some(own) = own.filter(|own| !own.group.archived) {
                            (decide(l, me, it, Decision::Confirm, ask(it, own).as_deref()))
                            (decide(l, me, it, Decision::NotReceived, None))
                        }
                    }
                } } }
        }
    }
}

fn item(
    l: Texts,
    me: UserId,
    event: &Activity,
    members: &HashMap<GroupId, Vec<Member>>,
    today: Day,
) -> Markup {
    let name = |it: &Settlement, id, stored| {
        names_in(l, me, members, it.group_id).shown_stored(id, stored)
    };
    let payment = |it: &Settlement, title: Markup| {
        let of_group = members.get(&it.group_id).map(Vec::as_slice).unwrap_or_default();
        let state = Rights::of(of_group, me).state(l, &names_in(l, me, members, it.group_id), it);
        let path = format!("{}/settlements/{}", ui::group_path(it.group_id), it.id);
        (path, title, Some(state), ui::money(l, it.amount, it.currency))
    };
    // The reader's own part of each expense, so that the sums read alike.
    let part =
        |amount: Decimal, currency| {
            let shown = ui::money(l, amount.absolute(), currency);
            sentence([shown], |[it]| {
                if amount.is_negative() { l.part_of_refund(it) } else { l.your_part(it) }
            })
        };
    let (path, what, note, amount) = match event {
        Activity::Paid(paid) => {
            let it = &paid.expense;
            (
                format!("{}/expenses/{}", ui::group_path(it.group_id), it.id),
                ui::name(&it.description),
                Some(l.own_payment(it.paid_by(paid.paid_by), it.currency)),
                part(it.share_of_all(&[me.into(), paid.paid_by].into()), it.currency),
            )
        }
        Activity::Owed(it) => {
            let currency = it.currency.unwrap_or(Currency::TON);
            (
                format!("{}/expenses/{}", ui::group_path(it.group_id), it.expense_id),
                ui::name(&it.description),
                None,
                part(it.amount, currency),
            )
        }
        Activity::Sent(it) => {
            let name = name(it, it.to_user_id, &it.to_user_name);
            payment(it, sentence([name], |[name]| l.sent_to(name)))
        }
        Activity::Received(it) => {
            let name = name(it, it.from_user_id, &it.from_user_name);
            payment(it, sentence([name], |[name]| l.received_from(name)))
        }
    };
    html! {
        li { a.row href=(path) {
            span.grow {
                span.name { (what) }
                small.hint {
                    (ui::day(l, event.day(), today))
                    @if let Some(note) = note { " · " (note) }
                }
            }
            span.effect { (amount) }
        } }
    }
}

fn language(l: Texts) -> Markup {
    html! {
        section.card.actions aria-label=(l.language()) {
            @for it in Language::ALL {
                button.small-button type="button" data-language=(it) lang=(it)
                    aria-pressed=(l.0 == it) {
                    (it.own_name())
                }
            }
            button.small-button.danger type="button" data-sign-out hidden { (l.sign_out()) }
        }
    }
}
