//! An expense, and what each sharer owes of it.

mod division;
mod edit;

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{
    Error,
    currency::Currency,
    decimal::Decimal,
    group::{Group, Member},
    id::{ExpenseId, GroupId, UserId},
    split::{Split, SplitType},
    text::{Description, word},
    time::Timestamp,
};

use division::Members;
pub use division::{Division, Sharer};
pub use edit::Edit;

/// Money that one member paid for several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Expense {
    /// Its identifier.
    pub id: ExpenseId,
    /// The group it belongs to.
    pub group_id: GroupId,
    /// The group's title then; rows of the earlier system have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_title: Option<String>,
    /// Who paid.
    pub payer_id: UserId,
    /// Their name then.
    pub payer_name: String,
    /// How much, in major units.
    pub amount: Decimal,
    /// In which currency.
    pub currency: Currency,
    /// What for.
    pub description: String,
    /// How it is divided.
    pub split_type: SplitType,
    /// What each sharer owes; they sum to the amount.
    pub splits: Vec<Share>,
    /// What kind of expense.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
    /// When it was recorded: after every other event of the group.
    pub created_at: Timestamp,
    /// Who recorded it; rows of the earlier system do not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_by: Option<UserId>,
    /// When it was last edited or restored: no two states of it have the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

impl Expense {
    /// What a member owes of it; zero where they do not share.
    #[must_use]
    pub fn share_of(&self, user: UserId) -> Decimal {
        let share = self.splits.iter().find(|share| share.user_id == user);
        share.map_or(Decimal::ZERO, |share| share.amount)
    }

    /// Who recorded it, or paid it: they may edit, delete and restore it.
    #[must_use]
    pub fn is_of(&self, user: UserId) -> bool {
        self.payer_id == user || self.created_by == Some(user)
    }

    /// The rows by which those who owe something of it find it: nobody with a share of zero, and not the payer.
    #[must_use]
    pub fn participants(&self) -> Vec<Participant> {
        let owes = |share: &&Share| share.user_id != self.payer_id && share.amount != Decimal::ZERO;
        let participant = |share: &Share| Participant {
            expense_id: self.id,
            group_id: self.group_id,
            group_title: self.group_title.clone(),
            user_id: share.user_id,
            user_name: share.user_name.clone(),
            amount: share.amount,
            currency: Some(self.currency),
            payer_id: self.payer_id,
            payer_name: self.payer_name.clone(),
            description: self.description.clone(),
            total_amount: self.amount,
            category: self.category,
            created_at: self.created_at,
        };
        self.splits.iter().filter(owes).map(participant).collect()
    }
}

/// What one member owes of an expense.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Share {
    /// The member.
    pub user_id: UserId,
    /// Their name then.
    pub user_name: String,
    /// What they owe, in major units; zero is possible.
    pub amount: Decimal,
    /// The percentage that it was computed from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percentage: Option<Decimal>,
}

/// The row by which a beneficiary finds what they owe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Participant {
    /// The expense.
    pub expense_id: ExpenseId,
    /// Its group.
    pub group_id: GroupId,
    /// The group's title then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_title: Option<String>,
    /// Who owes.
    pub user_id: UserId,
    /// Their name then.
    pub user_name: String,
    /// What they owe, in major units.
    pub amount: Decimal,
    /// In which currency; the seed's rows leave it to the group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<Currency>,
    /// Who paid.
    pub payer_id: UserId,
    /// Their name then.
    pub payer_name: String,
    /// What for.
    pub description: String,
    /// The whole expense, in major units.
    pub total_amount: Decimal,
    /// What kind of expense.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
    /// When the expense was recorded.
    pub created_at: Timestamp,
}

/// An expense as somebody wants it recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewExpense {
    /// How much, in major units.
    pub amount: Decimal,
    /// In which currency; the group's where none is named.
    pub currency: Option<Currency>,
    /// What for.
    pub description: Description,
    /// Who paid; the caller where nobody is named.
    pub payer: Option<UserId>,
    /// How it is divided.
    pub division: Division,
    /// What kind of expense.
    pub category: Option<Category>,
}

/// A new expense that is known to come out; it lacks only its place in time.
#[derive(Clone, Debug)]
pub struct CheckedExpense<'a> {
    new: &'a NewExpense,
    group: &'a Group,
    members: Members<'a>,
    payer: (UserId, String),
    currency: Currency,
    units: i64,
    split: Split,
    created_by: UserId,
}

impl NewExpense {
    /// Checks it against the group: that all who are named are members, and that the division comes out.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] with the field that breaks a rule; [`Error::TooManyShares`] above
    /// [`MAX_SHARES`](crate::split::MAX_SHARES).
    pub fn check<'a>(
        &'a self,
        group: &'a Group,
        members: &'a [Member],
        caller: UserId,
    ) -> Result<CheckedExpense<'a>, Error> {
        let members = Members::of(members);
        let currency = self.currency.unwrap_or(group.currency);
        let units = positive_units("amount", self.amount, currency)?;
        let payer = self.payer.unwrap_or(caller);
        let payer = (payer, members.name(payer, || "payerId".to_owned())?);
        let split = self.division.split(&members, units, currency)?;
        Ok(CheckedExpense {
            new: self,
            group,
            members,
            payer,
            currency,
            units,
            split,
            created_by: caller,
        })
    }
}

impl CheckedExpense<'_> {
    /// The expense, recorded at `created_at`. `random` tells its id from others of that moment.
    #[must_use]
    pub fn at(&self, created_at: Timestamp, random: [u8; 10]) -> Expense {
        let id = ExpenseId::new(created_at, random);
        let (payer_id, payer_name) = self.payer.clone();
        Expense {
            id,
            group_id: self.group.id,
            group_title: Some(self.group.title.to_string()),
            payer_id,
            payer_name,
            amount: self.currency.number(self.units),
            currency: self.currency,
            description: self.new.description.to_string(),
            split_type: self.split.split_type(),
            splits: self.members.shares(&self.split, self.units, self.currency, id),
            category: self.new.category,
            created_at,
            created_by: Some(self.created_by),
            updated_at: None,
        }
    }
}

/// The smallest units of an amount that has to be above zero.
pub(crate) fn positive_units(
    path: &str,
    amount: Decimal,
    currency: Currency,
) -> Result<i64, Error> {
    let units = currency.units(amount).map_err(|error| Error::invalid(path, error.to_string()))?;
    if units > 0 { Ok(units) } else { Err(Error::invalid(path, "an amount is above zero")) }
}

/// What kind of expense it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    /// Eating and drinking.
    Food,
    /// Getting there.
    Transport,
    /// Having fun.
    Entertainment,
    /// Buying things.
    Shopping,
    /// Power, water, network.
    Utilities,
    /// A place to live.
    Rent,
    /// Journeys.
    Travel,
    /// Staying or getting well.
    Health,
    /// Learning.
    Education,
    /// Anything else.
    Other,
}

/// Why a text is not a category.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a category is one of food, transport, entertainment, shopping, utilities, rent, travel, health, education, other"
)]
pub struct CategoryError;

impl FromStr for Category {
    type Err = CategoryError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        word(text).ok_or(CategoryError)
    }
}
