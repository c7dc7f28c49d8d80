//! What every endpoint of Fracti shares: who asks, what is sent, and how it is answered.
//!
//! [`App`] is what a request may use, and [`service`] what Lambda, the local server and the tests each run. A handler
//! takes extractors ([`Caller`], [`Member`], [`Id`], [`Paging`], [`Json`], [`Post`]), calls one thing of the
//! table, and returns a view in an envelope ([`Data`], [`List`]) or a [`Problem`].
//! [`openapi`] describes it all. No endpoint is here.

pub mod openapi;
pub mod schemas;

mod app;
mod caller;
mod cursor;
mod envelope;
mod json;
mod observe;
mod post;
mod problem;
mod views;

pub use app::{
    App, BotToken, Clock, ConfigError, Random, Routes, Settings, dynamodb_at, local_dynamodb,
    service,
};
pub use caller::{Caller, Id, Member};
pub use cursor::{Paging, Scope};
pub use envelope::{Data, List, Pagination};
pub use json::{Exact, Json, Scalar, Text, required};
pub use post::{Post, respond};
pub use problem::{Code, Detail, Problem, ProblemBody};
pub use views::{ExpenseView, GroupView, MemberView, SettlementView, ShareView};
