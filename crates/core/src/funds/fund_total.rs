//! Sums over all users, and the references that were used.

use serde::{Deserialize, Serialize};

use crate::{
    currency::Currency,
    fund::FundStatus,
    fund_transaction::{FundTransaction, FundTransactionType},
    id::{FundTransactionId, UserId},
    keys::{self, Keys},
    ref_id::RefId,
    row::Row,
};

/// What users have put in and taken out in a currency, in minor units. At any moment, over all users:
/// cash and held cash are `toppedUp` less `cashedOut`, and credit and bonuses are `given` less
/// `lapsed`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FundTotal {
    /// The currency.
    pub currency: Currency,
    /// Cash that was topped up, less corrections.
    #[serde(default)]
    pub topped_up: i64,
    /// Cash that was cashed out.
    #[serde(default)]
    pub cashed_out: i64,
    /// Credit and bonuses that were given, less corrections.
    #[serde(default)]
    pub given: i64,
    /// Rests of bonuses that lapsed.
    #[serde(default)]
    pub lapsed: i64,
}

impl Row for FundTotal {
    const KIND: &'static str = "fundTotal";
    const VERSION: u32 = 1;

    fn keys(&self) -> Keys {
        keys::fund_total(self.currency).into()
    }
}

/// The row by which the reference of a payment outside of Fracti counts once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FundReference {
    /// The reference.
    pub ref_id: RefId,
    /// Transaction for which an operator gave it.
    pub transaction_id: FundTransactionId,
    /// User of the transaction.
    pub owner: UserId,
}

impl Row for FundReference {
    const KIND: &'static str = "fundReference";
    const VERSION: u32 = 1;

    fn keys(&self) -> Keys {
        keys::fund_reference(&self.ref_id).into()
    }
}

impl FundTotal {
    /// The sums in a currency in which nothing has happened.
    #[must_use]
    pub const fn none(currency: Currency) -> Self {
        Self { currency, topped_up: 0, cashed_out: 0, given: 0, lapsed: 0 }
    }

    /// What a transaction adds, once it has changed the funds.
    #[must_use]
    pub fn of(transaction: &FundTransaction) -> Self {
        let (cash, amount) = (transaction.cash_amount, transaction.amount);
        let promised = amount.saturating_sub(cash);
        let none = Self::none(transaction.currency);
        if !matches!(transaction.status, FundStatus::Completed | FundStatus::Held) {
            return none;
        }
        match transaction.kind {
            FundTransactionType::Topup => Self { topped_up: amount, ..none },
            FundTransactionType::Cashout => Self { cashed_out: amount, ..none },
            FundTransactionType::Credit | FundTransactionType::Bonus => {
                Self { given: amount, ..none }
            }
            FundTransactionType::Lapse => Self { lapsed: amount, ..none },
            FundTransactionType::Correction => {
                Self { topped_up: cash.saturating_neg(), given: promised.saturating_neg(), ..none }
            }
            FundTransactionType::Settlement => none,
        }
    }

    /// The attributes with their values.
    #[must_use]
    pub const fn counters(&self) -> [(&'static str, i64); 4] {
        [
            ("toppedUp", self.topped_up),
            ("cashedOut", self.cashed_out),
            ("given", self.given),
            ("lapsed", self.lapsed),
        ]
    }

    /// Cash and held cash that all users have by the sums.
    #[must_use]
    pub fn cash(&self) -> i128 {
        i128::from(self.topped_up).saturating_sub(self.cashed_out.into())
    }

    /// Credit and bonuses that all users have by the sums.
    #[must_use]
    pub fn credit(&self) -> i128 {
        i128::from(self.given).saturating_sub(self.lapsed.into())
    }
}
