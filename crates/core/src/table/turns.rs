//! The writers of one group, in this process: one after the other, in the order in which they came.
//!
//! The group's lock is the version of its balance row, and needs no other. But where many writers of a group are in one
//! process, like the local server's, most of their attempts would only be in each other's way. So each hands the book that
//! it wrote to the next one, who need not read it. A Lambda instance has one request at a time, and so never waits here.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::OwnedMutexGuard;

use crate::{book::Book, id::GroupId};

/// Above how many groups those that nobody waits for are forgotten.
const MANY: usize = 1_000;

/// Whose turn it is in each group.
#[derive(Clone, Debug, Default)]
pub(super) struct Turns(Arc<Mutex<HashMap<GroupId, Arc<tokio::sync::Mutex<Book>>>>>);

/// A writer's turn, with the book as the writer before left it; it is over when this is dropped.
#[derive(Debug)]
pub(super) struct Turn(OwnedMutexGuard<Book>);

impl Turn {
    /// The later one of the book that was read and the one that was left.
    pub(super) fn latest(&self, read: Book) -> Book {
        if self.0.version > read.version { self.0.clone() } else { read }
    }

    /// Leaves the book as it was written to the next writer.
    pub(super) fn leave(&mut self, book: Book) {
        *self.0 = book;
    }
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
        Turn(queue.lock_owned().await)
    }
}
