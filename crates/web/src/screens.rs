//! The screens, each with its route below `/screens`.

mod ask;
mod balances;
mod budgets;
mod changes;
mod chat;
mod days;
mod expense;
mod expense_form;
mod expenses;
mod files;
mod frame;
mod friend;
mod friends;
mod funds;
mod group;
mod home;
mod join;
mod ledger;
mod links;
mod list;
mod me;
mod members;
mod more;
mod notifications;
mod points;
mod question;
mod questions;
mod schedules;
mod settings;
mod settle;
mod settlement;
mod settlements;
mod stats;
mod tokens;
mod usual_split;
mod welcome;

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
        .page(Sender::User, "/screens/groups/{groupId}/schedules", schedules::list)
        .page(Sender::User, "/screens/groups/{groupId}/schedules/{scheduleId}", schedules::show)
        .page(
            Sender::User,
            "/screens/groups/{groupId}/schedules/{scheduleId}/edit",
            expense_form::edit_schedule,
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
        .page(Sender::User, "/screens/groups/{groupId}/split", usual_split::show)
        .page(Sender::User, "/screens/join/{groupId}", join::show)
        .page(Sender::User, "/screens/groups/{groupId}/welcome", welcome::show)
        .page(Sender::User, "/screens/groups/{groupId}/expenses", expenses::show)
        .page(Sender::User, "/screens/groups/{groupId}/stats", stats::show)
        .page(Sender::User, "/screens/groups/{groupId}/ledger", ledger::show)
        .page(Sender::User, "/screens/groups/{groupId}/ledger/{memberId}", ledger::statement)
        .page(Sender::User, "/screens/groups/{groupId}/changes", changes::show)
        .page(Sender::User, "/screens/groups/{groupId}/number", changes::number)
        .page(Sender::User, "/screens/groups/{groupId}/points", points::show)
        .page(Sender::User, "/screens/groups/{groupId}/import", files::import)
        .page(Sender::User, "/screens/groups/{groupId}/export", files::export)
        .page(Sender::User, "/screens/me", me::show)
        .page(Sender::User, "/screens/me/days", days::month)
        .page(Sender::User, "/screens/me/days/{date}", days::day)
        .page(Sender::User, "/screens/me/budgets", budgets::show)
        .page(Sender::User, "/screens/me/notifications", notifications::show)
        .page(Sender::User, "/screens/me/tokens", tokens::show)
        .page(Sender::User, "/screens/me/funds", funds::show)
        .page(Sender::User, "/screens/me/funds/{transactionId}", funds::transaction)
        .page(Sender::User, "/screens/me/friends", friends::show)
        .page(Sender::User, "/screens/me/friends/{otherId}", friend::show)
        .page(Sender::User, "/screens/funds/work", funds::work)
}
