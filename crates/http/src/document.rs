//! The OpenAPI document, and the routes from which it is made.

pub mod openapi;
pub(crate) mod routes;
pub(crate) mod sender;
