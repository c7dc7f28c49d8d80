//! Filters of lists of expenses.

use serde::Serialize;

use super::Expense;
use crate::{
    values::{category::ExpenseCategory, id::MemberId, text::SearchText, time::Day},
    words,
};

words! {
    /// Order of a list of expenses, newest first.
    pub enum ListOrder as "ExpenseOrder" {
        /// By time of recording.
        Recorded = "recorded",
        /// By day, and by time of recording among those of one day.
        Date = "date",
    }
}

/// Conditions that the expenses of a list fulfil. Without a condition, all expenses do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Filter {
    /// First day on which the expense may have happened.
    pub from: Option<Day>,
    /// Last day on which it may have happened.
    pub to: Option<Day>,
    /// Its category.
    pub category: Option<ExpenseCategory>,
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

    /// Whether a condition names a member.
    #[must_use]
    pub const fn names_member(&self) -> bool {
        self.payer.is_some() || self.member.is_some()
    }

    /// The members whom conditions name.
    pub fn named(&self) -> impl Iterator<Item = MemberId> {
        [self.payer, self.member].into_iter().flatten()
    }

    /// Whether an expense fulfils all conditions. `resolve` gives the member whom an id means,
    /// since an expense may have the id of a guest who was linked to a user later.
    #[must_use]
    pub fn accepts(&self, expense: &Expense, resolve: impl Fn(MemberId) -> MemberId) -> bool {
        let Self { from, to, category, payer, member, text } = self;
        let is = |id: MemberId, member: MemberId| resolve(id) == resolve(member);
        let pays = |member| expense.payer_ids().any(|payer| is(payer, member));
        let shares = |member| expense.splits.iter().any(|share| is(share.user_id, member));
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
