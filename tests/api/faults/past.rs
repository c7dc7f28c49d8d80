//! Reads of the past while the first event of a day is written.
//!
//! That event writes the closing balances of the previous day. A read of several requests may see
//! some rows from before it and some from after it; nevertheless its response must be true at one
//! moment of the read.

use std::time::Duration;

use fracti_store::Table;
use fracti_tests::{database::TABLE, faults::Proxy};
use serde_json::{Value, json};

use super::behind_proxy;
use crate::harness::{Caller, Group, Reply};

const DAY: Duration = Duration::from_hours(24);

/// The reads of a group's past.
const QUESTIONS: [&str; 21] = [
    "/ledger/balance",
    "/ledger/balance?at={last}",
    "/ledger/balance?at={middle}",
    "/ledger/balance?at={day}T23:59:59.999Z&userId=2",
    "/ledger/days",
    "/ledger/days?limit=1",
    "/ledger/days?from={day}",
    "/ledger/entries?order=asc",
    "/ledger/entries?order=asc&from={day}&to={day}",
    "/ledger/entries?order=asc&from={day}",
    "/ledger/entries?order=asc&to={middle}",
    "/ledger/entries?order=asc&from={today}&to=2040-12-31",
    "/ledger/entries?order=asc&to={day}&userId=2",
    "/ledger/entries?order=desc",
    "/ledger/entries?order=desc&from={day}&to={day}",
    "/ledger/entries?order=desc&from={day}",
    "/ledger/entries?order=desc&to={middle}",
    "/ledger/entries?order=desc&from={today}&to=2040-12-31",
    "/ledger/entries?order=desc&to={day}&userId=2",
    "/ledger/entries?cursor={asc}&order=asc",
    "/ledger/entries?cursor={desc}",
];

/// A group whose last events are of the previous day.
struct Yesterday {
    group: Group,
    /// The times of the last two events.
    events: [String; 2],
}

impl Yesterday {
    async fn new(like: &Group) -> Self {
        let group = Group::of(&like.api, 2, "EUR").await;
        let mut yesterday = Self { group, events: Default::default() };
        yesterday.end_day().await;
        yesterday.end_day().await;
        yesterday
    }

    /// Writes two events, and advances the clock to the next day.
    async fn end_day(&mut self) {
        let alice = self.group.api.user(1, "A");
        for moment in &mut self.events {
            let body = json!({ "amount": 4, "description": "Tea" });
            let made = alice.post(&self.group.path("/expenses"), body).await;
            made.data(201)["createdAt"].as_str().unwrap().clone_into(moment);
        }
        self.group.api.pass(DAY);
    }

    /// The path of a read of the previous day.
    async fn question(&self, question: &str) -> String {
        let [middle, last] = &self.events;
        let today = self.group.api.now().to_string();
        let mut question = self.group.path(question);
        for (name, text) in [
            ("{middle}", &**middle),
            ("{last}", last),
            ("{day}", &last[..10]),
            ("{today}", &today[..10]),
        ] {
            question = question.replace(name, text);
        }
        for (name, order) in [("{asc}", "asc"), ("{desc}", "desc")] {
            if question.contains(name) {
                // The rest of a statement whose first page is already read.
                let path = self.group.path(&format!("/ledger/entries?order={order}&limit=2"));
                let page = self.group.api.user(1, "A").get(&path).await;
                let cursor = page.body["pagination"]["nextCursor"].as_str().unwrap();
                question = question.replace(name, cursor);
            }
        }
        question
    }
}

/// The data of a response, without the current time.
fn said(reply: &Reply) -> (Value, Value) {
    assert_eq!(reply.status, 200, "{reply:?}");
    let mut data = reply.body["data"].clone();
    if let Some(fields) = data.as_object_mut() {
        fields.remove("asOf");
    }
    (data, reply.body["pagination"]["hasMore"].clone())
}

/// Reads while the first event of the day is written. The event begins when the `nth` request of
/// the read has arrived, and ends before that request, or all from it on, are released. Returns
/// whether there were that many requests.
async fn read_across(
    proxy: &Proxy,
    [reader, writer]: [&Caller; 2],
    group: &Group,
    question: &str,
    (nth, all): (usize, bool),
) -> (Reply, bool) {
    let mut requests = 0;
    let held = proxy.hold(move |call| {
        requests += usize::from(call.channel() == "1");
        call.channel() == "1" && (requests == nth || all && requests > nth)
    });
    let reader = reader.clone();
    let question = question.to_owned();
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

/// Makes the `chosen` reads, with each request of a read held in turn.
async fn answers_are_of_one_moment(chosen: impl Fn(&str) -> bool) {
    let (proxy, like) = behind_proxy().await;
    let reading = like.api.over(Table::new(proxy.patient_client(1), TABLE));
    for question in QUESTIONS.into_iter().filter(|it| chosen(it)) {
        let mut yesterday = Yesterday::new(&like).await;
        for all in [false, true] {
            for nth in 1.. {
                let asked = yesterday.question(question).await;
                let writer = yesterday.group.api.user(1, "A");
                let reader = writer.at(&reading);
                let before = said(&reader.get(&asked).await);
                let callers = [&reader, &writer];
                let (reply, reached) =
                    read_across(&proxy, callers, &yesterday.group, &asked, (nth, all)).await;
                let during = said(&reply);
                let after = said(&reader.get(&asked).await);
                assert!(
                    during == before || during == after,
                    "{asked} with request {nth} held (and all later ones: {all}):\n{during:?}\n\
                     was neither, before the first event of the day,\n{before:?}\nnor, after it,\n{after:?}"
                );
                yesterday.end_day().await;
                if !reached {
                    break;
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn balances_are_consistent_while_a_day_is_closed() {
    answers_are_of_one_moment(|it| it.contains("/ledger/balance")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn days_are_consistent_while_a_day_is_closed() {
    answers_are_of_one_moment(|it| it.contains("/ledger/days")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ascending_statements_are_consistent_while_a_day_is_closed() {
    answers_are_of_one_moment(|it| it.contains("order=asc")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn descending_statements_are_consistent_while_a_day_is_closed() {
    answers_are_of_one_moment(|it| it.contains("order=desc")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn later_pages_are_consistent_with_the_first_while_a_day_is_closed() {
    answers_are_of_one_moment(|it| it.contains("cursor=")).await;
}
