//! The Lambda function that verifies all groups, which a schedule starts if the deployment has one.

use std::io;

use aws_sdk_dynamodb::Client;
use fracti_admin::{Admin, Outcome};
use fracti_runtime::{Settings, aws_config};
use fracti_store::Table;
use lambda_http::{Error, LambdaEvent, lambda_runtime, service_fn, tracing};
use serde_json::Value;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    tracing::init_default_subscriber();
    let settings = Settings::from_env()?;
    let table = &Table::new(Client::new(&aws_config().await?), settings.table_name);
    let run = service_fn(move |_: LambdaEvent<Value>| async move {
        // The lines of the report are those of the function's log.
        let verified = Admin::new(table.clone(), None).verify(None, &mut io::stdout()).await;
        match verified? {
            Outcome::Good => Ok(()),
            Outcome::Bad => Err(Error::from("the report has findings")),
            Outcome::Unfinished => Err(Error::from("some groups could not be verified")),
        }
    });
    lambda_runtime::run(run).await
}
