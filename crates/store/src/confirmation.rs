//! Confirmation of a write whose answer was lost: the new row that shows that it was committed.

use std::iter;

use fracti_core::{
    Error,
    keys::{self, Primary},
};

use crate::{
    dynamo::{Sdk, SdkItem},
    table::Table,
};

/// Attributes that a row keeps from its first write to its last.
const CONSTANT: [&str; 6] = ["id", "sequence", "createdAt", "actorId", "joinedAt", "settlementId"];

impl Table {
    /// Whether `row`, which a transaction put as a new one, is in the table. The row of an entry is
    /// also looked for in its history.
    pub(crate) async fn is_written(&self, row: &SdkItem) -> Result<bool, Error> {
        let Some(Primary { pk, sk }) = Primary::of::<Sdk>(row) else { return Ok(false) };
        let sequence = row.get("sequence").and_then(|sequence| sequence.as_n().ok());
        let past = sequence.filter(|_| sk == keys::CURRENT);
        let past = past.map(|sequence| keys::history_position(sequence));
        for sk in iter::once(sk).chain(past) {
            let found = self.db.sdk_item(Primary { pk: pk.clone(), sk }).await?;
            if found.is_some_and(|found| is_same(row, &found)) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Whether two rows come from one write: they agree in all constant attributes.
fn is_same(row: &SdkItem, found: &SdkItem) -> bool {
    CONSTANT.iter().all(|name| row.get(*name) == found.get(*name))
}
