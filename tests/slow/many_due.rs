//! A keeper with many rows that are due in one half hour.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use aws_sdk_dynamodb::types::AttributeValue;
use fracti_core::{storage::keys, values::time::Timestamp};
use fracti_keeper::{Report, keep};
use fracti_tests::harness::{Api, Caller};
use futures_util::{StreamExt, stream};
use serde_json::json;

/// Schedules of a group, whose dates are recorded one after another.
const OF_A_GROUP: usize = 5;

/// Groups that are made at the same time.
const AT_ONCE: usize = 8;

/// Dates that were missed before the keeper runs, and today's.
const MISSED: usize = 36;

/// The date of all schedules.
const DATE: &str = "2026-01-22";

/// The first date of the schedule that has missed some.
const FIRST_MISSED: &str = "2025-12-18";

fn pass_to(api: &Api, moment: &str) {
    let moment: Timestamp = moment.parse().unwrap();
    api.pass(moment.since(api.now()));
}

/// A member of a new group, with the group's path.
async fn member(api: &Api, user: u64) -> (Caller, String) {
    let caller = api.user(user, &format!("User {user}"));
    let group = json!({ "title": "Flat", "chatId": user, "currency": "EUR" });
    let path = format!("/api/groups/{}", caller.post("/api/groups", group).await.id());
    (caller, path)
}

async fn schedule((caller, path): &(Caller, String), start: &str) -> String {
    let repeat = json!({ "every": "day", "start": start, "timeZone": "America/Los_Angeles" });
    let body = json!({ "expense": { "amount": 2, "description": "Tea" }, "repeat": repeat });
    caller.post(&format!("{path}/schedules"), body).await.id()
}

/// The number of expenses of each schedule.
async fn recorded(api: &Api) -> BTreeMap<String, usize> {
    let mut numbers = BTreeMap::new();
    for row in api.rows().await.into_values() {
        if row["kind"].as_s().unwrap() == "expense" {
            *numbers.entry(row["scheduleId"].as_s().unwrap().clone()).or_default() += 1;
        }
    }
    numbers
}

/// Lets the keeper run each minute until nothing is left to do, over so many schedules that are
/// due, one that cannot be read, one that has missed 35 dates, a bonus that lapses and a hold that
/// ends. Each run's report, and how long it took.
async fn run_until_done(count: usize) -> Vec<(Report, Duration)> {
    let api = Api::new().await;
    let hold = holds(&api).await;
    pass_to(&api, "2026-01-21T13:00:00Z");
    let users = 10..10 + u64::try_from(count.div_ceil(OF_A_GROUP)).unwrap();
    let made = stream::iter(users).map(async |user| {
        let member = member(&api, user).await;
        let mut ids = Vec::new();
        for _ in 0..OF_A_GROUP {
            ids.push(schedule(&member, DATE).await);
        }
        ids
    });
    let made: Vec<String> = made.buffer_unordered(AT_ONCE).collect::<Vec<_>>().await.concat();
    let late = member(&api, 5).await;
    let missed = schedule(&late, FIRST_MISSED).await;
    let broken_group = member(&api, 6).await;
    let broken = schedule(&broken_group, DATE).await;
    let group = broken_group.1.rsplit('/').next().unwrap().parse().unwrap();
    let key = keys::schedule(group, broken.parse().unwrap());
    api.set_attribute(key, "template", AttributeValue::S("x".to_owned())).await;

    // From 12:00 to 12:30, four in the morning.
    pass_to(&api, "2026-01-22T12:31:00Z");
    let mut runs = Vec::new();
    loop {
        let begun = Instant::now();
        let ran = keep(&api.table, &api.app.clock, None).await.unwrap()[0];
        let is_last = ran.done == 0;
        runs.push((ran, begun.elapsed()));
        let totals = api.user(4, "Dave").get("/api/funds/totals").await;
        assert_eq!(totals.data(200)["currencies"][0]["lapsed"], 5, "{}: {runs:?}", totals.text);
        let held = api.user(7, "User 7").get(&hold).await;
        assert_eq!(held.data(200)["expired"], true, "{}: {runs:?}", held.text);
        if is_last {
            break;
        }
        api.pass(Duration::from_mins(1));
    }
    // A run that is full may leave it to the next one, and each run tries it again.
    let failed: Vec<usize> = runs.iter().map(|(ran, _)| ran.failed).collect();
    assert!(failed.iter().all(|it| *it <= 1) && failed.last() == Some(&1), "{runs:?}");
    runs.pop();
    let recorded = recorded(&api).await;
    assert_eq!(recorded.get(&missed), Some(&MISSED));
    assert_eq!(recorded.get(&broken), None);
    assert_eq!(recorded.len(), made.len() + 1);
    assert!(made.iter().all(|id| recorded[id] == 1));
    runs
}

/// A bonus of user 7 that lapses in the half hour, and the path of a payment whose hold ends in it.
async fn holds(api: &Api) -> String {
    // A hold ends after a week.
    pass_to(api, "2026-01-15T12:15:00Z");
    let (user, group) = member(api, 7).await;
    api.user(8, "User 8").post(&format!("{group}/join"), json!({})).await.data(200);
    let operator = api.user(4, "Dave");
    let funds = |rest: &str| format!("/api/users/7/funds/{rest}");
    let bonus = json!({ "currency": "EUR", "amount": 5, "expiresAt": "2026-01-22T12:16:00Z" });
    operator.post(&funds("bonuses"), bonus).await.data(201);
    let cash = json!({ "fund": "cash", "currency": "EUR", "amount": 9, "refId": "bank 1" });
    operator.post(&funds("credits"), cash).await.data(201);
    let pay = json!({ "toId": "8", "amount": 3, "currency": "EUR", "payFrom": "funds" });
    let settlement = user.post(&format!("{group}/settlements"), pay).await.id();
    format!("{group}/settlements/{settlement}")
}

/// Fewer than in production, because a run stops after 45 s, and other tests share the machine.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hundreds_of_due_dates_are_recorded_within_two_runs() {
    let runs = run_until_done(300).await;
    assert!(runs.len() <= 2, "{runs:?}");
}

/// Measures the runs of 10 000 rows, or of `FRACTI_DUE` rows:
/// `cargo test --release --workspace --test slow -- --ignored --nocapture many_due`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "it takes minutes"]
async fn thousands_of_due_dates_take_a_few_runs() {
    let count = std::env::var("FRACTI_DUE").map_or(10_000, |count| count.parse().unwrap());
    let runs = run_until_done(count).await;
    eprintln!("{count} rows: {runs:?}");
}
