//! Migrates a generated table of the TypeScript Fracti on the embedded engine, twice:
//! `cargo run -p fracti-tests --example migrate -- 20000`.

#![expect(clippy::unwrap_used, reason = "a program that stops where it fails")]
#![expect(clippy::print_stdout, reason = "a program that prints")]

use std::{num::NonZeroU16, time::Instant};

use fracti_admin::{Admin, MigrateOptions};
use fracti_runtime::Clock;
use fracti_runtime::with_causes;
use fracti_store::Table;
use fracti_tests::{
    database::{Database, TABLE},
    v0::V0Table,
};

#[tokio::main]
async fn main() {
    let items = std::env::args().nth(1).map_or(2_000, |items| items.parse().unwrap());
    let table = V0Table::of(1, items);
    let database = Database::embedded().await;
    let client = database.patient_client();
    table.write(&client).await;
    println!("{} rows in {} groups", table.rows.len(), table.groups.len());
    for run in ["first run", "second run"] {
        let began = Instant::now();
        let mut out = Vec::new();
        let segments = NonZeroU16::new(4).unwrap();
        let options = MigrateOptions { dry_run: false, segments, state: None, report: None };
        let mut admin = Admin::new(Table::new(client.clone(), TABLE), None);
        let outcome = admin.migrate(&options, &mut out).await.map_err(|error| with_causes(&error));
        let output = String::from_utf8(out).unwrap();
        let summary = output.lines().last().unwrap_or_default();
        println!("{run}: {:?} after {} s: {summary}", outcome.unwrap(), began.elapsed().as_secs());
    }
    println!("{} anomalies were generated", table.anomalies);
    let store = Table::new(client, TABLE);
    for group in table.groups.keys() {
        store.verify(group.parse().unwrap(), Clock::system().now()).await.unwrap();
    }
    println!("every group agrees with its rows");
}
