//! The members of a group against what is stored of them elsewhere: their number in the group's
//! row, and the links between guests and users, which the balance row decides.

use std::collections::BTreeSet;

use crate::{
    group::{Group, Member},
    ledger::Ledger,
    values::id::MemberId,
};

/// Right contents of the rows of a group and of its members.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Roll {
    /// Number of members who are present, without linked guests, if the group's row has another
    /// one.
    pub(crate) count: Option<u64>,
    /// Members whose links differ from the ledger's, as they were read and as they should be.
    pub(crate) links: Vec<(Member, Member)>,
    /// Ids with a balance, or in a link, that no member has. Nothing tells their names.
    pub(crate) missing: Vec<MemberId>,
}

impl Roll {
    /// Compares a group, all its members and its ledger, which were read at one moment.
    pub(crate) fn of(group: &Group, members: &[Member], ledger: &Ledger) -> Self {
        let linked = members.iter().filter_map(|member| {
            let right = with_links(member, ledger);
            let same = right.linked_to == member.linked_to
                && as_set(&right.guests) == as_set(&member.guests);
            (!same).then(|| (member.clone(), right))
        });
        let counted =
            members.iter().filter(|it| it.is_present() && !ledger.links.has(it.id)).count();
        let counted = u64::try_from(counted).unwrap_or(u64::MAX);
        let known: BTreeSet<MemberId> = members.iter().map(|member| member.id).collect();
        let of_currency = |currency| ledger.balances.of(currency).map(|(member, _)| member);
        let with_balance = ledger.balances.currencies().flat_map(of_currency);
        let named: BTreeSet<MemberId> = with_balance.chain(ledger.links.named()).collect();
        Self {
            count: Some(counted).filter(|counted| *counted != group.member_count),
            links: linked.collect(),
            missing: named.difference(&known).copied().collect(),
        }
    }
}

/// The member with the links of the ledger.
fn with_links(member: &Member, ledger: &Ledger) -> Member {
    let linked_to = ledger.links.resolve(member.id).user().filter(|_| ledger.links.has(member.id));
    let guests = member.id.user().map(|user| ledger.links.guests_of(user).collect());
    Member { linked_to, guests: guests.unwrap_or_default(), ..member.clone() }
}

fn as_set(guests: &[MemberId]) -> BTreeSet<&MemberId> {
    guests.iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        caller::telegram::User,
        values::{
            id::{GroupId, UserId},
            time::Timestamp,
        },
    };

    #[test]
    fn a_roll_has_what_differs() {
        let at: Timestamp = "2026-01-15T12:00:00.000Z".parse().unwrap();
        let user = |number: u64| UserId::new(number).unwrap();
        let member = |number: u64| {
            let user =
                User { id: user(number), name: "A".into(), username: None, avatar_url: None };
            Member::new(&user, None, at)
        };
        let id = GroupId::new(at, [1; 10]);
        let guest = Member::guest(&"Grandma".parse().unwrap(), user(1), at, [2; 10]);
        let ledger = Ledger::default();
        let (linked, _) =
            ledger.link::<()>(id, guest.id.guest().unwrap(), user(2), user(1), at).unwrap();
        let group = Group {
            id,
            chat_id: 1.into(),
            title: "Alps".parse().unwrap(),
            currency: "EUR".parse().unwrap(),
            created_at: at,
            member_count: 3,
            created_by: None,
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
        };
        let members = [member(1), member(2), guest.clone()];
        assert_eq!(Roll::of(&group, &members, &ledger), Roll::default());

        let roll = Roll::of(&group, &members[..2], &linked);
        assert_eq!((roll.count, &roll.missing), (Some(2), &vec![guest.id]));
        assert_eq!(roll.links[0].1.guests, [guest.id]);
        let roll = Roll::of(&group, &members, &linked);
        let right: Vec<_> = roll.links.into_iter().map(|(_, right)| right).collect();
        assert_eq!(right[1].linked_to, Some(user(2)));
        let members = [member(1), right[0].clone(), right[1].clone()];
        let group = Group { member_count: 2, ..group };
        assert_eq!(Roll::of(&group, &members, &linked), Roll::default());
        assert_eq!(Roll::of(&group, &members, &ledger).count, Some(3));
    }
}
