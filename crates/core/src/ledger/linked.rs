//! Changes of balances after guests have been linked to users.

use std::collections::BTreeMap;

use super::{Change, Ledger, LedgerError};

impl Ledger {
    /// The changes to the members whom the ids mean, added up for each member and currency.
    pub(crate) fn resolved(&self, changes: Vec<Change>) -> Result<Vec<Change>, LedgerError> {
        if self.links.is_empty() {
            return Ok(changes);
        }
        let mut resolved: Vec<Change> = Vec::new();
        let mut places = BTreeMap::new();
        for change in changes {
            let user = self.links.resolve(change.user);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ledger::{
            Entry, EntryStatus, Event, RefType, Totals,
            tests::{actor, at, currency, group, user},
        },
        values::id::{GuestId, MemberId},
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
            ref_created_at: None,
            note: None,
            changes: std::iter::once(change(payer, paid)).chain(shares).collect(),
        }
    }

    fn nets(ledger: &Ledger) -> Vec<(MemberId, i64)> {
        ledger.balances.nets(currency(0)).collect()
    }

    #[test]
    fn events_after_a_link_change_the_balance_of_the_user() {
        let grandma = MemberId::from(guest(1));
        let bob = user(2);
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
}
