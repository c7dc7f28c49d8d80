//! The form of a question: a text, a choice, or a receipt whose items members claim.

use axum::extract::State;
use fracti_core::{group::Group, questions::question::QuestionType, split::LineKind};
use fracti_http::{App, AsMember, Parameters, Problem, QueryReader};
use maud::{Markup, html};

use super::frame::archived;
use crate::{
    fragment::Fragment,
    text::Texts,
    ui::{self, Names},
};

/// Members whom an audience can name.
const AUDIENCE: usize = 50;

/// Options of a choice.
const OPTIONS: usize = 10;

/// Those that are shown at first. The next one is shown once the last one is filled.
const FIRST: usize = 2;

/// Types of questions in the order of their tabs.
const TYPES: [QuestionType; 3] =
    [QuestionType::Items, QuestionType::MultipleChoice, QuestionType::Text];

/// The type of the question; by default a receipt.
pub(crate) struct TypeQuery(QuestionType);

impl Parameters for TypeQuery {
    fn read(query: &mut QueryReader) -> Self {
        Self(query.text("type", "Type of the question.").unwrap_or(QuestionType::Items))
    }
}

pub(crate) async fn show(
    State(app): State<App>,
    AsMember(member_key, TypeQuery(chosen)): AsMember<TypeQuery>,
    l: Texts,
) -> Result<Fragment, Problem> {
    let (group, members, ledger) = app.table.group_and_ledger(member_key).await?;
    if group.archived {
        return Ok(Fragment(archived(l, &group)));
    }
    let names = Names::new(l, member_key.user.into(), &members);
    let users: Vec<_> =
        members.iter().filter(|it| it.is_present() && !it.guest).map(|it| it.id).collect();
    let path = format!("{}/questions", ui::group_path(group.id));
    let tab = |it: QuestionType| (l.question_type(it), format!("{path}/new?type={it}"));
    let shown = TYPES.iter().position(|it| *it == chosen).unwrap_or_default();
    Ok(Fragment(html! {
        a.back href=(path) { (l.questions()) }
        h1 tabindex="-1" data-title { (l.new_question()) }
        (ui::tabs(l.question_type(chosen), &TYPES.map(tab), shown))
        form action={ "/api/groups/" (group.id) "/questions" } data-method="POST"
            data-then={ (path) "/{id}" } data-done=(l.asked())
            data-used=(ui::used(&ledger)) novalidate {
            input type="hidden" name="type" value=(chosen);
            div.card.fields {
                (ui::field("prompt", l.prompt(), &html! {
                    input #prompt name="prompt" maxlength="2000" autocomplete="off"
                        value=[(chosen == QuestionType::Items).then(|| l.who_had_what())];
                }))
                @match chosen {
                    QuestionType::Items => (receipt(l, &group)),
                    QuestionType::MultipleChoice => {
                        (options(l))
                        // The API asks all users but the asker, who votes, too.
                        @if users.len() <= AUDIENCE {
                            @for (index, id) in users.iter().enumerate() {
                                input type="hidden" name={ "audience[" (index) "]" } value=(id);
                            }
                        }
                    },
                    QuestionType::Text => {},
                }
                @if chosen == QuestionType::Items {
                    div.field {
                        span.label { (l.total_label()) }
                        output.num data-sum-of-lines aria-label=(l.total_label()) { "–" }
                    }
                    (ui::field("payer", l.paid_by(), &html! {
                        select #payer name="receipt.payerId" {
                            @let present = members.iter().filter(|it| it.is_present());
                            @for member in present.filter(|it| it.linked_to.is_none()) {
                                option value=(member.id) selected[names.is_me(member.id)] {
                                    (names.of(member.id))
                                }
                            }
                        }
                    }))
                } @else {
                    label.check {
                        input type="checkbox" name="anonymous" value="true" data-json;
                        (l.anonymous())
                    }
                }
            }
            (ui::submit(l.ask()))
        }
    }))
}

fn options(l: Texts) -> Markup {
    html! {
        @for index in 0..OPTIONS {
            @let label = l.option_number(index.saturating_add(1));
            div.field data-grows hidden[index >= FIRST] {
                label for={ "option-" (index) } { (label) }
                input id={ "option-" (index) } name={ "options[" (index) "]" } maxlength="100"
                    autocomplete="off";
            }
        }
    }
}

/// What was paid for, and the lines of the receipt.
fn receipt(l: Texts, group: &Group) -> Markup {
    html! {
        (ui::field("description", l.what_for(), &html! {
            input #description name="receipt.description" maxlength="200" autocomplete="off";
        }))
        input type="hidden" name="receipt.date" data-today;
        div.field { (ui::currency_field(l, "currency", "receipt.currency", group.currency)) }
        div.field {
            p.hint { (l.line_amounts()) }
            div.line-fields aria-hidden="true" {
                span.label.grow { (l.line_name()) }
                span.label.pieces { (l.quantity()) }
                span.label.num { (l.price_of_all()) }
                span.small-button {}
            }
        }
        @for index in ["0", "1"] { (line(l, index, LineKind::Item)) }
        template #line { (line(l, "#", LineKind::Item)) }
        button.small-button type="button" data-add="line" data-next="2" { (l.add_line()) }
        template #extra { (line(l, "#", LineKind::Tip)) }
        button.small-button type="button" data-add="extra" data-next="500" { (l.add_extra()) }
    }
}

/// A line of the receipt: an item with its pieces, or a tax, a tip, a fee or a discount.
fn line(l: Texts, index: &str, kind: LineKind) -> Markup {
    let at = |field: &str| format!("receipt.items[{index}].{field}");
    let extras = [LineKind::Tax, LineKind::Tip, LineKind::Fee, LineKind::Discount];
    html! {
        div.field data-row { div.line-fields {
            @if kind == LineKind::Item {
                input name=(at("name")) maxlength="100" autocomplete="off"
                    aria-label=(l.line_name()) placeholder=(l.line_name());
                input.pieces name=(at("quantity")) inputmode="decimal" autocomplete="off"
                    data-number
                    aria-label=(l.quantity()) placeholder="× 1";
            } @else {
                select name=(at("kind")) aria-label=(l.line_kind()) {
                    @for it in extras { option value=(it) selected[it == kind] { (l.line(it)) } }
                }
                input type="hidden" name=(at("name")) value=(l.line(kind));
            }
            input.num name=(at("amount")) inputmode="decimal" autocomplete="off" data-decimal
                placeholder="0"
                aria-label=(match kind {
                    LineKind::Item => l.price_of_all(),
                    _ => l.amount_label(),
                });
            button.small-button type="button" data-remove aria-label=(l.remove_line()) { "✕" }
        } }
    }
}
