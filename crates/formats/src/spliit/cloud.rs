//! Spliit Cloud's CSV of a group.
//!
//! It looks like Spliit's, but its cells are nets: what each member paid minus what they owe.

use fracti_core::values::{currency::Currency, decimal::Decimal};
use fracti_texts::message;

use crate::{
    csv::{Csv, CsvRecord},
    draft::{AMOUNT, CURRENCY, DATE, DESCRIPTION, FieldText, ImportDraft, Named, UncheckedRow},
    import::{FilePlace, Format, Issue, RowPlace},
    key::Key,
    nets::{NetParts, NetReader, NetRow},
    number::DecimalMark,
    quote::unguarded,
    unknown::KnownFields,
};

/// Index of the column with the currency of a row.
const CODE: usize = 3;

/// Index of the column with the cost.
const COST: usize = 4;

/// The column that says whether debts are paid with a row.
const IS_SETTLEMENT: &str = "Is Settlement";

/// The last column before those of the members.
const SPLIT_MODE: &str = "Split mode";

/// The columns with the cost in another currency, that currency and the rate.
const ORIGINAL: [&str; 3] = ["Original cost", "Original currency", "Conversion rate"];

/// The columns after those that are known by their places.
const COLUMNS: KnownFields = KnownFields {
    read: &[IS_SETTLEMENT, ORIGINAL[0], ORIGINAL[1], ORIGINAL[2]],
    passed_over: &["Conversion source", SPLIT_MODE],
    ..KnownFields::NONE
};

/// Whether a CSV file has this format.
pub(crate) fn is_header(header: &CsvRecord<'_>) -> bool {
    let has = |column| header.cells.iter().any(|name| name == column);
    let is_ours = header.cell(CODE) == "Currency" && header.cell(COST) == "Cost";
    is_ours && has(IS_SETTLEMENT) && has(SPLIT_MODE)
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
    draft.format(Format::SpliitCloudCsv);
    let index = |name: &str| header.cells.iter().position(|it| it == name);
    let first = index(SPLIT_MODE).map_or(header.cells.len(), |index| index.saturating_add(1));
    let columns = header.columns_of_numbers(&records, first);
    let members: Option<Vec<usize>> =
        columns.iter().map(|index| draft.add_column(header, *index)).collect();
    let Some(members) = members else { return Ok(()) };
    let rows = || records.clone().map_while(Result::ok);
    draft.see_columns(header, rows(), &COLUMNS, |index| index <= COST || columns.contains(&index));
    let numbers = |row: CsvRecord<'_>| -> Vec<String> {
        let cells = columns.iter().chain([&COST]).map(|index| row.cell(*index).to_owned());
        cells.collect()
    };
    let mark = DecimalMark::of(rows().flat_map(numbers));
    let mut reader = Reader {
        draft,
        members: columns.into_iter().zip(members).collect(),
        settlement: index(IS_SETTLEMENT).unwrap_or_default(),
        original: ORIGINAL.map(index),
        mark,
        nets: NetReader::new("Spliit Cloud"),
    };
    let mut records = records;
    while let Some(record) = reader.draft.next_of_width(&mut records, header)? {
        if !reader.draft.admits_row(FilePlace::line(record.line)) {
            break;
        }
        reader.row(&record);
    }
    let Reader { draft, nets, .. } = reader;
    nets.warn(draft);
    draft.warn_of_end();
    Ok(())
}

struct Reader<'d, 'a> {
    draft: &'d mut ImportDraft<'a>,
    /// The columns of the members, and the members.
    members: Vec<(usize, usize)>,
    settlement: usize,
    original: [Option<usize>; 3],
    mark: DecimalMark,
    nets: NetReader,
}

impl Reader<'_, '_> {
    fn row(&mut self, record: &CsvRecord<'_>) {
        let date = self.draft.date(record.place(0), DATE, record.cell(0));
        let is_payment = self.is_payment(record);
        let code = unguarded(record.cell(CODE)).trim();
        let currency = self.draft.code(record.place(CODE), CURRENCY, code);
        let cost = self.number(record, COST);
        // All cells are read, so that all errors are reported.
        let nets: Vec<Option<(usize, Decimal)>> = { self.members.clone() }
            .into_iter()
            .map(|(index, member)| Some((member, self.number(record, index)?)))
            .collect();
        let nets: Option<Vec<(usize, Decimal)>> = nets.into_iter().collect();
        let (Some(date), Some(is_payment), Some(currency), Some(cost), Some(nets)) =
            (date, is_payment, currency, cost, nets)
        else {
            return;
        };
        let key = self.key(record, (cost, currency), &nets);
        let row = NetRow {
            line: record.line,
            cost_place: record.place(COST),
            currency,
            cost,
            nets: &nets,
            is_payment,
        };
        let Some(NetParts { payers, shares, note }) = self.nets.read(row, self.draft) else {
            return;
        };
        let notes: Vec<String> = self.original(record).into_iter().chain(note).collect();
        let notes = notes.join("\n");
        let category = unguarded(record.cell(2));
        let category = if is_payment { None } else { self.draft.category(category) };
        self.draft.push(&UncheckedRow {
            row: RowPlace::Line(record.line),
            key,
            is_payment,
            date,
            description: FieldText { field: DESCRIPTION, text: unguarded(record.cell(1)) },
            category: category.map(Into::into),
            notes: Some(FieldText { field: Named::Field("notes"), text: &notes }),
            currency,
            is_open: false,
            payers,
            shares,
            split: None,
        });
    }

    fn is_payment(&mut self, record: &CsvRecord<'_>) -> Option<bool> {
        match record.cell(self.settlement) {
            "Yes" => Some(true),
            "No" => Some(false),
            other => {
                let rule = message!(
                    "{IS_SETTLEMENT} must be Yes or No, not {other:.40}",
                    "в столбце {IS_SETTLEMENT} должно быть Yes или No, а не {other:.40}"
                );
                self.draft.error(record.place(self.settlement), rule);
                None
            }
        }
    }

    fn number(&mut self, record: &CsvRecord<'_>, index: usize) -> Option<Decimal> {
        let read = self.mark.number(record.cell(index));
        self.draft.keep(record.place(index), AMOUNT, read)
    }

    /// A note of what was paid in another currency.
    fn original(&self, record: &CsvRecord<'_>) -> Option<String> {
        let cell = |index: Option<usize>| index.map_or("", |index| record.cell(index).trim());
        let [cost, code, rate] = self.original.map(cell).map(unguarded);
        if cost.is_empty() {
            return None;
        }
        let rate = if rate.is_empty() { String::new() } else { format!(" at {rate}") };
        Some(format!("Paid in Spliit Cloud: {cost} {code}{rate}"))
    }

    /// The identity of a row. A member who joined later has a column of zeros, which is no part of
    /// it.
    fn key(
        &mut self,
        record: &CsvRecord<'_>,
        (cost, currency): (Decimal, Currency),
        nets: &[(usize, Decimal)],
    ) -> Key {
        let nets = nets.iter().filter(|(_, net)| *net != Decimal::ZERO);
        let net = |(member, net): &(usize, Decimal)| format!("{net} {}", self.draft.name(*member));
        let mut nets: Vec<String> = nets.map(net).collect();
        nets.sort_unstable();
        let (cost, kind) = (cost.to_string(), record.cell(self.settlement));
        let text = unguarded(record.cell(1));
        let fixed = [record.cell(0), text, currency.code(), &cost, kind];
        let content: Vec<&str> = fixed.into_iter().chain(nets.iter().map(|it| &**it)).collect();
        self.draft.key("spliit-cloud", &content)
    }
}
