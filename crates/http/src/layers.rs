//! The layers around every route, from the outermost to the innermost:
//!
//! 1. [`context`] makes the [`Context`](crate::caller::context::Context) of the request;
//! 2. [`observe`] writes the log line and renders problems;
//! 3. [`amounts`](crate::response::amounts) writes amounts in the requested form;
//! 4. the time limit of the request;
//! 5. [`authentication`] adds the principal to the context, or refuses the request;
//! 6. [`admission`] checks the quota while the handler reads, or refuses the request;
//! 7. the maximum size of the body.

pub(crate) mod admission;
pub(crate) mod authentication;
pub(crate) mod context;
pub(crate) mod observe;
