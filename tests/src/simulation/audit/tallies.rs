//! Compares the tallies of a group with its expenses.

use std::collections::BTreeMap;

use fracti_core::{
    records::expense::Expense,
    values::{decimal::Decimal, id::GroupId},
};

use crate::simulation::{Finding, state::State};

/// The number of each counter of each day and category that is not zero.
type Sums = BTreeMap<(String, String), Decimal>;

/// Findings about a group.
pub(super) fn check(state: &State, group: GroupId) -> Vec<Finding> {
    let expenses = state.expenses_of(group);
    let counted = sums(&expenses);
    let found = stored(state, group);
    let mut findings = Vec::new();
    if counted != found {
        let text = format!("{group}: {counted:?} of the expenses, and tallies {found:?}");
        findings.push(Finding::Off(text));
    }
    // Difference of what was paid and what is shared, by day, category and currency.
    let mut differences: BTreeMap<(&str, &str), Decimal> = BTreeMap::new();
    for ((of, counter), number) in &found {
        let currency = counter.rsplit('#').next().unwrap();
        let difference = differences.entry((of, currency)).or_insert(Decimal::ZERO);
        *difference = match counter.as_bytes()[0] {
            b'p' => difference.plus(*number).unwrap(),
            b's' => difference.minus(*number).unwrap(),
            _ => continue,
        };
    }
    if differences.values().any(|difference| *difference != Decimal::ZERO) {
        findings.push(Finding::Off(format!("{group}: {differences:?} in {found:?}")));
    }
    findings
}

/// The sums of expenses that have a date.
fn sums(expenses: &[Expense]) -> Sums {
    let mut sums = Sums::new();
    for expense in expenses {
        let Some(date) = expense.date else { continue };
        let category = expense.category.map_or("none".to_owned(), |it| it.to_string());
        let of = format!("{date}#{category}");
        let currency = expense.currency;
        let mut add = |counter: String, number: Decimal| {
            let sum = sums.entry((of.clone(), counter)).or_insert(Decimal::ZERO);
            *sum = sum.plus(number).unwrap();
        };
        for payer in expense.all_payers() {
            add(format!("p#{}#{currency}", payer.user_id), payer.amount);
        }
        for share in &expense.splits {
            add(format!("s#{}#{currency}", share.user_id), share.amount);
        }
        add(format!("n#{currency}"), Decimal::new(1, 0));
    }
    sums.retain(|_, number| *number != Decimal::ZERO);
    sums
}

/// The tallies of the table.
fn stored(state: &State, group: GroupId) -> Sums {
    let tallies = state.tallies.iter().filter(|it| it.group_id == group);
    let counters = tallies.flat_map(|tally| {
        let of = tally.of.to_string();
        let named = move |(counter, number): (_, _)| ((of.clone(), format!("{counter}")), number);
        tally.counters.iter().map(named)
    });
    counters.filter(|(_, number)| *number != Decimal::ZERO).collect()
}
