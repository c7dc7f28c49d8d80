//! What the screens of a group have in common.

use fracti_core::group::Group;
use maud::{Markup, html};

use crate::{text::Texts, ui};

/// Instead of a form in an archived group.
pub(crate) fn archived(l: Texts, group: &Group) -> Markup {
    html! {
        a.back href=(ui::group_path(group.id)) { (ui::name(&group.title)) }
        h1 tabindex="-1" data-title { (l.is_archived()) }
        p.card.empty { (l.archived_about()) }
        a.more href={ (ui::group_path(group.id)) "/settings" } { (l.settings()) }
    }
}

/// The title of a group, and its tabs.
pub(crate) fn head(l: Texts, group: &Group, shown: usize) -> Markup {
    let path = ui::group_path(group.id);
    let tabs = [
        (l.expenses(), path.clone()),
        (l.balances(), format!("{path}/balances")),
        (l.more(), format!("{path}/more")),
    ];
    html! {
        a.back href="/app" { (l.groups()) }
        h1 tabindex="-1" data-title {
            (ui::name(&group.title))
            @if group.archived { " " small.tag { (l.archived()) } }
        }
        (ui::tabs(l.sections(), &tabs, shown))
    }
}

/// The main button of a group.
pub(crate) fn add(group: &Group, label: &str) -> Markup {
    html! {
        @if !group.archived {
            a.main-button data-main href={ (ui::group_path(group.id)) "/expenses/new" } { (label) }
        }
    }
}
