//! The reader and one friend, in all groups that they share.

use axum::extract::State;
use fracti_core::values::id::UserId;
use fracti_http::{App, Caller, Id, Problem};
use maud::html;

use crate::{
    fragment::Fragment,
    text::{Texts, sentence},
    ui,
};

pub(crate) async fn show(
    State(app): State<App>,
    Caller(user, ()): Caller,
    Id(other): Id<UserId>,
    l: Texts,
) -> Result<Fragment, Problem> {
    let shared = app.table.shared_with(user.id, other).await?;
    Ok(Fragment(html! {
        a.back href="/app/me" { (l.me()) }
        h1 tabindex="-1" data-title { (sentence([ui::name(&shared.other.name)], |[name]| l.with_friend_title(name))) }
        @for it in &shared.groups {
            section {
                h2 { (ui::name(&it.group.title)) }
                ul.card.list {
                    @if it.balances.is_empty() { li.row { (l.nothing_between()) } }
                    @for (currency, [mine, others]) in &it.balances {
                        li.row { span.grow { (l.you()) } (ui::balance(l, *mine, *currency)) }
                        li.row { span.grow { (ui::name(&shared.other.name)) } (ui::balance(l, *others, *currency)) }
                    }
                    li { a.row href={ (ui::group_path(it.group.id)) "/settle?to=" (other) } { (l.settle()) } }
                }
            }
        }
        @if !shared.pending.is_empty() {
            section { h2 { (l.pending_payments()) }
                ul.card.list { @for it in &shared.pending {
                    li { a.row href={ (ui::group_path(it.group_id)) "/settlements/" (it.id) } {
                        span.grow { (ui::name(&it.from_user_name)) " " (ui::arrow()) " " (ui::name(&it.to_user_name)) } (ui::money(l, it.amount, it.currency)) } }
                } } }
        }
    }))
}
