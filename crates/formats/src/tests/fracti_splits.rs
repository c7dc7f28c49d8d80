//! Splits in Fracti's own JSON.

use fracti_core::split::{Line, Sharing, Split};

use super::{fracti::FILE, *};

/// Split of an expense, with the names of its members.
fn split_of<'a>(import: &'a Import, description: &str) -> Option<Split<&'a str>> {
    let row = import.rows.iter().find(|row| row.description.as_str() == description).unwrap();
    let Movement::Expense { split, .. } = &row.movement else { unreachable!("{row:?}") };
    let name = |person: usize| Some(import.people[person].name.as_str());
    split.clone().map(|split| split.among(name).unwrap())
}

/// A line like "item Wine 1200 2 x 6: Alice 2, Bob 1".
fn line(line: &Line<i64, &str>) -> String {
    let Line { kind, name, amount, rest, quantity, price, sharing } = line;
    let sharing = match sharing {
        Sharing::Sharers { sharers } => {
            let sharers = sharers.iter().map(|(name, weight)| format!("{name} {weight}"));
            sharers.collect::<Vec<_>>().join(", ")
        }
        Sharing::Over { over, split } => format!("{split} over {over:?}"),
    };
    let pieces = quantity.zip(*price).map(|(quantity, price)| format!(" {quantity} x {price}"));
    let rest = if *rest { " rest" } else { "" };
    format!("{kind} {name} {amount}{}{rest}: {sharing}", pieces.unwrap_or_default())
}

#[test]
fn splits_are_read_with_their_input() {
    let import = read_text(FILE);
    let a = "Alice";
    let b = "Bob";
    let g = "Grandma";
    for (description, split) in [
        ("Dinner", Some(Split::Equal(vec![a, b, g]))),
        ("Taxi", Some(Split::Percentage(vec![(a, 333_333), (b, 333_333), (g, 333_334)]))),
        ("Rent", Some(Split::Shares(vec![(g, 0), (a, 5_000), (b, 20_000)]))),
        ("Tickets", Some(Split::Adjustment(vec![(a, 750), (b, -300), (g, 0)]))),
        ("Deposit", Some(Split::Equal(vec![g, b, a]))),
        ("Museum", None),
    ] {
        assert_eq!(split_of(&import, description), split, "{description}");
    }
    let Some(Split::Itemized(lines)) = split_of(&import, "Restaurant") else { unreachable!() };
    assert_eq!(
        lines.iter().map(line).collect::<Vec<_>>(),
        [
            "item Pizza 1550: Alice 1, Bob 1, Grandma 1",
            "item Wine 1200 2 x 6: Alice 2, Bob 1",
            "item Bread 300 rest: Alice 1, Bob 1, Grandma 1",
            "tax VAT 305: proportional over None",
            "tip Tip 300: equal over None",
            "discount Voucher 500: proportional over Some([0])",
        ]
    );
}

#[test]
fn numbers_of_a_split_may_be_texts() {
    let file = FILE
        .replace("\"percentage\": 33.3334", "\"percentage\": \"33.33340\"")
        .replace("\"weight\": 2}", "\"weight\": \"2.0\"}")
        .replace("\"price\": 6", "\"price\": \"6.00\"");
    assert_ne!(file, FILE);
    assert_eq!(read_text(&file).rows, read_text(FILE).rows);
}

#[test]
fn split_that_cannot_be_kept_leaves_exact_amounts_and_a_warning() {
    let name = format!("\"name\": \"{}\"", "x".repeat(101));
    let line = r#"{"kind": "fee", "name": "Fee", "amount": 0, "split": "equal"},"#;
    let lines = format!("\"items\": [{}", line.repeat(95));
    let others = format!("\"items\": [{}", line.repeat(20));
    let sharers = format!("\"sharers\": [{}", r#"{"userId": "1", "weight": 1},"#.repeat(43));
    let over = format!("\"over\": [{}0]", "0, ".repeat(100));
    for (from, to, rule) in [
        ("33.3334", "33.3335", "entries[6] the percentages sum to 100.0001, 0.0001 more than 100"),
        ("33.3334", "33.33340001", "entries[6] percentage must have at most 4 decimals"),
        ("33.3334", "-33.3334", "entries[6] percentage must not be negative"),
        ("33.3334", "1e30", "entries[6] the percentages sum to 1000000"),
        (", \"percentage\": 33.3334", "", "entries[6] percentage is required"),
        ("\"weight\": 2}", "\"weight\": 10001}", "entries[7] weight must be at most 10000"),
        ("\"weight\": 2}", "\"weight\": 2.00001}", "entries[7] weight must have at most 4"),
        (
            "\"weight\": 2}",
            "\"weight\": 2.1}",
            "entries[7] the amounts do not follow from the split",
        ),
        ("\"adjustment\": -3", "\"adjustment\": -3.001", "entries[8] adjustment must have"),
        ("\"adjustment\": 7.5", "\"adjustment\": 7.6", "entries[8] the amounts do not follow"),
        (
            "\"adjustment\": 7.5",
            "\"adjustment\": 90",
            "entries[8] the adjustments sum to 87, 27 more",
        ),
        (
            "\"adjustment\": 7.5",
            "\"adjustment\": -58",
            "entries[8] Alice's share would be negative",
        ),
        ("\"exact\"", "\"equal\"", "entries[11] the amounts do not follow from the split"),
        ("\"exact\"", "\"itemized\"", "entries[11] items is required"),
        (
            "\"itemized\"",
            "\"equal\"",
            "entries[9] items must be given only with splitType itemized",
        ),
        ("\"items\": [", "\"itemCount\": [", "entries[9] items is required"),
        ("\"items\": [", &lines, "entries[9] items must have at most 100 items, not 101"),
        ("\"items\": [", &others, "entries[9] items must have at most 20 lines of other kinds"),
        ("\"sharers\": [", &sharers, "entries[9] sharers must have at most 45 items, not 46"),
        ("\"over\": [0]", &over, "entries[9] over must have at most 100 items, not 101"),
        ("\"over\": [0]", "\"over\": [6]", "entries[9] over[0] must be the index of a line of"),
        ("\"over\": [0]", "\"over\": [4]", "entries[9] over[0] must be the index of a line of"),
        ("\"over\": [0]", "\"over\": [0, 0]", "entries[9] over[1] must not repeat an index"),
        ("\"over\": [0]", "\"over\": []", "entries[9] the lines it applies to sum to 0"),
        ("\"over\": [0]", "\"over\": [1]", "entries[9] the amounts do not follow from the split"),
        (
            "{\"userId\": \"1\", \"weight\": 2}",
            "{\"userId\": \"9\", \"weight\": 2}",
            "entries[9] userId must be the id of a member",
        ),
        (
            "{\"userId\": \"1\", \"weight\": 2}",
            "{\"userId\": \"2\", \"weight\": 2}",
            "entries[9] userId must appear only once",
        ),
        ("\"name\": \"Pizza\"", &name, "entries[9] name must have 1 to 100 characters"),
        ("\"quantity\": 2", "\"quantity\": 0", "entries[9] quantity must be above zero"),
        ("\"price\": 6", "\"price\": -6", "entries[9] price must not be negative"),
        (
            "\"amount\": 3, \"rest\": true",
            "\"amount\": 3.1",
            "entries[9] the lines sum to 31.65, 0.1 more",
        ),
        (
            "\"Pizza\", \"amount\": 15.5",
            "\"Pizza\", \"amount\": -15.5",
            "entries[9] amount must not be negative",
        ),
        ("\"Pizza\", \"amount\": 15.5", "\"Pizza\", \"amount\": 1e30", "entries[9] amount must"),
    ] {
        let file = FILE.replacen(from, to, 1);
        assert_ne!(file, FILE, "{from}");
        let import = read_text(&file);
        let whole = read_text(FILE);
        assert!(import.is_ready(), "{to}: {:?}", errors(&import));
        let (place, rule) = rule.split_once(' ').unwrap();
        let what = "the shares are imported as exact amounts, because the split cannot be kept";
        let expected = format!("{place} {what}: ");
        let warnings = warnings(&import);
        assert!(
            warnings.iter().any(|it| it.starts_with(&expected) && it.contains(rule)),
            "{to}: {warnings:#?}"
        );
        assert_eq!(warnings.len(), self::warnings(&whole).len() + 1);
        assert_eq!(rows(&import), rows(&whole));
        for (row, before) in import.rows.iter().zip(&whole.rows) {
            let is_lost = row.place.to_string() == place;
            assert!(row == before || is_lost, "{to}: {row:?}");
            let is_exact = matches!(row.movement, Movement::Expense { split: None, .. });
            assert!(is_exact || !is_lost, "{to}: {row:?}");
        }
    }
}

#[test]
fn split_of_a_wrong_type_is_an_error() {
    for (from, to, expected) in [
        (
            "\"percentage\": 33.3334",
            "\"percentage\": {}",
            "entries[6].expense.splits[2].percentage expense.splits[2].percentage",
        ),
        (
            "\"weight\": 2}",
            "\"weight\": \"two\"}",
            "entries[7].expense.splits[2].weight expense.splits[2].weight",
        ),
        (
            "\"adjustment\": -3",
            "\"adjustment\": true",
            "entries[8].expense.splits[1].adjustment expense.splits[1].adjustment",
        ),
        (
            "\"splitType\": \"shares\"",
            "\"splitType\": \"auction\"",
            "entries[7].expense.splitType expense.splitType",
        ),
        ("\"items\": [", "\"items\": 5, \"lines\": [", "entries[9].expense.items expense.items"),
        (
            "\"kind\": \"tip\"",
            "\"kind\": \"gift\"",
            "entries[9].expense.items[4].kind expense.items[4].kind",
        ),
        ("\"kind\": \"tip\", ", "", "entries[9].expense.items[4] expense.items[4]"),
        (
            "\"name\": \"Pizza\"",
            "\"name\": 5",
            "entries[9].expense.items[0].name expense.items[0].name",
        ),
        ("\"rest\": true", "\"rest\": 1", "entries[9].expense.items[2].rest expense.items[2].rest"),
        (
            "\"over\": [0]",
            "\"over\": [-1]",
            "entries[9].expense.items[5].over[0] expense.items[5].over[0]",
        ),
        (
            "\"over\": [0]",
            "\"over\": [1e9]",
            "entries[9].expense.items[5].over[0] expense.items[5].over[0]",
        ),
        (
            "\"split\": \"equal\"",
            "\"split\": \"half\"",
            "entries[9].expense.items[4].split expense.items[4].split",
        ),
    ] {
        let file = FILE.replacen(from, to, 1);
        assert_ne!(file, FILE, "{from}");
        let errors = errors(&read_text(&file));
        assert!(errors.iter().any(|it| it.starts_with(expected)), "{to}: {errors:#?}");
    }
}

#[test]
fn any_choice_of_the_left_over_units_is_kept() {
    // Alice and Grandma owe one unit more than Bob, although all three have equal remainders.
    let swapped = FILE
        .replace("\"amount\": 14.92", "\"amount\": 14.91")
        .replace("\"owed\": 14.92", "\"owed\": 14.91")
        .replace("\"amount\": 10.51", "\"amount\": 10.52")
        .replace("\"owed\": 10.51", "\"owed\": 10.52")
        .replace("\"owed\": 71.58", "\"owed\": 71.57")
        .replace("\"net\": 97.43", "\"net\": 97.44")
        .replace("\"owed\": 117.69", "\"owed\": 117.7")
        .replace("\"net\": -65.64", "\"net\": -65.65");
    let import = read_text(&swapped);
    assert!(import.is_ready(), "{:?}", errors(&import));
    assert_eq!(warnings(&import), warnings(&read_text(FILE)));
    assert_eq!(split_of(&import, "Restaurant"), split_of(&read_text(FILE), "Restaurant"));
}
