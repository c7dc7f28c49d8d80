//! Reads of the past while the first event of a day is written.
//!
//! That event writes the closing balances of the day before. A read that asks the table several things may see some of
//! them from before it and some from after it: its answer is all the same one that was true at a moment of the read.

use std::time::Duration;

use fracti_core::table::Table;
use fracti_tests::faults::{Proxy, TABLE, patient};
use serde_json::{Value, json};

use super::disturbed;
use crate::harness::{Caller, Group, Reply};

const DAY: Duration = Duration::from_hours(24);

/// A group whose last event was yesterday.
struct Yesterday {
    group: Group,
    /// What it can be asked about the past, as paths.
    questions: Vec<String>,
}

impl Yesterday {
    /// The group has events on the day before yesterday and yesterday.
    async fn new(like: &Group) -> Self {
        let group = Group::of(&like.api, 2, "EUR").await;
        let spend = async |amount: u32| {
            let alice = group.api.user(1, "A");
            let body = json!({ "amount": amount, "description": "Tea" });
            alice.post(&group.path("/expenses"), body).await.data(201).clone()
        };
        let (mut middle, mut last) = (Value::Null, Value::Null);
        for amount in [2, 4, 6, 8, 10] {
            if amount == 6 {
                group.api.pass(DAY);
            }
            (middle, last) = (last, spend(amount).await);
        }
        group.api.pass(DAY);
        let [middle, at] = [&middle, &last].map(|it| it["createdAt"].as_str().unwrap());
        let (day, today) = (&at[..10], &group.api.now().to_string()[..10]);
        let mut questions = vec![
            format!("/ledger/balance?at={at}"),
            format!("/ledger/balance?at={middle}"),
            format!("/ledger/balance?at={day}T23:59:59.999Z&userId=2"),
            "/ledger/balance".to_owned(),
            "/ledger/days".to_owned(),
            "/ledger/days?limit=1".to_owned(),
            format!("/ledger/days?from={day}"),
        ];
        for order in ["asc", "desc"] {
            for period in [
                String::new(),
                format!("&from={day}&to={day}"),
                format!("&from={day}"),
                format!("&to={middle}"),
                format!("&from={today}&to=2030-12-31"),
                "&limit=2".to_owned(),
                format!("&to={day}&userId=2"),
            ] {
                questions.push(format!("/ledger/entries?order={order}{period}"));
            }
            // The rest of a statement whose first page was read before.
            let first = format!("/ledger/entries?order={order}&limit=2");
            let page = group.api.user(1, "A").get(&group.path(&first)).await;
            let cursor = page.body["pagination"]["nextCursor"].as_str().unwrap();
            questions.push(format!("/ledger/entries?cursor={cursor}"));
        }
        let questions = questions.iter().map(|it| group.path(it)).collect();
        Self { group, questions }
    }
}

/// What a reply says, without the moment that "now" is.
fn said(reply: &Reply) -> (Value, Value) {
    assert_eq!(reply.status, 200, "{reply:?}");
    let mut data = reply.body["data"].clone();
    if let Some(fields) = data.as_object_mut() {
        fields.remove("asOf");
    }
    (data, reply.body["pagination"]["hasMore"].clone())
}

/// Reads while the first event of the day is written, which begins when the `nth` request of the read has arrived and
/// ends before that one, or all from that one on, go on. Says whether there were so many.
async fn read_across(
    proxy: &Proxy,
    [reader, writer]: [&Caller; 2],
    group: &Group,
    question: &str,
    (nth, all): (usize, bool),
) -> (Reply, bool) {
    let mut requests = 0;
    let held = proxy.hold(move |call| {
        requests += usize::from(call.lane() == "1");
        call.lane() == "1" && (requests == nth || all && requests > nth)
    });
    let (reader, question) = (reader.clone(), question.to_owned());
    let mut reply = tokio::spawn(async move { reader.get(&question).await });
    let write = async {
        let body = json!({ "amount": 12, "description": "First of the day" });
        writer.post(&group.path("/expenses"), body).await.data(201);
    };
    let reply = tokio::select! {
        () = held.arrived() => {
            write.await;
            held.release().await;
            reply.await
        }
        reply = &mut reply => {
            write.await;
            reply
        }
    };
    (reply.unwrap(), held.has_arrived())
}

/// Asks the questions that are `chosen`, with each request of the answer held in turn.
async fn answers_are_of_one_moment(chosen: impl Fn(&str) -> bool) {
    let (proxy, like) = disturbed().await;
    let reading = like.api.over(Table::new(patient(&proxy.lane(1)), TABLE));
    let questions = Yesterday::new(&like).await.questions;
    let chosen: Vec<usize> = (0..questions.len()).filter(|it| chosen(&questions[*it])).collect();
    assert!(!chosen.is_empty());
    for index in chosen {
        for all in [false, true] {
            for nth in 1.. {
                let Yesterday { group, questions } = Yesterday::new(&like).await;
                let question = &questions[index];
                let writer = group.api.user(1, "A");
                let reader = writer.at(&reading);
                let before = said(&reader.get(question).await);
                let callers = [&reader, &writer];
                let (reply, reached) =
                    read_across(&proxy, callers, &group, question, (nth, all)).await;
                let during = said(&reply);
                let after = said(&reader.get(question).await);
                assert!(
                    during == before || during == after,
                    "{question} with request {nth} held (and all later ones: {all}):\n{during:?}\n\
                     was neither, before the first event of the day,\n{before:?}\nnor, after it,\n{after:?}"
                );
                if !reached {
                    break;
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn balances_are_of_one_moment_while_a_day_begins() {
    answers_are_of_one_moment(|it| it.contains("/ledger/balance")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn days_are_of_one_moment_while_a_day_begins() {
    answers_are_of_one_moment(|it| it.contains("/ledger/days")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn statements_oldest_first_are_of_one_moment_while_a_day_begins() {
    answers_are_of_one_moment(|it| it.contains("order=asc")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn statements_newest_first_are_of_one_moment_while_a_day_begins() {
    answers_are_of_one_moment(|it| it.contains("order=desc")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn further_pages_are_of_the_moment_of_the_first_one_while_a_day_begins() {
    answers_are_of_one_moment(|it| it.contains("cursor=")).await;
}
