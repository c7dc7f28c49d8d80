//! The extractor of ids in the path.

use std::str::FromStr;

use axum::{
    extract::{FromRequestParts, Path, RawPathParams, path::ErrorKind, rejection::PathRejection},
    http::{Method, request::Parts},
};
use fracti_core::values::{
    entry_id::EntryId,
    id::{
        ExpenseId, FundTransactionId, GroupId, IdError, ImportId, MemberId, QuestionId, ScheduleId,
        SettlementId, TokenId, UserId,
    },
    spending_id::SpendingId,
    time::Day,
};
use fracti_texts::{Message, rule};

use crate::{
    app::App,
    response::problem::{Code, Problem},
};

/// Names of the ids in a path.
pub(crate) fn ids(path: &str) -> impl Iterator<Item = &str> {
    path.split(['{', '}']).skip(1).step_by(2)
}

/// Whether the operation changes a resource that has an entity tag.
pub(crate) fn changes_state(path: &str, method: &Method) -> bool {
    let tagged = [ExpenseId::NAME, ScheduleId::NAME, SettlementId::NAME, SpendingId::NAME];
    let is_one = path.ends_with('}') && ids(path).last().is_some_and(|id| tagged.contains(&id));
    is_one && (method == Method::PUT || method == Method::DELETE)
}

/// The group in the path, if its id is valid.
pub(crate) fn group_in(params: &RawPathParams) -> Option<GroupId> {
    params.iter().find(|(name, _)| *name == GroupId::NAME)?.1.parse().ok()
}

/// The user in the path whose funds they are, and the transaction; each if its id is valid. `me` is
/// the caller.
pub(crate) fn funds_in(
    params: &RawPathParams,
    caller: UserId,
) -> (Option<UserId>, Option<FundTransactionId>) {
    let text = |of: &str| params.iter().find(|(name, _)| *name == of).map(|(_, text)| text);
    let owner = text(PathUser::NAME).and_then(|text| text.parse().ok()).map(|owner| match owner {
        PathUser::Me => caller,
        PathUser::Id(id) => id,
    });
    (owner, text(FundTransactionId::NAME).and_then(|text| text.parse().ok()))
}

/// An id in the path.
#[derive(Clone, Copy, Debug)]
pub struct Id<T>(pub T);

/// An id in the path of a route.
pub trait PathParam: FromStr {
    /// Name in routes, in the OpenAPI document and in error messages.
    const NAME: &str;
}

macro_rules! path_params {
    ($($name:literal $id:ident $not_found:ident,)+) => {
        $(impl PathParam for $id {
            const NAME: &str = $name;
        })+

        /// Names of all ids in paths, with the error code for an id of nothing.
        pub(crate) const PATH_PARAMS: &[(&str, Code)] =
            &[$(($name, Code::$not_found)),+];
    };
}

path_params! {
    "groupId" GroupId GroupNotFound,
    "memberId" MemberId MemberNotFound,
    "otherId" UserId UserNotFound,
    "expenseId" ExpenseId ExpenseNotFound,
    "scheduleId" ScheduleId ScheduleNotFound,
    "settlementId" SettlementId SettlementNotFound,
    "entryId" EntryId EntryNotFound,
    "tokenId" TokenId TokenNotFound,
    "spendingId" SpendingId SpendingNotFound,
    "importId" ImportId ImportNotFound,
    "questionId" QuestionId QuestionNotFound,
    "transactionId" FundTransactionId TransactionNotFound,
}

/// The user in a path: `me`, who is the caller, or a user by their id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathUser {
    /// The caller.
    Me,
    /// The user with this id.
    Id(UserId),
}

impl FromStr for PathUser {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        if text == "me" { Ok(Self::Me) } else { text.parse().map(Self::Id) }
    }
}

/// Every user may have funds, so there is no error code for one.
impl PathParam for PathUser {
    const NAME: &str = "userId";
}

/// Every day exists, so there is no error code for it.
impl PathParam for Day {
    const NAME: &str = "date";
}

impl<T: PathParam> FromRequestParts<App> for Id<T>
where
    T::Err: Into<Message>,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let params = Path::<Vec<(String, String)>>::from_request_parts(parts, app).await;
        let Path(params) = params.map_err(|rejection| {
            let rejection = match rejection {
                PathRejection::FailedToDeserializePathParams(error) => error.into_kind(),
                other => ErrorKind::Message(other.body_text()),
            };
            match rejection {
                ErrorKind::InvalidUtf8InPathParam { key } => Problem::invalid(
                    &*key,
                    rule!("{field} must be UTF-8", "{field} должно быть в кодировке UTF-8"),
                ),
                other => Problem::invalid(T::NAME, Message::same(other)),
            }
        })?;
        let text = params.iter().find(|(name, _)| *name == T::NAME).map(|(_, text)| text.as_str());
        let id = text.unwrap_or_default().parse();
        id.map(Self).map_err(|error: T::Err| Problem::invalid(T::NAME, error))
    }
}
