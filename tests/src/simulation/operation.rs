//! What a user can do, and the request for it.
//!
//! Every operation leaves a mark that no other one leaves: a title, a description, or an amount. By it the audit finds what
//! became of an operation that was not answered.

use axum::http::Method;
use fracti_core::currency::Currency;
use serde_json::{Value, json};

/// What a user does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Makes a group.
    CreateGroup {
        /// Its title: the mark.
        title: String,
    },
    /// Joins a group.
    Join {
        /// The group.
        group: String,
    },
    /// Records an expense.
    Spend {
        /// The group.
        group: String,
        /// What for: the mark.
        label: String,
        /// Who paid.
        payer: u64,
        /// How much, in minor units.
        minor: i64,
        /// Of which currency.
        currency: Currency,
        /// Who shares it.
        split: Split,
    },
    /// Deletes an expense.
    Delete {
        /// The group.
        group: String,
        /// The expense.
        expense: String,
        /// Who may.
        owners: [u64; 2],
    },
    /// Edits an expense: its words and its amount.
    Edit {
        /// The group.
        group: String,
        /// The expense.
        expense: String,
        /// Who may.
        owners: [u64; 2],
        /// What for: the mark.
        label: String,
        /// How much, in minor units.
        minor: i64,
        /// Of which currency; it stays.
        currency: Currency,
    },
    /// Brings a deleted expense back.
    Restore {
        /// The group.
        group: String,
        /// The expense.
        expense: String,
        /// Who may.
        owners: [u64; 2],
    },
    /// Moves balances by hand, under each of these names alike.
    Adjust {
        /// The group.
        group: String,
        /// What the entries are called: the mark, with the changes.
        names: Vec<String>,
        /// Whose balance grows, and whose falls.
        between: [u64; 2],
        /// By how much, in minor units.
        minor: i64,
        /// Of which currency.
        currency: Currency,
    },
    /// Takes adjustments back.
    Unadjust {
        /// The group.
        group: String,
        /// What the entries are called.
        names: Vec<String>,
        /// Who may.
        owners: [u64; 3],
    },
    /// Records a settlement.
    Pay {
        /// The group.
        group: String,
        /// Who pays.
        from: u64,
        /// Who is paid.
        to: u64,
        /// How much, in minor units: the mark.
        minor: i64,
        /// Of which currency.
        currency: Currency,
        /// The chain transaction.
        hash: Option<String>,
    },
    /// Brings a settlement further.
    Settle {
        /// The group.
        group: String,
        /// The settlement.
        settlement: String,
        /// Who pays.
        from: u64,
        /// Who is paid.
        to: u64,
        /// What is asked.
        update: SettlementUpdate,
    },
}

/// Who shares an expense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Split {
    /// All members.
    Everybody,
    /// These, the same.
    Equal(Vec<u64>),
    /// These, by ten-thousandths of a percent.
    Percentage(Vec<(u64, i64)>),
    /// These, by minor units.
    Exact(Vec<(u64, i64)>),
}

/// What is asked of a settlement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettlementUpdate {
    /// It is paid.
    Complete,
    /// It comes to nothing.
    Fail,
    /// This transaction pays it.
    Attach(String),
}

impl Operation {
    /// The group it is about.
    #[must_use]
    pub fn group(&self) -> Option<&str> {
        match self {
            Self::CreateGroup { .. } => None,
            Self::Join { group }
            | Self::Spend { group, .. }
            | Self::Delete { group, .. }
            | Self::Edit { group, .. }
            | Self::Restore { group, .. }
            | Self::Adjust { group, .. }
            | Self::Unadjust { group, .. }
            | Self::Pay { group, .. }
            | Self::Settle { group, .. } => Some(group),
        }
    }

    /// What the idempotency rows call it; none where it takes no key.
    #[must_use]
    pub const fn name(&self) -> Option<&'static str> {
        match self {
            Self::CreateGroup { .. } => Some("create-group"),
            Self::Join { .. } => Some("join-group"),
            Self::Spend { .. } => Some("create-expense"),
            Self::Pay { .. } => Some("create-settlement"),
            Self::Restore { .. } => Some("restore-expense"),
            Self::Adjust { .. } => Some("push-entries"),
            Self::Unadjust { .. } => Some("revert-entries"),
            Self::Delete { .. } | Self::Edit { .. } | Self::Settle { .. } => None,
        }
    }

    /// The method, the path and the body of its request.
    #[must_use]
    pub fn request(&self) -> (Method, String, Value) {
        let groups = "/api/groups";
        match self {
            Self::CreateGroup { title } => {
                let body = json!({ "title": title, "chatId": 1, "currency": "EUR" });
                (Method::POST, groups.to_owned(), body)
            }
            Self::Join { group } => (Method::POST, format!("{groups}/{group}/join"), json!({})),
            Self::Spend { group, label, payer, minor, currency, split } => {
                let mut body = split.body(*currency);
                body["description"] = json!(label);
                body["payerId"] = json!(payer.to_string());
                body["amount"] = number(*currency, *minor);
                body["currency"] = json!(currency.code());
                (Method::POST, format!("{groups}/{group}/expenses"), body)
            }
            Self::Delete { group, expense, .. } => {
                (Method::DELETE, format!("{groups}/{group}/expenses/{expense}"), Value::Null)
            }
            Self::Edit { group, expense, label, minor, currency, .. } => {
                let body = json!({ "description": label, "amount": number(*currency, *minor) });
                (Method::PUT, format!("{groups}/{group}/expenses/{expense}"), body)
            }
            Self::Restore { group, expense, .. } => {
                let path = format!("{groups}/{group}/expenses/{expense}/restore");
                (Method::POST, path, Value::Null)
            }
            Self::Adjust { group, names, between: [plus, minus], minor, currency } => {
                let change = |user: &u64, minor: i64| {
                    json!({
                        "userId": user.to_string(), "currency": currency.code(),
                        "amount": number(*currency, minor),
                    })
                };
                let changes = [change(plus, *minor), change(minus, -minor)];
                let entry = |name| json!({ "entryId": name, "changes": changes });
                let body = names.iter().map(entry).collect();
                (Method::POST, format!("{groups}/{group}/ledger/entries"), body)
            }
            Self::Unadjust { group, names, .. } => {
                let path = format!("{groups}/{group}/ledger/entries/revert");
                (Method::POST, path, json!(names))
            }
            Self::Pay { group, from, to, minor, currency, hash } => {
                let body = json!({
                    "fromId": from.to_string(), "toId": to.to_string(), "txHash": hash,
                    "amount": number(*currency, *minor), "currency": currency.code(),
                });
                (Method::POST, format!("{groups}/{group}/settlements"), body)
            }
            Self::Settle { group, settlement, update, .. } => {
                let body = match update {
                    SettlementUpdate::Complete => json!({ "status": "completed" }),
                    SettlementUpdate::Fail => json!({ "status": "failed" }),
                    SettlementUpdate::Attach(hash) => json!({ "txHash": hash }),
                };
                (Method::PUT, format!("{groups}/{group}/settlements/{settlement}"), body)
            }
        }
    }
}

impl Split {
    fn body(&self, currency: Currency) -> Value {
        let user = |user: &u64| user.to_string();
        let (split_type, splits) = match self {
            Self::Everybody => return json!({}),
            Self::Equal(users) => {
                ("equal", users.iter().map(|it| json!({ "userId": user(it) })).collect())
            }
            Self::Percentage(parts) => {
                let part = |(it, weight): &(u64, i64)| {
                    let percentage = format!("{}.{:04}", weight / 10_000, weight % 10_000);
                    json!({ "userId": user(it), "percentage": percentage })
                };
                ("percentage", parts.iter().map(part).collect())
            }
            Self::Exact(parts) => {
                let part = |(it, minor): &(u64, i64)| json!({ "userId": user(it), "amount": number(currency, *minor) });
                ("exact", parts.iter().map(part).collect::<Vec<_>>())
            }
        };
        json!({ "splitType": split_type, "splits": splits })
    }
}

/// An amount as text, which JSON keeps exactly.
fn number(currency: Currency, minor: i64) -> Value {
    currency.to_major(minor).to_string().into()
}
