use fracti_core::values::category::Category::{Food, Rent, Transport};

use super::*;

const FILE: &str = include_str!("../../../../tests/fixtures/import/cospend.csv");
const BILLS: &str = "what,amount,date,timestamp,payer_name,payer_weight,payer_active,owers,repeat,\
                     repeatfreq,repeatallactive,repeatuntil,categoryid,paymentmode,paymentmodeid,\
                     comment,deleted";

/// A bill of 9.00 that Anna paid for Bob, with some of its cells replaced.
fn bill(replaced: &[(&str, &str)]) -> String {
    let line = "\"Tea\",9,2026-01-31,1769850000,\"Anna\",1,1,\"Bob\",n,1,0,,0,n,0,\"\",0";
    replaced.iter().fold(line.to_owned(), |line, (from, to)| {
        assert!(line.contains(from), "{from}");
        line.replacen(from, to, 1)
    })
}

/// A project of these members with these bills, in euros.
fn project(members: &[&str], bills: &[String]) -> String {
    let members: Vec<_> = members.iter().map(|it| format!("\"{it}\",1,1,\"#000000\"")).collect();
    let members = members.join("\n");
    let bills = bills.join("\n");
    format!(
        "name,weight,active,color\n{members}\n\n{BILLS}\n{bills}\n\ncurrencyname,exchange_rate\n\
         \"EUR\",1\n\n"
    )
}

#[test]
fn amounts_are_divided_by_weights() {
    let import = read_text(FILE);
    assert_eq!(errors(&import), [""; 0]);
    assert_eq!(
        rows(&import),
        [
            "2026-01-31 Dinner, \"Chez Léa\" EUR: +1 10000, -0 2222, -3 2222, -1 4445, -2 1111",
            "2026-01-31 Groceries for two EUR: +0 333, -0 111, -1 222",
            "2026-02-01 =Rent EUR: +3 123450, -3 82300, -2 41150",
            "2026-02-01 Converted EUR: +2 1845, -0 1230, -2 615",
            "2026-02-01 Anna → Bob EUR: 0>3 25005",
            "2026-02-01 Deposit back EUR: +1 -3000, -0 -1000, -1 -2000",
        ]
    );
    assert_eq!(
        warnings(&import),
        [
            "the rules of recurrence of 1 row are not imported",
            "9:2 amount 3.3333333333333 is rounded to 3.33 EUR",
            "12:2 amount 18.452769 is rounded to 18.45 EUR",
            "15:2 amount 0.001 is rounded to 0 EUR",
            "15 the row is left out: its amount is zero",
        ]
    );
    assert_eq!(
        balances(&import),
        ["Anna 227.75 EUR", "Smith, Jo 43.33 EUR", "דנה כהן -410.31 EUR", "Bob 139.23 EUR",]
    );
    let notes = import.rows[0].notes.as_ref().unwrap().as_str();
    assert_eq!(notes, "without wine & \"cheese\"\nCarol's 50%");
    let categories = import.rows.iter().map(|row| row.category?.built_in());
    let categories: Vec<_> = categories.collect();
    assert_eq!(categories, [Some(Food), Some(Food), Some(Rent), Some(Transport), None, None]);
}

#[test]
fn exports_without_a_section_of_members_are_read() {
    let header = BILLS.replace(",deleted", "");
    let member = |name: &str, weight| {
        format!("deleteMeIfYouWant,1,1970-01-01,0,\"{name}\",{weight},1,\"{name}\",n,,,,,,,")
    };
    let bill = "\"Tea\",9,2026-01-31,1769850000,\"Anna\",1,1,\"Anna, Smith, Jo\",n,1,0,,0,n,0,";
    let lines = [header, bill.to_owned(), member("Anna", 1), member("Smith, Jo", 2)].join("\n");
    let import = read(lines.as_bytes(), &answers(r#"{"currency":"EUR"}"#), today());
    assert_eq!(errors(&import), [""; 0]);
    assert_eq!(rows(&import), ["2026-01-31 Tea EUR: +0 900, -0 300, -1 600"]);

    let without = lines.lines().take(2).collect::<Vec<_>>().join("\n").replace("Smith, Jo", "Bob");
    let import = read(without.as_bytes(), &answers(r#"{"currency":"EUR"}"#), today());
    assert_eq!(import.questions.len(), 1);
    let import =
        read(without.as_bytes(), &answers(r#"{"currency":"EUR","weights":{"Bob":0.5}}"#), today());
    assert!(import.is_ready());
    assert_eq!(rows(&import), ["2026-01-31 Tea EUR: +0 900, -0 600, -1 300"]);
}

#[test]
fn a_main_currency_that_is_not_in_the_file_is_asked() {
    let euros = project(&["Anna", "Bob"], &[bill(&[])]);
    let none = euros.split_once("\n\ncurrencyname").unwrap().0.to_owned();
    for (file, answer, net) in [
        (&euros, "{}", Some("Anna 9 EUR")),
        (&euros.replace("\"EUR\"", "\"€\""), "{}", Some("Anna 9 EUR")),
        (&euros.replace("\"EUR\"", "\"Fr.\""), "{}", None),
        (&euros.replace("\"EUR\"", "\"Fr.\""), r#"{"currency":"CHF"}"#, Some("Anna 9 CHF")),
        (&none, "{}", None),
        (&none, r#"{"currency":"JPY"}"#, Some("Anna 9 JPY")),
    ] {
        let import = read(file.as_bytes(), &answers(answer), today());
        assert_eq!(errors(&import), [""; 0]);
        assert_eq!(balances(&import).first().map(String::as_str), net, "{file}");
        assert_eq!(import.is_ready(), net.is_some());
    }
}

#[test]
fn quotes_outside_of_bills_are_not_doubled() {
    let doubled = |name: &str| name.replace('"', "\"\"");
    for name in
        ["Rob \"Bob\" Roe", "Rob \"Bob\"", "\"Bob\"", "5\" Bob", "\"", "Jo \"Bob\", jr.", "Bob,\""]
    {
        let file = project(&[name, "Anna"], &[bill(&[("Bob", &doubled(name))])]);
        let import = read_text(&file);
        assert_eq!(errors(&import), [""; 0], "{name}");
        assert_eq!(rows(&import), ["2026-01-31 Tea EUR: +1 900, -0 900"]);
        assert_eq!(import.people[0].name.as_str(), name);
        // A spreadsheet doubles them.
        let saved = file.replace(&format!("\n\"{name}\""), &format!("\r\n\"{}\"", doubled(name)));
        let import = read_text(&saved);
        assert_eq!(import.people.first().map(|it| it.name.as_str()), Some(name), "{saved}");
        let quoted = file.replace(BILLS, &BILLS.replace(',', "\",\"").replace("what", "\"what"));
        let import = read_text(&quoted.replace("deleted", "deleted\""));
        assert_eq!(errors(&import), [""; 0], "{quoted}");
    }
}

#[test]
fn dates_before_1970_become_its_first_day() {
    let before =
        |date: &str| bill(&[("2026-01-31,1769850000", &format!("{date},-86400")), ("Tea", "Old")]);
    let import = read_text(&project(&["Anna", "Bob"], &[before("1969-12-31"), bill(&[])]));
    assert_eq!(errors(&import), [""; 0]);
    assert_eq!(
        warnings(&import),
        ["6:3 date 1969-12-31 is before 1970 and is imported as 1970-01-01"]
    );
    assert_eq!(
        rows(&import),
        ["1970-01-01 Old EUR: +0 900, -1 900", "2026-01-31 Tea EUR: +0 900, -1 900"]
    );
    for (date, expected) in [
        ("1969-13-31", "6:3 date must be a day"),
        ("196", "6:3 date must be a day"),
        ("2026-01-31", "6:4 timestamp must be seconds"),
    ] {
        assert_refused(&[(&project(&["Anna", "Bob"], &[before(date)]), expected)]);
    }
}

#[test]
fn bills_in_the_trash_bin_are_left_out() {
    let import = read_text(&project(&["Anna", "Bob"], &[bill(&[("\"\",0", "\"\",1")])]));
    assert_eq!(warnings(&import), ["1 deleted row is left out"]);
    assert_eq!((import.rows.len(), import.skipped), (0, 1));
}

#[test]
fn broken_files_are_refused_at_their_line() {
    for (from, to, expected) in [
        (",9,", ",1.0E+25,", "7:2 amount must be at most"),
        (",9,", ",NAN,", "7:2 amount \"NAN\" must be a number"),
        (",9,", ",,", "7:2 amount \"\" must be a number"),
        ("1769850000", "-5", "7:4 timestamp must be seconds"),
        ("1769850000", "99999999999999999", "7:4 timestamp must be seconds"),
        (
            "2026-01-31,1769850000",
            "31.1.26,",
            "7:3 \"31.1.26\": a spreadsheet has changed the dates",
        ),
        ("\"Anna\"", "\"Eve\"", "7:5 payer_name must be a member"),
        ("\"Bob\"", "\"Eve\"", "7:8 owers must only have names of members"),
        ("\"Bob\"", "\"\"", "7:8 owers must only have names of members"),
        ("\"Bob\"", "\"Bob,Bob\"", "7:8 owers must have each name only once"),
        ("\"Tea\"", "\"Te\"a\"", "7:1 text must not follow"),
        (",n,1,0,,0,n,0,\"\",0", "", "7 the line has 8 cells"),
        ("\"\",0", "\"\",", "7:17 deleted must be 0 or 1, not \"\""),
        (",n,1,0,,0,n,0,\"\",0", ",n,1,0,,0,n,0,\"", "7:16 text must not follow"),
    ] {
        let file = project(&["Anna", "Bob"], &[bill(&[]), bill(&[(from, to)])]);
        assert_refused(&[(&file, expected)]);
    }
    assert_refused(&[
        (
            &project(&["Anna", "Bob", "Smith", "Jo", "Smith,Jo"], &[bill(&[("Bob", "Smith,Jo")])]),
            "9:8 owers can be read in several ways",
        ),
        (&project(&["Anna", "Bob", "Anna"], &[]), "4:1 another member has the name"),
        (&project(&["Anna", "B\"o\nb"], &[]), "3:1 text must not follow"),
        (
            &project(&["Anna", "Bob"], &[bill(&[("Bob", "Anna,Bob")])])
                .replace("\"Bob\",1", "\"Bob\",-1"),
            "6 the weights must not be negative",
        ),
        (&project(&["Anna"], &[]).replace("what,", "whatever,"), "4 the line must be the header"),
        (
            &project(&["Anna"], &[]).replace("weight", "color"),
            "1 the section must have a column weight",
        ),
        (
            &project(&["Anna"], &[]).replace(",amount", ",sum"),
            "4 the section must have a column amount",
        ),
        (&format!("{}{BILLS}\n", project(&["Anna"], &[])), "10 a section with this header"),
        (
            "name,weight,active,color\n\"Anna\",1,1,\"#000000\"\n",
            "the file has no section of bills",
        ),
        (
            &project(&["Anna"], &[]).replace("\"EUR\",1", "\"EUR\",2"),
            "8:2 the main currency must have",
        ),
        (
            &format!("{}{}", project(&["Anna"], &[]).trim_end(), "\n\"CHF\",2".repeat(10_000)),
            "10008 a section must have at most 10000 lines",
        ),
    ]);
}

#[test]
fn names_of_the_android_app_have_no_blanks_between_them() {
    let member = |name: &str, weight: &str| {
        format!(
            "\"deleteMeIfYouWant\",1.0,1970-01-01,666,\"{name}\",{weight},1,\"{name}\",n,0,n,0,\"\"\n"
        )
    };
    let file = format!(
        "what,amount,date,timestamp,payer_name,payer_weight,payer_active,owers,repeat,categoryid,\
         paymentmode,paymentmodeid,comment\n{}{}{}\
         \"Tea\",12.0,2026-01-31,1769850000,\"Anna\",1.0,1,\"Anna,Smith, Jo,Bob\",n,0,n,0,\"\"\n\n\
         currencyname,exchange_rate\n\"EUR\",1\n",
        member("Anna", "1.0"),
        member("Bob", "2.0"),
        member("Smith, Jo", "1.0"),
    );
    let import = read_text(&file);
    assert_eq!(errors(&import), [""; 0]);
    assert_eq!(balances(&import), ["Anna 9 EUR", "Bob -6 EUR", "Smith, Jo -3 EUR"]);
    let ended = read_text(&file.replace("Jo,Bob\"", "Jo,Bob,\""));
    assert_eq!(balances(&ended), balances(&import));
    let unknown = "5:8 owers must only have names of members";
    assert_refused(&[(&file.replace("Jo,Bob\"", "Jo,Bobby\""), unknown)]);
}

/// A project of three, with bills that have a column of payers.
fn with_payers(cell: &str) -> Import {
    let bill = "what,amount,date,timestamp,payer_name,payer_weight,payer_active,owers,repeat,\
                repeatfreq,repeatallactive,repeatuntil,categoryid,paymentmode,paymentmodeid,comment,\
                deleted,payers";
    let file = format!(
        "name,weight,active,color\nAlma,1,1,#1\nBert,1,1,#2\n\"Zoe, the banker\",1,1,#3\n\n{bill}\n\
         Hotel,100,2024-01-15,1705276800,Alma,1,1,\"Alma,Bert\",n,1,0,,0,n,0,,0,{cell}\n\
         Taxi,20,2024-01-16,1705363200,Bert,1,1,\"Alma,Bert\",n,1,0,,0,n,0,,0,\n"
    );
    read(file.as_bytes(), &answers(r#"{"currency":"EUR"}"#), today())
}

#[test]
fn payers_of_a_bill_are_read_from_their_column() {
    let several =
        r#""[{""name"":""Alma"",""amount"":60},{""name"":""Zoe, the banker"",""amount"":40}]""#;
    let import = with_payers(several);
    assert_eq!(errors(&import), [""; 0]);
    assert_eq!(
        rows(&import),
        [
            "2024-01-15 Hotel EUR: +0 6000, +2 4000, -0 5000, -1 5000",
            "2024-01-16 Taxi EUR: +1 2000, -0 1000, -1 1000",
        ]
    );
    // A file that adds the payers has the same bills.
    let before = with_payers("");
    let keys = |import: &Import| import.rows.iter().map(|row| row.key).collect::<Vec<_>>();
    assert_eq!(keys(&import), keys(&before));
    for (cell, rule) in [
        (r#""[{""name"":""Alma"",""amount"":60}]""#, "payers must sum to 100, not to 60"),
        (r#""[{""name"":""Eve"",""amount"":100}]""#, "payers must only have names of members"),
        (
            r#""[{""name"":""Alma"",""amount"":50},{""name"":""Alma"",""amount"":50}]""#,
            "payers must have each name only once",
        ),
        (
            r#""[{""name"":""Alma"",""amount"":120},{""name"":""Bert"",""amount"":-20}]""#,
            "payers must sum to 100, not to 100, and have its sign",
        ),
        ("Alma", "payers must be JSON: expected value"),
    ] {
        let refused = errors(&with_payers(cell));
        assert_eq!(refused.len(), 1, "{refused:?}");
        assert!(refused[0].contains(rule), "{refused:?}");
    }
}
