//! Query parameters that filter lists of expenses.

use fracti_core::records::expense::Filter;

use crate::{
    request::{
        description::Description,
        query::{Parameters, QueryReader},
    },
    response::schemas,
};

impl Parameters for Filter {
    /// Reads all conditions but the payer, which lists of the payer's own expenses do not have.
    fn read(query: &mut QueryReader) -> Self {
        let (from, to) = query.period(
            ("from", "Return no expenses that happened before this day."),
            ("to", "Return no expenses that happened after this day."),
        );
        Self {
            from,
            to,
            category: query.text("category", "Return only expenses of this category."),
            payer: None,
            member: query.text("memberId", "Return only expenses that this member paid or shares."),
            text: query.read(
                "q",
                "Return only expenses with this text in their description or notes, regardless of \
                 case.",
                Description::inline::<schemas::SearchText>,
            ),
        }
    }
}
