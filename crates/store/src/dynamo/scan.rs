//! Scans: reads of the whole table, which only the operators' tool makes.

use aws_sdk_dynamodb::types::ReturnConsumedCapacity::Total;
use fracti_core::{input::Error, storage::row::Item};

use super::{
    client::{Db, failure, from_sdk, to_sdk},
    cost,
    expression::Expression,
    query::Position,
};

/// One of several segments of the table, which can be scanned at the same time. All rows of a
/// partition are in one segment.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    /// Its number, from 0.
    pub number: i32,
    /// The number of segments.
    pub count: i32,
}

impl Segment {
    /// The whole table.
    pub(crate) const WHOLE: Self = Self { number: 0, count: 1 };

    const fn of_several(self) -> bool {
        self.count > 1
    }
}

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
        filter: &Expression,
        after: Option<Position>,
    ) -> Result<(Vec<Item>, Option<Position>), Error> {
        let scan = self.scan_segment(filter, None, after, Segment::WHOLE).await?;
        Ok((scan.items, scan.next))
    }

    /// Like [`Db::scan_where`], for one segment of the table. The rows have only their keys.
    pub(crate) async fn scan_keys(
        &self,
        filter: &Expression,
        after: Option<Position>,
        segment: Segment,
    ) -> Result<Scan, Error> {
        self.scan_segment(filter, Some("PK, SK"), after, segment).await
    }

    async fn scan_segment(
        &self,
        filter: &Expression,
        attributes: Option<&str>,
        after: Option<Position>,
        segment: Segment,
    ) -> Result<Scan, Error> {
        let (names, values) = Expression::parameters([filter]);
        let request = self
            .client
            .scan()
            .table_name(&*self.table)
            .set_filter_expression(filter.text())
            .set_projection_expression(attributes.map(str::to_owned))
            .set_expression_attribute_names(names)
            .set_expression_attribute_values(values.map(to_sdk))
            .set_segment(segment.of_several().then_some(segment.number))
            .set_total_segments(segment.of_several().then_some(segment.count))
            .set_exclusive_start_key(after.map(Position::item).map(to_sdk))
            .return_consumed_capacity(Total);
        let output = cost::request(Box::pin(request.send())).await.map_err(failure)?;
        cost::read(&output.consumed_capacity);
        let items = output.items.unwrap_or_default().into_iter().map(from_sdk).collect();
        let next = output.last_evaluated_key.filter(|key| !key.is_empty()).map(from_sdk);
        let examined = u64::try_from(output.scanned_count).unwrap_or_default();
        Ok(Scan { items, examined, next: next.map(Position::of) })
    }
}
