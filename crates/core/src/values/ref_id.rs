//! The reference of a payment outside of Fracti.

use std::{fmt, str::FromStr};

use fracti_texts::{Message, Says, errors, rule};
use serde::{Deserialize, Serialize};

use crate::{
    values::{
        text_form::{TextForm, TextRule},
        tx_hash::TxHash,
    },
    words,
};

/// Reference of a payment outside of Fracti, by which an operator finds it again: that of a bank,
/// or the hash of a blockchain transaction. It has only ASCII, so that one reference has one text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RefId(String);

words! {
    /// Use that an operator makes of a reference. A reference counts once for each use.
    pub enum ReferenceUse as "ReferenceUse" {
        /// A payment, or a gift.
        Payment = "payment",
        /// The correction of a mistake, which has the reference of the mistake.
        Correction = "correction",
    }
}

/// Error returned for a text that is not a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefIdError;

impl Says for RefIdError {
    fn says(&self) -> Message {
        rule!(
            "{field} must be 1 to 64 visible ASCII characters, with blanks only between others",
            "{field} должно состоять из 1–64 видимых символов ASCII; пробелы — только между ними"
        )
    }
}

errors!(RefIdError);

impl RefId {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The form in which references are compared: letters of one case, and single blanks.
    #[must_use]
    pub fn compared(&self) -> String {
        let words: Vec<_> = self.0.split_ascii_whitespace().collect();
        words.join(" ").to_ascii_lowercase()
    }

    /// Whether both are the same reference, however they are spelt.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.compared() == other.compared()
    }
}

impl FromStr for RefId {
    type Err = RefIdError;

    fn from_str(text: &str) -> Result<Self, RefIdError> {
        let is_valid = (1..=64).contains(&text.len())
            && text.bytes().all(|byte| (0x20..0x7f).contains(&byte))
            && text.trim() == text;
        is_valid.then(|| Self(text.to_owned())).ok_or(RefIdError)
    }
}

/// The hash of a transaction, which has one form.
impl From<TxHash> for RefId {
    fn from(hash: TxHash) -> Self {
        Self(hash.to_string())
    }
}

impl fmt::Display for RefId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TextForm for RefId {
    const NAME: &'static str = "RefId";
    const EXAMPLE: &'static str = "bank 4711";

    fn description() -> String {
        "Reference of a payment outside of Fracti, like that of a bank: 1 to 64 visible ASCII \
         characters, with blanks only between others."
            .to_owned()
    }

    fn rule() -> TextRule {
        TextRule::Pattern("^[!-~]([ -~]{0,62}[!-~])?$".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_the_same_in_each_spelling() {
        let bank: RefId = "bank 4711".parse().unwrap();
        for (text, is_same) in
            [("Bank 4711", true), ("BANK   4711", true), ("bank4711", false), ("bank 4712", false)]
        {
            assert_eq!(bank.is_same(&text.parse().unwrap()), is_same, "{text}");
        }
    }

    #[test]
    fn a_reference_is_visible_ascii() {
        let [longest, too_long] = [64, 65].map(|length| "7".repeat(length));
        for (text, is_valid) in [
            ("bank 4711", true),
            ("x", true),
            (longest.as_str(), true),
            (too_long.as_str(), false),
            ("", false),
            (" ", false),
            ("4711 ", false),
            ("bank\t4711", false),
            ("Überweisung", false),
        ] {
            assert_eq!(text.parse::<RefId>().is_ok(), is_valid, "{text:?}");
        }
    }
}
