//! Linking a guest to the user who the guest turned out to be.
//!
//! One side proposes the link and the other confirms it. Proposals stand in the group's row, and
//! change under the group's lock.

use std::collections::BTreeSet;

use fracti_core::{
    decisions::{
        balance::put_lock_telling, decision::Decision, ledger_transaction::LedgerTransaction,
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

use crate::{
    group::{
        presence::change_member,
        settings::{links_as_read, links_set_to},
    },
    questions::asking::{self, put_question},
    table::Table,
    write::idempotency::{Idempotency, Outcome},
};

/// A guest, and the link that is proposed for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkedGuest {
    /// The guest, who is linked if the link was confirmed.
    pub guest: Member,
    /// The link that waits to be confirmed.
    pub proposed: Option<ProposedLink>,
}

impl Table {
    /// Proposes that a guest is a user, or confirms it for the other side: one side is the user, the
    /// other any other present member. The user then takes over the guest's totals. A link is final.
    ///
    /// The two are one member of every open question, too; see [`Question::linked`].
    ///
    /// Neither side links alone: an expense of the guest that was deleted before and is restored
    /// afterwards would give the user a credit.
    ///
    /// # Errors
    ///
    /// [`Error::NoMember`]; [`Error::NotLinkable`]; [`Error::AlreadyLinked`] to another user;
    /// [`Error::LinkProposed`] or [`Error::TooManyProposals`]; [`Error::LinkNotInApp`] if the caller
    /// would confirm and is not `in_app`; [`Error::TooManyLinks`]; [`Error::Invalid`];
    /// [`Error::NoGroup`] or [`Error::NotMember`]; [`Error::KeyReused`].
    pub async fn link_guest(
        &self,
        member_key: MemberKey,
        guest: MemberId,
        user: &Draft<Field<UserId>>,
        in_app: bool,
        idempotency: &Idempotency<LinkedGuest>,
    ) -> Result<Outcome<LinkedGuest>, Error> {
        let (group, now) = (member_key.group, idempotency.now());
        self.write_to_group(group, idempotency, || async {
            // A member who joins between two reads at once could be missing for the questions.
            let (read, open) = tokio::join!(
                self.members_after_ledger(member_key),
                self.open_questions(group, now.to_string()),
            );
            let ((ledger, group_row, members), open) = (read?, open?);
            let members = ledger.state.of(&members);
            let before = find(&members, guest).ok_or(Error::NoMember)?;
            let id = guest.guest().ok_or(Error::NotLinkable)?;
            let sent = user.fields().and_then(Field::value);
            if ledger.links.has(guest) {
                if before.linked_to.as_ref() == sent {
                    return Ok(Decision::Done(LinkedGuest {
                        guest: before.clone(),
                        proposed: None,
                    }));
                }
                return Err(Error::AlreadyLinked.into());
            }
            ledger.state.check_writer(member_key.user)?;
            let user = *user.required()?;
            let present = find(&members, user.into()).filter(|member| member.is_present());
            let present = present.ok_or_else(|| Error::invalid("userId", not_a_member()))?;
            if ledger.links.has_no_room_for(user) {
                return Err(Error::TooManyLinks.into());
            }
            match group_row.link_step(guest, user, member_key.user)? {
                LinkStep::Wait => {
                    let proposed = group_row.proposed_link(guest).cloned();
                    Ok(Decision::Done(LinkedGuest { guest: before.clone(), proposed }))
                }
                LinkStep::Propose => {
                    let named = (user, &*present.name);
                    let link = ProposedLink::new(id, &before.name, named, member_key.user, now);
                    let links = [group_row.proposed_links.clone(), vec![link.clone()]].concat();
                    let told = Subject::proposal(ChangeKind::LinkProposed, before, &link);
                    let writes = set_links(member_key, &ledger, &group_row, &links, told, now)?;
                    let linked = LinkedGuest { guest: before.clone(), proposed: Some(link) };
                    Ok(Decision::Write(writes, linked))
                }
                LinkStep::Confirm if !in_app => Err(Error::LinkNotInApp.into()),
                LinkStep::Confirm => {
                    let read = ReadForLink { ledger, group: group_row, members: &members, open };
                    confirm(member_key, read, (before, id), (present, user), now)
                }
            }
        })
        .await
    }

    /// Ends the proposal to link a guest, for its proposer or the other side.
    ///
    /// # Errors
    ///
    /// [`Error::NoMember`]; [`Error::AlreadyLinked`]; [`Error::NoLink`]; [`Error::NotYourLink`];
    /// [`Error::NoGroup`] or [`Error::NotMember`]; [`Error::GroupArchived`].
    pub async fn withdraw_link(
        &self,
        member_key: MemberKey,
        guest: MemberId,
        idempotency: &Idempotency<LinkedGuest>,
    ) -> Result<Outcome<LinkedGuest>, Error> {
        self.write_to_group(member_key.group, idempotency, || async {
            let (ledger, group, members) = self.members_after_ledger(member_key).await?;
            let before = find(&members, guest).ok_or(Error::NoMember)?;
            if ledger.links.has(guest) {
                return Err(Error::AlreadyLinked.into());
            }
            let Some(link) = group.proposed_link(guest) else {
                // It may have been confirmed between the two reads.
                let linked = self.ledger(group.id).await?.links.has(guest);
                return Err(if linked { Error::AlreadyLinked } else { Error::NoLink }.into());
            };
            if !link.may_be_ended_by(member_key.user) {
                return Err(Error::NotYourLink.into());
            }
            ledger.state.check_writer(member_key.user)?;
            let told = Subject::proposal(ChangeKind::LinkWithdrawn, before, link);
            let links = group.links_without_guest(guest);
            let writes = set_links(member_key, &ledger, &group, &links, told, idempotency.now())?;
            let ended = LinkedGuest { guest: before.clone(), proposed: None };
            Ok(Decision::Write(writes, ended))
        })
        .await
    }
}

/// The rows on which a link depends.
struct ReadForLink<'a> {
    ledger: Ledger,
    group: Group,
    members: &'a [Member],
    open: Vec<Question>,
}

/// The decision that links a guest to a user.
fn confirm(
    member_key: MemberKey,
    read: ReadForLink<'_>,
    (before, id): (&Member, GuestId),
    (present, user): (&Member, UserId),
    now: Timestamp,
) -> Result<Decision<LinkedGuest>, WriteError> {
    let ReadForLink { ledger, group, members, open } = read;
    let linked = Member { linked_to: Some(user), ..before.clone() };
    // The row of the user may have been read before another link.
    let guests: Vec<_> = ledger.links.guests_of(user).chain([before.id]).collect();
    let mut here: BTreeSet<MemberId> =
        asking::present(members, &ledger.links).iter().map(|it| it.id).collect();
    here.remove(&before.id);
    let mut transaction = LedgerTransaction::new(member_key, ledger, now)?;
    let link = [("linkedTo", Some(row::to_value(&user)?))];
    transaction.add(change_member(group.id, before, link)?);
    let guests = [("guests", Some(row::to_value(&guests)?))];
    transaction.add(change_member(group.id, present, guests)?);
    let proposals = links_set_to(&group.links_without_guest(before.id))?;
    let key = keys::group(group.id);
    // Both are one person from now on.
    let counted = if before.is_present() {
        Write::decrement(key, "memberCount", 1).setting(proposals)
    } else {
        Write::update(key, proposals)
    };
    transaction.add(counted.when(links_as_read(&group)?));
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
