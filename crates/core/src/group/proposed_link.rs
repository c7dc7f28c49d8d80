//! Links of guests that one side has proposed and the other has not confirmed yet.
//!
//! A guest may be owed money, so two sides have to say who the guest is: one is the user, the other
//! any other present member.

use serde::{Deserialize, Serialize};

use crate::{
    group::{Group, Member},
    input::Error,
    values::{
        id::{GuestId, MemberId, UserId},
        time::Timestamp,
    },
};

use crate::input::limits::MAX_PROPOSED_LINKS;

/// A proposal to link a guest to a user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProposedLink {
    /// The guest.
    pub guest_id: GuestId,
    /// Name of the guest when the link was proposed.
    pub guest_name: String,
    /// User whom the guest is said to be.
    pub user_id: UserId,
    /// Name of the user when the link was proposed.
    pub user_name: String,
    /// Member who proposed the link: the user, or another member.
    pub proposed_by: UserId,
    /// Time of the proposal.
    pub proposed_at: Timestamp,
}

/// The effect of a member's request to link a guest to a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkStep {
    /// It proposes the link.
    Propose,
    /// The member's side has proposed the link already.
    Wait,
    /// It confirms what the other side has proposed.
    Confirm,
}

impl ProposedLink {
    /// A link that `by` proposes at `at`.
    #[must_use]
    pub fn new(
        guest: GuestId,
        name: &str,
        user: (UserId, &str),
        by: UserId,
        at: Timestamp,
    ) -> Self {
        Self {
            guest_id: guest,
            guest_name: name.to_owned(),
            user_id: user.0,
            user_name: user.1.to_owned(),
            proposed_by: by,
            proposed_at: at,
        }
    }

    /// Whether a present member is on the side that has proposed the link.
    #[must_use]
    pub fn is_by_side_of(&self, member: UserId) -> bool {
        (member == self.user_id) == (self.proposed_by == self.user_id)
    }

    /// Whether a present member may end the proposal: its proposer withdraws it, and the other side
    /// declines it.
    #[must_use]
    pub fn may_be_ended_by(&self, member: UserId) -> bool {
        member == self.proposed_by || !self.is_by_side_of(member)
    }

    fn names(&self, member: MemberId) -> bool {
        member == MemberId::from(self.guest_id)
            || member == self.user_id
            || member == self.proposed_by
    }
}

impl Group {
    /// The proposed link of a guest.
    #[must_use]
    pub fn proposed_link(&self, guest: MemberId) -> Option<&ProposedLink> {
        self.proposed_links.iter().find(|link| guest == MemberId::from(link.guest_id))
    }

    /// The effect of `member`'s request to link a guest to `user`.
    ///
    /// # Errors
    ///
    /// [`Error::LinkProposed`] if a link to another user is proposed; [`Error::TooManyProposals`].
    pub fn link_step(
        &self,
        guest: MemberId,
        user: UserId,
        member: UserId,
    ) -> Result<LinkStep, Error> {
        match self.proposed_link(guest) {
            Some(link) if link.user_id != user => Err(Error::LinkProposed),
            Some(link) if link.is_by_side_of(member) => Ok(LinkStep::Wait),
            Some(_) => Ok(LinkStep::Confirm),
            None if self.proposed_links.len() >= MAX_PROPOSED_LINKS => Err(Error::TooManyProposals),
            None => Ok(LinkStep::Propose),
        }
    }

    /// The proposed links without that of a guest.
    #[must_use]
    pub fn links_without_guest(&self, guest: MemberId) -> Vec<ProposedLink> {
        self.proposed_links
            .iter()
            .filter(|link| guest != MemberId::from(link.guest_id))
            .cloned()
            .collect()
    }

    /// The proposed links that do not name a member who becomes past.
    #[must_use]
    pub fn links_without(&self, member: &Member) -> Vec<ProposedLink> {
        self.proposed_links.iter().filter(|link| !link.names(member.id)).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(number: u64) -> UserId {
        UserId::new(number).unwrap()
    }

    fn link(of: u64, by: u64) -> ProposedLink {
        let at: Timestamp = "2026-01-15T12:00:00.000Z".parse().unwrap();
        ProposedLink::new(GuestId::new(at, [1; 10]), "Mum", (user(of), "Gita"), user(by), at)
    }

    #[test]
    fn the_side_that_did_not_propose_confirms() {
        let by_user = link(2, 2);
        let by_other = link(2, 1);
        for (member, own_of_user, own_of_other) in
            [(1, false, true), (2, true, false), (3, false, true)]
        {
            assert_eq!(by_user.is_by_side_of(user(member)), own_of_user, "{member}");
            assert_eq!(by_other.is_by_side_of(user(member)), own_of_other, "{member}");
        }
    }

    #[test]
    fn the_proposer_and_the_other_side_end_a_proposal() {
        let ends = |link: &ProposedLink| [1, 2, 3].map(|member| link.may_be_ended_by(user(member)));
        assert_eq!(ends(&link(2, 2)), [true, true, true]);
        assert_eq!(ends(&link(2, 1)), [true, true, false]);
    }
}
