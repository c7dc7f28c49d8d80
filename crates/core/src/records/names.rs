//! The members that requests for records name.

use crate::{
    group::{links::Links, named::NamesMembers},
    input::Field,
    records::{
        adjustment::{Adjustment, BareOrWrapped},
        expense::{Edit, LineInput, NewExpense, PayerInput, SharerInput, SplitInput},
        settlement::NewSettlement,
    },
    values::{decimal::Decimal, id::MemberId},
};

impl NamesMembers for NewExpense {
    fn members_mut(&mut self) -> Vec<&mut MemberId> {
        let Self { payer, payers, splits, items, .. } = self;
        of_expense(payer, payers, splits, items)
    }

    fn merge(&mut self, links: &Links) {
        merge_sharers(&mut self.items, links);
    }
}

impl NamesMembers for Edit {
    fn members_mut(&mut self) -> Vec<&mut MemberId> {
        let Self { payer, payers, splits, items, .. } = self;
        of_expense(payer, payers, splits, items)
    }

    fn merge(&mut self, links: &Links) {
        merge_sharers(&mut self.items, links);
    }
}

/// Lets the user alone share the lines that the user and linked guests share, with the weights of
/// all: the lines of an expense from before the link may be sent again as they were read. An id
/// that is given twice stays a mistake.
fn merge_sharers(lines: &mut Field<Vec<LineInput>>, links: &Links) {
    for sharers in items(lines).filter_map(|line| line.sharers.value_mut()) {
        let mut merged: Vec<SharerInput> = Vec::new();
        for sharer in sharers.iter() {
            let meant = |it: &SharerInput| it.user.value().map(|user| links.resolve(*user));
            let same = merged.iter_mut().find(|it| {
                it.user != sharer.user && meant(it).is_some() && meant(it) == meant(sharer)
            });
            let weight = |it: &SharerInput| it.weight.or(Decimal::new(1, 0));
            match same {
                Some(same) => {
                    let sum = weight(same).zip(weight(sharer)).and_then(|(a, b)| a.plus(b));
                    same.weight = sum.map_or(Field::Invalid, Field::Value);
                }
                None => merged.push(sharer.clone()),
            }
        }
        *sharers = merged;
    }
}

fn of_expense<'a>(
    payer: &'a mut Field<MemberId>,
    payers: &'a mut Field<Vec<PayerInput>>,
    splits: &'a mut Field<Vec<SplitInput>>,
    lines: &'a mut Field<Vec<LineInput>>,
) -> Vec<&'a mut MemberId> {
    let payers = items(payers).map(|payer| &mut payer.user);
    let splits = items(splits).map(|split| &mut split.user);
    let sharers = items(lines).flat_map(|line| items(&mut line.sharers));
    let sharers = sharers.map(|sharer| &mut sharer.user);
    let all = std::iter::once(payer).chain(payers).chain(splits).chain(sharers);
    all.filter_map(Field::value_mut).collect()
}

impl NamesMembers for NewSettlement {
    fn members_mut(&mut self) -> Vec<&mut MemberId> {
        [&mut self.from, &mut self.to].into_iter().filter_map(Field::value_mut).collect()
    }
}

impl NamesMembers for BareOrWrapped<Adjustment> {
    fn members_mut(&mut self) -> Vec<&mut MemberId> {
        let amounts =
            items(&mut self.items).flat_map(|Adjustment { changes, condition, .. }| {
                items(changes).chain(condition.value_mut())
            });
        amounts.filter_map(|amount| amount.user.value_mut()).collect()
    }
}

/// The items of a list, if it can be read.
fn items<T>(list: &mut Field<Vec<T>>) -> impl Iterator<Item = &mut T> {
    list.value_mut().into_iter().flatten()
}
