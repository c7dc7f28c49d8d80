use serde_json::{Value, json};

use super::*;
use crate::tests::read_text;

/// The sign of a row: an income is negative.
fn sign(row: &Row) -> i64 {
    if row.variant == 5 { -1 } else { 1 }
}

/// The CSV of a group, in which each member has a column of payments, or only the payer is named.
fn csv(group: &Group, is_new: bool) -> (String, Nets) {
    let Group { names, rows } = group;
    let column = |kind: &str| -> Vec<String> {
        names.iter().map(|name| cell(&format!("{kind} {}", name.replace('&', "&amp;")))).collect()
    };
    let impacted = column("Impacted to").join(",");
    let payers = if is_new { column("Paid by").join(",") } else { "Paid by".to_owned() };
    let mut lines = vec![format!(
        "Title,Amount,Currency,Exchange rate,Amount in default currency (EUR),Type,Category,\
         Date & time,{payers},{impacted}"
    )];
    let mut nets = Nets::new();
    for row in rows {
        let row =
            Row { variant: if is_new { row.variant } else { row.variant % 4 }, ..row.clone() };
        let sign = sign(&row);
        let paid = paid(&row);
        let owed = rounded_shares(&row);
        for ((name, paid), owed) in names.iter().zip(&paid).zip(&owed) {
            add(&mut nets, name, "EUR", sign * (paid - owed));
        }
        let cells = |parts: &[i64], sign: i64| -> String {
            let cells = parts.iter().map(|part| major(sign * part, 2));
            cells.collect::<Vec<_>>().join(",")
        };
        let payers = if is_new { cells(&paid, 1) } else { cell(names[row.payer]) };
        let impacts = cells(&owed, -sign);
        let kind = match row.variant {
            2 => "Money transfer",
            5 => "Income",
            _ => "Expense",
        };
        let amount = major(row.minor, 2);
        let text = cell(row.text);
        let date = &row.date;
        lines.push(format!(
            "{text},{amount},EUR,1,{amount},{kind},No category,{date} 10:00:00,{payers},{impacts}"
        ));
    }
    lines.push("tricount Alps - Exported on 2026-03-01".to_owned());
    (lines.join("\n"), nets)
}

/// The JSON of a group.
fn registry(group: &Group) -> (String, Nets) {
    let membership = |member: usize| {
        let name = group.names[member];
        json!({ "RegistryMembershipNonUser":
            { "uuid": format!("m{member}"), "alias": { "display_name": name } } })
    };
    let mut nets = Nets::new();
    let mut entries: Vec<Value> = Vec::new();
    for (number, row) in group.rows.iter().enumerate() {
        let sign = sign(row);
        let owed = rounded_shares(row);
        let amount = |minor: i64| json!({ "value": major(-sign * minor, 2), "currency": "EUR" });
        add(&mut nets, group.names[row.payer], "EUR", sign * row.minor);
        let members = owed.iter().enumerate().filter(|(_, owed)| **owed != 0);
        let allocations = members.map(|(member, owed)| {
            add(&mut nets, group.names[member], "EUR", -sign * owed);
            json!({ "membership": membership(member), "amount": amount(*owed), "type": "RATIO",
                "share_ratio": row.weights[member] })
        });
        let allocations: Vec<Value> = allocations.collect();
        let kind = match row.variant {
            2 => "BALANCE",
            5 => "INCOME",
            _ => "NORMAL",
        };
        entries.push(json!({ "RegistryEntry": { "uuid": format!("e{number}"),
            "description": row.text, "date": row.date, "status": "ACTIVE",
            "type_transaction": kind, "amount": amount(row.minor),
            "membership_owned": membership(row.payer), "allocations": allocations } }));
    }
    let memberships: Vec<Value> = (0..group.names.len()).map(membership).collect();
    let registry = json!({ "uuid": "r", "title": "Alps", "currency": "EUR",
        "memberships": memberships, "all_registry_entry": entries });
    (json!({ "Response": [{ "Registry": registry }] }).to_string(), nets)
}

proptest! {
    #[test]
    fn balances_and_keys_of_the_csv_are_those_of_the_group(group in group(), is_new: bool) {
        let (later, nets) = csv(&group, is_new);
        let later = read_text(&later);
        assert_nets(&later, nets)?;
        let (earlier, nets) = csv(&group.earlier(), is_new);
        let earlier = read_text(&earlier);
        assert_nets(&earlier, nets)?;
        assert_keys(&earlier, &later)?;
    }

    #[test]
    fn balances_of_the_json_are_those_of_the_group(group in group()) {
        let (file, nets) = registry(&group);
        assert_nets(&read_text(&file), nets)?;
    }
}
