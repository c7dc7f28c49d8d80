//! The long tests of the API from outside: costs, rights, the largest groups, pairs of writes and
//! random runs. Together they take as long as all of `api`.

#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]
#![expect(clippy::indexing_slicing, reason = "a response without the field is a failure")]
#![expect(clippy::arithmetic_side_effects, reason = "a sum that overflows is a failure")]

mod costs;
mod largest;
mod many_due;
mod pairs;
mod rights;
mod simulation;

use fracti_tests::harness;

// With the allocator of the C library, the tests spend a third of their time in it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
