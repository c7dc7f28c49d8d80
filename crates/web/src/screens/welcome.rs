//! After joining: whether the reader is one of the guests of the group. Who is takes over the guest's
//! balance, so another member has to confirm it.

use axum::extract::State;
use fracti_core::group::Member;
use fracti_http::{App, AsMember, Context, Problem};
use maud::html;

use crate::{
    fragment::Fragment,
    screens::links::Links,
    text::Texts,
    ui::{self, Names, Start},
};

/// Seconds after joining in which a member is asked: a day.
const NEW: u64 = 24 * 60 * 60;

pub(crate) async fn show(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    Context { now, .. }: Context,
    l: Texts,
) -> Result<Fragment, Problem> {
    let (group, members, ledger) = app.table.group_and_ledger(member_key).await?;
    let path = ui::group_path(group.id);
    let names = Names::new(l, member_key.user.into(), &members);
    let is_new = |it: &Member| it.guests.is_empty() && it.joined_at.plus_seconds(NEW) > now;
    let asked = members.iter().any(|it| names.is_me(it.id) && is_new(it)) && !group.archived;
    let is_free = |it: &&Member| it.guest && it.is_present() && it.linked_to.is_none();
    let guests: Vec<&Member> = members.iter().filter(is_free).filter(|_| asked).collect();
    let me = member_key.user;
    let ask = ui::start_link(app.bot_username.as_deref(), group.id, Start::Members);
    let links = Links { l, group: &group, names: &names, ledger: &ledger, me };
    Ok(Fragment(html! {
        h1 tabindex="-1" data-title { (ui::name(&group.title)) }
        @if guests.is_empty() { a.card.empty href=(path) data-go=(path) { (l.expenses()) } }
        @else {
            h2 { (l.are_you_one()) }
            p.note.hint { (l.are_you_one_about()) }
            ul.card.list {
                @for guest in guests {
                    li.row.wrap {
                        (names.avatar(guest.id))
                        span.grow { (ui::name(&guest.name)) }
                        (links.that_is_me(guest, &ask))
                    }
                }
            }
            a.main-button data-main href=(path) { (l.go_on()) }
        }
    }))
}
