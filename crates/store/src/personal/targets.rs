//! A user's targets.

use fracti_core::{
    decisions::decision::Decision,
    input::{Draft, Error},
    personal::targets::{Targets, TargetsUpdate},
    storage::{
        condition::Condition,
        keys, row,
        write::{Transaction, Write},
    },
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
        self.write(idempotency, || async {
            let before = self.targets(user).await?;
            let after = update.apply(&before, idempotency.now())?;
            if after == before {
                return Ok(Decision::Done(after));
            }
            let put = Write::put(&after)?.when(unchanged(&before)?);
            Ok(Decision::Write(Transaction::from_iter([put]), after))
        })
        .await
    }
}

/// The targets have the version that was read, in either spelling.
fn unchanged(targets: &Targets) -> Result<Condition, Error> {
    let version = row::to_value(&targets.version)?;
    let same =
        Condition::equal("version", version.clone()).or(Condition::equal("Version", version));
    // The first version is also that of a row that does not exist.
    Ok(if targets.version == 1 {
        same.or(Condition::without("version").and(Condition::without("Version")))
    } else {
        same
    })
}
