//! Measures how the functions that are its arguments start, over TLS, and prints medians of the
//! time and of the CPU time. `docs/performance.md` has commands and figures.
//!
//! A function with a path behind an `@`, like `fracti-web@/screens/groups/{groupId}/balances`, gets
//! requests of this path.
//!
//! Options come before the programs, in this order:
//!
//! - `--share DIRECTORY` moves a function into this control group once it is ready: Lambda gives a
//!   function a whole CPU while it starts, and a share of one later.
//! - `--secret` leaves the bot's token to Secrets Manager, which is also behind TLS.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a program that prints")]
#![expect(clippy::indexing_slicing, reason = "there are as many figures as rounds")]

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use fracti_http::service;
use fracti_local::{routes, sign_event};
use fracti_runtime::Clock;
use fracti_store::Table;
use fracti_tests::{
    database::{Database, TABLE},
    events::{SCENE, TOKEN, events_app, samples, scene},
    lambda::{Function, secrets_manager},
    tls::Terminator,
};

/// Starts of each program.
const ROUNDS: usize = 41;

/// The first event of each function. Other programs get `get-group`.
const EVENTS: [(&str, &str); 8] = [
    ("fracti-expenses", "list-expenses"),
    ("fracti-settlements", "get-debts"),
    ("fracti-ledger", "get-ledger-balance"),
    ("fracti-users", "get-me"),
    ("fracti-personal", "get-targets"),
    ("fracti-files", "import-file"),
    ("fracti-groups", "get-group"),
    ("fracti-web", "get-group"),
];

/// The figures of one start: until the function is ready, of its first response, and of the second.
/// A step has its duration and its CPU time.
struct Start {
    steps: [(Duration, Duration); 3],
    resident_kb: u64,
}

#[tokio::main]
async fn main() {
    let mut arguments = env::args().skip(1).peekable();
    let share = arguments.next_if(|it| it == "--share").and_then(|_| arguments.next());
    let share = share.map(|directory| PathBuf::from(directory).join("cgroup.procs"));
    let secret = arguments.next_if(|it| it == "--secret").is_some();
    let programs: Vec<_> = arguments.map(PathBuf::from).collect();

    let database = Database::embedded().await;
    let table = Table::new(database.client.clone(), TABLE);
    let api = service(routes(), events_app(table));
    let now = Clock::system().now();
    let made = scene(&api, now).await;
    let dynamodb = Terminator::before(database.endpoint()).await;
    let secrets = Terminator::before(&secrets_manager().await).await;
    let certificates = [&dynamodb, &secrets].map(|it| fs::read_to_string(it.bundle()).unwrap());
    let certificates = certificates.concat();
    let trusted = dynamodb.bundle().with_extension("trusted.pem");
    fs::write(&trusted, &certificates).unwrap();
    // The certificates of the system, for programs that do not know AWS_CA_BUNDLE.
    let all = dynamodb.bundle().with_extension("all.pem");
    let system = fs::read_to_string("/etc/ssl/certs/ca-certificates.crt").unwrap();
    fs::write(&all, system + &certificates).unwrap();
    let variables = [
        // An empty variable is one that is not set.
        ("TELEGRAM_BOT_TOKEN", if secret { "" } else { TOKEN }),
        ("AWS_ENDPOINT_URL_SECRETS_MANAGER", secrets.endpoint()),
        ("AWS_CA_BUNDLE", trusted.to_str().unwrap()),
        ("SSL_CERT_FILE", all.to_str().unwrap()),
    ];

    let mut starts: Vec<Vec<Start>> = programs.iter().map(|_| Vec::new()).collect();
    for _ in 0..ROUNDS {
        for (program, starts) in programs.iter().zip(&mut starts) {
            let sample = samples().into_iter().find(|it| it.name == first_event(program)).unwrap();
            let mut event = sign_event(&sample.event(), TOKEN, now, None).unwrap();
            for (old, new) in SCENE.iter().zip(&made) {
                event = event.replace(old, new);
            }
            if let Some(path) = path_of(program) {
                let path = path.replace("{groupId}", &made[0]);
                event = event.replace(&format!("/api/groups/{}", made[0]), &path);
            }
            let program = file(program).to_str().unwrap();
            let begun = Instant::now();
            let mut function = Function::start(program, dynamodb.endpoint(), &variables).await;
            function.ready().await;
            let id = function.id().unwrap();
            let mut steps = [(begun.elapsed(), cpu_time(id)); 3];
            if let Some(share) = &share {
                fs::write(share, id.to_string()).unwrap();
            }
            for step in &mut steps[1..] {
                let begun = Instant::now();
                let used = cpu_time(id);
                assert_eq!(function.answer(event.clone()).await["statusCode"], 200);
                *step = (begun.elapsed(), cpu_time(id).saturating_sub(used));
            }
            starts.push(Start { steps, resident_kb: resident_kb(id) });
        }
    }
    fs::remove_file(trusted).unwrap();
    fs::remove_file(all).unwrap();

    println!("| program | to `next`, ms (CPU) | first response | second | RSS, MB | size, MB |");
    println!("|---|---:|---:|---:|---:|---:|");
    for (program, starts) in programs.iter().zip(&starts) {
        let ms = |figure: &dyn Fn(&Start) -> Duration| {
            let microseconds = median(starts, |it| figure(it).as_micros().try_into().unwrap());
            format!("{}.{:02}", microseconds / 1000, microseconds % 1000 / 10)
        };
        let step = |n: usize| format!("{} ({})", ms(&|it| it.steps[n].0), ms(&|it| it.steps[n].1));
        let mb = |kb: u64| format!("{}.{}", kb / 1000, kb % 1000 / 100);
        println!(
            "| {} | {} | {} | {} | {} | {} |",
            program.to_str().unwrap().rsplit("release/").next().unwrap(),
            step(0),
            step(1),
            step(2),
            mb(median(starts, |it| it.resident_kb)),
            mb(fs::metadata(file(program)).unwrap().len() / 1000),
        );
    }
    database.stop().await;
}

fn first_event(program: &Path) -> &'static str {
    let name = file(program).file_name().unwrap();
    let of_function = EVENTS.iter().find(|(function, _)| name == *function);
    of_function.map_or("get-group", |(_, event)| event)
}

/// The program without the path that it gets.
fn file(program: &Path) -> &Path {
    Path::new(program.to_str().unwrap().split('@').next().unwrap())
}

/// The path that a program gets: of the Mini App, by default the screen of a group.
fn path_of(program: &Path) -> Option<&str> {
    let screen = file(program).ends_with("fracti-web").then_some("/screens/groups/{groupId}");
    program.to_str().unwrap().split_once('@').map(|(_, path)| path).or(screen)
}

/// The CPU time of a process, of all its threads.
fn cpu_time(id: u32) -> Duration {
    let threads = fs::read_dir(format!("/proc/{id}/task")).unwrap();
    let nanoseconds = |thread: io::Result<fs::DirEntry>| {
        let times = fs::read_to_string(thread.unwrap().path().join("schedstat")).unwrap();
        times.split(' ').next().unwrap().parse::<u64>().unwrap()
    };
    Duration::from_nanos(threads.map(nanoseconds).sum())
}

/// The memory of a process, in kB.
fn resident_kb(id: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

fn median(starts: &[Start], figure: impl Fn(&Start) -> u64) -> u64 {
    let mut figures: Vec<_> = starts.iter().map(figure).collect();
    figures.sort_unstable();
    figures[figures.len() / 2]
}
