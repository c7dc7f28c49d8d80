//! Messages of the bot to the reader.

use axum::extract::State;
use fracti_core::{
    chat::subscription::{INTERVAL, InactiveReason, QuietHours, Subscription, Topic},
    group::{Group, GroupFilter},
    values::id::Subscriber,
};
use fracti_http::{App, Caller, Credential, Problem};
use fracti_store::Page;
use fracti_texts::Language;
use maud::{Markup, html};

use crate::{fragment::Fragment, text::Texts, ui};

/// Groups that can be muted on the screen.
const GROUPS: usize = 100;

/// Minutes between two messages that are offered.
const INTERVALS: [u16; 6] = [5, 15, INTERVAL, 60, 180, 1_440];

pub(crate) async fn show(
    State(app): State<App>,
    Caller(user, ()): Caller,
    via: Credential,
    l: Texts,
) -> Result<Fragment, Problem> {
    let page = Page { limit: GROUPS, after: None };
    let filter = GroupFilter::default();
    let (subscription, groups) = tokio::try_join!(
        app.table.subscription(Subscriber::User(user.id)),
        app.table.groups_of(user.id, &filter, &page),
    )?;
    let is_on = subscription.as_ref().is_some_and(|it| it.active);
    let reason = subscription.as_ref().and_then(|it| it.inactive_reason);
    let may_change = via.require_app().is_ok() && app.telegram.is_some();
    Ok(Fragment(html! {
        a.back href="/app/me" { (l.me()) }
        h1 tabindex="-1" data-title { (l.messages()) }
        @if app.telegram.is_none() { p.card.empty { (l.no_messages_here()) } }
        @else if via.require_app().is_err() { p.card.empty { (l.messages_in_telegram()) } }
        @if let Some(reason) = reason { p.card.danger role="alert" { (stopped(l, reason)) } }
        @if may_change {
            (settings(l, subscription.as_ref(), &groups.items, is_on))
            @if is_on {
                form action="/api/users/me/subscription" data-method="DELETE" data-then=""
                    data-done=(l.messages_are_off()) {
                    button.small-button.danger { (l.turn_messages_off()) }
                }
            }
        }
    }))
}

const fn stopped(l: Texts, reason: InactiveReason) -> &'static str {
    match reason {
        InactiveReason::Blocked => l.bot_blocked(),
        InactiveReason::ChatNotFound => l.bot_not_allowed(),
        InactiveReason::Refused => l.messages_refused(),
    }
}

fn settings(l: Texts, of: Option<&Subscription>, groups: &[Group], is_on: bool) -> Markup {
    let minutes = of.map_or(INTERVAL, |it| it.min_interval_minutes);
    let other = (!INTERVALS.contains(&minutes)).then_some(minutes);
    let has = |topic| of.is_none_or(|it| it.topics.contains(&topic));
    let is_muted = |group: &Group| of.is_some_and(|it| it.muted_groups.contains(&group.id));
    let language = of.map_or(l.0, |it| it.language);
    let quiet = of.and_then(|it| it.quiet_hours);
    html! {
        form action="/api/users/me/subscription" data-method="PUT" data-then="" data-write-access
            data-done=(if is_on { l.saved() } else { l.messages_are_on() }) novalidate {
            p.note.hint { (l.messages_about()) }
            div.card.fields {
                (ui::field("interval", l.interval(),
                    &html! { select #interval name="minIntervalMinutes" data-json {
                    @for it in INTERVALS.into_iter().chain(other) {
                        option value=(it) selected[it == minutes] { (l.at_most_every(it)) }
                    }
                } }))
                (ui::field("language", l.message_language(), &html! {
                    select #language name="language" {
                        @for it in Language::ALL {
                            option value=(it) selected[it == language] { (it.own_name()) }
                        }
                    }
                }))
            }
            section.card.fields { h2 { (l.topics()) }
                @for (index, topic) in Topic::ALL.into_iter().enumerate() {
                    label.check {
                        input type="checkbox" name={ "topics[" (index) "]" } value=(topic)
                            checked[has(topic)];
                        (l.topic(topic))
                    }
                }
            }
            section.card.fields { h2 { (l.quiet_hours()) }
                (hour("from", l.first_hour(), quiet.map(|QuietHours { from, .. }| from)))
                (hour("to", l.last_hour(), quiet.map(|QuietHours { to, .. }| to)))
            }
            @if is_on && !groups.is_empty() && groups.iter().all(is_muted) {
                p.note.hint { b { (l.no_told_group()) } }
            }
            @if !groups.is_empty() {
                details.card.fields { summary { (l.told_groups()) }
                    @for (index, group) in groups.iter().enumerate() {
                        label.check {
                            input type="checkbox" name={ "mutedGroups[" (index) "]" }
                                value=(group.id) data-unticked checked[!is_muted(group)];
                            (ui::name(&group.title))
                        }
                    }
                }
            }
            (ui::submit(if is_on { l.save() } else { l.turn_messages_on() }))
        }
    }
}

/// A choice of an hour, or of none.
fn hour(name: &str, label: &str, chosen: Option<u8>) -> Markup {
    ui::field(
        name,
        label,
        &html! {
            select id=(name) name={ "quietHours." (name) } data-json {
                option value="" selected[chosen.is_none()] { "–" }
                @for hour in 0..24_u8 {
                    option value=(hour) selected[chosen == Some(hour)] { (hour) ":00" }
                }
            }
        },
    )
}
