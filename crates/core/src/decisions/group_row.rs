//! Conditions on a group's row.

use crate::{
    group::{Group, ProposedLink},
    input::Error,
    storage::{
        condition::Condition,
        row::{self, AttributeValue},
    },
};

/// The group is joined as it was when it was read.
pub fn invites_as_read(group: &Group) -> Result<Condition, Error> {
    Ok(match group.invitation {
        None => Condition::without("invitation"),
        Some(invitation) => Condition::equal("invitation", row::to_value(&invitation)?),
    })
}

/// The group has the proposed links that were read.
pub fn links_as_read(group: &Group) -> Result<Condition, Error> {
    if group.proposed_links.is_empty() {
        return Ok(Condition::without("proposedLinks"));
    }
    Ok(Condition::equal("proposedLinks", row::to_value(&group.proposed_links)?))
}

/// The attributes of a group with these proposed links.
pub fn links_set_to(
    links: &[ProposedLink],
) -> Result<[(&'static str, Option<AttributeValue>); 1], Error> {
    let links = (!links.is_empty()).then(|| row::to_value(&links)).transpose()?;
    Ok([("proposedLinks", links)])
}

/// The group has the chat, the settings and the number of members that were read.
pub fn unchanged(group: &Group) -> Result<Condition, Error> {
    let chat = Condition::equal("chatId", row::to_value(&group.chat_id)?);
    let title = Condition::equal("title", row::to_value(&group.title)?);
    let currency = Condition::equal("currency", row::to_value(&group.currency)?);
    let archived = if group.archived {
        Condition::equal("archived", row::to_value(&true)?)
    } else {
        Condition::without("archived")
    };
    let categories = if group.categories.is_empty() {
        Condition::without("categories")
    } else {
        Condition::equal("categories", row::to_value(&group.categories)?)
    };
    let members = Condition::equal("memberCount", row::to_value(&group.member_count)?);
    let settings = chat.and(title).and(currency).and(archived).and(categories);
    let divides = match &group.default_splits_at {
        None => Condition::without("defaultSplitsAt"),
        Some(at) => Condition::equal("defaultSplitsAt", row::to_value(at)?),
    };
    let settings = settings.and(divides);
    Ok(settings.and(members).and(invites_as_read(group)?))
}
