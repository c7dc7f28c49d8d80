//! Answers and rows without what two runs of the same requests do not share: new ids and times.

use std::collections::{BTreeMap, HashSet};

use fracti_core::storage::row::{AttributeValue, Item};
use serde_json::Value;

/// Rows in a comparable form.
pub(super) type Compared = Vec<String>;

/// Attributes that say how often and when a row was written.
const STAMPS: [&str; 7] =
    ["version", "Version", "ttl", "updatedAt", "UpdatedAt", "lastUsedAt", "formatVersion"];

/// The words of texts. Ids and times are among them.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(['#', '~', '"', ' ', '/', ',']).filter(|word| !word.is_empty())
}

/// A value in which ids and times that are not `known` are replaced.
pub(super) fn shape(value: &Value, known: &HashSet<String>) -> Value {
    match value {
        Value::Object(fields) => {
            let mut shaped = BTreeMap::<_, Vec<_>>::new();
            for (name, value) in fields {
                shaped.entry(text(name, known)).or_default().push(shape(value, known));
            }
            // New ids have one shape, so that each may stand for several values, in no order.
            let one_or_all = |mut values: Vec<Value>| match values.pop() {
                Some(only) if values.is_empty() => only,
                last => {
                    values.extend(last);
                    values.sort_by_key(Value::to_string);
                    values.into()
                }
            };
            Value::Object(shaped.into_iter().map(|(name, it)| (name, one_or_all(it))).collect())
        }
        Value::Array(items) => {
            let mut shaped: Vec<_> = items.iter().map(|item| shape(item, known)).collect();
            // Members are in the order of their ids, and so are lists of ids, which may be new.
            let is_id = |item: &Value| item.as_str().is_some_and(|text| kind(text).is_some());
            let are_ids = items.iter().all(is_id);
            shaped.sort_by_key(|item| {
                item["userId"].as_str().or(item.as_str().filter(|_| are_ids)).map(str::to_owned)
            });
            shaped.into()
        }
        Value::String(sent) => text(sent, known).into(),
        other => other.clone(),
    }
}

fn text(sent: &str, known: &HashSet<String>) -> String {
    let mut shaped = sent.to_owned();
    for word in words(sent) {
        if let Some(kind) = kind(word).filter(|_| !known.contains(word)) {
            shaped = shaped.replacen(word, kind, 1);
        }
    }
    shaped
}

/// Whether it is a letter of Base64 in URLs.
const fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'
}

/// Placeholder for an id or a time.
fn kind(word: &str) -> Option<&'static str> {
    let is_hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_uuid = |text: &str| {
        text.len() == 36 && text.matches('-').count() == 4 && is_hex(&text.replace('-', ""))
    };
    // A guest in the balance row, after a letter; the code of an invitation.
    let is_short = |text: &str| text.len() == 22 && text.bytes().all(is_letter);
    if is_uuid(word) {
        Some("<id>")
    } else if word.strip_prefix("guest-").is_some_and(is_uuid)
        || word.strip_prefix('g').is_some_and(is_short)
    {
        Some("<guest>")
    } else if word.len() == 24 && word.ends_with('Z') && word.as_bytes()[10] == b'T' {
        Some("<time>")
    } else if [20, 32, 64].contains(&word.len()) && is_hex(word) {
        Some("<bytes>")
    } else if word.starts_with("fracti_pat_") {
        Some("<token>")
    } else if is_short(word) {
        Some("<code>")
    } else {
        None
    }
}

/// A row as JSON; `None` if it says only how requests were made.
pub(super) fn row(item: &Item, known: &HashSet<String>) -> Option<String> {
    let json =
        Value::Object(item.iter().map(|(name, value)| (name.clone(), json(value))).collect());
    let partition = json["PK"].as_str().unwrap_or_default();
    if partition.starts_with("IDEM#")
        || json["SK"].as_str().is_some_and(|it| it.starts_with("USAGE#"))
    {
        return None;
    }
    let mut shaped = shape(&json, known);
    if let Some(fields) = shaped.as_object_mut() {
        fields.retain(|name, _| !STAMPS.contains(&name.as_str()));
    }
    Some(shaped.to_string())
}

fn json(value: &AttributeValue) -> Value {
    match value {
        AttributeValue::S(text) => text.clone().into(),
        AttributeValue::N(number) => Value::String(format!("#{number}")),
        AttributeValue::Bool(value) => (*value).into(),
        AttributeValue::L(items) => items.iter().map(json).collect(),
        AttributeValue::M(fields) => {
            let fields: BTreeMap<_, _> = fields.iter().collect();
            Value::Object(fields.into_iter().map(|(name, it)| (name.clone(), json(it))).collect())
        }
        _ => Value::Null,
    }
}
