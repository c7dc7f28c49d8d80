//! The errors of refused changes of funds.

use fracti_texts::{Message, Says, errors, message};

use crate::{
    input::Limit,
    values::{fund_status::FundStatus, money::Money, time::Timestamp},
};

/// Error returned for a change of funds that is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FundError {
    /// Less is available than is needed.
    Insufficient {
        /// Amount that the request needs.
        needed: Money,
        /// Available amount.
        available: Money,
        /// Whether only cash counts.
        cash_only: bool,
    },
    /// The caller named another user.
    NotYours,
    /// The caller is not an operator.
    NotOperator,
    /// The caller would spend the funds of another payer.
    NotPayer,
    /// An API token would spend funds, or confirm what they pay.
    NotInApp,
    /// The transaction belongs to a settlement, with which it ends.
    OfSettlement,
    /// The user has no such transaction.
    NoTransaction,
    /// The user is in no group.
    NoUser,
    /// The deployment has no operator.
    Disabled,
    /// The recipient has not agreed to be paid from funds, or is not owed as much.
    NotAccepted,
    /// Nothing of the settlement is left to be paid outside of funds.
    Funded,
    /// The transaction has ended in another way.
    Final(FundStatus),
    /// The time of the transaction has run out.
    Over(Timestamp),
    /// An operator has given the reference before.
    ReferenceUsed,
    /// A fund has as many of something as are allowed.
    TooMany {
        /// The limit.
        limit: Limit,
        /// Maximum number.
        most: usize,
    },
}

impl Says for FundError {
    fn says(&self) -> Message {
        match self {
            Self::Insufficient { needed, available, cash_only } => {
                let currency = needed.currency;
                let needed = needed.to_major();
                let available = available.to_major();
                if *cash_only {
                    message!(
                        "{needed} {currency} of cash are needed, {available} {currency} are \
                         available",
                        "наличных средств нужно {needed} {currency}, доступно {available} \
                         {currency}"
                    )
                } else {
                    message!(
                        "{needed} {currency} are needed, {available} {currency} are available",
                        "нужно {needed} {currency}, доступно {available} {currency}"
                    )
                }
            }
            Self::NotYours => {
                message!("these are another user's funds", "это средства другого пользователя")
            }
            Self::NotOperator => {
                message!("only an operator can do this", "это может сделать только оператор")
            }
            Self::NotPayer => message!(
                "only the payer can pay from their funds",
                "платить из своих средств может только сам плательщик"
            ),
            Self::NotInApp => message!(
                "API tokens cannot do this; use the app",
                "с токеном API этого сделать нельзя; воспользуйтесь приложением"
            ),
            Self::OfSettlement => message!(
                "the transaction belongs to a settlement: complete or fail that",
                "операция относится к расчёту: завершите или отмените его"
            ),
            Self::NoTransaction => {
                message!("the transaction does not exist", "операция не найдена")
            }
            Self::NoUser => message!(
                "no group has a member with this id",
                "ни в одной группе нет участника с таким id"
            ),
            Self::Disabled => message!("funds are not enabled", "операции со средствами отключены"),
            Self::NotAccepted => message!(
                "the recipient has to confirm this payment",
                "этот платёж должен подтвердить получатель"
            ),
            Self::Funded => {
                message!("funds pay this settlement", "этот расчёт оплачивается из средств")
            }
            Self::Final(status) => message!(
                "the transaction is already {status}",
                "у операции уже окончательный статус: {status}"
            ),
            Self::Over(at) => {
                let day = at.day();
                let time = at.clock();
                message!(
                    "the hold expired on {day} at {time} UTC",
                    "срок удержания истёк {day} в {time} UTC"
                )
            }
            Self::ReferenceUsed => {
                message!("refId was already used", "значение refId уже использовано")
            }
            Self::TooMany { limit: Limit::FundWork, most } => message!(
                "at most {most} reports and cash-outs can wait for an operator",
                "сообщений о пополнении и выводов, ожидающих оператора, может быть не больше {most}"
            ),
            Self::TooMany { limit: Limit::Bonuses, most } => message!(
                "at most {most} bonuses per currency",
                "бонусов в одной валюте может быть не больше {most}"
            ),
            Self::TooMany { limit: Limit::HeldPayments, most } => message!(
                "at most {most} payments can be held per currency",
                "отложенных платежей в одной валюте может быть не больше {most}"
            ),
            Self::TooMany { most, .. } => message!(
                "at most {most} transactions can be pending per fund",
                "ожидающих операций с одними средствами может быть не больше {most}"
            ),
        }
    }
}

errors!(FundError);
