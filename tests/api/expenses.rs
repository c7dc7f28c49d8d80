//! Expenses of a group.

mod breakdown;
mod by_date;
mod create;
mod date;
mod delete;
mod deleted;
mod edit;
mod filter;
mod history;
mod list;
mod payers;
mod preview;
mod refund;
mod restore;
mod split;
mod split_edit;
mod tally;

use serde_json::Value;

use crate::harness::Group;

fn path(group: &Group, expense: &Value) -> String {
    group.path(&format!("/expenses/{}", expense["id"].as_str().unwrap()))
}
