//! Reads and writes of Fracti's DynamoDB table, named by their purpose.
//!
//! [`Table`] has one method for each access pattern, in one file for each aggregate. Reads that
//! decide something are strongly consistent. A write is one transaction, and each failed condition
//! has a meaning. `dynamo` names no entity; nothing here knows HTTP.

mod dynamo;
mod locks;
mod table;

mod access;
mod balance;
mod commit;
mod creation;
mod idempotency;
mod lookup;

mod activity;
mod chats;
mod days;
mod expenses;
mod export;
mod groups;
mod guests;
mod imports;
mod ledger;
mod links;
mod memberships;
mod migration;
mod presence;
mod roll;
mod settings;
mod settlements;
mod spendings;
mod standardise;
mod sweep;
mod tallies;
mod tally_repair;
mod targets;
mod tokens;
mod usage;

pub use access::MemberKey;
pub use activity::{Activity, ActivityPosition, Feed};
pub use chats::Opened;
pub use days::{DayInGroups, Days, Rebuilt};
pub use dynamo::{
    IndexState, Order, OrderError, Page, Position, SdkItem, Segment, Slice, TableCost, TableState,
    from_sdk, metered, to_sdk, with_admission, with_deadline,
};
pub use export::{ExportPage, ExportPlace, ExportRows, Exported, ExportedRow};
pub use groups::Profile;
pub use idempotency::{Idempotency, IdempotentRequest, KeyHashes, Outcome, StoredResponse};
pub use imports::{ImportPart, Imported};
pub use ledger::{Line, Place, Statement, is_incomplete};
pub use memberships::Membership;
pub use migration::{Counts, Finding, FindingKind, Migration, Step, TrialRun, V0Page};
pub use table::{RequestContext, Table};
pub use tally_repair::datable;
