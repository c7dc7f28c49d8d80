//! Columns of periods, in which the reader's part is filled; refunds are below zero.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "at most 31 columns, whose lengths are below two thousand units"
)]

use maud::{Markup, html};

use super::{Tenths, scaled};

/// A period with its whole amount and the reader's part of it, in minor units.
pub(crate) struct Column {
    pub(crate) label: String,
    pub(crate) whole: i128,
    pub(crate) own: i128,
}

/// Columns of a chart.
const MAX_COLUMNS: usize = 31;
/// Columns that fill the width.
const FEW: i64 = 6;
/// Width of the view box.
const WIDTH: i64 = 3200;
/// Height above zero, and below it if there are refunds.
const HEIGHT: i64 = 1200;
/// Height of the labels.
const LABELS: i64 = 200;

/// The last periods as columns.
pub(crate) fn columns(columns: &[Column], label: &str) -> Markup {
    let skipped = columns.len().saturating_sub(MAX_COLUMNS);
    let shown: Vec<&Column> = columns.iter().skip(skipped).collect();
    let most = shown.iter().map(|it| it.whole.unsigned_abs()).max().unwrap_or_default();
    let deep = if shown.iter().any(|it| it.whole < 0) { HEIGHT / 2 } else { 0 };
    let count = i64::try_from(shown.len().max(1)).unwrap_or(1);
    // A few columns are not as wide as many of them together.
    let wide = WIDTH / count.max(FEW);
    // Labels are 26 units wide; of many columns, only some have one.
    let every = usize::try_from(1 + 260 / wide).unwrap_or(1);
    let bar = |amount: i128, at: i64, class: &str| {
        let room = if amount < 0 { deep } else { HEIGHT };
        let Tenths(tall) = scaled(amount.unsigned_abs(), most, room);
        let top = if amount < 0 { HEIGHT } else { HEIGHT - tall };
        html! {
            rect.(class) x=(Tenths(at + wide / 8)) y=(Tenths(top)) width=(Tenths(wide * 3 / 4))
                height=(Tenths(tall)) {}
        }
    };
    html! {
        svg.flows viewBox={ "0 0 320 " (Tenths(HEIGHT + deep + LABELS)) } role="img"
            aria-label=(label) {
            @for (at, column) in (0..).step_by(usize::try_from(wide).unwrap_or(1)).zip(&shown) {
                (bar(column.whole, at, "part"))
                (bar(column.own, at, "own"))
            }
            line.grid x1="0" x2="320" y1=(Tenths(HEIGHT)) y2=(Tenths(HEIGHT)) {}
            @let places = (0..).step_by(usize::try_from(wide).unwrap_or(1));
            @for (index, (at, column)) in places.zip(&shown).enumerate() {
                @if index.is_multiple_of(every) {
                    text.middle x=(Tenths(at + wide / 2)) y=(Tenths(HEIGHT + deep + LABELS / 2)) {
                        (column.label)
                    }
                }
            }
        }
    }
}

/// What the two colours of columns or bars stand for.
pub(crate) fn key(own: &str, others: &str) -> Markup {
    html! {
        svg.flows viewBox="0 0 320 20" role="img" aria-label={ (own) ", " (others) } {
            @for (class, x, text) in [("own", 0, own), ("part", WIDTH / 2, others)] {
                rect.(class) x=(Tenths(x)) y="5" width="10" height="10" {}
                text x=(Tenths(x + 150)) y="10" { (text) }
            }
        }
    }
}

/// The part of the reader in a bar of a whole, next to the largest whole.
pub(crate) fn part(own: i128, whole: i128, most: u128) -> Markup {
    let [Tenths(own), Tenths(whole)] = [own, whole].map(|it| scaled(it.unsigned_abs(), most, 1000));
    html! {
        svg.bar viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true" {
            rect.part x="0" y="0" width=(Tenths(whole)) height="6" {}
            rect.own x="0" y="0" width=(Tenths(own.min(whole))) height="6" {}
        }
    }
}

/// What is spent of a target, and a mark at the part of its period that has passed.
pub(crate) fn target(spent: i128, target: i128, passed: u64, days: u64) -> Markup {
    let spent = if spent < 0 { 0 } else { spent.unsigned_abs() };
    let Tenths(width) = scaled(spent, target.unsigned_abs(), 1000);
    let Tenths(mark) = scaled(passed.into(), days.into(), 1000);
    let class = if width > 1000 { "debtor" } else { "own" };
    html! {
        svg.bar viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true" {
            rect.(class) x="0" y="0" width=(Tenths(width.min(1000))) height="6" {}
            rect.axis x=(Tenths(mark.min(995))) y="0" width="0.5" height="6" {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_high_as_their_amounts() {
        let column = |whole, own| Column { label: "Jan".to_owned(), whole, own };
        let chart =
            columns(&[column(200, 50), column(100, 100), column(-100, 0)], "x").into_string();
        for height in ["height=\"120\"", "height=\"30\"", "height=\"60\""] {
            assert!(chart.contains(height), "{height} in {chart}");
        }
    }
}
