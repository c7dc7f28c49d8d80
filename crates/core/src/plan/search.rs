//! The search for the most disjoint zero-sum sets.
//!
//! Of n disjoint sets, the smallest has at most 1/n of the balances, the next one at most 1/(n - 1)
//! of the others, and so on. The sets are therefore chosen from the smallest to the largest, and a
//! larger n limits the choice to smaller sets. The last set has all remaining balances.

use std::mem::take;

use super::zero_sums::{ZeroSums, len};

/// Number of steps that choosing a set costs.
const STEPS: u64 = 8;

/// A partition of balances.
pub(super) struct Found {
    /// The sets, as masks.
    pub(super) sets: Vec<u64>,
    /// An upper bound of the number of sets.
    pub(super) most: usize,
}

/// The partition of balances that sum to zero into the most sets that are found in `steps`.
pub(super) fn search(balances: &[i128], steps: &mut u64) -> Found {
    let all = balances.iter().fold(0, |mask, _| mask << 1 | 1);
    if all == 0 {
        return Found { sets: Vec::new(), most: 0 };
    }
    let limit = limit(balances);
    let zero_sums = ZeroSums::new(balances);
    let mut search = Search { zero_sums, steps, chosen: Vec::new(), gave_up: false };
    let mut sets = Vec::new();
    while sets.len().saturating_add(1) < limit
        && search.choose(all, sets.len().saturating_add(2), 0)
    {
        sets = take(&mut search.chosen);
    }
    sets.push(sets.iter().fold(all, |rest, set| rest ^ set));
    let bound = if search.gave_up { search.zero_sums.most().min(limit) } else { 0 };
    let most = bound.max(sets.len());
    Found { sets, most }
}

/// An upper bound of the number of sets: each has a credit, a debt and a third balance.
pub(super) fn limit(balances: &[i128]) -> usize {
    let credits = balances.iter().filter(|minor| **minor > 0).count();
    let debts = balances.len().saturating_sub(credits);
    credits.min(debts).min(balances.len() / 3)
}

struct Search<'a> {
    zero_sums: ZeroSums,
    steps: &'a mut u64,
    chosen: Vec<u64>,
    /// Whether a set was not tried, so that a search without success proves nothing.
    gave_up: bool,
}

impl Search<'_> {
    /// Whether the `free` balances can be divided into the given number of `sets`. All but the last
    /// set are chosen, in the order of the list from index `from`.
    fn choose(&mut self, free: u64, sets: usize, from: usize) -> bool {
        if sets == 1 {
            return true;
        }
        let largest = len(free).checked_div(sets).unwrap_or_default();
        for index in from.. {
            let Some(set) = self.zero_sums.get(index, largest, self.steps) else { break };
            let Some(left) = self.steps.checked_sub(1) else {
                self.gave_up = true;
                return false;
            };
            *self.steps = left;
            if set & !free == 0 {
                *self.steps = left.saturating_sub(STEPS);
                let rest = self.zero_sums.without(set, free);
                self.chosen.push(free ^ rest);
                if self.choose(rest, sets.saturating_sub(1), index) {
                    return true;
                }
                self.chosen.pop();
            }
        }
        self.gave_up |= !self.zero_sums.is_complete(largest);
        false
    }
}
