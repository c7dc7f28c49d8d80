//! Lines of a receipt, by which an itemized expense is split.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    values::{decimal::Decimal, id::MemberId, text::LineName},
    words,
};

words! {
    /// Kind of a line of a receipt.
    pub enum LineKind as "LineKind" {
        /// Something that was bought.
        Item = "item",
        /// A tax.
        Tax = "tax",
        /// A tip.
        Tip = "tip",
        /// Another charge, like one for service or delivery.
        Fee = "fee",
        /// An amount that is taken off.
        Discount = "discount",
    }
}

impl LineKind {
    /// Whether its amount is taken off the expense.
    #[must_use]
    pub const fn takes_off(self) -> bool {
        match self {
            Self::Item | Self::Tax | Self::Tip | Self::Fee => false,
            Self::Discount => true,
        }
    }
}

words! {
    /// How a line is divided among the members who share the lines that it applies to.
    pub enum LineSplit as "LineSplit" {
        /// In proportion to what each member has of those lines.
        Proportional = "proportional",
        /// The same for each member.
        Equal = "equal",
    }
}

impl Default for LineSplit {
    /// How a line is divided if nothing is said.
    fn default() -> Self {
        Self::Proportional
    }
}

/// A line of a receipt. The type `A` of its amount is a number of minor units (`i64`) in
/// calculations, and of major units ([`Decimal`]) in rows. `M` names its members.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line<A, M: Ord = MemberId> {
    /// Kind of the line.
    pub kind: LineKind,
    /// Name, as printed.
    pub name: LineName,
    /// Amount of the whole line; what a discount takes off. It has the sign of the expense.
    pub amount: A,
    /// Whether the amount is what the other lines leave of the expense's amount.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rest: bool,
    /// Number of pieces, for display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantity: Option<Decimal>,
    /// Price of a piece, for display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Decimal>,
    /// Sharers of the line.
    #[serde(flatten)]
    pub sharing: Sharing<M>,
}

/// Members who share a line. An item has sharers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Sharing<M: Ord = MemberId> {
    /// These members, by their weights.
    Sharers {
        /// The weight of each member, with at most four decimals. Not all are zero.
        sharers: BTreeMap<M, Decimal>,
    },
    /// The members who share the items that the line applies to.
    Over {
        /// Indexes of these items, in order. Default: all items.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        over: Option<Vec<usize>>,
        /// How the line is divided among them.
        split: LineSplit,
    },
}

impl Line<Decimal> {
    /// What the line adds to the expense, in major units: a discount takes its amount off.
    #[must_use]
    pub fn added(&self) -> Decimal {
        if self.kind.takes_off() { self.amount.negated() } else { self.amount }
    }
}

impl<A, M: Ord> Line<A, M> {
    /// The same line with another amount.
    pub fn with_amount<B>(self, amount: B) -> Line<B, M> {
        let Self { kind, name, amount: _, rest, quantity, price, sharing } = self;
        Line { kind, name, amount, rest, quantity, price, sharing }
    }

    /// The same line with each sharer replaced by `of`; `None` if `of` returns `None`, or the same
    /// member for two sharers.
    pub(super) fn among<N: Ord>(self, of: &impl Fn(M) -> Option<N>) -> Option<Line<A, N>> {
        let Self { kind, name, amount, rest, quantity, price, sharing } = self;
        let sharing = match sharing {
            Sharing::Over { over, split } => Sharing::Over { over, split },
            Sharing::Sharers { sharers: before } => {
                let count = before.len();
                let sharer = |(member, weight)| Some((of(member)?, weight));
                let sharers = before.into_iter().map(sharer).collect::<Option<BTreeMap<_, _>>>()?;
                (sharers.len() == count).then_some(Sharing::Sharers { sharers })?
            }
        };
        Some(Line { kind, name, amount, rest, quantity, price, sharing })
    }
}

impl<A, M: Ord + Copy> Line<A, M> {
    /// The members who share the line, with their weights; none if it applies to other lines.
    pub fn sharers(&self) -> impl Iterator<Item = (M, Decimal)> + '_ {
        let sharers = match &self.sharing {
            Sharing::Sharers { sharers } => Some(sharers),
            Sharing::Over { .. } => None,
        };
        sharers.into_iter().flatten().map(|(member, weight)| (*member, *weight))
    }
}
