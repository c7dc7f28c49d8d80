//! The transfers that settle a set of balances.

use std::cmp::Reverse;

use super::{Set, Transfer};
use crate::values::id::MemberId;

/// The transfers that settle a set: the largest debt is paid to the largest credit, so each
/// transfer closes a balance, and the last one closes two.
pub(super) fn settle(set: Set) -> Vec<Transfer> {
    let mut transfers = Vec::new();
    let (mut credits, mut debts): (Set, Set) = set.into_iter().partition(|(_, minor)| *minor > 0);
    let largest = |side: &Set| {
        let by_size =
            |(_, (user, minor)): &(usize, &(MemberId, i64))| (minor.unsigned_abs(), Reverse(*user));
        side.iter().enumerate().max_by_key(by_size).map(|(index, balance)| (index, *balance))
    };
    while let (Some((credit, (to, credited))), Some((debt, (from, owed)))) =
        (largest(&credits), largest(&debts))
    {
        let minor = credited.min(owed.saturating_neg());
        transfers.push(Transfer { from, to, minor });
        reduce(&mut credits, credit, credited.saturating_sub(minor));
        reduce(&mut debts, debt, owed.saturating_add(minor));
    }
    transfers
}

fn reduce(side: &mut Set, index: usize, left: i64) {
    if left == 0 {
        side.swap_remove(index);
    } else if let Some((_, minor)) = side.get_mut(index) {
        *minor = left;
    }
}
