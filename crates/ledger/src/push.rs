//! Adjustments of the ledger that a client pushes or reverts, and the result.

use fracti_core::{
    adjustment::{Adjustment, Amount},
    currency::Currency,
    decimal::Decimal,
    entry_id::{EntryId, EntryName},
    id::UserId,
    table::{NonApplied, Reason, Report},
    text::Note,
};
use fracti_http::{EntryView, Problem, Scalar, Text, required, schemas, sentence};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::listed::{Listable, Listed};

/// The name that a path takes, so that no entry of it could be read.
const TAKEN: &str = "revert";

/// An adjustment to push: an opening balance from another app, or a correction.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", expecting = "an object")]
#[schema(example = json!({
    "entryId": "opening-balance", "note": "From the old app",
    "changes": [
        { "userId": "123456789", "currency": "EUR", "amount": "12.50" },
        { "userId": "987654321", "currency": "EUR", "amount": -12.5 },
    ],
}))]
pub(crate) struct PushEntry {
    /// Id of the entry, unique among the applied entries of the group. `revert` is reserved.
    #[schema(value_type = schemas::EntryId)]
    entry_id: Option<Text<EntryName>>,
    /// Changes of balances, which sum to zero in each currency. A member may appear once per currency.
    #[schema(min_items = 2)]
    changes: Option<Vec<PushChange>>,
    /// Note that explains it.
    #[schema(value_type = Option<schemas::EntryNote>)]
    note: Option<Text<Note>>,
    /// Condition that must hold once the adjustment is applied.
    condition: Option<PushCondition>,
}

/// Change of a member's balance. A positive amount is added to `sent`, a negative one to `received`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", expecting = "an object")]
struct PushChange {
    /// Member whose balance it is.
    #[schema(value_type = schemas::UserId)]
    user_id: Option<Text<UserId>>,
    /// Currency of the balance. Default: the group's currency.
    #[schema(value_type = Option<schemas::Currency>)]
    currency: Option<Text<Currency>>,
    /// Signed amount by which the balance changes.
    #[schema(value_type = schemas::ChangeAmountInput)]
    amount: Option<Scalar<Decimal>>,
}

/// Minimum balance of a member after the adjustment.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", expecting = "an object")]
struct PushCondition {
    /// Member whose balance it is.
    #[schema(value_type = schemas::UserId)]
    user_id: Option<Text<UserId>>,
    /// Currency of the balance. Default: the group's currency.
    #[schema(value_type = Option<schemas::Currency>)]
    currency: Option<Text<Currency>>,
    /// Minimum balance; negative if the member may owe.
    #[schema(value_type = schemas::BalanceInput)]
    balance_at_least: Option<Scalar<Decimal>>,
}

/// Id of an entry to revert.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(crate) struct RevertEntry(Text<EntryId>);

impl Listable for PushEntry {
    const FIELD: &'static str = "entries";
}

impl Listable for RevertEntry {
    const FIELD: &'static str = "entryIds";
}

impl Listed<PushEntry> {
    /// The adjustments that are asked for, and where they stand in the body; whether they come out, the group says.
    ///
    /// # Errors
    ///
    /// A [`Problem`] with the field that is missing.
    pub(crate) fn read(self) -> Result<(Vec<Adjustment>, &'static str), Problem> {
        let (entries, field) = self.some()?;
        let read = |(index, entry): (usize, PushEntry)| entry.read(&format!("{field}[{index}]"));
        Ok((entries.into_iter().enumerate().map(read).collect::<Result<_, _>>()?, field))
    }
}

impl Listed<RevertEntry> {
    /// The names of the entries, and where they stand in the body.
    ///
    /// # Errors
    ///
    /// A [`Problem`] where there are none.
    pub(crate) fn read(self) -> Result<(Vec<EntryId>, &'static str), Problem> {
        let (entries, field) = self.some()?;
        Ok((entries.into_iter().map(|RevertEntry(Text(name))| name).collect(), field))
    }
}

impl PushEntry {
    fn read(self, path: &str) -> Result<Adjustment, Problem> {
        let name = format!("{path}.entryId");
        let Text(entry_id) = required(&name, self.entry_id)?;
        if entry_id.as_str() == TAKEN {
            return Err(Problem::invalid(name, "this name is taken by a path"));
        }
        let changes = required(&format!("{path}.changes"), self.changes)?;
        let change = |(index, change): (usize, PushChange)| {
            let PushChange { user_id, currency, amount } = change;
            read_amount(&format!("{path}.changes[{index}]"), user_id, currency, "amount", amount)
        };
        let condition = self.condition.map(|condition| {
            let PushCondition { user_id, currency, balance_at_least } = condition;
            let path = format!("{path}.condition");
            read_amount(&path, user_id, currency, "balanceAtLeast", balance_at_least)
        });
        Ok(Adjustment {
            entry_id,
            changes: changes.into_iter().enumerate().map(change).collect::<Result<_, _>>()?,
            note: self.note.map(|Text(note)| note),
            condition: condition.transpose()?,
        })
    }
}

fn read_amount(
    path: &str,
    user: Option<Text<UserId>>,
    currency: Option<Text<Currency>>,
    field: &str,
    number: Option<Scalar<Decimal>>,
) -> Result<Amount, Problem> {
    Ok(Amount {
        user: required(&format!("{path}.userId"), user)?.0,
        currency: currency.map(|Text(currency)| currency),
        number: required(&format!("{path}.{field}"), number)?.0,
    })
}

/// Result of pushing or reverting adjustments.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PushResult)]
pub(crate) struct ReportView {
    /// Entries that were applied, or the reverts.
    applied: Vec<EntryView>,
    /// Adjustments or reverts that could not be applied.
    non_applied: Vec<NonAppliedView>,
}

/// An adjustment or a revert that could not be applied.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = NonAppliedEntry)]
struct NonAppliedView {
    /// Id of the entry.
    #[schema(value_type = schemas::EntryId)]
    entry_id: String,
    /// Reason, as a stable code.
    code: ReasonCode,
    /// Reason, as a sentence.
    #[schema(example = "The balance would be less than the condition says.")]
    message: String,
}

/// Reason why an adjustment or a revert could not be applied.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schema(as = NonAppliedCode)]
enum ReasonCode {
    /// An entry with this id is applied already.
    EntryExists,
    /// The balance would be below the minimum of the condition.
    ConditionFailed,
    /// Concurrent writes to the group won until the deadline: send it again.
    LockLost,
    /// No entry with this id is applied.
    EntryMissing,
    /// A total or a balance would become too large.
    TotalsTooLarge,
}

impl From<Report> for ReportView {
    fn from(report: Report) -> Self {
        Self {
            applied: report.applied.into_iter().map(EntryView::from).collect(),
            non_applied: report.non_applied.into_iter().map(NonAppliedView::from).collect(),
        }
    }
}

impl From<NonApplied> for NonAppliedView {
    fn from(NonApplied { entry_id, reason }: NonApplied) -> Self {
        let code = match reason {
            Reason::EntryExists => ReasonCode::EntryExists,
            Reason::ConditionFailed => ReasonCode::ConditionFailed,
            Reason::LockLost => ReasonCode::LockLost,
            Reason::EntryMissing => ReasonCode::EntryMissing,
            Reason::TotalsTooLarge => ReasonCode::TotalsTooLarge,
        };
        Self { entry_id: entry_id.to_string(), code, message: sentence(&reason.to_string()) }
    }
}
