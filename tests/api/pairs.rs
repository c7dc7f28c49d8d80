//! The list of operations from which pairs of writes are made.

use std::collections::BTreeSet;

use fracti_tests::operations;
use serde_json::Value;

/// A path with all parameters alike.
fn shape(path: &str) -> String {
    let path = path.split('?').next().unwrap();
    let segments = path.split('/').map(|segment| match segment {
        "2026-01-15" => "{}",
        _ if segment.starts_with('{') => "{}",
        _ => segment,
    });
    segments.collect::<Vec<_>>().join("/")
}

#[test]
fn operations_are_those_of_the_openapi_document() {
    let document: Value = serde_json::from_str(include_str!("../../openapi.json")).unwrap();
    let paths = document["paths"].as_object().unwrap();
    let documented: BTreeSet<_> = paths
        .iter()
        .flat_map(|(path, methods)| {
            let methods = methods.as_object().unwrap().keys();
            methods.map(|method| (method.to_uppercase(), shape(path)))
        })
        .collect();
    let listed: BTreeSet<_> = [operations::writes(), operations::reads()]
        .concat()
        .iter()
        .map(|operation| (operation.method.to_string(), shape(operation.route)))
        .collect();
    assert_eq!(listed, documented);
}
