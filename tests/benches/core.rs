//! Measures what a request computes without the table: `cargo bench --workspace --bench core`.

#![expect(clippy::unwrap_used, reason = "a program that stops where it fails")]

use std::fmt;

use divan::{Bencher, black_box};
use fracti_core::{
    input::limits::MAX_SHARES,
    plan::plans,
    records::expense::Expense,
    split::Split,
    storage::row::{self, Item},
    values::{
        currency::Currency,
        id::{MemberId, UserId},
        money::Money,
    },
};
use fracti_http::{ExpenseView, List, shown};
use fracti_tests::open_balances::{KINDS, Kind, open_balances};
use serde_json::{Value, json};

fn main() {
    divan::main();
}

/// Random balances: their kind, and how many are open.
struct Open(Kind, usize);

impl fmt::Display for Open {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self((kind, ..), open) = self;
        write!(f, "{open} open, {kind}")
    }
}

/// The plan of a group.
#[divan::bench(args = KINDS.iter().flat_map(|kind| [10, 20, 30, 60].map(|open| Open(*kind, open))))]
fn plan(bencher: Bencher<'_, '_>, Open(kind, open): &Open) {
    let balances: Vec<_> = users().zip(open_balances(*kind, *open, 1)).collect();
    bencher.bench(|| plans([(Currency::TON, black_box(&balances).iter().copied())]));
}

/// An amount that does not divide evenly among the members.
#[divan::bench(args = [2, 6, MAX_SHARES])]
fn split(bencher: Bencher<'_, '_>, members: usize) {
    let split = Split::Equal(users().take(members).collect());
    let amount = Money { currency: Currency::TON, minor: 9_999_999 };
    let expense = "0190a1b2-0000-7000-8000-000000000001".parse().unwrap();
    bencher.bench(|| black_box(&split).divide(amount, expense));
}

/// The JSON of a page of expenses with six shares each.
#[divan::bench(args = [1, 20, 100])]
fn json_of_a_page(bencher: Bencher<'_, '_>, expenses: usize) {
    let expense = expense();
    bencher.with_inputs(|| vec![expense.clone(); expenses]).bench_values(|expenses| {
        let page = List::new(expenses.into_iter().map(ExpenseView::from), None);
        shown(&serde_json::to_vec(&page).unwrap())
    });
}

/// The entities of the rows of a page.
#[divan::bench(args = [1, 20, 100])]
fn rows_of_a_page(bencher: Bencher<'_, '_>, expenses: usize) {
    let row = row::to_item(&expense()).unwrap();
    bencher.with_inputs(|| vec![row.clone(); expenses]).bench_values(|rows: Vec<Item>| {
        rows.into_iter().map(row::from_item::<Expense>).collect::<Result<Vec<_>, _>>()
    });
}

fn users() -> impl Iterator<Item = MemberId> {
    (1..).flat_map(UserId::new).map(MemberId::from)
}

fn expense() -> Expense {
    let share = |user: u64| {
        json!({ "userId": user.to_string(),
        "userName": format!("Member {user}"), "amount": 4 })
    };
    let splits: Vec<Value> = (1..=6).map(share).collect();
    serde_json::from_value(json!({
        "id": "0190a1b2-0000-7000-8000-000000000001",
        "groupId": "0190a1b2-0000-7000-8000-000000000002",
        "groupTitle": "Alps",
        "payerId": "1",
        "payerName": "Member 1",
        "amount": 24,
        "currency": "EUR",
        "description": "Dinner at the restaurant",
        "splitType": "equal",
        "splits": splits,
        "category": "food",
        "createdAt": "2026-01-15T12:00:00.000Z",
        "createdBy": "1",
    }))
    .unwrap()
}
