//! v0 rows of groups and members.

use crate::{
    group::{Group, Member, MemberRow},
    storage::row::{AttributeValue, Item},
    v0::{Anomaly, Migrated, attributes::Attributes, members::id_of},
    values::{
        chat_id::ChatId, currency::Currency, id::GroupId, text::Title, time::Timestamp,
        ton::TonAddress,
    },
};

/// Title of a group that has none.
const TITLE: &str = "Group";

/// Converts the v0 row of a group with `member_count` members. Without a currency, the currency
/// becomes TON; without a time of creation, the time becomes `created_at`.
///
/// # Errors
///
/// [`Anomaly`] if the row must stay as it is.
pub fn group(
    item: &Item,
    id: GroupId,
    member_count: u64,
    created_at: Timestamp,
) -> Result<Migrated<Group>, Anomaly> {
    let row = Attributes(item);
    // A missing chat id does no harm: no group is looked up by it.
    let chat_id = row.parsed("chatId").unwrap_or_else(|| ChatId::from(0));
    let title: String =
        row.text("title").unwrap_or(TITLE).chars().take(Title::MAX_LENGTH).collect();
    let currency = match row.text("currency").map(str::to_uppercase) {
        None => Currency::TON,
        Some(code) => code.parse().map_err(|_| Anomaly::Unreadable("currency".to_owned()))?,
    };
    let group = Group {
        id,
        chat_id,
        title: title.parse().map_err(|_| Anomaly::Unreadable("title".to_owned()))?,
        currency,
        created_at: row.parsed("createdAt").unwrap_or(created_at),
        member_count,
        created_by: row.parsed("createdBy"),
        archived: item.get("archived") == Some(&AttributeValue::Bool(true)),
        // Rows that cannot be migrated have no keys.
        dated: false,
        categories: Vec::new(),
        default_splits: Vec::new(),
        default_splits_at: None,
        invitation: None,
        invitation_code: None,
        invited_by: None,
        proposed_links: Vec::new(),
        deleted_at: None,
    };
    let always = ["id", "chatId", "title", "currency", "createdAt", "memberCount"];
    Migrated::of(item, group, &always)
}

/// Converts the v0 row of a member. A member without a Telegram id becomes a guest; a missing time
/// of joining becomes `joined_at`.
///
/// # Errors
///
/// [`Anomaly`] if the row must stay as it is.
pub fn member(
    item: &Item,
    group: GroupId,
    joined_at: Timestamp,
) -> Result<Migrated<MemberRow>, Anomaly> {
    let row = Attributes(item);
    let id = id_of(group, row).ok_or_else(|| Anomaly::Unreadable("id".to_owned()))?;
    let wallet: Option<TonAddress> = row.text("wallet").map(TonAddress::stored);
    let anomaly = wallet.as_ref().filter(|wallet| !wallet.is_valid()).map(|_| Anomaly::Wallet);
    let owned = |name: &str| row.text(name).map(str::to_owned);
    let member = Member {
        id,
        telegram_id: id.user().map(crate::values::id::UserId::number),
        guest: id.guest().is_some(),
        created_by: None,
        import_id: None,
        linked_to: None,
        guests: Vec::new(),
        name: owned("name").unwrap_or_else(|| super::members::UNKNOWN.to_owned()),
        username: owned("username"),
        wallet,
        avatar_url: owned("avatarUrl"),
        joined_at: row.parsed("joinedAt").unwrap_or(joined_at),
        left_at: row.parsed("leftAt"),
        removed_at: row.parsed("removedAt"),
        version: row.parsed("version").unwrap_or_default(),
    };
    let always = ["SK", "id", "telegramId", "name", "joinedAt"];
    let migrated = Migrated::of(item, MemberRow { group_id: group, member }, &always)?;
    Ok(Migrated { anomalies: anomaly.into_iter().collect(), ..migrated })
}
