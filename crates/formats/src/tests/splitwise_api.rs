use serde_json::{Value, json};

use super::*;

const FILE: &str = include_str!("../../../../tests/fixtures/import/splitwise.json");
const CASE: &str =
    include_str!("../../../../tests/fixtures/import/cases/splitwise-api-expenses.json");

/// An expense of 10.00 that Jo paid for Jo and Al, with these fields instead of its own.
fn expense(fields: &Value) -> Value {
    let user = |id: u32, name: &str, paid: &str, net: &str| {
        json!({ "user_id": id, "user": { "id": id, "first_name": name, "last_name": null },
            "paid_share": paid, "owed_share": "5.0", "net_balance": net })
    };
    let mut expense = json!({ "id": 1, "group_id": 7, "description": "Tea", "payment": false,
        "cost": "10.0", "currency_code": "EUR", "date": "2026-01-31T23:30:00Z", "repeats": false,
        "updated_at": "2026-01-31T23:30:00Z", "deleted_at": null, "category": null,
        "users": [user(1, "Jo", "10.0", "5.0"), user(2, "Al", "0.0", "-5.0")] });
    for (name, value) in fields.as_object().unwrap() {
        expense[name] = value.clone();
    }
    expense
}

fn page(expenses: &[Value]) -> String {
    json!({ "expenses": expenses }).to_string()
}

#[test]
fn payers_and_shares_are_those_of_the_file() {
    let import = read_text(FILE);
    assert_eq!(errors(&import), [""; 0]);
    assert_eq!(
        rows(&import),
        [
            "2026-02-03 Payment EUR: 0>1 5000",
            "2026-02-01 Ski pass for two EUR: +1 6000, +0 3000, -1 3000, -0 4500, -2 1500",
            "2026-01-31 Ramen JPY: +2 3000, -2 1000, -1 1000, -0 1000",
            "2026-01-31 Rent EUR: +2 90000, -2 30000, -1 30000, -0 30000",
            "2026-01-30 Dinner, \"Chez Léa\" EUR: +0 8010, -0 2670, -1 2670, -2 2670",
            "2026-01-30 Train EUR: +1 10000, -1 3334, -0 3333, -2 3333",
        ]
    );
    let names: Vec<_> = import.people.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["Bob", "Anna Smith", "Zoë Ünal"]);
    assert_eq!(import.rows[1].notes.as_ref().unwrap().as_str(), "Two paid");
    assert_eq!(
        warnings(&import),
        [
            "1 deleted row is left out",
            "the rules of recurrence of 1 row are not imported",
            "the receipts of 1 row are not imported",
        ]
    );
    assert!(import.group.is_some());
}

#[test]
fn case_of_two_people_is_read() {
    let import = read_text(CASE);
    assert_eq!((errors(&import), warnings(&import)), (vec![], vec![]));
    assert_eq!(balances(&import), ["Jo 12.5 USD", "Al -12.5 USD"]);
    assert_eq!(rows(&import), ["2012-05-02 Brunch USD: +0 2500, -0 1250, -1 1250"]);
    assert_eq!(import.rows[0].category, None);
}

#[test]
fn pages_are_read_one_after_the_other_or_in_a_list() {
    let [one, two] = [1, 2].map(|id| expense(&json!({ "id": id })));
    let pages = [&[one.clone(), two.clone()][..], std::slice::from_ref(&two), &[]];
    let texts = pages.map(page);
    for file in [texts.join("\n"), texts.concat(), format!("[{}]", texts.join(","))] {
        let import = read_text(&file);
        assert_eq!(errors(&import), [""; 0], "{file}");
        assert_eq!(import.rows.len(), 2);
        assert_eq!(import.format, Some(crate::Format::SplitwiseJson));
    }
    // An expense that was edited between two pages.
    let edited =
        expense(&json!({ "id": 2, "description": "Cake", "updated_at": "2026-02-01T00:00:00Z" }));
    for pages in [[&two, &edited], [&edited, &two]] {
        let import = read_text(&pages.map(|it| page(std::slice::from_ref(it))).join("\n"));
        assert_eq!(rows(&import), ["2026-01-31 Cake EUR: +0 1000, -0 500, -1 500"]);
    }
    let other = expense(&json!({ "id": 2, "description": "Cake" }));
    assert_refused(&[
        (&page(&[two, other]), "expenses[1].id id 2 must be of one expense only"),
        (&format!("{}{}", texts[0], &texts[1][..50]), "expenses[0] the file is cut off here"),
        (&format!("[{},{}", texts[0], &texts[1][..50]), "[1] the file is cut off here"),
        (
            &format!("{}\n{{\"groups\":[]}}", texts[0]),
            "the file is not the JSON of an export: missing",
        ),
        ("{\"expenses\":[]}", "the file has no rows"),
    ]);
}

#[test]
fn several_groups_are_refused_with_their_rows() {
    let of = |id: u32, group: Value| expense(&json!({ "id": id, "group_id": group }));
    let file = page(&[of(1, json!(7)), of(2, json!(7)), of(3, json!(null)), of(4, json!(8))]);
    assert_refused(&[(
        &file,
        "the file has expenses of several groups: no group (1 row), 7 (2 rows), 8 (1 row); take",
    )]);
    let friends = read_text(&page(&[of(1, json!(null)), of(2, json!(0))]));
    assert!(friends.is_ready() && friends.group.is_none(), "{:?}", errors(&friends));
    // A deleted row of another group does not count.
    let deleted = expense(&json!({ "id": 3, "group_id": 9, "deleted_at": "2026-02-01T00:00:00Z" }));
    assert!(read_text(&page(&[of(1, json!(7)), deleted])).is_ready());
}

#[test]
fn amounts_that_contradict_each_other_are_refused() {
    let users = |paid: &str, owed: &str, net: &str| {
        json!({ "users": [{ "user_id": 1, "paid_share": paid, "owed_share": owed,
            "net_balance": net }] })
    };
    for (fields, error) in [
        (
            users("9", "10", "-1"),
            "expenses[0].paid_share the values of paid_share must sum to the cost, 10, not to 9",
        ),
        (users("10", "9.99", "0.01"), "expenses[0].owed_share the values of owed_share must sum"),
        (
            users("10", "10", "0.01"),
            "expenses[0].users[0].net_balance users[0].net_balance must be",
        ),
        (users("1e37", "-1e37", "0"), "expenses[0].users[0].net_balance"),
        (json!({ "cost": "ten" }), "expenses[0].cost cost: ten must be a number"),
        (json!({ "currency_code": "BTS" }), "expenses[0].currency_code currency_code \"BTS\" must"),
        (json!({ "users": [] }), "expenses[0].paid_share"),
        (json!({ "id": 1.5 }), "expenses[0].id id: an id must be a whole number or a string"),
        (json!({ "date": "tomorrow" }), "expenses[0].date date must be a day"),
    ] {
        assert_refused(&[(&page(&[expense(&fields)]), error)]);
    }
    let mut twice = expense(&json!({}));
    twice["users"][1]["user_id"] = json!(1);
    assert_refused(&[(
        &page(&[twice]),
        "expenses[0].users users must have each user_id only once",
    )]);
    let unknown = expense(&json!({ "tip": "1.50", "nickname": "T" }));
    assert_refused(&[(
        &page(&[unknown]),
        "Fracti does not know “tip” in the file, and money in it",
    )]);
}

#[test]
fn amounts_finer_than_a_minor_unit_keep_their_sums() {
    let user = |id: u32, paid: &str, owed: &str, net: &str| {
        json!({ "user_id": id, "paid_share": paid, "owed_share": owed,
            "net_balance": net })
    };
    let users = [user(1, "41181.0", "20590.5", "20590.5"), user(2, "0.0", "20590.5", "-20590.5")];
    let row = |id: u32| {
        expense(&json!({ "id": id, "cost": "41181.0", "currency_code": "CLP", "users": users }))
    };
    let import = read_text(&page(&[row(1), row(2)]));
    assert_eq!(balances(&import), ["1 41181 CLP", "2 -41181 CLP"]);
    let finer = "expenses[0] the amounts are finer than a minor unit of CLP; they are rounded";
    assert!(warnings(&import).contains(&finer.to_owned()), "{:?}", warnings(&import));
}

#[test]
fn former_identity_is_that_of_the_spreadsheet() {
    let of_csv = "Date,Description,Category,Cost,Currency,Jo,Al Cafe\u{301}\n\
        2026-01-31,Tea,General,10.00,EUR,5.00,-5.00\n\
        2026-01-31,Tea,General,10.00,EUR,5.00,-5.00\n\
        2026-02-01,Total balance, , ,EUR,10.00,-10.00\n";
    let csv = read_text(of_csv);
    assert!(csv.is_ready(), "{:?}", errors(&csv));
    let mut one = expense(&json!({ "id": 1 }));
    one["users"][1]["user"] = json!({ "first_name": "Al", "last_name": "Cafe\u{301}" });
    let mut two = one.clone();
    two["id"] = json!(2);
    let deleted = expense(&json!({ "id": 3, "deleted_at": "2026-02-01T00:00:00Z" }));
    let json = read_text(&page(&[deleted, two, one]));
    assert!(json.is_ready(), "{:?}", errors(&json));
    let former: HashSet<_> = json.rows.iter().flat_map(|row| &row.former).collect();
    assert!(csv.rows.iter().all(|row| former.contains(&row.key)));
}
