//! Changes of a group, which clients follow.
//!
//! A write that tells something adds a numbered row to its transaction, and counts it in the
//! balance row. So numbers have no gaps, and no two writers have the same one.

use std::collections::HashMap;

use fracti_core::{
    group::{MemberKey, MemberRow},
    input::Error,
    records::group_change::GroupChange,
    storage::keys,
    values::id::{GroupId, MemberId},
};

use crate::{
    dynamo::{Order, Page, Range, Sort},
    table::Table,
};

/// Changes of a group, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// The changes.
    pub items: Vec<GroupChange>,
    /// Number of the last one, or the one after which they were asked for.
    pub last: u64,
    /// Whether there are later ones.
    pub more: bool,
    /// Names of those who made them.
    pub names: HashMap<MemberId, String>,
}

impl Table {
    /// The changes of a group after the one with this number, at most `limit`. Without a number
    /// there are none, and `last` is the number of the last change so far.
    ///
    /// # Errors
    ///
    /// [`Error::NoGroup`] or [`Error::NotMember`].
    pub async fn changes(
        &self,
        member_key: MemberKey,
        after: Option<u64>,
        limit: usize,
    ) -> Result<Changes, Error> {
        let group = member_key.group;
        let Some(after) = after else {
            let ledger = self.checked(member_key, self.ledger(group)).await?;
            return Ok(Changes { last: ledger.state.changes, ..Changes::default() });
        };
        let [first, last] = keys::changes_after(after);
        let partition = keys::ledger_partition(group);
        let sort = Sort::Between(first, last);
        let range = Range { index: None, partition, sort, order: Order::Asc };
        let page = Page { limit, after: None };
        let rows = self.checked(member_key, self.db.rows::<GroupChange>(&range, &page)).await?;
        let read = rows.len();
        // A query is not isolated from transactions that commit while it runs, so it may miss a
        // change and have the next one.
        // https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html
        let numbered = rows.into_iter().map(|(_, change)| change).zip(after.saturating_add(1)..);
        let whole = numbered.take_while(|(change, number)| change.number == *number);
        let items: Vec<_> = whole.map(|(change, _)| change).take(limit).collect();
        let last = items.last().map_or(after, |change| change.number);
        let names = self.names(group, &items).await?;
        Ok(Changes { more: items.len() < read, items, last, names })
    }

    async fn names(
        &self,
        group: GroupId,
        changes: &[GroupChange],
    ) -> Result<HashMap<MemberId, String>, Error> {
        let mut actors: Vec<MemberId> = changes.iter().map(|it| it.actor_id.into()).collect();
        actors.sort_unstable();
        actors.dedup();
        let keys = actors.into_iter().map(|actor| keys::member(group, actor)).collect();
        let rows: HashMap<_, MemberRow> = self.db.batch(keys).await?;
        Ok(rows.into_values().map(|row| (row.member.id, row.member.name)).collect())
    }
}
