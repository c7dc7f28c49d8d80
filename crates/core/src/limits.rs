//! Limits that errors name.

/// Maximum number of members of a group.
pub const MAX_MEMBERS: u64 = 500;

/// Maximum number of API tokens of a user.
pub const MAX_TOKENS: usize = 20;
