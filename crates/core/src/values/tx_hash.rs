//! The hash of a blockchain transaction.

use std::{fmt, str::FromStr};

use base64::{
    Engine, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use fracti_texts::{Message, Says, errors, rule};
use serde::{Deserialize, Serialize};

use crate::values::text_form::{TextForm, TextRule};

/// The hash of a blockchain transaction: 32 bytes, as 64 lower-case hexadecimal digits.
///
/// A row is trusted, so reading one accepts any text; a client's text goes through [`FromStr`],
/// which also reads the base64 form that TON's wallets and explorers show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TxHash(String);

/// Error returned for a text that is not the hash of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TxHashError;

impl Says for TxHashError {
    fn says(&self) -> Message {
        rule!(
            "{field} must be 64 hexadecimal digits, or the base64 form of 32 bytes",
            "{field} должно состоять из 64 шестнадцатеричных цифр или быть записью 32 байтов в \
             base64"
        )
    }
}

errors!(TxHashError);

impl TxHash {
    /// The hash stored in a row, without validation.
    pub(crate) const fn stored(text: String) -> Self {
        Self(text)
    }

    /// Whether it is a complete hash in the canonical form. v0 rows may have shortened ones.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.0.parse().is_ok_and(|parsed: Self| parsed == *self)
    }
}

impl FromStr for TxHash {
    type Err = TxHashError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const CONFIG: GeneralPurposeConfig =
            GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
        const ENGINES: [GeneralPurpose; 2] = [
            GeneralPurpose::new(&alphabet::STANDARD, CONFIG),
            GeneralPurpose::new(&alphabet::URL_SAFE, CONFIG),
        ];
        let bytes = match text.len() {
            64 => hex::decode(text).ok(),
            43 | 44 => ENGINES.iter().find_map(|engine| engine.decode(text).ok()),
            _ => None,
        };
        let bytes = bytes.filter(|bytes| bytes.len() == 32).ok_or(TxHashError)?;
        Ok(Self(hex::encode(bytes)))
    }
}

impl fmt::Display for TxHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TextForm for TxHash {
    const NAME: &'static str = "TxHash";
    const EXAMPLE: &'static str =
        "97a6ae7d5f3ce4b0c1b4bd5b2e5bb5b5d2a1a1d0c3f4e5b6a7988796a5b4c3d2";

    fn description() -> String {
        "Hash of a blockchain transaction: 64 hexadecimal digits, or 32 bytes in base64.".to_owned()
    }

    fn rule() -> TextRule {
        let pattern = "^([0-9A-Fa-f]{64}|[A-Za-z0-9_-]{43}=?|[A-Za-z0-9+/]{43}=?)$";
        TextRule::Pattern(pattern.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_the_same_in_each_form() {
        let bytes = [0xfb; 32];
        let standard = base64::prelude::BASE64_STANDARD.encode(bytes);
        for text in [
            hex::encode(bytes),
            hex::encode_upper(bytes),
            standard.replace('+', "-").replace('/', "_"),
            standard.trim_end_matches('=').to_owned(),
            standard,
        ] {
            assert_eq!(text.parse::<TxHash>().map(|it| it.to_string()), Ok(hex::encode(bytes)));
        }
        for text in [
            "",
            "a1b2c3d4e5f6...",
            &"a".repeat(63),
            &"a".repeat(65),
            &"g".repeat(64),
            &"=".repeat(44),
            &"é".repeat(22),
        ] {
            assert_eq!(text.parse::<TxHash>(), Err(TxHashError), "{text:?}");
        }
    }
}
