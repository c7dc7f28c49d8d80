//! The Lambda function of the keeper, which `EventBridge` starts every minute.

use aws_sdk_dynamodb::Client;
use fracti_runtime::{Clock, Settings, aws_config};
use fracti_store::Table;
use lambda_http::{Error, LambdaEvent, lambda_runtime, service_fn, tracing};
use serde_json::Value;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    tracing::init_default_subscriber();
    let settings = Settings::from_env()?;
    let table = &Table::new(Client::new(&aws_config().await?), settings.table_name);
    table.connect().await;
    let clock = &Clock::system();
    let run = service_fn(move |_: LambdaEvent<Value>| async move {
        fracti_keeper::keep(table, clock).await.map(|_| ()).map_err(Error::from)
    });
    lambda_runtime::run(run).await
}
