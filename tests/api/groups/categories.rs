//! Categories of a group's own.

use serde_json::{Value, json};

use crate::{export, harness::Group};

/// A group of three with its own categories `pets` and `bikes`.
async fn group() -> Group {
    let group = Group::new(3, "EUR").await;
    set(&group, json!([pets(), { "key": "bikes", "name": "Bikes" }])).await;
    group
}

fn pets() -> Value {
    json!({ "key": "pets", "name": "Pets", "emoji": "🐈" })
}

async fn set(group: &Group, categories: Value) -> Value {
    let set = json!({ "categories": categories });
    group.members[0].patch(&group.path(""), set).await.data(200).clone()
}

#[tokio::test]
async fn any_member_replaces_the_whole_list() {
    let group = Group::new(2, "EUR").await;
    let [alice, bob] = [0, 1].map(|index| &group.members[index]);
    assert_eq!(alice.get(&group.path("")).await.data(200)["categories"], Value::Null);
    let both = json!([pets(), { "key": "bikes", "name": "Bikes" }]);
    for (list, shown) in [
        (both.clone(), both),
        (
            json!([{ "key": "pets", "name": "Animals", "emoji": null }]),
            json!([{ "key": "pets", "name": "Animals" }]),
        ),
        (json!([]), Value::Null),
    ] {
        let set = bob.patch(&group.path(""), json!({ "categories": list })).await;
        assert_eq!(set.data(200)["categories"], shown);
        assert_eq!(alice.get(&group.path("")).await.data(200)["categories"], shown);
        // Other changes leave the list as it is, and so does the same list.
        let before = group.api.rows().await;
        bob.patch(&group.path(""), json!({ "categories": list })).await.data(200);
        assert_eq!(group.api.rows().await, before, "nothing changes");
        let title = json!({ "title": format!("Alps {}", before.len()) });
        assert_eq!(alice.patch(&group.path(""), title).await.data(200)["categories"], shown);
    }
    let eve = group.api.user(9, "Eve");
    let refused = eve.patch(&group.path(""), json!({ "categories": [pets()] })).await;
    assert_eq!(refused.code(), (403, "NOT_A_MEMBER"));
    alice.patch(&group.path(""), json!({ "archived": true })).await.data(200);
    let refused = alice.patch(&group.path(""), json!({ "categories": [pets()] })).await;
    assert_eq!(refused.code(), (409, "GROUP_ARCHIVED"));
    group.verify().await;
}

#[tokio::test]
async fn a_list_that_breaks_a_rule_is_refused_with_field_and_rule() {
    let group = group().await;
    let before = group.api.rows().await;
    let own = |key: &str| json!({ "key": key, "name": "X" });
    let many = |count| (0..count).map(|index| own(&format!("k{index}"))).collect::<Vec<_>>();
    let form =
        "must be 1 to 32 lower-case letters, digits and underscores that begin with a letter";
    let reserved = |key: &str| format!("{key} is reserved; use another key");
    let rows = [
        (json!([own("food")]), "categories[0].key", reserved("food")),
        (json!([pets(), own("none")]), "categories[1].key", reserved("none")),
        (json!([own("total")]), "categories[0].key", reserved("total")),
        (json!([own("Pets")]), "categories[0].key", form.to_owned()),
        (json!([own("")]), "categories[0].key", form.to_owned()),
        (json!([own("2pets")]), "categories[0].key", form.to_owned()),
        (json!([own(&"a".repeat(33))]), "categories[0].key", form.to_owned()),
        (json!([pets(), own("pets")]), "categories[1].key", "only once".to_owned()),
        (json!([{ "name": "X" }]), "categories[0].key", "is required".to_owned()),
        (json!([{ "key": "x" }]), "categories[0].name", "is required".to_owned()),
        (json!([{ "key": "x", "name": "x".repeat(51) }]), "categories[0].name", "50".to_owned()),
        (json!([{ "key": "x", "name": " " }]), "categories[0].name", "not all of them".to_owned()),
        (
            json!([{ "key": "x", "name": "X", "emoji": "123456789" }]),
            "categories[0].emoji",
            "1 to 8 characters".to_owned(),
        ),
        (json!(many(21)), "categories", "20".to_owned()),
        (json!({}), "categories", "must be an array".to_owned()),
    ];
    for (list, path, rule) in rows {
        let set = json!({ "categories": list });
        let refused = group.members[0].patch(&group.path(""), set).await;
        assert_eq!(refused.code(), (400, "VALIDATION_ERROR"), "{}", refused.text);
        let detail = &refused.body["details"][0];
        assert_eq!(detail["path"], path, "{}", refused.text);
        assert!(detail["message"].as_str().unwrap().contains(&rule), "{}", refused.text);
    }
    assert_eq!(group.api.rows().await, before);
    assert_eq!(set(&group, json!(many(20))).await["categories"].as_array().unwrap().len(), 20);
}

#[tokio::test]
async fn expenses_of_the_group_have_its_own_categories_and_no_other_ones() {
    let group = group().await;
    let alice = &group.members[0];
    let food = group.spend(0, json!({ "amount": 5, "category": "food" })).await;
    let vet = group.spend(0, json!({ "amount": 9, "category": "pets" })).await;
    assert_eq!(vet["category"], "pets");
    let path =
        |expense: &Value| group.path(&format!("/expenses/{}", expense["id"].as_str().unwrap()));
    assert_eq!(alice.get(&path(&vet)).await.data(200)["category"], "pets");
    let edited = alice.put(&path(&food), json!({ "category": "bikes" })).await;
    assert_eq!(edited.data(200)["category"], "bikes");
    let found = alice.get(&group.path("/expenses?category=pets")).await;
    assert_eq!(found.data(200).as_array().unwrap().len(), 1);
    assert_eq!(found.data(200)[0]["id"], vet["id"]);
    let of_user = alice.get("/api/users/me/expenses?category=bikes").await;
    assert_eq!(of_user.data(200)[0]["id"], food["id"]);
    let before = group.api.rows().await;
    let rule = "category must be one of food, transport, entertainment, shopping, utilities, rent, \
                travel, health, education, other, or one of the group's own categories";
    for key in ["cars", "none", "total", "Pets"] {
        let new = json!({ "amount": 1, "description": "x", "category": key });
        for refused in [
            alice.post(&group.path("/expenses"), new).await,
            alice.put(&path(&vet), json!({ "category": key })).await,
        ] {
            assert_eq!(refused.code(), (400, "VALIDATION_ERROR"), "{key}: {}", refused.text);
            assert_eq!(refused.body["details"][0], json!({ "path": "category", "message": rule }));
        }
    }
    assert_eq!(group.api.rows().await, before);
    // Another group does not have them.
    let other = Group::of(&group.api, 2, "EUR").await;
    let new = json!({ "amount": 1, "description": "x", "category": "pets" });
    let refused = other.members[0].post(&other.path("/expenses"), new).await;
    assert_eq!(refused.code(), (400, "VALIDATION_ERROR"));
    group.verify().await;
}

#[tokio::test]
async fn expenses_keep_a_category_that_is_removed() {
    let group = group().await;
    let alice = &group.members[0];
    let vet =
        group.spend(0, json!({ "amount": 9, "category": "pets", "date": "2026-01-10" })).await;
    let path = group.path(&format!("/expenses/{}", vet["id"].as_str().unwrap()));
    set(&group, json!([])).await;
    let category = async || alice.get(&path).await.data(200)["category"].clone();
    assert_eq!(category().await, "pets");
    for edit in [json!({ "amount": 12 }), json!({ "notes": "x", "category": "pets" })] {
        assert_eq!(alice.put(&path, edit).await.data(200)["category"], "pets");
    }
    alice.delete(&path).await.data(200);
    alice.post(&format!("{path}/restore"), json!({})).await.data(200);
    assert_eq!(category().await, "pets");
    let stats = alice.get(&group.path("/stats?from=2026-01-01&to=2026-01-31")).await;
    let categories = &stats.data(200)["currencies"][0]["categories"];
    assert_eq!(*categories, json!([{ "category": "pets", "total": 12, "expenseCount": 1 }]));
    let sheet = export::sheet(alice, &group.id, 10).await;
    assert!(sheet.contains(",Expense,Dinner,pets,EUR,12"), "{sheet}");
    let export = export::exported(alice, &group.id, 10).await;
    let mut kept = export["entries"].as_array().unwrap().iter();
    assert!(kept.any(|entry| entry["expense"]["category"] == "pets"), "{export}");
    // Once it has another one, the removed one is refused.
    alice.put(&path, json!({ "category": "food" })).await.data(200);
    let refused = alice.put(&path, json!({ "category": "pets" })).await;
    assert_eq!(refused.code(), (400, "VALIDATION_ERROR"));
    group.verify().await;
}

#[tokio::test]
async fn statistics_and_days_have_the_own_categories() {
    let group = group().await;
    let alice = &group.members[0];
    for (amount, category) in [(9, "pets"), (6, "food"), (3, "bikes"), (3, "pets")] {
        let expense = json!({ "amount": amount, "category": category, "date": "2026-01-10" });
        group.spend(0, expense).await;
    }
    let stats = alice.get(&group.path("/stats?from=2026-01-01&to=2026-01-31")).await;
    let stats = &stats.data(200)["currencies"][0];
    // Built-in ones come first.
    let categories = json!([
        { "category": "food", "total": 6, "expenseCount": 1 },
        { "category": "bikes", "total": 3, "expenseCount": 1 },
        { "category": "pets", "total": 12, "expenseCount": 2 },
    ]);
    assert_eq!(stats["categories"], categories);
    assert_eq!(stats["members"][0]["categories"], json!({ "bikes": 1, "food": 2, "pets": 4 }));
    let day = alice.get("/api/users/me/days/2026-01-10").await;
    let shares = &day.data(200)["currencies"][0]["categories"];
    assert_eq!(*shares, json!({ "bikes": 1, "food": 2, "pets": 4 }));
    group.verify().await;
}
