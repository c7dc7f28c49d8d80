//! Currencies: their codes, names and symbols, and the number of decimals of their minor units.

use std::{collections::BTreeSet, fmt, str::FromStr};

use fracti_texts::{Language, Message, Says, errors, rule};
use iso_currency::IntoEnumIterator;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::{
    values::{
        decimal::Decimal,
        text_form::{TextForm, TextRule},
    },
    words,
};

/// Currencies that ISO 4217 does not list: codes, the number of decimals of the minor units, names
/// and symbols.
const TOKENS: [(&str, u8, &str, &str); 5] = [
    ("TON", 9, "Toncoin", "TON"),
    ("USDT", 6, "Tether USD", "USDT"),
    ("USDC", 6, "USD Coin", "USDC"),
    ("BTC", 8, "Bitcoin", "₿"),
    ("ETH", 9, "Ether", "Ξ"),
];

/// Currencies that ISO 4217 withdrew in 2002 or later: codes, the number of decimals of the minor
/// units, and names. Groups have balances in them, which are settled in them, and `iso_currency`
/// drops withdrawn codes sooner or later. A year tells a currency from its successor of the same
/// name.
const WITHDRAWN: [(&str, u8, &str); 53] = [
    ("ADP", 0, "Andorran peseta"),
    ("AFA", 2, "Afghan afghani (until 2002)"),
    ("ANG", 2, "Netherlands Antillean guilder"),
    ("ATS", 2, "Austrian schilling"),
    ("AYM", 2, "Azerbaijani manat (2005)"),
    ("AZM", 2, "Azerbaijani manat (until 2005)"),
    ("BEF", 0, "Belgian franc"),
    ("BGL", 2, "Bulgarian lev (until 1999)"),
    ("BGN", 2, "Bulgarian lev"),
    ("BYR", 0, "Belarusian ruble (until 2016)"),
    ("CHC", 2, "WIR franc (until 2004)"),
    ("CSD", 2, "Serbian dinar (until 2006)"),
    ("CUC", 2, "Cuban convertible peso"),
    ("CYP", 2, "Cypriot pound"),
    ("DEM", 2, "Deutsche Mark"),
    ("EEK", 2, "Estonian kroon"),
    ("ESP", 0, "Spanish peseta"),
    ("FIM", 2, "Finnish markka"),
    ("FRF", 2, "French franc"),
    ("GHC", 2, "Ghanaian cedi (until 2007)"),
    ("GRD", 0, "Greek drachma"),
    ("HRK", 2, "Croatian kuna"),
    ("IEP", 2, "Irish pound"),
    ("ITL", 0, "Italian lira"),
    ("LTL", 2, "Lithuanian litas"),
    ("LUF", 0, "Luxembourg franc"),
    ("LVL", 2, "Latvian lats"),
    ("MGF", 0, "Malagasy franc"),
    ("MRO", 2, "Mauritanian ouguiya (until 2017)"),
    ("MTL", 2, "Maltese lira"),
    ("MZM", 2, "Mozambican metical (until 2006)"),
    ("NLG", 2, "Dutch guilder"),
    ("PTE", 0, "Portuguese escudo"),
    ("ROL", 0, "Romanian leu (until 2005)"),
    ("RUR", 2, "Russian ruble (until 1997)"),
    ("SDD", 2, "Sudanese dinar"),
    ("SIT", 2, "Slovenian tolar"),
    ("SKK", 2, "Slovak koruna"),
    ("SLL", 2, "Sierra Leonean leone (until 2022)"),
    ("SRG", 2, "Surinamese guilder"),
    ("STD", 2, "São Tomé and Príncipe dobra (until 2017)"),
    ("TMM", 2, "Turkmenistan manat (until 2008)"),
    ("TPE", 0, "Portuguese Timorese escudo"),
    ("TRL", 0, "Turkish lira (until 2004)"),
    ("USS", 2, "United States dollar (same day)"),
    ("VEB", 2, "Venezuelan bolívar (until 2007)"),
    ("VEF", 2, "Venezuelan bolívar fuerte"),
    ("YUM", 2, "Yugoslav dinar"),
    ("ZMK", 2, "Zambian kwacha (until 2012)"),
    ("ZWD", 2, "Zimbabwean dollar (until 2006)"),
    ("ZWL", 2, "Zimbabwean dollar (2009–2024)"),
    ("ZWN", 2, "Zimbabwean dollar (2006–2008)"),
    ("ZWR", 2, "Zimbabwean dollar (2008–2009)"),
];

/// Sign of any currency, which `iso_currency` has for a currency without a symbol.
const ANY_SYMBOL: &str = "¤";

words! {
    /// Where a currency comes from.
    pub enum CurrencyKind as "CurrencyKind" {
        /// ISO 4217, which may have withdrawn it in 2002 or later.
        Iso = "iso",
        /// A blockchain.
        Token = "token",
    }
}

/// A currency of ISO 4217 that has a minor unit, also one that was withdrawn in 2002 or later, or a
/// token such as TON.
///
/// An amount is an `i64` number of minor units. [`Currency::to_minor`] converts major units to
/// minor units, and [`Currency::to_major`] is its inverse.
///
/// # Example
///
/// ```
/// use fracti_core::values::currency::Currency;
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CurrencyError;

impl Says for CurrencyError {
    fn says(&self) -> Message {
        let tokens = Message::new(tokens);
        rule!(
            "{field} must be an ISO 4217 code in capitals, like EUR, or {tokens}",
            "{field} должно быть кодом ISO 4217 заглавными буквами, например EUR, или {tokens}",
            [tokens]
        )
    }
}

errors!(CurrencyError);

/// Error returned for a number that is not an amount of a currency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AmountError {
    /// The number is finer than the currency's minor unit.
    TooFine(Currency),
    /// The number of minor units does not fit an `i64`.
    TooLarge(Currency),
    /// The number is negative, and the number of minor units or its negation does not fit an `i64`.
    TooSmall(Currency),
}

impl Says for AmountError {
    fn says(&self) -> Message {
        match self {
            Self::TooFine(currency) => match currency.exponent {
                0 => rule!(
                    "{field} must have at most 0 decimals in {currency}",
                    "{field} в {currency} должно быть целым числом"
                ),
                most => rule!(
                    "{field} must have at most {most} decimals in {currency}",
                    "{field} в {currency} должно содержать не больше {most} знаков после запятой"
                ),
            },
            Self::TooLarge(currency) => rule!(
                "{field} must be at most {max} in {currency}",
                "{field} в {currency} должно быть не больше {max}",
                max = currency.to_major(i64::MAX)
            ),
            Self::TooSmall(currency) => rule!(
                "{field} must be at least -{max} in {currency}",
                "{field} в {currency} должно быть не меньше -{max}",
                max = currency.to_major(i64::MAX)
            ),
        }
    }
}

errors!(AmountError);

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

    /// All currencies, in the order of their codes.
    pub fn all() -> impl Iterator<Item = Self> {
        let tokens = TOKENS.iter().map(|(code, ..)| *code);
        let withdrawn = WITHDRAWN.iter().map(|(code, ..)| *code);
        let iso = iso_currency::Currency::iter().map(|iso| iso.code());
        let codes = tokens.chain(withdrawn).chain(iso);
        codes.filter_map(|code| code.parse().ok()).collect::<BTreeSet<_>>().into_iter()
    }

    /// Whether ISO 4217 lists it or did so.
    #[must_use]
    pub fn kind(self) -> CurrencyKind {
        if self.token().is_some() { CurrencyKind::Token } else { CurrencyKind::Iso }
    }

    /// Name in English.
    #[must_use]
    pub fn name(self) -> String {
        let withdrawn = WITHDRAWN.iter().find(|(code, ..)| *code == self.code);
        match (self.token(), withdrawn) {
            (Some((_, _, name, _)), _) | (None, Some((_, _, name))) => (*name).to_owned(),
            (None, None) => self.iso().map_or(self.code.into(), |iso| iso.name().to_owned()),
        }
    }

    /// Whether ISO 4217 has withdrawn it.
    #[must_use]
    pub fn is_withdrawn(self) -> bool {
        WITHDRAWN.iter().any(|(code, ..)| *code == self.code)
    }

    /// Symbol, like `€`, which several currencies may share; the code of a currency without one,
    /// and of one that was withdrawn.
    #[must_use]
    pub fn symbol(self) -> String {
        let symbol = match self.token() {
            Some((.., symbol)) => Some((*symbol).to_owned()),
            None => self.iso().filter(|_| !self.is_withdrawn()).map(|iso| iso.symbol().to_string()),
        };
        symbol.filter(|it| !it.is_empty() && it != ANY_SYMBOL).unwrap_or_else(|| self.code.into())
    }

    fn token(self) -> Option<&'static (&'static str, u8, &'static str, &'static str)> {
        TOKENS.iter().find(|(code, ..)| *code == self.code)
    }

    fn iso(self) -> Option<iso_currency::Currency> {
        iso_currency::Currency::from_code(self.code)
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
        let tokens = TOKENS.iter().map(|(code, exponent, ..)| (*code, *exponent));
        let withdrawn = WITHDRAWN.iter().map(|(code, exponent, _)| (*code, *exponent));
        if let Some((code, exponent)) = tokens.chain(withdrawn).find(|(code, _)| *code == text) {
            return Ok(Self { code, exponent });
        }
        let iso = iso_currency::Currency::from_code(text).ok_or(CurrencyError)?;
        // Gold, the SDR and the test code have no minor unit, so no amount of them is exact.
        let exponent = iso.exponent().and_then(|it| u8::try_from(it).ok()).ok_or(CurrencyError)?;
        Ok(Self { code: iso.code(), exponent })
    }
}

/// The codes of the tokens: "TON, USDT, USDC, BTC or ETH".
fn tokens(language: Language) -> String {
    let codes = TOKENS.map(|(code, ..)| code);
    let or = match language {
        Language::English => "or",
        Language::Russian => "или",
    };
    match codes.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} {or} {last}", others.join(", ")),
        _ => codes.concat(),
    }
}

impl TextForm for Currency {
    const NAME: &'static str = "Currency";
    const EXAMPLE: &'static str = "EUR";

    fn description() -> String {
        let tokens = tokens(Language::English);
        format!(
            "Currency code: an ISO 4217 currency that has a minor unit, also one that was \
             withdrawn in 2002 or later, or {tokens}."
        )
    }

    fn rule() -> TextRule {
        let iso = "[A-Z]{3}";
        let others = TOKENS.iter().map(|(code, ..)| *code).filter(|code| code.len() != 3);
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
    fn all_currencies_are_those_that_are_accepted() {
        let letters = || (b'A'..=b'Z').map(char::from);
        let three = letters().flat_map(|a| {
            letters().flat_map(move |b| letters().map(move |c| String::from_iter([a, b, c])))
        });
        let tokens = TOKENS.iter().map(|(code, ..)| (*code).to_owned());
        let codes: BTreeSet<_> = three.chain(tokens).collect();
        let accepted: Vec<Currency> = codes.iter().filter_map(|code| code.parse().ok()).collect();
        assert_eq!(Currency::all().collect::<Vec<_>>(), accepted);
    }

    #[test]
    fn every_currency_has_a_name_and_a_symbol() {
        for (code, name, symbol, kind) in [
            ("EUR", "Euro", "€", CurrencyKind::Iso),
            ("USN", "United States dollar (next day)", "$", CurrencyKind::Iso),
            // No symbol, and withdrawn.
            ("CHE", "WIR Euro", "CHE", CurrencyKind::Iso),
            ("DEM", "Deutsche Mark", "DEM", CurrencyKind::Iso),
            ("HRK", "Croatian kuna", "HRK", CurrencyKind::Iso),
            ("TON", "Toncoin", "TON", CurrencyKind::Token),
            ("BTC", "Bitcoin", "₿", CurrencyKind::Token),
        ] {
            let currency: Currency = code.parse().unwrap();
            let found = (&*currency.name(), &*currency.symbol(), currency.kind());
            assert_eq!(found, (name, symbol, kind), "{code}");
        }
        for currency in Currency::all() {
            let name = currency.name();
            let symbol = currency.symbol();
            assert!(name != currency.code() && !name.is_empty(), "{currency}");
            assert!(!symbol.is_empty() && symbol.trim() == symbol, "{currency}: {symbol}");
        }
    }

    #[test]
    fn the_guide_has_every_token() {
        let guide = include_str!("../../../../docs/api.md");
        for (code, exponent, ..) in TOKENS {
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
