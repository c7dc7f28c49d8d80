//! The program that Lambda runs, over Lambda's own protocol.

#[tokio::test]
async fn the_function_answers_its_events() {
    fracti_tests::lambda::answers_its_events(env!("CARGO_BIN_EXE_fracti-ledger"), "ledger").await;
}
