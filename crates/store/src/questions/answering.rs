//! Answering questions, for points.

use fracti_core::{
    decisions::decision::Decision,
    group::{Group, Member, MemberKey},
    input::{Draft, Error},
    questions::{
        answer::{Answer, Answering, NewAnswer, NewClaims},
        points::{Badge, Points},
        question::{Question, QuestionError, QuestionStatus},
    },
    storage::{
        condition::Condition,
        keys,
        write::{Transaction, Write, WriteError},
    },
    values::{
        id::{MemberId, QuestionId, UserId},
        request_context::RequestContext,
        time::{Day, Timestamp, day_of},
    },
};

use crate::{
    group::presence::{check_member, check_unarchived},
    questions::asking::put_question,
    table::Table,
    write::idempotency::{Idempotency, Outcome},
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
        self.write(idempotency, || async {
            let asked = self.asked(member_key, id, new.answerer(), now).await?;
            asked.question.check_answer(&asked.member, now)?;
            let answering = asked.answering(member_key.user, idempotency.context());
            let answer = new.check(&asked.question, &answering)?;
            let write = Write::put_new(&answer)?;
            asked.answer(write, 1, now)
        })
        .await
    }

    /// Claims items of a receipt, instead of earlier claims of the member, and of the guests who
    /// turned out to be them.
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
        let named = new.answerer().unwrap_or_else(|| member_key.user.into());
        let asked = || self.asked(member_key, id, new.answerer(), now);
        self.write(idempotency, || async {
            let (asked_first, details, before) =
                tokio::join!(asked(), self.details_of(id), self.claims_by(id, [named]));
            let (asked_first, mut before) = (asked_first?, before?);
            let (question, member) = (&asked_first.question, &asked_first.member);
            if !member.ids().eq([named]) {
                before = self.claims_by(id, member.ids()).await?;
            }
            let latest = Answer::latest(&before);
            let receipt = details?.and_then(|details| details.receipt);
            match latest {
                // To another question, below; an anonymous answer to it is not found by its member.
                None if receipt.is_none() => question.check_open(now)?,
                // The claims were stored after the row was read, which other users do for guests.
                None if question.has_answered(member) => return Err(WriteError::Retry),
                None => question.check_answer(member, now)?,
                Some(_) => question.check_open(now)?,
            }
            let answering = asked_first.answering(member_key.user, idempotency.context());
            let answer = new.check(question, receipt.as_ref(), &answering)?;
            let number = answer.claims.as_ref().map_or(0, Vec::len);
            let Some(latest) = latest else {
                let write = Write::put_new(&answer)?;
                return asked_first.answer(write, number, now);
            };
            let answer = answer.replacing(latest);
            if answer == *latest {
                // Nothing is written, so nothing tells whether the rows are of one moment. They are if
                // the question is the same before and after the claims.
                let same = self.claims_by(id, member.ids()).await? == before;
                let last = asked().await?;
                if !same || last.question.version != question.version {
                    return Err(WriteError::Retry);
                }
                return Ok(Decision::Done(last.unscored(last.question.clone(), now)));
            }
            let after = question.answered_by(member, number, now);
            let mut writes = Transaction::from_iter([
                // Every change of an answer changes the question, whose version is a condition.
                Write::put(&answer)?,
                put_question(question, &after)?,
                check_unarchived(member_key.group),
                check_member(member_key.group, member),
            ]);
            let of_guests = before.iter().filter_map(Answer::member).filter(|it| *it != member.id);
            writes.extend(of_guests.map(|guest| Write::delete(keys::answer(id, guest))));
            Ok(Decision::Write(writes, asked_first.unscored(after, now)))
        })
        .await
    }

    /// The claims of a member, who has several ids if guests turned out to be them.
    async fn claims_by(
        &self,
        id: QuestionId,
        member: impl IntoIterator<Item = MemberId>,
    ) -> Result<Vec<Answer>, Error> {
        let keys: Vec<_> = member.into_iter().map(|member| keys::answer(id, member)).collect();
        let mut claims = self.db.batch::<Answer>(keys.clone()).await?;
        Ok(keys.iter().filter_map(|key| claims.remove(key)).collect())
    }

    /// Reads what an answer depends on, and checks that the caller may give it: for themselves, or
    /// for a guest.
    async fn asked(
        &self,
        member_key: MemberKey,
        id: QuestionId,
        named: Option<MemberId>,
        now: Timestamp,
    ) -> Result<Asked, WriteError> {
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
            // A question read after a link does not go with its guest, read before it.
            if member.id.guest().is_some()
                && self.member(group.id, member.id).await?.as_ref() != Some(&member)
            {
                return Err(WriteError::Retry);
            }
            return Err(QuestionError::NotAsked.into());
        }
        group.check_unarchived()?;
        let none = || Points::none(group.id, user, now);
        let points = member.id.user().map(|_| points.unwrap_or_else(none));
        Ok(Asked { group, question, member, points, day: day_of(now, zone) })
    }
}

impl Asked {
    fn answering(&self, user: UserId, context: RequestContext) -> Answering<'_> {
        let RequestContext { now, random } = context;
        Answering { member: &self.member, user, now, random }
    }

    /// The decision to store an answer, which claims so many items, or 1, and to score it.
    fn answer(
        &self,
        answer: Write,
        number: usize,
        now: Timestamp,
    ) -> Result<Decision<Answered>, WriteError> {
        let after = self.question.answered_by(&self.member, number, now);
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
        writes.add(Write::put(&scored)?.when(Condition::at_version(before.version)));
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
