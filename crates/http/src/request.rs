//! Extractors of requests, and the refusal of invalid ones.

pub(crate) mod body;
pub(crate) mod caller;
pub(crate) mod description;
mod filter;
pub(crate) mod once;
pub(crate) mod paging;
pub(crate) mod path;
pub(crate) mod query;
pub(crate) mod receipt;
mod text;
pub(crate) mod upload;
