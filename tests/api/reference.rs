//! The lists that are the same for all users.

use axum::{body::Body, http::Method};
use serde_json::{Value, json};

use crate::harness::{Api, Caller, PUBLIC, Reply};

/// Asks for a list with `If-None-Match`.
async fn ask(caller: &Caller, path: &str, known: &str) -> Reply {
    let request = caller.request(Method::GET, path).header("if-none-match", known);
    caller.api.send(request.body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn lists_need_no_authentication_and_no_row() {
    let api = Api::new().await;
    let users = [api.user(1, "A").with(None), api.user(2, "B")];
    for path in PUBLIC {
        let [unknown, known] = [users[0].get(path).await, users[1].get(path).await];
        assert_eq!(unknown.data(200), known.data(200));
        assert_eq!(unknown.header("etag"), known.header("etag"));
        assert_eq!((unknown.cost.requests, known.cost.requests), (0, 0));
        // A forged credential is not looked at.
        let forged = users[1].with(Some(("authorization", "Bearer fracti_pat_x".to_owned())));
        assert_eq!(forged.get(path).await.data(200), known.data(200));
    }
}

#[tokio::test]
async fn currencies_are_in_order_with_all_that_a_client_shows() {
    let api = Api::new().await;
    let reply = api.user(1, "A").get("/api/currencies").await;
    let currencies = reply.data(200)["currencies"].as_array().unwrap();
    let codes: Vec<_> = currencies.iter().map(|it| it["code"].as_str().unwrap()).collect();
    assert!(codes.is_sorted_by(|a, b| a < b) && codes.len() > 200, "{codes:?}");
    for (code, name, decimals, symbol, kind) in [
        ("DEM", "Deutsche Mark", 2, "DEM", "iso"),
        ("EUR", "Euro", 2, "€", "iso"),
        ("JPY", "Japanese yen", 0, "¥", "iso"),
        ("TON", "Toncoin", 9, "TON", "token"),
    ] {
        let mut expected = json!({ "code": code, "name": name, "decimals": decimals,
            "symbol": symbol, "kind": kind });
        if code == "DEM" {
            expected["withdrawn"] = json!(true);
        }
        assert!(currencies.contains(&expected), "{expected}");
    }
}

#[tokio::test]
async fn every_listed_currency_and_category_is_accepted() {
    let api = Api::new().await;
    let alice = api.user(1, "A");
    let [currencies, categories] = [
        alice.get("/api/currencies").await.data(200)["currencies"].clone(),
        alice.get("/api/categories").await.data(200)["categories"].clone(),
    ];
    let new = json!({ "title": "Alps", "chatId": -1, "currency": "EUR" });
    let group = alice.post("/api/groups", new).await.id();
    let settings = format!("/api/groups/{group}");
    for currency in currencies.as_array().unwrap() {
        let code = &currency["code"];
        let group = alice.patch(&settings, json!({ "currency": code })).await;
        assert_eq!(group.data(200)["currency"], *code);
    }
    let keys: Vec<&Value> = categories.as_array().unwrap().iter().map(|it| &it["key"]).collect();
    assert_eq!(keys.len(), 10);
    for key in keys {
        let expense = json!({ "amount": 1, "description": "x", "category": key });
        let expense = alice.post(&format!("{settings}/expenses"), expense).await;
        assert_eq!(expense.data(201)["category"], *key);
    }
}

#[tokio::test]
async fn a_client_that_has_a_list_gets_no_body() {
    let alice = Api::new().await.user(1, "A");
    for path in PUBLIC {
        let first = alice.get(path).await;
        let tag = first.header("etag").unwrap();
        assert!(tag.starts_with('"') && tag.ends_with('"'), "{tag}");
        for known in [tag, &format!("W/{tag}"), &format!("\"other\" , {tag}"), "*"] {
            let reply = ask(&alice, path, known).await;
            assert_eq!((reply.status.as_u16(), reply.header("etag")), (304, Some(tag)), "{known}");
        }
        for known in ["\"other\"", "", tag.trim_matches('"'), "W/"] {
            let reply = ask(&alice, path, known).await;
            assert_eq!(reply.data(200), first.data(200), "{known}");
        }
    }
}

#[tokio::test]
async fn unknown_parameters_of_the_public_lists_are_refused() {
    let alice = Api::new().await.user(1, "A");
    for path in PUBLIC {
        let refused = alice.get(&format!("{path}?x=1")).await;
        assert_eq!(refused.code(), (400, "VALIDATION_ERROR"), "{path}");
        assert_eq!(refused.body["details"][0]["path"], "x");
    }
}
