//! Questions to the members of a group.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use fracti_texts::{message, rule};
use serde::{Deserialize, Serialize};

use crate::{
    group::{Member, links::Links, not_a_member},
    input::{Draft, Error, Field, FieldErrors, Path, numbers::whole},
    questions::{
        asking::Asking,
        receipt::{QuestionDetails, Receipt, ReceiptSummary},
    },
    records::expense::NewExpense,
    storage::{
        keys::{self, Index, Keys},
        row::Row,
    },
    values::{
        category::Category,
        decimal::Decimal,
        id::{ExpenseId, GroupId, MemberId, QuestionId, TokenId, UserId},
        text::{Prompt, QuestionOption, TokenName},
        time::Timestamp,
    },
    words,
};

use crate::{input::question_error::QuestionError, values::question_status::QuestionStatus};

/// Number of answers that a question takes, and of members whom an audience names.
pub const MAX_ANSWERS: usize = 50;

/// Minimum duration of a question that members are reminded of.
const REMINDED_FROM: Duration = Duration::from_hours(2);

/// Characters of a prompt in the question's row. The rest of a longer one is in the row of its
/// details, so that an answer does not write it again.
const SHORT_PROMPT: usize = 300;

/// Time for which a question is kept once its time has run out, in seconds.
const KEPT_S: u64 = 30 * 24 * 3600;

/// Least number of answers of an anonymous question: fewer would show who gave which.
pub const MIN_ANONYMOUS: usize = 3;

words! {
    /// Type of a question.
    pub enum QuestionType as "QuestionType" {
        /// Members answer with a text.
        Text = "text",
        /// Members choose one of several options.
        MultipleChoice = "multiple_choice",
        /// Members claim the items of a receipt.
        Items = "items",
    }
}

/// A question to members of a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// Identifier, which contains the time of asking.
    pub id: QuestionId,
    /// The group.
    pub group_id: GroupId,
    /// Kind of answer that it takes.
    #[serde(rename = "type")]
    pub question_type: QuestionType,
    /// Prompt, cut to 300 characters. The whole text is in [`QuestionDetails`] if it is
    /// longer.
    pub prompt: String,
    /// Options of a multiple choice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<QuestionOption>,
    /// Category, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
    /// Members who are asked, if not all are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audience: Option<BTreeSet<MemberId>>,
    /// Whether members see the answers without names.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub anonymous: bool,
    /// Number of answers that it needs.
    pub required_responses: usize,
    /// The members who have answered, each with the number of items that they claim, or 1. A guest
    /// who was linked since is the user.
    #[serde(default)]
    pub answered: BTreeMap<MemberId, usize>,
    /// User who asked.
    pub asked_by: UserId,
    /// Name of the asker at that time.
    pub asked_by_name: String,
    /// API token by which the user asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<TokenId>,
    /// Name of this token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_name: Option<TokenName>,
    /// Time of asking.
    pub created_at: Timestamp,
    /// Time from which it takes no more answers.
    pub expires_at: Timestamp,
    /// Time at which it was closed before that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<Timestamp>,
    /// Expense that its receipt became.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expense_id: Option<ExpenseId>,
    /// Summary of its receipt, for lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receipt: Option<ReceiptSummary>,
    /// Version of the row. Every update is conditional on it.
    pub version: u64,
    /// Time when the row is deleted, in seconds since 1970.
    pub ttl: u64,
}

impl Row for Question {
    const KIND: &'static str = "question";
    const VERSION: u32 = 1;

    fn keys(&self) -> Keys {
        let open = Index {
            pk: keys::open_questions(self.group_id),
            sk: keys::open_position(self.expires_at, Some(self.id)),
        };
        let asked = Index {
            pk: keys::asked_questions(self.asked_by),
            sk: format!("{}#{}", self.created_at, self.id),
        };
        Keys {
            gsi1: self.closed_at.is_none().then_some(open),
            gsi3: Some(asked),
            ..keys::question(self.group_id, self.id).into()
        }
    }
}

/// A question to ask.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewQuestion {
    /// Kind of answer that it takes.
    pub question_type: Field<QuestionType>,
    /// What is asked.
    pub prompt: Field<Prompt>,
    /// Options of a multiple choice.
    pub options: Field<Vec<Field<QuestionOption>>>,
    /// Receipt whose items are claimed. An item without sharers is unclaimed.
    pub receipt: Field<NewExpense>,
    /// Category. Default: none; with a receipt, its category.
    pub category: Field<Category>,
    /// Members who are asked. Default: all.
    pub audience: Field<Vec<Field<MemberId>>>,
    /// Whether members see the answers without names. Default: they see the names.
    pub anonymous: Field<bool>,
    /// Number of answers that it needs. Default: all that it can get.
    pub required_responses: Field<Decimal>,
    /// Seconds until its time runs out. Default: an hour; with a receipt, a week.
    pub timeout_seconds: Field<Decimal>,
}

impl Draft<NewQuestion> {
    /// Whether the receipt has no date, so that [`Draft::check`] needs the asker's zone.
    #[must_use]
    pub fn needs_zone(&self) -> bool {
        let receipt = self.fields().and_then(|new| new.receipt.value());
        receipt.is_some_and(|receipt| receipt.date.is_absent())
    }

    /// The question, and the details that its row does not have.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] with all broken rules; [`Error::TooManyShares`]; [`Error::Unreadable`].
    pub fn check(&self, asking: Asking<'_>) -> Result<(Question, Option<QuestionDetails>), Error> {
        let (new, mut errors) = self.open()?;
        let Asking { group, members, asker, agent, now, random, .. } = asking;
        let question_type = new.question_type.value().copied();
        let is_items = question_type == Some(QuestionType::Items);
        refuse_unused(new, question_type, &mut errors);
        let options = distinct("options", &new.options, &mut errors);
        let receipt =
            if is_items { Receipt::checked(&new.receipt, asking, &mut errors)? } else { None };
        let links: Links = members.iter().collect();
        let audience = check_audience(new, members, &links, &mut errors);
        let asked = match &audience {
            Field::Invalid => None,
            Field::Value(audience) => Some(audience.len()),
            Field::Absent => {
                let present = links.unlinked(members);
                Some(present.iter().filter(|it| asks_all(it, asker, is_items)).count())
            }
        };
        if asked == Some(0) && question_type.is_some() {
            errors.push(
                "audience",
                message!(
                    "nobody is asked: no other user is in the group",
                    "спрашивать некого: других пользователей в группе нет"
                ),
            );
        }
        let required = check_required(new, asked, is_items, &mut errors);
        let timeout = check_timeout(new, is_items, &mut errors);
        let anonymous = check_anonymous(new, is_items, &audience, required, &mut errors);
        let id = QuestionId::new(now, random);
        let asked_by = members.iter().find(|member| member.id == asker);
        let checked = || {
            let prompt = new.prompt.value()?;
            let expires_at = now.plus_seconds(timeout?);
            let ttl = expires_at.seconds().saturating_add(KEPT_S);
            let receipt = if is_items { Some(receipt?) } else { None };
            let category = new.category.map(Some).or(None)?;
            let question = Question {
                id,
                group_id: group.id,
                question_type: question_type?,
                prompt: shortened(prompt.as_str(), SHORT_PROMPT),
                options: options.or(Vec::new())?,
                category: category.or_else(|| receipt.as_ref().and_then(|it| it.category)),
                audience: audience.map(Some).or(None)?,
                anonymous: anonymous?,
                required_responses: required?,
                answered: BTreeMap::new(),
                asked_by: asker,
                asked_by_name: asked_by.map(|member| member.name.clone()).unwrap_or_default(),
                agent_id: agent.map(|(id, _)| id),
                agent_name: agent.map(|(_, name)| name.clone()),
                created_at: now,
                expires_at,
                closed_at: None,
                expense_id: None,
                receipt: receipt.as_ref().map(Receipt::summary),
                version: 1,
                ttl,
            };
            let is_cut = question.prompt != prompt.as_str();
            let prompt = is_cut.then(|| prompt.clone());
            let has_details = is_cut || receipt.is_some();
            let details = QuestionDetails { question_id: id, prompt, receipt, ttl };
            Some((question, has_details.then_some(details)))
        };
        let checked = checked();
        errors.finish(checked)
    }
}

/// Reports the fields that a question of this type does not have, and those that it lacks.
fn refuse_unused(new: &NewQuestion, question_type: Option<QuestionType>, errors: &mut FieldErrors) {
    let Some(question_type) = question_type else { return };
    for (field, is_absent, of) in [
        ("options", new.options.is_absent(), QuestionType::MultipleChoice),
        ("receipt", new.receipt.is_absent(), QuestionType::Items),
    ] {
        if question_type == of && is_absent {
            errors.missing(field);
        } else if question_type != of && !is_absent {
            errors.push(
                field,
                rule!(
                    "{field} must be given only with type {of}",
                    "указывайте {field} только при type {of}"
                ),
            );
        }
    }
    if question_type == QuestionType::Items && !new.category.is_absent() {
        errors.push(
            "category",
            rule!(
                "{field} must be given as the category of the receipt",
                "укажите {field} как категорию чека"
            ),
        );
    }
}

/// The values of a list. Each must appear once.
fn distinct<T: Clone + PartialEq>(
    field: &'static str,
    list: &Field<Vec<Field<T>>>,
    errors: &mut FieldErrors,
) -> Field<Vec<T>> {
    let Field::Value(values) = list else {
        return if list.is_absent() { Field::Absent } else { Field::Invalid };
    };
    let mut seen: Vec<T> = Vec::new();
    for (index, value) in values.iter().enumerate() {
        let Field::Value(value) = value else { continue };
        if seen.contains(value) {
            errors.push(
                Path::from(field).index(index),
                rule!("{field} must appear only once", "{field} не должно повторяться"),
            );
        } else {
            seen.push(value.clone());
        }
    }
    if seen.len() == values.len() { Field::Value(seen) } else { Field::Invalid }
}

/// The members of the audience, if not all are asked.
fn check_audience(
    new: &NewQuestion,
    members: &[Member],
    links: &Links,
    errors: &mut FieldErrors,
) -> Field<BTreeSet<MemberId>> {
    let named = match distinct("audience", &new.audience, errors) {
        Field::Value(named) => named,
        Field::Absent => return Field::Absent,
        Field::Invalid => return Field::Invalid,
    };
    let mut audience = BTreeSet::new();
    for (index, id) in named.iter().enumerate() {
        let path = Path::from("audience").index(index);
        let id = links.resolve(*id);
        if !members.iter().any(|member| member.id == id && member.is_present()) {
            errors.push(path, not_a_member());
        } else if !audience.insert(id) {
            errors.push(
                path,
                rule!("{field} must appear only once", "{field} не должно повторяться"),
            );
        }
    }
    if audience.len() == named.len() { Field::Value(audience) } else { Field::Invalid }
}

/// The number of answers that the question needs.
fn check_required(
    new: &NewQuestion,
    asked: Option<usize>,
    is_items: bool,
    errors: &mut FieldErrors,
) -> Option<usize> {
    let most = asked.map(|asked| asked.min(MAX_ANSWERS));
    match new.required_responses {
        Field::Absent => most,
        Field::Invalid => None,
        Field::Value(_) if is_items => {
            errors.push(
                "requiredResponses",
                rule!(
                    "{field} must not be given with type items",
                    "не указывайте {field} при type items"
                ),
            );
            None
        }
        Field::Value(number) => {
            let number = whole("requiredResponses", number, 1..=50, errors)?;
            let number = usize::try_from(number).ok()?;
            let most = most?;
            if number > most {
                let rule = rule!(
                    "{field} must be at most {most}, the number of members who are asked",
                    "{field} должно быть не больше числа опрашиваемых участников ({most})"
                );
                errors.push("requiredResponses", rule);
                return None;
            }
            Some(number)
        }
    }
}

/// The number of seconds until the question's time runs out.
fn check_timeout(new: &NewQuestion, is_items: bool, errors: &mut FieldErrors) -> Option<u64> {
    let (default, most) = if is_items { (604_800, 2_592_000) } else { (3_600, 86_400) };
    match new.timeout_seconds {
        Field::Absent => Some(default),
        Field::Invalid => None,
        Field::Value(number) => whole("timeoutSeconds", number, 60..=most, errors),
    }
}

/// Whether the question is anonymous, which needs enough answers, and users who answer themselves.
fn check_anonymous(
    new: &NewQuestion,
    is_items: bool,
    audience: &Field<BTreeSet<MemberId>>,
    required: Option<usize>,
    errors: &mut FieldErrors,
) -> Option<bool> {
    let anonymous = new.anonymous.or(false)?;
    if !anonymous {
        return Some(false);
    }
    let mut audience = audience.value().into_iter().flatten();
    let names_guest = audience.any(|member| member.guest().is_some());
    if is_items {
        errors.push(
            "anonymous",
            rule!(
                "{field} must not be true with type items",
                "{field} не должно быть true при type items"
            ),
        );
    } else if required? < MIN_ANONYMOUS {
        errors.push(
            "anonymous",
            rule!(
                "{field} must be true only if at least 3 answers are required",
                "{field} может быть true, только если требуется не меньше 3 ответов"
            ),
        );
    } else if names_guest {
        errors.push(
            "anonymous",
            rule!(
                "{field} must not be true if a guest is asked",
                "{field} не должно быть true, если спрашивают гостя"
            ),
        );
    }
    Some(true)
}

/// Whether a question without an audience asks this member: all who are present for a receipt, and
/// otherwise all users but the asker.
fn asks_all(member: &Member, asker: UserId, is_items: bool) -> bool {
    member.is_present() && (is_items || member.id.user().is_some_and(|user| user != asker))
}

/// The first `max` characters of the text.
pub(crate) fn shortened(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_owned();
    }
    text.chars().take(max.saturating_sub(1)).chain(['…']).collect()
}

impl Question {
    /// Whether the row counts as deleted. DynamoDB deletes late.
    #[must_use]
    pub fn is_gone(&self, now: Timestamp) -> bool {
        self.ttl <= now.seconds()
    }

    /// Whether it takes no more answers.
    #[must_use]
    pub fn is_over(&self, now: Timestamp) -> bool {
        self.closed_at.is_some() || self.expires_at <= now
    }

    /// The status at this time. Nothing is written when the time of a question runs out.
    #[must_use]
    pub fn status(&self, now: Timestamp) -> QuestionStatus {
        if self.closed_at.is_some() {
            QuestionStatus::Closed
        } else if self.expires_at <= now {
            QuestionStatus::Expired
        } else if self.answered.is_empty() {
            QuestionStatus::Open
        } else {
            QuestionStatus::Partial
        }
    }

    /// Time at which those who have not answered are reminded: half of its own, if that is two
    /// hours or more.
    #[must_use]
    pub fn reminder_at(&self) -> Option<Timestamp> {
        let time = self.expires_at.since(self.created_at);
        let half = self.created_at.plus_seconds(time.as_secs() / 2);
        (time >= REMINDED_FROM).then_some(half)
    }

    /// Whether the member is asked.
    #[must_use]
    pub fn asks(&self, member: &Member) -> bool {
        let is_items = self.question_type == QuestionType::Items;
        match &self.audience {
            None => asks_all(member, self.asked_by, is_items),
            // A guest who is linked to a user means the user.
            Some(audience) => member.is_present() && member.ids().any(|id| audience.contains(&id)),
        }
    }

    /// Whether the member, or a guest who turned out to be them, has answered.
    #[must_use]
    pub fn has_answered(&self, member: &Member) -> bool {
        member.ids().any(|id| self.answered.contains_key(&id))
    }

    /// Whether the member can answer it now. Claims can be changed.
    #[must_use]
    pub fn is_open_for(&self, member: &Member, now: Timestamp) -> bool {
        let again = self.question_type == QuestionType::Items;
        self.asks(member) && !self.is_over(now) && (again || !self.has_answered(member))
    }

    /// Checks that the member may answer, and has not yet.
    ///
    /// # Errors
    ///
    /// [`QuestionError::Answered`]; [`QuestionError::Over`].
    pub fn check_answer(&self, member: &Member, now: Timestamp) -> Result<(), QuestionError> {
        if self.has_answered(member) {
            return Err(QuestionError::Answered);
        }
        self.check_open(now)?;
        if self.answered.len() >= MAX_ANSWERS { Err(QuestionError::Over) } else { Ok(()) }
    }

    /// Checks that it takes answers.
    ///
    /// # Errors
    ///
    /// [`QuestionError::Over`].
    pub fn check_open(&self, now: Timestamp) -> Result<(), QuestionError> {
        if self.is_over(now) { Err(QuestionError::Over) } else { Ok(()) }
    }

    /// The question after an answer of a member. `number` is that of the claimed items, or 1.
    #[must_use]
    pub fn answered_by(&self, member: &Member, number: usize, now: Timestamp) -> Self {
        let mut after = self.changed();
        for guest in &member.guests {
            after.merge(*guest, member.id);
        }
        after.answered.insert(member.id, number);
        after.closed_if_complete(now)
    }

    /// The question after a guest was linked to a user, if that changes it. From then on the two
    /// are one member, who is asked once and answers once, so it needs no more answers than it can
    /// get. `present` has the members who are present then, each under one id.
    #[must_use]
    pub fn linked(
        &self,
        guest: MemberId,
        user: MemberId,
        present: &BTreeSet<MemberId>,
        now: Timestamp,
    ) -> Option<Self> {
        let mut after = self.changed();
        after.merge(guest, user);
        if after.audience.is_none() && after.question_type == QuestionType::Items {
            // Others may have left since it was asked, which lowers nothing.
            let left = after.answered.keys().filter(|member| !present.contains(member)).count();
            let most = present.len().saturating_add(left);
            let less = self.required_responses.saturating_sub(1);
            after.required_responses = self.required_responses.min(most.max(less));
        }
        let is_same = after == Self { version: after.version, ..self.clone() };
        (!is_same).then(|| after.closed_if_complete(now))
    }

    /// The question with linked guests as the users who they are.
    #[must_use]
    pub fn resolved(mut self, links: &Links) -> Self {
        for (guest, user) in links.pairs() {
            self.merge(guest, user);
        }
        self
    }

    /// Makes a guest and a user one member.
    fn merge(&mut self, guest: MemberId, user: MemberId) {
        if let Some(audience) = &mut self.audience
            && audience.remove(&guest)
        {
            audience.insert(user);
            self.required_responses = self.required_responses.min(audience.len());
        }
        if let Some(number) = self.answered.remove(&guest) {
            let own = self.answered.entry(user).or_default();
            *own = number.max(*own);
        }
    }

    fn closed_if_complete(self, now: Timestamp) -> Self {
        let is_complete = self.answered.len() >= self.required_responses;
        let closes = is_complete && self.question_type != QuestionType::Items;
        Self { closed_at: self.closed_at.or(closes.then_some(now)), ..self }
    }

    /// The closed question, with the expense that its receipt became.
    #[must_use]
    pub fn closed(&self, expense: Option<ExpenseId>, now: Timestamp) -> Self {
        let closed_at = Some(self.closed_at.unwrap_or(now));
        Self { closed_at, expense_id: expense, ..self.changed() }
    }

    fn changed(&self) -> Self {
        Self { version: self.version.saturating_add(1), ..self.clone() }
    }
}

/// A selection of a group's or an asker's questions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct QuestionFilter {
    /// Statuses, any if there are none.
    pub statuses: Vec<QuestionStatus>,
    /// Category, any if there is none.
    pub category: Option<Category>,
    /// API token by which they were asked.
    pub agent: Option<TokenId>,
}

impl QuestionFilter {
    /// Whether it selects all questions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether the question is selected at this time.
    #[must_use]
    pub fn accepts(&self, question: &Question, now: Timestamp) -> bool {
        (self.statuses.is_empty() || self.statuses.contains(&question.status(now)))
            && self.category.is_none_or(|category| question.category == Some(category))
            && self.agent.is_none_or(|agent| question.agent_id == Some(agent))
    }
}
