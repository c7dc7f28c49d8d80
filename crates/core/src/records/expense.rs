//! Expenses, and the share that each member owes.

mod again;
mod breakdown;
mod edit;
mod filter;
mod given;
mod line_input;
mod members;
mod payers;
mod split_input;

use std::collections::{BTreeMap, BTreeSet};

use fracti_texts::{Message, rule};
use serde::{Deserialize, Serialize};

use crate::{
    group::{DefaultSplit, Group, Member, acts_for, links::Links},
    input::{Draft, Error, Field, FieldErrors, numbers::not_zero},
    ledger::{Change, Event, LedgerError, RefType, Totals},
    personal::spending::Spending,
    split::{Line, PERCENT_DECIMALS, PreviewedShare, Split, SplitType, WEIGHT_DECIMALS},
    storage::{
        keys::{self, Index, Keys},
        row::Row,
    },
    values::{
        category::UnknownCategory,
        currency::Currency,
        decimal::Decimal,
        guess::guess,
        id::{ExpenseId, GroupId, ImportId, MemberId, ScheduleId, UserId},
        money::Money,
        spending_id::SpendingId,
        text::{Description, Notes},
        time::{Day, Timestamp, Zone, day_of},
    },
};

use crate::values::category::{Category, ExpenseCategory};
pub use breakdown::ShareBreakdown;
pub use edit::Edit;
pub use filter::{Filter, ListOrder};
pub(crate) use line_input::MAX_SHARERS;
use line_input::read_lines;
pub use line_input::{LineInput, MAX_LINES, SharerInput};
use members::Members;
use payers::{CheckedPayers, PayersReader};
pub use payers::{PaidExpense, Payer, PayerInput};
pub use split_input::SplitInput;
use split_input::{
    SplitContext, keep_split, named, read_split, refuse_unused, refuse_unused_numbers,
};

/// An amount that one or several members paid and that members share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Expense {
    /// Unique identifier.
    pub id: ExpenseId,
    /// Group in which the expense is recorded.
    pub group_id: GroupId,
    /// Title of the group when the expense was recorded. v0 rows, written by the TypeScript Fracti,
    /// have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_title: Option<String>,
    /// Main payer: the member who paid most; of equal amounts, the one with the smallest id.
    pub payer_id: MemberId,
    /// Name of the main payer when the expense was recorded or edited.
    pub payer_name: String,
    /// All payers if they are several, in the order of [`Expense::all_payers`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub payers: Vec<Payer>,
    /// Amount in major units; negative if the payers received it. It is not [`Money`], because the
    /// amount and the shares of a v0 row may be finer than a minor unit: the TypeScript Fracti
    /// divided with floats.
    pub amount: Decimal,
    /// Currency of the amount and the shares.
    pub currency: Currency,
    /// Purpose of the expense.
    pub description: String,
    /// How the amount is split.
    pub split_type: SplitType,
    /// Shares of the members, which sum to the amount.
    pub splits: Vec<Share>,
    /// Lines of the receipt, in an itemized split. Their amounts are in major units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<Vec<Line<Decimal>>>,
    /// Category, if the expense has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<ExpenseCategory>,
    /// Day on which it happened. v0 rows have none until they are edited: see [`Expense::day`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<Day>,
    /// Notes, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// Time of recording, which is later than every earlier event of the group.
    pub created_at: Timestamp,
    /// Member who recorded the expense. v0 rows have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_by: Option<UserId>,
    /// Time of the last edit or restore. No two states of the expense have the same time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
    /// Import that recorded the expense.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub import_id: Option<ImportId>,
    /// Schedule that recorded the expense.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule_id: Option<ScheduleId>,
}

impl Expense {
    /// Amount that a member owes, in major units; zero for a member without a share.
    #[must_use]
    pub fn share_of(&self, user: MemberId) -> Decimal {
        let share = self.splits.iter().find(|share| share.user_id == user);
        share.map_or(Decimal::ZERO, |share| share.amount)
    }

    /// Day on which it happened. For a v0 row, it is the day of recording in UTC.
    #[must_use]
    pub fn day(&self) -> Day {
        self.date.unwrap_or_else(|| self.created_at.day())
    }

    /// Amount that a user owes, in major units, who has all of these ids.
    #[must_use]
    pub fn share_of_all(&self, ids: &BTreeSet<MemberId>) -> Decimal {
        self.sum(ids.iter().map(|id| self.share_of(*id)))
    }

    /// Amount that a user paid, in major units, who has all of these ids.
    #[must_use]
    pub fn paid_by_all(&self, ids: &BTreeSet<MemberId>) -> Decimal {
        self.sum(ids.iter().map(|id| self.paid_by(*id)))
    }

    /// The sum of amounts of the expense. If an amount is finer than a minor unit, as in a v0 row,
    /// which has no guests, it is the only one.
    fn sum(&self, amounts: impl Iterator<Item = Decimal>) -> Decimal {
        let amounts: Vec<Decimal> = amounts.filter(|amount| *amount != Decimal::ZERO).collect();
        let minor = amounts.iter().map(|amount| self.currency.to_minor(*amount).ok());
        let sum = match amounts.as_slice() {
            [only] => return *only,
            _ => minor.into_iter().try_fold(0, |sum: i64, minor| sum.checked_add(minor?)),
        };
        sum.map_or(Decimal::ZERO, |sum| self.currency.to_major(sum))
    }

    /// Whether a user, who is present, may edit, delete and restore the expense: its payers, the
    /// member who recorded it, and any member if a payer is a guest or past. `members` has at least
    /// the payers.
    #[must_use]
    pub fn may_edit(&self, user: UserId, links: &Links, members: &[Member]) -> bool {
        let mut payers = self.payers_by(links).into_iter();
        self.created_by == Some(user) || payers.any(|payer| acts_for(user, payer, members))
    }

    /// The members whom the payers mean.
    #[must_use]
    pub fn payers_by(&self, links: &Links) -> BTreeSet<MemberId> {
        self.payer_ids().map(|payer| links.resolve(payer)).collect()
    }

    /// The ledger event of the expense: the payers paid the amount, and the members owe their
    /// shares.
    ///
    /// # Errors
    ///
    /// [`LedgerError::Overflow`] if an amount is not a whole number of minor units.
    pub fn event(&self) -> Result<Event, LedgerError> {
        let currency = self.currency;
        let mut members: BTreeMap<MemberId, Totals> = BTreeMap::new();
        for payer in self.all_payers() {
            members.entry(payer.user_id).or_default().paid = currency.to_minor(payer.amount)?;
        }
        for share in &self.splits {
            let owed = currency.to_minor(share.amount)?;
            let totals = members.entry(share.user_id).or_default();
            totals.owed = totals.owed.checked_add(owed).ok_or(LedgerError::Overflow(currency))?;
        }
        let changes = members.into_iter().filter(|(_, totals)| *totals != Totals::default());
        Ok(Event {
            ref_type: RefType::Expense,
            entry_id: self.id.into(),
            ref_created_at: self.id.created_at().is_none().then_some(self.created_at),
            note: None,
            changes: changes.map(|(user, totals)| Change { user, currency, totals }).collect(),
        })
    }

    /// The amount and the split, if they are stored as today's rules have them. The shares of a v0
    /// row, written by the TypeScript Fracti, may be without the input that they follow from.
    #[must_use]
    pub fn split(&self) -> Option<(Money, Split)> {
        let amount = Money::from_major(self.amount, self.currency).ok()?;
        let minor = |number: Option<Decimal>| self.currency.to_minor(number?).ok();
        let weight =
            |number: Option<Decimal>, decimals| u32::try_from(number?.at_scale(decimals)?).ok();
        let shares = self.splits.iter();
        let split = match self.split_type {
            SplitType::Equal => Split::Equal(shares.map(|share| share.user_id).collect()),
            SplitType::Exact => {
                let share = |share: &Share| Some((share.user_id, minor(Some(share.amount))?));
                Split::Exact(shares.map(share).collect::<Option<_>>()?)
            }
            SplitType::Percentage => {
                let share = |share: &Share| {
                    Some((share.user_id, weight(share.percentage, PERCENT_DECIMALS)?))
                };
                Split::Percentage(shares.map(share).collect::<Option<_>>()?)
            }
            SplitType::Shares => {
                let share =
                    |share: &Share| Some((share.user_id, weight(share.weight, WEIGHT_DECIMALS)?));
                Split::Shares(shares.map(share).collect::<Option<_>>()?)
            }
            SplitType::Adjustment => {
                let share = |share: &Share| Some((share.user_id, minor(share.adjustment)?));
                Split::Adjustment(shares.map(share).collect::<Option<_>>()?)
            }
            SplitType::Itemized => {
                let line = |line: &Line<Decimal>| {
                    Some(line.clone().with_amount(minor(Some(line.amount))?))
                };
                Split::Itemized(self.items.as_ref()?.iter().map(line).collect::<Option<_>>()?)
            }
        };
        split.check(amount).ok()?;
        Some((amount, split))
    }

    /// The amount and the shares, each with the name of its member, as far as they follow without
    /// the id; `None` as by [`Expense::split`].
    #[must_use]
    pub fn preview(&self) -> Option<(Money, Vec<(PreviewedShare, String)>)> {
        let (amount, split) = self.split()?;
        let names = self.splits.iter().map(|share| share.user_name.clone());
        Some((amount, split.preview(amount).ok()?.into_iter().zip(names).collect()))
    }

    /// Rows by which the members who owe more than they paid find the expense. There is none for a
    /// member whose share is zero.
    #[must_use]
    pub fn participants(&self) -> Vec<Participant> {
        let of = |share: &Share| self.participant(share, share.amount, &[share.user_id].into());
        self.splits.iter().filter_map(of).collect()
    }

    /// Debt of a user who has all of these ids: their shares minus what they paid. `None` if they
    /// owe nothing.
    #[must_use]
    pub fn owed_by_all(&self, ids: &BTreeSet<MemberId>) -> Option<Participant> {
        let share = self.splits.iter().find(|share| ids.contains(&share.user_id))?;
        self.participant(share, self.share_of_all(ids), ids)
    }

    /// Debt of the member of a share, who has all of these ids, and whose shares sum to `owed`.
    fn participant(
        &self,
        share: &Share,
        owed: Decimal,
        ids: &BTreeSet<MemberId>,
    ) -> Option<Participant> {
        let amount = owed.minus(self.paid_by_all(ids))?;
        let owes = amount != Decimal::ZERO && amount.is_negative() == self.amount.is_negative();
        let payers = self.all_payers();
        let others: Vec<_> = payers.iter().filter(|it| !ids.contains(&it.user_id)).collect();
        let largest = others.first().filter(|_| owes)?;
        Some(Participant {
            expense_id: self.id,
            group_id: self.group_id,
            group_title: self.group_title.clone(),
            user_id: share.user_id,
            user_name: share.user_name.clone(),
            amount,
            currency: Some(self.currency),
            payer_id: largest.user_id,
            payer_name: largest.user_name.clone(),
            payer_count: Some(others.len()).filter(|count| *count > 1),
            description: self.description.clone(),
            total_amount: self.amount,
            category: self.category,
            date: self.date,
            created_at: self.created_at,
        })
    }
}

/// The share of an expense that one member owes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Share {
    /// The member.
    pub user_id: MemberId,
    /// Name of the member when the expense was recorded or edited.
    pub user_name: String,
    /// Amount of the share, in major units; may be zero.
    pub amount: Decimal,
    /// Percentage from which the share was computed, in a percentage split.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percentage: Option<Decimal>,
    /// Weight from which the share was computed, in a split by weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<Decimal>,
    /// Adjustment from which the share was computed, in major units, in a split with adjustments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adjustment: Option<Decimal>,
}

/// The row by which a member finds an expense whose share exceeds what they paid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Participant {
    /// The expense.
    pub expense_id: ExpenseId,
    /// Its group.
    pub group_id: GroupId,
    /// Title of the group when the expense was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_title: Option<String>,
    /// Member who owes.
    pub user_id: MemberId,
    /// Name of the member when the expense was recorded or edited.
    pub user_name: String,
    /// Amount that the member owes: the share minus what the member paid, in major units.
    pub amount: Decimal,
    /// Currency of the amounts. v0 rows have none: their currency is the group's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<Currency>,
    /// Member who paid most, apart from the member who owes.
    pub payer_id: MemberId,
    /// Name of this payer when the expense was recorded or edited.
    pub payer_name: String,
    /// Number of payers apart from the member who owes, if they are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payer_count: Option<usize>,
    /// Purpose of the expense.
    pub description: String,
    /// Amount of the whole expense, in major units.
    pub total_amount: Decimal,
    /// Category, if the expense has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<ExpenseCategory>,
    /// Day on which the expense happened. v0 rows have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<Day>,
    /// Time when the expense was recorded.
    pub created_at: Timestamp,
}

impl Row for Expense {
    const KIND: &'static str = "expense";
    const VERSION: u32 = 2;

    fn keys(&self) -> Keys {
        let primary = keys::expense(self.group_id, self.created_at);
        let by_id = Index { pk: keys::expense_partition(self.id), sk: self.group_id.to_string() };
        let by_payer = Index { pk: keys::user_partition(self.payer_id), sk: primary.sk.clone() };
        let position = keys::date_position(self.day(), self.created_at);
        let by_date = Index { pk: keys::dates_of(self.group_id), sk: position };
        let [gsi1, gsi2, gsi3] = [by_date, by_id, by_payer].map(Some);
        Keys { gsi1, gsi2, gsi3, ..primary.into() }
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
    /// Spending of the caller that becomes this expense. It gives the amount, the currency and the
    /// payer; also the description, the category and the date, unless they are sent.
    pub spending: Field<SpendingId>,
    /// Amount, in major units. Default: the sum of the lines.
    pub amount: Field<Decimal>,
    /// Purpose of the expense.
    pub description: Field<Description>,
    /// Member who paid all of it. Default: the caller.
    pub payer: Field<MemberId>,
    /// Members who paid it, instead of one payer.
    pub payers: Field<Vec<PayerInput>>,
    /// How the amount is split. Default: equally.
    pub split_type: Field<SplitType>,
    /// Members who share it, with their input. Default: by the group's default split, or else all
    /// members of the group.
    pub splits: Field<Vec<SplitInput>>,
    /// Lines of the receipt, for an itemized split.
    pub items: Field<Vec<LineInput>>,
    /// Currency of the amount. Default: the group's.
    pub currency: Field<Currency>,
    /// Category. Default: none.
    pub category: Field<ExpenseCategory>,
    /// Day on which it happened. Default: today in the caller's zone.
    pub date: Field<Day>,
    /// Notes. Default: none.
    pub notes: Field<Notes>,
}

/// A valid expense that has no time and no id yet.
#[derive(Clone, Debug)]
pub struct CheckedExpense<'a> {
    group: &'a Group,
    members: Members<'a>,
    payers: CheckedPayers,
    amount: Money,
    description: &'a Description,
    category: Option<ExpenseCategory>,
    date: Day,
    notes: Option<&'a Notes>,
    split: Split,
    uses_default: bool,
    created_by: UserId,
}

impl Draft<NewExpense> {
    /// The users that the request names, whom [`Draft::check`] needs besides the caller; `None` if
    /// it needs all members.
    #[must_use]
    pub fn named(&self) -> Option<BTreeSet<MemberId>> {
        let new = self.fields()?;
        let named = named(&new.payer, &new.splits, &new.items)?.into_iter();
        Some(named.chain(payers::named(&new.payers)).collect())
    }

    /// Whether the request says the date, so that [`Draft::check`] does not need a zone.
    #[must_use]
    pub fn has_date(&self) -> bool {
        self.fields().is_none_or(|new| !new.date.is_absent())
    }

    /// Checks the expense against the group: all users must be members, and the splits must divide
    /// the amount. `members` has at least the caller and the users of [`Draft::named`]. `now` is
    /// the time of day, and `zone` is that of the caller's days.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] with all broken rules; [`Error::TooManyShares`] above
    /// [`MAX_SHARES`](crate::input::limits::MAX_SHARES); [`Error::Unreadable`].
    pub fn check<'a>(
        &'a self,
        group: &'a Group,
        members: &'a [Member],
        caller: UserId,
        now: Timestamp,
        zone: Zone,
    ) -> Result<CheckedExpense<'a>, Error> {
        let (new, mut errors) = self.open()?;
        let members = Members::of(members);
        let currency = new.currency.or(group.currency);
        let uses_default = new.split_type.is_absent() && new.splits.is_absent();
        let rule = group.default_split(new.category.value().copied()).filter(|_| uses_default);
        let read = new.split(currency, &members, rule, &mut errors);
        let split_type = new.split_type.or(SplitType::Equal);
        refuse_unused_numbers(split_type, &new.splits, &mut errors);
        let read = read.filter(|(amount, split)| {
            keep_split(split.check(*amount), &members, &mut errors).is_some()
        });
        // Its mistakes are reported above.
        let unreported = &mut FieldErrors::default();
        let given = || not_zero("amount", *new.amount.value()?, currency, unreported);
        let amount = read.as_ref().map(|(amount, _)| *amount).or_else(given);
        let payers = PayersReader { members: &members, before: None, currency, amount };
        let payers = payers.read(new.payer, &new.payers, caller.into(), &mut errors);
        let date = check_date(new.date, None, now, &mut errors);
        if new.description.is_absent() {
            errors.missing("description");
        }
        check_category(new.category, None, group, &mut errors);
        let checked = || {
            let (amount, split) = read?;
            Some(CheckedExpense {
                amount,
                payers: payers?,
                description: new.description.value()?,
                category: new.category.map(Some).or(None)?,
                date: date.or(day_of(now, zone))?,
                notes: new.notes.as_ref().map(Some).or(None)?,
                split,
                uses_default,
                created_by: caller,
                group,
                members,
            })
        };
        let checked = checked();
        errors.finish(checked)
    }
}

impl Draft<NewExpense> {
    /// The spending that becomes the expense.
    #[must_use]
    pub fn spending(&self) -> Option<&SpendingId> {
        self.fields()?.spending.value()
    }

    /// The category that the description suggests, if only the description is sent.
    #[must_use]
    pub fn suggested_category(&self) -> Option<Category> {
        let new = self.fields().filter(|it| it.category.is_absent())?;
        guess(new.description.value()?.as_str())
    }

    /// The same, with a description if it has none yet.
    #[must_use]
    pub fn described(&self) -> Self {
        let mut described = self.clone();
        if let Some(new) = described.fields_mut()
            && new.description.is_absent()
        {
            new.description = Field::from("?".parse().ok());
        }
        described
    }

    /// The same as an expense that the owner of a spending paid.
    #[must_use]
    pub fn sharing(&self, spending: &Spending) -> Self {
        let mut sharing = self.clone();
        if let Some(new) = sharing.fields_mut() {
            if new.date.is_absent() {
                new.date = Field::Value(spending.user_date);
            }
            new.amount = Field::Value(spending.amount);
            new.currency = Field::Value(spending.currency);
            new.payer = Field::Value(spending.user_id.into());
            if new.description.is_absent() {
                new.description = Field::from(spending.title.parse().ok());
            }
            let common = spending.categories.keys().filter_map(|key| key.as_str().parse().ok());
            let common: Vec<Category> = common.collect();
            if let ([category], Field::Absent) = (&*common, &new.category) {
                new.category = Field::Value((*category).into());
            }
        }
        sharing
    }
}

impl NewExpense {
    /// The amount and the split. Fails if the split cannot divide the amount.
    fn split(
        &self,
        currency: Option<Currency>,
        members: &Members<'_>,
        rule: Option<&DefaultSplit>,
        errors: &mut FieldErrors,
    ) -> Option<(Money, Split)> {
        let split_type = self.split_type.or(SplitType::Equal);
        refuse_unused(split_type, &self.splits, &self.items, errors);
        if split_type == Some(SplitType::Itemized) {
            self.lines(currency, members, errors)
        } else {
            self.shares(split_type, currency, (members, rule), errors)
        }
    }

    /// The amount and the split by `splits`, or else by the rule of the group's default split.
    fn shares(
        &self,
        split_type: Option<SplitType>,
        currency: Option<Currency>,
        (members, rule): (&Members<'_>, Option<&DefaultSplit>),
        errors: &mut FieldErrors,
    ) -> Option<(Money, Split)> {
        let amount = match self.amount {
            Field::Absent => {
                errors.missing("amount");
                None
            }
            Field::Invalid => None,
            Field::Value(amount) => not_zero("amount", amount, currency, errors),
        };
        let split = match (&self.splits, split_type) {
            (Field::Value(inputs), _) => {
                let context = SplitContext { members, currency, amount };
                read_split(inputs, split_type, context, errors)
            }
            (Field::Absent, Some(SplitType::Equal)) => match rule {
                None => Some(Split::Equal(members.present().collect())),
                Some(rule) => {
                    errors.keep("splits", rule.among(members.present()).ok_or_else(no_sharer))
                }
            },
            (Field::Absent, Some(_)) => {
                errors.missing("splits");
                None
            }
            (Field::Invalid, _) | (Field::Absent, None) => None,
        };
        amount.zip(split)
    }

    /// The amount and the split by `items`.
    fn lines(
        &self,
        currency: Option<Currency>,
        members: &Members<'_>,
        errors: &mut FieldErrors,
    ) -> Option<(Money, Split)> {
        match &self.items {
            Field::Absent => {
                errors.missing("items");
                None
            }
            Field::Invalid => None,
            Field::Value(inputs) => read_lines(inputs, self.amount, currency, members, errors),
        }
    }
}

impl CheckedExpense<'_> {
    /// Whether the shares follow from the group's default split, as far as it has one.
    #[must_use]
    pub const fn uses_default(&self) -> bool {
        self.uses_default
    }

    /// The expense, recorded at `created_at`. `random` distinguishes its id from other ids of the
    /// same millisecond.
    ///
    /// # Errors
    ///
    /// As [`Split::divide`], which does not fail for a split that was checked.
    pub fn at(&self, created_at: Timestamp, random: [u8; 10]) -> Result<Expense, Error> {
        let id = ExpenseId::new(created_at, random);
        let mut errors = FieldErrors::default();
        let shares = self.members.shares(&self.split, self.amount, id);
        let splits = keep_split(shares, &self.members, &mut errors);
        self.payers.check_room(splits.as_ref().map_or(0, Vec::len), &mut errors);
        let splits = errors.finish(splits)?;
        let CheckedPayers { payer_id, payer_name, payers } = self.payers.clone();
        Ok(Expense {
            id,
            group_id: self.group.id,
            group_title: Some(self.group.title.to_string()),
            payer_id,
            payer_name,
            payers,
            amount: self.amount.to_major(),
            currency: self.amount.currency,
            description: self.description.to_string(),
            split_type: self.split.split_type(),
            splits,
            items: stored_items(&self.split, self.amount.currency),
            category: self.category,
            date: Some(self.date),
            notes: self.notes.map(ToString::to_string),
            created_at,
            created_by: Some(self.created_by),
            updated_at: None,
            import_id: None,
            schedule_id: None,
        })
    }
}

/// Rule of the sharers of an expense that nobody would share by the group's default split.
fn no_sharer() -> Message {
    rule!(
        "{field} is required: no member of the default split is present",
        "укажите {field}: никто из участников деления по умолчанию не состоит в группе"
    )
}

/// The lines of an itemized split, as they are stored.
fn stored_items(split: &Split, currency: Currency) -> Option<Vec<Line<Decimal>>> {
    let stored = |line: &Line<i64>| line.clone().with_amount(currency.to_major(line.amount));
    match split {
        Split::Itemized(lines) => Some(lines.iter().map(stored).collect()),
        Split::Equal(_)
        | Split::Exact(_)
        | Split::Percentage(_)
        | Split::Shares(_)
        | Split::Adjustment(_) => None,
    }
}

/// Reports a category that the group does not have. `before` is the category before an edit, which
/// the expense may keep.
fn check_category(
    category: Field<ExpenseCategory>,
    before: Option<ExpenseCategory>,
    group: &Group,
    errors: &mut FieldErrors,
) {
    if let Field::Value(category) = category
        && Some(category) != before
        && !group.has_category(category)
    {
        errors.push("category", UnknownCategory);
    }
}

/// The date of an expense, which must be at most one year ahead. An imported expense may have a
/// later one, which stays valid: `before` is the date before an edit.
pub(crate) fn check_date(
    date: Field<Day>,
    before: Option<Day>,
    now: Timestamp,
    errors: &mut FieldErrors,
) -> Field<Day> {
    match date {
        Field::Value(date) if date > now.day().next_year() && Some(date) != before => {
            errors.push(
                "date",
                rule!(
                    "{field} must be at most one year ahead",
                    "{field} может опережать сегодняшний день не больше чем на год"
                ),
            );
            Field::Invalid
        }
        date => date,
    }
}
