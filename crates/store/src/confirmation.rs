//! Confirmation of a write whose answer was lost: the new row that shows that it was committed.

use fracti_core::{
    Error,
    keys::{self, Primary},
    row::{AttributeValue, Item},
};

use crate::table::Table;

/// Attributes that a row keeps from its first write to its last.
const CONSTANT: [&str; 6] = ["id", "sequence", "createdAt", "actorId", "joinedAt", "settlementId"];

impl Table {
    /// Whether `row`, which a transaction put as a new one, is in the table. The row of an entry is
    /// also looked for in its history.
    pub(crate) async fn is_written(&self, row: &Item) -> Result<bool, Error> {
        let (Some(AttributeValue::S(pk)), Some(AttributeValue::S(sk))) =
            (row.get("PK"), row.get("SK"))
        else {
            return Ok(false);
        };
        let past = match row.get("sequence") {
            Some(AttributeValue::N(sequence)) if sk == keys::CURRENT => {
                Some(keys::history_position(sequence))
            }
            _ => None,
        };
        for sk in [Some(sk.clone()), past].into_iter().flatten() {
            let found = self.db.item(Primary { pk: pk.clone(), sk }).await?;
            if found.is_some_and(|found| is_same(row, &found)) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Whether two rows come from one write: they agree in all constant attributes.
fn is_same(row: &Item, found: &Item) -> bool {
    CONSTANT.iter().all(|name| row.get(*name) == found.get(*name))
}
