//! Changes of a group: what its clients are told of each write, so that they can follow it.
//!
//! They are numbered from 1 without gaps. A change says what a person would say of it; balances
//! stay in the ledger, whose entries it names.

use serde::{Deserialize, Serialize};

use crate::{
    group::{Group, InvitationState, Member, ProposedLink},
    records::{
        expense::Expense,
        import::{Format, ImportRow},
        schedule::Schedule,
        settlement::Settlement,
    },
    storage::{
        keys::{self, DueList, Index, Keys},
        row::Row,
    },
    values::{
        currency::Currency,
        decimal::Decimal,
        id::{
            ExpenseId, GroupId, ImportId, MemberId, QuestionId, ScheduleId, SettlementId, UserId,
        },
        settlement_status::SettlementStatus,
        time::Timestamp,
    },
    words,
};

words! {
    /// Kind of a change. There may be others in the future.
    pub enum ChangeKind as "ChangeKind" {
        /// An expense was recorded.
        ExpenseAdded = "expense.added",
        /// An expense was edited.
        ExpenseEdited = "expense.edited",
        /// An expense was deleted.
        ExpenseDeleted = "expense.deleted",
        /// A deleted expense was restored.
        ExpenseRestored = "expense.restored",
        /// A settlement was recorded, pending or completed.
        SettlementRecorded = "settlement.recorded",
        /// A pending settlement was edited.
        SettlementEdited = "settlement.edited",
        /// A pending settlement was completed.
        SettlementCompleted = "settlement.completed",
        /// A pending settlement failed.
        SettlementFailed = "settlement.failed",
        /// A completed settlement was taken back.
        SettlementReverted = "settlement.reverted",
        /// A schedule was made.
        ScheduleAdded = "schedule.added",
        /// A schedule was changed, paused by a member or let go on.
        ScheduleEdited = "schedule.edited",
        /// A schedule was deleted.
        ScheduleDeleted = "schedule.deleted",
        /// A schedule was paused because its expense was refused.
        SchedulePaused = "schedule.paused",
        /// A user joined, or came back.
        MemberJoined = "member.joined",
        /// A member left.
        MemberLeft = "member.left",
        /// A member was removed.
        MemberRemoved = "member.removed",
        /// A past member was restored by another one.
        MemberRestored = "member.restored",
        /// A guest was linked to a user.
        MemberLinked = "member.linked",
        /// A link of a guest to a user was proposed.
        LinkProposed = "link.proposed",
        /// A proposed link was withdrawn or declined.
        LinkWithdrawn = "link.withdrawn",
        /// A guest was added.
        GuestAdded = "guest.added",
        /// The settings or the invitation were changed, or the group was taken out of the archive.
        GroupChanged = "group.changed",
        /// The group was archived.
        GroupArchived = "group.archived",
        /// A question was asked.
        QuestionAsked = "question.asked",
        /// A question has all the answers that it needs.
        QuestionCompleted = "question.completed",
        /// The asker closed a question.
        QuestionClosed = "question.closed",
        /// Adjustments were pushed.
        AdjustmentPushed = "adjustment.pushed",
        /// Adjustments were reverted.
        AdjustmentReverted = "adjustment.reverted",
        /// The last row of a file was imported.
        ImportDone = "import.done",
        /// The last row of an import was deleted.
        ImportUndone = "import.undone",
    }
}

/// A change of a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GroupChange {
    /// The group.
    #[serde(rename = "PK", with = "keys::of_ledger")]
    pub group_id: GroupId,
    /// Position among the group's changes, from 1 and without gaps.
    #[serde(rename = "SK", with = "keys::of_change")]
    pub number: u64,
    /// User who made the change or, for an expiry, on whose behalf it happened.
    pub actor_id: UserId,
    /// Time of the change.
    pub at: Timestamp,
    /// Sequence of its first ledger entry, and the number of its entries, if it has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entries: Option<EntrySpan>,
    /// Time from which it is to be told in Telegram, until all who are to know of it wait for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_at: Option<Timestamp>,
    /// The last of those who wait for it, if one transaction could not hold all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told_to: Option<UserId>,
    /// Whether the bot did it in the group's chat, where it is seen already.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shown: bool,
    /// Whether it was told, and is due again to remind those who have not answered its question.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reminds: bool,
    /// Its kind, and what it is about.
    #[serde(flatten)]
    pub subject: Subject,
}

/// Consecutive entries of a ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EntrySpan {
    /// Sequence of the first one, from 0.
    pub sequence: u64,
    /// Their number.
    pub count: u64,
}

/// The kind of a change, and what it is about, as it is after the change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Subject {
    /// The kind. In the row, `kind` is that of the row.
    #[serde(rename = "change")]
    pub kind: ChangeKind,
    /// The expense after the change, or before it was deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expense: Option<ChangedExpense>,
    /// Amount of the edited expense or settlement before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<AmountBefore>,
    /// The schedule after the change, or before it was deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<ChangedSchedule>,
    /// The settlement after the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settlement: Option<ChangedSettlement>,
    /// The member.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<ChangedMember>,
    /// Settings of the group after the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<ChangedGroup>,
    /// The import.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub import: Option<ChangedImport>,
    /// The question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<ChangedQuestion>,
    /// Number of adjustments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adjustments: Option<u64>,
}

/// A question in a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedQuestion {
    /// Identifier.
    pub id: QuestionId,
    /// What is asked, cut to 300 characters.
    pub prompt: String,
}

/// An expense in a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangedExpense {
    /// Identifier.
    pub id: ExpenseId,
    /// What was paid for.
    pub description: String,
    /// Amount, in major units.
    pub amount: Decimal,
    /// Currency of the amount.
    pub currency: Currency,
    /// Schedule that recorded it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule_id: Option<ScheduleId>,
}

/// A schedule in a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedSchedule {
    /// Identifier.
    pub id: ScheduleId,
    /// What is paid for.
    pub description: String,
    /// Amount of each expense, in major units.
    pub amount: Decimal,
    /// Currency of the amount.
    pub currency: Currency,
}

/// An amount before an edit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AmountBefore {
    /// Amount, in major units.
    pub amount: Decimal,
    /// Currency of the amount.
    pub currency: Currency,
}

/// A settlement in a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangedSettlement {
    /// Identifier.
    pub id: SettlementId,
    /// The payer.
    pub from_user_id: MemberId,
    /// Name of the payer.
    pub from_user_name: String,
    /// The recipient.
    pub to_user_id: MemberId,
    /// Name of the recipient.
    pub to_user_name: String,
    /// Amount, in major units.
    pub amount: Decimal,
    /// Currency of the amount.
    pub currency: Currency,
    /// Status after the change.
    pub status: SettlementStatus,
}

/// A member in a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangedMember {
    /// Identifier.
    pub id: MemberId,
    /// Name of the member.
    pub name: String,
    /// User to whom the guest was linked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub linked_to: Option<UserId>,
    /// User to whom a link of the guest is proposed, or was until it was withdrawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposed_user_id: Option<UserId>,
}

/// A group in a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedGroup {
    /// Title of the group.
    pub title: String,
    /// Its currency.
    pub currency: Currency,
    /// Whether it is archived.
    pub archived: bool,
    /// How it is joined, if not by its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invitation: Option<InvitationState>,
}

/// An import in a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedImport {
    /// Identifier.
    pub id: ImportId,
    /// Format of the file.
    pub format: Format,
}

impl ChangedMember {
    fn of(member: &Member) -> Self {
        let Member { id, linked_to, .. } = *member;
        Self { id, name: member.name.clone(), linked_to, proposed_user_id: None }
    }
}

impl Subject {
    const fn new(kind: ChangeKind) -> Self {
        Self {
            kind,
            expense: None,
            before: None,
            schedule: None,
            settlement: None,
            member: None,
            group: None,
            import: None,
            question: None,
            adjustments: None,
        }
    }

    /// A change of an expense.
    #[must_use]
    pub fn expense(kind: ChangeKind, expense: &Expense) -> Self {
        let Expense { id, amount, currency, schedule_id, .. } = *expense;
        let description = expense.description.clone();
        let expense = ChangedExpense { id, description, amount, currency, schedule_id };
        Self { expense: Some(expense), ..Self::new(kind) }
    }

    /// A change of a schedule.
    #[must_use]
    pub fn schedule(kind: ChangeKind, schedule: &Schedule) -> Self {
        let Expense { amount, currency, .. } = schedule.template;
        let description = schedule.template.description.clone();
        let schedule = ChangedSchedule { id: schedule.id, description, amount, currency };
        Self { schedule: Some(schedule), ..Self::new(kind) }
    }

    /// An edit of an expense.
    #[must_use]
    pub fn edit(before: &Expense, after: &Expense) -> Self {
        let Expense { amount, currency, .. } = *before;
        let before = Some(AmountBefore { amount, currency });
        Self { before, ..Self::expense(ChangeKind::ExpenseEdited, after) }
    }

    /// A change of a settlement.
    #[must_use]
    pub fn settlement(kind: ChangeKind, of: &Settlement) -> Self {
        let settlement = ChangedSettlement {
            id: of.id,
            from_user_id: of.from_user_id,
            from_user_name: of.from_user_name.clone(),
            to_user_id: of.to_user_id,
            to_user_name: of.to_user_name.clone(),
            amount: of.amount,
            currency: of.currency,
            status: of.status,
        };
        Self { settlement: Some(settlement), ..Self::new(kind) }
    }

    /// An edit of a settlement.
    #[must_use]
    pub fn settlement_edit(before: &Settlement, after: &Settlement) -> Self {
        let Settlement { amount, currency, .. } = *before;
        let before = Some(AmountBefore { amount, currency });
        Self { before, ..Self::settlement(ChangeKind::SettlementEdited, after) }
    }

    /// A change of a member.
    #[must_use]
    pub fn member(kind: ChangeKind, member: &Member) -> Self {
        Self { member: Some(ChangedMember::of(member)), ..Self::new(kind) }
    }

    /// A change of the proposal to link a guest.
    #[must_use]
    pub fn proposal(kind: ChangeKind, guest: &Member, link: &ProposedLink) -> Self {
        let member =
            ChangedMember { proposed_user_id: Some(link.user_id), ..ChangedMember::of(guest) };
        Self { member: Some(member), ..Self::new(kind) }
    }

    /// A change of the group's settings.
    #[must_use]
    pub fn group(kind: ChangeKind, group: &Group) -> Self {
        let Group { currency, archived, .. } = *group;
        let invitation = group.invitation.map(InvitationState::from);
        let group = ChangedGroup { title: group.title.to_string(), currency, archived, invitation };
        Self { group: Some(group), ..Self::new(kind) }
    }

    /// The end of an import or of its undo.
    #[must_use]
    pub fn import(kind: ChangeKind, import: &ImportRow) -> Self {
        let import = ChangedImport { id: import.id, format: import.format };
        Self { import: Some(import), ..Self::new(kind) }
    }

    /// A change of a question.
    #[must_use]
    pub fn question(kind: ChangeKind, id: QuestionId, prompt: &str) -> Self {
        let question = ChangedQuestion { id, prompt: prompt.to_owned() };
        Self { question: Some(question), ..Self::new(kind) }
    }

    /// So many adjustments.
    #[must_use]
    pub fn adjustments(kind: ChangeKind, number: u64) -> Self {
        Self { adjustments: Some(number), ..Self::new(kind) }
    }
}

impl Row for GroupChange {
    const KIND: &'static str = "change";
    const VERSION: u32 = 1;

    fn keys(&self) -> Keys {
        let primary = keys::change(self.group_id, self.number);
        let gsi3 = self.due_at.map(|at| Index {
            pk: keys::due(DueList::Tell),
            sk: keys::due_position(at, keys::told_position(self.group_id, self.number)),
        });
        Keys { gsi3, ..primary.into() }
    }
}
