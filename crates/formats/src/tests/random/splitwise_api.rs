use serde_json::{Value, json};

use super::*;
use crate::tests::read_text;

/// The expenses of a group, and its balances.
fn expenses(group: &Group) -> (Vec<Value>, Nets) {
    let mut nets = Nets::new();
    let mut expenses = Vec::new();
    for (number, row) in group.rows.iter().enumerate() {
        let (code, decimals) = if row.variant % 2 == 0 { ("EUR", 2) } else { ("JPY", 0) };
        let paid = paid(row);
        let owed = rounded_shares(row);
        let members = group.names.iter().zip(paid.iter().zip(owed)).enumerate();
        let users = members.map(|(member, (name, (paid, owed)))| {
            add(&mut nets, name, code, paid - owed);
            json!({ "user_id": member, "user": { "first_name": name, "last_name": null },
                "paid_share": major(*paid, decimals), "owed_share": major(owed, decimals),
                "net_balance": major(paid - owed, decimals) })
        });
        let users: Vec<Value> = users.collect();
        expenses.push(json!({ "id": number, "group_id": 7, "description": row.text,
            "payment": row.variant == 2, "cost": major(row.minor, decimals), "currency_code": code,
            "date": format!("{}T10:00:00Z", row.date), "deleted_at": null, "users": users }));
    }
    (expenses, nets)
}

/// The file of these pages, in a list or one after the other.
fn file(pages: &[&[Value]], is_list: bool) -> String {
    let pages: Vec<Value> = pages.iter().map(|page| json!({ "expenses": page })).collect();
    if is_list {
        return json!(pages).to_string();
    }
    pages.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

proptest! {
    #[test]
    fn balances_and_keys_are_those_of_the_group(
        group in group(),
        at: prop::sample::Index,
        is_list: bool,
    ) {
        let (expenses, nets) = expenses(&group);
        let at = at.index(expenses.len());
        // An expense that was added meanwhile moves another one to the next page.
        let first = &expenses[..=at];
        let second = &expenses[at..];
        let later = read_text(&file(&[first, second], is_list));
        assert_nets(&later, nets)?;
        let earlier = read_text(&file(&[&expenses[..=at]], false));
        prop_assert!(earlier.is_ready(), "{:?}", errors(&earlier));
        assert_keys(&earlier, &later)?;
    }
}
