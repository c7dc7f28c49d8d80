//! Settlements: recording, completing and failing them.

use std::future::ready;

use fracti_core::{
    decisions::{decision::Decision, ledger_transaction::LedgerTransaction, settlements as decide},
    funds::fund::FundError,
    group::{Group, Member, MemberKey},
    input::{Draft, Error},
    ledger::Ledger,
    personal::targets::Targets,
    records::{
        entry::Entry,
        settlement::{
            NewSettlement, Settlement, SettlementStatus, SettlementUpdate, Transition, UsedHash,
        },
    },
    storage::{
        condition::Condition,
        keys::{self, prefix},
        row,
        write::WriteError,
    },
    values::id::{GroupId, MemberId, SettlementId, UserId},
};
use futures_util::{FutureExt, future::BoxFuture};

use crate::{
    dynamo::{Page, Range, Slice},
    table::Table,
    write::idempotency::{Idempotency, Outcome},
};

/// Maximum number of pending settlements that a plan takes into account.
const MAX_PENDING: usize = 1000;

impl Table {
    /// A page of a group's settlements, of those with a status if there is one, without those of v0
    /// rows that cannot be read. With a status, it may be shorter than its limit although the list
    /// continues.
    ///
    /// # Errors
    ///
    /// [`Error::NoGroup`] or [`Error::NotMember`].
    pub async fn settlements(
        &self,
        member_key: MemberKey,
        status: Option<SettlementStatus>,
        page: &Page,
    ) -> Result<Slice<Settlement>, Error> {
        let range = Range::table(keys::group_partition(member_key.group), prefix::SETTLEMENT);
        let list = async {
            match status {
                None => self.db.page(&range, page).await,
                Some(status) => {
                    let accepts = |it: &Settlement| it.status == status;
                    self.db.page_of(&range, page, accepts).await
                }
            }
        };
        self.checked(member_key, list).await
    }

    /// The settlements of a group that were pending when `ledger` was read, newest first. The
    /// membership of the caller has been checked with it.
    ///
    /// One that was completed since then is among them, because its entry is not in `ledger`.
    ///
    /// # Errors
    ///
    /// [`Error::TooMuchHistory`] if the group has too many settlements, or more than `MAX_PENDING`
    /// that are pending.
    pub async fn pending_settlements(
        &self,
        group: GroupId,
        ledger: &Ledger,
    ) -> Result<Vec<Settlement>, Error> {
        if !ledger.state.may_have_pending() {
            return Ok(Vec::new());
        }
        let range = Range::table(keys::group_partition(group), prefix::SETTLEMENT);
        let mut open = Condition::equal("status", row::to_value(&SettlementStatus::Pending)?);
        if let Some(last) = &ledger.last_event_at {
            open = open.or(Condition::greater("completedAt", row::to_value(last)?));
        }
        let pending: Vec<Settlement> = self.db.filtered_readable(&range, &open).await?;
        if pending.len() > MAX_PENDING { Err(Error::TooMuchHistory) } else { Ok(pending) }
    }

    /// A settlement of a group.
    ///
    /// # Errors
    ///
    /// [`Error::NoSettlement`]; [`Error::NoGroup`] or [`Error::NotMember`].
    pub async fn settlement(
        &self,
        member_key: MemberKey,
        id: SettlementId,
    ) -> Result<Settlement, Error> {
        let find = self.find_settlement(member_key.group, id);
        self.checked(member_key, find).await?.ok_or(Error::NoSettlement)
    }

    /// Records a settlement. It is completed if its recipient records it, unless a past member
    /// paid it, and pending otherwise. Its date is by default the current day in the zone of the
    /// member who records it.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`]; [`Error::Settlement`] if the caller acts for neither side;
    /// [`Error::PaymentPending`]; [`Error::TxHashUsed`]; [`Error::Fund`] if the payer's funds do not
    /// pay it;
    /// [`Error::NoGroup`] or [`Error::NotMember`]; [`Error::KeyReused`].
    pub async fn create_settlement(
        &self,
        member_key: MemberKey,
        new: &Draft<NewSettlement>,
        idempotency: &Idempotency<Settlement>,
    ) -> Result<Outcome<Settlement>, Error> {
        if new.from_funds().is_some() {
            return self.create_from_funds(member_key, new, idempotency).await;
        }
        let (named, user, context) = (new.named(), member_key.user, idempotency.context());
        let read = || self.targets_if(!new.has_date(), user);
        let create = |group: &Group, members: &[Member], transaction, targets: Targets| {
            let by = (user, context, targets.zone());
            decide::record_settlement(new, (group, members), transaction, by)
        };
        let create = (create, self.refuse_repeated(new));
        self.create_checked_in_group(member_key, Some(&named), idempotency, read, create).await
    }

    /// [`Table::create_settlement`], of a plan that was made of the ledger with this version. Without
    /// one, the plan has no such payment any more, and only a repeated request is answered.
    ///
    /// # Errors
    ///
    /// As [`Table::create_settlement`]; [`Error::Changed`] if the ledger has another version.
    pub async fn create_planned_settlement(
        &self,
        member_key: MemberKey,
        new: &Draft<NewSettlement>,
        version: Option<u64>,
        idempotency: &Idempotency<Settlement>,
    ) -> Result<Outcome<Settlement>, Error> {
        let (named, user, context) = (new.named(), member_key.user, idempotency.context());
        let read = || self.targets_if(!new.has_date(), user);
        let create = |group: &Group,
                      members: &[Member],
                      transaction: LedgerTransaction,
                      targets: Targets| {
            if version != Some(transaction.before().version) {
                return Err(Error::Changed.into());
            }
            let by = (user, context, targets.zone());
            decide::record_settlement(new, (group, members), transaction, by)
        };
        self.create_in_group(member_key, Some(&named), idempotency, read, create).await
    }

    /// Refuses a new settlement if an equal one is pending, unless the request says that it is another
    /// payment. One that its payer records and that waits is let in: its recipient says whether it
    /// came. Among the newest settlements that a page examines, none is overlooked.
    ///
    /// # Errors
    ///
    /// Those of the returned check: [`Error::PaymentPending`].
    pub(crate) fn refuse_repeated<'a>(
        &'a self,
        new: &Draft<NewSettlement>,
    ) -> impl Fn(&LedgerTransaction, &Settlement) -> BoxFuture<'a, Result<(), Error>> + use<'a>
    {
        let is_separate = new.is_separate();
        move |transaction, created| {
            let Ledger { state, links, .. } = transaction.before();
            let resolved = created.resolved(links);
            let parties = resolved.parties();
            let by_payer = created.created_by.map(MemberId::from) == Some(resolved.from_user_id);
            let waits = by_payer && created.status == SettlementStatus::Pending;
            if is_separate || waits || !state.may_have_pending_between(parties, links) {
                return ready(Ok(())).boxed();
            }
            let (links, created, now) = (links.clone(), created.clone(), transaction.at());
            async move {
                let range =
                    Range::table(keys::group_partition(created.group_id), prefix::SETTLEMENT);
                let newest = Page { limit: 1, after: None };
                let repeats = |it: &Settlement| it.repeats(&created, &links, now);
                let found = self.db.page_of(&range, &newest, repeats).await?.items;
                found.first().map_or(Ok(()), |it| Err(Error::PaymentPending(it.id)))
            }
            .boxed()
        }
    }

    /// Updates a settlement that is as `expected`, if [`Settlement::transition`] allows it.
    ///
    /// # Errors
    ///
    /// [`Error::NoSettlement`]; [`Error::Changed`] if it is not as expected; [`Error::Settlement`];
    /// [`Error::TxHashUsed`]; [`Error::Fund`] if funds pay it and their hold is over, or the caller is
    /// not `in_app`; [`Error::NoGroup`] or [`Error::NotMember`].
    pub async fn update_settlement(
        &self,
        member_key: MemberKey,
        id: SettlementId,
        update: &Draft<SettlementUpdate>,
        expected: impl Fn(&Settlement) -> bool,
        in_app: bool,
        idempotency: &Idempotency<Settlement>,
    ) -> Result<Outcome<Settlement>, Error> {
        let updated = self.write_to_group(member_key.group, idempotency, || async {
            let read = async {
                tokio::try_join!(
                    self.find_settlement(member_key.group, id),
                    self.ledger(member_key.group)
                )
            };
            let (settlement, ledger) = self.checked(member_key, read).await?;
            let settlement = settlement.ok_or(Error::NoSettlement)?;
            let (user, random) = (member_key.user, idempotency.context().random);
            let effect = |members| decide::transition(user, update, &settlement, &ledger, members);
            let transition = if let Some(transition) = effect(None)? {
                transition
            } else {
                let (_, members) = self.group_naming(member_key, None).await?;
                effect(Some(&members))?.unwrap_or(Transition::Nothing)
            };
            let seen = (&settlement, &ledger);
            let checked = decide::check_update(user, update, &expected, in_app, seen, &transition)?;
            let transaction = || LedgerTransaction::new(member_key, ledger, idempotency.now());
            match transition {
                Transition::Nothing => Ok(Decision::Done(settlement)),
                Transition::Complete => {
                    self.complete(transaction()?, settlement, user, random).await
                }
                Transition::Fail => self.fail(transaction()?, settlement, Some(user)).await,
                Transition::Attach(hash) => {
                    let (transaction, used) = (transaction()?, self.used_hash(&settlement).await?);
                    decide::attach(transaction, &settlement, &hash, used.as_ref())
                }
                Transition::Edit => decide::edit(transaction()?, &settlement, checked),
                Transition::Revert => {
                    self.take_back(transaction()?, settlement, user, random).await
                }
            }
        });
        let updated = updated.await;
        if matches!(updated, Err(Error::Fund(FundError::Over(_)))) {
            // A confirmation that was sent in time may still be committed until the hold is ended.
            let ended = self.end_settlement_hold(member_key.group, id, idempotency.now()).await?;
            if !ended.expired {
                return Err(Error::Contended);
            }
        }
        updated
    }

    /// Fails a settlement for a user or, without one, ends it because its hold has expired. Its chain
    /// transaction may pay another settlement, and its payer gets back what was withheld.
    pub(crate) async fn fail(
        &self,
        transaction: LedgerTransaction,
        settlement: Settlement,
        by: Option<UserId>,
    ) -> Result<Decision<Settlement>, WriteError> {
        let released = self.release_funds(&settlement, by, transaction.at()).await;
        let released = self.agreed_with(&settlement, released).await?;
        let used = self.used_hash(&settlement).await?;
        let (transaction, failed) =
            decide::failed(transaction, settlement, by.is_none(), used.as_ref(), released)?;
        transaction.commit(failed)
    }

    /// Completes a settlement and records it in the ledger.
    async fn complete(
        &self,
        transaction: LedgerTransaction,
        settlement: Settlement,
        by: UserId,
        random: [u8; 10],
    ) -> Result<Decision<Settlement>, WriteError> {
        let paid = self.pay_funds(&settlement, by, transaction.at(), random).await;
        let paid = self.agreed_with(&settlement, paid).await?;
        let (transaction, completed) = decide::completed(transaction, settlement, paid)?;
        transaction.commit(completed)
    }

    /// Takes a completed settlement back.
    async fn take_back(
        &self,
        transaction: LedgerTransaction,
        settlement: Settlement,
        by: UserId,
        random: [u8; 10],
    ) -> Result<Decision<Settlement>, WriteError> {
        let key = keys::entry(settlement.group_id, &settlement.id.into());
        let entry = self.db.get::<Entry>(key).await?;
        let entry = entry.ok_or_else(|| decide::unrecorded(&settlement))?;
        let used = self.used_hash(&settlement).await?;
        let returned = self.return_funds(&settlement, transaction.at(), random).await?;
        let seen = (&entry, used.as_ref());
        decide::take_back(transaction, &settlement, by, seen, returned)
    }

    /// The row that says which settlement the chain transaction of this one pays.
    pub(crate) async fn used_hash(
        &self,
        settlement: &Settlement,
    ) -> Result<Option<UsedHash>, Error> {
        match &settlement.tx_hash {
            Some(hash) => self.db.get(keys::tx_hash(hash)).await,
            None => Ok(None),
        }
    }

    /// The settlement `id` of a group.
    pub(crate) async fn find_settlement(
        &self,
        group: GroupId,
        id: SettlementId,
    ) -> Result<Option<Settlement>, Error> {
        let partition = keys::settlement_partition(id);
        let settlement: Option<Settlement> = self
            .find_by_id(group, id.created_at(), &id.into(), partition, keys::settlement)
            .await?;
        Ok(settlement.filter(|settlement| settlement.id == id))
    }
}
