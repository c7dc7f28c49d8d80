//! The error of all operations.

use std::{error, fmt};

use fracti_texts::{Message, Says, message};

use crate::{
    input::{
        field::{FieldError, FieldErrors, Path, Unreadable},
        fund_error::FundError,
        limits::{
            MAX_LINKS, MAX_LINKS_OF_USER, MAX_MEMBERS, MAX_PROPOSED_LINKS, MAX_SCHEDULES,
            MAX_SHARES, MAX_TOKENS,
        },
        question_error::QuestionError,
    },
    values::{currency::Currency, id::SettlementId, settlement_status::SettlementError},
};

/// Kind of a failure of the service, as the field `kind` of a log line has it. Alarms filter on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// A group's ledger does not match its rows.
    LedgerMismatch,
    /// A user's funds do not match their transactions.
    FundsMismatch,
    /// The table refused a request or holds an unreadable row.
    Table,
    /// The table did not answer in time.
    Unavailable,
    /// An error in Fracti.
    Internal,
}

impl FailureKind {
    /// The text of the log line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::LedgerMismatch => "LEDGER_MISMATCH",
            Self::FundsMismatch => "FUNDS_MISMATCH",
            Self::Table => "TABLE",
            Self::Unavailable => "UNAVAILABLE",
            Self::Internal => "INTERNAL",
        }
    }
}

/// Error returned by operations, independent of the transport.
///
/// A failed operation has changed nothing, except that the outcome is unknown after
/// [`Unavailable`](Self::Unavailable).
///
/// An error has a variant of its own only if some caller handles it differently.
#[derive(Debug)]
pub enum Error {
    /// There is no such group.
    NoGroup,
    /// The caller is not a member of the group; as documented of an operation, also
    /// [`Left`](Self::Left) and [`Removed`](Self::Removed).
    NotMember,
    /// The caller has left the group.
    Left,
    /// The group has no such member.
    NoMember,
    /// The caller is in no group with the user.
    NoSharedGroup,
    /// The member is a user, whose name comes from Telegram.
    NotGuest,
    /// The member is a user, who cannot be linked.
    NotLinkable,
    /// A link of the guest to another user is proposed.
    LinkProposed,
    /// No link of the guest is proposed.
    NoLink,
    /// The caller did not propose the link, and another member has to confirm it.
    NotYourLink,
    /// A link is confirmed in the app, and not by an API token.
    LinkNotInApp,
    /// The group already has the maximum number of proposed links.
    TooManyProposals,
    /// The guest is linked to a user, which is final.
    AlreadyLinked,
    /// The group, or the user, already has the maximum number of links.
    TooManyLinks,
    /// Another present member has the name.
    NameTaken,
    /// The caller was removed from the group.
    Removed,
    /// The group is joined with an invitation, and the caller has not its code.
    InvitationRequired,
    /// The member may not be removed by the caller.
    NotRemovable,
    /// The chat has another group, with other members or records in it.
    ChatTaken,
    /// The group is archived.
    GroupArchived,
    /// The member has open balances or pending settlements.
    NotSettled(Unsettled),
    /// Members of the group have open balances, as positive sums, or pending settlements.
    OpenBalances(Unsettled),
    /// The creator is not the only user in the group.
    NotAlone,
    /// The caller did not create the group.
    NotCreator,
    /// There is no such expense in the group.
    NoExpense,
    /// There is no such settlement in the group.
    NoSettlement,
    /// There is no such schedule in the group.
    NoSchedule,
    /// The group already has the maximum number of schedules.
    TooManySchedules,
    /// The user has no such spending.
    NoSpending,
    /// The request cannot be read.
    Unreadable(Unreadable),
    /// Fields of the request break rules.
    Invalid(FieldErrors),
    /// The expense has more shares than one transaction can write. The value is their number.
    TooManyShares(usize),
    /// The caller is a member, but neither paid nor recorded the expense.
    NotYourExpense,
    /// There is no such import in the group.
    NoImport,
    /// The caller did not import the file, and the member who did is still present.
    NotYourImport,
    /// The import is being undone, and cannot record anything until it is `undone`.
    ImportUndoing,
    /// A file differs from what earlier imports of the app have recorded, which the request does
    /// not confirm.
    ImportDiffers {
        /// Number of rows that have changed.
        changed: usize,
        /// Number of rows that are gone.
        gone: usize,
    },
    /// There is no such entry in the group's ledger.
    NoEntry,
    /// The entry belongs to an expense or a settlement, and cannot be reverted by itself.
    NotAnAdjustment(Message),
    /// The caller neither pushed the adjustment nor is a member whose balance it changed.
    NotYourAdjustment(String),
    /// The resource has changed since the caller read it.
    Changed,
    /// The targets have another version than the client has read. The value is the current one.
    VersionConflict(u64),
    /// The write does not fit into one transaction. The value is the number of its actions.
    TooManyActions(usize),
    /// The request would read more rows than one request may.
    TooMuchHistory,
    /// The group has too many expenses without keys in the index by day.
    NotIndexed,
    /// The group has rows of the TypeScript Fracti, which `fracti-admin migrate` has not converted
    /// yet, or the user is in such a group.
    NotMigrated,
    /// The group already has the maximum number of members.
    TooManyMembers,
    /// The ledger does not match its rows.
    Discrepancy(Cause),
    /// The caller may not change the settlement in this way, or it is final.
    Settlement(SettlementError),
    /// There is no such question in the group.
    NoQuestion,
    /// The question, or an answer to it, is refused.
    Question(QuestionError),
    /// The change of funds is refused.
    Fund(FundError),
    /// A user's funds do not match their transactions.
    FundsMismatch(Cause),
    /// An equal settlement, this one, is pending.
    PaymentPending(SettlementId),
    /// Another settlement already has the hash of this blockchain transaction.
    TxHashUsed,
    /// The user has no such API token.
    NoToken,
    /// The user already has the maximum number of API tokens.
    TooManyTokens,
    /// The idempotency key was already used for a different request.
    KeyReused,
    /// The check of the request's credential or quota has refused it; nothing was sent.
    NotAdmitted,
    /// Other writers were faster each time until the deadline.
    Contended,
    /// The table did not respond, or throttled the requests, until the deadline. A write that was
    /// sent may still be committed.
    Unavailable(Cause),
    /// Something that cannot happen has happened: an error in Fracti.
    Internal(&'static str),
    /// The table refused a request, or holds a row that cannot be read, because of an error in
    /// Fracti or in its deployment.
    Table(Cause),
}

impl Says for Error {
    #[expect(clippy::too_many_lines, reason = "a message each")]
    fn says(&self) -> Message {
        match self {
            Self::NoGroup => message!("the group does not exist", "группа не найдена"),
            Self::NotMember => {
                message!("the caller is not a member of the group", "вы не состоите в этой группе")
            }
            Self::Left => message!(
                "the caller has left the group, and may join it again",
                "вы покинули группу, но можете вступить в неё снова"
            ),
            Self::NoMember => {
                message!("the group has no such member", "такого участника в группе нет")
            }
            Self::NoSharedGroup => message!(
                "you are in no group with this user",
                "у вас нет общих групп с этим пользователем"
            ),
            Self::NotGuest => message!(
                "only guests can be renamed; a user's name comes from Telegram",
                "переименовать можно только гостя; имя пользователя берётся из Telegram"
            ),
            Self::NotLinkable => message!(
                "only guests can be linked to users",
                "связать с пользователем можно только гостя"
            ),
            Self::LinkProposed => message!(
                "a link of the guest to another user waits to be confirmed; withdraw it first",
                "связь этого гостя с другим пользователем ждёт подтверждения; сначала отзовите её"
            ),
            Self::NoLink => message!(
                "no link of the guest waits to be confirmed",
                "у этого гостя нет связи, которая ждёт подтверждения"
            ),
            Self::NotYourLink => message!(
                "only who proposed the link or the user whom it names can end the proposal",
                "отозвать предложение может только тот, кто его сделал, или названный в нём \
                 пользователь"
            ),
            Self::LinkNotInApp => message!(
                "who a guest is can be confirmed only in the app, not by an API token",
                "подтвердить, кто этот гость, можно только в приложении, а не по токену API"
            ),
            Self::TooManyProposals => message!(
                "at most {MAX_PROPOSED_LINKS} links of guests may wait to be confirmed in a group; \
                 confirm or withdraw some first",
                "в группе могут ждать подтверждения не больше {MAX_PROPOSED_LINKS} связей гостей; \
                 сначала подтвердите или отзовите часть из них"
            ),
            Self::AlreadyLinked => message!(
                "the guest is already linked to a user, which is final",
                "гость уже связан с пользователем, и изменить это нельзя"
            ),
            Self::TooManyLinks => message!(
                "a group must have at most {MAX_LINKS} linked guests, and at most \
                 {MAX_LINKS_OF_USER} for each user",
                "связанных гостей в группе может быть не больше {MAX_LINKS}, а у одного \
                 пользователя — не больше {MAX_LINKS_OF_USER}"
            ),
            Self::NameTaken => message!(
                "another member of the group has the name; send another name",
                "это имя уже занято другим участником группы; выберите другое"
            ),
            Self::Removed => message!(
                "the caller was removed from the group; a member may restore them",
                "вас удалили из группы; вернуть вас может любой участник"
            ),
            Self::InvitationRequired => message!(
                "the group is joined with an invitation; ask a member for the newest one",
                "в группу вступают по приглашению; попросите у участника самое новое"
            ),
            Self::NotRemovable => message!(
                "only the creator of a group may remove a user, and the creator cannot be removed; \
                 guests may be removed by any member",
                "удалить пользователя может только создатель группы, а самого создателя удалить \
                 нельзя; гостей может удалить любой участник"
            ),
            Self::ChatTaken => message!(
                "the chat has a group already, in which others are or something was recorded",
                "у чата уже есть группа, в которой есть другие участники или записи"
            ),
            Self::GroupArchived => message!(
                "the group is in the archive and cannot be changed; take it out of the archive first",
                "группа в архиве, изменить её нельзя; сначала верните её из архива"
            ),
            Self::NotSettled(..) => message!(
                "the member has open balances or pending settlements; settle them first",
                "у участника есть непогашенные балансы или ожидающие расчёты; сначала завершите их"
            ),
            Self::OpenBalances(..) => message!(
                "the group has open balances or pending settlements; settle them first",
                "в группе есть непогашенные балансы или ожидающие расчёты; сначала завершите их"
            ),
            Self::NotAlone => message!(
                "other users are in the group; delete it once they have left or you removed them",
                "в группе есть другие пользователи; удалить её можно, когда они выйдут или вы их \
                 удалите"
            ),
            Self::NotCreator => message!(
                "only the creator of a group may delete it",
                "удалить группу может только её создатель"
            ),
            Self::NoExpense => message!(
                "the expense does not exist in this group",
                "расход не найден в этой группе"
            ),
            Self::NoSettlement => message!(
                "the settlement does not exist in this group",
                "расчёт не найден в этой группе"
            ),
            Self::NoSchedule => message!(
                "the schedule does not exist in this group",
                "расписание не найдено в этой группе"
            ),
            Self::TooManySchedules => message!(
                "a group must have at most {MAX_SCHEDULES} schedules; delete one first",
                "расписаний в группе может быть не больше {MAX_SCHEDULES}; сначала удалите одно"
            ),
            Self::NoSpending => message!("the spending does not exist", "трата не найдена"),
            Self::Unreadable(inner) => inner.says(),
            Self::Invalid(errors) => errors.says(),
            Self::TooManyShares(count) => message!(
                "an expense must have at most {MAX_SHARES} splits and further payers, not {count}",
                "долей и дополнительных плательщиков в расходе может быть не больше {MAX_SHARES}, \
                 а их {count}"
            ),
            Self::NotYourExpense => message!(
                "only the payer of an expense and the member who recorded it may change it",
                "изменить расход могут только тот, кто заплатил, и тот, кто его записал"
            ),
            Self::NoImport => message!(
                "the import does not exist in this group",
                "импорт не найден в этой группе"
            ),
            Self::NotYourImport => message!(
                "only the member who imported a file may undo the import, unless they have left",
                "отменить импорт может только тот, кто загрузил файл, если он не покинул группу"
            ),
            Self::ImportUndoing => message!(
                "the import is being undone; repeat the undo until it has ended",
                "импорт отменяется; повторяйте отмену, пока она не завершится"
            ),
            Self::ImportDiffers { changed, gone } => message!(
                "the file is a later export: {changed} of its rows have changed since an earlier \
                 import, and {gone} rows of earlier imports are not in it; see the differences in \
                 the plan, and send its confirm",
                "это более поздняя выгрузка: с прошлого импорта изменилось строк — {changed}, \
                 исчезло строк — {gone}; посмотрите различия в плане и отправьте его confirm"
            ),
            Self::NoEntry => message!(
                "the entry does not exist in this group's ledger",
                "запись не найдена в журнале этой группы"
            ),
            Self::NotAnAdjustment(why) => why.clone(),
            Self::NotYourAdjustment(entry) => message!(
                "adjustment {entry} may be reverted only by the member who pushed it and by the \
                 members whose balances it changed",
                "корректировку {entry} могут отменить только тот, кто её внёс, и те, чьи балансы \
                 она изменила"
            ),
            Self::Changed => message!(
                "the resource has changed since it was read; read it again",
                "данные изменились с момента чтения; прочитайте их заново"
            ),
            Self::VersionConflict(..) => message!(
                "the targets have changed since they were read; read them again",
                "цели изменились с момента чтения; прочитайте их заново"
            ),
            Self::TooManyActions(count) => message!(
                "the request changes {count} rows, but at most 100 can change at once; change the \
                 shares in two edits",
                "запрос меняет слишком много записей ({count}), за раз можно не больше 100; \
                 измените доли в два приёма"
            ),
            Self::TooMuchHistory => message!(
                "the group's history is too long to be read in one request",
                "история группы слишком длинная, чтобы прочитать её одним запросом"
            ),
            Self::NotIndexed => message!(
                "the group's expenses are not indexed by date yet",
                "расходы группы ещё не проиндексированы по дате"
            ),
            Self::NotMigrated => message!(
                "expenses that the TypeScript Fracti recorded are not in the ledger yet; an \
                 operator has to run `fracti-admin migrate`",
                "расходы из Fracti на TypeScript ещё не перенесены в журнал; оператор должен \
                 запустить `fracti-admin migrate`"
            ),
            Self::TooManyMembers => message!(
                "a group must have at most {MAX_MEMBERS} members",
                "участников в группе может быть не больше {MAX_MEMBERS}"
            ),
            Self::Discrepancy(..) => Message::same("the ledger does not match its rows"),
            Self::Settlement(inner) => inner.says(),
            Self::NoQuestion => message!(
                "the question does not exist in this group",
                "вопрос не найден в этой группе"
            ),
            Self::Question(inner) => inner.says(),
            Self::Fund(inner) => inner.says(),
            Self::FundsMismatch(..) => Message::same("the funds do not match their transactions"),
            Self::PaymentPending(..) => message!(
                "this payment is already recorded and waits to be confirmed; if it is another one, \
                 send separate: true",
                "этот платёж уже записан и ждёт подтверждения; если это другой платёж, отправьте \
                 separate: true"
            ),
            Self::TxHashUsed => message!(
                "the txHash is already used by another settlement",
                "этот txHash уже использован в другом расчёте"
            ),
            Self::NoToken => message!("the API token does not exist", "токен API не найден"),
            Self::TooManyTokens => message!(
                "a user must have at most {MAX_TOKENS} API tokens",
                "токенов API у пользователя может быть не больше {MAX_TOKENS}"
            ),
            Self::KeyReused => message!(
                "the idempotency key was already used for a different request, which was carried \
                 out",
                "этот ключ идемпотентности уже использован для другого запроса, и тот выполнен"
            ),
            Self::NotAdmitted => message!("the request is not admitted", "запрос не допущен"),
            Self::Contended => message!(
                "the request lost to concurrent writes; nothing was changed, try again",
                "одновременные изменения опередили запрос; ничего не изменено, повторите попытку"
            ),
            Self::Unavailable(..) => Message::same("the table is not available"),
            Self::Internal(what) => Message::same(what),
            Self::Table(..) => {
                Message::same("the table refused a request or holds an unreadable row")
            }
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.says().fmt(f)
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::Discrepancy(cause)
            | Self::FundsMismatch(cause)
            | Self::Unavailable(cause)
            | Self::Table(cause) => Some(&**cause),
            _ => None,
        }
    }
}

/// Reasons that keep a member from leaving.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsettled {
    /// Balances that are not zero, in minor units; negative if the member owes.
    pub balances: Vec<(Currency, i128)>,
    /// Number of pending settlements.
    pub pending: u64,
}

impl Unsettled {
    /// Whether nothing is open.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.balances.is_empty() && self.pending == 0
    }
}

/// The underlying error, for the log.
pub type Cause = Box<dyn error::Error + Send + Sync>;

impl Error {
    /// The error of a request in which the field at `path` breaks `rule`.
    pub fn invalid(path: impl Into<Path>, rule: impl Into<Message>) -> Self {
        Self::Invalid(FieldError::new(path, rule).into())
    }

    /// The error of funds that do not match their transactions. `what` is for the log.
    #[must_use]
    pub fn funds_mismatch(what: &'static str) -> Self {
        Self::FundsMismatch(what.into())
    }

    /// Whether it says that the request changes nothing. Other errors leave the outcome open.
    #[must_use]
    pub const fn is_refusal(&self) -> bool {
        self.failure().is_none() && !matches!(self, Self::NotAdmitted)
    }

    /// The kind of a failure of the service; `None` for a refusal.
    #[must_use]
    pub const fn failure(&self) -> Option<FailureKind> {
        match self {
            Self::Unavailable(_) => Some(FailureKind::Unavailable),
            Self::Table(_) => Some(FailureKind::Table),
            Self::Internal(_) => Some(FailureKind::Internal),
            Self::Discrepancy(_) => Some(FailureKind::LedgerMismatch),
            Self::FundsMismatch(_) => Some(FailureKind::FundsMismatch),
            _ => None,
        }
    }

    /// Whether it keeps the caller out of the group, so that they do not see the response to an
    /// earlier request either.
    #[must_use]
    pub const fn is_of_access(&self) -> bool {
        matches!(
            self,
            Self::NoGroup | Self::NotMember | Self::Left | Self::Removed | Self::InvitationRequired
        )
    }
}

impl From<Unreadable> for Error {
    fn from(error: Unreadable) -> Self {
        Self::Unreadable(error)
    }
}

impl From<SettlementError> for Error {
    fn from(error: SettlementError) -> Self {
        Self::Settlement(error)
    }
}

impl From<QuestionError> for Error {
    fn from(error: QuestionError) -> Self {
        Self::Question(error)
    }
}

impl From<FundError> for Error {
    fn from(error: FundError) -> Self {
        Self::Fund(error)
    }
}
