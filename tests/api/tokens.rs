//! API tokens: creating, listing and deleting them, and requests by token.

mod create;
mod delete;
mod faults;
mod identity;
mod link;
mod list;

use serde_json::{Value, json};

use crate::harness::{Caller, Reply};

const TOKENS: &str = "/api/users/me/tokens";

/// Creates a token with these scopes.
async fn create(caller: &Caller, scopes: &[&str]) -> Reply {
    create_with(caller, json!({ "scopes": scopes })).await
}

/// Creates a token with further fields.
async fn create_with(caller: &Caller, fields: Value) -> Reply {
    let mut new = json!({ "name": "Phone", "scopes": ["read", "write"] });
    new.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    caller.post(TOKENS, new).await
}

/// The id of a created token.
fn id(created: &Reply) -> &str {
    created.data(201)["id"].as_str().unwrap()
}
