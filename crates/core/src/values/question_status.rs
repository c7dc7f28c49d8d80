//! The status of a question.

use crate::words;

words! {
    /// Status of a question. An `OPEN` or `PARTIAL` one takes answers; it is over once it is
    /// `CLOSED` or `EXPIRED`.
    pub enum QuestionStatus as "QuestionStatus" {
        /// Nobody has answered it yet.
        Open = "OPEN",
        /// Some members have answered it.
        Partial = "PARTIAL",
        /// It has enough answers, its asker closed it, or its receipt was applied.
        Closed = "CLOSED",
        /// Its time ran out.
        Expired = "EXPIRED",
    }
}
