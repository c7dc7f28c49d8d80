//! Selects the balances that a response shows, so that its size is bounded.

use std::collections::BTreeSet;

use super::Ledger;
use crate::values::{currency::Currency, id::MemberId};

/// Maximum number of balances in a response before zeros are left out. Each is of one member in one
/// currency.
pub const MAX_SHOWN: usize = 5_000;

/// The balances of a ledger that are shown: those of every member in every currency of the ledger
/// and in the group's currency. If they are more than [`MAX_SHOWN`], a member without totals in a
/// currency is left out there, except in the group's currency.
#[derive(Clone, Debug)]
pub struct Shown<'a> {
    ledger: &'a Ledger,
    own: Currency,
    currencies: BTreeSet<Currency>,
    members: usize,
}

impl<'a> Shown<'a> {
    /// Selects the balances of `ledger`, of a group with this number of members. `own` is the
    /// group's currency.
    #[must_use]
    pub fn of(ledger: &'a Ledger, own: Currency, members: usize) -> Self {
        let currencies = ledger.balances.currencies().chain([own]).collect();
        Self { ledger, own, currencies, members }
    }

    /// The currencies in which a member's balance is shown, by code.
    pub fn currencies(&self, user: MemberId) -> impl Iterator<Item = Currency> + '_ {
        let zeros_too = self.all() <= MAX_SHOWN;
        let shown = move |currency: &Currency| {
            zeros_too || *currency == self.own || self.ledger.balances.has(*currency, user)
        };
        self.currencies.iter().copied().filter(shown)
    }

    /// Maximum number of balances that are shown.
    #[must_use]
    pub fn count(&self) -> usize {
        match self.all() {
            all if all <= MAX_SHOWN => all,
            _ => self.ledger.balances.count().saturating_add(self.members),
        }
    }

    fn all(&self) -> usize {
        self.currencies.len().saturating_mul(self.members)
    }
}
