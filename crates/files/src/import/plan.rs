//! The plan of an import.

use std::collections::{BTreeMap, BTreeSet};

use fracti_core::{
    group::Member,
    input::Error,
    ledger::LedgerError,
    records::{
        import::{Changed, Earlier, Record},
        settlement::Settlement,
    },
    values::{currency::Currency, id::MemberId, text::GuestName},
};
use fracti_formats::{
    Asks, Check, Destination, Import, Issue, MAX_ERRORS, Match, MatchedBy, Person, Question,
    RowPlace, Sums,
};
use fracti_http::{JsonDecimal, Text, schemas, shown};
use fracti_store::BeforeImport;
use fracti_texts::{Language, Message, message};
use serde::Serialize;
use utoipa::ToSchema;

/// Maximum number of differences that are listed.
const MAX_DIFFERENCES: usize = 1_000;

/// Maximum number of records that are listed.
const MAX_RECORDS: usize = 20;

/// Why a person is matched with a member.
type By = Text<MatchedBy>;

/// What the import of a file would record.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ImportPlan)]
pub(crate) struct PlanView {
    /// Format of the file, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<schemas::ImportFormat>,
    /// The people in the file.
    members: Vec<PersonView>,
    /// Number of expenses that would be recorded.
    #[schema(minimum = 0, example = 3)]
    expenses: usize,
    /// Number of settlements that would be recorded: one for each recipient of a payment. Pending
    /// ones, in a file of Fracti, stay pending.
    #[schema(minimum = 0, example = 1)]
    settlements: usize,
    /// Number of adjustments that would be recorded, in a file of Fracti.
    #[schema(minimum = 0, example = 0)]
    adjustments: usize,
    /// Number of expenses, settlements and adjustments that the group has already.
    #[schema(minimum = 0, example = 0)]
    already_there: usize,
    /// Number of rows, payments and adjustments that change no balance, and are left out.
    #[schema(minimum = 0, example = 0)]
    skipped: usize,
    /// The first of what would be recorded, in the order of the file: at most 20.
    records: Vec<RecordView>,
    /// What differs from earlier imports of the app, if anything does.
    #[serde(skip_serializing_if = "Option::is_none")]
    differences: Option<DifferencesView>,
    /// Currencies of the rows.
    currencies: Vec<schemas::Currency>,
    /// Balances other than zero that the group would have. Rows with an open question do not count.
    balances: Vec<NetView>,
    /// Sums that the file states, compared with its rows.
    checks: Vec<CheckView>,
    /// What is imported differently from the file, or not at all.
    warnings: Vec<IssueView>,
    /// Why the file cannot be imported: at most 100 errors.
    errors: Vec<IssueView>,
    /// Questions that must be answered before the file can be imported.
    questions: Vec<QuestionView>,
}

/// A person in the file.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ImportPerson)]
struct PersonView {
    /// Name, by which `members` and `weights` refer to the person.
    #[schema(example = "Bob Jones")]
    name: String,
    /// Number of rows in which the person takes part.
    #[schema(minimum = 0, example = 3)]
    rows: usize,
    /// The member matched with the person, if any.
    #[serde(skip_serializing_if = "Option::is_none", rename = "match")]
    member: Option<MatchView>,
}

/// An expense, a settlement or an adjustment that would be recorded.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ImportRecord)]
struct RecordView {
    /// `expense`, `settlement` or `adjustment`.
    #[schema(pattern = "^(expense|settlement|adjustment)$", example = "expense")]
    kind: &'static str,
    /// Day of the expense or the payment.
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<schemas::CalendarDate>,
    /// What the expense was for, or the note of the adjustment.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Tea")]
    description: Option<String>,
    /// Name of who paid.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Bob Jones")]
    from_name: Option<String>,
    /// Name of the recipient of a settlement.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Alice Smith")]
    to_name: Option<String>,
    /// The amount, unless it is an adjustment.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<schemas::Balance>)]
    amount: Option<JsonDecimal>,
    /// Its currency.
    #[serde(skip_serializing_if = "Option::is_none")]
    currency: Option<schemas::Currency>,
}

/// What differs from what earlier imports of the app have recorded.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ImportDifferences)]
pub(crate) struct DifferencesView {
    /// What a request with `commit` must send as `confirm`. Not present if only rows differ that
    /// members have edited.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "5f3c0a1b9d2e4f60718293a4b5c6d7e8")]
    confirm: Option<String>,
    /// Number of rows that the file has in another version, and that no member has edited since.
    #[schema(minimum = 0, example = 1)]
    changed: usize,
    /// Number of rows that the file has in another version, and that a member has edited since.
    #[schema(minimum = 0, example = 0)]
    edited: usize,
    /// Number of rows that the file no longer has.
    #[schema(minimum = 0, example = 1)]
    gone: usize,
    /// These rows: at most 1,000.
    rows: Vec<DifferenceView>,
}

/// A row that differs from what an earlier import has recorded.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ImportDifference)]
struct DifferenceView {
    /// `changed`, `edited` if a member has edited it since, or `gone`.
    #[schema(pattern = "^(changed|edited|gone)$", example = "changed")]
    kind: &'static str,
    /// Line of a CSV file, from 1, unless the row is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, example = 4)]
    line: Option<usize>,
    /// Path of the row in a JSON file, unless the row is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "expenses[29]")]
    path: Option<String>,
    /// What the group has: the id of the entry in its ledger, which is that of the expense or the
    /// settlement.
    entry_id: String,
    /// The difference in words.
    #[schema(
        example = "Tea of 2026-01-31, 10 EUR, differs in amount; the file has Tea of 2026-01-31, 25 EUR"
    )]
    message: String,
}

/// The member matched with a person in the file.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ImportMatch)]
struct MatchView {
    /// The member.
    member_id: schemas::MemberId,
    /// Name of the member.
    #[schema(example = "Bob Jones")]
    name: String,
    /// Why the person is matched with the member.
    by: By,
}

/// Balance of a member, or of a person who would become a guest.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ImportBalance)]
struct NetView {
    /// The member, unless it is a guest who would be added.
    #[serde(skip_serializing_if = "Option::is_none")]
    member_id: Option<schemas::MemberId>,
    /// Name of the member or the guest.
    #[schema(example = "Bob Jones")]
    name: String,
    /// The currency.
    currency: schemas::Currency,
    /// What the group would owe them; negative if they would owe.
    #[schema(value_type = schemas::Balance)]
    net: JsonDecimal,
}

/// A sum that the file states.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ImportCheck)]
struct CheckView {
    /// What is summed.
    #[schema(example = "total of Bob Jones in EUR")]
    what: String,
    /// The sum in the file.
    #[schema(value_type = schemas::Balance)]
    file: JsonDecimal,
    /// The sum of the rows of the file.
    #[schema(value_type = schemas::Balance)]
    computed: JsonDecimal,
    /// Whether both are equal.
    agrees: bool,
}

/// An error or a warning about the file.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ImportIssue)]
struct IssueView {
    /// Line of a CSV file, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, example = 4)]
    line: Option<usize>,
    /// Number of the cell in the line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, example = 1)]
    column: Option<usize>,
    /// Path of the row or the field in a JSON file. Without a line and a path, the issue concerns
    /// the whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "expenses[29].expenseDate")]
    path: Option<String>,
    /// Name of a column or a field that Fracti does not know and that may carry money, of an error
    /// that `ignore` with this name turns into a warning.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "payers")]
    ignore: Option<String>,
    /// The rule that is broken, or what is imported differently.
    #[schema(example = "the row has 5 cells, but the header has 6")]
    message: String,
}

/// A question about something that the file does not say.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ImportQuestion)]
struct QuestionView {
    /// What is asked: `currency`, `payer` or `weight`. The answer is sent as `currency`, in
    /// `payers` or in `weights`.
    #[schema(pattern = "^(currency|payer|weight)$", example = "payer")]
    kind: &'static str,
    /// Line of the row of a CSV file whose payer is asked for, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    line: Option<usize>,
    /// Name of the person whose weight is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The question in words.
    #[schema(example = "who paid 25 EUR for Reimbursement on 2026-02-03?")]
    message: String,
}

/// A group, and what an import would add to it.
pub(crate) struct Foreseen<'a> {
    pub(crate) to: &'a Destination<'a>,
    /// The people of the file, who are members or would become guests.
    pub(crate) people: &'a [Member],
    /// The group before the import.
    pub(crate) before: &'a BeforeImport,
    /// Whether rows that have changed or are gone are edited or deleted.
    pub(crate) updates: bool,
    /// Language of the messages.
    pub(crate) language: Language,
}

impl Foreseen<'_> {
    /// The balances after the import: those of the people of the file first.
    fn balances(&self) -> Result<Vec<NetView>, LedgerError> {
        let mut nets: BTreeMap<Currency, BTreeMap<MemberId, i128>> = BTreeMap::new();
        let before = &self.before.ledger.balances;
        for currency in before.currencies() {
            let of = before.of(currency).map(|(member, totals)| (member, totals.net()));
            nets.insert(currency, of.collect());
        }
        let mut add = |record: &Record, sign: i128| -> Result<(), LedgerError> {
            for change in record.event()?.into_iter().flat_map(|event| event.changes) {
                let user = self.before.ledger.links.resolve(change.user);
                let net = nets.entry(change.currency).or_default().entry(user).or_default();
                *net = net.saturating_add(change.totals.net().saturating_mul(sign));
            }
            Ok(())
        };
        for record in &self.before.missing {
            add(record, 1)?;
        }
        for (before, after) in self.before.compared.replacements().filter(|_| self.updates) {
            add(before, -1)?;
            after.map_or(Ok(()), |after| add(after, 1))?;
        }
        let mut known = BTreeSet::new();
        let all = self.people.iter().chain(self.to.members).filter(|it| known.insert(it.id));
        let all: Vec<&Member> = all.collect();
        let is_there = |member: &Member| self.to.members.iter().any(|it| it.id == member.id);
        let balance = |currency: Currency, net: i128, member: &Member| NetView {
            member_id: is_there(member).then_some(Text(member.id)),
            name: member.name.clone(),
            currency: Text(currency),
            net: JsonDecimal(currency.to_major(net)),
        };
        let of_currency = |(currency, nets): (Currency, BTreeMap<MemberId, i128>)| {
            let net = |member: &&Member| nets.get(&member.id).copied().filter(|net| *net != 0);
            let shown = all.iter().filter_map(|it| Some(balance(currency, net(it)?, it)));
            shown.collect::<Vec<_>>()
        };
        Ok(nets.into_iter().flat_map(of_currency).collect())
    }

    /// Number of records that the group has already.
    fn already_there(&self) -> usize {
        self.before.compared.records.len().saturating_sub(self.before.missing.len())
    }

    /// What differs from earlier imports.
    fn differences(&self) -> Option<DifferencesView> {
        let compared = &self.before.compared;
        let changed = compared.changed();
        let gone = compared.gone.len();
        let edited = compared.changed.len().saturating_sub(changed);
        let of_file = compared.changed.iter().map(|it| DifferenceView::changed(it, self.language));
        let rows =
            of_file.chain(compared.gone.iter().map(|it| DifferenceView::gone(it, self.language)));
        let rows: Vec<_> = rows.take(MAX_DIFFERENCES).collect();
        let confirm = compared.confirmation(self.to.group.id);
        (!rows.is_empty()).then_some(DifferencesView { confirm, changed, edited, gone, rows })
    }

    /// The warning about rows that stay as the group has them, although the file rounds them
    /// otherwise: rows with earlier dates that a later file adds move the left-over minor units.
    fn rounded(&self) -> Option<IssueView> {
        let count = self.before.compared.rounded;
        let message = message!(
            "rows of the group that this file rounds otherwise: {count}; they stay as they are, so \
             balances may differ from those of the app by as many minor units",
            "записей группы, которые в этом файле округлены иначе: {count}; они не меняются, \
             поэтому балансы могут отличаться от балансов приложения на столько же наименьших \
             единиц"
        );
        let message = message.text(self.language).to_owned();
        (count > 0).then_some(IssueView {
            line: None,
            column: None,
            path: None,
            ignore: None,
            message,
        })
    }

    /// Numbers of expenses, settlements and adjustments that would be recorded.
    fn counts(&self) -> [usize; 3] {
        let count =
            |is: fn(&Record) -> bool| self.before.missing.iter().filter(|it| is(it)).count();
        [
            count(|it| matches!(it, Record::Expense(_))),
            count(|it| matches!(it, Record::Settlement(_))),
            count(|it| matches!(it, Record::Adjustment(_))),
        ]
    }
}

/// The plan of a file without a group, as JSON with amounts as numbers: that of an import into a
/// group that has nothing yet, with a guest for each person.
///
/// # Errors
///
/// As [`serde_json::to_vec_pretty`].
pub fn plan_of(import: &Import) -> serde_json::Result<Vec<u8>> {
    serde_json::to_vec_pretty(&PlanView::of_file(import, Language::English))
        .map(|json| shown(&json))
}

impl PlanView {
    /// The plan of a file without a group.
    fn of_file(import: &Import, language: Language) -> Self {
        let Sums { expenses, settlements, currencies, balances } = import.sums();
        let person =
            |it: &Person| PersonView { name: it.name.to_string(), rows: it.rows, member: None };
        let balance = |(name, currency, net): (&GuestName, Currency, i128)| NetView {
            member_id: None,
            name: name.to_string(),
            currency: Text(currency),
            net: JsonDecimal(currency.to_major(net)),
        };
        Self {
            format: import.format.map(Text),
            members: import.people.iter().map(person).collect(),
            expenses,
            settlements,
            adjustments: import.adjustments.len(),
            already_there: 0,
            skipped: import.skipped,
            records: Vec::new(),
            differences: None,
            currencies: currencies.into_iter().map(Text).collect(),
            balances: balances.into_iter().map(balance).collect(),
            checks: import.checks.iter().map(|it| CheckView::of(it, language)).collect(),
            warnings: import.warnings.iter().map(|it| IssueView::of(it, language)).collect(),
            errors: import.errors.iter().map(|it| IssueView::of(it, language)).collect(),
            questions: import.questions.iter().map(|it| QuestionView::of(it, language)).collect(),
        }
    }

    /// The plan of an import into a group. `matched` has the match of each person in the file, if
    /// any.
    ///
    /// # Errors
    ///
    /// [`Error::Table`] if an amount is not a whole number of minor units, which no valid row has.
    pub(crate) fn of(
        import: &Import,
        matched: &[Option<Match<'_>>],
        foreseen: &Foreseen<'_>,
    ) -> Result<Self, Error> {
        let language = foreseen.language;
        let mut plan = Self::of_file(import, language);
        plan.balances = foreseen.balances().map_err(|error| Error::Table(error.into()))?;
        [plan.expenses, plan.settlements, plan.adjustments] = foreseen.counts();
        plan.already_there = foreseen.already_there();
        let missing = foreseen.before.missing.iter();
        plan.records = missing.take(MAX_RECORDS).map(RecordView::from).collect();
        plan.differences = foreseen.differences();
        for (person, matched) in plan.members.iter_mut().zip(matched) {
            person.member = matched.map(MatchView::from);
        }
        let of_group = import.errors_in(foreseen.to.group);
        plan.errors.splice(..0, of_group.map(|issue| IssueView::of(&issue, language)));
        plan.errors.truncate(MAX_ERRORS);
        let ids: Vec<_> = matched.iter().map(|it| it.map(|it| it.member.id)).collect();
        let to_oneself = import.payments_to_oneself(&ids).map(|(row, _)| {
            (
                row,
                message!(
                    "the payment is left out, because payer and recipient are one member",
                    "платёж пропущен: плательщик и получатель — один участник"
                ),
            )
        });
        let of_one = import.adjustments_of_one(&ids).map(|row| {
            (
                row,
                message!(
                    "the adjustment is left out, because its members are one member",
                    "корректировка пропущена: её участники — один участник"
                ),
            )
        });
        let left_out: Vec<_> = to_oneself.chain(of_one).collect();
        plan.skipped = plan.skipped.saturating_add(left_out.len());
        let splits_lost = import.splits_lost(&ids).map(|row| {
            let message = message!(
                "the shares are imported as exact amounts, because two of the people who share it \
                 are one member",
                "доли записываются точными суммами, потому что двое из участников — один человек"
            );
            (row, message)
        });
        let warning = |(row, message): (RowPlace, Message)| {
            IssueView::of(&Issue::of_row(row, message), language)
        };
        plan.warnings.extend(left_out.into_iter().chain(splits_lost).map(warning));
        plan.warnings.extend(foreseen.rounded());
        Ok(plan)
    }
}

impl DifferenceView {
    fn changed(Changed { place, after, before, fields }: &Changed, language: Language) -> Self {
        let place = Issue::of_row(*place, Message::same(""));
        let fields = fields.join(", ");
        let row = label(&before.record);
        let other = label(after);
        let mut message = message!(
            "{row}, differs in {fields}; the file has {other}",
            "{row}: отличается {fields}; в файле {other}",
            [row, other]
        );
        if before.is_edited {
            message = message!(
                "{message}; it was edited in the group since, and stays as it is",
                "{message}; с тех пор его правили в группе, и он останется как есть",
                [message]
            );
        }
        Self {
            kind: if before.is_edited { "edited" } else { "changed" },
            line: place.line(),
            path: place.path(),
            entry_id: before.record.entry_id().to_string(),
            message: message.text(language).to_owned(),
        }
    }

    fn gone(Earlier { record, is_edited, .. }: &Earlier, language: Language) -> Self {
        let row = label(record);
        let mut message = message!("{row} is not in the file", "{row}: нет в файле", [row]);
        if *is_edited {
            message = message!(
                "{message}; it was edited in the group since",
                "{message}; с тех пор его правили в группе",
                [message]
            );
        }
        Self {
            kind: "gone",
            line: None,
            path: None,
            entry_id: record.entry_id().to_string(),
            message: message.text(language).to_owned(),
        }
    }
}

impl From<&Record> for RecordView {
    fn from(record: &Record) -> Self {
        match record {
            Record::Expense(it) => Self {
                kind: "expense",
                date: Some(Text(it.day())),
                description: Some(it.description.clone()),
                from_name: Some(it.payer_name.clone()),
                to_name: None,
                amount: Some(JsonDecimal(it.amount)),
                currency: Some(Text(it.currency)),
            },
            Record::Settlement(it) => Self {
                kind: "settlement",
                date: Some(Text(it.day())),
                description: None,
                from_name: Some(it.from_user_name.clone()),
                to_name: Some(it.to_user_name.clone()),
                amount: Some(JsonDecimal(it.amount)),
                currency: Some(Text(it.currency)),
            },
            Record::Adjustment(it) => Self {
                kind: "adjustment",
                date: None,
                description: it.note.as_ref().map(ToString::to_string),
                from_name: None,
                to_name: None,
                amount: None,
                currency: None,
            },
        }
    }
}

/// A row in words.
fn label(record: &Record) -> Message {
    match record {
        Record::Expense(it) => {
            let name = &it.description;
            let day = it.day();
            let amount = it.amount;
            let currency = it.currency;
            message!(
                "{name} of {day}, {amount} {currency}",
                "запись «{name}» от {day}, {amount} {currency}"
            )
        }
        Record::Settlement(it) => {
            let Settlement { from_user_name, to_user_name, amount, currency, .. } = &**it;
            message!(
                "the payment from {from_user_name} to {to_user_name}, {amount} {currency}",
                "платёж от {from_user_name} к {to_user_name}, {amount} {currency}"
            )
        }
        Record::Adjustment(it) => match &it.note {
            Some(note) => message!("the adjustment {note}", "корректировка {note}"),
            None => message!("an adjustment", "корректировка"),
        },
    }
}

impl From<Match<'_>> for MatchView {
    fn from(Match { member, by }: Match<'_>) -> Self {
        Self { member_id: Text(member.id), name: member.name.clone(), by: Text(by) }
    }
}

impl CheckView {
    fn of(Check { what, file, computed, agrees }: &Check, language: Language) -> Self {
        let [file, computed] = [file, computed].map(|sum| JsonDecimal(*sum));
        let what = what.text(language).to_owned();
        Self { what, file, computed, agrees: *agrees }
    }
}

impl IssueView {
    fn of(issue: &Issue, language: Language) -> Self {
        let line = issue.line();
        let path = issue.path();
        Self {
            line,
            column: issue.column,
            path,
            ignore: issue.ignore.clone(),
            message: issue.message.text(language).to_owned(),
        }
    }
}

impl QuestionView {
    fn of(Question { asks, message }: &Question, language: Language) -> Self {
        let (kind, line, name) = match asks {
            Asks::Currency => ("currency", None, None),
            Asks::Payer { line } => ("payer", Some(*line), None),
            Asks::Weight { name } => ("weight", None, Some(name.to_string())),
        };
        Self { kind, line, name, message: message.text(language).to_owned() }
    }
}
