//! `fracti-admin migrate`, on tables of the TypeScript Fracti.

use std::{
    collections::{BTreeMap, BTreeSet},
    num::NonZeroU16,
    path::{Path, PathBuf},
    pin::pin,
    task::Poll,
    time::Duration,
};

use aws_sdk_dynamodb::types::{
    AttributeValue, DeleteGlobalSecondaryIndexAction, GlobalSecondaryIndexUpdate,
};
use fracti_admin::{Admin, Failure, MigrateOptions, Outcome};
use fracti_core::values::currency::Currency;
use fracti_store::Table;
use fracti_tests::{
    database::TABLE,
    faults::{Fault, Plan, Proxy},
    v0::{V0Group, V0Table},
};
use serde_json::{Value, json};

use super::{admin, file};
use crate::{
    export::exported,
    harness::{Api, number},
    stored_rows::{GROUP, of_v0},
};

type Rows = BTreeMap<(String, String), BTreeMap<String, AttributeValue>>;

/// A table of the TypeScript Fracti, and the API over it.
async fn v0(seed: u64, items: usize) -> (Api, V0Table) {
    let api = Api::new().await;
    let table = V0Table::of(seed, items);
    table.write(&api.client).await;
    (api, table)
}

fn options() -> MigrateOptions {
    let segments = NonZeroU16::new(4).unwrap();
    MigrateOptions { dry_run: false, segments, state: None, report: None }
}

async fn migrate(api: &Api, options: &MigrateOptions) -> (Outcome, String) {
    let mut out = Vec::new();
    let outcome = admin(api).migrate(options, &mut out).await.unwrap();
    (outcome, String::from_utf8(out).unwrap())
}

/// Checks that the balances of a group are those that its v0 rows amount to.
async fn check(api: &Api, id: &str, group: &V0Group) {
    api.verify(id).await;
    let user = api.user(group.user, "Alice");
    let debts = user.get(&format!("/api/groups/{id}/debts")).await.data(200).clone();
    let mut meant = group.balances.clone();
    for node in debts["balances"].as_array().unwrap() {
        for (code, balance) in node["balances"].as_object().unwrap() {
            let currency: Currency = code.parse().unwrap();
            let minor = i128::from(currency.to_minor(number(balance)).unwrap());
            let member = node["id"].as_str().unwrap().to_owned();
            let range = meant.remove(&(currency.code(), member.clone()));
            let range = range.unwrap_or(0..=0);
            assert!(range.contains(&minor), "{id}: {member} has {minor} {code}, not {range:?}");
        }
    }
    assert!(meant.values().all(|range| range.contains(&0)), "{id}: {meant:?} are missing");
    assert_eq!(debts["summary"]["expenseCount"], group.expenses);
    assert_eq!(debts["summary"]["settlementCount"], group.completed);
}

/// Rows without the attributes that depend on how rows were grouped into transactions: the number
/// of writes, and the times at which tallies last changed.
fn comparable(rows: Rows) -> Rows {
    let plain = |mut row: BTreeMap<String, AttributeValue>| {
        row.retain(|name, _| !["version", "updatedAt"].contains(&name.as_str()));
        row
    };
    rows.into_iter().map(|(key, row)| (key, plain(row))).collect()
}

#[tokio::test]
async fn migration_makes_each_group_agree_with_its_rows_and_a_second_run_changes_nothing() {
    let (api, table) = v0(1, 400).await;
    let report = file("report.json");
    let before = api.rows().await;
    let dry = MigrateOptions { dry_run: true, report: Some(report.clone()), ..options() };
    let (outcome, output) = migrate(&api, &dry).await;
    assert_eq!(outcome, Outcome::Bad, "{output}");
    assert_eq!(api.rows().await, before, "a dry run writes nothing");
    let foreseen: Value = serde_json::from_slice(&std::fs::read(&report).unwrap()).unwrap();

    let run = MigrateOptions { report: Some(report.clone()), ..options() };
    let (outcome, output) = migrate(&api, &run).await;
    assert_eq!(outcome, Outcome::Bad, "{output}");
    let reported: Value = serde_json::from_slice(&std::fs::read(&report).unwrap()).unwrap();
    assert_eq!(reported["anomalies"], table.anomalies, "{output}");
    for (id, group) in &table.groups {
        check(&api, id, group).await;
    }
    assert_eq!(reported["groupsVerified"], table.groups.len());
    for name in ["written", "corrections", "anomalies", "groups"] {
        assert_eq!(foreseen[name], reported[name], "{name}");
    }
    let sorted = |report: &Value| {
        let findings = report["findings"].as_array().unwrap().iter();
        let mut findings: Vec<String> = findings.map(Value::to_string).collect();
        findings.sort();
        findings
    };
    assert_eq!(sorted(&foreseen), sorted(&reported));

    let after = api.rows().await;
    let (_, output) = migrate(&api, &run).await;
    assert!(output.contains(": 0 expenses and 0 settlements migrated, 0 corrections"), "{output}");
    let anomalies = output.lines().filter(|line| line.starts_with("row ")).count();
    let kept = output.lines().filter(|line| line.ends_with("is kept")).count();
    assert_eq!(kept, 0, "{output}");
    assert!(anomalies <= table.anomalies, "{output}");
    assert_eq!(api.rows().await, after, "a second run writes nothing");
}

#[tokio::test]
async fn killed_migration_continues_to_the_result_of_one_that_was_not() {
    let (whole, table) = v0(2, 200).await;
    let undisturbed = file("undisturbed.json");
    migrate(&whole, &MigrateOptions { report: Some(undisturbed.clone()), ..options() }).await;
    let (api, _) = v0(2, 200).await;
    let state = file("state.json");
    let report = file("killed.json");
    let run =
        MigrateOptions { state: Some(state.clone()), report: Some(report.clone()), ..options() };
    let mut part = report.clone().into_os_string();
    part.push(".part");
    let mut recorded: Vec<String> = Vec::new();
    let mut random = fastrand::Rng::with_seed(2);
    let mut killed = 0;
    for _ in 0..10 {
        let mut out = Vec::new();
        let mut admin = admin(&api);
        let mut running = pin!(admin.migrate(&run, &mut out));
        let mut polls = random.usize(1..40);
        // The future is dropped while requests are under way, which may still be served.
        let ended = std::future::poll_fn(|context| match polls.checked_sub(1) {
            None => Poll::Ready(None),
            Some(left) => {
                polls = left;
                running.as_mut().poll(context).map(Some)
            }
        });
        killed += usize::from(ended.await.is_none());
        let lines = std::fs::read_to_string(&part).unwrap_or_default();
        let whole = lines.lines().skip(1).map(|line| line.trim_end_matches(','));
        recorded.extend(whole.filter(|line| line.ends_with('}')).map(str::to_owned));
    }
    assert!(killed > 5, "{killed}");
    assert!(!recorded.is_empty());
    migrate(&api, &run).await;
    let reported = std::fs::read_to_string(&report).unwrap();
    let lost: Vec<_> = recorded.iter().filter(|line| !reported.contains(*line)).collect();
    assert!(lost.is_empty(), "{lost:?}");
    let findings = |text: &str| {
        let json: Value = serde_json::from_str(text).unwrap();
        let findings = json["findings"].as_array().unwrap().iter();
        findings.map(ToString::to_string).collect::<BTreeSet<_>>()
    };
    let undisturbed = std::fs::read_to_string(&undisturbed).unwrap();
    let missing: Vec<_> =
        findings(&undisturbed).difference(&findings(&reported)).cloned().collect();
    assert!(missing.is_empty(), "{missing:?}");
    let json: Value = serde_json::from_str(&reported).unwrap();
    let listed = json["findings"].as_array().unwrap().len() as u64;
    assert_eq!(listed, json["corrections"].as_u64().unwrap() + json["anomalies"].as_u64().unwrap());
    assert!(!state.exists(), "the state of a complete run is deleted");
    for (id, group) in &table.groups {
        check(&api, id, group).await;
    }
    let rows = comparable(api.rows().await);
    let mut others = comparable(whole.rows().await);
    for (key, row) in rows {
        assert_eq!(Some(row), others.remove(&key), "{key:?}");
    }
    assert_eq!(others, Rows::new());
}

#[tokio::test]
async fn api_writes_during_the_migration_are_kept_and_none_is_doubled() {
    let (api, table) = v0(3, 150).await;
    let groups: Vec<(&String, &V0Group)> = table.groups.iter().collect();
    let writes = async {
        for (id, group) in &groups {
            let user = api.user(group.user, "Alice");
            let expense = json!({ "amount": 1, "currency": "JPY", "description": "Tea",
                "splits": [{ "userId": user.id }] });
            loop {
                let reply = user.post(&format!("/api/groups/{id}/expenses"), expense.clone()).await;
                if reply.status == 201 {
                    break;
                }
                assert_eq!(reply.code(), (409, "NOT_MIGRATED"));
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
    };
    let one = api.another();
    let other = api.another();
    let run = options();
    tokio::join!(writes, migrate(&one, &run), migrate(&other, &run));
    for (id, group) in groups {
        let with_tea = V0Group { expenses: group.expenses + 1, ..group.clone() };
        check(&api, id, &with_tea).await;
    }
}

#[tokio::test]
async fn missing_index_is_added_and_a_table_without_anomalies_is_good() {
    let api = of_v0().await;
    let group = format!("GROUP#{GROUP}");
    for (key, attribute) in
        [("USER#123456789", "wallet"), ("SETTLE#2024-01-21T10:00:00.000Z", "txHash")]
    {
        api.change_row(&group, key, |row| drop(row.remove(attribute))).await;
    }
    let delete = DeleteGlobalSecondaryIndexAction::builder().index_name("GSI3").build().unwrap();
    let delete = GlobalSecondaryIndexUpdate::builder().delete(delete).build();
    let update = api.client.update_table().table_name(TABLE);
    update.global_secondary_index_updates(delete).send().await.unwrap();
    let report = file("index.json");
    let run = MigrateOptions { report: Some(report.clone()), ..options() };
    let (outcome, output) = migrate(&api, &run).await;
    assert_eq!(outcome, Outcome::Good, "{output}");
    assert!(output.starts_with("1 groups with v0 rows: 1 expenses and 1 settlements"), "{output}");
    let report: Value = serde_json::from_slice(&std::fs::read(&report).unwrap()).unwrap();
    assert_eq!((&report["indexAdded"], &report["groupsVerified"]), (&json!(true), &json!(1)));
    let alice = api.user(123_456_789, "Alice Smith");
    let paid = alice.get("/api/users/me/expenses").await.data(200).clone();
    assert_eq!(paid[0]["yourShare"], 25);
    api.verify(GROUP).await;
}

#[tokio::test]
async fn lost_and_late_responses_change_nothing_about_the_result() {
    let table = V0Table::of(5, 120);
    let proxy = Proxy::start(Plan { seed: 5, per_mille: 80, lag: 0 }).await;
    table.write(&proxy.client).await;
    let api = Api::new().await.behind(&proxy);
    proxy.start_faults();
    let mut out = Vec::new();
    let mut admin = Admin::new(Table::new(proxy.client(0), TABLE), None);
    let migrated = admin.migrate(&options(), &mut out).await;
    proxy.stop_faults().await;
    let output = String::from_utf8(out).unwrap();
    assert!(matches!(migrated, Ok(Outcome::Good | Outcome::Bad)), "{migrated:?}: {output}");
    for (id, group) in &table.groups {
        check(&api, id, group).await;
    }
}

/// The commands that write, each of whose steps meets a table that throttles.
#[tokio::test]
async fn every_step_waits_while_the_table_throttles() {
    let proxy = Proxy::start(Plan::none()).await;
    V0Table::of(5, 60).write(&proxy.client).await;
    let mut admin = Admin::new(Table::new(proxy.client(0), TABLE), None);
    // The SDK repeats a request four times.
    let throttle = || {
        for operation in ["Scan", "Query", "GetItem", "TransactWriteItems", "DescribeTable"] {
            proxy.force(operation, [Fault::Throttle; 6]);
        }
    };
    let out = &mut Vec::new();
    throttle();
    admin.migrate(&options(), out).await.unwrap();
    throttle();
    admin.date_expenses(None, false, out).await.unwrap();
    throttle();
    admin.index_dates(None, false, out).await.unwrap();
    throttle();
    admin.standardise(false, out).await.unwrap();
    throttle();
    admin.verify(None, out).await.unwrap();
    let output = String::from_utf8(std::mem::take(out)).unwrap();
    assert!(!output.contains("left as") && !output.contains("not be verified"), "{output}");
}

#[tokio::test]
async fn damaged_groups_stop_no_other_and_each_refusal_names_its_group() {
    let (api, first) = v0(20, 40).await;
    migrate(&api, &options()).await;
    // Of a migrated group, an entry is lost, and its TypeScript Fracti goes on.
    let (lost, group) = first.groups.iter().next().unwrap();
    let user = api.user(group.user, "Alice");
    let expense = json!({ "amount": 1, "currency": "JPY", "description": "Tea",
        "splits": [{ "userId": user.id }] });
    user.post(&format!("/api/groups/{lost}/expenses"), expense).await.data(201);
    let mut groups = BTreeMap::new();
    for seed in 21..27 {
        let table = V0Table::of(seed, 40);
        table.write(&api.client).await;
        groups.extend(table.groups);
    }
    let ids: Vec<&String> = groups.keys().collect();
    let [unreadable, other, whole @ ..] = &ids[..] else { panic!("{}", ids.len()) };
    let rows = api.rows().await;
    let entries = format!("LEDGER#{lost}#ENTRY#");
    let (pk, sk) = rows.keys().find(|(pk, _)| pk.starts_with(&entries)).unwrap();
    api.delete_row(pk, sk).await;
    api.change_row(&format!("GROUP#{lost}"), "TX#2030-01-01T00:00:00.000Z", |_| ()).await;
    let text = AttributeValue::S("x".to_owned());
    api.change_row(&format!("LEDGER#{unreadable}"), "BALANCE", |row| {
        row.insert("version".to_owned(), text.clone());
    })
    .await;
    api.change_row(&format!("GROUP#{other}"), "METADATA", |row| {
        row.insert("currency".to_owned(), text.clone());
    })
    .await;
    let report = file("damaged.json");
    let run = MigrateOptions { report: Some(report.clone()), ..options() };
    let (outcome, output) = migrate(&api, &run).await;
    assert_eq!(outcome, Outcome::Bad, "{output}");
    for found in [
        format!("row {pk} {sk}: is missing"),
        format!("row GROUP#{unreadable} METADATA: "),
        format!("the row LEDGER#{unreadable} BALANCE: a row of kind balance cannot be read"),
    ] {
        assert!(output.contains(&found), "{found}: {output}");
    }
    assert!(output.contains(&format!("row GROUP#{other}")), "{output}");
    let report: Value = serde_json::from_slice(&std::fs::read(&report).unwrap()).unwrap();
    assert_eq!(report["groupsRefused"], 0);
    assert!(whole.len() > 2, "{}", whole.len());
    for id in whole {
        check(&api, id, &groups[*id]).await;
    }
}

#[tokio::test]
async fn report_to_a_device_is_written_to_it() {
    let api = of_v0().await;
    for (device, is_full) in [("/dev/null", false), ("/dev/full", true)] {
        let report = Some(PathBuf::from(device));
        let run = MigrateOptions { dry_run: true, report, ..options() };
        let migrated = admin(&api).migrate(&run, &mut Vec::new()).await;
        let is_refused = matches!(migrated, Err(Failure::File(..)));
        assert_eq!(is_refused, is_full, "{device}: {migrated:?}");
        assert!(!Path::new(device).is_file(), "{device}");
        assert!(!PathBuf::from(format!("{device}.part")).exists(), "{device}");
    }
    let state = Some(PathBuf::from("/dev/null"));
    let refused =
        admin(&api).migrate(&MigrateOptions { state, ..options() }, &mut Vec::new()).await;
    assert!(matches!(refused, Err(Failure::State(_))), "{refused:?}");
    assert!(!Path::new("/dev/null").is_file());
}

#[tokio::test]
async fn file_that_is_no_state_of_a_migration_is_refused() {
    let api = Api::new().await;
    let state = file("other.json");
    std::fs::write(&state, "[]").unwrap();
    let run = MigrateOptions { state: Some(state), ..options() };
    let refused = admin(&api).migrate(&run, &mut Vec::new()).await;
    assert!(matches!(refused, Err(Failure::State(_))), "{refused:?}");
    let other = json!({ "table": "OtherTable", "segments": [{ "done": true }] });
    std::fs::write(run.state.as_ref().unwrap(), other.to_string()).unwrap();
    let refused = admin(&api).migrate(&run, &mut Vec::new()).await;
    assert!(matches!(refused, Err(Failure::OtherTable(_, _))), "{refused:?}");
}

/// The seed's table with a second settlement, which is pending and older. The first one has this
/// status.
async fn with_settlements(status: &str) -> Api {
    let api = of_v0().await;
    let group = format!("GROUP#{GROUP}");
    let [older, first] = ["2024-01-19", "2024-01-21"].map(|day| format!("{day}T10:00:00.000Z"));
    let text = |text: &str| AttributeValue::S(text.to_owned());
    let mut row = api.rows().await.remove(&(group.clone(), format!("SETTLE#{first}"))).unwrap();
    row.retain(|name, _| !name.starts_with("GSI") && name != "completedAt" && name != "txHash");
    row.extend([("status".to_owned(), text("pending")), ("createdAt".to_owned(), text(&older))]);
    row.insert("id".to_owned(), text("770e8400-e29b-41d4-a716-446655440003"));
    row.insert("SK".to_owned(), text(&format!("SETTLE#{older}")));
    api.change_row(&group, &format!("SETTLE#{older}"), |stored| *stored = row).await;
    api.change_row(&group, &format!("SETTLE#{first}"), |row| {
        row.insert("status".to_owned(), text(status));
        if status != "completed" {
            row.remove("completedAt");
        }
    })
    .await;
    api
}

/// Deletes the expense of the seed's table.
async fn without_expense(api: &Api) {
    for key in
        ["TX#2024-01-20T18:30:00.000Z", "PART#660e8400-e29b-41d4-a716-446655440001#987654321"]
    {
        api.delete_row(&format!("GROUP#{GROUP}"), key).await;
    }
}

/// The statuses of the settlements that a debts view subtracts, and of those that an export has
/// besides its entries.
async fn open_settlements(api: &Api) -> [Vec<String>; 2] {
    let alice = api.user(123_456_789, "Alice Smith");
    let debts = alice.get(&format!("/api/groups/{GROUP}/debts?pending=subtract")).await;
    let export = exported(&alice, GROUP, 1).await;
    [&debts.data(200)["pending"], &export["settlements"]].map(|list| {
        let statuses = list.as_array().unwrap().iter().map(|it| it["status"].as_str().unwrap());
        statuses.map(str::to_owned).collect()
    })
}

#[tokio::test]
async fn readers_right_after_the_migration_see_each_settlement_once() {
    for (status, subtracted, exported_ones) in [
        ("completed", vec!["pending"], vec!["pending"]),
        ("pending", vec!["pending", "pending"], vec!["pending", "pending"]),
        ("failed", vec!["pending"], vec!["pending", "failed"]),
    ] {
        for has_expense in [true, false] {
            let api = with_settlements(status).await;
            if !has_expense {
                without_expense(&api).await;
            }
            migrate(&api, &options()).await;
            let [debts, export] = open_settlements(&api).await;
            assert_eq!(debts, subtracted, "{status}, {has_expense}");
            assert_eq!(export, exported_ones, "{status}, {has_expense}");
            // The last write was on the day after the expense.
            let closing = (format!("LEDGER#{GROUP}"), "DAY#2024-01-20".to_owned());
            assert_eq!(api.rows().await.contains_key(&closing), has_expense, "{status}");
            api.verify(GROUP).await;
        }
    }
}

#[tokio::test]
async fn pending_settlement_that_a_second_run_migrates_keeps_its_parties_from_leaving() {
    let api = with_settlements("failed").await;
    without_expense(&api).await;
    let group = format!("GROUP#{GROUP}");
    let key = "SETTLE#2024-01-19T10:00:00.000Z";
    let mut amount = None;
    api.change_row(&group, key, |row| amount = row.remove("amount")).await;
    migrate(&api, &options()).await;
    api.change_row(&group, key, |row| drop(row.insert("amount".to_owned(), amount.unwrap()))).await;
    migrate(&api, &options()).await;
    let [debts, export] = open_settlements(&api).await;
    assert_eq!(
        (debts, export),
        (vec!["pending".to_owned()], vec!["pending".to_owned(), "failed".to_owned()])
    );
    let alice = api.user(123_456_789, "Alice Smith");
    let leave = alice.post(&format!("/api/groups/{GROUP}/leave"), json!({})).await;
    assert_eq!(leave.status, 409, "{}", leave.text);
}

/// The anomalies in a report, each as its row and its text.
fn anomalies(report: &Path) -> Vec<String> {
    let report: Value = serde_json::from_slice(&std::fs::read(report).unwrap()).unwrap();
    let findings = report["findings"].as_array().unwrap().iter();
    let found = findings.filter(|finding| !finding["anomaly"].is_null()).map(Value::to_string);
    found.collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn runs_at_once_report_the_anomalies_that_one_run_reports() {
    for seed in 6..9 {
        let (one, _) = v0(seed, 250).await;
        let report = file(&format!("one-{seed}.json"));
        migrate(&one, &MigrateOptions { report: Some(report.clone()), ..options() }).await;
        let expected: BTreeSet<String> = anomalies(&report).into_iter().collect();

        let (api, _) = v0(seed, 250).await;
        let reports: Vec<_> = (0..8).map(|nth| file(&format!("run-{seed}-{nth}.json"))).collect();
        let runs = reports.iter().map(|report| {
            let api = api.another();
            let report = Some(report.clone());
            tokio::spawn(
                async move { migrate(&api, &MigrateOptions { report, ..options() }).await },
            )
        });
        for run in runs.collect::<Vec<_>>() {
            run.await.unwrap();
        }
        let mut all = BTreeSet::new();
        for report in &reports {
            let found = anomalies(report);
            let unique: BTreeSet<String> = found.iter().cloned().collect();
            assert_eq!(unique.len(), found.len(), "{found:?}");
            all.extend(unique);
        }
        assert_eq!(all, expected);
    }
}
