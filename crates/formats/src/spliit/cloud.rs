//! Spliit Cloud's CSV of a group.
//!
//! It looks like Spliit's, but its cells are nets: what each member paid minus what they owe.

use fracti_core::values::{currency::Currency, decimal::Decimal};
use fracti_texts::message;

use crate::{
    csv::{Csv, CsvRecord},
    draft::{
        AMOUNT, CURRENCY, Converted, DATE, DESCRIPTION, FieldText, ImportDraft, Named, Original,
        UncheckedRow,
    },
    import::{FilePlace, Format, Issue, RowPlace},
    key::Key,
    nets::{NetParts, NetReader, NetRow},
    number::{DecimalMark, paid_in},
    quote::unguarded,
    spliit::csv::{COST, CURRENCY as CODE, SPLIT_MODE, add_members, has_columns},
    unknown::KnownFields,
};

/// The column that says whether debts are paid with a row.
const IS_SETTLEMENT: &str = "Is Settlement";

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
    has_columns(header, IS_SETTLEMENT)
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
    let Some(members) = add_members(header, &records, &COLUMNS, draft) else { return Ok(()) };
    let numbers = |row: CsvRecord<'_>| -> Vec<String> {
        let columns = members.iter().map(|(index, _)| *index).chain([COST]);
        columns.map(|index| row.cell(index).to_owned()).collect()
    };
    let mark = DecimalMark::of(records.clone().map_while(Result::ok).flat_map(numbers));
    let mut reader = CloudReader {
        draft,
        members,
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
    let CloudReader { draft, nets, .. } = reader;
    nets.warn(draft);
    draft.warn_of_end();
    Ok(())
}

struct CloudReader<'d, 'a> {
    draft: &'d mut ImportDraft<'a>,
    /// The columns of the members, and the members.
    members: Vec<(usize, usize)>,
    settlement: usize,
    original: [Option<usize>; 3],
    mark: DecimalMark,
    nets: NetReader,
}

impl CloudReader<'_, '_> {
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
        let [original, code, _] = self.originals(record);
        if !original.is_empty() {
            let converted = Converted {
                description: unguarded(record.cell(1)),
                date,
                amount: Original::of(original, &self.mark),
                code,
                recorded: cost,
                currency,
            };
            self.draft.warn_of_converted(RowPlace::Line(record.line), &converted);
        }
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

    /// What was paid in another currency, its code and the rate.
    fn originals<'r>(&self, record: &'r CsvRecord<'_>) -> [&'r str; 3] {
        let cell = |index: Option<usize>| index.map_or("", |index| record.cell(index).trim());
        self.original.map(cell).map(unguarded)
    }

    /// A note of what was paid in another currency.
    fn original(&self, record: &CsvRecord<'_>) -> Option<String> {
        let [cost, code, rate] = self.originals(record);
        (!cost.is_empty()).then(|| paid_in("Spliit Cloud", cost, code, rate))
    }

    /// The identity of a row. A member who joined later has a column of zeros, which is no part of
    /// it.
    fn key(
        &mut self,
        record: &CsvRecord<'_>,
        (cost, currency): (Decimal, Currency),
        nets: &[(usize, Decimal)],
    ) -> Key {
        let nets = nets.iter().filter(|(_, net)| *net != Decimal::ZERO).copied();
        let nets = self.draft.identified(&nets.collect::<Vec<_>>());
        let cost = cost.to_string();
        let kind = record.cell(self.settlement);
        let text = unguarded(record.cell(1));
        let fixed = [record.cell(0), text, currency.code(), &cost, kind];
        let content: Vec<&str> = fixed.into_iter().chain(nets.iter().map(|it| &**it)).collect();
        self.draft.key("spliit-cloud", &content)
    }
}
