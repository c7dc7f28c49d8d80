//! Amounts in responses, as numbers or as strings, with all their digits.

use axum::{
    body::Body,
    http::{Method, header},
};
use serde_json::{Value, json};

use crate::harness::{Caller, Group, Reply};

/// More digits than a 64-bit float can represent.
const AMOUNT: &str = "123456776.623456789";

async fn accepting(caller: &Caller, path: &str, accept: &str) -> Reply {
    let request = caller.request(Method::GET, path).header(header::ACCEPT, accept);
    caller.api.send(request.body(Body::empty()).unwrap()).await
}

/// The JSON with numbers as strings where they, or an object around them, have one of these names.
fn as_text(value: &Value, name: &str, in_amounts: bool) -> Value {
    const AMOUNTS: [&str; 24] = [
        "adjustment",
        "amount",
        "balance",
        "balances",
        "categories",
        "net",
        "of",
        "owed",
        "paid",
        "percentage",
        "price",
        "quantity",
        "received",
        "rounding",
        "sent",
        "share",
        "total",
        "totalAmount",
        "totalExpenses",
        "totalSettled",
        "totalAdjusted",
        "weight",
        "yourPayment",
        "yourShare",
    ];
    let in_amounts = in_amounts || AMOUNTS.contains(&name);
    match value {
        Value::Number(number) if in_amounts => json!(number.to_string()),
        Value::Object(fields) => {
            let inside = |name: &str| in_amounts && !AMOUNTS.contains(&name);
            fields
                .iter()
                .map(|(name, it)| (name.clone(), as_text(it, name, inside(name))))
                .collect()
        }
        Value::Array(items) => items.iter().map(|item| as_text(item, "", false)).collect(),
        other => other.clone(),
    }
}

#[tokio::test]
async fn every_read_returns_amounts_as_strings_on_request() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let splits =
        json!([{ "userId": "1", "percentage": 12.5 }, { "userId": "2", "percentage": 87.5 }]);
    let body = json!({ "amount": 9.25, "splitType": "percentage", "splits": splits });
    let expense = group.spend(0, body).await;
    group.spend(1, json!({ "amount": 1 })).await;
    group.pay(1, 0, "1.5").await;
    let sent = json!({ "toId": "2", "amount": 1 });
    alice.post(&group.path("/settlements"), sent).await.data(201);
    let expense = format!("/expenses/{}", expense["id"].as_str().unwrap());
    let opening = json!([{ "entryId": "e0 1e0", "note": "\"-1e0", "changes": [
        { "userId": "1", "amount": "0.01" }, { "userId": "2", "amount": "-0.01" }] }]);
    alice.post(&group.path("/ledger/entries"), opening).await.data(200);
    let of_group = [
        "",
        "/debts",
        "/expenses",
        "/settlements",
        "/ledger/balance",
        "/ledger/entries",
        "/ledger/entries?userId=1",
        "/ledger/days",
        "/stats",
        &expense,
        &format!("{expense}/breakdown"),
        &format!("{expense}/history"),
    ];
    let of_user = ["", "/groups", "/expenses", "/debts", "/settlements", "/activity", "/summary"];
    let paths = of_group.map(|path| group.path(path)).into_iter();
    for path in paths.chain(of_user.map(|path| format!("/api/users/me{path}"))) {
        let numbers = alice.get(&path).await;
        let separator = if path.contains('?') { '&' } else { '?' };
        let text = alice.get(&format!("{path}{separator}amounts=text")).await;
        let expected = as_text(numbers.data(200), "", false);
        assert_eq!(text.data(200), &expected, "{path}");
        assert!(path == group.path("") || text.body != numbers.body, "{path}");
        let accepted = accepting(alice, &path, "application/json;amounts=text").await;
        assert_eq!(accepted.data(200), &expected, "{path}");
        for (query, accept) in [("?amounts=number", "application/json; amounts=text"), ("", "*/*")]
        {
            if !path.contains('?') {
                let reply = accepting(alice, &format!("{path}{query}"), accept).await;
                assert_eq!(reply.text, numbers.text, "{path}");
            }
        }
        // The ETag depends on the state only, not on the form of the response.
        assert_eq!(text.header("etag"), numbers.header("etag"), "{path}");
    }
}

#[tokio::test]
async fn amounts_keep_all_digits_as_numbers_and_as_strings() {
    let group = Group::new(1, "TON").await;
    let alice = &group.members[0];
    let path = group.path("/expenses");
    let body = json!({ "amount": AMOUNT, "description": "Hut 1e0" });
    let made = alice.post_once("key", &format!("{path}?amounts=text"), body.clone()).await;
    assert_eq!(
        (&made.data(201)["amount"], &made.data(201)["description"]),
        (&json!(AMOUNT), &json!("Hut 1e0"))
    );
    // A replayed response has the form that the repeated request asks for.
    let again = alice.post_once("key", &path, body.clone()).await;
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    assert!(again.text.contains(&format!(r#""amount":{AMOUNT},"#)), "{}", again.text);
    assert_eq!(again.header("etag"), made.header("etag"));
    let again = alice.post_once("key", &format!("{path}?amounts=text"), body).await;
    assert_eq!(again.text, made.text.replace(made.header("x-request-id").unwrap(), ""));
    let at = format!("{path}/{}", made.data(201)["id"].as_str().unwrap());
    let read = alice.get(&at).await;
    assert!(read.text.contains(&format!(r#""amount":{AMOUNT},"#)), "{}", read.text);
    // An ETag read in one form is valid for a change in the other.
    let tag = made.header("etag").unwrap();
    let edit = json!({ "description": "Hut" });
    let edited = alice.put_if(tag, &format!("{at}?amounts=text"), edit).await;
    assert_eq!(edited.data(200)["amount"], AMOUNT);
}
