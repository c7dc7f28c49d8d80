//! The cases of `fixtures/money.json`, checked on the functions and over HTTP.

use std::collections::BTreeMap;

use fracti_core::{
    input::FieldError,
    plan::plans,
    split::Split,
    values::{
        decimal::Decimal,
        id::{ExpenseId, MemberId, UserId},
        money::Money,
    },
};
use serde_json::{Value, json};

use crate::harness::{Caller, Group, number};

/// All cases.
fn cases() -> Vec<Value> {
    let cases = include_str!("../fixtures/money.json");
    let cases: Vec<Value> = serde_json::from_str(cases).unwrap();
    assert!(cases.len() >= 16);
    for case in &cases {
        let kinds = ["split", "exp", "net", "property"];
        assert!(kinds.iter().any(|kind| case.get(kind).is_some()), "unknown kind of case: {case}");
    }
    cases
}

/// An amount of a case, which is in minor units.
fn euro(minor: i64) -> Money {
    Money { currency: "EUR".parse().unwrap(), minor }
}

fn exact(minor: i64) -> String {
    euro(minor).to_major().to_string()
}

fn minor(value: &Value) -> i64 {
    value.as_i64().unwrap()
}

/// The members of a case in alphabetical order.
fn named<'a>(names: impl Iterator<Item = &'a str>) -> BTreeMap<&'a str, MemberId> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().zip((1..).map(|id| UserId::new(id).unwrap().into())).collect()
}

fn names(split: &Value) -> Vec<&str> {
    if let Some(equal) = split.get("equal") {
        return equal.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    }
    let parts = split.get("exact").or(split.get("percent_bp")).unwrap().as_object().unwrap();
    parts.keys().map(String::as_str).collect()
}

/// The split of a case, for the functions.
fn split_of(split: &Value, ids: &BTreeMap<&str, MemberId>) -> Split {
    let parts = |field: &str| {
        split[field].as_object().unwrap().iter().map(|(name, part)| (ids[&**name], minor(part)))
    };
    if split.get("exact").is_some() {
        Split::Exact(parts("exact").collect())
    } else if split.get("percent_bp").is_some() {
        let weight = |(user, points)| (user, u32::try_from(points * 100).unwrap());
        Split::Percentage(parts("percent_bp").map(weight).collect())
    } else {
        Split::Equal(names(split).iter().map(|name| ids[name]).collect())
    }
}

/// The split of a case, as a request.
fn body(split: &Value, ids: &BTreeMap<&str, MemberId>) -> Value {
    let splits: Vec<Value> = names(split)
        .iter()
        .map(|name| {
            let user = ids[name].to_string();
            if let Some(part) = split.get("exact") {
                json!({ "userId": user, "amount": exact(minor(&part[name])) })
            } else if let Some(part) = split.get("percent_bp") {
                let points = Decimal::new(minor(&part[name]).into(), 2);
                json!({ "userId": user, "percentage": points.to_string() })
            } else {
                json!({ "userId": user })
            }
        })
        .collect();
    let split_type = match (split.get("exact"), split.get("percent_bp")) {
        (Some(_), _) => "exact",
        (_, Some(_)) => "percentage",
        _ => "equal",
    };
    json!({ "description": "Case", "amount": exact(minor(&split["amount"])),
        "splitType": split_type, "splits": splits })
}

/// The expected shares of a case.
fn check(case: &Value, shares: &BTreeMap<&str, i64>) {
    for (what, expected) in case["expect"].as_object().unwrap() {
        match what.as_str() {
            "sum" => assert_eq!(shares.values().sum::<i64>(), minor(expected), "{case}"),
            "sorted" => {
                let mut sorted: Vec<i64> = shares.values().copied().collect();
                sorted.sort_unstable();
                assert_eq!(json!(sorted), *expected, "{case}");
            }
            name => match expected {
                Value::Array(either) => {
                    assert!(either.contains(&json!(shares[name])), "{case}: {shares:?}");
                }
                one => assert_eq!(shares[name], minor(one), "{case}"),
            },
        }
    }
}

#[tokio::test]
async fn shares_match_the_fixtures() {
    for case in cases().iter().filter(|case| case.get("split").is_some()) {
        let split = &case["split"];
        let ids = named(names(split).into_iter());
        let amount = euro(minor(&split["amount"]));
        let group = Group::new(ids.len().max(1) as u64, "EUR").await;
        let reply = group.members[0].post(&group.path("/expenses"), body(split, &ids)).await;

        if case["expect"].get("reject").is_some() {
            assert!(reply.status == 400 || reply.status == 422, "{case}: {}", reply.text);
            // The amount is validated before the split.
            let Err(error) = split_of(split, &ids).check(amount) else { continue };
            let mut details = reply.body["details"].as_array().unwrap().iter();
            let stated = |detail: &Value| {
                let path = detail["path"].as_str().unwrap();
                detail["message"] == FieldError::new(path, error).message().to_string()
            };
            assert!(details.any(stated), "{case}: {}", reply.text);
            if let Some(difference) = case["expect"].get("error_must_state_difference") {
                let stated = format!(", {} more than the amount", exact(minor(difference)));
                assert!(error.to_string().contains(&stated), "{case}: {error}");
            }
            continue;
        }
        let expense: ExpenseId = reply.data(201)["id"].as_str().unwrap().parse().unwrap();
        let name = |user: &str| *ids.iter().find(|(_, id)| id.to_string() == user).unwrap().0;
        let over_http: BTreeMap<&str, i64> = reply.body["data"]["splits"]
            .as_array()
            .unwrap()
            .iter()
            .map(|share| {
                (
                    name(share["userId"].as_str().unwrap()),
                    Money::from_major(number(&share["amount"]), amount.currency).unwrap().minor,
                )
            })
            .collect();
        let parts = split_of(split, &ids).divide(amount, expense).unwrap();
        let computed: BTreeMap<&str, i64> =
            parts.iter().map(|part| (name(&part.user.to_string()), part.amount.minor)).collect();
        assert_eq!(over_http, computed, "{case}");
        check(case, &computed);
        group.verify().await;
    }
}

/// The members who pay or share in a case of balances.
fn case_names(case: &Value) -> impl Iterator<Item = &str> {
    let events = case["exp"].as_array().unwrap().iter();
    let sharers = events.clone().flat_map(|event| sharers(&event[2]));
    let pays = case.get("pay").and_then(Value::as_array).into_iter().flatten();
    let sides = pays.flat_map(|pay| [&pay[0], &pay[1]]);
    sharers.chain(events.map(|event| &event[0]).chain(sides).filter_map(Value::as_str))
}

/// The split of an expense: `=AB`, or an object.
fn sharers(split: &Value) -> Vec<&str> {
    match split {
        Value::String(equal) => {
            equal.trim_start_matches('=').split("").filter(|name| !name.is_empty()).collect()
        }
        split => names(split),
    }
}

#[tokio::test]
async fn balances_match_the_fixtures() {
    for case in cases().iter().filter(|case| case.get("exp").is_some()) {
        let expected = case["bal"].as_object().unwrap();
        let ids = named(expected.keys().map(String::as_str).chain(case_names(case)));
        let group = Group::new(ids.len() as u64, "EUR").await;
        let by = |name: &Value| -> &Caller {
            let id = ids[name.as_str().unwrap()].to_string();
            group.members.iter().find(|member| member.id == id).unwrap()
        };
        for event in case["exp"].as_array().unwrap() {
            let mut split = match &event[2] {
                Value::String(_) => json!({ "equal": sharers(&event[2]) }),
                split => split.clone(),
            };
            split["amount"] = event[1].clone();
            by(&event[0]).post(&group.path("/expenses"), body(&split, &ids)).await.data(201);
        }
        for pay in case.get("pay").and_then(Value::as_array).into_iter().flatten() {
            let from = by(&pay[0]);
            let to = by(&pay[1]);
            let waits = json!({ "toId": to.id, "amount": exact(5000) });
            from.post(&group.path("/settlements"), waits).await.data(201);
            let paid = json!({ "toId": to.id, "fromId": from.id, "amount": exact(minor(&pay[2])) });
            to.post(&group.path("/settlements"), paid).await.data(201);
        }
        let balances = group.balances().await;
        for (balance, (name, _)) in balances.iter().zip(&ids) {
            // A member that the case does not name has a balance of zero.
            let expected = expected.get(*name).map_or(0, minor);
            assert_eq!(*balance, exact(expected), "{case}: {name}");
        }
        group.verify().await;
    }
}

#[tokio::test]
async fn suggested_settlements_are_as_few_as_in_the_fixtures() {
    for case in cases().iter().filter(|case| case.get("net").is_some()) {
        let nets: Vec<i64> = case["net"].as_array().unwrap().iter().map(minor).collect();
        let fewest = usize::try_from(minor(&case["min_transfers"])).unwrap();
        let balances = (1..).map(|id| UserId::new(id).unwrap().into()).zip(nets.iter().copied());
        let euro = euro(0).currency;
        assert_eq!(plans([(euro, balances)])[&euro].transfers.len(), fewest, "{case}");

        // Over HTTP: creditors have paid for debtors until the balances are these.
        let group = Group::new(nets.len() as u64, "EUR").await;
        let mut left = nets.clone();
        for debtor in 0..left.len() {
            while left[debtor] < 0 {
                let creditor = left.iter().position(|net| *net > 0).unwrap();
                let amount = left[creditor].min(-left[debtor]);
                let splits = json!([{ "userId": group.members[debtor].id }]);
                group.spend(creditor, json!({ "amount": exact(amount), "splits": splits })).await;
                left[creditor] -= amount;
                left[debtor] += amount;
            }
        }
        let expected: Vec<String> = nets.iter().map(|net| exact(*net)).collect();
        assert_eq!(group.balances().await, expected, "{case}");
        settle_all(&group, case, fewest).await;
    }
}

/// Records every suggested settlement; there must be as few as possible, and none afterwards.
async fn settle_all(group: &Group, case: &Value, fewest: usize) {
    let debts = group.debts().await;
    let suggested = debts["suggestedSettlements"].as_array().unwrap().clone();
    assert_eq!((suggested.len(), &debts["optimal"]), (fewest, &json!(true)), "{case}");
    assert_eq!(debts["summary"]["pendingSettlements"], fewest);
    assert_eq!(debts["graph"]["edges"].as_array().unwrap().len(), fewest);
    for transfer in suggested {
        let index = |id: &Value| group.members.iter().position(|member| *id == member.id).unwrap();
        let amount = transfer["amount"].to_string();
        group.pay(index(&transfer["fromUserId"]), index(&transfer["toUserId"]), &amount).await;
    }
    let debts = group.debts().await;
    assert_eq!(debts["suggestedSettlements"], json!([]), "{case}");
    group.verify().await;
}

/// Case S18: over many expenses, no member always gets the indivisible minor unit.
#[test]
fn indivisible_minor_units_reach_every_member_over_fifty_expenses() {
    let friends = [1, 2, 3].map(|id| UserId::new(id).unwrap().into());
    let mut carried = [0; 3];
    for n in 0..50 {
        let expense: ExpenseId =
            format!("0190a1b2-0000-7000-8000-0000000000{n:02}").parse().unwrap();
        let [parts, backwards] = [friends.to_vec(), friends.into_iter().rev().collect()]
            .map(|friends| Split::Equal(friends).divide(euro(100), expense).unwrap());
        for part in &parts {
            assert!(backwards.contains(part));
            if part.amount.minor == 34 {
                carried[usize::try_from(part.user.user().unwrap().number()).unwrap() - 1] += 1;
            }
        }
    }
    assert!(carried.iter().all(|times| *times > 0), "{carried:?}");
}

#[tokio::test]
async fn balance_in_a_withdrawn_currency_can_arise_and_be_settled() {
    for code in ["HRK", "SLL", "ZWL", "ANG", "DEM"] {
        let group = Group::new(2, code).await;
        group.spend(0, json!({ "amount": "25.10" })).await;
        assert_eq!(group.balances().await, ["12.55", "-12.55"], "{code}");
        let paid = group.pay(1, 0, "12.55").await;
        assert_eq!(paid["currency"], code);
        assert_eq!(group.balances().await, ["0", "0"], "{code}");
    }
}
