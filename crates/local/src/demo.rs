//! A demo group to try the API on: four friends in the Alps and a guest, with expenses in two
//! currencies, a bill with its lines, one that two paid, a refund, and a receipt that waits for
//! claims.
//!
//! It is created through the API with idempotency keys, so repeated starts on the same data create
//! it at most once a day.

use std::io::Write;

use axum::{
    Router,
    body::Body,
    http::{Request, header},
};
use fracti_core::caller::telegram::{self, User};
use fracti_http::App;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::ServiceExt;

/// Telegram id of Dave, who holds the money of funds.
pub(crate) const OPERATOR: &str = "789123456";

/// A member of the group, with their `Authorization` header.
type Friend = (User, String);

type Failure = Box<dyn std::error::Error>;

/// Creates the group and prints how to call the API as each member.
///
/// # Errors
///
/// If the API refuses a request, or `out` cannot be written.
pub(crate) async fn run(
    app: &App,
    router: &Router,
    api: &str,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let now = app.clock.now();
    let mut friends = Vec::new();
    for (id, name, username) in [
        (123_456_789, "Alice Smith", "alice"),
        (987_654_321, "Bob Jones", "bob"),
        (456_789_123, "Carol White", "carol"),
        (789_123_456, "Dave Brown", "dave"),
    ] {
        let user = User {
            id: fracti_core::values::id::UserId::new(id)?,
            name: name.to_owned(),
            username: Some(username.to_owned()),
            avatar_url: None,
        };
        let init_data = telegram::sign(&user, app.bot_token.expose(), now);
        friends.push((user, format!("tma {init_data}")));
    }
    let [alice, bob, carol, dave] = friends.as_slice() else { return Ok(()) };

    let group = json!({ "title": "Alps 2026", "chatId": "-1001234567890", "currency": "EUR" });
    let group = post(router, &alice.1, "/api/groups", &group, "demo-group").await?;
    let id = group.get("id").and_then(Value::as_str).unwrap_or_default();
    let at = |what: &str| format!("/api/groups/{id}{what}");
    for (_, authorization) in [bob, carol, dave] {
        post(router, authorization, &at("/join"), &json!({}), "demo-join").await?;
    }
    let guest = json!({ "name": "Grandma" });
    let guest = post(router, &alice.1, &at("/members"), &guest, "demo-guest").await?;
    let expenses = expenses([alice, bob, carol, dave], guest.get("id"));
    for (index, ((_, authorization), expense)) in expenses.iter().enumerate() {
        let key = format!("demo-expense-{index}");
        post(router, authorization, &at("/expenses"), expense, &key).await?;
    }

    post(router, &alice.1, &at("/questions"), &receipt(), "demo-receipt").await?;

    writeln!(out, "demo group {id}")?;
    for (user, authorization) in &friends {
        let init_data = authorization.trim_start_matches("tma ");
        writeln!(out, "page {} ({})", page_link(api, init_data), user.name)?;
    }
    for (user, authorization) in &friends {
        writeln!(out, "\n# {} ({})", user.name, user.id)?;
        writeln!(out, "Authorization: {authorization}")?;
        writeln!(out, "curl -H 'Authorization: {authorization}' {api}{}", at("/debts"))?;
    }
    writeln!(
        out,
        "\n# variables for the walk-through of the README: paste these lines into another shell"
    )?;
    writeln!(out, "export API={api} GROUP={id}")?;
    for (user, authorization) in &friends {
        let name = user.username.as_deref().unwrap_or_default().to_uppercase();
        writeln!(out, "export {name}='Authorization: {authorization}'")?;
    }
    Ok(())
}

/// A link that opens the page with init data, in the form in which Telegram opens a Mini App.
///
/// <https://docs.telegram-mini-apps.com/platform/launch-parameters>
pub(crate) fn page_link(api: &str, init_data: &str) -> String {
    let mut fragment = form_urlencoded::Serializer::new(String::new());
    fragment.append_pair("tgWebAppData", init_data);
    format!("{api}/app#{}", fragment.finish())
}

/// A receipt whose items the friends have not claimed yet.
fn receipt() -> Value {
    json!({ "type": "items", "prompt": "Who had what?", "receipt": {
        "description": "Luigi's", "category": "food", "items": [
            { "name": "Wine", "amount": "15.50" },
            { "name": "Pizza", "amount": "12.00" },
            { "name": "Salad", "amount": "7.20", "quantity": 3 },
            { "kind": "tax", "name": "Service", "amount": "3.45" },
        ],
    } })
}

/// Expenses by the friends who record them.
fn expenses<'a>(
    [alice, bob, carol, dave]: [&'a Friend; 4],
    guest: Option<&Value>,
) -> [(&'a Friend, Value); 7] {
    let id = |(user, _): &Friend| user.id.to_string();
    [
        (
            alice,
            json!({ "amount": 184.50, "description": "Hut, two nights", "category": "travel" }),
        ),
        (
            bob,
            json!({
                "amount": 25, "description": "Cake", "category": "food", "payerId": guest,
            }),
        ),
        (bob, json!({ "amount": "72.40", "description": "Cheese fondue", "category": "food" })),
        (
            carol,
            json!({
                "amount": 12, "currency": "TON", "description": "Cable car",
                    "category": "transport",
                "splitType": "percentage",
                "splits": [
                    { "userId": id(alice), "percentage": 50 },
                    { "userId": id(carol), "percentage": 25 },
                    { "userId": id(dave), "percentage": 25 },
                ],
            }),
        ),
        (
            dave,
            json!({
                "description": "Pizzeria", "category": "food", "splitType": "itemized", "items": [
                    { "name": "Wine", "amount": "15.50" },
                    { "name": "Pizza", "amount": 24, "quantity": 2, "price": 12, "sharers": [
                        { "userId": id(alice) }, { "userId": id(bob) },
                    ] },
                    { "name": "Salad", "amount": "7.20", "sharers": [
                        { "userId": id(carol), "weight": 2 },
                        { "userId": id(dave) },
                    ] },
                    { "kind": "tip", "name": "Tip", "amount": 5 },
                    { "kind": "discount", "name": "Coupon", "amount": 4, "over": [1] },
                ],
            }),
        ),
        (
            dave,
            json!({
                "amount": 96, "description": "Ski passes", "category": "entertainment", "payers": [
                    { "userId": id(carol), "amount": 70 },
                    { "userId": id(dave) },
                ],
            }),
        ),
        (
            alice,
            json!({ "amount": -30, "description": "Hut, deposit returned", "category": "travel" }),
        ),
    ]
}

async fn post(
    router: &Router,
    authorization: &str,
    path: &str,
    body: &Value,
    key: &str,
) -> Result<Value, Failure> {
    let request = Request::post(path)
        .header(header::AUTHORIZATION, authorization)
        .header(header::CONTENT_TYPE, "application/json")
        .header("idempotency-key", key)
        .body(Body::from(body.to_string()))?;
    let response = router.clone().oneshot(request).await?;
    let status = response.status();
    let body: Value = serde_json::from_slice(&response.into_body().collect().await?.to_bytes())?;
    if !status.is_success() {
        return Err(format!("the demo group cannot be created: {body}").into());
    }
    Ok(body.get("data").cloned().unwrap_or_default())
}
