//! Invitations to a group, with which it is joined once a member has made one.

use fracti_core::{
    group::{Group, Invitation, Member},
    input::{Draft, Error},
    records::group_change::{ChangeKind, Subject},
    storage::{keys, row},
};

use crate::{
    dynamo::Write,
    group::settings::unchanged,
    ledger::LedgerTransaction,
    table::{Table, access::MemberKey},
    write::{
        commit::Decision,
        idempotency::{Idempotency, Outcome},
    },
};

impl Table {
    /// Sets how a group is joined from now on. An earlier invitation ends at once: joining is a
    /// write on condition of the invitation that was read.
    ///
    /// # Errors
    ///
    /// [`Error::NoGroup`] or [`Error::NotMember`]; [`Error::GroupArchived`]; [`Error::KeyReused`].
    pub async fn set_invitation(
        &self,
        member_key: MemberKey,
        invitation: Invitation,
        body: &Draft<()>,
        idempotency: &Idempotency<Group>,
    ) -> Result<Outcome<Group>, Error> {
        let MemberKey { group, user } = member_key;
        self.write_to_group(group, idempotency, || async {
            let ((before, caller), ledger) =
                tokio::try_join!(self.group_and_member(group, user.into()), self.ledger(group))?;
            Member::require_present(caller)?;
            let mut transaction = LedgerTransaction::new(member_key, ledger, idempotency.now())?;
            body.checked()?;
            if before.invitation == Some(invitation) {
                return Ok(Decision::Done(before));
            }
            let after = Group { invitation: Some(invitation), ..before.clone() };
            let value = [("invitation", Some(row::to_value(&after.invitation)?))];
            let update = Write::update(keys::group(group), value);
            transaction.add(update.when(unchanged(&before)?));
            transaction.tell(Subject::group(ChangeKind::GroupChanged, &after));
            transaction.commit(after)
        })
        .await
    }
}
