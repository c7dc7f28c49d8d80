//! The errors of refused questions and answers.

use crate::input::limits::{MAX_OPEN_QUESTIONS, MAX_SHARES};

/// Error returned for a question, or an answer to one, that is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuestionError {
    /// The member is not asked.
    #[error("this member is not asked")]
    NotAsked,
    /// The caller would answer for another user.
    #[error("you can answer only for yourself or for a guest")]
    NotYours,
    /// The caller did not ask the question.
    #[error("only the asker can close the question")]
    NotAsker,
    /// The caller neither asked the question nor paid.
    #[error("only the asker and the payers can apply the receipt")]
    NotPayer,
    /// The member has answered.
    #[error("this member has already answered the question")]
    Answered,
    /// The question is over, or has as many answers as it takes.
    #[error("the question takes no more answers")]
    Over,
    /// Items of the receipt are not claimed, each with what is missing.
    #[error("items of the receipt are unclaimed; send `unclaimed` to say who shares them")]
    Unclaimed(Vec<(usize, String)>),
    /// A payer of the receipt has left the group.
    #[error("a payer of the receipt has left the group; send payerId")]
    PayerLeft,
    /// The expense of the receipt was deleted.
    #[error("the expense of this question was deleted; restore it")]
    Deleted,
    /// Too many members claim or share items, or paid.
    #[error("an expense must have at most {MAX_SHARES} sharers and further payers, not {0}")]
    TooManySharers(usize),
    /// The group has as many open questions as are allowed.
    #[error("a group must have at most {MAX_OPEN_QUESTIONS} open questions")]
    TooMany,
}
