//! All rows of a table, as what they are.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::Client;
use fracti_core::{
    entry::Entry,
    expense::{Expense, Participant},
    group::{Group, Member},
    id::{GroupId, UserId},
    keys::{self, Keys, Primary},
    ledger::{EntryStatus, Ledger},
    row,
    settlement::Settlement,
    time::Day,
};
use fracti_store::{SdkItem, from_sdk, to_sdk};
use serde::{Serialize, de::DeserializeOwned};

use super::Finding;
use crate::database::TABLE;

/// A key of the table.
pub(super) type Key = (String, String);

/// All rows of a table.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) groups: BTreeMap<GroupId, Group>,
    pub(super) members: BTreeMap<(GroupId, UserId), Member>,
    pub(super) expenses: Vec<Expense>,
    pub(super) participants: Vec<Participant>,
    pub(super) settlements: Vec<Settlement>,
    pub(super) ledgers: BTreeMap<GroupId, Ledger>,
    pub(super) closings: BTreeMap<(GroupId, Day), Ledger>,
    pub(super) entries: Vec<Entry>,
    /// The rows that say only that something was used: chain transactions, and idempotency keys.
    pub(super) used: BTreeMap<Key, SdkItem>,
    /// What is not where its own content says.
    pub(super) findings: Vec<Finding>,
}

impl State {
    /// Reads every row. Each one has to be, to the last attribute, what is written for what it says.
    pub(super) async fn read(client: &Client) -> Self {
        let mut pages = client.scan().table_name(TABLE).into_paginator().items().send();
        let mut state = Self::default();
        while let Some(row) = pages.next().await {
            state.take(row.unwrap());
        }
        state.expenses.sort_by_key(|expense| expense.created_at);
        state.settlements.sort_by_key(|settlement| settlement.created_at);
        state.entries.sort_by_key(|entry| (entry.group_id, entry.sequence));
        state
    }

    fn take(&mut self, row: SdkItem) {
        let text = |name: &str| row[name].as_s().unwrap().clone();
        let (pk, sk) = (text("PK"), text("SK"));
        let parts: Vec<&str> = pk.split('#').collect();
        let kind = sk.split('#').next().unwrap_or_default();
        match (&*parts, kind) {
            (["GROUP", id], "METADATA") => {
                let group: Group = self.read_back(&row, |it: &Group| keys::group(it.id).into());
                self.groups.insert(id.parse().unwrap(), group);
            }
            (["GROUP", id], "USER") => {
                let group: GroupId = id.parse().unwrap();
                let member: Member =
                    self.read_back(&row, |it: &Member| keys::member_row(group, it.id));
                self.members.insert((group, member.id), member);
            }
            (["GROUP", _], "TX") => {
                let expense = self.read_back(&row, keys::expense_row);
                self.expenses.push(expense);
            }
            (["GROUP", _], "PART") => {
                let participant = self.read_back(&row, keys::participant_row);
                self.participants.push(participant);
            }
            (["GROUP", _], "SETTLE") => {
                let settlement = self.read_back(&row, keys::settlement_row);
                self.settlements.push(settlement);
            }
            (["LEDGER", id], "BALANCE") => {
                let group = id.parse().unwrap();
                let ledger = self.read_back(&row, |_: &Ledger| keys::balance(group).into());
                self.ledgers.insert(group, ledger);
            }
            (["LEDGER", id], "DAY") => {
                let (group, day) = (id.parse().unwrap(), sk.replace("DAY#", "").parse().unwrap());
                let ledger = self.read_back(&row, |_: &Ledger| keys::closing(group, day).into());
                self.closings.insert((group, day), ledger);
            }
            (["LEDGER", _, "ENTRY", _], "~" | "HISTORY") => {
                let entry: Entry = self.read_back(&row, keys::entry_row);
                if (entry.status == EntryStatus::Applied) != (sk == "~") {
                    self.findings.push(Finding::Wrong(format!("{entry:?} is at {sk}")));
                }
                self.entries.push(entry);
            }
            (["TXHASH" | "IDEM", _], _) => {
                self.used.insert((pk, sk), row);
            }
            _ => self.findings.push(Finding::Wrong(format!("a row that nobody knows: {pk} {sk}"))),
        }
    }

    /// What a row says; where the same would be written otherwise, that is a finding.
    fn read_back<T: Serialize + DeserializeOwned>(
        &mut self,
        row: &SdkItem,
        keys: impl Fn(&T) -> Keys,
    ) -> T {
        let entity: T = row::from_item(from_sdk(row.clone())).unwrap();
        let written = to_sdk(row::to_item(&keys(&entity), &entity).unwrap());
        if written != *row {
            self.findings.push(Finding::Wrong(format!("{row:?} should be {written:?}")));
        }
        entity
    }

    /// The expenses of a group.
    pub(super) fn expenses_of(&self, group: GroupId) -> Vec<Expense> {
        self.expenses.iter().filter(|it| it.group_id == group).cloned().collect()
    }

    /// The settlements of a group.
    pub(super) fn settlements_of(&self, group: GroupId) -> Vec<Settlement> {
        self.settlements.iter().filter(|it| it.group_id == group).cloned().collect()
    }

    /// The entries of a group, history among them, in their order.
    pub(super) fn entries_of(&self, group: GroupId) -> Vec<Entry> {
        self.entries.iter().filter(|it| it.group_id == group).cloned().collect()
    }
}

/// What an expense was called from one entry to the next, and whether it came by an edit, a restore, or first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) label: String,
    /// An edit: it took the place of the era before in the same transaction.
    pub(super) edited: bool,
}

impl State {
    /// The eras of an expense, in their order, and how often it was deleted.
    pub(super) fn versions(&self, expense: &str) -> (Vec<Version>, usize) {
        let entries = self.entries.iter().filter(|it| it.ref_id.as_deref() == Some(expense));
        let entries: Vec<&Entry> = entries.collect();
        let now = self.expenses.iter().find(|it| it.id.to_string() == expense);
        let (mut versions, mut deletions) = (Vec::new(), 0);
        let mut last: Option<&Entry> = None;
        for entry in entries {
            let follows = |before: &Entry| {
                before.status == EntryStatus::Revert
                    && before.sequence + 1 == entry.sequence
                    && before.created_at == entry.created_at
            };
            let edited = last.is_some_and(follows);
            if entry.status == EntryStatus::Revert {
                deletions += 1;
            } else {
                deletions -= usize::from(edited);
                let was = entry.snapshot.as_deref().or(now).map(|it| it.description.clone());
                versions.push(Version { label: was.unwrap_or_default(), edited });
            }
            last = Some(entry);
        }
        (versions, deletions)
    }
}

/// A key as the scan has it.
pub(super) fn pair(Primary { pk, sk }: Primary) -> Key {
    (pk, sk)
}
