//! Types that are written as text, and the schemas that follow for the API.

use fracti_texts::{Message, Says, errors, rule};

/// A type that is written as text.
pub trait TextForm {
    /// Name of the schema.
    const NAME: &'static str;

    /// A valid text.
    const EXAMPLE: &'static str;

    /// Whether a client may send a whole number instead.
    const OR_INTEGER: bool = false;

    /// Description of the schema.
    fn description() -> String;

    /// Rule for valid texts, as strict as JSON Schema allows.
    fn rule() -> TextRule;
}

/// A rule of JSON Schema for a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextRule {
    /// A format of JSON Schema, like `uuid`.
    Format(&'static str),
    /// A regular expression.
    Pattern(String),
    /// A maximum length, in characters, and a regular expression. The text is not empty.
    Length(usize, &'static str),
    /// One of these words.
    OneOf(&'static [&'static str]),
}

/// Error returned for a text that is none of these words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownWord(pub &'static [&'static str]);

impl Says for UnknownWord {
    fn says(&self) -> Message {
        let known = self.0.join(", ");
        rule!("{field} must be one of {known}", "{field} должно быть одним из следующих: {known}")
    }
}

errors!(UnknownWord);

/// Defines an enum whose variants are words in JSON and in rows, and the schema of these words.
#[macro_export]
macro_rules! words {
    (
        $(#[doc = $description:literal])+
        $vis:vis enum $name:ident as $schema:literal {
            $($(#[doc = $doc:literal])+ $variant:ident = $word:literal,)+
        }
    ) => {
        $(#[doc = $description])+
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord,
            serde::Serialize, serde::Deserialize,
        )]
        $vis enum $name {
            $($(#[doc = $doc])+ #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// The words of all variants.
            $vis const WORDS: &'static [&'static str] = &[$($word),+];

            /// All variants.
            $vis const ALL: [Self; Self::WORDS.len()] = [$(Self::$variant),+];
        }

        impl std::str::FromStr for $name {
            type Err = $crate::values::text_form::UnknownWord;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text {
                    $($word => Ok(Self::$variant),)+
                    _ => Err($crate::values::text_form::UnknownWord(Self::WORDS)),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self { $(Self::$variant => $word,)+ })
            }
        }

        impl $crate::values::text_form::TextForm for $name {
            const NAME: &'static str = $schema;
            const EXAMPLE: &'static str = match Self::WORDS {
                [first, ..] => first,
                [] => "",
            };

            fn description() -> String {
                concat!($($description),+).trim().to_owned()
            }

            fn rule() -> $crate::values::text_form::TextRule {
                $crate::values::text_form::TextRule::OneOf(Self::WORDS)
            }
        }
    };
}
