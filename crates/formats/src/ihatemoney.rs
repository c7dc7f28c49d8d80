//! IHateMoney's bills, as JSON or CSV.
//!
//! Both have the same fields. A bill has the weight of its payer, which is the member's weight in
//! all bills, so the weight of a member who never paid is not in the file. Amounts have two
//! decimals in every currency.

use std::collections::{HashMap, HashSet};

use fracti_core::values::{currency::Currency, decimal::Decimal};
use fracti_texts::{message, rule};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{
    csv::{Csv, CsvRecord},
    draft::{FieldText, ImportDraft, Named, UncheckedRow},
    import::{FilePlace, Format, Issue, PersonPart, RowPlace},
    json::{self, Number},
    names::{Names, Unclear},
    number::DecimalMark,
    quote::{quoted, unguarded},
    refusal,
    rounding::Withheld,
    unknown::KnownFields,
    weights::{self, Paid},
};

/// Currency that the app writes for a bill without one.
const NO_CURRENCY: &str = "XXX";

/// Separator of names in a cell.
const SEPARATOR: &str = ", ";

/// Index of the currency in the identity of a bill.
const KEY_CODE: usize = 3;

/// Columns that every version of the app writes.
const COLUMNS: [&str; 6] = ["what", "amount", "date", "payer_name", "payer_weight", "owers"];

/// The fields of a bill, which are the columns of the CSV file.
const BILL: KnownFields = KnownFields {
    read: &[
        "what",
        "bill_type",
        "amount",
        "currency",
        "date",
        "payer_name",
        "payer_weight",
        "owers",
    ],
    ..KnownFields::NONE
};

/// A bill. Versions before 7.0 write no type, and others no currency.
#[derive(Debug, Deserialize)]
#[serde(expecting = "a bill")]
struct Bill {
    what: String,
    #[serde(rename = "bill_type")]
    kind: Option<String>,
    amount: Number,
    currency: Option<String>,
    date: String,
    payer_name: String,
    payer_weight: Number,
    owers: Vec<String>,
}

/// Reads a file that begins like a JSON list.
///
/// # Errors
///
/// An [`Issue`] if it is no list of bills.
pub(crate) fn read_json(text: &str, draft: &mut ImportDraft<'_>) -> Result<(), Issue> {
    let list: Vec<&RawValue> = json::file(text, &[""])?;
    if list.first().is_some_and(|first| first.get().contains("\"ower\"")) {
        return Err(is_plan());
    }
    if list.is_empty() {
        return Err(
            FilePlace::FILE.issue(message!("the list of bills is empty", "список счетов пуст"))
        );
    }
    if !list.iter().any(|json| json.get().contains("\"payer_name\"")) {
        let first = list.first().map_or("", |first| first.get());
        return Err(refusal::of_fields(&refusal::fields(first)));
    }
    draft.format(Format::IhatemoneyJson);
    draft.see_json(text, &BILL);
    let mut bills = Vec::new();
    for (index, json) in list.into_iter().enumerate() {
        let row = RowPlace::Item("", index);
        if !draft.admits_row(row.into()) {
            break;
        }
        match json::part::<Bill>(json, row.into()) {
            Ok(bill) => bills.push((row, bill)),
            Err(issue) => draft.fail(issue),
        }
    }
    import(&bills, None, draft);
    Ok(())
}

/// Whether a CSV file has this format.
pub(crate) fn is_header(header: &CsvRecord<'_>) -> bool {
    let is_plan = header.cells == ["ower", "receiver", "amount", "currency"];
    let has_bills = COLUMNS.iter().all(|name| header.cells.iter().any(|it| it == name));
    is_plan || (has_bills && !header.cells.iter().any(|it| it == "timestamp"))
}

/// Reads the records after the header.
///
/// # Errors
///
/// An [`Issue`] where the file is no CSV.
pub(crate) fn read_csv(
    header: &CsvRecord<'_>,
    records: Csv<'_>,
    draft: &mut ImportDraft<'_>,
) -> Result<(), Issue> {
    if header.cells.iter().any(|it| it == "ower") {
        return Err(is_plan());
    }
    draft.format(Format::IhatemoneyCsv);
    let lines = records.clone().map_while(Result::ok);
    draft.see_columns(header, lines, &BILL, |_| false);
    let is_ended = records.is_ended();
    let mut mark = DecimalMark::default();
    let mut rows = Vec::new();
    let mut records = records;
    while let Some(record) = draft.next_of_width(&mut records, header)? {
        if !draft.admits_row(FilePlace::line(record.line)) {
            break;
        }
        if let Some(bill) = bill(header, &record, &mut mark, draft) {
            rows.push((bill, record));
        }
    }
    let owers = header.cells.iter().position(|name| name == "owers").unwrap_or_default();
    let owers = read_owers(&rows, owers, is_ended, draft);
    let bills = rows.into_iter().zip(owers);
    let bills = bills.filter_map(|((bill, record), owers)| {
        Some((RowPlace::Line(record.line), Bill { owers: owers?, ..bill }))
    });
    import(&bills.collect::<Vec<_>>(), Some(header), draft);
    draft.warn_of_end();
    Ok(())
}

/// The owers of all lines, from the cells at the index `column`. `is_ended` says whether the last
/// line ends with a line break.
fn read_owers(
    rows: &[(Bill, CsvRecord<'_>)],
    column: usize,
    is_ended: bool,
    draft: &mut ImportDraft<'_>,
) -> Vec<Option<Vec<String>>> {
    let lists: Vec<&str> = rows.iter().map(|(_, row)| unguarded(row.cell(column))).collect();
    let payers = rows.iter().map(|(bill, _)| &*bill.payer_name);
    let complete = if is_ended { lists.len() } else { lists.len().saturating_sub(1) };
    let alone = lists.iter().take(complete).copied().filter(|list| !list.contains(SEPARATOR));
    let known = Names::new(payers.chain(alone).chain(draft.answered_names()), SEPARATOR);
    let mut read = Vec::new();
    for (list, (_, row)) in lists.iter().zip(rows) {
        if draft.is_full() {
            break;
        }
        let names = known.split(list, true).map_err(Unclear::rule);
        read.push(draft.keep(row.place(column), "owers", names));
    }
    // A list of several names is in quotes, whose end shows that the line is complete.
    if let (Some(list), Some((_, last)), false) = (lists.last(), rows.last(), is_ended)
        && !list.contains(SEPARATOR)
        && !known.contains(list)
        && !read.iter().rev().skip(1).flatten().flatten().any(|name| name == list)
    {
        let rule = message!(
            "the file may be cut off here: the last line has no line break; export it again",
            "похоже, файл здесь обрывается: в конце последней строки нет переноса; выгрузите его \
             заново"
        );
        draft.error(last.place(column), rule);
    }
    let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
    read.into_iter().map(|names| names.map(owned)).collect()
}

/// The bill of a line, without its owers.
fn bill(
    header: &CsvRecord<'_>,
    record: &CsvRecord<'_>,
    mark: &mut DecimalMark,
    draft: &mut ImportDraft<'_>,
) -> Option<Bill> {
    let index = |name: &str| header.cells.iter().position(|it| it == name);
    let text = |name: &str| index(name).map(|index| unguarded(record.cell(index)).to_owned());
    let mut number = |name: &str| {
        let index = index(name)?;
        let read = mark.number(record.cell(index));
        draft.keep(record.place(index), name, read).map(Number)
    };
    let amount = number("amount");
    let payer_weight = number("payer_weight");
    Some(Bill {
        what: text("what")?,
        kind: text("bill_type"),
        amount: amount?,
        currency: text("currency"),
        date: text("date")?,
        payer_name: text("payer_name")?,
        payer_weight: payer_weight?,
        owers: Vec::new(),
    })
}

fn is_plan() -> Issue {
    FilePlace::FILE.issue(message!(
        "the file has the transactions that IHateMoney proposes, not those that happened; export \
         the bills",
        "в файле переводы, которые предлагает IHateMoney, а не те, что были; выгрузите счета"
    ))
}

/// The place of a field of a bill. `header` is that of a CSV file.
fn place_of(row: RowPlace, field: &str, header: Option<&CsvRecord<'_>>) -> FilePlace {
    let index = header.and_then(|header| header.cells.iter().position(|name| name == field));
    match (row, index) {
        (RowPlace::Line(line), Some(index)) => FilePlace::cell(line, index.saturating_add(1)),
        (RowPlace::Line(_) | RowPlace::Item(..), _) => row.into(),
    }
}

/// Adds all bills to the import. `header` is that of a CSV file.
fn import(bills: &[(RowPlace, Bill)], header: Option<&CsvRecord<'_>>, draft: &mut ImportDraft<'_>) {
    let mut members: HashMap<&str, usize> = HashMap::new();
    for (row, bill) in bills {
        let owers = bill.owers.iter().map(|name| ("owers", name));
        for (field, name) in std::iter::once(("payer_name", &bill.payer_name)).chain(owers) {
            if !members.contains_key(&**name) {
                let place = place_of(*row, field, header);
                let Some(member) = draft.add_member(place, field, name) else { return };
                members.insert(name, member);
            }
        }
    }
    let mut known: HashMap<usize, Decimal> = HashMap::new();
    let mut unclear = HashSet::new();
    let payers = bills.iter().map(|(_, bill)| bill);
    let payers = payers.filter_map(|bill| Some((members.get(&*bill.payer_name)?, bill)));
    for (payer, Bill { payer_weight: Number(weight), .. }) in payers {
        if *known.entry(*payer).or_insert(*weight) != *weight {
            unclear.insert(*payer);
        }
    }
    let mut weights = HashMap::new();
    for (_, bill) in bills.iter().filter(|(_, bill)| bill.owers.len() > 1) {
        for member in bill.owers.iter().filter_map(|name| members.get(&**name).copied()) {
            let known = known.get(&member).filter(|_| !unclear.contains(&member)).copied();
            weights.entry(member).or_insert_with(|| known.unwrap_or_else(|| draft.weight(member)));
        }
    }
    let withheld = Withheld::default();
    let mut reader = BillReader { header, members, weights, unknown: None, withheld, draft };
    // The app writes the newest bill first. What rounding has withheld before a bill must not
    // depend on those that a later export has before it.
    let mut oldest_first: Vec<_> = bills.iter().rev().collect();
    oldest_first.sort_by_key(|(_, bill)| &bill.date);
    for (row, bill) in oldest_first {
        reader.row(*row, bill);
    }
}

struct BillReader<'r, 'd, 'a> {
    /// Header of a CSV file.
    header: Option<&'r CsvRecord<'r>>,
    /// Members by their names.
    members: HashMap<&'r str, usize>,
    weights: HashMap<usize, Decimal>,
    /// The first currency that is asked.
    unknown: Option<String>,
    withheld: Withheld,
    draft: &'d mut ImportDraft<'a>,
}

impl BillReader<'_, '_, '_> {
    /// Adds a bill.
    fn row(&mut self, row: RowPlace, bill: &Bill) {
        let Self { header, members, weights, unknown, withheld, draft } = self;
        let place = |field| place_of(row, field, *header);
        let date = draft.date(place("date"), "date", &bill.date);
        let is_payment = match bill.kind.as_deref() {
            None | Some("Expense") => false,
            Some("Reimbursement") => true,
            Some(other) => {
                let found = quoted(other);
                let rule = rule!(
                    "{field} must be Expense or Reimbursement, not {found}",
                    "{field} должно быть Expense или Reimbursement, а не {found}"
                );
                return draft.refuse(place("bill_type"), "bill_type", rule);
            }
        };
        let code = bill.currency.as_deref().filter(|code| *code != NO_CURRENCY).unwrap_or_default();
        // The app also has codes that ISO 4217 does not have, like JEP, and metals. What their
        // amounts are is asked, like that of amounts without a currency, but there is one answer.
        let is_code = code.len() == 3 && code.bytes().all(|letter| letter.is_ascii_uppercase());
        let is_asked = code.is_empty() || (is_code && code.parse::<Currency>().is_err());
        let (currency, is_open) = if is_asked {
            let first = unknown.get_or_insert_with(|| code.to_owned());
            if first != code {
                let code = quoted(code);
                let first = quoted(first);
                let rule = rule!(
                    "{field} must be {first} in all bills whose currency Fracti does not have, not \
                     {code}",
                    "{field} должно быть {first} во всех счетах, валюты которых нет в Fracti, а не \
                     {code}"
                );
                return draft.refuse(place("currency"), "currency", rule);
            }
            draft.currency(code)
        } else {
            let Some(code) = draft.code(place("currency"), "currency", code) else { return };
            (code, false)
        };
        if bill.owers.is_empty() {
            return draft.refuse(
                place("owers"),
                "owers",
                rule!("{field} must not be empty", "{field} не должно быть пустым"),
            );
        }
        let owers: HashSet<&String> = bill.owers.iter().collect();
        if owers.len() != bill.owers.len() {
            return draft.refuse(place("owers"), "owers", Unclear::Repeated.rule());
        }
        // The app has two decimals in every currency.
        let amount = draft.rounded(place("amount"), "amount", bill.amount.0, currency);
        let (Some(amount), Some(date), Some(payer)) =
            (amount, date, members.get(&*bill.payer_name))
        else {
            return;
        };
        let key = key(bill, code, draft);
        if amount.minor == 0 {
            return draft.skip(row, &message!("its amount is zero", "её сумма равна нулю"));
        }
        let weight = |member: &usize| weights.get(member).copied().unwrap_or(Decimal::new(1, 0));
        let owers = bill.owers.iter().filter_map(|name| members.get(&**name));
        let owers = owers.map(|member| (*member, weight(member))).collect();
        let name = |member| draft.name(member).to_owned();
        let paid = Paid { by: *payer, number: bill.amount.0, rounded: amount };
        match weights::divide(paid, owers, name, (key, date), withheld) {
            Ok(shares) => draft.push(&UncheckedRow {
                row,
                key,
                is_payment,
                date,
                description: FieldText { field: Named::Field("what"), text: &bill.what },
                category: None,
                notes: None,
                currency,
                is_open,
                payers: vec![PersonPart { person: *payer, minor: amount.minor }],
                shares,
                split: None,
            }),
            Err(rule) => draft.error(row.into(), rule),
        }
    }
}

/// The identity of a bill, the same in JSON and CSV. The weight is that of today, so it is no part
/// of it.
fn key(bill: &Bill, code: &str, draft: &mut ImportDraft<'_>) -> crate::Key {
    let amount = bill.amount.0.to_string();
    let kind = bill.kind.as_deref().unwrap_or("Expense");
    let fixed = [&*bill.date, &bill.what, &amount, code, kind, &bill.payer_name];
    let mut owers: Vec<&str> = bill.owers.iter().map(|name| &**name).collect();
    owers.sort_unstable();
    let mut content: Vec<&str> = fixed.into_iter().chain(owers).collect();
    let found = draft.key("ihatemoney", &content);
    // The project had no currency before it had this one.
    if let Some(place) = content.get_mut(KEY_CODE)
        && !code.is_empty()
    {
        *place = "";
        draft.note_former(found, "ihatemoney", &content);
    }
    found
}
