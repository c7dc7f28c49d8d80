//! What the operators' tool writes, by the rows that were read.

pub mod aside;
pub mod dating;
pub mod mending;
pub mod migration;
pub mod standardising;

#[cfg(test)]
mod tests;
