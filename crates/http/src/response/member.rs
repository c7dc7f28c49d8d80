//! The view of a member.

use fracti_core::{
    decisions::links::LinkedGuest,
    group::{Member, ProposedLink},
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::response::schemas::{self, Text};

/// A member of a group.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Member)]
pub struct MemberView {
    /// Telegram id of the member, as text, or the id of a guest.
    pub id: schemas::MemberId,
    /// Telegram id of the member, as a number. Guests have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, example = 123_456_789)]
    pub telegram_id: Option<u64>,
    /// `true` for a guest, who has no Telegram account; left out for a user.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub guest: bool,
    /// User who added the guest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_by: Option<schemas::UserId>,
    /// User who the guest turned out to be. The guest's id means this user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub linked_to: Option<schemas::UserId>,
    /// User whom the guest is proposed to be, until the other side confirms it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<ProposedLinkView>,
    /// Guests who turned out to be this user.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub guests: Vec<schemas::MemberId>,
    /// Name of the member.
    #[schema(example = "Alice Smith")]
    pub name: String,
    /// Telegram username, without `@`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "alice")]
    pub username: Option<String>,
    /// TON address at which the member is paid.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF")]
    pub wallet: Option<String>,
    /// URL of the member's avatar.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "https://t.me/i/userpic/320/alice.svg")]
    pub avatar_url: Option<String>,
    /// Time at which the member joined; of a guest, at which they were added.
    pub joined_at: schemas::Timestamp,
    /// Time at which the member left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_at: Option<schemas::Timestamp>,
    /// Time at which the member was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed_at: Option<schemas::Timestamp>,
}

/// A proposal to link a guest to a user. One side proposes it and the other confirms it: one side
/// is the user, the other any other member.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ProposedLink)]
pub struct ProposedLinkView {
    /// User whom the guest is said to be.
    pub user_id: schemas::UserId,
    /// Member who proposed it: the user, or another member.
    pub proposed_by: schemas::UserId,
    /// Time of the proposal.
    pub proposed_at: schemas::Timestamp,
}

impl From<&ProposedLink> for ProposedLinkView {
    fn from(link: &ProposedLink) -> Self {
        Self {
            user_id: Text(link.user_id),
            proposed_by: Text(link.proposed_by),
            proposed_at: Text(link.proposed_at),
        }
    }
}

impl From<LinkedGuest> for MemberView {
    fn from(LinkedGuest { guest, proposed }: LinkedGuest) -> Self {
        Self { link: proposed.as_ref().map(ProposedLinkView::from), ..guest.into() }
    }
}

impl From<Member> for MemberView {
    fn from(member: Member) -> Self {
        Self {
            id: Text(member.id),
            telegram_id: member.telegram_id,
            guest: member.guest,
            created_by: member.created_by.map(Text),
            linked_to: member.linked_to.map(Text),
            link: None,
            guests: member.guests.into_iter().map(Text).collect(),
            name: member.name,
            username: member.username,
            wallet: member.wallet.map(|wallet| wallet.to_string()),
            avatar_url: member.avatar_url,
            joined_at: Text(member.joined_at),
            left_at: member.left_at.map(Text),
            removed_at: member.removed_at.map(Text),
        }
    }
}
