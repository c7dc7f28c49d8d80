//! Fracti's own JSON.

use super::*;
use crate::Format;

/// A file of three members with an expense that was edited, a settlement, an adjustment, and an
/// expense for each way to split.
pub(super) const FILE: &str = include_str!("../../../../tests/fixtures/import/fracti.json");

#[test]
fn entries_that_count_are_read() {
    let import = read_text(FILE);
    assert!(import.is_ready(), "{:?}", errors(&import));
    assert_eq!(import.format, Some(Format::FractiJson));
    assert_eq!(
        rows(&import),
        [
            "2026-01-03 Dinner EUR: +0 3000, -0 1000, -1 1000, -2 1000",
            "2026-01-15 Payment EUR: 1>0 500",
            "2026-01-15 Opening EUR: 2>1 250",
            "2026-01-15 Tea EUR: +1 800, +0 100, -0 300, -1 300, -2 300",
            "2026-01-16 Taxi EUR: +1 1000, -0 333, -1 333, -2 334",
            "2026-01-16 Rent EUR: +0 10001, -2 0, -0 2000, -1 8001",
            "2026-01-16 Tickets EUR: +0 6000, -0 2600, -1 1550, -2 1850",
            "2026-01-16 Restaurant EUR: +1 3155, -0 1492, -1 1051, -2 612",
            "2026-01-16 Deposit EUR: +0 -2000, -2 -667, -1 -666, -0 -667",
            "2026-01-16 Museum EUR: +0 300, -0 100, -1 200",
        ]
    );
    assert_eq!(balances(&import), ["Alice 97.43 EUR", "Bob -65.64 EUR", "Grandma -31.79 EUR"]);
    assert_eq!(
        warnings(&import),
        [
            "2 superseded entries, of expenses that were edited or deleted, are not imported",
            "1 settlements that are not completed are not imported",
            "1 adjustments are imported as payments",
        ]
    );
}

#[test]
fn amounts_may_be_texts() {
    let file = FILE
        .replace("\"net\": 97.43", "\"net\": \"97.43\"")
        .replace("\"amount\": 5,", "\"amount\": \"5.00\",");
    assert_ne!(file, FILE);
    assert_eq!(balances(&read_text(&file)), balances(&read_text(FILE)));
}

#[test]
fn keys_are_those_of_the_ids() {
    let other = FILE.replace("\"description\": \"Dinner\"", "\"description\": \"Lunch\"");
    assert_ne!(other, FILE);
    assert_eq!(keys(&read_text(&other)), keys(&read_text(FILE)));
}

#[test]
fn broken_files_are_refused() {
    let changed = |from: &str, to: &str| {
        let file = FILE.replacen(from, to, 1);
        assert_ne!(file, FILE, "{from}");
        file
    };
    let files = [
        ("\"version\": 1", "\"version\": 2", "version must be 1, not 2"),
        ("\"sequence\": 12", "\"sequence\": 13", "the file has 12 of 13 entries"),
        ("\"members\"", "\"people\"", "members and balances are missing"),
        (
            "\"net\": 97.43",
            "\"net\": 97.44",
            "the balance of Alice in EUR is 97.44, but its rows sum to 97.43",
        ),
        ("\"net\": 97.43", "\"net\": NaN", "0 the file is not the JSON of an export"),
        (
            "\"sequence\": 3",
            "\"sequence\": 4",
            "3 the entries must be in order: sequence must be 3",
        ),
        ("\"refType\": \"settlement\"", "\"refType\": \"loan\"", "3 refType"),
        (
            "\"status\": \"completed\"",
            "\"status\": \"pending\"",
            "3 settlement.status must be completed",
        ),
        ("\"toUserId\": \"1\"", "\"toUserId\": \"9\"", "3 toUserId must be the id of a member"),
        ("\"amount\": 5,", "\"amount\": -5,", "3 settlement.amount must be positive"),
        ("\"amount\": 5,", "\"amount\": 5.001,", "3 the amount must have at most 2 decimals"),
        ("\"sent\": 2.5}", "\"sent\": 2.4}", "4 the changes in EUR must sum to 0"),
        ("\"food\", \"date\": \"2026-01-03\"", "\"food\", \"date\": \"2026-02-30\"", "2 the date"),
        ("\"splits\"", "\"parts\"", "0 expense: missing field `splits`"),
        (
            "\"expense\": {\"id\": \"0190a1b2-0000-7000-8000-000000000012\"",
            "\"expense\": {\"id\": \"0190a1b2-0000-7000-8000-000000000011\"",
            "11 expense.id must be the entryId",
        ),
        (
            "\"settlement\": {\"id\": \"0190a1b2-0000-7000-8000-000000000004\"",
            "\"settlement\": {\"id\": \"0190a1b2-0000-7000-8000-000000000006\"",
            "3 settlement.id must be the entryId",
        ),
        (
            "\"entryId\": \"0190a1b2-0000-7000-8000-000000000012\"",
            "\"entryId\": \"0190a1b2-0000-7000-8000-000000000011\"",
            "11 entryId 0190a1b2-0000-7000-8000-000000000011 must be unique among applied entries",
        ),
    ];
    for (from, to, expected) in files {
        let file = changed(from, to);
        let errors = errors(&read_text(&file));
        assert!(errors.iter().any(|it| it.starts_with(expected)), "{to}: {errors:#?}");
    }
    let long = changed(
        "\"splits\": [",
        &format!("\"splits\": [{}", r#"{"userId":"1","amount":0},"#.repeat(46)),
    );
    let long = long.replacen("\"status\": \"reverted\"", "\"status\": \"applied\"", 1);
    assert_eq!(errors(&read_text(&long))[0], "0 splits must have at most 45 items");
}

#[test]
fn names_that_guests_cannot_have_are_shortened_or_ids() {
    let names = |alice: &str, bob: &str| {
        let file = FILE
            .replace(
                "\"name\": \"Alice\", \"username\"",
                &format!("\"name\": \"{alice}\", \"username\""),
            )
            .replace(
                "\"name\": \"Bob\", \"joinedAt\"",
                &format!("\"name\": \"{bob}\", \"joinedAt\""),
            );
        let import = read_text(&file);
        assert!(import.is_ready(), "{:?}", errors(&import));
        let names = import.members.iter().map(|it| it.name.to_string()).collect::<Vec<_>>();
        (names, warnings(&import))
    };
    let long = "𝔸".repeat(63);
    let (named, _) = names(&long, "Bob");
    assert_eq!(named, [&*long, "Bob", "Grandma"]);

    // Telegram's names have up to 129 characters.
    let (cut, room) = ("x".repeat(100), "x".repeat(96));
    let (named, told) = names(&"x".repeat(129), &"x".repeat(128));
    assert_eq!(named, [&*cut, &format!("{room} (2)"), "Grandma"]);
    assert_eq!(told[0], format!("the name {cut} is shortened to 100 characters"));
    assert_eq!(told[1], told[0]);
    assert_eq!(
        told[2],
        format!("several members are called {cut}; this one is read as {room} (2)")
    );
    let (named, _) = names(&cut, &cut.to_uppercase());
    assert_eq!(named, [&*cut, &format!("{} (2)", room.to_uppercase()), "Grandma"]);

    for blank in ["", " ", "\u{3164}", &"\u{200b}".repeat(129)] {
        let (named, told) = names("Alice", blank);
        assert_eq!(named, ["Alice", "2", "Grandma"]);
        assert_eq!(told[0], "the name of the member 2 is blank; the id is read instead");
    }
}

#[test]
fn adjustments_of_many_members_are_several_payments() {
    let member = |id: usize| format!(r#"{{"id":"{id}","name":"Member {id}"}}"#);
    let members: Vec<String> = (1..=100).map(member).collect();
    let change = |id: usize| {
        let total = if id <= 50 { "sent" } else { "received" };
        format!(r#"{{"userId":"{id}","currency":"EUR","{total}":1}}"#)
    };
    let changes: Vec<String> = (1..=100).map(change).collect();
    let file = format!(
        r#"{{"format":"fracti-json","version":1,"sequence":1,"members":[{}],"balances":[],
        "entries":[{{"entryId":"opening","sequence":0,"status":"applied","refType":"adjustment",
        "createdAt":"2026-01-15T12:00:00.000Z","changes":[{}]}}],"settlements":[]}}"#,
        members.join(","),
        changes.join(",")
    );
    let import = read_text(&file);
    assert_eq!(import.rows.len(), 2);
    assert_eq!(balances(&import).len(), 100);
    assert_eq!(keys(&import).len(), 2);
}

#[test]
fn transfers_of_adjustments_count_as_rows() {
    // Each adjustment is 20 transfers: 500 of them are as many as a file may have.
    let file = |adjustments: usize| {
        let changes: Vec<String> = (1..=21)
            .map(|id| {
                let change = if id == 1 { "\"sent\":20" } else { "\"received\":1" };
                format!(r#"{{"userId":"{id}","currency":"EUR",{change}}}"#)
            })
            .collect();
        let entry = |index: usize| {
            format!(
                r#"{{"entryId":"e{index}","sequence":{index},"status":"applied",
                "refType":"adjustment","createdAt":"2026-01-15T12:00:00.000Z","changes":[{}]}}"#,
                changes.join(",")
            )
        };
        let members = (1..=21).map(|id| format!(r#"{{"id":"{id}","name":"Member {id}"}}"#));
        format!(
            r#"{{"format":"fracti-json","version":1,"sequence":{adjustments},"members":[{}],
            "balances":[],"entries":[{}],"settlements":[]}}"#,
            members.collect::<Vec<_>>().join(","),
            (0..adjustments).map(entry).collect::<Vec<_>>().join(",")
        )
    };
    let most = read_text(&file(500));
    assert!(most.errors.iter().all(|it| it.message.starts_with("the balance")), "{most:?}");
    assert_eq!(most.plan().settlements, crate::MAX_ROWS);
    let more = read_text(&file(502));
    let rule = "the file must have at most 10000 rows, of which a payment of several people counts \
                as several";
    assert_eq!(errors(&more), [format!("500 {rule}")]);
    assert_eq!(more.plan().settlements, crate::MAX_ROWS);
}
