//! The tower service of a set of routes, with the layers around every route.

use axum::{
    Router,
    extract::{DefaultBodyLimit, MatchedPath, Request},
    middleware::{self, Next},
};
use fracti_store::with_deadline;

use crate::{
    app::App,
    document::routes::Routes,
    layers::{
        admission,
        authentication::{self, Authentication},
        context, observe,
    },
    response::{
        amounts,
        limits::MAX_BODY_KIB,
        problem::{self, Problem},
    },
};

/// Routes whose requests are many transactions.
const LONG: [&str; 2] = ["/api/groups/{groupId}/import", "/api/groups/{groupId}/import/{importId}"];

/// Factor of the time that these requests may take. API Gateway waits for 30 s.
///
/// <https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html>
const LONGER: u32 = 3;

fn is_long(request: &Request) -> bool {
    let route = request.extensions().get::<MatchedPath>();
    route.is_some_and(|route| LONG.contains(&route.as_str()))
}

/// Makes the service of `routes`, which Lambda, the local server and the tests run.
pub fn service(routes: Routes, app: App) -> Router {
    let deadline = app.deadline;
    let in_time = move |request: Request, next: Next| async move {
        let limit = if is_long(&request) { deadline.saturating_mul(LONGER) } else { deadline };
        let served = with_deadline(limit, next.run(request)).await;
        served.map_err(Problem::from)
    };
    let (router, operations) = routes.into_parts();
    let authentication = Authentication::new(app.clone(), operations);
    router
        .with_state(app.clone())
        .fallback(problem::no_route)
        .method_not_allowed_fallback(problem::no_method)
        .layer(DefaultBodyLimit::max(MAX_BODY_KIB * 1024))
        .layer(middleware::from_fn_with_state(app.clone(), admission::admit))
        .layer(middleware::from_fn_with_state(authentication, authentication::authenticate))
        .layer(middleware::from_fn(in_time))
        .layer(middleware::from_fn(amounts::layer))
        .layer(middleware::from_fn(observe::observe))
        .layer(middleware::from_fn_with_state(app, context::make))
}
