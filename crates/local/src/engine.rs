//! The embedded DynamoDB engine, which speaks DynamoDB's own protocol on a port.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    path::Path,
};

use dynoxide::{Database, server};
use tokio::{net::TcpListener, sync::oneshot, task::JoinHandle};

/// A running engine. It ends with [`Engine::stop`], or when it is dropped.
#[derive(Debug)]
pub struct Engine {
    endpoint: String,
    stop: oneshot::Sender<()>,
    served: JoinHandle<Result<(), String>>,
}

/// Why there is no engine.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The data cannot be opened.
    #[error("the data cannot be opened: {0}")]
    Data(String),
    /// Nothing can listen there.
    #[error("the engine cannot listen: {0}")]
    Listen(#[from] std::io::Error),
}

/// The address at which this machine reaches a listener: one that listens on every address is reached at the loopback one.
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
    /// Serves the data of `file`, or where there is none new data in memory, on `listener`.
    ///
    /// # Errors
    ///
    /// [`EngineError`] where the file is no database, or the listener has no address.
    pub fn start(listener: TcpListener, file: Option<&Path>) -> Result<Self, EngineError> {
        let database = match file {
            None => Database::memory(),
            Some(file) => Database::new(&file.to_string_lossy()),
        };
        let database = database.map_err(|error| EngineError::Data(error.to_string()))?;
        let endpoint = format!("http://{}", reachable(listener.local_addr()?));
        let (stop, stopped) = oneshot::channel();
        let stopped = async move {
            // Dropped is stopped too.
            let _ = stopped.await;
        };
        let served = tokio::spawn(server::serve_with_shutdown(listener, database, stopped));
        Ok(Self { endpoint, stop, served })
    }

    /// The URL at which this machine reaches it: `http://127.0.0.1:8000`.
    #[must_use]
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// Lets what is running finish, and ends.
    pub async fn stop(self) {
        let _ = self.stop.send(());
        let _ = self.served.await;
    }
}
