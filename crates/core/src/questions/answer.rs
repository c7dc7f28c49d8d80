//! Answers to questions.

use fracti_texts::rule;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::question::shortened;
use crate::{
    group::{Member, links::Links},
    input::{
        Draft, Error, Field, FieldErrors, Path,
        numbers::{bounded, whole},
    },
    questions::{
        question::{Question, QuestionType},
        receipt::{Claim, Receipt},
    },
    split::WEIGHT_DECIMALS,
    storage::{
        keys::{self, Index, Keys},
        row::Row,
    },
    values::{
        decimal::Decimal,
        id::{AnswerId, GroupId, MemberId, QuestionId, UserId},
        text::AnswerText,
        time::Timestamp,
    },
};

/// Characters of a prompt that an answer repeats.
const SHORT_PROMPT: usize = 200;

/// Most pieces of an item that a member can claim.
const MAX_COUNT: u32 = 10_000;

/// Longest time that an answer may have taken, in milliseconds: a day.
const MAX_RESPONSE_MS: u64 = 86_400_000;

/// The answer of a member to a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// The question.
    pub question_id: QuestionId,
    /// Its group.
    pub group_id: GroupId,
    /// Its type.
    #[serde(rename = "type")]
    pub question_type: QuestionType,
    /// Its prompt, cut to 200 characters.
    pub prompt: String,
    /// Who answered.
    #[serde(flatten)]
    pub by: Answerer,
    /// Text of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<AnswerText>,
    /// Index of the option that was chosen, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selected_option: Option<usize>,
    /// Items that are claimed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claims: Option<Vec<Claim>>,
    /// Confidence of the member, from 1 to 5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<u64>,
    /// Time that it took, in milliseconds, up to a day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_time_ms: Option<u64>,
    /// Time of the answer; of an anonymous one, the start of its day.
    pub created_at: Timestamp,
    /// Time of the last change of claims.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
    /// Time when the row is deleted, in seconds since 1970.
    pub ttl: u64,
}

/// Member who answered a question, by name or anonymously.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Answerer {
    /// A member, whom all members see.
    #[serde(rename_all = "camelCase")]
    Named {
        /// The member.
        member_id: MemberId,
        /// Name of the member at that time.
        member_name: String,
        /// User who answered, for themselves or for a guest.
        answered_by: UserId,
    },
    /// A member whom the row does not name.
    Anonymous {
        /// Random identifier.
        id: AnswerId,
    },
}

impl Row for Answer {
    const KIND: &'static str = "answer";
    const VERSION: u32 = 1;

    fn keys(&self) -> Keys {
        match &self.by {
            Answerer::Named { member_id, .. } => {
                let sk =
                    format!("{}{}#{}", keys::prefix::ANSWER, self.created_at, self.question_id);
                let by_member = Index { pk: keys::user_partition(*member_id), sk };
                let primary = keys::answer(self.question_id, member_id);
                Keys { gsi1: Some(by_member), ..primary.into() }
            }
            Answerer::Anonymous { id } => keys::answer(self.question_id, id).into(),
        }
    }
}

impl Answer {
    /// Whether the row counts as deleted. DynamoDB deletes late.
    #[must_use]
    pub fn is_gone(&self, now: Timestamp) -> bool {
        self.ttl <= now.seconds()
    }

    /// The member who answered, unless the answer is anonymous.
    #[must_use]
    pub const fn member(&self) -> Option<MemberId> {
        match self.by {
            Answerer::Named { member_id, .. } => Some(member_id),
            Answerer::Anonymous { .. } => None,
        }
    }

    /// The answers that count: one of each member. If a guest and a user, or several guests, have
    /// answered and are one member since, these are the newest claims, as claims replace earlier
    /// ones, and otherwise the first answer, which stands.
    #[must_use]
    pub fn one_each(answers: Vec<Self>, links: &Links) -> Vec<Self> {
        let person = |answer: &Self| answer.member().map(|member| links.resolve(member));
        let mut counting: Vec<Self> = Vec::new();
        for answer in answers {
            let of_person = |it: &&mut Self| person(it).is_some() && person(it) == person(&answer);
            match counting.iter_mut().find(of_person) {
                None => counting.push(answer),
                Some(other) if answer.counts_before(other) => *other = answer,
                Some(_) => {}
            }
        }
        counting
    }

    /// The newest of the claims of one member.
    #[must_use]
    pub fn latest(claims: &[Self]) -> Option<&Self> {
        claims.iter().reduce(|one, other| if other.counts_before(one) { other } else { one })
    }

    /// Whether the answer counts, and not another one of the same member.
    #[must_use]
    pub fn counts_before(&self, other: &Self) -> bool {
        let stated = |it: &Self| it.updated_at.unwrap_or(it.created_at);
        if self.claims.is_some() {
            stated(self) > stated(other)
        } else {
            self.created_at < other.created_at
        }
    }

    /// An answer without content.
    fn to(question: &Question, answering: &Answering<'_>) -> Self {
        let by = if question.anonymous {
            // Another hash of the random bytes than the names of other rows.
            let hash = Sha256::new().chain_update("answer").chain_update(answering.random);
            Answerer::Anonymous { id: AnswerId::derived(&hash.finalize().into()) }
        } else {
            Answerer::Named {
                member_id: answering.member.id,
                member_name: answering.member.name.clone(),
                answered_by: answering.user,
            }
        };
        let now = answering.now;
        Self {
            question_id: question.id,
            group_id: question.group_id,
            question_type: question.question_type,
            prompt: shortened(&question.prompt, SHORT_PROMPT),
            by,
            answer: None,
            selected_option: None,
            claims: None,
            confidence: None,
            response_time_ms: None,
            created_at: if question.anonymous { now.day().start() } else { now },
            updated_at: None,
            ttl: question.ttl,
        }
    }
}

/// Context in which a question is answered.
#[derive(Clone, Copy, Debug)]
pub struct Answering<'a> {
    /// Member whose answer it is.
    pub member: &'a Member,
    /// User who sends it.
    pub user: UserId,
    /// Time of the request.
    pub now: Timestamp,
    /// Ten random bytes.
    pub random: [u8; 10],
}

/// Fields that every answer may have beside its content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnswerNotes {
    /// Member whose answer it is. Default: the caller.
    pub user: Field<MemberId>,
    /// Confidence of the member, from 1 to 5.
    pub confidence: Field<Decimal>,
    /// Time that it took, in milliseconds.
    pub response_time_ms: Field<Decimal>,
}

/// An answer by text or by choice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewAnswer {
    /// The text.
    pub answer: Field<AnswerText>,
    /// Index of the chosen option.
    pub selected_option: Field<Decimal>,
    /// Fields beside the content.
    pub notes: AnswerNotes,
}

/// All items of a receipt that a member claims.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewClaims {
    /// The items. None: the member had nothing.
    pub items: Field<Vec<ClaimInput>>,
    /// Fields beside the content.
    pub notes: AnswerNotes,
}

/// An item that a member claims.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClaimInput {
    /// Index of the line, from 0.
    pub item: Field<usize>,
    /// Number of pieces. Default: the member shared what was not counted.
    pub count: Field<Decimal>,
}

/// A body that answers a question.
pub trait AnswerFields {
    /// Fields beside the content.
    fn notes(&self) -> &AnswerNotes;
}

impl AnswerFields for NewAnswer {
    fn notes(&self) -> &AnswerNotes {
        &self.notes
    }
}

impl AnswerFields for NewClaims {
    fn notes(&self) -> &AnswerNotes {
        &self.notes
    }
}

impl<T: AnswerFields> Draft<T> {
    /// The member whose answer it is, if the request names one.
    #[must_use]
    pub fn answerer(&self) -> Option<MemberId> {
        self.fields().and_then(|new| new.notes().user.value().copied())
    }
}

impl AnswerNotes {
    /// Checks the numbers and adds them to the answer.
    fn add_to(&self, answer: &mut Answer, errors: &mut FieldErrors) {
        let mut read = |field, number: &Field<Decimal>, range| {
            number.value().and_then(|number| whole(field, *number, range, errors))
        };
        answer.confidence = read("confidence", &self.confidence, 1..=5);
        answer.response_time_ms =
            read("responseTimeMs", &self.response_time_ms, 0..=MAX_RESPONSE_MS);
    }
}

impl Draft<NewAnswer> {
    /// The answer to a question that takes texts or choices.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] with all broken rules; [`Error::Unreadable`].
    pub fn check(&self, question: &Question, answering: &Answering<'_>) -> Result<Answer, Error> {
        let (new, mut errors) = self.open()?;
        let mut answer = Answer::to(question, answering);
        let (own, other) = match question.question_type {
            QuestionType::Text => ("answer", "selectedOption"),
            QuestionType::MultipleChoice => ("selectedOption", "answer"),
            QuestionType::Items => {
                errors.push(
                    "answer",
                    rule!(
                        "{field} must be claims: send PUT claims to a question about items",
                        "вместо {field} отправьте PUT claims: на вопрос о позициях чека отвечают \
                         отметками"
                    ),
                );
                return errors.finish(None);
            }
        };
        let given = [
            ("answer", new.answer.is_absent()),
            ("selectedOption", new.selected_option.is_absent()),
        ];
        for (field, is_absent) in given {
            if field == own && is_absent {
                errors.missing(own);
            } else if field == other && !is_absent {
                let rule = rule!(
                    "{field} must not be given to a question of type {type}",
                    "не указывайте {field} для вопроса типа {type}",
                    type = question.question_type
                );
                errors.push(other, rule);
            }
        }
        if question.question_type == QuestionType::MultipleChoice {
            let last = u64::try_from(question.options.len()).unwrap_or_default().saturating_sub(1);
            let selected = new.selected_option.value();
            let selected =
                selected.and_then(|number| whole("selectedOption", *number, 0..=last, &mut errors));
            answer.selected_option = selected.and_then(|number| usize::try_from(number).ok());
        } else {
            answer.answer = new.answer.value().cloned();
        }
        new.notes.add_to(&mut answer, &mut errors);
        errors.finish(Some(answer))
    }
}

impl Draft<NewClaims> {
    /// The claims to items of a receipt, in order of the items.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] with all broken rules; [`Error::Question`] if too many members have
    /// claims; [`Error::Unreadable`].
    pub fn check(
        &self,
        question: &Question,
        receipt: Option<&Receipt>,
        answering: &Answering<'_>,
    ) -> Result<Answer, Error> {
        let (new, mut errors) = self.open()?;
        let mut answer = Answer::to(question, answering);
        let Some(receipt) = receipt else {
            errors.push(
                "items",
                rule!(
                    "{field} must be sent only to a question of type items",
                    "отправляйте {field} только для вопроса типа items"
                ),
            );
            return errors.finish(None);
        };
        let mut claims: Vec<Claim> = Vec::new();
        for (index, input) in new.items.value().into_iter().flatten().enumerate() {
            let path = Path::from("items").index(index);
            if let Field::Value(item) = input.item {
                if !receipt.is_claimable(item) {
                    errors.push(
                        path.field("item"),
                        rule!(
                            "{field} must be the index of an item without sharers",
                            "{field} должно быть индексом позиции без sharers"
                        ),
                    );
                } else if claims.iter().any(|claim| claim.item == item) {
                    errors.push(
                        path.field("item"),
                        rule!(
                            "{field} must not repeat an index",
                            "{field} не должно повторять уже указанный индекс"
                        ),
                    );
                } else {
                    claims.push(Claim { item, count: input.count.value().copied() });
                }
            }
            if let Field::Value(count) = input.count {
                let path = path.field("count");
                if count == Decimal::ZERO || count.is_negative() {
                    errors.push(
                        path,
                        rule!("{field} must be above zero", "{field} должно быть больше нуля"),
                    );
                } else {
                    errors.keep(path, bounded(count, WEIGHT_DECIMALS, MAX_COUNT));
                }
            }
        }
        claims.sort_by_key(|claim| claim.item);
        new.notes.add_to(&mut answer, &mut errors);
        let after = question.answered_by(answering.member, claims.len(), answering.now);
        receipt.check_room(&after.answered, &mut errors)?;
        answer.claims = Some(claims);
        errors.finish(Some(answer))
    }
}

impl Answer {
    /// The same claims as before, or these in their place.
    #[must_use]
    pub fn replacing(self, before: &Self) -> Self {
        let same = self.claims == before.claims
            && self.confidence == before.confidence
            && self.response_time_ms == before.response_time_ms;
        if same {
            return before.clone();
        }
        Self { created_at: before.created_at, updated_at: Some(self.created_at), ..self }
    }
}
