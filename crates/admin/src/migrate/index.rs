//! The index `GSI3`, which tables of the TypeScript Fracti may lack.

use std::time::Duration;

use fracti_store::{IndexState, TableState};
use indicatif::ProgressBar;
use tokio::time::sleep;

use crate::{Admin, Failure};

/// Time between two checks whether the index can be used.
const PAUSE: Duration = Duration::from_secs(5);

/// The index at the beginning of a run.
pub(super) struct Index {
    /// Whether the run adds it.
    pub(super) is_added: bool,
    /// Approximate number of rows in the table.
    pub(super) rows: u64,
}

impl Admin {
    /// Adds the index if it is missing, and waits until it can be used.
    pub(super) async fn index(&self, dry_run: bool) -> Result<Index, Failure> {
        let TableState { rows, mut index } = self.pace.patient(|| self.table.v0_index()).await?;
        if dry_run {
            return Ok(Index { is_added: index == IndexState::Missing, rows });
        }
        let bar = ProgressBar::new_spinner().with_message("DynamoDB is changing the index GSI3");
        let mut is_added = false;
        while index != IndexState::Active {
            // DynamoDB may describe the table a while as it was before.
            if index == IndexState::Missing && !is_added {
                self.pace.patient(|| self.table.add_v0_index()).await?;
                is_added = true;
            } else {
                bar.tick();
                sleep(PAUSE).await;
            }
            index = self.pace.patient(|| self.table.v0_index()).await?.index;
        }
        bar.finish_and_clear();
        Ok(Index { is_added, rows })
    }
}
