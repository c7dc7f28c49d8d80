//! Messages of the bot, and what else it sends to Telegram.

use std::fmt::Write;

use fracti_core::{chat::button::Button, values::id::QuestionId};
use serde::Serialize;

/// Maximum number of characters of a text of a user in a message.
const MAX_TEXT: usize = 200;

/// Maximum length of the text of a button, in characters. Telegram cuts what does not fit.
const MAX_LABEL: usize = 64;

/// Maximum length of a message, in UTF-16 units.
///
/// <https://core.telegram.org/bots/api#sendmessage>
pub(crate) const MAX_MESSAGE: usize = 4_096;

/// Maximum length of an answer to a press, in characters.
///
/// <https://core.telegram.org/bots/api#answercallbackquery>
const MAX_ALERT: usize = 200;

/// What the bot answers in a chat: a text and buttons.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
pub struct Reply {
    /// The text, without markup.
    pub text: String,
    /// The buttons below it.
    pub buttons: Buttons,
}

/// Rows of buttons.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, serde::Deserialize)]
pub struct Buttons {
    inline_keyboard: Vec<Vec<Key>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
struct Key {
    text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    callback_data: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

/// A request to the Bot API.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "method")]
pub enum Call {
    /// <https://core.telegram.org/bots/api#sendmessage>
    #[serde(rename = "sendMessage")]
    Send(Message),
    /// <https://core.telegram.org/bots/api#editmessagetext>
    #[serde(rename = "editMessageText")]
    Edit(Edit),
    /// <https://core.telegram.org/bots/api#editmessagereplymarkup>
    #[serde(rename = "editMessageReplyMarkup")]
    Buttons(Edit),
    /// <https://core.telegram.org/bots/api#answercallbackquery>
    #[serde(rename = "answerCallbackQuery")]
    Alert(Alert),
}

/// A message to send.
#[derive(Clone, Debug, Serialize)]
pub struct Message {
    chat_id: i64,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    parse_mode: Option<&'static str>,
    #[serde(skip_serializing_if = "Buttons::is_empty")]
    reply_markup: Buttons,
    #[serde(skip_serializing_if = "Option::is_none")]
    reply_parameters: Option<ReplyTo>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    disable_notification: bool,
    link_preview_options: Preview,
}

/// A message whose text or buttons are replaced.
#[derive(Clone, Debug, Serialize)]
pub struct Edit {
    chat_id: i64,
    message_id: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    reply_markup: Buttons,
    #[serde(skip_serializing_if = "Option::is_none")]
    link_preview_options: Option<Preview>,
}

/// The answer to a press.
#[derive(Clone, Debug, Serialize)]
pub struct Alert {
    callback_query_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(rename = "show_alert")]
    is_shown: bool,
}

#[derive(Clone, Debug, Serialize)]
struct ReplyTo {
    message_id: i64,
    allow_sending_without_reply: bool,
}

#[derive(Clone, Debug, Serialize)]
struct Preview {
    is_disabled: bool,
}

const NO_PREVIEW: Preview = Preview { is_disabled: true };

impl Reply {
    /// A text without buttons.
    #[must_use]
    pub fn text(text: String) -> Self {
        Self::plain(text)
    }

    /// A text without buttons.
    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), buttons: Buttons::default() }
    }
}

impl Buttons {
    /// Adds a row.
    pub(crate) fn row(mut self) -> Self {
        self.inline_keyboard.push(Vec::new());
        self
    }

    /// Adds a button to the last row.
    pub(crate) fn button(self, text: &str, does: Button) -> Self {
        self.key(text, Some(does.encode()), None)
    }

    /// Adds a button that opens a link. One that is not in Telegram is left out, which a local
    /// server without a bot has.
    pub(crate) fn link(self, text: &str, url: String) -> Self {
        if url.starts_with("https://") { self.key(text, None, Some(url)) } else { self }
    }

    fn key(mut self, text: &str, callback_data: Option<String>, url: Option<String>) -> Self {
        let key = Key { text: on_button(text), callback_data, url };
        match self.inline_keyboard.last_mut() {
            Some(row) => row.push(key),
            None => self.inline_keyboard.push(vec![key]),
        }
        self
    }

    /// These buttons, and in the last row those of the others.
    pub(crate) fn and(mut self, others: &Self) -> Self {
        let others = others.inline_keyboard.iter().flatten().cloned();
        match self.inline_keyboard.last_mut() {
            Some(row) => row.extend(others),
            None => self.inline_keyboard.push(others.collect()),
        }
        self
    }

    /// The text of the button with this data.
    pub(crate) fn text_of(&self, data: &str) -> Option<&str> {
        let mut keys = self.inline_keyboard.iter().flatten();
        let key = keys.find(|it| it.callback_data.as_deref() == Some(data));
        key.map(|it| &*it.text)
    }

    /// The rows without the options of a question.
    pub(crate) fn without_question(mut self, id: QuestionId) -> Self {
        let is_option = |key: &Key| {
            let does = key.callback_data.as_deref().and_then(Button::decode);
            matches!(does, Some(Button::Answer { question, .. }) if question == id)
        };
        self.inline_keyboard.retain(|row| !row.iter().any(is_option));
        self
    }

    /// The rows without a button that does this.
    pub(crate) fn without(mut self, does: Button) -> Self {
        let data = does.encode();
        let has = |row: &Vec<Key>| row.iter().any(|it| it.callback_data.as_ref() == Some(&data));
        self.inline_keyboard.retain(|row| !has(row));
        self
    }

    /// The buttons without the one that does this.
    pub(crate) fn without_button(mut self, does: Button) -> Self {
        let data = does.encode();
        for row in &mut self.inline_keyboard {
            row.retain(|it| it.callback_data.as_ref() != Some(&data));
        }
        self
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.inline_keyboard.iter().all(Vec::is_empty)
    }

    fn without_empty_rows(mut self) -> Self {
        self.inline_keyboard.retain(|row| !row.is_empty());
        self
    }
}

impl Message {
    /// A reply to a message of a chat.
    #[must_use]
    pub fn reply(chat_id: i64, to: Option<i64>, reply: Reply) -> Self {
        let to = to.map(|message_id| ReplyTo { message_id, allow_sending_without_reply: true });
        Self {
            chat_id,
            text: reply.text,
            parse_mode: None,
            reply_markup: reply.buttons.without_empty_rows(),
            reply_parameters: to,
            disable_notification: false,
            link_preview_options: NO_PREVIEW,
        }
    }

    /// A message with markup.
    pub(crate) fn notice(chat_id: i64, html: String, buttons: Buttons, silent: bool) -> Self {
        let plain = Reply { text: html, buttons };
        let parse_mode = Some("HTML");
        Self { parse_mode, disable_notification: silent, ..Self::reply(chat_id, None, plain) }
    }
}

impl Call {
    /// What it says in the chat; none if it says nothing.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Send(message) => Some(&message.text),
            Self::Edit(edit) => edit.text.as_deref(),
            Self::Buttons(_) | Self::Alert(_) => None,
        }
    }
}

impl Message {
    /// The message without markup and buttons.
    pub(crate) fn plain(self) -> Self {
        let text = without_markup(&self.text);
        Self { text, parse_mode: None, reply_markup: Buttons::default(), ..self }
    }
}

impl Edit {
    /// The message of a chat that becomes this reply.
    #[must_use]
    pub fn of(chat_id: i64, message_id: i64, reply: Reply) -> Self {
        let reply_markup = reply.buttons.without_empty_rows();
        let text = Some(reply.text);
        let link_preview_options = Some(NO_PREVIEW);
        Self { chat_id, message_id, text, reply_markup, link_preview_options }
    }

    /// The message of a chat that keeps its text and gets these buttons.
    #[must_use]
    pub fn buttons(chat_id: i64, message_id: i64, buttons: Buttons) -> Self {
        let reply = Reply { text: String::new(), buttons };
        Self { text: None, link_preview_options: None, ..Self::of(chat_id, message_id, reply) }
    }
}

impl Alert {
    /// The answer to the press with this id. A text is shown until it is closed.
    #[must_use]
    pub fn of(press: &str, text: Option<&str>) -> Self {
        let is_shown = text.is_some();
        let text = text.map(|text| shortened(text, MAX_ALERT));
        Self { callback_query_id: press.to_owned(), text, is_shown }
    }
}

/// The text that Telegram makes of the HTML of a message.
pub(crate) fn without_markup(html: &str) -> String {
    let text = html.replace("<b>", "").replace("</b>", "");
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
    text.replace("&amp;", "&")
}

/// A text of a user that does not change the text around it: [`unmarked`], and isolated if it may
/// be written from right to left. Between two such names, an arrow or a number would change sides.
///
/// <https://www.unicode.org/reports/tr9/#Explicit_Directional_Isolates>
pub(crate) fn clean(text: &str) -> String {
    isolated(unmarked(text))
}

/// A text between marks that keep its direction to itself, if it may have another one than the text
/// around it.
pub(crate) fn isolated(text: String) -> String {
    let is_from_right = |it: char| {
        matches!(
            it,
            '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}'
                | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}'
        )
    };
    if text.contains(is_from_right) { format!("\u{2068}{text}\u{2069}") } else { text }
}

/// A text of a user without control characters, tags, and marks of direction. At most [`MAX_TEXT`]
/// characters of it.
pub(crate) fn unmarked(text: &str) -> String {
    let is_unsafe = |it: &char| {
        it.is_control()
            || matches!(
                it,
                '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
                    | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}'
            )
    };
    let text: String = text.chars().filter(|it| !is_unsafe(it)).collect();
    shortened(text.trim(), MAX_TEXT)
}

/// [`clean`], with the characters escaped that mean something in Telegram's HTML.
///
/// <https://core.telegram.org/bots/api#html-style>
pub(crate) fn escaped(text: &str) -> String {
    let mut html = String::new();
    for character in clean(text).chars() {
        let _ = match character {
            '&' => write!(html, "&amp;"),
            '<' => write!(html, "&lt;"),
            '>' => write!(html, "&gt;"),
            '"' => write!(html, "&quot;"),
            other => write!(html, "{other}"),
        };
    }
    html
}

/// A text as a button shows it.
pub(crate) fn on_button(text: &str) -> String {
    shortened(text, MAX_LABEL)
}

/// The beginning of a text, if it has more than `most` characters.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let beginning: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", beginning.trim_end())
}
