use super::*;

const FILE: &str = include_str!("../../../../tests/fixtures/import/tricount.csv");
const CASE: &str = include_str!("../../../../tests/fixtures/import/cases/tricount-support.csv");

/// A file of a tricount in euros with these columns after the first five, and these lines.
fn file(columns: &str, lines: &[&str]) -> String {
    let header = "Title,Amount,Currency,Exchange rate,Amount in default currency (EUR)";
    format!("{header},{columns}\n{}\ntricount T - Exported on 2026-02-01\n", lines.join("\n"))
}

#[test]
fn payers_and_impacts_are_read() {
    let import = read_text(FILE);
    assert_eq!(errors(&import), [""; 0]);
    assert_eq!(
        rows(&import),
        [
            "2026-01-30 Hotel EUR: +0 10000, -0 3334, -1 3333, -2 3333",
            "2026-01-30 Dinner, \"Chez Léa\" EUR: +1 3000, +2 1250, -0 2125, -1 2125",
            "2026-01-31 Museum EUR: +2 11040, -0 5520, -2 5520",
            "2026-02-01 Deposit back EUR: +0 -2000, -0 -1000, -1 -1000",
            "2026-02-03 Tom & Jo pay EUR: 1>0 3333",
        ]
    );
    let names: Vec<_> = import.people.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["Anna", "Tom & Jo", "דנה כהן"]);
    let categories = import.rows.iter().map(|row| row.category.map(|it| it.to_string()));
    let categories: Vec<String> = categories.map(Option::unwrap_or_default).collect();
    assert_eq!(categories, ["travel", "food", "other", "", ""]);
    let note = import.rows[2].notes.as_ref().unwrap().as_str();
    assert_eq!(note, "Paid in Tricount: 120.00 USD at 0.92");
    assert_eq!(
        warnings(&import),
        [
            "the receipts of 1 row are not imported",
            "1 row has a category that Fracti does not know, read as other: Hobbies (1)",
            "4 \"Museum\" of 2026-01-31 was 120.00\u{a0}USD, and is recorded as 110.40\u{a0}EUR",
        ]
    );
}

#[test]
fn case_of_the_support_is_read() {
    let import = read_text(CASE);
    assert_eq!((errors(&import), warnings(&import)), (vec![], vec![]));
    assert_eq!(balances(&import), [""; 0]);
    assert_eq!(
        rows(&import),
        ["2024-12-22 Hotel EUR: +0 8500, -0 4250, -1 4250", "2024-12-23 Repayment EUR: 1>0 4250",]
    );
}

#[test]
fn the_end_is_shown_by_the_last_line() {
    let ended = |file: &str| {
        let import = read_text(file);
        assert_eq!(errors(&import), [""; 0], "{file}");
        !warnings(&import)
            .iter()
            .any(|it| it.starts_with("the file does not show whether it is complete"))
    };
    let whole = CASE.trim_end();
    let (rows, _) = whole.rsplit_once('\n').unwrap();
    assert!(ended(whole) && ended(&format!("{rows}\ntricount A, B, C - Exported on x\n\n")));
    assert!(ended(&format!("{rows}\n\"tricount A\",,,,,,,,,,,\n")));
    assert!(!ended(rows));
    assert_refused(&[
        (&format!("{whole}\nTea,1"), "4 the line has 1 cells, but the header has 12"),
        (&format!("{rows}\nalpine trip\n"), "4 the line has 1 cells, but the header has 12"),
    ]);
}

#[test]
fn an_older_file_names_the_payer() {
    let columns = "Type,Category,Date & time,Paid by,Impacted to Ann,Impacted to Bo";
    let old = file(columns, &["Tea,3.00,EUR,1,3.00,Expense,,2026-01-31 10:00:00,Ann,-1.00,-2.00"]);
    let import = read_text(&old);
    assert_eq!(errors(&import), [""; 0]);
    assert_eq!(rows(&import), ["2026-01-31 Tea EUR: +0 300, -0 100, -1 200"]);
    // The newer file of the same tricount has the same rows.
    let columns = "Type,Category,Date & time,Paid by Ann,Paid by Bo,Impacted to Ann,Impacted to Bo";
    let new = "Tea,-3.00,EUR,1,-3.00,Expense,,2026-01-31 10:00:00,-3.00,0.00,-1.00,-2.00";
    assert_eq!(keys(&import), keys(&read_text(&file(columns, &[new]))));
    assert_refused(&[
        (&old.replace(",Ann,-1", ",Eve,-1"), "2:9 the payer must be a member"),
        (&old.replace("-1.00,-2.00", "1.00,-2.00"), "2 the impacts on members must all be"),
        (&old.replace("-1.00,-2.00", "-1.00,-1.00"), "2 the shares sum to 2, but the amount is 3"),
        (&old.replace("Paid by", "Payer"), "1 no column has the payers"),
        (&old.replace("to Bo", "to Ann"), "1 two members have the same name"),
    ]);
}

#[test]
fn french_headers_are_read() {
    let header = "Titre,Montant,Devise,Taux de change,Montant dans la devise du tricount (CHF),\
                  Type de transaction,Catégorie,Date & heure,Payé par,Impacté à Ann,Impacté à Bo";
    let lines = "Thé,3,CHF,1,3,Dépense,Courses,03/02/2026 10:00,Ann,-1,-2\n\
                 Retour,2,CHF,1,2,Transfert d’argent,,04/02/2026 10:00,Bo,-2,0\n";
    let import = read_text(&format!("{header}\n{lines}tricount Alpes - Exporté le 05/02/2026\n"));
    assert_eq!((errors(&import), warnings(&import).len()), (vec![], 0), "{:?}", warnings(&import));
    assert_eq!(
        rows(&import),
        ["2026-02-03 Thé CHF: +0 300, -0 100, -1 200", "2026-02-04 Retour CHF: 1>0 200"]
    );
}

#[test]
fn other_languages_are_read_by_what_the_columns_have() {
    let first = "Titel,Betrag,Währung,Kurs,Betrag in Standardwährung (EUR),Typ,Datum";
    let old = format!(
        "{first},Bezahlt von,Betrifft Ann,Betrifft Bo\n\
         Tee,3,EUR,1,3,Ausgabe,3. Februar 2026,Ann,-1,-2\n\
         Zurück,2,EUR,1,2,Überweisung,13/2/2026,Bo,-2,0\n"
    );
    let new = format!(
        "{first},Bezahlt von Ann,Bezahlt von Bo,Betrifft Ann,Betrifft Bo\n\
         Tee,3,EUR,1,3,Ausgabe,3. Februar 2026,3,0,-1,-2\n\
         Zurück,2,EUR,1,2,Überweisung,13/2/2026,0,2,-2,0\n"
    );
    for file in [&old, &new] {
        let import = read_text(file);
        assert_eq!(errors(&import), [""; 0], "{file}");
        assert_eq!(
            rows(&import),
            ["2026-02-03 Tee EUR: +0 300, -0 100, -1 200", "2026-02-13 Zurück EUR: +1 200, -0 200",]
        );
        assert_eq!(balances(&import), [""; 0]);
        let warned = warnings(&import);
        let unclear = "1 row is recorded as an expense, although one person paid all for one other";
        assert!(warned.iter().any(|it| it.starts_with(unclear)), "{warned:?}");
    }
    assert_refused(&[
        (&old.replace("Bezahlt von,", "Notiz,").replace(",Ann,-1", ",,-1"), "1 the columns of the"),
        (
            &old.replace("3. Februar 2026", "bald").replace("13/2/2026", "bald"),
            "1 no column has dates",
        ),
    ]);
}

#[test]
fn days_and_months_are_told_apart_or_refused() {
    let columns = "Date & time,Paid by,Impacted to Ann,Impacted to Bo";
    let line = |date: &str| format!("Tea,3,EUR,1,3,{date},Ann,-1,-2");
    let dates = |dates: &[&str]| {
        let lines: Vec<String> = dates.iter().map(|date| line(date)).collect();
        file(columns, &lines.iter().map(|line| &**line).collect::<Vec<_>>())
    };
    let import = read_text(&dates(&["3/2/2026 10:00", "13/2/2026", "12 February 2026"]));
    assert_eq!(errors(&import), [""; 0]);
    let days: Vec<String> = import.rows.iter().map(|row| row.date.to_string()).collect();
    assert_eq!(days, ["2026-02-03", "2026-02-13", "2026-02-12"]);
    assert_refused(&[
        (&dates(&["3/2/2026"]), "2:6 the date \"3/2/2026\" may have the day or the month first"),
        (&dates(&["13/2/2026", "2/13/2026"]), "3:6 the date must be a day"),
        (&dates(&["soon"]), "2:6 the date \"soon\" must be a day like"),
    ]);
}

#[test]
fn shares_that_the_app_rounded_one_by_one_go_round() {
    let columns = "Type,Date & time,Paid by,Impacted to Ann,Impacted to Bo,Impacted to Cy";
    let line = |day: u8| format!("Tea,10,EUR,1,10,Expense,2026-01-{day:02},Ann,-3.33,-3.33,-3.33");
    let lines: Vec<String> = [3, 1, 2].into_iter().map(line).collect();
    let import = read_text(&file(columns, &lines.iter().map(|line| &**line).collect::<Vec<_>>()));
    assert_eq!(balances(&import), ["Ann 20 EUR", "Bo -10 EUR", "Cy -10 EUR"]);
}
