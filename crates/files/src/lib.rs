//! Endpoints that import groups from other apps, and export them from Fracti.

pub mod export;

mod import;

pub use import::{plan_of, recall};

use fracti_http::{Routes, openapi, routes};

/// The routes of this endpoint group.
#[must_use]
pub fn routes() -> Routes {
    openapi::tagged([("transfer", "Imports of other apps' export files, and exports of groups.")])
        .routes(routes!(import::import_file))
        .routes(routes!(import::list_imports))
        .routes(routes!(import::get_import, import::undo_import))
        .routes(routes!(export::export_group))
}
