//! Currencies: their codes, and the number of decimals of their minor units.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::{
    decimal::Decimal,
    text_form::{TextForm, TextRule},
};

/// Currencies that ISO 4217 does not list: codes, and the number of decimals of the minor units.
const TOKENS: [(&str, u8); 5] = [("TON", 9), ("USDT", 6), ("USDC", 6), ("BTC", 8), ("ETH", 9)];

/// Currencies that ISO 4217 withdrew in 2002 or later: codes, and the number of decimals of the
/// minor units. Groups have balances in them, which are settled in them, and `iso_currency` drops
/// withdrawn codes sooner or later.
const WITHDRAWN: [(&str, u8); 53] = [
    ("ADP", 0),
    ("AFA", 2),
    ("ANG", 2),
    ("ATS", 2),
    ("AYM", 2),
    ("AZM", 2),
    ("BEF", 0),
    ("BGL", 2),
    ("BGN", 2),
    ("BYR", 0),
    ("CHC", 2),
    ("CSD", 2),
    ("CUC", 2),
    ("CYP", 2),
    ("DEM", 2),
    ("EEK", 2),
    ("ESP", 0),
    ("FIM", 2),
    ("FRF", 2),
    ("GHC", 2),
    ("GRD", 0),
    ("HRK", 2),
    ("IEP", 2),
    ("ITL", 0),
    ("LTL", 2),
    ("LUF", 0),
    ("LVL", 2),
    ("MGF", 0),
    ("MRO", 2),
    ("MTL", 2),
    ("MZM", 2),
    ("NLG", 2),
    ("PTE", 0),
    ("ROL", 0),
    ("RUR", 2),
    ("SDD", 2),
    ("SIT", 2),
    ("SKK", 2),
    ("SLL", 2),
    ("SRG", 2),
    ("STD", 2),
    ("TMM", 2),
    ("TPE", 0),
    ("TRL", 0),
    ("USS", 2),
    ("VEB", 2),
    ("VEF", 2),
    ("YUM", 2),
    ("ZMK", 2),
    ("ZWD", 2),
    ("ZWL", 2),
    ("ZWN", 2),
    ("ZWR", 2),
];

/// A currency of ISO 4217 that has a minor unit, also one that was withdrawn in 2002 or later, or a
/// token such as TON.
///
/// An amount is an `i64` number of minor units. [`Currency::to_minor`] converts major units to
/// minor units, and [`Currency::to_major`] is its inverse.
///
/// # Example
///
/// ```
/// use fracti_core::currency::Currency;
///
/// let usd: Currency = "USD".parse().unwrap();
/// assert_eq!(usd.to_minor("33.34".parse().unwrap()), Ok(3334));
/// assert_eq!(usd.to_major(3334).to_string(), "33.34");
/// assert!(usd.to_minor("0.001".parse().unwrap()).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Currency {
    code: &'static str,
    exponent: u8,
}

/// Error returned for a text that is not the code of a currency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be an ISO 4217 code in capitals, like EUR, or {}", tokens())]
pub struct CurrencyError;

/// Error returned for a number that is not an amount of a currency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AmountError {
    /// The number is finer than the currency's minor unit.
    #[error("must have at most {decimals} decimals in {0}", decimals = .0.exponent)]
    TooFine(Currency),
    /// The number of minor units does not fit an `i64`.
    #[error("must be at most {max} in {0}", max = .0.to_major(i64::MAX))]
    TooLarge(Currency),
    /// The number is negative, and the number of minor units or its negation does not fit an `i64`.
    #[error("must be at least -{max} in {0}", max = .0.to_major(i64::MAX))]
    TooSmall(Currency),
}

impl Currency {
    /// TON, the default of a group.
    pub const TON: Self = Self { code: "TON", exponent: 9 };

    /// USDT, in which the public Mini App can pay as well.
    pub const USDT: Self = Self { code: "USDT", exponent: 6 };

    /// Code of ISO 4217, like `EUR`, or of a token.
    #[must_use]
    pub const fn code(self) -> &'static str {
        self.code
    }

    /// Number of decimals of the minor unit: JPY 0, USD 2, KWD 3, TON 9.
    #[must_use]
    pub const fn exponent(self) -> u8 {
        self.exponent
    }

    /// Converts a number of major units to minor units.
    ///
    /// # Errors
    ///
    /// [`AmountError`] if the number is finer than the minor unit or does not fit an `i64`.
    pub fn to_minor(self, number: Decimal) -> Result<i64, AmountError> {
        if number.decimals() > self.exponent {
            return Err(AmountError::TooFine(self));
        }
        let minor = number.at_scale(self.exponent).and_then(|minor| i64::try_from(minor).ok());
        minor.ok_or(if number.is_negative() {
            AmountError::TooSmall(self)
        } else {
            AmountError::TooLarge(self)
        })
    }

    /// Converts a number of minor units to major units.
    #[must_use]
    pub fn to_major(self, minor: impl Into<i128>) -> Decimal {
        Decimal::new(minor.into(), self.exponent)
    }
}

impl FromStr for Currency {
    type Err = CurrencyError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut others = TOKENS.iter().chain(&WITHDRAWN);
        if let Some(&(code, exponent)) = others.find(|(code, _)| *code == text) {
            return Ok(Self { code, exponent });
        }
        let iso = iso_currency::Currency::from_code(text).ok_or(CurrencyError)?;
        // Gold, the SDR and the test code have no minor unit, so no amount of them is exact.
        let exponent = iso.exponent().and_then(|it| u8::try_from(it).ok()).ok_or(CurrencyError)?;
        Ok(Self { code: iso.code(), exponent })
    }
}

/// The codes of the tokens: "TON, USDT, USDC, BTC or ETH".
fn tokens() -> String {
    let codes = TOKENS.map(|(code, _)| code);
    match codes.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => codes.concat(),
    }
}

impl TextForm for Currency {
    const NAME: &'static str = "Currency";
    const EXAMPLE: &'static str = "EUR";

    fn description() -> String {
        let tokens = tokens();
        format!(
            "Currency code: an ISO 4217 currency that has a minor unit, also one that was \
             withdrawn in 2002 or later, or {tokens}."
        )
    }

    fn rule() -> TextRule {
        let iso = "[A-Z]{3}";
        let others = TOKENS.iter().map(|(code, _)| *code).filter(|code| code.len() != 3);
        let codes: Vec<_> = std::iter::once(iso).chain(others).collect();
        TextRule::Pattern(format!("^({})$", codes.join("|")))
    }
}

impl Serialize for Currency {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.code)
    }
}

impl<'de> Deserialize<'de> for Currency {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map_err(de::Error::custom)
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_are_those_of_iso_4217_and_of_the_tokens() {
        for (code, exponent) in [
            ("JPY", 0),
            ("USD", 2),
            ("EUR", 2),
            ("KWD", 3),
            ("CLF", 4),
            ("TON", 9),
            ("USDT", 6),
            ("USDC", 6),
            ("BTC", 8),
            ("ETH", 9),
        ] {
            assert_eq!(code.parse::<Currency>().map(Currency::exponent), Ok(exponent), "{code}");
        }
        assert_eq!("TON".parse(), Ok(Currency::TON));
        assert_eq!("USDT".parse(), Ok(Currency::USDT));
    }

    #[test]
    fn withdrawn_currencies_are_accepted() {
        let withdrawn =
            [("DEM", 2), ("ITL", 0), ("BYR", 0), ("HRK", 2), ("SLL", 2), ("ZWL", 2), ("ANG", 2)];
        for (code, exponent) in withdrawn {
            assert_eq!(code.parse::<Currency>().map(Currency::exponent), Ok(exponent), "{code}");
        }
    }

    // Rows in these currencies are stored. If ISO 4217 withdraws one, it moves to `WITHDRAWN`.
    #[test]
    fn currencies_in_use_stay_accepted() {
        let codes = "\
            AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BOV BRL \
            BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CLF CLP CNY COP COU CRC CUC CUP CVE CZK \
            DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL \
            HRK HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD \
            KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV \
            MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB \
            RWF SAR SBD SCR SDG SEK SGD SHP SLE SLL SOS SRD SSP STN SVC SYP SZL THB TJS TMT \
            TND TOP TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAF \
            XCD XCG XOF XPF YER ZAR ZMW ZWG ZWL";
        for code in codes.split_whitespace() {
            assert!(code.parse::<Currency>().is_ok(), "{code}");
        }
    }

    #[test]
    fn the_guide_has_every_token() {
        let guide = include_str!("../../../../docs/api.md");
        for (code, exponent) in TOKENS {
            assert!(guide.contains(&format!("`{code}` ({exponent}")), "{code}");
        }
    }

    #[test]
    fn unknown_codes_and_codes_without_a_minor_unit_are_refused() {
        for code in ["", "usd", "Usd", "XAU", "XXX", "XTS", "ZZZ", "DOLLAR", "US", " USD", "€"] {
            assert_eq!(code.parse::<Currency>(), Err(CurrencyError), "{code:?}");
        }
    }

    #[test]
    fn amounts_that_are_too_fine_or_too_large_are_refused() {
        for (code, number, minor) in [
            ("JPY", "1", Some(1)),
            ("JPY", "1.5", None),
            ("USD", "33.33", Some(3333)),
            ("USD", "33.330", Some(3333)),
            ("USD", "33.333", None),
            ("TON", "0.000000001", Some(1)),
            ("TON", "0.0000000001", None),
            ("TON", "9223372036.854775807", Some(i64::MAX)),
            ("TON", "9223372036.854775808", None),
            ("JPY", "9223372036854775808", None),
            ("USD", "9007199254740993", Some(900_719_925_474_099_300)),
        ] {
            let currency: Currency = code.parse().unwrap();
            assert_eq!(currency.to_minor(number.parse().unwrap()).ok(), minor, "{number} {code}");
        }
    }

    #[test]
    fn amount_errors_state_the_rule() {
        let usd: Currency = "USD".parse().unwrap();
        let fine = usd.to_minor("0.001".parse().unwrap()).unwrap_err();
        assert_eq!(fine.to_string(), "must have at most 2 decimals in USD");
        let large = usd.to_minor("1e30".parse().unwrap()).unwrap_err();
        assert_eq!(large.to_string(), "must be at most 92233720368547758.07 in USD");
    }
}
