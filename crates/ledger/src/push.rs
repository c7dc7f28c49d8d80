//! Request bodies that push and revert adjustments, and their result.

use fracti_core::{
    input::{Field, Path},
    records::adjustment::{
        Adjustment, Amount, BareOrWrapped, MAX_CHANGES, MAX_PUSHED, MAX_REVERTED, NonApplied,
        Reason, Report,
    },
    values::entry_id::{EntryId, EntryName, EntryNameError},
};
use fracti_http::{Description, EntryView, JsonScalar, Text, body, schemas, sentence};
use fracti_texts::{Message, Says, rule};
use serde::Serialize;
use utoipa::ToSchema;

/// Id that an entry must not have: `/ledger/entries/revert` is another route.
const RESERVED_NAME: &str = "revert";

body! {
    /// Adjustments to push.
    pub(crate) PushEntries => BareOrWrapped<Adjustment> {
        /// The adjustments.
        items: "entries".required().objects::<PushEntry>(1..=MAX_PUSHED),
    } => BareOrWrapped { path: "entries".into(), items },
    or |list| BareOrWrapped { path: Path::default(),
        items: list.objects::<PushEntry>(1..=MAX_PUSHED) }
}

body! {
    /// Adjustments to revert.
    pub(crate) RevertEntries => BareOrWrapped<Field<EntryId>> {
        /// Ids of their entries.
        items: "entryIds".required().texts(1..=MAX_REVERTED),
    } => BareOrWrapped { path: "entryIds".into(), items },
    or |list| BareOrWrapped { path: Path::default(), items: list.texts(1..=MAX_REVERTED) }
}

body! {
    /// An adjustment to push: an opening balance from another app, or a correction.
    #[example = {
        "entryId": "opening-balance", "note": "From the old app",
        "changes": [
            { "userId": "123456789", "currency": "EUR", "amount": "12.50" },
            { "userId": "987654321", "currency": "EUR", "amount": -12.5 },
        ],
    }]
    PushEntry => Adjustment {
        /// Id of the entry, unique among the applied entries of the group. `revert` is reserved.
        entry_id: "entryId".required().parse(Description::text::<EntryId>, entry_id),
        /// Changes of balances, which sum to zero in each currency. A member may appear once per
        /// currency.
        // One change alone never sums to zero.
        changes: "changes".required().documented(2..=MAX_CHANGES)
            .objects::<PushChange>(1..=MAX_CHANGES),
        /// Note that explains it.
        note: "note".text(),
        /// Condition that must hold once the adjustment is applied.
        condition: "condition".of::<PushCondition>(),
    }
}

body! {
    /// Change of a member's balance. A positive amount is added to `sent`, a negative one to
    /// `received`.
    PushChange => Amount {
        /// Member whose balance it is.
        user: "userId".required().text(),
        /// Currency of the balance. Default: the group's currency.
        currency: "currency".text(),
        /// Signed amount by which the balance changes.
        number: "amount".required().number(schemas::ChangeAmountInput),
    }
}

body! {
    /// Minimum balance of a member after the adjustment.
    PushCondition => Amount {
        /// Member whose balance it is.
        user: "userId".required().text(),
        /// Currency of the balance. Default: the group's currency.
        currency: "currency".text(),
        /// Minimum balance; negative if the member may owe.
        number: "balanceAtLeast".required().number(schemas::BalanceInput),
    }
}

/// Parses the id of an entry to push.
fn entry_id(sent: JsonScalar<'_>) -> Result<EntryName, Option<Message>> {
    match sent {
        JsonScalar::Text(name) if name == RESERVED_NAME => Err(Some(rule!(
            "{field} must not be `{RESERVED_NAME}`, which is reserved",
            "{field} не должно быть `{RESERVED_NAME}`: это слово зарезервировано"
        ))),
        JsonScalar::Text(name) => name.parse().map_err(|rule: EntryNameError| Some(rule.says())),
        JsonScalar::Other(_) => Err(None),
    }
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
    entry_id: schemas::EntryId,
    /// Reason, as a stable code.
    code: ReasonCode,
    /// Reason, as a sentence.
    #[schema(example = "The balance would be below balanceAtLeast.")]
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
            Reason::EntryMissing => ReasonCode::EntryMissing,
            Reason::TotalsTooLarge => ReasonCode::TotalsTooLarge,
        };
        Self { entry_id: Text(entry_id), code, message: sentence(&reason.to_string()) }
    }
}
