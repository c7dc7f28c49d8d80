//! Texts, amounts and days as people read them, in the languages of the page.

mod expense;
mod group;
mod number;
mod own;
mod question;
pub(crate) mod script;
mod table;

use std::{convert::Infallible, fmt};

use axum::{extract::FromRequestParts, http::request::Parts};
use fracti_http::{AcceptLanguage, App};
use fracti_texts::Language;
use maud::{Markup, html};

/// The texts of the page, in the language of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Texts(pub(crate) Language);

impl FromRequestParts<App> for Texts {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Infallible> {
        let AcceptLanguage(language) = AcceptLanguage::from_request_parts(parts, app).await?;
        Ok(Self(language))
    }
}

impl Texts {
    /// The form of a word that goes with a number, as [`Language::plural`].
    const fn plural<'a>(
        self,
        number: u64,
        english: [&'a str; 2],
        russian: [&'a str; 3],
    ) -> &'a str {
        self.0.plural(number, english, russian)
    }
}

/// Characters that stand for the parts of a [`sentence`]. They are for private use, so that no text
/// has them.
const PLACES: [char; 3] = ['\u{e000}', '\u{e001}', '\u{e002}'];

/// A text whose arguments are markup: names and amounts, each of which keeps its own direction.
#[expect(clippy::needless_pass_by_value, reason = "the parts are made for their places")]
pub(crate) fn sentence<const N: usize>(
    parts: [Markup; N],
    text: impl FnOnce([char; N]) -> String,
) -> Markup {
    const { assert!(N <= PLACES.len()) };
    let places = std::array::from_fn(|place| PLACES.get(place).copied().unwrap_or_default());
    let text = text(places);
    let mut texts = text.split(places);
    let first = texts.next().unwrap_or_default();
    let marks = text.chars().filter(|it| places.contains(it));
    let part = |mark| places.iter().zip(&parts).find(|(place, _)| **place == mark);
    html! {
        (first)
        @for (mark, text) in marks.zip(texts) {
            @if let Some((_, part)) = part(mark) { (part) }
            (text)
        }
    }
}

/// Declares texts: a row has a name, its arguments, and the text in each language.
macro_rules! texts {
    ($($name:ident $(($($argument:ident),+))? { $english:literal, $russian:literal })+) => {
        impl crate::text::Texts {
            $(crate::text::text! { $name $(($($argument),+))? { $english, $russian } })+
        }
    };
}
pub(crate) use texts;

/// Declares one text.
macro_rules! text {
    ($name:ident { $english:literal, $russian:literal }) => {
        pub(crate) const fn $name(self) -> &'static str {
            match self.0 { Language::English => $english, Language::Russian => $russian }
        }
    };
    ($name:ident ($($argument:ident),+) { $english:literal, $russian:literal }) => {
        pub(crate) fn $name(self, $($argument: impl std::fmt::Display),+) -> String {
            match self.0 { Language::English => format!($english),
                Language::Russian => format!($russian) }
        }
    };
}
pub(crate) use text;

/// The code of the language.
impl fmt::Display for Texts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.code())
    }
}
