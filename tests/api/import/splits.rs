//! Splits that leave Fracti and come back.

use serde_json::{Value, json};

use super::{
    Import, counts,
    round_trip::{contents, empty, imported_again, nets},
};
use crate::{
    export::exported,
    harness::{Caller, Group, number},
};

/// A receipt with every kind of line, of the three members of a group and a guest.
fn receipt(guest: &str) -> Value {
    json!([
        { "name": "Pizza", "amount": "15.50" },
        { "name": "Wine", "amount": "12.10", "quantity": 2, "price": "6.05",
            "sharers": [{ "userId": guest, "weight": "1.5" }, { "userId": "2" }] },
        { "name": "Bread", "sharers": [{ "userId": "3" }, { "userId": "1" }] },
        { "kind": "tax", "name": "VAT", "amount": "3.45", "over": [0, 1] },
        { "kind": "tip", "name": "Tip", "amount": "3.33", "split": "equal" },
        { "kind": "fee", "name": "Cover", "amount": "2.00", "sharers": [{ "userId": "1" }] },
        { "kind": "discount", "name": "Voucher", "amount": "4.99", "over": [1] },
    ])
}

/// A group of three members and a guest, with an expense and a refund for each way to split, in
/// several currencies.
async fn varied() -> Group {
    let group = Group::new(3, "EUR").await;
    let guest = group.guest(1, "Grandma").await;
    let sharers = |field: &str, inputs: [Value; 3]| -> Value {
        let ids = ["3", &guest, "1"].into_iter().zip(inputs);
        ids.map(|(id, input)| json!({ "userId": id, field: input })).collect()
    };
    let ways = |sign: i64| {
        let signed = |number: i64| json!(number * sign);
        [
            ("equal", "userId", [json!("3"), json!(guest), json!("1")]),
            ("exact", "amount", [signed(60), signed(0), signed(40)]),
            ("percentage", "percentage", [json!("33.3333"), json!("16.6667"), json!(50)]),
            ("shares", "weight", [json!("0.5"), json!(0), json!("2.0001")]),
            ("adjustment", "adjustment", [signed(7), signed(-3), signed(0)]),
        ]
    };
    for (currency, sign) in [("EUR", 1), ("JPY", 1), ("KWD", 1), ("EUR", -1)] {
        for (split_type, field, inputs) in ways(sign) {
            let body = json!({ "amount": 100 * sign, "currency": currency,
                "description": format!("{split_type} {currency} {sign}"),
                "splitType": split_type, "splits": sharers(field, inputs) });
            group.spend(0, body).await;
        }
    }
    let bill = json!({ "amount": "40.01", "description": "receipt", "splitType": "itemized",
        "items": receipt(&guest),
            "payers": [{ "userId": "2", "amount": 30 }, { "userId": guest }] });
    group.spend(1, bill).await;
    let returned = json!([{ "name": "Bottles", "amount": "-1.00" },
        { "kind": "fee", "name": "Bags", "amount": "-0.10", "sharers": [{ "userId": guest }] }]);
    let refund = json!({ "description": "returned", "splitType": "itemized", "items": returned });
    group.spend(2, refund).await;
    group
}

/// The copy of a group.
async fn copy_of(group: &Group) -> (Value, Group, Value) {
    let export = exported(&group.members[0], &group.id, 6).await;
    let into = empty(&group.api).await;
    let copy = imported_again(&export, &into).await;
    (export, into, copy)
}

/// The expense with this description.
async fn expense(group: &Group, description: &str) -> Value {
    let all = group.members[0].pages(&group.path("/expenses"), 50).await;
    let listed = all.into_iter().find(|it| it["description"] == description).unwrap();
    group.members[0].get(&path(group, &listed, "")).await.data(200).clone()
}

fn path(group: &Group, expense: &Value, rest: &str) -> String {
    group.path(&format!("/expenses/{}{rest}", expense["id"].as_str().unwrap()))
}

async fn edited(caller: &Caller, group: &Group, expense: &Value, edit: Value) -> Value {
    caller.put(&path(group, expense, ""), edit).await.data(200).clone()
}

#[tokio::test]
async fn every_way_to_split_survives_export_and_import() {
    let group = varied().await;
    let (export, into, copy) = copy_of(&group).await;
    assert_eq!(contents(&copy), contents(&export));
    assert_eq!(nets(&copy), nets(&export));
    let plan = Import::of(&export.to_string(), "{}").send(&into.members[0], &into).await;
    assert_eq!(plan.data(200)["warnings"], json!([]));
    let again = empty(&group.api).await;
    assert_eq!(contents(&imported_again(&copy, &again).await), contents(&export));
}

#[tokio::test]
async fn shares_of_an_imported_expense_are_explained() {
    let group = varied().await;
    let (_, into, copy) = copy_of(&group).await;
    for entry in copy["entries"].as_array().unwrap() {
        let expense = &entry["expense"];
        let reply = into.members[0].get(&path(&into, expense, "/breakdown")).await;
        let shares = reply.data(200)["shares"].as_array().unwrap();
        assert_eq!(shares.len(), expense["splits"].as_array().unwrap().len());
        for (share, split) in shares.iter().zip(expense["splits"].as_array().unwrap()) {
            assert_eq!(share["amount"], split["amount"]);
            let mut sum = number(&share["rounding"]);
            for part in share["parts"].as_array().unwrap() {
                sum = sum.plus(number(&part["amount"])).unwrap();
                assert_eq!(part["kind"] == "exact", expense["splitType"] == "exact", "{share}");
            }
            assert_eq!(sum, number(&share["amount"]), "{share}");
        }
    }
}

#[tokio::test]
async fn edit_of_an_imported_expense_splits_it_by_the_same_way() {
    let group = varied().await;
    let (_, into, _) = copy_of(&group).await;
    let caller = &into.members[0];
    for description in
        ["equal EUR 1", "percentage JPY 1", "shares KWD 1", "adjustment EUR -1", "receipt"]
    {
        let before = expense(&into, description).await;
        let renamed = edited(caller, &into, &before, json!({ "description": "Renamed" })).await;
        for field in ["amount", "splitType", "splits", "items", "payers"] {
            assert_eq!(renamed[field], before[field], "{description}: {field}");
        }
        // A new amount is split as that of the original.
        let original = expense(&group, description).await;
        let sign = if original["amount"].to_string().starts_with('-') { -1 } else { 1 };
        let edit = |payer: &Caller| json!({ "amount": 1_000 * sign, "payerId": payer.id });
        let after = edited(caller, &into, &before, edit(caller)).await;
        let owner = &group.members[usize::from(description == "receipt")];
        let expected = edited(owner, &group, &original, edit(owner)).await;
        assert_eq!(after["splitType"], expected["splitType"]);
        assert_eq!(after["amount"], expected["amount"]);
        let rest = |expense: &Value| expense["items"][2]["amount"].clone();
        assert_eq!(rest(&after), rest(&expected));
        let inputs = |expense: &Value| {
            let mut inputs: Vec<String> = Vec::new();
            for share in expense["splits"].as_array().unwrap() {
                let input = ["percentage", "weight", "adjustment"].map(|it| share[it].to_string());
                inputs.push(format!("{} {input:?}", share["userName"]));
            }
            inputs.sort();
            inputs
        };
        assert_eq!(inputs(&after), inputs(&expected), "{description}");
    }
    into.verify().await;
}

#[tokio::test]
async fn people_who_are_one_member_have_an_exact_share() {
    let group = varied().await;
    let export = exported(&group.members[0], &group.id, 100).await;
    let into = empty(&group.api).await;
    let caller = &into.members[0];
    // The guest and C are the caller.
    let known = [("Grandma", "50"), ("C", "50"), ("Newcomer", "50")];
    let import = Import::of(&export.to_string(), "{}").by(caller, &into, &known).await;
    let plan = import.clone().with("commit", json!(false)).send(caller, &into).await;
    let warnings = plan.data(200)["warnings"].as_array().unwrap();
    let paths: Vec<&str> = warnings.iter().map(|it| it["path"].as_str().unwrap()).collect();
    let entries = export["entries"].as_array().unwrap();
    let not_exact = (0..).zip(entries).filter(|(_, it)| it["expense"]["splitType"] != "exact");
    let expected = not_exact.map(|(index, _): (usize, _)| format!("entries[{index}]"));
    assert_eq!(paths, expected.collect::<Vec<_>>());
    let message = "the shares are imported as exact amounts, because two of the people who share \
                   it are one member";
    assert!(warnings.iter().all(|it| it["message"] == message), "{warnings:?}");

    assert_eq!(counts(&import.send(caller, &into).await)[2], 22);
    for expense in caller.pages(&into.path("/expenses"), 50).await {
        assert_eq!(expense["splitType"], "exact");
    }
    into.verify().await;
}

#[tokio::test]
async fn split_that_cannot_be_kept_is_imported_as_exact_amounts() {
    let group = Group::new(2, "EUR").await;
    let halves = json!([{ "userId": "1", "percentage": 50 }, { "userId": "2", "percentage": 50 }]);
    group.spend(0, json!({ "amount": 7, "splitType": "percentage", "splits": halves })).await;
    let mut export = exported(&group.members[0], &group.id, 10).await;
    export["entries"][0]["expense"]["splits"][0]["percentage"] = json!("49.99");
    let into = empty(&group.api).await;
    let caller = &into.members[0];
    let import =
        Import::of(&export.to_string(), "{}").by(caller, &into, &[("Newcomer", "50")]).await;
    let plan = import.clone().with("commit", json!(false)).send(caller, &into).await;
    let warning = &plan.data(200)["warnings"][0];
    assert_eq!(
        *warning,
        json!({ "path": "entries[0]", "message": "the shares are imported as exact amounts, because the split \
            cannot be kept: the percentages sum to 99.99, 0.01 less than 100" })
    );
    assert_eq!(counts(&import.send(caller, &into).await)[0], 1);
    let expense = &caller.pages(&into.path("/expenses"), 10).await[0];
    assert_eq!(expense["splitType"], "exact");
    assert_eq!([&expense["splits"][0]["amount"], &expense["splits"][1]["amount"]], [3.5, 3.5]);
}
