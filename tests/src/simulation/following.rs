//! Random writes of several users, while `docs/examples/follow.py` follows their group as a process
//! of its own, which is killed and started again.
//!
//! The users and the follower send their requests over the ports of two processes of the API,
//! behind the proxy that injects faults. In the end, what the follower has kept must be what the
//! API says.

use std::{
    collections::BTreeMap,
    fs,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::Stdio,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering::SeqCst},
    },
    time::Duration,
};

use axum::{
    Router,
    http::{Method, header},
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    net::TcpListener,
    process::{Child, Command},
    task::{JoinHandle, JoinSet},
    time::sleep,
};

use super::{
    Actor, World,
    world::{TOKEN, with_short_timeouts},
};
use crate::{
    client::{self, Reply, Transport},
    faults::{Fault, Plan},
};

/// Users who pay and share.
const USERS: u64 = 4;

/// The user who only joins and leaves.
const VISITOR: u64 = 5;

/// Steps of each user.
const STEPS: u64 = 60;

/// The time that the steps take, by the clock of the run.
const SPAN: Duration = Duration::from_hours(1);

/// Pause between two looks, in this process and in the follower.
const PAUSE: Duration = Duration::from_millis(20);

/// Time for which a port is closed.
const CLOSED: Duration = Duration::from_millis(300);

/// Looks after which something that has not happened will not happen.
const LOOKS: usize = 6_000;

/// Outcome of a run: what it did, and what was wrong.
#[derive(Clone, Debug, Default)]
pub struct Followed {
    /// Changes of the group by kind.
    pub kinds: BTreeMap<String, u64>,
    /// Lines that the follower printed.
    pub lines: usize,
    /// Lines that it printed again, after it was killed.
    pub again: usize,
    /// Requests to the table.
    pub requests: u64,
    /// Faults by kind.
    pub faults: BTreeMap<Fault, u64>,
    /// Mistakes that were found.
    pub findings: Vec<String>,
}

/// A process of the API that listens at a port.
struct Port {
    router: Router,
    address: SocketAddr,
    served: JoinHandle<std::io::Result<()>>,
}

/// A running follower.
struct Follower {
    /// The number that was kept when it started.
    kept: u64,
    process: Child,
    lines: Arc<Mutex<Vec<String>>>,
    read: JoinHandle<()>,
}

/// Entities that the users know.
#[derive(Debug, Default)]
struct Known {
    expenses: Vec<String>,
    settlements: Vec<String>,
    adjustments: Vec<String>,
    guests: Vec<String>,
    import: Option<String>,
}

/// A user who acts in the group.
struct Writer {
    actor: Actor,
    group: String,
    known: Arc<Mutex<Known>>,
    steps: Arc<AtomicU64>,
}

/// The API of the group without faults, as its first user.
struct Observer {
    actor: Actor,
    group: String,
    /// The place of the changes from which it reads.
    begin: String,
}

/// Lets the follower at `script` follow a group of random users.
///
/// # Panics
///
/// If no port is free, or there is no Python 3.
pub async fn following(script: &Path, seed: u64) -> Followed {
    let world = World::of(Plan::of(seed), 2, with_short_timeouts).await;
    let mut ports = Vec::new();
    for transport in &world.transports {
        let Transport::Router(router) = transport else { unreachable!("it is a router") };
        ports.push(Port::open(router.clone(), SocketAddr::from(([127, 0, 0, 1], 0))).await);
    }
    // Through the proxy, so that a lagging index has these writes too.
    let mut founder = world.user(1);
    let group = founder.create_group().await;
    let observer = Observer::new(world.observer(), &group).await;
    for user in 2..=USERS {
        world.user(user).join(&group).await;
    }
    let dir = std::env::temp_dir().join(format!("follow-{}-{seed}", std::process::id()));
    fs::create_dir_all(&dir).unwrap();
    let mut stage = Stage {
        script: script.to_owned(),
        state: dir.join("state.json"),
        token: observer.token(&mut founder).await,
        observer,
        runs: Vec::new(),
        findings: Vec::new(),
    };
    world.proxy.start_faults();
    let steps = Arc::new(AtomicU64::new(0));
    let mut users = JoinSet::new();
    let known = Arc::<Mutex<Known>>::default();
    for user in 1..=VISITOR {
        let address = ports[usize::try_from(user).unwrap() % 2].address;
        let transport = Transport::to_server(&format!("http://{address}"));
        let actor = Actor { transport, ..world.user(user) };
        let known = known.clone();
        let steps = steps.clone();
        let mut writer = Writer { actor, group: group.clone(), known, steps };
        users.spawn(async move { writer.write().await });
    }
    let last = stage.follow(&mut ports, &steps).await;
    users.join_all().await;
    world.proxy.stop_faults().await;
    // On a busy machine, requests can take longer than the short timeouts of this process.
    let Transport::Router(patient) = &world.direct else { unreachable!("it is a router") };
    ports[0].close().await;
    ports[0].router = patient.clone();
    ports[0].open_again().await;
    let mut followed = stage.conclude(last).await;
    (followed.requests, followed.faults) = world.proxy.tally();
    fs::remove_dir_all(dir).unwrap();
    followed
}

impl Port {
    /// Serves at an address, or at a free port.
    async fn open(router: Router, address: SocketAddr) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        let served = router.clone();
        let served = tokio::spawn(async move { axum::serve(listener, served).await });
        Self { router, address, served }
    }

    /// Refuses connections from now on.
    async fn close(&mut self) {
        self.served.abort();
        let _ = (&mut self.served).await;
    }

    /// Accepts connections again.
    async fn open_again(&mut self) {
        *self = Self::open(self.router.clone(), self.address).await;
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        self.served.abort();
    }
}

/// Waits until `done`; whether it happened.
async fn wait_until(mut done: impl FnMut() -> bool) -> bool {
    for _ in 0..LOOKS {
        if done() {
            return true;
        }
        sleep(PAUSE).await;
    }
    false
}

/// Run of one process of the follower.
struct Run {
    /// The number that was kept when it started.
    kept: u64,
    /// Lines that it printed.
    lines: Vec<String>,
}

/// The processes of the follower, one after the other.
struct Stage {
    script: PathBuf,
    state: PathBuf,
    token: String,
    observer: Observer,
    runs: Vec<Run>,
    findings: Vec<String>,
}

impl Stage {
    fn start(&self, port: &Port) -> Follower {
        let mut process = Command::new("python3")
            .arg("-B")
            .arg(&self.script)
            .env("API", format!("http://{}", port.address))
            .env("TOKEN", &self.token)
            .env("GROUP", &self.observer.group)
            .env("STATE", &self.state)
            .env("PAUSE", PAUSE.as_secs_f64().to_string())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut output = BufReader::new(process.stdout.take().unwrap());
        let lines = Arc::<Mutex<Vec<String>>>::default();
        let printed = lines.clone();
        let read = tokio::spawn(async move {
            let mut line = String::new();
            // It may be killed within a line, which the next process prints again.
            while output.read_line(&mut line).await.unwrap() > 0 && line.ends_with('\n') {
                printed.lock().unwrap().push(line.trim_end_matches('\n').to_owned());
                line.clear();
            }
        });
        Follower { kept: self.number(), process, lines, read }
    }

    /// Kills a follower.
    async fn end(&mut self, mut follower: Follower) {
        follower.process.kill().await.unwrap();
        follower.read.await.unwrap();
        let lines = std::mem::take(&mut *follower.lines.lock().unwrap());
        self.runs.push(Run { kept: follower.kept, lines });
    }

    /// State that the follower has kept; null if it has not begun.
    fn kept(&self) -> Value {
        let text = fs::read_to_string(&self.state).ok();
        text.map_or(Value::Null, |text| serde_json::from_str(&text).unwrap())
    }

    fn number(&self) -> u64 {
        self.kept()["number"].as_u64().unwrap_or_default()
    }

    /// Waits until the follower does something, as long as it goes on.
    async fn expect(&mut self, what: &str, done: impl Fn(&Self) -> bool) {
        let mut before = None;
        while !wait_until(|| done(self)).await {
            if before.replace(self.number()) == Some(self.number()) {
                self.findings.push(format!("the follower did not {what}"));
                return;
            }
        }
    }

    /// Kills a follower as soon as it prints one more line, so before it keeps the change, or
    /// shortly afterwards; or once nothing more happens.
    async fn kill_printing(&mut self, follower: Follower, steps: &AtomicU64) {
        let before = follower.count();
        let over = || steps.load(SeqCst) == STEPS * VISITOR;
        wait_until(|| follower.count() > before || over()).await;
        self.end(follower).await;
    }

    /// Follows with three processes, one after the other, each at the port where the last one was
    /// not. The first two are killed; the last one is left running.
    async fn follow(&mut self, ports: &mut [Port], steps: &AtomicU64) -> Follower {
        let all = STEPS * VISITOR;
        let first = self.start(&ports[0]);
        self.expect("begin", |it| !it.kept().is_null()).await;
        let so_far = self.observer.changes().await.len() as u64;
        self.expect("follow", |it| it.number() > 0).await;
        wait_until(|| steps.load(SeqCst) >= all / 4).await;
        self.kill_printing(first, steps).await;
        let begun = self.runs[0].lines.first().and_then(|line| number(line));
        if begun.is_none_or(|begun| begun > so_far + 1) {
            self.findings.push(format!("it began at {begun:?}, after {so_far} changes"));
        }
        wait_until(|| steps.load(SeqCst) >= all * 3 / 4).await;
        ports[1].close().await;
        let second = self.start(&ports[1]);
        sleep(CLOSED).await;
        ports[1].open_again().await;
        self.kill_printing(second, steps).await;
        self.start(&ports[0])
    }

    /// Waits until the last follower has nothing new, and compares it with the API.
    async fn conclude(mut self, last: Follower) -> Followed {
        let changes = self.observer.changes().await;
        let all = changes.len() as u64;
        self.expect("catch up", |it| it.number() >= all).await;
        self.end(last).await;
        let Self { observer, runs, mut findings, .. } = self;
        let kept: Value = serde_json::from_str(&fs::read_to_string(&self.state).unwrap()).unwrap();
        for (name, now) in observer.now().await {
            if kept[name] != now {
                findings.push(format!("{name} are {now}, but it has kept {}", kept[name]));
            }
        }
        if kept["number"] != all {
            findings.push(format!("there are {all} changes, and it has kept {}", kept["number"]));
        }
        let mut times = BTreeMap::<u64, u64>::new();
        for run in &runs {
            let numbers: Vec<_> = run.lines.iter().filter_map(|line| number(line)).collect();
            // The first one begins anywhere.
            let begin = if run.kept == 0 { numbers.first().copied() } else { Some(run.kept + 1) };
            let expected = begin.unwrap_or_default()..;
            if numbers.iter().copied().ne(expected.take(run.lines.len())) {
                findings.push(format!("after {}, a process printed {numbers:?}", run.kept));
            }
            for number in numbers {
                *times.entry(number).or_default() += 1;
            }
        }
        let first = times.keys().next().copied().unwrap_or(1);
        for change in changes.iter().filter(|it| it["number"].as_u64() >= Some(first)) {
            let number = change["number"].as_u64().unwrap();
            if !times.contains_key(&number) {
                findings.push(format!("it did not print {change}"));
            }
        }
        for line in runs.iter().flat_map(|run| &run.lines) {
            let change = number(line).and_then(|it| changes.get(usize::try_from(it).ok()? - 1));
            if !change.is_some_and(|change| says(line, change)) {
                findings.push(format!("it printed {line:?} for {change:?}"));
            }
        }
        let mut kinds = BTreeMap::new();
        for change in &changes {
            *kinds.entry(change["kind"].as_str().unwrap().to_owned()).or_default() += 1;
        }
        let lines = runs.iter().map(|run| run.lines.len()).sum();
        Followed { kinds, lines, again: lines - times.len(), findings, ..Followed::default() }
    }
}

impl Follower {
    /// Number of lines that it has printed.
    fn count(&self) -> usize {
        self.lines.lock().unwrap().len()
    }
}

/// The number at the begin of a line.
fn number(line: &str) -> Option<u64> {
    line.split(' ').next()?.parse().ok()
}

/// Whether a line tells of a change: who made it, and what it is about.
fn says(line: &str, change: &Value) -> bool {
    let begin = format!("{} {} ", change["number"], change["actorName"].as_str().unwrap());
    let about = ["/expense/description", "/expense/amount", "/settlement/amount", "/before/amount"];
    let about = about.into_iter().chain(["/settlement/toUserName", "/group/title"]);
    let mut about = about.filter_map(|part| change.pointer(part)).filter_map(Value::as_str);
    line.starts_with(&begin) && about.all(|part| line.contains(part))
}

impl Observer {
    /// The observer of a group that was just created.
    async fn new(actor: Actor, group: &str) -> Self {
        let mut observer = Self { actor, group: group.to_owned(), begin: String::new() };
        let begin = observer.read("/changes").await;
        begin["pagination"]["nextCursor"].as_str().unwrap().clone_into(&mut observer.begin);
        observer
    }

    /// Response of the API at a path, with exact amounts; a list is read to its end.
    async fn read(&self, path: &str) -> Value {
        let user = client::user(self.actor.user, "User 1");
        let authorization = client::authorization(&user, TOKEN, self.actor.now());
        let path = format!("/api/groups/{}{path}", self.group);
        let mut request = client::request(&Method::GET, &path, &authorization, None, &Value::Null);
        let accept = "application/json;amounts=text".parse().unwrap();
        request.headers_mut().insert(header::ACCEPT, accept);
        let reply = self.actor.transport.send(request).await.unwrap();
        assert_eq!(reply.status, 200, "{reply:?}");
        reply.body
    }

    /// All items of a list whose pages follow one another by a parameter.
    async fn items(&self, list: &str, parameter: &str, from: Option<&str>) -> Vec<Value> {
        let mut items = Vec::new();
        let mut from = from.map(str::to_owned);
        loop {
            let next = from.map(|it| format!("&{parameter}={it}")).unwrap_or_default();
            let page = self.read(&format!("{list}?limit=100{next}")).await;
            items.extend(page["data"].as_array().unwrap().iter().cloned());
            if page["pagination"]["hasMore"] == false {
                return items;
            }
            from = page["pagination"]["nextCursor"].as_str().map(str::to_owned);
        }
    }

    /// All changes since the group was created.
    async fn changes(&self) -> Vec<Value> {
        self.items("/changes", "after", Some(&self.begin)).await
    }

    /// State that a follower keeps, as the API has it.
    async fn now(&self) -> [(&'static str, Value); 3] {
        let map = |items: &[Value], name: &str| {
            let pair = |it: &Value| (it["id"].as_str().unwrap().to_owned(), it[name].clone());
            Value::Object(items.iter().map(pair).collect())
        };
        let group = self.read("").await;
        let members = map(group["data"]["members"].as_array().unwrap(), "name");
        let settlements = map(&self.items("/settlements", "cursor", None).await, "status");
        let balances = self.read("/ledger/balance").await["data"]["balances"].clone();
        [("members", members), ("settlements", settlements), ("balances", balances)]
    }

    /// A token with which a follower reads the group.
    async fn token(&self, founder: &mut Actor) -> String {
        let body = json!({ "name": "Follower", "scopes": ["read"], "groupId": self.group });
        let path = "/api/users/me/tokens";
        let made = founder.call(&Method::POST, path, &body, None).await.unwrap();
        made.body["data"]["token"].as_str().unwrap().to_owned()
    }
}

impl Writer {
    /// Takes all steps.
    async fn write(&mut self) {
        for step in 0..STEPS {
            self.actor.pass(SPAN / u32::try_from(STEPS * VISITOR).unwrap());
            match (self.actor.user, step) {
                (VISITOR, _) => self.come_or_go(step).await,
                // Early: with an import, a follower reads again what it had to keep.
                (1, 7 | 15) => self.import(step).await,
                _ => self.act().await,
            }
            self.steps.fetch_add(1, SeqCst);
        }
    }

    /// Sends an import or its undo until it is complete: its changes are told then. A group that is
    /// archived meanwhile is out of the archive again a moment later.
    async fn complete(&self, method: Method, path: &str, body: Value) -> Reply {
        loop {
            let reply = self.ask(method.clone(), path, body.clone()).await;
            let status = reply.body["data"]["status"].as_str();
            if reply.code() != "GROUP_ARCHIVED" && !matches!(status, Some("running" | "undoing")) {
                return reply;
            }
            sleep(PAUSE).await;
        }
    }

    /// Sends a request until it has an answer.
    async fn ask(&self, method: Method, path: &str, body: Value) -> Reply {
        let path = format!("/api/groups/{}{path}", self.group);
        let key = format!("k-{}", self.actor.journal.unique_tag());
        loop {
            let reply = self.actor.call(&method, &path, &body, Some(&key)).await;
            let answered = |it: &Reply| !it.status.is_server_error() && it.code() != "CONFLICT";
            if let Some(reply) = reply.filter(answered) {
                return reply;
            }
            sleep(PAUSE).await;
        }
    }

    /// Remembers what a request has made.
    fn remember(&self, made: &Reply, list: impl Fn(&mut Known) -> &mut Vec<String>) {
        if let Some(id) = made.body.pointer("/data/id").and_then(Value::as_str) {
            list(&mut self.known.lock().unwrap()).push(id.to_owned());
        }
    }

    /// One of what users know.
    fn one(&mut self, list: impl Fn(&Known) -> &Vec<String>) -> Option<String> {
        let all = list(&self.known.lock().unwrap()).clone();
        self.actor.rng.choice(all)
    }

    /// A user or a guest.
    fn member(&mut self) -> String {
        let guests = self.known.lock().unwrap().guests.clone();
        let users = (1..=USERS).map(|user| user.to_string());
        self.actor.rng.choice(users.chain(guests).collect::<Vec<_>>()).unwrap()
    }

    /// The visitor leaves or joins. In between, they sometimes record an expense of theirs alone,
    /// which others may change once they have left.
    async fn come_or_go(&self, step: u64) {
        let path = if step.is_multiple_of(2) { "/join" } else { "/leave" };
        self.ask(Method::POST, path, json!({})).await;
        if step.is_multiple_of(8) {
            let own = json!([{ "userId": VISITOR.to_string() }]);
            let body =
                json!({ "amount": 6, "description": format!("Visit {step}"), "splits": own });
            let made = self.ask(Method::POST, "/expenses", body).await;
            self.remember(&made, |it| &mut it.expenses);
        }
    }

    /// Imports a file with a payment and a new guest, or undoes the import.
    async fn import(&self, step: u64) {
        let import = self.known.lock().unwrap().import.take();
        if let Some(import) = import {
            self.complete(Method::DELETE, &format!("/import/{import}"), Value::Null).await;
            return;
        }
        let left = 100 - step;
        let file = format!(
            "Date,Description,Category,Cost,Currency,Ann,Erik {step}\n\n\
             2026-01-10,Train,Bus/train,200.01,EUR,100.00,-100.00\n\
             2026-01-11,Erik paid Ann,Payment,{step}.00,EUR,-{step}.00,{step}.00\n\n\
             2026-01-12,Total balance, , ,EUR,{left}.00,-{left}.00\n"
        );
        let members = json!({ "Ann": "1", format!("Erik {step}"): "new guest" });
        let options = json!({ "commit": true, "members": members });
        let body = json!({ "file": file, "options": options });
        let done = self.complete(Method::POST, "/import", body).await;
        assert_ne!(done.status, 400, "{}", done.body);
        let id = done.body.pointer("/data/importId").and_then(Value::as_str);
        self.known.lock().unwrap().import = id.map(str::to_owned);
    }

    async fn act(&mut self) {
        match self.actor.rng.u32(0..100) {
            0..25 => self.spend().await,
            25..37 => self.edit().await,
            37..45 => self.change_expense(Method::DELETE, "").await,
            45..53 => self.change_expense(Method::POST, "/restore").await,
            53..65 => self.pay().await,
            65..75 => self.settle().await,
            75..82 => self.adjust().await,
            82..94 => self.change_guest().await,
            94..97 => self.change_visitor().await,
            _ => self.change_group().await,
        }
    }

    async fn spend(&mut self) {
        let payer = self.member();
        let one = self.member();
        let other = self.member();
        let mut sharers = vec![json!({ "userId": one })];
        sharers.extend((one != other).then(|| json!({ "userId": other })));
        let body = json!({
            "amount": format!("{}.5", self.actor.rng.u32(1..1_000)), "payerId": payer,
            "description": format!("Tea {}", self.actor.journal.unique_tag()), "splits": sharers,
        });
        let made = self.ask(Method::POST, "/expenses", body).await;
        self.remember(&made, |it| &mut it.expenses);
    }

    /// Edits an expense; in some edits, only its payer or its currency.
    async fn edit(&mut self) {
        let Some(expense) = self.one(|it| &it.expenses) else { return };
        let body = match self.actor.rng.u32(0..4) {
            0 => json!({ "payerId": self.member() }),
            1 => json!({ "currency": self.actor.rng.choice(["USD", "EUR"]) }),
            _ => json!({ "amount": self.actor.rng.u32(1..1_000), "payerId": self.member() }),
        };
        self.ask(Method::PUT, &format!("/expenses/{expense}"), body).await;
    }

    async fn change_expense(&mut self, method: Method, what: &str) {
        let Some(expense) = self.one(|it| &it.expenses) else { return };
        self.ask(method, &format!("/expenses/{expense}{what}"), Value::Null).await;
    }

    async fn pay(&mut self) {
        let own = self.actor.user.to_string();
        let other = self.member();
        let (from, to) = if self.actor.rng.bool() { (own, other) } else { (other, own) };
        let body = json!({ "fromId": from, "toId": to, "amount": self.actor.rng.u32(1..1_000) });
        let made = self.ask(Method::POST, "/settlements", body).await;
        self.remember(&made, |it| &mut it.settlements);
    }

    /// Edits, confirms or fails a payment, or takes it back.
    async fn settle(&mut self) {
        let Some(settlement) = self.one(|it| &it.settlements) else { return };
        let body = match self.actor.rng.u32(0..4) {
            0 => json!({ "amount": self.actor.rng.u32(1..1_000) }),
            1 => json!({ "status": "failed" }),
            _ => json!({ "status": "completed" }),
        };
        self.ask(Method::PUT, &format!("/settlements/{settlement}"), body).await;
    }

    /// Pushes an adjustment, or reverts one.
    async fn adjust(&mut self) {
        if self.actor.rng.bool()
            && let Some(entry) = self.one(|it| &it.adjustments)
        {
            self.ask(Method::POST, "/ledger/entries/revert", json!({ "entryIds": [entry] })).await;
            return;
        }
        let entry = format!("a-{}", self.actor.journal.unique_tag());
        let change = |user: &str, amount: i32| json!({ "userId": user, "amount": amount });
        let own = self.actor.user;
        let other = self.actor.user % USERS + 1;
        let changes = [change(&own.to_string(), 7), change(&other.to_string(), -7)];
        let body = json!({ "entries": [{ "entryId": entry, "changes": changes }] });
        self.ask(Method::POST, "/ledger/entries", body).await;
        self.known.lock().unwrap().adjustments.push(entry);
    }

    /// Adds, removes, restores or links a guest.
    async fn change_guest(&mut self) {
        let what = self.actor.rng.u32(0..5);
        let guest = self.one(|it| &it.guests).filter(|_| what > 1);
        let Some(guest) = guest else {
            let name = format!("Guest {}", self.actor.journal.unique_tag());
            let made = self.ask(Method::POST, "/members", json!({ "name": name })).await;
            self.remember(&made, |it| &mut it.guests);
            return;
        };
        let path = format!("/members/{guest}");
        match what {
            2 => self.ask(Method::DELETE, &path, Value::Null).await,
            3 => self.ask(Method::POST, &format!("{path}/restore"), Value::Null).await,
            _ => {
                let link = format!("{path}/link");
                if self.actor.rng.u32(0..4) == 0 {
                    self.ask(Method::DELETE, &link, Value::Null).await
                } else {
                    let body = json!({ "userId": (self.actor.rng.u64(0..2) + 1).to_string() });
                    self.ask(Method::POST, &link, body).await
                }
            }
        };
    }

    /// Removes the visitor, or makes them present again.
    async fn change_visitor(&mut self) {
        let path = format!("/members/{VISITOR}");
        if self.actor.rng.bool() {
            self.ask(Method::DELETE, &path, Value::Null).await;
        } else {
            self.ask(Method::POST, &format!("{path}/restore"), Value::Null).await;
        }
    }

    /// Gives the group another title, or archives it for a moment.
    async fn change_group(&mut self) {
        if self.actor.rng.bool() {
            let title = format!("Trip {}", self.actor.journal.unique_tag());
            self.ask(Method::PATCH, "", json!({ "title": title })).await;
            return;
        }
        for archived in [true, false] {
            self.ask(Method::PATCH, "", json!({ "archived": archived })).await;
        }
    }
}
