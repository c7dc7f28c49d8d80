//! Inline keyboards, and what Telegram refuses in them.

use serde_json::{Value, json};

use super::{Button, refusal::Refusal};

/// Most buttons of a message, and of one row.
const BUTTONS: usize = 100;
const BUTTONS_OF_ROW: usize = 8;

/// Most bytes of a button's data.
const DATA: usize = 64;

/// A keyboard as it was sent, if it has buttons, and as the chat shows it.
#[derive(Clone, Debug, Default)]
pub(super) struct Keyboard {
    pub(super) sent: Option<Value>,
    pub(super) rows: Vec<Vec<Button>>,
    /// Whether a button opens a Mini App, which only private chats allow.
    pub(super) web_app: bool,
}

/// Reads `reply_markup`. Markups without an inline keyboard are ignored.
///
/// # Errors
///
/// If a button, or their number, is refused.
pub(super) fn read(markup: Option<&Value>) -> Result<Keyboard, Refusal> {
    let Some(markup) = markup else { return Ok(Keyboard::default()) };
    if !markup.is_object() {
        return Err(Refusal::bad("object expected as reply markup"));
    }
    let Some(rows) = markup.get("inline_keyboard") else { return Ok(Keyboard::default()) };
    let rows = rows
        .as_array()
        .ok_or_else(|| Refusal::bad("field \"inline_keyboard\" must be of type Array"))?;
    let mut keyboard = Keyboard::default();
    let mut sent = Vec::new();
    for row in rows {
        let Some(row) = row.as_array() else {
            return Err(Refusal::bad("field \"inline_keyboard\" must be an Array of Arrays"));
        };
        if row.len() > BUTTONS_OF_ROW {
            return Err(Refusal::bad("REPLY_MARKUP_TOO_LONG"));
        }
        if row.is_empty() {
            continue;
        }
        let buttons = row.iter().map(button).collect::<Result<Vec<_>, _>>()?;
        keyboard.web_app |= row.iter().any(|button| web_app(button).is_some());
        keyboard.rows.push(buttons);
        sent.push(row.clone());
    }
    if keyboard.rows.iter().map(Vec::len).sum::<usize>() > BUTTONS {
        return Err(Refusal::bad("REPLY_MARKUP_TOO_LONG"));
    }
    keyboard.sent = Some(json!({ "inline_keyboard": sent })).filter(|_| !sent.is_empty());
    Ok(keyboard)
}

/// The Mini App that a button opens.
fn web_app(button: &Value) -> Option<&Value> {
    button.get("web_app").filter(|app| !app.is_null())
}

fn button(button: &Value) -> Result<Button, Refusal> {
    let field = |name: &str| button.get(name).and_then(Value::as_str).map(str::to_owned);
    let text = field("text")
        .filter(|text| !text.trim().is_empty())
        .ok_or_else(|| Refusal::bad("inline keyboard button text must be non-empty"))?;
    let data = field("callback_data");
    let url = field("url");
    let app = web_app(button)
        .map(|app| app.get("url").and_then(Value::as_str).map(str::to_owned).unwrap_or_default());
    let actions = [data.is_some(), url.is_some(), app.is_some()];
    match actions.into_iter().filter(|has| *has).count() {
        1 => {}
        0 => {
            return Err(Refusal::bad(
                "can't parse inline keyboard button: Text buttons are unallowed in the inline \
                 keyboard",
            ));
        }
        _ => return Err(Refusal::bad("BUTTON_TYPE_INVALID")),
    }
    if data.as_ref().is_some_and(|data| data.is_empty() || data.len() > DATA) {
        return Err(Refusal::bad("BUTTON_DATA_INVALID"));
    }
    let has_scheme = |url: &String, schemes: &[&str]| {
        schemes.iter().any(|scheme| {
            url.strip_prefix(scheme).is_some_and(|rest| !rest.is_empty() && !url.contains(' '))
        })
    };
    if let Some(url) =
        url.as_ref().filter(|url| !has_scheme(url, &["https://", "http://", "tg://"]))
    {
        return Err(Refusal::bad(&format!(
            "inline keyboard button URL '{url}' is invalid: Wrong URL"
        )));
    }
    if let Some(url) = app.as_ref().filter(|url| !has_scheme(url, &["https://"])) {
        return Err(Refusal::bad(&format!(
            "inline keyboard button Web App URL '{url}' is invalid: Only HTTPS links are allowed"
        )));
    }
    Ok(Button { text, data, url: url.or(app) })
}
