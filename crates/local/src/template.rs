//! The parts of `template.yaml` that the local server shares with the deployment.

use serde::Deserialize;

use crate::{cors::Cors, schema::Schema};

/// The template that AWS deploys.
const TEMPLATE: &str = include_str!("../../../template.yaml");

/// Error returned when `template.yaml` lacks a part that the local server needs.
#[derive(Debug, thiserror::Error)]
#[error("template.yaml cannot be read: {0}")]
pub struct TemplateError(#[from] serde_saphyr::Error);

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Template {
    resources: Resources,
}

/// The resources that the local server needs.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct Resources {
    pub(crate) fracti_table: Resource<Schema>,
    pub(crate) http_api: Resource<HttpApi>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct Resource<T> {
    pub(crate) properties: T,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct HttpApi {
    pub(crate) cors_configuration: Cors,
}

/// Reads the template.
pub(crate) fn resources() -> Result<Resources, TemplateError> {
    Ok(serde_saphyr::from_str::<Template>(TEMPLATE)?.resources)
}
