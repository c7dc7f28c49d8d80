//! Linking a guest to the user who the guest turned out to be.
//!
//! One side proposes the link and the other confirms it. Proposals stand in the group's row, and
//! change under the group's lock.

use std::collections::BTreeSet;

use crate::{
    decisions::{
        balance::put_lock_telling,
        decision::Decision,
        group_row::{links_as_read, links_set_to},
        ledger_transaction::LedgerTransaction,
        members::change_member,
        questions::put_question,
    },
    group::{Group, LinkStep, Member, MemberKey, ProposedLink, not_a_member},
    input::{Draft, Error, Field},
    ledger::Ledger,
    questions::question::Question,
    records::group_change::{ChangeKind, Subject},
    storage::{
        keys, row,
        write::{Transaction, Write, WriteError},
    },
    values::{
        id::{GuestId, MemberId, UserId},
        time::Timestamp,
    },
};

/// A guest, and the link that is proposed for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkedGuest {
    /// The guest, who is linked if the link was confirmed.
    pub guest: Member,
    /// The link that waits to be confirmed.
    pub proposed: Option<ProposedLink>,
}

/// Proposes that a guest is a user, or confirms it for the other side.
pub fn link(
    by: MemberKey,
    guest: MemberId,
    user: &Draft<Field<UserId>>,
    in_app: bool,
    read: ReadForLink,
    now: Timestamp,
) -> Result<Decision<LinkedGuest>, WriteError> {
    let ReadForLink { ledger, group: group_row, members, open } = read;
    let members = ledger.state.of(&members);
    let before = find(&members, guest).ok_or(Error::NoMember)?;
    let id = guest.guest().ok_or(Error::NotLinkable)?;
    let sent = user.fields().and_then(Field::value);
    if ledger.links.has(guest) {
        if before.linked_to.as_ref() == sent {
            return Ok(Decision::Done(LinkedGuest { guest: before.clone(), proposed: None }));
        }
        return Err(Error::AlreadyLinked.into());
    }
    ledger.state.check_writer(by.user)?;
    let user = *user.required()?;
    let present = find(&members, user.into()).filter(|member| member.is_present());
    let present = present.ok_or_else(|| Error::invalid("userId", not_a_member()))?;
    if ledger.links.has_no_room_for(user) {
        return Err(Error::TooManyLinks.into());
    }
    match group_row.link_step(guest, user, by.user)? {
        LinkStep::Wait => {
            let proposed = group_row.proposed_link(guest).cloned();
            Ok(Decision::Done(LinkedGuest { guest: before.clone(), proposed }))
        }
        LinkStep::Propose => {
            let named = (user, &*present.name);
            let link = ProposedLink::new(id, &before.name, named, by.user, now);
            let links = [group_row.proposed_links.clone(), vec![link.clone()]].concat();
            let told = Subject::proposal(ChangeKind::LinkProposed, before, &link);
            let writes = set_links(by, &ledger, &group_row, &links, told, now)?;
            let linked = LinkedGuest { guest: before.clone(), proposed: Some(link) };
            Ok(Decision::Write(writes, linked))
        }
        LinkStep::Confirm if !in_app => Err(Error::LinkNotInApp.into()),
        LinkStep::Confirm => {
            let read = (&group_row, &*members, &*open);
            confirm(by, ledger, read, (before, id), (present, user), now)
        }
    }
}

/// Ends the proposal to link a guest, for its proposer or the other side. If there is none, a
/// ledger that was read later shows whether the guest was linked meanwhile.
pub fn withdraw_link(
    by: MemberKey,
    guest: MemberId,
    (group, members, ledger, later): (&Group, &[Member], &Ledger, Option<&Ledger>),
    now: Timestamp,
) -> Result<Decision<LinkedGuest>, WriteError> {
    let before = find(members, guest).ok_or(Error::NoMember)?;
    if ledger.links.has(guest) {
        return Err(Error::AlreadyLinked.into());
    }
    let Some(link) = group.proposed_link(guest) else {
        let linked = later.is_some_and(|later| later.links.has(guest));
        return Err(if linked { Error::AlreadyLinked } else { Error::NoLink }.into());
    };
    if !link.may_be_ended_by(by.user) {
        return Err(Error::NotYourLink.into());
    }
    ledger.state.check_writer(by.user)?;
    let told = Subject::proposal(ChangeKind::LinkWithdrawn, before, link);
    let links = group.links_without_guest(guest);
    let writes = set_links(by, ledger, group, &links, told, now)?;
    let ended = LinkedGuest { guest: before.clone(), proposed: None };
    Ok(Decision::Write(writes, ended))
}

/// The rows on which a link depends.
#[derive(Debug)]
pub struct ReadForLink {
    /// The ledger.
    pub ledger: Ledger,
    /// The group.
    pub group: Group,
    /// Its members, read after the ledger.
    pub members: Vec<Member>,
    /// Its open questions.
    pub open: Vec<Question>,
}

/// The decision that links a guest to a user.
fn confirm(
    member_key: MemberKey,
    ledger: Ledger,
    (group, members, open): (&Group, &[Member], &[Question]),
    (before, id): (&Member, GuestId),
    (linked_to, user): (&Member, UserId),
    now: Timestamp,
) -> Result<Decision<LinkedGuest>, WriteError> {
    let linked = Member { linked_to: Some(user), ..before.clone() };
    // The row of the user may have been read before another link.
    let guests: Vec<_> = ledger.links.guests_of(user).chain([before.id]).collect();
    let mut here: BTreeSet<MemberId> =
        ledger.links.present(members).iter().map(|it| it.id).collect();
    here.remove(&before.id);
    let mut transaction = LedgerTransaction::new(member_key, ledger, now)?;
    let link = [("linkedTo", Some(row::to_value(&user)?))];
    transaction.add(change_member(group.id, before, link)?);
    let guests = [("guests", Some(row::to_value(&guests)?))];
    transaction.add(change_member(group.id, linked_to, guests)?);
    let proposals = links_set_to(&group.links_without_guest(before.id))?;
    let key = keys::group(group.id);
    // Both are one person from now on.
    let counted = if before.is_present() {
        Write::decrement(key, "memberCount", 1).setting(proposals)
    } else {
        Write::update(key, proposals)
    };
    transaction.add(counted.when(links_as_read(group)?));
    transaction.link(id, user)?;
    let changed = |it: &Question| it.linked(before.id, user.into(), &here, now);
    let changed = open.iter().filter_map(|it| Some((it, changed(it)?)));
    // Of those for which there is no room, the first answer of the user does it.
    for (before, after) in changed.take(transaction.room()) {
        transaction.add(put_question(before, &after)?);
    }
    transaction.tell(Subject::member(ChangeKind::MemberLinked, &linked));
    transaction.commit(LinkedGuest { guest: linked, proposed: None })
}

/// The writes after which the group has these proposed links.
fn set_links(
    member_key: MemberKey,
    ledger: &Ledger,
    group: &Group,
    links: &[ProposedLink],
    told: Subject,
    now: Timestamp,
) -> Result<Transaction, Error> {
    let update = Write::update(keys::group(group.id), links_set_to(links)?);
    let [told, lock] = put_lock_telling(member_key, ledger, now, told)?;
    Ok(Transaction::from_iter([update.when(links_as_read(group)?), told, lock]))
}

fn find(members: &[Member], id: MemberId) -> Option<&Member> {
    members.iter().find(|member| member.id == id)
}
