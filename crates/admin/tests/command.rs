//! The binary: its options, output and exit codes.

#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]

use std::process::{Command, Output};

use fracti_core::{balance::Balance, id::GroupId, keys, ledger::Ledger, row};
use fracti_store::to_sdk;
use fracti_tests::database::{Database, TABLE};
use tokio::task::spawn_blocking;

async fn run(database: &Database, arguments: &'static [&'static str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fracti-admin"));
    command.args(arguments).args(["--table", TABLE, "--endpoint", database.endpoint()]);
    command.env("AWS_ACCESS_KEY_ID", database.access_key_id());
    command.env("AWS_SECRET_ACCESS_KEY", "local").env("AWS_REGION", "local");
    spawn_blocking(move || command.output().unwrap()).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn verify_reports_on_standard_output_and_in_its_exit_code() {
    let database = Database::start().await;
    let verified = run(&database, &["verify"]).await;
    let told = String::from_utf8(verified.stdout).unwrap();
    assert_eq!(
        (verified.status.code(), told.as_str()),
        (Some(0), "0 groups verified, 0 of them with a finding\n")
    );

    // A group whose ledger counts an expense that does not exist.
    let group: GroupId = "550e8400-e29b-41d4-a716-446655440000".parse().unwrap();
    let ledger = Ledger { version: 1, expense_count: 1, ..Ledger::default() };
    let balance = row::to_item(&Balance { group_id: group, ledger }).unwrap();
    for row in [keys::group(group).item(), balance] {
        let put = database.client.put_item().table_name(TABLE).set_item(Some(to_sdk(row)));
        put.send().await.unwrap();
    }
    let verified = run(&database, &["verify", "--rate", "1000"]).await;
    let told = String::from_utf8(verified.stdout).unwrap();
    let error = String::from_utf8_lossy(&verified.stderr);
    assert_eq!(verified.status.code(), Some(1), "{told}{error}");
    assert!(told.starts_with(&format!("group {group}: ")), "{told}");

    let refused = run(&database, &["verify", "--group", "no-id"]).await;
    assert_eq!(refused.status.code(), Some(2));
    database.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_table_is_named_and_nothing_is_reported() {
    let database = Database::start().await;
    let refused = run(&database, &["verify", "--table", "Other"]).await;
    assert_eq!(refused.status.code(), Some(2));
    assert!(refused.stdout.is_empty());
    database.stop().await;
}
