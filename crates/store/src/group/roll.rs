//! The members of a group against what is stored of them elsewhere, for the operators' tool.

use fracti_core::{
    group::Group,
    input::Error,
    ledger::Ledger,
    reports::roll::Roll,
    storage::{keys, row},
    values::{id::GroupId, time::Timestamp},
};

use crate::{
    dynamo::{Expression, Retry, Transaction, TransactionError, Write},
    group::presence::change_member,
    table::Table,
    write::commit::Decision,
};

/// Maximum number of members that one transaction corrects. It also writes the group and
/// the balance row.
const MAX_CORRECTED: usize = Transaction::ROOM - 2;

impl Table {
    /// Checks that a group exists, whether its row can be read or not.
    ///
    /// # Errors
    ///
    /// [`Error::NoGroup`].
    pub async fn require_group(&self, group: GroupId) -> Result<(), Error> {
        self.db.item(keys::group(group)).await?.map(drop).ok_or(Error::NoGroup)
    }

    /// Compares the number of a group's members, and their links, with the members and the ledger. A
    /// group with v0 rows, whose migration counts its members, is left out.
    ///
    /// It does not check a membership: the caller must.
    ///
    /// # Errors
    ///
    /// [`Error::Discrepancy`]; [`Error::NoGroup`]; [`Error::Contended`] if others kept writing, so
    /// that no two reads were of one moment.
    pub async fn verify_members(&self, group: GroupId) -> Result<(), Error> {
        let mut retry = Retry::new();
        loop {
            match self.roll(group).await {
                Ok((_, _, roll)) => {
                    return roll.check().map_err(|what| Error::Discrepancy(what.into()));
                }
                Err(TransactionError::Fail(error)) => return Err(error),
                Err(TransactionError::Retry) if retry.pause().await => {}
                Err(TransactionError::Retry) => return Err(Error::Contended),
            }
        }
    }

    /// Corrects the number of a group's members and their links, and returns what was different. At
    /// most 97 members are corrected: if there are as many, more may remain. A trial run writes
    /// nothing. Members without a row are only returned.
    ///
    /// # Errors
    ///
    /// [`Error::NoGroup`].
    pub async fn correct_members(
        &self,
        group: GroupId,
        now: Timestamp,
        trial: bool,
    ) -> Result<Roll, Error> {
        self.work_on_group(group, "correct-members", now, async || {
            let (ledger, stored, mut roll) = self.roll(group).await?;
            roll.links.truncate(MAX_CORRECTED);
            let mut transaction = Transaction::default();
            for (read, right) in &roll.links {
                let guests = (!right.guests.is_empty()).then(|| row::to_value(&right.guests));
                let links = [
                    ("linkedTo", right.linked_to.map(|user| row::to_value(&user)).transpose()?),
                    ("guests", guests.transpose()?),
                ];
                transaction.add(change_member(group, read, links)?);
            }
            if let Some(count) = roll.count {
                let count = [("memberCount", Some(row::to_value(&count)?))];
                let as_read =
                    Expression::equal("memberCount", row::to_value(&stored.member_count)?);
                let update = Write::update(keys::group(group), count);
                transaction.add(update.when(as_read));
            }
            if trial {
                return Ok(Decision::Done(roll));
            }
            Decision::locked(group, &ledger, transaction, roll)
        })
        .await
    }

    /// The ledger and the row of a group, and what differs, as of one moment.
    async fn roll(&self, group: GroupId) -> Result<(Ledger, Group, Roll), TransactionError> {
        let (ledger, stored) =
            tokio::try_join!(self.ledger(group), self.db.get::<Group>(keys::group(group)))?;
        let stored = stored.ok_or(Error::NoGroup)?;
        if ledger.state.needs_migration(group) {
            let roll = Roll { count: None, links: Vec::new(), missing: Vec::new() };
            return Ok((ledger, stored, roll));
        }
        let members = self.members(group, &Expression::default()).await?;
        if self.ledger(group).await?.version != ledger.version {
            return Err(TransactionError::Retry);
        }
        let roll = Roll::of(&stored, &members, &ledger);
        Ok((ledger, stored, roll))
    }
}
