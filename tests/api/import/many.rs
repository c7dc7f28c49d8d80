//! A file of 1 500 rows.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering::SeqCst},
};

use fracti_store::Table;
use fracti_tests::{
    database::TABLE,
    faults::{Plan, Proxy},
};
use serde_json::json;

use super::{Balances, Import, balances, counts, planned, year};
use crate::harness::{Api, Group, PATIENCE};

#[tokio::test]
async fn a_year_of_1500_rows_is_imported_in_one_request_and_undone_and_imported_again() {
    // The engine of the tests is slower than DynamoDB, so the round trips are counted.
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let import = Import::of(&year(1500), "{}");
    let plan = import.send(alice, &group).await;
    let plan = plan.data(200);
    assert_eq!([&plan["expenses"], &plan["settlements"]], [&json!(1350), &json!(150)]);
    assert_eq!(plan["currencies"], json!(["EUR", "JPY", "USD"]));
    assert!(plan["checks"].as_array().unwrap().iter().all(|check| check["agrees"] == true));
    let import = import.by(alice, &group, &[("A", "1"), ("B", "2")]).await;

    let done = import.send(alice, &group).await;
    assert_eq!(counts(&done), [1500, 0, 1350, 150]);
    assert_eq!(done.data(200)["members"], 3);
    // A transaction takes about 16 rows: one round trip of reads, and one of the transaction.
    let transactions = 1500 / 15 + 10;
    assert!(done.cost.round_trips < 2 * transactions, "{}", done.cost);
    assert!(done.cost.requests < 6 * transactions, "{}", done.cost);
    assert_eq!(balances(&group).await, planned(plan));
    group.verify().await;

    let again = import.send(alice, &group).await;
    assert_eq!(counts(&again), [0, 1500, 0, 0]);
    assert!(again.cost.round_trips <= 5, "{}", again.cost);

    let id = done.data(200)["importId"].as_str().unwrap();
    let path = group.path(&format!("/import/{id}"));
    let undone = alice.delete(&path).await;
    assert_eq!(undone.data(200)["status"], "undone");
    assert!(undone.cost.round_trips < 3 * transactions + transactions, "{}", undone.cost);
    assert_eq!(balances(&group).await, Balances::new());
    for list in ["/expenses", "/settlements"] {
        assert_eq!(alice.get(&group.path(list)).await.data(200), &json!([]));
    }
    group.verify().await;

    assert_eq!(counts(&import.send(alice, &group).await), [1500, 0, 1350, 150]);
    assert_eq!(balances(&group).await, planned(plan));
    group.verify().await;
}

#[tokio::test]
async fn at_most_25_requests_look_for_recorded_rows_at_once() {
    let proxy = Proxy::start(Plan::none()).await;
    let api = Api::new().await.behind(&proxy);
    let group = Group::of(&api, 2, "EUR").await;
    let alice = &group.members[0];
    // A request has 100 of the rows.
    let import = Import::of(&year(3_000), "{}");
    let import = import.by(alice, &group, &[("A", "1"), ("B", "2")]).await;
    let patient = api.over(Table::new(proxy.patient_client(1), TABLE));
    let patient = patient.with_deadline(PATIENCE);
    let alice_of_patient = alice.at(&patient);
    let sent = Arc::new(AtomicUsize::new(0));
    let count = sent.clone();
    let _held = proxy.hold(move |call| {
        let is_batch = call.operation() == "BatchGetItem";
        count.fetch_add(usize::from(is_batch), SeqCst);
        is_batch
    });
    let import = import.send(&alice_of_patient, &group);
    let others = async {
        while sent.load(SeqCst) < 25 {
            tokio::task::yield_now().await;
        }
        // If more were sent, they would arrive before the answers to these requests.
        for _ in 0..10 {
            alice.get(&group.path("")).await.data(200);
        }
        sent.load(SeqCst)
    };
    tokio::select! {
        reply = import => panic!("its reads are held: {}", reply.text),
        sent = others => assert_eq!(sent, 25),
    }
}
