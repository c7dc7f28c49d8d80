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

use fracti_admin::Admin;
use fracti_store::Table;

use crate::harness::Api;

/// The tool for the table of an API.
pub(crate) fn admin(api: &Api) -> Admin {
    Admin::new(Table::new(api.client.clone(), "FractiTable"), None)
}
