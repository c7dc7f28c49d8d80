//! The reader and one friend, in all groups that they share.

use std::collections::BTreeMap;

use axum::extract::State;
use fracti_core::{
    group::{Group, Member, MemberKey},
    plan::{Plan, Transfer},
    records::settlement::Settlement,
    reports::debts::Debts,
    values::{
        currency::Currency,
        id::{GroupId, MemberId, UserId},
    },
};
use fracti_http::{App, Caller, Context, Id, Problem};
use fracti_store::{Shared, SharedGroup};
use futures_util::future::try_join_all;
use maud::{Markup, html};

use super::{
    settle,
    settlement::{Decision, decide, remark, turns, unconfirmed},
};
use crate::{
    fragment::Fragment,
    text::{Texts, sentence},
    ui,
};

/// What a reader is owed and what they owe in each currency, in minor units.
pub(super) type Open = BTreeMap<Currency, [i128; 2]>;

/// Groups whose plans are looked at.
const GROUPS: usize = 10;

pub(crate) async fn show(
    State(app): State<App>,
    Caller(user, ()): Caller,
    Id(other): Id<UserId>,
    Context { now, .. }: Context,
    l: Texts,
) -> Result<Fragment, Problem> {
    let shared = of_users(app.table.shared_with(user.id, other).await?);
    // Only sides that differ have a payment between the two.
    let differ =
        |it: &&SharedGroup| it.balances.values().any(|[mine, others]| (*mine < 0) != (*others < 0));
    let groups = shared.groups.iter().filter(differ).take(GROUPS);
    let open = groups.map(async |it| {
        between(&app, MemberKey { group: it.group.id, user: user.id }, other.into()).await
    });
    let open = try_join_all(open).await?;
    let side = |id: MemberId, stored: &str| ui::name(if id == user.id { l.you() } else { stored });
    let title = |group| {
        let mut groups = shared.groups.iter().map(|it| &it.group);
        groups.find(|it| it.id == group).map(|it| it.title.as_str())
    };
    // What the reader would owe if they confirmed a payment.
    let ask = |it: &Settlement| {
        let of_group = shared.groups.iter().find(|own| own.group.id == it.group_id);
        let [mine, _] = of_group.and_then(|own| own.balances.get(&it.currency)).copied()?;
        turns(it, mine).map(|owed| l.then_you_owe(l.minor(owed, it.currency)))
    };
    // What a balance does not count yet of the payments between the two.
    let uncounted = |group: GroupId, currency: Currency, id: UserId| {
        let is_here = |it: &Settlement| it.group_id == group;
        let paid =
            unconfirmed(&shared.pending, currency, |it| is_here(it) && it.from_user_id == id);
        let received =
            unconfirmed(&shared.pending, currency, |it| is_here(it) && it.to_user_id == id);
        let is_me = id == user.id;
        html! {
            @if let Some(sum) = paid {
                (remark(l, sum, currency, |amount| l.paid_unconfirmed(amount)))
            }
            @if let Some(sum) = received {
                (remark(l, sum, currency, |amount| l.received_unconfirmed(amount, is_me)))
            }
        }
    };
    let balances = |it: &SharedGroup, id: UserId, place: usize| {
        html! {
            li.row {
                span.grow {
                    (side(id.into(), &shared.other.name))
                    @for currency in it.balances.keys() { (uncounted(it.group.id, *currency, id)) }
                }
                span.amounts {
                    @for (currency, sides) in &it.balances {
                        @if let Some(net) = sides.get(place) { (ui::balance(l, *net, *currency)) }
                    }
                }
            }
        }
    };
    Ok(Fragment(html! {
        a.back href="/app/me/friends" { (l.friends()) }
        h1 tabindex="-1" data-title {
            (sentence([ui::name(&shared.other.name)], |[name]| l.with_friend_title(name)))
        }
        @if let Some(username) = &shared.other.username {
            p.hint.about { bdi dir="ltr" { "@" (username) } }
        }
        (open_between(l, &shared, &open, other))
        @if !shared.pending.is_empty() {
            section { h2 { (l.pending_payments()) }
                ul.card.list { @for it in &shared.pending {
                    li.row.wrap {
                        a.grow.tall href={ (ui::group_path(it.group_id)) "/settlements/" (it.id) } {
                            span.line {
                                (ui::pair(
                                    &side(it.from_user_id, &it.from_user_name),
                                    &side(it.to_user_id, &it.to_user_name),
                                ))
                                (ui::money(l, it.amount, it.currency))
                            }
                            small.hint {
                                @if let Some(title) = title(it.group_id) { (ui::name(title)) " · " }
                                (ui::moment(l, it.created_at, now.day()))
                            }
                        }
                        @if it.to_user_id == user.id {
                            (decide(l, user.id, it, Decision::Confirm, ask(it).as_deref()))
                            (decide(l, user.id, it, Decision::NotReceived, None))
                        }
                    }
                } }
                p.hint.about { (l.counts_between_you()) } }
        }
        @for it in shared.groups.iter().filter(|it| !it.balances.is_empty()) {
            section {
                h2 { (ui::name(&it.group.title)) " · " (l.in_whole_group()) }
                ul.card.list {
                    (balances(it, user.id, 0))
                    (balances(it, other, 1))
                    li { a.row.next href=(ui::group_path(it.group.id)) {
                        span.grow { (l.go_on()) }
                    } }
                }
            }
        }
    }))
}

/// The same, with users as the parties of what linked guests have paid or received.
fn of_users(mut shared: Shared) -> Shared {
    for it in &mut shared.pending {
        if let Some(own) = shared.groups.iter().find(|own| own.group.id == it.group_id) {
            *it = it.resolved(&own.links);
        }
    }
    shared
}

/// What is to be paid between the reader and another member, by the plans of their groups.
fn open_between(
    l: Texts,
    shared: &Shared,
    open: &[(Group, Vec<(Currency, Transfer)>)],
    other: UserId,
) -> Markup {
    let name = &shared.other.name;
    let mut sums = Open::new();
    for (currency, it) in open.iter().flat_map(|(_, transfers)| transfers) {
        count(&mut sums, *currency, it, other.into());
    }
    let has_several = open.iter().map(|(_, transfers)| transfers.len()).sum::<usize>() > 1;
    // A sum of some of the groups would be taken for that of all.
    let is_all = open.len() < GROUPS && !shared.has_more;
    html! {
        section {
            h2 { (l.between_you()) }
            ul.card.list {
                @if has_several && is_all {
                    li.row { b.grow { (l.total_label()) } b { (amounts(l, &sums)) } }
                }
                @if open.iter().all(|(_, transfers)| transfers.is_empty()) {
                    li.row { (l.nothing_between()) }
                }
                @for (group, transfers) in open {
                    @for (currency, it) in transfers {
                        @let amount = ui::minor(l, it.minor, *currency);
                        li.row.wrap {
                            span.grow.tall {
                                (sentence([ui::name(name), amount], |[name, amount]| {
                                    if it.from == other { l.owes_you(name, amount) }
                                    else { l.you_owe_to(name, amount) }
                                }))
                                small.hint { (ui::name(&group.title)) }
                                @let paid = unconfirmed(&shared.pending, *currency, |paid| {
                                    paid.group_id == group.id
                                        && [paid.from_user_id, paid.to_user_id] == [it.from, it.to]
                                });
                                @if let Some(sum) = paid {
                                    (remark(l, sum, *currency,
                                        |amount| l.besides_unconfirmed(amount)))
                                }
                            }
                            @if !group.archived {
                                a.small-button href=(settle::path(group.id, *currency, it)) {
                                    (if it.from == other { l.received() } else { l.pay() })
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The payments of a group's plan between the reader and another member.
async fn between(
    app: &App,
    member_key: MemberKey,
    other: MemberId,
) -> Result<(Group, Vec<(Currency, Transfer)>), Problem> {
    let Own { group, mut transfers, .. } = own_transfers(app, member_key).await?;
    transfers.retain(|(_, it)| it.from == other || it.to == other);
    Ok((group, transfers))
}

/// A group, and what one of its members still has to pay or to get in it.
pub(super) struct Own {
    pub(super) group: Group,
    pub(super) members: Vec<Member>,
    /// The payments of its plan that the member sends or receives.
    pub(super) transfers: Vec<(Currency, Transfer)>,
    /// The payments of the group that are not confirmed yet, which the plan counts. A linked guest
    /// is named as the user.
    pub(super) pending: Vec<Settlement>,
}

/// Reads a member's group, and what is open for them in it.
pub(super) async fn own_transfers(app: &App, member_key: MemberKey) -> Result<Own, Problem> {
    let (group, members, ledger) = app.table.group_and_ledger(member_key).await?;
    let pending = app.table.pending_settlements(group.id, &ledger).await?;
    let debts = Debts::of(&members, &ledger, Some(&pending))
        .or_else(|_| Debts::of(&members, &ledger, None))?;
    let me: MemberId = member_key.user.into();
    let of = |(currency, plan): (Currency, Plan)| {
        let is_own = move |it: &Transfer| it.from == me || it.to == me;
        plan.transfers.into_iter().filter(is_own).map(move |it| (currency, it))
    };
    let transfers = debts.plans.into_iter().flat_map(of).collect();
    let pending = pending.iter().map(|it| it.resolved(&ledger.links)).collect();
    Ok(Own { group, members, transfers, pending })
}

/// Adds a payment of a plan between the reader and another member.
pub(super) fn count(open: &mut Open, currency: Currency, it: &Transfer, other: MemberId) {
    let [owed, owes] = open.entry(currency).or_default();
    let side = if it.from == other { owed } else { owes };
    *side = side.saturating_add(it.minor.into());
}

/// What the reader is owed and what they owe.
pub(super) fn amounts(l: Texts, open: &Open) -> Markup {
    let amount = |minor: i128, currency| ui::minor(l, minor, currency);
    html! {
        span.amounts { @for (currency, [owed, owes]) in open {
            @if *owed != 0 {
                span.plus { (sentence([amount(*owed, *currency)], |[it]| l.being_owed(it))) }
            }
            @if *owes != 0 {
                span.minus { (sentence([amount(*owes, *currency)], |[it]| l.owing(it))) }
            }
        } }
    }
}
