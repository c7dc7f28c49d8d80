//! The rows of a group and of its members.

use std::collections::BTreeSet;

use super::{
    Audit, Mend,
    read::{BalanceRow, Entries, Records},
};
use crate::{
    group::Member,
    ledger::Ledger,
    reports::roll::Roll,
    storage::{
        keys,
        row::{self, AttributeValue},
    },
    values::id::MemberId,
};

impl Audit {
    /// Checks the number of members, their links and index attributes, what the group's row has
    /// from the balance row, and whether every member who is named has a row.
    pub(super) fn check_members(
        &mut self,
        records: &Records,
        entries: &Entries,
        balance: &BalanceRow,
        replayed: Option<&Ledger>,
    ) {
        for kept in &records.members {
            self.check_indexes(kept);
        }
        let Some(group) = &records.group else { return };
        let stored = balance.is_readable().then_some(&balance.ledger);
        let Some(ledger) = replayed.or(stored) else { return };
        let members: Vec<Member> =
            records.members.iter().map(|kept| kept.row.member.clone()).collect();
        let roll = Roll::of(&group.row, &members, ledger);
        let missing = self.check_named(records, entries, &roll);
        let mut set: Vec<(&'static str, Option<AttributeValue>)> = Vec::new();
        // A member whose row is lost counts, too.
        let count = roll.count.filter(|_| !missing && !records.has_unreadable);
        if let Some(count) = count.filter(|_| records.other_members.is_empty()) {
            set.push(("memberCount", row::to_value(&count).ok()));
        }
        if balance.is_readable() {
            let state = &balance.ledger.state;
            if state.archived != group.row.archived {
                let archived = state.archived.then(|| row::to_value(&true).ok());
                set.push(("archived", archived.flatten()));
            }
            // Expenses that follow the default split wait for the two to agree.
            if state.default_splits_at != group.row.default_splits_at {
                let at = state.default_splits_at.map(|at| row::to_value(&at).ok());
                set.push(("defaultSplitsAt", at.flatten()));
            }
            if let Some(currency) = state.currency.filter(|it| *it != group.row.currency) {
                set.push(("currency", row::to_value(&currency).ok()));
            }
        }
        if !set.is_empty() {
            let names: Vec<_> = set.iter().map(|(name, _)| *name).collect();
            let what = format!("its {} should follow from the other rows", names.join(", "));
            self.find(group.key.clone(), what, Some(&group.item), Some(Mend::Set(set)));
        }
        self.check_links(records, &roll);
    }

    fn check_links(&mut self, records: &Records, roll: &Roll) {
        for (read, right) in &roll.links {
            let Some(kept) = records.members.iter().find(|it| it.row.member.id == read.id) else {
                continue;
            };
            let guests = (!right.guests.is_empty()).then(|| row::to_value(&right.guests).ok());
            let linked_to = right.linked_to.and_then(|user| row::to_value(&user).ok());
            let version = row::to_value(&read.version.saturating_add(1)).ok();
            let mut set = Vec::new();
            if read.linked_to != right.linked_to {
                set.push(("linkedTo", linked_to));
            }
            if read.guests != right.guests {
                set.push(("guests", guests.flatten()));
            }
            let names: Vec<_> = set.iter().map(|(name, _)| *name).collect();
            let what = format!("its {} should be as in the ledger", names.join(", "));
            set.push(("version", version));
            self.find(kept.key.clone(), what, Some(&kept.item), Some(Mend::Set(set)));
        }
    }

    /// Reports members whom other rows name and who have no row, and returns whether there are any.
    fn check_named(&mut self, records: &Records, entries: &Entries, roll: &Roll) -> bool {
        let known: BTreeSet<MemberId> =
            records.members.iter().map(|kept| kept.row.member.id).collect();
        let mut named: BTreeSet<MemberId> = roll.missing.iter().copied().collect();
        for kept in records.expenses.values().filter(|kept| kept.row.id.is_ours()) {
            let expense = &kept.row;
            named.extend(expense.payer_ids());
            named.extend(expense.splits.iter().map(|share| share.user_id));
            named.extend(expense.created_by.map(MemberId::from));
        }
        for kept in records.settlements.values().filter(|kept| kept.row.id.is_ours()) {
            named.extend(kept.row.parties());
        }
        named.extend(entries.all.values().map(|kept| MemberId::from(kept.row.actor_id)));
        let missing = named.difference(&known).filter(|id| !records.other_members.contains(id));
        let missing: Vec<MemberId> = missing.copied().collect();
        for id in &missing {
            let key = keys::member(self.group, *id);
            if self.findings.iter().all(|finding| finding.key != key) {
                self.lost(key, "is missing, but other rows name the member", None);
            }
        }
        !missing.is_empty()
    }
}
