//! Cospend's CSV of a project.
//!
//! It has sections with headers of their own, parted by empty lines: members, bills, categories,
//! payment modes and currencies. Bills have no shares but the weights of members, and floats as
//! amounts, which may be finer than a minor unit. All of them are in the main currency.
//!
//! Versions before 1.3.18 have no section of members, but a bill for each member that tells the
//! weight.

use std::collections::{HashMap, HashSet};

use fracti_core::values::{
    category::Category, currency::Currency, decimal::Decimal, money::Money, time::Timestamp,
};
use fracti_texts::{json_error, message, rule};
use serde::Deserialize;

use crate::{
    category::known,
    csv::{Csv, CsvRecord},
    draft::{FIRST_YEAR, FieldText, ImportDraft, LeftOut, MAX_ROWS, MEMBER, Named, UncheckedRow},
    import::{FilePlace, Format, Issue, PersonPart, RowPlace},
    json::Number,
    names::{Names, Unclear},
    number::{DecimalMark, too_large},
    quote::quoted,
    rounding::{Exact, Withheld},
    unknown::KnownFields,
    weights::{self, Paid},
};

/// Columns that bills have in every version of the app.
const BILL: [&str; 6] = ["amount", "date", "timestamp", "payer_name", "payer_weight", "owers"];

/// The columns of the section of members.
const MEMBERS: KnownFields = KnownFields {
    read: &["name", "weight"],
    passed_over: &["active", "color"],
    ..KnownFields::NONE
};

/// The columns of the section of bills.
const BILLS: KnownFields = KnownFields {
    read: &[
        "what",
        "amount",
        "date",
        "timestamp",
        "payer_name",
        "payer_weight",
        "owers",
        "repeat",
        "categoryid",
        "comment",
        "deleted",
        "payers",
    ],
    passed_over: &[
        "payer_active",
        "repeatfreq",
        "repeatallactive",
        "repeatuntil",
        "paymentmode",
        "paymentmodeid",
    ],
    ..KnownFields::NONE
};

/// The columns of the section of categories.
const CATEGORY_LIST: KnownFields = KnownFields {
    read: &["categoryname", "categoryid"],
    passed_over: &["icon", "color"],
    ..KnownFields::NONE
};

/// The columns of the section of currencies. Amounts are in the main one.
const CURRENCIES: KnownFields =
    KnownFields { read: &["currencyname", "exchange_rate"], ..KnownFields::NONE };

/// The columns of the section of payment modes.
const PAYMENT_MODES: KnownFields = KnownFields {
    passed_over: &["paymentmodename", "paymentmodeid", "icon", "color"],
    ..KnownFields::NONE
};

/// Description of the bills that tell the weights of members.
const MEMBER_BILL: &str = "deleteMeIfYouWant";

/// Category of payments.
const REIMBURSEMENT: &str = "-11";

/// Categories that every project had in earlier versions.
const CATEGORIES: [(&str, Category); 11] = [
    ("-1", Category::Food),
    ("-2", Category::Food),
    ("-3", Category::Rent),
    ("-4", Category::Utilities),
    ("-5", Category::Entertainment),
    ("-6", Category::Health),
    ("-10", Category::Shopping),
    ("-12", Category::Food),
    ("-13", Category::Travel),
    ("-14", Category::Transport),
    ("-15", Category::Entertainment),
];

/// Whether a CSV file has this format.
pub(crate) fn is_header(header: &CsvRecord<'_>) -> bool {
    let has = |name| header.cells.iter().any(|it| it == name);
    (header.cell(0) == "name" && has("color")) || (header.cell(0) == "what" && has("timestamp"))
}

/// Whether a CSV file has payments or statistics of a project instead of its bills. Their headers
/// are in the language of the user, and recognized in English only.
pub(crate) fn is_summary(header: &CsvRecord<'_>) -> bool {
    header.cells == ["Who pays?", "To whom?", "How much?"]
        || header.cells == ["Member name", "Paid", "Spent", "Balance"]
}

/// The lines of a section and its header.
#[derive(Default)]
struct Section<'t> {
    header: CsvRecord<'static>,
    lines: Vec<CsvRecord<'t>>,
}

impl Section<'_> {
    /// The cell of a line in the column with this name; empty if there is none.
    fn cell<'r>(&self, line: &'r CsvRecord<'_>, column: &str) -> &'r str {
        self.index(column).map_or("", |index| line.cell(index))
    }

    fn place(&self, line: &CsvRecord<'_>, column: &str) -> FilePlace {
        self.index(column).map_or(FilePlace::line(line.line), |index| line.place(index))
    }

    fn is_bills(&self) -> bool {
        self.header.cell(0) == "what"
    }

    fn index(&self, column: &str) -> Option<usize> {
        self.header.cells.iter().position(|name| name == column)
    }
}

/// The sections that matter.
#[derive(Default)]
struct Sections<'t> {
    members: Section<'t>,
    bills: Section<'t>,
    categories: Section<'t>,
    currencies: Section<'t>,
    other: Section<'t>,
}

/// Reads a file that begins with `header`.
///
/// # Errors
///
/// An [`Issue`] where the file is no CSV.
pub(crate) fn read(
    header: &CsvRecord<'_>,
    records: Csv<'_>,
    draft: &mut ImportDraft<'_>,
) -> Result<(), Issue> {
    draft.format(Format::CospendCsv);
    let sections = sections(header, records, draft)?;
    for (section, known) in [
        (&sections.members, &MEMBERS),
        (&sections.bills, &BILLS),
        (&sections.categories, &CATEGORY_LIST),
        (&sections.currencies, &CURRENCIES),
        (&sections.other, &PAYMENT_MODES),
    ] {
        draft.see_columns(&section.header, section.lines.iter(), known, |_| false);
    }
    let currencies = &sections.currencies;
    let is_main = |line: &&CsvRecord<'_>| {
        currencies.cell(line, "exchange_rate").parse() == Ok(Decimal::new(1, 0))
    };
    let currency = currencies.lines.iter().find(is_main);
    if let (None, Some(line)) = (currency, currencies.lines.first()) {
        let place = currencies.place(line, "exchange_rate");
        draft.error(
            place,
            message!(
                "the main currency must have the exchange_rate 1",
                "у основной валюты должен быть exchange_rate 1"
            ),
        );
    }
    let currency = currency.map_or("", |line| currencies.cell(line, "currencyname"));
    let (currency, is_open) = draft.currency(currency);
    let categories = sections.categories.lines.iter();
    let category = |line| {
        let cell = |column| sections.categories.cell(line, column);
        (cell("categoryid"), cell("categoryname"))
    };
    let mut reader = CospendReader {
        bills: &sections.bills,
        members: HashMap::new(),
        weights: HashMap::new(),
        names: Names::new(std::iter::empty(), ","),
        spaced: Names::new(std::iter::empty(), ", "),
        is_old: sections.members.header.cells.is_empty(),
        has_member_bills: sections.bills.lines.iter().any(|line| line.cell(0) == MEMBER_BILL),
        categories: categories.map(category).collect(),
        currency,
        is_open,
        mark: DecimalMark::default(),
        withheld: Withheld::default(),
        draft,
    };
    reader.members(&sections.members);
    let names = |separator| Names::new(reader.members.keys().copied(), separator);
    (reader.names, reader.spaced) = (names(","), names(", "));
    for line in &sections.bills.lines {
        if reader.draft.is_full() {
            break;
        }
        reader.row(line);
    }
    let repeats = |line: &&CsvRecord<'_>| !matches!(sections.bills.cell(line, "repeat"), "" | "n");
    for _ in sections.bills.lines.iter().filter(repeats) {
        draft.leave_out(LeftOut::Recurrence);
    }
    Ok(())
}

/// Reads the lines of all sections.
fn sections<'t>(
    header: &CsvRecord<'_>,
    mut records: Csv<'t>,
    draft: &mut ImportDraft<'_>,
) -> Result<Sections<'t>, Issue> {
    let mut sections = Sections::default();
    let mut section = open(&mut sections, header, draft);
    let mut is_first = false;
    // Outside of bills, the app does not double the quotes in a text, which is the first cell.
    while let Some(record) = if is_first || section.is_bills() {
        records.next()
    } else {
        records.next_undoubled(section.header.cells.len())
    } {
        let record = record?;
        if draft.is_full() {
            break;
        }
        if record.is_blank() {
            is_first = true;
            continue;
        }
        if is_first {
            is_first = false;
            section = open(&mut sections, &record, draft);
            continue;
        }
        let cells = record.cells.len();
        let expected = section.header.cells.len();
        if cells != expected {
            let rule = message!(
                "the line has {cells} cells, but its section has {expected}",
                "ячеек в строке — {cells}, а в её разделе — {expected}"
            );
            draft.error(FilePlace::line(record.line), rule);
        } else if section.is_bills() && !draft.admits_row(FilePlace::line(record.line)) {
            break;
        } else if section.lines.len() == MAX_ROWS {
            let rule = message!(
                "a section must have at most {MAX_ROWS} lines",
                "строк в разделе должно быть не больше {MAX_ROWS}"
            );
            draft.error(FilePlace::line(record.line), rule);
            break;
        } else {
            section.lines.push(record);
        }
    }
    // Another section shows that the bills before it are whole.
    if section.is_bills() {
        draft.warn_of_end();
    }
    if sections.bills.header.cells.is_empty() {
        draft.error(
            FilePlace::FILE,
            message!(
                "the file has no section of bills; export it again",
                "в файле нет раздела со счетами; выгрузите его заново"
            ),
        );
    }
    Ok(sections)
}

/// The section that begins with a header.
fn open<'s, 't>(
    sections: &'s mut Sections<'t>,
    header: &CsvRecord<'_>,
    draft: &mut ImportDraft<'_>,
) -> &'s mut Section<'t> {
    let place = FilePlace::line(header.line);
    let (section, columns) = match header.cell(0) {
        "name" => (&mut sections.members, &["weight"][..]),
        "what" => (&mut sections.bills, &BILL[..]),
        "categoryname" => (&mut sections.categories, &["categoryid"][..]),
        "currencyname" => (&mut sections.currencies, &["exchange_rate"][..]),
        "paymentmodename" => (&mut sections.other, &[][..]),
        _ => {
            draft.error(
                place,
                message!(
                    "the line must be the header of a known section",
                    "эта строка должна быть заголовком известного раздела"
                ),
            );
            (&mut sections.other, &[][..])
        }
    };
    if !section.header.cells.is_empty() {
        draft.error(
            place,
            message!(
                "a section with this header must appear only once",
                "раздел с таким заголовком не должен повторяться"
            ),
        );
    }
    for column in columns {
        if !header.cells.iter().any(|name| name == column) {
            draft.error(
                place,
                message!(
                    "the section must have a column {column}",
                    "в разделе должен быть столбец {column}"
                ),
            );
        }
    }
    let cells = header.cells.iter().map(|name| name.to_string().into()).collect();
    section.header = CsvRecord { line: header.line, cells };
    section
}

/// A payer in the column that bills of several payers have.
#[derive(Deserialize)]
#[serde(expecting = "a payer")]
struct PayerJson {
    name: String,
    amount: Number,
}

struct CospendReader<'r, 'd, 'a> {
    draft: &'d mut ImportDraft<'a>,
    bills: &'r Section<'r>,
    /// Members by their names in the file.
    members: HashMap<&'r str, usize>,
    weights: HashMap<usize, Decimal>,
    /// How lists of names are read.
    names: Names<'r>,
    /// How lists of names with a blank after each comma are read.
    spaced: Names<'r>,
    /// Whether the file has no section of members.
    is_old: bool,
    /// Whether the file has a bill for each member.
    has_member_bills: bool,
    /// Names of categories by their ids.
    categories: HashMap<&'r str, &'r str>,
    currency: Currency,
    /// Whether the currency is still to be answered.
    is_open: bool,
    mark: DecimalMark,
    withheld: Withheld,
}

impl<'r> CospendReader<'r, '_, '_> {
    /// Adds the members of their section. In an old file, they are those of the bills.
    fn members(&mut self, section: &'r Section<'_>) {
        for line in &section.lines {
            let place = section.place(line, "name");
            let name = section.cell(line, "name");
            if self.members.contains_key(name) {
                self.draft.error(
                    place,
                    message!(
                        "another member has the name, too",
                        "это имя есть и у другого участника"
                    ),
                );
                continue;
            }
            self.member(place, name);
            let column = "weight";
            self.weight(name, section.place(line, column), column, section.cell(line, column));
        }
        if !self.is_old {
            return;
        }
        for line in &self.bills.lines {
            let name = self.bills.cell(line, "payer_name");
            if !self.members.contains_key(name) {
                let place = self.bills.place(line, "payer_name");
                self.member(place, name);
                let column = "payer_weight";
                let place = self.bills.place(line, column);
                let text = self.bills.cell(line, column);
                self.weight(name, place, column, text);
            }
        }
    }

    fn member(&mut self, place: FilePlace, name: &'r str) -> Option<usize> {
        let member = self.draft.add_member(place, MEMBER, name)?;
        self.members.insert(name, member);
        Some(member)
    }

    /// Notes the weight of a member. The app counts a weight of 0 as 1.
    fn weight(&mut self, name: &str, place: FilePlace, field: &str, text: &str) {
        let Some(weight) = self.number(place, field, text) else { return };
        let weight = if weight == Decimal::ZERO { Decimal::new(1, 0) } else { weight };
        if let Some(member) = self.members.get(name) {
            self.weights.insert(*member, weight);
        }
    }

    fn number(&mut self, place: FilePlace, field: &str, text: &str) -> Option<Decimal> {
        let read = self.mark.number(text);
        self.draft.keep(place, field, read)
    }

    /// Adds a bill.
    fn row(&mut self, line: &'r CsvRecord<'_>) {
        let bills = self.bills;
        let row_place = RowPlace::Line(line.line);
        let cell = |column: &str| bills.cell(line, column);
        if cell("what") == MEMBER_BILL {
            return;
        }
        if bills.index("deleted").is_some() {
            match cell("deleted") {
                "0" => {}
                "1" => return self.draft.leave_out(LeftOut::Deleted),
                other => {
                    let found = quoted(other);
                    let rule = rule!(
                        "{field} must be 0 or 1, not {found}",
                        "{field} должно быть 0 или 1, а не {found}"
                    );
                    return self.draft.refuse(bills.place(line, "deleted"), "deleted", rule);
                }
            }
        }
        let place = bills.place(line, "amount");
        let amount = self.number(place, "amount", cell("amount"));
        let date =
            self.day(line).and_then(|day| self.draft.date(bills.place(line, "date"), "date", &day));
        let payer = self.members.get(cell("payer_name")).copied().ok_or_else(|| {
            rule!("{field} must be a member", "{field} должно быть именем участника")
        });
        let payer = self.draft.keep(bills.place(line, "payer_name"), "payer_name", payer);
        let owers = self.owers(line);
        let currency = self.currency;
        let amount = amount.and_then(|number| {
            Some((number, self.draft.rounded(place, "amount", number, currency)?))
        });
        let (Some(date), Some(payer), Some(owers), Some((exact, amount))) =
            (date, payer, owers, amount)
        else {
            return;
        };
        let mut names: Vec<&str> = owers.iter().map(|(name, _)| *name).collect();
        names.sort_unstable();
        let number = amount.to_major().to_string();
        let fixed = [cell("timestamp"), cell("date"), cell("what"), &number, cell("payer_name")];
        let content: Vec<&str> = fixed.into_iter().chain(names).collect();
        let key = self.draft.key("cospend", &content);
        if amount.minor == 0 {
            return self
                .draft
                .skip(row_place, &message!("its amount is zero", "её сумма равна нулю"));
        }
        let weights = owers.iter().map(|(_, member)| (*member, self.weights.get(member).copied()));
        let weights: Vec<_> = weights.collect();
        let is_alone = weights.len() == 1;
        let weights = weights.into_iter().map(|(member, weight)| match weight {
            None if is_alone => (member, Decimal::new(1, 0)),
            None => {
                let asked = self.draft.weight(member);
                (member, *self.weights.entry(member).or_insert(asked))
            }
            Some(weight) => (member, weight),
        });
        let weights = weights.collect();
        let Some(payers) = self.payers(line, payer, exact, amount) else { return };
        let name = |member| self.draft.name(member).to_owned();
        let row = (key, date);
        let paid = Paid { by: payer, number: exact, rounded: amount };
        let shares = match weights::divide(paid, weights, name, row, &mut self.withheld) {
            Ok(shares) => shares,
            Err(rule) => return self.draft.error(FilePlace::line(line.line), rule),
        };
        let id = cell("categoryid");
        let category = self.category(id);
        self.draft.push(&UncheckedRow {
            row: row_place,
            key,
            is_payment: id == REIMBURSEMENT,
            date,
            description: FieldText { field: Named::Field("what"), text: cell("what") },
            category: category.map(Into::into),
            notes: Some(FieldText {
                field: Named::Field("comment"),
                text: &decoded(cell("comment")),
            }),
            currency,
            is_open: self.is_open,
            payers,
            shares,
            split: None,
        });
    }

    /// Our category for the id of a category, by the name that the file has for it.
    fn category(&mut self, id: &str) -> Option<Category> {
        if matches!(id, "" | "0" | REIMBURSEMENT) {
            return None;
        }
        let name = self.categories.get(id).copied();
        let of_name = name.and_then(|name| known(name).ok()).flatten();
        let of_name = of_name.filter(|category| *category != Category::Other);
        let of_id = CATEGORIES.iter().find(|(known, _)| *known == id).map(|(_, ours)| *ours);
        of_name.or(of_id).or_else(|| self.draft.category(name.unwrap_or(id)))
    }

    /// Payers of a bill: those of its own column, or else the one payer. No part of its identity.
    fn payers(
        &mut self,
        line: &CsvRecord<'_>,
        payer: usize,
        exact: Decimal,
        amount: Money,
    ) -> Option<Vec<PersonPart>> {
        let place = self.bills.place(line, "payers");
        let cell = self.bills.cell(line, "payers");
        if cell.trim().is_empty() {
            return Some(vec![PersonPart { person: payer, minor: amount.minor }]);
        }
        let read = serde_json::from_str::<Vec<PayerJson>>(cell);
        let read = read.map_err(|error| {
            let reason = json_error(&error.to_string());
            rule!(
                "{field} must be JSON: {reason}",
                "{field} должно быть в формате JSON: {reason}",
                [reason]
            )
        });
        let read = self.draft.keep(place, "payers", read)?;
        let mut sum = Decimal::ZERO;
        let mut parts = Vec::new();
        let mut known = HashSet::new();
        for PayerJson { name, amount: Number(part) } in read {
            let member = self.members.get(name.as_str()).copied();
            let member = member.ok_or_else(|| Unclear::Unknown.rule());
            let member = self.draft.keep(place, "payers", member)?;
            if !known.insert(member) {
                self.draft.refuse(place, "payers", Unclear::Repeated.rule());
                return None;
            }
            sum = sum.plus(part).unwrap_or(sum);
            parts.push((member, part));
        }
        if sum != exact
            || parts
                .iter()
                .any(|(_, it)| it.is_negative() != exact.is_negative() && *it != Decimal::ZERO)
        {
            let rule = rule!(
                "{field} must sum to {exact}, not to {sum}, and have its sign",
                "сумма {field} должна быть равна {exact}, а не {sum}, и с тем же знаком"
            );
            self.draft.refuse(place, "payers", rule);
            return None;
        }
        let currency = amount.currency;
        let exact: Option<Vec<Exact>> =
            parts.iter().map(|(member, part)| Exact::of(*member, *part, currency)).collect();
        let rounded =
            exact.and_then(|exact| self.withheld.round(currency, &exact, amount.minor.into()));
        let rounded = self.draft.keep(place, "payers", rounded.ok_or_else(too_large))?;
        let minor = |((person, _), minor): (&(usize, Decimal), i128)| {
            Some(PersonPart { person: *person, minor: i64::try_from(minor).ok()? })
        };
        let parts: Option<Vec<PersonPart>> = parts.iter().zip(rounded).map(minor).collect();
        parts.map(|parts| parts.into_iter().filter(|part| part.minor != 0).collect())
    }

    /// The day of a bill. The app trusts the timestamp more than the date.
    fn day(&mut self, line: &CsvRecord<'_>) -> Option<String> {
        let date = self.bills.cell(line, "date");
        let seconds = self.bills.cell(line, "timestamp");
        if seconds.is_empty() {
            return Some(date.to_owned());
        }
        let place = self.bills.place(line, "timestamp");
        // A moment before 1970 is known by its date.
        if seconds.parse().is_ok_and(|seconds: i64| seconds < 0) && date < FIRST_YEAR {
            return Some(date.to_owned());
        }
        let moment = seconds.parse().ok().and_then(|seconds: u64| seconds.checked_mul(1000));
        let moment = moment.and_then(Timestamp::from_millis).ok_or_else(|| {
            rule!(
                "{field} must be seconds since 1970",
                "{field} должно быть числом секунд с 1970 года"
            )
        });
        let day = self.draft.keep(place, "timestamp", moment)?.day().to_string();
        if day != date {
            self.draft.warn(
                place,
                message!(
                    "date is {day}, by the timestamp, not {date:.40}",
                    "значение date по timestamp — {day}, а не {date:.40}"
                ),
            );
        }
        Some(day)
    }

    /// The members who owe, with their names. Names may contain the separator.
    fn owers(&mut self, line: &'r CsvRecord<'_>) -> Option<Vec<(&'r str, usize)>> {
        let place = self.bills.place(line, "owers");
        let list = self.bills.cell(line, "owers");
        let names = if self.is_old {
            // MoneyBuster writes the same format without the blanks, and once ended lists with a
            // comma.
            let spaced = self.spaced.split(list, false);
            let known = spaced.or_else(|_| self.names.split(list, false));
            let known = known.or_else(|unclear| match list.strip_suffix(',') {
                Some(list) => self.names.split(list, false),
                None => Err(unclear),
            });
            // Members without a bill of their own are not known.
            known.or_else(|_| self.spaced.split(list, !self.has_member_bills))
        } else {
            self.names.split(list, false)
        };
        let names = names.map_err(Unclear::rule);
        let names = self.draft.keep(place, "owers", names)?;
        let unique: HashSet<&str> = names.iter().copied().collect();
        if unique.len() != names.len() {
            self.draft.refuse(place, "owers", Unclear::Repeated.rule());
            return None;
        }
        let mut owers = Vec::new();
        for name in names {
            let known = self.members.get(name).copied();
            owers.push((name, known.or_else(|| self.member(place, name))?));
        }
        Some(owers)
    }
}

/// The text of a comment, which the app encodes like a part of a URL.
fn decoded(comment: &str) -> String {
    let is_encoded = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~+%*".contains(&byte);
    if !comment.bytes().all(is_encoded) {
        return comment.to_owned();
    }
    let pair = format!("comment={comment}");
    form_urlencoded::parse(pair.as_bytes()).map(|(_, text)| text.into_owned()).collect()
}
