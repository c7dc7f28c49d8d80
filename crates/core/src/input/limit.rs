//! The limits that a request may hit, by name.

use crate::{
    input::{Error, fund_error::FundError, question_error::QuestionError},
    words,
};

words! {
    /// Limit that the request would exceed. There may be others in the future.
    pub enum Limit as "Limit" {
        /// Members of a group.
        Members = "members",
        /// Linked guests of a group or of a user.
        LinkedGuests = "linkedGuests",
        /// Links of guests in a group that wait to be confirmed.
        ProposedLinks = "proposedLinks",
        /// Shares of an expense and payers after the first.
        Shares = "shares",
        /// Rows that one request changes.
        ChangedRows = "changedRows",
        /// Rows that one request reads.
        History = "history",
        /// Open questions of a group.
        OpenQuestions = "openQuestions",
        /// Schedules of a group.
        Schedules = "schedules",
        /// API tokens of a user.
        Tokens = "tokens",
        /// Pending transactions of a fund.
        FundTransactions = "fundTransactions",
        /// Reports and cash-outs of a user that wait for an operator.
        FundWork = "fundWork",
        /// Bonuses of a user in a currency.
        Bonuses = "bonuses",
        /// Held payments of a user in a currency.
        HeldPayments = "heldPayments",
        /// Expenses of a group that are not indexed by date.
        UndatedExpenses = "undatedExpenses",
        /// Size of the body.
        BodySize = "bodySize",
        /// Size of an uploaded file.
        FileSize = "fileSize",
        /// Reads of a user on a day.
        DailyReads = "dailyReads",
        /// Writes of a user on a day.
        DailyWrites = "dailyWrites",
    }
}

impl Error {
    /// The limit that the request would exceed, if it is refused for that.
    #[must_use]
    pub const fn limit(&self) -> Option<Limit> {
        Some(match self {
            Self::TooManyMembers => Limit::Members,
            Self::TooManyLinks => Limit::LinkedGuests,
            Self::TooManyProposals => Limit::ProposedLinks,
            Self::TooManyShares(_) | Self::Question(QuestionError::TooManySharers(_)) => {
                Limit::Shares
            }
            Self::TooManyActions(_) => Limit::ChangedRows,
            Self::TooMuchHistory => Limit::History,
            Self::NotIndexed => Limit::UndatedExpenses,
            Self::TooManyTokens => Limit::Tokens,
            Self::TooManySchedules => Limit::Schedules,
            Self::Question(QuestionError::TooMany) => Limit::OpenQuestions,
            Self::Fund(FundError::TooMany { limit, .. }) => *limit,
            _ => return None,
        })
    }
}
