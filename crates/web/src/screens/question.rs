//! A question: answer it, claim the items of its receipt with one thumb, and watch it fill.

use axum::extract::State;
use fracti_core::{
    decisions::questions::{QuestionDetail, STAND_IN, SeenQuestion},
    group::Member,
    questions::{answer::Answerer, question::QuestionType, receipt::Receipt},
    split::{Line, LineKind, PreviewedShare, Sharing},
    values::{
        decimal::Decimal,
        id::{MemberId, QuestionId, UserId},
        question_status::QuestionStatus,
        time::Timestamp,
    },
};
use fracti_http::{
    App, AsMember, Context, Description, Id, Parameters, Problem, QueryReader, schemas,
};
use maud::{Markup, html};

use super::questions::asked_by;
use crate::{
    fragment::Fragment,
    text::{Texts, sentence},
    ui::{self, Names},
};

/// Seconds after which a question that takes answers is shown again.
const REFRESH: u32 = 5;

/// The guest for whom the reader answers.
pub(crate) struct QuestionQuery {
    guest: Option<MemberId>,
}

impl Parameters for QuestionQuery {
    fn read(query: &mut QueryReader) -> Self {
        let member = Description::inline::<schemas::MemberId>;
        Self { guest: query.read("guest", "Guest for whom the reader answers.", member) }
    }
}

pub(crate) async fn show(
    State(app): State<App>,
    AsMember(member_key, query): AsMember<QuestionQuery>,
    Id(id): Id<QuestionId>,
    Context { now, .. }: Context,
    l: Texts,
) -> Result<Fragment, Problem> {
    let seen = app.table.question(member_key, id, now).await?;
    let members = seen.detail.as_ref().map(|it| &*it.members).unwrap_or_default();
    let names = Names::new(l, member_key.user.into(), members);
    let is_open = matches!(seen.status, QuestionStatus::Open | QuestionStatus::Partial);
    let link =
        ui::start_link(app.bot_username.as_deref(), member_key.group, ui::Start::Question(id));
    let view = QuestionScreen {
        l,
        seen: &seen,
        names: &names,
        members,
        user: member_key.user,
        is_open,
        link,
        guest: None,
        now,
    };
    let guest = view.guests().find(|it| Some(it.id) == query.guest);
    let view = QuestionScreen { guest, ..view };
    Ok(Fragment(view.html()))
}

struct QuestionScreen<'a> {
    l: Texts,
    seen: &'a SeenQuestion,
    names: &'a Names<'a>,
    members: &'a [Member],
    user: UserId,
    is_open: bool,
    /// Opens the question in Telegram.
    link: String,
    /// The guest for whom the reader answers.
    guest: Option<&'a Member>,
    now: Timestamp,
}

impl<'a> QuestionScreen<'a> {
    fn api(&self, rest: &str) -> String {
        let question = &self.seen.question;
        format!("/api/groups/{}/questions/{}{rest}", question.group_id, question.id)
    }

    fn path(&self) -> String {
        ui::group_path(self.seen.question.group_id)
    }

    /// Whether members can still answer: nothing changes in an archived group.
    fn takes_answers(&self) -> bool {
        self.is_open && !self.seen.archived
    }

    /// The guests for whom any member may answer now.
    fn guests(&self) -> impl Iterator<Item = &'a Member> {
        let guests = self.members.iter().filter(|it| it.guest && it.linked_to.is_none());
        guests.filter(|it| self.takes_answers() && self.seen.question.is_open_for(it, self.now))
    }

    /// The path of this screen, for the reader's own answer.
    fn own(&self) -> String {
        format!("{}/questions/{}", self.path(), self.seen.question.id)
    }

    fn html(&self) -> Markup {
        let (l, now) = (self.l, self.now);
        let question = &self.seen.question;
        let prompt = self.seen.prompt.as_ref().map_or(&*question.prompt, |it| it.as_str());
        let detail = self.seen.detail.as_deref();
        let receipt = detail.and_then(|it| Some((it, it.receipt.as_ref()?)));
        html! {
            a.back href={ (self.path()) "/questions" } { (l.questions()) }
            h1 tabindex="-1" data-title { (ui::name(prompt)) }
            p.hint.about {
                (asked_by(l, question, self.user))
                ", " (ui::moment(l, question.created_at, now.day())) " · "
                (l.answered_of(question.answered.len(), question.required_responses))
                // An archived group takes no answers, so an open question is not called open.
                @if !(self.is_open && self.seen.archived) {
                    " · "
                    (l.question_status(self.seen.status))
                }
                @if let Some((_, receipt)) = receipt {
                    " · " (l.paid_by()) ": "
                    (ui::listed(receipt.payers.iter().map(|it| self.names.shown(it.user_id))))
                }
            }
            div data-refresh=[self.takes_answers().then_some(REFRESH)] {}
            @if self.is_open && !self.takes_answers() { p.card.empty { (l.is_archived()) } }
            @if self.takes_answers() {
                section.card.actions {
                    button.small-button type="button" data-share-link=(self.link)
                        data-text=(prompt) {
                        (l.share_link())
                    }
                }
            }
            @if let Some(id) = question.expense_id {
                p.card.empty { a href={ (self.path()) "/expenses/" (id) } { (l.show_expense()) } }
            }
            @match (receipt, detail) {
                (Some((detail, receipt)), _) => (self.receipt(detail, receipt)),
                (None, Some(detail)) => { (self.form()) (self.answers(detail)) },
                (None, None) => {},
            }
            (self.for_guests())
            @if self.takes_answers() && question.asked_by == self.user {
                form.card.actions action=(self.api("/close")) data-method="POST" data-then=""
                    data-ask=(self.l.ask_close()) data-done=(self.l.question_closed()) {
                    button.small-button.danger {
                        (if receipt.is_some() { l.close_receipt() } else { l.close() })
                    }
                }
            }
        }
    }

    /// Leads to answers for guests, who have no Telegram, and back to the reader's own.
    fn for_guests(&self) -> Markup {
        let l = self.l;
        let has_answered = |it: &Member| self.seen.question.has_answered(it);
        let mut guests: Vec<_> = self.guests().collect();
        guests.sort_by_key(|it| has_answered(it));
        html! {
            @if self.guest.is_some() {
                section.card.actions { a.small-button href=(self.own()) { (l.answer_for_me()) } }
            } @else if !guests.is_empty() {
                section {
                    form.card.fields action=(self.own()) data-get {
                        (ui::field("guest", l.answer_for_guest(), &html! {
                            select #guest name="guest" { @for guest in guests {
                                option value=(guest.id) {
                                    (self.names.of(guest.id))
                                    @if has_answered(guest) { " · " (l.has_answered()) }
                                }
                            } }
                        }))
                        (ui::save(l.answer_now()))
                    }
                }
            }
        }
    }

    /// Says in a form for whom it answers.
    fn whose(&self) -> Markup {
        html! {
            @if let Some(guest) = self.guest { input type="hidden" name="userId" value=(guest.id); }
        }
    }

    /// The form of an answer with a text or a choice.
    fn form(&self) -> Markup {
        let l = self.l;
        let question = &self.seen.question;
        html! {
            @if self.guest.is_some() || self.seen.can_answer {
                form action=(self.api("/answers")) data-method="POST"
                    data-then=(self.guest.map_or_else(String::new, |_| self.own()))
                    data-done=(self.l.answered()) novalidate {
                    (self.whose())
                    div.card.fields {
                        @if let Some(guest) = self.guest {
                            p.hint { (l.for_the_guest(self.names.of(guest.id))) }
                        }
                        @if question.question_type == QuestionType::MultipleChoice {
                            @for (index, option) in question.options.iter().enumerate() {
                                label.check {
                                    input type="radio" name="selectedOption" value=(index)
                                        data-json;
                                    (ui::name(option))
                                }
                            }
                        } @else {
                            (ui::field("answer", l.answer(), &html! {
                                textarea #answer name="answer" rows="3" maxlength="2000" {}
                            }))
                        }
                    }
                    (ui::submit(l.answer_it()))
                }
            } @else if self.seen.has_answered {
                p.card.empty { (l.you_answered()) }
            }
        }
    }

    fn answers(&self, detail: &QuestionDetail) -> Markup {
        let l = self.l;
        let question = &self.seen.question;
        html! {
            section {
                h2 { (l.answers()) }
                @if !detail.shows_answers { p.card.empty { (l.hidden_answers()) } }
                @else if detail.answers.is_empty() { p.card.empty { (l.no_answers()) } }
                ul.card.list { @for answer in &detail.answers {
                    li.row {
                        @match &answer.by {
                            Answerer::Named { member_id, member_name, .. } => {
                                (self.names.avatar(*member_id))
                                span.grow { (self.names.shown_stored(*member_id, member_name)) }
                            },
                            Answerer::Anonymous { .. } => { span.grow { (l.someone()) } },
                        }
                        @if let Some(text) = &answer.answer { span.effect { (ui::name(text)) } }
                        @let option = answer.selected_option;
                        @if let Some(option) = option.and_then(|it| question.options.get(it)) {
                            span.effect { (ui::name(option)) }
                        }
                    }
                } }
            }
        }
    }

    fn receipt(&self, detail: &QuestionDetail, receipt: &Receipt) -> Markup {
        let l = self.l;
        let claims = self.guest.is_some() || self.seen.can_answer || self.seen.has_answered;
        html! {
            section.card.hero {
                p {
                    span.hint {
                        (ui::name(&receipt.description))
                        @if self.is_open { " · " (l.not_recorded_yet()) }
                    }
                    (ui::big(&l.money(receipt.amount, receipt.currency)))
                }
            }
            @if self.takes_answers() && claims { (self.claim_form(detail, receipt)) }
            @else { ul.card.list { @for (index, line) in receipt.lines.iter().enumerate() {
                li.row {
                    (self.line(detail, receipt, index, line))
                    (ui::money(l, line.added(), receipt.currency))
                }
            } } }
            // Items without claims are owed only once the question is closed.
            @let claimed = detail.claimed.as_ref().filter(|_| self.is_open);
            @if claimed.is_some_and(|it| of_claimers(it).next().is_none()) {}
            @else if let Some(claimed) = claimed {
                section {
                    @let left = claimed.iter().find(|it| it.user == *STAND_IN);
                    @let left = left.map(|it| it.amount.to_major());
                    h2 {
                        @if let Some(left) = left.filter(|it| *it != Decimal::ZERO) {
                            (l.shares_claimed(l.money(left, receipt.currency)))
                        }
                        @else { (l.shares_now()) }
                    }
                    ul.card.list { @for share in of_claimers(claimed) {
                        li.row {
                            (self.names.avatar(share.user))
                            span.grow { (self.names.shown(share.user)) }
                            (ui::money(l, share.amount.to_major(), receipt.currency)) }
                    } }
                }
            } @else if let Some(shares) = &detail.preview {
                section {
                    h2 { (l.shares_now()) }
                    ul.card.list { @for (share, name) in shares {
                        li.row {
                            (self.names.avatar(share.user))
                            span.grow { (self.names.shown_stored(share.user, name)) }
                            @if share.or.is_some() { "≈ " }
                            (ui::money(l, share.amount.to_major(), receipt.currency))
                            }
                    } }
                }
            }
            @if self.may_apply(receipt) { (self.apply_form(detail, receipt)) }
        }
    }

    /// Everything that is claimed, in the order of the receipt; each row is one tap.
    fn claim_form(&self, detail: &QuestionDetail, receipt: &Receipt) -> Markup {
        let l = self.l;
        let lines = || receipt.lines.iter().enumerate();
        let whose = self.guest.map_or_else(|| self.user.into(), |it| it.id);
        let guest = self.guest.map(|it| self.names.of(it.id));
        let then = self.guest.map_or_else(|| self.path(), |_| self.own());
        let mine = |index: usize| {
            let item = receipt.claims_of(index, &detail.claims)?;
            item.claims.get(&whose).copied()
        };
        // A claim without a number is one thing.
        let pieces = |count: Option<Decimal>| count?.at_scale(0).filter(|it| *it > 0);
        let things = lines().filter_map(|(index, _)| mine(index));
        let count: i128 = things.map(|count| pieces(count).unwrap_or(1)).sum();
        let claimed = || detail.claimed.iter().flatten();
        let of = |is: &dyn Fn(MemberId) -> bool| {
            let share = claimed().find(|share| is(share.user));
            share.map_or(Decimal::ZERO, |share| share.amount.to_major())
        };
        let amount = of(&|id| id == whose);
        let left = of(&|id| id == *STAND_IN);
        let things = count.try_into().unwrap_or_default();
        let label = l.had_things(guest, things, &l.money(amount, receipt.currency));
        html! {
            form action=(self.api("/claims")) data-method="PUT" data-save data-list="items" {
                (self.whose())
                h2 {
                    @if let Some(name) = guest { (l.what_did_guest_have(name)) }
                    @else { (l.what_did_you_have()) }
                }
                ul.card.list.claims {
                    @for (index, line) in lines() {
                        @let my = mine(index);
                        li.row data-row {
                            @if is_claimed_by_taps(line) {
                                div.line {
                                    label.grow.check {
                                        input type="checkbox" data-counts
                                            name={ "items[" (index) "].item" } value=(index)
                                            data-json
                                            checked[my.is_some()];
                                        (title(l, line))
                                    }
                                    (ui::money(l, line.added(), receipt.currency))
                                }
                                (self.faces(detail, receipt, index, line))
                                @if line.quantity.is_some_and(|it| it != Decimal::new(1, 0)) {
                                    span.stepper {
                                        button type="button" data-step="-1"
                                            aria-label={ (l.less()) ": " (line.name) } {
                                            "−"
                                        }
                                        input.num name={ "items[" (index) "].count" }
                                            inputmode="decimal" data-number data-least="1"
                                            value=[my.flatten().map(|it| l.number_field(it))]
                                            placeholder="0"
                                            aria-label={ (l.quantity()) ": " (line.name) };
                                        button type="button" data-step="1"
                                            aria-label={ (l.more_of()) ": " (line.name) } {
                                            "+"
                                        }
                                    }
                                }
                            } @else {
                                (self.line(detail, receipt, index, line))
                                (ui::money(l, line.added(), receipt.currency))
                            }
                        }
                    }
                }
                @if left != Decimal::ZERO {
                    p.note.hint { b { (l.nobody_yet(l.money(left, receipt.currency))) } }
                }
                @if detail.claimed.iter().flat_map(|it| of_claimers(it)).next().is_some() {
                    (self.extras(receipt))
                }
                p.error data-problem role="alert" hidden {}
                @if count == 0 {
                    button.more data-then=(then) {
                        @if let Some(name) = guest { (l.nothing_of(name)) }
                        @else { (l.nothing_share()) }
                    }
                }
                @else { button.main-button data-main data-then=(then) { (label) } }
            }
        }
    }

    /// Names the taxes, tips, fees and discounts, which the sums include without a claim.
    fn extras(&self, receipt: &Receipt) -> Markup {
        let extras = || receipt.lines.iter().filter(|it| it.kind != LineKind::Item);
        let named = ui::listed(extras().map(|it| ui::name(&it.name)));
        html! {
            @if extras().next().is_some() {
                p.note.hint { (sentence([named], |[extras]| self.l.with_extras(extras))) }
            }
        }
    }

    /// A line and who has it.
    fn line(
        &self,
        detail: &QuestionDetail,
        receipt: &Receipt,
        index: usize,
        line: &Line<Decimal>,
    ) -> Markup {
        html! { span.grow { (title(self.l, line)) (self.faces(detail, receipt, index, line)) } }
    }

    /// Who has a line, and what is left of it.
    fn faces(
        &self,
        detail: &QuestionDetail,
        receipt: &Receipt,
        index: usize,
        line: &Line<Decimal>,
    ) -> Markup {
        let l = self.l;
        let claims = receipt.claims_of(index, &detail.claims);
        html! {
            small.hint.faces {
                @match (&line.sharing, &claims) {
                    (Sharing::Sharers { sharers }, None) if !sharers.is_empty() => {
                        @for member in sharers.keys() { (self.names.avatar(*member)) }
                        span { (l.fixed_sharers()) }
                    },
                    (_, Some(item)) if is_claimed_by_taps(line) => {
                        @if item.claims.is_empty() { (l.unclaimed()) }
                        @for (place, (member, count)) in item.claims.iter().enumerate() {
                            @if place > 0 { " · " }
                            span.face {
                                (self.names.avatar(*member)) " " (self.names.shown(*member))
                                @if let Some(count) = count { " × " (number(l, *count)) }
                            }
                        }
                        @let left = item.unclaimed.filter(|it| *it != Decimal::ZERO);
                        @if let Some(left) = left.filter(|_| !item.claims.is_empty()) {
                            " · " b data-left { (l.pieces_left(l.number(left))) }
                        }
                        @if item.overclaimed { " · " b.minus data-left { (l.overclaimed()) } }
                    },
                    // The name of one that has none of its own is its kind.
                    _ => {
                        @let kind = l.line(line.kind);
                        @if line.kind != LineKind::Item && line.name.as_str() != kind { (kind) }
                    },
                }
            }
        }
    }

    /// Whether the reader may record the expense: the asker, a payer, or anybody if a guest paid.
    fn may_apply(&self, receipt: &Receipt) -> bool {
        let question = &self.seen.question;
        let pays = |id: MemberId| id == self.user || id.guest().is_some();
        let is_present = self.members.iter().any(|it| it.id == self.user && it.is_present());
        question.expense_id.is_none()
            && !self.seen.archived
            && is_present
            && (question.asked_by == self.user || receipt.payers.iter().any(|it| pays(it.user_id)))
    }

    fn apply_form(&self, detail: &QuestionDetail, receipt: &Receipt) -> Markup {
        let l = self.l;
        // Without a claim, there is no claimer who could share the rest: the API refuses it.
        let has_claims = (0..receipt.lines.len())
            .filter_map(|index| receipt.claims_of(index, &detail.claims))
            .any(|it| !it.claims.is_empty());
        html! {
            form action=(self.api("/apply")) data-method="POST"
                data-then={ (self.path()) "/expenses/{id}" } data-done=(l.expense_recorded()) {
                h2 { (l.record_expense()) }
                div.card.fields {
                    (ui::field("unclaimed", l.rest_to(), &html! {
                        select #unclaimed name="unclaimed" {
                            @if has_claims { option value="claimers" { (l.rest_claimers()) } }
                            option value="payers"
                                data-ask=[(!has_claims).then(|| l.without_claims())] {
                                (l.rest_payers())
                            }
                            option value="reject" { (l.rest_reject()) }
                        }
                    }))
                    p.error data-problem role="alert" hidden {}
                    button.small-button { (l.record_expense()) }
                }
            }
        }
    }
}

/// The name of a line, and how many pieces it has.
fn title(l: Texts, line: &Line<Decimal>) -> Markup {
    html! {
        span {
            (ui::name(&line.name))
            @if let Some(quantity) = line.quantity {
                // Outside of the part that is written from left to right.
                " "
                span.hint {
                    "×\u{a0}"
                    (number(l, quantity))
                    @if quantity != Decimal::new(1, 0) { small { (l.for_all()) } }
                }
            }
        }
    }
}

/// A number of pieces.
fn number(l: Texts, number: Decimal) -> Markup {
    html! { bdi.num { (l.number(number)) } }
}

/// The shares of the members who have claimed something.
fn of_claimers(claimed: &[PreviewedShare]) -> impl Iterator<Item = &PreviewedShare> {
    claimed.iter().filter(|share| share.user != *STAND_IN)
}

/// Whether members claim the line: an item without sharers.
fn is_claimed_by_taps(line: &Line<Decimal>) -> bool {
    line.kind == LineKind::Item && line.sharers().next().is_none()
}
