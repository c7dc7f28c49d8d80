//! The keeper, which does what is due without a request.

use std::{collections::BTreeMap, time::Duration};

use aws_sdk_dynamodb::types::AttributeValue;
use fracti_keeper::{Report, keep};
use fracti_tests::database::TABLE;
use serde_json::{Value, json};
use tracing::instrument::WithSubscriber;

use crate::{
    funds::{DAY, Friends, funds, paying::pay, sums},
    harness::{Api, Log},
};

const HOUR: Duration = Duration::from_hours(1);

async fn run(api: &Api) -> Report {
    keep(&api.table, &api.app.clock, None).await.unwrap()[0]
}

fn done(done: usize, late_s: u64) -> Report {
    Report { done, late_s, ..Report::default() }
}

/// A bonus, held cash, a hold and a report, all of which end within a week, and how they end.
#[tokio::test]
async fn what_is_due_is_done_once() {
    let friends = Friends::new().await;
    let alice = friends.alice();
    let bob = friends.bob();
    friends.top_up("2", "50", "bank 1").await;
    friends.bonus("2", "5", "2026-01-15T13:00:00Z").await;
    friends.bonus("2", "7", "2026-02-15T12:00:00Z").await;
    let held = pay("3", &json!({ "holdUntil": "2026-01-16T12:00:00Z" }));
    let held = friends.settle(bob, held).await.id();
    friends.end(alice, &held, "completed").await.data(200);
    let open = friends.settle(bob, pay("3", &json!({}))).await.id();
    let report = json!({ "fund": "cash", "currency": "EUR", "amount": 9 });
    let report = bob.post("/api/users/me/funds/credits", report).await.id();
    let api = &friends.group.api;
    assert_eq!(run(api).await, Report::default(), "nothing is due");

    // 2 of the first bonus are left, which lapse; 3 are withheld.
    api.pass(2 * HOUR);
    assert_eq!(run(api).await, done(1, 3_600));
    assert_eq!(sums(bob).await, ["47", "0", "10", "54"]);
    assert_eq!(friends.totals().await[3], "2");
    assert_eq!(run(api).await, Report::default(), "it looks again after an hour");

    // Held cash, by two runs at the same time.
    api.pass(22 * HOUR);
    let friends = Friends::again(&friends);
    let alice = friends.alice();
    let runs = tokio::join!(run(api), run(api));
    assert!(runs.0.failed + runs.1.failed == 0, "{runs:?}");
    assert_eq!(sums(alice).await, ["3", "0", "0", "3"]);

    // A week later, in an archived group.
    alice.patch(&friends.group.path(""), json!({ "archived": true })).await.data(200);
    api.pass(7 * DAY);
    let friends = Friends::again(&friends);
    let bob = friends.bob();
    // What is left of the first bonus lapses once the hold has released it.
    for _ in 0..2 {
        assert_eq!(run(api).await.failed, 0);
        api.pass(2 * HOUR);
    }
    assert_eq!(run(api).await, Report::default());
    assert_eq!(sums(bob).await, ["47", "0", "7", "54"]);
    let settlement = bob.get(&friends.group.path(&format!("/settlements/{open}"))).await;
    assert_eq!(settlement.data(200)["status"], "failed");
    assert_eq!(settlement.data(200)["expired"], true);
    let report = bob.get(&format!("/api/users/me/funds/transactions/{report}")).await;
    assert_eq!(report.data(200)["status"], "expired");
    assert_eq!(funds(bob).await["pending"], json!([]));
    assert_eq!(friends.totals().await, ["50", "0", "12", "5", "50", "7"]);
    let due = api.rows().await.into_values().filter(|row| row.contains_key("GSI3PK"));
    let due = due.filter(|row| row["GSI3PK"].as_s().unwrap() == "DUE#MONEY").count();
    assert_eq!(due, 1, "the other bonus");
}

#[tokio::test]
async fn a_row_that_fails_is_delayed_and_stops_nothing() {
    let friends = Friends::new().await;
    let api = &friends.group.api;
    let [broken, later, unknown, well] =
        ["5", "6", "7", "8"].map(|amount| friends.bonus("2", amount, "2026-01-15T13:00:00Z"));
    let broken = broken.await;
    let later = later.await;
    let unknown = unknown.await;
    well.await;
    let sk = |id: &str| format!("FUND#BONUS#{id}");
    let set = async |id: &str, name: &str, value: AttributeValue| {
        let change = |row: &mut BTreeMap<_, _>| {
            row.insert(name.to_owned(), value.clone());
        };
        api.change_row("USER#2", &sk(id), change).await;
    };
    set(&broken, "balance", AttributeValue::S("x".to_owned())).await;
    set(&later, "formatVersion", AttributeValue::N("99".to_owned())).await;
    set(&unknown, "kind", AttributeValue::S("invoice".to_owned())).await;
    api.pass(2 * HOUR);
    let row = async |id: &str| api.rows().await[&("USER#2".to_owned(), sk(id))].clone();
    let left = [row(&later).await, row(&unknown).await];
    let version = row(&broken).await["version"].clone();

    let log = Log::default();
    let ran = run(api).with_subscriber(log.subscriber()).await;
    // The funds of a user are read together, so the well one fails with the broken one.
    assert_eq!((ran.done, ran.failed, ran.left_alone), (0, 2, 2));
    assert!(log.text().contains("due row failed"), "{}", log.text());
    assert_eq!([row(&later).await, row(&unknown).await], left, "they are left alone");
    for (failures, minutes) in [(1, 1), (2, 2), (3, 4), (4, 8), (5, 16), (6, 32), (7, 60), (8, 60)]
    {
        let delayed = row(&broken).await;
        assert_eq!(delayed["dueFailures"].as_n().unwrap(), &failures.to_string());
        assert_eq!(delayed["version"], version, "nothing is decided by it");
        let at = api.now().plus_seconds(minutes * 60).to_string();
        assert_eq!(delayed["dueAt"].as_s().unwrap(), &at);
        assert_eq!(delayed["GSI3SK"].as_s().unwrap(), &format!("{at}#{broken}"));
        api.pass(Duration::from_millis(minutes * 60_000 - 1));
        assert_eq!(run(api).await.failed, 0, "not before its time");
        api.pass(Duration::from_millis(1));
        let ran = run(api).await;
        assert_eq!(ran.failed, 2);
        assert!(ran.late_s >= minutes * 60 + 3_600, "a delay does not hide it: {ran:?}");
    }
    // Once the rows are well again, all lapse.
    set(&broken, "balance", AttributeValue::N("500".to_owned())).await;
    set(&later, "formatVersion", AttributeValue::N("4".to_owned())).await;
    set(&unknown, "kind", AttributeValue::S("fund".to_owned())).await;
    api.pass(HOUR);
    let ran = run(api).await;
    assert_eq!((ran.done, ran.failed, ran.left_alone), (4, 0, 0));
    let friends = Friends::again(&friends);
    assert_eq!(friends.totals().await, ["0", "0", "26", "26", "0", "0"]);
}

#[tokio::test]
async fn its_log_says_how_late_it_is_and_how_long_a_cash_out_waits() {
    let friends = Friends::new().await;
    friends.top_up("2", "50", "bank 1").await;
    friends.bonus("2", "5", "2026-01-15T13:00:00Z").await;
    let cash_out = json!({ "type": "cashout", "currency": "EUR", "amount": 4, "to": "DE12 3456" });
    friends.bob().post("/api/users/me/funds/debits", cash_out).await.data(201);
    friends.group.api.pass(3 * HOUR);
    let log = Log::default();
    let lines = log.clone();
    let subscriber = tracing_subscriber::fmt().json().with_writer(move || lines.clone()).finish();
    run(&friends.group.api).with_subscriber(subscriber).await;
    let text = log.text();
    let fields = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let fields: Vec<Value> = fields.map(|line| line["fields"].clone()).collect();
    // The metric filters of the template read these.
    let late = fields.iter().find(|it| it["late_s"] == 7_200);
    assert_eq!(late.unwrap()["list"], "keep-money", "{text}");
    assert!(fields.iter().any(|it| it["cash_out_waits_s"] == 10_800), "{text}");
    for filter in [
        r#"{ $.fields.list = "keep-money" && $.fields.late_s >= 0 }"#,
        "{ $.fields.cash_out_waits_s >= 0 }",
    ] {
        assert!(include_str!("../../template.yaml").contains(filter), "{filter}");
    }
    for secret in ["\"4\"", "400", "50", "bank"] {
        assert!(!text.contains(&format!("amount\":{secret}")), "{text}");
    }
}

#[tokio::test]
async fn a_run_works_its_list_off() {
    let friends = Friends::new().await;
    let api = &friends.group.api;
    let of = ["1", "2", "3"];
    for user in of {
        for _ in 0..40 {
            friends.bonus(user, "0.01", "2026-01-15T13:00:00Z").await;
        }
    }
    api.pass(2 * HOUR);
    // More than a page, and none loses to another of the same user.
    assert_eq!(run(api).await, done(120, 3_600));
    assert_eq!(run(api).await, Report::default());
    let friends = Friends::again(&friends);
    assert_eq!(friends.totals().await, ["0", "0", "1.2", "1.2", "0", "0"]);
}

/// Adds rows to the list of due rows, older than all others.
async fn plant(api: &Api, count: u32, change: impl Fn(&mut BTreeMap<String, AttributeValue>)) {
    let rows = api.rows().await;
    let due = rows.values().find(|row| row.contains_key("bonus")).unwrap();
    for number in 0..count {
        let id = format!("019bc1f0-{number:04}-7000-8000-{:012}", rows.len());
        let mut row = due.clone();
        for (name, value) in [
            ("PK", "USER#9".to_owned()),
            ("owner", "9".to_owned()),
            ("id", id.clone()),
            ("SK", format!("FUND#BONUS#{id}")),
            ("GSI3SK", format!("2026-01-01T00:00:00.000Z#{id}")),
        ] {
            row.insert(name.to_owned(), AttributeValue::S(value));
        }
        change(&mut row);
        let put = api.client.put_item().table_name(TABLE);
        put.set_item(Some(row.into_iter().collect())).send().await.unwrap();
    }
}

#[tokio::test]
async fn what_is_withheld_does_not_wait_for_schedules() {
    let friends = Friends::new().await;
    let api = &friends.group.api;
    friends.bonus("2", "5", "2026-01-15T13:00:00Z").await;
    let broken = |kind: &'static str, sort_key: &'static str| {
        move |row: &mut BTreeMap<String, AttributeValue>| {
            let text = |text: &str| AttributeValue::S(text.to_owned());
            let id = row["id"].as_s().unwrap().clone();
            row.insert("kind".to_owned(), text(kind));
            row.insert("formatVersion".to_owned(), AttributeValue::N("1".to_owned()));
            row.insert("PK".to_owned(), text(&format!("GROUP#{id}")));
            row.insert("SK".to_owned(), text(&format!("{sort_key}{id}")));
        }
    };
    // More than a page of schedules, all older than a bonus. None of them can be read.
    plant(api, 150, broken("schedule", "SCHEDULE#")).await;
    plant(api, 1, |row| {
        broken("fund", "FUND#BONUS#")(row);
        row.insert("balance".to_owned(), AttributeValue::S("x".to_owned()));
        let at = format!("2026-01-02T00:00:00.000Z#{}", row["id"].as_s().unwrap());
        row.insert("GSI3SK".to_owned(), AttributeValue::S(at));
    })
    .await;
    api.pass(2 * HOUR);
    let log = Log::default();
    let ran = run(api).with_subscriber(log.subscriber()).await;
    assert_eq!((ran.done, ran.failed), (1, 151), "{ran:?}");
    let text = log.text();
    let failed: Vec<&str> = text.lines().filter(|it| it.contains("due row failed")).collect();
    assert!(failed[0].contains("FUND#BONUS#"), "{}", failed[0]);
    assert_eq!(failed.iter().filter(|it| it.contains("SCHEDULE#")).count(), 150);
}

#[tokio::test]
async fn a_run_reads_on_past_rows_that_it_leaves_alone() {
    let friends = Friends::new().await;
    let api = &friends.group.api;
    let alice = friends.alice();
    let bob = friends.bob();
    friends.top_up("2", "50", "bank 1").await;
    let held = pay("3", &json!({ "holdUntil": "2026-01-16T12:00:00Z" }));
    let held = friends.settle(bob, held).await.id();
    friends.end(alice, &held, "completed").await.data(200);
    let open = friends.settle(bob, pay("4", &json!({}))).await.id();
    friends.bonus("2", "5", "2026-01-15T13:00:00Z").await;
    let text = |text: &str| AttributeValue::S(text.to_owned());
    let number = |number: &str| AttributeValue::N(number.to_owned());
    let set = |name: &'static str, value: AttributeValue| {
        move |row: &mut BTreeMap<String, AttributeValue>| {
            row.insert(name.to_owned(), value.clone());
        }
    };
    plant(api, 101, set("kind", text("invoice"))).await;
    plant(api, 103, set("formatVersion", number("99"))).await;
    plant(api, 105, set("kind", text("usage"))).await;
    plant(api, 107, set("GSI3SK", text("2026-01-01T00:00:00.000Z"))).await;
    plant(api, 109, set("dueAt", text("2099-01-01T00:00:00.000Z"))).await;
    plant(api, 500, |row| drop(row.remove("dueAt"))).await;
    // Due by the index, with nothing that is over: they fail, and are delayed.
    plant(api, 20, set("until", text("2099-01-01T00:00:00.000Z"))).await;
    api.pass(8 * DAY);
    let ran = run(api).await;
    assert_eq!((ran.done, ran.failed, ran.left_alone), (3, 20, 1_025), "{ran:?}");
    let friends = Friends::again(&friends);
    assert_eq!(friends.totals().await, ["50", "0", "5", "5", "50", "0"]);
    assert_eq!(sums(friends.alice()).await[0], "3");
    let open = friends.bob().get(&friends.group.path(&format!("/settlements/{open}"))).await;
    assert_eq!(open.data(200)["expired"], true);
    assert_eq!(run(api).await.failed, 0, "they are tried again after a minute");
}
