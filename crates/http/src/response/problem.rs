//! Error responses and their codes.

use std::sync::Arc;

use axum::{
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use fracti_core::{
    caller::{telegram::InitDataError, token::Scope},
    input::{
        Error, FieldError, Limit, Path, Unreadable,
        fund_error::FundError,
        limits::{
            MAX_LINKS, MAX_MEMBERS, MAX_OPEN_QUESTIONS, MAX_SCHEDULES, MAX_SHARES, MAX_TOKENS,
        },
        question_error::QuestionError,
    },
    values::{currency::Currency, id::SettlementId, settlement_status::SettlementError},
};
use fracti_texts::{Language, Message, Says, message};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::response::{
    language,
    limits::{MAX_BODY_KIB, MAX_UPLOAD_MIB},
    schemas::{self, Text},
    sentence::{ended, first_word, sentence},
};

macro_rules! codes {
    ($($name:ident $status:ident $meaning:literal $($limit:ident = $max:ident)*),+ $(,)?) => {
        /// Error code. Codes are stable.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize,
            ToSchema)]
        #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
        #[schema(as = ErrorCode)]
        pub enum Code {
            $(#[doc = $meaning] $name),+
        }

        impl Code {
            /// HTTP status of the code.
            #[must_use]
            pub const fn status(self) -> StatusCode {
                match self { $(Self::$name => StatusCode::$status),+ }
            }

            /// The code as in the JSON of a response.
            #[must_use]
            pub fn word(self) -> String {
                serde_json::json!(self).as_str().unwrap_or_default().to_owned()
            }

            /// Meaning of the code, as a sentence.
            #[must_use]
            pub fn meaning(self) -> String {
                match self { $(Self::$name => format!($meaning $(, $limit = $max)*)),+ }
            }
        }
    };
}

codes! {
    ValidationError BAD_REQUEST "A field, a parameter or a header is invalid; `details` names it.",
    InvalidCursor BAD_REQUEST "The cursor does not belong to this list.",
    InsufficientFunds PAYMENT_REQUIRED "Less is available in the funds than the request needs.",
    NoChat BAD_REQUEST
        "The init data has no `chat_instance`: the Mini App was not opened by a link in a chat.",
    InvalidJson BAD_REQUEST "The body is not JSON.",
    NoCredentials UNAUTHORIZED "The request has neither init data nor an API token.",
    SignInAgain UNAUTHORIZED "The init data has expired; open the Mini App again.",
    WrongBot UNAUTHORIZED
        "The init data or the API token is not signed for this bot: it was changed, or is of a bot \
         with another token.",
    Clock UNAUTHORIZED
        "`auth_date` of the init data is in the future: a clock is wrong.",
    InvalidInitData UNAUTHORIZED
        "The init data is incomplete, was decoded or joined with another one, or has no user.",
    TokenRevoked UNAUTHORIZED "The API token was deleted or has expired; create another one.",
    AmbiguousCredentials UNAUTHORIZED
        "The request has several credentials, of which none takes precedence.",
    InsufficientScope FORBIDDEN "The API token does not allow this request.",
    NotAMember FORBIDDEN "The caller is not a member of the group, and never was.",
    Left FORBIDDEN "The caller has left the group; they may join it again.",
    Removed FORBIDDEN "The caller was removed from the group; a member may restore them.",
    InvitationRequired FORBIDDEN
        "The group is joined with an invitation, whose code is missing, renewed or closed.",
    NotAllowed FORBIDDEN "The caller is not allowed to do this, or not by an API token.",
    GroupNotFound NOT_FOUND "The group does not exist.",
    MemberNotFound NOT_FOUND "The group has no such member.",
    LinkNotFound NOT_FOUND "No link of the guest waits to be confirmed.",
    ExpenseNotFound NOT_FOUND "The expense does not exist in the group.",
    ScheduleNotFound NOT_FOUND "The schedule does not exist in the group.",
    SettlementNotFound NOT_FOUND "The settlement does not exist in the group.",
    SpendingNotFound NOT_FOUND "The spending does not exist.",
    EntryNotFound NOT_FOUND "The entry does not exist in the group's ledger.",
    TokenNotFound NOT_FOUND "The API token does not exist.",
    ImportNotFound NOT_FOUND "The import does not exist in the group.",
    QuestionNotFound NOT_FOUND "The question does not exist in the group, or was deleted.",
    TransactionNotFound NOT_FOUND "The transaction of funds does not exist.",
    UserNotFound NOT_FOUND "No group has a member with this id, or none of the caller's.",
    RouteNotFound NOT_FOUND "The path does not exist.",
    MethodNotAllowed METHOD_NOT_ALLOWED "The path does not support the method.",
    Conflict CONFLICT
        "The request lost to concurrent writes. Nothing was changed; try again.",
    NotMigrated CONFLICT
        "Expenses that the TypeScript Fracti recorded are not in the ledger of the group, or of one of \
         the user's groups, yet; an operator has to run `fracti-admin migrate`.",
    AlreadyLinked CONFLICT "The guest is already linked to a user, which is final.",
    LinkProposed CONFLICT
        "A link of the guest to another user waits to be confirmed; withdraw it first.",
    NameTaken CONFLICT "Another member of the group has the name.",
    ChatTaken CONFLICT
        "The chat has another group, in which others are or something was recorded.",
    GroupArchived CONFLICT "The group is archived and cannot be changed.",
    NotIndexed CONFLICT
        "The group has more than 1000 expenses, which are not indexed by date yet; an operator can \
         do it with `fracti-admin index-dates`.",
    ImportUndoing CONFLICT "The import is being undone; repeat the undo until it has ended.",
    ImportDiffers CONFLICT
        "The file differs from what earlier imports of the app have recorded, and the request does \
         not confirm it.",
    NotSettled CONFLICT
        "The member or the group has open balances or pending settlements; `details` names them.",
    NotAlone CONFLICT "Other users are in the group.",
    SettlementFinal CONFLICT "The settlement is already completed or failed, which is final.",
    PaymentPending CONFLICT
        "An equal payment between the same members is pending; `details` names it.",
    TxHashUsed CONFLICT "The transaction already pays another settlement.",
    AlreadyAnswered CONFLICT "The member has already answered the question.",
    QuestionClosed CONFLICT "The question is over, or has as many answers as it takes.",
    ItemsUnclaimed CONFLICT "Items of the receipt are unclaimed; `details` names them.",
    PayerLeft CONFLICT "A payer of the receipt has left the group.",
    MessagesDisabled CONFLICT "The deployment sends no messages in Telegram.",
    FundsDisabled CONFLICT "The deployment has no operator, so funds are disabled.",
    NotAccepted CONFLICT "The recipient has to confirm this payment.",
    AlreadyFunded CONFLICT "Funds pay all of the settlement.",
    TransactionFinal CONFLICT "The transaction of funds has ended in another way.",
    HoldExpired CONFLICT "The time of the transaction has run out.",
    ReferenceUsed CONFLICT "The reference was already used.",
    LimitReached CONFLICT "The funds have as many transactions, bonuses or payments as are allowed.",
    AlreadyApplied CONFLICT "The expense of the question was deleted; restore it.",
    VersionConflict CONFLICT
        "The targets have changed since they were read; `details` has the current version.",
    PreconditionFailed PRECONDITION_FAILED
        "The current state does not match `If-Match`; get it again.",
    PayloadTooLarge PAYLOAD_TOO_LARGE
        "The body is larger than {max} KiB, or the uploaded file is larger than {file} MiB."
        max = MAX_BODY_KIB file = MAX_UPLOAD_MIB,
    UnsupportedMediaType UNSUPPORTED_MEDIA_TYPE
        "The `Content-Type` of the body is not `application/json`, or not `multipart/form-data` \
         for an uploaded file.",
    TooManyMembers UNPROCESSABLE_ENTITY "The group already has {max} members." max = MAX_MEMBERS,
    TooManyLinks UNPROCESSABLE_ENTITY
        "The group already has {max} linked guests, the user too many, or too many links wait to be \
         confirmed." max = MAX_LINKS,
    TooMuchHistory UNPROCESSABLE_ENTITY
        "The request would read more of the group's history than is allowed.",
    TooManySplits UNPROCESSABLE_ENTITY "The expense has more than {max} shares." max = MAX_SHARES,
    TooManyQuestions UNPROCESSABLE_ENTITY
        "The group already has {max} open questions." max = MAX_OPEN_QUESTIONS,
    TooManySchedules UNPROCESSABLE_ENTITY "The group already has {max} schedules." max = MAX_SCHEDULES,
    TooManyTokens UNPROCESSABLE_ENTITY "The user already has {max} API tokens." max = MAX_TOKENS,
    IdempotencyKeyReused UNPROCESSABLE_ENTITY
        "The idempotency key was already used for a different request, which was carried out.",
    RateLimited TOO_MANY_REQUESTS
        "The user's daily limit of reads or of writes is reached; it resets at 00:00 UTC.",
    Internal INTERNAL_SERVER_ERROR "An internal error occurred.",
    Unavailable SERVICE_UNAVAILABLE "The service is temporarily unavailable; try again.",
}

/// An error response and, for a failure of the service, the details that only the log gets.
#[derive(Debug)]
pub struct Problem {
    code: Code,
    message: Message,
    details: Vec<Detail>,
    /// The limit that the request would exceed.
    limit: Option<Limit>,
    /// Seconds after which the request may be repeated.
    retry_after: Option<u64>,
    /// Value of `WWW-Authenticate`.
    challenge: Option<String>,
    /// A failure of the service.
    failure: Option<Box<Error>>,
}

/// An invalid part of the request and the rule that it breaks.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ErrorDetail)]
struct DetailView {
    /// Path of the field in the body, like `splits[1].amount`, or the name of the parameter or
    /// header; empty for the request as a whole.
    #[schema(example = "splits[1].amount")]
    path: String,
    /// Rule that it breaks.
    #[schema(example = "splits[1].amount must have at most 2 decimals in USD")]
    message: String,
    /// Limit that the request would exceed, in the first item.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<schemas::Limit>,
    /// Equal settlement that is pending, with `PAYMENT_PENDING`.
    #[serde(skip_serializing_if = "Option::is_none")]
    settlement_id: Option<schemas::ResourceId>,
}

/// An invalid part of the request, before its language is known.
#[derive(Clone, Debug)]
struct Detail {
    path: String,
    message: Message,
    limit: Option<Limit>,
    settlement: Option<SettlementId>,
}

impl Detail {
    /// A part that breaks a rule.
    const fn new(path: String, message: Message) -> Self {
        Self { path, message, limit: None, settlement: None }
    }

    fn view(self, language: Language) -> DetailView {
        DetailView {
            path: self.path,
            message: self.message.text(language).to_owned(),
            limit: self.limit.map(Text),
            settlement_id: self.settlement.map(|id| Text(id.into())),
        }
    }
}

/// Body of every error response of the API.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ErrorResponse)]
pub struct ProblemBody {
    /// Always `false`.
    #[schema(example = false)]
    success: bool,
    /// Error code, for programs.
    error: Code,
    /// Error message, for people.
    #[schema(example = "amount must have at most 2 decimals in EUR.")]
    message: String,
    /// Invalid parts of the request.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    details: Vec<DetailView>,
    /// Id of the request, as in the header `x-request-id`.
    #[schema(example = "0190a1b2-0000-7000-8000-00000000000f")]
    request_id: String,
}

impl Problem {
    /// A problem with a code for programs and a message for people.
    pub fn new(code: Code, message: impl Into<Message>) -> Self {
        let message = message.into().map(|_, text| sentence(text));
        let details = Vec::new();
        let limit = None;
        let retry_after = None;
        let challenge = None;
        let failure = None;
        Self { code, message, details, limit, retry_after, challenge, failure }
    }

    /// The field at `path` breaks a rule.
    pub fn invalid(path: impl Into<Path>, rule: impl Into<Message>) -> Self {
        Self::from(Error::invalid(path, rule))
    }

    /// A problem of invalid fields. The message is about the first one.
    fn of_fields(errors: Vec<FieldError>) -> Self {
        let sentence_of = |error: &FieldError| {
            let field = error.path.to_string();
            // A field name at the start keeps its spelling.
            error.message().map(|_, text| match first_word(text) {
                word if !word.is_empty() && word == first_word(&field) => ended(text),
                _ => sentence(text),
            })
        };
        let message = errors.first().map_or_else(|| Message::same(""), sentence_of);
        let detail = |error: FieldError| Detail::new(error.path.to_string(), error.message());
        let details = errors.into_iter().map(detail).collect();
        Self { message, details, ..Self::new(Code::ValidationError, Message::same("")) }
    }

    fn failed(code: Code, message: Message, failure: Error) -> Self {
        Self { failure: Some(failure.into()), ..Self::new(code, message) }
    }

    /// The caller is not authenticated. The code says why.
    pub(crate) fn unauthorized(code: Code, reason: impl Into<Message>) -> Self {
        Self { challenge: Some("tma, Bearer".to_owned()), ..Self::new(code, reason) }
    }

    /// The init data is refused.
    pub(crate) fn invalid_init_data(refusal: InitDataError) -> Self {
        let code = match refusal {
            InitDataError::Malformed | InitDataError::Decoded | InitDataError::NoUser => {
                Code::InvalidInitData
            }
            InitDataError::Forged => Code::WrongBot,
            InitDataError::Expired => Code::SignInAgain,
            InitDataError::Future => Code::Clock,
        };
        Self::unauthorized(code, refusal)
    }

    /// The API token is not one of this bot.
    pub(crate) fn foreign_token() -> Self {
        let message =
            message!("the API token is not one of this bot", "этот токен API не от этого бота");
        Self::invalid_token(Code::WrongBot, message)
    }

    /// The API token has expired or was deleted. One that was created a moment ago may not be found
    /// yet.
    #[must_use]
    pub fn revoked_token() -> Self {
        let message = message!(
            "the API token was deleted or has expired; create another one",
            "токен API удалён или истёк; создайте новый"
        );
        Self::invalid_token(Code::TokenRevoked, message)
    }

    fn invalid_token(code: Code, message: Message) -> Self {
        let challenge = Some("Bearer error=\"invalid_token\"".to_owned());
        Self { challenge, ..Self::new(code, message) }
    }

    /// The API token does not have the scope of the request.
    pub(crate) fn missing_scope(scope: Scope) -> Self {
        let message = message!(
            "the API token does not have the {scope} scope",
            "у токена API нет права {scope}"
        );
        let challenge = Some(format!("Bearer error=\"insufficient_scope\", scope=\"{scope}\""));
        Self { challenge, ..Self::new(Code::InsufficientScope, message) }
    }

    /// The API token is limited to a group that the request does not belong to.
    pub(crate) fn other_group() -> Self {
        let message = message!(
            "the API token is limited to another group",
            "этот токен API действует только в другой группе"
        );
        let challenge = Some("Bearer error=\"insufficient_scope\"".to_owned());
        Self { challenge, ..Self::new(Code::InsufficientScope, message) }
    }

    /// The same problem, because of this limit.
    pub(crate) fn of_limit(self, limit: Limit) -> Self {
        Self { limit: Some(limit), ..self }
    }

    /// The same problem, after which the request may be repeated in `seconds`.
    #[must_use]
    pub fn retry_after(self, seconds: u64) -> Self {
        Self { retry_after: Some(seconds), ..self }
    }

    pub(crate) const fn code(&self) -> Code {
        self.code
    }

    pub(crate) const fn limit(&self) -> Option<Limit> {
        self.limit
    }

    /// Its message in a language.
    #[must_use]
    pub fn message(&self, language: Language) -> &str {
        self.message.text(language)
    }

    pub(crate) fn failure(&self) -> Option<&Error> {
        self.failure.as_deref()
    }

    /// The invalid parts of the request. The first one names the limit if there is one.
    fn all_details(&self) -> Vec<Detail> {
        let mut details = self.details.clone();
        let Some(limit) = self.limit else { return details };
        match details.first_mut() {
            Some(first) => first.limit = Some(limit),
            None => details.push(Detail {
                limit: Some(limit),
                ..Detail::new(String::new(), self.message.clone())
            }),
        }
        details
    }

    /// The body, in a language.
    fn body(&self, request_id: &str, language: Language) -> ProblemBody {
        let details = self.all_details().into_iter().map(|detail| detail.view(language));
        ProblemBody {
            success: false,
            error: self.code,
            message: self.message.text(language).to_owned(),
            details: details.collect(),
            request_id: request_id.to_owned(),
        }
    }

    /// The response, with the id of the request.
    pub(crate) fn render(&self, request_id: &str, language: Language) -> Response {
        let body = self.body(request_id, language);
        let mut response = (self.code.status(), axum::Json(body)).into_response();
        let headers = response.headers_mut();
        headers.extend(language::headers(language));
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        if let Some(challenge) = self.challenge.as_deref().and_then(|it| it.parse().ok()) {
            headers.insert(header::WWW_AUTHENTICATE, challenge);
        }
        response
    }
}

impl From<Error> for Problem {
    #[expect(clippy::too_many_lines, reason = "a code each")]
    fn from(error: Error) -> Self {
        let new = |code| Self { limit: error.limit(), ..Self::new(code, error.says()) };
        let later = |problem: Self| problem.retry_after(1);
        match &error {
            Error::NoGroup => new(Code::GroupNotFound),
            Error::NoMember => new(Code::MemberNotFound),
            Error::NoSharedGroup => new(Code::UserNotFound),
            Error::AlreadyLinked => new(Code::AlreadyLinked),
            Error::NotMigrated => new(Code::NotMigrated),
            Error::LinkProposed => new(Code::LinkProposed),
            Error::NoLink => new(Code::LinkNotFound),
            Error::TooManyLinks | Error::TooManyProposals => new(Code::TooManyLinks),
            Error::NameTaken => new(Code::NameTaken),
            Error::Left => new(Code::Left),
            Error::Removed => new(Code::Removed),
            Error::InvitationRequired => new(Code::InvitationRequired),
            Error::ChatTaken => new(Code::ChatTaken),
            Error::GroupArchived => new(Code::GroupArchived),
            Error::NotSettled(_) | Error::OpenBalances(_) => {
                Self { details: open_items(&error), ..new(Code::NotSettled) }
            }
            Error::NotAlone => new(Code::NotAlone),
            Error::NoExpense => new(Code::ExpenseNotFound),
            Error::NoToken => new(Code::TokenNotFound),
            Error::NoSchedule => new(Code::ScheduleNotFound),
            Error::TooManySchedules => new(Code::TooManySchedules),
            Error::TooManyTokens => new(Code::TooManyTokens),
            Error::NoSettlement => new(Code::SettlementNotFound),
            Error::NoImport => new(Code::ImportNotFound),
            Error::ImportUndoing => new(Code::ImportUndoing),
            Error::ImportDiffers { .. } => new(Code::ImportDiffers),
            Error::NoSpending => new(Code::SpendingNotFound),
            Error::NotMember => new(Code::NotAMember),
            Error::Unreadable(Unreadable::Format | Unreadable::Form) => {
                new(Code::UnsupportedMediaType)
            }
            Error::Unreadable(Unreadable::Syntax(_)) => new(Code::InvalidJson),
            Error::Invalid(errors) => Self::of_fields(errors.clone().into_sorted()),
            Error::TooManyShares(_) => Self {
                details: vec![Detail::new("splits".to_owned(), error.says())],
                ..new(Code::TooManySplits)
            },
            Error::Settlement(SettlementError::Final(_)) => new(Code::SettlementFinal),
            Error::NoQuestion => new(Code::QuestionNotFound),
            Error::Question(refusal) => {
                Self { details: of_question_details(refusal), ..new(of_questions(refusal)) }
            }
            Error::Fund(refusal) => new(of_funds(refusal)),
            Error::NoEntry => new(Code::EntryNotFound),
            Error::Changed => new(Code::PreconditionFailed),
            Error::VersionConflict(version) => Self {
                details: vec![Detail::new(
                    "version".to_owned(),
                    message!("the current version is {version}", "текущая версия — {version}"),
                )],
                ..new(Code::VersionConflict)
            },
            Error::TooManyActions(_) => new(Code::TooManySplits),
            // The layer that refused the request responds instead of the handler.
            Error::NotAdmitted
            | Error::NotGuest
            | Error::NotLinkable
            | Error::NotYourLink
            | Error::LinkNotInApp
            | Error::NotRemovable
            | Error::NotCreator
            | Error::NotYourExpense
            | Error::NotYourImport
            | Error::NotAnAdjustment(..)
            | Error::NotYourAdjustment(_)
            | Error::Settlement(
                SettlementError::NotParty
                | SettlementError::NotPayer
                | SettlementError::NotRecorder
                | SettlementError::NotOtherSide,
            ) => new(Code::NotAllowed),
            Error::TooManyMembers => new(Code::TooManyMembers),
            Error::TooMuchHistory => new(Code::TooMuchHistory),
            Error::NotIndexed => new(Code::NotIndexed),
            Error::PaymentPending(id) => {
                let detail = Detail::new("separate".to_owned(), error.says());
                let details = vec![Detail { settlement: Some(*id), ..detail }];
                Self { details, ..new(Code::PaymentPending) }
            }
            Error::TxHashUsed => new(Code::TxHashUsed),
            Error::KeyReused => new(Code::IdempotencyKeyReused),
            Error::Contended => later(new(Code::Conflict)),
            Error::Unavailable(_) => {
                let message = message!(
                    "the service is temporarily unavailable; try again",
                    "сервис временно недоступен; повторите попытку"
                );
                later(Self::failed(Code::Unavailable, message, error))
            }
            Error::Table(_) | Error::Internal(_) | Error::Discrepancy(_) => Self::failed(
                Code::Internal,
                message!("an internal error occurred", "произошла внутренняя ошибка"),
                error,
            ),
            Error::FundsMismatch(_) => {
                let message = message!(
                    "the funds do not match their transactions; an operator has to end what is \
                     open",
                    "средства не сходятся с их операциями; открытое должен закрыть оператор"
                );
                Self::failed(Code::Internal, message, error)
            }
        }
    }
}

/// The code of a refusal of questions.
const fn of_questions(refusal: &QuestionError) -> Code {
    match refusal {
        QuestionError::NotAsked
        | QuestionError::NotYours
        | QuestionError::NotAsker
        | QuestionError::NotPayer => Code::NotAllowed,
        QuestionError::Answered => Code::AlreadyAnswered,
        QuestionError::Over => Code::QuestionClosed,
        QuestionError::Unclaimed(_) => Code::ItemsUnclaimed,
        QuestionError::PayerLeft => Code::PayerLeft,
        QuestionError::Deleted => Code::AlreadyApplied,
        QuestionError::TooManySharers(_) => Code::TooManySplits,
        QuestionError::TooMany => Code::TooManyQuestions,
    }
}

/// The details of a refusal of questions.
fn of_question_details(refusal: &QuestionError) -> Vec<Detail> {
    match refusal {
        QuestionError::Unclaimed(items) => unclaimed_items(items),
        QuestionError::TooManySharers(_) => {
            vec![Detail::new("items".to_owned(), refusal.says())]
        }
        _ => Vec::new(),
    }
}

/// The code of a refused change of funds.
const fn of_funds(refusal: &FundError) -> Code {
    match refusal {
        FundError::Insufficient { .. } => Code::InsufficientFunds,
        FundError::NotYours
        | FundError::NotOperator
        | FundError::NotPayer
        | FundError::NotInApp
        | FundError::OfSettlement => Code::NotAllowed,
        FundError::NoTransaction => Code::TransactionNotFound,
        FundError::NoUser => Code::UserNotFound,
        FundError::Disabled => Code::FundsDisabled,
        FundError::NotAccepted => Code::NotAccepted,
        FundError::Funded => Code::AlreadyFunded,
        FundError::Final(_) => Code::TransactionFinal,
        FundError::Over(_) => Code::HoldExpired,
        FundError::ReferenceUsed => Code::ReferenceUsed,
        FundError::TooMany { .. } => Code::LimitReached,
    }
}

/// A detail for each item that is not wholly claimed.
fn unclaimed_items(items: &[(usize, Message)]) -> Vec<Detail> {
    let detail = |(index, message): &(usize, Message)| {
        let path = Path::from("receipt").field("items").index(*index).to_string();
        Detail::new(path, message.clone())
    };
    items.iter().map(detail).collect()
}

/// A detail for each currency with a balance, and one for pending settlements.
fn open_items(error: &Error) -> Vec<Detail> {
    let (unsettled, is_of_group) = match error {
        Error::NotSettled(of_member) => (of_member, false),
        Error::OpenBalances(of_group) => (of_group, true),
        _ => return Vec::new(),
    };
    let balance = |(currency, net): &(Currency, i128)| {
        let net = currency.to_major(*net);
        let message = if is_of_group {
            message!(
                "the balances in {currency} must be 0, but {net} is owed",
                "балансы в {currency} должны быть равны 0, а сейчас долги составляют {net}"
            )
        } else {
            message!(
                "the balance in {currency} must be 0, but is {net}",
                "баланс в {currency} должен быть равен 0, а сейчас он {net}"
            )
        };
        Detail::new(currency.code().to_owned(), message)
    };
    let mut details: Vec<_> = unsettled.balances.iter().map(balance).collect();
    if unsettled.pending > 0 {
        let message = match unsettled.pending {
            1 => message!("1 settlement is still pending", "ожидающих расчётов: 1"),
            pending => {
                message!("{pending} settlements are still pending", "ожидающих расчётов: {pending}")
            }
        };
        details.push(Detail::new("settlements".to_owned(), message));
    }
    details
}

impl IntoResponse for Problem {
    /// Leaves the body to the layer around every route, which has the request id and logs the
    /// cause.
    fn into_response(self) -> Response {
        let mut response = self.code.status().into_response();
        response.extensions_mut().insert(Arc::new(self));
        response
    }
}

pub(crate) async fn no_route() -> Problem {
    Problem::new(Code::RouteNotFound, message!("the path does not exist", "такого пути нет"))
}

pub(crate) async fn no_method() -> Problem {
    Problem::new(
        Code::MethodNotAllowed,
        message!("the path does not support the method", "этот путь не поддерживает такой метод"),
    )
}

#[cfg(test)]
mod tests {
    use fracti_texts::rule;

    use super::*;

    #[test]
    fn a_message_ends_with_one_mark() {
        for (rule, message) in [
            (
                "currency is required: which currency do they have?",
                "currency is required: which currency do they have?",
            ),
            ("currency is required", "currency is required."),
            ("the currency is \"E…", "The currency is \"E…"),
            ("the currency is \"E\"…", "The currency is \"E\"…"),
        ] {
            let problem = Problem::invalid("currency", Message::same(rule));
            assert_eq!(problem.message.to_string(), message);
        }
        let of_body = Problem::invalid(
            Path::default(),
            rule!("{field} must be an array", "{field} должно быть массивом"),
        );
        assert_eq!(of_body.message.to_string(), "The body must be an array.");
    }

    #[test]
    fn a_russian_message_has_names_as_they_were_sent() {
        let path = Path::from("categories").index(0).field("key");
        let reserved = message!(
            "pets is reserved; use another key",
            "ключ pets зарезервирован; выберите другой"
        );
        let problem = Problem::invalid(path, reserved);
        let body = problem.body("", Language::Russian);
        assert_eq!(problem.message.to_string(), "Pets is reserved; use another key.");
        assert_eq!(body.message, "Ключ pets зарезервирован; выберите другой.");
        assert_eq!(body.details[0].message, "ключ pets зарезервирован; выберите другой");
        let used = Problem::from(Error::Fund(FundError::ReferenceUsed)).body("", Language::Russian);
        assert_eq!(used.message, "Значение refId уже использовано.");
    }
}
