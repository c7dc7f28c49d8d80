//! JSON exports can be imported.

use std::collections::BTreeMap;

use fracti_core::{
    split::{Split, SplitType},
    values::{decimal::Decimal, money::Money},
};
use fracti_formats::{Answers, Format, Import, Movement, PersonPart, RowPlace, read};
use serde_json::Value;

use super::{Eventful, exported, pages};
use crate::harness::number;

fn import(file: &str) -> Import {
    read(file.as_bytes(), &Answers::default(), "2026-01-20".parse().unwrap())
}

/// What members paid or owe in an exported expense, by name. Grandma turned out to be D.
fn amounts(list: &Value) -> BTreeMap<String, Decimal> {
    let mut amounts: BTreeMap<String, Decimal> = BTreeMap::new();
    for it in list.as_array().unwrap() {
        let name = it["userName"].as_str().unwrap().replace("Grandma", "D");
        let sum = amounts.entry(name).or_default();
        *sum = sum.plus(number(&it["amount"])).unwrap();
    }
    amounts
}

#[tokio::test]
async fn export_is_read_with_equal_balances_shares_and_payers() {
    let eventful = Eventful::new().await;
    let export = exported(eventful.member(0), eventful.id(), 3).await;
    let import = import(&export.to_string());
    assert_eq!(import.format, Some(Format::FractiJson));
    assert!(import.is_ready(), "{:?} {:?}", import.errors, import.questions);

    let sums = import.sums();
    let read = sums.balances.iter().map(|(name, currency, net)| {
        ((currency.to_string(), name.to_string()), currency.to_major(*net))
    });
    let balances = export["balances"].as_array().unwrap().iter().map(|it| {
        let text = |field: &str| it[field].as_str().unwrap().to_owned();
        ((text("currency"), text("name")), number(&it["net"]))
    });
    let balances = balances.filter(|(_, net)| *net != Decimal::ZERO);
    assert_eq!(read.collect::<BTreeMap<_, _>>(), balances.collect());
    assert!(import.checks.iter().all(|check| check.agrees) && !import.checks.is_empty());

    let mut expenses = 0;
    for (index, entry) in export["entries"].as_array().unwrap().iter().enumerate() {
        if entry["status"] != "applied" || entry["refType"] != "expense" {
            continue;
        }
        expenses += 1;
        let row =
            import.rows.iter().find(|row| row.place == RowPlace::Item("entries", index)).unwrap();
        let Movement::Expense { payers, shares, split } = &row.movement else {
            unreachable!("{row:?}")
        };
        let of = |parts: &[PersonPart]| -> BTreeMap<String, Decimal> {
            let major =
                |part: &PersonPart| Money { currency: row.currency, minor: part.minor }.to_major();
            parts.iter().map(|it| (import.people[it.person].name.to_string(), major(it))).collect()
        };
        let expense = &entry["expense"];
        assert_eq!(
            (of(payers), of(shares)),
            (amounts(&expense["payers"]), amounts(&expense["splits"]))
        );
        // The guest's share and that of the user to whom the guest was linked are one.
        let is_of_all = of(shares).len() == expense["splits"].as_array().unwrap().len();
        let split_type = split.as_ref().map_or(SplitType::Exact, Split::split_type);
        let expected = if is_of_all { expense["splitType"].as_str().unwrap() } else { "exact" };
        assert_eq!(split_type.to_string(), expected);
        assert_eq!(row.description.to_string(), expense["description"].as_str().unwrap());
        assert_eq!(row.date.to_string(), expense["date"].as_str().unwrap());
        assert_eq!(
            row.notes.as_ref().map(ToString::to_string),
            expense["notes"].as_str().map(str::to_owned)
        );
        assert_eq!(
            row.category.map(|it| it.to_string()),
            expense["category"].as_str().map(str::to_owned)
        );
    }
    assert_eq!(sums.expenses, expenses);
    let names: Vec<_> = import.people.iter().map(|person| person.name.as_str()).collect();
    assert_eq!(
        names,
        ["A", "B", "C", "D", "Old \"friend\", with a comma"],
        "no past member without a row"
    );
    let warnings: Vec<_> = import.warnings.iter().map(|it| it.message.to_string()).collect();
    for part in [
        "1 past member without",
        "1 guest is imported as",
        "entries of the past are not imported",
        "failed settlement is not imported",
        "userId must appear only once in splits",
    ] {
        assert!(warnings.iter().any(|it| it.contains(part)), "{part}: {warnings:?}");
    }
}

#[tokio::test]
async fn response_with_the_whole_export_is_read_and_one_of_several_pages_is_refused() {
    let eventful = Eventful::new().await;
    let whole = pages(eventful.member(0), eventful.id(), "json", 1000).await;
    assert!(import(&whole[0].text).is_ready());
    let pages = pages(eventful.member(0), eventful.id(), "json", 5).await;
    for (index, page) in pages.iter().enumerate() {
        let refused = import(&page.text);
        let message = &refused.errors[0].message;
        let expected = if index == 0 {
            "the file has 5 of 18 entries"
        } else {
            "members and balances are missing"
        };
        assert!(refused.rows.is_empty() && message.to_string().starts_with(expected), "{message}");
    }
}
