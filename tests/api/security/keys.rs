//! Client text in keys of the table: ids refuse it, and free text never enters a key.

use axum::{
    body::Body,
    http::{Method, header},
};
use serde_json::{Value, json};

use super::{Scene, bad_ids, encoded};

#[tokio::test]
async fn id_and_enum_fields_refuse_other_values() {
    let scene = Scene::new().await;
    let expenses = scene.own.path("/api/groups/G/expenses");
    let settlements = scene.own.path("/api/groups/G/settlements");
    let settlement = scene.own.path("/api/groups/G/settlements/S");
    let wallet = scene.own.path("/api/groups/G/wallet");
    let join = scene.own.path("/api/groups/G/join");
    let entries = scene.own.path("/api/groups/G/ledger/entries");
    let groups = "/api/groups".to_owned();
    let expense =
        |name: &str, value: Value| json!({ "amount": 1, "description": "x", name: value });
    let pays = |name: &str, value: &str| {
        let mut body = json!({ "toId": "1", "amount": 1 });
        body[name] = json!(value);
        body
    };
    for text in bad_ids() {
        let by = |user: &str, amount: &str| json!([{ "userId": user, "amount": amount }]);
        let change = |name: &str, text: &str| {
            let mut change = json!({ "userId": "1", "amount": 1 });
            change[name] = json!(text);
            json!([{ "entryId": "a", "changes": [change] }])
        };
        let half = |percentage: &str| json!([{ "userId": "1", "percentage": percentage }]);
        for (method, path, body, field) in [
            (Method::POST, &expenses, expense("payerId", json!(text)), "payerId"),
            (Method::POST, &expenses, expense("currency", json!(text)), "currency"),
            (Method::POST, &expenses, expense("category", json!(text)), "category"),
            (Method::POST, &expenses, expense("splitType", json!(text)), "splitType"),
            (Method::POST, &expenses, expense("splits", by(&text, "1")), "splits[0].userId"),
            (Method::POST, &expenses, expense("payers", by(&text, "1")), "payers[0].userId"),
            (Method::POST, &settlements, pays("toId", &text), "toId"),
            (Method::POST, &settlements, pays("fromId", &text), "fromId"),
            (Method::POST, &settlements, pays("currency", &text), "currency"),
            (Method::POST, &settlements, pays("txHash", &text), "txHash"),
            (Method::POST, &entries, change("userId", &text), "[0].changes[0].userId"),
            (Method::POST, &entries, change("currency", &text), "[0].changes[0].currency"),
            (Method::PUT, &settlement, json!({ "status": text }), "status"),
            (Method::PUT, &settlement, json!({ "txHash": text }), "txHash"),
            (Method::PUT, &wallet, json!({ "wallet": text }), "wallet"),
            (Method::POST, &join, json!({ "wallet": text }), "wallet"),
            (
                Method::POST,
                &groups,
                json!({ "title": "x", "chatId": 1, "currency": text }),
                "currency",
            ),
        ] {
            scene.names((method, path), Some(&body), field).await;
        }
        // Valid JSON numbers that are no ids.
        if !["1.0", "1e0", "-1", "4503599627370496", "18446744073709551617"].contains(&&*text) {
            let mut body = expense("splits", by("1", &text));
            scene.names((Method::POST, &expenses), Some(&body), "splits[0].amount").await;
            body = expense("splits", half(&text));
            scene.names((Method::POST, &expenses), Some(&body), "splits[0].percentage").await;
            body = pays("amount", &text);
            scene.names((Method::POST, &settlements), Some(&body), "amount").await;
        }
        scene.unchanged(&text).await;
    }
}

#[tokio::test]
async fn path_and_query_parameters_refuse_malformed_values() {
    let scene = Scene::new().await;
    let id = &scene.own.expense;
    let mut texts = bad_ids();
    texts.retain(|text| text.len() < 5_000);
    // A valid id with additions.
    let about = ["#", "~", "\n", "\0", " ", "\u{200b}", "\u{301}", "/", "?", "%", "\u{202e}"];
    texts.extend(about.iter().flat_map(|odd| [format!("{id}{odd}"), format!("{odd}{id}")]));
    texts.extend([id.replace('-', "‐"), id.replace('-', ""), format!("{{{id}}}"), id.repeat(100)]);
    texts.push(id.replacen('0', "Ｏ", 1));
    for text in &texts {
        let text = encoded(text);
        for (method, path, field) in [
            (Method::GET, format!("/api/groups/{text}"), "groupId"),
            (Method::POST, format!("/api/groups/{text}/join"), "groupId"),
            (Method::GET, format!("/api/groups/{text}/debts"), "groupId"),
            (Method::GET, scene.own.path(&format!("/api/groups/G/expenses/{text}")), "expenseId"),
            (
                Method::DELETE,
                scene.own.path(&format!("/api/groups/G/expenses/{text}")),
                "expenseId",
            ),
            (
                Method::GET,
                scene.own.path(&format!("/api/groups/G/settlements/{text}")),
                "settlementId",
            ),
        ] {
            scene.names((method, &path), None, field).await;
        }
        let list = scene.own.path(&format!("/api/groups/G/expenses?cursor={text}"));
        scene.refused(&scene.eve.get(&list).await, (400, "INVALID_CURSOR"), &list).await;
    }
    for text in bad_ids().iter().filter(|text| *text != "01") {
        let list = format!("/api/users/me/expenses?limit={}", encoded(text));
        scene.names((Method::GET, &list), None, "limit").await;
    }
    scene.unchanged("limits").await;
}

#[tokio::test]
async fn free_text_never_enters_a_key() {
    let scene = Scene::new().await;
    for (index, text) in [
        "evil#USER#1~",
        "GROUP#evil",
        "~evil",
        "evil`'\"\\",
        "ｅｖｉｌ",
        "evil\u{202e}",
        "e\u{301}vil",
    ]
    .into_iter()
    .enumerate()
    {
        let title = json!({ "title": text, "chatId": text });
        let expense = json!({ "amount": 1, "description": text });
        let entries = scene.own.path("/api/groups/G/ledger/entries");
        let by = |user: &str, amount: i8| json!({ "userId": user, "amount": amount });
        let adjustment =
            json!([{ "entryId": text, "note": text, "changes": [by("1", 1), by("9", -1)] }]);
        for (path, body, status) in [
            ("/api/groups", title, 201),
            (&*scene.own.path("/api/groups/G/expenses"), expense, 201),
            (&*entries, adjustment, 200),
        ] {
            let request = scene.eve.request(Method::POST, path);
            let request = request.header("idempotency-key", format!("evil#USER#{index}~"));
            let request = request.header(header::CONTENT_TYPE, "application/json");
            let made = scene.api.send(request.body(Body::from(body.to_string())).unwrap()).await;
            made.data(status);
        }
        let entry = format!("{entries}/{}", encoded(text));
        assert_eq!(scene.eve.get(&entry).await.data(200)[0]["entryId"], text);
    }
    for row in scene.api.rows().await.into_values() {
        for (name, value) in
            row.iter().filter(|(name, _)| name.ends_with("PK") || name.ends_with("SK"))
        {
            let key = value.as_s().unwrap();
            let ours = |letter: char| letter.is_ascii_alphanumeric() || "#-:.~".contains(letter);
            assert!(key.chars().all(ours) && !key.contains("evil"), "{name}: {key}");
        }
    }
    scene.own.group.verify().await;
}

#[tokio::test]
async fn blank_and_multi_line_texts_are_refused() {
    let scene = Scene::new().await;
    let expenses = scene.own.path("/api/groups/G/expenses");
    for text in [
        "\u{200b}",
        "\u{feff}\u{2060}\u{200d}",
        " \u{ad} \u{34f}",
        "\u{202e}",
        "\u{3164}",
        "\u{2800}",
        "\u{e0041}\u{e007f}",
        "two\u{2028}lines",
        "two\u{2029}paragraphs",
        "two\u{85}lines",
        "bell\u{9b}",
    ] {
        let body = json!({ "amount": 1, "description": text });
        scene.names((Method::POST, &expenses), Some(&body), "description").await;
        let body = json!({ "title": text, "chatId": 1 });
        scene.names((Method::POST, "/api/groups"), Some(&body), "title").await;
        let body = json!({ "title": "x", "chatId": text });
        scene.names((Method::POST, "/api/groups"), Some(&body), "chatId").await;
        scene.unchanged(text).await;
    }
    // Joiners and direction marks are allowed between visible letters.
    for text in ["👨\u{200d}👩\u{200d}👧", "می\u{200c}خواهم", "\u{202b}שלום\u{202c}", "❤\u{fe0f}"]
    {
        let made = scene.eve.post(&expenses, json!({ "amount": 1, "description": text })).await;
        assert_eq!(made.data(201)["description"], text);
    }
}

#[tokio::test]
async fn idempotency_key_shaped_like_a_row_key_is_harmless() {
    let scene = Scene::new().await;
    let body = json!({ "amount": 1, "description": "x" });
    let path = scene.own.path("/api/groups/G/expenses");
    let first = scene.eve.post_once("create-expense#0", &path, body.clone()).await;
    first.data(201);
    for key in ["create-group#0", "CREATE-EXPENSE#0", "create-expense#0~", "../create-expense#0"] {
        let other = scene.eve.post_once(key, &path, body.clone()).await;
        assert_ne!(other.data(201)["id"], first.data(201)["id"], "{key}");
    }
    let before = scene.api.rows().await;
    // The group id in capitals is the same group: nothing is written again.
    let group = &scene.own.group.id;
    let path = path.replace(group, &group.to_uppercase());
    let again = scene.eve.post_once("create-expense#0", &path, body).await;
    assert!(again.status == 422 || again.data(201) == first.data(201), "{}", again.text);
    assert_eq!(scene.api.rows().await, before);
}
