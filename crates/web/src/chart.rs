//! Charts, as SVG without scripts and styles of their own. Coordinates are tenths of a unit of the
//! view box, as integers.

mod columns;
mod flows;
mod steps;

use std::fmt;

use maud::{Markup, html};

pub(crate) use columns::{Column, columns, key, part, target};
pub(crate) use flows::{Flow, flows};
pub(crate) use steps::{Steps, steps};

/// Tenths of a unit, printed as a decimal number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Tenths(pub i64);

impl fmt::Display for Tenths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let whole = self.0.unsigned_abs() / 10;
        let rest = self.0.unsigned_abs() % 10;
        if rest == 0 { write!(f, "{sign}{whole}") } else { write!(f, "{sign}{whole}.{rest}") }
    }
}

/// A name as text of a chart, with this number of characters at most.
fn cut(name: &str, most: usize) -> String {
    if name.chars().count() <= most {
        return name.to_owned();
    }
    name.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// `part` of `whole`, scaled to a length in tenths of a unit; 0 if there is no whole. A part of a
/// whole is at most `length`.
pub(crate) fn scaled(part: u128, whole: u128, length: i64) -> Tenths {
    // Amounts of a ledger have at most 64 bits, so the product fits.
    let product = part.saturating_mul(length.unsigned_abs().into());
    let scaled = product.checked_div(whole).unwrap_or_default();
    Tenths(i64::try_from(scaled).unwrap_or(length))
}

/// Middle of the bar of a balance.
const MIDDLE: i64 = 500;

/// A bar to the left of a middle line for what a member owes, to the right for what they are owed.
/// `most` is the longest balance of the currency.
pub(crate) fn balance(net: i128, most: u128) -> Markup {
    let Tenths(width) = scaled(net.unsigned_abs(), most, MIDDLE);
    let width = if net == 0 { 0 } else { width.max(8) };
    let x = if net < 0 { MIDDLE.saturating_sub(width) } else { MIDDLE };
    html! {
        svg.bar viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true" {
            rect.{ (if net < 0 { "debtor" } else { "creditor" }) } x=(Tenths(x)) y="0"
                width=(Tenths(width)) height="6" {}
            rect.axis x="49.8" y="0" width="0.4" height="6" {}
        }
    }
}
