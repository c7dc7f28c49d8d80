//! A Lambda function with the AWS SDK and nothing else, which reads one row for each event.
//! `tests/examples/cold_start.rs` compares the start of Fracti's functions with it.

use std::env;

use aws_config::BehaviorVersion;
use aws_sdk_dynamodb::{Client, types::AttributeValue};
use aws_smithy_http_client::{
    Builder,
    tls::{Provider, rustls_provider::CryptoMode},
};
use lambda_http::{Error, Request, run, service_fn, tracing};

#[tokio::main]
async fn main() -> Result<(), Error> {
    tracing::init_default_subscriber();
    let tls = Provider::Rustls(CryptoMode::Ring);
    let http = Builder::new().tls_provider(tls).build_https();
    let config = aws_config::defaults(BehaviorVersion::latest()).http_client(http).load().await;
    let client = &Client::new(&config);
    let table = &env::var("TABLE_NAME")?;
    run(service_fn(async |_: Request| {
        let key = || AttributeValue::S("~".to_owned());
        client.get_item().table_name(table).key("PK", key()).key("SK", key()).send().await?;
        Ok::<_, Error>("")
    }))
    .await
}
