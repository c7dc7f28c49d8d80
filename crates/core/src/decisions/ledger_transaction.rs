//! A transaction on a group's ledger, to which each part of a request adds its rows.
//!
//! It adds the entries, the balance row on condition that its version is the one that was read, the
//! closing of a day that has ended, and a checkpoint if enough entries have followed the last one.

use crate::{
    decisions::{
        balance::{put_balance, put_checkpoint, put_closing, told},
        decision::Decision,
        tallies::tally_writes,
    },
    group::{MemberKey, group_state::GroupState, links::Links},
    input::Error,
    ledger::{EntryStatus, Event, Ledger, LedgerError, balance::Checkpoint},
    records::{entry::Entry, expense::Expense, group_change::Subject},
    storage::{
        condition::Condition,
        keys, row,
        write::{Transaction, Write, WriteError},
    },
    values::{
        id::{GroupId, GuestId, ImportId, MemberId, UserId},
        time::Timestamp,
    },
};

/// Number of writes that the commit adds at most: the balance row, a closing, a checkpoint and the
/// change that is told.
const COMMITTED: usize = 4;

/// Writes for an event in a group's ledger, and the ledger after it.
#[derive(Debug)]
pub struct LedgerTransaction {
    member_key: MemberKey,
    at: Timestamp,
    read: Ledger,
    next: Ledger,
    transaction: Transaction,
    told: Option<Subject>,
}

impl LedgerTransaction {
    /// Number of writes besides those of the commit.
    pub const ROOM: usize = Transaction::ROOM - COMMITTED;

    /// A transaction by a member on the ledger that was read. Its moment is `now`, or the next one
    /// after the ledger's last event if that is later.
    ///
    /// # Errors
    ///
    /// [`Error::NotMember`] if the member has left meanwhile; [`Error::GroupArchived`].
    pub fn new(member_key: MemberKey, read: Ledger, now: Timestamp) -> Result<Self, Error> {
        read.state.check_writer(member_key.user)?;
        Ok(Self::unchecked(member_key, read, now))
    }

    /// As [`LedgerTransaction::new`], for a user who is about to become a member, or a group that
    /// may be archived.
    #[must_use]
    pub fn unchecked(member_key: MemberKey, read: Ledger, now: Timestamp) -> Self {
        let at = read.next_moment(now);
        let next = read.clone();
        Self { member_key, at, read, next, transaction: Transaction::default(), told: None }
    }

    /// The group.
    #[must_use]
    pub const fn group(&self) -> GroupId {
        self.member_key.group
    }

    /// The moment of the event, which no other event of the group has.
    #[must_use]
    pub const fn at(&self) -> Timestamp {
        self.at
    }

    /// The ledger, with what the transaction has changed so far.
    #[must_use]
    pub const fn ledger(&self) -> &Ledger {
        &self.next
    }

    /// Version of the ledger after the transaction, if anything is written.
    #[must_use]
    pub const fn version(&self) -> u64 {
        // A write that is no event counts, too.
        let touched = self.read.version.saturating_add(1);
        if self.next.version > touched { self.next.version } else { touched }
    }

    /// The ledger before the transaction.
    #[must_use]
    pub const fn before(&self) -> &Ledger {
        &self.read
    }

    /// The state of the group, which the transaction may change.
    pub const fn state(&mut self) -> &mut GroupState {
        &mut self.next.state
    }

    /// Tells the group of the change, if anything is written.
    pub fn tell(&mut self, subject: Subject) {
        self.told = Some(subject);
    }

    /// Adds a write.
    pub fn add(&mut self, write: Write) {
        self.transaction.add(write);
    }

    /// Adds writes.
    pub fn add_all(&mut self, writes: impl IntoIterator<Item = Write>) {
        self.transaction.extend(writes);
    }

    /// The moment of the next event of the transaction.
    #[must_use]
    pub fn next_at(&self) -> Timestamp {
        self.next.next_moment(self.at)
    }

    /// Begins the next event of the transaction.
    pub fn next_event(&mut self) {
        self.at = self.next_at();
    }

    /// Whether there is nothing to write.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.transaction.is_empty()
    }

    /// Whether another event may be part of the transaction. All events of a transaction are on one
    /// day, because the closing of a day is written with the first event of a later day. The event
    /// at which a checkpoint is due is the last one.
    #[must_use]
    pub fn has_room_for_event(&self) -> bool {
        let reached = self.next.sequence.div_euclid(Checkpoint::EVERY)
            > self.read.sequence.div_euclid(Checkpoint::EVERY);
        let is_first = self.next.version == self.read.version;
        !reached && (is_first || self.next_at().day() == self.at.day())
    }

    /// Number of writes that still fit beside those of the commit.
    #[must_use]
    pub const fn room(&self) -> usize {
        self.transaction.room().saturating_sub(COMMITTED)
    }

    /// Adds the changes of tallies for expenses that change from `before` to `after`.
    pub fn tally<'a>(
        &mut self,
        before: impl IntoIterator<Item = &'a Expense>,
        after: impl IntoIterator<Item = &'a Expense>,
    ) -> Result<(), Error> {
        self.add_all(tally_writes(self.member_key.group, before, after, self.at)?);
        Ok(())
    }

    /// The entry of an event and the ledger after it, which are not yet part of the transaction.
    pub fn recorded(&self, event: Event) -> Result<(Ledger, Entry), LedgerError> {
        self.next.record(self.member_key.group, event, self.member_key.user, self.at)
    }

    /// Adds the entry of an event, whose name must not have a current entry, and the ledger after
    /// it.
    pub fn insert(&mut self, (next, entry): (Ledger, &Entry)) -> Result<(), Error> {
        self.next = next;
        self.add(Write::put_new(entry)?);
        Ok(())
    }

    /// The guests who were linked before the transaction.
    #[must_use]
    pub const fn links(&self) -> &Links {
        &self.read.links
    }

    /// Links a guest to a user, who takes over the guest's totals.
    pub fn link(&mut self, guest: GuestId, user: UserId) -> Result<(), WriteError> {
        let MemberKey { group, user: actor } = self.member_key;
        let (next, entry) = self.next.link(group, guest, user, actor, self.at)?;
        Ok(self.insert((next, &entry))?)
    }

    /// Records an event, whose name must not have a current entry.
    pub fn record(&mut self, event: Event) -> Result<(), WriteError> {
        let (next, entry) = self.recorded(event)?;
        Ok(self.insert((next, &entry))?)
    }

    /// Records an event of an import, whose name must not have a current entry.
    pub fn import(&mut self, event: Event, import: ImportId) -> Result<(), WriteError> {
        let (next, entry) = self.recorded(event)?;
        Ok(self.insert((next, &Entry { import_id: Some(import), ..entry }))?)
    }

    /// Begins a settlement between these parties, which is an event that changes no balances.
    pub fn begin_settlement(&mut self, parties: [MemberId; 2]) {
        self.next = self.next.touched(self.at);
        self.next.state.began(parties);
    }

    /// Reverts a current entry and stores the snapshot in it.
    pub fn revert(
        &mut self,
        entry: &Entry,
        snapshot: Option<&Expense>,
    ) -> Result<Entry, WriteError> {
        let revert = self.take_back(entry, snapshot)?;
        let delete = Write::delete(keys::entry(entry.group_id, &entry.entry_id));
        self.add(delete.when(is_current(entry)?));
        Ok(revert)
    }

    /// Reverts a current entry and records an event of the same name, of an import if there is one,
    /// in its place.
    pub fn replace(
        &mut self,
        entry: &Entry,
        snapshot: Option<&Expense>,
        event: Event,
        import: Option<ImportId>,
    ) -> Result<(), WriteError> {
        self.take_back(entry, snapshot)?;
        let (next, current) = self.recorded(event)?;
        let current = Entry { import_id: import, ..current };
        self.next = next;
        self.add(Write::put(&current)?.when(is_current(entry)?));
        Ok(())
    }

    /// The decision to commit the transaction, unless no part of the request has a row.
    pub fn commit<T>(self, result: T) -> Result<Decision<T>, WriteError> {
        Ok(Decision::of(self.finished()?, result))
    }

    /// The transaction with the rows of the ledger, unless no part of the request has a row.
    pub fn finished(self) -> Result<Transaction, Error> {
        let Self { member_key, at, read, mut next, mut transaction, told: subject } = self;
        let group = member_key.group;
        if transaction.is_empty() {
            return Ok(transaction);
        }
        if next.version == read.version {
            next = next.touched(at);
        }
        next.state.forget(at);
        transaction.extend(put_closing(group, &read, &next)?);
        transaction.extend(put_checkpoint(group, &read, &next)?);
        if let Some(subject) = subject {
            transaction.add(told(member_key, &read, &mut next, at, subject)?);
        }
        transaction.add(put_balance(group, &read, &next)?);
        Ok(transaction)
    }

    /// Reverts a current entry in the ledger, adds the rows of the reverted entry and of its
    /// revert, and returns the revert.
    fn take_back(
        &mut self,
        entry: &Entry,
        snapshot: Option<&Expense>,
    ) -> Result<Entry, WriteError> {
        let (next, [reverted, revert]) = self.next.revert(entry, self.member_key.user, self.at)?;
        self.next = next;
        let reverted = Entry { snapshot: snapshot.cloned().map(Box::new), ..reverted };
        for past in [&reverted, &revert] {
            self.add(Write::put_new(past)?);
        }
        Ok(revert)
    }
}

/// Condition that the entry is the current one of its name.
fn is_current(entry: &Entry) -> Result<Condition, Error> {
    debug_assert_eq!(entry.status, EntryStatus::Applied, "only an applied entry is current");
    Ok(Condition::equal("sequence", row::to_value(&entry.sequence)?))
}
