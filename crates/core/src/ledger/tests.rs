use super::*;

use crate::{
    input::limits::MAX_LINKS,
    ledger::balance::Balance,
    storage::row::{AttributeValue, from_item, to_item},
    values::id::GuestId,
};

pub(crate) fn user(number: u64) -> MemberId {
    actor(number).into()
}

pub(crate) fn actor(number: u64) -> UserId {
    UserId::new(number).unwrap()
}

pub(crate) fn at(millis: u64) -> Timestamp {
    Timestamp::from_millis(1_700_000_000_000 + millis).unwrap()
}

pub(crate) fn group() -> GroupId {
    GroupId::new(at(0), [7; 10])
}

pub(crate) fn currency(index: u8) -> Currency {
    ["EUR", "TON", "JPY"][usize::from(index % 3)].parse().unwrap()
}

/// An event that changes the totals of the first two members.
fn event(minor: i64) -> Event {
    let first = minor - minor / 2;
    let second = minor / 2;
    let change = |user_number, paid, owed| {
        let totals = Totals { paid, owed, ..Totals::default() };
        Change { user: user(user_number), currency: currency(0), totals }
    };
    Event {
        ref_type: RefType::Expense,
        entry_id: "dinner".parse().unwrap(),
        ref_created_at: None,
        note: None,
        changes: vec![change(1, minor, first), change(2, 0, second)],
    }
}

/// The ledger and the entry after the event.
fn recorded(
    ledger: &Ledger,
    event: Event,
    at: Timestamp,
) -> Result<(Ledger, Entry<()>), LedgerError> {
    ledger.record(group(), event, actor(1), at)
}

#[test]
fn entry_cannot_be_reverted_in_an_earlier_ledger() {
    let (after, entry) = recorded(&Ledger::default(), event(100), at(0)).unwrap();
    assert_eq!(Ledger::default().revert(&entry, actor(1), at(1)), Err(LedgerError::Missing(0)));
    assert!(after.revert(&entry, actor(1), at(1)).is_ok());
}

#[test]
fn full_ledger_refuses_new_balances_but_changes_existing_ones() {
    let spend = |of: u64| {
        let change = |user_number: u64| {
            let totals = if user_number == 1 {
                Totals { paid: i64::try_from(of).unwrap(), owed: 1, ..Totals::default() }
            } else {
                Totals { owed: 1, ..Totals::default() }
            };
            Change { user: user(user_number), currency: currency(0), totals }
        };
        (1..=of).map(change).collect::<Vec<_>>()
    };
    let most = u64::try_from(MAX_BALANCES).unwrap();
    let full = Balances::default().after(&spend(most)).unwrap();
    assert!(full.after(&spend(most)).is_ok());
    assert_eq!(full.after(&spend(most + 1)), Err(LedgerError::Full));
}

/// Size of a value in DynamoDB, in bytes, according to its documentation.
///
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html>
fn bytes(value: &AttributeValue) -> usize {
    match value {
        AttributeValue::S(text) => text.len(),
        AttributeValue::N(number) => number.len().div_ceil(2) + 2,
        AttributeValue::M(map) => {
            3 + map.iter().map(|(name, value)| 1 + name.len() + bytes(value)).sum::<usize>()
        }
        _ => unreachable!("a ledger has no such value"),
    }
}

#[test]
fn full_ledger_of_the_largest_numbers_fits_into_a_row() {
    let ids = 0..u64::try_from(MAX_BALANCES).unwrap();
    let most = Totals { paid: i64::MAX, owed: i64::MIN + 1, sent: i64::MAX, received: i64::MAX };
    // The keys of guests are longer than those of users.
    let members = ids.map(|id| (GuestId::new(at(id), [0xff; 10]).into(), most)).collect();
    let balances = Balances([(Currency::TON, members)].into());
    let mut ledger = Ledger { balances, ..Ledger::default() };
    let guests = 0..u64::try_from(MAX_LINKS).unwrap();
    guests.for_each(|id| ledger.links.insert(GuestId::new(at(id), [0; 10]), actor((1 << 52) - 1)));
    let row = to_item(&Balance { group_id: group(), ledger });
    let size = bytes(&AttributeValue::M(row.unwrap()));
    assert!(size < 400 * 1024, "{size}");
}

#[test]
fn overflowing_and_unbalanced_changes_are_refused() {
    let (ledger, _) = recorded(&Ledger::default(), event(i64::MAX), at(0)).unwrap();
    let eur = currency(0);
    let again = recorded(&ledger, event(i64::MAX), at(1));
    assert_eq!(again, Err(LedgerError::Overflow(eur)));
    assert!(ledger.balances.sums(eur).paid == i64::MAX);

    let one_sided = Totals { paid: 1, ..Totals::default() };
    let change = Change { user: user(1), currency: eur, totals: one_sided };
    assert_eq!(Balances::default().after(&[change]), Err(LedgerError::Unbalanced(eur)));
}

#[test]
fn only_the_sum_of_changes_must_fit() {
    let ledger = |amounts: &[i64]| {
        let changes: Vec<Change> = amounts.iter().flat_map(|minor| event(*minor).changes).collect();
        Balances::default().after(&changes)
    };
    let most = ledger(&[i64::MAX]).unwrap();
    assert_eq!(ledger(&[i64::MAX, i64::MAX, -i64::MAX]), Ok(most.clone()));
    assert_eq!(most.sums(currency(0)).paid, i64::MAX);
    assert_eq!(ledger(&[i64::MAX, -i64::MAX]), Ok(Balances::default()));
    let negative = ledger(&[-i64::MAX]).unwrap();
    assert_eq!(negative.sums(currency(0)).paid, -i64::MAX);
    assert_eq!(negative.after(&event(-2).changes), Err(LedgerError::Overflow(currency(0))));
}

#[test]
fn balance_row_with_overflowing_balances_cannot_be_read() {
    let most = Totals { paid: i64::MAX, sent: 1, ..Totals::default() };
    let balances = Balances([(currency(0), [(user(1), most)].into())].into());
    let ledger = Ledger { balances, ..Ledger::default() };
    let row = to_item(&Balance { group_id: group(), ledger }).unwrap();
    assert!(from_item::<Balance>(row).is_err());
}

#[test]
fn balances_of_users_and_guests_read_as_they_were_written() {
    let guest = MemberId::from(GuestId::new(at(7), [0xab; 10]));
    let totals = |paid, owed| Totals { paid, owed, ..Totals::default() };
    let balances =
        [(user(1), totals(3, 1)), (user((1 << 52) - 1), totals(0, 1)), (guest, totals(0, 1))];
    let balances = Balances([(currency(0), balances.into())].into());
    let balance = Balance { group_id: group(), ledger: Ledger { balances, ..Ledger::default() } };
    let row = to_item(&balance).unwrap();
    assert_eq!(from_item::<Balance>(row.clone()).unwrap(), balance);
    let AttributeValue::M(stored) = &row["balances"] else { panic!("{row:?}") };
    let AttributeValue::M(members) = &stored["EUR"] else { panic!("{row:?}") };
    let mut keys: Vec<_> = members.keys().map(String::len).collect();
    keys.sort_unstable();
    assert_eq!(keys, [1, 16, 23], "the lengths of the keys");
    let mut unreadable = row;
    let AttributeValue::M(stored) = unreadable.get_mut("balances").unwrap() else { panic!() };
    let AttributeValue::M(members) = stored.get_mut("EUR").unwrap() else { panic!() };
    members.insert("g123".to_owned(), AttributeValue::M([].into()));
    assert!(from_item::<Balance>(unreadable).is_err());
}
