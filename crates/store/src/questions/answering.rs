//! Answering questions, for points.

use fracti_core::{
    Error,
    answer::{Answer, Answering, NewAnswer, NewClaims},
    group::{Group, Member},
    id::{MemberId, QuestionId, UserId},
    input::Draft,
    keys,
    points::{Badge, Points},
    question::{Question, QuestionError, QuestionStatus},
    time::{Day, Timestamp, day_of},
};

use crate::{
    access::MemberKey,
    commit::Decision,
    dynamo::{Expression, Transaction, TransactionError, Write},
    idempotency::{Idempotency, Outcome},
    presence::{check_member, check_unarchived},
    questions::asking::put_question,
    table::{RequestContext, Table},
};

/// The result of an answer.
#[derive(Clone, Debug)]
pub struct Answered {
    /// The question after it.
    pub question: Question,
    /// Status of the question.
    pub status: QuestionStatus,
    /// Points for the answer; none for that of a guest, and for changed claims.
    pub points: u64,
    /// All points of the caller in the group.
    pub total: Option<Points>,
    /// Badges for the answer.
    pub new_badges: Vec<Badge>,
}

/// What an answer depends on.
struct Asked {
    group: Group,
    question: Question,
    /// Member whose answer it is.
    member: Member,
    /// The caller's points, unless they answer for a guest.
    points: Option<Points>,
    /// The caller's day.
    day: Day,
}

impl Table {
    /// Answers a question with a text or a choice.
    ///
    /// # Errors
    ///
    /// [`Error::NoQuestion`]; [`Error::Question`] if the member is not asked or has answered, or the
    /// question is over; [`Error::GroupArchived`]; [`Error::Invalid`]; [`Error::NoGroup`] or
    /// [`Error::NotMember`]; [`Error::KeyReused`].
    pub async fn answer(
        &self,
        member_key: MemberKey,
        id: QuestionId,
        new: &Draft<NewAnswer>,
        idempotency: &Idempotency<Answered>,
    ) -> Result<Outcome<Answered>, Error> {
        let now = idempotency.now();
        self.write_migrated(member_key.group, idempotency, || async {
            let asked = self.asked(member_key, id, new.answerer(), now).await?;
            asked.question.check_answer(asked.member.id, now)?;
            let answering = asked.answering(member_key.user, idempotency.context());
            let answer = new.check(&asked.question, &answering)?;
            let write = Write::put_new(&answer)?;
            asked.answer(write, 1, now)
        })
        .await
    }

    /// Claims items of a receipt, in place of earlier claims of the member.
    ///
    /// # Errors
    ///
    /// As [`Table::answer`], except that the member may have claimed items before.
    pub async fn claim(
        &self,
        member_key: MemberKey,
        id: QuestionId,
        new: &Draft<NewClaims>,
        idempotency: &Idempotency<Answered>,
    ) -> Result<Outcome<Answered>, Error> {
        let now = idempotency.now();
        let of = |member: MemberId| self.db.get::<Answer>(keys::answer(id, member));
        let named = new.answerer().unwrap_or_else(|| member_key.user.into());
        self.write_migrated(member_key.group, idempotency, || async {
            let asked = self.asked(member_key, id, new.answerer(), now);
            let (asked, details, before) = tokio::join!(asked, self.details_of(id), of(named));
            let (asked, mut before) = (asked?, before?);
            let member = asked.member.id;
            if member != named {
                before = of(member).await?;
            }
            match before {
                // The claims were stored after the row was read, which other users do for guests.
                None if asked.question.answered.contains_key(&member) => {
                    return Err(TransactionError::Retry);
                }
                None => asked.question.check_answer(member, now)?,
                Some(_) => asked.question.check_open(now)?,
            }
            let receipt = details?.and_then(|details| details.receipt);
            let answering = asked.answering(member_key.user, idempotency.context());
            let answer = new.check(&asked.question, receipt.as_ref(), &answering)?;
            let number = answer.claims.as_ref().map_or(0, Vec::len);
            let Some(before) = before else {
                let write = Write::put_new(&answer)?;
                return asked.answer(write, number, now);
            };
            let answer = answer.replacing(&before);
            if answer == before {
                return Ok(Decision::Done(asked.unscored(asked.question.clone(), now)));
            }
            let after = asked.question.answered_by(member, number, now);
            let writes = [
                // Every change of an answer changes the question, whose version is a condition.
                Write::put(&answer)?,
                put_question(&asked.question, &after)?,
                check_unarchived(asked.group.id),
                check_member(asked.group.id, &asked.member),
            ];
            Ok(Decision::Write(Transaction::from_iter(writes), asked.unscored(after, now)))
        })
        .await
    }

    /// Reads what an answer depends on, and checks that the caller may give it: for themselves, or
    /// for a guest.
    async fn asked(
        &self,
        member_key: MemberKey,
        id: QuestionId,
        named: Option<MemberId>,
        now: Timestamp,
    ) -> Result<Asked, TransactionError> {
        let MemberKey { group, user } = member_key;
        let guest = named.filter(|member| member.guest().is_some());
        let guest = async {
            match guest {
                Some(guest) => self.member(group, guest).await,
                None => Ok(None),
            }
        };
        let points = self.db.get::<Points>(keys::points(group, user));
        let (of_group, question, guest, points, targets) = tokio::join!(
            self.group_and_caller(member_key),
            self.find_question(group, id, now),
            guest,
            points,
            self.targets(user),
        );
        let (group, caller) = of_group?;
        let question = question?.ok_or(Error::NoQuestion)?;
        let (guest, points, zone) = (guest?, points?, targets?.zone());
        let member = match named {
            None => caller,
            Some(MemberId::User(named)) if named == user => caller,
            Some(MemberId::User(_)) => return Err(QuestionError::NotYours.into()),
            Some(MemberId::Guest(_)) => {
                let guest = guest.ok_or(QuestionError::NotAsked)?;
                match guest.linked_to {
                    None => guest,
                    Some(linked) if linked == user => caller,
                    Some(_) => return Err(QuestionError::NotYours.into()),
                }
            }
        };
        if !question.asks(&member) {
            return Err(QuestionError::NotAsked.into());
        }
        if group.archived {
            return Err(Error::GroupArchived.into());
        }
        let none = || Points::none(group.id, user, now);
        let points = member.id.user().map(|_| points.unwrap_or_else(none));
        Ok(Asked { group, question, member, points, day: day_of(now, zone) })
    }
}

impl Asked {
    fn answering(&self, user: UserId, context: RequestContext) -> Answering<'_> {
        let RequestContext { now, random } = context;
        Answering { member: self.member.id, name: &self.member.name, user, now, random }
    }

    /// The decision to store an answer, which claims so many items, or 1, and to score it.
    fn answer(
        &self,
        answer: Write,
        number: usize,
        now: Timestamp,
    ) -> Result<Decision<Answered>, TransactionError> {
        let after = self.question.answered_by(self.member.id, number, now);
        let mut writes = Transaction::default();
        writes.extend([
            answer,
            put_question(&self.question, &after)?,
            check_unarchived(self.group.id),
            check_member(self.group.id, &self.member),
        ]);
        let unscored = self.unscored(after, now);
        let Some(before) = &self.points else { return Ok(Decision::Write(writes, unscored)) };
        let scored = before.answered(&self.question, self.day, now);
        writes.add(Write::put(&scored)?.when(Expression::at_version(before.version)));
        let is_new = |badge: &Badge| !before.badges.contains(badge);
        let new_badges = scored.badges.iter().copied().filter(is_new).collect();
        let points = Points::of_answer(&self.question);
        let answered = Answered { points, new_badges, total: Some(scored), ..unscored };
        Ok(Decision::Write(writes, answered))
    }

    /// The result of an answer without points.
    fn unscored(&self, after: Question, now: Timestamp) -> Answered {
        Answered {
            status: after.status(now),
            question: after,
            points: 0,
            total: self.points.clone(),
            new_badges: Vec::new(),
        }
    }
}
