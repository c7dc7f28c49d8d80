//! Attributes of a v0 row, which may be missing or have the wrong type.

use crate::{
    group::Group,
    storage::row::{AttributeValue, Item},
    v0::Anomaly,
    values::{currency::Currency, decimal::Decimal, money::Money},
};

/// The attributes of a v0 row, or of a map in one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attributes<'a>(pub(super) &'a Item);

impl<'a> Attributes<'a> {
    /// A text that is not blank, or a number as text.
    pub(super) fn text(self, name: &str) -> Option<&'a str> {
        match self.0.get(name)? {
            AttributeValue::S(text) | AttributeValue::N(text) => {
                Some(text.trim()).filter(|text| !text.is_empty())
            }
            _ => None,
        }
    }

    /// A number, or a text with one.
    pub(super) fn number(self, name: &str) -> Option<Decimal> {
        self.text(name)?.parse().ok()
    }

    /// A value that is parsed from text.
    pub(super) fn parsed<T: std::str::FromStr>(self, name: &str) -> Option<T> {
        self.text(name)?.parse().ok()
    }

    /// Like [`Attributes::parsed`], for an attribute that must exist.
    ///
    /// # Errors
    ///
    /// [`Anomaly::Unreadable`] if it is missing or invalid.
    pub(super) fn required<T: std::str::FromStr>(self, name: &str) -> Result<T, Anomaly> {
        self.parsed(name).ok_or_else(|| Anomaly::Unreadable(name.to_owned()))
    }

    /// The maps in a list.
    pub(super) fn list(self, name: &str) -> Option<Vec<Attributes<'a>>> {
        let AttributeValue::L(list) = self.0.get(name)? else { return None };
        let map = |value: &'a AttributeValue| match value {
            AttributeValue::M(map) => Some(Attributes(map)),
            _ => None,
        };
        list.iter().map(map).collect()
    }

    /// The currency: the row's, or that of the group if the row has none.
    ///
    /// # Errors
    ///
    /// [`Anomaly::Unreadable`] if the row's currency is unknown.
    pub(super) fn currency(self, group: &Group) -> Result<Currency, Anomaly> {
        let code = self.text("currency").map(str::to_uppercase);
        let parsed = code.map_or(Ok(group.currency), |code| code.parse());
        parsed.map_err(|_| Anomaly::Unreadable("currency".to_owned()))
    }

    /// The amount, rounded to minor units.
    ///
    /// # Errors
    ///
    /// [`Anomaly::Unreadable`], [`Anomaly::TooLarge`] or [`Anomaly::NoAmount`].
    pub(super) fn amount(self, currency: Currency) -> Result<Money, Anomaly> {
        let amount: Decimal = self.required("amount")?;
        let money = Money::from_major(amount.rounded(currency.exponent()), currency);
        let money = money.map_err(|_| Anomaly::TooLarge)?;
        if money.minor == 0 { Err(Anomaly::NoAmount) } else { Ok(money) }
    }
}
