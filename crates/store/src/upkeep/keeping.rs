//! Rows that are due: what the keeper does without a request.

use fracti_core::{
    chat::subscription::Subscription,
    funds::{
        fund::Fund,
        fund_transaction::{FundTransaction, FundTransactionType},
    },
    input::Error,
    records::{group_change::GroupChange, schedule::Schedule},
    rows::RowKind,
    storage::{
        condition::Condition,
        keys::{self, DueList, Primary, prefix},
        row::{self, AttributeValue, FORMAT_VERSION, Item, Row},
        write::{Transaction, Write},
    },
    values::{fund_status::FundStatus, settlement_status::SettlementStatus, time::Timestamp},
};

use crate::{
    dynamo::{Order, Page, Position, Range, Sort},
    table::Table,
};

/// Rows of a page of a list, at most.
const AT_ONCE: usize = 100;

/// The longest time by which a failed row is delayed, in minutes.
const MAX_DELAY_MIN: u64 = 60;

/// A row that is due, as the index has it.
#[derive(Clone, Debug)]
pub struct DueRow {
    /// Its key.
    pub key: Primary,
    /// Time from which it is due, before failed attempts have delayed it.
    pub since: Timestamp,
    /// Its sort key in the index, and the part after the time.
    position: String,
    id: String,
    /// Number of attempts that failed.
    failures: u32,
}

/// A part of a list of due rows.
#[derive(Debug, Default)]
pub struct DuePage {
    /// The rows to handle, oldest first.
    pub rows: Vec<DueRow>,
    /// Number of rows that are left alone: of a kind or a version that this Fracti does not know,
    /// at a position that has no time, or not due by their own attributes.
    pub left_alone: usize,
    /// Time from which the oldest of all these rows is due, as far as its position has one.
    pub since: Option<Timestamp>,
    /// Position after which the list continues, if it does.
    pub next: Option<Position>,
}

/// What a row says that was due by the index.
#[derive(Debug)]
pub enum DueState {
    /// Nothing: it does not exist, or is not due any more.
    Gone,
    /// It is of a kind or a version that this Fracti does not know.
    Unknown,
    /// It is due.
    Due(Due),
}

/// What is due: a variant for each kind of work. Who adds one handles it in `crates/keeper`.
#[derive(Debug)]
pub enum Due {
    /// Something of a user's funds, for [`Table::end_funds`].
    Funds(DueFunds),
    /// A date of a schedule, for [`Table::occur`].
    Schedule(Box<Schedule>),
    /// A change of a group that is to be told, for [`Table::tell`].
    Change(Box<GroupChange>),
    /// A message to a chat, which waits.
    Message(Box<Subscription>),
}

/// What is due of a user's funds.
#[derive(Debug)]
pub enum DueFunds {
    /// A bonus or held cash.
    Fund(Box<Fund>),
    /// A transaction that is authorised.
    Transaction(Box<FundTransaction>),
}

impl Due {
    /// What is due by a row; `None` if this Fracti does not know its kind or its version.
    fn of(item: Item) -> Result<Option<Self>, Error> {
        let Some(kind) = RowKind::find(&item) else { return Ok(None) };
        let version = match item.get(FORMAT_VERSION) {
            Some(AttributeValue::N(version)) => version.parse().ok(),
            _ => None,
        };
        if version.is_some_and(|version: u32| version > kind.version) {
            return Ok(None);
        }
        Ok(match kind.name {
            Fund::KIND => Some(Self::Funds(DueFunds::Fund(Box::new(row::from_item(item)?)))),
            FundTransaction::KIND => {
                Some(Self::Funds(DueFunds::Transaction(Box::new(row::from_item(item)?))))
            }
            GroupChange::KIND => Some(Self::Change(Box::new(row::from_item(item)?))),
            Subscription::KIND => Some(Self::Message(Box::new(row::from_item(item)?))),
            Schedule::KIND => Some(Self::Schedule(Box::new(row::from_item(item)?))),
            _ => None,
        })
    }

    const fn due_at(&self) -> Option<Timestamp> {
        match self {
            Self::Schedule(schedule) => schedule.due_at,
            Self::Change(change) => change.due_at,
            Self::Message(of) => of.due_at,
            Self::Funds(DueFunds::Fund(fund)) => fund.due_at,
            Self::Funds(DueFunds::Transaction(of)) => of.due_at,
        }
    }

    /// The key that follows from its attributes.
    fn key(&self) -> Primary {
        match self {
            Self::Schedule(schedule) => schedule.keys().primary,
            Self::Change(change) => change.keys().primary,
            Self::Message(of) => of.keys().primary,
            Self::Funds(DueFunds::Fund(fund)) => fund.keys().primary,
            Self::Funds(DueFunds::Transaction(of)) => of.keys().primary,
        }
    }
}

impl Table {
    /// The rows of a list that are due, among the next ones of the index. The index lags, so a row
    /// may not be due any more.
    pub async fn due_rows(
        &self,
        list: DueList,
        now: Timestamp,
        after: Option<Position>,
    ) -> Result<DuePage, Error> {
        let range = Range {
            index: Some("GSI3"),
            partition: keys::due(list),
            sort: Sort::Between(" ".to_owned(), keys::due_position(now, "~")),
            order: Order::Asc,
        };
        let page = Page { limit: AT_ONCE, after };
        let (items, ended) = self.db.items(&range, &page, &Condition::default()).await?;
        let next = items.last().filter(|_| !ended).map(|item| range.position_of(item));
        let since = items.iter().filter_map(DueRow::placed).map(|row| row.since).min();
        let read = items.len();
        let rows: Vec<_> = items.into_iter().filter_map(|item| DueRow::of(item, now)).collect();
        Ok(DuePage { left_alone: read.saturating_sub(rows.len()), rows, since, next })
    }

    /// What is due by a row now. It is read again, strongly consistent.
    ///
    /// # Errors
    ///
    /// [`Error::FundsMismatch`] if its attributes are those of another key; [`Error::Table`] if it
    /// cannot be read.
    pub async fn due(&self, row: &DueRow, now: Timestamp) -> Result<DueState, Error> {
        let Some(item) = self.db.item(row.key.clone()).await? else {
            return Ok(DueState::Gone);
        };
        if !row.is_at(&item) {
            return Ok(DueState::Gone);
        }
        let Some(due) = Due::of(item)? else { return Ok(DueState::Unknown) };
        if due.due_at().is_none_or(|at| now < at) {
            return Ok(DueState::Gone);
        }
        if due.key() != row.key {
            return Err(Error::funds_mismatch("a due row has the attributes of another key"));
        }
        Ok(DueState::Due(due))
    }

    /// Checks that a row which was handled is not due as before: its work would be done for ever.
    ///
    /// # Errors
    ///
    /// [`Error::FundsMismatch`].
    pub async fn check_handled(&self, row: &DueRow) -> Result<(), Error> {
        let after = self.db.item(row.key.clone()).await?;
        if after.is_some_and(|after| row.is_at(&after)) {
            return Err(Error::funds_mismatch("a row is due, but nothing of it is over"));
        }
        Ok(())
    }

    /// Ends what is due of a user's funds.
    ///
    /// # Errors
    ///
    /// [`Error::FundsMismatch`].
    pub async fn end_funds(&self, due: DueFunds, now: Timestamp) -> Result<(), Error> {
        match due {
            DueFunds::Fund(fund) => self.end_fund(fund.owner, fund.key(), now).await,
            DueFunds::Transaction(of) if of.kind == FundTransactionType::Settlement => {
                self.end_hold(&of, now).await
            }
            DueFunds::Transaction(of) => self.end_if_over(of.owner, of.id, now).await.map(drop),
        }
    }

    /// Ends the settlement of a hold.
    async fn end_hold(&self, of: &FundTransaction, now: Timestamp) -> Result<(), Error> {
        let (Some(group), Some(settlement)) = (of.group_id, of.settlement_id) else {
            return Err(Error::funds_mismatch("a hold has no settlement"));
        };
        let ended = self.end_settlement_hold(group, settlement, now).await?;
        if ended.status == SettlementStatus::Pending {
            return Ok(());
        }
        let after = self.fund_transaction(of.owner, of.id).await?;
        if after.status == FundStatus::Authorised {
            return Err(Error::funds_mismatch(
                "a hold is authorised although its settlement has ended",
            ));
        }
        Ok(())
    }

    /// Delays a row that could not be handled: by 1, 2, 4 … 60 minutes. That needs only its keys,
    /// so an unreadable row stops nothing, and changes nothing by which money is decided. A row
    /// that has changed in the index's time stays as it is.
    pub async fn delay_due(&self, row: &DueRow, now: Timestamp) -> Result<(), Error> {
        let at = now.plus_seconds(delay_s(row.failures));
        let position = keys::due_position(at, &row.id);
        let failures = row::to_value(&row.failures.saturating_add(1))?;
        let attributes = [
            ("dueAt", Some(row::to_value(&at)?)),
            ("dueFailures", Some(failures)),
            ("GSI3SK", Some(AttributeValue::S(position))),
        ];
        let as_read = AttributeValue::S(row.position.clone());
        let write = Write::update(row.key.clone(), attributes);
        let write = write.when(Condition::equal("GSI3SK", as_read));
        self.write_if(Transaction::from_iter([write])).await.map(drop)
    }
}

/// Seconds by which a row is delayed that has failed so often before.
fn delay_s(failures: u32) -> u64 {
    let minutes = 1_u64.checked_shl(failures).unwrap_or(MAX_DELAY_MIN).min(MAX_DELAY_MIN);
    minutes.saturating_mul(60)
}

impl DueRow {
    /// The row as the index has it; `None` if it is left alone. One that cannot be read is handled,
    /// so that it fails and is delayed.
    fn of(item: Item, now: Timestamp) -> Option<Self> {
        let row = Self::placed(&item)?;
        match Due::of(item) {
            Ok(due) => due?.due_at().filter(|at| *at <= now).map(|_| row),
            Err(_) => Some(row),
        }
    }

    /// Whether it is a schedule, by its key.
    #[must_use]
    pub fn is_of_schedule(&self) -> bool {
        self.key.sk.starts_with(prefix::SCHEDULE)
    }

    fn placed(item: &Item) -> Option<Self> {
        let key = Primary::of(item)?;
        let Some(AttributeValue::S(position)) = item.get("GSI3SK") else { return None };
        let (at, id) = position.split_once('#')?;
        let failures = match item.get("dueFailures") {
            Some(AttributeValue::N(failures)) => failures.parse().unwrap_or_default(),
            _ => 0,
        };
        let due_at: Timestamp = at.parse().ok()?;
        // After some failures, each further one delays as long, so a bounded number is enough.
        let delayed = (0..failures.min(1_000)).map(delay_s).fold(0, u64::saturating_add);
        let since = due_at.millis().saturating_sub(delayed.saturating_mul(1_000));
        let since = Timestamp::from_millis(since)?;
        let id = id.to_owned();
        Some(Self { key, since, position: position.clone(), id, failures })
    }

    /// Whether a row is still at this position of the index.
    fn is_at(&self, item: &Item) -> bool {
        matches!(item.get("GSI3SK"),
            Some(AttributeValue::S(position)) if *position == self.position)
    }
}
