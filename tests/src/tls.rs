//! A TLS terminator with a certificate of its own, in front of a server without TLS.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process,
    sync::Arc,
};

use rcgen::{CertificateParams, DnType, KeyPair};
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinHandle,
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{HandshakeKind, ServerConfig, pki_types::PrivateKeyDer},
};

/// Session tickets for each connection, as many as a client of rustls keeps. Each resumes it on one
/// further connection. Other servers may send fewer.
const TICKETS: usize = 8;

/// The handshakes that a terminator has made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Handshakes {
    /// Those in which the client verified the certificate.
    pub full: usize,
    /// Those that resumed the session of an earlier connection.
    pub resumed: usize,
}

/// A running TLS terminator.
#[derive(Debug)]
pub struct Terminator {
    endpoint: String,
    bundle: PathBuf,
    handshakes: watch::Receiver<Handshakes>,
    served: JoinHandle<()>,
}

impl Terminator {
    /// Starts one in front of the server at `endpoint`, which is `http://` and an address.
    ///
    /// # Panics
    ///
    /// If it cannot make a certificate or listen.
    pub async fn before(endpoint: &str) -> Self {
        let server = endpoint.strip_prefix("http://").unwrap().trim_end_matches('/').to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let key = KeyPair::generate().unwrap();
        let mut certificate = CertificateParams::new(["localhost".to_owned()]).unwrap();
        // A client tries the key of each trusted certificate that has the name of the issuer.
        certificate.distinguished_name.push(DnType::CommonName, format!("localhost:{port}"));
        let cert = certificate.self_signed(&key).unwrap();
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let config = ServerConfig::builder().with_no_client_auth();
        let mut config = config.with_single_cert(vec![cert.der().clone()], key).unwrap();
        config.send_tls13_tickets = TICKETS;
        let acceptor = TlsAcceptor::from(Arc::new(config));

        let (counter, handshakes) = watch::channel(Handshakes::default());
        let served = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                // Otherwise a response waits until the client acknowledges the session tickets.
                let _ = client.set_nodelay(true);
                let (acceptor, server, counter) =
                    (acceptor.clone(), server.clone(), counter.clone());
                tokio::spawn(async move {
                    let Ok(mut client) = acceptor.accept(client).await else { return };
                    let resumed =
                        client.get_ref().1.handshake_kind() == Some(HandshakeKind::Resumed);
                    counter.send_modify(|made| {
                        *if resumed { &mut made.resumed } else { &mut made.full } += 1;
                    });
                    let Ok(mut server) = TcpStream::connect(server).await else { return };
                    let _ = server.set_nodelay(true);
                    let _ = copy_bidirectional(&mut client, &mut server).await;
                });
            }
        });
        let endpoint = format!("https://localhost:{port}");
        let bundle = env::temp_dir().join(format!("fracti-tls-{}-{port}.pem", process::id()));
        fs::write(&bundle, cert.pem()).unwrap();
        Self { endpoint, bundle, handshakes, served }
    }

    /// Its URL.
    #[must_use]
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// The file with its certificate in PEM, which a client has to trust.
    #[must_use]
    pub fn bundle(&self) -> &Path {
        &self.bundle
    }

    /// The handshakes so far.
    #[must_use]
    pub fn handshakes(&self) -> Handshakes {
        *self.handshakes.borrow()
    }

    /// The handshakes so far, once one has resumed a session.
    ///
    /// # Panics
    ///
    /// If the terminator stops first.
    pub async fn once_resumed(&self) -> Handshakes {
        *self.handshakes.clone().wait_for(|made| made.resumed > 0).await.unwrap()
    }
}

impl Drop for Terminator {
    fn drop(&mut self) {
        self.served.abort();
        let _ = fs::remove_file(&self.bundle);
    }
}
