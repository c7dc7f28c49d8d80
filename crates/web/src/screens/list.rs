//! A list of expenses by day, as each reader sees it.

use std::collections::BTreeSet;

use fracti_core::{
    group::{Group, Member},
    records::expense::{Expense, Payer},
    values::{decimal::Decimal, id::MemberId, time::Day},
};
use maud::{Markup, html};

use crate::{
    text::{Texts, sentence},
    ui::{self, Names},
};

/// Characters of an amount up to which it stands beside the reader's part of it.
const LONG: usize = 16;

/// Expenses on a screen.
pub(crate) const EXPENSES: usize = 30;

/// All ids of the reader: their own, and those of guests who turned out to be them.
pub(crate) fn own_ids(me: MemberId, members: &[Member]) -> BTreeSet<MemberId> {
    let member = members.iter().find(|member| member.id == me);
    member.map(|it| it.guests.clone()).unwrap_or_default().into_iter().chain([me]).collect()
}

/// How expenses are listed.
pub(crate) struct List<'a> {
    pub(crate) l: Texts,
    pub(crate) group: &'a Group,
    pub(crate) names: &'a Names<'a>,
    /// All ids of the reader.
    pub(crate) own: BTreeSet<MemberId>,
    pub(crate) today: Day,
}

impl List<'_> {
    /// Expenses below the headings of their days.
    pub(crate) fn of(&self, expenses: &[Expense]) -> Markup {
        let mut days: Vec<(Day, Vec<&Expense>)> = Vec::new();
        for expense in expenses {
            match days.last_mut() {
                Some((day, list)) if *day == expense.day() => list.push(expense),
                _ => days.push((expense.day(), vec![expense])),
            }
        }
        html! {
            @for (day, expenses) in days {
                h2.day { (ui::day(self.l, day, self.today)) }
                ul.card.list { @for expense in expenses { (self.row(expense)) } }
            }
        }
    }

    /// An expense: what it did to the reader, and below, who paid how much.
    fn row(&self, expense: &Expense) -> Markup {
        let l = self.l;
        let currency = expense.currency;
        // Two amounts of a billion do not fit beside each other on a phone.
        let is_long = l.money(expense.amount, currency).chars().count() > LONG;
        let path = format!("{}/expenses/{}", ui::group_path(self.group.id), expense.id);
        html! {
            li { a.row.long[is_long] href=(path) {
                span.icon aria-hidden="true" { (ui::emoji(self.group, expense.category)) }
                span.grow {
                    span.name { (ui::name(&expense.description)) }
                    small.hint { (paid(l, self.names, expense)) }
                }
                span.effect {
                    @match effect(expense, &self.own) {
                        None => span.hint { (l.not_involved()) },
                        Some((paid, share)) => {
                            @let tone = match paid.minus(share) {
                                Some(Decimal::ZERO) | None => "hint",
                                Some(net) if net.is_negative() => "minus",
                                Some(_) => "plus",
                            };
                            span.(tone) { (l.effect(paid, share, currency)) }
                        },
                    }
                }
            } }
        }
    }
}

/// Who paid how much.
pub(crate) fn paid(l: Texts, names: &Names<'_>, expense: &Expense) -> Markup {
    let is_refund = expense.amount.is_negative();
    let mut payers = expense.all_payers();
    // The reader is named first; the others are in the order of what they paid.
    payers.sort_by_key(|it| !names.is_me(it.user_id));
    if let [only] = &*payers
        && names.is_me(only.user_id)
    {
        return l.own_payment(expense.amount, expense.currency);
    }
    let name = |payer: &Payer| {
        let is_me = names.is_me(payer.user_id);
        let you = is_me && is_refund;
        if you { ui::name(l.to_you()) } else { names.shown_stored(payer.user_id, &payer.user_name) }
    };
    let who = match &*payers {
        [one, other] => sentence([name(one), name(other)], |[one, other]| l.and_one(one, other)),
        [one, others @ ..] if !others.is_empty() => {
            sentence([name(one)], |[one]| l.and_others(one, others.len()))
        }
        others => html! { @for one in others { (name(one)) } },
    };
    let amount = ui::money(l, expense.amount.absolute(), expense.currency);
    sentence(
        [who, amount],
        |[who, amount]| {
            if is_refund { l.got_back(who, amount) } else { l.paid(who, amount) }
        },
    )
}

/// What a user paid of an expense, and their share. None if they have no part in it.
fn effect(expense: &Expense, own: &BTreeSet<MemberId>) -> Option<(Decimal, Decimal)> {
    let paid = expense.all_payers().iter().any(|it| own.contains(&it.user_id));
    let shares = expense.splits.iter().any(|it| own.contains(&it.user_id));
    (paid || shares).then(|| (expense.paid_by_all(own), expense.share_of_all(own)))
}
