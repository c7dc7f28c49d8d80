//! What the caller shares with another user.

use std::collections::BTreeMap;

use axum::extract::State;
use fracti_core::values::{currency::Currency, id::UserId};
use fracti_http::{App, Caller, Code, Data, Id, InApp, JsonDecimal, Problem, Text, schemas};
use fracti_store::{Shared, SharedGroup};
use fracti_texts::rule;
use serde::Serialize;
use utoipa::ToSchema;

use crate::MySettlement;

/// What the caller shares with another user.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SharedWithUser {
    /// Telegram id of the other user.
    user_id: schemas::UserId,
    /// Name of the other user.
    #[schema(example = "Bob Jones")]
    name: String,
    /// Telegram username of the other user, without `@`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "bob")]
    username: Option<String>,
    /// URL of the other user's avatar.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "https://t.me/i/userpic/320/bob.svg")]
    avatar_url: Option<String>,
    /// Balances of the two over all these groups, in each currency in which one is not zero.
    balances: Vec<BothBalances>,
    /// The groups in which both are present, newest first.
    groups: Vec<SharedGroupView>,
    /// The pending settlements between the two in these groups, newest first.
    pending: Vec<MySettlement>,
    /// Whether there are more groups or settlements than are examined: the newest 100 groups of the
    /// caller, and the newest 1000 settlements that the caller sends and receives.
    has_more: bool,
}

/// A group in which both are present.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SharedGroup)]
pub(crate) struct SharedGroupView {
    /// Id of the group.
    group_id: schemas::ResourceId,
    /// Title of the group.
    #[schema(example = "Roommates")]
    group_title: String,
    /// Whether the group is archived.
    archived: bool,
    /// Balances of the two, in each currency in which one is not zero.
    balances: Vec<BothBalances>,
}

/// The balances of two users: positive if the group owes the user, negative if the user owes.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BothBalances {
    /// The currency.
    currency: schemas::Currency,
    /// Balance of the caller.
    #[schema(value_type = schemas::Balance)]
    yours: JsonDecimal,
    /// Balance of the other user.
    #[schema(value_type = schemas::Balance)]
    theirs: JsonDecimal,
}

/// Get what the caller shares with another user.
///
/// The balances of both in each group in which both are present, and the payments between them that
/// are pending. How a group settles is in its `debts`: who owes a group owes no member of it.
#[utoipa::path(get, path = "/api/users/me/with/{otherId}", tag = "users",
    responses((status = OK, body = Data<SharedWithUser>)),
    extensions(("x-errors" = json!([Code::NotMigrated, Code::UserNotFound]))))]
pub(crate) async fn get_shared(
    State(app): State<App>,
    Caller(user, ()): Caller,
    Id(other): Id<UserId>,
    InApp(reader): InApp,
) -> Result<Data<SharedWithUser>, Problem> {
    if other == user.id {
        return Err(Problem::invalid(
            "otherId",
            rule!(
                "{field} must be the id of another user",
                "{field} должно быть id другого пользователя"
            ),
        ));
    }
    let shared = app.table.shared_with(user.id, other).await?;
    Ok(Data::new(SharedWithUser::of(other, shared, reader)))
}

impl SharedWithUser {
    fn of(user: UserId, shared: Shared, reader: Option<UserId>) -> Self {
        let Shared { other, groups, pending, has_more } = shared;
        // A total over all groups may exceed the `i64` of one group.
        let mut sums: BTreeMap<Currency, [i128; 2]> = BTreeMap::new();
        for (currency, nets) in groups.iter().flat_map(|group| &group.balances) {
            let sum = sums.entry(*currency).or_default();
            sum.iter_mut().zip(nets).for_each(|(sum, net)| *sum = sum.saturating_add(*net));
        }
        sums.retain(|_, nets| *nets != [0, 0]);
        Self {
            user_id: Text(user),
            name: other.name,
            username: other.username,
            avatar_url: other.avatar_url,
            balances: sums.into_iter().map(BothBalances::from).collect(),
            groups: groups.into_iter().map(SharedGroupView::from).collect(),
            pending: pending.into_iter().map(|it| MySettlement::seen_by(reader, it)).collect(),
            has_more,
        }
    }
}

impl From<SharedGroup> for SharedGroupView {
    fn from(SharedGroup { group, balances, links: _ }: SharedGroup) -> Self {
        Self {
            group_id: Text(group.id.into()),
            group_title: group.title.to_string(),
            archived: group.archived,
            balances: balances.into_iter().map(BothBalances::from).collect(),
        }
    }
}

impl From<(Currency, [i128; 2])> for BothBalances {
    fn from((currency, nets): (Currency, [i128; 2])) -> Self {
        let [yours, theirs] = nets.map(|net| JsonDecimal(currency.to_major(net)));
        Self { currency: Text(currency), yours, theirs }
    }
}
