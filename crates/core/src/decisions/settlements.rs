//! Settlements: recording, completing, failing, editing and taking them back. What funds pay, or
//! get back, is decided apart: it comes as writes.

use crate::{
    decisions::{decision::Decision, ledger_transaction::LedgerTransaction},
    group::{Group, Member},
    input::{Draft, Error, fund_error::FundError},
    ledger::Ledger,
    records::{
        entry::Entry,
        group_change::{ChangeKind, Subject},
        settlement::{NewSettlement, Settlement, SettlementUpdate, Standing, Transition, UsedHash},
    },
    storage::{
        condition::Condition,
        keys::{self, Primary},
        row,
        write::{Write, WriteError},
    },
    values::{
        id::{MemberId, SettlementId, UserId},
        request_context::RequestContext,
        settlement_status::{SettlementError, SettlementStatus},
        time::Zone,
        tx_hash::TxHash,
    },
};

/// Records a settlement that no funds pay. Its date is by default the current day in `zone`.
pub fn record_settlement(
    new: &Draft<NewSettlement>,
    (group, members): (&Group, &[Member]),
    mut transaction: LedgerTransaction,
    (user, context, zone): (UserId, RequestContext, Zone),
) -> Result<(LedgerTransaction, Settlement), WriteError> {
    let new = new.resolved(transaction.links());
    let new = new.check(group, members, transaction.ledger(), user, (context.now, zone))?;
    let created_at = transaction.at();
    let completed = new.status == SettlementStatus::Completed;
    let settlement = Settlement {
        id: SettlementId::new(created_at, context.random),
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
}

/// [`record_settlement`], of a plan that was made of the ledger with this version. Without one, the
/// plan has no such payment any more.
pub fn record_planned(
    new: &Draft<NewSettlement>,
    version: Option<u64>,
    seen: (&Group, &[Member]),
    transaction: LedgerTransaction,
    by: (UserId, RequestContext, Zone),
) -> Result<Decision<Settlement>, WriteError> {
    if version != Some(transaction.before().version) {
        return Err(Error::Changed.into());
    }
    let (transaction, settlement) = record_settlement(new, seen, transaction, by)?;
    transaction.commit(settlement)
}

/// Which settlements a new one repeats, if it may repeat one: an equal one that is pending, unless
/// the request says that it is another payment. One that its payer records and that waits is let
/// in: its recipient says whether it came.
pub fn repeated_by(
    new: &Draft<NewSettlement>,
    created: &Settlement,
    transaction: &LedgerTransaction,
) -> Option<impl Fn(&Settlement) -> bool + use<>> {
    let Ledger { state, links, .. } = transaction.before();
    let [from, to] = created.resolved(links).parties();
    let by_payer = created.created_by.map(MemberId::from) == Some(from);
    let waits = by_payer && created.status == SettlementStatus::Pending;
    let may = !new.is_separate() && !waits && state.may_have_pending_between([from, to], links);
    let links = links.clone();
    let created = created.clone();
    let now = transaction.at();
    may.then_some(move |it: &Settlement| it.repeats(&created, &links, now))
}

/// What a user's update does to a settlement. Whether a party is past, or the user is alone, shows
/// only in all members' rows: without them, there is none if it depends on that.
pub fn transition(
    user: UserId,
    update: &Draft<SettlementUpdate>,
    settlement: &Settlement,
    ledger: &Ledger,
    members: Option<&[Member]>,
) -> Result<Option<Transition>, Error> {
    let asked = update.fields().cloned().unwrap_or_default();
    let meant = settlement.resolved(&ledger.links);
    let effect = |standing| meant.transition(user, &asked, standing);
    let standing = members.map(|members| Standing::of(&ledger.state.of(members)));
    match effect(&standing.clone().unwrap_or_default()) {
        Err(
            SettlementError::NotParty
            | SettlementError::NotPayer
            | SettlementError::NotOtherSide
            | SettlementError::NotRecorder
            | SettlementError::Final(SettlementStatus::Completed),
        ) if standing.is_none() => Ok(None),
        known => known.map(Some).map_err(|refusal| refused(settlement, refusal)),
    }
}

/// Checks that an update may be made, and returns its fields.
pub fn check_update<'a>(
    user: UserId,
    update: &'a Draft<SettlementUpdate>,
    expected: impl Fn(&Settlement) -> bool,
    in_app: bool,
    (settlement, ledger): (&Settlement, &Ledger),
    transition: &Transition,
) -> Result<&'a SettlementUpdate, Error> {
    if settlement.funds.is_some() && !in_app {
        return Err(FundError::NotInApp.into());
    }
    // A change that was made before is confirmed, even if the group is archived by now.
    if *transition != Transition::Nothing {
        ledger.state.check_writer(user)?;
    }
    if !expected(settlement) {
        return Err(Error::Changed);
    }
    let checked = update.check()?;
    let all_from_funds = settlement.funds.is_some() && settlement.external.is_none();
    if matches!(transition, Transition::Attach(_)) && all_from_funds {
        return Err(FundError::Funded.into());
    }
    Ok(checked)
}

/// What an update depends on besides the settlement and the ledger.
#[derive(Debug, Default)]
pub struct UpdateRows {
    /// The settlement's entry, which is taken back.
    pub entry: Option<Entry>,
    /// The row that says which settlement its chain transaction pays.
    pub used: Option<UsedHash>,
    /// What funds pay, release or give back.
    pub funds: Vec<Write>,
}

/// Makes a transition that [`check_update`] lets through.
pub fn update(
    transition: Transition,
    by: UserId,
    transaction: LedgerTransaction,
    settlement: Settlement,
    fields: &SettlementUpdate,
    rows: UpdateRows,
) -> Result<Decision<Settlement>, WriteError> {
    let (transaction, updated) = match transition {
        Transition::Nothing => return Ok(Decision::Done(settlement)),
        Transition::Complete => completed(transaction, settlement, rows.funds)?,
        Transition::Fail => failed(transaction, settlement, false, rows)?,
        Transition::Attach(hash) => attach(transaction, settlement, hash, rows.used.as_ref())?,
        Transition::Revert => take_back(transaction, settlement, by, rows)?,
        Transition::Edit => return edit(transaction, &settlement, fields),
    };
    transaction.commit(updated)
}

/// Adds what completes a settlement, with the writes by which funds pay it.
pub fn completed(
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
    let status = SettlementStatus::Completed;
    let completed_at = Some(at);
    let completed = Settlement { status, completed_at, ..settlement };
    transaction.record(completed.event()?)?;
    transaction.tell(Subject::settlement(ChangeKind::SettlementCompleted, &completed));
    Ok((transaction, completed))
}

/// Adds what fails a settlement, with the writes that release what funds withhold for it.
pub fn failed(
    mut transaction: LedgerTransaction,
    settlement: Settlement,
    expired: bool,
    UpdateRows { used, funds, .. }: UpdateRows,
) -> Result<(LedgerTransaction, Settlement), Error> {
    let attributes = [
        ("status", Some(row::to_value(&SettlementStatus::Failed)?)),
        ("txHash", None),
        ("expired", expired.then(|| row::to_value(&true)).transpose()?),
    ];
    transaction.add(Write::update(key(&settlement), attributes).when(unchanged(&settlement)?));
    transaction.add_all(release_hash(&settlement, used.as_ref())?);
    transaction.add_all(funds);
    transaction.state().ended(settlement.parties());
    let status = SettlementStatus::Failed;
    let tx_hash = None;
    let failed = Settlement { tx_hash, status, expired, ..settlement };
    transaction.tell(Subject::settlement(ChangeKind::SettlementFailed, &failed));
    Ok((transaction, failed))
}

/// Takes a completed settlement back: its entry is reverted, its chain transaction may pay another
/// one, and what funds paid at once is given back.
fn take_back(
    mut transaction: LedgerTransaction,
    settlement: Settlement,
    by: UserId,
    UpdateRows { entry, used, funds }: UpdateRows,
) -> Result<(LedgerTransaction, Settlement), WriteError> {
    let entry = entry.ok_or_else(|| unrecorded(&settlement))?;
    let (unchanged, released) =
        (unchanged(&settlement)?, release_hash(&settlement, used.as_ref())?);
    let reverted = Settlement {
        status: SettlementStatus::Failed,
        tx_hash: None,
        reverted_at: Some(transaction.at()),
        reverted_by: Some(by),
        ..settlement
    };
    transaction.add(Write::put(&reverted)?.when(unchanged));
    transaction.add_all(released.into_iter().chain(funds));
    transaction.revert(&entry, None)?;
    transaction.tell(Subject::settlement(ChangeKind::SettlementReverted, &reverted));
    Ok((transaction, reverted))
}

/// Why a completed settlement that has no entry is not taken back: one in a v0 row that could not
/// be migrated was never recorded. Otherwise it was taken back between the two reads.
#[must_use]
pub fn unrecorded(settlement: &Settlement) -> WriteError {
    let error = SettlementError::Final(settlement.status);
    let ours = settlement.id.created_at().is_some();
    if ours { WriteError::Retry } else { Error::from(error).into() }
}

/// Stores the chain transaction that pays a settlement, instead of an earlier one.
fn attach(
    mut transaction: LedgerTransaction,
    settlement: Settlement,
    hash: TxHash,
    used: Option<&UsedHash>,
) -> Result<(LedgerTransaction, Settlement), WriteError> {
    let write = Write::update(key(&settlement), [("txHash", Some(row::to_value(&hash)?))])
        .when(unchanged(&settlement)?);
    let writes =
        [Some(write), Some(use_hash(&hash, &settlement)?), release_hash(&settlement, used)?];
    transaction.add_all(writes.into_iter().flatten());
    Ok((transaction, Settlement { tx_hash: Some(hash), ..settlement }))
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

/// The write that lets another settlement use the chain transaction of this one, by the row that
/// says whose it is.
///
/// There is none for a settlement in a v0 row, which may share its `txHash` with others.
pub fn release_hash(
    settlement: &Settlement,
    used: Option<&UsedHash>,
) -> Result<Option<Write>, Error> {
    let own = settlement.tx_hash.as_ref().zip(used);
    let Some((hash, _)) = own.filter(|(_, used)| used.settlement_id == settlement.id) else {
        return Ok(None);
    };
    let own = Condition::equal("settlementId", row::to_value(&settlement.id)?);
    Ok(Some(Write::delete(keys::tx_hash(hash)).when(own)))
}

/// Key of a settlement.
#[must_use]
pub fn key(settlement: &Settlement) -> Primary {
    keys::settlement(settlement.group_id, settlement.created_at)
}

/// The settlement has the status, the chain transaction and the last edit that were read.
pub fn unchanged(settlement: &Settlement) -> Result<Condition, Error> {
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

/// The refusal of a change: a settlement that has expired says so, however it is asked for.
fn refused(settlement: &Settlement, refusal: SettlementError) -> Error {
    let hold = settlement.funds.as_ref().and_then(|funds| funds.expires_at);
    match (refusal, hold.filter(|_| settlement.expired)) {
        (SettlementError::Final(_), Some(end)) => FundError::Over(end).into(),
        (refusal, _) => refusal.into(),
    }
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
