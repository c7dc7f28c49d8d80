//! Answers: their bodies, and the response to one.

use fracti_core::{
    decisions::questions::Answered,
    questions::{
        answer::{AnswerNotes, ClaimInput, NewAnswer, NewClaims},
        points::Badge,
    },
    records::expense::MAX_LINES,
    values::question_status::QuestionStatus,
};
use fracti_http::{Text, body, schemas};
use serde::Serialize;
use utoipa::ToSchema;

body! {
    /// An answer to a question: a text, or the index of an option.
    #[example = { "selectedOption": 0, "confidence": 4, "responseTimeMs": 5200 }]
    pub(crate) AnswerQuestion => NewAnswer {
        /// Text, for a question of type `text`.
        answer: "answer".text(),
        /// Index of the option, from 0, for a question of type `multiple_choice`.
        selected_option: "selectedOption".number(schemas::OptionIndex),
        /// Member whose answer it is: the caller or a guest. Default: the caller.
        user: "userId".text(),
        /// How sure the member is.
        confidence: "confidence".number(schemas::Confidence),
        /// Time that the answer took, in milliseconds.
        response_time_ms: "responseTimeMs".number(schemas::ResponseTime),
    } => NewAnswer {
        answer, selected_option, notes: AnswerNotes { user, confidence, response_time_ms },
    }
}

body! {
    /// All items that a member had.
    #[example = { "items": [{ "item": 0 }, { "item": 2, "count": 2 }] }]
    pub(crate) ClaimItems => NewClaims {
        /// The items, each once. None: the member had nothing.
        items: "items".required().objects::<ClaimItem>(0..=MAX_LINES),
        /// Member whose items they are: the caller or a guest. Default: the caller.
        user: "userId".text(),
        /// How sure the member is.
        confidence: "confidence".number(schemas::Confidence),
        /// Time that the answer took, in milliseconds.
        response_time_ms: "responseTimeMs".number(schemas::ResponseTime),
    } => NewClaims { items, notes: AnswerNotes { user, confidence, response_time_ms } }
}

body! {
    /// An item that a member had.
    ClaimItem => ClaimInput {
        /// Index, from 0, of an item of the receipt without `sharers`.
        item: "item".required().index(),
        /// Number of pieces, above zero, at most 10000, with at most four decimals. Default: the
        /// member shared what the others did not count.
        count: "count".number(schemas::ClaimCountInput),
    }
}

/// The result of an answer.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AnswerResult)]
pub(crate) struct AnsweredView {
    /// Id of the question.
    question_id: schemas::ResourceId,
    /// Status of the question after the answer.
    status: schemas::QuestionStatus,
    /// Number of answers that it has.
    current_responses: usize,
    /// Number of answers that it needs.
    required_responses: usize,
    /// Points for the answer; 0 for that of a guest, and for changed claims.
    points: u64,
    /// All points of the caller in the group. Left out for the answer of a guest.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_points: Option<u64>,
    /// Number of days, one after the other, on which the caller answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    streak_days: Option<u64>,
    /// Badges for the answer.
    new_badges: Vec<schemas::Badge>,
}

impl From<Answered> for AnsweredView {
    fn from(answered: Answered) -> Self {
        let Answered { question, status, points, total, new_badges } = answered;
        Self {
            question_id: Text(question.id.into()),
            status: Text::<QuestionStatus>(status),
            current_responses: question.answered.len(),
            required_responses: question.required_responses,
            points,
            total_points: total.as_ref().map(|total| total.total_points),
            streak_days: total.as_ref().map(|total| total.streak_days),
            new_badges: new_badges.into_iter().map(Text::<Badge>).collect(),
        }
    }
}
