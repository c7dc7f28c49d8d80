//! Settlements: recording, completing and failing them.

use std::future::ready;

use fracti_core::{
    decisions::{decision::Decision, ledger_transaction::LedgerTransaction},
    funds::fund::FundError,
    group::{Group, Member, MemberKey},
    input::{Draft, Error},
    ledger::Ledger,
    personal::targets::Targets,
    records::{
        entry::Entry,
        group_change::{ChangeKind, Subject},
        settlement::{
            NewSettlement, Settlement, SettlementError, SettlementStatus, SettlementUpdate,
            Standing, Transition, TxHash, UsedHash,
        },
    },
    storage::{
        condition::Condition,
        keys::{self, Primary, prefix},
        row,
        write::{Write, WriteError},
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
        let (named, user, now) = (new.named(), member_key.user, idempotency.now());
        let read = || self.targets_if(!new.has_date(), user);
        let create = |group: &Group,
                      members: &[Member],
                      mut transaction: LedgerTransaction,
                      targets: Targets| {
            let new = new.resolved(transaction.links());
            let new =
                new.check(group, members, transaction.ledger(), user, (now, targets.zone()))?;
            let (created_at, completed) =
                (transaction.at(), new.status == SettlementStatus::Completed);
            let settlement = Settlement {
                id: SettlementId::new(created_at, idempotency.context().random),
                created_at,
                completed_at: completed.then_some(created_at),
                ..new
            };
            transaction.add(Write::put_new(&settlement)?);
            if let Some(hash) = &settlement.tx_hash {
                transaction.add(use_hash(hash, &settlement)?);
            }
            if completed {
                transaction.record(settlement.event()?)?;
            } else {
                transaction.state().began(settlement.parties());
            }
            transaction.tell(Subject::settlement(ChangeKind::SettlementRecorded, &settlement));
            Ok((transaction, settlement))
        };
        let create = (create, self.refuse_repeated(new));
        self.create_checked_in_group(member_key, Some(&named), idempotency, read, create).await
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
            let asked = update.fields().cloned().unwrap_or_default();
            let meant = settlement.resolved(&ledger.links);
            let effect = |standing| meant.transition(member_key.user, &asked, standing);
            let transition = match effect(&Standing::default()) {
                // Whether a party is past, or the caller is alone, shows only in all members' rows.
                Err(
                    SettlementError::NotParty
                    | SettlementError::NotPayer
                    | SettlementError::NotOtherSide
                    | SettlementError::NotRecorder
                    | SettlementError::Final(SettlementStatus::Completed),
                ) => {
                    let (_, members) = self.group_naming(member_key, None).await?;
                    effect(&Standing::of(&ledger.state.of(&members)))
                }
                known => known,
            };
            let transition = transition.map_err(|refusal| refused(&settlement, refusal))?;
            if settlement.funds.is_some() && !in_app {
                return Err(Error::from(FundError::NotInApp).into());
            }
            // A change that was made before is confirmed, even if the group is archived by now.
            if transition != Transition::Nothing {
                ledger.state.check_writer(member_key.user)?;
            }
            if !expected(&settlement) {
                return Err(Error::Changed.into());
            }
            let checked = update.check()?;
            let transaction = || LedgerTransaction::new(member_key, ledger, idempotency.now());
            match transition {
                Transition::Nothing => Ok(Decision::Done(settlement)),
                Transition::Complete => {
                    let (transaction, random) = (transaction()?, idempotency.context().random);
                    self.complete(transaction, settlement, member_key.user, random).await
                }
                Transition::Fail => {
                    self.fail(transaction()?, settlement, Some(member_key.user)).await
                }
                Transition::Attach(hash) => self.attach(transaction()?, settlement, hash).await,
                Transition::Edit => edit(transaction()?, &settlement, checked),
                Transition::Revert => {
                    let (transaction, random) = (transaction()?, idempotency.context().random);
                    self.take_back(transaction, settlement, member_key.user, random).await
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
        let (transaction, failed) =
            self.failed(transaction, settlement, by.is_none(), released).await?;
        transaction.commit(failed)
    }

    /// Adds what fails a settlement, with the writes that release what funds withhold for it.
    pub(crate) async fn failed(
        &self,
        mut transaction: LedgerTransaction,
        settlement: Settlement,
        expired: bool,
        released: impl IntoIterator<Item = Write>,
    ) -> Result<(LedgerTransaction, Settlement), Error> {
        let attributes = [
            ("status", Some(row::to_value(&SettlementStatus::Failed)?)),
            ("txHash", None),
            ("expired", expired.then(|| row::to_value(&true)).transpose()?),
        ];
        let write = Write::update(key(&settlement), attributes).when(unchanged(&settlement)?);
        let writes = [Some(write), self.release_hash(&settlement).await?];
        transaction.add_all(writes.into_iter().flatten());
        transaction.add_all(released);
        transaction.state().ended(settlement.parties());
        let (status, tx_hash) = (SettlementStatus::Failed, None);
        let failed = Settlement { status, tx_hash, expired, ..settlement };
        transaction.tell(Subject::settlement(ChangeKind::SettlementFailed, &failed));
        Ok((transaction, failed))
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
        let (transaction, completed) = completed(transaction, settlement, paid)?;
        transaction.commit(completed)
    }

    /// Takes a completed settlement back: its entry is reverted, its chain transaction may pay another
    /// one, and what funds paid at once is given back.
    async fn take_back(
        &self,
        mut transaction: LedgerTransaction,
        settlement: Settlement,
        by: UserId,
        random: [u8; 10],
    ) -> Result<Decision<Settlement>, WriteError> {
        let key = keys::entry(settlement.group_id, &settlement.id.into());
        let Some(entry) = self.db.get::<Entry>(key).await? else {
            // One in a v0 row that could not be migrated was never recorded. Otherwise it was taken
            // back between the two reads.
            let error = SettlementError::Final(settlement.status);
            let ours = settlement.id.created_at().is_some();
            return Err(if ours { WriteError::Retry } else { Error::from(error).into() });
        };
        let at = transaction.at();
        let reverted = Settlement {
            status: SettlementStatus::Failed,
            tx_hash: None,
            reverted_at: Some(at),
            reverted_by: Some(by),
            ..settlement.clone()
        };
        transaction.add(Write::put(&reverted)?.when(unchanged(&settlement)?));
        transaction.add_all(self.release_hash(&settlement).await?);
        transaction.add_all(self.return_funds(&settlement, at, random).await?);
        transaction.revert(&entry, None)?;
        transaction.tell(Subject::settlement(ChangeKind::SettlementReverted, &reverted));
        transaction.commit(reverted)
    }

    /// Stores the chain transaction that pays a settlement, instead of an earlier one.
    async fn attach(
        &self,
        mut transaction: LedgerTransaction,
        settlement: Settlement,
        hash: TxHash,
    ) -> Result<Decision<Settlement>, WriteError> {
        if settlement.funds.is_some() && settlement.external.is_none() {
            return Err(Error::from(FundError::Funded).into());
        }
        let attached = Settlement { tx_hash: Some(hash.clone()), ..settlement.clone() };
        let write = Write::update(key(&settlement), [("txHash", Some(row::to_value(&hash)?))])
            .when(unchanged(&settlement)?);
        let free = self.release_hash(&settlement).await?;
        let writes = [Some(write), Some(use_hash(&hash, &attached)?), free];
        transaction.add_all(writes.into_iter().flatten());
        transaction.commit(attached)
    }

    /// The write that lets another settlement use the chain transaction of this one.
    ///
    /// There is none for a settlement in a v0 row, which may share its `txHash` with others.
    pub(crate) async fn release_hash(
        &self,
        settlement: &Settlement,
    ) -> Result<Option<Write>, Error> {
        let Some(hash) = &settlement.tx_hash else { return Ok(None) };
        let used: Option<UsedHash> = self.db.get(keys::tx_hash(hash)).await?;
        if used.is_none_or(|used| used.settlement_id != settlement.id) {
            return Ok(None);
        }
        let own = Condition::equal("settlementId", row::to_value(&settlement.id)?);
        Ok(Some(Write::delete(keys::tx_hash(hash)).when(own)))
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

pub(crate) fn key(settlement: &Settlement) -> Primary {
    keys::settlement(settlement.group_id, settlement.created_at)
}

/// The refusal of a change: a settlement that has expired says so, however it is asked for.
fn refused(settlement: &Settlement, refusal: SettlementError) -> Error {
    let hold = settlement.funds.as_ref().and_then(|funds| funds.expires_at);
    match (refusal, hold.filter(|_| settlement.expired)) {
        (SettlementError::Final(_), Some(end)) => FundError::Over(end).into(),
        (refusal, _) => refusal.into(),
    }
}

/// The settlement has the status, the chain transaction and the last edit that were read.
pub(crate) fn unchanged(settlement: &Settlement) -> Result<Condition, Error> {
    let hash = match &settlement.tx_hash {
        None => Condition::without("txHash"),
        Some(hash) => Condition::equal("txHash", row::to_value(hash)?),
    };
    let edit = match &settlement.updated_at {
        None => Condition::without("updatedAt"),
        Some(at) => Condition::equal("updatedAt", row::to_value(at)?),
    };
    let id = row::to_value(&settlement.id)?;
    let status = Condition::equal("status", row::to_value(&settlement.status)?);
    Ok(Condition::equal("id", id).and(status).and(hash).and(edit))
}

/// Edits a pending settlement.
fn edit(
    mut transaction: LedgerTransaction,
    before: &Settlement,
    update: &SettlementUpdate,
) -> Result<Decision<Settlement>, WriteError> {
    if before.funds.is_some() {
        return Err(Error::from(FundError::Funded).into());
    }
    let after = before.edited(update, transaction.at())?;
    if after == *before {
        return Ok(Decision::Done(after));
    }
    transaction.add(Write::put(&after)?.when(unchanged(before)?));
    transaction.tell(Subject::settlement_edit(before, &after));
    transaction.commit(after)
}

/// Adds what completes a settlement, with the writes by which funds pay it.
pub(crate) fn completed(
    mut transaction: LedgerTransaction,
    settlement: Settlement,
    paid: impl IntoIterator<Item = Write>,
) -> Result<(LedgerTransaction, Settlement), WriteError> {
    let at = transaction.at();
    let attributes = [
        ("status", Some(row::to_value(&SettlementStatus::Completed)?)),
        ("completedAt", Some(row::to_value(&at)?)),
    ];
    transaction.add(Write::update(key(&settlement), attributes).when(unchanged(&settlement)?));
    transaction.add_all(paid);
    transaction.state().ended(settlement.parties());
    let (status, completed_at) = (SettlementStatus::Completed, Some(at));
    let completed = Settlement { status, completed_at, ..settlement };
    transaction.record(completed.event()?)?;
    transaction.tell(Subject::settlement(ChangeKind::SettlementCompleted, &completed));
    Ok((transaction, completed))
}

/// The write that makes a chain transaction pay this settlement and no other.
fn use_hash(hash: &TxHash, settlement: &Settlement) -> Result<Write, Error> {
    let row = UsedHash {
        tx_hash: hash.clone(),
        settlement_id: settlement.id,
        group_id: settlement.group_id,
    };
    Ok(Write::put_new(&row)?.or_fail(|| Error::TxHashUsed))
}
