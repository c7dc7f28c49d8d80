//! A file with a complete export, written page by page in constant memory.

use std::sync::OnceLock;

use fracti_core::{input::Error, values::id::GroupId};
use fracti_store::{ExportPage, ExportPlace, ExportRows, Table};

use super::{
    Format,
    csv::Sheet,
    json::{self, Written},
    unwritten,
};

/// Number of rows that are read for one part of a file.
const ROWS: usize = 1000;

/// A file with a complete export.
#[derive(Debug)]
pub struct ExportFile {
    group: GroupId,
    format: Format,
    /// The place at which the file continues.
    place: Option<ExportPlace>,
    state: ExportState,
    /// The columns of CSV, fixed by the first page.
    columns: Option<Sheet>,
}

/// The progress of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExportState {
    Empty,
    /// Entries, and perhaps settlements after them.
    Begun(Written),
    Whole,
}

/// A part of a file.
#[derive(Debug)]
pub struct FilePart {
    /// The text of the part, which follows the parts before it.
    pub text: String,
    /// Number of entries in the file so far.
    pub entries: u64,
    /// Number of entries of the ledger. CSV includes only those that count.
    pub of: u64,
}

/// Error that ends the writing of a file.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The table cannot be read, or has a row that cannot be written.
    #[error(transparent)]
    Table(#[from] Error),
    /// A name in the header of CSV has changed.
    #[error("the name of a member changed during the export")]
    Renamed,
}

impl ExportFile {
    /// The file of a group.
    #[must_use]
    pub const fn new(group: GroupId, format: Format) -> Self {
        Self { group, format, place: None, state: ExportState::Empty, columns: None }
    }

    /// The next part of the file; `None` after the last one.
    ///
    /// # Errors
    ///
    /// [`FileError`]; the file is then incomplete.
    pub async fn part(&mut self, table: &Table) -> Result<Option<FilePart>, FileError> {
        let before = match self.state {
            ExportState::Empty => None,
            ExportState::Begun(written) => Some(written),
            ExportState::Whole => return Ok(None),
        };
        // It stays if the part cannot be read, so that it can be read again.
        let place = self.place.clone();
        let (text, page) = match self.format {
            Format::Json => {
                let text =
                    |_: &_, row| json::text(row).and_then(|text| json::plain(&text)).map(Some);
                let page = table.export_of(self.group, ExportRows::All, place, ROWS, text);
                let page = Box::pin(page).await?;
                (json::part(&page, before)?, page)
            }
            Format::Csv => self.lines(table, place).await?,
        };
        let written = before.unwrap_or_default().and(&page);
        self.state =
            if page.next.is_some() { ExportState::Begun(written) } else { ExportState::Whole };
        self.place = page.next;
        let of = page.exported.ledger.sequence;
        Ok(Some(FilePart { text, entries: written.entries, of }))
    }

    /// The next part of CSV.
    async fn lines(
        &mut self,
        table: &Table,
        place: Option<ExportPlace>,
    ) -> Result<(String, ExportPage), FileError> {
        let until = self.columns.as_ref().map(Sheet::until);
        let sheet = OnceLock::new();
        let text = |exported: &_, row| {
            sheet.get_or_init(|| Sheet::of(exported, until)).lines(row).map_err(unwritten)
        };
        let page = table.export_of(self.group, ExportRows::Entries, place, ROWS, text);
        let page = Box::pin(page).await?;
        let sheet = sheet.into_inner().unwrap_or_else(|| Sheet::of(&page.exported, until));
        let is_first = self.columns.is_none();
        if self.columns.as_ref().is_some_and(|columns| columns.hash() != sheet.hash()) {
            return Err(FileError::Renamed);
        }
        let text = sheet.page(&page, is_first).map_err(unwritten)?;
        self.columns = Some(sheet);
        Ok((text, page))
    }
}
