//! Paths and methods that proxies may interpret differently: the API takes them literally, or
//! refuses them.

use axum::{
    body::Body,
    http::{Method, Request},
};
use http_body_util::BodyExt;
use tower::ServiceExt;

use super::Scene;

const NO_ROUTE: (u16, &str) = (404, "ROUTE_NOT_FOUND");
const NO_METHOD: (u16, &str) = (405, "METHOD_NOT_ALLOWED");
const INVALID: (u16, &str) = (400, "VALIDATION_ERROR");

#[tokio::test]
async fn malformed_paths_reach_no_other_route() {
    let scene = Scene::new().await;
    for (path, refusal) in [
        // Slashes and dots.
        ("//api/groups", NO_ROUTE),
        ("/api//groups/G", NO_ROUTE),
        ("/api/groups//debts", INVALID),
        ("/api/groups/G/", NO_ROUTE),
        ("/api/groups/G/debts/", NO_ROUTE),
        ("/api/groups/G//debts", NO_ROUTE),
        ("/api/users/me/", NO_ROUTE),
        ("/./api/groups", NO_ROUTE),
        ("/api/./groups", NO_ROUTE),
        ("/api/../api/groups", NO_ROUTE),
        ("/api/groups/.", INVALID),
        ("/api/groups/..", INVALID),
        ("/api/groups/../users/me", NO_ROUTE),
        ("/api/groups/G/../G", NO_ROUTE),
        ("/api/groups/G/expenses/..", INVALID),
        ("/api/groups/G/expenses/../debts", NO_ROUTE),
        ("/api\\groups", NO_ROUTE),
        // Encoded.
        ("/api%2Fgroups", NO_ROUTE),
        ("/%61pi/groups", NO_ROUTE),
        ("/api/group%73", NO_ROUTE),
        ("/api/groups%2FG", NO_ROUTE),
        ("/api/groups/G%2Fdebts", INVALID),
        ("/api/groups/G%2fexpenses%2fE", INVALID),
        ("/api/groups/G%252Fdebts", INVALID),
        ("/api/groups/%2e%2e", INVALID),
        ("/api/groups/%2e%2e%2fusers%2fme", INVALID),
        ("/api/groups/G/expenses/%2e%2e%2fdebts", INVALID),
        ("/api/groups/G/expenses/E%00", INVALID),
        ("/api/groups/G%00", INVALID),
        ("/api/groups/G%0d%0aSet-Cookie:x", INVALID),
        ("/api/groups/G%0A", INVALID),
        ("/api/groups/G%20", INVALID),
        ("/api/groups/G%23", INVALID),
        ("/api/groups/G%3Flimit=1", INVALID),
        ("/api/groups/%C0%AF", INVALID),
        ("/api/groups/%ED%A0%80", INVALID),
        ("/api/groups/%", INVALID),
        ("/api/groups/%zz", INVALID),
        ("/api/groups/%u0031", INVALID),
        // Parameters of paths, templates and keys.
        ("/api/groups;x=1", NO_ROUTE),
        ("/api/groups/G;x=1", INVALID),
        ("/api/groups/G,E", INVALID),
        ("/api/groups/G.json", INVALID),
        ("/api/groups/*", INVALID),
        ("/api/groups/{groupId}", INVALID),
        ("/api/groups/%7BgroupId%7D", INVALID),
        ("/api/groups/METADATA", INVALID),
        ("/api/groups/USER%231", INVALID),
        ("/api/groups/GROUP%23G", INVALID),
        ("/api/groups/me", INVALID),
        ("/api/users/1", NO_ROUTE),
        ("/api/users/USER%231", NO_ROUTE),
        ("/api/users/me/../1", NO_ROUTE),
        ("/api/users/me%2fdebts", NO_ROUTE),
        ("/API/groups", NO_ROUTE),
        ("/api/Groups", NO_ROUTE),
        ("/api/groups/G/DEBTS", NO_ROUTE),
        ("/$default/api/groups", NO_ROUTE),
        ("/prod/api/groups", NO_ROUTE),
    ] {
        let reply = scene.eve.get(&scene.own.path(path).replace("/GROUP%23/", "/GROUP%23")).await;
        scene.refused(&reply, refusal, path).await;
    }
    // Ids are case-insensitive.
    let group = &scene.own.group.id;
    let expense = &scene.own.expense;
    let path = format!("/api/groups/{}/expenses/{}", group.to_uppercase(), expense.to_uppercase());
    assert_eq!(scene.eve.get(&path).await.data(200)["id"], **expense);
}

#[tokio::test]
async fn host_and_scheme_of_a_request_are_ignored() {
    let scene = Scene::new().await;
    let group = &scene.own.group.id;
    let foreign = &scene.foreign.group.id;
    for uri in [
        format!("http://localhost/api/groups/{group}"),
        format!("https://user:password@evil.example:1/api/groups/{group}"),
        format!("http://169.254.169.254/api/groups/{group}"),
    ] {
        let request =
            scene.eve.request(Method::GET, &uri).header("x-forwarded-proto", "javascript");
        let request = request.header("x-forwarded-host", "evil.example");
        let request = request.header("x-original-url", format!("/api/groups/{foreign}"));
        let request = request.header("x-rewrite-url", format!("/api/groups/{foreign}"));
        let reply = scene.api.send(request.body(Body::empty()).unwrap()).await;
        assert_eq!(reply.data(200)["id"], **group, "{uri}");
        assert!(!reply.text.contains("evil.example"), "{uri}");
    }
}

#[tokio::test]
async fn method_override_headers_are_ignored() {
    let scene = Scene::new().await;
    let expense = scene.own.path("/api/groups/G/expenses/E");
    let alice = &scene.own.group.members[0];
    for header in ["x-http-method-override", "x-http-method", "x-method-override"] {
        for method in [Method::GET, Method::POST, Method::PATCH, Method::HEAD] {
            for path in [expense.clone(), format!("{expense}?_method=DELETE")] {
                let request = alice.request(method.clone(), &path).header(header, "DELETE");
                let request = request.body(Body::from("_method=DELETE")).unwrap();
                scene.api.router.clone().oneshot(request).await.unwrap();
                scene.unchanged(&format!("{method} {header}")).await;
            }
        }
    }
    for method in
        ["OPTIONS", "TRACE", "CONNECT", "PATCH", "POST", "DELETE ", "get", "PROPFIND", "STEAL"]
    {
        let Ok(method) = method.parse::<Method>() else { continue };
        for path in ["/api/groups/G/wallet", "/api/users/me", "/api/groups/G/debts"] {
            let path = scene.own.path(path);
            let reply = alice.call(method.clone(), &path, None).await;
            scene.refused(&reply, NO_METHOD, &format!("{method} {path}")).await;
            let cookie = reply.text.contains("tma ") || reply.text.contains("auth_date");
            assert!(!cookie, "{method}: the response must not echo the request: {}", reply.text);
        }
    }
}

#[tokio::test]
async fn head_returns_the_headers_of_get_without_a_body() {
    let scene = Scene::new().await;
    for path in [
        "/api/groups/G",
        "/api/groups/G/expenses/E",
        "/api/users/me",
        "/api/groups/x",
        "/api/nothing",
    ] {
        let path = scene.own.path(path);
        for caller in [&scene.eve, &scene.api.user(77, "Mallory"), &scene.eve.with(None)] {
            let got = caller.get(&path).await;
            let head = caller.request(Method::HEAD, &path).body(Body::empty()).unwrap();
            let head: Request<Body> = head;
            let head = scene.api.router.clone().oneshot(head).await.unwrap();
            assert_eq!(head.status(), got.status, "{path}");
            let body = head.into_body().collect().await.unwrap().to_bytes();
            assert!(body.is_empty(), "{path}: {body:?}");
        }
    }
    scene.unchanged("HEAD").await;
}
