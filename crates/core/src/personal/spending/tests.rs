use super::*;
use crate::personal::targets::{CategoryStatus, OwnCategory};

const NOW: &str = "2026-11-20T12:00:00.000Z";

fn new() -> NewSpending {
    NewSpending {
        title: Field::Value("Coffee".parse().unwrap()),
        amount: Field::Value("12.50".parse().unwrap()),
        currency: Field::Value("USD".parse().unwrap()),
        ..NewSpending::default()
    }
}

fn targets() -> Targets {
    let own =
        |status| OwnCategory { unit: "USD".parse().unwrap(), label: None, target: None, status };
    let registry = [("pets", CategoryStatus::Active), ("cars", CategoryStatus::Archived)];
    let registry = registry.map(|(key, status)| (key.parse().unwrap(), own(status)));
    Targets { registry: registry.into(), ..Targets::none("1".parse().unwrap()) }
}

fn check(new: NewSpending) -> Result<Spending, Error> {
    let targets = targets();
    Draft::valid(new).check(targets.user_id, &targets, NOW.parse().unwrap(), [0xab; 10])
}

fn parts(parts: &[(&str, &str)]) -> Field<Vec<(String, Field<Decimal>)>> {
    let part =
        |(key, amount): &(&str, &str)| ((*key).to_owned(), Field::Value(amount.parse().unwrap()));
    Field::Value(parts.iter().map(part).collect())
}

#[test]
fn times_and_days_follow_from_each_other() {
    let times = |spent_at: Option<&str>, date: Option<&str>| {
        let spent_at = Field::from(spent_at.map(|it| it.parse().unwrap()));
        let user_date = Field::from(date.map(|it| it.parse().unwrap()));
        check(NewSpending { user_date, spent_at, ..new() })
            .map(|it| format!("{} {}", it.spent_at, it.user_date))
            .map_err(|error| error.to_string())
    };
    for (spent_at, date, expected) in [
        (None, None, "2026-11-20T12:00:00.000Z 2026-11-20"),
        (None, Some("2026-11-20"), "2026-11-20T12:00:00.000Z 2026-11-20"),
        (None, Some("2026-11-03"), "2026-11-03T12:00:00.000Z 2026-11-03"),
        (None, Some("2026-11-21"), "2026-11-21T12:00:00.000Z 2026-11-21"),
        (Some("2026-11-20T03:59:00+03:00"), None, "2026-11-20T00:59:00.000Z 2026-11-19"),
        (Some("2026-11-20T04:00:00+03:00"), None, "2026-11-20T01:00:00.000Z 2026-11-20"),
        (Some("2026-11-10T08:00:00Z"), Some("2026-11-11"), "2026-11-10T08:00:00.000Z 2026-11-11"),
    ] {
        assert_eq!(times(spent_at, date), Ok(expected.to_owned()), "{spent_at:?} {date:?}");
    }
    let ahead = "must be at most one day ahead";
    for (spent_at, date, rule) in [
        (None, Some("2026-11-22"), ahead),
        (Some("2026-11-21T12:00:01Z"), None, ahead),
        (Some("2026-11-10T08:00:00Z"), Some("2026-11-12"), "must be within one day"),
        (Some("2026-11-10T08:00:00Z"), Some("2026-11-08"), "must be within one day"),
    ] {
        let refused = times(spent_at, date).unwrap_err();
        assert!(refused.contains(rule), "{spent_at:?} {date:?}: {refused}");
    }
}

#[test]
fn categories_are_parts_of_the_amount() {
    let of = |sent: &[(&str, &str)], snapshot: Option<&[&str]>| {
        let snapshot = snapshot.map(|keys| {
            keys.iter().map(|key| Field::Value(key.parse().unwrap())).collect::<Vec<_>>()
        });
        let categories = CategoriesInput {
            categories: parts(sent),
            snapshot: snapshot.into(),
            ..CategoriesInput::default()
        };
        let categories = check(NewSpending { categories, ..new() });
        categories
            .map(|it| it.categories.iter().map(|(key, part)| format!("{key}={part}")).collect())
            .map_err(|error| error.to_string())
    };
    let text =
        |it: &[&str]| Ok::<Vec<String>, String>(it.iter().map(|it| (*it).to_owned()).collect());
    assert_eq!(of(&[("food", "9.5"), ("pets", "3")], None), text(&["food=9.5", "pets=3"]));
    assert_eq!(of(&[("food", "0"), ("pets", "12.5")], None), text(&["pets=12.5"]));
    assert_eq!(of(&[("pets", "5"), ("cars", "20")], Some(&["pets"])), text(&["pets=5"]));
    for (sent, snapshot, rule) in [
        (&[("food", "9.5"), ("pets", "3.50")][..], None, "the categories exceed the amount by 0.5"),
        (&[("food", "-1")], None, "categories.food must not be negative"),
        (&[("food", "0.001")], None, "categories.food must have at most 2 decimals in USD"),
        (&[("cars", "1")], None, "cars is archived"),
        (&[("boats", "1")], None, "boats is neither"),
        (&[("total", "1")], Some(&["total"][..]), "total is neither"),
        (&[("__proto__", "1")], Some(&[]), "a key of categories must be"),
        (&[("a#b", "1")], None, "a key of categories must be"),
    ] {
        let refused = of(sent, snapshot).unwrap_err();
        assert!(refused.starts_with(rule), "{sent:?}: {refused}");
    }
}

#[test]
fn a_category_of_the_whole_amount_stays_the_whole_amount() {
    let whole = CategoriesInput {
        category: Field::Value("food".parse().unwrap()),
        ..CategoriesInput::default()
    };
    let food = check(NewSpending { categories: whole, ..new() }).unwrap();
    let apply = |before: &Spending, amount: &str| {
        let amount = Field::Value(amount.parse().unwrap());
        let edit = Draft::valid(SpendingEdit { amount, ..SpendingEdit::default() });
        edit.apply(before, &targets(), NOW.parse().unwrap())
    };
    let dearer = apply(&food, "13.75").unwrap();
    assert_eq!(dearer.categories["food"].to_string(), "13.75");
    assert_eq!(dearer.updated_at, Some(NOW.parse().unwrap()));
    let same = apply(&dearer, "13.75").unwrap();
    assert_eq!(same, dearer);
    let cheaper = apply(&dearer, "1").unwrap();
    assert!(cheaper.updated_at > dearer.updated_at, "each state has its own time");
    let part =
        CategoriesInput { categories: parts(&[("food", "9")]), ..CategoriesInput::default() };
    let part = check(NewSpending { categories: part, ..new() }).unwrap();
    let refused = apply(&part, "8.5").unwrap_err().to_string();
    assert_eq!(refused, "the categories exceed the amount by 0.5");
}
