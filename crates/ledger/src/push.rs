//! What a client sends to adjust the book, and what became of it.

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

/// An adjustment: balances moved by hand, like what another app kept, or a correction.
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
    /// What it is called: under one name one entry counts. `revert` is taken.
    #[schema(value_type = schemas::EntryId)]
    entry_id: Option<Text<EntryName>>,
    /// Whose balance it moves, each member once a currency: they sum to zero in each currency.
    #[schema(min_items = 2)]
    changes: Option<Vec<PushChange>>,
    /// What it is for.
    #[schema(value_type = Option<schemas::Note>)]
    note: Option<Text<Note>>,
    /// It counts only where this holds once it counts.
    condition: Option<PushCondition>,
}

/// By how much a member's balance moves: what is above zero counts as sent, what is below as received.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", expecting = "an object")]
struct PushChange {
    /// A member.
    #[schema(value_type = schemas::UserId)]
    user_id: Option<Text<UserId>>,
    /// In which currency; the group's where none is named.
    #[schema(value_type = Option<schemas::Currency>)]
    currency: Option<Text<Currency>>,
    /// By how much.
    #[schema(value_type = schemas::ChangeToSend)]
    amount: Option<Scalar<Decimal>>,
}

/// What a member's balance is at least, after the adjustment.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", expecting = "an object")]
struct PushCondition {
    /// A member.
    #[schema(value_type = schemas::UserId)]
    user_id: Option<Text<UserId>>,
    /// In which currency; the group's where none is named.
    #[schema(value_type = Option<schemas::Currency>)]
    currency: Option<Text<Currency>>,
    /// The least that the group owes the member then; below zero where the member may owe.
    #[schema(value_type = schemas::BalanceToSend)]
    balance_at_least: Option<Scalar<Decimal>>,
}

/// What an entry is called that is to be reverted.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(transparent)]
#[schema(value_type = schemas::EntryId)]
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

/// What became of each adjustment, or of each revert.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Report)]
pub(crate) struct ReportView {
    /// The entries that count, or the reverts.
    applied: Vec<EntryView>,
    /// What did not happen; it did not stop the others.
    non_applied: Vec<NonAppliedView>,
}

/// What did not happen.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = NonApplied)]
struct NonAppliedView {
    /// The entry.
    #[schema(value_type = schemas::EntryId)]
    entry_id: String,
    /// Why, in a word for programs.
    code: ReasonCode,
    /// Why, in a sentence for people.
    #[schema(example = "The balance would be less than the condition says.")]
    message: String,
}

/// Why an adjustment or a revert did not happen.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schema(as = NonAppliedCode)]
enum ReasonCode {
    /// Another entry counts under this name, or an expense or a settlement has it.
    EntryExists,
    /// The balance would be less than the condition says.
    ConditionFailed,
    /// Others wrote first until the deadline: send it again.
    LockLost,
    /// No entry counts under this name.
    EntryMissing,
    /// A total or a balance would grow too large.
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
