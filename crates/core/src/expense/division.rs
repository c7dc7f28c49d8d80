//! How somebody wants an expense divided, and the split that it comes to.

use std::collections::BTreeMap;

use super::{Expense, Share};
use crate::{
    Error,
    currency::Currency,
    decimal::Decimal,
    group::Member,
    id::{ExpenseId, UserId},
    split::{Part, Split, SplitError, SplitType},
};

/// One who shares, with what the way to split needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sharer {
    /// The member.
    pub user: UserId,
    /// What they owe, in major units.
    pub amount: Option<Decimal>,
    /// How much of the expense, of 100.
    pub percentage: Option<Decimal>,
}

/// How an expense is to be divided, before it is known whether that comes out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Division {
    /// All members the same.
    Everybody,
    /// These members the same.
    Equal(Vec<UserId>),
    /// These percentages.
    Percentage(Vec<(UserId, Decimal)>),
    /// These amounts, in major units.
    Exact(Vec<(UserId, Decimal)>),
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

    /// The name of a member; whoever is none is refused as the field at `path`.
    pub(super) fn name(
        &self,
        user: UserId,
        path: impl FnOnce() -> String,
    ) -> Result<String, Error> {
        let stranger = || Error::invalid(path(), format!("{user} is not a member of the group"));
        self.0.get(&user).map(|name| (*name).to_owned()).ok_or_else(stranger)
    }

    /// The shares of an expense of `units` smallest units.
    pub(super) fn shares(
        &self,
        split: &Split,
        units: i64,
        currency: Currency,
        id: ExpenseId,
    ) -> Vec<Share> {
        let share = |part: Part| Share {
            user_id: part.user,
            user_name: self.0.get(&part.user).copied().unwrap_or_default().to_owned(),
            amount: currency.number(part.units),
            percentage: part.percentage,
        };
        split.divide(units, id).into_iter().map(share).collect()
    }
}

impl Division {
    /// How an expense is divided as it stands. Percentages that nobody kept are the amounts that came of them.
    pub(super) fn of_expense(expense: &Expense) -> Self {
        let shares = expense.splits.iter();
        let amounts = shares.clone().map(|share| (share.user_id, share.amount));
        let percentages = shares.clone().map(|share| Some((share.user_id, share.percentage?)));
        match (expense.split_type, percentages.collect()) {
            (SplitType::Equal, _) => Self::Equal(shares.map(|share| share.user_id).collect()),
            (SplitType::Percentage, Some(percentages)) => Self::Percentage(percentages),
            _ => Self::Exact(amounts.collect()),
        }
    }

    /// The division of an expense among `sharers`; equally among all members where none are named.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] with the field that the way to split needs.
    pub fn of(split_type: SplitType, sharers: Option<&[Sharer]>) -> Result<Self, Error> {
        let Some(sharers) = sharers else {
            return match split_type {
                SplitType::Equal => Ok(Self::Everybody),
                _ => Err(Error::missing("splits")),
            };
        };
        let parts = |field: &str, of: fn(&Sharer) -> Option<Decimal>| {
            let part = |(index, sharer): (usize, &Sharer)| {
                let missing = || Error::missing(format!("splits[{index}].{field}"));
                Ok((sharer.user, of(sharer).ok_or_else(missing)?))
            };
            sharers.iter().enumerate().map(part).collect::<Result<Vec<_>, Error>>()
        };
        match split_type {
            SplitType::Equal => Ok(Self::Equal(sharers.iter().map(|it| it.user).collect())),
            SplitType::Exact => parts("amount", |it| it.amount).map(Self::Exact),
            SplitType::Percentage => parts("percentage", |it| it.percentage).map(Self::Percentage),
        }
    }

    /// The split that it is among members.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] with the field that breaks a rule: who shares has to be a member, and the parts have to come out;
    /// [`Error::TooManyShares`].
    pub(super) fn split(
        &self,
        members: &Members<'_>,
        units: i64,
        currency: Currency,
    ) -> Result<Split, Error> {
        let split = match self {
            Self::Everybody => Split::equal(members.ids()),
            Self::Equal(users) => Split::equal(users.iter().copied()),
            Self::Percentage(parts) => Split::percentage(parts.iter().copied()),
            Self::Exact(parts) => {
                let part = |(index, (user, number)): (usize, &(UserId, Decimal))| {
                    let units = currency.units(*number);
                    let path = || format!("splits[{index}].amount");
                    Ok((*user, units.map_err(|error| Error::invalid(path(), error.to_string()))?))
                };
                let parts =
                    parts.iter().enumerate().map(part).collect::<Result<Vec<_>, Error>>()?;
                Split::exact(parts, units, currency)
            }
        };
        let field = match self {
            Self::Percentage(_) => "percentage",
            _ => "amount",
        };
        let split = split.map_err(|error| match error {
            SplitError::TooMany(shares) => Error::TooManyShares(shares),
            SplitError::Twice(index) => {
                Error::invalid(format!("splits[{index}].userId"), error.to_string())
            }
            SplitError::Negative(index) | SplitError::TooFine(index) => {
                Error::invalid(format!("splits[{index}].{field}"), error.to_string())
            }
            SplitError::Empty | SplitError::Sum { .. } | SplitError::Percentages(_) => {
                Error::invalid("splits", error.to_string())
            }
        })?;
        for (index, user) in split.users().enumerate() {
            members.name(user, || format!("splits[{index}].userId"))?;
        }
        Ok(split)
    }
}
