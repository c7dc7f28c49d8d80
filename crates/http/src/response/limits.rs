//! Limits of requests, which are checked here and stated in the OpenAPI document.

/// Maximum size of a request body, in KiB.
pub(crate) const MAX_BODY_KIB: usize = 64;

/// Maximum size of an uploaded file, in MiB. On AWS, at most 4.4 MB arrive: the gateway encodes the
/// body as base64, and the event of a function has at most 6 MB.
///
/// <https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html>
pub(crate) const MAX_UPLOAD_MIB: usize = 5;

/// Default number of items of a page.
pub(crate) const DEFAULT_LIMIT: usize = 20;

/// Maximum number of items of a page.
pub const MAX_LIMIT: usize = 100;

/// Maximum number of rows of a page of an export.
pub const MAX_EXPORT_LIMIT: usize = 1000;

/// Maximum length of an idempotency key.
pub(crate) const MAX_KEY: usize = 255;
