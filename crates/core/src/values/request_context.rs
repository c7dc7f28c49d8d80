//! Context that each request brings besides its input.

use crate::values::time::Timestamp;

/// Time of a request, and the random part of the ids that it creates.
#[derive(Clone, Copy, Debug)]
pub struct RequestContext {
    /// The time of day.
    pub now: Timestamp,
    /// Ten random bytes.
    pub random: [u8; 10],
}
