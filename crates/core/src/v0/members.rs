//! The members of a group, found by the ids that its v0 rows use.

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest, Sha256};

use crate::{
    group::Member,
    storage::{keys::prefix, row::Item},
    v0::{Anomaly, attributes::Attributes},
    values::{
        id::{GroupId, GuestId, MemberId, UserId},
        time::Timestamp,
    },
};

/// Name of a member whose name is in no row.
pub(super) const UNKNOWN: &str = "Unknown";

/// The members of a group by all ids that v0 rows may use for them: Telegram ids, and other ids
/// that an early version of the TypeScript Fracti generated.
#[derive(Clone, Debug)]
pub struct Members {
    group: GroupId,
    known: BTreeMap<String, (MemberId, String)>,
    names: Vec<Member>,
}

/// The members that a v0 row names.
pub(super) struct Named<'a> {
    members: &'a Members,
    at: Timestamp,
    /// Members who have no row.
    pub(super) missing_members: Vec<Member>,
}

/// The id of the member with this row: the Telegram id, or that of a guest if there is none.
pub(super) fn id_of(group: GroupId, row: Attributes<'_>) -> Option<MemberId> {
    let in_key = row.text("SK").and_then(|key| key.strip_prefix(prefix::MEMBER));
    let texts = || [row.text("telegramId"), row.text("id"), in_key].into_iter().flatten();
    let user = texts().find_map(|text| text.parse::<UserId>().ok());
    let user = user.map(MemberId::from);
    user.or_else(|| texts().next().map(|text| other(group, text)))
}

/// The guest for an id that is not a Telegram id. The same text always gives the same guest.
fn other(group: GroupId, text: &str) -> MemberId {
    if let Ok(id) = text.parse() {
        return id;
    }
    let guest = text.parse().unwrap_or_else(|_| {
        let hash: [u8; 32] = Sha256::digest(format!("v0 member {group} {text}")).into();
        GuestId::from_bytes(hash.first_chunk().copied().unwrap_or_default())
    });
    MemberId::Guest(guest)
}

impl Members {
    /// The members with these rows, in any format.
    #[must_use]
    pub fn of<'a>(group: GroupId, rows: impl IntoIterator<Item = &'a Item>) -> Self {
        let mut members = Self { group, known: BTreeMap::new(), names: Vec::new() };
        for row in rows.into_iter().map(Attributes) {
            let Some(id) = id_of(group, row) else { continue };
            let name = row.text("name").unwrap_or(UNKNOWN);
            let in_key = row.text("SK").and_then(|key| key.strip_prefix(prefix::MEMBER));
            let id_text = id.to_string();
            let texts = [in_key, row.text("id"), row.text("telegramId"), Some(&id_text)];
            for text in texts.into_iter().flatten() {
                members.known.insert(text.to_owned(), (id, name.to_owned()));
            }
            let [left_at, removed_at] = ["leftAt", "removedAt"].map(|it| row.parsed(it));
            let member = missing_member(id, name, Timestamp::default());
            let linked_to = row.parsed("linkedTo");
            members.names.push(Member { linked_to, left_at, removed_at, ..member });
        }
        members
    }

    /// Adds these members.
    #[must_use]
    pub fn with(mut self, missing_members: &[Member]) -> Self {
        for member in missing_members {
            self.known.insert(member.id.to_string(), (member.id, member.name.clone()));
            self.names.push(member.clone());
        }
        self
    }

    /// Number of members who are present, each counted once.
    #[must_use]
    pub fn present(&self) -> u64 {
        let present = self.names.iter().filter(|member| member.is_present());
        let unlinked = present.filter(|member| member.linked_to.is_none());
        unlinked.map(|member| member.id).collect::<BTreeSet<_>>().len() as u64
    }

    /// The first Telegram user among `first`, or else in the group.
    #[must_use]
    pub fn user(&self, first: impl IntoIterator<Item = MemberId>) -> Option<UserId> {
        let all = self.known.values().map(|(id, _)| *id);
        first.into_iter().chain(all).find_map(MemberId::user)
    }

    pub(super) const fn named(&self, at: Timestamp) -> Named<'_> {
        Named { members: self, at, missing_members: Vec::new() }
    }
}

impl Named<'_> {
    /// The member whose id is in one attribute and whose name is in another one.
    ///
    /// A Telegram id without a member's row becomes a past member, who keeps this id and has no
    /// access to the group. Any other id without a row becomes a guest.
    ///
    /// # Errors
    ///
    /// [`Anomaly::Unreadable`] if there is no id.
    pub(super) fn member(
        &mut self,
        row: Attributes<'_>,
        id: &str,
        name: &str,
    ) -> Result<(MemberId, String), Anomaly> {
        let text = row.text(id).ok_or_else(|| Anomaly::Unreadable(id.to_owned()))?;
        let known = |text: &str| self.members.known.get(text).cloned();
        let meant = other(self.members.group, text);
        let same = self.missing_members.iter().find(|member| member.id == meant);
        let found = known(text).or_else(|| known(&meant.to_string()));
        let found = found.or_else(|| same.map(|member| (member.id, member.name.clone())));
        let given = row.text(name).map(str::to_owned);
        if let Some((id, name)) = found {
            return Ok((id, given.unwrap_or(name)));
        }
        let name = given.unwrap_or_else(|| UNKNOWN.to_owned());
        let past = meant.user().map(|_| self.at);
        let row_name = if past.is_some() { name.clone() } else { self.free_name(&name) };
        self.missing_members
            .push(Member { left_at: past, ..missing_member(meant, &row_name, self.at) });
        Ok((meant, name))
    }

    /// The name, with a number if a present member already has it, because guests are told apart by
    /// their names.
    fn free_name(&self, name: &str) -> String {
        let names: Vec<Member> =
            self.members.names.iter().chain(&self.missing_members).cloned().collect();
        let numbered = (2_u32..).map(|number| format!("{name} ({number})"));
        let mut names_to_try = std::iter::once(name.to_owned()).chain(numbered);
        names_to_try
            .find(|it| !Member::is_taken(it, &names, None))
            .unwrap_or_else(|| name.to_owned())
    }
}

/// A member known only by id and name.
fn missing_member(id: MemberId, name: &str, at: Timestamp) -> Member {
    Member {
        id,
        telegram_id: id.user().map(UserId::number),
        guest: id.guest().is_some(),
        created_by: None,
        import_id: None,
        linked_to: None,
        guests: Vec::new(),
        name: name.to_owned(),
        username: None,
        wallet: None,
        avatar_url: None,
        joined_at: at,
        left_at: None,
        removed_at: None,
        version: 0,
    }
}
