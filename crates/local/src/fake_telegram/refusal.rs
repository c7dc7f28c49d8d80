//! Refusals of the Bot API.

use serde_json::{Map, Value, json};

/// Why a call is refused.
#[derive(Clone, Debug)]
pub(super) struct Refusal {
    pub(super) code: u16,
    pub(super) description: String,
    pub(super) parameters: Option<Value>,
}

impl Refusal {
    pub(super) fn new(code: u16, description: &str) -> Self {
        Self { code, description: description.to_owned(), parameters: None }
    }

    /// 400, with what stands after `Bad Request: `.
    pub(super) fn bad(reason: &str) -> Self {
        Self::new(400, &format!("Bad Request: {reason}"))
    }

    pub(super) fn retry_after(seconds: u64) -> Self {
        let parameters = Some(json!({ "retry_after": seconds }));
        Self { parameters, ..Self::new(429, &format!("Too Many Requests: retry after {seconds}")) }
    }

    pub(super) fn migrated(to: i64) -> Self {
        let parameters = Some(json!({ "migrate_to_chat_id": to }));
        Self { parameters, ..Self::bad("group chat was upgraded to a supergroup chat") }
    }

    pub(super) fn body(&self) -> Value {
        let mut body = Map::new();
        body.insert("ok".to_owned(), false.into());
        body.insert("error_code".to_owned(), self.code.into());
        body.insert("description".to_owned(), self.description.clone().into());
        if let Some(parameters) = &self.parameters {
            body.insert("parameters".to_owned(), parameters.clone());
        }
        body.into()
    }
}
