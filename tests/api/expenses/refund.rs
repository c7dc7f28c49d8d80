//! Refunds and income: expenses with a negative amount.

use serde_json::{Value, json};

use crate::harness::Group;

#[tokio::test]
async fn refund_is_owed_to_the_members_who_share_it() {
    let group = Group::new(3, "EUR").await;
    let [alice, bob] = [0, 1].map(|index| &group.members[index]);
    let made = group.spend(0, json!({ "amount": -45 })).await;
    assert_eq!(made["amount"], -45);
    assert!(made["splits"].as_array().unwrap().iter().all(|share| share["amount"] == -15));
    assert_eq!(group.balances().await, ["-30", "15", "15"]);

    let debts = bob.get("/api/users/me/debts").await;
    assert_eq!(debts.data(200)[0]["amount"], -15);
    assert_eq!(debts.data(200)[0]["totalAmount"], -45);
    let received = alice.get("/api/users/me/expenses").await;
    assert_eq!(received.data(200)[0]["amount"], -45);
    assert_eq!(received.data(200)[0]["yourShare"], -15);
    for (member, kind, amount) in [(alice, "expense_paid", -45), (bob, "expense_owed", -15)] {
        let feed = member.get("/api/users/me/activity").await;
        assert_eq!(feed.data(200)[0]["type"], kind);
        assert_eq!(feed.data(200)[0]["amount"], amount);
    }
    let summary = group.debts().await["summary"].clone();
    assert_eq!(summary["totalExpenses"], -45);
    assert_eq!(summary["expenseCount"], 1);
    let balance = alice.get(&group.path("/ledger/balance")).await;
    assert!(balance.text.contains(r#""paid":-45,"owed":-15"#), "{}", balance.text);
    group.verify().await;

    let path = group.path(&format!("/expenses/{}", made["id"].as_str().unwrap()));
    alice.delete(&path).await.data(200);
    assert_eq!(group.balances().await, ["0", "0", "0"]);
    group.verify().await;
}

#[tokio::test]
async fn refund_of_a_receipt_is_the_receipt_negated() {
    let group = Group::new(3, "EUR").await;
    let lines = |sign: f64| {
        let amount = |amount: f64| json!(format!("{:.2}", amount * sign));
        json!({ "description": "Luigi's", "splitType": "itemized", "items": [
            { "name": "Wine", "amount": amount(15.5) },
            { "name": "Pizza", "amount": amount(12.0), "sharers": [{ "userId": "1" }] },
            { "kind": "discount", "name": "Coupon", "amount": amount(2.5), "split": "equal" },
        ] })
    };
    let bought = group.spend(0, lines(1.0)).await;
    let refunded = group.spend(0, lines(-1.0)).await;
    assert_eq!((&bought["amount"], &refunded["amount"]), (&json!(25), &json!(-25)));
    for (item, negated) in [("15.5", "-15.5"), ("12", "-12"), ("2.5", "-2.5")] {
        assert!(bought.to_string().contains(&format!(r#""amount":{item},"#)), "{bought}");
        assert!(refunded.to_string().contains(&format!(r#""amount":{negated},"#)), "{refunded}");
    }
    let shares = |expense: &Value| -> Vec<f64> {
        let splits = expense["splits"].as_array().unwrap().iter();
        splits.map(|share| share["amount"].as_f64().unwrap()).collect()
    };
    // Left-over minor units may go to other members, because the id is another one.
    let close = |(one, two): (f64, f64)| (one + two).abs() < 0.011;
    assert!(shares(&bought).into_iter().zip(shares(&refunded)).all(close), "{bought} {refunded}");
    group.verify().await;
}

#[tokio::test]
async fn edit_may_change_the_sign() {
    let group = Group::new(3, "EUR").await;
    let alice = &group.members[0];
    let made = group.spend(0, json!({ "amount": 30 })).await;
    let path = group.path(&format!("/expenses/{}", made["id"].as_str().unwrap()));
    for (amount, balances) in [(-30, ["-20", "10", "10"]), (30, ["20", "-10", "-10"])] {
        alice.put(&path, json!({ "amount": amount })).await.data(200);
        assert_eq!(group.balances().await, balances);
        let rows = group.api.rows().await;
        let participants = rows.iter().filter(|((_, sk), _)| sk.starts_with("PART#"));
        let amounts = participants.map(|(_, row)| row["amount"].as_n().unwrap().clone());
        assert_eq!(
            amounts.collect::<Vec<_>>(),
            [(amount / 3).to_string(), (amount / 3).to_string()]
        );
        group.verify().await;
    }
    alice.delete(&path).await.data(200);
    assert_eq!(group.balances().await, ["0", "0", "0"]);
}

#[tokio::test]
async fn messages_about_a_refund_have_its_signs() {
    let group = Group::new(3, "EUR").await;
    let before = group.api.rows().await;
    let exact =
        |a: &str, b: &str| json!([{ "userId": "1", "amount": a }, { "userId": "2", "amount": b }]);
    let adjusted = |by: &str| json!([{ "userId": "1", "adjustment": by }, { "userId": "2" }]);
    for (split_type, field, input, path, message) in [
        (
            "exact",
            "splits",
            exact("-50", "-29"),
            "splits",
            "the amounts sum to -79, 1 more than the amount",
        ),
        (
            "exact",
            "splits",
            exact("-81", "1"),
            "splits[1].amount",
            "splits[1].amount must not be positive: the expense is negative",
        ),
        (
            "adjustment",
            "splits",
            adjusted("-81"),
            "splits",
            "the adjustments sum to -81, 1 less than the amount",
        ),
        (
            "adjustment",
            "splits",
            adjusted("81"),
            "splits[0].adjustment",
            "A's share would be positive: the expense is negative",
        ),
        (
            "itemized",
            "items",
            json!([{ "name": "x", "amount": "-79.5" }]),
            "items",
            "the lines sum to -79.5, 0.5 more than the amount",
        ),
        (
            "itemized",
            "items",
            json!([{ "name": "x", "amount": 80 }]),
            "items[0].amount",
            "items[0].amount must not be positive: the expense is negative, and what is taken off \
             is a line of kind discount, with a negative amount",
        ),
        (
            "itemized",
            "items",
            json!([{ "name": "x", "amount": -81 }, { "name": "y" }]),
            "items",
            "the lines sum to -81, 1 less than the amount",
        ),
    ] {
        let mut body = json!({ "amount": -80, "description": "x", "splitType": split_type });
        body[field] = input;
        let reply = group.members[0].post(&group.path("/expenses"), body.clone()).await;
        assert_eq!(reply.code(), (400, "VALIDATION_ERROR"), "{body}");
        assert_eq!(reply.body["details"][0], json!({ "path": path, "message": message }), "{body}");
    }
    let payment = json!({ "toId": "2", "amount": -1 });
    let reply = group.members[0].post(&group.path("/settlements"), payment).await;
    assert_eq!(reply.body["details"][0]["message"], "amount must be above zero");
    assert_eq!(group.api.rows().await, before);
}

#[tokio::test]
async fn change_that_would_exceed_the_ledger_after_a_refund_is_refused() {
    let group = Group::new(2, "JPY").await;
    let alice = &group.members[0];
    group.spend(0, json!({ "amount": i64::MAX })).await;
    let refund = group.spend(0, json!({ "amount": -5 })).await;
    group.spend(0, json!({ "amount": 5 })).await;
    let path = group.path(&format!("/expenses/{}", refund["id"].as_str().unwrap()));
    let before = group.api.rows().await;
    for reply in [alice.delete(&path).await, alice.put(&path, json!({ "amount": -4 })).await] {
        assert_eq!(reply.code(), (400, "VALIDATION_ERROR"), "{}", reply.text);
        assert_eq!(reply.body["details"][0]["path"], "amount");
    }
    assert_eq!(group.api.rows().await, before);
    alice.put(&path, json!({ "description": "Bottles" })).await;
    group.verify().await;

    let lowest = Group::new(2, "JPY").await;
    lowest.spend(0, json!({ "amount": -i64::MAX })).await;
    let reply = lowest.members[0]
        .post(&lowest.path("/expenses"), json!({ "amount": -2, "description": "x" }))
        .await;
    assert_eq!(reply.code(), (400, "VALIDATION_ERROR"));
    let least = json!({ "amount": i64::MIN, "description": "x" });
    let reply = lowest.members[0].post(&lowest.path("/expenses"), least).await;
    assert_eq!(
        reply.body["details"][0]["message"],
        "amount must be at least -9223372036854775807 in JPY"
    );
    lowest.verify().await;
}
