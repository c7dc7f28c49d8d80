//! The caller's questions and answers in all groups.

use axum::extract::State;
use fracti_core::{
    questions::{answer::Answer, question::QuestionFilter},
    values::id::TokenId,
};
use fracti_http::{
    App, Caller, Code, Context, Description, List, ListId, Paging, Parameters, Problem,
    QueryReader, Text, schemas,
};
use fracti_texts::rule;
use serde::Serialize;
use utoipa::ToSchema;

use crate::view::{AnswerContent, QuestionView, Statuses};

/// Query parameters of the caller's questions.
pub(crate) struct OwnQuery {
    paging: Paging,
    /// `None` for the questions that are open for the caller.
    asked: Option<QuestionFilter>,
}

impl Parameters for OwnQuery {
    fn read(query: &mut QueryReader) -> Self {
        let paging = Paging::read(query);
        let about = "Whether to return the questions that the caller asked, newest first.";
        let asked = query.flag("asked", about).unwrap_or_default();
        let about = "With `asked`: return only questions with these statuses, separated by commas.";
        let schema = Description::inline::<schemas::QuestionStatuses>;
        let statuses = query.read::<Statuses>("status", about, schema);
        let about = "With `asked`: return only questions that were asked by this API token.";
        let schema = Description::reference::<schemas::ResourceId>;
        let agent = query.read::<TokenId>("agentId", about, schema);
        for (name, is_sent) in [("status", statuses.is_some()), ("agentId", agent.is_some())] {
            if is_sent && !asked {
                query.refuse(
                    name,
                    rule!(
                        "{field} must be given only with asked=true",
                        "указывайте {field} только вместе с asked=true"
                    ),
                );
            }
        }
        let statuses = statuses.map(|Statuses(statuses)| statuses).unwrap_or_default();
        let filter = QuestionFilter { statuses, category: None, agent };
        Self { paging, asked: asked.then_some(filter) }
    }
}

/// An answer of the caller.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = OwnAnswer)]
pub(crate) struct OwnAnswerView {
    /// Question that it answers.
    question_id: schemas::ResourceId,
    /// Group of the question.
    group_id: schemas::ResourceId,
    /// Type of the question.
    #[serde(rename = "type")]
    question_type: schemas::QuestionType,
    /// What was asked, at most 200 characters.
    #[schema(example = "Pizza or sushi?")]
    prompt: String,
    #[serde(flatten)]
    content: AnswerContent,
    /// Time of the answer.
    created_at: schemas::Timestamp,
    /// Time of the last change of claims.
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_at: Option<schemas::Timestamp>,
}

/// List the questions that are open for the caller.
///
/// In all groups of the caller, soonest expiry first; a user of more than 100 groups gets them in
/// 100 groups at a time. A question that was just answered may show for a moment. With
/// `asked=true`, the questions that the caller asked, newest first, whatever their status.
#[utoipa::path(get, path = "/api/users/me/questions", tag = "questions",
    responses((status = OK, body = List<QuestionView>)),
    extensions(("x-errors" = json!([Code::NotMigrated]))))]
pub(crate) async fn list_own_questions(
    State(app): State<App>,
    Caller(user, OwnQuery { paging, asked }): Caller<OwnQuery>,
    Context { now, .. }: Context,
) -> Result<List<QuestionView>, Problem> {
    if let Some(filter) = asked {
        let list_id = ListId::new("users/me/questions?asked", &user.id).filtered(&filter);
        let page = paging.page(&list_id)?;
        let questions = app.table.asked_by(user.id, &filter, &page, now).await?;
        return Ok(paging.list(&list_id, questions));
    }
    let list_id = ListId::new("users/me/questions", &user.id);
    let after = paging.after(&list_id)?.unwrap_or_default();
    let (open, next) = app.table.open_for(user.id, paging.limit(), after, now).await?;
    let next = next.map(|place| paging.cursor(&list_id, &place));
    Ok(List::new(open.into_iter().map(QuestionView::from), next))
}

/// List the caller's answers.
///
/// Newest first, in the groups in which the caller is present, with those for guests who are linked
/// to the caller. Anonymous answers are not listed.
#[utoipa::path(get, path = "/api/users/me/answers", tag = "questions",
    responses((status = OK, body = List<OwnAnswerView>)),
    extensions(("x-errors" = json!([Code::NotMigrated]))))]
pub(crate) async fn list_own_answers(
    State(app): State<App>,
    Caller(user, paging): Caller<Paging>,
    Context { now, .. }: Context,
) -> Result<List<OwnAnswerView>, Problem> {
    let list_id = ListId::new("users/me/answers", &user.id);
    let after = paging.after(&list_id)?.unwrap_or_default();
    let (answers, next) = app.table.answers_of(user.id, paging.limit(), after, now).await?;
    let next = next.map(|place| paging.cursor(&list_id, &place));
    Ok(List::new(answers.into_iter().map(OwnAnswerView::from), next))
}

impl From<Answer> for OwnAnswerView {
    fn from(answer: Answer) -> Self {
        Self {
            question_id: Text(answer.question_id.into()),
            group_id: Text(answer.group_id.into()),
            question_type: Text(answer.question_type),
            prompt: answer.prompt.clone(),
            created_at: Text(answer.created_at),
            updated_at: answer.updated_at.map(Text),
            content: answer.into(),
        }
    }
}
