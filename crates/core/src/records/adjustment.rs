//! Adjustments: changes of balances by hand, like opening balances or corrections.

use std::collections::{BTreeMap, BTreeSet};

use fracti_texts::{Message, Says, errors, message, rule};
use serde::{Deserialize, Serialize};

use crate::{
    group::{Group, Member, acts_for, links::Links, not_a_member},
    input::{Draft, Error, Field, FieldErrors, Path},
    ledger::{Change, Event, Ledger, RefType, Totals},
    records::entry::Entry,
    values::{
        currency::{AmountError, Currency},
        decimal::Decimal,
        entry_id::{EntryId, EntryName},
        id::{MemberId, UserId},
        money::Money,
        text::Note,
    },
};

/// Maximum number of changes of an adjustment, which is the maximum number of members of a group.
pub const MAX_CHANGES: usize = 500;

/// Maximum number of entries that one request pushes. All are written in one transaction.
pub const MAX_PUSHED: usize = 90;

/// Maximum number of entries that one request reverts. Each takes three rows of a transaction.
pub const MAX_REVERTED: usize = 30;

/// Maximum number of changes in all entries that one request pushes or reverts. It bounds the
/// response, which is stored for a repeated request: with the longest notes and ids, 350 of the 400
/// KB that a row may have.
pub const MAX_CHANGES_AT_ONCE: usize = 2_000;

/// The list in a request, of adjustments or of names of entries: the whole body or one of its
/// fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BareOrWrapped<T> {
    /// The path of the list; the empty path if the list is the whole body.
    pub path: Path,
    /// The items.
    pub items: Field<Vec<T>>,
}

/// An adjustment of a group's ledger.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Adjustment {
    /// Name of the entry. A group's ledger has at most one current entry with a given name.
    pub entry_id: Field<EntryName>,
    /// Changes of balances, which sum to zero in each currency.
    pub changes: Field<Vec<Amount>>,
    /// Purpose of the adjustment.
    pub note: Field<Note>,
    /// Condition under which the adjustment is applied.
    pub condition: Field<Amount>,
}

/// An amount of a member: a change of a balance, or its lower limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// The member.
    pub user: Field<MemberId>,
    /// Currency. Default: the group's.
    pub currency: Field<Currency>,
    /// The amount in major units, which may be negative.
    pub number: Field<Decimal>,
}

/// A valid adjustment.
#[derive(Clone, Debug)]
pub struct CheckedAdjustment {
    /// The event that applies the adjustment to the ledger.
    pub event: Event,
    condition: Option<(MemberId, Money)>,
}

/// The outcome of a request that pushes or reverts adjustments.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The current entries, or the reverts.
    pub applied: Vec<Entry>,
    /// Adjustments or reverts that were not applied.
    pub non_applied: Vec<NonApplied>,
}

impl Report {
    /// Adds the outcome for an entry.
    pub fn add(&mut self, entry_id: EntryId, outcome: Result<Entry, Reason>) {
        match outcome {
            Ok(entry) => self.applied.push(entry),
            Err(reason) => self.non_applied.push(NonApplied { entry_id, reason }),
        }
    }
}

/// An adjustment or a revert that was not applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NonApplied {
    /// Name of the entry.
    pub entry_id: EntryId,
    /// Reason why the adjustment or revert was not applied.
    pub reason: Reason,
}

/// Reason why an adjustment or a revert was not applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Reason {
    /// The name has a current entry.
    EntryExists,
    /// The balance would be less than its lower limit.
    ConditionFailed,
    /// The name has no current entry.
    EntryMissing,
    /// A total or a balance would overflow, or the ledger would have too many balances.
    TotalsTooLarge,
}

impl Says for Reason {
    fn says(&self) -> Message {
        match self {
            Self::EntryExists => message!(
                "an entry with this entryId is already applied; revert it first, or use another \
                 entryId",
                "запись с таким entryId уже действует; сначала отмените её или выберите другой \
                 entryId"
            ),
            Self::ConditionFailed => message!(
                "the balance would be below balanceAtLeast",
                "баланс стал бы меньше balanceAtLeast"
            ),
            Self::EntryMissing => message!(
                "no entry with this entryId is applied",
                "действующей записи с таким entryId нет"
            ),
            Self::TotalsTooLarge => message!(
                "a total would become too large, or the ledger would have too many balances",
                "итог стал бы слишком большим или в журнале стало бы слишком много балансов"
            ),
        }
    }
}

errors!(Reason);

impl Draft<BareOrWrapped<Adjustment>> {
    /// The members whom the adjustments name.
    #[must_use]
    pub fn named(&self) -> BTreeSet<MemberId> {
        let list = self.fields().and_then(|list| list.items.value());
        let amounts = list.into_iter().flatten().flat_map(Adjustment::amounts);
        amounts.filter_map(|amount| amount.user.value().copied()).collect()
    }

    /// The names of their entries, as far as they are valid.
    pub fn names(&self) -> impl Iterator<Item = EntryId> {
        let list = self.fields().and_then(|list| list.items.value());
        let names = list.into_iter().flatten().filter_map(|it| it.entry_id.value().cloned());
        names.map(EntryId::Adjustment)
    }

    /// Checks the adjustments against the group. `members` has at least those of [`Draft::named`].
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] with all broken rules; [`Error::Unreadable`].
    pub fn check(
        &self,
        group: &Group,
        members: &[Member],
    ) -> Result<Vec<CheckedAdjustment>, Error> {
        let (BareOrWrapped { path, items }, mut errors) = self.open()?;
        let changes = items.value().into_iter().flatten();
        let changes = changes.filter_map(|adjustment| Some(adjustment.changes.value()?.len()));
        errors.keep(path.clone(), check_size(changes));
        let members = members.iter().map(|member| member.id).collect();
        let check = |(index, adjustment): (usize, &Adjustment)| {
            adjustment.check(&path.index(index), group, &members, &mut errors)
        };
        let checked = items.value().and_then(|items| {
            // Checks all before it collects them, so that the errors of all are reported.
            let checked: Vec<_> = items.iter().enumerate().map(check).collect();
            checked.into_iter().collect::<Option<Vec<_>>>()
        });
        errors.finish(checked)
    }
}

impl Adjustment {
    /// The amounts of the changes and of the condition.
    fn amounts(&self) -> impl Iterator<Item = &Amount> {
        self.changes.value().into_iter().flatten().chain(self.condition.value())
    }

    fn check(
        &self,
        path: &Path,
        group: &Group,
        members: &BTreeSet<MemberId>,
        errors: &mut FieldErrors,
    ) -> Option<CheckedAdjustment> {
        let changes = self.changes.value().and_then(|changes| {
            check_changes(changes, &path.field("changes"), group, members, errors)
        });
        let condition = match &self.condition {
            Field::Absent => Some(None),
            Field::Invalid => None,
            Field::Value(amount) => {
                let path = path.field("condition");
                let (user, currency) = amount.check(&path, group, members, errors);
                let at_least = amount.money(path.field("balanceAtLeast"), currency, errors);
                user.zip(at_least).map(Some)
            }
        };
        let event = Event {
            ref_type: RefType::Adjustment,
            entry_id: EntryId::Adjustment(self.entry_id.value()?.clone()),
            ref_created_at: None,
            note: self.note.as_ref().map(|note| Some(note.to_string())).or(None)?,
            changes: changes?,
        };
        Some(CheckedAdjustment { event, condition: condition? })
    }
}

/// Checks that entries with these numbers of changes are not too many for one request.
///
/// # Errors
///
/// The rule.
pub fn check_size(changes: impl IntoIterator<Item = usize>) -> Result<(), Message> {
    if changes.into_iter().fold(0, usize::saturating_add) > MAX_CHANGES_AT_ONCE {
        return Err(rule!(
            "{field} must have at most {MAX_CHANGES_AT_ONCE} changes in total; send several \
             requests",
            "изменений в {field} должно быть всего не больше {MAX_CHANGES_AT_ONCE}; отправьте \
             несколько запросов"
        ));
    }
    Ok(())
}

/// Checks each change of an adjustment, and their sums if all amounts are valid.
fn check_changes(
    changes: &[Amount],
    path: &Path,
    group: &Group,
    members: &BTreeSet<MemberId>,
    errors: &mut FieldErrors,
) -> Option<Vec<Change>> {
    let mut checked = Vec::new();
    let mut amounts = Vec::new();
    let mut named = BTreeSet::new();
    for (index, amount) in changes.iter().enumerate() {
        let path = path.index(index);
        let (user, currency) = amount.check(&path, group, members, errors);
        let money = amount.money(path.field("amount"), currency, errors);
        if money.is_some_and(|money| money.minor == 0) {
            errors.push(
                path.field("amount"),
                rule!("{field} must not be zero", "{field} не должно быть равно нулю"),
            );
        }
        if user.zip(currency).is_some_and(|change| !named.insert(change)) {
            let rule = rule!(
                "{field} must appear only once per currency",
                "{field} не должно повторяться для одной валюты"
            );
            errors.push(path.field("userId"), rule);
        }
        let Some(money) = money else { continue };
        amounts.push(money);
        let totals = errors.keep(path.field("amount"), totals(money));
        let change = |(user, totals)| Change { user, currency: money.currency, totals };
        checked.extend(user.zip(totals).map(change));
    }
    if changes.is_empty() {
        errors.push(
            path.clone(),
            rule!("{field} must not be empty", "{field} не должно быть пустым"),
        );
        return None;
    }
    if amounts.len() == changes.len() {
        for (currency, sum) in sums(&amounts).into_iter().filter(|(_, sum)| *sum != 0) {
            let sum = currency.to_major(sum);
            let rule = message!(
                "changes in {currency} must sum to zero, not to {sum}",
                "сумма изменений в {currency} должна быть равна нулю, а не {sum}"
            );
            errors.push(path.clone(), rule);
        }
    }
    (checked.len() == changes.len()).then_some(checked)
}

/// The sum of the amounts in each currency.
#[expect(clippy::arithmetic_side_effects, reason = "no list of `i64`s overflows an `i128`")]
fn sums(amounts: &[Money]) -> BTreeMap<Currency, i128> {
    let mut sums = BTreeMap::new();
    for Money { currency, minor } in amounts {
        *sums.entry(*currency).or_default() += i128::from(*minor);
    }
    sums
}

impl CheckedAdjustment {
    /// Whether the condition holds for the ledger after the adjustment.
    #[must_use]
    pub fn allows(&self, after: &Ledger) -> bool {
        self.condition.is_none_or(|(user, at_least)| {
            let user = after.links.resolve(user);
            after.balances.totals(at_least.currency, user).net() >= i128::from(at_least.minor)
        })
    }
}

impl Amount {
    /// The member and the currency, each if it is valid.
    fn check(
        &self,
        path: &Path,
        group: &Group,
        members: &BTreeSet<MemberId>,
        errors: &mut FieldErrors,
    ) -> (Option<MemberId>, Option<Currency>) {
        let member = |user: &MemberId| {
            let member = members.get(user).copied().ok_or_else(not_a_member);
            errors.keep(path.field("userId"), member)
        };
        (self.user.value().and_then(member), self.currency.or(group.currency))
    }

    /// The amount, if its number and its currency are valid.
    fn money(
        &self,
        path: Path,
        currency: Option<Currency>,
        errors: &mut FieldErrors,
    ) -> Option<Money> {
        errors.keep(path, Money::from_major(*self.number.value()?, currency?))
    }
}

/// Checks that `user` may revert the entry, with the rows of past members in `members`.
///
/// # Errors
///
/// [`Error::NotAnAdjustment`]; [`Error::NotYourAdjustment`] if the user neither pushed the
/// adjustment nor [acts for](acts_for) a member whose balance it changed.
pub fn check_revertible(
    entry: &Entry,
    links: &Links,
    user: UserId,
    members: &[Member],
) -> Result<(), Error> {
    let id = entry.entry_id.to_string();
    let other = |message| Err(Error::NotAnAdjustment(message));
    match entry.ref_type {
        RefType::Expense => other(message!(
            "entry {id} cannot be reverted: it belongs to an expense; delete or edit the expense \
             instead",
            "запись {id} нельзя отменить: она относится к расходу; удалите или измените сам расход"
        )),
        RefType::Settlement => other(message!(
            "entry {id} cannot be reverted: it belongs to a settlement, which is final; record a \
             settlement in the other direction instead",
            "запись {id} нельзя отменить: она относится к расчёту, а он окончателен; запишите \
             обратный расчёт"
        )),
        RefType::Link => other(message!(
            "entry {id} cannot be reverted: it belongs to a link of a guest to a user, which is \
             final",
            "запись {id} нельзя отменить: она о связи гостя с пользователем, а эта связь \
             окончательна"
        )),
        RefType::Adjustment => {
            let mut changed = entry.changes.iter().map(|change| links.resolve(change.user));
            let concerned =
                entry.actor_id == user || changed.any(|member| acts_for(user, member, members));
            let refused = || Error::NotYourAdjustment(id);
            concerned.then_some(()).ok_or_else(refused)
        }
    }
}

/// The totals that change a balance by an amount. A positive amount counts as sent and a negative
/// one as received, so the amounts sent and received have the same sum.
fn totals(change: Money) -> Result<Totals, AmountError> {
    let received = change.minor.min(0).checked_neg();
    Ok(Totals {
        sent: change.minor.max(0),
        received: received.ok_or(AmountError::TooLarge(change.currency))?,
        ..Totals::default()
    })
}
