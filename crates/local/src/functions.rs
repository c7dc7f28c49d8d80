//! The list of the Lambda functions of Fracti, from which the local server, the OpenAPI document
//! and the tests take them.
//!
//! A test compares it with the crates of the workspace and with `template.yaml`, so a function that
//! is missing here is noticed.

use fracti_http::Routes;

/// A Lambda function.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// Name: `expenses` is the crate `fracti-expenses`, and `ExpensesFunction` in the template.
    pub name: &'static str,
    /// Makes its routes.
    pub routes: fn() -> Routes,
}

/// All functions.
pub const FUNCTIONS: &[Function] = &[
    Function { name: "groups", routes: fracti_groups::routes },
    Function { name: "expenses", routes: fracti_expenses::routes },
    Function { name: "settlements", routes: fracti_settlements::routes },
    Function { name: "ledger", routes: fracti_ledger::routes },
    Function { name: "users", routes: fracti_users::routes },
    Function { name: "insights", routes: fracti_insights::routes },
    Function { name: "transfer", routes: fracti_transfer::routes },
];

/// The routes of all functions.
#[must_use]
pub fn routes() -> Routes {
    FUNCTIONS.iter().fold(Routes::new(), |all, function| all.merge((function.routes)()))
}
