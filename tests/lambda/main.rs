//! Every function's binary over Lambda's runtime API.

#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]

mod runbooks;

use std::{path::PathBuf, sync::LazyLock};

use fracti_local::FUNCTIONS;
use fracti_tests::{binaries::built, lambda};

/// The folder of the binaries: no package of this workspace has those of all functions.
static BINARIES: LazyLock<PathBuf> = LazyLock::new(|| built(&["--workspace", "--bins"]));

/// The binary of a package, by its name without `fracti-`.
fn binary(package: &str) -> String {
    BINARIES.join(format!("fracti-{package}")).to_str().unwrap().to_owned()
}

#[tokio::test]
async fn every_function_answers_its_events() {
    // The Mini App has no events: its first screen needs no table, the others a browser.
    for function in FUNCTIONS.iter().filter(|function| function.name != "web") {
        lambda::answers_its_events(&binary(function.package), function.name).await;
    }
}

#[tokio::test]
async fn the_functions_start_without_their_table() {
    lambda::starts_without_its_table(&binary("groups")).await;
    lambda::shows_its_document_without_its_table(&binary("web")).await;
}

#[tokio::test]
async fn later_connections_resume_the_tls_session_of_the_first() {
    lambda::resumes_its_first_connection(&binary("settlements")).await;
}

#[tokio::test]
async fn the_keeper_keeps() {
    lambda::keeps(&binary("keeper")).await;
}

#[tokio::test]
async fn the_scheduled_verification_fails_with_a_finding() {
    lambda::verifies(&binary("verify")).await;
}
