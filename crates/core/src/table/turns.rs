//! The writers of one group, in this process: one after the other, in the order in which they came.
//!
//! The group's lock is the version of its balance row, and needs no other. But where many writers of a group are in one
//! process, like the local server's, most of their attempts would only be in each other's way. A Lambda
//! instance has one request at a time, and so never waits here.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::OwnedMutexGuard;

use crate::id::GroupId;

/// Above how many groups those that nobody waits for are forgotten.
const MANY: usize = 1_000;

/// Whose turn it is in each group.
#[derive(Clone, Debug, Default)]
pub(super) struct Turns(Arc<Mutex<HashMap<GroupId, Arc<tokio::sync::Mutex<()>>>>>);

/// A writer's turn; it is over when this is dropped.
#[derive(Debug)]
pub(super) struct Turn {
    /// Whether others were before, so that what was read is old.
    pub(super) waited: bool,
    _guard: OwnedMutexGuard<()>,
}

impl Turns {
    /// Waits for the next turn in `group`.
    pub(super) async fn take(&self, group: GroupId) -> Turn {
        let queue = {
            let mut queues = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if queues.len() > MANY {
                queues.retain(|_, queue| Arc::strong_count(queue) > 1);
            }
            queues.entry(group).or_default().clone()
        };
        match Arc::clone(&queue).try_lock_owned() {
            Ok(guard) => Turn { waited: false, _guard: guard },
            Err(_) => Turn { waited: true, _guard: queue.lock_owned().await },
        }
    }
}
