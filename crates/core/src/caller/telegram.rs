//! Telegram Mini App init data: the user who opened the app, signed by Telegram.
//!
//! <https://core.telegram.org/bots/webapps#validating-data-received-via-the-mini-app>

use std::{collections::BTreeMap, time::Duration};

use fracti_texts::{Message, Says, errors, message};
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use crate::values::{chat_id::ChatId, id::UserId, time::Timestamp};

/// Default maximum age of init data.
pub const MAX_AGE: Duration = Duration::from_hours(24);

/// Seconds by which Telegram's clock may be ahead of ours.
const CLOCK_SKEW_S: u64 = 60;

/// Maximum length of a user's name, in bytes. Longer names are truncated.
///
/// Telegram's names have up to 129 characters of up to four bytes each, and a plan may have 4 000
/// transfers with two names each.
pub const MAX_NAME: usize = 255;

/// A Telegram user, as described by init data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// The Telegram id.
    pub id: UserId,
    /// First and last name; if both are blank, the username or the id. At most [`MAX_NAME`] bytes.
    pub name: String,
    /// The username, without `@`.
    pub username: Option<String>,
    /// URL of the user's picture.
    pub avatar_url: Option<String>,
}

/// Contents of verified init data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InitData {
    /// The user who opened the Mini App.
    pub user: User,
    /// The chat from which a direct link opened the Mini App: its `chat_instance`. Only members of
    /// a chat see links in it.
    ///
    /// <https://core.telegram.org/bots/webapps#webappinitdata>
    pub chat: Option<ChatId>,
}

/// Error returned for init data that is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitDataError {
    /// It has no hash or date, or a field twice.
    Malformed,
    /// Telegram did not sign it for this bot.
    Forged,
    /// It was decoded before it was sent.
    Decoded,
    /// It was signed too long ago.
    Expired,
    /// Its `auth_date` is in the future.
    Future,
    /// It is signed, but has no user.
    NoUser,
}

impl Says for InitDataError {
    fn says(&self) -> Message {
        match self {
            Self::Malformed => message!(
                "the init data is incomplete, or was joined with another one",
                "init data неполные или склеены с другими"
            ),
            Self::Forged => message!(
                "the init data is not signed by Telegram for this bot: it was changed, or is of \
                 another bot",
                "init data не подписаны Telegram для этого бота: они изменены или принадлежат \
                 другому боту"
            ),
            Self::Decoded => message!(
                "the init data was decoded; send window.Telegram.WebApp.initData as it is",
                "init data раскодированы; отправьте window.Telegram.WebApp.initData как есть"
            ),
            Self::Expired => message!(
                "the init data has expired",
                "срок действия init data истёк: откройте приложение заново"
            ),
            Self::Future => message!(
                "the auth_date of the init data is in the future",
                "время auth_date в init data ещё не наступило"
            ),
            Self::NoUser => message!("the init data has no user", "в init data нет пользователя"),
        }
    }
}

errors!(InitDataError);

/// Verifies that Telegram signed `init_data` for the bot with `token`, at most `max_age` before
/// `now`, and returns the user and the chat.
///
/// # Errors
///
/// [`InitDataError`]. The signature is verified first, so forged init data is never reported as
/// expired.
pub fn verify(
    init_data: &str,
    token: &str,
    max_age: Duration,
    now: Timestamp,
) -> Result<InitData, InitDataError> {
    let verified = verify_fields(init_data, token, max_age, now);
    // Telegram encodes the JSON of the user, so its init data never has a brace.
    let is_decoded = init_data.contains('{');
    verified.map_err(|refusal| match refusal {
        InitDataError::Malformed | InitDataError::Forged if is_decoded => InitDataError::Decoded,
        refusal => refusal,
    })
}

fn verify_fields(
    init_data: &str,
    token: &str,
    max_age: Duration,
    now: Timestamp,
) -> Result<InitData, InitDataError> {
    let mut fields = BTreeMap::new();
    for (name, value) in form_urlencoded::parse(init_data.as_bytes()) {
        // The signed text has one line for each field, so a field with a line break or another `=`
        // could be read as other fields. Telegram sends each field once; of two with the same name,
        // either could be the signed one.
        let ambiguous = name.contains(['\n', '=']) || value.contains('\n');
        if ambiguous || fields.insert(name, value).is_some() {
            return Err(InitDataError::Malformed);
        }
    }
    let hash = fields
        .remove("hash")
        .and_then(|hash| hex::decode(&*hash).ok())
        .ok_or(InitDataError::Malformed)?;
    // `verify_slice` compares in constant time.
    signature(&fields, token).verify_slice(&hash).map_err(|_| InitDataError::Forged)?;

    let signed_at = fields.get("auth_date").and_then(|text| text.parse::<u64>().ok());
    let signed_at = signed_at.ok_or(InitDataError::Malformed)?;
    let now = now.seconds();
    if signed_at > now.saturating_add(CLOCK_SKEW_S) {
        return Err(InitDataError::Future);
    }
    if now > signed_at.saturating_add(max_age.as_secs()) {
        return Err(InitDataError::Expired);
    }
    let user = fields.get("user").and_then(|json| serde_json::from_str::<WebAppUser>(json).ok());
    let user = user.and_then(WebAppUser::user).ok_or(InitDataError::NoUser)?;
    let chat = fields.get("chat_instance").and_then(|chat| chat.parse().ok());
    Ok(InitData { user, chat })
}

/// The secret that Telegram sends with each update of the bot with `token`: 64 hexadecimal digits.
/// It is derived from the token, so that there is no second secret to keep.
///
/// <https://core.telegram.org/bots/api#setwebhook>
#[must_use]
pub fn webhook_secret(token: &str) -> String {
    hex::encode(webhook_mac(token).finalize().into_bytes())
}

/// Whether `secret` is the [`webhook_secret`] of the bot with `token`.
#[must_use]
pub fn is_webhook_secret(secret: &[u8], token: &str) -> bool {
    // `verify_slice` compares in constant time.
    hex::decode(secret).is_ok_and(|secret| webhook_mac(token).verify_slice(&secret).is_ok())
}

/// Init data for `user`, who opened the Mini App by a direct link in `chat`, signed as Telegram
/// would sign it at `now` for the bot with `token`.
#[must_use]
pub fn sign_in_chat(user: &User, chat: &ChatId, token: &str, now: Timestamp) -> String {
    let mut fields = fields(user, now);
    fields.insert("chat_instance".into(), chat.to_string().into());
    signed(fields, token)
}

/// Init data for `user`, signed as Telegram would sign it at `now` for the bot with `token`.
///
/// Used by programs that have the token: the demo, the tests, and a bot that acts for its user.
#[must_use]
pub fn sign(user: &User, token: &str, now: Timestamp) -> String {
    signed(fields(user, now), token)
}

/// The fields of init data for `user`.
fn fields(user: &User, now: Timestamp) -> BTreeMap<Text<'static>, Text<'static>> {
    let user = WebAppUser {
        id: user.id.number(),
        first_name: user.name.clone(),
        last_name: String::new(),
        username: user.username.clone(),
        photo_url: user.avatar_url.clone(),
    };
    let user = serde_json::to_string(&user).unwrap_or_default();
    let auth_date = now.seconds().to_string();
    [("auth_date".into(), auth_date.into()), ("user".into(), user.into())].into()
}

/// The same init data, signed again at `now` for the bot with `token`, so that a sample can be used
/// after it has expired.
#[must_use]
pub fn sign_again(init_data: &str, token: &str, now: Timestamp) -> String {
    let mut fields: BTreeMap<_, _> = form_urlencoded::parse(init_data.as_bytes()).collect();
    fields.remove("hash");
    fields.insert("auth_date".into(), now.seconds().to_string().into());
    signed(fields, token)
}

fn signed(fields: BTreeMap<Text<'_>, Text<'_>>, token: &str) -> String {
    let hash = hex::encode(signature(&fields, token).finalize().into_bytes());
    form_urlencoded::Serializer::new(String::new())
        .extend_pairs(fields)
        .append_pair("hash", &hash)
        .finish()
}

type Text<'a> = std::borrow::Cow<'a, str>;

/// Telegram's signature of the fields, which are sorted and take one line each.
fn signature(fields: &BTreeMap<Text<'_>, Text<'_>>, token: &str) -> Hmac<Sha256> {
    let lines: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let key = mac(b"WebAppData").chain_update(token).finalize().into_bytes();
    mac(&key).chain_update(lines.join("\n"))
}

fn webhook_mac(token: &str) -> Hmac<Sha256> {
    mac(token.as_bytes()).chain_update("fracti webhook")
}

fn mac(key: &[u8]) -> Hmac<Sha256> {
    Hmac::new_from_slice(key).unwrap_or_else(|_| unreachable!("HMAC takes a key of any length"))
}

/// <https://core.telegram.org/bots/webapps#webappuser>
#[derive(Serialize, Deserialize)]
struct WebAppUser {
    id: u64,
    #[serde(default)]
    first_name: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    last_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    username: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    photo_url: Option<String>,
}

impl WebAppUser {
    fn user(self) -> Option<User> {
        let Self { first_name, last_name, username, photo_url, .. } = self;
        let user = User::named(UserId::new(self.id).ok()?, &first_name, &last_name, username);
        let avatar_url = photo_url.filter(|url| url.starts_with("https://"));
        Some(User { avatar_url, ..user })
    }
}

impl User {
    /// The user with these names, without a picture.
    #[must_use]
    pub fn named(id: UserId, first: &str, last: &str, username: Option<String>) -> Self {
        let username = username.filter(|name| !name.is_empty());
        let name = format!("{} {}", first.trim(), last.trim());
        let name = match (name.trim(), &username) {
            ("", Some(username)) => username.clone(),
            ("", None) => id.to_string(),
            (name, _) => name.to_owned(),
        };
        let name = name.get(..name.floor_char_boundary(MAX_NAME)).unwrap_or_default().to_owned();
        Self { id, name, username, avatar_url: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::Digest;

    /// Signed with the public token of the demo, for the example user of the documentation.
    const TOKEN: &str = "0:fracti-local";
    const SIGNED: &str = "query_id=AAHdF6IQAAAAAN0XohDhrOrc&user=%7B%22id%22%3A123456789%2C%22first_name%22%3A%22Alice%22%2C%22last_name%22%3A%22Smith%22%2C%22username%22%3A%22alice%22%2C%22language_code%22%3A%22en%22%7D&auth_date=1662771648&hash=cc5d10cecc71c87114dbacee12bb55ff9584880e394cdbf36bcfd3834cb0c9e8";
    const SIGNED_AT: u64 = 1_662_771_648;

    fn at(second: u64) -> Timestamp {
        Timestamp::from_millis(second * 1_000).unwrap()
    }

    fn verified(init_data: &str) -> Result<User, InitDataError> {
        verify(init_data, TOKEN, MAX_AGE, at(SIGNED_AT)).map(|init_data| init_data.user)
    }

    /// Signs any fields, valid or not.
    fn signed_as(fields: &[(&str, &str)]) -> String {
        let map = fields.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        let hash = hex::encode(signature(&map, TOKEN).finalize().into_bytes());
        let mut text = form_urlencoded::Serializer::new(String::new());
        text.extend_pairs(fields).append_pair("hash", &hash).finish()
    }

    #[test]
    fn verified_init_data_gives_the_user() {
        let alice = User {
            id: "123456789".parse().unwrap(),
            name: "Alice Smith".to_owned(),
            username: Some("alice".to_owned()),
            avatar_url: None,
        };
        assert_eq!(verified(SIGNED), Ok(alice));
    }

    #[test]
    fn init_data_is_accepted_for_24_hours() {
        for (second, refusal) in [
            (SIGNED_AT - 61, Some(InitDataError::Future)),
            (SIGNED_AT - 60, None),
            (SIGNED_AT, None),
            (SIGNED_AT + 86_400, None),
            (SIGNED_AT + 86_401, Some(InitDataError::Expired)),
        ] {
            let verified = verify(SIGNED, TOKEN, MAX_AGE, at(second));
            assert_eq!(verified.err(), refusal, "{second}");
        }
    }

    #[test]
    fn chat_is_the_signed_chat_instance() {
        let now = SIGNED_AT.to_string();
        let chat_of = |fields: &[(&str, &str)]| {
            let user = [("auth_date", &*now), ("user", r#"{"id":7}"#)];
            let text = signed_as(&[&user, fields].concat());
            verify(&text, TOKEN, MAX_AGE, at(SIGNED_AT)).map(|it| it.chat.map(|it| it.to_string()))
        };
        let instance = "-3788475317572404878";
        for (fields, chat) in [
            ([("chat_instance", instance)].as_slice(), Some(instance)),
            (&[("chat_instance", instance), ("chat_type", "group")], Some(instance)),
            (&[("start_param", instance)], None),
            (&[("chat_instance", "")], None),
            (&[("chat_instance", " ")], None),
            (&[("chat_instance", &"1".repeat(65))], None),
        ] {
            assert_eq!(chat_of(fields), Ok(chat.map(str::to_owned)), "{fields:?}");
        }
        let alice = verified(SIGNED).unwrap();
        let signed = sign_in_chat(&alice, &instance.parse().unwrap(), TOKEN, at(SIGNED_AT));
        let chat = verify(&signed, TOKEN, MAX_AGE, at(SIGNED_AT)).unwrap().chat;
        assert_eq!(chat, instance.parse().ok());
        let forged = signed.replace(instance, "-3788475317572404879");
        assert_eq!(verified(&forged), Err(InitDataError::Forged));
    }

    #[test]
    fn order_of_fields_does_not_matter() {
        let (fields, hash) = SIGNED.rsplit_once('&').unwrap();
        assert!(verified(&format!("{hash}&{fields}")).is_ok());
    }

    #[test]
    fn forged_expired_and_incomplete_init_data_is_refused() {
        let user = r#"{"id":7,"first_name":"Bob"}"#;
        let now = SIGNED_AT.to_string();
        let whole = signed_as(&[("auth_date", &now), ("user", user)]);
        assert!(verified(&whole).is_ok());
        for (name, text, refusal) in [
            ("empty", String::new(), InitDataError::Malformed),
            ("no hash", SIGNED.rsplit_once('&').unwrap().0.to_owned(), InitDataError::Malformed),
            (
                "an invalid hash",
                SIGNED.replace("&hash=cc5d", "&hash=zz5d"),
                InitDataError::Malformed,
            ),
            ("a short hash", SIGNED[..SIGNED.len() - 2].to_owned(), InitDataError::Forged),
            ("a repeated field", format!("{whole}&auth_date={now}"), InitDataError::Malformed),
            ("two hashes", format!("{whole}&hash=00"), InitDataError::Malformed),
            ("one more field", format!("{whole}&start_param=x"), InitDataError::Forged),
            ("no date", signed_as(&[("user", user)]), InitDataError::Malformed),
            (
                "an invalid date",
                signed_as(&[("auth_date", "soon"), ("user", user)]),
                InitDataError::Malformed,
            ),
            (
                "a date years ahead",
                signed_as(&[("auth_date", "99999999999"), ("user", user)]),
                InitDataError::Future,
            ),
            ("no user", signed_as(&[("auth_date", &now)]), InitDataError::NoUser),
            ("no id", signed_as(&[("auth_date", &now), ("user", "{}")]), InitDataError::NoUser),
            (
                "id 0",
                signed_as(&[("auth_date", &now), ("user", r#"{"id":0}"#)]),
                InitDataError::NoUser,
            ),
            (
                "a negative id",
                signed_as(&[("auth_date", &now), ("user", r#"{"id":-7}"#)]),
                InitDataError::NoUser,
            ),
            (
                "id as text",
                signed_as(&[("auth_date", &now), ("user", r#"{"id":"7"}"#)]),
                InitDataError::NoUser,
            ),
            (
                "two ids",
                signed_as(&[("auth_date", &now), ("user", r#"{"id":7,"id":8}"#)]),
                InitDataError::NoUser,
            ),
        ] {
            assert_eq!(verified(&text), Err(refusal), "{name}");
        }
        assert_eq!(
            verify(SIGNED, "1:other-bot", MAX_AGE, at(SIGNED_AT)),
            Err(InitDataError::Forged)
        );
    }

    #[test]
    fn only_telegrams_hash_is_accepted() {
        let fields = ["auth_date=1662771648".to_owned(), r#"user={"id":7}"#.to_owned()];
        let text = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(fields.iter().filter_map(|line| line.split_once('=')))
            .finish();
        let [date, user] = &fields;
        let lines = fields.join("\n");
        let made = |mac: Hmac<Sha256>, text: &str| {
            hex::encode(mac.chain_update(text).finalize().into_bytes())
        };
        let key = mac(b"WebAppData").chain_update(TOKEN).finalize().into_bytes();
        let swapped = mac(TOKEN.as_bytes()).chain_update("WebAppData").finalize().into_bytes();
        // Telegram's login widget: <https://core.telegram.org/widgets/login#checking-authorization>
        let widget = Sha256::digest(TOKEN);
        let signed = made(mac(&key), &lines);
        for (name, hash, refusal) in [
            ("Telegram's", signed.clone(), None),
            ("in capitals", signed.to_uppercase(), None),
            ("with key and message swapped", made(mac(&swapped), &lines), Some(())),
            ("the login widget's", made(mac(&widget), &lines), Some(())),
            ("with the token as key", made(mac(TOKEN.as_bytes()), &lines), Some(())),
            ("without a key", hex::encode(Sha256::digest(&lines)), Some(())),
            ("of encoded fields", made(mac(&key), &text.replace('&', "\n")), Some(())),
            ("of fields in another order", made(mac(&key), &format!("{user}\n{date}")), Some(())),
            ("of fields joined by &", made(mac(&key), &fields.join("&")), Some(())),
            ("with a trailing line break", made(mac(&key), &format!("{lines}\n")), Some(())),
            ("of nothing", made(mac(&key), ""), Some(())),
            ("empty", String::new(), Some(())),
            ("half", signed[..32].to_owned(), Some(())),
            ("with more digits", format!("{signed}00"), Some(())),
            ("twice", signed.repeat(2), Some(())),
            ("in base64", "zF0Qzsxxx4cRTbrO4StV+2VLSIDjlM2/NrzTg0sMnog=".to_owned(), Some(())),
            ("not hexadecimal", "zz".repeat(32), Some(())),
            ("with a trailing space", format!("{signed} "), Some(())),
        ] {
            let verified = verified(&format!("{text}&hash={}", hash.replace('+', "%2B")));
            assert_eq!(verified.is_err(), refusal.is_some(), "{name}: {verified:?}");
            let expected = [None, Some(InitDataError::Forged), Some(InitDataError::Malformed)];
            assert!(expected.contains(&verified.err()), "{name}");
        }
        // `signature` is for third parties without the token. It does not replace `hash`.
        assert_eq!(verified(&format!("{text}&signature={signed}")), Err(InitDataError::Malformed));
    }

    #[test]
    fn ambiguous_fields_are_refused() {
        let now = SIGNED_AT.to_string();
        let user = r#"{"id":7}"#;
        let other = r#"{"id":8}"#;
        for fields in [
            [("auth_date", &*now), ("start_param", &format!("x\nuser={user}"))].as_slice(),
            &[("auth_date", &now), ("start_param", &format!("x\nuser={other}")), ("user", user)],
            &[("auth_date", &format!("{now}\nchat_type=group")), ("user", user)],
            &[("auth_date", &now), ("chat_type=a\nuser", user), ("user", other)],
            &[("auth_date", &now), ("a=b", "c"), ("user", user)],
        ] {
            assert_eq!(verified(&signed_as(fields)), Err(InitDataError::Malformed), "{fields:?}");
        }
    }

    #[test]
    fn decoded_init_data_is_refused_as_decoded() {
        let user = r#"{"id":7,"first_name":"Tea & 100% + 1=2"}"#;
        let now = SIGNED_AT.to_string();
        let signed = signed_as(&[("auth_date", &now), ("user", user)]);
        assert_eq!(verified(&signed).unwrap().name, "Tea & 100% + 1=2");
        let decoded = percent_decoded(&signed);
        assert!(decoded.contains(user), "{decoded}");
        assert_eq!(verified(&decoded), Err(InitDataError::Decoded));
        // A text that decodes to itself is signed all the same.
        let plain = signed_as(&[("auth_date", &now), ("user", r#"{"id":7}"#)]);
        assert!(verified(&percent_decoded(&plain)).is_ok());
    }

    /// The text as `decodeURIComponent` makes it.
    fn percent_decoded(text: &str) -> String {
        let fields = form_urlencoded::parse(text.as_bytes());
        let fields: Vec<_> = fields.map(|(name, value)| format!("{name}={value}")).collect();
        fields.join("&")
    }

    #[test]
    fn every_user_has_a_name() {
        for (user, name) in [
            (r#"{"id":7,"first_name":" Zoë ","last_name":"🏔"}"#, "Zoë 🏔"),
            (r#"{"id":7,"first_name":"","username":"bob"}"#, "bob"),
            (&format!(r#"{{"id":7,"first_name":"{}"}}"#, "🏔".repeat(64)), &"🏔".repeat(63)),
            (r#"{"id":7,"photo_url":"javascript:alert(1)"}"#, "7"),
        ] {
            let now = SIGNED_AT.to_string();
            let user = verified(&signed_as(&[("auth_date", &now), ("user", user)])).unwrap();
            assert_eq!((user.name.as_str(), user.avatar_url), (name, None));
        }
    }

    #[test]
    fn signed_init_data_is_accepted() {
        let user = User {
            id: "7".parse().unwrap(),
            name: "Bob & Söhne=1".to_owned(),
            username: Some("bob".to_owned()),
            avatar_url: Some("https://t.me/i/userpic/320/bob.svg".to_owned()),
        };
        let init_data = sign(&user, TOKEN, at(SIGNED_AT));
        assert_eq!(verified(&init_data), Ok(user));
    }

    #[test]
    fn expired_init_data_is_accepted_after_sign_again() {
        let later = at(SIGNED_AT + 1_000_000);
        let renewed = sign_again(SIGNED, TOKEN, later);
        let user = verify(&renewed, TOKEN, MAX_AGE, later).map(|init_data| init_data.user);
        assert_eq!(user, verified(SIGNED));
        assert!(renewed.contains("query_id=AAHdF6IQAAAAAN0XohDhrOrc"), "{renewed}");
    }

    proptest::proptest! {
        #[test]
        fn init_data_with_a_changed_byte_is_refused(index in 0..SIGNED.len(), byte in b'0'..=b'9') {
            let mut changed = SIGNED.as_bytes().to_vec();
            proptest::prop_assume!(changed[index] != byte);
            changed[index] = byte;
            let changed = String::from_utf8(changed).unwrap();
            let refused = [Err(InitDataError::Forged), Err(InitDataError::Malformed)];
            proptest::prop_assert!(refused.contains(&verified(&changed)));
        }
    }
}
