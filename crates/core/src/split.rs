//! How an expense is split into shares. The shares sum to the amount, and left-over minor units
//! rotate among the members.
//!
//! Every split gives each member a fixed amount and a weight, by which the rest of the expense is
//! divided. A negative expense, a refund, is split like the positive one with all amounts negated,
//! and its shares are the negated shares.

mod breakdown;
mod given;
mod items;
mod line;

use std::collections::HashSet;

use fracti_texts::{Message, Says, errors, message, rule};
use num_bigint::BigInt;
use num_integer::Integer;
use sha2::{Digest, Sha256};

use crate::{
    input::numbers::{BoundError, bounded},
    values::{
        decimal::Decimal,
        id::{ExpenseId, MemberId},
        money::Money,
    },
    words,
};

use crate::input::limits::MAX_SHARES;
pub use breakdown::{Part, PartKind, Parts};
pub use line::{Line, LineKind, LineSplit, Sharing};

use items::ExactLines;

/// Maximum number of decimals of a percentage.
pub(crate) const PERCENT_DECIMALS: u8 = 4;

/// Maximum number of decimals of a weight.
pub(crate) const WEIGHT_DECIMALS: u8 = 4;

/// Maximum weight of a member in a split by weights.
const MAX_WEIGHT: u32 = 10_000;

/// The weight of a member in a split by weights, in ten-thousandths.
pub(crate) fn split_weight(number: Decimal) -> Result<u32, BoundError> {
    let scaled = bounded(number, WEIGHT_DECIMALS, MAX_WEIGHT)?;
    u32::try_from(scaled).map_err(|_| BoundError::TooLarge(MAX_WEIGHT))
}

words! {
    /// How an expense is split.
    pub enum SplitType as "SplitType" {
        /// All shares are the same.
        Equal = "equal",
        /// By amounts that are given.
        Exact = "exact",
        /// By percentages that are given.
        Percentage = "percentage",
        /// By weights that are given.
        Shares = "shares",
        /// Equally, but for the amounts that members are to pay more or less.
        Adjustment = "adjustment",
        /// By the lines of a receipt.
        Itemized = "itemized",
    }
}

/// The weight of 100 percent.
const WHOLE: i64 = 1_000_000;

/// How an expense is split among members, who are identified by an `M`. Each member is listed once.
/// Amounts are numbers of minor units, with the sign of the expense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Split<M: Ord = MemberId> {
    /// Members with equal shares.
    Equal(Vec<M>),
    /// The share of each member; the shares sum to the amount.
    Exact(Vec<(M, i64)>),
    /// The percentage of each member, in ten-thousandths; the percentages sum to 100.
    Percentage(Vec<(M, u32)>),
    /// The weight of each member, in ten-thousandths; not all are zero.
    Shares(Vec<(M, u32)>),
    /// Amount that each member pays more than an equal part of the rest; less if it is negative.
    Adjustment(Vec<(M, i64)>),
    /// The lines of the receipt, which sum to the amount.
    Itemized(Vec<Line<i64, M>>),
}

/// The share of an expense that one member owes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UserShare {
    /// The member.
    pub user: MemberId,
    /// Amount of the share; may be zero.
    pub amount: Money,
}

/// The share of an expense whose id is not known yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PreviewedShare {
    /// The member.
    pub user: MemberId,
    /// Amount of the share.
    pub amount: Money,
    /// Amount with one minor unit more, if the id decides whether the member gets it.
    pub or: Option<Money>,
}

/// Debt of a member in the absolute amount of an expense: a fixed amount, and a part of the rest by
/// weight.
struct Claim {
    member: MemberId,
    fixed: i128,
    weight: BigInt,
}

/// Error returned for an invalid split. An index is a position in the input, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SplitError {
    /// There are no members.
    Empty,
    /// There are more shares than one transaction can write.
    TooMany(usize),
    /// A member is listed twice.
    Twice(usize),
    /// A percentage, a weight, or an amount of a positive expense is negative.
    Negative(usize),
    /// An amount of a negative expense is positive.
    Positive(usize),
    /// The exact shares do not sum to the amount.
    Sum {
        /// Sum of the shares, in minor units.
        sum: i128,
        /// Amount of the expense.
        amount: Money,
    },
    /// The percentages do not sum to 100. The value is their sum, in ten-thousandths.
    Percentages(i128),
    /// The percentages are too large to be added up.
    TooMuch,
    /// No weight is above zero.
    NoWeight,
    /// The adjustments exceed the amount.
    Adjustments {
        /// Sum of the adjustments, in minor units.
        sum: i128,
        /// Amount of the expense.
        amount: Money,
    },
    /// With its adjustment, the share of a member would have the opposite sign of the amount.
    AdjustedShare {
        /// Position of the member.
        index: usize,
        /// The member.
        member: MemberId,
        /// Amount of the expense.
        amount: Money,
    },
    /// With discounts, the share of a member would have the opposite sign of the amount.
    LineShare {
        /// The member.
        member: MemberId,
        /// Amount of the expense.
        amount: Money,
    },
    /// The lines do not sum to the amount.
    Lines {
        /// Sum of the lines, in minor units.
        sum: i128,
        /// Amount of the expense.
        amount: Money,
    },
    /// A weight of a line is negative or has too many decimals.
    LineWeight,
    /// A share does not fit. It always does if the shares sum to the amount.
    TooLarge,
    /// The items that a line applies to sum to zero.
    OverNothing(usize),
    /// The given shares do not follow from the split.
    OtherShares,
}

impl Says for SplitError {
    #[expect(clippy::too_many_lines, reason = "a message each")]
    fn says(&self) -> Message {
        match self {
            Self::Empty => rule!("{field} must not be empty", "{field} не должно быть пустым"),
            Self::TooMany(count) => message!(
                "an expense must have at most {MAX_SHARES} splits and further payers, not {count}",
                "долей и дополнительных плательщиков в расходе может быть не больше {MAX_SHARES}, \
                 а их {count}"
            ),
            Self::Twice(_) => rule!(
                "{field} must appear only once in splits",
                "{field} не должно повторяться в splits"
            ),
            Self::Negative(..) => {
                rule!("{field} must not be negative", "{field} не должно быть отрицательным")
            }
            Self::Positive(..) => rule!(
                "{field} must not be positive: the expense is negative",
                "{field} не должно быть положительным: сумма расхода отрицательна"
            ),
            Self::Sum { sum, amount } => {
                let (sum, difference, is_less) = of_amount(*sum, *amount);
                if is_less {
                    message!(
                        "the amounts sum to {sum}, {difference} less than the amount",
                        "указанные суммы складываются в {sum}, это на {difference} меньше суммы \
                         расхода"
                    )
                } else {
                    message!(
                        "the amounts sum to {sum}, {difference} more than the amount",
                        "указанные суммы складываются в {sum}, это на {difference} больше суммы \
                         расхода"
                    )
                }
            }
            Self::Percentages(sum) => {
                let (sum, difference, is_less) =
                    difference(*sum, WHOLE.into(), |weight| Decimal::new(weight, PERCENT_DECIMALS));
                if is_less {
                    message!(
                        "the percentages sum to {sum}, {difference} less than 100",
                        "сумма процентов — {sum}, это на {difference} меньше 100"
                    )
                } else {
                    message!(
                        "the percentages sum to {sum}, {difference} more than 100",
                        "сумма процентов — {sum}, это на {difference} больше 100"
                    )
                }
            }
            Self::TooMuch => {
                message!("the percentages must sum to 100", "сумма процентов должна быть равна 100")
            }
            Self::NoWeight => {
                message!("weights must not all be 0", "хотя бы один вес должен быть больше 0")
            }
            Self::Adjustments { sum, amount } => {
                let (sum, difference, is_less) = of_amount(*sum, *amount);
                if is_less {
                    message!(
                        "the adjustments sum to {sum}, {difference} less than the amount",
                        "сумма поправок — {sum}, это на {difference} меньше суммы расхода"
                    )
                } else {
                    message!(
                        "the adjustments sum to {sum}, {difference} more than the amount",
                        "сумма поправок — {sum}, это на {difference} больше суммы расхода"
                    )
                }
            }
            Self::AdjustedShare { amount, .. } | Self::LineShare { amount, .. } => {
                wrong_share("a member", *amount)
            }
            Self::Lines { sum, amount } => {
                let (sum, difference, is_less) = of_amount(*sum, *amount);
                if is_less {
                    message!(
                        "the lines sum to {sum}, {difference} less than the amount",
                        "сумма строк — {sum}, это на {difference} меньше суммы расхода"
                    )
                } else {
                    message!(
                        "the lines sum to {sum}, {difference} more than the amount",
                        "сумма строк — {sum}, это на {difference} больше суммы расхода"
                    )
                }
            }
            Self::LineWeight => message!(
                "weights must not be negative, and must have at most {WEIGHT_DECIMALS} decimals",
                "веса не должны быть отрицательными, а знаков после запятой в них должно быть не \
                 больше {WEIGHT_DECIMALS}"
            ),
            Self::TooLarge => message!(
                "a share must not exceed the amount",
                "доля не должна превышать сумму расхода"
            ),
            Self::OverNothing(..) => message!(
                "the lines it applies to sum to 0",
                "сумма строк, к которым она относится, равна 0"
            ),
            Self::OtherShares => message!(
                "the amounts do not follow from the split",
                "суммы не соответствуют способу деления"
            ),
        }
    }
}

errors!(SplitError);

/// A member's share that has the opposite sign of the amount.
fn wrong_share(member: &str, amount: Money) -> Message {
    if amount.minor < 0 {
        message!(
            "{member}'s share would be positive: the expense is negative",
            "доля участника {member} получилась бы положительной, а сумма расхода отрицательна"
        )
    } else {
        message!(
            "{member}'s share would be negative",
            "доля участника {member} получилась бы отрицательной"
        )
    }
}

impl SplitError {
    /// The message, in which a member has the name that `name_of` gives.
    pub(crate) fn naming(self, name_of: impl Fn(MemberId) -> String) -> Message {
        match self {
            Self::AdjustedShare { member, amount, .. } | Self::LineShare { member, amount } => {
                wrong_share(&name_of(member), amount)
            }
            _ => self.says(),
        }
    }
}

/// The sum and its difference from the amount, and whether it is less.
fn of_amount(sum: i128, amount: Money) -> (Decimal, Decimal, bool) {
    difference(sum, amount.minor.into(), |minor| amount.currency.to_major(minor))
}

/// The sum and its difference from the expected one, and whether it is less.
#[expect(clippy::arithmetic_side_effects, reason = "a sum of at most 2^16 `i64`, minus an `i64`")]
fn difference(
    sum: i128,
    expected: i128,
    number: impl Fn(i128) -> Decimal,
) -> (Decimal, Decimal, bool) {
    let difference = sum - expected;
    (number(sum), number(difference.abs()), difference < 0)
}

/// The weights of percentages, which must sum to 100.
pub(crate) fn percentage_weights(percentages: &[Decimal]) -> Result<Vec<u32>, SplitError> {
    let weights: Option<Vec<i128>> =
        percentages.iter().map(|percentage| percentage.at_scale(PERCENT_DECIMALS)).collect();
    let weights = weights.ok_or(SplitError::TooMuch)?;
    let sum = weights.iter().try_fold(0_i128, |sum, weight| sum.checked_add(*weight));
    check_percentages(sum.ok_or(SplitError::TooMuch)?)?;
    let weight = |(index, weight)| u32::try_from(weight).map_err(|_| SplitError::Negative(index));
    weights.into_iter().enumerate().map(weight).collect()
}

fn check_percentages(sum: i128) -> Result<(), SplitError> {
    if sum == WHOLE.into() { Ok(()) } else { Err(SplitError::Percentages(sum)) }
}

/// Checks that not all weights are zero.
pub(crate) fn check_weights(weights: impl IntoIterator<Item = u32>) -> Result<(), SplitError> {
    if weights.into_iter().any(|weight| weight > 0) { Ok(()) } else { Err(SplitError::NoWeight) }
}

/// Checks that exact shares sum to the amount.
pub(crate) fn check_exact(
    shares: impl Iterator<Item = i64>,
    amount: Money,
) -> Result<(), SplitError> {
    let sum = shares.map(i128::from).sum();
    if sum == amount.minor.into() { Ok(()) } else { Err(SplitError::Sum { sum, amount }) }
}

/// Checks that adjustments leave an amount that is not of the opposite sign, and that no share is.
#[expect(
    clippy::arithmetic_side_effects,
    reason = "sums and products of `i64` and a number of members fit into an `i128`"
)]
fn check_adjustments(adjustments: &[(MemberId, i64)], amount: Money) -> Result<(), SplitError> {
    let sign = i128::from(amount.minor.signum());
    let sum: i128 = adjustments.iter().map(|(_, minor)| i128::from(*minor)).sum();
    let rest = (i128::from(amount.minor) - sum) * sign;
    if rest < 0 {
        return Err(SplitError::Adjustments { sum, amount });
    }
    for (index, (member, minor)) in adjustments.iter().enumerate() {
        // The exact share times the number of members, so that rounding does not decide.
        let members = adjustments.len() as i128;
        if i128::from(*minor) * sign * members + rest < 0 {
            return Err(SplitError::AdjustedShare { index, member: *member, amount });
        }
    }
    Ok(())
}

/// Checks that lines sum to the amount.
fn check_lines(lines: &[Line<i64>], amount: Money) -> Result<(), SplitError> {
    let sum = sum_of_lines(lines);
    if sum == amount.minor.into() { Ok(()) } else { Err(SplitError::Lines { sum, amount }) }
}

/// The sum of lines, discounts subtracted, in minor units.
pub(crate) fn sum_of_lines(lines: &[Line<i64>]) -> i128 {
    let signed = |line: &Line<i64>| {
        let amount = i128::from(line.amount);
        if line.kind.takes_off() { amount.saturating_neg() } else { amount }
    };
    lines.iter().map(signed).sum()
}

impl<M: Ord> Split<M> {
    /// The type of the split, without its members.
    #[must_use]
    pub const fn split_type(&self) -> SplitType {
        match self {
            Self::Equal(_) => SplitType::Equal,
            Self::Exact(_) => SplitType::Exact,
            Self::Percentage(_) => SplitType::Percentage,
            Self::Shares(_) => SplitType::Shares,
            Self::Adjustment(_) => SplitType::Adjustment,
            Self::Itemized(_) => SplitType::Itemized,
        }
    }

    /// The same split with each member replaced by `of`; `None` if `of` returns `None`, or the same
    /// member for two sharers of one line. Elsewhere, a member may then be listed twice, which
    /// [`Split::check`] refuses.
    #[must_use]
    pub fn among<N: Ord>(self, of: impl Fn(M) -> Option<N>) -> Option<Split<N>> {
        let numbered = |(member, number)| Some((of(member)?, number));
        let weighted = |(member, weight)| Some((of(member)?, weight));
        Some(match self {
            Self::Equal(members) => {
                Split::Equal(members.into_iter().map(&of).collect::<Option<_>>()?)
            }
            Self::Exact(amounts) => {
                Split::Exact(amounts.into_iter().map(numbered).collect::<Option<_>>()?)
            }
            Self::Percentage(weights) => {
                Split::Percentage(weights.into_iter().map(weighted).collect::<Option<_>>()?)
            }
            Self::Shares(weights) => {
                Split::Shares(weights.into_iter().map(weighted).collect::<Option<_>>()?)
            }
            Self::Adjustment(amounts) => {
                Split::Adjustment(amounts.into_iter().map(numbered).collect::<Option<_>>()?)
            }
            Self::Itemized(lines) => {
                let lines = lines.into_iter().map(|line| line.among(&of));
                Split::Itemized(lines.collect::<Option<_>>()?)
            }
        })
    }
}

impl Split {
    /// The same split with its members in order of id, so that splits can be compared.
    #[must_use]
    pub fn sorted(mut self) -> Self {
        match &mut self {
            Self::Equal(members) => members.sort_unstable(),
            Self::Exact(amounts) | Self::Adjustment(amounts) => amounts.sort_unstable(),
            Self::Percentage(weights) | Self::Shares(weights) => weights.sort_unstable(),
            // The order of lines counts.
            Self::Itemized(_) => {}
        }
        self
    }

    /// Checks that the split can divide `amount`.
    ///
    /// # Errors
    ///
    /// [`SplitError`] if there are no members or too many, if a member is listed twice, if numbers
    /// have the wrong sign or do not add up, or if a share would have the wrong sign.
    pub fn check(&self, amount: Money) -> Result<(), SplitError> {
        self.claims(amount).map(|_| ())
    }

    /// The claims of the members to the absolute amount. No weight is negative.
    fn claims(&self, amount: Money) -> Result<Vec<Claim>, SplitError> {
        let sign = i128::from(amount.minor.signum());
        let mirrored = |minor: i64| i128::from(minor).saturating_mul(sign);
        let claim = |member: &MemberId, weight| Claim { member: *member, fixed: 0, weight };
        let claims: Vec<Claim> = match self {
            Self::Equal(members) => members.iter().map(|it| claim(it, 1.into())).collect(),
            Self::Exact(amounts) => {
                amounts.iter().map(|(it, minor)| claim(it, mirrored(*minor).into())).collect()
            }
            Self::Percentage(weights) | Self::Shares(weights) => {
                weights.iter().map(|(it, weight)| claim(it, (*weight).into())).collect()
            }
            Self::Adjustment(adjustments) => adjustments
                .iter()
                .map(|(it, minor)| Claim { fixed: mirrored(*minor), ..claim(it, 1.into()) })
                .collect(),
            Self::Itemized(lines) => {
                let exact = ExactLines::of(lines, amount.minor.signum())?;
                exact.shares().map(|(it, weight)| claim(&it, weight)).collect()
            }
        };
        let below_zero = |(_, claim): &(usize, &Claim)| claim.weight < BigInt::ZERO;
        if let Some((index, claim)) = claims.iter().enumerate().find(below_zero) {
            return Err(match self {
                Self::Itemized(_) => SplitError::LineShare { member: claim.member, amount },
                _ if amount.minor < 0 => SplitError::Positive(index),
                _ => SplitError::Negative(index),
            });
        }
        if claims.is_empty() {
            return Err(SplitError::Empty);
        }
        if claims.len() > MAX_SHARES {
            return Err(SplitError::TooMany(claims.len()));
        }
        let mut seen = HashSet::new();
        if let Some(index) = claims.iter().position(|claim| !seen.insert(claim.member)) {
            return Err(SplitError::Twice(index));
        }
        self.check_sum(amount).map(|()| claims)
    }

    /// Checks that the numbers of the split add up.
    fn check_sum(&self, amount: Money) -> Result<(), SplitError> {
        match self {
            Self::Equal(_) => Ok(()),
            Self::Exact(amounts) => check_exact(amounts.iter().map(|(_, minor)| *minor), amount),
            Self::Percentage(percentages) => {
                check_percentages(percentages.iter().map(|(_, part)| i128::from(*part)).sum())
            }
            Self::Shares(weights) => check_weights(weights.iter().map(|(_, weight)| *weight)),
            Self::Adjustment(adjustments) => check_adjustments(adjustments, amount),
            Self::Itemized(lines) => check_lines(lines, amount),
        }
    }

    /// Divides `amount`, which must not be zero, into shares in the order of the members; of an
    /// itemized split, in order of their ids. The shares sum to the amount exactly, and none has
    /// the opposite sign.
    ///
    /// Left-over minor units go to the members with the largest remainders, one each. Members with
    /// equal remainders are served in order of id, beginning at one that `expense` determines: the
    /// same expense always has the same shares, and over many expenses each member gets a left-over
    /// minor unit equally often.
    ///
    /// # Errors
    ///
    /// As [`Split::check`].
    ///
    /// # Example
    ///
    /// ```
    /// use fracti_core::{split::Split, values::{currency::Currency, id::UserId, money::Money}};
    ///
    /// let friends = [1, 2, 3].map(|number| UserId::new(number).unwrap().into());
    /// let dinner = "0190a1b2-0000-7000-8000-000000000001".parse().unwrap();
    /// let amount = Money { currency: Currency::TON, minor: 100 };
    /// let shares = Split::Equal(friends.to_vec()).divide(amount, dinner).unwrap();
    /// let mut minor: Vec<i64> = shares.iter().map(|share| share.amount.minor).collect();
    /// minor.sort();
    /// assert_eq!(minor, [33, 33, 34]);
    /// ```
    pub fn divide(&self, amount: Money, expense: ExpenseId) -> Result<Vec<UserShare>, SplitError> {
        apportion(self.claims(amount)?, amount, expense)
    }

    /// The shares as far as they follow without the id of the expense, in the order of the members.
    /// [`Split::divide`] gives each member one of the two amounts, for any id.
    ///
    /// # Errors
    ///
    /// As [`Split::check`].
    pub fn preview(&self, amount: Money) -> Result<Vec<PreviewedShare>, SplitError> {
        preview(self.claims(amount)?, amount)
    }
}

/// Divides `amount` among any number of members in proportion to weights, which must not be
/// negative. Left-over minor units are distributed as by [`Split::divide`].
pub(crate) fn divide_in_proportion(
    weights: &[(MemberId, i128)],
    amount: Money,
    expense: ExpenseId,
) -> Result<Vec<UserShare>, SplitError> {
    let claim = |(member, weight): &(MemberId, i128)| Claim {
        member: *member,
        fixed: 0,
        weight: (*weight).into(),
    };
    apportion(weights.iter().map(claim).collect(), amount, expense)
}

/// Divides `amount` by claims, which must not be empty.
#[expect(clippy::arithmetic_side_effects, reason = "a `BigInt` does not overflow")]
fn apportion(
    claims: Vec<Claim>,
    amount: Money,
    expense: ExpenseId,
) -> Result<Vec<UserShare>, SplitError> {
    let mut shares = rounded_down(claims, amount);
    let given: BigInt = shares.iter().map(|(_, minor, _)| minor).sum();

    let mut order: Vec<&mut (MemberId, BigInt, BigInt)> = shares.iter_mut().collect();
    order.sort_by_key(|(member, ..)| *member);
    let start = tie_break_start(expense, order.len());
    order.rotate_left(start);
    // The sort is stable, so members with equal remainders keep their order.
    order.sort_by(|(.., one), (.., other)| other.cmp(one));
    // There are fewer units left than members, because each remainder is less than one unit.
    let mut left = BigInt::from(amount.minor.unsigned_abs()) - given;
    for (_, minor, _) in order {
        if left == BigInt::ZERO {
            break;
        }
        *minor += 1;
        left -= 1;
    }
    let share = |(user, minor, _): (_, BigInt, _)| {
        let minor = i64::try_from(minor * amount.minor.signum());
        let minor = minor.map_err(|_| SplitError::TooLarge)?;
        Ok(UserShare { user, amount: Money { minor, ..amount } })
    };
    shares.into_iter().map(share).collect()
}

/// Divides `amount` by claims, which must not be empty. Of left-over minor units, those that
/// members with equal remainders would get only by the id of the expense are left open.
#[expect(clippy::arithmetic_side_effects, reason = "a `BigInt` does not overflow")]
fn preview(claims: Vec<Claim>, amount: Money) -> Result<Vec<PreviewedShare>, SplitError> {
    let shares = rounded_down(claims, amount);
    let given: BigInt = shares.iter().map(|(_, minor, _)| minor).sum();
    // Fewer than there are members.
    let left = BigInt::from(amount.minor.unsigned_abs()) - given;
    let left = usize::try_from(left).map_err(|_| SplitError::TooLarge)?;
    let mut remainders: Vec<&BigInt> = shares.iter().map(|(.., remainder)| remainder).collect();
    remainders.sort_by(|one, other| other.cmp(one));
    let last = left.checked_sub(1).and_then(|index| remainders.get(index).copied().cloned());
    let first_without = remainders.get(left).copied().cloned();
    let money = |minor: BigInt| {
        let minor = i64::try_from(minor * amount.minor.signum());
        minor.map(|minor| Money { minor, ..amount }).map_err(|_| SplitError::TooLarge)
    };
    let share = |(user, minor, remainder): (MemberId, BigInt, BigInt)| {
        let gets = last.as_ref().is_some_and(|last| remainder >= *last);
        let is_tied = gets && last == first_without && Some(&remainder) == last.as_ref();
        let more = money(&minor + 1)?;
        Ok(match (gets, is_tied) {
            (true, true) => PreviewedShare { user, amount: money(minor)?, or: Some(more) },
            (true, false) => PreviewedShare { user, amount: more, or: None },
            (false, _) => PreviewedShare { user, amount: money(minor)?, or: None },
        })
    };
    shares.into_iter().map(share).collect()
}

/// The share of each claim in the absolute amount, rounded down, and its remainder, as fractions of
/// a minor unit with the same denominator.
#[expect(clippy::arithmetic_side_effects, reason = "a `BigInt` does not overflow")]
fn rounded_down(claims: Vec<Claim>, amount: Money) -> Vec<(MemberId, BigInt, BigInt)> {
    let (rest, total) = rest_and_weight(&claims, amount);
    let rounded_down = |Claim { member, fixed, weight }: Claim| {
        let (minor, remainder) = (&rest * weight).div_mod_floor(&total);
        (member, minor + fixed, remainder)
    };
    claims.into_iter().map(rounded_down).collect()
}

/// Rest of the absolute amount after fixed amounts, and the sum of the weights by which it is
/// divided.
#[expect(clippy::arithmetic_side_effects, reason = "a `BigInt` does not overflow")]
fn rest_and_weight(claims: &[Claim], amount: Money) -> (BigInt, BigInt) {
    let fixed: BigInt = claims.iter().map(|claim| BigInt::from(claim.fixed)).sum();
    let weight: BigInt = claims.iter().map(|claim| &claim.weight).sum();
    // The sum of weights is zero only for an amount of zero, and then each share is zero.
    (BigInt::from(amount.minor.unsigned_abs()) - fixed, weight.max(1.into()))
}

/// Index, below `members`, of the member who is the first to get a left-over minor unit of
/// `expense`.
///
/// It is computed from a hash, because the ids themselves are not evenly distributed: they begin
/// with the time, and ids written by hand may differ in one digit only.
#[expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "a split has at least one member"
)]
fn tie_break_start(expense: ExpenseId, members: usize) -> usize {
    let hash: [u8; 32] = Sha256::digest(expense.as_bytes()).into();
    let first = [hash[0], hash[1], hash[2], hash[3], hash[4], hash[5], hash[6], hash[7]];
    (u64::from_be_bytes(first) % members as u64) as usize
}

#[cfg(test)]
mod tests;
