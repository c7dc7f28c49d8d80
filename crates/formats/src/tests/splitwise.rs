use fracti_core::values::currency::Currency;

use super::*;

const FILE: &str = include_str!("../../../../tests/fixtures/import/splitwise.csv");

/// A file with these rows, and the totals `0.00` of EUR for its two members.
fn file(rows: &str) -> String {
    let header = "Date,Description,Category,Cost,Currency,Anna,Bob\n\n";
    format!("{header}{rows}\n\n2026-01-05,Total balance, , ,EUR,0.00,0.00\n\n")
}

#[test]
fn balances_equal_the_totals_of_the_file() {
    let import = read_text(FILE);
    assert_eq!(errors(&import), [""; 0]);
    assert_eq!(
        balances(&import),
        [
            "Anna Smith 12.14 EUR",
            "O'Neil, Bob 40.73 EUR",
            "Zoë \"Zed\" Ünal -52.85 EUR",
            "דנה כהן -0.02 EUR",
            "Anna Smith -1000 JPY",
            "Zoë \"Zed\" Ünal -1000 JPY",
            "דנה כהן 2000 JPY",
            "Anna Smith 2.25 KWD",
            "דנה כהן -2.25 KWD",
        ]
    );
    assert_eq!(import.checks.len(), 12);
    assert!(import.checks.iter().all(|check| check.agrees && check.file == check.computed));
    let sums = import.sums();
    assert_eq!((sums.expenses, sums.settlements, import.skipped), (10, 1, 1));
}

#[test]
fn cents_are_those_of_the_file() {
    let import = read_text(FILE);
    assert_eq!(
        rows(&import),
        [
            "2025-12-28 Train to the Alps EUR: +0 10000, -0 3333, -1 3334, -2 3333",
            "2025-12-29 Dinner, \"Chez Léa\" EUR: +1 8010, -1 2003, -0 2003, -2 2002, -3 2002",
            "2025-12-29 =SUM(A1:A9) EUR: +1 1000, -1 500, -0 500",
            "2025-12-30 Ski pass for two EUR: +0 2000, +1 2500, -2 4500",
            "2025-12-31 Ramen JPY: +3 3000, -3 1000, -0 1000, -2 1000",
            "2025-12-31 Taxi KWD: +0 4500, -0 2250, -3 2250",
            "2026-01-02 Mum paid for the lunch EUR: +3 3000, -3 1500, -1 1500",
            "2026-01-02 Coffee EUR: +1 400, -1 200, -0 200",
            "2026-01-02 Coffee EUR: +1 400, -1 200, -0 200",
            "2026-01-03 Zoë Ü. paid Anna S. EUR: 2>0 4550",
            "2026-01-04 Settle all balances EUR: +3 500, -1 500",
        ]
    );
    assert_eq!(
        warnings(&import),
        [
            "1 row has several payers: in 0, equal shares are assumed; in 1, only what each \
             paid beyond their own share is imported, with the cost in the notes",
            "8 the row is left out: it changes no balance, because the members paid only for \
             themselves",
        ]
    );
}

#[test]
fn columns_of_an_export_in_another_language_are_taken_by_position() {
    let german = FILE
        .replacen(
            "Date,Description,Category,Cost,Currency",
            "Datum,Beschreibung,Kategorie,Kosten,Währung",
            1,
        )
        .replace("Total balance", "Gesamtsaldo")
        .replace(",Payment,", ",Zahlung,")
        .replace(",Dining out,", ",Restaurant,");
    let german = read_text(&german);
    let english = read_text(FILE);
    assert_eq!(errors(&german), [""; 0]);
    assert_eq!(rows(&german), rows(&english));
    assert_eq!(keys(&german), keys(&english));
}

#[test]
fn spreadsheets_that_saved_the_file_are_understood() {
    let lines: Vec<String> = FILE
        .lines()
        .map(|line| {
            let line = line.replace("\"Dinner, \"\"Chez Léa\"\"\"", "Dinner");
            line.replace("\"O'Neil, Bob\"", "Bob")
        })
        .map(|line| line.replace(',', ";").replace('.', ","))
        .collect();
    let saved = format!("\u{feff}{}\r\n", lines.join("\r\n"));
    let import = read_text(&saved);
    assert_eq!(errors(&import), [""; 0]);
    let bob = |it: &String| it.replace("O'Neil, Bob", "Bob");
    assert_eq!(balances(&import), balances(&read_text(FILE)).iter().map(bob).collect::<Vec<_>>());
}

#[test]
fn empty_lines_that_a_spreadsheet_has_filled_are_skipped() {
    let rows =
        "2026-01-02,Tea,General,4.00,EUR,2.00,-2.00\n2026-01-03,Tea,General,4.00,EUR,-2.00,2";
    let plain = format!("Note: does not include group expenses\n\n{}", file(rows));
    let padded: Vec<String> = plain
        .lines()
        .map(|line| format!("{line}{}", ",".repeat(6 - line.matches(',').count())))
        .collect();
    for header in ["Date,Description,Category,Cost,Currency", "Data,Opis,Kategoria,Koszt,Waluta"] {
        let padded = padded.join("\r\n").replace("Date,Description,Category,Cost,Currency", header);
        let import = read_text(&padded);
        assert_eq!(errors(&import), [""; 0]);
        assert_eq!(super::rows(&import), super::rows(&read_text(&plain)));
        assert_eq!(keys(&import), keys(&read_text(&plain)));
    }
}

#[test]
fn a_friendship_may_begin_with_a_note() {
    let rows =
        ["2.00,-2.00", "-2.00,2.00"].map(|it| format!("2026-01-02,Tea,General,4.00,EUR,{it}"));
    let file = format!("Note: does not include group expenses\n\n{}", file(&rows.join("\n")));
    let import = read_text(&file);
    assert_eq!(errors(&import), [""; 0]);
    assert_eq!(import.rows[0].place, RowPlace::Line(5));
    assert_eq!(super::rows(&import)[1], "2026-01-02 Tea EUR: +1 400, -1 200, -0 200");
}

#[test]
fn a_longer_export_has_the_keys_of_the_shorter_one() {
    let longer = FILE
        .lines()
        .map(|line| match line.chars().filter(|it| *it == ',').count() {
            0 => line.to_owned(),
            _ if line.starts_with("Date") => format!("{line},New"),
            _ if line.starts_with('"') || line.ends_with("\"Ski pass") => line.to_owned(),
            _ => format!("{line},0.00"),
        })
        .map(|line| {
            if line
                == "2026-01-03,Zoë Ü. paid Anna S.,Payment,45.50,EUR,-45.50,0.00,45.50,0.00,0.00"
            {
                format!("2026-01-02,Coffee,Dining out,4.00,EUR,-2.00,2.00,0.00,0.00,0.00\n{line}")
            } else {
                line
            }
        })
        .collect::<Vec<_>>()
        .join("\n")
        .replace("EUR,12.14,40.73", "EUR,10.14,42.73");
    let longer = read_text(&longer);
    let shorter = read_text(FILE);
    assert_eq!(errors(&longer), [""; 0]);
    let longer = keys(&longer);
    let shorter = keys(&shorter);
    assert_eq!(longer.len(), shorter.len() + 1);
    assert!(shorter.keys().all(|key| longer.contains_key(key)));
}

#[test]
fn cells_that_are_finer_than_a_minor_unit_are_rounded() {
    let header = "Date,Description,Category,Cost,Currency,Anna,Bob,Eve,Zoe\n\n";
    let row = "2026-01-02,Car,Car,1231.46,USD,923.595,-307.865,-307.865,-307.865\n";
    let yen = "2026-01-02,Ramen,General,10,JPY,7.50,-2.50,-2.50,-2.50\n";
    let totals = "\n2026-01-05,Total balance, , ,USD,1847.19,-615.73,-615.73,-615.73\n\
                  2026-01-05,Total balance, , ,JPY,7.50,-2.50,-2.50,-2.50\n";
    let import = read_text(&format!("{header}{row}{row}{yen}{totals}"));
    assert_eq!(errors(&import), [""; 0]);
    assert_eq!(
        balances(&import),
        [
            "Anna 8 JPY",
            "Bob -2 JPY",
            "Eve -3 JPY",
            "Zoe -3 JPY",
            "Anna 1847.19 USD",
            "Bob -615.73 USD",
            "Eve -615.73 USD",
            "Zoe -615.73 USD",
        ]
    );
    let rounded = "the amounts are finer than a minor unit of USD; they are rounded";
    assert_eq!(warnings(&import)[0], format!("3 {rounded}"));
    assert!(keys(&import).values().all(|count| *count == 1));
}

#[test]
fn thousands_are_not_read_as_decimals() {
    let row = "2026-01-02,Car,Car,1.234,EUR,1.234,-1.234";
    assert_refused(&[(
        &file(row).replace("0.00,0.00", "1.234,-1.234"),
        "3:6 the amount must have at most 2 decimals in EUR",
    )]);
}

#[test]
fn decimal_commas_are_certain_if_a_number_begins_with_0() {
    let lines = "Data;Opis;Kategoria;Koszt;Waluta;Anna;Bob;Eve\n\n\
                 2026-01-02;Taxi;General;16,659;KWD;16,659;-16,659;0,000\n\n\
                 2026-01-05;Saldo; ; ;KWD;16,659;-16,659;0,000\n";
    assert_eq!(balances(&read_text(lines)), ["Anna 16.659 KWD", "Bob -16.659 KWD"]);
}

#[test]
fn rows_of_an_export_in_another_language_are_refused_at_their_line() {
    let rows = "2026-01-02,Tea,General,4.00,EUR,2.00,-2.00";
    let german = file(rows).replace(
        "Date,Description,Category,Cost,Currency",
        "Datum,Beschreibung,Kategorie,Kosten,Währung",
    );
    let unknown = "3:5 the currency \"XYZ\" must be an ISO 4217 code in capitals, like EUR";
    assert_refused(&[
        (
            &german.replace("2026-01-02", "02.01.2026"),
            "3:1 \"02.01.2026\": a spreadsheet has changed the dates",
        ),
        (&german.replace("EUR", "XYZ"), unknown),
    ]);
}

#[test]
fn columns_that_a_spreadsheet_has_added_are_skipped() {
    let rows = "2026-01-02,Tea,General,4.00,EUR,2.00,-2.00\n\
                2026-01-02,Tea,General,4.00,EUR,-2.00,2.00";
    let plain = file(rows);
    let padded: Vec<String> = plain.lines().map(|line| format!("{line},, ")).collect();
    let import = read_text(&padded.join("\n"));
    assert_eq!(errors(&import), [""; 0]);
    assert_eq!(keys(&import), keys(&read_text(&plain)));
    let used = padded.join("\n").replacen("-2.00,2.00,, ", "-2.00,2.00,,3", 1);
    assert_refused(&[(&used, "1:9 the name of a member must have")]);
}

#[test]
fn members_of_one_name_are_told_apart() {
    let file = file("2026-01-02,Tea,General,4.00,EUR,2.00,-2.00")
        .replace("Anna,Bob", "Bob,bob")
        .replace("EUR,0.00,0.00", "EUR,2,-2");
    let import = read_text(&file);
    assert_eq!(balances(&import), ["Bob 2 EUR", "bob (2) -2 EUR"]);
    assert_eq!(import.warnings.len(), 1);
}

#[test]
fn broken_rows_are_refused_at_their_line() {
    for (cells, expected) in [
        ("2026-13-02,Tea,General,4.00,EUR,-2.00,2.00", "4:1 the date must be a day"),
        (
            "02.01.2026,Tea,General,4.00,EUR,-2.00,2.00",
            "4:1 \"02.01.2026\": a spreadsheet has changed the dates; take the file as Splitwise \
             wrote it",
        ),
        ("2026-01-02,Tea,General,4.00,EUR,-2.00,2.01", "4 the cells of the members sum to 0.01"),
        ("2026-01-02,Tea,General,4.00,EURO,-2.00,2.00", "4:5 the currency \"EURO\" must be"),
        ("2026-01-02,Tea,General,4.00,,-2.00,2.00", "4:5 the currency \"\" must be"),
        ("2026-01-02,Tea,General,four,EUR,-2.00,2.00", "4:4 the amount \"four\" must be a number"),
        ("2026-01-02,Tea,General,NaN,EUR,-2.00,2.00", "4:4 the amount \"NaN\" must be a number"),
        (
            "2026-01-02,Tea,General,4.00,EUR,-2.00,Infinity",
            "4:7 the amount \"Infinity\" must be a number",
        ),
        ("2026-01-02,Tea,General,4.00,EUR,-2.00,", "4:7 the amount \"\" must be a number"),
        (
            "2026-01-02,Tea,General,4.00,EUR,\"-2,00\",2.00",
            "4:6 the amount \"-2,00\" must have a decimal point",
        ),
        ("2026-01-02,Tea,General,4.00,EUR,-2.006,2.00", "4 the cells of the members sum to -0.006"),
        ("2026-01-02,Tea,General,1e30,EUR,-2.00,2.00", "4:4 the amount must be at most"),
        (
            "2026-01-02,Tea,General,1e999,EUR,-2.00,2.00",
            "4:4 the amount \"1e999\" must have at most 38 digits",
        ),
        ("2026-01-02,Tea,General,1.00,EUR,-2.00,2.00", "4:4 the cells of the members exceed"),
        ("2026-01-02,Tea,General,0.00,EUR,-2.00,2.00", "4:4 the cells of the members exceed"),
        ("2026-01-02,Tea,General,4.00,EUR,-2.00", "4 the line has 6 cells"),
        ("2026-01-02,Tea,General,4.00,EUR,-2.00,2.00,0.00", "4 the line has 8 cells"),
        ("2026-01-02,\"Tea,General,4.00,EUR,-2.00,2.00", "4:2 the quote that opens"),
        ("2026-01-02,Te\"a,General,4.00,EUR,-2.00,2.00", "4:2 a cell that contains a quote"),
        ("2026-01-02,\"Te\"a,General,4.00,EUR,-2.00,2.00", "4:2 text must not follow"),
        ("", "6:6 the total of Anna in EUR is 0, but its rows sum to 2"),
        (
            "2026-01-02,Tea,,92233720368547758,EUR,-92233720368547758,92233720368547758",
            "4 the amounts in EUR are too large",
        ),
    ] {
        let rows = format!("2026-01-01,Tea,General,4.00,EUR,2.00,-2.00\n{cells}");
        assert_refused(&[(&file(&rows), expected)]);
    }
}

#[test]
fn files_that_are_no_whole_export_are_refused() {
    let header = "Date,Description,Category,Cost,Currency";
    let row = "2026-01-01,Tea,General,4.00,EUR,2.00,-2.00";
    assert_refused(&[
        (&format!("{header},Anna,Bob\n\n{row}\n"), "3 the file ends without the totals in EUR"),
        (&format!("{header},Anna,Bob\n\n{row}\n{row}\n2026-01-01,T"), "5 the line has 2 cells"),
        (&format!("{header},Anna,\n\n{row}\n"), "1:7 the name of a member must have"),
        (&format!("{header}\n\n"), "this is no export of"),
        ("Date;Description\n\n2026-01-01;Tea\n", "this is no export of Splitwise, "),
        (&format!("{row}\n{row}\n"), "this is no export of"),
        (&file("2026-01-05,Sum, , ,EUR,0.00,0.00"), "5:5 the totals in EUR must appear only once"),
        (&format!("{header},Anna,Bob\r\r{row}\r"), "the lines must end with LF or CRLF"),
        ("hello\n", "this is no export of Splitwise, "),
        ("\"hello\n", "1:1 the quote that opens"),
    ]);
}

#[test]
fn all_errors_of_a_file_are_reported_up_to_a_hundred() {
    let wrong =
        file("2026-01-32,Tea,General,x,EUR,y,-2.00\n2026-01-02,Tea,General,4.00,XXX,2.00,-2.00");
    let import = read_text(&wrong);
    let places: Vec<_> = import.errors.iter().map(|it| (it.line(), it.column)).collect();
    assert_eq!(places, [(3, 1), (3, 6), (4, 5)].map(|(line, column)| (Some(line), Some(column))));
    let many = file(&"2026-01-32,Tea,General,4.00,EUR,2.00,-2.00\n".repeat(200));
    assert_eq!(read_text(&many).errors.len(), 100);
}

#[test]
fn rows_members_and_shares_are_bounded() {
    let rows = |count: usize| "2026-01-02,Tea,General,4.00,EUR,2.00,-2.00\n".repeat(count);
    let total =
        |text: String, sum: usize| text.replace("EUR,0.00,0.00", &format!("EUR,{sum},-{sum}"));
    let most = read_text(&total(file(&rows(10_000)), 20_000));
    assert_eq!((errors(&most), most.rows.len()), (vec![], 10_000));
    let too_many = read_text(&file(&rows(10_001)));
    assert_eq!(errors(&too_many), ["10003 the file must have at most 10000 rows"]);

    let wide = |members: usize, takers: usize| {
        let cell = |member: usize| match member {
            0 => takers.to_string(),
            _ if member <= takers => "-1".to_owned(),
            _ => "0".to_owned(),
        };
        let names: Vec<_> = (0..members).map(|it| format!("M{it}")).collect();
        let cells: Vec<_> = (0..members).map(cell).collect();
        let names = names.join(",");
        let cells = cells.join(",");
        format!(
            "Date,Description,Category,Cost,Currency,{names}\n\n2026-01-02,Tea,General,{takers},\
             EUR,{cells}\n\n2026-01-05,Total balance, , ,EUR,{cells}\n"
        )
    };
    assert_eq!(errors(&read_text(&wide(500, 45))), [""; 0]);
    assert_eq!(errors(&read_text(&wide(50, 46))), ["3 a row must have at most 45 members, not 46"]);
    assert_eq!(errors(&read_text(&wide(501, 1))), ["1:506 the file must have at most 500 members"]);
}

/// An amount of this number of minor units, like "12.5".
fn amount(code: &str, minor: i64) -> String {
    let currency: Currency = code.parse().unwrap();
    currency.to_major(minor).to_string()
}

#[test]
fn a_long_export_in_three_currencies_equals_its_totals() {
    let names: Vec<_> = (0..12).map(|member| format!("Member {member}")).collect();
    let mut lines = vec![format!("Date,Description,Category,Cost,Currency,{}", names.join(","))];
    let codes = ["EUR", "JPY", "KWD"];
    let mut totals = codes.map(|_| vec![0; names.len()]);
    for row in 0..1_500 {
        let currency = row % 3;
        let sharers = 2 + row % 9;
        let cost = 1_000 + 37 * i64::try_from(row).unwrap();
        // The shares are as equal as those that the app rounds.
        let mut nets = vec![0; names.len()];
        let mut left = cost;
        for sharer in 0..sharers {
            let share = left / i64::try_from(sharers - sharer).unwrap();
            nets[(row + sharer) % names.len()] -= share;
            left -= share;
        }
        nets[row * 7 % names.len()] += cost;
        totals[currency].iter_mut().zip(&nets).for_each(|(total, net)| *total += net);
        let code = codes[currency];
        let cells: Vec<_> = nets.iter().map(|net| amount(code, *net)).collect();
        let year = 20 + row / 300;
        let month = 1 + row % 12;
        let day = 1 + row % 28;
        let date = format!("20{year:02}-{month:02}-{day:02}");
        let cost = amount(code, cost);
        let cells = cells.join(",");
        lines.push(format!("{date},Row {},Groceries,{cost},{code},{cells}", row % 50));
    }
    for (code, totals) in codes.iter().zip(&totals) {
        let cells: Vec<_> = totals.iter().map(|total| amount(code, *total)).collect();
        lines.push(format!("\n2026-01-05,Total balance, , ,{code},{}", cells.join(",")));
    }
    let import = read_text(&lines.join("\n"));
    assert_eq!(errors(&import), [""; 0]);
    assert_eq!((import.rows.len(), import.checks.len()), (1_500, 36));
    let expected = codes.iter().zip(&totals).flat_map(|(code, totals)| {
        let members = names.iter().zip(totals).filter(|(_, total)| **total != 0);
        members.map(move |(name, total)| format!("{name} {} {code}", amount(code, *total)))
    });
    assert_eq!(balances(&import), expected.collect::<Vec<_>>());
    assert!(keys(&import).values().all(|count| *count == 1));
}

/// The balances, the rows and the warnings of a row that several members paid.
fn paid_by_several(header: &str, row: &str, total: &str) -> (Vec<String>, Vec<String>, String) {
    let file = format!("{header}\n\n{row}\n\n{total}\n");
    let import = read_text(&file);
    assert_eq!(errors(&import), [""; 0]);
    assert_eq!(import.checks.iter().filter(|it| !it.agrees).count(), 0);
    let note = import.rows[0].notes.as_ref().map(ToString::to_string).unwrap_or_default();
    (rows(&import), warnings(&import), note)
}

#[test]
fn several_payers_keep_the_amount_of_their_bill() {
    let (read, warned, note) = paid_by_several(
        "Datum,Beschreibung,Kategorie,Kosten,Währung,Uma,VIC,Wim,Xia",
        "2026-05-15,gal essen 2,Restaurant,90.00,USD,7.50,-22.50,17.50,-2.50",
        "2026-05-16,Gesamtbilanz, , ,USD,7.50,-22.50,17.50,-2.50",
    );
    assert_eq!(
        read,
        ["2026-05-15 gal essen 2 USD: +0 3000, +2 4000, +3 2000, -0 2250, -1 2250, -2 2250, -3 \
             2250"]
    );
    assert_eq!(
        warned,
        ["1 row has several payers: in 1, equal shares are assumed; in 0, only what each paid \
          beyond their own share is imported, with the cost in the notes"]
    );
    assert_eq!(note, "Splitwise does not export who paid how much: equal shares are assumed");
    let header = "Date,Description,Category,Cost,Currency,A,B,C,D,E,F";
    let (read, _, _) = paid_by_several(
        header,
        "2026-05-22,Peacock drinks,Liquor,86.40,GBP,11.52,-17.28,-17.28,11.52,11.52,0.00",
        "2026-05-23,Total balance, , ,GBP,11.52,-17.28,-17.28,11.52,11.52,0.00",
    );
    assert_eq!(
        read,
        ["2026-05-22 Peacock drinks GBP: +0 2880, +3 2880, +4 2880, -0 1728, -1 1728, -2 1728, \
          -3 1728, -4 1728"]
    );
    // The odd cent is of the member whose net shows it.
    let (read, _, _) = paid_by_several(
        "Date,Description,Category,Cost,Currency,A,B,C,D",
        "2026-05-22,Tea,General,10.01,EUR,2.51,2.50,-2.51,-2.50",
        "2026-05-23,Total balance, , ,EUR,2.51,2.50,-2.51,-2.50",
    );
    assert_eq!(read, ["2026-05-22 Tea EUR: +0 501, +1 500, -0 250, -1 250, -2 251, -3 250"]);
    // A refund is mirrored.
    let (read, _, _) = paid_by_several(
        "Date,Description,Category,Cost,Currency,A,B,C",
        "2026-05-22,Deposit,General,-90.00,EUR,-15.00,-15.00,30.00",
        "2026-05-23,Total balance, , ,EUR,-15.00,-15.00,30.00",
    );
    assert_eq!(read, ["2026-05-22 Deposit EUR: +0 -4500, +1 -4500, -0 -3000, -1 -3000, -2 -3000"]);
}

#[test]
fn shares_that_fit_no_payments_stay_nets_with_the_cost_in_the_notes() {
    // In equal shares of 30.00, C would have paid -10.00.
    let (read, warned, note) = paid_by_several(
        "Date,Description,Category,Cost,Currency,A,B,C",
        "2026-05-22,Boat,General,90.00,EUR,30.00,10.00,-40.00",
        "2026-05-23,Total balance, , ,EUR,30.00,10.00,-40.00",
    );
    assert_eq!(read, ["2026-05-22 Boat EUR: +0 3000, +1 1000, -2 4000"]);
    assert!(warned[0].contains("in 0, equal shares are assumed; in 1, only what each paid"));
    assert_eq!(note, "Cost in Splitwise: 90.00 EUR; its file does not say who paid how much");
}

#[test]
fn categories_are_read_in_the_language_of_the_file() {
    let row =
        |day: u32, category: &str| format!("2026-05-{day},x,{category},2.00,EUR,1.00,-1.00\n");
    let named =
        ["Flugzeug", "Allgemein", "Lebensmittel", "Casa - Otro", "飲食 - その他", "Foo", "Foo"];
    let body: String = (10..).zip(named).map(|(day, name)| row(day, name)).collect();
    let file = format!(
        "Datum,Beschreibung,Kategorie,Kosten,Währung,A,B\n\n{body}\n\
         2026-05-30,Gesamtbilanz, , ,EUR,7.00,-7.00\n"
    );
    let import = read_text(&file);
    assert_eq!(errors(&import), [""; 0]);
    let categories = import.rows.iter().map(|row| row.category.map(|it| it.to_string()));
    let categories: Vec<_> = categories.map(Option::unwrap_or_default).collect();
    assert_eq!(categories, ["travel", "", "food", "other", "food", "other", "other"]);
    assert_eq!(
        warnings(&import),
        ["2 rows have categories that Fracti does not know, read as other: Foo (2)"]
    );
}

#[test]
fn a_number_of_rows_has_the_form_of_its_words() {
    use fracti_texts::Language;

    for (rows, english, russian) in [
        (
            1,
            "1 row has a category that Fracti does not know, read as other: Foo (1)",
            "1 строка с категорией, которой Fracti не знает, прочитана как «другое»: Foo (1)",
        ),
        (
            3,
            "3 rows have categories that Fracti does not know, read as other: Foo (3)",
            "3 строки с категориями, которых Fracti не знает, прочитаны как «другое»: Foo (3)",
        ),
    ] {
        let row = "2026-01-02,Tea,Foo,4.00,EUR,0.02,-0.02\n".repeat(rows);
        let net = format!("0.0{}", 2 * rows);
        let file = file(&row).replace("EUR,0.00,0.00", &format!("EUR,{net},-{net}"));
        let import = read_text(&file);
        assert_eq!(errors(&import), [""; 0]);
        let message = &import.warnings[0].message;
        assert_eq!(Language::ALL.map(|it| message.text(it)), [english, russian]);
    }
}
