//! A user's targets.

use fracti_core::{Error, id::UserId, keys, targets::Targets};

use crate::table::Table;

impl Table {
    /// The targets of a user.
    ///
    /// # Errors
    ///
    /// [`Error::Unavailable`] or [`Error::Table`].
    pub async fn targets(&self, user: UserId) -> Result<Targets, Error> {
        let stored = self.db.get(keys::targets(user)).await?;
        Ok(stored.unwrap_or_else(|| Targets::none(user)))
    }
}
