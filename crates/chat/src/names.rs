//! Names of a group's members, as the bot says them.

use std::collections::HashMap;

use fracti_core::{
    group::{Member, labels},
    values::id::MemberId,
};

use crate::message::{isolated, shortened, unmarked};

/// Length of a name on a button, in characters.
const SHORT: usize = 18;

/// The names of the members of a group. Those that are not unique have an addition.
pub(crate) struct Names(HashMap<MemberId, String>);

impl Names {
    pub(crate) fn of(members: &[Member]) -> Self {
        let additions = labels::additions(members);
        let label = |it: &Member| match additions.get(&it.id) {
            Some(addition) => unmarked(&format!("{} {addition}", it.name)),
            None => unmarked(&it.name),
        };
        Self(members.iter().map(|it| (it.id, label(it))).collect())
    }

    /// The name of a member for a button, which has room for two and an amount.
    pub(crate) fn short(&self, id: MemberId) -> String {
        isolated(shortened(self.unmarked(id), SHORT))
    }

    /// The name of a member.
    pub(crate) fn get(&self, id: MemberId) -> String {
        isolated(self.unmarked(id).to_owned())
    }

    fn unmarked(&self, id: MemberId) -> &str {
        self.0.get(&id).map_or("?", |name| name)
    }
}
