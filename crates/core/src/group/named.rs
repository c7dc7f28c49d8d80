//! The members that a request names, whose ids may be those of linked guests.

use crate::{group::links::Links, input::Draft, values::id::MemberId};

/// A request that names members.
pub trait NamesMembers {
    /// The members that the request names, as far as it can be read.
    fn members_mut(&mut self) -> Vec<&mut MemberId>;

    /// Merges the items for a user and for a guest who is linked to that user, where a client may
    /// send again what it read before the link.
    fn merge(&mut self, _: &Links) {}
}

impl<T: NamesMembers + Clone> Draft<T> {
    /// The request with the members whom its ids mean.
    #[must_use]
    pub fn resolved(&self, links: &Links) -> Self {
        let mut resolved = self.clone();
        if !links.is_empty()
            && let Some(fields) = resolved.fields_mut()
        {
            fields.merge(links);
            for member in fields.members_mut() {
                *member = links.resolve(*member);
            }
        }
        resolved
    }
}
