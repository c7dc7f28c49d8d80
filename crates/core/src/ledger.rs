//! The ledger of a group: one entry for each event that moves money, and one running balance.
//!
//! Nothing here reads or writes a table: an event takes the ledger as it is and makes the next one,
//! and the table commits both or neither. Every event keeps two sums per currency: what was paid is
//! what is owed, what was sent is what was received. History is never rewritten: what was wrong is
//! reverted.

mod shown;
mod stored;

pub use shown::{MAX_SHOWN, Shown};

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use serde::{Deserialize, Serialize};

use crate::{
    currency::Currency,
    entry_id::EntryId,
    expense::Expense,
    id::{GroupId, UserId},
    settlement::{Settlement, Status},
    time::Timestamp,
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
    pub fn net(self) -> i128 {
        let [paid, owed, sent, received] =
            [self.paid, self.owed, self.sent, self.received].map(i128::from);
        paid.saturating_sub(owed).saturating_add(sent).saturating_sub(received)
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
    /// The changes do not come out: a mistake of ours, found before it is written.
    #[error("the changes in {0} do not sum to zero")]
    Unbalanced(Currency),
    /// The ledger has no entry of this sequence: what was read of it is not of one moment.
    #[error("the ledger has no entry {0}")]
    Missing(u64),
}

impl Balances {
    /// The currencies in which somebody has a total that is not zero.
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
        // `check` let no balance in that does not fit.
        self.of(currency).filter_map(|(user, totals)| Some((user, totals.net().try_into().ok()?)))
    }

    /// The sums over all members: `paid` is `owed`, `sent` is `received`.
    #[must_use]
    pub fn sums(&self, currency: Currency) -> Totals {
        let sum = |sum: Totals, (_, totals)| sum.plus(totals).unwrap_or(sum);
        self.of(currency).fold(Totals::default(), sum)
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
        let mut sums = Totals::default();
        for (_, totals) in self.of(currency) {
            sums = sums.plus(totals).ok_or(LedgerError::Overflow(currency))?;
            i64::try_from(totals.net()).map_err(|_| LedgerError::Overflow(currency))?;
        }
        if sums.paid != sums.owed || sums.sent != sums.received {
            return Err(LedgerError::Unbalanced(currency));
        }
        Ok(())
    }
}

/// What kind of event an entry stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RefType {
    /// An expense was recorded.
    Expense,
    /// A settlement was completed.
    Settlement,
    /// Somebody moved balances by hand: what another app kept, or a correction.
    Adjustment,
}

/// Whether an entry counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EntryStatus {
    /// It counts now.
    Applied,
    /// It counted until its revert.
    Reverted,
    /// It takes back what another entry did.
    Revert,
}

/// One event that moved money, as the ledger keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
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
    /// The expense as it was until it was edited or deleted, of a reverted entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expense: Option<Box<Expense>>,
}

impl Entry {
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
    /// What the completed settlements in a currency sum to.
    #[must_use]
    pub fn sum(&self, currency: Currency) -> i64 {
        self.0.get(&currency).copied().unwrap_or_default()
    }

    /// The sums after an event that changes totals so.
    fn after(&self, of: RefType, changes: &[Change]) -> Result<Self, LedgerError> {
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

impl Event {
    /// What recording `expense` does: its payer paid all of it, each sharer owes a part.
    ///
    /// # Errors
    ///
    /// [`LedgerError::Overflow`] where an amount is no count of the currency's minor units.
    pub fn of_expense(expense: &Expense) -> Result<Self, LedgerError> {
        let currency = expense.currency;
        let overflow = |_| LedgerError::Overflow(currency);
        let mut members: BTreeMap<UserId, Totals> = BTreeMap::new();
        let paid = currency.to_minor(expense.amount).map_err(overflow)?;
        members.entry(expense.payer_id).or_default().paid = paid;
        for share in &expense.splits {
            let owed = currency.to_minor(share.amount).map_err(overflow)?;
            let totals = members.entry(share.user_id).or_default();
            totals.owed = totals.owed.checked_add(owed).ok_or(LedgerError::Overflow(currency))?;
        }
        let changes = members.into_iter().filter(|(_, totals)| *totals != Totals::default());
        Ok(Self {
            ref_type: RefType::Expense,
            entry_id: expense.id.into(),
            note: None,
            changes: changes.map(|(user, totals)| Change { user, currency, totals }).collect(),
        })
    }

    /// What completing `settlement` does: one side sent, the other received.
    ///
    /// # Errors
    ///
    /// [`LedgerError::Overflow`] where the amount is no count of the currency's minor units.
    pub fn of_settlement(settlement: &Settlement) -> Result<Self, LedgerError> {
        let currency = settlement.currency;
        let minor =
            currency.to_minor(settlement.amount).map_err(|_| LedgerError::Overflow(currency))?;
        let sent = Totals { sent: minor, ..Totals::default() };
        let received = Totals { received: minor, ..Totals::default() };
        Ok(Self {
            ref_type: RefType::Settlement,
            entry_id: settlement.id.into(),
            note: None,
            changes: vec![
                Change { user: settlement.from_user_id, currency, totals: sent },
                Change { user: settlement.to_user_id, currency, totals: received },
            ],
        })
    }
}

impl Ledger {
    /// When an event is that happens `now`: after every other one of the group, by a millisecond at
    /// least.
    #[must_use]
    pub fn next_moment(&self, now: Timestamp) -> Timestamp {
        self.last_event_at.map_or(now, |last| now.max(last.next()))
    }

    /// The ledger after something at `at` that moved no money: a settlement that waits.
    #[must_use]
    pub fn touched(&self, at: Timestamp) -> Self {
        Self { version: self.version.saturating_add(1), last_event_at: Some(at), ..self.clone() }
    }

    /// The ledger after `event`, and the event's entry.
    ///
    /// # Errors
    ///
    /// [`LedgerError`] where the balances cannot take it.
    pub fn record(
        &self,
        group: GroupId,
        event: Event,
        actor: UserId,
        at: Timestamp,
    ) -> Result<(Self, Entry), LedgerError> {
        let mut next = self.touched(at);
        next.balances = self.balances.after(&event.changes)?;
        next.settled = self.settled.after(event.ref_type, &event.changes)?;
        next.sequence = self.sequence.saturating_add(1);
        next.count(event.ref_type, 1);
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
            expense: None,
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
    pub fn revert(
        &self,
        entry: &Entry,
        actor: UserId,
        at: Timestamp,
    ) -> Result<(Self, [Entry; 2]), LedgerError> {
        if entry.sequence >= self.sequence {
            return Err(LedgerError::Missing(entry.sequence));
        }
        let negate = |change: &Change| {
            let totals = change.totals.negated().ok_or(LedgerError::Overflow(change.currency))?;
            Ok(Change { totals, ..*change })
        };
        let changes = entry.changes.iter().map(negate).collect::<Result<Vec<_>, _>>()?;
        let mut next = self.touched(at);
        next.balances = self.balances.after(&changes)?;
        next.settled = self.settled.after(entry.ref_type, &changes)?;
        next.sequence = self.sequence.saturating_add(1);
        next.count(entry.ref_type, -1);
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
    pub fn replay<'a>(
        &self,
        entries: impl IntoIterator<Item = &'a Entry>,
    ) -> Result<Self, LedgerError> {
        let mut ledger = self.clone();
        for entry in entries {
            if entry.sequence != ledger.sequence {
                return Err(LedgerError::Missing(ledger.sequence));
            }
            ledger.balances.apply(&entry.changes)?;
            ledger.settled = ledger.settled.after(entry.ref_type, &entry.changes)?;
            ledger.version = ledger.version.saturating_add(1);
            ledger.last_event_at = Some(entry.created_at);
            ledger.sequence = ledger.sequence.saturating_add(1);
            let reverts = entry.status == EntryStatus::Revert;
            ledger.count(entry.ref_type, if reverts { -1 } else { 1 });
        }
        Ok(ledger)
    }

    fn count(&mut self, of: RefType, by: i64) {
        let count = match of {
            RefType::Expense => &mut self.expense_count,
            RefType::Settlement => &mut self.settlement_count,
            RefType::Adjustment => return,
        };
        *count = count.saturating_add_signed(by);
    }
}

/// All that a group's ledger stands for.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// The expenses that are there.
    pub expenses: Vec<Expense>,
    /// The settlements, whatever their state.
    pub settlements: Vec<Settlement>,
    /// Every entry there ever was, in order.
    pub entries: Vec<Entry>,
}

/// Where the ledger and the rows it stands for disagree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Discrepancy {
    /// What the ledger says.
    pub ledger: Box<Ledger>,
    /// Which rows say something else.
    pub against: &'static str,
    /// What they say.
    pub rows: Box<Ledger>,
}

impl fmt::Display for Discrepancy {
    /// Counts and currencies: it goes to the log, where no amount of anybody's stands.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = |ledger: &Ledger| {
            let Ledger { sequence, expense_count, settlement_count, .. } = ledger;
            format!("{sequence} entries, {expense_count} expenses, {settlement_count} settlements")
        };
        let (ledger, rows) = (&self.ledger, &self.rows);
        let currencies: BTreeSet<Currency> =
            ledger.balances.currencies().chain(rows.balances.currencies()).collect();
        let differ = currencies
            .into_iter()
            .filter(|currency| !ledger.balances.of(*currency).eq(rows.balances.of(*currency)))
            .map(Currency::code);
        let differ = differ.collect::<Vec<_>>().join(", ");
        let against = self.against;
        write!(
            f,
            "the ledger has {}, its {against} have {}; balances differ in [{differ}]",
            said(ledger),
            said(rows)
        )
    }
}

/// Computes the balances again, and compares them with a group's ledger: from its expenses,
/// settlements and adjustments as they are now, and from every entry there ever was.
///
/// # Errors
///
/// A [`Discrepancy`] where they differ in a total, a count or a sum, or where an entry is missing.
pub fn verify(ledger: &Ledger, rows: &Rows) -> Result<(), Discrepancy> {
    let entries = Ledger::default().replay(&rows.entries).unwrap_or_default();
    for (against, rows) in [("rows", rows.counted(ledger)), ("entries", entries)] {
        let same = rows.balances == ledger.balances
            && rows.settled == ledger.settled
            && rows.sequence == ledger.sequence
            && rows.expense_count == ledger.expense_count
            && rows.settlement_count == ledger.settlement_count;
        if !same || !ledger.is_balanced() {
            let ledger = Box::new(ledger.clone());
            return Err(Discrepancy { ledger, against, rows: Box::new(rows) });
        }
    }
    Ok(())
}

impl Rows {
    /// What the expenses, settlements and adjustments come to that count now.
    fn counted(&self, ledger: &Ledger) -> Ledger {
        let applied = self.entries.iter().filter(|entry| entry.status == EntryStatus::Applied);
        let entered: BTreeSet<&EntryId> = applied.clone().map(|entry| &entry.entry_id).collect();
        // Rows that the TypeScript Fracti wrote have no entry and never moved these balances. They
        // have ids of their own.
        let counts = |ours: bool, id: EntryId| ours || entered.contains(&id);
        let expenses = self.expenses.iter();
        let expenses = expenses.filter(|it| counts(it.id.created_at().is_some(), it.id.into()));
        let completed = self.settlements.iter().filter(|it| {
            it.status == Status::Completed && counts(it.id.created_at().is_some(), it.id.into())
        });
        let adjusted = applied.filter(|entry| entry.ref_type == RefType::Adjustment);
        let count = |rows: usize| u64::try_from(rows).unwrap_or(u64::MAX);
        let counted = Ledger {
            expense_count: count(expenses.clone().count()),
            settlement_count: count(completed.clone().count()),
            balances: Balances::default(),
            settled: Settled::default(),
            ..ledger.clone()
        };
        let settlements = completed.map(Event::of_settlement);
        let settlements = settlements.collect::<Result<Vec<_>, _>>();
        let events = expenses.map(Event::of_expense).map(|event| event.map(|it| it.changes));
        let adjusted = adjusted.map(|entry| Ok(entry.changes.clone()));
        let sums = || {
            let settled = settlements?.into_iter().flat_map(|event| event.changes);
            let settled: Vec<Change> = settled.collect();
            let mut changes = events.chain(adjusted).collect::<Result<Vec<_>, _>>()?.concat();
            changes.extend_from_slice(&settled);
            let mut ledger = counted.clone();
            ledger.settled = ledger.settled.after(RefType::Settlement, &settled)?;
            ledger.balances.apply(&changes)?;
            Ok::<_, LedgerError>(ledger)
        };
        sums().unwrap_or(counted)
    }
}

impl Ledger {
    fn is_balanced(&self) -> bool {
        self.balances.currencies().all(|currency| self.balances.check(currency).is_ok())
    }
}

#[cfg(test)]
mod tests;
