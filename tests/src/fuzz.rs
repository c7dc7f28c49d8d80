//! Fuzz targets: functions of arbitrary bytes, each with the properties that hold for every input.
//!
//! `tests/fuzz` runs them under libFuzzer, and `api/corpus.rs` over the committed corpora.

mod import;

use std::{collections::BTreeMap, str, sync::LazyLock};

use axum::{
    body::Body,
    extract::FromRequestParts,
    http::{Method, Request, header},
};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use fracti_core::{
    caller::telegram::{self, InitDataError, User},
    chat::{
        button::Button,
        command::{self, Command, ExpenseReading},
    },
    input::limits::MAX_SHARES,
    split::{Split, UserShare},
    values::{
        currency::Currency,
        decimal::Decimal,
        id::{ExpenseId, MemberId, UserId},
        money::Money,
        time::Timestamp,
        ton::TonAddress,
        typed,
    },
};
use fracti_http::{App, Code, ListId, Paging, Query, service};
use fracti_local::routes;
use fracti_runtime::{Clock, local_dynamodb};
use fracti_store::Table;
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};

use crate::{
    client::{self, Transport},
    database::{Database, TABLE},
    events::{SIGNED_AT, TOKEN, events_app, scene},
};

pub use import::import;

/// The token of another bot, which signs none of the input.
const OTHER_TOKEN: &str = "42:other-bot";

/// The weight of 100 percent.
const WHOLE: u64 = 1_000_000;

/// A fuzz target with the name of its corpus.
pub type Target = (&'static str, fn(&[u8]));

/// All fuzz targets.
pub const TARGETS: [Target; 9] = [
    ("init_data", init_data),
    ("wallet", wallet),
    ("decimal", decimal),
    ("cursor", cursor),
    ("split", split),
    ("body", body),
    ("import", import),
    ("command", command),
    ("button", button),
];

fn now() -> Timestamp {
    Timestamp::from_millis(SIGNED_AT).unwrap()
}

/// Init data: it identifies a user only to the bot whose token signed it, and identifies exactly
/// the signed user.
///
/// # Panics
///
/// If the property does not hold.
pub fn init_data(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let verify = |text: &str, token| {
        telegram::verify(text, token, telegram::MAX_AGE, now()).map(|init_data| init_data.user)
    };
    // Not signed, however it is told.
    let is_refused = |text: &str| {
        use InitDataError::{Decoded, Forged, Malformed};
        matches!(verify(text, OTHER_TOKEN), Err(Forged | Malformed | Decoded))
    };
    assert!(is_refused(text), "{text}");

    let signed = telegram::sign_again(text, TOKEN, now());
    assert!(is_refused(&signed), "{signed}");
    let Ok(user) = verify(&signed, TOKEN) else { return };
    assert_eq!(verify(&telegram::sign(&user, TOKEN, now()), TOKEN).as_ref(), Ok(&user));
    // Changed data with the old hash is refused.
    let other = User { id: UserId::new(user.id.number() ^ 1 | 2).unwrap(), ..user };
    let (_, hash) = signed.rsplit_once("&hash=").unwrap();
    let unsigned = telegram::sign(&other, TOKEN, now());
    let (fields, _) = unsigned.rsplit_once("&hash=").unwrap();
    assert_eq!(verify(&format!("{fields}&hash={hash}"), TOKEN), Err(InitDataError::Forged));
}

/// A wallet address: an accepted one is kept unchanged, and in its user-friendly form no single
/// character can be replaced.
///
/// # Panics
///
/// If the property does not hold.
pub fn wallet(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let Ok(wallet) = text.parse::<TonAddress>() else { return };
    assert_eq!(wallet.to_string(), text);
    assert!(text.is_ascii() && [48, 66].contains(&text.len()), "{text}");
    if text.len() == 48 {
        assert!(!text.contains('='), "{text}");
        for place in 0..text.len() {
            let mut mistyped = text.to_owned();
            let other = if text.as_bytes()[place] == b'A' { "B" } else { "A" };
            mistyped.replace_range(place..=place, other);
            assert!(mistyped.parse::<TonAddress>().is_err(), "{mistyped}");
        }
    }
}

/// A decimal number: it is printed as JSON and read back equal; conversion to minor units is exact.
///
/// # Panics
///
/// If the property does not hold.
pub fn decimal(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let Ok(number) = text.parse::<Decimal>() else { return };
    let printed = number.to_string();
    assert_eq!(printed.parse(), Ok(number), "{text}");
    assert!(serde_json::from_str::<&serde_json::value::RawValue>(&printed).is_ok(), "{printed}");
    assert!(serde_json::from_str::<&serde_json::value::RawValue>(text).is_ok(), "{text}");
    for code in ["JPY", "EUR", "KWD", "USDT", "BTC", "TON"] {
        let currency: Currency = code.parse().unwrap();
        if let Ok(minor) = currency.to_minor(number) {
            assert_eq!(currency.to_major(minor), number, "{text} {code}");
        }
    }
}

/// A cursor: it is accepted only for its own list, and refused if one character differs.
///
/// # Panics
///
/// If the property does not hold.
pub fn cursor(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let list_id = ListId::new("list", &1);
    let other = ListId::new("list", &11);
    assert!(paging(text).after::<Value>(&list_id).is_err(), "{text}");

    let cursor = paging(text).cursor(&list_id, &text);
    assert_eq!(paging(&cursor).after::<String>(&list_id).unwrap().as_deref(), Some(text));
    assert!(paging(&cursor).after::<String>(&other).is_err(), "{cursor}");
    let place = bytes.iter().map(|byte| usize::from(*byte)).sum::<usize>() % cursor.len();
    assert!(paging(&cursor[..place]).after::<String>(&list_id).is_err(), "{cursor} {place}");
    let mut changed = cursor;
    let letter = if changed.as_bytes()[place] == b'A' { "B" } else { "A" };
    changed.replace_range(place..=place, letter);
    assert!(paging(&changed).after::<String>(&list_id).is_err(), "{changed} {place}");
}

/// The pagination parameters of a request with this cursor.
fn paging(cursor: &str) -> Paging {
    let query: String =
        form_urlencoded::Serializer::new(String::new()).append_pair("cursor", cursor).finish();
    let request = Request::get(format!("/?{query}")).body(()).unwrap();
    let (mut parts, ()) = request.into_parts();
    let Query(paging) = UNREACHABLE
        .runtime
        .block_on(Query::from_request_parts(&mut parts, &UNREACHABLE.app))
        .unwrap();
    paging
}

/// A split: its shares sum to the amount, are off by less than one minor unit, do not depend on the
/// order of the members, and those of the negated amount are the negated shares.
///
/// The bytes are the split type, the number of members, an amount, random bits of an id, and
/// weights of four bytes each.
///
/// # Panics
///
/// If the property does not hold.
pub fn split(bytes: &[u8]) {
    let Some(([kind, members], rest)) = bytes.split_first_chunk::<2>() else { return };
    let Some((amount, rest)) = rest.split_first_chunk::<8>() else { return };
    let Some((random, rest)) = rest.split_first_chunk::<10>() else { return };
    let amount = (i64::from_be_bytes(*amount) & i64::MAX).max(1);
    let money = Money { currency: "EUR".parse().unwrap(), minor: amount };
    let members = u64::from(members % 50);
    let mut weights = rest.as_chunks::<4>().0.iter().map(|chunk| u32::from_be_bytes(*chunk).into());
    let mut parts: Vec<(MemberId, u64)> = (1..=members)
        .map(|id| (UserId::new(id).unwrap().into(), weights.next().unwrap_or_default()))
        .collect();
    let is_balanced = kind & 0x80 == 0 && (1..=MAX_SHARES).contains(&parts.len());
    let kind = kind % 4;
    match (is_balanced, kind) {
        (true, 1) => fill(&mut parts, WHOLE),
        (true, 2) => fill(&mut parts, amount.unsigned_abs()),
        (true, 3) => parts[0].1 = parts[0].1.max(1),
        _ => {}
    }

    let signed = |parts: &[(MemberId, u64)], sign: i64| {
        let parts = parts.iter().copied();
        let weight = |(user, weight)| (user, u32::try_from(weight).unwrap());
        match kind {
            0 => Split::Equal(parts.map(|(user, _)| user).collect()),
            1 => Split::Percentage(parts.map(weight).collect()),
            2 => {
                let part = |(user, weight)| (user, i64::try_from(weight).unwrap() * sign);
                Split::Exact(parts.map(part).collect())
            }
            _ => Split::Shares(parts.map(weight).collect()),
        }
    };
    let split = |parts: &[(MemberId, u64)]| signed(parts, 1);
    let id = ExpenseId::new(now(), *random);
    let forwards = match split(&parts).divide(money, id) {
        Ok(shares) => shares,
        Err(error) => {
            assert!(!is_balanced, "{error}: {parts:?}");
            return;
        }
    };
    let refund = Money { minor: -amount, ..money };
    let refund = signed(&parts, -1).divide(refund, id).unwrap();
    let minor = |shares: &[UserShare], sign: i64| {
        shares.iter().map(|share| share.amount.minor * sign).collect::<Vec<_>>()
    };
    assert_eq!(minor(&forwards, 1), minor(&refund, -1));
    parts.reverse();
    let backwards = split(&parts).divide(money, id).unwrap();
    assert_eq!(forwards, backwards.into_iter().rev().collect::<Vec<_>>());

    assert_eq!(
        forwards.iter().map(|part| i128::from(part.amount.minor)).sum::<i128>(),
        amount.into()
    );
    let total: u64 = if kind == 0 { members } else { parts.iter().map(|(_, it)| it).sum() };
    for (part, (_, weight)) in forwards.iter().zip(parts.iter().rev()) {
        let weight = if kind == 0 { 1 } else { *weight };
        let off = i128::from(part.amount.minor) * i128::from(total)
            - i128::from(amount) * i128::from(weight);
        assert!(part.amount.minor >= 0 && off.abs() < total.into(), "{part:?} of {amount}");
    }
}

/// Makes weights sum to `whole`: each is reduced to the remainder, and the last one takes the rest.
fn fill(parts: &mut [(MemberId, u64)], whole: u64) {
    let mut left = whole;
    for (_, weight) in &mut *parts {
        *weight %= left + 1;
        left -= *weight;
    }
    if let Some((_, last)) = parts.last_mut() {
        *last += left;
    }
}

/// A text to the bot: each expense that is read in it has an amount above zero that a beginning of
/// the line is, as the Mini App reads it, and a text with a letter or a picture.
///
/// # Panics
///
/// If the property does not hold.
pub fn command(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let named = command::parse(text, Some("FractiBot"));
    let command = command::parse(text, None);
    assert!(named.is_none() || named == command, "{text}");
    let line = if let Some(Command::Expense(line)) = command { line } else { text };
    let used = ["EUR", "KWD", "CUP"].map(|code| code.parse().unwrap());
    for chosen in ["EUR", "KWD", "JPY", "TON"].map(|code| code.parse().unwrap()) {
        let Ok(readings) = command::expense(line, chosen, &used) else { continue };
        assert!(u8::try_from(readings.len()).is_ok_and(|it| it > 0), "{line}");
        for (place, reading) in readings.iter().enumerate() {
            let ExpenseReading { money, description } = reading;
            let means = |(end, _)| {
                let typed = typed::read(&line[..end], chosen, &used).unwrap_or_default();
                typed.iter().any(|it| it.money == *money && !it.is_rounded)
            };
            assert!(money.minor > 0, "{line}: {reading:?}");
            assert!(line.char_indices().any(means), "{line}: {reading:?}");
            assert!(!readings[..place].contains(reading), "{line}: {reading:?}");
            let said = description.as_str();
            assert!((1..=200).contains(&said.chars().count()), "{line}: {reading:?}");
            assert!(said.chars().any(|it| it.is_alphabetic() || !it.is_ascii()), "{line}");
        }
    }
}

/// The data of a button, as text and as the bytes that it encodes: there is only one for each
/// button.
///
/// # Panics
///
/// If the property does not hold.
pub fn button(bytes: &[u8]) {
    let encoded = BASE64_URL_SAFE_NO_PAD.encode(bytes);
    for data in str::from_utf8(bytes).into_iter().chain([&*encoded]) {
        let Some(button) = Button::decode(data) else { continue };
        assert_eq!(button.encode(), data);
        for end in 0..data.len() {
            let shorter = Button::decode(&data[..end]);
            let is_currency = matches!(shorter, Some(Button::Currency(_)));
            assert!(shorter.is_none() || is_currency, "{data} {end}: {shorter:?}");
        }
    }
}

/// A request body, sent to a route that takes one: it is accepted, or refused with the field.
///
/// The first byte selects the route.
///
/// # Panics
///
/// If the property does not hold.
pub fn body(bytes: &[u8]) {
    let Some((route, body)) = bytes.split_first() else { return };
    let Server { runtime, api, routes, authorization, .. } = &*SERVER;
    let (method, path) = &routes[usize::from(*route) % routes.len()];
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header(header::AUTHORIZATION, authorization)
        .header(header::CONTENT_TYPE, "application/json")
        .body(Body::from(body.to_vec()));
    let reply = runtime.block_on(api.send(request.unwrap())).unwrap();
    let status = reply.status;
    let reply = reply.body;
    assert_eq!(reply["success"], status.is_success(), "{reply}");
    if status.is_success() {
        return;
    }
    let code: Code = serde_json::from_value(reply["error"].clone()).unwrap();
    assert_eq!(code.status(), status, "{reply}");
    let named = |detail: &Value| detail["path"].as_str().is_some_and(|path| !path.is_empty());
    match code {
        Code::ValidationError | Code::TooManySplits => {
            let details = reply["details"].as_array().unwrap();
            assert!(!details.is_empty() && details.iter().all(named), "{reply}");
        }
        Code::InvalidJson => {
            assert!(serde_json::from_slice::<Value>(body).is_err(), "{reply}");
        }
        Code::PayloadTooLarge => assert!(body.len() > 64 * 1024, "{}", body.len()),
        _ => assert!(status.is_client_error(), "{method} {path}: {reply}"),
    }
}

/// The API over an unreachable table.
struct Unreachable {
    runtime: Runtime,
    app: App,
}

static UNREACHABLE: LazyLock<Unreachable> = LazyLock::new(|| {
    // Nothing listens on port 1, so a connection fails immediately.
    let client = local_dynamodb("http://127.0.0.1:1");
    Unreachable { runtime: runtime(), app: app(Table::new(client, TABLE)) }
});

/// The API over a database with a group, and a member of it.
struct Server {
    runtime: Runtime,
    api: Transport,
    routes: Vec<(Method, String)>,
    authorization: String,
    _database: Database,
}

static SERVER: LazyLock<Server> = LazyLock::new(|| {
    let runtime = runtime();
    let (database, router, ids) = runtime.block_on(async {
        let database = Database::start().await;
        let router = service(routes(), app(Table::new(database.client.clone(), TABLE)));
        let ids = scene(&router, now()).await;
        (database, router, ids)
    });
    let alice = client::user(123_456_789, "Alice Smith");
    Server {
        runtime,
        api: Transport::Router(router),
        routes: routes_with_a_body(&ids),
        authorization: client::authorization(&alice, TOKEN, now()),
        _database: database,
    }
});

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

fn app(table: Table) -> App {
    App { clock: Clock::of(now), ..events_app(table) }
}

/// Every documented route that takes a body, with the ids of the scene.
fn routes_with_a_body(ids: &[String; 10]) -> Vec<(Method, String)> {
    let [group, expense, settlement, guest, token, spending, question, _, cash_out, schedule] = ids;
    let document = serde_json::to_value(routes().into_openapi()).unwrap();
    let paths: BTreeMap<String, Value> = serde_json::from_value(document["paths"].clone()).unwrap();
    let methods = [
        ("post", Method::POST),
        ("put", Method::PUT),
        ("patch", Method::PATCH),
        ("delete", Method::DELETE),
    ];
    let route = |(path, item): (&String, &Value)| {
        let path = path.replace("{groupId}", group).replace("{expenseId}", expense);
        let path = path.replace("{settlementId}", settlement).replace("{memberId}", guest);
        let path = path.replace("{tokenId}", token).replace("{scheduleId}", schedule);
        let path = path.replace("{spendingId}", spending).replace("{questionId}", question);
        let path = path.replace("{userId}", "me").replace("{transactionId}", cash_out);
        let taken = |(name, _): &&(&str, Method)| {
            item.get(*name).is_some_and(|it| *name != "delete" || it["requestBody"].is_object())
        };
        let taken = methods.iter().filter(taken).map(|(_, method)| method.clone());
        taken.map(|method| (method, path.clone())).collect::<Vec<_>>()
    };
    paths.iter().flat_map(route).collect()
}
