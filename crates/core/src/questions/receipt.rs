//! Receipts whose items members claim, until they become an itemized expense.

use std::collections::{BTreeMap, BTreeSet};

use fracti_texts::{Message, message, rule};
use serde::{Deserialize, Serialize};

use crate::{
    group::{Member, acts_for, links::Links},
    input::{
        Draft, Error, Field, FieldErrors, Path, limits::MAX_SHARES, numbers::positive,
        question_error::QuestionError,
    },
    questions::asking::Asking,
    records::expense::{
        Expense, LineInput, MAX_SHARERS, NewExpense, Payer, PayerInput, SharerInput,
    },
    split::{Line, LineKind, LineSplit, Sharing, SplitType, WEIGHT_DECIMALS},
    storage::{
        keys::{self, Keys},
        row::Row,
    },
    values::{
        category::{Category, ExpenseCategory},
        currency::Currency,
        decimal::Decimal,
        id::{MemberId, QuestionId, UserId},
        text::{Description, Notes, Prompt},
        time::Day,
    },
    words,
};

/// Contents of a question that its row has no room for: a long prompt, and the receipt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QuestionDetails {
    /// The question.
    pub question_id: QuestionId,
    /// The whole prompt, if the question has only the beginning of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<Prompt>,
    /// The receipt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receipt: Option<Receipt>,
    /// Time when the row is deleted, in seconds since 1970.
    pub ttl: u64,
}

impl Row for QuestionDetails {
    const KIND: &'static str = "questionDetails";
    const VERSION: u32 = 1;

    fn keys(&self) -> Keys {
        keys::question_details(self.question_id).into()
    }
}

/// Summary of a receipt, for lists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReceiptSummary {
    /// What was paid for.
    pub description: Description,
    /// Amount, in major units.
    pub amount: Decimal,
    /// Currency of the amount.
    pub currency: Currency,
    /// Number of lines.
    pub item_count: usize,
    /// Payers, the main one first.
    pub payers: Vec<Payer>,
}

/// The body of an itemized expense that waits for claims.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    /// What was paid for.
    pub description: Description,
    /// Amount, in major units; above zero.
    pub amount: Decimal,
    /// Currency of the amounts.
    pub currency: Currency,
    /// Payers, the main one first. Their amounts sum to the amount.
    pub payers: Vec<Payer>,
    /// Day on which it happened.
    pub date: Day,
    /// Category, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
    /// Notes, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<Notes>,
    /// Lines. An item without sharers is claimed by members.
    pub lines: Vec<Line<Decimal>>,
}

/// The statement that a member had an item, or a number of its pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// Index of the line, from 0.
    pub item: usize,
    /// Number of pieces, above zero. Without it, the member shared what nobody counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<Decimal>,
}

words! {
    /// Who shares the items, or the pieces of them, that nobody has claimed.
    pub enum Unclaimed as "UnclaimedItems" {
        /// Nobody: the receipt is not applied.
        Reject = "reject",
        /// All who claimed any item.
        Claimers = "claimers",
        /// The payers.
        Payers = "payers",
    }
}

/// The claims of present members to the items of a receipt: by item, the count of each, if they
/// said one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claims(BTreeMap<usize, BTreeMap<MemberId, Option<Decimal>>>);

/// Claims to an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemClaims<'a> {
    /// The members who claim it, with their counts.
    pub claims: &'a BTreeMap<MemberId, Option<Decimal>>,
    /// Number of pieces that nobody has claimed.
    pub unclaimed: Option<Decimal>,
    /// Whether more is claimed than there is.
    pub overclaimed: bool,
}

/// Context in which a receipt becomes an expense.
#[derive(Clone, Copy, Debug)]
pub struct Applying<'a> {
    /// The linked guests of the group.
    pub links: &'a Links,
    /// The members who are present.
    pub present: &'a BTreeSet<MemberId>,
    /// Sharers of what nobody has claimed.
    pub unclaimed: Unclaimed,
    /// Member who paid all of it, instead of a payer who has left.
    pub payer: Field<MemberId>,
}

/// Request to apply a receipt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NewApplication {
    /// Sharers of what nobody has claimed. Default: the receipt is not applied.
    pub unclaimed: Field<Unclaimed>,
    /// Member who paid all of it, instead of a payer who has left.
    pub payer: Field<MemberId>,
}

/// A number with four decimals, as a whole number.
type Scaled = i128;

/// One piece.
const ONE: Scaled = 10_000;

impl Claims {
    /// The claims of members, one statement of each. A linked guest means the user. Members
    /// who are not present have none.
    pub fn of<'a>(
        answers: impl IntoIterator<Item = (MemberId, &'a [Claim])>,
        links: &Links,
        present: &BTreeSet<MemberId>,
    ) -> Self {
        let mut items: BTreeMap<usize, BTreeMap<MemberId, Option<Decimal>>> = BTreeMap::new();
        for (member, claims) in answers {
            let member = links.resolve(member);
            for claim in claims.iter().filter(|_| present.contains(&member)) {
                items.entry(claim.item).or_default().insert(member, claim.count);
            }
        }
        Self(items)
    }

    /// All members who claim any item.
    fn claimers(&self) -> BTreeSet<MemberId> {
        self.0.values().flat_map(BTreeMap::keys).copied().collect()
    }
}

/// The claims to one item.
struct Counted<'a> {
    claims: &'a BTreeMap<MemberId, Option<Decimal>>,
    /// Number of pieces of the item.
    quantity: Scaled,
    /// Sum of the counts.
    sum: Scaled,
    /// Number of claims without a count.
    uncounted: Scaled,
}

/// Text about an item that is not wholly claimed.
fn rule_of_unclaimed(left: Scaled, quantity: Scaled) -> Message {
    let number = |scaled| Decimal::new(scaled, WEIGHT_DECIMALS);
    if left == quantity {
        return message!("nobody has claimed it", "эту позицию никто не отметил");
    }
    let is_one = left == ONE;
    let left = number(left);
    let quantity = number(quantity);
    if is_one {
        message!("{left} of {quantity} is unclaimed", "не разобрано {left} из {quantity}")
    } else {
        message!("{left} of {quantity} are unclaimed", "не разобрано {left} из {quantity}")
    }
}

#[expect(
    clippy::arithmetic_side_effects,
    reason = "counts are below 10^8, and there are at most 600 of them"
)]
impl Counted<'_> {
    fn left(&self) -> Scaled {
        if self.uncounted > 0 { 0 } else { (self.quantity - self.sum).max(0) }
    }

    fn is_overclaimed(&self) -> bool {
        if self.uncounted > 0 { self.sum >= self.quantity } else { self.sum > self.quantity }
    }

    /// The weights of the sharers; what is left goes to `others`.
    fn weights(&self, others: &BTreeSet<MemberId>) -> BTreeMap<MemberId, Scaled> {
        let rest = self.quantity - self.sum;
        let others = if self.left() > 0 { others.clone() } else { BTreeSet::new() };
        // Whole numbers: each count is multiplied by the number of those who share the rest.
        let (factor, part) = match self.uncounted {
            0 if others.is_empty() => (1, 0),
            0 => (i128::try_from(others.len()).unwrap_or(1), rest),
            uncounted if rest > 0 => (uncounted, rest),
            _ => (1, ONE),
        };
        let mut weights = BTreeMap::new();
        for (member, count) in self.claims {
            let weight = count.and_then(scaled).map_or(part, |count| count * factor);
            weights.insert(*member, weight);
        }
        for member in others {
            *weights.entry(member).or_default() += rest;
        }
        weights
    }
}

fn scaled(number: Decimal) -> Option<Scaled> {
    number.at_scale(WEIGHT_DECIMALS)
}

impl Receipt {
    /// The receipt of a question, checked like an expense. Its errors are reported with their paths
    /// within `receipt`.
    ///
    /// # Errors
    ///
    /// [`Error::TooManyShares`].
    pub(super) fn checked(
        receipt: &Field<NewExpense>,
        asking: Asking<'_>,
        errors: &mut FieldErrors,
    ) -> Result<Option<Self>, Error> {
        let Field::Value(sent) = receipt else { return Ok(None) };
        let Asking { group, members, asker, now, zone, random, .. } = asking;
        let links: Links = members.iter().collect();
        let present = links.present(members);
        let mut expense = sent.clone();
        expense.split_type = Field::Value(SplitType::Itemized);
        let stand_in = stand_in(sent, &present, &links, asker);
        let lines = expense.items.value_mut().into_iter().flatten();
        lines.filter(|line| line.is_of_all()).for_each(|line| line.sharers = stand_in.clone());
        let draft = Draft::new(Field::Value(expense), errors.within("receipt")).resolved(&links);
        let read = draft.check(group, &present, asker, now, zone);
        let expense = match read.and_then(|checked| checked.at(now, random)) {
            Ok(expense) => expense,
            Err(Error::Invalid(own)) => {
                errors.replace_within("receipt", own);
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let amount = Path::from("receipt").field("amount");
        if positive(amount, expense.amount, Some(expense.currency), errors).is_none() {
            return Ok(None);
        }
        Ok(Self::of(expense, sent))
    }

    /// The receipt of an expense, without the sharers of items for which none were sent.
    fn of(expense: Expense, sent: &NewExpense) -> Option<Self> {
        let payers = expense.all_payers();
        let mut lines = expense.items?;
        for (line, sent) in lines.iter_mut().zip(sent.items.value()?) {
            if sent.is_of_all() {
                line.sharing = Sharing::Sharers { sharers: BTreeMap::new() };
            }
        }
        Some(Self {
            description: sent.description.value()?.clone(),
            amount: expense.amount,
            currency: expense.currency,
            payers,
            date: expense.date?,
            // A receipt may have only built-in ones.
            category: expense.category.and_then(ExpenseCategory::built_in),
            notes: sent.notes.value().cloned(),
            lines,
        })
    }

    /// Summary for lists.
    #[must_use]
    pub fn summary(&self) -> ReceiptSummary {
        ReceiptSummary {
            description: self.description.clone(),
            amount: self.amount,
            currency: self.currency,
            item_count: self.lines.len(),
            payers: self.payers.clone(),
        }
    }

    /// Whether members claim the line with this index.
    #[must_use]
    pub fn is_claimable(&self, index: usize) -> bool {
        self.lines.get(index).is_some_and(is_claimable)
    }

    /// Claims to the line with this index; `None` if members do not claim it.
    #[must_use]
    pub fn claims_of<'a>(&self, index: usize, claims: &'a Claims) -> Option<ItemClaims<'a>> {
        let line = self.lines.get(index).filter(|line| is_claimable(line))?;
        let counted = counted(line, claims.0.get(&index));
        let left = counted.left();
        Some(ItemClaims {
            claims: counted.claims,
            unclaimed: (left > 0).then(|| Decimal::new(left, WEIGHT_DECIMALS)),
            overclaimed: counted.is_overclaimed(),
        })
    }

    /// Checks that one expense can have all sharers. `answered` has the number of claims of each
    /// member.
    pub(super) fn check_room(
        &self,
        answered: &BTreeMap<MemberId, usize>,
        errors: &mut FieldErrors,
    ) -> Result<(), Error> {
        let shared: Vec<MemberId> =
            self.lines.iter().flat_map(Line::sharers).map(|(member, _)| member).collect();
        let sharers = answered.values().copied().fold(shared.len(), usize::saturating_add);
        if sharers > MAX_SHARERS {
            let rule = rule!(
                "{field} must leave the receipt at most {MAX_SHARERS} claims and sharers, not \
                 {sharers}",
                "из-за {field} отметок и долей в чеке стало бы {sharers}, а можно не больше \
                 {MAX_SHARERS}"
            );
            errors.push("items", rule);
        }
        let claimers = answered.iter().filter(|(_, number)| **number > 0).map(|(id, _)| *id);
        let payers = self.payers.iter().skip(1).map(|payer| payer.user_id);
        // A further payer has a row of their own.
        let rows = shared.into_iter().chain(claimers).collect::<BTreeSet<_>>().len();
        let rows = rows.saturating_add(payers.count());
        if rows > MAX_SHARES { Err(QuestionError::TooManySharers(rows).into()) } else { Ok(()) }
    }

    /// Whether the user is one of the payers, or [acts for](acts_for) one.
    #[must_use]
    pub fn is_paid_by(&self, user: UserId, links: &Links, members: &[Member]) -> bool {
        let mut payers = self.payers.iter().map(|payer| links.resolve(payer.user_id));
        payers.any(|payer| acts_for(user, payer, members))
    }

    /// The expense that the receipt becomes by these claims. Sharers who are not present are left
    /// out.
    ///
    /// # Errors
    ///
    /// [`Error::Question`] if items are unclaimed, or a payer has left; [`Error::Invalid`] if a
    /// payer is given although none has left.
    pub fn expense(
        &self,
        claims: &Claims,
        applying: Applying<'_>,
    ) -> Result<Draft<NewExpense>, Error> {
        let payers = self.payers_present(applying)?;
        let others = match applying.unclaimed {
            Unclaimed::Reject => BTreeSet::new(),
            Unclaimed::Claimers => claims.claimers(),
            Unclaimed::Payers => payers.keys().copied().collect(),
        };
        self.divided(claims, applying, payers, &others)
    }

    /// The expense that the receipt would become if `nobody` had what is unclaimed, so that all
    /// others have what they claimed, with its part of tax, tip and discounts.
    ///
    /// # Errors
    ///
    /// As [`Receipt::expense`].
    pub fn claimed(
        &self,
        claims: &Claims,
        applying: Applying<'_>,
        nobody: MemberId,
    ) -> Result<Draft<NewExpense>, Error> {
        let payers = self.payers_present(applying)?;
        self.divided(claims, applying, payers, &[nobody].into())
    }

    /// The expense in which `others` have what is unclaimed.
    fn divided(
        &self,
        claims: &Claims,
        applying: Applying<'_>,
        payers: BTreeMap<MemberId, Decimal>,
        others: &BTreeSet<MemberId>,
    ) -> Result<Draft<NewExpense>, Error> {
        let mut missing = Vec::new();
        let mut lines = Vec::new();
        for (index, line) in self.lines.iter().enumerate() {
            let Some(sharing) = sharing_of_present(line, applying) else {
                let counted = counted(line, claims.0.get(&index));
                // An item that costs nothing needs no sharers of its own: the payers have it.
                let is_free = line.amount == Decimal::ZERO;
                let of_payers = || payers.keys().copied().collect();
                let others = if is_free { of_payers() } else { others.clone() };
                if counted.left() > 0 && others.is_empty() {
                    missing.push((index, rule_of_unclaimed(counted.left(), counted.quantity)));
                }
                let number = |weight| Decimal::new(weight, WEIGHT_DECIMALS);
                let weights = counted.weights(&others).into_iter();
                let sharers = weights.map(|(member, weight)| (member, number(weight))).collect();
                lines.push(Line { sharing: Sharing::Sharers { sharers }, ..line.clone() });
                continue;
            };
            lines.push(Line { sharing, ..line.clone() });
        }
        if !missing.is_empty() {
            return Err(QuestionError::Unclaimed(missing).into());
        }
        Ok(self.with(payers, &lines))
    }

    fn with(
        &self,
        payers: BTreeMap<MemberId, Decimal>,
        lines: &[Line<Decimal>],
    ) -> Draft<NewExpense> {
        let payer =
            |(user, amount)| PayerInput { user: Field::Value(user), amount: Field::Value(amount) };
        Draft::valid(NewExpense {
            amount: Field::Value(self.amount),
            description: Field::Value(self.description.clone()),
            payers: Field::Value(payers.into_iter().map(payer).collect()),
            split_type: Field::Value(SplitType::Itemized),
            items: Field::Value(lines.iter().map(LineInput::of).collect()),
            currency: Field::Value(self.currency),
            category: self.category.map(ExpenseCategory::from).into(),
            date: Field::Value(self.date),
            notes: self.notes.clone().into(),
            ..NewExpense::default()
        })
    }

    /// Amount that each payer paid. A linked guest stands for the user.
    fn payers_present(
        &self,
        Applying { links, present, payer, .. }: Applying<'_>,
    ) -> Result<BTreeMap<MemberId, Decimal>, Error> {
        let mut paid: BTreeMap<MemberId, Decimal> = BTreeMap::new();
        for Payer { user_id, amount, .. } in &self.payers {
            let paid = paid.entry(links.resolve(*user_id)).or_default();
            *paid = paid.plus(*amount).unwrap_or(*amount);
        }
        let is_complete = paid.keys().all(|payer| present.contains(payer));
        match payer.value().map(|payer| links.resolve(*payer)) {
            None if is_complete => Ok(paid),
            None => Err(QuestionError::PayerLeft.into()),
            Some(_) if is_complete => {
                let rule = rule!(
                    "{field} must be left out unless a payer of the receipt has left",
                    "указывайте {field}, только если плательщик из чека покинул группу"
                );
                Err(Error::invalid("payerId", rule))
            }
            Some(payer) if present.contains(&payer) => Ok([(payer, self.amount)].into()),
            Some(_) => Err(Error::invalid("payerId", crate::group::not_a_member())),
        }
    }
}

/// Whether members claim the line.
fn is_claimable(line: &Line<Decimal>) -> bool {
    line.kind == LineKind::Item && line.sharers().next().is_none()
}

/// The sharing of a line among the members who are present; `None` if it depends on claims.
fn sharing_of_present(line: &Line<Decimal>, applying: Applying<'_>) -> Option<Sharing> {
    let Applying { links, present, .. } = applying;
    let Sharing::Sharers { sharers } = &line.sharing else { return Some(line.sharing.clone()) };
    let mut staying: BTreeMap<MemberId, Decimal> = BTreeMap::new();
    for (member, weight) in sharers {
        let member = links.resolve(*member);
        if present.contains(&member) {
            let weight_so_far = staying.entry(member).or_default();
            *weight_so_far = weight_so_far.plus(*weight).unwrap_or(*weight);
        }
    }
    if staying.values().any(|weight| *weight != Decimal::ZERO) {
        Some(Sharing::Sharers { sharers: staying })
    } else if line.kind == LineKind::Item {
        None
    } else {
        Some(Sharing::Over { over: None, split: LineSplit::default() })
    }
}

/// The claims to a line, added up.
fn counted<'a>(
    line: &Line<Decimal>,
    claims: Option<&'a BTreeMap<MemberId, Option<Decimal>>>,
) -> Counted<'a> {
    static NONE: BTreeMap<MemberId, Option<Decimal>> = BTreeMap::new();
    let claims = claims.unwrap_or(&NONE);
    let quantity = line.quantity.filter(|quantity| quantity.decimals() == 0).and_then(scaled);
    let counts = claims.values().flatten().filter_map(|count| scaled(*count));
    let uncounted = claims.values().filter(|count| count.is_none()).count();
    Counted {
        claims,
        quantity: quantity.unwrap_or(ONE),
        sum: counts.fold(0, Scaled::saturating_add),
        uncounted: Scaled::try_from(uncounted).unwrap_or_default(),
    }
}

/// The sharer of unclaimed items while the receipt is checked: the main payer, if there is one, or
/// else the asker.
fn stand_in(
    sent: &NewExpense,
    present: &[Member],
    links: &Links,
    asker: UserId,
) -> Field<Vec<SharerInput>> {
    let first = sent.payers.value().and_then(|payers| payers.first());
    let payer = sent.payer.value().or_else(|| first.and_then(|payer| payer.user.value()));
    let payer = payer.map(|payer| links.resolve(*payer));
    let payer = payer.filter(|payer| present.iter().any(|member| member.id == *payer));
    let user = Field::Value(payer.unwrap_or_else(|| asker.into()));
    Field::Value(vec![SharerInput { user, weight: Field::Absent }])
}
