//! Error messages in the language that the client prefers.

use axum::{
    body::Body,
    http::{Method, Request, header},
};
use serde_json::json;

use crate::harness::{Api, Group};

#[tokio::test]
async fn messages_are_in_the_language_that_the_client_prefers() {
    let group = Group::new(1, "EUR").await;
    let expense = json!({ "amount": 12.345, "payerId": "7", "description": "Hut" }).to_string();
    let english = [
        "amount must have at most 2 decimals in EUR.",
        "amount must have at most 2 decimals in EUR",
        "payerId must be the id of a member of the group",
    ];
    let russian = [
        "Значение amount в EUR должно содержать не больше 2 знаков после запятой.",
        "значение amount в EUR должно содержать не больше 2 знаков после запятой",
        "значение payerId должно быть id участника группы",
    ];
    for (preferred, language, [message, amount, payer]) in [
        (None, "en", english),
        (Some("de, en;q=0.5"), "en", english),
        (Some("ru-RU,ru;q=0.9,en;q=0.8"), "ru", russian),
    ] {
        let request = group.members[0].request(Method::POST, &group.path("/expenses"));
        let request = request.header(header::CONTENT_TYPE, "application/json");
        let request = preferred
            .into_iter()
            .fold(request, |it, preferred| it.header(header::ACCEPT_LANGUAGE, preferred));
        let reply = group.api.send(request.body(Body::from(expense.clone())).unwrap()).await;
        assert_eq!(reply.code(), (400, "VALIDATION_ERROR"));
        assert_eq!(reply.header("content-language"), Some(language), "{preferred:?}");
        assert_eq!(reply.body["message"], message);
        let details = json!([
            { "path": "amount", "message": amount },
            { "path": "payerId", "message": payer },
        ]);
        assert_eq!(reply.body["details"], details);
    }
}

#[tokio::test]
async fn a_message_keeps_the_spelling_of_a_field() {
    let group = Group::new(1, "EUR").await;
    let alice = &group.members[0];
    let same = json!({ "key": "skiing", "name": "Skiing" });
    let twice = alice.patch(&group.path(""), json!({ "categories": [same, same] })).await;
    assert_eq!(twice.body["message"], "categories must have the key skiing only once.");
    let days = "/api/users/me/days?from=2026-01-02&to=2026-01-01";
    let reversed = alice.get(days).await;
    assert_eq!(reversed.body["message"], "from must not be after to.");
    let credit = json!({ "fund": "cash", "currency": "EUR", "amount": 1, "refId": "bank 1" });
    let path = "/api/users/1/funds/credits";
    alice.post(path, credit.clone()).await.data(201);
    assert_eq!(alice.post(path, credit).await.body["message"], "refId was already used.");
}

#[tokio::test]
async fn refusals_of_strangers_are_translated() {
    let api = Api::new().await;
    for (path, code, message) in [
        ("/api/groups", (401, "NO_CREDENTIALS"), "Отправьте init data или токен API."),
        ("/api/nothing", (404, "ROUTE_NOT_FOUND"), "Такого пути нет."),
    ] {
        let request = Request::builder().uri(path).header(header::ACCEPT_LANGUAGE, "ru");
        let reply = api.send(request.body(Body::empty()).unwrap()).await;
        assert_eq!(reply.code(), code);
        assert_eq!(reply.body["message"], message);
    }
}
