//! The people with whom the reader shares groups, and what is open between them.

use std::collections::BTreeMap;

use axum::extract::State;
use fracti_core::{
    group::MemberKey,
    plan::Transfer,
    records::settlement::Settlement,
    values::{currency::Currency, decimal::Decimal, id::MemberId},
};
use fracti_http::{App, Caller, Parameters, Problem, QueryReader};
use fracti_store::{Membership, Page};
use futures_util::future::try_join_all;
use maud::{Markup, html};

use super::{
    friend::{Open, Own, amounts, count, own_transfers},
    members::{MEMBERS, ShownBefore},
    settlement::remark,
};
use crate::{
    fragment::Fragment,
    text::Texts,
    ui::{self, Names},
};

/// Groups among which those are looked for that are read.
const GROUPS: usize = 50;

/// Groups whose members and plans are read.
const READ: usize = 10;

/// Which people are shown.
pub(crate) struct FriendsQuery(ShownBefore);

impl Parameters for FriendsQuery {
    fn read(query: &mut QueryReader) -> Self {
        Self(ShownBefore::read(query))
    }
}

/// A person of the list.
struct Friend {
    /// Where the reader sees what is open between them.
    path: String,
    picture: Markup,
    name: String,
    /// Title of the group, if it is a guest.
    guest_of: Option<String>,
    /// What is open between them.
    open: Open,
    /// Payments between them that are not confirmed, and which `open` counts already.
    paid: Vec<(Currency, Decimal)>,
}

pub(crate) async fn show(
    State(app): State<App>,
    Caller(user, FriendsQuery(ShownBefore(before))): Caller<FriendsQuery>,
    l: Texts,
) -> Result<Fragment, Problem> {
    let page = Page { limit: GROUPS, after: None };
    let groups = app.table.memberships_of(user.id, &page).await?;
    let mut live: Vec<&Membership> = groups.items.iter().filter(|it| !it.group.archived).collect();
    live.sort_by_key(|it| it.totals.values().all(|totals| totals.net() == 0));
    let is_all = live.len() <= READ && groups.next.is_none();
    let read = live
        .into_iter()
        .take(READ)
        .map(async |it| own_transfers(&app, MemberKey { group: it.group.id, user: user.id }).await);
    let read = try_join_all(read).await?;
    let mut friends = BTreeMap::new();
    for own in &read {
        add(&mut friends, l, user.id.into(), own);
    }
    let mut friends: Vec<Friend> = friends.into_values().collect();
    friends.sort_by_cached_key(|it| (it.open.is_empty(), it.name.to_lowercase()));
    let next = before.saturating_add(MEMBERS);
    Ok(Fragment(html! {
        a.back href="/app/me" { (l.me()) }
        h1 tabindex="-1" data-title { (l.friends()) }
        @if friends.is_empty() { p.card.empty { (l.no_friends()) } }
        @else {
            p.hint.about {
                (if is_all { l.friends_about().to_owned() } else { l.friends_of(read.len()) })
            }
        }
        div data-pages {
            ul.card.list { @for it in friends.iter().skip(before).take(MEMBERS) { (row(l, it)) } }
        }
        @if next < friends.len() { (ui::show_more(l, "/app/me/friends", None, &next.to_string())) }
    }))
}

/// Adds the users of a group, and those others with whom something is open.
fn add(
    friends: &mut BTreeMap<MemberId, Friend>,
    l: Texts,
    me: MemberId,
    Own { group, members, transfers, pending }: &Own,
) {
    let names = Names::new(l, me, members);
    for member in members.iter().filter(|it| it.linked_to.is_none() && it.id != me) {
        let user = member.id.user().filter(|_| member.is_present());
        let between = |it: &&(Currency, Transfer)| it.1.from == member.id || it.1.to == member.id;
        let open: Vec<_> = transfers.iter().filter(between).collect();
        let is_between = |it: &&Settlement| {
            [(it.from_user_id, it.to_user_id), (it.to_user_id, it.from_user_id)]
                .contains(&(member.id, me))
        };
        if user.is_none() && open.is_empty() {
            continue;
        }
        let friend = friends.entry(member.id).or_insert_with(|| Friend {
            path: user.map_or_else(
                || format!("{}/balances", ui::group_path(group.id)),
                |id| format!("/app/me/friends/{id}"),
            ),
            picture: names.avatar(member.id),
            name: names.of(member.id).to_owned(),
            guest_of: member.guest.then(|| group.title.to_string()),
            open: BTreeMap::new(),
            paid: Vec::new(),
        });
        friend.paid.extend(pending.iter().filter(is_between).map(|it| (it.currency, it.amount)));
        for (currency, it) in open {
            count(&mut friend.open, *currency, it, member.id);
        }
    }
}

fn row(l: Texts, friend: &Friend) -> Markup {
    html! {
        li { a.row href=(friend.path) {
            (friend.picture)
            span.grow {
                span.name {
                    (ui::name(&friend.name))
                    @if friend.guest_of.is_some() { " " small.tag { (l.guest()) } }
                }
                @if let Some(group) = &friend.guest_of { small.hint { (ui::name(group)) } }
                @for (currency, sum) in ui::sums(friend.paid.iter().copied()) {
                    // What is open counts it already.
                    @let is_open = friend.open.contains_key(&currency);
                    (remark(l, sum, currency, |amount| {
                        if is_open {
                            l.besides_unconfirmed(amount)
                        } else {
                            l.paid_unconfirmed(amount)
                        }
                    }))
                }
            }
            @if friend.open.is_empty() { span.amounts { span.hint { (l.settled()) } } }
            @else { (amounts(l, &friend.open)) }
        } }
    }
}
