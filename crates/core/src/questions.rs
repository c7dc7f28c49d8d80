//! Questions to a group: what is asked and answered, receipts whose items members claim, and
//! points.

pub mod answer;
pub mod asking;
pub mod points;
pub mod question;
pub mod receipt;

#[cfg(test)]
mod tests;
