//! The rules of Fracti, without I/O: money, groups, expenses, settlements and the ledger.
//!
//! The folders, from the lowest to the highest; none uses a higher one.
//!
//! | folder | what it has |
//! |---|---|
//! | [`values`] | ids, amounts, times and texts, which are valid by their type |
//! | [`input`] | the input of clients, whose mistakes are all reported at once; errors and limits |
//! | [`storage`] | keys, and the form of entities as rows |
//! | [`split`], [`plan`] | how an expense is divided, and how balances are settled |
//! | [`caller`] | who calls: init data, API tokens, usage |
//! | [`group`] | groups, their members, guests and links, and who is present |
//! | [`ledger`] | the balances and the events that change them |
//! | [`personal`] | what is a user's own: targets and spendings |
//! | [`records`] | what members record: expenses, settlements, adjustments, imports |
//! | [`funds`] | prepaid money of users, and what changes it |
//! | [`questions`] | questions to a group, answers, receipts with claims, points |
//! | [`reports`] | what is added up from records, and whether rows agree |
//! | [`chat`] | the bot's commands, buttons and links, and subscriptions to its messages |
//! | [`decisions`] | what a request writes, by the rows that were read |
//! | [`v0`] | the rows of the TypeScript Fracti |
//! | [`upkeep`] | what the operators' tool writes: migrated, mended and dated rows |
//!
//! [`rows`] lists all kinds of rows. Nothing here knows DynamoDB's client, HTTP, the environment or
//! the time of day.

#![cfg_attr(test, expect(clippy::arithmetic_side_effects, reason = "an overflow fails the test"))]

pub mod caller;
pub mod chat;
pub mod decisions;
pub mod funds;
pub mod group;
pub mod input;
pub mod ledger;
pub mod personal;
pub mod plan;
pub mod questions;
pub mod records;
pub mod reports;
pub mod rows;
pub mod split;
pub mod storage;
pub mod upkeep;
pub mod v0;
pub mod values;
