//! Views of imports.

use fracti_core::decisions::imports::Imported;
use fracti_core::records::import::ImportRow;
use fracti_http::{Text, schemas};
use serde::Serialize;
use utoipa::ToSchema;

use super::plan::PlanView;

/// The plan of an import, or, with `commit`, what was imported.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = ImportResult)]
#[expect(dead_code, reason = "describes the two forms of the response")]
pub(crate) enum ResultView {
    Plan(Box<PlanView>),
    Imported(ImportedView),
}

/// What a request has imported.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ImportedFile)]
pub(crate) struct ImportedView {
    /// Id of the import, by which it can be undone.
    import_id: schemas::ResourceId,
    /// `done`, or `running` if the request has to be repeated, with `run`; `undone` if the import
    /// of this run was undone, so that nothing is recorded.
    status: schemas::ImportStatus,
    /// Run of the import: 1, and one more each time that it begins again after an undo.
    #[schema(minimum = 0, example = 1)]
    run: u64,
    /// Number of expenses, settlements and adjustments that the request has recorded.
    #[schema(minimum = 0, example = 4)]
    imported: u64,
    /// Number of expenses, settlements and adjustments that were recorded before.
    #[schema(minimum = 0, example = 0)]
    already_there: u64,
    /// Number of those that the request has edited, because they have changed in the app.
    #[schema(minimum = 0, example = 0)]
    updated: u64,
    /// Number of those that the request has deleted, because the file no longer has them.
    #[schema(minimum = 0, example = 0)]
    deleted: u64,
    /// Number of guests that the request has added.
    #[schema(minimum = 0, example = 1)]
    members: u64,
    /// Number of expenses that the request has recorded.
    #[schema(minimum = 0, example = 3)]
    expenses: u64,
    /// Number of settlements that the request has recorded, including pending ones.
    #[schema(minimum = 0, example = 1)]
    settlements: u64,
    /// Number of adjustments that the request has recorded.
    #[schema(minimum = 0, example = 0)]
    adjustments: u64,
}

/// An import.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Import)]
pub(crate) struct ImportView {
    /// Id of the import.
    import_id: schemas::ResourceId,
    /// Format of the file.
    format: schemas::ImportFormat,
    /// Whether the import, or its undo, is complete.
    status: schemas::ImportStatus,
    /// Run of the import: 1, and one more each time that it begins again after an undo.
    #[schema(minimum = 0, example = 1)]
    run: u64,
    /// User who imported the file.
    created_by: schemas::UserId,
    /// Number of expenses that it has recorded.
    #[schema(minimum = 0, example = 3)]
    expenses: u64,
    /// Number of settlements that it has recorded, including pending ones.
    #[schema(minimum = 0, example = 1)]
    settlements: u64,
    /// Number of adjustments that it has recorded.
    #[schema(minimum = 0, example = 0)]
    adjustments: u64,
    /// Number of guests that it has added.
    #[schema(minimum = 0, example = 1)]
    members: u64,
    /// Time at which it began.
    created_at: schemas::Timestamp,
    /// Time of its last change.
    updated_at: schemas::Timestamp,
}

impl From<Imported> for ImportedView {
    fn from(done: Imported) -> Self {
        let Imported { import, expenses, settlements, adjustments, members, .. } = done;
        Self {
            import_id: Text(import.id.into()),
            status: Text(import.status),
            run: import.run,
            imported: expenses.saturating_add(settlements).saturating_add(adjustments),
            already_there: done.already_there,
            updated: done.updated,
            deleted: done.deleted,
            members,
            expenses,
            settlements,
            adjustments,
        }
    }
}

impl From<ImportRow> for ImportView {
    fn from(import: ImportRow) -> Self {
        Self {
            import_id: Text(import.id.into()),
            format: Text(import.format),
            status: Text(import.status),
            run: import.run,
            created_by: Text(import.created_by),
            expenses: import.expenses,
            settlements: import.settlements,
            adjustments: import.adjustments,
            members: import.members,
            created_at: Text(import.created_at),
            updated_at: Text(import.updated_at),
        }
    }
}
