//! Sample API Gateway events with fresh init data, because init data expires.

use fracti_core::{caller::telegram, values::time::Timestamp};
use serde_json::Value;

/// Signs the init data of an event of `events/` for the bot of `token` at `now`. The user stays the
/// same. With `group`, the id of that group replaces the one in the event.
///
/// # Errors
///
/// If the text is not JSON.
pub fn sign_event(
    event: &str,
    token: &str,
    now: Timestamp,
    group: Option<&str>,
) -> Result<String, serde_json::Error> {
    let mut event: Value = serde_json::from_str(event)?;
    if let Some(headers) = event.get_mut("headers").and_then(Value::as_object_mut) {
        for (name, scheme) in [("authorization", "tma "), ("x-telegram-init-data", "")] {
            let old = headers.get(name).and_then(Value::as_str);
            if let Some(old) = old.and_then(|value| value.strip_prefix(scheme)) {
                let new = format!("{scheme}{}", telegram::sign_again(old, token, now));
                headers.insert(name.to_owned(), new.into());
            }
        }
    }
    let sample =
        event.pointer("/pathParameters/groupId").and_then(Value::as_str).map(str::to_owned);
    let event = serde_json::to_string_pretty(&event)?;
    Ok(match sample.zip(group) {
        Some((sample, group)) => event.replace(&sample, group),
        None => event,
    })
}
