//! The ledger of a group: one entry for each event that moves money, and one running balance.
//!
//! Nothing here reads or writes a table: an event takes the ledger as it is and makes the next one,
//! and the table commits both or neither. Every event keeps two sums per currency: what was paid is
//! what is owed, what was sent is what was received. History is never rewritten: what was wrong is
//! reverted.
//!
//! The ledger knows no expense and no settlement: they turn themselves into an [`Event`].

mod shown;
mod stored;

pub use shown::{MAX_SHOWN, Shown};

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::{
    currency::{AmountError, Currency},
    entry_id::EntryId,
    id::{GroupId, UserId},
    money::Money,
    time::Timestamp,
    words,
};

/// The four running totals of a member in one currency, in minor units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// What the member paid for expenses.
    pub paid: i64,
    /// The member's shares of expenses.
    pub owed: i64,
    /// What the member sent in settlements.
    pub sent: i64,
    /// What the member received in settlements.
    pub received: i64,
}

impl Totals {
    /// What the group owes the member: `paid - owed + sent - received`; below zero where the member
    /// owes.
    #[must_use]
    #[expect(clippy::arithmetic_side_effects, reason = "four `i64` always fit into an `i128`")]
    pub fn net(self) -> i128 {
        let [paid, owed, sent, received] =
            [self.paid, self.owed, self.sent, self.received].map(i128::from);
        paid - owed + sent - received
    }

    /// The difference, unless it overflows.
    #[must_use]
    pub fn minus(self, other: Self) -> Option<Self> {
        self.plus(other.negated()?)
    }

    /// The sum, unless it overflows.
    #[must_use]
    pub fn plus(self, other: Self) -> Option<Self> {
        Some(Self {
            paid: self.paid.checked_add(other.paid)?,
            owed: self.owed.checked_add(other.owed)?,
            sent: self.sent.checked_add(other.sent)?,
            received: self.received.checked_add(other.received)?,
        })
    }

    fn negated(self) -> Option<Self> {
        Some(Self {
            paid: self.paid.checked_neg()?,
            owed: self.owed.checked_neg()?,
            sent: self.sent.checked_neg()?,
            received: self.received.checked_neg()?,
        })
    }
}

/// What an event adds to the totals of one member in one currency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The member.
    pub user: UserId,
    /// The currency.
    pub currency: Currency,
    /// What is added to each total, in minor units; below zero in a revert.
    pub totals: Totals,
}

/// How many balances a ledger has at the most, of members in currencies: its row has 400 KB, and
/// each takes up to 100 bytes.
///
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-items>
pub const MAX_BALANCES: usize = 4000;

/// The totals of every member in every currency; who has none has only zeros.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Balances(BTreeMap<Currency, BTreeMap<UserId, Totals>>);

/// Why an event cannot enter the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LedgerError {
    /// A total or a balance would not fit into an `i64` of minor units.
    #[error(
        "amount must keep the group's totals in {0} at or below {max}",
        max = .0.to_major(i64::MAX)
    )]
    Overflow(Currency),
    /// There is no room for the balances of more members or currencies.
    #[error(
        "currency must keep the group's ledger at or below {MAX_BALANCES} balances, one for each \
         member and currency"
    )]
    Full,
    /// The changes of a currency do not sum to zero.
    #[error("the changes in {0} do not sum to zero")]
    Unbalanced(Currency),
    /// The ledger counts no expense or settlement that could be reverted.
    #[error("the ledger counts fewer expenses or settlements than it has")]
    Uncounted,
    /// The ledger has no entry of this sequence: what was read of it is not of one moment.
    #[error("the ledger has no entry {0}")]
    Missing(u64),
}

impl From<AmountError> for LedgerError {
    /// An amount of a row that is no [`Money`] cannot enter the ledger.
    fn from(error: AmountError) -> Self {
        match error {
            AmountError::TooFine(currency) | AmountError::TooLarge(currency) => {
                Self::Overflow(currency)
            }
        }
    }
}

impl Balances {
    /// Currencies in which a member has a total that is not zero.
    pub fn currencies(&self) -> impl Iterator<Item = Currency> + '_ {
        self.0.keys().copied()
    }

    /// The totals of a member.
    #[must_use]
    pub fn totals(&self, currency: Currency, user: UserId) -> Totals {
        self.0.get(&currency).and_then(|members| members.get(&user)).copied().unwrap_or_default()
    }

    /// Whether a member has totals in a currency that are not all zero.
    #[must_use]
    pub fn has(&self, currency: Currency, user: UserId) -> bool {
        self.0.get(&currency).is_some_and(|members| members.contains_key(&user))
    }

    /// The one currency in which `from` owes and `to` is owed; none if there are several.
    #[must_use]
    pub fn owed_currency(&self, from: UserId, to: UserId) -> Option<Currency> {
        let net = |currency, user| self.totals(currency, user).net();
        let mut owed = self.currencies().filter(|it| net(*it, from) < 0 && net(*it, to) > 0);
        owed.next().filter(|_| owed.next().is_none())
    }

    /// The totals of all members who have some in a currency, by id.
    pub fn of(&self, currency: Currency) -> impl Iterator<Item = (UserId, Totals)> + '_ {
        self.0.get(&currency).into_iter().flatten().map(|(user, totals)| (*user, *totals))
    }

    /// What the group owes each member in a currency, in minor units: they sum to zero.
    pub fn nets(&self, currency: Currency) -> impl Iterator<Item = (UserId, i64)> + '_ {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "`check_range` refuses balances that do not fit, also when a row is read"
        )]
        self.of(currency).map(|(user, totals)| (user, totals.net() as i64))
    }

    /// The sums over all members: `paid` is `owed`, `sent` is `received`.
    #[must_use]
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "`check_range` refuses balances whose sums do not fit, also when a row is read"
    )]
    pub fn sums(&self, currency: Currency) -> Totals {
        self.of(currency).fold(Totals::default(), |sum, (_, totals)| Totals {
            paid: sum.paid + totals.paid,
            owed: sum.owed + totals.owed,
            sent: sum.sent + totals.sent,
            received: sum.received + totals.received,
        })
    }

    /// The balances after `changes`.
    ///
    /// # Errors
    ///
    /// [`LedgerError`] where a total, a sum or a balance would overflow, or the sums would not come
    /// out.
    pub fn after(&self, changes: &[Change]) -> Result<Self, LedgerError> {
        let mut next = self.clone();
        next.apply(changes)?;
        Ok(next)
    }

    /// Makes `changes`; after an error they are half made.
    fn apply(&mut self, changes: &[Change]) -> Result<(), LedgerError> {
        let before = self.len();
        for Change { user, currency, totals } in changes {
            let members = self.0.entry(*currency).or_default();
            let before = members.get(user).copied().unwrap_or_default();
            let after = before.plus(*totals).ok_or(LedgerError::Overflow(*currency))?;
            // Who has only zeros is left out, so that a revert leads back to the same balances.
            if after == Totals::default() {
                members.remove(user);
            } else {
                members.insert(*user, after);
            }
        }
        self.0.retain(|_, members| !members.is_empty());
        // A revert leads back to fewer, so what is there can always be taken back.
        if self.len() > MAX_BALANCES && self.len() > before {
            return Err(LedgerError::Full);
        }
        for currency in changes.iter().map(|change| change.currency).collect::<BTreeSet<_>>() {
            self.check(currency)?;
        }
        Ok(())
    }

    fn len(&self) -> usize {
        self.0.values().map(BTreeMap::len).sum()
    }

    fn check(&self, currency: Currency) -> Result<(), LedgerError> {
        let sums = self.check_range(currency)?;
        if sums.paid != sums.owed || sums.sent != sums.received {
            return Err(LedgerError::Unbalanced(currency));
        }
        Ok(())
    }

    /// The sums over all members, if they and each balance fit.
    fn check_range(&self, currency: Currency) -> Result<Totals, LedgerError> {
        let overflow = LedgerError::Overflow(currency);
        self.of(currency).try_fold(Totals::default(), |sums, (_, totals)| {
            i64::try_from(totals.net()).map_err(|_| overflow)?;
            sums.plus(totals).ok_or(overflow)
        })
    }
}

words! {
    /// Kind of event that a ledger entry records.
    pub enum RefType as "EntryRefType" {
        /// An expense was recorded.
        Expense = "expense",
        /// A settlement was completed.
        Settlement = "settlement",
        /// A member adjusted balances: by the balances of another app, or as a correction.
        Adjustment = "adjustment",
    }
}

words! {
    /// Status of a ledger entry.
    pub enum EntryStatus as "EntryStatus" {
        /// It counts now.
        Applied = "applied",
        /// It counted until its revert.
        Reverted = "reverted",
        /// It takes back what another entry did.
        Revert = "revert",
    }
}

/// One event that moved money, as the ledger keeps it.
///
/// `S` is a snapshot of what the event stood for, which the ledger only stores.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry<S> {
    /// Names the event: the id of its expense or settlement, or what a client called its
    /// adjustment. The group has one current entry of a name.
    pub entry_id: EntryId,
    /// Whose ledger it is in.
    pub group_id: GroupId,
    /// Its place in the ledger: the first event has 0, and there is no gap.
    pub sequence: u64,
    /// Whether it counts.
    pub status: EntryStatus,
    /// Of what was reverted, the revert; of a revert, what it takes back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_sequence: Option<u64>,
    /// What kind of event it is.
    pub ref_type: RefType,
    /// The id of the expense or the settlement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ref_id: Option<String>,
    /// Who did it.
    pub actor_id: UserId,
    /// What it was for, of an adjustment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// What it adds to whose totals.
    pub changes: Vec<Change>,
    /// When it entered the ledger.
    pub created_at: Timestamp,
    /// Snapshot of what the event stood for until the entry was reverted.
    #[serde(rename = "expense", skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<Box<S>>,
}

impl<S> Entry<S> {
    /// What it adds to a member's totals in each currency.
    pub fn changes_of(&self, user: UserId) -> impl Iterator<Item = &Change> {
        self.changes.iter().filter(move |change| change.user == user)
    }
}

/// A group's balances, and what its next event needs to know.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ledger {
    /// Grows by one with every write; zero is a ledger not yet written. The group's lock: a write
    /// expects the one it read.
    pub version: u64,
    /// The sequence that the next entry gets.
    pub sequence: u64,
    /// When the last event was; none yet in a new group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_event_at: Option<Timestamp>,
    /// How many expenses count.
    pub expense_count: u64,
    /// How many settlements are completed.
    pub settlement_count: u64,
    /// Everybody's totals.
    pub balances: Balances,
    /// What the completed settlements sum to. The totals cannot say it: adjustments count in them
    /// as sent and received.
    #[serde(default)]
    pub settled: Settled,
}

/// Sums of completed settlements by currency, in minor units.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settled(BTreeMap<Currency, i64>);

impl Settled {
    /// The sum of the completed settlements in a currency.
    #[must_use]
    pub fn sum(&self, currency: Currency) -> Money {
        Money { currency, minor: self.0.get(&currency).copied().unwrap_or_default() }
    }

    /// The sums after an event of this kind with these changes.
    pub(crate) fn after(&self, of: RefType, changes: &[Change]) -> Result<Self, LedgerError> {
        let mut next = self.clone();
        if of == RefType::Settlement {
            for Change { currency, totals, .. } in changes {
                let sum = next.0.entry(*currency).or_default();
                *sum = sum.checked_add(totals.sent).ok_or(LedgerError::Overflow(*currency))?;
            }
            // What is zero is left out, so that a revert leads back to the same sums.
            next.0.retain(|_, sum| *sum != 0);
        }
        Ok(next)
    }
}

/// What an expense, a settlement or an adjustment does to the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// What kind of event it is.
    pub ref_type: RefType,
    /// What its entry is called: the id of the expense or the settlement, or a client's name for an
    /// adjustment.
    pub entry_id: EntryId,
    /// What an adjustment is for.
    pub note: Option<String>,
    /// What it adds to whose totals.
    pub changes: Vec<Change>,
}

impl Ledger {
    /// When an event is that happens `now`: after every other one of the group, by a millisecond at
    /// least.
    #[must_use]
    pub fn next_moment(&self, now: Timestamp) -> Timestamp {
        self.last_event_at.map_or(now, |last| now.max(last.next()))
    }

    /// The ledger after a write at `at` that moved no money, like that of a pending settlement.
    #[must_use]
    #[expect(clippy::arithmetic_side_effects, reason = "no group has 2^64 writes")]
    pub fn touched(&self, at: Timestamp) -> Self {
        Self { version: self.version + 1, last_event_at: Some(at), ..self.clone() }
    }

    /// The ledger after `event`, and the event's entry.
    ///
    /// # Errors
    ///
    /// [`LedgerError`] where the balances cannot take it.
    pub fn record<S>(
        &self,
        group: GroupId,
        event: Event,
        actor: UserId,
        at: Timestamp,
    ) -> Result<(Self, Entry<S>), LedgerError> {
        let mut next = self.clone();
        next.advance(event.ref_type, 1, &event.changes, at)?;
        let entry = Entry {
            ref_id: (event.ref_type != RefType::Adjustment).then(|| event.entry_id.to_string()),
            entry_id: event.entry_id,
            group_id: group,
            sequence: self.sequence,
            status: EntryStatus::Applied,
            other_sequence: None,
            ref_type: event.ref_type,
            actor_id: actor,
            note: event.note,
            changes: event.changes,
            created_at: at,
            snapshot: None,
        };
        Ok((next, entry))
    }

    /// The ledger after `entry` is taken back, and the two rows of history that tell it: the entry
    /// as it was, now reverted, and its revert.
    ///
    /// # Errors
    ///
    /// [`LedgerError::Missing`] where the ledger is of before the entry; [`LedgerError`] where the
    /// balances cannot take it.
    pub fn revert<S: Clone>(
        &self,
        entry: &Entry<S>,
        actor: UserId,
        at: Timestamp,
    ) -> Result<(Self, [Entry<S>; 2]), LedgerError> {
        if entry.sequence >= self.sequence {
            return Err(LedgerError::Missing(entry.sequence));
        }
        let negate = |change: &Change| {
            let totals = change.totals.negated().ok_or(LedgerError::Overflow(change.currency))?;
            Ok(Change { totals, ..*change })
        };
        let changes = entry.changes.iter().map(negate).collect::<Result<Vec<_>, LedgerError>>()?;
        let mut next = self.clone();
        next.advance(entry.ref_type, -1, &changes, at)?;
        let reverted = Entry {
            status: EntryStatus::Reverted,
            other_sequence: Some(self.sequence),
            ..entry.clone()
        };
        let revert = Entry {
            sequence: self.sequence,
            status: EntryStatus::Revert,
            other_sequence: Some(entry.sequence),
            actor_id: actor,
            changes,
            created_at: at,
            ..entry.clone()
        };
        Ok((next, [reverted, revert]))
    }

    /// The ledger after `entries`, which are those that follow it, in order: what it was at any
    /// past moment.
    ///
    /// # Errors
    ///
    /// [`LedgerError::Missing`] where an entry is not the next one; [`LedgerError`] where the
    /// balances cannot take it.
    pub fn replay<'a, S: 'a>(
        &self,
        entries: impl IntoIterator<Item = &'a Entry<S>>,
    ) -> Result<Self, LedgerError> {
        let mut ledger = self.clone();
        for entry in entries {
            if entry.sequence != ledger.sequence {
                return Err(LedgerError::Missing(ledger.sequence));
            }
            let count = match entry.status {
                EntryStatus::Applied | EntryStatus::Reverted => 1,
                EntryStatus::Revert => -1,
            };
            ledger.advance(entry.ref_type, count, &entry.changes, entry.created_at)?;
        }
        Ok(ledger)
    }

    /// Checks that the balances of each currency fit and sum to zero.
    ///
    /// # Errors
    ///
    /// [`LedgerError::Overflow`] or [`LedgerError::Unbalanced`].
    pub fn check(&self) -> Result<(), LedgerError> {
        self.balances.currencies().try_for_each(|currency| self.balances.check(currency))
    }

    /// Takes in the next event, which adds `count` to the expenses or settlements; after an error
    /// it is half taken in.
    #[expect(clippy::arithmetic_side_effects, reason = "no group has 2^64 writes")]
    fn advance(
        &mut self,
        ref_type: RefType,
        count: i64,
        changes: &[Change],
        at: Timestamp,
    ) -> Result<(), LedgerError> {
        self.balances.apply(changes)?;
        self.settled = self.settled.after(ref_type, changes)?;
        self.version += 1;
        self.sequence += 1;
        self.last_event_at = Some(at);
        let counted = match ref_type {
            RefType::Expense => &mut self.expense_count,
            RefType::Settlement => &mut self.settlement_count,
            RefType::Adjustment => return Ok(()),
        };
        *counted = counted.checked_add_signed(count).ok_or(LedgerError::Uncounted)?;
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests;
