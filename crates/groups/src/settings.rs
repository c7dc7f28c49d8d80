//! The endpoints that change a group's settings and delete it.

use axum::{extract::State, http::StatusCode, response::Response};
use fracti_core::{
    group::{
        DefaultSplitInput, DefaultWeightInput, GroupCategoryInput, GroupUpdate, MAX_DEFAULT_SPLITS,
        MAX_DEFAULT_WEIGHTS, MAX_GROUP_CATEGORIES,
    },
    values::id::GroupId,
};
use fracti_http::{
    App, AppPrincipal, AsMember, Code, Data, GroupView, Once, Problem, Text, body, respond,
    respond_with, schemas,
};
use serde::Serialize;
use utoipa::ToSchema;

body! {
    /// Changes to a group.
    #[example = { "title": "Alps 2027" }]
    pub(crate) UpdateGroup => GroupUpdate {
        /// New title.
        title: "title".text(),
        /// New currency of expenses that name none. Other expenses keep theirs.
        currency: "currency".text(),
        /// Whether the group is archived. An archived group can be read, and only un-archiving
        /// changes it.
        archived: "archived".flag(),
        /// Categories of the group's own, in place of all present ones. Expenses keep a category
        /// that is removed.
        categories: "categories".objects::<SetGroupCategory>(0..=MAX_GROUP_CATEGORIES),
        /// Rules by which new expenses are divided whose requests have neither `splitType` nor
        /// `splits`, in place of all present ones. All rules together have at most 100 weights.
        default_splits: "defaultSplits".objects::<SetDefaultSplit>(0..=MAX_DEFAULT_SPLITS),
    }
}

body! {
    /// A rule of the default split. An expense has the rule of its category, or else the one
    /// without a category; if there is none, all members share it equally.
    #[example = {
        "splits": [{ "userId": "123456789", "weight": 60 },
            { "userId": "987654321", "weight": 40 }],
    }]
    pub(crate) SetDefaultSplit => DefaultSplitInput {
        /// Category of the expenses. Default: all that have no rule of their own.
        category: "category".text(),
        /// Weights of members, each once. Who is past has no share until they are back.
        splits: "splits".objects::<SetDefaultWeight>(0..=MAX_DEFAULT_WEIGHTS),
        /// Weight of each present member who is not in `splits`, at most 10000. Default: 0.
        others: "others".number(schemas::WeightInput),
    }
}

body! {
    /// The weight of a member in a rule of the default split.
    #[example = { "userId": "123456789", "weight": 60 }]
    pub(crate) SetDefaultWeight => DefaultWeightInput {
        /// The member.
        user: "userId".required().text(),
        /// The weight, at most 10000.
        weight: "weight".required().number(schemas::WeightInput),
    }
}

body! {
    /// A category of the group's own.
    #[example = { "key": "pets", "name": "Pets", "emoji": "🐈" }]
    pub(crate) SetGroupCategory => GroupCategoryInput {
        /// Key, by which expenses name it. No other category has it, and it is neither that of a
        /// built-in one nor `none`, `total`, `version`, `period`, `currency` or `registry`.
        key: "key".required().text(),
        /// Name for people.
        name: "name".required().text(),
        /// Emoji. Default: none.
        emoji: "emoji".text(),
    }
}

/// Update a group.
///
/// Any member may change its title, default currency, own categories and default split, and archive
/// it. Fields that are left out stay as they are.
#[utoipa::path(patch, path = "/api/groups/{groupId}", tag = "groups",
    responses((status = OK, body = Data<GroupView>)))]
pub(crate) async fn update_group(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    once: Once<UpdateGroup>,
) -> Result<Response, Problem> {
    let idempotency = once.key.idempotency::<_, GroupView>("update-group");
    let group = app.table.update_group(member_key, &once.body, &idempotency).await?;
    respond(StatusCode::OK, &idempotency, group)
}

/// A group that was deleted.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeletedGroup {
    /// Id of the group.
    id: schemas::ResourceId,
}

/// Delete a group.
///
/// Allowed for its creator, once all other users have left or were removed, no balance is open and
/// no settlement is pending. Guests may remain. The group is archived permanently and cannot be
/// joined again. Not by an API token.
#[utoipa::path(delete, path = "/api/groups/{groupId}", tag = "groups",
    responses((status = OK, body = Data<DeletedGroup>)),
    extensions(("x-errors" = json!([Code::NotAllowed, Code::NotAlone, Code::NotSettled]))))]
pub(crate) async fn delete_group(
    State(app): State<App>,
    _: AppPrincipal,
    AsMember(member_key, ()): AsMember,
    once: Once<()>,
) -> Result<Response, Problem> {
    let idempotency = once.key.idempotency::<_, DeletedGroup>("delete-group");
    let deleted = app.table.delete_group(member_key, &idempotency).await?;
    respond_with("Group deleted", &idempotency, deleted)
}

impl From<GroupId> for DeletedGroup {
    fn from(group: GroupId) -> Self {
        Self { id: Text(group.into()) }
    }
}
