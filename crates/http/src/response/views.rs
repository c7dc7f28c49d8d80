//! Views that several endpoints return: groups, members, expenses, settlements and ledger entries.

use std::collections::BTreeMap;

use fracti_core::{
    decisions::groups::Opened,
    group::{DefaultSplit, DefaultWeight, Group, GroupCategory},
    ledger::Change,
    records::{
        entry::Entry,
        expense::{Expense, Payer, Share},
        settlement::{PaidFromFunds, Settlement},
    },
    split::{Line, PreviewedShare, Sharing},
    values::{currency::Currency, decimal::Decimal, id::UserId},
};
use fracti_store::StatementLine;
use serde::Serialize;
use utoipa::ToSchema;

use crate::response::{
    amounts::JsonDecimal,
    schemas::{self, Text},
};

/// A group.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Group)]
pub struct GroupView {
    /// Id of the group. Without `invitation`, it is also the invitation to join it.
    pub id: schemas::ResourceId,
    /// Telegram chat that the group belongs to.
    #[schema(example = "-1001234567890")]
    pub chat_id: String,
    /// Title of the group.
    #[schema(example = "Roommates")]
    pub title: String,
    /// Currency of expenses that name none.
    pub currency: schemas::Currency,
    /// Time at which the group was created.
    pub created_at: schemas::Timestamp,
    /// Number of members.
    pub member_count: u64,
    /// User who created the group, and may remove other users. A group of the TypeScript Fracti
    /// does not name theirs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_by: Option<schemas::UserId>,
    /// Whether the group is archived, so that it cannot be changed.
    pub archived: bool,
    /// Categories of the group's own, if it has any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub categories: Vec<GroupCategoryView>,
    /// Rules by which new expenses are divided whose requests do not say how, if there are any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub default_splits: Vec<DefaultSplitView>,
    /// How the group is joined, once a member has invited to it: with the `code` of the newest
    /// invitation, or if it is `closed`, only from its chat. Without it, by its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invitation: Option<schemas::InvitationState>,
}

/// A category of a group's own.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = GroupCategory)]
pub struct GroupCategoryView {
    /// Key, which its expenses have.
    pub key: schemas::CategoryKey,
    /// Name for people.
    pub name: schemas::CategoryLabel,
    /// Emoji.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = schemas::Emoji)]
    pub emoji: Option<schemas::Emoji>,
}

/// A rule of a group's default split.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DefaultSplit)]
pub struct DefaultSplitView {
    /// Category of the expenses that it divides; without one, those that no other rule does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<schemas::ExpenseCategory>,
    /// Weights of members.
    pub splits: Vec<SharerView>,
    /// Weight of each present member who is not in `splits`; zero without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = schemas::Weight)]
    pub others: Option<JsonDecimal>,
}

/// An expense.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Expense)]
pub struct ExpenseView {
    /// Id of the expense.
    pub id: schemas::ResourceId,
    /// Group that it belongs to.
    pub group_id: schemas::ResourceId,
    /// Main payer: the member who paid most; of equal amounts, the one with the smallest id.
    pub payer_id: schemas::MemberId,
    /// Name of the main payer when it was recorded.
    #[schema(example = "Alice Smith")]
    pub payer_name: String,
    /// Payers, whose amounts sum to the amount: the main payer first, and then the others by
    /// absolute amount and id.
    pub payers: Vec<PayerView>,
    /// Amount in major units, with all digits; negative if the payers received it.
    #[schema(value_type = schemas::ExpenseAmount)]
    pub amount: JsonDecimal,
    /// Currency of the amount.
    pub currency: schemas::Currency,
    /// What was paid for.
    #[schema(example = "Dinner at restaurant")]
    pub description: String,
    /// How it is split.
    pub split_type: schemas::SplitType,
    /// Shares of the members, which sum to the amount.
    pub splits: Vec<ShareView>,
    /// Lines of the receipt, in an `itemized` split. Lists have `itemCount` instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items: Option<Vec<LineView>>,
    /// Number of lines, in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item_count: Option<usize>,
    /// Category.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<schemas::ExpenseCategory>,
    /// Day on which it happened. If none was sent, it is the day of recording.
    pub date: schemas::CalendarDate,
    /// Notes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Without the wine")]
    pub notes: Option<String>,
    /// Time at which it was recorded.
    pub created_at: schemas::Timestamp,
    /// Member who recorded it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_by: Option<schemas::UserId>,
    /// Time at which it was last edited or restored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<schemas::Timestamp>,
    /// Import that recorded it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = schemas::ResourceId)]
    pub import_id: Option<schemas::ResourceId>,
    /// Schedule that recorded it, which may have been deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = schemas::ResourceId)]
    pub schedule_id: Option<schemas::ResourceId>,
}

/// A payer of an expense.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ExpensePayer)]
pub struct PayerView {
    /// The member.
    pub user_id: schemas::MemberId,
    /// Name of the member when it was recorded.
    #[schema(example = "Alice Smith")]
    pub user_name: String,
    /// Amount that the member paid, in major units, with all digits; negative if received.
    #[schema(value_type = schemas::ExpenseAmount)]
    pub amount: JsonDecimal,
}

/// A member's share of an expense.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ExpenseShare)]
pub struct ShareView {
    /// The member.
    pub user_id: schemas::MemberId,
    /// Name of the member when it was recorded.
    #[schema(example = "Bob Jones")]
    pub user_name: String,
    /// Amount of the share in major units, with all digits. It has the sign of the expense.
    #[schema(value_type = schemas::ExpenseAmount)]
    pub amount: JsonDecimal,
    /// Percentage that the share was computed from.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = schemas::Percentage)]
    pub percentage: Option<JsonDecimal>,
    /// Weight that the share was computed from.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = schemas::Weight)]
    pub weight: Option<JsonDecimal>,
    /// What the member pays more than an equal part of the rest, or less if it is negative.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = schemas::ExpenseAmount)]
    pub adjustment: Option<JsonDecimal>,
}

/// A share of an expense that is not recorded yet.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PreviewedShare)]
pub struct PreviewView {
    /// The member.
    pub user_id: schemas::MemberId,
    /// Name of the member.
    #[schema(example = "Bob Jones")]
    pub user_name: String,
    /// Amount of the share; negative in a refund.
    #[schema(value_type = schemas::ExpenseAmount)]
    pub amount: JsonDecimal,
    /// Amount with one minor unit more, if it is not decided yet which member gets that unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = schemas::ExpenseAmount)]
    pub or: Option<JsonDecimal>,
}

/// A line of a receipt.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ExpenseLine)]
pub struct LineView {
    /// Kind of the line.
    pub kind: schemas::LineKind,
    /// Name, as printed.
    #[schema(example = "Pizza")]
    pub name: String,
    /// Amount of the whole line; what a `discount` takes off. It has the sign of the expense.
    #[schema(value_type = schemas::ExpenseAmount)]
    pub amount: JsonDecimal,
    /// Whether the amount is what the other lines leave of the expense's amount.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rest: Option<bool>,
    /// Number of pieces.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = schemas::Weight)]
    pub quantity: Option<JsonDecimal>,
    /// Price of a piece.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<JsonDecimal>,
    /// Members who share the line, in order of their ids.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sharers: Option<Vec<SharerView>>,
    /// Indexes, from 0, of the items that the line applies to. If it is missing and there are no
    /// `sharers`, the line applies to all items.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over: Option<Vec<usize>>,
    /// How the line is divided among the members who share these items.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split: Option<schemas::LineSplit>,
}

/// A member who shares a line.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LineSharer)]
pub struct SharerView {
    /// The member.
    pub user_id: schemas::MemberId,
    /// Weight of the member.
    #[schema(value_type = schemas::Weight)]
    pub weight: JsonDecimal,
}

/// A settlement.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Settlement)]
pub struct SettlementView {
    /// Id of the settlement.
    pub id: schemas::ResourceId,
    /// Group that it belongs to.
    pub group_id: schemas::ResourceId,
    /// Member who pays.
    pub from_user_id: schemas::MemberId,
    /// Name of the payer when it was recorded.
    #[schema(example = "Bob Jones")]
    pub from_user_name: String,
    /// Member who is paid.
    pub to_user_id: schemas::MemberId,
    /// Name of the recipient when it was recorded.
    #[schema(example = "Alice Smith")]
    pub to_user_name: String,
    /// Amount in major units, with all digits.
    pub amount: JsonDecimal,
    /// Currency of the amount.
    pub currency: schemas::Currency,
    /// Blockchain transaction that pays it, as 64 lower-case hexadecimal digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "97a6ae7d5f3ce4b0c1b4bd5b2e5bb5b5d2a1a1d0c3f4e5b6a7988796a5b4c3d2")]
    pub tx_hash: Option<String>,
    /// Status. Only a `completed` settlement changes balances.
    pub status: schemas::SettlementStatus,
    /// Time at which it was recorded.
    pub created_at: schemas::Timestamp,
    /// Member who recorded it, and so confirmed it for their side. Imported settlements, and those
    /// of earlier versions of Fracti, have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_by: Option<schemas::UserId>,
    /// Time at which it was completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<schemas::Timestamp>,
    /// Import that recorded it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = schemas::ResourceId)]
    pub import_id: Option<schemas::ResourceId>,
    /// What the payer's funds pay of it. Only its payer and its recipient see of what it consists,
    /// in the app.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub funds: Option<PaidFromFundsView>,
    /// What is paid outside of funds, if they pay only a part, or nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external: Option<ExternalPartView>,
    /// Time from which the recipient can use the cash of the payer's funds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold_until: Option<schemas::Timestamp>,
    /// `true` if it failed because the hold ran out before the recipient confirmed it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub expired: bool,
    /// Day of the payment. Of one recorded by an earlier version without a date, it is the day of
    /// recording in UTC.
    pub date: schemas::CalendarDate,
    /// What was said about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "In cash, at the hut")]
    pub note: Option<String>,
    /// Time of its last edit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<schemas::Timestamp>,
    /// Time at which the recipient took it back. It was completed before, and is `failed` since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reverted_at: Option<schemas::Timestamp>,
    /// Member who took it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reverted_by: Option<schemas::UserId>,
}

/// The part of a settlement that the payer's funds pay.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PaidFromFunds)]
pub struct PaidFromFundsView {
    /// Transaction of the payer's funds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = schemas::ResourceId)]
    pub transaction_id: Option<schemas::ResourceId>,
    /// All of it.
    pub amount: JsonDecimal,
    /// What the recipient gets as cash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cash: Option<JsonDecimal>,
    /// What the recipient gets as credit, which can only be spent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credit: Option<JsonDecimal>,
    /// Time at which the hold ends, unless it was paid at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<schemas::Timestamp>,
}

/// The part of a settlement that is paid outside of funds.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ExternalPart)]
pub struct ExternalPartView {
    /// Amount.
    pub amount: JsonDecimal,
}

/// An entry of a group's ledger: one event that changed balances.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LedgerEntry)]
pub struct EntryView {
    /// Id of the entry: the id of its expense or settlement, the one that a client gave the
    /// adjustment, or `link:` and the id of the linked guest.
    pub entry_id: schemas::EntryId,
    /// Position in the ledger, from 0 and without gaps.
    pub sequence: u64,
    /// `applied`: it counts. `reverted`: it counted until it was reverted. `revert`: it reverts
    /// another entry.
    pub status: schemas::EntryStatus,
    /// Sequence of the revert, if it is `reverted`, or of the reverted entry, if it is a `revert`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_sequence: Option<u64>,
    /// Kind of event.
    pub ref_type: schemas::EntryRefType,
    /// Id of the expense or the settlement.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = schemas::ResourceId)]
    pub ref_id: Option<String>,
    /// User who caused it.
    pub actor_id: schemas::UserId,
    /// Note of an adjustment.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Opening balance")]
    pub note: Option<String>,
    /// User to whom the guest was linked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub linked_to: Option<schemas::UserId>,
    /// Import that recorded it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = schemas::ResourceId)]
    pub import_id: Option<schemas::ResourceId>,
    /// Changes of the members' totals.
    pub changes: Vec<ChangeView>,
    /// Time at which it was recorded.
    pub created_at: schemas::Timestamp,
    /// Balances of the member after it, by currency; in a member's statement.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = BTreeMap<String, schemas::Balance>)]
    pub balance: Option<BTreeMap<&'static str, JsonDecimal>>,
    /// The expense as it was until this entry was reverted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expense: Option<ExpenseView>,
}

/// Changes of a member's totals in one currency. A total that is left out does not change.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LedgerChange)]
pub struct ChangeView {
    /// The member.
    pub user_id: schemas::MemberId,
    /// The currency.
    pub currency: schemas::Currency,
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
            entry_id: Text(entry.entry_id),
            sequence: entry.sequence,
            status: Text(entry.status),
            other_sequence: entry.other_sequence,
            ref_type: Text(entry.ref_type),
            ref_id: entry.ref_id,
            actor_id: Text(entry.actor_id),
            note: entry.note,
            linked_to: entry.linked_to.map(Text),
            import_id: entry.import_id.map(|id| Text(id.into())),
            changes: entry.changes.into_iter().map(ChangeView::from).collect(),
            created_at: Text(entry.created_at),
            balance: None,
            expense: entry.snapshot.map(|expense| ExpenseView::from(*expense)),
        }
    }
}

impl From<StatementLine> for EntryView {
    fn from(line: StatementLine) -> Self {
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
            user_id: Text(user),
            currency: Text(currency),
            paid: moved(totals.paid),
            owed: moved(totals.owed),
            sent: moved(totals.sent),
            received: moved(totals.received),
        }
    }
}

impl From<Opened> for GroupView {
    fn from(opened: Opened) -> Self {
        opened.group.into()
    }
}

impl From<Group> for GroupView {
    fn from(group: Group) -> Self {
        Self {
            id: Text(group.id.into()),
            chat_id: group.chat_id.to_string(),
            title: group.title.to_string(),
            currency: Text(group.currency),
            created_at: Text(group.created_at),
            member_count: group.member_count,
            created_by: group.created_by.map(Text),
            archived: group.archived,
            categories: group.categories.into_iter().map(GroupCategoryView::from).collect(),
            default_splits: group.default_splits.into_iter().map(DefaultSplitView::from).collect(),
            invitation: group.invitation.map(|it| Text(it.into())),
        }
    }
}

impl From<GroupCategory> for GroupCategoryView {
    fn from(GroupCategory { key, name, emoji }: GroupCategory) -> Self {
        Self { key: Text(key), name: Text(name), emoji: emoji.map(Text) }
    }
}

impl From<DefaultSplit> for DefaultSplitView {
    fn from(DefaultSplit { category, splits, others }: DefaultSplit) -> Self {
        let weight = |it: DefaultWeight| SharerView {
            user_id: Text(it.user_id),
            weight: JsonDecimal(it.weight),
        };
        Self {
            category: category.map(Text),
            splits: splits.into_iter().map(weight).collect(),
            others: others.map(JsonDecimal),
        }
    }
}

impl From<Expense> for ExpenseView {
    fn from(expense: Expense) -> Self {
        let payers = expense.all_payers().into_iter().map(PayerView::from).collect();
        Self {
            date: Text(expense.day()),
            id: Text(expense.id.into()),
            group_id: Text(expense.group_id.into()),
            payer_id: Text(expense.payer_id),
            payer_name: expense.payer_name,
            payers,
            amount: JsonDecimal(expense.amount),
            currency: Text(expense.currency),
            description: expense.description,
            split_type: Text(expense.split_type),
            splits: expense.splits.into_iter().map(ShareView::from).collect(),
            items: expense.items.map(|items| items.into_iter().map(LineView::from).collect()),
            item_count: None,
            category: expense.category.map(Text),
            notes: expense.notes,
            created_at: Text(expense.created_at),
            created_by: expense.created_by.map(Text),
            updated_at: expense.updated_at.map(Text),
            import_id: expense.import_id.map(|id| Text(id.into())),
            schedule_id: expense.schedule_id.map(|id| Text(id.into())),
        }
    }
}

impl ExpenseView {
    /// The same expense in a list, with the number of its lines instead of the lines.
    #[must_use]
    pub fn listed(self) -> Self {
        Self { item_count: self.items.as_ref().map(Vec::len), items: None, ..self }
    }
}

impl From<Line<Decimal>> for LineView {
    fn from(line: Line<Decimal>) -> Self {
        let sharer =
            |(user, weight)| SharerView { user_id: Text(user), weight: JsonDecimal(weight) };
        let (sharers, over, split) = match line.sharing {
            Sharing::Sharers { sharers } => {
                (Some(sharers.into_iter().map(sharer).collect()), None, None)
            }
            Sharing::Over { over, split } => (None, over, Some(Text(split))),
        };
        Self {
            kind: Text(line.kind),
            name: line.name.to_string(),
            amount: JsonDecimal(line.amount),
            rest: line.rest.then_some(true),
            quantity: line.quantity.map(JsonDecimal),
            price: line.price.map(JsonDecimal),
            sharers,
            over,
            split,
        }
    }
}

impl From<Payer> for PayerView {
    fn from(payer: Payer) -> Self {
        // Names each field, so that none is forgotten.
        let Payer { user_id, user_name, amount } = payer;
        Self { user_id: Text(user_id), user_name, amount: JsonDecimal(amount) }
    }
}

impl From<Share> for ShareView {
    fn from(share: Share) -> Self {
        // Names each field, so that none is forgotten.
        let Share { user_id, user_name, amount, percentage, weight, adjustment } = share;
        Self {
            user_id: Text(user_id),
            user_name,
            amount: JsonDecimal(amount),
            percentage: percentage.map(JsonDecimal),
            weight: weight.map(JsonDecimal),
            adjustment: adjustment.map(JsonDecimal),
        }
    }
}

impl PaidFromFundsView {
    fn of(paid: &PaidFromFunds, by_side: bool) -> Self {
        let of_side = |part| by_side.then_some(JsonDecimal(part));
        Self {
            transaction_id: by_side.then_some(Text(paid.transaction_id.into())),
            amount: JsonDecimal(paid.amount),
            cash: of_side(paid.cash),
            credit: of_side(paid.credit),
            expires_at: paid.expires_at.map(Text),
        }
    }
}

/// A settlement as everybody sees it.
impl From<Settlement> for SettlementView {
    fn from(settlement: Settlement) -> Self {
        Self::seen_by(None, settlement)
    }
}

impl SettlementView {
    /// A settlement as a user sees it in the app; without one, as everybody does. Of what the
    /// payer's funds consist is the business of both sides.
    #[must_use]
    pub fn seen_by(reader: Option<UserId>, settlement: Settlement) -> Self {
        let parties = settlement.parties();
        let is_side = reader.is_some_and(|reader| parties.contains(&reader.into()));
        let date = settlement.day();
        let funds = settlement.funds.map(|paid| PaidFromFundsView::of(&paid, is_side));
        Self {
            id: Text(settlement.id.into()),
            group_id: Text(settlement.group_id.into()),
            from_user_id: Text(settlement.from_user_id),
            from_user_name: settlement.from_user_name,
            to_user_id: Text(settlement.to_user_id),
            to_user_name: settlement.to_user_name,
            amount: JsonDecimal(settlement.amount),
            currency: Text(settlement.currency),
            tx_hash: settlement.tx_hash.map(|hash| hash.to_string()),
            status: Text(settlement.status),
            created_at: Text(settlement.created_at),
            created_by: settlement.created_by.map(Text),
            completed_at: settlement.completed_at.map(Text),
            import_id: settlement.import_id.map(|id| Text(id.into())),
            funds,
            external: settlement
                .external
                .map(|amount| ExternalPartView { amount: JsonDecimal(amount) }),
            hold_until: settlement.hold_until.map(Text),
            expired: settlement.expired,
            date: Text(date),
            note: settlement.note,
            updated_at: settlement.updated_at.map(Text),
            reverted_at: settlement.reverted_at.map(Text),
            reverted_by: settlement.reverted_by.map(Text),
        }
    }
}

impl From<(PreviewedShare, String)> for PreviewView {
    fn from((share, user_name): (PreviewedShare, String)) -> Self {
        let PreviewedShare { user, amount, or } = share;
        Self {
            user_id: Text(user),
            user_name,
            amount: JsonDecimal(amount.to_major()),
            or: or.map(|or| JsonDecimal(or.to_major())),
        }
    }
}
