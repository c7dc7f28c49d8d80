//! Files in the form in which the apps write them, whole and broken.

mod broken;
mod cases;
mod cospend;
mod fracti;
mod fracti_splits;
mod ihatemoney;
mod random;
mod refusals;
mod settleup;
mod spliit;
mod spliit_cloud;
mod spliit_csv;
mod splitwise;
mod splitwise_api;
mod tricount;
mod tricount_registry;
mod unknown;

use std::collections::{BTreeMap, HashSet};

use fracti_core::{
    records::import::expense_id,
    values::{
        id::{GroupId, MemberId, UserId},
        money::Money,
        time::Day,
    },
};
use proptest::prelude::*;

use crate::{Answers, Import, Movement, RowPlace, read};

fn today() -> Day {
    "2026-06-30".parse().unwrap()
}

/// Answers in JSON.
fn answers(json: &str) -> Answers {
    serde_json::from_str(json).unwrap()
}

fn read_text(file: &str) -> Import {
    read(file.as_bytes(), &Answers::default(), today())
}

/// The balances of an import, like "Anna 12.5 EUR". They sum to zero.
fn balances(import: &Import) -> Vec<String> {
    let sums = import.sums();
    for currency in &sums.currencies {
        let nets = sums.balances.iter().filter(|(_, of, _)| of == currency);
        assert_eq!(nets.map(|(_, _, net)| net).sum::<i128>(), 0, "{currency}");
    }
    let balances = sums.balances.iter();
    balances.map(|(name, of, net)| format!("{name} {} {of}", of.to_major(*net))).collect()
}

/// The rows of an import, like "2026-01-31 Dinner EUR: +0 30, -0 10, -1 20", where 0 and 1 are
/// members, or with "0>1" for a payment.
fn rows(import: &Import) -> Vec<String> {
    let row = |row: &crate::ReadRow| {
        let parts: Vec<String> = match &row.movement {
            Movement::Expense { payers, shares, split: _ } => {
                let paid = payers.iter().map(|part| ("+", part));
                let parts = paid.chain(shares.iter().map(|part| ("-", part)));
                parts.map(|(sign, part)| format!("{sign}{} {}", part.person, part.minor)).collect()
            }
            Movement::Payment(payments) => {
                payments.iter().map(|it| format!("{}>{} {}", it.from, it.to, it.minor)).collect()
            }
            Movement::Pending(it) => vec![format!("{}>{} {} pending", it.from, it.to, it.minor)],
        };
        format!("{} {} {}: {}", row.date, row.description, row.currency, parts.join(", "))
    };
    import.rows.iter().map(row).collect()
}

/// Errors or warnings, like "3:4 the date must be a day …" or "rows[2].date date must be a day …".
fn issues(issues: &[crate::Issue]) -> Vec<String> {
    let place = |it: &crate::Issue| match (it.line(), it.column, it.path()) {
        (Some(line), Some(column), _) => format!("{line}:{column} "),
        (Some(line), None, _) => format!("{line} "),
        (None, _, Some(path)) => format!("{path} "),
        (None, _, None) => String::new(),
    };
    issues.iter().map(|it| format!("{}{}", place(it), it.message)).collect()
}

fn errors(import: &Import) -> Vec<String> {
    issues(&import.errors)
}

fn warnings(import: &Import) -> Vec<String> {
    issues(&import.warnings)
}

/// Every file is refused with the error that begins like the expected one, and it has no plan that
/// could be carried out.
fn assert_refused(files: &[(&str, &str)]) {
    for (file, expected) in files {
        let import = read_text(file);
        let errors = errors(&import);
        assert!(errors.iter().any(|it| it.starts_with(expected)), "{file}\n{errors:#?}");
    }
}

/// The keys of rows, with how often each of them appears.
fn keys(import: &Import) -> BTreeMap<String, usize> {
    let mut keys = BTreeMap::new();
    let adjustments = import.adjustments.iter().map(|it| it.key);
    for key in import.rows.iter().map(|it| it.key).chain(adjustments) {
        *keys.entry(key.to_string()).or_default() += 1;
    }
    keys
}

/// Fixtures of all formats.
const FILES: [&str; 12] = [
    include_str!("../../../tests/fixtures/import/spliit.csv"),
    include_str!("../../../tests/fixtures/import/cospend.csv"),
    include_str!("../../../tests/fixtures/import/ihatemoney.csv"),
    include_str!("../../../tests/fixtures/import/ihatemoney.json"),
    include_str!("../../../tests/fixtures/import/splitwise.csv"),
    include_str!("../../../tests/fixtures/import/spliit.json"),
    include_str!("../../../tests/fixtures/import/fracti.json"),
    include_str!("../../../tests/fixtures/import/splitwise.json"),
    include_str!("../../../tests/fixtures/import/spliit-cloud.csv"),
    include_str!("../../../tests/fixtures/import/settleup.csv"),
    include_str!("../../../tests/fixtures/import/tricount.csv"),
    include_str!("../../../tests/fixtures/import/tricount.json"),
];

#[test]
fn keys_of_rows_are_stable_and_unique() {
    for file in FILES {
        let one = read_text(file);
        let two = read_text(file);
        assert_eq!(keys(&one), keys(&two));
        assert!(keys(&one).values().all(|count| *count == 1));
    }
}

#[test]
fn rows_that_earlier_releases_recorded_are_found() {
    let group = GroupId::new(today().start(), [7; 10]);
    let line = |what: &str| format!("{what},9.0,2026-01-31,Anna,1.0,Bob\r\n");
    let file = format!(
        "what,amount,date,payer_name,payer_weight,owers\r\n{}{}{}",
        line("Cafe\u{301}"),
        line("Tea"),
        line("Tea")
    );
    let read = || read(file.as_bytes(), &answers(r#"{"currency":"EUR"}"#), today());
    let mut import = read();
    // Only the row whose text is in another form had another identity.
    let former: Vec<_> = import.rows.iter().map(|row| row.former.len()).collect();
    assert_eq!(former, [1, 0, 0]);
    let exact = ["2026-01-31", "Cafe\u{301}", "9", "", "Expense", "Anna", "Bob"];
    let earlier = crate::Key::exactly("ihatemoney", &exact).ranked(1);
    assert_eq!(import.rows[0].former, [earlier]);
    let known = HashSet::from([expense_id(group, earlier.as_bytes()).into()]);
    assert!(known.is_subset(&import.former_ids(group)));
    import.recall(group, &known);
    assert_eq!(import.rows[0].key, earlier);
    let mut unknown = read();
    unknown.recall(group, &HashSet::new());
    assert_eq!(keys(&unknown), keys(&read()));
}

/// Checks the laws that hold for the import of any file.
fn check_laws(import: &Import) -> Result<(), TestCaseError> {
    for row in &import.rows {
        let sum: i128 = row.movement.changes().map(|(_, minor)| minor).sum();
        prop_assert_eq!(sum, 0);
        let members = row.movement.changes().map(|(member, _)| member);
        prop_assert!(members.max() < Some(import.people.len()));
        if let Movement::Expense { shares, split: Some(split), .. } = &row.movement {
            let id = |person: usize| Some(MemberId::from(UserId::new(person as u64 + 1).unwrap()));
            let split = split.clone().among(id).unwrap();
            let shares: Vec<_> =
                shares.iter().map(|it| (id(it.person).unwrap(), it.minor)).collect();
            let minor = shares.iter().map(|(_, minor)| minor).sum();
            let amount = Money { currency: row.currency, minor };
            prop_assert_eq!(split.check_shares(amount, &shares), Ok(()));
        }
    }
    prop_assert!(import.errors.len() <= crate::MAX_ERRORS);
    balances(import);
    Ok(())
}

proptest! {
    #[test]
    fn no_bytes_panic(file: Vec<u8>) {
        check_laws(&read(&file, &Answers::default(), today()))?;
    }

    #[test]
    fn no_change_of_a_file_panics(
        file in prop::sample::select(&FILES[..]),
        at: prop::sample::Index,
        length in 0..40_usize,
        text in prop_oneof![
            "\\PC{0,3}",
            "[\\[\\]{},:\"'\n\r\t;.=-]{0,3}",
            "-?[0-9]{1,40}([.,][0-9]{1,20})?(e[0-9]{1,3})?",
            "NaN|null|true|1e400|\u{202e}",
        ],
    ) {
        let mut bytes = file.as_bytes().to_vec();
        let start = at.index(bytes.len());
        let end = bytes.len().min(start + length);
        bytes.splice(start..end, text.into_bytes());
        let answers = answers(r#"{"currency":"EUR"}"#);
        check_laws(&read(&bytes, &answers, today()))?;
    }
}
