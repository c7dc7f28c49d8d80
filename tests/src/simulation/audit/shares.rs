//! Checks that the shares of every expense are exactly as requested.

use fracti_core::{
    expense::Expense,
    id::{MemberId, UserId},
};

use super::records::is_spent;
use crate::simulation::{Finding, Operation, Record, Split, state::State};

/// Findings about shares.
pub(super) fn check(state: &State, records: &[Record]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for expense in &state.expenses {
        let record = records.iter().find(|it| is_spent(state, expense, &it.operation));
        let Some(Record { operation: Operation::Spend { payer, minor, split, .. }, .. }) = record
        else {
            continue;
        };
        let id = expense.id.to_string();
        let edited = records.iter().find_map(|it| match &it.operation {
            Operation::Edit { expense: of, label, minor, .. }
                if *of == id && *label == expense.description =>
            {
                Some(minor)
            }
            _ => None,
        });
        let minor = edited.unwrap_or(minor);
        let right = expense.payer_id == UserId::new(*payer).unwrap()
            && of(expense, expense.amount) == *minor
            && split_is(expense, *minor, split);
        if !right {
            findings.push(Finding::Off(format!("{expense:?} is not {record:?}")));
        }
    }
    findings
}

/// The amount in minor units.
fn of(expense: &Expense, amount: fracti_core::decimal::Decimal) -> i64 {
    expense.currency.to_minor(amount).unwrap()
}

fn split_is(expense: &Expense, minor: i64, split: &Split) -> bool {
    let shares: Vec<(MemberId, i64)> =
        expense.splits.iter().map(|it| (it.user_id, of(expense, it.amount))).collect();
    let users = |of: Vec<u64>| {
        of == shares.iter().map(|(it, _)| it.user().unwrap().number()).collect::<Vec<_>>()
    };
    // An inexact share is rounded up or down.
    let near = |share: i64, weight: i64, whole: i64| {
        let product = i128::from(minor) * i128::from(weight);
        let floor = i64::try_from(product / i128::from(whole)).unwrap();
        (floor..=floor + 1).contains(&share)
    };
    let all = i64::try_from(shares.len()).unwrap();
    let whole = shares.iter().map(|(_, share)| share).sum::<i64>() == minor;
    whole
        && match split {
            Split::Everybody => shares.iter().all(|(_, share)| near(*share, 1, all)),
            Split::Equal(of) => {
                users(of.clone()) && shares.iter().all(|(_, share)| near(*share, 1, all))
            }
            Split::Percentage(parts) => {
                users(parts.iter().map(|(it, _)| *it).collect())
                    && parts
                        .iter()
                        .zip(&shares)
                        .all(|((_, weight), (_, share))| near(*share, *weight, 1_000_000))
            }
            Split::Exact(parts) => {
                users(parts.iter().map(|(it, _)| *it).collect())
                    && parts.iter().zip(&shares).all(|((_, part), (_, share))| part == share)
            }
        }
}
