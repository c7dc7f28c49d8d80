//! Everything else that a group has.

use axum::extract::State;
use fracti_http::{App, AsMember, Problem};
use maud::html;

use super::frame::{add, head};
use crate::{fragment::Fragment, text::Texts, ui};

pub(crate) async fn show(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    l: Texts,
) -> Result<Fragment, Problem> {
    let (group, _) = app.table.group(member_key).await?;
    let path = ui::group_path(group.id);
    let statement = format!("/ledger/{}", member_key.user);
    let links = [
        ("👥", l.members_title(), "/members"),
        ("⚙️", l.settings(), "/settings"),
        ("🔔", l.whats_new(), "/changes"),
        ("🔁", l.repeating(), "/schedules"),
        ("❓", l.questions(), "/questions"),
        ("🏅", l.points(), "/points"),
        ("💸", l.payments(), "/settlements"),
        ("📊", l.statistics(), "/stats"),
        ("📈", l.history_of_balances(), "/ledger"),
        ("📒", l.your_statement(), &statement),
        ("🔎", l.search(), "/expenses"),
        ("🗑️", l.deleted_expenses(), "/expenses?deleted=true"),
        ("📥", l.import(), "/import"),
        ("📤", l.export(), "/export"),
    ];
    Ok(Fragment(html! {
        (head(l, &group, 2))
        ul.card.list {
            @for (icon, label, to) in links {
                li {
                    a.row href={ (path) (to) } {
                        span.icon aria-hidden="true" { (icon) }
                        span.grow { (label) }
                    }
                }
            }
        }
        (add(&group, l.add_expense()))
    }))
}
