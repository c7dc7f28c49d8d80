//! How an expense is to be divided, and the split that results.

use std::collections::{BTreeMap, BTreeSet};

use super::{Expense, Share};
use crate::{
    currency::Currency,
    decimal::Decimal,
    group::{MEMBER_RULE, Member},
    id::{ExpenseId, UserId},
    input::{Field, FieldErrors},
    money::Money,
    split::{self, Split, SplitError, SplitType, UserShare},
};

/// A member who shares an expense.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SplitInput {
    /// The member.
    pub user: Field<UserId>,
    /// Amount of the share in major units, for an exact split.
    pub amount: Field<Decimal>,
    /// Percentage of the expense, for a percentage split.
    pub percentage: Field<Decimal>,
}

/// How an expense is to be divided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SplitRule {
    /// All members the same.
    Everybody,
    /// These members the same.
    Equal(Vec<UserId>),
    /// These percentages.
    Percentage(Vec<(UserId, Decimal)>),
    /// These amounts, in major units.
    Exact(Vec<(UserId, Decimal)>),
}

/// What a division is checked against. An amount or a currency that is invalid itself is missing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms<'a> {
    pub(super) members: &'a Members<'a>,
    pub(super) currency: Option<Currency>,
    pub(super) amount: Option<Money>,
}

/// The members of a group, by whose names a client's ids are checked.
#[derive(Clone, Debug)]
pub(super) struct Members<'a>(BTreeMap<UserId, &'a str>);

impl<'a> Members<'a> {
    pub(super) fn of(members: &'a [Member]) -> Self {
        Self(members.iter().map(|member| (member.id, member.name.as_str())).collect())
    }

    fn ids(&self) -> impl Iterator<Item = UserId> + '_ {
        self.0.keys().copied()
    }

    /// The name of the member at `path`.
    pub(super) fn name(
        &self,
        user: UserId,
        path: &str,
        errors: &mut FieldErrors,
    ) -> Option<String> {
        let name = self.0.get(&user).map(|name| (*name).to_owned());
        errors.keep(path, name.ok_or(MEMBER_RULE))
    }

    /// The shares of an expense of `amount`.
    pub(super) fn shares(&self, split: &Split, amount: Money, id: ExpenseId) -> Vec<Share> {
        let share = |part: UserShare| Share {
            user_id: part.user,
            user_name: self.0.get(&part.user).copied().unwrap_or_default().to_owned(),
            amount: part.amount.to_major(),
            percentage: part.percentage,
        };
        split.divide(amount, id).into_iter().map(share).collect()
    }
}

impl SplitInput {
    /// The input that gives a share again. Percentages that were not stored are the amounts that
    /// resulted from them.
    pub(super) fn of(expense: &Expense) -> (SplitType, Vec<Self>) {
        let lost = expense.splits.iter().any(|share| share.percentage.is_none());
        let split_type = match expense.split_type {
            SplitType::Percentage if lost => SplitType::Exact,
            split_type => split_type,
        };
        let input = |share: &Share| Self {
            user: Field::Value(share.user_id),
            amount: Field::Value(share.amount),
            percentage: share.percentage.map_or(Field::Absent, Field::Value),
        };
        (split_type, expense.splits.iter().map(input).collect())
    }

    /// The number that its part of the split depends on, and its weight in the sum of the parts.
    fn part(
        &self,
        index: usize,
        split_type: SplitType,
        currency: Option<Currency>,
        errors: &mut FieldErrors,
    ) -> Option<(Decimal, i128)> {
        let (field, number) = match split_type {
            SplitType::Equal => return Some((Decimal::ZERO, 0)),
            SplitType::Exact => ("amount", self.amount),
            SplitType::Percentage => ("percentage", self.percentage),
        };
        let path = format!("splits[{index}].{field}");
        if number.is_absent() {
            errors.missing(path);
            return None;
        }
        let number = *number.value().filter(|number| !number.is_negative())?;
        let weight = if split_type == SplitType::Exact {
            errors.keep(path, currency?.to_minor(number))?.into()
        } else {
            errors.keep(path, split::weight(number, index))?
        };
        Some((number, weight))
    }
}

impl SplitRule {
    /// How an expense is divided as it stands.
    pub(super) fn of_expense(expense: &Expense) -> Self {
        let (split_type, inputs) = SplitInput::of(expense);
        let parts = inputs.iter().filter_map(|it| {
            let number = if split_type == SplitType::Exact { it.amount } else { it.percentage };
            Some((*it.user.value()?, number.or(Decimal::ZERO)?))
        });
        Self::new(split_type, parts.collect())
    }

    fn new(split_type: SplitType, parts: Vec<(UserId, Decimal)>) -> Self {
        match split_type {
            SplitType::Equal => Self::Equal(parts.into_iter().map(|(user, _)| user).collect()),
            SplitType::Exact => Self::Exact(parts),
            SplitType::Percentage => Self::Percentage(parts),
        }
    }

    /// The division of an expense among `inputs`; none if they, or the type of the split, break a
    /// rule.
    pub(super) fn among(
        inputs: &[SplitInput],
        split_type: Option<SplitType>,
        terms: &Terms<'_>,
        errors: &mut FieldErrors,
    ) -> Option<Self> {
        if inputs.is_empty() {
            errors.push("splits", SplitError::Empty);
        }
        let (mut users, mut parts) = (BTreeSet::new(), Vec::new());
        let (mut sum, mut numbers) = (0_i128, 0_usize);
        for (index, input) in inputs.iter().enumerate() {
            let path = |field: &str| format!("splits[{index}].{field}");
            let user = input.user.value().copied();
            let member = user.and_then(|user| {
                terms.members.name(user, &path("userId"), errors)?;
                users.insert(user).then_some(user)
            });
            if member.is_none() && user.is_some_and(|user| users.contains(&user)) {
                errors.push(path("userId"), SplitError::Twice(index));
            }
            // Also the number that the type of the split does not use.
            for (field, number) in [("amount", &input.amount), ("percentage", &input.percentage)] {
                if number.value().is_some_and(|number| number.is_negative()) {
                    errors.push(path(field), SplitError::Negative(index));
                }
            }
            let part = split_type
                .and_then(|split_type| input.part(index, split_type, terms.currency, errors));
            if let Some((number, weight)) = part {
                sum = sum.saturating_add(weight);
                numbers = numbers.saturating_add(1);
                parts.extend(member.map(|user| (user, number)));
            }
        }
        let split_type = split_type.filter(|_| numbers == inputs.len())?;
        let whole = match (split_type, terms.amount) {
            (SplitType::Exact, Some(amount)) => split::exact_sum(sum, amount),
            (SplitType::Percentage, _) => split::percentage_sum(sum),
            (SplitType::Equal | SplitType::Exact, _) => Ok(()),
        };
        errors.keep("splits", whole)?;
        (parts.len() == inputs.len() && !parts.is_empty()).then(|| Self::new(split_type, parts))
    }

    /// The split of an expense; none if the amount or the division breaks a rule.
    pub(super) fn split(&self, terms: &Terms<'_>, errors: &mut FieldErrors) -> Option<Split> {
        let amount = terms.amount?;
        let split = match self {
            Self::Everybody => Split::equal(terms.members.ids()),
            Self::Equal(users) => Split::equal(users.iter().copied()),
            Self::Percentage(parts) => Split::percentage(parts.iter().copied()),
            Self::Exact(parts) => {
                let part = |(user, number): &(UserId, Decimal)| {
                    Some((*user, amount.currency.to_minor(*number).ok()?))
                };
                Split::exact(parts.iter().map(part).collect::<Option<Vec<_>>>()?, amount)
            }
        };
        match split {
            Err(SplitError::TooMany(shares)) => {
                errors.too_many_shares(shares);
                None
            }
            split => errors.keep("splits", split),
        }
    }
}
