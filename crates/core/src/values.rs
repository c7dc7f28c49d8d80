//! Values: ids, amounts, times and texts, which are valid by their type.

pub mod category;
pub mod chat_id;
pub mod currency;
pub mod decimal;
pub mod entry_id;
pub(crate) mod fund_key;
pub(crate) mod fund_status;
pub mod guess;
pub mod id;
pub mod money;
pub(crate) mod question_status;
pub mod ref_id;
pub mod request_context;
pub(crate) mod settlement_status;
pub mod shown;
pub(crate) mod spending_id;
pub(crate) mod tally_key;
pub mod text;
pub mod text_form;
pub mod time;
pub(crate) mod token_hash;
pub mod ton;
pub(crate) mod tx_hash;
pub mod typed;
