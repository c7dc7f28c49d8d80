//! The Lambda function of the Mini App.

use fracti_http::{App, run, service};
use lambda_http::{Error, tracing};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    tracing::init_default_subscriber();
    let app = App::from_env().await?;
    // The function has no right to write, so another one migrates rows of earlier formats.
    let app = App { table: app.table.clone().read_only(), ..app };
    run(service(fracti_web::routes(), app)).await
}
