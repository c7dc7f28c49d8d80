//! A receipt becomes an expense.

use std::collections::BTreeSet;

use fracti_core::{
    decisions::{
        expenses::{Recording, record},
        ledger_transaction::LedgerTransaction,
    },
    group::{Group, Member, MemberKey, links::Links},
    input::{Draft, Error, FieldErrors},
    questions::{
        answer::Answer,
        question::{Question, QuestionError},
        receipt::{Applying, NewApplication, Receipt, Unclaimed},
    },
    records::expense::Expense,
    storage::write::WriteError,
    values::{
        id::{MemberId, QuestionId},
        time::Zone,
    },
};
use fracti_texts::rule;

use crate::{
    questions::asking::{claims_of, present, put_question},
    table::Table,
    write::idempotency::{Idempotency, Outcome},
};

/// What is read to apply a receipt.
enum ReadForApplying {
    /// It became this expense, unless it was deleted.
    Applied(Option<Box<Expense>>),
    /// It is still to be applied.
    Open { question: Box<Question>, receipt: Box<Receipt>, answers: Vec<Answer> },
}

impl Table {
    /// Records the expense of a receipt by its claims, and closes the question. A receipt that was
    /// applied before gives the same expense.
    ///
    /// # Errors
    ///
    /// [`Error::NoQuestion`]; [`Error::Question`] if the caller neither asked nor paid, items are
    /// unclaimed, a payer has left or the expense was deleted; [`Error::Invalid`] if the question has
    /// no receipt; otherwise as [`Table::create_expense`].
    pub async fn apply_receipt(
        &self,
        member_key: MemberKey,
        id: QuestionId,
        new: &Draft<NewApplication>,
        idempotency: &Idempotency<Expense>,
    ) -> Result<Outcome<Expense>, Error> {
        let MemberKey { group, user } = member_key;
        let (context, now) = (idempotency.context(), idempotency.now());
        let read = || async {
            // The question is read before the answers: claims that are committed in between change
            // its version, which is a condition.
            let question = self.find_question(group, id, now).await?.ok_or(Error::NoQuestion)?;
            let (details, answers) = tokio::try_join!(self.details_of(id), self.answers_to(id))?;
            let receipt = details.and_then(|details| details.receipt);
            let is_payer = |members: &[Member]| {
                receipt.as_ref().is_some_and(|it| it.is_paid_by(user, &Links::default(), members))
            };
            if question.asked_by != user && !is_payer(&[]) {
                // Whether a payer is past shows only in the members' rows.
                let (_, members) = self.group_naming(member_key, None).await?;
                if !is_payer(&members) {
                    return Err(QuestionError::NotPayer.into());
                }
            }
            if let Some(expense) = question.expense_id {
                let expense = self.find_expense(group, expense).await?;
                return Ok(ReadForApplying::Applied(expense.map(Box::new)));
            }
            let no_receipt = || {
                Error::invalid(
                    "questionId",
                    rule!(
                        "{field} must be a question of type items",
                        "{field} должно быть id вопроса типа items"
                    ),
                )
            };
            let receipt = Box::new(receipt.ok_or_else(no_receipt)?);
            Ok(ReadForApplying::Open { question: Box::new(question), receipt, answers })
        };
        let create = |group: &Group,
                      members: &[Member],
                      transaction: LedgerTransaction,
                      read: ReadForApplying| {
            let (question, receipt, answers) = match read {
                ReadForApplying::Applied(Some(expense)) => return Ok((transaction, *expense)),
                ReadForApplying::Applied(None) => return Err(QuestionError::Deleted.into()),
                ReadForApplying::Open { question, receipt, answers } => {
                    (question, receipt, answers)
                }
            };
            let links = transaction.links().clone();
            // A guest who paid may be another user by now, and a past member may be back.
            if question.asked_by != user && !receipt.is_paid_by(user, &links, members) {
                return Err(QuestionError::NotPayer.into());
            }
            let application = new.checked()?;
            let present: BTreeSet<MemberId> =
                present(members, &links).iter().map(|member| member.id).collect();
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
            transaction.add(put_question(&question, &question.closed(Some(expense.id), now))?);
            Ok((transaction, expense))
        };
        self.create_in_group(member_key, None, idempotency, read, create).await
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
