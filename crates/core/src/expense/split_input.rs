//! Reading a split from input, and the shares of an expense.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use super::{Expense, Share};
use crate::{
    currency::Currency,
    decimal::Decimal,
    group::{MEMBER_RULE, Member},
    id::{ExpenseId, MemberId},
    input::{Field, FieldErrors, Path},
    money::Money,
    split::{
        PERCENT_DECIMALS, Split, SplitError, SplitType, UserShare, check_exact, percentage_weights,
    },
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
}

/// The users that a request names as payer and sharers, if it names the sharers.
pub(super) fn named(
    payer: &Field<MemberId>,
    splits: &Field<Vec<SplitInput>>,
) -> Option<BTreeSet<MemberId>> {
    let sharers = splits.value()?.iter().filter_map(|split| split.user.value());
    Some(sharers.chain(payer.value()).copied().collect())
}

/// The members of a group, by whose names a client's ids are checked.
#[derive(Clone, Debug)]
pub(super) struct Members<'a>(BTreeMap<MemberId, &'a str>);

impl<'a> Members<'a> {
    pub(super) fn of(members: &'a [Member]) -> Self {
        Self(members.iter().map(|member| (member.id, member.name.as_str())).collect())
    }

    /// The split among all members.
    pub(super) fn equal_split(&self) -> Split {
        Split::Equal(self.0.keys().copied().collect())
    }

    /// The name of the member at `path`.
    pub(super) fn name(
        &self,
        user: MemberId,
        path: impl Into<Path>,
        errors: &mut FieldErrors,
    ) -> Option<String> {
        let name = self.0.get(&user).map(|name| (*name).to_owned());
        errors.keep(path, name.ok_or(MEMBER_RULE))
    }

    /// The shares of an expense of `amount`.
    pub(super) fn shares(
        &self,
        split: &Split,
        amount: Money,
        id: ExpenseId,
    ) -> Result<Vec<Share>, SplitError> {
        let share = |part: UserShare| Share {
            user_id: part.user,
            user_name: self.0.get(&part.user).copied().unwrap_or_default().to_owned(),
            amount: part.amount.to_major(),
            percentage: part.percentage,
        };
        Ok(split.divide(amount, id)?.into_iter().map(share).collect())
    }
}

impl SplitInput {
    /// The input that gives the shares of an expense again. Percentages that were not stored, in v0
    /// rows, are replaced by the amounts that resulted from them.
    pub(super) fn of(expense: &Expense) -> (SplitType, Vec<Self>) {
        let lost = expense.splits.iter().any(|share| share.percentage.is_none());
        let split_type = match expense.split_type {
            SplitType::Percentage if lost => SplitType::Exact,
            given @ (SplitType::Equal | SplitType::Exact | SplitType::Percentage) => given,
        };
        let input = |share: &Share| Self {
            user: Field::Value(share.user_id),
            amount: Field::Value(share.amount),
            percentage: share.percentage.map_or(Field::Absent, Field::Value),
        };
        (split_type, expense.splits.iter().map(input).collect())
    }
}

/// The split among `inputs`; none if they, or the type of the split, break a rule. An `amount` or a
/// `currency` that is invalid itself is missing, and the rules that need it are skipped.
pub(super) fn read_split(
    inputs: &[SplitInput],
    split_type: Option<SplitType>,
    members: &Members<'_>,
    currency: Option<Currency>,
    amount: Option<Money>,
    errors: &mut FieldErrors,
) -> Option<Split> {
    let users = read_users(inputs, members, errors);
    match split_type? {
        SplitType::Equal => users.map(Split::Equal),
        SplitType::Exact => {
            let to_minor = |_, number| Some(currency?.to_minor(number));
            let shares = read_numbers(inputs, "amount", |it| it.amount, to_minor, errors)?;
            if let Some(amount) = amount {
                errors.keep("splits", check_exact(shares.iter().copied(), amount))?;
            }
            Some(Split::Exact(users?.into_iter().zip(shares).collect()))
        }
        SplitType::Percentage => {
            let check = |index, number: Decimal| {
                let too_fine = number.decimals() > PERCENT_DECIMALS;
                Some(if too_fine { Err(SplitError::TooFine(index)) } else { Ok(number) })
            };
            let percentages =
                read_numbers(inputs, "percentage", |it| it.percentage, check, errors)?;
            let weights = errors.keep("splits", percentage_weights(&percentages))?;
            Some(Split::Percentage(users?.into_iter().zip(weights).collect()))
        }
    }
}

/// The members, each of whom must be listed once. Numbers are checked as well that the type of the
/// split does not use: none may be negative.
fn read_users(
    inputs: &[SplitInput],
    members: &Members<'_>,
    errors: &mut FieldErrors,
) -> Option<Vec<MemberId>> {
    if inputs.is_empty() {
        errors.push("splits", SplitError::Empty);
        return None;
    }
    let (mut users, mut seen) = (Vec::new(), BTreeSet::new());
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
        for (field, number) in [("amount", &input.amount), ("percentage", &input.percentage)] {
            if number.value().is_some_and(|number| number.is_negative()) {
                errors.push(path.field(field), SplitError::Negative(index));
            }
        }
    }
    (users.len() == inputs.len()).then_some(users)
}

/// The numbers in a field of the inputs; none if one is missing or breaks a rule. A `check` without
/// a result needs something that is invalid itself.
fn read_numbers<T, E: fmt::Display>(
    inputs: &[SplitInput],
    field: &'static str,
    number: impl Fn(&SplitInput) -> Field<Decimal>,
    check: impl Fn(usize, Decimal) -> Option<Result<T, E>>,
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
            // Reported together with the members.
            Field::Value(number) if number.is_negative() => None,
            Field::Value(number) => errors.keep(path, check(index, number)?),
        }
    };
    // Reads all before it collects them, so that the errors of all are reported.
    let numbers: Vec<Option<T>> = inputs.iter().enumerate().map(read).collect();
    numbers.into_iter().collect()
}

/// The result of a valid split. Reports the rule that an invalid one breaks.
pub(super) fn keep_split<T>(split: Result<T, SplitError>, errors: &mut FieldErrors) -> Option<T> {
    match split {
        Err(SplitError::TooMany(shares)) => {
            errors.too_many_shares(shares);
            None
        }
        split => errors.keep("splits", split),
    }
}
