//! Invitations to a group, with which it is joined once a member has made one.

use fracti_core::{
    decisions::groups as decide,
    group::{Group, InvitationCode, MemberKey},
    input::{Draft, Error},
};

use crate::{
    table::Table,
    write::idempotency::{Idempotency, Outcome},
};

impl Table {
    /// A group, with its invitation.
    ///
    /// # Errors
    ///
    /// [`Error::NoGroup`] or [`Error::NotMember`].
    pub async fn invitation(&self, member_key: MemberKey) -> Result<Group, Error> {
        Ok(self.group_and_caller(member_key).await?.0)
    }

    /// Invites to a group with a code, or closes it. An earlier invitation ends at once: joining is
    /// a write on condition of the invitation that was read.
    ///
    /// # Errors
    ///
    /// [`Error::NoGroup`] or [`Error::NotMember`]; [`Error::GroupArchived`]; [`Error::KeyReused`].
    pub async fn set_invitation(
        &self,
        member_key: MemberKey,
        code: Option<&InvitationCode>,
        body: &Draft<()>,
        idempotency: &Idempotency<Group>,
    ) -> Result<Outcome<Group>, Error> {
        let group = member_key.group;
        self.write(Some(group), idempotency, || async {
            let ((before, _), ledger) =
                tokio::try_join!(self.group_and_caller(member_key), self.ledger(group))?;
            decide::set_invitation(member_key, code, body, before, ledger, idempotency.now())
        })
        .await
    }
}
