//! The tower service of a set of routes, with the layers around every route.

use axum::{
    Router,
    extract::{DefaultBodyLimit, Request},
    middleware::{self, Next},
};
use fracti_store::with_deadline;

use crate::{
    App, Problem, Routes,
    layers::{
        admission,
        authentication::{self, Authentication},
        context, observe,
    },
    limits::MAX_BODY_KIB,
    response::{amounts, problem},
};

/// Makes the service of `routes`, which Lambda, the local server and the tests run.
pub fn service(routes: Routes, app: App) -> Router {
    let limit = app.deadline;
    let in_time = move |request: Request, next: Next| async move {
        let served = with_deadline(limit, next.run(request)).await;
        served.map_err(Problem::from)
    };
    let (router, document) = routes.with_state(app.clone()).split_for_parts();
    let authentication = Authentication::new(app.clone(), document);
    router
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
