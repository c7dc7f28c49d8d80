//! Reads the export files of other apps, without I/O.
//!
//! [`read`] turns a file of any [`Format`] into an [`Import`]: people by their names, and expenses
//! and payments to the minor unit. What members owe is taken from the file if it is there, and is
//! not divided again. What the file does not say is asked, and the [`Answers`] are part of the next
//! reading; nothing is guessed. A file with an [error](Import::errors) or an open
//! [question](Import::questions) must not be imported, not even in part.
//!
//! Files are hostile: no input panics, and size, rows, members and cells are bounded.

#![cfg_attr(test, expect(clippy::arithmetic_side_effects, reason = "an overflow fails the test"))]

mod answers;

mod mapping;

mod records;

mod import;

mod key;

mod encoding;

mod csv;

mod quote;

mod number;

mod category;

mod unknown;

mod refusal;

mod draft;

mod json;

mod splitwise;

mod spliit;

mod rounding;

mod weights;

mod nets;

mod parts;

mod names;

mod ihatemoney;

mod cospend;

mod settleup;

mod tricount;

mod fracti;

#[cfg(test)]
mod tests;

use fracti_core::values::time::Day;
use fracti_texts::message;

pub use answers::Answers;
pub use draft::{MAX_MEMBERS, MAX_ROWS};
pub use encoding::{MAX_FILE, MAX_LARGE_FILE};
pub use import::{
    AdjustmentChange, Asks, Check, Format, Import, Issue, MAX_CHECKS, MAX_ERRORS, MAX_QUESTIONS,
    MAX_WARNINGS, Movement, Payment, Person, PersonPart, Question, ReadAdjustment, ReadRow,
    RowPlace, Sums,
};
pub use key::Key;
pub use mapping::{Match, MatchedBy, Target, TargetError, matches};
pub use records::Destination;

use csv::{Csv, CsvRecord};
use draft::ImportDraft;
use import::FilePlace;

/// Number of lines in which the header of a CSV file is looked for.
const HEADER_LINES: usize = 5;

/// Reads a file of at most [`MAX_FILE`] bytes on the day `today`. The format is recognized by the
/// contents.
#[must_use]
pub fn read(file: &[u8], answers: &Answers, today: Day) -> Import {
    read_with_limit(file, MAX_FILE, answers, today)
}

/// Reads a file of at most `limit` bytes, like [`read`].
#[must_use]
pub fn read_with_limit(file: &[u8], limit: usize, answers: &Answers, today: Day) -> Import {
    let mut draft = ImportDraft::new(answers, today);
    let read =
        encoding::text(file, limit).and_then(|text| match text.trim_start().chars().next() {
            Some('{') => read_object(&text, &mut draft),
            Some('[') => read_list(&text, &mut draft),
            _ => read_csv(&text, &mut draft),
        });
    if let Err(issue) = read {
        draft.fail(issue);
    }
    draft.finish()
}

/// Reads a JSON file that begins like an object.
fn read_object(text: &str, draft: &mut ImportDraft<'_>) -> Result<(), Issue> {
    if let Some(form) = fracti::recognize(text) {
        return fracti::read(text, form, draft);
    }
    let fields = refusal::fields(text.trim_start());
    if splitwise::api::has_fields(&fields) {
        return splitwise::api::read(text, draft);
    }
    if tricount::registry::has_fields(&fields) {
        return tricount::registry::read(text, &fields, draft);
    }
    if spliit::has_fields(&fields) {
        return spliit::read(text, draft);
    }
    Err(refusal::of_fields(&fields))
}

/// Reads a JSON file that begins like a list.
fn read_list(text: &str, draft: &mut ImportDraft<'_>) -> Result<(), Issue> {
    let first = text.trim_start().trim_start_matches('[').trim_start();
    if splitwise::api::has_fields(&refusal::fields(first)) {
        return splitwise::api::read(text, draft);
    }
    ihatemoney::read_json(text, draft)
}

/// Reads a CSV file. There may be remarks of one cell before the header.
fn read_csv(text: &str, draft: &mut ImportDraft<'_>) -> Result<(), Issue> {
    if text.contains('\r') && !text.contains('\n') {
        return Err(FilePlace::FILE.issue(message!(
            "the lines must end with LF or CRLF, not with CR alone",
            "строки должны кончаться на LF или CRLF, а не только на CR"
        )));
    }
    let mut records = Csv::new(text);
    let mut first = CsvRecord::default();
    for _ in 0..HEADER_LINES {
        let Some(header) = records.next().transpose()? else { break };
        if let Some(what) = refusal::of_header(&header) {
            return Err(FilePlace::FILE.issue(what));
        }
        if spliit::csv::is_header(&header) {
            return spliit::csv::read(&header, records, draft);
        }
        if spliit::cloud::is_header(&header) {
            return spliit::cloud::read(&header, records, draft);
        }
        if settleup::is_header(&header) {
            return settleup::read(&header, records, draft);
        }
        if tricount::is_header(&header) {
            return tricount::read(&header, records, draft);
        }
        if cospend::is_header(&header) {
            return cospend::read(&header, records, draft);
        }
        if cospend::is_summary(&header) {
            let rule = message!(
                "the file has proposed payments or statistics of Cospend, not its bills; export \
                 the project",
                "в файле предлагаемые платежи или статистика Cospend, а не счета; выгрузите проект"
            );
            return Err(FilePlace::FILE.issue(rule));
        }
        if ihatemoney::is_header(&header) {
            return ihatemoney::read_csv(&header, records, draft);
        }
        if splitwise::is_header(&header, records.clone()) {
            return splitwise::read(&header, records, draft);
        }
        let is_header = header.cells.iter().filter(|cell| !cell.trim().is_empty()).count() > 1;
        if is_header || first.is_blank() {
            first = header;
        }
        if is_header {
            break;
        }
    }
    Err(refusal::of_table(&first))
}
