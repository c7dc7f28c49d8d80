//! Imports into a group, and its export.

use axum::extract::State;
use fracti_core::{group::labels, records::import::ImportStatus};
use fracti_http::{App, AsMember, Context, Problem};
use maud::html;

use super::tokens;
use crate::{fragment::Fragment, text::Texts, ui};

pub(crate) async fn import(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    Context { now, .. }: Context,
    l: Texts,
) -> Result<Fragment, Problem> {
    let ((group, members), imports) =
        tokio::try_join!(app.table.group(member_key), app.table.imports(member_key))?;
    let api = format!("/api/groups/{}/import", group.id);
    // Members of one name are told apart.
    let additions = labels::additions(&members);
    let people = members.iter().filter(|it| it.is_present() && it.linked_to.is_none());
    Ok(Fragment(html! {
        a.back href={ (ui::group_path(group.id)) "/more" } { (l.more()) }
        h1 tabindex="-1" data-title { (l.import()) }
        @if !group.archived {
            form.card.fields action=(api) data-method="POST" data-file
                data-then={ (ui::group_path(group.id)) } novalidate {
                p.hint { (l.import_about()) }
                // The browser's own button has the language of the browser.
                (ui::field("file", l.file(), &html! {
                    div {
                        label.small-button {
                            input.sr #file type="file" name="file" accept=".csv,.json";
                            span { (l.choose_file()) }
                        }
                        bdi data-file-name {}
                    }
                }))
                datalist #people { @for it in people { option value=(it.id) {
                    (it.name) @if let Some(addition) = additions.get(&it.id) { " " (addition) }
                } } }
                div data-plan {}
                p.error data-problem role="alert" hidden {}
                button.small-button data-label=(l.import()) { (l.show_plan()) }
            }
        }
        @if !imports.is_empty() {
            section { h2 { (l.imports()) }
                ul.card.list { @for it in &imports {
                    li.row {
                        span.grow { (it.format.app().name()) small.hint {
                            (ui::moment(l, it.created_at, now.day()))
                            " · " (l.import_status(it.status)) " · " (l.found(it.expenses))
                        } }
                        @if it.status != ImportStatus::Undone && !group.archived {
                            form.inline action={ (api) "/" (it.id) } data-method="DELETE"
                                data-then="" data-ask=(l.ask_undo_import())
                                    data-done=(l.import_undone()) {
                                button.small-button.danger { (l.undo_import()) }
                            }
                        }
                    }
                } } }
        }
    }))
}

pub(crate) async fn export(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    Context { now, .. }: Context,
    l: Texts,
) -> Result<Fragment, Problem> {
    let (group, _) = app.table.group(member_key).await?;
    let url = |format: &str| format!("/api/groups/{}/export?format={format}", group.id);
    let name =
        group.title.as_str().split(|it: char| !it.is_alphanumeric()).filter(|it| !it.is_empty());
    let name = name.collect::<Vec<_>>().join("-");
    let file = |format: &str| format!("{name}-{}.{format}", now.day());
    Ok(Fragment(html! {
        a.back href={ (ui::group_path(group.id)) "/more" } { (l.more()) }
        h1 tabindex="-1" data-title { (l.export()) }
        section.card.fields {
            p.hint { (l.export_about()) }
            div data-telegram { div data-token {
                p.hint { (l.export_in_browser()) }
                (tokens::in_browser(l, &format!("{}/export", ui::group_path(group.id))))
            } }
            @for (format, label) in [("csv", l.as_table()), ("json", l.for_programs())] {
                button.small-button type="button" data-export=(url(format)) data-type=(format)
                    data-file-name=(file(format)) {
                    (label)
                }
            }
        }
    }))
}
