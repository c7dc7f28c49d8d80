//! The Lambda function of the bot's webhook.

use fracti_http::{App, run, service};
use lambda_http::{Error, tracing};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    tracing::init_default_subscriber();
    run(service(fracti_bot::routes(), App::from_env().await?.with_bot_api())).await
}
