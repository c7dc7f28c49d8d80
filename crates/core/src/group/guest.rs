//! Guests: members without a Telegram account, for whom any member may act.

use crate::{
    group::Member,
    values::{
        id::{GuestId, MemberId, UserId},
        text::GuestName,
        time::Timestamp,
    },
};

impl Member {
    /// A guest whom `creator` adds at `added_at`. `random` distinguishes the id from other ids of
    /// the same millisecond.
    #[must_use]
    pub fn guest(name: &GuestName, creator: UserId, added_at: Timestamp, random: [u8; 10]) -> Self {
        Self {
            id: GuestId::new(added_at, random).into(),
            telegram_id: None,
            guest: true,
            created_by: Some(creator),
            import_id: None,
            linked_to: None,
            guests: Vec::new(),
            name: name.to_string(),
            username: None,
            wallet: None,
            avatar_url: None,
            left_at: None,
            removed_at: None,
            version: 0,
            joined_at: added_at,
        }
    }

    /// Whether a present member other than `except` has this name. The name of a linked guest is
    /// free.
    #[must_use]
    pub fn is_taken(name: &str, members: &[Self], except: Option<MemberId>) -> bool {
        let mut others = members.iter().filter(|member| {
            Some(member.id) != except && member.linked_to.is_none() && member.is_present()
        });
        others.any(|member| member.is_named(name))
    }

    /// Whether the member has this name, compared without case and surrounding blanks.
    #[must_use]
    pub fn is_named(&self, name: &str) -> bool {
        folded(&self.name) == folded(name)
    }
}

fn folded(name: &str) -> String {
    name.trim().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_without_case_and_surrounding_blanks() {
        let at: Timestamp = "2024-01-20T18:30:00.000Z".parse().unwrap();
        let named = |name: &str| {
            Member::guest(&name.parse().unwrap(), UserId::new(1).unwrap(), at, [1; 10])
        };
        for (one, other, same) in [
            ("Grandma", " GRANDMA\u{3000}", true),
            ("Ærø", "ærØ", true),
            ("Grandma", "Grand ma", false),
            ("Anna", "Anne", false),
        ] {
            assert_eq!(named(one).is_named(other), same, "{one:?}, {other:?}");
        }
    }
}
