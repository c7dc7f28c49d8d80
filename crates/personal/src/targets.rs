//! The endpoints of a user's targets.

use std::collections::BTreeMap;

use axum::{extract::State, http::StatusCode, response::Response};
use fracti_core::{
    expense::Category,
    input::Field,
    targets::{MAX_OWN_CATEGORIES, OwnCategory, OwnCategoryUpdate, TOTAL, Targets, TargetsUpdate},
};
use fracti_http::{
    App, Body, Caller, Code, Data, JsonDecimal, JsonScalar, Once, Problem, Text,
    Value as JsonValue, respond, schemas,
};
use serde::Serialize;
use serde_json::{Map, Value, json};
use utoipa::{
    ToSchema,
    openapi::{RefOr, Schema},
};

/// What a user wants to spend at most in a period, and the user's own categories.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = UserTargets)]
pub(crate) struct TargetsView {
    /// Version, which grows with each change. Send it with the next change.
    #[schema(minimum = 1, example = 1)]
    version: u64,
    /// Period of the targets.
    period: schemas::TargetPeriod,
    /// Currency of the targets below, and of spendings that name none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    currency: Option<schemas::Currency>,
    /// Time zone of the user's days. Default: UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    time_zone: Option<schemas::TimeZone>,
    #[serde(flatten)]
    amounts: TargetAmounts,
    /// The user's own categories, by key.
    registry: BTreeMap<String, OwnCategoryView>,
    /// Time of the last change.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    updated_at: Option<schemas::Timestamp>,
}

/// The targets that are set, by key: `total` or a category.
#[derive(Debug, Serialize)]
#[serde(transparent)]
struct TargetAmounts(BTreeMap<String, JsonDecimal>);

impl utoipa::PartialSchema for TargetAmounts {
    fn schema() -> RefOr<Schema> {
        let target = |key| {
            let of = if key == TOTAL { "all spendings" } else { key };
            let description = format!("Most that the user wants to spend on {of} in a period.");
            let amount = json!({ "type": "number", "minimum": 0, "example": 300 });
            (key.to_owned(), described(amount, &description))
        };
        let properties: Map<String, Value> = keys().map(target).collect();
        let schema = json!({ "type": "object", "properties": properties });
        serde_json::from_value(described(schema, "Targets in the user's currency."))
            .unwrap_or_else(|error| unreachable!("the schema is valid: {error}"))
    }
}

impl ToSchema for TargetAmounts {}

fn described(mut schema: Value, description: &str) -> Value {
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("description".to_owned(), description.into());
    }
    schema
}

/// Keys of the targets in the user's currency.
fn keys() -> impl Iterator<Item = &'static str> {
    [TOTAL].into_iter().chain(Category::WORDS.iter().copied())
}

/// A category of the user's own.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OwnCategory)]
struct OwnCategoryView {
    /// Currency of the target. It never changes.
    unit: schemas::Currency,
    /// Name of the category for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = schemas::CategoryLabel)]
    label: Option<String>,
    /// Most that the user wants to spend in a period.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    target: Option<JsonDecimal>,
    /// Whether new spendings may have the category.
    status: schemas::CategoryStatus,
}

/// Changes to targets. A field that is left out stays as it is.
#[derive(ToSchema)]
#[schema(
    rename_all = "camelCase",
    example = json!({ "version": 1, "currency": "EUR", "food": 300, "registry": { "pets": { "unit": "EUR" } } })
)]
#[expect(dead_code, reason = "describes the body that is read")]
pub(crate) struct UpdateTargets {
    /// Version of the targets that were read.
    #[schema(minimum = 1)]
    version: u64,
    /// New period of all targets.
    period: Option<schemas::TargetPeriod>,
    /// New currency. It needs new values of all targets that are set.
    currency: Option<schemas::Currency>,
    /// New time zone of the user's days. Days of the past stay as they are.
    time_zone: Option<schemas::TimeZone>,
    /// New target for all spendings; 0 removes it.
    total: Option<schemas::TargetInput>,
    /// New target for the category `food`; 0 removes it.
    food: Option<schemas::TargetInput>,
    /// New target for the category `transport`; 0 removes it.
    transport: Option<schemas::TargetInput>,
    /// New target for the category `entertainment`; 0 removes it.
    entertainment: Option<schemas::TargetInput>,
    /// New target for the category `shopping`; 0 removes it.
    shopping: Option<schemas::TargetInput>,
    /// New target for the category `utilities`; 0 removes it.
    utilities: Option<schemas::TargetInput>,
    /// New target for the category `rent`; 0 removes it.
    rent: Option<schemas::TargetInput>,
    /// New target for the category `travel`; 0 removes it.
    travel: Option<schemas::TargetInput>,
    /// New target for the category `health`; 0 removes it.
    health: Option<schemas::TargetInput>,
    /// New target for the category `education`; 0 removes it.
    education: Option<schemas::TargetInput>,
    /// New target for the category `other`; 0 removes it.
    other: Option<schemas::TargetInput>,
    /// New and changed categories of the user's own, by key. They are never deleted.
    registry: Option<BTreeMap<String, UpdateOwnCategory>>,
}

/// A new category of the user's own, or changes to one.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body that is read")]
struct UpdateOwnCategory {
    /// Currency of the target. A new category needs it, and it never changes.
    unit: Option<schemas::Currency>,
    /// New name for people.
    label: Option<schemas::CategoryLabel>,
    /// New target; 0 removes it.
    target: Option<schemas::TargetInput>,
    /// New status. Default of a new category: `ACTIVE`.
    status: Option<schemas::CategoryStatus>,
}

impl Body for UpdateTargets {
    type Fields = TargetsUpdate;

    fn read(value: JsonValue<'_, '_>) -> Field<TargetsUpdate> {
        value.object(|targets| TargetsUpdate {
            version: targets.field("version").required().parse(|sent| version(&sent)),
            period: targets.field("period").text(),
            currency: targets.field("currency").text(),
            time_zone: targets.field("timeZone").text(),
            targets: keys().map(|key| (key, targets.field(key).scalar())).collect(),
            registry: targets.field("registry").entries(MAX_OWN_CATEGORIES, |_, own| {
                own.object(|own| OwnCategoryUpdate {
                    unit: own.field("unit").text(),
                    label: own.field("label").text(),
                    target: own.field("target").scalar(),
                    status: own.field("status").text(),
                })
            }),
        })
    }
}

/// Parses a version, which is a whole number.
fn version(sent: &JsonScalar<'_>) -> Result<u64, Option<String>> {
    let version = match sent {
        JsonScalar::Other(number) => number.parse().ok().filter(|version| *version > 0),
        JsonScalar::Text(_) => None,
    };
    version.ok_or_else(|| Some("must be a whole number above 0".to_owned()))
}

/// Get the caller's targets.
///
/// A user who has set none has version 1 without targets.
#[utoipa::path(get, path = "/api/users/me/targets", tag = "targets",
    responses((status = OK, body = Data<TargetsView>)))]
pub(crate) async fn get_targets(
    State(app): State<App>,
    Caller(user, ()): Caller,
) -> Result<Data<TargetsView>, Problem> {
    Ok(Data::new(app.table.targets(user.id).await?.into()))
}

/// Update the caller's targets.
///
/// Fields that are left out stay as they are; 0 removes a target. Send the version that you have
/// read: if the targets have another one, nothing is changed.
#[utoipa::path(patch, path = "/api/users/me/targets", tag = "targets",
    request_body = UpdateTargets,
    responses((status = OK, body = Data<TargetsView>)),
    extensions(("x-errors" = json!([Code::VersionConflict]))))]
pub(crate) async fn update_targets(
    State(app): State<App>,
    Caller(user, ()): Caller,
    once: Once<UpdateTargets>,
) -> Result<Response, Problem> {
    let idempotency = once.key.idempotency::<_, TargetsView>("update-targets");
    let (update, now) = (&once.body, once.creation.now);
    let targets = app.table.update_targets(user.id, update, now, &idempotency).await?;
    respond(StatusCode::OK, &idempotency, targets)
}

impl From<Targets> for TargetsView {
    fn from(of: Targets) -> Self {
        let Targets { version, period, currency, time_zone, targets, registry, updated_at, .. } =
            of;
        let amounts = targets.into_iter().map(|(key, target)| (key, JsonDecimal(target)));
        let own = |(key, own): (_, OwnCategory)| (String::from(key), own.into());
        Self {
            version,
            period: Text(period),
            currency: currency.map(Text),
            time_zone: time_zone.map(Text),
            amounts: TargetAmounts(amounts.collect()),
            registry: registry.into_iter().map(own).collect(),
            updated_at: updated_at.map(Text),
        }
    }
}

impl From<OwnCategory> for OwnCategoryView {
    fn from(OwnCategory { unit, label, target, status }: OwnCategory) -> Self {
        Self {
            unit: Text(unit),
            label: label.map(|label| label.to_string()),
            target: target.map(JsonDecimal),
            status: Text(status),
        }
    }
}
