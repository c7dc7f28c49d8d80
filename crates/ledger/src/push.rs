//! Request bodies that push and revert adjustments, and their result.

use fracti_core::{
    adjustment::{
        Adjustment, Amount, BareOrWrapped, MAX_CHANGES, MAX_PUSHED, MAX_REVERTED, NonApplied,
        Reason, Report,
    },
    entry_id::{EntryId, EntryNameError},
    input::{Field, Path},
};
use fracti_http::{Body, EntryView, JsonScalar, Object, Text, Value, schemas, sentence};
use serde::Serialize;
use utoipa::ToSchema;

/// Id that an entry must not have: `/ledger/entries/revert` is another route.
const RESERVED_NAME: &str = "revert";

/// Adjustments to push.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body that is read")]
pub(crate) struct PushEntries {
    /// The adjustments.
    entries: Vec<PushEntry>,
}

/// Adjustments to revert.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the body that is read")]
pub(crate) struct RevertEntries {
    /// Ids of their entries.
    entry_ids: Vec<schemas::EntryId>,
}

/// An adjustment to push: an opening balance from another app, or a correction.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase", example = json!({
    "entryId": "opening-balance", "note": "From the old app",
    "changes": [
        { "userId": "123456789", "currency": "EUR", "amount": "12.50" },
        { "userId": "987654321", "currency": "EUR", "amount": -12.5 },
    ],
}))]
#[expect(dead_code, reason = "describes the body that is read")]
pub(crate) struct PushEntry {
    /// Id of the entry, unique among the applied entries of the group. `revert` is reserved.
    entry_id: schemas::EntryId,
    /// Changes of balances, which sum to zero in each currency. A member may appear once per
    /// currency.
    changes: Vec<PushChange>,
    /// Note that explains it.
    note: Option<schemas::EntryNote>,
    /// Condition that must hold once the adjustment is applied.
    condition: Option<PushCondition>,
}

/// Change of a member's balance. A positive amount is added to `sent`, a negative one to
/// `received`.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the body that is read")]
struct PushChange {
    /// Member whose balance it is.
    user_id: schemas::MemberId,
    /// Currency of the balance. Default: the group's currency.
    currency: Option<schemas::Currency>,
    /// Signed amount by which the balance changes.
    amount: schemas::ChangeAmountInput,
}

/// Minimum balance of a member after the adjustment.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the body that is read")]
struct PushCondition {
    /// Member whose balance it is.
    user_id: schemas::MemberId,
    /// Currency of the balance. Default: the group's currency.
    currency: Option<schemas::Currency>,
    /// Minimum balance; negative if the member may owe.
    balance_at_least: schemas::BalanceInput,
}

impl Body for PushEntries {
    type Fields = BareOrWrapped<Adjustment>;

    fn read(value: Value<'_, '_>) -> Field<Self::Fields> {
        bare_or_wrapped(value, "entries", |list| list.objects(1..=MAX_PUSHED, read_adjustment))
    }
}

impl Body for RevertEntries {
    type Fields = BareOrWrapped<Field<EntryId>>;

    fn read(value: Value<'_, '_>) -> Field<Self::Fields> {
        bare_or_wrapped(value, "entryIds", |list| list.list(1..=MAX_REVERTED, read_id))
    }
}

fn read_id(id: Value<'_, '_>) -> Field<EntryId> {
    id.text()
}

/// Reads a list that is the whole body or the only field of an object.
fn bare_or_wrapped<T>(
    value: Value<'_, '_>,
    field: &'static str,
    read: impl Fn(Value<'_, '_>) -> Field<Vec<T>>,
) -> Field<BareOrWrapped<T>> {
    if value.is_list() {
        return Field::Value(BareOrWrapped { path: Path::default(), items: read(value) });
    }
    value.object(|body| BareOrWrapped {
        path: field.into(),
        items: read(body.field(field).required()),
    })
}

fn read_adjustment(entry: &mut Object<'_, '_>) -> Adjustment {
    Adjustment {
        entry_id: entry.field("entryId").required().parse(|sent| match sent {
            JsonScalar::Text(name) if name == RESERVED_NAME => {
                Err(Some(format!("entryId must not be `{RESERVED_NAME}`, which is reserved")))
            }
            JsonScalar::Text(name) => {
                name.parse().map_err(|rule: EntryNameError| Some(rule.to_string()))
            }
            JsonScalar::Other(_) => Err(None),
        }),
        changes: entry
            .field("changes")
            .required()
            .objects(1..=MAX_CHANGES, |change| read_amount(change, "amount")),
        note: entry.field("note").text(),
        condition: entry
            .field("condition")
            .object(|condition| read_amount(condition, "balanceAtLeast")),
    }
}

fn read_amount(amount: &mut Object<'_, '_>, field: &'static str) -> Amount {
    Amount {
        user: amount.field("userId").required().text(),
        currency: amount.field("currency").text(),
        number: amount.field(field).required().scalar(),
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
