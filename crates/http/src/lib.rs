//! What the endpoint crates share: authentication, request extractors, responses and the OpenAPI
//! document.
//!
//! [`App`] holds the dependencies of a request. [`service`] makes the tower service that Lambda,
//! the local server and the tests run; its layers make the [`Context`] of each request and
//! authenticate its [`Principal`]. A handler takes extractors ([`Caller`] or [`AsMember`] with
//! its [`Parameters`], [`Id`], [`IfMatch`], [`Json`] or [`Post`] with its [`Body`]), calls one
//! method of the table, and returns a view in an envelope ([`Data`], [`Tagged`], [`List`]) or a
//! [`Problem`]. This crate has no endpoints.

pub mod openapi;
pub mod schemas;

mod amounts;
mod app;
mod body;
mod caller;
mod context;
mod cursor;
mod dynamodb;
mod envelope;
mod etag;
mod json;
mod lambda;
mod layers;
mod post;
mod problem;
mod query;
mod views;

pub use amounts::{JsonDecimal, shown};
pub use app::{App, BotToken, Clock, ConfigError, InvalidToken, Random, Routes, Settings, service};
pub use body::{Body, JsonScalar, Object, Value};
pub use caller::{AsMember, Caller, Id};
pub use context::{Context, Credential, Principal};
pub use cursor::{ListId, MAX_LIMIT, Paging};
pub use dynamodb::{dynamodb_at, local_dynamodb};
pub use envelope::{Data, List, Pagination};
pub use etag::{IfMatch, Tagged};
pub use json::Json;
pub use lambda::run;
pub use post::{Post, respond, respond_tagged};
pub use problem::{Code, Detail, Problem, ProblemBody, sentence};
pub use query::{Flag, FlagError, Parameters, Query, QueryReader};
pub use views::{
    ChangeView, EntryView, ExpenseView, GroupView, MemberView, SettlementView, ShareView,
};
