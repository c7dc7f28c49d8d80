//! The update by a later file: what has changed in the app is edited, and what is gone is deleted,
//! each in a transaction of its own.

use fracti_core::{
    decisions::{
        decision::Decision,
        imports::{
            Imported, Run, SeenImport,
            replacing::{Replacement, SeenRecorded},
        },
    },
    input::Error,
    records::{
        entry::Entry,
        expense::Expense,
        import::{ImportRow, Record},
        settlement::Settlement,
    },
    storage::{keys, write::WriteError},
};

use super::Ended;
use crate::{
    dynamo::is_late,
    table::Table,
    write::idempotency::{Known, Outcome},
};

impl Table {
    /// Edits and deletes what an update replaces, until the deadline or until one of them is
    /// refused after others were done.
    pub(super) async fn replace_all(
        &self,
        run: &mut Run<'_>,
        replacements: &[Replacement],
        mut done: Imported,
        known: &mut Known,
    ) -> Result<Outcome<(Ended, Imported)>, Error> {
        for (before, after) in replacements {
            let current = &*run;
            let attempt = || self.replace_recorded(current, (before, after.as_ref()), &done);
            let group = run.member_key.group;
            done = match self.write_part(Some(group), known, |_| None, attempt).await {
                Ok(Outcome::Done(Some((done, version)))) => {
                    run.version = version;
                    done
                }
                Ok(Outcome::Done(None)) => return Ok(Outcome::Done((Ended::Outdated, done))),
                Ok(Outcome::Replayed(stored)) => return Ok(Outcome::Replayed(stored)),
                Err(error) if error.is_refusal() && done.has_begun() => {
                    return Ok(Outcome::Done((Ended::Stopped, done)));
                }
                Err(error) => return Err(error),
            };
            if is_late() {
                return Ok(Outcome::Done((Ended::Stopped, done)));
            }
        }
        Ok(Outcome::Done((Ended::Complete, done)))
    }

    /// Reads what an earlier import has recorded, and decides what becomes of it. `None` if what
    /// was decided has become wrong.
    async fn replace_recorded(
        &self,
        run: &Run<'_>,
        (before, after): (&Record, Option<&Record>),
        done: &Imported,
    ) -> Result<Decision<Option<(Imported, u64)>>, WriteError> {
        let group = run.member_key.group;
        let hash = async {
            match before {
                Record::Settlement(it) if after.is_none() => self.used_hash(it).await,
                Record::Expense(_) | Record::Settlement(_) | Record::Adjustment(_) => Ok(None),
            }
        };
        let (ledger, row, entry, is_same, hash) = tokio::try_join!(
            Box::pin(self.ledger(group)),
            self.db.get::<ImportRow>(keys::import(group, run.new.id)),
            self.db.get::<Entry>(keys::entry(group, &before.entry_id())),
            self.has_still(before),
            hash,
        )?;
        if !self.holds(run, &ledger, done.has_begun()).await? {
            return Ok(Decision::Done(None));
        }
        let recorded = SeenRecorded { entry, is_same, hash };
        run.replace(SeenImport { ledger, row }, recorded, (before, after), done)
    }

    /// Whether the group has an expense or a settlement as it was read. An adjustment never
    /// changes.
    async fn has_still(&self, record: &Record) -> Result<bool, Error> {
        match record {
            Record::Expense(it) => {
                let read = self.db.get::<Expense>(keys::expense(it.group_id, it.created_at));
                Ok(read.await?.as_ref() == Some(it))
            }
            Record::Settlement(it) => {
                let read = self.db.get::<Settlement>(keys::settlement(it.group_id, it.created_at));
                Ok(read.await?.as_ref() == Some(it))
            }
            Record::Adjustment(_) => Ok(true),
        }
    }
}
