//! The list of all rows that the table may have.

use crate::{
    caller::{
        token::{Token, TokenList},
        usage::Usage,
    },
    chat::subscription::Subscription,
    funds::{
        fund::Fund,
        fund_queue::FundQueue,
        fund_total::{FundReference, FundTotal},
        fund_transaction::FundTransaction,
    },
    group::{ChatGroup, Group, MemberRow},
    input::Error,
    ledger::balance::{Balance, Checkpoint, Closing},
    personal::{spending::Spending, summary::DaySummary, targets::Targets},
    questions::{answer::Answer, points::Points, question::Question, receipt::QuestionDetails},
    records::{
        aside::AsideRow,
        deleted_expense::DeletedExpense,
        entry::Entry,
        expense::{Expense, PaidExpense, Participant},
        group_change::GroupChange,
        import::{ImportRow, ImportedSettlement},
        schedule::Schedule,
        settlement::{Settlement, UsedHash},
    },
    reports::tally::TallyRow,
    storage::{
        idempotency::IdempotencyRow,
        row::{AttributeValue, Item, KIND, Row, from_item, to_item},
    },
};

/// A kind of row.
#[derive(Clone, Copy, Debug)]
pub struct RowKind {
    /// Its name, [`Row::KIND`].
    pub name: &'static str,
    /// Version of the format in which it is written, [`Row::VERSION`].
    pub version: u32,
    rewrite: fn(Item) -> Result<Item, Error>,
}

/// All kinds of rows.
pub const ROWS: [RowKind; 36] = [
    RowKind::of::<Group>(),
    RowKind::of::<ChatGroup>(),
    RowKind::of::<Subscription>(),
    RowKind::of::<MemberRow>(),
    RowKind::of::<Expense>(),
    RowKind::of::<Participant>(),
    RowKind::of::<PaidExpense>(),
    RowKind::of::<DeletedExpense>(),
    RowKind::of::<Schedule>(),
    RowKind::of::<Settlement>(),
    RowKind::of::<ImportRow>(),
    RowKind::of::<ImportedSettlement>(),
    RowKind::of::<Balance>(),
    RowKind::of::<Closing>(),
    RowKind::of::<Checkpoint>(),
    RowKind::of::<GroupChange>(),
    RowKind::of::<TallyRow>(),
    RowKind::of::<Entry>(),
    RowKind::of::<UsedHash>(),
    RowKind::of::<AsideRow>(),
    RowKind::of::<Question>(),
    RowKind::of::<QuestionDetails>(),
    RowKind::of::<Answer>(),
    RowKind::of::<Points>(),
    RowKind::of::<IdempotencyRow>(),
    RowKind::of::<Spending>(),
    RowKind::of::<DaySummary>(),
    RowKind::of::<Targets>(),
    RowKind::of::<Usage>(),
    RowKind::of::<Token>(),
    RowKind::of::<TokenList>(),
    RowKind::of::<Fund>(),
    RowKind::of::<FundTransaction>(),
    RowKind::of::<FundQueue>(),
    RowKind::of::<FundTotal>(),
    RowKind::of::<FundReference>(),
];

impl RowKind {
    const fn of<T: Row>() -> Self {
        let rewrite = |item| to_item(&from_item::<T>(item)?);
        Self { name: T::KIND, version: T::VERSION, rewrite }
    }

    /// The kind of a row. Rows written before the attribute was introduced do not say theirs.
    #[must_use]
    pub fn find(item: &Item) -> Option<&'static Self> {
        let Some(AttributeValue::S(kind)) = item.get(KIND) else { return None };
        ROWS.iter().find(|row| row.name == kind)
    }

    /// The row as it is written today, with its keys.
    ///
    /// # Errors
    ///
    /// [`Error::Table`] if it is not a row of this kind, or of a later version.
    pub fn rewrite(&self, item: Item) -> Result<Item, Error> {
        (self.rewrite)(item)
    }
}

#[cfg(test)]
mod tests;
