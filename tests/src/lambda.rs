//! Lambda's runtime API, as far as a function needs it: it serves events, and collects responses
//! and logs.
//!
//! <https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html>

use std::{
    process::Stdio,
    sync::Arc,
    time::{Duration, Instant},
};

use axum::{
    Router,
    extract::{Path, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use fracti_core::telegram;
use fracti_http::{App, BotToken, Clock, service};
use fracti_local::{routes, sign_event};
use fracti_store::Table;
use serde_json::Value;
use tokio::{
    io::AsyncReadExt,
    net::TcpListener,
    process::Command,
    sync::{Mutex, mpsc},
};

use crate::{
    database::{Database, TABLE},
    events::{SAMPLES, SCENE, TOKEN, scene},
};

/// The secret that holds the bot's token.
const SECRET: &str = "fracti/bot-token";

/// Time limit for the response to one event.
const TIME_LIMIT: Duration = Duration::from_secs(30);

/// State of the runtime API: pending events and received responses.
#[derive(Clone)]
struct Runtime {
    events: Arc<Mutex<mpsc::Receiver<String>>>,
    answers: mpsc::Sender<(String, String)>,
}

/// Starts the function at `binary` as Lambda would, sends it the sample events of `function`, and
/// checks its responses and its log.
///
/// # Panics
///
/// If the function does not start, or a response differs from the expected one.
pub async fn answers_its_events(binary: &str, function: &str) {
    let database = Database::start().await;
    let table = Table::new(database.client.clone(), TABLE);
    let app = App::new(table, BotToken::new(TOKEN), telegram::MAX_AGE);
    let api = service(routes(), app);

    let (events, receiver) = mpsc::channel(1);
    let (sender, mut answers) = mpsc::channel(1);
    let runtime = Runtime { events: Arc::new(Mutex::new(receiver)), answers: sender };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let served = tokio::spawn(async move { axum::serve(listener, router(runtime)).await });

    let mut process = Command::new(binary)
        .env_clear()
        .envs([
            ("AWS_LAMBDA_RUNTIME_API", address.as_str()),
            ("AWS_LAMBDA_FUNCTION_NAME", function),
            ("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST"),
            ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "256"),
            ("AWS_LAMBDA_LOG_GROUP_NAME", "/aws/lambda/fracti"),
            ("AWS_LAMBDA_LOG_STREAM_NAME", "test"),
            ("AWS_LAMBDA_LOG_FORMAT", "JSON"),
            ("AWS_REGION", "eu-central-1"),
            ("AWS_ACCESS_KEY_ID", database.access_key_id()),
            ("AWS_SECRET_ACCESS_KEY", "local"),
            ("AWS_ENDPOINT_URL_DYNAMODB", database.endpoint()),
            ("TABLE_NAME", TABLE),
            ("TELEGRAM_BOT_TOKEN_SECRET", SECRET),
            ("AWS_ENDPOINT_URL_SECRETS_MANAGER", &format!("http://{address}/secrets")),
        ])
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

    let samples: Vec<_> = SAMPLES.iter().filter(|sample| sample.function == function).collect();
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
        for (old, new) in SCENE.iter().zip(made) {
            event = event.replace(old, &new);
        }
        // Each event has its own idempotency key.
        let key = format!("{}-{function}", sample.name);
        event = event.replace("5f0c2f1e", &key).replace("0a9b8c7d", &key);

        secrets.extend(secrets_of(&event));
        events.send(event).await.unwrap();
        let (kind, answer) =
            tokio::time::timeout(TIME_LIMIT, answers.recv()).await.unwrap().unwrap();
        assert_eq!(kind, "response", "{}: {answer}", sample.name);
        let answer: Value = serde_json::from_str(&answer).unwrap();
        let status = answer.get("statusCode").and_then(Value::as_u64);
        let body = answer.get("body").and_then(Value::as_str).unwrap_or_default();
        assert_eq!(status, Some(sample.status.into()), "{}: {answer}", sample.name);
        // A user of an earlier event is in several groups by now, so the number of groups is not
        // compared.
        let says = sample.says.replace(r#","groupCount":1"#, "");
        assert!(body.contains(&says), "{}: {body}", sample.name);
        assert_eq!(answer.get("isBase64Encoded"), Some(&Value::Bool(false)), "{}", sample.name);
    }
    // An event without a valid URL gets a response too, and the function keeps running.
    for query in ["\"", "limit=<5>"] {
        let mut event: Value = serde_json::from_str(&samples[0].event()).unwrap();
        event["rawQueryString"] = query.into();
        events.send(event.to_string()).await.unwrap();
        let (kind, answer) =
            tokio::time::timeout(TIME_LIMIT, answers.recv()).await.unwrap().unwrap();
        assert_eq!(kind, "response", "{query}: {answer}");
    }
    process.kill().await.unwrap();
    served.abort();
    let log = log.await.unwrap();
    assert!(log.lines().count() >= samples.len(), "{log}");
    for secret in secrets {
        assert!(!log.contains(&secret), "the log says {secret}: {log}");
    }
    database.stop().await;
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
