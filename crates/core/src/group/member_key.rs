//! The membership by which a request is made.

use crate::values::id::{GroupId, UserId};

/// Key of a membership that is still to be checked. What reads by it checks it in the same round
/// trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberKey {
    /// The group.
    pub group: GroupId,
    /// User whose membership is checked.
    pub user: UserId,
}
