//! Derivation of the shares of an expense from its split.

use std::collections::BTreeMap;

use super::{Expense, Share};
use crate::{
    split::{Part, PartKind},
    values::decimal::Decimal,
};

/// A share and its parts, in major units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShareBreakdown<'a> {
    /// The share.
    pub share: &'a Share,
    /// Its parts, each rounded to a whole number of minor units.
    pub parts: Vec<Part<Decimal>>,
    /// Amount by which the share exceeds the sum of its parts.
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
            let explained = parts.remove(&share.user_id).and_then(|parts| {
                let parts =
                    parts.into_iter().map(|it| it.map(|minor| self.currency.to_major(minor)));
                let parts: Vec<Part<Decimal>> = parts.collect();
                let mut amounts = parts.iter().map(|part| part.amount);
                let rounding = amounts.try_fold(share.amount, Decimal::minus)?;
                Some((parts, rounding))
            });
            let (parts, rounding) = explained
                .unwrap_or_else(|| (vec![Part::new(PartKind::Exact, share.amount)], Decimal::ZERO));
            shares.push(ShareBreakdown { share, parts, rounding });
        }
        shares
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::row::{Item, from_item};

    /// The expense of the data model's examples, with these attributes.
    fn v0(change: impl Fn(&mut serde_json::Value)) -> Expense {
        let seed = include_str!("../../../../../tests/fixtures/seed.json");
        let rows: serde_json::Value = serde_json::from_str(seed).unwrap();
        let mut row = rows["expense"].clone();
        change(&mut row);
        let item: Item = serde_dynamo::to_item(&row).unwrap();
        from_item(item).unwrap()
    }

    /// Kinds and amounts of the parts of each share, and its rounding.
    fn shown(expense: &Expense) -> Vec<String> {
        let part = |part: &Part<Decimal>| format!("{} {}", part.kind, part.amount);
        let share = |it: ShareBreakdown<'_>| {
            let parts: Vec<String> = it.parts.iter().map(part).collect();
            format!("{} = {} + {}", it.share.amount, parts.join(" + "), it.rounding)
        };
        expense.breakdown().into_iter().map(share).collect()
    }

    #[test]
    fn shares_of_a_v0_row_add_up() {
        let splits = |amounts: [&str; 3]| {
            let share = |(id, amount): (u8, &str)| {
                let amount: serde_json::Value = serde_json::from_str(amount).unwrap();
                serde_json::json!({ "userId": id.to_string(), "userName": "A", "amount": amount })
            };
            (1..).zip(amounts).map(share).collect::<Vec<_>>()
        };
        let of = |split_type: &str, amount: f64, amounts| {
            v0(|row| {
                row["currency"] = "EUR".into();
                row["splitType"] = split_type.into();
                row["amount"] = amount.into();
                row["splits"] = splits(amounts).into();
            })
        };
        assert_eq!(
            shown(&of("equal", 100.0, ["33.4", "33.3", "33.3"])),
            [
                "33.4 = equal 33.33 + 0.07",
                "33.3 = equal 33.33 + -0.03",
                "33.3 = equal 33.33 + -0.03"
            ]
        );
        // The percentages were not stored.
        assert_eq!(
            shown(&of("percentage", 100.0, ["50", "30", "20"])),
            ["50 = exact 50 + 0", "30 = exact 30 + 0", "20 = exact 20 + 0"]
        );
        // The amount is finer than a minor unit.
        assert_eq!(
            shown(&of("equal", 0.125, ["0.125", "0", "0"])),
            ["0.125 = exact 0.125 + 0", "0 = exact 0 + 0", "0 = exact 0 + 0"]
        );
    }
}
