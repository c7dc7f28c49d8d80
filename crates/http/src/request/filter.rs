//! Query parameters that filter lists of expenses.

use fracti_core::expense::Filter;

use crate::{Parameters, QueryReader};

impl Parameters for Filter {
    /// Reads all conditions but the payer, which lists of the payer's own expenses do not have.
    fn read(query: &mut QueryReader) -> Self {
        let (from, to) = query.period("from", "to");
        Self {
            from,
            to,
            category: query.read("category"),
            payer: None,
            member: query.read("memberId"),
            text: query.read("q"),
        }
    }
}
