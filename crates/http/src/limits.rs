//! Limits of requests, which are checked here and stated in the OpenAPI document.

/// Maximum size of a request body, in KiB.
pub(crate) const MAX_BODY_KIB: usize = 64;

/// Default number of items of a page.
pub(crate) const DEFAULT_LIMIT: usize = 20;

/// Maximum number of items of a page.
pub const MAX_LIMIT: usize = 100;

/// Maximum length of an idempotency key.
pub(crate) const MAX_KEY: usize = 255;
