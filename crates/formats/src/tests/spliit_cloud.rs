use super::*;

const FILE: &str = include_str!("../../../../tests/fixtures/import/spliit-cloud.csv");
const CASE: &str = include_str!("../../../../tests/fixtures/import/cases/spliit-cloud.csv");

#[test]
fn cells_are_nets() {
    let import = read_text(FILE);
    assert_eq!(errors(&import), [""; 0]);
    assert_eq!(
        rows(&import),
        [
            "2026-01-30 Dinner, \"Chez Léa\" EUR: +0 10000, -0 3333, -1 3334, -2 3333",
            "2026-01-30 Boat EUR: +0 4500, +1 4500, -0 3000, -1 3000, -2 3000",
            "2026-01-31 Ferry EUR: +0 3000, +1 1000, -2 4000",
            "2026-02-01 Deposit back EUR: +0 -10000, -0 -3334, -1 -3333, -2 -3333",
            "2026-02-03 Bob pays Anna EUR: 1>0 2500",
        ]
    );
    let notes: Vec<&str> =
        import.rows.iter().filter_map(|row| Some(row.notes.as_ref()?.as_str())).collect();
    assert_eq!(
        notes,
        [
            "Spliit Cloud does not export who paid how much: equal shares are assumed",
            "Paid in Spliit Cloud: 97.50 CHF at 0.9231\n\
             Cost in Spliit Cloud: 90.00 EUR; its file does not say who paid how much",
        ]
    );
    let warned = warnings(&import);
    assert!(warned[0].starts_with("2 rows have several payers: in 1, equal shares are assumed"));
    assert!(warned[1].starts_with("the file does not show whether it is complete"), "{warned:?}");
    assert_eq!(
        warned[2..],
        ["4 \"Ferry\" of 2026-01-31 was 97.50\u{a0}CHF, and is recorded as 90.00\u{a0}EUR"]
    );
}

#[test]
fn the_cost_goes_to_the_notes_if_equal_shares_do_not_fit() {
    let import = read_text(CASE);
    assert_eq!(errors(&import), [""; 0]);
    assert_eq!(balances(&import), ["Ann 50 EUR", "Bob 30 EUR", "Cid -80 EUR"]);
    let sums = import.sums();
    assert_eq!((sums.expenses, sums.settlements), (3, 1));
    let boat = &import.rows[3];
    assert!(boat.notes.as_ref().unwrap().as_str().starts_with("Cost in Spliit Cloud: 90.00 EUR"));
    assert_eq!(rows(&import)[3], "2026-08-04 Boat, two paid EUR: +0 3000, +1 1000, -2 4000");
}

#[test]
fn cells_that_are_no_nets_are_refused() {
    for (from, to, error) in [
        ("66.67,-33.34", "66.67,-33.33", "2 the cells of the members sum to 0.01, not to 0"),
        ("66.67,-33.34,-33.33", "120,-60,-60", "2:5 the cells of the members exceed the cost"),
        ("\"No\"", "\"Maybe\"", "2:10 Is Settlement must be Yes or No, not Maybe"),
        ("\"EUR\"", "\"€\"", "2:4 the currency \"€\" must be"),
        ("2026-01-30", "2026-02-30", "2:1 the date must be a day"),
        ("66.67,-33.34", "66.67,", "2:13 the amount \"\" must be a number"),
    ] {
        assert!(FILE.contains(from), "{from}");
        assert_refused(&[(&FILE.replacen(from, to, 1), error)]);
    }
}

#[test]
fn a_column_without_numbers_is_no_member() {
    let with_tags: Vec<String> = FILE
        .lines()
        .enumerate()
        .map(|(index, line)| format!("{line},{}", if index == 0 { "\"tags\"" } else { "\"sea\"" }))
        .collect();
    let import = read_text(&with_tags.join("\n"));
    assert_eq!(errors(&import), [""; 0]);
    assert_eq!(keys(&import), keys(&read_text(FILE)));
    let warned = warnings(&import);
    assert!(
        warned.iter().any(|it| it.starts_with("1:15 Fracti does not know “tags”")),
        "{warned:?}"
    );
}
