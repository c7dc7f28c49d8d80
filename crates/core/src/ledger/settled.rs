//! The condition for leaving a group and for deleting it: nothing is owed, and no payment is on its
//! way.

use super::{Ledger, Totals};
use crate::{input::Unsettled, values::id::MemberId};

impl Ledger {
    /// Checks that a member's balances are zero and no settlement is pending. Pending settlements
    /// must be counted.
    ///
    /// # Errors
    ///
    /// Reasons that keep the member from leaving.
    pub fn check_settled(&self, member: MemberId) -> Result<(), Unsettled> {
        let net = |currency| (currency, self.balances.totals(currency, member).net());
        let open = self.balances.currencies().map(net).filter(|(_, net)| *net != 0);
        // Settlements of the time before a link name the guest.
        let pending = self.state.pending();
        let pending = pending.filter(|(id, _)| self.links.resolve(*id) == member).map(|(_, it)| it);
        let unsettled = Unsettled { balances: open.collect(), pending: pending.sum() };
        if unsettled.is_empty() { Ok(()) } else { Err(unsettled) }
    }

    /// Whether nothing in the ledger is of a member, and no settlement is pending. Pending
    /// settlements must be counted.
    #[must_use]
    pub fn is_unused_by(&self, member: MemberId) -> bool {
        let totals = |currency| self.balances.totals(currency, member);
        self.state.is_counted()
            && self.balances.currencies().all(|currency| totals(currency) == Totals::default())
            && self.state.pending().all(|(id, _)| id != member)
    }

    /// Whether a pending settlement may be between two ids of the member, which are those of guests
    /// who turned out to be them, so that [`Ledger::check_settled`] counts it twice.
    #[must_use]
    pub fn may_count_twice(&self, member: MemberId) -> bool {
        let mut own = self.state.pending().filter(|(id, _)| self.links.resolve(*id) == member);
        own.nth(1).is_some()
    }

    /// Total debt of all members in each currency, and the number of pending settlements, which the
    /// group's state must count.
    #[must_use]
    pub fn all_unsettled(&self) -> Unsettled {
        let owed = |currency| {
            let nets = self.balances.of(currency).map(|(_, totals)| totals.net());
            (currency, nets.filter(|net| *net > 0).sum())
        };
        let open = self.balances.currencies().map(owed).filter(|(_, owed)| *owed != 0);
        // Each counts for both of its parties.
        let pending: u64 = self.state.pending().map(|(_, it)| it).sum();
        Unsettled { balances: open.collect(), pending: pending.div_ceil(2) }
    }
}
