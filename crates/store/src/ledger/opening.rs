//! What most writes to a group read: the group, its members and its ledger.

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};

use fracti_core::{
    decisions::ledger_transaction::LedgerTransaction,
    group::{Group, Member, MemberKey},
    input::Error,
    ledger::Ledger,
    values::{
        id::{GroupId, MemberId},
        time::Timestamp,
    },
};
use tokio::sync::OnceCell;

use crate::table::Table;

/// The attempts of one request, which reads a group and its ledger.
///
/// The first one reads all in parallel. A later one may follow a write that was answered meanwhile,
/// so it reads the ledger first, and then a group that is not older.
#[derive(Debug, Default)]
pub(crate) struct Attempts(AtomicBool);

/// A group and its members, the transaction on its ledger, and what else was read.
pub(crate) type Opened<R> = ((Group, Vec<Member>), LedgerTransaction, R);

impl Table {
    /// The ledger, if this attempt reads it first.
    pub(crate) async fn ledger_first(
        &self,
        attempts: &Attempts,
        group: GroupId,
    ) -> Result<Option<Ledger>, Error> {
        if attempts.0.swap(true, Relaxed) { self.ledger(group).await.map(Some) } else { Ok(None) }
    }

    /// Opens the ledger of a group for an attempt, and reads the group, its members, as
    /// [`Table::group_naming`] reads them, and what `read` reads. The currency of the group, and
    /// whether a member is present or past, are those of the ledger.
    ///
    /// Each attempt reads in the order of [`Attempts`]. If several reads fail, the error of the
    /// group is returned.
    ///
    /// # Errors
    ///
    /// As [`Table::group_naming`] and [`LedgerTransaction::new`].
    pub(crate) async fn open<R>(
        &self,
        attempts: &Attempts,
        member_key: MemberKey,
        named: Option<&BTreeSet<MemberId>>,
        now: Timestamp,
        read: impl Future<Output = Result<R, Error>>,
    ) -> Result<Opened<R>, Error> {
        let ledger = OnceCell::new_with(self.ledger_first(attempts, member_key.group).await?);
        self.open_with(&ledger, member_key, named, now, read).await
    }

    /// [`Table::open`], with a ledger that `read` may read, too: it is read once.
    ///
    /// # Errors
    ///
    /// As [`Table::open`].
    pub(crate) async fn open_with<R>(
        &self,
        ledger: &OnceCell<Ledger>,
        member_key: MemberKey,
        named: Option<&BTreeSet<MemberId>>,
        now: Timestamp,
        read: impl Future<Output = Result<R, Error>>,
    ) -> Result<Opened<R>, Error> {
        let (group, ledger, read) = tokio::join!(
            self.group_naming(member_key, named),
            ledger.get_or_try_init(|| self.ledger(member_key.group)),
            read,
        );
        let ((group, members), ledger) = (group?, ledger?);
        let all = named.is_none_or(|named| named.iter().any(|member| member.guest().is_some()));
        // A guest may have been linked to a user who joined after the members were read.
        let (group, members) = if all && !ledger.links.are_among(&members) {
            self.group_naming(member_key, None).await?
        } else {
            (group, members)
        };
        let seen = (ledger.state.of_group(&group), ledger.state.of(&members));
        let read = read?;
        Ok((seen, LedgerTransaction::new(member_key, ledger.clone(), now)?, read))
    }
}
