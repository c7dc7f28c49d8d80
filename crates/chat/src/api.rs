//! The Bot API.
//!
//! <https://core.telegram.org/bots/api#making-requests>

use std::{fmt, sync::Arc, time::Duration};

use fracti_core::chat::subscription::InactiveReason;
use fracti_reach::{Answer, Reach, ReachError};
use fracti_runtime::{BotToken, with_causes};
use serde::{Deserialize, Serialize};

use crate::message::Call;

/// Time limit of a message that no update waits for.
const MESSAGE_LIMIT: Duration = Duration::from_secs(10);

/// Time limit of what an update is answered with.
const ANSWER_LIMIT: Duration = Duration::from_secs(2);

/// The Bot API of a bot. A clone is cheap. Its `Debug` form does not show the token.
#[derive(Clone)]
pub struct BotApi {
    reach: Reach,
    /// Its address with the token.
    base: Arc<str>,
}

/// What became of a request to the Bot API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was done.
    Done,
    /// It was not done: there were too many. It may be sent again after so many seconds.
    RetryAfter(u64),
    /// The chat cannot be reached.
    Unreachable(InactiveReason),
    /// The chat has another number.
    Migrated(i64),
    /// It was refused, for this reason.
    Refused(String),
    /// The token is not that of a bot.
    NoBot,
    /// Telegram was not reached, so nothing was done.
    NotSent(String),
    /// It may have been done.
    Unknown(String),
}

/// <https://core.telegram.org/bots/api#making-requests>
#[derive(Deserialize)]
struct Envelope {
    ok: bool,
    #[serde(default)]
    description: String,
    #[serde(default)]
    parameters: Parameters,
}

/// <https://core.telegram.org/bots/api#responseparameters>
#[derive(Default, Deserialize)]
struct Parameters {
    migrate_to_chat_id: Option<i64>,
    retry_after: Option<u64>,
}

impl BotApi {
    /// The Bot API at `url`, like `https://api.telegram.org`, for the bot with `token`.
    #[must_use]
    pub fn new(url: &str, token: &BotToken) -> Self {
        let base = format!("{}/bot{}", url.trim_end_matches('/'), token.expose());
        Self { reach: Reach::new(), base: base.into() }
    }

    /// Sends or changes a message.
    pub async fn send(&self, call: &Call) -> Outcome {
        self.send_within(call, MESSAGE_LIMIT).await
    }

    /// The same in answer to an update, which does not wait for long.
    pub async fn answer(&self, call: &Call) -> Outcome {
        self.send_within(call, ANSWER_LIMIT).await
    }

    async fn send_within(&self, call: &Call, limit: Duration) -> Outcome {
        match call {
            Call::Send(message) => self.call("sendMessage", message, limit).await,
            Call::Edit(edit) => self.call("editMessageText", edit, limit).await,
            Call::Buttons(edit) => self.call("editMessageReplyMarkup", edit, limit).await,
            Call::Alert(alert) => self.call("answerCallbackQuery", alert, limit).await,
        }
    }

    /// Calls a method with its parameters.
    pub async fn call(
        &self,
        method: &str,
        parameters: &impl Serialize,
        limit: Duration,
    ) -> Outcome {
        let json = match serde_json::to_vec(parameters) {
            Ok(json) => json,
            Err(error) => return Outcome::NotSent(error.to_string()),
        };
        let url = format!("{}/{method}", self.base);
        match self.reach.post(&url, json, limit).await {
            Ok(answer) => Outcome::of(&answer),
            Err(error @ (ReachError::Url | ReachError::NotSent(_))) => {
                Outcome::NotSent(with_causes(&error))
            }
            Err(error @ ReachError::Unknown(_)) => Outcome::Unknown(with_causes(&error)),
        }
    }
}

impl Outcome {
    /// Its kind, for the log.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::RetryAfter(_) => "retry after",
            Self::Unreachable(_) => "unreachable",
            Self::Migrated(_) => "migrated",
            Self::Refused(_) => "refused",
            Self::NoBot => "no bot",
            Self::NotSent(_) => "not sent",
            Self::Unknown(_) => "unknown",
        }
    }

    /// The outcome of an answer.
    ///
    /// <https://core.telegram.org/api/errors>
    fn of(Answer { status, body }: &Answer) -> Self {
        let Ok(Envelope { ok, description, parameters }) = serde_json::from_slice(body) else {
            return match status {
                401 | 404 => Self::NoBot,
                _ => Self::Unknown(format!("status {status} without an answer of the Bot API")),
            };
        };
        let is = |words: &str| description.to_lowercase().contains(words);
        match (status, parameters) {
            (200, _) if ok => Self::Done,
            (_, Parameters { migrate_to_chat_id: Some(to), .. }) => Self::Migrated(to),
            (429, Parameters { retry_after, .. }) => Self::RetryAfter(retry_after.unwrap_or(1)),
            (401 | 404, _) => Self::NoBot,
            (403, _) if is("can't initiate") => Self::Unreachable(InactiveReason::ChatNotFound),
            (403, _) => Self::Unreachable(InactiveReason::Blocked),
            (400, _) if is("chat not found") => Self::Unreachable(InactiveReason::ChatNotFound),
            // An edit that changes nothing is what the caller wants.
            (400, _) if is("message is not modified") => Self::Done,
            (400..=499, _) => Self::Refused(description),
            _ => Self::Unknown(format!("status {status}")),
        }
    }
}

impl fmt::Debug for BotApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BotApi")
    }
}
