//! State of the Bot API: people, chats, messages and the limits of sending.

use std::{
    collections::{BTreeMap, VecDeque},
    fmt::Write,
};

use serde_json::{Value, json};

use super::{
    Call, Message, Outcome, USERNAME, User, Webhook, keyboard::Keyboard, refusal::Refusal,
};

/// Messages that one chat takes at once, and the milliseconds after which it takes another.
const BURST: u64 = 5;
const CHAT_MS: u64 = 1_000;
/// Messages to one group in a minute.
const GROUP: usize = 20;
const GROUP_MS: u64 = 60_000;
/// Messages to all chats in a second.
const ALL: usize = 30;
const ALL_MS: u64 = 1_000;

/// Supergroups have numbers below this one, which begin with `-100`.
const SUPERGROUP: i64 = -1_000_000_000_000;

/// A message with what the chat does not show.
#[derive(Debug)]
pub(super) struct Stored {
    pub(super) message: Message,
    pub(super) entities: Vec<Value>,
    pub(super) markup: Option<Value>,
    /// The person who sent it, none for the bot.
    pub(super) from: Option<u64>,
    pub(super) edited_at: Option<u64>,
}

/// A private chat or a group.
#[derive(Debug, Default)]
pub(super) struct Chat {
    pub(super) title: String,
    pub(super) instance: String,
    pub(super) messages: Vec<Stored>,
    /// Whether the bot cannot write: blocked, not started or not in the group.
    pub(super) out: bool,
    pub(super) migrated_to: Option<i64>,
    /// Time up to which the messages sent use the chat's rate.
    used_until: u64,
    sent: VecDeque<u64>,
}

/// A press, until the bot answers it and after.
#[derive(Debug, Default)]
pub(super) struct Query {
    pub(super) answered: bool,
    pub(super) text: Option<String>,
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) bot: u64,
    users: BTreeMap<u64, User>,
    pub(super) chats: BTreeMap<i64, Chat>,
    pub(super) queries: BTreeMap<String, Query>,
    pub(super) webhook: Option<Webhook>,
    pub(super) webhook_errors: Vec<String>,
    pub(super) commands: BTreeMap<String, Vec<(String, String)>>,
    pub(super) calls: Vec<Call>,
    pub(super) plans: VecDeque<(Option<i64>, Outcome)>,
    pub(super) limits: bool,
    pub(super) away: bool,
    pub(super) updates: u64,
    pub(super) last_update: Option<Value>,
    sent: VecDeque<u64>,
}

/// The number of a user's private chat.
pub(super) fn private(user: u64) -> i64 {
    i64::try_from(user).unwrap_or(i64::MAX)
}

fn kind(chat: i64) -> &'static str {
    match chat {
        0.. => "private",
        chat if chat >= SUPERGROUP => "group",
        _ => "supergroup",
    }
}

/// Milliseconds until fewer than `most` of `sent` lie in the last `window`.
fn wait(sent: &mut VecDeque<u64>, most: usize, window: u64, now: u64) -> u64 {
    sent.retain(|at| at.saturating_add(window) > now);
    if sent.len() < most {
        return 0;
    }
    sent.front().map_or(0, |first| first.saturating_add(window).saturating_sub(now))
}

impl State {
    pub(super) fn new(bot: u64) -> Self {
        Self {
            bot,
            users: BTreeMap::new(),
            chats: BTreeMap::new(),
            queries: BTreeMap::new(),
            webhook: None,
            webhook_errors: Vec::new(),
            commands: BTreeMap::new(),
            calls: Vec::new(),
            plans: VecDeque::new(),
            limits: true,
            away: false,
            updates: 0,
            last_update: None,
            sent: VecDeque::new(),
        }
    }

    pub(super) fn add_user(&mut self, user: User) {
        let instance = user.id.to_string();
        let chat = self.chats.entry(private(user.id));
        chat.or_insert_with(|| Chat { instance, out: true, ..Chat::default() });
        self.users.insert(user.id, user);
    }

    pub(super) fn add_group(&mut self, id: i64, title: &str, instance: &str) {
        let chat = self.chats.entry(id).or_default();
        title.clone_into(&mut chat.title);
        instance.clone_into(&mut chat.instance);
    }

    pub(super) fn set_out(&mut self, chat: i64, out: bool) {
        if let Some(chat) = self.chats.get_mut(&chat) {
            chat.out = out;
        }
    }

    pub(super) fn migrate(&mut self, chat: i64, to: i64) {
        let Some(old) = self.chats.get_mut(&chat) else { return };
        old.migrated_to = Some(to);
        let title = old.title.clone();
        let instance = format!("{}1", old.instance);
        if !self.chats.contains_key(&to) {
            self.add_group(to, &title, &instance);
        }
    }

    /// Adds a person or group that is not known yet, so that a terminal needs no preparation.
    pub(super) fn know(&mut self, chat: i64, user: u64) {
        if !self.users.contains_key(&user) {
            let first_name = format!("User {user}");
            self.add_user(User { id: user, first_name, username: None, language_code: None });
        }
        if chat < 0 && !self.chats.contains_key(&chat) {
            self.add_group(chat, &format!("Chat {chat}"), &chat.unsigned_abs().to_string());
        }
    }

    /// Checks that the bot can write to a chat.
    pub(super) fn reach(&self, id: i64) -> Result<(), Refusal> {
        let chat = self.chats.get(&id).ok_or_else(|| Refusal::bad("chat not found"))?;
        match (chat.migrated_to, chat.out) {
            (Some(to), _) => Err(Refusal::migrated(to)),
            (None, false) => Ok(()),
            (None, true) if id >= 0 => {
                Err(Refusal::new(403, "Forbidden: bot was blocked by the user"))
            }
            (None, true) => {
                let kicked = format!("Forbidden: bot was kicked from the {} chat", kind(id));
                Err(Refusal::new(403, &kicked))
            }
        }
    }

    /// Counts a message to a chat, unless a limit refuses it.
    pub(super) fn count(&mut self, id: i64, now: u64) -> Result<(), Refusal> {
        let Some(chat) = self.chats.get_mut(&id).filter(|_| self.limits) else { return Ok(()) };
        let burst_ms = BURST.saturating_sub(1).saturating_mul(CHAT_MS);
        let of_chat = chat.used_until.saturating_sub(now.saturating_add(burst_ms));
        let of_group = if id < 0 { wait(&mut chat.sent, GROUP, GROUP_MS, now) } else { 0 };
        let of_all = wait(&mut self.sent, ALL, ALL_MS, now);
        let wait = of_chat.max(of_group).max(of_all);
        if wait > 0 {
            return Err(Refusal::retry_after(wait.div_ceil(1_000)));
        }
        chat.used_until = chat.used_until.max(now).saturating_add(CHAT_MS);
        chat.sent.push_back(now);
        self.sent.push_back(now);
        Ok(())
    }

    /// Takes the first plan that fits the chat.
    pub(super) fn planned(&mut self, chat: Option<i64>) -> Option<Outcome> {
        let fits = |(of, _): &(Option<i64>, Outcome)| of.is_none() || *of == chat;
        let at = self.plans.iter().position(fits)?;
        self.plans.remove(at).map(|(_, outcome)| outcome)
    }

    /// Puts a message into a chat.
    pub(super) fn put(
        &mut self,
        chat: i64,
        from: Option<u64>,
        (text, entities): (String, Vec<Value>),
        now: u64,
    ) -> Option<&mut Stored> {
        let messages = &mut self.chats.get_mut(&chat)?.messages;
        let id = messages.last().map_or(1, |last| last.message.id.saturating_add(1));
        messages.push(Stored {
            message: Message {
                id,
                text,
                html: None,
                buttons: Vec::new(),
                silent: false,
                reply_to: None,
                edits: 0,
                from_bot: from.is_none(),
                sent_at: now,
            },
            entities,
            markup: None,
            from,
            edited_at: None,
        });
        messages.last_mut()
    }

    pub(super) fn stored(&self, chat: i64, id: i64) -> Option<&Stored> {
        self.chats.get(&chat)?.messages.iter().find(|stored| stored.message.id == id)
    }

    pub(super) fn bot_json(&self) -> Value {
        json!({ "id": self.bot, "is_bot": true, "first_name": "Fracti", "username": USERNAME })
    }

    pub(super) fn user_json(&self, id: u64) -> Value {
        let Some(user) = self.users.get(&id) else { return Value::Null };
        without_null(json!({
            "id": id,
            "is_bot": false,
            "first_name": user.first_name,
            "username": user.username,
            "language_code": user.language_code,
        }))
    }

    pub(super) fn chat_json(&self, id: i64) -> Value {
        let title = self.chats.get(&id).filter(|_| id < 0).map(|chat| &chat.title);
        let user = u64::try_from(id).ok().and_then(|id| self.users.get(&id));
        without_null(json!({
            "id": id,
            "type": kind(id),
            "title": title,
            "first_name": user.map(|user| &user.first_name),
            "username": user.and_then(|user| user.username.as_ref()),
        }))
    }

    /// A message as Telegram sends it, and with what it replies to, unless that is one itself.
    pub(super) fn message_json(&self, chat: i64, id: i64) -> Value {
        let Some(stored) = self.stored(chat, id) else {
            // An inaccessible message.
            return json!({ "chat": self.chat_json(chat), "message_id": id, "date": 0 });
        };
        let mut shown = self.alone_json(chat, stored);
        let replied = stored.message.reply_to.and_then(|id| self.stored(chat, id));
        if let (Some(shown), Some(replied)) = (shown.as_object_mut(), replied) {
            shown.insert("reply_to_message".to_owned(), self.alone_json(chat, replied));
        }
        shown
    }

    fn alone_json(&self, chat: i64, stored: &Stored) -> Value {
        let seconds = |ms: u64| ms / 1_000;
        let Stored { message, entities, markup, from, edited_at } = stored;
        without_null(json!({
            "message_id": message.id,
            "from": from.map_or_else(|| self.bot_json(), |from| self.user_json(from)),
            "chat": self.chat_json(chat),
            "date": seconds(message.sent_at),
            "edit_date": edited_at.map(seconds),
            "text": message.text,
            "entities": Some(entities).filter(|entities| !entities.is_empty()),
            "reply_markup": markup,
        }))
    }

    pub(super) fn transcript(&self, chat: i64) -> String {
        let mut lines = String::new();
        for Stored { message, from, .. } in
            self.chats.get(&chat).map(|chat| &chat.messages).into_iter().flatten()
        {
            let user = from.and_then(|from| self.users.get(&from));
            let name = user.map_or("Fracti", |user| user.first_name.as_str());
            // Writing to a `String` cannot fail.
            let _ = writeln!(lines, "#{} {name}: {}", message.id, message.text);
            for row in &message.buttons {
                let row: Vec<_> = row.iter().map(|button| format!("[{}]", button.text)).collect();
                let _ = writeln!(lines, "  {}", row.join(" "));
            }
        }
        lines
    }
}

impl Stored {
    pub(super) fn set_keyboard(&mut self, keyboard: Keyboard) {
        self.markup = keyboard.sent;
        self.message.buttons = keyboard.rows;
    }
}

fn without_null(mut value: Value) -> Value {
    if let Some(fields) = value.as_object_mut() {
        fields.retain(|_, field| !field.is_null());
    }
    value
}
