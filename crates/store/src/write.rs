//! The commit of all writes: once for each request, even if an answer is lost, or an attempt is
//! late or repeated.

pub(crate) mod commit;
pub(crate) mod idempotency;
