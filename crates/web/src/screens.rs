//! The screens, each with its route below `/screens`.

mod ask;
mod balances;
mod changes;
mod expense;
mod expense_form;
mod expenses;
mod group;
mod home;
mod join;
mod ledger;
mod members;
mod more;
mod question;
mod questions;
mod settings;
mod settle;
mod settlement;
mod settlements;
mod stats;

use fracti_http::{Routes, Sender};

/// The routes of all screens.
pub(crate) fn routes() -> Routes {
    Routes::new()
        .page(Sender::User, "/screens", home::show)
        .page(Sender::User, "/screens/groups/{groupId}", group::show)
        .page(Sender::User, "/screens/groups/{groupId}/balances", balances::show)
        .page(Sender::User, "/screens/groups/{groupId}/expenses/new", expense_form::new)
        .page(Sender::User, "/screens/groups/{groupId}/expenses/{expenseId}", expense::show)
        .page(
            Sender::User,
            "/screens/groups/{groupId}/expenses/{expenseId}/edit",
            expense_form::edit,
        )
        .page(Sender::User, "/screens/groups/{groupId}/questions", questions::show)
        .page(Sender::User, "/screens/groups/{groupId}/questions/new", ask::show)
        .page(Sender::User, "/screens/groups/{groupId}/questions/{questionId}", question::show)
        .page(Sender::User, "/screens/groups/{groupId}/settle", settle::show)
        .page(Sender::User, "/screens/groups/{groupId}/settlements", settlements::show)
        .page(
            Sender::User,
            "/screens/groups/{groupId}/settlements/{settlementId}",
            settlement::show,
        )
        .page(Sender::User, "/screens/groups/{groupId}/more", more::show)
        .page(Sender::User, "/screens/groups/{groupId}/members", members::show)
        .page(Sender::User, "/screens/groups/{groupId}/settings", settings::show)
        .page(Sender::User, "/screens/join/{groupId}", join::show)
        .page(Sender::User, "/screens/groups/{groupId}/expenses", expenses::show)
        .page(Sender::User, "/screens/groups/{groupId}/stats", stats::show)
        .page(Sender::User, "/screens/groups/{groupId}/ledger", ledger::show)
        .page(Sender::User, "/screens/groups/{groupId}/ledger/{memberId}", ledger::statement)
        .page(Sender::User, "/screens/groups/{groupId}/changes", changes::show)
}
