//! Findings of the migration of a v0 row: corrections and anomalies.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use crate::{
    ledger::LedgerError,
    storage::row::{AttributeValue, FORMAT_VERSION, Item, KIND},
    values::{
        decimal::Decimal,
        id::{GroupId, SettlementId},
    },
};

/// An attribute of a row that the migration changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Correction {
    /// Name of the attribute.
    pub attribute: String,
    /// Its value in the v0 row, if it has one.
    pub before: Option<Value>,
    /// Its new value, if it has one.
    pub after: Option<Value>,
}

impl Correction {
    /// The row, with this sort key, is deleted.
    #[must_use]
    pub fn removed(sort_key: &str) -> Self {
        let attribute = "SK".to_owned();
        let before = Some(sort_key.into());
        Self { attribute, before, after: None }
    }
}

/// Why a row cannot be migrated, or what remains wrong with a migrated row.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Anomaly {
    /// An attribute that cannot be replaced is missing or cannot be read.
    #[error("{0} is missing or cannot be read")]
    Unreadable(String),
    /// The amount is zero.
    #[error("amount, rounded to minor units, must not be zero")]
    NoAmount,
    /// The amount of a settlement is negative.
    #[error("amount must not be negative")]
    NegativeAmount,
    /// The amount does not fit.
    #[error("amount is too large")]
    TooLarge,
    /// There are no shares.
    #[error("splits must not be empty")]
    NoShares,
    /// A share has the opposite sign of the amount.
    #[error("no share may have the opposite sign of the amount")]
    ShareSign,
    /// The shares do not sum to the amount, and nothing says how to divide it.
    #[error("the shares do not sum to the amount, and cannot be computed")]
    NoRule,
    /// A settlement has one member on both sides.
    #[error("fromUserId and toUserId must be different members")]
    SameMember,
    /// The time in the id differs from that of the row.
    #[error("the time in id differs from the time in the sort key")]
    IdTime,
    /// The group has another row with the id.
    #[error("another row of the group has the same id")]
    IdTaken,
    /// Other rows have all the times to which this one could be moved.
    #[error("the times after that of the row are taken by other rows")]
    NoTime,
    /// Two rows belong to the same member.
    #[error("another row belongs to the same member")]
    MemberTwice,
    /// No member of the group is a Telegram user, so an entry would have no actor.
    #[error("the group has no member who is a Telegram user")]
    NoActor,
    /// A transaction that migrates the row would be too large.
    #[error("the row and its participants do not fit into one transaction")]
    TooManyRows,
    /// The ledger refuses the event.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// There is no row of the group.
    #[error("the group does not exist")]
    NoGroup,
    /// There is no expense that the participant belongs to.
    #[error("the expense of the participant does not exist or was not migrated")]
    NoExpense,
    /// The key is not that of any row of a group.
    #[error("the key is not one that Fracti writes")]
    Key,
    /// The blockchain transaction was shortened or mistyped.
    #[error("txHash is not a valid hash; it is kept, but other settlements may use it, too")]
    Hash,
    /// The blockchain transaction pays another settlement, too.
    #[error("settlement {1} of group {0} has the same txHash")]
    HashUsed(GroupId, SettlementId),
    /// The wallet was shortened or mistyped.
    #[error("wallet is not a valid TON address; it is kept")]
    Wallet,
}

/// The corrections that turn one row into another. Keys of indexes are left out, because they
/// follow from other attributes. Attributes that only the second row has are corrections only if
/// they are in `always`.
pub(super) fn corrections(before: &Item, after: &Item, always: &[&str]) -> Vec<Correction> {
    let is_derived = |name: &str| name.starts_with("GSI") || [KIND, FORMAT_VERSION].contains(&name);
    let names = before.keys().map(String::as_str).chain(always.iter().copied());
    let names: BTreeSet<&str> = names.filter(|name| !is_derived(name)).collect();
    let correction = |name: &str| {
        let [before, after] = [before, after].map(|row| row.get(name).and_then(json));
        (before != after).then(|| Correction { attribute: name.to_owned(), before, after })
    };
    names.into_iter().filter_map(correction).collect()
}

/// The value as JSON; `None` for a null, which means a missing attribute.
fn json(value: &AttributeValue) -> Option<Value> {
    Some(match value {
        AttributeValue::S(text) => Value::String(text.clone()),
        AttributeValue::N(digits) => {
            let exact = digits.parse().map(|number: Decimal| number.to_string());
            let digits = exact.unwrap_or_else(|_| digits.clone());
            serde_json::from_str(&digits).unwrap_or(Value::String(digits))
        }
        AttributeValue::Bool(truth) => Value::Bool(*truth),
        AttributeValue::L(list) => list.iter().map(|it| json(it).unwrap_or(Value::Null)).collect(),
        AttributeValue::M(map) => {
            map.iter().filter_map(|(name, it)| Some((name.clone(), json(it)?))).collect()
        }
        AttributeValue::Null(_) => return None,
        // The TypeScript Fracti wrote no binary values and no sets.
        other => Value::String(format!("{other:?}")),
    })
}
