//! The log of a request, and what it must not contain.

use std::{
    io,
    sync::{Arc, Mutex},
};

use axum::http::{HeaderMap, header, request::Parts};
use serde_json::Value;
use tracing::{Subscriber, level_filters::LevelFilter};
use tracing_subscriber::{filter::Targets, fmt, layer::SubscriberExt};

/// Shorter texts may occur in any line by chance.
const SHORTEST: usize = 6;

/// Words of the API that routes have, too.
const WORDS: [&str; 1] = ["credit"];

/// The log of one request.
#[derive(Clone, Debug, Default)]
pub struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// A deployed function's subscriber, with more levels of our own crates.
    pub fn subscriber(&self) -> impl Subscriber + Send + Sync + 'static {
        let targets = Targets::new().with_default(LevelFilter::INFO);
        let lines = self.clone();
        // Without the time, because a request may contain the current date.
        let lines = fmt::layer().with_ansi(false).without_time().with_writer(move || lines.clone());
        tracing_subscriber::registry()
            .with(lines)
            .with(targets.with_target("fracti", LevelFilter::TRACE))
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Parts of a request that the log must not contain.
pub(super) struct Secrets(Vec<String>);

impl Secrets {
    pub(super) fn of(parts: &Parts, body: &[u8], token: &str) -> Self {
        let mut all = vec![token.to_owned()];
        all.extend(headers(&parts.headers));
        let query = form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes());
        all.extend(query.map(|(_, value)| value.into_owned()));
        // A form may have JSON in its lines.
        for part in String::from_utf8_lossy(body).split("\r\n") {
            match serde_json::from_str(part) {
                Ok(json) => texts(&json, &mut all),
                Err(_) => all.push(part.to_owned()),
            }
        }
        all.retain(|secret| secret.len() >= SHORTEST && !WORDS.contains(&&**secret));
        Self(all)
    }

    pub(super) fn check(&self, log: &str) {
        for secret in &self.0 {
            // Line breaks and quotes are escaped in the log, so each piece is searched separately.
            let pieces =
                secret.split(|letter: char| letter.is_control() || "\\\"".contains(letter));
            for piece in pieces.filter(|piece| piece.len() >= SHORTEST) {
                assert!(!log.contains(piece), "the log says {piece:?}: {log}");
            }
        }
    }
}

/// The values of the headers, and those of init data separately.
fn headers(headers: &HeaderMap) -> Vec<String> {
    let values = headers.iter().filter(|(name, _)| *name != header::CONTENT_TYPE);
    let values = values.map(|(_, value)| String::from_utf8_lossy(value.as_bytes()).into_owned());
    let fields = |value: String| {
        let schemes = ["tma ", "Bearer "];
        let init_data = schemes.iter().find_map(|scheme| value.strip_prefix(scheme));
        let init_data = init_data.unwrap_or(&value).to_owned();
        let fields = form_urlencoded::parse(init_data.as_bytes());
        let fields = fields.map(|(_, value)| value.into_owned()).collect::<Vec<_>>();
        fields.into_iter().chain([value])
    };
    values.flat_map(fields).collect()
}

/// All strings of a JSON value.
fn texts(value: &Value, to: &mut Vec<String>) {
    match value {
        Value::String(text) => to.push(text.clone()),
        Value::Array(values) => values.iter().for_each(|value| texts(value, to)),
        Value::Object(fields) => fields.values().for_each(|value| texts(value, to)),
        _ => {}
    }
}
