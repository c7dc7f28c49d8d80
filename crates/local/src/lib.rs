//! The local server: all routes of Fracti over an embedded DynamoDB engine.
//!
//! [`FUNCTIONS`] lists the functions, [`routes`] merges their routes, [`queued`] puts a queue
//! before them, [`Engine`] is the database, [`data`] its file, and [`schema`] creates its table
//! from the template that AWS deploys. [`fake_telegram`] stands in for Telegram. The server is
//! `main.rs`, which also serves [`docs`]. The tests use the same parts.

pub mod data;
pub mod fake_telegram;
pub mod schema;

mod cors;
mod docs;
mod engine;
mod event;
mod functions;
mod queue;
mod template;

pub use cors::cors;
pub use docs::docs;
pub use engine::{Engine, EngineError, reachable};
pub use event::sign_event;
pub use functions::{FUNCTIONS, Function, routes};
pub use queue::queued;
pub use template::TemplateError;
