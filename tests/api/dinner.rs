//! A dinner of six, one of them without an account: a receipt of twelve lines with tax, tip and a
//! coupon, paid by two, corrected, settled, and the guest linked afterwards. All numbers were
//! calculated by hand.

use serde_json::{Value, json};

use crate::harness::{Caller, Group, number};

/// The receipt. Its items sum to 145.00; the tax is 10 % and the coupon 20 % of them.
fn receipt(guest: &str, tip: &str) -> Value {
    let one = |name: &str, amount: &str, member: &str| json!({ "name": name, "amount": amount, "sharers": [{ "userId": member }] });
    let several = |name: &str, amount: &str, members: &[&str]| {
        let sharers: Vec<Value> = members.iter().map(|it| json!({ "userId": it })).collect();
        json!({ "name": name, "amount": amount, "sharers": sharers })
    };
    json!([
        several("Bread", "6.00", &["1", "2", "3", "4", "5", guest]),
        several("Water", "9.00", &["1", "2", "3", "4", "5", guest]),
        several("Wine", "30.00", &["1", "2", "3"]),
        { "name": "Beer", "amount": "12.00",
          "sharers": [{ "userId": "4", "weight": 2 }, { "userId": "5" }] },
        one("Margherita", "11.00", "1"),
        one("Funghi", "13.00", "2"),
        one("Lasagne", "14.50", "3"),
        one("Risotto", "16.00", "4"),
        one("Salad", "9.50", "5"),
        one("Soup", "7.00", guest),
        several("Tiramisu", "12.00", &["1", "5", guest]),
        several("Coffee", "5.00", &["2", "3"]),
        { "kind": "tax", "name": "Tax", "amount": "14.50" },
        { "kind": "tip", "name": "Tip", "amount": tip, "split": "equal" },
        { "kind": "discount", "name": "Coupon", "amount": "29.00" },
    ])
}

fn paid(alice: &str, dan: &str) -> Value {
    json!([{ "userId": "1", "amount": alice }, { "userId": "4", "amount": dan }])
}

/// The balance of each of these members, which sum to zero over the group.
async fn balances(group: &Group, members: &[&str]) -> Vec<String> {
    let debts = group.debts().await;
    let nodes = debts["balances"].as_array().unwrap();
    let of = |id: &&str| {
        let node = nodes.iter().find(|node| node["id"] == **id);
        node.map_or_else(|| "missing".to_owned(), |node| number(&node["balance"]).to_string())
    };
    members.iter().map(of).collect()
}

/// Has each suggested transfer recorded by a member who may confirm it.
async fn settle(group: &Group, transfers: &[Value]) {
    for transfer in transfers {
        let recipient = group.members.iter().find(|it| transfer["toUserId"] == it.id).unwrap();
        let body = json!({
            "fromId": transfer["fromUserId"], "toId": transfer["toUserId"],
            "amount": transfer["amount"], "currency": transfer["currency"],
        });
        let settlement = recipient.post(&group.path("/settlements"), body).await;
        assert_eq!(settlement.data(201)["status"], "completed");
    }
}

#[tokio::test]
async fn dinner_of_six_is_split_corrected_settled_and_its_guest_linked() {
    let group = Group::new(5, "EUR").await;
    let alice: &Caller = &group.members[0];
    let added = alice.post(&group.path("/members"), json!({ "name": "Grandma" })).await;
    let guest = added.data(201)["id"].as_str().unwrap().to_owned();
    let six = ["1", "2", "3", "4", "5", &guest];

    let dinner = json!({
        "description": "Dinner at Luigi's", "splitType": "itemized",
        "items": receipt(&guest, "12.00"), "payers": paid("98.65", "43.85"),
    });
    let made = alice.post(&group.path("/expenses"), dinner).await.data(201).clone();
    assert_eq!(number(&made["amount"]).to_string(), "142.5");
    let share = |expense: &Value, id: &str| {
        let splits = expense["splits"].as_array().unwrap();
        number(&splits.iter().find(|it| it["userId"] == id).unwrap()["amount"]).to_string()
    };
    let shares: Vec<String> = six.iter().map(|id| share(&made, id)).collect();
    assert_eq!(shares, ["26.75", "27.2", "28.55", "25.85", "20", "14.15"]);
    assert_eq!(balances(&group, &six).await, ["71.9", "-27.2", "-28.55", "18", "-20", "-14.15"]);

    // Dan left three euros more for the waiter.
    let path = group.path(&format!("/expenses/{}", made["id"].as_str().unwrap()));
    let tip = json!({ "items": receipt(&guest, "15.00"), "payers": paid("98.65", "46.85") });
    let corrected = alice.put(&path, tip).await.data(200).clone();
    let shares: Vec<String> = six.iter().map(|id| share(&corrected, id)).collect();
    assert_eq!(shares, ["27.25", "27.7", "29.05", "26.35", "20.5", "14.65"]);
    let open = ["71.4", "-27.7", "-29.05", "20.5", "-20.5", "-14.65"];
    assert_eq!(balances(&group, &six).await, open);
    group.verify().await;

    // Four transfers are enough for six open balances, because two of them cancel out.
    let debts = group.debts().await;
    let transfers = debts["suggestedSettlements"].as_array().unwrap();
    assert_eq!((transfers.len(), &debts["optimal"]), (4, &json!(true)));
    settle(&group, transfers).await;
    assert_eq!(balances(&group, &six).await, ["0"; 6]);
    let before_link = group.api.now();

    // Grandma gets an account, and the first tip was right after all.
    let grandma = group.api.user(6, "Grandma");
    grandma.post(&group.path("/join"), json!({})).await.data(200);
    group.link(&guest, "6").await.data(200);
    let tip = json!({ "items": receipt(&guest, "12.00"), "payers": paid("98.65", "43.85") });
    alice.put(&path, tip).await.data(200);
    let now = ["1", "2", "3", "4", "5", "6"];
    assert_eq!(balances(&group, &now).await, ["0.5", "0.5", "0.5", "-2.5", "0.5", "0.5"]);
    let past = group.path(&format!("/ledger/balance?at={before_link}&userId={guest}"));
    alice.get(&past).await.data(200);
    let debts = grandma.get("/api/users/me/debts").await;
    assert_eq!(debts.data(200)[0]["expenseId"], made["id"]);
    group.verify().await;
}
