//! Files as apps and people save them, with their right values.

use super::*;

const COSPEND: &str =
    include_str!("../../../../tests/fixtures/import/cases/cospend-payers-column.csv");
const SPLITWISE_DE: &str =
    include_str!("../../../../tests/fixtures/import/cases/splitwise-de-four-eur-usd.csv");
const SPLITWISE_GBP: &str =
    include_str!("../../../../tests/fixtures/import/cases/splitwise-gbp-six.csv");
const SPLITWISE_CLP: &str =
    include_str!("../../../../tests/fixtures/import/cases/splitwise-es-clp.csv");

/// The file, which must be ready once its currency is answered.
fn ready(file: &str, options: &str) -> Import {
    let import = read(file.as_bytes(), &answers(options), today());
    assert!(import.is_ready(), "{:?} {:?}", import.errors, import.questions);
    import
}

#[test]
fn cospends_payers_are_those_of_their_column() {
    let import = ready(COSPEND, r#"{"currency":"EUR"}"#);
    assert_eq!(balances(&import), ["Bert -40 EUR", "Zoe, the banker 40 EUR"]);
    let sums = import.sums();
    assert_eq!((sums.expenses, sums.settlements), (2, 0));
    assert_eq!(
        rows(&import),
        [
            "2024-01-15 Hotel EUR: +0 6000, +2 4000, -0 5000, -1 5000",
            "2024-01-16 Taxi EUR: +1 2000, -0 1000, -1 1000",
        ]
    );
}

#[test]
fn a_german_export_of_splitwise_has_its_totals_shares_and_categories() {
    let import = ready(SPLITWISE_DE, "{}");
    assert_eq!(
        balances(&import),
        [
            "Uma One -74.18 EUR",
            "VIC -2476.17 EUR",
            "Wim 302.52 EUR",
            "Xia 2247.83 EUR",
            "Uma One 102.03 USD",
            "VIC -22.5 USD",
            "Wim 17.5 USD",
            "Xia -97.03 USD",
        ]
    );
    assert_eq!(
        rows(&import)[3],
        "2026-07-15 gal essen 2 USD: +0 3000, +2 4000, +3 2000, -0 2250, -1 2250, -2 2250, -3 2250"
    );
    let categories: Vec<_> =
        import.rows.iter().map(|row| row.category.map(|it| it.to_string())).collect();
    let known = ["travel", "travel", "", "food", "food", ""];
    assert_eq!(categories, known.map(|it| (!it.is_empty()).then(|| it.to_owned())));
    assert_eq!(import.sums().settlements, 1);
}

#[test]
fn equal_shares_of_splitwise_are_assumed_where_they_fit() {
    let import = ready(SPLITWISE_GBP, "{}");
    assert_eq!(
        balances(&import),
        [
            "Uma One -10.58 GBP",
            "Vic -44.42 GBP",
            "Wim Three -23.29 GBP",
            "Xia -19.91 GBP",
            "Yan Five 142.1 GBP",
            "Zia -43.9 GBP",
        ]
    );
    let drinks = rows(&import).into_iter().find(|row| row.contains("Peacock drinks")).unwrap();
    assert_eq!(
        drinks,
        "2023-10-22 Peacock drinks GBP: +0 2880, +3 2880, +4 2880, -0 1728, -1 1728, -2 1728, \
         -3 1728, -4 1728"
    );
}

#[test]
fn halves_of_a_currency_without_decimals_are_rounded_with_a_warning() {
    let import = ready(SPLITWISE_CLP, "{}");
    let balance = |name: &str| {
        let balances = balances(&import);
        balances.into_iter().find(|it| it.starts_with(name)).unwrap()
    };
    assert_eq!(
        (balance("Uma"), balance("Vic")),
        ("Uma One 89160 CLP".into(), "Vic -89160 CLP".into())
    );
    assert_eq!(
        warnings(&import),
        ["4 the amounts are finer than a minor unit of CLP; they are rounded"]
    );
}
