//! Invitations to a group, with which it is joined once a member has made one.

use fracti_core::{
    decisions::{decision::Decision, ledger_transaction::LedgerTransaction},
    group::{Group, Invitation, InvitationCode, MemberKey},
    input::{Draft, Error},
    records::group_change::{ChangeKind, Subject},
    storage::{keys, row, write::Write},
};

use crate::{
    group::settings::unchanged,
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
        let invitation = code.map_or(Invitation::Closed, |code| Invitation::Code(code.hash()));
        self.write_to_group(group, idempotency, || async {
            let ((before, _), ledger) =
                tokio::try_join!(self.group_and_caller(member_key), self.ledger(group))?;
            let mut transaction = LedgerTransaction::new(member_key, ledger, idempotency.now())?;
            body.checked()?;
            if before.invitation == Some(invitation) {
                return Ok(Decision::Done(before));
            }
            let after = Group {
                invitation: Some(invitation),
                invitation_code: code.cloned(),
                ..before.clone()
            };
            let values = [
                ("invitation", Some(row::to_value(&after.invitation)?)),
                ("invitationCode", code.map(row::to_value).transpose()?),
            ];
            let update = Write::update(keys::group(group), values);
            transaction.add(update.when(unchanged(&before)?));
            transaction.tell(Subject::group(ChangeKind::GroupChanged, &after));
            transaction.commit(after)
        })
        .await
    }
}
