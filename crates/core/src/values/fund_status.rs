//! The status of a transaction of funds.

use crate::words;

words! {
    /// Status of a transaction of funds. All but `authorised` and `held` are final.
    pub enum FundStatus as "FundStatus" {
        /// Its amount is withheld, or waits for an operator.
        Authorised = "authorised",
        /// It has changed the funds.
        Completed = "completed",
        /// It was taken back before it changed the funds.
        Voided = "voided",
        /// Its time ran out before it changed the funds.
        Expired = "expired",
        /// Its cash was received, but can be used from a date on.
        Held = "held",
    }
}
