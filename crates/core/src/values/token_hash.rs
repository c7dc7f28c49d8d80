//! Hashes of API tokens and invitations, which the table stores in their place.

use std::{fmt, str::FromStr};

use fracti_texts::{Message, Says, errors, rule};
use sha2::{Digest, Sha256};

/// SHA-256 of an API token or of the code of an invitation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TokenHash([u8; 32]);

/// Error returned for a text that is not a hash in hexadecimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenHashError;

impl Says for TokenHashError {
    fn says(&self) -> Message {
        rule!(
            "{field} must have 64 hexadecimal digits",
            "{field} должно состоять из 64 шестнадцатеричных цифр"
        )
    }
}

errors!(TokenHashError);

impl TokenHash {
    /// The hash of a token or a code.
    #[must_use]
    pub fn of(token: &[u8]) -> Self {
        Self(Sha256::digest(token).into())
    }
}

impl fmt::Display for TokenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl FromStr for TokenHash {
    type Err = TokenHashError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut hash = [0; 32];
        hex::decode_to_slice(text, &mut hash).map_err(|_| TokenHashError)?;
        Ok(Self(hash))
    }
}
