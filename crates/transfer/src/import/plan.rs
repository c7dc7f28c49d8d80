//! The plan of an import.

use fracti_core::id::GroupId;
use fracti_formats::{
    Asks, Check, Import, Issue, MAX_ERRORS, Match, MatchedBy, PlannedBalance, Question,
};
use fracti_http::{JsonDecimal, Text, schemas};
use serde::Serialize;
use utoipa::ToSchema;

/// Why a person is matched with a member.
type By = Text<MatchedBy>;

/// What the import of a file would record.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ImportPlan)]
pub(crate) struct PlanView {
    /// Format of the file, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<schemas::ImportFormat>,
    /// The people in the file.
    members: Vec<PersonView>,
    /// Number of expenses.
    #[schema(minimum = 0, example = 3)]
    expenses: usize,
    /// Number of settlements: one for each recipient of a payment. Pending ones, in a file of
    /// Fracti, stay pending.
    #[schema(minimum = 0, example = 1)]
    settlements: usize,
    /// Number of adjustments, in a file of Fracti.
    #[schema(minimum = 0, example = 0)]
    adjustments: usize,
    /// Number of rows, payments and adjustments that change no balance, and are left out.
    #[schema(minimum = 0, example = 0)]
    skipped: usize,
    /// Currencies of the rows.
    currencies: Vec<schemas::Currency>,
    /// Balances other than zero that the rows of the file result in, without the group's own
    /// balances. Rows with an open question do not count.
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
    #[schema(nullable = false)]
    member: Option<MatchView>,
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

/// Balance of a person.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ImportBalance)]
struct NetView {
    /// Name of the person in the file.
    #[schema(example = "Bob Jones")]
    name: String,
    /// The currency.
    currency: schemas::Currency,
    /// What the group owes the person; negative if the person owes.
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
    #[schema(nullable = false, minimum = 1, example = 4)]
    line: Option<usize>,
    /// Number of the cell in the line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, example = 1)]
    column: Option<usize>,
    /// Path of the row or the field in a JSON file. Without a line and a path, the issue concerns
    /// the whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "expenses[29].expenseDate")]
    path: Option<String>,
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
    #[schema(nullable = false, minimum = 1)]
    line: Option<usize>,
    /// Name of the person whose weight is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    name: Option<String>,
    /// The question in words.
    #[schema(example = "who paid 25 EUR for Reimbursement on 2026-02-03?")]
    message: String,
}

impl PlanView {
    /// The plan of an import into a group. `members` has the match of each person in the file, if
    /// any.
    pub(crate) fn of(import: &Import, group: GroupId, members: &[Option<Match<'_>>]) -> Self {
        let plan = import.plan();
        let of_group = import.error_in(group);
        let errors = of_group.iter().chain(plan.errors).take(MAX_ERRORS);
        let ids: Vec<_> = members.iter().map(|it| it.map(|it| it.member.id)).collect();
        let warning = |row, message: &str| {
            let (column, field) = (None, None);
            IssueView::from(&Issue { row: Some(row), column, field, message: message.to_owned() })
        };
        let to_oneself = |(row, _)| {
            warning(row, "the payment is left out, because payer and recipient are one member")
        };
        let to_oneself: Vec<IssueView> = import.payments_to_oneself(&ids).map(to_oneself).collect();
        let of_one =
            |row| warning(row, "the adjustment is left out, because its members are one member");
        let of_one: Vec<IssueView> = import.adjustments_of_one(&ids).map(of_one).collect();
        let split_lost = |row| {
            let reason = "because two of the people who share it are one member";
            warning(row, &format!("the shares are imported as exact amounts, {reason}"))
        };
        let splits_lost: Vec<IssueView> = import.splits_lost(&ids).map(split_lost).collect();
        let warnings = plan.warnings.iter().map(IssueView::from);
        let people = plan.members.iter().zip(members);
        let person = people.map(|(person, member)| PersonView {
            name: person.name.to_owned(),
            rows: person.rows,
            member: member.map(MatchView::from),
        });
        Self {
            format: plan.format.map(Text),
            members: person.collect(),
            expenses: plan.expenses,
            settlements: plan.settlements.saturating_sub(to_oneself.len()),
            adjustments: plan.adjustments.saturating_sub(of_one.len()),
            skipped: plan.skipped.saturating_add(to_oneself.len()).saturating_add(of_one.len()),
            currencies: plan.currencies.into_iter().map(Text).collect(),
            balances: plan.balances.iter().map(NetView::from).collect(),
            checks: plan.checks.iter().map(CheckView::from).collect(),
            warnings: warnings.chain(to_oneself).chain(of_one).chain(splits_lost).collect(),
            errors: errors.map(IssueView::from).collect(),
            questions: plan.questions.iter().map(QuestionView::from).collect(),
        }
    }
}

impl From<Match<'_>> for MatchView {
    fn from(Match { member, by }: Match<'_>) -> Self {
        Self { member_id: Text(member.id), name: member.name.clone(), by: Text(by) }
    }
}

impl From<&PlannedBalance<'_>> for NetView {
    fn from(balance: &PlannedBalance<'_>) -> Self {
        let PlannedBalance { name, currency, net } = balance;
        Self { name: (*name).to_owned(), currency: Text(*currency), net: JsonDecimal(*net) }
    }
}

impl From<&Check> for CheckView {
    fn from(Check { what, file, computed, agrees }: &Check) -> Self {
        let [file, computed] = [file, computed].map(|sum| JsonDecimal(*sum));
        Self { what: what.clone(), file, computed, agrees: *agrees }
    }
}

impl From<&Issue> for IssueView {
    fn from(issue: &Issue) -> Self {
        let (line, path) = (issue.line(), issue.path());
        Self { line, column: issue.column, path, message: issue.message.clone() }
    }
}

impl From<&Question> for QuestionView {
    fn from(Question { asks, message }: &Question) -> Self {
        let (kind, line, name) = match asks {
            Asks::Currency => ("currency", None, None),
            Asks::Payer { line } => ("payer", Some(*line), None),
            Asks::Weight { name } => ("weight", None, Some(name.to_string())),
        };
        Self { kind, line, name, message: message.clone() }
    }
}
