//! Closing balances of days.

use std::time::Duration;

use serde_json::json;

use crate::harness::Group;

#[tokio::test]
async fn first_event_of_a_day_closes_the_previous_day() {
    let group = Group::new(2, "EUR").await;
    group.spend(0, json!({ "amount": 10 })).await;
    group.spend(0, json!({ "amount": 20 })).await;
    let days = async || {
        let rows = group.api.rows().await;
        let days = rows.into_iter().filter(|((_, sk), _)| sk.starts_with("DAY#"));
        days.map(|((_, sk), row)| (sk, row["expenseCount"].as_n().unwrap().clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(days().await, []);
    group.api.pass(Duration::from_hours(20));
    group.pay(1, 0, "5").await;
    group.spend(1, json!({ "amount": 7 })).await;
    assert_eq!(days().await, [("DAY#2026-01-15".to_owned(), "2".to_owned())]);
    group.verify().await;
}
