//! Key of one of a user's funds.

use std::fmt;

use crate::{
    values::{currency::Currency, id::FundTransactionId},
    words,
};

/// Key of one of a user's funds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FundKey {
    /// Cash in a currency.
    Cash(Currency),
    /// Credit in a currency.
    Credit(Currency),
    /// The bonus that a transaction gave.
    Bonus(FundTransactionId),
    /// The cash that a transaction paid, and that is held.
    Held(FundTransactionId),
}

/// The end of the sort key of its row.
impl fmt::Display for FundKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cash(currency) => write!(f, "CASH#{currency}"),
            Self::Credit(currency) => write!(f, "CREDIT#{currency}"),
            Self::Bonus(id) => write!(f, "BONUS#{id}"),
            Self::Held(id) => write!(f, "HELD#{id}"),
        }
    }
}

words! {
    /// What waits for an operator.
    pub enum FundWork as "FundWork" {
        /// Money that users say they have paid.
        Topup = "topup",
        /// Money that users ask for.
        Cashout = "cashout",
    }
}
