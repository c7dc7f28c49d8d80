//! Spliit's CSV of a group.
//!
//! Each row has the share of every member; that of the payer has the sign of the cost, and the
//! others have the opposite one. So the payer is not in the file if the payer had no share, unless
//! all others had one.

use fracti_core::values::{currency::Currency, decimal::Decimal, time::Day};
use fracti_texts::message;

use crate::{
    csv::{Csv, CsvRecord},
    draft::{AMOUNT, Converted, DATE, DESCRIPTION, FieldText, ImportDraft, Original, UncheckedRow},
    import::{FilePlace, Format, Issue, PersonPart, RowPlace},
    key::Key,
    number::DecimalMark,
    quote::{quoted, unguarded},
    rounding::{Exact, Withheld},
    spliit::{CUSTOM_DECIMALS, decimals},
    unknown::KnownFields,
    weights::{self, Paid},
};

/// Index of the column with the currency, which Splitwise has after the cost.
pub(crate) const CURRENCY: usize = 3;

/// Index of the column with the cost.
pub(crate) const COST: usize = 4;

/// The column that says whether debts are paid with a row.
const IS_REIMBURSEMENT: &str = "Is Reimbursement";

/// The last column before those of the members.
pub(crate) const SPLIT_MODE: &str = "Split mode";

/// The columns after those that are known by their places.
const COLUMNS: KnownFields = KnownFields {
    read: &[IS_REIMBURSEMENT, SPLIT_MODE, ORIGINAL, ORIGINAL_CURRENCY],
    passed_over: &["Conversion rate"],
    ..KnownFields::NONE
};

/// The column with the cost in another currency.
const ORIGINAL: &str = "Original cost";

/// The column with that currency.
const ORIGINAL_CURRENCY: &str = "Original currency";

/// Whether a CSV file has this format.
pub(crate) fn is_header(header: &CsvRecord<'_>) -> bool {
    has_columns(header, IS_REIMBURSEMENT)
}

/// Whether a header has the columns that Spliit and Spliit Cloud share, and `column`.
pub(crate) fn has_columns(header: &CsvRecord<'_>, column: &str) -> bool {
    let has = |column| header.cells.iter().any(|name| name == column);
    let is_ours = header.cell(CURRENCY) == "Currency" && header.cell(COST) == "Cost";
    is_ours && has(column) && has(SPLIT_MODE)
}

/// Adds the members, whose columns come last, and returns the columns, each with its member. Of the
/// other columns, the first ones and `known` ones are read.
pub(crate) fn add_members(
    header: &CsvRecord<'_>,
    records: &Csv<'_>,
    known: &KnownFields,
    draft: &mut ImportDraft<'_>,
) -> Option<Vec<(usize, usize)>> {
    let last = header.cells.iter().position(|it| it == SPLIT_MODE);
    let first = last.map_or(header.cells.len(), |index| index.saturating_add(1));
    let columns = header.columns_of_numbers(records, first);
    let members: Option<Vec<usize>> =
        columns.iter().map(|index| draft.add_column(header, *index)).collect();
    let members = members?;
    let rows = records.clone().map_while(Result::ok);
    draft.see_columns(header, rows, known, |index| index <= COST || columns.contains(&index));
    Some(columns.into_iter().zip(members).collect())
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
    draft.format(Format::SpliitCsv);
    let index = |name: &str| header.cells.iter().position(|it| it == name);
    let Some(members) = add_members(header, &records, &COLUMNS, draft) else { return Ok(()) };
    let mut reader = SpliitCsvReader {
        draft,
        members,
        reimbursement: index(IS_REIMBURSEMENT).unwrap_or_default(),
        mode: index(SPLIT_MODE),
        original: index(ORIGINAL),
        original_currency: index(ORIGINAL_CURRENCY),
        mark: DecimalMark::default(),
        currency: None,
        withheld: Withheld::default(),
    };
    let mut records = records;
    while let Some(record) = reader.draft.next_of_width(&mut records, header)? {
        if !reader.draft.admits_row(FilePlace::line(record.line)) {
            break;
        }
        reader.row(&record);
    }
    let dates = message!(
        "dates in this file may be one day early; those of Spliit's JSON export are exact",
        "даты в этом файле могут быть на день раньше; в выгрузке JSON из Spliit они точные"
    );
    draft.warn(FilePlace::FILE, dates);
    draft.warn_of_end();
    Ok(())
}

struct SpliitCsvReader<'d, 'a> {
    draft: &'d mut ImportDraft<'a>,
    /// The columns of the members, and the members.
    members: Vec<(usize, usize)>,
    reimbursement: usize,
    mode: Option<usize>,
    original: Option<usize>,
    original_currency: Option<usize>,
    mark: DecimalMark,
    /// Text for the currency, which is that of the group in all rows.
    currency: Option<String>,
    withheld: Withheld,
}

impl SpliitCsvReader<'_, '_> {
    fn row(&mut self, record: &CsvRecord<'_>) {
        let date = self.draft.date(record.place(0), DATE, record.cell(0));
        let is_payment = self.is_payment(record);
        let Some((currency, is_open)) = self.currency(record) else { return };
        let text = unguarded(record.cell(CURRENCY)).trim();
        let of_app = self.decimals(record, text);
        let excess = of_app.saturating_sub(currency.exponent());
        let scale = currency.exponent().saturating_add(if is_open { 0 } else { excess });
        let unit = Unit { currency, scale };
        let cost = self.units(record, COST, unit);
        // All cells are read, so that all errors are reported.
        let cells = self.members.clone().into_iter();
        let cells: Vec<Option<PersonPart>> = cells
            .map(|(index, member)| {
                self.units(record, index, unit).map(|minor| PersonPart { person: member, minor })
            })
            .collect();
        let cells: Option<Vec<PersonPart>> = cells.into_iter().collect();
        let (Some(date), Some(is_payment), Some(minor), Some(cells)) =
            (date, is_payment, cost, cells)
        else {
            return;
        };
        let cost = unit.major(minor.into());
        let key = self.key(record, cost, &cells, currency);
        if minor == 0 && cells.iter().all(|part| part.minor == 0) {
            return self.draft.skip(
                RowPlace::Line(record.line),
                &message!("its amount is zero", "её сумма равна нулю"),
            );
        }
        let sign = minor.signum();
        let shares = cells.iter().filter(|part| part.minor != 0);
        let share = |part: &PersonPart| part.minor.saturating_abs().saturating_mul(sign);
        let shares: Vec<PersonPart> =
            shares.map(|it| PersonPart { minor: share(it), ..*it }).collect();
        let sum: i128 = shares.iter().map(|part| i128::from(part.minor)).sum();
        let missing = i128::from(minor).saturating_sub(sum).unsigned_abs();
        let smallest = smallest(of_app, currency);
        let most = u64::try_from(shares.len()).map(|count| smallest.saturating_mul(count) / 2);
        if missing > most.unwrap_or_default().into() {
            let sum = unit.major(sum);
            let rule = message!(
                "the shares sum to {sum}, but the cost is {cost}",
                "сумма долей — {sum}, а стоимость — {cost}"
            );
            return self.draft.error(FilePlace::line(record.line), rule);
        }
        let Some(payer) = self.payer(record, (minor, unit), &cells) else { return };
        let is_evenly = self.mode.is_some_and(|index| record.cell(index) == "Evenly");
        let is_even = {
            let sizes = || shares.iter().map(|it| it.minor.unsigned_abs());
            let least = sizes().min();
            let most = sizes().max();
            most.unwrap_or_default().saturating_sub(least.unwrap_or_default()) <= smallest
        };
        let place = record.place(COST);
        let Some(rounded) = self.draft.rounded(place, AMOUNT, cost, currency) else { return };
        let shares = if is_evenly && !is_even {
            let paid = Paid { by: payer, number: cost, rounded };
            let Some(shares) = self.evenly(record, paid, &shares, (key, date)) else { return };
            shares
        } else {
            let shares = self.shares(record, (minor, unit), &shares, payer);
            let Some(shares) = self.rounded_shares(shares, unit, rounded.minor) else {
                let rule = message!("the shares are too large", "доли слишком велики");
                return self.draft.error(FilePlace::line(record.line), rule);
            };
            shares
        };
        let text = |index: Option<usize>| index.map_or("", |it| unguarded(record.cell(it)).trim());
        let original = text(self.original);
        if !original.is_empty() {
            let converted = Converted {
                description: unguarded(record.cell(1)),
                date,
                amount: Original::of(original, &self.mark),
                code: text(self.original_currency),
                recorded: currency.to_major(rounded.minor),
                currency,
            };
            self.draft.warn_of_converted(RowPlace::Line(record.line), &converted);
        }
        let category = self.draft.category(unguarded(record.cell(2))).map(Into::into);
        self.draft.push(&UncheckedRow {
            row: RowPlace::Line(record.line),
            key,
            is_payment,
            date,
            description: FieldText { field: DESCRIPTION, text: unguarded(record.cell(1)) },
            category,
            notes: None,
            currency,
            is_open,
            payers: vec![PersonPart { person: payer, minor: rounded.minor }],
            shares,
            split: None,
        });
    }

    /// The currency of a row, and whether it is still to be answered.
    fn currency(&mut self, record: &CsvRecord<'_>) -> Option<(Currency, bool)> {
        let text = unguarded(record.cell(CURRENCY));
        let first = self.currency.get_or_insert_with(|| text.to_owned());
        if first == text {
            return Some(self.draft.currency(text));
        }
        let first = quoted(first);
        let found = quoted(text);
        let rule = message!(
            "the currency must be {first}, as in the rows above, not {found}",
            "валюта должна быть {first}, как в строках выше, а не {found}"
        );
        self.draft.error(record.place(CURRENCY), rule);
        None
    }

    fn is_payment(&mut self, record: &CsvRecord<'_>) -> Option<bool> {
        match record.cell(self.reimbursement) {
            "Yes" => Some(true),
            "No" => Some(false),
            other => {
                let rule = message!(
                    "{IS_REIMBURSEMENT} must be Yes or No, not {other:.40}",
                    "в столбце {IS_REIMBURSEMENT} должно быть Yes или No, а не {other:.40}"
                );
                self.draft.error(record.place(self.reimbursement), rule);
                None
            }
        }
    }

    /// The member who paid, who is asked if several may have paid.
    fn payer(
        &mut self,
        record: &CsvRecord<'_>,
        (cost, unit): (i64, Unit),
        cells: &[PersonPart],
    ) -> Option<usize> {
        let has_sign = |part: &&PersonPart| part.minor.signum() == cost.signum();
        let place = FilePlace::line(record.line);
        let mut payers = cells.iter().filter(has_sign);
        match (payers.next(), payers.next()) {
            (Some(payer), None) => return Some(payer.person),
            (Some(_), Some(_)) => {
                self.draft.error(
                    place,
                    message!(
                        "only the cell of the payer must have the sign of the cost",
                        "знак стоимости должен быть только в ячейке плательщика"
                    ),
                );
                return None;
            }
            (None, _) => {}
        }
        let mut without = cells.iter().filter(|part| part.minor == 0).map(|part| part.person);
        let payer = match (without.next(), without.next()) {
            (Some(only), None) => return Some(only),
            (Some(_), Some(_)) => {
                let date = record.cell(0);
                let what = unguarded(record.cell(1));
                let amount = unit.major(cost.into());
                let code = unit.currency.code();
                let code = if self.draft.is_asked(unit.currency) { "" } else { code };
                let amount = format!("{amount} {code}");
                let amount = amount.trim_end();
                let asks = message!(
                    "who paid {amount} for {what:.100} on {date}?",
                    "кто заплатил {amount} за «{what:.100}» ({date})?"
                );
                self.draft.payer(record.line, asks)?
            }
            (None, _) => {
                self.draft.error(
                    place,
                    message!(
                        "the cell of the payer must have the sign of the cost, or be 0",
                        "в ячейке плательщика должен быть знак стоимости или 0"
                    ),
                );
                return None;
            }
        };
        if !cells.contains(&PersonPart { person: payer, minor: 0 }) {
            self.draft.error(
                place,
                message!(
                    "the payer must be a member whose cell is 0",
                    "плательщиком должен быть участник, в ячейке которого 0"
                ),
            );
            return None;
        }
        Some(payer)
    }

    /// Amounts that the members owe. Before August 2026 each cell was rounded alone, so the sum may
    /// miss the cost by up to half a unit of the app for each cell. The payer owes the difference.
    fn shares(
        &mut self,
        record: &CsvRecord<'_>,
        (cost, unit): (i64, Unit),
        shares: &[PersonPart],
        payer: usize,
    ) -> Vec<PersonPart> {
        let mut shares = shares.to_vec();
        let sum: i64 = shares.iter().fold(0, |sum, part| sum.saturating_add(part.minor));
        let missing = cost.saturating_sub(sum);
        if missing != 0 {
            let sum = unit.major(sum.into());
            let total = unit.major(cost.into());
            let what = message!(
                "the shares sum to {sum}, not to {total}; the payer owes the difference",
                "сумма долей — {sum}, а не {total}; разницу должен плательщик"
            );
            self.draft.warn(FilePlace::line(record.line), what);
            match shares.iter_mut().find(|part| part.person == payer) {
                Some(own) => own.minor = own.minor.saturating_add(missing),
                None => shares.push(PersonPart { person: payer, minor: missing }),
            }
        }
        shares
    }

    /// Equal shares. Before August 2026 the cells of a row that is split evenly followed the
    /// weights of an earlier split.
    fn evenly(
        &mut self,
        record: &CsvRecord<'_>,
        paid: Paid,
        shares: &[PersonPart],
        row: (Key, Day),
    ) -> Option<Vec<PersonPart>> {
        let place = FilePlace::line(record.line);
        self.draft.warn(
            place,
            message!(
                "the cells differ, but the split mode is Evenly; equal shares are imported",
                "ячейки разные, но деление — Evenly; записываются равные доли"
            ),
        );
        let sharers = shares.iter().map(|part| (part.person, Decimal::new(1, 0))).collect();
        let name = |member| self.draft.name(member).to_owned();
        let shares = weights::divide(paid, sharers, name, row, &mut self.withheld);
        shares.map_err(|rule| self.draft.error(place, rule)).ok()
    }

    /// The identity of a row. A member who joined later has a column of zeros, which is no part of
    /// it.
    fn key(
        &mut self,
        record: &CsvRecord<'_>,
        cost: Decimal,
        cells: &[PersonPart],
        currency: Currency,
    ) -> Key {
        let cell = |part: &PersonPart| format!("{} {}", part.minor, self.draft.name(part.person));
        let mut cells: Vec<_> = cells.iter().filter(|part| part.minor != 0).map(cell).collect();
        cells.sort_unstable();
        let cost = cost.to_string();
        let kind = record.cell(self.reimbursement);
        let text = |index| unguarded(record.cell(index));
        let code = text(CURRENCY);
        let content = |code| -> Vec<&str> {
            let fixed = [record.cell(0), text(1), code, &cost, kind];
            fixed.into_iter().chain(cells.iter().map(|it| &**it)).collect()
        };
        let key = self.draft.key("spliit-csv", &content(code));
        // Earlier releases of the app wrote the sign, which a group may still have instead of a
        // code.
        if let Some(sign) = sign(currency).filter(|_| code == currency.code()) {
            self.draft.note_former(key, "spliit-csv", &content(sign));
        }
        key
    }

    /// Decimals that the app has in the currency of a row. A text that is a code may be the sign
    /// of a group without a code, whose amounts have two decimals.
    fn decimals(&self, record: &CsvRecord<'_>, text: &str) -> u8 {
        let has_decimals = |cell: &str| {
            let decimals = cell.split_once(['.', ',']).map_or("", |(_, decimals)| decimals);
            !decimals.trim_end_matches('0').is_empty()
        };
        let columns = self.members.iter().map(|(index, _)| *index);
        let mut cells = std::iter::once(COST).chain(columns);
        let is_custom = cells.any(|index| has_decimals(record.cell(index)));
        if is_custom { decimals(text).max(CUSTOM_DECIMALS) } else { decimals(text) }
    }

    /// The amount of a cell, in units.
    fn units(&mut self, record: &CsvRecord<'_>, index: usize, unit: Unit) -> Option<i64> {
        let place = record.place(index);
        let number = self.mark.number(record.cell(index));
        let number = self.draft.keep(place, AMOUNT, number)?;
        let units = number.at_scale(unit.scale).and_then(|units| i64::try_from(units).ok());
        if units.is_none() {
            // It has the rule that the number breaks.
            self.draft.minor(place, AMOUNT, number, unit.currency);
        }
        units
    }

    /// The shares in minor units, which sum to the cost.
    fn rounded_shares(
        &mut self,
        shares: Vec<PersonPart>,
        unit: Unit,
        cost: i64,
    ) -> Option<Vec<PersonPart>> {
        let excess = unit.scale.saturating_sub(unit.currency.exponent());
        if excess == 0 {
            return Some(shares);
        }
        let denominator = 10_i128.checked_pow(excess.into())?;
        let exact = |part: &PersonPart| {
            let numerator = part.minor.into();
            Exact { member: part.person, numerator, denominator, is_up: false }
        };
        let exact: Vec<Exact> = shares.iter().map(exact).collect();
        let rounded = self.withheld.round(unit.currency, &exact, cost.into())?;
        let minor = |(share, minor): (&PersonPart, i128)| {
            Some(PersonPart { minor: i64::try_from(minor).ok()?, ..*share })
        };
        shares.iter().zip(rounded).map(minor).collect()
    }
}

/// The unit of the numbers of a row: a minor unit of the currency, or a finer one of the app.
#[derive(Clone, Copy)]
struct Unit {
    currency: Currency,
    /// Number of decimals.
    scale: u8,
}

impl Unit {
    fn major(self, units: i128) -> Decimal {
        Decimal::new(units, self.scale)
    }
}

/// The sign of a currency.
fn sign(currency: Currency) -> Option<&'static str> {
    let code = currency.code();
    let is_dollar = ["USD", "AUD", "CAD", "HKD", "MXN", "NZD", "SGD"].contains(&code);
    let signs = [
        ("EUR", "€"),
        ("GBP", "£"),
        ("JPY", "¥"),
        ("CNY", "¥"),
        ("INR", "₹"),
        ("KRW", "₩"),
        ("BRL", "R$"),
        ("PHP", "₱"),
        ("TRY", "₺"),
        ("UAH", "₴"),
        ("VND", "₫"),
        ("ILS", "₪"),
    ];
    let of_code = signs.into_iter().find(|(known, _)| *known == code).map(|(_, sign)| sign);
    of_code.or(is_dollar.then_some("$"))
}

/// The smallest amount that the app has in a currency with these decimals, in minor units.
fn smallest(decimals: u8, currency: Currency) -> u64 {
    let finer = currency.exponent().saturating_sub(decimals);
    10_u64.saturating_pow(finer.into())
}
