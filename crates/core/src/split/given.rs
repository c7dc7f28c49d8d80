//! Checks shares against the split from which they are said to follow.

use num_bigint::BigInt;

use super::{Split, SplitError, rounded_down};
use crate::values::{id::MemberId, money::Money};

impl Split {
    /// Checks that `shares`, in minor units and in any order, are a result of dividing `amount` by
    /// the split: each is the exact share rounded down, plus one of the left-over minor units for
    /// those with the largest remainders. Which of several equal remainders get one does not
    /// matter, because it depends on the ids of the expense and of its members.
    ///
    /// # Errors
    ///
    /// As [`Split::check`]; [`SplitError::OtherShares`].
    #[expect(clippy::arithmetic_side_effects, reason = "a `BigInt` does not overflow")]
    pub fn check_shares(
        &self,
        amount: Money,
        shares: &[(MemberId, i64)],
    ) -> Result<(), SplitError> {
        let mut exact = rounded_down(self.claims(amount)?, amount);
        exact.sort_unstable_by_key(|(member, ..)| *member);
        let mut shares = shares.to_vec();
        shares.sort_unstable();
        let members = exact.iter().map(|(member, ..)| member);
        let is_of_all = members.eq(shares.iter().map(|(member, _)| member));
        let sum: i128 = shares.iter().map(|(_, minor)| i128::from(*minor)).sum();
        if !is_of_all || sum != amount.minor.into() {
            return Err(SplitError::OtherShares);
        }
        let mut with = Vec::new();
        let mut without = Vec::new();
        for ((_, minor, remainder), (_, share)) in exact.into_iter().zip(shares) {
            let left_over = BigInt::from(share) * amount.minor.signum() - minor;
            if left_over == BigInt::ZERO {
                without.push(remainder);
            } else if left_over == 1.into() {
                with.push(remainder);
            } else {
                return Err(SplitError::OtherShares);
            }
        }
        match (with.into_iter().min(), without.into_iter().max()) {
            (Some(with), Some(without)) if with < without => Err(SplitError::OtherShares),
            _ => Ok(()),
        }
    }
}
