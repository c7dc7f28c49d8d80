//! Rows that have the net of each member: what the member paid minus what they owe.
//!
//! The net of a member who alone paid, and the cost, tell the member's own share. If several
//! members paid, who paid how much is not in the file.

use fracti_core::values::{currency::Currency, decimal::Decimal};
use fracti_texts::{Message, message, rule};

use crate::{
    draft::{AMOUNT, ImportDraft, Named},
    import::{FilePlace, PersonPart, RowPlace},
    number::{padded, rounded},
    rounding::{Exact, Withheld},
};

/// Reader of the nets of a file.
#[derive(Debug)]
pub(crate) struct NetReader {
    /// Name of the app.
    app: &'static str,
    withheld: Withheld,
    /// Rows that several members paid, and those of them in which equal shares are assumed.
    several: usize,
    assumed: usize,
}

/// The numbers of a row in major units, which may be finer than a minor unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NetRow<'n> {
    pub(crate) line: usize,
    /// Place of the cost.
    pub(crate) cost_place: FilePlace,
    pub(crate) currency: Currency,
    pub(crate) cost: Decimal,
    /// The net of each member.
    pub(crate) nets: &'n [(usize, Decimal)],
    pub(crate) is_payment: bool,
}

/// Payments and shares of a row.
#[derive(Debug)]
pub(crate) struct NetParts {
    pub(crate) payers: Vec<PersonPart>,
    pub(crate) shares: Vec<PersonPart>,
    /// Note about what the file does not say.
    pub(crate) note: Option<String>,
}

impl NetReader {
    pub(crate) fn new(app: &'static str) -> Self {
        Self { app, withheld: Withheld::default(), several: 0, assumed: 0 }
    }

    /// Payments and shares of a row. `None` if it is left out, or after an error.
    pub(crate) fn read(
        &mut self,
        row: NetRow<'_>,
        draft: &mut ImportDraft<'_>,
    ) -> Option<NetParts> {
        let NetRow { line, cost_place, currency, cost: exact_cost, nets: numbers, .. } = row;
        let place = FilePlace::line(line);
        let nets = self.rounded(row, draft)?;
        let (mut cost, is_rounded) =
            draft.keep(cost_place, AMOUNT, rounded(exact_cost, currency))?;
        if is_rounded || numbers.iter().any(|(_, it)| it.decimals() > currency.exponent()) {
            draft.warn_of_rounding(place, currency);
            // Rounding must not let the nets exceed the cost.
            let given = nets.iter().fold(0_i64, |sum, it| sum.saturating_add(it.minor.max(0)));
            let size = cost.saturating_abs().max(given);
            cost = if exact_cost.is_negative() { size.saturating_neg() } else { size };
        }
        // Members with the sign of the cost paid more than they owe.
        let (mut payers, takers): (Vec<PersonPart>, Vec<PersonPart>) = nets
            .iter()
            .copied()
            .filter(|part| part.minor != 0)
            .partition(|part| part.minor.signum() == cost.signum());
        let given: i128 = payers.iter().map(|part| i128::from(part.minor)).sum();
        if given.unsigned_abs() > cost.unsigned_abs().into() || (given == 0 && !takers.is_empty()) {
            let rule = message!(
                "the cells of the members exceed the cost",
                "ячейки участников превышают стоимость"
            );
            draft.error(cost_place, rule);
            return None;
        }
        let owed = takers.iter().map(|it| PersonPart { minor: it.minor.saturating_neg(), ..*it });
        let mut shares: Vec<PersonPart> = owed.collect();
        let mut note = None;
        match payers.as_mut_slice() {
            [] => {
                let reason = message!(
                    "it changes no balance, because the members paid only for themselves",
                    "балансы не меняются: участники платили только за себя"
                );
                draft.skip(RowPlace::Line(line), &reason);
                return None;
            }
            // The cost and the net of the only payer tell the payer's own share.
            [payer] => {
                let own = cost.saturating_sub(payer.minor);
                if own != 0 {
                    shares.insert(0, PersonPart { minor: own, ..*payer });
                }
                payer.minor = cost;
            }
            _ if row.is_payment => {}
            _ => {
                let app = self.app;
                self.several = self.several.saturating_add(1);
                note = Some(if let Some(parts) = equal_shares(cost, &nets) {
                    self.assumed = self.assumed.saturating_add(1);
                    (payers, shares) = parts;
                    format!("{app} does not export who paid how much: equal shares are assumed")
                } else {
                    let cost = padded(currency.to_major(cost), currency);
                    format!(
                        "Cost in {app}: {cost} {currency}; its file does not say who paid how much"
                    )
                });
            }
        }
        Some(NetParts { payers, shares, note })
    }

    /// The nets of the members in minor units, which sum to zero.
    fn rounded(&mut self, row: NetRow<'_>, draft: &mut ImportDraft<'_>) -> Option<Vec<PersonPart>> {
        let NetRow { line, currency, nets: numbers, .. } = row;
        let place = FilePlace::line(line);
        let sum = numbers.iter().try_fold(Decimal::ZERO, |sum, (_, number)| sum.plus(*number));
        let sum = draft.keep(
            place,
            Named::Words("the sum", "значение суммы"),
            sum.ok_or_else(|| rule!("{field} is too large", "{field} слишком велико")),
        )?;
        let is_finer = numbers.iter().any(|(_, number)| number.decimals() > currency.exponent());
        // Cells that are finer than a minor unit may be rounded in the file.
        let is_zero =
            sum == Decimal::ZERO || (is_finer && sum.rounded(currency.exponent()) == Decimal::ZERO);
        if !is_zero {
            draft.error(
                place,
                message!(
                    "the cells of the members sum to {sum}, not to 0",
                    "сумма ячеек участников — {sum}, а должна быть 0"
                ),
            );
            return None;
        }
        let exact: Option<Vec<Exact>> =
            numbers.iter().map(|(member, number)| Exact::of(*member, *number, currency)).collect();
        let nets = exact.and_then(|exact| self.withheld.round(currency, &exact, 0));
        let Some(nets) = nets else {
            draft.error(
                place,
                message!("the cells must sum to 0", "сумма ячеек должна быть равна 0"),
            );
            return None;
        };
        let parts = numbers.iter().zip(nets).map(|((member, _), net)| {
            let minor = i64::try_from(net).ok()?;
            Some(PersonPart { person: *member, minor })
        });
        parts.collect()
    }

    /// Warns of the rows that several members paid.
    pub(crate) fn warn(&self, draft: &mut ImportDraft<'_>) {
        if self.several == 0 {
            return;
        }
        let several = self.several;
        let assumed = self.assumed;
        let others = several.saturating_sub(assumed);
        let several = Message::counted(
            several,
            ["row has several payers", "rows have several payers"],
            [
                "строка с несколькими плательщиками",
                "строки с несколькими плательщиками",
                "строк с несколькими плательщиками",
            ],
        );
        let what = message!(
            "{several}: in {assumed}, equal shares are assumed; in {others}, only what each paid \
             beyond their own share is imported, with the cost in the notes",
            "{several}: равные доли предполагаются в {assumed}; в остальных ({others}) \
             записывается только то, что каждый заплатил сверх своей доли, а стоимость — в \
             примечании",
            [several]
        );
        draft.warn(FilePlace::FILE, what);
    }
}

/// Payments of a cost, and equal shares of it, that follow from the nets of its members: in equal
/// shares, those who owe a unit more than others come first. `None` if no payments fit.
///
/// The odd units go to those whose nets show it.
fn equal_shares(cost: i64, nets: &[PersonPart]) -> Option<(Vec<PersonPart>, Vec<PersonPart>)> {
    let sign = cost.signum();
    let mut parts: Vec<(PersonPart, i64)> = Vec::new();
    for part in nets.iter().filter(|part| part.minor != 0) {
        parts.push((*part, part.minor.checked_mul(sign)?));
    }
    let count = i64::try_from(parts.len()).ok()?;
    let whole = cost.checked_abs()?.checked_div(count)?;
    let mut left = cost.checked_abs()?.checked_rem(count)?;
    let more = whole.checked_add(1)?;
    let owes_more = |net: i64| net.checked_neg() == Some(more);
    let mut shares = vec![whole; parts.len()];
    for is_first in [true, false] {
        for (share, (_, net)) in shares.iter_mut().zip(&parts) {
            let gets = if is_first { owes_more(*net) } else { *net > 0 };
            if left > 0 && gets && *share == whole {
                *share = more;
                left = left.checked_sub(1)?;
            }
        }
    }
    let mut payers = Vec::new();
    let mut owed = Vec::new();
    for (share, (part, net)) in shares.into_iter().zip(parts) {
        let paid = share.checked_add(net).filter(|paid| *paid >= 0 && left == 0)?;
        owed.push(PersonPart { minor: share.checked_mul(sign)?, ..part });
        if paid != 0 {
            payers.push(PersonPart { minor: paid.checked_mul(sign)?, ..part });
        }
    }
    Some((payers, owed))
}
