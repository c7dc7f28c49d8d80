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

/// Word for expenses without a category.
pub const NO_CATEGORY: &str = "none";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guide_has_every_category() {
        let words: Vec<_> = Category::WORDS.iter().map(|word| format!("`{word}`")).collect();
        let (last, others) = words.split_last().unwrap();
        let list = format!("{} or {last}.", others.join(", "));
        let guide = include_str!("../../../../docs/api.md");
        let guide = guide.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(guide.contains(&format!("may have one `category`: {list}")), "{list}");
    }
}
