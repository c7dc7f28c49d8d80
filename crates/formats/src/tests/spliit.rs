use super::*;

const FILE: &str = include_str!("../../../../tests/fixtures/import/spliit.json");

/// The JSON of a group with this currency and these expenses.
fn group(currency: &str, expenses: &str) -> String {
    format!(
        r#"{{"id":"g","name":"G","information":null,{currency},"expenses":[{expenses}],
        "participants":[{{"id":"a","name":"Anna"}},{{"id":"b","name":"Bob"}}],"activities":[]}}"#
    )
}

const EUR: &str = r#""currency":"€","currencyCode":"EUR""#;

/// An expense of 10.01 that Anna paid for both, with some parts of its JSON replaced.
fn expense(replaced: &[(&str, &str)]) -> String {
    let json = r#"{"id":"e1","createdAt":"2026-01-30T18:30:12.345Z",
        "expenseDate":"2026-01-30T00:00:00.000Z","title":"Tea","category":null,"amount":1001,
        "originalAmount":null,"originalCurrency":null,"conversionRate":null,"paidById":"a",
        "paidFor":[{"participantId":"a","shares":100},{"participantId":"b","shares":100}],
        "isReimbursement":false,"splitMode":"EVENLY","recurrenceRule":"NONE","notes":null}"#;
    replaced.iter().fold(json.to_owned(), |json, (from, to)| {
        assert!(json.contains(from), "{from}");
        json.replace(from, to)
    })
}

#[test]
fn balances_are_those_that_the_app_shows() {
    let import = read_text(FILE);
    assert_eq!(errors(&import), [""; 0]);
    assert_eq!(
        balances(&import),
        [
            "Anna 17.92 EUR",
            "Bob \"Bobby\" O'Neil, jr. -109.03 EUR",
            "=Carol 97.22 EUR",
            "דנה כהן -6.11 EUR",
        ]
    );
    let sums = import.sums();
    assert_eq!((sums.expenses, sums.settlements, import.skipped), (8, 3, 0));
    assert_eq!(
        import.rows[0].notes.as_ref().unwrap().as_str(),
        "without wine\nCarol does not drink"
    );
}

#[test]
fn odd_cents_are_those_of_the_app() {
    let import = read_text(FILE);
    assert_eq!(
        rows(&import),
        [
            "2026-01-30 Dinner, \"Chez Léa\" EUR: +0 10000, -1 3334, -0 3333, -2 3333",
            "2026-01-30 Coffee EUR: +1 1001, -3 334, -0 333, -2 334",
            "2026-01-31 Cabin EUR: +2 33333, -1 13333, -3 10000, -0 3333, -2 6667",
            "2026-01-31 Electricity EUR: +3 9999, -1 3333, -0 3333, -2 3333",
            "2026-02-01 Groceries EUR: +0 4567, -1 3067, -0 1500",
            "2026-02-01 Deposit back EUR: +2 -10000, -1 -3333, -0 -3333, -2 -3334",
            "2026-02-02 Train tickets EUR: +1 11106, -1 2776, -3 2776, -0 2777, -2 2777",
            "2026-02-03 Reimbursement EUR: 3>0 2500",
            "2026-02-03 Back to both EUR: 0>1 500, 0>2 501",
            "2026-02-04 Own treat EUR: +1 700, -1 700",
        ]
    );
    assert_eq!(
        warnings(&import),
        [
            "the rules of recurrence of 1 row are not imported",
            "expenses[6] \"Train tickets\" of 2026-02-02 was 120.31\u{a0}CHF, and is recorded as \
             111.06\u{a0}EUR",
        ]
    );
}

#[test]
fn amounts_have_the_decimals_that_the_app_knows() {
    for (currency, answer, net) in [
        (r#""currency":"¥","currencyCode":"JPY""#, "{}", "Anna 500 JPY"),
        (r#""currency":"Ft","currencyCode":"HUF""#, "{}", "Anna 500 HUF"),
        (r#""currency":"Rp","currencyCode":"IDR""#, "{}", "Anna 500 IDR"),
        (r#""currency":"KD","currencyCode":"KWD""#, "{}", "Anna 0.5 KWD"),
        (r#""currency":"€","currencyCode":null"#, "{}", "Anna 5 EUR"),
        (r#""currency":"€""#, "{}", "Anna 5 EUR"),
        (r#""currency":"beans","currencyCode":"""#, r#"{"currency":"KWD"}"#, "Anna 5 KWD"),
        (r#""currency":"$""#, r#"{"currency":"CAD"}"#, "Anna 5 CAD"),
        (r#""currency":"€""#, r#"{"currency":"USD"}"#, "Anna 5 USD"),
    ] {
        let file = group(currency, &expense(&[("1001", "1000")]));
        let import = read(file.as_bytes(), &answers(answer), today());
        assert_eq!(balances(&import)[0], net);
        assert!(import.is_ready());
    }
}

#[test]
fn a_currency_without_a_code_is_asked() {
    for sign in ["$", ""] {
        let import = read_text(&group(&format!(r#""currency":"{sign}""#), &expense(&[])));
        let [question] = &import.questions[..] else { panic!("{:?}", import.questions) };
        assert_eq!(question.asks, crate::Asks::Currency);
        assert!(question.message.to_string().contains(sign), "{}", question.message);
        assert_eq!((errors(&import), import.rows.len()), (vec![], 0));
        assert_eq!(import.people[1].rows, 1);
        assert!(!import.is_ready());
    }
}

#[test]
fn exports_before_ids_are_read() {
    let old = expense(&[(r#""id":"e1","createdAt":"2026-01-30T18:30:12.345Z","#, "")]);
    let old =
        old.replace(r#""originalAmount":null,"originalCurrency":null,"conversionRate":null,"#, "");
    let old = old.replace(r#","recurrenceRule":"NONE","notes":null"#, "");
    let import = read_text(&group(r#""currency":"€""#, &format!("{old},{old}")));
    assert_eq!(errors(&import), [""; 0]);
    assert_eq!(keys(&import).len(), 2);
    assert_eq!(rows(&import)[0], "2026-01-30 Tea EUR: +0 1001, -0 501, -1 500");
}

#[test]
fn keys_are_the_ids_of_the_app() {
    let key = |replaced: &[(&str, &str)]| read_text(&group(EUR, &expense(replaced))).rows[0].key;
    assert_eq!(key(&[]), key(&[("1001", "900"), ("Tea", "Coffee")]));
    assert_ne!(key(&[]), key(&[("\"e1\"", "\"e2\"")]));
}

#[test]
fn broken_files_are_refused_at_their_index() {
    let second = |replaced: &[(&str, &str)]| {
        let id = [("\"e1\"", "\"e2\"")];
        group(EUR, &format!("{},{}", expense(&[]), expense(&[&id, replaced].concat())))
    };
    assert_refused(&[
        (
            &second(&[("2026-01-30T00", "2026-02-30T00")]),
            "expenses[1].expenseDate expenseDate must be a day",
        ),
        (
            &second(&[("\"paidById\":\"a\"", "\"paidById\":\"x\"")]),
            "expenses[1].paidById paidById must be the id",
        ),
        (
            &second(&[("\"participantId\":\"a\"", "\"participantId\":\"x\"")]),
            "expenses[1].paidFor[0].participantId paidFor[0].participantId must be",
        ),
        (
            &second(&[("\"participantId\":\"a\"", "\"participantId\":\"b\"")]),
            "expenses[1].paidFor paidFor must have each participantId only once",
        ),
        (&second(&[("1001", "10.5")]), "expenses[1].amount amount must be a whole number"),
        (&second(&[("1001", "1e30")]), "expenses[1].amount amount must be a whole number"),
        (
            &second(&[("1001", "1e300")]),
            "expenses[1].amount amount: 1e300 must have at most 38 digits",
        ),
        (&second(&[("1001", "\"1001\"")]), "expenses[1].amount amount: \"1001\" must be a number"),
        (&second(&[("1001", "NaN")]), "expenses[1] the JSON of the file is broken here"),
        (
            &second(&[("EVENLY", "BY_MOON")]),
            "expenses[1].splitMode splitMode: unknown variant `BY_MOON`",
        ),
        (
            &second(&[("EVENLY", "BY_SHARES"), ("\"shares\":100", "\"shares\":0")]),
            "expenses[1].paidFor paidFor must have shares",
        ),
        (&second(&[("\"title\":\"Tea\",", "")]), "expenses[1] missing field `title`"),
        (&second(&[("\"e2\"", "\"e1\"")]), "expenses[1].id id e1 must be of one expense only"),
        (
            &group(EUR, &format!("{},7", expense(&[]))),
            "expenses[1] invalid type: integer `7`, expected an expense",
        ),
        (&second(&[])[..800], "expenses[1] the file is cut off here; export it again"),
        (
            &group(EUR, "").replace("\"id\":\"b\"", "\"id\":\"a\""),
            "participants[1].id id must be of one participant only",
        ),
        (&second(&[])[..1000], "participants[1] the file is cut off here"),
        ("{}", "this is no export of Splitwise, "),
        ("{\"expenses\":[", "expenses[0] the file is cut off here"),
        (&"{\"expenses\":".repeat(100_000), "the file is cut off here"),
    ]);
}

#[test]
fn people_of_one_name_are_told_apart_by_their_ids() {
    let one = r#"{"id":"Zx8-anna1","name":"Ann"}"#;
    let two = r#"{"id":"Zx8-anna2","name":"Ann "}"#;
    let expense = expense(&[("\"a\"", "\"Zx8-anna1\""), ("\"b\"", "\"Zx8-anna2\"")]);
    let of = |participants: &str| {
        let file = group(EUR, &expense);
        let (start, end) = file.split_once("\"participants\":[").unwrap();
        let (_, end) = end.split_once(']').unwrap();
        read_text(&format!("{start}\"participants\":[{participants}]{end}"))
    };
    let import = of(&format!("{one},{two}"));
    let other = of(&format!("{two},{one}"));
    assert_eq!(errors(&import), [""; 0]);
    let mut turned = balances(&other);
    turned.reverse();
    assert_eq!(balances(&import), turned);
    assert!(balances(&import)[0].starts_with("Ann (-anna1) "), "{:?}", balances(&import));
    assert_eq!(
        warnings(&import)[1],
        "participants[1].name several members are called Ann; this one is read as Ann (-anna2)"
    );
}

#[test]
fn names_that_guests_cannot_have_are_shortened_or_ids() {
    let long = "x".repeat(101);
    for (name, read) in [("\u{200b}", "b"), (" ", "b"), (&*long, &long[1..])] {
        let file = group(EUR, &expense(&[])).replace("Bob", name);
        let import = read_text(&file);
        assert!(import.is_ready(), "{:?}", errors(&import));
        assert_eq!(import.people[1].name.as_str(), read);
        assert!(warnings(&import)[0].starts_with("participants[1].name name "));
    }
}

/// A file of Anna, Bob and Eve, who share each amount evenly, and Anna paid.
fn even_file(currency: &str, amounts: &[i64]) -> String {
    let expense = |amount: &i64| {
        format!(
            "{{\"expenseDate\":\"2025-01-31T00:00:00.000Z\",\"title\":\"Tea\",\"amount\":{amount},\
             \"paidById\":\"a\",\"paidFor\":[{{\"participantId\":\"a\",\"shares\":100}},\
             {{\"participantId\":\"b\",\"shares\":100}},{{\"participantId\":\"e\",\"shares\":100}}],\
             \"isReimbursement\":false,\"splitMode\":\"EVENLY\"}}"
        )
    };
    let expenses: Vec<String> = amounts.iter().map(expense).collect();
    format!(
        "{{\"currency\":\"{currency}\",\"expenses\":[{}],\"participants\":[{{\"id\":\"a\",\
         \"name\":\"Anna\"}},{{\"id\":\"b\",\"name\":\"Bob\"}},{{\"id\":\"e\",\"name\":\"Eve\"}}]}}",
        expenses.join(",")
    )
}

#[test]
fn balances_of_exports_without_ids_are_those_that_the_app_rounded_at_the_end() {
    let import = read_text(&even_file("EUR", &[100; 30]));
    assert_eq!(errors(&import), [""; 0]);
    assert_eq!(balances(&import), ["Anna 20 EUR", "Bob -10 EUR", "Eve -10 EUR"]);
    assert_eq!(rows(&import)[0], "2025-01-31 Tea EUR: +0 100, -0 34, -1 33, -2 33");
    assert_eq!(rows(&import)[1], "2025-01-31 Tea EUR: +0 100, -0 33, -1 34, -2 33");
}

#[test]
fn decimals_of_the_app_that_a_currency_does_not_have_are_rounded() {
    let file = even_file("¥", &[100_000, 100_000, 50, 50]);
    let import = read(file.as_bytes(), &answers(r#"{"currency":"JPY"}"#), today());
    assert_eq!(errors(&import), [""; 0]);
    assert_eq!(balances(&import), ["Anna 1334 JPY", "Bob -667 JPY", "Eve -667 JPY"]);
    assert_eq!(rows(&import)[0], "2025-01-31 Tea JPY: +0 1000, -0 334, -1 333, -2 333");
    assert_eq!(warnings(&import)[0], "expenses[2].amount amount 0.5 is rounded to 1 JPY");
}

#[test]
fn a_category_that_is_not_known_is_that_of_its_group_or_is_reported() {
    let of = |labels: &str| {
        let import = read_text(&group(EUR, &expense(&[("\"category\":null", labels)])));
        assert_eq!(errors(&import), [""; 0]);
        (import.rows[0].category.map(|it| it.to_string()), warnings(&import))
    };
    let known = r#""category":{"grouping":"Transportation","name":"Rickshaw"}"#;
    assert_eq!(of(known), (Some("transport".to_owned()), vec![]));
    let unknown = r#""category":{"grouping":"Vehicles","name":"Rickshaw"}"#;
    let warning = "1 row has a category that Fracti does not know, read as other: Rickshaw (1)";
    assert_eq!(of(unknown), (Some("other".to_owned()), vec![warning.to_owned()]));
}
