//! An API token instead of a person, on every operation of the OpenAPI document.

use axum::{
    body::Body,
    http::{HeaderValue, Method, header},
};
use fracti_core::caller::{telegram, token::ApiToken};
use fracti_http::openapi;
use serde_json::{Value, json};
use tower::ServiceExt;

use super::Scene;
use crate::harness::{Caller, Reply, TOKEN};

const TOKENS: &str = "/api/users/me/tokens";
const ID: &str = "0190a1b2-0000-7000-8000-000000000001";
const INVALID: &str = "Bearer error=\"invalid_token\"";

/// Every operation that needs authentication.
fn operations() -> Vec<(Method, String)> {
    let document: Value = serde_json::from_str(openapi::DOCUMENT).unwrap();
    let of_path = |(path, item): (&String, &Value)| {
        let operations = item.as_object().unwrap().iter();
        let private = operations.filter(|(_, operation)| operation["security"].is_null());
        let method = |(method, _): (&String, _)| method.to_uppercase().parse().unwrap();
        private.map(|it| (method(it), path.clone())).collect::<Vec<(Method, String)>>()
    };
    let all: Vec<_> = document["paths"].as_object().unwrap().iter().flat_map(of_path).collect();
    assert!(all.len() > 40);
    all
}

impl Scene {
    /// The path of an operation in Eve's group, with ids of nothing else.
    fn at(&self, path: &str) -> String {
        let path = path.replace("{groupId}", &self.own.group.id);
        let part = |part: &str| if part.starts_with('{') { ID.to_owned() } else { part.to_owned() };
        path.split('/').map(part).collect::<Vec<_>>().join("/")
    }

    /// Eve by a token. Afterwards, the rows with it are the expected ones.
    async fn token(&mut self, fields: Value) -> Caller {
        let mut new = json!({ "name": "Phone", "scopes": ["read", "write"] });
        new.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let token = self.eve.with_token(&self.eve.post(TOKENS, new).await);
        self.rows = self.api.rows().await;
        token
    }

    /// The refusal of a request because of the scope or the group of its token.
    async fn out_of_scope(&self, reply: &Reply, challenge: &str, row: &str) {
        assert_eq!(reply.code(), (403, "INSUFFICIENT_SCOPE"), "{row}: {}", reply.text);
        assert_eq!(reply.header("www-authenticate"), Some(challenge), "{row}");
        self.unchanged(row).await;
    }
}

/// A preview is sent as a POST, but only reads.
fn reads(method: &Method, path: &str) -> bool {
    *method == Method::GET || path.ends_with("/preview")
}

fn is_own(method: &Method, path: &str) -> bool {
    *method == Method::DELETE && path == "/api/users/me/tokens/{tokenId}"
}

#[tokio::test]
async fn token_makes_only_the_requests_of_its_scopes() {
    let mut scene = Scene::new().await;
    let reader = scene.token(json!({ "scopes": ["read"] })).await;
    let writer = scene.token(json!({ "scopes": ["write"] })).await;
    for (method, path) in operations() {
        let reads = reads(&method, &path);
        let (token, scope) = if reads { (&writer, "read") } else { (&reader, "write") };
        let challenge = format!("Bearer error=\"insufficient_scope\", scope=\"{scope}\"");
        let at = scene.at(&path);
        let row = format!("{method} {path}");
        let reply = token.call(method.clone(), &at, Some(&json!({}))).await;
        if is_own(&method, &path) {
            assert_eq!(reply.code(), (403, "NOT_ALLOWED"), "{row}: {}", reply.text);
            // The use of the token is noted.
            scene.rows = scene.api.rows().await;
            continue;
        }
        scene.out_of_scope(&reply, &challenge, &row).await;
        let message = format!("The API token does not have the {scope} scope.");
        assert_eq!(reply.body["message"], message, "{row}");
        if method == Method::GET {
            let head = token.request(Method::HEAD, &at).body(Body::empty()).unwrap();
            let head = scene.api.router.clone().oneshot(head).await.unwrap();
            assert_eq!(head.status(), 403, "{row}");
        }
    }
}

#[tokio::test]
async fn token_of_a_group_reaches_nothing_else() {
    let mut scene = Scene::new().await;
    let group = scene.own.group.id.clone();
    let token = scene.token(json!({ "groupId": group })).await;
    let challenge = "Bearer error=\"insufficient_scope\"";
    let mut elsewhere = 0;
    for (method, path) in operations() {
        if is_own(&method, &path) {
            continue;
        }
        for group in [&*scene.foreign.group.id, "x", "%30"] {
            let at = scene.at(&path.replace("{groupId}", group));
            let reply = token.call(method.clone(), &at, Some(&json!({}))).await;
            scene.out_of_scope(&reply, challenge, &format!("{method} {path} {group}")).await;
            elsewhere += 1;
        }
    }
    assert!(elsewhere > 120, "{elsewhere}");
    // An encoded id is the same id.
    let encoded = group.replace('0', "%30");
    token.get(&format!("/api/groups/{encoded}")).await.data(200);
}

#[tokio::test]
async fn token_of_all_scopes_is_treated_like_its_user() {
    let mut scene = Scene::new().await;
    let token = scene.token(json!({})).await;
    token.get("/api/users/me/summary").await.data(200);
    for (method, path) in operations() {
        let at = scene.at(&path);
        let body = json!({ "unknown": 1 });
        let by_token = token.call(method.clone(), &at, Some(&body)).await;
        let row = format!("{method} {path}");
        let app_only = ["/wallet", "/invitation", TOKENS].iter().any(|end| path.ends_with(end));
        let silences = path.ends_with("/subscription") && method != Method::GET;
        if path.contains("/funds") {
            let code = by_token.body["error"].as_str().unwrap();
            assert!(
                ["NOT_ALLOWED", "VALIDATION_ERROR"].contains(&code),
                "{row}: {}",
                by_token.text
            );
            continue;
        }
        let deletes_group = method == Method::DELETE && path == "/api/groups/{groupId}";
        if app_only || silences || deletes_group || is_own(&method, &path) {
            assert_eq!(by_token.code(), (403, "NOT_ALLOWED"), "{row}: {}", by_token.text);
        } else if !path.ends_with("/leave") {
            let by_user = scene.eve.call(method.clone(), &at, Some(&body)).await;
            assert_eq!(by_token.code(), by_user.code(), "{row}: {}", by_token.text);
            assert_eq!(by_token.body["data"], by_user.body["data"], "{row}");
        }
    }
}

async fn send(scene: &Scene, (method, path): (Method, &str), headers: &[(&str, String)]) -> Reply {
    let mut request = scene.eve.with(None).request(method, path);
    for (name, value) in headers {
        request = request.header(*name, HeaderValue::from_str(value).unwrap());
    }
    scene.api.send(request.body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn anything_but_one_issued_token_is_refused_without_a_read() {
    let mut scene = Scene::new().await;
    let token = scene.token(json!({})).await.authorization().1;
    let digits = token.strip_prefix("Bearer fracti_pat_").unwrap();
    let init_data = telegram::sign(&scene.eve.user, TOKEN, scene.api.now());
    let foreign = ApiToken::new([7; 24], "43:other");
    let bearer = |token: &str| vec![("authorization", format!("Bearer {token}"))];
    let pat = |digits: &str| bearer(&format!("fracti_pat_{digits}"));
    let with = |other: (&'static str, String)| vec![("authorization", token.clone()), other];
    let missing = "Send init data or an API token.";
    let ambiguous = "Send either init data or one API token.";
    let invalid = "The API token is not one of this bot.";
    let flipped = digits.replacen(|digit| digit != '0', "0", 1);
    for (name, headers, message) in [
        ("63 digits", pat(&digits[1..]), invalid),
        ("65 digits", pat(&format!("{digits}0")), invalid),
        ("capitals", pat(&"A".repeat(64)), invalid),
        ("another digit", pat(&flipped), invalid),
        ("of another bot", bearer(foreign.expose()), invalid),
        ("no digits", pat(""), invalid),
        ("joined as a proxy joins", pat(&format!("{digits}, {token}")), invalid),
        ("in quotes", bearer(&format!("\"fracti_pat_{digits}\"")), missing),
        ("another prefix", bearer(&format!("fracti_tok_{digits}")), missing),
        ("prefix in capitals", bearer(&format!("FRACTI_PAT_{digits}")), missing),
        ("another token", bearer("ghp_0123456789"), missing),
        ("without a scheme", vec![("authorization", format!("fracti_pat_{digits}"))], missing),
        ("Basic", vec![("authorization", format!("Basic fracti_pat_{digits}"))], missing),
        ("in another header", vec![("x-api-key", token.clone())], missing),
        ("in a cookie", vec![("cookie", format!("token=fracti_pat_{digits}"))], missing),
        ("nothing", vec![], missing),
        ("the same twice", with(("authorization", token.clone())), ambiguous),
        ("and a foreign one", with(bearer(foreign.expose()).remove(0)), ambiguous),
        ("and init data", with(("authorization", format!("tma {init_data}"))), ambiguous),
        ("and the Mini App's", with(("x-telegram-init-data", init_data.clone())), ambiguous),
        (
            "a foreign one and init data",
            [bearer(foreign.expose()), vec![("x-telegram-init-data", init_data.clone())]].concat(),
            ambiguous,
        ),
    ] {
        for (method, path) in operations() {
            let at = scene.at(&path);
            let reply = send(&scene, (method.clone(), &at), &headers).await;
            let row = format!("{name}: {method} {path}");
            let code = match message {
                _ if message == invalid => "WRONG_BOT",
                _ if message == ambiguous => "AMBIGUOUS_CREDENTIALS",
                _ => "NO_CREDENTIALS",
            };
            assert_eq!(reply.code(), (401, code), "{row}: {}", reply.text);
            assert_eq!(reply.cost.requests, 0, "{row}");
            assert_eq!(reply.body["message"], message, "{row}");
            let challenge = if message == invalid { INVALID } else { "tma, Bearer" };
            assert_eq!(reply.header("www-authenticate"), Some(challenge), "{row}");
        }
        send(&scene, (Method::GET, "/api/health"), &headers).await.data(200);
        let unknown = send(&scene, (Method::GET, "/api/unknown"), &headers).await;
        assert_eq!(unknown.code(), (404, "ROUTE_NOT_FOUND"), "{name}");
    }
    for query in ["access_token", "token", "authorization"] {
        let path = format!("/api/users/me?{query}=fracti_pat_{digits}");
        let reply = send(&scene, (Method::GET, &path), &[]).await;
        scene.refused(&reply, (401, "NO_CREDENTIALS"), query).await;
    }
    scene.unchanged("headers").await;
}

#[tokio::test]
async fn token_is_accepted_in_the_usual_forms() {
    let mut scene = Scene::new().await;
    let token = scene.token(json!({})).await.authorization().1;
    let secret = token.strip_prefix("Bearer ").unwrap();
    for header in [
        format!("Bearer {secret}"),
        format!("bearer {secret}"),
        format!("BEARER  {secret} "),
        format!("Authorization: Bearer {secret}"),
    ] {
        let header = [("authorization", header)];
        let reply = send(&scene, (Method::GET, "/api/users/me"), &header).await;
        assert_eq!(reply.data(200)["id"], "9");
    }
    let beside = [("authorization", token.clone()), ("authorization", "Basic x".to_owned())];
    let reply = send(&scene, (Method::GET, "/api/users/me"), &beside).await;
    assert_eq!(reply.data(200)["id"], "9");
}

#[tokio::test]
async fn guessed_tokens_of_the_right_form_cost_no_read() {
    let scene = Scene::new().await;
    let mut random = fastrand::Rng::with_seed(7);
    let mut bytes = [0; 32];
    for _ in 0..10_000 {
        random.fill(&mut bytes);
        let request = scene.eve.with(None).request(Method::GET, "/api/users/me");
        let guess = format!("Bearer fracti_pat_{}", hex::encode(bytes));
        let request = request.header(header::AUTHORIZATION, guess).body(Body::empty()).unwrap();
        let reply = scene.api.send(request).await;
        assert_eq!((reply.status.as_u16(), reply.cost.requests), (401, 0));
    }
    scene.unchanged("guesses").await;
}

#[tokio::test]
async fn token_of_a_group_does_not_take_back_that_its_user_left() {
    let mut scene = Scene::new().await;
    let group = scene.own.group.id.clone();
    let token = scene.token(json!({ "groupId": group })).await;
    let path = |rest: &str| format!("/api/groups/{group}{rest}");
    scene.eve.post(&path("/leave"), json!({})).await.data(200);
    for rest in ["", "/expenses"] {
        assert_eq!(token.get(&path(rest)).await.code(), (403, "LEFT"));
    }
    let joined = token.post(&path("/join"), json!({})).await;
    assert_eq!(joined.code(), (403, "NOT_ALLOWED"));
    assert_eq!(token.get(&path("")).await.code(), (403, "LEFT"));
}

#[tokio::test]
async fn expired_token_costs_its_user_nothing() {
    let mut scene = Scene::new().await;
    let token = scene.token(json!({ "expiresAt": "2026-01-15T12:30:00Z" })).await;
    token.get("/api/users/me").await.data(200);
    scene.api.pass(std::time::Duration::from_hours(1));
    for _ in 0..2 {
        let reply = token.get("/api/users/me").await;
        assert_eq!((reply.code(), reply.cost.requests), ((401, "TOKEN_REVOKED"), 0));
    }
}
