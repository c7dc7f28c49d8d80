//! Files of a whole group: imports and exports.

pub(crate) mod export;
pub(crate) mod imports;
