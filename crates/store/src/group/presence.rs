//! Leaving a group, removing and restoring members, and coming back.
//!
//! A member's presence changes under the group's lock, together with the condition for it. The
//! balance row notes the change, see [`GroupState`](fracti_core::group::group_state::GroupState).

use fracti_core::{
    decisions::{decision::Decision, ledger_transaction::LedgerTransaction},
    group::{Group, MAX_MEMBERS, Member, MemberKey, MemberRow},
    input::{Draft, Error},
    records::{
        group_change::{ChangeKind, Subject},
        settlement::{Settlement, SettlementStatus},
    },
    storage::{
        condition::Condition,
        keys::{self, prefix},
        row::{self, AttributeValue},
        write::{Write, WriteError},
    },
    values::{
        id::{GroupId, MemberId},
        time::Timestamp,
    },
};

use crate::{
    dynamo::Range,
    group::settings::{invites_as_read, links_as_read, links_set_to},
    table::Table,
    write::idempotency::{Idempotency, Outcome},
};

/// A member who becomes present or past, and a group and the ledger as they were read.
struct MemberChange {
    group: Group,
    before: Member,
    transaction: LedgerTransaction,
}

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
        self.write_to_group(group, idempotency, || async {
            let ((group, member), ledger) =
                tokio::try_join!(self.group_and_member(group, user.into()), self.ledger(group))?;
            let before = member.ok_or(Error::NotMember)?;
            if let Err(error) = before.check_present() {
                // A stored response is for who left by it, and not for who left again since.
                return Ok(Decision::Refuse { unless: Some(before), error });
            }
            let transaction = LedgerTransaction::new(member_key, ledger, idempotency.now())?;
            let mut change = MemberChange { group, before, transaction };
            self.require_settled(&mut change).await?;
            body.checked()?;
            let left_at = Some(change.transaction.at());
            let member = Member { left_at, ..change.before.clone() };
            let transaction = change.to(&member, ChangeKind::MemberLeft)?;
            Ok(Decision::Renew(transaction.finished()?, member))
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
        self.write_to_group(group, idempotency, || async {
            let ((group, caller), member, ledger) = tokio::try_join!(
                self.group_and_member(group, user.into()),
                self.member(group, member),
                self.ledger(group),
            )?;
            let caller = Member::require_present(caller)?;
            let before = member.ok_or(Error::NoMember)?;
            if !group.may_remove(&caller, &before) {
                return Err(Error::NotRemovable.into());
            }
            if before.linked_to.is_some() {
                return Err(Error::AlreadyLinked.into());
            }
            if before.removed_at.is_some() {
                return Ok(Decision::Done(before));
            }
            let transaction = LedgerTransaction::new(member_key, ledger, idempotency.now())?;
            let mut change = MemberChange { group, before, transaction };
            self.require_settled(&mut change).await?;
            let removed_at = Some(change.transaction.at());
            let member = Member { left_at: None, removed_at, ..change.before.clone() };
            change.to(&member, ChangeKind::MemberRemoved)?.commit(member)
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
        self.write_to_group(group, idempotency, || async {
            let ((group, caller), member, ledger) = tokio::try_join!(
                self.group_and_member(group, user.into()),
                self.member(group, member),
                self.ledger(group),
            )?;
            Member::require_present(caller)?;
            let before = member.ok_or(Error::NoMember)?;
            if before.linked_to.is_some() {
                return Err(Error::AlreadyLinked.into());
            }
            let transaction = LedgerTransaction::new(member_key, ledger, idempotency.now())?;
            if before.guest && !before.is_present() {
                self.require_free_name(member_key, &before, &transaction).await?;
            }
            body.checked()?;
            let member = before.clone().present();
            if before.is_present() {
                return Ok(Decision::Done(member));
            }
            let change = MemberChange { group, before, transaction };
            change.to(&member, ChangeKind::MemberRestored)?.commit(member)
        })
        .await
    }

    /// The transaction that makes a user present who has left, as the member `after`.
    ///
    /// # Errors
    ///
    /// [`Error::TooManyMembers`] or [`Error::GroupArchived`].
    pub(crate) async fn rejoin(
        &self,
        group: Group,
        before: Member,
        after: &Member,
        now: Timestamp,
    ) -> Result<LedgerTransaction, WriteError> {
        let user = after.id.user().ok_or(Error::NoMember)?;
        let member_key = MemberKey { group: group.id, user };
        let ledger = self.ledger(group.id).await?;
        if ledger.state.archived && !group.archived {
            // The two rows were read before and after another request, which may have deleted the
            // group.
            return Err(WriteError::Retry);
        }
        group.check_unarchived()?;
        let transaction = LedgerTransaction::unchecked(member_key, ledger, now);
        Ok(MemberChange { group, before, transaction }.to(after, ChangeKind::MemberJoined)?)
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

    /// Checks that no present member has the name of a guest.
    async fn require_free_name(
        &self,
        member_key: MemberKey,
        guest: &Member,
        transaction: &LedgerTransaction,
    ) -> Result<(), Error> {
        let (_, members) = self.group_naming(member_key, None).await?;
        let members = transaction.ledger().state.of(&members);
        let is_taken = Member::is_taken(&guest.name, &members, Some(guest.id));
        if is_taken { Err(Error::NameTaken) } else { Ok(()) }
    }

    /// Checks that a member has no balance and no pending settlement.
    async fn require_settled(&self, change: &mut MemberChange) -> Result<(), Error> {
        self.count_pending(&mut change.transaction).await?;
        let (member, ledger) = (change.before.id, change.transaction.ledger());
        let Err(mut unsettled) = ledger.check_settled(member) else { return Ok(()) };
        if ledger.may_count_twice(member) {
            let pending = match self.pending_settlements(change.group.id, ledger).await {
                // Too many to read: a payment to a guest who is the member counts for both.
                Err(Error::TooMuchHistory) => return Err(Error::NotSettled(unsettled)),
                pending => pending?,
            };
            let is_own = |it: &&Settlement| {
                let mut parties = it.parties().into_iter().map(|id| ledger.links.resolve(id));
                it.status == SettlementStatus::Pending && parties.any(|party| party == member)
            };
            unsettled.pending =
                u64::try_from(pending.iter().filter(is_own).count()).unwrap_or(u64::MAX);
        }
        Err(Error::NotSettled(unsettled))
    }

    /// Counts the pending settlements of the group unless the balance row has their number: one of an
    /// earlier format has not, so all settlements of the group are read once.
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

impl MemberChange {
    /// The transaction with the writes after which the member is `after`.
    fn to(self, after: &Member, kind: ChangeKind) -> Result<LedgerTransaction, Error> {
        let Self { group, before, mut transaction } = self;
        let at = transaction.at();
        transaction.state().change(after, at)?;
        transaction.add(change_member(group.id, &before, attributes(&before, after)?)?);
        match (before.is_present(), after.is_present()) {
            (false, true) => transaction.add(count_in(&group, 1)?),
            (true, false) => {
                let count = Write::decrement(keys::group(group.id), "memberCount", 1);
                let links = links_set_to(&group.links_without(after))?;
                let as_read = Condition::present().and(links_as_read(&group)?);
                transaction.add(count.setting(links).when(as_read));
            }
            (true, true) | (false, false) => {}
        }
        transaction.tell(Subject::member(kind, after));
        Ok(transaction)
    }
}

/// Attributes of a member's row that joining, leaving and coming back change. The wallet is among
/// them only if it is a new one.
pub(crate) fn attributes(
    before: &Member,
    member: &Member,
) -> Result<Vec<(&'static str, Option<AttributeValue>)>, Error> {
    let text = |text: &Option<String>| text.as_ref().map(row::to_value).transpose();
    let moment = |at: Option<Timestamp>| at.map(|at| row::to_value(&at)).transpose();
    let mut attributes = vec![
        ("name", Some(row::to_value(&member.name)?)),
        ("username", text(&member.username)?),
        ("avatarUrl", text(&member.avatar_url)?),
        ("leftAt", moment(member.left_at)?),
        ("removedAt", moment(member.removed_at)?),
    ];
    if member.wallet != before.wallet {
        attributes.push(("wallet", member.wallet.as_ref().map(row::to_value).transpose()?));
    }
    Ok(attributes)
}

/// The write that changes attributes of a member's row, if the row is as it was read.
pub(crate) fn change_member(
    group: GroupId,
    read: &Member,
    attributes: impl IntoIterator<Item = (&'static str, Option<AttributeValue>)>,
) -> Result<Write, Error> {
    let version = row::to_value(&read.version.saturating_add(1))?;
    let attributes = attributes.into_iter().chain([("version", Some(version))]);
    let update = Write::update(keys::member(group, read.id), attributes);
    Ok(update.when(as_read(read)))
}

/// The member's row is as it was read when the transaction is committed.
pub(crate) fn check_member(group: GroupId, read: &Member) -> Write {
    Write::check(keys::member(group, read.id)).when(as_read(read))
}

fn as_read(read: &Member) -> Condition {
    match read.version {
        // v0 rows have no version.
        0 => Condition::present().and(Condition::without("version")),
        version => Condition::at_version(version),
    }
}

/// The group is not archived when the transaction is committed.
pub(crate) fn check_unarchived(group: GroupId) -> Write {
    let unarchived = Condition::present().and(Condition::without("archived"));
    Write::check(keys::group(group)).when(unarchived)
}

/// The write that adds `number` to the count of members, if the group has room, is not archived, and
/// is joined as when it was read.
pub(crate) fn count_in(group: &Group, number: u64) -> Result<Write, Error> {
    group.check_unarchived()?;
    let limit = MAX_MEMBERS.saturating_add(1).saturating_sub(number);
    if group.member_count >= limit {
        return Err(Error::TooManyMembers);
    }
    let room = Condition::less("memberCount", row::to_value(&limit)?);
    let count = Write::increment(keys::group(group.id), "memberCount", number);
    let open = Condition::without("archived").and(invites_as_read(group)?);
    Ok(count.when(room.and(open)))
}
