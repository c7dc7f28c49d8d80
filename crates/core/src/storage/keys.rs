//! Keys of the table's rows: all of them are built here and nowhere else.
//!
//! "Rows and keys" in `docs/architecture.md` has the keys of each row, and what holds for all keys.
//! A sequence has 20 digits, so it sorts as text.

use std::{fmt, ops::RangeInclusive};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::values::{
    chat_id::ChatId,
    currency::Currency,
    entry_id::EntryId,
    fund_key::{FundKey, FundWork},
    id::{
        ExpenseId, FundTransactionId, GroupId, ImportId, MemberId, QuestionId, ScheduleId,
        SettlementId, Subscriber, TokenId, UserId,
    },
    ref_id::{RefId, ReferenceUse},
    spending_id::SpendingId,
    tally_key::TallyKey,
    time::{Day, Timestamp},
    token_hash::TokenHash,
    tx_hash::TxHash,
};

/// Primary key of a row.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Primary {
    /// Partition key, `PK`.
    #[serde(rename = "PK")]
    pub pk: String,
    /// Sort key, `SK`.
    #[serde(rename = "SK")]
    pub sk: String,
}

/// Key of a row in an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    /// Partition key.
    pub pk: String,
    /// Sort key.
    pub sk: String,
}

/// All keys of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keys {
    /// Primary key.
    pub primary: Primary,
    /// Key in `GSI1`, the index of users' lists and of the ledger's days.
    pub gsi1: Option<Index>,
    /// Key in `GSI2`, the index of ids.
    pub gsi2: Option<Index>,
    /// Key in `GSI3`, the index of payments by payer, of questions by asker, and of due work.
    pub gsi3: Option<Index>,
}

impl From<Primary> for Keys {
    fn from(primary: Primary) -> Self {
        Self { primary, gsi1: None, gsi2: None, gsi3: None }
    }
}

/// Prefixes of keys.
pub mod prefix {
    /// Partition keys of subscriptions.
    pub const SUBSCRIPTION: &str = "SUBSCRIPTION#";
    /// Sort keys of a group's members; partition keys of a user, in the table, `GSI1` and `GSI3`.
    pub const MEMBER: &str = "USER#";
    /// Sort keys of expenses, in the table and in `GSI3`.
    pub const EXPENSE: &str = "TX#";
    /// Sort keys of settlements, in the table and in `GSI3`.
    pub const SETTLEMENT: &str = "SETTLE#";
    /// Sort keys of schedules.
    pub const SCHEDULE: &str = "SCHEDULE#";
    /// Sort keys of imports.
    pub const IMPORT: &str = "IMPORT#";
    /// Sort keys of imported settlements.
    pub const IMPORTED: &str = "IMPORTED#";
    /// Partition keys of groups; sort keys of a user's memberships in `GSI1`.
    pub const GROUP: &str = "GROUP#";
    /// Sort keys of participants.
    pub const PARTICIPANT: &str = "PART#";
    /// Partition keys of a group's expenses by day in `GSI1`.
    pub const DATES: &str = "DATES#";
    /// Sort keys of a user's shares in `GSI1`.
    pub const OWES: &str = "OWES#";
    /// Sort keys of payers; sort keys in `GSI1` of the expenses that a user paid in part, but not
    /// the main one.
    pub const PAID: &str = "PAID#";
    /// Sort keys of the settlements that a user receives, in `GSI1`.
    pub const RECEIVED: &str = "RECV#";
    /// Sort keys of closings.
    pub const CLOSING: &str = "DAY#";
    /// Sort keys of checkpoints.
    pub const CHECKPOINT: &str = "CHECKPOINT#";
    /// Sort keys of deleted expenses.
    pub const DELETED: &str = "DELETED#";
    /// Sort keys of a group's changes.
    pub const CHANGE: &str = "CHANGE#";
    /// Sort keys of tallies.
    pub const TALLY: &str = "SPENT#";
    /// Sort keys of a user's usage.
    pub const USAGE: &str = "USAGE#";
    /// Sort keys of API tokens.
    pub const TOKEN: &str = "PAT#";
    /// Partition keys of API tokens in `GSI1`.
    pub const TOKEN_HASH: &str = "PATHASH#";
    /// Sort keys of spendings.
    pub const SPENDING: &str = "SPEND#";
    /// Sort keys of day summaries.
    pub const SUMMARY: &str = "SUMMARY#";
    /// Sort keys of a group's questions; partition keys of their details and answers.
    pub const QUESTION: &str = "QUESTION#";
    /// Sort keys of answers, in the table and in `GSI1`.
    pub const ANSWER: &str = "ANSWER#";
    /// Sort keys of the points of a group's members, in the table; of a user's, in `GSI1`.
    pub const POINTS: &str = "POINTS#";
    /// Sort keys of a user's funds.
    pub const FUND: &str = "FUND#";
    /// Sort keys of the transactions of a user's funds.
    pub const FUND_TRANSACTION: &str = "FTX#";
    /// Sort keys of the sums of all funds.
    pub const FUND_TOTAL: &str = "TOTAL#";
    /// Partition keys of ledgers.
    pub const LEDGER: &str = "LEDGER#";
}

/// Partition of a group, its members, expenses, participants, payers and settlements.
#[must_use]
pub fn group_partition(group: GroupId) -> String {
    format!("{}{group}", prefix::GROUP)
}

/// Partition of a user in the table, `GSI1` and `GSI3`.
#[must_use]
pub fn user_partition(user: MemberId) -> String {
    format!("{}{user}", prefix::MEMBER)
}

/// Partition of an expense in `GSI2`.
#[must_use]
pub fn expense_partition(expense: ExpenseId) -> String {
    format!("EXPENSE#{expense}")
}

/// Partition of a settlement in `GSI2`.
#[must_use]
pub fn settlement_partition(settlement: SettlementId) -> String {
    format!("SETTLEMENT#{settlement}")
}

/// Sort key of a group.
pub const METADATA: &str = "METADATA";

/// Key of a group.
#[must_use]
pub fn group(group: GroupId) -> Primary {
    Primary { pk: group_partition(group), sk: METADATA.to_owned() }
}

/// Key of a member.
#[must_use]
pub fn member(group: GroupId, user: MemberId) -> Primary {
    Primary { pk: group_partition(group), sk: user_partition(user) }
}

/// Key of the expense that was recorded at `created_at`.
#[must_use]
pub fn expense(group: GroupId, created_at: Timestamp) -> Primary {
    Primary { pk: group_partition(group), sk: format!("{}{created_at}", prefix::EXPENSE) }
}

/// Key of a participant of an expense.
#[must_use]
pub fn participant(group: GroupId, expense: ExpenseId, user: MemberId) -> Primary {
    Primary { pk: group_partition(group), sk: format!("{}{user}", participants(expense)) }
}

/// Prefix of the sort keys of an expense's participants.
#[must_use]
pub fn participants(expense: ExpenseId) -> String {
    format!("{}{expense}#", prefix::PARTICIPANT)
}

/// Key of a payer of an expense other than the main payer.
#[must_use]
pub fn payer(group: GroupId, expense: ExpenseId, user: MemberId) -> Primary {
    let sk = format!("{}{expense}#{user}", prefix::PAID);
    Primary { pk: group_partition(group), sk }
}

/// Key of the settlement that was recorded at `created_at`.
#[must_use]
pub fn settlement(group: GroupId, created_at: Timestamp) -> Primary {
    Primary { pk: group_partition(group), sk: format!("{}{created_at}", prefix::SETTLEMENT) }
}

/// Key of an expense that was deleted at this time.
#[must_use]
pub fn deleted_expense(group: GroupId, at: Timestamp, expense: ExpenseId) -> Primary {
    Primary { pk: group_partition(group), sk: format!("{}{at}#{expense}", prefix::DELETED) }
}

/// Key of a schedule.
#[must_use]
pub fn schedule(group: GroupId, schedule: ScheduleId) -> Primary {
    Primary { pk: group_partition(group), sk: format!("{}{schedule}", prefix::SCHEDULE) }
}

/// Key of an import.
#[must_use]
pub fn import(group: GroupId, import: ImportId) -> Primary {
    Primary { pk: group_partition(group), sk: format!("{}{import}", prefix::IMPORT) }
}

/// Key of the row for a settlement that an import recorded as pending.
#[must_use]
pub fn imported_settlement(group: GroupId, settlement: SettlementId) -> Primary {
    Primary { pk: group_partition(group), sk: format!("{}{settlement}", prefix::IMPORTED) }
}

/// Partition of a group's expenses by day in `GSI1`.
#[must_use]
pub fn dates_of(group: GroupId) -> String {
    format!("{}{group}", prefix::DATES)
}

/// Sort key of an expense in `GSI1`: by day, and by time of recording among those of one day.
#[must_use]
pub fn date_position(day: Day, created_at: Timestamp) -> String {
    format!("{day}#{created_at}")
}

/// First and last sort key of the expenses recorded in a period.
#[must_use]
pub fn expenses_between(from: Timestamp, to: Timestamp) -> [String; 2] {
    [from, to].map(|at| format!("{}{at}", prefix::EXPENSE))
}

/// First and last sort key of the settlements recorded in a period.
#[must_use]
pub fn settlements_between(from: Timestamp, to: Timestamp) -> [String; 2] {
    [from, to].map(|at| format!("{}{at}", prefix::SETTLEMENT))
}

/// Sort key of a group's balance row.
pub const BALANCE: &str = "BALANCE";

/// Key of a group's balance row.
#[must_use]
pub fn balance(group: GroupId) -> Primary {
    Primary { pk: ledger_partition(group), sk: BALANCE.to_owned() }
}

/// Key of the closing of a day.
#[must_use]
pub fn closing(group: GroupId, day: Day) -> Primary {
    Primary { pk: ledger_partition(group), sk: closing_position(day) }
}

/// Sort key of the closing of a day.
fn closing_position(day: Day) -> String {
    format!("{}{day}", prefix::CLOSING)
}

/// Key of the checkpoint after the event at a moment.
#[must_use]
pub fn checkpoint(group: GroupId, at: Timestamp) -> Primary {
    Primary { pk: ledger_partition(group), sk: checkpoint_position(at) }
}

/// Sort key of the checkpoint after the event at a moment.
fn checkpoint_position(at: Timestamp) -> String {
    format!("{}{at}", prefix::CHECKPOINT)
}

/// Key of the change of a group with this number.
#[must_use]
pub fn change(group: GroupId, number: u64) -> Primary {
    Primary { pk: ledger_partition(group), sk: change_position(number) }
}

/// Sort key of the change with this number.
fn change_position(number: u64) -> String {
    format!("{}{number:020}", prefix::CHANGE)
}

/// First and last sort key of the changes after the one with this number.
#[must_use]
pub fn changes_after(number: u64) -> [String; 2] {
    [change_position(number.saturating_add(1)), format!("{}~", prefix::CHANGE)]
}

/// Key of the tally of a day and a category.
#[must_use]
pub fn tally(group: GroupId, of: TallyKey) -> Primary {
    Primary { pk: ledger_partition(group), sk: tally_position(of) }
}

/// Sort key of the tally of a day and a category.
fn tally_position(of: TallyKey) -> String {
    format!("{}{of}", prefix::TALLY)
}

/// First and last sort key of the tallies of these days.
#[must_use]
pub fn tallies(days: &RangeInclusive<Day>) -> [String; 2] {
    [format!("{}{}", prefix::TALLY, days.start()), format!("{}{}#~", prefix::TALLY, days.end())]
}

/// Sort key of the current entry of an id. It sorts after all past entries.
pub const CURRENT: &str = "~";

/// Key of the current entry of an id.
#[must_use]
pub fn entry(group: GroupId, entry: &EntryId) -> Primary {
    Primary { pk: entry_partition(group, entry), sk: CURRENT.to_owned() }
}

/// Key of a past entry of an id.
#[must_use]
pub fn past_entry(group: GroupId, entry: &EntryId, sequence: u64) -> Primary {
    Primary { pk: entry_partition(group, entry), sk: history_position(&sequence.to_string()) }
}

/// Sort key of the past entry with this sequence.
#[must_use]
pub fn history_position(sequence: &str) -> String {
    format!("HISTORY#{sequence:0>20}")
}

/// Partition of the current entry and the past entries of an id.
///
/// The id of an expense, a settlement or a link is part of the key as it is. The name of an
/// adjustment is always hashed with SHA-256, so it never has the key of one of these.
#[must_use]
pub fn entry_partition(group: GroupId, entry: &EntryId) -> String {
    let ledger = ledger_partition(group);
    match entry {
        EntryId::Record(_) | EntryId::Link(_) => format!("{ledger}#ENTRY#{entry}"),
        EntryId::Adjustment(name) => {
            format!("{ledger}#ENTRY#{}", hex::encode(Sha256::digest(name.as_str())))
        }
    }
}

/// Partition of a group's entries in `GSI1`.
#[must_use]
pub fn entries_of(group: GroupId) -> String {
    format!("{}#ENTRIES", ledger_partition(group))
}

/// Sort key of an entry in `GSI1`: by time, and by sequence among the entries of one event.
#[must_use]
pub fn entry_position(created_at: Timestamp, sequence: u64) -> String {
    format!("{created_at}#{sequence:020}")
}

/// The time and the sequence in the sort key of an entry in `GSI1`.
pub(crate) fn position_of_entry(sort_key: &str) -> Option<(Timestamp, u64)> {
    let (at, sequence) = sort_key.split_once('#')?;
    Some((at.parse().ok()?, sequence.parse().ok()?))
}

/// Sort key in `GSI1` after the entries of a moment and before those of the next one.
#[must_use]
pub fn entries_until(at: Timestamp) -> String {
    format!("{at}#~")
}

/// Partition of the rows that belong to a user alone.
#[must_use]
pub fn own_partition(user: UserId) -> String {
    user_partition(user.into())
}

/// Sort key of a user's targets.
pub const TARGETS: &str = "CONFIG#TARGETS";

/// Key of a user's targets.
#[must_use]
pub fn targets(user: UserId) -> Primary {
    Primary { pk: own_partition(user), sk: TARGETS.to_owned() }
}

/// Key of a user's usage on a day.
#[must_use]
pub fn usage(user: UserId, day: Day) -> Primary {
    Primary { pk: own_partition(user), sk: usage_position(day) }
}

/// Sort key of a user's usage on a day.
fn usage_position(day: Day) -> String {
    format!("{}{day}", prefix::USAGE)
}

/// Key of a spending.
#[must_use]
pub fn spending(user: UserId, spending: &SpendingId) -> Primary {
    Primary { pk: own_partition(user), sk: spending_position(spending) }
}

/// Sort key of a spending.
fn spending_position(spending: &SpendingId) -> String {
    format!("{}{}", prefix::SPENDING, spending.separated_by('#'))
}

/// The spending with this sort key.
pub(crate) fn spending_of(sort_key: &str) -> Option<SpendingId> {
    SpendingId::parse(sort_key.strip_prefix(prefix::SPENDING)?, '#').ok()
}

/// Sort keys before and after the spendings whose time has a UTC date in a range of
/// days, which may be open.
#[must_use]
pub fn spendings_between(first: Option<Day>, last: Option<Day>) -> (String, String) {
    let [first, last] = [first, last].map(|day| day.map(|day| day.to_string()).unwrap_or_default());
    (format!("{}{first}", prefix::SPENDING), format!("{}{last}~", prefix::SPENDING))
}

/// Key of the summary of a day.
#[must_use]
pub fn summary(user: UserId, day: Day) -> Primary {
    Primary { pk: own_partition(user), sk: summary_position(day) }
}

/// Sort key of the summary of a day.
#[must_use]
pub fn summary_position(day: Day) -> String {
    format!("{}{day}", prefix::SUMMARY)
}

/// Key of a question.
#[must_use]
pub fn question(group: GroupId, question: QuestionId) -> Primary {
    Primary { pk: group_partition(group), sk: question_partition(question) }
}

/// Partition of the details of a question and its answers.
#[must_use]
pub fn question_partition(question: QuestionId) -> String {
    format!("{}{question}", prefix::QUESTION)
}

/// Key of the details of a question.
#[must_use]
pub fn question_details(question: QuestionId) -> Primary {
    Primary { pk: question_partition(question), sk: "DETAILS".to_owned() }
}

/// Key of an answer. `by` is the member who gave it, or random if it is anonymous.
#[must_use]
pub fn answer(question: QuestionId, by: impl fmt::Display) -> Primary {
    Primary { pk: question_partition(question), sk: format!("{}{by}", prefix::ANSWER) }
}

/// Partition of a group's open questions in `GSI1`.
#[must_use]
pub fn open_questions(group: GroupId) -> String {
    format!("OPEN#{group}")
}

/// Sort key in `GSI1` of a question whose time runs out at a moment; without the question, one
/// before all of that moment.
#[must_use]
pub fn open_position(expires_at: Timestamp, question: Option<QuestionId>) -> String {
    let question = question.map(|question| question.to_string()).unwrap_or_default();
    format!("{expires_at}#{question}")
}

/// Partition of the questions that a user asked in `GSI3`.
#[must_use]
pub fn asked_questions(user: UserId) -> String {
    format!("ASKED#{user}")
}

/// Key of a user's points in a group.
#[must_use]
pub fn points(group: GroupId, user: UserId) -> Primary {
    Primary { pk: group_partition(group), sk: format!("{}{user}", prefix::POINTS) }
}

/// Key of one of a user's funds.
#[must_use]
pub fn fund(owner: UserId, fund: FundKey) -> Primary {
    Primary { pk: own_partition(owner), sk: format!("{}{fund}", prefix::FUND) }
}

/// Key of a transaction of a user's funds.
#[must_use]
pub fn fund_transaction(owner: UserId, id: FundTransactionId) -> Primary {
    Primary { pk: own_partition(owner), sk: format!("{}{id}", prefix::FUND_TRANSACTION) }
}

/// Partition of the sums of all funds.
pub const FUNDS: &str = "FUNDS";

/// Key of the sums of all funds in a currency.
#[must_use]
pub fn fund_total(currency: Currency) -> Primary {
    Primary { pk: FUNDS.to_owned(), sk: format!("{}{currency}", prefix::FUND_TOTAL) }
}

/// Key of the reference of a payment outside of Fracti, however it is spelt. Payments and
/// corrections are compared among themselves.
#[must_use]
pub fn fund_reference(reference: &RefId, of: ReferenceUse) -> Primary {
    let hash = hex::encode(Sha256::digest(reference.compared()));
    let sk = match of {
        ReferenceUse::Payment => "FTX",
        ReferenceUse::Correction => "CORRECTION",
    };
    Primary { pk: format!("FREF#{hash}"), sk: sk.to_owned() }
}

/// Key of what of a user waits for an operator.
#[must_use]
pub fn fund_queue(owner: UserId) -> Primary {
    Primary { pk: own_partition(owner), sk: "FUNDQUEUE".to_owned() }
}

/// Partition in `GSI1` of the transactions of funds that wait for an operator.
#[must_use]
pub fn fund_work(work: FundWork) -> String {
    format!("WORK#{}", work.to_string().to_uppercase())
}

/// A list of rows that are due at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DueList {
    /// Rows by which money moves.
    Money,
    /// Changes of groups that are to be told.
    Tell,
    /// Subscriptions for which something waits.
    Notify,
}

/// Partition of a list of due rows in `GSI3`.
#[must_use]
pub fn due(list: DueList) -> String {
    match list {
        DueList::Money => "DUE#MONEY".to_owned(),
        DueList::Tell => "DUE#TELL".to_owned(),
        DueList::Notify => "DUE#NOTIFY".to_owned(),
    }
}

/// Sort key in `GSI1` of a transaction that waits for an operator since a time, behind `before`
/// others of its owner. The first ones of all users come first, so that no user fills the list.
#[must_use]
pub fn work_position(before: Option<u8>, at: Timestamp, id: FundTransactionId) -> String {
    let position = due_position(at, id);
    // Rows of earlier versions have no number. Their times come after the second ones.
    before.map_or_else(|| position.clone(), |before| format!("{before}#{position}"))
}

/// Sort key in `GSI3` of a row that is due at a time.
#[must_use]
pub fn due_position(at: Timestamp, id: impl fmt::Display) -> String {
    format!("{at}#{id}")
}

/// Part of the sort key in `GSI3` of a change that is to be told: changes of a group sort by
/// number.
#[must_use]
pub fn told_position(group: GroupId, number: u64) -> String {
    format!("{group}#{number:020}")
}

/// Key of the subscription of a user's private chat or of a group's chat.
#[must_use]
pub fn subscription(of: Subscriber) -> Primary {
    Primary { pk: subscription_partition(of), sk: "METADATA".to_owned() }
}

fn subscription_partition(of: Subscriber) -> String {
    format!("{}{of}", prefix::SUBSCRIPTION)
}

/// Key of no row, which is read to open a connection.
#[must_use]
pub fn nothing() -> Primary {
    Primary { pk: "NOTHING".to_owned(), sk: "~".to_owned() }
}

/// Key of the group of a Telegram chat. The id of the chat is signed by Telegram.
#[must_use]
pub fn chat_group(chat: &ChatId) -> Primary {
    Primary { pk: format!("CHAT#{chat}"), sk: "GROUP".to_owned() }
}

/// Key of a used transaction hash.
#[must_use]
pub fn tx_hash(hash: &TxHash) -> Primary {
    Primary { pk: format!("TXHASH#{hash}"), sk: "SETTLEMENT".to_owned() }
}

/// Partition of a group's v0 rows that are set aside.
#[must_use]
pub fn aside_partition(group: GroupId) -> String {
    format!("ASIDE#{group}")
}

/// Key of a v0 row of a group that is set aside. `sort_key` is the one that it had.
#[must_use]
pub fn aside(group: GroupId, at: Timestamp, sort_key: &str) -> Primary {
    Primary { pk: aside_partition(group), sk: format!("{at}#{sort_key}") }
}

/// Key of the row of a user's request. `request` is the SHA-256 of the idempotency key, or random
/// bytes if there is none, in hexadecimal.
#[must_use]
pub fn idempotency(user: UserId, operation: &str, request: &str) -> Primary {
    Primary { pk: format!("IDEM#{user}"), sk: format!("{operation}#{request}") }
}

/// Key of the row of work that no user requested. `random` is in hexadecimal, and the partition's
/// name, too.
#[must_use]
pub fn own_work(operation: &str, random: &str) -> Primary {
    Primary { pk: format!("IDEM#{random}"), sk: operation.to_owned() }
}

/// Key of an API token.
#[must_use]
pub fn token(user: UserId, token: TokenId) -> Primary {
    Primary { pk: own_partition(user), sk: token_position(token) }
}

/// Key of the row that the creation of a token changes.
#[must_use]
pub fn token_list(user: UserId) -> Primary {
    Primary { pk: own_partition(user), sk: "TOKENS".to_owned() }
}

/// Sort key of an API token.
fn token_position(token: TokenId) -> String {
    format!("{}{token}", prefix::TOKEN)
}

/// Partition of an API token in `GSI1`.
#[must_use]
pub fn token_partition(hash: TokenHash) -> String {
    format!("{}{hash}", prefix::TOKEN_HASH)
}

/// Partition of a group's balance row, closings, checkpoints and tallies.
#[must_use]
pub fn ledger_partition(group: GroupId) -> String {
    format!("{}{group}", prefix::LEDGER)
}

/// Makes a module by which serde reads a value from a key that is a prefix and the value.
macro_rules! within_key {
    ($(#[$doc:meta])* $module:ident, $value:ty, $key:path, $prefix:path) => {
        $(#[$doc])*
        pub(crate) mod $module {
            use serde::{Deserialize, Deserializer, Serializer, de::Error};

            pub(crate) fn serialize<S: Serializer>(
                value: &$value,
                to: S,
            ) -> Result<S::Ok, S::Error> {
                to.serialize_str(&$key(*value))
            }

            pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
                from: D,
            ) -> Result<$value, D::Error> {
                let key = String::deserialize(from)?;
                let value = key.strip_prefix($prefix).and_then(|value| value.parse().ok());
                value.ok_or_else(|| D::Error::custom("the key has another form"))
            }
        }
    };
}

within_key!(
    /// The group of a partition key.
    of_group,
    crate::values::id::GroupId,
    super::group_partition,
    super::prefix::GROUP
);

within_key!(
    /// The user of a partition key.
    of_user,
    crate::values::id::UserId,
    super::own_partition,
    super::prefix::MEMBER
);

within_key!(
    /// The user or the group of a subscription's partition key.
    of_subscription,
    crate::values::id::Subscriber,
    super::subscription_partition,
    super::prefix::SUBSCRIPTION
);

within_key!(
    /// The day of a usage row's sort key.
    of_usage,
    crate::values::time::Day,
    super::usage_position,
    super::prefix::USAGE
);

within_key!(
    /// The group of a ledger's partition key.
    of_ledger,
    crate::values::id::GroupId,
    super::ledger_partition,
    super::prefix::LEDGER
);

within_key!(
    /// The day of a summary's sort key.
    of_summary,
    crate::values::time::Day,
    super::summary_position,
    super::prefix::SUMMARY
);

/// The id of a spending's sort key.
pub(crate) mod of_spending {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use super::{SpendingId, spending_of, spending_position};

    pub(crate) fn serialize<S: Serializer>(id: &SpendingId, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&spending_position(id))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<SpendingId, D::Error> {
        let key = String::deserialize(from)?;
        spending_of(&key).ok_or_else(|| D::Error::custom("the key has another form"))
    }
}

within_key!(
    /// The day of a closing's sort key.
    of_closing,
    crate::values::time::Day,
    super::closing_position,
    super::prefix::CLOSING
);

within_key!(
    /// The moment of a checkpoint's sort key.
    of_checkpoint,
    crate::values::time::Timestamp,
    super::checkpoint_position,
    super::prefix::CHECKPOINT
);

within_key!(
    /// The number of a change's sort key.
    of_change,
    u64,
    super::change_position,
    super::prefix::CHANGE
);

within_key!(
    /// The day and the category of a tally's sort key.
    of_tally,
    super::TallyKey,
    super::tally_position,
    super::prefix::TALLY
);

within_key!(
    /// The API token of a sort key.
    of_token,
    crate::values::id::TokenId,
    super::token_position,
    super::prefix::TOKEN
);

within_key!(
    /// The hash of an API token, of a partition key in `GSI1`.
    of_token_hash,
    super::TokenHash,
    super::token_partition,
    super::prefix::TOKEN_HASH
);
