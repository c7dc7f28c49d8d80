//! Records of a CSV file (RFC 4180), with the lines at which they begin.
//!
//! The reader is strict: a stray quote or a quote that is never closed is an error, because behind
//! it rows would be read as text. Blank lines are records, because they separate sections.

use std::borrow::Cow;

use fracti_texts::message;

use crate::{
    import::{FilePlace, Issue},
    number::is_number,
};

/// Maximum number of cells of a record: 500 members and the columns that no member has.
const MAX_CELLS: usize = 600;

/// The records of a file. It ends after the first error.
#[derive(Clone, Debug)]
pub(crate) struct Csv<'a> {
    rest: &'a str,
    line: usize,
    delimiter: char,
}

/// A record: the cells between two line ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CsvRecord<'a> {
    /// Physical line at which it begins, from 1.
    pub(crate) line: usize,
    /// The cells, without their quotes.
    pub(crate) cells: Vec<Cow<'a, str>>,
}

impl CsvRecord<'_> {
    /// The cell at `index`, from 0; empty if there is none.
    pub(crate) fn cell(&self, index: usize) -> &str {
        self.cells.get(index).map_or("", |cell| cell)
    }

    /// Whether the line is empty. A spreadsheet fills empty lines with delimiters.
    pub(crate) fn is_blank(&self) -> bool {
        self.cells.iter().all(|cell| cell.trim().is_empty())
    }

    /// Indexes of the columns of this header from `first` on that have a number in a line: those of
    /// the members, if each of them has a column. Another column has none, and a spreadsheet may
    /// add empty ones.
    pub(crate) fn columns_of_numbers(&self, lines: &Csv<'_>, first: usize) -> Vec<usize> {
        let mut found = vec![false; self.cells.len()];
        for line in lines.clone().map_while(Result::ok) {
            for (found, cell) in found.iter_mut().zip(&line.cells).skip(first) {
                *found = *found || is_number(cell);
            }
        }
        let columns = found.into_iter().enumerate().skip(first);
        columns.filter(|(_, has_number)| *has_number).map(|(index, _)| index).collect()
    }

    /// Place of the cell at `index`, from 0.
    pub(crate) fn place(&self, index: usize) -> FilePlace {
        FilePlace::cell(self.line, index.saturating_add(1))
    }
}

impl<'a> Csv<'a> {
    /// The records of `text`. A spreadsheet may have replaced the commas between cells by
    /// semicolons or tabs; the first line with cells shows it.
    pub(crate) fn new(text: &'a str) -> Self {
        let delimiter_of = |line: &str| {
            let count = |delimiter: char| -> usize {
                let bare = line.split('"').step_by(2);
                bare.map(|text| text.matches(delimiter).count()).sum()
            };
            // Of equal numbers, the last one is the maximum.
            let counted = ['\t', ';', ','].map(|delimiter| (count(delimiter), delimiter));
            let most = counted.into_iter().max_by_key(|(count, _)| *count);
            most.filter(|(count, _)| *count >= 3).map(|(_, delimiter)| delimiter)
        };
        let delimiter = text.lines().take(5).find_map(delimiter_of).unwrap_or(',');
        Self { rest: text, line: 1, delimiter }
    }

    /// Whether the last line ends with a line break.
    pub(crate) fn is_ended(&self) -> bool {
        self.rest.ends_with('\n')
    }

    /// The next record, with `width` cells. Only the first cell may have quotes and delimiters. If
    /// its quotes are not doubled, the line is read as Cospend writes it.
    pub(crate) fn next_undoubled(&mut self, width: usize) -> Option<Result<CsvRecord<'a>, Issue>> {
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        let bare = |cell: &'a str| {
            cell.strip_prefix('"').and_then(|cell| cell.strip_suffix('"')).unwrap_or(cell)
        };
        let mut cells: Vec<&str> =
            line.trim_end_matches('\r').rsplitn(width, self.delimiter).map(bare).collect();
        cells.reverse();
        let first = cells.first().copied().unwrap_or_default();
        let is_doubled = !first.replace("\"\"", "").contains('"');
        if is_doubled || cells.len() != width {
            return self.next();
        }
        let record =
            CsvRecord { line: self.line, cells: cells.into_iter().map(Cow::from).collect() };
        self.rest = rest;
        self.line = self.line.saturating_add(1);
        Some(Ok(record))
    }

    fn record(&mut self) -> Result<CsvRecord<'a>, Issue> {
        let mut record = CsvRecord { line: self.line, cells: Vec::new() };
        loop {
            let place = record.place(record.cells.len());
            if record.cells.len() == MAX_CELLS {
                return Err(place.issue(message!(
                    "a line must have at most {MAX_CELLS} cells",
                    "ячеек в строке должно быть не больше {MAX_CELLS}"
                )));
            }
            let cell = match self.rest.strip_prefix('"') {
                Some(quoted) => self.quoted(quoted, place)?,
                None => self.bare(place)?,
            };
            record.cells.push(cell);
            if let Some(next) = self.rest.strip_prefix(self.delimiter) {
                self.rest = next;
                continue;
            }
            let rest = self.rest.strip_prefix('\r').unwrap_or(self.rest);
            if let Some(next) = rest.strip_prefix('\n') {
                self.rest = next;
                self.line = self.line.saturating_add(1);
            }
            return Ok(record);
        }
    }

    /// Reads a cell without quotes, up to a delimiter or the end of the line.
    fn bare(&mut self, place: FilePlace) -> Result<Cow<'a, str>, Issue> {
        let end = self.rest.find([self.delimiter, '\n', '"']).unwrap_or(self.rest.len());
        let (cell, rest) = self.rest.split_at(end);
        if rest.starts_with('"') {
            return Err(place.issue(message!(
                "a cell that contains a quote must be enclosed in quotes",
                "ячейка, в которой есть кавычка, должна быть в кавычках"
            )));
        }
        self.rest = rest;
        let ends_line = !rest.starts_with(self.delimiter);
        Ok(cell.strip_suffix('\r').filter(|_| ends_line).unwrap_or(cell).into())
    }

    /// Reads a cell after its opening quote, up to a delimiter or the end of the line.
    fn quoted(&mut self, quoted: &'a str, place: FilePlace) -> Result<Cow<'a, str>, Issue> {
        let mut cell = Cow::Borrowed("");
        let mut rest = quoted;
        loop {
            let Some((part, after)) = rest.split_once('"') else {
                return Err(place.issue(message!(
                    "the quote that opens this cell is never closed",
                    "кавычка в начале этой ячейки не закрыта"
                )));
            };
            if cell.is_empty() {
                cell = Cow::Borrowed(part);
            } else {
                cell.to_mut().push_str(part);
            }
            rest = after;
            let Some(after) = rest.strip_prefix('"') else { break };
            cell.to_mut().push('"');
            rest = after;
        }
        let ends = rest.is_empty() || rest.starts_with([self.delimiter, '\n']);
        if !ends && !rest.starts_with("\r\n") && rest != "\r" {
            return Err(place.issue(message!(
                "text must not follow the quote that closes a cell",
                "после закрывающей кавычки ячейки не должно быть текста"
            )));
        }
        self.line = self.line.saturating_add(cell.matches('\n').count());
        self.rest = rest;
        Ok(cell)
    }
}

impl<'a> Iterator for Csv<'a> {
    type Item = Result<CsvRecord<'a>, Issue>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let record = self.record();
        if record.is_err() || self.rest == "\r" {
            self.rest = "";
        }
        Some(record)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Lines = Vec<(usize, Vec<String>)>;

    /// The lines and cells of a text, or the place of the error.
    fn read(text: &str) -> Result<Lines, (usize, Option<usize>)> {
        let cells =
            |it: CsvRecord<'_>| (it.line, it.cells.into_iter().map(Cow::into_owned).collect());
        let records = Csv::new(text).map(|record| record.map(cells));
        records
            .collect::<Result<_, _>>()
            .map_err(|issue: Issue| (issue.line().unwrap(), issue.column))
    }

    #[test]
    fn records_have_the_line_at_which_they_begin() {
        let records = read("a,\"b\n\"\"c\"\"\",d\r\n\r\n\"\",,\ne\rf,\"g\"\r").unwrap();
        let expected: [(usize, &[&str]); 4] =
            [(1, &["a", "b\n\"c\"", "d"]), (3, &[""]), (4, &["", "", ""]), (5, &["e\rf", "g"])];
        let expected = expected.map(|(line, cells)| (line, cells.iter().map(ToString::to_string)));
        assert_eq!(records, expected.map(|(line, cells)| (line, cells.collect())));
    }

    #[test]
    fn stray_quotes_are_refused_at_their_line_and_column() {
        for (text, place) in [
            ("a,b\nc,\"d", (2, Some(2))),
            ("a,b\nc,\"d\n\n\ne", (2, Some(2))),
            ("\"a\nb\",c\n\"d\"e,f", (3, Some(1))),
            ("a,b\"c", (1, Some(2))),
            ("a, \"b\"", (1, Some(2))),
            ("\"a\"\rb", (1, Some(1))),
        ] {
            assert_eq!(read(text), Err(place), "{text:?}");
        }
        assert_eq!(read(&",".repeat(MAX_CELLS)), Err((1, Some(MAX_CELLS + 1))));
    }

    #[test]
    fn semicolons_and_tabs_separate_cells_if_commas_do_not() {
        for (text, cells) in [
            ("a,b;c,d\te,f", 4),
            ("\na;b,c;d;e,f", 4),
            ("a\tb\tc;d\te,f", 4),
            ("a;b;A, B;C, D;E, F", 5),
            ("\"a;b;c;d;e\",b,c,d", 4),
        ] {
            assert_eq!(read(text).unwrap().pop().unwrap().1.len(), cells, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn written_cells_are_read(
            rows in prop::collection::vec(prop::collection::vec("[a,\"\r\n;']*", 4), 1..5),
        ) {
            let quoted = |cell: &String| format!("\"{}\"", cell.replace('"', "\"\""));
            let line = |row: &Vec<String>| row.iter().map(quoted).collect::<Vec<_>>().join(",");
            let text = rows.iter().map(line).collect::<Vec<_>>().join("\r\n");
            let csv = Csv { rest: &text, line: 1, delimiter: ',' };
            let read: Vec<_> = csv.map(|record| record.unwrap().cells).collect();
            prop_assert_eq!(read, rows);
        }
    }
}
