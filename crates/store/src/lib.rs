//! Reads and writes of Fracti's DynamoDB table, named by their purpose.
//!
//! [`Table`] is the interface: one method for each access pattern. Reads that decide something are
//! strongly consistent. A write is one transaction, and each failed condition has a meaning. Nothing
//! here knows HTTP. A `Table` is the store of all groups and users; `dynamo` has the requests to the
//! table itself.
//!
//! Each method may also fail with [`Error::Unavailable`](fracti_core::Error::Unavailable) or
//! [`Error::Table`](fracti_core::Error::Table), and one that writes with
//! [`Error::Contended`](fracti_core::Error::Contended). `# Errors` names the others.
//!
//! The folders, from the lowest to the highest; none uses a higher one:
//!
//! | folder | what it has |
//! |---|---|
//! | `dynamo` | DynamoDB's requests, which name no entity |
//! | `table` | the table, access to the data of a group, and its balance row |
//! | `write` | the loop that commits all writes, and the row of a request |
//! | `ledger` | the transaction on a group's ledger, and its reads |
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

use files::{export, imports};
use group::{chats, groups, memberships, presence, settings};
use ledger::tallies;
use personal::{days, spendings};
use records::{activity, expenses, settlements, shared};
use table::{access, balance};
use upkeep::{all_groups, aside, fund_audit, fund_void, keeping, migration, tally_repair};
use write::{commit, idempotency};

pub use access::MemberKey;
pub use activity::{Activity, ActivityPosition, Feed, SettlementFilter};
pub use all_groups::GroupsPage;
pub use aside::BrokenRow;
pub use chats::Opened;
pub use days::{DayInGroups, Days, Rebuilt};
pub use dynamo::{
    IndexState, Order, OrderError, Page, Position, SdkItem, Segment, Slice, TableCost, TableState,
    UnreadableRow, from_sdk, metered, noting_unreadable, to_sdk, with_admission, with_deadline,
};
pub use expenses::{Deleted, PreviewedExpense};
pub use export::{ExportPage, ExportPlace, ExportRows, Exported, ExportedRow};
pub use fund_audit::FundScan;
pub use fund_void::EndedByForce;
pub use funds::due::SeenFunds;
pub use groups::Profile;
pub use idempotency::{Idempotency, IdempotentRequest, KeyHashes, Outcome, StoredResponse};
pub use imports::{BeforeImport, ImportPart, Imported};
pub use keeping::{DueOutcome, DuePage, DueRow};
pub use ledger::{Changes, Statement, StatementLine, StatementPlace};
pub use memberships::Membership;
pub use migration::{
    Counts, FindingKind, Migration, MigrationFinding, MigrationStep, TrialRun, V0Page,
};
pub use questions::{
    answering::Answered,
    asking::{QuestionDetail, SeenQuestion},
    lists::{OpenPlace, Ranked},
};
pub use shared::{Shared, SharedGroup};
pub use table::{RequestContext, Table};
pub use tally_repair::datable;
