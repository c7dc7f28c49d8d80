//! Settlements that the payer's funds pay.
//!
//! Funds change in the transaction of the settlement: they are withheld when it is recorded, paid
//! when it is completed, and released when it fails. So a settlement is paid once or not at all.

use fracti_core::{
    decisions::{
        decision::Decision,
        funding::{self as decide, AtOnce, Detail, money, users},
        ledger_transaction::LedgerTransaction,
        settlements::failed,
    },
    funds::user_funds::Payable,
    group::MemberKey,
    input::{Draft, Error},
    records::settlement::{NewSettlement, Settlement},
    storage::{
        keys,
        write::{Write, WriteError},
    },
    values::{
        id::{GroupId, SettlementId, UserId},
        settlement_status::SettlementStatus,
        time::Timestamp,
    },
};
use tokio::sync::OnceCell;

use crate::{
    funds::changing::agreed,
    ledger::Attempts,
    table::Table,
    write::idempotency::{Idempotency, Outcome},
};

impl Table {
    /// Records a settlement that the payer's funds pay: they are withheld for seven days, or paid
    /// at once.
    ///
    /// # Errors
    ///
    /// As [`Table::create_settlement`], and those of
    /// [`record_from_funds`](decide::record_from_funds).
    pub(crate) async fn create_from_funds(
        &self,
        member_key: MemberKey,
        new: &Draft<NewSettlement>,
        idempotency: &Idempotency<Settlement>,
    ) -> Result<Outcome<Settlement>, Error> {
        let MemberKey { group, user } = member_key;
        let named = new.named();
        let context = idempotency.context();
        let attempts = Attempts::default();
        let to = new.fields().and_then(|new| new.to.value().copied());
        let pays_now = new.from_funds().is_some_and(|how| how.pay_now);
        let detail = &Detail::default();
        self.write(Some(group), idempotency, || async {
            let ledger = &OnceCell::new_with(self.ledger_first(&attempts, group).await?);
            let at_once = async {
                let Some(to) = to.filter(|_| pays_now) else { return Ok(None) };
                let named = async {
                    let Some(user) = to.user() else { return Ok(None) };
                    self.funds(user).await.map(Some)
                };
                let pending = async {
                    let ledger = ledger.get_or_try_init(|| self.ledger(group)).await?;
                    let pending = self.pending_settlements(group, ledger).await?;
                    Ok::<_, Error>((ledger.links.resolve(to).user(), pending))
                };
                let (named, (linked, pending)) = tokio::try_join!(named, pending)?;
                let recipient = match (named, linked) {
                    (Some(funds), _) => funds,
                    // A linked guest is the user.
                    (None, Some(user)) => self.funds(user).await?,
                    (None, None) => return Ok(None),
                };
                Ok::<_, Error>(Some(AtOnce { recipient, pending }))
            };
            let payer = async {
                let funds = self.funds(user).await?;
                self.unless_short(funds, detail.is_needed(), context.now).await
            };
            let targets = self.targets_if(!new.has_date(), user);
            let read = Box::pin(async { tokio::try_join!(payer, at_once, targets) });
            let named = Some(&named);
            let opened = self.open_with(ledger, member_key, named, context.now, read).await?;
            let ((seen, members), transaction, (payer, at_once, targets)) = opened;
            let by = (user, context, targets.zone());
            let funds = (payer, detail, at_once);
            let recorded =
                decide::record_from_funds(new, (&seen, &members), transaction, funds, by)?;
            self.commit_unrepeated(new, recorded).await
        })
        .await
    }

    /// The writes that pay a settlement from what is withheld for it, when the recipient confirms
    /// it.
    ///
    /// # Errors
    ///
    /// [`Error::Fund`] if the hold is over or the funds are too many; [`Error::FundsMismatch`].
    pub(crate) async fn pay_funds(
        &self,
        settlement: &Settlement,
        by: UserId,
        at: Timestamp,
        random: [u8; 10],
    ) -> Result<Vec<Write>, Error> {
        let Some(funds) = &settlement.funds else { return Ok(Vec::new()) };
        let [payer, recipient] = users(settlement)?;
        let (held, from, to) = tokio::try_join!(
            self.fund_transaction(payer, funds.transaction_id),
            self.funds(payer),
            self.funds(recipient),
        )?;
        decide::pay(settlement, &held, (from, to), by, (at, random))
    }

    /// The writes that release what is withheld for a settlement, which a user has failed or,
    /// without one, has expired.
    ///
    /// # Errors
    ///
    /// [`Error::FundsMismatch`].
    pub(crate) async fn release_funds(
        &self,
        settlement: &Settlement,
        by: Option<UserId>,
        at: Timestamp,
    ) -> Result<Vec<Write>, Error> {
        let Some(paid) = &settlement.funds else { return Ok(Vec::new()) };
        let [payer, _] = users(settlement)?;
        let key = keys::fund_transaction(payer, paid.transaction_id);
        let (held, funds) = tokio::join!(self.db.get(key), self.funds(payer));
        let funds = funds?;
        decide::release(paid.transaction_id, held?, funds, by, at)
    }

    /// The writes by which the recipient gives back the cash that paid a settlement at once.
    ///
    /// # Errors
    ///
    /// [`Error::Fund`] if the recipient has less cash available.
    pub(crate) async fn return_funds(
        &self,
        settlement: &Settlement,
        at: Timestamp,
        random: [u8; 10],
    ) -> Result<Vec<Write>, Error> {
        if settlement.funds.is_none() {
            return Ok(Vec::new());
        }
        let [payer, recipient] = users(settlement)?;
        let (payer, recipient) = tokio::try_join!(self.funds(payer), self.funds(recipient))?;
        let amount = money(settlement)?;
        let is_short = recipient.cover(amount, Payable::Cash, at).is_err();
        let recipient = self.unless_short(recipient, is_short, at).await?;
        decide::give_back(settlement, (recipient, payer), at, random)
    }

    /// What was read of funds after a pending settlement, which may have ended in between.
    pub(crate) async fn agreed_with<T>(
        &self,
        settlement: &Settlement,
        outcome: Result<T, Error>,
    ) -> Result<T, WriteError> {
        let has_ended = async {
            let after = self.find_settlement(settlement.group_id, settlement.id).await?;
            Ok(after.is_none_or(|after| after.status != settlement.status))
        };
        agreed(outcome, has_ended).await
    }

    /// Ends a settlement whose hold is over, and returns it. One that has ended, or whose hold is
    /// not over, is returned as it is. An archived group's hold ends, too.
    ///
    /// # Errors
    ///
    /// [`Error::NoSettlement`]; [`Error::FundsMismatch`].
    pub(crate) async fn end_settlement_hold(
        &self,
        group: GroupId,
        id: SettlementId,
        now: Timestamp,
    ) -> Result<Settlement, Error> {
        self.work(Some(group), "end-settlement-hold", now, |_| async {
            let read = tokio::try_join!(self.find_settlement(group, id), self.ledger(group));
            let (settlement, ledger) = read?;
            let settlement = settlement.ok_or(Error::NoSettlement)?;
            let hold = settlement.funds.as_ref().and_then(|funds| funds.expires_at);
            let is_over = hold.is_some_and(|end| end <= ledger.next_moment(now));
            if settlement.status != SettlementStatus::Pending || !is_over {
                return Ok(Decision::Done(settlement));
            }
            let [payer, _] = users(&settlement)?;
            let member_key = MemberKey { group, user: payer };
            let transaction = LedgerTransaction::unchecked(member_key, ledger, now);
            let rows = self.rows_of_failure(&settlement, None, transaction.at()).await?;
            let (transaction, failed) = failed(transaction, settlement, true, rows)?;
            transaction.commit(failed)
        })
        .await
    }
}
