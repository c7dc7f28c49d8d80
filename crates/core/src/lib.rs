//! What Fracti knows: money, who shares it, who may move it, and the one table that keeps it.
//!
//! Read in this order: [`id`], [`time`], [`decimal`] and [`currency`] are the values; [`split`] divides an expense,
//! [`ledger`] keeps the balances, [`entry_id`] names what is in it, [`plan`] settles them; [`group`], [`expense`],
//! [`settlement`] and [`adjustment`] are what the table holds, [`text`], [`ton`] and [`input`] what people write into
//! it; [`keys`] says where each row is, [`row`] how an entity
//! becomes one, [`table`] reads and writes them; [`telegram`] says who is asking.
//! Nothing here knows HTTP, Lambda, the environment or the time of day.

#![cfg_attr(test, expect(clippy::arithmetic_side_effects, reason = "an overflow fails the test"))]

pub mod id;

pub mod time;

pub mod decimal;

pub mod currency;

pub mod split;

pub mod entry_id;

pub mod ledger;

pub mod plan;

pub mod text;

pub mod input;

pub mod ton;

pub mod group;

pub mod expense;

pub mod settlement;

pub mod adjustment;

pub mod keys;

pub mod row;

pub mod table;

pub mod telegram;

mod error;

pub use error::{Cause, Error};
