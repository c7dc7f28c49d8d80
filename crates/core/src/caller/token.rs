//! API tokens: secrets by which programs act for the user who created them.
//!
//! A token is random bytes with a MAC under a key that is derived from the bot token. A text that
//! Fracti did not issue is therefore refused without a read, and changing the bot token ends all
//! API tokens. The table has only the hash of a token.

use std::fmt;

use fracti_texts::rule;
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use crate::{
    caller::telegram::User,
    input::{Draft, Error, Field, Path},
    storage::{
        keys::{self, Index, Keys},
        row::{Row, USER_ROWS_VERSION},
    },
    values::{
        id::{GroupId, TokenId, UserId},
        text::TokenName,
        time::{Day, Timestamp},
    },
    words,
};

use crate::values::token_hash::TokenHash;

/// Time for which an expired token is listed, in seconds.
const LISTED_S: u64 = 30 * 24 * 3600;

/// Time for which the token of a link that signs a browser in is valid, in seconds: 10 minutes.
const LINK_S: u64 = 600;

/// Time for which a browser is signed in at most, in seconds: 30 days.
const BROWSER_S: u64 = 30 * 24 * 3600;

/// Start of every API token.
pub const PREFIX: &str = "fracti_pat_";

/// Number of random bytes of a token.
pub const RANDOM: usize = 24;

/// Number of bytes of the MAC in a token.
const MAC: usize = 8;

/// An API token in plain text. Its `Debug` form does not show it.
#[derive(Clone)]
pub struct ApiToken(String);

words! {
    /// Requests that an API token may make: `read` allows GET and HEAD, `write` all other methods,
    /// and `browser` only to exchange the token, once, for that of a browser.
    pub enum Scope as "TokenScope" {
        /// GET and HEAD.
        Read = "read",
        /// All other methods.
        Write = "write",
        /// To create the token of a browser in exchange for itself.
        Browser = "browser",
    }
}

/// An API token, as it is stored: without the token itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Token {
    /// User who created it, and for whom it acts.
    #[serde(rename = "PK", with = "keys::of_user")]
    pub user_id: UserId,
    /// Identifier.
    #[serde(rename = "SK", with = "keys::of_token")]
    pub id: TokenId,
    /// Hash of the token.
    #[serde(rename = "GSI1PK", with = "keys::of_token_hash")]
    pub hash: TokenHash,
    /// Name by which the user knows it.
    pub name: TokenName,
    /// Requests that it may make.
    pub scopes: Vec<Scope>,
    /// Group to which it is restricted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_id: Option<GroupId>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time from which it is invalid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// Last day on which it was used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<Day>,
    /// Name of the user at its creation.
    pub user_name: String,
    /// Telegram username of the user at its creation, without `@`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// URL of the user's picture at its creation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub avatar_url: Option<String>,
    /// Whether it signs a browser in. The next one that does replaces it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub browser: bool,
    /// Time when the row of an expired token is deleted, in seconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl: Option<u64>,
}

impl Row for Token {
    const KIND: &'static str = "token";
    const VERSION: u32 = USER_ROWS_VERSION;

    fn keys(&self) -> Keys {
        let by_hash = Index { pk: keys::token_partition(self.hash), sk: "METADATA".to_owned() };
        Keys { gsi1: Some(by_hash), ..keys::token(self.user_id, self.id).into() }
    }
}

/// The row that each creation of a token changes, so that two at once do not exceed the limit. A
/// number of tokens would not do, because expired ones are deleted by DynamoDB.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenList {
    /// The user.
    #[serde(rename = "PK", with = "keys::of_user")]
    pub user_id: UserId,
    /// Number of tokens that the user has created since the row exists.
    pub version: u64,
}

impl Row for TokenList {
    const KIND: &'static str = "tokenList";
    const VERSION: u32 = USER_ROWS_VERSION;

    fn keys(&self) -> Keys {
        keys::token_list(self.user_id).into()
    }
}

impl Token {
    /// The user for whom the token acts, as they were when they created it.
    #[must_use]
    pub fn user(&self) -> User {
        User {
            id: self.user_id,
            name: self.user_name.clone(),
            username: self.username.clone(),
            avatar_url: self.avatar_url.clone(),
        }
    }

    /// Whether it is the token of a link that signs a browser in.
    #[must_use]
    pub fn is_link(&self) -> bool {
        self.scopes.contains(&Scope::Browser)
    }

    /// Whether the token has expired.
    #[must_use]
    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|end| end <= now)
    }
}

impl ApiToken {
    /// The token with these random bytes, issued by the bot with `bot_token`.
    #[must_use]
    pub fn new(random: [u8; RANDOM], bot_token: &str) -> Self {
        let mac = mac(&random, bot_token).finalize().into_bytes();
        let mac = mac.get(..MAC).unwrap_or_default();
        Self(format!("{PREFIX}{}{}", hex::encode(random), hex::encode(mac)))
    }

    /// The token in plain text.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Its hash.
    #[must_use]
    pub fn hash(&self) -> TokenHash {
        TokenHash::of(self.0.as_bytes())
    }
}

/// The hash of a token that the bot with `bot_token` issued; `None` for any other text.
#[must_use]
pub fn verify(text: &[u8], bot_token: &str) -> Option<TokenHash> {
    let digits = text.strip_prefix(PREFIX.as_bytes())?;
    // `decode` also accepts capitals, but a token has only one text.
    let canonical = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let bytes = hex::decode(digits).ok().filter(|_| digits.iter().all(canonical))?;
    let (random, sent) = bytes.split_at_checked(RANDOM).filter(|(_, sent)| sent.len() == MAC)?;
    // Compares in constant time.
    mac(random, bot_token).verify_truncated_left(sent).ok()?;
    Some(TokenHash::of(text))
}

/// The MAC of a token, under a key of its own, so that no other signature of the bot token is one.
fn mac(random: &[u8], bot_token: &str) -> Hmac<Sha256> {
    let keyed = |bytes: &[u8]| {
        Hmac::<Sha256>::new_from_slice(bytes)
            .unwrap_or_else(|_| unreachable!("HMAC takes a key of any length"))
    };
    let key = keyed(bot_token.as_bytes()).chain_update("fracti token").finalize().into_bytes();
    keyed(&key).chain_update(random)
}

impl fmt::Debug for ApiToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiToken")
    }
}

/// A token to create.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewToken {
    /// Name by which the user knows it.
    pub name: Field<TokenName>,
    /// Requests that it may make.
    pub scopes: Field<Vec<Field<Scope>>>,
    /// Group to which it is restricted.
    pub group_id: Field<GroupId>,
    /// Time from which it is invalid.
    pub expires_at: Field<Timestamp>,
}

impl Draft<NewToken> {
    /// The token with `hash` that `user` creates at `now`; with `by_link`, in exchange for the
    /// token of a link that signs a browser in.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] with all rules that are broken; [`Error::Unreadable`].
    pub fn check(
        &self,
        hash: TokenHash,
        user: &User,
        now: Timestamp,
        random: [u8; 10],
        by_link: bool,
    ) -> Result<Token, Error> {
        let (new, mut errors) = self.open()?;
        let mut scopes = Vec::new();
        for (index, scope) in new.scopes.value().into_iter().flatten().enumerate() {
            let Some(scope) = scope.value() else { continue };
            if scopes.contains(scope) {
                let path = Path::from("scopes").index(index);
                errors.push(
                    path,
                    rule!("{field} must not be repeated", "{field} не должно повторяться"),
                );
            }
            scopes.push(*scope);
        }
        let is_link = scopes.contains(&Scope::Browser);
        if is_link && (by_link || scopes.len() > 1 || new.group_id.value().is_some()) {
            let rule = rule!(
                "{field} must have `browser` alone, of all groups, and not by such a token",
                "в {field} право `browser` должно быть одно, для всех групп и не через такой токен"
            );
            errors.push("scopes", rule);
        }
        // A link must not sign anyone in for long, wherever it was pasted.
        let latest = match (is_link, by_link) {
            (true, _) => Some(LINK_S),
            (false, true) => Some(BROWSER_S),
            (false, false) => None,
        };
        let latest = latest.map(|seconds| now.plus_seconds(seconds));
        let expires_at = new.expires_at.value().copied().or(latest);
        if expires_at.is_some_and(|end| end <= now) {
            errors.push(
                "expiresAt",
                rule!("{field} must be in the future", "{field} должно быть в будущем"),
            );
        }
        if latest.is_some_and(|latest| expires_at > Some(latest)) {
            errors.push(
                "expiresAt",
                rule!(
                    "{field} must be within 10 minutes for a link, 30 days for a browser",
                    "{field} должно быть в пределах 10 минут для ссылки, 30 дней для браузера"
                ),
            );
        }
        let listed = if is_link { 0 } else { LISTED_S };
        let token = || {
            Some(Token {
                user_id: user.id,
                id: TokenId::new(now, random),
                hash,
                name: new.name.value()?.clone(),
                scopes,
                group_id: new.group_id.value().copied(),
                created_at: now,
                expires_at,
                last_used_at: None,
                user_name: user.name.clone(),
                username: user.username.clone(),
                avatar_url: user.avatar_url.clone(),
                browser: by_link,
                ttl: expires_at.map(|end| end.seconds().saturating_add(listed)),
            })
        };
        errors.finish(token())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOT: &str = "42:bot";

    #[test]
    fn an_issued_token_is_accepted_by_its_bot_only() {
        let token = ApiToken::new([7; RANDOM], BOT);
        // The MAC was computed with OpenSSL.
        assert_eq!(token.expose(), format!("{PREFIX}{}1c3e5081a9bb1644", "07".repeat(24)));
        assert_eq!(verify(token.expose().as_bytes(), BOT), Some(token.hash()));
        assert_eq!(verify(token.expose().as_bytes(), "42:other"), None);
        assert_eq!(format!("{token:?}"), "ApiToken");
        assert_eq!(token.hash().to_string().parse(), Ok(token.hash()));
    }

    #[test]
    fn a_text_that_is_not_an_issued_token_is_refused() {
        let token = ApiToken::new([0xab; RANDOM], BOT).expose().to_owned();
        let digits = token.strip_prefix(PREFIX).unwrap();
        let flipped = |index: usize| {
            let mut text = token.clone().into_bytes();
            text[index] = if text[index] == b'0' { b'1' } else { b'0' };
            text
        };
        for text in [
            String::new(),
            PREFIX.to_owned(),
            digits.to_owned(),
            token[..token.len() - 1].to_owned(),
            token[..token.len() - 2].to_owned(),
            format!("{token}0"),
            format!("{token}00"),
            token.to_uppercase(),
            format!("{PREFIX}{}", digits.to_uppercase()),
            format!("fracti_pas_{digits}"),
            format!(" {token}"),
            format!("{token}\n"),
            format!("{PREFIX}{}", "g".repeat(64)),
        ] {
            assert_eq!(verify(text.as_bytes(), BOT), None, "{text:?}");
        }
        for index in 0..token.len() {
            assert_eq!(verify(&flipped(index), BOT), None, "digit {index}");
        }
        assert_eq!(verify(&[token.as_bytes(), b"\xff"].concat(), BOT), None);
    }
}
