//! Sums over all users, and the references that were used.

use serde::{Deserialize, Serialize};

use crate::{
    funds::fund_transaction::{FundTransaction, FundTransactionType},
    storage::{
        keys::{self, Keys},
        row::{AttributeValue, Item, Row},
    },
    values::{
        currency::Currency,
        fund_status::FundStatus,
        id::{FundTransactionId, UserId},
        ref_id::{RefId, ReferenceUse},
    },
};

/// Amounts that users have put in and taken out in a currency, in minor units. At any moment, over
/// all users: cash and held cash are `toppedUp` less `cashedOut`, and credit and bonuses are
/// `given` less `lapsed`. An `i128` holds the sum of any number of users' funds, which are `i64`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FundTotal {
    /// The currency.
    pub currency: Currency,
    /// Cash that was topped up, less corrections.
    #[serde(default)]
    pub topped_up: i128,
    /// Cash that was cashed out.
    #[serde(default)]
    pub cashed_out: i128,
    /// Credit and bonuses that were given, less corrections.
    #[serde(default)]
    pub given: i128,
    /// Rests of bonuses that lapsed.
    #[serde(default)]
    pub lapsed: i128,
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
    /// Use of the reference. It counts once for each.
    #[serde(rename = "use")]
    pub of: ReferenceUse,
}

impl Row for FundReference {
    const KIND: &'static str = "fundReference";
    // In version 1, corrections had the keys of payments.
    const VERSION: u32 = 2;

    fn keys(&self) -> Keys {
        keys::fund_reference(&self.ref_id, self.of).into()
    }

    fn upgrade(_: u32, item: &mut Item) {
        let payment = AttributeValue::S(ReferenceUse::Payment.to_string());
        item.entry("use".to_owned()).or_insert(payment);
    }
}

impl FundReference {
    /// The row by which the reference of a transaction counts once; `None` if it has none.
    #[must_use]
    pub fn of(transaction: &FundTransaction) -> Option<Self> {
        let of = match transaction.kind {
            FundTransactionType::Correction => ReferenceUse::Correction,
            FundTransactionType::Topup
            | FundTransactionType::Credit
            | FundTransactionType::Bonus
            | FundTransactionType::Settlement
            | FundTransactionType::Return
            | FundTransactionType::Cashout
            | FundTransactionType::Lapse => ReferenceUse::Payment,
        };
        let ref_id = transaction.ref_id.clone()?;
        Some(Self { ref_id, transaction_id: transaction.id, owner: transaction.owner, of })
    }
}

impl FundTotal {
    /// The sums in a currency in which nothing has happened.
    #[must_use]
    pub const fn none(currency: Currency) -> Self {
        Self { currency, topped_up: 0, cashed_out: 0, given: 0, lapsed: 0 }
    }

    /// Amounts that a transaction adds, once it has changed the funds.
    #[must_use]
    pub fn of(transaction: &FundTransaction) -> Self {
        let [cash, amount] = [transaction.cash_amount, transaction.amount].map(i128::from);
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
            FundTransactionType::Settlement | FundTransactionType::Return => none,
        }
    }

    /// The attributes with their values.
    #[must_use]
    pub const fn counters(&self) -> [(&'static str, i128); 4] {
        [
            ("toppedUp", self.topped_up),
            ("cashedOut", self.cashed_out),
            ("given", self.given),
            ("lapsed", self.lapsed),
        ]
    }

    /// Cash and held cash that all users have by the sums.
    #[must_use]
    pub const fn cash(&self) -> i128 {
        self.topped_up.saturating_sub(self.cashed_out)
    }

    /// Credit and bonuses that all users have by the sums.
    #[must_use]
    pub const fn credit(&self) -> i128 {
        self.given.saturating_sub(self.lapsed)
    }
}
