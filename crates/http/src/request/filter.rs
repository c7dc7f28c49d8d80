//! Query parameters that filter lists of expenses.

use fracti_core::expense::Filter;

use utoipa::IntoParams;

use crate::{Parameters, QueryReader, schemas};

/// Query parameters of [`Filter`], as the OpenAPI document describes them.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the parameters that are read")]
pub struct FilterParams {
    /// Return no expenses that happened before this day.
    from: Option<schemas::CalendarDate>,
    /// Return no expenses that happened after this day.
    to: Option<schemas::CalendarDate>,
    /// Return only expenses of this category.
    category: Option<schemas::ExpenseCategory>,
    /// Return only expenses that this member paid or shares.
    member_id: Option<schemas::MemberId>,
    /// Return only expenses with this text in their description or notes, regardless of case.
    #[param(inline)]
    q: Option<schemas::SearchText>,
}

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
