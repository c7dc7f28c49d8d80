//! The list of the Lambda functions of Fracti, from which the local server, the OpenAPI document
//! and the tests take them.
//!
//! A test compares it with the crates of the workspace and with `template.yaml`, so a function that
//! is missing here is noticed.

use fracti_http::Routes;

/// A Lambda function.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// Name: `expenses` is `ExpensesFunction` in the template.
    pub name: &'static str,
    /// Its crate, without `fracti-`.
    pub package: &'static str,
    /// Makes its routes.
    pub routes: fn() -> Routes,
}

/// All functions.
pub const FUNCTIONS: &[Function] = &[
    Function { name: "groups", package: "groups", routes: fracti_groups::routes },
    Function { name: "expenses", package: "expenses", routes: fracti_expenses::routes },
    Function { name: "settlements", package: "settlements", routes: fracti_settlements::routes },
    Function { name: "ledger", package: "ledger", routes: fracti_ledger::routes },
    Function { name: "users", package: "users", routes: fracti_users::routes },
    Function { name: "insights", package: "personal", routes: fracti_personal::routes },
    Function { name: "questions", package: "questions", routes: fracti_questions::routes },
    Function { name: "funds", package: "funds", routes: fracti_funds::routes },
    Function { name: "transfer", package: "files", routes: fracti_files::routes },
    Function { name: "bot", package: "bot", routes: fracti_bot::routes },
    Function { name: "web", package: "web", routes: fracti_web::routes },
];

/// The routes of all functions.
#[must_use]
pub fn routes() -> Routes {
    FUNCTIONS.iter().fold(Routes::new(), |all, function| all.merge((function.routes)()))
}
