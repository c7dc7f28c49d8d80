//! The commands of the operators' tool, on tables that the API has written.

mod corruptions;
mod dates;
mod export;
mod fund_corruptions;
mod fund_force;
mod funds;
mod migrate;
mod repair;
mod standardise;
mod verify;

use std::path::{Path, PathBuf};

use fracti_admin::Admin;
use fracti_store::Table;

use crate::harness::Api;

/// A file of a test, which does not exist yet.
pub(crate) fn file(name: &str) -> PathBuf {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("fracti-{}-{name}", std::process::id()));
    let _ = std::fs::remove_file(&file);
    file
}

/// The tool for the table of an API.
pub(crate) fn admin(api: &Api) -> Admin {
    Admin::new(Table::new(api.client.clone(), "FractiTable"), None)
}
