//! What every endpoint of Fracti shares: who asks, what is sent, and how it is answered.
//!
//! [`App`] is what a request may use, and [`service`] what Lambda, the local server and the tests each run. A handler
//! takes extractors ([`Caller`], [`Member`], [`Id`], [`Paging`], [`Query`], [`IfMatch`], [`Json`], [`Post`]), calls one thing of the
//! table, and returns a view in an envelope ([`Data`], [`Tagged`], [`List`]) or a [`Problem`].
//! [`openapi`] describes it all. No endpoint is here.

pub mod openapi;
pub mod schemas;

mod app;
mod caller;
mod cursor;
mod dynamodb;
mod envelope;
mod etag;
mod json;
mod lambda;
mod observe;
mod post;
mod problem;
mod query;
mod views;

pub use app::{App, BotToken, Clock, ConfigError, InvalidToken, Random, Routes, Settings, service};
pub use caller::{Caller, Id, Member};
pub use cursor::{Paging, Scope};
pub use dynamodb::{dynamodb_at, local_dynamodb};
pub use envelope::{Data, List, Pagination};
pub use etag::{IfMatch, Tagged};
pub use json::{Exact, Json, Scalar, Stated, Text, required};
pub use lambda::run;
pub use post::{Post, respond, respond_tagged};
pub use problem::{Code, Detail, Problem, ProblemBody, sentence};
pub use query::Query;
pub use views::{
    ChangeView, EntryView, ExpenseView, GroupView, MemberView, SettlementView, ShareView,
};
