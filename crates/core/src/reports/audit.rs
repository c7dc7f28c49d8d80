//! The audit of a group: every row and every index attribute that follows from other rows is
//! computed again, and compared with what is stored.
//!
//! The rows of expenses, settlements and entries are what happened; nothing replaces them. All
//! other rows follow from them, and so does how to mend one. Where an entry and its expense or
//! settlement differ, the balance row decides which of the two is right. A row that cannot be
//! trusted is reported once, and what follows from it is left as it is.

mod compare;
mod entries;
mod ledger;
mod members;
mod read;
mod records;

use crate::{
    group::Group,
    ledger::Ledger,
    records::settlement::Settlement,
    storage::{
        keys::{self, Primary},
        row::{AttributeValue, Item, from_item},
    },
    values::{
        id::{GroupId, SettlementId},
        time::Timestamp,
    },
};

use read::{Entries, LedgerRows, Records};

/// All rows of a group, as they are stored at one moment.
#[derive(Clone, Debug, Default)]
pub struct Stored {
    /// Rows of the group's partition.
    pub records: Vec<Item>,
    /// Rows of the partition of the group's ledger, such as the balance row.
    pub ledger: Vec<Item>,
    /// All entries, in any order, each once.
    pub entries: Vec<Item>,
    /// The used hashes at the keys of [`Stored::hashes_named`].
    pub hashes: Vec<Item>,
}

/// A row that is missing or not as the other rows say.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Key of the row. A lost entry without a known name has its sequence as the sort key.
    pub key: Primary,
    /// Description of the fault. It has names of attributes and ids, but no amounts, names or texts
    /// of members.
    pub what: String,
    /// The row as it is; `None` if it is missing.
    pub stored: Option<Item>,
    /// Remedy; `None` if nothing tells how the row was.
    pub mend: Option<Mend>,
}

/// A remedy for a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Mend {
    /// Put this row.
    Put(Item),
    /// Set these attributes; remove those without a value.
    Set(Vec<(&'static str, Option<AttributeValue>)>),
    /// Delete the row.
    Delete,
    /// Put the balance row with this ledger.
    Balance(Box<Ledger>),
}

impl Stored {
    /// Keys of the used hashes that the settlements name.
    #[must_use]
    pub fn hashes_named(&self) -> Vec<Primary> {
        let settlements = self.records.iter().filter(|row| is_at(row, keys::prefix::SETTLEMENT));
        let hashes = settlements.filter_map(|row| {
            let settlement: Settlement = from_item(row.clone()).ok()?;
            settlement.tx_hash.as_ref().map(keys::tx_hash)
        });
        let mut hashes: Vec<_> = hashes.collect();
        hashes.sort_by(|a, b| a.pk.cmp(&b.pk));
        hashes.dedup();
        hashes
    }

    /// Partitions in which entries may be that are not among [`Stored::entries`]; none if the
    /// ledger has no more entries. An index may lag behind the table, or an entry may have lost its
    /// attributes of the index.
    #[must_use]
    pub fn partitions_to_search(&self, group: GroupId) -> Vec<String> {
        entries::partitions_to_search(self, group)
    }
}

/// Compares all rows of a group with each other, as of `now`, and returns what is wrong, in the
/// order of the keys. The group must be migrated: no balance has the v0 rows that are left, so they
/// are reported.
#[must_use]
pub fn audit(group: GroupId, stored: Stored, now: Timestamp) -> Vec<Finding> {
    let mut audit = Audit { group, now, findings: Vec::new() };
    let Stored { records, ledger, entries, hashes } = stored;
    let mut ledger = LedgerRows::of(ledger);
    let balance = audit.balance(&mut ledger);
    if !records.iter().any(|row| is_at(row, keys::METADATA)) {
        audit.lost(keys::group(group), "is missing, but other rows of the group are there", None);
    }
    let mut records = Records::read(&mut audit, records);
    let mut entries = Entries::read(&mut audit, entries, &balance.ledger);
    let replayed = audit.compare_entries(&mut entries, &mut records, &balance);
    audit.check_v0(&mut records, &entries);
    let last = audit.last_event_at(&balance, &entries, &records, &ledger);
    let is_certain =
        audit.check_balance(&balance, replayed.as_ref(), last, &entries, &records, &ledger);
    // Where the ledger and the entries contradict each other, nothing tells which are right.
    if is_certain && let Some(replayed) = &replayed {
        audit.check_past(replayed, last, &entries, &mut ledger, &balance);
    }
    audit.check_members(&records, &entries, &balance, replayed.as_ref());
    audit.check_derived(&records, &entries, &mut ledger, hashes);
    let mut findings = audit.findings;
    findings.sort_by(|a, b| (&a.key.pk, &a.key.sk).cmp(&(&b.key.pk, &b.key.sk)));
    findings
}

/// The finding about a group that is not migrated: no balance has its v0 rows. `row` is its own
/// row.
#[must_use]
pub fn unmigrated(group: GroupId, row: Option<&Item>) -> Finding {
    let what = match row.map(|row| from_item::<Group>(row.clone())) {
        None => "is missing, but other rows of the group are there".to_owned(),
        Some(Err(error)) => compare::cause(&error),
        Some(Ok(_)) => "is not migrated: no balance has the rows of the TypeScript Fracti; run \
                        fracti-admin migrate"
            .to_owned(),
    };
    Finding { key: keys::group(group), what, stored: row.cloned(), mend: None }
}

/// An audit that is under way.
struct Audit {
    group: GroupId,
    now: Timestamp,
    findings: Vec<Finding>,
}

impl Audit {
    fn find(
        &mut self,
        key: Primary,
        what: impl Into<String>,
        stored: Option<&Item>,
        mend: Option<Mend>,
    ) {
        self.findings.push(Finding { key, what: what.into(), stored: stored.cloned(), mend });
    }

    /// Reports a row that cannot be mended.
    fn lost(&mut self, key: Primary, what: impl Into<String>, stored: Option<&Item>) {
        self.find(key, what, stored, None);
    }
}

/// Whether a settlement uses its transaction hash, so that no other one may.
fn uses_hash(settlement: &Settlement) -> Option<SettlementId> {
    let is_used = match settlement.status {
        crate::values::settlement_status::SettlementStatus::Pending
        | crate::values::settlement_status::SettlementStatus::Completed => true,
        crate::values::settlement_status::SettlementStatus::Failed => false,
    };
    let is_whole =
        settlement.tx_hash.as_ref().is_some_and(crate::values::tx_hash::TxHash::is_whole);
    (is_used && is_whole).then_some(settlement.id)
}

/// Whether the sort key of a row has this prefix.
fn is_at(row: &Item, prefix: &str) -> bool {
    matches!(row.get("SK"), Some(AttributeValue::S(key)) if key.starts_with(prefix))
}
