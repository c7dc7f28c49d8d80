//! Random open balances of realistic kinds, to measure the plan with.

use fastrand::Rng;

/// A kind of balances: its name, the largest balance, and the number that each is a multiple of,
/// both in minor units.
pub type Kind = (&'static str, i64, i64);

/// The kinds: cents up to 200.00, multiples of 0.50 up to 200.00, and whole amounts up to 1 000 and
/// up to 20.
pub const KINDS: [Kind; 4] = [
    ("cents to 200", 20_000, 1),
    ("halves to 200", 20_000, 50),
    ("whole to 1 000", 100_000, 100),
    ("whole to 20", 2_000, 100),
];

/// So many balances of a kind; none is zero, and their sum is zero.
#[must_use]
pub fn open_balances((_, largest, unit): Kind, open: usize, seed: u64) -> Vec<i64> {
    let mut random = Rng::with_seed(seed);
    let units = largest / unit;
    loop {
        let any = std::iter::repeat_with(|| random.i64(-units..=units) * unit);
        let mut balances: Vec<i64> = any.filter(|minor| *minor != 0).take(open - 1).collect();
        let last = -balances.iter().sum::<i64>();
        if last != 0 && last.abs() <= largest {
            balances.push(last);
            return balances;
        }
    }
}

/// Number of transfers if the largest debt is always paid to the largest credit.
#[must_use]
pub fn greedy(mut open: Vec<i64>) -> usize {
    let mut transfers = 0;
    loop {
        open.retain(|minor| *minor != 0);
        open.sort_unstable();
        let [debt, .., credit] = &mut *open else { return transfers };
        let minor = (*credit).min(-*debt);
        *debt += minor;
        *credit -= minor;
        transfers += 1;
    }
}

/// The balances without pairs of opposites, and how many pairs there are.
#[must_use]
pub fn without_opposites(balances: &[i64]) -> (Vec<i64>, usize) {
    let mut rest: Vec<i64> = Vec::new();
    for minor in balances {
        match rest.iter().position(|other| *other == -minor) {
            Some(opposite) => _ = rest.swap_remove(opposite),
            None => rest.push(*minor),
        }
    }
    let pairs = (balances.len() - rest.len()) / 2;
    (rest, pairs)
}
