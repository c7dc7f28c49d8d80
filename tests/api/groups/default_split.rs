//! A group's default split: by which weights an expense is divided whose request does not say how.

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::harness::{Api, Group};

/// Alice pays 60 % and Bob 40 % of everything but food, which all share equally.
fn couple() -> Value {
    json!([
        { "splits": [{ "userId": "1", "weight": 60 }, { "userId": "2", "weight": 40 }] },
        { "category": "food", "others": 1 },
    ])
}

async fn set(group: &Group, rules: &Value) -> Value {
    let set = group.members[0].patch(&group.path(""), json!({ "defaultSplits": rules })).await;
    set.data(200)["defaultSplits"].clone()
}

/// The shares of an expense, by member.
fn shares(expense: &Value) -> Vec<(String, String)> {
    let splits = expense["splits"].as_array().unwrap().iter();
    let shares =
        splits.map(|it| (it["userId"].as_str().unwrap().to_owned(), it["amount"].to_string()));
    shares.collect()
}

/// Carol pays Alice what she owes.
async fn settles(group: &Group, amount: u64) {
    let body = json!({ "fromId": "3", "toId": "1", "amount": amount });
    group.members[0].post(&group.path("/settlements"), body).await.data(201);
}

fn is(expense: &Value, split_type: &str, expected: &[(&str, &str)]) {
    assert_eq!(expense["splitType"], split_type, "{expense}");
    let expected: Vec<_> =
        expected.iter().map(|(user, amount)| (user.to_string(), amount.to_string())).collect();
    assert_eq!(shares(expense), expected, "{expense}");
}

#[tokio::test]
async fn a_couple_shares_by_income_and_food_equally() {
    let group = Group::new(2, "EUR").await;
    assert_eq!(
        set(&group, &couple()).await,
        json!([
            { "splits": [{ "userId": "1", "weight": 60 }, { "userId": "2", "weight": 40 }] },
            { "category": "food", "splits": [], "others": 1 },
        ])
    );
    let made = group.spend(0, json!({ "amount": "25.01" })).await;
    is(&made, "shares", &[("1", "15.01"), ("2", "10")]);
    assert_eq!(made["splits"][0]["weight"], 60);
    let food = group.spend(1, json!({ "amount": 25, "category": "food" })).await;
    is(&food, "equal", &[("1", "12.5"), ("2", "12.5")]);
    let refund = group.spend(1, json!({ "amount": -10, "category": "rent" })).await;
    is(&refund, "shares", &[("1", "-6"), ("2", "-4")]);
    // A request that says how is divided as it says.
    let equal = group.spend(0, json!({ "amount": 10, "splitType": "equal" })).await;
    is(&equal, "equal", &[("1", "5"), ("2", "5")]);
    let named = group.spend(0, json!({ "amount": 10, "splits": [{ "userId": "2" }] })).await;
    is(&named, "equal", &[("2", "10")]);
    // An edit never applies it: a new category moves no shares.
    let path = group.path(&format!("/expenses/{}", made["id"].as_str().unwrap()));
    let edited = group.members[0].put(&path, json!({ "category": "food" })).await;
    is(edited.data(200), "shares", &[("1", "15.01"), ("2", "10")]);
    group.verify().await;
}

#[tokio::test]
async fn a_preview_is_what_is_recorded() {
    let group = Group::new(3, "EUR").await;
    set(&group, &couple()).await;
    for (category, amount) in [("rent", "25.01"), ("food", "30"), ("travel", "-0.07")] {
        let body = json!({ "amount": amount, "category": category, "description": "x" });
        let preview = group.members[2].post(&group.path("/expenses/preview"), body.clone()).await;
        let made = group.members[2].post(&group.path("/expenses"), body).await;
        assert_eq!(shares(preview.data(200)), shares(made.data(201)));
    }
    group.verify().await;
}

#[tokio::test]
async fn who_joins_pays_nothing_or_an_equal_part_and_who_leaves_counts_again_when_back() {
    let group = Group::new(2, "EUR").await;
    set(&group, &couple()).await;
    let carol = group.api.user(3, "C");
    carol.post(&group.path("/join"), json!({})).await.data(200);
    let spend = async |body: Value| group.spend(0, body).await;
    is(&spend(json!({ "amount": 10 })).await, "shares", &[("1", "6"), ("2", "4")]);
    let food = spend(json!({ "amount": 9, "category": "food" })).await;
    is(&food, "equal", &[("1", "3"), ("2", "3"), ("3", "3")]);

    let half = json!([{ "splits": [{ "userId": "3", "weight": 0.5 }], "others": "1" }]);
    set(&group, &half).await;
    let made = spend(json!({ "amount": 10 })).await;
    is(&made, "shares", &[("1", "4"), ("2", "4"), ("3", "2")]);
    settles(&group, 5).await;
    carol.post(&group.path("/leave"), json!({})).await.data(200);
    is(&spend(json!({ "amount": 10 })).await, "equal", &[("1", "5"), ("2", "5")]);
    // A list that is sent again keeps who is past.
    assert_eq!(set(&group, &half).await[0]["splits"][0]["userId"], "3");
    carol.post(&group.path("/join"), json!({})).await.data(200);
    let made = spend(json!({ "amount": 10 })).await;
    is(&made, "shares", &[("1", "4"), ("2", "4"), ("3", "2")]);

    // Nobody of the rule is present.
    let only =
        json!([{ "splits": [{ "userId": "3", "weight": 1 }, { "userId": "1", "weight": 0 }] }]);
    set(&group, &only).await;
    is(&spend(json!({ "amount": 10 })).await, "equal", &[("3", "10")]);
    settles(&group, 12).await;
    carol.post(&group.path("/leave"), json!({})).await.data(200);
    let body = json!({ "amount": 10, "description": "x" });
    let before = group.api.rows().await;
    for path in ["/expenses", "/expenses/preview"] {
        let refused = group.members[0].post(&group.path(path), body.clone()).await;
        assert_eq!(refused.code(), (400, "VALIDATION_ERROR"));
        let detail = &refused.body["details"][0];
        assert_eq!(detail["path"], "splits");
        let message = "splits is required: no member of the default split is present";
        assert_eq!(detail["message"], message);
    }
    assert_eq!(group.api.rows().await, before);
    group.verify().await;
}

#[tokio::test]
async fn a_linked_guest_is_the_user_whose_own_weight_comes_first() {
    let group = Group::new(3, "EUR").await;
    let [guest, other] = [group.guest(0, "Bob").await, group.guest(0, "Carol").await];
    set(
        &group,
        &json!([
            { "splits": [{ "userId": guest, "weight": 3 }, { "userId": "1", "weight": 1 }] },
            { "category": "food",
                "splits": [{ "userId": other, "weight": 9 }, { "userId": "3", "weight": 2 },
                    { "userId": "1", "weight": 1 }] },
        ]),
    )
    .await;
    let made = group.spend(0, json!({ "amount": 8 })).await;
    assert_eq!(shares(&made), [("1".to_owned(), "2".to_owned()), (guest.clone(), "6".to_owned())]);
    group.link(&guest, "2").await.data(200);
    group.link(&other, "3").await.data(200);
    let made = group.spend(0, json!({ "amount": 8 })).await;
    is(&made, "shares", &[("1", "2"), ("2", "6")]);
    let made = group.spend(0, json!({ "amount": 9, "category": "food" })).await;
    is(&made, "shares", &[("1", "3"), ("3", "6")]);
    // A list that names the guest is stored with the user.
    let stored = set(&group, &json!([{ "splits": [{ "userId": guest, "weight": 1 }] }])).await;
    assert_eq!(stored[0]["splits"][0]["userId"], "2");
    group.verify().await;
}

#[tokio::test]
async fn a_shared_spending_is_divided_by_it() {
    let group = Group::new(2, "EUR").await;
    set(&group, &couple()).await;
    let new = json!({ "amount": 10, "currency": "EUR", "title": "Books" });
    let made = group.members[1].post("/api/users/me/spendings", new).await;
    let id = made.data(201)["id"].clone();
    let shared = group.spend(1, json!({ "spendingId": id, "description": "Books" })).await;
    is(&shared, "shares", &[("1", "6"), ("2", "4")]);
    group.verify().await;
}

#[tokio::test]
async fn a_rule_goes_with_its_category() {
    let group = Group::new(2, "EUR").await;
    let own = json!({ "categories": [{ "key": "pets", "name": "Pets" }],
        "defaultSplits": [{ "category": "pets", "splits": [{ "userId": "1", "weight": 1 }] }] });
    group.members[0].patch(&group.path(""), own).await.data(200);
    let pets = json!({ "amount": 10, "category": "pets" });
    is(&group.spend(1, pets.clone()).await, "equal", &[("1", "10")]);
    let cleared = group.members[0].patch(&group.path(""), json!({ "categories": [] })).await;
    assert_eq!(cleared.data(200)["defaultSplits"], Value::Null);
    group.verify().await;
}

#[tokio::test]
async fn a_list_that_breaks_a_rule_is_refused_with_field_and_rule() {
    let group = Group::new(2, "EUR").await;
    set(&group, &couple()).await;
    let left = group.api.user(7, "G");
    left.post(&group.path("/join"), json!({})).await.data(200);
    left.post(&group.path("/leave"), json!({})).await.data(200);
    let before = group.api.rows().await;
    let weights = |weights: Value| json!([{ "splits": weights }]);
    let one = |user: &str, weight: Value| weights(json!([{ "userId": user, "weight": weight }]));
    let not_member = "must be the id of a member of the group";
    let zero = "a weight in splits, or others, must be above 0";
    let many: Vec<Value> = (0..11).map(|_| json!({ "others": 1 })).collect();
    let all: Vec<Value> = (0..101).map(|_| json!({ "userId": "1", "weight": 1 })).collect();
    let (half, rest) = all.split_at(50);
    for (rules, path, message) in [
        (one("9", json!(1)), "defaultSplits[0].splits[0].userId", not_member),
        (one("7", json!(1)), "defaultSplits[0].splits[0].userId", not_member),
        (one("1", json!(-1)), "defaultSplits[0].splits[0].weight", "must not be negative"),
        (one("1", json!("0.00001")), "defaultSplits[0].splits[0].weight", "at most 4 decimals"),
        (one("1", json!(10001)), "defaultSplits[0].splits[0].weight", "must be at most 10000"),
        (weights(json!([{ "userId": "1" }])), "defaultSplits[0].splits[0].weight", "is required"),
        (weights(json!([{ "weight": 1 }])), "defaultSplits[0].splits[0].userId", "is required"),
        (one("1", json!(0)), "defaultSplits[0].splits", zero),
        (json!([{}]), "defaultSplits[0].splits", zero),
        (json!([{ "others": 0 }]), "defaultSplits[0].splits", zero),
        (json!([{ "others": "x" }]), "defaultSplits[0].others", "must be a number"),
        (json!([{ "category": "pets", "others": 1 }]), "defaultSplits[0].category", "category"),
        (
            json!([{ "others": 1 }, { "others": 2 }]),
            "defaultSplits[1].category",
            "one rule for each",
        ),
        (
            weights(json!([{ "userId": "1", "weight": 1 }, { "userId": "1", "weight": 2 }])),
            "defaultSplits[0].splits[1].userId",
            "only once",
        ),
        (json!(many), "defaultSplits", "10"),
        (
            json!([{ "splits": half }, { "category": "food", "splits": rest }]),
            "defaultSplits",
            "at most 100 weights in all",
        ),
        (json!("x"), "defaultSplits", "must be an array"),
    ] {
        let refused =
            group.members[1].patch(&group.path(""), json!({ "defaultSplits": rules })).await;
        assert_eq!(refused.code(), (400, "VALIDATION_ERROR"), "{rules}");
        let details = refused.body["details"].as_array().unwrap();
        let named = details.iter().find(|it| it["path"] == path);
        let named = named.unwrap_or_else(|| panic!("{rules}: {details:?}"));
        assert!(named["message"].as_str().unwrap().contains(message), "{rules}: {details:?}");
    }
    let eve = group.api.user(9, "Eve");
    let refused = eve.patch(&group.path(""), json!({ "defaultSplits": [] })).await;
    assert_eq!(refused.code(), (403, "NOT_A_MEMBER"));
    assert_eq!(group.api.rows().await, before);
    // The same list changes nothing, an empty one removes it.
    set(&group, &couple()).await;
    assert_eq!(group.api.rows().await, before);
    assert_eq!(set(&group, &json!([])).await, Value::Null);
    is(&group.spend(0, json!({ "amount": 1 })).await, "equal", &[("1", "0.5"), ("2", "0.5")]);
    group.verify().await;
}

#[tokio::test]
async fn more_than_45_sharers_are_refused() {
    let group = Group::new(1, "EUR").await;
    for number in 0..45 {
        group.guest(0, &format!("G{number}")).await;
    }
    set(&group, &json!([{ "splits": [{ "userId": "1", "weight": 2 }], "others": 1 }])).await;
    let body = json!({ "amount": 10, "description": "x" });
    let refused = group.members[0].post(&group.path("/expenses"), body.clone()).await;
    assert_eq!(refused.code(), (422, "TOO_MANY_SPLITS"));
    set(&group, &json!([{ "splits": [{ "userId": "1", "weight": 0 }], "others": 1 }])).await;
    let made = group.members[0].post(&group.path("/expenses"), body).await;
    assert_eq!(made.data(201)["splits"].as_array().unwrap().len(), 45);
    group.verify().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_expense_beside_a_change_has_the_old_rule_or_the_new_one() {
    let api = Api::new().await;
    let group = Group::of(&api, 2, "EUR").await;
    let rule = |alice: u64| {
        json!([{ "splits": [{ "userId": "1", "weight": alice },
        { "userId": "2", "weight": 10 - alice }] }])
    };
    set(&group, &rule(5)).await;
    for alice in 1..=4 {
        let mut requests = JoinSet::new();
        for _ in 0..4 {
            let payer = group.members[0].at(&api.another());
            let path = group.path("/expenses");
            let body = json!({ "amount": 10, "description": "x" });
            requests.spawn(async move { payer.post(&path, body).await.data(201).clone() });
        }
        let changes = group.members[1].at(&api.another());
        changes.patch(&group.path(""), json!({ "defaultSplits": rule(alice) })).await.data(200);
        // Who asks after the change was answered has the new rule.
        let later = group.spend(0, json!({ "amount": 10 })).await;
        assert_eq!(shares(&later)[0].1, alice.to_string());
        let before = if alice == 1 { 5 } else { alice - 1 };
        for made in requests.join_all().await {
            let share = shares(&made)[0].1.clone();
            assert!([before, alice].map(|it: u64| it.to_string()).contains(&share), "{made}");
        }
    }
    group.verify().await;
}
