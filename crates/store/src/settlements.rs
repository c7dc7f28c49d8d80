//! Settlements: recording, completing and failing them.

use fracti_core::{
    Error,
    id::{GroupId, SettlementId},
    input::Draft,
    keys::{self, Primary, prefix},
    ledger::Ledger,
    row,
    settlement::{
        NewSettlement, Settlement, SettlementUpdate, Status, Transition, TxHash, UsedHash,
    },
    time::Timestamp,
};

use crate::{
    access::MemberKey,
    dynamo::{Expression, OnConflict, Page, Range, Slice, TransactionError, Write, with_retries},
    idempotency::{Idempotency, Outcome},
    ledger::{Event, insert_entry},
    table::{RequestContext, Table},
};

impl Table {
    /// A page of a group's settlements.
    ///
    /// # Errors
    ///
    /// [`Error::NoGroup`] or [`Error::NotMember`]; [`Error::Unavailable`] or [`Error::Table`].
    pub async fn settlements(
        &self,
        member_key: MemberKey,
        page: &Page,
    ) -> Result<Slice<Settlement>, Error> {
        let range = Range::table(keys::group_partition(member_key.group), prefix::SETTLEMENT);
        self.checked(member_key, self.db.page(&range, page)).await
    }

    /// A settlement of a group.
    ///
    /// # Errors
    ///
    /// [`Error::NoSettlement`]; [`Error::NoGroup`] or [`Error::NotMember`]; [`Error::Unavailable`]
    /// or [`Error::Table`].
    pub async fn settlement(
        &self,
        member_key: MemberKey,
        id: SettlementId,
    ) -> Result<Settlement, Error> {
        let settlement =
            self.checked(member_key, self.find_settlement(member_key.group, id)).await?;
        settlement.ok_or(Error::NoSettlement)
    }

    /// Records a settlement. It is completed if its recipient records it, and pending otherwise.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`]; [`Error::Settlement`] if the caller is neither side;
    /// [`Error::TxHashUsed`]; [`Error::NoGroup`] or [`Error::NotMember`]; [`Error::KeyReused`];
    /// [`Error::Contended`], [`Error::Unavailable`] or [`Error::Table`].
    pub async fn create_settlement(
        &self,
        member_key: MemberKey,
        new: &Draft<NewSettlement>,
        context: RequestContext,
        idempotency: &Idempotency<Settlement>,
    ) -> Result<Outcome<Settlement>, Error> {
        let request = idempotency.request.as_ref();
        let ((group, members, ledger), stored) =
            self.ledger_and_stored_result(member_key, request).await?;
        if let Some(stored) = stored {
            return Ok(Outcome::Replayed(stored));
        }
        let settlement = new.check(&group, &members, &ledger, member_key.user)?;
        let event = |ledger: &Ledger, created_at: Timestamp| {
            let completed = settlement.status == Status::Completed;
            let settlement = Settlement {
                id: SettlementId::new(created_at, context.random),
                created_at,
                completed_at: completed.then_some(created_at),
                ..settlement.clone()
            };
            let row = Write::put(&settlement)?;
            let mut writes = vec![row.when(Expression::absent(), OnConflict::Lost)];
            writes.extend(
                settlement.tx_hash.as_ref().map(|hash| use_hash(hash, &settlement)).transpose()?,
            );
            if !completed {
                let ledger = ledger.touched(created_at);
                return Ok(Event { ledger, writes, value: settlement });
            }
            let event = settlement.event()?;
            let (ledger, entry) =
                ledger.record(member_key.group, event, member_key.user, created_at)?;
            writes.push(insert_entry(&entry)?);
            Ok(Event { ledger, writes, value: settlement })
        };
        Ok(self.commit_once(member_key.group, ledger, context.now, idempotency, event).await?)
    }

    /// Updates a settlement that is as `expected`, if [`Settlement::transition`] allows it.
    ///
    /// # Errors
    ///
    /// [`Error::NoSettlement`]; [`Error::Changed`] if it is not as expected; [`Error::Settlement`];
    /// [`Error::TxHashUsed`]; [`Error::NoGroup`] or [`Error::NotMember`]; [`Error::Contended`],
    /// [`Error::Unavailable`] or [`Error::Table`].
    pub async fn update_settlement(
        &self,
        member_key: MemberKey,
        id: SettlementId,
        update: &Draft<SettlementUpdate>,
        expected: impl Fn(&Settlement) -> bool,
        now: Timestamp,
    ) -> Result<Settlement, Error> {
        with_retries(|| async {
            let read = async {
                tokio::try_join!(
                    self.find_settlement(member_key.group, id),
                    self.ledger(member_key.group)
                )
            };
            let (settlement, ledger) = self.checked(member_key, read).await?;
            let settlement = settlement.ok_or(Error::NoSettlement)?;
            let asked = update.fields().cloned().unwrap_or_default();
            let transition = settlement.transition(member_key.user, &asked).map_err(Error::from)?;
            if !expected(&settlement) {
                return Err(Error::Changed.into());
            }
            update.check()?;
            match transition {
                Transition::Nothing => Ok(settlement),
                Transition::Complete => self.complete(member_key, &settlement, ledger, now).await,
                Transition::Fail => self.fail(settlement).await,
                Transition::Attach(hash) => self.attach(settlement, hash).await,
            }
        })
        .await
    }

    async fn complete(
        &self,
        member_key: MemberKey,
        settlement: &Settlement,
        ledger: Ledger,
        now: Timestamp,
    ) -> Result<Settlement, TransactionError> {
        let event = |ledger: &Ledger, at: Timestamp| {
            let completed = Settlement {
                status: Status::Completed,
                completed_at: Some(at),
                ..settlement.clone()
            };
            let event = completed.event()?;
            let (ledger, entry) = ledger.record(member_key.group, event, member_key.user, at)?;
            let attributes = [
                ("status", Some(row::to_value(&completed.status)?)),
                ("completedAt", Some(row::to_value(&at)?)),
            ];
            let write = Write::update(key(settlement), attributes)
                .when(unchanged(settlement)?, OnConflict::Stale);
            Ok(Event { ledger, writes: vec![write, insert_entry(&entry)?], value: completed })
        };
        self.commit(member_key.group, ledger, now, |_| Ok(None), event).await
    }

    /// Fails a settlement. Its chain transaction may pay another settlement.
    async fn fail(&self, settlement: Settlement) -> Result<Settlement, TransactionError> {
        let attributes = [("status", Some(row::to_value(&Status::Failed)?)), ("txHash", None)];
        let write = Write::update(key(&settlement), attributes)
            .when(unchanged(&settlement)?, OnConflict::Stale);
        let writes = [Some(write), self.release_hash(&settlement).await?];
        self.db.transact(writes.into_iter().flatten().collect()).await?;
        Ok(Settlement { status: Status::Failed, tx_hash: None, ..settlement })
    }

    /// Stores the chain transaction that pays a settlement, in place of an earlier one.
    async fn attach(
        &self,
        settlement: Settlement,
        hash: TxHash,
    ) -> Result<Settlement, TransactionError> {
        let attached = Settlement { tx_hash: Some(hash.clone()), ..settlement.clone() };
        let write = Write::update(key(&settlement), [("txHash", Some(row::to_value(&hash)?))])
            .when(unchanged(&settlement)?, OnConflict::Stale);
        let free = self.release_hash(&settlement).await?;
        let writes = [Some(write), Some(use_hash(&hash, &attached)?), free];
        self.db.transact(writes.into_iter().flatten().collect()).await?;
        Ok(attached)
    }

    /// The write that lets another settlement use the chain transaction of this one.
    ///
    /// There is none for a settlement in a v0 row, which may share its `txHash` with others.
    async fn release_hash(&self, settlement: &Settlement) -> Result<Option<Write>, Error> {
        let Some(hash) = &settlement.tx_hash else { return Ok(None) };
        let used: Option<UsedHash> = self.db.get(keys::tx_hash(hash)).await?;
        if used.is_none_or(|used| used.settlement_id != settlement.id) {
            return Ok(None);
        }
        let own = Expression::equal("settlementId", row::to_value(&settlement.id)?);
        Ok(Some(Write::delete(keys::tx_hash(hash)).when(own, OnConflict::Stale)))
    }

    /// The settlement `id` of a group.
    async fn find_settlement(
        &self,
        group: GroupId,
        id: SettlementId,
    ) -> Result<Option<Settlement>, Error> {
        let partition = keys::settlement_partition(id);
        let settlement: Option<Settlement> =
            self.find(group, id.created_at(), partition, keys::settlement).await?;
        Ok(settlement.filter(|settlement| settlement.id == id))
    }
}

fn key(settlement: &Settlement) -> Primary {
    keys::settlement(settlement.group_id, settlement.created_at)
}

/// The settlement is pending, with the chain transaction that was read.
fn unchanged(settlement: &Settlement) -> Result<Expression, Error> {
    let hash = match &settlement.tx_hash {
        None => Expression::without("txHash"),
        Some(hash) => Expression::equal("txHash", row::to_value(hash)?),
    };
    let id = row::to_value(&settlement.id)?;
    let pending = Expression::equal("status", row::to_value(&Status::Pending)?);
    Ok(Expression::equal("id", id).and(pending).and(hash))
}

/// The write that makes a chain transaction pay this settlement and no other.
fn use_hash(hash: &TxHash, settlement: &Settlement) -> Result<Write, Error> {
    let row = UsedHash {
        tx_hash: hash.clone(),
        settlement_id: settlement.id,
        group_id: settlement.group_id,
    };
    let put = Write::put(&row)?;
    Ok(put.when(Expression::absent(), OnConflict::Fail(|| Error::TxHashUsed)))
}
