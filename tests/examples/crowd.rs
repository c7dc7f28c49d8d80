//! Measures the local server under more clients than it can serve: `cargo run -p fracti-tests
//! --example crowd`.
//!
//! Each client has its own group and repeats a request after a 503 until it succeeds, with or
//! without the pause of `Retry-After`. `--busy` keeps another core busy meanwhile; `--binary FILE`
//! measures another program than `fracti-local`, built in the same profile.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a program that prints")]

use std::{
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Child, ChildStdout, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use fracti_tests::{
    binaries::built,
    load::{Behaviour, Client, load},
};

/// The bot token of the measured server.
const TOKEN: &str = "42:test-token";

/// The time for which a client repeats a request.
const TIME_LIMIT: Duration = Duration::from_mins(1);

/// Concurrent clients, and requests of each.
const LOADS: [(usize, usize); 6] = [(20, 20), (200, 1), (400, 1), (20, 20), (800, 1), (20, 20)];

#[tokio::main(worker_threads = 2)]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let binary = arguments.iter().skip_while(|it| *it != "--binary").nth(1).map(PathBuf::from);
    let binary = binary.unwrap_or_else(|| built(&["-p", "fracti-local"]).join("fracti-local"));
    let idle = Arc::new(AtomicBool::new(!arguments.iter().any(|it| it == "--busy")));
    let other = std::thread::spawn({
        let idle = idle.clone();
        move || {
            while !idle.load(Ordering::Relaxed) {
                std::hint::spin_loop();
            }
        }
    });
    println!(
        "| clients | pause | done | answered 503 | done a minute |\n|---:|---|---:|---:|---:|"
    );
    for pauses in [false, true] {
        let (mut server, _output, api) = start(&binary);
        let clients = Client::create(&api, TOKEN, 0..800).await;
        for (index, (number, requests)) in LOADS.into_iter().enumerate() {
            let behaviour = Behaviour { requests, pauses, time_limit: TIME_LIMIT };
            let clients = clients.get(..number).unwrap();
            let answers = load(clients, &format!("load-{index}"), behaviour).await;
            println!(
                "| {number} | {} | {} of {} | {} | {} |",
                if pauses { "yes" } else { "no" },
                answers.done,
                answers.requests,
                answers.refused,
                answers.rate()
            );
        }
        server.kill().unwrap();
        server.wait().unwrap();
    }
    idle.store(true, Ordering::Relaxed);
    other.join().unwrap();
}

/// A running server, with its output and its address; one that cannot write to its output ends.
fn start(binary: &PathBuf) -> (Child, BufReader<ChildStdout>, String) {
    let mut server = Command::new(binary)
        .args(["--port", "0", "--dynamodb-port", "0"])
        .env("TELEGRAM_BOT_TOKEN", TOKEN)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut output = BufReader::new(server.stdout.take().unwrap());
    output.read_line(&mut line).unwrap();
    let api = line.trim_end().strip_prefix("api ").unwrap().to_owned();
    (server, output, api)
}
