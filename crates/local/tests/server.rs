//! The local server as a newcomer runs it: the real program, on real ports.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test stops where it fails")]

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::PathBuf,
    process::{Child, ChildStdout, Command, Output, Stdio},
};

/// A running server; it is killed where a test forgets to end it.
struct Server {
    process: Child,
    lines: BufReader<ChildStdout>,
    api: String,
    dynamodb: String,
}

impl Server {
    fn start(options: &[&str]) -> Self {
        let mut process =
            program(options).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap());
        let mut url = |name: &str| {
            let mut line = String::new();
            lines.read_line(&mut line).unwrap();
            line.trim_end()
                .strip_prefix(name)
                .unwrap_or_else(|| panic!("{line:?} names {name}"))
                .to_owned()
        };
        let (api, dynamodb) = (url("api "), url("dynamodb "));
        Self { process, lines, api, dynamodb }
    }

    /// What the demo prints, to its last line.
    fn demo(&mut self) -> Demo {
        let mut demo = Demo::default();
        for line in (&mut self.lines).lines() {
            let line = line.unwrap();
            if let Some(header) = line.strip_prefix("Authorization: ") {
                demo.authorizations.push(header.to_owned());
            } else if line.starts_with("curl ") {
                demo.urls.push(line.rsplit_once(' ').unwrap().1.to_owned());
            } else if line.starts_with("export DAVE=") {
                break;
            }
        }
        demo
    }

    /// Ends it as Ctrl-C does, and says how it ended.
    fn interrupt(mut self) -> Option<i32> {
        let id = self.process.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        self.process.wait().unwrap().code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What the demo prints for each of its four members.
#[derive(Debug, Default)]
struct Demo {
    authorizations: Vec<String>,
    urls: Vec<String>,
}

fn program(options: &[&str]) -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_fracti-local"));
    program.args(options).env_remove("TELEGRAM_BOT_TOKEN").env_remove("TABLE_NAME");
    program
}

fn run(options: &[&str]) -> Output {
    program(options).output().unwrap()
}

/// The status and the body of a GET.
fn get(url: &str, authorization: &str) -> (u16, String) {
    let (host, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    write!(stream, "GET /{path} HTTP/1.1\r\nhost: {host}\r\nauthorization: {authorization}\r\nconnection: close\r\n\r\n").unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    let status = response.split(' ').nth(1).unwrap().parse().unwrap();
    (status, response.split_once("\r\n\r\n").unwrap().1.to_owned())
}

#[test]
fn the_demo_prints_what_can_be_pasted() {
    let mut server = Server::start(&["--port", "0", "--dynamodb-port", "0", "--demo"]);
    let demo = server.demo();
    assert_eq!((demo.authorizations.len(), demo.urls.len()), (4, 4));
    for (authorization, url) in demo.authorizations.iter().zip(&demo.urls) {
        assert!(url.starts_with(&server.api), "{url}");
        let (status, body) = get(url, authorization);
        assert_eq!(status, 200, "{body}");
        assert!(body.contains(r#""expenseCount":3"#), "{body}");
        assert_eq!(get(url, "tma nothing").0, 401);
    }
    let health = get(&format!("{}/api/health", server.api), "");
    assert_eq!(health.0, 200);
    assert!(server.dynamodb.starts_with("http://127.0.0.1:"), "{}", server.dynamodb);
    assert_eq!(server.interrupt(), Some(0), "Ctrl-C ends it cleanly");
}

#[test]
fn data_in_a_file_survive_a_restart() {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("restart.sqlite");
    for suffix in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{suffix}", file.display()));
    }
    let options = ["--port", "0", "--dynamodb-port", "0", "--data", file.to_str().unwrap()];
    let mut first = Server::start(&[&options[..], &["--demo"]].concat());
    let demo = first.demo();
    let path = demo.urls.first().unwrap().strip_prefix(&first.api).unwrap().to_owned();
    let authorization = demo.authorizations.first().unwrap();
    let before = get(&format!("{}{path}", first.api), authorization);
    assert_eq!(before.0, 200);
    assert_eq!(first.interrupt(), Some(0));

    let second = Server::start(&options);
    assert_eq!(get(&format!("{}{path}", second.api), authorization), before);
    let mut third =
        Server::start(&["--port", "0", "--dynamodb-endpoint", &second.dynamodb, "--demo"]);
    assert_eq!(third.dynamodb, second.dynamodb, "any DynamoDB will do");
    assert_eq!(get(&format!("{}{path}", third.api), authorization), before);
    let same = third.demo().urls.first().unwrap().strip_prefix(&third.api).unwrap().to_owned();
    assert_eq!(same, path, "the demo is made once a day");
    assert_eq!(third.interrupt(), Some(0));
    assert_eq!(second.interrupt(), Some(0));
}

#[test]
fn what_cannot_start_says_so_in_one_line() {
    let server = Server::start(&["--port", "0", "--dynamodb-port", "0"]);
    let port = |url: &str| url.rsplit_once(':').unwrap().1.to_owned();
    let directory = env!("CARGO_TARGET_TMPDIR");
    for (options, said) in [
        (
            ["--port", &port(&server.api), "--dynamodb-port", "0"],
            "is in use; choose another one with --port",
        ),
        (
            ["--port", "0", "--dynamodb-port", &port(&server.dynamodb)],
            "is in use; choose another one with --dynamodb-port",
        ),
        (["--port", "0", "--data", directory], "the data cannot be opened"),
        (["--port", "0", "--dynamodb-endpoint", "http://127.0.0.1:1"], "cannot be made"),
    ] {
        let output = run(&options);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{options:?}: {error}");
        assert!(
            error.contains(said) && error.starts_with("fracti-local: "),
            "{options:?}: {error}"
        );
        assert_eq!(error.lines().count(), 1, "{options:?}: {error}");
        assert!(output.stdout.is_empty(), "{options:?}");
    }
    let output = program(&["--port", "0", "--dynamodb-port", "0"]);
    let output = { output }.env("INIT_DATA_MAX_AGE_SECONDS", "a day").output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        error.trim_end(),
        "fracti-local: the environment variable INIT_DATA_MAX_AGE_SECONDS is not a number of seconds"
    );
    assert_eq!(server.interrupt(), Some(0));
}
