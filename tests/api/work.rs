//! Work without a request: it acts for a member, has a deadline and writes a log line of its own.

use std::{future::pending, time::Duration};

use fracti_core::{
    group::MemberKey,
    input::{Draft, Error},
    values::id::GroupId,
};
use fracti_runtime::work;
use fracti_store::Idempotency;
use serde_json::{Value, json};
use tracing::instrument::WithSubscriber;

use crate::harness::{Group, Log};

const LIMIT: Duration = Duration::from_mins(1);

/// Restores the expense for a member, and returns the outcome and its line of the log.
async fn restore(group: &Group, expense: &Value, member: usize) -> (Result<(), Error>, Value) {
    let id = expense["id"].as_str().unwrap().parse().unwrap();
    let of: GroupId = group.id.parse().unwrap();
    let member_key = MemberKey { group: of, user: group.members[member].user.id };
    let once = Idempotency::own_work("restore-due", group.api.now());
    let table = &group.api.table;
    logged(work("restore-due", Some(of), LIMIT, async {
        let body = Draft::valid(());
        Box::pin(table.restore_expense(member_key, id, &body, &once)).await.map(|_| ())
    }))
    .await
}

async fn logged<T>(work: impl Future<Output = T>) -> (T, Value) {
    let log = Log::default();
    let lines = log.clone();
    let subscriber = tracing_subscriber::fmt().json().with_writer(move || lines.clone());
    let done = work.with_subscriber(subscriber.finish()).await;
    (done, serde_json::from_str(log.text().trim()).unwrap())
}

#[tokio::test]
async fn work_acts_for_a_member_and_writes_one_line() {
    let group = Group::new(3, "EUR").await;
    let expense = group.spend(1, json!({ "amount": 30 })).await;
    let path = group.path(&format!("/expenses/{}", expense["id"].as_str().unwrap()));
    group.members[1].delete(&path).await.data(200);

    let (done, line) = restore(&group, &expense, 1).await;
    done.unwrap();
    let fields = &line["fields"];
    assert_eq!((&line["level"], &fields["message"]), (&json!("INFO"), &json!("work done")));
    assert_eq!(fields["operation"], "restore-due");
    assert_eq!(fields["group_id"], json!(group.id));
    assert!(fields["requests"].as_u64() > Some(1), "{line}");
    assert!(fields["write_units"].as_f64() > Some(1.0), "{line}");
    assert!(fields["duration_ms"].is_u64(), "{line}");
    let history = group.members[0].pages(&format!("{path}/history"), 10).await;
    assert_eq!(history[0]["actorId"], "2", "{}", history[0]);
    group.verify().await;
}

#[tokio::test]
async fn work_for_a_user_who_left_is_refused_and_changes_nothing() {
    let group = Group::new(3, "EUR").await;
    let expense = group.spend(1, json!({ "amount": 30 })).await;
    let path = group.path(&format!("/expenses/{}", expense["id"].as_str().unwrap()));
    group.members[1].delete(&path).await.data(200);
    group.members[1].post(&group.path("/leave"), json!({})).await.data(200);
    let before = group.api.rows().await;

    let (done, line) = restore(&group, &expense, 1).await;
    assert!(matches!(done, Err(Error::Left)), "{done:?}");
    assert_eq!(
        (&line["level"], &line["fields"]["message"]),
        (&json!("WARN"), &json!("work refused"))
    );
    assert_eq!(line["fields"]["cause"], "the caller has left the group, and may join it again");
    assert_eq!(group.api.rows().await, before);
}

#[tokio::test]
async fn work_ends_at_its_deadline() {
    let (done, line) = logged(work("wait", None, Duration::from_millis(20), async {
        pending::<()>().await;
        Ok(())
    }))
    .await;
    assert!(matches!(done, Err(Error::Unavailable(_))), "{done:?}");
    let fields = &line["fields"];
    assert_eq!((&line["level"], &fields["message"]), (&json!("ERROR"), &json!("work failed")));
    assert_eq!((&fields["kind"], &fields["operation"]), (&json!("UNAVAILABLE"), &json!("wait")));
    assert_eq!(fields["group_id"], Value::Null);
}
