//! Tests of the Lambda binary over the Lambda runtime API.

#[tokio::test]
async fn the_function_answers_its_events() {
    fracti_tests::lambda::answers_its_events(env!("CARGO_BIN_EXE_fracti-funds"), "funds").await;
}
