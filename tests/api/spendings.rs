//! Spendings, and the summaries of their days.

mod create;
mod edit;
mod list;
mod summary;

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue;
use fracti_core::values::decimal::Decimal;
use serde_json::{Value, json};

use crate::harness::{Api, Caller};

const SPENDINGS: &str = "/api/users/me/spendings";

/// Records a spending of 1 EUR, with other fields in `body`.
async fn spend(caller: &Caller, body: Value) -> Value {
    let mut spending = json!({ "title": "Coffee", "amount": 1, "currency": "EUR" });
    spending.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
    caller.post(SPENDINGS, spending).await.data(201).clone()
}

fn path(spending: &Value) -> String {
    format!("{SPENDINGS}/{}", spending["id"].as_str().unwrap())
}

/// The summary of a user's day: its counters that are not zero, but for its version.
async fn summary(api: &Api, user: &str, date: &str) -> BTreeMap<String, String> {
    let rows = api.rows().await;
    let Some(row) = rows.get(&(format!("USER#{user}"), format!("SUMMARY#{date}"))) else {
        return BTreeMap::new();
    };
    let counter = |(name, value): (&String, &AttributeValue)| {
        // DynamoDB Local keeps zeros at the end of a sum, DynamoDB does not.
        let number: Decimal = value.as_n().ok()?.parse().unwrap();
        let is_counter = !["version", "formatVersion"].contains(&name.as_str());
        (is_counter && number != Decimal::ZERO).then(|| (name.clone(), number.to_string()))
    };
    row.iter().filter_map(counter).collect()
}

fn counters<const N: usize>(of: [(&str, &str); N]) -> BTreeMap<String, String> {
    of.map(|(name, number)| (name.to_owned(), number.to_owned())).into()
}
