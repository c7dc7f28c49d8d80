//! A user's own data over all groups.

mod activity;
mod lists;
mod shared;
mod summary;
