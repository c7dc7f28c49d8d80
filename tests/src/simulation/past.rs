//! Checks of past balances, periods and days against a complete statement read before.

use std::collections::BTreeMap;

use fracti_core::values::time::Timestamp;
use serde_json::Value;

use super::{Actor, Finding, World, actor::minor};

/// Maximum pages of one list.
const PAGES: usize = 100;

/// A day, in milliseconds.
const DAY: u64 = 24 * 60 * 60 * 1_000;

/// Net balances by member and currency.
type Nets = BTreeMap<(String, String), i64>;

/// The statement of a group up to a moment. It never changes, because later events have later
/// moments.
#[derive(Debug)]
pub(super) struct Known {
    group: String,
    entries: Vec<Seen>,
}

/// An entry of a statement.
#[derive(Debug)]
struct Seen {
    at: Timestamp,
    sequence: u64,
    nets: Nets,
}

impl Seen {
    fn new(entry: &Value) -> Self {
        let mut nets = Nets::new();
        for change in entry["changes"].as_array().unwrap() {
            let text = |name: &str| change[name].as_str().unwrap().to_owned();
            let user = text("userId");
            let currency = text("currency");
            let total = |name: &str| change.get(name).map_or(0, |it| minor(&currency, it));
            let net = total("paid") - total("owed") + total("sent") - total("received");
            *nets.entry((user, currency.clone())).or_default() += net;
        }
        let at = entry["createdAt"].as_str().unwrap().parse().unwrap();
        Self { at, sequence: entry["sequence"].as_u64().unwrap(), nets }
    }

    fn concerns(&self, user: &str) -> bool {
        self.nets.keys().any(|(it, _)| it == user)
    }
}

impl Known {
    /// The time of the last entry.
    fn last(&self) -> Timestamp {
        self.entries.last().map(|it| it.at).unwrap_or_default()
    }

    /// The number of entries up to a moment, and the nonzero balances at that moment.
    fn until(&self, at: Timestamp) -> (u64, Nets) {
        let mut nets = Nets::new();
        let until = self.entries.iter().filter(|it| it.at <= at);
        let mut count = 0;
        for entry in until {
            count += 1;
            entry.nets.iter().for_each(|(of, net)| *nets.entry(of.clone()).or_default() += net);
        }
        nets.retain(|_, net| *net != 0);
        (count, nets)
    }
}

/// The nonzero balances of a response.
fn shown(balances: &Value) -> Nets {
    let lines = balances.as_array().unwrap().iter();
    let net = |line: &Value| {
        let text = |name: &str| line[name].as_str().unwrap().to_owned();
        let net = minor(&text("currency"), &line["net"]);
        ((text("userId"), text("currency")), net)
    };
    lines.map(net).filter(|(_, net)| *net != 0).collect()
}

impl Actor {
    /// Reads the whole statement, and then a balance, a period or the days, which must agree with
    /// it.
    pub(super) async fn read_past(&mut self, group: &str) {
        if let Some(known) = self.read_statement(group).await {
            self.check_past(&known).await;
        }
    }

    /// All pages of a list; `None` if a page could not be read.
    pub(super) async fn pages(&self, path: &str, limit: usize) -> Option<Vec<Value>> {
        let separator = if path.contains('?') { '&' } else { '?' };
        let first = format!("{path}{separator}limit={limit}");
        let mut all = Vec::new();
        let mut at = first.clone();
        for _ in 0..PAGES {
            let page = self.read(&at).await?;
            all.extend(page["data"].as_array().unwrap().iter().cloned());
            let Some(cursor) = page["pagination"]["nextCursor"].as_str() else { return Some(all) };
            at = format!("{first}&cursor={cursor}");
        }
        self.journal.find(Finding::Wrong(format!("{path} has more than {PAGES} pages")));
        None
    }

    /// The whole statement, which must be complete.
    pub(super) async fn read_statement(&self, group: &str) -> Option<Known> {
        let path = format!("/api/groups/{group}/ledger/entries?order=asc");
        let entries: Vec<Seen> = self.pages(&path, 100).await?.iter().map(Seen::new).collect();
        let sequences: Vec<u64> = entries.iter().map(|it| it.sequence).collect();
        if !sequences.iter().copied().eq(0..sequences.len() as u64) {
            self.journal.find(Finding::Lost(format!("{group} shows {sequences:?}")));
            return None;
        }
        (!entries.is_empty()).then(|| Known { group: group.to_owned(), entries })
    }

    /// Reads a part of the past, which must agree with the known statement.
    pub(super) async fn check_past(&mut self, known: &Known) {
        match self.rng.u32(0..4) {
            0 => self.check_balance(known).await,
            1 => self.check_days(known).await,
            _ => self.check_period(known).await,
        }
    }

    fn differs(&self, path: &str, shown: &impl std::fmt::Debug, known: &impl std::fmt::Debug) {
        let text = format!("user {}: {path} shows {shown:?}, and not {known:?}", self.user);
        self.journal.find(Finding::Off(text));
    }

    /// A balance of a moment before the last entry.
    async fn check_balance(&mut self, known: &Known) {
        let moment = self.moment(known).min(known.last());
        // A future moment is answered as the present.
        if moment >= self.now() {
            return;
        }
        let path = format!("/api/groups/{}/ledger/balance?at={moment}", known.group);
        let Some(balance) = self.read(&path).await else { return };
        let data = &balance["data"];
        let shown = (data["sequence"].as_u64().unwrap(), shown(&data["balances"]));
        if shown != known.until(moment) {
            self.differs(&path, &shown, &known.until(moment));
        }
    }

    /// The balances at the end of each day before that of the last entry.
    async fn check_days(&mut self, known: &Known) {
        let limit = self.rng.choice([1, 100]).unwrap();
        let path = format!("/api/groups/{}/ledger/days", known.group);
        let Some(days) = self.pages(&path, limit).await else { return };
        let last = known.last().day();
        let mut expected: Vec<_> =
            known.entries.iter().map(|it| it.at.day()).filter(|it| *it < last).collect();
        expected.dedup();
        for day in days {
            let of: fracti_core::values::time::Day = day["day"].as_str().unwrap().parse().unwrap();
            let shown = (day["sequence"].as_u64().unwrap(), shown(&day["balances"]));
            if of < last && shown != known.until(of.end()) {
                self.differs(&format!("{path} {of}"), &shown, &known.until(of.end()));
            }
            expected.retain(|it| *it != of);
        }
        if !expected.is_empty() {
            self.differs(&path, &"fewer days", &expected);
        }
    }

    /// A moment before, between, at or after the entries.
    fn moment(&mut self, known: &Known) -> Timestamp {
        let first = known.entries[0].at.millis();
        let last = known.last().millis();
        let millis = match self.rng.u32(0..5) {
            0 => self.rng.u64(first - DAY..first),
            1 => self.rng.u64(last..last + 3 * DAY),
            2 => self.rng.u64(first..=last),
            _ => self.rng.choice(&known.entries).unwrap().at.millis() + self.rng.u64(0..3) - 1,
        };
        Timestamp::from_millis(millis).unwrap()
    }

    /// The statement of a random period, of the group or of one member: the known entries, followed
    /// by later ones.
    async fn check_period(&mut self, known: &Known) {
        let ends = [self.moment(known), self.moment(known)];
        let from = self.rng.bool().then(|| *ends.iter().min().unwrap());
        let to = (self.rng.u32(0..4) > 0).then(|| *ends.iter().max().unwrap());
        let user = (self.rng.u32(0..3) == 0).then(|| self.user.to_string());
        let newest_first = self.rng.bool();
        let mut query = vec![format!("order={}", if newest_first { "desc" } else { "asc" })];
        // Each end is a moment or a whole day.
        let by_day = self.rng.bool();
        let text = |at: Timestamp| if by_day { at.day().to_string() } else { at.to_string() };
        query.extend(from.map(|at| format!("from={}", text(at))));
        query.extend(to.map(|at| format!("to={}", text(at))));
        query.extend(user.as_ref().map(|user| format!("userId={user}")));
        let from = from.map(|at| if by_day { at.day().start() } else { at });
        let to = to.map(|at| if by_day { at.day().end() } else { at });
        let path = format!("/api/groups/{}/ledger/entries?{}", known.group, query.join("&"));
        let limit = self.rng.choice([2, 3, 100]).unwrap().max(known.entries.len() / 5).min(100);
        let Some(mut lines) = self.pages(&path, limit).await else { return };
        if newest_first {
            lines.reverse();
        }

        let seen: Vec<Seen> = lines.iter().map(Seen::new).collect();
        let inside = |it: &Seen| {
            from.is_none_or(|from| from <= it.at)
                && to.is_none_or(|to| it.at <= to)
                && user.as_ref().is_none_or(|user| it.concerns(user))
        };
        let sequences = |of: &[Seen], is: &dyn Fn(&Seen) -> bool| -> Vec<u64> {
            of.iter().filter(|it| is(it)).map(|it| it.sequence).collect()
        };
        let count = known.entries.len() as u64;
        let expected = sequences(&known.entries, &inside);
        let shown = sequences(&seen, &|it| it.sequence < count);
        if shown != expected {
            self.differs(&path, &shown, &expected);
        }
        let all = sequences(&seen, &|_| true);
        let gap = |pair: &[u64]| pair[1] <= pair[0] || user.is_none() && pair[1] != pair[0] + 1;
        if all.windows(2).any(gap) || !seen.iter().all(inside) {
            self.differs(&path, &all, &"a part of the statement");
        }
        let Some(user) = user else { return };
        for (line, entry) in lines.iter().zip(&seen).filter(|(_, it)| it.sequence < count) {
            let shown: Nets = line["balance"]
                .as_object()
                .unwrap()
                .iter()
                .map(|(code, net)| ((user.clone(), code.clone()), minor(code, net)))
                .filter(|(_, net)| *net != 0)
                .collect();
            let mut nets = Nets::new();
            for before in known.entries.iter().filter(|it| it.sequence <= entry.sequence) {
                let own = before.nets.iter().filter(|((it, _), _)| *it == user);
                own.for_each(|(of, net)| *nets.entry(of.clone()).or_default() += net);
            }
            nets.retain(|_, net| *net != 0);
            if shown != nets {
                self.differs(&format!("{path} {}", entry.sequence), &shown, &nets);
            }
        }
    }

    /// Writes the first event of a day during another user's read: one of the requests of the read
    /// is held until the event is written.
    pub(super) async fn begin_day(&mut self, world: &World, group: &str) {
        let mut reader = world.reader();
        let known = reader.read_statement(group).await;
        self.pass(std::time::Duration::from_hours(13));
        let Some(known) = known else { return };
        // Hold the read of the balance row, a checkpoint, the closings, or the entries.
        let text = self.rng.choice(["BALANCE", "CHECKPOINT#", "DAY#", "GSI1"]).unwrap();
        let mut nth = 0;
        let chosen = self.rng.usize(1..=2);
        let held = world.proxy.hold(move |call| {
            let is_one = call.channel() == World::READER && call.mentions(text);
            nth += usize::from(is_one);
            is_one && nth == chosen
        });
        let reading = reader.check_past(&known);
        tokio::pin!(reading);
        tokio::select! {
            () = &mut reading => self.spend(group.to_owned()).await,
            () = held.arrived() => {
                let writing = async {
                    self.spend(group.to_owned()).await;
                    held.release().await;
                };
                tokio::join!(reading, writing);
            }
        }
    }
}
