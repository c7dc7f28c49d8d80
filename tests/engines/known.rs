//! The known differences between the engines, each with the AWS page that says which one is right.

use serde_json::Value;

use super::{Answer, Request, requests::NUMBERS};

/// A difference between the embedded engine and DynamoDB Local.
pub(super) struct Known {
    /// Description of the difference.
    pub(super) difference: &'static str,
    /// The engine that behaves like DynamoDB.
    #[expect(dead_code, reason = "for readers")]
    pub(super) right: &'static str,
    /// The page of AWS that says so.
    #[expect(dead_code, reason = "for readers")]
    pub(super) page: &'static str,
    /// Whether two different answers are an instance of it: the case, the request, the embedded
    /// engine's answer and the other one's.
    pub(super) is: fn(&str, &Request, &Answer, &Answer) -> bool,
}

/// Those in random sequences.
pub(super) const IN_SEQUENCES: &[Known] = &[
    Known {
        difference: "numbers inside of lists and maps keep leading and trailing zeros",
        right: "embedded",
        page: "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html",
        is: |_, _, embedded, other| normal(&embedded.body) == normal(&other.body),
    },
    Known {
        difference: "an update that creates a row returns its key as the old attributes",
        right: "DynamoDB Local",
        page: "https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateItem.html",
        is: |_, request, embedded, other| {
            request.body["ReturnValues"] == "ALL_OLD"
                && embedded.body["Attributes"].as_object().is_some_and(|it| it.len() == 2)
                && other.body.get("Attributes").is_none()
        },
    },
    Known {
        difference: "a full page that ends at the bound of its range has no last key",
        right: "either: whether there is more is only known at the next page",
        page: "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Query.Pagination.html",
        is: |_, request, embedded, other| {
            let bound = |key: &Value| ends_range(request, key);
            other.status == 200
                && other.body.get("LastEvaluatedKey").is_none()
                && embedded.body.get("LastEvaluatedKey").is_some_and(bound)
        },
    },
    Known {
        difference: "an update of the wrong type is no reason for a cancellation",
        right: "embedded",
        page: "https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html",
        is: |_, _, embedded, other| {
            let reasons = embedded.body["CancellationReasons"].as_array();
            other.error() == Some("ValidationException")
                && reasons.is_some_and(|it| it.iter().any(|it| it["Code"] == "ValidationError"))
        },
    },
];

/// Those at the limits.
pub(super) const AT_LIMITS: &[Known] = &[Known {
    difference: "keys of indexes may be longer than 2,048 and 1,024 bytes",
    right: "DynamoDB Local",
    page: "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html",
    is: |name, _, embedded, other| {
        name.contains("key of an index of") && embedded.status == 200 && other.status == 400
    },
}];

/// Whether a key is the first or the last of the range that a query asks for.
fn ends_range(request: &Request, key: &Value) -> bool {
    let name = request.body["ExpressionAttributeNames"]["#sk"].as_str().unwrap_or_default();
    let values = &request.body["ExpressionAttributeValues"];
    [":first", ":last"].iter().any(|bound| values[bound].is_object() && values[bound] == key[name])
}

/// The same with every number in one form.
fn normal(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| {
                let number = NUMBERS.iter().find(|(written, _)| name == "N" && value == written);
                let value =
                    number.map_or_else(|| normal(value), |(_, returned)| (*returned).into());
                (name.clone(), value)
            };
            fields.iter().map(field).collect::<serde_json::Map<_, _>>().into()
        }
        Value::Array(values) => values.iter().map(normal).collect(),
        other => other.clone(),
    }
}
