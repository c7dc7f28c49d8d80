//! The mapping from the people in a file to the members of a group.

use std::{
    collections::{BTreeMap, BTreeSet},
    str::FromStr,
};

use fracti_core::{
    group::{Member, links::Links},
    records::import::{guest_id, guest_id_of},
    values::id::{GroupId, MemberId},
    words,
};
use fracti_texts::{Message, Says, errors, rule};

use crate::{
    import::{Import, Person},
    key::normal,
};

/// Statement of the caller about a person in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The person is this member of the group.
    Member(MemberId),
    /// The person becomes a guest.
    NewGuest,
}

impl Target {
    /// Word for a person who becomes a guest.
    pub const NEW_GUEST: &str = "new guest";
}

/// Error returned for a text that is not a [`Target`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetError;

impl Says for TargetError {
    fn says(&self) -> Message {
        rule!(
            "{field} must be the id of a present member of the group, or \"{target}\"",
            "{field} должно быть id нынешнего участника группы или \"{target}\"",
            target = Target::NEW_GUEST
        )
    }
}

errors!(TargetError);

impl FromStr for Target {
    type Err = TargetError;

    fn from_str(text: &str) -> Result<Self, TargetError> {
        if text == Self::NEW_GUEST {
            return Ok(Self::NewGuest);
        }
        text.parse().map(Self::Member).map_err(|_| TargetError)
    }
}

words! {
    /// Why a person in a file is matched with a member: by the `id` of the person in the app, under
    /// which an earlier import added a guest; because an earlier `import` recorded the person's
    /// rows for the member; because both have the same `name`; or because the match was `given` in
    /// the request.
    pub enum MatchedBy as "ImportMatchedBy" {
        /// An earlier import added the guest for the person's id.
        Id = "id",
        /// An earlier import recorded the person's rows for the member.
        Import = "import",
        /// Both have the same name.
        Name = "name",
        /// The request says so.
        Given = "given",
    }
}

/// The member matched with a person in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Match<'a> {
    /// The member.
    pub member: &'a Member,
    /// The reason.
    pub by: MatchedBy,
}

/// The member matched with each person in a file, if any. An id matches the guest whom an earlier
/// import added for it. A name matches, regardless of case, if exactly one present member has it
/// who is not matched by an id.
#[must_use]
pub fn matches<'a>(
    group: GroupId,
    import: &Import,
    targets: &BTreeMap<String, Target>,
    members: &'a [Member],
) -> Vec<Option<Match<'a>>> {
    let links: Links = members.iter().collect();
    let present = || members.iter().filter(|it| it.is_present() && !links.has(it.id));
    let of_id = |person: &Person| {
        let mut ids = person.guest_ids(group).map(|id| links.resolve(id));
        ids.find_map(|id| present().find(|member| member.id == id))
    };
    let of_ids: BTreeSet<MemberId> =
        import.people.iter().filter_map(|person| Some(of_id(person)?.id)).collect();
    let of_name = |name: &str| {
        // The names in the file are in the form NFC, but those of members may be in another one.
        let is_of = |member: &&Member| {
            member.is_named(name) || normal(&member.name).to_lowercase() == name.to_lowercase()
        };
        let mut named = present().filter(is_of).filter(|member| !of_ids.contains(&member.id));
        named.next().filter(|_| named.next().is_none())
    };
    let of_person = |person: &Person| match targets.get(person.name.as_str()) {
        Some(Target::Member(id)) => {
            let meant = links.resolve(*id);
            let member = present().find(|member| member.id == meant)?;
            Some(Match { member, by: MatchedBy::Given })
        }
        Some(Target::NewGuest) => None,
        None => {
            let of_id = of_id(person).map(|member| Match { member, by: MatchedBy::Id });
            let of_name = || of_name(person.name.as_str());
            of_id.or_else(|| of_name().map(|member| Match { member, by: MatchedBy::Name }))
        }
    };
    import.people.iter().map(of_person).collect()
}

impl Person {
    /// Ids of the guests whom earlier imports may have added for the ids of the person in the app.
    fn guest_ids(&self, group: GroupId) -> impl Iterator<Item = MemberId> {
        self.ids.iter().map(move |key| guest_id_of(group, key.as_bytes()).into())
    }

    /// Id of the guest for the person: the one whom an earlier import added, or a new one. Imports
    /// by earlier releases of Fracti, and those of apps without ids, know people by their names.
    pub(crate) fn guest(&self, group: GroupId, members: &[Member]) -> MemberId {
        let of_name = MemberId::from(guest_id(group, &self.name));
        let known = self.guest_ids(group).chain([of_name]);
        let mut known = known.filter(|id| members.iter().any(|member| member.id == *id));
        known.next().or_else(|| self.guest_ids(group).next()).unwrap_or(of_name)
    }
}
