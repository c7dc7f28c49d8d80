//! What is due for a user's funds: reports that expire, bonuses that lapse, held cash that can be
//! used, and entries that were left behind.

use fracti_core::{
    decisions::{
        decision::Decision,
        funds::{self as decide, SeenFunds},
    },
    funds::{
        fund::{Fund, FundKind},
        fund_transaction::{FundTransaction, FundTransactionType},
        user_funds::Funds,
    },
    input::Error,
    storage::{
        keys::{self, Primary},
        write::WriteError,
    },
    values::{fund_key::FundKey, fund_status::FundStatus, id::UserId, time::Timestamp},
};

use crate::{
    dynamo::note_mismatch,
    funds::changing::agreed,
    table::Table,
    write::idempotency::{Idempotency, Outcome},
};

impl Table {
    /// Does what is due for a user's funds now, instead of waiting for the keeper, and releases
    /// pending entries that were left behind. Holds for settlements end with their settlement.
    ///
    /// # Errors
    ///
    /// [`Error::FundsMismatch`]; [`Error::KeyReused`].
    pub async fn check_funds(
        &self,
        owner: UserId,
        idempotency: &Idempotency<SeenFunds>,
    ) -> Result<Outcome<SeenFunds>, Error> {
        let now = idempotency.now();
        let (funds, pending) = self.funds_with_pending(owner, now).await?;
        let over: Vec<_> = funds.all().filter(|fund| fund.is_over(now)).map(Fund::key).collect();
        for key in over {
            noted(keys::fund(owner, key), self.end_fund(owner, key, now).await)?;
        }
        let is_report = |it: &&FundTransaction| it.kind != FundTransactionType::Settlement;
        for row in pending.iter().filter(|it| it.is_over(now)).filter(is_report) {
            let ended = self.end_if_over(owner, row.id, now).await.map(drop);
            noted(keys::fund_transaction(owner, row.id), ended)?;
        }
        self.write(None, idempotency, || async {
            let funds = self.funds_in_detail(owner, now).await?;
            decide::release_orphans(funds, now)
        })
        .await
    }

    /// Ends a bonus or held cash whose time is over, and releases entries that were left behind:
    /// the rest of a bonus lapses, and held cash becomes cash. Does nothing if that is done.
    ///
    /// # Errors
    ///
    /// [`Error::FundsMismatch`].
    pub(crate) async fn end_fund(
        &self,
        owner: UserId,
        key: FundKey,
        now: Timestamp,
    ) -> Result<(), Error> {
        self.work(None, "end-fund", now, |context| async move {
            let mut funds = self.funds_in_detail(owner, now).await?;
            funds.release_orphans_of(key, now);
            match funds.get(key).cloned().filter(|fund| fund.is_over(now)) {
                None => Ok(Decision::Done(())),
                Some(fund) if fund.kind == FundKind::Held => self.use_held(funds, &fund, now).await,
                Some(fund) => decide::lapse(funds, &fund, context),
            }
        })
        .await
    }

    /// Makes held cash usable.
    async fn use_held(
        &self,
        funds: Funds,
        held: &Fund,
        now: Timestamp,
    ) -> Result<Decision<()>, WriteError> {
        let missing = || Error::funds_mismatch("held cash has no transaction");
        let owner = funds.owner;
        let id = held.id.ok_or_else(missing)?;
        let paid = self.fund_transaction(owner, id).await?;
        let same = (paid.status == FundStatus::Held && paid.cash_amount == held.balance)
            .then_some(())
            .ok_or_else(|| Error::funds_mismatch("held cash does not agree with its transaction"));
        let is_used = async { Ok(self.funds(owner).await?.get(held.key()) != Some(held)) };
        agreed(same, is_used).await?;
        decide::use_held(funds, paid, now)
    }
}

/// Result of the work on one of a user's rows. One that does not agree with the others is noted,
/// and the rest goes on.
fn noted(key: Primary, done: Result<(), Error>) -> Result<(), Error> {
    match done {
        Err(Error::FundsMismatch(_)) => {
            note_mismatch(key, "it is due, but does not agree with the others");
            Ok(())
        }
        done => done,
    }
}
