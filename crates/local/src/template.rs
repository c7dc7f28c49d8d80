//! The parts of `template.yaml` that the local server shares with the deployment.

use serde::{Deserialize, de::DeserializeOwned};

/// The template that AWS deploys.
const TEMPLATE: &str = include_str!("../../../template.yaml");

/// Error returned when `template.yaml` lacks a part that the local server needs.
#[derive(Debug, thiserror::Error)]
#[error("template.yaml cannot be read: {0}")]
pub struct TemplateError(#[from] serde_saphyr::Error);

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Template<R> {
    resources: R,
}

/// A resource with the properties `T`.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct Resource<T> {
    pub(crate) properties: T,
}

/// Reads those resources of the template that are fields of `R`.
pub(crate) fn resources<R: DeserializeOwned>() -> Result<R, TemplateError> {
    Ok(serde_saphyr::from_str::<Template<R>>(TEMPLATE)?.resources)
}
