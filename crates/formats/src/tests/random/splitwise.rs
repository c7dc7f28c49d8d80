use super::*;
use crate::tests::read_text;

/// The file of a group and its balances.
fn file(group: &Group, further_member: bool) -> (String, Nets) {
    let Group { names, rows } = group;
    let mut all: Vec<&str> = names.clone();
    all.extend(further_member.then_some("Zed"));
    let header: Vec<String> = all.iter().map(|name| cell(name)).collect();
    let mut lines = vec![
        format!("Date,Description,Category,Cost,Currency,{}", header.join(",")),
        String::new(),
    ];
    let mut totals: BTreeMap<&str, Vec<i64>> = BTreeMap::new();
    let mut nets = Nets::new();
    for row in rows {
        let (code, decimals) = if row.variant % 2 == 0 { ("EUR", 2) } else { ("JPY", 0) };
        let mut cells = vec![0; all.len()];
        // The last member who owes also owes the units that are left over after rounding down.
        let total: i64 = row.weights.iter().sum();
        let mut left = row.minor;
        for (cell, weight) in cells.iter_mut().zip(&row.weights) {
            let share = row.minor * weight / total;
            *cell -= share;
            left -= share;
        }
        let last = row.weights.iter().rposition(|weight| *weight > 0).unwrap();
        cells[last] -= left;
        let second = if row.variant == 4 { (row.payer + 1) % names.len() } else { row.payer };
        cells[row.payer] += row.minor - row.minor / 3;
        cells[second] += row.minor / 3;
        let sums = totals.entry(code).or_insert_with(|| vec![0; all.len()]);
        for ((sum, cell), name) in sums.iter_mut().zip(&cells).zip(&all) {
            *sum += cell;
            add(&mut nets, name, code, *cell);
        }
        let category = if row.variant == 2 { "Payment" } else { "Dining out" };
        let cells: Vec<String> = cells.iter().map(|cell| two_decimals(*cell, decimals)).collect();
        let text = cell(row.text);
        let cost = two_decimals(row.minor, decimals);
        lines.push(format!("{},{text},{category},{cost},{code},{}", row.date, cells.join(",")));
    }
    for (code, sums) in totals {
        let decimals = if code == "EUR" { 2 } else { 0 };
        let cells: Vec<String> = sums.iter().map(|sum| two_decimals(*sum, decimals)).collect();
        lines.push(format!("\n2026-03-01,Total balance, , ,{code},{}", cells.join(",")));
    }
    lines.push("\n".to_owned());
    (lines.join("\n"), nets)
}

/// The app writes two decimals in every currency.
fn two_decimals(minor: i64, decimals: u8) -> String {
    let cents = if decimals == 0 { minor * 100 } else { minor };
    let sign = if cents < 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", cents.abs() / 100, cents.abs() % 100)
}

proptest! {
    #[test]
    fn balances_and_keys_are_those_of_the_group(group in group()) {
        let (later, nets) = file(&group, true);
        let later = read_text(&later);
        assert_nets(&later, nets)?;
        let (earlier, nets) = file(&group.earlier(), false);
        let earlier = read_text(&earlier);
        assert_nets(&earlier, nets)?;
        assert_keys(&earlier, &later)?;
    }
}
