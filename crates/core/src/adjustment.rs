//! An adjustment: balances moved by hand, like what another app kept, or a correction.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    Error,
    book::{Balances, Change, Event, RefType, Totals},
    currency::Currency,
    decimal::Decimal,
    entry_id::{EntryId, EntryName},
    group::{Group, Member},
    id::UserId,
    text::Note,
};

/// How many changes an adjustment has at most: as many as a group has members.
pub const MAX_CHANGES: usize = 500;

/// Balances as somebody wants them moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adjustment {
    /// What its entry is called; the group's book has one current entry of a name.
    pub entry_id: EntryName,
    /// Whose balance it moves by how much: they sum to zero in each currency.
    pub changes: Vec<Amount>,
    /// What it is for.
    pub note: Option<Note>,
    /// When it counts at all.
    pub condition: Option<Amount>,
}

/// An amount of a member's: by how much a balance moves, or what it is at least.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Amount {
    /// The member.
    pub user: UserId,
    /// In which currency; the group's where none is named.
    pub currency: Option<Currency>,
    /// How much, in major units; below zero is possible.
    pub number: Decimal,
}

/// An adjustment that is known to come out.
#[derive(Clone, Debug)]
pub(crate) struct CheckedAdjustment {
    /// What it does to the book.
    pub(crate) event: Event,
    condition: Option<(UserId, Currency, i64)>,
}

impl Adjustment {
    /// Checks it against the group. `path` is where the client wrote it.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] with the field that breaks a rule.
    pub(crate) fn check(
        &self,
        path: &str,
        group: &Group,
        members: &[Member],
    ) -> Result<CheckedAdjustment, Error> {
        if self.changes.len() > MAX_CHANGES {
            let rule = format!("changes must have at most {MAX_CHANGES} items");
            return Err(Error::invalid(format!("{path}.changes"), rule));
        }
        let (mut changes, mut named) = (Vec::new(), BTreeSet::new());
        let mut sums: BTreeMap<Currency, i128> = BTreeMap::new();
        for (index, amount) in self.changes.iter().enumerate() {
            let path = format!("{path}.changes[{index}]");
            let (user, currency, units) = amount.check(&path, "amount", group, members)?;
            if units == 0 {
                return Err(Error::invalid(format!("{path}.amount"), "a change is not zero"));
            }
            if !named.insert((user, currency)) {
                let rule = "a member's balance changes once in a currency";
                return Err(Error::invalid(format!("{path}.userId"), rule));
            }
            let sum = sums.entry(currency).or_default();
            *sum = sum.saturating_add(units.into());
            changes.push(Change { user, currency, totals: totals(units) });
        }
        let changes_path = format!("{path}.changes");
        if changes.is_empty() {
            return Err(Error::invalid(changes_path, "an adjustment changes some balance"));
        }
        if let Some((currency, sum)) = sums.into_iter().find(|(_, sum)| *sum != 0) {
            let sum = currency.number(sum);
            let rule = format!("the changes in {currency} sum to zero, not to {sum}");
            return Err(Error::invalid(changes_path, rule));
        }
        let condition = self.condition.as_ref().map(|amount| {
            amount.check(&format!("{path}.condition"), "balanceAtLeast", group, members)
        });
        let event = Event {
            ref_type: RefType::Adjustment,
            entry_id: EntryId::Adjustment(self.entry_id.clone()),
            note: self.note.as_ref().map(ToString::to_string),
            changes,
        };
        Ok(CheckedAdjustment { event, condition: condition.transpose()? })
    }
}

impl CheckedAdjustment {
    /// Whether it counts, where it leads to these balances.
    pub(crate) fn allows(&self, after: &Balances) -> bool {
        self.condition.is_none_or(|(user, currency, at_least)| {
            after.totals(currency, user).net() >= i128::from(at_least)
        })
    }
}

impl Amount {
    fn check(
        &self,
        path: &str,
        field: &str,
        group: &Group,
        members: &[Member],
    ) -> Result<(UserId, Currency, i64), Error> {
        if !members.iter().any(|member| member.id == self.user) {
            let rule = format!("{} is not a member of the group", self.user);
            return Err(Error::invalid(format!("{path}.userId"), rule));
        }
        let currency = self.currency.unwrap_or(group.currency);
        let units = currency.units(self.number);
        let invalid = |error| Error::invalid(format!("{path}.{field}"), format!("{error}"));
        Ok((self.user, currency, units.map_err(invalid)?))
    }
}

/// What moves a balance by so many units: it counts as sent above zero, as received below, so that the sums hold.
fn totals(units: i64) -> Totals {
    Totals {
        sent: units.max(0),
        // What no `i64` holds is refused, like every other total that is too large.
        received: units.min(0).saturating_neg(),
        ..Totals::default()
    }
}
