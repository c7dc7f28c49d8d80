//! Settle Up's CSV of a group.
//!
//! A cell has a list of names or of amounts, with semicolons between them. The app rounds shares
//! one by one. If a row was paid in another currency than that of the group, it has the amount in
//! the currency of the group, too, and its lists are the ratio by which this amount is divided.

use std::collections::{BTreeSet, HashMap, HashSet};

use fracti_core::values::{category::Category, currency::Currency, decimal::Decimal, time::Day};
use fracti_texts::{message, rule};

use crate::{
    category::known,
    csv::{Csv, CsvRecord},
    draft::{AMOUNT, Converted, FieldText, ImportDraft, Named, Original, UncheckedRow},
    import::{FilePlace, Format, Issue, RowPlace},
    key::Key,
    names::{Names, Unclear},
    number::{DecimalMark, padded, paid_in, too_large},
    parts::{Side, Whole, check, divided},
    quote::quoted,
    rounding::Withheld,
    unknown::KnownFields,
};

const PAYERS: &str = "Who paid";
const AMOUNTS: &str = "Amount";
const CURRENCY: &str = "Currency";
const SHARERS: &str = "For whom";
const SHARES: &str = "Split amounts";
const PURPOSE: &str = "Purpose";
const CATEGORY: &str = "Category";
const MOMENT: &str = "Date & time";
const RATE: &str = "Exchange rate";
const CONVERTED: &str = "Converted amount";
const KIND: &str = "Type";

/// Columns without which a file is not read.
const REQUIRED: [&str; 7] = [PAYERS, AMOUNTS, CURRENCY, SHARERS, SHARES, MOMENT, KIND];

const COLUMNS: KnownFields = KnownFields {
    read: &[
        PAYERS, AMOUNTS, CURRENCY, SHARERS, SHARES, PURPOSE, CATEGORY, MOMENT, RATE, CONVERTED,
        KIND,
    ],
    passed_over: &["Timezone"],
    receipts: &["Receipt"],
    ..KnownFields::NONE
};

/// Separator of the names or amounts in a list.
const SEPARATOR: &str = ";";

/// Signs of categories whose names are not known.
const EMOJIS: [(Category, &str); 6] = [
    (Category::Food, "🍔🍕🍽🍻🛒"),
    (Category::Transport, "🚕🚌🚗⛽"),
    (Category::Travel, "✈🏨"),
    (Category::Entertainment, "🎬🎮"),
    (Category::Shopping, "👕🎁"),
    (Category::Health, "💊"),
];

/// Whether a CSV file has this format.
pub(crate) fn is_header(header: &CsvRecord<'_>) -> bool {
    [PAYERS, SHARERS].iter().all(|column| header.cells.iter().any(|name| name == column))
}

/// Reads the records after the header.
///
/// # Errors
///
/// An [`Issue`] where the file is no CSV.
pub(crate) fn read(
    header: &CsvRecord<'_>,
    mut records: Csv<'_>,
    draft: &mut ImportDraft<'_>,
) -> Result<(), Issue> {
    draft.format(Format::SettleUpCsv);
    for column in REQUIRED {
        if !header.cells.iter().any(|name| name == column) {
            let rule = message!(
                "the file must have a column {column}",
                "в файле должен быть столбец {column}"
            );
            draft.error(FilePlace::line(header.line), rule);
        }
    }
    let mut lines = Vec::new();
    while let Some(record) = draft.next_of_width(&mut records, header)? {
        if !draft.admits_row(FilePlace::line(record.line)) {
            break;
        }
        lines.push(record);
    }
    draft.warn_of_end();
    if draft.is_full() {
        return Ok(());
    }
    draft.see_columns(header, lines.iter(), &COLUMNS, |_| false);
    let table = Table { header, lines: &lines };
    let numbers = lines.iter().flat_map(|line| {
        let lists = [AMOUNTS, SHARES, RATE, CONVERTED].map(|column| table.cell(line, column));
        lists.into_iter().flat_map(|list| list.split(SEPARATOR))
    });
    let mut reader = SettleUpReader {
        mark: DecimalMark::of(numbers),
        names: table.names(),
        table,
        members: HashMap::new(),
        withheld: Withheld::default(),
        draft,
    };
    let mut rows: Vec<CsvRow<'_>> = lines.iter().filter_map(|line| reader.row(line)).collect();
    let group = reader.currency(&rows);
    // The file may have the newest rows first. What rounding withholds must not depend on later
    // ones.
    rows.sort_by_key(|row| (row.date, row.moment));
    for row in &rows {
        reader.push(row, group);
    }
    Ok(())
}

/// The lines of a file and their header.
#[derive(Clone, Copy)]
struct Table<'r> {
    header: &'r CsvRecord<'r>,
    lines: &'r [CsvRecord<'r>],
}

impl<'r> Table<'r> {
    /// The cell of a line in a column; empty if there is no such column.
    fn cell(self, line: &'r CsvRecord<'_>, column: &str) -> &'r str {
        self.index(column).map_or("", |index| line.cell(index).trim())
    }

    fn place(self, line: &CsvRecord<'_>, column: &str) -> FilePlace {
        self.index(column).map_or(FilePlace::line(line.line), |index| line.place(index))
    }

    fn index(self, column: &str) -> Option<usize> {
        self.header.cells.iter().position(|name| name == column)
    }

    /// The names with a separator in them: those that have only one amount beside them, and stand
    /// in another place, too. A list of names that has lost amounts stands in one.
    fn names(self) -> Names<'r> {
        let lists = self.lines.iter().flat_map(move |line| {
            [(PAYERS, AMOUNTS), (SHARERS, SHARES)]
                .map(|(names, amounts)| (self.cell(line, names), self.cell(line, amounts)))
        });
        let count = |list: &str| list.matches(SEPARATOR).count();
        let lists: Vec<(&str, usize)> = lists
            .map(|(names, amounts)| (names, count(amounts), count(names)))
            .filter(|(_, amounts, parts)| parts > amounts)
            .map(|(names, amounts, _)| (names, amounts.saturating_add(1)))
            .collect();
        let alone = || lists.iter().filter(|(_, amounts)| *amounts == 1).map(|(name, _)| *name);
        let candidates = Names::new(alone(), SEPARATOR);
        let mut places: HashMap<&str, usize> = HashMap::new();
        for (list, amounts) in &lists {
            let names = match amounts {
                1 => vec![*list],
                _ => candidates.split(list, true).unwrap_or_default(),
            };
            for name in names.iter().filter(|_| names.len() == *amounts) {
                let places = places.entry(name).or_default();
                *places = places.saturating_add(1);
            }
        }
        let known = alone().filter(|name| places.get(name).is_some_and(|places| *places > 1));
        Names::new(known, SEPARATOR)
    }
}

/// A row whose amounts are not converted yet.
struct CsvRow<'r> {
    line: &'r CsvRecord<'r>,
    is_payment: bool,
    date: Day,
    moment: &'r str,
    /// The currency in which it was paid.
    currency: Currency,
    /// Units of the group's currency per unit of this one. The app may leave it out.
    rate: Option<Decimal>,
    payers: Vec<(usize, Decimal)>,
    sharers: Vec<(usize, Decimal)>,
    /// Sum of the payments.
    amount: Decimal,
}

/// The currency of the group, and whether it is still to be answered.
type GroupCurrency = Option<(Currency, bool)>;

struct SettleUpReader<'r, 'd, 'a> {
    table: Table<'r>,
    mark: DecimalMark,
    names: Names<'r>,
    /// Members by their names in the file.
    members: HashMap<&'r str, usize>,
    withheld: Withheld,
    draft: &'d mut ImportDraft<'a>,
}

impl<'r> SettleUpReader<'r, '_, '_> {
    fn row(&mut self, line: &'r CsvRecord<'r>) -> Option<CsvRow<'r>> {
        let table = self.table;
        let kind = table.cell(line, KIND);
        let is_payment = match &*kind.to_lowercase() {
            "expense" => Some(false),
            "transfer" => Some(true),
            _ => {
                let found = quoted(kind);
                let rule = rule!(
                    "{field} must be expense or transfer, not {found}",
                    "{field} должно быть expense или transfer, а не {found}"
                );
                self.draft.refuse(table.place(line, KIND), KIND, rule);
                None
            }
        };
        let moment = table.cell(line, MOMENT);
        let day = moment.get(..10).unwrap_or(moment);
        let date = self.draft.date(table.place(line, MOMENT), MOMENT, day);
        let place = table.place(line, CURRENCY);
        let currency = self.draft.code(place, CURRENCY, table.cell(line, CURRENCY));
        let payers = self.list(line, PAYERS, AMOUNTS);
        let sharers = self.list(line, SHARERS, SHARES);
        let rate = match table.cell(line, RATE) {
            "" => None,
            text => Some(self.number(table.place(line, RATE), RATE, text)?),
        };
        let payers = payers?;
        let amount = payers.iter().try_fold(Decimal::ZERO, |sum, (_, part)| sum.plus(*part));
        let amount = amount.ok_or_else(too_large);
        let amount = self.draft.keep(table.place(line, AMOUNTS), AMOUNTS, amount)?;
        let is_payment = is_payment?;
        let date = date?;
        let sharers = sharers?;
        let currency = currency?;
        Some(CsvRow { line, is_payment, date, moment, currency, rate, payers, sharers, amount })
    }

    /// The members of a list, each with the amount beside the name.
    fn list(
        &mut self,
        line: &'r CsvRecord<'_>,
        names: &'static str,
        amounts: &'static str,
    ) -> Option<Vec<(usize, Decimal)>> {
        let table = self.table;
        let place = table.place(line, amounts);
        let numbers = { table.cell(line, amounts) }.split(SEPARATOR);
        let numbers: Vec<Option<Decimal>> =
            numbers.map(|text| self.number(place, amounts, text)).collect();
        let numbers: Vec<Decimal> = numbers.into_iter().collect::<Option<_>>()?;
        let place = table.place(line, names);
        let list = table.cell(line, names);
        let mut parts: Vec<&str> = list.split(SEPARATOR).collect();
        // Otherwise each part is a name, because there are as many of them.
        if parts.len() > numbers.len() {
            let split = self.names.split(list, true).map_err(Unclear::rule);
            parts = self.draft.keep(place, names, split)?;
        }
        let count = parts.len();
        let expected = numbers.len();
        if count != expected {
            let rule = message!(
                "{names} has {count} names, but {amounts} has {expected} amounts",
                "имён в {names} — {count}, а сумм в {amounts} — {expected}"
            );
            self.draft.error(place, rule);
            return None;
        }
        let mut members = Vec::new();
        for name in parts {
            members.push(self.member(place, names, name.trim())?);
        }
        if members.iter().collect::<HashSet<_>>().len() != members.len() {
            self.draft.refuse(place, names, Unclear::Repeated.rule());
            return None;
        }
        Some(members.into_iter().zip(numbers).collect())
    }

    fn member(&mut self, place: FilePlace, field: &'static str, name: &'r str) -> Option<usize> {
        if let Some(member) = self.members.get(name) {
            return Some(*member);
        }
        let member = self.draft.add_member(place, field, name)?;
        self.members.insert(name, member);
        Some(member)
    }

    fn number(&mut self, place: FilePlace, field: &'static str, text: &str) -> Option<Decimal> {
        let read = self.mark.number(text);
        self.draft.keep(place, field, read)
    }

    /// The currency of the group, if rows were paid in others: that of the rows with the rate 1. It
    /// is asked if there are several of them or none.
    fn currency(&mut self, rows: &[CsvRow<'_>]) -> GroupCurrency {
        let one = Decimal::new(1, 0);
        if rows.iter().all(|row| row.rate.is_none_or(|rate| rate == one)) {
            return None;
        }
        let of_group = rows.iter().filter(|row| row.rate == Some(one)).map(|row| row.currency);
        let of_group: BTreeSet<Currency> = of_group.collect();
        match (of_group.first(), of_group.len()) {
            (Some(currency), 1) => Some((*currency, false)),
            _ => Some(self.draft.currency("")),
        }
    }

    fn push(&mut self, row: &CsvRow<'_>, group: GroupCurrency) {
        let CsvRow { line, is_payment, date, currency: of_row, amount, .. } = *row;
        let key = self.key(row);
        let (currency, is_open) = group.unwrap_or((of_row, false));
        // Until the currency is answered, nothing says that a row with the rate 1 has another one.
        let is_own = row.rate.is_none_or(|rate| rate == Decimal::new(1, 0));
        let is_converted = group.is_some() && currency != of_row && !(is_open && is_own);
        let place = self.table.place(line, if is_converted { CONVERTED } else { AMOUNTS });
        let number = if is_converted {
            let Some(converted) = self.converted(row) else { return };
            converted
        } else {
            amount
        };
        let whole = self.draft.rounded(place, AMOUNT, number, currency);
        let Some(whole) = whole.map(|rounded| Whole { number, rounded }) else { return };
        let sides = [(Side::Paid, &row.payers), (Side::Owed, &row.sharers)].map(|(side, parts)| {
            let place = FilePlace::line(line.line);
            check(place, amount, of_row, side, parts, self.draft)?;
            divided(place, whole, side, parts, &mut self.withheld, self.draft)
        });
        let [Some(payers), Some(shares)] = sides else { return };
        if is_converted {
            let converted = Converted {
                description: self.table.cell(line, PURPOSE),
                date,
                amount: Original::Number(amount),
                code: of_row.code(),
                recorded: currency.to_major(whole.rounded.minor),
                currency,
            };
            self.draft.warn_of_converted(RowPlace::Line(line.line), &converted);
        }
        let notes =
            is_converted.then(|| paid_in("Settle Up", &padded(amount, of_row), of_row.code(), ""));
        let category = if is_payment { None } else { self.category(line) };
        self.draft.push(&UncheckedRow {
            row: RowPlace::Line(line.line),
            key,
            is_payment,
            date,
            description: FieldText {
                field: Named::Field(PURPOSE),
                text: self.table.cell(line, PURPOSE),
            },
            category: category.map(Into::into),
            notes: notes.as_deref().map(|text| FieldText { field: Named::Field("notes"), text }),
            currency,
            is_open,
            payers,
            shares,
            split: None,
        });
    }

    /// The amount of a row in the currency of the group, which is not that of the row. Of several
    /// payers, the cell may have a list.
    fn converted(&mut self, row: &CsvRow<'_>) -> Option<Decimal> {
        let place = self.table.place(row.line, CONVERTED);
        let numbers = self.table.cell(row.line, CONVERTED).split(SEPARATOR);
        let mut sum = Some(Decimal::ZERO);
        for text in numbers {
            let number = self.number(place, CONVERTED, text)?;
            sum = sum.and_then(|sum| sum.plus(number));
        }
        let sum = sum.ok_or_else(too_large);
        let sum = self.draft.keep(place, CONVERTED, sum)?;
        Some(if row.amount.is_negative() { sum.absolute().negated() } else { sum })
    }

    /// A category is an emoji and a name, which may be that of the user.
    fn category(&mut self, line: &CsvRecord<'_>) -> Option<Category> {
        let cell = self.table.cell(line, CATEGORY);
        let name = cell.trim_start_matches(|letter: char| !letter.is_alphanumeric());
        if !name.is_empty()
            && let Ok(category) = known(name)
        {
            return category;
        }
        let emoji = cell.chars().next()?;
        let of_emoji = EMOJIS.iter().find(|(_, emojis)| emojis.contains(emoji));
        match of_emoji {
            Some((category, _)) => Some(*category),
            None => self.draft.category(cell),
        }
    }

    /// The identity of a row.
    fn key(&mut self, row: &CsvRow<'_>) -> Key {
        let [payers, sharers] =
            [&row.payers, &row.sharers].map(|parts| self.draft.identified(parts));
        let kind = row.is_payment.to_string();
        let count = payers.len().to_string();
        let purpose = self.table.cell(row.line, PURPOSE);
        let fixed = [row.moment, &kind, row.currency.code(), purpose, &count];
        let parts = payers.iter().chain(&sharers).map(|part| &**part);
        let content: Vec<&str> = fixed.into_iter().chain(parts).collect();
        self.draft.key("settle-up", &content)
    }
}
