//! The HTTP server: reads calls in every form that Telegram takes, and cuts connections.

use std::{future, io, sync::Arc};

use axum::{
    Json, Router,
    body::Bytes,
    extract::{ConnectInfo, FromRequest, Multipart, Path, Request, State, connect_info::Connected},
    http::{StatusCode, header},
    response::{Html, IntoResponse, Response},
    routing::{any, get, post},
    serve::{IncomingStream, Listener},
};
use serde_json::{Value, json};
use tokio::{
    io::{DuplexStream, copy_bidirectional, duplex},
    net::TcpListener,
    select,
    sync::Notify,
    time::sleep,
};

use super::{
    FakeTelegram,
    methods::{Answer, Args},
    refusal::Refusal,
};

/// Bytes that a connection holds between the socket and the server.
const BUFFER: usize = 64 * 1024;

/// A connection that can be cut without a response, which an `axum` handler cannot do by itself.
#[derive(Clone, Debug, Default)]
struct Wire(Arc<Notify>);

impl Wire {
    /// Closes the socket. The request ends here: its response could not be sent.
    async fn cut(&self) -> Response {
        self.0.notify_one();
        future::pending().await
    }
}

/// Accepts connections with a [`Wire`] each.
struct Wires(TcpListener);

impl Listener for Wires {
    type Io = DuplexStream;
    type Addr = Wire;

    async fn accept(&mut self) -> (DuplexStream, Wire) {
        let (mut socket, _) = Listener::accept(&mut self.0).await;
        let (mut outer, inner) = duplex(BUFFER);
        let wire = Wire::default();
        let cut = wire.clone();
        tokio::spawn(async move {
            // A socket that refuses the option is slower, but works.
            let _ = socket.set_nodelay(true);
            select! {
                biased;
                () = cut.0.notified() => {}
                _ = copy_bidirectional(&mut socket, &mut outer) => {}
            }
        });
        (inner, wire)
    }

    fn local_addr(&self) -> io::Result<Wire> {
        Ok(Wire::default())
    }
}

impl Connected<IncomingStream<'_, Wires>> for Wire {
    fn connect_info(stream: IncomingStream<'_, Wires>) -> Self {
        stream.remote_addr().clone()
    }
}

/// Serves until the runtime ends.
pub(super) async fn serve(listener: TcpListener, fake: FakeTelegram) {
    let routes = Router::new()
        .route("/{bot}/{method}", any(call))
        .route("/say", post(say))
        .route("/press", post(press))
        .route("/chats/{chat}", get(chat))
        .fallback(|| async { refused(&Refusal::new(404, "Not Found")) })
        .with_state(fake)
        .into_make_service_with_connect_info::<Wire>();
    // `axum::serve` returns no error.
    let _ = axum::serve(Wires(listener), routes).await;
}

async fn call(
    State(fake): State<FakeTelegram>,
    ConnectInfo(wire): ConnectInfo<Wire>,
    Path((bot, method)): Path<(String, String)>,
    request: Request,
) -> Response {
    if fake.state().away {
        return wire.cut().await;
    }
    match bot.strip_prefix("bot") {
        Some(token) if token == fake.0.token => {}
        Some(token) if is_token(token) => return refused(&Refusal::new(401, "Unauthorized")),
        _ => return refused(&Refusal::new(404, "Not Found")),
    }
    let args = match read(request).await {
        Ok(args) => args,
        Err(refusal) => return refused(&refusal),
    };
    match fake.call(&method, &args) {
        Answer::Api(Ok(result)) => Json(json!({ "ok": true, "result": result })).into_response(),
        Answer::Api(Err(refusal)) => refused(&refusal),
        Answer::Unreadable => Html("<html><body>OK</body></html>").into_response(),
        Answer::Redirect => {
            let elsewhere = format!("{}/elsewhere", fake.url());
            (StatusCode::FOUND, [(header::LOCATION, elsewhere)]).into_response()
        }
        Answer::Cut(after) => {
            sleep(after).await;
            wire.cut().await
        }
    }
}

async fn say(State(fake): State<FakeTelegram>, request: Request) -> Response {
    let args = match read(request).await {
        Ok(args) => args,
        Err(refusal) => return refused(&refusal),
    };
    let chat = args.integer("chat");
    let from = person(&args);
    let text = args.text("text");
    let (Some(chat), Some(from), Some(text)) = (chat, from, text) else {
        return refused(&Refusal::bad("chat, from and text are required"));
    };
    Json(fake.say(chat, from, text).await).into_response()
}

async fn press(State(fake): State<FakeTelegram>, request: Request) -> Response {
    let args = match read(request).await {
        Ok(args) => args,
        Err(refusal) => return refused(&refusal),
    };
    let message = args.integer("message");
    let button = args.text("button");
    let (Some(chat), Some(message), Some(button), Some(from)) =
        (args.integer("chat"), message, button, person(&args))
    else {
        return refused(&Refusal::bad("chat, message, button and from are required"));
    };
    Json(fake.press(chat, message, button, from).await).into_response()
}

async fn chat(State(fake): State<FakeTelegram>, Path(chat): Path<i64>) -> String {
    fake.transcript(chat)
}

fn person(args: &Args) -> Option<u64> {
    args.integer("from").and_then(|from| u64::try_from(from).ok())
}

fn is_token(token: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    token.split_once(':').is_some_and(|(bot, secret)| {
        bot.parse::<u64>().is_ok() && !secret.is_empty() && secret.bytes().all(allowed)
    })
}

fn refused(refusal: &Refusal) -> Response {
    let status = StatusCode::from_u16(refusal.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, Json(refusal.body())).into_response()
}

/// Reads the parameters of the query and of a body in JSON or a form.
async fn read(request: Request) -> Result<Args, Refusal> {
    let mut args = Args::default();
    let mut put = |pairs: &[u8]| {
        for (key, value) in form_urlencoded::parse(pairs) {
            args.0.insert(key.into_owned(), Value::String(value.into_owned()));
        }
    };
    put(request.uri().query().unwrap_or_default().as_bytes());
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.unwrap_or_default().to_ascii_lowercase();
    let unreadable = || Refusal::bad("can't read the body");
    if kind.starts_with("multipart/form-data") {
        let mut form = Multipart::from_request(request, &()).await.map_err(|_| unreadable())?;
        while let Some(field) = form.next_field().await.map_err(|_| unreadable())? {
            let name = field.name().unwrap_or_default().to_owned();
            let value = field.text().await.map_err(|_| unreadable())?;
            args.0.insert(name, Value::String(value));
        }
        return Ok(args);
    }
    let body = Bytes::from_request(request, &()).await.map_err(|_| unreadable())?;
    if kind.starts_with("application/json") && !body.is_empty() {
        let Ok(Value::Object(fields)) = serde_json::from_slice(&body) else {
            return Err(Refusal::bad("can't parse JSON object"));
        };
        args.0.extend(fields);
    } else if kind.starts_with("application/x-www-form-urlencoded") {
        put(&body);
    }
    Ok(args)
}
