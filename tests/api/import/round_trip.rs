//! Groups that leave Fracti and come back.

use std::collections::BTreeMap;

use fracti_core::values::decimal::Decimal;
use serde_json::{Value, json};

use super::{Import, balances, counts};
use crate::{
    export::{Eventful, exported},
    harness::{Api, Group},
};

/// Names of the members of an export by id. A linked guest has the name of the user.
fn names(export: &Value) -> BTreeMap<String, String> {
    let members = export["members"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let by_id: BTreeMap<String, &Value> = members.iter().map(|it| (text(&it["id"]), it)).collect();
    let name = |member: &Value| {
        let linked = member["linkedTo"].as_str().map_or(member, |user| by_id[user]);
        text(&linked["name"])
    };
    members.iter().map(|member| (text(&member["id"]), name(member))).collect()
}

/// How an expense is split, by the names of its members. If two of them are one, the shares are
/// exact amounts.
fn split(expense: &Value, name: impl Fn(&Value) -> String) -> String {
    let mut shares: Vec<(String, Decimal, [String; 3])> = Vec::new();
    let mut is_merged = false;
    for share in expense["splits"].as_array().unwrap() {
        let name = name(&share["userId"]);
        let amount = number(&share["amount"]);
        if let Some((_, sum, _)) = shares.iter_mut().find(|(known, ..)| *known == name) {
            *sum = sum.plus(amount).unwrap();
            is_merged = true;
        } else {
            let input = ["percentage", "weight", "adjustment"].map(|it| share[it].to_string());
            shares.push((name, amount, input));
        }
    }
    if is_merged {
        let without = |(name, amount, _)| (name, amount, ["null"; 3].map(str::to_owned));
        let shares: Vec<_> = shares.into_iter().map(without).collect();
        return format!("\"exact\" {shares:?} null");
    }
    let mut items = expense["items"].clone();
    for line in items.as_array_mut().into_iter().flatten() {
        if let Some(sharers) = line["sharers"].as_array_mut() {
            for sharer in sharers.iter_mut() {
                sharer["userId"] = name(&sharer["userId"]).into();
            }
            sharers.sort_by_key(Value::to_string);
        }
    }
    format!("{} {shares:?} {items}", expense["splitType"])
}

/// What an export says of its expenses, settlements and adjustments, without ids and times: those
/// that count, in the order of the ledger, and then the pending settlements.
pub(super) fn contents(export: &Value) -> Vec<String> {
    let names = names(export);
    let name = |id: &Value| names[id.as_str().unwrap()].clone();
    let parts = |list: &Value| {
        let mut sums: BTreeMap<String, Decimal> = BTreeMap::new();
        for part in list.as_array().unwrap() {
            let sum = sums.entry(name(&part["userId"])).or_insert(Decimal::ZERO);
            *sum = sum.plus(number(&part["amount"])).unwrap();
        }
        sums.retain(|_, amount| *amount != Decimal::ZERO);
        let exact = sums.into_iter().map(|(name, amount)| format!("{name} {amount}"));
        exact.collect::<Vec<_>>()
    };
    // A payment between a guest and the user to whom they were linked is left out.
    let payment = |it: &Value| {
        let from = name(&it["fromUserId"]);
        let to = name(&it["toUserId"]);
        let text = format!("{from} to {to} {} {} {}", it["amount"], it["currency"], it["status"]);
        (from != to).then_some(text)
    };
    let entries = export["entries"].as_array().unwrap().iter();
    let entries = entries.filter(|entry| entry["status"] == "applied");
    let of_entry = |entry: &Value| match entry["refType"].as_str().unwrap() {
        "expense" => {
            let it = &entry["expense"];
            let fields = ["description", "amount", "currency", "category", "date", "notes"];
            let fields = fields.map(|field| it[field].to_string());
            Some(format!("{fields:?} {:?} {}", parts(&it["payers"]), split(it, name)))
        }
        "settlement" => payment(&entry["settlement"]),
        "adjustment" => {
            let mut sums: BTreeMap<(String, String), [Decimal; 2]> = BTreeMap::new();
            for change in entry["changes"].as_array().unwrap() {
                let of = (name(&change["userId"]), change["currency"].to_string());
                let sums = sums.entry(of).or_insert([Decimal::ZERO; 2]);
                for (sum, total) in sums.iter_mut().zip(["sent", "received"]) {
                    *sum = sum.plus(number(&change[total])).unwrap();
                }
            }
            Some(format!("adjustment {} {sums:?}", entry["note"]))
        }
        other => {
            assert_eq!(other, "link");
            None
        }
    };
    let open = export["settlements"].as_array().unwrap().iter();
    let pending = open.filter(|it| it["status"] == "pending").filter_map(payment);
    entries.filter_map(of_entry).chain(pending).collect()
}

/// The number, or zero if there is none.
fn number(number: &Value) -> Decimal {
    if number.is_null() { Decimal::ZERO } else { number.to_string().parse().unwrap() }
}

/// The balances of an export by name and currency.
pub(super) fn nets(export: &Value) -> BTreeMap<(String, String), String> {
    let balances = export["balances"].as_array().unwrap().iter();
    let open = balances.filter(|it| it["net"] != 0);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    open.map(|it| ((text(&it["name"]), text(&it["currency"])), it["net"].to_string())).collect()
}

/// A group of a user whose name is in no other group.
pub(super) async fn empty(api: &Api) -> Group {
    let newcomer = api.user(50, "Newcomer");
    let new = json!({ "title": "Again", "chatId": -50, "currency": "EUR" });
    let id = newcomer.post("/api/groups", new).await.data(201)["id"].as_str().unwrap().to_owned();
    Group { api: api.clone(), id, members: vec![newcomer] }
}

/// The export of a group into which an export was imported, twice.
pub(super) async fn imported_again(export: &Value, into: &Group) -> Value {
    let caller = &into.members[0];
    let import =
        Import::of(&export.to_string(), "{}").by(caller, into, &[("Newcomer", "50")]).await;
    let first = import.send(caller, into).await;
    let [recorded, there, ..] = counts(&first);
    assert!(recorded > 0 && there == 0, "{}", first.text);
    let [again, there, ..] = counts(&import.send(caller, into).await);
    assert_eq!((again, there), (0, recorded));
    into.verify().await;
    exported(caller, &into.id, 7).await
}

#[tokio::test]
async fn export_of_a_group_is_not_imported_into_the_group_itself() {
    let source = Eventful::new().await;
    let group = &source.group;
    let alice = source.member(0);
    // In capitals, the id of the group is the same, and is not in the log.
    let export = exported(alice, source.id(), 5).await.to_string();
    let export = export.replace(source.id(), &source.id().to_uppercase());
    let rule = "the file is an export of this group, which has its rows already";
    let import = Import::of(&export, "{}");
    let plan = import.send(alice, group).await;
    assert_eq!(plan.data(200)["errors"], json!([{ "message": rule }]));
    let before = group.api.rows().await;
    let refused = import.by(alice, group, &[]).await.send(alice, group).await;
    assert_eq!(refused.code(), (400, "VALIDATION_ERROR"), "{}", refused.text);
    let details = refused.body["details"].as_array().unwrap();
    assert!(details.contains(&json!({ "path": "file", "message": rule })), "{}", refused.text);
    assert_eq!(group.api.rows().await, before);
}

#[tokio::test]
async fn exported_group_is_the_same_after_its_import_into_another_one() {
    let source = Eventful::new().await;
    let export = exported(source.member(0), source.id(), 5).await;
    let into = empty(&source.group.api).await;
    let copy = imported_again(&export, &into).await;
    assert_eq!(contents(&copy), contents(&export));
    assert_eq!(nets(&copy), nets(&export));
    assert_eq!(balances(&into).await, nets(&export));
    // A copy of the copy equals the copy in every respect.
    let third = empty(&source.group.api).await;
    let twice = imported_again(&copy, &third).await;
    assert_eq!(contents(&twice), contents(&copy));
    assert_eq!(nets(&twice), nets(&copy));
}
