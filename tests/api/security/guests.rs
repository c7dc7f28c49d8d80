//! Guests give a user neither rights nor money.

use axum::http::Method;
use fracti_core::caller::telegram;
use serde_json::json;

use super::Scene;
use crate::harness::TOKEN;

#[tokio::test]
async fn guest_of_another_group_is_no_member() {
    let scene = Scene::new().await;
    let guest = scene.guest.as_str();
    let of_guest = format!("/api/groups/G/members/{guest}");
    let link = format!("{of_guest}/link");
    let settlements = "/api/groups/G/settlements";
    let expenses = "/api/groups/G/expenses";
    let pays = json!({ "fromId": guest, "toId": "9", "amount": 1 });
    let spends = json!({ "amount": 1, "description": "x", "payerId": guest });
    let name = json!({ "name": "x" });
    let user = json!({ "userId": "9" });
    let invalid = (400, "VALIDATION_ERROR");
    let missing = (404, "MEMBER_NOT_FOUND");
    for (method, path, body, refusal) in [
        (Method::POST, settlements, &pays, invalid),
        (Method::POST, expenses, &spends, invalid),
        (Method::PATCH, &*of_guest, &name, missing),
        (Method::POST, &*link, &user, missing),
        // A user is no guest.
        (Method::PATCH, "/api/groups/G/members/1", &name, (403, "NOT_ALLOWED")),
        (Method::POST, "/api/groups/G/members/1/link", &user, (403, "NOT_ALLOWED")),
    ] {
        let path = scene.own.path(path);
        let reply = scene.eve.call(method.clone(), &path, Some(body)).await;
        scene.refused(&reply, refusal, &format!("{method} {path} {body:?}")).await;
    }
}

#[tokio::test]
async fn guest_cannot_sign_in() {
    let scene = Scene::new().await;
    for id in [json!(scene.guest), json!("1"), json!(0)] {
        let user = json!({ "id": id, "first_name": "Grandma" }).to_string();
        let init_data = form_urlencoded::Serializer::new(String::new())
            .append_pair("user", &user)
            .append_pair("hash", "0")
            .finish();
        let init_data = telegram::sign_again(&init_data, TOKEN, scene.api.now());
        let caller = scene.eve.with(Some(("authorization", format!("tma {init_data}"))));
        let reply = caller.get(&scene.foreign.path("/api/groups/G")).await;
        scene.refused(&reply, (401, "INVALID_INIT_DATA"), &user).await;
    }
}

#[tokio::test]
async fn request_that_names_a_thousand_guests_costs_no_more_than_another() {
    let scene = Scene::new().await;
    let guest = |number: usize| format!("guest-0190a1b2-0000-7000-8000-{number:012}");
    let splits: Vec<_> = (0..1_000).map(|number| json!({ "userId": guest(number) })).collect();
    let body = json!({ "amount": 1, "description": "x", "splits": splits, "date": "2026-01-15" });
    let path = scene.own.path("/api/groups/G/expenses");
    let reply = scene.eve.post(&path, body).await;
    assert_eq!(reply.body["details"].as_array().unwrap().len(), 100, "{}", reply.text);
    assert!(reply.cost.requests <= 3, "{}", reply.cost);
    scene.refused(&reply, (400, "VALIDATION_ERROR"), "a thousand guests").await;
}

#[tokio::test]
async fn guest_of_ones_own_cannot_take_over_the_credit_of_another() {
    let scene = Scene::new().await;
    let place = &scene.own.group;
    let guest = place.guest(0, "Grandma").await;
    let cash = json!({ "amount": 9, "payerId": guest, "splits": [{ "userId": "1" }] });
    place.spend(0, cash).await;
    let path = place.path(&format!("/members/{guest}/link"));
    scene.eve.post(&path, json!({ "userId": "9" })).await.data(202);
    // However often and in whatever way: nobody but another member confirms it.
    let token = json!({ "name": "Bot", "scopes": ["read", "write"] });
    let token = scene.eve.with_token(&scene.eve.post("/api/users/me/tokens", token).await);
    for caller in [&scene.eve, &token] {
        caller.post(&path, json!({ "userId": "9" })).await.data(202);
    }
    let members = place.members[0].get(&place.path("")).await.data(200)["members"].clone();
    assert!(members.as_array().unwrap().iter().all(|it| it["linkedTo"].is_null()), "{members}");
    place.verify().await;
}
