//! Rows that do not stop a request although something is wrong with them, which its log names: v0
//! rows that cannot be read, which lists leave out, and rows that do not agree with others.

use std::cell::RefCell;

use fracti_core::{
    input::{Cause, Error, FailureKind},
    storage::{
        keys::Primary,
        row::{self, FORMAT_VERSION, Item, Row},
    },
};

/// Rows that are noted for one request at most.
const MAX_NOTED: usize = 20;

/// A row with which something is wrong.
#[derive(Debug)]
pub struct UnreadableRow {
    /// Its key.
    pub key: Primary,
    /// What is wrong with it.
    pub cause: Cause,
    /// Kind of the failure; `None` for a v0 row that cannot be read, and is left out.
    pub kind: Option<FailureKind>,
}

tokio::task_local! {
    static NOTED: RefCell<Vec<UnreadableRow>>;
}

/// Runs `work`, and returns the rows that it noted: at most twenty, each once.
pub async fn noting_unreadable<T>(work: impl Future<Output = T>) -> (T, Vec<UnreadableRow>) {
    NOTED
        .scope(RefCell::default(), async {
            let done = work.await;
            (done, NOTED.with(RefCell::take))
        })
        .await
}

/// Error returned for a row that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the row {} {}", .key.pk, .key.sk)]
struct RowError {
    key: Primary,
    #[source]
    cause: Cause,
}

/// The entity of a row. An error names the row.
///
/// # Errors
///
/// As [`row::from_item`].
pub(super) fn entity<T: Row>(item: Item) -> Result<T, Error> {
    let key = Primary::of(&item);
    row::from_item(item).map_err(|error| match (error, key) {
        (Error::Table(cause), Some(key)) => Error::Table(RowError { key, cause }.into()),
        (error, _) => error,
    })
}

/// The entity of a row; `None` for a v0 row that cannot be read. The TypeScript Fracti checked
/// little of what it wrote, so one such row must not hide the others.
///
/// # Errors
///
/// [`Error::Table`] if another row cannot be read: a later Fracti may have written it.
pub(super) fn readable<T: Row>(item: Item) -> Result<Option<T>, Error> {
    if item.contains_key(FORMAT_VERSION) { entity(item).map(Some) } else { noted(item, None) }
}

/// The entity of a row of funds; `None` for a row that cannot be read.
///
/// # Errors
///
/// None for a row with a key.
pub(super) fn readable_of_funds<T: Row>(item: Item) -> Result<Option<T>, Error> {
    noted(item, Some(FailureKind::FundsMismatch))
}

/// The entity of a row. One that cannot be read is noted.
fn noted<T: Row>(item: Item, kind: Option<FailureKind>) -> Result<Option<T>, Error> {
    let key = Primary::of(&item);
    match (row::from_item(item), key) {
        (Ok(entity), _) => Ok(Some(entity)),
        (Err(Error::Table(cause)), Some(key)) => {
            note(UnreadableRow { key, cause, kind });
            Ok(None)
        }
        (Err(error), _) => Err(error),
    }
}

/// Notes a row that does not agree with the others of a user's funds.
pub(crate) fn note_mismatch(key: Primary, what: &'static str) {
    note(UnreadableRow { key, cause: what.into(), kind: Some(FailureKind::FundsMismatch) });
}

/// Notes a row. Outside of [`noting_unreadable`] nothing is noted.
fn note(row: UnreadableRow) {
    let _ = NOTED.try_with(|noted| {
        let mut noted = noted.borrow_mut();
        if noted.len() < MAX_NOTED && !noted.iter().any(|it| it.key == row.key) {
            noted.push(row);
        }
    });
}
