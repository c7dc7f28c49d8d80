//! Code shared by the endpoint crates: authentication, request extractors, responses and the
//! OpenAPI document.
//!
//! [`App`] holds the dependencies of a request. [`service`] creates the tower service that Lambda,
//! the local server and the tests run; its layers create the [`Context`] of each request and
//! authenticate its [`Principal`]. A handler takes extractors ([`Caller`] or [`AsMember`] with its
//! [`Parameters`], [`Id`], [`IfMatch`], [`Once`] or [`Upload`] with its [`Body`]), calls one method
//! of the table, and returns a view in an envelope ([`Data`], [`Tagged`], [`Public`], [`List`]) or
//! a [`Problem`]. This crate has no endpoints. Its folders have an order, which a test holds.

mod app;
mod caller;
mod document;
mod lambda;
mod layers;
mod request;
mod response;
mod service;

pub use app::{App, DEADLINE};
pub use caller::{
    context::Context,
    principal::{AppPrincipal, Credential, Principal, Webhook},
    quotas::Quotas,
    token_cache::TokenCache,
};
pub use document::{
    openapi,
    routes::{PathRoutes, Routes},
    sender::Sender,
};
pub use lambda::run;
pub use request::{
    body::{Body, JsonScalar, Object, Value},
    caller::{AsMember, Caller, FromChat, FundsAccess, InApp, Operator, Owner},
    description::{Described, Description},
    once::{Once, respond, respond_created, respond_tagged, respond_with},
    paging::{Limit, ListId, Paging},
    path::Id,
    query::{Parameters, Query, QueryReader},
    receipt::{CreateLine, CreatePayer, CreateSharer},
    upload::{Form, Upload},
};
pub use response::{
    amounts::{JsonDecimal, shown},
    balance::MemberBalance,
    envelope::{Data, List, Pagination, Part},
    etag::{IfMatch, IfNoneMatch, Public, Tagged, tag_of},
    language::{AcceptLanguage, headers as language_headers},
    limits::{MAX_EXPORT_LIMIT, MAX_LIMIT},
    member::MemberView,
    problem::{Code, Problem, ProblemBody},
    schedule::ScheduleView,
    schemas::{self, Text},
    sentence::sentence,
    views::{
        ChangeView, EntryView, ExpenseView, GroupCategoryView, GroupView, LineView, PayerView,
        PreviewView, SettlementView, ShareView,
    },
};
pub use service::service;

/// For the macro [`body!`].
#[doc(hidden)]
pub mod macros {
    pub use fracti_core::input::Field;
    pub use serde_json::{Value as Json, json};
}

/// For the macro [`routes!`].
#[doc(hidden)]
pub use utoipa_axum::{paste, routes as describe};
