//! The CSV that Tricount's support sends.
//!
//! The names of its columns are in the language of the account, but the fifth one ends with the
//! tricount's currency in parentheses, in which all amounts count. The app rounds shares one by
//! one.

mod columns;
mod dates;
pub(crate) mod registry;

use std::collections::HashMap;

use fracti_core::values::{category::Category, currency::Currency, decimal::Decimal, time::Day};
use fracti_texts::{Message, message, rule};

use crate::{
    category::{Unknown, known},
    csv::{Csv, CsvRecord},
    draft::{
        AMOUNT, CURRENCY, Converted, DATE, DESCRIPTION, FieldText, ImportDraft, Named, Original,
        UncheckedRow,
    },
    import::{FilePlace, Format, Issue, RowPlace},
    key::{Key, normal},
    number::{DecimalMark, paid_in},
    parts::{Side, Whole, fitted},
    quote::quoted,
    rounding::Withheld,
    unknown::KnownFields,
};

use columns::{Columns, currency_of, unescaped};
use dates::DateOrder;

/// Name of the app in identities.
const APP: &str = "tricount";

/// Index of the column with the amount in the tricount's currency.
const CONVERTED: usize = 4;

/// Types of settlements, in lower case.
const TRANSFERS: [&str; 2] = ["money transfer", "transfert d'argent"];

/// Types of other rows, in lower case.
const EXPENSES: [&str; 4] = ["expense", "income", "dépense", "revenu"];

/// Texts that stand for a missing category, in lower case.
const NO_CATEGORY: [&str; 2] = ["no category", "aucune catégorie"];

/// Columns that are known by their names only.
const COLUMNS: KnownFields = KnownFields { receipts: &["Attachment URL"], ..KnownFields::NONE };

/// Whether a CSV file has this format.
pub(crate) fn is_header(header: &CsvRecord<'_>) -> bool {
    let is_named = header.cells.iter().take(CONVERTED).all(|name| !name.trim().is_empty());
    is_named && header.cells.len() > CONVERTED + 2 && currency_of(header).is_some()
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
    draft.format(Format::TricountCsv);
    let code = currency_of(header).unwrap_or_default();
    let currency = draft.code(header.place(CONVERTED), CURRENCY, code);
    let mut lines = Vec::new();
    loop {
        if is_end(&records, header)? {
            break;
        }
        let Some(record) = draft.next_of_width(&mut records, header)? else {
            draft.warn_of_end();
            break;
        };
        if !draft.admits_row(FilePlace::line(record.line)) {
            return Ok(());
        }
        lines.push(record);
    }
    let Some(currency) = currency.filter(|_| !draft.is_full()) else { return Ok(()) };
    let columns = match Columns::find(header, &lines) {
        Ok(columns) => columns,
        Err(rule) => {
            draft.error(FilePlace::line(header.line), rule);
            return Ok(());
        }
    };
    draft.see_columns(header, lines.iter(), &COLUMNS, |index| columns.has(index));
    let mut members: HashMap<&str, usize> = HashMap::new();
    for (index, name) in columns.impacts.iter().chain(&columns.paid) {
        if !members.contains_key(&**name) {
            let place = header.place(*index);
            let Some(member) = draft.add_member(place, crate::draft::MEMBER, name) else {
                return Ok(());
            };
            members.insert(name, member);
        }
    }
    let amounts = columns.impacts.iter().chain(&columns.paid).map(|(index, _)| *index);
    let amounts: Vec<usize> = amounts.chain([CONVERTED]).collect();
    let cells = lines.iter().flat_map(|line| amounts.iter().map(|index| line.cell(*index)));
    let dates = lines.iter().map(|line| line.cell(columns.date));
    let mut reader = TricountReader {
        mark: DecimalMark::of(cells),
        order: DateOrder::of(dates, columns.is_english),
        columns: &columns,
        members: &members,
        currency,
        withheld: Withheld::default(),
        unclear: 0,
        draft,
    };
    let mut rows: Vec<(Day, &CsvRecord<'_>)> =
        lines.iter().filter_map(|line| Some((reader.date(line)?, line))).collect();
    // The file may have the newest rows first. What rounding withholds must not depend on later
    // ones.
    rows.sort_by_key(|(date, line)| (*date, line.cell(columns.date)));
    for (date, line) in rows {
        reader.row(date, line);
    }
    reader.warn();
    Ok(())
}

/// Whether only the last line is left: one cell with the title of the tricount, which may contain
/// delimiters, and the day of the export.
///
/// # Errors
///
/// An [`Issue`] where the file is no CSV.
fn is_end(records: &Csv<'_>, header: &CsvRecord<'_>) -> Result<bool, Issue> {
    let mut ahead = records.clone();
    let mut next =
        || ahead.find(|record| !record.as_ref().is_ok_and(CsvRecord::is_blank)).transpose();
    let Some(record) = next()? else { return Ok(false) };
    let is_alone = record.cells.iter().skip(1).all(|cell| cell.trim().is_empty());
    let is_last = record.cell(0).to_lowercase().starts_with("tricount ")
        && (is_alone || record.cells.len() != header.cells.len());
    Ok(is_last && next()?.is_none())
}

struct TricountReader<'r, 'd, 'a> {
    columns: &'r Columns,
    /// Members by their names in the file.
    members: &'r HashMap<&'r str, usize>,
    /// Currency of the tricount.
    currency: Currency,
    mark: DecimalMark,
    order: DateOrder,
    withheld: Withheld,
    /// Number of rows that may be settlements.
    unclear: usize,
    draft: &'d mut ImportDraft<'a>,
}

impl TricountReader<'_, '_, '_> {
    fn date(&mut self, line: &CsvRecord<'_>) -> Option<Day> {
        let place = line.place(self.columns.date);
        let text = line.cell(self.columns.date);
        match self.order.day(text) {
            Ok(day) => self.draft.date(place, DATE, &day),
            Err(rule) => {
                self.draft.refuse(place, DATE, rule.quoting(&quoted(text)));
                None
            }
        }
    }

    fn row(&mut self, date: Day, line: &CsvRecord<'_>) {
        let columns = self.columns;
        let amount = self.number(line, CONVERTED);
        // All cells are read, so that all errors are reported.
        let impacts = self.numbers(line, &columns.impacts);
        let payers = self.payers(line, amount);
        let (Some(amount), Some(impacts), Some(payers)) = (amount, impacts, payers) else { return };
        let key = self.key(line, amount, &payers, &impacts);
        let (lowered, raised): (Vec<(usize, Decimal)>, Vec<_>) =
            { impacts.into_iter() }.partition(|(_, impact)| impact.is_negative());
        if !lowered.is_empty() && !raised.is_empty() {
            let rule = message!(
                "the impacts on members must all be negative or all be positive",
                "влияние на участников должно быть у всех отрицательным или у всех положительным"
            );
            return self.draft.error(FilePlace::line(line.line), rule);
        }
        // An expense lowers balances; an income raises them.
        let is_income = lowered.is_empty() && !raised.is_empty();
        let signed = |number: Decimal| {
            if is_income { number.absolute().negated() } else { number.absolute() }
        };
        let with_sign = |parts: Vec<(usize, Decimal)>| -> Vec<(usize, Decimal)> {
            parts.into_iter().map(|(member, part)| (member, signed(part))).collect()
        };
        let payers = with_sign(payers);
        let sharers = with_sign([lowered, raised].concat());
        let number = signed(amount);
        let rounded = self.draft.rounded(line.place(CONVERTED), AMOUNT, number, self.currency);
        let Some(whole) = rounded.map(|rounded| Whole { number, rounded }) else { return };
        let sides = [(Side::Paid, &payers), (Side::Owed, &sharers)].map(|(side, parts)| {
            let place = FilePlace::line(line.line);
            fitted(place, whole, side, parts, &mut self.withheld, self.draft)
        });
        let [Some(payers), Some(shares)] = sides else { return };
        let kind = columns.kind.map_or("", |index| line.cell(index).trim());
        let kind = kind.to_lowercase().replace('’', "'");
        let is_payment = TRANSFERS.contains(&&*kind);
        if let ([payer], [sharer]) = (&payers[..], &shares[..])
            && !is_payment
            && payer.person != sharer.person
            && !EXPENSES.contains(&&*kind)
        {
            self.unclear = self.unclear.saturating_add(1);
        }
        let category = if is_payment { None } else { self.category(line) };
        let title = unescaped(line.cell(0));
        let [original, code, _] = originals(line);
        if is_converted(self.currency, code) {
            let converted = Converted {
                description: &title,
                date,
                amount: match Original::of(original, &self.mark) {
                    Original::Number(it) if is_payment => Original::Number(it.absolute()),
                    Original::Number(it) => Original::Number(signed(it)),
                    text @ Original::Text(_) => text,
                },
                code,
                recorded: self.currency.to_major(whole.rounded.minor),
                currency: self.currency,
            };
            self.draft.warn_of_converted(RowPlace::Line(line.line), &converted);
        }
        let notes = self.original(line);
        self.draft.push(&UncheckedRow {
            row: RowPlace::Line(line.line),
            key,
            is_payment,
            date,
            description: FieldText { field: DESCRIPTION, text: &title },
            category: category.map(Into::into),
            notes: notes.as_deref().map(|text| FieldText { field: Named::Field("notes"), text }),
            currency: self.currency,
            is_open: false,
            payers,
            shares,
            split: None,
        });
    }

    /// The number in a cell, which may be empty.
    fn number(&mut self, line: &CsvRecord<'_>, index: usize) -> Option<Decimal> {
        let cell = line.cell(index);
        if cell.trim().is_empty() {
            return Some(Decimal::ZERO);
        }
        let read = self.mark.number(cell);
        self.draft.keep(line.place(index), AMOUNT, read)
    }

    /// The numbers of members in their columns, apart from zeros.
    fn numbers(
        &mut self,
        line: &CsvRecord<'_>,
        columns: &[(usize, String)],
    ) -> Option<Vec<(usize, Decimal)>> {
        let read = columns.iter().map(|(index, name)| {
            let number = self.number(line, *index)?;
            Some((*self.members.get(&**name)?, number))
        });
        let read: Vec<Option<(usize, Decimal)>> = read.collect();
        let read: Option<Vec<(usize, Decimal)>> = read.into_iter().collect();
        read.map(|it| it.into_iter().filter(|(_, number)| *number != Decimal::ZERO).collect())
    }

    /// Amount that each payer paid, without a sign: the column of payers has the one who paid all,
    /// and newer files have a column for each member.
    fn payers(
        &mut self,
        line: &CsvRecord<'_>,
        amount: Option<Decimal>,
    ) -> Option<Vec<(usize, Decimal)>> {
        let columns = self.columns;
        let paid = self.numbers(line, &columns.paid)?;
        if let ([], Some(index)) = (&paid[..], columns.payer) {
            let name = unescaped(&normal(line.cell(index).trim()));
            let payer = self.members.get(&*name).copied();
            let payer = payer.ok_or_else(|| {
                rule!("{field} must be a member", "{field} должно быть именем участника")
            });
            let field = Named::Words("the payer", "имя плательщика");
            let payer = self.draft.keep(line.place(index), field, payer)?;
            return Some(vec![(payer, amount?.absolute())]);
        }
        Some(paid.into_iter().map(|(member, number)| (member, number.absolute())).collect())
    }

    fn category(&mut self, line: &CsvRecord<'_>) -> Option<Category> {
        let name = self.columns.category.map(|index| unescaped(line.cell(index).trim()))?;
        if NO_CATEGORY.contains(&&*name.to_lowercase()) {
            return None;
        }
        let word = name.to_uppercase().replace('&', "AND").replace(' ', "_");
        category(&word, &name, self.draft)
    }

    /// A note of what was paid in another currency than the tricount's.
    fn original(&self, line: &CsvRecord<'_>) -> Option<String> {
        let [amount, code, rate] = originals(line);
        original(self.currency, amount, code, rate)
    }

    /// The identity of a row.
    fn key(
        &mut self,
        line: &CsvRecord<'_>,
        amount: Decimal,
        payers: &[(usize, Decimal)],
        impacts: &[(usize, Decimal)],
    ) -> Key {
        let [payers, impacts] = [payers, impacts].map(|parts| self.draft.identified(parts));
        let amount = amount.absolute().to_string();
        let count = payers.len().to_string();
        let title = unescaped(line.cell(0));
        let fixed = [line.cell(self.columns.date), &title, line.cell(2).trim(), &amount, &count];
        let parts = payers.iter().chain(&impacts).map(|part| &**part);
        let content: Vec<&str> = fixed.into_iter().chain(parts).collect();
        self.draft.key(APP, &content)
    }

    fn warn(self) {
        if self.unclear == 0 {
            return;
        }
        let rows = Message::counted(
            self.unclear,
            ["row is recorded as an expense", "rows are recorded as expenses"],
            [
                "строка записана как расход",
                "строки записаны как расходы",
                "строк записано как расходы",
            ],
        );
        let what = message!(
            "{rows}, although one person paid all for one other: the file does not say that it was \
             a payment",
            "{rows}, хотя один заплатил всё за одного другого: в файле не сказано, что это платёж",
            [rows]
        );
        self.draft.warn(FilePlace::FILE, what);
    }
}

/// Our category for a word of the app, or else for the name of a category.
fn category(word: &str, name: &str, draft: &mut ImportDraft<'_>) -> Option<Category> {
    Some(match word {
        "FOOD_AND_DRINK" | "GROCERIES" => Category::Food,
        "TRANSPORT" => Category::Transport,
        "TRAVEL" | "ACCOMMODATION" => Category::Travel,
        "ENTERTAINMENT" => Category::Entertainment,
        "SHOPPING" => Category::Shopping,
        "HEALTHCARE" => Category::Health,
        "RENT_AND_UTILITIES" => Category::Rent,
        "INSURANCE" | "OTHER" => Category::Other,
        "UNCATEGORIZED" | "GENERAL" => return None,
        _ => match known(name) {
            Ok(category) => return category,
            Err(Unknown) => return draft.category(name),
        },
    })
}

/// A note of what was paid in another currency than that of the tricount.
fn original(of_tricount: Currency, amount: &str, code: &str, rate: &str) -> Option<String> {
    let shown = || paid_in("Tricount", amount.trim_start_matches('-'), code, rate);
    is_converted(of_tricount, code).then(shown)
}

/// What was paid, in which currency, and its rate.
fn originals<'r>(line: &'r CsvRecord<'_>) -> [&'r str; 3] {
    [1, 2, 3].map(|index| line.cell(index).trim())
}

/// Whether an amount in the currency of this code is converted.
fn is_converted(of_tricount: Currency, code: &str) -> bool {
    !code.is_empty() && code != of_tricount.code()
}
