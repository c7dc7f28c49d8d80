//! The first screen in a group. The user who opened it from a chat names it. A user who joined says
//! whether they are one of its guests. They then take over the guest's balance, so another member
//! has to confirm it.

use axum::extract::State;
use fracti_core::group::{Group, Member, OpenedGroup};
use fracti_http::{App, AsMember, Context, FromChat, Problem};
use maud::{Markup, html};

use crate::{
    fragment::Fragment,
    screens::{
        chat,
        links::Links,
        members::{MEMBERS, ShownBefore},
    },
    text::Texts,
    ui::{self, Names, Start},
};

/// Seconds after joining in which a member is asked: a day.
const NEW: u64 = 24 * 60 * 60;

pub(crate) async fn show(
    State(app): State<App>,
    AsMember(member_key, ShownBefore(before)): AsMember<ShownBefore>,
    Context { now, .. }: Context,
    from: Result<FromChat, Problem>,
    l: Texts,
) -> Result<Fragment, Problem> {
    let (group, members, ledger) = app.table.group_and_ledger(member_key).await?;
    let path = ui::group_path(group.id);
    let names = Names::new(l, member_key.user.into(), &members);
    let me = members.iter().find(|it| it.id == member_key.user);
    let is_first = group.member_count == 1 && ledger.last_event_at.is_none() && !group.archived;
    if is_first && me.is_some_and(|it| group.is_created_by(it)) {
        let moves =
            chat::moves(l, &app, &group, &ledger, member_key.user, from.ok().as_ref()).await?;
        return Ok(Fragment(html! { (name(l, &group)) (moves) }));
    }
    let is_new = |it: &Member| it.guests.is_empty() && it.joined_at.plus_seconds(NEW) > now;
    let asked = members.iter().any(|it| names.is_me(it.id) && is_new(it)) && !group.archived;
    let is_free = |it: &&Member| it.guest && it.is_present() && it.linked_to.is_none();
    let guests: Vec<&Member> = members.iter().filter(is_free).filter(|_| asked).collect();
    let next = before.saturating_add(MEMBERS);
    let me = member_key.user;
    let ask = ui::start_link(app.bot_username.as_deref(), group.id, Start::Members);
    let links = Links { l, group: &group, names: &names, ledger: &ledger, me };
    Ok(Fragment(html! {
        h1 tabindex="-1" data-title { (ui::name(&group.title)) }
        @if guests.is_empty() { a.card.empty href=(path) data-go=(path) { (l.expenses()) } }
        @else {
            h2 { (l.are_you_one()) }
            p.note.hint { (l.are_you_one_about()) }
            div data-pages { ul.card.list {
                @for guest in guests.iter().skip(before).take(MEMBERS) {
                    li.row.wrap {
                        (names.avatar(guest.id))
                        span.grow { (names.shown(guest.id)) }
                        (links.that_is_me(guest, &ask))
                    }
                }
            } }
            @if next < guests.len() {
                (ui::show_more(l, &format!("{path}/welcome"), None, &next.to_string()))
            }
            a.main-button data-main href=(path) { (l.none_of_them()) }
        }
    }))
}

/// What this is, and the form that names a group which a chat has just opened.
fn name(l: Texts, group: &Group) -> Markup {
    let title = (group.title.as_str() != OpenedGroup::TITLE).then_some(&group.title);
    html! {
        h1 tabindex="-1" data-title { (l.name_group()) }
        p.note.hint { (l.name_group_about()) }
        form action={ "/api/groups/" (group.id) } data-method="PATCH"
            data-then=(ui::group_path(group.id)) data-done=(l.saved()) novalidate {
            div.card.fields {
                (ui::field("title", l.title(), &html! {
                    input #title name="title" maxlength="100" autocomplete="off" autofocus
                        placeholder=(l.title_example()) value=[title];
                }))
                (ui::field("currency", l.default_currency(),
                    &ui::regional_currency(l, "currency", "currency")))
            }
            (ui::submit(l.save()))
        }
    }
}
