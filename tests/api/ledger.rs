//! The ledger and the statistics of a group.

mod days;
mod push;
mod revert;
mod statement;
mod stats;
mod verify;

use axum::http::Method;
use serde_json::{Value, json};

use crate::harness::{Caller, Group, Reply};

const ENTRIES: &str = "/ledger/entries";

/// An adjustment that moves an amount from the second member to the first.
fn adjustment(name: &str, amount: &str) -> Value {
    let minus = amount.strip_prefix('-').map_or_else(|| format!("-{amount}"), str::to_owned);
    let changes = json!([{ "userId": "1", "amount": amount }, { "userId": "2", "amount": minus }]);
    json!({ "entryId": name, "changes": changes })
}

/// The applied entries, and the rejected ones with their codes.
fn applied_and_rejected(reply: &Reply) -> (Vec<String>, Vec<String>) {
    let data = reply.data(200);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let applied = data["applied"].as_array().unwrap().iter().map(|it| text(&it["entryId"]));
    let non_applied = data["nonApplied"].as_array().unwrap().iter();
    let non_applied =
        non_applied.map(|it| format!("{} {}", text(&it["entryId"]), text(&it["code"])));
    (applied.collect(), non_applied.collect())
}

async fn revert(caller: &Caller, group: &Group, names: Value) -> Reply {
    caller.call(Method::DELETE, &group.path(ENTRIES), Some(&names)).await
}
