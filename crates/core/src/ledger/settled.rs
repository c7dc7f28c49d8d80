//! The condition for leaving a group: nothing is owed, and no payment is on its way.

use super::Ledger;
use crate::{id::MemberId, input::Unsettled};

impl Ledger {
    /// Checks that a member's balances are zero and no settlement is pending. Pending settlements
    /// must be counted.
    ///
    /// # Errors
    ///
    /// What keeps the member from leaving.
    pub fn check_settled(&self, member: MemberId) -> Result<(), Unsettled> {
        let net = |currency| (currency, self.balances.totals(currency, member).net());
        let open = self.balances.currencies().map(net).filter(|(_, net)| *net != 0);
        // Settlements of the time before a link name the guest.
        let pending = self.state.pending();
        let pending = pending.filter(|(id, _)| self.links.resolve(*id) == member).map(|(_, it)| it);
        let unsettled = Unsettled { balances: open.collect(), pending: pending.sum() };
        if unsettled.balances.is_empty() && unsettled.pending == 0 {
            return Ok(());
        }
        Err(unsettled)
    }
}
