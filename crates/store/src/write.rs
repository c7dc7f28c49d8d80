//! How all writes are committed: once for each request, whatever is lost, late or repeated.

pub(crate) mod commit;
pub(crate) mod idempotency;
