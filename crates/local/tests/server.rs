//! Tests of the local server, run as a process on real ports.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test stops where it fails")]

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::PathBuf,
    process::{Child, ChildStdout, Command, Output, Stdio},
    time::Duration,
};

use fracti_tests::load::{Behaviour, Client, load};
use serde_json::Value;

/// A running server, which is killed when it is dropped.
struct Server {
    process: Child,
    lines: BufReader<ChildStdout>,
    api: String,
    dynamodb: String,
    docs: String,
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
        let api = url("api ");
        let dynamodb = url("dynamodb ");
        let docs = url("docs ");
        Self { process, lines, api, dynamodb, docs }
    }

    /// Reads the output of the demo to its last line.
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

    /// Stops the server as Ctrl-C does, and returns its exit code.
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

/// The lines that the demo prints for each of its four members.
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

/// A response: its status, its head in lower case, and its body.
struct Response {
    status: u16,
    head: String,
    body: String,
}

impl Response {
    /// The value of a header; a list is sorted.
    fn header(&self, name: &str) -> Option<String> {
        let mut lines = self.head.lines();
        let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))?;
        let mut list: Vec<_> = value.split(',').map(str::trim).collect();
        list.sort_unstable();
        Some(list.join(","))
    }
}

/// Sends a request without a body.
fn send(method: &str, url: &str, headers: &[(&str, &str)]) -> Response {
    let (host, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    write!(stream, "{method} /{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n").unwrap();
    for (name, value) in headers {
        write!(stream, "{name}: {value}\r\n").unwrap();
    }
    write!(stream, "\r\n").unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    let (head, body) = response.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Response { status, head: head.to_lowercase(), body: body.to_owned() }
}

/// The status and the body of a GET.
fn get(url: &str, authorization: &str) -> (u16, String) {
    let response = send("GET", url, &[("authorization", authorization)]);
    (response.status, response.body)
}

#[test]
fn requests_printed_by_the_demo_succeed() {
    let mut server = Server::start(&["--port", "0", "--dynamodb-port", "0", "--demo"]);
    let demo = server.demo();
    assert_eq!((demo.authorizations.len(), demo.urls.len()), (4, 4));
    for (authorization, url) in demo.authorizations.iter().zip(&demo.urls) {
        assert!(url.starts_with(&server.api), "{url}");
        let (status, body) = get(url, authorization);
        assert_eq!(status, 200, "{body}");
        assert!(body.contains(r#""expenseCount":7"#), "{body}");
        assert!(body.contains(r#""name":"Grandma""#), "{body}");
        assert_eq!(get(url, "tma nothing").0, 401);
    }
    let health = get(&format!("{}/api/health", server.api), "");
    assert_eq!(health.0, 200);
    assert!(server.dynamodb.starts_with("http://127.0.0.1:"), "{}", server.dynamodb);
    assert_eq!(server.interrupt(), Some(0), "Ctrl-C ends it cleanly");
}

#[test]
fn both_headers_accept_the_credentials_printed_by_the_demo() {
    let mut server = Server::start(&["--port", "0", "--dynamodb-port", "0", "--demo"]);
    let demo = server.demo();
    let tma = demo.authorizations.first().unwrap();
    let url = demo.urls.first().unwrap();
    let init_data = tma.strip_prefix("tma ").unwrap();
    for header in ["authorization", "x-telegram-init-data"] {
        for value in [tma, init_data, &format!("Authorization: {tma}")] {
            let response = send("GET", url, &[(header, value)]);
            assert_eq!(response.status, 200, "{header}: {value}: {}", response.body);
        }
    }
}

#[test]
fn help_names_every_variable() {
    let help = run(&["--help"]).stdout;
    let help = String::from_utf8(help).unwrap();
    let settings = include_str!("../../runtime/src/settings.rs");
    let (_, settings) = settings.split_once("pub fn from_env() -> Result<Self").unwrap();
    let (settings, _) = settings.split_once("\n}\n").unwrap();
    let is_variable = |text: &&str| {
        text.len() > 6 && text.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_')
    };
    // A local server needs no secret of AWS.
    let variables = settings.split('"').filter(is_variable);
    let variables: Vec<_> = variables.filter(|name| !name.ends_with("_SECRET")).collect();
    assert!(variables.len() > 5, "{variables:?}");
    for name in variables.iter().chain(&["AWS_ACCESS_KEY_ID", "AWS_REGION", "AWS_PROFILE"]) {
        assert!(help.contains(name), "{name}: {help}");
    }
}

#[test]
fn the_root_leads_to_the_mini_app_and_the_documentation_has_its_own_path() {
    let server = Server::start(&["--port", "0", "--dynamodb-port", "0"]);
    assert_eq!(server.docs, format!("{}/docs", server.api));
    let root = send("GET", &format!("{}/", server.api), &[]);
    assert_eq!((root.status, root.header("location").as_deref()), (307, Some("/app")));
    let docs = get(&format!("{}/docs/", server.api), "");
    assert!(docs.0 == 200 && docs.1.contains("swagger-ui"), "{docs:?}");
    assert!(docs.1.contains("<title>Fracti API</title>"), "{docs:?}");
    // The page does not store credentials, so that refused ones are not sent again after a reload.
    let (_, config) = get(&format!("{}/docs/swagger-initializer.js", server.api), "");
    assert!(config.contains("/docs/openapi.json"), "{config}");
    assert!(!config.contains("\"persistAuthorization\": true"), "{config}");
}

/// Swagger UI sends the examples of parameters, also of optional ones: an `Idempotency-Key` twice,
/// or a filter that finds nothing.
#[test]
fn documentation_prefills_no_optional_parameter() {
    let server = Server::start(&["--port", "0", "--dynamodb-port", "0"]);
    let document = |path: &str| -> Value {
        let (status, text) = get(&format!("{}{path}", server.api), "");
        assert_eq!(status, 200);
        serde_json::from_str(&text).unwrap()
    };
    let shown = document("/docs/openapi.json");
    let served = document("/api/openapi.json");
    let key = &served["components"]["parameters"]["Idempotency-Key"];
    assert!(key["schema"].is_object() && key.get("example").is_none(), "{key}");
    let of =
        |part: &Value| part["$ref"].as_str().map(|it| shown.pointer(&it[1..]).unwrap().clone());
    let mut optional = 0;
    let mut prefilled = Vec::new();
    let operations = shown["paths"].as_object().unwrap().values();
    for operation in operations.flat_map(|path| path.as_object().unwrap().values()) {
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let parameter = of(parameter).unwrap_or_else(|| parameter.clone());
            let schema = of(&parameter["schema"]).unwrap_or_else(|| parameter["schema"].clone());
            if parameter["in"] != "path" {
                optional += 1;
                let examples = [&parameter, &schema].map(|it| it.get("example"));
                prefilled.extend(examples.into_iter().flatten().cloned());
            }
        }
    }
    assert!(optional > 100 && prefilled.is_empty(), "{optional}: {prefilled:?}");
}

#[test]
fn cors_headers_match_the_template() {
    let template: Value = serde_saphyr::from_str(include_str!("../../../template.yaml")).unwrap();
    let cors = &template["Resources"]["HttpApi"]["Properties"]["CorsConfiguration"];
    let list = |name: &str| {
        let list = cors[name].as_array().unwrap().iter();
        let mut list: Vec<_> = list.map(|it| it.as_str().unwrap().to_lowercase()).collect();
        list.sort_unstable();
        Some(list.join(","))
    };
    let server = Server::start(&["--port", "0", "--dynamodb-port", "0"]);
    let url = format!("{}/api/users/me", server.api);
    let origin = ("origin", "https://app.example.org");
    let preflight = send(
        "OPTIONS",
        &url,
        &[
            origin,
            ("access-control-request-method", "PUT"),
            ("access-control-request-headers", "authorization"),
        ],
    );
    assert_eq!(preflight.status, 200);
    assert_eq!(preflight.header("access-control-allow-origin").as_deref(), Some("*"));
    assert_eq!(preflight.header("access-control-allow-methods"), list("AllowMethods"));
    assert_eq!(preflight.header("access-control-allow-headers"), list("AllowHeaders"));
    assert_eq!(
        preflight.header("access-control-max-age"),
        Some(cors["MaxAge"].as_u64().unwrap().to_string())
    );
    let response = send("GET", &url, &[origin]);
    assert_eq!(response.status, 401);
    assert_eq!(response.header("access-control-expose-headers"), list("ExposeHeaders"));
}

#[test]
fn server_on_all_addresses_prints_reachable_urls() {
    let server =
        Server::start(&["--host", "0.0.0.0", "--port", "0", "--dynamodb-port", "0", "--demo"]);
    for url in [&server.api, &server.dynamodb] {
        let port = url.strip_prefix("http://127.0.0.1:").unwrap();
        // All of 127.0.0.0/8 is this machine, but a server on 127.0.0.1 alone does not answer here.
        assert_eq!(
            get(&format!("http://127.0.0.2:{port}/"), "").0 / 100,
            if *url == server.api { 3 } else { 2 }
        );
    }
    assert_eq!(get(&format!("{}/api/health", server.api), "").0, 200);
}

#[test]
fn signed_init_data_authenticates_the_named_user() {
    let server = Server::start(&["--port", "0", "--dynamodb-port", "0"]);
    let signed = run(&["sign", "--user", "4242", "--name", "Zoë & Co", "--username", "zoe"]);
    assert!(signed.status.success());
    let init_data = String::from_utf8(signed.stdout).unwrap();
    let (status, body) =
        get(&format!("{}/api/users/me", server.api), &format!("tma {}", init_data.trim_end()));
    assert_eq!(status, 200, "{body}");
    for field in [r#""id":"4242""#, r#""name":"Zoë & Co""#, r#""username":"zoe""#] {
        assert!(body.contains(field), "{body}");
    }
    assert!(!run(&["sign", "--user", "Zoë", "--name", "Zoë"]).status.success());
}

#[test]
fn daily_quotas_are_options_and_count_every_request() {
    let ports = ["--port", "0", "--dynamodb-port", "0"];
    let quotas = ["--daily-reads", "2", "--daily-writes", "0"];
    let mut server = Server::start(&[&ports[..], &quotas, &["--demo"]].concat());
    let demo = server.demo();
    let url = demo.urls.first().unwrap();
    let member = demo.authorizations.first().unwrap();
    let statuses = [(); 3].map(|()| get(url, member).0);
    assert_eq!(statuses, [200, 200, 429]);
    let other = demo.authorizations.last().unwrap();
    let reply = send("GET", url, &[("authorization", other)]);
    let policy = reply.header("ratelimit-policy");
    assert_eq!((reply.status, policy.as_deref()), (200, Some("\"reads\";q=2;w=86400")));
}

#[test]
fn data_in_a_file_survives_a_restart() {
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
fn server_can_be_stopped_as_soon_as_it_prints() {
    let server = Server::start(&["--port", "0", "--dynamodb-port", "0", "--demo"]);
    assert_eq!(server.interrupt(), Some(0), "while it makes the demo");
}

#[test]
fn startup_errors_are_printed_in_one_line() {
    let server = Server::start(&["--port", "0", "--dynamodb-port", "0"]);
    let port = |url: &str| url.rsplit_once(':').unwrap().1.to_owned();
    let directory = env!("CARGO_TARGET_TMPDIR");
    for (options, said) in [
        (
            ["--port", &port(&server.api), "--dynamodb-port", "0"],
            "is already in use; choose another one with --port",
        ),
        (
            ["--port", "0", "--dynamodb-port", &port(&server.dynamodb)],
            "is already in use; choose another one with --dynamodb-port",
        ),
        (["--port", "0", "--data", directory], "it is no regular file"),
        (["--port", "0", "--dynamodb-endpoint", "http://127.0.0.1:1"], "cannot be created"),
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
    for (variable, value, rule) in [
        ("INIT_DATA_MAX_AGE_SECONDS", "a day", "a number of seconds"),
        ("TELEGRAM_BOT_TOKEN", "hello", "a bot token of the form 123456:ABC-def"),
        ("DAILY_READS", "many", "a number of requests, or 0 for any number"),
        ("DAILY_WRITES", "-1", "a number of requests, or 0 for any number"),
        ("USAGE_SAMPLE", "0", "a number of requests from 1, of which one is counted"),
    ] {
        let mut program = program(&["--port", "0", "--dynamodb-port", "0"]);
        let output = program.env(variable, value).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        let said = format!("fracti-local: {variable} must be {rule}");
        assert_eq!(error.trim_end(), said);
    }
    assert_eq!(server.interrupt(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_clients_are_served_and_leave_no_load_behind() {
    let server = Server::start(&["--port", "0", "--dynamodb-port", "0"]);
    let clients = Client::create(&server.api, "0:fracti-local", 0..300).await;
    let few = clients.get(..20).unwrap();
    let patient =
        |requests| Behaviour { requests, pauses: false, time_limit: Duration::from_mins(5) };
    let mut rounds = Vec::new();
    // Another program may slow down one of the loads, so the rates must be right in one round only.
    for round in 1..=3 {
        let before = load(few, &format!("before-{round}"), patient(5)).await;

        let crowd = load(&clients, &format!("crowd-{round}"), patient(1)).await;
        assert_eq!(crowd.done, crowd.requests, "{crowd:?}");

        let leaving = Behaviour { time_limit: crowd.time / 10, ..patient(1) };
        let gone = load(&clients, &format!("gone-{round}"), leaving).await;
        assert!(gone.done < gone.requests, "{gone:?}");
        let after = load(few, &format!("after-{round}"), patient(5)).await;
        assert_eq!((after.done, after.refused), (100, 0), "{after:?}");
        let slowest = before.rate().min(after.rate());
        if crowd.rate() * 2 >= slowest {
            return;
        }
        rounds.push([before, crowd, after]);
    }
    panic!("{rounds:?}");
}
