//! The Bot API over a real socket, with a bot behind a webhook.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use axum::{
    Json, Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, Request, StatusCode},
    response::{IntoResponse, Response},
    routing::post,
};
use http_body_util::{BodyExt, Full};
use hyper_util::{client::legacy::Client, rt::TokioExecutor};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::{FakeTelegram, Outcome, Said, User};

const TOKEN: &str = "42:secret_of-a-bot";
const ALICE: u64 = 7;
const PRIVATE: i64 = 7;
const GROUP: i64 = -100;
const SUPERGROUP: i64 = -1_001_000_000_000;

struct Api {
    fake: FakeTelegram,
    clock: Arc<AtomicU64>,
}

/// A status, which is 0 if there is no response, and a body.
type Got = (u16, Value);

impl Api {
    async fn new() -> Self {
        let clock = Arc::new(AtomicU64::new(1_000_000));
        let now = Arc::clone(&clock);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let fake = FakeTelegram::start(listener, TOKEN, move || now.load(Ordering::Relaxed));
        fake.add_user(User {
            id: ALICE,
            first_name: "Alice".to_owned(),
            username: Some("alice".to_owned()),
            language_code: Some("ru".to_owned()),
        });
        fake.add_group(GROUP, "Alps", "555");
        Self { fake, clock }
    }

    async fn post(&self, path: &str, kind: &str, body: String) -> Got {
        let request = Request::post(format!("{}{path}", self.fake.url()))
            .header("content-type", kind)
            .body(Full::new(Bytes::from(body)))
            .unwrap();
        let client = Client::builder(TokioExecutor::new()).build_http::<Full<Bytes>>();
        let Ok(response) = client.request(request).await else { return (0, Value::Null) };
        let status = response.status().as_u16();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        (status, serde_json::from_slice(&body).unwrap_or_default())
    }

    async fn call(&self, method: &str, body: Value) -> Got {
        self.post(&format!("/bot{TOKEN}/{method}"), "application/json", body.to_string()).await
    }

    async fn send(&self, chat: i64, text: &str) -> Got {
        self.call("sendMessage", json!({ "chat_id": chat, "text": text })).await
    }

    async fn html(&self, text: &str) -> Got {
        let body = json!({ "chat_id": GROUP, "text": text, "parse_mode": "HTML" });
        self.call("sendMessage", body).await
    }

    async fn buttons(&self, chat: i64, rows: Value) -> Got {
        let markup = json!({ "inline_keyboard": rows });
        let body = json!({ "chat_id": chat, "text": "x", "reply_markup": markup });
        self.call("sendMessage", body).await
    }

    fn pass(&self, ms: u64) {
        self.clock.fetch_add(ms, Ordering::Relaxed);
    }

    /// Sets a webhook that answers with what is in the list, the last one again and again.
    async fn webhook(&self, answers: Vec<(u16, Value)>) -> Arc<Mutex<Vec<(HeaderMap, Value)>>> {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let answers = Arc::new(Mutex::new(answers));
        let app = Router::new().route("/hook", post(answer)).with_state((answers, seen.clone()));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, app).await });
        let set = json!({ "url": url, "secret_token": "s3cret_-" });
        assert_eq!(self.call("setWebhook", set).await.0, 200);
        seen
    }
}

type Bot = (Arc<Mutex<Vec<(u16, Value)>>>, Arc<Mutex<Vec<(HeaderMap, Value)>>>);

async fn answer(
    State((answers, seen)): State<Bot>,
    headers: HeaderMap,
    Json(update): Json<Value>,
) -> Response {
    let mut answers = answers.lock().unwrap();
    let (status, mut body) =
        if answers.len() > 1 { answers.remove(0) } else { answers.first().unwrap().clone() };
    if body["method"] == "answerCallbackQuery" {
        body["callback_query_id"] = update["callback_query"]["id"].clone();
    }
    seen.lock().unwrap().push((headers, update));
    (StatusCode::from_u16(status).unwrap(), Json(body)).into_response()
}

fn description((_, body): &Got) -> &str {
    body["description"].as_str().unwrap_or_default()
}

#[tokio::test]
async fn token_is_checked() {
    let api = Api::new().await;
    let me = api.call("getMe", json!({})).await;
    assert_eq!((me.0, &me.1["result"]["id"]), (200, &json!(42)));
    for (path, status) in
        [("/bot42:other/getMe", 401), ("/botx/getMe", 404), ("/x", 404), ("/x/y/z", 404)]
    {
        assert_eq!(api.post(path, "application/json", "{}".to_owned()).await.0, status, "{path}");
    }
    assert_eq!(api.call("sendPhoto", json!({})).await.0, 404);
    assert_eq!(api.fake.calls().len(), 2);
}

#[tokio::test]
async fn parameters_are_read_from_json_forms_and_queries() {
    let api = Api::new().await;
    let path = format!("/bot{TOKEN}/sendMessage");
    let markup =
        "%7B%22inline_keyboard%22:[[%7B%22text%22:%22A%22,%22callback_data%22:%22a%22%7D]]%7D";
    let form = format!("chat_id=-100&text=one+1&disable_notification=true&reply_markup={markup}");
    let kind = "application/x-www-form-urlencoded";
    assert_eq!(api.post(&path, kind, form).await.0, 200);
    let part = |name, value| {
        format!("--B\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    };
    let form = part("chat_id", "-100") + &part("text", "two") + "--B--\r\n";
    assert_eq!(api.post(&path, "multipart/form-data; boundary=B", form).await.0, 200);
    let query = format!("{path}?chat_id=-100&text=three");
    assert_eq!(api.post(&query, "text/plain", String::new()).await.0, 200);
    let refused = api.post(&path, "application/json", "[1".to_owned()).await;
    assert_eq!(description(&refused), "Bad Request: can't parse JSON object");
    let messages = api.fake.messages(GROUP);
    let texts: Vec<_> = messages.iter().map(|message| message.text.as_str()).collect();
    assert_eq!(texts, ["one 1", "two", "three"]);
    assert!(messages[0].silent && messages[0].from_bot && messages[0].sent_at == 1_000_000);
    assert_eq!(messages[0].buttons[0][0].data.as_deref(), Some("a"));
}

#[tokio::test]
async fn text_is_at_most_4096_utf16_units_after_parsing() {
    let api = Api::new().await;
    api.fake.set_limits(false);
    for (text, expected) in [
        (String::new(), "Bad Request: message text is empty"),
        (" \n".to_owned(), "Bad Request: message text is empty"),
        ("<b> </b>".to_owned(), "Bad Request: message text is empty"),
        ("x".repeat(4_096), ""),
        ("&lt;".repeat(4_096), ""),
        ("😀".repeat(2_048), ""),
        ("😀".repeat(2_048) + "x", "Bad Request: message is too long"),
        ("x".repeat(4_097), "Bad Request: message is too long"),
    ] {
        assert_eq!(description(&api.html(&text).await), expected, "{} bytes", text.len());
    }
}

#[tokio::test]
async fn html_becomes_text_and_entities() {
    let api = Api::new().await;
    let html = "\n<b>Alps</b> 😀 <i>a&amp;<U>b</U></i> \
        <a href=\"https://x.org/?a=1&amp;b=>\">l</a> &#33;&#x21;";
    let (status, body) = api.html(html).await;
    assert_eq!((status, &body["result"]["text"]), (200, &json!("Alps 😀 a&b l !!")));
    assert_eq!(
        body["result"]["entities"],
        json!([
            { "type": "bold", "offset": 0, "length": 4 },
            { "type": "italic", "offset": 8, "length": 3 },
            { "type": "underline", "offset": 10, "length": 1 },
            { "type": "text_link", "offset": 12, "length": 1, "url": "https://x.org/?a=1&b=>" },
        ])
    );
    assert_eq!(api.fake.messages(GROUP)[0].html.as_deref(), Some(html));
    for (html, reason) in [
        ("a <x>", "Unsupported start tag \"x\" at byte offset 2"),
        ("1 < 2", "Unclosed start tag at byte offset 2"),
        ("<b>x", "Can't find end tag corresponding to start tag \"b\""),
        ("é</b>", "Unexpected end tag at byte offset 2"),
        (
            "<b><i>x</b></i>",
            "Unmatched end tag at byte offset 7, expected \"</i>\", found \"</b>\"",
        ),
        ("a & b", "Unsupported HTML entity at byte offset 2"),
        ("&nbsp;", "Unsupported HTML entity at byte offset 0"),
    ] {
        let expected = format!("Bad Request: can't parse entities: {reason}");
        assert_eq!(description(&api.html(html).await), expected, "{html}");
    }
    assert_eq!(api.send(GROUP, "1 < 2 & <b>").await.0, 200);
}

#[tokio::test]
async fn buttons_are_checked() {
    let api = Api::new().await;
    api.fake.set_limits(false);
    api.fake.unblock(ALICE);
    let data = |data: &str| json!({ "text": "A", "callback_data": data });
    let app = json!({ "text": "A", "web_app": { "url": "https://x.org" } });
    let rows = |count: usize| Value::from(vec![json!([data("a")]); count]);
    for (chat, rows, expected) in [
        (GROUP, json!([[data(&"x".repeat(64))]]), ""),
        (GROUP, json!([[data(&"é".repeat(33))]]), "BUTTON_DATA_INVALID"),
        (GROUP, json!([[data("")]]), "BUTTON_DATA_INVALID"),
        (PRIVATE, json!([[app]]), ""),
        (GROUP, json!([[app]]), "BUTTON_TYPE_INVALID"),
        (
            GROUP,
            json!([[{ "text": "A", "url": "https://x.org", "callback_data": "a" }]]),
            "BUTTON_TYPE_INVALID",
        ),
        (
            GROUP,
            json!([[{ "text": "A" }]]),
            "can't parse inline keyboard button: Text buttons are \
            unallowed in the inline keyboard",
        ),
        (
            GROUP,
            json!([[{ "text": "", "callback_data": "a" }]]),
            "inline keyboard button text must be non-empty",
        ),
        (GROUP, rows(100), ""),
        (GROUP, rows(101), "REPLY_MARKUP_TOO_LONG"),
        (GROUP, json!([vec![data("a"); 9]]), "REPLY_MARKUP_TOO_LONG"),
    ] {
        let got = api.buttons(chat, rows.clone()).await;
        let expected =
            if expected.is_empty() { String::new() } else { format!("Bad Request: {expected}") };
        assert_eq!(description(&got), expected, "{rows}");
    }
}

#[tokio::test]
async fn edits_and_replies_need_their_message() {
    let api = Api::new().await;
    let rows = json!([[{ "text": "A", "callback_data": "a" }]]);
    let id = api.buttons(GROUP, rows.clone()).await.1["result"]["message_id"].clone();
    let markup = json!({ "inline_keyboard": rows });
    let same = json!({ "chat_id": GROUP, "message_id": id, "text": "x", "reply_markup": markup });
    let got = api.call("editMessageText", same).await;
    assert!(description(&got).starts_with("Bad Request: message is not modified: "), "{got:?}");
    let edit = json!({ "chat_id": GROUP, "message_id": id, "text": "y" });
    assert_eq!(api.call("editMessageText", edit).await.0, 200);
    let message = api.fake.messages(GROUP).remove(0);
    assert_eq!((message.text.as_str(), message.buttons.len(), message.edits), ("y", 0, 1));
    let edit = json!({ "chat_id": GROUP, "message_id": id, "reply_markup": markup });
    assert_eq!(api.call("editMessageReplyMarkup", edit).await.0, 200);
    assert_eq!(api.fake.messages(GROUP)[0].buttons.len(), 1);
    let edit = json!({ "chat_id": GROUP, "message_id": 99, "text": "y" });
    let got = api.call("editMessageText", edit).await;
    assert_eq!(description(&got), "Bad Request: message to edit not found");
    let reply = |id: i64, without: bool| {
        let to = json!({ "message_id": id, "allow_sending_without_reply": without });
        json!({ "chat_id": GROUP, "text": "z", "reply_parameters": to })
    };
    let got = api.call("sendMessage", reply(99, false)).await;
    assert_eq!(description(&got), "Bad Request: message to be replied not found");
    assert_eq!(api.call("sendMessage", reply(99, true)).await.0, 200);
    let (_, body) = api.call("sendMessage", reply(1, false)).await;
    assert_eq!(body["result"]["reply_to_message"]["text"], "y");
    assert_eq!(api.fake.messages(GROUP)[2].reply_to, Some(1));
}

#[tokio::test]
async fn chats_that_the_bot_cannot_write_to_are_refused() {
    let api = Api::new().await;
    let blocked = "Forbidden: bot was blocked by the user";
    assert_eq!(description(&api.send(PRIVATE, "x").await), blocked);
    api.fake.say(PRIVATE, ALICE, "/start").await;
    assert_eq!(api.send(PRIVATE, "x").await.0, 200);
    api.fake.block(ALICE);
    assert_eq!(api.send(PRIVATE, "x").await.0, 403);
    assert_eq!(description(&api.send(8, "x").await), "Bad Request: chat not found");
    api.fake.kick(GROUP);
    let got = api.send(GROUP, "x").await;
    assert_eq!(description(&got), "Forbidden: bot was kicked from the group chat");
    api.fake.join_bot(GROUP, ALICE).await;
    assert_eq!(api.send(GROUP, "x").await.0, 200);
    api.fake.migrate(GROUP, SUPERGROUP);
    let (status, body) = api.send(GROUP, "x").await;
    assert_eq!(
        (status, body),
        (
            400,
            json!({
                "ok": false,
                "error_code": 400,
                "description": "Bad Request: group chat was upgraded to a supergroup chat",
                "parameters": { "migrate_to_chat_id": SUPERGROUP },
            })
        )
    );
    let (_, body) = api.send(SUPERGROUP, "x").await;
    assert_eq!(
        body["result"]["chat"],
        json!({ "id": SUPERGROUP, "type": "supergroup", "title": "Alps" })
    );
    assert_eq!((api.fake.messages(GROUP).len(), api.fake.messages(SUPERGROUP).len()), (1, 1));
}

#[tokio::test]
async fn rate_limits_hold_per_chat_group_and_bot() {
    let api = Api::new().await;
    for _ in 0..5 {
        assert_eq!(api.send(GROUP, "x").await.0, 200);
    }
    let (status, body) = api.send(GROUP, "x").await;
    assert_eq!((status, &body["parameters"]["retry_after"]), (429, &json!(1)));
    assert_eq!(body["description"], "Too Many Requests: retry after 1");
    for _ in 0..15 {
        api.pass(1_000);
        assert_eq!(api.send(GROUP, "x").await.0, 200);
    }
    api.pass(1_000);
    let (status, body) = api.send(GROUP, "x").await;
    assert_eq!((status, &body["parameters"]["retry_after"]), (429, &json!(44)));
    api.pass(44_000);
    for user in 10..40 {
        api.fake.say(user, user.unsigned_abs(), "/start").await;
        assert_eq!(api.send(user, "x").await.0, 200, "{user}");
    }
    assert_eq!(api.send(GROUP, "x").await.0, 429);
    api.fake.set_limits(false);
    assert_eq!(api.send(GROUP, "x").await.0, 200);
}

#[tokio::test]
async fn planned_outcomes_end_one_call_each() {
    let api = Api::new().await;
    api.fake.set_limits(false);
    for (outcome, status, delivered) in [
        (Outcome::RetryAfter(9), 429, 0),
        (Outcome::Blocked, 403, 0),
        (Outcome::ChatNotFound, 400, 0),
        (Outcome::Refused("Bad Request: TOPIC_CLOSED"), 400, 0),
        (Outcome::Unauthorized, 401, 0),
        (Outcome::NotFound, 404, 0),
        (Outcome::ServerError, 502, 0),
        (Outcome::Redirect, 302, 0),
        (Outcome::Hang(Duration::from_millis(5)), 0, 0),
        (Outcome::DeliveredThenServerError, 502, 1),
        (Outcome::Unreadable, 200, 1),
        (Outcome::Cut, 0, 1),
        (Outcome::Migrate(SUPERGROUP), 400, 0),
    ] {
        let before = api.fake.messages(GROUP).len();
        api.fake.plan(Some(GROUP), outcome.clone());
        assert_eq!(api.send(1, "x").await.0, 400, "another chat");
        assert_eq!(api.send(GROUP, "x").await.0, status, "{outcome:?}");
        assert_eq!(api.fake.messages(GROUP).len().saturating_sub(before), delivered, "{outcome:?}");
        assert_eq!(api.fake.calls().last().unwrap().status, status);
    }
    assert_eq!(api.send(SUPERGROUP, "x").await.0, 200);
    api.fake.away(true);
    assert_eq!(api.send(SUPERGROUP, "x").await.0, 0);
    api.fake.away(false);
    assert_eq!(api.send(SUPERGROUP, "x").await.0, 200);
    assert_eq!(api.fake.messages(SUPERGROUP).len(), 2);
}

#[tokio::test]
async fn webhook_gets_updates_and_its_answer_is_carried_out() {
    let api = Api::new().await;
    let bad = json!({ "url": "http://example.org/" });
    let got = api.call("setWebhook", bad).await;
    assert_eq!(
        description(&got),
        "Bad Request: bad webhook: An HTTPS URL must be provided for webhook"
    );
    let bad = json!({ "url": "https://example.org/", "secret_token": "a b" });
    assert_eq!(api.call("setWebhook", bad).await.0, 400);
    let none = api.fake.say(GROUP, ALICE, "hi").await;
    assert_eq!((none.status, none.attempts), (0, 0));

    let reply = json!({ "method": "sendMessage", "chat_id": GROUP, "text": "done",
        "reply_parameters": { "message_id": 2 } });
    let refused = json!({ "method": "sendMessage", "chat_id": 1, "text": "x" });
    let seen =
        api.webhook(vec![(503, json!({})), (200, reply), (200, refused), (500, json!({}))]).await;
    let said = api.fake.say(GROUP, ALICE, "/expense@x 30 обед").await;
    assert_eq!(said, Said { status: 200, attempts: 2, message_id: 2 });
    let (headers, update) = seen.lock().unwrap()[1].clone();
    assert_eq!(headers["x-telegram-bot-api-secret-token"], "s3cret_-");
    assert_eq!(headers["content-type"], "application/json");
    assert_eq!(
        update,
        json!({ "update_id": 1, "message": {
            "message_id": 2,
            "from": { "id": 7, "is_bot": false, "first_name": "Alice", "username": "alice",
                "language_code": "ru" },
            "chat": { "id": GROUP, "type": "group", "title": "Alps" },
            "date": 1_000,
            "text": "/expense@x 30 обед",
            "entities": [{ "type": "bot_command", "offset": 0, "length": 10 }],
        } })
    );
    assert_eq!(api.fake.messages(GROUP)[2].reply_to, Some(2));
    assert_eq!(api.fake.calls().last().unwrap().method, "sendMessage");

    assert_eq!(api.fake.repeat_last().await.attempts, 1);
    assert_eq!(seen.lock().unwrap()[2].1, update);
    assert_eq!(api.fake.webhook_errors(), ["sendMessage: Bad Request: chat not found"]);
    let failed = api.fake.update(json!({ "poll": {} })).await;
    assert_eq!(failed, Said { status: 500, attempts: 4, message_id: 0 });
    assert_eq!(seen.lock().unwrap()[3].1, json!({ "update_id": 2, "poll": {} }));
    api.fake.leave_bot(GROUP, ALICE).await;
    let change = seen.lock().unwrap().last().unwrap().1["my_chat_member"].clone();
    assert_eq!(change["new_chat_member"]["status"], "left");
    assert_eq!(api.fake.say(GROUP, ALICE, "hi").await.attempts, 0);

    let webhook = api.fake.webhook().unwrap();
    let only = json!({ "url": webhook.url, "allowed_updates": ["callback_query"] });
    api.call("setWebhook", only).await;
    assert_eq!(api.fake.join_bot(GROUP, ALICE).await.attempts, 0);
    assert_eq!(api.call("getUpdates", json!({})).await.0, 409);
    let info = api.call("getWebhookInfo", json!({})).await.1;
    assert_eq!(info["result"]["allowed_updates"], json!(["callback_query"]));
    api.call("deleteWebhook", json!({})).await;
    assert_eq!(api.call("getUpdates", json!({})).await.1["result"], json!([]));
}

#[tokio::test]
async fn press_is_answered_once() {
    let api = Api::new().await;
    let alert = json!({ "method": "answerCallbackQuery", "text": "Your answer: Pizza." });
    let long = json!({ "method": "answerCallbackQuery", "text": "é".repeat(201) });
    let seen = api.webhook(vec![(200, alert), (200, long)]).await;
    let rows =
        json!([[{ "text": "Pizza", "callback_data": "p" }, { "text": "Open", "url": "tg://x" }]]);
    let markup = json!({ "inline_keyboard": rows });
    let said = json!({ "chat_id": GROUP, "text": "Pizza?", "reply_markup": markup });
    api.call("sendMessage", said).await;
    let pressed = api.fake.press(GROUP, 1, "Pizza", ALICE).await;
    assert_eq!((pressed.status, pressed.alert.as_deref()), (200, Some("Your answer: Pizza.")));
    let query = seen.lock().unwrap()[0].1["callback_query"].clone();
    assert_eq!((&query["data"], &query["chat_instance"]), (&json!("p"), &json!("555")));
    assert_eq!(query["message"]["reply_markup"]["inline_keyboard"], rows);
    assert_eq!(api.fake.press(GROUP, 1, "Open", ALICE).await.status, 0);
    let too_long = api.fake.press_data(GROUP, 9, "made up", ALICE).await;
    assert!(too_long.status == 200 && !too_long.answered && too_long.alert.is_none());
    assert_eq!(seen.lock().unwrap()[1].1["callback_query"]["message"]["date"], 0);
    for id in [query["id"].clone(), json!("x")] {
        let got = api.call("answerCallbackQuery", json!({ "callback_query_id": id })).await;
        let expected =
            "Bad Request: query is too old and response timeout expired or query ID is invalid";
        assert_eq!(description(&got), expected);
    }
}

#[tokio::test]
async fn commands_are_kept_by_language() {
    let api = Api::new().await;
    let commands = json!([{ "command": "balance", "description": "Кто кому" }]);
    let set =
        json!({ "commands": commands, "language_code": "ru", "scope": { "type": "default" } });
    assert_eq!(api.call("setMyCommands", set).await.0, 200);
    assert_eq!(api.fake.commands("ru"), [("balance".to_owned(), "Кто кому".to_owned())]);
    assert_eq!(api.call("getMyCommands", json!({})).await.1["result"], json!([]));
    let got = api.call("getMyCommands", json!({ "language_code": "ru" })).await;
    assert_eq!(got.1["result"], commands);
    let bad = json!({ "commands": [{ "command": "Bad", "description": "x" }] });
    assert_eq!(
        description(&api.call("setMyCommands", bad).await),
        "Bad Request: BOT_COMMAND_INVALID"
    );
}

#[tokio::test]
async fn people_at_a_terminal_say_press_and_read() {
    let api = Api::new().await;
    api.webhook(vec![(200, json!({ "method": "answerCallbackQuery", "text": "Done" }))]).await;
    let say = json!({ "chat": GROUP, "from": ALICE, "text": "/expense 30 dinner" });
    let (status, body) = api.post("/say", "application/json", say.to_string()).await;
    assert_eq!((status, body), (200, json!({ "status": 200, "attempts": 1, "message_id": 1 })));
    let rows =
        json!([[{ "text": "Undo", "callback_data": "u" }, { "text": "Open", "url": "tg://x" }]]);
    api.buttons(GROUP, rows).await;
    let press = "chat=-100&message=2&button=Undo&from=7".to_owned();
    let (_, body) = api.post("/press", "application/x-www-form-urlencoded", press).await;
    assert_eq!(body, json!({ "status": 200, "answered": true, "alert": "Done" }));
    assert_eq!(api.post("/say", "application/json", "{}".to_owned()).await.0, 400);
    let request = format!("{}/chats/-100", api.fake.url()).parse().unwrap();
    let client = Client::builder(TokioExecutor::new()).build_http::<Full<Bytes>>();
    let body = client.get(request).await.unwrap().into_body().collect().await.unwrap().to_bytes();
    assert_eq!(body, "#1 Alice: /expense 30 dinner\n#2 Fracti: x\n  [Undo] [Open]\n");
}
