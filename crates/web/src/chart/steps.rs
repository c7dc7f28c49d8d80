//! Balances over time as steps, the reader's in front.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "at most 60 days, whose coordinates are below four thousand units"
)]

use std::fmt::Write;

use maud::{Markup, html};

use super::{Tenths, cut, scaled};

/// The balances of a member at the end of each day, in minor units.
pub(crate) struct Steps {
    pub(crate) name: String,
    pub(crate) own: bool,
    pub(crate) balances: Vec<i128>,
}

/// Lines of a chart.
const MAX_LINES: usize = 8;
/// Width of the lines; names are beside them.
const WIDTH: i64 = 2500;
/// Height of a name.
const NAME_HEIGHT: i64 = 130;
/// Characters of a name.
const NAME: usize = 9;
/// Height from the lowest to the highest balance.
const HEIGHT: i64 = 1400;

/// The members with the largest balances as lines. `days` are the labels of the first day and of
/// the last one.
pub(crate) fn steps(lines: &[Steps], label: &str, days: [&str; 2]) -> Markup {
    let [first, last] = days;
    let mut shown: Vec<&Steps> = lines.iter().collect();
    let largest = |it: &Steps| it.balances.iter().map(|it| it.unsigned_abs()).max();
    shown.sort_by_key(|it| (!it.own, std::cmp::Reverse(largest(it))));
    shown.truncate(MAX_LINES);
    let all = || shown.iter().flat_map(|it| it.balances.iter().copied()).chain([0]);
    let low = all().min().unwrap_or_default();
    let high = all().max().unwrap_or_default();
    let range = high.abs_diff(low);
    let y = |balance: i128| Tenths(scaled(high.abs_diff(balance), range, HEIGHT).0);
    let days = shown.iter().map(|it| it.balances.len()).max().unwrap_or(1).max(1);
    let wide = WIDTH / i64::try_from(days).unwrap_or(1);
    let path = |it: &Steps| {
        let mut path = String::new();
        for (day, balance) in (0_i64..).zip(&it.balances) {
            let x = Tenths(day * wide);
            let next = Tenths((day + 1) * wide);
            let start = if day == 0 { 'M' } else { 'L' };
            let _ = write!(path, "{start}{x} {y}H{next}", y = y(*balance));
        }
        path
    };
    // Each line has the name of its member at its end, below the one above it.
    let end = |it: &Steps| y(it.balances.last().copied().unwrap_or_default());
    let mut named: Vec<(i64, &Steps)> = shown.iter().map(|it| (end(it).0, *it)).collect();
    named.sort_by_key(|(y, _)| *y);
    let mut free = i64::MIN;
    for (y, _) in &mut named {
        *y = (*y).max(free);
        free = *y + NAME_HEIGHT;
    }
    let height = HEIGHT.max(free - NAME_HEIGHT) + 200;
    html! {
        svg.flows viewBox={ "0 -6 320 " (Tenths(height + 120)) } role="img" aria-label=(label) {
            line.grid x1="0" x2="250" y1=(y(0)) y2=(y(0)) {}
            @for it in shown.iter().rev() {
                path.trace.mine[it.own] d=(path(it)) {}
            }
            @for (y, it) in &named {
                text.who.mine[it.own] x="254" y=(Tenths(*y)) { (short(&it.name, &shown)) }
            }
            text x="0" y=(Tenths(height)) { (first) }
            @if first != last { text.end x="250" y=(Tenths(height)) { (last) } }
        }
    }
}

/// A name that fits beside the lines: its first word, if no other one begins with it.
fn short(name: &str, shown: &[&Steps]) -> String {
    let first = |name: &str| name.split_whitespace().next().unwrap_or_default().to_owned();
    let own = first(name);
    let is_alone = shown.iter().filter(|it| first(&it.name) == own).count() == 1;
    cut(if is_alone { &own } else { name }, NAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_between_the_lowest_and_the_highest_balance() {
        let line = |own, balances: &[i128]| Steps {
            name: "A".to_owned(),
            own,
            balances: balances.to_vec(),
        };
        let chart =
            steps(&[line(true, &[0, 100]), line(false, &[0, -100])], "x", ["1 Jan", "2 Jan"])
                .into_string();
        assert!(chart.contains("M0 70H125L125 0H250"), "{chart}");
        assert!(chart.contains("M0 70H125L125 140H250"), "{chart}");
    }
}
