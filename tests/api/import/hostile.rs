//! Files and forms that an attacker would send.

use axum::{
    body::Body,
    http::{Method, header},
};
use serde_json::json;

use super::{Import, splitwise};
use crate::harness::{Caller, FORM, Group, Reply};

/// Sends a body of bytes with a content type.
async fn raw(caller: &Caller, group: &Group, content_type: &str, body: Vec<u8>) -> Reply {
    let request = caller.request(Method::POST, &group.path("/import"));
    let request = request.header(header::CONTENT_TYPE, content_type).body(Body::from(body));
    group.api.send(request.unwrap()).await
}

/// A form with these parts: headers and content.
fn parts(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut body = Vec::new();
    for (headers, content) in parts {
        body.extend_from_slice(format!("--between\r\n{headers}\r\n\r\n").as_bytes());
        body.extend_from_slice(content);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"--between--\r\n");
    body
}

const FILE: &str = "Content-Disposition: form-data; name=\"file\"; filename=\"x.csv\"";
const OPTIONS: &str = "Content-Disposition: form-data; name=\"options\"";

fn good() -> String {
    splitwise(&["A", "B"], &[("2025-12-01", "General", "Tea", "EUR", vec![100, -100])])
}

#[tokio::test]
async fn malformed_forms_are_refused_by_the_name_of_the_field() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let before = group.api.rows().await;
    let file = good();
    let file = file.as_bytes();
    let options: &[u8] = b"{\"commit\":true,\"members\":{\"A\":\"1\",\"B\":\"2\"}}";
    let cut = parts(&[(FILE, file)]);
    let cut = cut[..cut.len() - 20].to_vec();
    for (body, path, rule) in [
        (Vec::new(), "body", "the body is not a form"),
        (b"--between".to_vec(), "body", "the body is not a form"),
        (b"{}".to_vec(), "body", "the body is not a form"),
        (cut, "body", "the body is not a form"),
        (parts(&[]), "file", "no file was chosen"),
        (parts(&[(OPTIONS, options)]), "file", "no file was chosen"),
        (parts(&[(FILE, file), (FILE, file)]), "file", "file must be given only once"),
        (
            parts(&[(FILE, file), (OPTIONS, b"{}"), (OPTIONS, b"{}")]),
            "options",
            "options must be given only once",
        ),
        (
            parts(&[("Content-Disposition: form-data; name=\"files\"", file)]),
            "files",
            "unknown field files; known fields are file, options",
        ),
        (parts(&[(FILE, file), (OPTIONS, b"")]), "options", "options must be JSON"),
        (parts(&[(FILE, file), (OPTIONS, b"commit=true")]), "options", "options must be JSON"),
        (parts(&[(FILE, file), (OPTIONS, b"[]")]), "options", "options must be a JSON object"),
        (
            parts(&[(FILE, file), (OPTIONS, b"{\"comit\":true}")]),
            "options.comit",
            "unknown field options.comit",
        ),
        (
            parts(&[(FILE, file), (OPTIONS, b"{\"commit\":1}")]),
            "options.commit",
            "options.commit must be true or false",
        ),
        (
            parts(&[(FILE, file), (OPTIONS, b"{\"members\":[]}")]),
            "options.members",
            "options.members must be a JSON object",
        ),
        (
            parts(&[(FILE, file), (OPTIONS, b"{\"currency\":\"euro\"}")]),
            "options.currency",
            "options.currency must be",
        ),
        (
            parts(&[(FILE, file), (OPTIONS, b"{\"payers\":{\"x\":\"A\"}}")]),
            "options.payers[\"x\"]",
            "options.payers[\"x\"] must have a line number as key",
        ),
        (
            parts(&[(FILE, file), (OPTIONS, b"{\"weights\":{\"A\":\"heavy\"}}")]),
            "options.weights[\"A\"]",
            "options.weights[\"A\"] must be",
        ),
        (
            parts(&[(FILE, file), (OPTIONS, b"{\"weights\":{\"A\":1,\"A\":2}}")]),
            "options.weights[\"A\"]",
            "options.weights[\"A\"] must be given only once",
        ),
    ] {
        let reply = raw(alice, &group, FORM, body).await;
        assert_eq!(reply.code(), (400, "VALIDATION_ERROR"), "{rule}: {}", reply.text);
        let detail = &reply.body["details"][0];
        assert_eq!(detail["path"], path, "{}", reply.text);
        assert!(detail["message"].as_str().unwrap().starts_with(rule), "{rule}: {}", reply.text);
    }
    let body = || parts(&[(FILE, file), (OPTIONS, options)]);
    for content_type in [
        "application/json",
        "text/csv",
        "multipart/form-data",
        "multipart/mixed; boundary=between",
        "",
    ] {
        let reply = raw(alice, &group, content_type, body()).await;
        assert_eq!(reply.code(), (415, "UNSUPPORTED_MEDIA_TYPE"), "{content_type}: {}", reply.text);
    }
    assert_eq!(group.api.rows().await, before);
    let eve = group.api.user(9, "Eve");
    assert_eq!(raw(&eve, &group, FORM, body()).await.code(), (403, "NOT_A_MEMBER"));
    assert_eq!(raw(&eve, &group, "text/csv", body()).await.code(), (403, "NOT_A_MEMBER"));
    assert_eq!(raw(&eve.with(None), &group, FORM, body()).await.code(), (401, "NO_CREDENTIALS"));
    assert_eq!(group.api.rows().await, before);
    raw(alice, &group, "Multipart/Form-Data; boundary=\"between\"", body()).await.data(200);
}

#[tokio::test]
async fn a_file_has_at_most_5_mib_and_other_bodies_stay_at_64_kib() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let most = 5 * 1024 * 1024;
    for (size, status) in [(most, 200), (most + 1, 413), (most + 128 * 1024, 413)] {
        let reply = raw(alice, &group, FORM, parts(&[(FILE, &vec![b'a'; size])])).await;
        assert_eq!(reply.status, status, "{size}: {}", reply.text);
    }
    let options = format!("{{\"currency\":\"{}\"}}", "x".repeat(65 * 1024));
    let reply =
        raw(alice, &group, FORM, parts(&[(FILE, b""), (OPTIONS, options.as_bytes())])).await;
    assert_eq!(reply.code(), (413, "PAYLOAD_TOO_LARGE"), "{}", reply.text);
    let long = json!({ "amount": 1, "description": "x".repeat(64 * 1024) });
    let reply = alice.post(&group.path("/expenses"), long).await;
    assert_eq!(reply.code(), (413, "PAYLOAD_TOO_LARGE"));
}

#[tokio::test]
async fn hostile_files_are_errors_of_the_plan_and_write_nothing() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let before = group.api.rows().await;
    let deep = "[".repeat(100_000);
    let row = "2025-12-01,Tea,General,1.00,EUR,1.00,-1.00";
    let with =
        |row: &str| good().replace("2025-12-01,Tea,General,1.00,EUR,1.00,-1.00", row).into_bytes();
    let wide = format!("Date,Description,Category,Cost,Currency{}\n", ",x".repeat(100_000));
    let files: Vec<Vec<u8>> = vec![
        Vec::new(),
        b"PK\x03\x04\x14\x00\x00\x00\x08\x00".to_vec(),
        b"<!DOCTYPE html><html><body>Sign in</body></html>".to_vec(),
        good().encode_utf16().flat_map(u16::to_le_bytes).skip(1).collect(),
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec(),
        b"Date,Description\xe9,Category,Cost,Currency,A,B\n".to_vec(),
        deep.clone().into_bytes(),
        format!("{{\"expenses\":{deep}").into_bytes(),
        wide.into_bytes(),
        vec![0; 10_000],
        with(&row.replace("1.00,EUR", "NaN,EUR")),
        with(&row.replace("1.00,-1.00", "1e400,-1e400")),
        with(&row.replace("1.00,-1.00", "1.00,-0.99")),
        with(&row.replace("EUR,1.00", "XXXX,1.00")),
        with(&row.replace("2025-12-01", "2025-02-30")),
        with(&row.replace("1.00,-1.00", "99999999999999999999.00,-99999999999999999999.00")),
        with(&format!("{row},7.00")),
        with(&row.replace("Tea", "\"never closed")),
    ];
    for file in files {
        let shown = String::from_utf8_lossy(&file).chars().take(60).collect::<String>();
        let plan = raw(alice, &group, FORM, parts(&[(FILE, &file)])).await;
        let errors = plan.data(200)["errors"].as_array().unwrap();
        assert!(!errors.is_empty() && errors.len() <= 100, "{shown:?}: {}", plan.text);
        assert!(plan.text.len() < 100_000, "{shown:?}");
        let options: &[u8] = b"{\"commit\":true,\"members\":{\"A\":\"1\",\"B\":\"2\"}}";
        let reply = raw(alice, &group, FORM, parts(&[(FILE, &file), (OPTIONS, options)])).await;
        assert_eq!(reply.code(), (400, "VALIDATION_ERROR"), "{shown:?}: {}", reply.text);
        assert_eq!(group.api.rows().await, before, "{shown:?}");
    }
}

#[tokio::test]
async fn formulas_and_names_of_a_file_are_only_text() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let rows = [("2025-12-01", "General", "'=HYPERLINK(1)", "EUR", vec![100, -100])];
    let import = Import::of(&splitwise(&["A", "GROUP#x USER#1"], &rows), "{}");
    let import = import.by(alice, &group, &[("A", "1")]).await;
    import.send(alice, &group).await.data(200);
    let expenses = alice.pages(&group.path("/expenses"), 10).await;
    assert_eq!(expenses[0]["description"], "=HYPERLINK(1)");
    assert_eq!(expenses[0]["splits"][0]["userName"], "GROUP#x USER#1");
    let keys = group.api.rows().await.into_keys();
    assert!(keys.map(|(pk, sk)| pk + &sk).all(|key| !key.contains("GROUP#x")));
    group.verify().await;
}

#[tokio::test]
async fn an_archived_group_and_a_token_to_read_are_refused() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let import = Import::of(&good(), "{}").by(alice, &group, &[("A", "1"), ("B", "2")]).await;
    let token = |scope: &str, group_id: &str| json!({ "name": "x", "scopes": [scope], "groupId": group_id });
    let other = Group::of(&group.api, 1, "EUR").await;
    let mut replies = Vec::new();
    for (scope, of) in [("read", &group), ("write", &other), ("write", &group)] {
        let made = alice.post("/api/users/me/tokens", token(scope, &of.id)).await;
        replies.push(import.send(&alice.with_token(&made), &group).await);
    }
    assert_eq!(replies[0].code(), (403, "INSUFFICIENT_SCOPE"));
    assert_eq!(replies[1].code(), (403, "INSUFFICIENT_SCOPE"));
    assert_eq!(replies[2].data(200)["imported"], 1);
    alice.patch(&group.path(""), json!({ "archived": true })).await.data(200);
    let before = group.api.rows().await;
    assert_eq!(import.send(alice, &group).await.code(), (409, "GROUP_ARCHIVED"));
    assert_eq!(group.api.rows().await, before);
}
