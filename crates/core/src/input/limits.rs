//! Limits that errors name.

/// Maximum number of members of a group.
pub const MAX_MEMBERS: u64 = 500;

/// Maximum number of API tokens of a user.
pub const MAX_TOKENS: usize = 20;

/// Maximum number of links of a group. A link takes 53 bytes of the balance row, in which the
/// largest balances leave room for 13 600 bytes.
pub const MAX_LINKS: usize = 150;

/// Maximum number of guests of a group who are linked to one user. Each adds queries to the user's
/// lists.
pub const MAX_LINKS_OF_USER: usize = 10;

/// Maximum number of links of a group that are proposed and not confirmed yet. Each takes up to 1
/// KB of the group's row.
pub const MAX_PROPOSED_LINKS: usize = 20;

/// Maximum number of open questions of a group.
pub const MAX_OPEN_QUESTIONS: usize = 100;

/// Maximum number of schedules of a group.
pub const MAX_SCHEDULES: usize = 50;

/// Maximum number of shares of an expense, together with its payers other than the main payer.
///
/// Editing an expense with n of them takes up to 2n + 11 of the 100 actions of a transaction, if
/// all are replaced, the expense moves to another tally, and a closing and a checkpoint are due.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html>
pub const MAX_SHARES: usize = 45;
