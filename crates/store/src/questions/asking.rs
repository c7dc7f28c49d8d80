//! Asking, reading and closing questions.

use std::{collections::BTreeSet, sync::LazyLock};

use fracti_core::{
    decisions::decision::Decision,
    group::{Group, Member, MemberKey, links::Links},
    input::{Draft, Error, Field},
    questions::{
        answer::Answer,
        asking::Asking,
        question::{
            MAX_OPEN_QUESTIONS, MIN_ANONYMOUS, NewQuestion, Question, QuestionError, QuestionStatus,
        },
        receipt::{Applying, Claims, QuestionDetails, Receipt, Unclaimed},
    },
    records::expense::NewExpense,
    split::PreviewedShare,
    storage::{
        condition::Condition,
        keys::{self, prefix},
        write::{Transaction, Write},
    },
    values::{
        id::{GroupId, GuestId, MemberId, QuestionId, TokenId},
        request_context::RequestContext,
        text::{Prompt, TokenName},
        time::{Timestamp, Zone},
    },
};

use crate::{
    dynamo::{Order, Page, Range, Sort},
    group::presence::check_unarchived,
    table::Table,
    write::idempotency::{Idempotency, Outcome},
};

/// A question as a member of its group sees it.
#[derive(Clone, Debug)]
pub struct SeenQuestion {
    /// The question.
    pub question: Question,
    /// Title of the group.
    pub group_title: String,
    /// Whether the group is archived.
    pub archived: bool,
    /// Status at the time of the request.
    pub status: QuestionStatus,
    /// Whether the member can answer it now.
    pub can_answer: bool,
    /// Whether the member has answered it.
    pub has_answered: bool,
    /// The whole prompt, if the question has only the beginning of it.
    pub prompt: Option<Prompt>,
    /// Its answers and its receipt, unless it is shown in a list.
    pub detail: Option<Box<QuestionDetail>>,
}

/// The answers to a question, and its receipt.
#[derive(Clone, Debug)]
pub struct QuestionDetail {
    /// The receipt, if there is one.
    pub receipt: Option<Receipt>,
    /// The claims of the members who are present.
    pub claims: Claims,
    /// The shares as [`Table::apply_receipt`] with `claimers` would record them now, each with the
    /// name of its member; `None` if it would record none.
    pub preview: Option<Vec<(PreviewedShare, String)>>,
    /// The shares of what is claimed so far, while the expense is not recorded. [`NOBODY`] has the
    /// rest.
    pub claimed: Option<Vec<PreviewedShare>>,
    /// All members of the group, for their names.
    pub members: Vec<Member>,
    /// The answers in the order of their keys. There are none while those of an anonymous question
    /// are hidden.
    pub answers: Vec<Answer>,
    /// Whether answers are shown.
    pub shows_answers: bool,
}

impl SeenQuestion {
    /// A question in a list, as the member sees it.
    pub(crate) fn listed(
        question: Question,
        group: &Group,
        member: &Member,
        now: Timestamp,
    ) -> Self {
        Self {
            group_title: group.title.to_string(),
            archived: group.archived,
            status: question.status(now),
            can_answer: !group.archived && question.is_open_for(member, now),
            has_answered: question.has_answered(member),
            prompt: None,
            detail: None,
            question,
        }
    }
}

impl Table {
    /// Asks a question.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] or [`Error::TooManyShares`]; [`Error::Question`] if the group has too many
    /// open ones; [`Error::GroupArchived`]; [`Error::NoGroup`] or [`Error::NotMember`];
    /// [`Error::KeyReused`].
    pub async fn ask(
        &self,
        member_key: MemberKey,
        new: &Draft<NewQuestion>,
        agent: Option<(TokenId, &TokenName)>,
        idempotency: &Idempotency<SeenQuestion>,
    ) -> Result<Outcome<SeenQuestion>, Error> {
        let MemberKey { group, user } = member_key;
        let RequestContext { now, random } = idempotency.context();
        self.write(idempotency, || async {
            let (group, targets, open) = tokio::join!(
                self.group_naming(member_key, None),
                self.targets_if(new.needs_zone(), user),
                self.open_questions(group, now.to_string()),
            );
            let ((group, members), zone) = (group?, targets?.zone());
            group.check_unarchived()?;
            let asking =
                Asking { group: &group, members: &members, asker: user, agent, now, zone, random };
            let (question, details) = new.check(asking)?;
            if open?.len() >= MAX_OPEN_QUESTIONS {
                return Err(Error::from(QuestionError::TooMany).into());
            }
            let mut writes = Transaction::default();
            writes.add(Write::put_new(&question)?);
            if let Some(details) = &details {
                writes.add(Write::put_new(details)?);
            }
            writes.add(check_unarchived(group.id));
            let asker = members.iter().find(|member| member.id == user);
            let asker = asker.ok_or(Error::NotMember)?;
            let seen = SeenQuestion::listed(question, &group, asker, now);
            let prompt = details.and_then(|details| details.prompt);
            Ok(Decision::Write(writes, SeenQuestion { prompt, ..seen }))
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
        let MemberKey { group, user } = member_key;
        let now = idempotency.now();
        self.write(idempotency, || async {
            let (of_group, question) = tokio::join!(
                self.group_and_caller(member_key),
                self.find_question(group, id, now),
            );
            let (group, member) = of_group?;
            let question = question?.ok_or(Error::NoQuestion)?;
            if question.asked_by != user {
                return Err(Error::from(QuestionError::NotAsker).into());
            }
            if !question.is_over(now) {
                group.check_unarchived()?;
            }
            body.checked()?;
            if question.is_over(now) {
                return Ok(Decision::Done(SeenQuestion::listed(question, &group, &member, now)));
            }
            let after = question.closed(None, now);
            let writes = [put_question(&question, &after)?, check_unarchived(group.id)];
            let seen = SeenQuestion::listed(after, &group, &member, now);
            Ok(Decision::Write(Transaction::from_iter(writes), seen))
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

    /// The open questions of a group whose positions are from `from` on, soonest expiry first. A few
    /// more than the limit may exist, because the index by which they are counted lags.
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

/// The put of a question that is as it was read.
pub(crate) fn put_question(before: &Question, after: &Question) -> Result<Write, Error> {
    Ok(Write::put(after)?.when(Condition::at_version(before.version)))
}

/// The claims of named answers, one of each member.
pub(crate) fn claims_of(answers: &[Answer], links: &Links, present: &BTreeSet<MemberId>) -> Claims {
    let claims = answers.iter().filter_map(|it| Some((it.member()?, it.claims.as_deref()?)));
    Claims::of(claims, links, present)
}

/// The members who are present, each under one id.
pub(crate) fn present(members: &[Member], links: &Links) -> Vec<Member> {
    let mut present = links.unlinked(members);
    present.retain(Member::is_present);
    present
}

/// The member who has what nobody has claimed yet. No guest has this id.
pub static NOBODY: LazyLock<MemberId> = LazyLock::new(|| GuestId::from_bytes([0; 16]).into());

impl QuestionDetail {
    fn of(
        question: &Question,
        receipt: Option<Receipt>,
        answers: Vec<Answer>,
        group: &Group,
        members: Vec<Member>,
        now: Timestamp,
    ) -> Self {
        let links: Links = members.iter().collect();
        let present = present(&members, &links);
        let ids: BTreeSet<MemberId> = present.iter().map(|member| member.id).collect();
        let answers = Answer::one_each(answers, &links);
        let claims = claims_of(&answers, &links, &ids);
        let unclaimed = Unclaimed::Claimers;
        let applying = Applying { links: &links, present: &ids, unclaimed, payer: Field::Absent };
        let open = receipt.as_ref().filter(|_| question.expense_id.is_none());
        let preview = open.and_then(|receipt| receipt.expense(&claims, applying).ok());
        let shares = |new: Draft<NewExpense>, among: &[Member]| {
            let new = new.check(group, among, question.asked_by, now, Zone::default()).ok()?;
            new.preview().ok()
        };
        let claimed = open.and_then(|it| it.claimed(&claims, applying, *NOBODY).ok());
        let claimed = claimed.and_then(|new| {
            let first = present.first()?.clone();
            let nobody = Member { id: *NOBODY, name: String::new(), ..first };
            let among: Vec<_> = present.iter().cloned().chain([nobody]).collect();
            Some(shares(new, &among)?.into_iter().map(|(share, _)| share).collect())
        });
        let enough = question.is_over(now) && answers.len() >= MIN_ANONYMOUS;
        let shows_answers = !question.anonymous || enough;
        let preview = preview.and_then(|new| shares(new, &present));
        let answers = if shows_answers { answers } else { Vec::new() };
        Self { receipt, claims, preview, claimed, members, answers, shows_answers }
    }
}
