use super::*;
use crate::{
    expense::Share,
    id::{ExpenseId, SettlementId},
    keys,
    row::{from_item, to_item},
    split::{Split, SplitType},
};
use proptest::{collection::vec, prelude::*, sample::Index};

fn user(number: u64) -> UserId {
    UserId::new(number).unwrap()
}

fn at(millis: u64) -> Timestamp {
    Timestamp::from_millis(1_700_000_000_000 + millis).unwrap()
}

fn group() -> GroupId {
    GroupId::new(at(0), [7; 10])
}

fn currency(index: u8) -> Currency {
    ["EUR", "TON", "JPY"][usize::from(index % 3)].parse().unwrap()
}

fn expense(at: Timestamp, payer: u64, units: i64, sharers: u64, in_currency: u8) -> Expense {
    let currency = currency(in_currency);
    let id = ExpenseId::new(at, [1; 10]);
    let share = |part: crate::split::Part| Share {
        user_id: part.user,
        user_name: String::new(),
        amount: currency.number(part.units),
        percentage: None,
    };
    let split = Split::equal((1..=sharers).map(user)).unwrap();
    Expense {
        id,
        group_id: group(),
        group_title: None,
        payer_id: user(payer),
        payer_name: String::new(),
        amount: currency.number(units),
        currency,
        description: String::new(),
        split_type: SplitType::Equal,
        splits: split.divide(units, id).into_iter().map(share).collect(),
        category: None,
        created_at: at,
        created_by: None,
    }
}

fn settlement(at: Timestamp, from: u64, to: u64, units: i64, in_currency: u8) -> Settlement {
    let currency = currency(in_currency);
    Settlement {
        id: SettlementId::new(at, [2; 10]),
        group_id: group(),
        group_title: None,
        from_user_id: user(from),
        from_user_name: String::new(),
        to_user_id: user(to),
        to_user_name: String::new(),
        amount: currency.number(units),
        currency,
        tx_hash: None,
        status: Status::Completed,
        created_at: at,
        completed_at: Some(at),
    }
}

#[derive(Clone, Debug)]
enum Act {
    Spend(u64, i64, u64, u8),
    Pay(u64, u64, i64, u8),
    Delete(Index),
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        (1..6_u64, 1..100_000_i64, 1..6_u64, 0..3_u8)
            .prop_map(|(p, u, s, c)| Act::Spend(p, u, s, c)),
        (1..4_u64, 4..6_u64, 1..100_000_i64, 0..3_u8).prop_map(|(f, t, u, c)| Act::Pay(f, t, u, c)),
        any::<Index>().prop_map(Act::Delete),
    ]
}

proptest! {
    #[test]
    fn whatever_happens_the_book_is_what_the_rows_say(acts in vec(act(), 0..40)) {
        let mut book = Book::default();
        let (mut expenses, mut settlements, mut entries) = (Vec::new(), Vec::new(), Vec::new());
        let mut sequences = Vec::new();
        for (now, act) in (0..).zip(acts) {
            let now = book.next_moment(at(now / 3));
            let before = book.clone();
            match act {
                Act::Spend(payer, units, sharers, currency) => {
                    let expense = expense(now, payer, units, sharers, currency);
                    let event = Event::of_expense(&expense).unwrap();
                    let (next, entry) = book.record(group(), event, user(payer), now).unwrap();
                    sequences.push(entry.sequence);
                    entries.push(entry);
                    expenses.push(expense);
                    book = next;
                }
                Act::Pay(from, to, units, currency) => {
                    let settlement = settlement(now, from, to, units, currency);
                    let event = Event::of_settlement(&settlement).unwrap();
                    let (next, entry) = book.record(group(), event, user(to), now).unwrap();
                    sequences.push(entry.sequence);
                    settlements.push(settlement);
                    book = next;
                }
                Act::Delete(index) if !expenses.is_empty() => {
                    let index = index.index(expenses.len());
                    let (entry, _) = (entries.remove(index), expenses.remove(index));
                    let (next, [reverted, revert]) = book.revert(&entry, user(1), now).unwrap();
                    prop_assert_eq!(reverted.other_sequence, Some(revert.sequence));
                    prop_assert_eq!(revert.other_sequence, Some(reverted.sequence));
                    sequences.push(revert.sequence);
                    book = next;
                }
                Act::Delete(_) => continue,
            }
            prop_assert_eq!(book.version, before.version + 1);
            prop_assert!(book.last_event_at > before.last_event_at);
            for currency in book.balances.currencies() {
                prop_assert_eq!(book.balances.nets(currency).map(|(_, net)| net).sum::<i64>(), 0);
            }
        }
        prop_assert_eq!(sequences, (0..book.sequence).collect::<Vec<_>>());
        prop_assert_eq!(verify(&book, &expenses, &settlements), Ok(()));

        let row = to_item(&keys::balance(group()).into(), &book).unwrap();
        prop_assert_eq!(from_item::<Book>(row).unwrap(), book);
    }

    #[test]
    fn a_revert_leads_back(payer in 1..6_u64, units in 1..=i64::MAX, sharers in 1..6_u64) {
        let event = Event::of_expense(&expense(at(0), payer, units, sharers, 0)).unwrap();
        let (after, entry) = Book::default().record(group(), event, user(payer), at(0)).unwrap();
        let row = to_item(&keys::entry_row(&entry), &entry).unwrap();
        prop_assert_eq!(&from_item::<Entry>(row).unwrap(), &entry);
        let (back, _) = after.revert(&entry, user(payer), at(1)).unwrap();
        prop_assert_eq!(back.balances, Balances::default());
        prop_assert_eq!((back.expense_count, back.sequence, back.version), (0, 2, 2));
    }
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let big = |at| Event::of_expense(&expense(at, 1, i64::MAX, 2, 0)).unwrap();
    let (book, _) = Book::default().record(group(), big(at(0)), user(1), at(0)).unwrap();
    let eur = currency(0);
    assert_eq!(book.record(group(), big(at(1)), user(1), at(1)), Err(BookError::Overflow(eur)));
    assert!(book.balances.sums(eur).paid == i64::MAX);

    let one_sided = Totals { paid: 1, ..Totals::default() };
    let change = Change { user: user(1), currency: eur, totals: one_sided };
    assert_eq!(Balances::default().after(&[change]), Err(BookError::Unbalanced(eur)));
}

#[test]
fn verify_sees_every_difference() {
    let spent = expense(at(0), 1, 100, 3, 0);
    let paid = settlement(at(1), 2, 1, 33, 0);
    let event = Event::of_expense(&spent).unwrap();
    let (book, _) = Book::default().record(group(), event, user(1), at(0)).unwrap();
    let event = Event::of_settlement(&paid).unwrap();
    let (book, _) = book.record(group(), event, user(1), at(1)).unwrap();
    let (expenses, settlements) = ([spent.clone()], [paid.clone()]);
    assert_eq!(verify(&book, &expenses, &settlements), Ok(()));

    let pending = Settlement { status: Status::Pending, ..paid.clone() };
    let other = expense(at(0), 2, 100, 3, 0);
    for (expenses, settlements, what) in [
        (vec![], vec![paid.clone()], "an expense is missing"),
        (vec![spent.clone(), spent.clone()], vec![paid.clone()], "an expense is there twice"),
        (vec![other], vec![paid.clone()], "another one paid"),
        (vec![spent.clone()], vec![], "a settlement is missing"),
        (vec![spent], vec![pending], "a settlement is not completed"),
    ] {
        assert!(verify(&book, &expenses, &settlements).is_err(), "{what}");
    }
}
