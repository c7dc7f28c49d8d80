//! The transaction of a step, to which rows are added until it is full.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::{
    decisions::{
        balance::{put_checkpoint, put_closing},
        tallies::tally_writes,
    },
    group::{Group, Member, MemberRow},
    input::Error,
    ledger::{Event, Ledger},
    records::{entry::Entry, expense::Expense},
    storage::{
        condition::Condition,
        keys::{self, Primary},
        write::{Transaction, Write},
    },
    v0::Anomaly,
    values::{
        decimal::Decimal,
        id::{GroupId, MemberId, UserId},
        tally_key::TallyKey,
        time::Timestamp,
    },
};

use super::Counts;

/// Maximum size of the rows of a transaction, in bytes. The conditions that rows have not changed
/// take about as much again, and a transaction has at most 4 MB.
///
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html>
const MAX_SIZE: usize = 1_500_000;

/// Number of writes besides those of rows and tallies: the balance row and the number of members.
const OTHERS: usize = 2;

/// What the migration of a row writes.
#[derive(Default)]
pub(super) struct MigratedRow {
    pub(super) writes: Vec<Write>,
    pub(super) event: Option<(Event, Timestamp, UserId)>,
    /// The expense as it is in a tally already, if it is in one, and as it will be.
    pub(super) tally: [Option<Expense>; 2],
    /// Members whom the row names.
    pub(super) named: Vec<MemberId>,
    pub(super) counts: Counts,
}

/// Whether a row was added to the transaction.
pub(super) enum Added {
    Yes,
    /// The transaction has no room for it.
    Full,
    /// It fits into no transaction, or the ledger refuses it.
    Never(Anomaly),
}

/// The transaction so far.
pub(super) struct Chunk<'a> {
    group: GroupId,
    missing_members: &'a BTreeMap<MemberId, Member>,
    pub(super) ledger: Ledger,
    pub(super) counts: Counts,
    /// Missing members whose rows are written.
    pub(super) introduced: Vec<Member>,
    writes: Vec<Write>,
    keys: HashSet<Primary>,
    size: usize,
    tallies: BTreeSet<TallyKey>,
    before: Vec<Expense>,
    after: Vec<Expense>,
}

impl<'a> Chunk<'a> {
    pub(super) fn new(
        group: GroupId,
        ledger: Ledger,
        missing_members: &'a BTreeMap<MemberId, Member>,
    ) -> Self {
        Self {
            group,
            missing_members,
            ledger,
            counts: Counts::default(),
            introduced: Vec::new(),
            writes: Vec::new(),
            keys: HashSet::new(),
            size: 0,
            tallies: BTreeSet::new(),
            before: Vec::new(),
            after: Vec::new(),
        }
    }

    /// Adds a row completely or not at all.
    pub(super) fn add(&mut self, part: MigratedRow) -> Result<Added, Error> {
        let MigratedRow { mut writes, event, tally: [before, after], named, mut counts } = part;
        let introduced = self.introductions(&named);
        for member in &introduced {
            let row = MemberRow { group_id: self.group, member: member.clone() };
            writes.push(Write::put_new(&row)?);
            counts.added_members = counts.added_members.saturating_add(1);
        }
        let mut ledger = None;
        if let Some((event, at, actor)) = event {
            let at = self.ledger.next_moment(at);
            let recorded = self.ledger.record(self.group, event, actor, at);
            let (next, entry): (Ledger, Entry) = match recorded {
                Ok(recorded) => recorded,
                Err(error) => return Ok(Added::Never(error.into())),
            };
            writes.push(Write::put_new(&entry)?);
            writes.extend(put_closing(self.group, &self.ledger, &next)?);
            writes.extend(put_checkpoint(self.group, &self.ledger, &next)?);
            counts.entries = 1;
            ledger = Some(next);
        }
        let tallies = [&before, &after].into_iter().flatten().filter_map(Expense::tally);
        let tallies: BTreeSet<TallyKey> = tallies.chain(self.tallies.iter().copied()).collect();
        let size = writes.iter().map(Write::size).fold(self.size, usize::saturating_add);
        let actions = [self.writes.len(), writes.len(), tallies.len(), OTHERS];
        let actions = actions.into_iter().fold(0, usize::saturating_add);
        let known = writes.iter().any(|write| self.keys.contains(write.key()));
        if actions > Transaction::ROOM || size > MAX_SIZE || known {
            let is_first = self.writes.is_empty();
            return Ok(if is_first { Added::Never(Anomaly::TooManyRows) } else { Added::Full });
        }
        self.keys.extend(writes.iter().map(|write| write.key().clone()));
        self.writes.extend(writes);
        (self.size, self.tallies) = (size, tallies);
        self.introduced.extend(introduced);
        self.before.extend(before);
        self.after.extend(after);
        self.counts.add(counts);
        if let Some(ledger) = ledger {
            self.ledger = ledger;
        }
        Ok(Added::Yes)
    }

    /// The missing members among these whose rows are not written yet.
    fn introductions(&self, named: &[MemberId]) -> Vec<Member> {
        let ids: BTreeSet<&MemberId> = named.iter().collect();
        let is_new = |id: &&MemberId| !self.introduced.iter().any(|member| member.id == **id);
        ids.into_iter()
            .filter(is_new)
            .filter_map(|id| self.missing_members.get(id))
            .cloned()
            .collect()
    }

    /// The transaction, without the balance row. New members are counted if `counts_members` is
    /// set.
    pub(super) fn transaction(&mut self, counts_members: bool) -> Result<Transaction, Error> {
        let mut transaction: Transaction = std::mem::take(&mut self.writes).into_iter().collect();
        let at = self.ledger.last_event_at.unwrap_or_default();
        transaction.extend(tally_writes(self.group, &self.before, &self.after, at)?);
        // Past members are not counted.
        let guests = self.introduced.iter().filter(|member| member.is_present()).count();
        if counts_members && guests > 0 {
            let counter = ("memberCount".to_owned(), Decimal::new(guests as i128, 0));
            let write = Write::add::<Group>(keys::group(self.group), [counter], []);
            transaction.add(write.when(Condition::present()));
        }
        Ok(transaction)
    }
}
