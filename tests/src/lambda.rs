//! Lambda's runtime API, as far as a function needs it: it serves events, and collects responses
//! and logs.
//!
//! <https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html>

use std::{
    io,
    process::Stdio,
    sync::Arc,
    time::{Duration, Instant},
};

use axum::{
    Router,
    extract::{Path, State},
    http::{HeaderMap, Method, StatusCode},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use fracti_core::values::time::Timestamp;
use fracti_http::{App, service};
use fracti_local::{routes, sign_event};
use fracti_runtime::Clock;
use fracti_store::Table;
use serde_json::{Value, json};
use tokio::{
    io::AsyncReadExt,
    net::TcpListener,
    process::{Child, Command},
    sync::{Mutex, Notify, mpsc},
    task::JoinHandle,
    time::timeout,
};

use crate::{
    client::{self, Transport},
    database::{Database, TABLE},
    events::{KEY, SCENE, TOKEN, events_app, forget, samples, scene},
    harness::{Api, Group},
    tls::{Handshakes, Terminator},
};

/// The secret that holds the bot's token.
const SECRET: &str = "fracti/bot-token";

/// Time limit for the start of a function, and for the response to one event.
const TIME_LIMIT: Duration = Duration::from_secs(30);

/// State of the runtime API: pending events and received responses.
#[derive(Clone)]
struct Runtime {
    ready: Arc<Notify>,
    events: Arc<Mutex<mpsc::Receiver<String>>>,
    answers: mpsc::Sender<(String, String)>,
}

/// A running function, killed when dropped.
#[derive(Debug)]
pub struct Function {
    process: Child,
    ready: Arc<Notify>,
    events: mpsc::Sender<String>,
    answers: mpsc::Receiver<(String, String)>,
    log: JoinHandle<String>,
    served: JoinHandle<io::Result<()>>,
}

impl Function {
    /// Starts the function at `binary` as Lambda would, over the table at `dynamodb`.
    ///
    /// # Panics
    ///
    /// If the program does not exist.
    pub async fn start(binary: &str, dynamodb: &str, variables: &[(&str, &str)]) -> Self {
        let (events, receiver) = mpsc::channel(1);
        let (sender, answers) = mpsc::channel(1);
        let ready = Arc::new(Notify::new());
        let runtime = Runtime {
            ready: ready.clone(),
            events: Arc::new(Mutex::new(receiver)),
            answers: sender,
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let served = tokio::spawn(async move { axum::serve(listener, router(runtime)).await });

        let mut process = Command::new(binary)
            .env_clear()
            .envs([
                ("AWS_LAMBDA_RUNTIME_API", address.as_str()),
                ("AWS_LAMBDA_FUNCTION_NAME", "fracti"),
                ("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST"),
                ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "256"),
                ("AWS_LAMBDA_LOG_GROUP_NAME", "/aws/lambda/fracti"),
                ("AWS_LAMBDA_LOG_STREAM_NAME", "test"),
                ("AWS_LAMBDA_LOG_FORMAT", "JSON"),
                ("AWS_REGION", "eu-central-1"),
                ("AWS_ACCESS_KEY_ID", "local"),
                ("AWS_SECRET_ACCESS_KEY", "local"),
                ("AWS_ENDPOINT_URL_DYNAMODB", dynamodb),
                ("TABLE_NAME", TABLE),
                ("TELEGRAM_BOT_TOKEN_SECRET", SECRET),
                ("AWS_ENDPOINT_URL_SECRETS_MANAGER", &format!("http://{address}/secrets")),
            ])
            .envs(variables.iter().copied())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = process.stdout.take().unwrap();
        let log = tokio::spawn(async move {
            let mut log = String::new();
            lines.read_to_string(&mut log).await.unwrap();
            log
        });
        Self { process, ready, events, answers, log, served }
    }

    /// Waits until the function asks for its first event. Call it once.
    ///
    /// # Panics
    ///
    /// If the function does not ask in time.
    pub async fn ready(&self) {
        timeout(TIME_LIMIT, self.ready.notified()).await.unwrap();
    }

    /// The process id.
    #[must_use]
    pub fn id(&self) -> Option<u32> {
        self.process.id()
    }

    /// Sends an event, and returns the response.
    ///
    /// # Panics
    ///
    /// If the function does not respond, or not in time.
    pub async fn answer(&mut self, event: String) -> Value {
        self.events.send(event.clone()).await.unwrap();
        let (kind, answer) = timeout(TIME_LIMIT, self.answers.recv()).await.unwrap().unwrap();
        assert_eq!(kind, "response", "{event}: {answer}");
        serde_json::from_str(&answer).unwrap()
    }

    /// Sends an event, and returns why the function has failed.
    async fn failure(&mut self, event: String) -> String {
        self.events.send(event.clone()).await.unwrap();
        let (kind, answer) = timeout(TIME_LIMIT, self.answers.recv()).await.unwrap().unwrap();
        assert_eq!(kind, "error", "{event}: {answer}");
        answer
    }

    /// Kills the function, and returns its log.
    async fn stop(mut self) -> String {
        self.process.kill().await.unwrap();
        self.served.abort();
        self.log.await.unwrap()
    }
}

/// Starts the function at `binary` over a table that cannot be reached, and checks that it serves.
///
/// # Panics
///
/// If the function does not start.
pub async fn starts_without_its_table(binary: &str) {
    answers_without_its_table(binary, "/api/health").await;
}

/// Starts the function of the Mini App at `binary`, likewise, and checks that it serves the
/// document.
///
/// # Panics
///
/// If the function does not start.
pub async fn shows_its_document_without_its_table(binary: &str) {
    answers_without_its_table(binary, "/app").await;
}

async fn answers_without_its_table(binary: &str, path: &str) {
    let mut function = Function::start(binary, "http://127.0.0.1:1", &[]).await;
    let health = samples().into_iter().find(|sample| sample.name == "get-health").unwrap();
    let event = health.event().replace("/api/health", path);
    assert_eq!(function.answer(event).await["statusCode"], health.status);
}

/// Starts the settlements function at `binary` over TLS, and counts its handshakes.
///
/// # Panics
///
/// If it opens more than one connection before its first event, or later ones do not resume the TLS
/// session of the first.
pub async fn resumes_its_first_connection(binary: &str) {
    let database = Database::start().await;
    let table = Table::new(database.client.clone(), TABLE);
    let app = events_app(table);
    let now = Clock::system().now();
    let made = scene(&service(routes(), app), now).await;
    let debts = samples().into_iter().find(|sample| sample.name == "get-debts").unwrap();
    let mut event = sign_event(&debts.event(), TOKEN, now, None).unwrap();
    for (old, new) in SCENE.iter().zip(made) {
        event = event.replace(old, &new);
    }

    let dynamodb = Terminator::before(database.endpoint()).await;
    let variables = [
        ("AWS_ACCESS_KEY_ID", database.access_key_id()),
        ("AWS_CA_BUNDLE", dynamodb.bundle().to_str().unwrap()),
        // The function does not wait for a secret, in which time it would open more.
        ("TELEGRAM_BOT_TOKEN", TOKEN),
    ];
    let mut process = Function::start(binary, dynamodb.endpoint(), &variables).await;
    process.ready().await;
    assert_eq!(dynamodb.handshakes(), Handshakes { full: 1, resumed: 0 });
    // It reads three rows at the same time. If the first connection becomes free meanwhile, the
    // others are opened in the background.
    assert_eq!(process.answer(event).await["statusCode"], debts.status);
    let resumed = timeout(TIME_LIMIT, dynamodb.once_resumed()).await;
    let Handshakes { full, resumed } = resumed.unwrap();
    assert_eq!(full, 1);
    assert!((1..=2).contains(&resumed), "{resumed}");
    process.stop().await;
    database.stop().await;
}

/// Starts the function at `binary` over TLS, sends it the sample events of `function`, and checks
/// its responses and its log.
///
/// # Panics
///
/// If the function does not start, or a response differs from the expected one.
pub async fn answers_its_events(binary: &str, function: &str) {
    let database = Database::start().await;
    let table = Table::new(database.client.clone(), TABLE);
    let app = events_app(table);
    let api = service(routes(), app);

    let dynamodb = Terminator::before(database.endpoint()).await;
    let trusted = [
        ("OPERATOR_IDS", "123456789"),
        ("TELLING", "on"),
        ("AWS_ACCESS_KEY_ID", database.access_key_id()),
        ("AWS_CA_BUNDLE", dynamodb.bundle().to_str().unwrap()),
    ];
    let mut process = Function::start(binary, dynamodb.endpoint(), &trusted).await;
    process.ready().await;
    assert_eq!(dynamodb.handshakes().full, 1, "a connection is open before the first event");

    let samples: Vec<_> =
        samples().into_iter().filter(|sample| sample.function == function).collect();
    assert!(samples.len() >= 5, "{function} has its events");
    let mut secrets = vec![TOKEN.to_owned()];
    for sample in &samples {
        // Each event gets a new group in the same table.
        let now = Clock::system().now();
        let made = scene(&api, now).await;
        let mut event = sample.event();
        if !sample.name.starts_with("bad-forged") {
            event = sign_event(&event, TOKEN, now, None).unwrap();
        }
        for (old, new) in SCENE.iter().zip(&made) {
            event = event.replace(old, new);
        }
        // Each event has its own idempotency key.
        let key = format!("{}-{function}", sample.name);
        event = event.replace(KEY, &key);

        secrets.extend(secrets_of(&event));
        let answer = process.answer(event).await;
        let status = answer.get("statusCode").and_then(Value::as_u64);
        let body = answer.get("body").and_then(Value::as_str).unwrap_or_default();
        assert_eq!(status, Some(sample.status.into()), "{}: {answer}", sample.name);
        // A user of an earlier event is in several groups by now, so the number of groups is not
        // compared.
        let says = sample.says.replace(r#","groupCount":1"#, "");
        assert!(body.contains(&says), "{}: {body}", sample.name);
        assert_eq!(answer.get("isBase64Encoded"), Some(&Value::Bool(false)), "{}", sample.name);
        forget(&api, &made, now).await;
    }
    // An event without a valid URL gets a response too, and the function keeps running.
    for query in ["\"", "limit=<5>"] {
        let mut event: Value = serde_json::from_str(&samples[0].event()).unwrap();
        event["rawQueryString"] = query.into();
        process.answer(event.to_string()).await;
    }
    let log = process.stop().await;
    assert!(log.lines().count() >= samples.len(), "{log}");
    for secret in secrets {
        assert!(!log.contains(&secret), "the log says {secret}: {log}");
    }
    database.stop().await;
}

/// Starts the keeper at `binary`, sends it the event of a schedule, and checks that a bonus that
/// has lapsed is gone.
///
/// # Panics
///
/// If the function does not start or fails.
pub async fn keeps(binary: &str) {
    let database = Database::start().await;
    let table = Table::new(database.client.clone(), TABLE);
    // The bonus was given two hours ago, for an hour.
    let now = Clock::system().now();
    let before = Timestamp::from_millis(now.millis() - 7_200_000).unwrap();
    let app = App { clock: Clock::of(move || before), ..events_app(table.clone()) };
    let api = &Transport::Router(service(routes(), app));
    let alice = client::authorization(&client::user(123_456_789, "Alice"), TOKEN, before);
    let group = json!({ "title": "Alps", "chatId": -1, "currency": "EUR" });
    let until = before.plus_seconds(3_600).to_string();
    let bonus = json!({ "currency": "EUR", "amount": 5, "expiresAt": until });
    for (path, body) in [("/api/groups", group), ("/api/users/me/funds/bonuses", bonus)] {
        let request = client::request(&Method::POST, path, &alice, None, &body);
        assert_eq!(api.send(request).await.unwrap().status, 201);
    }
    let alice = "123456789".parse().unwrap();
    assert_eq!(table.funds(alice).await.unwrap().all().count(), 1);

    let variables = [("AWS_ACCESS_KEY_ID", database.access_key_id())];
    let mut process = Function::start(binary, database.endpoint(), &variables).await;
    process.ready().await;
    process.answer(json!({ "detail-type": "Scheduled Event" }).to_string()).await;
    assert_eq!(table.funds(alice).await.unwrap().all().count(), 0, "it has lapsed");
    let log = process.stop().await;
    assert!(log.contains(r#""operation":"keep-money""#), "{log}");
    database.stop().await;
}

/// Starts the scheduled verification at `binary` over a table with a sound group, and then with one
/// that has lost a row, and checks that the second event fails and is explained in the log.
///
/// # Panics
///
/// If the function does not answer so.
pub async fn verifies(binary: &str) {
    let api = Api::new().await;
    let group = Group::of(&api, 2, "EUR").await;
    let database = api.database();
    let variables = [("AWS_ACCESS_KEY_ID", database.access_key_id())];
    let mut process = Function::start(binary, database.endpoint(), &variables).await;
    process.ready().await;
    let event = json!({ "detail-type": "Scheduled Event" }).to_string();
    process.answer(event.clone()).await;
    api.delete_row(&format!("GROUP#{}", group.id), "METADATA").await;
    let failed = process.failure(event).await;
    assert!(failed.contains("the report has findings"), "{failed}");
    let log = process.stop().await;
    let found = format!("group {}: row GROUP#{0} METADATA is missing", group.id);
    assert!(log.contains("1 group verified, 0 of them with a finding") && log.contains(&found));
}

/// Parts of an event that must not be logged: the secret headers, and the body with its texts.
fn secrets_of(event: &str) -> Vec<String> {
    let event: Value = serde_json::from_str(event).unwrap();
    let header = |name| event["headers"].get(name).and_then(Value::as_str);
    let headers = ["authorization", "x-telegram-init-data", "idempotency-key"].map(header);
    let body = event["body"].as_str().and_then(|body| serde_json::from_str::<Value>(body).ok());
    let fields = body.iter().filter_map(Value::as_object).flat_map(serde_json::Map::values);
    let texts = fields.filter_map(Value::as_str).filter(|text| text.len() >= 4);
    let secrets = headers.into_iter().flatten().chain(texts).map(str::to_owned);
    secrets.chain(event["body"].as_str().map(str::to_owned)).collect()
}

/// Serves the secret with [`TOKEN`] like Secrets Manager, and returns the URL.
///
/// # Panics
///
/// If it cannot listen.
pub async fn secrets_manager() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = Router::new().route("/", post(secret));
    tokio::spawn(async move { axum::serve(listener, router).await });
    format!("http://{address}")
}

fn router(runtime: Runtime) -> Router {
    Router::new()
        .route("/2018-06-01/runtime/invocation/next", get(next))
        .route("/2018-06-01/runtime/invocation/{id}/{kind}", post(answer))
        .route("/2018-06-01/runtime/init/error", post(init_error))
        .route("/secrets", post(secret))
        .route("/secrets/", post(secret))
        .with_state(runtime)
}

/// Returns the next event, once there is one.
async fn next(State(runtime): State<Runtime>) -> Response {
    let started = Instant::now();
    runtime.ready.notify_one();
    let Some(event) = runtime.events.lock().await.recv().await else {
        return StatusCode::GONE.into_response();
    };
    let deadline = Clock::system().now().millis().saturating_add(10_000).to_string();
    let headers = [
        ("lambda-runtime-aws-request-id", format!("test-{}", started.elapsed().as_nanos())),
        ("lambda-runtime-deadline-ms", deadline),
        (
            "lambda-runtime-invoked-function-arn",
            "arn:aws:lambda:eu-central-1:1:function:fracti".to_owned(),
        ),
        ("lambda-runtime-trace-id", "Root=1-0-0;Sampled=0".to_owned()),
    ];
    (headers.map(|(name, value)| (name, value)), event).into_response()
}

/// Receives the result of an invocation: a `response`, or an `error`.
async fn answer(
    State(runtime): State<Runtime>,
    Path((_, kind)): Path<(String, String)>,
    body: String,
) -> StatusCode {
    let _ = runtime.answers.send((kind, body)).await;
    StatusCode::ACCEPTED
}

/// Answers `GetSecretValue` like Secrets Manager. The token ends with a newline, like one pasted
/// from a file.
async fn secret(headers: HeaderMap, body: String) -> Response {
    let target = headers.get("x-amz-target").and_then(|target| target.to_str().ok());
    let asked: Value = serde_json::from_str(&body).unwrap();
    if target != Some("secretsmanager.GetSecretValue")
        || asked.get("SecretId") != Some(&SECRET.into())
    {
        return StatusCode::BAD_REQUEST.into_response();
    }
    let secret = serde_json::json!({ "Name": SECRET, "SecretString": format!("{TOKEN}\n") });
    ([("content-type", "application/x-amz-json-1.1")], secret.to_string()).into_response()
}

/// Receives the error of a function that did not start.
async fn init_error(State(runtime): State<Runtime>, body: String) -> StatusCode {
    let _ = runtime.answers.send(("init error".to_owned(), body)).await;
    StatusCode::ACCEPTED
}
