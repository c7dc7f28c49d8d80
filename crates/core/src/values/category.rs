//! Categories of expenses.

use crate::words;

words! {
    /// Category of an expense.
    pub enum Category as "ExpenseCategory" {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_categories_are_those_with_a_word() {
        let words: Vec<_> = Category::all().map(|category| category.to_string()).collect();
        assert_eq!(words, Category::WORDS);
    }
}
