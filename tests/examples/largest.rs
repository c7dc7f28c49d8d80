//! Measures every endpoint on the largest groups that the limits allow:
//! `cargo run --release -p fracti-tests --example largest`.

#![expect(clippy::print_stdout, reason = "a program that prints")]

use std::time::Duration;

use fracti_store::TableCost;
use fracti_tests::largest::Largest;

#[tokio::main]
async fn main() {
    println!("| endpoint | | requests | round trips | read units | write units | KB | ms |");
    println!("|---|---|---:|---:|---:|---:|---:|---:|");
    for call in Largest::new(Duration::from_millis(8_500)).await.calls().await {
        let TableCost { requests, round_trips, read_units, write_units, .. } = call.cost;
        let ((method, route), what) = (call.endpoint, call.what);
        let (kilobytes, ms) = (call.bytes / 1000, call.took.as_millis());
        println!(
            "| {method} `{route}` | {what} | {requests} | {round_trips} | {read_units} | {write_units} | {kilobytes} | {ms} |"
        );
        assert!(call.status < 300, "{}", call.body);
    }
}
