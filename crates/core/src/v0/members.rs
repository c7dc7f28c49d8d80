//! Members of a group by the ids that its v0 rows use.

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest, Sha256};

use crate::{
    group::Member,
    id::{GroupId, GuestId, MemberId, UserId},
    keys::prefix,
    row::Item,
    time::Timestamp,
    v0::{Anomaly, attributes::Attributes},
};

/// Name of a member whose name no row has.
pub(super) const UNKNOWN: &str = "Unknown";

/// The members of a group by all ids that v0 rows may call them: Telegram ids, and others that an
/// earlier TypeScript Fracti generated.
#[derive(Clone, Debug)]
pub struct Members {
    group: GroupId,
    known: BTreeMap<String, (MemberId, String)>,
    names: Vec<Member>,
}

/// Members whom a v0 row names, of whom some may be strangers.
pub(super) struct Named<'a> {
    members: &'a Members,
    at: Timestamp,
    /// Members who have no row.
    pub(super) strangers: Vec<Member>,
}

/// The id of the member whose row this is: the Telegram id if there is one; otherwise the member is
/// a guest.
pub(super) fn id_of(group: GroupId, row: Attributes<'_>) -> Option<MemberId> {
    let in_key = row.text("SK").and_then(|key| key.strip_prefix(prefix::MEMBER));
    let texts = || [row.text("telegramId"), row.text("id"), in_key].into_iter().flatten();
    let user = texts().find_map(|text| text.parse::<UserId>().ok());
    let user = user.map(MemberId::from);
    user.or_else(|| texts().next().map(|text| other(group, text)))
}

/// The guest with an id that is no Telegram id. The same text always gives the same guest.
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
            let member = stranger(id, name, Timestamp::default());
            let linked_to = row.parsed("linkedTo");
            members.names.push(Member { linked_to, left_at, removed_at, ..member });
        }
        members
    }

    /// The members and these.
    #[must_use]
    pub fn with(mut self, strangers: &[Member]) -> Self {
        for member in strangers {
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

    /// A Telegram user among these, or else the first one of the group.
    #[must_use]
    pub fn user(&self, first: impl IntoIterator<Item = MemberId>) -> Option<UserId> {
        let all = self.known.values().map(|(id, _)| *id);
        first.into_iter().chain(all).find_map(MemberId::user)
    }

    pub(super) const fn named(&self, at: Timestamp) -> Named<'_> {
        Named { members: self, at, strangers: Vec::new() }
    }
}

impl Named<'_> {
    /// The member that an attribute names, and the name that another one has.
    ///
    /// A Telegram id that has no row of a member is that of a user who is past: they stay who they
    /// are, and have no right to anything in the group. Any other id is a guest's.
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
        let same = self.strangers.iter().find(|stranger| stranger.id == meant);
        let found = known(text).or_else(|| known(&meant.to_string()));
        let found = found.or_else(|| same.map(|member| (member.id, member.name.clone())));
        let given = row.text(name).map(str::to_owned);
        if let Some((id, name)) = found {
            return Ok((id, given.unwrap_or(name)));
        }
        let name = given.unwrap_or_else(|| UNKNOWN.to_owned());
        let past = meant.user().map(|_| self.at);
        let row_name = if past.is_some() { name.clone() } else { self.free_name(&name) };
        self.strangers.push(Member { left_at: past, ..stranger(meant, &row_name, self.at) });
        Ok((meant, name))
    }

    /// The name, with a number if a present member has it: guests are told apart by their names.
    fn free_name(&self, name: &str) -> String {
        let names: Vec<Member> =
            self.members.names.iter().chain(&self.strangers).cloned().collect();
        let numbered = (2_u32..).map(|number| format!("{name} ({number})"));
        let mut names_to_try = std::iter::once(name.to_owned()).chain(numbered);
        names_to_try
            .find(|it| !Member::is_taken(it, &names, None))
            .unwrap_or_else(|| name.to_owned())
    }
}

/// A member of whom only the id and the name are known.
fn stranger(id: MemberId, name: &str, at: Timestamp) -> Member {
    Member {
        id,
        telegram_id: id.user().map(UserId::number),
        guest: id.guest().is_some(),
        created_by: None,
        linked_to: None,
        guests: Vec::new(),
        name: name.to_owned(),
        username: None,
        wallet: None,
        avatar_url: None,
        joined_at: at,
        left_at: None,
        removed_at: None,
    }
}
