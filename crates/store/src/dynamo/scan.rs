//! Scans: reads of the whole table, which only the operators' tool makes.

use fracti_core::{
    input::Error,
    storage::{condition::Condition, row::Item},
};

use super::{
    client::Db,
    range::Position,
    requests::{Found, Segment, TableScan},
};

/// The rows among the next megabyte of a scan that fulfil a condition.
#[derive(Debug)]
pub(crate) struct Scan {
    pub(crate) items: Vec<Item>,
    /// Number of rows that were read, whether they fulfil the condition or not.
    pub(crate) examined: u64,
    pub(crate) next: Option<Position>,
}

impl Db {
    /// The rows among the next megabyte of the table that fulfil a condition, and the position
    /// after them, unless the table ends there.
    ///
    /// The read is eventually consistent: it may miss the changes of the last second.
    ///
    /// <https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Scan.html>
    pub(crate) async fn scan_where(
        &self,
        filter: &Condition,
        after: Option<Position>,
    ) -> Result<(Vec<Item>, Option<Position>), Error> {
        let scan = self.scan_segment(filter, false, after, Segment::WHOLE).await?;
        Ok((scan.items, scan.next))
    }

    /// Like [`Db::scan_where`], for one segment of the table. The rows have only their keys.
    pub(crate) async fn scan_keys(
        &self,
        filter: &Condition,
        after: Option<Position>,
        segment: Segment,
    ) -> Result<Scan, Error> {
        self.scan_segment(filter, true, after, segment).await
    }

    async fn scan_segment(
        &self,
        filter: &Condition,
        only_keys: bool,
        after: Option<Position>,
        segment: Segment,
    ) -> Result<Scan, Error> {
        let scan = TableScan { filter, only_keys, after, segment };
        let Found { items, examined, next } = self.requests.scan(scan).await?;
        Ok(Scan { items, examined, next: next.map(Position::of) })
    }
}
