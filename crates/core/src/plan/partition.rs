//! The partition of balances into the most sets that sum to zero.

use super::{
    search::{limit, search},
    zero_sums::{MAX, bits},
};

/// Number of balances that are searched at a time if there are more than [`MAX`].
const WINDOW: usize = 48;

/// A partition into sets that sum to zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    /// The sets, as indices of balances.
    pub sets: Vec<Vec<usize>>,
    /// An upper bound of the number of sets. A partition into as many is known to be the best.
    pub most: usize,
}

/// The partition of `balances` into the most sets that are found within `steps` steps, which are
/// counted down.
///
/// The balances sum to zero; none is zero, and no two are opposites. A step takes a few
/// nanoseconds, and at most 4 bytes of memory.
///
/// # Example
///
/// ```
/// use fracti_core::plan::partition::partition;
///
/// let mut steps = 10_000;
/// let found = partition(&[4, 3, -2, -2, 5, -8], &mut steps);
/// assert_eq!((found.sets.len(), found.most), (2, 2));
/// assert!(steps > 9_000);
/// ```
#[must_use]
pub fn partition(balances: &[i64], steps: &mut u64) -> Partition {
    let mut open: Vec<Open> = balances.iter().map(|minor| i128::from(*minor)).enumerate().collect();
    open.sort_by_key(|(_, minor)| (minor.abs(), *minor));
    if open.len() > MAX {
        let most = limit(&minors(&open));
        return Partition { sets: by_windows(open, steps), most };
    }
    let found = search(&minors(&open), steps);
    let sets = found.sets.into_iter().map(|set| indices(set, &open)).collect();
    Partition { sets, most: found.most }
}

/// An index and its balance.
type Open = (usize, i128);

fn minors(open: &[Open]) -> Vec<i128> {
    open.iter().map(|(_, minor)| *minor).collect()
}

fn indices(set: u64, open: &[Open]) -> Vec<usize> {
    bits(set).filter_map(|bit| open.get(bit)).map(|(index, _)| *index).collect()
}

/// Sets that are found among some of the balances at a time. The others are one more balance there,
/// whose set stays open. A window without another set is put aside.
fn by_windows(mut open: Vec<Open>, steps: &mut u64) -> Vec<Vec<usize>> {
    let mut sets = Vec::new();
    let mut aside = Vec::new();
    while !open.is_empty() {
        let all = open.len() as u64;
        let (window, rest) = spread(open);
        let others = window.iter().map(|(_, minor)| minor).sum::<i128>().saturating_neg();
        let mut balances = minors(&window);
        balances.push(others);

        let share = steps.saturating_mul(window.len() as u64).checked_div(all).unwrap_or_default();
        let mut left = share;
        let mut found = search(&balances, &mut left).sets;
        *steps = steps.saturating_sub(share.saturating_sub(left));

        found.retain(|set| set >> window.len() & 1 == 0);
        if found.is_empty() {
            aside.extend(window.iter().map(|(index, _)| *index));
            open = rest;
        } else {
            let taken = found.iter().fold(0, |taken, set| taken | set);
            let kept = window.iter().enumerate().filter(|(bit, _)| taken >> bit & 1 == 0);
            open = kept.map(|(_, balance)| *balance).chain(rest).collect();
            open.sort_by_key(|(_, minor)| (minor.abs(), *minor));
            sets.extend(found.into_iter().map(|set| indices(set, &window)));
        }
    }
    sets.push(aside);
    sets
}

/// A window of balances of all sizes, and the others.
fn spread(open: Vec<Open>) -> (Vec<Open>, Vec<Open>) {
    let len = open.len();
    let window = open.len().min(WINDOW);
    let before = |place: usize| place.saturating_mul(window).checked_div(len);
    let (window, rest): (Vec<_>, Vec<_>) = open
        .into_iter()
        .enumerate()
        .partition(|(place, _)| before(*place) != before(place.saturating_add(1)));
    let balances = |places: Vec<(usize, Open)>| places.into_iter().map(|(_, open)| open).collect();
    (balances(window), balances(rest))
}
