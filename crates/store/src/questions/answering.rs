//! Answering questions, for points.

use fracti_core::{
    decisions::{
        decision::Decision,
        questions::{self as decide, Answered, Asked},
    },
    group::MemberKey,
    input::{Draft, Error, question_error::QuestionError},
    questions::{
        answer::{Answer, NewAnswer, NewClaims},
        points::Points,
    },
    storage::{keys, write::WriteError},
    values::{
        id::{MemberId, QuestionId},
        time::Timestamp,
    },
};

use crate::{
    table::Table,
    write::idempotency::{Idempotency, Outcome},
};

impl Table {
    /// Answers a question with a text or a choice.
    ///
    /// # Errors
    ///
    /// [`Error::NoQuestion`]; [`Error::Question`] if the member is not asked or has answered, or
    /// the question is over; [`Error::GroupArchived`]; [`Error::Invalid`]; [`Error::NoGroup`] or
    /// [`Error::NotMember`]; [`Error::KeyReused`].
    pub async fn answer(
        &self,
        member_key: MemberKey,
        id: QuestionId,
        new: &Draft<NewAnswer>,
        idempotency: &Idempotency<Answered>,
    ) -> Result<Outcome<Answered>, Error> {
        let now = idempotency.now();
        self.write(None, idempotency, || async {
            let mut asked = self.asked(member_key, id, new.answerer(), now).await?;
            if asked.completes(now) {
                asked.ledger = Some(self.ledger(member_key.group).await?);
            }
            decide::answer(member_key.user, new, &asked, idempotency.context())
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
        self.write(None, idempotency, || async {
            let (asked_first, details, before) =
                tokio::join!(asked(), self.details_of(id), self.claims_by(id, [named]));
            let asked_first = asked_first?;
            let mut before = before?;
            let question = &asked_first.question;
            let member = &asked_first.member;
            if !member.ids().eq([named]) {
                before = self.claims_by(id, member.ids()).await?;
            }
            let details = details?;
            let context = idempotency.context();
            let claimed = decide::claim(member_key, new, &asked_first, details, &before, context)?;
            if let Some(decision) = claimed {
                return Ok(decision);
            }
            // Nothing is written, so nothing tells whether the rows are of one moment. They are if
            // the question is the same before and after the claims.
            let same = self.claims_by(id, member.ids()).await? == before;
            let last = asked().await?;
            if !same || last.question.version != question.version {
                return Err(WriteError::Retry);
            }
            Ok(Decision::Done(last.unscored(last.question.clone(), now)))
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
        let guest = guest?;
        let points = points?;
        let zone = targets?.zone();
        let member = decide::answerer(user, named, caller, guest)?;
        if !question.asks(&member) {
            // A question read after a link does not go with its guest, read before it.
            if member.id.guest().is_some()
                && self.member(group.id, member.id).await?.as_ref() != Some(&member)
            {
                return Err(WriteError::Retry);
            }
            return Err(QuestionError::NotAsked.into());
        }
        Ok(Asked::of(user, group, question, (member, points), (now, zone))?)
    }
}
