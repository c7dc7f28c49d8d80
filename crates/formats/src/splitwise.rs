//! Splitwise's spreadsheet of a group or of a friendship.
//!
//! Each row has the net of every member, what they paid minus what they owe, to the cent. After the
//! rows, one line for each currency has the sum of every column.

use std::collections::BTreeMap;

use fracti_core::{currency::Currency, time::Day};

use crate::{
    category::category,
    csv::{Csv, Record, unguarded},
    draft::{Draft, Entry},
    import::{Format, Issue, Part, Place},
    number::DecimalMark,
};

/// Number of columns before those of the members: date, description, category, cost, currency.
const COLUMNS: usize = 5;

/// The category of payments, in the languages of the app.
const PAYMENT: [&str; 12] = [
    "payment",
    "betaling",
    "betalning",
    "paiement",
    "zahlung",
    "pembayaran",
    "pagamento",
    "pago",
    "支払い",
    "płatność",
    "การชำระเงิน",
    "maksu",
];

/// Whether a file has this format: the header is English, or a row has the form of the app's. The
/// names of columns are in the language of the account, but their order is the same in all.
pub(crate) fn is_header(header: &Record<'_>, rows: Csv<'_>) -> bool {
    let english = ["Date", "Description", "Category", "Cost", "Currency"];
    let is_english = (0..).zip(english).all(|(index, name)| header.cell(index).trim() == name);
    let is_row = |row: &Record<'_>| {
        row.cell(0).parse::<Day>().is_ok()
            && DecimalMark::default().number(row.cell(3)).is_ok()
            && row.cell(4).parse::<Currency>().is_ok()
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
    header: &Record<'_>,
    records: Csv<'_>,
    draft: &mut Draft<'_>,
) -> Result<(), Issue> {
    draft.format(Format::SplitwiseCsv);
    let names = header.cells.iter().enumerate().skip(COLUMNS);
    let members: Option<Vec<usize>> =
        names.map(|(index, name)| draft.add_member(header.place(index), unguarded(name))).collect();
    let Some(members) = members else { return Ok(()) };
    let mut reader = Reader { draft, members, mark: DecimalMark::default(), sums: BTreeMap::new() };
    let mut last = header.line;
    for record in records {
        let record = record?;
        if record.is_blank() {
            continue;
        }
        if reader.draft.is_full() {
            break;
        }
        last = record.line;
        let (cells, expected) = (record.cells.len(), header.cells.len());
        if cells != expected {
            let rule = format!("the line has {cells} cells, but the header has {expected}");
            reader.draft.error(Place::line(record.line), rule);
        } else if record.cell(2).trim().is_empty() && record.cell(3).trim().is_empty() {
            reader.total(&record);
        } else if reader.draft.admits_row(record.line) {
            reader.row(&record);
        } else {
            break;
        }
    }
    reader.finish(last);
    Ok(())
}

struct Reader<'d, 'a> {
    draft: &'d mut Draft<'a>,
    members: Vec<usize>,
    mark: DecimalMark,
    /// For each currency, the sum of each member's nets, and whether it was compared.
    sums: BTreeMap<Currency, (Vec<i128>, bool)>,
}

impl Reader<'_, '_> {
    fn row(&mut self, record: &Record<'_>) {
        let date = self.draft.date(record.place(0), record.cell(0));
        let Some((currency, nets)) = self.amounts(record) else { return };
        let cost = self.minor(record, 3, currency);
        let (Some(date), Some(cost)) = (date, cost) else { return };
        let place = Place::line(record.line);
        let sum: i128 = nets.iter().map(|part| i128::from(part.minor)).sum();
        if sum != 0 {
            let sum = currency.to_major(sum);
            self.draft.error(place, format!("the cells of the members sum to {sum}, not to 0"));
            return;
        }
        let zeros = vec![0; self.members.len()];
        let (sums, _) = self.sums.entry(currency).or_insert_with(|| (zeros, false));
        for (sum, net) in sums.iter_mut().zip(&nets) {
            *sum = sum.saturating_add(net.minor.into());
        }
        let description = unguarded(record.cell(1));
        let key = self.key(record, currency, cost, &nets);
        let is_payment = PAYMENT.contains(&record.cell(2).trim().to_lowercase().as_str());
        // Members with the sign of the cost paid more than they owe.
        let (givers, takers): (Vec<Part>, Vec<Part>) = nets
            .into_iter()
            .filter(|part| part.minor != 0)
            .partition(|part| part.minor.signum() == cost.signum());
        let owed = takers.iter().map(|it| Part { minor: it.minor.saturating_neg(), ..*it });
        let given: i128 = givers.iter().map(|part| i128::from(part.minor)).sum();
        if given.unsigned_abs() > cost.unsigned_abs().into() || (given == 0 && !takers.is_empty()) {
            let rule = "the cells of the members exceed the cost";
            self.draft.error(record.place(3), rule);
            return;
        }
        let mut shares: Vec<Part> = owed.collect();
        let mut payers = givers;
        match payers.as_mut_slice() {
            [] => {
                let reason = "it changes no balance, because the members paid only for themselves";
                return self.draft.skip(record.line, reason);
            }
            // The cost and the net of the only payer tell the payer's own share.
            [payer] => {
                let own = cost.saturating_sub(payer.minor);
                if own != 0 {
                    shares.insert(0, Part { minor: own, ..*payer });
                }
                payer.minor = cost;
            }
            _ if is_payment => {}
            _ => {
                let what = "several members paid, but the file does not say how much; what each \
                            of them paid beyond the own share is imported";
                self.draft.warn(place, what);
            }
        }
        self.draft.push(&Entry {
            line: record.line,
            key,
            is_payment,
            date,
            description,
            category: category(record.cell(2)).filter(|_| !is_payment),
            notes: None,
            currency,
            is_open: false,
            payers,
            shares,
            split: None,
        });
    }

    /// The identity of a row. A member who joined later has a column of zeros, and the category is
    /// in the language of the account, so neither is part of it.
    fn key(
        &mut self,
        record: &Record<'_>,
        currency: Currency,
        cost: i64,
        nets: &[Part],
    ) -> crate::Key {
        let net = |part: &Part| format!("{} {}", part.minor, self.draft.name(part.member));
        let mut nets: Vec<_> = nets.iter().filter(|part| part.minor != 0).map(net).collect();
        nets.sort_unstable();
        let cost = cost.to_string();
        let fixed = [record.cell(0), unguarded(record.cell(1)), currency.code(), &cost];
        let content: Vec<&str> = fixed.into_iter().chain(nets.iter().map(|it| &**it)).collect();
        self.draft.key("splitwise", &content)
    }

    /// Compares the sums of the columns with a line of totals.
    fn total(&mut self, record: &Record<'_>) {
        let Some((currency, totals)) = self.amounts(record) else { return };
        let zeros = vec![0; self.members.len()];
        let (sums, is_compared) = self.sums.entry(currency).or_insert_with(|| (zeros, false));
        if std::mem::replace(is_compared, true) {
            let rule = format!("the totals in {currency} must appear only once");
            self.draft.error(record.place(4), rule);
            return;
        }
        let sums = sums.clone();
        for ((index, total), sum) in (COLUMNS..).zip(totals).zip(sums) {
            let what = format!("total of {} in {currency}", self.draft.name(total.member));
            let (file, computed) = (currency.to_major(total.minor), currency.to_major(sum));
            self.draft.check(record.place(index), what, file, computed);
        }
    }

    /// The currency of a line and the amounts of all members.
    fn amounts(&mut self, record: &Record<'_>) -> Option<(Currency, Vec<Part>)> {
        let read = record.cell(4).trim().parse::<Currency>();
        let currency = self.draft.keep(record.place(4), "the currency", read)?;
        let members = self.members.clone();
        let cells = (COLUMNS..).zip(members).map(|(index, member)| {
            self.minor(record, index, currency).map(|minor| Part { member, minor })
        });
        // All cells are read, so that all errors are reported.
        let parts: Vec<Option<Part>> = cells.collect();
        Some((currency, parts.into_iter().collect::<Option<_>>()?))
    }

    fn minor(&mut self, record: &Record<'_>, index: usize, currency: Currency) -> Option<i64> {
        let place = record.place(index);
        let read = self.mark.number(record.cell(index));
        let number = self.draft.keep(place, "the amount", read)?;
        self.draft.minor(place, number, currency)
    }

    /// Checks that the file is whole: after the rows, it has the totals of each currency.
    fn finish(self, last: usize) {
        for (currency, (_, is_compared)) in self.sums {
            if !is_compared && !self.draft.has_errors() {
                let rule = format!(
                    "the file ends without the totals in {currency}, so rows may be missing; \
                     export it again"
                );
                self.draft.error(Place::line(last), rule);
            }
        }
    }
}
