//! The breakdown of an expense: how each share follows from the split.

use num_bigint::BigInt;
use num_integer::Integer;

use super::{
    Split, SplitError, WEIGHT_DECIMALS,
    items::ExactLines,
    line::{Line, LineKind},
    rest_and_weight,
};
use crate::{
    values::{decimal::Decimal, id::MemberId, money::Money, text::LineName},
    words,
};

words! {
    /// Kind of a part of a share: the type of the split, or the kind of the line.
    pub enum PartKind as "PartKind" {
        /// An equal part of the amount, or of what adjustments leave of it.
        Equal = "equal",
        /// The amount that was given.
        Exact = "exact",
        /// A percentage of the amount.
        Percentage = "percentage",
        /// A part of the amount by weight.
        Shares = "shares",
        /// The adjustment that was given.
        Adjustment = "adjustment",
        /// A part of an item.
        Item = "item",
        /// A part of a tax.
        Tax = "tax",
        /// A part of a tip.
        Tip = "tip",
        /// A part of a fee.
        Fee = "fee",
        /// A part of a discount.
        Discount = "discount",
    }
}

/// A part of a member's share. The type `A` of amounts is a number of minor units (`i128`) or of
/// major units ([`Decimal`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part<A> {
    /// Kind of the part.
    pub kind: PartKind,
    /// Index of the line, and its name.
    pub line: Option<(usize, LineName)>,
    /// Amount that was divided.
    pub of: Option<A>,
    /// Weight or percentage of the member.
    pub weight: Option<Decimal>,
    /// Exact amount of the part, rounded down; of a negative expense, the negated amount is.
    pub amount: A,
}

/// The parts of each member's share, in minor units.
pub type Parts = Vec<(MemberId, Vec<Part<i128>>)>;

impl<A> Part<A> {
    /// A part known only by its amount.
    pub const fn new(kind: PartKind, amount: A) -> Self {
        Self { kind, line: None, of: None, weight: None, amount }
    }

    /// The same part with other amounts.
    pub fn map<B>(self, number: impl Fn(A) -> B) -> Part<B> {
        let Self { kind, line, of, weight, amount } = self;
        Part { kind, line, of: of.map(&number), weight, amount: number(amount) }
    }
}

/// A number of minor units. It always fits if the shares sum to the amount.
fn minor(number: &BigInt) -> Result<i128, SplitError> {
    number.try_into().map_err(|_| SplitError::TooLarge)
}

impl Split {
    /// The parts of each member's share, which explain it. Each part is rounded down, so the share
    /// exceeds their sum by at most one minor unit for each part. Of a negative expense, the parts
    /// are those of the positive one, negated.
    ///
    /// # Errors
    ///
    /// As [`Split::check`].
    #[expect(clippy::arithmetic_side_effects, reason = "a `BigInt` does not overflow")]
    pub fn parts(&self, amount: Money) -> Result<Parts, SplitError> {
        let claims = self.claims(amount)?;
        let (kind, weights) = match self {
            Self::Equal(_) | Self::Adjustment(_) => (PartKind::Equal, None),
            Self::Exact(_) => (PartKind::Exact, None),
            Self::Percentage(weights) => (PartKind::Percentage, Some(weights)),
            Self::Shares(weights) => (PartKind::Shares, Some(weights)),
            Self::Itemized(lines) => return of_lines(lines, amount),
        };
        let sign = amount.minor.signum();
        let (rest, total) = rest_and_weight(&claims, amount);
        let of = minor(&(&rest * sign))?;
        let mut all = Vec::new();
        for (index, claim) in claims.into_iter().enumerate() {
            let mut parts = Vec::new();
            if matches!(self, Self::Adjustment(_)) {
                let fixed = BigInt::from(claim.fixed) * sign;
                parts.push(Part::new(PartKind::Adjustment, minor(&fixed)?));
            }
            let divided = (&rest * claim.weight).div_floor(&total) * sign;
            let weight = weights.and_then(|weights| weights.get(index));
            parts.push(Part {
                of: (kind != PartKind::Exact).then_some(of),
                weight: weight.map(|(_, weight)| Decimal::new((*weight).into(), WEIGHT_DECIMALS)),
                ..Part::new(kind, minor(&divided)?)
            });
            all.push((claim.member, parts));
        }
        Ok(all)
    }
}

/// The parts of each member in the lines of an expense.
#[expect(clippy::arithmetic_side_effects, reason = "a `BigInt` does not overflow")]
fn of_lines(lines: &[Line<i64>], amount: Money) -> Result<Parts, SplitError> {
    let sign = amount.minor.signum();
    let ExactLines { parts, denominator } = ExactLines::of(lines, sign)?;
    let part = |member: MemberId, index: usize, exact: &BigInt| {
        let Some(line) = lines.get(index) else { return Ok(None) };
        let weight = line.sharers().find(|(sharer, _)| *sharer == member);
        let kind = match line.kind {
            LineKind::Item => PartKind::Item,
            LineKind::Tax => PartKind::Tax,
            LineKind::Tip => PartKind::Tip,
            LineKind::Fee => PartKind::Fee,
            LineKind::Discount => PartKind::Discount,
        };
        Ok(Some(Part {
            line: Some((index, line.name.clone())),
            of: Some(line.amount.into()),
            weight: weight.map(|(_, weight)| weight),
            ..Part::new(kind, minor(&(exact.div_floor(&denominator) * sign))?)
        }))
    };
    let member = |(member, exact): (MemberId, Vec<(usize, BigInt)>)| {
        let parts =
            exact.iter().filter_map(|(index, exact)| part(member, *index, exact).transpose());
        Ok((member, parts.collect::<Result<_, _>>()?))
    };
    parts.into_iter().map(member).collect()
}
