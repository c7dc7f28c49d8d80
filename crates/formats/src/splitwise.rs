//! Splitwise's spreadsheet of a group or of a friendship.
//!
//! Each row has the net of every member, what they paid minus what they owe, to the cent. After the
//! rows, one line for each currency has the sum of every column.

use std::collections::BTreeMap;

use fracti_core::values::{currency::Currency, decimal::Decimal, money::Money};
use fracti_texts::{Message, message, rule};

use crate::{
    category::is_payment,
    csv::{Csv, CsvRecord, unguarded},
    draft::{AMOUNT, CURRENCY, DATE, DESCRIPTION, FieldText, ImportDraft, Named, UncheckedRow},
    import::{FilePlace, Format, Issue, PersonPart, RowPlace},
    number::{DecimalMark, is_number, rounded},
    rounding::{Exact, Withheld},
    unknown::KnownFields,
};

/// Number of columns before those of the members: date, description, category, cost, currency.
const COLUMNS: usize = 5;

/// Note of a row whose payers were found by equal shares.
const ASSUMED: &str = "Splitwise does not export who paid how much: equal shares are assumed";

/// Note of another row that several members paid, after its cost.
const UNSAID: &str = "its file does not say who paid how much";

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
    let (sums, withheld) = (BTreeMap::new(), Withheld::default());
    let members = columns.into_iter().zip(members).collect();
    let mut reader = Reader { draft, members, mark, sums, withheld, several: 0, assumed: 0 };
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

struct Reader<'d, 'a> {
    draft: &'d mut ImportDraft<'a>,
    /// The columns of the members, and the members.
    members: Vec<(usize, usize)>,
    mark: DecimalMark,
    /// For each currency, the sum of each member's nets, and whether it was compared.
    sums: BTreeMap<Currency, (Vec<Decimal>, bool)>,
    withheld: Withheld,
    /// Rows that several members paid, and those of them in which equal shares are assumed.
    several: usize,
    assumed: usize,
}

impl Reader<'_, '_> {
    fn row(&mut self, record: &CsvRecord<'_>) {
        let date = self.draft.date(record.place(0), DATE, record.cell(0));
        let Some((currency, numbers)) = self.amounts(record) else { return };
        let exact_cost = self.number(record, 3, currency);
        let (Some(date), Some(exact_cost)) = (date, exact_cost) else { return };
        let place = FilePlace::line(record.line);
        let Some(nets) = self.nets(place, currency, &numbers) else { return };
        let read = rounded(exact_cost, currency);
        let Some((mut cost, is_rounded)) = self.draft.keep(record.place(3), AMOUNT, read) else {
            return;
        };
        let is_finer = |number: &Decimal| number.decimals() > currency.exponent();
        if is_rounded || numbers.iter().any(is_finer) {
            let what = message!(
                "the amounts are finer than a minor unit of {currency}; they are rounded",
                "суммы мельче наименьшей единицы {currency}; они округляются"
            );
            self.draft.warn(place, what);
            // Rounding must not let the nets exceed the cost.
            let given = nets.iter().fold(0_i64, |sum, it| sum.saturating_add(it.minor.max(0)));
            let size = cost.saturating_abs().max(given);
            cost = if exact_cost.is_negative() { size.saturating_neg() } else { size };
        }
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
        // Members with the sign of the cost paid more than they owe.
        let (givers, takers): (Vec<PersonPart>, Vec<PersonPart>) = nets
            .iter()
            .copied()
            .filter(|part| part.minor != 0)
            .partition(|part| part.minor.signum() == cost.signum());
        let owed = takers.iter().map(|it| PersonPart { minor: it.minor.saturating_neg(), ..*it });
        let given: i128 = givers.iter().map(|part| i128::from(part.minor)).sum();
        if given.unsigned_abs() > cost.unsigned_abs().into() || (given == 0 && !takers.is_empty()) {
            let rule = message!(
                "the cells of the members exceed the cost",
                "ячейки участников превышают стоимость"
            );
            self.draft.error(record.place(3), rule);
            return;
        }
        let mut shares: Vec<PersonPart> = owed.collect();
        let (mut payers, mut note) = (givers, None);
        match payers.as_mut_slice() {
            [] => {
                let reason = message!(
                    "it changes no balance, because the members paid only for themselves",
                    "балансы не меняются: участники платили только за себя"
                );
                return self.draft.skip(RowPlace::Line(record.line), &reason);
            }
            // The cost and the net of the only payer tell the payer's own share.
            [payer] => {
                let own = cost.saturating_sub(payer.minor);
                if own != 0 {
                    shares.insert(0, PersonPart { minor: own, ..*payer });
                }
                payer.minor = cost;
            }
            _ if is_payment => {}
            _ => {
                let all: Vec<PersonPart> = nets.clone();
                self.several = self.several.saturating_add(1);
                note = Some(if let Some((paid, owed)) = equal_shares(cost, &all) {
                    self.assumed = self.assumed.saturating_add(1);
                    (payers, shares) = (paid, owed);
                    ASSUMED.to_owned()
                } else {
                    let cost = currency.to_major(cost);
                    format!("Cost in Splitwise: {cost} {currency}; {UNSAID}")
                });
            }
        }
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

    /// The nets of the members in minor units, which sum to zero.
    fn nets(
        &mut self,
        place: FilePlace,
        currency: Currency,
        numbers: &[Decimal],
    ) -> Option<Vec<PersonPart>> {
        let sum = numbers.iter().try_fold(Decimal::ZERO, |sum, number| sum.plus(*number));
        let sum = self.draft.keep(
            place,
            Named::Words("the sum", "значение суммы"),
            sum.ok_or_else(|| rule!("{field} is too large", "{field} слишком велико")),
        )?;
        let is_finer = numbers.iter().any(|number| number.decimals() > currency.exponent());
        // Cells that are finer than a minor unit may be rounded in the file.
        let is_zero =
            sum == Decimal::ZERO || (is_finer && sum.rounded(currency.exponent()) == Decimal::ZERO);
        if !is_zero {
            self.draft.error(
                place,
                message!(
                    "the cells of the members sum to {sum}, not to 0",
                    "сумма ячеек участников — {sum}, а должна быть 0"
                ),
            );
            return None;
        }
        let members = self.members.iter().zip(numbers);
        let exact: Option<Vec<Exact>> =
            members.map(|((_, member), number)| Exact::of(*member, *number, currency)).collect();
        let nets = exact.and_then(|exact| self.withheld.round(currency, &exact, 0));
        let Some(nets) = nets else {
            self.draft.error(
                place,
                message!("the cells must sum to 0", "сумма ячеек должна быть равна 0"),
            );
            return None;
        };
        let parts = self.members.iter().zip(nets).map(|((_, member), net)| {
            let minor = i64::try_from(net).ok()?;
            Some(PersonPart { person: *member, minor })
        });
        parts.collect()
    }

    /// The identity of a row. A member who joined later has a column of zeros, and the category is
    /// in the language of the account, so neither is part of it.
    fn key(
        &mut self,
        record: &CsvRecord<'_>,
        currency: Currency,
        cost: Decimal,
        numbers: &[Decimal],
    ) -> crate::Key {
        let members = self.members.iter().zip(numbers);
        let members = members.filter(|(_, number)| **number != Decimal::ZERO);
        let net = |((_, member), number): (&(usize, usize), &Decimal)| {
            format!("{} {}", in_minor_units(*number, currency), self.draft.name(*member))
        };
        let mut nets: Vec<_> = members.map(net).collect();
        nets.sort_unstable();
        let cost = in_minor_units(cost, currency);
        let fixed = [record.cell(0), unguarded(record.cell(1)), currency.code(), &cost];
        let content: Vec<&str> = fixed.into_iter().chain(nets.iter().map(|it| &**it)).collect();
        self.draft.key("splitwise", &content)
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
        if self.several > 0 {
            let (several, assumed) = (self.several, self.assumed);
            let others = several.saturating_sub(assumed);
            let several = Message::counted(
                several,
                ["row has several payers", "rows have several payers"],
                [
                    "строка с несколькими плательщиками",
                    "строки с несколькими плательщиками",
                    "строк с несколькими плательщиками",
                ],
            );
            let what = message!(
                "{several}: in {assumed}, equal shares are assumed; in {others}, only what each \
                 paid beyond their own share is imported, with the cost in the notes",
                "{several}: равные доли предполагаются в {assumed}; в остальных ({others}) \
                 записывается только то, что каждый заплатил сверх своей доли, а стоимость — в \
                 примечании",
                [several]
            );
            self.draft.warn(FilePlace::FILE, what);
        }
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

/// Who paid how much of a cost, and equal shares, that follow from the nets of its members: in equal
/// shares, those who owe a unit more than others come first. `None` if no payments fit.
///
/// Splitwise gives the odd units to those whose nets show it.
fn equal_shares(cost: i64, nets: &[PersonPart]) -> Option<(Vec<PersonPart>, Vec<PersonPart>)> {
    let sign = cost.signum();
    let mut parts: Vec<(PersonPart, i64)> = Vec::new();
    for part in nets.iter().filter(|part| part.minor != 0) {
        parts.push((*part, part.minor.checked_mul(sign)?));
    }
    let count = i64::try_from(parts.len()).ok()?;
    let whole = cost.checked_abs()?.checked_div(count)?;
    let mut left = cost.checked_abs()?.checked_rem(count)?;
    let more = whole.checked_add(1)?;
    let owes_more = |net: i64| net.checked_neg() == Some(more);
    let mut shares = vec![whole; parts.len()];
    for is_first in [true, false] {
        for (share, (_, net)) in shares.iter_mut().zip(&parts) {
            let gets = if is_first { owes_more(*net) } else { *net > 0 };
            if left > 0 && gets && *share == whole {
                *share = more;
                left = left.checked_sub(1)?;
            }
        }
    }
    let (mut payers, mut owed) = (Vec::new(), Vec::new());
    for (share, (part, net)) in shares.into_iter().zip(parts) {
        let paid = share.checked_add(net).filter(|paid| *paid >= 0 && left == 0)?;
        owed.push(PersonPart { minor: share.checked_mul(sign)?, ..part });
        if paid != 0 {
            payers.push(PersonPart { minor: paid.checked_mul(sign)?, ..part });
        }
    }
    Some((payers, owed))
}

/// A number of major units, as a number of minor units.
fn in_minor_units(number: Decimal, currency: Currency) -> String {
    let exponent = currency.exponent();
    let digits = number.at_scale(number.decimals().max(exponent)).unwrap_or_default();
    Decimal::new(digits, number.decimals().saturating_sub(exponent)).to_string()
}
