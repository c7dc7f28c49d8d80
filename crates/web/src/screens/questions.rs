//! The questions of a group.

use axum::extract::State;
use fracti_core::{
    questions::question::{Question, QuestionFilter},
    values::id::UserId,
};
use fracti_http::{App, AsMember, Context, Problem};
use fracti_store::Page;
use maud::{Markup, html};

use crate::{
    fragment::Fragment,
    text::{Texts, sentence},
    ui,
};

/// Questions on the screen.
const QUESTIONS: usize = 50;

pub(crate) async fn show(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    Context { now, .. }: Context,
    l: Texts,
) -> Result<Fragment, Problem> {
    let page = Page { limit: QUESTIONS, after: None };
    let filter = QuestionFilter::default();
    let questions = app.table.questions(member_key, &filter, &page, now).await?;
    let path = ui::group_path(member_key.group);
    Ok(Fragment(html! {
        a.back href={ (path) "/more" } { (l.more()) }
        h1 tabindex="-1" data-title { (l.questions()) }
        @if questions.items.is_empty() { p.card.empty { (l.no_questions()) } }
        ul.card.list {
            @for seen in &questions.items {
                @let question = &seen.question;
                li { a.row href={ (path) "/questions/" (question.id) } {
                    span.grow {
                        span.name { (ui::name(&question.prompt)) }
                        small.hint {
                            @if let Some(receipt) = &question.receipt {
                                (ui::name(&receipt.description))
                                " · " (ui::money(l, receipt.amount, receipt.currency)) " · "
                            }
                            (asked_by(l, question, member_key.user))
                            ", " (ui::moment(l, question.created_at, now.day()))
                        }
                    }
                    @if seen.can_answer { b.to-answer { (l.answer_now()) } }
                    @else { small.tag { (l.question_status(seen.status)) } }
                } }
            }
        }
        @if !questions.items.iter().any(|it| it.archived) {
            a.main-button data-main href={ (path) "/questions/new" } { (l.new_question()) }
        }
    }))
}

/// Who asked the question.
pub(crate) fn asked_by(l: Texts, question: &Question, me: UserId) -> Markup {
    if question.asked_by == me {
        return html! { (l.asked_by_you()) };
    }
    sentence([ui::name(&question.asked_by_name)], |[name]| l.asked_by(name))
}
