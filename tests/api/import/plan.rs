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
    assert_eq!(reply.cost.round_trips, 2, "{}", reply.cost);
    assert_eq!(reply.cost.write_units.to_string(), "0");
}

#[tokio::test]
async fn a_place_says_what_it_counts() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let bill = |date: &str, amount: &str| {
        json!({ "what": "Tea", "amount": amount.parse::<f64>().unwrap(), "currency": "EUR",
            "date": date, "payer_name": "A", "payer_weight": 1, "owers": ["B"] })
    };
    let bills = json!([bill("2026-01-01", "9"), bill("2099-01-01", "9.005"), bill("1.1.26", "9")]);
    let csv = "what,amount,currency,date,payer_name,payer_weight,owers\r\n\
               Tea,9.005,EUR,2099-01-01,A,1.0,B\r\nTea,9.0,EUR,2026-02-30,A,1.0,B\r\n";
    let rule = "date must be a day from 1970-01-01 to 9999-12-31, like 2024-01-20";
    let end = "the file does not show whether it is complete: after the import, compare the \
               balances with those of the app it comes from";
    let far = "date 2099-01-01 is more than one year ahead";
    let rounded = "amount 9.005 is rounded to 9.01 EUR";
    for (file, errors, warnings, refused) in [
        (
            bills.to_string(),
            json!([{ "path": "[2].date", "message": rule }]),
            json!([
                { "path": "[1].date", "message": far },
                { "path": "[1].amount", "message": rounded },
            ]),
            format!("[2].date: {rule}"),
        ),
        (
            csv.to_owned(),
            json!([{ "line": 3, "column": 4, "message": rule }]),
            json!([
                { "message": end },
                { "line": 2, "column": 4, "message": far },
                { "line": 2, "column": 2, "message": rounded },
            ]),
            format!("line 3, column 4: {rule}"),
        ),
    ] {
        let import = Import::of(&file, "{}");
        let plan = import.send(alice, &group).await;
        assert_eq!([&plan.data(200)["errors"], &plan.data(200)["warnings"]], [&errors, &warnings]);
        let import = import.by(alice, &group, &[("A", "1"), ("B", "2")]).await;
        let reply = import.send(alice, &group).await;
        assert_eq!(reply.body["details"], json!([{ "path": "file", "message": refused }]));
    }
}

#[tokio::test]
async fn a_name_that_may_carry_money_is_an_error_until_it_is_ignored() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let bill = json!({ "what": "Tea", "amount": 9.0, "currency": "EUR", "date": "2026-01-01",
        "payer_name": "A", "payer_weight": 1.0, "owers": ["B"], "payers": ["A"] });
    let import = Import::of(&json!([bill]).to_string(), "{}");
    let rule = "Fracti does not know “payers” in the file, and money in it would be missing: \
                it has values in 1 row, the first is “[\"A\"]”; if it does not matter, import \
                without payers";
    let plan = import.send(alice, &group).await;
    assert_eq!(plan.data(200)["errors"], json!([{ "ignore": "payers", "message": rule }]));
    let commit = import.by(alice, &group, &[("A", "1"), ("B", "2")]).await;
    let reply = commit.send(alice, &group).await;
    assert_eq!(reply.body["details"], json!([{ "path": "file", "message": rule }]));
    let other = commit.clone().with("ignore", json!(["payers", "owers"]));
    let rule = "ignore must not have owers: the file raises no error about it";
    let reply = other.send(alice, &group).await;
    assert_eq!(reply.body["details"], json!([{ "path": "file", "message": rule }]));
    let ignoring = commit.with("ignore", json!(["payers"]));
    let plan = ignoring.clone().with("commit", json!(false)).send(alice, &group).await;
    let what =
        "Fracti does not know “payers” in the file, and does not import it: it has values in 1 row";
    assert_eq!(plan.data(200)["errors"], json!([]));
    assert_eq!(plan.data(200)["warnings"], json!([{ "message": what }]));
    assert_eq!(ignoring.send(alice, &group).await.data(200)["imported"], 1);
}
