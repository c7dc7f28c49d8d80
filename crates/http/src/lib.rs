//! Code shared by the endpoint crates: authentication, request extractors, responses and the
//! OpenAPI document.
//!
//! [`App`] holds the dependencies of a request. [`service`] creates the tower service that Lambda,
//! the local server and the tests run; its layers create the [`Context`] of each request and
//! authenticate its [`Principal`]. A handler takes extractors ([`Caller`] or [`AsMember`] with its
//! [`Parameters`], [`Id`], [`IfMatch`], [`Json`], [`Once`] or [`Upload`] with its [`Body`]), calls
//! one method of the table, and returns a view in an envelope ([`Data`], [`Tagged`], [`List`]) or a
//! [`Problem`]. This crate has no endpoints.

pub mod openapi;

mod app;
mod context;
mod lambda;
mod layers;
mod limits;
mod principal;
mod quotas;
mod request;
mod response;
mod routes;
mod service;
mod tokens;

pub use app::{App, DEADLINE};
pub use context::Context;
pub use lambda::run;
pub use limits::{MAX_EXPORT_LIMIT, MAX_LIMIT};
pub use openapi::schemas::{self, Text};
pub use principal::{AppPrincipal, Credential, Principal};
pub use quotas::Quotas;
pub use request::{
    body::{Body, JsonScalar, Object, Value},
    caller::{AsMember, Caller, FromChat, Id},
    filter::FilterParams,
    json::Json,
    once::{Once, respond, respond_created, respond_tagged, respond_with},
    paging::{ListId, Paging},
    query::{Flag, FlagError, Parameters, Query, QueryReader},
    upload::{Form, Upload},
};
pub use response::{
    amounts::{JsonDecimal, shown},
    balance::MemberBalance,
    envelope::{Data, List, Pagination, Part},
    etag::{IfMatch, Tagged},
    member::MemberView,
    problem::{Code, Detail, Problem, ProblemBody, sentence},
    views::{ChangeView, EntryView, ExpenseView, GroupView, SettlementView, ShareView},
};
pub use routes::{PathRoutes, Routes};
pub use service::service;
pub use tokens::TokenCache;

/// For the macro [`routes!`].
#[doc(hidden)]
pub use utoipa_axum::{paste, routes as describe};
