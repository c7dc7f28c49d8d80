//! Tests of the Lambda binary over the Lambda runtime API.

#[tokio::test]
async fn the_function_starts_without_its_table() {
    fracti_tests::lambda::shows_its_document_without_its_table(env!("CARGO_BIN_EXE_fracti-web"))
        .await;
}
