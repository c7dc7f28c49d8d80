//! `funds`: what waits for an operator, and what the operator did about it.

use std::io::Write;

use clap::{Args, Subcommand};
use fracti_core::{
    decisions::fund_void::EndedByForce,
    funds::fund_transaction::FundTransaction,
    input::{Draft, Error, Field},
    values::{
        fund_key::FundWork,
        id::{FundTransactionId, UserId},
        ref_id::RefId,
    },
};
use fracti_runtime::with_causes;
use fracti_store::{Idempotency, Outcome as Stored, Page, noting_unreadable};

use crate::{Admin, Failure, Outcome};

/// Transactions that are read with one request.
const AT_ONCE: usize = 100;

/// What to do about funds.
#[derive(Debug, Subcommand)]
pub enum FundsCommand {
    /// List what waits for an operator, oldest first: reports of money that should have arrived,
    /// and cash-outs to pay.
    List {
        /// Only `topup` or only `cashout`.
        #[arg(long)]
        kind: Option<FundWork>,
    },
    /// Complete a top-up whose money has arrived, or a cash-out that was paid.
    Capture {
        /// The transaction.
        #[command(flatten)]
        waiting: Waiting,
        /// Reference of the payment, like that of the bank. Each counts once.
        #[arg(long, value_name = "TEXT")]
        ref_id: RefId,
    },
    /// Take back a top-up whose money did not arrive, or a cash-out that will not be paid.
    Void {
        /// The transaction.
        #[command(flatten)]
        waiting: Waiting,
        /// End a transaction that another program has left half-done, a payment too: release what
        /// is withheld, write what was taken as a transaction, and fail the settlement.
        #[arg(long)]
        force: bool,
    },
}

/// A transaction that waits for an operator.
#[derive(Clone, Copy, Debug, Args)]
pub struct Waiting {
    /// Telegram id of the user whose funds it changes.
    #[arg(long, value_name = "ID")]
    pub user: UserId,
    /// The transaction.
    #[arg(long, value_name = "ID")]
    pub transaction: FundTransactionId,
    /// Telegram id of the operator who does this, one of `OPERATOR_IDS`.
    #[arg(long = "as", value_name = "OPERATOR")]
    pub operator: UserId,
}

impl Admin {
    /// Lists, completes or takes back what waits for an operator, as over the API. `operators` are
    /// those of the deployment. A repeated command changes nothing. The outcome is bad if the
    /// change is refused.
    ///
    /// # Errors
    ///
    /// [`Failure::NotOperator`]; [`Failure`] if the table cannot be read or written, or the report
    /// cannot be written.
    pub async fn funds(
        &mut self,
        command: &FundsCommand,
        operators: &[UserId],
        out: &mut impl Write,
    ) -> Result<Outcome, Failure> {
        let waiting = match command {
            // Boxed, because the future is large.
            FundsCommand::List { kind } => return Box::pin(self.list_funds(*kind, out)).await,
            FundsCommand::Capture { waiting, .. } | FundsCommand::Void { waiting, .. } => waiting,
        };
        let Waiting { user, transaction, operator } = *waiting;
        if !operators.contains(&operator) {
            return Err(Failure::NotOperator(operator));
        }
        if let FundsCommand::Void { force: true, .. } = command {
            let void = || {
                let now = self.clock.now();
                Box::pin(self.table.void_half_done((user, transaction), operator, now))
            };
            match self.pace.patient(void).await {
                Ok(Some(ended)) => return report_by_force(&ended, out),
                // Nothing is half-done, so it is ended as without `--force`.
                Ok(None) => {}
                Err(error @ Error::Fund(_)) => return refused(*waiting, &error, out),
                Err(error) => return Err(error.into()),
            }
        }
        let end = || async {
            let now = self.clock.now();
            let ended = if let FundsCommand::Capture { ref_id, .. } = command {
                let reference = Draft::valid(Field::Value(ref_id.clone()));
                let work = Idempotency::own_work("capture-funds", now);
                let of = (user, transaction);
                self.table.capture_funds(of, operator, &reference, &work).await?
            } else {
                let work = Idempotency::own_work("void-funds", now);
                let of = (user, transaction);
                self.table.void_funds(of, operator, &Draft::valid(()), &work).await?
            };
            match ended {
                Stored::Done(ended) => Ok(ended),
                Stored::Replayed(_) => Err(Error::KeyReused),
            }
        };
        // Boxed, because the futures are large. A step that was done is answered the same again.
        match self.pace.patient(|| Box::pin(end())).await {
            Ok(ended) => {
                let kind = ended.kind;
                let status = ended.status;
                let amount = amount(&ended);
                writeln!(out, "user {user}: {kind} {transaction} of {amount} is {status}")?;
                Ok(Outcome::Good)
            }
            Err(error @ Error::Fund(_)) => refused(*waiting, &error, out),
            Err(error) => Err(error.into()),
        }
    }

    async fn list_funds(
        &self,
        kind: Option<FundWork>,
        out: &mut impl Write,
    ) -> Result<Outcome, Failure> {
        let kinds = kind.map_or_else(|| vec![FundWork::Topup, FundWork::Cashout], |it| vec![it]);
        let mut unreadable = 0_u64;
        for kind in kinds {
            let mut page = Page { limit: AT_ONCE, after: None };
            loop {
                let (work, left_out) =
                    noting_unreadable(self.pace.patient(|| self.table.fund_work(kind, &page)))
                        .await;
                let work = work?;
                for row in &left_out {
                    let pk = &row.key.pk;
                    let sk = &row.key.sk;
                    let cause = with_causes(&*row.cause);
                    writeln!(out, "{kind}: the row {pk} {sk} cannot be read: {cause}")?;
                }
                unreadable = unreadable.saturating_add(work.unreadable);
                for of in work.items {
                    let user = of.owner;
                    let id = of.id;
                    let amount = amount(&of);
                    let at = of.created_at;
                    write!(out, "{at} user {user}: {kind} {id} of {amount}")?;
                    if let Some(end) = of.expires_at {
                        write!(out, ", until {end}")?;
                    }
                    if let Some(to) = of.to {
                        write!(out, ", to {to}")?;
                    }
                    if let Some(description) = of.description {
                        write!(out, ", \"{description}\"")?;
                    }
                    writeln!(out)?;
                }
                page.after = work.next;
                if page.after.is_none() {
                    break;
                }
            }
        }
        Ok(if unreadable == 0 { Outcome::Good } else { Outcome::Bad })
    }
}

/// Reports what was refused.
fn refused(waiting: Waiting, error: &Error, out: &mut impl Write) -> Result<Outcome, Failure> {
    let Waiting { user, transaction, .. } = waiting;
    writeln!(out, "user {user}: {transaction}: {}", with_causes(error))?;
    Ok(Outcome::Bad)
}

/// Reports the end of a half-done transaction.
fn report_by_force(ended: &EndedByForce, out: &mut impl Write) -> Result<Outcome, Failure> {
    let EndedByForce { ended, written } = ended;
    let FundTransaction { owner, kind, id, status, .. } = ended;
    write!(out, "user {owner}: {kind} {id} of {} is {status}", amount(ended))?;
    if let Some(written) = written {
        let FundTransaction { kind, id, .. } = written;
        write!(out, "; {} had moved already: {kind} {id}", amount(written))?;
    }
    writeln!(out)?;
    Ok(Outcome::Good)
}

/// The amount, like `50 EUR`.
fn amount(of: &FundTransaction) -> String {
    format!("{} {}", of.money().to_major(), of.currency)
}
