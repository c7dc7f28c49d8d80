//! Forged requests, and requests of users without permission.

use axum::http::Method;
use fracti_core::{caller::telegram, values::time::Timestamp};
use serde_json::{Value, json};

use super::{
    Actor, Finding, Operation, Outcome, SettlementUpdate, actor::telegram_user,
    journal::KnownSettlement, world::TOKEN,
};
use crate::client;

/// A Telegram user who is in no group.
const STRANGER: u64 = 666;

impl Actor {
    /// An adjustment name that equals or resembles another key of the table.
    pub(super) fn colliding_name(&mut self, group: &str) -> String {
        let expense = self.rng.choice(self.journal.expenses(group)).map(|it| it.id);
        let settlement = self.rng.choice(self.journal.settlements(group)).map(|it| it.id);
        let unique_tag = self.journal.unique_tag();
        let id = if self.rng.bool() { settlement.or(expense) } else { expense.or(settlement) };
        let id = id.unwrap_or_else(|| group.to_owned());
        match self.rng.u32(0..8) {
            0..3 => id,
            3 => id.to_uppercase(),
            4 => format!("{id}#{unique_tag}"),
            5 => format!("HISTORY#{unique_tag:020}"),
            6 => format!("~{unique_tag}"),
            _ => format!("BALANCE {unique_tag}"),
        }
    }

    /// Completes every pending settlement, without faults; nothing may prevent it.
    pub(super) async fn complete_all(&self, group: &str) {
        for KnownSettlement { group, id, from, to } in self.journal.settlements(group) {
            let operation = Operation::Settle {
                group,
                settlement: id,
                from,
                to,
                update: SettlementUpdate::Complete,
            };
            let place = self.journal.begin(to, operation.clone(), None);
            let outcome = self.be(to).ask(&operation, None).await;
            let failed = Outcome::Refused("SETTLEMENT_FINAL".to_owned());
            if !matches!(outcome, Outcome::Done(_)) && outcome != failed {
                let text = format!("{operation:?} is prevented: {outcome:?}");
                self.journal.find(Finding::Wrong(text));
            }
            self.journal.end(place, outcome);
        }
    }

    /// Sends a request that must be refused.
    pub(super) async fn send_forged_request(&mut self, group: &str) {
        let now = self.now();
        let hours_ago =
            |hours: u64| Timestamp::from_millis(now.millis() - hours * 3_600_000).unwrap();
        let signed =
            |user: u64, token: &str, at: Timestamp| telegram::sign(&telegram_user(user), token, at);
        let mut forged = signed(self.user, TOKEN, now);
        let last = forged.pop().unwrap();
        forged.push(if last == '0' { '1' } else { '0' });
        let init_data = match self.rng.u32(0..5) {
            0 => forged,
            1 => signed(self.user, "43:other-token", now),
            2 => signed(self.user, TOKEN, hours_ago(25)),
            3 => String::new(),
            _ => signed(STRANGER, TOKEN, now),
        };
        let expense = json!({ "amount": 1, "description": "Forged" });
        let at = |rest: &str| format!("/api/groups/{group}{rest}");
        let known = self.rng.choice(self.journal.expenses(group)).map(|it| it.id);
        let settlement = self.rng.choice(self.journal.settlements(group)).map(|it| it.id);
        let (method, path, body) = match (self.rng.u32(0..6), known, settlement) {
            (0, ..) => (Method::POST, at("/expenses"), expense),
            (1, Some(id), _) => (Method::DELETE, at(&format!("/expenses/{id}")), Value::Null),
            (2, _, Some(id)) => {
                (Method::PUT, at(&format!("/settlements/{id}")), json!({ "status": "completed" }))
            }
            (3, ..) => (Method::GET, at("/debts"), Value::Null),
            (4, ..) => (Method::GET, at(""), Value::Null),
            _ => (Method::GET, at("/expenses"), Value::Null),
        };
        let request = client::request(&method, &path, &format!("tma {init_data}"), None, &body);
        self.journal.forged();
        let Some(reply) = self.transport.send(request).await else { return };
        if reply.status.is_success() {
            self.journal.find(Finding::ForgeryAccepted(format!(
                "{method} {path} as {init_data}: {reply:?}"
            )));
        }
    }
}
