//! The splits from which the shares of expenses follow.

use std::collections::{BTreeMap, HashMap};

use fracti_core::{
    input::{Error, Field, Path, limits::MAX_SHARES},
    records::expense::{LineInput, MAX_LINES, NewExpense, SharerInput, SplitInput},
    split::{Split, SplitType},
    values::{
        decimal::Decimal,
        id::{GuestId, MemberId},
        text::TextError,
    },
};
use fracti_texts::{Message, Says, rule};

use super::file::{AmountJson, ExpenseJson, LineJson, ShareJson, SharerJson};
use crate::{draft::ImportDraft, import::PersonPart};

/// The split of an expense, from which `shares` follow; `None` if they are exact amounts or zero.
/// `members` has the indexes of members by their ids in the file.
///
/// # Errors
///
/// The rule of the API that the split breaks.
pub(super) fn read(
    expense: &ExpenseJson,
    shares: &[PersonPart],
    members: &HashMap<String, usize>,
    draft: &ImportDraft<'_>,
) -> Result<Option<Split<usize>>, Message> {
    let amount: i128 = shares.iter().map(|part| i128::from(part.minor)).sum();
    if expense.split_type == SplitType::Exact || amount == 0 {
        return Ok(None);
    }
    // An unknown id becomes a person without a share, which the rules refuse.
    let member = |id: &String| stand_in(members.get(id).copied().unwrap_or(usize::MAX));
    let is_itemized = expense.split_type == SplitType::Itemized;
    let splits = || expense.splits.iter().map(|share| split_input(share, member)).collect();
    let items = expense.items.as_deref().map(|lines| line_inputs(lines, member)).transpose()?;
    let new = NewExpense {
        amount: Field::Value(expense.currency.to_major(amount)),
        currency: Field::Value(expense.currency),
        split_type: Field::Value(expense.split_type),
        splits: Field::from((!is_itemized).then(splits)),
        items: Field::from(items),
        ..NewExpense::default()
    };
    let people: BTreeMap<MemberId, usize> =
        shares.iter().map(|part| (stand_in(part.person), part.person)).collect();
    let shares: Vec<(MemberId, i64)> =
        shares.iter().map(|part| (stand_in(part.person), part.minor)).collect();
    let split = new.split_into(&shares).map_err(|error| {
        let named = |rule: Message, (id, person): (&MemberId, &usize)| {
            rule.map(|_, text| text.replace(&id.to_string(), draft.name(*person)))
        };
        people.iter().fold(first_rule(error), named)
    })?;
    Ok(split.among(|id| people.get(&id).copied()))
}

/// A placeholder for the member who the person at an index will be. That is not known yet, and the
/// rules of a split do not depend on it. The id has the maximum length of an id, because the length
/// of lines is limited.
fn stand_in(person: usize) -> MemberId {
    GuestId::from_bytes((person as u128).to_be_bytes()).into()
}

/// The first rule that a split breaks.
fn first_rule(error: Error) -> Message {
    match error {
        Error::Invalid(rules) => {
            let first = rules.into_sorted().into_iter().next();
            first.map_or_else(|| Message::same(""), |it| it.message())
        }
        error => error.says(),
    }
}

fn number(amount: Option<AmountJson>) -> Field<Decimal> {
    amount.map_or(Field::Absent, |AmountJson(number)| Field::Value(number))
}

fn split_input(share: &ShareJson, member: impl Fn(&String) -> MemberId) -> SplitInput {
    SplitInput {
        user: Field::Value(member(&share.user_id)),
        amount: Field::Value(share.amount.0),
        percentage: number(share.percentage),
        weight: number(share.weight),
        adjustment: number(share.adjustment),
    }
}

/// The lines of a receipt. A list that is too long is refused here, because the rules would report
/// an error for each of its items.
fn line_inputs(
    lines: &[LineJson],
    member: impl Fn(&String) -> MemberId,
) -> Result<Vec<LineInput>, Message> {
    let path = Path::from("items");
    let at_most = |path: &Path, max: usize, length: usize| {
        let rule = || {
            rule!(
                "{field} must have at most {max} items, not {length}",
                "{field} должно содержать не больше {max} элементов, а не {length}"
            )
            .about_field(&path.to_string())
        };
        (length <= max).then_some(()).ok_or_else(rule)
    };
    at_most(&path, MAX_LINES, lines.len())?;
    let sharer = |sharer: &SharerJson| SharerInput {
        user: Field::Value(member(&sharer.user_id)),
        weight: Field::Value(sharer.weight.0),
    };
    let line = |(index, line): (usize, &LineJson)| {
        let path = path.index(index);
        at_most(&path.field("sharers"), MAX_SHARES, line.sharers.as_ref().map_or(0, Vec::len))?;
        at_most(&path.field("over"), MAX_LINES, line.over.as_ref().map_or(0, Vec::len))?;
        let name = line.name.parse();
        let name = name
            .map_err(|rule: TextError| rule.says().about_field(&path.field("name").to_string()))?;
        let sharers = line.sharers.as_ref().map(|list| list.iter().map(sharer).collect());
        let over = line.over.as_ref().map(|over| over.iter().copied().map(Field::Value).collect());
        Ok(LineInput {
            kind: Field::Value(line.kind),
            name: Field::Value(name),
            amount: Field::Value(line.amount.0),
            rest: Field::from(line.rest),
            quantity: number(line.quantity),
            price: number(line.price),
            sharers: Field::from(sharers),
            over: Field::from(over),
            split: Field::from(line.split),
        })
    };
    lines.iter().enumerate().map(line).collect()
}
