//! A user's targets.

use crate::{
    decisions::decision::Decision,
    input::{Draft, Error},
    personal::targets::{Targets, TargetsUpdate},
    storage::{
        condition::Condition,
        row,
        write::{Transaction, Write, WriteError},
    },
    values::time::Timestamp,
};

/// Changes the targets of a user.
pub fn update(
    update: &Draft<TargetsUpdate>,
    before: &Targets,
    now: Timestamp,
) -> Result<Decision<Targets>, WriteError> {
    let after = update.apply(before, now)?;
    if after == *before {
        return Ok(Decision::Done(after));
    }
    let put = Write::put(&after)?.when(unchanged(before)?);
    Ok(Decision::Write(Transaction::from_iter([put]), after))
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
