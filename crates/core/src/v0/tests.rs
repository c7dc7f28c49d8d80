//! v0 rows and what the migration makes of them.

use serde_json::{Value, json};

use super::*;
use crate::{
    group::{Group, MemberRow},
    records::{expense::Expense, settlement::Settlement},
    storage::row::AttributeValue,
    values::id::GroupId,
};

const GROUP: &str = "550e8400-e29b-41d4-a716-446655440000";
const ID: &str = "660e8400-e29b-41d4-a716-446655440001";
const OTHER: &str = "7a0e8400-e29b-41d4-a716-446655440002";
const AT: &str = "2024-01-20T18:30:00.000Z";

fn attribute(value: &Value) -> AttributeValue {
    match value {
        Value::Null => AttributeValue::Null(true),
        Value::Bool(truth) => AttributeValue::Bool(*truth),
        Value::Number(number) => AttributeValue::N(number.to_string()),
        Value::String(text) => AttributeValue::S(text.clone()),
        Value::Array(list) => AttributeValue::L(list.iter().map(attribute).collect()),
        Value::Object(map) => {
            AttributeValue::M(map.iter().map(|(name, it)| (name.clone(), attribute(it))).collect())
        }
    }
}

/// A row with changed attributes; null removes one.
fn row(base: Value, changes: Value) -> Item {
    let (Value::Object(mut row), Value::Object(changes)) = (base, changes) else {
        panic!("a row is a map")
    };
    row.extend(changes);
    let row = row.iter().map(|(name, value)| (name.clone(), attribute(value)));
    row.filter(|(_, value)| !matches!(value, AttributeValue::Null(_))).collect()
}

fn expense_row(changes: Value) -> Item {
    let share = |user: &str| json!({ "userId": user, "userName": "X", "amount": 5 });
    let base = json!({ "PK": format!("GROUP#{GROUP}"), "SK": format!("TX#{AT}"), "id": ID,
        "groupId": GROUP, "payerId": "1", "payerName": "Alice", "amount": 10, "currency": "USD",
        "description": "Dinner", "splitType": "equal", "splits": [share("1"), share("2")],
        "category": "food", "createdAt": AT });
    row(base, changes)
}

fn settlement_row(changes: Value) -> Item {
    let base = json!({ "PK": format!("GROUP#{GROUP}"), "SK": format!("SETTLE#{AT}"), "id": ID,
        "groupId": GROUP, "fromUserId": "2", "fromUserName": "Bob", "toUserId": "1",
        "toUserName": "Alice", "amount": 5, "currency": "USD", "status": "completed",
        "createdAt": AT, "completedAt": AT });
    row(base, changes)
}

fn member_row(changes: Value) -> Item {
    let base = json!({ "PK": format!("GROUP#{GROUP}"), "SK": "USER#1", "id": "1", "telegramId": 1,
        "name": "Alice", "joinedAt": AT });
    row(base, changes)
}

fn id() -> GroupId {
    GROUP.parse().unwrap()
}

fn in_group(changes: Value) -> Migrated<Group> {
    let base = json!({ "PK": format!("GROUP#{GROUP}"), "SK": "METADATA", "id": GROUP,
        "chatId": "-100", "title": "Roommates", "currency": "EUR", "createdAt": AT,
        "memberCount": 2 });
    group(&row(base, changes), id(), 2, Timestamp::default()).unwrap()
}

/// Alice, Bob and Carol. Carol also has a second id.
fn members() -> Members {
    let carol = member_row(json!({ "SK": format!("USER#{OTHER}"), "id": OTHER, "telegramId": 3,
        "name": "Carol" }));
    let bob = member_row(json!({ "SK": "USER#2", "id": "2", "telegramId": 2, "name": "Bob" }));
    Members::of(id(), &[member_row(json!({})), bob, carol])
}

fn expense_of(changes: Value) -> Result<Migrated<Expense>, Anomaly> {
    let row = expense_row(changes);
    expense(&row, recorded_at(&row, "TX#")?, &in_group(json!({})).entity, &members())
}

fn settlement_of(changes: Value) -> Result<Migrated<Settlement>, Anomaly> {
    let row = settlement_row(changes);
    settlement(&row, recorded_at(&row, "SETTLE#")?, &in_group(json!({})).entity, &members())
}

/// The names of the corrected attributes.
fn corrected<T>(migrated: &Migrated<T>) -> String {
    let names: Vec<&str> =
        migrated.corrections.iter().map(|correction| correction.attribute.as_str()).collect();
    names.join(" ")
}

#[test]
fn rows_as_they_should_be_need_no_correction() {
    assert_eq!(corrected(&expense_of(json!({})).unwrap()), "");
    assert_eq!(corrected(&settlement_of(json!({})).unwrap()), "");
    assert_eq!(corrected(&in_group(json!({}))), "");
    let member = member(&member_row(json!({})), id(), Timestamp::default()).unwrap();
    assert_eq!(corrected(&member), "");
}

#[test]
fn shares_are_put_right_by_the_rule_of_their_split() {
    let share = |user: &str, amount: Value, percentage: Value| {
        let mut share = json!({ "userId": user, "userName": "X" });
        for (name, value) in [("amount", amount), ("percentage", percentage)] {
            if !value.is_null() {
                share[name] = value;
            }
        }
        share
    };
    let null = || Value::Null;
    let third = || json!(3.333_333_333_333_333_5);
    for (split_type, amount, shares, expected, becomes) in [
        // As they are: they sum to the amount.
        ("equal", 10, vec![("1", json!(4), null()), ("2", json!(6), null())], "4 6", "equal"),
        ("exact", 10, vec![("1", json!(4), null()), ("2", json!(6), null())], "4 6", "exact"),
        // Divided with floats.
        (
            "equal",
            10,
            vec![("1", third(), null()), ("2", third(), null()), ("3", third(), null())],
            "3.33 3.33 3.34",
            "equal",
        ),
        // Not the whole amount.
        ("exact", 10, vec![("1", json!(1), null()), ("2", json!(3), null())], "2.5 7.5", "exact"),
        ("lucky", 10, vec![("1", json!(1), null()), ("2", json!(3), null())], "2.5 7.5", "exact"),
        // Percentages without amounts, that sum to 100 or not.
        (
            "percentage",
            10,
            vec![("1", null(), json!(25)), ("2", null(), json!(75))],
            "2.5 7.5",
            "percentage",
        ),
        (
            "percentage",
            10,
            vec![("1", null(), json!(10)), ("2", null(), json!(30))],
            "2.5 7.5",
            "exact",
        ),
        // A refund.
        ("equal", -10, vec![("1", json!(1), null()), ("2", json!(-11), null())], "", ""),
        ("equal", -10, vec![("1", json!(-4), null()), ("2", json!(-5), null())], "-5 -5", "equal"),
        // One member under two ids.
        ("exact", 10, vec![("3", json!(4), null()), (OTHER, json!(6), null())], "10", "exact"),
        // Nothing says how to divide it.
        ("exact", 10, vec![("1", json!(4), null()), ("2", null(), null())], "", ""),
    ] {
        let splits: Vec<Value> =
            shares.into_iter().map(|(user, amount, part)| share(user, amount, part)).collect();
        let changes = json!({ "amount": amount, "splitType": split_type, "splits": splits });
        let summary = changes.to_string();
        let Ok(migrated) = expense_of(changes) else {
            assert_eq!(expected, "", "{summary}");
            continue;
        };
        let shares = migrated.entity.splits.iter().map(|share| share.amount.to_string());
        let mut shares: Vec<String> = shares.collect();
        if split_type == "equal" {
            shares.sort_unstable();
        }
        assert_eq!(shares.join(" "), expected, "{summary}");
        assert_eq!(migrated.entity.split_type.to_string(), becomes, "{summary}");
        let event = migrated.entity.event().unwrap();
        let sum: i64 = event.changes.iter().map(|it| it.totals.paid - it.totals.owed).sum();
        assert_eq!(sum, 0, "{summary}");
    }
}

#[test]
fn attributes_of_an_expense_are_corrected() {
    for (changes, names) in [
        (json!({ "currency": null }), "currency"),
        (json!({ "currency": "usd" }), "currency"),
        (json!({ "amount": 10.000_000_000_000_002 }), "amount"),
        (json!({ "amount": "10" }), "amount"),
        (json!({ "category": "beer" }), "category"),
        (json!({ "category": null }), ""),
        (json!({ "description": null }), "description"),
        (json!({ "description": "x".repeat(201) }), "description"),
        (json!({ "createdAt": "yesterday" }), "createdAt"),
        (json!({ "groupId": null }), "groupId"),
        (json!({ "receipt": "https://example.com" }), "receipt"),
        (json!({ "payerId": OTHER }), "payerId"),
        (json!({ "payerId": "4" }), ""),
        (json!({ "payerName": null }), "payerName"),
    ] {
        let summary = changes.to_string();
        assert_eq!(corrected(&expense_of(changes).unwrap()), names, "{summary}");
    }
    let long = expense_of(json!({ "description": "x".repeat(300) })).unwrap().entity;
    assert_eq!((long.description.chars().count(), long.notes.unwrap().len()), (200, 300));
    let moved = expense_of(json!({ "SK": "TX#2024-01-20T18:30:00Z" })).unwrap();
    assert_eq!(corrected(&moved), "SK");
}

#[test]
fn rows_that_cannot_be_migrated_say_why() {
    let unreadable = |name: &str| Anomaly::Unreadable(name.to_owned());
    for (changes, anomaly) in [
        (json!({ "id": "7" }), unreadable("id")),
        (json!({ "amount": "much" }), unreadable("amount")),
        (json!({ "amount": 0 }), Anomaly::NoAmount),
        (json!({ "amount": 0.001 }), Anomaly::NoAmount),
        (json!({ "amount": 1e30 }), Anomaly::TooLarge),
        (json!({ "currency": "dollars" }), unreadable("currency")),
        (json!({ "payerId": null }), unreadable("payerId")),
        (json!({ "splits": [] }), Anomaly::NoShares),
        (json!({ "splits": "all" }), unreadable("splits")),
        (json!({ "SK": "TX#?", "createdAt": null }), unreadable("createdAt")),
        (json!({ "id": "0190a1b2-0000-7000-8000-000000000001" }), Anomaly::IdTime),
    ] {
        let summary = changes.to_string();
        assert_eq!(expense_of(changes).unwrap_err(), anomaly, "{summary}");
    }
    for (changes, anomaly) in [
        (json!({ "amount": -1 }), Anomaly::NegativeAmount),
        (json!({ "toUserId": "2" }), Anomaly::SameMember),
        (json!({ "status": "sent" }), unreadable("status")),
    ] {
        let summary = changes.to_string();
        assert_eq!(settlement_of(changes).unwrap_err(), anomaly, "{summary}");
    }
}

#[test]
fn members_are_known_by_each_of_their_ids_and_missing_members_are_added() {
    let with_payer = |payer: &str| expense_of(json!({ "payerId": payer })).unwrap();
    assert_eq!(with_payer(OTHER).entity.payer_id.to_string(), "3");
    assert_eq!(with_payer(OTHER).missing_members, []);

    let user = with_payer("4");
    assert_eq!(user.entity.payer_id.to_string(), "4");
    assert!(
        !user.missing_members[0].is_present() && user.missing_members[0].telegram_id == Some(4)
    );

    let uuid = "880e8400-e29b-41d4-a716-446655440009";
    let guest = with_payer(uuid);
    assert_eq!(guest.entity.payer_id.to_string(), format!("guest-{uuid}"));
    assert!(guest.missing_members[0].is_present() && guest.missing_members[0].guest);
    assert_eq!(guest.missing_members[0].name, "Alice (2)", "Alice is a member");
    assert_eq!(guest.entity.payer_name, "Alice");

    let word = with_payer("dave@example.com");
    assert!(word.entity.payer_id.guest().is_some());
    assert_eq!(with_payer("dave@example.com").entity, word.entity, "the same guest each time");
    let group = in_group(json!({})).entity;
    let known = members().with(&word.missing_members);
    let row = expense_row(json!({ "payerId": "dave@example.com" }));
    let again = expense(&row, recorded_at(&row, "TX#").unwrap(), &group, &known).unwrap();
    assert_eq!((again.missing_members, again.entity.payer_id), (Vec::new(), word.entity.payer_id));
}

#[test]
fn settlements_keep_what_their_hash_can_be() {
    let hash = "AB".repeat(32);
    let whole = settlement_of(json!({ "txHash": hash })).unwrap();
    assert_eq!(whole.entity.tx_hash.as_ref().unwrap().to_string(), hash.to_lowercase());
    assert_eq!((corrected(&whole).as_str(), whole.anomalies), ("txHash", Vec::new()));
    let short = settlement_of(json!({ "txHash": "a1b2c3d4e5f6..." })).unwrap();
    assert_eq!((corrected(&short).as_str(), short.anomalies), ("", vec![Anomaly::Hash]));
    for (changes, names) in [
        (json!({ "completedAt": null }), "completedAt"),
        (json!({ "status": "pending", "completedAt": null }), ""),
        (json!({ "status": "pending" }), "completedAt"),
        (json!({ "amount": 5.004 }), "amount"),
    ] {
        let summary = changes.to_string();
        assert_eq!(corrected(&settlement_of(changes).unwrap()), names, "{summary}");
    }
}

#[test]
fn rows_of_members_and_groups_are_completed() {
    let of = |changes| member(&member_row(changes), id(), Timestamp::default()).unwrap();
    let text = |row: &MemberRow| row.member.id.to_string();
    let other = of(json!({ "SK": format!("USER#{OTHER}"), "id": OTHER }));
    assert_eq!((text(&other.entity), corrected(&other)), ("1".to_owned(), "SK id".to_owned()));
    let changes = json!({ "SK": format!("USER#{OTHER}"), "id": OTHER, "telegramId": null });
    assert_eq!(text(&of(changes).entity), format!("guest-{OTHER}"));
    assert_eq!(of(json!({ "wallet": "EQBvI0aFLnw2XHNc7mpXc..." })).anomalies, [Anomaly::Wallet]);
    assert_eq!(corrected(&of(json!({ "name": null, "joinedAt": null }))), "joinedAt name");

    assert_eq!(in_group(json!({ "currency": null })).entity.currency.code(), "TON");
    let long = in_group(json!({ "title": "x".repeat(101), "memberCount": 7 }));
    assert_eq!(corrected(&long), "memberCount title");
}

#[test]
fn numbers_are_rounded_half_away_from_zero() {
    for (number, scale, expected) in [
        ("33.333333333333336", 2, "33.33"),
        ("0.005", 2, "0.01"),
        ("-0.005", 2, "-0.01"),
        ("0.0049", 2, "0"),
        ("1.5", 0, "2"),
        ("12", 2, "12"),
        ("1e-30", 2, "0"),
    ] {
        let number: crate::values::decimal::Decimal = number.parse().unwrap();
        assert_eq!(number.rounded(scale).to_string(), expected, "{number}");
    }
}
