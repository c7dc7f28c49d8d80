//! The operations of a user, with their requests.
//!
//! Every operation has a unique tag: a title, a description, or an amount. By it the audit finds
//! the effect of an operation without a response.

use axum::http::Method;
use fracti_core::values::currency::Currency;
use serde_json::{Value, json};

/// An operation of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Create a group.
    CreateGroup {
        /// The title: the unique tag.
        title: String,
    },
    /// Join a group.
    Join {
        /// The group.
        group: String,
    },
    /// Create an expense.
    Spend {
        /// The group.
        group: String,
        /// The description: the unique tag.
        label: String,
        /// The payers, and what each paid in minor units.
        payers: Vec<(u64, i64)>,
        /// The amount in minor units; negative for a refund.
        minor: i64,
        /// The currency.
        currency: Currency,
        /// The split.
        split: Split,
        /// The day and the category.
        spent_on: SpentOn,
    },
    /// Delete an expense.
    Delete {
        /// The group.
        group: String,
        /// The expense.
        expense: String,
        /// The users with permission.
        owners: Vec<u64>,
    },
    /// Edit an expense's description and amount, and what each payer paid.
    Edit {
        /// The group.
        group: String,
        /// The expense.
        expense: String,
        /// The users with permission.
        owners: Vec<u64>,
        /// The description: the unique tag.
        label: String,
        /// The payers, who stay the same, and what each paid in minor units.
        payers: Vec<(u64, i64)>,
        /// The amount in minor units.
        minor: i64,
        /// The currency, which stays the same.
        currency: Currency,
        /// The day and the category.
        spent_on: SpentOn,
    },
    /// Restore a deleted expense.
    Restore {
        /// The group.
        group: String,
        /// The expense.
        expense: String,
        /// The users with permission.
        owners: Vec<u64>,
    },
    /// Push adjustments with the same changes under each of the names.
    Adjust {
        /// The group.
        group: String,
        /// The entry ids: the unique tag, together with the changes.
        names: Vec<String>,
        /// The members whose balances grow and fall.
        between: [u64; 2],
        /// The amount in minor units.
        minor: i64,
        /// The currency.
        currency: Currency,
    },
    /// Revert adjustments.
    Revert {
        /// The group.
        group: String,
        /// The entry ids.
        names: Vec<String>,
        /// The users with permission.
        owners: [u64; 3],
    },
    /// Create a settlement.
    Pay {
        /// The group.
        group: String,
        /// The payer.
        from: u64,
        /// The recipient.
        to: u64,
        /// The amount in minor units: the unique tag.
        minor: i64,
        /// The currency.
        currency: Currency,
        /// The transaction hash.
        hash: Option<String>,
    },
    /// Update a settlement.
    Settle {
        /// The group.
        group: String,
        /// The settlement.
        settlement: String,
        /// The payer.
        from: u64,
        /// The recipient.
        to: u64,
        /// The update.
        update: SettlementUpdate,
    },
}

/// The day and the category of an expense.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpentOn {
    /// The day, as it is sent.
    pub date: &'static str,
    /// The category, if it has one.
    pub category: Option<&'static str>,
}

/// The split of an expense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Split {
    /// Equal shares of all members.
    Everybody,
    /// Equal shares of these members.
    Equal(Vec<u64>),
    /// Shares in ten-thousandths of a percent.
    Percentage(Vec<(u64, i64)>),
    /// Shares in minor units.
    Exact(Vec<(u64, i64)>),
    /// Weights in ten-thousandths.
    Shares(Vec<(u64, i64)>),
    /// Adjustments in minor units.
    Adjustment(Vec<(u64, i64)>),
    /// Lines of a receipt.
    Itemized(Receipt),
}

/// An item: its amount in minor units, and its sharers with weights.
pub(super) type ReceiptItem = (i64, Vec<(u64, i64)>);

/// The lines of an expense: items, and a tax on all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The items.
    pub items: Vec<ReceiptItem>,
    /// The amount of the tax in minor units.
    pub tax: i64,
    /// Whether the last item takes what the other lines leave of the amount.
    pub rest: bool,
}

/// An update of a settlement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettlementUpdate {
    /// Complete it.
    Complete,
    /// Fail it.
    Fail,
    /// Name its transaction.
    Attach(String),
}

impl Operation {
    /// The group of the operation.
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
            | Self::Revert { group, .. }
            | Self::Pay { group, .. }
            | Self::Settle { group, .. } => Some(group),
        }
    }

    /// The operation's name in idempotency rows; `None` if it takes no key.
    #[must_use]
    pub const fn name(&self) -> Option<&'static str> {
        match self {
            Self::CreateGroup { .. } => Some("create-group"),
            Self::Join { .. } => Some("join-group"),
            Self::Spend { .. } => Some("create-expense"),
            Self::Pay { .. } => Some("create-settlement"),
            Self::Restore { .. } => Some("restore-expense"),
            Self::Adjust { .. } => Some("push-entries"),
            Self::Revert { .. } => Some("revert-entries"),
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
            Self::Spend { group, label, payers, minor, currency, split, spent_on } => {
                let mut body = split.body(*currency);
                spent_on.add_to(&mut body);
                body["description"] = json!(label);
                match payers.as_slice() {
                    [(payer, _)] => body["payerId"] = json!(payer.to_string()),
                    payers => body["payers"] = parts(*currency, payers),
                }
                body["amount"] = number(*currency, *minor);
                body["currency"] = json!(currency.code());
                (Method::POST, format!("{groups}/{group}/expenses"), body)
            }
            Self::Delete { group, expense, .. } => {
                (Method::DELETE, format!("{groups}/{group}/expenses/{expense}"), Value::Null)
            }
            Self::Edit { group, expense, label, payers, minor, currency, spent_on, .. } => {
                let mut body = json!({ "description": label, "amount": number(*currency, *minor) });
                spent_on.add_to(&mut body);
                if payers.len() > 1 {
                    body["payers"] = parts(*currency, payers);
                }
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
            Self::Revert { group, names, .. } => {
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

impl SpentOn {
    fn add_to(self, body: &mut Value) {
        body["date"] = json!(self.date);
        body["category"] = json!(self.category);
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
                let part = |(it, weight): &(u64, i64)| json!({ "userId": user(it), "percentage": ten_thousandths(*weight) });
                ("percentage", parts.iter().map(part).collect())
            }
            Self::Exact(amounts) => ("exact", parts(currency, amounts)),
            Self::Shares(parts) => {
                let part = |(it, weight): &(u64, i64)| json!({ "userId": user(it), "weight": ten_thousandths(*weight) });
                ("shares", parts.iter().map(part).collect())
            }
            Self::Adjustment(parts) => {
                let part = |(it, minor): &(u64, i64)| json!({ "userId": user(it), "adjustment": number(currency, *minor) });
                ("adjustment", parts.iter().map(part).collect())
            }
            Self::Itemized(receipt) => {
                return json!({ "splitType": "itemized", "items": receipt.lines(currency) });
            }
        };
        json!({ "splitType": split_type, "splits": splits })
    }
}

impl Receipt {
    fn lines(&self, currency: Currency) -> Vec<Value> {
        let item = |(index, (minor, sharers)): (usize, &ReceiptItem)| {
            let sharer =
                |(it, weight): &(u64, i64)| json!({ "userId": it.to_string(), "weight": weight });
            let sharers: Vec<Value> = sharers.iter().map(sharer).collect();
            let mut line = json!({ "name": format!("Item {index}"), "sharers": sharers });
            if !self.rest || index + 1 < self.items.len() {
                line["amount"] = number(currency, *minor);
            }
            line
        };
        let tax = json!({ "kind": "tax", "name": "Tax", "amount": number(currency, self.tax) });
        self.items.iter().enumerate().map(item).chain([tax]).collect()
    }
}

/// A number of ten-thousandths as text.
fn ten_thousandths(weight: i64) -> Value {
    format!("{}.{:04}", weight / 10_000, weight % 10_000).into()
}

/// Members and their parts of an amount.
fn parts(currency: Currency, parts: &[(u64, i64)]) -> Value {
    let part = |(user, minor): &(u64, i64)| json!({ "userId": user.to_string(), "amount": number(currency, *minor) });
    parts.iter().map(part).collect()
}

/// An amount as text, which JSON keeps exactly.
fn number(currency: Currency, minor: i64) -> Value {
    currency.to_major(minor).to_string().into()
}
