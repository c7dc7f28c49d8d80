//! The debts of a group: the members they concern, and the payments that settle them.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use fracti_texts::{Message, rule};

use crate::{
    group::Member,
    input::Error,
    ledger::{Balances, Ledger, LedgerError},
    plan::{Plan, plans},
    records::settlement::Settlement,
    values::currency::Currency,
};

/// Rule for `pending` in a group whose pending settlements the ledger could not take.
fn too_large() -> Message {
    rule!(
        "{field} must be left out, because the balances after all pending settlements would exceed \
         the limits of the ledger",
        "не указывайте {field}: после всех ожидающих расчётов балансы превысили бы пределы журнала"
    )
}

/// The debts of a group.
#[derive(Clone, Debug)]
pub struct Debts<'a> {
    /// Members who are present or have a balance, without linked guests, in the order of the group.
    pub members: Vec<&'a Member>,
    /// The payments that settle each currency that has balances.
    pub plans: BTreeMap<Currency, Plan>,
}

impl<'a> Debts<'a> {
    /// The debts according to a ledger. If there are `pending` settlements, the plan takes them as
    /// completed.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if the ledger could not take all of them.
    pub fn of(
        members: &'a [Member],
        ledger: &Ledger,
        pending: Option<&[Settlement]>,
    ) -> Result<Self, Error> {
        let planned = match pending {
            None => Cow::Borrowed(&ledger.balances),
            Some(pending) => Cow::Owned(
                completed(ledger, pending).map_err(|_| Error::invalid("pending", too_large()))?,
            ),
        };
        let has_balance = |member: &Member| {
            ledger.balances.currencies().any(|it| ledger.balances.totals(it, member.id).net() != 0)
        };
        let unlinked = members.iter().filter(|member| member.linked_to.is_none());
        let members = unlinked.filter(|it| it.is_present() || has_balance(it)).collect();
        let open: BTreeSet<Currency> = planned.currencies().collect();
        let plans = plans(open.iter().map(|currency| (*currency, planned.nets(*currency))));
        Ok(Self { members, plans })
    }

    /// Whether the plans of all currencies are known to be the shortest ones.
    #[must_use]
    pub fn is_optimal(&self) -> bool {
        self.plans.values().all(|plan| plan.optimal)
    }
}

/// The balances after all pending settlements.
fn completed(ledger: &Ledger, pending: &[Settlement]) -> Result<Balances, LedgerError> {
    let mut changes = Vec::new();
    for settlement in pending {
        // One of the time before a link names the guest, and the amount in a v0 row may be finer
        // than a minor unit.
        let Settlement { amount, currency, .. } = *settlement;
        let amount = amount.rounded(currency.exponent());
        let whole = Settlement { amount, ..settlement.resolved(&ledger.links) };
        changes.extend(whole.event()?.changes);
    }
    ledger.balances.after(&changes)
}
