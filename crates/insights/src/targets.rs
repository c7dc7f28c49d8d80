//! The endpoints of a user's targets.

use std::collections::BTreeMap;

use axum::extract::State;
use fracti_core::{
    expense::Category,
    targets::{OwnCategory, TOTAL, Targets},
};
use fracti_http::{App, Caller, Data, JsonDecimal, Problem, Text, schemas};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::{
    PartialSchema, ToSchema,
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

impl PartialSchema for TargetAmounts {
    fn schema() -> RefOr<Schema> {
        let keys = [TOTAL].into_iter().chain(Category::WORDS.iter().copied());
        let target = |key| {
            let of = if key == TOTAL { "all spendings" } else { key };
            let description = format!("Most that the user wants to spend on {of} in a period.");
            (
                key.to_owned(),
                json!({ "type": "number", "minimum": 0, "example": 300, "description": description }),
            )
        };
        let properties: serde_json::Map<String, Value> = keys.map(target).collect();
        let schema = json!({
            "type": "object", "description": "Targets in the user's currency.", "properties": properties,
        });
        serde_json::from_value(schema)
            .unwrap_or_else(|error| unreachable!("the schema is valid: {error}"))
    }
}

impl ToSchema for TargetAmounts {}

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
