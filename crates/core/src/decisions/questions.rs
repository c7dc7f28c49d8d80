//! Questions: asking, answering, claiming what a receipt has, closing, and recording its expense.

use std::{collections::BTreeSet, sync::LazyLock};

use fracti_texts::rule;

use crate::{
    decisions::{
        balance::put_lock_telling,
        decision::Decision,
        expenses::{Recording, record},
        ledger_transaction::LedgerTransaction,
        members::{check_member, check_unarchived},
    },
    group::{Group, Member, MemberKey, links::Links},
    input::{
        Draft, Error, Field, FieldErrors, limits::MAX_OPEN_QUESTIONS, question_error::QuestionError,
    },
    ledger::Ledger,
    questions::{
        answer::{Answer, Answering, NewAnswer, NewClaims},
        asking::Asking,
        points::{Badge, Points},
        question::{MIN_ANONYMOUS, NewQuestion, Question},
        receipt::{Applying, Claims, NewApplication, QuestionDetails, Receipt, Unclaimed},
    },
    records::{
        expense::{Expense, NewExpense},
        group_change::{ChangeKind, Subject},
    },
    split::PreviewedShare,
    storage::{
        condition::Condition,
        keys,
        write::{Transaction, Write, WriteError},
    },
    values::{
        id::{GuestId, MemberId, TokenId, UserId},
        question_status::QuestionStatus,
        request_context::RequestContext,
        text::{Prompt, TokenName},
        time::{Day, Timestamp, Zone, day_of},
    },
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
    /// The shares as [`apply`] with `claimers` would record them now, each with the
    /// name of its member; `None` if it would record none.
    pub preview: Option<Vec<(PreviewedShare, String)>>,
    /// The shares of what is claimed so far, while the expense is not recorded. [`STAND_IN`] has
    /// the rest.
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
    #[must_use]
    pub fn listed(question: Question, group: &Group, member: &Member, now: Timestamp) -> Self {
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
#[derive(Clone, Debug)]
pub struct Asked {
    group: Group,
    /// The question.
    pub question: Question,
    /// Member whose answer it is.
    pub member: Member,
    /// The caller's points, unless they answer for a guest.
    points: Option<Points>,
    /// The ledger, if the answer is the last one that the question needs.
    pub ledger: Option<Ledger>,
    /// The caller's day.
    day: Day,
}

/// What is read to apply a receipt.
#[derive(Debug)]
pub enum ReadForApplying {
    /// It became this expense, unless it was deleted.
    Applied(Option<Box<Expense>>),
    /// It is still to be applied.
    Open {
        /// The question.
        question: Box<Question>,
        /// Its receipt.
        receipt: Box<Receipt>,
        /// The answers, read after the question.
        answers: Vec<Answer>,
    },
}

impl ReadForApplying {
    /// A question that is not applied yet.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if it has no receipt.
    pub fn open(
        question: Question,
        receipt: Option<Receipt>,
        answers: Vec<Answer>,
    ) -> Result<Self, Error> {
        let rule = rule!(
            "{field} must be a question of type items",
            "{field} должно быть id вопроса типа items"
        );
        let receipt = receipt.ok_or_else(|| Error::invalid("questionId", rule))?;
        Ok(Self::Open { question: Box::new(question), receipt: Box::new(receipt), answers })
    }
}

/// Checks that a user may apply the receipt of a question: who asked may, and who paid by these
/// members.
pub fn check_applier(
    user: UserId,
    question: &Question,
    receipt: Option<&Receipt>,
    links: &Links,
    members: &[Member],
) -> Result<(), QuestionError> {
    let is_payer = || receipt.is_some_and(|it| it.is_paid_by(user, links, members));
    let may = question.asked_by == user || is_payer();
    if may { Ok(()) } else { Err(QuestionError::NotPayer) }
}

/// Asks a question. `open` is the number of open questions of the group; a mistake of the request
/// is reported before its error.
pub fn ask(
    by: MemberKey,
    new: &Draft<NewQuestion>,
    agent: Option<(TokenId, &TokenName)>,
    (group, members, ledger): (&Group, &[Member], &Ledger),
    (context, zone): (RequestContext, Zone),
    open: Result<usize, Error>,
) -> Result<Decision<SeenQuestion>, WriteError> {
    group.check_unarchived()?;
    let user = by.user;
    let RequestContext { now, random } = context;
    let asking = Asking { group, members, asker: user, agent, now, zone, random };
    let (question, details) = new.check(asking)?;
    if open? >= MAX_OPEN_QUESTIONS {
        return Err(Error::from(QuestionError::TooMany).into());
    }
    let mut writes = Transaction::default();
    writes.add(Write::put_new(&question)?);
    if let Some(details) = &details {
        writes.add(Write::put_new(details)?);
    }
    ledger.state.check_writer(user)?;
    let told = Subject::question(ChangeKind::QuestionAsked, question.id, &question.prompt);
    writes.extend(put_lock_telling(by, ledger, now, told)?);
    let asker = members.iter().find(|member| member.id == user);
    let asker = asker.ok_or(Error::NotMember)?;
    let seen = SeenQuestion::listed(question, group, asker, now);
    let prompt = details.and_then(|details| details.prompt);
    Ok(Decision::Write(writes, SeenQuestion { prompt, ..seen }))
}

/// Closes a question for who asked it. One that is over stays as it is.
pub fn close(
    by: MemberKey,
    question: &Question,
    (group, member, ledger): (&Group, &Member, &Ledger),
    body: &Draft<()>,
    now: Timestamp,
) -> Result<Decision<SeenQuestion>, WriteError> {
    if question.asked_by != by.user {
        return Err(Error::from(QuestionError::NotAsker).into());
    }
    if !question.is_over(now) {
        group.check_unarchived()?;
    }
    body.checked()?;
    if question.is_over(now) {
        return Ok(Decision::Done(SeenQuestion::listed(question.clone(), group, member, now)));
    }
    let after = question.closed(None, now);
    ledger.state.check_writer(by.user)?;
    let told = Subject::question(ChangeKind::QuestionClosed, question.id, &question.prompt);
    let mut writes = Transaction::from_iter([put_question(question, &after)?]);
    writes.extend(put_lock_telling(by, ledger, now, told)?);
    let seen = SeenQuestion::listed(after, group, member, now);
    Ok(Decision::Write(writes, seen))
}

/// The member for whom the caller answers: themselves, or a guest.
pub fn answerer(
    user: UserId,
    named: Option<MemberId>,
    caller: Member,
    guest: Option<Member>,
) -> Result<Member, QuestionError> {
    match named {
        None => Ok(caller),
        Some(MemberId::User(named)) if named == user => Ok(caller),
        Some(MemberId::User(_)) => Err(QuestionError::NotYours),
        Some(MemberId::Guest(_)) => {
            let guest = guest.ok_or(QuestionError::NotAsked)?;
            match guest.linked_to {
                None => Ok(guest),
                Some(linked) if linked == user => Ok(caller),
                Some(_) => Err(QuestionError::NotYours),
            }
        }
    }
}

/// Answers a question with a text or a choice.
pub fn answer(
    user: UserId,
    new: &Draft<NewAnswer>,
    asked: &Asked,
    context: RequestContext,
) -> Result<Decision<Answered>, WriteError> {
    asked.question.check_answer(&asked.member, context.now)?;
    let answer = new.check(&asked.question, &asked.answering(user, context))?;
    asked.answer(Write::put_new(&answer)?, 1, context.now)
}

/// Claims items of a receipt, instead of earlier claims of the member, and of the guests who turned
/// out to be them: these are `before`. There is no decision if the member claims what they did
/// before: then the caller looks whether that is still so.
pub fn claim(
    by: MemberKey,
    new: &Draft<NewClaims>,
    asked: &Asked,
    details: Option<QuestionDetails>,
    before: &[Answer],
    context: RequestContext,
) -> Result<Option<Decision<Answered>>, WriteError> {
    let question = &asked.question;
    let member = &asked.member;
    let now = context.now;
    let latest = Answer::latest(before);
    let receipt = details.and_then(|details| details.receipt);
    match latest {
        // To another question, below; an anonymous answer to it is not found by its member.
        None if receipt.is_none() => question.check_open(now)?,
        // The claims were stored after the row was read, which other users do for guests.
        None if question.has_answered(member) => return Err(WriteError::Retry),
        None => question.check_answer(member, now)?,
        Some(_) => question.check_open(now)?,
    }
    let answer = new.check(question, receipt.as_ref(), &asked.answering(by.user, context))?;
    let number = answer.claims.as_ref().map_or(0, Vec::len);
    let Some(latest) = latest else {
        return asked.answer(Write::put_new(&answer)?, number, now).map(Some);
    };
    let answer = answer.replacing(latest);
    if answer == *latest {
        return Ok(None);
    }
    let after = question.answered_by(member, number, now);
    let mut writes = Transaction::from_iter([
        // Every change of an answer changes the question, whose version is a condition.
        Write::put(&answer)?,
        put_question(question, &after)?,
        check_unarchived(by.group),
        check_member(by.group, member),
    ]);
    let of_guests = before.iter().filter_map(Answer::member).filter(|it| *it != member.id);
    writes.extend(of_guests.map(|guest| Write::delete(keys::answer(question.id, guest))));
    Ok(Some(Decision::Write(writes, asked.unscored(after, now))))
}

/// Records the expense of a receipt. One that was recorded before is returned as it is.
pub fn apply(
    user: UserId,
    new: &Draft<NewApplication>,
    (group, members): (&Group, &[Member]),
    transaction: LedgerTransaction,
    read: ReadForApplying,
    context: RequestContext,
) -> Result<Decision<Expense>, WriteError> {
    let (question, receipt, answers) = match read {
        ReadForApplying::Applied(Some(expense)) => return Ok(Decision::Done(*expense)),
        ReadForApplying::Applied(None) => return Err(QuestionError::Deleted.into()),
        ReadForApplying::Open { question, receipt, answers } => (question, receipt, answers),
    };
    let links = transaction.links().clone();
    // A guest who paid may be another user by now, and a past member may be back.
    check_applier(user, &question, Some(&receipt), &links, members)?;
    let application = new.checked()?;
    let present: BTreeSet<MemberId> =
        links.present(members).iter().map(|member| member.id).collect();
    let applying = Applying {
        links: &links,
        present: &present,
        unclaimed: application.unclaimed.or(Unclaimed::Reject).unwrap_or(Unclaimed::Reject),
        payer: application.payer,
    };
    let claims = claims_of(&Answer::one_each(answers, &links), &links, &present);
    let expense = receipt.expense(&claims, applying)?;
    let recording = Recording { group, members, user, context, zone: Zone::default() };
    let (mut transaction, expense) =
        record(&expense, recording, transaction).map_err(within_receipt)?;
    transaction.add(put_question(&question, &question.closed(Some(expense.id), context.now))?);
    transaction.commit(expense)
}

/// The put of a question that is as it was read.
pub fn put_question(before: &Question, after: &Question) -> Result<Write, Error> {
    Ok(Write::put(after)?.when(Condition::at_version(before.version)))
}

/// The claims of named answers, one of each member.
#[must_use]
pub fn claims_of(answers: &[Answer], links: &Links, present: &BTreeSet<MemberId>) -> Claims {
    let claims = answers.iter().filter_map(|it| Some((it.member()?, it.claims.as_deref()?)));
    Claims::of(claims, links, present)
}

/// Id of the stand-in who has what is not claimed yet. No guest has it.
pub static STAND_IN: LazyLock<MemberId> = LazyLock::new(|| GuestId::from_bytes([0; 16]).into());

impl Asked {
    /// What an answer depends on, of a member who is asked.
    ///
    /// # Errors
    ///
    /// [`Error::GroupArchived`].
    pub fn of(
        user: UserId,
        group: Group,
        question: Question,
        (member, points): (Member, Option<Points>),
        (now, zone): (Timestamp, Zone),
    ) -> Result<Self, Error> {
        group.check_unarchived()?;
        let none = || Points::none(group.id, user, now);
        let points = member.id.user().map(|_| points.unwrap_or_else(none));
        let day = day_of(now, zone);
        Ok(Self { group, question, member, points, ledger: None, day })
    }

    /// Whether an answer of the member is the last one that the question needs, so that it is told,
    /// which needs the ledger.
    #[must_use]
    pub fn completes(&self, now: Timestamp) -> bool {
        let after = self.question.answered_by(&self.member, 1, now);
        self.question.closed_at.is_none() && after.closed_at.is_some()
    }

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
            check_member(self.group.id, &self.member),
        ]);
        match &self.ledger {
            Some(ledger) if after.closed_at.is_some() => {
                if ledger.state.archived {
                    return Err(Error::GroupArchived.into());
                }
                // Its asker is named, so that nothing tells who gave an anonymous answer.
                let by = MemberKey { group: self.group.id, user: after.asked_by };
                let kind = ChangeKind::QuestionCompleted;
                let told = Subject::question(kind, after.id, &after.prompt);
                writes.extend(put_lock_telling(by, ledger, now, told)?);
            }
            _ => writes.add(check_unarchived(self.group.id)),
        }
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
    #[must_use]
    pub fn unscored(&self, after: Question, now: Timestamp) -> Answered {
        Answered {
            status: after.status(now),
            question: after,
            points: 0,
            total: self.points.clone(),
            new_badges: Vec::new(),
        }
    }
}

impl QuestionDetail {
    /// What a member sees of a question.
    #[must_use]
    pub fn of(
        question: &Question,
        receipt: Option<Receipt>,
        answers: Vec<Answer>,
        group: &Group,
        members: Vec<Member>,
        now: Timestamp,
    ) -> Self {
        let links: Links = members.iter().collect();
        let present = links.present(&members);
        let ids: BTreeSet<MemberId> = present.iter().map(|member| member.id).collect();
        let answers = Answer::one_each(answers, &links);
        let claims = claims_of(&answers, &links, &ids);
        let unclaimed = Unclaimed::Claimers;
        let applying = Applying { links: &links, present: &ids, unclaimed, payer: Field::Absent };
        let open = receipt.as_ref().filter(|_| question.expense_id.is_none());
        let preview = open.and_then(|receipt| receipt.expense(&claims, applying).ok());
        let shares = |new: Draft<NewExpense>, among: &[Member]| {
            let new = new.check(group, among, question.asked_by, now, Zone::default()).ok()?;
            new.at(now, [0; 10]).ok()?.preview().map(|(_, shares)| shares)
        };
        let claimed = open.and_then(|it| it.claimed(&claims, applying, *STAND_IN).ok());
        let claimed = claimed.and_then(|new| {
            let first = present.first()?.clone();
            let stand_in = Member { id: *STAND_IN, name: String::new(), ..first };
            let among: Vec<_> = present.iter().cloned().chain([stand_in]).collect();
            Some(shares(new, &among)?.into_iter().map(|(share, _)| share).collect())
        });
        let enough = question.is_over(now) && answers.len() >= MIN_ANONYMOUS;
        let shows_answers = !question.anonymous || enough;
        let preview = preview.and_then(|new| shares(new, &present));
        let answers = if shows_answers { answers } else { Vec::new() };
        Self { receipt, claims, preview, claimed, members, answers, shows_answers }
    }
}

/// The same error, whose paths are those of the receipt.
fn within_receipt(error: WriteError) -> WriteError {
    match error {
        WriteError::Fail(Error::Invalid(errors)) => {
            let mut outer = FieldErrors::default();
            outer.replace_within("receipt", errors);
            WriteError::Fail(Error::Invalid(outer))
        }
        error => error,
    }
}
