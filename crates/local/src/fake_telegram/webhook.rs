//! The other direction: what people do becomes updates, which are posted to the webhook.

use std::time::Duration;

use axum::{
    body::Bytes,
    http::{Request, header},
};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{
    FakeTelegram, Pressed, Said, Webhook,
    html::units,
    methods::{Answer, Args},
    state::{Query, private},
};

/// Number of times that an update is posted again if the webhook does not accept it.
const REPEATS: u32 = 3;

/// Maximum time that the webhook may take to answer.
const PATIENCE: Duration = Duration::from_mins(1);

/// Nothing was posted.
const NOTHING: Said = Said { status: 0, attempts: 0, message_id: 0 };

impl FakeTelegram {
    /// Lets a person write to a chat. Unknown people and groups are added.
    ///
    /// In a private chat this also lets the bot write to them.
    pub async fn say(&self, chat: i64, from: u64, text: &str) -> Said {
        let (message_id, message) = {
            let mut state = self.state();
            state.know(chat, from);
            if chat == private(from) {
                state.set_out(chat, false);
            }
            let entities = command(text);
            let put = state.put(chat, Some(from), (text.to_owned(), entities), self.now());
            let id = put.map_or(0, |stored| stored.message.id);
            (id, state.message_json(chat, id))
        };
        Said { message_id, ..self.deliver_in(chat, "message", message).await }
    }

    /// Lets a person press the button with this text under a message.
    pub async fn press(&self, chat: i64, message_id: i64, button: &str, from: u64) -> Pressed {
        let data = self.state().stored(chat, message_id).and_then(|stored| {
            let found = stored.message.buttons.iter().flatten().find(|b| b.text == button);
            found.and_then(|button| button.data.clone())
        });
        match data {
            Some(data) => self.press_data(chat, message_id, &data, from).await,
            None => Pressed { status: 0, answered: false, alert: None },
        }
    }

    /// Lets a person send made-up data as a press under a message, also one that does not exist.
    pub async fn press_data(&self, chat: i64, message_id: i64, data: &str, from: u64) -> Pressed {
        let (id, query) = {
            let mut state = self.state();
            state.know(chat, from);
            let id = state.queries.len().saturating_add(4_000_000_001).to_string();
            state.queries.insert(id.clone(), Query::default());
            let query = json!({
                "id": id,
                "from": state.user_json(from),
                "message": state.message_json(chat, message_id),
                "chat_instance": state.chats.get(&chat).map(|chat| &chat.instance),
                "data": data,
            });
            (id, query)
        };
        let Said { status, .. } = self.deliver_in(chat, "callback_query", query).await;
        let state = self.state();
        let query = state.queries.get(&id);
        let answered = query.is_some_and(|query| query.answered);
        Pressed { status, answered, alert: query.and_then(|query| query.text.clone()) }
    }

    /// Lets a person add the bot to a group.
    pub async fn join_bot(&self, chat: i64, by: u64) -> Said {
        self.member(chat, by, "left", "member").await
    }

    /// Lets a person remove the bot from a group, or block it in their private chat.
    pub async fn leave_bot(&self, chat: i64, by: u64) -> Said {
        self.member(chat, by, "member", if chat < 0 { "left" } else { "kicked" }).await
    }

    /// Posts an update as it is, with the next `update_id` if it has none.
    pub async fn update(&self, mut update: Value) -> Said {
        {
            let mut state = self.state();
            if let Some(fields) = update.as_object_mut().filter(|u| !u.contains_key("update_id")) {
                state.updates = state.updates.saturating_add(1);
                fields.insert("update_id".to_owned(), state.updates.into());
            }
            state.last_update = Some(update.clone());
        }
        self.post(&update).await
    }

    /// Posts the last update again.
    pub async fn repeat_last(&self) -> Said {
        let last = self.state().last_update.clone();
        match last {
            Some(update) => self.post(&update).await,
            None => NOTHING,
        }
    }

    async fn member(&self, chat: i64, by: u64, old: &str, new: &str) -> Said {
        let change = {
            let mut state = self.state();
            state.know(chat, by);
            state.set_out(chat, new != "member");
            let member = |status| json!({ "status": status, "user": state.bot_json() });
            json!({
                "chat": state.chat_json(chat),
                "from": state.user_json(by),
                "date": self.now() / 1_000,
                "old_chat_member": member(old),
                "new_chat_member": member(new),
            })
        };
        self.deliver("my_chat_member", change).await
    }

    /// Posts what happened in a chat, unless the bot is not in it.
    async fn deliver_in(&self, chat: i64, kind: &str, content: Value) -> Said {
        let out = self.state().reach(chat).is_err();
        if out { NOTHING } else { self.deliver(kind, content).await }
    }

    /// Posts an update of a kind that the webhook wants.
    async fn deliver(&self, kind: &str, content: Value) -> Said {
        let wanted = self.webhook().is_some_and(|webhook| {
            let kinds = webhook.allowed_updates;
            kinds.is_empty() || kinds.iter().any(|allowed| allowed == kind)
        });
        if wanted { self.update(json!({ kind: content })).await } else { NOTHING }
    }

    /// Posts an update until the webhook accepts it, and carries out the method of its answer.
    async fn post(&self, update: &Value) -> Said {
        let mut said = NOTHING;
        let Some(webhook) = self.webhook() else { return said };
        while said.attempts <= REPEATS {
            said.attempts = said.attempts.saturating_add(1);
            let answer = timeout(PATIENCE, self.request(&webhook, update)).await.ok().flatten();
            let (status, body) = answer.unwrap_or((0, Bytes::new()));
            said.status = status;
            if (200..300).contains(&status) {
                self.carry_out(&body);
                break;
            }
        }
        said
    }

    async fn request(&self, webhook: &Webhook, update: &Value) -> Option<(u16, Bytes)> {
        let mut request =
            Request::post(&webhook.url).header(header::CONTENT_TYPE, "application/json");
        if let Some(secret) = &webhook.secret_token {
            request = request.header("x-telegram-bot-api-secret-token", secret);
        }
        let request = request.body(Full::new(Bytes::from(update.to_string()))).ok()?;
        let response = self.0.client.request(request).await.ok()?;
        let status = response.status().as_u16();
        Some((status, response.into_body().collect().await.ok()?.to_bytes()))
    }

    /// Carries out the method in an answer of the webhook, as if it were called.
    fn carry_out(&self, body: &[u8]) {
        let Ok(Value::Object(fields)) = serde_json::from_slice(body) else { return };
        let args = Args(fields);
        let Some(method) = args.text("method") else { return };
        if let Answer::Api(Err(refusal)) = self.call(method, &args) {
            self.state().webhook_errors.push(format!("{method}: {}", refusal.description));
        }
    }
}

/// The entity of a command that a text begins with.
fn command(text: &str) -> Vec<Value> {
    let allowed = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '@');
    let Some(rest) = text.strip_prefix('/') else { return Vec::new() };
    let name: String = rest.chars().take_while(allowed).collect();
    if name.is_empty() {
        return Vec::new();
    }
    let length = units(&name).saturating_add(1);
    vec![json!({ "type": "bot_command", "offset": 0, "length": length })]
}
