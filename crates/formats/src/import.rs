//! Contents of a file, in the same form for all formats.

use std::{collections::BTreeMap, fmt};

use crate::key::Key;
pub use fracti_core::records::import::{Format, RowPlace};
use fracti_core::{
    group::Group,
    ledger::Totals,
    split::Split,
    values::{
        category::ExpenseCategory,
        currency::Currency,
        decimal::Decimal,
        entry_id::EntryName,
        id::GroupId,
        text::{Description, GuestName, Note, Notes},
        time::Day,
    },
};
use fracti_texts::{Message, Says, message};

/// The contents of a file. They may be recorded only if there are neither errors nor questions.
#[derive(Debug, Default)]
pub struct Import {
    /// Format, if it is known.
    pub format: Option<Format>,
    /// Group of Fracti that the file exports.
    pub source: Option<GroupId>,
    /// Hash of the id that the group has in the app, if the file has one.
    pub group: Option<Key>,
    /// The people, in the order of the file.
    pub people: Vec<Person>,
    /// The expenses and payments, in the order of the file.
    pub rows: Vec<ReadRow>,
    /// The adjustments, in the order of the file.
    pub adjustments: Vec<ReadAdjustment>,
    /// Number of rows that change no balance, and are left out.
    pub skipped: usize,
    /// Sums that the file states, compared with its rows. At most [`MAX_CHECKS`] are listed, but
    /// all are compared.
    pub checks: Vec<Check>,
    /// Parts that are imported differently from the file, or not at all. At most [`MAX_WARNINGS`]
    /// are listed, with the number of further ones.
    pub warnings: Vec<Issue>,
    /// Reasons why the file cannot be imported, at most [`MAX_ERRORS`].
    pub errors: Vec<Issue>,
    /// Facts that the file does not say. At most [`MAX_QUESTIONS`] are listed; further ones follow
    /// when these are answered.
    pub questions: Vec<Question>,
}

/// Maximum number of errors that are reported.
pub const MAX_ERRORS: usize = 100;

/// Maximum number of warnings that are listed.
pub const MAX_WARNINGS: usize = 1_000;

/// Maximum number of questions that are asked at once.
pub const MAX_QUESTIONS: usize = 1_000;

/// Maximum number of checks that are listed.
pub const MAX_CHECKS: usize = 1_000;

/// Maximum number of characters of a message.
const MAX_MESSAGE: usize = 300;

/// A person in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// Name, by which answers refer to the person. No other person has it, compared without case:
    /// the second of two Bobs is `Bob (2)`. If the file has ids, each Bob has the end of his.
    pub name: GuestName,
    /// Number of rows in which the person takes part.
    pub rows: usize,
    /// Hashes of the ids that the person has in the app, if the file has ids. The first is their
    /// own, the others are those of guests who are the person.
    pub ids: Vec<Key>,
}

/// A row of the file: an expense or a payment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadRow {
    /// Place in the file.
    pub place: RowPlace,
    /// Identity of the row, the same in a later export of the same group.
    pub key: Key,
    /// Identities that the row has in other forms of the file, or in earlier releases of Fracti.
    pub former: Vec<Key>,
    /// Day on which it happened.
    pub date: Day,
    /// Purpose.
    pub description: Description,
    /// Category, if the row has one.
    pub category: Option<ExpenseCategory>,
    /// Notes, if there are any.
    pub notes: Option<Notes>,
    /// Currency of the amounts.
    pub currency: Currency,
    /// Who paid and who owes.
    pub movement: Movement,
}

/// Movement of money in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Movement {
    /// People paid for people.
    Expense {
        /// Amount that each payer paid. All have the same sign: negative if they received money.
        payers: Vec<PersonPart>,
        /// Amount that each person owes, with the sign of the payers' parts and the same sum.
        shares: Vec<PersonPart>,
        /// The split that the shares follow from, among people by their indexes in
        /// [`people`](field@Import::people). `None` if the shares are exact amounts.
        split: Option<Split<usize>>,
    },
    /// People paid debts to people.
    Payment(Vec<Payment>),
    /// A payment that the recipient has not confirmed. It changes no balances yet.
    Pending(Payment),
}

/// An adjustment of balances, which only Fracti's own files have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadAdjustment {
    /// Place in the file.
    pub place: RowPlace,
    /// Identity, the same in a later export of the same group.
    pub key: Key,
    /// Name of its entry in the ledger of the file.
    pub name: EntryName,
    /// Purpose, if it has one.
    pub note: Option<Note>,
    /// Changes of totals. In each currency, as much is sent as is received.
    pub changes: Vec<AdjustmentChange>,
}

/// Amounts that an adjustment adds to the totals of a person in one currency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdjustmentChange {
    /// Index in [`people`](field@Import::people).
    pub person: usize,
    /// The currency.
    pub currency: Currency,
    /// The amounts sent and received, in minor units.
    pub totals: Totals,
}

/// Amount that one person paid or owes in an expense.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PersonPart {
    /// Index in [`people`](field@Import::people).
    pub person: usize,
    /// Number of minor units.
    pub minor: i64,
}

/// A payment from one person to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Payment {
    /// Index of the payer in [`people`](field@Import::people).
    pub from: usize,
    /// Index of the recipient.
    pub to: usize,
    /// Number of minor units, above zero.
    pub minor: i64,
}

impl Movement {
    /// Amounts that the movement adds to the balances of people, in minor units. Their sum is zero.
    /// A person may appear several times.
    pub fn changes(&self) -> impl Iterator<Item = (usize, i128)> {
        self.totals().map(|(person, totals)| (person, totals.net()))
    }

    /// Amounts that the movement adds to the totals of people, as [`Movement::changes`].
    pub(crate) fn totals(&self) -> impl Iterator<Item = (usize, Totals)> {
        let (payers, shares, payments) = match self {
            Self::Expense { payers, shares, split: _ } => (&payers[..], &shares[..], &[][..]),
            Self::Payment(payments) => (&[][..], &[][..], &payments[..]),
            Self::Pending(_) => (&[][..], &[][..], &[][..]),
        };
        let none = Totals::default();
        let paid = payers.iter().map(move |it| (it.person, Totals { paid: it.minor, ..none }));
        let owed = shares.iter().map(move |it| (it.person, Totals { owed: it.minor, ..none }));
        let sent = payments.iter().map(move |it| (it.from, Totals { sent: it.minor, ..none }));
        let received =
            payments.iter().map(move |it| (it.to, Totals { received: it.minor, ..none }));
        paid.chain(owed).chain(sent).chain(received)
    }
}

/// A sum that the file states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Name of the sum.
    pub what: Message,
    /// The sum in the file.
    pub file: Decimal,
    /// The sum of its rows.
    pub computed: Decimal,
    /// Whether both are equal.
    pub agrees: bool,
}

/// An error or a warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// Row that it concerns; `None` if it concerns the whole file.
    pub row: Option<RowPlace>,
    /// Number of the cell in the line of a CSV file, from 1.
    pub column: Option<usize>,
    /// Path of the field in the row of a JSON file.
    pub field: Option<String>,
    /// Name that may be among [those to ignore](crate::Answers::ignore), after which it is a
    /// warning.
    pub ignore: Option<String>,
    /// The rule that is broken, or what is done differently.
    pub message: Message,
}

/// The message, with the place in the file.
impl Says for Issue {
    fn says(&self) -> Message {
        let Self { message, .. } = self;
        match (self.line(), self.column, self.path()) {
            (_, _, Some(path)) => {
                message!("{path}: {message}", "в {path}: {message}", [message])
            }
            (Some(line), Some(column), _) => {
                message!(
                    "line {line}, column {column}: {message}",
                    "строка {line}, столбец {column}: {message}",
                    [message]
                )
            }
            (Some(line), None, _) => {
                message!("line {line}: {message}", "строка {line}: {message}", [message])
            }
            (None, ..) => message.clone(),
        }
    }
}

impl fmt::Display for Issue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.says().fmt(f)
    }
}

impl Issue {
    /// An issue about a row.
    #[must_use]
    pub fn of_row(row: RowPlace, message: Message) -> Self {
        FilePlace::from(row).issue(message)
    }

    /// Physical line of a CSV file, from 1.
    #[must_use]
    pub const fn line(&self) -> Option<usize> {
        match self.row {
            Some(RowPlace::Line(line)) => Some(line),
            Some(RowPlace::Item(..)) | None => None,
        }
    }

    /// Path in a JSON file, like `expenses[29].expenseDate`.
    #[must_use]
    pub fn path(&self) -> Option<String> {
        match (self.row, &self.field) {
            (Some(item @ RowPlace::Item(..)), Some(field)) => Some(format!("{item}.{field}")),
            (Some(item @ RowPlace::Item(..)), None) => Some(item.to_string()),
            (Some(RowPlace::Line(_)) | None, _) => None,
        }
    }
}

/// Something that the file does not say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Subject of the question.
    pub asks: Asks,
    /// The question in words.
    pub message: Message,
}

/// Subject of a question, with the name or line by which the answer refers to it. Only CSV files
/// lack payers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asks {
    /// The currency of amounts.
    Currency,
    /// The payer of a row.
    Payer {
        /// Line of the row.
        line: usize,
    },
    /// The weight of a person in all rows. Until it is answered, the weight is 1.
    Weight {
        /// Name of the person.
        name: GuestName,
    },
}

/// A place in a file. The file itself comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FilePlace {
    row: Option<RowPlace>,
    column: Option<usize>,
}

impl From<RowPlace> for FilePlace {
    fn from(row: RowPlace) -> Self {
        Self { row: Some(row), column: None }
    }
}

impl FilePlace {
    /// The whole file.
    pub(crate) const FILE: Self = Self { row: None, column: None };

    pub(crate) const fn line(line: usize) -> Self {
        Self { row: Some(RowPlace::Line(line)), column: None }
    }

    /// Whether it is in a CSV file.
    pub(crate) const fn is_line(self) -> bool {
        matches!(self.row, Some(RowPlace::Line(_)))
    }

    pub(crate) const fn cell(line: usize, column: usize) -> Self {
        Self { row: Some(RowPlace::Line(line)), column: Some(column) }
    }

    /// An item of a JSON list.
    pub(crate) const fn item(list: &'static str, index: usize) -> Self {
        Self { row: Some(RowPlace::Item(list, index)), column: None }
    }

    /// An issue about a field of the row. In JSON, `field` is its path.
    pub(crate) fn issue_of(self, field: &str, message: impl Into<Message>) -> Issue {
        let is_item = matches!(self.row, Some(RowPlace::Item(..)));
        Issue { field: is_item.then(|| field.to_owned()), ..self.issue(message) }
    }

    pub(crate) fn issue(self, message: impl Into<Message>) -> Issue {
        let Self { row, column } = self;
        // Messages quote the file, whose texts may have any length.
        let message = message.into().map(|_, text| match text.char_indices().nth(MAX_MESSAGE) {
            Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
            None => text.to_owned(),
        });
        Issue { row, column, field: None, ignore: None, message }
    }
}

/// Sums of the rows and adjustments of a file.
#[derive(Debug)]
pub struct Sums<'a> {
    /// Number of expenses.
    pub expenses: usize,
    /// Number of settlements: one for each recipient of a payment.
    pub settlements: usize,
    /// Currencies of the rows.
    pub currencies: Vec<Currency>,
    /// Name, currency and balance other than zero: what the group owes the person, in minor units;
    /// negative if the person owes. Rows with an open question are not in it.
    pub balances: Vec<(&'a GuestName, Currency, i128)>,
}

impl Import {
    /// Whether the file can be imported: it has no error, and every question is answered.
    #[must_use]
    pub const fn is_ready(&self) -> bool {
        self.errors.is_empty() && self.questions.is_empty()
    }

    /// Why the file cannot be imported into this group, although it may be into others: it is the
    /// group's own export, whose rows would be recorded again under other ids, or its expenses have
    /// categories that the group does not have.
    pub fn errors_in(&self, group: &Group) -> impl Iterator<Item = Issue> {
        let rule = message!(
            "the file is an export of this group, which has its rows already",
            "этот файл выгружен из этой же группы, его записи в ней уже есть"
        );
        let own = (self.source == Some(group.id)).then(|| FilePlace::FILE.issue(rule));
        let unknown = self.rows.iter().filter_map(|row| {
            let category = row.category.filter(|category| !group.has_category(*category))?;
            let rule = message!(
                "the group has no category {category}; add it to the group first",
                "в группе нет категории {category}; сначала добавьте её"
            );
            Some(
                FilePlace { row: Some(row.place), column: None }.issue_of("expense.category", rule),
            )
        });
        own.into_iter().chain(unknown)
    }

    /// Sums of the rows and adjustments.
    #[must_use]
    pub fn sums(&self) -> Sums<'_> {
        let mut nets: BTreeMap<Currency, BTreeMap<usize, i128>> = BTreeMap::new();
        let mut expenses = 0_usize;
        let mut settlements = 0_usize;
        for row in &self.rows {
            match &row.movement {
                Movement::Expense { .. } => expenses = expenses.saturating_add(1),
                Movement::Payment(it) => settlements = settlements.saturating_add(it.len()),
                Movement::Pending(_) => settlements = settlements.saturating_add(1),
            }
            let nets = nets.entry(row.currency).or_default();
            for (person, minor) in row.movement.changes() {
                let net = nets.entry(person).or_default();
                *net = net.saturating_add(minor);
            }
        }
        for change in self.adjustments.iter().flat_map(|it| &it.changes) {
            let nets = nets.entry(change.currency).or_default();
            let net = nets.entry(change.person).or_default();
            *net = net.saturating_add(change.totals.net());
        }
        let balance = |currency: Currency, person: usize, net: i128| {
            let name = &self.people.get(person)?.name;
            (net != 0).then_some((name, currency, net))
        };
        let balances = nets.iter().flat_map(|(currency, nets)| {
            nets.iter().filter_map(|(person, net)| balance(*currency, *person, *net))
        });
        let balances = balances.collect();
        Sums { expenses, settlements, currencies: nets.into_keys().collect(), balances }
    }
}
