//! Leaving a group, removing and restoring members, and coming back.
//!
//! A member's presence changes under the group's lock, together with the condition for it. The
//! balance row notes the change, see [`GroupState`](fracti_core::group::group_state::GroupState).

use std::ops::ControlFlow;

use fracti_core::{
    decisions::{
        ledger_transaction::LedgerTransaction,
        members::{self as decide, MemberChange},
    },
    group::{Group, Member, MemberKey, MemberRow},
    input::{Draft, Error},
    records::settlement::Settlement,
    storage::{
        condition::Condition,
        keys::{self, prefix},
        row,
    },
    values::{
        id::{GroupId, MemberId},
        settlement_status::SettlementStatus,
    },
};

use crate::{
    dynamo::Range,
    table::Table,
    write::idempotency::{Idempotency, Outcome},
};

impl Table {
    /// Makes a member past who leaves.
    ///
    /// # Errors
    ///
    /// [`Error::NotSettled`]; [`Error::NoGroup`] or [`Error::NotMember`]; [`Error::GroupArchived`];
    /// [`Error::KeyReused`].
    pub async fn leave(
        &self,
        member_key: MemberKey,
        body: &Draft<()>,
        idempotency: &Idempotency<Member>,
    ) -> Result<Outcome<Member>, Error> {
        let MemberKey { group, user } = member_key;
        self.write(Some(group), idempotency, || async {
            let (rows, ledger) =
                tokio::try_join!(self.group_and_member(group, user.into()), self.ledger(group))?;
            match decide::begin_leave(member_key, rows, ledger, idempotency.now())? {
                ControlFlow::Break(decision) => Ok(decision),
                ControlFlow::Continue(mut change) => {
                    self.require_settled(&mut change).await?;
                    change.leave(body)
                }
            }
        })
        .await
    }

    /// Removes a member, who cannot rejoin. A member who was removed before is returned as they
    /// are.
    ///
    /// # Errors
    ///
    /// [`Error::NoMember`]; [`Error::NotRemovable`]; [`Error::AlreadyLinked`];
    /// [`Error::NotSettled`]; [`Error::NoGroup`] or [`Error::NotMember`]; [`Error::GroupArchived`].
    pub async fn remove_member(
        &self,
        member_key: MemberKey,
        member: MemberId,
        idempotency: &Idempotency<Member>,
    ) -> Result<Outcome<Member>, Error> {
        let MemberKey { group, user } = member_key;
        self.write(Some(group), idempotency, || async {
            let (rows, member, ledger) = tokio::try_join!(
                self.group_and_member(group, user.into()),
                self.member(group, member),
                self.ledger(group),
            )?;
            match decide::begin_removal(member_key, rows, member, ledger, idempotency.now())? {
                ControlFlow::Break(decision) => Ok(decision),
                ControlFlow::Continue(mut change) => {
                    self.require_settled(&mut change).await?;
                    change.remove()
                }
            }
        })
        .await
    }

    /// Makes a past member present again. A present member is returned as they are.
    ///
    /// # Errors
    ///
    /// [`Error::NoMember`]; [`Error::AlreadyLinked`] or [`Error::NameTaken`] for a guest;
    /// [`Error::TooManyMembers`]; [`Error::NoGroup`] or [`Error::NotMember`];
    /// [`Error::GroupArchived`]; [`Error::KeyReused`].
    pub async fn restore_member(
        &self,
        member_key: MemberKey,
        member: MemberId,
        body: &Draft<()>,
        idempotency: &Idempotency<Member>,
    ) -> Result<Outcome<Member>, Error> {
        let MemberKey { group, user } = member_key;
        self.write(Some(group), idempotency, || async {
            let (rows, member, ledger) = tokio::try_join!(
                self.group_and_member(group, user.into()),
                self.member(group, member),
                self.ledger(group),
            )?;
            let is_past_guest =
                |it: &Member| it.guest && it.linked_to.is_none() && !it.is_present();
            let may_write = ledger.state.check_writer(user).is_ok();
            let everyone = if may_write && member.as_ref().is_some_and(is_past_guest) {
                Some(self.group_naming(member_key, None).await?.1)
            } else {
                None
            };
            let seen = (member, everyone.as_deref());
            decide::restore(member_key, rows, seen, ledger, body, idempotency.now())
        })
        .await
    }

    /// A group, and one of its members.
    pub(crate) async fn group_and_member(
        &self,
        group: GroupId,
        member: MemberId,
    ) -> Result<(Group, Option<Member>), Error> {
        tokio::try_join!(self.group_row(group), self.member(group, member))
    }

    /// A group and the caller, who is present.
    ///
    /// # Errors
    ///
    /// [`Error::NoGroup`]; [`Error::NotMember`], [`Error::Left`] or [`Error::Removed`].
    pub(crate) async fn group_and_caller(
        &self,
        MemberKey { group, user }: MemberKey,
    ) -> Result<(Group, Member), Error> {
        let (group, caller) = self.group_and_member(group, user.into()).await?;
        Ok((group, Member::require_present(caller)?))
    }

    /// The row of a group, which must exist.
    pub(crate) async fn group_row(&self, group: GroupId) -> Result<Group, Error> {
        self.db.get::<Group>(keys::group(group)).await?.ok_or(Error::NoGroup)
    }

    /// A member of a group, present or past.
    pub(crate) async fn member(
        &self,
        group: GroupId,
        member: MemberId,
    ) -> Result<Option<Member>, Error> {
        let row = self.db.get::<MemberRow>(keys::member(group, member)).await?;
        Ok(row.map(|row| row.member))
    }

    /// Checks that a member has no balance and no pending settlement.
    async fn require_settled(&self, change: &mut MemberChange) -> Result<(), Error> {
        let transaction = change.transaction();
        self.count_pending(transaction).await?;
        let group = transaction.group();
        let ledger = transaction.ledger().clone();
        let pending = if change.needs_pending() {
            match self.pending_settlements(group, &ledger).await {
                // Too many to read: their number counts.
                Err(Error::TooMuchHistory) => None,
                pending => Some(pending?),
            }
        } else {
            None
        };
        change.check_settled(pending.as_deref())
    }

    /// Counts the pending settlements of the group unless the balance row has their number: one of
    /// an earlier format has not, so all settlements of the group are read once.
    pub(crate) async fn count_pending(
        &self,
        transaction: &mut LedgerTransaction,
    ) -> Result<(), Error> {
        if !transaction.ledger().state.is_counted() {
            let group = transaction.group();
            let settlements = Range::table(keys::group_partition(group), prefix::SETTLEMENT);
            let pending = Condition::equal("status", row::to_value(&SettlementStatus::Pending)?);
            let pending = self.db.filtered_readable::<Settlement>(&settlements, &pending).await?;
            transaction.state().count(pending.iter().map(Settlement::parties));
        }
        Ok(())
    }
}
