//! Imports of other apps' export files.

mod categories;
mod commit;
mod dates;
mod faults;
mod forms;
mod hostile;
mod later;
mod many;
mod mapping;
mod own;
mod plan;
mod round_trip;
mod splits;
mod undo;

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

pub(crate) use crate::harness::splitwise;
use crate::harness::{Caller, Group, Reply};

/// Every sample file with its answers, if it needs any.
const FILES: [(&str, &str); 11] = [
    (include_str!("../fixtures/import/splitwise.csv"), "{}"),
    (include_str!("../fixtures/import/spliit.json"), "{}"),
    (
        include_str!("../fixtures/import/spliit.csv"),
        include_str!("../fixtures/import/spliit.csv.answers.json"),
    ),
    (include_str!("../fixtures/import/ihatemoney.json"), "{}"),
    (include_str!("../fixtures/import/ihatemoney.csv"), "{}"),
    (include_str!("../fixtures/import/cospend.csv"), "{}"),
    (include_str!("../fixtures/import/splitwise.json"), "{}"),
    (include_str!("../fixtures/import/spliit-cloud.csv"), "{}"),
    (include_str!("../fixtures/import/settleup.csv"), "{}"),
    (include_str!("../fixtures/import/tricount.csv"), "{}"),
    (include_str!("../fixtures/import/tricount.json"), "{}"),
];

/// Balances by name and currency, without zeros.
type Balances = BTreeMap<(String, String), String>;

/// A file and the options of its import.
#[derive(Clone, Debug)]
struct Import {
    file: String,
    options: Map<String, Value>,
}

impl Import {
    fn of(file: &str, answers: &str) -> Self {
        Self { file: file.to_owned(), options: serde_json::from_str(answers).unwrap() }
    }

    /// The same, in which these people are these members, and all others become guests.
    async fn by(self, caller: &Caller, group: &Group, known: &[(&str, &str)]) -> Self {
        let plan = self.send(caller, group).await;
        let people = plan.data(200)["members"].as_array().unwrap().iter();
        let names = people.map(|person| person["name"].as_str().unwrap().to_owned());
        let target = |name: &String| known.iter().find(|(known, _)| known == name);
        let members: Map<String, Value> = names
            .map(|name| {
                let target = target(&name).map_or("new guest", |(_, id)| id);
                (name, json!(target))
            })
            .collect();
        self.with("members", json!(members)).with("commit", json!(true))
    }

    /// The same, with the confirmation that its plan asks for.
    async fn confirmed(self, caller: &Caller, group: &Group) -> Self {
        let plan = self.clone().with("commit", json!(false)).send(caller, group).await;
        let confirm = plan.data(200)["differences"]["confirm"].clone();
        assert!(confirm.is_string(), "{}", plan.text);
        self.with("confirm", confirm)
    }

    fn with(mut self, option: &str, value: Value) -> Self {
        self.options.insert(option.to_owned(), value);
        self
    }

    async fn send(&self, caller: &Caller, group: &Group) -> Reply {
        let form = json!({ "file": self.file, "options": self.options });
        caller.post(&group.path("/import"), form).await
    }
}

/// A file of `rows` expenses and payments of five people in three currencies over a year.
fn year(rows: usize) -> String {
    let people = ["A", "B", "Carla", "Dan", "Eve"];
    let categories = ["Groceries", "Taxi", "Dining out", "Rent", "General"];
    let rows: Vec<_> = (0..rows)
        .map(|row| {
            let day = format!("2025-{:02}-{:02}", 1 + row * 12 / rows, 1 + row % 28);
            let currency = ["EUR", "USD", "JPY"][row % 3];
            let unit = if currency == "JPY" { 100 } else { 1 };
            let amount = i64::try_from(100 + row * 37 % 9_000).unwrap() * unit;
            let payer = row % 5;
            let other = (row + 1 + row / 5 % 4) % 5;
            let mut nets = vec![0; 5];
            nets[payer] = amount;
            if row % 10 == 9 {
                nets[other] = -amount;
                return (day, "Payment", format!("payment {row}"), currency, nets);
            }
            // Four share it, and one of them paid.
            let part = amount / 4 / unit * unit;
            for step in 1..4 {
                nets[(payer + step) % 5] = -part;
                nets[payer] -= part;
            }
            let paid = nets[payer];
            nets[payer] = amount - paid;
            (day, categories[row % 5], format!("Expense {row}"), currency, nets)
        })
        .collect();
    let rows: Vec<_> = rows
        .iter()
        .map(|(day, category, text, currency, nets)| {
            (day.as_str(), *category, text.as_str(), *currency, nets.clone())
        })
        .collect();
    splitwise(&people, &rows)
}

/// The balances of a plan.
fn planned(plan: &Value) -> Balances {
    let balances = plan["balances"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    balances.map(|it| ((text(&it["name"]), text(&it["currency"])), it["net"].to_string())).collect()
}

/// The balances of a group.
async fn balances(group: &Group) -> Balances {
    let reply = group.members[0].get(&group.path("/ledger/balance")).await;
    let balances = reply.data(200)["balances"].as_array().unwrap().clone();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let open = balances.iter().filter(|it| it["net"] != 0);
    open.map(|it| ((text(&it["name"]), text(&it["currency"])), it["net"].to_string())).collect()
}

/// The counts of a response: imported, already there, expenses and settlements.
fn counts(reply: &Reply) -> [u64; 4] {
    let data = reply.data(200);
    assert_eq!(data["status"], "done", "{data}");
    ["imported", "alreadyThere", "expenses", "settlements"].map(|it| data[it].as_u64().unwrap())
}
