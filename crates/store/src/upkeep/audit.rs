//! The audit of a group and the repair of what it finds, for the operators' tool.

use std::collections::{HashMap, HashSet};

use fracti_core::{
    group::group_state::GroupState,
    input::Error,
    ledger::{Ledger, balance::Balance},
    reports::audit::{Finding, Stored, audit, unmigrated},
    storage::{
        condition::Condition,
        keys::{self, Primary},
        row::{self, AttributeValue, Item},
        write::WriteError,
    },
    upkeep::mending::mending,
    v0,
    values::{id::GroupId, time::Timestamp},
};
use tokio::task::spawn_blocking;

use crate::{
    dynamo::{Page, Range, Retry},
    table::Table,
};

/// Rows that are read with one request, at most.
const AT_ONCE: usize = 1_000;

/// Maximum size of the rows of a partition that a request verifies, in bytes.
const MAX_VERIFIED: usize = 32 * 1024 * 1024;

/// Maximum number of findings that an error names.
const NAMED: usize = 20;

/// Number of times that the index of entries is read if it lacks some that the table has, before
/// they count as lost. An index usually lags by milliseconds.
const READS_OF_INDEX: u32 = 5;

/// What the audit of a group has found.
struct Audited {
    /// The balance row; `None` if it is lost or cannot be read.
    ledger: Option<Ledger>,
    findings: Vec<Finding>,
}

impl Table {
    /// Computes every row of a group that follows from others again, and returns what is wrong. Of
    /// a group that is not migrated, it only returns that.
    ///
    /// It reads all rows of the group and keeps them in memory. It does not check a membership: the
    /// caller must.
    ///
    /// # Errors
    ///
    /// [`Error::NoGroup`] if there is no row of the group at all; [`Error::Contended`] if others
    /// kept writing, so that no two reads were of one moment.
    pub async fn audit(&self, group: GroupId, now: Timestamp) -> Result<Vec<Finding>, Error> {
        self.audit_within(group, now, usize::MAX).await
    }

    /// Verifies a group as [`Table::audit`] does, for a request of a member, which has checked the
    /// membership.
    ///
    /// # Errors
    ///
    /// [`Error::Discrepancy`] with all findings; [`Error::TooMuchHistory`] if the rows of a
    /// partition have more than 32 MiB; otherwise as [`Table::audit`].
    pub async fn verify(&self, group: GroupId, now: Timestamp) -> Result<(), Error> {
        let findings = self.audit_within(group, now, MAX_VERIFIED).await?;
        if findings.is_empty() {
            return Ok(());
        }
        let described =
            findings.iter().map(|it| format!("{} {} {}", it.key.pk, it.key.sk, it.what));
        let mut described: Vec<_> = described.take(NAMED).collect();
        described.extend((findings.len() > NAMED).then(|| format!("{} in all", findings.len())));
        Err(Error::Discrepancy(described.join("; ").into()))
    }

    async fn audit_within(
        &self,
        group: GroupId,
        now: Timestamp,
        most: usize,
    ) -> Result<Vec<Finding>, Error> {
        let mut retry = Retry::new();
        loop {
            match Box::pin(self.audited(group, now, most)).await {
                Ok(audited) => return Ok(audited.findings),
                Err(WriteError::Fail(error)) => return Err(error),
                Err(WriteError::Retry) if retry.pause().await => {}
                Err(WriteError::Retry) => return Err(Error::Contended),
            }
        }
    }

    /// The version of a group's balance row, which each write under the group's lock changes.
    pub async fn group_version(&self, group: GroupId) -> Result<Option<AttributeValue>, Error> {
        let balance = self.db.item(keys::balance(group)).await?;
        Ok(balance.and_then(|mut row| row.remove("version")))
    }

    /// Mends rows of a group that the audit finds, as many as fit into one transaction under the
    /// group's lock, and returns them. There are none once nothing is left that can be mended.
    ///
    /// # Errors
    ///
    /// As [`Table::audit`].
    pub async fn mend(&self, group: GroupId, now: Timestamp) -> Result<Vec<Finding>, Error> {
        self.work(Some(group), "mend", now, async |_| {
            let Audited { ledger, findings } =
                Box::pin(self.audited(group, now, usize::MAX)).await?;
            Ok(mending(group, ledger.as_ref(), findings)?)
        })
        .await
    }

    /// Reads all rows of a group at one moment, and compares them.
    async fn audited(
        &self,
        group: GroupId,
        now: Timestamp,
        most: usize,
    ) -> Result<Audited, WriteError> {
        let before = self.db.item(keys::balance(group)).await?;
        let ledger = before.clone().map(row::from_item::<Balance>).transpose();
        let ledger = ledger.ok().flatten().map(|row| row.ledger);
        let stored = self.stored(group, most).await?;
        let after = self.db.item(keys::balance(group)).await?;
        if before != after {
            return Err(WriteError::Retry);
        }
        let Stored { records, ledger: of_ledger, entries, .. } = &stored;
        if records.is_empty() && of_ledger.is_empty() && entries.is_empty() {
            return Err(Error::NoGroup.into());
        }
        let row = records.iter().find(|row| is_group(row));
        let state = ledger.as_ref().map(|ledger| ledger.state.clone());
        let state = state.unwrap_or_else(|| GroupState::first(group));
        // The last step of a migration writes the group's row. The balance row may be lost.
        let is_migrated = before.is_none() && row.is_some_and(|row| !v0::is_v0(row));
        if state.needs_migration(group) && !is_migrated {
            return Ok(Audited { ledger, findings: vec![unmigrated(group, row)] });
        }
        // The computation is long, and must not block this thread.
        let findings = spawn_blocking(move || audit(group, stored, now)).await;
        let findings = findings.map_err(|error| Error::Table(error.into()))?;
        Ok(Audited { ledger, findings })
    }

    /// All rows of a group.
    async fn stored(&self, group: GroupId, most: usize) -> Result<Stored, Error> {
        let by_time = Range::whole(Some("GSI1"), keys::entries_of(group));
        let of_group = Range::whole(None, keys::group_partition(group));
        let of_ledger = Range::whole(None, keys::ledger_partition(group));
        let every = Condition::default();
        let (records, ledger) = tokio::try_join!(
            self.every_row_within(&of_group, &every, most),
            self.every_row_within(&of_ledger, &every, most)
        )?;
        let mut stored = Stored { records, ledger, ..Stored::default() };
        let mut retry = Retry::new();
        for _ in 0..READS_OF_INDEX {
            stored.entries =
                self.rows_of_table(self.every_row_within(&by_time, &every, most).await?).await?;
            let partitions = stored.partitions_to_search(group);
            let is_whole = partitions.is_empty();
            for partition in partitions {
                let partition = Range::whole(None, partition);
                let found = self.every_row_within(&partition, &every, most).await?;
                let known: HashSet<_> = stored.entries.iter().filter_map(Primary::of).collect();
                let is_new = |row: &Item| Primary::of(row).is_some_and(|key| !known.contains(&key));
                stored.entries.extend(found.into_iter().filter(is_new));
            }
            if is_whole || stored.partitions_to_search(group).is_empty() || !retry.pause().await {
                break;
            }
        }
        stored.hashes = self.db.items_at(stored.hashes_named()).await?;
        Ok(stored)
    }

    /// The rows of a range, read in pages.
    pub(crate) async fn every_row(&self, range: &Range) -> Result<Vec<Item>, Error> {
        self.every_row_where(range, &Condition::default()).await
    }

    /// The rows of a range that fulfil a condition, read in pages.
    pub(crate) async fn every_row_where(
        &self,
        range: &Range,
        filter: &Condition,
    ) -> Result<Vec<Item>, Error> {
        self.every_row_within(range, filter, usize::MAX).await
    }

    /// The rows of a range that fulfil a condition, of at most about `most` bytes.
    ///
    /// # Errors
    ///
    /// [`Error::TooMuchHistory`] if there are more.
    async fn every_row_within(
        &self,
        range: &Range,
        filter: &Condition,
        most: usize,
    ) -> Result<Vec<Item>, Error> {
        let mut rows = Vec::new();
        let mut size = 0_usize;
        let keep = |items: Vec<Item>| {
            size = items.iter().map(row::size).fold(size, usize::saturating_add);
            rows.extend(items);
            if size > most { Err(Error::TooMuchHistory) } else { Ok(()) }
        };
        self.every_page(range, filter, keep).await?;
        Ok(rows)
    }

    /// Calls `take` with each page of the rows of a range that fulfil a condition, until it fails.
    pub(crate) async fn every_page(
        &self,
        range: &Range,
        filter: &Condition,
        mut take: impl FnMut(Vec<Item>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut after = None;
        loop {
            let page = Page { limit: AT_ONCE, after };
            let (items, ended) = self.db.items(range, &page, filter).await?;
            after = items.last().map(|item| range.position_of(item));
            take(items)?;
            if ended || after.is_none() {
                return Ok(());
            }
        }
    }

    /// The rows of an index as the table has them. An index that lags may have a row that was just
    /// replaced by another one of the same sequence.
    async fn rows_of_table(&self, rows: Vec<Item>) -> Result<Vec<Item>, Error> {
        let mut of_sequence: HashMap<String, usize> = HashMap::new();
        let sequence = |row: &Item| match row.get("sequence") {
            Some(AttributeValue::N(number)) => number.clone(),
            _ => String::new(),
        };
        for row in &rows {
            let count = of_sequence.entry(sequence(row)).or_default();
            *count = count.saturating_add(1);
        }
        let mut current = Vec::new();
        for row in rows {
            let is_only = of_sequence.get(&sequence(&row)) == Some(&1);
            match Primary::of(&row).filter(|_| !is_only) {
                Some(key) => current.extend(self.db.item(key).await?),
                None => current.push(row),
            }
        }
        Ok(current)
    }
}

fn is_group(row: &Item) -> bool {
    matches!(row.get("SK"), Some(AttributeValue::S(key)) if key == keys::METADATA)
}
