//! Spendings and the sums of their days, when writes fail or their responses are lost.

use fracti_core::{
    personal::{spending::Spending, summary::DaySummary},
    storage::row::from_item,
    values::decimal::Decimal,
};
use fracti_store::from_sdk;
use fracti_tests::faults::{Fault, Proxy};
use serde_json::{Value, json};

use super::{WRITE, behind_proxy};
use crate::harness::{Caller, Group, number};

const SPENDINGS: &str = "/api/users/me/spendings";

fn coffee() -> Value {
    json!({ "title": "Coffee", "amount": "0.10", "currency": "EUR", "category": "food",
        "userDate": "2026-01-15" })
}

/// The number of a user's stored spendings, after checking that the summary of their day has it and
/// their sum.
async fn stored(group: &Group, user: &str) -> u64 {
    let mut sum = Decimal::ZERO;
    let mut count = 0;
    let mut summary = None;
    for ((pk, sk), row) in group.api.rows().await {
        if pk != format!("USER#{user}") {
            continue;
        }
        let row = from_sdk(row.into_iter().collect());
        if sk.starts_with("SPEND#") {
            sum = sum.plus(from_item::<Spending>(row).unwrap().amount).unwrap();
            count += 1;
        } else if sk == "SUMMARY#2026-01-15" {
            summary = Some(from_item::<DaySummary>(row).unwrap());
        }
    }
    let counted = summary.as_ref().map_or(0, DaySummary::spending_count);
    let total = summary.map_or(Decimal::ZERO, |it| it.counters.get("total#EUR"));
    assert_eq!((counted, total), (count, sum));
    count
}

async fn status(caller: &Caller, body: Value) -> u16 {
    caller.post(SPENDINGS, body).await.status.as_u16()
}

#[tokio::test]
async fn spending_is_recorded_and_counted_once_under_every_fault() {
    use Fault::{Conflict, CutAfter, CutBefore, Exceed, Fail, FailAfter, Throttle};
    let (proxy, group) = behind_proxy().await;
    let alice = &group.members[0];
    for (faults, answer, recorded) in [
        (vec![CutAfter], 201, 1),
        (vec![FailAfter], 201, 1),
        (vec![CutBefore, Throttle, CutAfter], 201, 1),
        (vec![Conflict; 6], 201, 1),
        // After a lost response the row of the spending confirms the write.
        (vec![CutAfter; 5], 201, 1),
        (vec![FailAfter; 5], 201, 1),
        (vec![CutBefore; 5], 503, 0),
        (vec![Throttle; 5], 503, 0),
        (vec![Exceed; 5], 503, 0),
        (vec![Fail; 5], 503, 0),
    ] {
        let before = stored(&group, "1").await;
        proxy.force(WRITE, faults.clone());
        let answered = status(alice, coffee()).await;
        assert_eq!((answered, proxy.left()), (answer, 0), "{faults:?}");
        assert_eq!(stored(&group, "1").await - before, recorded, "{faults:?}");
    }
}

#[tokio::test]
async fn one_failure_of_twenty_concurrent_spendings_leaves_the_sum_of_the_others() {
    let (proxy, group) = behind_proxy().await;
    proxy.force(WRITE, [Fault::Fail; 5]);
    let answers = futures_util::future::join_all((0..20).map(async |_| {
        let alice = group.api.user(1, "A");
        status(&alice, coffee()).await
    }))
    .await;
    let recorded = answers.iter().filter(|status| **status == 201).count() as u64;
    assert_eq!(stored(&group, "1").await, recorded, "{answers:?}");
    assert!(recorded >= 15, "{answers:?}");
}

#[tokio::test]
async fn edits_and_deletions_apply_once_though_responses_are_lost() {
    let (proxy, group) = behind_proxy().await;
    let alice = &group.members[0];
    for faults in [vec![Fault::CutAfter], vec![Fault::CutAfter; 5], vec![Fault::CutBefore; 5]] {
        let made = alice.post(SPENDINGS, coffee()).await.data(201).clone();
        let path = format!("{SPENDINGS}/{}", made["id"].as_str().unwrap());
        let before = stored(&group, "1").await;
        proxy.force(WRITE, faults.clone());
        let edited = alice.put(&path, json!({ "amount": "0.30" })).await;
        assert!([200, 503].contains(&edited.status.as_u16()), "{faults:?}: {}", edited.text);
        assert_eq!(stored(&group, "1").await, before);
        let again = alice.put(&path, json!({ "amount": "0.30" })).await;
        assert_eq!(number(&again.data(200)["amount"]), "0.3".parse().unwrap());
        assert_eq!(stored(&group, "1").await, before);

        proxy.force(WRITE, faults.clone());
        let deleted = alice.delete(&path).await;
        assert!([200, 503].contains(&deleted.status.as_u16()), "{faults:?}: {}", deleted.text);
        let again = alice.delete(&path).await;
        assert!([200, 404].contains(&again.status.as_u16()), "{faults:?}: {}", again.text);
        assert_eq!(stored(&group, "1").await, before - 1);
    }
}

#[tokio::test]
async fn spending_moves_once_though_responses_are_lost() {
    let (proxy, group) = behind_proxy().await;
    let alice = &group.members[0];
    for (faults, status) in [
        (vec![Fault::CutAfter], 200),
        (vec![Fault::FailAfter; 5], 200),
        (vec![Fault::CutBefore; 5], 503),
    ] {
        let made = alice.post(SPENDINGS, coffee()).await.data(201).clone();
        let path = format!("{SPENDINGS}/{}", made["id"].as_str().unwrap());
        proxy.force(WRITE, faults.clone());
        let moved = alice.put(&path, json!({ "spentAt": "2026-01-15T09:00:00Z" })).await;
        assert_eq!(
            (moved.status.as_u16(), proxy.left()),
            (status, 0),
            "{faults:?}: {}",
            moved.text
        );
        let again = alice.put(&path, json!({ "spentAt": "2026-01-15T09:00:00Z" })).await;
        assert_eq!(again.status, if status == 200 { 404 } else { 200 }, "{faults:?}");
    }
    assert_eq!(stored(&group, "1").await, 3);
}

/// Shares a spending with the group, and checks that it became one expense.
async fn share(proxy: &Proxy, group: &Group, key: Option<&str>, faults: &[Fault]) {
    let alice = &group.members[0];
    let made = alice.post(SPENDINGS, coffee()).await.data(201).clone();
    let count = async || group.debts().await["summary"]["expenseCount"].as_u64().unwrap();
    let expenses = count().await;
    let spendings = stored(group, "1").await;
    let path = group.path("/expenses");
    let body = json!({ "spendingId": made["id"] });
    proxy.force(WRITE, faults.to_vec());
    let post = async || match key {
        Some(key) => alice.post_once(key, &path, body.clone()).await,
        None => alice.post(&path, body.clone()).await,
    };
    let (one, two) = tokio::join!(post(), post());
    let mut answers = [one.status.as_u16(), two.status.as_u16()];
    answers.sort_unstable();
    let expected = if key.is_some() { [201, 201] } else { [201, 404] };
    assert_eq!((answers, proxy.left()), (expected, 0), "{faults:?}: {} {}", one.text, two.text);
    assert_eq!(count().await, expenses + 1, "{faults:?}");
    assert_eq!(stored(group, "1").await, spendings - 1, "{faults:?}");
}

#[tokio::test]
async fn spending_is_shared_once_though_asked_twice_and_responses_are_lost() {
    let (proxy, group) = behind_proxy().await;
    for (index, faults) in
        [vec![], vec![Fault::CutAfter], vec![Fault::CutBefore, Fault::CutAfter]].iter().enumerate()
    {
        share(&proxy, &group, None, faults).await;
        share(&proxy, &group, Some(&format!("key-{index}")), faults).await;
    }
    group.verify().await;
}
