//! Contents of the balance row besides balances: whether the group is archived, its currency, when
//! its default split was changed, who lately became present or past, and who has pending
//! settlements.
//!
//! A request reads the rows of the group and its members and the balance row in parallel, so a
//! member may leave between the two reads. The version of the balance row does not show this,
//! because it is read afterwards. Every change of a member's presence therefore also stands in the
//! balance row, for longer than any request takes, and overrides the member's row. A changed
//! currency stands there for ever.

use std::{collections::BTreeMap, time::Duration};

use serde::{Deserialize, Serialize};

use crate::{
    group::{Group, Member, links::Links},
    input::Error,
    values::{
        currency::Currency,
        id::{GroupId, MemberId, UserId},
        time::Timestamp,
    },
};

/// Time for which a change stands in the balance row. Requests take seconds; the rest is for clocks
/// that differ.
const RECENT: Duration = Duration::from_mins(10);

/// Maximum number of changes in the balance row, which bounds its size.
const MAX_RECENT: usize = 100;

/// The state of a group: the part of the balance row that is not about balances.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupState {
    /// Whether the group is archived, so that it cannot be written to.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub archived: bool,
    /// The group's currency, if it was ever changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<Currency>,
    /// Time at which the group's default split was last changed, if it ever was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_splits_at: Option<Timestamp>,
    /// Recent changes of presence.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    recent: BTreeMap<MemberId, PresenceChange>,
    /// Number of pending settlements that each member sends or receives, without zeros. `None` in a
    /// row of an earlier format, until they are counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pending: Option<BTreeMap<MemberId, u64>>,
    /// Whether all v0 rows of the group are migrated, except those that cannot be. Groups whose id
    /// contains a time have no v0 rows, and are not marked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub migrated: bool,
    /// Number of changes of the group that were told, which is the number of the last one.
    #[serde(default, skip_serializing_if = "super::is_zero")]
    pub changes: u64,
}

/// The last change of a member's presence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct PresenceChange {
    present: bool,
    /// Whether the member was removed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    removed: bool,
    at: Timestamp,
}

impl GroupState {
    /// The state before the first write to a group. Only a group that the TypeScript Fracti
    /// created, whose id has no time, may have settlements then.
    #[must_use]
    pub fn first(group: GroupId) -> Self {
        Self { pending: group.created_at().map(|_| BTreeMap::new()), ..Self::default() }
    }

    /// Whether the group may have v0 rows that are not migrated.
    #[must_use]
    pub fn needs_migration(&self, group: GroupId) -> bool {
        group.created_at().is_none() && !self.migrated
    }

    /// Whether it says nothing, so that the balance row omits it.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Checks that the member `user` may write to the group. Their row has been checked already,
    /// but may have changed since.
    ///
    /// # Errors
    ///
    /// [`Error::Left`] or [`Error::Removed`]; [`Error::GroupArchived`].
    pub fn check_writer(&self, user: UserId) -> Result<(), Error> {
        self.check_present(user)?;
        if self.archived { Err(Error::GroupArchived) } else { Ok(()) }
    }

    /// Checks that the member `user` has not left meanwhile, and was not removed.
    ///
    /// # Errors
    ///
    /// [`Error::Left`] or [`Error::Removed`].
    pub fn check_present(&self, user: UserId) -> Result<(), Error> {
        match self.recent.get(&user.into()) {
            Some(PresenceChange { present: false, removed: true, .. }) => Err(Error::Removed),
            Some(PresenceChange { present: false, .. }) => Err(Error::Left),
            _ => Ok(()),
        }
    }

    /// The group, whose currency is that of the balance row.
    #[must_use]
    pub fn of_group(&self, group: &Group) -> Group {
        Group { currency: self.currency.unwrap_or(group.currency), ..group.clone() }
    }

    /// The members, each present or past as of the balance row.
    #[must_use]
    pub fn of(&self, members: &[Member]) -> Vec<Member> {
        let current = |member: &Member| match self.recent.get(&member.id) {
            Some(PresenceChange { present: true, .. }) => member.clone().present(),
            Some(PresenceChange { at, removed: true, .. }) if member.is_present() => {
                Member { removed_at: Some(*at), ..member.clone() }
            }
            Some(PresenceChange { at, .. }) if member.is_present() => {
                Member { left_at: Some(*at), ..member.clone() }
            }
            _ => member.clone(),
        };
        members.iter().map(current).collect()
    }

    /// Notes that a member is present or past, as `after`, since `at`.
    ///
    /// # Errors
    ///
    /// [`Error::Contended`] if too many members have changed lately.
    pub fn change(&mut self, after: &Member, at: Timestamp) -> Result<(), Error> {
        self.forget(at);
        let present = after.is_present();
        let removed = after.removed_at.is_some();
        self.recent.insert(after.id, PresenceChange { present, removed, at });
        if self.recent.len() > MAX_RECENT { Err(Error::Contended) } else { Ok(()) }
    }

    /// Number of members who can still change at `now`.
    #[must_use]
    pub fn room(&self, now: Timestamp) -> usize {
        let recent = self.recent.values().filter(|change| now.since(change.at) < RECENT);
        MAX_RECENT.saturating_sub(recent.count())
    }

    /// Forgets changes that every request has seen that is still being served at `now`.
    pub fn forget(&mut self, now: Timestamp) {
        self.recent.retain(|_, change| now.since(change.at) < RECENT);
    }

    /// Whether settlements are pending, or are not counted.
    #[must_use]
    pub fn may_have_pending(&self) -> bool {
        self.pending.as_ref().is_none_or(|pending| !pending.is_empty())
    }

    /// Whether a settlement between these parties may be pending.
    #[must_use]
    pub fn may_have_pending_between(&self, parties: [MemberId; 2], links: &Links) -> bool {
        let Some(pending) = &self.pending else { return true };
        let is_party = |party: &MemberId| pending.keys().any(|it| links.resolve(*it) == *party);
        parties.iter().all(is_party)
    }

    /// Whether the pending settlements are counted.
    #[must_use]
    pub const fn is_counted(&self) -> bool {
        self.pending.is_some()
    }

    /// The members with pending settlements, and how many they send or receive.
    pub(crate) fn pending(&self) -> impl Iterator<Item = (MemberId, u64)> + '_ {
        self.pending.iter().flatten().map(|(member, count)| (*member, *count))
    }

    /// Counts all pending settlements of the group, each by its parties.
    pub fn count(&mut self, pending: impl IntoIterator<Item = [MemberId; 2]>) {
        self.pending = Some(BTreeMap::new());
        pending.into_iter().for_each(|parties| self.began(parties));
    }

    /// Counts all pending settlements of the group again, if they are counted.
    pub(crate) fn recount(&mut self, pending: impl IntoIterator<Item = [MemberId; 2]>) {
        if self.pending.is_some() {
            self.count(pending);
        }
    }

    /// Whether another state counts the same pending settlements, or one of them counts none.
    pub(crate) fn same_pending(&self, other: &Self) -> bool {
        self.pending.as_ref().zip(other.pending.as_ref()).is_none_or(|(own, others)| own == others)
    }

    /// Counts a settlement between these parties that became pending.
    pub fn began(&mut self, parties: [MemberId; 2]) {
        self.add(parties, 1);
    }

    /// Counts a settlement between these parties that is not pending any more.
    pub fn ended(&mut self, parties: [MemberId; 2]) {
        self.add(parties, -1);
    }

    fn add(&mut self, parties: [MemberId; 2], number: i64) {
        let Some(pending) = &mut self.pending else { return };
        for member in parties {
            let count = pending.entry(member).or_default();
            *count = count.saturating_add_signed(number);
        }
        pending.retain(|_, count| *count > 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::caller::telegram::User;

    fn at(second: u64) -> Timestamp {
        Timestamp::from_millis(1_768_478_400_000 + second * 1_000).unwrap()
    }

    fn member(id: u64) -> Member {
        let id = UserId::new(id).unwrap();
        let user = User { id, name: "A".to_owned(), username: None, avatar_url: None };
        Member::new(&user, None, at(0))
    }

    fn past(id: u64, second: u64) -> Member {
        Member { left_at: Some(at(second)), ..member(id) }
    }

    #[test]
    fn a_change_overrides_the_row_of_a_member_until_it_is_forgotten() {
        let left = member(1);
        let back = member(2);
        let other = member(3);
        let past = Member { left_at: Some(at(1)), ..back.clone() };
        let rows = [left.clone(), past.clone(), other.clone()];
        let mut state = GroupState::default();
        let gone = Member { left_at: Some(at(5)), ..left.clone() };
        state.change(&gone, at(5)).unwrap();
        state.change(&back, at(6)).unwrap();
        assert_eq!(state.of(&rows), [gone, back.clone(), other]);
        assert!(matches!(state.check_writer(UserId::new(1).unwrap()), Err(Error::Left)));
        state.forget(at(600));
        assert!(!state.is_default(), "a request may have read the row before");
        state.forget(at(606));
        assert_eq!(state.of(&rows), rows);
        assert!(state.is_default());
    }

    #[test]
    fn the_last_of_several_changes_counts() {
        let rows = [member(1)];
        let mut state = GroupState::default();
        for (second, present) in [(1, false), (2, true), (3, false)] {
            let after = if present { rows[0].clone() } else { past(1, second) };
            state.change(&after, at(second)).unwrap();
            assert_eq!(state.of(&rows)[0].is_present(), present);
        }
        let removed = Member { removed_at: Some(at(2)), ..rows[0].clone() };
        let rows = [removed.clone()];
        assert_eq!(state.of(&rows), rows, "the row says more");
        state.change(&removed, at(4)).unwrap();
        assert!(matches!(state.check_present(UserId::new(1).unwrap()), Err(Error::Removed)));
        let removed = Member { removed_at: Some(at(4)), ..member(1) };
        assert_eq!(state.of(&[member(1)]), [removed]);
    }

    #[test]
    fn changes_of_ten_minutes_are_bounded() {
        let mut state = GroupState::default();
        for id in 1..=100 {
            state.change(&past(id, id), at(id)).unwrap();
        }
        let refused = state.clone().change(&past(101, 101), at(101));
        assert!(matches!(refused, Err(Error::Contended)));
        state.change(&member(100), at(101)).unwrap();
        state.change(&past(101, 602), at(602)).unwrap();
    }
}
