//! The runbooks of docs/operations.md, run as they are printed, over stand-ins for AWS.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use aws_sdk_dynamodb::types::AttributeValue;
use fracti_core::storage::keys;
use fracti_local::fake_telegram::FakeTelegram;
use fracti_runtime::Clock;
use fracti_tests::{
    database::{Database, TABLE},
    harness::{Api, Group},
};
use serde_json::json;
use tokio::{net::TcpListener, task::spawn_blocking};

use crate::binary;

const PAGE: &str = include_str!("../../docs/operations.md");

/// Headings whose commands are no runbooks of an operator: they need Docker or an edge of one's
/// own, or print the costs.
const OTHERS: [&str; 3] = ["Run the functions locally", "Costs", "Floods"];

/// The shell commands of the page: each block with its heading, in the order of the page.
fn blocks() -> Vec<(&'static str, String)> {
    let mut blocks = Vec::new();
    let mut heading = "";
    let mut is_in_block = false;
    for line in PAGE.lines() {
        match line {
            "```sh" => {
                blocks.push((heading, String::new()));
                is_in_block = true;
            }
            "```" => is_in_block = false,
            line if is_in_block => {
                let (_, block) = blocks.last_mut().unwrap();
                block.push_str(line);
                block.push('\n');
            }
            line if line.starts_with('#') => heading = line.trim_start_matches(['#', ' ']),
            _ => {}
        }
    }
    blocks
}

/// A shell in which the blocks are run, one after the other.
struct Shell {
    directory: PathBuf,
    variables: Vec<(&'static str, String)>,
}

impl Shell {
    fn of(database: &Database) -> Self {
        let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("runbooks");
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir_all(directory.join("state")).unwrap();
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let standins = root.join("lambda/standins");
        let path = std::env::var("PATH").unwrap();
        let text = |path: PathBuf| path.to_str().unwrap().to_owned();
        let variables = vec![
            ("PATH", format!("{}:{path}", standins.display())),
            ("STANDINS_STATE", text(directory.join("state"))),
            ("STANDINS_TEMPLATE", text(root.join("../template.yaml"))),
            ("STANDINS_TABLE", TABLE.to_owned()),
            ("STANDINS_ADMIN", binary("admin")),
            ("AWS_ENDPOINT_URL_DYNAMODB", database.endpoint().to_owned()),
            ("AWS_ACCESS_KEY_ID", database.access_key_id().to_owned()),
            ("AWS_SECRET_ACCESS_KEY", "local".to_owned()),
            ("AWS_REGION", "local".to_owned()),
            ("TELEGRAM_BOT_TOKEN", "42:token".to_owned()),
        ];
        Self { directory, variables }
    }

    fn set(&mut self, name: &'static str, value: &str) {
        self.variables.retain(|(known, _)| *known != name);
        self.variables.push((name, value.to_owned()));
    }

    /// Runs a block, in which a finding, the exit code 1, is no failure, and returns its output.
    /// What it exports stays for the next ones.
    async fn run(&mut self, block: &str) -> String {
        let names =
            block.lines().filter_map(|line| line.strip_prefix("export ")?.split('=').next());
        let names: Vec<&'static str> = names
            .map(|name| ["TABLE_NAME", "OPERATOR_IDS"].into_iter().find(|it| *it == name).unwrap())
            .collect();
        let exported = names.iter().map(|name| format!("echo \"EXPORTED {name}=${name}\"\n"));
        let exported: String = exported.collect();
        let script =
            format!("set -o pipefail; trap '[ $? -lt 2 ] || exit 9' ERR\n{block}\n{exported}");
        let mut shell = Command::new("bash");
        shell.args(["-c", &script]).current_dir(&self.directory);
        shell.env_remove("TABLE_NAME").env_remove("OPERATOR_IDS");
        shell.envs(self.variables.iter().map(|(name, value)| (name, value)));
        let output = spawn_blocking(move || shell.output().unwrap()).await.unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code().is_some_and(|code| code < 2), "{block}\n{text}{error}");
        for name in names {
            let start = format!("EXPORTED {name}=");
            let value = text.lines().find_map(|line| line.strip_prefix(&start)).unwrap();
            self.set(name, value);
        }
        format!("{text}{error}")
    }

    fn calls(&self) -> String {
        fs::read_to_string(self.directory.join("state/calls")).unwrap()
    }
}

/// A group with a v0 row that cannot be read, whose sort key is returned.
async fn with_broken_row(api: &Api) -> (Group, String) {
    let group = Group::of(api, 2, "EUR").await;
    group.spend(0, json!({ "amount": 12 })).await;
    let rows = api.rows().await;
    let is_expense =
        |(pk, sk): &&(String, String)| pk.ends_with(&group.id) && sk.starts_with("TX#");
    let row = rows.get(rows.keys().find(is_expense).unwrap()).unwrap().clone();
    let key = "TX#2024-01-20T18:30:00.000Z".to_owned();
    let text = |text: &str| AttributeValue::S(text.to_owned());
    let id = "660e8400-e29b-41d4-a716-446655440009";
    api.change_row(&format!("GROUP#{}", group.id), &key, |broken| {
        broken.extend(row);
        broken.retain(|name, _| {
            !["formatVersion", "kind", "payerId", "createdBy"].contains(&&**name)
        });
        broken.extend([("SK".to_owned(), text(&key)), ("id".to_owned(), text(id))]);
        broken.insert("createdAt".to_owned(), text("2024-01-20T18:30:00.000Z"));
    })
    .await;
    (group, key)
}

/// A report of a user, which waits for an operator.
async fn reported(api: &Api, group: &Group) -> String {
    let api = api.with_operators(&["987654321"]);
    let report = json!({ "fund": "cash", "currency": "EUR", "amount": "5" });
    let user = api.user(123_456_789, "Alice");
    user.post(&group.path("/join"), json!({})).await.data(200);
    user.post("/api/users/me/funds/credits", report).await.id()
}

/// The programs that runbooks use besides the stand-ins. `.ci/run` installs them.
const PROGRAMS: [&str; 3] = ["bash", "curl", "jq"];

#[tokio::test]
async fn every_runbook_of_the_page_works_as_it_is_printed() {
    let missing = |program: &&&str| Command::new(program).arg("--version").output().is_err();
    if let Some(missing) = PROGRAMS.iter().find(missing) {
        eprintln!("SKIPPED: there is no {missing}");
        return;
    }
    let api = Api::new().await;
    let database = api.database();
    database.create_table("fracti-table-restored").await;
    // The tool has the time of day.
    let now = Clock::system().now().millis() - api.now().millis();
    api.pass(Duration::from_millis(now));
    let (group, broken) = with_broken_row(&api).await;

    let mut shell = Shell::of(database);
    shell.set("GROUP", &group.id);
    fs::copy(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/import/splitwise.csv"),
        shell.directory.join("export.csv"),
    )
    .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let telegram = FakeTelegram::start(listener, "42:token", || Clock::system().now().millis());
    shell.set("TELEGRAM_API_URL", telegram.url());
    shell.set("ApiUrl", "https://fracti.example/");
    let mut ran = 0;
    for (heading, block) in blocks() {
        if OTHERS.contains(&heading) {
            continue;
        }
        if block.contains("$TRANSACTION") {
            shell.set("TRANSACTION", &reported(&api, &group).await);
        }
        let output = shell.run(&block).await;
        assert!(!output.contains("Usage:"), "{output}");
        eprintln!("{block}{output}");
        ran += 1;
    }
    assert!(ran > 15, "{ran}");
    let webhook = telegram.webhook().map(|it| it.url);
    assert_eq!(webhook.as_deref(), Some("https://fracti.example/api/telegram/webhook"));

    // The row that was put back is recorded.
    let rows = api.rows().await;
    let back = &rows[&(keys::group(group.id.parse().unwrap()).pk, broken)];
    assert_eq!(back["payerId"], AttributeValue::S("123456789".to_owned()));
    let calls = shell.calls();
    let restored = calls.find("restore-table-to-point-in-time").unwrap();
    let stopped = calls.find("put-function-concurrency").unwrap();
    let started = calls.rfind("delete-function-concurrency").unwrap();
    let waits = calls.matches("dynamodb wait table-exists").count();
    assert!(stopped < restored && restored < started && waits == 4, "{calls}");
    let left = fs::read_dir(shell.directory.join("state")).unwrap().count();
    assert_eq!(left, 1, "all functions run again");
    for file in ["alps.json", "alps.csv", "repaired.jsonl", "foreseen.json", "done.json"] {
        assert!(shell.directory.join(file).exists(), "{file}");
    }
}
