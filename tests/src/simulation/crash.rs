//! Repeated kills of the local server under load.

use std::{
    path::Path,
    process::Stdio,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::SeqCst},
    },
};

use aws_sdk_dynamodb::Client;
use fracti_runtime::{Clock, local_dynamodb};
use fracti_store::Table;
use futures_util::future::join_all;
use tokio::{
    io::{AsyncBufReadExt, BufReader, Lines},
    process::{Child, ChildStdout, Command},
    sync::Mutex,
    task::JoinSet,
};

use super::{Actor, Journal, Report, audit, views, world::TOKEN};
use crate::{
    client::Transport,
    database::{TABLE, patient},
};

/// Users that write concurrently.
const USERS: u64 = 6;

/// A running server, killed when dropped.
struct Server {
    process: Child,
    transport: Transport,
    client: Client,
    _lines: Lines<BufReader<ChildStdout>>,
}

impl Server {
    async fn start(binary: &Path, file: &Path) -> Self {
        let mut process = Command::new(binary)
            .args(["--port", "0", "--dynamodb-port", "0", "--data"])
            .arg(file)
            .env("TELEGRAM_BOT_TOKEN", TOKEN)
            .env_remove("TABLE_NAME")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let mut urls = Vec::new();
        for name in ["api ", "dynamodb "] {
            let line = lines.next_line().await.unwrap().unwrap_or_default();
            urls.push(line.strip_prefix(name).unwrap_or_else(|| panic!("{line:?}")).to_owned());
        }
        let transport = Transport::to_server(&urls[0]);
        Self { process, transport, client: patient(&local_dynamodb(&urls[1])), _lines: lines }
    }

    /// Kills the server with `SIGKILL`.
    async fn kill(mut self) {
        self.process.kill().await.unwrap();
    }
}

/// Starts the server at `binary` over `file` repeatedly, kills it under load each time, and
/// compares the file with everything that was ever acknowledged.
///
/// # Panics
///
/// If the server does not start.
pub async fn crashes(binary: &Path, file: &Path, rounds: u64) -> Report {
    let journal = Arc::new(Journal::default());
    let mut report = Report::default();
    let mut group = None;
    for round in 0..=rounds {
        let server = Server::start(binary, file).await;
        let clock = Arc::new(AtomicU64::new(Clock::system().now().millis()));
        let observer = Actor::new(server.transport.clone(), clock, journal.clone(), 1, round);
        if round > 0 {
            observer.converge().await;
            let table = Table::new(server.client.clone(), TABLE);
            let mut found = audit(&table, &server.client, &journal).await;
            views(&server.client, &observer, &mut found).await;
            found.close("--crashes", 0, std::collections::BTreeMap::new());
            report.findings.append(&mut found.findings);
            (report.acknowledged, report.unknown) = (found.acknowledged, found.unknown);
        }
        if round < rounds {
            let group = match &group {
                Some(group) => group,
                None => group.insert(observer.clone().create_group().await),
            };
            // At a different moment each time, with requests under way.
            load(server, &observer, group, 15 + round * 7).await;
            report.runs += 1;
        }
    }
    report
}

/// Lets users act until `operations` operations are done, and then kills the server.
async fn load(server: Server, observer: &Actor, group: &str, operations: u64) {
    let server = Arc::new(Mutex::new(Some(server)));
    let done = Arc::new(AtomicU64::new(0));
    let mut users = JoinSet::new();
    // All join before one of them can kill the server, because a join is repeated until it
    // succeeds.
    let actors = join_all((1..=USERS).map(async |user| {
        let mut actor = observer.be(user);
        actor.join(group).await;
        actor
    }));
    for mut actor in actors.await {
        let server = server.clone();
        let done = done.clone();
        users.spawn(async move {
            while done.fetch_add(1, SeqCst) < operations {
                actor.act().await;
            }
            if let Some(server) = server.lock().await.take() {
                server.kill().await;
            }
        });
    }
    users.join_all().await;
}
