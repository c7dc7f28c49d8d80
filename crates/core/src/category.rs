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
