//! A user's targets.

use fracti_core::{
    decisions::targets as decide,
    input::{Draft, Error},
    personal::targets::{Targets, TargetsUpdate},
    storage::keys,
    values::id::UserId,
};

use crate::{
    table::Table,
    write::idempotency::{Idempotency, Outcome},
};

impl Table {
    /// The targets of a user.
    pub async fn targets(&self, user: UserId) -> Result<Targets, Error> {
        let stored = self.db.get(keys::targets(user)).await?;
        Ok(stored.unwrap_or_else(|| Targets::none(user)))
    }

    /// Changes the targets of a user.
    ///
    /// # Errors
    ///
    /// [`Error::VersionConflict`]; [`Error::Invalid`] or [`Error::Unreadable`].
    pub async fn update_targets(
        &self,
        user: UserId,
        update: &Draft<TargetsUpdate>,
        idempotency: &Idempotency<Targets>,
    ) -> Result<Outcome<Targets>, Error> {
        self.write(None, idempotency, || async {
            let before = self.targets(user).await?;
            decide::update(update, &before, idempotency.now())
        })
        .await
    }
}
