//! Random groups, written as each app writes them, and read again. The balances are also calculated
//! here, by the rules of the apps.

mod cospend;
mod ihatemoney;
mod settleup;
mod spliit;
mod spliit_cloud;
mod splitwise;
mod splitwise_api;
mod tricount;

use std::collections::BTreeMap;

use fracti_core::values::decimal::Decimal;
use proptest::prelude::*;

use super::{errors, keys};
use crate::{Import, RowPlace};

/// Balances in minor units, by name and currency, without zeros.
type Nets = BTreeMap<(String, String), i128>;

const NAMES: [&str; 7] =
    ["Anna", "Bob \"B\"", "Smith, Jo", "=Carol", "דנה כהן", "O'Neil", "-Dash; jr."];

const TEXTS: [&str; 7] =
    ["Dinner", "=SUM(A1:A9)", "With \"wine\", and more", "two\nlines", "-5", "日本", "@home"];

/// A group in which rows are recorded.
#[derive(Clone, Debug)]
struct Group {
    names: Vec<&'static str>,
    rows: Vec<Row>,
}

#[derive(Clone, Debug)]
struct Row {
    payer: usize,
    /// For each member, how much of the row they owe; not all zeros.
    weights: Vec<i64>,
    /// Amount in minor units, not zero.
    minor: i64,
    /// One of several ways to record a row, from 0 to 5.
    variant: u8,
    date: String,
    text: &'static str,
}

prop_compose! {
    fn row(members: usize)(
        payer in 0..members,
        weights in prop::collection::vec(0..4_i64, members),
        minor in prop_oneof![1..100_i64, 1..100_000_i64, 1..1_000_000_000_i64],
        variant in 0..6_u8,
        // Few dates and texts, so that some rows are equal.
        day in 1..4_u8,
        text in prop::sample::select(&TEXTS[..]),
    ) -> Row {
        let mut weights = weights;
        if weights.iter().all(|weight| *weight == 0) {
            weights[payer] = 1;
        }
        Row { payer, weights, minor, variant, date: format!("2026-02-{day:02}"), text }
    }
}

/// A group of up to seven members, some of whose rows are recorded twice.
fn group() -> impl Strategy<Value = Group> {
    let names = prop::sample::subsequence(&NAMES[..], 1..=NAMES.len());
    let with_rows = |names: Vec<&'static str>| {
        let rows = prop::collection::vec((row(names.len()), prop::bool::weighted(0.1)), 2..10);
        (Just(names), rows)
    };
    names.prop_flat_map(with_rows).prop_map(|(names, rows)| {
        let twice = |(row, twice): (Row, bool)| vec![row; if twice { 2 } else { 1 }];
        Group { names, rows: rows.into_iter().flat_map(twice).collect() }
    })
}

impl Group {
    /// The group before some of its rows were recorded, and with the others in the opposite order.
    fn earlier(&self) -> Self {
        let count = self.rows.len() / 2;
        let rows = self.rows.iter().take(count).rev().cloned().collect();
        Self { rows, ..self.clone() }
    }
}

/// The text as a cell, in quotes if necessary.
fn cell(text: &str) -> String {
    if text.contains([',', '"', '\n', ';']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// The text with a guard if it could be a formula.
fn guarded(text: &str) -> String {
    let guard = if text.starts_with(['=', '+', '-', '@']) { "'" } else { "" };
    format!("{guard}{text}")
}

/// Major units, like 12.5.
fn major(minor: i64, decimals: u8) -> String {
    Decimal::new(minor.into(), decimals).to_string()
}

/// Shares of a row in minor units. The last member who owes also owes what is left over after
/// rounding down.
fn rounded_shares(row: &Row) -> Vec<i64> {
    let total: i64 = row.weights.iter().sum();
    let mut shares: Vec<i64> = row.weights.iter().map(|it| row.minor * it / total).collect();
    let last = row.weights.iter().rposition(|weight| *weight > 0).unwrap();
    shares[last] += row.minor - shares.iter().sum::<i64>();
    shares
}

/// Amount that each member paid: in rows of the variant 4, the next one paid a third.
fn paid(row: &Row) -> Vec<i64> {
    let mut paid = vec![0; row.weights.len()];
    let second = if row.variant == 4 { (row.payer + 1) % paid.len() } else { row.payer };
    paid[row.payer] += row.minor - row.minor / 3;
    paid[second] += row.minor / 3;
    paid
}

/// Balances of all rows that are imported.
fn nets(import: &Import) -> Nets {
    let mut nets = Nets::new();
    for row in &import.rows {
        for (member, minor) in row.movement.changes() {
            let name = import.people[member].name.to_string();
            *nets.entry((name, row.currency.code().to_owned())).or_default() += minor;
        }
    }
    nets.retain(|_, net| *net != 0);
    nets
}

/// Adds an amount to a balance.
fn add(nets: &mut Nets, name: &str, code: &str, minor: i64) {
    *nets.entry((name.to_owned(), code.to_owned())).or_default() += i128::from(minor);
}

/// The file can be imported, and has these balances.
fn assert_nets(import: &Import, mut expected: Nets) -> Result<(), TestCaseError> {
    prop_assert!(import.is_ready(), "{:?} {:?}", errors(import), import.questions);
    expected.retain(|_, net| *net != 0);
    prop_assert_eq!(nets(import), expected);
    Ok(())
}

/// No two rows have the same key, and a row keeps its key in a later export. A row of a few minor
/// units may change no balance in one of them, because who owes these depends on the rows before.
fn assert_keys(earlier: &Import, later: &Import) -> Result<(), TestCaseError> {
    let later = keys(later);
    prop_assert!(later.values().all(|count| *count == 1));
    let is_large = |row: &&crate::ReadRow| {
        row.movement.changes().map(|(_, minor)| minor.abs()).sum::<i128>() > 200
    };
    let mut rows = earlier.rows.iter().filter(is_large);
    prop_assert!(rows.all(|row| later.contains_key(&row.key.to_string())));
    Ok(())
}

/// Each member's share differs from the exact one by less than a minor unit.
fn assert_weighted(
    import: &Import,
    place: RowPlace,
    row: &Row,
    names: &[&str],
    weight: impl Fn(usize) -> i64,
) -> Result<(), TestCaseError> {
    let weights = row.weights.iter().enumerate();
    let weights: Vec<i128> =
        weights.map(|(member, it)| if *it == 0 { 0 } else { weight(member).into() }).collect();
    let total: i128 = weights.iter().sum();
    // A row that changes no balance is left out: the payer owes all of it.
    let imported = import.rows.iter().find(|row| row.place == place);
    let changes: Vec<(usize, i128)> =
        imported.iter().flat_map(|row| row.movement.changes()).collect();
    for (member, (name, weight)) in names.iter().zip(weights).enumerate() {
        let of_member =
            changes.iter().filter(|(member, _)| import.people[*member].name.as_str() == *name);
        let net: i128 = of_member.map(|(_, minor)| minor).sum();
        let paid = if member == row.payer { i128::from(row.minor) } else { 0 };
        let owed = paid - net;
        let rest = (owed * total - i128::from(row.minor) * weight).abs();
        prop_assert!(rest < total, "{name} owes {owed} of {row:?}");
    }
    Ok(())
}
