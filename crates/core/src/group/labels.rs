//! Additions that tell members of the same name apart.

use std::collections::{BTreeMap, HashSet};

use crate::{group::Member, values::id::MemberId};

/// Additions to names that are not unique in their group, in any case of letters: the username, or
/// a number by time of joining. A linked guest is a user, and has none.
///
/// # Example
///
/// ```
/// use fracti_core::{caller::telegram::User, group::{Member, labels::additions}, values::id::UserId};
///
/// let member = |id: u64, username: Option<&str>| {
///     let (id, name) = (UserId::new(id).unwrap(), "Alex".to_owned());
///     let username = username.map(str::to_owned);
///     Member::new(&User { id, name, username, avatar_url: None }, None, Default::default())
/// };
/// let members = [member(1, None), member(2, Some("alex_one")), member(3, None)];
/// let additions = additions(&members);
/// let of = |member: &Member| additions.get(&member.id).map(String::as_str);
/// assert_eq!(members.each_ref().map(of), [None, Some("@alex_one"), Some("(3)")]);
/// ```
#[must_use]
pub fn additions(members: &[Member]) -> BTreeMap<MemberId, String> {
    let mut all: Vec<&Member> = members.iter().filter(|it| it.linked_to.is_none()).collect();
    all.sort_by_key(|it| (it.joined_at, it.id));
    let mut by_name: BTreeMap<String, Vec<&Member>> = BTreeMap::new();
    for member in &all {
        by_name.entry(member.name.to_lowercase()).or_default().push(member);
    }
    let mut taken: HashSet<String> = by_name.keys().cloned().collect();
    let mut additions = BTreeMap::new();
    for namesakes in by_name.values().filter(|it| it.len() > 1) {
        for (member, place) in namesakes.iter().zip(1_usize..) {
            let addition = match &member.username {
                Some(username) => format!("@{username}"),
                None if place == 1 => continue,
                // Another member may be called like that.
                None => {
                    let mut numbers = (place..).map(|number| format!("({number})"));
                    let is_free =
                        |it: &String| taken.insert(format!("{} {it}", member.name).to_lowercase());
                    numbers.find(is_free).unwrap_or_default()
                }
            };
            additions.insert(member.id, addition);
        }
    }
    additions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        caller::telegram::User,
        values::{id::UserId, time::Timestamp},
    };

    fn member(id: u64, name: &str, username: Option<&str>) -> Member {
        let at = Timestamp::from_millis(1_768_478_400_000 + id).unwrap();
        let user = User {
            id: UserId::new(id).unwrap(),
            name: name.to_owned(),
            username: username.map(str::to_owned),
            avatar_url: None,
        };
        Member::new(&user, None, at)
    }

    #[test]
    fn names_become_unique_and_unique_names_stay() {
        let mut members = [
            member(5, "Alex", None),
            member(1, "alex", None),
            member(2, "Alex", Some("alex_one")),
            member(3, "Bob", Some("bob")),
            member(4, "Alex (4)", None),
            member(6, "Alex", None),
        ];
        members[5].left_at = Some(Timestamp::default());
        let additions = additions(&members);
        let label = |it: &Member| match additions.get(&it.id) {
            Some(addition) => format!("{} {addition}", it.name),
            None => it.name.clone(),
        };
        let labels: Vec<String> = members.iter().map(label).collect();
        assert_eq!(
            labels,
            ["Alex (3)", "alex", "Alex @alex_one", "Bob", "Alex (4)", "Alex (5)"],
            "the fourth is called like another one"
        );
    }

    #[test]
    fn guest_who_is_a_user_is_not_told_apart_from_them() {
        let mut members = [member(1, "Alex", None), member(2, "Alex", None)];
        members[1].linked_to = UserId::new(1).ok();
        assert!(additions(&members).is_empty());
    }
}
