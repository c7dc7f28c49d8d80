//! Sorted sums of balances.

/// The maximum number of balances to sum.
pub(super) const MAX: usize = u32::BITS as usize;

/// Number of steps that a sum costs. It is stored and sorted, and has 16 bytes.
const STEPS: u64 = 8;

/// A sum of balances: its total, and in the lower 32 bits a mask of the balances. Adding two sums
/// of different balances adds both parts, and sums are ordered by their totals.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Sum(i128);

impl Sum {
    pub(super) const fn total(self) -> i128 {
        self.0 >> u32::BITS
    }

    pub(super) fn mask(self) -> u64 {
        u64::try_from(self.0 & i128::from(u32::MAX)).unwrap_or_default()
    }

    const fn plus(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }
}

/// The sums of some balances, by the number of balances in a sum.
///
/// Equal neighbours are interchangeable, so a sum includes the first of them.
pub(super) struct SubsetSums {
    balances: Vec<Sum>,
    /// Mask of the balances that equal the one before.
    repeated: u64,
    by_size: Vec<Vec<Sum>>,
}

impl SubsetSums {
    /// The sums of at most [`MAX`] balances, each below 2^90.
    pub(super) fn new(balances: &[i128]) -> Self {
        let sum = |(bit, balance): (usize, &i128)| Sum(balance << u32::BITS | 1 << bit);
        let equal = balances.array_windows().map(|[one, next]| u64::from(one == next));
        Self {
            balances: balances.iter().enumerate().map(sum).collect(),
            repeated: equal.rev().fold(0, |mask, equal| (mask | equal) << 1),
            by_size: vec![vec![Sum(0)]],
        }
    }

    /// The sums of up to `size` balances, by their number. `None` if it would take more than the
    /// `steps` that are left.
    pub(super) fn up_to(&mut self, size: usize, steps: &mut u64) -> Option<&[Vec<Sum>]> {
        while self.by_size.len() <= size {
            let shorter = self.by_size.last()?;
            // Exact if no neighbours are equal: a sum of n balances extends n sums of n - 1
            // balances.
            let others = self.balances.len().saturating_sub(self.by_size.len()).saturating_add(1);
            let expected = shorter.len().saturating_mul(others).checked_div(self.by_size.len())?;
            if STEPS.saturating_mul(expected.try_into().ok()?) > *steps {
                return None;
            }
            let mut sums = Vec::with_capacity(expected);
            for sum in shorter {
                let mask = sum.mask();
                let after = u64::BITS.saturating_sub(mask.leading_zeros()) as usize;
                for (bit, balance) in self.balances.iter().enumerate().skip(after) {
                    // A balance that equals the one before is added only after that one.
                    if (self.repeated & !(mask << 1)) >> bit & 1 == 0 {
                        *steps = steps.checked_sub(STEPS)?;
                        sums.push(sum.plus(*balance));
                    }
                }
            }
            sums.sort_unstable();
            self.by_size.push(sums);
        }
        self.by_size.get(..=size)
    }
}
