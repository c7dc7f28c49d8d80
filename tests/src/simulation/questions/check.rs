//! Compares the rows of questions, answers and points with the requests of a run.

use std::collections::{BTreeMap, BTreeSet};

use fracti_core::{
    questions::{
        answer::{Answer, Answerer},
        points::Badge,
        question::Question,
        receipt::Claim,
    },
    records::expense::Expense,
    values::{currency::Currency, text::AnswerText, time::Timestamp},
};
use serde_json::{Value, json};

use super::{
    Kind, Model, Sent, Span, USERS,
    receipt::{claims, items, quantity, same_ratios, scaled, shares_are, weights},
};
use crate::simulation::{Finding, Outcome, state::State};

/// The rows of a run, and its requests.
struct Audit<'a> {
    state: &'a State,
    model: &'a Model,
    /// Time at the end of the run.
    now: Timestamp,
    findings: Vec<Finding>,
}

/// Findings about the questions of a run. `seen` has the response for each question, by its id.
pub(super) fn check(
    state: &State,
    model: &Model,
    seen: &BTreeMap<String, Value>,
    now: Timestamp,
) -> Vec<Finding> {
    let mut audit = Audit { state, model, now, findings: model.findings.clone() };
    audit.check_asked();
    for answer in &state.answers {
        if audit.sent_of(answer).is_none() {
            let text = format!("{answer:?} was not sent, or was refused");
            audit.findings.push(Finding::Twice(text));
        }
    }
    for question in &state.questions {
        let asked = model.sent.iter().find(|it| it.asked(question));
        let (Some(asked), Some(seen)) = (asked, seen.get(&question.id.to_string())) else {
            audit.findings.push(Finding::Wrong(format!("{question:?} was not asked or not seen")));
            continue;
        };
        audit.check_answers(question, asked);
        audit.check_end(question);
        audit.check_seen(question, asked, seen);
        audit.check_expense(question, asked, seen);
    }
    for sent in &model.sent {
        audit.check_outcome(sent);
    }
    for user in 1..=USERS {
        audit.check_points(user);
    }
    audit.findings
}

impl Sent {
    /// Whether it is the request that asked the question.
    fn asked(&self, question: &Question) -> bool {
        self.kind == Kind::Ask && self.body["prompt"] == question.prompt
    }

    /// The member whose answer it is.
    fn member(&self) -> &str {
        self.body["userId"].as_str().unwrap_or_default()
    }

    fn is_own(&self) -> bool {
        self.member() == self.user.to_string()
    }

    fn is_of(&self, question: &Question, kind: Kind) -> bool {
        self.kind == kind && self.question == question.id.to_string()
    }

    /// Points for it, if it is the first answer of a user.
    fn points(&self, question: &Question) -> u64 {
        match question.question_type.to_string().as_str() {
            _ if !self.is_own() => 0,
            "multiple_choice" => 5,
            _ => 10,
        }
    }
}

impl Model {
    /// Whether a user was away for a part of a span; `None` for any user.
    fn may_be_absent(&self, user: Option<&str>, span: Span) -> bool {
        self.absences.iter().any(|it| {
            user.is_none_or(|user| user == it.user.to_string())
                && !span.is_before(it.left)
                && !it.back.is_before(span)
        })
    }

    /// Whether a user was away for the whole span.
    fn is_absent(&self, user: u64, span: Span) -> bool {
        let mut absences = self.absences.iter().filter(|it| it.user == user);
        absences.any(|it| it.left.is_before(span) && span.is_before(it.back))
    }

    /// The members who may have been present at a moment of the span: one set, unless a user left
    /// or came back meanwhile.
    fn presences(&self, span: Span) -> Vec<BTreeSet<String>> {
        let mut sets = vec![self.guests.iter().cloned().collect::<BTreeSet<_>>()];
        for user in 1..=USERS {
            let name = user.to_string();
            let mut with = sets.clone();
            for set in &mut with {
                set.insert(name.clone());
            }
            if !self.may_be_absent(Some(&name), span) {
                sets = with;
            } else if !self.is_absent(user, span) {
                sets.extend(with);
            }
        }
        sets
    }

    /// Requests to apply the receipt of a question that may have done so.
    fn applications<'a>(&'a self, question: &'a Question) -> impl Iterator<Item = &'a Sent> {
        self.sent.iter().filter(|it| it.is_of(question, Kind::Apply) && it.is_possible())
    }

    /// Whether a receipt was known to be applied before the request.
    fn is_after_application(&self, sent: &Sent) -> bool {
        self.sent.iter().any(|it| {
            it.kind == Kind::Apply
                && it.question == sent.question
                && it.is_done()
                && it.span.is_before(sent.span)
        })
    }
}

impl Audit<'_> {
    fn question(&self, id: &str) -> Option<&Question> {
        self.state.questions.iter().find(|it| it.id.to_string() == id)
    }

    /// The request that the stored answer is of.
    fn sent_of(&self, answer: &Answer) -> Option<&Sent> {
        let is_one = |it: &&Sent| {
            let claim = |it: &Claim| {
                json!([it.item, it.count.map(|count| count.at_scale(4).unwrap().to_string())])
            };
            let sent = |it: &Value| {
                json!([it["item"], it.get("count").map(|count| scaled(count, 4).to_string())])
            };
            let claims: Option<Vec<Value>> =
                answer.claims.as_ref().map(|all| all.iter().map(claim).collect());
            let items = it.body["items"].as_array().map(|all| all.iter().map(sent).collect());
            let by = match &answer.by {
                Answerer::Named { member_id, answered_by, .. } => {
                    member_id.to_string() == it.member() && answered_by.number() == it.user
                }
                Answerer::Anonymous { .. } => true,
            };
            by && it.is_answer()
                && it.is_possible()
                && it.question == answer.question_id.to_string()
                && it.body["responseTimeMs"].as_u64() == answer.response_time_ms
                && it.body["answer"].as_str() == answer.answer.as_ref().map(AnswerText::as_str)
                && it.body["selectedOption"].as_u64()
                    == answer.selected_option.map(|index| index as u64)
                && claims == items
        };
        self.model.sent.iter().find(is_one)
    }

    /// The requests that the stored answers to a question are of.
    fn answers(&self, question: &Question) -> Vec<&Sent> {
        let answers = self.state.answers.iter().filter(|it| it.question_id == question.id);
        answers.filter_map(|it| self.sent_of(it)).collect()
    }

    /// Each acknowledged question is there once, and no refused one is.
    fn check_asked(&mut self) {
        for sent in self.model.sent.iter().filter(|it| it.kind == Kind::Ask) {
            let ids: Vec<String> = self
                .state
                .questions
                .iter()
                .filter(|it| sent.asked(it))
                .map(|it| it.id.to_string())
                .collect();
            let is_right = match &sent.outcome {
                Outcome::Done(data) => ids.iter().map(String::as_str).eq(data["id"].as_str()),
                Outcome::Unknown => ids.len() < 2,
                Outcome::Refused(_) => ids.is_empty(),
            };
            if !is_right {
                self.findings.push(Finding::Lost(format!("the questions {ids:?} of {sent:?}")));
            }
        }
    }

    /// A question counts the answers that are stored, once for each member, and each is the last
    /// that was acknowledged.
    fn check_answers(&mut self, question: &Question, asked: &Sent) {
        let stored = self.answers(question);
        let number = |it: &Sent| it.body["items"].as_array().map_or(1, Vec::len);
        let mut expected: Vec<(String, usize)> =
            stored.iter().map(|it| (it.member().to_owned(), number(it))).collect();
        expected.sort_unstable();
        let mut counted: Vec<(String, usize)> =
            question.answered.iter().map(|(it, number)| (it.to_string(), *number)).collect();
        counted.sort_unstable();
        let mut found = Vec::new();
        if counted != expected {
            found.push(Finding::Wrong(format!("{question:?} has the answers {expected:?}")));
        }
        for sent in &stored {
            if !asked.asks(sent.member()) {
                found.push(Finding::Wrong(format!("{sent:?} is of a member who is not asked")));
            }
        }
        let answers = self.model.sent.iter().filter(|it| it.is_answer() && it.is_done());
        for sent in answers.filter(|it| it.question == question.id.to_string()) {
            let kept = stored.iter().find(|it| it.member() == sent.member());
            let is_kept = kept.is_some_and(|it| {
                let is_it = it.body["responseTimeMs"] == sent.body["responseTimeMs"];
                is_it || sent.kind == Kind::Claim && !it.span.is_before(sent.span)
            });
            if !is_kept {
                found.push(Finding::Lost(format!("{sent:?} by {kept:?} of {question:?}")));
            }
        }
        self.findings.append(&mut found);
    }

    /// A question is closed by its answers, by its asker or by the expense, and only then.
    fn check_end(&mut self, question: &Question) {
        let is_items = question.receipt.is_some();
        let number = question.answered.len();
        let is_complete = !is_items && number >= question.required_responses;
        let closing = || {
            self.model
                .sent
                .iter()
                .filter(|it| it.is_of(question, Kind::Close))
                .filter(|it| it.is_possible())
        };
        let is_over = question.is_over(self.now);
        let is_wrong = !is_items && number > question.required_responses
            || is_complete && question.closed_at.is_none()
            || closing().any(Sent::is_done) && !is_over
            || question.expense_id.is_some() && question.closed_at.is_none()
            || question.closed_at.is_some()
                && !is_complete
                && question.expense_id.is_none()
                && closing().next().is_none();
        if is_wrong {
            let text = format!("{question:?} with {:?}", closing().collect::<Vec<_>>());
            self.findings.push(Finding::Wrong(text));
        }
    }

    /// The response shows the answers, and of each item who claims it and what is left.
    fn check_seen(&mut self, question: &Question, asked: &Sent, seen: &Value) {
        let mut expected: Vec<&str> = self.answers(question).iter().map(|it| it.member()).collect();
        expected.sort_unstable();
        let answers = seen["answers"].as_array().unwrap();
        let mut shown: Vec<&str> = answers.iter().filter_map(|it| it["userId"].as_str()).collect();
        shown.sort_unstable();
        let mut is_right = question.anonymous || shown == expected;
        if question.anonymous {
            let are_shown = question.is_over(self.now) && expected.len() >= 3;
            is_right =
                shown.is_empty() && answers.len() == if are_shown { expected.len() } else { 0 };
        }
        // At the end of a run all users are back.
        let all = (1..=USERS).map(|it| it.to_string()).chain(self.model.guests.clone()).collect();
        let receipt = &asked.body["receipt"];
        for (index, item) in
            (!receipt.is_null()).then(|| items(receipt)).into_iter().flatten().enumerate()
        {
            let line = &seen["receipt"]["items"][index];
            if !item["sharers"].is_null() {
                is_right &= line.get("claims").is_none();
                continue;
            }
            let claims = claims(&seen["answers"], index, &all);
            let of_line = line["claims"].as_array().unwrap().iter();
            let shown = of_line.map(|it| {
                (it["userId"].as_str().unwrap().to_owned(), it.get("count").map(|it| scaled(it, 4)))
            });
            let rest = quantity(item) - claims.values().flatten().sum::<i128>();
            let is_counted = claims.values().all(Option::is_some);
            let left = if is_counted { rest.max(0) } else { 0 };
            let is_overclaimed = rest < 0 || rest == 0 && !is_counted;
            is_right &= shown.collect::<BTreeMap<_, _>>() == claims
                && line.get("unclaimed").map_or(0, |it| scaled(it, 4)) == left
                && line["overclaimed"].as_bool().unwrap_or(false) == is_overclaimed;
        }
        if !is_right {
            let text = format!("{question:?} of {asked:?} is shown as {seen} with {expected:?}");
            self.findings.push(Finding::Wrong(text));
        }
    }

    /// An applied receipt has one expense, which each request returned, with the claims.
    fn check_expense(&mut self, question: &Question, asked: &Sent, seen: &Value) {
        let id = question.expense_id.map(|it| it.to_string());
        let description = &asked.body["prompt"];
        let expenses = self.state.expenses.iter().filter(|it| *description == it.description);
        let expenses: Vec<&Expense> = expenses.collect();
        let requests: Vec<&Sent> = self.model.applications(question).collect();
        let other = requests.iter().find(|it| match &it.outcome {
            Outcome::Done(data) => data["id"].as_str() != id.as_deref(),
            _ => false,
        });
        let ids: Vec<String> = expenses.iter().map(|it| it.id.to_string()).collect();
        if other.is_some() || !ids.iter().eq(&id) {
            let text = format!("{question:?} has {expenses:?}, and was answered {other:?}");
            return self.findings.push(Finding::Twice(text));
        }
        let Some(expense) = expenses.first() else { return };
        let mut first = requests.iter().filter(|it| !self.model.is_after_application(it));
        if !first.any(|sent| self.expense_is(expense, asked, seen, sent)) {
            let text = format!("{expense:?} of {seen} by {requests:?}");
            self.findings.push(Finding::Off(text));
        }
    }

    /// Whether the request gives this expense.
    fn expense_is(&self, expense: &Expense, asked: &Sent, seen: &Value, sent: &Sent) -> bool {
        let receipt = &asked.body["receipt"];
        let euro: Currency = "EUR".parse().unwrap();
        let minor = |amount| euro.to_minor(amount).unwrap();
        let shares: BTreeMap<String, i64> =
            expense.splits.iter().map(|it| (it.user_id.to_string(), minor(it.amount))).collect();
        let lines: Vec<BTreeMap<String, i128>> = expense
            .items
            .iter()
            .flatten()
            .map(|line| {
                let sharers = line.sharers();
                sharers.map(|(it, weight)| (it.to_string(), weight.at_scale(4).unwrap())).collect()
            })
            .collect();
        let payer = sent.body.get("payerId").unwrap_or(&receipt["payerId"]).as_str().unwrap();
        let payers = [payer.to_owned()].into();
        let unclaimed = sent.body["unclaimed"].as_str().unwrap();
        expense.payer_id.to_string() == payer
            && expense.created_by.is_some_and(|it| it.number() == sent.user)
            && self.model.presences(sent.span).iter().any(|present| {
                let weights = weights(receipt, &seen["answers"], present, &payers, unclaimed);
                present.contains(payer)
                    && weights.is_some_and(|weights| {
                        // The last line is the tax.
                        lines.len() == weights.len() + 1
                            && lines.iter().zip(&weights).all(|(a, b)| same_ratios(a, b))
                            && shares_are(&shares, receipt, &weights)
                    })
            })
    }

    /// A refusal has a reason, and a user who has left does nothing.
    fn check_outcome(&mut self, sent: &Sent) {
        let Outcome::Refused(code) = &sent.outcome else {
            if sent.is_done() && self.model.is_absent(sent.user, sent.span) {
                self.findings.push(Finding::Wrong(format!("{sent:?} of a user who has left")));
            }
            return;
        };
        let model = self.model;
        let question = self.question(&sent.question);
        let asked = question.and_then(|it| model.sent.iter().find(|sent| sent.asked(it)));
        let is_absent = |user: &str| model.may_be_absent(Some(user), sent.span);
        let has_answered = || {
            let mut answered = question.iter().flat_map(|it| it.answered.keys());
            answered.any(|it| it.to_string() == sent.member())
        };
        let is_user = |member: &str| member.parse::<u64>().is_ok();
        let payer = asked.and_then(|it| it.body["receipt"]["payerId"].as_str()).unwrap_or_default();
        let is_applied = model.is_after_application(sent);
        let is_right = match (sent.kind, code.as_str()) {
            (_, "CONFLICT") => true,
            (_, "NOT_A_MEMBER" | "LEFT" | "REMOVED") => is_absent(&sent.user.to_string()),
            (Kind::Ask, "VALIDATION_ERROR") => model.may_be_absent(None, sent.span),
            (Kind::Answer | Kind::Claim, "NOT_ALLOWED") => {
                is_user(sent.member()) && !sent.is_own()
                    || asked.is_some_and(|it| !it.asks(sent.member()))
            }
            (Kind::Answer, "ALREADY_ANSWERED") => has_answered(),
            (Kind::Answer | Kind::Claim, "QUESTION_CLOSED") => {
                question.is_some_and(|it| it.is_over(self.now))
            }
            (Kind::Close, "NOT_ALLOWED") => asked.is_some_and(|it| it.user != sent.user),
            (Kind::Apply, "NOT_ALLOWED") => {
                asked.is_some_and(|it| it.user != sent.user)
                    && is_user(payer)
                    && payer != sent.user.to_string()
            }
            (Kind::Apply, "ITEMS_UNCLAIMED") => !is_applied && sent.body["unclaimed"] != "payers",
            (Kind::Apply, "PAYER_LEFT") => !is_applied && is_absent(payer),
            (Kind::Apply, "VALIDATION_ERROR") => !is_applied && sent.body.get("payerId").is_some(),
            _ => false,
        };
        if !is_right {
            let text = format!("refused without reason: {sent:?} to {question:?} of {asked:?}");
            self.findings.push(Finding::Wrong(text));
        }
    }

    /// A user has the points of the stored answers that are their own, each once.
    fn check_points(&mut self, user: u64) {
        let mut expected = (0, 0);
        let mut found = Vec::new();
        for question in &self.state.questions {
            let is_own = |it: &&Sent| it.user == user && it.is_own();
            for stored in self.answers(question).into_iter().filter(is_own) {
                expected = (expected.0 + stored.points(question), expected.1 + 1);
            }
            let answers = self.model.sent.iter().filter(|it| it.user == user && it.is_answer());
            let answers = answers.filter(|it| it.question == question.id.to_string());
            let (own, others): (Vec<&Sent>, Vec<&Sent>) = answers.partition(is_own);
            let told = |of: &[&Sent]| -> Vec<u64> {
                let points = of.iter().filter_map(|it| it.data()?["points"].as_u64());
                points.filter(|points| *points > 0).collect()
            };
            // Points are told once, but maybe in a response that was lost.
            let is_lost = own.iter().any(|it| it.outcome == Outcome::Unknown);
            let has_none = is_lost || !own.iter().any(|it| it.is_done());
            let told_own = told(&own);
            let is_right = match own.first() {
                Some(first) if !told_own.is_empty() => told_own == [first.points(question)],
                _ => has_none,
            };
            if !is_right || !told(&others).is_empty() {
                found.push(Finding::Off(format!("points of {user} for {own:?} and {others:?}")));
            }
        }
        let row = self.state.points.iter().find(|it| it.user_id.number() == user);
        let stored = row.map_or((0, 0), |it| (it.total_points, it.total_answers));
        let by_category: u64 = row.iter().flat_map(|it| it.answers_by_category.values()).sum();
        let badges = row.map(|it| it.badges.contains(&Badge::FirstAnswer));
        if stored != expected || by_category != expected.1 || badges == Some(false) {
            let text = format!("user {user} has {row:?}, and not {expected:?}");
            found.push(Finding::Off(text));
        }
        self.findings.append(&mut found);
    }
}
