//! The endpoints of a user's targets.

use std::collections::BTreeMap;

use axum::{extract::State, http::StatusCode, response::Response};
use fracti_core::{
    input::Field,
    personal::targets::{
        MAX_OWN_CATEGORIES, OwnCategory, OwnCategoryUpdate, Targets, TargetsUpdate,
    },
    values::{
        category::{Category, TOTAL},
        decimal::Decimal,
    },
};
use fracti_http::{
    App, Caller, Code, Data, JsonDecimal, JsonScalar, Object, Once, Problem, Text,
    Value as JsonValue, body, respond, schemas,
};
use fracti_texts::rule;
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
    currency: Option<schemas::Currency>,
    /// Time zone of the user's days. Default: UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    time_zone: Option<schemas::TimeZone>,
    #[serde(flatten)]
    amounts: TargetAmounts,
    /// The user's own categories, by key.
    registry: BTreeMap<String, OwnCategoryView>,
    /// Time of the last change.
    #[serde(skip_serializing_if = "Option::is_none")]
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
    #[schema(value_type = schemas::CategoryLabel)]
    label: Option<String>,
    /// Most that the user wants to spend in a period.
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<JsonDecimal>,
    /// Whether new spendings may have the category.
    status: schemas::CategoryStatus,
}

body! {
    /// Changes to targets. A field that is left out stays as it is.
    #[example = {
        "version": 1, "currency": "EUR", "food": 300, "registry": { "pets": { "unit": "EUR" } },
    }]
    pub(crate) UpdateTargets => TargetsUpdate, |it| TargetsUpdate {
        version: version(it.field("version", "Version of the targets that were read.")),
        period: it.field("period", "New period of all targets.").text(),
        currency: it
            .field("currency", "New currency. It needs new values of all targets that are set.")
            .text(),
        time_zone: it
            .field(
                "timeZone",
                "New time zone of the user's days. Days of the past stay as they are.",
            )
            .text(),
        targets: keys().map(|key| (key, target(it, key))).collect(),
        registry: it
            .field(
                "registry",
                "New and changed categories of the user's own, by key. They are never deleted.",
            )
            .entries(MAX_OWN_CATEGORIES, |_, own| own.of::<UpdateOwnCategory>()),
    }
}

/// Reads the target for a key.
fn target(targets: &mut Object<'_, '_>, key: &'static str) -> Field<Decimal> {
    let category = format_args!("New target for the category `{key}`; 0 removes it.");
    let total = format_args!("New target for all spendings; 0 removes it.");
    let about = if key == TOTAL { total } else { category };
    targets.field(key, about).number(schemas::TargetInput)
}

body! {
    /// A new category of the user's own, or changes to one.
    UpdateOwnCategory => OwnCategoryUpdate {
        /// Currency of the target. A new category needs it, and it never changes.
        unit: "unit".text(),
        /// New name for people.
        label: "label".text(),
        /// New target; 0 removes it.
        target: "target".number(schemas::TargetInput),
        /// New status. Default of a new category: `ACTIVE`.
        status: "status".text(),
    }
}

/// Reads a version, which is a whole number.
fn version(value: JsonValue<'_, '_>) -> Field<u64> {
    let schema = |_: &mut _| json!({ "type": "integer", "format": "int64", "minimum": 1 });
    value.required().parse(schema, |sent| {
        let version = match sent {
            JsonScalar::Other(number) => number.parse().ok().filter(|version| *version > 0),
            JsonScalar::Text(_) => None,
        };
        version.ok_or_else(|| {
            Some(rule!(
                "{field} must be a whole number above 0",
                "{field} должно быть целым числом больше 0"
            ))
        })
    })
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
    responses((status = OK, body = Data<TargetsView>)),
    extensions(("x-errors" = json!([Code::VersionConflict]))))]
pub(crate) async fn update_targets(
    State(app): State<App>,
    Caller(user, ()): Caller,
    once: Once<UpdateTargets>,
) -> Result<Response, Problem> {
    let idempotency = once.key.idempotency::<_, TargetsView>("update-targets");
    let targets = app.table.update_targets(user.id, &once.body, &idempotency).await?;
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
