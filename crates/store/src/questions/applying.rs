//! A receipt becomes an expense.

use fracti_core::{
    decisions::questions::{self as decide, ReadForApplying},
    group::{Member, MemberKey, links::Links},
    input::{Draft, Error},
    questions::receipt::NewApplication,
    records::expense::Expense,
    values::id::QuestionId,
};

use crate::{
    ledger::Attempts,
    table::Table,
    write::idempotency::{Idempotency, Outcome},
};

impl Table {
    /// Records the expense of a receipt by its claims, and closes the question. A receipt that was
    /// applied before gives the same expense.
    ///
    /// # Errors
    ///
    /// [`Error::NoQuestion`]; [`Error::Question`] if the caller neither asked nor paid, items are
    /// unclaimed, a payer has left or the expense was deleted; [`Error::Invalid`] if the question
    /// has no receipt; otherwise as [`Table::create_expense`].
    pub async fn apply_receipt(
        &self,
        member_key: MemberKey,
        id: QuestionId,
        new: &Draft<NewApplication>,
        idempotency: &Idempotency<Expense>,
    ) -> Result<Outcome<Expense>, Error> {
        let MemberKey { group, user } = member_key;
        let context = idempotency.context();
        let now = idempotency.now();
        let attempts = Attempts::default();
        self.write(Some(group), idempotency, || async {
            let read = async {
                // The question is read before the answers: claims that are committed in between
                // change its version, which is a condition.
                let question =
                    self.find_question(group, id, now).await?.ok_or(Error::NoQuestion)?;
                let (details, answers) =
                    tokio::try_join!(self.details_of(id), self.answers_to(id))?;
                let receipt = details.and_then(|details| details.receipt);
                let check = |members: &[Member]| {
                    let links = Links::default();
                    decide::check_applier(user, &question, receipt.as_ref(), &links, members)
                };
                if check(&[]).is_err() {
                    // Whether a payer is past shows only in the members' rows.
                    let (_, members) = self.group_naming(member_key, None).await?;
                    check(&members)?;
                }
                if let Some(expense) = question.expense_id {
                    let expense = self.find_expense(group, expense).await?;
                    return Ok(ReadForApplying::Applied(expense.map(Box::new)));
                }
                ReadForApplying::open(question, receipt, answers)
            };
            let opened = self.open(&attempts, member_key, None, now, read).await?;
            let ((group, members), transaction, read) = opened;
            decide::apply(user, new, (&group, &members), transaction, read, context)
        })
        .await
    }
}
