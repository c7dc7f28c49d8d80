//! The health check.

use crate::harness::Api;

#[tokio::test]
async fn health_check_needs_no_authentication() {
    let api = Api::new().await;
    let health = api.user(1, "A").with(None).get("/api/health").await;
    assert_eq!(health.data(200)["status"], "ok");
    assert_eq!(health.data(200)["version"], "0.1.0");
}
