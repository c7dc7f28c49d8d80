//! Guests who turned out to be users: from the link on, a guest's id means the user.
//!
//! The links stand in the balance row, so they are read and written under the group's lock. Rows of
//! expenses, settlements and entries from before a link keep the guest's id.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    adjustment::{Adjustment, BareOrWrapped},
    expense::{Edit, LineInput, NewExpense, PayerInput, SplitInput},
    group::Member,
    id::{GuestId, MemberId, UserId},
    input::{Draft, Field},
    ledger::{Change, LedgerError},
    settlement::{NewSettlement, Settlement},
};

/// Maximum number of links of a group. A link takes 53 bytes of the balance row, in which the
/// largest balances leave room for 13 600 bytes.
pub const MAX_LINKS: usize = 150;

/// Maximum number of guests of a group who are linked to one user. Each adds queries to the user's
/// lists.
pub const MAX_LINKS_OF_USER: usize = 10;

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
    pub fn are_full_for(&self, user: UserId) -> bool {
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

    /// The members who are not linked guests.
    #[must_use]
    pub fn unlinked(&self, members: &[Member]) -> Vec<Member> {
        members.iter().filter(|member| !self.has(member.id)).cloned().collect()
    }

    /// Whether all linked users are among `members`.
    #[must_use]
    pub fn are_among(&self, members: &[Member]) -> bool {
        self.0.values().all(|user| members.iter().any(|member| member.id == *user))
    }

    /// The settlement between the members whom its parties mean.
    #[must_use]
    pub fn settlement(&self, settlement: &Settlement) -> Settlement {
        Settlement {
            from_user_id: self.resolve(settlement.from_user_id),
            to_user_id: self.resolve(settlement.to_user_id),
            ..settlement.clone()
        }
    }

    /// The changes to the members whom the ids mean, added up for each member and currency.
    pub(crate) fn changes(&self, changes: Vec<Change>) -> Result<Vec<Change>, LedgerError> {
        if self.is_empty() {
            return Ok(changes);
        }
        let mut resolved: Vec<Change> = Vec::new();
        let mut places = BTreeMap::new();
        for change in changes {
            let user = self.resolve(change.user);
            let place = *places.entry((user, change.currency)).or_insert(resolved.len());
            if let Some(before) = resolved.get_mut(place) {
                let sum = before.totals.plus(change.totals);
                before.totals = sum.ok_or(LedgerError::Overflow(change.currency))?;
            } else {
                resolved.push(Change { user, ..change });
            }
        }
        Ok(resolved)
    }
}

/// A request that names members.
pub trait NamesMembers {
    /// The members that the request names, as far as it can be read.
    fn members_mut(&mut self) -> Vec<&mut MemberId>;
}

impl<T: NamesMembers + Clone> Draft<T> {
    /// The request with the members whom its ids mean.
    #[must_use]
    pub fn resolved(&self, links: &Links) -> Self {
        let mut resolved = self.clone();
        if !links.is_empty()
            && let Some(fields) = resolved.fields_mut()
        {
            for member in fields.members_mut() {
                *member = links.resolve(*member);
            }
        }
        resolved
    }
}

impl NamesMembers for NewExpense {
    fn members_mut(&mut self) -> Vec<&mut MemberId> {
        let Self { payer, payers, splits, items, .. } = self;
        of_expense(payer, payers, splits, items)
    }
}

impl NamesMembers for Edit {
    fn members_mut(&mut self) -> Vec<&mut MemberId> {
        let Self { payer, payers, splits, items, .. } = self;
        of_expense(payer, payers, splits, items)
    }
}

fn of_expense<'a>(
    payer: &'a mut Field<MemberId>,
    payers: &'a mut Field<Vec<PayerInput>>,
    splits: &'a mut Field<Vec<SplitInput>>,
    lines: &'a mut Field<Vec<LineInput>>,
) -> Vec<&'a mut MemberId> {
    let payers = items(payers).map(|payer| &mut payer.user);
    let splits = items(splits).map(|split| &mut split.user);
    let sharers = items(lines).flat_map(|line| items(&mut line.sharers));
    let sharers = sharers.map(|sharer| &mut sharer.user);
    let all = std::iter::once(payer).chain(payers).chain(splits).chain(sharers);
    all.filter_map(Field::value_mut).collect()
}

impl NamesMembers for NewSettlement {
    fn members_mut(&mut self) -> Vec<&mut MemberId> {
        [&mut self.from, &mut self.to].into_iter().filter_map(Field::value_mut).collect()
    }
}

impl NamesMembers for BareOrWrapped<Adjustment> {
    fn members_mut(&mut self) -> Vec<&mut MemberId> {
        let amounts =
            items(&mut self.items).flat_map(|Adjustment { changes, condition, .. }| {
                items(changes).chain(condition.value_mut())
            });
        amounts.filter_map(|amount| amount.user.value_mut()).collect()
    }
}

/// The items of a list, if it can be read.
fn items<T>(list: &mut Field<Vec<T>>) -> impl Iterator<Item = &mut T> {
    list.value_mut().into_iter().flatten()
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
    use crate::ledger::{
        Entry, EntryStatus, Event, Ledger, RefType, Totals,
        tests::{actor, at, currency, group, user},
    };

    fn guest(number: u64) -> GuestId {
        GuestId::new(at(number), [1; 10])
    }

    /// An event in which the first member paid an amount that these members share.
    fn spent(name: &str, payer: MemberId, shares: &[(MemberId, i64)]) -> Event {
        let paid = shares.iter().map(|(_, owed)| owed).sum();
        let paid = Totals { paid, ..Totals::default() };
        let change = |user, totals| Change { user, currency: currency(0), totals };
        let shares = shares
            .iter()
            .map(|(user, owed)| change(*user, Totals { owed: *owed, ..Totals::default() }));
        Event {
            ref_type: RefType::Adjustment,
            entry_id: name.parse().unwrap(),
            note: None,
            changes: std::iter::once(change(payer, paid)).chain(shares).collect(),
        }
    }

    fn nets(ledger: &Ledger) -> Vec<(MemberId, i64)> {
        ledger.balances.nets(currency(0)).collect()
    }

    #[test]
    fn events_after_a_link_change_the_balance_of_the_user() {
        let (grandma, bob) = (MemberId::from(guest(1)), user(2));
        let shared = spent("dinner", user(1), &[(grandma, 30), (bob, 20)]);
        let (before, dinner): (_, Entry<()>) =
            Ledger::default().record(group(), shared, actor(1), at(0)).unwrap();
        assert_eq!(nets(&before), [(user(1), 50), (bob, -20), (grandma, -30)]);
        let (linked, link) = before.link(group(), guest(1), actor(2), actor(1), at(1)).unwrap();
        assert_eq!(
            (link.ref_type, link.linked_to, link.ref_id.clone()),
            (RefType::Link, Some(actor(2)), None)
        );
        assert_eq!(nets(&linked), [(user(1), 50), (bob, -50)]);

        // The revert of the old entry has one change of the user for both of the old ones.
        let (reverted, [was, revert]) = linked.revert(&dinner, actor(1), at(2)).unwrap();
        assert_eq!((&was.changes, was.status), (&dinner.changes, EntryStatus::Reverted));
        assert_eq!(revert.changes.len(), 2);
        assert_eq!(revert.changes[1].totals.owed, -50);
        assert_eq!(nets(&reverted), []);

        let again = spent("lunch", grandma, &[(grandma, 3), (user(1), 4)]);
        let (after, lunch): (_, Entry<()>) =
            reverted.record(group(), again, actor(1), at(3)).unwrap();
        assert_eq!(lunch.changes.len(), 2, "one of the user, who paid and shares");
        assert_eq!(nets(&after), [(user(1), -4), (bob, 4)]);

        let replayed = Ledger::default().replay([&was, &link, &revert, &lunch]).unwrap();
        assert_eq!(replayed, after);
        assert_eq!((after.expense_count, after.sequence), (0, 4));
    }

    #[test]
    fn guest_without_balances_is_linked_too() {
        let (linked, link): (_, Entry<()>) =
            Ledger::default().link(group(), guest(1), actor(2), actor(1), at(0)).unwrap();
        assert!(link.changes.is_empty());
        assert_eq!(linked.links.resolve(guest(1).into()), user(2));
        let other = MemberId::from(guest(2));
        assert_eq!(linked.links.resolve(other), other);
        assert_eq!(Ledger::default().replay([&link]).unwrap(), linked);
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
        assert!(!links(all - 1, 1).are_full_for(actor(5_000)));
        assert!(links(all, 1).are_full_for(actor(5_000)));
        assert!(!links(1, of_user - 1).are_full_for(actor(1)));
        assert!(links(1, of_user).are_full_for(actor(1)));
        assert!(!links(1, of_user).are_full_for(actor(2)));
    }
}
