//! Work that only the operators' tool and the keeper do.

pub(crate) mod all_groups;
pub(crate) mod aside;
pub(crate) mod audit;
pub(crate) mod date_index;
pub(crate) mod fund_audit;
pub(crate) mod fund_void;
pub(crate) mod keeping;
pub(crate) mod migration;
pub(crate) mod standardise;
pub(crate) mod telling;
pub(crate) mod undated;
