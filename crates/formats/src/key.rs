//! Identities of rows.

use std::{borrow::Cow, fmt};

use fracti_core::values::{id::ExpenseId, time::Day};
use icu_normalizer::ComposingNormalizerBorrowed;
use sha2::{Digest, Sha256};

/// Identity of a row: the app, and the app's own id or else the content of the row and its rank
/// among equal rows. It is the same in every later export of the same group, so a row that is
/// imported already is recognized.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key([u8; 32]);

impl Key {
    /// The identity of a row with this content, in whichever form its texts are saved.
    pub(crate) fn of(app: &str, content: &[&str]) -> Self {
        let content: Vec<_> = content.iter().map(|text| normal(text)).collect();
        Self::exactly(app, &content.iter().map(|text| &**text).collect::<Vec<_>>())
    }

    /// The identity of a row with exactly this content.
    pub(crate) fn exactly(app: &str, content: &[&str]) -> Self {
        let mut hash = Sha256::new();
        for part in [app].iter().chain(content) {
            // With their lengths, no two lists of parts have the same bytes.
            hash.update(part.len().to_be_bytes());
            hash.update(part);
        }
        Self(hash.finalize().into())
    }

    /// The identity of the next row with the content of this one.
    pub(crate) fn ranked(self, rank: u32) -> Self {
        let mut hash = Sha256::new();
        hash.update(self.0);
        hash.update(rank.to_be_bytes());
        Self(hash.finalize().into())
    }

    /// The bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// An expense id that only this row has. It decides who gets left-over minor units.
    pub(crate) fn expense(self, date: Day) -> ExpenseId {
        ExpenseId::new(date.start(), self.0.first_chunk().copied().unwrap_or_default())
    }
}

/// A text in the form NFC, with line feeds. Apps and systems save equal texts in several forms.
pub(crate) fn normal(text: &str) -> Cow<'_, str> {
    let nfc = ComposingNormalizerBorrowed::new_nfc().normalize(text);
    if nfc.contains("\r\n") { nfc.replace("\r\n", "\n").into() } else { nfc }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}
