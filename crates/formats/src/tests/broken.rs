//! Files that are cut off, too large, or of no known format.

use super::*;
use crate::{MAX_FILE, MAX_QUESTIONS, MAX_WARNINGS};

/// The errors for bytes.
fn errors_of(file: &[u8]) -> Vec<String> {
    errors(&read(file, &Answers::default(), today()))
}

/// Bills of IHateMoney with these owers, as JSON.
fn bills(owers: &str, count: usize) -> String {
    let bill = format!(
        r#"{{"what":"Tea","bill_type":"Expense","amount":9.0,"currency":"EUR","date":"2026-01-31",
        "payer_name":"Anna","payer_weight":1.0,"owers":[{owers}]}}"#
    );
    format!("[{}]", vec![bill; count].join(","))
}

/// A project of Cospend with this many members and bills.
fn project(members: usize, owers: usize, bills: usize) -> String {
    let names: Vec<String> = (0..members).map(|member| format!("Member {member}")).collect();
    let lines: Vec<String> = names.iter().map(|name| format!("\"{name}\",1,1,\"\"")).collect();
    let bill = format!(
        "\"Tea\",9,2026-01-31,1769850000,\"Member 0\",1,1,\"{}\",0,\"\"\n",
        names.get(..owers).unwrap().join(",")
    );
    format!(
        "name,weight,active,color\n{}\n\nwhat,amount,date,timestamp,payer_name,payer_weight,\
         payer_active,owers,categoryid,comment\n{}\ncurrencyname,exchange_rate\n\"EUR\",1\n",
        lines.join("\n"),
        bill.repeat(bills)
    )
}

#[test]
fn a_file_that_is_cut_off_is_refused_or_has_the_rows_before_the_cut() {
    // JSON has an end, and Splitwise's file has totals.
    let shows_its_end = |file: &str| file.starts_with(['{', '[']) || file.contains("Total balance");
    let answers =
        answers(include_str!("../../../../tests/fixtures/import/spliit.csv.answers.json"));
    for file in FILES {
        let read = |file: &str| {
            let answers =
                if file.contains("Is Reimbursement") { &answers } else { &Answers::default() };
            read(file.as_bytes(), answers, today())
        };
        let whole = read(file);
        assert!(whole.is_ready(), "{file}");
        let end = file.trim_end().len();
        for (cut, _) in file.char_indices().step_by(3).filter(|(cut, _)| *cut < end) {
            let import = read(&file[..cut]);
            if import.is_ready() {
                assert!(!shows_its_end(file), "{}", &file[..cut]);
                let is_warned =
                    warnings(&import).iter().any(|it| it.contains("whether it is complete"));
                assert!(is_warned || import.rows.len() == whole.rows.len(), "{}", &file[..cut]);
                let rows = &whole.rows[..import.rows.len()];
                // The bills before the first of these share what rounding withholds.
                if whole.format == Some(crate::Format::IhatemoneyCsv) {
                    assert!(import.rows.iter().map(|it| it.key).eq(rows.iter().map(|it| it.key)));
                } else {
                    assert_eq!(import.rows, rows, "{}", &file[..cut]);
                }
            }
        }
    }
}

#[test]
fn bytes_of_no_known_format_are_refused() {
    let utf_16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
    let header = "Date,Description,Category,Cost,Currency,Anna,Bob\n";
    for (file, error) in [
        (b"".to_vec(), "the file is empty"),
        (b"\xef\xbb\xbf".to_vec(), "the file is empty"),
        (b"\n\n \n".to_vec(), "the file is empty"),
        (
            b"PK\x03\x04\x14\0\x06\0".to_vec(),
            "the file is a ZIP archive or a spreadsheet like XLSX",
        ),
        (b"<html><body>Sign in</body></html>".to_vec(), "the file is a web page (HTML)"),
        ([b"\xff\xfe".to_vec(), utf_16(header)].concat(), "the file has no rows"),
        (utf_16(header), "the file has no rows"),
        (
            [header.as_bytes(), b"2026-01-31,Caf\xe9"].concat(),
            "2 a spreadsheet has saved it anew; take the file as the app wrote it",
        ),
        ([header.as_bytes(), b"2026-01-31,\0"].concat(), "2 the file has a NUL byte"),
        (header.replace('\n', "\r").into_bytes(), "the lines must end with LF or CRLF"),
        (vec![b','; 100_000], "1:601 a line must have at most 600 cells"),
        (
            format!("{header}{}", ",".repeat(100_000)).into_bytes(),
            "2:601 a line must have at most 600",
        ),
        (vec![b'x'; MAX_FILE + 1], "the file must have at most 5 MiB"),
        (vec![b'x'; MAX_FILE], "this is no export of Splitwise, "),
        (vec![b'"'; 99_999], "1:1 the quote that opens this cell is never closed"),
        (vec![b'['; 100_000], "[0] the file is cut off here; export it again"),
        ("{\"a\":".repeat(100_000).into_bytes(), "this is no export of Splitwise, "),
        (b"null".to_vec(), "this is no export of Splitwise, "),
        (
            b"{\"error\":\"Invalid group ID\"}".to_vec(),
            "this is the error with which an app has answered; export the group again",
        ),
        (b"\"Who pays?\",\"To whom?\",\"How much?\"\n".to_vec(), "the file has proposed payments"),
        (
            b"Member name,Paid,Spent,Balance\n\"Anna\",9,0,9\n".to_vec(),
            "the file has proposed payments or statistics",
        ),
        (b"id,amount,note,date,paid by\n1,2,3,4,5\n".to_vec(), "this is no export of Splitwise, "),
    ] {
        let errors = errors_of(&file);
        assert_eq!(errors.len(), 1, "{errors:#?}");
        assert!(errors[0].starts_with(error), "{errors:#?} instead of {error}");
    }
}

#[test]
fn rows_members_and_participants_of_every_format_are_bounded() {
    let name = |member: usize| format!("\"Member {member}\"");
    let names = |count: usize| (0..count).map(name).collect::<Vec<_>>().join(",");
    let participants = |count: usize| {
        let one = |member| format!(r#"{{"id":"{member}","name":"Member {member}"}}"#);
        let paid_for = |member| format!(r#"{{"participantId":"{member}","shares":100}}"#);
        let (all, all_paid_for): (Vec<_>, Vec<_>) =
            (0..count).map(|member| (one(member), paid_for(member))).unzip();
        format!(
            r#"{{"currencyCode":"EUR","participants":[{}],"expenses":[{{"id":"e","title":"Tea",
            "expenseDate":"2026-01-31","amount":9000,"paidById":"0","isReimbursement":false,
            "splitMode":"EVENLY","paidFor":[{}]}}]}}"#,
            all.join(","),
            all_paid_for.join(",")
        )
    };
    assert_refused(&[
        (&bills("\"Anna\"", 10_001), "[10000] the file must have at most 10000 rows"),
        (
            &bills(&names(46), 1),
            "[0] an expense must have at most 45 splits and further payers, not 46",
        ),
        (&bills(&names(501), 1), "[0] the file must have at most 500 members"),
        (
            &project(46, 46, 1),
            "50 an expense must have at most 45 splits and further payers, not 46",
        ),
        (&project(501, 1, 1), "502:1 the file must have at most 500 members"),
        (&participants(46), "expenses[0] a row must have at most 45 members, not 46"),
        (&participants(501), "participants[500] the file must have at most 500 members"),
    ]);
    assert_eq!(errors(&read_text(&project(500, 45, 100))), [""; 0]);
    assert_eq!(errors(&read_text(&participants(45))), [""; 0]);
    assert_eq!(read_text(&bills("\"Anna\"", 10_000)).rows.len(), 10_000);
}

#[test]
fn what_a_plan_lists_is_bounded() {
    // The cells of these rows say neither who paid nor anything else.
    let row = "\"2026-01-31\",\"Tea\",,\"EUR\",\"9.00\",,,,\"No\",\"Evenly\",0,0,-9\n";
    let header = "Date,Description,Category,Currency,Cost,Original cost,Original currency,\
                  Conversion rate,Is Reimbursement,Split mode,Anna,Bob,Eve\n";
    let import = read_text(&format!("{header}{}", row.repeat(2_000)));
    assert_eq!((import.questions.len(), import.is_ready()), (MAX_QUESTIONS, false));
    let zeros = project(1, 1, 2_000).replace(",9,2026", ",0,2026");
    let import = read_text(&zeros);
    assert_eq!((import.skipped, import.warnings.len()), (2_000, MAX_WARNINGS + 1));
    assert_eq!(warnings(&import)[0], "1000 further warnings are not listed");
    let import = read_text(&bills("\"Anna\"", 1_000).replace("2026-01-31", "2026-02-31"));
    assert_eq!(import.errors.len(), crate::MAX_ERRORS);
}

#[test]
fn numbers_and_dates_out_of_range_are_refused() {
    for (from, to, expected) in [
        ("9.0", "1e999999999", "[0].amount amount: 1e999999999 must have at most 38 digits"),
        ("9.0", "-1e-999999999", "[0].amount amount: -1e-999999999 must have at most 38 digits"),
        ("9.0", "9223372036854775808", "[0].amount amount must be at most"),
        ("9.0", "Infinity", "[0] the JSON of the file is broken here; export it again"),
        ("9.0", "true", "[0].amount amount: true must be a number"),
        ("9.0", "9.0,\"amount\":8.0", "[0] duplicate field `amount`"),
        (
            "\"payer_weight\":1.0",
            "\"payer_weight\":1e400",
            "[0].payer_weight payer_weight: 1e400 must have",
        ),
        ("2026-01-31", "2025-02-29", "[0].date date must be a day"),
        ("2026-01-31", "+12026-01-31", "[0].date date must be a day"),
        ("2026-01-31", "", "[0].date date must be a day"),
        ("\"EUR\"", "\"eur\"", "[0].currency currency \"eur\" must be an ISO 4217 code"),
        ("\"EUR\"", "7", "[0].currency currency: invalid type: integer `7`, expected a string"),
        ("\"Tea\"", "null", "[0].what what: invalid type: null, expected a string"),
        (
            "[\"Anna\"]",
            "[\"Anna\",7]",
            "[0].owers[1] owers[1]: invalid type: integer `7`, expected a string",
        ),
        ("\"Anna\",\"payer_weight", "\"  \",\"payer_weight", "[0].payer_name payer_name must have"),
    ] {
        let file = bills("\"Anna\"", 1);
        assert!(file.contains(from), "{from}");
        assert_refused(&[(&file.replace(from, to), expected)]);
    }
}

#[test]
fn dates_far_ahead_are_read_with_a_warning() {
    let today: Day = "2024-06-30".parse().unwrap();
    for file in FILES {
        let import = read(file.as_bytes(), &Answers::default(), today);
        let far = import.rows.iter().filter(|row| row.date > today.next_year()).count();
        let warned = warnings(&import).iter().filter(|it| it.contains("one year ahead")).count();
        assert!(warned >= far && far > 0 && import.errors.is_empty(), "{file}");
    }
}

#[test]
fn headers_of_splitwise_in_every_language_are_recognized() {
    for header in [
        "Date,Description,Category,Cost,Currency",
        "Datum,Beschreibung,Kategorie,Kosten,Währung",
        "Fecha,Descripción,Categoría,Coste,Moneda",
        "Date,Description,Catégorie,Coût,Devise",
        "Tanggal,Keterangan,Kategori,Biaya,Mata uang",
        "Data,Descrizione,Categoria,Costo,Valuta",
        "日付,概要,カテゴリ,費用,通貨",
        "Datum,Omschrijving,Categorie,Kosten,Valuta",
        "Data,Opis,Kategoria,Koszt,Waluta",
        "Data,Descrição,Categoria,Custo,Moeda",
        "Datum,Beskrivning,Kategori,Kostnad,Valuta",
        "วันที่,คำอธิบาย,หมวดหมู่,ราคา,สกุลเงิน",
    ] {
        let row = "2026-01-31,Tea,General,4.00,EUR,2.00,-2.00";
        let total = "2026-02-01,Total balance, , ,EUR,2.00,-2.00";
        let import = read_text(&format!("{header},Anna,Bob\n\n{row}\n\n{total}\n\n"));
        assert_eq!(balances(&import), ["Anna 2 EUR", "Bob -2 EUR"], "{header}");
        assert!(import.is_ready());
    }
}

#[test]
fn nothing_is_said_of_amounts_whose_currency_is_to_be_answered() {
    let amount = "12345678901234.1234567";
    let spliit = include_str!("../../../../tests/fixtures/import/spliit.csv");
    let spliit = spliit.replace("\"EUR\"", "\"$\"").replace("111.06", amount);
    let bills = bills("\"Anna\",\"Bob\"", 1).replace("EUR", "XXX").replace("9.0", amount);
    let project = project(2, 2, 1).replace("\"EUR\"", "\"$\"").replace(",9,", ",12345678901234,");
    for file in [spliit, bills, project] {
        let import = read_text(&file);
        assert!(!import.questions.is_empty(), "{file}");
        let said = format!("{:?}{:?}{:?}", import.questions, import.warnings, import.errors);
        assert!(!said.contains("USDT") && !said.contains(amount), "{said}");
    }
}
