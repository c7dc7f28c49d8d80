//! The invitation to a group. To who has the code, it says which group it is; otherwise nothing.

use axum::extract::State;
use fracti_core::{group::MemberKey, values::id::GroupId};
use fracti_http::{App, Caller, Id, Parameters, Problem, QueryReader};
use maud::html;

use crate::{fragment::Fragment, text::Texts, ui};

/// The code of the invitation.
pub(crate) struct CodeQuery(Option<String>);

impl Parameters for CodeQuery {
    fn read(query: &mut QueryReader) -> Self {
        let schema = fracti_http::Description::inline::<String>;
        Self(query.read("code", "Code of the invitation.", schema))
    }
}

pub(crate) async fn show(
    State(app): State<App>,
    Caller(user, CodeQuery(code)): Caller<CodeQuery>,
    Id(group): Id<GroupId>,
    l: Texts,
) -> Result<Fragment, Problem> {
    let path = ui::group_path(group);
    let is_member = app.table.group(MemberKey { group, user: user.id }).await.is_ok();
    let invited = match code.as_deref().and_then(|it| it.parse().ok()) {
        Some(code) if !is_member => app.table.invited(group, &code).await?,
        _ => None,
    };
    Ok(Fragment(html! {
        a.back href="/app" { (l.groups()) }
        h1 tabindex="-1" data-title { (l.join_title()) }
        @if is_member { a.card.empty href=(path) data-go=(path) { (l.groups()) } }
        @else {
            form action={ "/api/groups/" (group) "/join" } data-method="POST"
                data-then={ (path) "/welcome" } data-done=(l.joined_group()) novalidate {
                @if let Some((group, by)) = &invited {
                    section.card.hero { p {
                        @if let Some(by) = by {
                            span.hint { (ui::name(&by.name)) " " (l.invites_you()) }
                        }
                        b { (ui::name(&group.title)) } span.hint { (l.members(group.member_count)) }
                    } }
                }
                p.card.empty { (l.join_about()) @if invited.is_none() { " " (l.join_unnamed()) } }
                @if let Some(code) = code { input type="hidden" name="invitation" value=(code); }
                (ui::submit(l.join()))
            }
        }
    }))
}
