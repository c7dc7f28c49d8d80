//! The Lambda function of the funds endpoints.

use fracti_http::{App, run, service};
use lambda_http::{Error, tracing};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    tracing::init_default_subscriber();
    run(service(fracti_funds::routes(), App::from_env().await?)).await
}
