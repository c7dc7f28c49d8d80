use super::*;
use crate::{Asks, Format};

const FILE: &str = include_str!("../../../../tests/fixtures/import/spliit.csv");
const JSON: &str = include_str!("../../../../tests/fixtures/import/spliit.json");

/// Payers of the rows of [`FILE`] whose payers had no share.
const PAYERS: &str = include_str!("../../../../tests/fixtures/import/spliit.csv.answers.json");

/// A file of three members with these rows, whose fixed columns are those of an expense of 10.01.
fn file(rows: &[&str]) -> String {
    let header = "\"Date\",\"Description\",\"Category\",\"Currency\",\"Cost\",\"Original cost\",\
                  \"Original currency\",\"Conversion rate\",\"Is Reimbursement\",\"Split mode\",\
                  \"Anna\",\"Bob\",\"Eve\"";
    format!("\u{feff}{header}\n{}", rows.join("\n"))
}

/// A row, with some of it replaced.
fn row(replaced: &[(&str, &str)]) -> String {
    let row = "\"2026-01-31\",\"Tea\",,\"EUR\",\"10.01\",,,,\"No\",\"Evenly\",3.34,-3.34,-3.33";
    replaced.iter().fold(row.to_owned(), |row, (from, to)| {
        assert!(row.contains(from), "{from}");
        row.replacen(from, to, 1)
    })
}

#[test]
fn payers_are_asked_if_several_members_had_no_share() {
    let import = read_text(FILE);
    assert_eq!(import.format, Some(Format::SpliitCsv));
    assert_eq!(errors(&import), [""; 0]);
    let asked: Vec<_> =
        import.questions.iter().map(|it| (it.asks.clone(), it.message.to_string())).collect();
    let payer = |line, question: &str| (Asks::Payer { line }, question.to_owned());
    assert_eq!(
        asked,
        [
            payer(9, "who paid 25 EUR for Reimbursement on 2026-02-03?"),
            payer(10, "who paid 10.01 EUR for Back to both on 2026-02-03?"),
        ]
    );
    assert_eq!(import.rows.len(), 8);
    assert!(!import.is_ready());
}

#[test]
fn balances_are_those_of_the_json() {
    let import = read(FILE.as_bytes(), &answers(PAYERS), today());
    assert_eq!(errors(&import), [""; 0]);
    assert!(import.is_ready());
    let json = read_text(JSON);
    assert_eq!(balances(&import), balances(&json));
    let sums = import.sums();
    let of_json = json.sums();
    assert_eq!((sums.expenses, sums.settlements), (of_json.expenses, of_json.settlements));
    assert_eq!(import.rows[6].place, RowPlace::Line(8));
    assert_eq!(warnings(&import).len(), 3);
}

#[test]
fn the_only_member_without_a_share_paid() {
    let two = |row: &str| file(&[row]).replace(",\"Eve\"", "");
    let row = row(&[("\"No\"", "\"Yes\""), (",3.34,-3.34,-3.33", ",0,-10.01")]);
    assert_eq!(rows(&read_text(&two(&row))), ["2026-01-31 Tea EUR: 0>1 1001"]);
}

#[test]
fn older_cells_that_miss_the_cost_are_completed_by_the_payer() {
    let rounded = row(&[("3.34,-3.34,-3.33", "-3.33,3.33,-3.33"), ("10.01", "10.00")]);
    let stale = row(&[("3.34,-3.34,-3.33", "2,-4.01,-4")]);
    let import = read_text(&file(&[&rounded, &stale]));
    assert_eq!(errors(&import), [""; 0]);
    let rows = rows(&import);
    assert_eq!(rows[0], "2026-01-31 Tea EUR: +1 1000, -0 333, -1 334, -2 333");
    assert!(rows[1].starts_with("2026-01-31 Tea EUR: +0 1001, -0 33"), "{}", rows[1]);
    assert_eq!(
        warnings(&import)[2..],
        [
            "2 the shares sum to 9.99, not to 10; the payer owes the difference",
            "3 the cells differ, but the split mode is Evenly; equal shares are imported",
        ]
    );
}

#[test]
fn shares_in_a_currency_that_has_no_decimals_in_the_app_are_kept() {
    let forints = row(&[("EUR", "HUF"), ("10.01", "1001"), ("3.34,-3.34,-3.33", "334,-334,-333")]);
    let import = read_text(&file(&[&forints]));
    assert_eq!(rows(&import), ["2026-01-31 Tea HUF: +0 100100, -0 33400, -1 33400, -2 33300"]);
    assert_eq!(warnings(&import).len(), 2);
}

#[test]
fn exports_without_original_columns_have_a_sign_as_currency() {
    let file = "\u{feff}\"Date\",\"Description\",\"Category\",\"Currency\",\"Cost\",\
                \"Is Reimbursement\",\"Split mode\",\"Anna\",\"Bob\"\n\
                \"2025-01-06\",\"Tea\",\"General\",\"₹\",\"-5000.00\",\"No\",\"Evenly\",-2500,2500";
    assert_eq!(read_text(file).questions.len(), 1);
    let import = read(file.as_bytes(), &answers(r#"{"currency":"INR"}"#), today());
    assert_eq!(rows(&import), ["2025-01-06 Tea INR: +0 -500000, -0 -250000, -1 -250000"]);
}

#[test]
fn a_file_without_the_column_of_reimbursements_has_no_known_format() {
    let import = read_text(&file(&[&row(&[])]).replace("Is Reimbursement", "Reimbursed"));
    assert_eq!(import.format, None);
    assert_eq!(errors(&import).len(), 1);
}

#[test]
fn decimals_of_the_app_that_a_currency_does_not_have_are_rounded() {
    let yen = |cost: &str, cells: &str| {
        row(&[("EUR", "¥"), ("10.01", cost), ("3.34,-3.34,-3.33", cells)])
    };
    let file = file(&[
        &yen("1000.00", "333.34,-333.33,-333.33"),
        &yen("1000.00", "333.34,-333.33,-333.33"),
        &yen("0.50", "0,0,-0.5"),
    ]);
    let json = r#"{"currency":"JPY","payers":{"4":"Anna"}}"#;
    let import = read(file.as_bytes(), &answers(json), today());
    assert_eq!(errors(&import), [""; 0]);
    assert_eq!(
        rows(&import),
        [
            "2026-01-31 Tea JPY: +0 1000, -0 334, -1 333, -2 333",
            "2026-01-31 Tea JPY: +0 1000, -0 333, -1 334, -2 333",
            "2026-01-31 Tea JPY: +0 1, -2 1",
        ]
    );
    assert_eq!(warnings(&import)[2], "4:5 the amount 0.5 is rounded to 1 JPY");
    let code = read(file.replace("¥", "JPY").as_bytes(), &answers(json), today());
    assert_eq!(rows(&code), rows(&import));
}

#[test]
fn answers_must_fit_the_questions() {
    let open = row(&[("3.34,-3.34,-3.33", "0,0,-10.01")]);
    for (answer, error) in [
        (r#"{"payers":{"2":"Anna"}}"#, None),
        (r#"{"payers":{"2":"Eve"}}"#, Some("2 the payer must be a member whose cell is 0")),
        (r#"{"payers":{"2":"Zed"}}"#, Some("2 payers must have the name of a member")),
        (r#"{"payers":{"2":"Anna","3":"Bob"}}"#, Some("payers must not have line 3")),
    ] {
        let import = read(file(&[&open]).as_bytes(), &answers(answer), today());
        let warned = errors(&import);
        assert_eq!(warned.len(), usize::from(error.is_some()), "{warned:?}");
        assert!(warned.iter().all(|it| it.starts_with(error.unwrap())), "{warned:?}");
    }
}

#[test]
fn broken_files_are_refused_at_their_line() {
    for (from, to, expected) in [
        ("2026-01-31", "2026-01-32", "3:1 the date must be"),
        ("10.01", "10,01", "3:5 the amount \"10,01\" must have a decimal point"),
        ("10.01", "ten", "3:5 the amount \"ten\" must be a number"),
        ("10.01", "11.01", "3 the shares sum to 10.01, but the cost is 11.01"),
        ("3.34,-3.34,-3.33", "0,0,-1", "3 the shares sum to 1, but the cost is 10.01"),
        (",-3.33", ",-3.3", "3 the shares sum to 9.98, but the cost is 10.01"),
        ("3.34,-3.34", "3.34,3.34", "3 only the cell of the payer must have"),
        ("3.34,-3.34", "-3.34,-3.34", "3 the cell of the payer must have the sign"),
        ("3.34,-3.34", "3.345,-3.34", "3:11 the amount must have at most 2"),
        ("3.34,-3.34", "NaN,-3.34", "3:11 the amount \"NaN\" must be a number"),
        (",-3.33", "", "3 the line has 12 cells"),
        ("\"No\"", "\"Nein\"", "3:9 Is Reimbursement must be Yes or No"),
        ("\"Evenly\"", "\"Evenly", "3:10 the quote that opens"),
        ("\"10.01\"", "", "3:5 the amount \"\" must be a number"),
        ("\"10.01\"", "\"0.00\"", "3 the cell of the payer must have the sign of the cost"),
        ("3.34,-3.34", "3.34,", "3:12 the amount \"\" must be a number"),
        (",-3.33", ",", "3:13 the amount \"\" must be a number"),
        ("\"EUR\"", "\"USD\"", "3:4 the currency must be \"EUR\", as in the rows above, not"),
        ("\"EUR\"", "", "3:4 the currency must be \"EUR\", as in the rows above, not \"\""),
    ] {
        assert_refused(&[(&file(&[&row(&[]), &row(&[(from, to)])]), expected)]);
    }
}
