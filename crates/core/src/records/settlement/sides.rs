//! Members who act for the two sides of a settlement.
//!
//! A present user acts for themselves. For a guest or a past member, any present member acts, but
//! not the other side. A settlement is completed once both sides have confirmed it, each through
//! another member, or once a recipient has confirmed it in person.

use std::collections::BTreeSet;

use super::{Settlement, SettlementUpdate, Transition};
use crate::values::settlement_status::SettlementStatus;
use crate::{
    group::Member,
    input::Field,
    values::id::{MemberId, UserId},
};

/// Rights of a member to a settlement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettlementAction {
    /// Complete it.
    Confirm,
    /// Fail it while it is pending.
    Fail,
    /// Fail it although it was completed.
    TakeBack,
    /// Edit it.
    Edit,
    /// Send the transaction that pays it.
    AddTransaction,
}

/// Facts that decide, besides the parties, who acts for the sides of a settlement.
#[derive(Clone, Debug, Default)]
pub struct Standing {
    /// The parties who are past members.
    past: BTreeSet<MemberId>,
    /// The present user, if there is only one.
    only: Option<UserId>,
}

/// The sides for which a member acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sides {
    pub(super) payer: bool,
    pub(super) recipient: bool,
}

impl Standing {
    /// The standing of these members of a group. They must be all, if a party is a guest.
    #[must_use]
    pub fn of(members: &[Member]) -> Self {
        let (present, past): (Vec<_>, Vec<_>) =
            members.iter().partition(|member| member.is_present());
        let mut users = present.into_iter().filter_map(|member| member.id.user());
        let only = users.next().filter(|_| users.next().is_none());
        Self { past: past.into_iter().map(|member| member.id).collect(), only }
    }

    /// Whether a member has left or was removed.
    pub(super) fn is_past(&self, member: MemberId) -> bool {
        self.past.contains(&member)
    }

    /// The sides for which `actor` acts between these parties: the payer and the recipient.
    pub(super) fn sides(&self, actor: UserId, [from, to]: [MemberId; 2]) -> Sides {
        let alone = self.is_alone(actor, [from, to]);
        let acts = |party: MemberId, other: MemberId| match party {
            MemberId::User(user) if !self.is_past(party) => user == actor,
            MemberId::User(_) | MemberId::Guest(_) => other != actor || alone,
        };
        Sides { payer: acts(from, to), recipient: acts(to, from) }
    }

    /// Whether no other member could act for the parties, which are guests and `actor`.
    pub(super) fn is_alone(&self, actor: UserId, parties: [MemberId; 2]) -> bool {
        let is_own = |party: MemberId| party.guest().is_some() || party == actor;
        self.only == Some(actor) && parties.into_iter().all(is_own)
    }

    /// Whether a settlement between these parties is completed when `actor` records it: the
    /// recipient confirms it in person, unless a past member would have paid it.
    pub(super) fn completes_at_once(&self, actor: UserId, [from, to]: [MemberId; 2]) -> bool {
        (to == actor && !self.is_past(from)) || self.is_alone(actor, [from, to])
    }
}

impl Settlement {
    /// Whether `user`, who is present, may do this with the settlement, whose parties are resolved.
    /// [`Settlement::transition`] decides.
    #[must_use]
    pub fn may(&self, user: UserId, action: SettlementAction, standing: &Standing) -> bool {
        let status = |status| SettlementUpdate {
            status: Field::Value(status),
            ..SettlementUpdate::default()
        };
        let (update, expected) = match action {
            SettlementAction::Confirm => {
                (status(SettlementStatus::Completed), Transition::Complete)
            }
            SettlementAction::Fail => (status(SettlementStatus::Failed), Transition::Fail),
            SettlementAction::TakeBack => (status(SettlementStatus::Failed), Transition::Revert),
            SettlementAction::Edit if self.funds.is_some() => return false,
            SettlementAction::Edit => {
                let note = Field::Value(None);
                (SettlementUpdate { note, ..SettlementUpdate::default() }, Transition::Edit)
            }
            SettlementAction::AddTransaction => {
                let is_open = self.funds.is_none() || self.external.is_some();
                let is_pending = self.status == SettlementStatus::Pending;
                return is_pending && is_open && standing.sides(user, self.parties()).payer;
            }
        };
        self.transition(user, &update, standing) == Ok(expected)
    }

    /// Whether it is pending until `user` completes it as the recipient.
    #[must_use]
    pub fn waits_for_recipient(&self, user: UserId) -> bool {
        self.status == SettlementStatus::Pending && self.created_by != Some(user)
    }

    /// Whether it is pending until `user` completes it as the payer, for whom another member
    /// recorded it.
    #[must_use]
    pub fn waits_for_payer(&self, user: UserId) -> bool {
        self.status == SettlementStatus::Pending
            && self.created_by.is_some_and(|by| by != user && self.to_user_id != by)
    }

    /// Whether `actor` may complete the settlement, which is pending.
    pub(super) fn is_completed_by(&self, actor: UserId, standing: &Standing) -> bool {
        let parties @ [_, to] = self.parties();
        if standing.is_alone(actor, parties) {
            return true;
        }
        // The payer recorded a settlement that does not say who did.
        let by_payer = Sides { payer: true, recipient: false };
        let recorded = match self.created_by {
            Some(recorder) if recorder == actor => return false,
            Some(recorder) => standing.sides(recorder, parties),
            None => by_payer,
        };
        let own = standing.sides(actor, parties);
        to == actor || (recorded.payer && own.recipient) || (recorded.recipient && own.payer)
    }
}
