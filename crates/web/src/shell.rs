//! The document of the Mini App, without content: its style and its script are inlined, so that it
//! is one request. What the first screen does not need of the script is a file of its own.

use std::sync::{LazyLock, OnceLock};

use axum::{
    extract::State,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};
use base64::{Engine, prelude::BASE64_STANDARD};
use fracti_http::App;
use maud::{DOCTYPE, PreEscaped, html};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::{
    compress::{accepts_gzip, gzip},
    qr,
    text::script::{self, with_texts},
};

static STYLE: LazyLock<String> = LazyLock::new(|| style(include_str!("../assets/app.css")));
static SCRIPT: LazyLock<String> =
    LazyLock::new(|| with_texts(&short(include_str!("../assets/app.js")), &script::APP));
static MORE: LazyLock<String> = LazyLock::new(|| {
    let style = json!(style(include_str!("../assets/more.css"))).to_string();
    let script = short(include_str!("../assets/more.js")).replacen("STYLE", &style, 1);
    with_texts(&script, &script::MORE)
});
static MORE_GZIP: LazyLock<Vec<u8>> = LazyLock::new(|| gzip(MORE.as_bytes()));

/// A style sheet as it is sent.
fn style(source: &str) -> String {
    close(&short(source))
}

/// A style sheet without the blanks beside its punctuation. Its texts have none there.
fn close(style: &str) -> String {
    let pairs =
        [(" {", "{"), ("{ ", "{"), ("; ", ";"), (" }", "}"), (";}", "}"), (": ", ":"), (", ", ",")];
    pairs.iter().fold(style.to_owned(), |style, (wide, close)| style.replace(wide, close))
}

/// The lines of a source without their indentation, and without those that are comments. No text
/// spans lines.
fn short(source: &str) -> String {
    let is_comment =
        |line: &&str| line.starts_with("//") || (line.starts_with("/*") && line.ends_with("*/"));
    let lines = source.lines().map(str::trim).filter(|line| !line.is_empty() && !is_comment(line));
    lines.collect::<Vec<_>>().join("\n")
}

/// Bytes of the hash that is the version.
const VERSION_LENGTH: usize = 8;

/// The document as it is sent.
struct Shell {
    html: String,
    gzip: Vec<u8>,
    policy: HeaderValue,
    tag: HeaderValue,
}

static VERSION: LazyLock<String> = LazyLock::new(|| {
    let hash =
        Sha256::new().chain_update(&*STYLE).chain_update(&*SCRIPT).chain_update(&*MORE).finalize();
    hex::encode(hash.get(..VERSION_LENGTH).unwrap_or_default())
});

/// The document of this process, which serves one bot.
static SHELL: OnceLock<Shell> = OnceLock::new();

impl Shell {
    /// The document. A reader who is not signed in gets a link to the bot with this username.
    fn new(bot: Option<&str>) -> Self {
        let html = document_html(bot);
        let policy = format!(
            "default-src 'none'; script-src {} 'self' https://telegram.org/js/; style-src {}; img-src 'self' data:; \
         connect-src 'self'; base-uri 'none'; form-action 'none'; \
         frame-ancestors https://*.telegram.org",
            hash_of(&SCRIPT),
            hash_of(&STYLE),
        );
        Shell {
            gzip: gzip(html.as_bytes()),
            policy: header_of(policy),
            tag: header_of(format!("\"{}{}\"", *VERSION, bot.unwrap_or_default())),
            html,
        }
    }
}

/// Hash of an inlined element, as a content security policy names it.
///
/// <https://www.w3.org/TR/CSP3/#grammardef-hash-source>
fn hash_of(text: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)))
}

fn header_of(text: String) -> HeaderValue {
    HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static(""))
}

/// The version of style and script, which the script compares with that of each fragment.
pub(crate) fn version() -> HeaderValue {
    header_of(VERSION.clone())
}

fn document_html(bot: Option<&str>) -> String {
    let html = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport"
                    content="width=device-width, initial-scale=1, viewport-fit=cover";
                meta name="color-scheme" content="light dark";
                meta name="version" content=(*VERSION);
                @if let Some(bot) = bot { meta name="bot" content=(bot); }
                title { "Fracti" }
                link rel="icon" href="data:,";
                style { (PreEscaped(&*STYLE)) }
                script type="module" { (PreEscaped(&*SCRIPT)) }
            }
            body {
                div #progress hidden {}
                // Before the screen, so that a keyboard reaches what it offers first.
                div #status role="status" {}
                // Text paints first; without any, the first paint would be that of the content.
                main #main aria-busy="true" {
                    h1.hint { "Fracti" }
                    div.skeleton {}
                    div.skeleton {}
                    div.skeleton {}
                }
            }
        }
    };
    html.into_string()
}

/// Path of the rest of the script.
const MORE_PATH: &str = "/app/more.js";

/// Path of the picture of the link to the bot.
const BOT_PATH: &str = "/app/bot.svg";

/// The link to the bot as a QR code, for a phone beside a browser that is not signed in.
fn picture(bot: Option<&str>) -> Response {
    let Some(bot) = bot else { return StatusCode::NOT_FOUND.into_response() };
    let kind = [(header::CONTENT_TYPE, HeaderValue::from_static("image/svg+xml"))];
    (kind, qr::code(&format!("https://t.me/{bot}"), bot).into_string()).into_response()
}

/// The document, for every path but those of the rest of the script and of a picture: init data is
/// in the fragment of the URL, so no server sees it here.
pub(crate) async fn document(State(app): State<App>, uri: Uri, headers: HeaderMap) -> Response {
    match uri.path() {
        MORE_PATH => return more(uri.query(), &headers),
        BOT_PATH => return picture(app.bot_username.as_deref()),
        _ => {}
    }
    let shell = SHELL.get_or_init(|| Shell::new(app.bot_username.as_deref()));
    let caching = HeaderValue::from_static("public, max-age=0, stale-while-revalidate=2592000");
    let common = [
        (header::CACHE_CONTROL, caching),
        (header::ETAG, shell.tag.clone()),
        (header::VARY, HeaderValue::from_static("Accept-Encoding")),
        (header::CONTENT_SECURITY_POLICY, shell.policy.clone()),
    ];
    if headers.get(header::IF_NONE_MATCH) == Some(&shell.tag) {
        return (StatusCode::NOT_MODIFIED, common).into_response();
    }
    let own = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    ];
    if accepts_gzip(&headers) {
        return (common, own, GZIP, &*shell.gzip).into_response();
    }
    (common, own, &*shell.html).into_response()
}

const GZIP: [(HeaderName, HeaderValue); 1] =
    [(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"))];

/// The rest of the script. The script asks for its own version, whose answer never changes. After a
/// deployment, an earlier script gets the present one, which no cache keeps under that version.
fn more(query: Option<&str>, headers: &HeaderMap) -> Response {
    let asked = query.and_then(|it| it.strip_prefix("v="));
    let asked = asked.and_then(|it| it.split('&').next());
    let caching =
        if asked == Some(&**VERSION) { "public, max-age=31536000, immutable" } else { "no-store" };
    let common = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/javascript; charset=utf-8")),
        (header::CACHE_CONTROL, HeaderValue::from_static(caching)),
        (header::VARY, HeaderValue::from_static("Accept-Encoding")),
    ];
    if accepts_gzip(headers) {
        return (common, GZIP, &**MORE_GZIP).into_response();
    }
    (common, &**MORE).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Largest document, compressed, in bytes: what a server sends before a first answer of TCP.
    const MAX_LENGTH: usize = 14 * 1024;

    #[test]
    fn style_has_no_blanks_beside_its_punctuation() {
        let wide = ".a :is(p, b) { margin: 0 calc(1px + 2px); content: \"›\"; }";
        assert_eq!(close(wide), ".a :is(p,b){margin:0 calc(1px + 2px);content:\"›\"}");
    }

    #[test]
    fn document_is_small() {
        let shell = Shell::new(Some("a_bot_whose_name_has_32_characters"));
        assert!(shell.gzip.len() <= MAX_LENGTH, "{}", shell.gzip.len());
    }
}
