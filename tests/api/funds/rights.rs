//! Who may do what with funds, and bad input.

use axum::http::Method;
use serde_json::{Value, json};

use super::{Friends, report};
use crate::harness::Caller;

/// Requests about Bob's funds, each with what only an operator may do.
fn requests(id: &str) -> [(Method, String, Value, bool); 12] {
    let of = |rest: &str| format!("/api/users/2/funds{rest}");
    let one = of(&format!("/transactions/{id}"));
    let bonus = json!({ "currency": "EUR", "amount": 5, "expiresAt": "2026-12-01T00:00:00Z" });
    let cash_out = json!({ "type": "cashout", "currency": "EUR", "amount": 1, "to": "DE12 3456" });
    let correction = json!({ "type": "correction", "fund": "cash", "currency": "EUR", "amount": 1,
        "refId": "error", "description": "x" });
    let credit = json!({ "fund": "credit", "currency": "EUR", "amount": 1, "refId": "gift" });
    [
        (Method::GET, of(""), Value::Null, false),
        (Method::GET, of("/transactions"), Value::Null, false),
        (Method::GET, one.clone(), Value::Null, false),
        (Method::POST, of("/check"), json!({}), false),
        (Method::POST, of("/credits"), report("1"), false),
        (Method::POST, of("/debits"), cash_out, false),
        (Method::POST, of("/credits"), credit, true),
        (Method::POST, of("/bonuses"), bonus, true),
        (Method::POST, of("/debits"), correction, true),
        (Method::POST, format!("{one}/capture"), json!({ "refId": "bank 9" }), true),
        (Method::POST, format!("{one}/void"), json!({}), false),
        (Method::PUT, of(""), json!({ "currency": "EUR", "accepts": true }), false),
    ]
}

#[tokio::test]
async fn funds_are_their_owners_and_the_operators_business() {
    let friends = Friends::new().await;
    let alice = friends.alice();
    let bob = friends.bob();
    let dave = friends.dave();
    friends.top_up("2", "50", "bank 1").await;
    let reported = bob.post("/api/users/me/funds/credits", report("9")).await.id();
    let scopes = json!({ "name": "bot", "scopes": ["read", "write"] });
    let token = bob.post("/api/users/me/tokens", scopes).await;
    let by_token = bob.with_token(&token);
    let before = friends.group.api.rows().await;
    let call = |who: Caller, request: (Method, String, Value, bool)| async move {
        let (method, path, body, _) = request;
        (who.call(method.clone(), &path, Some(&body)).await, format!("{method} {path}"))
    };
    for request in requests(&reported) {
        for who in [alice, &by_token] {
            let (reply, what) = call(who.clone(), request.clone()).await;
            assert_eq!(reply.code(), (403, "NOT_ALLOWED"), "{what}");
        }
        if request.3 {
            let (reply, what) = call(bob.clone(), request.clone()).await;
            assert_eq!(reply.code(), (403, "NOT_ALLOWED"), "{what}");
            assert_eq!(reply.body["message"], "Only an operator can do this.", "{what}");
        }
    }
    for path in ["/api/funds/work", "/api/funds/totals"] {
        assert_eq!(bob.get(path).await.code(), (403, "NOT_ALLOWED"));
        dave.get(path).await.data(200);
    }
    let token_row = |key: &(String, String)| key.1.starts_with("PAT#");
    let rows = friends.group.api.rows().await;
    let changed: Vec<_> = rows.iter().filter(|(key, row)| before.get(*key) != Some(row)).collect();
    assert!(changed.iter().all(|(key, _)| token_row(key)), "{changed:?}");

    // Dave reads Bob's funds, but does not report or cash out for him.
    for request in requests(&reported) {
        let (reply, what) = call(dave.clone(), request.clone()).await;
        let refused = (what.ends_with("/debits") || what.starts_with("PUT")) && !request.3;
        let unread = what.ends_with("/credits") && !request.3;
        match (refused, unread) {
            (true, _) => assert_eq!(reply.code(), (403, "NOT_ALLOWED"), "{what}"),
            (_, true) => assert_eq!(reply.body["details"][0]["path"], "refId", "{what}"),
            // It was captured before.
            _ if what.ends_with("/void") => assert_eq!(reply.code(), (409, "TRANSACTION_FINAL")),
            _ => assert!(reply.status.is_success(), "{what}: {:?}", reply.code()),
        }
    }
}

#[tokio::test]
async fn without_an_operator_funds_are_read_only() {
    let friends = Friends::new().await;
    friends.top_up("2", "50", "bank 1").await;
    let reported = friends.bob().post("/api/users/me/funds/credits", report("9")).await.id();
    let off = friends.group.api.with_operators(&[]);
    let bob = friends.bob().at(&off);
    for (method, path, body, of_operator) in requests(&reported) {
        let reply = bob.call(method.clone(), &path, Some(&body)).await;
        match method {
            Method::GET => drop(reply.data(200)),
            _ => assert_eq!(reply.code(), (409, "FUNDS_DISABLED"), "{path}, {of_operator}"),
        }
    }
}

#[tokio::test]
async fn a_debit_that_cannot_be_read_is_refused_for_that() {
    let friends = Friends::new().await;
    friends.top_up("2", "50", "bank 1").await;
    let bob = friends.bob();
    let dave = friends.dave();
    let debits = "/api/users/2/funds/debits";
    let debit = |of_type: Value| json!({ "type": of_type, "currency": "EUR", "amount": 1 });
    for user in [dave, bob] {
        for of_type in [json!("corection"), Value::Null, json!(7)] {
            let reply = user.post(debits, debit(of_type.clone())).await;
            assert_eq!(reply.code(), (400, "VALIDATION_ERROR"), "{of_type}");
            assert_eq!(reply.body["details"][0]["path"], "type", "{of_type}");
        }
        let broken = user.post_text(debits, "{").await;
        assert_eq!(broken.code(), (400, "INVALID_JSON"));
    }
    let cash_out = dave.post(debits, debit(json!("cashout"))).await;
    assert_eq!(cash_out.code(), (403, "NOT_ALLOWED"));
    assert_eq!(cash_out.body["message"], "These are another user's funds.");
    let correction = bob.post(debits, debit(json!("correction"))).await;
    assert_eq!(correction.code(), (403, "NOT_ALLOWED"));
    let no_account = bob.post("/api/users/me/funds/debits", debit(json!("cashout"))).await;
    assert_eq!(no_account.body["details"][0]["path"], "to");
}

#[tokio::test]
async fn bad_input_names_its_field_and_changes_nothing() {
    let friends = Friends::new().await;
    friends.top_up("2", "50", "bank 1").await;
    let bob = friends.bob();
    let dave = friends.dave();
    let before = friends.group.api.rows().await;
    let credits = "/api/users/2/funds/credits";
    let credit = |name: &str, value: Value| {
        let mut body = json!({ "fund": "cash", "currency": "EUR", "amount": 1, "refId": "bank 2" });
        body[name] = value;
        body
    };
    for (name, value) in [
        ("amount", json!(0)),
        ("amount", json!(-1)),
        ("amount", json!("0.001")),
        ("amount", json!("100000000000000000000")),
        ("fund", json!("bonus")),
        ("currency", json!("EURO")),
        ("refId", json!("")),
        ("refId", json!("Überweisung")),
        ("refId", json!("x".repeat(65))),
        ("description", json!(" ")),
        ("unknown", json!(1)),
    ] {
        let reply = dave.post(credits, credit(name, value.clone())).await;
        assert_eq!(reply.code(), (400, "VALIDATION_ERROR"), "{name} {value}");
        assert_eq!(reply.body["details"][0]["path"], name, "{value}");
    }
    for (currency, ref_id) in [("TON", "bank 2"), ("USDT", "xyz")] {
        let body = json!({ "fund": "cash", "currency": currency, "amount": 1, "refId": ref_id });
        assert_eq!(dave.post(credits, body).await.body["details"][0]["path"], "refId");
        let body = json!({ "fund": "cash", "currency": currency, "amount": 1 });
        let reported = bob.post(credits, body).await;
        assert_eq!(reported.body["details"][0]["path"], "currency");
    }
    for until in ["2026-01-15T12:59:59Z", "2031-01-15T12:00:00Z", "tomorrow"] {
        let body = json!({ "currency": "EUR", "amount": 5, "expiresAt": until });
        let reply = dave.post("/api/users/2/funds/bonuses", body).await;
        assert_eq!(reply.body["details"][0]["path"], "expiresAt", "{until}");
    }
    let debits = "/api/users/me/funds/debits";
    let cash_out = json!({ "type": "cashout", "currency": "EUR", "amount": 1, "to": "DE12 3456",
        "refId": "x" });
    assert_eq!(bob.post(debits, cash_out).await.body["details"][0]["path"], "refId");
    let guest = "guest-0190a1b2-0000-7000-8000-000000000001";
    let reply = dave.get(&format!("/api/users/{guest}/funds")).await;
    assert_eq!(reply.body["details"][0]["path"], "userId");
    let mistyped = dave.post("/api/users/4711/funds/credits", credit("amount", json!(1))).await;
    assert_eq!(mistyped.code(), (404, "USER_NOT_FOUND"));
    let none = "0190a1b2-0000-7000-8000-000000000001";
    assert_eq!(friends.capture("2", none, "x").await.code(), (404, "TRANSACTION_NOT_FOUND"));
    assert_eq!(friends.group.api.rows().await, before);
}
