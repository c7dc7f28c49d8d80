//! Schedules: expenses that the keeper records on their dates.

use std::time::Duration;

use fracti_core::{decisions::schedules::Occurred, values::time::Timestamp};
use fracti_keeper::{Report, keep};
use fracti_store::metered;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::{
    export::exported,
    harness::{Api, Caller, Group, Reply},
};

async fn run(api: &Api) -> Report {
    keep(&api.table, &api.app.clock, None).await.unwrap()[0]
}

/// Runs the keeper until nothing is left to do.
async fn work_off(api: &Api) -> usize {
    let mut done = 0;
    loop {
        let ran = run(api).await;
        assert_eq!(ran.failed, 0);
        if ran.done == 0 {
            return done;
        }
        done += ran.done;
    }
}

/// Sets the clock to a later moment, and returns the group with users who have just opened the app.
fn at(group: &Group, moment: &str) -> Group {
    let moment: Timestamp = moment.parse().unwrap();
    group.api.pass(moment.since(group.api.now()));
    again(group)
}

fn again(group: &Group) -> Group {
    let again = |it: &Caller| group.api.user(it.id.parse().unwrap(), &it.user.name);
    let members = group.members.iter().map(again).collect();
    Group { api: group.api.clone(), id: group.id.clone(), members }
}

/// The rent of Alice and Bob, whose bigger room pays double.
fn rent() -> Value {
    json!({
        "expense": {
            "amount": "900.00", "description": "Rent", "splitType": "shares",
            "splits": [{ "userId": "1", "weight": 2 }, { "userId": "2", "weight": 1 }],
        },
        "repeat": { "every": "month", "start": "2026-01-31", "timeZone": "Europe/Berlin" },
    })
}

/// A tea of 2 EUR each day from today on, which all share equally.
fn tea() -> Value {
    json!({ "expense": { "amount": 2, "description": "Tea" }, "repeat": { "every": "day" } })
}

async fn make(group: &Group, body: Value) -> Value {
    group.members[0].post(&group.path("/schedules"), body).await.data(201).clone()
}

fn path(group: &Group, schedule: &Value) -> String {
    group.path(&format!("/schedules/{}", schedule["id"].as_str().unwrap()))
}

async fn put(group: &Group, schedule: &Value, body: Value) -> Reply {
    group.members[0].put(&path(group, schedule), body).await
}

async fn read(group: &Group, schedule: &Value) -> Value {
    group.members[0].get(&path(group, schedule)).await.data(200).clone()
}

/// The expenses of the group, oldest day first: the day and the shares of its members.
async fn recorded(group: &Group) -> Vec<(String, Vec<String>)> {
    let mut list = group.members[0].pages(&group.path("/expenses"), 100).await;
    list.sort_by_key(|it| it["date"].as_str().unwrap().to_owned());
    let of = |it: &Value| {
        let shares = it["splits"].as_array().unwrap().iter();
        let shares = shares.map(|share| share["amount"].to_string()).collect();
        (it["date"].as_str().unwrap().to_owned(), shares)
    };
    list.iter().map(of).collect()
}

async fn dates(group: &Group) -> Vec<String> {
    recorded(group).await.into_iter().map(|(date, _)| date).collect()
}

async fn kinds(group: &Group) -> Vec<String> {
    let rows = group.api.rows().await.into_iter();
    let changes = rows.filter(|((_, sk), _)| sk.starts_with("CHANGE#"));
    changes.map(|(_, row)| row["change"].as_s().unwrap().clone()).collect()
}

#[tokio::test]
async fn the_rent_comes_at_four_in_the_morning_of_each_date() {
    let group = Group::new(2, "EUR").await;
    let made = make(&group, rent()).await;
    assert_eq!(made["status"], "active");
    let next: Vec<&str> =
        made["nextDates"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
    assert_eq!(next.len(), 12);
    assert_eq!(next[..4], ["2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30"]);
    assert_eq!(made["expense"]["currency"], "EUR");
    assert_eq!(made["expense"]["payerId"], "1");
    assert_eq!(made["repeat"]["interval"], 1);
    let group = at(&group, "2026-01-31T02:59:59.999Z");
    assert_eq!(run(&group.api).await, Report::default());
    assert_eq!(dates(&group).await, [""; 0]);
    let group = at(&group, "2026-01-31T03:30:00Z");
    assert_eq!(run(&group.api).await.done, 1);
    assert_eq!(run(&group.api).await, Report::default());
    let listed = group.members[1].get(&group.path("/expenses")).await.data(200)[0].clone();
    assert_eq!(listed["scheduleId"], made["id"]);
    assert_eq!((&listed["createdBy"], &listed["payerId"]), (&json!("1"), &json!("1")));
    assert_eq!(
        recorded(&group).await,
        [("2026-01-31".to_owned(), vec!["600".to_owned(), "300".to_owned()])]
    );
    assert_eq!(group.balances().await, ["300", "-300"]);
    let history = format!("/expenses/{}/history", listed["id"].as_str().unwrap());
    let entry = group.members[1].get(&group.path(&history)).await.data(200)[0].clone();
    assert_eq!((&entry["actorId"], &entry["status"]), (&json!("1"), &json!("applied")));
    let stats = group.members[0].get(&group.path("/stats?from=2026-01-31&to=2026-01-31")).await;
    assert_eq!(stats.data(200)["currencies"][0]["total"], 900, "{}", stats.text);
    assert_eq!(kinds(&group).await, ["member.joined", "schedule.added", "expense.added"]);
    let after = read(&group, &made).await;
    assert_eq!(
        (&after["lastDate"], &after["lastExpenseId"]),
        (&json!("2026-01-31"), &listed["id"])
    );
    assert_eq!(after["nextDates"][0], "2026-02-28");
    group.verify().await;
}

#[tokio::test]
async fn fourteen_months_have_two_nights_of_the_clock_and_a_month_without_a_member() {
    let group = Group::new(2, "EUR").await;
    let made = make(&group, rent()).await;
    let mut group = group;
    for (moment, expected) in [
        ("2026-01-31T03:30:00Z", "2026-01-31"),
        ("2026-02-28T03:30:00Z", "2026-02-28"),
        // In summer, four is two in UTC.
        ("2026-03-31T02:30:00Z", "2026-03-31"),
        ("2026-04-30T02:30:00Z", "2026-04-30"),
    ] {
        let before: Timestamp = moment.parse().unwrap();
        group =
            at(&group, &Timestamp::from_millis(before.millis() - 1_800_001).unwrap().to_string());
        work_off(&group.api).await;
        assert!(!dates(&group).await.contains(&expected.to_owned()), "{expected}");
        group = at(&group, moment);
        work_off(&group.api).await;
        assert_eq!(dates(&group).await.pop().unwrap(), expected);
    }
    // Bob leaves, and May waits for him.
    let pay = json!({ "fromId": "2", "toId": "1", "amount": 1_200 });
    group.members[0].post(&group.path("/settlements"), pay).await.data(201);
    group.members[1].post(&group.path("/leave"), json!({})).await.data(200);
    group = at(&group, "2026-05-31T02:30:00Z");
    work_off(&group.api).await;
    let paused = read(&group, &made).await;
    assert_eq!(
        (&paused["status"], &paused["problem"]["path"]),
        (&json!("paused"), &json!("expense.splits[1].userId"))
    );
    group = at(&group, "2026-06-15T12:00:00Z");
    group.members[1].post(&group.path("/join"), json!({})).await.data(200);
    put(&group, &made, json!({ "paused": false })).await.data(200);
    work_off(&group.api).await;
    for moment in [
        "2026-06-30",
        "2026-07-31",
        "2026-08-31",
        "2026-09-30",
        "2026-10-31",
        "2026-11-30",
        "2026-12-31",
        "2027-01-31",
        "2027-02-28",
    ] {
        group = at(&group, &format!("{moment}T03:30:00Z"));
        work_off(&group.api).await;
    }
    let all = recorded(&group).await;
    let expected = [
        "2026-01-31",
        "2026-02-28",
        "2026-03-31",
        "2026-04-30",
        "2026-05-31",
        "2026-06-30",
        "2026-07-31",
        "2026-08-31",
        "2026-09-30",
        "2026-10-31",
        "2026-11-30",
        "2026-12-31",
        "2027-01-31",
        "2027-02-28",
    ];
    assert_eq!(all.iter().map(|(date, _)| &**date).collect::<Vec<_>>(), expected);
    assert!(all.iter().all(|(_, shares)| *shares == ["600", "300"]), "{all:?}");
    // 14 times 300, less 1200 that are paid.
    assert_eq!(group.balances().await, ["3000", "-3000"]);
    group.verify().await;
}

#[tokio::test]
async fn a_hundred_for_three_is_exact_each_month() {
    let group = Group::new(3, "EUR").await;
    let body = json!({ "expense": { "amount": 100, "description": "Web" },
        "repeat": { "every": "month", "start": "2026-01-15", "count": 12 } });
    let made = make(&group, body).await;
    assert_eq!(made["sharedBy"], "default");
    assert_eq!(made["expense"]["splits"], Value::Null);
    let mut group = group;
    for month in [
        "2026-01-15",
        "2026-02-15",
        "2026-03-15",
        "2026-04-15",
        "2026-05-15",
        "2026-06-15",
        "2026-07-15",
        "2026-08-15",
        "2026-09-15",
        "2026-10-15",
        "2026-11-15",
        "2026-12-15",
        "2027-01-15",
    ] {
        group = at(&group, &format!("{month}T12:00:01Z"));
        work_off(&group.api).await;
    }
    let all = recorded(&group).await;
    assert_eq!(all.len(), 12, "the thirteenth month has none");
    let mut odd = std::collections::BTreeSet::new();
    for (date, shares) in all {
        let mut sorted = shares.clone();
        sorted.sort();
        assert_eq!(sorted, ["33.33", "33.33", "33.34"], "{date}");
        odd.insert(shares.iter().position(|share| share == "33.34"));
    }
    assert!(odd.len() > 1, "the odd cent goes around: {odd:?}");
    assert_eq!(read(&group, &made).await["status"], "ended");
    group.verify().await;
}

#[tokio::test]
async fn missed_dates_are_recorded_oldest_first_and_old_ones_passed_over() {
    let group = Group::new(2, "EUR").await;
    make(&group, tea()).await;
    assert_eq!(work_off(&group.api).await, 1, "today's");
    // An hour late is one; 40 days late are 36.
    let group = at(&group, "2026-01-16T05:30:00Z");
    assert_eq!(work_off(&group.api).await, 1);
    let group = at(&group, "2026-02-25T12:00:00Z");
    assert_eq!(run(&group.api).await.done, 1, "all in one run");
    assert_eq!(run(&group.api).await, Report::default());
    let all = dates(&group).await;
    assert_eq!(all.len(), 2 + 36);
    assert_eq!((&*all[2], &*all[37]), ("2026-01-21", "2026-02-25"));
    let recorded = group.members[0].pages(&group.path("/expenses"), 100).await;
    let mut order: Vec<&str> = recorded.iter().map(|it| it["date"].as_str().unwrap()).collect();
    order.reverse();
    assert_eq!(order, all, "oldest first");
    group.verify().await;

    let group = Group::new(2, "EUR").await;
    let body = json!({ "expense": { "amount": 2, "description": "Tea" },
        "repeat": { "every": "day", "start": "2026-01-05" } });
    make(&group, body).await;
    let ran = run(&group.api).await;
    assert_eq!((ran.done, ran.late_s), (1, 0), "what is asked for now is not late");
    assert_eq!(dates(&group).await.len(), 11);
}

#[tokio::test]
async fn twenty_keepers_at_once_record_one_expense_a_date() {
    let api = Api::new().await;
    let group = Group::of(&api, 2, "EUR").await;
    make(
        &group,
        json!({ "expense": { "amount": 2, "description": "Tea" },
            "repeat": { "every": "day", "start": "2026-01-13" } }),
    )
    .await;
    let mut runs = JoinSet::new();
    for _ in 0..20 {
        let api = api.another();
        runs.spawn(async move { run(&api).await.failed });
    }
    let failed: usize = runs.join_all().await.into_iter().sum();
    assert_eq!(failed, 0);
    assert_eq!(dates(&group).await, ["2026-01-13", "2026-01-14", "2026-01-15"]);
    group.verify().await;
}

/// What the schedule says of its problem, after a run in which no money moves.
async fn refused(group: &Group, schedule: &Value) -> (Value, Value) {
    let before = group.debts().await["balances"].clone();
    run(&group.api).await;
    assert_eq!(group.debts().await["balances"], before);
    let paused = read(group, schedule).await;
    assert_eq!(paused["status"], "paused", "{paused}");
    assert_eq!(run(&group.api).await, Report::default());
    (paused["problem"]["code"].clone(), paused["problem"]["path"].clone())
}

#[tokio::test]
async fn a_refusal_pauses_and_is_recorded_once_it_is_mended() {
    let group = Group::new(3, "EUR").await;
    let [bob, carol] = [1, 2].map(|index| &group.members[index]);
    // Carol, who pays or shares, has left, and so has Bob, who made one of them.
    let of = |more: Value| {
        let mut body = tea();
        body["expense"].as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let shared =
        make(&group, of(json!({ "splits": [{ "userId": "1" }, { "userId": "3" }] }))).await;
    let paid = make(&group, of(json!({ "payerId": "3" }))).await;
    let several = make(
        &group,
        of(json!({ "payers": [{ "userId": "1", "amount": 1 }, { "userId": "3", "amount": 1 }] })),
    )
    .await;
    let own = json!({ "categories": [{ "key": "pets", "name": "Pets" }] });
    group.members[0].patch(&group.path(""), own).await.data(200);
    let pets = make(&group, of(json!({ "category": "pets" }))).await;
    group.members[0].patch(&group.path(""), json!({ "categories": [] })).await.data(200);
    let made = bob.post(&group.path("/schedules"), tea()).await.data(201).clone();
    carol.post(&group.path("/leave"), json!({})).await.data(200);
    bob.post(&group.path("/leave"), json!({})).await.data(200);
    let invalid = json!("VALIDATION_ERROR");
    assert_eq!(
        refused(&group, &shared).await,
        (invalid.clone(), json!("expense.splits[1].userId"))
    );
    for (schedule, code, path) in [
        (&paid, &invalid, json!("expense.payerId")),
        (&several, &invalid, json!("expense.payers[1].userId")),
        (&pets, &invalid, json!("expense.category")),
        (&made, &json!("LEFT"), Value::Null),
    ] {
        let problem = read(&group, schedule).await["problem"].clone();
        assert_eq!((&problem["code"], &problem["path"]), (code, &path), "{problem}");
        assert_eq!(problem["date"], "2026-01-15");
    }
    assert_eq!(kinds(&group).await.iter().filter(|kind| *kind == "schedule.paused").count(), 5);
    let message = group.members[0].call(axum::http::Method::GET, &path(&group, &paid), None).await;
    assert_eq!(
        message.data(200)["problem"]["message"],
        "payerId must be the id of a member of the group"
    );

    // Three days later, each is mended, and the dates since are recorded, too.
    let group = at(&group, "2026-01-17T12:00:00Z");
    for (schedule, change) in [
        (&shared, json!({ "expense": { "splits": [{ "userId": "1" }] }, "paused": false })),
        (&paid, json!({ "expense": { "payerId": "1" }, "paused": false })),
        (&several, json!({ "expense": { "payerId": "1" }, "paused": false })),
        (&pets, json!({ "expense": { "category": null }, "paused": false })),
        (&made, json!({ "paused": false })),
    ] {
        let again = put(&group, schedule, change.clone()).await.data(200).clone();
        assert_eq!(
            (&again["status"], &again["problem"]),
            (&json!("active"), &Value::Null),
            "{change}"
        );
        assert_eq!(again["nextDates"][0], "2026-01-15");
        assert_eq!(again["actorId"], "1");
    }
    // The one that Bob made pays Bob, who has left.
    let code = read(&group, &made).await["expense"]["payerId"].clone();
    let path = "expense.payerId";
    assert_eq!(code, "2");
    work_off(&group.api).await;
    assert_eq!(read(&group, &made).await["problem"]["path"], path);
    assert_eq!(dates(&group).await.len(), 4 * 3);
    group.verify().await;
}

#[tokio::test]
async fn an_archive_and_a_full_ledger_pause_it() {
    let group = Group::new(2, "EUR").await;
    let huge = json!({ "expense": { "amount": "92233720368547758.07", "description": "All" },
        "repeat": { "every": "day" } });
    let huge = make(&group, huge).await;
    assert_eq!(work_off(&group.api).await, 1);
    let group = at(&group, "2026-01-16T05:00:00Z");
    assert_eq!(refused(&group, &huge).await, (json!("VALIDATION_ERROR"), json!("expense.amount")));
    let archived = make(&group, tea()).await;
    group.members[0].patch(&group.path(""), json!({ "archived": true })).await.data(200);
    assert_eq!(refused(&group, &archived).await, (json!("GROUP_ARCHIVED"), Value::Null));
    let refused = put(&group, &archived, json!({ "paused": false })).await;
    assert_eq!(refused.code(), (409, "GROUP_ARCHIVED"));
    group.members[0].patch(&group.path(""), json!({ "archived": false })).await.data(200);
    group.verify().await;
}

#[tokio::test]
async fn more_than_45_sharers_of_the_day_pause_it() {
    let group = Group::new(1, "EUR").await;
    let body = json!({ "expense": { "amount": 90, "description": "Tea", "splitType": "equal" },
        "repeat": { "every": "day" } });
    let everyone = make(&group, body).await;
    assert_eq!(everyone["sharedBy"], "everyone");
    // Only the payer is there: it is recorded as theirs.
    work_off(&group.api).await;
    assert_eq!(recorded(&group).await[0].1, ["90"]);
    for number in 0..44 {
        group.guest(0, &format!("G{number}")).await;
    }
    let group = at(&group, "2026-01-16T05:00:00Z");
    work_off(&group.api).await;
    assert_eq!(recorded(&group).await[1].1.len(), 45);
    group.guest(0, "One more").await;
    let group = at(&group, "2026-01-17T05:00:00Z");
    assert_eq!(refused(&group, &everyone).await, (json!("TOO_MANY_SPLITS"), Value::Null));
    group.verify().await;
}

#[tokio::test]
async fn a_linked_guest_is_the_user_also_if_both_share() {
    let group = Group::new(3, "EUR").await;
    let guest = group.guest(0, "Robert").await;
    let body = |users: &[&str]| {
        let splits: Vec<Value> = users.iter().map(|user| json!({ "userId": user })).collect();
        json!({ "expense": { "amount": 6, "description": "Tea", "splits": splits },
            "repeat": { "every": "day", "start": "2026-01-16" } })
    };
    make(&group, body(&["1", &guest])).await;
    let both = make(&group, body(&["1", "2", &guest])).await;
    group.link(&guest, "2").await.data(200);
    let group = at(&group, "2026-01-16T05:00:00Z");
    assert_eq!(work_off(&group.api).await, 2);
    assert_eq!(read(&group, &both).await["problem"], Value::Null);
    // Bob has half of one, and two thirds of the other.
    assert_eq!(group.balances().await, ["7", "-7", "0"]);
    group.verify().await;
}

#[tokio::test]
async fn what_a_user_and_a_linked_guest_pay_is_added_up() {
    let group = Group::new(2, "EUR").await;
    let guest = group.guest(0, "Robert").await;
    let payers = json!([{ "userId": "1", "amount": 2 }, { "userId": "2", "amount": 3 },
        { "userId": guest, "amount": 4 }]);
    let body = json!({ "expense": { "amount": 9, "description": "Tea", "payers": payers,
        "splitType": "equal" },
        "repeat": { "every": "day", "start": "2026-01-16" } });
    let made = make(&group, body).await;
    group.link(&guest, "2").await.data(200);
    let group = at(&group, "2026-01-16T05:00:00Z");
    assert_eq!(work_off(&group.api).await, 1);
    assert_eq!(read(&group, &made).await["problem"], Value::Null);
    assert_eq!(recorded(&group).await[0].1, ["4.5", "4.5"]);
    assert_eq!(group.balances().await, ["-2.5", "2.5"]);
    group.verify().await;
}

#[tokio::test]
async fn a_deleted_group_gets_no_expense_and_no_rows() {
    let group = Group::new(1, "EUR").await;
    make(
        &group,
        json!({ "expense": { "amount": 2, "description": "Tea" },
            "repeat": { "every": "day", "start": "2026-01-16" } }),
    )
    .await;
    group.members[0].delete(&group.path("")).await.data(200);
    let group = at(&group, "2026-01-16T05:00:00Z");
    let before: Vec<_> =
        group.api.rows().await.into_keys().filter(|key| !key.0.starts_with("IDEM#")).collect();
    assert_eq!(run(&group.api).await.done, 1);
    assert_eq!(run(&group.api).await, Report::default());
    let after: Vec<_> =
        group.api.rows().await.into_keys().filter(|key| !key.0.starts_with("IDEM#")).collect();
    assert_eq!(after, before);
}

#[tokio::test]
async fn the_default_split_of_the_day_is_used() {
    let group = Group::new(2, "EUR").await;
    let rule = |alice: u64| {
        json!({ "defaultSplits": [{ "splits": [{ "userId": "1",
        "weight": alice }, { "userId": "2", "weight": 10 - alice }] }] })
    };
    group.members[0].patch(&group.path(""), rule(6)).await.data(200);
    let body =
        json!({ "expense": { "amount": 10, "description": "Tea" }, "repeat": { "every": "day" } });
    let made = make(&group, body).await;
    let equal = json!({ "expense": { "amount": 10, "description": "Tea", "splitType": "equal" },
        "repeat": { "every": "day" } });
    make(&group, equal).await;
    work_off(&group.api).await;
    let mut first: Vec<_> = recorded(&group).await.into_iter().map(|(_, shares)| shares).collect();
    first.sort();
    assert_eq!(first, [["5", "5"], ["6", "4"]]);
    group.members[1].patch(&group.path(""), rule(7)).await.data(200);
    let group = at(&group, "2026-01-16T05:00:00Z");
    work_off(&group.api).await;
    assert!(
        recorded(&group)
            .await
            .contains(&("2026-01-16".to_owned(), vec!["7".to_owned(), "3".to_owned()]))
    );
    // Its own shares end that it follows the group, and `sharedBy` begins it again.
    let own = put(
        &group,
        &made,
        json!({ "expense": { "splitType": "equal", "splits": [{ "userId": "2" }] } }),
    )
    .await;
    assert_eq!(
        (&own.data(200)["sharedBy"], &own.data(200)["expense"]["splits"][0]["userId"]),
        (&Value::Null, &json!("2"))
    );
    let again = put(&group, &made, json!({ "sharedBy": "default" })).await;
    assert_eq!(
        (&again.data(200)["sharedBy"], &again.data(200)["expense"]["splits"]),
        (&json!("default"), &Value::Null)
    );
    let group = at(&group, "2026-01-17T05:00:00Z");
    work_off(&group.api).await;
    assert!(
        recorded(&group)
            .await
            .contains(&("2026-01-17".to_owned(), vec!["7".to_owned(), "3".to_owned()]))
    );
    group.verify().await;
}

#[tokio::test]
async fn a_change_is_for_later_expenses_and_a_deleted_one_stays_deleted() {
    let group = Group::new(2, "EUR").await;
    let made = make(&group, tea()).await;
    work_off(&group.api).await;
    let first = group.members[0].get(&group.path("/expenses")).await.data(200)[0].clone();
    let tag = group.members[1].get(&path(&group, &made)).await.header("etag").unwrap().to_owned();
    let edit = json!({ "expense": { "amount": 3, "description": "Coffee",
        "splits": [{ "userId": "2" }] } });
    let edited = group.members[1].put_if(&tag, &path(&group, &made), edit.clone()).await;
    assert_eq!(
        (&edited.data(200)["actorId"], &edited.data(200)["createdBy"]),
        (&json!("2"), &json!("1"))
    );
    assert_eq!(
        group.members[1].put_if(&tag, &path(&group, &made), edit.clone()).await.code(),
        (412, "PRECONDITION_FAILED")
    );
    let before = group.api.rows().await;
    put(&group, &made, edit).await.data(200);
    assert_eq!(group.api.rows().await, before, "a repeated change changes nothing");
    let id = first["id"].as_str().unwrap();
    assert_eq!(
        *group.members[0].get(&group.path(&format!("/expenses/{id}"))).await.data(200),
        first
    );
    group.members[0].delete(&group.path(&format!("/expenses/{id}"))).await.data(200);
    let group = at(&group, "2026-01-16T05:00:00Z");
    work_off(&group.api).await;
    assert_eq!(recorded(&group).await, [("2026-01-16".to_owned(), vec!["3".to_owned()])]);

    // Skipped dates and those that pass while it is paused are not recorded.
    let skips = json!({ "skips": ["2026-01-18", "2026-01-17"] });
    let skipping = put(&group, &made, skips).await.data(200).clone();
    assert_eq!(skipping["skips"], json!(["2026-01-17", "2026-01-18"]));
    assert_eq!(skipping["nextDates"][0], "2026-01-19");
    let back = put(&group, &made, json!({ "skips": ["2026-01-17"] })).await.data(200).clone();
    assert_eq!(back["nextDates"][0], "2026-01-18", "one that is not skipped any more comes back");
    let group = at(&group, "2026-01-18T05:00:00Z");
    work_off(&group.api).await;
    put(&group, &made, json!({ "paused": true })).await.data(200);
    let group = at(&group, "2026-01-20T12:00:00Z");
    assert_eq!(run(&group.api).await, Report::default());
    let on = put(&group, &made, json!({ "paused": false })).await.data(200).clone();
    assert_eq!(on["nextDates"][0], "2026-01-20");
    work_off(&group.api).await;
    assert_eq!(dates(&group).await, ["2026-01-16", "2026-01-18", "2026-01-20"]);

    // Another rule starts after the last date, and drops the skips.
    put(&group, &made, json!({ "skips": ["2026-01-22"] })).await.data(200);
    let weekly =
        json!({ "repeat": { "every": "week", "start": "2026-01-21", "until": "2026-02-04" } });
    let weekly = put(&group, &made, weekly).await.data(200).clone();
    assert_eq!(weekly["nextDates"], json!(["2026-01-21", "2026-01-28", "2026-02-04"]));
    assert_eq!((&weekly["skips"], &weekly["lastDate"]), (&json!([]), &json!("2026-01-20")));
    group.members[1].delete(&path(&group, &made)).await.data(200);
    let group = at(&group, "2026-01-22T05:00:00Z");
    assert_eq!(run(&group.api).await, Report::default());
    assert_eq!(
        group.members[0].get(&path(&group, &made)).await.code(),
        (404, "SCHEDULE_NOT_FOUND")
    );
    assert_eq!(dates(&group).await, ["2026-01-16", "2026-01-18", "2026-01-20"]);
    group.verify().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_beside_the_keeper_is_before_or_after_it_and_never_mixed() {
    let api = Api::new().await;
    let group = Group::of(&api, 2, "EUR").await;
    let made = make(&group, tea()).await;
    work_off(&api).await;
    let mut group = group;
    let first = api.now().millis();
    for round in 1..=50_u64 {
        let today = Timestamp::from_millis(first + round * 86_400_000).unwrap();
        group = at(&group, &today.to_string());
        let keeper = api.another();
        let editor = group.members[1].at(&api.another());
        let path = path(&group, &made);
        let amount = 2 * round + 2;
        let edit = json!({ "expense": { "amount": amount, "splits": [{ "userId": "1" }] } });
        let edit = tokio::spawn(async move { editor.put(&path, edit).await.data(200).clone() });
        let kept = tokio::spawn(async move { run(&keeper).await });
        edit.await.unwrap();
        assert_eq!(kept.await.unwrap().failed, 0);
        work_off(&api).await;
        let (date, shares) = recorded(&group).await.pop().unwrap();
        assert_eq!(date, today.day().to_string());
        let old = if round == 1 {
            vec!["1".to_owned(), "1".to_owned()]
        } else {
            vec![(2 * round).to_string()]
        };
        assert!(shares == old || shares == [amount.to_string()], "{shares:?}");
    }
    assert_eq!(dates(&group).await.len(), 51);
    group.verify().await;
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "a line each")]
async fn what_breaks_a_rule_is_refused_with_field_and_rule() {
    let group = Group::new(2, "EUR").await;
    let made = make(&group, tea()).await;
    work_off(&group.api).await;
    let before = group.api.rows().await;
    let with = |expense: Value, repeat: Value| json!({ "expense": expense, "repeat": repeat });
    let cup = || json!({ "amount": 2, "description": "Tea" });
    let and = |more: Value| {
        let mut all = cup();
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        all
    };
    let daily = || json!({ "every": "day" });
    for (body, path, message) in [
        (json!({ "repeat": daily() }), "expense", "expense is required"),
        (json!({ "expense": cup() }), "repeat", "repeat is required"),
        (with(cup(), json!({})), "repeat.every", "repeat.every is required"),
        (
            with(cup(), json!({ "every": "fortnight" })),
            "repeat.every",
            "repeat.every must be one of day, week, month, year",
        ),
        (
            with(cup(), json!({ "every": "day", "interval": 0 })),
            "repeat.interval",
            "repeat.interval must be a whole number from 1 to 365",
        ),
        (
            with(cup(), json!({ "every": "day", "interval": 366 })),
            "repeat.interval",
            "repeat.interval must be a whole number from 1 to 365",
        ),
        (
            with(cup(), json!({ "every": "day", "count": 1001 })),
            "repeat.count",
            "repeat.count must be a whole number from 1 to 1000",
        ),
        (
            with(cup(), json!({ "every": "day", "start": "2025-12-10" })),
            "repeat.start",
            "repeat.start must be from 2025-12-11 to 2027-01-16",
        ),
        (
            with(cup(), json!({ "every": "day", "start": "2027-01-17" })),
            "repeat.start",
            "repeat.start must be from 2025-12-11 to 2027-01-16",
        ),
        (
            with(cup(), json!({ "every": "day", "until": "2026-01-14" })),
            "repeat.until",
            "repeat.until must not be before start",
        ),
        (
            with(cup(), json!({ "every": "day", "until": "2026-02-14", "count": 3 })),
            "repeat.count",
            "repeat.count must be left out if until is sent",
        ),
        (
            with(cup(), json!({ "every": "day", "timeZone": "Berlin" })),
            "repeat.timeZone",
            "repeat.timeZone must be an IANA time zone",
        ),
        (
            with(and(json!({ "date": "2026-01-20" })), daily()),
            "expense.date",
            "expense.date must be left out: each expense has its own",
        ),
        (
            with(json!({ "description": "Tea" }), daily()),
            "expense.amount",
            "expense.amount is required",
        ),
        (
            with(and(json!({ "payerId": "9" })), daily()),
            "expense.payerId",
            "expense.payerId must be the id of a member of the group",
        ),
        (
            with(and(json!({ "splits": [{ "userId": "9" }] })), daily()),
            "expense.splits[0].userId",
            "expense.splits[0].userId must be the id of a member of the group",
        ),
        (
            with(and(json!({ "category": "pets" })), daily()),
            "expense.category",
            "expense.category must be one of",
        ),
        (
            with(and(json!({ "splitType": "exact" })), daily()),
            "expense.splits",
            "expense.splits is required",
        ),
        (
            with(and(json!({ "spendingId": "x" })), daily()),
            "expense.spendingId",
            "unknown field expense.spendingId",
        ),
        (
            json!({ "expense": and(json!({ "splits": [{ "userId": "1" }] })), "repeat": daily(),
                "sharedBy": "everyone" }),
            "sharedBy",
            "sharedBy must be left out if splits are sent",
        ),
        (
            json!({ "expense": cup(), "repeat": daily(), "sharedBy": "all" }),
            "sharedBy",
            "sharedBy must be one of everyone, default",
        ),
        (json!({ "expense": 1, "repeat": 2 }), "expense", "expense must be a JSON object"),
    ] {
        let refused = group.members[0].post(&group.path("/schedules"), body.clone()).await;
        assert_eq!(refused.code(), (400, "VALIDATION_ERROR"), "{body}");
        let details = refused.body["details"].as_array().unwrap();
        let named = details.iter().find(|it| it["path"] == path);
        let named = named.unwrap_or_else(|| panic!("{body}: {details:?}"));
        assert!(named["message"].as_str().unwrap().starts_with(message), "{body}: {details:?}");
    }
    let many: Vec<String> = (16..=28).map(|day| format!("2026-01-{day}")).collect();
    for (body, path, message) in [
        (json!({}), "expense", "expense, repeat, skips, paused or sharedBy is required"),
        (
            json!({ "skips": ["2026-01-15"] }),
            "skips[0]",
            "skips[0] must be a date of the schedule after 2026-01-15",
        ),
        (json!({ "skips": ["2026-01-16", "x"] }), "skips[1]", "skips[1] must be a day"),
        (json!({ "skips": many }), "skips", "skips must have at most 12 dates"),
        (
            json!({ "repeat": { "every": "day", "start": "2026-01-15" } }),
            "repeat.start",
            "repeat.start must be after 2026-01-15",
        ),
        (
            json!({ "expense": { "date": "2026-01-20" } }),
            "expense.date",
            "expense.date must be left out",
        ),
        (json!({ "expense": { "amount": 0 } }), "expense.amount", "expense.amount must not be 0"),
        (
            json!({ "expense": { "splits": [{ "userId": "1" }] }, "sharedBy": "default" }),
            "sharedBy",
            "sharedBy must be left out if splits are sent",
        ),
        (json!({ "paused": "yes" }), "paused", "paused must be true or false"),
    ] {
        let refused = put(&group, &made, body.clone()).await;
        assert_eq!(refused.code(), (400, "VALIDATION_ERROR"), "{body}");
        let details = refused.body["details"].as_array().unwrap();
        let named = details.iter().find(|it| it["path"] == path);
        let named = named.unwrap_or_else(|| panic!("{body}: {details:?}"));
        assert!(named["message"].as_str().unwrap().starts_with(message), "{body}: {details:?}");
    }
    assert_eq!(group.api.rows().await, before);
}

#[tokio::test]
async fn strangers_tokens_and_the_51st_schedule_are_refused() {
    let group = Group::new(2, "EUR").await;
    let made = make(&group, rent()).await;
    let eve = group.api.user(9, "Eve");
    let schedules = group.path("/schedules");
    for reply in [
        eve.get(&schedules).await,
        eve.get(&path(&group, &made)).await,
        eve.post(&schedules, rent()).await,
        eve.put(&path(&group, &made), json!({ "paused": true })).await,
        eve.delete(&path(&group, &made)).await,
    ] {
        assert_eq!(reply.code(), (403, "NOT_A_MEMBER"));
    }
    group.api.pass(Duration::from_secs(1));
    let token = json!({ "name": "Agent", "scopes": ["read"] });
    let reader = group.members[0].post("/api/users/me/tokens", token).await;
    let reader = group.members[0].with_token(&reader);
    assert_eq!(reader.get(&schedules).await.status, 200);
    assert_eq!(reader.post(&schedules, rent()).await.code(), (403, "INSUFFICIENT_SCOPE"));
    let token = json!({ "name": "Agent", "scopes": ["read", "write"], "groupId": group.id });
    let created = group.members[0].post("/api/users/me/tokens", token).await;
    let writer = group.members[0].with_token(&created);
    let by_agent = writer.post(&schedules, rent()).await.data(201).clone();
    assert_eq!(
        (&by_agent["agentName"], &by_agent["agentId"]),
        (&json!("Agent"), &created.data(201)["id"])
    );
    let edited = put(&group, &by_agent, json!({ "expense": { "amount": 800 } })).await;
    assert_eq!(edited.data(200)["agentName"], Value::Null, "the one who last changed it");
    let other = Group::of(&group.api, 2, "EUR").await;
    assert_eq!(
        writer.post(&other.path("/schedules"), rent()).await.code(),
        (403, "INSUFFICIENT_SCOPE")
    );
    for _ in 2..50 {
        make(&group, rent()).await;
    }
    let before = group.api.rows().await;
    let refused = group.members[1].post(&schedules, rent()).await;
    assert_eq!(refused.code(), (422, "TOO_MANY_SCHEDULES"));
    assert_eq!(refused.body["details"][0]["limit"], "schedules", "{}", refused.text);
    assert_eq!(group.api.rows().await, before);
    let listed = group.members[0].pages(&schedules, 7).await;
    assert_eq!(listed.len(), 50);
    assert_eq!(listed[49]["id"], made["id"], "newest first");
    // A lost answer is asked for again, and makes no second one.
    group.members[0].delete(&path(&group, &made)).await.data(200);
    let once = group.members[0].post_once("k", &schedules, rent()).await.data(201).clone();
    let again = group.members[0].post_once("k", &schedules, rent()).await.data(201).clone();
    assert_eq!(once, again);
    group.verify().await;
}

#[tokio::test]
async fn an_expense_of_a_schedule_costs_little_more_than_a_request() {
    let group = Group::of(&Api::embedded().await, 5, "EUR").await;
    let splits: Vec<Value> = (1..=5).map(|id| json!({ "userId": id.to_string() })).collect();
    let dinner = json!({ "amount": 180, "description": "Dinner at restaurant", "splits": splits });
    let body = json!({ "expense": dinner, "repeat": { "every": "day" } });
    let made = make(&group, body).await;
    let asked = group.members[0].post(&group.path("/expenses"), dinner).await.cost;
    let id = made["id"].as_str().unwrap().parse().unwrap();
    let of = group.id.parse().unwrap();
    let (occurred, cost) = metered(group.api.table.occur(of, id, group.api.now())).await;
    assert_eq!(occurred.unwrap(), Occurred::Recorded);
    // A row of up to 1 KB is written, too.
    assert_eq!((asked.write_units, cost.write_units, cost.read_units), (28.0, 32.0, 4.0));
    assert_eq!(cost.round_trips, 2);
}

#[tokio::test]
async fn an_export_has_the_schedules_and_an_import_does_not() {
    let group = Group::new(2, "EUR").await;
    let made = make(&group, tea()).await;
    work_off(&group.api).await;
    let export = exported(&group.members[0], &group.id, 100).await;
    assert_eq!(export["schedules"][0]["id"], made["id"]);
    assert_eq!(export["entries"][0]["expense"]["scheduleId"], made["id"]);
    let other = Group::of(&group.api, 2, "EUR").await;
    let file = export.to_string();
    let plan = json!({ "file": file, "options": {} });
    let plan = other.members[0].post(&other.path("/import"), plan).await.data(200).clone();
    let warnings = plan["warnings"].to_string();
    assert!(warnings.contains("1 schedule is not imported"), "{plan}");
    let members = json!({ "A": "1", "B": "2" });
    let import = json!({ "file": file, "options": { "commit": true, "members": members } });
    other.members[0].post(&other.path("/import"), import).await.data(200);
    assert_eq!(other.members[0].get(&other.path("/schedules")).await.data(200), &json!([]));
    let copy = other.members[0].get(&other.path("/expenses")).await.data(200)[0].clone();
    assert_eq!(copy["scheduleId"], Value::Null);
    // An occurrence is not recorded again elsewhere.
    let other = at(&other, "2026-01-16T05:00:00Z");
    work_off(&other.api).await;
    assert_eq!(dates(&other).await, ["2026-01-15"]);
    other.verify().await;
}
