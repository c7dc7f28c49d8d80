//! Views that several endpoints return: groups, members, expenses, settlements and ledger entries.

use std::collections::BTreeMap;

use fracti_core::{
    currency::Currency,
    entry::Entry,
    expense::{Category, Expense, Share},
    group::Group,
    ledger::{Change, EntryStatus, RefType},
    settlement::{Settlement, Status},
    split::SplitType,
};
use fracti_store::Line;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{JsonDecimal, schemas};

/// A group.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Group)]
pub struct GroupView {
    /// Id of the group, which is also the invitation to join it.
    #[schema(value_type = schemas::ResourceId)]
    pub id: String,
    /// Telegram chat that the group belongs to.
    #[schema(example = "-1001234567890")]
    pub chat_id: String,
    /// Title of the group.
    #[schema(example = "Roommates")]
    pub title: String,
    /// Currency of expenses that name none.
    #[schema(value_type = schemas::Currency)]
    pub currency: &'static str,
    /// Time at which the group was created.
    #[schema(value_type = schemas::Timestamp)]
    pub created_at: String,
    /// Number of members.
    pub member_count: u64,
}

/// An expense.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Expense)]
pub struct ExpenseView {
    /// Id of the expense.
    #[schema(value_type = schemas::ResourceId)]
    pub id: String,
    /// Group that it belongs to.
    #[schema(value_type = schemas::ResourceId)]
    pub group_id: String,
    /// Member who paid.
    #[schema(value_type = schemas::UserId)]
    pub payer_id: String,
    /// Name of the payer when it was recorded.
    #[schema(example = "Alice Smith")]
    pub payer_name: String,
    /// Amount in major units, with all digits.
    pub amount: JsonDecimal,
    /// Currency of the amount.
    #[schema(value_type = schemas::Currency)]
    pub currency: &'static str,
    /// What was paid for.
    #[schema(example = "Dinner at restaurant")]
    pub description: String,
    /// How it is split.
    #[schema(value_type = schemas::SplitType)]
    pub split_type: SplitType,
    /// Shares of the members, which sum to the amount.
    pub splits: Vec<ShareView>,
    /// Category.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = schemas::ExpenseCategory)]
    pub category: Option<Category>,
    /// Time at which it was recorded.
    #[schema(value_type = schemas::Timestamp)]
    pub created_at: String,
    /// Member who recorded it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = schemas::UserId)]
    pub created_by: Option<String>,
    /// Time at which it was last edited or restored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = schemas::Timestamp)]
    pub updated_at: Option<String>,
}

/// A member's share of an expense.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ExpenseShare)]
pub struct ShareView {
    /// The member.
    #[schema(value_type = schemas::UserId)]
    pub user_id: String,
    /// Name of the member when it was recorded.
    #[schema(example = "Bob Jones")]
    pub user_name: String,
    /// Amount of the share in major units, with all digits.
    pub amount: JsonDecimal,
    /// Percentage that the share was computed from.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = schemas::Percentage)]
    pub percentage: Option<JsonDecimal>,
}

/// A settlement.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Settlement)]
pub struct SettlementView {
    /// Id of the settlement.
    #[schema(value_type = schemas::ResourceId)]
    pub id: String,
    /// Group that it belongs to.
    #[schema(value_type = schemas::ResourceId)]
    pub group_id: String,
    /// Member who pays.
    #[schema(value_type = schemas::UserId)]
    pub from_user_id: String,
    /// Name of the payer when it was recorded.
    #[schema(example = "Bob Jones")]
    pub from_user_name: String,
    /// Member who is paid.
    #[schema(value_type = schemas::UserId)]
    pub to_user_id: String,
    /// Name of the recipient when it was recorded.
    #[schema(example = "Alice Smith")]
    pub to_user_name: String,
    /// Amount in major units, with all digits.
    pub amount: JsonDecimal,
    /// Currency of the amount.
    #[schema(value_type = schemas::Currency)]
    pub currency: &'static str,
    /// Blockchain transaction that pays it, as 64 lower-case hexadecimal digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        nullable = false,
        example = "97a6ae7d5f3ce4b0c1b4bd5b2e5bb5b5d2a1a1d0c3f4e5b6a7988796a5b4c3d2"
    )]
    pub tx_hash: Option<String>,
    /// Status. Only a `completed` settlement changes balances.
    #[schema(value_type = schemas::SettlementStatus)]
    pub status: Status,
    /// Time at which it was recorded.
    #[schema(value_type = schemas::Timestamp)]
    pub created_at: String,
    /// Time at which it was completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = schemas::Timestamp)]
    pub completed_at: Option<String>,
}

/// An entry of a group's ledger: one event that changed balances.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LedgerEntry)]
pub struct EntryView {
    /// Id of the entry: the id of its expense or settlement, or the one that a client gave the
    /// adjustment.
    #[schema(value_type = schemas::EntryId)]
    pub entry_id: String,
    /// Position in the ledger, from 0 and without gaps.
    pub sequence: u64,
    /// `applied`: it counts. `reverted`: it counted until it was reverted. `revert`: it reverts
    /// another entry.
    #[schema(value_type = schemas::EntryStatus)]
    pub status: EntryStatus,
    /// Sequence of the revert, if it is `reverted`, or of the reverted entry, if it is a `revert`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub other_sequence: Option<u64>,
    /// Kind of event.
    #[schema(value_type = schemas::EntryRefType)]
    pub ref_type: RefType,
    /// Id of the expense or the settlement.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = schemas::ResourceId)]
    pub ref_id: Option<String>,
    /// User who caused it.
    #[schema(value_type = schemas::UserId)]
    pub actor_id: String,
    /// Note of an adjustment.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "Opening balance")]
    pub note: Option<String>,
    /// Changes of the members' totals.
    pub changes: Vec<ChangeView>,
    /// Time at which it was recorded.
    #[schema(value_type = schemas::Timestamp)]
    pub created_at: String,
    /// Balances of the member after it, by currency; in a member's statement.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = BTreeMap<String, schemas::Balance>, nullable = false)]
    pub balance: Option<BTreeMap<&'static str, JsonDecimal>>,
    /// The expense as it was until this entry was reverted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub expense: Option<ExpenseView>,
}

/// Changes of a member's totals in one currency. A total that is left out does not change.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LedgerChange)]
pub struct ChangeView {
    /// The member.
    #[schema(value_type = schemas::UserId)]
    pub user_id: String,
    /// The currency.
    #[schema(value_type = schemas::Currency)]
    pub currency: &'static str,
    /// Change of what the member paid for expenses.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = schemas::Balance)]
    pub paid: Option<JsonDecimal>,
    /// Change of the member's shares of expenses.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = schemas::Balance)]
    pub owed: Option<JsonDecimal>,
    /// Change of what the member sent, including positive adjustments.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = schemas::Balance)]
    pub sent: Option<JsonDecimal>,
    /// Change of what the member received, including negative adjustments.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = schemas::Balance)]
    pub received: Option<JsonDecimal>,
}

impl From<Entry> for EntryView {
    fn from(entry: Entry) -> Self {
        Self {
            entry_id: entry.entry_id.to_string(),
            sequence: entry.sequence,
            status: entry.status,
            other_sequence: entry.other_sequence,
            ref_type: entry.ref_type,
            ref_id: entry.ref_id,
            actor_id: entry.actor_id.to_string(),
            note: entry.note,
            changes: entry.changes.into_iter().map(ChangeView::from).collect(),
            created_at: entry.created_at.to_string(),
            balance: None,
            expense: entry.snapshot.map(|expense| ExpenseView::from(*expense)),
        }
    }
}

impl From<Line> for EntryView {
    fn from(line: Line) -> Self {
        let number = |(currency, minor): (Currency, i128)| {
            (currency.code(), JsonDecimal(currency.to_major(minor)))
        };
        let balance = line.balance.map(|balance| balance.into_iter().map(number).collect());
        Self { balance, ..Self::from(line.entry) }
    }
}

impl From<Change> for ChangeView {
    fn from(change: Change) -> Self {
        let Change { user, currency, totals } = change;
        let moved = |minor: i64| (minor != 0).then(|| JsonDecimal(currency.to_major(minor)));
        Self {
            user_id: user.to_string(),
            currency: currency.code(),
            paid: moved(totals.paid),
            owed: moved(totals.owed),
            sent: moved(totals.sent),
            received: moved(totals.received),
        }
    }
}

impl From<Group> for GroupView {
    fn from(group: Group) -> Self {
        Self {
            id: group.id.to_string(),
            chat_id: group.chat_id.to_string(),
            title: group.title.to_string(),
            currency: group.currency.code(),
            created_at: group.created_at.to_string(),
            member_count: group.member_count,
        }
    }
}

impl From<Expense> for ExpenseView {
    fn from(expense: Expense) -> Self {
        Self {
            id: expense.id.to_string(),
            group_id: expense.group_id.to_string(),
            payer_id: expense.payer_id.to_string(),
            payer_name: expense.payer_name,
            amount: JsonDecimal(expense.amount),
            currency: expense.currency.code(),
            description: expense.description,
            split_type: expense.split_type,
            splits: expense.splits.into_iter().map(ShareView::from).collect(),
            category: expense.category,
            created_at: expense.created_at.to_string(),
            created_by: expense.created_by.map(|user| user.to_string()),
            updated_at: expense.updated_at.map(|at| at.to_string()),
        }
    }
}

impl From<Share> for ShareView {
    fn from(share: Share) -> Self {
        Self {
            user_id: share.user_id.to_string(),
            user_name: share.user_name,
            amount: JsonDecimal(share.amount),
            percentage: share.percentage.map(JsonDecimal),
        }
    }
}

impl From<Settlement> for SettlementView {
    fn from(settlement: Settlement) -> Self {
        Self {
            id: settlement.id.to_string(),
            group_id: settlement.group_id.to_string(),
            from_user_id: settlement.from_user_id.to_string(),
            from_user_name: settlement.from_user_name,
            to_user_id: settlement.to_user_id.to_string(),
            to_user_name: settlement.to_user_name,
            amount: JsonDecimal(settlement.amount),
            currency: settlement.currency.code(),
            tx_hash: settlement.tx_hash.map(|hash| hash.to_string()),
            status: settlement.status,
            created_at: settlement.created_at.to_string(),
            completed_at: settlement.completed_at.map(|at| at.to_string()),
        }
    }
}
