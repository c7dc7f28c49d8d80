//! Routes, with their part of the OpenAPI document.

use std::{collections::HashMap, fmt};

use axum::{
    Router,
    handler::Handler,
    http::Method,
    routing::{MethodFilter, MethodRouter, get, post},
};
use utoipa::openapi::{HttpMethod, OpenApi};
use utoipa_axum::{
    PathItemExt,
    router::{OpenApiRouter, UtoipaMethodRouter},
};

use crate::{
    app::App,
    document::sender::{Sender, mark_read, operations, security},
    request::description::{Described, Description},
};

/// Routes of an endpoint group with their part of the OpenAPI document.
///
/// The document is made when it is asked for, because a Lambda function does not serve it, and
/// making it would be a part of each cold start.
#[derive(Default)]
pub struct Routes {
    /// The handlers. A route that is added here is not in the document, and has no principal.
    pub router: Router<App>,
    operations: Operations,
    document: Vec<Box<Describe>>,
}

/// The operations of each path, and who sends their requests.
pub(crate) type Operations = HashMap<String, HashMap<Method, Sender>>;

/// Adds a part to the document.
type Describe = dyn FnOnce(OpenApiRouter<App>) -> OpenApiRouter<App> + Send + Sync;

/// The operations of one path: handlers with an annotation `#[utoipa::path]`, which the macro
/// [`routes!`](crate::routes) collects.
pub struct PathRoutes {
    path: String,
    /// Description of the input of each method's handler.
    requests: HashMap<Method, fn(&mut Description)>,
    handlers: MethodRouter<App>,
    describe: fn() -> UtoipaMethodRouter<App>,
}

impl Routes {
    /// Makes an empty set of routes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the operations of a path, whose requests users send.
    #[must_use]
    pub fn routes(self, routes: PathRoutes) -> Self {
        self.routes_for(Sender::User, routes)
    }

    /// Adds the operations of a path.
    #[must_use]
    pub fn routes_for(mut self, sender: Sender, routes: PathRoutes) -> Self {
        let PathRoutes { path, requests, handlers, describe } = routes;
        self.router = self.router.route(&path, handlers);
        self.add_operations(path, requests.keys().map(|method| (method.clone(), sender)));
        self.describe(move |document| {
            let (mut schemas, mut paths, handlers) = describe();
            for item in paths.paths.values_mut() {
                for (method, operation) in operations(item) {
                    let mut request = Description::default();
                    if let Some(describe) = requests.get(&method) {
                        describe(&mut request);
                    }
                    request.complete(operation, &mut schemas);
                    operation.security = security(sender);
                    mark_read(operation, sender);
                }
            }
            document.routes((schemas, paths, handlers))
        })
    }

    /// Adds a page for a browser, or a file of one, which is not in the document. A path may end
    /// with `{*rest}`. The handler may set `Cache-Control`; without it the response is not cached.
    #[must_use]
    pub fn page<H: Handler<T, App>, T: 'static>(
        mut self,
        sender: Sender,
        path: &str,
        handler: H,
    ) -> Self {
        self.router = self.router.route(path, get(handler));
        self.add_operations(path.to_owned(), [(Method::GET, sender)]);
        self
    }

    /// Adds a route that another service calls by its own rules, which is not in the document.
    #[must_use]
    pub fn hook<H: Handler<T, App>, T: 'static>(
        mut self,
        sender: Sender,
        path: &str,
        handler: H,
    ) -> Self {
        self.router = self.router.route(path, post(handler));
        self.add_operations(path.to_owned(), [(Method::POST, sender)]);
        self
    }

    /// The paths of all routes, also of those that are not in the document.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.operations.keys().map(String::as_str)
    }

    /// Adds other routes.
    #[must_use]
    pub fn merge(mut self, other: Self) -> Self {
        self.router = self.router.merge(other.router);
        for (path, operations) in other.operations {
            self.add_operations(path, operations);
        }
        self.document.extend(other.document);
        self
    }

    /// Makes the document: what the annotations say.
    #[must_use]
    pub fn into_openapi(self) -> OpenApi {
        let parts = self.document.into_iter();
        parts.fold(OpenApiRouter::new(), |document, describe| describe(document)).into_openapi()
    }

    /// The handlers and their operations.
    pub(crate) fn into_parts(self) -> (Router<App>, Operations) {
        (self.router, self.operations)
    }

    fn add_operations(
        &mut self,
        path: String,
        operations: impl IntoIterator<Item = (Method, Sender)>,
    ) {
        self.operations.entry(path).or_default().extend(operations);
    }

    /// Adds a part to the document.
    pub(crate) fn describe(
        mut self,
        part: impl FnOnce(OpenApiRouter<App>) -> OpenApiRouter<App> + Send + Sync + 'static,
    ) -> Self {
        self.document.push(Box::new(part));
        self
    }
}

impl fmt::Debug for Routes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { router, operations, document: _ } = self;
        let mut fields = f.debug_struct("Routes");
        fields.field("router", router).field("operations", operations);
        fields.finish_non_exhaustive()
    }
}

impl PathRoutes {
    /// Begins the operations of the path of `P`, which `describe` describes. `P` is what the
    /// annotation of the first handler makes. For [`routes!`](crate::routes).
    #[must_use]
    pub fn new<P: utoipa::Path>(describe: fn() -> UtoipaMethodRouter<App>) -> Self {
        let requests = HashMap::new();
        let handlers = MethodRouter::new();
        Self { path: P::path(), requests, handlers, describe }
    }

    /// Adds the operation of `P`, which is what the annotation of the handler makes.
    #[must_use]
    pub fn with<P: utoipa::Path, H: Handler<T, App>, T: Described + 'static>(
        mut self,
        handler: H,
    ) -> Self {
        let methods = P::methods();
        let filters = methods.iter().map(HttpMethod::to_method_filter);
        if let Some(filter) = filters.reduce(MethodFilter::or) {
            self.handlers = self.handlers.on(filter, handler);
        }
        let describe: fn(&mut Description) = T::describe;
        self.requests.extend(methods.iter().map(|method| (name(method), describe)));
        self
    }
}

impl fmt::Debug for PathRoutes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PathRoutes").field("path", &self.path).finish_non_exhaustive()
    }
}

fn name(method: &HttpMethod) -> Method {
    match method {
        HttpMethod::Get => Method::GET,
        HttpMethod::Post => Method::POST,
        HttpMethod::Put => Method::PUT,
        HttpMethod::Delete => Method::DELETE,
        HttpMethod::Options => Method::OPTIONS,
        HttpMethod::Head => Method::HEAD,
        HttpMethod::Patch => Method::PATCH,
        HttpMethod::Trace => Method::TRACE,
    }
}

/// Collects handlers of one path, which have an annotation `#[utoipa::path]`, for
/// [`Routes::routes`](crate::document::routes::Routes::routes) or
/// [`Routes::routes_for`](crate::document::routes::Routes::routes_for).
#[macro_export]
macro_rules! routes {
    ($($first:ident)::+ $(, $($name:ident)::+)* $(,)?) => {
        $crate::PathRoutes::new::<$crate::operation!($($first)::+)>(
            || $crate::describe!($($first)::+ $(, $($name)::+)*)
        )
        .with::<$crate::operation!($($first)::+), _, _>($($first)::+)
        $(.with::<$crate::operation!($($name)::+), _, _>($($name)::+))*
    };
}

/// The type that the annotation of a handler makes.
#[doc(hidden)]
#[macro_export]
macro_rules! operation {
    ($handler:ident) => {
        $crate::paste! { [<__path_ $handler>] }
    };
    ($module:ident::$handler:ident) => {
        $crate::paste! { $module::[<__path_ $handler>] }
    };
}
