//! The members whom an expense may name.

use std::collections::BTreeMap;

use super::{Expense, Share};
use crate::{
    group::{Member, not_a_member},
    input::{FieldErrors, Path},
    split::{PERCENT_DECIMALS, Split, SplitError, UserShare, WEIGHT_DECIMALS},
    values::{
        currency::Currency,
        decimal::Decimal,
        id::{ExpenseId, MemberId},
        money::Money,
    },
};

/// The members of a group, by whose names a client's ids are checked.
#[derive(Clone, Debug)]
pub(super) struct Members<'a> {
    present: BTreeMap<MemberId, &'a str>,
    /// The members in the split before an edit, who may stay in it.
    before: BTreeMap<MemberId, &'a str>,
}

impl<'a> Members<'a> {
    pub(super) fn of(members: &'a [Member]) -> Self {
        let present = members.iter().map(|member| (member.id, member.name.as_str())).collect();
        Self { present, before: BTreeMap::new() }
    }

    /// Members known only by their ids.
    pub(super) fn unnamed(ids: impl IntoIterator<Item = MemberId>) -> Self {
        Self { present: ids.into_iter().map(|id| (id, "")).collect(), before: BTreeMap::new() }
    }

    /// The members who may be in the split of an edited expense.
    pub(super) fn and_of(self, before: &'a Expense) -> Self {
        let names = before.splits.iter().map(|share| (share.user_id, share.user_name.as_str()));
        Self { before: names.collect(), ..self }
    }

    /// All members, in order of their ids.
    pub(super) fn present(&self) -> impl Iterator<Item = MemberId> + '_ {
        self.present.keys().copied()
    }

    fn find(&self, user: MemberId) -> Option<&'a str> {
        self.present.get(&user).or_else(|| self.before.get(&user)).copied()
    }

    /// The name of a member for a message; the id if it is not known.
    pub(super) fn called(&self, user: MemberId) -> String {
        let name = self.find(user).filter(|name| !name.is_empty());
        name.map_or_else(|| user.to_string(), ToOwned::to_owned)
    }

    /// The name of a member; empty if it is not known.
    pub(super) fn name_of(&self, user: MemberId) -> String {
        self.find(user).unwrap_or_default().to_owned()
    }

    /// The name of the member at `path`.
    pub(super) fn name(
        &self,
        user: MemberId,
        path: impl Into<Path>,
        errors: &mut FieldErrors,
    ) -> Option<String> {
        errors.keep(path, self.find(user).map(ToOwned::to_owned).ok_or_else(not_a_member))
    }

    /// The shares of an expense of `amount`, with the input that they were computed from.
    pub(super) fn shares(
        &self,
        split: &Split,
        amount: Money,
        id: ExpenseId,
    ) -> Result<Vec<Share>, SplitError> {
        let share = |part: UserShare| Share {
            user_id: part.user,
            user_name: self.name_of(part.user),
            amount: part.amount.to_major(),
            percentage: None,
            weight: None,
            adjustment: None,
        };
        let mut shares: Vec<Share> = split.divide(amount, id)?.into_iter().map(share).collect();
        add_inputs(&mut shares, split, amount.currency);
        Ok(shares)
    }
}

/// Adds the input of the split from which the shares were computed to them.
pub(super) fn add_inputs(shares: &mut [Share], split: &Split, currency: Currency) {
    let mut shares: BTreeMap<MemberId, &mut Share> =
        shares.iter_mut().map(|share| (share.user_id, share)).collect();
    match split {
        Split::Equal(_) | Split::Exact(_) | Split::Itemized(_) => {}
        Split::Percentage(percentages) => {
            for (member, weight) in percentages {
                if let Some(share) = shares.get_mut(member) {
                    share.percentage = Some(Decimal::new((*weight).into(), PERCENT_DECIMALS));
                }
            }
        }
        Split::Shares(weights) => {
            for (member, weight) in weights {
                if let Some(share) = shares.get_mut(member) {
                    share.weight = Some(Decimal::new((*weight).into(), WEIGHT_DECIMALS));
                }
            }
        }
        Split::Adjustment(adjustments) => {
            for (member, minor) in adjustments {
                if let Some(share) = shares.get_mut(member) {
                    share.adjustment = Some(currency.to_major(*minor));
                }
            }
        }
    }
}
