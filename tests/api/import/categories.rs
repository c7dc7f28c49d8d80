//! Categories of a group's own in Fracti's own JSON.

use serde_json::json;

use super::{
    Import,
    round_trip::{contents, empty, imported_again},
};
use crate::{export::exported, harness::Group};

#[tokio::test]
async fn own_categories_are_imported_into_a_group_that_has_them() {
    let source = Group::new(2, "EUR").await;
    let alice = &source.members[0];
    let pets = json!([{ "key": "pets", "name": "Pets" }]);
    alice.patch(&source.path(""), json!({ "categories": pets })).await.data(200);
    source.spend(0, json!({ "amount": 8, "category": "pets" })).await;
    source.spend(1, json!({ "amount": 4, "category": "food" })).await;
    let export = exported(alice, &source.id, 10).await;
    assert_eq!(export["group"]["categories"], pets);

    let into = empty(&source.api).await;
    let caller = &into.members[0];
    let rule = "the group has no category pets; add it to the group first";
    let import = Import::of(&export.to_string(), "{}");
    let plan = import.send(caller, &into).await;
    let path = "entries[0].expense.category";
    assert_eq!(plan.data(200)["errors"], json!([{ "path": path, "message": rule }]));
    let before = into.api.rows().await;
    let refused = import.by(caller, &into, &[]).await.send(caller, &into).await;
    assert_eq!(refused.code(), (400, "VALIDATION_ERROR"), "{}", refused.text);
    let details = refused.body["details"].as_array().unwrap();
    assert!(details.contains(&json!({ "path": "file", "message": format!("{path}: {rule}") })));
    assert_eq!(into.api.rows().await, before);

    caller.patch(&into.path(""), json!({ "categories": pets })).await.data(200);
    let copy = imported_again(&export, &into).await;
    assert_eq!(contents(&copy), contents(&export));
    assert!(contents(&copy).join("\n").contains("pets"));
}
