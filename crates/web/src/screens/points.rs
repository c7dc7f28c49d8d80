//! Points of a group's members for their answers.

use axum::extract::State;
use fracti_http::{App, AsMember, Problem};
use maud::html;

use crate::{fragment::Fragment, text::Texts, ui};

pub(crate) async fn show(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    l: Texts,
) -> Result<Fragment, Problem> {
    let ranked = app.table.leaderboard(member_key).await?;
    Ok(Fragment(html! {
        a.back href={ (ui::group_path(member_key.group)) "/more" } { (l.more()) }
        h1 tabindex="-1" data-title { (l.points()) }
        @if ranked.is_empty() { p.card.empty { (l.no_points()) } }
        ol.card.list { @for it in &ranked {
            li.row {
                span.icon { (it.rank) }
                span.grow {
                    @let is_own = it.points.user_id == member_key.user;
                    (ui::name(if is_own { l.you() } else { &it.label }))
                    small.hint {
                        (l.streak(it.points.streak_days))
                        @for badge in &it.points.badges { " · 🏅 " (l.badge(*badge)) }
                    }
                }
                (l.points_of(it.points.total_points))
            }
        } }
    }))
}
