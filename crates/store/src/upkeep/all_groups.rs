//! The groups of the whole table, for the operators' tool.

use fracti_core::{
    Error,
    id::GroupId,
    keys::{self, prefix},
    row::{self, AttributeValue},
};

use crate::{
    dynamo::{Expression, Position},
    table::Table,
};

impl Table {
    /// Groups in the next part of the table, and the position after it, unless the table ends
    /// there. Groups that were created in the last second may be missing.
    pub async fn all_groups(
        &self,
        after: Option<Position>,
    ) -> Result<(Vec<GroupId>, Option<Position>), Error> {
        let metadata = Expression::equal("SK", row::to_value(&keys::METADATA)?);
        let (rows, next) = self.db.scan_where(&metadata, after).await?;
        let group = |row: row::Item| match row.get("PK")? {
            AttributeValue::S(key) => key.strip_prefix(prefix::GROUP)?.parse().ok(),
            _ => None,
        };
        Ok((rows.into_iter().filter_map(group).collect(), next))
    }
}
