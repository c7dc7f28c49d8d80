//! TON addresses, at which members are paid.
//!
//! <https://docs.ton.org/learn/overviews/addresses>

use std::{fmt, str::FromStr};

use base64::{
    Engine,
    prelude::{BASE64_STANDARD, BASE64_URL_SAFE},
};
use crc::{CRC_16_XMODEM, Crc};
use fracti_texts::{Message, Says, errors, rule};
use serde::{Deserialize, Serialize};

use crate::values::text_form::{TextForm, TextRule};

const CHECKSUM: Crc<u16> = Crc::<u16>::new(&CRC_16_XMODEM);

/// Tags of bounceable and non-bounceable addresses, and the bit that marks a test network address.
const BOUNCEABLE: u8 = 0x11;
const NON_BOUNCEABLE: u8 = 0x51;
const TESTNET: u8 = 0x80;

/// A TON address of the main network, as its owner wrote it.
///
/// Rows are trusted, so deserializing accepts any text. Text from clients is parsed by [`FromStr`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TonAddress(String);

/// Error returned for a text that is not a TON address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TonAddressError {
    /// The text has neither the user-friendly nor the raw form.
    Form,
    /// The checksum is wrong: a character was mistyped.
    Checksum,
    /// The address is of the test network.
    Testnet,
}

impl Says for TonAddressError {
    fn says(&self) -> Message {
        match self {
            Self::Form => rule!(
                "{field} must be a TON address: 48 characters of base64, or 0: and 64 hexadecimal \
                 digits",
                "{field} должно быть адресом TON: 48 символов base64 или 0: и 64 шестнадцатеричные \
                 цифры"
            ),
            Self::Checksum => rule!(
                "{field} must have a valid checksum: a character was mistyped",
                "контрольная сумма в {field} не сходится: в адресе опечатка"
            ),
            Self::Testnet => rule!(
                "{field} must not be an address of TON's test network",
                "{field} не должно быть адресом тестовой сети TON"
            ),
        }
    }
}

errors!(TonAddressError);

impl TonAddress {
    /// The address stored in a row, without validation.
    pub(crate) fn stored(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// Whether it is a valid address. v0 rows may have shortened ones.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.0.parse::<Self>().is_ok()
    }
}

impl FromStr for TonAddress {
    type Err = TonAddressError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some(account) = text.strip_prefix("0:") {
            let hex = account.len() == 64 && account.bytes().all(|byte| byte.is_ascii_hexdigit());
            return hex.then(|| Self(text.to_owned())).ok_or(TonAddressError::Form);
        }
        let bytes = BASE64_URL_SAFE
            .decode(text)
            .or_else(|_| BASE64_STANDARD.decode(text))
            .map_err(|_| TonAddressError::Form)?;
        // 48 characters with padding decode to fewer than 36 bytes.
        let Some((body, checksum)) = bytes.split_last_chunk::<2>().filter(|_| bytes.len() == 36)
        else {
            return Err(TonAddressError::Form);
        };
        if CHECKSUM.checksum(body) != u16::from_be_bytes(*checksum) {
            return Err(TonAddressError::Checksum);
        }
        match body {
            [tag, ..] if tag & TESTNET != 0 => Err(TonAddressError::Testnet),
            // The basechain (0) or the masterchain (-1, encoded as 0xff).
            [BOUNCEABLE | NON_BOUNCEABLE, 0 | 0xff, ..] => Ok(Self(text.to_owned())),
            _ => Err(TonAddressError::Form),
        }
    }
}

impl fmt::Display for TonAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TextForm for TonAddress {
    const NAME: &'static str = "WalletAddress";
    const EXAMPLE: &'static str = "EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF";

    fn description() -> String {
        "TON mainnet address, in user-friendly form (its checksum is verified) or in raw form."
            .to_owned()
    }

    fn rule() -> TextRule {
        let pattern = "^([A-Za-z0-9_-]{48}|[A-Za-z0-9+/]{48}|0:[0-9A-Fa-f]{64})$";
        TextRule::Pattern(pattern.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// An example in user-friendly form.
    const FRIENDLY: &str = TonAddress::EXAMPLE;

    fn address(tag: u8, chain: u8) -> String {
        let mut bytes = vec![tag, chain];
        bytes.extend([0xa5; 32]);
        bytes.extend(CHECKSUM.checksum(&bytes).to_be_bytes());
        BASE64_URL_SAFE.encode(bytes)
    }

    #[test]
    fn mainnet_addresses_are_accepted_in_every_form() {
        for text in [
            FRIENDLY,
            &FRIENDLY.replace('-', "+").replace('_', "/"),
            &format!("0:{}", "cA".repeat(32)),
            &address(BOUNCEABLE, 0),
            &address(NON_BOUNCEABLE, 0xff),
        ] {
            assert_eq!(text.parse::<TonAddress>().map(|it| it.to_string()), Ok(text.to_owned()));
        }
    }

    #[test]
    fn invalid_and_testnet_addresses_are_refused() {
        use TonAddressError::{Checksum, Form, Testnet};
        for (text, error) in [
            ("", Form),
            ("EQBvI0aFLnw2XHNc7mpXc...", Form),
            (&FRIENDLY[1..], Form),
            (&format!("{FRIENDLY}A"), Form),
            (&FRIENDLY.replace('D', "E"), Checksum),
            (&address(BOUNCEABLE | TESTNET, 0), Testnet),
            (&address(NON_BOUNCEABLE | TESTNET, 0), Testnet),
            (&address(0x12, 0), Form),
            (&address(BOUNCEABLE, 1), Form),
            (&format!("0:{}", "c".repeat(63)), Form),
            (&format!("0:{}", "g".repeat(64)), Form),
            (&format!("1:{}", "c".repeat(64)), Form),
            (&"é".repeat(24), Form),
            // Found by fuzzing: one byte too short, with a checksum that happens to be valid.
            ("EQDKjbfM6ecIzt7KjKJJLJLshbjIcfM6ezt8KjKJJ2r5gq8=", Form),
        ] {
            assert_eq!(text.parse::<TonAddress>(), Err(error), "{text}");
        }
    }

    proptest! {
        #[test]
        fn address_with_a_mistyped_character_is_refused(index in 0..48_usize, other in "[A-Za-z0-9_-]") {
            let mut text = FRIENDLY.to_owned();
            text.replace_range(index..=index, &other);
            prop_assume!(text != FRIENDLY);
            prop_assert!(text.parse::<TonAddress>().is_err());
        }
    }
}
