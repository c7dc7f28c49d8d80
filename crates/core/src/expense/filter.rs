//! Filters of lists of expenses.

use serde::Serialize;

use super::{Category, Expense};
use crate::{id::MemberId, text::SearchText, time::Day};

/// Conditions that the expenses of a list fulfil. Without a condition, all expenses do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Filter {
    /// First day on which the expense may have happened.
    pub from: Option<Day>,
    /// Last day on which it may have happened.
    pub to: Option<Day>,
    /// Its category.
    pub category: Option<Category>,
    /// Member who paid it, alone or with others.
    pub payer: Option<MemberId>,
    /// Member who paid it or owes a share of it, even a share of zero.
    pub member: Option<MemberId>,
    /// Text in its description or its notes, regardless of case.
    pub text: Option<SearchText>,
}

impl Filter {
    /// Whether there are no conditions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether an expense fulfils all conditions.
    #[must_use]
    pub fn accepts(&self, expense: &Expense) -> bool {
        let Self { from, to, category, payer, member, text } = self;
        let pays = |member| expense.is_paid_by(member);
        let shares = |member| expense.splits.iter().any(|share| share.user_id == member);
        let contains = |text: &SearchText| {
            let text = text.as_str().to_lowercase();
            let texts = [Some(&expense.description), expense.notes.as_ref()];
            texts.into_iter().flatten().any(|it| it.to_lowercase().contains(&text))
        };
        from.is_none_or(|from| from <= expense.day())
            && to.is_none_or(|to| expense.day() <= to)
            && category.is_none_or(|category| expense.category == Some(category))
            && payer.is_none_or(pays)
            && member.is_none_or(|member| pays(member) || shares(member))
            && text.as_ref().is_none_or(contains)
    }
}
