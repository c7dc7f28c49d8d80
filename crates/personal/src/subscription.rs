//! The endpoints of a user's subscription to messages of the bot.

use axum::{extract::State, http::StatusCode, response::Response};
use fracti_core::{
    chat::subscription::{
        INTERVALS, MAX_MUTED, QuietHoursInput, Subscription, SubscriptionSettings, Topic,
    },
    input::Field,
    values::id::Subscriber,
};
use fracti_http::{
    AcceptLanguage, App, AppPrincipal, Caller, Code, Data, Description, JsonScalar, Once, Problem,
    Text, Value, body, respond, schemas,
};
use fracti_texts::rule;
use serde::Serialize;
use serde_json::json;
use std::{ops::RangeInclusive, str::FromStr};
use utoipa::ToSchema;

/// Messages of the bot to a user.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MessageSubscription)]
pub(crate) struct SubscriptionView {
    /// Whether messages are sent.
    active: bool,
    /// Why Telegram took no more messages: set the subscription again once the bot can write.
    #[serde(skip_serializing_if = "Option::is_none")]
    inactive_reason: Option<schemas::InactiveReason>,
    /// Minutes between two messages, at least.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 5, maximum = 1440, example = 30)]
    min_interval_minutes: Option<u16>,
    /// What messages are about.
    #[serde(skip_serializing_if = "Option::is_none")]
    topics: Option<Vec<schemas::MessageTopic>>,
    /// Groups of which nothing is told.
    #[serde(skip_serializing_if = "Option::is_none")]
    muted_groups: Option<Vec<schemas::ResourceId>>,
    /// Hours in which messages make no sound, in the zone of the user's targets.
    #[serde(skip_serializing_if = "Option::is_none")]
    quiet_hours: Option<QuietHoursView>,
    /// Language of the messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<schemas::MessageLanguage>,
    /// Time of the last message.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_notified_at: Option<schemas::Timestamp>,
    /// Time at which messages were turned on.
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<schemas::Timestamp>,
    /// Time of the last change of the settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_at: Option<schemas::Timestamp>,
}

/// Hours in which messages make no sound.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = QuietHours)]
struct QuietHoursView {
    /// The first quiet hour.
    #[schema(minimum = 0, maximum = 23, example = 22)]
    from: u8,
    /// The first hour that is not quiet any more.
    #[schema(minimum = 0, maximum = 23, example = 8)]
    to: u8,
}

body! {
    /// Settings of the messages. They replace all earlier ones.
    #[example = {
        "minIntervalMinutes": 60, "topics": ["expenses", "settlements"],
        "quietHours": { "from": 22, "to": 8 }, "language": "en",
    }]
    #[empty = SubscriptionSettings::default()]
    pub(crate) SetSubscription => SubscriptionSettings, |it| SubscriptionSettings {
        min_interval_minutes: whole(
            it.field("minIntervalMinutes", "Minutes between two messages, at least. Default: 30."),
            INTERVALS.0..=INTERVALS.1,
        ),
        topics: it
            .field("topics", "What messages are about. Default: everything.")
            .texts(1..=Topic::ALL.len()),
        muted_groups: it
            .field("mutedGroups", "Groups of which nothing is told. Default: none.")
            .list(0..=MAX_MUTED, |group| {
                group.required().text_of(Description::reference::<schemas::ResourceId>)
            }),
        quiet_hours: it
            .field(
                "quietHours",
                "Hours in which messages make no sound, in the zone of the targets. Default: none.",
            )
            .of::<SetQuietHours>(),
        language: it
            .field("language", "Language of the messages. Default: that of `Accept-Language`.")
            .text(),
    }
}

body! {
    /// Hours in which messages make no sound: two different ones.
    SetQuietHours => QuietHoursInput, |it| QuietHoursInput {
        from: whole(it.field("from", "The first quiet hour.").required(), 0..=23),
        to: whole(it.field("to", "The first hour that is not quiet any more.").required(), 0..=23),
    }
}

/// Reads a whole number of a range.
fn whole<T>(value: Value<'_, '_>, range: RangeInclusive<T>) -> Field<T>
where
    T: FromStr + PartialOrd + Copy + std::fmt::Display + Serialize,
{
    let least = *range.start();
    let most = *range.end();
    let schema =
        |_: &mut Description| json!({ "type": "integer", "minimum": least, "maximum": most });
    value.parse(schema, |sent| {
        let number = match sent {
            JsonScalar::Other(number) => number.parse().ok().filter(|it| range.contains(it)),
            JsonScalar::Text(_) => None,
        };
        number.ok_or_else(|| {
            Some(rule!(
                "{field} must be from {least} to {most}",
                "{field} должно быть от {least} до {most}"
            ))
        })
    })
}

/// Get the caller's subscription.
///
/// Whether the bot writes to the caller of changes in their groups, and how.
#[utoipa::path(get, path = "/api/users/me/subscription", tag = "subscription",
    responses((status = OK, body = Data<SubscriptionView>)))]
pub(crate) async fn get_subscription(
    State(app): State<App>,
    Caller(user, ()): Caller,
) -> Result<Data<SubscriptionView>, Problem> {
    let subscription = app.table.subscription(Subscriber::User(user.id)).await?;
    Ok(Data::new(subscription.into()))
}

/// Set the caller's subscription.
///
/// It replaces all settings, and turns messages on. If they were off, the bot first writes that
/// they come; if it cannot, `inactiveReason` says why. Not by an API token, so that a leaked one
/// silences nothing.
#[utoipa::path(put, path = "/api/users/me/subscription", tag = "subscription",
    responses((status = OK, body = Data<SubscriptionView>)),
    extensions(("x-errors" = json!([Code::NotAllowed, Code::MessagesDisabled]))))]
pub(crate) async fn set_subscription(
    State(app): State<App>,
    _: AppPrincipal,
    Caller(user, ()): Caller,
    AcceptLanguage(language): AcceptLanguage,
    once: Once<SetSubscription>,
) -> Result<Response, Problem> {
    app.require_telling()?;
    let idempotency = once.key.idempotency::<_, SubscriptionView>("set-subscription");
    let of = Subscriber::User(user.id);
    let now = idempotency.now();
    let change =
        |before: Option<&Subscription>| once.body.apply(before, user.id, language, now).map(Some);
    let set = app.table.change_subscription(of, None, change, &idempotency).await?;
    respond(StatusCode::OK, &idempotency, set)
}

/// Delete the caller's subscription.
///
/// No more messages are sent. Not by an API token.
#[utoipa::path(delete, path = "/api/users/me/subscription", tag = "subscription",
    responses((status = OK, body = Data<SubscriptionView>)),
    extensions(("x-errors" = json!([Code::NotAllowed]))))]
pub(crate) async fn delete_subscription(
    State(app): State<App>,
    _: AppPrincipal,
    Caller(user, ()): Caller,
    once: Once<()>,
) -> Result<Response, Problem> {
    let idempotency = once.key.viewed("delete-subscription", |()| SubscriptionView::from(None));
    let deleted = app.table.delete_subscription(user.id, &once.body, &idempotency).await?;
    respond(StatusCode::OK, &idempotency, deleted)
}

impl From<Option<Subscription>> for SubscriptionView {
    fn from(of: Option<Subscription>) -> Self {
        let Some(of) = of else {
            return Self {
                active: false,
                inactive_reason: None,
                min_interval_minutes: None,
                topics: None,
                muted_groups: None,
                quiet_hours: None,
                language: None,
                last_notified_at: None,
                created_at: None,
                updated_at: None,
            };
        };
        Self {
            active: of.active,
            inactive_reason: of.inactive_reason.map(Text),
            min_interval_minutes: Some(of.min_interval_minutes),
            topics: Some(of.topics.into_iter().map(Text).collect()),
            muted_groups: Some(of.muted_groups.into_iter().map(|it| Text(it.into())).collect()),
            quiet_hours: of.quiet_hours.map(|it| QuietHoursView { from: it.from, to: it.to }),
            language: Some(Text(of.language)),
            last_notified_at: of.last_notified_at.map(Text),
            created_at: Some(Text(of.created_at)),
            updated_at: Some(Text(of.updated_at)),
        }
    }
}
