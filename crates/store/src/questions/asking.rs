//! Asking, reading and closing questions.

use fracti_core::{
    decisions::questions::{self as decide, QuestionDetail, SeenQuestion},
    group::MemberKey,
    input::{Draft, Error, limits::MAX_OPEN_QUESTIONS},
    questions::{
        answer::Answer,
        question::{NewQuestion, Question},
        receipt::QuestionDetails,
    },
    storage::keys::{self, prefix},
    values::{
        id::{GroupId, QuestionId, TokenId},
        text::TokenName,
        time::Timestamp,
    },
};

use crate::{
    dynamo::{Order, Page, Range, Sort},
    ledger::Attempts,
    table::Table,
    write::idempotency::{Idempotency, Outcome},
};

impl Table {
    /// Asks a question.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] or [`Error::TooManyShares`]; [`Error::Question`] if the group has too
    /// many open ones; [`Error::GroupArchived`]; [`Error::NoGroup`] or [`Error::NotMember`];
    /// [`Error::KeyReused`].
    pub async fn ask(
        &self,
        member_key: MemberKey,
        new: &Draft<NewQuestion>,
        agent: Option<(TokenId, &TokenName)>,
        idempotency: &Idempotency<SeenQuestion>,
    ) -> Result<Outcome<SeenQuestion>, Error> {
        let MemberKey { group, user } = member_key;
        let context = idempotency.context();
        let now = idempotency.now();
        let attempts = Attempts::default();
        self.write(Some(group), idempotency, || async {
            let before = self.ledger_first(&attempts, group).await?;
            let (of_group, targets, open, ledger) = tokio::join!(
                self.group_naming(member_key, None),
                self.targets_if(new.needs_zone(), user),
                self.open_questions(group, now.to_string()),
                self.ledger_unless(before, group),
            );
            let ((group, members), zone) = (of_group?, targets?.zone());
            let open = open.map(|open| open.len());
            let ledger = ledger?;
            let seen = (&group, &*members, &ledger);
            decide::ask(member_key, new, agent, seen, (context, zone), open)
        })
        .await
    }

    /// A question with its answers, and the claims to its receipt.
    ///
    /// # Errors
    ///
    /// [`Error::NoQuestion`]; [`Error::NoGroup`] or [`Error::NotMember`].
    pub async fn question(
        &self,
        member_key: MemberKey,
        id: QuestionId,
        now: Timestamp,
    ) -> Result<SeenQuestion, Error> {
        let group = member_key.group;
        let (of_group, question, details, answers) = tokio::join!(
            self.group_naming(member_key, None),
            self.find_question(group, id, now),
            self.details_of(id),
            self.answers_to(id),
        );
        let ((group, members), question) = (of_group?, question?.ok_or(Error::NoQuestion)?);
        let question = question.resolved(&members.iter().collect());
        let member = members.iter().find(|member| member.id == member_key.user);
        let member = member.ok_or(Error::NotMember)?;
        let seen = SeenQuestion::listed(question, &group, member, now);
        let details = details?;
        let (prompt, receipt) = details.map(|it| (it.prompt, it.receipt)).unwrap_or_default();
        let detail = QuestionDetail::of(&seen.question, receipt, answers?, &group, members, now);
        Ok(SeenQuestion { prompt, detail: Some(Box::new(detail)), ..seen })
    }

    /// Closes a question. One that is over stays as it is.
    ///
    /// # Errors
    ///
    /// [`Error::NoQuestion`]; [`Error::Question`] if the caller did not ask it;
    /// [`Error::GroupArchived`]; [`Error::NoGroup`] or [`Error::NotMember`].
    pub async fn close_question(
        &self,
        member_key: MemberKey,
        id: QuestionId,
        body: &Draft<()>,
        idempotency: &Idempotency<SeenQuestion>,
    ) -> Result<Outcome<SeenQuestion>, Error> {
        let group = member_key.group;
        let now = idempotency.now();
        self.write(Some(group), idempotency, || async {
            let (of_group, question, ledger) = tokio::join!(
                self.group_and_caller(member_key),
                self.find_question(group, id, now),
                self.ledger(group),
            );
            let (group, member) = of_group?;
            let question = question?.ok_or(Error::NoQuestion)?;
            decide::close(member_key, &question, (&group, &member, &ledger?), body, now)
        })
        .await
    }

    /// The question `id` of a group.
    pub(crate) async fn find_question(
        &self,
        group: GroupId,
        id: QuestionId,
        now: Timestamp,
    ) -> Result<Option<Question>, Error> {
        let question: Option<Question> = self.db.get(keys::question(group, id)).await?;
        Ok(question.filter(|question| !question.is_gone(now)))
    }

    /// The details of a question that its row does not have.
    pub(crate) async fn details_of(
        &self,
        id: QuestionId,
    ) -> Result<Option<QuestionDetails>, Error> {
        self.db.get(keys::question_details(id)).await
    }

    /// All answers to a question, at most 50. A guest and a user who are one
    /// member since may have one each.
    pub(crate) async fn answers_to(&self, id: QuestionId) -> Result<Vec<Answer>, Error> {
        let range = Range::table(keys::question_partition(id), prefix::ANSWER);
        self.db.all(&Range { order: Order::Asc, ..range }).await
    }

    /// The open questions of a group whose positions are from `from` on, soonest expiry first. A
    /// few more than the limit may exist, because the index by which they are counted lags.
    pub(crate) async fn open_questions(
        &self,
        group: GroupId,
        from: String,
    ) -> Result<Vec<Question>, Error> {
        let range = Range {
            index: Some("GSI1"),
            partition: keys::open_questions(group),
            sort: Sort::Between(from, "~".to_owned()),
            order: Order::Asc,
        };
        let page = Page { limit: MAX_OPEN_QUESTIONS.saturating_add(10), after: None };
        Ok(self.db.page(&range, &page).await?.items)
    }
}
