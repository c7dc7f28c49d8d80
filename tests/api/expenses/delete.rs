//! Delete an expense.

use serde_json::json;

use crate::harness::Group;

#[tokio::test]
async fn deleted_expense_leaves_only_its_history() {
    let group = Group::new(3, "EUR").await;
    group.spend(1, json!({ "amount": 30 })).await;
    let before = group.balances().await;
    let kept = group.api.rows().await;
    let made = group.spend(0, json!({ "amount": 100, "payerId": "3" })).await;
    let id = made["id"].as_str().unwrap();
    let path = group.path(&format!("/expenses/{id}"));

    assert_eq!(group.members[1].delete(&path).await.code(), (403, "NOT_ALLOWED"));
    let gone = group.members[0].delete(&path).await;
    assert_eq!(gone.data(200), &json!({ "id": id }));
    assert!(gone.body["message"].is_string());
    for member in &group.members {
        assert_eq!(member.get(&path).await.code(), (404, "EXPENSE_NOT_FOUND"));
        assert_eq!(member.delete(&path).await.code(), (404, "EXPENSE_NOT_FOUND"));
    }
    assert_eq!(group.balances().await, before);
    assert_eq!(group.debts().await["summary"]["expenseCount"], 1);

    let left = group.api.rows().await;
    let is_told = |sk: &str| sk.starts_with("CHANGE#") || sk.starts_with("DELETED#");
    let new = left.keys().filter(|key| !kept.contains_key(key) && !is_told(&key.1));
    let new: Vec<_> = new.collect();
    let entry = format!("LEDGER#{}#ENTRY#{id}", group.id);
    let history = [1, 2].map(|sequence| (entry.clone(), format!("HISTORY#{sequence:020}")));
    assert_eq!(new, history.iter().collect::<Vec<_>>(), "only its history remains");
    let [was, revert] = history.map(|key| left[&key].clone());
    assert_eq!(was["status"].as_s().unwrap(), "reverted");
    assert_eq!(was["otherSequence"].as_n().unwrap(), "2");
    assert_eq!(revert["status"].as_s().unwrap(), "revert");
    assert_eq!(revert["otherSequence"].as_n().unwrap(), "1");
    assert_eq!(revert["actorId"].as_s().unwrap(), "1");
    let owed = revert["changes"].as_l().unwrap()[0].as_m().unwrap()["owed"].as_n().unwrap();
    assert!(owed.starts_with("-33.3"), "{owed}");
    group.verify().await;

    let payers = group.spend(0, json!({ "amount": 9, "payerId": "2" })).await;
    let path = group.path(&format!("/expenses/{}", payers["id"].as_str().unwrap()));
    group.members[1].delete(&path).await.data(200);
    group.verify().await;
}
