//! Callers: the principal and the context of a request, API tokens that were seen, and quotas.

pub(crate) mod context;
pub(crate) mod principal;
pub(crate) mod quotas;
pub(crate) mod token_cache;
