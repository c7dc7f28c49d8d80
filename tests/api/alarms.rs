//! Alarms of the template that filter the log: the pattern matches the lines that it is meant for.

use aws_sdk_dynamodb::types::AttributeValue;
use axum::body::Body;
use serde_json::{Value, json};
use tower::ServiceExt;
use tracing::instrument::WithSubscriber;

use crate::harness::{Api, Group, Log};

/// A metric filter of the form `{ $.path = "text" }`.
struct Filter {
    pointer: String,
    text: String,
}

impl Filter {
    fn of(resource: &str) -> Self {
        let template: Value = serde_saphyr::from_str(include_str!("../../template.yaml")).unwrap();
        let pattern = &template["Resources"][resource]["Properties"]["FilterPattern"];
        let pattern = pattern.as_str().unwrap().trim_start_matches("{ $").trim_end_matches(" }");
        let (path, text) = pattern.split_once(" = ").unwrap();
        Self { pointer: path.replace('.', "/"), text: serde_json::from_str(text).unwrap() }
    }

    /// Number of lines that match.
    fn count(&self, log: &str) -> usize {
        let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.filter(|line| line.pointer(&self.pointer) == Some(&json!(self.text))).count()
    }
}

/// The log of a request, in the format of a deployed function.
pub(crate) async fn log(group: &Group, api: &Api, path: &str) -> (u16, String) {
    let request = group.members[0].request(axum::http::Method::GET, &group.path(path));
    let request = request.body(Body::empty()).unwrap();
    let log = Log::default();
    let lines = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .json()
        .with_target(false)
        .without_time()
        .with_writer(move || lines.clone());
    let served = api.router.clone().oneshot(request).with_subscriber(subscriber.finish());
    let status = served.await.unwrap().status().as_u16();
    (status, log.text())
}

/// Changes the balance row of the group, which no request does.
async fn falsify_expense_count(group: &Group) {
    let row = group.api.rows().await.into_iter().find(|((_, sk), _)| sk == "BALANCE").unwrap().1;
    let mut row: std::collections::HashMap<_, _> = row.into_iter().collect();
    row.insert("expenseCount".to_owned(), AttributeValue::N("7".to_owned()));
    let put = group.api.client.put_item().table_name("FractiTable");
    put.set_item(Some(row)).send().await.unwrap();
}

#[tokio::test]
async fn log_line_of_a_refusal_has_its_code() {
    let group = Group::new(2, "EUR").await;
    for (path, code) in [
        ("/expenses", json!(null)),
        ("/expenses?limit=0", json!("VALIDATION_ERROR")),
        ("/expenses?cursor=x", json!("INVALID_CURSOR")),
        ("/nothing", json!("ROUTE_NOT_FOUND")),
    ] {
        let (_, log) = log(&group, &group.api, path).await;
        let line: Value = serde_json::from_str(log.trim()).unwrap();
        assert_eq!(line["fields"]["code"], code, "{log}");
    }
}

#[tokio::test]
async fn ledger_mismatch_filter_matches_only_a_mismatch() {
    let filter = Filter::of("LedgerMismatchFilter");
    let group = Group::new(2, "EUR").await;
    group.spend(0, json!({ "amount": 10 })).await;
    let (status, healthy) = log(&group, &group.api, "/debts?verify=true").await;
    assert_eq!((status, filter.count(&healthy)), (200, 0), "{healthy}");

    let elsewhere = fracti_store::Table::new(group.api.client.clone(), "NoSuchTable");
    let (status, failed) = log(&group, &group.api.over(elsewhere), "/debts?verify=true").await;
    assert_eq!((status, filter.count(&failed)), (500, 0), "{failed}");

    falsify_expense_count(&group).await;
    let (status, mismatch) = log(&group, &group.api, "/debts?verify=true").await;
    assert_eq!((status, filter.count(&mismatch)), (500, 1), "{mismatch}");
    assert!(mismatch.contains(&group.id), "the line names the group: {mismatch}");
}
