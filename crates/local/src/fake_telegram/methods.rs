//! The methods of the Bot API.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::{
    Call, FakeTelegram, Outcome, Webhook,
    html::{self, Formatted, units},
    keyboard,
    refusal::Refusal,
    state::State,
};

/// Longest text, in UTF-16 units after entities are parsed.
const TEXT: usize = 4_096;
/// Longest text of an answer to a press, in characters.
const ALERT: usize = 200;

/// Outcome of a call.
#[derive(Debug)]
pub(super) enum Answer {
    Api(Result<Value, Refusal>),
    Unreadable,
    Redirect,
    /// The connection is cut after this time.
    Cut(Duration),
}

impl Answer {
    /// The HTTP status, 0 for none.
    pub(super) fn status(&self) -> u16 {
        match self {
            Self::Api(Ok(_)) | Self::Unreadable => 200,
            Self::Api(Err(refusal)) => refusal.code,
            Self::Redirect => 302,
            Self::Cut(_) => 0,
        }
    }

    fn refused(refusal: Refusal) -> Self {
        Self::Api(Err(refusal))
    }
}

/// The parameters of a call. In forms, numbers and objects are text.
#[derive(Clone, Debug, Default)]
pub(super) struct Args(pub(super) Map<String, Value>);

impl Args {
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.0.get(key).and_then(Value::as_str)
    }

    pub(super) fn integer(&self, key: &str) -> Option<i64> {
        integer(self.0.get(key)?)
    }

    fn flag(&self, key: &str) -> bool {
        self.0.get(key).is_some_and(is_true)
    }

    /// An object or array, also one that is written in a text.
    fn json(&self, key: &str) -> Result<Option<Value>, Refusal> {
        match self.0.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if text.is_empty() => Ok(None),
            Some(Value::String(text)) => serde_json::from_str(text)
                .map_err(|_| Refusal::bad(&format!("can't parse {key} JSON object"))),
            Some(value) => Ok(Some(value.clone())),
        }
    }

    fn chat(&self) -> Result<i64, Refusal> {
        if self.0.get("chat_id").is_none_or(|chat| chat.is_null() || chat == "") {
            return Err(Refusal::bad("chat_id is empty"));
        }
        self.integer("chat_id").ok_or_else(|| Refusal::bad("chat not found"))
    }

    fn formatted(&self) -> Result<Formatted, Refusal> {
        let text = self.text("text").unwrap_or_default();
        let (text, entities) = match self.text("parse_mode").unwrap_or_default() {
            "" => {
                let entities = self.json("entities")?;
                let entities = entities.as_ref().and_then(Value::as_array).cloned();
                (text.trim().to_owned(), entities.unwrap_or_default())
            }
            mode if mode.eq_ignore_ascii_case("html") => html::parse(text)
                .map_err(|reason| Refusal::bad(&format!("can't parse entities: {reason}")))?,
            _ => return Err(Refusal::bad("unsupported parse_mode")),
        };
        match units(&text) {
            0 => Err(Refusal::bad("message text is empty")),
            1..=TEXT => Ok((text, entities)),
            _ => Err(Refusal::bad("message is too long")),
        }
    }

    /// The text as it was sent, if it was HTML.
    fn html(&self) -> Option<String> {
        self.text("parse_mode").filter(|mode| !mode.is_empty())?;
        self.text("text").map(str::to_owned)
    }

    /// The message to reply to, and whether it may be missing.
    fn reply(&self) -> Result<Option<(i64, bool)>, Refusal> {
        let Some(parameters) = self.json("reply_parameters")? else {
            let id = self.integer("reply_to_message_id").filter(|id| *id != 0);
            return Ok(id.map(|id| (id, self.flag("allow_sending_without_reply"))));
        };
        let id = parameters.get("message_id").and_then(integer);
        let id = id.ok_or_else(|| Refusal::bad("message identifier is not specified"))?;
        Ok(Some((id, parameters.get("allow_sending_without_reply").is_some_and(is_true))))
    }
}

fn integer(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.trim().parse().ok())
}

fn is_true(value: &Value) -> bool {
    match value {
        Value::Bool(flag) => *flag,
        Value::String(text) => matches!(text.to_ascii_lowercase().as_str(), "true" | "1"),
        value => value.as_i64() == Some(1),
    }
}

impl FakeTelegram {
    /// Carries out a call and records it.
    pub(super) fn call(&self, method: &str, args: &Args) -> Answer {
        let at = self.now();
        let chat = args.integer("chat_id");
        let mut state = self.state();
        let name = method.to_ascii_lowercase();
        let shows =
            matches!(name.as_str(), "sendmessage" | "editmessagetext" | "editmessagereplymarkup");
        let outcome = if shows { state.planned(chat) } else { None };
        let answer = match outcome {
            None => Answer::Api(state.run(&name, args, at)),
            Some(outcome) => state.ends(&outcome, &name, args, at),
        };
        let status = answer.status();
        state.calls.push(Call { method: method.to_owned(), chat, at, status });
        answer
    }
}

impl State {
    /// Ends a call as planned.
    fn ends(&mut self, outcome: &Outcome, name: &str, args: &Args, now: u64) -> Answer {
        let delivered = match outcome {
            Outcome::DeliveredThenServerError | Outcome::Unreadable | Outcome::Cut => {
                self.run(name, args, now)
            }
            _ => Ok(Value::Null),
        };
        if let Err(refusal) = delivered {
            return Answer::refused(refusal);
        }
        match outcome {
            Outcome::RetryAfter(seconds) => Answer::refused(Refusal::retry_after(*seconds)),
            Outcome::Blocked => {
                Answer::refused(Refusal::new(403, "Forbidden: bot was blocked by the user"))
            }
            Outcome::ChatNotFound => Answer::refused(Refusal::bad("chat not found")),
            Outcome::Migrate(to) => {
                if let Some(chat) = args.integer("chat_id") {
                    self.migrate(chat, *to);
                }
                Answer::refused(Refusal::migrated(*to))
            }
            Outcome::Refused(description) => Answer::refused(Refusal::new(400, description)),
            Outcome::Unauthorized => Answer::refused(Refusal::new(401, "Unauthorized")),
            Outcome::NotFound => Answer::refused(Refusal::new(404, "Not Found")),
            Outcome::ServerError | Outcome::DeliveredThenServerError => {
                Answer::refused(Refusal::new(502, "Bad Gateway"))
            }
            Outcome::Unreadable => Answer::Unreadable,
            Outcome::Redirect => Answer::Redirect,
            Outcome::Hang(time) => Answer::Cut(*time),
            Outcome::Cut => Answer::Cut(Duration::ZERO),
        }
    }

    /// Carries out a method by its name in lower case.
    fn run(&mut self, name: &str, args: &Args, now: u64) -> Result<Value, Refusal> {
        match name {
            "getme" => Ok(self.bot_json()),
            "sendmessage" => self.send_message(args, now),
            "editmessagetext" => self.edit_message(args, true, now),
            "editmessagereplymarkup" => self.edit_message(args, false, now),
            "answercallbackquery" => self.answer_callback_query(args),
            "setwebhook" => self.set_webhook(args),
            "deletewebhook" => {
                self.webhook = None;
                Ok(true.into())
            }
            "getwebhookinfo" => Ok(self.webhook_info()),
            "setmycommands" => self.set_commands(args),
            "getmycommands" => {
                let commands = self.commands.get(args.text("language_code").unwrap_or_default());
                let commands = commands.into_iter().flatten();
                Ok(commands
                    .map(|(command, text)| json!({ "command": command, "description": text }))
                    .collect())
            }
            "getupdates" if self.webhook.is_some() => Err(Refusal::new(
                409,
                "Conflict: can't use getUpdates method while webhook is active; \
                 use deleteWebhook to delete the webhook first",
            )),
            "getupdates" => Ok(json!([])),
            _ => Err(Refusal::new(404, "Not Found: method not found")),
        }
    }

    fn send_message(&mut self, args: &Args, now: u64) -> Result<Value, Refusal> {
        let chat = args.chat()?;
        let formatted = args.formatted()?;
        let keyboard = keyboard::read(args.json("reply_markup")?.as_ref())?;
        let reply = args.reply()?;
        self.reach(chat)?;
        if keyboard.web_app && chat < 0 {
            return Err(Refusal::bad("BUTTON_TYPE_INVALID"));
        }
        let reply_to = match reply {
            Some((id, _)) if self.stored(chat, id).is_some() => Some(id),
            None | Some((_, true)) => None,
            Some((_, false)) => return Err(Refusal::bad("message to be replied not found")),
        };
        self.count(chat, now)?;
        let Some(stored) = self.put(chat, None, formatted, now) else {
            return Err(Refusal::bad("chat not found"));
        };
        stored.set_keyboard(keyboard);
        stored.message.html = args.html();
        stored.message.silent = args.flag("disable_notification");
        stored.message.reply_to = reply_to;
        let id = stored.message.id;
        Ok(self.message_json(chat, id))
    }

    /// Edits text and buttons, or only buttons. Without buttons, a message loses those it has.
    fn edit_message(&mut self, args: &Args, whole: bool, now: u64) -> Result<Value, Refusal> {
        let chat = args.chat()?;
        let id = args.integer("message_id");
        let id = id.ok_or_else(|| Refusal::bad("message identifier is not specified"))?;
        let formatted = if whole { Some(args.formatted()?) } else { None };
        let keyboard = keyboard::read(args.json("reply_markup")?.as_ref())?;
        self.reach(chat)?;
        if keyboard.web_app && chat < 0 {
            return Err(Refusal::bad("BUTTON_TYPE_INVALID"));
        }
        let messages = self.chats.get_mut(&chat).map(|chat| chat.messages.iter_mut());
        let stored = messages
            .into_iter()
            .flatten()
            .find(|stored| stored.message.id == id)
            .ok_or_else(|| Refusal::bad("message to edit not found"))?;
        if !stored.message.from_bot {
            return Err(Refusal::bad("message can't be edited"));
        }
        let same_text = formatted.as_ref().is_none_or(|(text, entities)| {
            *text == stored.message.text && *entities == stored.entities
        });
        if same_text && keyboard.sent == stored.markup {
            return Err(Refusal::bad(
                "message is not modified: specified new message content and reply markup are \
                 exactly the same as a current content and reply markup of the message",
            ));
        }
        if let Some((text, entities)) = formatted {
            stored.message.text = text;
            stored.message.html = args.html();
            stored.entities = entities;
        }
        stored.set_keyboard(keyboard);
        stored.message.edits = stored.message.edits.saturating_add(1);
        stored.edited_at = Some(now);
        Ok(self.message_json(chat, id))
    }

    fn answer_callback_query(&mut self, args: &Args) -> Result<Value, Refusal> {
        let text = args.text("text").filter(|text| !text.is_empty());
        if text.is_some_and(|text| text.chars().count() > ALERT) {
            return Err(Refusal::bad("MESSAGE_TOO_LONG"));
        }
        let id = args.text("callback_query_id").unwrap_or_default();
        let query = self.queries.get_mut(id).filter(|query| !query.answered).ok_or_else(|| {
            Refusal::bad("query is too old and response timeout expired or query ID is invalid")
        })?;
        query.answered = true;
        query.text = text.map(str::to_owned);
        Ok(true.into())
    }

    fn set_webhook(&mut self, args: &Args) -> Result<Value, Refusal> {
        let url = args.text("url").unwrap_or_default();
        if url.is_empty() {
            self.webhook = None;
            return Ok(true.into());
        }
        let loopback = ["127.0.0.1", "localhost", "[::1]"].iter().any(|host| {
            let rest = url.strip_prefix("http://").and_then(|rest| rest.strip_prefix(host));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/']))
        });
        if !loopback && !url.starts_with("https://") {
            return Err(Refusal::bad("bad webhook: An HTTPS URL must be provided for webhook"));
        }
        let secret_token = args.text("secret_token").filter(|secret| !secret.is_empty());
        if secret_token.is_some_and(|secret| secret.len() > 256) {
            return Err(Refusal::bad("secret token is too long"));
        }
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        if secret_token.is_some_and(|secret| !secret.bytes().all(allowed)) {
            return Err(Refusal::bad("secret token contains unallowed characters"));
        }
        let allowed_updates = match args.json("allowed_updates")? {
            // Without the parameter, the last one stays.
            None => self.webhook.as_ref().map(|webhook| webhook.allowed_updates.clone()),
            Some(kinds) => Some(serde_json::from_value(kinds).map_err(|_| {
                Refusal::bad("can't parse allowed updates: expected an Array of String")
            })?),
        };
        self.webhook = Some(Webhook {
            url: url.to_owned(),
            secret_token: secret_token.map(str::to_owned),
            allowed_updates: allowed_updates.unwrap_or_default(),
        });
        Ok(true.into())
    }

    fn webhook_info(&self) -> Value {
        let empty =
            json!({ "url": "", "has_custom_certificate": false, "pending_update_count": 0 });
        let Some(webhook) = &self.webhook else { return empty };
        json!({
            "url": webhook.url,
            "has_custom_certificate": false,
            "pending_update_count": 0,
            "max_connections": 40,
            "allowed_updates": webhook.allowed_updates,
        })
    }

    fn set_commands(&mut self, args: &Args) -> Result<Value, Refusal> {
        let language = args.text("language_code").unwrap_or_default();
        if !matches!(language.as_bytes(), [] | [b'a'..=b'z', b'a'..=b'z']) {
            return Err(Refusal::bad("LANG_CODE_INVALID"));
        }
        let list = args.json("commands")?;
        let list = list.as_ref().and_then(Value::as_array);
        let list = list.ok_or_else(|| Refusal::bad("expected an Array of BotCommand"))?;
        if list.len() > 100 {
            return Err(Refusal::bad("BOT_COMMANDS_TOO_MUCH"));
        }
        let mut commands = Vec::new();
        for item in list {
            let field = |name| item.get(name).and_then(Value::as_str).unwrap_or_default();
            let command = field("command").trim_start_matches('/');
            let text = field("description");
            let allowed = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_');
            if !(1..=32).contains(&command.len()) || !command.bytes().all(allowed) {
                return Err(Refusal::bad("BOT_COMMAND_INVALID"));
            }
            if !(1..=256).contains(&text.chars().count()) {
                return Err(Refusal::bad("BOT_COMMAND_DESCRIPTION_INVALID"));
            }
            commands.push((command.to_owned(), text.to_owned()));
        }
        self.commands.insert(language.to_owned(), commands);
        Ok(true.into())
    }
}
