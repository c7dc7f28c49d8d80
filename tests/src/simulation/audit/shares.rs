//! Checks that the payers, the shares, the day and the category of every expense are exactly as
//! requested. The tallies, which equal the sums of the expenses, are therefore as requested, too.

use std::collections::BTreeMap;

use fracti_core::{
    records::expense::Expense,
    values::id::{MemberId, UserId},
};

use super::records::is_spent;
use crate::simulation::{Finding, Operation, Receipt, Record, Split, state::State};

/// Findings about payers and shares.
pub(super) fn check(state: &State, records: &[Record]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for expense in &state.expenses {
        let record = records.iter().find(|it| is_spent(state, expense, &it.operation));
        let Some(Record {
            operation: Operation::Spend { payers, minor, split, spent_on, .. }, ..
        }) = record
        else {
            continue;
        };
        let id = expense.id.to_string();
        let edited = records.iter().find_map(|it| match &it.operation {
            Operation::Edit { expense: of, label, payers, minor, spent_on, .. }
                if *of == id && *label == expense.description =>
            {
                Some((payers, minor, spent_on))
            }
            _ => None,
        });
        let (payers, minor, spent_on) = edited.unwrap_or((payers, minor, spent_on));
        let category = expense.category.map(|category| category.to_string());
        let right = expense.date.is_some_and(|date| date.to_string() == spent_on.date)
            && category.as_deref() == spent_on.category
            && payers_are(expense, payers)
            && of(expense, expense.amount) == *minor
            && split_is(expense, *minor, split);
        if !right {
            findings.push(Finding::Off(format!("{expense:?} is not {record:?}")));
        }
    }
    findings
}

/// The amount in minor units.
fn of(expense: &Expense, amount: fracti_core::values::decimal::Decimal) -> i64 {
    expense.currency.to_minor(amount).unwrap()
}

/// Whether these are the payers, by amount and id.
fn payers_are(expense: &Expense, payers: &[(u64, i64)]) -> bool {
    let mut expected: Vec<(u64, i64)> = payers.to_vec();
    expected.sort_by_key(|(user, minor)| (-minor.abs(), *user));
    let found = expense.all_payers();
    let found =
        found.iter().map(|it| (it.user_id.user().unwrap().number(), of(expense, it.amount)));
    expense.payer_id == UserId::new(expected[0].0).unwrap() && found.eq(expected)
}

/// Whether the shares are those of the split: of a negative expense, the negated shares are those
/// of the negated amounts.
fn split_is(expense: &Expense, minor: i64, split: &Split) -> bool {
    let sign = minor.signum();
    let shares: Vec<(MemberId, i64)> =
        expense.splits.iter().map(|it| (it.user_id, of(expense, it.amount) * sign)).collect();
    let minor = minor * sign;
    let users = |of: &[(u64, i64)]| {
        of.iter().map(|(it, _)| *it).eq(shares.iter().map(|(it, _)| it.user().unwrap().number()))
    };
    // Fixed amounts, and the rest by weights; an inexact share is rounded up or down.
    let divided = |fixed: &[i64], weights: &[i64]| {
        let rest = i128::from(minor - fixed.iter().sum::<i64>());
        let whole: i64 = weights.iter().sum();
        fixed.iter().zip(weights).zip(&shares).all(|((fixed, weight), (_, share))| {
            near(*share, *fixed, rest * i128::from(*weight), whole.into())
        })
    };
    let zeros = vec![0; shares.len()];
    let by_weight = |parts: &[(u64, i64)]| {
        users(parts)
            && divided(&zeros, &parts.iter().map(|(_, weight)| *weight).collect::<Vec<_>>())
    };
    let equally = || divided(&zeros, &vec![1; shares.len()]);
    let whole = shares.iter().map(|(_, share)| share).sum::<i64>() == minor;
    whole
        && match split {
            Split::Everybody => equally(),
            Split::Equal(of) => {
                users(&of.iter().map(|it| (*it, 0)).collect::<Vec<_>>()) && equally()
            }
            Split::Percentage(parts) | Split::Shares(parts) => by_weight(parts),
            Split::Exact(parts) => {
                users(parts)
                    && parts
                        .iter()
                        .zip(&shares)
                        .all(|((_, part), (_, share))| part * sign == *share)
            }
            Split::Adjustment(parts) => {
                let fixed: Vec<i64> = parts.iter().map(|(_, minor)| minor * sign).collect();
                users(parts) && divided(&fixed, &vec![1; shares.len()])
            }
            Split::Itemized(receipt) => lines_are(receipt, minor, sign, &shares),
        }
}

/// Whether a share is a fixed amount and a quotient, rounded up or down.
pub(in crate::simulation) fn near(share: i64, fixed: i64, product: i128, whole: i128) -> bool {
    let floor = i128::from(fixed) + product.div_euclid(whole);
    let exact = product.rem_euclid(whole) == 0;
    i128::from(share) == floor || (!exact && i128::from(share) == floor + 1)
}

/// Whether the shares are those of the lines. All parts are whole numbers over the product of the
/// sums of weights and the sum of the items, by which the tax is divided.
fn lines_are(receipt: &Receipt, minor: i64, sign: i64, shares: &[(MemberId, i64)]) -> bool {
    let mut items = receipt.items.clone();
    for (amount, _) in &mut items {
        *amount *= sign;
    }
    let tax = receipt.tax * sign;
    if receipt.rest {
        let others: i64 = items.iter().rev().skip(1).map(|(amount, _)| amount).sum();
        items.last_mut().unwrap().0 = minor - tax - others;
    }
    let sum: i64 = items.iter().map(|(amount, _)| amount).sum();
    let weights =
        |sharers: &[(u64, i64)]| i128::from(sharers.iter().map(|(_, it)| it).sum::<i64>());
    let whole: i128 = items.iter().map(|(_, sharers)| weights(sharers)).product();
    let mut has: BTreeMap<u64, i128> = BTreeMap::new();
    for (amount, sharers) in &items {
        for (user, weight) in sharers {
            let part = i128::from(*amount) * i128::from(*weight) * (whole / weights(sharers));
            *has.entry(*user).or_default() += part;
        }
    }
    // With the tax, which is in proportion to what each member has, the items are `sum + tax`.
    sum + tax == minor
        && has.len() == shares.len()
        && has.into_iter().zip(shares).all(|((user, part), (member, share))| {
            *member == UserId::new(user).unwrap()
                && near(*share, 0, part * i128::from(minor), whole * i128::from(sum))
        })
}
