//! Security tests: a forged or malicious request is refused for its reason, and no row changes.
//!
//! `input.rs` covers accidental mistakes and `access.rs` permissions.

mod bodies;
mod cursors;
mod guests;
mod identity;
mod keys;
mod others;
mod paths;
mod tokens;

use std::{collections::BTreeMap, fmt::Write};

use aws_sdk_dynamodb::types::AttributeValue;
use axum::http::Method;
use serde_json::{Value, json};

use crate::harness::{Api, Caller, Group, Reply};

/// Two groups of one table: Eve is a member of one of them only.
struct Scene {
    api: Api,
    /// The group of users 1, 2 and Eve.
    own: Place,
    /// The group of users 1 and 2.
    foreign: Place,
    /// A guest of the foreign group.
    guest: String,
    eve: Caller,
    rows: BTreeMap<(String, String), BTreeMap<String, AttributeValue>>,
}

/// A group with an expense that 1 paid and a settlement of 2 to 1.
struct Place {
    group: Group,
    expense: String,
    settlement: String,
}

impl Scene {
    async fn new() -> Self {
        let api = Api::new().await;
        let own = Place::new(&api).await;
        let foreign = Place::new(&api).await;
        let eve = api.user(9, "Eve");
        eve.post(&own.group.path("/join"), json!({})).await.data(200);
        let guest = foreign.group.guest(0, "Grandma").await;
        let rows = api.rows().await;
        Self { api, own, foreign, guest, eve, rows }
    }

    /// The reply was a refusal with this status and code, and changed nothing.
    async fn refused(&self, reply: &Reply, (status, code): (u16, &str), row: &str) {
        assert_eq!(reply.code(), (status, code), "{row}: {}", reply.text);
        self.unchanged(row).await;
    }

    async fn unchanged(&self, row: &str) {
        assert_eq!(self.api.rows().await, self.rows, "{row}");
    }

    /// Eve, but one of its parties where a settlement is changed: the right comes before the
    /// fields.
    fn party(&self, path: &str) -> &Caller {
        if path.contains("/settlements/") { &self.own.group.members[0] } else { &self.eve }
    }

    /// Eve tries, and a field is named for it. Whether all is as it was is left to
    /// [`Self::unchanged`].
    async fn names(&self, (method, path): (Method, &str), body: Option<&Value>, field: &str) {
        let reply = self.party(path).call(method.clone(), path, body).await;
        let row = format!("{method} {path} {body:?}");
        assert_eq!(reply.code(), (400, "VALIDATION_ERROR"), "{row}: {}", reply.text);
        let mut details = reply.body["details"].as_array().unwrap().iter();
        assert!(details.any(|it| it["path"] == field), "{row}: {}", reply.text);
    }
}

impl Place {
    async fn new(api: &Api) -> Self {
        let group = Group::of(api, 2, "EUR").await;
        let expense =
            group.spend(0, json!({ "amount": 9 })).await["id"].as_str().unwrap().to_owned();
        let pays = json!({ "toId": "1", "amount": 3 });
        let settlement = group.members[1].post(&group.path("/settlements"), pays).await;
        let settlement = settlement.data(201)["id"].as_str().unwrap().to_owned();
        Self { group, expense, settlement }
    }

    /// A path with `G`, `E` and `S` for the ids.
    fn path(&self, path: &str) -> String {
        let path = path.replace("/G", &format!("/{}", self.group.id));
        let path = path.replace("/E", &format!("/{}", self.expense));
        path.replace("/S", &format!("/{}", self.settlement))
    }
}

/// Every byte of a text by its number, as a URL may carry any.
fn encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |mut encoded, byte| {
        write!(encoded, "%{byte:02X}").unwrap();
        encoded
    })
}

/// Texts that are not valid where an id, a number or a word is expected.
fn bad_ids() -> Vec<String> {
    let long = "1".repeat(5_000);
    [
        "#",
        "~",
        "1#2",
        "1~",
        "USER#1",
        "GROUP#1",
        "EXPENSE#",
        "METADATA",
        "LEDGER#1#ENTRY#1",
        "1\n",
        "\n1",
        "1\r\n",
        "\0",
        "1\0",
        "1\t",
        " 1",
        "1 ",
        "\u{a0}1",
        "１",
        "١",
        "𝟏",
        "1\u{301}",
        "1\u{20e3}",
        "\u{202e}1",
        "1\u{200b}",
        "\u{feff}1",
        "1\u{ad}",
        "Ⅰ",
        "l",
        "+1",
        "-1",
        "01",
        "1.0",
        "1e0",
        "0x1",
        "1_0",
        "1,0",
        "1;2",
        "%31",
        "%2531",
        "' OR 1=1--",
        "${1}",
        "{{1}}",
        "../1",
        "4503599627370496",
        "18446744073709551617",
        "null",
        "undefined",
        "NaN",
        "[1]",
        &long,
    ]
    .map(str::to_owned)
    .into()
}
