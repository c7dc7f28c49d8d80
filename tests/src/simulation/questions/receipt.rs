//! The expense of a receipt, by arithmetic that is independent of the production code.

use std::collections::{BTreeMap, BTreeSet};

use fracti_core::values::decimal::Decimal;
use serde_json::Value;

use super::super::audit::near;

/// The claims to an item: the pieces of each member in ten-thousandths, if counted.
pub(super) type Claims = BTreeMap<String, Option<i128>>;

/// The weights of the sharers of an item.
pub(super) type Weights = BTreeMap<String, i128>;

/// One piece.
const ONE: i128 = 10_000;

/// A number of JSON, or of its text, times ten to the power of `decimals`.
pub(super) fn scaled(number: &Value, decimals: u8) -> i128 {
    let text = number.as_str().map_or_else(|| number.to_string(), str::to_owned);
    text.parse::<Decimal>().unwrap().at_scale(decimals).unwrap()
}

/// The items of a receipt; the last line is its tax.
pub(super) fn items(receipt: &Value) -> &[Value] {
    receipt["items"].as_array().unwrap().split_last().unwrap().1
}

/// The number of pieces of an item.
pub(super) fn quantity(item: &Value) -> i128 {
    item.get("quantity").map_or(ONE, |it| scaled(it, 4))
}

/// The claims of present members to the item with this index, by the answers of a response.
pub(super) fn claims(answers: &Value, index: usize, present: &BTreeSet<String>) -> Claims {
    let mut claims = Claims::new();
    for answer in answers.as_array().unwrap() {
        let member = answer["userId"].as_str().unwrap();
        for claim in answer["claims"].as_array().unwrap() {
            if claim["item"] == index && present.contains(member) {
                claims.insert(member.to_owned(), claim.get("count").map(|it| scaled(it, 4)));
            }
        }
    }
    claims
}

/// Weights of the sharers of each item of a receipt; `None` if nobody shares one of them.
pub(super) fn weights(
    receipt: &Value,
    answers: &Value,
    present: &BTreeSet<String>,
    payers: &BTreeSet<String>,
    unclaimed: &str,
) -> Option<Vec<Weights>> {
    let all = |index| claims(answers, index, present);
    let claimers = || (0..items(receipt).len()).flat_map(all).map(|(member, _)| member).collect();
    let share = |(index, item): (usize, &Value)| {
        let sharers = item["sharers"].as_array().into_iter().flatten();
        let sharers = sharers.map(|it| {
            let member = it["userId"].as_str().unwrap().to_owned();
            (member, it["weight"].as_i64().unwrap().into())
        });
        let staying: Weights = sharers.filter(|(member, _)| present.contains(member)).collect();
        if !staying.is_empty() {
            return Some(staying);
        }
        let others = match unclaimed {
            _ if scaled(&item["amount"], 2) == 0 => payers.clone(),
            "claimers" => claimers(),
            "payers" => payers.clone(),
            _ => BTreeSet::new(),
        };
        of_item(quantity(item), &all(index), others)
    };
    items(receipt).iter().enumerate().map(share).collect()
}

/// Weights of the sharers of an item. What is not counted is shared equally by those who claim it
/// without a count, or else by `others`; if all is counted, the former had one piece each.
fn of_item(quantity: i128, claims: &Claims, others: BTreeSet<String>) -> Option<Weights> {
    let rest = quantity - claims.values().flatten().sum::<i128>();
    let uncounted: BTreeSet<String> =
        claims.iter().filter(|(_, count)| count.is_none()).map(|(it, _)| it.clone()).collect();
    let sharing = match (uncounted.is_empty(), rest > 0) {
        (false, _) => uncounted,
        (true, true) => others,
        (true, false) => BTreeSet::new(),
    };
    if rest > 0 && sharing.is_empty() {
        return None;
    }
    // Whole numbers: pieces are multiplied by the number of those who share the rest.
    let number = i128::try_from(sharing.len().max(1)).unwrap();
    let counted = claims.iter().filter_map(|(it, count)| Some((it.clone(), (*count)? * number)));
    let mut weights: Weights = counted.collect();
    for member in sharing {
        *weights.entry(member).or_default() += if rest > 0 { rest } else { ONE * number };
    }
    Some(weights)
}

/// Whether the weights have the same ratios.
pub(super) fn same_ratios(one: &Weights, other: &Weights) -> bool {
    let sum = |of: &Weights| of.values().sum::<i128>();
    one.keys().eq(other.keys())
        && one.values().zip(other.values()).all(|(a, b)| a * sum(other) == b * sum(one))
}

/// Whether these are the shares of a receipt with the weights, in minor units. Each inexact share
/// is rounded up or down.
pub(super) fn shares_are(
    shares: &BTreeMap<String, i64>,
    receipt: &Value,
    weights: &[Weights],
) -> bool {
    let sum = |of: &Weights| of.values().sum::<i128>();
    let whole: i128 = weights.iter().map(sum).product();
    let amounts: Vec<i128> = items(receipt).iter().map(|it| scaled(&it["amount"], 2)).collect();
    let mut has = Weights::new();
    for (amount, weights) in amounts.iter().zip(weights) {
        for (member, weight) in weights {
            *has.entry(member.clone()).or_default() += amount * weight * (whole / sum(weights));
        }
    }
    let of_items: i128 = amounts.iter().sum();
    let tax = scaled(&receipt["items"].as_array().unwrap().last().unwrap()["amount"], 2);
    // The tax is in proportion to what each member has.
    let total = of_items + tax;
    shares.keys().eq(has.keys())
        && i128::from(shares.values().sum::<i64>()) == total
        && has
            .values()
            .zip(shares.values())
            .all(|(part, share)| near(*share, 0, part * total, whole * of_items))
}
