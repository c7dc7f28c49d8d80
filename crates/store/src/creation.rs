//! The creation of an entity in a group, once for its idempotency key.

use std::collections::BTreeSet;

use fracti_core::{
    Error,
    group::{Group, Member},
    id::MemberId,
    time::Timestamp,
};
use tokio::sync::OnceCell;

use crate::{
    access::MemberKey,
    dynamo::TransactionError,
    idempotency::{Idempotency, Outcome},
    ledger::LedgerTransaction,
    table::Table,
};

impl Table {
    /// Creates an entity in a group, once for its idempotency key. `create` decides by the group,
    /// its members, as [`Table::group_naming`] reads them, its ledger, and what `read` reads. Each
    /// member is present or past as of the ledger.
    ///
    /// Only the first attempt reads the group, because a lost race means that the ledger has
    /// changed. If several reads fail, the error of the group is returned.
    ///
    /// # Errors
    ///
    /// As [`Table::group_naming`], [`LedgerTransaction::new`] and [`Table::write`].
    pub(crate) async fn create_in_group<T, R, F>(
        &self,
        member_key: MemberKey,
        named: Option<&BTreeSet<MemberId>>,
        now: Timestamp,
        idempotency: &Idempotency<T>,
        read: impl Fn() -> F,
        create: impl Fn(
            &Group,
            &[Member],
            LedgerTransaction,
            R,
        ) -> Result<(LedgerTransaction, T), TransactionError>,
    ) -> Result<Outcome<T>, Error>
    where
        F: Future<Output = Result<R, Error>>,
    {
        let all = named.is_none_or(|named| named.iter().any(|member| member.guest().is_some()));
        let known = OnceCell::new();
        let group = || known.get_or_try_init(|| self.group_naming(member_key, named));
        let prepare = async { group().await.map(|_| ()) };
        self.write_to_group_prepared(member_key.group, prepare, idempotency, || async {
            let (group, ledger, read) =
                tokio::join!(group(), self.ledger(member_key.group), read());
            let ((group, members), ledger) = (group?, ledger?);
            // A guest may have been linked to a user who joined after the members were read.
            let renewed;
            let (group, members) = if all && !ledger.links.are_among(members) {
                renewed = self.group_naming(member_key, None).await?;
                (&renewed.0, &renewed.1)
            } else {
                (group, members)
            };
            let members = ledger.presence.of(members);
            let read = read?;
            let transaction = LedgerTransaction::new(member_key, ledger, now)?;
            let (transaction, created) = create(group, &members, transaction, read)?;
            transaction.commit(created)
        })
        .await
    }
}
