//! The binary: its options, output and exit codes.

#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{self, Command, Output},
};

use fracti_core::{
    group::{Group, MemberKey, NewGroup},
    input::{Draft, Field},
    ledger::{Ledger, balance::Balance},
    records::import::guest_id,
    storage::{
        keys::{self, Primary},
        row::{self, AttributeValue},
    },
    values::id::GroupId,
};
use fracti_runtime::Clock;
use fracti_store::{Idempotency, Outcome, Table, to_sdk};
use fracti_tests::{
    client::user,
    database::{Database, TABLE},
};
use tokio::task::spawn_blocking;

fn command(database: &Database, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fracti-admin"));
    command.args(arguments).args(["--table", TABLE, "--endpoint", database.endpoint()]);
    command.env("AWS_ACCESS_KEY_ID", database.access_key_id());
    command.env("AWS_SECRET_ACCESS_KEY", "local").env("AWS_REGION", "local");
    command
}

async fn run(database: &Database, arguments: &[&str]) -> Output {
    let mut command = command(database, arguments);
    spawn_blocking(move || command.output().unwrap()).await.unwrap()
}

#[test]
fn help_names_the_variables() {
    let help = Command::new(env!("CARGO_BIN_EXE_fracti-admin")).arg("--help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    for name in ["ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN", "PROFILE", "REGION"] {
        assert!(help.contains(&format!("AWS_{name}")), "{name}: {help}");
    }
    assert!(help.contains("AWS_ENDPOINT_URL_DYNAMODB"), "{help}");
}

#[tokio::test(flavor = "multi_thread")]
async fn verify_reports_on_standard_output_and_in_its_exit_code() {
    let database = Database::start().await;
    let verified = run(&database, &["verify"]).await;
    let output = String::from_utf8(verified.stdout).unwrap();
    assert_eq!(verified.status.code(), Some(0));
    assert!(output.starts_with("0 groups verified, 0 of them with a finding\n"), "{output}");

    // A group whose ledger counts an expense that does not exist.
    let group: GroupId = "550e8400-e29b-41d4-a716-446655440000".parse().unwrap();
    let ledger = Ledger { version: 1, expense_count: 1, ..Ledger::default() };
    let balance = row::to_item(&Balance { group_id: group, ledger }).unwrap();
    for row in [keys::group(group).item(), balance] {
        let put = database.client.put_item().table_name(TABLE).set_item(Some(to_sdk(row)));
        put.send().await.unwrap();
    }
    let verified = run(&database, &["verify", "--rate", "1000"]).await;
    let output = String::from_utf8(verified.stdout).unwrap();
    let error = String::from_utf8_lossy(&verified.stderr);
    assert_eq!(verified.status.code(), Some(1), "{output}{error}");
    assert!(output.starts_with(&format!("group {group}: ")), "{output}");

    let refused = run(&database, &["verify", "--group", "no-id"]).await;
    assert_eq!(refused.status.code(), Some(2));
    database.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn funds_are_ended_only_by_operators_of_the_environment() {
    let database = Database::start().await;
    let listed = run(&database, &["funds", "list", "--kind", "topup"]).await;
    assert_eq!((listed.status.code(), listed.stdout), (Some(0), vec![]));
    let id = "01890a5d-ac96-774b-bcce-b302099a8057";
    let void = ["funds", "void", "--user", "2", "--transaction", id, "--as", "4"];
    let mut command = command(&database, &void);
    for (operators, code, text) in [
        ("", 2, "--as must be one of OPERATOR_IDS, and 4 is not"),
        ("1, 44", 2, "--as must be one of OPERATOR_IDS, and 4 is not"),
        ("Dave", 2, "OPERATOR_IDS must be"),
        ("1, 4", 1, "the transaction does not exist"),
    ] {
        command.env("OPERATOR_IDS", operators);
        let Output { status, stdout, stderr } = command.output().unwrap();
        let output = String::from_utf8([stdout, stderr].concat()).unwrap();
        assert_eq!(status.code(), Some(code), "{operators}: {output}");
        assert!(output.contains(text), "{operators}: {output}");
    }
    let verified = run(&database, &["verify-funds"]).await;
    let output = String::from_utf8(verified.stdout).unwrap();
    assert_eq!(
        (verified.status.code(), output.as_str()),
        (Some(0), "0 users verified, 0 of them with a finding\n")
    );
    database.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_table_is_named_and_nothing_is_reported() {
    let database = Database::start().await;
    let refused = run(&database, &["verify", "--table", "Other"]).await;
    assert_eq!(refused.status.code(), Some(2));
    assert!(refused.stdout.is_empty());
    database.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn migration_says_in_its_exit_code_whether_it_left_anomalies() {
    let database = Database::start().await;
    let clean = run(&database, &["migrate"]).await;
    assert_eq!(clean.status.code(), Some(0), "{clean:?}");
    // A row of a group that does not exist.
    let key = Primary {
        pk: "GROUP#550e8400-e29b-41d4-a716-446655440000".to_owned(),
        sk: "TX#".to_owned(),
    };
    let put = database.client.put_item().table_name(TABLE).set_item(Some(to_sdk(key.item())));
    put.send().await.unwrap();
    for arguments in [&["migrate", "--dry-run"] as &[_], &["migrate", "--rate", "1000"]] {
        let migrated = run(&database, arguments).await;
        let output = String::from_utf8(migrated.stdout).unwrap();
        assert_eq!(migrated.status.code(), Some(1), "{output}");
        assert!(
            output.starts_with("row GROUP#550e8400-e29b-41d4-a716-446655440000 TX#: "),
            "{output}"
        );
    }
    let contradiction = ["migrate", "--dry-run", "--state", "state.json"];
    assert_eq!(run(&database, &contradiction).await.status.code(), Some(2));
    database.stop().await;
}

/// A group that was created by the user 1.
async fn group(database: &Database) -> Group {
    let new = NewGroup {
        title: Field::Value("Alps".parse().unwrap()),
        chat_id: Field::Value("-100".parse().unwrap()),
        currency: Field::Absent,
    };
    let once = Idempotency::own_work("create-group", Clock::system().now());
    let table = Table::new(database.client.clone(), TABLE);
    let made = table.create_group(&Draft::valid(new), &user(1, "Anna"), &once).await;
    match made.unwrap() {
        Outcome::Done(group) => group,
        Outcome::Replayed(_) => unreachable!("the request has no idempotency key"),
    }
}

/// A file of this run of the tests.
fn temporary(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fracti-{}-{name}", process::id()))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_import_ends_when_one_of_its_members_leaves() {
    let database = Database::start().await;
    let group = group(&database).await.id;
    let file = temporary("long.csv");
    let members = temporary("long.json");
    let row = |row: usize| format!("2025-01-02,Tea {row},General,2.00,EUR,1.00,-1.00\n");
    let rows = (0..1_100).map(row).collect::<Vec<_>>().concat();
    let header = "Date,Description,Category,Cost,Currency,Anna,Bob\n\n";
    let total = "\n2026-01-15,Total balance, , ,EUR,1100.00,-1100.00\n";
    fs::write(&file, format!("{header}{rows}{total}")).unwrap();
    fs::write(&members, r#"{"Anna":"1","Bob":"new guest"}"#).unwrap();
    let [path, names] = [&file, &members].map(|path| path.to_str().unwrap());
    let id = group.to_string();
    let import = ["import", path, "--group", &id, "--as", "1", "--members", names];
    let running = run(&database, &import);

    // After the first rows, the row of the guest says that they were removed, as it does some time
    // after a removal: only later does the balance row forget it. An earlier release has added the
    // guest, who does not come back.
    let table = Table::new(database.client.clone(), TABLE);
    let member_key = MemberKey { group, user: "1".parse().unwrap() };
    let guest = guest_id(group, &"Bob".parse().unwrap());
    let key = to_sdk(keys::member(group, guest.into()).item());
    let at = AttributeValue::S("2026-01-15T12:00:00.000Z".to_owned());
    let values = to_sdk([(":at".to_owned(), at)].into());
    let remove = async {
        loop {
            let imports = table.imports(member_key).await.unwrap();
            if imports.first().is_some_and(|import| import.expenses > 0) {
                break;
            }
            tokio::task::yield_now().await;
        }
        let update = database.client.update_item().table_name(TABLE).set_key(Some(key));
        let update = update.update_expression("SET removedAt = :at REMOVE importId");
        update.set_expression_attribute_values(Some(values)).send().await.unwrap();
    };
    tokio::pin!(running);
    tokio::select! {
        ended = &mut running => panic!("it ended before the removal: {ended:?}"),
        () = remove => {}
    }
    let Output { status, stderr, .. } = running.await;
    let error = String::from_utf8_lossy(&stderr);
    assert_eq!(status.code(), Some(2), "{error}");
    assert!(error.contains("members must be present"), "{error}");
    let imports = table.imports(member_key).await.unwrap();
    // The members are read again after 500 rows and the rest of a transaction.
    assert!((500..600).contains(&imports[0].expenses), "{imports:?}");
    for file in [path, names] {
        fs::remove_file(file).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_imported_once_and_only_if_every_name_is_a_member() {
    let database = Database::start().await;
    let id = group(&database).await.id.to_string();
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let file = root.join("../../tests/fixtures/import/splitwise.csv");
    let members = temporary("members.json");
    let json = r#"{"Anna Smith":"1","O'Neil, Bob":"new guest","Zoë \"Zed\" Ünal":"new guest",
        "דנה כהן":"new guest"}"#;
    fs::write(&members, json).unwrap();
    let [file, members] = [&file, &members].map(|path| path.to_str().unwrap());
    let import = ["import", file, "--group", &id, "--as", "1"];
    let with = |more: &[&'static str]| -> Vec<String> {
        let named = ["--members", members];
        import.iter().chain(&named).chain(more).map(|it| (*it).to_owned()).collect()
    };
    let output = async |arguments: &[String]| {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let Output { status, stdout, stderr } = run(&database, &arguments).await;
        let output = String::from_utf8(stdout).unwrap() + &String::from_utf8_lossy(&stderr);
        (status.code(), output)
    };
    let (code, refused) = output(&import.map(str::to_owned)).await;
    assert_eq!(code, Some(1), "{refused}");
    assert!(refused.starts_with("members[\"Anna Smith\"] is required\n"), "{refused}");
    let (code, checked) = output(&with(&["--dry-run"])).await;
    assert_eq!(
        (code, checked.as_str()),
        (
            Some(0),
            "10 expenses, 1 settlement, 0 adjustments and 3 guests would be recorded; already there: 0\n"
        )
    );
    for [recorded, there] in [
        ["recorded 10 expenses, 1 settlement, 0 adjustments and 3 guests", "already there: 0"],
        ["recorded 0 expenses, 0 settlements, 0 adjustments and 0 guests", "already there: 11"],
    ] {
        let (code, done) = output(&with(&["--rate", "100000"])).await;
        assert_eq!(code, Some(0), "{done}");
        assert!(done.contains(recorded) && done.contains(there), "{done}");
    }
    let (code, verified) = output(&["verify".to_owned()]).await;
    assert_eq!(code, Some(0));
    assert!(verified.starts_with("1 group verified, 0 of them with a finding\n"), "{verified}");
    let stranger = ["import", file, "--group", &id, "--as", "2"].map(str::to_owned);
    let (code, refused) = output(&stranger).await;
    assert_eq!(code, Some(2), "{refused}");
    fs::remove_file(members).unwrap();
    database.stop().await;
}
