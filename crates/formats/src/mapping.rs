//! The mapping from the people in a file to the members of a group.

use std::{collections::BTreeMap, str::FromStr};

use fracti_core::{group::Member, id::MemberId, links::Links, words};

use crate::{import::Import, key::normal};

/// What the caller says about a person in a file.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be the id of a present member of the group, or \"{}\"", Target::NEW_GUEST)]
pub struct TargetError;

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
    /// Why a person in a file is matched with a member: because both have the same `name`, or
    /// because the match was `given` in the request.
    pub enum MatchedBy as "ImportMatchedBy" {
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

/// The member matched with each person in a file, if any. A name matches, regardless of case, if
/// exactly one present member has it.
#[must_use]
pub fn matches<'a>(
    import: &Import,
    targets: &BTreeMap<String, Target>,
    members: &'a [Member],
) -> Vec<Option<Match<'a>>> {
    let links: Links = members.iter().collect();
    let present = || members.iter().filter(|it| it.is_present() && !links.has(it.id));
    let of_name = |name: &str| {
        // The names in the file are in the form NFC, but those of members may be in another one.
        let is_of = |member: &&Member| {
            member.is_named(name) || normal(&member.name).to_lowercase() == name.to_lowercase()
        };
        let mut named = present().filter(is_of);
        named.next().filter(|_| named.next().is_none())
    };
    let of_person = |name: &str| match targets.get(name) {
        Some(Target::Member(id)) => {
            let meant = links.resolve(*id);
            let member = present().find(|member| member.id == meant)?;
            Some(Match { member, by: MatchedBy::Given })
        }
        Some(Target::NewGuest) => None,
        None => of_name(name).map(|member| Match { member, by: MatchedBy::Name }),
    };
    import.members.iter().map(|person| of_person(person.name.as_str())).collect()
}
