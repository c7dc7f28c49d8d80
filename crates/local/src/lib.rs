//! All of Fracti on one machine: every route over an embedded DynamoDB engine.
//!
//! [`routes`] merges the endpoint groups, [`Engine`] is the database, [`schema`] makes its table from the
//! template that AWS makes its own from. The local server is `main.rs`, which also serves [`docs`]; the tests run the
//! same three.

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

/// Every route of Fracti.
#[must_use]
pub fn routes() -> Routes {
    fracti_groups::routes()
        .merge(fracti_expenses::routes())
        .merge(fracti_settlements::routes())
        .merge(fracti_ledger::routes())
        .merge(fracti_users::routes())
}
