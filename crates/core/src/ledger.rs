//! The ledger of a group: an entry for each event that changes balances, and the current balances.
//!
//! Nothing here reads or writes a table: recording an event returns the next ledger and the event's
//! entry, and the table commits both or neither. In every currency, the sum of `paid` over all
//! members always equals that of `owed`, and the sum of `sent` equals that of `received`. History
//! is never rewritten: a mistake is corrected by reverting its entry.
//!
//! The ledger does not depend on expenses or settlements: they turn themselves into an [`Event`].

pub mod balance;
mod linked;
mod settled;
mod shown;
mod stored;

pub use shown::{MAX_SHOWN, Shown};

use std::collections::{BTreeMap, BTreeSet};

use fracti_texts::{Message, Says, errors, message, rule};
use serde::{Deserialize, Serialize};

use crate::{
    group::{group_state::GroupState, links::Links},
    input::Error,
    storage::write::WriteError,
    values::{
        currency::{AmountError, Currency},
        entry_id::EntryId,
        id::{GroupId, GuestId, ImportId, MemberId, UserId},
        money::Money,
        time::Timestamp,
    },
    words,
};

/// The four running totals of a member in one currency, in minor units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Amount paid for expenses, minus refunds received.
    pub paid: i64,
    /// Sum of the member's shares of expenses, minus those of refunds.
    pub owed: i64,
    /// Amount sent in settlements.
    pub sent: i64,
    /// Amount received in settlements.
    pub received: i64,
}

impl Totals {
    /// The balance, which the group owes the member: `paid - owed + sent - received`. It is
    /// negative if the member owes.
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

    /// Adds the four totals to sums.
    #[expect(clippy::arithmetic_side_effects, reason = "no group has 2^64 totals")]
    fn added_to(self, sums: [i128; 4]) -> [i128; 4] {
        let [paid, owed, sent, received] = sums;
        [
            paid + i128::from(self.paid),
            owed + i128::from(self.owed),
            sent + i128::from(self.sent),
            received + i128::from(self.received),
        ]
    }

    /// The totals, if they all fit.
    fn of(sums: [i128; 4]) -> Option<Self> {
        let [paid, owed, sent, received] = sums.map(|sum| i64::try_from(sum).ok());
        Some(Self { paid: paid?, owed: owed?, sent: sent?, received: received? })
    }

    /// The totals that take these back, if they fit.
    #[must_use]
    pub fn negated(self) -> Option<Self> {
        Some(Self {
            paid: self.paid.checked_neg()?,
            owed: self.owed.checked_neg()?,
            sent: self.sent.checked_neg()?,
            received: self.received.checked_neg()?,
        })
    }
}

/// Amounts that an event adds to the totals of one member in one currency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The member.
    pub user: MemberId,
    /// The currency.
    pub currency: Currency,
    /// Amount added to each total, in minor units. A revert has negated amounts.
    pub totals: Totals,
}

/// Maximum number of balances of a ledger, one for each member and currency.
///
/// A row may have 400 KB, and a balance takes up to 99 bytes: 23 of the key of a guest, which is
/// shortened for this purpose, 20 of the names of the totals, 48 of numbers with 19 digits each,
/// and 8 of the maps. So 4000 balances take 396 000 bytes of 409 600, and the largest number of
/// links takes 8000 of the rest.
///
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-items>
pub const MAX_BALANCES: usize = 4000;

/// The totals of every member in every currency. Totals that are all zero are not stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Balances(BTreeMap<Currency, BTreeMap<MemberId, Totals>>);

/// Error returned for an event that the ledger cannot record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LedgerError {
    /// A total or a balance would not fit into an `i64` of minor units.
    Overflow(Currency),
    /// The ledger has no room for the balances of more members or currencies.
    Full,
    /// The changes of a currency do not sum to zero.
    Unbalanced(Currency),
    /// The revert would make the number of expenses or settlements negative.
    Uncounted,
    /// The ledger has no entry with this sequence: its rows were read at different moments.
    Missing(u64),
}

impl Says for LedgerError {
    fn says(&self) -> Message {
        match self {
            Self::Overflow(currency) => {
                let max = currency.to_major(i64::MAX);
                message!(
                    "amount must keep the group's totals in {currency} between -{max} and {max}",
                    "значение amount должно быть таким, чтобы итоги группы в {currency} остались \
                     между -{max} и {max}"
                )
            }
            Self::Full => rule!(
                "{field} must keep the group's ledger at or below {MAX_BALANCES} balances, one for \
                 each member and currency",
                "{field} должно быть таким, чтобы балансов в журнале группы (по одному на \
                 участника и валюту) осталось не больше {MAX_BALANCES}"
            ),
            Self::Unbalanced(currency) => message!(
                "the changes in {currency} do not sum to zero",
                "сумма изменений в {currency} не равна нулю"
            ),
            Self::Uncounted => {
                Message::same("the ledger's count of expenses or settlements is too low")
            }
            Self::Missing(number) => Message::same(format!("the ledger has no entry {number}")),
        }
    }
}

errors!(LedgerError);

impl From<AmountError> for LedgerError {
    /// An amount in a row that is not a valid [`Money`] cannot be recorded.
    fn from(error: AmountError) -> Self {
        match error {
            AmountError::TooFine(currency)
            | AmountError::TooLarge(currency)
            | AmountError::TooSmall(currency) => Self::Overflow(currency),
        }
    }
}

impl Balances {
    /// Currencies in which any member has a total that is not zero.
    pub fn currencies(&self) -> impl Iterator<Item = Currency> + '_ {
        self.0.keys().copied()
    }

    /// The totals of a member in a currency.
    #[must_use]
    pub fn totals(&self, currency: Currency, user: MemberId) -> Totals {
        self.0.get(&currency).and_then(|members| members.get(&user)).copied().unwrap_or_default()
    }

    /// Whether a member has totals in a currency that are not all zero.
    #[must_use]
    pub fn has(&self, currency: Currency, user: MemberId) -> bool {
        self.0.get(&currency).is_some_and(|members| members.contains_key(&user))
    }

    /// The currency in which `from` owes and `to` is owed, if there is exactly one.
    #[must_use]
    pub fn owed_currency(&self, from: MemberId, to: MemberId) -> Option<Currency> {
        let net = |currency, user| self.totals(currency, user).net();
        let mut owed = self.currencies().filter(|it| net(*it, from) < 0 && net(*it, to) > 0);
        owed.next().filter(|_| owed.next().is_none())
    }

    /// The totals of all members who have any in a currency, in order of their ids.
    pub fn of(&self, currency: Currency) -> impl Iterator<Item = (MemberId, Totals)> + '_ {
        self.0.get(&currency).into_iter().flatten().map(|(user, totals)| (*user, *totals))
    }

    /// The balance of each member in a currency, in minor units. The balances sum to zero.
    pub fn nets(&self, currency: Currency) -> impl Iterator<Item = (MemberId, i64)> + '_ {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "`check_range` refuses balances that do not fit, also when a row is read"
        )]
        self.of(currency).map(|(user, totals)| (user, totals.net() as i64))
    }

    /// The sums over all members, in which `paid` equals `owed` and `sent` equals `received`.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "`check_range` refuses balances whose sums do not fit, also when a row is read"
    )]
    pub fn sums(&self, currency: Currency) -> Totals {
        let [paid, owed, sent, received] = self.wide_sums(currency).map(|sum| sum as i64);
        Totals { paid, owed, sent, received }
    }

    /// The sums over all members. A sum of some members may exceed that of all, because totals are
    /// negative if refunds are.
    fn wide_sums(&self, currency: Currency) -> [i128; 4] {
        self.of(currency).fold([0; 4], |sums, (_, totals)| totals.added_to(sums))
    }

    /// The balances after `changes`.
    ///
    /// # Errors
    ///
    /// [`LedgerError`] if a total, a sum or a balance would overflow, there would be too many
    /// balances, or the changes do not sum to zero.
    pub fn after(&self, changes: &[Change]) -> Result<Self, LedgerError> {
        let mut next = self.clone();
        next.apply(changes)?;
        Ok(next)
    }

    /// Applies `changes`. After an error, they may be applied in part.
    fn apply(&mut self, changes: &[Change]) -> Result<(), LedgerError> {
        let before = self.count();
        let mut sums: BTreeMap<(Currency, MemberId), [i128; 4]> = BTreeMap::new();
        for Change { user, currency, totals } in changes {
            let sum = sums.entry((*currency, *user)).or_default();
            *sum = totals.added_to(*sum);
        }
        for ((currency, user), sum) in sums {
            let members = self.0.entry(currency).or_default();
            let before = members.get(&user).copied().unwrap_or_default();
            let after = Totals::of(before.added_to(sum)).ok_or(LedgerError::Overflow(currency))?;
            // Totals of zero are removed, so that a revert restores the same balances.
            if after == Totals::default() {
                members.remove(&user);
            } else {
                members.insert(user, after);
            }
        }
        self.0.retain(|_, members| !members.is_empty());
        // Only growth is refused, so that a full ledger can still revert entries.
        if self.count() > MAX_BALANCES && self.count() > before {
            return Err(LedgerError::Full);
        }
        for currency in changes.iter().map(|change| change.currency).collect::<BTreeSet<_>>() {
            self.check(currency)?;
        }
        Ok(())
    }

    /// Number of balances, each of one member in one currency.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.values().map(BTreeMap::len).sum()
    }

    fn check(&self, currency: Currency) -> Result<(), LedgerError> {
        let sums = self.check_range(currency)?;
        if sums.paid != sums.owed || sums.sent != sums.received {
            return Err(LedgerError::Unbalanced(currency));
        }
        Ok(())
    }

    /// The sums over all members, if the sums and all balances fit into an `i64`.
    fn check_range(&self, currency: Currency) -> Result<Totals, LedgerError> {
        let overflow = LedgerError::Overflow(currency);
        for (_, totals) in self.of(currency) {
            i64::try_from(totals.net()).map_err(|_| overflow)?;
        }
        Totals::of(self.wide_sums(currency)).ok_or(overflow)
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
        /// A guest was linked to a user, who takes over the guest's totals.
        Link = "link",
    }
}

words! {
    /// Status of a ledger entry.
    pub enum EntryStatus as "EntryStatus" {
        /// The entry counts.
        Applied = "applied",
        /// The entry counted until it was reverted.
        Reverted = "reverted",
        /// The entry reverts another one.
        Revert = "revert",
    }
}

/// The ledger's record of one event.
///
/// `S` is the type of the snapshot, which the ledger stores without using it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry<S> {
    /// Id of the expense or the settlement, the name that a client gave the adjustment, or the
    /// guest who was linked. A group has at most one current entry with the same id.
    pub entry_id: EntryId,
    /// Group of the ledger.
    pub group_id: GroupId,
    /// Position in the ledger, from 0 and without gaps.
    pub sequence: u64,
    /// Whether the entry counts.
    pub status: EntryStatus,
    /// Sequence of the revert, for a reverted entry; of the reverted entry, for a revert.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_sequence: Option<u64>,
    /// Kind of the event.
    pub ref_type: RefType,
    /// Id of the expense or the settlement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ref_id: Option<String>,
    /// Time in the key of the row of the expense or the settlement, if its id does not have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ref_created_at: Option<Timestamp>,
    /// User who caused the event.
    pub actor_id: UserId,
    /// Note of an adjustment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// User to whom the guest was linked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub linked_to: Option<UserId>,
    /// Import that recorded the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub import_id: Option<ImportId>,
    /// Changes to the members' totals.
    pub changes: Vec<Change>,
    /// Time at which the event was recorded.
    pub created_at: Timestamp,
    /// Snapshot of the event's expense, taken when the entry was reverted.
    #[serde(rename = "expense", skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<Box<S>>,
}

impl<S> Entry<S> {
    /// The changes to a member's totals, one for each currency.
    pub fn changes_of(&self, user: MemberId) -> impl Iterator<Item = &Change> {
        self.changes.iter().filter(move |change| change.user == user)
    }
}

/// The balances of a group, and the counters that the next event continues.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ledger {
    /// Grows by one with every write; zero if the ledger was never written. It is the group's lock:
    /// a write is committed only if the version is still the one that was read.
    pub version: u64,
    /// Sequence of the next entry.
    pub sequence: u64,
    /// Time of the last event, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_event_at: Option<Timestamp>,
    /// Number of expenses that count.
    pub expense_count: u64,
    /// Number of completed settlements.
    pub settlement_count: u64,
    /// Totals of all members.
    pub balances: Balances,
    /// Sums of the completed settlements. They do not follow from the totals, in which adjustments
    /// also count as sent and received.
    #[serde(default)]
    pub settled: Settled,
    /// The linked guests. Changes to the totals of one apply to the user.
    #[serde(default, skip_serializing_if = "Links::is_empty")]
    pub links: Links,
    /// Further contents of the balance row: who is a member, and whether the group is archived.
    #[serde(rename = "presence", default, skip_serializing_if = "GroupState::is_default")]
    pub state: GroupState,
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
            // Sums of zero are removed, so that a revert restores the same sums.
            next.0.retain(|_, sum| *sum != 0);
        }
        Ok(next)
    }
}

/// An expense, a settlement or an adjustment in the form that the ledger records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Kind of the event.
    pub ref_type: RefType,
    /// Id of the expense or the settlement, the name that a client gave the adjustment, or the
    /// guest who is linked.
    pub entry_id: EntryId,
    /// Time in the key of the row of the expense or the settlement, if its id does not have it.
    pub ref_created_at: Option<Timestamp>,
    /// Note of an adjustment.
    pub note: Option<String>,
    /// Changes to the members' totals.
    pub changes: Vec<Change>,
}

impl Ledger {
    /// The time of an event that happens `now`: at least one millisecond after the last event of
    /// the group.
    #[must_use]
    pub fn next_moment(&self, now: Timestamp) -> Timestamp {
        self.last_event_at.map_or(now, |last| now.max(last.next()))
    }

    /// The ledger after a write at `at` that changes no balances, like that of a pending
    /// settlement.
    #[must_use]
    #[expect(clippy::arithmetic_side_effects, reason = "no group has 2^64 writes")]
    pub fn touched(&self, at: Timestamp) -> Self {
        Self { version: self.version + 1, last_event_at: Some(at), ..self.clone() }
    }

    /// The ledger after `event`, and the event's entry.
    ///
    /// # Errors
    ///
    /// [`LedgerError`] if the balances cannot take the changes.
    pub fn record<S>(
        &self,
        group: GroupId,
        event: Event,
        actor: UserId,
        at: Timestamp,
    ) -> Result<(Self, Entry<S>), LedgerError> {
        let mut next = self.clone();
        let changes = self.resolved(event.changes)?;
        next.advance(event.ref_type, 1, &changes, at)?;
        let ref_id = match event.ref_type {
            RefType::Expense | RefType::Settlement => Some(event.entry_id.to_string()),
            RefType::Adjustment | RefType::Link => None,
        };
        let entry = Entry {
            ref_id,
            ref_created_at: event.ref_created_at,
            entry_id: event.entry_id,
            group_id: group,
            sequence: self.sequence,
            status: EntryStatus::Applied,
            other_sequence: None,
            ref_type: event.ref_type,
            actor_id: actor,
            note: event.note,
            linked_to: None,
            import_id: None,
            changes,
            created_at: at,
            snapshot: None,
        };
        Ok((next, entry))
    }

    /// Checks that the ledger can record these events, one after the other.
    ///
    /// # Errors
    ///
    /// The index of the first event that the balances cannot record, and the [`LedgerError`].
    pub fn check_events(
        &self,
        events: impl IntoIterator<Item = Result<Event, LedgerError>>,
    ) -> Result<(), (usize, LedgerError)> {
        let mut next = self.clone();
        for (index, event) in events.into_iter().enumerate() {
            let recorded = event.and_then(|event| {
                let changes = next.resolved(event.changes)?;
                // Only the balances matter; the time of the events is not known yet.
                next.advance(event.ref_type, 1, &changes, Timestamp::default())
            });
            recorded.map_err(|error| (index, error))?;
        }
        Ok(())
    }

    /// The ledger after a guest is linked to a user, who takes over all totals of the guest, and
    /// the entry of this event.
    ///
    /// # Errors
    ///
    /// [`LedgerError::Overflow`] if the user's balance would not fit.
    pub fn link<S>(
        &self,
        group: GroupId,
        guest: GuestId,
        user: UserId,
        actor: UserId,
        at: Timestamp,
    ) -> Result<(Self, Entry<S>), LedgerError> {
        let mut changes = Vec::new();
        for currency in self.balances.currencies() {
            let totals = self.balances.totals(currency, guest.into());
            if totals != Totals::default() {
                let taken = totals.negated().ok_or(LedgerError::Overflow(currency))?;
                changes.push(Change { user: guest.into(), currency, totals: taken });
                changes.push(Change { user: user.into(), currency, totals });
            }
        }
        let entry_id = EntryId::Link(guest);
        let event =
            Event { ref_type: RefType::Link, entry_id, ref_created_at: None, note: None, changes };
        let (mut next, entry) = self.record(group, event, actor, at)?;
        next.links.insert(guest, user);
        Ok((next, Entry { linked_to: Some(user), ..entry }))
    }

    /// The ledger after `entry` is reverted, and the two entries that replace it: the same entry
    /// with the status `reverted`, and its revert.
    ///
    /// # Errors
    ///
    /// [`LedgerError::Missing`] if the ledger is from before the entry; another [`LedgerError`] if
    /// the balances cannot take the changes.
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
        let changes = self.resolved(changes)?;
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

    /// The ledger after `entries`, which must be the next ones in order. Ledgers of past moments
    /// are calculated in this way.
    ///
    /// # Errors
    ///
    /// [`LedgerError::Missing`] if an entry is not the next one; another [`LedgerError`] if the
    /// balances cannot take the changes.
    pub fn replay<'a, S: 'a>(
        &self,
        entries: impl IntoIterator<Item = &'a Entry<S>>,
    ) -> Result<Self, LedgerError> {
        let mut ledger = self.clone();
        entries.into_iter().try_for_each(|entry| ledger.replay_next(entry))?;
        Ok(ledger)
    }

    /// Applies the next entry. After an error, it may be applied in part.
    ///
    /// # Errors
    ///
    /// As [`Ledger::replay`].
    pub(crate) fn replay_next<S>(&mut self, entry: &Entry<S>) -> Result<(), LedgerError> {
        if entry.sequence != self.sequence {
            return Err(LedgerError::Missing(self.sequence));
        }
        let count = match entry.status {
            EntryStatus::Applied | EntryStatus::Reverted => 1,
            EntryStatus::Revert => -1,
        };
        self.advance(entry.ref_type, count, &entry.changes, entry.created_at)?;
        if let (EntryId::Link(guest), Some(user)) = (&entry.entry_id, entry.linked_to) {
            self.links.insert(*guest, user);
        }
        Ok(())
    }

    /// Checks that the balances of each currency fit and sum to zero.
    ///
    /// # Errors
    ///
    /// [`LedgerError::Overflow`] or [`LedgerError::Unbalanced`].
    pub fn check(&self) -> Result<(), LedgerError> {
        self.balances.currencies().try_for_each(|currency| self.balances.check(currency))
    }

    /// Applies the next event, which adds `count` to the number of expenses or settlements. After
    /// an error, it may be applied in part.
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
            RefType::Adjustment | RefType::Link => return Ok(()),
        };
        *counted = counted.checked_add_signed(count).ok_or(LedgerError::Uncounted)?;
        Ok(())
    }
}

impl From<LedgerError> for WriteError {
    fn from(error: LedgerError) -> Self {
        match error {
            // The entry and the ledger were read before and after another write.
            LedgerError::Missing(_) | LedgerError::Uncounted => Self::Retry,
            LedgerError::Overflow(_) | LedgerError::Full | LedgerError::Unbalanced(_) => {
                Self::Fail(error.into())
            }
        }
    }
}

impl From<LedgerError> for Error {
    fn from(error: LedgerError) -> Self {
        match error {
            // The totals of the group have no room for the amount.
            LedgerError::Overflow(_) => Self::invalid("amount", error),
            LedgerError::Full => Self::invalid("currency", error),
            LedgerError::Unbalanced(_) | LedgerError::Uncounted | LedgerError::Missing(_) => {
                Self::Table(error.into())
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
