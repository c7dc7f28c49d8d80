//! The values that handlers return: views in an envelope, entity tags and problems, whose messages
//! are translated.

pub(crate) mod amounts;
pub(crate) mod balance;
pub(crate) mod envelope;
pub(crate) mod etag;
pub(crate) mod language;
pub(crate) mod limits;
pub(crate) mod member;
pub(crate) mod problem;
pub(crate) mod schedule;
pub mod schemas;
pub(crate) mod sentence;
pub(crate) mod views;
