//! The first steps: expenses and settlements in order of time.

use crate::{input::Error, v0};

use super::{
    Migration, MigrationFinding, MigrationState, MigrationStep, Planned,
    candidates::{Candidate, V0Kind},
    chunk::{Added, Chunk},
    conversion::Converted,
    entity::KnownRows,
};

impl Planned {
    /// The migration of candidates, as many as fit into one transaction.
    ///
    /// # Errors
    ///
    /// [`Error::Table`] if a row cannot be read or written.
    pub fn records(
        migration: &Migration,
        state: MigrationState,
        candidates: Vec<Candidate>,
        converted: Converted,
        mut known: KnownRows,
    ) -> Result<Self, Error> {
        let id = migration.group;
        let mut next = migration.clone();
        let mut findings = Vec::new();
        let mut chunk = Chunk::new(id, state.ledger.clone(), &converted.missing_members);
        for (candidate, entity) in candidates.into_iter().zip(converted.entities) {
            let part = match &entity {
                Ok(entity) => entity.part(&candidate, &converted.members, &known)?,
                Err(anomaly) => Err(anomaly.clone()),
            };
            let added = match part {
                Ok(part) => chunk.add(part)?,
                Err(anomaly) => Added::Never(anomaly),
            };
            match (added, entity) {
                (Added::Full, _) => break,
                (Added::Yes, Ok(entity)) => {
                    findings.extend(entity.findings(&candidate.key, &known));
                    known.note(&entity);
                    if let Some(trial) = &mut next.trial {
                        trial.note(&entity);
                    }
                }
                (Added::Never(anomaly), _) | (Added::Yes, Err(anomaly)) => {
                    findings.push(MigrationFinding::anomaly(candidate.key.clone(), anomaly));
                }
            }
            let [expense, settlement] = &mut next.after;
            let after = match candidate.kind {
                V0Kind::Expense => expense,
                V0Kind::Settlement => settlement,
            };
            *after = Some(candidate.key);
        }
        // The row of a v0 group gets the number of its members in the last step.
        let transaction = chunk.transaction(!v0::is_v0(&state.group_row))?;
        let counts = chunk.counts;
        let ledger = chunk.ledger.clone();
        if let Some(trial) = &mut next.trial {
            trial.missing_members.extend(chunk.introduced);
        }
        let step = MigrationStep { counts, findings, done: false, next };
        Ok(Self { group: id, transaction, read: state.ledger, next: ledger, step })
    }
}
