//! Groups and their memberships.

mod categories;
mod create;
mod debts;
mod default_split;
mod deletion;
mod get;
mod guests;
mod invitation;
mod join;
mod leave;
mod link;
mod open;
mod remove;
mod update;
mod wallet;

const WALLET: &str = "EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF";
