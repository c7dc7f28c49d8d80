//! Endpoints of a user's targets and usage.

mod targets;
mod usage;

use fracti_http::{Routes, openapi};
use utoipa_axum::routes;

/// The routes of this endpoint group.
#[must_use]
pub fn routes() -> Routes {
    openapi::tagged([
        ("targets", "What a user wants to spend at most."),
        ("usage", "How much of their quotas a user has used."),
    ])
    .routes(routes!(targets::get_targets))
    .routes(routes!(usage::get_usage))
}
