//! Generated tables of the TypeScript Fracti, with every known defect of its rows, and the expected
//! results, computed without Fracti's code.

use std::{
    collections::{BTreeMap, HashMap},
    ops::RangeInclusive,
};

use aws_sdk_dynamodb::{
    Client,
    types::{AttributeValue, PutRequest, WriteRequest},
};
use fastrand::Rng;

use crate::database::TABLE;

/// A row.
type Item = HashMap<String, AttributeValue>;

/// Balances in minor units by currency and member. A share that the row does not give exactly may
/// be rounded up or down.
pub type Meant = BTreeMap<(&'static str, String), RangeInclusive<i128>>;

/// A table of the TypeScript Fracti.
#[derive(Debug, Default)]
pub struct V0Table {
    /// All rows.
    pub rows: Vec<Item>,
    /// The groups by id.
    pub groups: BTreeMap<String, V0Group>,
    /// Number of rows, and parts of rows, that stay as they are.
    pub anomalies: usize,
}

/// The expected results for a group.
#[derive(Clone, Debug, Default)]
pub struct V0Group {
    /// The balances.
    pub balances: Meant,
    /// Number of expenses that can be migrated.
    pub expenses: u64,
    /// Number of settlements that can be migrated and are completed.
    pub completed: u64,
    /// Telegram id of a member.
    pub user: u64,
}

/// A member, as named in v0 rows and in current rows.
#[derive(Clone, Debug)]
struct Person {
    v0: String,
    present: String,
    name: String,
}

/// Currencies with the number of decimals.
const CURRENCIES: [(&str, u32); 3] = [("TON", 9), ("USD", 2), ("JPY", 0)];

/// Start of 2023, in milliseconds.
const START: u64 = 1_672_531_200_000;

fn text(text: impl Into<String>) -> AttributeValue {
    AttributeValue::S(text.into())
}

#[expect(clippy::needless_pass_by_value, reason = "numbers are copied, and texts are made for it")]
fn number(number: impl ToString) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

fn item<const N: usize>(attributes: [(&str, AttributeValue); N]) -> Item {
    attributes.map(|(name, value)| (name.to_owned(), value)).into()
}

/// A random UUID of version 4.
fn uuid(random: &mut Rng) -> String {
    let hex: String = (0..32).map(|_| char::from_digit(random.u32(0..16), 16).unwrap()).collect();
    format!("{}-{}-4{}-a{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..])
}

/// The moment as JavaScript writes it.
fn iso(millis: u64) -> String {
    fracti_core::values::time::Timestamp::from_millis(millis).unwrap().to_string()
}

/// Minor units as a number of major units.
fn major(minor: i128, decimals: u32) -> String {
    let unit = 10_i128.pow(decimals);
    let fraction = format!("{:0>width$}", minor % unit, width = decimals as usize);
    let fraction = fraction.trim_end_matches('0');
    if decimals == 0 || fraction.is_empty() {
        return (minor / unit).to_string();
    }
    format!("{}.{fraction}", minor / unit)
}

/// A part of an amount in major units, as JavaScript divides.
#[expect(
    clippy::float_arithmetic,
    clippy::cast_precision_loss,
    reason = "JavaScript has only floats"
)]
fn divided(amount: i128, decimals: u32, weight: i128, of: i128) -> f64 {
    amount as f64 / 10_i128.pow(decimals) as f64 * weight as f64 / of as f64
}

impl V0Table {
    /// A table of about `items` rows.
    #[must_use]
    pub fn of(seed: u64, items: usize) -> Self {
        let mut random = Rng::with_seed(seed);
        let mut table = Self::default();
        while table.rows.len() < items {
            let size = random.usize(10..200).min(items);
            Builder::new(&mut random, &mut table).group(size);
        }
        table.orphans(&mut random);
        table
    }

    /// Rows that belong to no group.
    fn orphans(&mut self, random: &mut Rng) {
        for pk in [format!("GROUP#{}", uuid(random)), "GROUP#chat-12".to_owned()] {
            for sk in ["TX#2024-01-20T18:30:00.000Z", "USER#123"] {
                self.rows.push(item([
                    ("PK", text(pk.as_str())),
                    ("SK", text(sk)),
                    ("id", text(uuid(random))),
                    ("amount", number(5)),
                ]));
                self.anomalies += 1;
            }
        }
    }

    /// Writes the rows into the table.
    ///
    /// # Panics
    ///
    /// If the table refuses them.
    pub async fn write(&self, client: &Client) {
        for rows in self.rows.chunks(25) {
            let puts = rows.iter().map(|row| {
                let put = PutRequest::builder().set_item(Some(row.clone())).build().unwrap();
                WriteRequest::builder().put_request(put).build()
            });
            let write = client.batch_write_item().request_items(TABLE, puts.collect());
            let output = write.send().await.unwrap();
            assert!(output.unprocessed_items.is_none_or(|left| left.is_empty()));
        }
    }
}

/// A group in the making.
struct Builder<'a> {
    random: &'a mut Rng,
    table: &'a mut V0Table,
    id: String,
    currency: Option<(&'static str, u32)>,
    people: Vec<Person>,
    strangers: Vec<Person>,
    at: u64,
    group: V0Group,
    hash: Option<String>,
}

impl<'a> Builder<'a> {
    fn new(random: &'a mut Rng, table: &'a mut V0Table) -> Self {
        let id = uuid(random);
        let currency = Some(CURRENCIES[random.usize(0..3)]).filter(|_| random.u8(0..10) > 0);
        let at = START + random.u64(0..10_000_000_000);
        let group = V0Group::default();
        Self {
            random,
            table,
            id,
            currency,
            people: vec![],
            strangers: vec![],
            at,
            group,
            hash: None,
        }
    }

    fn group(mut self, size: usize) {
        let members = self.random.usize(2..7);
        for index in 0..members {
            self.member(index);
        }
        let mut row = item([
            ("PK", text(format!("GROUP#{}", self.id))),
            ("SK", text("METADATA")),
            ("id", text(self.id.as_str())),
            ("chatId", text("-1001234567890")),
            ("title", text("Roommates")),
            ("createdAt", text(iso(self.at))),
            ("memberCount", number(self.random.usize(0..9))),
        ]);
        if let Some((code, _)) = self.currency {
            row.insert("currency".to_owned(), text(code));
        }
        self.table.rows.push(row);
        let guest = uuid(self.random);
        let past = self.random.u64(1 << 40..1 << 41).to_string();
        self.strangers.push(Person {
            present: format!("guest-{guest}"),
            v0: guest,
            name: "Eve".to_owned(),
        });
        self.strangers.push(Person { v0: past.clone(), present: past, name: "Frank".to_owned() });
        let end = self.table.rows.len() + size;
        while self.table.rows.len() < end {
            self.at += self.random.u64(1..40_000_000);
            match self.random.u8(0..40) {
                0 => self.participant_without_expense(),
                1 => self.unreadable_expense(),
                2..12 => self.settlement(),
                _ => self.expense(),
            }
        }
        self.table.groups.insert(self.id.clone(), self.group);
    }

    /// Adds a member. The first one always has a Telegram id.
    fn member(&mut self, index: usize) {
        let user = self.random.u64(1 << 30..1 << 40);
        let name = ["Alice", "Bob", "Carol", "Dave", "Grace", "Heidi"][index].to_owned();
        let telegram = user.to_string();
        let other = uuid(self.random);
        let (in_key, id, has_telegram_id) = match self.random.u8(0..6) {
            0 if index > 0 => (other.clone(), other.clone(), false),
            1 if index > 0 => (other.clone(), other.clone(), true),
            2 => (telegram.clone(), other.clone(), true),
            _ => (telegram.clone(), telegram.clone(), true),
        };
        let present = if has_telegram_id { telegram } else { format!("guest-{other}") };
        let v0 = if self.random.bool() { in_key.clone() } else { id.clone() };
        let mut row = item([
            ("PK", text(format!("GROUP#{}", self.id))),
            ("SK", text(format!("USER#{in_key}"))),
            ("GSI1PK", text(format!("USER#{in_key}"))),
            ("GSI1SK", text(format!("GROUP#{}", self.id))),
            ("id", text(id)),
            ("name", text(name.as_str())),
            ("joinedAt", text(iso(self.at))),
        ]);
        if has_telegram_id {
            row.insert("telegramId".to_owned(), number(user));
        }
        if self.random.u8(0..8) == 0 {
            row.insert("wallet".to_owned(), text("EQBvI0aFLnw2XHNc7mpXc..."));
            self.table.anomalies += 1;
        }
        self.table.rows.push(row);
        if index == 0 {
            self.group.user = user;
        }
        self.people.push(Person { v0, present, name });
    }

    fn person(&mut self) -> Person {
        let from = if self.random.u8(0..30) == 0 { &self.strangers } else { &self.people };
        from[self.random.usize(0..from.len())].clone()
    }

    fn meant(&mut self, code: &'static str, person: &Person, low: i128, high: i128) {
        let balance = self.group.balances.entry((code, person.present.clone())).or_insert(0..=0);
        *balance = balance.start() + low..=balance.end() + high;
    }

    /// The currency of a row, and the attribute, unless it is missing.
    fn currency(&mut self) -> ((&'static str, u32), Option<AttributeValue>) {
        if self.random.u8(0..8) == 0 {
            return (self.currency.unwrap_or(CURRENCIES[0]), None);
        }
        let currency = CURRENCIES[self.random.usize(0..3)];
        (currency, Some(text(currency.0)))
    }

    fn expense(&mut self) {
        let ((code, decimals), currency) = self.currency();
        let payer = self.person();
        let mut sharers: Vec<Person> = Vec::new();
        for _ in 0..self.random.usize(1..6) {
            let person = self.person();
            if sharers.iter().all(|it| it.present != person.present) {
                sharers.push(person);
            }
        }
        let amount = i128::from(self.random.u64(1..1_000_000));
        let count = sharers.len() as i128;
        let mut attributes: Vec<Item> = Vec::new();
        let mut split_type = ["equal", "exact", "percentage"][self.random.usize(0..3)];
        // Weights by which the amount must be divided, if the amounts are wrong.
        let mut weights: Vec<i128> = vec![1; sharers.len()];
        let mut exact = false;
        match (split_type, self.random.u8(0..3)) {
            ("equal", 0) => {
                // Divided with floats.
                let share = divided(amount, decimals, 1, count);
                attributes.extend(sharers.iter().map(|_| item([("amount", number(share))])));
            }
            ("equal", 1) => {
                // Rounded down, so the sum is too small.
                let share = major(amount / count, decimals);
                attributes.extend(sharers.iter().map(|_| item([("amount", number(&share))])));
            }
            ("percentage", 0) => {
                // Percentages without amounts.
                weights = self.percentages(sharers.len());
                let parts = weights.iter().map(|it| item([("percentage", number(it))]));
                attributes.extend(parts);
            }
            ("percentage", _) => {
                // Divided with floats, by percentages that sum to a little less than 100.
                weights = self.percentages(sharers.len()).iter().map(|it| it * 1_000_000).collect();
                weights[0] -= 1;
                for weight in &weights {
                    let share = divided(amount, decimals, *weight, 100_000_000);
                    let percentage = major(*weight, 6);
                    let share = [("amount", number(share)), ("percentage", number(percentage))];
                    attributes.push(item(share));
                }
            }
            ("exact", 0) => {
                // The shares do not sum to the amount.
                weights = sharers.iter().map(|_| i128::from(self.random.u32(1..1000))).collect();
                let share = |it: &i128| item([("amount", number(major(*it, decimals)))]);
                attributes.extend(weights.iter().map(share));
                exact = weights.iter().sum::<i128>() == amount;
            }
            _ => {
                // Correct shares, perhaps with an unknown way to split.
                exact = true;
                weights = self.percentages(sharers.len());
                let sum: i128 = weights.iter().map(|it| amount * it / 100).sum();
                weights = weights.iter().map(|it| amount * it / 100).collect();
                weights[0] += amount - sum;
                let share = |it: &i128| item([("amount", number(major(*it, decimals)))]);
                attributes.extend(weights.iter().map(share));
                if self.random.u8(0..4) == 0 {
                    split_type = "by feeling";
                }
            }
        }
        let sum: i128 = weights.iter().sum();
        self.meant(code, &payer, amount, amount);
        for (sharer, weight) in sharers.iter().zip(&weights) {
            if exact {
                self.meant(code, sharer, -weight, -weight);
            } else {
                let low = (amount * weight).div_euclid(sum);
                let rest = i128::from((amount * weight).rem_euclid(sum) != 0);
                self.meant(code, sharer, -low - rest, -low);
            }
        }
        for (share, sharer) in attributes.iter_mut().zip(&sharers) {
            share.insert("userId".to_owned(), text(sharer.v0.as_str()));
            share.insert("userName".to_owned(), text(sharer.name.as_str()));
        }
        let splits = attributes.iter().cloned().map(AttributeValue::M).collect();
        let id = self.record(&payer, &major(amount, decimals), currency, AttributeValue::L(splits));
        let row = self.table.rows.last_mut().unwrap();
        row.insert("splitType".to_owned(), text(split_type));
        if self.random.bool() {
            self.participants(&id, &payer, &sharers);
        }
        self.group.expenses += 1;
    }

    /// Percentages, which sum to 100 and are not zero.
    fn percentages(&mut self, count: usize) -> Vec<i128> {
        let mut left = 100 - i128::try_from(count).unwrap();
        let mut parts = vec![1; count];
        for part in &mut parts {
            let more = self.random.i128(0..=left);
            *part += more;
            left -= more;
        }
        parts[0] += left;
        parts
    }

    /// Adds the row of an expense without the way to split, and returns the id.
    fn record(
        &mut self,
        payer: &Person,
        amount: &str,
        currency: Option<AttributeValue>,
        splits: AttributeValue,
    ) -> String {
        let id = uuid(self.random);
        let at = iso(self.at);
        let (in_key, created_at) = match self.random.u8(0..30) {
            0 => (at.replace('Z', "+00:00"), at.clone()),
            1 => (format!("{at}#{id}"), at.clone()),
            2 => (at.clone(), "yesterday".to_owned()),
            _ => (at.clone(), at.clone()),
        };
        let mut row = item([
            ("PK", text(format!("GROUP#{}", self.id))),
            ("SK", text(format!("TX#{in_key}"))),
            ("GSI2PK", text(format!("EXPENSE#{id}"))),
            ("GSI2SK", text(self.id.as_str())),
            ("id", text(id.as_str())),
            ("groupId", text(self.id.as_str())),
            ("payerId", text(payer.v0.as_str())),
            ("payerName", text(payer.name.as_str())),
            ("amount", number(amount)),
            ("splits", splits),
            ("splitType", text("equal")),
            ("createdAt", text(created_at)),
        ]);
        let long = "Dinner ".repeat(40);
        let description = if self.random.u8(0..20) == 0 { long.as_str() } else { "Dinner" };
        row.insert("description".to_owned(), text(description));
        row.extend(currency.map(|currency| ("currency".to_owned(), currency)));
        let category = ["food", "Rent", "beer", ""][self.random.usize(0..4)];
        if !category.is_empty() {
            row.insert("category".to_owned(), text(category));
        }
        if self.random.u8(0..10) == 0 {
            row.insert("receiptUrl".to_owned(), text("https://example.com/1.jpg"));
        }
        if self.random.bool() {
            row.insert("GSI3PK".to_owned(), text(format!("USER#{}", payer.v0)));
            row.insert("GSI3SK".to_owned(), text(format!("TX#{at}")));
        }
        self.table.rows.push(row);
        id
    }

    fn participants(&mut self, expense: &str, payer: &Person, sharers: &[Person]) {
        for sharer in sharers.iter().filter(|it| it.present != payer.present) {
            self.table.rows.push(item([
                ("PK", text(format!("GROUP#{}", self.id))),
                ("SK", text(format!("PART#{expense}#{}", sharer.v0))),
                ("GSI1PK", text(format!("USER#{}", sharer.v0))),
                ("GSI1SK", text(format!("OWES#{}", iso(self.at)))),
                ("expenseId", text(expense)),
                ("userId", text(sharer.v0.as_str())),
                ("amount", number("33.333333333333336")),
            ]));
        }
    }

    fn participant_without_expense(&mut self) {
        let id = uuid(self.random);
        let person = self.people[0].clone();
        let nobody = Person { present: String::new(), ..person.clone() };
        self.participants(&id, &nobody, &[person]);
        self.table.anomalies += 1;
    }

    /// An expense that must stay as it is: its amount is zero, or it has too many shares.
    fn unreadable_expense(&mut self) {
        let payer = self.people[0].clone();
        let share = |index: u64| {
            let share = [("userId", text((1000 + index).to_string())), ("amount", number(1))];
            AttributeValue::M(item(share))
        };
        let (amount, count) = if self.random.bool() { ("0", 1) } else { ("120", 120) };
        let splits = AttributeValue::L((0..count).map(share).collect());
        self.record(&payer, amount, Some(text("USD")), splits);
        self.table.anomalies += 1;
    }

    fn settlement(&mut self) {
        let ((code, decimals), currency) = self.currency();
        let from = self.person();
        let to = self.people.iter().find(|it| it.present != from.present).unwrap().clone();
        let id = uuid(self.random);
        let at = iso(self.at);
        let amount = i128::from(self.random.u64(1..1_000_000));
        let status = ["pending", "completed", "completed", "failed"][self.random.usize(0..4)];
        let mut row = item([
            ("PK", text(format!("GROUP#{}", self.id))),
            ("SK", text(format!("SETTLE#{at}"))),
            ("GSI2PK", text(format!("SETTLEMENT#{id}"))),
            ("GSI2SK", text(self.id.as_str())),
            ("id", text(id)),
            ("groupId", text(self.id.as_str())),
            ("fromUserId", text(from.v0.as_str())),
            ("fromUserName", text(from.name.as_str())),
            ("toUserId", text(to.v0.as_str())),
            ("toUserName", text(to.name.as_str())),
            ("amount", number(major(amount, decimals) + &self.float_noise(decimals, amount))),
            ("status", text(status)),
            ("createdAt", text(at)),
        ]);
        row.extend(currency.map(|currency| ("currency".to_owned(), currency)));
        self.hash(&mut row, status);
        if status == "completed" {
            if self.random.bool() {
                row.insert("completedAt".to_owned(), text(iso(self.at + 5_000)));
            }
            self.meant(code, &from, amount, amount);
            self.meant(code, &to, -amount, -amount);
            self.group.completed += 1;
        }
        self.table.rows.push(row);
    }

    /// The surplus digits of a sum of floats.
    fn float_noise(&mut self, decimals: u32, amount: i128) -> String {
        let ends = amount % 10 != 0 && decimals > 0 && self.random.u8(0..5) == 0;
        if ends { "00000004".to_owned() } else { String::new() }
    }

    fn hash(&mut self, row: &mut Item, status: &str) {
        let used = status != "failed";
        let hash = match self.random.u8(0..6) {
            0 => {
                self.table.anomalies += 1;
                "a1b2c3d4e5f6...".to_owned()
            }
            1 if used && self.hash.is_some() => {
                self.table.anomalies += 1;
                self.hash.clone().unwrap()
            }
            2 | 3 => {
                let hash = uuid(self.random).replace('-', "").to_uppercase().repeat(2);
                if used {
                    self.hash.get_or_insert_with(|| hash.clone());
                }
                hash
            }
            _ => return,
        };
        row.insert("txHash".to_owned(), text(hash));
    }
}
