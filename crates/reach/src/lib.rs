//! A bounded HTTPS client, over the TLS that the AWS SDK links already.
//!
//! It reaches only `https` servers, and `http` ones on loopback, which stand in for them. It
//! follows no redirect, waits a bounded time, and reads a bounded answer. Of a failure it says
//! whether the request may have arrived.

use std::{error, sync::Arc, time::Duration};

use aws_smithy_async::rt::sleep::TokioSleep;
use aws_smithy_http_client::{
    Connector,
    tls::{Provider, rustls_provider::CryptoMode},
};
use aws_smithy_runtime_api::client::{
    http::{HttpConnector, HttpConnectorSettings},
    orchestrator::HttpRequest,
};
use aws_smithy_types::body::SdkBody;
use http_body_util::{BodyExt, Limited};
use tokio::time::timeout;

/// Time limit of a connection.
const CONNECT_LIMIT: Duration = Duration::from_secs(2);

/// Maximum size of an answer, in bytes.
const MAX_ANSWER: usize = 256 * 1024;

/// A client. A clone is cheap, and shares its connections.
#[derive(Clone, Debug)]
pub struct Reach(Arc<Connector>);

/// An answer of a server, whatever its status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Status code.
    pub status: u16,
    /// The body.
    pub body: Vec<u8>,
}

/// Error returned if there is no answer. It does not name the URL, which may have a secret.
#[derive(Debug, thiserror::Error)]
pub enum ReachError {
    /// The URL is neither `https` nor `http` on loopback.
    #[error("the URL must begin with https://, or with http:// and a loopback address")]
    Url,
    /// The server was not reached, so the request did not arrive.
    #[error("the server was not reached")]
    NotSent(#[source] Box<dyn error::Error + Send + Sync>),
    /// The request may have arrived.
    #[error("the answer is unknown")]
    Unknown(#[source] Box<dyn error::Error + Send + Sync>),
}

impl Reach {
    /// A client that trusts the certificates of the system.
    #[must_use]
    pub fn new() -> Self {
        let settings = HttpConnectorSettings::builder().connect_timeout(CONNECT_LIMIT).build();
        let connector = Connector::builder()
            .connector_settings(settings)
            .sleep_impl(TokioSleep::new())
            .tls_provider(Provider::Rustls(CryptoMode::Ring))
            .build();
        Self(Arc::new(connector))
    }

    /// Posts JSON, and waits for the answer for at most `limit`.
    ///
    /// # Errors
    ///
    /// [`ReachError`].
    pub async fn post(
        &self,
        url: &str,
        json: Vec<u8>,
        limit: Duration,
    ) -> Result<Answer, ReachError> {
        if !is_allowed(url) {
            return Err(ReachError::Url);
        }
        let mut request = HttpRequest::new(SdkBody::from(json));
        request.set_uri(url).map_err(|_| ReachError::Url)?;
        request.set_method("POST").map_err(|error| ReachError::NotSent(error.into()))?;
        request.headers_mut().insert("content-type", "application/json");
        let answer = async {
            let answer = self.0.call(request).await.map_err(|error| {
                // Only connecting has a limit of its own there.
                if error.is_timeout() || is_connecting(&error) {
                    ReachError::NotSent(error.into())
                } else {
                    ReachError::Unknown(error.into())
                }
            })?;
            let status = answer.status().as_u16();
            let body = Limited::new(answer.into_body(), MAX_ANSWER).collect().await;
            let body = body.map_err(ReachError::Unknown)?.to_bytes().to_vec();
            Ok(Answer { status, body })
        };
        timeout(limit, answer).await.map_err(|late| ReachError::Unknown(late.into())).flatten()
    }
}

impl Default for Reach {
    fn default() -> Self {
        Self::new()
    }
}

/// Whether a failure is one of connecting, by what caused it: a refused connection, an unknown
/// name, or a server that is not the one it should be.
fn is_connecting(error: &(dyn error::Error + 'static)) -> bool {
    let mut source = Some(error);
    while let Some(error) = source {
        let text = error.to_string();
        if text.contains("client error (Connect)") || text.contains("dns error") {
            return true;
        }
        source = error.source();
    }
    false
}

/// Whether the URL is `https`, or `http` on loopback.
fn is_allowed(url: &str) -> bool {
    let Some(rest) = url.strip_prefix("http://") else { return url.starts_with("https://") };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    matches!(name, "127.0.0.1" | "localhost" | "[::1]")
}

#[cfg(test)]
mod tests {
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpListener,
    };

    use super::*;

    #[test]
    fn only_https_and_loopback_are_reached() {
        for (url, is_ok) in [
            ("https://api.telegram.org/bot1:x/getMe", true),
            ("http://127.0.0.1:8081/x", true),
            ("http://[::1]:8081/x", true),
            ("http://localhost/x", true),
            ("http://api.telegram.org/x", false),
            ("http://127.0.0.1.example.com/x", false),
            ("http://127.0.0.1@example.com/x", false),
            ("ftp://127.0.0.1/x", false),
        ] {
            assert_eq!(is_allowed(url), is_ok, "{url}");
        }
    }

    /// The result of a request to a server that answers with these bytes and closes.
    async fn reached(bytes: &'static [u8]) -> Result<Answer, ReachError> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/x", listener.local_addr().unwrap());
        let serve = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            let _ = stream.read(&mut [0; 1024]).await.unwrap();
            stream.write_all(bytes).await.unwrap();
        };
        let (answer, ()) = tokio::join!(
            async { Reach::new().post(&url, b"{}".to_vec(), Duration::from_secs(5)).await },
            serve
        );
        answer
    }

    #[tokio::test]
    async fn answer_is_read_and_a_redirect_is_not_followed() {
        let answer = reached(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").await.unwrap();
        assert_eq!(answer, Answer { status: 200, body: b"ok".to_vec() });
        let there =
            b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n";
        assert_eq!(reached(there).await.unwrap().status, 302);
    }

    #[tokio::test]
    async fn outcome_without_an_answer_says_whether_the_request_may_have_arrived() {
        let nobody = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        let url = format!("http://{nobody}/x");
        let refused = Reach::new().post(&url, Vec::new(), Duration::from_secs(5)).await;
        assert!(matches!(refused, Err(ReachError::NotSent(_))), "{refused:?}");

        for cut in [&b""[..], b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok", b"what?"] {
            let unknown = reached(cut).await;
            assert!(matches!(unknown, Err(ReachError::Unknown(_))), "{unknown:?}");
        }
        let endless = b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n";
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/x", listener.local_addr().unwrap());
        let (late, _held) = tokio::join!(
            async { Reach::new().post(&url, Vec::new(), Duration::from_millis(200)).await },
            async {
                let (mut stream, _) = listener.accept().await.unwrap();
                stream.write_all(endless).await.unwrap();
                stream
            }
        );
        assert!(matches!(late, Err(ReachError::Unknown(_))), "{late:?}");
    }
}
