//! Linking a guest to the user who the guest turned out to be.
//!
//! One side proposes the link and the other confirms it. Proposals stand in the group's row, and
//! change under the group's lock.

use fracti_core::{
    decisions::links::{self as decide, LinkedGuest, ReadForLink},
    group::MemberKey,
    input::{Draft, Error, Field},
    values::id::{MemberId, UserId},
};

use crate::{
    table::Table,
    write::idempotency::{Idempotency, Outcome},
};

impl Table {
    /// Proposes that a guest is a user, or confirms it for the other side: one side is the user,
    /// the other any other present member. The user then takes over the guest's totals. A link is
    /// final.
    ///
    /// The two are one member of every open question, too; see
    /// [`Question::linked`](fracti_core::questions::question::Question::linked).
    ///
    /// Neither side links alone: an expense of the guest that was deleted before and is restored
    /// afterwards would give the user a credit.
    ///
    /// # Errors
    ///
    /// [`Error::NoMember`]; [`Error::NotLinkable`]; [`Error::AlreadyLinked`] to another user;
    /// [`Error::LinkProposed`] or [`Error::TooManyProposals`]; [`Error::LinkNotInApp`] if the
    /// caller would confirm and is not `in_app`; [`Error::TooManyLinks`]; [`Error::Invalid`];
    /// [`Error::NoGroup`] or [`Error::NotMember`]; [`Error::KeyReused`].
    pub async fn link_guest(
        &self,
        member_key: MemberKey,
        guest: MemberId,
        user: &Draft<Field<UserId>>,
        in_app: bool,
        idempotency: &Idempotency<LinkedGuest>,
    ) -> Result<Outcome<LinkedGuest>, Error> {
        let group = member_key.group;
        let now = idempotency.now();
        self.write(Some(group), idempotency, || async {
            // A member who joins between two reads at once could be missing for the questions.
            let (read, open) = tokio::join!(
                self.members_after_ledger(member_key),
                self.open_questions(group, now.to_string()),
            );
            let ((ledger, group_row, members), open) = (read?, open?);
            let seen = ReadForLink { ledger, group: group_row, members, open };
            decide::link(member_key, guest, user, in_app, seen, now)
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
        self.write(Some(member_key.group), idempotency, || async {
            let (ledger, group, members) = self.members_after_ledger(member_key).await?;
            // It may have been confirmed between the two reads.
            let later = if ledger.links.has(guest) || group.proposed_link(guest).is_some() {
                None
            } else {
                Some(self.ledger(group.id).await?)
            };
            let seen = (&group, &*members, &ledger, later.as_ref());
            decide::withdraw_link(member_key, guest, seen, idempotency.now())
        })
        .await
    }
}
