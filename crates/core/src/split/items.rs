//! Exact part of each member in each line of a receipt.
//!
//! All parts are whole numbers over one common denominator: the least common multiple of the sums
//! of weights, times that of the numbers by which taxes, tips, fees and discounts are divided. For
//! 100 lines it has fewer than 6000 bits.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;
use num_integer::Integer;

use super::{
    SplitError, WEIGHT_DECIMALS,
    line::{Line, LineKind, LineSplit, Sharing},
};
use crate::values::{decimal::Decimal, id::MemberId};

/// The exact parts of the members in the lines of an expense.
#[derive(Debug)]
pub(super) struct ExactLines {
    /// Part of each member in each line that concerns them, in order of the lines: a number of
    /// minor units times the denominator. The part of a discount is negative.
    pub(super) parts: BTreeMap<MemberId, Vec<(usize, BigInt)>>,
    /// The common denominator of all parts.
    pub(super) denominator: BigInt,
}

/// The weights above zero of the members who share a line.
type Weights = BTreeMap<MemberId, BigInt>;

impl ExactLines {
    /// Divides lines. Their amounts are multiplied by `sign`, so that those of a negative expense
    /// become positive.
    ///
    /// # Errors
    ///
    /// [`SplitError::NoWeight`] or [`SplitError::FineWeight`] for the weights of a line;
    /// [`SplitError::OverNothing`] if the items that a line applies to sum to zero.
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "a `BigInt` does not overflow, and divisors are above zero"
    )]
    pub(super) fn of(lines: &[Line<i64>], sign: i64) -> Result<Self, SplitError> {
        let amounts: Vec<BigInt> = lines.iter().map(|it| BigInt::from(it.amount) * sign).collect();
        let weights: Vec<Weights> = lines.iter().map(weights).collect::<Result<_, _>>()?;
        let divisor = |index| divisor(index, lines, &amounts, &weights);
        let divisors: Vec<BigInt> = (0..lines.len()).map(divisor).collect::<Result<_, _>>()?;
        // A member's part of a line with sharers has the denominator `whole`. Lines that apply to
        // others divide it once more, by a divisor of `factor`.
        let mut whole = BigInt::from(1);
        let mut factor = BigInt::from(1);
        for (line, divisor) in lines.iter().zip(&divisors) {
            match line.sharing {
                Sharing::Sharers { .. } => whole = common_multiple(whole, divisor),
                Sharing::Over { .. } => factor = common_multiple(factor, divisor),
            }
        }
        let mut parts = BTreeMap::new();
        let members = lines.iter().flat_map(|line| line.sharers().map(|(member, _)| member));
        for member in members.collect::<BTreeSet<_>>() {
            let amounts_and_divisors = || amounts.iter().zip(&divisors);
            let own =
                weights.iter().map(|weights| weights.get(&member)).zip(amounts_and_divisors());
            let own: Vec<Option<BigInt>> = own
                .map(|(weight, (amount, divisor))| Some(amount * weight? * (&whole / divisor)))
                .collect();
            let part = |((index, line), (amount, divisor)): ((usize, &Line<i64>), _)| {
                let part = match &line.sharing {
                    Sharing::Sharers { .. } => own.get(index)?.as_ref()? * &factor,
                    Sharing::Over { over, split } => {
                        let items = items(lines, over.as_deref());
                        let mut items = items.filter_map(|item| own.get(item)?.as_ref()).peekable();
                        items.peek()?;
                        let has = match split {
                            LineSplit::Proportional => items.sum(),
                            LineSplit::Equal => whole.clone(),
                        };
                        has * amount * (&factor / divisor)
                    }
                };
                Some((index, if line.kind.takes_off() { -part } else { part }))
            };
            let all = lines.iter().enumerate().zip(amounts_and_divisors());
            parts.insert(member, all.filter_map(part).collect());
        }
        Ok(Self { parts, denominator: whole * factor })
    }

    /// The exact share of each member, times the denominator.
    pub(super) fn shares(&self) -> impl Iterator<Item = (MemberId, BigInt)> + '_ {
        let sum = |parts: &[(usize, BigInt)]| parts.iter().map(|(_, part)| part).sum();
        self.parts.iter().map(move |(member, parts)| (*member, sum(parts)))
    }
}

/// The least common multiple of two positive numbers. The time is linear in the length of `many`,
/// unlike that of `BigInt::lcm`.
#[expect(
    clippy::arithmetic_side_effects,
    reason = "a `BigInt` does not overflow, and divisors are above zero"
)]
fn common_multiple(many: BigInt, few: &BigInt) -> BigInt {
    let common = few.gcd(&(&many % few));
    many * (few / common)
}

/// The weights of a line that are above zero.
fn weights(line: &Line<i64>) -> Result<Weights, SplitError> {
    let weight = |(member, weight): (MemberId, Decimal)| match weight.at_scale(WEIGHT_DECIMALS) {
        Some(0) => None,
        Some(weight) if weight > 0 => Some(Ok((member, weight.into()))),
        _ => Some(Err(SplitError::LineWeight)),
    };
    line.sharers().filter_map(weight).collect()
}

/// The number, above zero, by which a line is divided: the sum of the weights of its sharers, or
/// the sum or the number of members of the items that it applies to.
fn divisor(
    index: usize,
    lines: &[Line<i64>],
    amounts: &[BigInt],
    weights: &[Weights],
) -> Result<BigInt, SplitError> {
    let (divisor, error) = match lines.get(index).map(|line| &line.sharing) {
        None | Some(Sharing::Sharers { .. }) => {
            let sharers = weights.get(index).into_iter().flat_map(Weights::values);
            (sharers.sum(), SplitError::NoWeight)
        }
        Some(Sharing::Over { over, split }) => {
            let items = items(lines, over.as_deref());
            let divisor: BigInt = match split {
                LineSplit::Proportional => items.filter_map(|item| amounts.get(item)).sum(),
                LineSplit::Equal => {
                    let members =
                        items.filter_map(|item| weights.get(item)).flat_map(Weights::keys);
                    members.collect::<BTreeSet<_>>().len().into()
                }
            };
            (divisor, SplitError::OverNothing(index))
        }
    };
    if divisor > BigInt::ZERO { Ok(divisor) } else { Err(error) }
}

/// Indexes of the items that a line applies to: those in `over`, or all.
fn items<'a>(
    lines: &'a [Line<i64>],
    over: Option<&'a [usize]>,
) -> impl Iterator<Item = usize> + 'a {
    let items = lines.iter().enumerate().filter(|(_, line)| line.kind == LineKind::Item);
    items.map(|(index, _)| index).filter(move |index| over.is_none_or(|over| over.contains(index)))
}
