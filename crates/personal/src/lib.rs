//! Endpoints of a user's spendings, days, targets, API tokens and usage.

mod days;
mod spendings;
mod subscription;
mod targets;
mod tokens;
mod usage;

use fracti_http::{Routes, openapi, routes};

/// The routes of this endpoint group.
#[must_use]
pub fn routes() -> Routes {
    openapi::tagged([
        ("spendings", "Money that a user spent on themselves alone."),
        ("days", "What a user consumed: spendings, and shares of group expenses."),
        ("targets", "What a user wants to spend at most."),
        ("tokens", "API tokens, by which programs act for a user."),
        ("subscription", "Messages of the bot about changes in the user's groups."),
        ("usage", "How much of their quotas a user has used."),
    ])
    .routes(routes!(spendings::list_spendings, spendings::create_spending))
    .routes(routes!(spendings::get_spending, spendings::edit_spending, spendings::delete_spending))
    .routes(routes!(days::get_days))
    .routes(routes!(days::get_day))
    .routes(routes!(days::rebuild_days))
    .routes(routes!(targets::get_targets, targets::update_targets))
    .routes(routes!(tokens::list_tokens, tokens::create_token))
    .routes(routes!(tokens::delete_token))
    .routes(routes!(
        subscription::get_subscription,
        subscription::set_subscription,
        subscription::delete_subscription
    ))
    .routes(routes!(usage::get_usage))
}
