//! Meaning of the columns of Tricount's CSV.

use std::collections::BTreeSet;

use fracti_texts::{Message, message};

use super::{CONVERTED, dates};
use crate::{csv::CsvRecord, key::normal, number::is_number};

/// Names of columns in English and in French.
const KINDS: [&str; 3] = ["Type", "Transaction type", "Type de transaction"];
const CATEGORIES: [&str; 2] = ["Category", "Catégorie"];
const DATES: [&str; 2] = [ENGLISH_DATE, "Date & heure"];
const PAYERS: [&str; 2] = ["Paid by", "Payé par"];
const IMPACTS: [&str; 2] = ["Impacted to ", "Impacté à "];

const ENGLISH_DATE: &str = "Date & time";

/// The indexes of columns, from 0.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Columns {
    pub(super) date: usize,
    pub(super) kind: Option<usize>,
    pub(super) category: Option<usize>,
    /// The column with the name of the payer.
    pub(super) payer: Option<usize>,
    /// The columns with what members paid, and their names.
    pub(super) paid: Vec<(usize, String)>,
    /// The columns with how the balances of members changed, and their names.
    pub(super) impacts: Vec<(usize, String)>,
    /// Whether the names of columns are English.
    pub(super) is_english: bool,
}

impl Columns {
    /// The columns of a file with this header and these lines.
    ///
    /// # Errors
    ///
    /// The rule that the header breaks.
    pub(super) fn find(header: &CsvRecord<'_>, lines: &[CsvRecord<'_>]) -> Result<Self, Message> {
        let names: Vec<String> =
            header.cells.iter().map(|name| unescaped(&normal(name.trim()))).collect();
        let index = |known: &[&str]| names.iter().position(|name| known.contains(&&**name));
        let date = index(&DATES)
            .or_else(|| (CONVERTED + 1..names.len()).find(|index| is_of_dates(lines, *index)));
        let Some(date) = date else {
            return Err(message!("no column has dates", "ни в одном столбце нет дат"));
        };
        let members = |prefixes: &[String]| -> Vec<(usize, String)> {
            let name = |(index, name): (usize, &String)| {
                let rest = prefixes.iter().find_map(|prefix| name.strip_prefix(prefix.as_str()))?;
                Some((index, rest.trim().to_owned())).filter(|(_, name)| !name.is_empty())
            };
            names.iter().enumerate().skip(CONVERTED + 1).filter_map(name).collect()
        };
        let mut columns = Self {
            date,
            kind: index(&KINDS),
            category: index(&CATEGORIES),
            payer: index(&PAYERS),
            paid: members(&PAYERS.map(|name| format!("{name} "))),
            impacts: members(&IMPACTS.map(ToOwned::to_owned)),
            is_english: names
                .iter()
                .any(|name| name == ENGLISH_DATE || name.starts_with(IMPACTS[0])),
        };
        if columns.impacts.is_empty() {
            columns.find_members(&names, lines)?;
        }
        let is_paid = !columns.paid.is_empty() || columns.payer.is_some();
        let is_unique = [&columns.paid, &columns.impacts].iter().all(|members| {
            let names: BTreeSet<&String> = members.iter().map(|(_, name)| name).collect();
            names.len() == members.len()
        });
        if !is_paid {
            return Err(message!(
                "no column has the payers of the rows",
                "ни в одном столбце нет плательщиков"
            ));
        }
        if !is_unique {
            return Err(message!(
                "two members have the same name; rename one, and export again",
                "у двух участников одно имя; переименуйте одного и выгрузите файл заново"
            ));
        }
        Ok(columns)
    }

    /// Whether the column is read.
    pub(super) fn has(&self, index: usize) -> bool {
        let others = [self.kind, self.category, self.payer, Some(self.date)];
        let mut members = self.paid.iter().chain(&self.impacts);
        index <= CONVERTED || others.contains(&Some(index)) || members.any(|(it, _)| *it == index)
    }

    /// Finds the columns of members in another language: the last ones, with numbers. Their names
    /// end with those of members.
    fn find_members(&mut self, names: &[String], lines: &[CsvRecord<'_>]) -> Result<(), Message> {
        let is_of_numbers = |index: &usize| {
            let mut cells = lines.iter().map(|line| line.cell(*index).trim());
            *index != self.date
                && cells.clone().any(is_number)
                && cells.all(|cell| cell.is_empty() || is_number(cell))
        };
        let first = (CONVERTED + 1..names.len()).rev().take_while(is_of_numbers).last();
        let first = first.unwrap_or(names.len());
        let last = names.get(first..).unwrap_or_default();
        let named = |first: usize, members: &[&str]| -> Vec<(usize, String)> {
            (first..).zip(members.iter().map(|name| (*name).to_owned())).collect()
        };
        for index in (CONVERTED + 1..first).filter(|index| *index != self.date) {
            let cells = lines.iter().map(|line| unescaped(line.cell(index).trim()));
            let cells: BTreeSet<String> = cells.collect();
            if let Some(members) = members_of_payers(last, &cells) {
                (self.payer, self.impacts) = (Some(index), named(first, &members));
                return Ok(());
            }
        }
        let half = last.len().checked_div(2).unwrap_or_default();
        let (paid, impacts) = last.split_at_checked(half).unwrap_or_default();
        if let Some(members) = members_of_runs(paid, impacts) {
            self.paid = named(first, &members);
            self.impacts = named(first.saturating_add(half), &members);
            return Ok(());
        }
        Err(message!(
            "the columns of the members are not known in this language; ask the support for the \
             file in English",
            "столбцы участников на этом языке неизвестны; попросите у поддержки файл на английском"
        ))
    }
}

/// The names of members at the ends of the names of columns: those whose other part is the same for
/// all, if all payers are among them.
fn members_of_payers<'n>(columns: &'n [String], payers: &BTreeSet<String>) -> Option<Vec<&'n str>> {
    let payer = payers.first().filter(|payer| !payer.is_empty())?;
    columns.iter().find_map(|column| {
        let prefix = column.strip_suffix(payer.as_str())?;
        let names = columns.iter().map(|column| column.strip_prefix(prefix));
        let names: Vec<&str> = names.collect::<Option<_>>()?;
        let has = |payer: &String| names.contains(&payer.as_str());
        (payers.iter().all(has) && names.iter().all(|name| !name.is_empty())).then_some(names)
    })
}

/// Names of the members in two runs of columns: a column's name is the prefix of its run and a
/// member.
fn members_of_runs<'n>(one: &'n [String], other: &[String]) -> Option<Vec<&'n str>> {
    if one.len() != other.len() {
        return None;
    }
    let prefixes = one.iter().zip(other).map(|(one, other)| {
        let common = common_end(one, other);
        // A name is a word of its own, unless the language has no blanks.
        let name = match common.find(char::is_whitespace) {
            Some(blank) => common.get(blank..).unwrap_or_default(),
            None if one.contains(char::is_whitespace) => "",
            None => common,
        };
        Some((one.strip_suffix(name)?, other.strip_suffix(name)?))
    });
    let prefixes: Vec<(&str, &str)> = prefixes.collect::<Option<_>>()?;
    // Names may have more in common than the ends of the columns.
    let (first, second) = *prefixes.iter().max_by_key(|(first, _)| first.len())?;
    let name = |(one, other): (&'n String, &String)| {
        let name = one.strip_prefix(first)?;
        let is_same = other.strip_prefix(second)? == name && !name.trim().is_empty();
        is_same.then(|| name.trim())
    };
    one.iter().zip(other).map(name).collect()
}

/// The end that two texts have in common.
fn common_end<'t>(one: &'t str, other: &str) -> &'t str {
    let letters = one.chars().rev().zip(other.chars().rev());
    let length: usize =
        letters.take_while(|(one, other)| one == other).map(|(one, _)| one.len_utf8()).sum();
    one.get(one.len().saturating_sub(length)..).unwrap_or_default()
}

fn is_of_dates(lines: &[CsvRecord<'_>], index: usize) -> bool {
    let mut cells = lines.iter().map(|line| line.cell(index)).filter(|it| !it.trim().is_empty());
    cells.clone().next().is_some() && cells.all(dates::is_date)
}

/// The currency of the tricount: a code in parentheses at the end of the fifth name.
pub(super) fn currency_of<'r>(header: &'r CsvRecord<'_>) -> Option<&'r str> {
    let (_, code) = header.cell(CONVERTED).trim().strip_suffix(')')?.rsplit_once('(')?;
    let is_code = code.len() == 3 && code.bytes().all(|letter| letter.is_ascii_uppercase());
    is_code.then_some(code)
}

/// The text with `&` instead of `&amp;`.
pub(super) fn unescaped(text: &str) -> String {
    text.replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(names: &[&str]) -> Vec<String> {
        names.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn names_of_members_are_found_in_two_runs_of_columns() {
        for (one, other, members) in [
            (
                &["Bezahlt von Ann", "Bezahlt von Anna B"][..],
                &["Betrifft Ann", "Betrifft Anna B"][..],
                Some(&["Ann", "Anna B"][..]),
            ),
            (&["支払者Ann"], &["対象Ann"], Some(&["Ann"])),
            (&["Pagado por Jo"], &["Impacto en Mo"], None),
            (&["Betrifft Jo"], &["Betrifft Mo"], None),
            (&["Pagado por Jo", "Pagado por Bo"], &["Impacto en Bo", "Impacto en Jo"], None),
            (&[], &[], None),
        ] {
            let one = owned(one);
            let other = owned(other);
            assert_eq!(members_of_runs(&one, &other).as_deref(), members, "{one:?}");
        }
    }

    #[test]
    fn names_of_members_are_found_by_their_payers() {
        let columns = owned(&["Betrifft Jo", "Betrifft Mo", "Betrifft Ann Jo"]);
        let payers = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        let members = &["Jo", "Mo", "Ann Jo"][..];
        assert_eq!(members_of_payers(&columns, &payers(&["Mo"])).as_deref(), Some(members));
        assert_eq!(
            members_of_payers(&columns, &payers(&["Ann Jo", "Jo"])).as_deref(),
            Some(members)
        );
        for other in [&["Eve"][..], &["", "Mo"], &["Eve", "Mo"], &["o"], &[]] {
            let found = members_of_payers(&columns, &payers(other));
            assert!(found.is_none() || other == ["o"], "{other:?} {found:?}");
        }
    }
}
