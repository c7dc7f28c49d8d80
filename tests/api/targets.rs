//! Targets and the user's own categories.

use serde_json::{Value, json};

use crate::harness::Api;

const TARGETS: &str = "/api/users/me/targets";

#[tokio::test]
async fn targets_begin_at_version_one_and_grow_with_each_change() {
    let api = Api::new().await;
    let alice = api.user(1, "Alice");
    let none = json!({ "version": 1, "period": "month", "registry": {} });
    assert_eq!(alice.get(TARGETS).await.data(200), &none);

    let first = json!({ "version": 1, "currency": "EUR", "total": "900.50", "food": 300 });
    let first = alice.patch(TARGETS, first).await.data(200).clone();
    assert_eq!(first["version"], 2);
    assert_eq!((&first["total"], &first["food"]), (&json!(900.5), &json!(300)));
    let second = json!({ "version": 2, "total": null, "food": 0, "timeZone": "Europe/Berlin" });
    let second = alice.patch(TARGETS, second).await.data(200).clone();
    assert_eq!((&second["version"], &second["food"]), (&json!(3), &Value::Null));
    assert_eq!((&second["total"], &second["timeZone"]), (&json!(900.5), &json!("Europe/Berlin")));
    assert_eq!(alice.get(TARGETS).await.data(200), &second);
    assert_eq!(api.user(2, "Bob").get(TARGETS).await.data(200), &none);
}

#[tokio::test]
async fn update_of_a_stale_version_changes_nothing_unless_it_is_a_repetition() {
    let api = Api::new().await;
    let alice = api.user(1, "Alice");
    let update = json!({ "version": 1, "currency": "EUR", "food": 300 });
    let first = alice.patch(TARGETS, update.clone()).await;
    let repeated = alice.patch(TARGETS, update).await;
    assert_eq!(repeated.data(200), first.data(200));
    let stale = alice.patch(TARGETS, json!({ "version": 1, "food": 301 })).await;
    assert_eq!(stale.code(), (409, "VERSION_CONFLICT"));
    let detail = json!([{ "path": "version", "message": "the current version is 2" }]);
    assert_eq!(stale.body["details"], detail);

    let set = |food: u32| {
        let alice = alice.clone();
        async move { alice.patch(TARGETS, json!({ "version": 2, "food": food })).await.status }
    };
    let (one, other) = tokio::join!(set(1), set(2));
    let mut both = [one.as_u16(), other.as_u16()];
    both.sort_unstable();
    assert_eq!(both, [200, 409]);
    assert_eq!(alice.get(TARGETS).await.data(200)["version"], 3);
}

#[tokio::test]
async fn own_categories_keep_their_unit_and_are_never_deleted() {
    let alice = Api::new().await.user(1, "Alice");
    let pets = json!({ "unit": "USD", "label": "Pets", "target": 50 });
    let new = json!({ "version": 1, "registry": { "pets": pets } });
    let new = alice.patch(TARGETS, new).await.data(200).clone();
    let expected = json!({ "unit": "USD", "label": "Pets", "target": 50, "status": "ACTIVE" });
    assert_eq!(new["registry"]["pets"], expected);
    let archive =
        json!({ "version": 2, "registry": { "pets": { "status": "ARCHIVED", "target": 0 } } });
    let archived = alice.patch(TARGETS, archive).await.data(200).clone();
    let expected = json!({ "unit": "USD", "label": "Pets", "status": "ARCHIVED" });
    assert_eq!(archived["registry"]["pets"], expected);
}

#[tokio::test]
async fn invalid_updates_name_the_field_and_change_nothing() {
    let api = Api::new().await;
    let alice = api.user(1, "Alice");
    let pets = json!({ "pets": { "unit": "JPY" } });
    let first = json!({ "version": 1, "currency": "EUR", "food": 300, "registry": pets });
    alice.patch(TARGETS, first).await.data(200);
    let before = api.rows().await;
    let key = |key: &str| json!({ "registry": { key: { "unit": "EUR" } } });
    let many: Value = (0..51).map(|it| (format!("c{it}"), json!({ "unit": "EUR" }))).collect();
    for (mut body, path) in [
        (json!({ "version": null }), "version"),
        (json!({ "version": "2" }), "version"),
        (json!({ "version": 0 }), "version"),
        (json!({ "version": 2.5 }), "version"),
        (json!({ "food": -1 }), "food"),
        (json!({ "food": 1.001 }), "food"),
        (json!({ "food": "1e30" }), "food"),
        (json!({ "pets": 1 }), "pets"),
        (json!({ "period": "week" }), "period"),
        (json!({ "timeZone": "Berlin" }), "timeZone"),
        (json!({ "currency": "USD" }), "currency"),
        (json!({ "currency": "USD", "total": 1 }), "currency"),
        (json!({ "registry": { "pets": { "unit": "EUR" } } }), "registry.pets.unit"),
        (json!({ "registry": { "pets": { "target": 1.5 } } }), "registry.pets.target"),
        (json!({ "registry": { "pets": { "label": "" } } }), "registry.pets.label"),
        (json!({ "registry": { "pets": { "x": 1 } } }), "registry.pets.x"),
        (json!({ "registry": { "cars": {} } }), "registry.cars.unit"),
        (json!({ "registry": { "cars": 1 } }), "registry.cars"),
        (json!({ "registry": [] }), "registry"),
        (json!({ "registry": many }), "registry"),
        (key("food"), "registry.food"),
        (key("total"), "registry.total"),
        (key("none"), "registry.none"),
        (key("currency"), "registry.currency"),
        (key("__proto__"), "registry.__proto__"),
        (key("a#b"), "registry.a#b"),
        (key(""), "registry."),
        (key(&"a".repeat(33)), &format!("registry.{}", "a".repeat(33))),
    ] {
        let fields = body.as_object_mut().unwrap();
        fields.entry("version").or_insert(json!(2));
        let reply = alice.patch(TARGETS, body.clone()).await;
        assert_eq!(reply.code(), (400, "VALIDATION_ERROR"), "{body}: {}", reply.text);
        let paths: Vec<_> = reply.body["details"].as_array().unwrap().iter().collect();
        assert_eq!(paths[0]["path"], path, "{body}: {}", reply.text);
    }
    let twice = r#"{"version":2,"registry":{"a":{"unit":"EUR"},"a":{"unit":"EUR"}}}"#;
    let request = alice.request(axum::http::Method::PATCH, TARGETS);
    let request = request.header("content-type", "application/json");
    let twice = api.send(request.body(axum::body::Body::from(twice)).unwrap()).await;
    assert_eq!(twice.body["details"][0]["message"], "registry.a must be given only once");
    let unknown = alice.patch(TARGETS, json!({ "version": 1, "food": 5, "total": 1 })).await;
    assert_eq!(unknown.code(), (409, "VERSION_CONFLICT"));
    assert_eq!(api.rows().await, before);
}
