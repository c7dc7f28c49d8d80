//! The sets of balances that sum to zero, smallest first.
//!
//! They are found by meeting in the middle: each set combines a sum of balances from one half with
//! the opposite sum from the other half. Equal balances are interchangeable, so sets that differ
//! only in the choice among equal balances are listed once, with the first of them.

use super::sums::{self, SubsetSums};

/// The maximum number of balances.
pub(super) const MAX: usize = 2 * sums::MAX;

/// Number of steps that a set costs. It is stored and sorted, and has 8 bytes.
const STEPS: u64 = 8;

/// Listing the sets of one size leaves 1/`RESERVED` of the steps for choosing sets.
const RESERVED: u64 = 8;

/// The sets of at least three balances that sum to zero, as masks of 64 bits.
pub(super) struct ZeroSums {
    halves: [SubsetSums; 2],
    /// Number of balances in the first half.
    middle: usize,
    /// For each balance, a mask of the balances in its half that equal it, including itself.
    equal: Vec<u64>,
    /// The sets, smallest first.
    sets: Vec<u64>,
    /// Number of balances up to which all sets are listed.
    complete: usize,
    /// Whether listing the sets of the next size took too many steps.
    stopped: bool,
}

impl ZeroSums {
    /// The sets of `balances`, at most [`MAX`]. Equal ones should be neighbours.
    pub(super) fn new(balances: &[i128]) -> Self {
        let middle = balances.len() / 2;
        let (left, right) = balances.split_at(middle);
        let equal = |half: &[i128], balance: i128| {
            half.iter().rev().fold(0, |mask, other| mask << 1 | u64::from(*other == balance))
        };
        let lefts = left.iter().map(|balance| equal(left, *balance));
        let rights = right.iter().map(|balance| equal(right, *balance) << middle);
        Self {
            halves: [SubsetSums::new(left), SubsetSums::new(right)],
            middle,
            equal: lefts.chain(rights).collect(),
            sets: Vec::new(),
            complete: 2,
            stopped: false,
        }
    }

    /// The set at `index`, if it has at most `largest` balances. It may be missing if listing the
    /// sets of its size takes too many of the `steps` that are left; that size is then not
    /// complete.
    pub(super) fn get(&mut self, index: usize, largest: usize, steps: &mut u64) -> Option<u64> {
        while index >= self.sets.len() && self.complete < largest && !self.stopped {
            let before = self.sets.len();
            let size = self.complete.saturating_add(1);
            let reserved = *steps / RESERVED;
            let mut left = steps.saturating_sub(reserved);
            if self.list(size, &mut left).is_some() {
                self.complete = size;
            } else {
                self.stopped = true;
            }
            *steps = reserved.saturating_add(left);
            self.sets.get_mut(before..)?.sort_unstable();
        }
        self.sets.get(index).copied().filter(|set| len(*set) <= largest)
    }

    /// Whether all sets of up to `size` balances are listed.
    pub(super) const fn is_complete(&self, size: usize) -> bool {
        size <= self.complete
    }

    /// The `free` balances without a listed set. Of equal balances, the last free ones are removed.
    pub(super) fn without(&self, set: u64, free: u64) -> u64 {
        bits(set).fold(free, |free, bit| {
            let last = (free & self.equals(bit)).checked_ilog2();
            free ^ last.map_or(0, |last| 1 << last)
        })
    }

    /// An upper bound of the number of disjoint sets: the number that would fit, smallest first, if
    /// all were disjoint.
    pub(super) fn most(&self) -> usize {
        let mut left = self.equal.len();
        let mut most = 0_usize;
        for set in &self.sets {
            if len(*set) > left.min(self.complete) {
                break;
            }
            let times = |bit| len(self.equals(bit)).checked_div(len(self.equals(bit) & set));
            let times = bits(*set).filter_map(times).min().unwrap_or_default();
            let times = times.min(left.checked_div(len(*set)).unwrap_or_default());
            most = most.saturating_add(times);
            left = left.saturating_sub(times.saturating_mul(len(*set)));
        }
        let larger = self.complete.saturating_add(1);
        most.saturating_add(left.checked_div(larger).unwrap_or_default())
    }

    /// A mask of the balances that equal this one in its half.
    fn equals(&self, bit: usize) -> u64 {
        self.equal.get(bit).copied().unwrap_or_default()
    }

    /// Lists the sets of one size. `None` if it takes more than the `steps` that are left.
    fn list(&mut self, size: usize, steps: &mut u64) -> Option<()> {
        let [left, right] = &mut self.halves;
        let left = left.up_to(size, steps)?;
        let right = right.up_to(size, steps)?;
        for (left, right) in left.iter().zip(right.iter().rev()) {
            let scanned = left.len().saturating_add(right.len());
            *steps = steps.checked_sub(scanned.try_into().ok()?)?;
            let mut right = right.as_slice();
            for sum in left {
                let opposite = sum.total().saturating_neg();
                while let Some((last, others)) = right.split_last()
                    && last.total() > opposite
                {
                    right = others;
                }
                for other in right.iter().rev().take_while(|other| other.total() == opposite) {
                    *steps = steps.checked_sub(STEPS)?;
                    self.sets.push(sum.mask() | other.mask() << self.middle);
                }
            }
        }
        Some(())
    }
}

/// Number of balances in a set.
pub(super) const fn len(set: u64) -> usize {
    set.count_ones() as usize
}

/// Indices of the balances in a set.
pub(super) fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set.wrapping_sub(1);
        Some(bit)
    })
}
