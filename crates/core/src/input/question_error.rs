//! The errors of refused questions and answers.

use fracti_texts::{Message, Says, errors, message};

use crate::input::limits::{MAX_OPEN_QUESTIONS, MAX_SHARES};

/// Error returned for a question, or an answer to one, that is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuestionError {
    /// The member is not asked.
    NotAsked,
    /// The caller would answer for another user.
    NotYours,
    /// The caller did not ask the question.
    NotAsker,
    /// The caller neither asked the question nor paid.
    NotPayer,
    /// The member has answered.
    Answered,
    /// The question is over, or has as many answers as it takes.
    Over,
    /// Items of the receipt are not claimed, each with what is missing.
    Unclaimed(Vec<(usize, Message)>),
    /// A payer of the receipt has left the group.
    PayerLeft,
    /// The expense of the receipt was deleted.
    Deleted,
    /// Too many members claim or share items, or paid.
    TooManySharers(usize),
    /// The group has as many open questions as are allowed.
    TooMany,
}

impl Says for QuestionError {
    fn says(&self) -> Message {
        match self {
            Self::NotAsked => message!("this member is not asked", "этого участника не спрашивают"),
            Self::NotYours => message!(
                "you can answer only for yourself or for a guest",
                "отвечать можно только за себя или за гостя"
            ),
            Self::NotAsker => message!(
                "only the asker can close the question",
                "закрыть вопрос может только тот, кто его задал"
            ),
            Self::NotPayer => message!(
                "only the asker and the payers can apply the receipt",
                "провести чек могут только тот, кто задал вопрос, и плательщики"
            ),
            Self::Answered => message!(
                "this member has already answered the question",
                "этот участник уже ответил на вопрос"
            ),
            Self::Over => message!(
                "the question takes no more answers",
                "ответы на этот вопрос больше не принимаются"
            ),
            Self::Unclaimed(..) => message!(
                "items of the receipt are unclaimed; send `unclaimed` to say who shares them",
                "не все позиции чека разобраны; отправьте `unclaimed`, чтобы указать, кто их делит"
            ),
            Self::PayerLeft => message!(
                "a payer of the receipt has left the group; send payerId",
                "плательщик из чека покинул группу; отправьте payerId"
            ),
            Self::Deleted => message!(
                "the expense of this question was deleted; restore it",
                "расход этого вопроса удалён; восстановите его"
            ),
            Self::TooManySharers(count) => message!(
                "an expense must have at most {MAX_SHARES} sharers and further payers, not {count}",
                "участников и дополнительных плательщиков в расходе может быть не больше \
                 {MAX_SHARES}, а их {count}"
            ),
            Self::TooMany => message!(
                "a group must have at most {MAX_OPEN_QUESTIONS} open questions",
                "открытых вопросов в группе может быть не больше {MAX_OPEN_QUESTIONS}"
            ),
        }
    }
}

errors!(QuestionError);
