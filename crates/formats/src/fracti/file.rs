//! The contents of a file.

use fracti_core::{
    ledger::{EntryStatus, RefType},
    split::{LineKind, LineSplit, SplitType},
    values::{
        category::ExpenseCategory, currency::Currency, decimal::Decimal, id::GroupId,
        settlement_status::SettlementStatus,
    },
};
use serde::{
    Deserialize, Deserializer,
    de::{Error as _, IgnoredAny},
};
use serde_json::value::RawValue;

use crate::json::not_a_number;

/// Name of the format in a file.
const NAME: &str = "fracti-json";

/// Length of the beginning of a truncated file in which the name of the format is searched, in
/// characters.
const START: usize = 200;

/// Format of a JSON file, by its own statement.
#[derive(Default, Deserialize)]
struct Probe {
    format: Option<String>,
    data: Option<Box<Self>>,
}

/// The form of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExportForm {
    /// A file of `fracti-admin export`.
    File,
    /// A response of the API.
    Response,
}

/// A file, or a page of the API.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object with entries and members")]
pub(super) struct ExportJson<'a> {
    pub(super) version: u64,
    /// Number of entries of the whole export.
    pub(super) sequence: u64,
    /// The group, on the first page.
    pub(super) group: Option<GroupJson>,
    /// The members, on the first page.
    pub(super) members: Option<Vec<MemberJson>>,
    pub(super) balances: Option<Vec<BalanceJson>>,
    #[serde(default)]
    pub(super) schedules: Vec<IgnoredAny>,
    #[serde(borrow)]
    pub(super) entries: Vec<&'a RawValue>,
    #[serde(borrow)]
    pub(super) settlements: Vec<&'a RawValue>,
}

/// A response of the API.
#[derive(Deserialize)]
pub(super) struct ResponseJson<'a> {
    #[serde(borrow)]
    pub(super) data: ExportJson<'a>,
}

/// The group of an export. A file that was edited may have another id than Fracti gives.
#[derive(Deserialize)]
#[serde(expecting = "a group")]
pub(super) struct GroupJson {
    id: String,
    #[serde(default, rename = "defaultSplits")]
    pub(super) default_splits: Vec<IgnoredAny>,
}

impl GroupJson {
    pub(super) fn id(&self) -> Option<GroupId> {
        self.id.parse().ok()
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "a member")]
pub(super) struct MemberJson {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) left_at: Option<String>,
    pub(super) removed_at: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "a balance")]
pub(super) struct BalanceJson {
    pub(super) user_id: String,
    pub(super) currency: Currency,
    pub(super) net: AmountJson,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an entry")]
pub(super) struct EntryJson {
    #[serde(rename = "entryId")]
    pub(super) id: String,
    pub(super) sequence: u64,
    pub(super) status: EntryStatus,
    pub(super) ref_type: RefType,
    pub(super) linked_to: Option<String>,
    pub(super) note: Option<String>,
    pub(super) changes: Vec<ChangeJson>,
    pub(super) created_at: String,
    pub(super) expense: Option<ExpenseJson>,
    pub(super) settlement: Option<SettlementJson>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "a change")]
pub(super) struct ChangeJson {
    pub(super) user_id: String,
    pub(super) currency: Currency,
    pub(super) paid: Option<AmountJson>,
    pub(super) owed: Option<AmountJson>,
    pub(super) sent: Option<AmountJson>,
    pub(super) received: Option<AmountJson>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an expense")]
pub(super) struct ExpenseJson {
    pub(super) id: String,
    pub(super) description: String,
    pub(super) category: Option<ExpenseCategory>,
    pub(super) date: String,
    pub(super) notes: Option<String>,
    pub(super) currency: Currency,
    pub(super) split_type: SplitType,
    pub(super) payers: Vec<ShareJson>,
    pub(super) splits: Vec<ShareJson>,
    pub(super) items: Option<Vec<LineJson>>,
}

/// Amount that a member paid or owes, with the input from which a share was computed.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "a share")]
pub(super) struct ShareJson {
    pub(super) user_id: String,
    pub(super) amount: AmountJson,
    pub(super) percentage: Option<AmountJson>,
    pub(super) weight: Option<AmountJson>,
    pub(super) adjustment: Option<AmountJson>,
}

/// A line of a receipt.
#[derive(Deserialize)]
#[serde(expecting = "a line")]
pub(super) struct LineJson {
    pub(super) kind: LineKind,
    pub(super) name: String,
    pub(super) amount: AmountJson,
    pub(super) rest: Option<bool>,
    pub(super) quantity: Option<AmountJson>,
    pub(super) price: Option<AmountJson>,
    pub(super) sharers: Option<Vec<SharerJson>>,
    pub(super) over: Option<Vec<usize>>,
    pub(super) split: Option<LineSplit>,
}

/// A member who shares a line.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "a sharer")]
pub(super) struct SharerJson {
    pub(super) user_id: String,
    pub(super) weight: AmountJson,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "a settlement")]
pub(super) struct SettlementJson {
    pub(super) id: String,
    pub(super) from_user_id: String,
    pub(super) to_user_id: String,
    pub(super) amount: AmountJson,
    pub(super) currency: Currency,
    pub(super) tx_hash: Option<String>,
    pub(super) status: SettlementStatus,
    pub(super) created_at: String,
    pub(super) date: Option<String>,
    pub(super) note: Option<String>,
}

/// An exact number, or the same digits as text, as the API writes it with `amounts=text`.
#[derive(Clone, Copy)]
pub(super) struct AmountJson(pub(super) Decimal);

impl<'de> Deserialize<'de> for AmountJson {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let json = <&RawValue>::deserialize(from)?.get();
        let digits = json.strip_prefix('"').and_then(|it| it.strip_suffix('"')).unwrap_or(json);
        let number = digits.parse();
        number.map(Self).map_err(|error| D::Error::custom(not_a_number(json, error)))
    }
}

/// The form of a JSON file in this format. A truncated file is recognized by its beginning.
pub(crate) fn recognize(text: &str) -> Option<ExportForm> {
    let is_ours = |probe: &Probe| probe.format.as_deref() == Some(NAME);
    match serde_json::from_str::<Probe>(text) {
        Ok(probe) if is_ours(&probe) => Some(ExportForm::File),
        Ok(Probe { data: Some(probe), .. }) if is_ours(&probe) => Some(ExportForm::Response),
        Ok(_) => None,
        Err(_) => {
            let end = text.char_indices().nth(START).map_or(text.len(), |(end, _)| end);
            let start = text.get(..end).filter(|it| it.contains(&format!("\"{NAME}\"")))?;
            let is_response = start.contains("\"data\"");
            Some(if is_response { ExportForm::Response } else { ExportForm::File })
        }
    }
}
