//! Who pays whom: payers on the left, recipients on the right, and a band for each payment.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "at most twelve payments, whose lengths are below a thousand units"
)]

use maud::{Markup, html};

use super::{Tenths, cut, scaled};

/// A payment from one member to another.
pub(crate) struct Flow {
    pub(crate) from: String,
    pub(crate) to: String,
    /// Amount in minor units; positive.
    pub(crate) minor: i64,
    /// Text for screen readers.
    pub(crate) label: String,
}

/// Above this number of payments there is the list only.
const MAX_FLOWS: usize = 12;

/// Height of the sum of all payments.
const HEIGHT: i64 = 840;
/// Height of a band, and of a bar, at least: a thinner one would not be seen.
const THIN: i64 = 20;
/// Height of the row of a name.
const ROW: i64 = 300;
/// Distance of two rows.
const GAP: i64 = 80;
/// Where the bands begin.
const LEFT: i64 = 1120;
/// Where the bands end.
const RIGHT: i64 = 2080;
/// Width of a bar.
const BAR: i64 = 60;
/// Characters of a name.
const NAME: usize = 13;

/// The bar of a member on one side.
struct Bar<'a> {
    name: &'a str,
    top: i64,
    height: i64,
    /// Part of it that has bands.
    taken: i64,
}

/// The bars of one side, the largest first, and how high all rows are.
fn bars<'a>(payments: impl Iterator<Item = (&'a str, i64)>) -> (Vec<Bar<'a>>, i64) {
    let mut bars: Vec<Bar<'a>> = Vec::new();
    for (name, height) in payments {
        match bars.iter_mut().find(|bar| bar.name == name) {
            Some(bar) => bar.height += height,
            None => bars.push(Bar { name, top: 0, height, taken: 0 }),
        }
    }
    bars.sort_by_key(|bar| -bar.height);
    let mut next = 0;
    for bar in &mut bars {
        let row = bar.height.max(ROW);
        bar.top = next + (row - bar.height) / 2;
        next += row + GAP;
    }
    (bars, next - GAP)
}

/// Takes the next `height` of a bar, and returns where it begins.
fn take(bars: &mut [Bar<'_>], name: &str, height: i64) -> i64 {
    let Some(bar) = bars.iter_mut().find(|bar| bar.name == name) else { return 0 };
    let start = bar.top + bar.taken;
    bar.taken += height;
    start
}

/// The payments as bands between two columns of bars. None if they are too many for a picture.
pub(crate) fn flows(flows: &[Flow], label: &str) -> Markup {
    if flows.len() > MAX_FLOWS {
        return html! {};
    }
    let sum: u128 = flows.iter().map(|flow| u128::from(flow.minor.unsigned_abs())).sum();
    let wide = |flow: &Flow| scaled(flow.minor.unsigned_abs().into(), sum, HEIGHT).0.max(THIN);
    let (mut left, left_height) = bars(flows.iter().map(|flow| (&*flow.from, wide(flow))));
    let (mut right, right_height) = bars(flows.iter().map(|flow| (&*flow.to, wide(flow))));
    let height = left_height.max(right_height);
    for (side, own) in [(&mut left, left_height), (&mut right, right_height)] {
        for bar in side.iter_mut() {
            bar.top += (height - own) / 2;
        }
    }
    let place = |bars: &[Bar<'_>], name: &str| bars.iter().position(|bar| bar.name == name);
    // The bands of a bar are in the order of the other side, so that few cross.
    let mut sorted: Vec<&Flow> = flows.iter().collect();
    sorted.sort_by_key(|flow| (place(&left, &flow.from), place(&right, &flow.to)));
    let bands: Vec<(String, &str)> = sorted
        .into_iter()
        .map(|flow| {
            let wide = wide(flow);
            let start = take(&mut left, &flow.from, wide);
            let end = take(&mut right, &flow.to, wide);
            (band(start, end, wide), &*flow.label)
        })
        .collect();
    html! {
        svg.flows viewBox={ "0 -2 320 " (Tenths(height + 40)) } role="img" aria-label=(label) {
            @for (path, label) in &bands { path.band d=(path) { title { (label) } } }
            @for bar in &left {
                (column(bar, LEFT - BAR, "debtor"))
                (name(bar, LEFT - BAR - 80, "end"))
            }
            @for bar in &right {
                (column(bar, RIGHT, "creditor"))
                (name(bar, RIGHT + BAR + 80, "start"))
            }
        }
    }
}

/// A band between two cubic curves: a stroke would get thin where it is steep.
fn band(start: i64, end: i64, wide: i64) -> String {
    let [left, right, middle] = [LEFT, RIGHT, i64::midpoint(LEFT, RIGHT)].map(Tenths);
    let [start, end, low, deep] = [start, end, start + wide, end + wide].map(Tenths);
    format!(
        "M{left} {start}C{middle} {start} {middle} {end} {right} {end}V{deep}\
         C{middle} {deep} {middle} {low} {left} {low}Z"
    )
}

fn column(bar: &Bar<'_>, x: i64, class: &str) -> Markup {
    html! {
        rect.(class) rx="2" x=(Tenths(x)) y=(Tenths(bar.top)) width=(Tenths(BAR))
            height=(Tenths(bar.height)) {}
    }
}

fn name(bar: &Bar<'_>, x: i64, anchor: &str) -> Markup {
    html! { text.(anchor) x=(Tenths(x)) y=(Tenths(bar.top + bar.height / 2)) { (cut(bar.name,
    NAME)) } }
}
