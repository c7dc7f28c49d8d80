//! Spliit's JSON of a group.
//!
//! Amounts are whole numbers of the minor units of the group's currency, as the app knows it. The
//! file has weights, which the app divides by at every look, so they are divided as the app does.

pub(crate) mod cloud;
pub(crate) mod csv;

use std::collections::{HashMap, HashSet};

use fracti_core::values::{category::Category, currency::Currency, decimal::Decimal, money::Money};
use fracti_texts::rule;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{
    category::known,
    draft::{Converted, FieldText, ImportDraft, LeftOut, Named, Original, UncheckedRow},
    import::{FilePlace, Format, Issue, PersonPart, RowPlace},
    json::{self, Number},
    key::Key,
    rounding::Withheld,
    unknown::{KnownFields, KnownObjects},
    weights::{Paid, balanced},
};

/// Currencies that have no decimals in the app, although they have some in ISO 4217.
const WITHOUT_DECIMALS: [&str; 3] = ["COP", "HUF", "IDR"];

/// The list of rows.
const EXPENSES: &str = "expenses";

/// The list of people.
const PARTICIPANTS: &str = "participants";

/// Decimals of a currency that the app does not know.
const CUSTOM_DECIMALS: u8 = 2;

/// The fields of a file.
const FILE: KnownFields = KnownFields {
    read: &["id", "currency", "currencyCode"],
    passed_over: &["name", "information", "createdAt", "activities"],
    objects: &[
        (EXPENSES, KnownObjects::Rows(&EXPENSE)),
        (PARTICIPANTS, KnownObjects::Parts(&PARTICIPANT)),
    ],
    ..KnownFields::NONE
};

/// The fields of an expense. Amounts in another currency do not count in the app's balances.
const EXPENSE: KnownFields = KnownFields {
    read: &[
        "id",
        "expenseDate",
        "title",
        "amount",
        "originalAmount",
        "originalCurrency",
        "paidById",
        "isReimbursement",
        "splitMode",
        "recurrenceRule",
        "notes",
    ],
    passed_over: &["createdAt", "conversionRate"],
    receipts: &["documents"],
    objects: &[
        ("category", KnownObjects::Parts(&CATEGORY)),
        ("paidFor", KnownObjects::Parts(&PAID_FOR)),
    ],
};

const CATEGORY: KnownFields =
    KnownFields { read: &["grouping", "name"], passed_over: &["id"], ..KnownFields::NONE };

const PAID_FOR: KnownFields =
    KnownFields { read: &["participantId", "shares"], ..KnownFields::NONE };

const PARTICIPANT: KnownFields = KnownFields { read: &["id", "name"], ..KnownFields::NONE };

/// A file. A currency without a code is a symbol or a name.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object with expenses and participants")]
pub(crate) struct SpliitGroup<'a> {
    /// Exports before August 2026 have none.
    #[serde(default)]
    id: Option<String>,
    #[serde(borrow)]
    expenses: Vec<&'a RawValue>,
    participants: Vec<SpliitParticipant>,
    #[serde(default)]
    currency: Option<String>,
    #[serde(default)]
    currency_code: Option<String>,
}

#[derive(Deserialize)]
#[serde(expecting = "a participant")]
struct SpliitParticipant {
    id: String,
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an expense")]
struct SpliitExpense {
    /// Exports before August 2026 have none.
    id: Option<String>,
    #[serde(rename = "expenseDate")]
    date: String,
    title: String,
    category: Option<Labels>,
    amount: Number,
    original_amount: Option<Number>,
    original_currency: Option<String>,
    paid_by_id: String,
    paid_for: Vec<PaidFor>,
    is_reimbursement: bool,
    split_mode: SplitMode,
    recurrence_rule: Option<String>,
    notes: Option<String>,
}

#[derive(Deserialize)]
struct Labels {
    grouping: String,
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PaidFor {
    participant_id: String,
    shares: Number,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum SplitMode {
    /// Equal shares, whatever weights an earlier mode has left.
    Evenly,
    ByShares,
    ByPercentage,
    ByAmount,
}

/// Whether a file with these fields, which may be cut off, has this format.
pub(crate) fn has_fields(fields: &[String]) -> bool {
    fields.iter().any(|field| [EXPENSES, PARTICIPANTS].contains(&&**field))
}

/// Reads a file that begins like JSON.
///
/// # Errors
///
/// An [`Issue`] if it is not the JSON of a group.
pub(crate) fn read(text: &str, draft: &mut ImportDraft<'_>) -> Result<(), Issue> {
    let group: SpliitGroup<'_> = json::file(text, &[EXPENSES, PARTICIPANTS])?;
    draft.format(Format::SpliitJson);
    draft.see_json(text, &FILE);
    if let Some(id) = &group.id {
        draft.group("spliit", id);
    }
    let participants = group.participants.iter().enumerate().map(|(index, it)| {
        (FilePlace::item(PARTICIPANTS, index), it.name.as_str(), it.id.as_str())
    });
    let members = draft.add_people(&participants.collect::<Vec<_>>(), "spliit", "participant");
    let code = group.currency_code.filter(|code| !code.is_empty());
    let (currency, is_open) =
        draft.currency(code.as_deref().or(group.currency.as_deref()).unwrap_or_default());
    let decimals = code.as_deref().map_or(CUSTOM_DECIMALS, decimals);
    let mut reader = SpliitReader {
        draft,
        members,
        ids: HashSet::new(),
        currency,
        is_open,
        decimals,
        withheld: Withheld::default(),
    };
    for (index, json) in group.expenses.into_iter().enumerate() {
        let row = RowPlace::Item(EXPENSES, index);
        if !reader.draft.admits_row(row.into()) {
            break;
        }
        match json::part(json, row.into()) {
            Ok(expense) => reader.row(row, &expense),
            Err(issue) => reader.draft.fail(issue),
        }
    }
    Ok(())
}

/// Decimals that the app has for the code of a currency.
fn decimals(code: &str) -> u8 {
    if WITHOUT_DECIMALS.contains(&code) {
        return 0;
    }
    code.parse().map_or(CUSTOM_DECIMALS, Currency::exponent)
}

struct SpliitReader<'d, 'a> {
    draft: &'d mut ImportDraft<'a>,
    /// Indexes of the members by their ids.
    members: HashMap<String, usize>,
    /// Ids of the expenses read.
    ids: HashSet<String>,
    currency: Currency,
    /// Whether the currency is still to be answered.
    is_open: bool,
    /// Decimals of the amounts.
    decimals: u8,
    /// Amounts that rounding has withheld from members, in the app's minor units.
    withheld: Withheld,
}

impl SpliitReader<'_, '_> {
    fn row(&mut self, row: RowPlace, expense: &SpliitExpense) {
        let place = FilePlace::from(row);
        let day = expense.date.get(..10).unwrap_or(&expense.date);
        let date = self.draft.date(place, "expenseDate", day);
        let Some(payer) = self.member(place, "paidById", &expense.paid_by_id) else { return };
        let Some((amount, shares)) = self.amounts(place, expense, payer) else { return };
        let Some(date) = date else { return };
        if expense.recurrence_rule.as_deref().is_some_and(|rule| rule != "NONE") {
            self.draft.leave_out(LeftOut::Recurrence);
        }
        if let Some(Number(original)) = expense.original_amount {
            let code = expense.original_currency.as_deref().unwrap_or_default();
            let units = original.at_scale(0).map(|it| Decimal::new(it, decimals(code)));
            let converted = Converted {
                description: &expense.title,
                date,
                amount: Original::Number(units.unwrap_or(original)),
                code,
                recorded: self.currency.to_major(amount),
                currency: self.currency,
            };
            self.draft.warn_of_converted(row, &converted);
        }
        let Some(key) = self.key(place, expense) else { return };
        let category = expense.category.as_ref().and_then(|labels| self.category(labels));
        self.draft.push(&UncheckedRow {
            row,
            key,
            is_payment: expense.is_reimbursement,
            date,
            description: FieldText { field: Named::Field("title"), text: &expense.title },
            category: category.map(Into::into),
            notes: expense
                .notes
                .as_deref()
                .map(|text| FieldText { field: Named::Field("notes"), text }),
            currency: self.currency,
            is_open: self.is_open,
            payers: vec![PersonPart { person: payer, minor: amount }],
            shares,
            split: None,
        });
    }

    fn key(&mut self, place: FilePlace, expense: &SpliitExpense) -> Option<Key> {
        let share = |it: &PaidFor| format!("{} {}", it.shares.0, it.participant_id);
        let mut shares: Vec<_> = expense.paid_for.iter().map(share).collect();
        shares.sort_unstable();
        let amount = expense.amount.0.to_string();
        let fixed = [&*expense.date, &expense.title, &amount, &expense.paid_by_id];
        let content: Vec<&str> = fixed.into_iter().chain(shares.iter().map(|it| &**it)).collect();
        let Some(id) = &expense.id else { return Some(self.draft.key("spliit", &content)) };
        if !self.ids.insert(id.clone()) {
            self.draft.refuse(
                place,
                "id",
                rule!(
                    "{field} {id:.40} must be of one expense only",
                    "{field} {id:.40} должно принадлежать только одному расходу"
                ),
            );
            return None;
        }
        let key = Key::exactly("spliit", &["id", id]);
        self.draft.note_former(key, "spliit", &content);
        Some(key)
    }

    /// Our category for a name, or else for the group of names that it is in.
    fn category(&mut self, labels: &Labels) -> Option<Category> {
        match known(&labels.name) {
            Ok(category) if category != Some(Category::Other) => category,
            Ok(_) => known(&labels.grouping).unwrap_or(Some(Category::Other)),
            Err(_) => known(&labels.grouping).unwrap_or_else(|_| self.draft.category(&labels.name)),
        }
    }

    fn member(&mut self, place: FilePlace, field: &str, id: &str) -> Option<usize> {
        let member = self.members.get(id).copied().ok_or_else(|| {
            rule!("{field} must be the id of a participant", "{field} должно быть id участника")
        });
        self.draft.keep(place, field, member)
    }

    /// Amount of the payer, and shares of the members.
    fn amounts(
        &mut self,
        place: FilePlace,
        expense: &SpliitExpense,
        payer: usize,
    ) -> Option<(i64, Vec<PersonPart>)> {
        let mut paid_for: Vec<(usize, &PaidFor)> = expense.paid_for.iter().enumerate().collect();
        // The app compares ids by their UTF-16 code units.
        paid_for.sort_by(|(_, one), (_, two)| {
            one.participant_id.encode_utf16().cmp(two.participant_id.encode_utf16())
        });
        let ids = paid_for.iter().map(|(index, it)| {
            self.member(place, &format!("paidFor[{index}].participantId"), &it.participant_id)
        });
        let ids: Option<Vec<usize>> = ids.collect();
        let members = ids?;
        let ids: HashSet<&String> = paid_for.iter().map(|(_, it)| &it.participant_id).collect();
        if ids.len() != members.len() {
            self.draft.refuse(
                place,
                "paidFor",
                rule!(
                    "{field} must have each participantId only once",
                    "значения participantId в {field} не должны повторяться"
                ),
            );
            return None;
        }
        let amount = self.whole(place, "amount", expense.amount);
        let weights = paid_for.iter().map(|(index, it)| match expense.split_mode {
            SplitMode::Evenly => Some(1),
            SplitMode::ByShares | SplitMode::ByPercentage | SplitMode::ByAmount => {
                self.whole(place, &format!("paidFor[{index}].shares"), it.shares)
            }
        });
        let weights: Option<Vec<i64>> = weights.collect();
        let amount = amount?;
        let weights = weights?;
        let Some(units) = apportion(amount, &weights, expense.id.as_deref()) else {
            self.draft.refuse(
                place,
                "paidFor",
                rule!(
                    "{field} must have shares that do not sum to 0",
                    "сумма долей в {field} не должна быть равна 0"
                ),
            );
            return None;
        };
        let currency = self.currency;
        let is_finer = self.decimals > self.currency.exponent();
        let (number, minor, units) = if is_finer {
            let number = Decimal::new(amount.into(), self.decimals);
            let Money { minor, .. } = self.draft.rounded(place, "amount", number, currency)?;
            (number, minor, apportion(minor, &weights, expense.id.as_deref())?)
        } else {
            (Decimal::new(amount.into(), 0), amount, units)
        };
        let units: Option<Vec<i64>> = units.into_iter().map(|it| i64::try_from(it).ok()).collect();
        let shares = members
            .into_iter()
            .zip(units?)
            .map(|(member, minor)| PersonPart { person: member, minor });
        let mut shares: Vec<PersonPart> = shares.collect();
        // Without ids, the app calculated with fractions, and rounded only the balances.
        if is_finer || expense.id.is_none() {
            let weights: Vec<i128> = weights.into_iter().map(i128::from).collect();
            let paid = Paid { by: payer, number, rounded: Money { currency, minor } };
            shares = balanced(paid, &shares, &weights, &mut self.withheld).unwrap_or(shares);
        }
        if is_finer {
            return Some((minor, shares));
        }
        for share in &mut shares {
            share.minor = self.minor(place, "paidFor", share.minor.into())?;
        }
        Some((self.minor(place, "amount", amount.into())?, shares))
    }

    /// Converts the app's minor units to ours.
    fn minor(&mut self, place: FilePlace, field: &str, units: i128) -> Option<i64> {
        let number = Decimal::new(units, self.decimals);
        self.draft.minor(place, field, number, self.currency)
    }

    fn whole(&mut self, place: FilePlace, field: &str, Number(number): Number) -> Option<i64> {
        let whole = number.at_scale(0).and_then(|whole| i64::try_from(whole).ok());
        self.draft.keep(
            place,
            field,
            whole.ok_or_else(|| {
                rule!(
                    "{field} must be a whole number below 2^63",
                    "{field} должно быть целым числом меньше 2^63"
                )
            }),
        )
    }
}

/// Divides an amount by weights as the app does; `None` if the weights sum to zero.
///
/// Each share is rounded down, also below zero. What is left goes to the largest remainders, one
/// unit each; among equal ones, in the order of the weights from a place that the id determines.
fn apportion(amount: i64, weights: &[i64], id: Option<&str>) -> Option<Vec<i128>> {
    let total: i128 = weights.iter().map(|weight| i128::from(*weight)).sum();
    let count = weights.len();
    let start = id.map_or(0, |id| fnv_1a(id) as usize).checked_rem(count)?;
    let mut shares = Vec::with_capacity(count);
    for (index, weight) in weights.iter().enumerate() {
        let exact = i128::from(amount).checked_mul(i128::from(*weight))?;
        let quotient = exact.checked_div(total)?;
        let rest = exact.checked_rem(total)?;
        let is_above = rest != 0 && (rest < 0) != (total < 0);
        let share = quotient.checked_sub(is_above.into())?;
        let remainder = exact.checked_sub(share.checked_mul(total)?)?;
        // The place in the order that begins at `start`.
        let turn = index.checked_add(count)?.checked_sub(start)?.checked_rem(count)?;
        shares.push((share, remainder, turn));
    }
    let given = shares.iter().try_fold(0_i128, |sum, (share, ..)| sum.checked_add(*share))?;
    let left = i128::from(amount).checked_sub(given)?;
    let mut order: Vec<&mut (i128, i128, usize)> = shares.iter_mut().collect();
    order.sort_by(|(_, one, turn), (_, two, other)| two.cmp(one).then(turn.cmp(other)));
    for (share, ..) in order.into_iter().take(usize::try_from(left).ok()?) {
        *share = share.checked_add(1)?;
    }
    Some(shares.into_iter().map(|(share, ..)| share).collect())
}

/// The hash FNV-1a of a text's UTF-16 code units, in 32 bits.
fn fnv_1a(text: &str) -> u32 {
    let add = |hash: u32, unit: u16| (hash ^ u32::from(unit)).wrapping_mul(0x0100_0193);
    text.encode_utf16().fold(0x811c_9dc5, add)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn hash_is_fnv_1a() {
        // The test vectors of the authors of the hash.
        for (text, hash) in [("", 0x811c_9dc5), ("a", 0xe40c_292c), ("foobar", 0xbf9c_f968)] {
            assert_eq!(fnv_1a(text), hash, "{text:?}");
        }
    }

    #[test]
    fn odd_units_go_to_the_largest_remainders_from_the_place_of_the_id() {
        // The hash of "a" is 1 modulo 3.
        for (amount, weights, id, shares) in [
            (100, &[1, 1, 1][..], None, &[34, 33, 33][..]),
            (100, &[1, 1, 1], Some("a"), &[33, 34, 33]),
            (101, &[1, 1, 1], Some("a"), &[33, 34, 34]),
            (-100, &[1, 1, 1], Some("a"), &[-34, -33, -33]),
            (100, &[100, 100, 200], Some("a"), &[25, 25, 50]),
            (10, &[3333, 3333, 3334], None, &[3, 3, 4]),
            (1000, &[250, 250], None, &[500, 500]),
            (-300, &[-100, -200], None, &[-100, -200]),
        ] {
            let units = shares.iter().map(|share| i128::from(*share)).collect();
            assert_eq!(apportion(amount, weights, id), Some(units), "{amount} {weights:?}");
        }
        assert_eq!(fnv_1a("a") % 3, 1);
        assert_eq!(apportion(100, &[], None), None);
        assert_eq!(apportion(100, &[0, 0], None), None);
    }

    proptest! {
        #[test]
        fn shares_sum_to_the_amount(
            amount: i64,
            weights in prop::collection::vec(1..i64::MAX, 1..45),
            id in "[a-z]{0,3}",
        ) {
            let shares = apportion(amount, &weights, Some(&id)).unwrap();
            prop_assert_eq!(shares.iter().sum::<i128>(), amount.into());
        }
    }
}
