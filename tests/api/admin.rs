//! The commands of the operators' tool, on tables that the API has written.

mod verify;
