//! The date and the notes of an expense.

use std::time::Duration;

use serde_json::json;

use super::path;
use crate::harness::Group;

#[tokio::test]
async fn date_is_the_day_that_was_sent_or_today_from_four_in_the_morning() {
    let group = Group::new(2, "EUR").await;
    let [alice, bob] = [0, 1].map(|index| &group.members[index]);
    let sent = group.spend(0, json!({ "amount": 2, "date": "1999-12-31" })).await;
    let today = group.spend(0, json!({ "amount": 2 })).await;
    assert_eq!((&sent["date"], &today["date"]), (&json!("1999-12-31"), &json!("2026-01-15")));
    group.api.pass(Duration::from_hours(15));
    let night = group.spend(0, json!({ "amount": 2 })).await;
    group.api.pass(Duration::from_hours(2));
    let morning = group.spend(0, json!({ "amount": 2 })).await;
    assert_eq!((&night["date"], &morning["date"]), (&json!("2026-01-15"), &json!("2026-01-16")));
    let dates = |list: &serde_json::Value| -> Vec<String> {
        let date = |it: &serde_json::Value| it["date"].as_str().unwrap().to_owned();
        list.as_array().unwrap().iter().map(date).collect()
    };
    let expected = ["2026-01-16", "2026-01-15", "2026-01-15", "1999-12-31"];
    assert_eq!(dates(alice.get(&group.path("/expenses")).await.data(200)), expected);
    assert_eq!(dates(alice.get("/api/users/me/expenses").await.data(200)), expected);
    assert_eq!(dates(bob.get("/api/users/me/debts").await.data(200)), expected);
}

#[tokio::test]
async fn date_is_by_default_the_day_in_the_zone_of_the_recorder() {
    let group = Group::new(2, "EUR").await;
    let [alice, bob] = [0, 1].map(|index| &group.members[index]);
    let zone = json!({ "version": 1, "timeZone": "+03:00" });
    alice.patch("/api/users/me/targets", zone).await.data(200);
    // 03:59 of Alice's clock.
    group.api.pass(Duration::from_mins(12 * 60 + 59));
    for (dates, passed) in [(["2026-01-15", "2026-01-15"], 1), (["2026-01-16", "2026-01-15"], 0)] {
        for (member, date) in [alice, bob].into_iter().zip(dates) {
            let body = json!({ "amount": 1, "description": "x", "payerId": "2" });
            let made = member.post(&group.path("/expenses"), body).await;
            assert_eq!(made.data(201)["date"], date);
            assert_eq!((made.cost.round_trips, made.cost.requests), (2, 5));
        }
        group.api.pass(Duration::from_mins(passed));
    }
    let dated = json!({ "amount": 1, "description": "x", "date": "2026-01-01" });
    let made = alice.post(&group.path("/expenses"), dated).await;
    assert_eq!(made.data(201)["date"], "2026-01-01");
    assert_eq!(made.cost.requests, 4, "the zone is not needed");
    group.verify().await;
}

#[tokio::test]
async fn date_is_at_most_one_year_ahead() {
    let group = Group::new(1, "EUR").await;
    let alice = &group.members[0];
    for (date, status) in [
        ("2027-01-15", 201),
        ("1970-01-01", 201),
        ("2027-01-16", 400),
        ("1969-12-31", 400),
        ("2026-02-30", 400),
        ("2026-2-3", 400),
        ("2026-01-15T00:00:00Z", 400),
    ] {
        let body = json!({ "amount": 1, "description": "x", "date": date });
        let reply = alice.post(&group.path("/expenses"), body).await;
        assert_eq!(reply.status.as_u16(), status, "{date}: {}", reply.text);
        if status == 400 {
            assert_eq!(reply.body["details"][0]["path"], "date", "{}", reply.text);
        }
    }
    let made = group.spend(0, json!({ "amount": 1 })).await;
    let reply = alice.put(&path(&group, &made), json!({ "date": "2027-01-16" })).await;
    assert_eq!(reply.body["message"], "date must be at most one year ahead.");
}

#[tokio::test]
async fn edits_keep_change_and_remove_date_and_notes() {
    let group = Group::new(1, "EUR").await;
    let alice = &group.members[0];
    let notes = "Without the wine:\nCarol does not drink. 🍷";
    let made = group.spend(0, json!({ "amount": 1, "date": "2026-01-01", "notes": notes })).await;
    assert_eq!(made["notes"], notes);
    let path = path(&group, &made);
    let kept = alice.put(&path, json!({ "amount": 2 })).await;
    assert_eq!((&kept.data(200)["notes"], &kept.data(200)["date"]), (&json!(notes), &made["date"]));
    let changed = alice.put(&path, json!({ "notes": "Paid in cash", "date": "2026-01-02" })).await;
    assert_eq!(changed.data(200)["notes"], "Paid in cash");
    assert_eq!(changed.data(200)["date"], "2026-01-02");
    let removed = alice.put(&path, json!({ "notes": null })).await;
    assert_eq!(removed.data(200).get("notes"), None);
    assert_eq!(alice.get(&path).await.data(200), removed.data(200));
    let history = alice.get(&format!("{path}/history")).await;
    let notes_of = |entry: &serde_json::Value| entry["expense"]["notes"].clone();
    let snapshots = history.data(200).as_array().unwrap().iter().map(notes_of);
    let snapshots: Vec<_> = snapshots.filter(|it| !it.is_null()).collect();
    assert_eq!(snapshots, ["Paid in cash", notes, notes]);
    alice.delete(&path).await.data(200);
    let restored = alice.post(&format!("{path}/restore"), json!({})).await;
    assert_eq!(restored.data(200)["date"], "2026-01-02");
}
