//! Invitations: codes with which a group is joined, once a member has made one.

use std::{fmt, str::FromStr};

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use fracti_texts::{Message, Says, errors, rule};
use serde::{Deserialize, Serialize};

use crate::{
    group::Group,
    input::{Error, Field},
    values::{
        text_form::{TextForm, TextRule},
        token_hash::TokenHash,
        ton::TonAddress,
    },
    words,
};

/// The code of an invitation: 16 random bytes in base64url without padding. Its `Debug` form does
/// not show it.
///
/// <https://datatracker.ietf.org/doc/html/rfc4648#section-5>
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct InvitationCode(String);

/// Error returned for a text that is not the code of an invitation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvitationCodeError;

impl Says for InvitationCodeError {
    fn says(&self) -> Message {
        rule!(
            "{field} must be the code of an invitation: 22 characters of base64url",
            "{field} должно быть кодом приглашения: 22 символа base64url"
        )
    }
}

errors!(InvitationCodeError);

/// How a group is joined that a member has invited to. Other groups are joined by their id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Invitation {
    /// By the code with this hash.
    Code(TokenHash),
    /// Only from its chat.
    Closed,
}

words! {
    /// How the group is joined, once a member has invited to it.
    pub enum InvitationState as "InvitationState" {
        /// By the code of the newest invitation.
        Code = "code",
        /// Only from its chat.
        Closed = "closed",
    }
}

/// Request of a user who joins a group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JoiningUser {
    /// TON address at which the user is paid.
    pub wallet: Field<TonAddress>,
    /// The code of the invitation.
    pub invitation: Field<InvitationCode>,
}

impl InvitationCode {
    /// Number of random bytes of a code.
    pub const RANDOM: usize = 16;

    /// The code of these random bytes.
    #[must_use]
    pub fn new(random: [u8; Self::RANDOM]) -> Self {
        Self(BASE64_URL_SAFE_NO_PAD.encode(random))
    }

    /// The code as text.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Its hash, by which a group knows it.
    #[must_use]
    pub fn hash(&self) -> TokenHash {
        TokenHash::of(self.0.as_bytes())
    }
}

impl fmt::Debug for InvitationCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InvitationCode")
    }
}

impl FromStr for InvitationCode {
    type Err = InvitationCodeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let random = BASE64_URL_SAFE_NO_PAD.decode(text).map_err(|_| InvitationCodeError)?;
        random.try_into().map(Self::new).map_err(|_| InvitationCodeError)
    }
}

impl From<InvitationCode> for String {
    fn from(code: InvitationCode) -> Self {
        code.0
    }
}

impl TryFrom<String> for InvitationCode {
    type Error = InvitationCodeError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl TextForm for InvitationCode {
    const NAME: &'static str = "InvitationCode";
    const EXAMPLE: &'static str = "AAECAwQFBgcICQoLDA0ODw";

    fn description() -> String {
        "Code of an invitation".to_owned()
    }

    fn rule() -> TextRule {
        // The last character has only two bits.
        TextRule::Pattern("^[A-Za-z0-9_-]{21}[AQgw]$".to_owned())
    }
}

impl From<Invitation> for String {
    fn from(invitation: Invitation) -> Self {
        match invitation {
            Invitation::Code(hash) => hash.to_string(),
            Invitation::Closed => InvitationState::Closed.to_string(),
        }
    }
}

impl TryFrom<String> for Invitation {
    type Error = <TokenHash as FromStr>::Err;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if text == InvitationState::Closed.to_string() {
            return Ok(Self::Closed);
        }
        text.parse().map(Self::Code)
    }
}

impl From<Invitation> for InvitationState {
    fn from(invitation: Invitation) -> Self {
        match invitation {
            Invitation::Code(_) => Self::Code,
            Invitation::Closed => Self::Closed,
        }
    }
}

impl Group {
    /// The code with which the group is joined, if it is known: an earlier release that makes an
    /// invitation leaves an older code behind.
    #[must_use]
    pub fn known_code(&self) -> Option<&InvitationCode> {
        let code = self.invitation_code.as_ref()?;
        (self.invitation == Some(Invitation::Code(code.hash()))).then_some(code)
    }

    /// Checks that a user may join who has this code, or none.
    ///
    /// # Errors
    ///
    /// [`Error::InvitationRequired`].
    pub fn check_invitation(&self, code: Option<&InvitationCode>) -> Result<(), Error> {
        match self.invitation {
            None => Ok(()),
            Some(invitation)
                if code.is_some_and(|it| Invitation::Code(it.hash()) == invitation) =>
            {
                Ok(())
            }
            Some(_) => Err(Error::InvitationRequired),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_has_one_text() {
        let code = InvitationCode::new([0xff; 16]);
        assert_eq!(code.expose(), "_____________________w");
        assert_eq!(code.expose().parse(), Ok(code.clone()));
        assert_eq!(format!("{code:?}"), "InvitationCode");
        for wrong in
            ["", "_____________________x", "/////////////////////w", "____________________w"]
        {
            assert_eq!(wrong.parse::<InvitationCode>(), Err(InvitationCodeError), "{wrong}");
        }
        let padded = format!("{}==", code.expose());
        assert_eq!(padded.parse::<InvitationCode>(), Err(InvitationCodeError));
    }

    #[test]
    fn invitation_is_stored_as_text() {
        for invitation in [Invitation::Closed, Invitation::Code(TokenHash::of(b"x"))] {
            assert_eq!(Invitation::try_from(String::from(invitation)), Ok(invitation));
        }
    }
}
