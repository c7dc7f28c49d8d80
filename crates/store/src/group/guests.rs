//! Guests: adding and renaming them.
//!
//! A guest's name is unique among the members of the group. So that two guests cannot get one name
//! at the same time, these writes take the group's lock.

use fracti_core::{
    decisions::{balance::put_lock_telling, decision::Decision},
    group::{Group, Member, MemberKey, MemberRow},
    input::{Draft, Error, Field},
    ledger::Ledger,
    records::group_change::{ChangeKind, Subject},
    storage::{
        row,
        write::{Transaction, Write},
    },
    values::{id::MemberId, request_context::RequestContext, text::GuestName},
};

use crate::{
    group::presence::{change_member, count_in},
    table::Table,
    write::idempotency::{Idempotency, Outcome},
};

impl Table {
    /// Adds a guest to a group.
    ///
    /// # Errors
    ///
    /// [`Error::NameTaken`]; [`Error::Invalid`]; [`Error::TooManyMembers`]; [`Error::NoGroup`] or
    /// [`Error::NotMember`]; [`Error::KeyReused`].
    pub async fn add_guest(
        &self,
        member_key: MemberKey,
        name: &Draft<Field<GuestName>>,
        idempotency: &Idempotency<Member>,
    ) -> Result<Outcome<Member>, Error> {
        let group = member_key.group;
        self.write_to_group(group, idempotency, || async {
            let (ledger, group_row, members) = self.members_after_ledger(member_key).await?;
            ledger.state.check_writer(member_key.user)?;
            let name = free_name(name, &members, None)?;
            let RequestContext { now, random } = idempotency.context();
            let guest = Member::guest(name, member_key.user, now, random);
            let row = MemberRow { group_id: group, member: guest.clone() };
            let put = Write::put_new(&row)?;
            let added = Subject::member(ChangeKind::GuestAdded, &guest);
            let [told, lock] = put_lock_telling(member_key, &ledger, now, added)?;
            let writes = [put, count_in(&group_row, 1)?, told, lock];
            Ok(Decision::Write(Transaction::from_iter(writes), guest))
        })
        .await
    }

    /// Renames a guest.
    ///
    /// # Errors
    ///
    /// [`Error::NoMember`]; [`Error::NotGuest`]; [`Error::AlreadyLinked`]; [`Error::NameTaken`];
    /// [`Error::Invalid`]; [`Error::NoGroup`] or [`Error::NotMember`].
    pub async fn rename_guest(
        &self,
        member_key: MemberKey,
        guest: MemberId,
        name: &Draft<Field<GuestName>>,
        idempotency: &Idempotency<Member>,
    ) -> Result<Outcome<Member>, Error> {
        let group = member_key.group;
        self.write_to_group(group, idempotency, || async {
            let (ledger, _, members) = self.members_after_ledger(member_key).await?;
            let before = members.iter().find(|member| member.id == guest);
            let before = before.ok_or(Error::NoMember)?;
            if !before.guest {
                return Err(Error::NotGuest.into());
            }
            if before.linked_to.is_some() {
                return Err(Error::AlreadyLinked.into());
            }
            ledger.state.check_writer(member_key.user)?;
            let name = free_name(name, &members, Some(guest))?;
            let renamed = Member { name: name.to_string(), ..before.clone() };
            if renamed == *before {
                return Ok(Decision::Done(renamed));
            }
            let name = [("name", Some(row::to_value(&renamed.name)?))];
            let writes = Transaction::from_iter([change_member(group, before, name)?]);
            Decision::locked(group, &ledger, writes, renamed)
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
        let (group, members) = self.group_naming(member_key, None).await?;
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
