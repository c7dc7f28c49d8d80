//! Guests who turned out to be users: from the link on, a guest's id means the user.
//!
//! The links stand in the balance row, so they are read and written under the group's lock. Rows of
//! expenses, settlements and entries from before a link keep the guest's id.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    group::Member,
    values::id::{GuestId, MemberId, UserId},
};

use crate::input::limits::{MAX_LINKS, MAX_LINKS_OF_USER};

/// The linked guests of a group, each with the user.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Links(BTreeMap<GuestId, UserId>);

impl Links {
    /// Whether no guest is linked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether no other guest can be linked to a user.
    #[must_use]
    pub fn has_no_room_for(&self, user: UserId) -> bool {
        self.0.len() >= MAX_LINKS || self.guests_of(user).count() >= MAX_LINKS_OF_USER
    }

    /// The member that an id means: the user, if it is the id of a linked guest.
    #[must_use]
    pub fn resolve(&self, member: MemberId) -> MemberId {
        let user = member.guest().and_then(|guest| self.0.get(&guest));
        user.map_or(member, |user| MemberId::from(*user))
    }

    /// Whether the id is that of a linked guest.
    #[must_use]
    pub fn has(&self, member: MemberId) -> bool {
        member.guest().is_some_and(|guest| self.0.contains_key(&guest))
    }

    /// Links a guest.
    pub(crate) fn insert(&mut self, guest: GuestId, user: UserId) {
        self.0.insert(guest, user);
    }

    /// The guests who are linked to a user.
    pub fn guests_of(&self, user: UserId) -> impl Iterator<Item = MemberId> + '_ {
        let of_user = self.0.iter().filter(move |(_, linked)| **linked == user);
        of_user.map(|(guest, _)| MemberId::from(*guest))
    }

    /// The user to whom a guest is linked.
    pub(crate) fn user_of(&self, guest: GuestId) -> Option<UserId> {
        self.0.get(&guest).copied()
    }

    /// The linked guests.
    pub(crate) fn guests(&self) -> impl Iterator<Item = GuestId> + '_ {
        self.0.keys().copied()
    }

    /// The linked guests, each with the user.
    pub fn pairs(&self) -> impl Iterator<Item = (MemberId, MemberId)> + '_ {
        self.0.iter().map(|(guest, user)| (MemberId::from(*guest), MemberId::from(*user)))
    }

    /// The linked guests and their users.
    pub(crate) fn named(&self) -> impl Iterator<Item = MemberId> + '_ {
        self.pairs().flat_map(<[MemberId; 2]>::from)
    }

    /// The members who are not linked guests.
    #[must_use]
    pub fn unlinked(&self, members: &[Member]) -> Vec<Member> {
        members.iter().filter(|member| !self.has(member.id)).cloned().collect()
    }

    /// The members who are present, each under one id.
    #[must_use]
    pub fn present(&self, members: &[Member]) -> Vec<Member> {
        let mut present = self.unlinked(members);
        present.retain(Member::is_present);
        present
    }

    /// Whether all linked users are among `members`.
    #[must_use]
    pub fn are_among(&self, members: &[Member]) -> bool {
        self.0.values().all(|user| members.iter().any(|member| member.id == *user))
    }
}

/// The links that the rows of the members say, for a check before the balance row is read.
impl<'a> FromIterator<&'a Member> for Links {
    fn from_iter<I: IntoIterator<Item = &'a Member>>(members: I) -> Self {
        let link = |member: &Member| member.id.guest().zip(member.linked_to);
        Self(members.into_iter().filter_map(link).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::time::Timestamp;

    fn guest(number: u64) -> GuestId {
        GuestId::new(Timestamp::from_millis(1_700_000_000_000 + number).unwrap(), [1; 10])
    }

    fn actor(number: u64) -> UserId {
        UserId::new(number).unwrap()
    }

    #[test]
    fn links_of_a_group_and_of_a_user_are_limited() {
        let links = |users: u64, each: u64| {
            let mut links = Links::default();
            for number in 0..users * each {
                links.insert(guest(number), actor(1 + number % users));
            }
            links
        };
        let (all, of_user) =
            (u64::try_from(MAX_LINKS).unwrap(), u64::try_from(MAX_LINKS_OF_USER).unwrap());
        assert!(!links(all - 1, 1).has_no_room_for(actor(5_000)));
        assert!(links(all, 1).has_no_room_for(actor(5_000)));
        assert!(!links(1, of_user - 1).has_no_room_for(actor(1)));
        assert!(links(1, of_user).has_no_room_for(actor(1)));
        assert!(!links(1, of_user).has_no_room_for(actor(2)));
    }
}
