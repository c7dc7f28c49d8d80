//! Guests: adding and renaming them.
//!
//! A guest's name is unique among the members of the group. So that two guests cannot get one name
//! at the same time, these writes take the group's lock.

use fracti_core::{
    Error,
    group::{Group, Member, MemberRow},
    id::{GroupId, MemberId},
    input::{Draft, Field},
    keys,
    ledger::Ledger,
    row,
    text::GuestName,
};

use crate::{
    access::MemberKey,
    balance::put_balance,
    commit::{Commit, Decision, Evidence},
    dynamo::{Expression, OnConflict, Transaction, Write},
    idempotency::{Idempotency, Outcome},
    presence::count_in,
    table::{RequestContext, Table},
};

impl Table {
    /// Adds a guest to a group.
    ///
    /// # Errors
    ///
    /// [`Error::NameTaken`]; [`Error::Invalid`]; [`Error::TooManyMembers`]; [`Error::NoGroup`] or
    /// [`Error::NotMember`]; [`Error::KeyReused`]; [`Error::Contended`], [`Error::Unavailable`] or
    /// [`Error::Table`].
    pub async fn add_guest(
        &self,
        member_key: MemberKey,
        name: &Draft<Field<GuestName>>,
        context: RequestContext,
        idempotency: &Idempotency<Member>,
    ) -> Result<Outcome<Member>, Error> {
        let group = member_key.group;
        self.write_to_group(group, || async {
            let (read, stored) = tokio::join!(
                self.members_after_ledger(member_key),
                self.stored_result(idempotency.request.as_ref())
            );
            let (ledger, group_row, members) = read?;
            if let Some(stored) = stored? {
                return Ok(Decision::Done(Outcome::Replayed(stored)));
            }
            ledger.presence.check_writer(member_key.user)?;
            let name = free_name(name, &members, None)?;
            let guest = Member::guest(name, member_key.user, context.now, context.random);
            let row = MemberRow { group_id: group, member: guest.clone() };
            let put = Write::put(&row)?.when(Expression::absent(), OnConflict::Retry);
            let mut writes = Transaction::from_iter([put, count_in(&group_row, 1)?]);
            writes.extend(idempotency.write(&guest)?);
            Ok(locked(group, ledger, writes, Outcome::Done(guest))?)
        })
        .await
    }

    /// Renames a guest.
    ///
    /// # Errors
    ///
    /// [`Error::NoMember`]; [`Error::NotGuest`]; [`Error::AlreadyLinked`]; [`Error::NameTaken`];
    /// [`Error::Invalid`]; [`Error::NoGroup`] or [`Error::NotMember`]; [`Error::Contended`],
    /// [`Error::Unavailable`] or [`Error::Table`].
    pub async fn rename_guest(
        &self,
        member_key: MemberKey,
        guest: MemberId,
        name: &Draft<Field<GuestName>>,
    ) -> Result<Member, Error> {
        let group = member_key.group;
        self.write_to_group(group, || async {
            let (ledger, _, members) = self.members_after_ledger(member_key).await?;
            let before = members.iter().find(|member| member.id == guest);
            let before = before.ok_or(Error::NoMember)?;
            if !before.guest {
                return Err(Error::NotGuest.into());
            }
            if before.linked_to.is_some() {
                return Err(Error::AlreadyLinked.into());
            }
            ledger.presence.check_writer(member_key.user)?;
            let name = free_name(name, &members, Some(guest))?;
            let renamed = Member { name: name.to_string(), ..before.clone() };
            if renamed == *before {
                return Ok(Decision::Done(renamed));
            }
            let name = [("name", Some(row::to_value(&renamed.name)?))];
            let update = Write::update(keys::member(group, guest), name)
                .when(Expression::present(), OnConflict::Retry);
            Ok(locked(group, ledger, Transaction::from_iter([update]), renamed)?)
        })
        .await
    }

    /// A group's ledger, and then its members. If they were read together, a name that another
    /// writer gives could be missing although the version of the ledger is of the time after it.
    pub(crate) async fn members_after_ledger(
        &self,
        member_key: MemberKey,
    ) -> Result<(Ledger, Group, Vec<Member>), Error> {
        let ledger = self.ledger(member_key.group).await?;
        let (group, members) = self.group(member_key).await?;
        Ok((ledger, group, members))
    }
}

/// The requested name, which no present member other than `guest` and linked guests may have. A
/// name that is taken is reported before other mistakes of the request.
fn free_name<'a>(
    name: &'a Draft<Field<GuestName>>,
    members: &[Member],
    guest: Option<MemberId>,
) -> Result<&'a GuestName, Error> {
    let sent = name.fields().and_then(Field::value);
    if sent.is_some_and(|name| Member::is_taken(name.as_str(), members, guest)) {
        return Err(Error::NameTaken);
    }
    name.required()
}

/// The decision to commit writes under the group's lock that are no event of its ledger.
fn locked<T>(
    group: GroupId,
    read: Ledger,
    writes: Transaction,
    result: T,
) -> Result<Decision<T>, Error> {
    let next = Ledger { version: read.version.saturating_add(1), ..read.clone() };
    let mut transaction = writes;
    let row = transaction.new_rows().next().cloned();
    transaction.add(put_balance(group, &read, &next)?);
    let evidence = Evidence { row, change: None, locked: Some((group, Box::new(read))) };
    Ok(Decision::Write(Commit { transaction, result, evidence }))
}
