//! Bodies that are too large, deeply nested, slow, or have duplicate fields.

use std::convert::Infallible;

use axum::{
    body::{Body, Bytes},
    http::{Method, Request, Response, header},
};
use futures_util::stream;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::ServiceExt;

use super::Scene;
use crate::harness::Reply;

const INVALID: (u16, &str) = (400, "VALIDATION_ERROR");
const NOT_JSON: (u16, &str) = (400, "INVALID_JSON");
const TOO_LARGE: (u16, &str) = (413, "PAYLOAD_TOO_LARGE");
const LIMIT: usize = 64 * 1024;

/// Sends arbitrary bytes.
async fn send(scene: &Scene, method: Method, path: &str, body: impl Into<Body>) -> Reply {
    let request = scene.party(path).request(method, &scene.own.path(path));
    let request = request.header(header::CONTENT_TYPE, "application/json");
    scene.api.send(request.body(body.into()).unwrap()).await
}

/// Sends a streamed body of unknown length, which the harness cannot record.
async fn stream(scene: &Scene, pieces: impl Into<Body>) -> Response<Body> {
    let request = scene.eve.request(Method::POST, &scene.own.path("/api/groups/G/expenses"));
    let request: Request<Body> =
        request.header(header::CONTENT_TYPE, "application/json").body(pieces.into()).unwrap();
    scene.api.router.clone().oneshot(request).await.unwrap()
}

async fn status_and_body(response: Response<Body>) -> (u16, Value) {
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, serde_json::from_slice(&body).unwrap())
}

/// A body of `length` bytes.
fn padded(length: usize) -> String {
    let head = r#"{"amount":1,"description":"x""#;
    let tail = "}";
    format!("{head}{}{tail}", " ".repeat(length - head.len() - tail.len()))
}

#[tokio::test]
async fn body_of_64_kib_is_accepted_and_one_byte_more_is_refused() {
    let scene = Scene::new().await;
    for path in
        ["/api/groups/G/expenses", "/api/groups/G/settlements", "/api/groups/G/join", "/api/groups"]
    {
        for length in [LIMIT + 1, 2 * LIMIT, 16 * LIMIT] {
            let reply = send(&scene, Method::POST, path, padded(length)).await;
            scene.refused(&reply, TOO_LARGE, &format!("{path} {length}")).await;
        }
    }
    for path in ["/api/groups/G/wallet", "/api/groups/G/settlements/S"] {
        let reply = send(&scene, Method::PUT, path, padded(LIMIT + 1)).await;
        scene.refused(&reply, TOO_LARGE, path).await;
    }
    // In chunks, without a content length.
    for (length, status) in [(LIMIT + 1, 413), (LIMIT, 201)] {
        let body = padded(length).into_bytes();
        let pieces: Vec<_> = body
            .chunks(1000)
            .map(|piece| Ok::<_, Infallible>(Bytes::copy_from_slice(piece)))
            .collect();
        let (code, body) =
            status_and_body(stream(&scene, Body::from_stream(stream::iter(pieces))).await).await;
        assert_eq!(code, status, "{length}: {body}");
        if status == 413 {
            scene.unchanged("in pieces").await;
        }
    }
    send(&scene, Method::POST, "/api/groups/G/expenses", padded(LIMIT)).await.data(201);
    scene.own.group.verify().await;
}

#[tokio::test]
async fn endless_body_is_not_read_to_its_end() {
    let scene = Scene::new().await;
    let endless = stream::repeat_with(|| Ok::<_, Infallible>(Bytes::from_static(&[b' '; 1000])));
    let (status, body) = status_and_body(stream(&scene, Body::from_stream(endless)).await).await;
    assert_eq!((status, &body["error"]), (413, &json!("PAYLOAD_TOO_LARGE")));
    // A route without a body does not wait for one.
    let request = scene.eve.request(Method::GET, &scene.own.path("/api/groups/G"));
    let never = Body::from_stream(stream::pending::<Result<Bytes, Infallible>>());
    let reply = scene.api.router.clone().oneshot(request.body(never).unwrap()).await.unwrap();
    assert_eq!(status_and_body(reply).await.0, 200);
    scene.unchanged("endless").await;
}

#[tokio::test]
async fn stalled_body_times_out() {
    let scene = Scene::new().await;
    let begun = stream::once(async { Ok::<_, Infallible>(Bytes::from_static(b"{\"amount\":")) });
    let stalled = futures_util::StreamExt::chain(begun, stream::pending());
    // From here on, paused time advances to the next timer.
    tokio::time::pause();
    let (status, body) = status_and_body(stream(&scene, Body::from_stream(stalled)).await).await;
    tokio::time::resume();
    assert_eq!((status, &body["error"]), (400, &json!("INVALID_JSON")), "{body}");
    assert!(body["message"].as_str().unwrap().contains("did not arrive"), "{body}");
    // A broken body ends the request immediately.
    let broken = stream::once(async { Err::<Bytes, _>(std::io::Error::other("reset")) });
    let (status, body) = status_and_body(stream(&scene, Body::from_stream(broken)).await).await;
    assert_eq!((status, &body["error"]), (400, &json!("INVALID_JSON")), "{body}");
    scene.unchanged("slow").await;
}

#[tokio::test]
async fn deeply_nested_json_is_refused_without_recursion() {
    for deep in ["[".repeat(30_000), "{\"a\":".repeat(9_000)] {
        let scene = Scene::new().await;
        let close: String = deep
            .chars()
            .rev()
            .filter_map(|it| match it {
                '[' => Some(']'),
                '{' => Some('}'),
                _ => None,
            })
            .collect();
        let whole = if deep.starts_with('{') {
            format!("{deep}1{close}")
        } else {
            format!("{deep}{close}")
        };
        for (body, refusals) in [
            (deep.clone(), [NOT_JSON, INVALID]),
            (whole.clone(), [NOT_JSON, INVALID]),
            (format!(r#"{{"amount":{whole},"description":"x"}}"#), [NOT_JSON, INVALID]),
            (format!(r#"{{"amount":1,"description":{whole}}}"#), [NOT_JSON, INVALID]),
            (format!(r#"{{"amount":1,"description":"x","splits":{whole}}}"#), [NOT_JSON, INVALID]),
            (
                format!(r#"{{"amount":1,"description":"x","splits":[{whole}]}}"#),
                [NOT_JSON, INVALID],
            ),
            (format!(r#"{{"title":"x","chatId":{whole}}}"#), [NOT_JSON, INVALID]),
            (format!(r#"{{"unknown":{deep}"#), [NOT_JSON, INVALID]),
        ] {
            for path in ["/api/groups", "/api/groups/G/expenses", "/api/groups/G/settlements"] {
                let reply = send(&scene, Method::POST, path, body.clone()).await;
                let shown: String = body.chars().take(60).collect();
                assert!(refusals.contains(&reply.code()), "{path} {shown}: {}", reply.text);
                assert!(reply.text.len() < 1_000, "{path} {shown}: {}", reply.text);
            }
        }
        scene.unchanged("deep").await;
        let body = format!(r#"{{"unknown":{whole},"amount":1,"description":"x"}}"#);
        let reply = send(&scene, Method::POST, "/api/groups/G/expenses", body).await;
        assert_eq!(reply.code(), INVALID, "{}", reply.text);
        scene.unchanged("deep").await;
    }
}

/// Invalid amounts in euros, as numbers or strings: malformed, too precise, too large, or not
/// positive.
const NO_AMOUNTS: [&str; 55] = [
    "1e999999",
    "1e-999999",
    "-1e999999",
    "1E+400",
    "1e-400",
    "1e38",
    "1e18",
    "-0",
    "-0.0",
    "0e999999999",
    "-1e-400",
    "00",
    "01",
    "-01",
    "00.1",
    "0x1",
    "0x1p4",
    "0b1",
    "0o7",
    "1_000",
    "1 000",
    "1,000",
    "1.",
    ".1",
    "+1",
    "--1",
    "1e",
    "1e+",
    "1e1.5",
    "e1",
    "1f",
    "1n",
    "Infinity",
    "-Infinity",
    "NaN",
    "∞",
    "１",
    "١",
    "½",
    "1\u{0}",
    "1/1",
    "0.1e-2",
    "1.001",
    "92233720368547758.08",
    "9223372036854775808",
    "18446744073709551616",
    "170141183460469231731687303715884105728",
    "340282366920938463463374607431768211456",
    "9007199254740993.001",
    "4.9e-324",
    "2.2250738585072011e-308",
    "1.7976931348623157e308",
    "true",
    "[1]",
    "{}",
];

#[tokio::test]
async fn numbers_are_read_exactly_or_refused() {
    let scene = Scene::new().await;
    let ones = "1".repeat(400);
    let zeros = "0".repeat(400);
    let long = [
        ones.clone(),
        format!("0.{zeros}1"),
        format!("1{zeros}"),
        format!("1e{ones}"),
        format!("1e-{ones}"),
    ];
    for number in NO_AMOUNTS.iter().map(|it| (*it).to_owned()).chain(long) {
        let split = |field: &str, kind: &str, value: &str| {
            format!(
                r#"{{"amount":1,"description":"x","splitType":"{kind}","splits":[{{"userId":"9","{field}":{value}}}]}}"#
            )
        };
        let text = json!(number).to_string();
        for value in [&number, &text] {
            for (path, body, fields) in [
                (
                    "/api/groups/G/expenses",
                    format!(r#"{{"amount":{value},"description":"x"}}"#),
                    ["amount", ""],
                ),
                (
                    "/api/groups/G/settlements",
                    format!(r#"{{"amount":{value},"toId":"1"}}"#),
                    ["amount", ""],
                ),
                (
                    "/api/groups/G/expenses",
                    split("amount", "exact", value),
                    ["splits[0].amount", "splits"],
                ),
                (
                    "/api/groups/G/expenses",
                    split("percentage", "percentage", value),
                    ["splits[0].percentage", "splits"],
                ),
            ] {
                let reply = send(&scene, Method::POST, path, body.clone()).await;
                let shown: String = body.chars().take(120).collect();
                assert!(
                    [INVALID, NOT_JSON].contains(&reply.code()),
                    "{path} {shown}: {}",
                    reply.text
                );
                if reply.code() == INVALID {
                    let field = reply.body["details"][0]["path"].as_str().unwrap();
                    assert!(fields.contains(&field), "{path} {shown}: {}", reply.text);
                }
                assert!(reply.text.len() < 500, "{path} {shown}: {}", reply.text);
            }
        }
        scene.unchanged(&number).await;
    }
}

#[tokio::test]
async fn duplicate_fields_are_refused_by_name() {
    let scene = Scene::new().await;
    for (method, path, body, field) in [
        ("POST", "/api/groups", r#"{"title":"x","chatId":1,"title":"y"}"#, "title"),
        ("POST", "/api/groups", r#"{"title":"x","chatId":1,"chatId":1}"#, "chatId"),
        (
            "POST",
            "/api/groups",
            r#"{"title":"x","currency":"EUR","chatId":1,"currency":null}"#,
            "currency",
        ),
        ("POST", "/api/groups/G/join", r#"{"wallet":null,"wallet":null}"#, "wallet"),
        ("PUT", "/api/groups/G/wallet", r#"{"wallet":null,"wallet":"x"}"#, "wallet"),
        (
            "POST",
            "/api/groups/G/expenses",
            r#"{"amount":1,"description":"x","description":"x"}"#,
            "description",
        ),
        (
            "POST",
            "/api/groups/G/expenses",
            r#"{"amount":1,"description":"x","amo\u0075nt":1}"#,
            "amount",
        ),
        (
            "POST",
            "/api/groups/G/expenses",
            r#"{"amount":1,"description":"x","payerId":"9","payerId":"1"}"#,
            "payerId",
        ),
        (
            "POST",
            "/api/groups/G/expenses",
            r#"{"amount":1,"description":"x","splits":[],"splits":null}"#,
            "splits",
        ),
        (
            "POST",
            "/api/groups/G/expenses",
            r#"{"amount":1,"description":"x","splits":[{"userId":"9","userId":"1"}]}"#,
            "splits[0].userId",
        ),
        (
            "POST",
            "/api/groups/G/expenses",
            r#"{"amount":1,"description":"x","splits":[{"userId":"9","amount":1,"amount":2}]}"#,
            "splits[0].amount",
        ),
        ("POST", "/api/groups/G/settlements", r#"{"toId":"1","amount":1,"toId":"2"}"#, "toId"),
        (
            "POST",
            "/api/groups/G/settlements",
            r#"{"toId":"1","amount":1,"fromId":null,"fromId":"9"}"#,
            "fromId",
        ),
        (
            "PUT",
            "/api/groups/G/settlements/S",
            r#"{"status":"pending","status":"completed"}"#,
            "status",
        ),
        ("PUT", "/api/groups/G/settlements/S", r#"{"txHash":null,"txHash":null}"#, "txHash"),
    ] {
        let reply = send(&scene, method.parse().unwrap(), path, body).await;
        scene.refused(&reply, INVALID, body).await;
        let rule = format!("{field} must be given only once");
        let detail = json!({ "path": field, "message": rule });
        let details = reply.body["details"].as_array().unwrap();
        assert!(details.contains(&detail), "{body}: {}", reply.text);
    }
    // Field names are case-sensitive, and an unknown one is reported once, however often it is
    // sent.
    let body = r#"{"amount":1,"Amount":2,"AMOUNT":3,"x":1,"x":2,"description":"x","__proto__":{"amount":9}}"#;
    let reply = send(&scene, Method::POST, "/api/groups/G/expenses", body).await;
    scene.refused(&reply, INVALID, body).await;
    let details = reply.body["details"].as_array().unwrap().iter();
    let paths: Vec<_> = details.map(|detail| detail["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["Amount", "AMOUNT", "x", "__proto__"]);
}

#[tokio::test]
async fn json_must_be_utf_8_without_a_byte_order_mark() {
    let scene = Scene::new().await;
    let json = r#"{"amount":1,"description":"x"}"#;
    let utf16 =
        |bytes: fn(u16) -> [u8; 2]| json.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
    for (name, body) in [
        ("a mark", [b"\xef\xbb\xbf", json.as_bytes()].concat()),
        ("UTF-16LE", utf16(u16::to_le_bytes)),
        ("UTF-16BE", utf16(u16::to_be_bytes)),
        ("Latin-1", b"{\"amount\":1,\"description\":\"caf\xe9\"}".to_vec()),
        ("a surrogate", b"{\"amount\":1,\"description\":\"\xed\xa0\x80\"}".to_vec()),
        ("half a surrogate", br#"{"amount":1,"description":"\udc00\ud800"}"#.to_vec()),
        ("overlong", b"{\"amount\":1,\"description\":\"\xc0\xaf\"}".to_vec()),
        ("a field's name", b"{\"amount\":1,\"description\":\"x\",\"\xff\":1}".to_vec()),
        ("a NUL", b"{\"amount\":1,\"description\":\"x\"}\0".to_vec()),
        ("a raw line break", b"{\"amount\":1,\"description\":\"x\ny\"}".to_vec()),
        ("a comment", b"{\"amount\":1,/*x*/\"description\":\"x\"}".to_vec()),
        ("a comma too much", br#"{"amount":1,"description":"x",}"#.to_vec()),
        ("single quotes", b"{'amount':1,'description':'x'}".to_vec()),
        ("two documents", json.repeat(2).into_bytes()),
        ("compressed", b"\x1f\x8b\x08\0\0\0\0\0".to_vec()),
    ] {
        let reply = send(&scene, Method::POST, "/api/groups/G/expenses", body).await;
        scene.refused(&reply, NOT_JSON, name).await;
    }
    for content_type in [
        "application/json-patch+json",
        "application/ld+json",
        "text/json",
        "application/json, text/plain",
        "*/*",
        "application/jsonx",
        "multipart/form-data; boundary=application/json",
        "text/plain; application/json",
        "",
    ] {
        let request = scene.eve.request(Method::POST, &scene.own.path("/api/groups/G/expenses"));
        let request = request.header(header::CONTENT_TYPE, content_type).body(Body::from(json));
        let reply = scene.api.send(request.unwrap()).await;
        scene.refused(&reply, (415, "UNSUPPORTED_MEDIA_TYPE"), content_type).await;
    }
}
