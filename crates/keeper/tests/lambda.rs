//! Test of the Lambda binary over the Lambda runtime API.

#[tokio::test]
async fn the_function_keeps() {
    fracti_tests::lambda::keeps(env!("CARGO_BIN_EXE_fracti-keeper")).await;
}
