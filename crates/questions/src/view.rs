//! Questions in responses.

use std::{collections::BTreeMap, str::FromStr};

use fracti_core::{
    decisions::questions::{QuestionDetail, SeenQuestion},
    group::Member,
    questions::{
        answer::{Answer, Answerer},
        question::{Question, QuestionType},
        receipt::{Claim, Claims, Receipt, ReceiptSummary},
    },
    split::Line,
    values::{
        decimal::Decimal, id::MemberId, question_status::QuestionStatus, text_form::UnknownWord,
    },
};
use fracti_http::{JsonDecimal, LineView, PayerView, PreviewView, Text, schemas};
use serde::Serialize;
use utoipa::ToSchema;

/// A question to members of a group.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Question)]
pub(crate) struct QuestionView {
    /// Id of the question.
    id: schemas::ResourceId,
    /// Group in which it was asked.
    group_id: schemas::ResourceId,
    /// Title of the group.
    #[schema(example = "Roommates")]
    group_title: String,
    /// What kind of answer it takes.
    #[serde(rename = "type")]
    question_type: schemas::QuestionType,
    /// What is asked. In lists, at most 300 characters.
    #[schema(example = "Pizza or sushi?")]
    prompt: String,
    /// Options, of a `multiple_choice`.
    #[serde(skip_serializing_if = "Option::is_none")]
    options: Option<Vec<String>>,
    /// Category.
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<schemas::BuiltInCategory>,
    /// Members who are asked, if not all are.
    #[serde(skip_serializing_if = "Option::is_none")]
    audience: Option<Vec<schemas::MemberId>>,
    /// Whether members see the answers without names.
    anonymous: bool,
    /// Status.
    status: schemas::QuestionStatus,
    /// Number of answers that it needs.
    required_responses: usize,
    /// Number of answers that it has.
    current_responses: usize,
    /// Whether the caller can answer it now.
    can_answer: bool,
    /// User who asked.
    asked_by: schemas::UserId,
    /// Name of the asker at that time.
    #[schema(example = "Alice Smith")]
    asked_by_name: String,
    /// API token by which the user asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = schemas::ResourceId)]
    agent_id: Option<schemas::ResourceId>,
    /// Name of this token.
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_name: Option<schemas::TokenName>,
    /// Time at which it was asked.
    created_at: schemas::Timestamp,
    /// Time from which it takes no more answers.
    expires_at: schemas::Timestamp,
    /// Time at which it was closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    closed_at: Option<schemas::Timestamp>,
    /// Expense that its receipt became.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = schemas::ResourceId)]
    expense_id: Option<schemas::ResourceId>,
    /// Receipt, of an `items` question.
    #[serde(skip_serializing_if = "Option::is_none")]
    receipt: Option<ReceiptView>,
    /// Answers, oldest member id first; those of an anonymous question in random order. Lists have
    /// none.
    #[serde(skip_serializing_if = "Option::is_none")]
    answers: Option<Vec<AnswerView>>,
    /// Number of members who chose each option, once a `multiple_choice` is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<BTreeMap<String, usize>>,
    /// Shares that applying the receipt with `claimers` would record now. It is missing if it would
    /// record none, in lists, and once the receipt is applied.
    #[serde(skip_serializing_if = "Option::is_none")]
    preview: Option<Vec<PreviewView>>,
}

/// A receipt whose items members claim.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Receipt)]
struct ReceiptView {
    /// What was paid for.
    #[schema(example = "Dinner at restaurant")]
    description: String,
    /// Amount.
    amount: JsonDecimal,
    /// Currency of the amounts.
    currency: schemas::Currency,
    /// Payers, the main one first.
    payers: Vec<PayerView>,
    /// Number of lines.
    item_count: usize,
    /// Lines with their claims. Lists have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    items: Option<Vec<ReceiptLineView>>,
    /// Category.
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<schemas::BuiltInCategory>,
    /// Day on which it happened. Lists do not have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<schemas::CalendarDate>,
    /// Notes. Lists do not have them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Without the wine")]
    notes: Option<String>,
}

/// A line of a receipt, with the claims to it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ReceiptLine)]
struct ReceiptLineView {
    #[serde(flatten)]
    line: LineView,
    /// Members who claim the item, in order of their ids.
    #[serde(skip_serializing_if = "Option::is_none")]
    claims: Option<Vec<ItemClaimView>>,
    /// Number of pieces that nobody has claimed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = schemas::Weight)]
    unclaimed: Option<JsonDecimal>,
    /// `true` if more is claimed than there is.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    overclaimed: bool,
}

/// A member who claims an item.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ItemClaim)]
struct ItemClaimView {
    /// The member.
    user_id: schemas::MemberId,
    /// Name of the member.
    #[schema(example = "Bob Jones")]
    user_name: String,
    /// Number of pieces, if the member said one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = schemas::Weight)]
    count: Option<JsonDecimal>,
}

/// An answer to a question.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Answer)]
struct AnswerView {
    /// Member whose answer it is. Anonymous answers have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    user_id: Option<schemas::MemberId>,
    /// Name of the member at that time.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Bob Jones")]
    user_name: Option<String>,
    /// User who answered, for themselves or for a guest.
    #[serde(skip_serializing_if = "Option::is_none")]
    answered_by: Option<schemas::UserId>,
    #[serde(flatten)]
    content: AnswerContent,
    /// Time of the answer. Anonymous answers have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<schemas::Timestamp>,
    /// Time of the last change of claims.
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_at: Option<schemas::Timestamp>,
}

/// What an answer says.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AnswerContent {
    /// Text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Pizza, but without olives.")]
    answer: Option<String>,
    /// Index of the chosen option, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    selected_option: Option<usize>,
    /// Items that are claimed, in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    claims: Option<Vec<ClaimView>>,
    /// How sure the member is, from 1 to 5.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 5)]
    confidence: Option<u64>,
    /// Time that it took, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    response_time_ms: Option<u64>,
}

/// An item that is claimed.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Claim)]
struct ClaimView {
    /// Index of the line, from 0.
    item: usize,
    /// Number of pieces, if the member said one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = schemas::Weight)]
    count: Option<JsonDecimal>,
}

/// Statuses in a query, separated by commas.
pub(crate) struct Statuses(pub(crate) Vec<QuestionStatus>);

impl FromStr for Statuses {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        text.split(',').map(str::parse).collect::<Result<_, _>>().map(Self)
    }
}

impl From<SeenQuestion> for QuestionView {
    fn from(seen: SeenQuestion) -> Self {
        let SeenQuestion { question, group_title, status, can_answer, prompt, detail, .. } = seen;
        let options = question.options.iter().map(ToString::to_string).collect::<Vec<_>>();
        let is_over = matches!(status, QuestionStatus::Closed | QuestionStatus::Expired);
        let summary = detail.as_ref().filter(|_| is_over).and_then(|it| summary(&question, it));
        let mut receipt = None;
        let mut answers = None;
        let mut preview = None;
        let is_anonymous = question.anonymous;
        if let Some(detail) = detail {
            let QuestionDetail {
                receipt: whole,
                claims,
                preview: shares,
                members,
                answers: all,
                ..
            } = *detail;
            receipt = whole.map(|receipt| ReceiptView::of(&receipt, &claims, &members));
            answers = Some(all.into_iter().map(|it| AnswerView::of(it, is_anonymous)).collect());
            preview = shares.map(|shares| shares.into_iter().map(PreviewView::from).collect());
        }
        Self {
            id: Text(question.id.into()),
            group_id: Text(question.group_id.into()),
            group_title,
            question_type: Text(question.question_type),
            prompt: prompt.map_or(question.prompt, |prompt| prompt.to_string()),
            options: Some(options).filter(|options| !options.is_empty()),
            category: question.category.map(Text),
            audience: question.audience.map(|them| them.into_iter().map(Text).collect()),
            anonymous: is_anonymous,
            status: Text(status),
            required_responses: question.required_responses,
            current_responses: question.answered.len(),
            can_answer,
            asked_by: Text(question.asked_by),
            asked_by_name: question.asked_by_name,
            agent_id: question.agent_id.map(|id| Text(id.into())),
            agent_name: question.agent_name.map(Text),
            created_at: Text(question.created_at),
            expires_at: Text(question.expires_at),
            closed_at: question.closed_at.map(Text),
            expense_id: question.expense_id.map(|id| Text(id.into())),
            receipt: receipt.or_else(|| {
                let category = question.category;
                question.receipt.map(|receipt| ReceiptView::listed(receipt).of_category(category))
            }),
            answers,
            summary,
            preview,
        }
    }
}

/// Number of members who chose each option.
fn summary(question: &Question, detail: &QuestionDetail) -> Option<BTreeMap<String, usize>> {
    let is_choice = question.question_type == QuestionType::MultipleChoice;
    if !is_choice || !detail.shows_answers {
        return None;
    }
    let count = |index| {
        let chosen = detail.answers.iter().filter(|answer| answer.selected_option == Some(index));
        chosen.count()
    };
    let options = question.options.iter().enumerate();
    Some(options.map(|(index, option)| (option.to_string(), count(index))).collect())
}

impl ReceiptView {
    fn of(receipt: &Receipt, claims: &Claims, members: &[Member]) -> Self {
        let view = |(index, line): (usize, Line<Decimal>)| {
            let of_item = receipt.claims_of(index, claims);
            let line = LineView::from(line);
            let Some(of_item) = of_item else {
                return ReceiptLineView { line, claims: None, unclaimed: None, overclaimed: false };
            };
            let claim = |(user, count): (&MemberId, &Option<Decimal>)| ItemClaimView {
                user_id: Text(*user),
                user_name: name_of(members, *user),
                count: count.map(JsonDecimal),
            };
            ReceiptLineView {
                line: LineView { sharers: None, ..line },
                claims: Some(of_item.claims.iter().map(claim).collect()),
                unclaimed: of_item.unclaimed.map(JsonDecimal),
                overclaimed: of_item.overclaimed,
            }
        };
        let items = receipt.lines.iter().cloned().enumerate().map(view).collect();
        Self {
            items: Some(items),
            date: Some(Text(receipt.date)),
            notes: receipt.notes.as_ref().map(ToString::to_string),
            ..Self::listed(receipt.summary()).of_category(receipt.category)
        }
    }

    fn listed(receipt: ReceiptSummary) -> Self {
        Self {
            description: receipt.description.to_string(),
            amount: JsonDecimal(receipt.amount),
            currency: Text(receipt.currency),
            payers: receipt.payers.into_iter().map(PayerView::from).collect(),
            item_count: receipt.item_count,
            items: None,
            category: None,
            date: None,
            notes: None,
        }
    }

    fn of_category(self, category: Option<fracti_core::values::category::Category>) -> Self {
        Self { category: category.map(Text), ..self }
    }
}

/// The name of a member; empty if there is none.
fn name_of(members: &[Member], id: MemberId) -> String {
    let member = members.iter().find(|member| member.id == id);
    member.map(|member| member.name.clone()).unwrap_or_default()
}

impl AnswerView {
    fn of(answer: Answer, is_anonymous: bool) -> Self {
        let times = [Some(answer.created_at), answer.updated_at];
        let [created_at, updated_at] = times.map(|at| at.filter(|_| !is_anonymous).map(Text));
        let (user_id, user_name, answered_by) = match &answer.by {
            Answerer::Named { member_id, member_name, answered_by } => {
                (Some(Text(*member_id)), Some(member_name.clone()), Some(Text(*answered_by)))
            }
            Answerer::Anonymous { .. } => (None, None, None),
        };
        let content = AnswerContent::from(answer);
        // The time that an answer took could tell whose it is.
        let response_time_ms = content.response_time_ms.filter(|_| !is_anonymous);
        let content = AnswerContent { response_time_ms, ..content };
        Self { user_id, user_name, answered_by, content, created_at, updated_at }
    }
}

impl From<Answer> for AnswerContent {
    fn from(answer: Answer) -> Self {
        let claim =
            |Claim { item, count }: Claim| ClaimView { item, count: count.map(JsonDecimal) };
        Self {
            answer: answer.answer.map(|text| text.to_string()),
            selected_option: answer.selected_option,
            claims: answer.claims.map(|claims| claims.into_iter().map(claim).collect()),
            confidence: answer.confidence,
            response_time_ms: answer.response_time_ms,
        }
    }
}
