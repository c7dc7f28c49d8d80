//! The data file of the local server: killed first starts, and files of other programs.

#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]

use std::{
    fs,
    io::{BufRead, BufReader, Lines},
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, Stdio},
    time::Duration,
};

use aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, KeySchemaElement, KeyType, ScalarAttributeType,
};
use fracti_local::{Engine, schema::Schema};
use fracti_runtime::local_dynamodb;
use tokio::net::TcpListener;

/// First starts that are killed.
const KILLS: u64 = 40;

/// Time between the moments of two kills; a start takes about a hundred of these.
const STEP: Duration = Duration::from_millis(4);

/// An empty directory for a test.
fn directory(name: &str) -> PathBuf {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).unwrap();
    directory
}

fn server(file: &Path) -> Command {
    let mut server = Command::new(env!("CARGO_BIN_EXE_fracti-local"));
    server.args(["--port", "0", "--dynamodb-port", "0", "--data"]).arg(file);
    server.env_remove("TELEGRAM_BOT_TOKEN").env_remove("TABLE_NAME");
    server.stdout(Stdio::piped()).stderr(Stdio::piped());
    server
}

/// A running server, which is killed when it is dropped.
struct Server {
    process: Child,
    /// The address of its engine.
    address: String,
    /// Its output, which is not closed while it runs.
    _lines: Lines<BufReader<ChildStdout>>,
}

impl Server {
    fn start(file: &Path) -> Self {
        let mut process = server(file).spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let address = lines.by_ref().map(Result::unwrap).find_map(|line| {
            let address = line.strip_prefix("dynamodb ")?;
            Some(address.to_owned())
        });
        Self { process, address: address.unwrap(), _lines: lines }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// An engine over a file.
async fn engine(file: &Path) -> Engine {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    Engine::start(listener, Some(file)).unwrap()
}

/// Whether the rows of the table have a time to live.
async fn expires(address: &str) -> bool {
    let client = local_dynamodb(address);
    let described = client.describe_time_to_live().table_name("FractiTable").send().await.unwrap();
    described.time_to_live_description.unwrap().attribute_name.as_deref() == Some("ttl")
}

#[tokio::test]
async fn a_first_start_that_is_killed_leaves_no_broken_file() {
    let directory = directory("killed");
    let mut whole = 0;
    for kill in 0..KILLS {
        let file = directory.join(format!("{kill}.sqlite"));
        let mut child = server(&file).spawn().unwrap();
        tokio::time::sleep(STEP * u32::try_from(kill).unwrap()).await;
        child.kill().unwrap();
        child.wait().unwrap();
        let Ok(found) = fs::metadata(&file) else { continue };
        assert!(found.len() > 0);
        whole += 1;
        assert!(expires(&Server::start(&file).address).await, "killed after {kill} steps");
    }
    assert!(whole < KILLS, "no start was killed before its file was made");
    for kill in 0..KILLS {
        assert!(expires(&Server::start(&directory.join(format!("{kill}.sqlite"))).address).await);
    }
    assert_eq!(parts(&directory), Vec::<String>::new(), "what the killed ones left is removed");
}

/// Names of the files that are not whole.
fn parts(directory: &Path) -> Vec<String> {
    let names = fs::read_dir(directory).unwrap().map(|it| it.unwrap().file_name());
    let names = names.map(|name| name.into_string().unwrap());
    names.filter(|name| name.contains(".part")).collect()
}

/// Limits of the size of a file, in KiB: as if the disk had no more room.
const ROOM: std::ops::RangeInclusive<u64> = 4..=300;

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_first_start_on_a_full_disk_leaves_no_file() {
    let directory = directory("full");
    let mut refused = 0;
    let mut started = 0;
    for room in ROOM.step_by(8) {
        let file = directory.join(format!("{room}.sqlite"));
        let program = server(&file);
        // Without a handler of the signal, a write beyond the limit fails as on a full disk.
        let mut limited = Command::new("bash");
        limited.args(["-c", "trap '' XFSZ; ulimit -f \"$0\"; exec \"$@\""]);
        limited.arg(room.to_string()).arg(program.get_program()).args(program.get_args());
        limited.env_remove("TELEGRAM_BOT_TOKEN").env_remove("TABLE_NAME");
        limited.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = limited.spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let is_started = lines.any(|line| line.unwrap().starts_with("dynamodb "));
        process.kill().unwrap();
        process.wait().unwrap();
        if is_started {
            started += 1;
        } else {
            refused += 1;
            assert!(!file.exists(), "{room} KiB");
            assert_eq!(parts(&directory), Vec::<String>::new(), "{room} KiB");
        }
        assert!(expires(&Server::start(&file).address).await, "{room} KiB");
    }
    assert!(refused > 0 && started > 0, "{refused} {started}");
}

#[tokio::test]
async fn a_file_of_another_program_is_left_as_it_is() {
    let directory = directory("foreign");
    let photos = directory.join("photos.sqlite");
    rusqlite::Connection::open(&photos).unwrap().execute("CREATE TABLE photo (id)", []).unwrap();
    let text = directory.join("notes.txt");
    fs::write(&text, "milk, bread").unwrap();
    for (file, why) in [(&photos, "it has other tables"), (&text, "file is not a database")] {
        let before = fs::read(file).unwrap();
        let output = server(file).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success());
        assert!(
            error.contains("is no data file of fracti-local") && error.contains(why),
            "{error}"
        );
        assert_eq!(fs::read(file).unwrap(), before);
    }
    assert_eq!(fs::read_dir(&directory).unwrap().count(), 2);
}

#[tokio::test]
async fn a_table_without_the_indexes_is_refused() {
    let file = directory("indexes").join("data.sqlite");
    let other = engine(&file).await;
    let client = local_dynamodb(other.endpoint());
    let mut table = client.create_table().table_name("FractiTable");
    for (name, kind) in [("PK", KeyType::Hash), ("SK", KeyType::Range)] {
        let attribute = AttributeDefinition::builder().attribute_name(name);
        let attribute = attribute.attribute_type(ScalarAttributeType::S).build().unwrap();
        let key = KeySchemaElement::builder().attribute_name(name).key_type(kind).build().unwrap();
        table = table.attribute_definitions(attribute).key_schema(key);
    }
    table.billing_mode(BillingMode::PayPerRequest).send().await.unwrap();
    other.stop().await;
    let output = server(&file).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && error.contains("has not the index GSI1"), "{error}");
}

#[tokio::test]
async fn a_table_gets_the_time_to_live_that_it_lacks() {
    let file = directory("expiry").join("data.sqlite");
    let before = engine(&file).await;
    let client = local_dynamodb(before.endpoint());
    let schema = Schema::from_template().unwrap();
    assert!(schema.create_without_ttl(&client, "FractiTable").await.unwrap());
    before.stop().await;
    assert!(expires(&Server::start(&file).address).await);
}
