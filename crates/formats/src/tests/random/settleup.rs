use super::*;
use crate::tests::read_text;

/// The file of a group and its balances.
fn file(group: &Group) -> (String, Nets) {
    let Group { names, rows } = group;
    let mut lines = vec![
        "Who paid,Amount,Currency,For whom,Split amounts,Purpose,Category,Date & time,Timezone,\
         Exchange rate,Converted amount,Type,Receipt"
            .to_owned(),
    ];
    let mut nets = Nets::new();
    for row in rows {
        let sign = if row.variant == 5 { -1 } else { 1 };
        let list = |parts: Vec<i64>| -> [String; 2] {
            let parts = parts.into_iter().zip(names).filter(|(part, _)| *part != 0);
            let parts = parts.map(|(part, name)| (name.to_string(), major(sign * part, 2)));
            let (names, amounts): (Vec<String>, Vec<String>) = parts.unzip();
            [cell(&names.join(";")), amounts.join(";")]
        };
        let paid = paid(row);
        let owed = rounded_shares(row);
        for ((name, paid), owed) in names.iter().zip(&paid).zip(&owed) {
            add(&mut nets, name.trim(), "EUR", sign * (paid - owed));
        }
        let [[payers, amounts], [sharers, shares]] = [list(paid), list(owed)];
        let kind = if row.variant == 2 { "transfer" } else { "expense" };
        let text = cell(row.text.trim());
        let date = &row.date;
        lines.push(format!(
            "{payers},{amounts},EUR,{sharers},{shares},{text},,{date} 10:00:00,,1,,{kind},"
        ));
    }
    (lines.join("\n"), nets)
}

proptest! {
    #[test]
    fn balances_and_keys_are_those_of_the_group(mut group in group()) {
        // A name with a semicolon is only known if it stands alone somewhere.
        group.names.iter_mut().filter(|name| name.contains(';')).for_each(|name| *name = "Dash");
        let (later, nets) = file(&group);
        let later = read_text(&later);
        assert_nets(&later, nets)?;
        let (earlier, nets) = file(&group.earlier());
        let earlier = read_text(&earlier);
        assert_nets(&earlier, nets)?;
        assert_keys(&earlier, &later)?;
    }
}
