//! The conversion of v0 rows into the entities that replace them.

use std::collections::{BTreeMap, HashSet};

use fracti_core::{
    group::{Group, Member},
    input::Error,
    storage::keys::Primary,
    v0::{self, Anomaly, Members},
    values::{
        id::{GroupId, MemberId},
        time::Timestamp,
    },
};

use super::{candidates::Candidate, entity::Entity};
use crate::table::Table;

/// Number of later times that are tried for a row whose sort key does not have the current form.
const TRIES: usize = 20;

/// The entities that replace candidates.
pub(super) struct Converted {
    pub(super) entities: Vec<Result<Entity, Anomaly>>,
    /// The members of the group, including those who have no row.
    pub(super) members: Members,
    /// Members who have no row.
    pub(super) missing_members: BTreeMap<MemberId, Member>,
}

impl Table {
    /// The entities that replace v0 rows, in the same order.
    pub(super) async fn converted(
        &self,
        candidates: &[Candidate],
        group: &Group,
        members: Members,
    ) -> Result<Converted, Error> {
        let mut entities = Vec::new();
        let mut missing_members = BTreeMap::new();
        let mut members = members;
        let mut taken = HashSet::new();
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
