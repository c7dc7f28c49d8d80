//! Export of a group, as JSON without loss or as CSV for a spreadsheet, page by page.

mod csv;
mod file;
mod json;

use std::sync::OnceLock;

use axum::{
    extract::State,
    http::{HeaderName, header},
    response::{IntoResponse, Response},
};
use fracti_core::{group::MemberKey, input::Error, values::time::Timestamp, words};
use fracti_http::{
    App, AsMember, Code, Description, ListId, MAX_EXPORT_LIMIT, Paging, Parameters, Part, Problem,
    QueryReader, Text, schemas,
};
use fracti_store::{ExportPlace, ExportRows};
use fracti_texts::message;
use serde::{Deserialize, Serialize};

use self::{csv::Sheet, json::ExportView};

pub use self::file::{ExportFile, FileError, FilePart};

/// Header with the cursor of the next page of a CSV export.
const NEXT_CURSOR: HeaderName = HeaderName::from_static("next-cursor");

words! {
    /// Format of an export.
    pub enum Format as "ExportFormat" {
        /// JSON with everything that Fracti knows about the group.
        Json = "json",
        /// A table for spreadsheets.
        Csv = "csv",
    }
}

/// Query parameters of an export.
pub(crate) struct ExportQuery {
    format: Option<Format>,
    paging: Paging,
}

impl Parameters for ExportQuery {
    fn read(query: &mut QueryReader) -> Self {
        let about = "Format of the export. Default: `json`.";
        let format = query.read("format", about, Description::inline::<Text<Format>>);
        let about = "Maximum number of rows on the page.";
        query.describe("limit", about, Description::inline::<schemas::ExportLimit>);
        let about = "`pagination.nextCursor` or the header `next-cursor` of the previous page.";
        query.describe("cursor", about, Description::inline::<String>);
        let paging = Paging::up_to::<MAX_EXPORT_LIMIT>(query).or_limit(MAX_EXPORT_LIMIT);
        Self { format, paging }
    }
}

/// Position at which a CSV export continues.
#[derive(Serialize, Deserialize)]
struct SheetPlace {
    place: ExportPlace,
    /// Time of joining of the newest member who has a column.
    until: Timestamp,
    /// Hash of the columns.
    columns: String,
}

/// Export a group.
///
/// All pages show the ledger as it was when the first page was read, even if it has changed since.
/// A page may have fewer rows than `limit` although there is a next page.
///
/// `json` has everything. The group, its members and its balances are on the first page. The
/// entries of the ledger follow, each with its expense or settlement as it was while the entry was
/// applied, and then the settlements that are not completed.
///
/// `csv` has a line for each expense and payment that counts, with the change of each member's
/// balance; the last lines are the balances. The header line is only on the first page and the
/// balances are only on the last one, so the file is all pages, one after the other. The cursor of
/// the next page is in the response header `next-cursor`.
#[utoipa::path(get, path = "/api/groups/{groupId}/export", tag = "transfer",
    responses((status = OK,
        content((Part<ExportView> = "application/json"), (String = "text/csv")),
        headers(("next-cursor" = Option<String>, description = "`cursor` of the next page of a CSV \
            export; absent on the last page.")))))]
pub(crate) async fn export_group(
    State(app): State<App>,
    AsMember(member_key, ExportQuery { format, paging }): AsMember<ExportQuery>,
) -> Result<Response, Problem> {
    match format.unwrap_or(Format::Json) {
        Format::Json => {
            export_json(&app, member_key, &paging).await.map(IntoResponse::into_response)
        }
        Format::Csv => export_csv(&app, member_key, &paging).await,
    }
}

async fn export_json(
    app: &App,
    member_key: MemberKey,
    paging: &Paging,
) -> Result<Part<ExportView>, Problem> {
    let list_id = ListId::new("export-json", &member_key.group);
    let place = paging.after::<ExportPlace>(&list_id)?;
    let is_first = place.is_none();
    let text = |_: &_, row| json::text(row).map(Some);
    let export = app.table.export(member_key, ExportRows::All, place, paging.limit(), text);
    let page = export.await?;
    let next = page.next.as_ref().map(|place| paging.cursor(&list_id, place));
    Ok(Part::new(ExportView::of(page, is_first)?, next))
}

async fn export_csv(
    app: &App,
    member_key: MemberKey,
    paging: &Paging,
) -> Result<Response, Problem> {
    let list_id = ListId::new("export-csv", &member_key.group);
    let place = paging.after::<SheetPlace>(&list_id)?;
    let (place, until, columns) = match place {
        None => (None, None, None),
        Some(SheetPlace { place, until, columns }) => (Some(place), Some(until), Some(columns)),
    };
    let is_first = place.is_none();
    let sheet = OnceLock::new();
    let text = |exported: &_, row| {
        sheet.get_or_init(|| Sheet::of(exported, until)).lines(row).map_err(unwritten)
    };
    let rows = ExportRows::Entries;
    let page = app.table.export(member_key, rows, place, paging.limit(), text).await?;
    let sheet = sheet.get_or_init(|| Sheet::of(&page.exported, until));
    if columns.is_some_and(|columns| columns != sheet.hash()) {
        let message = message!(
            "cursor must be of an export with the same members and names: export the group again \
             from its first page",
            "курсор должен быть от выгрузки с теми же участниками и именами: выгрузите группу \
             заново с первой страницы"
        );
        return Err(Problem::new(Code::InvalidCursor, message));
    }
    let next = page.next.clone().map(|place| {
        let place = SheetPlace { place, until: sheet.until(), columns: sheet.hash() };
        paging.cursor(&list_id, &place)
    });
    let text = sheet.page(&page, is_first).map_err(unwritten)?;
    let mut response = ([(header::CONTENT_TYPE, "text/csv; charset=utf-8")], text).into_response();
    if let Some(cursor) = next.and_then(|cursor| cursor.parse().ok()) {
        response.headers_mut().insert(NEXT_CURSOR, cursor);
    }
    Ok(response)
}

/// The error for a row that cannot be exported because it is invalid in the table.
fn unwritten(error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::Table(error.into())
}
