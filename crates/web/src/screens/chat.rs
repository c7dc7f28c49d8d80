//! The question whether a new group is that of a chat which has an older one: Telegram gives a chat
//! that becomes a supergroup another id.

use fracti_core::{
    group::{Group, GroupFilter},
    input::Error,
    ledger::Ledger,
    values::id::UserId,
};
use fracti_http::{App, FromChat};
use fracti_store::Page;
use maud::{Markup, html};

use crate::{text::Texts, ui};

/// Groups that are offered.
const GROUPS: usize = 10;

/// Offers the reader's other groups, if the reader has opened the page from this one's chat, is
/// alone in it, and nothing is recorded.
pub(crate) async fn moves(
    l: Texts,
    app: &App,
    group: &Group,
    ledger: &Ledger,
    me: UserId,
    from: Option<&FromChat>,
) -> Result<Markup, Error> {
    let is_empty = ledger.last_event_at.is_none() && !ledger.state.may_have_pending();
    let is_new = group.member_count == 1 && is_empty;
    let is_from = from.is_some_and(|it| it.0 == group.chat_id);
    if !is_new || !is_from || group.archived {
        return Ok(html! {});
    }
    let page = Page { limit: GROUPS, after: None };
    let mut others = app.table.groups_of(me, &GroupFilter::default(), &page).await?.items;
    others.retain(|it| it.id != group.id);
    Ok(html! {
        @if !others.is_empty() {
            details.card.fields data-token { summary { (l.chat_has_a_group()) }
                p.hint { (l.chat_moves()) }
                @for other in &others {
                    form action="/api/groups/open" data-method="POST" data-then="/app/groups/{id}"
                        data-ask=(l.ask_move(&other.title)) data-done=(l.chat_moved(&other.title)) {
                        input type="hidden" name="groupId" value=(other.id);
                        p.error data-problem role="alert" hidden {}
                        button.small-button { (ui::name(&other.title)) }
                    }
                }
            }
        }
    })
}
