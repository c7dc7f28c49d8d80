//! Limits that errors name.

/// Maximum number of members of a group.
pub const MAX_MEMBERS: u64 = 500;
