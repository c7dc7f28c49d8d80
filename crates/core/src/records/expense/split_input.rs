//! Reading a split from input, and the shares of an expense.

use std::collections::BTreeSet;

use fracti_texts::rule;

use super::{Expense, Share, line_input::LineInput, members::Members};
use crate::{
    input::{
        Field, FieldErrors, Path,
        numbers::{BoundError, signed},
    },
    split::{
        PERCENT_DECIMALS, Split, SplitError, SplitType, check_exact, check_weights,
        percentage_weights, split_weight,
    },
    values::{currency::Currency, decimal::Decimal, id::MemberId, money::Money},
};

/// A member who shares an expense.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SplitInput {
    /// The member.
    pub user: Field<MemberId>,
    /// Amount of the share in major units, for an exact split.
    pub amount: Field<Decimal>,
    /// Percentage of the expense, for a percentage split.
    pub percentage: Field<Decimal>,
    /// Weight of the member, for a split by weights.
    pub weight: Field<Decimal>,
    /// Amount that the member pays more than the others, in major units, for a split with
    /// adjustments. Default: zero.
    pub adjustment: Field<Decimal>,
}

/// The members that a request names as payer and sharers, if no others are needed.
pub(super) fn named(
    payer: &Field<MemberId>,
    splits: &Field<Vec<SplitInput>>,
    items: &Field<Vec<LineInput>>,
) -> Option<BTreeSet<MemberId>> {
    let splits = splits.value();
    let items = items.value();
    let all = splits.is_none() && items.is_none();
    if all || items.into_iter().flatten().any(LineInput::is_of_all) {
        return None;
    }
    let sharers = splits.into_iter().flatten().filter_map(|split| split.user.value().copied());
    let sharers = sharers.chain(items.into_iter().flatten().flat_map(LineInput::named));
    Some(sharers.chain(payer.value().copied()).collect())
}

/// Reports `splits` of an itemized split, and `items` of any other.
pub(super) fn refuse_unused(
    split_type: Option<SplitType>,
    splits: &Field<Vec<SplitInput>>,
    items: &Field<Vec<LineInput>>,
    errors: &mut FieldErrors,
) {
    if split_type == Some(SplitType::Itemized) {
        if !splits.is_absent() {
            errors.push(
                "splits",
                rule!(
                    "{field} must not be given with splitType itemized",
                    "не указывайте {field} при splitType itemized"
                ),
            );
        }
    } else if !items.is_absent() {
        errors.push(
            "items",
            rule!(
                "{field} must be given only with splitType itemized",
                "указывайте {field} только при splitType itemized"
            ),
        );
    }
}

/// Reports the numbers in `splits` that the type of the split does not use.
pub(super) fn refuse_unused_numbers(
    split_type: Option<SplitType>,
    splits: &Field<Vec<SplitInput>>,
    errors: &mut FieldErrors,
) {
    // An itemized split has no `splits` at all.
    let Some(split_type) = split_type.filter(|it| *it != SplitType::Itemized) else { return };
    for (index, split) in splits.value().into_iter().flatten().enumerate() {
        for (field, number, user) in split.numbers() {
            if number.value().is_some() && user != split_type {
                let path = Path::from("splits").index(index).field(field);
                errors.push(
                    path,
                    rule!(
                        "{field} must be given only with splitType {user}",
                        "указывайте {field} только при splitType {user}"
                    ),
                );
            }
        }
    }
}

impl SplitInput {
    /// The numbers, each with its name and the type of split that uses it.
    const fn numbers(&self) -> [(&'static str, &Field<Decimal>, SplitType); 4] {
        [
            ("amount", &self.amount, SplitType::Exact),
            ("percentage", &self.percentage, SplitType::Percentage),
            ("weight", &self.weight, SplitType::Shares),
            ("adjustment", &self.adjustment, SplitType::Adjustment),
        ]
    }

    /// The member, with only the number that a split of this type uses.
    pub(super) fn used_by(self, split_type: SplitType) -> Self {
        let number = |number: Field<Decimal>, user| {
            if split_type == user { number } else { Field::Absent }
        };
        Self {
            user: self.user,
            amount: number(self.amount, SplitType::Exact),
            percentage: number(self.percentage, SplitType::Percentage),
            weight: number(self.weight, SplitType::Shares),
            adjustment: number(self.adjustment, SplitType::Adjustment),
        }
    }

    /// The input that gives the shares of an expense again. Percentages that were not stored, in v0
    /// rows, are replaced by the amounts that resulted from them.
    pub(super) fn of(expense: &Expense) -> (SplitType, Vec<Self>) {
        let lost = expense.splits.iter().any(|share| share.percentage.is_none());
        let split_type = match expense.split_type {
            SplitType::Percentage if lost => SplitType::Exact,
            given => given,
        };
        let input = |share: &Share| Self {
            user: Field::Value(share.user_id),
            amount: Field::Value(share.amount),
            percentage: share.percentage.into(),
            weight: share.weight.into(),
            adjustment: share.adjustment.into(),
        };
        (split_type, expense.splits.iter().map(input).collect())
    }
}

/// Context of the rules of a split. A part that is invalid itself is missing, and the rules
/// that need it are skipped.
#[derive(Clone, Copy, Debug)]
pub(super) struct SplitContext<'a> {
    pub(super) members: &'a Members<'a>,
    pub(super) currency: Option<Currency>,
    pub(super) amount: Option<Money>,
}

/// The split among `inputs`; none if they, or the type of the split, break a rule. An itemized
/// split has no such inputs.
pub(super) fn read_split(
    inputs: &[SplitInput],
    split_type: Option<SplitType>,
    context: SplitContext<'_>,
    errors: &mut FieldErrors,
) -> Option<Split> {
    let SplitContext { members, currency, amount } = context;
    let users = read_users(inputs, members, errors);
    let minor = |sign: Option<i64>| {
        move |path: Path, number, errors: &mut FieldErrors| {
            signed(path, number, currency, sign, errors).map(|money| money.minor)
        }
    };
    match split_type? {
        SplitType::Equal => users.map(Split::Equal),
        SplitType::Exact => {
            let minor = minor(amount.map(|amount| amount.minor.signum()));
            let shares = read_numbers(inputs, "amount", |it| it.amount, minor, errors)?;
            if let Some(amount) = amount {
                errors.keep("splits", check_exact(shares.iter().copied(), amount))?;
            }
            Some(Split::Exact(users?.into_iter().zip(shares).collect()))
        }
        SplitType::Percentage => {
            let check = |path: Path, number: Decimal, errors: &mut FieldErrors| {
                let percentage = if number.is_negative() {
                    Err(BoundError::Negative)
                } else if number.decimals() > PERCENT_DECIMALS {
                    Err(BoundError::TooFine(PERCENT_DECIMALS))
                } else {
                    Ok(number)
                };
                errors.keep(path, percentage)
            };
            let percentages =
                read_numbers(inputs, "percentage", |it| it.percentage, check, errors)?;
            let weights = errors.keep("splits", percentage_weights(&percentages))?;
            Some(Split::Percentage(users?.into_iter().zip(weights).collect()))
        }
        SplitType::Shares => {
            let check = |path: Path, number: Decimal, errors: &mut FieldErrors| {
                errors.keep(path, split_weight(number))
            };
            let weights = read_numbers(inputs, "weight", |it| it.weight, check, errors)?;
            errors.keep("splits", check_weights(weights.iter().copied()))?;
            Some(Split::Shares(users?.into_iter().zip(weights).collect()))
        }
        SplitType::Adjustment => {
            let given = |it: &SplitInput| match it.adjustment {
                Field::Absent => Field::Value(Decimal::ZERO),
                given => given,
            };
            let adjustments = read_numbers(inputs, "adjustment", given, minor(None), errors)?;
            Some(Split::Adjustment(users?.into_iter().zip(adjustments).collect()))
        }
        SplitType::Itemized => None,
    }
}

/// The members. Each must be listed once.
fn read_users(
    inputs: &[SplitInput],
    members: &Members<'_>,
    errors: &mut FieldErrors,
) -> Option<Vec<MemberId>> {
    if inputs.is_empty() {
        errors.push("splits", SplitError::Empty);
        return None;
    }
    let mut users = Vec::new();
    let mut seen = BTreeSet::new();
    for (index, input) in inputs.iter().enumerate() {
        let path = Path::from("splits").index(index);
        if let Some(user) = input.user.value().copied()
            && members.name(user, path.field("userId"), errors).is_some()
        {
            if seen.insert(user) {
                users.push(user);
            } else {
                errors.push(path.field("userId"), SplitError::Twice(index));
            }
        }
    }
    (users.len() == inputs.len()).then_some(users)
}

/// The numbers in a field of the inputs; none if one is missing, or if `check` returns none.
fn read_numbers<T>(
    inputs: &[SplitInput],
    field: &'static str,
    number: impl Fn(&SplitInput) -> Field<Decimal>,
    check: impl Fn(Path, Decimal, &mut FieldErrors) -> Option<T>,
    errors: &mut FieldErrors,
) -> Option<Vec<T>> {
    let read = |(index, input)| {
        let path = Path::from("splits").index(index).field(field);
        match number(input) {
            Field::Absent => {
                errors.missing(path);
                None
            }
            Field::Invalid => None,
            Field::Value(number) => check(path, number, errors),
        }
    };
    // Reads all before it collects them, so that the errors of all are reported.
    let numbers: Vec<Option<T>> = inputs.iter().enumerate().map(read).collect();
    numbers.into_iter().collect()
}

/// The result of a valid split. Reports the rule that an invalid one breaks, with the names of
/// `members`.
pub(super) fn keep_split<T>(
    split: Result<T, SplitError>,
    members: &Members<'_>,
    errors: &mut FieldErrors,
) -> Option<T> {
    let error = match split {
        Ok(split) => return Some(split),
        Err(error) => error,
    };
    let rule = error.naming(|member| members.called(member));
    match error {
        SplitError::TooMany(shares) => errors.too_many_shares(shares),
        SplitError::AdjustedShare { index, .. } => {
            errors.push(Path::from("splits").index(index).field("adjustment"), rule);
        }
        SplitError::OverNothing(index) => errors.push(Path::from("items").index(index), rule),
        SplitError::Lines { .. } | SplitError::LineWeight | SplitError::LineShare { .. } => {
            errors.push("items", rule);
        }
        SplitError::Empty
        | SplitError::Twice(_)
        | SplitError::Negative(_)
        | SplitError::Positive(_)
        | SplitError::Sum { .. }
        | SplitError::Percentages(_)
        | SplitError::TooMuch
        | SplitError::NoWeight
        | SplitError::Adjustments { .. }
        | SplitError::TooLarge
        | SplitError::OtherShares => errors.push("splits", rule),
    }
    None
}
