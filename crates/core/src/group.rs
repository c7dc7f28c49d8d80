//! Groups and their members.

mod categories;
mod default_split;
pub mod group_state;
mod guest;
mod invitation;
pub mod labels;
pub mod links;
mod member_key;
pub mod named;
mod proposed_link;

use fracti_texts::{Message, message, rule};
use serde::{Deserialize, Serialize};

use crate::{
    caller::telegram::User,
    input::{Draft, Error, Field},
    storage::{
        keys::{self, Index, Keys, prefix},
        row::{self, AttributeValue, Item, Row},
    },
    v0,
    values::{
        chat_id::ChatId,
        currency::Currency,
        id::{GroupId, ImportId, MemberId, UserId},
        text::Title,
        time::Timestamp,
        ton::TonAddress,
    },
};

pub use categories::{GroupCategory, GroupCategoryInput, MAX_GROUP_CATEGORIES};
pub use default_split::{
    DefaultSplit, DefaultSplitInput, DefaultWeight, DefaultWeightInput, MAX_DEFAULT_SPLITS,
    MAX_DEFAULT_WEIGHTS,
};
pub use invitation::{
    Invitation, InvitationCode, InvitationCodeError, InvitationState, JoiningUser,
};
pub use member_key::MemberKey;
pub use proposed_link::{LinkStep, ProposedLink};

/// Rule of a field that names a member.
#[must_use]
pub fn not_a_member() -> Message {
    rule!(
        "{field} must be the id of a member of the group",
        "{field} должно быть id участника группы"
    )
}

/// A Telegram chat whose members share expenses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Group {
    /// Identifier. Without an `invitation`, any user who knows it may join.
    pub id: GroupId,
    /// Telegram chat that the group belongs to.
    pub chat_id: ChatId,
    /// Title shown to the members.
    pub title: Title,
    /// Currency of expenses that name none.
    pub currency: Currency,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Number of members who are present.
    pub member_count: u64,
    /// User who created the group. Groups of earlier formats do not name theirs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_by: Option<UserId>,
    /// Whether the group is archived, so that it cannot be written to.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub archived: bool,
    /// Whether all expenses of the group have their keys in the index by day. Earlier groups have
    /// not, until an operator adds them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dated: bool,
    /// Categories of the group's own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<GroupCategory>,
    /// Rules by which expenses are divided whose requests do not say how.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub default_splits: Vec<DefaultSplit>,
    /// Time at which these rules were last changed, as in the balance row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_splits_at: Option<Timestamp>,
    /// How the group is joined, if not by its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invitation: Option<Invitation>,
    /// The code of the invitation, for the members to send. Invitations of earlier releases have
    /// only its hash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invitation_code: Option<InvitationCode>,
    /// User who made the invitation. Those of earlier releases name nobody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invited_by: Option<UserId>,
    /// Links of guests that wait to be confirmed, at most
    /// [`MAX_PROPOSED_LINKS`](crate::input::limits::MAX_PROPOSED_LINKS).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proposed_links: Vec<ProposedLink>,
    /// Time at which the creator deleted the group, which then has no users and cannot be joined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Timestamp>,
}

/// A member of a group: a Telegram user, or a guest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Member {
    /// The Telegram id, as text, or the id of a guest.
    pub id: MemberId,
    /// The Telegram id, as a number. Guests have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub telegram_id: Option<u64>,
    /// Whether the member is a guest.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guest: bool,
    /// User who added the guest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_by: Option<UserId>,
    /// Import that added the guest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub import_id: Option<ImportId>,
    /// User whom the guest turned out to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub linked_to: Option<UserId>,
    /// Guests who turned out to be this user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guests: Vec<MemberId>,
    /// Name shown to the other members.
    pub name: String,
    /// The Telegram username, without `@`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// TON address at which the member is paid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wallet: Option<TonAddress>,
    /// URL of the member's picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub avatar_url: Option<String>,
    /// Time of joining; of a guest, of being added.
    pub joined_at: Timestamp,
    /// Time of leaving, if the member is past and not removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_at: Option<Timestamp>,
    /// Time of being removed, if the member is past and cannot rejoin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed_at: Option<Timestamp>,
    /// Version of the row. Every update is conditional on it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub version: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The row of a member, with the id of the group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberRow {
    /// The group.
    #[serde(rename = "PK", with = "keys::of_group")]
    pub group_id: GroupId,
    /// The member.
    #[serde(flatten)]
    pub member: Member,
}

/// The row that names the group of a Telegram chat, so that a chat has only one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChatGroup {
    /// The chat: its `chat_instance`.
    pub chat_id: ChatId,
    /// Its group.
    pub group_id: GroupId,
}

impl Row for ChatGroup {
    const KIND: &'static str = "chatGroup";
    const VERSION: u32 = 1;

    fn keys(&self) -> Keys {
        keys::chat_group(&self.chat_id).into()
    }
}

impl Row for Group {
    const KIND: &'static str = "group";
    const VERSION: u32 = 1;

    fn keys(&self) -> Keys {
        keys::group(self.id).into()
    }
}

impl Row for MemberRow {
    const KIND: &'static str = "member";
    const VERSION: u32 = 1;

    fn keys(&self) -> Keys {
        let group = self.group_id;
        let user = self.member.id;
        let by_user = Index { pk: keys::user_partition(user), sk: keys::group_partition(group) };
        Keys { gsi1: Some(by_user), ..keys::member(group, user).into() }
    }

    /// A v0 row may have another id than that of Telegram, or none. It is read as the migration
    /// would write it.
    fn upgrade(_: u32, item: &mut Item) {
        let group = match item.get("PK") {
            Some(AttributeValue::S(key)) => key.strip_prefix(prefix::GROUP),
            _ => None,
        };
        let group = group.and_then(|id| id.parse().ok());
        let read = group.and_then(|group| v0::member(item, group, Timestamp::default()).ok());
        if let Some(row) = read.and_then(|read| row::to_item(&read.entity).ok()) {
            *item = row;
        }
    }
}

impl Group {
    /// Checks that a member who was present may write to the group.
    ///
    /// # Errors
    ///
    /// [`Error::Left`] if it is deleted, with which its last user has left;
    /// [`Error::GroupArchived`].
    pub const fn check_unarchived(&self) -> Result<(), Error> {
        match (self.deleted_at, self.archived) {
            (Some(_), _) => Err(Error::Left),
            (None, true) => Err(Error::GroupArchived),
            (None, false) => Ok(()),
        }
    }

    /// Whether the member created the group. In a group of an earlier format, it is the member who
    /// joined when the group was created.
    #[must_use]
    pub fn is_created_by(&self, member: &Member) -> bool {
        self.created_by.map_or(member.joined_at == self.created_at, |user| member.id == user)
    }

    /// Whether a present member may remove another one: any member removes guests, and the creator
    /// removes users.
    #[must_use]
    pub fn may_remove(&self, caller: &Member, member: &Member) -> bool {
        let by_creator = self.is_created_by(caller) && !self.is_created_by(member);
        member.id.guest().is_some() || by_creator
    }
}

impl Member {
    /// Whether the guest of an import is present again once the file is imported again: the undo of
    /// the import, or a member, has removed them.
    #[must_use]
    pub const fn comes_back(&self) -> bool {
        self.removed_at.is_some() && self.import_id.is_some() && self.linked_to.is_none()
    }

    /// Whether the member has neither left nor been removed.
    #[must_use]
    pub const fn is_present(&self) -> bool {
        self.left_at.is_none() && self.removed_at.is_none()
    }

    /// The ids that mean the member: their own, and those of the guests who turned out to be them.
    pub fn ids(&self) -> impl Iterator<Item = MemberId> + '_ {
        [self.id].into_iter().chain(self.guests.iter().copied())
    }

    /// Checks that the member is present.
    ///
    /// # Errors
    ///
    /// [`Error::Left`] or [`Error::Removed`].
    pub const fn check_present(&self) -> Result<(), Error> {
        match (self.removed_at, self.left_at) {
            (Some(_), _) => Err(Error::Removed),
            (None, Some(_)) => Err(Error::Left),
            (None, None) => Ok(()),
        }
    }

    /// The member, who must be present.
    ///
    /// # Errors
    ///
    /// [`Error::NotMember`]; [`Error::Left`] or [`Error::Removed`].
    pub fn require_present(member: Option<Self>) -> Result<Self, Error> {
        let member = member.ok_or(Error::NotMember)?;
        member.check_present()?;
        Ok(member)
    }

    /// The member with the current name, username and picture of `user`.
    #[must_use]
    pub fn renamed(self, user: &User) -> Self {
        Self {
            name: user.name.clone(),
            username: user.username.clone(),
            avatar_url: user.avatar_url.clone(),
            ..self
        }
    }

    /// A user with the name, username and picture of the member.
    #[must_use]
    pub fn as_user(&self, id: UserId) -> User {
        User {
            id,
            name: self.name.clone(),
            username: self.username.clone(),
            avatar_url: self.avatar_url.clone(),
        }
    }

    /// The member, who is present.
    #[must_use]
    pub fn present(self) -> Self {
        Self { left_at: None, removed_at: None, ..self }
    }

    /// A member for `user`, who joins at `joined_at`.
    #[must_use]
    pub fn new(user: &User, wallet: Option<TonAddress>, joined_at: Timestamp) -> Self {
        Self {
            id: user.id.into(),
            telegram_id: Some(user.id.number()),
            guest: false,
            created_by: None,
            import_id: None,
            linked_to: None,
            guests: Vec::new(),
            name: user.name.clone(),
            username: user.username.clone(),
            wallet,
            avatar_url: user.avatar_url.clone(),
            joined_at,
            left_at: None,
            removed_at: None,
            version: 0,
        }
    }
}

/// Whether a present user acts for a member: users for themselves, and any member for a guest or a
/// past member. Past members are known by their rows in `members`.
#[must_use]
pub fn acts_for(user: UserId, member: MemberId, members: &[Member]) -> bool {
    let is_past = || members.iter().any(|it| it.id == member && !it.is_present());
    member.is_acted_for_by(user) || is_past()
}

/// A group to open for a chat, if it has none yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenedGroup {
    /// An existing group that becomes that of the chat.
    pub group_id: Field<GroupId>,
    /// Title. Default: [`OpenedGroup::TITLE`].
    pub title: Field<Title>,
    /// Currency of expenses that name none. Default: TON.
    pub currency: Field<Currency>,
}

impl OpenedGroup {
    /// Title of a group that is opened without one.
    pub const TITLE: &str = "Group";
}

impl Draft<OpenedGroup> {
    /// The group of `chat`, created by `creator` at `now`.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] with all rules that are broken; [`Error::Unreadable`].
    pub fn check(
        &self,
        chat: &ChatId,
        creator: UserId,
        now: Timestamp,
        random: [u8; 10],
    ) -> Result<Group, Error> {
        let OpenedGroup { title, currency, .. } = self.checked()?.clone();
        let title = match title {
            Field::Value(title) => title,
            Field::Absent | Field::Invalid => {
                OpenedGroup::TITLE.parse().map_err(|error| Error::Table(Box::new(error)))?
            }
        };
        let new =
            NewGroup { title: Field::Value(title), chat_id: Field::Value(chat.clone()), currency };
        Draft::valid(new).check(creator, now, random)
    }
}

/// A group to create.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewGroup {
    /// Title.
    pub title: Field<Title>,
    /// Telegram chat that it belongs to.
    pub chat_id: Field<ChatId>,
    /// Currency of expenses that name none. Default: TON.
    pub currency: Field<Currency>,
}

impl Draft<NewGroup> {
    /// The group, created by `creator` at `now`.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] with all rules that are broken; [`Error::Unreadable`].
    pub fn check(&self, creator: UserId, now: Timestamp, random: [u8; 10]) -> Result<Group, Error> {
        let (new, errors) = self.open()?;
        let group = || {
            Some(Group {
                id: GroupId::new(now, random),
                chat_id: new.chat_id.value()?.clone(),
                title: new.title.value()?.clone(),
                currency: new.currency.or(Currency::TON)?,
                created_at: now,
                member_count: 1,
                created_by: Some(creator),
                archived: false,
                dated: true,
                categories: Vec::new(),
                default_splits: Vec::new(),
                default_splits_at: None,
                invitation: None,
                invitation_code: None,
                invited_by: None,
                proposed_links: Vec::new(),
                deleted_at: None,
            })
        };
        errors.finish(group())
    }
}

/// A selection of groups.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct GroupFilter {
    /// Whether archived groups are selected, too.
    pub archived: bool,
    /// The chat of the groups; any chat by default.
    pub chat: Option<ChatId>,
}

impl GroupFilter {
    /// Whether the group is selected.
    #[must_use]
    pub fn accepts(&self, group: &Group) -> bool {
        (self.archived || !group.archived)
            && self.chat.as_ref().is_none_or(|chat| *chat == group.chat_id)
    }
}

/// A change of a group's settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupUpdate {
    /// New title.
    pub title: Field<Title>,
    /// New currency of expenses that name none.
    pub currency: Field<Currency>,
    /// Whether the group is archived.
    pub archived: Field<bool>,
    /// The categories of the group's own, instead of the present ones.
    pub categories: Field<Vec<GroupCategoryInput>>,
    /// The rules of the default split, instead of the present ones.
    pub default_splits: Field<Vec<DefaultSplitInput>>,
}

impl Draft<GroupUpdate> {
    /// Whether the group is not to be archived any more.
    #[must_use]
    pub fn unarchives(&self) -> bool {
        self.fields().is_some_and(|update| update.archived == Field::Value(false))
    }

    /// Whether the change names members, so that [`Draft::apply`] needs those of the group.
    #[must_use]
    pub fn names_members(&self) -> bool {
        self.fields().is_some_and(|update| update.default_splits.value().is_some())
    }

    /// The group after the change. `members` are those of the group if [`Draft::names_members`].
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] with all rules that are broken; [`Error::Unreadable`].
    pub fn apply(&self, before: &Group, members: &[Member]) -> Result<Group, Error> {
        let (update, mut errors) = self.open()?;
        if update.title.is_absent()
            && update.currency.is_absent()
            && update.archived.is_absent()
            && update.categories.is_absent()
            && update.default_splits.is_absent()
        {
            errors.push(
                "title",
                message!(
                    "title, currency, archived, categories or defaultSplits is required",
                    "укажите title, currency, archived, categories или defaultSplits"
                ),
            );
        }
        let categories = match &update.categories {
            Field::Value(inputs) => categories::read(inputs, &mut errors).unwrap_or_default(),
            Field::Absent | Field::Invalid => before.categories.clone(),
        };
        let mut after = Group {
            title: update.title.value().unwrap_or(&before.title).clone(),
            currency: update.currency.value().copied().unwrap_or(before.currency),
            archived: update.archived.value().copied().unwrap_or(before.archived),
            categories,
            ..before.clone()
        };
        after.default_splits = match &update.default_splits {
            Field::Value(inputs) => {
                default_split::read(inputs, &after, members, &mut errors).unwrap_or_default()
            }
            // A rule goes with its category.
            Field::Absent | Field::Invalid => {
                let stays =
                    |it: &&DefaultSplit| it.category.is_none_or(|it| after.has_category(it));
                before.default_splits.iter().filter(stays).cloned().collect()
            }
        };
        errors.finish(Some(after))
    }
}
