//! v0 rows of expenses and settlements that a step may migrate, and the entities that replace them.

use std::collections::{BTreeMap, HashSet};

use fracti_core::{
    Error,
    group::{Group, Member},
    id::{GroupId, MemberId},
    keys::{self, Primary, prefix},
    row::Item,
    time::Timestamp,
    v0::{self, Anomaly, Members},
};

use super::{
    entity::Entity,
    read::{AT_ONCE, Stream, key_of},
};
use crate::table::Table;

/// Number of later times that are tried for a row whose sort key does not have the current form.
const TRIES: usize = 20;

/// A v0 row of an expense or a settlement.
pub(super) struct Candidate {
    pub(super) key: Primary,
    pub(super) row: Item,
    pub(super) kind: Kind,
}

/// The kind of a v0 row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Expense,
    Settlement,
}

/// The entities that replace candidates.
pub(super) struct Converted {
    pub(super) entities: Vec<Result<Entity, Anomaly>>,
    /// The members of the group, including those who have no row.
    pub(super) members: Members,
    /// Members who have no row.
    pub(super) missing_members: BTreeMap<MemberId, Member>,
}

impl Kind {
    const fn prefix(self) -> &'static str {
        match self {
            Self::Expense => prefix::EXPENSE,
            Self::Settlement => prefix::SETTLEMENT,
        }
    }

    /// Key of a row in the current format that is recorded at `at`.
    pub(super) fn key(self, group: GroupId, at: Timestamp) -> Primary {
        match self {
            Self::Expense => keys::expense(group, at),
            Self::Settlement => keys::settlement(group, at),
        }
    }
}

impl Candidate {
    fn of(kind: Kind, row: Item) -> Self {
        Self { key: key_of(&row), row, kind }
    }

    /// The text of the time in the sort key, by which rows are sorted.
    fn time(&self) -> &str {
        self.key.sk.strip_prefix(self.kind.prefix()).unwrap_or(&self.key.sk)
    }
}

/// The rows of both streams in order of time, up to the last row of a stream that has not ended.
pub(super) fn in_order(expenses: Stream, settlements: Stream) -> Vec<Candidate> {
    let of = |kind, stream: Stream| {
        let rows: Vec<Candidate> =
            stream.rows.into_iter().map(|row| Candidate::of(kind, row)).collect();
        let end = rows.last().filter(|_| !stream.ended).map(|row| row.time().to_owned());
        (rows, end)
    };
    let (mut rows, end) = of(Kind::Expense, expenses);
    let (others, other_end) = of(Kind::Settlement, settlements);
    rows.extend(others);
    for end in [end, other_end].into_iter().flatten() {
        rows.retain(|row| row.time() <= end.as_str());
    }
    rows.sort_by(|one, other| (one.time(), one.kind).cmp(&(other.time(), other.kind)));
    rows.truncate(AT_ONCE);
    rows
}

impl Table {
    /// The entities that replace v0 rows, in the same order.
    pub(super) async fn converted(
        &self,
        candidates: &[Candidate],
        group: &Group,
        members: Members,
    ) -> Result<Converted, Error> {
        let (mut entities, mut missing_members) = (Vec::new(), BTreeMap::new());
        let (mut members, mut taken) = (members, HashSet::new());
        for candidate in candidates {
            let entity = match self.time_for(candidate, group.id, &mut taken).await? {
                Ok(at) => Entity::of(candidate, at, group, &members),
                Err(anomaly) => Err(anomaly),
            };
            if let Ok(entity) = &entity {
                members = members.with(entity.missing_members());
                let named = entity.missing_members().iter();
                missing_members.extend(named.map(|member| (member.id, member.clone())));
            }
            entities.push(entity);
        }
        Ok(Converted { entities, members, missing_members })
    }

    /// The time at which a row was recorded. If the sort key does not match this time, the row is
    /// moved to the first later time that no other row has.
    async fn time_for(
        &self,
        candidate: &Candidate,
        group: GroupId,
        taken: &mut HashSet<Primary>,
    ) -> Result<Result<Timestamp, Anomaly>, Error> {
        let Candidate { key, row, kind } = candidate;
        let mut at = match v0::recorded_at(row, kind.prefix()) {
            Ok(at) => at,
            Err(anomaly) => return Ok(Err(anomaly)),
        };
        for _ in 0..TRIES {
            let present = kind.key(group, at);
            if present == *key {
                return Ok(Ok(at));
            }
            if !taken.contains(&present) && self.db.item(present.clone()).await?.is_none() {
                taken.insert(present);
                return Ok(Ok(at));
            }
            at = at.next();
        }
        Ok(Err(Anomaly::NoTime))
    }
}
