//! Extractors: what a handler reads of a request, and how it is refused.

pub(crate) mod body;
pub(crate) mod caller;
pub(crate) mod json;
pub(crate) mod paging;
pub(crate) mod post;
pub(crate) mod query;
