//! Imports: the record of another app's expenses and payments in a group.
//!
//! The ids of what an import records are derived from the group and from the identity of a row in
//! the file. A row that is imported twice therefore has one id and is recorded once.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{
    Error,
    entry_id::EntryId,
    expense::Expense,
    group::Member,
    id::{ExpenseId, GroupId, GuestId, ImportId, SettlementId, UserId},
    keys::{self, Keys},
    ledger::{Event, LedgerError},
    row::Row,
    settlement::Settlement,
    text::GuestName,
    time::Timestamp,
    words,
};

words! {
    /// Format of a file.
    pub enum Format as "ImportFormat" {
        /// Splitwise's spreadsheet of a group or of a friendship.
        SplitwiseCsv = "splitwise-csv",
        /// Spliit's JSON of a group.
        SpliitJson = "spliit-json",
        /// Spliit's CSV of a group.
        SpliitCsv = "spliit-csv",
        /// IHateMoney's bills as JSON.
        IhatemoneyJson = "ihatemoney-json",
        /// IHateMoney's bills as CSV.
        IhatemoneyCsv = "ihatemoney-csv",
        /// Cospend's CSV of a project.
        CospendCsv = "cospend-csv",
        /// Fracti's own JSON of a group.
        FractiJson = "fracti-json",
    }
}

words! {
    /// Status of an import: `running` until the last row is recorded, then `done`; `undoing` until
    /// the last row is deleted, then `undone`.
    pub enum Status as "ImportStatus" {
        /// There may be more rows to record: repeat the request.
        Running = "running",
        /// All rows are recorded.
        Done = "done",
        /// There may be more rows to delete: repeat the request.
        Undoing = "undoing",
        /// All rows are deleted.
        Undone = "undone",
    }
}

/// An import into a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportRow {
    /// Identifier.
    pub id: ImportId,
    /// Group into which the file is imported.
    pub group_id: GroupId,
    /// Format of the file.
    pub format: Format,
    /// How far the import or its undo is.
    pub status: Status,
    /// User who imported the file.
    pub created_by: UserId,
    /// Number of expenses that it has recorded.
    pub expenses: u64,
    /// Number of settlements that it has recorded.
    pub settlements: u64,
    /// Number of guests that it has added.
    pub members: u64,
    /// Time of the first transaction. The `createdAt` of all its expenses and settlements is
    /// between this and [`ImportRow::recorded_until`].
    pub created_at: Timestamp,
    /// Time of the last transaction; each transaction of an import has a time of its own.
    pub updated_at: Timestamp,
    /// Time of the last transaction before the undo, once it has begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded_until: Option<Timestamp>,
}

impl ImportRow {
    /// Time after which the import has recorded nothing.
    #[must_use]
    pub fn recorded_until(&self) -> Timestamp {
        self.recorded_until.unwrap_or(self.updated_at)
    }
}

impl Row for ImportRow {
    const KIND: &'static str = "import";
    const VERSION: u32 = 1;

    fn keys(&self) -> Keys {
        keys::import(self.group_id, self.id).into()
    }
}

/// An expense or a completed settlement of a file, before it is known when it will be recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// An expense.
    Expense(Box<Expense>),
    /// A settlement.
    Settlement(Box<Settlement>),
}

impl Record {
    /// Id of its ledger entry.
    #[must_use]
    pub fn entry_id(&self) -> EntryId {
        match self {
            Self::Expense(expense) => expense.id.into(),
            Self::Settlement(settlement) => settlement.id.into(),
        }
    }

    /// The same, recorded at `created_at` by an import.
    #[must_use]
    pub fn at(&self, created_at: Timestamp, import: ImportId) -> Self {
        let import_id = Some(import);
        match self {
            Self::Expense(expense) => {
                Self::Expense(Expense { created_at, import_id, ..(**expense).clone() }.into())
            }
            Self::Settlement(it) => {
                let completed_at = Some(created_at);
                let recorded = Settlement { created_at, completed_at, import_id, ..(**it).clone() };
                Self::Settlement(recorded.into())
            }
        }
    }

    /// Its ledger event.
    ///
    /// # Errors
    ///
    /// [`LedgerError::Overflow`] if an amount is not a whole number of minor units.
    pub fn event(&self) -> Result<Event, LedgerError> {
        match self {
            Self::Expense(expense) => expense.event(),
            Self::Settlement(settlement) => settlement.event(),
        }
    }
}

/// An import that has been checked and can be recorded.
#[derive(Clone, Debug)]
pub struct NewImport {
    /// Identifier.
    pub id: ImportId,
    /// Format of the file.
    pub format: Format,
    /// All guests that it needs, including those who exist already.
    pub guests: Vec<Member>,
    /// The expenses and settlements, each with its line in the file, in the order of the file.
    pub records: Vec<(usize, Record)>,
}

impl NewImport {
    /// The row of the import before anything is recorded.
    #[must_use]
    pub fn row(&self, group_id: GroupId, created_by: UserId, created_at: Timestamp) -> ImportRow {
        ImportRow {
            id: self.id,
            group_id,
            format: self.format,
            status: Status::Running,
            created_by,
            expenses: 0,
            settlements: 0,
            members: 0,
            created_at,
            updated_at: created_at,
            recorded_until: None,
        }
    }
}

/// Checks that a user may undo an import: the member who imported the file, or any member once that
/// member has left. `importer` is the member who imported the file.
///
/// # Errors
///
/// [`Error::NotYourImport`].
pub fn check_undo(
    import: &ImportRow,
    importer: Option<&Member>,
    user: UserId,
) -> Result<(), Error> {
    let is_present = importer.is_some_and(Member::is_present);
    if import.created_by == user || !is_present { Ok(()) } else { Err(Error::NotYourImport) }
}

/// Id of the expense of the row with the identity `key`.
#[must_use]
pub fn expense_id(group: GroupId, key: &[u8; 32]) -> ExpenseId {
    ExpenseId::derived(&hash("expense", group, &[key]))
}

/// Id of the settlement with one recipient of the payment in the row with the identity `key`.
#[must_use]
pub fn settlement_id(group: GroupId, key: &[u8; 32], recipient: u32) -> SettlementId {
    SettlementId::derived(&hash("settlement", group, &[key, &recipient.to_be_bytes()]))
}

/// Id of the guest for a person in a file.
#[must_use]
pub fn guest_id(group: GroupId, name: &GuestName) -> GuestId {
    GuestId::derived(&hash("guest", group, &[name.as_str().as_bytes()]))
}

/// Id of the import of a file with this content.
#[must_use]
pub fn import_id(group: GroupId, content: &[&[u8]]) -> ImportId {
    ImportId::derived(&hash("import", group, content))
}

/// A hash of a list of parts. Lists that are split differently have different hashes.
fn hash(kind: &str, group: GroupId, parts: &[&[u8]]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in [kind.as_bytes(), group.as_bytes()].iter().chain(parts) {
        hash.update(part.len().to_be_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_depend_on_the_group_the_row_and_the_kind() {
        let at: Timestamp = "2026-01-15T12:00:00.000Z".parse().unwrap();
        let [one, other] = [1, 2].map(|byte| GroupId::new(at, [byte; 10]));
        let [key, another] = [[1; 32], [2; 32]];
        let id = expense_id(one, &key);
        assert_eq!(id, expense_id(one, &key));
        assert!(id != expense_id(other, &key) && id != expense_id(one, &another));
        assert_ne!(settlement_id(one, &key, 0), settlement_id(one, &key, 1));
        let recorded: EntryId = id.into();
        assert_ne!(recorded, settlement_id(one, &key, 0).into());
        assert_eq!(id.created_at(), None, "a derived id contains no time");
        assert!(id.is_ours());
        assert_ne!(
            import_id(one, &[b"ab", b"c"]),
            import_id(one, &[b"a", b"bc"]),
            "the parts are kept apart"
        );
    }
}
