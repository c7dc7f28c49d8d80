//! The writers of one group, in this process: one after the other, in the order in which they came.
//!
//! The group's lock is the version of its balance row, and needs no other. But where many writers of a group are in one
//! process, like the local server's, most of their attempts would only be in each other's way. So each hands the ledger that
//! it wrote to the next one, who need not read it. A Lambda instance has one request at a time, and so never waits here.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::OwnedMutexGuard;

use crate::{id::GroupId, ledger::Ledger};

/// Above how many groups those that nobody waits for are forgotten.
const MAX_QUEUES: usize = 1_000;

/// Whose turn it is in each group.
#[derive(Clone, Debug, Default)]
pub(super) struct GroupLocks(Arc<Mutex<HashMap<GroupId, Arc<tokio::sync::Mutex<Ledger>>>>>);

/// A writer's turn, with the ledger as the writer before left it; it is over when this is dropped.
#[derive(Debug)]
pub(super) struct LockGuard(OwnedMutexGuard<Ledger>);

impl LockGuard {
    /// The later one of the ledger that was read and the one that was left.
    pub(super) fn latest(&self, read: Ledger) -> Ledger {
        if self.0.version > read.version { self.0.clone() } else { read }
    }

    /// Leaves the ledger as it was written to the next writer.
    pub(super) fn set_latest(&mut self, ledger: Ledger) {
        *self.0 = ledger;
    }
}

impl GroupLocks {
    /// Waits for the next turn in `group`.
    pub(super) async fn lock(&self, group: GroupId) -> LockGuard {
        let queue = {
            let mut queues = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if queues.len() > MAX_QUEUES {
                queues.retain(|_, queue| Arc::strong_count(queue) > 1);
            }
            queues.entry(group).or_default().clone()
        };
        LockGuard(queue.lock_owned().await)
    }
}
