//! Rewrites rows of users that are in an earlier format, for the operators' tool.

use fracti_core::{
    input::Error,
    storage::{
        condition::Condition,
        keys::{Primary, prefix},
        row::Item,
    },
    upkeep::standardising::{is_old, standardised},
    values::time::Timestamp,
};

use crate::{dynamo::Position, table::Table};

impl Table {
    /// Keys of the rows of users in the next part of the table that are in an earlier format, and
    /// the position after it, unless the table ends there.
    pub async fn old_rows(
        &self,
        after: Option<Position>,
    ) -> Result<(Vec<Primary>, Option<Position>), Error> {
        let of_users = Condition::begins_with("PK", prefix::MEMBER);
        let (rows, next) = self.db.scan_where(&of_users, after).await?;
        let old = |row: Item| Primary::of(&row).filter(|key| is_old(&key.sk, &row));
        Ok((rows.into_iter().filter_map(old).collect(), next))
    }

    /// Writes a row of a user in the present format if it is in an earlier one, and returns whether
    /// it was. Every write of the API sets the format or the version of a row, so none is lost.
    ///
    /// # Errors
    ///
    /// [`Error::Table`] if the row cannot be read; [`Error::Contended`] or [`Error::Unavailable`].
    pub async fn standardise(&self, key: &Primary, now: Timestamp) -> Result<bool, Error> {
        self.work(None, "standardise", now, |_| async {
            Ok(standardised(key, self.db.item(key.clone()).await?, now)?)
        })
        .await
    }
}
