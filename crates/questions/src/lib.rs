//! Endpoints of questions to a group: asking, answering, claiming the items of a receipt, and
//! points.

mod answer;
mod ask;
mod own;
mod points;
mod view;

use axum::{extract::State, http::StatusCode, response::Response};
use fracti_core::{
    questions::{question::QuestionFilter, receipt::NewApplication},
    values::id::QuestionId,
};
use fracti_http::{
    App, AsMember, Code, Context, Credential, Data, Description, ExpenseView, Id, List, ListId,
    Once, Paging, Parameters, Problem, QueryReader, Routes, body, openapi, respond, respond_tagged,
    routes, schemas,
};

use answer::{AnswerQuestion, AnsweredView, ClaimItems};
use ask::CreateQuestion;
use view::{QuestionView, Statuses};

/// The routes of this endpoint group.
#[must_use]
pub fn routes() -> Routes {
    openapi::tagged([(
        "questions",
        "Questions to a group, receipts whose items members claim, and points.",
    )])
    .routes(routes!(list_questions, ask_question))
    .routes(routes!(get_question))
    .routes(routes!(answer_question))
    .routes(routes!(claim_items))
    .routes(routes!(close_question))
    .routes(routes!(apply_receipt))
    .routes(routes!(points::get_leaderboard))
    .routes(routes!(own::list_own_questions))
    .routes(routes!(own::list_own_answers))
    .routes(routes!(points::list_own_points))
}

body! {
    /// How a receipt becomes an expense.
    #[example = { "unclaimed": "claimers" }]
    #[empty = NewApplication::default()]
    ApplyReceipt => NewApplication {
        /// Who shares items, and pieces of them, that nobody has claimed. Default: `reject`,
        /// nobody. Items that cost nothing are shared by the payers.
        unclaimed: "unclaimed".text(),
        /// Member who paid all of it. Only if a payer of the receipt has left the group.
        payer: "payerId".text(),
    }
}

/// Query parameters of the list of questions.
struct QuestionsQuery {
    paging: Paging,
    filter: QuestionFilter,
}

impl Parameters for QuestionsQuery {
    fn read(query: &mut QueryReader) -> Self {
        let paging = Paging::read(query);
        let about = "Return only questions with these statuses, separated by commas.";
        let schema = Description::inline::<schemas::QuestionStatuses>;
        let statuses = query.read::<Statuses>("status", about, schema);
        let category = query.text("category", "Return only questions of this category.");
        let statuses = statuses.map(|Statuses(statuses)| statuses).unwrap_or_default();
        Self { paging, filter: QuestionFilter { statuses, category, agent: None } }
    }
}

/// List the questions of a group.
///
/// Newest first, without answers and without the items of receipts. Long prompts are cut to 300
/// characters. One request examines at most 1000 questions, so a page may have fewer questions than
/// `limit` and still have a next page.
#[utoipa::path(get, path = "/api/groups/{groupId}/questions", tag = "questions",
    responses((status = OK, body = List<QuestionView>)))]
async fn list_questions(
    State(app): State<App>,
    AsMember(member_key, QuestionsQuery { paging, filter }): AsMember<QuestionsQuery>,
    Context { now, .. }: Context,
) -> Result<List<QuestionView>, Problem> {
    let list_id = ListId::new("questions", &member_key.group).filtered(&filter);
    let page = paging.page(&list_id)?;
    let questions = app.table.questions(member_key, &filter, &page, now).await?;
    Ok(paging.list(&list_id, questions))
}

/// Ask a question.
///
/// A question of type `items` has a receipt: the body of an `itemized` expense that waits for the
/// members to claim what they had. An API token may ask, and is named in the question.
#[utoipa::path(post, path = "/api/groups/{groupId}/questions", tag = "questions",
    responses((status = CREATED, body = Data<QuestionView>)),
    extensions(("x-errors" = json!([Code::TooManyQuestions, Code::TooManySplits]))))]
async fn ask_question(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    via: Credential,
    once: Once<CreateQuestion>,
) -> Result<Response, Problem> {
    let idempotency = once.key.idempotency::<_, QuestionView>("ask-question");
    let asked = app.table.ask(member_key, &once.body, via.agent(), &idempotency).await?;
    respond(StatusCode::CREATED, &idempotency, asked)
}

/// Get a question with its answers, or its receipt with the claims.
///
/// While an open receipt is claimed, `preview` has the shares that applying it with `claimers`
/// would record now.
#[utoipa::path(get, path = "/api/groups/{groupId}/questions/{questionId}", tag = "questions",
    responses((status = OK, body = Data<QuestionView>)))]
async fn get_question(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    Id(question): Id<QuestionId>,
    Context { now, .. }: Context,
) -> Result<Data<QuestionView>, Problem> {
    Ok(Data::new(app.table.question(member_key, question, now).await?.into()))
}

/// Answer a question with a text or a choice.
///
/// Each member who is asked answers once. Any member may answer for a guest, for whom there are no
/// points.
#[utoipa::path(post, path = "/api/groups/{groupId}/questions/{questionId}/answers",
    tag = "questions", responses((status = CREATED, body = Data<AnsweredView>)),
    extensions(("x-errors" = json!([
        Code::NotAllowed, Code::AlreadyAnswered, Code::QuestionClosed,
    ]))))]
async fn answer_question(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    Id(question): Id<QuestionId>,
    once: Once<AnswerQuestion>,
) -> Result<Response, Problem> {
    let idempotency = once.key.idempotency::<_, AnsweredView>("answer-question");
    let answered = app.table.answer(member_key, question, &once.body, &idempotency).await?;
    respond(StatusCode::CREATED, &idempotency, answered)
}

/// Claim items of a receipt.
///
/// The claims replace earlier ones of the member, until the question is over. An empty list says
/// that the member had nothing.
#[utoipa::path(put, path = "/api/groups/{groupId}/questions/{questionId}/claims",
    tag = "questions", responses((status = OK, body = Data<AnsweredView>)),
    extensions(("x-errors" = json!([
        Code::NotAllowed, Code::QuestionClosed, Code::TooManySplits,
    ]))))]
async fn claim_items(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    Id(question): Id<QuestionId>,
    once: Once<ClaimItems>,
) -> Result<Response, Problem> {
    let idempotency = once.key.idempotency::<_, AnsweredView>("claim-items");
    let claimed = app.table.claim(member_key, question, &once.body, &idempotency).await?;
    respond(StatusCode::OK, &idempotency, claimed)
}

/// Close a question.
///
/// Allowed for its asker. A question that is over stays as it is. The receipt of a closed question
/// can still be applied.
#[utoipa::path(post, path = "/api/groups/{groupId}/questions/{questionId}/close",
    tag = "questions", responses((status = OK, body = Data<QuestionView>)),
    extensions(("x-errors" = json!([Code::NotAllowed]))))]
async fn close_question(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    Id(question): Id<QuestionId>,
    once: Once<()>,
) -> Result<Response, Problem> {
    let idempotency = once.key.idempotency::<_, QuestionView>("close-question");
    let closed = app.table.close_question(member_key, question, &once.body, &idempotency).await?;
    respond(StatusCode::OK, &idempotency, closed)
}

/// Apply a receipt: record the expense that its claims give, and close the question.
///
/// Allowed for the asker and the payers, and for any member if a guest paid. Repeated, it returns
/// the same expense. Claims and sharers of members who have left are ignored.
#[utoipa::path(post, path = "/api/groups/{groupId}/questions/{questionId}/apply",
    tag = "questions", responses((status = OK, body = Data<ExpenseView>, headers(("ETag")))),
    extensions(("x-errors" = json!([
        Code::NotAllowed, Code::ItemsUnclaimed, Code::PayerLeft, Code::AlreadyApplied,
        Code::TooManySplits,
    ]))))]
async fn apply_receipt(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    Id(question): Id<QuestionId>,
    once: Once<ApplyReceipt>,
) -> Result<Response, Problem> {
    let idempotency = once.key.idempotency::<_, ExpenseView>("apply-receipt");
    let applied = app.table.apply_receipt(member_key, question, &once.body, &idempotency);
    respond_tagged(StatusCode::OK, &idempotency, applied.await?)
}
