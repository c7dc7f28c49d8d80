//! Groups, and joining them.

use std::collections::BTreeSet;

use fracti_core::{
    caller::telegram::User,
    decisions::{
        decision::Decision,
        members::{self as decide, joining, require_admission},
    },
    group::{Group, InvitationCode, JoiningUser, Member, MemberKey, MemberRow, NewGroup},
    input::{Draft, Error, Field},
    ledger::Ledger,
    storage::{
        condition::{Condition, MAX_VALUES},
        keys::{self, prefix},
        row,
        write::{Transaction, Write, WriteError},
    },
    values::{
        id::{GroupId, MemberId},
        request_context::RequestContext,
        time::Timestamp,
        ton::TonAddress,
    },
};

use crate::{
    dynamo::Range,
    table::Table,
    write::idempotency::{Idempotency, Outcome},
};

/// The time of the name, username and picture by which a user is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// They are of now.
    Current,
    /// They are of some earlier time.
    Earlier,
}

impl Table {
    /// Creates a group with `creator` as its first member.
    ///
    /// # Errors
    ///
    /// [`Error::KeyReused`].
    pub async fn create_group(
        &self,
        new: &Draft<NewGroup>,
        creator: &User,
        idempotency: &Idempotency<Group>,
    ) -> Result<Outcome<Group>, Error> {
        let RequestContext { now, random } = idempotency.context();
        let member = Member::new(creator, None, now);
        self.write(None, idempotency, || async {
            let group = new.check(creator.id, now, random)?;
            let row = Write::put_new(&group)?;
            let mut writes = Transaction::default();
            writes.add(row);
            writes.add(Write::put(&MemberRow { group_id: group.id, member: member.clone() })?);
            Ok(Decision::Write(writes, group))
        })
        .await
    }

    /// The group whose invitation has this code, and who made the invitation.
    pub async fn invited(
        &self,
        group: GroupId,
        code: &InvitationCode,
    ) -> Result<Option<(Group, Option<Member>)>, Error> {
        let group = self.db.get::<Group>(keys::group(group)).await?;
        let is_invited = |it: &Group| {
            it.deleted_at.is_none()
                && it.invitation.is_some()
                && it.check_invitation(Some(code)).is_ok()
        };
        let Some(group) = group.filter(is_invited) else { return Ok(None) };
        let Some(by) = group.invited_by else { return Ok(Some((group, None))) };
        let by = self.db.get::<MemberRow>(keys::member(group.id, by.into())).await?;
        Ok(Some((group, by.map(|row| row.member))))
    }

    /// Adds `user` to a group, or makes a member present again who has left. If the user is present
    /// already, only name, username and picture are updated, and the wallet if one is given. An
    /// earlier profile updates no name, username and picture.
    ///
    /// # Errors
    ///
    /// [`Error::NoGroup`]; [`Error::Removed`]; [`Error::InvitationRequired`] if the user is not
    /// present; [`Error::GroupArchived`]; [`Error::TooManyMembers`]; [`Error::KeyReused`].
    pub async fn join(
        &self,
        group: GroupId,
        user: &User,
        profile: Profile,
        body: &Draft<JoiningUser>,
        idempotency: &Idempotency<Member>,
    ) -> Result<Outcome<Member>, Error> {
        self.write(None, idempotency, || async {
            let (group, member) = self.group_and_member(group, user.id.into()).await?;
            let is_present = member.as_ref().is_some_and(Member::is_present);
            let invitation = body.fields().and_then(|it| it.invitation.value());
            let invited = if is_present { Ok(()) } else { group.check_invitation(invitation) };
            match require_admission(&group, member.as_ref(), invited) {
                Err(error) if !is_present => return Ok(Decision::Refuse { unless: None, error }),
                admission => admission?,
            }
            let wallet = body.checked()?.wallet.value();
            let known = member.as_ref().filter(|_| profile == Profile::Earlier);
            let known = known.map(|member| member.as_user(user.id));
            let user = known.as_ref().unwrap_or(user);
            let now = idempotency.now();
            let (joining, member) = self.joining(group, member, user, wallet, now).await?;
            // To who has left since, a stored response says no longer what is.
            Ok(if is_present {
                Decision::Write(joining, member)
            } else {
                Decision::Renew(joining, member)
            })
        })
        .await
    }

    /// The writes by which `user` becomes present in a group, and the member afterwards.
    pub(crate) async fn joining(
        &self,
        group: Group,
        before: Option<Member>,
        user: &User,
        wallet: Option<&TonAddress>,
        now: Timestamp,
    ) -> Result<(Transaction, Member), WriteError> {
        let is_present = before.as_ref().is_some_and(Member::is_present);
        let ledger = if is_present { None } else { Some(self.ledger(group.id).await?) };
        joining(group, before, user, wallet, ledger, now)
    }

    /// Sets the TON address of a member.
    ///
    /// # Errors
    ///
    /// [`Error::NoGroup`] or [`Error::NotMember`]; [`Error::GroupArchived`].
    pub async fn set_wallet(
        &self,
        member_key: MemberKey,
        wallet: &Draft<Field<TonAddress>>,
        idempotency: &Idempotency<TonAddress>,
    ) -> Result<Outcome<TonAddress>, Error> {
        self.write(None, idempotency, || async {
            let (group, member) = self.group_and_caller(member_key).await?;
            decide::set_wallet(&group, &member, wallet)
        })
        .await
    }

    /// Removes the TON address of a member.
    ///
    /// # Errors
    ///
    /// As [`Table::set_wallet`].
    pub async fn remove_wallet(
        &self,
        member_key: MemberKey,
        idempotency: &Idempotency<Member>,
    ) -> Result<Outcome<Member>, Error> {
        self.write(None, idempotency, || async {
            let (group, before) = self.group_and_caller(member_key).await?;
            decide::remove_wallet(&group, &before)
        })
        .await
    }

    /// A group and its members, present and past, ordered by id.
    ///
    /// # Errors
    ///
    /// [`Error::NoGroup`] or [`Error::NotMember`].
    pub async fn group(&self, member_key: MemberKey) -> Result<(Group, Vec<Member>), Error> {
        self.group_naming(member_key, None).await
    }

    /// A group and its members, ordered by id. If only users are named, other members than these
    /// and the caller may be missing. A guest who is named may mean any user.
    ///
    /// A read by key would cost one unit for each of them, the query one unit for about ten members
    /// of the group. So the query is cheaper in most groups, but not in those of hundreds.
    ///
    /// # Errors
    ///
    /// As [`Table::group`].
    pub(crate) async fn group_naming(
        &self,
        member_key: MemberKey,
        named: Option<&BTreeSet<MemberId>>,
    ) -> Result<(Group, Vec<Member>), Error> {
        let only_users =
            |named: &&BTreeSet<MemberId>| named.iter().all(|member| member.user().is_some());
        let named = named.filter(only_users);
        let filter = named.map(|named| among(named, member_key.user.into())).transpose()?;
        let filter = filter.unwrap_or_default();
        let (group, members) = tokio::try_join!(
            self.db.get::<Group>(keys::group(member_key.group)),
            self.members(member_key.group, &filter),
        )?;
        let group = group.ok_or(Error::NoGroup)?;
        let caller = members.iter().find(|member| member.id == member_key.user);
        caller.ok_or(Error::NotMember)?.check_present()?;
        Ok((group, members))
    }

    /// The members of a group whose rows fulfil a condition, ordered by id. In a group of the
    /// TypeScript Fracti, a member may have a second row with another key; it does not count.
    pub(crate) async fn members(
        &self,
        group: GroupId,
        filter: &Condition,
    ) -> Result<Vec<Member>, Error> {
        let range = Range::table(keys::group_partition(group), prefix::MEMBER);
        let rows = self.db.all_by_key::<MemberRow>(&range, filter).await?;
        let keyed = rows.into_iter().filter_map(|(key, row)| {
            let MemberRow { member, .. } = row?;
            let is_other = key != Some(keys::member(group, member.id));
            Some((member.id, is_other, member))
        });
        let mut members: Vec<_> = keyed.collect();
        members.sort_by_key(|(id, is_other, _)| (*id, *is_other));
        members.dedup_by_key(|(id, ..)| *id);
        Ok(members.into_iter().map(|(.., member)| member).collect())
    }

    /// A group, its members and its ledger.
    ///
    /// # Errors
    ///
    /// As [`Table::group`].
    pub async fn group_and_ledger(
        &self,
        member_key: MemberKey,
    ) -> Result<(Group, Vec<Member>, Ledger), Error> {
        let ((group, members), ledger) =
            tokio::try_join!(self.group(member_key), self.ledger(member_key.group))?;
        Ok((group, members, ledger))
    }
}

/// The member is one of these users or the caller. There is no condition if they are too many.
fn among(named: &BTreeSet<MemberId>, caller: MemberId) -> Result<Condition, Error> {
    let users = named | &BTreeSet::from([caller]);
    if users.len() > MAX_VALUES {
        return Ok(Condition::default());
    }
    let users: Result<Vec<_>, _> = users.iter().map(row::to_value).collect();
    Ok(Condition::one_of("id", users?))
}
