//! The embedded engine and Amazon's DynamoDB Local, side by side.
//!
//! Both get the same requests, and their answers are compared: results, errors, cancellation
//! reasons and the table at the end. The second engine is the one that `FRACTI_TEST_DYNAMODB`
//! names. Without it both are embedded engines, which shows only that the requests are the same in
//! every run.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test stops where it fails")]
#![expect(clippy::arithmetic_side_effects, reason = "a sum that overflows is a failure")]

mod known;
mod limits;
mod requests;
mod sequences;
mod tables;

use std::collections::{BTreeMap, BTreeSet};

use fracti_tests::database::{Database, TABLE, external};
use known::Known;
use serde_json::{Value, json};

/// A request to DynamoDB.
#[derive(Clone, Debug)]
struct Request {
    operation: &'static str,
    body: Value,
}

/// An answer of DynamoDB, without the parts in which engines may differ: messages, consumed
/// capacity and the order of a batch.
#[derive(Clone, Debug, PartialEq)]
struct Answer {
    status: u16,
    body: Value,
}

/// The two engines, the known differences between them, and the results of the comparison.
struct Pair {
    embedded: Database,
    other: Database,
    known: &'static [Known],
    seen: BTreeSet<&'static str>,
    compared: BTreeMap<&'static str, usize>,
    unknown: Vec<String>,
}

impl Pair {
    async fn start(known: &'static [Known]) -> Self {
        Self {
            known,
            embedded: Database::embedded().await,
            other: Database::start().await,
            seen: BTreeSet::new(),
            compared: BTreeMap::new(),
            unknown: Vec::new(),
        }
    }

    /// Sends a request to both engines and compares the answers. Returns the other engine's.
    async fn ask(&mut self, name: &str, request: &Request) -> Answer {
        let (embedded, other) = tokio::join!(
            self.embedded.ask(request.operation, &request.body),
            self.other.ask(request.operation, &request.body),
        );
        let embedded = Answer::of(request.operation, embedded);
        let other = Answer::of(request.operation, other);
        *self.compared.entry(request.operation).or_default() += 1;
        if embedded != other {
            let known =
                self.known.iter().find(|known| (known.is)(name, request, &embedded, &other));
            match known {
                Some(known) => _ = self.seen.insert(known.difference),
                None => self.unknown.push(format!(
                    "{name}: {} {}\n  HTTP status {} and {}:{}",
                    request.operation,
                    shortened(&request.body),
                    embedded.status,
                    other.status,
                    differences("", &embedded.body, &other.body),
                )),
            }
        }
        other
    }

    /// Compares the whole tables.
    async fn compare_tables(&mut self, name: &str) {
        let scan = Request { operation: "Scan", body: json!({ "TableName": TABLE }) };
        self.ask(name, &scan).await;
    }

    /// Stops the test at a difference that is not in the table of known ones.
    fn check(&self) {
        let differences = self.unknown.join("\n");
        let count = self.unknown.len();
        assert!(self.unknown.is_empty(), "{count} differences that are not known:\n{differences}");
    }
}

/// Stops the test at a known difference that was not seen.
fn check_seen(known: &[Known], seen: &BTreeSet<&str>) {
    if external().is_some() {
        let known: BTreeSet<_> = known.iter().map(|known| known.difference).collect();
        assert_eq!(&known, seen, "the engines no longer differ in all that is known");
    }
}

impl Answer {
    fn of(operation: &str, (status, mut body): (u16, Value)) -> Self {
        if let Some(body) = body.as_object_mut() {
            for name in ["message", "Message", "ConsumedCapacity", "ItemCollectionMetrics"] {
                body.remove(name);
            }
            // The namespace before # is the service's own.
            if let Some(Value::String(name)) = body.get_mut("__type") {
                *name = name.rsplit('#').next().unwrap().to_owned();
            }
        }
        let reasons = body.get_mut("CancellationReasons").and_then(Value::as_array_mut);
        for reason in reasons.into_iter().flatten() {
            reason.as_object_mut().unwrap().remove("Message");
        }
        let unordered = match operation {
            "Scan" => body.get_mut("Items"),
            "BatchGetItem" => body.get_mut("Responses").and_then(|tables| tables.get_mut(TABLE)),
            _ => None,
        };
        if let Some(Value::Array(rows)) = unordered {
            rows.sort_by_key(|row| (row["PK"].to_string(), row["SK"].to_string()));
        }
        Self { status, body }
    }

    /// The name of an error.
    fn error(&self) -> Option<&str> {
        self.body["__type"].as_str()
    }
}

/// Where two values differ, a line each: the embedded engine's, then the other one's.
fn differences(path: &str, embedded: &Value, other: &Value) -> String {
    match (embedded, other) {
        (Value::Object(left), Value::Object(right)) => {
            let names: BTreeSet<_> = left.keys().chain(right.keys()).collect();
            let differ = |name: &&String| left.get(*name) != right.get(*name);
            let differences = names
                .into_iter()
                .filter(differ)
                .map(|name| differences(&format!("{path}.{name}"), &embedded[name], &other[name]));
            differences.collect()
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            let pairs =
                left.iter().zip(right).enumerate().filter(|(_, (left, right))| left != right);
            pairs
                .map(|(at, (left, right))| differences(&format!("{path}[{at}]"), left, right))
                .collect()
        }
        _ => format!("\n  {path}: {} and {}", shortened(embedded), shortened(other)),
    }
}

/// JSON of at most 600 characters.
fn shortened(value: &Value) -> String {
    let text = value.to_string();
    text.chars().take(600).collect()
}
