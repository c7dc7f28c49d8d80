//! Authentication: only current init data signed for this bot. Forged hashes are tested beside
//! `telegram::verify`.

use std::time::Duration;

use axum::{
    body::Body,
    http::{HeaderValue, Method},
};
use fracti_core::caller::telegram;
use serde_json::json;

use super::Scene;
use crate::harness::{Reply, TOKEN};

const NONE: &str = "NO_CREDENTIALS";
const FORGED: &str = "WRONG_BOT";
const INVALID: &str = "INVALID_INIT_DATA";
const AMBIGUOUS: &str = "AMBIGUOUS_CREDENTIALS";

const ACTS: [(Method, &str); 4] = [
    (Method::GET, "/api/users/me"),
    (Method::GET, "/api/groups/G"),
    (Method::POST, "/api/groups/G/join"),
    (Method::DELETE, "/api/groups/G/expenses/E"),
];

async fn send(
    scene: &Scene,
    (method, path): (Method, &str),
    headers: &[(&'static str, Vec<u8>)],
) -> Reply {
    let path = scene.own.path(path);
    let mut request = scene.eve.with(None).request(method, &path);
    for (name, value) in headers {
        request = request.header(*name, HeaderValue::from_bytes(value).unwrap());
    }
    scene.api.send(request.body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn conflicting_authentication_headers_never_grant_access() {
    let scene = Scene::new().await;
    let signed =
        |caller: &crate::harness::Caller| telegram::sign(&caller.user, TOKEN, scene.api.now());
    let eve = signed(&scene.eve);
    let alice = signed(&scene.own.group.members[0]);
    let forged = eve.replace("%22id%22%3A9", "%22id%22%3A1");
    assert_ne!(eve, forged);
    let tma_text = |init_data: &str| format!("tma {init_data}");
    let tma = |init_data: &str| ("authorization", tma_text(init_data).into_bytes());
    let own = |init_data: &str| ("x-telegram-init-data", init_data.as_bytes().to_vec());
    let other = |value: &str| ("authorization", value.as_bytes().to_vec());
    let unreadable = |name: &'static str| (name, b"tma \xff\xfe".to_vec());
    let long = format!("{eve}&start_param={}", "x".repeat(60_000));
    for (name, headers, code) in [
        ("one", vec![tma(&eve)], ""),
        ("a scheme in capitals", vec![other(&format!("TMA {eve}"))], ""),
        ("the Mini App's alone", vec![own(&eve)], ""),
        ("the same twice", vec![tma(&eve), tma(&eve)], ""),
        ("the same in both", vec![tma(&eve), own(&eve)], ""),
        ("another scheme beside it", vec![other("Bearer x"), tma(&eve)], ""),
        ("the same in both, in the other's form", vec![other(&eve), own(&tma_text(&eve))], ""),
        ("without a scheme", vec![other(&eve)], ""),
        ("a scheme in the Mini App's", vec![own(&tma_text(&eve))], ""),
        ("with the header's name", vec![other(&format!("Authorization: tma {eve}"))], ""),
        ("in the other, with the name", vec![own(&format!("authorization:tma {eve}"))], ""),
        ("with the other's name", vec![other(&format!("X-Telegram-Init-Data: {eve}"))], ""),
        ("a word beside it", vec![other("hello"), tma(&eve)], ""),
        ("two users", vec![tma(&eve), tma(&alice)], AMBIGUOUS),
        ("two users, one without a scheme", vec![tma(&eve), other(&alice)], AMBIGUOUS),
        ("a forged one without a scheme", vec![other(&forged)], FORGED),
        ("a forged one without a scheme behind", vec![tma(&eve), other(&forged)], AMBIGUOUS),
        ("a name and another scheme", vec![other(&format!("Authorization: Basic {eve}"))], NONE),
        ("a word", vec![other("hello")], NONE),
        ("two users, the other first", vec![tma(&alice), tma(&eve)], AMBIGUOUS),
        ("two users in two headers", vec![tma(&eve), own(&alice)], AMBIGUOUS),
        ("two of the Mini App's", vec![own(&eve), own(&alice)], AMBIGUOUS),
        ("a forged one behind", vec![tma(&eve), tma(&forged)], AMBIGUOUS),
        ("a forged one before", vec![tma(&forged), tma(&eve)], AMBIGUOUS),
        ("a forged one in the other", vec![own(&eve), tma(&forged)], AMBIGUOUS),
        ("an unreadable one beside it", vec![tma(&eve), unreadable("authorization")], AMBIGUOUS),
        (
            "an unreadable one in the other",
            vec![tma(&eve), unreadable("x-telegram-init-data")],
            AMBIGUOUS,
        ),
        ("an unreadable one", vec![unreadable("authorization")], INVALID),
        ("joined as a proxy joins", vec![other(&format!("tma {eve}, tma {eve}"))], INVALID),
        ("two users joined", vec![other(&format!("tma {eve}, tma {alice}"))], INVALID),
        ("two in one", vec![tma(&format!("{eve}&{alice}"))], INVALID),
        ("a scheme and nothing", vec![other("tma")], NONE),
        ("a scheme and a blank", vec![other("tma ")], NONE),
        ("nothing in the Mini App's", vec![own("")], NONE),
        ("as an API token", vec![other(&format!("Bearer {eve}"))], NONE),
        ("no blank", vec![other(&format!("tma{eve}"))], FORGED),
        ("a tab", vec![other(&format!("tma\t{eve}"))], FORGED),
        ("a colon", vec![other(&format!("tma:{eve}"))], FORGED),
        ("in quotes", vec![other(&format!("tma \"{eve}\""))], INVALID),
        ("another scheme", vec![other(&format!("Basic {eve}"))], NONE),
        ("a longer scheme", vec![other(&format!("xtma {eve}"))], NONE),
        ("a question mark before", vec![own(&format!("?{eve}"))], FORGED),
        ("long", vec![own(&long)], FORGED),
    ] {
        for act in ACTS {
            let reply = send(&scene, act.clone(), &headers).await;
            let row = format!("{name}: {act:?}");
            if code.is_empty() {
                assert_ne!(reply.status, 401, "{row}: {}", reply.text);
                if act.1 == "/api/users/me" {
                    assert_eq!(reply.data(200)["id"], "9", "{row}");
                }
            } else {
                scene.refused(&reply, (401, code), &row).await;
                assert_eq!(reply.header("www-authenticate"), Some("tma, Bearer"), "{row}");
                assert!(!reply.text.contains("hash="), "{row}: {}", reply.text);
            }
        }
    }
    scene.unchanged("headers").await;
}

#[tokio::test]
async fn user_ids_in_headers_and_parameters_are_ignored() {
    let scene = Scene::new().await;
    let eve = telegram::sign(&scene.eve.user, TOKEN, scene.api.now());
    for (name, value) in [
        ("cookie", format!("tma={eve}")),
        ("x-telegram-user-id", "1".to_owned()),
        ("x-user-id", "1".to_owned()),
        ("x-forwarded-user", "1".to_owned()),
        ("x-amzn-oidc-identity", "1".to_owned()),
        ("proxy-authorization", format!("tma {eve}")),
    ] {
        let reply =
            send(&scene, (Method::GET, "/api/users/me"), &[(name, value.clone().into_bytes())])
                .await;
        scene.refused(&reply, (401, "NO_CREDENTIALS"), name).await;
        let headers =
            [("authorization", format!("tma {eve}").into_bytes()), (name, value.into_bytes())];
        let reply = send(&scene, (Method::GET, "/api/users/me"), &headers).await;
        assert_eq!(reply.data(200)["id"], "9", "{name}");
    }
    let query = "/api/users/me?userId=1&user=%7B%22id%22%3A1%7D";
    let headers = [("authorization", format!("tma {eve}").into_bytes())];
    let reply = send(&scene, (Method::GET, query), &headers).await;
    scene.refused(&reply, (400, "VALIDATION_ERROR"), query).await;
    for query in ["tgWebAppData", "initData", "init_data", "authorization", "access_token"] {
        let path = format!("/api/users/me?{query}={eve}");
        let reply = send(&scene, (Method::GET, &path), &[]).await;
        scene.refused(&reply, (401, "NO_CREDENTIALS"), query).await;
    }
}

#[tokio::test]
async fn captured_request_is_useless_a_day_later() {
    let scene = Scene::new().await;
    let expense = json!({ "amount": 1, "description": "x" });
    let path = scene.own.path("/api/groups/G/expenses");
    let replayed = scene.eve.post_once("k", &path, expense.clone()).await;
    replayed.data(201);
    let before = scene.api.rows().await;
    scene.api.pass(Duration::from_hours(24));
    assert_eq!(
        scene.eve.post_once("k", &path, expense.clone()).await.data(201),
        replayed.data(201)
    );
    scene.api.pass(Duration::from_secs(1));
    // Neither repeated, nor with its idempotency key, nor with a new date.
    let init_data = telegram::sign(&scene.eve.user, TOKEN, scene.api.now());
    let (_, old) = scene.eve.authorization();
    let (_, hash) = old.rsplit_once("&hash=").unwrap();
    let (fields, _) = init_data.rsplit_once("&hash=").unwrap();
    let redated = scene.eve.with(Some(("authorization", format!("tma {fields}&hash={hash}"))));
    for (caller, code) in [(&scene.eve, "SIGN_IN_AGAIN"), (&redated, FORGED)] {
        let again = caller.post_once("k", &path, expense.clone()).await;
        assert_eq!(again.code(), (401, code));
    }
    assert_eq!(scene.api.rows().await, before);
}
