//! An amount of money.

use crate::values::{
    currency::{AmountError, Currency},
    decimal::Decimal,
};

/// An amount: a whole number of minor units of a currency.
///
/// Rules calculate with it. JSON and rows have [`Decimal`] numbers of major units.
///
/// # Example
///
/// ```
/// use fracti_core::values::money::Money;
///
/// let lunch = Money::from_major("12.50".parse().unwrap(), "EUR".parse().unwrap()).unwrap();
/// assert_eq!(lunch.minor, 1250);
/// assert_eq!(lunch.to_major().to_string(), "12.5");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Money {
    /// The currency.
    pub currency: Currency,
    /// The number of minor units.
    pub minor: i64,
}

impl Money {
    /// The amount of `number` major units. It can be negated.
    ///
    /// # Errors
    ///
    /// As [`Currency::to_minor`]; [`AmountError::TooSmall`] for the least `i64`.
    pub fn from_major(number: Decimal, currency: Currency) -> Result<Self, AmountError> {
        match currency.to_minor(number)? {
            i64::MIN => Err(AmountError::TooSmall(currency)),
            minor => Ok(Self { currency, minor }),
        }
    }

    /// The number of major units.
    #[must_use]
    pub fn to_major(self) -> Decimal {
        self.currency.to_major(self.minor)
    }
}
