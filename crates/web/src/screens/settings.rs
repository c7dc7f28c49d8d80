//! The settings of a group.

use axum::extract::State;
use fracti_core::group::{Group, GroupCategory, Member};
use fracti_http::{App, AsMember, FromChat, Problem};
use maud::{Markup, html};

use super::{
    chat,
    members::{Whose, settle_first},
};
use crate::{fragment::Fragment, text::Texts, ui};

pub(crate) async fn show(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    from: Result<FromChat, Problem>,
    l: Texts,
) -> Result<Fragment, Problem> {
    let (group, members, ledger) = app.table.group_and_ledger(member_key).await?;
    let is_me = |it: &&Member| it.id == member_key.user;
    let is_creator = members.iter().find(is_me).is_some_and(|it| group.is_created_by(it));
    let is_other = |it: &Member| it.is_present() && !it.guest && it.id != member_key.user;
    let open = ledger.all_unsettled();
    let others = members.iter().any(is_other);
    let api = format!("/api/groups/{}", group.id);
    let moves = chat::moves(l, &app, &group, &ledger, member_key.user, from.ok().as_ref()).await?;
    Ok(Fragment(html! {
        a.back href={ (ui::group_path(group.id)) "/more" } { (l.more()) }
        h1 tabindex="-1" data-title { (l.settings()) }
        @if !group.archived {
            form action=(api) data-method="PATCH" data-then="" data-done=(l.saved()) novalidate {
                div.card.fields {
                    (ui::field("title", l.title(),
                        &html! { input #title name="title" maxlength="100" value=(group.title); }))
                    (ui::field("currency", l.default_currency(),
                        &ui::currency_field(l, "currency", "currency", group.currency)))
                }
                (ui::submit(l.save()))
            }
            (categories(l, &group, &api))
            a.more href={ (ui::group_path(group.id)) "/split" } { (l.usual_split()) }
            (moves)
            @if let Some(bot) = app.bot_username.as_ref().filter(|_| app.telegram.is_some()) {
                section.card.fields data-token {
                    p.hint { (l.connect_chat_about()) }
                    button.small-button type="button"
                        data-open={ "https://t.me/" (bot) "?startgroup=" (group.id) } {
                        (l.connect_chat())
                    }
                }
            }
        }
        form.card.fields action=(api) data-method="PATCH" data-then=""
            data-done=(if group.archived { l.is_unarchived() } else { l.is_archived() })
            data-undo={ "PATCH " (api) }
            data-undo-body=(format!("{{\"archived\":{}}}", group.archived)) {
            p.hint { (l.archive_about()) }
            input type="hidden" name="archived" value=(!group.archived) data-json;
            (ui::save(if group.archived { l.unarchive() } else { l.archive() }))
        }
        @if is_creator && !group.archived {
            details.card.fields data-token { summary.minus { (l.delete_group()) }
                @if others { p.hint { (l.others_are_here()) } }
                @else if !open.is_empty() { (settle_first(l, &group, &open, Whose::Group)) }
                @else { form action=(api) data-method="DELETE" data-then="/app"
                    data-done=(l.group_deleted(&group.title)) {
                    p.hint { (l.delete_group_about()) }
                    label.check { input type="checkbox" required; (l.sure()) }
                    p.error data-problem role="alert" hidden {}
                    button.small-button.danger { (l.delete_group()) }
                } }
            }
        }
    }))
}

/// The group's own categories, which are saved as a whole.
fn categories(l: Texts, group: &Group, api: &str) -> Markup {
    html! {
        details.card.fields { summary { (l.own_categories()) }
            form action=(api) data-method="PATCH" data-then="" data-list="categories"
                data-done=(l.saved()) novalidate {
                @for (index, it) in group.categories.iter().enumerate() {
                    (category(l, &index.to_string(), Some(it)))
                }
                template #category { (category(l, "#", None)) }
                button.small-button type="button" data-add="category"
                    data-next=(group.categories.len()) {
                    (l.add_category())
                }
                (ui::save(l.save()))
            }
        }
    }
}

fn category(l: Texts, index: &str, it: Option<&GroupCategory>) -> Markup {
    let at = |field: &str| format!("categories[{index}].{field}");
    let emoji = it.and_then(|it| it.emoji.as_ref());
    html! {
        div.field data-row { div.line-fields {
            // A key only tells categories apart, so nobody is asked for one.
            input type="hidden" name=(at("key"))
                value=(it.map(|it| it.key.to_string()).unwrap_or_default()) data-fresh="key";
            input name=(at("name")) value=[it.map(|it| &it.name)]
                aria-label=(l.category_name_label()) placeholder=(l.category_name_label());
            input.pieces name=(at("emoji")) value=[emoji] aria-label=(l.emoji_label())
                placeholder="🙂";
            button.small-button type="button" data-remove aria-label=(l.remove_line()) { "✕" }
        } }
    }
}
