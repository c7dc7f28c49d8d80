use super::*;

const FILE: &str = include_str!("../../../../tests/fixtures/import/settleup.csv");
const CASE: &str = include_str!("../../../../tests/fixtures/import/cases/settleup.csv");
const CASE_UTF_16: &[u8] =
    include_bytes!("../../../../tests/fixtures/import/cases/settleup-utf16.csv");

/// A file with these lines.
fn file(lines: &[&str]) -> String {
    let header = FILE.lines().next().unwrap();
    format!("{header}\n{}\n", lines.join("\n"))
}

/// A line with these first cells, and the ones from the currency on.
fn line(payers: &str, amounts: &str, sharers: &str, shares: &str) -> String {
    format!("{payers},{amounts},EUR,{sharers},{shares},Tea,,2026-01-31 10:00:00,,1,,expense,")
}

#[test]
fn shares_are_rounded_so_that_odd_cents_go_round() {
    let import = read_text(FILE);
    assert_eq!(errors(&import), [""; 0]);
    assert_eq!(
        rows(&import),
        [
            "2026-01-30 Hotel EUR: +0 10000, -0 3334, -1 3333, -2 3333",
            "2026-01-30 Dinner, \"Chez Léa\" EUR: +1 3000, +2 1250, -0 2125, -1 2125",
            "2026-01-31 Museum EUR: +2 2700, -0 900, -2 1800",
            "2026-02-01 Deposit back EUR: +0 -1000, -0 -500, -1 -500",
            "2026-02-02 Expense EUR: +3 900, -0 450, -3 450",
            "2026-02-03 Payment EUR: 1>0 3333",
        ]
    );
    assert_eq!(
        balances(&import),
        ["Anna -6.42 EUR", "Bob 13.75 EUR", "דנה כהן -11.83 EUR", "Smith; Jo 4.5 EUR"]
    );
    let categories = import.rows.iter().map(|row| row.category.map(|it| it.to_string()));
    let categories: Vec<String> = categories.map(Option::unwrap_or_default).collect();
    assert_eq!(categories, ["travel", "food", "other", "", "transport", ""]);
    assert_eq!(import.rows[2].notes.as_ref().unwrap().as_str(), "Paid in Settle Up: 30.00 USD");
    let warned = warnings(&import);
    assert!(warned[0].starts_with("the file does not show whether it is complete"), "{warned:?}");
    assert_eq!(
        warned[1..],
        [
            "the receipts of 1 row are not imported",
            "1 row has a category that Fracti does not know, read as other: 🎨 Art (1)",
            "4 \"Museum\" of 2026-01-31 was 30.00\u{a0}USD, and is recorded as 27.00\u{a0}EUR",
        ]
    );
}

#[test]
fn a_file_in_utf_16_is_the_same_as_in_utf_8() {
    let plain = read_text(CASE);
    let wide = read(CASE_UTF_16, &Answers::default(), today());
    for import in [&plain, &wide] {
        assert_eq!(errors(import), [""; 0]);
        let sums = import.sums();
        assert_eq!((sums.expenses, sums.settlements), (1, 1));
        let nets: Vec<(String, i128)> =
            sums.balances.iter().map(|(name, _, net)| (name.to_string(), *net)).collect();
        let net = |of: &str| nets.iter().find(|(name, _)| name == of).map_or(0, |(_, net)| *net);
        for (name, net_of_app) in [("Asha", 220_934), ("Ravi", 0), ("Neel", -220_934)] {
            assert!((net(name) - net_of_app).abs() <= 1, "{name} {nets:?}");
        }
        assert_eq!(nets.iter().map(|(_, net)| net).sum::<i128>(), 0);
    }
    assert_eq!((plain.rows, plain.people), (wide.rows, wide.people));
}

#[test]
fn lists_of_different_lengths_are_refused() {
    for (list, error) in [
        (
            line("Anna", "10", "Anna;Bob", "5"),
            "2:4 For whom has 2 names, but Split amounts has 1 amounts",
        ),
        (line("Anna", "10", "Anna;Bob", "5;3;2"), "2:4 For whom has 2 names, but Split amounts"),
        (line("Anna;Bob;Eve", "6;4", "Anna", "10"), "2:1 Who paid has 3 names, but Amount has 2"),
        (line("Anna", "10", "Bob;Bob", "5;5"), "2:4 For whom must have each name only once"),
        (line("Anna", "10", "Anna;Bob", "5;5.02"), "2 the shares sum to 10.02, but the amount"),
        (line("Anna", "10", "Anna;Bob", "15;-5"), "2 all amounts of a row must have the same sign"),
        (line("Anna", "ten", "Anna", "10"), "2:2 Amount \"ten\" must be a number"),
        (line("Anna", "10", "Anna", "10").replace("expense", "gift"), "2:12 Type must be expense"),
        (line("Anna", "10", "Anna", "10").replace("EUR", "€"), "2:3 Currency \"€\" must be"),
        (line("Anna", "10", "Anna", "10").replace("2026", "26"), "2:8 "),
    ] {
        assert_refused(&[(&file(&[&list]), error)]);
    }
    let without = FILE.replacen(",Type", ",Kind", 1);
    assert_refused(&[(&without, "1 the file must have a column Type")]);
}

#[test]
fn names_with_semicolons_are_known_from_cells_with_one_amount() {
    let alone = line("\"Jo; Mo\"", "4", "\"Jo; Mo\"", "4");
    let both = line("Anna", "10", "Anna;Jo; Mo", "5;5");
    let import = read_text(&file(&[&both, &alone]));
    assert_eq!(errors(&import), [""; 0]);
    assert_eq!(balances(&import), ["Anna 5 EUR", "Jo; Mo -5 EUR"]);
    // Three amounts make three names of the same list.
    let three = line("Anna", "9", "Anna;Jo; Mo", "3;3;3");
    let import = read_text(&file(&[&three]));
    let names: Vec<_> = import.people.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["Anna", "Jo", "Mo"]);
    // A list that stands only in one place may have lost an amount.
    let once = line("\"Jo; Mo\"", "4", "Anna", "4");
    assert_refused(&[
        (&file(&[&both]), "2:4 For whom has 3 names, but Split amounts has 2"),
        (&file(&[&once]), "2:1 Who paid has 2 names, but Amount has 1"),
    ]);
    assert!(read_text(&file(&[&both, &once])).is_ready());
}

#[test]
fn the_currency_of_the_group_is_that_of_the_rows_with_the_rate_1() {
    let row = |code: &str, rate: &str, converted: &str| {
        format!("Anna,30,{code},Bob,30,Tea,,2026-01-31 10:00:00,,{rate},{converted},expense,")
    };
    let of = |rows: &[String], answer: &str| {
        let rows: Vec<&str> = rows.iter().map(|row| &**row).collect();
        read(file(&rows).as_bytes(), &answers(answer), today())
    };
    let eur = row("EUR", "1", "30");
    let usd = row("USD", "0.9", "27");
    let chf = row("CHF", "1.0", "31");
    let plain = of(&[eur.clone(), row("USD", "", "")], "{}");
    assert_eq!(balances(&plain), ["Anna 30 EUR", "Bob -30 EUR", "Anna 30 USD", "Bob -30 USD"]);
    let one = of(&[eur.clone(), usd.clone()], "{}");
    assert!(one.is_ready());
    assert_eq!(balances(&one), ["Anna 57 EUR", "Bob -57 EUR"]);
    for rows in [&[eur, usd.clone(), chf][..], std::slice::from_ref(&usd)] {
        let asked = of(rows, "{}");
        assert_eq!(errors(&asked), [""; 0]);
        assert_eq!(asked.questions[0].asks, crate::Asks::Currency);
        let answered = of(rows, r#"{"currency":"EUR"}"#);
        assert!(answered.is_ready(), "{:?}", errors(&answered));
        let net = if rows.len() == 1 { "Anna 27 EUR" } else { "Anna 88 EUR" };
        assert_eq!(balances(&answered)[0], net);
    }
    let missing = row("USD", "0.9", "");
    assert!(errors(&of(&[row("EUR", "1", ""), missing], "{}"))[0].starts_with("3:11 Converted"));
}

#[test]
fn identity_has_the_time_the_kind_and_the_amounts() {
    let first = line("Anna;Bob", "6;4", "Anna;Bob", "5;5");
    let same = line("Bob;Anna", "4;6", "Bob;Anna", "5.00;5.0").replace(",Tea,,", ",Tea,🍔,");
    let of = |line: &str| keys(&read_text(&file(&[line])));
    assert_eq!(of(&first), of(&same));
    for other in [
        first.replace("10:00:00", "10:00:01"),
        first.replace("expense", "transfer"),
        first.replace("Tea", "Cake"),
        first.replace("6;4", "4;6"),
        first.replace("EUR", "USD"),
    ] {
        assert_ne!(of(&first), of(&other), "{other}");
    }
    assert_eq!(keys(&read_text(&file(&[&first, &first]))).len(), 2);
}
