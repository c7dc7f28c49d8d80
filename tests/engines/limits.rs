//! Requests at DynamoDB's limits and just beyond them.
//!
//! <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html>

use fracti_tests::database::{TABLE, external};
use serde_json::{Value, json};

use super::{Pair, Request, check_seen, known::AT_LIMITS};

/// The largest row: names and values together.
const ROW: usize = 400 * 1024;

fn text(length: usize) -> Value {
    json!({ "S": "x".repeat(length) })
}

fn key(pk: &str, sk: &str) -> Value {
    json!({ "PK": { "S": pk }, "SK": { "S": sk } })
}

/// A row of `PK` p, `SK` s and one more attribute.
fn row(name: &str, value: Value) -> Value {
    let mut row = key("p", "s");
    row[name] = value;
    row
}

/// A row of this many bytes.
fn row_of(bytes: usize) -> Value {
    // The names PK, SK and a, and the two values of one byte.
    row("a", text(bytes.saturating_sub("PKpSKsa".len())))
}

fn put(row: &Value) -> Request {
    Request { operation: "PutItem", body: json!({ "TableName": TABLE, "Item": row }) }
}

fn transaction(actions: &[Value]) -> Request {
    Request { operation: "TransactWriteItems", body: json!({ "TransactItems": actions }) }
}

/// A transaction that puts rows of these many bytes.
fn puts(bytes: &[usize]) -> Request {
    let action = |(n, bytes): (usize, &usize)| {
        let mut row = row_of(*bytes);
        row["SK"] = json!({ "S": n.to_string() });
        json!({ "Put": { "TableName": TABLE, "Item": row } })
    };
    transaction(&bytes.iter().enumerate().map(action).collect::<Vec<_>>())
}

/// Deletes one row a number.
fn deletes(numbers: impl Iterator<Item = usize>) -> Request {
    let delete =
        |n: usize| json!({ "Delete": { "TableName": TABLE, "Key": key("p", &n.to_string()) } });
    transaction(&numbers.map(delete).collect::<Vec<_>>())
}

fn update(expression: String, names: Value, values: Value) -> Request {
    let mut body = json!({ "TableName": TABLE, "Key": key("p", "s") });
    body["UpdateExpression"] = expression.into();
    body["ExpressionAttributeNames"] = names;
    body["ExpressionAttributeValues"] = values;
    Request { operation: "UpdateItem", body }
}

/// An update whose expression has this many bytes.
fn update_of(bytes: usize) -> Request {
    let expression = format!("SET a = {}:a", " ".repeat(bytes.saturating_sub("SET a = :a".len())));
    let mut request = update(expression, Value::Null, json!({ ":a": { "N": "1" } }));
    request.body.as_object_mut().unwrap().remove("ExpressionAttributeNames");
    request
}

fn query(limit: i64) -> Request {
    let mut body = json!({ "TableName": TABLE, "KeyConditionExpression": "PK = :pk" });
    body["ExpressionAttributeValues"] = json!({ ":pk": { "S": "p" } });
    body["Limit"] = limit.into();
    Request { operation: "Query", body }
}

fn batch(keys: impl Iterator<Item = usize>) -> Request {
    let keys: Vec<_> = keys.map(|n| key("p", &n.to_string())).collect();
    Request {
        operation: "BatchGetItem",
        body: json!({ "RequestItems": { TABLE: { "Keys": keys } } }),
    }
}

/// Lists in lists, this many deep.
fn nested(depth: usize) -> Value {
    (1..depth).fold(json!({ "L": [] }), |inner, _| json!({ "L": [inner] }))
}

fn number(text: &str) -> Request {
    put(&row("a", json!({ "N": text })))
}

/// A put with keys of the table and of an index of these many bytes.
fn keys_of(pk: usize, sk: usize, index_pk: usize, index_sk: usize) -> Request {
    put(&json!({ "PK": text(pk), "SK": text(sk), "GSI1PK": text(index_pk),
            "GSI1SK": text(index_sk) }))
}

/// Requests at the limits: whether the request is within its limit, a description, and the request.
fn cases() -> Vec<(bool, &'static str, Request)> {
    let digits = |count: usize| "7".repeat(count);
    let mut untyped = row("GSI1PK", json!({ "N": "1" }));
    untyped["GSI1SK"] = text(1);
    let mut with_token = deletes(0..1);
    with_token.body["ClientRequestToken"] = "x".repeat(36).into();
    let mut with_long_token = deletes(0..1);
    with_long_token.body["ClientRequestToken"] = "x".repeat(37).into();
    let one = || json!({ ":one": { "N": "1" } });
    vec![
        (true, "a row of 400 KB", put(&row_of(ROW))),
        (false, "a row of 400 KB and a byte", put(&row_of(ROW + 1))),
        (true, "a row of 400 KB in a transaction", puts(&[ROW])),
        (false, "a row of 400 KB and a byte in a transaction", puts(&[ROW + 1])),
        (true, "100 actions", deletes(0..100)),
        (false, "101 actions", deletes(0..101)),
        (false, "no action", deletes(0..0)),
        (false, "two actions on one row", deletes([1, 2, 1].into_iter())),
        (true, "4 MB less a few bytes in a transaction", puts(&[ROW - 100; 10])),
        (false, "more than 4 MB in a transaction", puts(&[ROW - 100; 11])),
        (false, "an empty partition key", put(&key("", "s"))),
        (false, "an empty sort key", put(&key("p", ""))),
        (false, "an empty key of an index", keys_of(1, 1, 0, 1)),
        (false, "an empty sort key of an index", keys_of(1, 1, 1, 0)),
        (false, "a number as the key of an index", put(&untyped)),
        (true, "keys of 2,048 and 1,024 bytes", keys_of(2048, 1024, 2048, 1024)),
        (false, "a partition key of 2,049 bytes", keys_of(2049, 1, 1, 1)),
        (false, "a sort key of 1,025 bytes", keys_of(1, 1025, 1, 1)),
        (false, "a partition key of an index of 2,049 bytes", keys_of(1, 1, 2049, 1)),
        (false, "a sort key of an index of 1,025 bytes", keys_of(1, 1, 1, 1025)),
        (true, "a number of 38 digits", number(&digits(38))),
        (false, "a number of 39 digits", number(&digits(39))),
        (true, "a number of 38 digits and zeros", number(&format!("{}00", digits(38)))),
        (true, "a number below 10 to the 126th", number("9.9e125")),
        (false, "a number of 10 to the 126th", number("1e126")),
        (
            false,
            "a nested number of 39 digits",
            put(&row("a", json!({ "L": [{ "N": digits(39) }] }))),
        ),
        (true, "an expression of 4 KB", update_of(4096)),
        (false, "an expression of 4 KB and a byte", update_of(4097)),
        (true, "values 31 deep", put(&row("a", nested(31)))),
        (false, "values 34 deep", put(&row("a", nested(34)))),
        (
            false,
            "a name that no expression uses",
            update("ADD #a :one".to_owned(), json!({ "#a": "a", "#b": "b" }), one()),
        ),
        (
            false,
            "an update of the key",
            update("SET #a = :one".to_owned(), json!({ "#a": "SK" }), one()),
        ),
        (
            false,
            "a name without a value",
            update("SET #a = :other".to_owned(), json!({ "#a": "a" }), one()),
        ),
        (true, "a limit of one", query(1)),
        (false, "a limit of none", query(0)),
        (true, "100 rows at once", batch(0..100)),
        (false, "101 rows at once", batch(0..101)),
        (false, "one row twice at once", batch([1, 1].into_iter())),
        (true, "a token of 36 characters", with_token),
        (false, "a token of 37 characters", with_long_token),
    ]
}

#[tokio::test]
async fn the_engines_have_the_same_limits() {
    let mut pair = Pair::start(AT_LIMITS).await;
    let mut wrong = Vec::new();
    for (within, name, request) in cases() {
        let answer = pair.ask(name, &request).await;
        // The embedded engine has no limit here, as the table of known differences says.
        let unlimited = external().is_none() && name.contains("key of an index of");
        if !unlimited && (answer.status == 200) != within {
            wrong.push(format!("{name}: {answer:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    pair.check();
    check_seen(AT_LIMITS, &pair.seen);
}
