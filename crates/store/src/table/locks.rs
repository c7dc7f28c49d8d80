//! Locks that queue the writers of one group in this process, in the order of their arrival.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use fracti_core::values::id::GroupId;

/// Number of queues above which idle ones are removed.
const MAX_QUEUES: usize = 1_000;

/// One lock per group.
#[derive(Clone, Debug, Default)]
pub(crate) struct GroupLocks(Arc<Mutex<HashMap<GroupId, Arc<tokio::sync::Mutex<()>>>>>);

impl GroupLocks {
    /// The lock of `group`.
    pub(crate) fn of(&self, group: GroupId) -> Arc<tokio::sync::Mutex<()>> {
        let mut queues = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if queues.len() > MAX_QUEUES {
            queues.retain(|_, queue| Arc::strong_count(queue) > 1);
        }
        queues.entry(group).or_default().clone()
    }
}
