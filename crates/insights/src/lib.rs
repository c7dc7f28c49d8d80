//! Endpoints of a user's targets.

mod targets;

use fracti_http::{Routes, openapi};
use utoipa_axum::routes;

/// The routes of this endpoint group.
#[must_use]
pub fn routes() -> Routes {
    openapi::tagged([("targets", "What a user wants to spend at most.")])
        .routes(routes!(targets::get_targets))
}
