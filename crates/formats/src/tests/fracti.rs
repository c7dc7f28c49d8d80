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
            "2026-01-15 Tea EUR: +1 800, +0 100, -0 300, -1 300, -2 300",
            "2026-01-16 Taxi EUR: +1 1000, -0 333, -1 333, -2 334",
            "2026-01-16 Rent EUR: +0 10001, -2 0, -0 2000, -1 8001",
            "2026-01-16 Tickets EUR: +0 6000, -0 2600, -1 1550, -2 1850",
            "2026-01-16 Restaurant EUR: +1 3155, -0 1492, -1 1051, -2 612",
            "2026-01-16 Deposit EUR: +0 -2000, -2 -667, -1 -666, -0 -667",
            "2026-01-16 Museum EUR: +0 300, -0 100, -1 200",
            "2026-01-15 Payment EUR: 1>0 100 pending",
        ]
    );
    assert_eq!(balances(&import), ["Alice 97.43 EUR", "Bob -65.64 EUR", "Grandma -31.79 EUR"]);
    assert_eq!(adjustments(&import), ["opening Opening: 1 EUR -250, 2 EUR 250"]);
    assert_eq!(
        warnings(&import),
        [
            "2 entries of the past are not imported; they belong to edits, to deleted expenses or to \
          reverted adjustments"
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
            "balances[0] the balance of Alice in EUR is 97.44, but its rows sum to 97.43",
        ),
        ("\"net\": 97.43", "\"net\": NaN", "balances[0] the JSON of the file is broken here"),
        (
            "\"sequence\": 3",
            "\"sequence\": 4",
            "entries[3].sequence sequence must be 3: the entries must be in order",
        ),
        ("\"refType\": \"settlement\"", "\"refType\": \"loan\"", "entries[3].refType refType"),
        (
            "\"status\": \"completed\"",
            "\"status\": \"pending\"",
            "entries[3].settlement.status settlement.status must be completed",
        ),
        (
            "\"toUserId\": \"1\"",
            "\"toUserId\": \"9\"",
            "entries[3].settlement.toUserId settlement.toUserId must be the id of a member",
        ),
        (
            "\"amount\": 5,",
            "\"amount\": -5,",
            "entries[3].settlement.amount settlement.amount must be positive",
        ),
        (
            "\"amount\": 5,",
            "\"amount\": 5.001,",
            "entries[3].settlement.amount settlement.amount must have at most 2 decimals",
        ),
        ("\"sent\": 2.5}", "\"sent\": 2.4}", "entries[4].changes changes in EUR must sum to 0"),
        (
            "\"food\", \"date\": \"2026-01-03\"",
            "\"food\", \"date\": \"2026-02-30\"",
            "entries[2].expense.date expense.date must be",
        ),
        ("\"splits\"", "\"parts\"", "entries[0].expense expense: missing field `splits`"),
        (
            "\"expense\": {\"id\": \"0190a1b2-0000-7000-8000-000000000012\"",
            "\"expense\": {\"id\": \"0190a1b2-0000-7000-8000-000000000011\"",
            "entries[11].expense.id expense.id must be the entryId",
        ),
        (
            "\"settlement\": {\"id\": \"0190a1b2-0000-7000-8000-000000000004\"",
            "\"settlement\": {\"id\": \"0190a1b2-0000-7000-8000-000000000006\"",
            "entries[3].settlement.id settlement.id must be the entryId",
        ),
        (
            "\"entryId\": \"0190a1b2-0000-7000-8000-000000000012\"",
            "\"entryId\": \"0190a1b2-0000-7000-8000-000000000011\"",
            "entries[11].entryId entryId 0190a1b2-0000-7000-8000-000000000011 must be unique among applied entries",
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
    assert_eq!(
        errors(&read_text(&long))[0],
        "entries[0].expense.splits expense.splits must have at most 45 items"
    );
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
        let names = import.people.iter().map(|it| it.name.to_string()).collect::<Vec<_>>();
        (names, warnings(&import).split_off(1))
    };
    let long = "𝔸".repeat(63);
    let (named, _) = names(&long, "Bob");
    assert_eq!(named, [&*long, "Bob", "Grandma"]);

    // Telegram's names have up to 129 characters.
    let cut = "x".repeat(100);
    let room = "x".repeat(96);
    let (named, warned) = names(&"x".repeat(129), &"x".repeat(128));
    assert_eq!(named, [&format!("{room} (1)"), &format!("{room} (2)"), "Grandma"]);
    assert_eq!(
        warned[1],
        format!("members[1].name several members are called {cut}; this one is read as {room} (2)")
    );
    let (named, warned) = names(&"x".repeat(129), "Bob");
    assert_eq!(named, [&*cut, "Bob", "Grandma"]);
    assert_eq!(warned[0], format!("members[0].name name {cut} is shortened to 100 characters"));
    let (named, _) = names(&cut, &cut.to_uppercase());
    let upper = room.to_uppercase();
    assert_eq!(named, [&format!("{room} (1)"), &format!("{upper} (2)"), "Grandma"]);

    for blank in ["", " ", "\u{3164}", &"\u{200b}".repeat(129)] {
        let (named, warned) = names("Alice", blank);
        assert_eq!(named, ["Alice", "2", "Grandma"]);
        assert_eq!(
            warned[0],
            "members[1].name name of the member 2 is blank; the id is read instead"
        );
    }
}

/// The adjustments of an import, like "opening Opening: 0 EUR 3, 1 EUR -3".
fn adjustments(import: &Import) -> Vec<String> {
    let change =
        |it: &crate::AdjustmentChange| format!("{} {} {}", it.person, it.currency, it.totals.net());
    let text = |it: &crate::ReadAdjustment| {
        let changes: Vec<String> = it.changes.iter().map(change).collect();
        let note = it.note.as_ref().map(|note| format!(" {note}")).unwrap_or_default();
        format!("{}{note}: {}", it.name.as_str(), changes.join(", "))
    };
    import.adjustments.iter().map(text).collect()
}

/// A file with entries of adjustments and members with the ids 1 to `people`.
fn adjusted(people: usize, entries: &[String]) -> String {
    let members = (1..=people).map(|id| format!(r#"{{"id":"{id}","name":"Member {id}"}}"#));
    format!(
        r#"{{"format":"fracti-json","version":1,"sequence":{},"members":[{}],"balances":[],
        "entries":[{}],"settlements":[]}}"#,
        entries.len(),
        members.collect::<Vec<_>>().join(","),
        entries.join(",")
    )
}

fn adjustment(sequence: usize, name: &str, changes: &[String]) -> String {
    format!(
        r#"{{"entryId":"{name}","sequence":{sequence},"status":"applied","refType":"adjustment",
        "createdAt":"2026-01-15T12:00:00.000Z","changes":[{}]}}"#,
        changes.join(",")
    )
}

fn change(id: usize, currency: &str, total: &str, amount: &str) -> String {
    format!(r#"{{"userId":"{id}","currency":"{currency}","{total}":{amount}}}"#)
}

#[test]
fn adjustments_have_all_their_changes() {
    let many: Vec<String> = (1..=100)
        .map(|id| change(id, "EUR", if id <= 50 { "sent" } else { "received" }, "1"))
        .collect();
    let mixed = [
        change(1, "JPY", "sent", "7"),
        change(2, "EUR", "received", "0.01"),
        change(3, "JPY", "received", "7"),
        change(3, "EUR", "sent", "0.01"),
    ];
    let file = adjusted(100, &[adjustment(0, "many", &many), adjustment(1, "mixed", &mixed)]);
    let import = read_text(&file);
    assert_eq!(import.adjustments[0].changes.len(), 100);
    assert_eq!(adjustments(&import)[1], "mixed: 0 JPY 7, 1 EUR -1, 2 JPY -7, 2 EUR 1");
    assert_eq!(keys(&import).len(), 2);
    assert_eq!(import.adjustments.len(), 2);
    // The balances are missing in the file.
    assert!(errors(&import).iter().all(|it| it.starts_with("the balance of")), "{import:?}");
}

#[test]
fn changes_of_a_guest_and_their_user_are_added_up() {
    let guest = "guest-0190a1b2-0000-7000-8000-000000000002";
    let link = format!(
        r#"{{"entryId":"link:{guest}","sequence":12,"status":"applied","refType":"link",
        "linkedTo":"2","createdAt":"2026-01-17T12:00:00.000Z","changes":[]}}"#
    );
    let file = FILE
        .replace("\"sequence\": 12", "\"sequence\": 13")
        .replace("\n  ],\n  \"settlements\"", &format!(",{link}\n  ],\n  \"settlements\""));
    let import = read_text(&file);
    // Bob received from his guest, so nothing is left of his balance.
    let [only] = &import.adjustments[..] else { panic!("{import:?}") };
    let [of_bob] = &only.changes[..] else { panic!("{only:?}") };
    assert_eq!((of_bob.person, of_bob.totals.sent, of_bob.totals.received), (1, 250, 250));
}

#[test]
fn broken_adjustments_are_refused() {
    let pair = |amount: &str| {
        [change(1, "EUR", "sent", amount), change(2, "EUR", "received", amount)].to_vec()
    };
    let of = |name: &str, changes: &[String]| adjusted(2, &[adjustment(0, name, changes)]);
    let uuid = "0190a1b2-0000-7000-8000-000000000002";
    let large = "92233720368547758.07";
    for (file, expected) in [
        (of(uuid, &pair("1")), "entries[0].entryId entryId must not be a UUID"),
        (of("", &pair("1")), "entries[0].entryId entryId must have 1 to 64 characters"),
        (of("a", &pair("-1")), "entries[0].changes[0] changes[0] must not have a negative amount"),
        (
            of("a", &pair("0.001")),
            "entries[0].changes[0].sent changes[0].sent must have at most 2 decimals",
        ),
        (
            of("a", &[change(3, "EUR", "sent", "1")]),
            "entries[0].changes[0].userId changes[0].userId must be the id",
        ),
        (
            of("a", &[change(1, "EUR", "paid", "1")]),
            "entries[0].changes[0] changes[0] must change only sent",
        ),
        (
            of("a", &[change(1, "EUR", "sent", "1")]),
            "entries[0].changes changes in EUR must sum to 0",
        ),
        (
            of("a", &vec![change(1, "EUR", "sent", "1"); 501]),
            "entries[0].changes changes must have at most 500",
        ),
        (
            adjusted(2, &[adjustment(0, "a", &pair(large)), adjustment(1, "b", &pair("0.01"))]),
            "entries[1] the amounts in EUR are too large to be summed",
        ),
        (
            of("a", &[pair(large), pair("1")].concat()),
            "entries[0].changes[2] changes[2] has amounts that are too large",
        ),
    ] {
        let errors = errors(&read_text(&file));
        assert!(errors.iter().any(|it| it.starts_with(expected)), "{expected}: {errors:#?}");
    }
    let empty = read_text(&of("a", &[]));
    assert_eq!((empty.skipped, errors(&empty)), (1, vec![]));
    let note = FILE.replace("\"note\": \"Opening\"", "\"note\": \"\"");
    assert!(
        errors(&read_text(&note))[0]
            .starts_with("entries[4].note note must have 1 to 200 characters")
    );
}

#[test]
fn adjustments_count_as_rows() {
    let file = |count: usize| {
        let changes = [change(1, "EUR", "sent", "1"), change(2, "EUR", "received", "1")];
        let entries: Vec<_> =
            (0..count).map(|index| adjustment(index, &format!("e{index}"), &changes)).collect();
        adjusted(2, &entries)
    };
    let most = read_text(&file(crate::MAX_ROWS));
    assert_eq!(most.adjustments.len(), crate::MAX_ROWS);
    let more = read_text(&file(crate::MAX_ROWS + 1));
    assert_eq!(errors(&more), ["entries[10000] the file must have at most 10000 rows"]);
}

/// A settlement that is not completed.
fn open(id: &str, from: &str, to: &str, status: &str) -> String {
    format!(
        r#"{{"id":"0190a1b2-0000-7000-8000-0000000000{id}","fromUserId":"{from}","toUserId":"{to}",
        "amount":"4.20","currency":"EUR","status":"{status}",
        "createdAt":"2026-01-17T12:00:00.000Z"}}"#
    )
}

/// The file with these settlements that are not completed.
fn with_open(settlements: &[String]) -> String {
    let (file, _) = FILE.split_once("\"settlements\"").unwrap();
    format!("{file}\"settlements\":[{}]}}", settlements.join(","))
}

#[test]
fn pending_settlements_are_read_and_failed_ones_are_not() {
    let file = with_open(&[open("51", "1", "2", "pending"), open("52", "2", "1", "failed")]);
    let import = read_text(&file);
    assert!(import.is_ready(), "{:?}", errors(&import));
    assert_eq!(rows(&import).last().unwrap(), "2026-01-17 Payment EUR: 0>1 420 pending");
    assert_eq!(import.rows.last().unwrap().place, RowPlace::Item("settlements", 0));
    assert_eq!(import.sums().settlements, 2);
    assert_eq!(balances(&import), balances(&read_text(FILE)), "they are not in the balances");
    assert!(warnings(&import).contains(&"1 failed settlement is not imported".to_owned()));
}

#[test]
fn broken_open_settlements_are_refused() {
    for (settlement, expected) in [
        (
            open("51", "1", "9", "pending"),
            "settlements[0].toUserId toUserId must be the id of a member",
        ),
        (open("51", "1", "2", "completed"), "settlements[0].status status must not be completed"),
        (open("04", "1", "2", "pending"), "settlements[0].id id "),
        (
            open("51", "1", "2", "pending").replace("4.20", "0"),
            "settlements[0].amount amount must be",
        ),
        (open("51", "1", "2", "open"), "settlements[0].status status"),
    ] {
        let errors = errors(&read_text(&with_open(&[settlement])));
        assert!(errors.iter().any(|it| it.starts_with(expected)), "{expected}: {errors:#?}");
    }
}
