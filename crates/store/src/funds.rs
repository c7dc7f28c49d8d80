//! Funds: prepaid money of users, and what changes it.
//!
//! Each step is one transaction of the rows that change: funds on condition of the version that was
//! read, the row of the transaction on condition that it is still authorised. So no fund is ever
//! negative, and no amount is withheld for nothing.

pub(crate) mod changing;
pub(crate) mod due;
pub(crate) mod reading;
