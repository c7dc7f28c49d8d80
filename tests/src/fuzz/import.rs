use std::{collections::BTreeMap, sync::LazyLock};

use fracti_core::{
    input::limits::MAX_SHARES,
    ledger::Totals,
    split::Split,
    values::{
        currency::Currency,
        id::{MemberId, UserId},
        money::Money,
        time::Day,
    },
};
use fracti_formats::{
    Answers, Import, MAX_CHECKS, MAX_ERRORS, MAX_MEMBERS, MAX_QUESTIONS, MAX_ROWS, MAX_WARNINGS,
    Movement, PersonPart, read,
};

static TODAY: LazyLock<Day> = LazyLock::new(|| "2026-06-30".parse().unwrap());

/// Reads an export file of another app. Each row moves money between members and creates none; its
/// shares follow from its split; lists are bounded; a byte order mark, or reading the file twice,
/// changes nothing.
///
/// # Panics
///
/// If the property does not hold.
pub fn import(bytes: &[u8]) {
    let answers = Answers { currency: Some("EUR".parse().unwrap()), ..Answers::default() };
    let import = read(bytes, &answers, *TODAY);
    check(&import);

    let with_mark = [b"\xef\xbb\xbf", bytes].concat();
    let again = read(if bytes.is_ascii() { &with_mark } else { bytes }, &answers, *TODAY);
    assert_eq!(import.rows, again.rows);
    assert_eq!(import.errors.is_empty(), again.errors.is_empty());
    // The answer is needed only for amounts without a currency.
    let asked = read(bytes, &Answers::default(), *TODAY);
    check(&asked);
    assert!(!asked.is_ready() || import.is_ready());
}

fn check(import: &Import) {
    let Import { people, rows, adjustments, .. } = import;
    assert!(people.len() <= MAX_MEMBERS && rows.len() + adjustments.len() <= MAX_ROWS);
    assert!(import.errors.len() <= MAX_ERRORS && import.questions.len() <= MAX_QUESTIONS);
    assert!(import.checks.len() <= MAX_CHECKS && import.warnings.len() <= MAX_WARNINGS + 1);
    assert!(import.format.is_some() || !import.is_ready());
    let mut nets: BTreeMap<(usize, &str), i128> = BTreeMap::new();
    for row in rows {
        for (member, minor) in row.movement.changes() {
            assert!(member < people.len());
            *nets.entry((member, row.currency.code())).or_default() += minor;
        }
        assert_eq!(row.movement.changes().map(|(_, minor)| minor).sum::<i128>(), 0);
        match &row.movement {
            Movement::Expense { payers, shares, split } => {
                assert!(!payers.is_empty() && payers.len() + shares.len() <= MAX_SHARES + 1);
                let sign = payers[0].minor.signum();
                let parts = payers.iter().chain(shares).map(|part| part.minor.signum());
                assert!(sign != 0 && parts.clone().all(|part| part == sign || part == 0));
                for parts in [payers, shares] {
                    let mut members: Vec<usize> =
                        parts.iter().map(|part: &PersonPart| part.person).collect();
                    members.sort_unstable();
                    members.dedup();
                    assert_eq!(members.len(), parts.len());
                }
                if let Some(split) = split {
                    check_split(split, shares, row.currency);
                }
            }
            Movement::Payment(transfers) => {
                assert!(!transfers.is_empty());
                assert!(transfers.iter().all(|it| it.minor > 0 && it.from != it.to));
            }
            Movement::Pending(it) => {
                assert!(it.minor > 0 && it.from != it.to && it.from.max(it.to) < people.len());
            }
        }
    }
    for adjustment in adjustments {
        let mut sums: BTreeMap<&str, i128> = BTreeMap::new();
        for change in &adjustment.changes {
            assert!(change.person < people.len() && change.totals != Totals::default());
            let Totals { paid, owed, sent, received } = change.totals;
            assert!(paid == 0 && owed == 0 && sent >= 0 && received >= 0);
            *nets.entry((change.person, change.currency.code())).or_default() +=
                change.totals.net();
            *sums.entry(change.currency.code()).or_default() += change.totals.net();
        }
        assert!(!sums.is_empty() && sums.values().all(|sum| *sum == 0));
    }
    assert_eq!(import.sums().balances.len(), nets.values().filter(|net| **net != 0).count());
    assert!(fracti_files::plan_of(import).is_ok());
}

/// The shares of an expense follow from its split, for any ids of the members.
fn check_split(split: &Split<usize>, shares: &[PersonPart], currency: Currency) {
    let id = |person: usize| MemberId::from(UserId::new(person as u64 + 1).unwrap());
    let split = split.clone().among(|person| Some(id(person))).unwrap();
    let shares: Vec<_> = shares.iter().map(|part| (id(part.person), part.minor)).collect();
    let minor = shares.iter().map(|(_, minor)| minor).sum();
    assert_eq!(split.check_shares(Money { currency, minor }, &shares), Ok(()));
}
