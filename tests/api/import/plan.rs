//! The plan of an import.

use serde_json::json;

use super::{FILES, Import, splitwise};
use crate::harness::Group;

#[tokio::test]
async fn a_plan_proposes_the_members_whose_names_are_in_the_file() {
    let group = Group::new(3, "EUR").await;
    let alice = &group.members[0];
    group.guest(0, "Twin").await;
    let rows = [("2025-12-01", "General", "Tea", "EUR", vec![300, -100, -100, -100])];
    let import = Import::of(&splitwise(&["a", "Bob", "twin", "Nobody"], &rows), "{}");
    let import = import.with("members", json!({ "Bob": "2", "Nobody": "new guest" }));
    let plan = import.send(alice, &group).await;
    let people = plan.data(200)["members"].as_array().unwrap();
    let twin = &people[2]["match"];
    assert_eq!(
        people[0],
        json!({ "name": "a", "rows": 1, "match": { "memberId": "1", "name": "A", "by": "name" } })
    );
    assert_eq!(people[1]["match"], json!({ "memberId": "2", "name": "B", "by": "given" }));
    assert_eq!([&twin["name"], &twin["by"]], [&json!("Twin"), &json!("name")]);
    assert_eq!(people[3], json!({ "name": "Nobody", "rows": 1 }));
}

#[tokio::test]
async fn a_plan_has_amounts_in_the_requested_form() {
    let group = Group::new(2, "EUR").await;
    let (file, _) = FILES[0];
    let form = json!({ "file": file });
    // The path decides that the body is sent as a form.
    let reply = group.members[0].post(&group.path("/import"), form).await;
    let plan = reply.data(200);
    assert_eq!(
        plan["balances"][1],
        json!({ "name": "O'Neil, Bob", "currency": "EUR", "net": 40.73 })
    );
    assert_eq!(plan["checks"][1]["file"], 40.73);
    assert_eq!(
        [&plan["expenses"], &plan["settlements"], &plan["skipped"]],
        [&json!(10), &json!(1), &json!(1)]
    );
    assert_eq!(reply.cost.round_trips, 1, "{}", reply.cost);
    assert_eq!(reply.cost.write_units.to_string(), "0");
}
