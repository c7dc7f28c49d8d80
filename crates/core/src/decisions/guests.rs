//! Guests: adding and renaming them.
//!
//! A guest's name is unique among the members of the group. So that two guests cannot get one name
//! at the same time, these writes take the group's lock.

use crate::{
    decisions::{
        balance::put_lock_telling,
        decision::Decision,
        members::{change_member, count_in},
    },
    group::{Group, Member, MemberKey, MemberRow},
    input::{Draft, Error, Field},
    ledger::Ledger,
    records::group_change::{ChangeKind, Subject},
    storage::{
        row,
        write::{Transaction, Write, WriteError},
    },
    values::{id::MemberId, request_context::RequestContext, text::GuestName},
};

/// Adds a guest. The members were read after the ledger.
pub fn add_guest(
    by: MemberKey,
    name: &Draft<Field<GuestName>>,
    (group, members, ledger): (&Group, &[Member], &Ledger),
    context: RequestContext,
) -> Result<Decision<Member>, WriteError> {
    ledger.state.check_writer(by.user)?;
    let name = free_name(name, members, None)?;
    let RequestContext { now, random } = context;
    let guest = Member::guest(name, by.user, now, random);
    let row = MemberRow { group_id: by.group, member: guest.clone() };
    let put = Write::put_new(&row)?;
    let added = Subject::member(ChangeKind::GuestAdded, &guest);
    let [told, lock] = put_lock_telling(by, ledger, now, added)?;
    let writes = [put, count_in(group, 1)?, told, lock];
    Ok(Decision::Write(Transaction::from_iter(writes), guest))
}

/// Renames a guest. The members were read after the ledger.
pub fn rename_guest(
    by: MemberKey,
    guest: MemberId,
    name: &Draft<Field<GuestName>>,
    members: &[Member],
    ledger: &Ledger,
) -> Result<Decision<Member>, WriteError> {
    let before = members.iter().find(|member| member.id == guest);
    let before = before.ok_or(Error::NoMember)?;
    if !before.guest {
        return Err(Error::NotGuest.into());
    }
    if before.linked_to.is_some() {
        return Err(Error::AlreadyLinked.into());
    }
    ledger.state.check_writer(by.user)?;
    let name = free_name(name, members, Some(guest))?;
    let renamed = Member { name: name.to_string(), ..before.clone() };
    if renamed == *before {
        return Ok(Decision::Done(renamed));
    }
    let name = [("name", Some(row::to_value(&renamed.name)?))];
    let writes = Transaction::from_iter([change_member(by.group, before, name)?]);
    Decision::locked(by.group, ledger, writes, renamed)
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
