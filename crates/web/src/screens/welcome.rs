//! After joining: whether the reader is one of the guests of the group. A member who is linked to a
//! guest takes over the guest's balance, so only another member may link them. The screen has a link
//! by which the reader asks for that.

use axum::extract::State;
use fracti_core::group::Member;
use fracti_http::{App, AsMember, Context, Problem};
use maud::html;

use crate::{
    fragment::Fragment,
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
    let (group, members) = app.table.group(member_key).await?;
    let path = ui::group_path(group.id);
    let names = Names::new(l, member_key.user.into(), &members);
    let is_new = |it: &Member| it.guests.is_empty() && it.joined_at.plus_seconds(NEW) > now;
    let asked = members.iter().any(|it| names.is_me(it.id) && is_new(it)) && !group.archived;
    let is_free = |it: &&Member| it.guest && it.is_present() && it.linked_to.is_none();
    let guests: Vec<&Member> = members.iter().filter(is_free).filter(|_| asked).collect();
    let link = ui::start_link(app.bot_username.as_deref(), group.id, Start::Members);
    Ok(Fragment(html! {
        h1 tabindex="-1" data-title { (ui::name(&group.title)) }
        @if guests.is_empty() { a.card.empty href=(path) data-go=(path) { (l.expenses()) } }
        @else {
            h2 { (l.are_you_one()) }
            p.note.hint { (l.are_you_one_about()) }
            ul.card.list {
                @for guest in guests {
                    li.row {
                        (names.avatar(guest.id))
                        span.grow { (ui::name(&guest.name)) }
                        button.small-button type="button" data-share-link=(link) data-text=(l.link_me(&guest.name))
                            aria-label={ (l.that_is_me()) ": " (guest.name) } { (l.that_is_me()) }
                    }
                }
            }
            a.main-button data-main href=(path) { (l.go_on()) }
        }
    }))
}
