//! The expense that a schedule records on one of its dates.

use std::collections::BTreeSet;

use super::{Schedule, SharedBy};
use crate::{
    group::{Group, Member, links::Links},
    input::{Draft, Error, Field},
    records::expense::{Expense, NewExpense, PayerInput},
    split::SplitType,
    values::{
        id::MemberId,
        time::{Day, Timestamp, Zone},
    },
};

/// The request for an expense that is shared as said, or as the template is.
pub(super) fn request(template: &Expense, shared_by: Option<SharedBy>) -> NewExpense {
    let like = NewExpense::like(template);
    match shared_by {
        None => like,
        Some(SharedBy::Everyone) => NewExpense {
            split_type: Field::Value(SplitType::Equal),
            splits: Field::Absent,
            items: Field::Absent,
            ..like
        },
        Some(SharedBy::Default) => NewExpense {
            split_type: Field::Absent,
            splits: Field::Absent,
            items: Field::Absent,
            ..like
        },
    }
}

impl Schedule {
    /// The expense of a date, as a request of the schedule's actor would record it at `at`. A
    /// linked guest is the user. `members` are those of the group, present and past. `random`
    /// distinguishes the id.
    ///
    /// # Errors
    ///
    /// As [`Draft::check`](crate::records::expense::NewExpense): [`Error::Invalid`], also if a
    /// payer or a sharer is not present; [`Error::TooManyShares`].
    pub fn occurrence(
        &self,
        date: Day,
        group: &Group,
        (members, links): (&[Member], &Links),
        at: Timestamp,
        random: [u8; 10],
    ) -> Result<Expense, Error> {
        let present = |id: MemberId| {
            let meant = links.resolve(id);
            members.iter().any(|member| member.id == meant && member.is_present())
        };
        let new =
            NewExpense { date: Field::Value(date), ..request(&self.template, self.shared_by) };
        let stored = Draft::valid(new);
        let mut resolved = stored.resolved(links);
        if let Some(new) = resolved.fields_mut() {
            merge_payers(&mut new.payers);
        }
        // A guest who turned out to be another sharer keeps a share of their own.
        let is_distinct = resolved.fields().is_some_and(names_each_once);
        let (draft, members): (_, Vec<Member>) = if is_distinct {
            (resolved, links.present(members))
        } else {
            (stored, members.iter().filter(|member| present(member.id)).cloned().collect())
        };
        let group = group.clone().resolved(links);
        let checked = draft.check(&group, &members, self.actor_id, at, Zone::default())?;
        Ok(Expense { schedule_id: Some(self.id), ..checked.at(at, random)? })
    }
}

/// Adds up what a user and the guests who are linked to them pay.
fn merge_payers(payers: &mut Field<Vec<PayerInput>>) {
    let mut merged: Vec<PayerInput> = Vec::new();
    for payer in payers.value().into_iter().flatten() {
        match merged.iter_mut().find(|it| it.user == payer.user) {
            None => merged.push(payer.clone()),
            Some(same) => {
                let amounts = same.amount.value().zip(payer.amount.value());
                let sum = amounts.and_then(|(one, other)| one.plus(*other));
                same.amount = sum.map_or(Field::Invalid, Field::Value);
            }
        }
    }
    if let Some(payers) = payers.value_mut() {
        *payers = merged;
    }
}

/// Whether each member shares it once.
fn names_each_once(new: &NewExpense) -> bool {
    let sharers = new.splits.value().into_iter().flatten().map(|it| it.user.value());
    let sharers: Vec<_> = sharers.collect();
    sharers.iter().collect::<BTreeSet<_>>().len() == sharers.len()
}
