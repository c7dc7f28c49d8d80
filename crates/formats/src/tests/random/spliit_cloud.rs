use super::*;
use crate::tests::read_text;

/// The file of a group and its balances.
fn file(group: &Group, further_member: bool) -> (String, Nets) {
    let Group { names, rows } = group;
    let quoted = |text: &str| format!("\"{}\"", guarded(text).replace('"', "\"\""));
    let mut header: Vec<String> = names.iter().map(|name| quoted(name)).collect();
    header.extend(further_member.then(|| "Zed".to_owned()));
    let mut lines = vec![format!(
        "Date,Description,Category,Currency,Cost,Original cost,Original currency,Conversion rate,\
         Conversion source,Is Settlement,Split mode,{}",
        header.join(",")
    )];
    let mut nets = Nets::new();
    for row in rows {
        let (code, decimals) = if row.variant % 2 == 0 { ("EUR", 2) } else { ("JPY", 0) };
        let paid = paid(row);
        let owed = rounded_shares(row);
        let mut cells: Vec<i64> = paid.iter().zip(owed).map(|(paid, owed)| paid - owed).collect();
        for (name, net) in names.iter().zip(&cells) {
            add(&mut nets, name, code, *net);
        }
        cells.extend(further_member.then_some(0));
        let cells: Vec<String> = cells.iter().map(|net| major(*net, decimals)).collect();
        let kind = if row.variant == 2 { "Yes" } else { "No" };
        let text = quoted(row.text);
        let cost = major(row.minor, decimals);
        let date = &row.date;
        let cells = cells.join(",");
        lines.push(format!("{date},{text},Taxi,{code},{cost},,,,,{kind},Evenly,{cells}"));
    }
    (lines.join("\n"), nets)
}

proptest! {
    #[test]
    fn balances_and_keys_are_those_of_the_group(group in group()) {
        let (later, nets) = file(&group, true);
        let later = read_text(&later);
        assert_nets(&later, nets)?;
        let (earlier, nets) = file(&group.earlier(), false);
        let earlier = read_text(&earlier);
        assert_nets(&earlier, nets)?;
        assert_keys(&earlier, &later)?;
    }
}
