//! Receipts: what is asked, how much is claimed, and who applies them.

use std::time::Duration;

use super::*;

fn one_item(currency: &str, amount: &str, quantity: u32) -> Value {
    json!({ "type": "items", "prompt": "Who?", "receipt": {
        "description": "Bar", "currency": currency, "items": [
            { "name": "Beer", "amount": amount, "quantity": quantity },
        ] } })
}

/// The shares that claims give: by member, with a count or null.
async fn applied(
    group: &Group,
    question: Value,
    counts: &[(usize, Value)],
    unclaimed: &str,
) -> Vec<(String, String)> {
    let asked = Asked::by(group, 0, question).await;
    for (member, count) in counts {
        asked.claim(*member, &[(0, count.clone())]).await.data(200);
    }
    let expense = asked.apply(0, json!({ "unclaimed": unclaimed })).await;
    shares(&expense.data(200)["splits"])
}

#[tokio::test]
async fn any_member_applies_the_receipt_of_a_past_payer() {
    let group = Group::new(3, "EUR").await;
    let mut question = one_item("EUR", "12.00", 2);
    question["receipt"]["payerId"] = json!("2");
    let asked = Asked::by(&group, 1, question).await;
    asked.claim(2, &[(0, json!(2))]).await.data(200);
    assert_eq!(asked.apply(0, json!({})).await.code(), (403, "NOT_ALLOWED"));
    group.members[1].post(&group.path("/leave"), json!({})).await.data(200);
    assert_eq!(asked.apply(0, json!({})).await.code(), (409, "PAYER_LEFT"));
    asked.apply(0, json!({ "payerId": "1" })).await.data(200);
    group.verify().await;
}

#[tokio::test]
async fn counts_and_uncounted_claims_give_the_shares() {
    let group = Group::new(4, "EUR").await;
    let none = Value::Null;
    let beers = || one_item("EUR", "12.00", 4);
    let some = [(1, json!(1)), (2, none.clone()), (3, none.clone())];
    let by_hand = of(&[("2", "3"), ("3", "4.5"), ("4", "4.5")]);
    assert_eq!(applied(&group, beers(), &some, "reject").await, by_hand);
    let salads = || one_item("EUR", "7.20", 3);
    let one = [(1, json!(1)), (2, none.clone())];
    assert_eq!(
        applied(&group, salads(), &one, "reject").await,
        of(&[("2", "2.4"), ("3", "4.8")]),
        "who counted nothing had the rest"
    );
    let over = [(1, json!(2)), (2, none)];
    let two = || one_item("EUR", "9.00", 2);
    assert_eq!(applied(&group, two(), &over, "reject").await, of(&[("2", "6"), ("3", "3")]));
    let counted = [(1, json!(1))];
    assert_eq!(
        applied(&group, salads(), &counted, "payers").await,
        of(&[("1", "4.8"), ("2", "2.4")])
    );
    assert_eq!(applied(&group, salads(), &counted, "claimers").await, of(&[("2", "7.2")]));
    for (currency, amount, third) in
        [("JPY", "300", "100"), ("KWD", "0.300", "0.1"), ("TON", "0.000000003", "0.000000001")]
    {
        let all = [(1, json!(1)), (2, json!(1)), (3, json!(1))];
        let question = one_item(currency, amount, 3);
        let each = of(&[("2", third), ("3", third), ("4", third)]);
        assert_eq!(applied(&group, question, &all, "reject").await, each, "{currency}");
    }
    group.verify().await;
}

#[tokio::test]
async fn a_receipt_is_refused_by_the_rules_of_an_expense() {
    let group = Group::new(3, "EUR").await;
    let before = group.api.rows().await;
    let receipt = |receipt: Value| json!({ "type": "items", "prompt": "Who?", "receipt": receipt });
    let item = json!({ "name": "Tea", "amount": 1 });
    for (body, path, message) in [
        (json!({ "description": "x" }), "receipt.items", "receipt.items is required"),
        (json!({ "items": [item] }), "receipt.description", "receipt.description is required"),
        (
            json!({ "description": "x", "items": [{ "name": "Tea", "amount": "0.001" }] }),
            "receipt.items[0].amount",
            "receipt.items[0].amount must have at most 2 decimals in EUR",
        ),
        (
            json!({ "description": "x", "items": [item], "payerId": "77" }),
            "receipt.payerId",
            "receipt.payerId must be the id of a member of the group",
        ),
        (
            json!({ "description": "x", "items": [{ "name": "Tea", "amount": -1 }] }),
            "receipt.amount",
            "receipt.amount must be above zero",
        ),
        (
            json!({ "description": "x", "items": [item], "amount": 2 }),
            "receipt.items",
            "the lines sum to 1, 1 less than the amount",
        ),
        (
            json!({ "description": "x", "items": [item], "splits": [] }),
            "receipt.splits",
            "unknown field receipt.splits; known fields are amount, description, payerId, payers, \
             items, currency, category, date, notes",
        ),
    ] {
        let refused = group.members[0].post(&group.path("/questions"), receipt(body.clone())).await;
        assert_eq!(refused.code(), (400, "VALIDATION_ERROR"), "{body}");
        let detail = json!({ "path": path, "message": message });
        assert_eq!(refused.body["details"], json!([detail]), "{body}");
    }
    assert_eq!(group.api.rows().await, before);
}

#[tokio::test]
async fn items_with_sharers_and_unknown_items_are_not_claimed() {
    let group = Group::new(3, "EUR").await;
    let mut question = dinner();
    question["receipt"]["items"][1]["sharers"] = json!([{ "userId": "2" }]);
    let asked = Asked::by(&group, 0, question).await;
    let before = group.api.rows().await;
    let not_claimable = "must be the index of an item without sharers";
    for (items, path, rule) in [
        (json!([{ "item": 1 }]), "items[0].item", not_claimable),
        (json!([{ "item": 3 }]), "items[0].item", not_claimable),
        (json!([{ "item": 4 }]), "items[0].item", not_claimable),
        (json!([{ "item": 0 }, { "item": 0 }]), "items[1].item", "must not repeat an index"),
        (json!([{ "item": 2, "count": 0 }]), "items[0].count", "must be above zero"),
        (json!([{ "item": 2, "count": 10001 }]), "items[0].count", "must be at most 10000"),
        (
            json!([{ "item": 2, "count": "1.00001" }]),
            "items[0].count",
            "must have at most 4 decimals",
        ),
    ] {
        let refused = group.members[1].put(&asked.at("/claims"), json!({ "items": items })).await;
        let message = format!("{path} {rule}");
        let detail = json!([{ "path": path, "message": message }]);
        assert_eq!((refused.code().0, &refused.body["details"]), (400, &detail), "{items}");
    }
    assert_eq!(group.api.rows().await, before);
    asked.claim(0, &[(0, Value::Null), (2, json!(3))]).await.data(200);
    let expense = asked.apply(0, json!({})).await.data(200).clone();
    assert_eq!(shares_of_line(&expense["items"][1]), ["2:1"]);
    // Nothing was claimed by text.
    let text = Asked::by(&group, 0, text()).await;
    let refused = text.claim(1, &[(0, Value::Null)]).await;
    assert_eq!(refused.body["details"][0]["path"], "items");
    assert_eq!(text.apply(0, json!({})).await.code(), (400, "VALIDATION_ERROR"));
}

#[tokio::test]
async fn askers_and_payers_apply_once_and_a_deleted_expense_is_restored() {
    let group = Group::new(4, "EUR").await;
    let mut question = dinner();
    question["receipt"]["payers"] = json!([{ "userId": "2", "amount": 30 }, { "userId": "3" }]);
    let asked = Asked::by(&group, 0, question.clone()).await;
    let all = [(0, Value::Null), (1, Value::Null), (2, Value::Null)];
    asked.claim(3, &all).await.data(200);
    assert_eq!(asked.apply(3, json!({})).await.code(), (403, "NOT_ALLOWED"));
    // A payer applies what was closed.
    group.members[0].post(&asked.at("/close"), Value::Null).await.data(200);
    assert_eq!(asked.claim(1, &all).await.code(), (409, "QUESTION_CLOSED"));
    let expense = asked.apply(2, json!({})).await.data(200).clone();
    assert_eq!((&expense["createdBy"], &expense["payerId"]), (&json!("3"), &json!("2")));
    assert_eq!(asked.apply(1, json!({})).await.data(200), &expense);
    let path = group.path(&format!("/expenses/{}", expense["id"].as_str().unwrap()));
    group.members[2].delete(&path).await.data(200);
    assert_eq!(asked.apply(2, json!({})).await.code(), (409, "ALREADY_APPLIED"));
    group.members[2].post(&format!("{path}/restore"), json!({})).await.data(200);
    assert_eq!(asked.apply(2, json!({})).await.data(200)["id"], expense["id"]);

    // Any member acts for a guest who paid.
    let guest = group.guest(0, "Grandma").await;
    question["receipt"]["payers"] = Value::Null;
    question["receipt"]["payerId"] = json!(guest);
    let asked = Asked::by(&group, 0, question).await;
    asked.claim(1, &all).await.data(200);
    asked.apply(3, json!({})).await.data(200);
    group.verify().await;
}

#[tokio::test]
async fn members_who_left_are_left_out_and_a_payer_who_left_is_replaced() {
    let group = Group::new(4, "EUR").await;
    let mut question = dinner();
    question["receipt"]["payerId"] = json!("2");
    let asked = Asked::by(&group, 0, question).await;
    let none = || Value::Null;
    asked.claim(3, &[(0, none()), (1, none())]).await.data(200);
    asked.claim(2, &[(0, none()), (1, none()), (2, none())]).await.data(200);
    group.members[3].post(&group.path("/leave"), Value::Null).await.data(200);
    let claims = &asked.get(0).await["receipt"]["items"][0]["claims"];
    assert_eq!(*claims, json!([{ "userId": "3", "userName": "C" }]));
    let early = asked.apply(0, json!({ "payerId": "1" })).await;
    assert_eq!(early.body["details"][0]["path"], "payerId");
    group.members[1].post(&group.path("/leave"), Value::Null).await.data(200);
    assert_eq!(asked.apply(0, json!({})).await.code(), (409, "PAYER_LEFT"));
    let other = asked.apply(0, json!({ "payerId": "2" })).await;
    assert_eq!(other.body["details"][0]["path"], "payerId");
    let expense = asked.apply(0, json!({ "payerId": "1" })).await.data(200).clone();
    assert_eq!(
        (&expense["payerId"], shares(&expense["splits"])),
        (&json!("1"), of(&[("3", "38.15")]))
    );
    group.verify().await;
}

#[tokio::test]
async fn a_guest_who_was_linked_after_claiming_is_the_user() {
    let group = Group::new(3, "EUR").await;
    let guest = group.guest(0, "Caro").await;
    let asked = Asked::by(&group, 0, one_item("EUR", "12.00", 4)).await;
    asked.claim(1, &[(0, json!(1))]).await.data(200);
    asked.claim(2, &[(0, json!(1))]).await.data(200);
    group.api.pass(Duration::from_millis(1));
    let body = json!({ "userId": guest, "items": [{ "item": 0, "count": 2 }] });
    group.members[0].put(&asked.at("/claims"), body.clone()).await.data(200);
    group.link(&guest, "3").await.data(200);
    // The id means the user now, for whom nobody else answers.
    let refused = group.members[0].put(&asked.at("/claims"), body).await;
    assert_eq!(refused.code(), (403, "NOT_ALLOWED"));
    let claims = &asked.get(0).await["receipt"]["items"][0]["claims"];
    assert_eq!(claims[1], json!({ "userId": "3", "userName": "C", "count": 2 }));
    let expense = asked.apply(0, json!({ "unclaimed": "payers" })).await.data(200).clone();
    assert_eq!(shares(&expense["splits"]), of(&[("1", "3"), ("2", "3"), ("3", "6")]));
    group.verify().await;
}

#[tokio::test]
async fn large_groups_ask_and_forty_five_members_claim() {
    let group = Group::new(49, "EUR").await;
    let asked = Asked::by(&group, 0, dinner()).await;
    assert_eq!(asked.get(0).await["requiredResponses"], 49);
    let all = [(0, Value::Null), (1, Value::Null), (2, Value::Null)];
    for member in 0..45 {
        asked.claim(member, &all).await.data(200);
    }
    let refused = asked.claim(45, &all).await;
    assert_eq!(refused.code(), (422, "TOO_MANY_SPLITS"));
    asked.claim(45, &[]).await.data(200);
    let expense = asked.apply(0, json!({})).await.data(200).clone();
    assert_eq!(expense["splits"].as_array().unwrap().len(), 45);
    // Twenty lines that all members shared would be 980 sharers.
    let line = |n: usize| json!({ "name": format!("Line {n}"), "amount": 1 });
    let lines: Vec<Value> = (0..20).map(line).collect();
    let question = json!({ "type": "items", "prompt": "?",
        "receipt": { "description": "x", "items": lines } });
    let asked = Asked::by(&group, 0, question).await;
    let all: Vec<_> = (0..20).map(|item| (item, Value::Null)).collect();
    for member in 0..30 {
        asked.claim(member, &all).await.data(200);
    }
    let refused = asked.claim(30, &all[..1]).await;
    let message = "items must leave the receipt at most 600 claims and sharers, not 601";
    assert_eq!((refused.code().0, &refused.body["details"][0]["message"]), (400, &json!(message)));
    group.verify().await;
}

#[tokio::test]
async fn nothing_is_kept_a_month_after_the_time_ran_out() {
    let group = Group::new(3, "EUR").await;
    let asked = Asked::by(&group, 0, dinner()).await;
    asked.claim(1, &[(0, Value::Null)]).await.data(200);
    group.api.pass(Duration::from_hours(24 * 37));
    let alice = group.api.user(1, "A");
    for path in ["", "/apply", "/close"] {
        let reply = if path.is_empty() {
            alice.get(&asked.path).await
        } else {
            alice.post(&asked.at(path), Value::Null).await
        };
        assert_eq!(reply.code(), (404, "QUESTION_NOT_FOUND"), "{path}");
    }
    let lists = ["/api/users/me/questions?asked=true", "/api/users/me/answers"];
    for (list, by) in lists.iter().zip([1, 2]) {
        let listed = group.api.user(by, "?").get(list).await;
        assert_eq!(listed.data(200), &json!([]), "{list}");
    }
    assert_eq!(alice.get(&group.path("/questions")).await.data(200), &json!([]));
}

#[tokio::test]
async fn receipt_of_nothing_is_refused_for_its_amount() {
    let group = Group::new(2, "EUR").await;
    let items = json!([{ "name": "Bread", "amount": 0 }]);
    let receipt = json!({ "description": "Bar", "items": items });
    let question = json!({ "type": "items", "prompt": "Who?", "receipt": receipt });
    let refused = group.members[0].post(&group.path("/questions"), question).await;
    assert_eq!(refused.code(), (400, "VALIDATION_ERROR"));
    let rule = json!([{ "path": "receipt.amount", "message": "receipt.amount must not be 0" }]);
    assert_eq!(refused.body["details"], rule);
}
