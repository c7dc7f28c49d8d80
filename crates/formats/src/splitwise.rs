//! Splitwise's spreadsheet of a group or of a friendship.
//!
//! Each row has the net of every member, what they paid minus what they owe, to the cent. After the
//! rows, one line for each currency has the sum of every column.

pub(crate) mod api;

use std::collections::BTreeMap;

use fracti_core::values::{currency::Currency, decimal::Decimal, money::Money};
use fracti_texts::message;

use crate::{
    category::is_payment,
    csv::{Csv, CsvRecord},
    draft::{AMOUNT, CURRENCY, DATE, DESCRIPTION, FieldText, ImportDraft, Named, UncheckedRow},
    import::{FilePlace, Format, Issue, RowPlace},
    nets::{NetParts, NetReader, NetRow},
    number::{DecimalMark, is_number, rounded},
    quote::unguarded,
    unknown::KnownFields,
};

/// Name of the app in identities.
const APP: &str = "splitwise";

/// Number of columns before those of the members: date, description, category, cost, currency.
const COLUMNS: usize = 5;

/// Whether a file has this format: the header is English, or a row has the form of the app's. The
/// names of columns are in the language of the account, but their order is the same in all. Dates
/// and currencies need not be valid here, so that they are reported with their lines.
pub(crate) fn is_header(header: &CsvRecord<'_>, rows: Csv<'_>) -> bool {
    let english = ["Date", "Description", "Category", "Cost", "Currency"];
    let is_english = (0..).zip(english).all(|(index, name)| header.cell(index).trim() == name);
    let is_code =
        |text: &str| text.len() == 3 && text.bytes().all(|letter| letter.is_ascii_uppercase());
    let is_row = |row: &CsvRecord<'_>| {
        is_number(row.cell(3))
            && is_code(row.cell(4).trim())
            && row.cells.iter().skip(COLUMNS).any(|cell| is_number(cell))
    };
    let mut rows = rows.take(20).map_while(Result::ok);
    // A remark before the header has one cell, even if a spreadsheet has added empty ones.
    let is_named = header.cells.iter().take(COLUMNS).all(|name| !name.trim().is_empty());
    let is_localized = is_named && !is_row(header) && rows.any(|row| is_row(&row));
    header.cells.len() > COLUMNS && (is_english || is_localized)
}

/// Reads the records after the header.
///
/// # Errors
///
/// An [`Issue`] where the file is no CSV.
pub(crate) fn read(
    header: &CsvRecord<'_>,
    records: Csv<'_>,
    draft: &mut ImportDraft<'_>,
) -> Result<(), Issue> {
    draft.format(Format::SplitwiseCsv);
    let columns = header.columns_of_numbers(&records, COLUMNS);
    let members: Option<Vec<usize>> =
        columns.iter().map(|index| draft.add_column(header, *index)).collect();
    let Some(members) = members else { return Ok(()) };
    let rows = || records.clone().map_while(Result::ok);
    draft.see_columns(header, rows(), &KnownFields::NONE, |index| {
        index < COLUMNS || columns.contains(&index)
    });
    let mark = DecimalMark::of(rows().flat_map(|row| row.cells.into_iter().skip(COLUMNS - 2)));
    let sums = BTreeMap::new();
    let nets = NetReader::new("Splitwise");
    let members = columns.into_iter().zip(members).collect();
    let mut reader = SplitwiseReader { draft, members, mark, sums, nets };
    let mut last = header.line;
    let mut records = records;
    while let Some(record) = reader.draft.next_of_width(&mut records, header)? {
        last = record.line;
        if record.cell(2).trim().is_empty() && record.cell(3).trim().is_empty() {
            reader.total(&record);
        } else if reader.draft.admits_row(FilePlace::line(record.line)) {
            reader.row(&record);
        } else {
            break;
        }
    }
    reader.finish(last);
    Ok(())
}

struct SplitwiseReader<'d, 'a> {
    draft: &'d mut ImportDraft<'a>,
    /// The columns of the members, and the members.
    members: Vec<(usize, usize)>,
    mark: DecimalMark,
    /// For each currency, the sum of each member's nets, and whether it was compared.
    sums: BTreeMap<Currency, (Vec<Decimal>, bool)>,
    nets: NetReader,
}

impl SplitwiseReader<'_, '_> {
    fn row(&mut self, record: &CsvRecord<'_>) {
        let date = self.draft.date(record.place(0), DATE, record.cell(0));
        let Some((currency, numbers)) = self.amounts(record) else { return };
        let exact_cost = self.number(record, 3, currency);
        let (Some(date), Some(exact_cost)) = (date, exact_cost) else { return };
        let place = FilePlace::line(record.line);
        let zeros = || vec![Decimal::ZERO; numbers.len()];
        let (sums, _) = self.sums.entry(currency).or_insert_with(|| (zeros(), false));
        for (sum, number) in sums.iter_mut().zip(&numbers) {
            let Some(next) = sum.plus(*number) else {
                let rule = message!(
                    "the amounts in {currency} are too large to be summed",
                    "суммы в {currency} слишком велики, чтобы их сложить"
                );
                return self.draft.error(place, rule);
            };
            *sum = next;
        }
        let description = unguarded(record.cell(1));
        let key = self.key(record, currency, exact_cost, &numbers);
        let is_payment = is_payment(record.cell(2));
        let members = self.members.iter().map(|(_, member)| *member);
        let nets: Vec<(usize, Decimal)> = members.zip(numbers).collect();
        let row = NetRow {
            line: record.line,
            cost_place: record.place(3),
            currency,
            cost: exact_cost,
            nets: &nets,
            is_payment,
        };
        let Some(NetParts { payers, shares, note }) = self.nets.read(row, self.draft) else {
            return;
        };
        let category = if is_payment { None } else { self.draft.category(record.cell(2)) };
        self.draft.push(&UncheckedRow {
            row: RowPlace::Line(record.line),
            key,
            is_payment,
            date,
            description: FieldText { field: DESCRIPTION, text: description },
            category: category.map(Into::into),
            notes: note.as_deref().map(|text| FieldText { field: Named::Field("notes"), text }),
            currency,
            is_open: false,
            payers,
            shares,
            split: None,
        });
    }

    /// The identity of a row.
    fn key(
        &mut self,
        record: &CsvRecord<'_>,
        currency: Currency,
        cost: Decimal,
        numbers: &[Decimal],
    ) -> crate::Key {
        let members = self.members.iter().zip(numbers);
        let nets: Vec<(&str, Decimal)> =
            members.map(|((_, member), number)| (self.draft.name(*member), *number)).collect();
        let content = content(record.cell(0), unguarded(record.cell(1)), (cost, currency), &nets);
        let content: Vec<&str> = content.iter().map(|it| &**it).collect();
        self.draft.key(APP, &content)
    }

    /// Compares the sums of the columns with a line of totals.
    fn total(&mut self, record: &CsvRecord<'_>) {
        let Some((currency, totals)) = self.amounts(record) else { return };
        let zeros = vec![Decimal::ZERO; self.members.len()];
        let (sums, is_compared) = self.sums.entry(currency).or_insert_with(|| (zeros, false));
        if std::mem::replace(is_compared, true) {
            let rule = message!(
                "the totals in {currency} must appear only once",
                "итоги в {currency} не должны повторяться"
            );
            self.draft.error(record.place(4), rule);
            return;
        }
        let sums = sums.clone();
        let members = self.members.clone();
        for ((index, member), (total, sum)) in members.into_iter().zip(totals.into_iter().zip(sums))
        {
            let name = self.draft.name(member);
            let what = message!("total of {name} in {currency}", "итог {name} в {currency}");
            let is_rounded = sum.rounded(currency.exponent()) == total;
            let sum = if is_rounded { total } else { sum };
            self.draft.check(record.place(index), what, total, sum);
        }
    }

    /// The currency of a line and the amounts of all members.
    fn amounts(&mut self, record: &CsvRecord<'_>) -> Option<(Currency, Vec<Decimal>)> {
        let code = record.cell(4).trim();
        let currency = self.draft.code(record.place(4), CURRENCY, code)?;
        let cells = self.members.clone().into_iter();
        // All cells are read, so that all errors are reported.
        let numbers: Vec<Option<Decimal>> =
            cells.map(|(index, _)| self.number(record, index, currency)).collect();
        Some((currency, numbers.into_iter().collect::<Option<_>>()?))
    }

    /// The number in a cell. It may be finer than a minor unit if its decimal mark is certain.
    fn number(
        &mut self,
        record: &CsvRecord<'_>,
        index: usize,
        currency: Currency,
    ) -> Option<Decimal> {
        let place = record.place(index);
        let is_certain = self.mark.is_certain();
        let read = self.mark.number(record.cell(index));
        let number = self.draft.keep(place, AMOUNT, read)?;
        let read = if is_certain {
            rounded(number, currency).map(|_| number)
        } else {
            Money::from_major(number, currency).map(|_| number)
        };
        self.draft.keep(place, AMOUNT, read)
    }

    /// Checks that the file is whole: after the rows, it has the totals of each currency.
    fn finish(self, last: usize) {
        self.nets.warn(self.draft);
        for (currency, (_, is_compared)) in self.sums {
            if !is_compared && !self.draft.has_errors() {
                let rule = message!(
                    "the file ends without the totals in {currency}, so rows may be missing; \
                     export it again",
                    "в конце файла нет итогов в {currency}, строк может не хватать; выгрузите его \
                     заново"
                );
                self.draft.error(FilePlace::line(last), rule);
            }
        }
    }
}

/// The contents of a row that are its identity, with the net of each member by name. A member who
/// joined later has a net of zero, and the category is in the language of the account, so neither
/// is part of it.
fn content(
    date: &str,
    description: &str,
    (cost, currency): (Decimal, Currency),
    nets: &[(&str, Decimal)],
) -> Vec<String> {
    let nets = nets.iter().filter(|(_, number)| *number != Decimal::ZERO);
    let net =
        |(name, number): &(&str, Decimal)| format!("{} {name}", in_minor_units(*number, currency));
    let mut nets: Vec<String> = nets.map(net).collect();
    nets.sort_unstable();
    let cost = in_minor_units(cost, currency);
    let fixed = [date, description, currency.code(), &cost].map(ToOwned::to_owned);
    fixed.into_iter().chain(nets).collect()
}

/// A number of major units, as a number of minor units.
fn in_minor_units(number: Decimal, currency: Currency) -> String {
    let exponent = currency.exponent();
    let digits = number.at_scale(number.decimals().max(exponent)).unwrap_or_default();
    Decimal::new(digits, number.decimals().saturating_sub(exponent)).to_string()
}
