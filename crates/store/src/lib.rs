//! Reads and writes of Fracti's DynamoDB table, named by their purpose.
//!
//! [`Table`] is the interface: one method for each access pattern. Reads that decide something are
//! strongly consistent. A write is one transaction, and each failed condition has a meaning.
//! Nothing here knows HTTP. A `Table` is the store of all groups and users; `dynamo` has the
//! requests to the table itself.
//!
//! Each method may also fail with [`Error::Unavailable`](fracti_core::input::Error::Unavailable) or
//! [`Error::Table`](fracti_core::input::Error::Table), and one that writes with
//! [`Error::Contended`](fracti_core::input::Error::Contended). `# Errors` names the others.
//!
//! The folders, from the lowest to the highest; none uses a higher one:
//!
//! | folder | what it has |
//! |---|---|
//! | `dynamo` | DynamoDB's requests, which name no entity |
//! | `table` | the table, access to the data of a group, and its balance row |
//! | `write` | the loop that commits all writes, and the row of a request |
//! | `ledger` | reads of a group's ledger |
//! | `group` | groups and their members |
//! | `personal` | what is a user's own |
//! | `funds` | prepaid money of users |
//! | `records` | expenses, settlements, adjustments |
//! | `questions` | questions to a group, answers and points |
//! | `files` | imports and exports |
//! | `upkeep` | migration, repair, and what is due |

#![expect(clippy::missing_errors_doc, reason = "errors of all methods are named above, once")]

mod dynamo;
mod files;
mod funds;
mod group;
mod ledger;
mod personal;
mod questions;
mod records;
mod table;
mod upkeep;
mod write;

pub use dynamo::{
    Answer, Found, IndexState, Order, OrderError, Page, Position, Query, Range, Requests, SdkItem,
    Segment, Sent, Slice, Sort, TableCost, TableScan, TableState, UnreadableRow, from_sdk, metered,
    noting_unreadable, to_sdk, with_admission, with_deadline,
};
pub use files::export::{ExportPage, ExportPlace, ExportRows, Exported, ExportedRow};
pub use files::imports::{BeforeImport, ImportPart};
pub use group::groups::Profile;
pub use group::memberships::Membership;
pub use ledger::{Changes, Statement, StatementLine, StatementPlace};
pub use personal::days::{DayInGroups, Days};
pub use questions::lists::{AnswersPlace, OpenPlace, Ranked};
pub use records::activity::{Activity, ActivityPosition, Feed, SettlementFilter};
pub use records::expenses::Deleted;
pub use records::shared::{Shared, SharedGroup};
pub use table::Table;
pub use upkeep::all_groups::GroupsPage;
pub use upkeep::fund_audit::FundScan;
pub use upkeep::keeping::{Due, DueFunds, DuePage, DueRow, DueState};
pub use upkeep::migration::V0Page;
pub use upkeep::telling::News;
pub use write::idempotency::{Idempotency, IdempotentRequest, KeyHashes, Outcome, StoredResponse};
