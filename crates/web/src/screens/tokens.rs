//! API tokens of the reader, their use, and signing in a browser.

use axum::extract::State;
use fracti_core::{
    caller::token::{Scope, Token},
    values::time::Timestamp,
};
use fracti_http::{App, AppPrincipal, Caller, Context, Problem};
use fracti_store::Page;
use maud::{Markup, html};

use crate::{
    fragment::Fragment,
    text::{Texts, sentence},
    ui,
};

/// Tokens on the screen; a user has at most 20, and expired ones are listed for some time.
const TOKENS: usize = 100;

pub(crate) async fn show(
    State(app): State<App>,
    _: AppPrincipal,
    Caller(user, ()): Caller,
    Context { now, .. }: Context,
    l: Texts,
) -> Result<Fragment, Problem> {
    let page = Page { limit: TOKENS, after: None };
    let (tokens, usage) = tokio::try_join!(
        app.table.tokens_of(user.id, now, &page),
        app.table.usage(user.id, now.day()),
    )?;
    Ok(Fragment(html! {
        a.back href="/app/me" { (l.me()) }
        h1 tabindex="-1" data-title { (l.tokens()) }
        p.note.hint { (l.tokens_about()) }
        ul.card.list { @for token in &tokens.items { (row(l, token, now)) } }
        p.note.hint { (l.usage_today(usage.reads.saturating_add(usage.app_reads),
            usage.writes.saturating_add(usage.app_writes))) }
        details.card.fields { summary { (l.new_token()) }
            form action="/api/users/me/tokens" data-method="POST" data-done=(l.token_made())
                novalidate {
                (ui::field("name", l.token_name(),
                    &html! { input #name name="name" maxlength="50" autocomplete="off"; }))
                label.check {
                    input type="checkbox" name="scopes[0]" value="read" checked;
                    (l.may_read())
                }
                label.check {
                    input type="checkbox" name="scopes[1]" value="write";
                    (l.may_write())
                }
                (ui::save(l.create()))
                button.small-button type="button" hidden data-show="token" data-copy="{token}" {
                    (l.copy_token())
                }
            }
        }
    }))
}

/// Makes a link that signs a browser in once, within 10 minutes: to open it, or to copy it to a
/// computer.
pub(crate) fn on_computer(l: Texts) -> Markup {
    html! {
        section.card.fields data-token {
            h2 { (l.browser()) }
            p.hint { (l.browser_about()) }
            (link(l, l.make_link(), &html! {
                button.small-button type="button" hidden data-show="token"
                    data-open="/app#code={token}" {
                    (l.open_browser())
                }
                button.small-button type="button" hidden data-show="token"
                    data-copy="/app#code={token}" {
                    (l.copy_link())
                }
            }))
        }
    }
}

/// Opens a screen in a browser, which is signed in, by one tap in Telegram.
pub(crate) fn in_browser(l: Texts, path: &str) -> Markup {
    link(
        l,
        l.open_in_browser(),
        &html! {
            button type="button" hidden data-show="token" data-once
                data-open={ (path) "#code={token}" } {}
        },
    )
}

fn link(l: Texts, label: &str, then: &Markup) -> Markup {
    html! {
        form action="/api/users/me/tokens" data-method="POST" data-done=(l.link_made()) novalidate {
            input type="hidden" name="name" value=(l.browser_link());
            input type="hidden" name="scopes[0]" value=(Scope::Browser);
            (ui::save(label))
            (then)
        }
    }
}

fn row(l: Texts, token: &Token, now: Timestamp) -> Markup {
    let has = |scope| token.scopes.contains(&scope);
    let scopes = match (has(Scope::Read), has(Scope::Write)) {
        _ if token.is_link() => l.signs_in(),
        (true, true) => l.read_write(),
        (true, false) => l.reads_only(),
        _ => l.writes_only(),
    };
    html! {
        li.row {
            span.grow { (ui::name(&token.name))
                small.hint { (scopes) " · "
                    @match token.last_used_at { Some(day) => (sentence([ui::day(l, day, now.day())],
                        |[day]| l.used_on(day))), None => (l.never_used()) }
                    @if let Some(until) = token.expires_at {
                        " · "
                        (sentence([ui::moment(l, until, now.day())], |[when]| l.until(when)))
                    }
                }
            }
            form.inline action={ "/api/users/me/tokens/" (token.id) } data-method="DELETE"
                data-then="" data-ask=(l.ask_delete_token())
                    data-done=(l.token_deleted(&token.name)) {
                button.small-button.danger { (l.delete()) }
            }
        }
    }
}
