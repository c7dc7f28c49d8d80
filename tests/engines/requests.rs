//! Random requests of every kind that the store makes, over few keys, so that conditions hold and
//! fail, rows are replaced and queries find several rows.

use std::collections::BTreeSet;

use fastrand::Rng;
use fracti_tests::database::TABLE;
use serde_json::{Map, Value, json};

use super::Request;

const PARTITIONS: [&str; 4] = ["GROUP#a", "LEDGER#a", "USER#é", "IDEMPOTENCY#😀"];
const SORTS: [&str; 6] = ["METADATA", "MEMBER#1", "MEMBER#2", "ENTRY#1", "ENTRY#1#", "ENTRY#ä"];
const INDEXES: [&str; 3] = ["GSI1", "GSI2", "GSI3"];
const TEXTS: [&str; 4] = ["", "pending", "Zürich 🧀", "\"\\\n"];
/// Numbers as requests write them, and as DynamoDB returns them.
pub(super) const NUMBERS: [(&str, &str); 10] = [
    ("0", "0"),
    ("1", "1"),
    ("-1", "-1"),
    ("007", "7"),
    ("1.50", "1.5"),
    ("-0", "0"),
    ("1e3", "1000"),
    ("9223372036854775807", "9223372036854775807"),
    ("12345678901234567890123456789012345678", "12345678901234567890123456789012345678"),
    ("0.00000000000000000000000000000000000001", "0.00000000000000000000000000000000000001"),
];
const NAMES: [&str; 5] = ["version", "status", "count", "txHash", "effects"];

/// A seeded source of requests.
pub(super) struct Requests {
    rng: Rng,
    /// Part of each token: DynamoDB Local remembers tokens when the table is gone.
    seed: u64,
    tokens: u64,
}

impl Requests {
    pub(super) fn new(seed: u64) -> Self {
        Self { rng: Rng::with_seed(seed), seed, tokens: 0 }
    }

    fn choose<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.rng.usize(..values.len())]
    }

    fn key(&mut self) -> Value {
        json!({ "PK": { "S": self.choose(&PARTITIONS) }, "SK": { "S": self.choose(&SORTS) } })
    }

    fn value(&mut self, depth: u8) -> Value {
        match self.rng.u8(..if depth < 3 { 8 } else { 5 }) {
            0 | 1 => json!({ "N": self.choose(&NUMBERS).0 }),
            2 => json!({ "S": self.choose(&TEXTS) }),
            3 => json!({ "BOOL": self.rng.bool() }),
            4 => json!({ "NULL": true }),
            5 | 6 => {
                let values: Vec<_> =
                    (0..self.rng.u8(..3)).map(|_| self.value(depth.saturating_add(1))).collect();
                json!({ "L": values })
            }
            _ => {
                let values: Map<_, _> = (0..self.rng.u8(..3))
                    .map(|it| (format!("k{it}"), self.value(depth.saturating_add(1))))
                    .collect();
                json!({ "M": values })
            }
        }
    }

    /// A row. Its place in each index is its own: rows of equal index keys have no defined order.
    fn row(&mut self) -> Value {
        let mut row = self.key();
        for index in INDEXES {
            if self.rng.u8(..3) > 0 {
                let sort = format!("{}{}{}", self.rng.u8(..4), row["SK"]["S"], row["PK"]["S"]);
                row[format!("{index}PK")] = json!({ "S": self.choose(&PARTITIONS) });
                row[format!("{index}SK")] = json!({ "S": sort });
            }
        }
        for name in NAMES {
            if self.rng.bool() {
                row[name] = match name {
                    "version" | "count" => json!({ "N": self.choose(&NUMBERS[..4]).0 }),
                    _ => self.value(0),
                };
            }
        }
        row
    }

    /// A condition as the store writes them, or none.
    fn condition(&mut self, action: &mut Value) {
        let mut parts = Vec::new();
        for _ in 0..self.choose(&[0, 1, 1, 1, 2]) {
            let name = self.choose(&NAMES);
            let (text, placeholder, value) = match self.rng.u8(..7) {
                0 => ("attribute_not_exists(#PK)".to_owned(), "PK", None),
                1 => ("attribute_exists(#PK)".to_owned(), "PK", None),
                2 => (format!("attribute_not_exists(#{name})"), name, None),
                3 | 4 => (format!("#{name} = :is_{name}"), name, Some((":is_", self.value(1)))),
                5 => {
                    let number = json!({ "N": self.choose(&NUMBERS).0 });
                    (format!("#{name} < :less_{name}"), name, Some((":less_", number)))
                }
                _ => {
                    let size = json!({ "N": self.rng.u8(..3).to_string() });
                    (format!("size(#{name}) = :count_{name}"), name, Some((":count_", size)))
                }
            };
            action["ExpressionAttributeNames"][format!("#{placeholder}")] = placeholder.into();
            if let Some((prefix, value)) = value {
                action["ExpressionAttributeValues"][format!("{prefix}{placeholder}")] = value;
            }
            parts.push(text);
        }
        if !parts.is_empty() {
            let operator = self.choose(&[" AND ", " OR "]);
            action["ConditionExpression"] = parts.join(operator).into();
        }
    }

    fn update(&mut self, action: &mut Value) {
        if self.rng.u8(..3) == 0 {
            let name = self.choose(&["version", "count", "status", "memberCount"]);
            action["UpdateExpression"] = format!("ADD #{name} :one").into();
            action["ExpressionAttributeNames"][format!("#{name}")] = name.into();
            action["ExpressionAttributeValues"][":one"] = json!({ "N": "1" });
            // A counter and the attributes of a row that the update may create.
            if name == "count" {
                action["UpdateExpression"] = "ADD #count :one SET #wallet = :to_wallet".into();
                action["ExpressionAttributeNames"]["#wallet"] = "wallet".into();
                action["ExpressionAttributeValues"][":to_wallet"] = json!({ "S": "" });
            }
            return;
        }
        let mut set = Vec::new();
        let mut remove = Vec::new();
        for name in ["status", "txHash", "wallet", "GSI3SK"] {
            match self.rng.u8(..4) {
                0 => {
                    action["ExpressionAttributeValues"][format!(":to_{name}")] = match name {
                        "GSI3SK" => json!({ "S": format!("moved{}", self.key()) }),
                        _ => self.value(0),
                    };
                    set.push(format!("#{name} = :to_{name}"));
                }
                1 => remove.push(format!("#{name}")),
                _ => continue,
            }
            action["ExpressionAttributeNames"][format!("#{name}")] = name.into();
        }
        if set.is_empty() && remove.is_empty() {
            set.push("#seen = :to_seen".to_owned());
            action["ExpressionAttributeNames"]["#seen"] = "seen".into();
            action["ExpressionAttributeValues"][":to_seen"] = json!({ "BOOL": true });
        }
        let clause = |verb: &str, parts: &[String]| match parts {
            [] => String::new(),
            parts => format!("{verb} {}", parts.join(", ")),
        };
        action["UpdateExpression"] =
            format!("{} {}", clause("SET", &set), clause("REMOVE", &remove)).trim().into();
    }

    /// A write, and its name in a transaction.
    fn action(&mut self) -> (&'static str, Value) {
        let mut action = json!({ "TableName": TABLE });
        let name = self.choose(&["Put", "Put", "Update", "Delete"]);
        match name {
            "Put" => action["Item"] = self.row(),
            "Update" => {
                action["Key"] = self.key();
                self.update(&mut action);
            }
            _ => action["Key"] = self.key(),
        }
        self.condition(&mut action);
        (name, action)
    }

    fn single_write(&mut self) -> Request {
        let (name, mut body) = self.action();
        let (operation, returned): (_, &[&str]) = match name {
            "Put" => ("PutItem", &["NONE", "ALL_OLD"]),
            "Update" => {
                ("UpdateItem", &["NONE", "ALL_OLD", "UPDATED_OLD", "ALL_NEW", "UPDATED_NEW"])
            }
            _ => ("DeleteItem", &["NONE", "ALL_OLD"]),
        };
        body["ReturnValues"] = self.choose(returned).into();
        Request { operation, body }
    }

    fn transaction(&mut self) -> Request {
        let mut keys = BTreeSet::new();
        let mut actions = Vec::new();
        for _ in 0..self.rng.u8(1..6) {
            let (name, mut action) = self.action();
            let row = if name == "Put" { &action["Item"] } else { &action["Key"] };
            // Two actions on one row are a case of their own.
            if keys.insert(format!("{} {}", row["PK"], row["SK"])) {
                if self.rng.bool() {
                    action["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD".into();
                }
                actions.push(json!({ name: action }));
            }
        }
        let mut body = json!({ "TransactItems": actions, "ReturnConsumedCapacity": "TOTAL" });
        if self.rng.bool() {
            self.tokens = self.tokens.wrapping_add(1);
            body["ClientRequestToken"] = format!("token-{}-{}", self.seed, self.tokens).into();
        }
        Request { operation: "TransactWriteItems", body }
    }

    fn query(&mut self, last: Option<&Value>) -> Request {
        let index = self.choose(&["", "GSI1", "GSI2", "GSI3"]);
        let mut body = json!({
            "TableName": TABLE,
            "ConsistentRead": index.is_empty(),
            "ScanIndexForward": self.rng.bool(),
            "ExpressionAttributeNames": { "#pk": format!("{index}PK") },
            "ExpressionAttributeValues": { ":pk": { "S": self.choose(&PARTITIONS) } },
            "KeyConditionExpression": "#pk = :pk",
        });
        if !index.is_empty() {
            body["IndexName"] = index.into();
        }
        let sort = self.rng.u8(..3);
        if sort > 0 {
            body["ExpressionAttributeNames"]["#sk"] = format!("{index}SK").into();
        }
        let text = |text: &str| json!({ "S": text });
        let [first, last_sort] = [self.choose(&SORTS), self.choose(&SORTS)];
        if sort == 1 {
            let prefix = self.choose(&["M", "MEMBER#", "ENTRY#1", "0", "1", "2METADATA"]);
            body["KeyConditionExpression"] = "#pk = :pk AND begins_with(#sk, :prefix)".into();
            body["ExpressionAttributeValues"][":prefix"] = text(prefix);
        } else if sort == 2 {
            let bounds = if index.is_empty() { [first, last_sort] } else { ["0", "2"] };
            body["KeyConditionExpression"] = "#pk = :pk AND #sk BETWEEN :first AND :last".into();
            body["ExpressionAttributeValues"][":first"] = text(bounds[0]);
            body["ExpressionAttributeValues"][":last"] = text(bounds[1]);
        }
        if self.rng.bool() {
            body["Limit"] = self.rng.u8(1..4).into();
        }
        // The next page of the last query, in the same list.
        if let Some(key) = last.filter(|_| self.rng.u8(..4) == 0) {
            body["ExclusiveStartKey"] = key.clone();
        }
        Request { operation: "Query", body }
    }

    /// The next request, with the key at which the last query ended.
    pub(super) fn next(&mut self, last: Option<&Value>) -> Request {
        match self.rng.u8(..12) {
            0..=3 => self.transaction(),
            4..=5 => self.single_write(),
            6..=8 => self.query(last),
            9 => {
                let keys: Vec<_> = PARTITIONS
                    .iter()
                    .zip(SORTS)
                    .map(|(pk, sk)| json!({ "PK": { "S": pk }, "SK": { "S": sk } }))
                    .collect();
                let keys = json!({ TABLE: { "Keys": keys, "ConsistentRead": true } });
                Request { operation: "BatchGetItem", body: json!({ "RequestItems": keys }) }
            }
            _ => {
                let key = self.key();
                let body = json!({ "TableName": TABLE, "Key": key, "ConsistentRead": true });
                Request { operation: "GetItem", body }
            }
        }
    }
}
