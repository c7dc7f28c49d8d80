//! Tests of the Lambda binary over the Lambda runtime API.

#[tokio::test]
async fn the_function_answers_its_events() {
    fracti_tests::lambda::answers_its_events(env!("CARGO_BIN_EXE_fracti-questions"), "questions")
        .await;
}

#[tokio::test]
async fn later_connections_resume_the_tls_session_of_the_first() {
    fracti_tests::lambda::resumes_its_first_connection(env!("CARGO_BIN_EXE_fracti-questions"))
        .await;
}
