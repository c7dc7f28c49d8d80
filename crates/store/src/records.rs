//! What members record in a group.

pub(crate) mod activity;
pub(crate) mod adjustments;
pub(crate) mod expenses;
pub(crate) mod funding;
pub(crate) mod schedules;
pub(crate) mod settlements;
pub(crate) mod shared;
