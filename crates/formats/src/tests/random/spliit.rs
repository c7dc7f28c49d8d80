use fracti_core::values::currency::Currency;
use serde_json::{Value, json};

use super::*;
use crate::{
    Answers, read,
    tests::{answers, read_text, today},
};

/// A currency: its code in the app, the code of the import, and the decimals of the app.
const CURRENCIES: [(&str, &str, u8); 5] =
    [("EUR", "EUR", 2), ("JPY", "JPY", 0), ("HUF", "HUF", 0), ("KWD", "KWD", 3), ("", "CHF", 2)];

const MODES: [(&str, &str); 4] = [
    ("EVENLY", "Evenly"),
    ("BY_SHARES", "Unevenly – By shares"),
    ("BY_PERCENTAGE", "Unevenly – By percentage"),
    ("BY_AMOUNT", "Unevenly – By amount"),
];

/// The id of a participant. The order of the ids differs from that of the names.
fn id(member: usize) -> String {
    format!("{}é", ["q", "b", "Z", "𝒳", "-", "a", "\u{fb01}"][member])
}

/// The amount, weights and shares of a row, which is the `number`th of its group. The shares are
/// those of the app: each is rounded down, and the largest remainders get one unit more. Equal
/// remainders are taken in the order of members' ids, starting at the place that the hash of the
/// expense's id gives.
fn shares(row: &Row, number: usize) -> (i64, Vec<i64>, Vec<i64>) {
    let amount = if row.variant == 5 { -row.minor } else { row.minor };
    let mode = MODES[usize::from(row.variant) % 4].0;
    let weights: Vec<i64> = row.weights.iter().map(|weight| weight * 100).collect();
    let used = |weight: &i64| if mode == "EVENLY" { weight.signum() } else { *weight };
    let total: i64 = weights.iter().map(used).sum();
    let mut members: Vec<usize> =
        (0..weights.len()).filter(|member| weights[*member] > 0).collect();
    members.sort_by_key(|member| id(*member).encode_utf16().collect::<Vec<_>>());
    let hash = format!("e{number}")
        .bytes()
        .fold(2_166_136_261_u64, |hash, byte| (hash ^ u64::from(byte)) * 16_777_619 % (1 << 32));
    let first = usize::try_from(hash).unwrap() % members.len();
    let mut shares = vec![0; weights.len()];
    let mut rests = Vec::new();
    for (place, member) in members.iter().enumerate() {
        let exact = amount * used(&weights[*member]);
        shares[*member] = exact.div_euclid(total);
        let turn = if place < first { place + members.len() } else { place };
        rests.push((-exact.rem_euclid(total), turn, *member));
    }
    rests.sort_unstable();
    let left = amount - shares.iter().sum::<i64>();
    for (_, _, member) in rests.iter().take(usize::try_from(left).unwrap()) {
        shares[*member] += 1;
    }
    (amount, weights, shares)
}

fn is_reimbursement(row: &Row) -> bool {
    row.variant == 2
}

/// The balances of a group.
fn balances(group: &Group, (_, code, decimals): (&str, &str, u8)) -> Nets {
    let exponent = code.parse::<Currency>().unwrap().exponent();
    let unit = 10_i64.pow((exponent - decimals).into());
    let mut nets = Nets::new();
    for (number, row) in group.rows.iter().enumerate() {
        let (amount, _, shares) = shares(row, number);
        add(&mut nets, group.names[row.payer], code, amount * unit);
        for (name, share) in group.names.iter().zip(shares) {
            add(&mut nets, name, code, -share * unit);
        }
    }
    nets
}

/// The JSON of a group.
fn json(group: &Group, code: &str) -> String {
    let expense = |(number, row): (usize, &Row)| {
        let (amount, weights, _) = shares(row, number);
        let paid_for: Vec<Value> = (0..weights.len())
            .filter(|member| weights[*member] > 0)
            .map(|member| json!({ "participantId": id(member), "shares": weights[member] }))
            .collect();
        json!({
            "id": format!("e{number}"), "createdAt": "2026-01-30T18:30:12.345Z",
            "expenseDate": format!("{}T00:00:00.000Z", row.date), "title": row.text,
            "category": null, "amount": amount, "originalAmount": null, "originalCurrency": null,
            "conversionRate": null, "paidById": id(row.payer), "paidFor": paid_for,
            "isReimbursement": is_reimbursement(row),
            "splitMode": MODES[usize::from(row.variant) % 4].0, "recurrenceRule": "NONE",
            "notes": null,
        })
    };
    let expenses: Vec<Value> = group.rows.iter().enumerate().map(expense).collect();
    let participants: Vec<Value> = (0..group.names.len())
        .map(|member| json!({ "id": id(member), "name": group.names[member] }))
        .collect();
    let group = json!({
        "id": "g", "name": "G", "information": null, "currency": "beans", "currencyCode": code,
        "expenses": expenses, "participants": participants, "activities": [],
    });
    group.to_string()
}

/// The CSV of a group, and who paid the lines whose payers are not in the file.
fn csv(group: &Group, (code, _, decimals): (&str, &str, u8)) -> (String, BTreeMap<usize, String>) {
    let quote = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let fixed = "Date,Description,Category,Currency,Cost,Original cost,Original currency,\
                 Conversion rate,Is Reimbursement,Split mode";
    let header = fixed.split(',').map(quote);
    let header = header.chain(group.names.iter().map(|name| quote(&guarded(name))));
    let mut lines = vec![header.collect::<Vec<_>>().join(",")];
    let mut payers = BTreeMap::new();
    let mut line = 2;
    for (number, row) in group.rows.iter().enumerate() {
        let (amount, _, shares) = shares(row, number);
        let zeros = shares.iter().filter(|share| **share == 0).count();
        if shares[row.payer] == 0 && zeros > 1 {
            payers.insert(line, group.names[row.payer].to_owned());
        }
        let cells = shares.iter().enumerate().map(|(member, share)| {
            major(if member == row.payer { *share } else { -share }, decimals)
        });
        let places = usize::from(decimals);
        let cost = amount.abs();
        let (whole, rest) =
            (cost / 10_i64.pow(decimals.into()), cost % 10_i64.pow(decimals.into()));
        let rest = if places == 0 { String::new() } else { format!(".{rest:0places$}") };
        let cost = format!("{}{whole}{rest}", if amount < 0 { "-" } else { "" });
        let yes = if is_reimbursement(row) { "Yes" } else { "No" };
        let mode = MODES[usize::from(row.variant) % 4].1;
        let text = quote(&guarded(row.text));
        lines.push(format!(
            "\"{}\",{text},,\"{code}\",\"{cost}\",,,,\"{yes}\",\"{mode}\",{}",
            row.date,
            cells.collect::<Vec<_>>().join(",")
        ));
        line += 1 + row.text.matches('\n').count();
    }
    (format!("\u{feff}{}", lines.join("\n")), payers)
}

fn chf() -> Answers {
    answers(r#"{"currency":"CHF"}"#)
}

proptest! {
    #[test]
    fn balances_of_the_json_are_those_of_the_app(
        group in group(),
        currency in prop::sample::select(&CURRENCIES[..]),
    ) {
        let file = json(&group, currency.0);
        assert_nets(&read(file.as_bytes(), &chf(), today()), balances(&group, currency))?;
    }

    #[test]
    fn balances_of_the_csv_are_those_of_the_app(
        group in group(),
        currency in prop::sample::select(&CURRENCIES[..]),
    ) {
        let (later, payers) = csv(&group, currency);
        let asked = read(later.as_bytes(), &chf(), today());
        prop_assert_eq!(asked.questions.len(), payers.len());
        let answers = Answers { payers, ..chf() };
        let later = read(later.as_bytes(), &answers, today());
        assert_nets(&later, balances(&group, currency))?;
        // An answer changes no key, and neither do further rows.
        assert_keys(&asked, &later)?;
        let (earlier, _) = csv(&group.earlier(), currency);
        let earlier = read(earlier.as_bytes(), &chf(), today());
        prop_assert_eq!(errors(&earlier), [""; 0]);
    }
}

#[test]
fn keys_of_the_json_are_those_of_a_longer_one() {
    let expense = |number: i32| {
        json!({
            "expenseDate": "2026-02-01T00:00:00.000Z", "title": "Tea", "amount": 100 + number / 2,
            "paidById": "a", "paidFor": [{ "participantId": "a", "shares": 1 }],
            "isReimbursement": false, "splitMode": "EVENLY",
        })
    };
    let file = |numbers: std::ops::Range<i32>| {
        let expenses: Vec<Value> = numbers.rev().map(expense).collect();
        let participants = json!([{ "id": "a", "name": "Anna" }]);
        json!({ "expenses": expenses, "participants": participants, "currencyCode": "EUR" })
    };
    let shorter = file(0..6).to_string();
    let longer = file(0..9).to_string();
    assert_keys(&read_text(&shorter), &read_text(&longer)).unwrap();
}
