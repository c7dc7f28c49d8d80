//! Payers of an expense: one member, or several who each paid a part of the amount.

use std::{cmp::Reverse, collections::BTreeSet};

use fracti_texts::{message, rule};
use serde::{Deserialize, Serialize};

use super::{Edit, Expense, members::Members};
use crate::{
    input::{Field, FieldErrors, Path, limits::MAX_SHARES, numbers::signed},
    split::SplitError,
    storage::{
        keys::{self, Index, Keys},
        row::Row,
    },
    values::{currency::Currency, decimal::Decimal, id::MemberId, money::Money},
};

/// A member who paid an expense, and how much of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Payer {
    /// The member.
    pub user_id: MemberId,
    /// Name of the member when the expense was recorded or edited.
    pub user_name: String,
    /// Amount that the member paid, in major units; not zero.
    pub amount: Decimal,
}

/// A member who paid a part of an expense, in a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PayerInput {
    /// The member.
    pub user: Field<MemberId>,
    /// Amount that the member paid, in major units. One payer may omit it and pays the rest.
    pub amount: Field<Decimal>,
}

/// An expense and one of its payers. It is also the row by which a payer other than the main payer
/// finds the expense.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaidExpense {
    /// The payer.
    #[serde(rename = "paidBy")]
    pub paid_by: MemberId,
    /// Number of lines of the expense, if it has any.
    #[serde(rename = "itemCount", default, skip_serializing_if = "Option::is_none")]
    pub item_count: Option<usize>,
    /// The expense, without its lines.
    #[serde(flatten)]
    pub expense: Expense,
}

impl PaidExpense {
    /// An expense and one of its payers.
    fn by(paid_by: MemberId, expense: Expense) -> Self {
        let item_count = expense.items.as_ref().map(Vec::len);
        Self { paid_by, item_count, expense: Expense { items: None, ..expense } }
    }

    /// An expense and its main payer.
    #[must_use]
    pub fn by_main_payer(expense: Expense) -> Self {
        Self::by(expense.payer_id, expense)
    }

    /// Whether the payer is the main payer of the expense.
    #[must_use]
    pub fn is_by_main_payer(&self) -> bool {
        self.paid_by == self.expense.payer_id
    }
}

impl Row for PaidExpense {
    const KIND: &'static str = "payer";
    const VERSION: u32 = 2;

    fn keys(&self) -> Keys {
        let Expense { group_id, id, created_at, .. } = self.expense;
        let paid = format!("{}{created_at}", keys::prefix::PAID);
        let by_user = Index { pk: keys::user_partition(self.paid_by), sk: paid };
        Keys { gsi1: Some(by_user), ..keys::payer(group_id, id, self.paid_by).into() }
    }
}

impl Expense {
    /// All payers: the main payer, who paid most, and then the others by amount. Payers of the same
    /// amount are in order of id.
    #[must_use]
    pub fn all_payers(&self) -> Vec<Payer> {
        if self.payers.is_empty() {
            let user_id = self.payer_id;
            let user_name = self.payer_name.clone();
            return vec![Payer { user_id, user_name, amount: self.amount }];
        }
        self.payers.clone()
    }

    /// Ids of all payers, in any order; some more than once.
    pub fn payer_ids(&self) -> impl Iterator<Item = MemberId> + '_ {
        self.payers.iter().map(|payer| payer.user_id).chain([self.payer_id])
    }

    /// Amount that a member paid, in major units; zero for a member who is no payer.
    #[must_use]
    pub fn paid_by(&self, user: MemberId) -> Decimal {
        if self.payers.is_empty() && self.payer_id == user {
            return self.amount;
        }
        let payer = self.payers.iter().find(|payer| payer.user_id == user);
        payer.map_or(Decimal::ZERO, |payer| payer.amount)
    }

    /// Rows by which the payers other than the main payer find the expense.
    #[must_use]
    pub fn further_payers(&self) -> Vec<PaidExpense> {
        let payers = self.payers.iter().map(|payer| payer.user_id);
        let further = payers.filter(|user| *user != self.payer_id);
        further.map(|paid_by| PaidExpense::by(paid_by, self.clone())).collect()
    }
}

/// The payers of an expense, as the expense has them.
#[derive(Clone, Debug)]
pub(super) struct CheckedPayers {
    pub(super) payer_id: MemberId,
    pub(super) payer_name: String,
    pub(super) payers: Vec<Payer>,
}

impl CheckedPayers {
    /// Reports an error if one transaction cannot hold the rows of all shares and further payers.
    pub(super) fn check_room(&self, shares: usize, errors: &mut FieldErrors) {
        let rows = shares.saturating_add(self.payers.len().saturating_sub(1));
        if rows > MAX_SHARES {
            errors.too_many_shares(rows);
        }
    }
}

/// The members whom `payers` names.
pub(super) fn named(payers: &Field<Vec<PayerInput>>) -> impl Iterator<Item = MemberId> + '_ {
    payers.value().into_iter().flatten().filter_map(|payer| payer.user.value().copied())
}

/// Reads who paid an expense. An amount or a currency that is invalid itself is missing, and the
/// rules that need it are skipped.
pub(super) struct PayersReader<'a> {
    pub(super) members: &'a Members<'a>,
    /// The expense before an edit. Its payers keep their names, and may have left the group.
    pub(super) before: Option<&'a Expense>,
    pub(super) currency: Option<Currency>,
    pub(super) amount: Option<Money>,
}

impl PayersReader<'_> {
    /// The payers according to the fields `payerId` and `payers`, at most one of which may be
    /// given. If neither is, `default` paid.
    pub(super) fn read(
        &self,
        payer: Field<MemberId>,
        payers: &Field<Vec<PayerInput>>,
        default: MemberId,
        errors: &mut FieldErrors,
    ) -> Option<CheckedPayers> {
        if let Field::Absent = payers {
            return self.one(payer.or(default)?, errors);
        }
        if let Field::Value(_) = payer {
            errors.push(
                "payerId",
                rule!(
                    "{field} must be left out if payers is given",
                    "не указывайте {field} вместе с payers"
                ),
            );
        }
        self.several(payers.value()?, errors)
    }

    /// The payers after an edit. If it names none, they stay the same.
    pub(super) fn read_edit(
        &self,
        before: &Expense,
        edit: &Edit,
        errors: &mut FieldErrors,
    ) -> Option<CheckedPayers> {
        if !edit.payer.is_absent() || !edit.payers.is_absent() || before.payers.is_empty() {
            return self.read(edit.payer, &edit.payers, before.payer_id, errors);
        }
        if self.amount?.to_major() != before.amount {
            let rule = message!(
                "payers or payerId is required for a new amount of an expense with several payers",
                "плательщиков несколько: чтобы изменить сумму расхода, укажите payers или payerId"
            );
            errors.push("payers", rule);
            return None;
        }
        let stored = |payer: &Payer| PayerInput {
            user: Field::Value(payer.user_id),
            amount: Field::Value(payer.amount),
        };
        self.several(&before.payers.iter().map(stored).collect::<Vec<_>>(), errors)
    }

    /// One payer of the whole amount.
    fn one(&self, user: MemberId, errors: &mut FieldErrors) -> Option<CheckedPayers> {
        let payer_name = self.name(user, "payerId", errors)?;
        Some(CheckedPayers { payer_id: user, payer_name, payers: Vec::new() })
    }

    fn several(&self, inputs: &[PayerInput], errors: &mut FieldErrors) -> Option<CheckedPayers> {
        let users = self.read_users(inputs, errors);
        let paid = self.read_amounts(inputs, errors);
        let (users, paid, Money { currency, .. }) = (users?, paid?, self.amount?);
        let payers = users.into_iter().zip(paid).filter(|(_, minor)| *minor != 0);
        let mut payers: Vec<((MemberId, String), i64)> = payers.collect();
        payers.sort_by_key(|((user, _), minor)| (Reverse(minor.unsigned_abs()), *user));
        let (payer_id, payer_name) = payers.first()?.0.clone();
        let payer = |((user_id, user_name), minor)| Payer {
            user_id,
            user_name,
            amount: currency.to_major(minor),
        };
        let payers: Vec<Payer> = payers.into_iter().map(payer).collect();
        let payers = if payers.len() > 1 { payers } else { Vec::new() };
        Some(CheckedPayers { payer_id, payer_name, payers })
    }

    /// The members and their names. Each member must be listed once.
    fn read_users(
        &self,
        inputs: &[PayerInput],
        errors: &mut FieldErrors,
    ) -> Option<Vec<(MemberId, String)>> {
        let mut seen = BTreeSet::new();
        let read = |(index, input): (usize, &PayerInput)| {
            let user = *input.user.value()?;
            let path = field(index, "userId");
            let name = self.name(user, path.clone(), errors)?;
            if !seen.insert(user) {
                errors.push(
                    path,
                    rule!(
                        "{field} must appear only once in payers",
                        "{field} не должно повторяться в payers"
                    ),
                );
                return None;
            }
            Some((user, name))
        };
        // Reads all before it collects them, so that the errors of all are reported.
        let users: Vec<Option<_>> = inputs.iter().enumerate().map(read).collect();
        users.into_iter().collect()
    }

    /// The name of the member at `path`.
    fn name(
        &self,
        user: MemberId,
        path: impl Into<Path>,
        errors: &mut FieldErrors,
    ) -> Option<String> {
        let before = self.before.map(Expense::all_payers).unwrap_or_default();
        let payer = before.into_iter().find(|payer| payer.user_id == user);
        match payer {
            Some(payer) => Some(payer.user_name),
            None => self.members.name(user, path, errors),
        }
    }

    /// The amounts in minor units, which must sum to that of the expense. One may be omitted and is
    /// the rest, which may be 0.
    fn read_amounts(&self, inputs: &[PayerInput], errors: &mut FieldErrors) -> Option<Vec<i64>> {
        let sign = self.amount.map(|amount| amount.minor.signum());
        let mut rest = None;
        let read = |(index, input): (usize, &PayerInput)| match input.amount {
            Field::Value(number) => {
                let path = field(index, "amount");
                Some(signed(path, number, self.currency, sign, errors)?.minor)
            }
            Field::Invalid => None,
            Field::Absent if rest.is_none() => {
                rest = Some(index);
                Some(0)
            }
            Field::Absent => {
                let path = field(index, "amount");
                let rule = rule!(
                    "{field} is required: only one payer may omit it",
                    "укажите {field}: не указать сумму можно только для одного плательщика"
                );
                errors.push(path, rule);
                None
            }
        };
        // Reads all before it collects them, so that the errors of all are reported.
        let paid: Vec<Option<i64>> = inputs.iter().enumerate().map(read).collect();
        let mut paid = paid.into_iter().collect::<Option<Vec<i64>>>()?;
        let amount = self.amount?;
        let sum: i128 = paid.iter().copied().map(i128::from).sum();
        let left = i128::from(amount.minor).saturating_sub(sum);
        match rest.and_then(|index| paid.get_mut(index)) {
            Some(paid) if (left > 0) == (amount.minor > 0) => *paid = i64::try_from(left).ok()?,
            _ if left != 0 => {
                errors.push("payers", SplitError::Sum { sum, amount });
                return None;
            }
            _ => {}
        }
        Some(paid)
    }
}

/// Path of a field of a payer.
fn field(index: usize, name: &'static str) -> Path {
    Path::from("payers").index(index).field(name)
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::*;
    use crate::{
        caller::telegram::User,
        group::{Group, Member},
        input::Draft,
        records::expense::{NewExpense, SplitInput},
        split::SplitType,
        values::{
            id::{GroupId, UserId},
            time::{Timestamp, Zone},
        },
    };

    fn user(number: usize) -> UserId {
        UserId::new(number as u64 + 1).unwrap()
    }

    fn eur(minor: i64) -> Field<Decimal> {
        Field::Value("EUR".parse::<Currency>().unwrap().to_major(minor))
    }

    fn minor(number: Decimal) -> i64 {
        "EUR".parse::<Currency>().unwrap().to_minor(number).unwrap()
    }

    /// An expense that each member paid and shares in part; the shares are by weights.
    fn recorded(paid: &[(usize, i64)], weights: &[u32]) -> Expense {
        let at = Timestamp::from_millis(1_700_000_000_000).unwrap();
        let group = Group {
            id: GroupId::new(at, [1; 10]),
            chat_id: 1.into(),
            title: "Alps".parse().unwrap(),
            currency: "EUR".parse().unwrap(),
            created_at: at,
            created_by: None,
            archived: false,
            dated: true,
            categories: Vec::new(),
            default_splits: Vec::new(),
            default_splits_at: None,
            invitation: None,
            invitation_code: None,
            invited_by: None,
            proposed_links: Vec::new(),
            deleted_at: None,
            member_count: 9,
        };
        let member = |number| {
            let id = user(number);
            let name = number.to_string();
            Member::new(&User { id, name, username: None, avatar_url: None }, None, at)
        };
        let members: Vec<Member> = (0..9).map(member).collect();
        let payer = |(number, minor): &(usize, i64)| PayerInput {
            user: Field::Value(user(*number).into()),
            amount: eur(*minor),
        };
        let split = |(number, weight): (usize, &u32)| SplitInput {
            user: Field::Value(user(number).into()),
            weight: Field::Value(Decimal::new((*weight).into(), 0)),
            ..SplitInput::default()
        };
        let new = Draft::valid(NewExpense {
            amount: eur(paid.iter().map(|(_, minor)| minor).sum()),
            description: Field::Value("Dinner".parse().unwrap()),
            payers: Field::Value(paid.iter().map(payer).collect()),
            split_type: Field::Value(SplitType::Shares),
            splits: Field::Value(weights.iter().enumerate().map(split).collect()),
            ..NewExpense::default()
        });
        new.check(&group, &members, user(0), at, Zone::default()).unwrap().at(at, [7; 10]).unwrap()
    }

    proptest! {
        #[test]
        fn rows_follow_from_what_each_member_paid_and_owes(
            paid in vec(0..10_000_i64, 1..6), weights in vec(0..100_u32, 1..9),
        ) {
            prop_assume!(paid.iter().any(|it| *it > 0) && weights.iter().any(|it| *it > 0));
            // The payers are the last members, so that some of them share the expense.
            let paid: Vec<(usize, i64)> = (0..9).rev().zip(paid).collect();
            let expense = recorded(&paid, &weights);
            let payers = expense.all_payers();
            let sum: i64 = payers.iter().map(|payer| minor(payer.amount)).sum();
            prop_assert_eq!(sum, minor(expense.amount));
            prop_assert_eq!(payers.len(), paid.iter().filter(|(_, minor)| *minor > 0).count());
            prop_assert!(payers.is_sorted_by_key(|it| (Reverse(minor(it.amount)), it.user_id)));
            prop_assert_eq!(expense.payer_id, payers[0].user_id);
            prop_assert_eq!(expense.further_payers().len(), payers.len() - 1);

            let mut owed: Vec<(MemberId, i64)> = Vec::new();
            for share in &expense.splits {
                let left = minor(share.amount) - minor(expense.paid_by(share.user_id));
                owed.extend((left > 0).then_some((share.user_id, left)));
            }
            let participants = expense.participants();
            let found = participants.iter().map(|it| (it.user_id, minor(it.amount)));
            prop_assert_eq!(found.collect::<Vec<_>>(), owed);
            for row in participants {
                let others = payers.iter().filter(|it| it.user_id != row.user_id);
                let others: Vec<MemberId> = others.map(|it| it.user_id).collect();
                prop_assert_eq!(row.payer_id, others[0]);
                let count = row.payer_count.unwrap_or(1);
                prop_assert!(count == others.len() && row.payer_count != Some(1));
            }
        }

        #[test]
        fn refund_has_the_negated_rows_in_any_order_of_the_payers(
            paid in vec(1..10_000_i64, 1..6), weights in vec(1..100_u32, 1..9),
        ) {
            let paid: Vec<(usize, i64)> = (0..9).rev().zip(paid).collect();
            let expense = recorded(&paid, &weights);
            let negated: Vec<(usize, i64)> = paid.iter().rev().map(|it| (it.0, -it.1)).collect();
            let refund = recorded(&negated, &weights);
            let payers = |of: &Expense, sign: i64| {
                let payers = of.all_payers().into_iter();
                payers.map(|it| (it.user_id, sign * minor(it.amount))).collect::<Vec<_>>()
            };
            prop_assert_eq!(payers(&refund, -1), payers(&expense, 1));
            let debts = |of: &Expense, sign: i64| {
                let rows = of.participants().into_iter();
                rows.map(|it| (it.user_id, sign * minor(it.amount), it.payer_id, it.payer_count))
                    .collect::<Vec<_>>()
            };
            prop_assert_eq!(debts(&refund, -1), debts(&expense, 1));
            let further = |of: &Expense| {
                of.further_payers().into_iter().map(|it| it.paid_by).collect::<Vec<_>>()
            };
            prop_assert_eq!(further(&refund), further(&expense));
        }
    }
}
