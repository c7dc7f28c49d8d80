//! The queue of the local server, which serves a few requests at a time, in order of arrival.
//!
//! The embedded engine handles one operation at a time. If it has more than it can answer within
//! the 1.5 s of an attempt, it works mostly for attempts that have timed out and are being retried,
//! and it does not recover. Requests therefore queue before they use the table; the deadline of a
//! request also ends its wait. Lambda needs no queue: an instance of a function serves one request
//! at a time.

use fracti_http::Routes;
use tower::limit::GlobalConcurrencyLimitLayer;

/// Requests served at the same time: enough to keep the engine busy, and few enough for an answer
/// well within an attempt on a busy machine.
const SERVED: usize = 8;

/// Puts a queue before the routes.
#[must_use]
pub fn queued(mut routes: Routes) -> Routes {
    routes.router = routes.router.layer(GlobalConcurrencyLimitLayer::new(SERVED));
    routes
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering::SeqCst},
        },
        time::Duration,
    };

    use axum::{Router, body::Body, extract::Request, http::StatusCode, routing::get};
    use fracti_http::{App, service};
    use fracti_runtime::{BotToken, local_dynamodb};
    use fracti_store::Table;
    use tokio::{sync::Semaphore, task::JoinSet};
    use tower::ServiceExt;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn eight_requests_are_served_at_once_and_a_waiting_one_until_its_deadline() {
        let running = Arc::new(AtomicUsize::new(0));
        let end = Arc::new(Semaphore::new(0));
        let handler = {
            let running = running.clone();
            let end = end.clone();
            async move || {
                running.fetch_add(1, SeqCst);
                end.acquire().await.unwrap().forget();
                running.fetch_sub(1, SeqCst);
            }
        };
        let mut routes = Routes::new();
        // Two routes share the queue.
        routes.router = Router::new().route("/a", get(handler.clone())).route("/b", get(handler));
        let table = Table::new(local_dynamodb("http://127.0.0.1:1"), "FractiTable");
        let app = App::new(table, BotToken::new("0:test"), Duration::ZERO);
        let router = service(queued(routes), app);
        let send = |path: &str| {
            let request = Request::get(path).body(Body::empty()).unwrap();
            let response = router.clone().oneshot(request);
            async move { response.await.unwrap().status() }
        };

        let mut served: JoinSet<_> = (0..SERVED).map(|it| send(["/a", "/b"][it % 2])).collect();
        // Time passes as soon as nothing else can happen.
        assert_eq!(send("/a").await, StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(running.load(SeqCst), SERVED);
        // These had the same deadline.
        while let Some(status) = served.join_next().await {
            assert_eq!(status.unwrap(), StatusCode::SERVICE_UNAVAILABLE);
        }
        end.add_permits(2);
        let next: JoinSet<_> = ["/b", "/a"].into_iter().map(send).collect();
        assert_eq!(next.join_all().await, [StatusCode::OK; 2]);
        assert_eq!(end.available_permits(), 0);
    }
}
