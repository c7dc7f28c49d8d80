//! The API from outside: each test has an engine and a table of its own.

#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]
#![expect(clippy::indexing_slicing, reason = "a response without the field is a failure")]
#![expect(clippy::arithmetic_side_effects, reason = "a sum that overflows is a failure")]

mod access;
mod admin;
mod alarms;
mod amounts;
mod buttons;
mod changes;
mod chat;
mod concurrency;
mod context;
mod corpus;
mod crates;
mod days;
mod deployment;
mod dinner;
mod events;
mod expenses;
mod export;
mod failures;
mod faults;
mod funds;
mod groups;
mod health;
mod idempotency;
mod import;
mod input;
mod keeper;
mod language;
mod ledger;
mod limits;
mod money;
mod month;
mod openapi;
mod paging;
mod plan;
mod privacy;
mod questions;
mod quotas;
mod reference;
mod refusals;
mod schedules;
mod screens;
mod security;
mod settlements;
mod spendings;
mod stored_rows;
mod targets;
mod texts;
mod tokens;
mod unmigrated;
mod unreadable;
mod users;
mod work;

use fracti_tests::harness;

// With the allocator of the C library, the tests spend a third of their time in it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
