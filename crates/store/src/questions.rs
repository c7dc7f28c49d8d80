//! Questions to a group, answers, and points.
//!
//! A question is changed on condition of its version, so answers at once are counted one after the
//! other. Only the expense of a receipt takes the group's lock.

pub(crate) mod answering;
pub(crate) mod applying;
pub(crate) mod asking;
pub(crate) mod links;
pub(crate) mod lists;
