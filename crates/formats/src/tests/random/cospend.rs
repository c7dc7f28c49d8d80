use std::fmt::Write as _;

use super::*;
use crate::tests::read_text;

/// Weights of members, in tenths. The app counts 0 as 1.
const WEIGHTS: [i64; 7] = [10, 5, 20, 0, 15, 1, 30];

/// The amount, in cents, which may be negative.
fn minor(row: &Row) -> i64 {
    if row.variant == 5 { -row.minor } else { row.minor }
}

/// The file of a group in euros, and the line of each bill.
fn file(group: &Group) -> (String, Vec<usize>) {
    let mut text = "name,weight,active,color\n".to_owned();
    for (name, weight) in group.names.iter().zip(WEIGHTS) {
        writeln!(text, "\"{name}\",{},1,\"#00a0b0\"", major(weight, 1)).unwrap();
    }
    text.push_str(
        "\nwhat,amount,date,timestamp,payer_name,payer_weight,payer_active,owers,repeat,\
         repeatfreq,repeatallactive,repeatuntil,categoryid,paymentmode,paymentmodeid,comment,\
         deleted\n",
    );
    let mut lines = Vec::new();
    for row in &group.rows {
        lines.push(1 + text.matches('\n').count());
        let owers = group.names.iter().zip(&row.weights).filter(|(_, weight)| **weight > 0);
        let owers: Vec<&str> = owers.map(|(name, _)| *name).collect();
        let doubled = |text: &str| text.replace('"', "\"\"");
        let what = doubled(row.text);
        let amount = major(minor(row), 2);
        let day: i64 = row.date[8..].parse().unwrap();
        // Noon of the day in February 2026.
        let timestamp = 1_769_860_800 + 86_400 * day;
        let category = if row.variant == 2 { "-11" } else { "0" };
        writeln!(
            text,
            "\"{what}\",{amount},{},{timestamp},\"{}\",{},1,\"{}\",n,1,0,,{category},n,0,\"\",0",
            row.date,
            doubled(group.names[row.payer]),
            major(WEIGHTS[row.payer], 1),
            doubled(&owers.join(",")),
        )
        .unwrap();
    }
    text.push_str("\ncurrencyname,exchange_rate\n\"€\",1\n\"CHF\",0.9231\n");
    (text, lines)
}

proptest! {
    #[test]
    fn shares_follow_weights(group in group()) {
        let (later, lines) = file(&group);
        let later = read_text(&later);
        prop_assert!(later.is_ready(), "{:?}", errors(&later));
        prop_assert_eq!(super::super::warnings(&later).len(), later.skipped);
        for (line, row) in lines.into_iter().zip(&group.rows) {
            let row = Row { minor: minor(row), ..row.clone() };
            let weight = |member: usize| if WEIGHTS[member] == 0 { 10 } else { WEIGHTS[member] };
            assert_weighted(&later, RowPlace::Line(line), &row, &group.names, weight)?;
        }
        assert_keys(&read_text(&file(&group.earlier()).0), &later)?;
    }
}
