use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use crate::{
    funds::{
        fund::{Bonus, Fund, FundFlow, FundKind, MAX_BONUSES_USED, Parts},
        fund_queue::FundQueue,
        fund_total::FundTotal,
        fund_transaction::{FundTransaction, FundTransactionType, NewEntry},
        user_funds::{FundChange, Funds, Payable},
    },
    input::{Error, Limit, fund_error::FundError},
    reports::fund_audit::{AllFunds, FundRows},
    values::{
        currency::Currency,
        fund_key::FundKey,
        fund_status::FundStatus,
        id::{FundTransactionId, UserId},
        money::Money,
        time::Timestamp,
    },
};

fn at(seconds: u64) -> Timestamp {
    Timestamp::from_millis(1_700_000_000_000 + seconds * 1_000).unwrap()
}

fn user(id: &str) -> UserId {
    id.parse().unwrap()
}

fn id(number: u8) -> FundTransactionId {
    FundTransactionId::new(at(number.into()), [number; 10])
}

fn eur(minor: i64) -> Money {
    Money { currency: "EUR".parse().unwrap(), minor }
}

fn entry(number: u8, kind: FundTransactionType, flow: FundFlow, parts: Parts) -> NewEntry {
    let currency = eur(0).currency;
    let actor = user("4");
    let now = at(number.into());
    NewEntry { id: id(number), kind, flow, currency, parts, actor, now }
}

/// Funds after a completed transaction.
fn with(funds: &mut Funds, entry: NewEntry) -> FundTransaction {
    let now = entry.now;
    let by = Some(entry.actor);
    let done = funds.enter(entry).ended(FundStatus::Completed, now, by);
    funds.apply(&done, now).unwrap();
    done
}

fn give(funds: &mut Funds, number: u8, amount: i64, until: Timestamp) {
    let parts = Parts { bonuses: BTreeMap::from([(id(number), amount)]), ..Parts::default() };
    let given = with(funds, entry(number, FundTransactionType::Bonus, FundFlow::Credit, parts));
    let usage = BTreeMap::new();
    let note = None;
    let bonus = Bonus { awarded: amount, given_by: user("4"), note, usage, used_earlier: 0 };
    funds.give(&given, bonus, until);
}

/// 50 cash, 10 credit, bonuses of 5 until tomorrow and of 7 until next month.
fn bob() -> Funds {
    let mut funds = Funds::new(user("2"), []);
    let topup = FundTransactionType::Topup;
    let credit = FundTransactionType::Credit;
    with(&mut funds, entry(1, topup, FundFlow::Credit, Parts::cash(50)));
    with(&mut funds, entry(2, credit, FundFlow::Credit, Parts::credit(10)));
    give(&mut funds, 3, 7, at(2_592_000));
    give(&mut funds, 4, 5, at(86_400));
    funds
}

/// The funds once their changes are stored.
fn stored(funds: &Funds) -> Funds {
    let changes = funds.changes();
    let rows = changes.filter_map(|change| match change {
        FundChange::Put { fund, .. } => Some(fund),
        FundChange::Delete { .. } => None,
    });
    Funds::new(funds.owner, rows)
}

fn sums(funds: &Funds, now: Timestamp) -> [i128; 3] {
    let kinds = [FundKind::Cash, FundKind::Credit, FundKind::Bonus];
    let sums = kinds.map(|kind| funds.sums(eur(0).currency, kind, now));
    let all = sums[0].plus(sums[1]).plus(sums[2]);
    [all.balance, all.available, all.withheld]
}

#[test]
fn bonuses_pay_first_by_their_end_then_credit_then_cash() {
    let funds = stored(&bob());
    let now = at(100);
    for (amount, [soon, late, credit, cash]) in [
        (3, [3, 0, 0, 0]),
        (12, [5, 7, 0, 0]),
        (20, [5, 7, 8, 0]),
        (72, [5, 7, 10, 50]),
        (100, [5, 7, 10, 50]),
    ] {
        let bonuses = [(id(4), soon), (id(3), late)];
        let bonuses = bonuses.into_iter().filter(|(_, part)| *part > 0).collect();
        let parts = funds.allocate(eur(amount), Payable::All, now);
        assert_eq!(parts, Parts { cash, credit, bonuses }, "{amount}");
    }
    assert_eq!(funds.allocate(eur(20), Payable::Cash, now), Parts::cash(20));
    let short = funds.cover(eur(51), Payable::Cash, now).unwrap_err();
    assert_eq!(short.to_string(), "0.51 EUR of cash are needed, 0.5 EUR are available");
    let tomorrow = funds.allocate(eur(100), Payable::All, at(86_400));
    assert_eq!((tomorrow.bonus(), tomorrow.total()), (7, 67), "the first bonus has lapsed");
}

#[test]
fn a_held_amount_is_withheld_until_it_is_captured_or_released() {
    let mut funds = stored(&bob());
    let now = at(100);
    let parts = funds.cover(eur(20), Payable::All, now).unwrap();
    let settle = FundTransactionType::Settlement;
    let of = funds.enter(entry(9, settle, FundFlow::Debit, parts));
    let available = (of.cash_available, of.credit_available, of.bonus_available);
    assert_eq!(available, (None, Some(10), Some(12)), "of the funds that it changes");
    funds.authorise(&of).unwrap();
    assert_eq!(sums(&funds, now), [72, 52, 20]);
    assert_eq!(funds.changes().count(), 3, "cash is not touched");

    let mut funds = stored(&funds).with_cash(50);
    // A lapsed bonus still has what it has withheld.
    assert_eq!(sums(&funds, at(2_592_001)), [72, 52, 20]);
    let mut captured = funds.clone();
    let mut released = funds.clone();
    captured.capture(&of, now).unwrap();
    assert_eq!(sums(&captured, now), [52, 52, 0]);
    assert_eq!(captured.get(FundKey::Bonus(id(4))), None, "it is spent");
    released.release(&of, now).unwrap();
    assert_eq!(sums(&released, now), [72, 72, 0]);
    assert!(matches!(released.release(&of, now), Err(Error::FundsMismatch(_))), "only once");
    assert!(matches!(captured.capture(&of, now), Err(Error::FundsMismatch(_))), "only once");

    let other = FundTransaction { credit_amount: 7, ..of.clone() };
    assert!(matches!(funds.capture(&other, now), Err(Error::FundsMismatch(_))));
    assert_eq!(of.amounts().received(), Parts { credit: 20, ..Parts::default() });
}

impl Funds {
    fn with_cash(self, balance: i64) -> Self {
        let cash = Fund { balance, ..bob().get(FundKey::Cash(eur(0).currency)).unwrap().clone() };
        let rows: Vec<_> = self.all().cloned().chain([cash]).collect();
        Self::new(self.owner, rows)
    }
}

#[test]
fn pending_entries_are_bounded_and_left_ones_found() {
    let mut funds = stored(&bob());
    let hold = |number: u8| {
        let parts = Parts::cash(0);
        let new = entry(number, FundTransactionType::Settlement, FundFlow::Debit, parts);
        FundTransaction { cash_amount: 1, amount: 1, ..bob().enter(new) }
    };
    for number in 0..100 {
        funds.authorise(&hold(number)).unwrap();
    }
    let refused = funds.authorise(&hold(101)).unwrap_err();
    assert_eq!(refused.to_string(), "at most 100 transactions can be pending per fund");
    assert_eq!(sums(&funds, at(0))[1..], [22, 100], "of cash, more is withheld than there is");

    let report = |number: u8| FundTransaction { flow: FundFlow::Credit, ..hold(number) };
    let mut funds = stored(&bob());
    for number in 0..5 {
        funds.authorise(&report(number)).unwrap();
    }
    assert_eq!(sums(&funds, at(0)), [72, 72, 0], "a report counts nowhere");

    let voided = hold(1).ended(FundStatus::Voided, at(1), None);
    for (row, now, is_orphan) in [
        (None, at(61), false),
        (None, at(62), true),
        (Some(hold(1)), at(900), false),
        (Some(voided), at(1), true),
    ] {
        assert_eq!(Funds::is_orphan(id(1), row.as_ref(), now), is_orphan);
    }
    funds.orphans.extend([id(1), id(3)]);
    assert_eq!((funds.release_orphans(at(90)), funds.pending().len()), (2, 3));
}

#[test]
fn five_wait_for_an_operator_and_those_that_have_ended_do_not_count() {
    let mut funds = stored(&bob());
    let mut queue = FundQueue::none(user("2"));
    for number in 0..5 {
        let new = entry(number, FundTransactionType::Topup, FundFlow::Credit, Parts::cash(1));
        let (next, before) = queue.with(id(number), &funds, &BTreeSet::new()).unwrap();
        funds.authorise(&funds.enter(new)).unwrap();
        queue = next;
        assert_eq!((before, queue.version), (number, u64::from(number) + 1));
    }
    let full = FundError::TooMany { limit: Limit::FundWork, most: 5 };
    assert_eq!(queue.clone().with(id(9), &funds, &BTreeSet::new()), Err(full.clone()));
    // Of one that is not pending, only the row says whether it waits.
    let none = Funds::new(user("2"), []);
    assert_eq!(queue.unclear(&funds, at(30)), []);
    assert_eq!(queue.unclear(&none, at(61)), [2, 3, 4].map(id), "the others are a minute old");
    let all = (0..5).map(id).collect();
    assert_eq!(queue.clone().with(id(9), &none, &all), Err(full));
    let (next, before) = queue.with(id(9), &none, &BTreeSet::from([id(3)])).unwrap();
    assert_eq!((before, next.waiting), (1, BTreeSet::from([id(3), id(9)])));
}

#[test]
fn a_bonus_that_pays_often_stays_small() {
    let mut funds = Funds::new(user("2"), []);
    give(&mut funds, 3, 10_000, at(900_000));
    let mut funds = stored(&funds);
    for number in 0..9_999_u64 {
        let parts = Parts { bonuses: BTreeMap::from([(id(3), 1)]), ..Parts::default() };
        let paid = FundTransactionId::new(at(number), [7; 10]);
        let new = entry(5, FundTransactionType::Settlement, FundFlow::Debit, parts);
        let new = NewEntry { id: paid, ..new };
        let paid = funds.enter(new);
        funds.authorise(&paid).unwrap();
        funds.capture(&paid, at(number)).unwrap();
    }
    let fund = funds.get(FundKey::Bonus(id(3))).unwrap();
    let bonus = fund.bonus.as_ref().unwrap();
    assert_eq!((fund.balance, bonus.usage.len(), bonus.used_earlier), (1, 100, 9_899));
    assert!(crate::storage::row::size(&crate::storage::row::to_item(fund).unwrap()) < 20_000);
}

#[test]
fn totals_follow_from_transactions() {
    let currency: Currency = "EUR".parse().unwrap();
    let none = FundTotal::none(currency);
    let parts = Parts { cash: 3, credit: 4, ..Parts::default() };
    let of = |kind, flow, parts| {
        let of = bob().enter(entry(9, kind, flow, parts));
        assert_eq!(FundTotal::of(&of), none, "it is not completed");
        FundTotal::of(&of.ended(FundStatus::Completed, at(9), None))
    };
    let credit = FundFlow::Credit;
    let debit = FundFlow::Debit;
    let cash = Parts::cash(7);
    assert_eq!(of(FundTransactionType::Topup, credit, cash.clone()).topped_up, 7);
    assert_eq!(of(FundTransactionType::Cashout, debit, cash).cashed_out, 7);
    assert_eq!(of(FundTransactionType::Credit, credit, Parts::credit(7)).given, 7);
    let corrected = of(FundTransactionType::Correction, debit, parts.clone());
    assert_eq!(corrected, FundTotal { topped_up: -3, given: -4, ..none });
    assert_eq!(of(FundTransactionType::Settlement, debit, parts), none);
}

/// The rows of Bob, who asks for 20 cash and has paid Alice 8 of a bonus and credit, and those of
/// Alice, whose cash from Bob is held.
fn two_users() -> [FundRows; 2] {
    let (credit, debit, settle) =
        (FundFlow::Credit, FundFlow::Debit, FundTransactionType::Settlement);
    let mut bob = Funds::new(user("2"), []);
    let mut alice = Funds::new(user("1"), []);
    let bonus = Parts { bonuses: BTreeMap::from([(id(3), 6)]), ..Parts::default() };
    let mut of_bob = vec![
        with(&mut bob, entry(1, FundTransactionType::Topup, credit, Parts::cash(50))),
        with(&mut bob, entry(2, FundTransactionType::Credit, credit, Parts::credit(10))),
        with(&mut bob, entry(3, FundTransactionType::Bonus, credit, bonus)),
    ];
    let cash_out = entry(4, FundTransactionType::Cashout, debit, Parts::cash(20));
    let cash_out = bob.enter(cash_out);
    bob.authorise(&cash_out).unwrap();
    of_bob.push(cash_out);
    let mut of_alice = Vec::new();
    let mixed = Parts { bonuses: BTreeMap::from([(id(3), 5)]), ..Parts::credit(3) };
    for (number, parts, status) in
        [(5, mixed, FundStatus::Completed), (7, Parts::cash(9), FundStatus::Held)]
    {
        let paid = with(&mut bob, entry(number, settle, debit, parts));
        let received = entry(number + 1, settle, credit, paid.amounts().received());
        let received = alice.enter(received);
        let received = FundTransaction { status, ..received };
        alice.apply(&received, at(9)).unwrap();
        let other = |of: FundTransaction, other: &FundTransaction| FundTransaction {
            other_user_id: Some(other.owner),
            other_id: Some(other.id),
            ..of
        };
        of_bob.push(other(paid.clone(), &received));
        of_alice.push(other(received, &paid));
    }
    let by_id = |all: &[FundTransaction]| {
        all.iter().map(|of| ((of.owner, of.id), of.clone())).collect::<BTreeMap<_, _>>()
    };
    let rows = |funds: &Funds, transactions: &[FundTransaction], others: &[FundTransaction]| {
        let mut rows = FundRows::none(funds.owner);
        rows.funds = stored(funds).all().cloned().collect();
        (rows.transactions, rows.others) = (transactions.into(), by_id(others));
        rows
    };
    [rows(&bob, &of_bob, &of_alice), rows(&alice, &of_alice, &of_bob)]
}

fn totals() -> FundTotal {
    FundTotal { topped_up: 50, given: 16, ..FundTotal::none(eur(0).currency) }
}

#[test]
fn an_entry_without_its_transaction_is_left_behind_after_a_minute() {
    let [mut bob, _] = two_users();
    bob.transactions.remove(3);
    let is_left = |now| {
        let findings = bob.audit(now);
        findings.iter().any(|finding| finding.to_string().ends_with("was left behind"))
    };
    assert!(!is_left(at(4)), "its transaction is still to come");
    assert!(is_left(at(65)));
}

#[test]
fn sums_over_all_users_are_those_of_funds_and_transactions() {
    let check = |rows: &[FundRows], totals: &[FundTotal]| {
        let mut all = AllFunds::default();
        for rows in rows {
            all.add(rows);
        }
        let found = all.check(totals);
        found.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let rows = two_users();
    assert_eq!(check(&rows, &[totals()]), [""; 0]);
    assert_eq!(check(&[], &[]), [""; 0]);
    let more = FundTotal { topped_up: 51, ..totals() };
    assert_eq!(
        check(&rows, &[more]),
        [
            "toppedUp in EUR: 0.51 by the sums, but 0.5 by the transactions",
            "cash and held cash in EUR: 0.51 by the sums, but 0.5 by the funds",
        ]
    );
    assert_eq!(
        check(&rows[..1], &[totals()]),
        [
            "cash and held cash in EUR: 0.5 by the sums, but 0.41 by the funds",
            "credit and bonuses in EUR: 0.16 by the sums, but 0.08 by the funds",
        ],
        "Alice is left out"
    );
    assert_eq!(check(&rows, &[]).len(), 4);
}

/// Funds with any balances, bonuses and withheld amounts.
fn any_funds() -> impl Strategy<Value = Funds> {
    let fund = || (0..1_000_i64, 0..1_000_i64);
    let bonuses = prop::collection::vec((fund(), 0..200_u64), 0..30);
    (fund(), fund(), bonuses).prop_map(|(cash, credit, bonuses)| {
        let mut funds = Funds::new(user("2"), []);
        let topup = FundTransactionType::Topup;
        let given = FundTransactionType::Credit;
        with(&mut funds, entry(1, topup, FundFlow::Credit, Parts::cash(cash.0)));
        with(&mut funds, entry(2, given, FundFlow::Credit, Parts::credit(credit.0)));
        let mut held = Parts { cash: cash.1.min(cash.0), ..Parts::default() };
        held.credit = credit.1.min(credit.0);
        for (number, ((amount, taken), until)) in (10..).zip(bonuses) {
            give(&mut funds, number, amount, at(until));
            held.bonuses.insert(id(number), taken.min(amount));
        }
        let new = entry(9, FundTransactionType::Settlement, FundFlow::Debit, held);
        let held = funds.enter(new);
        funds.authorise(&held).unwrap();
        funds
    })
}

proptest! {
    #[test]
    fn parts_are_never_negative_and_sum_up(funds in any_funds(), amount in 0..5_000_i64) {
        let now = at(100);
        for from in [Payable::All, Payable::Cash] {
            let parts = funds.allocate(eur(amount), from, now);
            let available: i64 = funds
                .all()
                .filter(|fund| from == Payable::All || fund.kind == FundKind::Cash)
                .map(|fund| fund.available(&funds.orphans, now))
                .sum();
            prop_assert!(parts.cash >= 0 && parts.credit >= 0);
            prop_assert!(parts.bonuses.values().all(|part| *part > 0));
            prop_assert!(parts.bonuses.len() <= MAX_BONUSES_USED);
            let uses_all = funds.all().count() <= MAX_BONUSES_USED + 2;
            prop_assert!(parts.total() <= amount.min(available));
            if uses_all || from == Payable::Cash {
                prop_assert_eq!(parts.total(), amount.min(available));
            }
            prop_assert_eq!(parts.received().total(), parts.total());
            let new = entry(200, FundTransactionType::Settlement, FundFlow::Debit, parts);
            let of = funds.enter(new);
            let mut paid = funds.clone();
            paid.authorise(&of).unwrap();
            let before = sums(&funds, now)[0];
            paid.capture(&of, now).unwrap();
            prop_assert_eq!(sums(&paid, now)[0], before - i128::from(of.amount));
            prop_assert!(paid.all().all(|fund| fund.balance >= 0));
        }
    }
}
