//! The embedded DynamoDB engine, which serves DynamoDB's protocol on a port.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    path::Path,
};

use dynoxide::{Database, server};
use tokio::{net::TcpListener, sync::oneshot, task::JoinHandle};

/// A running engine. It stops with [`Engine::stop`] or when it is dropped.
#[derive(Debug)]
pub struct Engine {
    endpoint: String,
    stop: oneshot::Sender<()>,
    served: JoinHandle<Result<(), String>>,
}

/// Error returned when the engine cannot start.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The data file cannot be opened.
    #[error("the data file cannot be opened: {0}")]
    Data(String),
    /// The listener has no address.
    #[error("the engine cannot listen: {0}")]
    Listen(#[from] std::io::Error),
}

/// The address at which this machine reaches a listener: the loopback address for a listener on all
/// addresses.
#[must_use]
pub fn reachable(listening: SocketAddr) -> SocketAddr {
    let ip = match listening.ip() {
        ip if !ip.is_unspecified() => ip,
        IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
    };
    SocketAddr::new(ip, listening.port())
}

impl Engine {
    /// Serves the data of `file`, or new data in memory without one, on `listener`.
    ///
    /// # Errors
    ///
    /// [`EngineError`] if the file is not a database, or the listener has no address.
    pub fn start(listener: TcpListener, file: Option<&Path>) -> Result<Self, EngineError> {
        let database = match file {
            None => Database::memory(),
            Some(file) => Database::new(&file.to_string_lossy()),
        };
        let database = database.map_err(|error| EngineError::Data(error.to_string()))?;
        let endpoint = format!("http://{}", reachable(listener.local_addr()?));
        let (stop, stopped) = oneshot::channel();
        let stopped = async move {
            // A dropped sender stops the engine, too.
            let _ = stopped.await;
        };
        let served = tokio::spawn(server::serve_with_shutdown(listener, database, stopped));
        Ok(Self { endpoint, stop, served })
    }

    /// URL at which this machine reaches the engine, like `http://127.0.0.1:8000`.
    #[must_use]
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// Stops the engine after running requests have finished.
    pub async fn stop(self) {
        let _ = self.stop.send(());
        let _ = self.served.await;
    }
}
