//! Measures requests on the embedded engine, always beside something else of the same run:
//! `cargo bench --workspace --bench requests`. With an argument, only `flatness`, `overhead` or
//! `throughput`.
//!
//! Only the ratios mean something. The compared series take turns, and each number is a median.
//! [`flatness`] and [`overhead`] use one thread, so their times are the work of the API, the SDK
//! and the engine together.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a program that prints")]
#![expect(clippy::indexing_slicing, reason = "a response without the field is a failure")]
#![expect(clippy::arithmetic_side_effects, reason = "sums of few small numbers")]

mod api;
mod recorder;

use std::{
    env, io,
    sync::Arc,
    time::{Duration, Instant},
};

use aws_sdk_dynamodb::Client;
use axum::http::Method;
use fracti_tests::database::Database;
use tokio::{runtime, task::JoinSet};

use api::{Api, Asked, Group, get, post};
use recorder::{Operation, Recorder, replay};

/// How often each request is measured. Each POST makes the history longer.
const TIMES: [usize; 2] = [400, 100];

/// Adjustments of the groups whose times are compared.
const HISTORIES: [usize; 3] = [10, 500, 5_000];

/// Connections, and requests of each one in a round.
const LOAD: (usize, usize) = (16, 50);

/// How often each load is measured.
const ROUNDS: usize = 5;

fn main() {
    // As in Lambda, each request writes a line.
    tracing_subscriber::fmt().json().with_writer(io::sink).init();
    let mut asked = env::args().skip(1).filter(|argument| !argument.starts_with('-'));
    let asked = asked.next();
    let is_asked = |name: &str| asked.as_deref().is_none_or(|asked| asked == name);
    let one = || runtime::Builder::new_current_thread().enable_all().build().unwrap();
    if is_asked("flatness") {
        one().block_on(flatness());
    }
    if is_asked("overhead") {
        one().block_on(overhead());
    }
    if is_asked("throughput") {
        let two = runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        two.unwrap().block_on(throughput());
    }
}

/// The same request to groups with histories of different lengths.
async fn flatness() {
    let database = Database::embedded().await;
    let api = Api::new(&database.client);
    let mut groups = Vec::new();
    for adjustments in HISTORIES {
        groups.push(api.group(adjustments).await);
    }
    let [short, middle, long] = HISTORIES;
    println!("| µs | {short} entries | {middle} | {long} | {long} : {short} |");
    println!("|---|---:|---:|---:|---:|");
    for asked in [
        get("`debts`", "/debts"),
        get("`ledger/balance`", "/ledger/balance"),
        get("`ledger/balance?at=`", "/ledger/balance?at=2026-01-20T00:00:00Z"),
        get("`ledger/entries`", "/ledger/entries?limit=20"),
        get("an expense", "/expenses/{expense}"),
        get("`expenses`", "/expenses?limit=20"),
        post(),
    ] {
        let mut times = HISTORIES.map(|_| Vec::new());
        for _ in 0..times_of(&asked) {
            for (group, times) in groups.iter().zip(&mut times) {
                times.push(api.ask(&asked, group).await);
            }
        }
        let [short, middle, long] = times.map(median);
        print_row(&asked, &[short, middle, long], long, short);
    }
}

/// The API, and the same requests to DynamoDB without it, which a second API records. Each of the
/// three has an engine of its own, with the same rows but for their ids.
async fn overhead() {
    let [first, second, third] = databases().await;
    let api = Api::new(&first.client);
    let group = api.group(HISTORIES[0]).await;
    let (recorded, recorder) = Api::recorded(&second.client);
    let recorded_group = recorded.group(HISTORIES[0]).await;
    replay(&third.client, recorder.take_writes()).await;
    println!("\n| µs | API | SDK | API : SDK |\n|---|---:|---:|---:|");
    for asked in [
        get("an expense", "/expenses/{expense}"),
        get("`expenses`, 10", "/expenses?limit=10"),
        get("`expenses`, 50", "/expenses?limit=50"),
        get("the group", ""),
        get("`debts`", "/debts"),
        post(),
    ] {
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..times_of(&asked) {
            times[0].push(api.ask(&asked, &group).await);
            recorded.ask(&asked, &recorded_group).await;
            let operations = recorder.take();
            let began = Instant::now();
            replay(&third.client, operations).await;
            times[1].push(began.elapsed());
        }
        let [api, sdk] = times.map(median);
        print_row(&asked, &[api, sdk], api, sdk);
    }
}

fn times_of((_, method, ..): &Asked) -> usize {
    TIMES[usize::from(method == Method::POST)]
}

fn print_row((name, ..): &Asked, times: &[Duration], above: Duration, below: Duration) {
    let times: Vec<_> = times.iter().map(|time| time.as_micros().to_string()).collect();
    println!("| {name} | {} | {:.2} |", times.join(" | "), above.div_duration_f64(below));
}

/// Connections that each send one request after the other: through the API to a group of each
/// connection, the same without the API, and through the API to one group.
async fn throughput() {
    let [first, second, third] = databases().await;
    let mut connections = Vec::new();
    let mut recorded = Vec::new();
    for _ in 0..LOAD.0 {
        let api = Api::new(&first.client);
        let group = api.group(HISTORIES[0]).await;
        connections.push((Arc::new(api), group));
        let (api, recorder) = Api::recorded(&second.client);
        let group = api.group(HISTORIES[0]).await;
        replay(&third.client, recorder.take_writes()).await;
        recorded.push((api, group, recorder));
    }
    let alone = connections[0].0.clone();
    let group = alone.group(HISTORIES[0]).await;
    let one = vec![(alone, group); LOAD.0];
    println!("\n| requests a second | many groups | SDK alone | API : SDK | one group |");
    println!("|---|---:|---:|---:|---:|");
    for asked in [get("`debts`", "/debts"), post()] {
        let mut times = [const { Vec::new() }; 3];
        for _ in 0..ROUNDS {
            times[0].push(load(&asked, &connections).await);
            let operations = operations_of(&asked, &recorded).await;
            times[1].push(bare(&third.client, operations).await);
            times[2].push(load(&asked, &one).await);
        }
        let times = times.map(median);
        let ratio = times[1].div_duration_f64(times[0]);
        let requests = (LOAD.0 * LOAD.1) as u128 * 1_000_000;
        let [many, sdk, one] = times.map(|time| requests / time.as_micros());
        println!("| {} | {many} | {sdk} | {ratio:.2} | {one} |", asked.0);
    }
}

/// The time of a request from each connection, again and again.
async fn load(asked: &Asked, connections: &[(Arc<Api>, Group)]) -> Duration {
    let began = Instant::now();
    let mut running = JoinSet::new();
    for (api, group) in connections {
        let api = api.clone();
        let group = group.clone();
        let asked = asked.clone();
        running.spawn(async move {
            for _ in 0..LOAD.1 {
                api.ask(&asked, &group).await;
            }
        });
    }
    running.join_all().await;
    began.elapsed()
}

/// The requests to DynamoDB of the same load, by connection and request.
async fn operations_of(
    asked: &Asked,
    connections: &[(Api, Group, Recorder)],
) -> Vec<Vec<Vec<Operation>>> {
    let mut operations = Vec::new();
    for (api, group, recorder) in connections {
        let mut of_connection = Vec::new();
        for _ in 0..LOAD.1 {
            api.ask(asked, group).await;
            of_connection.push(recorder.take());
        }
        operations.push(of_connection);
    }
    operations
}

/// The time of these requests, sent again without the API.
async fn bare(client: &Client, connections: Vec<Vec<Vec<Operation>>>) -> Duration {
    let began = Instant::now();
    let mut running = JoinSet::new();
    for connection in connections {
        let client = client.clone();
        running.spawn(async move {
            for operations in connection {
                replay(&client, operations).await;
            }
        });
    }
    running.join_all().await;
    began.elapsed()
}

async fn databases() -> [Database; 3] {
    [Database::embedded().await, Database::embedded().await, Database::embedded().await]
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
