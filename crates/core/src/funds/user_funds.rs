//! All funds of a user, and what a transaction does to them.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    funds::{
        fund::{
            Bonus, Fund, FundFlow, FundKind, Held, MAX_BONUSES, MAX_BONUSES_USED, MAX_HELD,
            MAX_PENDING, Parts, Pending,
        },
        fund_transaction::{FundTransaction, FundTransactionType, NewEntry},
    },
    input::{Error, Limit, fund_error::FundError},
    values::{
        currency::{AmountError, Currency},
        fund_key::FundKey,
        fund_status::FundStatus,
        id::{FundTransactionId, UserId},
        money::Money,
        time::Timestamp,
    },
};

/// Seconds after which a pending entry without its transaction counts as left behind.
const ORPHAN_S: u64 = 60;

/// Funds that may pay, in order of use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payable {
    /// Bonuses first, then credit, then cash.
    All,
    /// Only cash.
    Cash,
}

/// All funds of a user, as they were read and as they are to be written.
#[derive(Clone, Debug)]
pub struct Funds {
    /// The user.
    pub owner: UserId,
    read: BTreeMap<FundKey, Fund>,
    rows: BTreeMap<FundKey, Fund>,
    /// Transactions that were left behind: their pending entries count nowhere.
    pub orphans: BTreeSet<FundTransactionId>,
}

/// A change of one row of funds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FundChange {
    /// The row is put.
    Put {
        /// The row.
        fund: Fund,
        /// Version that was read; 0 if there was no row.
        read: u64,
    },
    /// The row is deleted.
    Delete {
        /// The row as it was read.
        read: Fund,
    },
}

impl FundChange {
    /// Key of the fund that it changes.
    #[must_use]
    pub fn key(&self) -> FundKey {
        match self {
            Self::Put { fund, .. } => fund.key(),
            Self::Delete { read } => read.key(),
        }
    }
}

/// Funds of a user in a currency, in minor units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FundSums {
    /// All of it, with what is withheld.
    pub balance: i128,
    /// Usable part.
    pub available: i128,
    /// Part withheld for authorised transactions.
    pub withheld: i128,
}

impl FundSums {
    /// Both sums together.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            balance: self.balance.saturating_add(other.balance),
            available: self.available.saturating_add(other.available),
            withheld: self.withheld.saturating_add(other.withheld),
        }
    }
}

impl Funds {
    /// The funds of a user whose rows were read.
    #[must_use]
    pub fn new(owner: UserId, read: impl IntoIterator<Item = Fund>) -> Self {
        let read: BTreeMap<_, _> = read.into_iter().map(|fund| (fund.key(), fund)).collect();
        Self { owner, rows: read.clone(), read, orphans: BTreeSet::new() }
    }

    /// All funds, in the order of their keys.
    pub fn all(&self) -> impl Iterator<Item = &Fund> {
        self.rows.values()
    }

    /// The funds in a currency.
    pub fn of(&self, currency: Currency) -> impl Iterator<Item = &Fund> {
        self.all().filter(move |fund| fund.currency == currency)
    }

    /// One fund.
    #[must_use]
    pub fn get(&self, key: FundKey) -> Option<&Fund> {
        self.rows.get(&key)
    }

    /// The currencies of the funds, in order.
    #[must_use]
    pub fn currencies(&self) -> BTreeSet<Currency> {
        self.all().map(|fund| fund.currency).collect()
    }

    /// The user's funds of one kind in a currency, without held cash.
    #[must_use]
    pub fn sums(&self, currency: Currency, kind: FundKind, now: Timestamp) -> FundSums {
        let sums = |fund: &Fund| {
            let withheld = fund.withheld(&self.orphans);
            // The withheld part of a lapsed bonus can still be captured.
            let is_lapsed = fund.kind == FundKind::Bonus && fund.is_over(now);
            let balance = if is_lapsed { withheld } else { fund.balance };
            FundSums {
                balance: balance.into(),
                available: fund.available(&self.orphans, now).into(),
                withheld: withheld.into(),
            }
        };
        let of_kind = self.of(currency).filter(|fund| fund.kind == kind);
        of_kind.map(sums).fold(FundSums::default(), FundSums::plus)
    }

    /// The parts that pay an amount: bonuses by the time at which they lapse, then credit,
    /// then cash. They sum up to the amount, or to what is available of it if that is less. No part
    /// is negative.
    #[must_use]
    pub fn allocate(&self, amount: Money, from: Payable, now: Timestamp) -> Parts {
        let mut left = amount.minor.max(0);
        let mut take = |fund: &Fund| {
            let taken = fund.available(&self.orphans, now).min(left);
            left = left.saturating_sub(taken);
            taken
        };
        let mut parts = Parts::default();
        if from == Payable::All {
            let bonuses = self.of(amount.currency).filter(|it| it.kind == FundKind::Bonus);
            let mut bonuses: Vec<_> =
                bonuses.filter(|it| it.available(&self.orphans, now) > 0).collect();
            bonuses.sort_by_key(|bonus| (bonus.until, bonus.id));
            for bonus in bonuses.into_iter().take(MAX_BONUSES_USED) {
                let taken = take(bonus);
                if let Some(id) = bonus.id.filter(|_| taken > 0) {
                    parts.bonuses.insert(id, taken);
                }
            }
            parts.credit = self.get(FundKey::Credit(amount.currency)).map_or(0, &mut take);
        }
        parts.cash = self.get(FundKey::Cash(amount.currency)).map_or(0, take);
        parts
    }

    /// The parts that pay the whole amount.
    ///
    /// # Errors
    ///
    /// [`FundError::Insufficient`] if less is available.
    pub fn cover(&self, amount: Money, from: Payable, now: Timestamp) -> Result<Parts, FundError> {
        let parts = self.allocate(amount, from, now);
        let available = Money { minor: parts.total(), currency: amount.currency };
        if available.minor < amount.minor {
            let cash_only = from == Payable::Cash;
            return Err(FundError::Insufficient { needed: amount, available, cash_only });
        }
        Ok(parts)
    }

    /// Enters an authorised transaction in each of its funds.
    ///
    /// # Errors
    ///
    /// [`FundError::TooMany`] if a fund has as many as are allowed.
    pub fn authorise(&mut self, of: &FundTransaction) -> Result<(), FundError> {
        for (key, amount) in of.parts() {
            if self.is_full(key) {
                return Err(FundError::TooMany {
                    limit: Limit::FundTransactions,
                    most: MAX_PENDING,
                });
            }
            let fund = self.fund(key, of.currency, of.created_at);
            fund.pending.insert(of.id, Pending { amount, flow: of.flow });
        }
        Ok(())
    }

    /// Whether a fund has as many pending transactions as are allowed, without those that were left
    /// behind.
    #[must_use]
    pub fn is_full(&self, key: FundKey) -> bool {
        let pending = self.get(key).into_iter().flat_map(|fund| fund.pending.keys());
        pending.filter(|id| !self.orphans.contains(id)).count() >= MAX_PENDING
    }

    /// Completes an authorised transaction, whose amounts are withheld.
    ///
    /// # Errors
    ///
    /// [`Error::FundsMismatch`] if the funds do not agree with the transaction; [`Error::Invalid`]
    /// if they would exceed an `i64`.
    pub fn capture(&mut self, of: &FundTransaction, now: Timestamp) -> Result<(), Error> {
        self.release(of, now)?;
        self.apply(of, now)
    }

    /// Ends an authorised transaction without a change of balances.
    ///
    /// # Errors
    ///
    /// [`Error::FundsMismatch`] if the funds do not agree with the transaction.
    pub fn release(&mut self, of: &FundTransaction, now: Timestamp) -> Result<(), Error> {
        for (key, amount) in of.parts() {
            let fund = self
                .rows
                .get_mut(&key)
                .ok_or_else(|| Error::funds_mismatch("a fund is missing"))?;
            let entered = Pending { amount, flow: of.flow };
            if fund.pending.remove(&of.id) != Some(entered) {
                return Err(Error::funds_mismatch(
                    "a pending entry does not agree with its transaction",
                ));
            }
            fund.updated_at = now;
        }
        Ok(())
    }

    /// Adds or takes the amounts of a transaction that is not pending in the funds. A bonus that it
    /// spends is gone.
    ///
    /// # Errors
    ///
    /// [`Error::FundsMismatch`] if a fund would be negative; [`Error::Invalid`] if it would exceed
    /// an `i64`; [`FundError::TooMany`] for a bonus or held cash beyond those that are allowed.
    pub fn apply(&mut self, of: &FundTransaction, now: Timestamp) -> Result<(), Error> {
        for (key, amount) in of.parts() {
            self.check_room(key, of.currency)?;
            let fund = self.fund(key, of.currency, now);
            let balance = match of.flow {
                FundFlow::Credit => fund.balance.checked_add(amount),
                FundFlow::Debit => {
                    let left = fund.balance.checked_sub(amount).filter(|left| *left >= 0);
                    Some(left.ok_or_else(|| Error::funds_mismatch("a fund would be negative"))?)
                }
            };
            let too_large = || Error::invalid("amount", AmountError::TooLarge(of.currency));
            fund.balance = balance.ok_or_else(too_large)?;
            fund.updated_at = now;
            if let (Some(bonus), FundFlow::Debit) = (&mut fund.bonus, of.flow)
                && of.kind != FundTransactionType::Lapse
            {
                bonus.used(of.id, amount);
            }
            if fund.is_spent() {
                self.rows.remove(&key);
            }
        }
        Ok(())
    }

    /// Moves held cash, whose time is over, to the cash.
    ///
    /// # Errors
    ///
    /// [`Error::FundsMismatch`] if there is none; [`Error::Invalid`] if the cash would exceed an
    /// `i64`.
    pub fn use_held(&mut self, id: FundTransactionId, now: Timestamp) -> Result<(), Error> {
        let held = self.rows.remove(&FundKey::Held(id));
        let held = held.ok_or_else(|| Error::funds_mismatch("held cash is missing"))?;
        let cash = self.fund(FundKey::Cash(held.currency), held.currency, now);
        let too_large = || Error::invalid("amount", AmountError::TooLarge(held.currency));
        cash.balance = cash.balance.checked_add(held.balance).ok_or_else(too_large)?;
        cash.updated_at = now;
        Ok(())
    }

    /// Removes a bonus that was spent before its time was over. A row that still has a value or
    /// pending entries stays.
    pub fn end(&mut self, key: FundKey) {
        if self.get(key).is_some_and(Fund::is_spent) {
            self.rows.remove(&key);
        }
    }

    /// Sets the terms of the bonus that a transaction gives.
    pub fn give(&mut self, of: &FundTransaction, bonus: Bonus, until: Timestamp) {
        let fund = self.fund(FundKey::Bonus(of.id), of.currency, of.created_at);
        (fund.bonus, fund.until, fund.due_at) = (Some(bonus), Some(until), Some(until));
    }

    /// Sets the time from which the cash that a transaction paid can be used.
    pub fn hold(&mut self, of: &FundTransaction, held: Held, until: Timestamp, now: Timestamp) {
        let fund = self.fund(FundKey::Held(of.id), of.currency, now);
        (fund.held, fund.until, fund.due_at) = (Some(held), Some(until), Some(until));
    }

    /// Sets whether the owner takes payments in a currency without confirming each.
    pub fn accept(&mut self, currency: Currency, accepts: bool, now: Timestamp) {
        if self.said_of(currency) != Some(accepts) {
            self.fund(FundKey::Cash(currency), currency, now).accepts = Some(accepts);
        }
    }

    /// Whether the owner takes payments in a currency without confirming each.
    #[must_use]
    pub fn accepts(&self, currency: Currency) -> bool {
        self.said_of(currency) == Some(true)
    }

    fn said_of(&self, currency: Currency) -> Option<bool> {
        self.get(FundKey::Cash(currency)).and_then(|fund| fund.accepts)
    }

    /// Moves the time of the keeper's next attempt.
    pub fn postpone(&mut self, key: FundKey, due_at: Timestamp) {
        if let Some(fund) = self.rows.get_mut(&key) {
            (fund.due_at, fund.due_failures) = (Some(due_at), None);
        }
    }

    /// Removes the pending entries of transactions that were left behind, and returns their number.
    pub fn release_orphans(&mut self, now: Timestamp) -> usize {
        let keys: Vec<_> = self.rows.keys().copied().collect();
        let released = keys.into_iter().map(|key| self.release_orphans_of(key, now));
        released.fold(0, usize::saturating_add)
    }

    /// [`Funds::release_orphans`] of one fund.
    pub fn release_orphans_of(&mut self, key: FundKey, now: Timestamp) -> usize {
        let Self { rows, orphans, .. } = self;
        let Some(fund) = rows.get_mut(&key) else { return 0 };
        let before = fund.pending.len();
        fund.pending.retain(|id, _| !orphans.contains(id));
        let released = before.saturating_sub(fund.pending.len());
        if released > 0 {
            fund.updated_at = now;
        }
        released
    }

    /// Removes what the funds say of a transaction that is not completed. Bonuses name the one that
    /// was `written` for what they have already paid of it.
    pub fn forget(
        &mut self,
        id: FundTransactionId,
        written: Option<&FundTransaction>,
        now: Timestamp,
    ) {
        self.rows.retain(|_, fund| {
            let was_pending = fund.pending.remove(&id).is_some();
            let mut was_used = false;
            if let Some(bonus) = &mut fund.bonus {
                was_used = bonus.usage.remove(&id).is_some();
                let paid = written.filter(|it| it.flow == FundFlow::Debit);
                let paid = paid
                    .zip(fund.id)
                    .and_then(|(it, own)| it.bonus_usage.get(&own).map(|amount| (it.id, *amount)));
                if let Some((by, amount)) = paid {
                    bonus.used(by, amount);
                    was_used = true;
                }
            }
            if was_pending || was_used {
                fund.updated_at = now;
            }
            !(was_pending || was_used) || !fund.is_spent()
        });
    }

    /// A new authorised transaction of the user.
    #[must_use]
    pub fn enter(&self, entry: NewEntry) -> FundTransaction {
        let NewEntry { id, kind, flow, currency, parts, actor, now } = entry;
        let available = |key| self.get(key).map_or(0, |fund| fund.available(&self.orphans, now));
        let of_part = |part: i64, key| (part != 0).then(|| available(key));
        let bonuses = parts.bonuses.keys().map(|id| i128::from(available(FundKey::Bonus(*id))));
        let bonus_available =
            (!parts.bonuses.is_empty()).then(|| bonuses.fold(0, i128::saturating_add));
        FundTransaction {
            id,
            owner: self.owner,
            kind,
            flow,
            status: FundStatus::Authorised,
            ref_id: None,
            currency,
            amount: parts.total(),
            cash_amount: parts.cash,
            credit_amount: parts.credit,
            bonus_amount: parts.bonus(),
            cash_available: of_part(parts.cash, FundKey::Cash(currency)),
            credit_available: of_part(parts.credit, FundKey::Credit(currency)),
            bonus_available,
            bonus_usage: parts.bonuses,
            description: None,
            to: None,
            group_id: None,
            settlement_id: None,
            other_user_id: None,
            other_id: None,
            actor_id: actor,
            owner_name: None,
            waits_behind: None,
            created_at: now,
            expires_at: None,
            held_until: None,
            due_at: None,
            due_failures: None,
            ended_at: None,
            ended_by: None,
        }
    }

    /// All transactions that are pending in the funds.
    #[must_use]
    pub fn pending(&self) -> BTreeSet<FundTransactionId> {
        self.all().flat_map(|fund| fund.pending.keys().copied()).collect()
    }

    /// Whether the pending entries of a transaction, which has this row, were left behind.
    #[must_use]
    pub fn is_orphan(id: FundTransactionId, row: Option<&FundTransaction>, now: Timestamp) -> bool {
        match row.map(|row| row.status) {
            Some(FundStatus::Voided | FundStatus::Expired) => true,
            Some(_) => false,
            None => id.created_at().is_none_or(|at| at.plus_seconds(ORPHAN_S) < now),
        }
    }

    /// The changes since the rows were read.
    pub fn changes(&self) -> impl Iterator<Item = FundChange> {
        let put = self.rows.iter().filter_map(|(key, fund)| {
            let read = self.read.get(key);
            let version = read.map_or(0, |read| read.version);
            let fund = Fund { version: version.saturating_add(1), ..fund.clone() };
            let is_same = read.is_some_and(|read| {
                *read == Fund { version, updated_at: read.updated_at, ..fund.clone() }
            });
            (!is_same).then_some(FundChange::Put { fund, read: version })
        });
        let deleted = self.read.iter().filter(|(key, _)| !self.rows.contains_key(key));
        put.chain(deleted.map(|(_, read)| FundChange::Delete { read: read.clone() }))
    }

    /// The funds once their changes are written.
    #[must_use]
    pub fn written(mut self) -> Self {
        let changes: Vec<_> = self.changes().collect();
        for change in changes {
            if let FundChange::Put { fund, .. } = change {
                self.rows.insert(fund.key(), fund);
            }
        }
        Self { read: self.rows.clone(), ..self }
    }

    fn fund(&mut self, key: FundKey, currency: Currency, now: Timestamp) -> &mut Fund {
        let owner = self.owner;
        self.rows.entry(key).or_insert_with(|| Fund::new(owner, key, currency, now))
    }

    /// Refuses a new bonus, or new held cash, beyond the number that is allowed.
    fn check_room(&self, key: FundKey, currency: Currency) -> Result<(), FundError> {
        let (kind, most, limit) = match key {
            FundKey::Cash(_) | FundKey::Credit(_) => return Ok(()),
            FundKey::Bonus(_) => (FundKind::Bonus, MAX_BONUSES, Limit::Bonuses),
            FundKey::Held(_) => (FundKind::Held, MAX_HELD, Limit::HeldPayments),
        };
        let is_known = self.read.contains_key(&key);
        let of_kind = self.read.values().filter(|it| it.kind == kind && it.currency == currency);
        if !is_known && of_kind.filter(|it| !it.is_spent()).count() >= most {
            return Err(FundError::TooMany { limit, most });
        }
        Ok(())
    }
}
