use super::*;
use crate::Format;

const JSON: &str = include_str!("../../../../tests/fixtures/import/ihatemoney.json");
const CSV: &str = include_str!("../../../../tests/fixtures/import/ihatemoney.csv");
const HEADER: &str = "what,bill_type,amount,currency,date,payer_name,payer_weight,owers";

/// A CSV file with these lines.
fn csv(lines: &[&str]) -> String {
    format!("{HEADER}\r\n{}\r\n", lines.join("\r\n"))
}

#[test]
fn json_and_csv_have_equal_rows_and_balances() {
    let json = read_text(JSON);
    let csv = read_text(CSV);
    assert_eq!((errors(&json), errors(&csv)), (vec![], vec![]));
    assert_eq!(
        (json.format, csv.format),
        (Some(Format::IhatemoneyJson), Some(Format::IhatemoneyCsv))
    );
    assert_eq!(rows(&json), rows(&csv));
    assert_eq!(balances(&json), balances(&csv));
    assert_eq!(keys(&json), keys(&csv));
    assert_eq!(json.people, csv.people);
    assert!(json.is_ready() && csv.is_ready());
    let places = |import: &Import| import.rows.iter().map(|row| row.place).collect::<Vec<_>>();
    assert_eq!(places(&json), [0, 1, 2, 3, 4, 5, 6, 7, 8].map(|index| RowPlace::Item("", index)));
    assert_eq!(places(&csv), [2, 3, 4, 5, 6, 7, 8, 10, 11].map(RowPlace::Line));
}

#[test]
fn amounts_are_divided_by_weights() {
    let import = read_text(JSON);
    assert_eq!(
        rows(&import),
        [
            "2026-02-04 Own book EUR: +0 1200, -0 1200",
            "2026-02-03 Ramen JPY: +1 101, -0 51, -1 50",
            "2026-02-03 Taxi KWD: +2 4510, -2 1503, -3 3007",
            "2026-02-02 Settlement EUR: 3>0 2000",
            "2026-02-02 Deposit back EUR: +4 -3000, -0 -857, -4 -429, -3 -1714",
            "2026-02-01 =SUM(A1:A9) EUR: +0 999, -2 500, -0 499",
            "2026-01-31 Dinner, with \"wine\" EUR: +3 10000, -2 2222, -0 2223, -4 1111, -3 4444",
            "2026-01-31 Groceries EUR: +4 333, -0 83, -3 167, -1 83",
            "2026-01-30 Cabin EUR: +0 123456789, -0 41152263, -3 82304526",
        ]
    );
    assert_eq!(
        warnings(&import),
        [
            "[1].amount amount 100.5 is rounded to 101 JPY",
            "[9] the row is left out: its amount is zero",
        ]
    );
    assert_eq!(
        balances(&import),
        [
            "Anna 823015.77 EUR",
            "דנה -0.83 EUR",
            "-Dash -27.22 EUR",
            "Smith, Jo -822954.23 EUR",
            "Bob \"B\" -33.49 EUR",
            "Anna -51 JPY",
            "דנה 51 JPY",
            "-Dash 3.007 KWD",
            "Smith, Jo -3.007 KWD",
        ]
    );
}

#[test]
fn weights_of_members_who_never_paid_are_asked() {
    let file = csv(&[
        "Tea,Expense,9.0,EUR,2026-01-31,Anna,2.0,\"Anna, Bob, Eve\"",
        "Pen,Expense,1.0,EUR,2026-01-31,Anna,2.0,Dan",
    ]);
    let asked = read_text(&file);
    let names = |import: &Import| -> Vec<String> {
        let name = |it: &crate::Question| match &it.asks {
            crate::Asks::Weight { name } => name.to_string(),
            other => panic!("{other:?}"),
        };
        import.questions.iter().map(name).collect()
    };
    assert_eq!(names(&asked), ["Bob", "Eve"]);
    assert_eq!(balances(&asked), ["Anna 5.5 EUR", "Bob -2.25 EUR", "Eve -2.25 EUR", "Dan -1 EUR"]);
    let some = read(file.as_bytes(), &answers(r#"{"weights":{"Bob":0.5}}"#), today());
    assert_eq!(names(&some), ["Eve"]);
    let all = read(file.as_bytes(), &answers(r#"{"weights":{"Bob":0.5,"Eve":"2"}}"#), today());
    assert!(all.is_ready());
    assert_eq!(balances(&all), ["Anna 6 EUR", "Bob -1 EUR", "Eve -4 EUR", "Dan -1 EUR"]);
    let wrong = read(file.as_bytes(), &answers(r#"{"weights":{"Anna":1,"Zed":1}}"#), today());
    assert_eq!(errors(&wrong).len(), 2);
    assert!(errors(&wrong)[0].starts_with("weights must not have Anna: "));
}

#[test]
fn a_name_with_a_separator_that_appears_in_lists_only_can_be_answered() {
    let file = csv(&[
        "Tea,Expense,9.0,EUR,2026-01-31,Anna,1.0,\"Anna, Smith, Jo\"",
        "Pen,Expense,4.0,EUR,2026-01-31,Anna,1.0,\"Smith, Jo, Anna\"",
    ]);
    let asked = read_text(&file);
    assert_eq!(asked.questions.len(), 2);
    for (weights, net) in
        [(r#"{"Smith, Jo":1}"#, "Anna 6.5 EUR"), (r#"{"Smith":1,"Jo":1}"#, "Anna 8.67 EUR")]
    {
        let answers = answers(&format!(r#"{{"weights":{weights}}}"#));
        let import = read(file.as_bytes(), &answers, today());
        assert!(import.is_ready(), "{:?}", errors(&import));
        assert_eq!((warnings(&import).len(), &*balances(&import)[0]), (1, net));
    }
}

#[test]
fn a_file_that_may_be_cut_off_in_a_name_is_refused() {
    let row = |owers| format!("Tea,Expense,9.0,EUR,2026-01-31,Anna,1.0,{owers}");
    let cut = |owers| {
        let lines = [row("Bob"), row("\"Anna, Eve\""), row(owers)];
        csv(&lines.iter().map(|line| &**line).collect::<Vec<_>>()).trim_end().to_owned()
    };
    for complete in ["Anna", "Bob", "Eve", "\"Anna, Dan\""] {
        assert_eq!(errors(&read_text(&cut(complete))), [""; 0], "{complete}");
    }
    assert_refused(&[(&cut("Ev"), "4:8 the file may be cut off here")]);
}

#[test]
fn two_people_with_one_name_are_one_with_an_open_weight() {
    let lines =
        ["1.0", "2.0"].map(|it| format!("Tea,Expense,9.0,EUR,2026-01-31,Bob,{it},\"Bob, Al\""));
    let lines: Vec<&str> = lines.iter().map(|line| &**line).collect();
    assert_eq!(read_text(&csv(&lines)).questions.len(), 2);
}

#[test]
fn a_bill_without_a_currency_has_the_answered_one() {
    let file = csv(&[
        "Tea,Expense,9.0,XXX,2026-01-31,Anna,1.0,Bob",
        "Pen,Expense,1.0,CHF,2026-01-31,Anna,1.0,Bob",
        "Settlement,Reimbursement,5.0,,2026-01-31,Bob,1.0,Anna",
    ]);
    let asked = read_text(&file);
    assert_eq!(asked.questions.len(), 1);
    assert_eq!(balances(&asked), ["Anna 1 CHF", "Bob -1 CHF"]);
    let import = read(file.as_bytes(), &answers(r#"{"currency":"EUR"}"#), today());
    assert_eq!(balances(&import), ["Anna 1 CHF", "Bob -1 CHF", "Anna 4 EUR", "Bob -4 EUR"]);
    assert_eq!(keys(&import).keys().filter(|key| keys(&asked).contains_key(*key)).count(), 1);
}

#[test]
fn a_currency_that_iso_4217_does_not_have_is_asked() {
    let line = |code: &str| format!("Tea,Expense,9.0,{code},2026-01-31,Anna,1.0,Bob");
    let pounds = answers(r#"{"currency":"GBP"}"#);
    for code in ["CNH", "GGP", "IMP", "JEP", "XAG", "XAU"] {
        let file = csv(&[&line(code), &line("EUR"), &line(code)]);
        let asked = read_text(&file);
        assert_eq!((errors(&asked).len(), asked.questions.len()), (0, 1), "{code}");
        let question = format!("which currency {code} do the amounts have?");
        assert_eq!(asked.questions[0].message.to_string(), question);
        let import = read(file.as_bytes(), &pounds, today());
        assert_eq!(balances(&import), ["Anna 9 EUR", "Bob -9 EUR", "Anna 18 GBP", "Bob -18 GBP"]);
    }
    for code in ["ANG", "STD", "VEF"] {
        assert!(read_text(&csv(&[&line(code)])).is_ready(), "{code}");
    }
    for (code, other) in [("JEP", "XAU"), ("JEP", "XXX")] {
        let import = read(csv(&[&line(code), &line(other)]).as_bytes(), &pounds, today());
        let error = "2:4 currency must be \"";
        assert!(errors(&import)[0].starts_with(error), "{:?}", errors(&import));
    }
}

#[test]
fn older_exports_have_no_type() {
    let file = "what,amount,date,payer_name,payer_weight,owers\r\n\
                Tea,9.0,2026-01-31,Anna,1.0,Anna\r\n";
    let import = read(file.as_bytes(), &answers(r#"{"currency":"EUR"}"#), today());
    assert_eq!(rows(&import), ["2026-01-31 Tea EUR: +0 900, -0 900"]);
}

#[test]
fn broken_files_are_refused_at_their_line() {
    let second = |line: &str| csv(&["Tea,Expense,9.0,EUR,2026-01-31,Anna,1.0,Anna", line]);
    for (line, expected) in [
        ("Tea,Expense,nan,EUR,2026-01-31,Anna,1.0,Anna", "3:3 amount \"nan\" must be a number"),
        ("Tea,Expense,inf,EUR,2026-01-31,Anna,1.0,Anna", "3:3 amount \"inf\" must be a number"),
        ("Tea,Expense,1e+17,EUR,2026-01-31,Anna,1.0,Anna", "3:3 amount must be at most"),
        ("Tea,Expense,9.0,EURO,2026-01-31,Anna,1.0,Anna", "3:4 currency \"EURO\" must be"),
        (
            "Tea,Expense,9.0,EUR,31/01/2026,Anna,1.0,Anna",
            "3:5 \"31/01/2026\": a spreadsheet has changed the dates",
        ),
        ("Tea,Expense,9.0,EUR,2026-01-31,Anna,x,Anna", "3:7 payer_weight \"x\" must be a number"),
        ("Tea,Expense,9.0,EUR,2026-01-31,Anna,1.0,", "3:8 owers must have"),
        ("Tea,Expense,9.0,EUR,2026-01-31,,1.0,Anna", "3:6 payer_name must have"),
        ("Tea,Expense,9.0,EUR,2026-01-31,Anna,1.0", "3 the line has 7 cells"),
        ("Tea,Gift,9.0,EUR,2026-01-31,Anna,1.0,Anna", "3:2 bill_type must be Expense or"),
        (
            "Tea,Expense,9.0,EUR,2026-01-31,Anna,1.0,\"Anna, Anna\"",
            "3:8 owers must have each name only once",
        ),
        (
            "Tea,Expense,9.0,EUR,2026-01-31,Bob,-1.0,\"Anna, Bob\"",
            "3 the weights must not be negative",
        ),
        ("Tea,Expense,9.0,EUR,2026-01-31,Anna,1.0,\"Anna, B", "3:8 the quote that opens"),
    ] {
        assert_refused(&[(&second(line), expected)]);
    }
    let smiths = csv(&[
        "Tea,Expense,9.0,EUR,2026-01-31,Smith,1.0,Jo",
        "Tea,Expense,9.0,EUR,2026-01-31,\"Smith, Jo\",1.0,\"Smith, Jo\"",
    ]);
    let bill = r#"{"what":"Tea","bill_type":"Expense","amount":9.0,"currency":"EUR",
        "date":"2026-01-31","payer_name":"Anna","payer_weight":1.0,"owers":["Anna"]}"#;
    let json = |from: &str, to: &str| format!("[{bill},{}]", bill.replace(from, to));
    assert_refused(&[
        (&smiths, "3:8 owers can be read in several ways"),
        (&format!("{HEADER}\r\nTea,Expense,9.0"), "2 the line has 3 cells"),
        ("ower,receiver,amount,currency\r\nA,B,1.0,EUR\r\n", "the file has the transactions"),
        (
            r#"[{"ower":"A","receiver":"B","amount":1.0,"currency":"EUR"}]"#,
            "the file has the trans",
        ),
        ("[]", "the list of bills is empty"),
        ("[1]", "this is no export of"),
        (&format!("[{bill},1]"), "[1] invalid type: integer `1`, expected a bill"),
        (&json("9.0", "NaN"), "[1] the JSON of the file is broken here"),
        (&json("9.0", "\"9.0\""), "[1].amount amount: \"9.0\" must be a number"),
        (&json("9.0", "9e999"), "[1].amount amount: 9e999 must have at most 38 digits"),
        (&json("[\"Anna\"]", "[]"), "[1].owers owers must not be empty"),
        (&json("[\"Anna\"]", "\"Anna\""), "[1].owers owers: invalid type: string"),
        (&json("\"what\":\"Tea\",", ""), "[1] missing field `what`"),
        (&json("", "")[..300], "[1] the file is cut off here"),
    ]);
}

#[test]
fn balances_of_many_bills_are_those_that_the_app_shows() {
    let bill = r#"{"what":"Tea","bill_type":"Expense","amount":10.0,"currency":"EUR",
        "date":"2026-01-31","payer_name":"Anna","payer_weight":1.0,"owers":["Anna","Bob","Eve"]}"#;
    let file = format!("[{}]", vec![bill; 300].join(","));
    let import = read(file.as_bytes(), &answers(r#"{"weights":{"Bob":1,"Eve":1}}"#), today());
    assert_eq!(errors(&import), [""; 0]);
    assert_eq!(balances(&import), ["Anna 2000 EUR", "Bob -1000 EUR", "Eve -1000 EUR"]);
}

#[test]
fn weights_may_be_fractions_in_floating_point() {
    let bill = |payer: &str, weight: &str, amount: &str| {
        format!(
            r#"{{"what":"Tea","bill_type":"Expense","amount":{amount},"currency":"EUR","date":"2026-01-31",
            "payer_name":"{payer}","payer_weight":{weight},"owers":["Anna","Bob"]}}"#
        )
    };
    let bills = [bill("Anna", "0.3333333333333333", "40.0"), bill("Bob", "1.0", "8.0")];
    let import = read_text(&format!("[{}]", bills.join(",")));
    assert_eq!(errors(&import), [""; 0]);
    assert_eq!(balances(&import), ["Anna 28 EUR", "Bob -28 EUR"]);
}

#[test]
fn names_that_guests_cannot_have_are_shortened_or_replaced() {
    let long = "Smith, Jo ".repeat(12);
    let long = long.trim_end();
    let import = read_text(&csv(&[
        &format!("Tea,Expense,9.0,EUR,2026-01-31,\"{long}\",1.0,\u{200b}"),
        &format!("Tea,Expense,9.0,EUR,2026-01-31,\u{200b},1.0,\"{long}, \u{200b}\""),
    ]));
    assert_eq!(errors(&import), [""; 0]);
    let cut = long[..100].trim_end();
    assert_eq!(balances(&import), [format!("{cut} 4.5 EUR"), "Unnamed -4.5 EUR".to_owned()]);
    assert_eq!(
        warnings(&import)[1..],
        [
            format!("2:6 payer_name {cut} is shortened to 100 characters"),
            "2:8 owers cannot be seen; Unnamed is read instead".to_owned(),
        ]
    );
}

#[test]
fn bills_that_are_imported_as_they_come_have_the_shares_of_all_at_once() {
    // Anna paid each bill for three; the app writes the newest one first.
    let line = |day: usize| {
        let amount = ["10.0", "3.34", "7.01"][day % 3];
        format!(
            "Tea,Expense,{amount},EUR,2026-{:02}-{:02},Anna,1.0,\"Anna, Bob, Eve\"",
            day / 2 / 28 + 1,
            day / 2 % 28 + 1
        )
    };
    let export = |bills: usize| {
        let lines: Vec<String> = (0..bills).rev().map(line).collect();
        let answers = answers(r#"{"weights":{"Bob":1,"Eve":1}}"#);
        let import = read(
            csv(&lines.iter().map(|it| &**it).collect::<Vec<_>>()).as_bytes(),
            &answers,
            today(),
        );
        assert!(import.is_ready(), "{:?}", errors(&import));
        import
    };
    let shares = |import: &Import| -> BTreeMap<String, Movement> {
        import.rows.iter().map(|row| (row.key.to_string(), row.movement.clone())).collect()
    };
    let all = shares(&export(60));
    for bills in 1..60 {
        for (key, movement) in shares(&export(bills)) {
            assert_eq!(all.get(&key), Some(&movement), "{bills}");
        }
    }
}
