//! Groups and their members.

pub(crate) mod chats;
mod deletion;
pub(crate) mod groups;
pub(crate) mod guests;
mod invitations;
pub(crate) mod memberships;
pub(crate) mod presence;
pub(crate) mod settings;
