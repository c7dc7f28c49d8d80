//! Imports: the record of another app's expenses and payments in a group.
//!
//! The ids of what an import records are derived from the group and from the identity of a row in
//! the file. A row that is imported twice therefore has one id and is recorded once.

mod comparison;

use std::{cmp::Ordering, fmt};

use fracti_texts::{Message, message, rule};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{
    group::Member,
    input::Error,
    ledger::{Event, LedgerError},
    records::{expense::Expense, settlement::Settlement},
    storage::{
        keys::{self, Keys},
        row::{AttributeValue, Item, Row},
    },
    values::{
        entry_id::{EntryId, EntryName},
        id::{ExpenseId, GroupId, GuestId, ImportId, SettlementId, UserId},
        text::GuestName,
        time::Timestamp,
    },
    words,
};

pub use comparison::{Changed, Comparison, Earlier};

/// Rule of the parameter that names a run.
#[must_use]
pub fn of_no_run() -> Message {
    rule!(
        "{field} must be the run of an earlier response",
        "{field} должно быть значением run из прошлого ответа"
    )
}

words! {
    /// Format of a file.
    pub enum Format as "ImportFormat" {
        /// Splitwise's spreadsheet of a group or of a friendship.
        SplitwiseCsv = "splitwise-csv",
        /// The expenses of a group or of a friendship, from Splitwise's API.
        SplitwiseJson = "splitwise-json",
        /// Spliit's JSON of a group.
        SpliitJson = "spliit-json",
        /// Spliit's CSV of a group.
        SpliitCsv = "spliit-csv",
        /// Spliit Cloud's CSV of a group.
        SpliitCloudCsv = "spliit-cloud-csv",
        /// IHateMoney's bills as JSON.
        IhatemoneyJson = "ihatemoney-json",
        /// IHateMoney's bills as CSV.
        IhatemoneyCsv = "ihatemoney-csv",
        /// Cospend's CSV of a project.
        CospendCsv = "cospend-csv",
        /// Settle Up's CSV of a group.
        SettleUpCsv = "settleup-csv",
        /// The CSV of a tricount that the support sends.
        TricountCsv = "tricount-csv",
        /// A tricount, from the API of the app.
        TricountJson = "tricount-json",
        /// Fracti's own JSON of a group.
        FractiJson = "fracti-json",
    }
}

/// An app whose files can be imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceApp {
    /// Splitwise.
    Splitwise,
    /// Spliit.
    Spliit,
    /// Spliit Cloud.
    SpliitCloud,
    /// IHateMoney.
    Ihatemoney,
    /// Cospend.
    Cospend,
    /// Settle Up.
    SettleUp,
    /// Tricount.
    Tricount,
    /// Fracti.
    Fracti,
}

impl SourceApp {
    /// The name of the app.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Splitwise => "Splitwise",
            Self::Spliit => "Spliit",
            Self::Ihatemoney => "IHateMoney",
            Self::Cospend => "Cospend",
            Self::SpliitCloud => "Spliit Cloud",
            Self::SettleUp => "Settle Up",
            Self::Tricount => "Tricount",
            Self::Fracti => "Fracti",
        }
    }
}

impl Format {
    /// The app that writes files of this format.
    #[must_use]
    pub const fn app(self) -> SourceApp {
        match self {
            Self::SplitwiseCsv | Self::SplitwiseJson => SourceApp::Splitwise,
            Self::SpliitJson | Self::SpliitCsv => SourceApp::Spliit,
            Self::IhatemoneyJson | Self::IhatemoneyCsv => SourceApp::Ihatemoney,
            Self::CospendCsv => SourceApp::Cospend,
            Self::SpliitCloudCsv => SourceApp::SpliitCloud,
            Self::SettleUpCsv => SourceApp::SettleUp,
            Self::TricountCsv | Self::TricountJson => SourceApp::Tricount,
            Self::FractiJson => SourceApp::Fracti,
        }
    }
}

words! {
    /// Status of an import: `running` until the last row is recorded, then `done`; `undoing` until
    /// the last row is deleted, then `undone`.
    pub enum ImportStatus as "ImportStatus" {
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
    /// Hash of the id that the group has in the app, if the file has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Progress of the import or its undo.
    pub status: ImportStatus,
    /// Number of times that the import has begun: once, and again after each undo. A request that
    /// counts rows counts those of one run. Rows of version 2 have none.
    #[serde(default)]
    pub run: u64,
    /// User who imported the file.
    pub created_by: UserId,
    /// Number of expenses that it has recorded.
    pub expenses: u64,
    /// Number of settlements that it has recorded.
    pub settlements: u64,
    /// Number of adjustments that it has recorded.
    pub adjustments: u64,
    /// The first entry of these adjustments, from which an undo searches the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_adjustment: Option<EntryPosition>,
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

/// Position of an entry in the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EntryPosition {
    /// Sequence of the entry, from 0.
    pub sequence: u64,
    /// Time at which it was recorded.
    pub created_at: Timestamp,
}

impl ImportRow {
    /// The import of an earlier run, which is undone, or `None` if `run` is that of this import.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`]: there was no such run.
    pub fn of_earlier(&self, run: u64) -> Result<Option<Self>, Error> {
        match run.cmp(&self.run) {
            Ordering::Less => Ok(Some(Self { run, status: ImportStatus::Undone, ..self.clone() })),
            Ordering::Equal => Ok(None),
            Ordering::Greater => Err(Error::invalid("run", of_no_run())),
        }
    }

    /// Whether the import may have recorded rows of the group that a file exports. If the
    /// file, or that of the import, does not say which group this is, it may be the same.
    #[must_use]
    pub fn is_of(&self, format: Format, source: Option<&str>) -> bool {
        let is_other = self.source.as_deref().zip(source).is_some_and(|(one, two)| one != two);
        self.format.app() == format.app() && !is_other && self.status != ImportStatus::Undone
    }

    /// Time after which the import has recorded nothing.
    #[must_use]
    pub fn recorded_until(&self) -> Timestamp {
        self.recorded_until.unwrap_or(self.updated_at)
    }
}

impl Row for ImportRow {
    const KIND: &'static str = "import";

    // A Fracti that knows only version 1 would lose `recordedUntil` when it continues an undo, and
    // leave the adjustments in the ledger, so it must refuse the row. One that knows only version 2
    // would lose the run. One that does not know the source may lose it: then any later file of the
    // app is compared with what the import has recorded.
    const VERSION: u32 = 3;

    fn keys(&self) -> Keys {
        keys::import(self.group_id, self.id).into()
    }

    fn upgrade(_from_version: u32, item: &mut Item) {
        item.entry("adjustments".to_owned()).or_insert_with(|| AttributeValue::N("0".to_owned()));
    }
}

/// The row that ensures that a pending settlement of a file is recorded only once. A completed one
/// has a ledger entry for this purpose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportedSettlement {
    /// The settlement, which may have been completed or have failed since.
    pub settlement_id: SettlementId,
    /// Its group.
    pub group_id: GroupId,
}

impl Row for ImportedSettlement {
    const KIND: &'static str = "importedSettlement";
    const VERSION: u32 = 1;

    fn keys(&self) -> Keys {
        keys::imported_settlement(self.group_id, self.settlement_id).into()
    }
}

/// Place of a row in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RowPlace {
    /// Physical line of a CSV file at which the row begins, from 1.
    Line(usize),
    /// Item of a JSON list: the path of the list, which is empty if the file is a list, and the
    /// index, from 0.
    Item(&'static str, usize),
}

impl RowPlace {
    /// The message of a rule that the row breaks, with the place of the row before it.
    #[must_use]
    pub fn before(&self, rule: &Message) -> Message {
        match self {
            Self::Line(line) => message!("line {line}: {rule}", "строка {line}: {rule}", [rule]),
            Self::Item(..) => message!("{self}: {rule}", "в {self}: {rule}", [rule]),
        }
    }
}

impl fmt::Display for RowPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Item(list, index) => write!(f, "{list}[{index}]"),
        }
    }
}

/// Record of a file, before it is known when it will be recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// An expense.
    Expense(Box<Expense>),
    /// A settlement, completed or pending.
    Settlement(Box<Settlement>),
    /// The event of an adjustment.
    Adjustment(Box<Event>),
}

impl Record {
    /// Id of its ledger entry. A pending settlement gets its entry when it is completed.
    #[must_use]
    pub fn entry_id(&self) -> EntryId {
        match self {
            Self::Expense(expense) => expense.id.into(),
            Self::Settlement(settlement) => settlement.id.into(),
            Self::Adjustment(event) => event.entry_id.clone(),
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
                let completed_at = it.is_completed().then_some(created_at);
                let recorded = Settlement { created_at, completed_at, import_id, ..(**it).clone() };
                Self::Settlement(recorded.into())
            }
            Self::Adjustment(event) => Self::Adjustment(event.clone()),
        }
    }

    /// The same in the place of what an import has recorded before, edited by an import at `at`.
    /// `None` if that is of another kind.
    #[must_use]
    pub fn instead_of(&self, before: &Self, at: Timestamp) -> Option<Self> {
        match (self, before) {
            (Self::Expense(after), Self::Expense(before)) => {
                let Expense { id, created_at, created_by, import_id, .. } = **before;
                let updated_at = Some(at);
                let kept = Expense {
                    id,
                    created_at,
                    created_by,
                    import_id,
                    updated_at,
                    group_title: before.group_title.clone(),
                    category: after.category.or(before.category),
                    notes: after.notes.clone().or_else(|| before.notes.clone()),
                    ..(**after).clone()
                };
                Some(Self::Expense(kept.into()))
            }
            (Self::Settlement(after), Self::Settlement(before)) => {
                let completed_at = before.completed_at.unwrap_or(at);
                let kept = Settlement {
                    id: before.id,
                    created_at: before.created_at,
                    import_id: before.import_id,
                    group_title: before.group_title.clone(),
                    completed_at: after.is_completed().then_some(completed_at),
                    ..(**after).clone()
                };
                Some(Self::Settlement(kept.into()))
            }
            (Self::Adjustment(after), Self::Adjustment(_)) => Some(Self::Adjustment(after.clone())),
            (Self::Expense(_) | Self::Settlement(_) | Self::Adjustment(_), _) => None,
        }
    }

    /// Its ledger event; `None` for a settlement that is not completed.
    ///
    /// # Errors
    ///
    /// [`LedgerError::Overflow`] if an amount is not a whole number of minor units.
    pub fn event(&self) -> Result<Option<Event>, LedgerError> {
        match self {
            Self::Expense(expense) => expense.event().map(Some),
            Self::Settlement(settlement) => {
                settlement.is_completed().then(|| settlement.event()).transpose()
            }
            Self::Adjustment(event) => Ok(Some((**event).clone())),
        }
    }
}

/// Whether an import recorded the settlement as pending, so that it has an [`ImportedSettlement`].
/// One that was completed later has a later time of completion.
#[must_use]
pub fn was_pending(settlement: &Settlement) -> bool {
    settlement.completed_at != Some(settlement.created_at)
}

/// An import that has been checked and can be recorded.
#[derive(Clone, Debug)]
pub struct NewImport {
    /// Identifier.
    pub id: ImportId,
    /// Format of the file.
    pub format: Format,
    /// Hash of the id that the group has in the app, if the file has one.
    pub source: Option<String>,
    /// All guests that it needs, including those who exist already.
    pub guests: Vec<Member>,
    /// Records of the file, each with its place, in the order of the file.
    pub records: Vec<(RowPlace, Record)>,
    /// The [confirmation](Comparison::confirmation) that the request sends.
    pub confirmed: Option<Confirmed>,
}

/// Confirmation of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirmed {
    /// The [confirmation](Comparison::confirmation).
    pub text: String,
    /// Whether rows that have changed are edited and rows that are gone are deleted. Otherwise they
    /// stay as they are.
    pub updates: bool,
}

impl NewImport {
    /// The same import, confirmed by a request. It is another one than without the confirmation.
    #[must_use]
    pub fn confirmed(self, group: GroupId, confirmed: Option<Confirmed>) -> Self {
        let Some(confirmed) = confirmed else { return self };
        let Confirmed { text, updates } = &confirmed;
        let old = self.id.to_string();
        let updates = [u8::from(*updates)];
        let id = import_id(group, &[old.as_bytes(), text.as_bytes(), &updates]);
        Self { id, confirmed: Some(confirmed), ..self }
    }

    /// Whether rows that have changed or are gone in the file are to be edited or deleted.
    #[must_use]
    pub fn updates(&self) -> bool {
        self.confirmed.as_ref().is_some_and(|it| it.updates)
    }

    /// The row of the import before anything is recorded.
    #[must_use]
    pub fn row(&self, group_id: GroupId, created_by: UserId, created_at: Timestamp) -> ImportRow {
        ImportRow {
            id: self.id,
            group_id,
            format: self.format,
            source: self.source.clone(),
            status: ImportStatus::Running,
            run: 1,
            created_by,
            expenses: 0,
            settlements: 0,
            adjustments: 0,
            first_adjustment: None,
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

/// Name of the entry of the adjustment in the row with the identity `key`. It begins as `name`
/// does, and differs from the names of all other rows and from those that clients choose: the group
/// may have another adjustment of this name.
#[must_use]
pub fn adjustment_name(group: GroupId, key: &[u8; 32], name: &EntryName) -> EntryName {
    name.with_hash(&hash("adjustment", group, &[key]))
}

/// Id of the guest for a person in a file.
#[must_use]
pub fn guest_id(group: GroupId, name: &GuestName) -> GuestId {
    GuestId::derived(&hash("guest", group, &[name.as_str().as_bytes()]))
}

/// Id of the guest for a person whose id in an app is `key`. The person keeps the guest under
/// another name.
#[must_use]
pub fn guest_id_of(group: GroupId, key: &[u8; 32]) -> GuestId {
    GuestId::derived(&hash("person", group, &[key]))
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
    use crate::storage::row::{FORMAT_VERSION, from_item, to_item};

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
        let [name, other_name] = ["opening", "closing"].map(|name| name.parse().unwrap());
        let adjustment = adjustment_name(one, &key, &name);
        assert!(adjustment.as_str().starts_with("opening "));
        assert_ne!(adjustment, adjustment_name(other, &key, &name));
        assert_ne!(adjustment, adjustment_name(one, &another, &name));
        assert_ne!(adjustment, adjustment_name(one, &key, &other_name));
        assert_ne!(
            import_id(one, &[b"ab", b"c"]),
            import_id(one, &[b"a", b"bc"]),
            "the parts are kept apart"
        );
    }

    #[test]
    fn row_of_version_1_has_no_adjustments() {
        let at: Timestamp = "2026-01-15T12:00:00.000Z".parse().unwrap();
        let group = GroupId::new(at, [1; 10]);
        let new = NewImport {
            id: import_id(group, &[]),
            format: Format::FractiJson,
            source: None,
            guests: Vec::new(),
            records: Vec::new(),
            confirmed: None,
        };
        let import = new.row(group, UserId::new(1).unwrap(), at);
        let mut item = to_item(&import).unwrap();
        item.remove("adjustments");
        item.insert(FORMAT_VERSION.to_owned(), AttributeValue::N("1".to_owned()));
        assert_eq!(from_item::<ImportRow>(item).unwrap(), import);
    }
}
