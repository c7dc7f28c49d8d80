//! Tests of the Lambda binary over the Lambda runtime API.

#[tokio::test]
async fn the_function_answers_its_events() {
    let binary = env!("CARGO_BIN_EXE_fracti-personal");
    fracti_tests::lambda::answers_its_events(binary, "insights").await;
}
