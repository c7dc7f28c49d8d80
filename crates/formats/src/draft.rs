//! An import while its file is read.

use std::{
    borrow::Borrow,
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
};

use fracti_core::{
    input::limits::MAX_SHARES,
    ledger::{Balances, Change, Totals},
    split::Split,
    values::{
        category::{Category, ExpenseCategory},
        currency::Currency,
        decimal::Decimal,
        id::{GroupId, UserId},
        money::Money,
        shown::{money, number},
        text::{Description, GuestName, Notes},
        time::{Day, Timestamp},
    },
};
use fracti_texts::{Message, Says, message, rule};

use crate::{
    answers::Answers,
    category::{Unknown, known},
    csv::{Csv, CsvRecord},
    import::{
        Asks, Check, FilePlace, Format, Import, Issue, MAX_CHECKS, MAX_ERRORS, MAX_QUESTIONS,
        MAX_WARNINGS, Movement, Payment, Person, PersonPart, Question, ReadAdjustment, ReadRow,
        RowPlace,
    },
    key::{Key, normal},
    number::{DecimalMark, rounded},
    quote::{quoted, unguarded},
    unknown::{KnownFields, UnknownNames},
};

/// Maximum number of rows of a file, and of the expenses and payments that they become.
pub const MAX_ROWS: usize = 10_000;

/// Maximum number of members of a file.
pub const MAX_MEMBERS: usize = 500;

/// The currency of amounts whose currency is still to be answered.
const STAND_IN: Currency = Currency::USDT;

/// Maximum number of unknown categories that are named.
const MAX_NAMED: usize = 10;

/// The first year of a date.
pub(crate) const FIRST_YEAR: &str = "1970";

/// Name of a member whose name in the file cannot be seen.
const UNSEEN: &str = "Unnamed";

/// Number of characters, less one, at the end of an id that tell people of one name apart.
const ID_END: usize = 5;

/// Name of a column header with a member's name, in messages.
pub(crate) const MEMBER: Named<'static> = Named::Words("the name of a member", "имя участника");

/// Subject of the rules of a date in a table.
pub(crate) const DATE: Named<'static> = Named::Words("the date", "значение даты");

/// Subject of the rules of an amount in a table.
pub(crate) const AMOUNT: Named<'static> = Named::Words("the amount", "значение суммы");

/// Subject of the rules of a currency in a table.
pub(crate) const CURRENCY: Named<'static> = Named::Words("the currency", "обозначение валюты");

/// Subject of the rules of a description in a table.
pub(crate) const DESCRIPTION: Named<'static> = Named::Words("the description", "описание");

/// The subject of a rule: a column or a field by its name in the file, or in words. Russian words
/// are of the neuter gender.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Named<'t> {
    /// The name in the file.
    Field(&'t str),
    /// Words in English and in Russian.
    Words(&'static str, &'static str),
}

impl<'t> From<&'t str> for Named<'t> {
    fn from(field: &'t str) -> Self {
        Self::Field(field)
    }
}

impl<'t> From<&'t String> for Named<'t> {
    fn from(field: &'t String) -> Self {
        Self::Field(field)
    }
}

impl<'t> Named<'t> {
    const fn name(self) -> &'t str {
        match self {
            Self::Field(name) | Self::Words(name, _) => name,
        }
    }
}

/// A rule or a warning about a field, which is its subject.
fn issue_of<'t>(place: FilePlace, field: impl Into<Named<'t>>, what: impl Into<Message>) -> Issue {
    let field = field.into();
    let what = what.into();
    let message = match field {
        Named::Field(field) => what.about_field(field),
        Named::Words(english, russian) => what.about(&message!("{english}", "{russian}")),
    };
    place.issue_of(field.name(), message)
}

/// The import of a file that is being read.
#[derive(Debug)]
pub(crate) struct ImportDraft<'a> {
    answers: &'a Answers,
    /// The latest date of an expense without a warning.
    latest: Day,
    import: Import,
    /// Number of rows read.
    rows: usize,
    /// Number of expenses and payments of these.
    records: usize,
    /// Number of warnings that are not listed.
    further_warnings: usize,
    /// Columns and fields that are not known.
    unknown: UnknownNames,
    /// Parts that are left out, each with its number of rows.
    left_out: BTreeMap<LeftOut, usize>,
    /// Categories that are not known, with the numbers of their rows.
    unknown_categories: BTreeMap<String, usize>,
    /// Names of members, as they are compared.
    names: HashSet<String>,
    /// Members whose weights were asked and answered.
    answered: HashSet<String>,
    /// Whether dates were found that a spreadsheet has changed.
    has_changed_dates: bool,
    /// Whether the currency was asked.
    asks_currency: bool,
    /// Lines whose payers were asked and answered.
    answered_lines: HashSet<usize>,
    /// Number of rows with the same content.
    ranks: HashMap<Key, u32>,
    /// The same, for the former identities of rows.
    former_ranks: HashMap<Key, u32>,
    /// Former identities of rows, by their present ones.
    formers: HashMap<Key, Vec<Key>>,
    /// The balances after the rows so far, as the ledger of an empty group would have them. Members
    /// have the id after their index.
    balances: HashMap<Currency, Balances>,
}

/// A row that is read, but not checked.
#[derive(Debug)]
pub(crate) struct UncheckedRow<'t> {
    pub(crate) row: RowPlace,
    pub(crate) key: Key,
    /// Whether debts are paid with it.
    pub(crate) is_payment: bool,
    pub(crate) date: Day,
    pub(crate) description: FieldText<'t>,
    pub(crate) category: Option<ExpenseCategory>,
    pub(crate) notes: Option<FieldText<'t>>,
    pub(crate) currency: Currency,
    /// Whether a question about the row is open, so that it is checked, but not added.
    pub(crate) is_open: bool,
    /// Payments of members.
    pub(crate) payers: Vec<PersonPart>,
    /// Shares of members.
    pub(crate) shares: Vec<PersonPart>,
    /// The split that the shares follow from; `None` if they are exact amounts.
    pub(crate) split: Option<Split<usize>>,
}

/// Part of a file that Fracti knows, but does not keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LeftOut {
    /// A row that was deleted in the app.
    Deleted,
    /// The rule by which a row recurs.
    Recurrence,
    /// The picture of a receipt.
    Receipt,
}

/// A row whose amount the app has converted into the currency of the group.
#[derive(Clone, Copy)]
pub(crate) struct Converted<'t> {
    pub(crate) description: &'t str,
    pub(crate) date: Day,
    /// The amount before, and the code of its currency.
    pub(crate) amount: Original<'t>,
    pub(crate) code: &'t str,
    /// The amount in the currency of the group.
    pub(crate) recorded: Decimal,
    pub(crate) currency: Currency,
}

/// The amount of a row before it was converted.
#[derive(Clone, Copy)]
pub(crate) enum Original<'t> {
    Number(Decimal),
    /// What the file has, which nothing is calculated with.
    Text(&'t str),
}

impl<'t> Original<'t> {
    /// The amount in a cell, which does not decide the decimal mark of the file.
    pub(crate) fn of(text: &'t str, mark: &DecimalMark) -> Self {
        mark.clone().number(text).map_or(Self::Text(text), Self::Number)
    }
}

impl LeftOut {
    /// The warning for this number of rows.
    fn warning(self, rows: usize) -> Message {
        match self {
            Self::Deleted => {
                let rows = Message::counted(
                    rows,
                    ["deleted row is", "deleted rows are"],
                    [
                        "удалённая строка пропущена",
                        "удалённые строки пропущены",
                        "удалённых строк пропущено",
                    ],
                );
                message!("{rows} left out", "{rows}", [rows])
            }
            Self::Recurrence => {
                let rows = rows_of(rows);
                message!(
                    "the rules of recurrence of {rows} are not imported",
                    "правила повторения {rows} не переносятся",
                    [rows]
                )
            }
            Self::Receipt => {
                let rows = rows_of(rows);
                message!(
                    "the receipts of {rows} are not imported",
                    "чеки {rows} не переносятся",
                    [rows]
                )
            }
        }
    }
}

/// A number of rows, in Russian in the genitive.
fn rows_of(rows: usize) -> Message {
    Message::counted(rows, ["row", "rows"], ["строки", "строк", "строк"])
}

/// A text, and the name of its field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldText<'t> {
    pub(crate) field: Named<'static>,
    pub(crate) text: &'t str,
}

impl<'a> ImportDraft<'a> {
    pub(crate) fn new(answers: &'a Answers, today: Day) -> Self {
        Self {
            answers,
            latest: today.next_year(),
            import: Import::default(),
            rows: 0,
            records: 0,
            further_warnings: 0,
            unknown: UnknownNames::default(),
            left_out: BTreeMap::new(),
            unknown_categories: BTreeMap::new(),
            names: HashSet::new(),
            answered: HashSet::new(),
            has_changed_dates: false,
            asks_currency: false,
            answered_lines: HashSet::new(),
            ranks: HashMap::new(),
            former_ranks: HashMap::new(),
            formers: HashMap::new(),
            balances: HashMap::new(),
        }
    }

    pub(crate) fn format(&mut self, format: Format) {
        self.import.format = Some(format);
    }

    /// Notes the group of Fracti that the file exports.
    pub(crate) fn source(&mut self, group: Option<GroupId>) {
        self.import.source = group;
    }

    /// Notes the id that the group has in the app.
    pub(crate) fn group(&mut self, app: &str, id: &str) {
        self.import.group = Some(Key::exactly(app, &["group", id]));
    }

    /// Reports an error, after which the file cannot be imported.
    pub(crate) fn error(&mut self, place: FilePlace, message: Message) {
        self.fail(place.issue(message));
    }

    /// Reports an error, after which the file cannot be imported.
    pub(crate) fn fail(&mut self, issue: Issue) {
        if self.import.errors.len() < MAX_ERRORS {
            self.import.errors.push(issue);
        }
    }

    pub(crate) fn has_errors(&self) -> bool {
        !self.import.errors.is_empty()
    }

    /// Reports an error in a field, which is the subject of the rule.
    pub(crate) fn refuse<'t>(
        &mut self,
        place: FilePlace,
        field: impl Into<Named<'t>>,
        rule: impl Into<Message>,
    ) {
        self.fail(issue_of(place, field, rule));
    }

    pub(crate) fn warn(&mut self, place: FilePlace, message: Message) {
        self.note(place.issue(message));
    }

    /// Warns of a field, which is the subject of the message.
    pub(crate) fn warn_of<'t>(
        &mut self,
        place: FilePlace,
        field: impl Into<Named<'t>>,
        what: impl Into<Message>,
    ) {
        self.note(issue_of(place, field, what));
    }

    /// Warns that amounts of a row are rounded to minor units.
    pub(crate) fn warn_of_rounding(&mut self, place: FilePlace, currency: Currency) {
        let what = message!(
            "the amounts are finer than a minor unit of {currency}; they are rounded",
            "суммы мельче наименьшей единицы {currency}; они округляются"
        );
        self.warn(place, what);
    }

    /// Sees the columns of a table. A column is known by its name, or by its index, from 0, if
    /// `is_read` has it.
    pub(crate) fn see_columns<'r, R: Borrow<CsvRecord<'r>>>(
        &mut self,
        header: &CsvRecord<'_>,
        lines: impl Iterator<Item = R>,
        known: &KnownFields,
        is_read: impl Fn(usize) -> bool,
    ) {
        self.unknown.see_columns(header, lines, known, is_read);
    }

    /// Sees the fields of a JSON file.
    pub(crate) fn see_json(&mut self, json: &str, known: &'static KnownFields) {
        self.unknown.see_json(json, known);
    }

    /// Counts a row with something that Fracti knows and leaves out.
    pub(crate) fn leave_out(&mut self, what: LeftOut) {
        let rows = self.left_out.entry(what).or_default();
        *rows = rows.saturating_add(1);
        if what == LeftOut::Deleted {
            self.import.skipped = self.import.skipped.saturating_add(1);
        }
    }

    /// Warns that nothing in the file shows where it ends.
    pub(crate) fn warn_of_end(&mut self) {
        let what = message!(
            "the file does not show whether it is complete: after the import, compare the \
             balances with those of the app it comes from",
            "по файлу не видно, весь ли он: после импорта сравните балансы с прежним приложением"
        );
        self.warn(FilePlace::FILE, what);
    }

    /// Warns of a row whose amount the app has converted into the currency of the group. It names
    /// the row, so that the one amount to check is found.
    pub(crate) fn warn_of_converted(&mut self, row: RowPlace, converted: &Converted<'_>) {
        let Converted { description, date, amount, code, recorded, currency } = *converted;
        let description = quoted(description);
        let recorded = Message::new(|language| money(language, recorded, currency));
        let original = Message::new(|language| match (code.parse::<Currency>(), amount) {
            (Ok(currency), Original::Number(amount)) => money(language, amount, currency),
            (Err(_), Original::Number(amount)) => {
                format!("{} {code:.20}", number(language, amount))
            }
            (_, Original::Text(amount)) => format!("{amount:.40} {code:.20}"),
        });
        let what = message!(
            "{description} of {date} was {original}, and is recorded as {recorded}",
            "{description}, {date}: было {original}, записывается {recorded}",
            [original, recorded]
        );
        self.warn(row.into(), what);
    }

    fn note(&mut self, warning: Issue) {
        if self.import.warnings.len() < MAX_WARNINGS {
            self.import.warnings.push(warning);
        } else {
            self.further_warnings = self.further_warnings.saturating_add(1);
        }
    }

    fn ask(&mut self, asks: Asks, message: Message) {
        if self.import.questions.len() < MAX_QUESTIONS {
            self.import.questions.push(Question { asks, message });
        }
    }

    /// The value, or `None` and an error with the name of the field.
    pub(crate) fn keep<'t, T, E: Into<Message>>(
        &mut self,
        place: FilePlace,
        field: impl Into<Named<'t>>,
        read: Result<T, E>,
    ) -> Option<T> {
        read.map_err(|rule| self.refuse(place, field, rule)).ok()
    }

    /// Whether further errors would not be reported, so that reading on is useless.
    pub(crate) fn is_full(&self) -> bool {
        self.import.errors.len() >= MAX_ERRORS
    }

    /// The next record of a CSV file that has as many cells as its header. Blank ones are passed
    /// over, and others are errors. `None` after the last one, or if there are too many errors.
    ///
    /// # Errors
    ///
    /// An [`Issue`] where the file is no CSV.
    pub(crate) fn next_of_width<'r>(
        &mut self,
        records: &mut Csv<'r>,
        header: &CsvRecord<'_>,
    ) -> Result<Option<CsvRecord<'r>>, Issue> {
        for record in records {
            let record = record?;
            let cells = record.cells.len();
            let expected = header.cells.len();
            if record.is_blank() {
                continue;
            }
            if self.is_full() {
                break;
            }
            if cells == expected {
                return Ok(Some(record));
            }
            let rule = message!(
                "the line has {cells} cells, but the header has {expected}",
                "ячеек в строке — {cells}, а в заголовке — {expected}"
            );
            self.error(FilePlace::line(record.line), rule);
        }
        Ok(None)
    }

    /// Counts a row. `false` if it must not be read, because there are too many rows or errors.
    pub(crate) fn admits_row(&mut self, place: FilePlace) -> bool {
        self.rows = self.rows.saturating_add(1);
        if self.rows > MAX_ROWS {
            self.error(
                place,
                message!(
                    "the file must have at most {MAX_ROWS} rows",
                    "строк в файле должно быть не больше {MAX_ROWS}"
                ),
            );
        }
        self.rows <= MAX_ROWS && self.records <= MAX_ROWS && !self.is_full()
    }

    /// Adds a member, whose name is in `field`, and returns the index.
    pub(crate) fn add_member<'t>(
        &mut self,
        place: FilePlace,
        field: impl Into<Named<'t>>,
        name: &str,
    ) -> Option<usize> {
        let field = field.into();
        self.unknown.note_member(name);
        let line = one_line(name);
        let plain = match shortened(&line).parse() {
            Err(_) if !line.is_empty() => {
                let what = rule!(
                    "{field} cannot be seen; {UNSEEN} is read instead",
                    "{field} не видно; вместо него читается {UNSEEN}"
                );
                self.warn_of(place, field, what);
                UNSEEN.parse()
            }
            plain => plain,
        };
        let plain = self.keep(place, field, plain)?;
        self.add(place, field, &plain, &line)
    }

    /// Adds the member whose column has the index `index`, from 0, and returns the index of the
    /// member.
    pub(crate) fn add_column(&mut self, header: &CsvRecord<'_>, index: usize) -> Option<usize> {
        self.add_member(header.place(index), MEMBER, unguarded(header.cell(index)))
    }

    /// The numbers of members with their names, in an order that does not depend on that of the
    /// file, for the identity of a row.
    pub(crate) fn identified(&self, parts: &[(usize, Decimal)]) -> Vec<String> {
        let part = |(member, number): &(usize, Decimal)| format!("{number} {}", self.name(*member));
        let mut parts: Vec<String> = parts.iter().map(part).collect();
        parts.sort_unstable();
        parts
    }

    /// Notes an id that a member has in the app.
    pub(crate) fn note_id(&mut self, member: usize, app: &str, id: &str) {
        if let Some(member) = self.import.people.get_mut(member) {
            member.ids.push(Key::exactly(app, &["member", id]));
        }
    }

    /// Adds people, with their names and ids, and returns their indexes by the ids. The id is read
    /// instead of a name that cannot be seen. Those of one name are told apart by their ids,
    /// because their order may be another one in the next file.
    pub(crate) fn add_people(
        &mut self,
        people: &[(FilePlace, &str, &str)],
        app: &str,
        kind: &str,
    ) -> HashMap<String, usize> {
        let shown = |name: &str| shortened(&one_line(name)).to_lowercase();
        let mut seen = HashSet::new();
        let names = people.iter().map(|(_, name, _)| shown(name));
        let namesakes: HashSet<String> = names.filter(|name| !seen.insert(name.clone())).collect();
        let mut indexes = HashMap::new();
        for (place, name, id) in people {
            self.unknown.note_member(name);
            self.unknown.note_member(id);
            let added = match shortened(&one_line(name)).parse::<GuestName>() {
                Ok(plain) if namesakes.contains(&shown(name)) => {
                    let start = id.char_indices().nth_back(ID_END).map_or(0, |(start, _)| start);
                    let end = id.get(start..).unwrap_or(id);
                    let own = ended(plain.as_str(), &format!(" ({end})"));
                    self.keep(*place, "id", own.parse()).and_then(|own| {
                        let what = message!(
                            "several members are called {plain}; this one is read as {own}",
                            "участников с именем {plain} несколько; этот читается как {own}"
                        );
                        self.note(place.issue_of("name", what));
                        self.add(*place, "name", &own, own.as_str())
                    })
                }
                Ok(plain) => self.add(*place, "name", &plain, &one_line(name)),
                Err(_) => {
                    let what = rule!(
                        "{field} of the {kind} {id:.100} is blank; the id is read instead",
                        "поле {field} у {kind} {id:.100} пустое; вместо него читается id"
                    );
                    self.warn_of(*place, "name", what);
                    self.add_member(*place, "id", id)
                }
            };
            let Some(index) = added else { continue };
            self.note_id(index, app, id);
            if indexes.insert((*id).to_owned(), index).is_some() {
                let rule = rule!(
                    "{field} must be of one {kind} only",
                    "{field} должно принадлежать только одному участнику"
                );
                self.refuse(*place, "id", rule);
            }
        }
        indexes
    }

    /// Adds a member whose name was `line` before it was shortened.
    fn add<'t>(
        &mut self,
        place: FilePlace,
        field: impl Into<Named<'t>>,
        plain: &GuestName,
        line: &str,
    ) -> Option<usize> {
        let field = field.into();
        let index = self.import.people.len();
        if index == MAX_MEMBERS {
            self.error(
                place,
                message!(
                    "the file must have at most {MAX_MEMBERS} members",
                    "участников в файле должно быть не больше {MAX_MEMBERS}"
                ),
            );
            return None;
        }
        let max = GuestName::MAX_LENGTH;
        if line.chars().count() > max {
            self.warn_of(
                place,
                field,
                rule!(
                    "{field} {plain} is shortened to {max} characters",
                    "{field} {plain} сокращается до {max} символов"
                ),
            );
        }
        let mut unique = plain.to_string();
        let mut number = 1_u32;
        while !self.names.insert(unique.to_lowercase()) {
            number = number.saturating_add(1);
            unique = ended(plain.as_str(), &format!(" ({number})"));
        }
        let name: GuestName = self.keep(place, field, unique.parse())?;
        if number > 1 {
            let what = message!(
                "several members are called {plain}; this one is read as {name}",
                "участников с именем {plain} несколько; этот читается как {name}"
            );
            self.note(place.issue_of(field.name(), what));
        }
        self.import.people.push(Person { name, rows: 0, ids: Vec::new() });
        Some(index)
    }

    /// Our category for a name in the file. One that is not known is `other`, and reported.
    pub(crate) fn category(&mut self, name: &str) -> Option<Category> {
        known(name).unwrap_or_else(|Unknown| {
            let rows = self.unknown_categories.entry(name.trim().to_owned()).or_default();
            *rows = rows.saturating_add(1);
            Some(Category::Other)
        })
    }

    /// The name of a member.
    pub(crate) fn name(&self, member: usize) -> &str {
        self.import.people.get(member).map_or("", |member| member.name.as_str())
    }

    /// Reads a date. One before 1970, as a mistyped year is, becomes the first day of 1970.
    pub(crate) fn date<'t>(
        &mut self,
        place: FilePlace,
        field: impl Into<Named<'t>>,
        text: &str,
    ) -> Option<Day> {
        let field = field.into();
        if let Some((year, day)) = text.split_at_checked(4)
            && year < FIRST_YEAR
            && year.bytes().all(|digit| digit.is_ascii_digit())
            && format!("2000{day}").parse::<Day>().is_ok()
        {
            let first = Timestamp::default().day();
            self.warn_of(
                place,
                field,
                rule!(
                    "{field} {text} is before 1970 and is imported as {first}",
                    "{field} {text} раньше 1970 года и записывается как {first}"
                ),
            );
            return Some(first);
        }
        let read = text.parse::<Day>();
        if read.is_err() && place.is_line() && is_of_spreadsheet(text) {
            if !std::mem::replace(&mut self.has_changed_dates, true) {
                let app = self.import.format.map_or("", |format| format.app().name());
                let found = quoted(text);
                let rule = message!(
                    "{found}: a spreadsheet has changed the dates; take the file as {app} wrote it",
                    "{found}: таблица изменила даты; возьмите файл таким, каким его записал {app}"
                );
                self.error(place, rule);
            }
            return None;
        }
        let date = self.keep(place, field, read)?;
        if date > self.latest {
            self.warn_of(
                place,
                field,
                rule!(
                    "{field} {date} is more than one year ahead",
                    "{field} {date} больше чем на год впереди"
                ),
            );
        }
        Some(date)
    }

    /// The currency that a file names by its code, by a sign or not at all, and whether it is still
    /// to be answered. Until then amounts are checked as those of another currency.
    pub(crate) fn currency(&mut self, text: &str) -> (Currency, bool) {
        let text = text.trim();
        let of_sign = || if text == "€" { "EUR".parse().ok() } else { None };
        let known = text.parse().ok().or(self.answers.currency).or_else(of_sign);
        if let Some(currency) = known {
            return (currency, false);
        }
        if !std::mem::replace(&mut self.asks_currency, true) {
            let message = if text.is_empty() {
                message!("which currency do the amounts have?", "в какой валюте эти суммы?")
            } else {
                message!(
                    "which currency {text:.40} do the amounts have?",
                    "в какой валюте эти суммы (знак {text:.40})?"
                )
            };
            self.ask(Asks::Currency, message);
        }
        (STAND_IN, true)
    }

    /// Whether amounts in the currency are those of one that is still to be answered, so that
    /// errors about it would be about another currency.
    pub(crate) fn is_asked(&self, currency: Currency) -> bool {
        self.asks_currency && currency == STAND_IN
    }

    /// The currency with a code that a row has.
    pub(crate) fn code<'t>(
        &mut self,
        place: FilePlace,
        field: impl Into<Named<'t>>,
        text: &str,
    ) -> Option<Currency> {
        let read = text.parse::<Currency>();
        let read = read.map_err(|rule| rule.says().quoting(&quoted(text)));
        self.keep(place, field, read)
    }

    /// The payer of a row that does not name one. `None` until the question is answered.
    pub(crate) fn payer(&mut self, line: usize, question: Message) -> Option<usize> {
        let Some(answer) = self.answers.payers.get(&line) else {
            self.ask(Asks::Payer { line }, question);
            return None;
        };
        self.answered_lines.insert(line);
        let payer = self.import.people.iter().position(|it| it.name.as_str() == answer);
        let rule = message!(
            "payers must have the name of a member of the file",
            "в payers нужно имя участника из файла"
        );
        self.keep(FilePlace::line(line), "payers", payer.ok_or(rule))
    }

    /// Names of members whose weights are in the answers.
    pub(crate) fn answered_names(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.answers.weights.keys().map(|name| &**name)
    }

    /// The weight of a member that the file does not say. Until it is answered, it is 1.
    pub(crate) fn weight(&mut self, member: usize) -> Decimal {
        let name = self.name(member).to_owned();
        if let Some(weight) = self.answers.weights.get(&name) {
            self.answered.insert(name);
            return *weight;
        }
        if let Some(Person { name, .. }) = self.import.people.get(member) {
            let message = message!(
                "which weight does {name} have in the other app?",
                "какой вес у {name} в другом приложении?"
            );
            let asks = Asks::Weight { name: name.clone() };
            self.ask(asks, message);
        }
        Decimal::new(1, 0)
    }

    /// Converts a number of major units, which must not be finer than the minor unit.
    pub(crate) fn minor<'t>(
        &mut self,
        place: FilePlace,
        field: impl Into<Named<'t>>,
        number: Decimal,
        currency: Currency,
    ) -> Option<i64> {
        let money = Money::from_major(number, currency);
        let money =
            if self.is_asked(currency) { money.ok() } else { self.keep(place, field, money) };
        money.map(|money| money.minor)
    }

    /// Rounds a number of major units to minor ones, with a warning if it is finer.
    pub(crate) fn rounded<'t>(
        &mut self,
        place: FilePlace,
        field: impl Into<Named<'t>>,
        number: Decimal,
        currency: Currency,
    ) -> Option<Money> {
        let field = field.into();
        let read = rounded(number, currency);
        if self.is_asked(currency) {
            return read.ok().map(|(minor, _)| Money { currency, minor });
        }
        let (minor, is_rounded) = self.keep(place, field, read)?;
        let money = Money { currency, minor };
        if is_rounded {
            let to = money.to_major();
            self.warn_of(
                place,
                field,
                rule!(
                    "{field} {number} is rounded to {to} {currency}",
                    "{field} {number} округляется до {to} {currency}"
                ),
            );
        }
        Some(money)
    }

    /// The identity of a row with this content, which other rows may have, too.
    pub(crate) fn key(&mut self, app: &str, content: &[&str]) -> Key {
        let key = Key::of(app, content);
        let rank = self.ranks.entry(key).or_default();
        *rank = rank.saturating_add(1);
        let key = key.ranked(*rank);
        // Earlier releases of Fracti had the texts as they are.
        self.note_former(key, app, content);
        key
    }

    /// Notes that the row with the identity `key` may be recorded as one with exactly this content.
    pub(crate) fn note_former(&mut self, key: Key, app: &str, content: &[&str]) {
        let former = Key::exactly(app, content);
        let rank = self.former_ranks.entry(former).or_default();
        *rank = rank.saturating_add(1);
        let former = former.ranked(*rank);
        if former != key {
            self.formers.entry(key).or_default().push(former);
        }
    }

    /// Leaves a row out, because it changes no balance.
    pub(crate) fn skip(&mut self, row: RowPlace, reason: &Message) {
        self.import.skipped = self.import.skipped.saturating_add(1);
        let message =
            message!("the row is left out: {reason}", "строка пропущена: {reason}", [reason]);
        self.warn(row.into(), message);
    }

    /// Compares a sum that the file states with the sum of its rows.
    pub(crate) fn check(
        &mut self,
        place: FilePlace,
        what: Message,
        file: Decimal,
        computed: Decimal,
    ) {
        let agrees = file == computed;
        // After other errors, the sum is that of some of the rows only.
        if !agrees && !self.has_errors() {
            let rule = message!(
                "the {what} is {file}, but its rows sum to {computed}",
                "{what} — {file}, а сумма строк — {computed}",
                [what]
            );
            self.error(place, rule);
        }
        if self.import.checks.len() < MAX_CHECKS {
            self.import.checks.push(Check { what, file, computed, agrees });
        }
    }

    /// Adds a row, whose members' parts must have the same sum as the payers'.
    pub(crate) fn push(&mut self, entry: &UncheckedRow<'_>) {
        let place = FilePlace::from(entry.row);
        let sum =
            |parts: &[PersonPart]| parts.iter().map(|part| i128::from(part.minor)).sum::<i128>();
        let paid = sum(&entry.payers);
        let owed = sum(&entry.shares);
        let major = |minor: i128| entry.currency.to_major(minor);
        if paid != owed {
            let paid = major(paid);
            let owed = major(owed);
            self.error(
                place,
                message!(
                    "the shares sum to {owed}, but {paid} was paid",
                    "сумма долей — {owed}, а заплачено {paid}"
                ),
            );
            return;
        }
        if i64::try_from(paid.unsigned_abs()).is_err() {
            self.error(place, message!("the amount is too large", "сумма слишком велика"));
            return;
        }
        let Some(movement) = self.movement(entry) else { return };
        let (parts, records) = match &movement {
            Movement::Expense { payers, shares, split: _ } => {
                (payers.len().saturating_add(shares.len()).saturating_sub(1), 1)
            }
            Movement::Payment(payments) => (payments.len(), payments.len()),
            Movement::Pending(_) => (1, 1),
        };
        if parts > MAX_SHARES {
            let rule = message!(
                "a row must have at most {MAX_SHARES} members, not {parts}",
                "участников в строке должно быть не больше {MAX_SHARES}, а не {parts}"
            );
            self.error(place, rule);
            return;
        }
        if !self.admits_records(place, records) {
            return;
        }
        if !self.has_room(place, entry.currency, movement.totals()) {
            return;
        }
        self.take_part(movement.changes().map(|(member, _)| member));
        let Some(description) = self.description(entry) else { return };
        let notes = entry.notes.and_then(|notes| self.notes(place, notes));
        let UncheckedRow { row, key, date, category, currency, is_open, .. } = *entry;
        if is_open {
            return;
        }
        self.import.rows.push(ReadRow {
            place: row,
            key,
            former: self.formers.remove(&key).unwrap_or_default(),
            date,
            description,
            category,
            notes,
            currency,
            movement,
        });
    }

    /// Adds an adjustment, whose changes must sum to zero in each currency.
    pub(crate) fn adjust(&mut self, adjustment: ReadAdjustment) {
        let place = FilePlace::from(adjustment.place);
        if !self.admits_records(place, 1) {
            return;
        }
        let currencies: BTreeSet<_> = adjustment.changes.iter().map(|it| it.currency).collect();
        for currency in currencies {
            let changes = adjustment.changes.iter().filter(|it| it.currency == currency);
            if !self.has_room(place, currency, changes.map(|it| (it.person, it.totals))) {
                return;
            }
        }
        self.take_part(adjustment.changes.iter().map(|change| change.person));
        self.import.adjustments.push(adjustment);
    }

    /// Adds a pending settlement, recorded on this day.
    pub(crate) fn pay_later(
        &mut self,
        row: RowPlace,
        key: Key,
        date: Day,
        currency: Currency,
        payment: Payment,
        note: Option<FieldText<'_>>,
    ) {
        let place = FilePlace::from(row);
        let notes = note.and_then(|note| self.notes(place, note));
        let description = self.keep(place, DESCRIPTION, "Payment".parse());
        let Some(description) = description.filter(|_| self.admits_records(place, 1)) else {
            return;
        };
        self.take_part([payment.from, payment.to].into_iter());
        self.import.rows.push(ReadRow {
            place: row,
            key,
            former: Vec::new(),
            date,
            description,
            category: None,
            notes,
            currency,
            movement: Movement::Pending(payment),
        });
    }

    /// Counts a row for each of these members once, even if it names a member several times.
    fn take_part(&mut self, members: impl Iterator<Item = usize>) {
        for member in members.collect::<HashSet<_>>() {
            if let Some(member) = self.import.people.get_mut(member) {
                member.rows = member.rows.saturating_add(1);
            }
        }
    }

    /// Counts what a row is recorded as. `false` if there are too many; the error names the first
    /// row that is one too many.
    fn admits_records(&mut self, place: FilePlace, count: usize) -> bool {
        let before = self.records;
        self.records = before.saturating_add(count);
        if self.records > MAX_ROWS && before <= MAX_ROWS {
            let rule = message!(
                "the file must have at most {MAX_ROWS} rows, of which a payment of several people \
                 counts as several",
                "строк в файле должно быть не больше {MAX_ROWS}, при этом платёж нескольких людей \
                 считается за несколько"
            );
            self.error(place, rule);
        }
        self.records <= MAX_ROWS
    }

    /// Movement of a row. A row that moves nothing is left out.
    fn movement(&mut self, entry: &UncheckedRow<'_>) -> Option<Movement> {
        let nonzero = |parts: &[PersonPart]| -> Vec<PersonPart> {
            parts.iter().copied().filter(|part| part.minor != 0).collect()
        };
        let payers = nonzero(&entry.payers);
        let shares = nonzero(&entry.shares);
        if payers.is_empty() && shares.is_empty() {
            self.skip(entry.row, &message!("its amount is zero", "её сумма равна нулю"));
            return None;
        }
        let mut signs = payers.iter().chain(&shares).map(|part| part.minor.signum());
        let sign = signs.next();
        let has_one_sign = signs.all(|it| Some(it) == sign) && !payers.is_empty();
        if has_one_sign && !entry.is_payment {
            let shares = entry.shares.clone();
            let split = entry.split.clone();
            return Some(Movement::Expense { payers, shares, split });
        }
        let (givers, takers) = self.nets(entry)?;
        if givers.is_empty() {
            self.skip(
                entry.row,
                &message!("its members pay themselves", "её участники платят сами себе"),
            );
            return None;
        }
        if entry.is_payment {
            return Some(Movement::Payment(payments(givers, takers)));
        }
        let place = FilePlace::from(entry.row);
        self.warn(
            place,
            message!(
                "parts of the row have different signs; their differences are imported",
                "у частей строки разные знаки; записываются их разности"
            ),
        );
        Some(Movement::Expense { payers: givers, shares: takers, split: None })
    }

    /// Amounts that members gave and took in a row, apart from what they gave themselves. All are
    /// above zero.
    fn nets(&mut self, entry: &UncheckedRow<'_>) -> Option<(Vec<PersonPart>, Vec<PersonPart>)> {
        let mut nets: BTreeMap<usize, i128> = BTreeMap::new();
        let paid = entry.payers.iter().map(|part| (part.person, i128::from(part.minor)));
        let owed = entry.shares.iter().map(|it| (it.person, i128::from(it.minor).saturating_neg()));
        for (member, minor) in paid.chain(owed) {
            let net = nets.entry(member).or_default();
            *net = net.saturating_add(minor);
        }
        let mut givers = Vec::new();
        let mut takers = Vec::new();
        for (member, net) in nets {
            let Ok(minor) = i64::try_from(net.unsigned_abs()) else {
                self.error(
                    entry.row.into(),
                    message!("the amount is too large", "сумма слишком велика"),
                );
                return None;
            };
            match net.signum() {
                1 => givers.push(PersonPart { person: member, minor }),
                -1 => takers.push(PersonPart { person: member, minor }),
                _ => {}
            }
        }
        Some((givers, takers))
    }

    /// Whether the ledger of an empty group can take these changes after those of the rows before.
    /// If not, it reports an error.
    fn has_room(
        &mut self,
        place: FilePlace,
        currency: Currency,
        changes: impl Iterator<Item = (usize, Totals)>,
    ) -> bool {
        let change = |(member, totals): (usize, Totals)| {
            let number = u64::try_from(member).ok()?.checked_add(1)?;
            let user = UserId::new(number).ok()?.into();
            Some(Change { user, currency, totals })
        };
        let changes: Vec<Change> = changes.filter_map(change).collect();
        let balances = self.balances.entry(currency).or_default();
        if let Ok(next) = balances.after(&changes) {
            *balances = next;
            return true;
        }
        if !self.is_asked(currency) {
            self.error(
                place,
                message!(
                    "the amounts in {currency} are too large to be summed",
                    "суммы в {currency} слишком велики, чтобы их сложить"
                ),
            );
        }
        false
    }

    /// The description of a row, on one line, shortened if necessary.
    fn description(&mut self, entry: &UncheckedRow<'_>) -> Option<Description> {
        let FieldText { field, text } = entry.description;
        let place = FilePlace::from(entry.row);
        let max = Description::MAX_LENGTH;
        let text = one_line(text);
        if text.chars().count() > max {
            self.warn_of(
                place,
                field,
                rule!(
                    "{field} is shortened to {max} characters",
                    "{field} сокращается до {max} символов"
                ),
            );
        }
        let text = text.chars().take(max).collect::<String>();
        let instead = if entry.is_payment { "Payment" } else { "Expense" };
        let read = text.trim_end().parse().or_else(|_| instead.parse());
        self.keep(place, field, read)
    }

    /// The notes of a row, shortened if necessary; `None` if they are blank.
    fn notes(
        &mut self,
        place: FilePlace,
        FieldText { field, text }: FieldText<'_>,
    ) -> Option<Notes> {
        let max = Notes::MAX_LENGTH;
        let letter = |letter| if is_break(letter) { letter } else { visible(letter) };
        let text = text.trim();
        if text.chars().count() > max {
            self.warn_of(
                place,
                field,
                rule!(
                    "{field} is shortened to {max} characters",
                    "{field} сокращается до {max} символов"
                ),
            );
        }
        text.chars().take(max).map(letter).collect::<String>().parse().ok()
    }

    /// The import, now that the whole file is read, with rows and issues in the order of the file;
    /// issues of the whole file are first.
    pub(crate) fn finish(mut self) -> Import {
        if self.rows == 0 && !self.has_errors() {
            self.error(FilePlace::FILE, message!("the file has no rows", "в файле нет строк"));
        }
        let idle = self.report_unknown();
        if !self.has_errors() {
            self.refuse_idle_answers(&idle);
        }
        self.warn_of_what_is_left_out();
        self.warn_of_categories();
        if self.further_warnings > 0 {
            let what = message!(
                "{count} further warnings are not listed",
                "ещё предупреждений: {count}",
                count = self.further_warnings
            );
            self.import.warnings.push(FilePlace::FILE.issue(what));
        }
        self.import.rows.sort_by_key(|row| row.place);
        self.import.errors.sort_by_key(|issue| issue.row);
        self.import.warnings.sort_by_key(|issue| issue.row);
        self.import
    }

    /// Reports the columns and fields that are not known, and returns the names to be ignored that
    /// are none of these. What they carry may be missing in rows, so their errors are kept even if
    /// there are too many others.
    fn report_unknown(&mut self) -> BTreeSet<String> {
        let (mut errors, warnings, idle) = self.unknown.issues(&self.answers.ignore);
        errors.append(&mut self.import.errors);
        errors.truncate(MAX_ERRORS);
        self.import.errors = errors;
        for warning in warnings {
            self.note(warning);
        }
        idle
    }

    fn warn_of_what_is_left_out(&mut self) {
        let receipts = self.unknown.receipts();
        if receipts > 0 {
            self.left_out.insert(LeftOut::Receipt, receipts);
        }
        for (what, rows) in std::mem::take(&mut self.left_out) {
            self.warn(FilePlace::FILE, what.warning(rows));
        }
    }

    /// Names the categories that are not known, the most frequent ones first.
    fn warn_of_categories(&mut self) {
        if self.unknown_categories.is_empty() {
            return;
        }
        let mut names: Vec<(&String, &usize)> = self.unknown_categories.iter().collect();
        names.sort_by_key(|(_, rows)| Reverse(**rows));
        let rows = names.iter().map(|(_, rows)| **rows).sum();
        let rows = Message::counted(
            rows,
            ["row has a category", "rows have categories"],
            [
                "строка с категорией, которой Fracti не знает, прочитана",
                "строки с категориями, которых Fracti не знает, прочитаны",
                "строк с категориями, которых Fracti не знает, прочитано",
            ],
        );
        let named = names.iter().take(MAX_NAMED);
        let named: Vec<_> = named.map(|(name, rows)| format!("{name:.40} ({rows})")).collect();
        let named = named.join(", ");
        let message = message!(
            "{rows} that Fracti does not know, read as other: {named}",
            "{rows} как «другое»: {named}",
            [rows]
        );
        self.warn(FilePlace::FILE, message);
    }

    /// Reports answers to questions that the file does not raise: they belong to another file.
    fn refuse_idle_answers(&mut self, ignored: &BTreeSet<String>) {
        for name in ignored {
            let rule = message!(
                "ignore must not have {name}: the file raises no error about it",
                "уберите из ignore {name}: в файле нет такой ошибки"
            );
            self.error(FilePlace::FILE, rule);
        }
        for line in self.answers.payers.keys() {
            if !self.answered_lines.contains(line) {
                let rule = message!(
                    "payers must not have line {line}, which asks for no payer",
                    "уберите из payers строку {line}: о её плательщике не спрашивали"
                );
                self.error(FilePlace::FILE, rule);
            }
        }
        for name in self.answers.weights.keys() {
            if !self.answered.contains(name) {
                let rule = message!(
                    "weights must not have {name}: the file asks for no such weight",
                    "уберите из weights {name}: об этом весе не спрашивали"
                );
                self.error(FilePlace::FILE, rule);
            }
        }
    }
}

/// Transfers by which givers pay takers, of the same sum.
fn payments(givers: Vec<PersonPart>, takers: Vec<PersonPart>) -> Vec<Payment> {
    let mut payments = Vec::new();
    let mut givers = givers.into_iter();
    let mut takers = takers.into_iter();
    let mut giver = givers.next();
    let mut taker = takers.next();
    while let (Some(from), Some(to)) = (&mut giver, &mut taker) {
        let minor = from.minor.min(to.minor);
        payments.push(Payment { from: from.person, to: to.person, minor });
        from.minor = from.minor.saturating_sub(minor);
        to.minor = to.minor.saturating_sub(minor);
        if from.minor == 0 {
            giver = givers.next();
        }
        if to.minor == 0 {
            taker = takers.next();
        }
    }
    payments
}

/// A name of one line, shortened to that of a guest.
fn shortened(line: &str) -> &str {
    let end = line.char_indices().nth(GuestName::MAX_LENGTH).map_or(line.len(), |(end, _)| end);
    line.get(..end).unwrap_or(line).trim_end()
}

/// A name with this end, and shortened before it if necessary.
fn ended(name: &str, end: &str) -> String {
    let room = GuestName::MAX_LENGTH.saturating_sub(end.chars().count());
    name.chars().take(room).collect::<String>() + end
}

/// Whether a date looks as spreadsheets show it, like 25/12/2023, or count its days.
fn is_of_spreadsheet(date: &str) -> bool {
    let is_ours = matches!(date.as_bytes(), [_, _, _, _, b'-', _, _, b'-', _, _]);
    let is_of_date = |byte: u8| byte.is_ascii_digit() || b"/.-".contains(&byte);
    date.len() > 4 && date.len() <= 10 && date.bytes().all(is_of_date) && !is_ours
}

/// The text on one line, without blanks around it.
fn one_line(text: &str) -> String {
    let line = normal(text).chars().map(visible).collect::<String>();
    line.trim().to_owned()
}

fn is_break(letter: char) -> bool {
    matches!(letter, '\n' | '\r')
}

/// A blank instead of a control character or a line break.
fn visible(letter: char) -> char {
    let is_control = letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}');
    if is_control { ' ' } else { letter }
}
