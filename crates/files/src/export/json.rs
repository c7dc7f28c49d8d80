//! The export of a group as JSON, without loss.
//!
//! The file that `fracti-admin export` writes has the form of a page of the API, with the entries
//! and the settlements of all pages.

use fracti_core::{group::Member, input::Error, records::schedule::Schedule};
use fracti_http::{
    EntryView, GroupView, MemberBalance, MemberView, ScheduleView, SettlementView, shown,
};
use fracti_store::{ExportPage, Exported, ExportedRow};
use fracti_texts::Language;
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

/// Name of the format.
const FORMAT: &str = "fracti-json";

/// Version of the format.
const VERSION: u32 = 1;

/// A page of the export of a group.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = GroupExport)]
pub(crate) struct ExportView {
    /// The group and the moment that the export shows.
    #[serde(flatten)]
    head: Head,
    /// Entries of the ledger, in order of sequence.
    #[schema(value_type = Vec<ExportedEntryView>)]
    entries: Vec<Box<RawValue>>,
    /// Settlements that were not completed at the moment of the export, oldest first. They follow
    /// the entries. One that has failed since the first page is `failed`.
    #[schema(value_type = Vec<SettlementView>)]
    settlements: Vec<Box<RawValue>>,
}

/// The group and the moment that an export shows.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = GroupExportHead)]
pub(crate) struct Head {
    /// Name of the format: `fracti-json`.
    #[schema(example = "fracti-json")]
    format: &'static str,
    /// Version of the format: 1.
    #[schema(example = 1)]
    version: u32,
    /// Number of entries in the complete export, and so the sequence of the first entry that is not
    /// in it. It is the same on all pages.
    sequence: u64,
    /// The group, on the first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<GroupView>,
    /// Its members, including past ones and linked guests, on the first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    members: Option<Vec<MemberView>>,
    /// Totals of each member, in each currency in which they have any, after the last entry of the
    /// export; on the first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    balances: Option<Vec<MemberBalance>>,
    /// The schedules when the page was read, newest first; on the first page. They are not
    /// imported.
    #[serde(skip_serializing_if = "Option::is_none")]
    schedules: Option<Vec<ScheduleView>>,
}

/// An entry of an exported ledger. `expense` is the expense as it was while the entry was applied;
/// a revert has no `expense`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ExportedEntry)]
struct ExportedEntryView {
    #[serde(flatten)]
    entry: EntryView,
    /// The completed settlement to which the entry belongs.
    #[serde(skip_serializing_if = "Option::is_none")]
    settlement: Option<SettlementView>,
}

impl ExportView {
    /// The page as a response. The first page includes the group, its members and balances.
    pub(crate) fn of(page: ExportPage, is_first: bool) -> Result<Self, Error> {
        let raw = |texts: Vec<String>| -> Result<Vec<_>, Error> {
            texts.into_iter().map(|text| RawValue::from_string(text).map_err(unwritten)).collect()
        };
        Ok(Self {
            head: Head::of(page.exported, page.schedules, is_first),
            entries: raw(page.entries)?,
            settlements: raw(page.settlements)?,
        })
    }
}

impl Head {
    fn of(exported: Exported, schedules: Vec<Schedule>, is_first: bool) -> Self {
        let Exported { group, members, ledger } = exported;
        let balances = is_first.then(|| {
            let of_member = |member: &Member| {
                let currencies = ledger.balances.currencies();
                let currencies = currencies.filter(|it| ledger.balances.has(*it, member.id));
                let balances = currencies.map(|it| MemberBalance::of(member, it, &ledger));
                balances.collect::<Vec<_>>()
            };
            members.iter().flat_map(of_member).collect()
        });
        Self {
            format: FORMAT,
            version: VERSION,
            sequence: ledger.sequence,
            group: is_first.then(|| group.into()),
            members: is_first.then(|| members.into_iter().map(MemberView::from).collect()),
            balances,
            schedules: is_first.then(|| {
                let view = |it| ScheduleView::of(it, Language::English);
                schedules.into_iter().map(view).collect()
            }),
        }
    }
}

/// The JSON of a row, with amounts in the form of views.
///
/// # Errors
///
/// [`Error::Table`] if it cannot be written.
pub(crate) fn text(row: ExportedRow) -> Result<String, Error> {
    let text = match row {
        ExportedRow::Entry { entry, settlement } => {
            let settlement = settlement.map(|settlement| SettlementView::from(*settlement));
            serde_json::to_string(&ExportedEntryView { entry: EntryView::from(*entry), settlement })
        }
        ExportedRow::Settlement(settlement) => {
            serde_json::to_string(&SettlementView::from(*settlement))
        }
    };
    text.map_err(unwritten)
}

/// The JSON of a row in the form of a file.
///
/// # Errors
///
/// [`Error::Table`] if it cannot be written.
pub(crate) fn plain(text: &str) -> Result<String, Error> {
    let row: &RawValue = serde_json::from_str(text).map_err(unwritten)?;
    text_of(&row)
}

/// Number of rows in a file so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) entries: u64,
    settlements: u64,
}

impl Written {
    /// The number of rows after a page.
    pub(crate) fn and(self, page: &ExportPage) -> Self {
        let [entries, settlements] = [&page.entries, &page.settlements]
            .map(|rows| u64::try_from(rows.len()).unwrap_or(u64::MAX));
        Self {
            entries: self.entries.saturating_add(entries),
            settlements: self.settlements.saturating_add(settlements),
        }
    }
}

/// The part of a file with the rows of a page, after `before`; the first part has the head. Each
/// row is a line.
///
/// # Errors
///
/// [`Error::Table`] if the head cannot be written.
pub(crate) fn part(page: &ExportPage, before: Option<Written>) -> Result<String, Error> {
    let mut text = String::new();
    if before.is_none() {
        let head = Head::of(page.exported.clone(), page.schedules.clone(), true);
        let head = text_of(&head)?;
        text.push_str(head.strip_suffix('}').unwrap_or(&head));
        text.push_str(",\"entries\":[");
    }
    let Written { entries, settlements } = before.unwrap_or_default();
    add(&mut text, entries, &page.entries);
    if settlements == 0 && (!page.settlements.is_empty() || page.next.is_none()) {
        text.push_str("\n],\"settlements\":[");
    }
    add(&mut text, settlements, &page.settlements);
    if page.next.is_none() {
        text.push_str("\n]}\n");
    }
    Ok(text)
}

/// Adds rows to a list that has some.
fn add(text: &mut String, before: u64, rows: &[String]) {
    for (index, row) in rows.iter().enumerate() {
        text.push_str(if before == 0 && index == 0 { "\n" } else { ",\n" });
        text.push_str(row);
    }
}

/// The JSON of a value, with amounts as numbers.
fn text_of(value: &impl Serialize) -> Result<String, Error> {
    let json = serde_json::to_vec(value).map_err(unwritten)?;
    String::from_utf8(shown(&json)).map_err(|error| Error::Table(error.into()))
}

fn unwritten(error: serde_json::Error) -> Error {
    Error::Table(error.into())
}
