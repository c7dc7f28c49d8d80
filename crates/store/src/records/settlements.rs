//! Settlements: recording, completing and failing them.

use fracti_core::{
    decisions::{
        decision::Decision,
        ledger_transaction::LedgerTransaction,
        settlements::{self as decide, UpdateRows},
    },
    group::MemberKey,
    input::{Draft, Error, fund_error::FundError},
    ledger::Ledger,
    records::{
        entry::Entry,
        settlement::{NewSettlement, Settlement, SettlementUpdate, Transition, UsedHash},
    },
    storage::{
        condition::Condition,
        keys::{self, prefix},
        row,
        write::WriteError,
    },
    values::{
        id::{GroupId, SettlementId, UserId},
        request_context::RequestContext,
        settlement_status::SettlementStatus,
        time::{Timestamp, Zone},
    },
};

use crate::{
    dynamo::{Page, Range, Slice},
    ledger::{Attempts, Opened},
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
    /// [`Error::PaymentPending`]; [`Error::TxHashUsed`]; [`Error::Fund`] if the payer's funds do
    /// not pay it; [`Error::NoGroup`] or [`Error::NotMember`]; [`Error::KeyReused`].
    pub async fn create_settlement(
        &self,
        member_key: MemberKey,
        new: &Draft<NewSettlement>,
        idempotency: &Idempotency<Settlement>,
    ) -> Result<Outcome<Settlement>, Error> {
        if new.from_funds().is_some() {
            return self.create_from_funds(member_key, new, idempotency).await;
        }
        let context = idempotency.context();
        let attempts = Attempts::default();
        self.write(Some(member_key.group), idempotency, || async {
            let opened = self.open_settlement(&attempts, member_key, new, context).await?;
            let ((group, members), transaction, by) = opened;
            let recorded = decide::record_settlement(new, (&group, &members), transaction, by)?;
            self.commit_unrepeated(new, recorded).await
        })
        .await
    }

    /// [`Table::create_settlement`], of a plan that was made of the ledger with this version.
    /// Without one, the plan has no such payment any more, and only a repeated request is answered.
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
        let context = idempotency.context();
        let attempts = Attempts::default();
        self.write(Some(member_key.group), idempotency, || async {
            let opened = self.open_settlement(&attempts, member_key, new, context).await?;
            let ((group, members), transaction, by) = opened;
            decide::record_planned(new, version, (&group, &members), transaction, by)
        })
        .await
    }

    /// [`Table::open`] for a new settlement, with who records it, when, and in which zone.
    async fn open_settlement(
        &self,
        attempts: &Attempts,
        member_key: MemberKey,
        new: &Draft<NewSettlement>,
        context: RequestContext,
    ) -> Result<Opened<(UserId, RequestContext, Zone)>, Error> {
        let read = async {
            let targets = self.targets_if(!new.has_date(), member_key.user).await?;
            Ok((member_key.user, context, targets.zone()))
        };
        self.open(attempts, member_key, Some(&new.named()), context.now, read).await
    }

    /// The decision to record a new settlement, unless one that it repeats is among the newest
    /// settlements that a page examines.
    ///
    /// # Errors
    ///
    /// [`Error::PaymentPending`].
    pub(crate) async fn commit_unrepeated(
        &self,
        new: &Draft<NewSettlement>,
        (transaction, created): (LedgerTransaction, Settlement),
    ) -> Result<Decision<Settlement>, WriteError> {
        if let Some(repeats) = decide::repeated_by(new, &created, &transaction) {
            let range = Range::table(keys::group_partition(created.group_id), prefix::SETTLEMENT);
            let newest = Page { limit: 1, after: None };
            let found = self.db.page_of(&range, &newest, repeats).await?.items;
            if let Some(it) = found.first() {
                return Err(Error::PaymentPending(it.id).into());
            }
        }
        transaction.commit(created)
    }

    /// Updates a settlement that is as `expected`, if [`Settlement::transition`] allows it.
    ///
    /// # Errors
    ///
    /// [`Error::NoSettlement`]; [`Error::Changed`] if it is not as expected; [`Error::Settlement`];
    /// [`Error::TxHashUsed`]; [`Error::Fund`] if funds pay it and their hold is over, or the caller
    /// is not `in_app`; [`Error::NoGroup`] or [`Error::NotMember`].
    pub async fn update_settlement(
        &self,
        member_key: MemberKey,
        id: SettlementId,
        update: &Draft<SettlementUpdate>,
        expected: impl Fn(&Settlement) -> bool,
        in_app: bool,
        idempotency: &Idempotency<Settlement>,
    ) -> Result<Outcome<Settlement>, Error> {
        let updated = self.write(Some(member_key.group), idempotency, || async {
            let read = async {
                tokio::try_join!(
                    self.find_settlement(member_key.group, id),
                    self.ledger(member_key.group)
                )
            };
            let (settlement, ledger) = self.checked(member_key, read).await?;
            let settlement = settlement.ok_or(Error::NoSettlement)?;
            let user = member_key.user;
            let random = idempotency.context().random;
            let effect = |members| decide::transition(user, update, &settlement, &ledger, members);
            let transition = if let Some(transition) = effect(None)? {
                transition
            } else {
                let (_, members) = self.group_naming(member_key, None).await?;
                effect(Some(&members))?.unwrap_or(Transition::Nothing)
            };
            let seen = (&settlement, &ledger);
            let checked = decide::check_update(user, update, &expected, in_app, seen, &transition)?;
            let transaction = LedgerTransaction::unchecked(member_key, ledger, idempotency.now());
            let at = (transaction.at(), random);
            let rows = self.rows_of_update(&transition, &settlement, user, at).await?;
            decide::update(transition, user, transaction, settlement, checked, rows)
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

    /// What a transition depends on besides the settlement and the ledger.
    async fn rows_of_update(
        &self,
        transition: &Transition,
        settlement: &Settlement,
        by: UserId,
        (at, random): (Timestamp, [u8; 10]),
    ) -> Result<UpdateRows, WriteError> {
        let none = UpdateRows::default();
        Ok(match transition {
            Transition::Nothing | Transition::Edit => none,
            Transition::Attach(_) => UpdateRows { used: self.used_hash(settlement).await?, ..none },
            Transition::Fail => self.rows_of_failure(settlement, Some(by), at).await?,
            Transition::Complete => {
                let paid = self.pay_funds(settlement, by, at, random).await;
                UpdateRows { funds: self.agreed_with(settlement, paid).await?, ..none }
            }
            Transition::Revert => {
                let key = keys::entry(settlement.group_id, &settlement.id.into());
                let entry = self.db.get::<Entry>(key).await?;
                let entry = Some(entry.ok_or_else(|| decide::unrecorded(settlement))?);
                let used = self.used_hash(settlement).await?;
                UpdateRows { entry, used, funds: self.return_funds(settlement, at, random).await? }
            }
        })
    }

    /// What the failure of a settlement depends on, for a user or, without one, because its hold
    /// has expired.
    pub(crate) async fn rows_of_failure(
        &self,
        settlement: &Settlement,
        by: Option<UserId>,
        at: Timestamp,
    ) -> Result<UpdateRows, WriteError> {
        let released = self.release_funds(settlement, by, at).await;
        let funds = self.agreed_with(settlement, released).await?;
        Ok(UpdateRows { entry: None, used: self.used_hash(settlement).await?, funds })
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
