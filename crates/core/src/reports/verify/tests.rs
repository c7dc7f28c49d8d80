use super::*;

use crate::{
    ledger::{
        Event, Totals,
        balance::Balance,
        tests::{actor, at, currency, group, user},
    },
    records::expense::{Category, Payer, Share},
    reports::tally::{Tally, TallyCounters, TallyKey, TallyPart},
    split::Split,
    storage::row::{from_item, to_item},
    values::{
        id::{ExpenseId, SettlementId},
        money::Money,
        time::Timestamp,
    },
};
use proptest::{collection::vec, prelude::*, sample::Index};

/// An expense of which the member after `payer` paid a third, if it is large enough. One that
/// member 5 paid has no date, as in a v0 row.
fn expense(at: Timestamp, payer: u64, minor: i64, sharers: u64, in_currency: u8) -> Expense {
    let currency = currency(in_currency);
    let id = ExpenseId::new(at, [1; 10]);
    let share = |part: crate::split::UserShare| Share {
        user_id: part.user,
        user_name: String::new(),
        amount: part.amount.to_major(),
        percentage: None,
        weight: None,
        adjustment: None,
    };
    let split = Split::Equal((1..=sharers).map(user).collect());
    let shares = split.divide(Money { currency, minor }, id).unwrap();
    let third = minor / 3;
    let paid = [(payer, minor - third), (payer + 1, third)].map(|(payer, minor)| Payer {
        user_id: user(payer),
        user_name: String::new(),
        amount: currency.to_major(minor),
    });
    Expense {
        id,
        group_id: group(),
        group_title: None,
        payer_id: user(payer),
        payer_name: String::new(),
        payers: if third == 0 { Vec::new() } else { paid.into() },
        amount: currency.to_major(minor),
        currency,
        description: String::new(),
        split_type: split.split_type(),
        splits: shares.into_iter().map(share).collect(),
        items: None,
        category: (sharers < 3).then_some(Category::Food.into()),
        date: (payer < 5).then(|| at.day()),
        notes: None,
        created_at: at,
        created_by: None,
        updated_at: None,
        import_id: None,
    }
}

fn settlement(at: Timestamp, from: u64, to: u64, minor: i64, in_currency: u8) -> Settlement {
    let currency = currency(in_currency);
    Settlement {
        id: SettlementId::new(at, [2; 10]),
        group_id: group(),
        group_title: None,
        from_user_id: user(from),
        from_user_name: String::new(),
        to_user_id: user(to),
        to_user_name: String::new(),
        amount: currency.to_major(minor),
        currency,
        tx_hash: None,
        status: SettlementStatus::Completed,
        created_at: at,
        created_by: None,
        completed_at: Some(at),
        import_id: None,
        funds: None,
        external: None,
        hold_until: None,
        expired: false,
        date: None,
        note: None,
        updated_at: None,
        reverted_at: None,
        reverted_by: None,
    }
}

#[derive(Clone, Debug)]
enum Act {
    Spend(u64, i64, u64, u8),
    Pay(u64, u64, i64, u8),
    Delete(Index),
    Edit(Index, u64, i64, u8),
    Adjust(u64, u64, i64, u8),
    Unadjust(Index),
}

fn act() -> impl Strategy<Value = Act> {
    // Some expenses are refunds.
    let amount = || prop_oneof![3 => 1..100_000_i64, 1 => -100_000..0_i64];
    prop_oneof![
        (1..6_u64, amount(), 1..6_u64, 0..3_u8).prop_map(|(p, u, s, c)| Act::Spend(p, u, s, c)),
        (1..4_u64, 4..6_u64, 1..100_000_i64, 0..3_u8).prop_map(|(f, t, u, c)| Act::Pay(f, t, u, c)),
        any::<Index>().prop_map(Act::Delete),
        (any::<Index>(), 1..6_u64, amount(), 0..3_u8)
            .prop_map(|(i, p, u, c)| Act::Edit(i, p, u, c)),
        (1..4_u64, 4..6_u64, 1..100_000_i64, 0..3_u8)
            .prop_map(|(f, t, u, c)| Act::Adjust(f, t, u, c)),
        any::<Index>().prop_map(Act::Unadjust),
    ]
}

fn adjustment(name: u64, plus: u64, minus: u64, minor: i64, in_currency: u8) -> Event {
    let currency = currency(in_currency);
    let sent = Totals { sent: minor, ..Totals::default() };
    let received = Totals { received: minor, ..Totals::default() };
    Event {
        ref_type: RefType::Adjustment,
        entry_id: name.to_string().parse().unwrap(),
        ref_created_at: None,
        note: None,
        changes: vec![
            Change { user: user(plus), currency, totals: sent },
            Change { user: user(minus), currency, totals: received },
        ],
    }
}

/// A group to which acts are applied: its ledger after each act, and all its rows.
#[derive(Default)]
struct Model {
    ledger: Ledger,
    rows: Rows,
    /// The ledger after each event.
    then: Vec<Ledger>,
    /// The entries of the expenses that count, in their order.
    spent: Vec<Entry>,
    adjusted: Vec<Entry>,
}

impl Model {
    fn record(&mut self, event: Event, by: u64, at: Timestamp) -> Entry {
        let (ledger, entry) = self.ledger.record(group(), event, actor(by), at).unwrap();
        self.ledger = ledger;
        self.rows.entries.push(entry.clone());
        entry
    }

    fn revert(&mut self, entry: &Entry, at: Timestamp) {
        let (ledger, [reverted, revert]) = self.ledger.revert(entry, actor(1), at).unwrap();
        assert_eq!(reverted.other_sequence, Some(revert.sequence));
        assert_eq!(revert.other_sequence, Some(reverted.sequence));
        self.ledger = ledger;
        let place = usize::try_from(reverted.sequence).unwrap();
        self.rows.entries[place] = reverted;
        self.rows.entries.push(revert);
    }

    /// Changes the tallies as a write of the expense does.
    fn tally(&mut self, before: Option<&Expense>, after: Option<&Expense>) {
        let mut tally = Tally::default();
        before.map_or(Ok(()), |before| tally.subtract(before)).unwrap();
        after.map_or(Ok(()), |after| tally.add(after)).unwrap();
        for (of, changes) in tally.changes() {
            let tallies = &mut self.rows.tallies;
            let place = tallies.iter().position(|row| row.of == of).unwrap_or_else(|| {
                let (group_id, counters) = (group(), TallyCounters::default());
                tallies.push(TallyRow { group_id, of, updated_at: at(0), counters });
                tallies.len() - 1
            });
            for (counter, number) in changes.iter() {
                tallies[place].counters.add(*counter, number).unwrap();
            }
        }
    }

    fn act(&mut self, number: u64, act: &Act) {
        let at = self.ledger.next_moment(at(number / 3));
        match *act {
            Act::Spend(payer, minor, sharers, currency) => {
                let expense = expense(at, payer, minor, sharers, currency);
                let entry = self.record(expense.event().unwrap(), payer, at);
                self.spent.push(entry);
                self.tally(None, Some(&expense));
                self.rows.expenses.push(expense);
            }
            Act::Pay(from, to, minor, currency) => {
                let settlement = settlement(at, from, to, minor, currency);
                self.record(settlement.event().unwrap(), to, at);
                self.rows.settlements.push(settlement);
            }
            Act::Delete(index) if !self.spent.is_empty() => {
                let index = index.index(self.spent.len());
                let entry = self.spent.remove(index);
                let expense = self.rows.expenses.remove(index);
                self.tally(Some(&expense), None);
                self.revert(&entry, at);
            }
            Act::Edit(index, payer, minor, currency) if !self.spent.is_empty() => {
                let index = index.index(self.spent.len());
                let before = self.rows.expenses[index].clone();
                let entry = self.spent[index].clone();
                self.revert(&entry, at);
                let created_at = before.created_at;
                let after = expense(created_at, payer, minor, 3, currency);
                self.spent[index] = self.record(after.event().unwrap(), payer, at);
                self.tally(Some(&before), Some(&after));
                self.rows.expenses[index] = after;
            }
            Act::Adjust(plus, minus, minor, currency) => {
                let event = adjustment(number, plus, minus, minor, currency);
                let entry = self.record(event, plus, at);
                self.adjusted.push(entry);
            }
            Act::Unadjust(index) if !self.adjusted.is_empty() => {
                let entry = self.adjusted.remove(index.index(self.adjusted.len()));
                self.revert(&entry, at);
            }
            Act::Delete(_) | Act::Edit(..) | Act::Unadjust(_) => return,
        }
        self.then.push(self.ledger.clone());
    }
}

proptest! {
    #[test]
    fn ledger_matches_its_rows_after_any_events(acts in vec(act(), 0..40)) {
        let mut model = Model::default();
        for (number, act) in (0..).zip(acts) {
            let before = model.ledger.clone();
            model.act(number, &act);
            let ledger = &model.ledger;
            prop_assert_eq!(ledger == &before, ledger.version == before.version);
            prop_assert!(ledger == &before || ledger.last_event_at > before.last_event_at);
            for currency in ledger.balances.currencies() {
                prop_assert_eq!(ledger.balances.nets(currency).map(|(_, net)| net).sum::<i64>(), 0);
            }
        }
        let sequences: Vec<u64> = model.rows.entries.iter().map(|entry| entry.sequence).collect();
        prop_assert_eq!(sequences, (0..model.ledger.sequence).collect::<Vec<_>>());
        prop_assert_eq!(verify(&model.ledger, &model.rows), Ok(()));
        for tally in model.rows.tallies {
            let item = to_item(&tally).unwrap();
            prop_assert_eq!(from_item::<TallyRow>(item).unwrap(), tally);
        }

        let balance = Balance { group_id: group(), ledger: model.ledger };
        let row = to_item(&balance).unwrap();
        prop_assert_eq!(from_item::<Balance>(row).unwrap(), balance);
    }

    #[test]
    fn any_past_ledger_is_a_replay_of_the_entries_up_to_it(acts in vec(act(), 1..40), from: Index) {
        let mut model = Model::default();
        for (number, act) in (0..).zip(acts) {
            model.act(number, &act);
        }
        prop_assume!(!model.then.is_empty());
        let opening = &model.then[from.index(model.then.len())];
        for then in model.then.iter().filter(|then| then.sequence >= opening.sequence) {
            let between = |entry: &&Entry| (opening.sequence..then.sequence).contains(&entry.sequence);
            let replayed = opening.replay(model.rows.entries.iter().filter(between)).unwrap();
            prop_assert_eq!(&Ledger { version: then.version, ..replayed }, then);
        }
        let missing = model.rows.entries.iter().skip(1);
        let first_missing = Ledger::default().replay(missing).err();
        let expected = (model.ledger.sequence > 1).then_some(LedgerError::Missing(0));
        prop_assert_eq!(first_missing, expected);
    }

    #[test]
    fn a_revert_leads_back(payer in 1..6_u64, minor in 1..=i64::MAX, sharers in 1..6_u64) {
        let event = expense(at(0), payer, minor, sharers, 0).event().unwrap();
        let (after, entry) = Ledger::default().record(group(), event, actor(payer), at(0)).unwrap();
        let row = to_item(&entry).unwrap();
        prop_assert_eq!(&from_item::<Entry>(row).unwrap(), &entry);
        let (back, _) = after.revert(&entry, actor(payer), at(1)).unwrap();
        prop_assert_eq!(back.balances, Balances::default());
        prop_assert_eq!((back.expense_count, back.sequence, back.version), (0, 2, 2));
    }
}

#[test]
fn verify_sees_every_difference() {
    let mut model = Model::default();
    for (number, act) in
        (0..).zip([Act::Spend(1, 100, 3, 0), Act::Pay(2, 1, 33, 0), Act::Adjust(1, 2, 5, 0)])
    {
        model.act(number, &act);
    }
    let Model { ledger, rows, .. } = model;
    assert_eq!(verify(&ledger, &rows), Ok(()));

    let (spent, paid) = (rows.expenses[0].clone(), rows.settlements[0].clone());
    let pending = Settlement { status: SettlementStatus::Pending, ..paid.clone() };
    let other = expense(at(0), 2, 100, 3, 0);
    let mut swapped = spent.clone();
    let [first, second] = swapped.payers.as_mut_slice() else { unreachable!() };
    std::mem::swap(&mut first.amount, &mut second.amount);
    let mut unapplied = rows.entries.clone();
    unapplied[2].status = EntryStatus::Reverted;
    let mut moved = rows.entries.clone();
    moved[0].changes[0].totals.paid = 99;
    for (rows, what) in [
        (Rows { expenses: vec![], ..rows.clone() }, "an expense is missing"),
        (
            Rows { expenses: vec![spent.clone(), spent], ..rows.clone() },
            "an expense is there twice",
        ),
        (Rows { expenses: vec![other], ..rows.clone() }, "another one paid"),
        (Rows { expenses: vec![swapped], ..rows.clone() }, "each payer paid what the other did"),
        (Rows { settlements: vec![], ..rows.clone() }, "a settlement is missing"),
        (Rows { settlements: vec![pending], ..rows.clone() }, "a settlement is not completed"),
        (Rows { entries: rows.entries[..2].to_vec(), ..rows.clone() }, "the last entry is missing"),
        (Rows { entries: unapplied, ..rows.clone() }, "an adjustment does not count"),
        (Rows { entries: moved, ..rows.clone() }, "an entry says something else"),
    ] {
        assert!(verify(&ledger, &rows).is_err(), "{what}");
    }

    let of = TallyKey { date: at(0).day(), category: None };
    let differs = Err(Discrepancy::Tallies(vec![of]));
    let (mut more, mut other) = (rows.tallies.clone(), rows.tallies.clone());
    for counter in [TallyPart::Count(currency(0)), TallyPart::Share(user(9), currency(0))] {
        let one = "0.01".parse().unwrap();
        more[0].counters.add(counter, one).unwrap();
        assert_eq!(verify(&ledger, &Rows { tallies: more.clone(), ..rows.clone() }), differs);
    }
    other[0].of.category = Some(Category::Food.into());
    let food = Discrepancy::Tallies(vec![of, other[0].of]);
    assert_eq!(
        food.to_string(),
        "tallies differ from the expenses: [2023-11-14#none, 2023-11-14#food]"
    );
    assert_eq!(verify(&ledger, &Rows { tallies: other, ..rows.clone() }), Err(food));
    assert_eq!(verify(&ledger, &Rows { tallies: vec![], ..rows.clone() }), differs);

    let gap = Rows { entries: rows.entries[1..].to_vec(), ..rows.clone() };
    let unsound = |of, cause| Err(Discrepancy::Unsound { of, cause });
    assert_eq!(verify(&ledger, &gap), unsound("entries", LedgerError::Missing(0)));

    let mut too_much = rows.clone();
    too_much.expenses[0].payers[0].amount = "92233720368547758.08".parse().unwrap();
    let eur = currency(0);
    assert_eq!(verify(&ledger, &too_much), unsound("rows", LedgerError::Overflow(eur)));
}
