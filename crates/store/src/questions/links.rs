//! Linking a guest to the user who the guest turned out to be.

use std::collections::BTreeSet;

use fracti_core::{
    group::{Member, not_a_member},
    input::{Draft, Error, Field},
    questions::question::Question,
    records::group_change::{ChangeKind, Subject},
    storage::{keys, row},
    values::id::{MemberId, UserId},
};

use crate::{
    dynamo::Write,
    group::presence::change_member,
    ledger::LedgerTransaction,
    questions::asking::{self, put_question},
    table::{Table, access::MemberKey},
    write::idempotency::{Idempotency, Outcome},
};

impl Table {
    /// Links a guest to another user than the caller, who takes over the guest's totals. A link is
    /// final.
    ///
    /// The two are one member of every open question, too; see [`Question::linked`].
    ///
    /// Users link no guest to themselves, even if the guest is owed nothing at the moment: an
    /// expense that is deleted before and restored afterwards would give them a credit.
    ///
    /// # Errors
    ///
    /// [`Error::NoMember`]; [`Error::NotLinkable`]; [`Error::NotYourGuest`];
    /// [`Error::AlreadyLinked`]; [`Error::TooManyLinks`]; [`Error::Invalid`]; [`Error::NoGroup`] or
    /// [`Error::NotMember`]; [`Error::KeyReused`].
    pub async fn link_guest(
        &self,
        member_key: MemberKey,
        guest: MemberId,
        user: &Draft<Field<UserId>>,
        idempotency: &Idempotency<Member>,
    ) -> Result<Outcome<Member>, Error> {
        let (group, now) = (member_key.group, idempotency.now());
        self.write_to_group(group, idempotency, || async {
            // A member who joins between two reads at once could be missing for the questions.
            let (read, open) = tokio::join!(
                self.members_after_ledger(member_key),
                self.open_questions(group, now.to_string()),
            );
            let ((ledger, _, members), open) = (read?, open?);
            let members = ledger.state.of(&members);
            let before = find(&members, guest).ok_or(Error::NoMember)?;
            let id = guest.guest().ok_or(Error::NotLinkable)?;
            let sent = user.fields().and_then(Field::value);
            if sent == Some(&member_key.user) {
                return Err(Error::NotYourGuest.into());
            }
            if ledger.links.has(guest) {
                return Err(Error::AlreadyLinked.into());
            }
            ledger.state.check_writer(member_key.user)?;
            let user = *user.required()?;
            let present = find(&members, user.into()).filter(|member| member.is_present());
            let present = present.ok_or_else(|| Error::invalid("userId", not_a_member()))?;
            if ledger.links.has_no_room_for(user) {
                return Err(Error::TooManyLinks.into());
            }

            let linked = Member { linked_to: Some(user), ..before.clone() };
            // The row of the user may have been read before another link.
            let guests: Vec<_> = ledger.links.guests_of(user).chain([guest]).collect();
            let mut here: BTreeSet<MemberId> =
                asking::present(&members, &ledger.links).iter().map(|it| it.id).collect();
            here.remove(&guest);
            let mut transaction = LedgerTransaction::new(member_key, ledger, now)?;
            let link = [("linkedTo", Some(row::to_value(&user)?))];
            transaction.add(change_member(group, before, link)?);
            let guests = [("guests", Some(row::to_value(&guests)?))];
            transaction.add(change_member(group, present, guests)?);
            // Both are one person from now on.
            if before.is_present() {
                transaction.add(Write::decrement(keys::group(group), "memberCount"));
            }
            transaction.link(id, user)?;
            let changed = |it: &Question| it.linked(guest, user.into(), &here, now);
            let changed = open.iter().filter_map(|it| Some((it, changed(it)?)));
            // Of those for which there is no room, the first answer of the user does it.
            for (before, after) in changed.take(transaction.room()) {
                transaction.add(put_question(before, &after)?);
            }
            transaction.tell(Subject::member(ChangeKind::MemberLinked, &linked));
            transaction.commit(linked)
        })
        .await
    }
}

fn find(members: &[Member], id: MemberId) -> Option<&Member> {
    members.iter().find(|member| member.id == id)
}
