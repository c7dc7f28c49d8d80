//! The local server: all routes of Fracti over an embedded DynamoDB engine.
//!
//! [`routes`] merges the endpoint groups, [`Engine`] is the database, and [`schema`] creates its
//! table from the template that AWS deploys. The server is `main.rs`, which also serves [`docs`].
//! The tests use the same parts.

pub mod schema;

mod admission;
mod cors;
mod docs;
mod engine;
mod event;
mod template;

pub use admission::admitted;
pub use cors::cors;
pub use docs::docs;
pub use engine::{Engine, EngineError, reachable};
pub use event::sign_event;
pub use template::TemplateError;

use fracti_http::Routes;

/// All routes of Fracti.
#[must_use]
pub fn routes() -> Routes {
    fracti_groups::routes()
        .merge(fracti_expenses::routes())
        .merge(fracti_settlements::routes())
        .merge(fracti_ledger::routes())
        .merge(fracti_users::routes())
}
