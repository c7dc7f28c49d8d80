//! The rules of Fracti, without I/O: money, groups, expenses, settlements and the ledger.
//!
//! In reading order: [`id`], [`time`], [`decimal`], [`currency`] and [`money`] are the values;
//! [`split`] divides an expense, [`ledger`] records the balances, [`links`] says which guests are
//! users, [`presence`] who is a member, and [`plan`] settles the balances; [`group`], [`expense`],
//! [`settlement`], [`entry`], [`adjustment`] and [`import`] are the entities of groups, and
//! [`targets`], [`spending`] and [`token`] those of users; [`tally`] adds up the expenses of a day
//! and [`summary`] the spendings, [`days`] both, [`named`] finds the members that a request names,
//! and [`verify`] compares entities with the ledger and the tallies; [`input`] checks the input of
//! clients, and [`text_form`] describes it in the OpenAPI document; [`keys`] and [`row`] turn an
//! entity into a row of the table, [`balance`] and [`idempotency`] are rows of their own, and
//! [`rows`] lists all rows; [`v0`] converts the rows of the TypeScript Fracti; [`telegram`]
//! verifies init data.
//!
//! Nothing here knows DynamoDB's client, HTTP, the environment or the time of day.

#![cfg_attr(test, expect(clippy::arithmetic_side_effects, reason = "an overflow fails the test"))]

pub mod id;

pub mod time;

pub mod decimal;

pub mod currency;

pub mod money;

pub mod split;

pub mod entry_id;

pub mod presence;

pub mod ledger;

pub mod links;

pub mod named;

pub mod plan;

pub mod text;

pub mod text_form;

pub mod input;

pub mod ton;

pub mod chat_id;

pub mod group;

mod guest;

pub mod category;

pub mod expense;

pub mod tally;

pub mod settlement;

pub mod targets;

pub mod spending;

pub mod summary;

pub mod days;

pub mod counters;

pub mod entry;

pub mod adjustment;

pub mod import;

pub mod usage;

pub mod verify;

pub mod roll;

pub mod token;

pub mod keys;

pub mod row;

pub mod balance;

pub mod idempotency;

pub mod rows;

pub mod v0;

pub mod telegram;

mod discrepancy;

mod error;

mod field;

mod limits;

mod numbers;

mod status;

mod token_hash;

mod tx_hash;

pub use error::{Cause, Error};
