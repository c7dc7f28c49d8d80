//! The creation of an entity in a group, once for its idempotency key.

use std::{
    collections::BTreeSet,
    future::ready,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};

use fracti_core::{
    decisions::ledger_transaction::LedgerTransaction,
    group::{Group, Member, MemberKey},
    input::Error,
    ledger::Ledger,
    storage::write::WriteError,
    values::id::{GroupId, MemberId},
};

use crate::{
    table::Table,
    write::idempotency::{Idempotency, Outcome},
};

/// The attempts of one request, which reads a group and its ledger.
///
/// The first one reads all in parallel. A later one may follow a write that was answered meanwhile, so
/// it reads the ledger first, and then a group that is not older.
#[derive(Debug, Default)]
pub(crate) struct Attempts(AtomicBool);

impl Table {
    /// The ledger, if this attempt reads it first.
    pub(crate) async fn ledger_first(
        &self,
        attempts: &Attempts,
        group: GroupId,
    ) -> Result<Option<Ledger>, Error> {
        if attempts.0.swap(true, Relaxed) { self.ledger(group).await.map(Some) } else { Ok(None) }
    }

    /// Creates an entity in a group, once for its idempotency key. `create` decides by the group,
    /// its members, as [`Table::group_naming`] reads them, its ledger, and what `read` reads. The
    /// currency of the group, and whether a member is present or past, are those of the ledger.
    ///
    /// Each attempt reads in the order of [`Attempts`]. If several reads fail, the error of the group is
    /// returned.
    ///
    /// # Errors
    ///
    /// As [`Table::group_naming`], [`LedgerTransaction::new`] and [`Table::write`].
    pub(crate) async fn create_in_group<T, R, F>(
        &self,
        member_key: MemberKey,
        named: Option<&BTreeSet<MemberId>>,
        idempotency: &Idempotency<T>,
        read: impl Fn() -> F,
        create: impl Fn(
            &Group,
            &[Member],
            LedgerTransaction,
            R,
        ) -> Result<(LedgerTransaction, T), WriteError>,
    ) -> Result<Outcome<T>, Error>
    where
        F: Future<Output = Result<R, Error>>,
    {
        let unchecked = |_: &LedgerTransaction, _: &T| ready(Ok(()));
        self.create_checked_in_group(member_key, named, idempotency, read, (create, unchecked))
            .await
    }

    /// [`Table::create_in_group`], unless `check` refuses what `create` has created. What it reads is
    /// of the moment of the ledger if the transaction is committed.
    ///
    /// # Errors
    ///
    /// As [`Table::create_in_group`], and those of `check`.
    pub(crate) async fn create_checked_in_group<T, R, F, C>(
        &self,
        member_key: MemberKey,
        named: Option<&BTreeSet<MemberId>>,
        idempotency: &Idempotency<T>,
        read: impl Fn() -> F,
        (create, check): (
            impl Fn(
                &Group,
                &[Member],
                LedgerTransaction,
                R,
            ) -> Result<(LedgerTransaction, T), WriteError>,
            impl Fn(&LedgerTransaction, &T) -> C,
        ),
    ) -> Result<Outcome<T>, Error>
    where
        F: Future<Output = Result<R, Error>>,
        C: Future<Output = Result<(), Error>>,
    {
        let all = named.is_none_or(|named| named.iter().any(|member| member.guest().is_some()));
        let attempts = Attempts::default();
        self.write_to_group(member_key.group, idempotency, || async {
            let before = self.ledger_first(&attempts, member_key.group).await?;
            let (group, ledger, read) = tokio::join!(
                self.group_naming(member_key, named),
                self.ledger_unless(before, member_key.group),
                read(),
            );
            let ((group, members), ledger) = (group?, ledger?);
            // A guest may have been linked to a user who joined after the members were read.
            let (group, members) = if all && !ledger.links.are_among(&members) {
                self.group_naming(member_key, None).await?
            } else {
                (group, members)
            };
            let group = ledger.state.of_group(&group);
            let members = ledger.state.of(&members);
            let read = read?;
            let transaction = LedgerTransaction::new(member_key, ledger, idempotency.now())?;
            let (transaction, created) = create(&group, &members, transaction, read)?;
            check(&transaction, &created).await?;
            transaction.commit(created)
        })
        .await
    }
}
