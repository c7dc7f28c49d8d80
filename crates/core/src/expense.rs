//! An expense, and what each sharer owes of it.

mod edit;
mod split_input;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::{
    Error,
    currency::Currency,
    decimal::Decimal,
    group::{Group, Member},
    id::{ExpenseId, GroupId, UserId},
    input::{Draft, Field, FieldErrors, name},
    keys::{self, Index, Keys},
    ledger::{Change, Event, LedgerError, RefType, Totals},
    money::Money,
    row::Row,
    split::{Split, SplitType},
    text::Description,
    time::Timestamp,
    words,
};

pub use edit::Edit;
pub use split_input::SplitInput;
use split_input::{Members, keep_split, named, read_split};

/// Money that one member paid for several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Expense {
    /// Its identifier.
    pub id: ExpenseId,
    /// The group it belongs to.
    pub group_id: GroupId,
    /// Title of the group at that time. v0 rows, written by the TypeScript Fracti, have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_title: Option<String>,
    /// Who paid.
    pub payer_id: UserId,
    /// Their name then.
    pub payer_name: String,
    /// The amount in major units. Of a v0 row, it and the shares may be finer than a minor unit,
    /// because the TypeScript Fracti divided with floats, so they are not [`Money`].
    pub amount: Decimal,
    /// The currency of the amount and the shares.
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
    /// Member who recorded it. v0 rows have none.
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
    pub fn is_owned_by(&self, user: UserId) -> bool {
        self.payer_id == user || self.created_by == Some(user)
    }

    /// The ledger event of the expense: its payer paid all of it, and each sharer owes a share.
    ///
    /// # Errors
    ///
    /// [`LedgerError::Overflow`] if an amount is not a whole number of minor units.
    pub fn event(&self) -> Result<Event, LedgerError> {
        let currency = self.currency;
        let mut members: BTreeMap<UserId, Totals> = BTreeMap::new();
        members.entry(self.payer_id).or_default().paid = currency.to_minor(self.amount)?;
        for share in &self.splits {
            let owed = currency.to_minor(share.amount)?;
            let totals = members.entry(share.user_id).or_default();
            totals.owed = totals.owed.checked_add(owed).ok_or(LedgerError::Overflow(currency))?;
        }
        let changes = members.into_iter().filter(|(_, totals)| *totals != Totals::default());
        Ok(Event {
            ref_type: RefType::Expense,
            entry_id: self.id.into(),
            note: None,
            changes: changes.map(|(user, totals)| Change { user, currency, totals }).collect(),
        })
    }

    /// Rows by which the members who owe a share find the expense. The payer and members with a
    /// share of zero have none.
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
    /// Currency. v0 rows have none; it is the group's.
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

impl Row for Expense {
    const KIND: &'static str = "expense";
    const VERSION: u32 = 1;

    fn keys(&self) -> Keys {
        let primary = keys::expense(self.group_id, self.created_at);
        let by_id = Index { pk: keys::expense_partition(self.id), sk: self.group_id.to_string() };
        let by_payer = Index { pk: keys::user_partition(self.payer_id), sk: primary.sk.clone() };
        Keys { gsi2: Some(by_id), gsi3: Some(by_payer), ..primary.into() }
    }
}

impl Row for Participant {
    const KIND: &'static str = "participant";
    const VERSION: u32 = 1;

    fn keys(&self) -> Keys {
        let owed = format!("{}{}", keys::prefix::OWES, self.created_at);
        let by_user = Index { pk: keys::user_partition(self.user_id), sk: owed };
        let primary = keys::participant(self.group_id, self.expense_id, self.user_id);
        Keys { gsi1: Some(by_user), ..primary.into() }
    }
}

/// An expense to record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewExpense {
    /// Amount, in major units.
    pub amount: Field<Decimal>,
    /// What was paid for.
    pub description: Field<Description>,
    /// Who paid. Default: the caller.
    pub payer: Field<UserId>,
    /// How it is split. Default: equally.
    pub split_type: Field<SplitType>,
    /// Who shares it. Default: all members.
    pub splits: Field<Vec<SplitInput>>,
    /// Currency of the amount. Default: the group's.
    pub currency: Field<Currency>,
    /// Category.
    pub category: Field<Category>,
}

/// A valid expense, but for its place in time.
#[derive(Clone, Debug)]
pub struct CheckedExpense<'a> {
    group: &'a Group,
    members: Members<'a>,
    payer: (UserId, String),
    amount: Money,
    description: &'a Description,
    category: Option<Category>,
    split: Split,
    created_by: UserId,
}

impl Draft<NewExpense> {
    /// The users that it names, whom [`Draft::check`] needs besides the caller; `None` if it needs
    /// all members.
    #[must_use]
    pub fn named(&self) -> Option<BTreeSet<UserId>> {
        self.fields().and_then(|new| named(&new.payer, &new.splits))
    }

    /// Checks it against the group: all users are members, and the splits make up the amount.
    /// `members` has at least the caller and those of [`Draft::named`].
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] with all rules that are broken; [`Error::TooManyShares`] above
    /// [`MAX_SHARES`](crate::split::MAX_SHARES); [`Error::Unreadable`].
    pub fn check<'a>(
        &'a self,
        group: &'a Group,
        members: &'a [Member],
        caller: UserId,
    ) -> Result<CheckedExpense<'a>, Error> {
        let (new, mut errors) = self.open()?;
        let members = Members::of(members);
        let currency = new.currency.or(group.currency);
        let amount = new.amount.value().copied();
        let amount = amount.and_then(|amount| positive("amount", amount, currency, &mut errors));
        let payer = new.payer.or(caller);
        let payer =
            payer.and_then(|user| Some((user, members.name(user, "payerId", &mut errors)?)));
        let split_type = new.split_type.or(SplitType::Equal);
        let split = match (&new.splits, split_type) {
            (Field::Value(inputs), _) => {
                read_split(inputs, split_type, &members, currency, amount, &mut errors)
            }
            (Field::Absent, Some(SplitType::Equal)) => Some(members.equal_split()),
            (Field::Absent, Some(SplitType::Exact | SplitType::Percentage)) => {
                errors.missing("splits");
                None
            }
            (Field::Invalid, _) | (Field::Absent, None) => None,
        };
        let split = split.filter(|split| {
            amount.is_some_and(|it| keep_split(split.check(it), &mut errors).is_some())
        });
        let checked = || {
            Some(CheckedExpense {
                amount: amount?,
                payer: payer?,
                description: new.description.value()?,
                category: new.category.map(Some).or(None)?,
                split: split?,
                created_by: caller,
                group,
                members,
            })
        };
        let checked = checked();
        errors.finish(checked)
    }
}

impl CheckedExpense<'_> {
    /// The expense, recorded at `created_at`. `random` tells its id from others of that moment.
    ///
    /// # Errors
    ///
    /// As [`Split::divide`]: none of a split that was checked.
    pub fn at(&self, created_at: Timestamp, random: [u8; 10]) -> Result<Expense, Error> {
        let id = ExpenseId::new(created_at, random);
        let (payer_id, payer_name) = self.payer.clone();
        let mut errors = FieldErrors::default();
        let splits = keep_split(self.members.shares(&self.split, self.amount, id), &mut errors);
        let splits = errors.finish(splits)?;
        Ok(Expense {
            id,
            group_id: self.group.id,
            group_title: Some(self.group.title.to_string()),
            payer_id,
            payer_name,
            amount: self.amount.to_major(),
            currency: self.amount.currency,
            description: self.description.to_string(),
            split_type: self.split.split_type(),
            splits,
            category: self.category,
            created_at,
            created_by: Some(self.created_by),
            updated_at: None,
        })
    }
}

/// The amount at `path`, which must be above zero.
pub(crate) fn positive(
    path: &str,
    number: Decimal,
    currency: Option<Currency>,
    errors: &mut FieldErrors,
) -> Option<Money> {
    if number.is_negative() || number == Decimal::ZERO {
        errors.push(path, format!("{} must be above zero", name(path)));
        return None;
    }
    errors.keep(path, Money::from_major(number, currency?))
}

words! {
    /// Category of an expense.
    pub enum Category as "ExpenseCategory" {
        /// Eating and drinking.
        Food = "food",
        /// Getting there.
        Transport = "transport",
        /// Having fun.
        Entertainment = "entertainment",
        /// Buying things.
        Shopping = "shopping",
        /// Power, water, network.
        Utilities = "utilities",
        /// A place to live.
        Rent = "rent",
        /// Journeys.
        Travel = "travel",
        /// Staying or getting well.
        Health = "health",
        /// Learning.
        Education = "education",
        /// Anything else.
        Other = "other",
    }
}
