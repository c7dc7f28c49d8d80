//! Bad input gets an error that names the field and the rule, and changes nothing.

use axum::{
    body::Body,
    http::{Method, header},
};
use fracti_http::openapi;
use serde_json::{Value, json};

use crate::harness::{Group, Reply};

/// A request: method and path with `G` for the group, `E` for its expense and `S` for its
/// settlement, and body.
struct Sent(String, String);

/// A request with its refusal: status, code, and the path and the message of its first mistake.
struct Case {
    sent: Sent,
    refusal: (u16, &'static str),
    path: &'static str,
    rule: &'static str,
}

fn at(endpoint: &str, body: impl Into<String>) -> Sent {
    Sent(endpoint.to_owned(), body.into())
}

impl Sent {
    /// The field at `path` is refused by the `rule`.
    fn refuses(self, path: &'static str, rule: &'static str) -> Case {
        Case { sent: self, refusal: (400, INVALID), path, rule }
    }

    /// The request is refused as a whole.
    fn answers(self, status: u16, code: &'static str, rule: &'static str) -> Case {
        Case { sent: self, refusal: (status, code), path: "", rule }
    }
}

fn get(path: &str) -> Sent {
    Sent(format!("GET {path}"), String::new())
}

/// An expense of 100 EUR with further fields.
fn expense(fields: &str) -> Sent {
    at(EXPENSES, format!(r#"{{"amount":100,"description":"Dinner",{fields}}}"#))
}

fn amount(amount: &str) -> Sent {
    at(EXPENSES, format!(r#"{{"description":"Dinner","amount":{amount}}}"#))
}

fn described(description: &str) -> Sent {
    at(EXPENSES, json!({ "amount": 1, "description": description }).to_string())
}

fn titled(title: &str) -> Sent {
    at(GROUPS, json!({ "title": title, "chatId": 1 }).to_string())
}

fn wallet(wallet: &str) -> Sent {
    at(WALLET, json!({ "wallet": wallet }).to_string())
}

fn settlement(fields: &str) -> Sent {
    at(SETTLEMENTS, format!(r#"{{"toId":"2","amount":1,{fields}}}"#))
}

const INVALID: &str = "VALIDATION_ERROR";
const GROUPS: &str = "POST /api/groups";
const EXPENSES: &str = "POST /api/groups/G/expenses";
const SETTLEMENTS: &str = "POST /api/groups/G/settlements";
const SETTLEMENT: &str = "PUT /api/groups/G/settlements/S";
const WALLET: &str = "PUT /api/groups/G/wallet";
const JOIN: &str = "POST /api/groups/G/join";
const MEMBERS: &str = "POST /api/groups/G/members";
const GROUP: &str = "PATCH /api/groups/G";
const MEMBER: &str = "POST /api/groups/G/members/2/restore";
const RESTORE: &str = "POST /api/groups/G/expenses/E/restore";
const PUSH: &str = "POST /api/groups/G/ledger/entries";
/// A mistyped address, and one of the test network.
const MISTYPED: &str = "EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHG";
const TESTNET: &str = "kQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPgpP";

#[expect(clippy::too_many_lines, reason = "a table")]
fn rows() -> Vec<Case> {
    let notes = |notes: &str| expense(&format!(r#""notes":{}"#, json!(notes)));
    let shares = |count: usize| {
        let splits: Vec<_> = (1..=count).map(|id| json!({ "userId": id.to_string() })).collect();
        expense(&format!(r#""splits":{}"#, json!(splits)))
    };
    let exact = |a: &str, b: &str| {
        expense(&format!(
            r#""splitType":"exact","splits":[{{"userId":"1","amount":{a}}},{{"userId":"2","amount":{b}}}]"#
        ))
    };
    let percentage = |a: &str, b: &str| {
        expense(&format!(
            r#""splitType":"percentage","splits":[{{"userId":"1","percentage":{a}}},{{"userId":"2","percentage":{b}}}]"#
        ))
    };
    vec![
        // Amounts.
        amount("0").refuses("amount", "must not be 0"),
        amount("-0.00").refuses("amount", "must not be 0"),
        amount("-0.001").refuses("amount", "must have at most 2 decimals in EUR"),
        amount("-92233720368547758.08")
            .refuses("amount", "must be at least -92233720368547758.07 in EUR"),
        amount("0.001").refuses("amount", "must have at most 2 decimals in EUR"),
        amount("1e-3").refuses("amount", "must have at most 2 decimals in EUR"),
        amount("1e400").refuses("amount", "at most 38 digits"),
        amount("1e999999").refuses("amount", "at most 38 digits"),
        amount("92233720368547758.08").refuses("amount", "at most 92233720368547758.07"),
        amount("NaN").answers(400, "INVALID_JSON", "not JSON"),
        amount("Infinity").answers(400, "INVALID_JSON", "not JSON"),
        amount(r#""NaN""#).refuses("amount", "decimal digits"),
        amount(r#""ten""#).refuses("amount", "decimal digits"),
        amount(r#""""#).refuses("amount", "decimal digits"),
        amount(r#"" 5""#).refuses("amount", "decimal digits"),
        amount(r#""1,5""#).refuses("amount", "decimal digits"),
        amount("null").refuses("amount", "required"),
        amount("true").refuses("amount", "decimal digits"),
        amount("[1]").refuses("amount", "decimal digits"),
        at(EXPENSES, r#"{"description":"x"}"#).refuses("amount", "required"),
        at(EXPENSES, r#"{"amount":1.5,"description":"x","currency":"JPY"}"#)
            .refuses("amount", "must have at most 0 decimals in JPY"),
        at(EXPENSES, r#"{"amount":1e-10,"description":"x","currency":"TON"}"#)
            .refuses("amount", "must have at most 9 decimals in TON"),
        // Splits.
        notes("").refuses("notes", "1 to 1000 characters"),
        notes(" \n").refuses("notes", "1 to 1000 characters"),
        notes("a\tb").refuses("notes", "other than a line break"),
        notes(&"x".repeat(1001)).refuses("notes", "1 to 1000 characters"),
        expense(r#""date":"2026-02-30""#).refuses("date", "2024-01-20"),
        expense(r#""date":20260101"#).refuses("date", "must be a string"),
        expense(r#""splits":[]"#).refuses("splits", "splits must not be empty"),
        expense(r#""splits":[{"userId":"1"},{"userId":"1"}]"#).refuses("splits[1].userId", "once"),
        expense(r#""splits":[{"userId":"1"},{"userId":"9"}]"#)
            .refuses("splits[1].userId", "must be the id of a member"),
        expense(r#""splits":[{"amount":1}]"#).refuses("splits[0].userId", "required"),
        expense(r#""splits":[{"userId":1}]"#).refuses("splits[0].userId", "must be a string"),
        expense(r#""splits":[{"userId":"1#2"}]"#).refuses("splits[0].userId", "Telegram id"),
        expense(r#""splits":{"userId":"1"}"#).refuses("splits", "splits must be an array"),
        expense(r#""splits":["1"]"#).refuses("splits[0]", "must be a JSON object"),
        expense(r#""splitType":"half""#).refuses("splitType", "equal, exact, percentage"),
        expense(r#""splitType":"exact""#).refuses("splits", "required"),
        expense(r#""splitType":"percentage""#).refuses("splits", "required"),
        expense(r#""splitType":"exact","splits":[{"userId":"1"}]"#)
            .refuses("splits[0].amount", "required"),
        expense(r#""splitType":"percentage","splits":[{"userId":"1"}]"#)
            .refuses("splits[0].percentage", "required"),
        exact("50", "50.01")
            .refuses("splits", "the amounts sum to 100.01, 0.01 more than the amount"),
        exact("50", "49.5").refuses("splits", "the amounts sum to 99.5, 0.5 less than the amount"),
        exact("-1", "101").refuses("splits[0].amount", "must not be negative"),
        exact("50", "50.001").refuses("splits[1].amount", "must have at most 2 decimals in EUR"),
        exact("50", "1e30").refuses("splits[1].amount", "at most"),
        percentage("49.99", "50")
            .refuses("splits", "the percentages sum to 99.99, 0.01 less than 100"),
        percentage("50.01", "50")
            .refuses("splits", "the percentages sum to 100.01, 0.01 more than 100"),
        percentage("33.33333", "66.66667").refuses("splits[0].percentage", "at most 4 decimals"),
        percentage("-50", "150").refuses("splits[0].percentage", "must not be negative"),
        percentage("1e30", "50").refuses("splits", "more than 100"),
        // The members of a split are checked before their number.
        shares(46).refuses("splits[2].userId", "must be the id of a member"),
        // Other fields of an expense.
        expense(r#""currency":"XYZ""#).refuses("currency", "ISO 4217"),
        expense(r#""currency":"usd""#).refuses("currency", "in capitals"),
        expense(r#""currency":"XAU""#).refuses("currency", "ISO 4217"),
        expense(r#""currency":"""#).refuses("currency", "ISO 4217"),
        expense(r#""currency":7"#).refuses("currency", "must be a string"),
        expense(r#""category":"drinks""#).refuses("category", "one of food"),
        expense(r#""payerId":"9""#).refuses("payerId", "must be the id of a member"),
        expense(r#""payerId":"0""#).refuses("payerId", "Telegram id"),
        expense(r#""payerId":"""#).refuses("payerId", "Telegram id"),
        described("").refuses("description", "1 to 200 characters"),
        described("   ").refuses("description", "1 to 200 characters"),
        described(&"x".repeat(201)).refuses("description", "1 to 200 characters"),
        described("a\u{7}b").refuses("description", "control character"),
        at(EXPENSES, r#"{"amount":1}"#).refuses("description", "required"),
        at(EXPENSES, r#"{"amount":1,"description":"\ud800"}"#).answers(
            400,
            "INVALID_JSON",
            "not JSON",
        ),
        // Bodies.
        at(EXPENSES, "").answers(400, "INVALID_JSON", "not JSON"),
        at(EXPENSES, "{").answers(400, "INVALID_JSON", "not JSON"),
        at(EXPENSES, "amount=1").answers(400, "INVALID_JSON", "not JSON"),
        at(EXPENSES, r#"{"amount":1,"description":"x"} x"#).answers(
            400,
            "INVALID_JSON",
            "not JSON",
        ),
        at(EXPENSES, "[".repeat(10_000)).answers(400, "INVALID_JSON", "not JSON"),
        at(EXPENSES, "[]").refuses("body", "the body must be a JSON object"),
        at(EXPENSES, "null").refuses("body", "the body must not be null"),
        at(EXPENSES, "7").refuses("body", "the body must be a JSON object"),
        at(EXPENSES, r#"{"amount":1,"amount":2,"description":"x"}"#)
            .refuses("amount", "amount must be given only once"),
        at(EXPENSES, r#"[1,"x",null,null,[["1000",null,null]],null,null]"#)
            .refuses("body", "must be a JSON object"),
        expense(r#""splits":[["1",null,null]]"#).refuses("splits[0]", "must be a JSON object"),
        at(GROUPS, r#"["x",5,null]"#).refuses("body", "must be a JSON object"),
        at(SETTLEMENTS, r#"["2",1,null,null,null]"#).refuses("body", "must be a JSON object"),
        at(SETTLEMENT, r#"["failed",null]"#).refuses("body", "must be a JSON object"),
        at(WALLET, "[null]").refuses("body", "must be a JSON object"),
        at(JOIN, "[null]").refuses("body", "must be a JSON object"),
        at(RESTORE, "[]").refuses("body", "must be a JSON object"),
        at(PUSH, r#"[["a",[["1",null,1],["2",null,-1]],null,null]]"#)
            .refuses("[0]", "must be a JSON object"),
        // Unknown fields.
        at(GROUPS, r#"{"title":"x","chatId":1,"theme":"dark"}"#)
            .refuses("theme", "known fields are title, chatId, currency"),
        expense(r#""paidBy":[{"userId":"2","amount":100}]"#)
            .refuses("paidBy", "unknown field paidBy"),
        expense(r#""Amount":1"#).refuses("Amount", "unknown field Amount"),
        expense(r#""__proto__":{"amount":9}"#).refuses("__proto__", "unknown field"),
        expense(r#""paymentType":"TON""#).refuses("paymentType", "unknown field"),
        expense(r#""splits":[{"userId":"1","share":2}]"#).refuses(
            "splits[0].share",
            "known fields are userId, amount, percentage, weight, adjustment",
        ),
        settlement(r#""status":"completed""#).refuses("status", "unknown field"),
        at(SETTLEMENT, r#"{"status":"failed","toId":"2"}"#)
            .refuses("toId", "known fields are status"),
        at(WALLET, format!(r#"{{"wallet":"0:{}","x":1}}"#, "a".repeat(64)))
            .refuses("x", "known fields are wallet"),
        at(GROUP, "{}").refuses("title",
            "title, currency, archived, categories or defaultSplits is required"),
        at(GROUP, r#"{"title":"x","chatId":1}"#).refuses("chatId", "known fields are title"),
        at(GROUP, r#"{"title":" "}"#).refuses("title", "must have 1 to 100"),
        at(GROUP, r#"{"currency":"XXX"}"#).refuses("currency", "must be"),
        at(GROUP, r#"{"archived":"true"}"#).refuses("archived", "true or false"),
        at(GROUP, r#"{"archived":1}"#).refuses("archived", "true or false"),
        at(MEMBER, r#"{"name":"B"}"#).refuses("name", "this object has no fields"),
        at("DELETE /api/groups/G/members/0", "").refuses("memberId", "member's id"),
        at(JOIN, r#"{"name":"Eve"}"#).refuses("name", "known fields are wallet"),
        at(RESTORE, r#"{"amount":1}"#)
            .refuses("amount", "unknown field amount; this object has no fields"),
        // The fields of the public Mini App.
        settlement(r#""paymentType":"EUR""#).refuses("paymentType", "TON, USDT"),
        settlement(r#""paymentType":"TON","currency":"EUR""#)
            .refuses("paymentType", "the same as currency"),
        settlement(r#""recipientWallet":7"#).refuses("recipientWallet", "must be a string"),
        described(&"x".repeat(65 * 1024)).answers(413, "PAYLOAD_TOO_LARGE", "64 KiB"),
        // Groups.
        titled("").refuses("title", "1 to 100 characters"),
        titled(" \u{3000}").refuses("title", "not all of them blank"),
        titled(&"x".repeat(101)).refuses("title", "1 to 100 characters"),
        titled(&"🏔".repeat(101)).refuses("title", "1 to 100 characters"),
        titled("two\nlines").refuses("title", "control character"),
        at(GROUPS, r#"{"chatId":1}"#).refuses("title", "required"),
        at(GROUPS, r#"{"title":"x"}"#).refuses("chatId", "required"),
        at(GROUPS, r#"{"title":"x","chatId":1.5}"#).refuses("chatId", "whole number"),
        at(GROUPS, r#"{"title":"x","chatId":"my chat"}"#).refuses("chatId", "whole number"),
        at(GROUPS, r#"{"title":"x","chatId":""}"#).refuses("chatId", "1 to 64 characters"),
        at(GROUPS, r#"{"title":"x","chatId":true}"#).refuses("chatId", "whole number"),
        at(GROUPS, r#"{"title":"x","chatId":[1]}"#).refuses("chatId", "whole number"),
        at(GROUPS, r#"{"title":"x","chatId":1e30}"#).refuses("chatId", "whole number"),
        at(GROUPS, r#"{"title":"x","chatId":1,"currency":"EURO"}"#).refuses("currency", "ISO 4217"),
        // Wallets.
        wallet("").refuses("wallet", "TON address"),
        wallet(MISTYPED).refuses("wallet", "checksum"),
        wallet(TESTNET).refuses("wallet", "test network"),
        wallet(&MISTYPED[..47]).refuses("wallet", "48 characters"),
        wallet("EQBvI0aFLnw2XHNc7mpXc...").refuses("wallet", "TON address"),
        wallet(&format!("0:{}", "z".repeat(64))).refuses("wallet", "TON address"),
        at(WALLET, "{}").refuses("wallet", "required"),
        at(JOIN, r#"{"wallet":"x"}"#).refuses("wallet", "TON address"),
        // Guests.
        at(MEMBERS, "{}").refuses("name", "required"),
        at(MEMBERS, r#"{"name":7}"#).refuses("name", "string"),
        at(MEMBERS, r#"{"name":""}"#).refuses("name", "1 to 100 characters"),
        at(MEMBERS, r#"{"name":" \u200b"}"#).refuses("name", "1 to 100 characters"),
        at(MEMBERS, r#"{"name":"a\nb"}"#).refuses("name", "control character"),
        at(MEMBERS, json!({ "name": "x".repeat(101) }).to_string())
            .refuses("name", "1 to 100 characters"),
        at(MEMBERS, r#"{"name":"a"}"#).answers(409, "NAME_TAKEN", "another name"),
        at("POST /api/groups/G/members/x/link", "{}").refuses("memberId", "guest- and a UUID"),
        at("PATCH /api/groups/G/members/x", r#"{"name":"x"}"#)
            .refuses("memberId", "guest- and a UUID"),
        // Settlements.
        settlement(r#""txHash":"abc""#).refuses("txHash", "64 hexadecimal digits"),
        settlement(&format!(r#""txHash":"{}""#, "g".repeat(64)))
            .refuses("txHash", "64 hexadecimal digits"),
        settlement(r#""txHash":"a1b2c3d4e5f6...""#).refuses("txHash", "64 hexadecimal digits"),
        settlement(r#""currency":"???""#).refuses("currency", "ISO 4217"),
        at(SETTLEMENTS, r#"{"toId":"1","amount":1,"fromId":"9"}"#)
            .refuses("fromId", "must be the id of a member"),
        at(SETTLEMENTS, r#"{"toId":"9","amount":1}"#).refuses("toId", "must be the id of a member"),
        at(SETTLEMENTS, r#"{"toId":"1","amount":1}"#).refuses("toId", "toId must not be the payer"),
        at(SETTLEMENTS, r#"{"amount":1}"#).refuses("toId", "required"),
        at(SETTLEMENTS, r#"{"toId":"2"}"#).refuses("amount", "required"),
        at(SETTLEMENTS, r#"{"toId":"2","amount":-1}"#).refuses("amount", "above zero"),
        at(SETTLEMENTS, r#"{"toId":"2","amount":0.005}"#)
            .refuses("amount", "must have at most 2 decimals in EUR"),
        at(SETTLEMENT, "{}").refuses("status", "required"),
        at(SETTLEMENT, r#"{"status":"paid"}"#).refuses("status", "pending, completed, failed"),
        at(SETTLEMENT, r#"{"txHash":"0x1"}"#).refuses("txHash", "64 hexadecimal digits"),
        // Paths.
        get("/api/groups/abc").refuses("groupId", "UUID"),
        get("/api/groups/%00").refuses("groupId", "UUID"),
        get("/api/groups/%FF").refuses("groupId", "groupId must be UTF-8"),
        get("/api/groups/G/expenses/1").refuses("expenseId", "UUID"),
        at("DELETE /api/groups/G/expenses/G%23", "").refuses("expenseId", "UUID"),
        get("/api/groups/G/settlements/E%20").refuses("settlementId", "UUID"),
        get("/api/groups/G/settlements/E").answers(404, "SETTLEMENT_NOT_FOUND", ""),
        get("/api/groups/G/expenses?limit=0").refuses("limit", "1 to 100"),
        get("/api/groups/G/expenses?limit=101").refuses("limit", "1 to 100"),
        get("/api/groups/G/expenses?limit=abc").refuses("limit", "1 to 100"),
        get("/api/groups/G/expenses?limit=%2B5").refuses("limit", "1 to 100"),
        get("/api/groups/G/expenses?limit=5&limit=6")
            .refuses("limit", "limit must be given only once"),
        get("/api/groups/G/expenses?from=2026-2-3").refuses("from", "2024-01-20"),
        get("/api/groups/G/expenses?to=today").refuses("to", "2024-01-20"),
        get("/api/groups/G/expenses?from=2026-02-02&to=2026-02-01")
            .refuses("from", "from must not be after to"),
        get("/api/groups/G/expenses?category=Wine").refuses("category", "food"),
        get("/api/groups/G/expenses?payerId=me").refuses("payerId", "guest"),
        get("/api/groups/G/expenses?memberId=0").refuses("memberId", "guest"),
        get("/api/groups/G/expenses?q=").refuses("q", "1 to 50 characters"),
        get("/api/users/me/activity?limit=-1").refuses("limit", "1 to 100"),
        get("/api/users/me/activity?cursor=x").answers(400, "INVALID_CURSOR", "cursor"),
        get("/api/groups/G/expenses?offset=2").refuses(
            "offset",
            "known parameters are limit, cursor, payerId, from, to, category, memberId, q, order, deleted, amounts",
        ),
        get("/api/groups/G/expenses?limit=2&Limit=2").refuses("Limit", "unknown parameter"),
        get("/api/users/me?limit=2").refuses("limit", "known parameters are amounts"),
        get("/api/groups/G?=x").refuses("query", "unknown parameter"),
        get("/api/groups/G?amounts=words").refuses("amounts", "number, text"),
        get("/api/groups/G?amounts=text&amounts=text").refuses("amounts", "only once"),
        get("/api/groups/G/ledger/entries/%F0%9F").refuses("entryId", "entryId must be UTF-8"),
        get("/api/groups/%FF/expenses/E").refuses("groupId", "groupId must be UTF-8"),
        get("/").answers(404, "ROUTE_NOT_FOUND", ""),
        get("/api/nothing").answers(404, "ROUTE_NOT_FOUND", ""),
        get("/api/groups/").answers(404, "ROUTE_NOT_FOUND", ""),
        get("/api//groups").answers(404, "ROUTE_NOT_FOUND", ""),
        at("DELETE /api/groups", "").answers(405, "METHOD_NOT_ALLOWED", ""),
        at("PATCH /api/groups/G/expenses/E", "").answers(405, "METHOD_NOT_ALLOWED", ""),
        at("PATCH /api/groups/G/settlements/S", "").answers(405, "METHOD_NOT_ALLOWED", ""),
        at("POST /api/users/me", "").answers(405, "METHOD_NOT_ALLOWED", ""),
    ]
}

/// Weights, adjustments and the lines of a receipt.
fn of_splits() -> Vec<Case> {
    let of = |split_type: &str, fields: Value| {
        let mut body = json!({ "amount": 100, "description": "x", "splitType": split_type });
        body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        at(EXPENSES, body.to_string())
    };
    let one = |split_type: &str, field: &str, input: Value| {
        let mut split = json!({ "userId": "1" });
        split[field] = input;
        let other = match split_type {
            "shares" => json!({ "userId": "2", "weight": 1 }),
            _ => json!({ "userId": "2" }),
        };
        of(split_type, json!({ "splits": [split, other] }))
    };
    let weight = |weight: Value| one("shares", "weight", weight);
    let adjustment = |adjustment: Value| one("adjustment", "adjustment", adjustment);
    vec![
        of("shares", json!({})).refuses("splits", "required"),
        of("shares", json!({ "splits": [{ "userId": "1" }] }))
            .refuses("splits[0].weight", "required"),
        weight(json!(-1)).refuses("splits[0].weight", "must not be negative"),
        one("equal", "weight", json!(1)).refuses("splits[0].weight", "only with splitType shares"),
        one("equal", "adjustment", json!(1))
            .refuses("splits[0].adjustment", "splitType adjustment"),
        one("adjustment", "percentage", json!(1))
            .refuses("splits[0].percentage", "splitType percentage"),
        one("percentage", "amount", json!(1))
            .refuses("splits[0].amount", "only with splitType exact"),
        expense(r#""splits":[{"userId":"1","amount":40},{"userId":"2","amount":60}]"#)
            .refuses("splits[0].amount", "only with splitType exact"),
        weight(json!("0.00001")).refuses("splits[0].weight", "must have at most 4 decimals"),
        weight(json!("10000.0001")).refuses("splits[0].weight", "must be at most 10000"),
        of("shares", json!({ "splits": [{ "userId": "1", "weight": 0 }] }))
            .refuses("splits", "weights must not all be 0"),
        adjustment(json!(130))
            .refuses("splits", "the adjustments sum to 130, 30 more than the amount"),
        adjustment(json!("-100.01")).refuses("splits[0].adjustment", "A's share would be negative"),
        adjustment(json!("0.001")).refuses("splits[0].adjustment", "must have at most 2 decimals"),
        of("equal", json!({ "items": [{ "name": "x" }] }))
            .refuses("items", "only with splitType itemized"),
    ]
}

/// The lines of a receipt of 100 EUR.
#[expect(clippy::too_many_lines, reason = "a case each")]
fn of_lines() -> Vec<Case> {
    let items = |items: Value| {
        let body =
            json!({ "amount": 100, "description": "x", "splitType": "itemized", "items": items });
        at(EXPENSES, body.to_string())
    };
    // A line beside an item that takes the rest.
    let line = |fields: Value| {
        let mut line = json!({ "name": "x", "amount": 1 });
        line.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        items(json!([{ "name": "rest" }, line]))
    };
    let tax = |fields: Value| {
        let mut tax = json!({ "kind": "tax" });
        tax.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        line(tax)
    };
    let sharer = |fields: Value| line(json!({ "sharers": [{ "userId": "1" }, fields] }));
    let many = |count: usize, line: Value| {
        items(std::iter::once(json!({ "name": "rest" })).chain(vec![line; count]).collect())
    };
    let without_amount = |items: Value| {
        let body = json!({ "description": "x", "splitType": "itemized", "items": items });
        at(EXPENSES, body.to_string())
    };
    let wrong_lines = [
        items(Value::Null).refuses("items", "required"),
        items(json!([])).refuses("items", "must not be empty"),
        many(100, json!({ "name": "x", "amount": 0 })).refuses("items", "at most 100 items"),
        many(21, json!({ "kind": "fee", "name": "x", "amount": 0 }))
            .refuses("items", "at most 20 lines of other kinds"),
        items(json!([{ "kind": "fee", "name": "x" }]))
            .refuses("items", "at least one line of kind item"),
        items(json!([{ "name": "x", "amount": 99.9 }]))
            .refuses("items", "the lines sum to 99.9, 0.1 less than the amount"),
        items(json!([{ "name": "x", "amount": 101 }, { "name": "y" }]))
            .refuses("items", "the lines sum to 101, 1 more than the amount"),
        without_amount(
            json!([{ "name": "x", "amount": 1 }, { "kind": "discount", "name": "y", "amount": 1 }]),
        )
        .refuses("items", "discounts must be less than the other lines together"),
        without_amount(json!([{ "name": "x" }])).refuses("amount", "required"),
        without_amount(json!([{ "name": "x", "amount": 0 }])).refuses("amount", "must not be 0"),
        line(json!({ "kind": "drink" })).refuses("items[1].kind", "item, tax, tip, fee, discount"),
        line(json!({ "name": " " })).refuses("items[1].name", "1 to 100 characters"),
        line(json!({ "name": null })).refuses("items[1].name", "required"),
        line(json!({ "amount": -1 })).refuses(
            "items[1].amount",
            "must not be negative: what is taken off is a line of kind discount, with a positive \
             amount",
        ),
        without_amount(json!([{ "name": "deposit", "amount": -1 }, { "name": "x", "amount": 2 }]))
            .refuses(
                "items[0].amount",
                "must not be negative: what is taken off is a line of kind",
            ),
        items(json!([{ "name": "x", "amount": 9 },
            { "kind": "discount", "name": "y", "rest": true, "amount": 1 }]))
        .refuses("items[1].rest", "must not be on a line of kind discount"),
        line(json!({ "amount": "0.001" }))
            .refuses("items[1].amount", "must have at most 2 decimals"),
        line(json!({ "amount": null }))
            .refuses("items[1].amount", "only one line may take the rest"),
        line(json!({ "amount": null, "rest": false })).refuses("items[1].amount", "required"),
        line(json!({ "rest": true })).refuses("items[1].rest", "only one line may take the rest"),
        line(json!({ "rest": "true" })).refuses("items[1].rest", "must be true or false"),
        tax(json!({ "amount": null }))
            .refuses("items[1].amount", "only one line may take the rest"),
        line(json!({ "quantity": 0 })).refuses("items[1].quantity", "must be above zero"),
        line(json!({ "quantity": "0.0001" })).refuses("items[1].quantity", "at most 3 decimals"),
        line(json!({ "quantity": 10_001 })).refuses("items[1].quantity", "must be at most 10000"),
        line(json!({ "price": -1 })).refuses("items[1].price", "must not be negative"),
    ];
    let wrong_sharers = [
        line(json!({ "sharers": [] })).refuses("items[1].sharers", "must not be empty"),
        sharer(json!({ "userId": "9" }))
            .refuses("items[1].sharers[1].userId", "must be the id of a member"),
        sharer(json!({ "userId": "1" }))
            .refuses("items[1].sharers[1].userId", "only once in sharers"),
        sharer(json!({ "userId": "2", "weight": -1 }))
            .refuses("items[1].sharers[1].weight", "must not be negative"),
        sharer(json!({ "userId": "2", "weight": "1000000000.1" }))
            .refuses("items[1].sharers[1].weight", "must be at most 1000000000"),
        line(json!({ "sharers": [{ "userId": "1", "weight": 0 }] }))
            .refuses("items[1].sharers", "weights must not all be 0"),
        line(json!({ "over": [0] }))
            .refuses("items[1].over", "must not be given for a line of kind item"),
        line(json!({ "split": "equal" }))
            .refuses("items[1].split", "must not be given for a line of kind item"),
        tax(json!({ "sharers": [{ "userId": "1" }], "over": [0] }))
            .refuses("items[1].over", "must not be given beside sharers"),
        tax(json!({ "over": [1] })).refuses("items[1].over[0]", "index of a line of kind item"),
        tax(json!({ "over": [100] })).refuses("items[1].over[0]", "index of a line of kind item"),
        tax(json!({ "over": [0, 0] })).refuses("items[1].over[1]", "must not repeat an index"),
        tax(json!({ "over": ["0"] })).refuses("items[1].over[0]", "must be a whole number"),
        tax(json!({ "split": "half" })).refuses("items[1].split", "proportional, equal"),
        items(json!([
            { "name": "free", "amount": 0 }, { "name": "rest" },
            { "kind": "tax", "name": "x", "amount": 1, "over": [0] },
        ]))
        .refuses("items[2]", "the lines it applies to sum to 0"),
        items(json!([
            { "name": "rest", "sharers": [{ "userId": "1" }] },
            { "kind": "discount", "name": "x", "amount": 1, "sharers": [{ "userId": "2" }] },
        ]))
        .refuses("items", "B's share would be negative"),
    ];
    wrong_lines.into_iter().chain(wrong_sharers).collect()
}

/// Edits. Alice (1) paid 9 EUR for herself and Bob (2).
fn of_edits() -> Vec<Case> {
    let edit = |body: Value| at("PUT /api/groups/G/expenses/E", body.to_string());
    vec![
        edit(json!({ "amount": 0 })).refuses("amount", "must not be 0"),
        edit(json!({ "amount": "0.001" })).refuses("amount", "must have at most 2 decimals in EUR"),
        edit(json!({ "amount": 4.5, "currency": "JPY" }))
            .refuses("amount", "must have at most 0 decimals in JPY"),
        edit(json!({ "description": " " })).refuses("description", "1 to 200"),
        edit(json!({ "payerId": "9" })).refuses("payerId", "must be the id of a member"),
        edit(json!({ "currency": "eur" })).refuses("currency", "in capitals"),
        edit(json!({ "category": "fun" })).refuses("category", "one of food"),
        edit(json!({ "splitType": "half" })).refuses("splitType", "one of equal"),
        edit(json!({ "splitType": "percentage" })).refuses("splits[0].percentage", "required"),
        edit(json!({ "splits": [] })).refuses("splits", "splits must not be empty"),
        edit(json!({ "splits": [{ "userId": "1", "amount": 4 }, { "userId": "2", "amount": 5 }] }))
            .refuses("splits[0].amount", "only with splitType exact"),
        edit(json!({ "splits": [{ "userId": "9" }] }))
            .refuses("splits[0].userId", "must be the id of a member"),
        edit(json!({ "splits": [{ "amount": 1 }] })).refuses("splits[0].userId", "required"),
        edit(json!({ "amount": 8, "splitType": "exact" })).refuses("splits", "splits is required"),
    ]
}

/// The ledger.
fn of_the_ledger() -> Vec<Case> {
    let push = |body: Value| at(PUSH, body.to_string());
    let adjust = |changes: Value| push(json!([{ "entryId": "a", "changes": changes }]));
    let change = |user: &str, amount: &str| json!({ "userId": user, "amount": amount });
    let revert = |body: Value| at("DELETE /api/groups/G/ledger/entries", body.to_string());
    let zero = "sum to zero";
    let even = || json!([change("1", "1"), change("2", "-1")]);
    vec![
        push(json!([])).refuses("body", "the body must not be empty"),
        push(json!({})).refuses("entries", "required"),
        push(json!({ "entries": null })).refuses("entries", "required"),
        push(json!({ "entries": [] })).refuses("entries", "must not be empty"),
        push(json!("all")).refuses("body", "the body must be a JSON object"),
        push(json!([{ "changes": even() }])).refuses("[0].entryId", "required"),
        push(json!({ "entries": [{ "changes": even() }] }))
            .refuses("entries[0].entryId", "required"),
        push(json!([{ "entryId": "x".repeat(65), "changes": even() }]))
            .refuses("[0].entryId", "1 to 64"),
        push(json!([{ "entryId": "a\u{0}", "changes": even() }])).refuses("[0].entryId", "control"),
        push(json!([{ "entryId": "revert", "changes": even() }]))
            .refuses("[0].entryId", "which is reserved"),
        push(json!([{ "entryId": "a" }])).refuses("[0].changes", "required"),
        push(json!([{ "entryId": "a", "changes": even(), "note": "" }]))
            .refuses("[0].note", "1 to 200"),
        adjust(json!([])).refuses("[0].changes", "changes must not be empty"),
        adjust(json!([change("1", "1")])).refuses("[0].changes", zero),
        adjust(json!([change("1", "1"), change("2", "-0.99")]))
            .refuses("[0].changes", "not to 0.01"),
        adjust(json!([change("1", "0"), change("2", "0")]))
            .refuses("[0].changes[0].amount", "amount must not be zero"),
        adjust(json!([change("1", "1"), change("1", "-1")]))
            .refuses("[0].changes[1].userId", "once"),
        adjust(json!([change("9", "1"), change("1", "-1")]))
            .refuses("[0].changes[0].userId", "member"),
        adjust(json!([change("1", "0.001")]))
            .refuses("[0].changes[0].amount", "at most 2 decimals"),
        adjust(json!([change("1", "x")])).refuses("[0].changes[0].amount", "decimal digits"),
        adjust(json!([{ "userId": "1" }])).refuses("[0].changes[0].amount", "required"),
        adjust(json!([{ "amount": 1 }, change("2", "-1")]))
            .refuses("[0].changes[0].userId", "required"),
        adjust(json!([change("1", "1"), { "userId": "2", "amount": -1, "currency": "TON" }]))
            .refuses("[0].changes", zero),
        push(json!([{ "entryId": "a", "changes": even(), "condition": { "userId": "1" } }]))
            .refuses("[0].condition.balanceAtLeast", "required"),
        push(json!([{ "entryId": "a", "changes": even(),
                "condition": { "userId": "9", "balanceAtLeast": 0 } }]))
        .refuses("[0].condition.userId", "member"),
        // One invalid entry stops the valid ones.
        push(json!([
            { "entryId": "a", "changes": even() },
            { "entryId": "b", "changes": [change("1", "1")] },
        ]))
        .refuses("[1].changes", zero),
        revert(json!([])).refuses("body", "must not be empty"),
        revert(json!({ "entries": ["a"] })).refuses("entryIds", "required"),
        revert(json!(["a", ""])).refuses("[1]", "1 to 64"),
        push(json!({ "entries": [{ "entryId": "a", "changes": even(), "x": 1 }] }))
            .refuses("entries[0].x", "known fields are entryId"),
        push(json!({ "entries": [{ "entryId": "a", "changes": even() }], "x": 1 }))
            .refuses("x", "known fields are entries"),
        revert(json!({ "entryIds": ["a"], "force": true }))
            .refuses("force", "known fields are entryIds"),
        revert(json!([7])).refuses("[0]", "must be a string"),
    ]
}

/// The ledger's query parameters.
fn of_queries() -> Vec<Case> {
    vec![
        get("/api/groups/G/ledger/balance?at=yesterday").refuses("at", "RFC 3339"),
        get("/api/groups/G/ledger/balance?at=2026-01-01").refuses("at", "RFC 3339"),
        get("/api/groups/G/ledger/balance?userId=9")
            .refuses("userId", "must be the id of a member"),
        get("/api/groups/G/ledger/balance?userId=x").refuses("userId", "Telegram id"),
        get("/api/groups/G/ledger/entries?order=up").refuses("order", "one of asc, desc"),
        get("/api/groups/G/ledger/entries?from=x").refuses("from", "RFC 3339"),
        get("/api/groups/G/ledger/entries?to=2026-02-30")
            .refuses("to", "or a day, like 2024-01-20"),
        get("/api/groups/G/ledger/entries?to=2026-01-01&to=2026-01-02")
            .refuses("to", "to must be given only once"),
        get("/api/groups/G/ledger/entries?from=2026-01-02&to=2026-01-01")
            .refuses("from", "from must not be after to"),
        get("/api/groups/G/ledger/entries?limit=0").refuses("limit", "1 to 100"),
        get("/api/groups/G/ledger/days?from=2026-01-15T00:00:00Z").refuses("from", "a day"),
        get("/api/groups/G/ledger/days?from=2026-01-02&to=2026-01-01")
            .refuses("from", "from must not be after to"),
        get("/api/groups/G/stats?from=2026-2-3").refuses("from", "from must be a day"),
        get("/api/groups/G/stats?to=2026-02-30").refuses("to", "to must be a day"),
        get("/api/groups/G/stats?by=week").refuses("by", "by must be one of month, day"),
        get("/api/groups/G/stats?from=2026-01-02&to=2026-01-01")
            .refuses("from", "must not be after to"),
        get("/api/groups/G/stats?from=2025-01-01&to=2026-01-02").refuses("to", "at most 366 days"),
        get("/api/groups/G/stats?from=2026-02-01").refuses("from", "must not be after this month"),
        get("/api/groups/G/stats?to=2025-12-31").refuses("to", "must not be before this month"),
        get("/api/groups/G/debts?verify=yes").refuses("verify", "true"),
        get("/api/groups?archived=1").refuses("archived", "must be true or false"),
        get("/api/groups?chatId=a%20b").refuses("chatId", "without blanks"),
        get("/api/groups/G?include=future").refuses("include", "past"),
    ]
}

#[tokio::test]
async fn invalid_input_is_refused_by_field_and_writes_nothing() {
    let group = Group::new(2, "EUR").await;
    let expense = group.spend(0, json!({ "amount": 9 })).await["id"].as_str().unwrap().to_owned();
    let made = group.members[1]
        .post(&group.path("/settlements"), json!({ "toId": "1", "amount": 3 }))
        .await;
    let settlement = made.data(201)["id"].as_str().unwrap();
    let before = group.api.rows().await;
    let cases = [rows(), of_splits(), of_lines(), of_edits(), of_the_ledger(), of_queries()];
    assert!(cases.iter().map(Vec::len).sum::<usize>() >= 160);
    let mut wrong = Vec::new();
    for Case { sent: Sent(endpoint, body), refusal, path, rule } in cases.into_iter().flatten() {
        let (method, at) = endpoint.split_once(' ').unwrap();
        let at = at.replace("/G", &format!("/{}", group.id)).replace("/E", &format!("/{expense}"));
        let at = at.replace("/S", &format!("/{settlement}"));
        let request = group.members[0].request(method.parse().unwrap(), &at);
        let request = request.header(header::CONTENT_TYPE, "application/json");
        let shown: String = body.chars().take(200).collect();
        let reply = group.api.send(request.body(Body::from(body)).unwrap()).await;
        let detail = &reply.body["details"][0];
        let message = reply.body["message"].as_str().unwrap_or_default();
        // Each message is understandable without its path: it contains the rule, and the field or
        // what the field has.
        let field = path.rsplit('.').next().unwrap();
        let names: &[&str] = match field.split('[').next().unwrap() {
            "splits" => &[field, "amounts", "percentages", "weights", "adjustments"],
            "items" => &[field, "lines", "discounts", "share"],
            "adjustment" => &[field, "share"],
            "sharers" => &[field, "weights"],
            _ => &[field],
        };
        let complete = |it: &str| it.contains(rule) && names.iter().any(|name| it.contains(name));
        let named = path.is_empty() || detail["message"].as_str().is_some_and(complete);
        let message = message.to_lowercase();
        let rule = rule.to_lowercase();
        let right = reply.code() == refusal
            && detail["path"].as_str().unwrap_or_default() == path
            && named
            && message.contains(&rule)
            && reply.header("allow").is_some() == (refusal.0 == 405);
        if !right {
            wrong.push(format!("{endpoint} {shown} -> {}", reply.text));
        }
        assert_eq!(group.api.rows().await, before, "{endpoint} {shown}");
    }
    assert_eq!(wrong, [""; 0], "{wrong:#?}");
    group.verify().await;
}

/// The paths of the mistakes that are reported, in order.
fn paths(reply: &Reply) -> Vec<&str> {
    assert_eq!(reply.code(), (400, INVALID), "{}", reply.text);
    let details = reply.body["details"].as_array().unwrap();
    details.iter().map(|detail| detail["path"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn all_invalid_fields_are_reported_in_one_response() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let expense = group.spend(0, json!({ "amount": 9 })).await["id"].as_str().unwrap().to_owned();
    let before = group.api.rows().await;
    let rows: [(Method, &str, Value, &[&str]); 9] = [
        (Method::POST, "/expenses", json!({}), &["amount", "description"]),
        (
            Method::POST,
            "/expenses",
            json!({ "tip": 1, "category": "fun", "payerId": "9", "description": " ",
                "amount": 0.001 }),
            &["amount", "description", "payerId", "category", "tip"],
        ),
        // Checks that depend on an invalid field are skipped: the decimals of an unknown currency,
        // and the sum.
        (
            Method::POST,
            "/expenses",
            json!({ "amount": 0.001, "description": "x", "currency": "EURO", "splitType": "exact",
                "splits": [{ "userId": "9", "amount": "x" }, { "userId": "1" }, 7] }),
            &["splits[0].userId", "splits[0].amount", "splits[1].amount", "splits[2]", "currency"],
        ),
        (
            Method::POST,
            "/expenses",
            json!({ "amount": 10, "description": "x", "splitType": "exact",
                "splits": [{ "userId": "9", "amount": 6 }, { "userId": "1", "amount": 5 }] }),
            &["splits", "splits[0].userId"],
        ),
        (
            Method::PUT,
            "/expenses/E",
            json!({ "amount": 0, "payerId": "9", "splitType": "half",
                "splits": [{ "userId": "8" }] }),
            &["amount", "payerId", "splitType", "splits[0].userId"],
        ),
        (
            Method::POST,
            "/settlements",
            json!({ "toId": "1", "amount": 0, "currency": "?", "paymentType": "?", "txHash": "?" }),
            &["toId", "amount", "currency", "paymentType", "txHash"],
        ),
        (
            Method::POST,
            "/ledger/entries",
            json!({ "entries": [
                { "entryId": "",
                    "changes": [{ "userId": "9", "amount": 1 }, { "userId": "2", "amount": 0 }] },
                { "entryId": "b", "note": "", "changes": [], "condition": {} },
            ] }),
            &[
                "entries[0].entryId",
                "entries[0].changes",
                "entries[0].changes[0].userId",
                "entries[0].changes[1].amount",
                "entries[1].changes",
                "entries[1].note",
                "entries[1].condition.userId",
                "entries[1].condition.balanceAtLeast",
            ],
        ),
        (
            Method::GET,
            "/ledger/entries?order=up&x=1&limit=0&from=x&to=x",
            json!(null),
            &["limit", "from", "to", "order", "x"],
        ),
        (
            Method::GET,
            "/ledger/days?y=1&x=1&cursor=c&from=2026-01-15&to=2026-01-14",
            json!(null),
            &["from", "y", "x"],
        ),
    ];
    for (method, path, body, expected) in rows {
        let path = group.path(&path.replace("/E", &format!("/{expense}")));
        let reply = alice.call(method, &path, Some(&body)).await;
        assert_eq!(paths(&reply), expected, "{path} {body}: {}", reply.text);
        let first = reply.body["details"][0]["message"].as_str().unwrap();
        let message = reply.body["message"].as_str().unwrap();
        assert_eq!(message.to_lowercase(), format!("{}.", first.to_lowercase()), "{path}");
    }
    let many = json!({ "entries": vec![json!({ "entryId": "" }); 90] });
    let reply = alice.post(&group.path("/ledger/entries"), many).await;
    assert_eq!(paths(&reply).len(), 100);
    assert_eq!(group.api.rows().await, before);
}

#[tokio::test]
async fn expense_of_46_members_has_too_many_splits() {
    let group = Group::new(46, "EUR").await;
    let splits: Vec<_> = (1..=46).map(|id| json!({ "userId": id.to_string() })).collect();
    let before = group.api.rows().await;
    for body in [
        json!({ "amount": 1, "description": "x" }),
        json!({ "amount": 1, "description": "x", "splits": splits }),
    ] {
        let reply = group.members[0].post(&group.path("/expenses"), body.clone()).await;
        assert_eq!(reply.code(), (422, "TOO_MANY_SPLITS"), "{}", reply.text);
        assert_eq!(reply.body["details"][0]["path"], "splits");
        let mut wrong = body;
        wrong["amount"] = json!(0);
        let reply = group.members[0].post(&group.path("/expenses"), wrong).await;
        assert_eq!(paths(&reply), ["amount"]);
    }
    assert_eq!(group.api.rows().await, before);
}

#[tokio::test]
async fn every_route_refuses_unknown_and_repeated_parameters() {
    let group = Group::new(1, "EUR").await;
    let document: Value = serde_json::from_str(openapi::DOCUMENT).unwrap();
    let mut routes = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let method: Method = method.to_uppercase().parse().unwrap();
            let at = path.replace("{groupId}", &group.id).replace("{userId}", "me");
            let id = "0190a1b2-0000-7000-8000-000000000001";
            let at = at.split('/').map(|it| if it.starts_with('{') { id } else { it });
            let at = at.collect::<Vec<_>>().join("/");
            // A load balancer may add parameters to the requests by which it asks for health.
            if !operation["security"].is_null() {
                continue;
            }
            let reply =
                group.members[0].call(method.clone(), &format!("{at}?offset=2"), None).await;
            assert_eq!(paths(&reply), ["offset"], "{method} {path}");
            let rule = reply.body["details"][0]["message"].as_str().unwrap();
            let (_, known) = rule.split_once("known parameters are ").unwrap();
            let mut known: Vec<_> = known.split(", ").collect();
            let parameters = operation["parameters"].as_array().unwrap().iter();
            let parameters = parameters.map(|it| match it["$ref"].as_str() {
                Some(shared) => document.pointer(&shared[1..]).unwrap(),
                None => it,
            });
            let in_query = parameters.filter(|it| it["in"] == "query");
            let mut described: Vec<_> = in_query.map(|it| it["name"].as_str().unwrap()).collect();
            known.sort_unstable();
            described.sort_unstable();
            assert_eq!(known, described, "{method} {path}");
            routes += 1;
            // A repeated parameter is ambiguous.
            let twice = known.iter().map(|name| format!("{name}=1&{name}=1")).collect::<Vec<_>>();
            let reply =
                group.members[0].call(method, &format!("{at}?{}", twice.join("&")), None).await;
            let messages = reply.body["details"].as_array().unwrap().iter();
            assert!(
                messages.clone().all(|it| {
                    it["message"]
                        == format!("{} must be given only once", it["path"].as_str().unwrap())
                }),
                "{path}: {}",
                reply.text
            );
            assert_eq!(messages.count(), known.len(), "{path}: {}", reply.text);
        }
    }
    assert!(routes > 25, "{routes}");
}

#[tokio::test]
async fn body_without_json_content_type_is_refused() {
    let group = Group::new(1, "EUR").await;
    let body = r#"{"amount":1,"description":"x"}"#;
    for (content_type, status) in [
        (Some("application/json"), 201),
        (Some("application/json; charset=utf-8"), 201),
        (Some("Application/JSON"), 201),
        (Some("text/plain"), 415),
        (Some("application/x-www-form-urlencoded"), 415),
        (None, 415),
    ] {
        let mut request = group.members[0].request(Method::POST, &group.path("/expenses"));
        if let Some(content_type) = content_type {
            request = request.header(header::CONTENT_TYPE, content_type);
        }
        let reply = group.api.send(request.body(Body::from(body)).unwrap()).await;
        assert_eq!(reply.status, status, "{content_type:?}: {}", reply.text);
        if status == 415 {
            assert_eq!(reply.body["error"], "UNSUPPORTED_MEDIA_TYPE");
        }
    }
}

#[tokio::test]
async fn unusual_but_valid_input_is_accepted() {
    let group = Group::new(1, "EUR").await;
    let alice = &group.members[0];
    for description in
        ["🏔".repeat(200), "x".repeat(200), "#~|'\"\\{}<b>".to_owned(), "\u{202e}abc".to_owned()]
    {
        let made = alice
            .post(&group.path("/expenses"), json!({ "amount": 1, "description": description }))
            .await;
        assert_eq!(made.data(201)["description"], description);
    }
    let padding = 64 * 1024 - 60;
    let body = format!(r#"{{"amount":1,"description":"y"{}}}"#, " ".repeat(padding));
    alice.post_text(&group.path("/expenses"), &body).await.data(201);
    group.verify().await;
}

#[tokio::test]
async fn invalid_idempotency_keys_are_refused() {
    let group = Group::new(1, "EUR").await;
    let body = r#"{"amount":1,"description":"x"}"#;
    let long = "k".repeat(256);
    let longest = "k".repeat(255);
    let rows: [(&[&str], u16); 7] = [
        (&[""], 400),
        (&["a b"], 400),
        (&[&long], 400),
        (&["é"], 400),
        (&["a", "a"], 400),
        (&[&longest], 201),
        (&["~!#|"], 201),
    ];
    for (keys, status) in rows {
        let mut request = group.members[0].request(Method::POST, &group.path("/expenses"));
        for key in keys {
            request = request.header("idempotency-key", key.as_bytes());
        }
        let request = request.header(header::CONTENT_TYPE, "application/json");
        let reply = group.api.send(request.body(Body::from(body)).unwrap()).await;
        assert_eq!(reply.status, status, "{keys:?}: {}", reply.text);
        if status == 400 {
            assert_eq!(reply.body["details"][0]["path"], "Idempotency-Key");
        }
    }
}
