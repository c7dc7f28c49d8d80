//! Context in which a question is asked.

use crate::{
    group::{Group, Member},
    values::{
        id::{TokenId, UserId},
        text::TokenName,
        time::{Timestamp, Zone},
    },
};

/// The asker of a question, the group, and the time.
#[derive(Clone, Copy, Debug)]
pub struct Asking<'a> {
    /// The group.
    pub group: &'a Group,
    /// Its members, present and past.
    pub members: &'a [Member],
    /// User who asks.
    pub asker: UserId,
    /// API token by which the user asks, if it is one.
    pub agent: Option<(TokenId, &'a TokenName)>,
    /// Time of asking.
    pub now: Timestamp,
    /// Zone of the asker's days.
    pub zone: Zone,
    /// Random part of the id.
    pub random: [u8; 10],
}
