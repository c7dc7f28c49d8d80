//! Locks that queue the writers of one group in this process, in the order of their arrival.
//!
//! The group's lock is the version of its balance row; no other is needed. But if one process has
//! many writers of a group, like the local server, most of their attempts would lose the race. So
//! each writer passes the ledger that it wrote to the next one, which need not read it. A Lambda
//! instance has one request at a time and never waits here.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use fracti_core::{id::GroupId, ledger::Ledger};
use tokio::sync::OwnedMutexGuard;

/// Number of queues above which idle ones are removed.
const MAX_QUEUES: usize = 1_000;

/// One lock per group.
#[derive(Clone, Debug, Default)]
pub(crate) struct GroupLocks(Arc<Mutex<HashMap<GroupId, Arc<tokio::sync::Mutex<Ledger>>>>>);

/// The lock of a group while it is held, with the ledger as the previous holder wrote it.
#[derive(Debug)]
pub(crate) struct LockGuard(OwnedMutexGuard<Ledger>);

impl LockGuard {
    /// The newer of the ledger that was read and the one that the previous holder wrote.
    pub(crate) fn latest(&self, read: Ledger) -> Ledger {
        if self.0.version > read.version { self.0.clone() } else { read }
    }

    /// Hands the ledger that was written to the next holder.
    pub(crate) fn set_latest(&mut self, ledger: Ledger) {
        *self.0 = ledger;
    }
}

impl GroupLocks {
    /// Waits for the lock of `group`.
    pub(crate) async fn lock(&self, group: GroupId) -> LockGuard {
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
