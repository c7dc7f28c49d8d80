//! Settlements: patterns 5, 8 and 12 of the seed.

use aws_sdk_dynamodb::types::AttributeValue;
use serde::{Deserialize, Serialize};

use super::{
    MemberKey, Page, RequestContext, Slice, Table,
    events::{Event, insert_entry},
    idempotency::{Idempotency, Outcome},
    range::Range,
    write::{Expression, OnConflict, TransactionError, Write, with_retries},
};
use crate::{
    Error,
    currency::Currency,
    decimal::Decimal,
    expense::positive,
    group::{Group, MEMBER_RULE, Member},
    id::{GroupId, SettlementId, UserId},
    input::{Draft, Field},
    keys::{self, prefix},
    ledger::{self, Ledger},
    row,
    settlement::{Settlement, SettlementError, SettlementUpdate, Status, Transition, TxHash},
    time::Timestamp,
};

/// A settlement to record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewSettlement {
    /// Who is paid.
    pub to: Field<UserId>,
    /// Amount, in major units.
    pub amount: Field<Decimal>,
    /// Who pays. Default: the caller.
    pub from: Field<UserId>,
    /// Currency. Default: the one in which the payer owes and the recipient is owed, if there is exactly one;
    /// otherwise the group's.
    pub currency: Field<Currency>,
    /// The chain transaction that pays it.
    pub tx_hash: Field<TxHash>,
}

/// The row that makes a chain transaction pay one settlement.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct UsedHash {
    tx_hash: TxHash,
    settlement_id: SettlementId,
    group_id: GroupId,
}

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
        self.checked(member_key, self.page(&range, page)).await
    }

    /// A settlement of a group.
    ///
    /// # Errors
    ///
    /// [`Error::NoSettlement`]; [`Error::NoGroup`] or [`Error::NotMember`]; [`Error::Unavailable`] or
    /// [`Error::Table`].
    pub async fn settlement(
        &self,
        member_key: MemberKey,
        id: SettlementId,
    ) -> Result<Settlement, Error> {
        let settlement =
            self.checked(member_key, self.find_settlement(member_key.group, id)).await?;
        settlement.ok_or(Error::NoSettlement)
    }

    /// Records a settlement. One that its recipient records is completed at once; its payer's waits.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`]; [`Error::Settlement`] where the caller is neither side; [`Error::TxHashUsed`];
    /// [`Error::NoGroup`] or [`Error::NotMember`]; [`Error::KeyReused`]; [`Error::Contended`],
    /// [`Error::Unavailable`] or [`Error::Table`].
    pub async fn create_settlement(
        &self,
        member_key: MemberKey,
        new: &Draft<NewSettlement>,
        context: RequestContext,
        idempotency: &Idempotency<Settlement>,
    ) -> Result<Outcome<Settlement>, Error> {
        let (ledger, stored) = tokio::join!(
            self.group_and_ledger(member_key),
            self.stored_result(idempotency.request.as_ref())
        );
        let (group, members, ledger) = ledger?;
        if let Some(stored) = stored? {
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
            let row = Write::put(&keys::settlement_row(&settlement), &settlement)?;
            let mut writes = vec![row.when(Expression::absent(), OnConflict::Lost)];
            writes.extend(
                settlement.tx_hash.as_ref().map(|hash| use_hash(hash, &settlement)).transpose()?,
            );
            if !completed {
                let ledger = ledger.touched(created_at);
                return Ok(Event { ledger, writes, value: settlement });
            }
            let event = ledger::Event::of_settlement(&settlement)?;
            let (ledger, entry) =
                ledger.record(member_key.group, event, member_key.user, created_at)?;
            writes.push(insert_entry(&entry)?);
            Ok(Event { ledger, writes, value: settlement })
        };
        Ok(self.commit_once(member_key.group, ledger, context.now, idempotency, event).await?)
    }

    /// Does what the caller asks of a settlement that is as `expected`, as [`Settlement::transition`] allows it.
    ///
    /// # Errors
    ///
    /// [`Error::NoSettlement`]; [`Error::Changed`] where it is not as expected; [`Error::Settlement`]; [`Error::TxHashUsed`]; [`Error::NoGroup`] or
    /// [`Error::NotMember`]; [`Error::Contended`], [`Error::Unavailable`] or [`Error::Table`].
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
            let event = ledger::Event::of_settlement(&completed)?;
            let (ledger, entry) = ledger.record(member_key.group, event, member_key.user, at)?;
            let attributes = [
                ("status", Some(row::to_value(&completed.status)?)),
                ("completedAt", Some(row::to_value(&at)?)),
            ];
            let write = Write::update(settlement.key(), attributes)
                .when(unchanged(settlement)?, OnConflict::Stale);
            Ok(Event { ledger, writes: vec![write, insert_entry(&entry)?], value: completed })
        };
        self.commit(member_key.group, ledger, now, |_| Ok(None), event).await
    }

    /// Fails a settlement. The transaction that was to pay it is free for another one.
    async fn fail(&self, settlement: Settlement) -> Result<Settlement, TransactionError> {
        let attributes = [("status", Some(row::to_value(&Status::Failed)?)), ("txHash", None)];
        let write = Write::update(settlement.key(), attributes)
            .when(unchanged(&settlement)?, OnConflict::Stale);
        let writes = [Some(write), self.release_hash(&settlement).await?];
        self.transact(writes.into_iter().flatten().collect()).await?;
        Ok(Settlement { status: Status::Failed, tx_hash: None, ..settlement })
    }

    /// Stores the transaction that pays a settlement; one that was named before is free again.
    async fn attach(
        &self,
        settlement: Settlement,
        hash: TxHash,
    ) -> Result<Settlement, TransactionError> {
        let attached = Settlement { tx_hash: Some(hash.clone()), ..settlement.clone() };
        let write = Write::update(settlement.key(), [("txHash", Some(row::to_value(&hash)?))])
            .when(unchanged(&settlement)?, OnConflict::Stale);
        let free = self.release_hash(&settlement).await?;
        let writes = [Some(write), Some(use_hash(&hash, &attached)?), free];
        self.transact(writes.into_iter().flatten().collect()).await?;
        Ok(attached)
    }

    /// Lets another settlement use the transaction of this one, where it is this one's.
    ///
    /// A settlement that the TypeScript Fracti wrote has a `txHash` that it may share with others.
    async fn release_hash(&self, settlement: &Settlement) -> Result<Option<Write>, Error> {
        let Some(hash) = &settlement.tx_hash else { return Ok(None) };
        let used: Option<UsedHash> = self.get(keys::tx_hash(hash)).await?;
        if used.is_none_or(|used| used.settlement_id != settlement.id) {
            return Ok(None);
        }
        let own = Expression::equal("settlementId", row::to_value(&settlement.id)?);
        Ok(Some(Write::delete(keys::tx_hash(hash)).when(own, OnConflict::Stale)))
    }

    /// The settlement `id` of a group, as it is now.
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

impl Draft<NewSettlement> {
    /// Checks it against the group. Its id and time are set when it gets its place in the ledger.
    ///
    /// That it is the caller's to record comes first, so far as the request can be read.
    fn check(
        &self,
        group: &Group,
        members: &[Member],
        ledger: &Ledger,
        caller: UserId,
    ) -> Result<Settlement, Error> {
        if let Some(new) = self.fields() {
            let (from, to) = (new.from.or(caller), new.to.value().copied());
            if from.zip(to).is_some_and(|(from, to)| caller != from && caller != to) {
                return Err(SettlementError::NotParty.into());
            }
            let is_paid = to == Some(caller) && from != Some(caller);
            if is_paid && new.tx_hash.value().is_some() {
                return Err(SettlementError::NotPayer.into());
            }
        }
        let (new, mut errors) = self.open()?;
        let mut named = |path: &str, user: UserId| {
            let member = members.iter().find(|member| member.id == user);
            let name = errors.keep(path, member.map(|it| it.name.clone()).ok_or(MEMBER_RULE))?;
            Some((user, name))
        };
        let (to, from) = (new.to.value().copied(), new.from.or(caller));
        let to = to.and_then(|user| named("toId", user));
        let from = from.and_then(|user| named("fromId", user));
        let parties = from.as_ref().zip(to.as_ref()).map(|((from, _), (to, _))| (*from, *to));
        if parties.is_some_and(|(from, to)| from == to) {
            errors.push("toId", "toId must not be the payer");
        }
        let owed = parties.and_then(|(from, to)| ledger.balances.owed_currency(from, to));
        // Not known before the parties are.
        let default = parties.map(|_| owed.unwrap_or(group.currency));
        let currency = match new.currency {
            Field::Absent => default,
            currency => currency.value().copied(),
        };
        let amount = new.amount.value().copied();
        let minor = amount.and_then(|amount| positive("amount", amount, currency, &mut errors));
        let settlement = || {
            let ((from_user_id, from_user_name), (to_user_id, to_user_name)) = (from?, to?);
            let is_paid = caller == to_user_id;
            let (currency, minor) = (currency?, minor?);
            Some(Settlement {
                id: SettlementId::new(group.created_at, [0; 10]),
                group_id: group.id,
                group_title: Some(group.title.to_string()),
                from_user_id,
                from_user_name,
                to_user_id,
                to_user_name,
                amount: currency.to_major(minor),
                currency,
                tx_hash: new.tx_hash.as_ref().map(|hash| Some(hash.clone())).or(None)?,
                status: if is_paid { Status::Completed } else { Status::Pending },
                created_at: group.created_at,
                completed_at: None,
            })
        };
        let settlement = settlement();
        errors.finish(settlement)
    }
}

impl Settlement {
    fn key(&self) -> keys::Primary {
        keys::settlement(self.group_id, self.created_at)
    }
}

/// The settlement still waits, with the transaction that was read.
fn unchanged(settlement: &Settlement) -> Result<Expression, Error> {
    let hash = match &settlement.tx_hash {
        None => Expression::without("txHash"),
        Some(hash) => Expression::equal("txHash", row::to_value(hash)?),
    };
    let id: AttributeValue = row::to_value(&settlement.id)?;
    let pending = Expression::equal("status", row::to_value(&Status::Pending)?);
    Ok(Expression::equal("id", id).and(pending).and(hash))
}

/// Makes a chain transaction pay this settlement and no other.
fn use_hash(hash: &TxHash, settlement: &Settlement) -> Result<Write, Error> {
    let row = UsedHash {
        tx_hash: hash.clone(),
        settlement_id: settlement.id,
        group_id: settlement.group_id,
    };
    let put = Write::put(&keys::tx_hash(hash).into(), &row)?;
    Ok(put.when(Expression::absent(), OnConflict::Fail(|| Error::TxHashUsed)))
}
