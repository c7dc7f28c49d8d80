//! Categories of expenses and spendings: the built-in ones, and keys of other ones.

use std::{borrow::Borrow, fmt, str::FromStr};

use fracti_texts::{Message, Says, errors, rule};
use serde::{Deserialize, Serialize};

use crate::{
    values::text_form::{TextForm, TextRule},
    words,
};

words! {
    /// Category that every expense and every spending may have.
    pub enum Category as "BuiltInCategory" {
        /// Eating and drinking.
        Food = "food",
        /// Getting there.
        Transport = "transport",
        /// Having fun.
        Entertainment = "entertainment",
        /// Buying things.
        Shopping = "shopping",
        /// Power, water, network.
        Utilities = "utilities",
        /// A place to live.
        Rent = "rent",
        /// Journeys.
        Travel = "travel",
        /// Staying or getting well.
        Health = "health",
        /// Learning.
        Education = "education",
        /// Anything else.
        Other = "other",
    }
}

impl Category {
    /// All categories, in the order in which clients show them.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::WORDS.iter().filter_map(|word| word.parse().ok())
    }

    /// Name in English.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.look().0
    }

    /// Emoji.
    #[must_use]
    pub const fn emoji(self) -> &'static str {
        self.look().1
    }

    /// Name and emoji.
    const fn look(self) -> (&'static str, &'static str) {
        match self {
            Self::Food => ("Food", "🍽️"),
            Self::Transport => ("Transport", "🚌"),
            Self::Entertainment => ("Entertainment", "🎬"),
            Self::Shopping => ("Shopping", "🛍️"),
            Self::Utilities => ("Utilities", "💡"),
            Self::Rent => ("Rent", "🏠"),
            Self::Travel => ("Travel", "✈️"),
            Self::Health => ("Health", "💊"),
            Self::Education => ("Education", "🎓"),
            Self::Other => ("Other", "📦"),
        }
    }
}

/// Word for expenses without a category.
pub const NO_CATEGORY: &str = "none";

/// Key of the target for all spendings together.
pub const TOTAL: &str = "total";

/// Fields beside the targets in views and requests of targets.
const FIELDS: [&str; 4] = ["version", "period", "currency", "registry"];

/// Whether no category of a user's or a group's own may have this key.
pub(crate) fn is_reserved(key: &str) -> bool {
    [TOTAL, NO_CATEGORY].contains(&key) || FIELDS.contains(&key) || Category::WORDS.contains(&key)
}

/// Key of a category: its characters, and zeros after them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CategoryKey([u8; Self::MAX_LENGTH]);

/// Error returned for a text that is not the key of a category.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CategoryKeyError;

impl Says for CategoryKeyError {
    fn says(&self) -> Message {
        rule!(
            "{field} must be 1 to {most} lower-case letters, digits and underscores that begin \
             with a letter",
            "{field} должно состоять из 1–{most} строчных латинских букв, цифр и подчёркиваний и \
             начинаться с буквы",
            most = CategoryKey::MAX_LENGTH
        )
    }
}

errors!(CategoryKeyError);

impl CategoryKey {
    /// Maximum length, in characters.
    pub const MAX_LENGTH: usize = 32;

    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        let length = self.0.iter().position(|byte| *byte == 0).unwrap_or(Self::MAX_LENGTH);
        self.0.get(..length).and_then(|it| str::from_utf8(it).ok()).unwrap_or_default()
    }
}

impl FromStr for CategoryKey {
    type Err = CategoryKeyError;

    fn from_str(text: &str) -> Result<Self, CategoryKeyError> {
        let known = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_');
        let is_valid =
            text.starts_with(|first: char| first.is_ascii_lowercase()) && text.bytes().all(known);
        let mut key = [0; Self::MAX_LENGTH];
        let start = key.get_mut(..text.len()).filter(|_| is_valid).ok_or(CategoryKeyError)?;
        start.copy_from_slice(text.as_bytes());
        Ok(Self(key))
    }
}

impl TryFrom<String> for CategoryKey {
    type Error = CategoryKeyError;

    fn try_from(text: String) -> Result<Self, CategoryKeyError> {
        text.parse()
    }
}

impl From<CategoryKey> for String {
    fn from(key: CategoryKey) -> Self {
        key.as_str().to_owned()
    }
}

impl Borrow<str> for CategoryKey {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Display for CategoryKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for CategoryKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

impl TextForm for CategoryKey {
    const NAME: &'static str = "CategoryKey";
    const EXAMPLE: &'static str = "pets";

    fn description() -> String {
        "Key of a category: a built-in one, or one of a user's or a group's own.".to_owned()
    }

    fn rule() -> TextRule {
        TextRule::Pattern("^[a-z][a-z0-9_]{0,31}$".to_owned())
    }
}

/// Category of an expense: a built-in one, or one of the group's own. An expense keeps one that the
/// group does not have any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum ExpenseCategory {
    /// A built-in one.
    BuiltIn(Category),
    /// One of the group's own.
    Own(CategoryKey),
}

impl ExpenseCategory {
    /// The category, if it is a built-in one.
    #[must_use]
    pub const fn built_in(self) -> Option<Category> {
        match self {
            Self::BuiltIn(category) => Some(category),
            Self::Own(_) => None,
        }
    }
}

/// Error returned for a text that is not a category that an expense of the group may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownCategory;

impl Says for UnknownCategory {
    fn says(&self) -> Message {
        rule!(
            "{field} must be one of {known}, or one of the group's own categories",
            "{field} должно быть категорией группы или одной из следующих: {known}",
            known = Category::WORDS.join(", ")
        )
    }
}

errors!(UnknownCategory);

impl FromStr for ExpenseCategory {
    type Err = UnknownCategory;

    fn from_str(text: &str) -> Result<Self, UnknownCategory> {
        match text.parse() {
            Ok(category) => Ok(Self::BuiltIn(category)),
            Err(_) if is_reserved(text) => Err(UnknownCategory),
            Err(_) => text.parse().map(Self::Own).map_err(|_| UnknownCategory),
        }
    }
}

impl TryFrom<String> for ExpenseCategory {
    type Error = UnknownCategory;

    fn try_from(text: String) -> Result<Self, UnknownCategory> {
        text.parse()
    }
}

impl From<ExpenseCategory> for String {
    fn from(category: ExpenseCategory) -> Self {
        category.to_string()
    }
}

impl From<Category> for ExpenseCategory {
    fn from(category: Category) -> Self {
        Self::BuiltIn(category)
    }
}

impl fmt::Display for ExpenseCategory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn(category) => category.fmt(f),
            Self::Own(key) => key.fmt(f),
        }
    }
}

impl TextForm for ExpenseCategory {
    const NAME: &'static str = "ExpenseCategory";
    const EXAMPLE: &'static str = "food";

    fn description() -> String {
        let words = Category::WORDS.join("`, `");
        format!("Category of an expense: `{words}`, or the key of one of the group's own.")
    }

    fn rule() -> TextRule {
        CategoryKey::rule()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_categories_are_those_with_a_word() {
        let words: Vec<_> = Category::all().map(|category| category.to_string()).collect();
        assert_eq!(words, Category::WORDS);
    }

    #[test]
    fn categories_are_read_as_they_are_written_and_built_in_ones_come_first() {
        let long = "a".repeat(32);
        let sorted = ["food", "other", "a_1", &*long, "pets", "pets2"];
        let read: Vec<ExpenseCategory> = sorted.iter().map(|key| key.parse().unwrap()).collect();
        assert!(read.is_sorted());
        assert_eq!(read.iter().map(ToString::to_string).collect::<Vec<_>>(), sorted);
        assert_eq!(read[0], Category::Food.into());
        for text in ["", "none", "total", "registry", "Pets", "1pet", "pets#", &"a".repeat(33)] {
            assert_eq!(text.parse::<ExpenseCategory>(), Err(UnknownCategory), "{text}");
        }
    }
}
