//! How the shares of an expense follow from its split.

use std::collections::BTreeMap;

use super::{Expense, Share};
use crate::{
    decimal::Decimal,
    split::{Part, PartKind},
};

/// A share and its parts, in major units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShareBreakdown<'a> {
    /// The share.
    pub share: &'a Share,
    /// Its parts, each rounded to a whole number of minor units.
    pub parts: Vec<Part<Decimal>>,
    /// What the share exceeds the sum of its parts by.
    pub rounding: Decimal,
}

impl Expense {
    /// The breakdown of each share. A share of a v0 row whose input is not stored is one part.
    #[must_use]
    pub fn breakdown(&self) -> Vec<ShareBreakdown<'_>> {
        let parts = self.split().and_then(|(amount, split)| split.parts(amount).ok());
        let mut parts: BTreeMap<_, _> = parts.into_iter().flatten().collect();
        let mut shares = Vec::new();
        for share in &self.splits {
            let parts: Vec<Part<Decimal>> = parts
                .remove(&share.user_id)
                .into_iter()
                .flatten()
                .map(|part| part.map(|minor| self.currency.to_major(minor)))
                .collect();
            let mut amounts = parts.iter().map(|part| part.amount);
            let rounding = amounts.try_fold(share.amount, Decimal::minus);
            let explained = rounding.filter(|_| !parts.is_empty() || share.amount == Decimal::ZERO);
            let (parts, rounding) = explained.map_or_else(
                || (vec![Part::new(PartKind::Exact, share.amount)], Decimal::ZERO),
                |rounding| (parts, rounding),
            );
            shares.push(ShareBreakdown { share, parts, rounding });
        }
        shares
    }
}
