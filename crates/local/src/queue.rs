//! The queue of the local server, which serves a few requests at a time.
//!
//! The embedded engine handles one operation at a time. If it has more than it can answer within
//! the 1.5 s of an attempt, it works mostly for attempts that have timed out and are being retried,
//! and it does not recover. Requests therefore queue before they use the table. Lambda needs no
//! queue: an instance of a function serves one request at a time.

use std::{sync::Arc, time::Duration};

use axum::{
    extract::{Request, State},
    middleware::{self, Next},
    response::Response,
};
use fracti_core::Error;
use fracti_http::{Problem, Routes};
use tokio::{sync::Semaphore, time::timeout};

/// Requests served at the same time: enough to keep the engine busy, and few enough for an answer
/// well within an attempt on a busy machine.
const SERVED: usize = 8;

/// Maximum length of the queue.
const WAITING: usize = 1_000;

/// Maximum time in the queue. It leaves the request 3.5 s of its time limit.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(5);

/// Permits for served and for waiting requests, in order of arrival.
#[derive(Debug)]
struct Queue {
    waiting: Semaphore,
    served: Semaphore,
}

impl Queue {
    fn new(served: usize, waiting: usize) -> Arc<Self> {
        Arc::new(Self { waiting: Semaphore::new(waiting), served: Semaphore::new(served) })
    }
}

/// Puts a queue before the routes. A request that waits too long or finds the queue full gets a 503
/// with `Retry-After`.
#[must_use]
pub fn queued(mut routes: Routes) -> Routes {
    let queue = Queue::new(SERVED, WAITING);
    routes.router = routes.router.layer(middleware::from_fn_with_state(queue, wait));
    routes
}

async fn wait(
    State(queue): State<Arc<Queue>>,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let refused = |why: &str| Err(Error::Unavailable(why.into()).into());
    let Ok(place) = queue.waiting.try_acquire() else {
        return refused("the queue of requests is full");
    };
    let Ok(Ok(_permit)) = timeout(QUEUE_TIMEOUT, queue.served.acquire()).await else {
        return refused("the request waited too long in the queue");
    };
    drop(place);
    Ok(next.run(request).await)
}

#[cfg(test)]
mod tests {
    use axum::{Router, body::Body, extract::Path, http::StatusCode, routing::get};
    use fracti_http::{App, service};
    use fracti_runtime::{BotToken, local_dynamodb};
    use fracti_store::Table;
    use tokio::{
        sync::mpsc::{UnboundedReceiver, unbounded_channel},
        task::{JoinHandle, yield_now},
    };
    use tower::ServiceExt;

    use super::*;

    /// A server with one route, whose requests end when the test permits it.
    struct Server {
        router: Router,
        started: UnboundedReceiver<u32>,
        ended: Arc<Semaphore>,
    }

    impl Server {
        fn new(served: usize, waiting: usize) -> Self {
            let (start, started) = unbounded_channel();
            let ended = Arc::new(Semaphore::new(0));
            let end = ended.clone();
            let handler = async move |Path(number): Path<u32>| {
                start.send(number).unwrap();
                end.acquire().await.unwrap().forget();
            };
            let queue = Queue::new(served, waiting);
            let mut routes = Routes::new();
            routes.router = Router::new()
                .route("/{number}", get(handler))
                .layer(middleware::from_fn_with_state(queue, wait));
            let table = Table::new(local_dynamodb("http://127.0.0.1:1"), "FractiTable");
            let app = App::new(table, BotToken::new("0:test"), Duration::ZERO);
            Self { router: service(routes, app), started, ended }
        }

        /// Sends a request, and returns once it is served, queued or refused.
        async fn send(&self, number: u32) -> JoinHandle<Response> {
            let request = Request::get(format!("/{number}")).body(Body::empty()).unwrap();
            let response = tokio::spawn(self.router.clone().oneshot(request));
            yield_now().await;
            tokio::spawn(async { response.await.unwrap().unwrap() })
        }
    }

    fn assert_refused(response: &Response) {
        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(response.headers()["retry-after"], "1");
        assert!(response.headers().contains_key("x-request-id"));
    }

    #[tokio::test(start_paused = true)]
    async fn requests_are_served_in_order_of_arrival_and_a_full_queue_refuses() {
        let mut server = Server::new(2, 3);
        let mut accepted = Vec::new();
        for number in 0..5 {
            accepted.push(server.send(number).await);
        }
        let refused = server.send(5).await.await.unwrap();
        assert_refused(&refused);
        assert!(accepted.iter().all(|response| !response.is_finished()));

        let mut order = Vec::new();
        for expected in [2, 1, 1, 1] {
            for _ in 0..expected {
                order.push(server.started.recv().await.unwrap());
            }
            assert!(server.started.is_empty(), "no more than two are served at the same time");
            server.ended.add_permits(1);
        }
        server.ended.add_permits(1);
        for response in accepted {
            assert_eq!(response.await.unwrap().status(), StatusCode::OK);
        }
        assert_eq!(order, [0, 1, 2, 3, 4]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_that_waits_too_long_is_refused_before_it_is_served() {
        let mut server = Server::new(1, 2);
        let first = server.send(0).await;
        // Time passes as soon as nothing else can happen.
        let second = server.send(1).await.await.unwrap();
        assert_refused(&second);
        assert!(!first.is_finished());
        server.ended.add_permits(2);
        assert_eq!(first.await.unwrap().status(), StatusCode::OK);
        assert_eq!(server.send(2).await.await.unwrap().status(), StatusCode::OK);
        let mut served = Vec::new();
        server.started.recv_many(&mut served, 3).await;
        assert_eq!(served, [0, 2]);
    }
}
