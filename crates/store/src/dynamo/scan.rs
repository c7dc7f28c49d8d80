//! Scans: reads of the whole table, which only the operators' tool makes.

use aws_sdk_dynamodb::types::ReturnConsumedCapacity::Total;
use fracti_core::{Error, row::Item};

use super::{
    client::{Db, failure, from_sdk, to_sdk},
    cost,
    expression::Expression,
    query::Position,
};

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
        let (names, values) = Expression::parameters([filter]);
        let request = self
            .client
            .scan()
            .table_name(&*self.table)
            .set_filter_expression(filter.text())
            .set_expression_attribute_names(names)
            .set_expression_attribute_values(values.map(to_sdk))
            .set_exclusive_start_key(after.map(Position::item).map(to_sdk))
            .return_consumed_capacity(Total);
        let output = cost::request(Box::pin(request.send())).await.map_err(failure)?;
        cost::read(&output.consumed_capacity);
        let items = output.items.unwrap_or_default().into_iter().map(from_sdk).collect();
        let next = output.last_evaluated_key.filter(|key| !key.is_empty()).map(from_sdk);
        Ok((items, next.map(Position::of)))
    }
}
