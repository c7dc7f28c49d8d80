//! Bad input gets an error that names the field and the rule, and changes nothing.

use axum::{
    body::Body,
    http::{Method, header},
};
use fracti_http::openapi;
use serde_json::{Value, json};

use crate::harness::{Group, Reply};

/// A request: method, path with `G` for the group, `E` for its expense and `S` for its settlement,
/// and body.
type Row = (&'static str, String, u16, &'static str, &'static str, &'static str);

/// An expense of 100 EUR with further fields.
fn expense(fields: &str) -> String {
    format!(r#"{{"amount":100,"description":"Dinner",{fields}}}"#)
}

fn amount(amount: &str) -> String {
    format!(r#"{{"description":"Dinner","amount":{amount}}}"#)
}

fn described(description: &str) -> String {
    json!({ "amount": 1, "description": description }).to_string()
}

fn titled(title: &str) -> String {
    json!({ "title": title, "chatId": 1 }).to_string()
}

fn wallet(wallet: &str) -> String {
    json!({ "wallet": wallet }).to_string()
}

fn settlement(fields: &str) -> String {
    format!(r#"{{"toId":"2","amount":1,{fields}}}"#)
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
fn rows() -> Vec<Row> {
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
    let object = |json: &str| json.to_owned();
    vec![
        // Amounts.
        (EXPENSES, amount("0"), 400, INVALID, "amount", "must not be 0"),
        (EXPENSES, amount("-0.00"), 400, INVALID, "amount", "must not be 0"),
        (EXPENSES, amount("-0.001"), 400, INVALID, "amount", "must have at most 2 decimals in EUR"),
        (
            EXPENSES,
            amount("-92233720368547758.08"),
            400,
            INVALID,
            "amount",
            "must be at least -92233720368547758.07 in EUR",
        ),
        (EXPENSES, amount("0.001"), 400, INVALID, "amount", "must have at most 2 decimals in EUR"),
        (EXPENSES, amount("1e-3"), 400, INVALID, "amount", "must have at most 2 decimals in EUR"),
        (EXPENSES, amount("1e400"), 400, INVALID, "amount", "at most 38 digits"),
        (EXPENSES, amount("1e999999"), 400, INVALID, "amount", "at most 38 digits"),
        (
            EXPENSES,
            amount("92233720368547758.08"),
            400,
            INVALID,
            "amount",
            "at most 92233720368547758.07",
        ),
        (EXPENSES, amount("NaN"), 400, "INVALID_JSON", "", "not JSON"),
        (EXPENSES, amount("Infinity"), 400, "INVALID_JSON", "", "not JSON"),
        (EXPENSES, amount(r#""NaN""#), 400, INVALID, "amount", "decimal digits"),
        (EXPENSES, amount(r#""ten""#), 400, INVALID, "amount", "decimal digits"),
        (EXPENSES, amount(r#""""#), 400, INVALID, "amount", "decimal digits"),
        (EXPENSES, amount(r#"" 5""#), 400, INVALID, "amount", "decimal digits"),
        (EXPENSES, amount(r#""1,5""#), 400, INVALID, "amount", "decimal digits"),
        (EXPENSES, amount("null"), 400, INVALID, "amount", "required"),
        (EXPENSES, amount("true"), 400, INVALID, "amount", "decimal digits"),
        (EXPENSES, amount("[1]"), 400, INVALID, "amount", "decimal digits"),
        (EXPENSES, object(r#"{"description":"x"}"#), 400, INVALID, "amount", "required"),
        (
            EXPENSES,
            object(r#"{"amount":1.5,"description":"x","currency":"JPY"}"#),
            400,
            INVALID,
            "amount",
            "must have at most 0 decimals in JPY",
        ),
        (
            EXPENSES,
            object(r#"{"amount":1e-10,"description":"x","currency":"TON"}"#),
            400,
            INVALID,
            "amount",
            "must have at most 9 decimals in TON",
        ),
        // Splits.
        (EXPENSES, notes(""), 400, INVALID, "notes", "1 to 1000 characters"),
        (EXPENSES, notes(" \n"), 400, INVALID, "notes", "1 to 1000 characters"),
        (EXPENSES, notes("a\tb"), 400, INVALID, "notes", "other than a line break"),
        (EXPENSES, notes(&"x".repeat(1001)), 400, INVALID, "notes", "1 to 1000 characters"),
        (EXPENSES, expense(r#""date":"2026-02-30""#), 400, INVALID, "date", "2024-01-20"),
        (EXPENSES, expense(r#""date":20260101"#), 400, INVALID, "date", "must be a string"),
        (EXPENSES, expense(r#""splits":[]"#), 400, INVALID, "splits", "splits must not be empty"),
        (
            EXPENSES,
            expense(r#""splits":[{"userId":"1"},{"userId":"1"}]"#),
            400,
            INVALID,
            "splits[1].userId",
            "once",
        ),
        (
            EXPENSES,
            expense(r#""splits":[{"userId":"1"},{"userId":"9"}]"#),
            400,
            INVALID,
            "splits[1].userId",
            "must be the id of a member",
        ),
        (
            EXPENSES,
            expense(r#""splits":[{"amount":1}]"#),
            400,
            INVALID,
            "splits[0].userId",
            "required",
        ),
        (
            EXPENSES,
            expense(r#""splits":[{"userId":1}]"#),
            400,
            INVALID,
            "splits[0].userId",
            "must be a string",
        ),
        (
            EXPENSES,
            expense(r#""splits":[{"userId":"1#2"}]"#),
            400,
            INVALID,
            "splits[0].userId",
            "Telegram id",
        ),
        (
            EXPENSES,
            expense(r#""splits":{"userId":"1"}"#),
            400,
            INVALID,
            "splits",
            "splits must be an array",
        ),
        (
            EXPENSES,
            expense(r#""splits":["1"]"#),
            400,
            INVALID,
            "splits[0]",
            "must be a JSON object",
        ),
        (
            EXPENSES,
            expense(r#""splitType":"half""#),
            400,
            INVALID,
            "splitType",
            "equal, exact, percentage",
        ),
        (EXPENSES, expense(r#""splitType":"exact""#), 400, INVALID, "splits", "required"),
        (EXPENSES, expense(r#""splitType":"percentage""#), 400, INVALID, "splits", "required"),
        (
            EXPENSES,
            expense(r#""splitType":"exact","splits":[{"userId":"1"}]"#),
            400,
            INVALID,
            "splits[0].amount",
            "required",
        ),
        (
            EXPENSES,
            expense(r#""splitType":"percentage","splits":[{"userId":"1"}]"#),
            400,
            INVALID,
            "splits[0].percentage",
            "required",
        ),
        (
            EXPENSES,
            exact("50", "50.01"),
            400,
            INVALID,
            "splits",
            "the amounts sum to 100.01, 0.01 more than the amount",
        ),
        (
            EXPENSES,
            exact("50", "49.5"),
            400,
            INVALID,
            "splits",
            "the amounts sum to 99.5, 0.5 less than the amount",
        ),
        (EXPENSES, exact("-1", "101"), 400, INVALID, "splits[0].amount", "must not be negative"),
        (
            EXPENSES,
            exact("50", "50.001"),
            400,
            INVALID,
            "splits[1].amount",
            "must have at most 2 decimals in EUR",
        ),
        (EXPENSES, exact("50", "1e30"), 400, INVALID, "splits[1].amount", "at most"),
        (
            EXPENSES,
            percentage("49.99", "50"),
            400,
            INVALID,
            "splits",
            "the percentages sum to 99.99, 0.01 less than 100",
        ),
        (
            EXPENSES,
            percentage("50.01", "50"),
            400,
            INVALID,
            "splits",
            "the percentages sum to 100.01, 0.01 more than 100",
        ),
        (
            EXPENSES,
            percentage("33.33333", "66.66667"),
            400,
            INVALID,
            "splits[0].percentage",
            "at most 4 decimals",
        ),
        (
            EXPENSES,
            percentage("-50", "150"),
            400,
            INVALID,
            "splits[0].percentage",
            "must not be negative",
        ),
        (EXPENSES, percentage("1e30", "50"), 400, INVALID, "splits", "more than 100"),
        // The members of a split are checked before their number.
        (EXPENSES, shares(46), 400, INVALID, "splits[2].userId", "must be the id of a member"),
        // Other fields of an expense.
        (EXPENSES, expense(r#""currency":"XYZ""#), 400, INVALID, "currency", "ISO 4217"),
        (EXPENSES, expense(r#""currency":"usd""#), 400, INVALID, "currency", "in capitals"),
        (EXPENSES, expense(r#""currency":"XAU""#), 400, INVALID, "currency", "ISO 4217"),
        (EXPENSES, expense(r#""currency":"""#), 400, INVALID, "currency", "ISO 4217"),
        (EXPENSES, expense(r#""currency":7"#), 400, INVALID, "currency", "must be a string"),
        (EXPENSES, expense(r#""category":"drinks""#), 400, INVALID, "category", "one of food"),
        (
            EXPENSES,
            expense(r#""payerId":"9""#),
            400,
            INVALID,
            "payerId",
            "must be the id of a member",
        ),
        (EXPENSES, expense(r#""payerId":"0""#), 400, INVALID, "payerId", "Telegram id"),
        (EXPENSES, expense(r#""payerId":"""#), 400, INVALID, "payerId", "Telegram id"),
        (EXPENSES, described(""), 400, INVALID, "description", "1 to 200 characters"),
        (EXPENSES, described("   "), 400, INVALID, "description", "1 to 200 characters"),
        (EXPENSES, described(&"x".repeat(201)), 400, INVALID, "description", "1 to 200 characters"),
        (EXPENSES, described("a\u{7}b"), 400, INVALID, "description", "control character"),
        (EXPENSES, object(r#"{"amount":1}"#), 400, INVALID, "description", "required"),
        (
            EXPENSES,
            object(r#"{"amount":1,"description":"\ud800"}"#),
            400,
            "INVALID_JSON",
            "",
            "not JSON",
        ),
        // Bodies.
        (EXPENSES, object(""), 400, "INVALID_JSON", "", "not JSON"),
        (EXPENSES, object("{"), 400, "INVALID_JSON", "", "not JSON"),
        (EXPENSES, object("amount=1"), 400, "INVALID_JSON", "", "not JSON"),
        (
            EXPENSES,
            object(r#"{"amount":1,"description":"x"} x"#),
            400,
            "INVALID_JSON",
            "",
            "not JSON",
        ),
        (EXPENSES, "[".repeat(10_000), 400, "INVALID_JSON", "", "not JSON"),
        (EXPENSES, object("[]"), 400, INVALID, "body", "the body must be a JSON object"),
        (EXPENSES, object("null"), 400, INVALID, "body", "the body must not be null"),
        (EXPENSES, object("7"), 400, INVALID, "body", "the body must be a JSON object"),
        (
            EXPENSES,
            object(r#"{"amount":1,"amount":2,"description":"x"}"#),
            400,
            INVALID,
            "amount",
            "amount must be given only once",
        ),
        (EXPENSES, object("[]"), 400, INVALID, "body", "the body must be a JSON object"),
        (
            EXPENSES,
            object(r#"[1,"x",null,null,[["1000",null,null]],null,null]"#),
            400,
            INVALID,
            "body",
            "must be a JSON object",
        ),
        (
            EXPENSES,
            expense(r#""splits":[["1",null,null]]"#),
            400,
            INVALID,
            "splits[0]",
            "must be a JSON object",
        ),
        (GROUPS, object(r#"["x",5,null]"#), 400, INVALID, "body", "must be a JSON object"),
        (
            SETTLEMENTS,
            object(r#"["2",1,null,null,null]"#),
            400,
            INVALID,
            "body",
            "must be a JSON object",
        ),
        (SETTLEMENT, object(r#"["failed",null]"#), 400, INVALID, "body", "must be a JSON object"),
        (WALLET, object("[null]"), 400, INVALID, "body", "must be a JSON object"),
        (JOIN, object("[null]"), 400, INVALID, "body", "must be a JSON object"),
        (RESTORE, object("[]"), 400, INVALID, "body", "must be a JSON object"),
        (
            PUSH,
            object(r#"[["a",[["1",null,1],["2",null,-1]],null,null]]"#),
            400,
            INVALID,
            "[0]",
            "must be a JSON object",
        ),
        // Unknown fields.
        (
            GROUPS,
            object(r#"{"title":"x","chatId":1,"theme":"dark"}"#),
            400,
            INVALID,
            "theme",
            "known fields are title, chatId, currency",
        ),
        (
            EXPENSES,
            expense(r#""paidBy":[{"userId":"2","amount":100}]"#),
            400,
            INVALID,
            "paidBy",
            "unknown field paidBy",
        ),
        (EXPENSES, expense(r#""Amount":1"#), 400, INVALID, "Amount", "unknown field Amount"),
        (
            EXPENSES,
            expense(r#""__proto__":{"amount":9}"#),
            400,
            INVALID,
            "__proto__",
            "unknown field",
        ),
        (EXPENSES, expense(r#""paymentType":"TON""#), 400, INVALID, "paymentType", "unknown field"),
        (
            EXPENSES,
            expense(r#""splits":[{"userId":"1","share":2}]"#),
            400,
            INVALID,
            "splits[0].share",
            "known fields are userId, amount, percentage, weight, adjustment",
        ),
        (
            SETTLEMENTS,
            settlement(r#""status":"completed""#),
            400,
            INVALID,
            "status",
            "unknown field",
        ),
        (
            SETTLEMENT,
            object(r#"{"status":"failed","amount":1}"#),
            400,
            INVALID,
            "amount",
            "known fields are status",
        ),
        (
            WALLET,
            object(&format!(r#"{{"wallet":"0:{}","x":1}}"#, "a".repeat(64))),
            400,
            INVALID,
            "x",
            "known fields are wallet",
        ),
        (GROUP, object("{}"), 400, INVALID, "title", "title, currency or archived is required"),
        (
            GROUP,
            object(r#"{"title":"x","chatId":1}"#),
            400,
            INVALID,
            "chatId",
            "known fields are title",
        ),
        (GROUP, object(r#"{"title":" "}"#), 400, INVALID, "title", "must have 1 to 100"),
        (GROUP, object(r#"{"currency":"XXX"}"#), 400, INVALID, "currency", "must be"),
        (GROUP, object(r#"{"archived":"true"}"#), 400, INVALID, "archived", "true or false"),
        (GROUP, object(r#"{"archived":1}"#), 400, INVALID, "archived", "true or false"),
        (MEMBER, object(r#"{"name":"B"}"#), 400, INVALID, "name", "this object has no fields"),
        ("DELETE /api/groups/G/members/0", String::new(), 400, INVALID, "memberId", "member's id"),
        (JOIN, object(r#"{"name":"Eve"}"#), 400, INVALID, "name", "known fields are wallet"),
        (
            RESTORE,
            object(r#"{"amount":1}"#),
            400,
            INVALID,
            "amount",
            "unknown field amount; this object has no fields",
        ),
        // The fields of the public Mini App.
        (
            SETTLEMENTS,
            settlement(r#""paymentType":"EUR""#),
            400,
            INVALID,
            "paymentType",
            "TON, USDT",
        ),
        (
            SETTLEMENTS,
            settlement(r#""paymentType":"TON","currency":"EUR""#),
            400,
            INVALID,
            "paymentType",
            "the same as currency",
        ),
        (
            SETTLEMENTS,
            settlement(r#""recipientWallet":7"#),
            400,
            INVALID,
            "recipientWallet",
            "must be a string",
        ),
        (EXPENSES, described(&"x".repeat(65 * 1024)), 413, "PAYLOAD_TOO_LARGE", "", "64 KiB"),
        // Groups.
        (GROUPS, titled(""), 400, INVALID, "title", "1 to 100 characters"),
        (GROUPS, titled(" \u{3000}"), 400, INVALID, "title", "not all of them blank"),
        (GROUPS, titled(&"x".repeat(101)), 400, INVALID, "title", "1 to 100 characters"),
        (GROUPS, titled(&"🏔".repeat(101)), 400, INVALID, "title", "1 to 100 characters"),
        (GROUPS, titled("two\nlines"), 400, INVALID, "title", "control character"),
        (GROUPS, object(r#"{"chatId":1}"#), 400, INVALID, "title", "required"),
        (GROUPS, object(r#"{"title":"x"}"#), 400, INVALID, "chatId", "required"),
        (GROUPS, object(r#"{"title":"x","chatId":1.5}"#), 400, INVALID, "chatId", "whole number"),
        (
            GROUPS,
            object(r#"{"title":"x","chatId":"my chat"}"#),
            400,
            INVALID,
            "chatId",
            "whole number",
        ),
        (
            GROUPS,
            object(r#"{"title":"x","chatId":""}"#),
            400,
            INVALID,
            "chatId",
            "1 to 64 characters",
        ),
        (GROUPS, object(r#"{"title":"x","chatId":true}"#), 400, INVALID, "chatId", "whole number"),
        (GROUPS, object(r#"{"title":"x","chatId":[1]}"#), 400, INVALID, "chatId", "whole number"),
        (GROUPS, object(r#"{"title":"x","chatId":1e30}"#), 400, INVALID, "chatId", "whole number"),
        (
            GROUPS,
            object(r#"{"title":"x","chatId":1,"currency":"EURO"}"#),
            400,
            INVALID,
            "currency",
            "ISO 4217",
        ),
        // Wallets.
        (WALLET, wallet(""), 400, INVALID, "wallet", "TON address"),
        (WALLET, wallet(MISTYPED), 400, INVALID, "wallet", "checksum"),
        (WALLET, wallet(TESTNET), 400, INVALID, "wallet", "test network"),
        (WALLET, wallet(&MISTYPED[..47]), 400, INVALID, "wallet", "48 characters"),
        (WALLET, wallet("EQBvI0aFLnw2XHNc7mpXc..."), 400, INVALID, "wallet", "TON address"),
        (WALLET, wallet(&format!("0:{}", "z".repeat(64))), 400, INVALID, "wallet", "TON address"),
        (WALLET, object("{}"), 400, INVALID, "wallet", "required"),
        ("POST /api/groups/G/join", wallet("x"), 400, INVALID, "wallet", "TON address"),
        // Guests.
        (MEMBERS, object("{}"), 400, INVALID, "name", "required"),
        (MEMBERS, object(r#"{"name":7}"#), 400, INVALID, "name", "string"),
        (MEMBERS, object(r#"{"name":""}"#), 400, INVALID, "name", "1 to 100 characters"),
        (MEMBERS, object(r#"{"name":" \u200b"}"#), 400, INVALID, "name", "1 to 100 characters"),
        (MEMBERS, object(r#"{"name":"a\nb"}"#), 400, INVALID, "name", "control character"),
        (
            MEMBERS,
            json!({ "name": "x".repeat(101) }).to_string(),
            400,
            INVALID,
            "name",
            "1 to 100 characters",
        ),
        (MEMBERS, object(r#"{"name":"a"}"#), 409, "NAME_TAKEN", "", "another name"),
        (
            "POST /api/groups/G/members/x/link",
            object("{}"),
            400,
            INVALID,
            "memberId",
            "guest- and a UUID",
        ),
        (
            "PATCH /api/groups/G/members/x",
            object(r#"{"name":"x"}"#),
            400,
            INVALID,
            "memberId",
            "guest- and a UUID",
        ),
        // Settlements.
        (
            SETTLEMENTS,
            settlement(r#""txHash":"abc""#),
            400,
            INVALID,
            "txHash",
            "64 hexadecimal digits",
        ),
        (
            SETTLEMENTS,
            settlement(&format!(r#""txHash":"{}""#, "g".repeat(64))),
            400,
            INVALID,
            "txHash",
            "64 hexadecimal digits",
        ),
        (
            SETTLEMENTS,
            settlement(r#""txHash":"a1b2c3d4e5f6...""#),
            400,
            INVALID,
            "txHash",
            "64 hexadecimal digits",
        ),
        (SETTLEMENTS, settlement(r#""currency":"???""#), 400, INVALID, "currency", "ISO 4217"),
        (
            SETTLEMENTS,
            object(r#"{"toId":"1","amount":1,"fromId":"9"}"#),
            400,
            INVALID,
            "fromId",
            "must be the id of a member",
        ),
        (
            SETTLEMENTS,
            object(r#"{"toId":"9","amount":1}"#),
            400,
            INVALID,
            "toId",
            "must be the id of a member",
        ),
        (
            SETTLEMENTS,
            object(r#"{"toId":"1","amount":1}"#),
            400,
            INVALID,
            "toId",
            "toId must not be the payer",
        ),
        (SETTLEMENTS, object(r#"{"amount":1}"#), 400, INVALID, "toId", "required"),
        (SETTLEMENTS, object(r#"{"toId":"2"}"#), 400, INVALID, "amount", "required"),
        (SETTLEMENTS, object(r#"{"toId":"2","amount":-1}"#), 400, INVALID, "amount", "above zero"),
        (
            SETTLEMENTS,
            object(r#"{"toId":"2","amount":0.005}"#),
            400,
            INVALID,
            "amount",
            "must have at most 2 decimals in EUR",
        ),
        (SETTLEMENT, object("{}"), 400, INVALID, "status", "required"),
        (
            SETTLEMENT,
            object(r#"{"status":"paid"}"#),
            400,
            INVALID,
            "status",
            "pending, completed, failed",
        ),
        (
            SETTLEMENT,
            object(r#"{"txHash":"0x1"}"#),
            400,
            INVALID,
            "txHash",
            "64 hexadecimal digits",
        ),
        // Paths.
        ("GET /api/groups/abc", String::new(), 400, INVALID, "groupId", "UUID"),
        ("GET /api/groups/%00", String::new(), 400, INVALID, "groupId", "UUID"),
        ("GET /api/groups/%FF", String::new(), 400, INVALID, "groupId", "groupId must be UTF-8"),
        ("GET /api/groups/G/expenses/1", String::new(), 400, INVALID, "expenseId", "UUID"),
        ("DELETE /api/groups/G/expenses/G%23", String::new(), 400, INVALID, "expenseId", "UUID"),
        ("GET /api/groups/G/settlements/E%20", String::new(), 400, INVALID, "settlementId", "UUID"),
        ("GET /api/groups/G/settlements/E", String::new(), 404, "SETTLEMENT_NOT_FOUND", "", ""),
        ("GET /api/groups/G/expenses?limit=0", String::new(), 400, INVALID, "limit", "1 to 100"),
        ("GET /api/groups/G/expenses?limit=101", String::new(), 400, INVALID, "limit", "1 to 100"),
        ("GET /api/groups/G/expenses?limit=abc", String::new(), 400, INVALID, "limit", "1 to 100"),
        ("GET /api/groups/G/expenses?limit=%2B5", String::new(), 400, INVALID, "limit", "1 to 100"),
        (
            "GET /api/groups/G/expenses?limit=5&limit=6",
            String::new(),
            400,
            INVALID,
            "limit",
            "limit must be given only once",
        ),
        (
            "GET /api/groups/G/expenses?from=2026-2-3",
            String::new(),
            400,
            INVALID,
            "from",
            "2024-01-20",
        ),
        ("GET /api/groups/G/expenses?to=today", String::new(), 400, INVALID, "to", "2024-01-20"),
        (
            "GET /api/groups/G/expenses?from=2026-02-02&to=2026-02-01",
            String::new(),
            400,
            INVALID,
            "from",
            "from must not be after to",
        ),
        (
            "GET /api/groups/G/expenses?category=wine",
            String::new(),
            400,
            INVALID,
            "category",
            "food",
        ),
        ("GET /api/groups/G/expenses?payerId=me", String::new(), 400, INVALID, "payerId", "guest"),
        ("GET /api/groups/G/expenses?memberId=0", String::new(), 400, INVALID, "memberId", "guest"),
        ("GET /api/groups/G/expenses?q=", String::new(), 400, INVALID, "q", "1 to 50 characters"),
        ("GET /api/users/me/activity?limit=-1", String::new(), 400, INVALID, "limit", "1 to 100"),
        ("GET /api/users/me/activity?cursor=x", String::new(), 400, "INVALID_CURSOR", "", "cursor"),
        (
            "GET /api/groups/G/expenses?offset=2",
            String::new(),
            400,
            INVALID,
            "offset",
            "known parameters are limit, cursor, payerId, from, to, category, memberId, q, amounts",
        ),
        (
            "GET /api/groups/G/expenses?limit=2&Limit=2",
            String::new(),
            400,
            INVALID,
            "Limit",
            "unknown parameter",
        ),
        (
            "GET /api/users/me?limit=2",
            String::new(),
            400,
            INVALID,
            "limit",
            "known parameters are amounts",
        ),
        ("GET /api/groups/G?=x", String::new(), 400, INVALID, "query", "unknown parameter"),
        ("GET /api/groups/G?amounts=words", String::new(), 400, INVALID, "amounts", "number, text"),
        (
            "GET /api/groups/G?amounts=text&amounts=text",
            String::new(),
            400,
            INVALID,
            "amounts",
            "only once",
        ),
        (
            "GET /api/groups/G/ledger/entries/%F0%9F",
            String::new(),
            400,
            INVALID,
            "entryId",
            "entryId must be UTF-8",
        ),
        (
            "GET /api/groups/%FF/expenses/E",
            String::new(),
            400,
            INVALID,
            "groupId",
            "groupId must be UTF-8",
        ),
        ("GET /", String::new(), 404, "ROUTE_NOT_FOUND", "", ""),
        ("GET /api/nothing", String::new(), 404, "ROUTE_NOT_FOUND", "", ""),
        ("GET /api/groups/", String::new(), 404, "ROUTE_NOT_FOUND", "", ""),
        ("GET /api//groups", String::new(), 404, "ROUTE_NOT_FOUND", "", ""),
        ("DELETE /api/groups", String::new(), 405, "METHOD_NOT_ALLOWED", "", ""),
        ("PATCH /api/groups/G/expenses/E", String::new(), 405, "METHOD_NOT_ALLOWED", "", ""),
        ("PATCH /api/groups/G/settlements/S", String::new(), 405, "METHOD_NOT_ALLOWED", "", ""),
        ("POST /api/users/me", String::new(), 405, "METHOD_NOT_ALLOWED", "", ""),
    ]
}

/// Weights, adjustments and the lines of a receipt.
fn of_splits() -> Vec<Row> {
    let of = |split_type: &str, fields: Value| {
        let mut body = json!({ "amount": 100, "description": "x", "splitType": split_type });
        body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        (EXPENSES, body.to_string())
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
    invalid([
        (of("shares", json!({})), "splits", "required"),
        (of("shares", json!({ "splits": [{ "userId": "1" }] })), "splits[0].weight", "required"),
        (weight(json!(-1)), "splits[0].weight", "must not be negative"),
        (one("equal", "weight", json!(1)), "splits[0].weight", "only with splitType shares"),
        (one("equal", "adjustment", json!(1)), "splits[0].adjustment", "splitType adjustment"),
        (one("adjustment", "percentage", json!(1)), "splits[0].percentage", "splitType percentage"),
        (one("percentage", "amount", json!(1)), "splits[0].amount", "only with splitType exact"),
        (
            (
                EXPENSES,
                expense(r#""splits":[{"userId":"1","amount":40},{"userId":"2","amount":60}]"#),
            ),
            "splits[0].amount",
            "only with splitType exact",
        ),
        (weight(json!("0.00001")), "splits[0].weight", "must have at most 4 decimals"),
        (weight(json!("10000.0001")), "splits[0].weight", "must be at most 10000"),
        (
            of("shares", json!({ "splits": [{ "userId": "1", "weight": 0 }] })),
            "splits",
            "weights must not all be 0",
        ),
        (adjustment(json!(130)), "splits", "the adjustments sum to 130, 30 more than the amount"),
        (adjustment(json!("-100.01")), "splits[0].adjustment", "the share of 1 would be negative"),
        (adjustment(json!("0.001")), "splits[0].adjustment", "must have at most 2 decimals"),
        (
            of("equal", json!({ "items": [{ "name": "x" }] })),
            "items",
            "only with splitType itemized",
        ),
    ])
}

/// The lines of a receipt of 100 EUR.
#[expect(clippy::too_many_lines, reason = "a table")]
fn of_lines() -> Vec<Row> {
    let items = |items: Value| {
        let body =
            json!({ "amount": 100, "description": "x", "splitType": "itemized", "items": items });
        (EXPENSES, body.to_string())
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
        (EXPENSES, body.to_string())
    };
    let wrong_lines = [
        (items(Value::Null), "items", "required"),
        (items(json!([])), "items", "must not be empty"),
        (many(100, json!({ "name": "x", "amount": 0 })), "items", "at most 100 items"),
        (
            many(21, json!({ "kind": "fee", "name": "x", "amount": 0 })),
            "items",
            "at most 20 lines of other kinds",
        ),
        (items(json!([{ "kind": "fee", "name": "x" }])), "items", "at least one line of kind item"),
        (
            items(json!([{ "name": "x", "amount": 99.9 }])),
            "items",
            "the lines sum to 99.9, 0.1 less than the amount",
        ),
        (
            items(json!([{ "name": "x", "amount": 101 }, { "name": "y" }])),
            "items",
            "the lines sum to 101, 1 more than the amount",
        ),
        (
            without_amount(
                json!([{ "name": "x", "amount": 1 }, { "kind": "discount", "name": "y", "amount": 1 }]),
            ),
            "items",
            "discounts must be less than the other lines together",
        ),
        (without_amount(json!([{ "name": "x" }])), "amount", "required"),
        (line(json!({ "kind": "drink" })), "items[1].kind", "item, tax, tip, fee, discount"),
        (line(json!({ "name": " " })), "items[1].name", "1 to 100 characters"),
        (line(json!({ "name": null })), "items[1].name", "required"),
        (line(json!({ "amount": -1 })), "items[1].amount", "must not be negative"),
        (line(json!({ "amount": "0.001" })), "items[1].amount", "must have at most 2 decimals"),
        (line(json!({ "amount": null })), "items[1].amount", "only one line may take the rest"),
        (line(json!({ "amount": null, "rest": false })), "items[1].amount", "required"),
        (line(json!({ "rest": true })), "items[1].rest", "only one line may take the rest"),
        (line(json!({ "rest": "true" })), "items[1].rest", "must be true or false"),
        (tax(json!({ "amount": null })), "items[1].amount", "only one line may take the rest"),
        (line(json!({ "quantity": 0 })), "items[1].quantity", "must be above zero"),
        (line(json!({ "quantity": "0.0001" })), "items[1].quantity", "at most 3 decimals"),
        (line(json!({ "quantity": 10_001 })), "items[1].quantity", "must be at most 10000"),
        (line(json!({ "price": -1 })), "items[1].price", "must not be negative"),
    ];
    let wrong_sharers = [
        (line(json!({ "sharers": [] })), "items[1].sharers", "must not be empty"),
        (
            sharer(json!({ "userId": "9" })),
            "items[1].sharers[1].userId",
            "must be the id of a member",
        ),
        (sharer(json!({ "userId": "1" })), "items[1].sharers[1].userId", "only once in sharers"),
        (
            sharer(json!({ "userId": "2", "weight": -1 })),
            "items[1].sharers[1].weight",
            "must not be negative",
        ),
        (
            sharer(json!({ "userId": "2", "weight": "1000000000.1" })),
            "items[1].sharers[1].weight",
            "must be at most 1000000000",
        ),
        (
            line(json!({ "sharers": [{ "userId": "1", "weight": 0 }] })),
            "items[1].sharers",
            "weights must not all be 0",
        ),
        (
            line(json!({ "over": [0] })),
            "items[1].over",
            "must not be given for a line of kind item",
        ),
        (
            line(json!({ "split": "equal" })),
            "items[1].split",
            "must not be given for a line of kind item",
        ),
        (
            tax(json!({ "sharers": [{ "userId": "1" }], "over": [0] })),
            "items[1].over",
            "must not be given beside sharers",
        ),
        (tax(json!({ "over": [1] })), "items[1].over[0]", "index of a line of kind item"),
        (tax(json!({ "over": [100] })), "items[1].over[0]", "index of a line of kind item"),
        (tax(json!({ "over": [0, 0] })), "items[1].over[1]", "must not repeat an index"),
        (tax(json!({ "over": ["0"] })), "items[1].over[0]", "must be a whole number"),
        (tax(json!({ "split": "half" })), "items[1].split", "proportional, equal"),
        (
            items(json!([
                { "name": "free", "amount": 0 }, { "name": "rest" },
                { "kind": "tax", "name": "x", "amount": 1, "over": [0] },
            ])),
            "items[2]",
            "the lines it applies to sum to 0",
        ),
        (
            items(json!([
                { "name": "rest", "sharers": [{ "userId": "1" }] },
                { "kind": "discount", "name": "x", "amount": 1, "sharers": [{ "userId": "2" }] },
            ])),
            "items",
            "the share of 2 would be negative",
        ),
    ];
    invalid(wrong_lines.into_iter().chain(wrong_sharers))
}

/// Edits. Alice (1) paid 9 EUR for herself and Bob (2).
fn of_edits() -> Vec<Row> {
    let edit = |body: Value| ("PUT /api/groups/G/expenses/E", body.to_string());
    invalid([
        (edit(json!({ "amount": 0 })), "amount", "must not be 0"),
        (edit(json!({ "amount": "0.001" })), "amount", "must have at most 2 decimals in EUR"),
        (
            edit(json!({ "amount": 4.5, "currency": "JPY" })),
            "amount",
            "must have at most 0 decimals in JPY",
        ),
        (edit(json!({ "description": " " })), "description", "1 to 200"),
        (edit(json!({ "payerId": "9" })), "payerId", "must be the id of a member"),
        (edit(json!({ "currency": "eur" })), "currency", "in capitals"),
        (edit(json!({ "category": "fun" })), "category", "one of food"),
        (edit(json!({ "splitType": "half" })), "splitType", "one of equal"),
        (edit(json!({ "splitType": "percentage" })), "splits[0].percentage", "required"),
        (edit(json!({ "splits": [] })), "splits", "splits must not be empty"),
        (
            edit(
                json!({ "splits": [{ "userId": "1", "amount": 4 }, { "userId": "2", "amount": 5 }] }),
            ),
            "splits[0].amount",
            "only with splitType exact",
        ),
        (
            edit(json!({ "splits": [{ "userId": "9" }] })),
            "splits[0].userId",
            "must be the id of a member",
        ),
        (edit(json!({ "splits": [{ "amount": 1 }] })), "splits[0].userId", "required"),
        (edit(json!({ "amount": 8, "splitType": "exact" })), "splits", "splits is required"),
    ])
}

/// The ledger.
fn of_the_ledger() -> Vec<Row> {
    let push = |body: Value| ("POST /api/groups/G/ledger/entries", body.to_string());
    let adjust = |changes: Value| push(json!([{ "entryId": "a", "changes": changes }]));
    let change = |user: &str, amount: &str| json!({ "userId": user, "amount": amount });
    let revert = |body: Value| ("DELETE /api/groups/G/ledger/entries", body.to_string());
    let zero = "sum to zero";
    let even = || json!([change("1", "1"), change("2", "-1")]);
    invalid([
        (push(json!([])), "body", "the body must not be empty"),
        (push(json!({})), "entries", "required"),
        (push(json!({ "entries": null })), "entries", "required"),
        (push(json!({ "entries": [] })), "entries", "must not be empty"),
        (push(json!("all")), "body", "the body must be a JSON object"),
        (push(json!([{ "changes": even() }])), "[0].entryId", "required"),
        (push(json!({ "entries": [{ "changes": even() }] })), "entries[0].entryId", "required"),
        (push(json!([{ "entryId": "x".repeat(65), "changes": even() }])), "[0].entryId", "1 to 64"),
        (push(json!([{ "entryId": "a\u{0}", "changes": even() }])), "[0].entryId", "control"),
        (
            push(json!([{ "entryId": "revert", "changes": even() }])),
            "[0].entryId",
            "which is reserved",
        ),
        (push(json!([{ "entryId": "a" }])), "[0].changes", "required"),
        (push(json!([{ "entryId": "a", "changes": even(), "note": "" }])), "[0].note", "1 to 200"),
        (adjust(json!([])), "[0].changes", "changes must not be empty"),
        (adjust(json!([change("1", "1")])), "[0].changes", zero),
        (adjust(json!([change("1", "1"), change("2", "-0.99")])), "[0].changes", "not to 0.01"),
        (
            adjust(json!([change("1", "0"), change("2", "0")])),
            "[0].changes[0].amount",
            "amount must not be zero",
        ),
        (adjust(json!([change("1", "1"), change("1", "-1")])), "[0].changes[1].userId", "once"),
        (adjust(json!([change("9", "1"), change("1", "-1")])), "[0].changes[0].userId", "member"),
        (adjust(json!([change("1", "0.001")])), "[0].changes[0].amount", "at most 2 decimals"),
        (adjust(json!([change("1", "x")])), "[0].changes[0].amount", "decimal digits"),
        (adjust(json!([{ "userId": "1" }])), "[0].changes[0].amount", "required"),
        (adjust(json!([{ "amount": 1 }, change("2", "-1")])), "[0].changes[0].userId", "required"),
        (
            adjust(json!([change("1", "1"), { "userId": "2", "amount": -1, "currency": "TON" }])),
            "[0].changes",
            zero,
        ),
        (
            push(json!([{ "entryId": "a", "changes": even(), "condition": { "userId": "1" } }])),
            "[0].condition.balanceAtLeast",
            "required",
        ),
        (
            push(json!([{ "entryId": "a", "changes": even(),
                "condition": { "userId": "9", "balanceAtLeast": 0 } }])),
            "[0].condition.userId",
            "member",
        ),
        // One invalid entry stops the valid ones.
        (
            push(json!([
                { "entryId": "a", "changes": even() },
                { "entryId": "b", "changes": [change("1", "1")] },
            ])),
            "[1].changes",
            zero,
        ),
        (revert(json!([])), "body", "must not be empty"),
        (revert(json!({ "entries": ["a"] })), "entryIds", "required"),
        (revert(json!(["a", ""])), "[1]", "1 to 64"),
        (
            push(json!({ "entries": [{ "entryId": "a", "changes": even(), "x": 1 }] })),
            "entries[0].x",
            "known fields are entryId",
        ),
        (
            push(json!({ "entries": [{ "entryId": "a", "changes": even() }], "x": 1 })),
            "x",
            "known fields are entries",
        ),
        (revert(json!({ "entryIds": ["a"], "force": true })), "force", "known fields are entryIds"),
        (revert(json!([7])), "[0]", "must be a string"),
    ])
}

/// The ledger's query parameters.
fn of_queries() -> Vec<Row> {
    let get = |at: &'static str| (at, String::new());
    invalid([
        (get("GET /api/groups/G/ledger/balance?at=yesterday"), "at", "RFC 3339"),
        (get("GET /api/groups/G/ledger/balance?at=2026-01-01"), "at", "RFC 3339"),
        (get("GET /api/groups/G/ledger/balance?userId=9"), "userId", "must be the id of a member"),
        (get("GET /api/groups/G/ledger/balance?userId=x"), "userId", "Telegram id"),
        (get("GET /api/groups/G/ledger/entries?order=up"), "order", "one of asc, desc"),
        (get("GET /api/groups/G/ledger/entries?from=x"), "from", "RFC 3339"),
        (get("GET /api/groups/G/ledger/entries?to=2026-02-30"), "to", "or a day, like 2024-01-20"),
        (
            get("GET /api/groups/G/ledger/entries?to=2026-01-01&to=2026-01-02"),
            "to",
            "to must be given only once",
        ),
        (
            get("GET /api/groups/G/ledger/entries?from=2026-01-02&to=2026-01-01"),
            "from",
            "from must not be after to",
        ),
        (get("GET /api/groups/G/ledger/entries?limit=0"), "limit", "1 to 100"),
        (get("GET /api/groups/G/ledger/days?from=2026-01-15T00:00:00Z"), "from", "a day"),
        (
            get("GET /api/groups/G/ledger/days?from=2026-01-02&to=2026-01-01"),
            "from",
            "from must not be after to",
        ),
        (get("GET /api/groups/G/stats?from=2026-2-3"), "from", "from must be a day"),
        (get("GET /api/groups/G/stats?to=2026-02-30"), "to", "to must be a day"),
        (get("GET /api/groups/G/stats?by=week"), "by", "by must be one of month, day"),
        (
            get("GET /api/groups/G/stats?from=2026-01-02&to=2026-01-01"),
            "from",
            "must not be after to",
        ),
        (get("GET /api/groups/G/stats?from=2025-01-01&to=2026-01-02"), "to", "at most 366 days"),
        (get("GET /api/groups/G/stats?from=2026-02-01"), "from", "must not be after this month"),
        (get("GET /api/groups/G/stats?to=2025-12-31"), "to", "must not be before this month"),
        (get("GET /api/groups/G/debts?verify=yes"), "verify", "true"),
        (get("GET /api/groups?archived=1"), "archived", "must be true or false"),
        (get("GET /api/groups?chatId=a%20b"), "chatId", "without blanks"),
        (get("GET /api/groups/G?include=future"), "include", "past"),
    ])
}

/// An endpoint and a body, with the path and the message of a mistake in it.
type Mistake = ((&'static str, String), &'static str, &'static str);

fn invalid(mistakes: impl IntoIterator<Item = Mistake>) -> Vec<Row> {
    let row = |((endpoint, body), path, rule): Mistake| (endpoint, body, 400, INVALID, path, rule);
    mistakes.into_iter().map(row).collect()
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
    let rows: Vec<_> =
        [rows(), of_splits(), of_lines(), of_edits(), of_the_ledger(), of_queries()].concat();
    assert!(rows.len() >= 160);
    let mut wrong = Vec::new();
    for (endpoint, body, status, code, path, rule) in rows {
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
        let (message, rule) = (message.to_lowercase(), rule.to_lowercase());
        let right = reply.code() == (status, code)
            && detail["path"].as_str().unwrap_or_default() == path
            && named
            && message.contains(&rule)
            && reply.header("allow").is_some() == (status == 405);
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
            json!({ "tip": 1, "category": "fun", "payerId": "9", "description": " ", "amount": 0.001 }),
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
            json!({ "amount": 0, "payerId": "9", "splitType": "half", "splits": [{ "userId": "8" }] }),
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
                { "entryId": "", "changes": [{ "userId": "9", "amount": 1 }, { "userId": "2", "amount": 0 }] },
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
            let at = path.replace("{groupId}", &group.id);
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
    let (long, longest) = ("k".repeat(256), "k".repeat(255));
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
