//! A group's settings: its title, its currency, its own categories, and whether it is archived.

use fracti_core::{
    decisions::{decision::Decision, ledger_transaction::LedgerTransaction},
    group::{Group, GroupUpdate, Member, MemberKey, ProposedLink},
    input::{Draft, Error},
    records::group_change::{ChangeKind, Subject},
    storage::{
        condition::Condition,
        keys,
        row::{self, AttributeValue},
        write::{Write, WriteError},
    },
};

use crate::{
    table::Table,
    write::idempotency::{Idempotency, Outcome},
};

impl Table {
    /// Changes a group's settings. An archived group can only be un-archived.
    ///
    /// Archiving is a write under the group's lock, so no other write is committed after it.
    ///
    /// # Errors
    ///
    /// [`Error::NoGroup`] or [`Error::NotMember`]; [`Error::GroupArchived`]; [`Error::Invalid`].
    pub async fn update_group(
        &self,
        member_key: MemberKey,
        update: &Draft<GroupUpdate>,
        idempotency: &Idempotency<Group>,
    ) -> Result<Outcome<Group>, Error> {
        let MemberKey { group, user } = member_key;
        self.write_to_group(group, idempotency, || async {
            let read = async {
                if update.names_members() {
                    return self.group(member_key).await;
                }
                let (before, caller) = self.group_and_member(group, user.into()).await?;
                Ok((before, vec![Member::require_present(caller)?]))
            };
            let ((before, members), ledger) = tokio::try_join!(read, self.ledger(group))?;
            ledger.state.check_present(user)?;
            if ledger.state.archived != before.archived {
                // The two rows were read before and after another request.
                return Err(WriteError::Retry);
            }
            let members = ledger.links.unlinked(&ledger.state.of(&members));
            let after = update.resolved(&ledger.links).apply(&before, &members);
            if after.as_ref().is_ok_and(|after| *after == before) {
                return Ok(Decision::Done(before));
            }
            if ledger.state.archived && !update.unarchives() {
                return Err(Error::GroupArchived.into());
            }
            let mut after = after?;
            let mut transaction =
                LedgerTransaction::unchecked(member_key, ledger, idempotency.now());
            let at = transaction.at();
            let state = transaction.state();
            state.archived = after.archived;
            if after.currency != before.currency {
                state.currency = Some(after.currency);
            }
            if after.default_splits != before.default_splits {
                after.default_splits_at = Some(at);
                state.default_splits_at = Some(at);
            }
            let own = (!after.categories.is_empty()).then(|| row::to_value(&after.categories));
            let rules = &after.default_splits;
            let rules = (!rules.is_empty()).then(|| row::to_value(rules)).transpose()?;
            let rules_at = after.default_splits_at.as_ref().map(row::to_value).transpose()?;
            let archived = after.archived.then(|| row::to_value(&true)).transpose()?;
            let attributes = [
                ("title", Some(row::to_value(&after.title)?)),
                ("currency", Some(row::to_value(&after.currency)?)),
                ("archived", archived),
                ("categories", own.transpose()?),
                ("defaultSplits", rules),
                ("defaultSplitsAt", rules_at),
            ];
            let update = Write::update(keys::group(group), attributes);
            transaction.add(update.when(unchanged(&before)?));
            let archives = after.archived && !before.archived;
            let kind = if archives { ChangeKind::GroupArchived } else { ChangeKind::GroupChanged };
            transaction.tell(Subject::group(kind, &after));
            transaction.commit(after)
        })
        .await
    }
}

/// The group is joined as it was when it was read.
pub(crate) fn invites_as_read(group: &Group) -> Result<Condition, Error> {
    Ok(match group.invitation {
        None => Condition::without("invitation"),
        Some(invitation) => Condition::equal("invitation", row::to_value(&invitation)?),
    })
}

/// The group has the proposed links that were read.
pub(crate) fn links_as_read(group: &Group) -> Result<Condition, Error> {
    if group.proposed_links.is_empty() {
        return Ok(Condition::without("proposedLinks"));
    }
    Ok(Condition::equal("proposedLinks", row::to_value(&group.proposed_links)?))
}

/// The attributes of a group with these proposed links.
pub(crate) fn links_set_to(
    links: &[ProposedLink],
) -> Result<[(&'static str, Option<AttributeValue>); 1], Error> {
    let links = (!links.is_empty()).then(|| row::to_value(&links)).transpose()?;
    Ok([("proposedLinks", links)])
}

/// The group has the chat, the settings and the number of members that were read.
pub(crate) fn unchanged(group: &Group) -> Result<Condition, Error> {
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
