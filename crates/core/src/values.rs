//! Values: ids, amounts, times and texts, which are valid by their type.

pub mod category;
pub mod chat_id;
pub mod currency;
pub mod decimal;
pub mod entry_id;
pub mod fund_key;
pub mod fund_status;
pub mod guess;
pub mod id;
pub mod money;
pub mod question_status;
pub mod ref_id;
pub mod request_context;
pub mod settlement_status;
pub mod shown;
pub mod spending_id;
pub mod tally_key;
pub mod text;
pub mod text_form;
pub mod time;
pub mod token_hash;
pub mod ton;
pub mod tx_hash;
pub mod typed;
