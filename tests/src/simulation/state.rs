//! All rows of a table, as entities.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::Client;
use fracti_core::{
    group::{Group, Member, MemberRow},
    ledger::{
        EntryStatus, Ledger,
        balance::{Balance, Checkpoint, Closing},
    },
    personal::{spending::Spending, summary::DaySummary},
    questions::{answer::Answer, points::Points, question::Question},
    records::{
        deleted_expense::DeletedExpense,
        entry::Entry,
        expense::{Expense, PaidExpense, Participant},
        group_change::GroupChange,
        schedule::Schedule,
        settlement::Settlement,
    },
    reports::tally::TallyRow,
    rows::RowKind,
    storage::{
        idempotency::IdempotencyRow,
        keys::Primary,
        row::{self, AttributeValue, Item, Row},
    },
    values::{
        decimal::Decimal,
        id::{GroupId, MemberId},
        time::{Day, Timestamp},
    },
};
use fracti_store::{SdkItem, from_sdk, to_sdk};

use super::Finding;
use crate::database::TABLE;

/// A key of the table.
pub(super) type Key = (String, String);

/// All rows of a table.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) groups: BTreeMap<GroupId, Group>,
    pub(super) members: BTreeMap<(GroupId, MemberId), Member>,
    pub(super) expenses: Vec<Expense>,
    pub(super) participants: Vec<Participant>,
    pub(super) payers: Vec<PaidExpense>,
    pub(super) deleted_expenses: Vec<DeletedExpense>,
    pub(super) settlements: Vec<Settlement>,
    pub(super) ledgers: BTreeMap<GroupId, Ledger>,
    pub(super) closings: BTreeMap<(GroupId, Day), Ledger>,
    pub(super) checkpoints: BTreeMap<(GroupId, Timestamp), Ledger>,
    pub(super) entries: Vec<Entry>,
    pub(super) changes: Vec<GroupChange>,
    pub(super) tallies: Vec<TallyRow>,
    pub(super) spendings: Vec<Spending>,
    pub(super) summaries: Vec<DaySummary>,
    pub(super) schedules: Vec<Schedule>,
    pub(super) questions: Vec<Question>,
    pub(super) answers: Vec<Answer>,
    pub(super) points: Vec<Points>,
    /// Rows that only mark a value as used: transaction hashes and idempotency keys.
    pub(super) used: BTreeMap<Key, SdkItem>,
    /// Rows that Fracti would not write in this form.
    pub(super) findings: Vec<Finding>,
}

impl State {
    /// Reads every row, and compares all its attributes with those that Fracti would write for it.
    pub(super) async fn read(client: &Client) -> Self {
        let mut pages = client.scan().table_name(TABLE).into_paginator().items().send();
        let mut state = Self::default();
        while let Some(row) = pages.next().await {
            state.take(row.unwrap());
        }
        state.expenses.sort_by_key(|expense| expense.created_at);
        state.settlements.sort_by_key(|settlement| settlement.created_at);
        state.entries.sort_by_key(|entry| (entry.group_id, entry.sequence));
        state.changes.sort_by_key(|change| (change.group_id, change.number));
        state
    }

    /// Adds a row by its kind. A row that would now be written differently is a finding.
    fn take(&mut self, row: SdkItem) {
        let mut row = from_sdk(row);
        let Some(kind) = RowKind::find(&row) else {
            return self.findings.push(Finding::Wrong(format!("a row of no known kind: {row:?}")));
        };
        if [TallyRow::KIND, DaySummary::KIND].contains(&kind.name) {
            row.values_mut().for_each(trim);
            // Counters at zero are not read.
            row.retain(|_, value| *value != AttributeValue::N("0".to_owned()));
        }
        let written = kind.rewrite(row.clone()).unwrap();
        if written != row {
            self.findings.push(Finding::Wrong(format!("{row:?} should be {written:?}")));
        }
        match kind.name {
            Group::KIND => {
                let group: Group = read(row);
                self.groups.insert(group.id, group);
            }
            MemberRow::KIND => {
                let MemberRow { group_id, member } = read(row);
                self.members.insert((group_id, member.id), member);
            }
            Expense::KIND => self.expenses.push(read(row)),
            Participant::KIND => self.participants.push(read(row)),
            PaidExpense::KIND => self.payers.push(read(row)),
            DeletedExpense::KIND => self.deleted_expenses.push(read(row)),
            Settlement::KIND => self.settlements.push(read(row)),
            Balance::KIND => {
                let Balance { group_id, ledger } = read(row);
                self.ledgers.insert(group_id, ledger);
            }
            Closing::KIND => {
                let Closing { group_id, day, ledger } = read(row);
                self.closings.insert((group_id, day), ledger);
            }
            Checkpoint::KIND => {
                let Checkpoint { group_id, at, ledger } = read(row);
                self.checkpoints.insert((group_id, at), ledger);
            }
            Entry::KIND => self.entries.push(read(row)),
            GroupChange::KIND => self.changes.push(read(row)),
            TallyRow::KIND => self.tallies.push(read(row)),
            Spending::KIND => self.spendings.push(read(row)),
            DaySummary::KIND => self.summaries.push(read(row)),
            Schedule::KIND => self.schedules.push(read(row)),
            Question::KIND => self.questions.push(read(row)),
            Answer::KIND => self.answers.push(read(row)),
            Points::KIND => self.points.push(read(row)),
            // Without a result, the row only tells attempts apart.
            IdempotencyRow::KIND if !row.contains_key("requestHash") => {}
            // The other rows only mark a value as used, and their keys identify it.
            _ => {
                let key = |name: &str| to_sdk(row.clone())[name].as_s().unwrap().clone();
                self.used.insert((key("PK"), key("SK")), to_sdk(row.clone()));
            }
        }
    }

    /// The expenses of a group.
    pub(super) fn expenses_of(&self, group: GroupId) -> Vec<Expense> {
        self.expenses.iter().filter(|it| it.group_id == group).cloned().collect()
    }

    /// The settlements of a group.
    pub(super) fn settlements_of(&self, group: GroupId) -> Vec<Settlement> {
        self.settlements.iter().filter(|it| it.group_id == group).cloned().collect()
    }

    /// The entries of a group in order, including those that no longer count.
    pub(super) fn entries_of(&self, group: GroupId) -> Vec<Entry> {
        self.entries.iter().filter(|it| it.group_id == group).cloned().collect()
    }
}

/// Removes the zeros at the end of a number: DynamoDB Local keeps them in sums, DynamoDB does not.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html>
fn trim(value: &mut AttributeValue) {
    if let AttributeValue::N(number) = value {
        *number = number.parse::<Decimal>().unwrap().to_string();
    }
}

/// The entity of a row.
fn read<T: Row>(row: Item) -> T {
    row::from_item(row).unwrap()
}

/// The state of an expense from one entry to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Version {
    /// Description of the expense.
    pub(super) label: String,
    /// Whether an edit made this version, by replacing the previous one in the same transaction.
    pub(super) edited: bool,
}

impl State {
    /// The versions of an expense in order, and the number of its deletions.
    pub(super) fn versions(&self, expense: &str) -> (Vec<Version>, usize) {
        let entries = self.entries.iter().filter(|it| it.ref_id.as_deref() == Some(expense));
        let entries: Vec<&Entry> = entries.collect();
        let now = self.expenses.iter().find(|it| it.id.to_string() == expense);
        let mut versions = Vec::new();
        let mut deletions = 0;
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

/// A primary key as a pair.
pub(super) fn pair(Primary { pk, sk }: Primary) -> Key {
    (pk, sk)
}
